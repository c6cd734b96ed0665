"""Cumulants of log p(x | θ) under the posterior of θ by quadrature, shares of rows by counting: slow and plain."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy import integrate, stats


def of_distribution(log_likelihood: Callable[[float], float], distribution) -> tuple[float, float, float]:
    """Mean, variance and third central moment of a function of one number that has a scipy distribution."""

    def expected(f: Callable[[float], float]) -> float:
        low, high = distribution.ppf(1e-15), distribution.isf(1e-15)
        middle = distribution.median()
        parts = [(distribution.support()[0], low), (low, middle), (middle, high), (high, distribution.support()[1])]
        found = (
            integrate.quad(lambda t: f(t) * distribution.pdf(t), a, b, epsabs=0, epsrel=1e-11, limit=500)[0]
            for a, b in parts
            if a < b
        )
        return math.fsum(found)

    mean = expected(log_likelihood)
    return (
        mean,
        expected(lambda t: (log_likelihood(t) - mean) ** 2),
        expected(lambda t: (log_likelihood(t) - mean) ** 3),
    )


def of_outcome(alpha: Sequence[float], k: int) -> tuple[float, float, float]:
    """log θ_k of Dir(α): θ_k by itself is a beta."""
    rest = sum(alpha) - alpha[k]
    if rest == 0:
        return 0.0, 0.0, 0.0
    return of_distribution(math.log, stats.beta(alpha[k], rest))


def of_rate(shape: float, rate: float, x: float) -> tuple[float, float, float]:
    """x log λ − λ of λ ~ Gamma(shape, rate)."""
    return of_distribution(lambda t: x * math.log(t) - t, stats.gamma(shape, scale=1 / rate))


def of_normal(m: float, kappa: float, a: float, b: float, x: float) -> tuple[float, float, float]:
    """log N(x; μ, 1/τ) of τ ~ Gamma(a, b) and μ | τ ~ N(m, 1/κτ): Gauss–Hermite in μ, in which it is a parabola."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(12)
    weights = weights / weights.sum()
    tau = stats.gamma(a, scale=1 / b)

    def expected(f: Callable[[np.ndarray], np.ndarray]) -> float:
        def at(t: float) -> float:
            mu = m + nodes / math.sqrt(kappa * t)
            return float(weights @ f(0.5 * math.log(t / (2 * math.pi)) - 0.5 * t * (x - mu) ** 2)) * tau.pdf(t)

        low, high = tau.ppf(1e-15), tau.isf(1e-15)
        parts = (0, low), (low, tau.median()), (tau.median(), high), (high, np.inf)
        found = (integrate.quad(at, start, end, epsabs=0, epsrel=1e-11, limit=500)[0] for start, end in parts)
        return math.fsum(found)

    mean = expected(lambda each: each)
    return mean, expected(lambda each: (each - mean) ** 2), expected(lambda each: (each - mean) ** 3)


def unit_information(values: Sequence[float], everything: Sequence[float]) -> tuple[float, float, float, float]:
    """m', κ', a', b' of the values of a class under the default prior: worth one row of all values."""
    m, v = float(np.mean(everything)), float(np.var(everything))
    n, mean = len(values), float(np.mean(values))
    dp = float(((np.asarray(values) - mean) ** 2).sum())
    kappa = 1 + n
    return (m + n * mean) / kappa, kappa, 0.5 + n / 2, 0.5 * v + 0.5 * dp + n * (mean - m) ** 2 / (2 * kappa)


def share_no_more_probable(reference: Sequence[float], weights: Sequence[float], value: float) -> float:
    """The share of the weights whose value is at most that."""
    there = [w for r, w in zip(reference, weights, strict=True) if r <= value]
    return math.fsum(there) / math.fsum(weights)
