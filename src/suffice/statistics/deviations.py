"""Weight, mean and squared deviations of two parts together, and of one part when the other is taken out.

Symbols: n weight, m mean, dp = Σ w (x − m)²; parts a and b, no index for the whole; δ = m_b − m_a; all m, δ, dp, r are
double-double (double_double.py), weights are float64.

    together    n = n_a + n_b        m = m_a + δ n_b / n        dp = dp_a + dp_b + δ² r,   r = n_a n_b / n
    taken out   n_a = n − n_b        D = m − m_b                m_a = m + D n_b / n_a,     −δ = D n / n_a
                                                                dp_a = dp − dp_b − δ² r
    n = 0       m = 0, dp = 0: the empty part is a true zero

The mean of both starts at the heavier part (of equal ones, at the greater mean): so a + b and b + a are equal to the
bit, δ = 0 leaves the mean as it is and dp a plain sum, and r = heavy · (light / n) cannot overflow. The same with
δ_i δ_j for δ² gives the scatter matrix. Source: T. F. Chan, G. H. Golub, R. J. LeVeque, Updating formulae and a
pairwise algorithm for computing sample variances (1979).

What is left of dp (`settled`). These things blur dp_a after a subtraction:

    the pairs     2⁻⁹⁶ (dp + n_b |δ| (|δ| + |m|))    106 bits hold dp, and m in D = δ n_a / n, of which δ² r has n_b δ
                  + 2⁻¹⁹⁰ n m² n_b / n_a
    the weights   SNAP dp + 2⁻⁵⁰ n δ²                only where weights are not whole: n and n_b were rounded, so is n_a
    the past      blur + blur_b                      what the passes over the rows rounded (PASS · dp each) and what
                                                     earlier subtractions left: the sum of the lines above
    the input     SNAP dp + 2⁻¹⁰² n m² + 2⁻⁵⁰ n δ²   dp may come from plain float64 sums (1e-12), and a mean known to
                  (2⁻²⁰ dp where not whole)          ½ ulp shifts dp by n (½ ulp m)²; n was rounded when it was larger

The first three lines are the blur of the result: how far its dp may be from the truth. A rest within it is unknown and
becomes 0, above zero as below; below zero the fourth line is rounding too, and anything more negative is an error.
Above zero the fourth line stays: with whole weights and exact parts, to snap it as well would lose a small a whenever a
large b is taken out of a + b, though the pairs still hold it. So a part that had no spread (one row, a constant column)
comes back with dp exactly 0, and the next row that is taken out is not blamed for what an earlier one blurred. A mean
≤ 2⁻⁹⁶ (|m| + |m_b|) n / n_a is rounding too: 0.

How well dp is known, then, after something was taken out:

    collected rows   one pass in float64 knows dp to about PASS = 2⁻⁴⁸ of itself, and says so when it makes the
                     statistic (dp_blur of Moments, diagonal_blur of Scatter). Sums add blurs, scale scales them. Taking
                     out cannot undo them: dp may be wrong by the blur, about 2⁻⁴⁸ of the largest dp that was ever in
                     the sum, or by twice that where it fell within the blur and became 0. Rows of spread 1 that were
                     collected together with an outlier of 1e9 come back with dp 0 and a blur of 3.6e3
    exact parts      statistics without blur (single rows, sums of such, exact sums): (a + b) − b has the dp of a to
                     1e-9 of it while that is above about 2⁻⁷⁰ of dp, and fewer digits below. Beyond the 106 bits of the
                     pairs nothing is kept: of [−3.38e-9, −8.13e-9, 2.161e-8] and −9.04e6, without the latter, dp is 0;
                     and an outlier of 1e15 that is taken out leaves a dp known to about 1e30 · 2⁻⁹⁶ = 1e1
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from suffice.statistics.double_double import Pair, add, multiply, ratio, subtract
from suffice.statistics.frozen_arrays import BoolArray, FloatArray
from suffice.statistics.subtraction import SNAP, whole

__all__ = ["PASS", "Parts", "Settled", "finite_or_inf", "settled", "taken_out", "together"]

PASS = 2.0**-48  # how much of dp one pass over rows in float64 may round: the blur of collected rows is dp · PASS


class Parts(NamedTuple):
    """What the formulas above need of two parts: a mean (of both, or of a), δ and r."""

    mean: Pair
    delta: Pair
    r: Pair


class Settled(NamedTuple):
    """dp after a subtraction, how far it is blurred, and where more was taken out than rounding can explain."""

    dp: Pair
    blur: FloatArray
    too_much: BoolArray


def together(n_a: FloatArray, m_a: Pair, n_b: FloatArray, m_b: Pair) -> Parts:
    """Return the mean of both parts, δ and r. Weights broadcast against means."""
    n = n_a + n_b
    n = np.where(n > 0, n, 1.0)
    b_first = (n_b > n_a) | ((n_b == n_a) & ((m_b.high > m_a.high) | ((m_b.high == m_a.high) & (m_b.low > m_a.low))))
    heavy, light = np.where(b_first, n_b, n_a), np.where(b_first, n_a, n_b)
    start = Pair(np.where(b_first, m_b.high, m_a.high), np.where(b_first, m_b.low, m_a.low))
    delta = subtract(m_b, m_a)
    sign = np.where(b_first, -1.0, 1.0)
    share = ratio(light, n)
    step = multiply(Pair(sign * delta.high, sign * delta.low), share)
    return Parts(add(start, step), delta, multiply(share, Pair(heavy, np.zeros_like(heavy))))


def taken_out(n: FloatArray, m: Pair, n_b: FloatArray, m_b: Pair, n_a: FloatArray) -> Parts:
    """Return the mean of what is left when b is taken out, δ up to its sign, and r. Where n_a = 0 all of it is 0."""
    empty = n_a <= 0
    some = np.where(empty, 1.0, n_a)
    shift = subtract(m, m_b)
    mean = add(m, multiply(shift, ratio(n_b, some)))
    delta = multiply(shift, ratio(n, some))
    r = multiply(ratio(n_b, np.where(n > 0, n, 1.0)), Pair(n_a, np.zeros_like(n_a)))
    rounding = (2.0**-96 * np.abs(m.high) + 2.0**-96 * np.abs(m_b.high)) * (n / some)
    rounding = np.where(n_b > 0, rounding, 0.0)
    nothing = empty | (np.abs(mean.high) <= rounding)
    return Parts(_cleared(mean, nothing), _cleared(delta, empty), _cleared(r, empty))


def settled(
    rest: Pair,
    dp: FloatArray,
    past: FloatArray,
    n: FloatArray,
    n_b: FloatArray,
    n_a: FloatArray,
    m: FloatArray,
    delta: FloatArray,
) -> Settled:
    """Return dp_a with rounding snapped to 0, given rest = dp − dp_b − δ² r and past = blur + blur_b."""
    far = np.abs(delta)
    pairs = 2.0**-96 * dp + (2.0**-96 * n_b) * far * (far + np.abs(m))
    pairs = pairs + (2.0**-190 * n) * (n_b / np.where(n_a > 0, n_a, 1.0)) * m * m
    rounded = ~(whole(n) & whole(n_b))
    weights = np.where(rounded, SNAP * dp + (2.0**-50 * n) * far * far, 0.0)
    now = np.where(n_b > 0, pairs + weights, 0.0)  # nothing taken out, nothing blurred
    blur = np.minimum(past + now, np.finfo(np.float64).max)
    lowest = -(blur + np.where(rounded, 2.0**-20, SNAP) * dp + (2.0**-102 * n) * m * m + (2.0**-50 * n) * far * far)
    too_much = ~(rest.high >= lowest)  # also where rest is NaN, because what was asked for overflowed
    # Where nothing was taken out, dp stays as it is, however blurred it was before.
    nothing = ((rest.high <= blur) & (n_b > 0)) | (n_a <= 0)
    return Settled(_cleared(rest, nothing), np.where(n_a > 0, blur, 0.0), too_much)


def finite_or_inf(x: Pair) -> Pair:
    """Return x with every overflow as (inf, 0), so that whoever checks it sees inf and not the NaN of inf − inf."""
    fine = np.isfinite(x.high) & np.isfinite(x.low)
    return x if fine.all() else Pair(np.where(fine, x.high, np.inf), np.where(fine, x.low, 0.0))


def _cleared(x: Pair, where: BoolArray) -> Pair:
    return Pair(np.where(where, 0.0, x.high), np.where(where, 0.0, x.low)) if where.any() else x
