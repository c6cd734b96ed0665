"""Splitting the contribution of a row to log p(c, x) into the entries of an explanation, and the facts of each entry.

    numeric columns       an entry for each known cell, contributions (n, D, C)
    categorical columns   an entry for each cell whose level has a row in the table
    block                 one entry per row, if the score is not a sum over columns
    documents             an entry for each token (likelihoods/tokens.py)

A missing cell and a count of 0 contribute nothing and have no entries, unless missingness is modelled.

Facts are the statistics behind an entry, for one class or for several classes pooled. N_jc(k) is the weight of the rows
of class c with level k in column j, n the weight of those in which column j is known.

    level, presence, combination    times N_jc(k), of n
    count of a row of counts        times Σ x_j, of Σ_j Σ x_j
    real number                     mean and sd = √(dp/n) of the pooled values
    Poisson                         mean Σ x/n
    Uniform                         maximum max x
    bin of a histogram, missing     share θ, the estimate; for several classes the mean weighted by their rows

A function of facts takes the position of a column, the outcome (the position of a level, 1 for present, …) and the
classes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, Self, TypeAlias, final

import numpy as np
import numpy.typing as npt

from suffice.likelihoods.block_statistics import BlockStatistics, align_columns
from suffice.statistics import Axis, Counts
from suffice.statistics.arrays import BoolArray, FloatArray, IntArray
from suffice.statistics.axis import Columns

if TYPE_CHECKING:
    from suffice.likelihoods.terms.term import Term
    from suffice.likelihoods.tokens import TokenTerm

__all__ = [
    "BlockSplit",
    "Contributions",
    "DocumentTokens",
    "Facts",
    "LevelCells",
    "LevelSplit",
    "NumberCells",
    "NumberSplit",
    "Rows",
    "Split",
    "SplitEntry",
    "count_facts",
    "no_facts",
    "no_outcome",
    "share_facts",
]

Facts: TypeAlias = Callable[[int, int, IntArray], dict[str, float]]


class Contributions(NamedTuple):
    """Entries of some rows in ascending order: row (an index into the requested rows), entry, contribution (m, C).

    `missing` marks the entries that are missing cells, if the term models missingness.
    """

    row: IntArray
    entry: IntArray
    logs: FloatArray
    missing: BoolArray | None = None


class SplitEntry(NamedTuple):
    """Description of an entry, with the column and outcome for its facts."""

    kind: Literal["cell", "block", "word", "absent words"]
    column: str | int
    value: Any
    place: int
    outcome: int = 0
    occurrences: float | None = None


class DocumentTokens(NamedTuple):
    """Tokens of documents as the rows of a CSR matrix, and which documents are missing (None if none is)."""

    starts: IntArray
    tokens: npt.NDArray[Any]
    values: FloatArray
    missing: BoolArray | None


class NumberCells(Protocol):
    """The cells of some numeric columns, NaN if missing."""

    def at(self, row: int, j: int) -> float:
        """Return one cell."""
        ...

    def take(self, rows: IntArray) -> FloatArray:
        """Return the cells of some rows, (n, D)."""
        ...


class Rows(Protocol):
    """The rows of a table, as terms access them."""

    @property
    def number(self) -> int:
        """The number of rows."""
        ...

    def numbers(self, columns: Columns) -> NumberCells:
        """Return numeric columns."""
        ...

    def codes(self, column: str | int) -> tuple[npt.NDArray[Any], list[Any]]:
        """Return the codes of the cells of a column, negative where missing, and the level of each code."""
        ...

    def tokens(self, term: TokenTerm) -> DocumentTokens:
        """Return the tokens of documents that are known to a term."""
        ...

    def scores(self, term: Term) -> FloatArray:
        """Return the contribution of a term, rows × classes."""
        ...


class Split(ABC):
    """The split of one term over one table."""

    known: bool = False
    """Whether the term models missingness; its contributions are added to those of the values."""
    by_cell: bool = True
    """Whether entry j belongs to column j."""

    @property
    @abstractmethod
    def columns(self) -> Columns:
        """The columns of its entries."""

    @abstractmethod
    def contributions(self, rows: IntArray) -> Contributions:
        """Return the contributions of the entries of these rows."""

    @abstractmethod
    def entry(self, row: int, entry: int) -> SplitEntry:
        """Return the description of an entry of a row."""

    @abstractmethod
    def facts(self, place: int, outcome: int, classes: IntArray) -> dict[str, float]:
        """Return the statistics of an outcome, pooled over these classes."""

    @property
    def size(self) -> float:
        """The approximate number of entries of a row."""
        return len(self.columns)


@final
@dataclass(frozen=True, eq=False)
class NumberSplit(Split):
    """Numeric columns, with an entry for each cell.

    `added` returns the contributions (n, D, C) of cells (n, D), and `outcome` the outcome of a cell. If `counts` is
    true, a cell of 0 is not an entry.
    """

    names: Columns
    cells: NumberCells
    added: Callable[[FloatArray], FloatArray]
    facts_of: Facts
    outcome: Callable[[int, float], int]
    counts: bool = False
    known: bool = False

    @property
    def columns(self) -> Columns:
        """Its columns."""
        return self.names

    def contributions(self, rows: IntArray) -> Contributions:
        """Return the contribution of each known cell."""
        x = self.cells.take(rows)
        included = np.ones(x.shape, dtype=np.bool_) if self.known else ~np.isnan(x)
        if self.counts:
            included &= x > 0
        with np.errstate(over="ignore", invalid="ignore"):
            logs = self.added(x)
        row, entry = np.nonzero(included)
        return Contributions(row, entry, logs[included], np.isnan(x).ravel() if self.known else None)

    def entry(self, row: int, entry: int) -> SplitEntry:
        """Return the cell."""
        x = self.cells.at(row, entry)
        value = None if np.isnan(x) else x
        return SplitEntry("cell", self.names[entry], value, entry, self.outcome(entry, x))

    def facts(self, place: int, outcome: int, classes: IntArray) -> dict[str, float]:
        """Return the facts of a column."""
        return self.facts_of(place, outcome, classes)


@final
class LevelSplit(Split):
    """Categorical columns, with an entry for each cell: rows of a table, those of column j from starts[j] on."""

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
        self._columns, self._table, self._facts = columns, table, facts
        self._cells = [LevelCells.of(rows, name, axis) for name, axis in zip(columns, axes, strict=True)]
        self._places: list[IntArray] = []
        for cells, axis in zip(self._cells, axes, strict=True):
            places = np.where(cells.places[:-1] < 0, len(axis) if unseen else -1, cells.places[:-1])
            of_missing = (axis.index(None) if None in axis else len(axis) if unseen else -1) if missing else -1
            self._places.append(np.append(places, of_missing))  # code −1 is the last
        sizes = [len(axis) + unseen for axis in axes]
        self._starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    @property
    def columns(self) -> Columns:
        """Its columns."""
        return self._columns

    def contributions(self, rows: IntArray) -> Contributions:
        """Return the row of the table of each cell that has one."""
        place = np.stack(
            [places[cells.take(rows)] for cells, places in zip(self._cells, self._places, strict=True)], axis=1
        )
        row, entry = np.nonzero(place >= 0)
        return Contributions(row, entry, self._table[place[row, entry] + self._starts[entry]])

    def entry(self, row: int, entry: int) -> SplitEntry:
        """Return the level."""
        cells = self._cells[entry]
        place = int(self._places[entry][cells.code(row)])
        return SplitEntry("cell", self._columns[entry], cells.level(row), entry, place)

    def facts(self, place: int, outcome: int, classes: IntArray) -> dict[str, float]:
        """Return the facts of a level."""
        return self._facts(place, outcome, classes)


@final
class BlockSplit(Split):
    """Columns whose score is not a sum over columns: one entry per row with a known cell."""

    def __init__(
        self, columns: Columns, scores: FloatArray, known: BoolArray, cell: Callable[[int, int], Any], facts: Facts
    ) -> None:
        self._columns, self._scores, self._known, self._cell, self._facts = columns, scores, known, cell, facts

    @classmethod
    def of_numbers(cls, term: Term, rows: Rows) -> Self:
        """Return the split of a term of numeric columns."""
        cells = rows.numbers(term.columns)
        known = np.empty(rows.number, dtype=np.bool_)
        for start in range(0, rows.number, 4096):
            batch = np.arange(start, min(start + 4096, rows.number), dtype=np.int64)
            known[batch] = (~np.isnan(cells.take(batch))).any(axis=1)

        def cell(row: int, j: int) -> Any:
            x = cells.at(row, j)
            return None if np.isnan(x) else x

        return cls(term.columns, rows.scores(term), known, cell, no_facts)

    @property
    def columns(self) -> Columns:
        """The names of all columns, joined."""
        return (", ".join(map(str, self._columns)),)

    def contributions(self, rows: IntArray) -> Contributions:
        """Return the contribution of each row."""
        row = np.flatnonzero(self._known[rows])
        return Contributions(row, np.zeros(len(row), dtype=np.int64), self._scores[rows[row]])

    def entry(self, row: int, entry: int) -> SplitEntry:
        """Return the cells of the row."""
        cells = tuple(self._cell(row, j) for j in range(len(self._columns)))
        return SplitEntry("block", self.columns[entry], cells, entry, row)

    def facts(self, place: int, outcome: int, classes: IntArray) -> dict[str, float]:
        """Return the facts of a row."""
        return self._facts(place, outcome, classes)


@final
@dataclass(frozen=True, slots=True, eq=False)
class LevelCells:
    """The cells of a categorical column: codes, the level of each code, and its position on an axis, −1 for none.

    The last position is that of a missing cell, code −1.
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
        """Return the codes of some rows, −1 if missing."""
        return np.maximum(self.codes[rows].astype(np.int64), -1)

    def code(self, row: int) -> int:
        """Return the code of a row, −1 if missing."""
        return max(int(self.codes[row]), -1)

    def level(self, row: int) -> Any:
        """Return the level of a row, None if missing."""
        code = self.code(row)
        return self.labels[code] if code >= 0 else None


def no_outcome(_column: int, _x: float) -> int:
    """Return 0: the facts of the column are the same for all values."""
    return 0


def no_facts(_column: int, _outcome: int, _classes: IntArray) -> dict[str, float]:
    """Return no facts."""
    return {}


def count_facts(
    block: BlockStatistics,
    columns: Columns,
    describe: Callable[[FloatArray, FloatArray, int, int], dict[str, float]],
) -> Facts:
    """Return facts from the counts of columns.

    `describe` takes the values and observed weights (classes, columns) of the classes, the column and the outcome.
    """
    counts = block.parts[0]
    if not isinstance(counts, Counts):
        return no_facts
    values, observed = align_columns(counts, columns, block.classes)
    return lambda column, outcome, classes: describe(values[classes], observed[classes], column, outcome)


def share_facts(shares: Callable[[int, int], FloatArray], weight: FloatArray) -> Facts:
    """Return the facts of outcomes, given their probabilities by class and the weight of the rows of each class."""

    def facts(column: int, outcome: int, classes: IntArray) -> dict[str, float]:
        weights = weight[classes] if weight[classes].any() else np.ones(len(classes))
        return {"share": float((shares(column, outcome)[classes] * (weights / weights.sum())).sum())}

    return facts
