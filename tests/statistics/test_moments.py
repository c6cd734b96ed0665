"""Moments: construction, the merge formula, precision after a subtraction, and errors."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.errors import DataError, MergeError
from suffice.statistics import Axis, Moments
from suffice.statistics.moments import PASS
from tests.oracles import rows_moments

NAN = float("nan")
A = Axis.of(["a"])


def of(*values: float, weights: list[float] | None = None) -> Moments:
    """Return the moments of one column "x" in one class "a"."""
    return rows_moments.as_statistic([[v] for v in values], [0] * len(values), ["a"], ["x"], weights)


def row(value: float, weight: float = 1.0) -> Moments:
    return Moments(A, ["x"], [[weight]], [[value]], [[0]])


def test_the_merge_formula() -> None:
    both = of(1, 2) + of(6)
    assert (both.weight.tolist(), both.mean.tolist(), both.dp.tolist()) == ([[3]], [[3]], [[14]])


def test_rows_at_mean_1e8_split_into_many_parts() -> None:
    rng = np.random.default_rng(7)
    x = 1e8 + rng.standard_normal(2000)
    whole = of(*x)
    parts = Moments.zero(["x"])
    for part in np.array_split(x, 23):
        parts = parts + of(*part)
    np.testing.assert_allclose(parts.dp, whole.dp, rtol=1e-15)
    assert parts.mean.tolist() == whole.mean.tolist()
    assert abs(parts.mean_low - whole.mean_low).max() < 1e-20


def test_a_constant_column_keeps_dp_zero() -> None:
    both = of(0.1, 0.1, 0.1) + of(0.1) + of(*[0.1] * 7)
    assert both.dp.tolist() == [[0]]
    assert both.mean.tolist() == [[0.1]]
    assert (both - of(0.1)).dp.tolist() == [[0]]


def test_a_single_row_comes_back_without_spread() -> None:
    rng = np.random.default_rng(3)
    many = of(*rng.standard_normal(300), 1e6)
    alone = of(0.3) + many - many
    assert alone.weight.tolist() == [[1]]
    assert alone.mean.tolist() == [[0.3]]
    assert alone.dp.tolist() == [[0]]
    assert alone.dp_low.tolist() == [[0]]


def test_a_single_row_of_fractional_weight_comes_back_without_spread() -> None:
    many = of(*range(1000), weights=[0.1] * 1000)
    alone = many + row(-3e4, 0.1) - many
    np.testing.assert_allclose(alone.weight, [[0.1]], rtol=1e-11)
    np.testing.assert_allclose(alone.mean, [[-3e4]], rtol=1e-11)
    assert alone.dp.tolist() == [[0]]


def test_classes_come_and_go() -> None:
    left = Moments(Axis.of(["a", "b"]), 1, [[1], [2]], [[5], [6]], [[0], [2]])
    right = Moments(Axis.of(["b", "c"]), 1, [[1], [2]], [[6], [6]], [[0], [2]])
    both = left + right
    assert both.classes.labels == ("a", "b", "c")
    assert both - right == left
    assert both - left == right
    assert both - both == Moments.zero(1)


def test_declared_classes_stay() -> None:
    named = Moments.zero(1, Axis.of(["z"], declared=True))
    assert (named + row_of_numbered()).classes.labels == ("a", "z")
    assert (named + row_of_numbered() - row_of_numbered()) == named
    assert (named + row_of_numbered()).scale(0) == named


def row_of_numbered() -> Moments:
    return Moments(A, 1, [[1]], [[5]], [[0]])


def test_cells_without_weight_are_zero() -> None:
    left = Moments(A, 2, [[1, 0]], [[5, 0]], [[0, 0]])
    assert (left + left).weight.tolist() == [[2, 0]]
    right = Moments(A, 2, [[1, 1]], [[6, -3]], [[0, 0]])
    assert left + right - right == left
    assert (left + right - left).mean.tolist() == [[6, -3]]


def test_scale_moves_weight_and_dp() -> None:
    half = of(1, 2, 6).scale(0.5)
    assert (half.weight.tolist(), half.mean.tolist(), half.dp.tolist()) == ([[1.5]], [[3]], [[7]])
    assert row(3.0, 5e-324).scale(0.25) == Moments.zero(["x"])


@pytest.mark.parametrize(
    ("minuend", "subtrahend", "found"),
    [
        (of(1, 2), of(1, 2, 3), "has weight 2.0, but 3.0 would be removed"),
        (of(1, 2), of(9), "has squared deviations 0.5, but 112.5 would be removed"),
        (of(1, 1, 1), of(1, 2), "has squared deviations 0.0, but 2.0 would be removed"),
        (of(1, 2), of(1, 9), "has squared deviations 0.5, but 32.0 would be removed"),
        (of(1, 2), of(1e200), "has squared deviations 0.5, but inf would be removed"),
    ],
)
def test_more_than_was_put_in_is_refused(minuend: Moments, subtrahend: Moments, found: str) -> None:
    with pytest.raises(MergeError) as error:
        minuend - subtrahend
    assert str(error.value) == (
        f"cannot remove rows that were not added: class 'a', column 'x' {found}. "
        "Remove only rows that were added, with the same weights."
    )


def test_rounding_of_plain_floats_is_not_too_much() -> None:
    """A dp from float64 sums may be 2⁻⁴⁰ too small, and a mean may be off by half an ulp."""
    b = Moments(A, ["x"], [[100.0]], [[3.0]], [[50.0 * (1 + 2.0**-42)]])
    assert Moments(A, ["x"], [[100.0]], [[3.0]], [[50.0]]) - b == Moments.zero(["x"])
    near = Moments(A, ["x"], [[100.0]], [[1e8]], [[1e-14]])
    above = Moments(A, ["x"], [[90.0]], [[1e8]], [[2e-14]])
    assert (near - above).dp.tolist() == [[0]]
    with pytest.raises(MergeError):
        Moments(A, ["x"], [[100.0]], [[3.0]], [[50.0]]) - Moments(
            A, ["x"], [[100.0]], [[3.0]], [[50.0 * (1 + 2.0**-38)]]
        )


@pytest.mark.parametrize(
    ("arrays", "text"),
    [
        (
            ([[1, -1]], [[0, 0]], [[0, 0]]),
            "weight must be finite and ≥ 0: class 'a', column 'y' has -1.0. Pass finite weights ≥ 0.",
        ),
        (
            ([[1, 1]], [[0, float("-inf")]], [[0, 0]]),
            "mean must be finite: class 'a', column 'y' has -inf. Rescale the column, or model it with a histogram.",
        ),
        (
            ([[1, 1]], [[0, 0]], [[-1, 0]]),
            (
                "dp must be finite and ≥ 0: class 'a', column 'x' has -1.0. "
                "Rescale the column, or model it with a histogram."
            ),
        ),
        (
            ([[1, 1]], [[0, 0]], [[NAN, 0]]),
            (
                "dp must be finite and ≥ 0: class 'a', column 'x' has nan. "
                "Rescale the column, or model it with a histogram."
            ),
        ),
        (
            ([[1, 1]], [[0, 0]], [[0, 0]], [[NAN, 0]]),
            "mean_low must be finite: class 'a', column 'x' has nan. Pass the rounding error of mean, or omit it.",
        ),
        (
            ([[1, 1]], [[0, 0]], [[1, 0]], None, [[-2, 0]]),
            (
                "dp must be finite and ≥ 0: class 'a', column 'x' has -1.0. "
                "Rescale the column, or model it with a histogram."
            ),
        ),
        (
            ([[1, 0]], [[0, 3]], [[0, 0]]),
            (
                "mean and dp must be 0 where the weight is 0: class 'a', column 'y' has weight 0.0, mean 3.0, dp 0.0 "
                "and dp_blur 0.0. Pass 0 for all of them."
            ),
        ),
        (
            ([[1, 0]], [[0, 0]], [[0, 0]], None, None, [[0, 2]]),
            (
                "mean and dp must be 0 where the weight is 0: class 'a', column 'y' has weight 0.0, mean 0.0, dp 0.0 "
                "and dp_blur 2.0. Pass 0 for all of them."
            ),
        ),
        (
            ([[1, 1]], [[0, 0]], [[0, 0]], 5),
            "mean_low must have shape (1, 2): got shape (). Pass one entry for each label.",
        ),
        (
            ([[1, 1]], [[0, 0]], [[0, 0]], None, 0),
            "dp_low must have shape (1, 2): got shape (). Pass one entry for each label.",
        ),
        (
            ([[1, 1]], [[0, 0]], [[0, 0]], None, None, -5),
            "dp_blur must have shape (1, 2): got shape (). Pass one entry for each label.",
        ),
        (
            ([[1, 1]], [[0, 0]], [[0, 0]], None, None, [[0, -5]]),
            "dp_blur must be finite and ≥ 0: class 'a', column 'y' has -5.0. Omit it if dp is exact.",
        ),
        (
            ([[1, 1]], [[1.7e308, 0]], [[0, 0]], [[1e308, 0]]),
            "mean must be finite: class 'a', column 'x' has inf. Rescale the column, or model it with a histogram.",
        ),
    ],
)
def test_what_cannot_be_moments_is_refused(arrays: tuple[Any, ...], text: str) -> None:
    with pytest.raises(DataError) as error:
        Moments(A, ["x", "y"], *arrays)
    assert str(error.value) == text


def test_low_parts_are_brought_in_order() -> None:
    value = Moments(A, 1, [[1]], [[1.0]], [[2.0]], [[0.5]], [[2.0**-80]])
    assert value.mean.tolist() == [[1.5]]
    assert value.mean_low.tolist() == [[0]]
    assert value.dp_low.tolist() == [[2.0**-80]]


def test_overflow_is_refused_by_name() -> None:
    text = "dp must be finite and ≥ 0: class 'a', column 'x' has inf. Rescale the column, or model it with a histogram."
    for left, right in ((1e155, -1e155), (1.7e308, -1.7e308)):
        with pytest.raises(DataError) as error:
            row(left) + row(right)
        assert str(error.value) == text
    with pytest.raises(DataError) as error:
        of(1e153, -1e153).scale(1e10)
    assert str(error.value) == text


def test_near_the_largest_float_all_is_well() -> None:
    both = row(9e153) + row(-9e153)
    assert float(both.dp[0, 0]) == float(2 * Fraction(9e153) ** 2)
    assert both - row(9e153) == row(-9e153)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=5))
def test_any_floats_add_up_and_come_apart_or_overflow(values: list[float]) -> None:
    try:
        total = sum((row(v) for v in values[1:]), row(values[0]))
    except DataError as error:
        assert "has inf" in str(error)  # noqa: PT017  (both ends of the test are the same law)
        return
    rest = total
    for value in values[1:]:
        rest = rest - row(value)
        assert np.isfinite(rest.mean).all()
        assert np.isfinite(rest.dp).all()
        assert (rest.dp >= 0).all()
    assert rest.weight.tolist() == [[1]]


@given(
    st.lists(
        st.tuples(st.one_of(st.floats(-1e100, 1e100), st.sampled_from([0.0, 0.1, 1e15])), st.floats(0.1, 10)),
        min_size=2,
        max_size=6,
    )
)
def test_rows_of_fractional_weight_come_apart_again(rows: list[tuple[float, float]]) -> None:
    total = sum((row(*r) for r in rows[1:]), row(*rows[0]))
    rest = total
    for r in rows[1:]:
        rest = rest - row(*r)
    np.testing.assert_allclose(rest.weight, [[rows[0][1]]], rtol=1e-12)
    assert 0 <= float(rest.dp[0, 0]) <= 1e-9 * float(total.dp[0, 0])


@pytest.mark.parametrize("weights", [(5.0, 1.0, 1.9375), (1.0, 0.5, 2.0)])
def test_subnormal_squared_deviations_are_rounding(weights: tuple[float, ...]) -> None:
    tiny, *zeros = (row(x, w) for x, w in zip((5e-161, 0.0, 0.0), weights, strict=True))
    total = sum(zeros, tiny)
    assert 0 < total.dp[0, 0] < 1e-300
    rest = total
    for part in zeros:
        rest = rest - part
    assert rest.dp.tolist() == [[0]]
    assert (total - tiny - zeros[0]).dp.tolist() == [[0]]


def test_an_outlier_that_was_taken_out_does_not_stop_the_next() -> None:
    """What 1e15 blurred is not held against the rows that are taken out after it."""
    values = [0.5, 1.5, -0.25, 1e15, 1e-40, 2e-50]
    rest = of(*values)
    for value in (1e15, 0.5, 1.5, 1e-40, -0.25):
        rest = rest - row(value)
    assert rest.weight.tolist() == [[1]]
    assert rest.dp.tolist() == [[0]]
    assert float(rest.dp_blur[0, 0]) > 1
    assert abs(float(rest.mean[0, 0])) < 1e-9
    kept = Moments.from_arrays(rest.to_arrays())
    assert kept.dp_blur.tolist() == rest.dp_blur.tolist()
    assert (rest - row(2e-50)).dp_blur.size == 0
    assert rest.scale(2).dp_blur[0, 0] == 2 * rest.dp_blur[0, 0]
    with pytest.raises(MergeError):
        of(*values) - row(1e15) - row(1e6)


def collected(*values: float, off: float = 0.0) -> Moments:
    """Return what a pass over the values would: dp one float, wrong by `off` blurs, and its blur."""
    exact = of(*values)
    blur = exact.dp * PASS
    return Moments(A, ["x"], exact.weight, exact.mean, exact.dp + off * blur, exact.mean_low, None, blur)


def test_what_an_outlier_blurred_in_the_pass_is_unknown() -> None:
    """Spread 1 collected together with 1e9: the pass has rounded it away, and says so."""
    values = np.random.default_rng(2).standard_normal(100).tolist()
    true = of(*values).dp
    for off in (-1.0, -0.4, 0.0, 0.4, 1.0):
        rest = collected(*values, 1e9, off=off) - collected(1e9)
        assert rest.weight.tolist() == [[100]]
        assert rest.dp.tolist() == [[0]]
        assert 3e3 < float(rest.dp_blur[0, 0]) < 4e3
        assert (np.abs(rest.dp - true) <= 2 * rest.dp_blur).all()
        assert (rest - collected(values[0])).dp.tolist() == [[0]]


def squarable(most: float) -> st.SearchStrategy[float]:
    """Draw numbers whose squares are normal floats: below that, nothing is relative to anything."""
    return st.floats(-most, most).map(lambda value: value if abs(value) > 1e-100 else 0.0)


@given(
    st.lists(squarable(1e3), min_size=1, max_size=6),
    st.lists(squarable(1e9), min_size=1, max_size=3),
    st.floats(-1, 1),
    st.floats(-1, 1),
)
def test_collected_rows_come_apart_within_twice_the_blur(
    kept: list[float], gone: list[float], off: float, off_gone: float
) -> None:
    rest = collected(*kept, *gone, off=off) - collected(*gone, off=off_gone)
    true = of(*kept).dp
    assert (rest.dp >= 0).all()
    assert rest.weight.tolist() == [[len(kept)]]
    assert (np.abs(rest.dp - true) <= 2 * rest.dp_blur + 1e-15 * true).all()
    largest = max(map(abs, kept + gone))
    assert (rest.dp_blur <= 2.01 * PASS * of(*kept, *gone).dp + 2.0**-90 * largest**2).all()


def test_blurs_add_and_scale_and_are_stored_and_are_not_compared() -> None:
    a, b = collected(1, 2, 4), collected(5, 9)
    assert (a + b).dp_blur.tolist() == (a.dp_blur + b.dp_blur).tolist()
    assert (a + b).scale(0.5).dp_blur.tolist() == (0.5 * (a.dp_blur + b.dp_blur)).tolist()
    assert Moments.from_arrays(a.to_arrays()).dp_blur.tolist() == a.dp_blur.tolist()
    assert a == Moments(A, ["x"], a.weight, a.mean, a.dp, a.mean_low)
    assert (a + b - b).dp.tolist() == a.dp.tolist()


def test_beyond_106_bits_nothing_is_kept() -> None:
    small, large = of(-3.38e-9, -8.13e-9, 2.161e-8), of(-9.04e6)
    assert (small.dp > 0).all()
    rest = small + large - large
    assert rest.dp.tolist() == [[0]]
    assert (rest.dp_blur >= small.dp).all()
    near = of(-3.38e-3, -8.13e-3, 2.161e-2)
    np.testing.assert_allclose((near + large - large).dp, near.dp, rtol=1e-9)


def test_a_total_beyond_the_largest_float_is_said() -> None:
    heavy = Moments(Axis.of(["a", "b"]), 1, [[1e308], [1e308]], [[0], [0]], [[0], [0]])
    assert repr(heavy) == "Moments(Axis('a', 'b') × 1 columns, total weight above 1.79769e+308)"


def test_taking_out_nothing_changes_nothing() -> None:
    blurred = of(0.5, 1.5, 1e15) - row(1e15)
    assert (blurred + row(3) - Moments.zero(["x"])).dp.tolist() == (blurred + row(3)).dp.tolist()


def test_columns_must_be_the_same() -> None:
    with pytest.raises(MergeError) as error:
        row(1) + Moments.zero(["y"])
    assert str(error.value) == (
        "cannot add statistics of different columns: only the left side has ['x'], only the right side has ['y']. "
        "Collect both with the same columns in the same order."
    )
    with pytest.raises(MergeError, match="cannot subtract"):
        row(1) - Moments.zero(["y"])


def test_other_things_do_not_add() -> None:
    with pytest.raises(TypeError):
        row(1) + 1  # pyright: ignore[reportOperatorIssue]
    with pytest.raises(TypeError):
        row(1) - 1  # pyright: ignore[reportOperatorIssue]
    assert row(1) != 1


def test_equality_reads_the_low_parts() -> None:
    assert Moments(A, 1, [[1]], [[1]], [[0]], [[2.0**-60]]) != Moments(A, 1, [[1]], [[1]], [[0]])


def test_repr_says_what_was_seen() -> None:
    assert repr(of(1, 2)) == "Moments(Axis('a') × 1 columns, total weight 2)"


def test_the_oracle_knows_small_tables_by_heart() -> None:
    weight, mean, dp = rows_moments.exact([[1, NAN], [2, 5], [9, 9], [3, 4]], [0, 0, -1, 1], 2, [1, 3, 7, 0])
    assert weight.tolist() == [[4, 3], [0, 0]]
    assert mean.tolist() == [[1.75, 5], [0, 0]]
    assert dp.tolist() == [[0.75, 0], [0, 0]]
