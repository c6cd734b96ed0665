"""Leaving one row out of what the classes share equals reading the other rows, with what is held fixed passed on."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice.likelihoods.evidence_strength import evidence_strength
from suffice.likelihoods.shrinkage import oas
from tests.evidence.leaving_out import left_out, require_close
from tests.oracles import left_out_slow as slow

pytestmark = pytest.mark.filterwarnings("ignore::suffice.DroppedRowsWarning")

ROWS, CLASSES, COLUMNS = 40, ("no", "perhaps", "yes"), ("a", "b", "c")
ESTIMATES = ("mle", "smoothed", "map", "mean", "predictive")
WEIGHTS = ("none", "whole", "some")


def drawn(kind: str, gaps: int = 0, lone: bool = False) -> tuple[dict[str, Any], Any, Any, slow.Rows]:
    """Correlated columns whose classes differ in place and shape; every `gaps`-th row has one missing cell."""
    rng = np.random.default_rng(11)
    codes = rng.integers(0, 3, ROWS)
    if lone:
        codes = np.where(codes == 2, 1, codes)
        codes[5] = 2
    shapes = rng.normal(size=(3, 3, 3)) + np.eye(3)
    x = np.einsum("rj,rjk->rk", rng.normal(size=(ROWS, 3)), shapes[codes]) * [1.0, 1e3, 1e-2] + codes[:, None]
    x += [0.0, 5e4, 1.0]
    if gaps:
        x[::gaps, 1] = np.nan
        x[1 :: 2 * gaps, 0] = np.nan
    choices = {"none": None, "whole": rng.integers(1, 4, ROWS), "some": rng.choice([0.25, 0.5, 1.0, 2.0, 3.5], ROWS)}
    weights = choices[kind]
    heavy = np.ones(ROWS) if weights is None else weights.astype(float)
    data = {name: x[:, j] for j, name in enumerate(COLUMNS)}
    return data, np.array(CLASSES)[codes], weights, slow.Rows(x, codes, heavy, 3)


def held_of(rows: slow.Rows) -> slow.Held:
    """m, v and T of the rows that have every cell."""
    whole = ~np.isnan(rows.x).any(axis=1)
    return slow.held(rows.x[whole], rows.weights[whole])


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("kind", WEIGHTS)
def test_one_variance_of_a_column_for_all_classes(estimate: str, kind: str) -> None:
    data, target, weights, rows = drawn(kind, gaps=7)
    model = sf.fit(data, target, sf.Gaussian(covariance="shared", joint=False), estimate=estimate, weights=weights)
    density = partial(slow.shared_columns, estimate=estimate, fixed=slow.held(rows.x, rows.weights))
    require_close(left_out(model, data, target, weights), slow.left_out(rows, density))


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("kind", WEIGHTS)
def test_one_variance_for_all_columns(estimate: str, kind: str) -> None:
    data, target, weights, rows = drawn(kind, gaps=9)
    likelihood = {COLUMNS: sf.Gaussian(covariance="spherical")}
    model = sf.fit(data, target, likelihood, estimate=estimate, weights=weights)
    density = partial(slow.spherical, estimate=estimate, fixed=held_of(rows))
    require_close(left_out(model, data, target, weights), slow.left_out(rows, density))


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize(
    ("covariance", "toward"),
    [
        ("full", "diagonal"),
        ("full", "spherical"),
        ("full", "shared"),
        ("full", "total"),
        ("shared", "diagonal"),
        ("shared", "spherical"),
        ("shared", "total"),
    ],
)
def test_matrices_that_are_pulled(covariance: Any, toward: Any, estimate: str, kind: str) -> None:
    data, target, weights, rows = drawn(kind, gaps=11)
    likelihood = {COLUMNS: sf.Gaussian(covariance=covariance, shrinkage=0.3, toward=toward)}
    model = sf.fit(data, target, likelihood, estimate=estimate, weights=weights)
    share = np.full(3, 0.3)
    density = partial(
        slow.matrices, covariance=covariance, estimate=estimate, share=share, toward=toward, fixed=held_of(rows)
    )
    require_close(left_out(model, data, target, weights), slow.left_out(rows, density))


@pytest.mark.parametrize("estimate", ["mle", "predictive"])
@pytest.mark.parametrize(
    ("covariance", "toward"), [("full", "diagonal"), ("full", "spherical"), ("shared", "diagonal")]
)
def test_oas_keeps_the_shares_of_all_rows(covariance: Any, toward: Any, estimate: str) -> None:
    data, target, weights, rows = drawn("whole")
    likelihood = {COLUMNS: sf.Gaussian(covariance=covariance, shrinkage="oas", toward=toward)}
    model = sf.fit(data, target, likelihood, estimate=estimate, weights=weights)
    each = [slow.scatter(rows, c) for c in range(3)]
    total = sum(n for n, _, _ in each)
    within = sum(s for _, _, s in each) / total
    if covariance == "shared":
        unit = np.sqrt(np.diag(within))
        share = np.full(3, oas(within / unit / unit[:, None], total - 3))
    else:
        goals = slow.pulled(each, np.ones(3), toward, held_of(rows), shared=False)
        units = [np.sqrt(np.diag(goal) / n) for goal, (n, _, _) in zip(goals, each, strict=True)]
        share = np.array([oas(s / n / u / u[:, None], n - 1) for (n, _, s), u in zip(each, units, strict=True)])
    assert (share > 0.01).all()
    density = partial(
        slow.matrices, covariance=covariance, estimate=estimate, share=share, toward=toward, fixed=held_of(rows)
    )
    require_close(left_out(model, data, target, weights), slow.left_out(rows, density))


@pytest.mark.parametrize("estimate", ["map", "mean", "predictive"])
@pytest.mark.parametrize("covariance", ["full", "shared"])
def test_evidence_keeps_the_strength_of_all_rows(covariance: Any, estimate: str) -> None:
    rng = np.random.default_rng(4)
    codes, weights = rng.integers(0, 3, ROWS), rng.choice([0.5, 1.0, 2.5], ROWS)
    rows = slow.Rows(rng.normal(size=(ROWS, 3)) + codes[:, None], codes, weights, 3)
    data, target = {name: rows.x[:, j] for j, name in enumerate(COLUMNS)}, np.array(CLASSES)[codes]
    likelihood = {COLUMNS: sf.Gaussian(covariance=covariance, shrinkage="evidence")}
    model = sf.fit(data, target, likelihood, estimate=estimate, weights=weights)
    found, fixed = left_out(model, data, target, weights), held_of(rows)
    seen = [slow.scatter(rows, c) for c in range(3)]
    n = np.array([each[0] for each in seen])
    about = [s + w / (w + 1) * np.outer(mean - fixed.m, mean - fixed.m) for w, mean, s in seen]
    extra = np.stack(about) / np.sqrt(np.outer(fixed.v, fixed.v))
    if covariance == "shared":
        n, extra = n.sum(keepdims=True), extra.sum(axis=0, keepdims=True)
    tau = evidence_strength(n, extra)
    assert 1 < tau < 1e6
    prior = sf.NormalInverseWishart(fixed.m, 1, 3 + tau, (1 + tau) * np.diag(fixed.v))
    with_prior = {COLUMNS: sf.Gaussian(prior, covariance=covariance)}
    for i in range(ROWS):
        less = weights.copy()
        less[i] -= min(less[i], 1.0)
        refit = sf.fit(data, target, with_prior, estimate=estimate, weights=less)
        require_close(found[i : i + 1], refit.log_joint({name: data[name][i : i + 1] for name in COLUMNS}))


@pytest.mark.parametrize("kind", ["none", "some"])
@pytest.mark.parametrize("per_class", [2, 3, 4])
def test_classes_with_hardly_more_rows_than_columns(per_class: int, kind: str) -> None:
    data, target, weights, rows = drawn(kind)
    few = np.concatenate([np.flatnonzero(rows.codes == c)[:per_class] for c in range(3)])
    data, target = {name: data[name][few] for name in COLUMNS}, target[few]
    weights = None if weights is None else weights[few]
    rows = slow.Rows(rows.x[few], rows.codes[few], rows.weights[few], 3)
    model = sf.fit(data, target, {COLUMNS: sf.Gaussian(covariance="full")}, "uniform", "mle", weights)
    expected = slow.left_out(rows, partial(slow.floored, fixed=held_of(rows)), np.full(3, 1 / 3))
    require_close(left_out(model, data, target, weights), expected)


def test_a_row_without_which_a_matrix_is_at_its_floor() -> None:
    rng = np.random.default_rng(8)
    first = rng.normal(size=24)
    x = np.column_stack([first, first + 1e-3 * rng.normal(size=24)])
    x[0, 1] += 3.0
    x[1, 1] -= 3.0
    rows = slow.Rows(x, np.arange(24) % 2, np.ones(24), 2)
    model = sf.fit(x, rows.codes, sf.Gaussian(covariance="full", var_smoothing=0.01), "uniform", "mle")
    expected = slow.left_out(rows, partial(slow.floored, fixed=held_of(rows), least=0.01), np.full(2, 0.5))
    require_close(left_out(model, x, rows.codes), expected)


@pytest.mark.parametrize("estimate", ["mle", "smoothed"])
@pytest.mark.parametrize("classes", [1, 2])
def test_a_direction_that_only_one_row_has(estimate: str, classes: int) -> None:
    # Without row 0 the last column is the sum of the others, a direction in which no class varies: it says nothing.
    rng = np.random.default_rng(5)
    x = rng.integers(-9, 9, (30, 3)).astype(float)
    x[:, 2] = x[:, 0] + x[:, 1]
    x[0, 2] += 4
    target = np.array(["a", "b"])[np.arange(30) % classes]
    likelihood = sf.Gaussian(covariance="shared")
    alpha = 0.0 if estimate == "smoothed" else None
    found = left_out(sf.fit(x, target, likelihood).read(estimate, alpha=alpha), x, target)
    for i in (0, 5):
        rest = sf.fit(np.delete(x, i, axis=0), np.delete(target, i), likelihood).read(estimate, alpha=alpha)
        require_close(found[i : i + 1], rest.log_joint(x[i : i + 1]))


def test_a_column_that_varies_in_one_row_only() -> None:
    rng = np.random.default_rng(5)
    x = np.column_stack([rng.normal(size=20), np.where(np.arange(20) == 3, 0.7, np.arange(20) % 2)])
    target = np.array(["a", "b"])[np.arange(20) % 2]
    model = sf.fit(x, target, sf.Gaussian(covariance="shared"), estimate="mle")
    rest = sf.fit(np.delete(x, 3, axis=0), np.delete(target, 3), sf.Gaussian(covariance="shared"), estimate="mle")
    require_close(left_out(model, x, target)[3:4], rest.log_joint(x[3:4]))


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize(
    "likelihood",
    [
        sf.Gaussian(covariance="shared", joint=False),
        sf.Gaussian(covariance="spherical"),
        sf.Gaussian(covariance="full", shrinkage=0.4),
        sf.Gaussian(covariance="full", shrinkage=0.4, toward="shared"),
        sf.Gaussian(covariance="shared", shrinkage=0.4, toward="total"),
    ],
    ids=str,
)
def test_a_row_that_is_alone_in_its_class(likelihood: sf.Gaussian, estimate: str) -> None:
    data, target, _, rows = drawn("none", lone=True)
    columns = {COLUMNS: likelihood} if likelihood.together else likelihood
    model = sf.fit(data, target, columns, "uniform", estimate)
    fixed = held_of(rows)
    if not likelihood.together:
        density = partial(slow.shared_columns, estimate=estimate, fixed=fixed)
    elif likelihood.covariance == "spherical":
        density = partial(slow.spherical, estimate=estimate, fixed=fixed)
    else:
        density = partial(
            slow.matrices,
            covariance=likelihood.covariance,
            estimate=estimate,
            share=np.full(3, 0.4),
            toward=likelihood.toward,
            fixed=fixed,
        )
    others = np.arange(ROWS) != 5
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = slow.left_out(rows, density, np.full(3, 1 / 3))
    found = left_out(model, data, target)
    if likelihood.covariance == "full" and likelihood.toward == "diagonal" and estimate == "mle":
        # The other rows see a class of one row, whose matrix is at its floor and does not move.
        expected[others, 2] = model.log_joint(data)[others, 2]
    require_close(found, expected)
    empirical = left_out(model.read(class_prior="empirical"), data, target)
    assert np.isneginf(empirical[5, 2])
    assert np.isfinite(np.delete(empirical, 5, axis=0)).all()


@pytest.mark.parametrize("estimate", ["mle", "predictive"])
def test_columns_by_themselves_that_were_collected_together(estimate: str) -> None:
    # A row with a gap was not counted in any column, so nothing of it is taken out.
    data, target, weights, rows = drawn("some", gaps=6)
    data["d"] = np.where(np.arange(ROWS) == 4, np.nan, 3.0)
    joint = {(*COLUMNS, "d"): sf.Gaussian(covariance="diagonal", joint=True)}
    model = sf.fit(data, target, joint, estimate=estimate, weights=weights)
    whole = ~np.isnan(rows.x).any(axis=1) & (np.arange(ROWS) != 4)
    some = {name: data[name][whole] for name in COLUMNS}
    apart = sf.fit(some, target[whole], sf.Gaussian(), "uniform", estimate, weights=weights[whole])
    found = left_out(model.read(class_prior="uniform"), data, target, weights)
    require_close(found[whole], left_out(apart, some, target[whole], weights[whole]))
    require_close(found[~whole], apart.log_joint({name: data[name][~whole] for name in COLUMNS}))


def test_a_gap_in_a_constant_column_of_a_block() -> None:
    data, target, _, rows = drawn("none")
    data["d"] = np.where(np.arange(ROWS) == 4, np.nan, 3.0)
    model = sf.fit(data, target, {(*COLUMNS, "d"): sf.Gaussian(covariance="full")}, "uniform", "map")
    found, whole = left_out(model, data, target), np.arange(ROWS) != 4
    require_close(found[4:5], model.log_joint({name: data[name][4:5] for name in data}))
    kept = slow.Rows(rows.x[whole], rows.codes[whole], rows.weights[whole], 3)
    density = partial(
        slow.matrices, covariance="full", estimate="map", share=np.zeros(3), toward="total", fixed=held_of(kept)
    )
    require_close(found[whole], slow.left_out(kept, density, np.full(3, 1 / 3)))


@pytest.mark.parametrize(
    "likelihood",
    [
        sf.Gaussian(covariance="shared", joint=False),
        sf.Gaussian(covariance="spherical"),
        sf.Gaussian(covariance="full", shrinkage=0.3, toward="spherical"),
        sf.Gaussian(covariance="shared", shrinkage="oas"),
    ],
    ids=str,
)
@pytest.mark.parametrize("estimate", ESTIMATES)
def test_neither_units_nor_a_far_origin_matter(likelihood: sf.Gaussian, estimate: str) -> None:
    rng = np.random.default_rng(6)
    codes = rng.integers(0, 3, ROWS)
    x = rng.integers(-20, 20, (ROWS, 3)) + 9.0 * codes[:, None]
    scale = np.array([4.0, 0.125, -2.0])
    far = x * scale + 2.0**40
    near = left_out(sf.fit(x, codes, likelihood, estimate=estimate), x, codes)
    found = left_out(sf.fit(far, codes, likelihood, estimate=estimate), far, codes)
    require_close(found, near - np.log(np.abs(scale)).sum())


def test_missing_as_evidence_beside_a_shared_variance() -> None:
    data, target, weights, _ = drawn("some", gaps=5)
    likelihood = sf.Gaussian(covariance="shared", missing="level")
    model = sf.fit(data, target, likelihood, "uniform", "mle", weights=weights)
    values = sf.fit(data, target, sf.Gaussian(covariance="shared", joint=False), "uniform", "mle", weights=weights)
    known = {name: np.where(np.isnan(column), 0.0, 1.0) for name, column in data.items()}
    presence = sf.fit(known, target, sf.Bernoulli(threshold=0.5), "uniform", "mle", weights=weights)
    both = left_out(values, data, target, weights) + left_out(presence, known, target, weights) - np.log(1 / 3)
    require_close(left_out(model, data, target, weights), both)


@pytest.mark.parametrize(
    "likelihood",
    [
        sf.Gaussian(covariance="shared", joint=False),
        sf.Gaussian(covariance="spherical"),
        sf.Gaussian(covariance="full"),
        sf.Gaussian(covariance="shared"),
        sf.Gaussian(covariance="full", shrinkage=0.5),
        sf.Gaussian(covariance="full", shrinkage="oas", toward="spherical"),
        sf.Gaussian(covariance="full", shrinkage=0.5, toward="shared"),
        sf.Gaussian(covariance="shared", shrinkage=1.0, toward="total"),
    ],
    ids=str,
)
@pytest.mark.parametrize("estimate", ESTIMATES)
def test_hardly_any_rows_leave_finite_scores(likelihood: sf.Gaussian, estimate: str) -> None:
    for x, target in (
        ([[1.0, 2.0]], ["a"]),
        ([[1.0, 2.0], [1.0, 2.0]], ["a", "b"]),
        ([[1.0, 2.0], [3.0, 5.0]], ["a", "b"]),
        ([[1.0, 2.0], [3.0, 5.0], [3.0, 5.0]], ["a", "a", "a"]),
        ([[0.0, 0.0], [0.0, 1.0], [0.0, 1.0], [1.0, 0.0]], ["a", "a", "b", "b"]),
        ([[1e150, 0.0], [-1e150, 1.0], [1e70, 1.0], [1.0, 0.0]], ["a", "a", "b", "b"]),
    ):
        model = sf.fit(np.array(x), target, likelihood, "uniform", estimate)
        assert np.isfinite(left_out(model, np.array(x), target)).all(), (x, target)


@given(
    st.lists(
        st.tuples(
            st.sampled_from("ab"),
            st.one_of(st.none(), st.integers(-5, 5)),
            st.one_of(st.none(), st.integers(-5, 5)),
            st.sampled_from([0.5, 1.0, 2.5]),
        ),
        min_size=3,
        max_size=12,
    ),
    st.sampled_from(["map", "mean", "predictive"]),
)
def test_rows_with_a_prior_of_their_own_are_as_if_never_seen(rows: list[Any], estimate: str) -> None:
    # A given prior leaves nothing that is held fixed but the unit, which cancels.
    target = ["a", "b", *(row[0] for row in rows)]
    x = np.array([(0, 1), (2, -1), *(row[1:3] for row in rows)], dtype=float)  # None is NaN
    weights = np.array([3.0, 3.0, *(row[3] for row in rows)])
    likelihood = sf.Gaussian(sf.NormalInverseGamma(0.5, 2, 1.5, 3), covariance="shared")
    model = sf.fit(x, target, likelihood, "uniform", estimate, weights)
    found = left_out(model, x, target, weights)
    for i in range(len(x)):
        less = weights.copy()
        less[i] -= min(less[i], 1.0)
        refit = sf.fit(x, target, likelihood, "uniform", estimate, less)
        require_close(found[i : i + 1], refit.log_joint(x[i : i + 1]))


@pytest.mark.parametrize(
    "likelihood",
    [
        sf.Gaussian(covariance="shared", joint=False),
        sf.Gaussian(covariance="spherical"),
        sf.Gaussian(covariance="full", shrinkage=0.4),
        sf.Gaussian(covariance="shared", shrinkage=0.4),
    ],
    ids=str,
)
def test_some_rows_at_a_time(likelihood: sf.Gaussian, monkeypatch: pytest.MonkeyPatch) -> None:
    data, target, _, _ = drawn("none", gaps=9)
    model = sf.fit(data, target, {COLUMNS: likelihood} if likelihood.together else likelihood)
    at_once = left_out(model, data, target)
    for module in ("own_rereadings", "leave_one_out"):
        monkeypatch.setattr(f"suffice.evidence.{module}._CELLS", 60)
    np.testing.assert_allclose(left_out(model, data, target), at_once, rtol=1e-14)


def test_calibration_leaves_rows_out_of_all_of_them() -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 200)
    x = np.repeat(rng.normal(y, 1.0)[:, None], 3, axis=1) + rng.normal(0, 0.3, (200, 3))
    for likelihood in (
        sf.Gaussian(covariance="shared", joint=False),
        sf.Gaussian(covariance="spherical"),
        sf.Gaussian(covariance="full", shrinkage="oas"),
    ):
        model = sf.fit(x, y, likelihood, calibrate="loo")
        assert model.calibration is not None
        assert model.calibration.learnt_from == "leave one out"
        assert sf.evaluate(x, y, likelihood, loo=True, bootstrap=0).how == "leave one out"
