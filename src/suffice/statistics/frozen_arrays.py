"""Arrays as a statistic keeps them: of one dtype, C-contiguous, read-only, of the right shape, values in their domain.

An array that is already so is shared, not copied; any other is copied, so that nobody who holds the original can change
the statistic. A value outside its domain is an error that says where it stands.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError
from suffice.statistics.labels import Label

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


def frozen(
    what: str, values: npt.ArrayLike, shape: tuple[int, ...] | None, dtype: npt.DTypeLike = np.float64
) -> npt.NDArray[Any]:
    """Return the values as a read-only C-contiguous array of that shape and dtype, copying only when they are not.

    The shape None stands for one dimension of any length.
    """
    if isinstance(values, np.ndarray):
        array = cast("npt.NDArray[Any]", values)
        fits = array.ndim == 1 if shape is None else array.shape == shape
        if fits and array.dtype == dtype and array.flags.c_contiguous and not array.flags.writeable:
            return array
    wanted = "one dimension" if shape is None else f"shape {shape}"
    try:
        with np.errstate(invalid="ignore"):
            copy = np.array(values, dtype=dtype, order="C")
        same = copy.dtype == np.float64 or np.array_equal(copy, cast("Any", values))
    except (TypeError, ValueError, OverflowError):
        same, copy = False, np.zeros(0)
    if not same:
        got = reprlib.repr(cast("Any", values))
        raise DataError(f"{what} must be {np.dtype(dtype)} of {wanted}: got {got}. Give one number for each label.")
    if copy.ndim != 1 if shape is None else copy.shape != shape:
        raise DataError(f"{what} must have {wanted}: got shape {copy.shape}. Give one entry for each label.")
    return sealed(copy)


def sealed(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Make a fresh array read-only, so that it can be kept without a copy."""
    array.flags.writeable = False
    return array


def stored(arrays: Mapping[str, npt.NDArray[Any]], name: str, dtype: npt.DTypeLike, ndim: int) -> npt.NDArray[Any]:
    """Return one array of a stored statistic, or raise DataError when it is absent or of another dtype or rank."""
    array = arrays.get(name)
    if array is None:
        raise DataError(f"{name} is not among the stored arrays. The stored statistics are damaged: write them again.")
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
