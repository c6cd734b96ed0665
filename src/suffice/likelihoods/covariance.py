"""Covariance matrices of several columns: scatter in standard units, shrinkage, and factors of the matrices.

Symbols: class c; n, x̄, S its weight, mean vector and scatter, from rows without a missing cell in the block; N = Σ_c n;
D columns. As in gaussian.py, z = (x − centre)/unit with the column's own mean and spread, so units cancel.

    in z       n, (x̄ − centre)/unit, S_ij/(unit_i unit_j)
    within     W = Σ_c S/N, the covariance around the class means
    total      T = Σ_c [S + n (x̄ − m)(x̄ − m)ᵀ]/N, the covariance around the mean m of all rows; its diagonal is 1

Shrinkage replaces S by S̃ = (1 − s) S + s G, with an intensity s from 0 to 1 and a target G:

    "diagonal"     G = diag S: the variances of the class remain, the correlations shrink
    "spherical"    G = n t diag W, t the mean of S_jj/(n W_jj): a multiple of the identity in columns standardised by
                   their variance within classes; this is scikit-learn's shrinkage of standardised columns
    "shared"       G = n W: shrinks the matrix of a class toward the one that all classes share (from QDA to LDA)
    "total"        G = n I: independent columns with their variances over all rows

For a matrix that the classes share, the first two are the same (t = 1).

    "oas"          s = min(1, [(1 − 2/D) tr R² + (tr R)²] / [(f + 1 − 2/D)(tr R² − (tr R)²/D)])   Chen et al. 2010, (23)
                   R = S/n in columns standardised by the diagonal of the target, f = n − 1 degrees of freedom (N − C
                   for a shared matrix); each class has its own s
    "evidence"     the prior of the matrix has the weight of 1 + τ rows, with the τ ≥ 0 that maximises the evidence

The prior NormalInverseWishart(m, κ = 1, ν = D + τ, Ψ = (1 + τ) I) in z is unit information for τ = 0 and tends to
independent columns for τ → ∞. With e_j the eigenvalues of S + (κn/κ')(x̄ − m)(x̄ − m)ᵀ of a class, or of their sum over
the classes where the matrix is shared (then n = N, and the outer sum has one part),

    ln p(D | τ) = Σ { Σ_i [ln Γ((ν − i + n)/2) − ln Γ((ν − i)/2)] + ½ ν D ln(1 + τ) − ½ (ν + n) Σ_j ln(1 + τ + e_j) }
                  with i = 0 … D − 1, up to a constant
    slope         ½ Σ { Σ_i [ψ((ν − i + n)/2) − ψ((ν − i)/2)] + D [ln(1 + τ) + ν/(1 + τ)]
                        − Σ_j [ln(1 + τ + e_j) + (ν + n)/(1 + τ + e_j)] }

τ is the best point of a grid from 0 to 10⁶, refined to the root of the slope between its neighbours.

Factors: W with WᵀW = Σ⁻¹, and ln|Σ|, also of matrices that have no inverse (whitening.hpp does the same in the core):

    Σ = L Lᵀ,  W = L⁻¹                               where every eigenvalue of Σ is above a floor
    Σ = Σ_k λ_k v_k v_kᵀ,  row k of W is v_k/√λ_k    elsewhere: λ_k ≤ floor is raised to the floor, or the direction is
                                                     dropped (a pseudo-inverse)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias, final

import numpy as np

from suffice.conjugate.special import digamma, log_rising
from suffice.likelihoods.block_statistics import BlockStatistics, align_classes
from suffice.likelihoods.gaussian import standardise_moments
from suffice.statistics import Axis, Scatter
from suffice.statistics.arrays import FloatArray, IntArray
from suffice.statistics.axis import Columns

__all__ = [
    "MOST_STRENGTH",
    "Shrinkage",
    "ShrinkageTarget",
    "StandardisedScatter",
    "Whitening",
    "choose_intensities",
    "evidence_strength",
    "factor_covariances",
    "oas",
    "shrink_scatter",
    "standardise_scatter",
    "whiten",
]

Shrinkage: TypeAlias = "float | Literal['oas', 'evidence'] | None"
ShrinkageTarget: TypeAlias = Literal["diagonal", "spherical", "shared", "total"]

MOST_STRENGTH = 1e6
_GRID = 57
_ROUNDING = 2.0**-52


@final
@dataclass(frozen=True, slots=True, eq=False)
class StandardisedScatter:
    """Scatter in z of the columns that are not constant: weight (C), mean (C, D), scatter (C, D, D).

    `columns` are their positions in the block, `centre` and `unit` have length D. `pooled` is the mean of all rows in
    z: the centre is a float, and this is its rounding error.
    """

    columns: IntArray
    centre: FloatArray
    unit: FloatArray
    pooled: FloatArray
    weight: FloatArray
    mean: FloatArray
    scatter: FloatArray

    @property
    def within(self) -> FloatArray:
        """W (D, D): 0 without rows."""
        total = self.weight.sum()
        return self.scatter.sum(axis=0) / (total if total > 0 else 1.0)

    @property
    def total(self) -> FloatArray:
        """T (D, D): the identity without rows."""
        total = float(self.weight.sum())
        if total <= 0:
            return np.eye(len(self.unit))
        deviation = self.mean - self.pooled
        between = np.einsum("c,ci,cj->ij", self.weight / total, deviation, deviation)
        return self.within + (between + between.T) / 2

    @property
    def class_means(self) -> FloatArray:
        """The mean of each class (C, D); that of all rows for a class without rows."""
        return np.where(self.weight[:, None] > 0, self.mean, self.pooled)

    def names(self, block: BlockStatistics) -> Columns:
        """Return the names of the columns."""
        positions: list[int] = self.columns.tolist()
        return tuple(block.columns[j] for j in positions)


def standardise_scatter(
    scatter: Scatter, classes: Axis, fallback_unit: FloatArray | None = None
) -> StandardisedScatter:
    """Return the scatter in z, without the columns that are constant.

    Parameters
    ----------
    fallback_unit : array (D), optional
        Unit of a constant column, where a prior gives one; such columns are then kept.
    """
    values = standardise_moments(scatter.moments(), classes, fallback_unit)
    kept, unit = values.columns, values.unit
    if not len(classes):
        empty = np.zeros(0)
        return StandardisedScatter(kept, empty, empty, empty, empty, np.zeros((0, 0)), np.zeros((0, 0, 0)))
    weight = align_classes(scatter.weight, scatter.classes, classes)
    matrices = align_classes(scatter.scatter, scatter.classes, classes)[:, kept[:, None], kept]
    matrices = matrices / unit[:, None] / unit
    return StandardisedScatter(kept, values.centre, unit, values.pooled, weight, values.mean, matrices)


@np.errstate(over="ignore", invalid="ignore")  # for classes with a weight near 0
def choose_intensities(
    values: StandardisedScatter, shrinkage: Shrinkage, toward: ShrinkageTarget, *, shared: bool
) -> FloatArray | None:
    """Return the intensity s of each class (C), or None where the scatter is not shrunk."""
    if shrinkage is None or shrinkage == "evidence" or not values.unit.size:
        return None
    n = values.weight
    if not isinstance(shrinkage, str):
        return np.full(len(n), float(shrinkage))
    if shared:
        within = values.within
        freedom = float(n.sum()) - float(np.count_nonzero(n))
        return np.full(len(n), _standardised_oas(within, np.sqrt(np.diagonal(within)), freedom))
    n = np.where(n > 0, n, 1.0)
    target = _shrinkage_target(values, toward, shared=False)
    unit = np.sqrt(np.diagonal(target, axis1=1, axis2=2) / n[:, None])
    return np.array([_standardised_oas(values.scatter[c] / n[c], unit[c], n[c] - 1) for c in range(len(n))])


def shrink_scatter(
    values: StandardisedScatter, intensities: FloatArray | None, toward: ShrinkageTarget, *, shared: bool
) -> FloatArray:
    """Return S̃ of each class (C, D, D)."""
    if intensities is None:
        return values.scatter
    s = intensities[:, None, None]
    return (1 - s) * values.scatter + s * _shrinkage_target(values, toward, shared=shared)


def oas(matrix: FloatArray, freedom: float) -> float:
    """Return the oracle-approximating intensity s for a covariance matrix (D, D) of standardised columns.

    Parameters
    ----------
    freedom : float
        Degrees of freedom of the matrix.

    Examples
    --------
    >>> round(oas(np.array([[1.0, 0.5], [0.5, 1.0]]), 9), 4)  # 4 / (9 · 0.5)
    0.8889
    """
    size, trace, squares = len(matrix), float(np.trace(matrix)), float((matrix * matrix).sum())
    numerator = (1 - 2 / size) * squares + trace**2
    denominator = (freedom + 1 - 2 / size) * (squares - trace**2 / size)
    return min(1.0, numerator / denominator) if freedom > 0 and denominator > 0 else 1.0


def _standardised_oas(matrix: FloatArray, unit: FloatArray, freedom: float) -> float:
    scale = np.where(unit > 0, 1 / np.where(unit > 0, unit, 1.0), 0.0)
    return oas(matrix * scale[:, None] * scale, freedom)


def _shrinkage_target(values: StandardisedScatter, toward: ShrinkageTarget, *, shared: bool) -> FloatArray:
    # G of each class (C, D, D).
    identity = np.eye(len(values.unit))
    if toward == "total":
        return values.weight[:, None, None] * identity
    if shared or toward == "diagonal":
        return values.scatter * identity
    if toward == "shared":
        return values.weight[:, None, None] * values.within
    within = np.diagonal(values.within)
    varies = within > 0
    ratio = np.where(varies, np.diagonal(values.scatter, axis1=1, axis2=2) / np.where(varies, within, 1.0), 0.0)
    n_t = ratio.sum(axis=1) / max(int(varies.sum()), 1)
    return n_t[:, None, None] * (identity * within)


def evidence_strength(weight: FloatArray, scatter: FloatArray) -> float:
    """Return τ for weights n (K) and the scatter around the prior (K, D, D), for K classes or for all of them together.

    Examples
    --------
    >>> correlated = np.array([[[100.0, 99.0], [99.0, 100.0]]])
    >>> evidence_strength(np.array([100.0]), correlated), evidence_strength(np.zeros(1), np.zeros((1, 2, 2)))
    (0.0, 0.0)
    """
    seen = weight > 0
    if not seen.any() or scatter.shape[-1] < 2:
        return 0.0
    # Sorted, so that the order of classes and columns does not change the last bits of the sums.
    n = weight[seen]
    eigenvalues = np.sort(np.maximum(np.linalg.eigvalsh(scatter[seen]), 0.0), axis=-1)
    order = np.lexsort((*eigenvalues.T, n))
    n, eigenvalues = n[order], eigenvalues[order]
    size = eigenvalues.shape[-1]
    i = np.arange(size, dtype=np.float64)

    def log_evidence(tau: float) -> float:
        nu = size + tau
        gammas = log_rising(np.broadcast_to((nu - i) / 2, eigenvalues.shape), n[:, None] / 2).sum()
        logs = (0.5 * (nu + n)[:, None] * np.log(1 + tau + eigenvalues)).sum()
        return float(gammas + 0.5 * nu * size * len(n) * math.log1p(tau) - logs)

    def slope(tau: float) -> float:
        nu, after = size + tau, 1 + tau + eigenvalues
        start = np.broadcast_to((nu - i) / 2, eigenvalues.shape)
        gammas = digamma(start + n[:, None] / 2) - digamma(start)
        logs = np.log(after / (1 + tau)) + (nu + n)[:, None] / after - nu / (1 + tau)
        return float(0.5 * (gammas - logs).sum())

    grid: list[float] = np.expm1(np.linspace(0.0, math.log1p(MOST_STRENGTH), _GRID)).tolist()
    best = int(np.argmax([log_evidence(tau) for tau in grid]))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, _GRID - 1)]
    if not slope(low) > 0 > slope(high):
        return grid[best]
    from scipy.optimize import brentq

    return float(brentq(slope, low, high, xtol=1e-13))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Whitening:
    """W (K, D, D), with a row of zeros for a direction that is dropped; ln|Σ| of the others, and their number (K)."""

    rows: FloatArray
    log_determinant: FloatArray
    rank: FloatArray


def whiten(matrices: FloatArray, floor: float, *, drop: bool) -> Whitening:
    """Return the whitening factors of symmetric matrices (K, D, D).

    Parameters
    ----------
    floor : float
        Eigenvalues of at most this are raised to it.
    drop : bool
        Whether such directions are dropped instead.

    Examples
    --------
    >>> factors = whiten(np.array([[[4.0, 0.0], [0.0, 0.0]]]), 1e-9, drop=True)
    >>> float(np.abs(factors.rows).sum()), factors.rank
    (0.5, array([1.]))
    """
    rows: FloatArray = np.zeros(matrices.shape)
    logs, rank = np.zeros(len(matrices)), np.full(len(matrices), float(matrices.shape[-1]))
    for k in range(len(matrices)):
        matrix: FloatArray = matrices[k]
        try:
            np.linalg.cholesky(matrix - floor * np.eye(len(matrix)))
            factor: FloatArray = np.linalg.cholesky(matrix).astype(np.float64)
        except np.linalg.LinAlgError:
            rows[k], logs[k], rank[k] = _whiten_by_eigenvectors(matrix, floor, drop=drop)
            continue
        rows[k] = np.tril(np.linalg.inv(factor))
        logs[k] = 2 * np.log(np.diagonal(factor)).sum()
    return Whitening(rows, logs, rank)


def factor_covariances(matrices: FloatArray, floor: float, *, drop: bool) -> FloatArray:
    """Return A (K, D, D) with A Aᵀ = Σ: A ε has covariance Σ for ε ~ Normal(0, I). Parameters as in `whiten`."""
    return np.linalg.pinv(whiten(matrices, floor, drop=drop).rows).astype(np.float64)


def _whiten_by_eigenvectors(matrix: FloatArray, floor: float, *, drop: bool) -> tuple[FloatArray, float, float]:
    values, vectors = np.linalg.eigh(matrix)
    floor = max(floor, float(values.max(initial=0.0)) * _ROUNDING)
    kept = values > floor
    if drop or floor == 0:
        values = np.where(kept, values, 1.0)
    else:
        values, kept = np.maximum(values, floor), np.ones(len(values), dtype=np.bool_)
    rows = np.where(kept[:, None], vectors.T / np.sqrt(values)[:, None], 0.0)
    return rows, float(np.log(values).sum()), float(kept.sum())
