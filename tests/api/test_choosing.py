"""Thresholds of a model: on the log-odds of either class, of rows of any kind."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import suffice as sf
from suffice.errors import DataError, ParameterError


def table(rows, seed):
    random = np.random.default_rng(seed)
    label = random.random(rows) < 0.3
    return pl.DataFrame(
        {
            "x": (random.standard_normal(rows) + 1.5 * label).round(1),
            "w": random.integers(1, 4, rows),
            "y": np.where(label, "fraud", "ok"),
        }
    )


ROWS, NEW = table(400, 0), table(300, 1)


@pytest.fixture(scope="module")
def model():
    return sf.fit(ROWS, "y", columns={"x": sf.Gaussian(), "w": None}, calibrate=False)


ASKED = [
    {"precision": 0.8},
    {"recall": 0.6},
    {"alerts": 30},
    {"alert_rate": 0.05},
    {"costs": {"pass": {"ok": 0, "fraud": 9}, "block": {"ok": 2, "fraud": 0}}},
    {"value": 0.25},
]


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: next(iter(asked)))
@pytest.mark.parametrize("label", ["fraud", "ok", None])
def test_it_is_the_choice_on_the_log_odds_of_the_rows(model, asked, label):
    found = model.threshold(NEW, "y", positive=label, class_prior=[0.4, 0.6], **asked)
    looked_for = label or "fraud"
    odds = model.decide(NEW, class_prior=[0.4, 0.6]).log_odds[:, ["fraud", "ok"].index(looked_for)]
    if "costs" in asked:
        actions = ["pass", "block"]
        matrix = [[9, 0], [0, 2]] if looked_for == "ok" else [[0, 9], [2, 0]]
        asked = {"costs": sf.Costs(matrix, actions=actions)}
    expected = sf.choose_threshold(odds, (NEW["y"] == looked_for).to_numpy(), **asked)
    assert found.positive == looked_for
    assert found.value == pytest.approx(expected.value, abs=1e-9)
    assert (found.alerts, found.precision, found.recall) == (expected.alerts, expected.precision, expected.recall)
    decided = model.decide(NEW, threshold=found, class_prior=[0.4, 0.6])
    assert (decided.action == looked_for).sum() == found.alerts


def test_every_form_of_rows(model, tmp_path):
    NEW.write_csv(tmp_path / "new.csv")
    forms = [NEW, NEW.to_pandas(), NEW.to_dict(as_series=False), tmp_path / "new.csv"]
    found = [model.threshold(form, "y", weights="w", recall=0.9, positive="fraud") for form in forms]
    assert len(set(found)) == 1
    apart = model.threshold(NEW.drop("y"), NEW["y"], weights=NEW["w"], recall=0.9, positive="fraud")
    assert apart == found[0]
    weight = NEW["w"].to_numpy()
    odds = model.decide(NEW).log_odds[:, 0]
    assert found[0].alerts == weight[odds > found[0].value].sum()


def test_a_budget_needs_no_classes(model, tmp_path):
    NEW.write_csv(tmp_path / "new.csv")
    for form in (NEW, tmp_path / "new.csv"):
        found = model.threshold(form, alerts=10)
        assert (found.precision, found.recall) == (None, None)
        assert found.alerts <= 10


def test_rows_without_a_class_are_left_out_and_counted(model):
    gaps = NEW.with_columns(y=pl.when(pl.col("x") > 2).then(None).otherwise(pl.col("y")))
    with pytest.warns(sf.errors.DroppedRowsWarning) as said:
        found = model.threshold(gaps, "y", recall=0.5)
    lost = gaps["y"].null_count()
    assert str(said[0].message) == (f"{lost} of 300 rows have no class and were ignored.")
    assert found == model.threshold(gaps.drop_nulls("y"), "y", recall=0.5)


def test_what_cannot_be(model):
    three = sf.fit(ROWS.with_columns(y=pl.col("w")), "y", columns={"x": sf.Gaussian(), "w": None}, calibrate=False)
    for call, error, message in [
        (
            lambda: three.threshold(NEW, "w", recall=0.5),
            ParameterError,
            "a threshold requires exactly two classes: the model has 3. Use costs instead.",
        ),
        (
            lambda: model.threshold(NEW, "y", recall=0.5, positive="frod"),
            ParameterError,
            "the model has no class 'frod'. Did you mean 'fraud'?",
        ),
        (
            lambda: model.threshold(NEW, ["good"] * 300, recall=0.5),
            DataError,
            "unknown class 'good': the classes of the model are ['fraud', 'ok']. Fit the model on all classes, "
            "or leave these rows out.",
        ),
        (
            lambda: model.threshold(NEW, recall=0.5),
            DataError,
            "choosing a threshold by recall requires the class of each row. Give target=: an array, or the name of a column.",
        ),
    ]:
        with pytest.raises(error) as said:
            call()
        assert str(said.value) == message


def test_a_column_that_is_not_in_the_file(model, tmp_path):
    path = tmp_path / "new.csv"
    NEW.write_csv(path)
    with pytest.raises(DataError) as said:
        model.threshold(path, "yy", recall=0.5)
    assert str(said.value) == f"target column 'yy' is not in {path}. Did you mean 'y'?"
    with pytest.raises(DataError) as said:
        model.threshold(path, ["fraud"], recall=0.5)
    assert str(said.value) == "target must be the name or the position of a column: got list."
