"""P(Y ≤ y) for the beta-binomial, by summing a short pmf or by one integral when n is long.

Y ≤ y exactly when V, the (y + 1)-th smallest of n uniform draws, exceeds θ; V ~ Beta(y + 1, n − y), independent of θ:

    P(Y ≤ y) = P(θ < V) = E_V[F_θ(V)] = E_θ[1 − F_V(θ)]

The expectation is taken under the narrower of the two, in t = logit: there the density σ(t)^p σ(−t)^q is smooth, falls
exponentially on both sides and is analytic for |Im t| < π, so that the trapezoid rule converges exponentially in its
number of nodes. The weights are divided by their own sum, so no normalising constant is needed. With m = p/(p + q) and
t = logit m + δ:

    ln weight = −p ln(1 + (1 − m)(e^(−δ) − 1)) − q ln(1 + m (e^δ − 1))
              = (p + q) D(1, 1 + u) − p D(1, e^δ),   u = m (e^δ − 1)                        D as in log_gamma.py

The first line cancels for large p and q, where δ is small; the second does not for p ≤ q, and p > q is its mirror.

The sum keeps relative accuracy in the tails; the integral is good to about 1e-11 absolutely.
"""

from __future__ import annotations

import numpy as np

from suffice.conjugate.arguments import FloatArray
from suffice.conjugate.beta_mass import beta_mass_below
from suffice.conjugate.log_gamma import deviance, log_dirichlet_multinomial
from suffice.conjugate.special import expit

__all__ = ["beta_binomial_cdf"]

_SUM_UP_TO = 1000
_BLOCK = 1024  # elements at a time: bounds the memory of both ways to a few MB
_NODES = 768
_SMALL_STEP = 0.1
_TAIL = 45.0  # e⁻⁴⁵ is below the last bit of 1


def beta_binomial_cdf(y: FloatArray, n: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """Return P(Y ≤ y), element by element, for whole y ≥ 0 and n ≥ 0."""
    y, n, a, b = np.broadcast_arrays(y, n, a, b)
    answer = np.ones(y.size)
    flat = tuple(each.reshape(-1) for each in (y, n, a, b))
    inside = flat[0] < flat[1]
    for way, chosen in ((_summed, inside & (flat[1] <= _SUM_UP_TO)), (_integrated, inside & (flat[1] > _SUM_UP_TO))):
        places = np.flatnonzero(chosen)
        for start in range(0, places.size, _BLOCK):
            block = places[start : start + _BLOCK]
            answer[block] = way(*(each[block, None] for each in flat))
    return answer.reshape(y.shape)


def _summed(y: FloatArray, n: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    steps = np.arange(float(n.max()) + 1, dtype=np.float64)
    k = np.minimum(steps, n)
    counts, alpha = np.broadcast_arrays(np.stack([k, n - k], axis=-1), np.stack([a, b], axis=-1))
    pmf = np.where(steps <= n, np.exp(log_dirichlet_multinomial(counts, alpha)), 0.0)
    lower: FloatArray = np.where(k <= y, pmf, 0.0).sum(axis=-1)
    upper: FloatArray = np.where(k > y, pmf, 0.0).sum(axis=-1)
    return np.where(lower <= upper, lower, 1 - upper)


def _integrated(y: FloatArray, n: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    theta_is_narrower = _spread(a, b) < _spread(y + 1, n - y)
    p, q = np.where(theta_is_narrower, a, y + 1), np.where(theta_is_narrower, b, n - y)
    other_p, other_q = np.where(theta_is_narrower, y + 1, a), np.where(theta_is_narrower, n - y, b)
    reach = 10 * np.sqrt(_spread(p, q))
    delta = np.linspace(0, 1, _NODES) * (2 * reach + _TAIL / p + _TAIL / q) - (reach + _TAIL / p)
    m, one_less_m = p / (p + q), q / (p + q)
    with np.errstate(over="ignore"):
        far = -p * np.log1p(one_less_m * np.expm1(-delta)) - q * np.log1p(m * np.expm1(delta))
    weight = np.exp(np.where(np.abs(delta) < _SMALL_STEP, _log_weight_near(p, q, delta), far))
    t = np.log(p) - np.log(q) + delta
    left = t < 0
    # I_x(a, b) = 1 − I_{1−x}(b, a): take the side whose argument is small and so exact
    near = beta_mass_below(np.where(left, other_p, other_q), np.where(left, other_q, other_p), expit(-np.abs(t)))
    below = np.where(left, near, 1 - near)
    value = np.where(theta_is_narrower, 1 - below, below)
    return np.asarray((weight * value).sum(axis=-1) / weight.sum(axis=-1))


def _log_weight_near(p: FloatArray, q: FloatArray, delta: FloatArray) -> FloatArray:
    less, total = np.minimum(p, q), p + q
    grown = np.expm1(np.clip(np.where(p <= q, delta, -delta), -_SMALL_STEP, _SMALL_STEP))
    u, one = less / total * grown, np.ones_like(grown)
    return total * deviance(one, 1 + u, -u) - less * deviance(one, 1 + grown, -grown)


def _spread(p: FloatArray, q: FloatArray) -> FloatArray:
    # about the variance of logit X for X ~ Beta(p, q), which is ψ'(p) + ψ'(q)
    x, y = 1 / np.maximum(p, 1e-100), 1 / np.maximum(q, 1e-100)
    return x + y + 0.65 * x * x + 0.65 * y * y
