"""sf.evaluate and model.evaluate: every door for the rows, every way to hold them out, and what is refused."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_matrix
from sklearn import metrics as theirs
from sklearn.datasets import load_iris

import suffice as sf
from suffice.evidence.evaluation.held_out import blocks_in_order, grouped_folds, stratified_folds
from suffice.evidence.evaluation.metrics import NAMES

X, Y = load_iris(return_X_y=True)
NAMED = np.array(["setosa", "versicolor", "virginica"])[Y]
FRAME = {**{f"x{j}": X[:, j] for j in range(4)}, "species": NAMED}
QUICK = {"bootstrap": 0}


def values(found):
    return {each.name: each.value for each in found.metrics}


def test_folds_are_a_loop_of_fits_measured_by_scikit_learn():
    found = sf.evaluate(X, Y, columns=sf.Gaussian(), folds=5, seed=3, **QUICK, calibrate=False)
    folds = stratified_folds(Y, 5, 3)
    assert (found.folds == folds).all()
    p = np.empty((150, 3))
    for fold in range(5):
        model = sf.fit(X[folds != fold], Y[folds != fold], columns=sf.Gaussian(), calibrate=False)
        p[folds == fold] = model.predict_proba(X[folds == fold])
    np.testing.assert_allclose(np.exp(found.log_posterior), p, atol=1e-12)
    assert found.classes == (0, 1, 2)
    assert found["accuracy"].value == pytest.approx(theirs.accuracy_score(Y, p.argmax(axis=1)))
    assert found["log_loss"].value == pytest.approx(theirs.log_loss(Y, p))
    assert found["brier"].value == pytest.approx(theirs.brier_score_loss(Y, p))
    assert found["roc_auc"].value == pytest.approx(theirs.roc_auc_score(Y, p, multi_class="ovr"))
    assert found.confusion.tolist() == theirs.confusion_matrix(Y, p.argmax(axis=1)).tolist()
    assert found.how == "5 stratified folds"


def test_ten_folds_unless_told_otherwise():
    found = sf.evaluate(X, Y, columns=sf.Gaussian(), **QUICK, calibrate=False)
    assert found.how == "10 stratified folds"
    assert np.bincount(found.folds).tolist() == [15] * 10


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame])
def test_frames_and_named_targets(make):
    found = sf.evaluate(make(FRAME), "species", columns=sf.Gaussian(), **QUICK, calibrate=False)
    plain = sf.evaluate(X, NAMED, columns=sf.Gaussian(), **QUICK, calibrate=False)
    assert values(found) == values(plain)
    assert found.classes == ("setosa", "versicolor", "virginica")


def test_files_are_their_rows(tmp_path):
    pl.DataFrame(FRAME).write_csv(tmp_path / "iris.csv")
    pl.DataFrame(FRAME).write_parquet(tmp_path / "iris.parquet")
    plain = sf.evaluate(FRAME, "species", **QUICK, calibrate=False)
    for name in ("iris.csv", "iris.parquet"):
        assert values(sf.evaluate(str(tmp_path / name), "species", **QUICK, calibrate=False)) == values(plain)


def test_weights_count():
    weights = np.random.default_rng(0).integers(1, 4, 150)
    found = sf.evaluate(X, Y, columns=sf.Gaussian(), weights=weights, **QUICK, calibrate=False)
    predicted = found.log_posterior.argmax(axis=1)
    assert found["accuracy"].value == pytest.approx(theirs.accuracy_score(Y, predicted, sample_weight=weights))
    by_name = sf.evaluate(
        {**FRAME, "w": weights}, "species", columns=sf.Gaussian(), weights="w", **QUICK, calibrate=False
    )
    assert values(by_name) == values(found)


def test_groups_stay_together_and_are_no_feature():
    groups = np.arange(150) // 5
    found = sf.evaluate(
        {**FRAME, "who": groups}, "species", columns=sf.Gaussian(), groups="who", folds=3, **QUICK, calibrate=False
    )
    assert found.how == "3 grouped folds"
    assert (found.folds == grouped_folds(Y, groups, 3)).all()
    assert values(found) == values(
        sf.evaluate(X, NAMED, columns=sf.Gaussian(), groups=groups, folds=3, **QUICK, calibrate=False)
    )


def test_groups_widen_the_intervals():
    groups = np.repeat(np.arange(15), 10)
    rows = np.repeat(X[::10], 10, axis=0)  # ten copies of every row
    alike = sf.evaluate(rows, Y, columns=sf.Gaussian(), groups=groups, folds=5, bootstrap=200, calibrate=False)
    apart = sf.evaluate(rows, Y, columns=sf.Gaussian(), folds=5, bootstrap=200, calibrate=False)
    assert apart["log_loss"].upper - apart["log_loss"].lower < alike["log_loss"].upper - alike["log_loss"].lower


TIMES = {
    "numbers": np.arange(150)[::-1],
    "dates": np.datetime64("2026-01-01") + np.arange(150)[::-1],
    "text": [f"2026-{day // 28 + 1:02}-{day % 28 + 1:02}" for day in range(149, -1, -1)],
    "objects": [datetime.date(2026, 1, 1) + datetime.timedelta(int(day)) for day in range(149, -1, -1)],
}


new_classes = pytest.mark.filterwarnings("ignore::suffice.errors.UnseenClassesWarning")  # iris comes class by class


@new_classes
@pytest.mark.parametrize("kind", TIMES)
def test_time_is_scored_by_what_came_before(kind):
    mixed = np.random.default_rng(2).permutation(150)
    when = TIMES[kind][mixed] if isinstance(TIMES[kind], np.ndarray) else [TIMES[kind][i] for i in mixed]
    found = sf.evaluate(
        X[mixed], Y[mixed], columns=sf.Gaussian(), order=when, folds=3, estimate="mean", **QUICK, calibrate=False
    )
    blocks = blocks_in_order(-mixed, 4)
    assert found.how == (
        "3 time-ordered blocks, each scored by a model of all earlier rows "
        f"(the first {np.count_nonzero(blocks == 0)} rows used for training only)"
    )
    assert found.rows.tolist() == np.flatnonzero(blocks > 0).tolist()
    assert (found.folds == blocks[found.rows] - 1).all()
    last = sf.fit(X[mixed][blocks < 3], Y[mixed][blocks < 3], columns=sf.Gaussian(), estimate="mean", calibrate=False)
    expected = last.predict_proba(X[mixed][blocks == 3])
    mine = np.exp(found.log_posterior[found.folds == 2])[:, [found.classes.index(label) for label in last.classes]]
    np.testing.assert_allclose(mine, expected, atol=1e-12)


@new_classes
@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame])
def test_a_named_column_of_times(make):
    frame = make({**FRAME, "day": TIMES["dates"]})
    found = sf.evaluate(frame, "species", columns=sf.Gaussian(), order="day", folds=3, **QUICK, calibrate=False)
    plain = sf.evaluate(X, NAMED, columns=sf.Gaussian(), order=TIMES["numbers"], folds=3, **QUICK, calibrate=False)
    assert values(found) == values(plain)


@new_classes
def test_groups_and_time_of_files(tmp_path):
    path = tmp_path / "iris.csv"
    pl.DataFrame({**FRAME, "who": [f"u{i // 5}" for i in range(150)], "day": TIMES["dates"]}).write_csv(path)
    grouped = sf.evaluate(str(path), "species", columns={"day": None}, groups="who", folds=3, **QUICK, calibrate=False)
    assert values(grouped) == values(
        sf.evaluate(FRAME, "species", groups=np.arange(150) // 5, folds=3, **QUICK, calibrate=False)
    )
    timed = sf.evaluate(str(path), "species", columns={"who": None}, order="day", folds=3, **QUICK, calibrate=False)
    assert values(timed) == values(
        sf.evaluate(FRAME, "species", order=TIMES["numbers"], folds=3, **QUICK, calibrate=False)
    )


def test_leave_one_out():
    found = sf.evaluate(
        X, Y, columns=sf.Gaussian(), class_prior="uniform", estimate="mle", loo=True, **QUICK, calibrate=False
    )
    p = np.empty((150, 3))
    for row in range(150):
        rest = np.arange(150) != row
        model = sf.fit(X[rest], Y[rest], columns=sf.Gaussian(), class_prior="uniform", estimate="mle", calibrate=False)
        p[row] = model.predict_proba(X[row : row + 1])[0]
    np.testing.assert_allclose(np.exp(found.log_posterior), p, atol=1e-9)
    assert found.how == "leave-one-out"
    assert found["accuracy"].value == pytest.approx(theirs.accuracy_score(Y, p.argmax(axis=1)))


def test_rows_of_their_own(tmp_path):
    train = np.arange(150) % 3 > 0
    model = sf.fit(X[train], NAMED[train], columns=sf.Gaussian(), calibrate=False)
    found = model.evaluate(X[~train], NAMED[~train], **QUICK)
    assert values(found) == values(
        sf.evaluate(
            X[train], NAMED[train], columns=sf.Gaussian(), test=(X[~train], NAMED[~train]), **QUICK, calibrate=False
        )
    )
    p = model.predict_proba(X[~train])
    assert found["log_loss"].value == pytest.approx(theirs.log_loss(NAMED[~train], p))
    assert found.how == "test set"
    assert found.folds is None
    frames = [{name: column[rows] for name, column in FRAME.items()} for rows in (train, ~train)]
    paths = [tmp_path / "train.csv", tmp_path / "test.csv"]
    for frame, path in zip(frames, paths, strict=True):
        pl.DataFrame(frame).write_csv(path)
    by_file = sf.evaluate(str(paths[0]), "species", columns=sf.Gaussian(), test=str(paths[1]), **QUICK, calibrate=False)
    assert values(by_file) == pytest.approx(values(found), rel=1e-12)
    fitted = sf.fit(str(paths[0]), "species", columns=sf.Gaussian(), calibrate=False)
    assert values(fitted.evaluate(str(paths[1]), **QUICK)) == values(by_file)


def test_a_calibrated_model_is_measured_as_it_predicts():
    train = np.arange(150) % 3 > 0
    twice = np.hstack([X, X, X])
    model = sf.fit(twice[train], Y[train], columns=sf.Gaussian(), calibrate=False)
    sober = model.calibrate(twice[train], Y[train])
    found = sober.evaluate(twice[~train], Y[~train], **QUICK)
    p = sober.predict_proba(twice[~train])
    assert found["log_loss"].value == pytest.approx(theirs.log_loss(Y[~train], p), rel=1e-9)
    assert found["log_loss"].value != model.evaluate(twice[~train], Y[~train], **QUICK)["log_loss"].value


def test_a_file_in_batches_is_its_rows(tmp_path, monkeypatch):
    from suffice.sources.files import batches

    path = tmp_path / "iris.csv"
    pl.DataFrame({**FRAME, "w": np.arange(150) % 4}).write_csv(path)
    model = sf.fit(str(path), "species", columns=sf.Gaussian(), weights="w", calibrate=False)
    whole = model.evaluate(str(path), **QUICK)
    monkeypatch.setattr(batches, "_CELLS", 200)
    assert values(model.evaluate(str(path), **QUICK)) == values(whole)
    frame = pl.read_csv(path)
    assert values(model.evaluate(frame, "species", weights="w", **QUICK)) == pytest.approx(values(whole), rel=1e-12)


def test_classes_of_a_file_are_read_as_those_of_the_model(tmp_path):
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    train.write_text("x,y\n1.5,1\n2.5,1\n8.5,x\n9.5,x\n")
    test.write_text("x,y\n2.0,1\n9.0,1\n")  # all of them look like numbers
    found = sf.evaluate(str(train), "y", columns=sf.Gaussian(), test=str(test), **QUICK, calibrate=False)
    assert found.classes == ("1", "x")
    assert found.confusion.tolist() == [[1, 1], [0, 0]]


def test_rows_without_a_class_are_left_out():
    target = [None if i % 50 == 0 else label for i, label in enumerate(NAMED.tolist())]
    kept = np.arange(150) % 50 != 0
    message = "3 of 150 rows have no class and were ignored."
    with pytest.warns(sf.errors.DroppedRowsWarning) as caught:
        found = sf.evaluate(
            X, target, columns=sf.Gaussian(), groups=np.arange(150) // 3, folds=4, **QUICK, calibrate=False
        )
    assert [str(each.message) for each in caught] == [message]
    plain = sf.evaluate(
        X[kept],
        NAMED[kept],
        columns=sf.Gaussian(),
        groups=(np.arange(150) // 3)[kept],
        folds=4,
        **QUICK,
        calibrate=False,
    )
    assert values(found) == values(plain)
    model = sf.fit(X, NAMED, columns=sf.Gaussian(), calibrate=False)
    with pytest.warns(sf.errors.DroppedRowsWarning) as caught:
        some = model.evaluate(X, target, **QUICK)
    assert [str(each.message) for each in caught] == [message]
    assert values(some) == values(model.evaluate(X[kept], NAMED[kept], **QUICK))


def test_readings_are_what_evaluating_each_would_give():
    found = sf.evaluate(
        FRAME,
        "species",
        columns={"x0": sf.Categorical(alpha=0.5), "*": sf.Gaussian()},
        folds=4,
        readings={
            "estimate": ["mle", "smoothed", "predictive"],
            "alpha": [0.1, 1.0],
            "class_prior": ["empirical", "uniform"],
        },
        **QUICK,
        calibrate=False,
    )
    assert len(found.readings) == 8
    assert [each.log_loss for each in found.readings] == sorted(each.log_loss for each in found.readings)
    for each in found.readings:
        if each.alpha is not None:
            continue  # of which sf.evaluate has no parameter
        alone = sf.evaluate(
            FRAME,
            "species",
            columns={"x0": sf.Categorical(alpha=0.5), "*": sf.Gaussian()},
            class_prior=each.class_prior,
            estimate=each.estimate,
            folds=4,
            **QUICK,
            calibrate=False,
        )
        for name in NAMES[:7]:
            assert getattr(each, name) == pytest.approx(alone[name].value, rel=1e-9), (each, name)
        assert each.minimum_detection_cost is None


def test_readings_on_rows_of_their_own_are_those_of_read():
    train = np.arange(150) % 3 > 0
    model = sf.fit(X[train], Y[train], columns=sf.Gaussian(), calibrate=False)
    found = model.evaluate(X[~train], Y[~train], readings={"alpha": [0.5, 3.0]}, **QUICK)
    assert [each.estimate for each in found.readings] == ["smoothed"] * 2
    for each in found.readings:
        alone = model.with_options(estimate="smoothed", alpha=each.alpha).evaluate(X[~train], Y[~train], **QUICK)
        assert each.log_loss == pytest.approx(alone["log_loss"].value, rel=1e-9)


def test_all_readings_of_leaving_one_out():
    found = sf.evaluate(X[::3], Y[::3], columns=sf.Gaussian(), loo=True, readings=True, **QUICK, calibrate=False)
    assert len(found.readings) == 20
    here = next(each for each in found.readings if (each.estimate, each.class_prior) == ("predictive", "empirical"))
    assert here.log_loss == pytest.approx(found["log_loss"].value, rel=1e-9)


def test_two_classes_and_which_of_them_is_to_be_found():
    two = Y == 2
    second = sf.evaluate(
        X, two, columns=sf.Gaussian(), folds=5, detection_prior=0.2, cost_miss=4.0, **QUICK, calibrate=False
    )
    first = sf.evaluate(X, two, columns=sf.Gaussian(), folds=5, positive=False, **QUICK, calibrate=False)
    assert [each.name for each in second.metrics] == list(NAMES)
    assert second["roc_auc"].value == pytest.approx(first["roc_auc"].value, rel=1e-12)
    assert second["average_precision"].value != first["average_precision"].value
    p = np.exp(second.log_posterior)
    assert first["average_precision"].value == pytest.approx(theirs.average_precision_score(~two, p[:, 0]), rel=1e-9)


def test_intervals_hold_the_number_and_are_the_same_for_a_seed():
    found = sf.evaluate(X, Y, columns=sf.Gaussian(), bootstrap=300, confidence=0.9, calibrate=False)
    for each in found.metrics:
        assert each.lower <= each.value <= each.upper
    assert found.confidence == 0.9
    again = sf.evaluate(X, Y, columns=sf.Gaussian(), bootstrap=300, confidence=0.9, calibrate=False)
    assert again.metrics == found.metrics
    assert again.by_class == found.by_class


def test_records_are_tidy():
    found = sf.evaluate(X, Y, columns=sf.Gaussian(), bootstrap=50, calibrate=False)
    table = pd.DataFrame(found.records())
    assert list(table.columns) == ["metric", "label", "value", "lower", "upper", "baseline", "higher_is_better"]
    assert len(table) == 7 + 9
    assert set(table["metric"]) == {*NAMES[:7], "precision", "recall", "f1"}
    assert table["label"].isna().sum() == 7


@pytest.mark.parametrize("weights", [None, np.arange(1.0, 151)], ids=["equal", "weighted"])
def test_the_baseline_is_a_model_that_predicts_the_class_frequencies(weights):
    some = np.r_[0:40, 60:150]
    labels, weight = Y[some], None if weights is None else weights[some]
    found = sf.evaluate(X[some], labels, columns=sf.Gaussian(), weights=weight, **QUICK, calibrate=False)
    shares = np.bincount(labels, weight)
    p = np.tile(shares / shares.sum(), (len(labels), 1))
    one_hot = np.eye(3)[labels]
    assert found.positive is None
    assert found.baseline == pytest.approx(
        {
            "accuracy": theirs.accuracy_score(labels, p.argmax(axis=1), sample_weight=weight),
            "balanced_accuracy": theirs.balanced_accuracy_score(labels, p.argmax(axis=1)),
            "log_loss": theirs.log_loss(labels, p, sample_weight=weight),
            "brier": np.average(((p - one_hot) ** 2).sum(axis=1), weights=weight),
            "roc_auc": 0.5,
            "average_precision": theirs.average_precision_score(one_hot, p, sample_weight=weight),
        }
    )
    table = found.to_frame().filter(pl.col("label").is_null())
    beside = dict(zip(table["metric"], table["baseline"], strict=True))
    assert {name: value for name, value in beside.items() if value is not None} == found.baseline
    assert found.to_frame().filter(pl.col("label").is_not_null())["baseline"].is_null().all()


@pytest.mark.parametrize("positive", [0, 1])
def test_the_baseline_of_two_classes(positive):
    labels = Y[:90]
    found = sf.evaluate(X[:90], labels, columns=sf.Gaussian(), positive=positive, **QUICK, calibrate=False)
    assert found.positive == positive
    constant = np.full(90, np.mean(labels == positive))
    assert found.baseline["average_precision"] == theirs.average_precision_score(labels == positive, constant)
    assert found.baseline["brier"] == pytest.approx(theirs.brier_score_loss(labels == positive, constant))
    assert found.baseline["minimum_detection_cost"] == 1  # of always, and of never, deciding for the class


def test_without_a_metric_there_is_no_baseline():
    with pytest.warns(sf.errors.TargetWarning, match="all rows have the class"):
        found = sf.fit(X, Y, columns=sf.Gaussian()).evaluate(X[:5], Y[:5], **QUICK)
    assert "roc_auc" not in found.baseline
    assert found.baseline["accuracy"] == 1
    assert str(found.baseline["log_loss"]) == "0.0"


def test_the_columns_that_were_left_out_are_known():
    data = {**FRAME, "id": [f"no {row}" for row in range(150)], "asked": np.arange(150) % 3}
    held_out = sf.evaluate(data, "species", columns={"asked": None}, **QUICK)
    assert [name for name, _ in held_out.left_out] == ["id"]
    model = sf.fit(data, "species", columns={"asked": None})
    for found in (held_out, model.evaluate(data, "species", **QUICK), sf.evaluate(data, "species", test=data, **QUICK)):
        assert dict(found.left_out)["id"].startswith("probably an id (150 of 150 values are distinct)")
        assert "  'id' left out: probably an id" in repr(found)
    assert sf.evaluate(X, Y, **QUICK).left_out == ()


def test_it_prints_what_it_found():
    found = sf.evaluate(X, NAMED, columns=sf.Gaussian(), **QUICK, calibrate=False)
    lines = repr(found).splitlines()
    assert lines[0] == "Evaluation of 150 rows, 3 classes: 10 stratified folds"
    assert lines[1] == f"  accuracy: {found['accuracy'].value:.4g}, baseline 0.3333"
    assert lines[8].startswith("  26 parameters, maximum log-likelihood ")
    assert lines[9].startswith("  'setosa', weight 50: precision 1, recall 1, f1 1")
    compared = sf.evaluate(X, NAMED, columns=sf.Gaussian(), readings={"alpha": [1.0]}, bootstrap=20, calibrate=False)
    assert repr(compared).splitlines()[1].endswith("), baseline 0.3333")
    assert (
        repr(compared).splitlines()[-1].startswith("  lowest log loss of 1 combinations of estimate and class prior: ")
    )


def test_impossible_rows_are_counted():
    rows = [["a", "x"], ["a", "x"], ["b", "y"], ["b", "y"], ["a", "y"]]
    model = sf.fit(rows[:4], [0, 0, 1, 1], columns=sf.Categorical(), estimate="mle", calibrate=False)
    found = model.evaluate(rows, [0, 0, 1, 1, 1], **QUICK)
    assert found.impossible == 1
    assert "  1 row is impossible under every class and got the class prior" in repr(found).splitlines()
    assert np.exp(found.log_posterior[4]).tolist() == [0.5, 0.5]


def test_a_class_with_one_row_gets_an_answer():
    target = NAMED.copy()
    target[7] = "seldom"
    with pytest.warns(sf.errors.UnseenClassesWarning, match=r"1 row .*'seldom' \(1 row\)"):
        found = sf.evaluate(X, target, columns=sf.Gaussian(), folds=10, bootstrap=50, calibrate=False)
    assert found.classes == ("seldom", "setosa", "versicolor", "virginica")
    (seldom,) = (each for each in found.by_class if each.label == "seldom")
    assert (seldom.support, seldom.recall.value) == (1, 0)
    assert np.isneginf(found.log_posterior[7, 0])
    assert all(np.isfinite(each.value) for each in found.metrics)


def test_classes_that_come_late_are_counted_where_no_model_has_seen_them():
    x, y = np.arange(60.0)[:, None], ["a"] * 20 + ["b", "a"] * 15 + ["late"] * 10
    with pytest.warns(sf.errors.UnseenClassesWarning, match=r"15 rows .*'b' \(5 rows\), 'late' \(10 rows\)"):
        sf.evaluate(x, y, columns=sf.Gaussian(), order=np.arange(60), folds=5, **QUICK, calibrate=False)
    with pytest.warns(sf.errors.UnseenClassesWarning, match=r"10 rows .*'late' \(10 rows\)"):
        sf.evaluate(x, y, columns=sf.Gaussian(), groups=np.arange(60) // 10, folds=3, **QUICK, calibrate=False)


@pytest.mark.parametrize("held_out", [{"folds": 3}, {"loo": True}])
def test_rows_with_a_gap_in_columns_that_go_together_are_counted(held_out):
    rows = X.copy()
    rows[[3, 70], 1] = np.nan
    with pytest.warns(sf.errors.DroppedRowsWarning, match=r"^columns 0, 1, 2, 3: 2 of 150 rows have a missing"):
        sf.evaluate(rows, Y, columns=sf.MultivariateGaussian(covariance="full"), **held_out, **QUICK, calibrate=False)


def test_all_missing_rows_get_the_class_prior():
    rows = X.copy()
    rows[3] = np.nan
    found = sf.evaluate(rows, Y, columns=sf.Gaussian(), folds=5, **QUICK, calibrate=False)
    rest = Y[found.folds != found.folds[3]]
    np.testing.assert_allclose(np.exp(found.log_posterior[3]), np.bincount(rest) / len(rest), rtol=1e-12)


@pytest.mark.parametrize(
    "way", [{}, {"loo": True}, {"order": np.arange(150)}, {"groups": np.arange(150) // 3}], ids=str
)
def test_sparse_counts_and_texts_are_held_out_as_other_rows_are(way):
    mixed = np.random.default_rng(4).permutation(150)
    counts = np.round(4 * X[mixed]).astype(np.int64)
    dense = sf.evaluate(counts, Y[mixed], columns=sf.Multinomial(), **way, **QUICK, calibrate=False)
    sparse = sf.evaluate(csr_matrix(counts), Y[mixed], columns=sf.Multinomial(), **way, **QUICK, calibrate=False)
    assert values(sparse) == pytest.approx(values(dense), rel=1e-12)
    texts = [" ".join(np.repeat(["aa", "bb", "cc", "dd"], row)) for row in counts]
    spoken = sf.evaluate(texts, Y[mixed], columns=sf.Words(), **way, **QUICK, calibrate=False)
    assert values(spoken) == pytest.approx(values(dense), rel=1e-9)


@pytest.mark.parametrize("way", [{}, {"loo": True}, {"order": np.random.default_rng(4).permutation(150)}], ids=list)
def test_a_class_whose_rows_weigh_nothing_is_neither_learnt_nor_measured(way):
    weights = np.where(Y == 2, 0.0, 1.0)
    found = sf.evaluate(X, Y, columns=sf.Gaussian(), weights=weights, **way, **QUICK, calibrate=False)
    assert found.classes == (0, 1, 2)
    assert found.confusion[2].tolist() == [0, 0, 0]
    assert np.isneginf(found.log_posterior[:, 2]).all()
    assert all(np.isfinite(each.value) for each in found.metrics)


def test_no_columns_leave_the_class_prior():
    found = sf.evaluate({"x": X[:, 0]}, Y, columns={"x": None}, **QUICK, calibrate=False)
    assert found["log_loss"].value == pytest.approx(np.log(3), rel=1e-12)


def test_rows_of_one_class():
    with pytest.warns(sf.errors.TargetWarning, match="all rows have the class"):
        found = sf.evaluate(X[:50], Y[:50], columns=sf.Gaussian(), bootstrap=20, calibrate=False)
    assert values(found) == {name: pytest.approx(1.0 if "accuracy" in name else 0.0) for name in NAMES[:5]}


WRONG = {
    "loo and folds": (
        {"loo": True, "folds": 5},
        "folds, loo and test are mutually exclusive. Leave out folds= or loo=.",
    ),
    "test and loo": (
        {"loo": True, "test": (X, Y)},
        "folds, loo and test are mutually exclusive. Leave out loo= or test=.",
    ),
    "groups and order": (
        {"groups": Y, "order": Y},
        "groups and order are mutually exclusive. Leave out groups= or order=.",
    ),
    "groups and loo": (
        {"groups": Y, "loo": True},
        "groups and order apply only to cross-validation folds. Leave out groups= or loo=.",
    ),
    "folds 1": ({"folds": 1}, "folds must be a whole number ≥ 2: got 1. Give an int."),
    "folds > rows": (
        {"folds": 151},
        "folds must be at most the number of rows, 150: got 151. Use fewer folds, or loo=True.",
    ),
    "folds > groups": ({"groups": Y}, "folds must be at most the number of groups, 3: got 10. Use fewer folds."),
    "folds > times": (
        {"order": Y},
        "folds + 1 must be at most the number of distinct values of order, 3: got 11. Use fewer folds.",
    ),
    "bootstrap": ({"bootstrap": -1}, "bootstrap must be a whole number ≥ 0: got -1. Give an int."),
    "confidence": ({"confidence": 1.0}, "confidence must be a number between 0 and 1: got 1.0. Give for example 0.95."),
    "positive": ({"positive": 5}, "the model has no class 5. Its classes are 0, 1, 2."),
    "prior": ({"detection_prior": 1.0}, "detection prior must lie between 0 and 1: got 1.0."),
    "readings": (
        {"readings": "mle"},
        "readings must be True or a mapping with lists for 'estimate', 'alpha', 'class_prior': got 'mle'.",
    ),
    "a reading": (
        {"readings": {"estimates": ["mle"]}},
        "readings has the unknown key 'estimates': the keys are 'estimate', 'alpha', 'class_prior'. Remove it.",
    ),
    "λ of nothing": (
        {"readings": {"estimate": ["mle"], "alpha": [1.0]}},
        "alpha applies only to the estimate 'smoothed': got the estimates 'mle'. Add 'smoothed' to them, or leave alpha out.",
    ),
    "test without classes": (
        {"test": X},
        "test must be (data, target) when target is not a column name. Pass the class labels of the test rows.",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_parameters_that_make_no_sense(case):
    given, message = WRONG[case]
    with pytest.raises(sf.errors.ParameterError) as caught:
        sf.evaluate(X, Y, columns=sf.Gaussian(), **given, calibrate=False)
    assert str(caught.value) == message


GAPS = [*range(149), None]
ODD = {
    "no target": (
        {"target": None},
        "the target is missing. Give target=: an array, or the name of a column.",
    ),
    "groups with a gap": (
        {"groups": GAPS},
        "row 149: groups must not have missing values. Give each row a group.",
    ),
    "order with a gap": (
        {"order": GAPS},
        "row 149: order must not have missing values. Give each row a time, or remove the rows without one.",
    ),
    "order of two kinds": (
        {"order": ["a", *range(149)]},
        "order must have values of one comparable type (numbers, dates or strings): got int, str. Convert it first.",
    ),
    "short groups": ({"groups": [1, 2]}, "groups must have one value per row: got shape (2,) for 150 rows."),
    "named groups of an array": (
        {"groups": "who"},
        "groups='who' is a column name, but arrays have no column names. Give an array.",
    ),
    "groups that are not there": (
        {"data": FRAME, "target": "species", "groups": "who"},
        "groups column 'who' is not in the data. The columns are 'x0', 'x1', 'x2', 'x3', 'species'.",
    ),
    "weights": (
        {"weights": np.full(150, -1.0)},
        "row 0: weights must be finite and ≥ 0: got -1.0. Remove the row; to subtract rows, use model.forget(...).",
    ),
}


@pytest.mark.parametrize("case", ODD)
def test_rows_that_cannot_be_used(case):
    given, message = ODD[case]
    with pytest.raises(sf.errors.DataError) as caught:
        sf.evaluate(**{"data": X, "target": Y, "columns": sf.Gaussian(), **given}, calibrate=False)
    assert str(caught.value) == message


def test_a_metric_that_is_not_there_says_why():
    found = sf.evaluate(X, Y, columns=sf.Gaussian(), **QUICK, calibrate=False)
    with pytest.raises(sf.errors.ParameterError) as caught:
        _ = found["minimum_detection_cost"]
    assert str(caught.value) == (
        "minimum_detection_cost is undefined for these rows. It is defined for two classes only, and there are 3."
    )
    with pytest.raises(sf.errors.ParameterError) as caught:
        _ = found["precision"]
    assert str(caught.value) == f"unknown metric 'precision'. The metrics are {', '.join(NAMES)}."
    with pytest.warns(sf.errors.TargetWarning):
        alone = sf.evaluate(X[:50], Y[:50], columns=sf.Gaussian(), **QUICK, calibrate=False)
    with pytest.raises(sf.errors.ParameterError) as caught:
        _ = alone["roc_auc"]
    assert str(caught.value) == "roc_auc is undefined for these rows. It requires rows of two classes."


def test_a_model_and_no_rows():
    model = sf.fit(X, Y, columns=sf.Gaussian(), calibrate=False)
    with pytest.raises(sf.errors.DataError) as caught:
        model.evaluate(X[:0], Y[:0])
    assert str(caught.value) == "there are no labelled rows to evaluate on. Give rows and their classes."
    with pytest.raises(sf.errors.DataError) as caught:
        model.evaluate(X)
    assert str(caught.value) == "the target is missing. Give target=: an array, or the name of a column."


def test_folds_of_files_that_do_not_fit_into_memory(tmp_path, monkeypatch):
    from suffice.sources import source

    path = tmp_path / "iris.csv"
    pl.DataFrame(FRAME).write_csv(path)
    monkeypatch.setattr(source, "memory", lambda: 1000)
    with pytest.raises(sf.errors.DataError, match=r"all rows must fit into memory: .*iris\.csv.*test=") as caught:
        sf.evaluate(str(path), "species")
    assert caught.value.kind == "too_large"


def test_more_draws_than_are_of_use_are_refused_with_their_limit() -> None:
    with pytest.raises(sf.errors.ParameterError, match="bootstrap must be at most 100,000"):
        sf.evaluate(X, Y, columns=sf.Gaussian(), bootstrap=10**12, calibrate=False)
    model = sf.fit(X, Y, columns=sf.Gaussian(), calibrate=False)
    with pytest.raises(sf.errors.ParameterError, match="bootstrap must be at most 100,000"):
        model.evaluate(X, Y, bootstrap=10**12)
    with pytest.raises(sf.errors.ParameterError, match="draws must be at most 1,000,000"):
        model.interval(X, draws=10**12)
