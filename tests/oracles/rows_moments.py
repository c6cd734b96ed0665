"""Rows to moments, slowly and exactly: weight = Σ w, mean = Σ w x / weight, dp = Σ w (x − mean)², all in fractions.

x is a list of rows of floats; NaN is missing and skipped. A row with code −1, or with weight 0, contributes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from suffice.statistics import Axis, Moments
from tests.oracles.rows_tally import row_weights

Rows = Sequence[Sequence[float]]


def fractions_of(
    x: Rows, codes: Sequence[int], c: int, j: int, weights: Sequence[float] | None = None
) -> tuple[Fraction, Fraction, Fraction]:
    """Return weight, mean and dp of column j in class c, as fractions."""
    seen = [
        (w, Fraction(float(row[j])))
        for row, code, w in zip(x, codes, row_weights(len(codes), weights), strict=True)
        if code == c and not math.isnan(row[j]) and w > 0
    ]
    weight = sum((w for w, _ in seen), Fraction(0))
    if weight == 0:
        return Fraction(0), Fraction(0), Fraction(0)
    mean = sum((w * value for w, value in seen), Fraction(0)) / weight
    dp = sum((w * (value - mean) ** 2 for w, value in seen), Fraction(0))
    return weight, mean, dp


def exact_pairs(
    x: Rows, codes: Sequence[int], n_classes: int, weights: Sequence[float] | None = None, n_columns: int | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return weight, mean, dp, mean_low, dp_low, each C × D: the nearest floats, and the nearest to what they miss."""
    d = len(x[0]) if n_columns is None else n_columns
    weight, mean, dp, mean_low, dp_low = (np.zeros((n_classes, d)) for _ in range(5))
    for c in range(n_classes):
        for j in range(d):
            n, m, s = fractions_of(x, codes, c, j, weights)
            weight[c, j], mean[c, j], dp[c, j] = float(n), float(m), float(s)
            mean_low[c, j], dp_low[c, j] = float(m - Fraction(float(m))), float(s - Fraction(float(s)))
    return weight, mean, dp, mean_low, dp_low


def exact(
    x: Rows, codes: Sequence[int], n_classes: int, weights: Sequence[float] | None = None, n_columns: int | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return weight, mean and dp, each C × D, correctly rounded. Without rows, say how many columns there are."""
    weight, mean, dp, _, _ = exact_pairs(x, codes, n_classes, weights, n_columns)
    return weight, mean, dp


def as_statistic(
    x: Rows,
    codes: Sequence[int],
    classes: Sequence[object],
    columns: int | Iterable[str | int],
    weights: Sequence[float] | None = None,
) -> Moments:
    """Return the moments of rows whose class is classes[code]."""
    names = tuple(range(columns)) if isinstance(columns, int) else tuple(columns)
    axis = Axis.of(classes)
    arrays = exact_pairs(x, codes, len(classes), weights, len(names))
    laid = [np.zeros((len(axis), len(names))) for _ in arrays]
    for to, source in zip(laid, arrays, strict=True):
        to[axis.positions(classes)] = source
    return Moments(axis, names, *laid)
