"""How many rows the prior of a covariance matrix is worth, by the evidence of the data: no rows are needed for it.

Symbols: prior (m, κ = 1, ν = D + τ, Ψ = (1 + τ) I) in the units of standardised_scatter.py: at τ = 0 unit information,
for τ → ∞ columns that are independent with the variance that they have over all rows. e_j the eigenvalues of
extra = S + (κn/κ')(x̄ − m)(x̄ − m)ᵀ of a class, or of Σ_c extra where one matrix is shared.

    ln p(D | τ) = Σ { Σ_i [ln Γ((ν − i + n)/2) − ln Γ((ν − i)/2)] + ½ ν D ln(1 + τ) − ½ (ν + n) Σ_j ln(1 + τ + e_j) },
                  i = 0 … D − 1, the outer sum over the classes, or once with n = N; and what τ does not change

τ maximises it between 0 and 10⁶: the best of a grid, and between its neighbours the root of the slope,

    ½ Σ { Σ_i [ψ((ν − i + n)/2) − ψ((ν − i)/2)] + D [ln(1 + τ) + ν/(1 + τ)] −
          Σ_j [ln(1 + τ + e_j) + (ν + n)/(1 + τ + e_j)] }
"""

from __future__ import annotations

import math

import numpy as np

from suffice.conjugate.log_gamma import log_rising
from suffice.conjugate.special import digamma
from suffice.likelihoods.roots import root
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["MOST_STRENGTH", "evidence_strength"]

MOST_STRENGTH = 1e6
_GRID = 57


def evidence_strength(weight: FloatArray, extra: FloatArray) -> float:
    """Return τ for n (K) and extra (K, D, D).

    Examples
    --------
    >>> correlated = np.array([[[100.0, 99.0], [99.0, 100.0]]])
    >>> evidence_strength(np.array([100.0]), correlated), evidence_strength(np.zeros(1), np.zeros((1, 2, 2)))
    (0.0, 0.0)
    """
    seen = weight > 0
    if not seen.any() or extra.shape[-1] < 2:
        return 0.0
    # Sorted, so that the order of classes and columns changes no bit of the sums.
    n = weight[seen]
    values = np.sort(np.maximum(np.linalg.eigvalsh(extra[seen]), 0.0), axis=-1)
    order = np.lexsort((*values.T, n))
    n, values = n[order], values[order]
    size = values.shape[-1]
    i = np.arange(size, dtype=np.float64)

    def height(tau: float) -> float:
        nu = size + tau
        gammas = log_rising(np.broadcast_to((nu - i) / 2, values.shape), n[:, None] / 2).sum()
        gone = (0.5 * (nu + n)[:, None] * np.log(1 + tau + values)).sum()
        return float(gammas + 0.5 * nu * size * len(n) * math.log1p(tau) - gone)

    def slope(tau: float) -> float:
        nu = size + tau
        start = np.broadcast_to((nu - i) / 2, values.shape)
        gammas = digamma(start + n[:, None] / 2) - digamma(start)
        gone = np.log((1 + tau + values) / (1 + tau)) + (nu + n)[:, None] / (1 + tau + values) - nu / (1 + tau)
        return float(0.5 * (gammas - gone).sum())

    grid: list[float] = np.expm1(np.linspace(0.0, math.log1p(MOST_STRENGTH), _GRID)).tolist()
    best = int(np.argmax([height(at) for at in grid]))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, _GRID - 1)]
    if not slope(low) > 0 > slope(high):
        return grid[best]
    return root(slope, low, high, 1e-13)
