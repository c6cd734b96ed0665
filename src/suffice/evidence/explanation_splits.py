"""How what a row adds to log p(c, x) splits into entries, term by term (likelihoods/terms.py has their formulas).

    column by column     Gaussian, histogram, levels, presence, Poisson: what the cell adds; that it is known joins it
    Linear               x_j (weight_j − ln Σ_observed θ): what its occurrences add
    Polya                ln Γ(α_j + x_j) − ln Γ(α_j) − (x_j/n) [ln Γ(A + n) − ln Γ(A)]. A row is n draws, one after the
                         other, each of which adds ln((α_j + seen before)/(A + drawn before)); this is the mean of what
                         the draws of column j add over all orders of the draws, that is, their Shapley value
    FullQuadratic        of one shared matrix: column by column (explanation_linear.py)
    FullQuadratic, FullStudent, Combinations
                         elsewhere no sum over columns: the block is one entry
    Coefficient          the same for every class, so it is no entry

A missing cell adds nothing, and so does a count of 0: neither is an entry, unless being missing speaks for itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt

from suffice.conjugate.log_gamma import log_rising
from suffice.conjugate.special import xlogy
from suffice.engines.collection import column_raw_codes
from suffice.engines.table import Table
from suffice.evidence.explanation import Kind
from suffice.evidence.explanation_facts import (
    Facts,
    of_combinations,
    of_counts,
    of_levels,
    of_moments,
    of_nothing,
    of_presence,
    of_shares,
)
from suffice.evidence.explanation_linear import added_by_columns, is_linear
from suffice.likelihoods.cells import log_widths
from suffice.likelihoods.terms import (
    Coefficient,
    Combinations,
    Compiled,
    CompoundCount,
    FullQuadratic,
    FullStudent,
    Levels,
    Linear,
    Observed,
    PoissonCount,
    Polya,
    Presence,
    Quadratic,
    Steps,
    Student,
)
from suffice.models import NaiveBayesModel, Scorer
from suffice.models.combination_codes import combination_codes
from suffice.models.level_codes import places_of
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import BoolArray, FloatArray, IntArray

__all__ = ["Pieces", "Split", "Told", "split_of"]


class Pieces(NamedTuple):
    """Entries of some rows, rows rising: the row (its place among those asked for), its entry, what it adds (m, C).

    `missing` says which are of missing cells, where the term is of whether cells are known.
    """

    row: IntArray
    entry: IntArray
    logs: FloatArray
    missing: BoolArray | None = None


class Told(NamedTuple):
    """What an entry is (Entry in explanation.py says more), and the column and outcome that its facts are of."""

    kind: Kind
    column: str | int
    value: Any
    place: int
    outcome: int = 0
    occurrences: float | None = None


class Split(ABC):
    """One term over one table."""

    known: bool = False
    """Whether it is of whether cells are known, which joins what their values say."""

    @property
    @abstractmethod
    def columns(self) -> Columns:
        """The columns of its entries, where each entry has one."""

    @abstractmethod
    def pieces(self, rows: IntArray) -> Pieces:
        """Return what the entries of these rows add."""

    @abstractmethod
    def told(self, row: int, entry: int) -> Told:
        """Return what an entry of a row is."""

    @abstractmethod
    def facts(self, place: int, outcome: int, classes: IntArray) -> dict[str, float]:
        """Return what was seen of an outcome in these classes together (explanation_facts.py)."""

    @property
    def size(self) -> float:
        """How many entries a row has, more or less."""
        return len(self.columns)


@final
class _Cells:
    # The numbers of some columns, NaN where missing.
    def __init__(self, table: Table, columns: Columns) -> None:
        x, valid = table.numbers(columns)
        self._x, self._valid = x, valid
        self._last = -1, np.empty(0)  # the entries of a row are told one after the other

    def at(self, row: int, j: int) -> float:
        if self._last[0] != row:
            self._last = row, self.take(np.array([row], dtype=np.int64))[0]
        return float(self._last[1][j])

    def take(self, rows: IntArray) -> FloatArray:
        x = self._x
        if isinstance(x, list):
            separate: list[npt.NDArray[Any]] = x  # pyright: ignore[reportUnknownVariableType]
            found = np.empty((len(rows), len(separate)))
            for j, column in enumerate(separate):
                found[:, j] = np.ma.filled(np.ma.asarray(column[rows], dtype=np.float64), np.nan)
        elif hasattr(x, "tocsr"):
            found = np.asarray(x.tocsr()[rows].toarray(), dtype=np.float64)
        else:
            found = np.ma.filled(np.ma.asarray(x[rows], dtype=np.float64), np.nan)
        for j, bitmap in enumerate(self._valid or ()):
            if bitmap is not None:
                there = bitmap[rows // 8] >> (rows % 8).astype(np.uint8) & 1
                found[there == 0, j] = np.nan
        return found


@final
@dataclass(frozen=True, eq=False)
class _Numbers(Split):
    # Columns of numbers, each with an entry: `added` gives (n, D, C) of cells (n, D), `outcome` what a cell comes to.
    names: Columns
    cells: _Cells
    added: Callable[[FloatArray], FloatArray]
    behind: Facts
    outcome: Callable[[int, float], int]
    counts: bool = False  # a count of 0 is no entry
    known: bool = False

    @property
    def columns(self) -> Columns:
        return self.names

    def pieces(self, rows: IntArray) -> Pieces:
        x = self.cells.take(rows)
        there = np.ones(x.shape, dtype=np.bool_) if self.known else ~np.isnan(x)
        if self.counts:
            there &= x > 0
        with np.errstate(over="ignore", invalid="ignore"):
            logs = self.added(x)
        row, entry = np.nonzero(there)
        return Pieces(row, entry, logs[there], np.isnan(x).ravel() if self.known else None)

    def told(self, row: int, entry: int) -> Told:
        x = self.cells.at(row, entry)
        value = None if np.isnan(x) else x
        return Told("cell", self.names[entry], value, entry, self.outcome(entry, x))

    def facts(self, place: int, outcome: int, classes: IntArray) -> dict[str, float]:
        return self.behind(place, outcome, classes)


@final
class _Levels(Split):
    def __init__(self, table: Table, term: Levels, facts: Facts) -> None:
        self._term, self._behind = term, facts
        self._codes: list[npt.NDArray[Any]] = []
        self._labels: list[list[Any]] = []
        self._places: list[IntArray] = []
        for name, axis in zip(term.columns, term.levels, strict=True):
            codes, labels = column_raw_codes(table, name)
            places, strange = places_of(labels, axis)
            places[strange] = len(axis) if term.unseen else -1
            gap = (axis.index(None) if None in axis else len(axis) if term.unseen else -1) if term.missing else -1
            self._codes.append(codes)
            self._labels.append(labels)
            self._places.append(np.append(places, gap))  # of a missing cell, code −1, the last
        sizes = [len(axis) + term.unseen for axis in term.levels]
        self._starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    @property
    def columns(self) -> Columns:
        return self._term.columns

    def pieces(self, rows: IntArray) -> Pieces:
        place = np.stack([self._place(j, rows) for j in range(len(self._codes))], axis=1)
        row, entry = np.nonzero(place >= 0)
        return Pieces(row, entry, self._term.table[place[row, entry] + self._starts[entry]])

    def told(self, row: int, entry: int) -> Told:
        code = max(int(self._codes[entry][row]), -1)
        value = self._labels[entry][code] if code >= 0 else None
        place = int(self._places[entry][code])
        return Told("cell", self._term.columns[entry], value, entry, place)

    def facts(self, place: int, outcome: int, classes: IntArray) -> dict[str, float]:
        return self._behind(place, outcome, classes)

    def _place(self, j: int, rows: IntArray) -> IntArray:
        return self._places[j][np.maximum(self._codes[j][rows].astype(np.int64), -1)]


@final
class _Block(Split):
    # Columns whose score is no sum over them: one entry a row, where a cell is known.
    def __init__(
        self, columns: Columns, scores: FloatArray, known: BoolArray, cell: Callable[[int, int], Any], facts: Facts
    ) -> None:
        self._columns, self._scores, self._there, self._cell, self._behind = columns, scores, known, cell, facts

    @property
    def columns(self) -> Columns:
        return (", ".join(map(str, self._columns)),)

    def pieces(self, rows: IntArray) -> Pieces:
        row = np.flatnonzero(self._there[rows])
        return Pieces(row, np.zeros(len(row), dtype=np.int64), self._scores[rows[row]])

    def told(self, row: int, entry: int) -> Told:
        cells = tuple(self._cell(row, j) for j in range(len(self._columns)))
        return Told("block", self.columns[entry], cells, entry, row)

    def facts(self, place: int, outcome: int, classes: IntArray) -> dict[str, float]:
        return self._behind(place, outcome, classes)


def split_of(term: Compiled, model: NaiveBayesModel, table: Table) -> Split | None:
    """Return the split of a term over a table with the columns of the model; None where all classes get the same."""
    if isinstance(term, Coefficient):
        return None
    if isinstance(term, Levels):
        return _Levels(table, term, of_levels(_parts(model, term.columns), term.levels, model.classes))
    if isinstance(term, Combinations):
        return _combined(term, model, table)
    cells = _Cells(table, term.columns)
    if isinstance(term, (FullQuadratic, FullStudent)):
        return _ellipse(term, model, table, cells)
    if isinstance(term, Steps):
        return _steps(term, model, cells)
    if isinstance(term, Observed):
        return _observed(term, model, cells)
    (part, *_) = _parts(model, term.columns)
    if isinstance(term, Presence):
        facts = of_presence(part, term.columns, model.classes)
        return _Numbers(
            term.columns,
            cells,
            lambda x: np.where((x > term.threshold)[..., None], term.present, term.absent),
            facts,
            lambda _, x: int(x > term.threshold),
        )
    if isinstance(term, (Quadratic, Student)):
        facts = of_moments(part, term.columns, model.classes)
        return _Numbers(term.columns, cells, lambda x: _real(term, x), facts, _no_outcome)
    draws = isinstance(term, (Linear, Polya))
    facts = of_counts(part, term.columns, model.classes, draws=draws)
    return _Numbers(term.columns, cells, lambda x: _counted(term, x), facts, _no_outcome, counts=draws)


def _no_outcome(_column: int, _x: float) -> int:
    return 0


def _parts(model: NaiveBayesModel, columns: Columns) -> tuple[Any, ...]:
    # The statistics of the block that the columns are in; of levels those of these columns.
    for block, parts in zip(model.schema.blocks, model.parts, strict=True):
        if columns[0] in block.columns:
            return tuple(parts)
    raise AssertionError("a term is of columns of the schema")


def _real(term: Quadratic | Student, x: FloatArray) -> FloatArray:
    z = (x - term.centre) * term.scale
    with np.errstate(over="ignore"):
        squares = (z[..., None] - term.m) ** 2 * term.s
    if isinstance(term, Student):  # of a square that is beyond every float, the greatest of them: as rows are scored
        return term.c - np.log1p(np.minimum(squares, np.finfo(np.float64).max)) * term.e
    return term.c - squares


def _counted(term: Linear | Polya | PoissonCount | CompoundCount, x: FloatArray) -> FloatArray:
    each = x[..., None]
    if isinstance(term, PoissonCount):  # less ln x!, as below
        return xlogy(each, term.rate) - term.rate
    if isinstance(term, CompoundCount):
        rising = log_rising(np.broadcast_to(term.shape, (len(x), *term.shape.shape)), each)
        return rising - term.shape * np.log1p(1 / term.rate) - each * np.log1p(term.rate)
    gaps = np.isnan(x)
    if isinstance(term, Linear):
        weight = np.broadcast_to(term.weight, (len(x), *term.weight.shape))
        if term.distribution and gaps.any():
            theta = np.where(gaps[..., None], 0.0, np.exp(weight)).sum(axis=1, keepdims=True)
            log_theta = np.log(np.where(theta > 0, theta, 1.0))
            log_theta[~gaps.any(axis=1)] = 0.0  # all of them are there
            weight = weight - log_theta
        return np.multiply(each, weight, out=np.zeros(weight.shape), where=each > 0)
    start = np.where(gaps[..., None], 0.0, term.alpha).sum(axis=1)  # A of the observed columns, (n, C)
    n = np.where(gaps, 0.0, x).sum(axis=1, keepdims=True)
    of_total = log_rising(np.where(start > 0, start, 1.0), n)
    share = np.divide(x, n, out=np.zeros_like(x), where=n > 0)
    rising = log_rising(np.broadcast_to(term.alpha, (len(x), *term.alpha.shape)), np.where(gaps, 0.0, x)[..., None])
    return rising - share[..., None] * of_total[:, None]


def _steps(term: Steps, model: NaiveBayesModel, cells: _Cells) -> Split:
    starts = np.concatenate([[0], np.cumsum([len(cuts) + 1 for cuts in term.edges])]).astype(np.int64)

    def outcome(j: int, x: float) -> int:
        return int(np.searchsorted(term.edges[j], x, side="right"))

    def added(x: FloatArray) -> FloatArray:
        place = [
            np.searchsorted(cuts, np.where(np.isnan(column), 0.0, column), side="right")
            for cuts, column in zip(term.edges, x.T, strict=True)
        ]
        return term.table[np.stack(place, axis=1) + starts[:-1]]

    def share(j: int, k: int) -> FloatArray:
        return np.exp(term.table[starts[j] + k] + log_widths(term.spans[j])[k])

    return _Numbers(term.columns, cells, added, of_shares(share, model.tally.weight), outcome)


def _observed(term: Observed, model: NaiveBayesModel, cells: _Cells) -> Split:
    def added(x: FloatArray) -> FloatArray:
        return np.where(np.isnan(x)[..., None], term.absent, term.present)

    def share(j: int, known: int) -> FloatArray:
        return np.exp((term.present if known else term.absent)[j])

    facts = of_shares(share, model.tally.weight)
    return _Numbers(term.columns, cells, added, facts, lambda _, x: int(not np.isnan(x)), known=True)


def _combined(term: Combinations, model: NaiveBayesModel, table: Table) -> Split:
    codes, scored, _ = combination_codes(table, term)
    places: list[IntArray] = []
    values: list[tuple[npt.NDArray[Any], list[Any]]] = []
    for name, axis in zip(term.columns, term.levels, strict=True):
        raw, labels = column_raw_codes(table, name)
        place = np.append(places_of(labels, axis)[0], -1)
        places.append(place[np.maximum(raw.astype(np.int64), -1)])
        values.append((raw, labels))
    at = np.stack(places, axis=1)

    def matching(row: int) -> IntArray:
        known = at[row] >= 0
        return np.flatnonzero((term.seen[:, known] == at[row][known]).all(axis=1))

    def cell(row: int, j: int) -> Any:
        raw, labels = values[j]
        return labels[int(raw[row])] if raw[row] >= 0 else None

    facts = of_combinations(_parts(model, term.columns)[0], model.classes, matching)
    some: BoolArray = np.asarray((at >= 0).any(axis=1))
    return _Block(term.columns, scored.table[codes.astype(np.int64)], some, cell, facts)


def _ellipse(term: FullQuadratic | FullStudent, model: NaiveBayesModel, table: Table, cells: _Cells) -> Split:
    if isinstance(term, FullQuadratic) and is_linear(term):
        facts = of_moments(_parts(model, term.columns)[0], term.columns, model.classes)
        return _Numbers(term.columns, cells, lambda x: added_by_columns(term, x), facts, _no_outcome)
    scores = Scorer((term,), np.zeros(len(model.classes)), model.schema.names).score(table, "joint").values
    known = np.empty(table.rows, dtype=np.bool_)
    for start in range(0, table.rows, 4096):
        some = np.arange(start, min(start + 4096, table.rows), dtype=np.int64)
        known[some] = (~np.isnan(cells.take(some))).any(axis=1)

    def cell(row: int, j: int) -> Any:
        x = cells.at(row, j)
        return None if np.isnan(x) else x

    return _Block(term.columns, scores, known, cell, of_nothing)
