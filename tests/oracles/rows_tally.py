"""Rows to a tally, slowly and exactly: weight_c = Σ w over the rows of class c."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from suffice.statistics import Axis, Tally


def row_weights(rows: int, weights: Sequence[float] | None) -> list[Fraction]:
    """Return the weight of every row, 1 unless given."""
    return [Fraction(1)] * rows if weights is None else [Fraction(float(w)) for w in weights]


def exact(codes: Sequence[int], n_classes: int, weights: Sequence[float] | None = None) -> np.ndarray:
    """Return the weight (C,) of each class. A row with code −1 is left out."""
    total = [Fraction(0)] * n_classes
    for code, w in zip(codes, row_weights(len(codes), weights), strict=True):
        if code >= 0:
            total[code] += w
    return np.array([float(t) for t in total], dtype=np.float64)


def as_statistic(codes: Sequence[int], classes: Sequence[object], weights: Sequence[float] | None = None) -> Tally:
    """Return the tally of rows whose class is classes[code]."""
    axis = Axis.of(classes)
    laid = np.zeros(len(axis))
    laid[axis.positions(classes)] = exact(codes, len(classes), weights)
    return Tally(axis, laid)
