"""Screening: the curve is that of fitting again, the choice is the best of it, and bad input has a clear answer."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice.errors import DataError, ParameterError
from suffice.evidence.evaluation.held_out import stratified_folds
from suffice.evidence.evaluation.metrics import NAMES, DetectionCosts
from suffice.evidence.screening import METRICS, CurvePoint, _best, measure, thresholds_of
from tests.oracles import screening_slow

KINDS = {
    "gaussian": (sf.Gaussian(), "cells"),
    "histogram": (sf.Histogram(4), "cells"),
    "numeric": (sf.Numeric(), "cells"),
    "level": (sf.Categorical(), "levels"),
    "count": (sf.Poisson(), "presence"),
    "flag": (sf.Bernoulli(), "presence"),
}


def mixed(seed, classes=2, n=90):
    """Return columns of every kind that tell more or less of the class, some cells missing."""
    rng = np.random.default_rng(seed)
    k = rng.choice(classes, n, p=np.arange(classes, 0, -1) / (classes * (classes + 1) / 2))
    data = {
        "gaussian": rng.normal(0.8 * k),
        "histogram": rng.normal(size=n) * (1 + 2 * k),
        "numeric": rng.normal(size=n),
        "level": np.array(["p", "q", "r"])[(rng.random(n) * (3 - 0.5 * k)).astype(int)].tolist(),
        "count": rng.poisson(1 + 0.5 * k).astype(float),
        "flag": (rng.random(n) < 0.3 + 0.1 * k).astype(float),
    }
    for name in ("gaussian", "numeric", "count"):
        data[name][rng.random(n) < 0.1] = np.nan
    return data, np.array(["a", "b", "c"])[k]


def cells_of(data):
    """Return the same with None for what is missing, as the oracle takes it."""
    return {
        name: [None if isinstance(v, float) and v != v else v for v in np.asarray(values, dtype=object).tolist()]
        for name, values in data.items()
    }


@pytest.mark.parametrize("metric", ["average_precision", "log_loss", "balanced_accuracy"])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_curve_is_that_of_fitting_again_for_every_fold_and_threshold(metric, classes):
    data, y = mixed(3, classes)
    found = sf.screen(
        data, y, columns={name: kind for name, (kind, _) in KINDS.items()}, metric=metric, positive="b", folds=3, seed=7
    )
    codes = np.searchsorted(np.unique(y), y)
    folds = stratified_folds(codes, 3, 7)
    steps = [point.threshold for point in found.curve]
    assert steps == thresholds_of([each.similarity for each in found.columns])
    expected = screening_slow.curve(cells_of(data), y.tolist(), KINDS, folds, metric, "b", steps)
    assert [point.value for point in found.curve] == pytest.approx(expected, rel=1e-9)
    assert [point.columns for point in found.curve] == [0, 1, 2, 3, 4, 5, 6]
    assert found.curve[-1].threshold == math.inf


def test_with_an_order_the_folds_are_stretches_of_the_first_part_and_the_rest_is_measured():
    data, y = mixed(5, n=200)
    time = np.random.default_rng(0).permutation(200)
    columns = {name: kind for name, (kind, _) in KINDS.items()}
    found = sf.screen(data, y, columns=columns, folds=4, order=time, first=0.6)
    at = np.argsort(time)
    first, rest = at[:120], at[120:]
    some = {name: [values[i] for i in first] for name, values in cells_of(data).items()}
    steps = [point.threshold for point in found.curve]
    folds = np.arange(120) // 30
    expected = screening_slow.curve(some, y[first].tolist(), KINDS, folds, "average_precision", "b", steps)
    assert [point.value for point in found.curve] == pytest.approx(expected, rel=1e-9)

    def part(rows, names):
        return {name: [cells_of(data)[name][i] for i in rows] for name in names}

    for names, value in ((found.kept, found.later.screened), (tuple(KINDS), found.later.unscreened)):
        model = sf.fit(part(first, names), y[first], columns={name: columns[name] for name in names}, calibrate=False)
        log = model.predict_log_proba(part(rest, names))
        measured = screening_slow.measured("average_precision", log, y[rest], list(model.classes), "b")
        assert value == pytest.approx(measured, rel=1e-9)
    assert found.later.rows == 80
    assert found.model.provenance.rows == 120


def test_the_model_is_that_of_the_kept_columns():
    data, y = mixed(11)
    columns = {name: kind for name, (kind, _) in KINDS.items()}
    found = sf.screen(data, y, columns=columns, threshold=0.88)
    alike = {each.column: each.similarity for each in found.columns}
    assert found.kept == tuple(name for name in KINDS if alike[name] < 0.88)
    assert 0 < len(found.kept) < 6
    alone = sf.fit(
        {name: data[name] for name in found.kept},
        y,
        columns={name: columns[name] for name in found.kept},
        calibrate=False,
    )
    np.testing.assert_allclose(found.model.predict_proba(data), alone.predict_proba({n: data[n] for n in found.kept}))
    assert [name for name, _ in found.model.schema.left_out] == [e.column for e in found.columns if not e.kept]
    dropped = dict(found.model.schema.left_out)
    for name, why in dropped.items():
        assert why == f"its class similarity {alike[name]:.4f} is not below the screening threshold 0.8800"


def test_columns_that_tell_are_kept_and_noise_is_dropped():
    rng = np.random.default_rng(1)
    y = (rng.random(3000) < 0.1).astype(int)
    x = rng.normal(size=(3000, 12))
    x[:, 3] += 1.5 * y
    x[:, 8] *= 1 + y
    found = sf.screen(x, y, columns=sf.Histogram())
    assert [each.column for each in found.columns[:2]] == [3, 8]
    assert {3, 8} <= set(found.kept)
    assert len(found.kept) < 12
    assert found.metric == "average_precision"
    assert found.positive == 1


similar = st.lists(st.floats(0, 1), min_size=1, max_size=8)


@given(similar)
def test_thresholds_tell_every_number_of_columns_apart(values):
    steps = thresholds_of(values)
    kept = [sum(value < t for value in values) for t in steps]
    assert kept == sorted({sum(value < t for value in values) for t in [*values, math.inf]})
    assert steps == sorted(set(steps))


def test_of_equals_the_one_with_fewer_columns_is_chosen_and_never_none_at_all():
    curve = [
        CurvePoint(t, n, value, None) for t, n, value in ((0.1, 0, 0.9), (0.2, 1, 0.7), (0.3, 2, 0.8), (0.4, 3, 0.8))
    ]
    assert _best(curve, "average_precision", 1) == 0.3
    assert _best(curve, "average_precision", 0) == 0.1
    assert _best(curve, "log_loss", 1) == 0.2


def test_text_and_columns_that_go_together_are_kept_unscreened():
    rng = np.random.default_rng(0)
    y = rng.choice(["a", "b"], 120)
    data = {
        "x": rng.normal(size=120) + (y == "a"),
        "noise": rng.normal(size=120),
        "note": np.where(y == "a", "win a prize", "lunch and notes").tolist(),
        "p": rng.choice(["s", "t"], 120).tolist(),
        "q": rng.choice(["s", "t"], 120).tolist(),
    }
    columns = {"note": sf.Words(), ("p", "q"): sf.Joint(), "*": sf.Gaussian()}
    found = sf.screen(data, y, columns=columns, threshold=0.01)
    assert found.unscreened == ("note", "p", "q")
    assert found.kept == ()
    assert {name for block in found.model.schema.blocks for name in block.columns} == {"note", "p", "q"}
    assert found.curve[0].columns == 0
    assert found.curve[0].value == 1.0


def test_constant_and_missing_columns_have_similarity_1_and_are_dropped():
    data, y = mixed(2)
    nothing = np.full(90, np.nan)
    found = sf.screen({"x": data["gaussian"], "one": np.ones(90), "nothing": nothing}, y, columns=sf.Numeric())
    alike = {each.column: (each.similarity, each.least, each.product) for each in found.columns}
    assert alike["one"] == alike["nothing"] == (1.0, 1.0, 1.0)
    assert found.kept == ("x",)


def test_one_class_is_refused():
    with pytest.raises(DataError) as caught:
        sf.screen({"x": [1.0, 2.0, 3.0], "y": ["a", "a", "a"]}, "y", folds=2)
    assert (
        str(caught.value)
        == "screening requires at least two classes: every row has the class 'a'. Give rows of two classes or more."
    )


def test_a_threshold_that_drops_every_column_is_refused():
    data, y = mixed(2)
    least = sf.screen(data, y).columns[0]
    with pytest.raises(ParameterError) as caught:
        sf.screen(data, y, threshold=0.1)
    assert str(caught.value) == (
        f"threshold 0.1 drops every column: the lowest similarity is {least.similarity:.4f}, of column {least.column!r}. "
        "Give a greater threshold, or omit it to choose the threshold by cross-validation."
    )


def test_more_folds_than_rows_are_refused():
    with pytest.raises(ParameterError) as caught:
        sf.screen({"x": [1.0, 2.0, 3.0], "y": ["a", "a", "b"]}, "y", folds=5)
    assert str(caught.value) == (
        "folds must be at most the number of rows: got 5 folds for 3 rows. Use fewer folds, or give more rows."
    )


def test_a_class_of_one_row_leaves_one_fold_to_choose_by():
    rng = np.random.default_rng(0)
    y = np.zeros(40, dtype=int)
    y[7] = 1
    x = rng.normal(size=(40, 2))
    x[7] = 9.0
    found = sf.screen(x, y, columns=sf.Gaussian(), folds=4)
    # Its own fold has learnt one class, in which nothing tells: no column is kept there until none is dropped.
    assert all(point.error is None for point in found.curve)
    assert all(0 < point.value <= 1 for point in found.curve)
    assert len(found.kept) >= 1


def test_folds_without_the_class_to_find_leave_nothing_to_choose_by():
    rng = np.random.default_rng(0)
    y = np.array(["a"] * 10 + ["b"] * 10)
    x = rng.normal(size=(20, 2))
    with pytest.raises(DataError) as caught:
        sf.screen(x, y, columns=sf.Gaussian(), folds=2, order=np.arange(20), first=0.99)
    assert str(caught.value) == (
        "no fold has rows both of the positive class and of another class, so no threshold can be chosen. "
        "Use fewer folds, give more rows, or give threshold=."
    )


def test_a_given_threshold_needs_no_curve():
    rng = np.random.default_rng(0)
    y = np.array(["a"] * 10 + ["b"] * 9 + ["b"])
    x = np.column_stack([rng.normal(size=20) + 3 * (y == "b"), rng.normal(size=20)])
    found = sf.screen(x, y, columns=sf.Gaussian(), folds=2, order=np.arange(20), first=0.999, threshold=math.inf)
    assert found.curve == ()
    assert found.kept == (0, 1)


def test_no_column_to_screen_is_refused():
    with pytest.raises(DataError) as caught:
        sf.screen(["a b", "b c", "c d", "d e"], ["x", "x", "y", "y"], columns=sf.Words(), folds=2)
    assert str(caught.value) == (
        "there is no column to screen: only single columns can be screened, and these are text, modelled jointly, "
        "or left out.\n1 column\n  0: Words()"
    )


def test_an_impossible_row_has_the_class_prior():
    joint = np.array([[-np.inf, -np.inf], [0.0, -1.0]])
    given = joint, np.log([0.25, 0.75]), np.array([1, 0]), np.ones(2)
    assert measure("log_loss", 0, *given) == pytest.approx((-math.log(0.75) + math.log1p(math.exp(-1))) / 2)
    assert measure("average_precision", 1, *given) == 1.0


def test_a_class_that_the_model_does_not_know():
    joint, codes = np.log([[0.5, 0.5], [0.2, 0.8], [0.9, 0.1]]), np.array([0, 1, -1])
    found = {metric: measure(metric, 1, joint, np.zeros(2), codes, np.ones(3)) for metric in METRICS}
    impossible = -math.log(np.finfo(float).eps)  # as in evaluate
    assert found == {
        "accuracy": pytest.approx(2 / 3),
        "balanced_accuracy": pytest.approx(2 / 3),
        "log_loss": pytest.approx((-math.log(0.5) - math.log(0.8) + impossible) / 3),
        "brier": pytest.approx((0.5 + 0.08 + 1.82) / 3),
        "expected_calibration_error": pytest.approx((0.5 + 0.2 + 0.9) / 3),
        "roc_auc": 1.0,
        "average_precision": 1.0,
        "minimum_detection_cost": 0.0,
        "actual_detection_cost": 0.0,
        "precision": 1.0,
        "recall": 1.0,
        "f1": 1.0,
    }


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("metric", METRICS)
def test_a_metric_is_that_of_evaluate(metric, classes):
    random = np.random.default_rng(5)
    y = random.integers(0, classes, 200)
    x = random.normal(y[:, None], 2.0, (200, 2))
    weights = random.integers(1, 4, 200).astype(float)
    model = sf.fit(x, y, columns=sf.Gaussian(), calibrate=False)
    costs = {"detection_prior": 0.1, "cost_miss": 5.0, "cost_false_alarm": 2.0}
    expected = model.evaluate(x, y, weights=weights, bootstrap=0, **costs)
    positive = None if classes == 3 else 1 if y.sum() < 100 else 0
    rows = model.log_joint(x), model.core.log_prior, y, weights
    if "detection" in metric and classes == 3:
        return
    found = measure(metric, positive, *rows, DetectionCosts(0.1, 5.0, 2.0))
    if metric in NAMES:
        value = expected[metric].value
    else:
        each = [getattr(of_class, metric).value for of_class in expected.by_class]
        value = np.mean(each) if positive is None else each[positive]
    assert found == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("codes", [[0, 0], [1, 1]])
def test_there_is_no_average_precision_of_one_kind_of_rows(codes):
    assert measure("average_precision", 1, np.zeros((2, 2)), np.zeros(2), np.array(codes), np.ones(2)) is None


@pytest.mark.parametrize("metric", METRICS)
def test_there_is_nothing_without_weight(metric):
    assert measure(metric, 1, np.zeros((2, 2)), np.zeros(2), np.array([0, 1]), np.zeros(2)) is None
