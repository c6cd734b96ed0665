"""Draws of ln G with G ~ Gamma(shape, 1), for shapes so small that G itself underflows.

    G(a) = G(a + 1) U^(1/a), so ln G(a) = ln G(a + 1) + ln(U)/a            (Marsaglia and Tsang 2000, §6)

Betas and Dirichlets are ratios of gammas: θ_k = exp(ln G_k − ln Σ G), never 0/0.
"""

from __future__ import annotations

import numpy as np

from suffice.conjugate.arguments import FloatArray

__all__ = ["log_gamma_draws", "simplex_draws"]


def log_gamma_draws(shape: FloatArray, size: tuple[int, ...], rng: np.random.Generator) -> FloatArray:
    """Return independent draws of ln G, of the given size, whose last axes are the shape's."""
    small = shape < 1
    drawn = np.log(rng.standard_gamma(np.where(small, shape + 1, shape), size=size))
    # −Exp(1) is ln U without ever drawing U = 0
    return np.where(small, drawn - rng.standard_exponential(size=size) / shape, drawn)


def simplex_draws(alpha: FloatArray, n: int, rng: np.random.Generator) -> FloatArray:
    """Return n draws of Dir(α) over the last axis, shape (n, …, K)."""
    logs = log_gamma_draws(alpha, (n, *alpha.shape), rng)
    weights = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)
