"""Real columns in cells from supervised discretisation (Boullé 2006, MODL): a form of Numeric (numeric.py).

Symbols, for one column: N rows of J classes in B fine bins (statistics/bins.py); cells i = 1 … I are intervals of fine
bins with N_i rows, N_ij of class j. Row weights count as rows. The cells minimise, over I and the edges,

    ln N + ln C(N + I − 1, I − 1) + Σ_i ln C(N_i + J − 1, J − 1) + Σ_i ln(N_i!/Π_j N_ij!)

which models the class given x: a cell ends where the class frequencies change, a value that many rows share has a cell
of its own if its classes differ from those of its neighbours, and a column without information about the class has one
cell. The search (the native core) merges neighbours and then splits, merges and moves edges until nothing lowers the
cost. Cells are a function of the statistics: no second pass, and merged statistics give the cells of all rows.

    density    p(x | c) = P(cell | c) · p(x | cell)
    cell       P(cell | c) is the mass of a bin under Dir(α), as in a histogram (histogram.py) with these edges
    within     p(x | cell) is the same for every class: piecewise constant between the edges of the cell and those of
               the column's histogram, with masses (n + 1)/(N_i + K_i) for a part with n of the N_i rows of a cell of
               K_i parts (mle n/N_i), all classes pooled
    term       ln P(cell | c) − ln width(cell), and ln p(x | cell) + ln width(cell), which cancels in class posteriors
    evidence   that of the cells and of the parts within, given the edges, less ½ (K + 1) ln(1 + n) for K parts
    draw       a histogram draws x uniformly within its cell; the quantile function of the parts is applied to it
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self, final

import numpy as np

from suffice import _core
from suffice.conjugate.special import log_rising
from suffice.likelihoods.block_statistics import Estimate
from suffice.likelihoods.dirichlet import MOST_COUNT
from suffice.likelihoods.draws import Draw
from suffice.likelihoods.histogram import ColumnHistogram, FineColumn, Histograms
from suffice.likelihoods.terms.split import Rows
from suffice.likelihoods.terms.term import Layout, Term, contiguous
from suffice.machine import thread_count
from suffice.statistics import Axis, Bins
from suffice.statistics.arrays import FloatArray, IntArray
from suffice.statistics.axis import Columns
from suffice.statistics.bins import place_cuts

__all__ = ["CellColumn", "ClassCells", "choose_groups", "cut_cells", "log_evidence_within", "log_shares"]


class CellColumn(NamedTuple):
    """The cells of one column and their parts, both as histograms; the parts are cut at the edges of the cells too."""

    cells: ColumnHistogram
    parts: ColumnHistogram


def cut_cells(bins: Bins, classes: Axis, finer: Sequence[ColumnHistogram]) -> list[CellColumn]:
    """Return the cells of some columns, given the histogram of each for the density within the cells."""
    histograms = {column.position: column for column in finer}
    fine = [column for column in FineColumn.each(bins, classes) if column.position in histograms]
    tables: list[FloatArray] = []
    for column in fine:
        table = column.counts.T.copy()
        table[0] += column.below
        table[-1] += column.above
        tables.append(table)
    chosen: list[CellColumn] = []
    for column, first in zip(fine, _choose("intervals", tables), strict=True):
        cells = column.histogram(place_cuts(first[1:] - 1, column.lower, column.upper))
        parts = column.histogram(np.union1d(cells.edges, histograms[column.position].edges))
        chosen.append(CellColumn(cells, parts))
    return chosen


def choose_groups(tables: Sequence[FloatArray]) -> list[IntArray]:
    """Return the group of each level of several columns, given the counts (K, C) of each column."""
    return _choose("groups", tables)


def _choose(kind: str, tables: Sequence[FloatArray]) -> list[IntArray]:
    if not tables:
        return []
    offsets = np.cumsum([0, *map(len, tables)], dtype=np.int64)
    counts = contiguous(np.minimum(np.concatenate(tables), MOST_COUNT))
    chosen, ends = _core.choose_cells(kind, counts, offsets, thread_count())
    return np.split(chosen, ends[1:-1])


def log_shares(cell: IntArray, counts: FloatArray, estimate: Estimate) -> FloatArray:
    """Return ln (n + 1)/(N + K) for each part of a cell of K parts and N rows, ln n/N for mle; 0 if N = 0."""
    raised = counts + (0.0 if estimate == "mle" else 1.0)
    total: FloatArray = np.bincount(cell, raised).astype(np.float64)[cell]
    with np.errstate(divide="ignore"):
        return np.log(np.where(total > 0, raised, 1.0)) - np.log(np.where(total > 0, total, 1.0))


def log_evidence_within(cell: IntArray, counts: FloatArray) -> float:
    """Return the log evidence of parts within their cells under Dir(1): Σ_i [ln B(1 + n) − ln B(1)]."""
    totals, sizes = np.bincount(cell, counts).astype(np.float64), np.bincount(cell).astype(np.float64)
    return float(log_rising(np.ones_like(counts), counts).sum() - log_rising(sizes, totals).sum())


@final
@dataclass(frozen=True, slots=True, eq=False)
class ClassCells:
    """The cells of some columns of a block, and the parts of each column, whose edges include those of its cells."""

    histograms: Histograms
    parts: Sequence[Parts]

    @classmethod
    def of(cls, histograms: Histograms, columns: Sequence[CellColumn]) -> Self:
        """Return the cells with the prior counts of `histograms`."""
        estimate = histograms.block.reading.estimate
        return cls(histograms, [Parts.of(column, estimate) for column in columns])

    def terms(self) -> tuple[Term, ...]:
        """Return the term of the cells and that of the density within them; none if there are no columns."""
        if not self.parts:
            return ()
        classes = len(self.histograms.block.classes)
        names = tuple(self.histograms.block.columns[column.position] for column in self.histograms.columns)
        edges, logs = tuple(part.edges[1:-1] for part in self.parts), tuple(part.log_ratio for part in self.parts)
        return *self.histograms.terms(), WithinCells(names, edges, logs, classes)

    def log_evidence(self) -> FloatArray:
        """Return the log evidence of each column given its edges, less the penalty for them."""
        return self.histograms.log_evidence() + [part.log_evidence() - part.penalty for part in self.parts]

    def draw_into(self, drawn: list[FloatArray], draw: Draw) -> None:
        """Draw the values of each column and put them at its position in a list of columns."""
        self.histograms.draw_into(drawn, draw)
        for column, part in zip(self.histograms.columns, self.parts, strict=True):
            drawn[column.position] = part.spread(drawn[column.position])


@final
@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The density within the cells of one column.

    `edges` (K + 1) and pooled `counts` (K) of the parts, the `cell` of each, `log_share` = ln P(part | cell) and
    `log_ratio`, the log of the density within the cell relative to a constant one.
    """

    edges: FloatArray
    counts: FloatArray
    cell: IntArray
    log_share: FloatArray
    log_ratio: FloatArray
    cell_edges: FloatArray

    @classmethod
    def of(cls, column: CellColumn, estimate: Estimate) -> Self:
        """Return the parts of a column."""
        cells, parts = column
        cell: IntArray = np.searchsorted(cells.edges[1:-1], parts.edges[:-1], side="right")
        counts = np.minimum(parts.counts, MOST_COUNT).sum(axis=0)
        log_share = log_shares(cell, counts, estimate)
        log_ratio = log_share - parts.log_width + cells.log_width[cell]
        return cls(parts.edges, counts, cell, log_share, log_ratio, cells.edges)

    @property
    def penalty(self) -> float:
        """The penalty for edges that are chosen from the data, ½ (K + 1) ln(1 + n)."""
        return 0.5 * len(self.edges) * float(np.log1p(self.counts.sum()))

    def log_evidence(self) -> float:
        """Return the log evidence of the values within their cells, relative to constant densities."""
        relative = (self.counts * (self.log_ratio - self.log_share)).sum()
        return log_evidence_within(self.cell, self.counts) + float(relative)

    def spread(self, x: FloatArray) -> FloatArray:
        """Return values that are distributed as the density, given values that are uniform within each cell."""
        share = np.exp(self.log_share)
        before = np.cumsum(share) - share
        within = np.clip(before - before[np.searchsorted(self.cell, self.cell)], 0.0, 1.0)
        knots = (1 - within) * self.cell_edges[self.cell] + within * self.cell_edges[self.cell + 1]
        spread = np.interp(x, np.append(knots, self.edges[-1]), self.edges)
        return np.minimum(spread, np.nextafter(self.edges[-1], -np.inf))


@final
@dataclass(frozen=True, slots=True, eq=False)
class WithinCells(Term):
    """The log density of a value within its cell, relative to a constant one: the same for every class."""

    columns: Columns
    edges: tuple[FloatArray, ...]
    logs: tuple[FloatArray, ...]
    classes: int

    cancels: ClassVar[bool] = True

    def compile(self, layout: Layout) -> None:
        """Add the inner edges and the same log for every class."""
        edges = np.concatenate([np.empty(0), *self.edges])
        sizes = [len(inner) for inner in self.edges]
        table = np.repeat(np.concatenate(self.logs)[:, None], self.classes, axis=1)
        layout.tables.add_steps(layout.numbers(self.columns), sizes, contiguous(edges), contiguous(table))

    @property
    def separable(self) -> bool:
        """Whether `restrict` can separate its columns."""
        return True

    def restrict(self, columns: Columns) -> WithinCells:
        """Return the term of these columns only."""
        at = [self.columns.index(name) for name in columns]
        return WithinCells(columns, tuple(self.edges[j] for j in at), tuple(self.logs[j] for j in at), self.classes)

    def split(self, rows: Rows, block: object) -> None:
        """Return None: it is the same for every class."""
        del rows, block

    def size_terms(self, unseen: float, observed: set[str | int]) -> Iterator[Term]:
        """Yield nothing: the cells have a term of their own."""
        del unseen, observed
        yield from ()
