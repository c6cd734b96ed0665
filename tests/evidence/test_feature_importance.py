"""What tells classes apart, against the same sums formed point by point, and where it has to be 0, equal or inf."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice.errors import ParameterError
from suffice.evidence import feature_importance
from tests.oracles.telling_slow import divergence, log_likelihoods

ESTIMATES = ["mle", "smoothed", "map", "mean", "predictive"]
LABELS = ["a", "b", "c"]


def rows(seed=0, n=60):
    rng = np.random.default_rng(seed)
    y = rng.choice(LABELS, n, p=[0.5, 0.3, 0.2])
    k = np.searchsorted(LABELS, y)
    return rng, y, k


def said(model, column):
    """Return the evidence of the column in rows of each class."""
    found = feature_importance(model.core)
    return [next(row.evidence for row in found.columns_of(label) if row.column == column) for label in model.classes]


def expected(model, cells, width):
    logs = log_likelihoods(model, cells)
    weight = model.core.tally.weight.tolist()
    return [divergence(logs, weight, c, width) for c in range(len(weight))]


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_levels_against_the_sum_over_levels(estimate):
    rng, y, k = rows()
    fur = np.array(["black", "orange", "white"])[(rng.random(60) * (3 - 0.7 * k)).astype(int)]
    model = sf.fit({"fur": fur, "y": y}, "y", columns={"fur": sf.Categorical()}, calibrate=False).with_options(
        estimate=estimate
    )
    cells = {"fur": np.array(["black", "orange", "white"])}
    assert said(model, "fur") == pytest.approx(expected(model, cells, [1, 1, 1]), rel=1e-12)


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_presence_against_the_sum_over_both(estimate):
    rng, y, k = rows()
    model = sf.fit({"wet": rng.random(60) < 0.2 + 0.3 * k, "y": y}, "y", calibrate=False).with_options(
        estimate=estimate
    )
    assert said(model, "wet") == pytest.approx(expected(model, {"wet": [True, False]}, [1, 1]), rel=1e-12)


@pytest.mark.parametrize("estimate", ["mle", "smoothed", "map", "mean"])
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_gaussians_against_a_fine_grid(estimate, shift):
    rng, y, k = rows()
    model = sf.fit(
        {"x": rng.normal(shift + 1.5 * k, 1 + k), "y": y}, "y", columns={"x": sf.Gaussian()}, calibrate=False
    ).with_options(estimate=estimate)
    x = np.linspace(shift - 40, shift + 44, 200_001)
    width = np.full(len(x), 84 / 200_000)
    assert said(model, "x") == pytest.approx(expected(model, {"x": x}, width), rel=1e-8)


def test_students_against_a_fine_grid():
    rng, y, k = rows()
    model = sf.fit({"x": rng.normal(1.5 * k, 1 + k), "y": y}, "y", columns={"x": sf.Gaussian()}, calibrate=False)
    t = np.linspace(-12, 12, 200_001)  # x = sinh t: the tails are long
    x, width = np.sinh(t), np.cosh(t) * (t[1] - t[0])
    assert said(model, "x") == pytest.approx(expected(model, {"x": x}, width), rel=1e-8)


@pytest.mark.parametrize("n", [1, 2])
def test_students_of_few_degrees_against_a_fine_grid(n):
    y = ["a"] * n + ["b"] * n
    model = sf.fit({"x": [0.0, 1.0][:n] + [5.0, 7.0][:n], "y": y}, "y", columns={"x": sf.Gaussian()}, calibrate=False)
    t = np.linspace(-36, 36, 400_001)
    x, width = np.sinh(t), np.cosh(t) * (t[1] - t[0])
    assert said(model, "x") == pytest.approx(expected(model, {"x": x}, width), rel=1e-8)


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("rate", [0.01, 1.0, 300.0, 20_000.0])
def test_counts_against_the_sum_over_counts(estimate, rate):
    rng, y, k = rows()
    model = sf.fit(
        {"n": rng.poisson(rate * (1 + k)), "y": y}, "y", columns={"n": sf.Poisson()}, calibrate=False
    ).with_options(estimate=estimate)
    cells = np.arange(0, 4000.0 if rate < 1000 else 100_000.0)
    within = 1e-8 if rate < 1000 else 1e-4  # as the page of divergence.py says
    assert said(model, "n") == pytest.approx(expected(model, {"n": cells}, np.ones(len(cells))), rel=within)


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_histograms_against_the_sum_over_cells(estimate):
    rng, y, k = rows(n=400)
    model = sf.fit(
        {"x": rng.random(400) ** (1 + k), "y": y}, "y", columns={"x": sf.Histogram(bins=8)}, calibrate=False
    ).with_options(estimate=estimate)
    (term,) = model.core.terms
    (edges,) = term.spans
    middle, width = (edges[:-1] + edges[1:]) / 2, np.diff(edges)
    assert said(model, "x") == pytest.approx(expected(model, {"x": middle}, width), rel=1e-9)
    assert sum(row.here for row in feature_importance(model.core).levels("a")) == pytest.approx(1)


def test_joint_blocks_count_what_was_never_seen():
    data = {"fur": ["b", "o", "o", "w"], "tail": ["s", "l", "l", "l"], "y": ["f", "m", "m", "f"]}
    model = sf.fit(data, "y", columns={("fur", "tail"): sf.Joint()}, calibrate=False)
    every = [(fur, tail) for fur in "bow" for tail in "sl"]
    cells = {"fur": [fur for fur, _ in every], "tail": [tail for _, tail in every]}
    assert said(model, "fur, tail") == pytest.approx(expected(model, cells, np.ones(6)), rel=1e-12)
    levels = {row.level: row for row in feature_importance(model.core).levels("m")}
    assert levels["o", "l"].here == pytest.approx(3 / 8)
    assert levels["(unseen)"].here == pytest.approx(3 / 8)


@pytest.mark.parametrize("estimate", ["mle", "smoothed", "map", "mean", "predictive"])
def test_counts_of_one_distribution_speak_by_their_mean_count(estimate):
    data = {"cat": [4, 2, 0], "dog": [0, 2, 6], "y": ["pet", "pet", "kennel"]}
    model = sf.fit(data, "y", columns={"*": sf.Multinomial()}, calibrate=False).with_options(estimate=estimate)
    theta = {(row.label, row.column): row.value for row in model.parameters() if row.column}
    found = {row.column: row.evidence for row in feature_importance(model.core).columns_of("pet")}
    for column, mean in (("cat", 3.0), ("dog", 1.0)):
        here, rest = theta["pet", column], theta["kennel", column]
        ratio = math.inf if rest == 0 else math.log(here / rest)
        assert found[column] == pytest.approx(mean * ratio, rel=1e-12)
        (row,) = feature_importance(model.core).levels("pet", column=column)
        assert (row.level, row.here) == (None, pytest.approx(here))


def test_being_known_speaks_too_and_a_value_as_often_as_it_is_known():
    data = {"x": [1.0, 2.0, None, 5.0, None, None], "y": ["a", "a", "a", "b", "b", "b"]}
    both = sf.fit(data, "y", columns={"x": sf.Gaussian(missing="level")}, calibrate=False).with_options(estimate="mean")
    value = sf.fit(data, "y", columns={"x": sf.Gaussian()}, calibrate=False).with_options(estimate="mean")
    known = {"a": 3 / 5, "b": 2 / 5}  # (2 + 1)/(3 + 2) and (1 + 1)/(3 + 2)
    for label, other in (("a", "b"), ("b", "a")):
        p, q = known[label], known[other]
        of_known = p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))
        of_value = next(row.evidence for row in feature_importance(value.core).columns_of(label))
        of_both = next(row.evidence for row in feature_importance(both.core).columns_of(label))
        assert of_both == pytest.approx(of_known + p * of_value, rel=1e-12)
    levels = {row.level: row.here for row in feature_importance(both.core).levels("a", column="x")}
    assert levels == {"known": pytest.approx(3 / 5), "missing": pytest.approx(2 / 5)}


def test_a_known_number_two_classes_one_level():
    data = {"fur": ["black", "orange", "orange"], "sex": ["f", "m", "m"]}
    found = feature_importance(sf.fit(data, "sex", columns={"fur": sf.Categorical()}, calibrate=False).core)
    (black, orange) = found.levels("m")
    assert (black.level, orange.level) == ("black", "orange")
    assert black.evidence == pytest.approx(math.log(3 / 8))
    assert black.weight == pytest.approx((1 / 4 - 2 / 3) * math.log(3 / 8))
    assert (orange.here, orange.elsewhere) == (pytest.approx(3 / 4), pytest.approx(1 / 3))
    assert orange.evidence == pytest.approx(math.log(9 / 4))
    assert orange.weight == pytest.approx((3 / 4 - 1 / 3) * math.log(9 / 4))
    assert found.levels("m", 1) == [black]
    assert found.levels("m", column="tail") == []
    (row,) = found.columns()
    each = [row.evidence for label in ("f", "m") for row in found.columns_of(label)]
    assert row[:3] == ("fur", None, pytest.approx((each[0] + 2 * each[1]) / 3))
    of_f = 2 / 3 * math.log2(2 / 3 / (7 / 18)) + 1 / 3 * math.log2(1 / 3 / (11 / 18))
    of_m = 1 / 4 * math.log2(1 / 4 / (7 / 18)) + 3 / 4 * math.log2(3 / 4 / (11 / 18))
    assert row.bits == pytest.approx((of_f + 2 * of_m) / 3)


def test_the_rest_is_pooled_by_the_weight_of_its_rows():
    data = {"fur": ["b", "b", "o", "o", "o", "b"], "y": ["x", "y", "y", "z", "z", "z"]}
    model = sf.fit(data, "y", columns={"fur": sf.Categorical()}, calibrate=False).with_options(estimate="mle")
    (row,) = (row for row in feature_importance(model.core).levels("x") if row.level == "b")
    assert row.elsewhere == pytest.approx((2 * (1 / 2) + 3 * (1 / 3)) / 5)


def test_what_the_rest_cannot_show_says_all_and_what_neither_can_says_nothing():
    data = {"fur": ["black", "orange", "white"], "y": ["x", "y", "z"]}
    model = sf.fit(
        data, "y", columns={"fur": sf.Categorical(levels=["black", "orange", "white", "green"])}, calibrate=False
    ).with_options(estimate="mle")
    found = feature_importance(model.core)
    rows_of_x = {row.level: row for row in found.levels("x")}
    assert set(rows_of_x) == {"black", "orange", "white"}
    assert (rows_of_x["black"].evidence, rows_of_x["black"].elsewhere) == (math.inf, 0.0)
    assert (rows_of_x["orange"].evidence, rows_of_x["orange"].elsewhere) == (-math.inf, pytest.approx(0.5))
    assert [row.evidence for row in found.columns()] == [math.inf]


@pytest.mark.parametrize("y", [["a", "a"], []])
def test_fewer_than_two_classes_have_nothing_to_tell(y):
    model = sf.fit(
        {"x": [1.0, 2.0][: len(y)], "y": np.array(y, dtype=str)}, "y", columns={"x": sf.Gaussian()}, calibrate=False
    )
    found = feature_importance(model.core)
    assert found.columns() == []
    assert [found.levels(label) for label in model.classes] == [[] for _ in model.classes]


def test_a_class_without_rows_is_told_apart_all_the_same():
    model = sf.fit({"fur": ["b", "o"], "y": ["x", "y"]}, "y", columns={"fur": sf.Categorical()}, calibrate=False)
    emptied = model.forget({"fur": ["o"]}, ["y"])
    assert emptied.classes == ("x",)
    assert feature_importance(emptied.core).columns() == []


def test_an_unknown_class_is_named():
    model = sf.fit({"fur": ["b", "o"], "y": ["x", "y"]}, "y", columns={"fur": sf.Categorical()}, calibrate=False)
    with pytest.raises(ParameterError) as said_so:
        feature_importance(model.core).levels("q")
    assert str(said_so.value) == "the model has no class 'q'. Its classes are 'x', 'y'."


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.floats(-1e6, 1e6), st.sampled_from("rgb")), min_size=2, max_size=20),
    st.sampled_from(ESTIMATES),
)
def test_columns_say_nothing_below_zero_and_no_nan(found, estimate):
    y, x, colour = zip(*found, strict=True)
    data = {"x": list(x), "colour": list(colour), "y": list(y)}
    columns = {"x": sf.Gaussian(), "colour": sf.Categorical()}
    for row in feature_importance(
        sf.fit(data, "y", columns=columns, calibrate=False).with_options(estimate=estimate).core
    ).columns():
        assert row.evidence >= 0


@given(st.floats(0.01, 100), st.floats(-1e3, 1e3), st.integers(0, 50))
def test_another_unit_tells_as_much(scale, shift, seed):
    rng, y, k = rows(seed)
    x = rng.normal(k, 1)
    one = sf.fit({"x": x, "y": y}, "y", columns={"x": sf.Gaussian()}, calibrate=False)
    other = sf.fit({"x": scale * x + shift, "y": y}, "y", columns={"x": sf.Gaussian()}, calibrate=False)
    assert said(one, "x") == pytest.approx(said(other, "x"), rel=1e-6)
