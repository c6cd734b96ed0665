"""Arrays as a statistic keeps them: of one dtype, C-contiguous, read-only, of the right shape, values in their domain.

Nobody who holds the original may change the statistic, so an array is shared only where nobody else can write through
it: a plain ndarray, already as above, whose memory is

    its own, immutable bytes, a buffer that the native core handed over, or that of a read-only array of these kinds

and copied otherwise (a read-only view of a writable array, a subclass, somebody else's buffer). Who makes an array
read-only and hands it over gives it away. Only numbers count: text, dates, complex numbers and objects are refused even
where NumPy would convert them, and so is a masked entry. A value outside its domain is an error that says where it
stands.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError
from suffice.statistics.labels import Label
from suffice.statistics.masked import has_masked

__all__ = [
    "BoolArray",
    "FloatArray",
    "IntArray",
    "KeyArray",
    "Where",
    "first",
    "frozen",
    "named",
    "require",
    "sealed",
    "stored",
]

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
KeyArray: TypeAlias = npt.NDArray[np.uint64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

Where: TypeAlias = "Callable[[tuple[int, ...]], str]"  # says where an entry stands: "class 'a', column 'age'"

_INFINITY = float("inf")
_ALLOWED = {"f": "iuf", "i": "iuf", "u": "iuf", "b": "b"}  # of what is wanted: what it may be read from
_FOUND = {
    "U": "text",
    "S": "bytes",
    "T": "text",
    "M": "dates",
    "m": "durations",
    "O": "objects",
    "V": "records",
    "c": "complex numbers",
    "b": "booleans",
    "i": "whole numbers",
    "u": "whole numbers",
    "f": "numbers",
}


def frozen(
    what: str, values: npt.ArrayLike, shape: tuple[int, ...] | None, dtype: npt.DTypeLike = np.float64
) -> npt.NDArray[Any]:
    """Return the values as a read-only C-contiguous array of that shape and dtype, copying unless they can be shared.

    The shape None stands for one dimension of any length.
    """
    if type(values) is np.ndarray:
        array = cast("npt.NDArray[Any]", values)
        fits = array.ndim == 1 if shape is None else array.shape == shape
        if fits and array.dtype == dtype and array.flags.c_contiguous and _nobody_else_writes(array):
            return array
    kind, wanted = np.dtype(dtype), "one dimension" if shape is None else f"shape {shape}"
    if has_masked(values):
        raise DataError(
            f"{what} must have no masked entries: got {_shown(values)}. "
            "Fill them with what was seen, for example values.filled(0)."
        )
    try:
        raw = np.asarray(values)
        found = _FOUND.get(raw.dtype.kind) if raw.size and raw.dtype.kind not in _ALLOWED[kind.kind] else None
        with np.errstate(invalid="ignore", over="ignore"):
            copy = raw.astype(kind, order="C", subok=False) if found is None else np.zeros(0)
        same = found is None and (copy.dtype == np.float64 or np.array_equal(copy, raw))
    except (TypeError, ValueError, OverflowError):
        found, same, copy = None, False, np.zeros(0)
    if not same:
        got = f"{found}, {_shown(values)}" if found else _shown(values)
        each = "True or False" if kind.kind == "b" else "one number"
        raise DataError(f"{what} must be {kind} of {wanted}: got {got}. Give {each} for each label.")
    if copy.ndim != 1 if shape is None else copy.shape != shape:
        raise DataError(f"{what} must have {wanted}: got shape {copy.shape}. Give one entry for each label.")
    return sealed(copy)


def sealed(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Make a fresh array read-only, so that it can be kept without a copy."""
    array.flags.writeable = False
    return array


def stored(arrays: Mapping[str, npt.NDArray[Any]], name: str, dtype: npt.DTypeLike, ndim: int) -> npt.NDArray[Any]:
    """Return one array of a stored statistic, or raise DataError when it is absent or of another dtype or rank."""
    array = cast("object", arrays.get(name))
    if array is None:
        raise DataError(f"{name} is not among the stored arrays. The stored statistics are damaged: write them again.")
    if not isinstance(array, np.ndarray):
        raise DataError(f"{name} must be an array: got {_shown(array)}. Give the arrays that to_arrays wrote.")
    array = cast("npt.NDArray[Any]", array)
    if array.dtype != dtype or array.ndim != ndim:
        raise DataError(
            f"{name} must be {np.dtype(dtype)} with {ndim} dimensions: got {array.dtype} with {array.ndim}. "
            "The stored statistics are damaged: write them again."
        )
    return array


def require(what: str, values: FloatArray, where: Where, do: str, *, negative: bool = False) -> None:
    """Raise DataError at the first value that is not finite, or is below zero unless negative ones are allowed."""
    # min and max carry a NaN through, and no comparison with NaN holds.
    if values.size == 0:
        return
    lowest, highest = float(values.min()), float(values.max())
    if (lowest > -_INFINITY if negative else lowest >= 0) and highest < _INFINITY:
        return
    at = first(~np.isfinite(values) if negative else ~(np.isfinite(values) & (values >= 0)))
    domain = "finite" if negative else "finite and ≥ 0"
    raise DataError(f"{what} must be {domain}: {where(at)} has {float(values[at])!r}. {do}")


def first(where: BoolArray) -> tuple[int, ...]:
    """Return the indices of the first true entry."""
    return tuple(int(i) for i in np.argwhere(where)[0])


def named(*dimensions: tuple[str, Sequence[Label]]) -> Where:
    """Return what says where an entry stands, given what the entries of each dimension are and their labels."""
    return lambda at: ", ".join(f"{what} {labels[i]!r}" for i, (what, labels) in zip(at, dimensions, strict=True))


def _nobody_else_writes(array: npt.NDArray[Any]) -> bool:
    base: Any = array
    while type(base) is np.ndarray:
        if base.flags.writeable:
            return False
        base = cast("Any", base.base)
    if isinstance(base, memoryview):  # what the native core hands over comes as the buffer of a nanobind array
        return type(cast("object", base.obj)).__module__ == "nanobind"
    return base is None or type(base) is bytes


def _shown(values: object) -> str:
    return reprlib.repr(values)
