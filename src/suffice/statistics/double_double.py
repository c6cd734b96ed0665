"""Double-double arithmetic: a number as the unevaluated sum of two floats, about 106 bits of mantissa.

Symbols: ⊕ ⊖ ⊗ are the rounded operations of float64, + − × / the exact ones; x = (high, low) stands for high + low
with |low| ≤ ½ ulp(high).

    TwoSum       s = a ⊕ b;  t = s ⊖ a;  e = (a ⊖ (s ⊖ t)) ⊕ (b ⊖ t);  a + b = s + e exactly              [Knuth 4.2.2]
    FastTwoSum   s = a ⊕ b;  e = b ⊖ (s ⊖ a), where |a| ≥ |b| or a = 0                                       [Dekker 4]
    Split        g = (2²⁷ + 1) ⊗ a;  h = g ⊖ (g ⊖ a);  l = a ⊖ h;  a = h + l, 26 bits each                   [Veltkamp]
    TwoProd      p = a ⊗ b;  e = ((a_h b_h ⊖ p) ⊕ a_h b_l ⊕ a_l b_h) ⊕ a_l b_l;  a × b = p + e exactly       [Dekker 5]

Split overflows above 2⁹⁹⁶: there TwoProd works on a · 2⁻⁶⁰. TwoProd is exact while |p| ≥ 2⁻⁹⁶⁹; below that its error
falls under the smallest float and the product is good to a float's own precision there. Each operation below has a
relative error of at most 2⁻¹⁰² or so, is commutative to the bit and antisymmetric in the sign. There is no fused
multiply-add in NumPy, so the products are Dekker's.

Infinities: a sum or product that overflows has a high part of ±inf and a low part that may be NaN; who keeps the result
must check the high part (Moments and Scatter do).

Sources: T. J. Dekker, A floating-point technique for extending the available precision, Numer. Math. 18 (1971);
D. E. Knuth, The Art of Computer Programming 2, §4.2.2; J. R. Shewchuk, Adaptive precision floating-point arithmetic,
Discrete Comput. Geom. 18 (1997); Y. Hida, X. S. Li, D. H. Bailey, Algorithms for quad-double precision (2001).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from suffice.statistics.frozen_arrays import FloatArray, Where, frozen, require, sealed

__all__ = ["Pair", "add", "checked_pair", "divide", "multiply", "negative", "ratio", "subtract", "two_prod", "two_sum"]

_SPLITTER = 134217729.0  # 2²⁷ + 1
_LARGE = 2.0**996


class Pair(NamedTuple):
    """A double-double array: high + low."""

    high: FloatArray
    low: FloatArray


def two_sum(a: FloatArray, b: FloatArray) -> Pair:
    """Return the rounded sum and its exact error."""
    s = a + b
    t = s - a
    return Pair(s, (a - (s - t)) + (b - t))


def two_prod(a: FloatArray, b: FloatArray) -> Pair:
    """Return the rounded product and its exact error (Dekker)."""
    scale_a, scale_b = _scale(a), _scale(b)
    if scale_a is None and scale_b is None:
        return _two_prod(a, b)
    scale = (1.0 if scale_a is None else scale_a), (1.0 if scale_b is None else scale_b)
    error = _two_prod(a * scale[0], b * scale[1]).low
    return Pair(a * b, error / scale[0] / scale[1])


def checked_pair(
    what: str,
    high: npt.ArrayLike,
    low: npt.ArrayLike | None,
    shape: tuple[int, ...],
    where: Where,
    do: str,
    *,
    negative: bool = True,
) -> Pair:
    """Return high + low as a proper pair of frozen arrays, or raise DataError. A low of None stands for zeros."""
    upper: FloatArray = frozen(what, high, shape)
    require(what, upper, where, do, negative=negative)
    if low is None:
        return Pair(upper, sealed(np.zeros(shape)))
    lower: FloatArray = frozen(f"{what}_low", low, shape)
    require(f"{what}_low", lower, where, f"Give what {what} rounds off, or leave it out.", negative=True)
    with np.errstate(over="ignore", invalid="ignore"):
        if ((upper + lower) == upper).all():
            return Pair(upper, lower)
        high_part, low_part = two_sum(upper, lower)
    require(what, high_part, where, do, negative=negative)
    return Pair(sealed(high_part), sealed(low_part))


def negative(x: Pair) -> Pair:
    """Return −x."""
    return Pair(-x.high, -x.low)


def add(x: Pair, y: Pair) -> Pair:
    """Return x + y."""
    s, e = two_sum(x.high, y.high)
    t, f = two_sum(x.low, y.low)
    s, e = _fast_two_sum(s, e + t)
    return Pair(*_fast_two_sum(s, e + f))


def subtract(x: Pair, y: Pair) -> Pair:
    """Return x − y."""
    return add(x, negative(y))


def multiply(x: Pair, y: Pair) -> Pair:
    """Return x × y."""
    p, e = two_prod(x.high, y.high)
    return Pair(*_fast_two_sum(p, e + (x.high * y.low + x.low * y.high)))


def divide(x: Pair, y: Pair) -> Pair:
    """Return x / y, y not zero."""
    first = x.high / y.high
    rest = subtract(x, multiply(y, Pair(first, np.zeros_like(first))))
    second = rest.high / y.high
    rest = subtract(rest, multiply(y, Pair(second, np.zeros_like(second))))
    third = rest.high / y.high
    return add(Pair(*_fast_two_sum(first, second)), Pair(third, np.zeros_like(third)))


def ratio(a: FloatArray, b: FloatArray) -> Pair:
    """Return a / b of plain floats, b not zero: the quotient and the quotient of its remainder, which is exact."""
    q = a / b
    p, e = two_prod(q, b)
    return Pair(*_fast_two_sum(q, ((a - p) - e) / b))


def _fast_two_sum(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    s = a + b
    return s, b - (s - a)


def _two_prod(a: FloatArray, b: FloatArray) -> Pair:
    p = a * b
    a_h, a_l = _split(a)
    b_h, b_l = (a_h, a_l) if b is a else _split(b)
    return Pair(p, ((a_h * b_h - p) + a_h * b_l + a_l * b_h) + a_l * b_l)


def _split(a: FloatArray) -> tuple[FloatArray, FloatArray]:
    g = _SPLITTER * a
    h = g - (g - a)
    return h, a - h


def _scale(a: FloatArray) -> FloatArray | None:
    large = np.abs(a) > _LARGE
    return np.where(large, 2.0**-60, 1.0) if large.any() else None
