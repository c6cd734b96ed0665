"""Densities of several columns together without the row: for its own class, or for all where the matrix is shared.

The formulas are those of likelihoods/own_terms.py; rows are whitened by Ψ', so that each is a few products. A row that
had a direction of its class nearly to itself is scored by matrices of its own (own_rereadings.py).
"""

from __future__ import annotations

import math

import numpy as np

from suffice.conjugate.log_gamma import log_rising
from suffice.evidence.own_rereadings import reread_scores
from suffice.likelihoods.own_terms import OwnEllipse
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = ["ellipse_scores"]

_ROUNDING = 1e-9  # of the determinant, when the row was most of what one direction had


def ellipse_scores(term: OwnEllipse, x: FloatArray, own: IntArray) -> FloatArray:
    """Return log p(x|c) of whole rows: (rows, classes) where the matrix is shared, else (rows) of the own class."""
    z = (x - term.centre) * term.scale
    found = np.empty((len(x), len(term.m))) if term.shared else np.empty(len(x))
    for y in np.unique(own).tolist():
        rows = np.flatnonzero(own == y)
        at = 0 if len(term.psi) == 1 else y
        matrix: FloatArray = term.psi[at]
        root: FloatArray = np.linalg.cholesky(matrix).astype(np.float64)
        logs = 2 * float(np.log(np.diagonal(root)).sum())
        white = _whitened(root, z[rows] - term.m[y])  # δ
        squares = (white**2).sum(axis=1)
        taken = term.unit * float(term.spin[y])
        left = 1.0 - taken * squares
        thin = left <= max(_ROUNDING, term.thin)
        if thin.any():
            assert term.by_row is not None
            alone = rows[thin]
            found[alone] = reread_scores(term.by_row, x.__getitem__, alone, own[alone])
            rows, white, squares, left = rows[~thin], white[~thin], squares[~thin], left[~thin]
        own_scores = _density(term, y, float(term.spin[y]) ** 2 * squares / left if taken else squares, logs, left)
        if not term.shared:
            found[rows] = own_scores
            continue
        for c in range(len(term.m)):
            away = _whitened(root, np.broadcast_to(term.m[y] - term.m[c], (1, z.shape[1]))) + white
            product = (away * white).sum(axis=1)
            quadratic = (away**2).sum(axis=1) + taken / left * product**2
            found[rows, c] = own_scores if c == y else _density(term, c, quadratic, logs, left, own=False)
    return found


def _whitened(root: FloatArray, away: FloatArray) -> FloatArray:
    from scipy.linalg import solve_triangular  # not before it is needed: it takes long to load

    return np.asarray(solve_triangular(root, away.T, lower=True)).T


def _density(
    term: OwnEllipse, c: int, quadratic: FloatArray, logs: float, left: FloatArray, *, own: bool = True
) -> FloatArray:
    # Of a class whose matrix is f Ψ'': the quadratic form and the determinant are those of Ψ'' still.
    size = term.m.shape[1]
    factor = float((term.own_factor if own else term.other_factor)[c])
    determinant = size * math.log(factor) + logs + np.log(left)
    unit = float(np.log(term.scale).sum())
    if term.degrees is None:
        return unit - 0.5 * (size * math.log(2 * math.pi) + determinant + quadratic / factor)
    degrees = float(term.degrees[c])
    norm = float(log_rising(np.asarray(degrees / 2), np.asarray(size / 2))) - 0.5 * size * math.log(math.pi * degrees)
    return unit + norm - 0.5 * determinant - 0.5 * (degrees + size) * np.log1p(quadratic / factor / degrees)
