"""Rows to counts, slowly and exactly: sums of columns, presence of columns, and levels of columns.

NaN (or level code −1) is missing and skipped. A row with class code −1, or with weight 0, contributes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from suffice.statistics import Axis, Counts
from tests.oracles.rows_tally import row_weights

Rows = Sequence[Sequence[float]]


def sums(
    x: Rows, codes: Sequence[int], n_classes: int, weights: Sequence[float] | None = None, n_columns: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return Σ w x and Σ w over the observed cells, both C × D."""
    return _totals(x, codes, n_classes, weights, n_columns, Fraction)


def presence(
    x: Rows,
    codes: Sequence[int],
    n_classes: int,
    threshold: float = 0.0,
    weights: Sequence[float] | None = None,
    n_columns: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return Σ w over the cells with x > threshold and Σ w over the observed cells, both C × D."""
    return _totals(x, codes, n_classes, weights, n_columns, lambda value: Fraction(int(value > threshold)))


def levels(
    level_codes: Sequence[Sequence[int]],
    codes: Sequence[int],
    n_classes: int,
    n_levels: Sequence[int],
    weights: Sequence[float] | None = None,
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return for each column the weight of each level (C × L_j) and of the observed cells (C × 1)."""
    found: list[tuple[np.ndarray, np.ndarray]] = []
    for j, size in enumerate(n_levels):
        total = [[Fraction(0)] * size for _ in range(n_classes)]
        for row, code, w in zip(level_codes, codes, row_weights(len(codes), weights), strict=True):
            if code >= 0 and row[j] >= 0:
                total[code][row[j]] += w
        observed = [[sum(of_class, Fraction(0))] for of_class in total]
        found.append((_floats(total, (n_classes, size)), _floats(observed, (n_classes, 1))))
    return found


def as_statistic(
    classes: Sequence[object], entries: Sequence[object], values: np.ndarray, observed: np.ndarray, *, per_level: bool
) -> Counts:
    """Return the counts of arrays that are in the order of the given class labels and entries."""
    class_axis, level_axis = Axis.of(classes), Axis.of(entries)
    rows, columns = class_axis.positions(classes), level_axis.positions(entries)
    table, seen = np.zeros_like(values), np.zeros_like(observed)
    table[np.ix_(rows, columns)] = values
    seen[np.ix_(rows, columns if per_level else [0])] = observed
    return Counts(class_axis, level_axis, table, seen, per_level)


def _totals(
    x: Rows,
    codes: Sequence[int],
    n_classes: int,
    weights: Sequence[float] | None,
    n_columns: int | None,
    amount: Callable[[float], Fraction],
) -> tuple[np.ndarray, np.ndarray]:
    d = len(x[0]) if n_columns is None else n_columns
    total = [[Fraction(0)] * d for _ in range(n_classes)]
    observed = [[Fraction(0)] * d for _ in range(n_classes)]
    for row, code, w in zip(x, codes, row_weights(len(codes), weights), strict=True):
        for j in range(d):
            if code >= 0 and w > 0 and not math.isnan(row[j]):
                total[code][j] += w * amount(float(row[j]))
                observed[code][j] += w
    return _floats(total, (n_classes, d)), _floats(observed, (n_classes, d))


def _floats(table: list[list[Fraction]], shape: tuple[int, int]) -> np.ndarray:
    return np.array([[float(value) for value in row] for row in table], dtype=np.float64).reshape(shape)
