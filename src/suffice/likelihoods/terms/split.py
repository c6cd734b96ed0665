"""How what a row adds to log p(c, x) splits into entries, and what was seen behind each entry.

    columns of numbers     an entry for each known cell: what it adds (n, D, C)
    columns of levels      an entry for each cell whose level has a row of the table
    block                  one entry a row, where the score is no sum over the columns
    documents              an entry for each token (tokens.py)

A missing cell adds nothing, and so does a count of 0: neither is an entry, unless being missing speaks for itself.

Facts are what was seen behind an entry, by class or for several classes together. N_jc(k) is the weight of the rows of
class c with level k in column j, n that of those in which j is known; classes together are added up.

    level, presence, combination    times N_jc(k), of n
    count of a row of counts        times Σ x_j, of Σ_j Σ x_j
    real number                     mean and sd = √(dp/n) of the values of the classes together, as if they were one
    Poisson                         mean Σ x/n
    cell of a histogram, missing    share θ as it is read; of several classes their mean by the weight of their rows

A function of facts takes the place of a column, the outcome there (a level's place, 1 for present, …) and the classes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, Self, TypeAlias, final

import numpy as np
import numpy.typing as npt

from suffice.statistics import Axis
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from suffice.likelihoods.terms.term import Term
    from suffice.likelihoods.terms.tokens import TokenTerm

__all__ = [
    "BlockSplit",
    "DocumentTokens",
    "Facts",
    "LevelCells",
    "LevelSplit",
    "NumberCells",
    "NumberSplit",
    "Pieces",
    "Rows",
    "Split",
    "Told",
    "no_facts",
    "no_outcome",
    "share_facts",
]

Facts: TypeAlias = Callable[[int, int, IntArray], dict[str, float]]


class Pieces(NamedTuple):
    """Entries of some rows, rows rising: the row (its place among those asked for), its entry, what it adds (m, C).

    `missing` says which are of missing cells, where the term is of whether cells are known.
    """

    row: IntArray
    entry: IntArray
    logs: FloatArray
    missing: BoolArray | None = None


class Told(NamedTuple):
    """What an entry is, and the column and outcome that its facts are of."""

    kind: Literal["cell", "block", "word", "absent words"]
    column: str | int
    value: Any
    place: int
    outcome: int = 0
    occurrences: float | None = None


class DocumentTokens(NamedTuple):
    """Tokens of documents as the rows of a CSR matrix, and which documents are missing, None for none of them."""

    starts: IntArray
    tokens: npt.NDArray[Any]
    values: FloatArray
    missing: BoolArray | None


class NumberCells(Protocol):
    """The numbers of some columns, NaN where missing."""

    def at(self, row: int, j: int) -> float:
        """Return one cell."""
        ...

    def take(self, rows: IntArray) -> FloatArray:
        """Return the cells of some rows, (n, D)."""
        ...


class Rows(Protocol):
    """The rows of a table, as terms look at them."""

    @property
    def number(self) -> int:
        """How many rows there are."""
        ...

    def numbers(self, columns: Columns) -> NumberCells:
        """Return columns of numbers."""
        ...

    def codes(self, column: str | int) -> tuple[npt.NDArray[Any], list[Any]]:
        """Return the codes of the cells of a column, negative where missing, and the level of each code."""
        ...

    def tokens(self, term: TokenTerm) -> DocumentTokens:
        """Return the tokens of documents that a term knows."""
        ...

    def scores(self, term: Term) -> FloatArray:
        """Return what a term adds, rows × classes."""
        ...


class Split(ABC):
    """One term over one table."""

    known: bool = False
    """Whether it is of whether cells are known, which joins what their values say."""
    by_cell: bool = True
    """Whether entry j is of column j."""

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
        """Return what was seen of an outcome in these classes together."""

    @property
    def size(self) -> float:
        """How many entries a row has, more or less."""
        return len(self.columns)


@final
@dataclass(frozen=True, eq=False)
class NumberSplit(Split):
    """Columns of numbers, each with an entry.

    `added` gives (n, D, C) of cells (n, D), `outcome` what a cell comes to. Where it is of `counts`, 0 is no entry.
    """

    names: Columns
    cells: NumberCells
    added: Callable[[FloatArray], FloatArray]
    behind: Facts
    outcome: Callable[[int, float], int]
    counts: bool = False
    known: bool = False

    @property
    def columns(self) -> Columns:
        """Its columns."""
        return self.names

    def pieces(self, rows: IntArray) -> Pieces:
        """Return what each known cell adds."""
        x = self.cells.take(rows)
        there = np.ones(x.shape, dtype=np.bool_) if self.known else ~np.isnan(x)
        if self.counts:
            there &= x > 0
        with np.errstate(over="ignore", invalid="ignore"):
            logs = self.added(x)
        row, entry = np.nonzero(there)
        return Pieces(row, entry, logs[there], np.isnan(x).ravel() if self.known else None)

    def told(self, row: int, entry: int) -> Told:
        """Return the cell."""
        x = self.cells.at(row, entry)
        value = None if np.isnan(x) else x
        return Told("cell", self.names[entry], value, entry, self.outcome(entry, x))

    def facts(self, place: int, outcome: int, classes: IntArray) -> dict[str, float]:
        """Return the facts of a column."""
        return self.behind(place, outcome, classes)


@final
class LevelSplit(Split):
    """Columns of levels, each with an entry: rows of a table, those of column j from starts[j] on."""

    def __init__(
        self,
        columns: Columns,
        axes: tuple[Axis, ...],
        table: FloatArray,
        rows: Rows,
        facts: Facts,
        *,
        unseen: bool,
        missing: bool,
    ) -> None:
        self._columns, self._table, self._behind = columns, table, facts
        self._cells = [LevelCells.of(rows, name, axis) for name, axis in zip(columns, axes, strict=True)]
        self._places: list[IntArray] = []
        for cells, axis in zip(self._cells, axes, strict=True):
            places = np.where(cells.places[:-1] < 0, len(axis) if unseen else -1, cells.places[:-1])
            gap = (axis.index(None) if None in axis else len(axis) if unseen else -1) if missing else -1
            self._places.append(np.append(places, gap))  # of a missing cell, code −1, the last
        sizes = [len(axis) + unseen for axis in axes]
        self._starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    @property
    def columns(self) -> Columns:
        """Its columns."""
        return self._columns

    def pieces(self, rows: IntArray) -> Pieces:
        """Return the table's row of each cell that has one."""
        place = np.stack(
            [places[cells.take(rows)] for cells, places in zip(self._cells, self._places, strict=True)], axis=1
        )
        row, entry = np.nonzero(place >= 0)
        return Pieces(row, entry, self._table[place[row, entry] + self._starts[entry]])

    def told(self, row: int, entry: int) -> Told:
        """Return the level."""
        cells = self._cells[entry]
        place = int(self._places[entry][cells.code(row)])
        return Told("cell", self._columns[entry], cells.level(row), entry, place)

    def facts(self, place: int, outcome: int, classes: IntArray) -> dict[str, float]:
        """Return the facts of a level."""
        return self._behind(place, outcome, classes)


@final
class BlockSplit(Split):
    """Columns whose score is no sum over them: one entry a row, where a cell is known."""

    def __init__(
        self, columns: Columns, scores: FloatArray, known: BoolArray, cell: Callable[[int, int], Any], facts: Facts
    ) -> None:
        self._columns, self._scores, self._there, self._cell, self._behind = columns, scores, known, cell, facts

    @classmethod
    def of_numbers(cls, term: Term, rows: Rows) -> Self:
        """Return the split of a term of columns of numbers."""
        cells = rows.numbers(term.columns)
        known = np.empty(rows.number, dtype=np.bool_)
        for start in range(0, rows.number, 4096):
            some = np.arange(start, min(start + 4096, rows.number), dtype=np.int64)
            known[some] = (~np.isnan(cells.take(some))).any(axis=1)

        def cell(row: int, j: int) -> Any:
            x = cells.at(row, j)
            return None if np.isnan(x) else x

        return cls(term.columns, rows.scores(term), known, cell, no_facts)

    @property
    def columns(self) -> Columns:
        """The names of all columns as one."""
        return (", ".join(map(str, self._columns)),)

    def pieces(self, rows: IntArray) -> Pieces:
        """Return what each row adds."""
        row = np.flatnonzero(self._there[rows])
        return Pieces(row, np.zeros(len(row), dtype=np.int64), self._scores[rows[row]])

    def told(self, row: int, entry: int) -> Told:
        """Return the cells of the row."""
        cells = tuple(self._cell(row, j) for j in range(len(self._columns)))
        return Told("block", self.columns[entry], cells, entry, row)

    def facts(self, place: int, outcome: int, classes: IntArray) -> dict[str, float]:
        """Return the facts of a row."""
        return self._behind(place, outcome, classes)


@final
@dataclass(frozen=True, slots=True, eq=False)
class LevelCells:
    """The cells of a column of levels: codes, the level of each code, and its place on an axis, −1 for none.

    The last place is that of a missing cell, code −1.
    """

    codes: npt.NDArray[Any]
    labels: Sequence[Any]
    places: IntArray

    @classmethod
    def of(cls, rows: Rows, column: str | int, axis: Axis) -> Self:
        """Return the cells of a column along an axis."""
        codes, labels = rows.codes(column)
        places = [axis.index(label) if label in axis else -1 for label in labels]
        return cls(codes, labels, np.array([*places, -1], dtype=np.int64))

    def take(self, rows: IntArray) -> IntArray:
        """Return the codes of some rows, −1 where missing."""
        return np.maximum(self.codes[rows].astype(np.int64), -1)

    def code(self, row: int) -> int:
        """Return the code of a row, −1 where missing."""
        return max(int(self.codes[row]), -1)

    def level(self, row: int) -> Any:
        """Return the level of a row, None where missing."""
        code = self.code(row)
        return self.labels[code] if code >= 0 else None


def no_outcome(_column: int, _x: float) -> int:
    """Return 0: the facts of the column are those of all its values."""
    return 0


def no_facts(_column: int, _outcome: int, _classes: IntArray) -> dict[str, float]:
    """Return nothing."""
    return {}


def share_facts(shares: Callable[[int, int], FloatArray], weight: FloatArray) -> Facts:
    """Return the facts of outcomes whose probabilities by class are given, and the weight of the rows of each class."""

    def facts(column: int, outcome: int, at: IntArray) -> dict[str, float]:
        heavy = weight[at] if weight[at].any() else np.ones(len(at))
        return {"share": float((shares(column, outcome)[at] * (heavy / heavy.sum())).sum())}

    return facts
