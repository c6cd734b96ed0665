"""Scores of rows by densities that are read again without each of them, for the terms of own_rereading.py.

Symbols: D columns, d = z − m, a class's variance v_j or matrix f Σ, ν degrees of freedom; ln p(x) is that of z less
Σ_j ln unit_j.

    each column     −½ ln 2πv − d²/2v
    Student-t       ln Γ((ν + 1)/2) − ln Γ(ν/2) − ½ ln πνv − ½(ν + 1) ln(1 + d²/νv)
    together        −½ (D ln 2π + D ln f + ln|Σ| + dᵀΣ⁻¹d/f)
    multivariate t  ln Γ((ν + D)/2) − ln Γ(ν/2) − ½ (D ln πν + D ln f + ln|Σ|) − ½(ν + D) ln(1 + dᵀΣ⁻¹d/νf)

Matrices are factored row by row, D³/3 operations each, in batches; those with small eigenvalues as whitening.py says.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from suffice.conjugate.log_gamma import log_rising
from suffice.evidence.without_rows import moments_without, scatter_without
from suffice.likelihoods.own_rereading import OwnColumns, OwnRows, ShapeDensities, SpreadDensities
from suffice.likelihoods.whitening import whitened
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = ["reread_scores"]

_CELLS = 2**20  # at a time
_NO_SPREAD = 2.0**-80  # a column's variance in z, when rows differ, is more


def reread_scores(
    term: OwnColumns | OwnRows, cells: Callable[[IntArray], FloatArray], at: IntArray, own: IntArray
) -> FloatArray:
    """Return log p(x|c) of rows without themselves: (rows, classes), or (rows) of the own class where others stay.

    Parameters
    ----------
    cells : function that gives some rows of the term's columns, NaN where missing
    at, own : which rows, and the class of each; rows of columns together have every cell
    """
    if isinstance(term, OwnColumns):
        return _of_columns(term, cells, at, own)
    if term.moving:
        return _of_rows(term, slice(None), cells, at, own)
    found = np.empty(len(at))
    for c in np.unique(own).tolist():
        rows = np.flatnonzero(own == c)
        found[rows] = _of_rows(term, slice(c, c + 1), cells, at[rows], np.zeros_like(rows))[:, 0]
    return found


def _of_columns(term: OwnColumns, cells: Callable[[IntArray], FloatArray], at: IntArray, own: IntArray) -> FloatArray:
    values = term.values
    found = np.empty((len(at), len(values.weight)))
    for rows in _chunks(len(at), values.mean.size):
        z = (cells(at[rows]) - values.centre) / values.unit
        left = term.read(moments_without(values, z, own[rows], term.unit))
        found[rows] = _of_spreads(left, z, np.log(values.unit))
    return found


def _of_rows(
    term: OwnRows, classes: slice, cells: Callable[[IntArray], FloatArray], at: IntArray, own: IntArray
) -> FloatArray:
    # Under these classes; `own` is where a row's own class stands among them.
    whole = term.values
    values = replace(whole, weight=whole.weight[classes], mean=whole.mean[classes], scatter=whole.scatter[classes])
    found = np.empty((len(at), len(values.weight)))
    for rows in _chunks(len(at), values.scatter.size):
        z = (cells(at[rows]) - values.centre) / values.unit
        left = term.read(scatter_without(values, z, own[rows], term.unit), classes)
        log_unit = np.log(values.unit)
        shapes = isinstance(left, ShapeDensities)
        found[rows] = _of_shapes(left, z, log_unit) if shapes else _of_spreads(left, z, log_unit)
    return found


def _chunks(rows: int, width: int) -> Iterator[slice]:
    step = max(1, _CELLS // max(1, width))
    for start in range(0, rows, step):
        yield slice(start, start + step)


def _of_spreads(left: SpreadDensities, z: FloatArray, log_unit: FloatArray) -> FloatArray:
    known = ~np.isnan(z)[:, None, :]
    squares = np.where(known, (z[:, None, :] - left.m) ** 2, 0.0) / left.variance
    logs = np.log(left.variance)
    if left.degrees is None:
        scores = -0.5 * (math.log(2 * math.pi) + logs + squares) - log_unit
        return np.where(known, scores, 0.0).sum(axis=2)
    if left.degrees.ndim == 2:
        determinant = (logs + 2 * log_unit).sum(axis=2)
        return _student(left.degrees, squares.sum(axis=2), determinant, z.shape[1])
    scores = _student(left.degrees, squares, logs + 2 * log_unit, 1)
    return np.where(known, scores, 0.0).sum(axis=2)


def _of_shapes(left: ShapeDensities, z: FloatArray, log_unit: FloatArray) -> FloatArray:
    size = z.shape[1]
    away, matrices, logs = z[:, None, :] - left.m, left.matrices, np.full((len(z), 1), log_unit.sum())
    if left.drop:
        # In units of the columns' spread within the classes; a column without any says nothing.
        variance = np.diagonal(matrices, axis1=2, axis2=3)
        some = variance > _NO_SPREAD
        unit = np.where(some, np.sqrt(np.where(some, variance, 1.0)), np.inf)
        away, matrices = away / unit, matrices / unit[..., :, None] / unit[..., None, :]
        logs = np.where(some, log_unit + np.log(np.where(some, unit, 1.0)), 0.0).sum(axis=2)
    factors = _factored(matrices, away, left.least, drop=left.drop)
    quadratic = factors.quadratic / left.factor
    determinant = factors.log_determinant + factors.rank * np.log(left.factor) + 2 * logs
    if left.degrees is None:
        return -0.5 * (factors.rank * math.log(2 * math.pi) + determinant + quadratic)
    return _student(left.degrees, quadratic, determinant, size)


def _student(degrees: FloatArray, quadratic: FloatArray, determinant: FloatArray, size: int) -> FloatArray:
    norming = log_rising(degrees / 2, np.asarray(size / 2)) - 0.5 * size * np.log(math.pi * degrees)
    return norming - 0.5 * determinant - 0.5 * (degrees + size) * np.log1p(quadratic / degrees)


class _Factors(NamedTuple):
    # dᵀΣ⁻¹d (R, C); ln|Σ| of the directions that count, and how many (R, K).
    quadratic: FloatArray
    log_determinant: FloatArray
    rank: FloatArray


def _factored(matrices: FloatArray, away: FloatArray, least: float, *, drop: bool) -> _Factors:
    size = matrices.shape[-1]
    try:
        if least > 0:
            np.linalg.cholesky(matrices - least * np.eye(size))
        root = np.linalg.cholesky(matrices)
    except np.linalg.LinAlgError:
        found = whitened(matrices.reshape(-1, size, size), least, drop=drop)
        white = found.rows.reshape(matrices.shape) @ away[..., None]
        logs, rank = (each.reshape(matrices.shape[:2]) for each in (found.log_determinant, found.rank))
        return _Factors((white[..., 0] ** 2).sum(axis=2), logs, rank)
    logs = 2 * np.log(np.diagonal(root, axis1=2, axis2=3)).sum(axis=2)
    if matrices.shape[1] == 1:  # factored once for all classes
        white = np.linalg.solve(root[:, 0], away.swapaxes(1, 2)).swapaxes(1, 2)
    else:
        white = np.linalg.solve(root, away[..., None])[..., 0]
    return _Factors((white**2).sum(axis=2), logs, np.full(logs.shape, float(size)))
