"""Arrays of statistics: validated, read-only and C-contiguous, with a fixed dtype and shape.

A statistic must not change after it is made, so an input array is shared only if no other code can write to its memory:
it is a plain ndarray of the right dtype and layout whose memory is

    its own and read-only, an immutable bytes object, a buffer of the native core, or a read-only array of these kinds

and it is copied otherwise (a read-only view of a writable array, a subclass, another library's buffer). A caller that
makes an array read-only and passes it on must not make it writable again.

Only numbers are accepted. Text, dates, complex numbers, objects and masked entries are errors even where NumPy would
convert them; a masked entry is unknown, so there is nothing to add. Errors name the position of the offending value.

The module also has helpers for totals that may exceed the largest float and the check of the scale factor (decay).
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError, ParameterError
from suffice.statistics.labels import Label

__all__ = [
    "BoolArray",
    "FloatArray",
    "IntArray",
    "KeyArray",
    "Where",
    "check_factor",
    "first_true",
    "format_total",
    "freeze",
    "has_masked",
    "name_entries",
    "require_domain",
    "require_stored",
    "rescale",
    "seal",
]


def has_masked(values: object) -> bool:
    """Return whether any entry of an array, or of the arrays in a list, is masked.

    Examples
    --------
    >>> has_masked(np.ma.array([1, 2], mask=[False, True])), has_masked(np.ma.array([1, 2])), has_masked([1, 2])
    (True, False, False)
    """
    if isinstance(values, np.ma.MaskedArray):
        return bool(np.ma.is_masked(cast("Any", values)))
    return isinstance(values, (list, tuple)) and any(map(has_masked, cast("Sequence[object]", values)))


FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
KeyArray: TypeAlias = npt.NDArray[np.uint64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

Where: TypeAlias = "Callable[[tuple[int, ...]], str]"  # describes an entry by its index: "class 'a', column 'age'"

_INFINITY = float("inf")
_ALLOWED = {"f": "iuf", "i": "iuf", "u": "iuf", "b": "b"}  # target dtype kind: source dtype kinds that convert to it
_KIND_NAMES = {
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


def freeze(
    what: str, values: npt.ArrayLike, shape: tuple[int, ...] | None, dtype: npt.DTypeLike = np.float64
) -> npt.NDArray[Any]:
    """Return the values as a read-only, C-contiguous array of that shape and dtype; copy them unless sharing is safe.

    A shape of None means one dimension of any length.
    """
    if type(values) is np.ndarray:
        array = cast("npt.NDArray[Any]", values)
        fits = array.ndim == 1 if shape is None else array.shape == shape
        if fits and array.dtype == dtype and array.flags.c_contiguous and _is_immutable(array):
            return array
    kind, wanted = np.dtype(dtype), "one dimension" if shape is None else f"shape {shape}"
    if has_masked(values):
        raise DataError(
            f"{what} must have no masked entries: got {_abbreviated(values)}. "
            "Fill them first, for example with values.filled(0)."
        )
    try:
        raw = np.asarray(values)
        wrong_kind = _KIND_NAMES.get(raw.dtype.kind) if raw.size and raw.dtype.kind not in _ALLOWED[kind.kind] else None
        with np.errstate(invalid="ignore", over="ignore"):
            copy = raw.astype(kind, order="C", subok=False) if wrong_kind is None else np.zeros(0)
        same = wrong_kind is None and (copy.dtype == np.float64 or np.array_equal(copy, raw))
    except (TypeError, ValueError, OverflowError):
        wrong_kind, same, copy = None, False, np.zeros(0)
    if not same:
        got = f"{wrong_kind}, {_abbreviated(values)}" if wrong_kind else _abbreviated(values)
        entry = "True or False" if kind.kind == "b" else "one number"
        raise DataError(f"{what} must be {kind} of {wanted}: got {got}. Pass {entry} for each label.")
    if copy.ndim != 1 if shape is None else copy.shape != shape:
        raise DataError(f"{what} must have {wanted}: got shape {copy.shape}. Pass one entry for each label.")
    return seal(copy)


def seal(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Make a newly created array read-only, so that it can be stored without a copy."""
    array.flags.writeable = False
    return array


def require_stored(
    arrays: Mapping[str, npt.NDArray[Any]], name: str, dtype: npt.DTypeLike, ndim: int
) -> npt.NDArray[Any]:
    """Return one array of a stored statistic; raise DataError if it is missing or has another dtype or rank."""
    array = cast("object", arrays.get(name))
    if array is None:
        raise DataError(
            f"{name} is missing from the stored arrays. The stored statistics are damaged: write them again."
        )
    if not isinstance(array, np.ndarray):
        raise DataError(f"{name} must be an array: got {_abbreviated(array)}. Pass the arrays returned by to_arrays.")
    array = cast("npt.NDArray[Any]", array)
    if array.dtype != dtype or array.ndim != ndim:
        raise DataError(
            f"{name} must be {np.dtype(dtype)} with {ndim} dimensions: got {array.dtype} with {array.ndim}. "
            "The stored statistics are damaged: write them again."
        )
    return array


def require_domain(what: str, values: FloatArray, where: Where, do: str, *, negative: bool = False) -> None:
    """Raise DataError for the first value that is not finite, or negative unless `negative` values are allowed."""
    # min and max propagate NaN, and every comparison with NaN is false.
    if values.size == 0:
        return
    lowest, highest = float(values.min()), float(values.max())
    if (lowest > -_INFINITY if negative else lowest >= 0) and highest < _INFINITY:
        return
    index = first_true(~np.isfinite(values) if negative else ~(np.isfinite(values) & (values >= 0)))
    domain = "finite" if negative else "finite and ≥ 0"
    raise DataError(f"{what} must be {domain}: {where(index)} has {float(values[index])!r}. {do}")


def first_true(where: BoolArray) -> tuple[int, ...]:
    """Return the indices of the first true entry."""
    return tuple(int(i) for i in np.argwhere(where)[0])


def name_entries(*dimensions: tuple[str, Sequence[Label]]) -> Where:
    """Return a function that describes an entry by its index, given the name and the labels of each dimension."""
    return lambda index: ", ".join(f"{what} {labels[i]!r}" for i, (what, labels) in zip(index, dimensions, strict=True))


def _is_immutable(array: npt.NDArray[Any]) -> bool:
    base: Any = array
    while type(base) is np.ndarray:
        if base.flags.writeable:
            return False
        base = cast("Any", base.base)
    if isinstance(base, memoryview):  # arrays from the native core are buffers of a nanobind array
        return type(cast("object", base.obj)).__module__ == "nanobind"
    return base is None or type(base) is bytes


def _abbreviated(values: object) -> str:
    return reprlib.repr(values)


def format_total(*parts: FloatArray) -> str:
    """Return the sum of all entries as text, also where it overflows.

    Examples
    --------
    >>> format_total(np.array([1.5, 2.25])), format_total(np.array([1e6, 2e6])), format_total(np.array([1e308, 1e308]))
    ('3.75', '3,000,000', 'above 1.79769e+308')
    """
    with np.errstate(over="ignore"):
        total = float(sum(float(part.sum()) for part in parts))
    if not math.isfinite(total):
        return f"above {np.finfo(np.float64).max:g}"
    return f"{total:,.0f}" if abs(total) < 1e15 and total == int(total) else f"{total:,g}"


def rescale(weights: FloatArray) -> FloatArray:
    """Rescale weights ≥ 0 by a common factor, so that sums and products of sums do not overflow.

    Weights are unchanged unless the largest lies outside 2^±400; then a power of two brings it into [1, 2).

    Examples
    --------
    >>> rescale(np.array([1e308, 5e307])).round(2)
    array([1.11, 0.56])
    """
    greatest = float(weights.max(initial=0.0))
    if greatest == 0 or 2.0**-400 <= greatest <= 2.0**400:
        return weights
    return np.ldexp(weights, 1 - math.frexp(greatest)[1])


def check_factor(w: float) -> float:
    """Return the scale factor as a float; raise ParameterError if it is negative or not finite."""
    try:
        factor = float(w)
    except (TypeError, ValueError):
        raise ParameterError(f"the scale factor must be a number ≥ 0: got {w!r}.") from None
    if not (factor >= 0 and math.isfinite(factor)):
        raise ParameterError(
            f"the scale factor must be finite and ≥ 0: got {factor!r}. To remove data, subtract its statistic."
        )
    return factor
