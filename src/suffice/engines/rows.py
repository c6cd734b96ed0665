"""Rows, as they come, turned into the native core's views: checked, never copied when dtype and layout allow.

A table of numbers is a 2-D array (float64, float32, any integer, bool; C or F order, strided), a scipy sparse matrix
(absent cells are 0, a stored NaN is missing), or a sequence of 1-D columns of one length.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from suffice import _core
from suffice.errors import DataError
from suffice.statistics import Axis

__all__ = ["Dense", "Rows", "Table", "Target", "columns_for", "dense_of", "require_memory", "table_of", "target_of"]

Rows: TypeAlias = "npt.ArrayLike | Sequence[npt.NDArray[Any]]"
Dense: TypeAlias = "_core.Matrix | _core.Columns"

_NATIVE = frozenset("?bBhHiIlLqQfd")


class Table(NamedTuple):
    """A view of the rows and their shape."""

    view: Dense | _core.Sparse
    rows: int
    cols: int


class Target(NamedTuple):
    """The class of each row. `positions[k]` is where the class of code k stands on the axis, None when in place."""

    labels: _core.Labels
    classes: Axis
    positions: npt.NDArray[np.int64] | None

    def ordered(self, by_code: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return an array whose first dimension follows the axis, given one that follows the codes."""
        if self.positions is None:
            return by_code
        moved = np.empty_like(by_code)
        moved[self.positions] = by_code
        return moved


def table_of(x: Any, valid: Sequence[npt.NDArray[np.uint8] | None] | None = None) -> Table:
    """Return a view of a matrix, of a sparse matrix, or of separate columns with their validity bitmaps."""
    if hasattr(x, "tocsr"):
        if valid is not None:
            raise DataError("validity bitmaps belong to separate columns: x is a sparse matrix. Store NaN for a missing cell.")
        return _sparse(x if getattr(x, "format", "") == "csr" else x.tocsr())
    if isinstance(x, np.ndarray) and valid is None:
        return _matrix(cast("npt.NDArray[Any]", x))
    if isinstance(x, (list, tuple)) and (valid is not None or (x and all(_is_column(column) for column in cast("list[Any]", x)))):
        return _columns(cast("Sequence[Any]", x), valid)
    if valid is not None:
        raise DataError("validity bitmaps belong to separate columns: x is a matrix. Put NaN in a missing cell.")
    return _matrix(_as_array(x, "x"))


def dense_of(x: Any, what: str, valid: Sequence[npt.NDArray[np.uint8] | None] | None = None) -> tuple[Dense, int, int]:
    """Return a view that is not sparse, or say that `what` needs one."""
    view, rows, cols = table_of(x, valid)
    if isinstance(view, _core.Sparse):
        raise DataError(f"{what} need a dense matrix or columns: got a sparse matrix of shape ({rows}, {cols}). Use x.toarray().")
    return view, rows, cols


def target_of(codes: npt.ArrayLike, classes: Axis | Iterable[object], weights: npt.ArrayLike | None, rows: int | None) -> Target:
    """Return the class of each row, checked against the number of rows.

    `classes` names the class of each code: labels in the order of the codes, or an Axis whose positions are the codes.
    """
    codes = _vector(codes, "codes", rows)
    if codes.dtype.kind not in "iub":
        raise DataError(f"codes must be integers, 0 for the first class and -1 for a row to leave out: got dtype {codes.dtype}.")
    if weights is not None:
        weights = _vector(weights, "weights", len(codes))
    if isinstance(classes, Axis):
        axis, positions = classes, None
    else:
        names = list(classes)
        axis = Axis.of(names)
        positions = axis.positions(names)
        if (positions == np.arange(len(names))).all():
            positions = None
    return Target(_core.Labels(codes, len(axis), weights), axis, positions)


def columns_for(columns: Sequence[str | int] | None, cols: int) -> Sequence[str | int] | int:
    """Return the names of the columns, one each, or their number."""
    if columns is None:
        return cols
    if len(columns) != cols:
        raise DataError(f"columns must name each of the {cols} columns of x: got {len(columns)} names.")
    return columns


def require_memory(what: str, floats: int) -> None:
    """Raise DataError for a result that this machine cannot hold, before any of it is allocated."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if floats * 8 > memory:
        raise DataError(
            f"{what} would take {floats * 8 / 1e9:,.1f} GB and this machine has {memory / 1e9:,.1f} GB. "
            "Use fewer columns or classes, or collect in parts and add them up."
        )


def _is_column(column: Any) -> bool:
    return isinstance(column, np.ndarray) and cast("npt.NDArray[Any]", column).ndim == 1


def _as_array(values: Any, what: str) -> npt.NDArray[Any]:
    try:
        return np.asarray(values)
    except (TypeError, ValueError) as error:
        raise DataError(f"{what} must be an array of numbers: got {type(values).__name__} ({error}).") from None


def _require_native(array: npt.NDArray[Any], what: str) -> None:
    if array.dtype.char in _NATIVE and array.dtype.isnative:
        return
    if array.dtype.kind == "O":
        do = "Convert it with .astype(float), or code its values as integers."
    elif array.dtype.kind in "iufb":
        do = "Convert it with .astype(float)."
    else:
        do = "Give numbers."
    raise DataError(f"{what} must be float64, float32, an integer type or bool in native byte order: got dtype {array.dtype}. {do}")


def _vector(values: npt.ArrayLike, what: str, rows: int | None) -> npt.NDArray[Any]:
    array = _as_array(values, what)
    if array.size == 0 and array.dtype.kind == "f":  # an empty list has no type of its own
        array = array.astype(np.int64)
    if array.ndim != 1:
        raise DataError(f"{what} must have one entry per row: got an array of shape {array.shape}. Use {what}.ravel().")
    _require_native(array, what)
    if rows is not None and len(array) != rows:
        raise DataError(f"{what} must have one entry per row: got {len(array)} entries for {rows} rows.")
    return array


def _matrix(x: npt.NDArray[Any]) -> Table:
    if x.ndim != 2:
        do = " Use x.reshape(-1, 1) for one column, x.reshape(1, -1) for one row." if x.ndim == 1 else ""
        raise DataError(f"x must be a matrix of rows × columns: got an array of shape {x.shape}.{do}")
    _require_native(x, "x")
    return Table(_core.Matrix(x), *x.shape)


def _columns(columns: Sequence[Any], valid: Sequence[npt.NDArray[np.uint8] | None] | None) -> Table:
    rows = len(columns[0]) if len(columns) else 0
    arrays = [_vector(column, f"column {j}", rows) for j, column in enumerate(columns)]
    bitmaps: list[npt.NDArray[np.uint8] | None] = [None] * len(arrays) if valid is None else list(valid)
    if len(bitmaps) != len(arrays):
        raise DataError(f"valid must have one bitmap, or None, for each of the {len(arrays)} columns: got {len(bitmaps)}.")
    for j, bitmap in enumerate(bitmaps):
        if bitmap is not None and (bitmap.dtype != np.uint8 or bitmap.ndim != 1 or len(bitmap) < (rows + 7) // 8):
            raise DataError(
                f"the validity bitmap of column {j} must be uint8 with one bit per row, {(rows + 7) // 8} bytes or more: "
                f"got {bitmap.dtype} of shape {bitmap.shape}."
            )
    return Table(_core.Columns(arrays, [b if b is None else np.ascontiguousarray(b) for b in bitmaps], rows), rows, len(arrays))


def _sparse(x: Any) -> Table:
    rows, cols = x.shape
    starts, indices, values = (_vector(array, what, None) for array, what in _parts(x))
    if len(starts) != rows + 1 or len(indices) < len(values):
        raise DataError(f"x is not a sound CSR matrix: shape {x.shape} with {len(starts)} row starts, {len(indices)} indices.")
    if not indices.dtype == starts.dtype:
        starts, indices = starts.astype(np.int64), indices.astype(np.int64)
    return Table(_core.Sparse(*map(np.ascontiguousarray, (starts, indices[: len(values)], values)), cols), rows, cols)


def _parts(x: Any) -> tuple[tuple[Any, str], ...]:
    return (x.indptr, "x.indptr"), (x.indices, "x.indices"), (x.data, "x.data")
