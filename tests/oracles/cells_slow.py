"""The cost of cells (Boullé 2006, 2005) by its page, and the best of all partitions by trying each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import mpmath

Table = Sequence[Sequence[float]]  # bins or levels × classes


def cells_cost(table: Table, cells: Sequence[Sequence[int]]) -> mpmath.mpf:
    """Return the part of the cost that intervals and groups share."""
    classes = sum(1 for column in zip(*table, strict=True) if sum(column) > 0)
    cost = mpmath.mpf(0)
    for cell in cells:
        counts = [math.fsum(column) for column in zip(*(table[b] for b in cell), strict=True)]
        total = math.fsum(counts)
        cost += mpmath.loggamma(total + classes) - mpmath.loggamma(classes) - mpmath.loggamma(total + 1)
        cost += mpmath.loggamma(total + 1) - sum(mpmath.loggamma(count + 1) for count in counts)
    return cost


def interval_cost(table: Table, starts: Sequence[int]) -> float:
    n, size = math.fsum(map(math.fsum, table)), len(starts)
    ends = [*starts[1:], len(table)]
    prior = mpmath.log(n) + mpmath.loggamma(n + size) - mpmath.loggamma(size) - mpmath.loggamma(n + 1)
    return float(prior + cells_cost(table, [range(a, b) for a, b in zip(starts, ends, strict=True)]))


def group_cost(table: Table, groups: Sequence[int]) -> float:
    """Every level must have weight."""
    size = max(groups) + 1
    cells = [[v for v, group in enumerate(groups) if group == g] for g in range(size)]
    prior = mpmath.log(len(table)) + mpmath.log(sum(stirling(len(table), k) for k in range(1, size + 1)))
    return float(prior + cells_cost(table, cells))


def stirling(n: int, k: int) -> int:
    """Return the number of partitions of n things into k groups, as an integer."""
    row = [1]
    for m in range(1, n + 1):
        row = [0] + [j * (row[j] if j < len(row) else 0) + row[j - 1] for j in range(1, m + 1)]
    return row[k] if k < len(row) else 0


def every_interval_set(bins: int) -> Iterator[tuple[int, ...]]:
    for size in range(bins):
        for cuts in combinations(range(1, bins), size):
            yield (0, *cuts)


def every_partition(levels: int) -> Iterator[tuple[int, ...]]:
    """Yield restricted growth strings."""

    def extend(groups: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(groups) == levels:
            yield groups
            return
        for group in range(max(groups, default=-1) + 2):
            yield from extend((*groups, group))

    return extend(())
