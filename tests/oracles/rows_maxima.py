"""Rows to maxima, slowly: the weight and the largest value of the cells of a class; NaN is missing and skipped."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from suffice.statistics import Axis, Maxima
from tests.oracles.rows_tally import row_weights


def exact(
    x: Sequence[Sequence[float]], codes: Sequence[int], n_classes: int, n_columns: int, weights: Sequence[float] | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return weight and maximum, each C × D. A row with code −1, or with weight 0, contributes nothing."""
    weight, maximum = np.zeros((n_classes, n_columns)), np.zeros((n_classes, n_columns))
    for c in range(n_classes):
        for j in range(n_columns):
            seen = [
                (w, float(row[j]))
                for row, code, w in zip(x, codes, row_weights(len(codes), weights), strict=True)
                if code == c and w > 0 and not math.isnan(row[j])
            ]
            weight[c, j] = float(sum((w for w, _ in seen), Fraction(0)))
            maximum[c, j] = max((value for _, value in seen), default=0.0)
    return weight, maximum


def as_statistic(
    x: Sequence[Sequence[float]],
    codes: Sequence[int],
    classes: Sequence[object],
    columns: Iterable[str | int],
    weights: Sequence[float] | None = None,
) -> Maxima:
    """Return the maxima of rows whose class is classes[code]."""
    axis, names = Axis.of(classes), tuple(columns)
    order = np.argsort(axis.positions(classes))
    weight, maximum = exact(x, codes, len(classes), len(names), weights)
    return Maxima(axis, names, weight[order], maximum[order])
