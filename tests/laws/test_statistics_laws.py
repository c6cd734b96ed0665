"""Laws that every statistic obeys, on rows drawn by hypothesis and made into statistics by the exact oracles.

With whole weights Tally, Counts, Bins and Maxima are exact, and so is every law on them. Moments and Scatter hold to
1e-12 of what they are made of, and to 1e-9 when something is taken out again. From Maxima nothing is taken out.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.errors import MergeError
from suffice.statistics import Axis, Moments, Scatter
from tests.laws.statistics_rows import (
    COLUMNS,
    FRACTIONAL,
    LABELS,
    Rows,
    bins,
    joined,
    levels,
    maxima,
    moments,
    presence,
    scatter,
    some_rows,
    tally,
    wild,
    zero_like,
)
from tests.oracles import rows_moments

EXACT = pytest.mark.parametrize("make", [tally, levels, presence, bins])
ADDED = pytest.mark.parametrize("make", [tally, levels, presence, bins, maxima])
DEVIATIONS = pytest.mark.parametrize("make", [moments, scatter])
EVERY = pytest.mark.parametrize("make", [tally, levels, presence, bins, moments, scatter])


def largest_cells(*parts: Rows) -> np.ndarray:
    """Return the size of the largest cell of each column: what a mean can be at most."""
    cells = np.abs(np.array(joined(*parts).x, dtype=np.float64).reshape(-1, len(COLUMNS)))
    return np.nanmax(np.vstack([cells, np.zeros(len(COLUMNS))]), axis=0)


def squares(statistic: Moments | Scatter) -> np.ndarray:
    """Return dp, which is the diagonal of a scatter."""
    return statistic.dp if isinstance(statistic, Moments) else np.diagonal(statistic.scatter, axis1=1, axis2=2)


def assert_close(got: Any, want: Any, tolerance: float) -> None:
    """Compare deviations of the same rows: weight and dp relative to themselves, means to the size of their numbers."""
    assert got.classes == want.classes
    assert got.columns == want.columns
    np.testing.assert_allclose(got.weight, want.weight, rtol=tolerance, atol=0)
    weight = want.weight if isinstance(want, Moments) else want.weight[:, None]
    spread = squares(want) / np.where(weight > 0, weight, 1.0)
    assert (np.abs(got.mean - want.mean) <= tolerance * np.sqrt(want.mean**2 + spread)).all()
    np.testing.assert_allclose(squares(got), squares(want), rtol=tolerance, atol=0)
    if isinstance(want, Scatter):
        assert np.array_equal(got.left_out, want.left_out) or np.allclose(got.left_out, want.left_out, tolerance, 0)
        root = np.sqrt(squares(want))
        assert (np.abs(got.scatter - want.scatter) <= tolerance * root[:, :, None] * root[:, None, :]).all()


@ADDED
@given(a=some_rows(), b=some_rows(), c=some_rows())
def test_sums_of_integer_weights_are_exact(make: Any, a: Rows, b: Rows, c: Rows) -> None:
    whole = make(joined(a, b, c))
    assert make(a) + make(b) + make(c) == whole
    assert make(a) + (make(b) + make(c)) == whole
    assert make(c) + make(a) + make(b) == whole


@given(a=some_rows(cells=wild), b=some_rows(cells=wild), c=some_rows(cells=wild), limit=st.integers(1, 6))
def test_bins_of_any_floats_depend_on_the_data_alone(a: Rows, b: Rows, c: Rows, limit: int) -> None:
    whole = bins(joined(a, b, c), limit)
    assert bins(a, limit) + (bins(c, limit) + bins(b, limit)) == whole
    assert bins(b, limit) + bins(a, limit) + bins(c, limit) == whole


@DEVIATIONS
@pytest.mark.parametrize("weight", [None, FRACTIONAL])
@given(data=st.data())
def test_sums_of_deviations_equal_those_of_all_rows(make: Any, weight: Any, data: st.DataObject) -> None:
    rows = some_rows() if weight is None else some_rows(weight)
    a, b, c = data.draw(rows), data.draw(rows), data.draw(rows)
    whole = make(joined(a, b, c))
    assert_close(make(a) + make(b) + make(c), whole, 1e-12)
    assert_close(make(a) + (make(b) + make(c)), whole, 1e-12)


@pytest.mark.parametrize("make", [tally, levels, presence, bins, moments, scatter, maxima])
@given(a=some_rows(FRACTIONAL), b=some_rows(FRACTIONAL))
def test_sums_commute_to_the_bit(make: Any, a: Rows, b: Rows) -> None:
    assert make(a) + make(b) == make(b) + make(a)


@given(a=some_rows(FRACTIONAL), b=some_rows(), declared=st.lists(st.sampled_from(LABELS), unique_by=repr).map(tuple))
def test_maxima_add_and_do_not_subtract(a: Rows, b: Rows, declared: tuple[Any, ...]) -> None:
    value, zero = maxima(a), zero_like(maxima(a))
    assert value + zero == zero + value == value - zero == value
    named = value + zero_like(value, declared)
    assert named + zero == named
    if maxima(b).weight.any():
        with pytest.raises(MergeError, match="cannot be removed"):
            maxima(a) + maxima(b) - maxima(b)


@EVERY
@given(a=some_rows(FRACTIONAL), declared=st.lists(st.sampled_from(LABELS), unique_by=repr).map(tuple))
def test_zero_is_neutral_to_the_bit(make: Any, a: Rows, declared: tuple[Any, ...]) -> None:
    value = make(a)
    zero = zero_like(value)
    assert value + zero == value
    assert zero + value == value
    assert value - zero == value
    assert value - value == zero
    named = value + zero_like(value, declared)
    assert named + zero == named
    assert named - value == zero_like(value, declared)


@EXACT
@given(a=some_rows(), b=some_rows())
def test_subtracting_integer_weights_undoes_adding(make: Any, a: Rows, b: Rows) -> None:
    both = make(a) + make(b)
    kept = make(a).coarsen(np.where(np.diff(make(a).offsets), both.shift, 0)) if make is bins else make(a)
    assert both - make(b) == kept


@EXACT
@given(a=some_rows(FRACTIONAL), b=some_rows(FRACTIONAL))
def test_subtracting_fractional_counts_undoes_adding(make: Any, a: Rows, b: Rows) -> None:
    both = make(a) + make(b)
    rest = both - make(b)
    want = make(a).coarsen(np.where(np.diff(make(a).offsets), both.shift, 0)) if make is bins else make(a)
    for name in (field.name for field in fields(want)):
        got, expected = getattr(rest, name), getattr(want, name)
        if isinstance(expected, np.ndarray) and expected.dtype == np.float64:
            np.testing.assert_allclose(got, expected, rtol=1e-9, atol=0)
        else:
            assert np.array_equal(got, expected) if isinstance(expected, np.ndarray) else got == expected


@given(a=some_rows(cells=wild), b=some_rows(cells=wild), limit=st.integers(1, 6))
def test_subtracting_bins_keeps_the_resolution_of_the_sum(a: Rows, b: Rows, limit: int) -> None:
    left = bins(a, limit)
    both = left + bins(b, limit)
    assert both - bins(b, limit) == left.coarsen(both.shift)


@DEVIATIONS
@given(a=some_rows(), b=some_rows())
def test_subtracting_deviations_undoes_adding(make: Any, a: Rows, b: Rows) -> None:
    both = make(a) + make(b)
    rest = both - make(b)
    want = make(a)
    assert rest.classes == want.classes
    np.testing.assert_array_equal(rest.weight, want.weight)
    # a's mean was rounded to the pairs of the sum's mean, which may be 1e8 and far from a's.
    size = np.abs(both.mean).max(initial=0.0) + np.abs(want.mean)
    assert (np.abs(rest.mean - want.mean) <= 1e-20 * size + 1e-15 * np.abs(want.mean)).all()
    np.testing.assert_allclose(squares(rest), squares(want), rtol=1e-9, atol=0)


@DEVIATIONS
@given(a=some_rows(FRACTIONAL), b=some_rows(FRACTIONAL))
def test_subtracting_fractional_weights_undoes_adding(make: Any, a: Rows, b: Rows) -> None:
    both = make(a) + make(b)
    rest = both - make(b)
    want = make(a)
    assert rest.classes == want.classes
    np.testing.assert_allclose(rest.weight, want.weight, rtol=1e-9, atol=0)
    at = both.classes.positions(want.classes)
    # A rounded weight blurs dp by that share of the squared distance to b.
    np.testing.assert_array_less(np.abs(squares(rest) - squares(want)), 1e-9 * squares(both)[at] + 5e-324)
    # And the mean by that share of the distance to b, which is at most twice the largest number of either.
    assert (np.abs(rest.mean - want.mean) <= 1e-9 * largest_cells(a, b)).all()


@given(big=st.integers(0, 2**30), n=st.integers(2, 10**9), gap=st.integers(0, 2**10))
def test_a_small_part_survives_a_large_one(big: int, n: int, gap: int) -> None:
    small = rows_moments.as_statistic([[1.0], [1.5], [0.25]], [0, 0, 0], ["a"], 1)
    large = Moments(Axis.of(["a"]), 1, [[n]], [[gap * 2.0**-3]], [[float(big) * n]])
    rest = small + large - large
    np.testing.assert_allclose(rest.dp, small.dp, rtol=1e-9)
    np.testing.assert_allclose(rest.mean, small.mean, rtol=1e-15)
    assert rest.weight.tolist() == [[3.0]]


@ADDED
@given(a=some_rows(), b=some_rows(), w=st.integers(0, 9))
def test_integer_scale_distributes_exactly(make: Any, a: Rows, b: Rows, w: int) -> None:
    assert (make(a) + make(b)).scale(w) == make(a).scale(w) + make(b).scale(w)
    assert make(a).scale(1) == make(a)
    assert make(a).scale(0) == zero_like(make(a))


@DEVIATIONS
@given(a=some_rows(FRACTIONAL), b=some_rows(FRACTIONAL), w=st.floats(1e-6, 1e6))
def test_scale_distributes(make: Any, a: Rows, b: Rows, w: float) -> None:
    assert_close(make(a).scale(w) + make(b).scale(w), (make(a) + make(b)).scale(w), 1e-12)
    assert make(a).scale(1) == make(a)
    assert make(a).scale(0) == zero_like(make(a))
