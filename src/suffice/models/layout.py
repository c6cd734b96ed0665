"""Where the cells of rows stand among the columns that the native core scores, and the tables of the terms for them.

A matrix of numbers goes to the core as it is, and whole numbers that are levels are their own codes (MatrixLayout).
Other tables go as separate columns, with the levels of each coded once for each distinct value (ColumnLayout).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt

from suffice import _core
from suffice.engines.collection import joint_codes, no_levels
from suffice.errors import DataError
from suffice.sources.coding import UNSEEN, Coded, Places
from suffice.sources.table import Matrix, Table
from suffice.statistics import Axis
from suffice.statistics.arrays import FloatArray, IntArray
from suffice.statistics.columns import Columns
from suffice.statistics.labels import Label

__all__ = ["ColumnLayout", "MatrixLayout", "NeedsCodes", "Unseen", "sampled_unseen"]

_EXAMPLES = 3
_SAMPLE = 4096
_SUSPICIOUS = 0.1
_SPARE = 64


class Unseen(NamedTuple):
    """How many of the known cells of a column have levels that the model has not seen, and examples of both."""

    column: str | int
    cells: int
    known: int
    unseen: tuple[Label, ...]
    seen: tuple[Label, ...]


class NeedsCodes(Exception):  # noqa: N818 - caught where it is raised for
    """A term needs the codes of certain rows: its tables cannot be compiled without them."""


@final
class MatrixLayout:
    """The columns of a matrix, scored as it is.

    Parameters
    ----------
    names : tuple
        The columns of the matrix, in their order.
    whole : bool
        Whether it is dense and of whole numbers.
    """

    __slots__ = ("_place", "_sizes", "_whole", "axes", "exact", "tables")

    def __init__(self, log_prior: FloatArray, names: Columns, *, whole: bool, exact: bool) -> None:
        self.tables = _core.ScoreTables(log_prior)
        self.exact = exact
        self.axes: list[tuple[str | int, Axis]] = []
        self._place = {name: at for at, name in enumerate(names)}
        self._whole = whole
        self._sizes: npt.NDArray[np.int64] | None = None

    def numbers(self, columns: Columns) -> list[int]:
        """Return the places of columns of numbers."""
        return [self._place[name] for name in columns]

    def levels(self, column: str | int, axis: Axis, *, unseen: bool, missing: bool) -> tuple[int, IntArray]:
        """Return the place of a column of whole numbers, and the position of each of 0, 1, … on the axis."""
        del missing  # a whole number is never missing
        known = [label for label in axis if isinstance(label, int) and not isinstance(label, bool) and label >= 0]
        gap = len(axis) > 0 and axis.labels[0] is None
        size = max(known, default=-1) + 1
        if not self._whole or unseen or len(known) + gap < len(axis) or size > 2 * len(known) + _SPARE:
            raise NeedsCodes
        rows = np.full(size, -1, dtype=np.int64)
        rows[known] = np.arange(gap, len(axis))
        self.axes.append((column, axis))
        return self._place[column], rows

    def combinations(self, columns: Columns, axes: tuple[Axis, ...]) -> tuple[int, IntArray]:
        """Raise NeedsCodes."""
        del columns, axes
        raise NeedsCodes

    def unseen(self, table: Matrix) -> tuple[Unseen, ...]:
        """Return the columns with unseen levels among some rows."""
        if not self.axes or self._all_seen(table):
            return ()
        return tuple(sampled_unseen(table, self.axes))

    def _all_seen(self, table: Matrix) -> bool:
        # The usual case, all columns at once: the levels of each are 0, 1, … and the sampled cells are among them.
        if self._sizes is None:
            sizes = [len(axis) if axis.labels == tuple(range(len(axis))) else -1 for _, axis in self.axes]
            self._sizes = np.array(sizes)
        cells = sampled_rows(table)
        if len(self.axes) != table.width:
            cells = cells[:, table.positions(tuple(name for name, _ in self.axes))]
        return bool(((cells >= 0) & (cells < self._sizes)).all())


class Cells(NamedTuple):
    """What the core reads of some rows: columns and their validity bitmaps; and which columns have unseen levels."""

    arrays: list[npt.NDArray[Any]]
    valid: list[npt.NDArray[np.uint8] | None]
    unseen: list[Unseen]

    def add(self, other: Cells) -> None:
        """Add the columns of others."""
        self.arrays.extend(other.arrays)
        self.valid.extend(other.valid)
        self.unseen.extend(other.unseen)

    def add_numbers(self, table: Table, columns: Columns) -> None:
        """Add columns of numbers."""
        numbers = table.numbers(columns)
        self.arrays.extend(numbers.columns())
        self.valid.extend(numbers.valid or [None] * len(columns))

    def add_levels(self, table: Table, column: str | int, axis: Axis, unseen: int, missing: int) -> None:
        """Add the positions of a column on its axis; an unseen level and a missing cell have these."""
        positions, strange = self._find(table, column, axis)
        if missing >= 0 or (strange and unseen >= 0):
            others = np.where(positions == UNSEEN, unseen, missing) if strange else np.int64(missing)
            positions = np.where(positions < 0, others, positions)
        self._add(positions)

    def add_combinations(self, table: Table, columns: Columns, axes: tuple[Axis, ...]) -> IntArray:
        """Add a code for each distinct combination of the rows, and return the combinations."""
        each: list[Coded] = []
        for column, axis in zip(columns, axes, strict=True):
            # A gap, −1, is a level among others here.
            positions = np.maximum(self._find(table, column, axis).positions.astype(np.int64), -1)
            each.append(Coded(positions + 1, list(range(-1, len(axis)))))
        codes, found = joint_codes(each)
        self._add(codes)
        return np.array(found, dtype=np.int64).reshape(len(found), len(columns))

    def _add(self, codes: npt.NDArray[Any]) -> None:
        self.arrays.append(codes)
        self.valid.append(None)

    def _find(self, table: Table, column: str | int, axis: Axis) -> Places:
        try:
            places = table.column(column).places(axis)
        except DataError as reason:
            raise no_levels(reason, column) from None
        positions, unseen = places
        if unseen:
            cells, known = int((positions == UNSEEN).sum()), int((positions != -1).sum())
            seen = [label for label in axis if label is not None]
            self.unseen.append(Unseen(column, cells, known, tuple(unseen[:_EXAMPLES]), tuple(seen[:_EXAMPLES])))
        return places


@final
class ColumnLayout:
    """The columns that terms read, one after the other.

    The tables of the terms follow the axes of the model: they are compiled once, and rows are read as positions on the
    axes. Only the tables of combinations are those of certain rows, and need `rows`.
    """

    __slots__ = ("_readers", "_rows", "exact", "names", "tables")

    def __init__(self, log_prior: FloatArray, rows: Table | None = None, *, exact: bool) -> None:
        self.tables = _core.ScoreTables(log_prior)
        self.exact = exact
        self.names: list[str | int] = []
        self._rows = rows
        self._readers: list[Callable[[Cells, Table], object]] = []

    def read(self, table: Table) -> Cells:
        """Return the columns of a table; at least one, so that it has rows."""
        cells = Cells([], [], [])
        for read in self._readers:
            read(cells, table)
        if not cells.arrays:
            cells.arrays.append(np.zeros(table.rows, dtype=np.bool_))
            cells.valid.append(None)
        return cells

    def numbers(self, columns: Columns) -> list[int]:
        """Return the places of columns of numbers."""
        self._readers.append(lambda cells, table: cells.add_numbers(table, columns))
        self.names.extend(columns)
        return list(range(len(self.names) - len(columns), len(self.names)))

    def levels(self, column: str | int, axis: Axis, *, unseen: bool, missing: bool) -> tuple[int, IntArray]:
        """Return the place of a column that is read as positions on the axis, and these."""
        other = len(axis) if unseen else -1
        gap = (0 if None in axis else other) if missing else -1  # None is the first on an axis
        self._readers.append(lambda cells, table: cells.add_levels(table, column, axis, other, gap))
        self.names.append(column)
        return len(self.names) - 1, np.arange(len(axis) + unseen)

    def combinations(self, columns: Columns, axes: tuple[Axis, ...]) -> tuple[int, IntArray]:
        """Return the place of a code for each distinct combination of the rows, and the combinations."""
        if self._rows is None:
            raise NeedsCodes
        codes = Cells([], [], [])
        combinations = codes.add_combinations(self._rows, columns, axes)
        self._readers.append(lambda cells, _: cells.add(codes))
        self.names.append(columns[0])
        return len(self.names) - 1, combinations


def sampled_rows(table: Matrix) -> npt.NDArray[Any]:
    """Return some rows of a dense matrix, or all of them, in no period: rows that repeat are not all alike."""
    rows = table.rows
    if rows <= _SAMPLE:
        return table.x
    step = int(rows * (math.sqrt(5) - 1) / 2)
    while math.gcd(step, rows) > 1:
        step += 1
    return table.x[np.arange(_SAMPLE) * step % rows]


def sampled_unseen(table: Matrix, axes: Sequence[tuple[str | int, Axis]]) -> list[Unseen]:
    """Return the columns with unseen levels among some rows, where levels are their own codes.

    A column that has many of them there is counted in all rows.
    """
    found: list[Unseen] = []
    x = sampled_rows(table)
    places = table.positions(tuple(name for name, _ in axes))
    for at, (name, axis) in zip(places, axes, strict=True):
        cells = x[:, at]
        known = np.array([label for label in axis if label is not None], dtype=np.float64)
        there = np.isin(cells, known)
        if len(x) < table.rows and there.mean() < 1 - _SUSPICIOUS:
            cells = table.x[:, at]
            there = np.isin(cells, known)
        if not there.all():
            strange = np.unique(cells[~there])[:_EXAMPLES].tolist()
            seen = [label for label in axis if label is not None][:_EXAMPLES]
            found.append(Unseen(name, int((~there).sum()), len(cells), tuple(strange), tuple(seen)))
    return found
