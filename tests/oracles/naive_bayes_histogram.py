"""Naive Bayes of real cells as steps, slowly: every distinct value a bin of its own, cuts and masses as fractions.

Rows are lists of numbers, None where missing and ±inf allowed. A cut stands half-way between two distinct values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from tests.oracles.naive_bayes_discrete import Cell, Rows, categorical, column_of, evidence_of_levels


def edges_of(rows: Rows, j: int, cells: int) -> list[float]:
    """Return the edges of at most so many cells, ends included; none for a column of one value."""
    finite = [row[j] for row in rows if row[j] is not None and math.isfinite(row[j])]
    values = sorted(set(finite))
    if len(values) < 2:
        return []
    reached = [sum(1 for each in finite if each <= value) for value in values]
    after: set[int] = set()
    for i in range(1, cells):
        wanted = Fraction(i * len(finite), cells)
        after.add(min(range(len(values)), key=lambda b, wanted=wanted: (abs(reached[b] - wanted), b)))
    inner = [float((Fraction(values[b]) + Fraction(values[b + 1])) / 2) for b in sorted(after - {len(values) - 1})]
    return [values[0], *inner, math.nextafter(values[-1], math.inf)]


def cell_of(edges: Sequence[float], x: Cell) -> int | None:
    """Return the cell of a value: NumPy's search among the inner edges."""
    return None if x is None else int(np.searchsorted(edges[1:-1], x, side="right"))


def log_width(edges: Sequence[float], k: int) -> float:
    width = Fraction(edges[k + 1]) - Fraction(edges[k])
    return math.log(width.numerator) - math.log(width.denominator)


def histogram(
    rows: Rows,
    labels: Sequence[object],
    label: object,
    x: Sequence[Cell],
    estimate: str,
    cells: int,
    alpha: object = None,
) -> float:
    """Return log p(x | class)."""
    total = 0.0
    for j, value in enumerate(x):
        edges = edges_of(rows, j, cells)
        if value is None or not edges:
            continue
        coded = [[cell_of(edges, row[j])] for row in rows]
        k = cell_of(edges, value)
        total += categorical(coded, labels, label, [k], estimate, alpha, declared=range(len(edges) - 1))
        total -= log_width(edges, k)
    return total


def evidence(rows: Rows, labels: Sequence[object], label: object, j: int, cells: int, alpha: object) -> float:
    """Return the log density of the values of a column in a class, given the edges, one after the other."""
    edges = edges_of(rows, j, cells)
    if not edges:
        return 0.0
    found = [cell_of(edges, value) for value in column_of(rows, labels, label, j)]
    prior = {k: Fraction(alpha) for k in range(len(edges) - 1)}
    return evidence_of_levels(found, prior) - sum(log_width(edges, k) for k in found)


def observed(rows: Rows, labels: Sequence[object], label: object, j: int) -> list[int]:
    """Return whether each cell of the class is known, as 1 or 0."""
    return [int(row[j] is not None) for row, y in zip(rows, labels, strict=True) if y == label]
