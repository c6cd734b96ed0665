"""Uniform[0, θ] with a Pareto prior, slowly: the posterior of scipy.stats, and integrals over θ instead of formulas.

Rows are lists of numbers, None where missing. Without a prior (m, k) it is k = 1, and m the smallest positive maximum
of any class.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from scipy import stats
from scipy.integrate import quad

from tests.oracles.naive_bayes_discrete import Rows, column_of


def prior_of(rows: Rows, labels: Sequence[object], j: int) -> tuple[float, float]:
    """Return m and k; m is 0 if the column has no positive value."""
    tops = [max(map(float, column_of(rows, labels, label, j)), default=0.0) for label in set(labels)]
    return min((top for top in tops if top > 0), default=0.0), 1.0


def posterior(cells: Sequence[float], m: float, k: float):
    """Return the posterior of θ as a distribution of SciPy: its shape is k + n, and its scale the largest value."""
    return stats.pareto(k + len(cells), scale=max([m, *cells]))


def predictive(x: float, theta) -> float:
    """Return the log of ∫ p(θ)/θ dθ over θ ≥ x, in t = ln(θ/x), where the integrand decays exponentially."""
    least = max(x, theta.support()[0])
    return math.log(quad(lambda t: theta.pdf(least * math.exp(t)), 0, 40, epsabs=0, epsrel=1e-12, limit=500)[0])


def log_density(
    rows: Rows,
    labels: Sequence[object],
    label: object,
    x: Sequence[float | None],
    estimate: str,
    prior: tuple[float, float] | None = None,
    lam: float = 1.0,
) -> float:
    """Return log p(x | class)."""
    total = 0.0
    for j, cell in enumerate(x):
        default = prior_of(rows, labels, j)
        m, k = default if prior is None or estimate in ("mle", "smoothed") else prior
        if cell is None or m == 0:
            continue
        cells = [float(value) for value in column_of(rows, labels, label, j)]
        top, theta = max([m, *cells]), posterior(cells, m, k)
        if estimate == "predictive":
            total += -math.inf if cell < 0 else predictive(float(cell), theta)
            continue
        if estimate in ("mle", "smoothed"):
            pooled = max(float(row[j]) for row in rows if row[j] is not None)
            gap = lam * top / len(cells) if estimate == "smoothed" and cells else 0.0
            bound = top + gap if cells else pooled
        elif estimate == "map":
            bound = top
        else:
            bound = theta.mean() if k + len(cells) > 1 else theta.median()
        total += -math.log(bound) if 0 <= cell <= bound else -math.inf
    return total


def log_evidence(cells: Sequence[float], m: float, k: float) -> float:
    """Return the log density of values, one after the other, each by its predictive density."""
    return sum(predictive(cell, posterior(cells[:i], m, k)) for i, cell in enumerate(cells))
