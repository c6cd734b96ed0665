"""I_x(a, b), the mass of Beta(a, b) below x and above it, also where SciPy's series stop.

For large a and b SciPy's I_x jumps between neighbouring floats (by 5·10⁻⁵ at a = b = 10¹², p = ¼). There the density is
nearly Gaussian, and is summed by Gauss-Legendre quadrature over u = (x − m)/s, m = a/A, s² = m(1 − m)/A, A = a + b:

    ln f(x) = h(A) − h(a) − h(b) + ln(ab/A) − ln x(1 − x) − D(a, Ax) − D(b, A(1 − x))     h, D as in log_gamma.py
    a − Ax = −A s u,  b − A(1 − x) = A s u                                                exact, so D does not cancel

over the side that x is on: the tail from x outwards, never the difference of two large masses.
"""

from __future__ import annotations

import numpy as np

from suffice.conjugate.arguments import FloatArray
from suffice.conjugate.log_gamma import deviance, remainder
from suffice.conjugate.special import betainc, betaincc, gammainc, gammaincc

__all__ = ["beta_mass_above", "beta_mass_below"]

_LARGE = 1e4
_REACH = 10.0  # standard deviations beyond which a Gaussian tail is below the last bit
_rule = np.polynomial.legendre.leggauss(64)
_NODES: FloatArray = _rule[0]
_WEIGHTS: FloatArray = _rule[1]


def beta_mass_below(a: FloatArray, b: FloatArray, x: FloatArray) -> FloatArray:
    """Return I_x(a, b)."""
    return _mass(a, b, x, upper=False)


def beta_mass_above(a: FloatArray, b: FloatArray, x: FloatArray) -> FloatArray:
    """Return 1 − I_x(a, b)."""
    return _mass(a, b, x, upper=True)


def _mass(a: FloatArray, b: FloatArray, x: FloatArray, *, upper: bool) -> FloatArray:
    a, b, x = (np.asarray(each) for each in np.broadcast_arrays(a, b, x))
    large = (np.minimum(a, b) > _LARGE) & (x > 0) & (x < 1)
    answer = np.array(betaincc(a, b, x) if upper else betainc(a, b, x))
    # SciPy gives up (NaN) where one parameter is beyond about 1e200; there the beta is a gamma, x ~ Gamma(a)/b
    lost = np.isnan(answer)
    if lost.any():
        answer[lost] = _gamma_limit(a[lost], b[lost], x[lost], upper)
    if large.any():
        answer[large] = _near_gaussian(a[large], b[large], x[large], upper)
    return answer


def _gamma_limit(a: FloatArray, b: FloatArray, x: FloatArray, upper: bool) -> FloatArray:
    near_zero = a <= b
    with np.errstate(over="ignore"):
        scaled = np.where(near_zero, b * x, a * (1 - x))
    small = np.minimum(a, b)
    return np.where(near_zero == upper, gammaincc(small, scaled), gammainc(small, scaled))


def _near_gaussian(a: FloatArray, b: FloatArray, x: FloatArray, upper: bool) -> FloatArray:
    total = a + b
    m, one_less_m = a / total, b / total
    s = np.sqrt(m) * np.sqrt(one_less_m) / np.sqrt(total)  # one root each: their product may underflow
    u = (x * one_less_m - (1 - x) * m) / s
    side = np.where(u < 0, -1.0, 1.0)
    # from x outwards, as far as the tail matters: e^(−40) at the latest
    length = np.minimum(_REACH, 40 / np.maximum(np.abs(u), 1e-300))
    at = u[..., None] + (side * length)[..., None] * (_NODES + 1) / 2
    t = at * s[..., None]
    below, above = m[..., None] + t, one_less_m[..., None] - t
    inside = (below > 0) & (above > 0)
    below, above = np.where(inside, below, 0.5), np.where(inside, above, 0.5)
    shift = np.where(inside, t, 0.0) * total[..., None]
    constant = remainder(total) - remainder(a) - remainder(b) + np.log(a) + np.log(one_less_m) + np.log(s)
    log_density = (
        constant[..., None]
        - np.log(below)
        - np.log(above)
        - deviance(a[..., None], total[..., None] * below, -shift)
        - deviance(b[..., None], total[..., None] * above, shift)
    )
    tail: FloatArray = length / 2 * (_WEIGHTS * np.where(inside, np.exp(log_density), 0.0)).sum(axis=-1)
    return np.where((side > 0) == upper, tail, 1 - tail)
