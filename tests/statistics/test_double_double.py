"""Double-double arithmetic, compared with fractions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from suffice.statistics.moments import Pair, add, divide, multiply, negate, ratio, subtract, two_prod, two_sum

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
MIDDLING = st.one_of(st.just(0.0), st.floats(1e-100, 1e100), st.floats(-1e100, -1e-100))


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    high = draw(MIDDLING)
    low = draw(st.floats(-0.5, 0.5)) * float(np.spacing(abs(high))) if high else 0.0
    return two_sum(np.array([high]), np.array([low]))


def value(x: Pair) -> Fraction:
    return Fraction(float(x.high[0])) + Fraction(float(x.low[0]))


@given(a=FLOATS, b=FLOATS)
def test_two_sum_is_exact(a: float, b: float) -> None:
    assume(abs(a) < 8e307 and abs(b) < 8e307)
    assert value(two_sum(np.array([a]), np.array([b]))) == Fraction(a) + Fraction(b)


@given(a=FLOATS, b=FLOATS)
def test_two_prod_is_exact_unless_it_over_or_underflows(a: float, b: float) -> None:
    exact = Fraction(a) * Fraction(b)
    assume(abs(exact) < Fraction(1.79e308) and (exact == 0 or abs(exact) >= Fraction(2.0**-969)))
    assert value(two_prod(np.array([a]), np.array([b]))) == exact


def test_two_prod_splits_numbers_near_the_largest() -> None:
    a = np.array([1.7976931348623157e308, -1.5e308])
    with np.errstate(over="ignore"):
        high, low = two_prod(a, np.array([0.3, 0.7]))
    for i, b in enumerate((0.3, 0.7)):
        assert Fraction(float(high[i])) + Fraction(float(low[i])) == Fraction(float(a[i])) * Fraction(b)


@pytest.mark.parametrize(
    ("operation", "exact"),
    [
        (add, Fraction.__add__),
        (subtract, Fraction.__sub__),
        (multiply, Fraction.__mul__),
        (divide, Fraction.__truediv__),
    ],
)
@given(x=pairs(), y=pairs())
def test_operations_err_by_less_than_a_hundred_bits(
    operation: Callable[[Pair, Pair], Pair], exact: Callable[[Fraction, Fraction], Fraction], x: Pair, y: Pair
) -> None:
    assume(operation is not divide or value(y) != 0)
    want = exact(value(x), value(y))
    got = operation(x, y)
    assert abs(value(got) - want) <= abs(want) * Fraction(2) ** -100
    assert (got.high + got.low == got.high).all()


@given(x=pairs(), y=pairs())
def test_operations_commute_and_know_signs(x: Pair, y: Pair) -> None:
    for operation in (add, multiply):
        assert operation(x, y) == operation(y, x)
    assert subtract(x, y) == negate(subtract(y, x))
    assert value(subtract(x, x)) == 0


@given(a=MIDDLING, b=MIDDLING)
def test_ratio_of_floats(a: float, b: float) -> None:
    assume(b != 0)
    want = Fraction(a) / Fraction(b)
    assert abs(value(ratio(np.array([a]), np.array([b]))) - want) <= abs(want) * Fraction(2) ** -100
    assert value(ratio(np.array([b]), np.array([b]))) == 1
