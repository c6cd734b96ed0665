"""Columns that repeat each other, against sums written out, and copies that have to be found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice.evidence import screening as room
from suffice.evidence.screening import ColumnScorers, Redundancy, RepeatedColumn, redundancy
from suffice.sources.in_memory import table_of
from tests.oracles.screening_slow import correlation

KINDS = {
    "x": sf.Gaussian(),
    "h": sf.Histogram(4),
    "l": sf.Categorical(),
    "c": sf.Poisson(),
    "b": sf.Bernoulli(),
    "m": sf.Numeric(missing="level"),
}


def rows(seed, classes, n=60):
    rng = np.random.default_rng(seed)
    k = rng.integers(0, classes, n)
    x = rng.normal(k)
    data = {
        "x": x,
        "h": x + rng.normal(size=n),
        "l": np.array(["p", "q", "r"])[np.digitize(x, [0, 1])].tolist(),
        "c": rng.poisson(1 + k).astype(float),
        "b": (rng.random(n) < 0.5).astype(float),
        "m": np.where(rng.random(n) < 0.2 + 0.1 * k, np.nan, x),
    }
    return data, k, rng.integers(1, 4, n).astype(float)


def correlations(data, codes, weights, kinds=None, **settings):
    model = sf.fit(data, codes, columns=KINDS if kinds is None else kinds, weights=weights, calibrate=False).core
    table = table_of(data)
    return model, table, redundancy(model, list(data), table, codes, weights, np.random.default_rng(0), **settings)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("cells", [1 << 22, 50])
@given(seed=st.integers(0, 50))
def test_correlations_against_sums_written_out(classes, cells, seed):
    data, codes, weights = rows(seed, classes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "_CELLS", cells)  # all rows at once, and a few at a time
        model, table, found = correlations(data, codes, weights)
    scorers = ColumnScorers(model)
    said = np.stack([scorers.contribution(name, table) for name in data], axis=1)
    assert found.columns == tuple(data)
    for j in range(len(data)):
        for k in range(j):
            expected = correlation(said, codes.tolist(), weights.tolist(), j, k)
            assert found.correlation[j, k] == pytest.approx(expected, abs=1e-10)
            assert found.correlation[k, j] == found.correlation[j, k]


@pytest.mark.parametrize("estimate", ["mle", "predictive"])
@pytest.mark.parametrize("classes", [2, 3])
def test_contributions_add_up_to_the_joint(estimate, classes):
    data, codes, weights = rows(1, classes)
    data = {**data, "note": ["a b", "b c"] * 30}
    model = sf.fit(
        data, codes, columns={**KINDS, "note": sf.Words()}, weights=weights, estimate=estimate, calibrate=False
    )
    scorers, table = ColumnScorers(model.core), table_of(data)
    total = scorers.rest(table) + sum(scorers.contribution(name, table) for name in KINDS)
    np.testing.assert_allclose(total, model.log_joint(data), rtol=1e-12, atol=1e-12)


def test_a_planted_copy_is_found_first():
    rng = np.random.default_rng(0)
    y = rng.random(2000) < 0.2
    x = rng.normal(size=(2000, 6)) + y[:, None] * np.linspace(0.2, 1.5, 6)
    near = x[:, 1] + 0.3 * rng.normal(size=2000)
    data = {**{f"x{j}": x[:, j] for j in range(6)}, "near": near, "copy": 5 - 2 * x[:, 4]}
    found = sf.screen(data, y, redundant=0.5)
    assert [each[:2] for each in found.redundant] == [("copy", "x4"), ("near", "x1")]
    assert found.redundant[0].correlation == pytest.approx(1.0, abs=0.01)
    # Eight columns of which one is copied would be 6.73, and 5.66 if both pairs were copies.
    copied = [
        np.exp(-sum(n / 8 * np.log(n / 8) for n in sizes)) for sizes in ([2, 1, 1, 1, 1, 1, 1], [2, 2, 1, 1, 1, 1])
    ]
    assert copied[1] < found.effective_columns < copied[0]


def test_columns_that_both_tell_the_class_repeat_nothing():
    rng = np.random.default_rng(0)
    y = rng.random(5000) < 0.5
    found = sf.screen(rng.normal(size=(5000, 3)) + 4 * y[:, None], y, redundant=0.1)
    assert found.redundant == ()
    assert found.effective_columns == pytest.approx(3, abs=0.01)


def test_copies_of_one_column_are_one():
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.5
    x = rng.normal(size=300) + y
    found = sf.screen(np.column_stack([x] * 4), y)
    assert found.effective_columns == pytest.approx(1.0)
    pairs = [each[:2] for each in found.redundant]
    assert sorted(pairs) == [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]


def test_columns_that_say_nothing_are_not_counted():
    data, codes, weights = rows(0, 2)
    some = {"x": data["x"], "one": np.ones(60), "nothing": np.full(60, np.nan)}
    *_, found = correlations(some, codes, weights, sf.Gaussian())
    assert found.columns == ("x",)
    assert found.correlation.tolist() == [[1.0]]
    assert Redundancy((), np.zeros((0, 0))).effective_columns == 0.0


def test_a_sample_of_many_rows_depends_on_the_seed_alone():
    data, codes, weights = rows(0, 2, 400)
    *_, one = correlations(data, codes, weights, most_rows=100)
    *_, same = correlations(data, codes, weights, most_rows=100)
    *_, all_rows = correlations(data, codes, weights)
    np.testing.assert_array_equal(one.correlation, same.correlation)
    assert (one.correlation != all_rows.correlation).any()
    assert np.abs(one.correlation - all_rows.correlation).max() < 0.5


def test_pairs_are_ranked_and_the_later_column_repeats_the_other():
    matrix = np.array([[1.0, 0.5, -0.1], [0.5, 1.0, 0.8], [-0.1, 0.8, 1.0]])
    found = Redundancy(("a", "b", "c"), matrix)
    assert found.pairs(0.5) == [RepeatedColumn("c", "b", 0.8), RepeatedColumn("b", "a", 0.5)]
    roots = np.roots([1, -3, 3 - 0.25 - 0.64 - 0.01, -np.linalg.det(matrix)]) / 3
    assert found.effective_columns == pytest.approx(np.prod(roots**-roots))
