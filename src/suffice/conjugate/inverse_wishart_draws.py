"""Draws of Σ ~ InverseWishart(ν, Ψ), also for ν so near D − 1 that Σ itself leaves float64.

Bartlett: T Tᵀ ~ Wishart(ν, I) with T lower triangular, standard normals below a diagonal t with t_i² ~ χ²(ν − i), from
i = 0; with Ψ = L Lᵀ, Σ = R Rᵀ for R = L T⁻ᵀ. For ν near D − 1 the last t underflows, but its logarithm does not:

    T = V diag(t), V_ij = T_ij/t_j unit lower triangular, whose last column, the only one over a tiny t, is 0 … 0 1
    W = L V⁻ᵀ by substitution;  R_ik = W_ik/t_k = root_ik exp(c_i),  c_i = max_k (ln|W_ik| − ln t_k)
    Σ_ij = (Σ_k root_ik root_jk) exp(c_i + c_j), where |root| ≤ 1 cannot overflow: only the last product may
"""

from __future__ import annotations

import numpy as np

from suffice.conjugate.arguments import FloatArray

__all__ = ["inverse_wishart_root", "times_exp"]


def inverse_wishart_root(factor: FloatArray, normals: FloatArray, log_t: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return root and c with R = diag(exp c) root, R Rᵀ = Σ.

    Parameters
    ----------
    factor : array (…, D, D)
        L, lower triangular.
    normals : array (n, …, D, D)
        Standard normals, of which those below the diagonal are used.
    log_t : array (n, …, D)
    """
    size = log_t.shape[-1]
    # Wᵀ = V⁻¹ Lᵀ, row by row
    rows = np.array(np.broadcast_to(np.swapaxes(factor, -1, -2), normals.shape))
    for i in range(1, size):
        v = normals[..., i, :i] * np.exp(-log_t[..., :i])
        rows[..., i, :] -= (v[..., None, :] @ rows[..., :i, :])[..., 0, :]
    w = np.swapaxes(rows, -1, -2)
    with np.errstate(divide="ignore"):
        logs = np.log(np.abs(w)) - log_t[..., None, :]
    log_scale = np.asarray(logs.max(axis=-1))
    return np.sign(w) * np.exp(logs - log_scale[..., None]), log_scale


def times_exp(x: FloatArray, log_factor: FloatArray) -> FloatArray:
    """Return x exp(log_factor): 0 where x is, and ±inf only where the product is beyond all floats."""
    with np.errstate(divide="ignore", over="ignore"):
        return np.sign(x) * np.exp(np.log(np.abs(x)) + log_factor)
