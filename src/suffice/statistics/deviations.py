"""Sums and differences of weight, mean and sum of squared deviations, in double-double arithmetic.

Symbols: n weight, m mean, dp = Σ w (x − m)²; parts a and b, no index for their union; δ = m_b − m_a. m, δ, dp and r
are double-double numbers, weights are float64.

    sum          n = n_a + n_b        m = m_a + δ n_b / n        dp = dp_a + dp_b + δ² r,   r = n_a n_b / n
    difference   n_a = n − n_b        D = m − m_b                m_a = m + D n_b / n_a,     −δ = D n / n_a
                                                                 dp_a = dp − dp_b − δ² r
    n = 0        m = 0, dp = 0: the empty part is an exact zero

The mean of a sum is computed from the heavier part (between equal weights, from the greater mean). Therefore a + b and
b + a are equal to the bit, δ = 0 leaves the mean unchanged and makes dp a plain sum, and r = heavy · (light / n) cannot
overflow. With δ_i δ_j for δ² the same formulas give the scatter matrix. Source: T. F. Chan, G. H. Golub, R. J. LeVeque,
Updating formulae and a pairwise algorithm for computing sample variances (1979).

**Error of a difference** (`clear_rounding`). The error bound ("blur") of dp_a is a sum of these terms:

    pairs     2⁻⁹⁶ (dp + n_b |δ| (|δ| + |m|))    dp has 106 bits, and so has m in D = δ n_a / n, which enters δ² r
              + 2⁻¹⁹⁰ n m² n_b / n_a
    weights   SNAP dp + 2⁻⁵⁰ n δ²                only for fractional weights: n and n_b were rounded, hence also n_a
    past      blur + blur_b                      the rounding of the passes over the rows (PASS · dp each) and of
                                                 earlier differences
    input     SNAP dp + 2⁻¹⁰² n m² + 2⁻⁵⁰ n δ²   dp may come from float64 sums (1e-12), a mean rounded to ½ ulp shifts
              (2⁻²⁰ dp if fractional)            dp by n (½ ulp m)², and n was rounded when it was larger

The first three terms are the error bound of the result. A rest within the bound, positive or negative, is unknown and
becomes 0, and so does one below 2⁻¹⁰²², the smallest normal float, since products underflow there. Below zero the
fourth term counts as rounding too; anything more negative is an error. Above zero the fourth term is not used: with
integer weights and exact parts it would discard a small a whenever a large b is subtracted from a + b, although the
pairs still contain it. As a consequence a part without spread (one row, a constant column) comes back with dp exactly
0, and a later subtraction is not blamed for the rounding of an earlier one. A mean ≤ 2⁻⁹⁶ (|m| + |m_b|) n / n_a is
rounding and becomes 0.

Precision of dp after a subtraction:

    collected rows   a float64 pass has dp to a relative error of about PASS = 2⁻⁴⁸, and records it with the statistic
                     (dp_blur of Moments, diagonal_blur of Scatter). Sums add these bounds, scale multiplies them, and a
                     subtraction cannot undo them: the error of dp may be about 2⁻⁴⁸ of the largest dp that was ever in
                     the sum, or twice that where dp fell within the bound and became 0. Rows with spread 1 that were
                     collected together with an outlier of 1e9 come back with dp 0 and a bound of 3.6e3
    exact parts      statistics without such a bound (single rows, sums of them, exact sums): (a + b) − b has the dp of
                     a to a relative error of 1e-9 while it exceeds about 2⁻⁷⁰ of dp, and fewer digits below that. The
                     pairs keep 106 bits: subtracting −9.04e6 from [−3.38e-9, −8.13e-9, 2.161e-8, −9.04e6] leaves dp 0,
                     and subtracting an outlier of 1e15 leaves a dp known to about 1e30 · 2⁻⁹⁶ = 1e1

**Double-double arithmetic** represents a number as the unevaluated sum of two floats, with about 106 bits of mantissa.
Symbols: ⊕ ⊖ ⊗ are the rounded operations of float64, + − × / the exact ones; x = (high, low) represents high + low with
|low| ≤ ½ ulp(high).

    TwoSum       s = a ⊕ b;  t = s ⊖ a;  e = (a ⊖ (s ⊖ t)) ⊕ (b ⊖ t);  a + b = s + e exactly              [Knuth 4.2.2]
    FastTwoSum   s = a ⊕ b;  e = b ⊖ (s ⊖ a), where |a| ≥ |b| or a = 0                                       [Dekker 4]
    Split        g = (2²⁷ + 1) ⊗ a;  h = g ⊖ (g ⊖ a);  l = a ⊖ h;  a = h + l, 26 bits each                   [Veltkamp]
    TwoProd      p = a ⊗ b;  e = ((a_h b_h ⊖ p) ⊕ a_h b_l ⊕ a_l b_h) ⊕ a_l b_l;  a × b = p + e exactly       [Dekker 5]

Split overflows above 2⁹⁹⁶: there TwoProd uses a · 2⁻⁶⁰. TwoProd is exact while |p| ≥ 2⁻⁹⁶⁹; below that its error term
underflows and the product has the precision of a float. Each operation has a relative error of about 2⁻¹⁰² at most, is
commutative to the bit and antisymmetric in the sign. NumPy has no fused multiply-add, so products use Dekker's method.

An operation that overflows has a high part of ±inf and a low part that may be NaN; callers that store the result must
check the high part, as Moments and Scatter do.

Sources: T. J. Dekker, A floating-point technique for extending the available precision, Numer. Math. 18 (1971);
D. E. Knuth, The Art of Computer Programming 2, §4.2.2; J. R. Shewchuk, Adaptive precision floating-point arithmetic,
Discrete Comput. Geom. 18 (1997); Y. Hida, X. S. Li, D. H. Bailey, Algorithms for quad-double precision (2001).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from suffice.statistics.arrays import BoolArray, FloatArray, Where, freeze, require_domain, seal
from suffice.statistics.axis import SNAP, is_whole

__all__ = [
    "PASS",
    "MergeTerms",
    "Pair",
    "Remainder",
    "add",
    "check_pair",
    "clear_rounding",
    "divide",
    "merge_parts",
    "multiply",
    "negate",
    "overflow_to_inf",
    "ratio",
    "subtract",
    "subtract_part",
    "two_prod",
    "two_sum",
]


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


def check_pair(
    what: str,
    high: npt.ArrayLike,
    low: npt.ArrayLike | None,
    shape: tuple[int, ...],
    where: Where,
    do: str,
    *,
    negative: bool = True,
) -> Pair:
    """Return high + low as a normalised pair of frozen arrays; raise DataError if invalid. None for low means zeros."""
    upper: FloatArray = freeze(what, high, shape)
    require_domain(what, upper, where, do, negative=negative)
    if low is None:
        return Pair(upper, seal(np.zeros(shape)))
    lower: FloatArray = freeze(f"{what}_low", low, shape)
    require_domain(f"{what}_low", lower, where, f"Pass the rounding error of {what}, or omit it.", negative=True)
    with np.errstate(over="ignore", invalid="ignore"):
        if ((upper + lower) == upper).all():
            return Pair(upper, lower)
        high_part, low_part = two_sum(upper, lower)
    require_domain(what, high_part, where, do, negative=negative)
    return Pair(seal(high_part), seal(low_part))


def negate(x: Pair) -> Pair:
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
    return add(x, negate(y))


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
    """Return a / b of float64 arrays, b not zero: the rounded quotient and the quotient of the exact remainder."""
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


_UNDERFLOW = 2.0**-1022  # smaller floats are subnormal and have no relative precision
PASS = 2.0**-48  # bound on the relative error of dp after one float64 pass over rows


class MergeTerms(NamedTuple):
    """The quantities of the formulas above: the mean (of the union, or of a), δ and r."""

    mean: Pair
    delta: Pair
    r: Pair


class Remainder(NamedTuple):
    """dp after a subtraction, the bound on its error, and where the excess is larger than rounding explains."""

    dp: Pair
    blur: FloatArray
    too_much: BoolArray


def merge_parts(n_a: FloatArray, m_a: Pair, n_b: FloatArray, m_b: Pair) -> MergeTerms:
    """Return the mean of the union of two parts, δ and r. Weights broadcast against means."""
    n = n_a + n_b
    n = np.where(n > 0, n, 1.0)
    b_first = (n_b > n_a) | ((n_b == n_a) & ((m_b.high > m_a.high) | ((m_b.high == m_a.high) & (m_b.low > m_a.low))))
    heavy, light = np.where(b_first, n_b, n_a), np.where(b_first, n_a, n_b)
    start = Pair(np.where(b_first, m_b.high, m_a.high), np.where(b_first, m_b.low, m_a.low))
    delta = subtract(m_b, m_a)
    sign = np.where(b_first, -1.0, 1.0)
    share = ratio(light, n)
    step = multiply(Pair(sign * delta.high, sign * delta.low), share)
    return MergeTerms(add(start, step), delta, multiply(share, Pair(heavy, np.zeros_like(heavy))))


def subtract_part(n: FloatArray, m: Pair, n_b: FloatArray, m_b: Pair, n_a: FloatArray) -> MergeTerms:
    """Return the mean of a = whole − b, δ up to its sign, and r; all are 0 where n_a = 0."""
    empty = n_a <= 0
    divisor = np.where(empty, 1.0, n_a)
    shift = subtract(m, m_b)
    mean = add(m, multiply(shift, ratio(n_b, divisor)))
    delta = multiply(shift, ratio(n, divisor))
    r = multiply(ratio(n_b, np.where(n > 0, n, 1.0)), Pair(n_a, np.zeros_like(n_a)))
    rounding = (2.0**-96 * np.abs(m.high) + 2.0**-96 * np.abs(m_b.high)) * (n / divisor)
    rounding = np.where(n_b > 0, rounding, 0.0)
    zero_mean = empty | (np.abs(mean.high) <= rounding)
    return MergeTerms(_clear(mean, zero_mean), _clear(delta, empty), _clear(r, empty))


def clear_rounding(
    rest: Pair,
    dp: FloatArray,
    past: FloatArray,
    n: FloatArray,
    n_b: FloatArray,
    n_a: FloatArray,
    m: FloatArray,
    delta: FloatArray,
) -> Remainder:
    """Return dp_a with rounding errors set to 0, given rest = dp − dp_b − δ² r and past = blur + blur_b."""
    far = np.abs(delta)
    pairs = 2.0**-96 * dp + (2.0**-96 * n_b) * far * (far + np.abs(m))
    pairs = pairs + (2.0**-190 * n) * (n_b / np.where(n_a > 0, n_a, 1.0)) * m * m
    rounded = ~(is_whole(n) & is_whole(n_b))
    weights = np.where(rounded, SNAP * dp + (2.0**-50 * n) * far * far, 0.0)
    now = np.where(n_b > 0, pairs + weights, 0.0)  # subtracting nothing adds no error
    blur = np.minimum(past + now, np.finfo(np.float64).max)
    underflow = np.where(n_b > 0, _UNDERFLOW, 0.0)
    lowest = -underflow - (
        blur + np.where(rounded, 2.0**-20, SNAP) * dp + (2.0**-102 * n) * m * m + (2.0**-50 * n) * far * far
    )
    too_much = ~(rest.high >= lowest)  # also where rest is NaN because the subtrahend overflowed
    # Where nothing is subtracted, dp is unchanged, whatever its error bound.
    zero = ((rest.high <= blur + underflow) & (n_b > 0)) | (n_a <= 0)
    return Remainder(_clear(rest, zero), np.where(n_a > 0, blur, 0.0), too_much)


def overflow_to_inf(x: Pair) -> Pair:
    """Return x with every overflow as (inf, 0), so that later checks see inf instead of the NaN of inf − inf."""
    fine = np.isfinite(x.high) & np.isfinite(x.low)
    return x if fine.all() else Pair(np.where(fine, x.high, np.inf), np.where(fine, x.low, 0.0))


def _clear(x: Pair, where: BoolArray) -> Pair:
    return Pair(np.where(where, 0.0, x.high), np.where(where, 0.0, x.low)) if where.any() else x
