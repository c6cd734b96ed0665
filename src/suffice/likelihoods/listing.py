"""The statistics of a block of columns as a list, by class, column and level.

    what        a row of the list, for each class and column               fields besides class and column
    levels      each level                                                 count N_jc(k)
    joint       each combination, a tuple of levels                        count N_c(s); the column names are joined
    presence    present and absent                                         count
    sums        one                                                        count Σ w x, weight n of the known cells
    moments     one                                                        n, mean, variance dp/n
    numeric     one                                                        as moments
    scatter     one                                                        as moments, of the complete rows
    maxima      one                                                        n, maximum
    bins        each fine bin                                              count, edges
    tokens      each token                                                 count of occurrences, and of documents

A likelihood whose model is coarser than its statistics lists the units of the model: the bins of a histogram, the
kept tokens (`Likelihood.counts`). A class without known cells has n = 0, and its mean and variance are missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from suffice.likelihoods.block_statistics import BlockStatistics, Collect, What, align_classes, align_columns
from suffice.likelihoods.tokens import TokenCounts, TokenFilter
from suffice.statistics import Axis, Bins, Counts, Maxima, Moments, Scatter, Tokens
from suffice.statistics.arrays import FloatArray
from suffice.statistics.labels import Label

__all__ = ["Count", "list_bins", "list_counts", "list_moments", "list_tokens"]


class Count(NamedTuple):
    """Statistics of one class: a row of a tidy table, None where a field does not apply.

    `label` is the class. `column` is None for the rows of the class, N_c. `count` is the weight of the cells with the
    level, or the sum of a column of counts. `n` is the weight of the known cells, and `mean`, `variance`
    (Σ w (x − mean)²/n) and `maximum` are those of their values. A bin extends from `lower_edge` to `upper_edge`.
    `documents` is the weight of the documents with the token.
    """

    label: Label
    column: str | int | None
    level: Label = None
    count: float | None = None  # pyright: ignore[reportIncompatibleMethodOverride]
    n: float | None = None
    mean: float | None = None
    variance: float | None = None
    maximum: float | None = None
    documents: float | None = None
    lower_edge: float | None = None
    upper_edge: float | None = None


def list_counts(collected: Collect, block: BlockStatistics) -> Iterator[Count]:
    """Yield the statistics of a block, class by class within each column."""
    yield from _LISTS[collected.what](block)


def list_moments(block: BlockStatistics) -> Iterator[Count]:
    """Yield weight, mean and variance of every column and class."""
    part = block.parts[0]
    assert isinstance(part, (Moments, Scatter))
    moments = part.moments()
    at = [moments.columns.index(name) for name in block.columns]
    n, mean, dp = (
        align_classes(values, moments.classes, block.classes)[:, at]
        for values in (moments.weight, moments.mean, moments.dp)
    )
    for j, column in enumerate(block.columns):
        for c, label in enumerate(block.classes):
            weight = float(n[c, j])
            known = (float(mean[c, j]), float(dp[c, j]) / weight) if weight > 0 else (None, None)
            yield Count(label, column, None, None, weight, *known)


def list_bins(
    column: str | int, classes: Axis, counts: FloatArray, edges: list[tuple[float, float]]
) -> Iterator[Count]:
    """Yield the counts (C, K) of the bins of a column, given the two edges of each."""
    for c, label in enumerate(classes):
        for count, (lower, upper) in zip(counts[c].tolist(), edges, strict=True):
            yield Count(label, column, None, count, lower_edge=lower, upper_edge=upper)


def list_tokens(column: str | int, counted: TokenCounts) -> Iterator[Count]:
    """Yield the occurrences and documents of every kept token."""
    names = [counted.tokens.name_of(at) for at in counted.kept.tolist()]
    for c, label in enumerate(counted.block.classes):
        of_class = zip(names, counted.raw_counts[c].tolist(), counted.documents[c].tolist(), strict=True)
        for name, count, documents in of_class:
            yield Count(label, column, name, count, documents=documents)


def _list_levels(block: BlockStatistics) -> Iterator[Count]:
    for column, part in zip(block.columns, block.parts, strict=True):
        yield from _list_outcomes(column, part, block)


def _list_combinations(block: BlockStatistics) -> Iterator[Count]:
    yield from _list_outcomes(", ".join(map(str, block.columns)), block.parts[0], block)


def _list_outcomes(column: str | int, part: object, block: BlockStatistics) -> Iterator[Count]:
    assert isinstance(part, Counts)
    counts = align_classes(part.values, part.classes, block.classes)
    for c, label in enumerate(block.classes):
        for level, count in zip(part.levels, counts[c].tolist(), strict=True):
            yield Count(label, column, level, count)


def _list_presence(block: BlockStatistics) -> Iterator[Count]:
    for column, label, present, known in _by_column(block):
        yield Count(label, column, "present", present)
        yield Count(label, column, "absent", max(known - present, 0.0))


def _list_sums(block: BlockStatistics) -> Iterator[Count]:
    for column, label, total, known in _by_column(block):
        yield Count(label, column, None, total, known)


def _by_column(block: BlockStatistics) -> Iterator[tuple[str | int, Label, float, float]]:
    part = block.parts[0]
    assert isinstance(part, Counts)
    values, known = align_columns(part, block.columns, block.classes)
    for j, column in enumerate(block.columns):
        for c, label in enumerate(block.classes):
            yield column, label, float(values[c, j]), float(known[c, j])


def _list_maxima(block: BlockStatistics) -> Iterator[Count]:
    (part,) = block.parts
    assert isinstance(part, Maxima)
    n, largest = (align_classes(values, part.classes, block.classes) for values in (part.weight, part.maximum))
    for j, column in enumerate(block.columns):
        for c, label in enumerate(block.classes):
            weight = float(n[c, j])
            yield Count(label, column, n=weight, maximum=float(largest[c, j]) if weight > 0 else None)


def _list_fine_bins(block: BlockStatistics) -> Iterator[Count]:
    (part,) = block.parts
    assert isinstance(part, Bins)
    lower, upper, counts = part.lower(), part.upper(), align_classes(part.counts, part.classes, block.classes)
    ends: list[int] = part.offsets.tolist()
    for column, (start, end) in zip(block.columns, pairwise(ends), strict=True):
        edges = list(zip(lower[start:end].tolist(), upper[start:end].tolist(), strict=True))
        yield from list_bins(column, block.classes, counts[:, start:end], edges)


def _list_all_tokens(block: BlockStatistics) -> Iterator[Count]:
    for column, part in zip(block.columns, block.parts, strict=True):
        assert isinstance(part, Tokens)
        yield from list_tokens(column, TokenCounts(part, block, TokenFilter()))


_LISTS: dict[What, Callable[[BlockStatistics], Iterator[Count]]] = {
    "levels": _list_levels,
    "joint": _list_combinations,
    "presence": _list_presence,
    "sums": _list_sums,
    "moments": list_moments,
    "numeric": list_moments,
    "scatter": list_moments,
    "maxima": _list_maxima,
    "bins": _list_fine_bins,
    "tokens": _list_all_tokens,
}
