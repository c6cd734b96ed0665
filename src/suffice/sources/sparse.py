"""Validation of sparse matrices of any format before they are read.

SciPy does not validate its matrices: an index out of bounds, or an array that is too short, makes its conversions read
and write outside the arrays. So each array is checked here with NumPy, and only then converted to CSR.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from operator import index
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError

__all__ = ["sound_csr"]

_NATIVE = frozenset("?bBhHiIlLqQfd")
_MANY_ROWS = 1 << 24


def sound_csr(x: Any) -> Any:
    """Return the matrix as CSR, with values of a dtype that the core reads, or raise DataError.

    A valid CSR matrix of such values is returned unchanged; its duplicates are not summed.

    Parameters
    ----------
    x : sparse matrix or sparse array of SciPy, or anything else with `tocsr`
    """
    shape = tuple(x.shape)
    if len(shape) != 2:
        raise DataError(
            f"data must be 2-D, rows × columns: got a sparse array of shape {shape}. "
            "Use data.reshape(1, -1) for one row."
        )
    if min(shape) < 0:
        raise _unsound(getattr(x, "format", "") or type(x).__name__, f"the shape {shape} is invalid")
    match getattr(x, "format", ""):
        case "csr" | "csc" | "bsr" as form:
            _require_compressed(x, form)
        case "coo":
            _require_coordinates(x)
        case "dia":
            x = _sound_diagonals(x)
        case "lil":
            return sound_csr(_csr_of_lists(x))
        case "dok":
            return sound_csr(_coo_of_keys(x))
        case form:
            x = _converted(x)
            if getattr(x, "format", "") != "csr":
                raise _unsound(form or type(x).__name__, "its tocsr() does not return a CSR matrix")
            return sound_csr(x)
    if x.dtype.char not in _NATIVE or not x.dtype.isnative:
        x = x.astype(np.float64)
    return _trimmed(x) if x.format == "csr" else _converted(x)


def _trimmed(x: Any) -> Any:
    # SciPy allows entries beyond the last row, and reads them when it selects columns: it then writes outside the
    # arrays, whose sizes do not include them.
    stored = int(x.indptr[-1])
    if len(x.indices) == stored:
        return x
    return type(x)((x.data[:stored], x.indices[:stored], x.indptr), shape=x.shape)


def _unsound(form: str, why: str) -> DataError:
    return DataError(f"data is not a valid {form.upper()} matrix: {why}. Rebuild the matrix.")


def _converted(x: Any) -> Any:
    from suffice.machine import require_memory  # imports this module

    rows = int(x.shape[0])
    if rows > _MANY_ROWS:
        require_memory(f"the row pointers of {rows:,} rows", rows + 1)
    try:
        return x.tocsr()
    except (ValueError, TypeError, IndexError, OverflowError) as reason:
        raise _unsound(getattr(x, "format", "") or type(x).__name__, str(reason)) from None


def _stored_array(x: Any, name: str, form: str, ndim: int) -> npt.NDArray[Any]:
    try:
        array: Any = getattr(x, name, None)
    except (TypeError, IndexError, AttributeError):  # row and col are read from coords, which is not validated
        array = None
    if not isinstance(array, np.ndarray):
        raise _unsound(form, f"{name} must be an array: got {type(array).__name__}")
    found = cast("npt.NDArray[Any]", array)
    if hasattr(found, "mask"):
        raise _unsound(form, f"{name} must not be a masked array")
    if found.ndim != ndim:
        raise _unsound(form, f"{name} must have {ndim} dimensions: got shape {found.shape}")
    return found


def _values(x: Any, form: str, ndim: int) -> npt.NDArray[Any]:
    values = _stored_array(x, "data", form, ndim)
    _require_number_type(values.dtype)
    return values


def _require_number_type(dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "biuf":
        raise DataError(f"data must be numbers or bools: got a sparse matrix of dtype {dtype}. Convert it first.")


def _index_array(array: npt.NDArray[Any], name: str, form: str) -> npt.NDArray[Any]:
    if array.dtype.kind != "i" or array.itemsize not in (4, 8) or not array.dtype.isnative:
        raise _unsound(form, f"{name} must be int32 or int64 in native byte order: got {array.dtype.str}")
    return array


def _require_within(indices: npt.NDArray[Any], size: int, name: str, form: str) -> None:
    # As unsigned integers, negative indices exceed every size: one pass finds both errors.
    if not len(indices):
        return
    unsigned = indices.view(np.uint32 if indices.itemsize == 4 else np.uint64)
    if int(unsigned.max()) >= size:
        at = int(np.argmax(unsigned >= np.uint64(size)))
        raise _unsound(form, f"{name}[{at}] is {int(indices[at])}, but must lie in 0 … {size - 1}")


def _require_compressed(x: Any, form: str) -> None:
    rows, cols = (int(size) for size in x.shape)
    values = _values(x, form, 3 if form == "bsr" else 1)
    if form == "bsr":
        high, wide = values.shape[1:]
        if not high or not wide or rows % high or cols % wide:
            raise _unsound(form, f"blocks of shape {(high, wide)} do not fill shape {(rows, cols)}")
        rows, cols = rows // high, cols // wide
    lines, size = (cols, rows) if form == "csc" else (rows, cols)
    starts = _index_array(_stored_array(x, "indptr", form, 1), "indptr", form)
    indices = _index_array(_stored_array(x, "indices", form, 1), "indices", form)
    if len(starts) != lines + 1:
        raise _unsound(form, f"indptr must have length {lines + 1}: got {len(starts)}")
    if starts[0] != 0:
        raise _unsound(form, f"indptr must start at 0: got {int(starts[0])}")
    falls = starts[1:] < starts[:-1]
    if falls.any():
        raise _unsound(form, f"indptr decreases at {int(np.argmax(falls)) + 1}")
    stored = int(starts[-1])
    if len(indices) != len(values) or stored > len(indices):
        raise _unsound(form, f"indptr ends at {stored}, indices has {len(indices)} entries and data has {len(values)}")
    _require_within(indices[:stored], size, "indices", form)


def _require_coordinates(x: Any) -> None:
    values = _values(x, "coo", 1)
    for name, size in (("row", int(x.shape[0])), ("col", int(x.shape[1]))):
        places = _index_array(_stored_array(x, name, "coo", 1), name, "coo")
        if len(places) != len(values):
            raise _unsound("coo", f"{name} has {len(places)} entries, but data has {len(values)}")
        _require_within(places, size, name, "coo")


def _sound_diagonals(x: Any) -> Any:
    rows, cols = (int(size) for size in x.shape)
    values = _values(x, "dia", 2)
    offsets = _index_array(_stored_array(x, "offsets", "dia", 1), "offsets", "dia")
    if len(offsets) != len(values):
        raise _unsound("dia", f"offsets has {len(offsets)} entries, but data has {len(values)} rows")
    if len(set(offsets.tolist())) != len(offsets):
        raise _unsound("dia", "an offset appears more than once")
    inside = (offsets > -rows) & (offsets < cols)  # SciPy allows diagonals outside the matrix
    return x if inside.all() else type(x)((values[inside], offsets[inside]), shape=x.shape)


def _csr_of_lists(x: Any) -> Any:
    from scipy.sparse import csr_array

    _require_number_type(x.dtype)
    rows = cast("Sequence[Sequence[Any]]", _stored_array(x, "rows", "lil", 1).tolist())
    values = cast("Sequence[Sequence[Any]]", _stored_array(x, "data", "lil", 1).tolist())
    if not len(rows) == len(values) == int(x.shape[0]):
        raise _unsound("lil", f"it has shape {x.shape}, {len(rows)} lists of columns and {len(values)} of values")
    starts = np.zeros(len(rows) + 1, dtype=np.int64)
    try:
        for row, (places, cells) in enumerate(zip(rows, values, strict=True)):
            if len(places) != len(cells):
                raise _unsound("lil", f"row {row} has {len(places)} columns but {len(cells)} values")
            starts[row + 1] = len(places)
        np.cumsum(starts, out=starts)
        stored = int(starts[-1])
        indices = np.fromiter(map(index, chain.from_iterable(rows)), dtype=np.int64, count=stored)
        cells = np.fromiter(chain.from_iterable(values), dtype=x.dtype, count=stored)
    except (TypeError, OverflowError, ValueError) as reason:
        if isinstance(reason, DataError):
            raise
        raise _unsound("lil", str(reason)) from None
    _require_within(indices, int(x.shape[1]), "a column", "lil")
    return csr_array((cells, indices, starts), shape=x.shape)


def _coo_of_keys(x: Any) -> Any:
    from scipy.sparse import coo_array

    _require_number_type(x.dtype)
    cells = cast("dict[tuple[Any, Any], Any]", dict(x.items()))
    places = np.zeros((2, len(cells)), dtype=np.int64)
    try:
        for at, (row, column) in enumerate(cells):
            places[:, at] = index(row), index(column)
        values = np.fromiter(cells.values(), dtype=x.dtype, count=len(cells))
    except (TypeError, OverflowError, ValueError) as reason:
        raise _unsound("dok", str(reason)) from None
    for name, size, along in zip(("a row", "a column"), x.shape, places, strict=True):
        _require_within(along, int(size), name, "dok")
    return coo_array((values, (places[0], places[1])), shape=x.shape)
