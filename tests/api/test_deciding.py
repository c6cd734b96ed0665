"""Decisions of a model: on rows of any kind, under any prior, by costs or a threshold, and what is said of odd rows."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice.api.deciding import decide_columns, rule_of
from suffice.errors import DataError, ParameterError
from suffice.sources.files import batches, blocks
from tests.oracles.decisions_slow import cheapest

CLASSES = ("a", "b", "c")
COSTS = {"go": {"a": 0, "b": 3, "c": 9}, "stop": {"a": 4, "b": 1, "c": 0}, "refer": 1.5}


def table(rows, seed=0, shares=(0.5, 0.3, 0.2)):
    random = np.random.default_rng(seed)
    label = random.choice(3, rows, p=shares)
    return pl.DataFrame(
        {
            "x": (random.standard_normal(rows) + label).round(2),
            "z": np.array(["p", "q", "r"])[(label + (random.random(rows) < 0.4)) % 3],
            "y": np.array(CLASSES)[label],
        }
    )


ROWS, NEW = table(300), table(120, 1)


@pytest.fixture(scope="module")
def model():
    return sf.fit(ROWS, "y", columns={"x": sf.Gaussian(), "z": sf.Categorical()}, calibrate=False)


def test_without_costs_the_most_probable_class_is_taken(model):
    found = model.decide(NEW)
    np.testing.assert_array_equal(found.action, model.predict(NEW))
    np.testing.assert_array_equal(found.predicted, found.action)
    np.testing.assert_allclose(found.probabilities, model.predict_proba(NEW), rtol=1e-12)
    np.testing.assert_allclose(found.expected_cost, 1 - found.probabilities.max(axis=1), rtol=1e-12)
    assert (found.actions, found.classes, found.unit) == (CLASSES, CLASSES, "nats")
    np.testing.assert_allclose(found.class_prior, ROWS["y"].value_counts(sort=True)["count"].to_numpy() / 300)
    assert found.prior_shift is None


def test_costs_are_those_of_brute_force(model):
    found = model.decide(NEW, COSTS)
    matrix = [[0, 3, 9], [4, 1, 0], [1.5, 1.5, 1.5]]
    assert found.actions == ("go", "stop", "refer")
    assert found.action.tolist() == [found.actions[at] for at in cheapest(matrix, found.probabilities.tolist())]
    np.testing.assert_allclose(found.expected_costs, found.probabilities @ np.array(matrix).T, rtol=1e-13)
    np.testing.assert_array_equal(found.expected_cost, found.expected_costs.min(axis=1))
    assert set(found.action) == {"go", "stop", "refer"}


@given(st.lists(st.integers(1, 20), min_size=3, max_size=3))
def test_another_prior_is_another_reading(shares):
    model = sf.fit(ROWS, "y", columns={"x": sf.Gaussian(), "z": sf.Categorical()}, calibrate=False)
    prior = dict(zip(CLASSES, (np.array(shares) / sum(shares)).tolist(), strict=True))
    found = model.decide(NEW, class_prior=prior)
    other = model.with_options(class_prior=prior)
    np.testing.assert_allclose(found.probabilities, other.predict_proba(NEW), rtol=1e-11)
    # p(x | not c) is the density of the others, weighed by the prior.
    joint = other.log_joint(NEW)
    for c in range(3):
        rest = np.logaddexp.reduce(np.delete(joint, c, axis=1), axis=1) - math.log(1 - prior[CLASSES[c]])
        own = joint[:, c] - math.log(prior[CLASSES[c]])
        np.testing.assert_allclose(found.llr[:, c], own - rest, rtol=1e-9, atol=1e-9)
    odds = np.log(found.probabilities) - np.log1p(-found.probabilities)
    np.testing.assert_allclose(found.log_odds, odds, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize(("unit", "factor"), [("bits", math.log(2)), ("decibans", math.log(10) / 10)])
def test_units(model, unit, factor):
    found, nats = model.decide(NEW, unit=unit), model.decide(NEW)
    np.testing.assert_allclose(found.llr * factor, nats.llr, rtol=1e-14)
    np.testing.assert_allclose(found.log_odds * factor, nats.log_odds, rtol=1e-14)
    assert found.unit == unit


def test_every_form_of_rows(model, tmp_path):
    NEW.write_csv(tmp_path / "new.csv")
    forms = [NEW, NEW.to_pandas(), NEW.to_dict(as_series=False), NEW.to_dicts(), tmp_path / "new.csv"]
    found = [model.decide(form, COSTS, class_prior="estimate") for form in forms]
    for each in found[1:]:
        np.testing.assert_array_equal(each.action, found[0].action)
        np.testing.assert_array_equal(each.llr, found[0].llr)
        np.testing.assert_array_equal(each.class_prior, found[0].class_prior)


def test_the_prior_of_the_rows_themselves(model):
    rare = table(4000, 2, (0.05, 0.15, 0.8))
    shift = model.prior_shift(rare)
    assert shift.classes == CLASSES
    np.testing.assert_allclose(shift.before, np.exp(model.core.log_prior), rtol=1e-14)
    assert np.abs(shift.after - [0.05, 0.15, 0.8]).max() < 0.06  # three hundred rows taught the model
    assert shift.p_value < 1e-6
    found = model.decide(rare, class_prior="estimate")
    np.testing.assert_array_equal(found.class_prior, shift.after)
    assert found.prior_shift is not None
    given_ = model.decide(rare, class_prior=shift.class_prior)
    np.testing.assert_array_equal(found.probabilities, given_.probabilities)
    # The mean of the posteriors under the prior is that prior: what EM ends with.
    np.testing.assert_allclose(found.probabilities.mean(axis=0), shift.after, atol=1e-5)


def test_rows_of_which_nothing_is_known_get_the_prior(model):
    gaps = pd.DataFrame({"x": [np.nan, 0.5], "z": [None, "q"]})
    found = model.decide(gaps, COSTS)
    np.testing.assert_allclose(found.probabilities[0], found.class_prior, rtol=1e-14)
    np.testing.assert_array_equal(found.llr[0], [0, 0, 0])
    every = model.decide(gaps[:1], class_prior="estimate")
    np.testing.assert_array_equal(every.class_prior, every.prior_shift.before)
    assert (every.prior_shift.rows, every.prior_shift.silent) == (0, 1)


def test_impossible_rows_get_the_prior_and_are_counted():
    x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    model = sf.fit(x, ["a", "a", "b", "b"], columns=sf.Categorical(), calibrate=False).with_options(estimate="mle")
    strange = np.array([[0, 0], [1, 1]])
    with pytest.warns(sf.errors.ImpossibleRowsWarning, match="1 of 2 rows are impossible under every class"):
        found = model.decide(strange, class_prior={"a": 1.0, "b": 0.0})
    np.testing.assert_array_equal(found.probabilities, [[1, 0], [1, 0]])
    np.testing.assert_array_equal(found.llr, [[np.inf, -np.inf], [-np.inf, np.inf]])
    never = sf.fit(np.array([[0, 1], [1, 0]]), ["a", "b"], columns=sf.Categorical(), calibrate=False).with_options(
        estimate="mle"
    )
    with pytest.warns(sf.errors.ImpossibleRowsWarning, match="2 of 2 rows are impossible under every class"):
        found = never.decide(np.array([[0, 0], [1, 1]]), class_prior="estimate")
    np.testing.assert_array_equal(found.probabilities, [[0.5, 0.5], [0.5, 0.5]])
    np.testing.assert_array_equal(found.llr, np.zeros((2, 2)))
    assert found.prior_shift.silent == 2


def test_no_rows(model):
    found = model.decide(NEW[:0], COSTS, class_prior="estimate")
    assert (found.action.shape, found.probabilities.shape, found.expected_costs.shape) == ((0,), (0, 3), (0, 3))


def two_classes():
    rows = ROWS.filter(pl.col("y") != "c")
    return sf.fit(rows, "y", columns={"x": sf.Gaussian(), "z": sf.Categorical()}, calibrate=False), NEW.filter(
        pl.col("y") != "c"
    )


def test_a_threshold_of_two_classes_in_the_unit_asked_for():
    model, new = two_classes()
    nats = model.decide(new, threshold=0.7)
    np.testing.assert_array_equal(nats.action == "b", nats.log_odds[:, 1] > 0.7)
    bits = model.decide(new, threshold=0.7 / math.log(2), unit="bits")
    np.testing.assert_array_equal(bits.action, nats.action)
    record = sf.Threshold(0.7, None, None, 0, 0)
    np.testing.assert_array_equal(model.decide(new, threshold=record, unit="bits").action, nats.action)
    turned = model.decide(new, threshold=sf.Threshold(0.7, None, None, 0, 0, "a"))
    np.testing.assert_array_equal(turned.action == "a", turned.log_odds[:, 0] > 0.7)
    np.testing.assert_array_equal(nats.predicted, model.predict(new))
    np.testing.assert_allclose(
        nats.expected_cost, np.where(nats.action == "b", nats.probabilities[:, 0], nats.probabilities[:, 1])
    )


def test_the_threshold_of_costs_decides_as_the_costs_do():
    model, new = two_classes()
    costs = sf.Costs({"go": {"a": 0, "b": 3}, "stop": {"a": 4, "b": 1}})
    by_costs = model.decide(new, costs, class_prior=[0.8, 0.2])
    by_line = model.decide(new, threshold=costs.threshold(), class_prior=[0.8, 0.2])
    np.testing.assert_array_equal(by_costs.action == "stop", by_line.action == "b")
    by_ratio = by_costs.llr[:, 1] > costs.threshold([0.8, 0.2])
    np.testing.assert_array_equal(by_costs.action == "stop", by_ratio)


def test_actions_are_labels_of_any_kind(model):
    found = model.decide(NEW, sf.Costs([[0, 1, 1], [1, 0, 0]], actions=[7, 3]))
    assert found.action.dtype == np.int64
    assert set(found.action.tolist()) == {7, 3}


def test_columns_of_files_are_the_same_batch_by_batch(model, tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "_BLOCK", 100)
    monkeypatch.setattr(batches, "_CELLS", 20)
    NEW.with_columns(action=pl.lit("old")).write_csv(tmp_path / "new.csv")
    rule = rule_of(model, COSTS, {"a": 0.2, "b": 0.3, "c": 0.5}, None, "bits")
    wanted = {"proba": True, "odds": True, "llr": True, "each_cost": True, "keep": ("x", "action")}
    parts = list(decide_columns(model, sf.Files(tmp_path / "new.csv"), rule, **wanted))
    assert len(parts) > 1
    columns = {name: np.concatenate([np.asarray(part[name]) for part in parts]) for name in parts[0]}
    assert list(columns) == [
        *("x", "action", "action_", "expected_cost", "predicted", "p(a)", "p(b)", "p(c)"),
        *("log_odds(a)", "log_odds(b)", "log_odds(c)", "llr(a)", "llr(b)", "llr(c)"),
        *("cost(go)", "cost(stop)", "cost(refer)"),
    ]
    found = model.decide(NEW, COSTS, class_prior={"a": 0.2, "b": 0.3, "c": 0.5}, unit="bits")
    np.testing.assert_array_equal(columns["action_"], found.action)
    np.testing.assert_array_equal(columns["predicted"], found.predicted)
    np.testing.assert_array_equal(columns["expected_cost"], found.expected_cost)
    for at, label in enumerate(CLASSES):
        np.testing.assert_array_equal(columns[f"p({label})"], found.probabilities[:, at])
        np.testing.assert_array_equal(columns[f"llr({label})"], found.llr[:, at])
        np.testing.assert_array_equal(columns[f"log_odds({label})"], found.log_odds[:, at])
    np.testing.assert_array_equal(columns["cost(stop)"], found.expected_costs[:, 1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"costs": {"go": {"a": 0, "b": 1, "d": 2}}},
            "the model has no class 'd'. Its classes are 'a', 'b', 'c'.",
        ),
        (
            {"costs": [[0, 1, 1]]},
            "costs must be Costs(...) or a mapping {action: {class: cost}}: got list. "
            "Give an array as Costs(array, actions=[...]).",
        ),
        (
            {"costs": sf.Costs([[0, 1]], actions=["go"])},
            "costs must have a column for each of the 3 classes: got 2. The classes are 'a', 'b', 'c'.",
        ),
        (
            {"costs": COSTS, "threshold": 1},
            "give either costs or a threshold, not both. Costs(...).threshold() converts costs to a threshold.",
        ),
        ({"threshold": 1}, "a threshold requires exactly two classes: the model has 3. Give costs instead."),
        ({"unit": "dB"}, "unit must be 'nats', 'bits' or 'decibans': got 'dB'."),
        (
            {"class_prior": [0.5, 0.5]},
            "the class prior must have one number for each of the 3 classes: got 2. The classes are 'a', 'b', 'c'.",
        ),
    ],
)
def test_what_cannot_be_asked(model, options, message):
    with pytest.raises(ParameterError) as said:
        model.decide(NEW, **options)
    assert str(said.value) == message


@pytest.mark.parametrize(
    ("threshold", "message"),
    [
        ("high", "threshold must be a number or a Threshold: got 'high'."),
        (math.nan, "threshold must be a number or a Threshold: got nan."),
        (
            sf.Threshold(0.0, None, None, 0, 0, "spam"),
            "the model has no class 'spam'. Its classes are 'a', 'b'.",
        ),
    ],
)
def test_thresholds_that_cannot_be(threshold, message):
    model, new = two_classes()
    with pytest.raises(ParameterError) as said:
        model.decide(new, threshold=threshold)
    assert str(said.value) == message


def test_a_model_of_no_rows():
    rows = {"x": [1.0, 2.0]}
    empty = sf.fit(rows, ["a", "b"], columns=sf.Gaussian(), calibrate=False).forget(rows, ["a", "b"])
    with pytest.raises(DataError) as said:
        empty.decide({"x": [1.0]})
    assert str(said.value) == (
        "the model has no rows and therefore no classes. Fit it on data, or add a fitted model to it."
    )
    with pytest.raises(DataError, match="the model has no rows"):
        empty.prior_shift({"x": [1.0]})


def test_a_calibrated_model_decides_by_its_calibrated_probabilities():
    # The same column four times: much too sure of itself.
    columns = [f"x{copy}" for copy in range(4)]
    rows, new = (each.select(*(pl.col("x").alias(name) for name in columns), "y") for each in (ROWS, NEW))
    sure = sf.fit(rows, "y", columns=dict.fromkeys(columns, sf.Gaussian()), calibrate=False)
    model = sure.calibrate(rows, "y", method="scale")
    found = model.decide(new, COSTS)
    np.testing.assert_allclose(found.probabilities, model.predict_proba(new), rtol=1e-11)
    assert np.abs(found.probabilities - sure.decide(new).probabilities).max() > 0.1
    prior = {"a": 0.1, "b": 0.3, "c": 0.6}
    np.testing.assert_allclose(
        model.decide(new, class_prior=prior).probabilities,
        model.with_options(class_prior=prior).predict_proba(new),
        rtol=1e-11,
    )
    assert (model.prior_shift(new).after != sure.prior_shift(new).after).all()


def test_decisions_say_in_a_line_what_they_are():
    model = sf.fit({"paid": ["card", "cash"]}, ["fraud", "ok"], calibrate=False)
    assert repr(model.decide({"paid": ["card"]})) == "Decisions on 1 row, 2 actions, 2 classes"
