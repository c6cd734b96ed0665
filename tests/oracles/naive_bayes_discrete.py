"""Naive Bayes of discrete cells, slowly: counts by loops over the rows, probabilities as fractions, evidence row by row.

Rows are lists of numbers, None where missing; `labels` the class of each; weights whole numbers (copies of the row).
Every function returns what one class says; the priors are (a, b), or one number per level or column.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

Cell = float | int | None
Rows = Sequence[Sequence[Cell]]


def log(p: Fraction) -> float:
    return -math.inf if p == 0 else math.log(p.numerator) - math.log(p.denominator)


def read(counts: Sequence[int], alpha: Sequence[Fraction], estimate: str) -> list[Fraction]:
    """Return the probabilities of the levels; alpha is λ for "smoothed"."""
    n, size = sum(counts), len(counts)
    if estimate == "mle" or (estimate == "smoothed" and n + sum(alpha) == 0):
        return [Fraction(c, n) if n else Fraction(1, size) for c in counts]
    mean = [(c + a) / (n + sum(alpha)) for c, a in zip(counts, alpha, strict=True)]
    if estimate != "map":
        return mean
    clipped = [max(c + a - 1, Fraction(0)) for c, a in zip(counts, alpha, strict=True)]
    return [c / sum(clipped) for c in clipped] if sum(clipped) else mean


def default(estimate: str) -> Fraction:
    return Fraction(2 if estimate == "map" else 1)


def column_of(rows: Rows, labels: Sequence[object], label: object, j: int) -> list[Cell]:
    return [row[j] for row, y in zip(rows, labels, strict=True) if y == label and row[j] is not None]


def bernoulli(
    rows: Rows,
    labels: Sequence[object],
    label: object,
    x: Sequence[Cell],
    estimate: str,
    prior: tuple[object, object] | None = None,
    threshold: float = 0.0,
) -> float:
    """Return log p(x | class)."""
    total = 0.0
    for j, cell in enumerate(x):
        if cell is None:
            continue
        seen = column_of(rows, labels, label, j)
        present = sum(1 for each in seen if each > threshold)
        alpha = [default(estimate)] * 2 if prior is None else [Fraction(each) for each in prior]
        theta = read([present, len(seen) - present], alpha, estimate)
        total += log(theta[0] if cell > threshold else theta[1])
    return total


def levels_of(rows: Rows, j: int, declared: Sequence[int] = ()) -> list[int]:
    return sorted({int(row[j]) for row in rows if row[j] is not None} | set(declared))


def categorical(
    rows: Rows,
    labels: Sequence[object],
    label: object,
    x: Sequence[Cell],
    estimate: str,
    alpha: object = None,
    *,
    mass: bool = False,
    declared: Sequence[int] = (),
) -> float:
    """Return log p(x | class); alpha is one number for every level."""
    total = 0.0
    for j, cell in enumerate(x):
        levels = levels_of(rows, j, declared)
        if cell is None or (cell not in levels and not mass):
            continue
        seen = column_of(rows, labels, label, j)
        counts = [sum(1 for each in seen if each == level) for level in levels] + [0] * mass
        each = default(estimate) if alpha is None else Fraction(alpha)
        theta = read(counts, [each] * len(counts), estimate)
        total += log(theta[levels.index(cell)] if cell in levels else theta[-1])
    return total


def coefficient(x: Sequence[Cell]) -> float:
    counts = [int(cell) for cell in x if cell is not None]
    return math.log(math.factorial(sum(counts)) // math.prod(math.factorial(c) for c in counts))


def rising(start: Fraction, n: int) -> Fraction:
    return math.prod((start + i for i in range(n)), start=Fraction(1))


def word_counts(rows: Rows, labels: Sequence[object], label: object) -> list[int]:
    return [int(sum(column_of(rows, labels, label, j))) for j in range(len(rows[0]))]


def multinomial(
    rows: Rows,
    labels: Sequence[object],
    label: object,
    x: Sequence[Cell],
    estimate: str,
    alpha: Sequence[object] | None = None,
) -> float:
    """Return log p(x | class), the coefficient included; with missing counts, given the total of the others."""
    counts = word_counts(rows, labels, label)
    prior = [default(estimate)] * len(counts) if alpha is None else [Fraction(a) for a in alpha]
    observed = [j for j, cell in enumerate(x) if cell is not None]
    n = sum(int(x[j]) for j in observed)
    if estimate == "predictive":
        p = math.prod((rising(counts[j] + prior[j], int(x[j])) for j in observed), start=Fraction(1))
        return coefficient(x) + log(
            p / rising(sum(counts[j] + prior[j] for j in observed) if observed else Fraction(1), n)
        )
    theta = read(counts, prior, estimate)
    among = sum((theta[j] for j in observed), Fraction(0))
    if n == 0:
        return coefficient(x)
    if among == 0:
        return -math.inf
    return coefficient(x) + log(math.prod(((theta[j] / among) ** int(x[j]) for j in observed), start=Fraction(1)))


def evidence_of_levels(cells: Sequence[Cell], alpha: dict[int, Fraction]) -> float:
    """Return the log probability of a sequence of levels, one after the other."""
    counts, total = dict(alpha), 0.0
    for cell in cells:
        total += log(counts[cell] / sum(counts.values()))
        counts[cell] += 1
    return total


def evidence_of_documents(rows: Sequence[Sequence[int]], alpha: Sequence[Fraction]) -> float:
    """Return the log probability of documents, one after the other, each by the Pólya distribution."""
    counts, total = list(alpha), 0.0
    for row in rows:
        p = math.prod((rising(c, x) for c, x in zip(counts, row, strict=True)), start=Fraction(1))
        total += coefficient(row) + log(p / rising(sum(counts), sum(row)))
        counts = [c + x for c, x in zip(counts, row, strict=True)]
    return total
