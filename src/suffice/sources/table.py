"""Tables: rows with named columns.

Matrix    a 2-D array of numbers or a CSR matrix; its columns are named 0, 1, … unless names are given
Frame     separate columns of any kind (column.py)

Engines request the numbers or the levels of some columns. Arrays are not copied if the kernels can read their
dtype and layout.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, cast, final

import numpy as np
import numpy.typing as npt

from suffice.errors import Advice, DataError, SufficeError, counted
from suffice.machine import thread_count
from suffice.sources.coding import Coded, Places
from suffice.sources.column import Bitmap, Codes, Column, Nothing, Numbers, RawCodes, RowIndex, Texts
from suffice.sources.dates import base_of_part, date_part
from suffice.statistics import Axis
from suffice.statistics.arrays import BoolArray, IntArray
from suffice.statistics.axis import Columns

__all__ = ["Aligned", "Frame", "Matrix", "NumberRows", "Table", "gathered", "slice_of"]


_MANY = 2**20  # cells
_MANY_ROWS = 2**16


def gathered(x: Any, rows: IntArray) -> Any:
    """Return x[rows] of a dense or CSR matrix, copied by several threads; rows must be in range."""
    threads, width = thread_count(), int(x.shape[1])
    plain = type(x) is np.ndarray and bool(x.flags.c_contiguous)
    if not plain or threads < 2 or len(rows) * width < _MANY:
        return x[rows]
    out: npt.NDArray[Any] = np.empty((len(rows), width), dtype=x.dtype)
    bounds = np.linspace(0, len(rows), threads + 1).astype(np.int64).tolist()

    def take(k: int) -> None:
        some = slice(bounds[k], bounds[k + 1])
        # "clip", because checking every index would hold the GIL; they are in range.
        np.take(x, rows[some], axis=0, out=out[some], mode="clip")

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(take, range(threads)))
    return out


_ONE_ROW = ", and one row of a frame as df.iloc[[0]]"


class NumberRows(NamedTuple):
    """The input of an engine: a matrix, a CSR matrix or a list of 1-D columns, and the bitmaps of the columns."""

    x: Any
    valid: list[Bitmap | None] | None

    def columns(self) -> list[npt.NDArray[Any]]:
        """Return the columns of a dense input as 1-D arrays."""
        x: Any = self.x
        return cast("list[npt.NDArray[Any]]", x) if isinstance(x, list) else [x[:, j] for j in range(self.x.shape[1])]

    def complete(self, rows: int) -> BoolArray:
        """Return which rows have a number in every column."""
        there: BoolArray = np.ones(rows, dtype=np.bool_)
        x: Any = self.x
        if hasattr(x, "tocsr"):  # cells that are not stored are 0
            there[np.repeat(np.arange(rows), np.diff(x.indptr))[np.isnan(x.data)]] = False
            return there
        columns = self.columns()
        for column, bits in zip(columns, self.valid or [None] * len(columns), strict=True):
            if bits is not None:
                there &= np.unpackbits(bits, count=rows, bitorder="little").view(np.bool_)
            if column.dtype.kind == "f":
                there &= ~np.isnan(column)
        return there


class Aligned(NamedTuple):
    """A table with exactly the requested columns, and those of them that were absent."""

    table: Table
    missing: Columns


class Table(ABC):
    """Rows × named columns."""

    names: Columns

    @property
    @abstractmethod
    def rows(self) -> int:
        """The number of rows."""

    @abstractmethod
    def numbers(self, columns: Columns) -> NumberRows:
        """Return these columns as numbers, or raise DataError."""

    @abstractmethod
    def column(self, name: str | int) -> Column:
        """Return one column."""

    def coded(self, name: str | int) -> Coded:
        """Return the distinct values of a column and the code of every cell, or raise DataError."""
        self._require_levels()
        try:
            return self.column(name).coded()
        except DataError as reason:
            raise _no_levels(reason, name) from None

    def levels(self, columns: Columns) -> list[RawCodes]:
        """Return the codes of each of these columns in their cheapest form (column.py), or raise DataError."""
        self._require_levels()
        # The core codes text without holding the GIL, so several long columns are coded at a time.
        threads = min(thread_count(), len(columns))
        if threads < 2 or self.rows < _MANY_ROWS or not any(isinstance(self.column(name), Texts) for name in columns):
            return [self._raw_codes(name) for name in columns]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(self._raw_codes, columns))

    def places(self, name: str | int, axis: Axis) -> Places:
        """Return the position of every cell of a column on an axis, or raise DataError."""
        try:
            return self.column(name).places(axis)
        except DataError as reason:
            raise _no_levels(reason, name) from None

    def _raw_codes(self, name: str | int) -> RawCodes:
        # For text, the codes of the core, in order of appearance and half as wide; for a coded column, its own codes,
        # unless most of its values cannot occur.
        column = self.column(name)
        raw = isinstance(column, Texts) or (
            isinstance(column, Codes) and len(column.values) <= len(column.codes) and column.codes.min(initial=0) >= -1
        )
        try:
            return column.raw_codes() if raw else RawCodes(*column.coded())
        except DataError as reason:
            raise _no_levels(reason, name) from None

    @abstractmethod
    def _require_levels(self) -> None:
        """Raise DataError if no column can be read as levels."""

    @abstractmethod
    def integers(self, columns: Iterable[str | int]) -> Iterable[str | int]:
        """Return those of these columns that contain integers, including parts of dates."""

    @abstractmethod
    def aligned(self, names: Columns) -> Aligned:
        """Return the table with these columns in this order."""

    @abstractmethod
    def head(self, rows: int) -> Table:
        """Return the first rows."""

    @abstractmethod
    def take(self, rows: RowIndex) -> Table:
        """Return these rows, in this order; views if they are a slice."""

    @property
    @abstractmethod
    def storage(self) -> object:
        """How the cells are stored; `joined` takes tables for which it is equal."""

    @abstractmethod
    def joined(self, others: Sequence[Any]) -> Table:
        """Return the rows of this table followed by those of the others, which have the same storage."""

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.names)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.rows, self.width


@final
@dataclass(frozen=True, eq=False)
class Matrix(Table):
    """A 2-D array of a type that the core reads, or a CSR matrix without duplicates."""

    x: Any
    names: Columns
    named: bool = False

    @property
    def rows(self) -> int:
        """Rows of the matrix."""
        return self.x.shape[0]

    @property
    def sparse(self) -> bool:
        """Whether it is a CSR matrix, whose absent cells are 0."""
        return hasattr(self.x, "tocsr")

    @property
    def row_by_row(self) -> bool:
        """Whether the cells of a row are contiguous."""
        return not self.sparse and self.x.strides[1] == self.x.itemsize

    def positions(self, columns: Columns) -> Sequence[int]:
        """Return the positions of these columns."""
        if columns is self.names or columns == self.names:
            return range(self.width)
        place = self._place
        return [place[name] for name in columns]

    @cached_property
    def _place(self) -> dict[str | int, int]:
        # Cached, because columns are requested one by one.
        return {name: at for at, name in enumerate(self.names)}

    def numbers(self, columns: Columns) -> NumberRows:
        """Return a view of the columns: a matrix if they are evenly spaced, otherwise separate columns."""
        at = self.positions(columns)
        if len(at) == self.width and at == range(self.width):
            return NumberRows(self.x, None)
        if self.sparse:
            return NumberRows(self.x[:, list(at)], None)
        even = slice_of(at)
        return NumberRows([self.x[:, j] for j in at] if even is None else self.x[:, even], None)

    def column(self, name: str | int) -> Column:
        """Return a view of the column."""
        (at,) = self.positions((name,))
        if self.sparse:
            return Numbers(self.x[:, [at]].toarray()[:, 0])
        return Numbers(self.x[:, at])

    def _require_levels(self) -> None:
        if self.sparse:
            raise DataError(
                f"categorical columns need a dense matrix: got a sparse one of shape {self.x.shape}. Use x.toarray(), "
                "or read presence with Bernoulli()."
            )

    def integers(self, columns: Iterable[str | int]) -> Iterable[str | int]:
        """Return all columns, or none: the cells are of one type."""
        return columns if self.x.dtype.kind in "iu" else ()

    def aligned(self, names: Columns) -> Aligned:
        """Return the same matrix with these names: its columns are matched by position."""
        if names is self.names:
            return Aligned(self, ())
        _require_width(self, names)
        return Aligned(self if names == self.names else replace(self, names=names, named=True), ())

    def head(self, rows: int) -> Matrix:
        """Return a view of the first rows."""
        return replace(self, x=self.x[:rows])

    def take(self, rows: RowIndex) -> Matrix:
        """Return these rows of the matrix."""
        return replace(self, x=self.x[rows] if isinstance(rows, slice) else gathered(self.x, rows))

    @property
    def storage(self) -> object:
        """Whether it is sparse, and the type of its numbers."""
        return Matrix, self.sparse, self.x.dtype

    def joined(self, others: Sequence[Matrix]) -> Matrix:
        """Return the rows of all."""
        if not others:
            return self
        parts = [table.x for table in (self, *others)]
        if not self.sparse:
            return replace(self, x=np.concatenate(parts))
        import scipy.sparse

        return replace(self, x=cast("Any", scipy.sparse).vstack(parts, format="csr"))


@final
@dataclass(frozen=True, eq=False)
class Frame(Table):
    """Columns of equal length, each with its own kind; if they are not `named`, they are matched by position."""

    names: Columns
    columns: tuple[Column, ...]
    length: int
    named: bool = True
    _place: dict[str | int, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_place", {name: at for at, name in enumerate(self.names)})

    @property
    def rows(self) -> int:
        """The length of every column."""
        return self.length

    def numbers(self, columns: Columns) -> NumberRows:
        """Return separate columns, with their bitmaps."""
        values: list[npt.NDArray[Any]] = []
        valid: list[Bitmap | None] = []
        for name in columns:
            try:
                numbers = self.columns[self._place[name]].numbers()
            except DataError as reason:
                raise reason.located(column=name, advice=_not_numbers(name)) from None
            values.append(numbers.values)
            valid.append(numbers.valid)
        return NumberRows(values, valid)

    def column(self, name: str | int) -> Column:
        """Return the column of that name."""
        return self.columns[self._place[name]]

    def _require_levels(self) -> None:
        pass  # each column raises its own error

    def integers(self, columns: Iterable[str | int]) -> Iterable[str | int]:
        """Return the columns whose cells are integers."""
        place = self._place
        return [
            name
            for name in columns
            if (self.columns[place[name]].kind == "integer" if name in place else base_of_part(name))
        ]

    def aligned(self, names: Columns) -> Aligned:
        """Match columns by name: absent columns are missing in every row, parts of dates are computed."""
        if names == self.names:
            return Aligned(self, ())
        if not self.named:
            _require_width(self, names)
            return Aligned(replace(self, names=names), ())
        place = self._place
        others = {name: base_of_part(name) for name in names if name not in place}
        parts = {name: part for name, part in others.items() if part is not None and part[0] in place}
        missing = tuple(name for name in names if name not in place and name not in parts)
        if len(missing) == len(names) == self.width and all(isinstance(name, int) for name in names):
            return Aligned(replace(self, names=names), ())  # the model has no column names
        columns = tuple(
            self.columns[place[name]]
            if name in place
            else self._part(*parts[name])
            if name in parts
            else Nothing(self.length)
            for name in names
        )
        return Aligned(Frame(names, columns, self.length), missing)

    def _part(self, base: str, part: str) -> Column:
        try:
            return date_part(self.column(base), part)
        except DataError as reason:
            raise reason.located(column=base) from None

    def head(self, rows: int) -> Frame:
        """Return the first rows of each column."""
        columns = tuple(column.head(rows) for column in self.columns)
        return replace(self, columns=columns, length=min(rows, self.length))

    def take(self, rows: RowIndex) -> Frame:
        """Return these rows of each column."""
        columns = tuple(column.take(rows) for column in self.columns)
        length = len(range(self.length)[rows]) if isinstance(rows, slice) else len(rows)
        return replace(self, columns=columns, length=length)

    @property
    def storage(self) -> object:
        """How each column is stored."""
        return Frame, tuple(column.storage for column in self.columns)

    def joined(self, others: Sequence[Frame]) -> Frame:
        """Return the rows of all."""
        if not others:
            return self
        columns = tuple(
            column.joined([other.columns[at] for other in others]) for at, column in enumerate(self.columns)
        )
        return replace(self, columns=columns, length=sum(table.length for table in (self, *others)))

    def without(self, names: Columns) -> Frame:
        """Return the table without these columns."""
        kept = tuple(name for name in self.names if name not in names)
        return Frame(kept, tuple(map(self.column, kept)), self.length)


def _require_width(table: Table, names: Columns) -> None:
    if len(names) != table.width:
        more = _ONE_ROW if isinstance(table, Frame) and table.width == 1 else ""
        raise DataError(
            f"data has {counted(table.width, 'column')}, but the model was fitted on {len(names)}. "
            f"Give the same columns in the same order{more}."
        )


def slice_of(positions: Sequence[int]) -> slice | None:
    """Return the slice with these positions, or None if they are not evenly spaced."""
    at: npt.NDArray[np.int64] = np.asarray(positions, dtype=np.int64)
    if len(at) == 1:
        return slice(int(at[0]), int(at[0]) + 1)
    step = int(at[1] - at[0])
    if step <= 0 or (np.diff(at) != step).any():
        return None
    return slice(int(at[0]), int(at[-1]) + 1, step)


def _no_levels(reason: SufficeError, name: str | int) -> SufficeError:
    return reason.located(
        column=name, advice=lambda words: f"Convert it, or leave it out with {words.column(name, None)}."
    )


def _not_numbers(name: str | int) -> Advice:
    return lambda words: (
        f"Use {words.column(name, 'Categorical')} for categories, or exclude it with {words.column(name, None)}."
    )
