"""Rows to a scatter matrix, slowly and exactly: S = Σ w (x − m)(x − m)ᵀ over the rows with every cell observed.

A row with a NaN only adds to left_out. A row with code −1, or with weight 0, contributes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from suffice.statistics import Axis, Scatter
from tests.oracles.rows_tally import row_weights

Rows = Sequence[Sequence[float]]


def exact_pairs(
    x: Rows, codes: Sequence[int], n_classes: int, weights: Sequence[float] | None = None, n_columns: int | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return weight (C,), mean (C, D), scatter (C, D, D), left_out (C,), mean_low and scatter_low."""
    d = len(x[0]) if n_columns is None else n_columns
    weight, left_out = np.zeros(n_classes), np.zeros(n_classes)
    mean, mean_low = np.zeros((n_classes, d)), np.zeros((n_classes, d))
    scatter, scatter_low = np.zeros((n_classes, d, d)), np.zeros((n_classes, d, d))
    for c in range(n_classes):
        rows = [
            (w, row)
            for row, code, w in zip(x, codes, row_weights(len(codes), weights), strict=True)
            if code == c and w > 0
        ]
        left_out[c] = float(sum((w for w, row in rows if any(map(math.isnan, row))), Fraction(0)))
        whole = [(w, [Fraction(float(value)) for value in row]) for w, row in rows if not any(map(math.isnan, row))]
        n = sum((w for w, _ in whole), Fraction(0))
        weight[c] = float(n)
        if n == 0:
            continue
        m = [sum((w * row[j] for w, row in whole), Fraction(0)) / n for j in range(d)]
        for i in range(d):
            mean[c, i], mean_low[c, i] = _two_floats(m[i])
            for j in range(d):
                s = sum((w * (row[i] - m[i]) * (row[j] - m[j]) for w, row in whole), Fraction(0))
                scatter[c, i, j], scatter_low[c, i, j] = _two_floats(s)
    return weight, mean, scatter, left_out, mean_low, scatter_low


def exact(
    x: Rows, codes: Sequence[int], n_classes: int, weights: Sequence[float] | None = None, n_columns: int | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return weight, mean, scatter and left_out, correctly rounded."""
    weight, mean, scatter, left_out, _, _ = exact_pairs(x, codes, n_classes, weights, n_columns)
    return weight, mean, scatter, left_out


def as_statistic(
    x: Rows,
    codes: Sequence[int],
    classes: Sequence[object],
    columns: int | Iterable[str | int],
    weights: Sequence[float] | None = None,
) -> Scatter:
    """Return the scatter of rows whose class is classes[code]."""
    names = tuple(range(columns)) if isinstance(columns, int) else tuple(columns)
    axis = Axis.of(classes)
    back = np.argsort(axis.positions(classes))
    arrays = exact_pairs(x, codes, len(classes), weights, len(names))
    return Scatter(axis, names, *(array[back] for array in arrays))


def _two_floats(value: Fraction) -> tuple[float, float]:
    high = float(value)
    return high, float(value - Fraction(high))
