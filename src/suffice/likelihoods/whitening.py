"""Covariance matrices factored for densities: W with WᵀW = Σ⁻¹, and ln|Σ|; also of matrices that have no inverse.

    Σ = L Lᵀ,  W = L⁻¹                                   where every eigenvalue of Σ is above `least`
    Σ = Σ_k λ_k v_k v_kᵀ,  row k of W is v_k/√λ_k        elsewhere: λ_k ≤ least counts as `least` (a floor), or, where
                                                         such directions are dropped, not at all (a pseudo-inverse)

The core factors in the same way the part of a matrix that belongs to the known columns of a row (whitening.hpp).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["Whitened", "roots", "whitened"]

_ROUNDING = 2.0**-52


@final
@dataclass(frozen=True, slots=True, eq=False)
class Whitened:
    """W (K, D, D), a direction that does not count as a row of zeros; ln|Σ| of those that do, and how many (K)."""

    rows: FloatArray
    log_determinant: FloatArray
    rank: FloatArray


def whitened(matrices: FloatArray, least: float, *, drop: bool) -> Whitened:
    """Return the factors of symmetric matrices (K, D, D).

    Examples
    --------
    >>> found = whitened(np.array([[[4.0, 0.0], [0.0, 0.0]]]), 1e-9, drop=True)
    >>> float(np.abs(found.rows).sum()), found.rank
    (0.5, array([1.]))
    """
    rows: FloatArray = np.zeros(matrices.shape)
    logs, rank = np.zeros(len(matrices)), np.full(len(matrices), float(matrices.shape[-1]))
    for k in range(len(matrices)):
        matrix: FloatArray = matrices[k]
        try:
            np.linalg.cholesky(matrix - least * np.eye(len(matrix)))
            factor: FloatArray = np.linalg.cholesky(matrix).astype(np.float64)
        except np.linalg.LinAlgError:
            rows[k], logs[k], rank[k] = _by_eigenvectors(matrix, least, drop=drop)
            continue
        rows[k] = np.tril(np.linalg.inv(factor))
        logs[k] = 2 * np.log(np.diagonal(factor)).sum()
    return Whitened(rows, logs, rank)


def roots(matrices: FloatArray, least: float, *, drop: bool) -> FloatArray:
    """Return A (K, D, D) with A Aᵀ = Σ as it is read: what turns independent normal numbers into draws."""
    return np.linalg.pinv(whitened(matrices, least, drop=drop).rows).astype(np.float64)


def _by_eigenvectors(matrix: FloatArray, least: float, *, drop: bool) -> tuple[FloatArray, float, float]:
    values, vectors = np.linalg.eigh(matrix)
    floor = max(least, float(values.max(initial=0.0)) * _ROUNDING)
    counts = values > floor
    if drop or floor == 0:
        kept = np.where(counts, values, 1.0)
    else:
        kept, counts = np.maximum(values, floor), np.ones(len(values), dtype=np.bool_)
    rows = np.where(counts[:, None], vectors.T / np.sqrt(kept)[:, None], 0.0)
    return rows, float(np.log(kept).sum()), float(counts.sum())
