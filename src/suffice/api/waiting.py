"""Rows that wait to be counted: cells in the order of the columns, and how a block of them becomes a table.

A row is an array of numbers, or a list or tuple of cells of any kind. A block of arrays of one dtype, or of nothing but
floats, is a matrix. Any other is a frame whose columns are what `fit` takes them for in a list of records: bools, whole
numbers, floats, text, each with what is missing, and objects for the rest. A row may be shorter than the names: later
cells are missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, zip_longest
from math import inf, isnan
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from suffice.conjugate.arguments import is_real
from suffice.errors import DataError
from suffice.sources.coding import is_missing
from suffice.sources.column import Codes, Column, Nothing, Numbers, Objects, Unread
from suffice.sources.table import Frame, Matrix, Table
from suffice.sources.target import bad_label
from suffice.statistics.columns import Columns
from suffice.statistics.labels import canonical

__all__ = ["Cells", "Waiting", "is_class", "rows_of_table", "table_of_rows", "weight_of"]

Cells: TypeAlias = "npt.NDArray[Any] | list[Any] | tuple[Any, ...]"


# NumPy's scalars that have a like among Python's; a datetime64 would turn into an int.
_PLAIN: tuple[type[Any], ...] = (np.bool_, np.integer, np.float16, np.float32, np.float64, np.str_)


class Waiting(NamedTuple):
    """A row, its class and weight, and its number as the user counts: the rows that came before it."""

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
    columns = [_column(cells) for cells in zip_longest(*plain)]
    columns += [Nothing(len(rows))] * (len(names) - len(columns))
    return Frame(names, tuple(columns), len(rows), named)


def rows_of_table(table: Table) -> list[Cells] | None:
    """Return the rows of a small table, or None where it cannot be spelled so: it is sparse, or has coded numbers."""
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
    """Say whether the class of this row is known, or raise DataError for what cannot be one."""
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
            advice="Leave the row out, or subtract rows with forget(...).",
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
    if isinstance(column, Unread):  # a cell that says what it is: the column's kind is all that is asked of it
        return [column] * rows
    if isinstance(column, Codes) and Objects(column.values).kind in ("integer", "float", "mixed"):
        return None  # levels and no quantities, which cells would not tell
    try:
        codes, labels = column.coded()
    except DataError:
        return None
    return [None if code < 0 else labels[code] for code in codes.tolist()]


def _column(cells: tuple[Any, ...]) -> Column:
    kinds: set[type[Any]] = set(map(type, cells))
    if any(issubclass(kind, _PLAIN) for kind in kinds):
        plain: list[Any] = [cell.item() if isinstance(cell, _PLAIN) else cell for cell in cells]
        return _column(tuple(plain))
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
        return _whole(cells, None if known == kinds else [cell is not None for cell in cells])
    if known == {int, float}:
        if all(isnan(cell) for cell in cells if type(cell) is float):  # whole numbers, some of them missing
            return _whole(cells, [type(cell) is int for cell in cells])
        if max(abs(cell) for cell in cells if type(cell) is int) <= 2**53:
            return Numbers(np.array(cells, dtype=np.float64))
    return Objects(_objects(cells))


def _text(cells: tuple[Any, ...]) -> Column:
    distinct = dict.fromkeys(cells)
    distinct.pop(None, None)
    place: dict[str | None, int] = {text: at for at, text in enumerate(distinct)}
    codes = np.fromiter(map({**place, None: -1}.__getitem__, cells), dtype=np.int64, count=len(cells))
    return Codes(codes, _objects(tuple(place)))


def _whole(cells: tuple[Any, ...], known: list[bool] | None) -> Column:
    values = cells if known is None else [cell if there else 0 for cell, there in zip(cells, known, strict=True)]
    valid = None if known is None else np.packbits(np.array(known), bitorder="little")
    try:
        return Numbers(np.array(values, dtype=np.bool_ if bool in set(map(type, cells)) else np.int64), valid)
    except OverflowError:  # of an int longer than 64 bits
        return Objects(_objects(cells))


def _objects(cells: tuple[Any, ...]) -> npt.NDArray[Any]:
    return np.fromiter(cells, dtype=object, count=len(cells))  # which takes a list for one object
