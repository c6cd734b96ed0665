"""A buffer of rows that are not counted yet, and the conversion of a block of rows to a table.

A row is an array of numbers, or a list or tuple of cells of any kind. A block of arrays of one dtype, or of floats
only, becomes a matrix. Any other block becomes a frame whose columns have the types that `fit` infers for a list of
records: booleans, integers, floats or text, each with missing cells, and otherwise objects. A row may be shorter than
the names: later cells are missing.

The columns of rows that are added one by one are given, or those of the first row; named rows may add columns.

A positional row has a cell for each column. A named row (mapping) may omit columns, whose cells are then missing. Until
the columns are fixed, a new name adds a column; afterwards it is ignored, but a row without any known name is an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, zip_longest
from math import inf, isnan
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias, cast, final

import numpy as np
import numpy.typing as npt

from suffice.arguments import is_real
from suffice.errors import DataError
from suffice.sources.coding import is_missing
from suffice.sources.column import Codes, Column, Nothing, Numbers, Objects, Unread
from suffice.sources.in_memory import is_series
from suffice.sources.table import Frame, Matrix, Table
from suffice.sources.target import bad_label
from suffice.statistics.axis import Columns, columns_of
from suffice.statistics.labels import canonical

__all__ = ["BufferedRow", "Cells", "RowNames", "is_class", "rows_of_table", "table_of_rows", "weight_of"]


Cells: TypeAlias = "npt.NDArray[Any] | list[Any] | tuple[Any, ...]"


# NumPy scalars that correspond to Python types; a datetime64 would become an int.
_PLAIN: tuple[type[Any], ...] = (np.bool_, np.integer, np.float16, np.float32, np.float64, np.str_)


class BufferedRow(NamedTuple):
    """A row, its class and weight, and its number: that of the rows added before it."""

    cells: Cells
    label: Any
    weight: float
    number: int


def table_of_rows(rows: Sequence[Cells], names: Columns) -> Table:
    """Return the table of these rows."""
    named = names != tuple(range(len(names)))
    if rows and all(isinstance(row, np.ndarray) for row in rows):
        arrays = cast("Sequence[npt.NDArray[Any]]", rows)
        if len({(row.dtype, len(row)) for row in arrays}) == 1 and len(arrays[0]) == len(names):
            return Matrix(np.stack(arrays), names, named)
    elif rows and _all_floats(rows, len(names)):
        numbers = np.fromiter(chain.from_iterable(rows), dtype=np.float64, count=len(rows) * len(names))
        return Matrix(numbers.reshape(len(rows), len(names)), names, named)
    plain = (row.tolist() if isinstance(row, np.ndarray) else row for row in rows)
    columns = [_buffer_column(cells) for cells in zip_longest(*plain)]
    columns += [Nothing(len(rows))] * (len(names) - len(columns))
    return Frame(names, tuple(columns), len(rows), named)


def rows_of_table(table: Table) -> list[Cells] | None:
    """Return the rows of a small table, or None if it is sparse or has dictionary-encoded numbers."""
    if isinstance(table, Matrix):
        return None if table.sparse else list(table.x.copy())
    columns: list[list[Any]] = []
    for name in table.names:
        cells = _cells(table.column(name), table.rows)
        if cells is None:
            return None
        columns.append(cells)
    return list(zip(*columns, strict=True)) if columns else [[] for _ in range(table.rows)]


def is_class(label: Any, number: int) -> bool:
    """Return whether the row has a class; raise DataError if the label is invalid."""
    plain = label.item() if isinstance(label, _PLAIN) else label
    if is_missing(plain):
        return False
    if isinstance(plain, float) and not plain.is_integer():
        raise bad_label(number, plain)
    try:
        canonical(plain)
    except DataError:
        raise DataError(
            "class labels must be integers, booleans or strings", kind="bad_label", row=number, got=plain
        ) from None
    return True


def weight_of(weight: Any, number: int) -> float:
    """Return the weight of this row, or raise DataError."""
    if not is_real(weight) or not 0 <= weight < inf:
        raise DataError(
            "weights must be finite and ≥ 0",
            kind="bad_weight",
            row=number,
            got=weight,
            advice="Omit the row, or remove rows with forget(...).",
        )
    return float(weight)


def _all_floats(rows: Sequence[Cells], width: int) -> bool:
    if set(map(type, rows[0])) != {float} or any(len(row) != width for row in rows):
        return False
    return set(map(type, chain.from_iterable(rows))) == {float}


def _cells(column: Column, rows: int) -> list[Any] | None:
    if isinstance(column, Numbers):
        values = column.values.tolist()
        if column.valid is None:
            return values
        valid = np.unpackbits(column.valid, count=rows, bitorder="little").tolist()
        return [value if there else None for value, there in zip(values, valid, strict=True)]
    if isinstance(column, Objects):
        return column.values.tolist()
    if isinstance(column, Unread):  # a cell whose type is known; only the kind of the column is needed
        return [column] * rows
    if isinstance(column, Codes) and Objects(column.values).kind in ("integer", "float", "mixed"):
        return None  # numbers that are categories; single cells would not preserve that
    try:
        codes, labels = column.coded()
    except DataError:
        return None
    return [None if code < 0 else labels[code] for code in codes.tolist()]


def _buffer_column(cells: tuple[Any, ...]) -> Column:
    kinds: set[type[Any]] = set(map(type, cells))
    if any(issubclass(kind, _PLAIN) for kind in kinds):
        plain: list[Any] = [cell.item() if isinstance(cell, _PLAIN) else cell for cell in cells]
        return _buffer_column(tuple(plain))
    if Unread in kinds:
        return next(cell for cell in cells if type(cell) is Unread)
    known = kinds - {type(None)}
    if not known:
        return Nothing(len(cells))
    if known == {float}:
        return Numbers(np.array(cells, dtype=np.float64))  # None is NaN
    if known == {str}:
        return _text(cells)
    if known in ({bool}, {int}):
        return _integer_column(cells, None if known == kinds else [cell is not None for cell in cells])
    if known == {int, float}:
        if all(isnan(cell) for cell in cells if type(cell) is float):  # integers, some of them missing
            return _integer_column(cells, [type(cell) is int for cell in cells])
        if max(abs(cell) for cell in cells if type(cell) is int) <= 2**53:
            return Numbers(np.array(cells, dtype=np.float64))
    return Objects(_cell_objects(cells))


def _text(cells: tuple[Any, ...]) -> Column:
    distinct = dict.fromkeys(cells)
    distinct.pop(None, None)
    place: dict[str | None, int] = {text: at for at, text in enumerate(distinct)}
    codes = np.fromiter(map({**place, None: -1}.__getitem__, cells), dtype=np.int64, count=len(cells))
    return Codes(codes, _cell_objects(tuple(place)))


def _integer_column(cells: tuple[Any, ...], known: list[bool] | None) -> Column:
    values = cells if known is None else [cell if there else 0 for cell, there in zip(cells, known, strict=True)]
    valid = None if known is None else np.packbits(np.array(known), bitorder="little")
    try:
        return Numbers(np.array(values, dtype=np.bool_ if bool in set(map(type, cells)) else np.int64), valid)
    except OverflowError:  # raised by an int longer than 64 bits
        return Objects(_cell_objects(cells))


def _cell_objects(cells: tuple[Any, ...]) -> npt.NDArray[Any]:
    return np.fromiter(cells, dtype=object, count=len(cells))  # which treats a list as a single object


_MOST_EXTRA = 1000
_NATIVE = frozenset("?bBhHiIlLqQfd")


@final
class RowNames:
    """The column names known so far.

    Parameters
    ----------
    names : tuple of names, optional
        The names of a schema, which are then fixed.

    Attributes
    ----------
    absent, extra : dict
        Number of named rows, since the last reset, that lack each column, and that have each unknown name; at most a
        thousand unknown names are counted.

    Examples
    --------
    >>> names = RowNames()
    >>> names.cells({"fur": "black", "age": 3}, 0), names.cells({"sex": "f", "fur": "white"}, 1)
    (['black', 3], ['white', None, 'f'])
    >>> names.names
    ('fur', 'age', 'sex')
    """

    __slots__ = ("_every", "_open", "absent", "extra", "names")

    def __init__(self, names: Columns | None = None) -> None:
        self.names = names
        self.absent: dict[str | int, int] = {}
        self.extra: dict[str | int, int] = {}
        self._open = False
        self._every: Any = None  # the cells of a mapping that has every name
        if names is not None:
            self.fix(names)

    def fix(self, names: Columns) -> None:
        """Fix the names."""
        self.names, self._open = names, False
        self._every = itemgetter(*names) if len(names) > 1 else None

    def cells(self, row: Any, number: int) -> Cells:
        """Return the cells of a row in the order of the names as a new object, or raise DataError."""
        if type(row) is np.ndarray:
            array: npt.NDArray[Any] = row
            cells = array.copy() if array.dtype.char in _NATIVE and array.dtype.isnative else array.tolist()
            if array.ndim != 1:
                raise DataError(
                    "a row must be 1-D", row=number, got=array.shape, advice="Add several rows with add(...)."
                )
        elif isinstance(row, list):
            cells = cast("list[Any]", row).copy()
        elif isinstance(row, tuple):
            cells = cast("tuple[Any, ...]", row)
        elif isinstance(row, Mapping):
            return self._by_name(cast("Mapping[Any, Any]", row), number)
        else:
            return self._of_other(row, number)
        if self.names is None:
            self.fix(columns_of(len(cells)))
        elif len(cells) != len(self.names):
            raise DataError(
                f"a row must have a value for each of the {len(self.names)} columns",
                row=number,
                got=len(cells),
                advice="Give a value for every column, None if missing, or a mapping {name: value}.",
            )
        return cells

    def _of_other(self, row: Any, number: int) -> Cells:
        if is_series(row) and hasattr(row, "to_dict"):
            return self._by_name(row.to_dict(), number)
        if isinstance(row, np.ndarray) or is_series(row):  # masked, or of a library without labels
            other = cast("Any", row)
            return self.cells(list(other.tolist() if hasattr(other, "tolist") else other.to_list()), number)
        raise DataError(
            "a row must be a mapping {name: value}, or a 1-D array, list or tuple of values",
            row=number,
            got=row,
            advice="Add several rows with add(...).",
        )

    def _by_name(self, row: Mapping[Any, Any], number: int) -> Cells:
        if self._every is not None and (not self._open or len(row) == len(cast("Columns", self.names))):
            try:
                cells = self._every(row)
            except KeyError:
                pass
            else:
                if len(row) > len(cast("Columns", self.names)):
                    self._count_extra(row)
                return cells
        if self.names is None:
            self.fix(columns_of(list(row)))
            self._open = True
        elif self._open:
            fresh = [name for name in row if name not in set(self.names)]
            if fresh:
                self.fix(columns_of([*self.names, *fresh]))
                self._open = True
        names = cast("Columns", self.names)
        lacking = [name for name in names if name not in row]
        if row and len(lacking) == len(names):
            raise DataError(
                f"the row contains none of the columns {_list_keys(list(names))}: its keys are {_list_keys(list(row))}",
                row=number,
                advice="Rename its keys, or give the values in the order of the columns.",
            )
        for name in lacking:
            self.absent[name] = self.absent.get(name, 0) + 1
        if len(row) > len(names) - len(lacking):
            self._count_extra(row)
        return [row.get(name) for name in names]

    def _count_extra(self, row: Mapping[Any, Any]) -> None:
        names = set(cast("Columns", self.names))
        for name in row:
            if name not in names and (name in self.extra or len(self.extra) < _MOST_EXTRA):
                self.extra[name] = self.extra.get(name, 0) + 1


def _list_keys(names: list[Any]) -> str:
    return ", ".join(map(repr, names[:5])) + ", …" * (len(names) > 5)
