"""The weights of complement naive Bayes: each class is judged by the counts of all the others (Rennie et al. 2003).

Symbols: N_cj counts of class c, N_j = Σ_c N_cj, λ_j pseudo-counts.

    θ̄_cj    = (N_j − N_cj + λ_j)/Σ_k (N_k − N_ck + λ_k), the share of column j in what is not of class c
    w_cj    = −ln θ̄_cj                                   norm: w_cj = ln θ̄_cj/Σ_k ln θ̄_ck
"""

from __future__ import annotations

import numpy as np

from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["complement_weights", "log_shares"]

_SMALLEST = float(np.finfo(np.float64).tiny)


def complement_weights(counts: FloatArray, alpha: FloatArray, *, norm: bool) -> FloatArray:
    """Return w, classes × columns, from counts and pseudo-counts of that shape.

    Examples
    --------
    >>> complement_weights(np.array([[3.0, 0.0], [0.0, 1.0]]), np.ones((2, 2)), norm=False).round(3)
    array([[1.099, 0.405],
           [0.223, 1.609]])
    """
    others = np.maximum(counts.sum(axis=0) - counts, 0.0) + alpha
    logs = log_shares(others, others.sum(axis=1, keepdims=True), counts.shape[1])
    if not norm:
        return -logs + 0.0  # of −0.0, 0.0
    sums = logs.sum(axis=1, keepdims=True)
    return np.where(sums < 0, logs / np.where(sums < 0, sums, -1.0), 0.0)  # one column says nothing


def log_shares(others: FloatArray, total: FloatArray, columns: int) -> FloatArray:
    """Return ln θ̄ of counts that are not of class c and their total, each with pseudo-counts; all alike where it is 0.

    Examples
    --------
    >>> log_shares(np.array([1.0, 0.0]), np.array([4.0, 0.0]), 2).round(3)  # ln 1/4, ln 1/2
    array([-1.386, -0.693])
    """
    share = np.where(total > 0, others / np.where(total > 0, total, 1.0), 1 / max(1, columns))
    return np.log(np.maximum(share, _SMALLEST))
