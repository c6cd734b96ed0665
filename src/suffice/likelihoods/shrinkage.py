"""Scatter matrices pulled towards a simpler shape before they are read, in the units of standardised_scatter.py.

Symbols: S, n of class c; W the scatter within classes over N (all classes), u_j² = W_jj; s from 0 to 1.

    S̃ = (1 − s) S + s G
    toward "diagonal"     G = diag S: the columns' own variances stay, their correlations shrink
           "spherical"    G = n t diag(u²), t the mean of S_jj/(n u_j²): a sphere in columns standardised by their own
                          variance within classes, which is what scikit-learn's shrinkage does to such columns
           "shared"       G = n W: a class of its own shape turns into one of everybody's (from QDA to LDA)
           "total"        G = n diag v: independent columns with the variances that they have over all rows

Of one matrix for all classes the first two are the same: t = 1. Units never matter: G goes with the columns' own.

    "oas"       s = min(1, [(1 − 2/D) tr R² + (tr R)²] / [(f + 1 − 2/D)(tr R² − (tr R)²/D)])      Chen et al. 2010, (23)
                R = S/n with columns standardised by what the target has on its diagonal, f = n − 1 its degrees of
                freedom, N − C of one matrix; each class has its own s
    "evidence"  the prior of evidence_strength.py instead, from which every reading is made
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from suffice.likelihoods.standardised_scatter import StandardisedScatter
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["Shrinkage", "Toward", "oas", "pulled", "shares"]

Shrinkage: TypeAlias = "float | Literal['oas', 'evidence'] | None"
Toward: TypeAlias = Literal["diagonal", "spherical", "shared", "total"]


@np.errstate(over="ignore", invalid="ignore")  # of classes that weigh next to nothing
def shares(seen: StandardisedScatter, shrinkage: Shrinkage, toward: Toward, *, shared: bool) -> FloatArray | None:
    """Return s of each class (C); None where nothing is pulled."""
    if shrinkage is None or shrinkage == "evidence" or not seen.unit.size:
        return None
    if shared or not isinstance(shrinkage, str):
        return np.full(len(seen.weight), _share(shrinkage, seen.within, _freedom(seen)))
    some = np.where(seen.weight > 0, seen.weight, 1.0)
    unit = np.sqrt(np.diagonal(_goal(seen, toward, shared=False), axis1=1, axis2=2) / some[:, None])
    return np.array(
        [_share(shrinkage, matrix / n, n - 1, each) for matrix, n, each in zip(seen.scatter, some, unit, strict=True)]
    )


def pulled(seen: StandardisedScatter, share: FloatArray | None, toward: Toward, *, shared: bool) -> FloatArray:
    """Return S̃ of each class (C, D, D), pulled by these shares."""
    if share is None:
        return seen.scatter
    goal = _goal(seen, toward, shared=shared)
    return (1 - share)[:, None, None] * seen.scatter + share[:, None, None] * goal


def oas(matrix: FloatArray, freedom: float) -> float:
    """Return s of a covariance matrix (D, D), columns standardised, of that many degrees of freedom.

    Examples
    --------
    >>> round(oas(np.array([[1.0, 0.5], [0.5, 1.0]]), 9), 4)  # 4 / (9 · 0.5)
    0.8889
    """
    size, trace, squares = len(matrix), float(np.trace(matrix)), float((matrix * matrix).sum())
    above = (1 - 2 / size) * squares + trace**2
    below = (freedom + 1 - 2 / size) * (squares - trace**2 / size)
    return min(1.0, above / below) if freedom > 0 and below > 0 else 1.0


def _freedom(seen: StandardisedScatter) -> float:
    return float(seen.weight.sum()) - float(np.count_nonzero(seen.weight))


def _share(shrinkage: float | str, matrix: FloatArray, freedom: float, unit: FloatArray | None = None) -> float:
    if not isinstance(shrinkage, str):
        return float(shrinkage)
    unit = np.sqrt(np.diagonal(matrix)) if unit is None else unit
    some = unit > 0
    scale = np.where(some, 1 / np.where(some, unit, 1.0), 0.0)
    return oas(matrix * scale[:, None] * scale, freedom)


def _diagonals(matrices: FloatArray) -> FloatArray:
    return matrices * np.eye(matrices.shape[-1])


def _goal(seen: StandardisedScatter, toward: Toward, *, shared: bool) -> FloatArray:
    if toward == "total":
        return seen.weight[..., None, None] * np.eye(len(seen.unit))
    if shared or toward == "diagonal":
        return _diagonals(seen.scatter)
    within = seen.within[..., None, :, :]
    if toward == "shared":
        return seen.weight[..., None, None] * within
    u = np.diagonal(within, axis1=-2, axis2=-1)
    some = u > 0
    parts = np.where(some, np.diagonal(seen.scatter, axis1=-2, axis2=-1) / np.where(some, u, 1.0), 0.0)
    level = parts.sum(axis=-1) / np.maximum(some.sum(axis=-1), 1)  # n t
    return level[..., None, None] * (np.eye(u.shape[-1]) * u[..., None, :])
