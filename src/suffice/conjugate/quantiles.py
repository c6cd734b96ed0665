"""Quantile functions of the beta, gamma, inverse-gamma and Student-t distributions, from either tail.

    below    the quantile Q(p): mass p lies below it            above    Q(1 − t): mass t lies above it, not rounded

SciPy's inverses are kept where they hold. Two places they do not:

    beta     a + b > 10⁵: x is off by 10⁻⁴ standard deviations and more. Newton: x ← x − (F(x) − p)/f(x)
    small x  P(a, x) → x^a/Γ(a + 1), so ln x = (ln p + lnΓ(a + 1))/a where x itself would underflow; likewise
             for Student-t with x = ν/(ν + t²): ½ I_x(ν/2, ½) → x^(ν/2)/(ν B(ν/2, ½)), which gives ln t
"""

from __future__ import annotations

import numpy as np

from suffice.conjugate.arguments import FloatArray
from suffice.conjugate.beta_mass import beta_mass_above, beta_mass_below
from suffice.conjugate.log_gamma import log_dirichlet_density, log_rising
from suffice.conjugate.special import (
    betainccinv,
    betaincinv,
    gammainccinv,
    gammaincinv,
    gammaln,
    ndtri,
    stdtrit,
)

__all__ = [
    "beta_above",
    "beta_below",
    "gamma_above",
    "gamma_below",
    "inverse_gamma_above",
    "inverse_gamma_below",
    "t_above",
]

_NEWTON_FROM = 1e5
_GAUSSIAN_FROM = 1e4
_SCIPY_UP_TO = 1e8
_ASYMPTOTIC_BELOW = 1e-100
_SMALLEST = 2.3e-308
_LOG_TINY = -460.0  # ln 1e-200


def beta_below(a: FloatArray, b: FloatArray, p: FloatArray) -> FloatArray:
    """Return x with I_x(a, b) = p."""
    return _newton(a, b, p, _start(a, b, p, betaincinv(a, b, p), upper=False), upper=False)


def beta_above(a: FloatArray, b: FloatArray, t: FloatArray) -> FloatArray:
    """Return x with 1 − I_x(a, b) = t."""
    return _newton(a, b, t, _start(a, b, t, betainccinv(a, b, t), upper=True), upper=True)


def _start(a: FloatArray, b: FloatArray, mass: FloatArray, x: FloatArray, *, upper: bool) -> FloatArray:
    # SciPy answers the smallest normal float where x underflows, NaN where a parameter is beyond about 1e200, and is
    # dozens of deviations off at 1e20. When both are large the beta is nearly Gaussian, a good start for Newton; when
    # only one is beyond reach it is Gamma(a)/b or 1 − Gamma(b)/a.
    total = a + b
    m, one_less_m = a / total, b / total
    small = np.minimum(a, b)
    z = -ndtri(mass) if upper else ndtri(mass)
    with np.errstate(invalid="ignore"):
        gaussian = np.clip(m + z * (np.sqrt(m) * np.sqrt(one_less_m) / np.sqrt(total)), 0.0, 1.0)
    gamma = np.where((a <= b) == upper, gammainccinv(small, mass), gammaincinv(small, mass)) / np.maximum(a, b)
    limit = np.where(small > _GAUSSIAN_FROM, gaussian, np.where(a <= b, gamma, 1 - gamma))
    return np.where(np.isnan(x) | (small > _SCIPY_UP_TO), limit, np.where(x <= _SMALLEST, 0.0, x))


def _newton(a: FloatArray, b: FloatArray, mass: FloatArray, x: FloatArray, *, upper: bool) -> FloatArray:
    a, b, mass, x = (np.asarray(each) for each in np.broadcast_arrays(a, b, mass, x))
    rough = (a > 1) & (b > 1) & (a + b > _NEWTON_FROM) & (x > 0) & (x < 1)
    if not rough.any():
        return x
    a, b, mass, better = a[rough], b[rough], mass[rough], x[rough]
    for _ in range(4):
        density = np.exp(log_dirichlet_density(np.stack([better, 1 - better], axis=-1), np.stack([a, b], axis=-1)))
        error = mass - beta_mass_above(a, b, better) if upper else beta_mass_below(a, b, better) - mass
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = better - error / density
        better = np.where((step > 0) & (step < 1), step, better)
    x = x.copy()
    x[rough] = better
    return x


def log_gamma_below(a: FloatArray, p: FloatArray) -> FloatArray:
    """Return ln x with P(a, x) = p, also where x is too small for a float; −inf at p = 0."""
    x = gammaincinv(a, p)
    with np.errstate(divide="ignore", over="ignore"):
        return np.where(x < _ASYMPTOTIC_BELOW, (np.log(p) + gammaln(a + 1)) / a, np.log(x))


def log_gamma_above(a: FloatArray, t: FloatArray) -> FloatArray:
    """Return ln x with Q(a, x) = t, also where x is too small for a float; inf at t = 0."""
    x = gammainccinv(a, t)
    with np.errstate(divide="ignore", over="ignore"):
        return np.where(x < _ASYMPTOTIC_BELOW, (np.log1p(-t) + gammaln(a + 1)) / a, np.log(x))


def gamma_below(shape: FloatArray, rate: FloatArray, p: FloatArray) -> FloatArray:
    """Return x with P(shape, rate·x) = p."""
    return _scaled(gammaincinv(shape, p), log_gamma_below(shape, p), 1 / rate, 1)


def gamma_above(shape: FloatArray, rate: FloatArray, t: FloatArray) -> FloatArray:
    """Return x with Q(shape, rate·x) = t."""
    return _scaled(gammainccinv(shape, t), log_gamma_above(shape, t), 1 / rate, 1)


def inverse_gamma_below(shape: FloatArray, scale: FloatArray, p: FloatArray) -> FloatArray:
    """Return x with Q(shape, scale/x) = p."""
    return _scaled(gammainccinv(shape, p), log_gamma_above(shape, p), scale, -1)


def inverse_gamma_above(shape: FloatArray, scale: FloatArray, t: FloatArray) -> FloatArray:
    """Return x with P(shape, scale/x) = t."""
    return _scaled(gammaincinv(shape, t), log_gamma_below(shape, t), scale, -1)


def _scaled(x: FloatArray, log_x: FloatArray, factor: FloatArray, power: int) -> FloatArray:
    # The logarithm reaches further, the plain value is a few bits better: each where it is needed.
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        direct = factor * x if power > 0 else factor / x
        return np.where(x < _ASYMPTOTIC_BELOW, np.exp(np.log(factor) + power * log_x), direct)


def t_above(degrees: FloatArray, t: FloatArray) -> FloatArray:
    """Return x ≥ 0 with mass t above it, 0 < t ≤ ½, for Student-t with so many degrees of freedom."""
    half, middle = degrees / 2, np.asarray(0.5)
    with np.errstate(over="ignore"):
        log_beta = gammaln(middle) - log_rising(half, middle)
        log_x = (np.log(t) + np.log(degrees) + log_beta) / half
        far = np.exp(0.5 * (np.log(degrees) - log_x))
    return np.where(log_x < _LOG_TINY, far, np.abs(stdtrit(degrees, t)))
