"""sf.screen: what it takes, in which order, and what it refuses."""

from __future__ import annotations

import datetime
import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import suffice as sf
from suffice.errors import DataError, DroppedRowsWarning, ParameterError

rng = np.random.default_rng(4)
N = 160
FRAUD = rng.random(N) < 0.25
COLUMNS = {
    "amount": np.round(rng.exponential(1 + 2 * FRAUD), 3),
    "noise": np.round(rng.normal(size=N), 3),
    "shop": np.where(rng.random(N) < 0.2 + 0.5 * FRAUD, "abroad", "home"),
    "when": rng.permutation(N),
    "fraud": np.where(FRAUD, "yes", "no"),
}


def same(one, other):
    """Whether two screenings say the same."""
    assert (one.columns, one.curve, one.threshold) == (other.columns, other.curve, other.threshold)
    assert (one.redundant, one.later, one.metric) == (other.redundant, other.later, other.metric)
    return one.model == other.model


def files_of(folder):
    pl.DataFrame(COLUMNS).write_csv(folder / "rows.csv")
    pl.DataFrame(COLUMNS).write_parquet(folder / "rows.parquet")
    lines = (dict(zip(COLUMNS, row, strict=True)) for row in zip(*(v.tolist() for v in COLUMNS.values()), strict=True))
    (folder / "rows.ndjson").write_text("\n".join(map(json.dumps, lines)))
    return [str(folder / name) for name in ("rows.csv", "rows.parquet", "rows.ndjson")]


def test_every_door_leads_to_the_same_screening(tmp_path):
    expected = sf.screen(COLUMNS, "fraud", order="when")
    for data in (pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS), pa.table(COLUMNS), *files_of(tmp_path)):
        assert same(sf.screen(data, "fraud", order="when"), expected)
    rest = {name: values for name, values in COLUMNS.items() if name not in ("fraud", "when")}
    assert same(sf.screen(rest, COLUMNS["fraud"], order=COLUMNS["when"]), expected)
    assert same(sf.screen(rest, COLUMNS["fraud"], order=pd.Series(COLUMNS["when"])), expected)
    records = [
        dict(zip(COLUMNS, row, strict=True)) for row in zip(*(v.tolist() for v in COLUMNS.values()), strict=True)
    ]
    assert same(sf.screen(records, "fraud", order="when"), expected)
    assert expected.later is not None
    assert "when" not in expected.model.schema.names


def test_a_model_of_files_knows_where_it_comes_from(tmp_path):
    path, *_ = files_of(tmp_path)
    model = sf.screen(path, "fraud", order="when").model
    assert model.provenance.sources == (path,)
    assert model.provenance.target == "fraud"
    assert model.provenance.rows == 112
    assert model.predict(path).shape == (N,)
    model.save(tmp_path / "m.suffice")
    assert sf.load(tmp_path / "m.suffice") == model


def test_dates_and_texts_are_orders_too(tmp_path):
    days = [datetime.date(2026, 1, 1) + datetime.timedelta(days=int(day)) for day in COLUMNS["when"]]
    expected = sf.screen(COLUMNS, "fraud", order="when")
    rest = {name: values for name, values in COLUMNS.items() if name != "when"}
    for frame in (pd.DataFrame(rest), pl.DataFrame(rest)):
        dated = (
            frame.assign(when=pd.to_datetime(days))
            if isinstance(frame, pd.DataFrame)
            else frame.with_columns(when=pl.Series(days))
        )
        assert same(sf.screen(dated, "fraud", order="when"), expected)
    pl.DataFrame(rest).with_columns(when=pl.Series(days)).write_csv(tmp_path / "dated.csv")
    assert same(sf.screen(str(tmp_path / "dated.csv"), "fraud", order="when"), expected)
    assert same(sf.screen(rest, "fraud", order=[day.isoformat() for day in days]), expected)


def test_the_same_seed_gives_the_same_and_another_may_not():
    one, again, other = (sf.screen(COLUMNS, "fraud", seed=seed) for seed in (0, 0, 1))
    assert same(one, again)
    assert one.curve != other.curve


def test_weights_of_2_are_rows_twice_where_folds_keep_both_together():
    order = np.arange(N)
    rest = {name: values for name, values in COLUMNS.items() if name not in ("fraud", "when")}
    twice = {name: np.repeat(values, 2) for name, values in rest.items()}
    one = sf.screen(rest, COLUMNS["fraud"], weights=np.full(N, 2.0), order=order, first=0.75, folds=4)
    two = sf.screen(twice, np.repeat(COLUMNS["fraud"], 2), order=np.repeat(order, 2), first=0.75, folds=4)
    assert [each.column for each in one.columns] == [each.column for each in two.columns]
    values = [np.array([(p.threshold, p.columns, p.value) for p in each.curve]) for each in (one, two)]
    np.testing.assert_allclose(*values, rtol=1e-12)
    assert (one.later.screened, one.later.unscreened) == pytest.approx((two.later.screened, two.later.unscreened))


def test_rows_of_weight_0_were_never_there():
    weights = np.ones(N)
    weights[::7] = 0
    left = weights > 0
    some = {name: values[left] for name, values in COLUMNS.items()}
    one, other = sf.screen(COLUMNS, "fraud", weights=weights), sf.screen(some, "fraud", weights=np.ones(left.sum()))
    assert one.columns == other.columns
    assert one.curve == other.curve


def test_rows_without_a_class_are_left_out_with_a_warning():
    labels = COLUMNS["fraud"].astype(object)
    labels[:3] = None
    with pytest.warns(DroppedRowsWarning) as caught:
        found = sf.screen({**COLUMNS, "fraud": labels.tolist()}, "fraud")
    assert str(caught[0].message) == ("3 of 160 rows have no class and were ignored.")
    assert same(found, sf.screen({name: values[3:] for name, values in COLUMNS.items()}, "fraud"))


def test_a_class_that_comes_later_is_none_of_the_models():
    labels = COLUMNS["fraud"].copy().astype(object)
    labels[-5:] = "new"
    found = sf.screen({**COLUMNS, "fraud": labels.tolist()}, "fraud", order=np.arange(N))
    assert found.model.classes == ("no", "yes")
    assert 0 < found.later.screened <= 1
    loss = sf.screen({**COLUMNS, "fraud": labels.tolist()}, "fraud", order=np.arange(N), metric="log_loss")
    assert loss.later.screened > 5 / 48 * -math.log(np.finfo(float).eps)  # what evaluate counts for an impossible class


def test_what_it_prints():
    columns = {"*": sf.Histogram(), "shop": sf.Categorical(), "when": None}
    noise = sf.screen(COLUMNS, "fraud", columns=columns).columns[-1].similarity
    found = sf.screen(COLUMNS, "fraud", columns=columns, threshold=noise)
    first, *rest = repr(found).splitlines()
    value = next(point.value for point in found.curve if point.threshold == noise)
    assert (
        first
        == f"Screening: 2 of 3 columns kept, similarity < {noise:.4f}, average_precision {value:.4f} on held-out folds"
    )
    assert rest[-1] == f"  'noise': similarity {found.columns[-1].similarity:.4f}, dropped"
    every = sf.screen(COLUMNS, "fraud", columns=columns, threshold=2)
    assert repr(every).splitlines()[0].startswith("Screening: all 3 columns kept")
    useful = {name: COLUMNS[name] for name in COLUMNS if name != "noise"}
    chosen = sf.screen(useful, "fraud", columns={**columns, "when": None})
    assert chosen.threshold == math.inf
    assert repr(chosen).splitlines()[0].startswith("Screening: all 2 columns kept, average_precision")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"metric": "auc"},
            "metric must be 'accuracy' or 'balanced_accuracy' or 'log_loss' or 'brier' or 'expected_calibration_error' or "
            "'roc_auc' or 'average_precision' or 'minimum_detection_cost' or 'actual_detection_cost' or 'precision' or "
            "'recall' or 'f1': got 'auc'.",
        ),
        ({"positive": "maybe"}, "the model has no class 'maybe'. Its classes are 'no', 'yes'."),
        ({"folds": 1}, "folds must be a whole number ≥ 2: got 1. Give an int."),
        ({"bins": 1}, "bins must be a whole number from 2 to 4096: got 1. Give for example 16."),
        ({"bins": None}, "bins must be a whole number from 2 to 4096: got None. Give for example 16."),
        (
            {"threshold": 0},
            "threshold must be a similarity > 0: got 0. Columns with that similarity or more are dropped; omit it "
            "to choose the threshold by cross-validation.",
        ),
        (
            {"threshold": math.nan},
            "threshold must be a similarity > 0: got nan. Columns with that similarity or more are dropped; "
            "omit it "
            "to choose the threshold by cross-validation.",
        ),
        ({"first": 1.0}, "first must be a fraction of the rows between 0 and 1: got 1.0. Give for example 0.7."),
        ({"redundant": 2}, "redundant must be a correlation from −1 to 1: got 2. Give for example 0.8."),
    ],
)
def test_settings_out_of_range_are_refused(settings, message):
    with pytest.raises(ParameterError) as caught:
        sf.screen(COLUMNS, "fraud", **settings)
    assert str(caught.value) == message


def test_the_metrics_of_three_classes():
    labels = np.array(["a", "b", "c"])[np.arange(N) % 3]
    with pytest.raises(ParameterError) as caught:
        sf.screen(COLUMNS, labels, metric="actual_detection_cost")
    assert str(caught.value) == (
        "detection costs are defined for two classes: there are 3: got 'actual_detection_cost'. "
        "Use another metric, such as log_loss."
    )
    of_all, of_one = (
        sf.screen(COLUMNS, labels, metric="average_precision", threshold=9, positive=one) for one in (None, "b")
    )
    assert of_all.curve[-1].value != of_one.curve[-1].value
    assert sf.screen(COLUMNS, labels).metric == "balanced_accuracy"
    assert sf.screen(COLUMNS, labels, positive="b").metric == "average_precision"


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ("wen", "order column 'wen' is not in the data. Did you mean 'when'?"),
        ("zzz", "order column 'zzz' is not in the data. The columns are 'amount', 'noise', 'shop', 'when', 'fraud'."),
        (np.arange(5), "order must have one value per row: got shape (5,) for 160 rows."),
        (
            np.where(np.arange(N) == 9, np.nan, 1.0),
            "row 9: order must not have missing values. Give each row a time, or remove the rows without one.",
        ),
        (
            ["a", None] * 80,
            "row 1: order must not have missing values. Give each row a time, or remove the rows without one.",
        ),
        (
            np.array(["a", 1] * 80, dtype=object),
            "order must have values of one comparable type (numbers, dates or strings): got int, str. Convert it "
            "first.",
        ),
    ],
)
def test_orders_that_are_none(order, message):
    with pytest.raises(DataError) as caught:
        sf.screen(COLUMNS, "fraud", order=order)
    assert str(caught.value) == message


def test_an_order_by_name_needs_names():
    with pytest.raises(DataError) as caught:
        sf.screen(np.ones((4, 2)), [0, 1, 0, 1], order="when")
    assert str(caught.value) == ("order='when' is a column name, but arrays have no column names. Give an array.")


def test_both_parts_must_have_rows():
    with pytest.raises(DataError) as caught:
        sf.screen({"x": [1.0, 2.0], "y": ["a", "b"]}, "y", order=[1, 2], first=0.3)
    assert str(caught.value) == (
        "first=0.3 puts 0 of 2 rows into the first part: both parts must have rows. Give more rows, or another first=."
    )


def test_the_class_must_be_said(tmp_path):
    with pytest.raises(DataError) as caught:
        sf.screen({"x": [1.0]})
    assert str(caught.value) == "the target is missing. Give target=: an array, or the name of a column."
    path, *_ = files_of(tmp_path)
    with pytest.raises(DataError) as caught:
        sf.screen(path)
    assert caught.value.kind == "no_target"
    assert str(path) in str(caught.value)
    with pytest.raises(DataError) as caught:
        sf.screen(path, "fraud", order="wen")
    assert str(caught.value) == f"order column 'wen' is not in {path}. Did you mean 'when'?"


def test_files_that_do_not_fit_into_memory(tmp_path, monkeypatch):
    from suffice.sources import source

    path = tmp_path / "rows.csv"
    path.write_text("x,y\n" + "".join(f"{k % 7},{'ab'[k % 2]}\n" for k in range(200)))
    monkeypatch.setattr(source, "memory", lambda: 1000)
    with pytest.raises(sf.errors.DataError, match=r"rows must fit into memory.*rows\.csv.*Use fewer rows"):
        sf.screen(str(path), "y")


def test_screening_by_cost_chooses_the_columns_of_the_least_cost():
    given = {"metric": "actual_detection_cost", "detection_prior": 0.01, "cost_miss": 50.0, "cost_false_alarm": 1.0}
    found = sf.screen(COLUMNS, "fraud", **given)
    least = min(point.value for point in found.curve if point.columns)
    chosen = next(point for point in found.curve if point.threshold == found.threshold)
    assert (found.metric, chosen.value) == ("actual_detection_cost", least)
    even = sf.screen(COLUMNS, "fraud", metric="actual_detection_cost")
    assert [point.value for point in even.curve] != [point.value for point in found.curve]


def test_a_screened_model_is_calibrated_like_any_other():
    found = sf.screen(COLUMNS, "fraud")
    kept = {name: values for name, values in COLUMNS.items() if name in found.kept or name == "fraud"}
    same = sf.fit(kept, "fraud")
    assert (found.model.calibration is None) == (same.calibration is None)
    if same.calibration is not None:
        assert found.model.calibration == same.calibration
    rows = {name: values[:50] for name, values in kept.items() if name != "fraud"}
    assert np.array_equal(found.model.predict_proba(COLUMNS)[:50], same.predict_proba(rows))
    plain = sf.screen(COLUMNS, "fraud", calibrate=False).model
    assert (plain.calibration, plain.novelty_reference) == (None, None)
    assert sf.screen(COLUMNS, "fraud", estimate="mle").model.calibration is None
