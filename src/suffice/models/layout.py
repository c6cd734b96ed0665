"""Where the cells of rows stand among the columns that the native core scores, and the tables of the terms for them.

A matrix of numbers goes to the core as it is, and whole numbers that are levels are their own codes (MatrixLayout).
Other tables go as separate columns, with the levels of each coded once for each distinct value (ColumnLayout).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt

from suffice import _core
from suffice.engines.collection import column_raw_codes
from suffice.engines.joint_codes import joint_codes
from suffice.sources.coding import Coded
from suffice.sources.table import Matrix, Table
from suffice.statistics import Axis
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray, IntArray
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


class NeedsCodes(Exception):  # noqa: N818 - caught where it is raised for: the rows go as separate columns then
    """A column of the matrix is not its own codes."""


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


@final
class ColumnLayout:
    """The columns that terms look at, one after the other, as they come.

    `arrays`, `valid` and `names` are of each of them; `unseen` tells the columns with levels that the model has not
    seen.
    """

    __slots__ = ("_table", "arrays", "exact", "names", "tables", "unseen", "valid")

    def __init__(self, log_prior: FloatArray, table: Table, *, exact: bool) -> None:
        self.tables = _core.ScoreTables(log_prior)
        self.exact = exact
        self.arrays: list[npt.NDArray[Any]] = []
        self.valid: list[npt.NDArray[np.uint8] | None] = []
        self.names: list[str | int] = []
        self.unseen: list[Unseen] = []
        self._table = table

    def numbers(self, columns: Columns) -> list[int]:
        """Return the places of columns of numbers."""
        numbers, start = self._table.numbers(columns), len(self.arrays)
        self.arrays.extend(numbers.columns())
        self.valid.extend(numbers.valid or [None] * len(columns))
        self.names.extend(columns)
        return list(range(start, len(self.arrays)))

    def levels(self, column: str | int, axis: Axis, *, unseen: bool, missing: bool) -> tuple[int, IntArray]:
        """Return the place of the codes as the column has them, and the position of each on the axis."""
        codes, rows = self._codes(column, axis, unseen=unseen, missing=missing)
        return self._put(column, codes), rows

    def combinations(self, columns: Columns, axes: tuple[Axis, ...]) -> tuple[int, IntArray]:
        """Return the place of a code for each distinct combination of these rows, and the combinations."""
        shifted: list[Coded] = []
        for name, axis in zip(columns, axes, strict=True):
            codes, rows = self._codes(name, axis, unseen=False, missing=False)
            # A gap, −1, is a level among others here.
            places = np.append(rows, -1)[np.where(codes < 0, len(rows), codes)] + 1
            shifted.append(Coded(places, list(range(-1, len(axis)))))
        codes, found = joint_codes(shifted)
        return self._put(columns[0], codes), np.array(found, dtype=np.int64).reshape(len(found), len(columns))

    def _put(self, column: str | int, codes: npt.NDArray[Any]) -> int:
        self.arrays.append(codes)
        self.valid.append(None)
        self.names.append(column)
        return len(self.arrays) - 1

    def _codes(
        self, column: str | int, axis: Axis, *, unseen: bool, missing: bool
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
        # No cell is coded anew: the term's table follows the codes.
        codes, labels = column_raw_codes(self._table, column)
        rows = np.array([axis.index(label) if label in axis else -1 for label in labels], dtype=np.int64)
        strange: list[int] = np.flatnonzero(rows < 0).tolist()
        if strange:
            rows[strange] = len(axis) if unseen else -1
            each: list[int] = np.bincount(codes[codes >= 0], minlength=len(labels)).tolist()
            strange = [k for k in strange if each[k]]  # not every label occurs
            if strange:
                examples = tuple(labels[k] for k in strange[:_EXAMPLES])
                others = [label for label in axis if label is not None]
                cells = sum(each[k] for k in strange)
                self.unseen.append(Unseen(column, cells, sum(each), examples, tuple(others[:_EXAMPLES])))
        gap = (0 if None in axis else len(axis) if unseen else -1) if missing else -1  # None is the first on an axis
        if gap >= 0:
            codes = np.where(codes < 0, len(labels), codes)
            rows = np.append(rows, gap)
        return codes, rows


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
