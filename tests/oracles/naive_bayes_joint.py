"""A joint block of discrete columns, slowly: every combination of levels is listed, probabilities are fractions.

Rows are lists of labels, None where missing. Of a class the combinations of its rows without a gap are counted over all
T = Π S_j combinations of the levels that any row shows; a gap sums over what it may be.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from tests.oracles.naive_bayes_discrete import default, evidence_of_levels, log, read

Row = Sequence[object]


def levels_of(rows: Sequence[Row], j: int) -> list[object]:
    seen: list[object] = []
    for row in rows:
        if row[j] is not None and row[j] not in seen:
            seen.append(row[j])
    return seen or ["of which nothing is known"]


def combinations_of(rows: Sequence[Row]) -> list[tuple[object, ...]]:
    return list(product(*(levels_of(rows, j) for j in range(len(rows[0])))))


def complete(rows: Sequence[Row], labels: Sequence[object], label: object) -> list[tuple[object, ...]]:
    return [tuple(row) for row, y in zip(rows, labels, strict=True) if y == label and None not in row]


def theta(
    rows: Sequence[Row], labels: Sequence[object], label: object, estimate: str, alpha: Fraction | None = None
) -> dict[tuple[object, ...], Fraction]:
    """Return the probability of each of the T combinations in a class; alpha is λ for "smoothed"."""
    every = combinations_of(rows)
    here = complete(rows, labels, label)
    each = default(estimate) if alpha is None else alpha
    return dict(zip(every, read([here.count(s) for s in every], [each] * len(every), estimate), strict=True))


def joint(
    rows: Sequence[Row],
    labels: Sequence[object],
    label: object,
    x: Row,
    estimate: str,
    alpha: Fraction | None = None,
) -> float:
    """Return log p(x | class): an unseen level is a gap, a row of gaps only says nothing."""
    known = {j: cell for j, cell in enumerate(x) if cell is not None and cell in levels_of(rows, j)}
    if not known:
        return 0.0
    of_class = theta(rows, labels, label, estimate, alpha)
    matching = [p for s, p in of_class.items() if all(s[j] == cell for j, cell in known.items())]
    return log(sum(matching, Fraction(0)))


def evidence(rows: Sequence[Row], labels: Sequence[object], label: object, alpha: Fraction) -> float:
    """Return the log probability of the combinations of the class, one after the other."""
    return evidence_of_levels(complete(rows, labels, label), dict.fromkeys(combinations_of(rows), alpha))
