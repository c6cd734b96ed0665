"""What a caller hands to a conjugate model, as checked float64 arrays.

    parameter      of a prior: finite, in its domain, kept read-only               otherwise ParameterError
    statistic      counts, weights, sums: finite (and ≥ 0 where it says so)        otherwise DataError
    observations   raw values: finite, NaN or masked = missing                     otherwise DataError
    argument       a point at which a density is asked for                         otherwise ParameterError

Positive parameters lie in [1e-300, 1e300]: inside it no product or quotient of this room leaves float64 by accident,
and a prior count beyond it says nothing that the bound does not say.
"""

from __future__ import annotations

import numbers
import reprlib
from collections.abc import Sequence
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError, ParameterError, SufficeError
from suffice.statistics.masked import has_masked

__all__ = [
    "GREATEST",
    "LEAST",
    "FloatArray",
    "Reals",
    "argument",
    "broadcast",
    "counting",
    "generator",
    "is_real",
    "nonnegative",
    "observations",
    "one_form",
    "option",
    "parameter",
    "plain",
    "positive",
    "require",
    "whole",
]

FloatArray: TypeAlias = npt.NDArray[np.float64]
Reals: TypeAlias = np.float64 | FloatArray  # a scalar where the model is one, an array of its leading shape otherwise

LEAST, GREATEST = 1e-300, 1e300


def positive(name: str, value: npt.ArrayLike) -> FloatArray:
    """Return a prior's positive parameter as a read-only array."""
    array = parameter(name, value)
    require(
        (array >= LEAST) & (array <= GREATEST),
        array,
        f"{name} must be > 0 (from 1e-300 to 1e300)",
        "Give a positive number.",
    )
    return array


def parameter(name: str, value: npt.ArrayLike) -> FloatArray:
    """Return a prior's finite parameter as a read-only array."""
    array = _numbers(name, value, ParameterError)
    require(np.abs(array) <= GREATEST, array, f"{name} must be finite (at most 1e300 in size)", "Give a finite number.")
    array = array.copy()
    array.flags.writeable = False
    return array


def argument(name: str, value: npt.ArrayLike) -> FloatArray:
    """Return the point at which a density or distribution is asked for; it may be infinite but not NaN."""
    array = _numbers(name, value, ParameterError)
    require(~np.isnan(array), array, f"{name} must be a number", "Leave missing values out: they add nothing.")
    return array


def nonnegative(name: str, value: npt.ArrayLike, do: str = "Give counts or sums of weights.") -> FloatArray:
    """Return a statistic that is a count, a weight or a sum of such."""
    array = _numbers(name, value, DataError)
    good = (array >= 0) & (array <= GREATEST)
    require(good, array, f"{name} must be finite and ≥ 0", do, DataError)
    return array


def counting(name: str, value: npt.ArrayLike) -> FloatArray:
    """Return whole numbers ≥ 0 at which a probability is asked for."""
    array = _numbers(name, value, ParameterError)
    good = (array >= 0) & (array <= GREATEST) & (np.floor(array) == array)
    require(good, array, f"{name} must be whole numbers ≥ 0", "Give counts.")
    return array


def observations(name: str, value: npt.ArrayLike, axes: int = 1) -> FloatArray:
    """Return raw values, NaN where they are missing, with at least so many axes."""
    mask: npt.NDArray[np.bool_] | None = None
    if isinstance(value, np.ma.MaskedArray):
        masked: Any = value  # pyright: ignore[reportUnknownVariableType]
        mask, value = np.ma.getmaskarray(masked), np.ma.getdata(masked)
    array = _numbers(name, value, DataError, booleans=True)
    if mask is not None:
        array = np.where(mask, np.nan, array)
    if array.ndim < axes:
        last = "the last over observations" if axes == 1 else "rows and columns, shape (…, N, D)"
        raise DataError(f"{name} must have {axes} or more axes, {last}: got shape {array.shape}. Give an array.")
    do = "Drop the value or mark it missing."
    require(~np.isinf(array), array, f"{name} must be finite, or NaN where missing", do, DataError)
    return array


def _numbers(name: str, value: npt.ArrayLike, error: type[SufficeError], *, booleans: bool = False) -> FloatArray:
    if has_masked(value):
        raise error(
            f"{name} must have no masked entries: got {reprlib.repr(value)}. "
            "Fill them, or give raw values, of which masked ones are missing."
        )
    try:
        raw: npt.NDArray[Any] = np.asarray(value)
    except (TypeError, ValueError, OverflowError):
        raise error(f"{name} must be an array of numbers: got {value!r}. Give every row the same length.") from None
    allowed = "iufb" if booleans or raw.size == 0 else "iuf"
    if raw.dtype.kind not in allowed:
        raise error(f"{name} must be real numbers: got dtype {raw.dtype}. Give integers or floats.")
    return raw.astype(np.float64, subok=False)


def require(
    good: npt.NDArray[np.bool_] | np.bool_,
    values: FloatArray,
    rule: str,
    do: str,
    error: type[SufficeError] = ParameterError,
) -> None:
    """Raise the error at the first value that is not good: what must hold, where it does not, what to do."""
    if np.all(good):
        return
    good, values = np.broadcast_arrays(good, values)
    at = tuple(int(i) for i in np.argwhere(~good)[0])
    where = "got" if not at else f"position {at[0] if len(at) == 1 else at} has"
    raise error(f"{rule}: {where} {float(values[at])!r}. {do}")


def broadcast(names: Sequence[str], arrays: Sequence[FloatArray], error: type[SufficeError]) -> tuple[FloatArray, ...]:
    """Return the arrays at their common shape, or say which shapes do not go together."""
    try:
        together = np.broadcast_arrays(*arrays)
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in zip(names, arrays, strict=True))
        raise error(f"shapes do not go together: {shapes}. Give shapes that broadcast.") from None
    for array in together:
        array.flags.writeable = False
    return tuple(together)


def one_form(model: str, forms: str, given: Sequence[bool]) -> int:
    """Return which form of the data was given, or raise when it is none or more than one of them."""
    if sum(given) != 1:
        raise DataError(f"{model} takes the data in one form, {forms}: got {sum(given) or 'none'}. Give exactly one.")
    return list(given).index(True)


def whole(name: str, value: object, least: int) -> int:
    """Return a whole number that is at least so large."""
    number: Any = value
    if not is_real(value) or not least <= number < 2**63 or int(number) != number:
        raise ParameterError(f"{name} must be a whole number ≥ {least}: got {value!r}. Give an int.")
    return int(number)


def is_real(value: object) -> bool:
    """Whether the value is one real number, Python's or NumPy's; True and False are not."""
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def option(name: str, value: object, allowed: Sequence[str]) -> str:
    """Return the option, or name the allowed ones."""
    if value not in allowed:
        raise ParameterError(f"{name} must be {' or '.join(map(repr, allowed))}: got {value!r}.")
    return cast("str", value)


def generator(rng: np.random.Generator | int | None) -> np.random.Generator:
    """Return the generator itself, or a new one from a seed or from the system's entropy."""
    if isinstance(rng, np.random.Generator):
        return rng
    if rng is None or (isinstance(rng, numbers.Integral) and is_real(rng) and rng >= 0):
        return np.random.default_rng(None if rng is None else int(rng))
    raise ParameterError(f"rng must be a numpy Generator, an integer seed ≥ 0 or None: got {rng!r}.")


def plain(values: Any) -> Reals:
    """Return a 0-d array as a scalar, any other array as it is."""
    return np.asarray(values, dtype=np.float64)[()]
