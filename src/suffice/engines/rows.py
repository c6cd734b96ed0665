"""Views of rows for the native core: validated, and not copied if dtype and layout allow it.

A table of numbers is a 2-D array (float64, float32, any integer, bool; C or F order, strided), a scipy sparse matrix
(absent cells are 0, a stored NaN is missing), or a sequence of 1-D columns of one length. Errors of the core become
DataErrors that name the row and the column (`translate_invalid_input`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias, cast, final

import numpy as np
import numpy.typing as npt

from suffice import _core
from suffice._core import FlawError
from suffice.errors import DataError, Wording, counted
from suffice.sources.column import bitmap_of
from suffice.sources.sparse import sound_csr
from suffice.statistics import Axis
from suffice.statistics.axis import columns_of

__all__ = [
    "ClassView",
    "Dense",
    "NumberView",
    "Rows",
    "Valid",
    "axis_of",
    "columns_for",
    "dense_of",
    "translate_invalid_input",
    "view_classes",
    "view_numbers",
]

Rows: TypeAlias = "npt.ArrayLike | Sequence[npt.NDArray[Any]]"
Dense: TypeAlias = "_core.Matrix | _core.Columns"
Bitmap: TypeAlias = "npt.NDArray[np.uint8]"
Valid: TypeAlias = "Sequence[Bitmap | None] | None"

_NATIVE = frozenset(map(np.dtype, "?bBhHiIlLqQfd"))


class NumberView(NamedTuple):
    """A view of the rows and their shape."""

    view: Dense | _core.Sparse
    rows: int
    cols: int


class ClassView(NamedTuple):
    """The class of each row. `positions[k]` is the position of code k on the axis; None if codes are positions."""

    labels: _core.Labels
    classes: Axis
    positions: npt.NDArray[np.int64] | None
    size: int
    """The number of classes."""

    def ordered(self, by_code: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return an array whose first dimension follows the axis, given one that follows the codes."""
        if self.positions is None:
            return by_code
        moved = np.empty_like(by_code)
        moved[self.positions] = by_code
        return moved


def view_numbers(x: Any, valid: Valid = None) -> NumberView:
    """Return a view of a matrix, a sparse matrix, or separate columns with their validity bitmaps."""
    if hasattr(x, "tocsr"):
        if valid is not None:
            raise DataError("valid cannot be combined with a sparse matrix. Store NaN for missing cells.")
        return _view_sparse(x)
    if isinstance(x, (list, tuple)) and any(isinstance(column, np.ndarray) for column in cast("list[Any]", x)):
        return _view_columns(cast("Sequence[Any]", x), valid)
    if valid is not None:
        raise DataError("valid requires a list of columns: x is a matrix. Use NaN for missing cells.")
    return _view_matrix(_as_array(x, "x"))


def dense_of(x: Any, what: str, valid: Valid = None) -> tuple[Dense, int, int]:
    """Return a dense view, or raise DataError that `what` needs one."""
    view, rows, cols = view_numbers(x, valid)
    if isinstance(view, _core.Sparse):
        raise DataError(
            f"{what} need a dense matrix or columns: got a sparse matrix of shape ({rows}, {cols}). Use x.toarray()."
        )
    return view, rows, cols


def view_classes(
    codes: npt.ArrayLike | ClassView,
    classes: Axis | Iterable[object],
    weights: npt.ArrayLike | None,
    rows: int | None,
) -> ClassView:
    """Return a view of the class of each row, validated against the number of rows; a view is returned as it is.

    `classes` names the class of each code: labels in the order of the codes, or an Axis whose positions are the codes.
    """
    if isinstance(codes, ClassView):
        return codes
    given, hidden = _number_vector(codes, "codes", rows)
    if given.dtype.kind not in "iub":
        raise DataError(f"codes must be integers (0 for the first class, -1 to ignore a row): got dtype {given.dtype}.")
    if hidden is not None:
        given = np.where(hidden, -1, given.astype(np.int64))
    if weights is not None:
        weights, hidden = _number_vector(weights, "weights", len(given))
        if hidden is not None:
            row = int(np.argmax(hidden))
            raise DataError(
                "weights must not be masked",
                kind="bad_weight",
                row=row,
                advice="Give it a weight, or 0 to ignore the row.",
            )
    axis, positions = axis_of(classes, "classes")
    size = len(axis.labels)
    return ClassView(_core.Labels(given, size, weights), axis, positions, size)


def axis_of(labels: Axis | Iterable[object], what: str) -> tuple[Axis, npt.NDArray[np.int64] | None]:
    """Return the axis of labels, and the position of each on it; None if they are in order."""
    if isinstance(labels, Axis):
        return labels, None
    try:
        names = list(labels)
    except TypeError:
        raise DataError(f"{what} must be a list of labels in code order, or an Axis: got {labels!r}.") from None
    axis = Axis.of(names)
    positions = axis.positions(names)
    return axis, None if (positions == np.arange(len(names))).all() else positions


def columns_for(columns: object, cols: int) -> tuple[str | int, ...] | int:
    """Return the names of the columns, one each, or their number."""
    if columns is None or (isinstance(columns, tuple) and columns[:1] == (0,) and columns is columns_of(cols)):
        return cols
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise DataError(f"columns must be the names of the {cols} columns of x: got {columns!r}.")
    names = tuple(cast("Iterable[str | int]", columns))  # the statistic validates them
    if len(names) != cols:
        raise DataError(f"columns must name each of the {cols} columns of x: got {len(names)} names.")
    return names


def _as_array(values: Any, what: str) -> npt.NDArray[Any]:
    try:
        masked = isinstance(values, np.ma.MaskedArray)
        return cast("npt.NDArray[Any]", values) if masked else np.asarray(values)
    except (TypeError, ValueError) as error:
        kind = type(cast("object", values)).__name__
        raise DataError(f"{what} must be an array of numbers: got {kind} ({error}).") from None


def _require_native(array: npt.NDArray[Any], what: str) -> None:
    if array.dtype in _NATIVE:
        return
    if array.dtype.kind == "O":
        do = "Convert it with .astype(float), or code its values as integers."
    elif array.dtype.kind in "iufb":
        do = "Convert it with .astype(float)."
    else:
        do = "Give numbers."
    raise DataError(
        f"{what} must be float64, float32, an integer type or bool in native byte order: got dtype {array.dtype}. {do}"
    )


def _aligned(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an array whose strides are multiples of its items; only a field of packed records is copied."""
    return array if all(stride % array.itemsize == 0 for stride in array.strides) else array.copy()


def _number_vector(values: Any, what: str, rows: int | None) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_] | None]:
    """Return a vector of numbers and, for a masked array, its mask."""
    array = _as_array(values, what)
    if array.size == 0 and array.dtype.kind == "f" and not isinstance(values, np.ndarray):  # an empty list has no dtype
        array = array.astype(np.int64)
    if array.ndim != 1:
        raise DataError(f"{what} must have one entry per row: got an array of shape {array.shape}. Use {what}.ravel().")
    _require_native(array, what)
    if rows is not None and len(array) != rows:
        raise DataError(f"{what} must have one entry per row: got {len(array)} entries for {counted(rows, 'row')}.")
    mask = np.ma.getmaskarray(array) if np.ma.is_masked(array) else None
    return _aligned(np.asarray(np.ma.getdata(array))), mask


def _view_matrix(x: npt.NDArray[Any]) -> NumberView:
    if x.ndim != 2:
        do = " Use x.reshape(-1, 1) for one column, x.reshape(1, -1) for one row." if x.ndim == 1 else ""
        raise DataError(f"x must be a matrix of rows × columns: got an array of shape {x.shape}.{do}")
    _require_native(x, "x")
    if type(x) is np.ndarray and (x.flags.c_contiguous or x.flags.f_contiguous):
        return NumberView(_core.Matrix(x), *x.shape)
    if np.ma.is_masked(x):  # masked cells are missing
        mask = np.ma.getmaskarray(x)
        plain = np.asarray(np.ma.getdata(x))
        return _view_columns(
            [plain[:, j] for j in range(x.shape[1])], [bitmap_of(mask[:, j]) for j in range(x.shape[1])]
        )
    return NumberView(_core.Matrix(_aligned(np.asarray(np.ma.getdata(x)))), *x.shape)


def _view_columns(columns: Sequence[Any], valid: Valid) -> NumberView:
    for j, column in enumerate(columns):
        if not isinstance(column, np.ndarray):
            raise DataError(
                f"columns must be 1-D arrays: column {j} is a {type(column).__name__}. "
                "Convert it with np.asarray, or give rows as one 2-D array."
            )
    rows = len(columns[0])
    bitmaps: list[Bitmap | None] = [None] * len(columns)
    if valid is not None:
        if not isinstance(valid, (list, tuple)) or len(valid) != len(columns):
            got = len(valid) if isinstance(valid, (list, tuple)) else type(valid).__name__
            raise DataError(f"valid must have one bitmap, or None, for each of the {len(columns)} columns: got {got}.")
        bitmaps = [None if bitmap is None else _checked_bitmap(bitmap, j, rows) for j, bitmap in enumerate(valid)]
    arrays: list[npt.NDArray[Any]] = []
    for j, column in enumerate(columns):
        plain = type(column) is np.ndarray and column.dtype in _NATIVE and column.shape == (rows,)
        if plain and column.strides[0] % column.itemsize == 0:
            arrays.append(column)
            continue
        array, mask = _number_vector(column, f"column {j}", rows)
        arrays.append(array)
        if mask is not None:
            bitmap = bitmaps[j]
            bitmaps[j] = bitmap_of(mask) if bitmap is None else bitmap_of(mask) & bitmap[: (rows + 7) // 8]
    return NumberView(_core.Columns(arrays, bitmaps, rows), rows, len(arrays))


def _checked_bitmap(bitmap: Any, j: int, rows: int) -> Bitmap:
    array = np.asarray(bitmap)
    if array.dtype != np.uint8 or array.ndim != 1 or len(array) < (rows + 7) // 8:
        raise DataError(
            f"the validity bitmap of column {j} must be uint8 with one bit per row, {(rows + 7) // 8} bytes or more: "
            f"got {array.dtype} of shape {array.shape}."
        )
    return np.ascontiguousarray(array)


def _view_sparse(x: Any) -> NumberView:
    if len(x.shape) != 2:
        raise DataError(
            f"x must be a matrix of rows × columns: got a sparse array of shape {x.shape}. Use x.reshape(1, -1)."
        )
    x = x if getattr(x, "format", "") == "csr" else sound_csr(x)
    rows, cols = x.shape
    starts, indices, values = (_number_vector(array, what, None)[0] for array, what in _csr_arrays(x))
    for array, what in ((starts, "x.indptr"), (indices, "x.indices")):
        if array.dtype.char not in "ilq" or array.itemsize not in (4, 8):
            raise DataError(
                f"x is not a valid CSR matrix: {what} must be int32 or int64, got {array.dtype}. Build x again."
            )
    if len(starts) != rows + 1 or len(indices) < len(values):
        raise DataError(
            f"x is not a valid CSR matrix: shape {x.shape} with {len(starts)} row starts, {len(indices)} indices."
        )
    starts, indices, values = map(np.ascontiguousarray, (starts, indices[: len(values)], values))
    return NumberView(_core.Sparse(starts, indices, values, cols), rows, cols)


def _csr_arrays(x: Any) -> tuple[tuple[Any, str], ...]:
    return (x.indptr, "x.indptr"), (x.indices, "x.indices"), (x.data, "x.data")


class _Kind(NamedTuple):
    # `known` lists the fields that the core reports: the row (r), the column (c), the value (v).
    problem: str
    advice: str
    known: str = ""


_UNSOUND = "Check the matrix with x.check_format()."
_KINDS = {
    "class_out_of_range": _Kind(
        "class codes must {range}be -1 to ignore a row", "Add the missing class, or remove the row.", "rv"
    ),
    "bad_weight": _Kind("weights must be finite and ≥ 0", "Remove the row; to subtract rows, use {forget}.", "rv"),
    "infinite": _Kind(
        "values must be finite, or NaN if missing",
        "Replace it, or use {histogram}, which accepts ±inf.",
        "rcv",
    ),
    "weight_overflow": _Kind("the sum of the weights of class {column} overflows", "Scale the weights down."),
    "overflow": _Kind(
        "the sums overflow float64: the values are too large",
        "Rescale the column, or use {histogram}.",
        "c",
    ),
    "negative": _Kind("counts must be ≥ 0", "Use {numeric} if the column does not hold counts.", "rcv"),
    "level_out_of_range": _Kind(
        "level codes must {range}be -1 if missing", "Add the missing level, or use the code -1.", "rcv"
    ),
    "bad_count": _Kind("counts must be finite and ≥ 0, or NaN if missing", "Replace it, or use {numeric}.", "rcv"),
    "not_whole": _Kind("Poisson counts must be integers", "Round it, or use {numeric}.", "rcv"),
    "undefined": _Kind(
        "log p(c, x) overflows float64: a value, weight or prior parameter is too large",
        "Rescale the columns or the weights, or give another prior.",
        "r",
    ),
    "bad_index": _Kind("invalid CSR matrix: stored entry {column} has a column index out of range", _UNSOUND, "rv"),
    "bad_starts": _Kind("invalid CSR matrix: indptr decreases, or exceeds the number of entries", _UNSOUND, "rv"),
}
_WHOLE = frozenset(("class_out_of_range", "level_out_of_range", "bad_index", "bad_starts"))


@final
class translate_invalid_input:  # noqa: N801 - used as a statement; a class, because one row is scored in microseconds
    """A context in which an error of the core becomes a DataError.

    Parameters
    ----------
    columns : sequence of names, or int
        The columns that the core counts from 0.
    classes : int
        Number of classes.
    sizes : sequence of int
        Number of levels of each column, if the core is given level codes.
    """

    __slots__ = ("_classes", "_columns", "_sizes")

    def __init__(self, columns: Sequence[str | int] | int, classes: int, sizes: Sequence[int] = ()) -> None:
        self._columns, self._classes, self._sizes = columns, classes, sizes

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, FlawError):
            raise self._error(*error.args) from None

    def _error(self, kind: str, row: int, column: int, value: float) -> DataError:
        columns, sizes = self._columns, self._sizes
        problem, advice, known = _KINDS[kind]
        size = self._classes if kind == "class_out_of_range" else sizes[column] if column < len(sizes) else 0
        name = column if isinstance(columns, int) or column >= len(columns) else columns[column]

        def advise(words: Wording) -> str:
            histogram, numeric = (words.column(name, kind) for kind in ("Histogram", "Numeric"))
            return advice.format(forget=words.verb("forget"), histogram=histogram, numeric=numeric)

        where: dict[str, Any] = {}
        if "r" in known:
            where["row"] = row
        if "c" in known:
            where["column"] = name
        if "v" in known:
            where["got"] = int(value) if kind in _WHOLE else value
        span = f"be from 0 to {size - 1}, or " if size else ""
        return DataError(problem.format(range=span, column=column), kind=kind, advice=advise, **where)
