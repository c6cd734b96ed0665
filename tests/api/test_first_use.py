"""What a first user of the Python package runs into: warnings, defaults, declared classes, samples, results as frames."""

from __future__ import annotations

import os
import threading
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import suffice as sf
from suffice.errors import DataError, ParameterError, TargetWarning, TrainingFilesWarning, UnseenClassesWarning

RNG = np.random.default_rng(0)
Y = np.where(RNG.random(200) < 0.2, "a<b", "zoo")
FRAME = pd.DataFrame({"x": RNG.normal(Y == "zoo", 1.0), "f": RNG.choice(["<i>", "c"], 200), "y": Y})
ROWS = FRAME.drop(columns="y")


@pytest.fixture(scope="module")
def model():
    return sf.fit(FRAME, "y")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "train.csv"
    FRAME.to_csv(path, index=False)
    return path


def test_rows_of_one_class_are_said():
    with pytest.warns(TargetWarning, match="all rows have the class 'only'"):
        sf.fit({"x": [1.0, 2.0]}, ["only", "only"])
    with pytest.warns(TargetWarning, match="all rows have the class 'only'"):
        sf.evaluate({"x": [1.0, 2.0, 3.0]}, ["only"] * 3, folds=3, bootstrap=0)


def test_no_rows_are_said():
    with pytest.warns(TargetWarning, match="there are no rows to fit"):
        sf.fit(FRAME.head(0), "y")


def test_rows_of_one_class_are_said_by_evaluate(model):
    with pytest.warns(TargetWarning, match="all rows have the class 'zoo'"):
        model.evaluate(FRAME[FRAME.y == "zoo"], "y", bootstrap=0)


def test_classes_that_the_model_does_not_know_are_said(model):
    new = FRAME.assign(y=np.where(FRAME.y == "zoo", "Zoo", FRAME.y))
    with pytest.warns(UnseenClassesWarning, match="'Zoo' .*did you mean 'zoo'"):
        model.evaluate(new, "y", bootstrap=0)
    with pytest.warns(UnseenClassesWarning, match="'Zoo'"):
        sf.fit(FRAME, "y", calibrate=False).update(new, "y")


def test_a_file_that_the_model_was_fitted_on_is_said(file, tmp_path):
    model = sf.fit(file, "y", calibrate=False)
    with pytest.warns(TrainingFilesWarning, match="its rows now count twice"):
        model.update(file, "y")
    with pytest.warns(TrainingFilesWarning, match="its rows now count twice"):
        _ = model + model
    with pytest.warns(TrainingFilesWarning, match="already fitted on .*train.csv"):
        model.evaluate(tmp_path / "." / "train.csv", "y", bootstrap=0)
    with pytest.warns(TrainingFilesWarning):
        model.threshold(file, "y", recall=0.5)
    with pytest.warns(TrainingFilesWarning):
        model.calibrate(file, "y", new=True)


def test_other_files_are_not(file, tmp_path, recwarn):
    model = sf.fit(file, "y", calibrate=False)
    FRAME[1:].to_csv(tmp_path / "new.csv", index=False)
    model.update(tmp_path / "new.csv", "y")
    model.evaluate(tmp_path / "new.csv", "y", bootstrap=0)
    model.forget(file, "y")
    assert not [each for each in recwarn if issubclass(each.category, TrainingFilesWarning)]


def test_a_file_is_known_by_its_content_and_not_by_its_name(file, tmp_path, monkeypatch):
    other, away = tmp_path / "other", tmp_path / "away"
    other.mkdir()
    away.mkdir()
    FRAME[::-1].to_csv(other / "train.csv", index=False)  # of the same size
    monkeypatch.chdir(tmp_path)
    model = sf.fit("train.csv", "y", calibrate=False)
    model.save("model.suffice")
    monkeypatch.chdir(other)
    model = sf.load(tmp_path / "model.suffice")
    both = model.update("train.csv", "y")  # warnings are errors
    assert both.provenance.sources == ("train.csv", "train.csv")
    monkeypatch.chdir(away)
    with pytest.warns(TrainingFilesWarning, match=r"already fitted on \.\./train\.csv: its rows now count twice"):
        model.update("../train.csv", "y")
    file.rename("renamed.csv")
    with pytest.warns(TrainingFilesWarning, match=r"already fitted on renamed\.csv"):
        model.update("renamed.csv", "y")
    assert both.forget("renamed.csv", "y").provenance.digests == both.provenance.digests[1:]


def test_a_folder_of_texts_is_known_by_its_documents(tmp_path):
    for folder in ("mail/ham", "mail/spam", "post/ham", "post/spam"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "1.txt").write_text("lunch" if folder.endswith("ham") else "win a prize")
    model = sf.fit(tmp_path / "mail", calibrate=False)
    with pytest.warns(TrainingFilesWarning, match="post"):
        model.update(tmp_path / "post")
    (tmp_path / "post" / "ham" / "2.txt").write_text("lunch now")
    assert model.update(tmp_path / "post").provenance.rows == 5


def test_a_file_that_cannot_be_read_again_is_not_known(file, tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    models = []
    for _ in range(2):
        writer = threading.Thread(target=lambda: (tmp_path / "pipe.csv").write_bytes(file.read_bytes()))
        writer.start()
        models.append(sf.fit(tmp_path / "pipe.csv", "y", calibrate=False))
        writer.join()
    assert (models[0] + models[1]).provenance.digests == ()


def test_the_positive_class_is_the_rarer_of_two(model):
    assert model.threshold(FRAME, "y", recall=0.5).positive == "a<b"
    assert sf.screen(FRAME, "y").positive == "a<b"
    default = model.evaluate(FRAME, "y", bootstrap=0)["average_precision"]
    assert default == model.evaluate(FRAME, "y", bootstrap=0, positive="a<b")["average_precision"]
    assert default != model.evaluate(FRAME, "y", bootstrap=0, positive="zoo")["average_precision"]
    held_out = sf.evaluate(FRAME, "y", bootstrap=0)["average_precision"]
    assert held_out == sf.evaluate(FRAME, "y", bootstrap=0, positive="a<b")["average_precision"]
    odds = model.decide(ROWS).log_odds[:, 0]
    np.testing.assert_array_equal(model.decide(ROWS, threshold=-1.0).action == "a<b", odds > -1)
    np.testing.assert_array_equal(model.decide(ROWS, threshold=1.0, positive="zoo").action == "zoo", -odds > 1)


def test_without_a_bootstrap_there_is_no_interval(model):
    for metric in model.evaluate(FRAME, "y", bootstrap=0).metrics:
        assert metric.lower is None
        assert metric.upper is None


def test_the_direction_of_a_metric_is_known(model):
    better = {metric.name: metric.higher_is_better for metric in model.evaluate(FRAME, "y", bootstrap=0).metrics}
    assert better["accuracy"]
    assert better["roc_auc"]
    assert not better["log_loss"]
    assert not better["actual_detection_cost"]


def test_a_cost_is_a_column_only_where_costs_were_given(model):
    costs = {"pass": {"a<b": 5, "zoo": 0}, "stop": 1}
    assert "expected_cost" not in model.decide(ROWS).to_frame().columns
    assert "expected_cost" in model.decide(ROWS, costs).to_frame().columns
    assert (model.decide(ROWS).costs_given, model.decide(ROWS, costs).costs_given) == (False, True)


@pytest.mark.parametrize("spelling", ["true", "TRUE", True])
def test_a_boolean_class_by_the_spelling_of_files(spelling):
    rows, y = np.repeat([[0.0], [1.0], [2.0], [3.0]], 20, axis=0), np.repeat([False, True, True, True], 20)
    model = sf.fit(rows, y, columns=sf.Gaussian(), calibrate=False)
    costs = {"wait": {spelling: 10, "false": 0}, "act": 1}
    same = {"wait": {True: 10, False: 0}, "act": 1}
    assert (model.decide(rows, costs).action == model.decide(rows, same).action).all()
    assert not model.decide(rows, threshold=np.inf, positive=spelling).action.any()
    assert model.threshold(rows, y, recall=0.9, positive=spelling).positive is True
    assert model.explain(rows[:1], positive=spelling, against="False")[0].label is True
    assert model.sample(3, classes=spelling).target.tolist() == [True] * 3
    assert model.sample(3, classes={spelling: 2, "false": 1}).target.tolist() == [True, True, False]
    assert model.sample(2, classes=["true", "false"]).target.tolist() == [True, False]
    for found in (
        model.evaluate(rows, y, positive=spelling, bootstrap=0),
        sf.evaluate(rows, y, columns=sf.Gaussian(), positive=spelling, bootstrap=0, folds=3),
    ):
        assert "roc_auc" in {metric.name for metric in found.metrics}
    assert sf.screen(rows, y, positive=spelling).positive is True
    prior = {spelling: 0.9, "FALSE": 0.1}
    np.testing.assert_array_equal(model.with_options(class_prior=prior).core.log_prior, np.log([0.1, 0.9]))
    frame = model.decide(rows, same).to_frame()
    assert frame["predicted"].to_list()[:1] == [False]


def test_a_class_is_given_once_whatever_its_spelling():
    rows, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [False, True, True, False]
    model = sf.fit(rows, y, columns=sf.Gaussian(), calibrate=False)
    with pytest.raises(sf.errors.ParameterError, match="costs has class true twice"):
        model.decide(rows, {"wait": {True: 1, "true": 2, False: 0}, "act": 1})
    with pytest.raises(sf.errors.ParameterError, match="two probabilities for one class"):
        model.with_options(class_prior={True: 0.4, "true": 0.4, False: 0.2}).predict(rows)


def test_declared_classes_stay_without_rows(tmp_path):
    model = sf.fit(FRAME, "y", classes=["zoo", "maybe", "a<b"], class_prior="uniform")
    assert model.classes == ("a<b", "maybe", "zoo")
    assert model.predict_proba(ROWS).shape == (200, 3)
    model.save(tmp_path / "m.suffice")
    assert sf.load(tmp_path / "m.suffice") == model
    plain = sf.fit(FRAME, "y", classes=["zoo", "maybe", "a<b"], calibrate=False)
    assert plain.forget(FRAME, "y").classes == model.classes
    assert sf.fit(FRAME, "y", calibrate=False).forget(FRAME, "y").classes == ()


def test_a_class_that_is_not_declared_is_an_error(file):
    for data in (FRAME, file):
        with pytest.raises(DataError) as caught:
            sf.fit(data, "y", classes=["zoo", "maybe"])
        assert caught.value.kind == "unknown_class"
        assert str(caught.value).endswith(
            "unknown class 'a<b': the declared classes are ['maybe', 'zoo']. Add it to classes=, or leave these rows "
            "out."
        )


@pytest.mark.parametrize("classes", ["zoo", ["a", "a"], [], [None], 3])
def test_declared_classes_are_labels(classes):
    with pytest.raises(ParameterError, match="classes must be"):
        sf.fit(FRAME, "y", classes=classes)


INTEGERS = {
    "far": np.random.default_rng(1).integers(0, 10**6, 6000),  # more values than Bins keep apart
    "near": np.random.default_rng(2).integers(-40, 40, 6000),
    "bit": np.random.default_rng(3).integers(0, 2, 6000),
    "real": np.random.default_rng(4).normal(size=6000).round(1),
}
INTEGER_CLASSES = np.random.default_rng(5).choice(["a", "b"], 6000)


@pytest.mark.parametrize(
    "likelihood",
    [None, sf.Gaussian(), sf.Histogram(), sf.Numeric(), sf.MultivariateGaussian(), sf.Bernoulli(threshold=3)],
    ids=repr,
)
@pytest.mark.parametrize("of", ["mapping", "csv", "polars with gaps", "parts"])
def test_integers_are_drawn_as_integers(likelihood, of, tmp_path):
    frame = pl.DataFrame({**INTEGERS, "y": INTEGER_CLASSES})
    if of == "csv":
        frame.write_csv(tmp_path / "rows.csv")
    data = {
        "mapping": {**INTEGERS, "y": INTEGER_CLASSES},
        "csv": tmp_path / "rows.csv",
        "polars with gaps": pl.concat([frame, frame[:1].with_columns(far=pl.lit(None, pl.Int64))]),
        "parts": iter([frame[:2500].to_pandas(), frame[2500:].to_pandas()]),
    }[of]
    given = {} if likelihood is None else {"far": likelihood, "near": likelihood, "bit": likelihood}
    if isinstance(likelihood, sf.MultivariateGaussian):
        given = {("far", "near", "bit"): likelihood}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sf.errors.DroppedRowsWarning)
        model = sf.fit(data, "y", columns=given, calibrate=False)
    model.save(tmp_path / "model.suffice")
    loaded = sf.load(tmp_path / "model.suffice")
    kinds = {"far": "i", "near": "i", "bit": "i", "real": "f"}
    for each in (model, loaded, loaded + model.scale(2), model - model.scale(0.5), model.with_options(estimate="mle")):
        drawn = each.sample(50, seed=0).data
        assert {name: values.dtype.kind for name, values in drawn.items()} == kinds


def test_integers_of_an_array_are_drawn_as_whole_numbers():
    whole = sf.fit(INTEGERS["far"][:, None], INTEGER_CLASSES, columns=sf.Gaussian()).sample(50, seed=0).data
    assert (whole == np.rint(whole)).all()
    floats = sf.fit(INTEGERS["far"][:, None] * 1.0, INTEGER_CLASSES, columns=sf.Gaussian()).sample(50, seed=0).data
    assert (floats != np.rint(floats)).any()
    np.testing.assert_array_equal(whole, np.rint(floats))


def test_whole_floats_are_integers_where_they_are_inferred_as_such():
    frame = pd.DataFrame({"far": INTEGERS["far"], "y": INTEGER_CLASSES})
    frame.loc[7, "far"] = np.nan  # which makes the column float64
    assert sf.fit(frame, "y", calibrate=False).sample(50, seed=0).data["far"].dtype.kind == "i"
    given = sf.fit(frame, "y", columns={"far": "gaussian"}, calibrate=False)
    assert given.sample(50, seed=0).data["far"].dtype.kind == "f"


def test_parts_of_dates_are_integers():
    when = pd.date_range("2026-01-01", periods=6000, freq="7h")
    columns = {"when": None, "when.hour": "numeric"}
    model = sf.fit(pd.DataFrame({"when": when, "y": INTEGER_CLASSES}), "y", columns=columns, calibrate=False)
    assert model.sample(50, seed=0).data["when.hour"].dtype.kind == "i"


def test_a_column_is_of_integers_if_it_is_so_in_every_part():
    names = ("far",)
    whole = sf.fit({"far": INTEGERS["far"]}, INTEGER_CLASSES, columns=sf.Gaussian(), calibrate=False)
    real = sf.fit({"far": INTEGERS["far"] + 0.5}, INTEGER_CLASSES, columns=sf.Gaussian(), calibrate=False)
    assert whole.schema.integers == {*names}
    assert whole.schema == real.schema
    for both in (whole + real, real + whole):
        assert both.sample(5, seed=0).data["far"].dtype.kind == "f"
    assert (whole + whole).sample(5, seed=0).data["far"].dtype.kind == "i"


def test_integers_that_no_int64_holds_stay_floats():
    wide = sf.fit({"x": np.array([2**63, 1] * 30, dtype=np.uint64)}, ["a", "b"] * 30, columns=sf.Gaussian())
    assert wide.sample(50, seed=0, classes="a").data["x"].dtype.kind == "f"


def test_a_sample_has_the_types_of_the_data():
    rng = np.random.default_rng(1)
    data = {
        "count": rng.integers(0, 60, 500),
        "flag": rng.random(500) < 0.5,
        "real": rng.normal(size=500),
        "rare": rng.poisson(2, 500),
    }
    model = sf.fit(data, rng.choice(["a", "b"], 500), columns={"rare": sf.Poisson()})
    drawn = model.sample(50, seed=0).data
    assert {name: values.dtype.kind for name, values in drawn.items()} == {
        "count": "i",
        "flag": "b",
        "real": "f",
        "rare": "i",
    }
    model.predict(drawn)


RESULTS = {
    "Evaluation": lambda model, rows, frame: model.evaluate(frame, "y", bootstrap=0),
    "Explanations": lambda model, rows, frame: model.explain(rows),
    "Explanation": lambda model, rows, frame: model.explain(rows)[0],
    "Decisions": lambda model, rows, frame: model.decide(rows),
    "Novelty": lambda model, rows, frame: model.novelty(rows),
    "CredibleInterval": lambda model, rows, frame: model.interval(rows[:3], draws=200),
    "PriorShift": lambda model, rows, frame: model.prior_shift(rows),
    "Threshold": lambda model, rows, frame: model.threshold(rows, alerts=3),
    "Screening": lambda model, rows, frame: sf.screen(frame, "y"),
    "RecordList": lambda model, rows, frame: model.parameters(),
    "Shown": lambda model, rows, frame: model.show(),
    "Sample": lambda model, rows, frame: model.sample(3, seed=0),
    "NoveltyReference": lambda model, rows, frame: sf.novelty_reference(model, rows),
}
WITHOUT_INPUT = {"RecordList", "Shown", "Sample", "NoveltyReference"}
LIBRARIES = {"pandas": lambda frame: frame, "polars": pl.from_pandas, "pyarrow": pa.table}


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_is_a_frame_of_the_library_of_the_input(model, name):
    assert type(RESULTS[name](model, ROWS, FRAME)) is getattr(sf, name)
    for library, convert in LIBRARIES.items():
        found = RESULTS[name](model, convert(ROWS), convert(FRAME))
        frame = found.to_frame()
        expected = "polars" if name in WITHOUT_INPUT else library
        assert type(frame).__module__.partition(".")[0] == expected
        assert len(frame) > 0
    array = RESULTS[name](model, ROWS.to_dict("list"), FRAME.to_dict("list")) if name != "CredibleInterval" else None
    if array is not None:
        assert isinstance(array.to_frame(), pl.DataFrame)


@pytest.mark.parametrize("name", RESULTS)
def test_html_escapes_names_and_levels(model, name):
    html = RESULTS[name](model, ROWS, FRAME)._repr_html_()
    assert "<table>" in html
    for raw in ("a<b", "<i>"):
        assert raw not in html
    assert "a<b" not in model._repr_html_()


def test_a_posterior_over_concepts_is_a_frame():
    belief = sf.concepts.number_game().update([16, 8, 2, 64]).posterior()
    frame = belief.to_frame()
    assert frame["name"][0] == "powers of two"
    assert len(frame) == len(belief.top())
    assert "<table>" in belief._repr_html_()


def test_html_of_many_rows_is_short(model):
    assert "… 180 more" in model.decide(ROWS)._repr_html_()


def test_labels_of_several_types_are_a_column_of_text():
    model = sf.fit({"x": [1, "a", None, 1]}, [1, "b", 1, "b"], columns=sf.Categorical(), calibrate=False)
    assert set(model.parameters().to_frame()["label"].to_list()) == {"1", "b"}


def test_large_numbers_of_rows_are_written_with_commas():
    lines = repr(sf.fit({"v": ["a", "b"]}, ["x", "y"], calibrate=False).scale(1e6)).splitlines()
    assert lines[:2] == ["Model: 2 classes, 2,000,000 rows", "  classes: 'x' 1,000,000, 'y' 1,000,000"]


def test_explanations_print_as_text_and_many_are_cut(model):
    found = model.explain({name: [None] * 12 for name in model.schema.names})
    shown = repr(found)
    assert shown.startswith(str(found[0]))
    assert shown.count("class prior") == 10
    assert shown.endswith("\n\n… 2 more")
