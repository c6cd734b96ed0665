"""Checks of the arguments that conjugate pairs take; each returns a float64 array or raises a `SufficeError`.

    parameter, positive    a prior's parameter: finite, copied and read-only            otherwise ParameterError
    argument, whole_numbers     a point at which a density or distribution is evaluated     otherwise ParameterError
    nonnegative            counts, weights and sums of them: finite and ≥ 0             otherwise DataError
    observations           raw values: finite, or NaN or masked where missing           otherwise DataError

Positive parameters lie in [1e-300, 1e300], so that products and quotients of two of them rarely leave float64.
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
    "generator",
    "is_real",
    "named_statistics",
    "nonnegative",
    "observations",
    "option",
    "parameter",
    "plain",
    "positive",
    "proportion",
    "require",
    "statistic",
    "whole",
    "whole_numbers",
]

FloatArray: TypeAlias = npt.NDArray[np.float64]
Reals: TypeAlias = np.float64 | FloatArray  # a scalar for a single model, an array for a stack of them

LEAST, GREATEST = 1e-300, 1e300


def positive(name: str, value: npt.ArrayLike) -> FloatArray:
    """Return a prior's positive parameter as a read-only array."""
    array = parameter(name, value)
    good = (array >= LEAST) & (array <= GREATEST)
    require(good, array, f"{name} must be > 0 (from 1e-300 to 1e300)", "Give a positive number.")
    return array


def parameter(name: str, value: npt.ArrayLike) -> FloatArray:
    """Return a prior's finite parameter as a read-only array."""
    array = _to_floats(name, value, ParameterError)
    require(np.abs(array) <= GREATEST, array, f"{name} must be finite (at most 1e300 in size)", "Give a finite number.")
    array = array.copy()
    array.flags.writeable = False
    return array


def argument(name: str, value: npt.ArrayLike) -> FloatArray:
    """Return the point at which a density is evaluated; it may be infinite but not NaN."""
    array = _to_floats(name, value, ParameterError)
    require(~np.isnan(array), array, f"{name} must be a number", "Leave out missing values: they contribute nothing.")
    return array


def whole_numbers(name: str, value: npt.ArrayLike) -> FloatArray:
    """Return whole numbers ≥ 0, at most 2⁵³: every one of them is a float."""
    array = _to_floats(name, value, ParameterError)
    good = (array >= 0) & (array <= 2.0**53) & (np.floor(array) == array)
    require(good, array, f"{name} must be whole numbers from 0 to 2⁵³", "Give counts.")
    return array


def nonnegative(name: str, value: npt.ArrayLike, do: str = "Give counts or sums of weights.") -> FloatArray:
    """Return a statistic that is a count, a weight or a sum of such."""
    array = _to_floats(name, value, DataError)
    require((array >= 0) & (array <= GREATEST), array, f"{name} must be finite and ≥ 0", do, DataError)
    return array


def observations(name: str, value: npt.ArrayLike, axes: int = 1) -> FloatArray:
    """Return raw values with at least `axes` axes, NaN where they are missing."""
    mask: npt.NDArray[np.bool_] | None = None
    if isinstance(value, np.ma.MaskedArray):
        masked: Any = value  # pyright: ignore[reportUnknownVariableType]
        mask, value = np.ma.getmaskarray(masked), np.ma.getdata(masked)
    array = _to_floats(name, value, DataError, booleans=True)
    if mask is not None:
        array = np.where(mask, np.nan, array)
    if array.ndim < axes:
        last = "the last over observations" if axes == 1 else "rows and columns, shape (…, N, D)"
        raise DataError(f"{name} must have {axes} or more axes, {last}: got shape {array.shape}. Give an array.")
    do = "Drop the value or mark it missing."
    require(~np.isinf(array), array, f"{name} must be finite, or NaN where missing", do, DataError)
    return array


def statistic(name: str, value: npt.ArrayLike) -> FloatArray:
    """Return a finite statistic such as a mean."""
    array = observations(name, value, axes=0)
    require(~np.isnan(array), array, f"{name} must be finite", "Give 0 where the weight is 0.", DataError)
    return array


def named_statistics(data: object, **given: npt.ArrayLike | None) -> tuple[npt.ArrayLike, ...] | None:
    """Return the named sufficient statistics, or None where `data` is given in their place."""
    lacking = [name for name, value in given.items() if value is None]
    names = ", ".join(f"{name}=" for name in given)
    if (data is None) == (len(lacking) == len(given)):
        got = "neither" if data is None else "both"
        raise DataError(f"the data must be given in one form, either data or {names}: got {got}. Give exactly one.")
    if data is not None:
        return None
    if lacking:
        raise DataError(f"{lacking[0]}= is missing: got only some of {names}. Give them together.")
    return cast("tuple[npt.ArrayLike, ...]", tuple(given.values()))


def _to_floats(name: str, value: npt.ArrayLike, error: type[SufficeError], *, booleans: bool = False) -> FloatArray:
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
    """Raise the error at the first value that is not good: the rule, the position, the value, what to do."""
    if np.all(good):
        return
    good, values = np.broadcast_arrays(good, values)
    at = tuple(int(i) for i in np.argwhere(~good)[0])
    where = "got" if not at else f"position {at[0] if len(at) == 1 else at} has"
    raise error(f"{rule}: {where} {float(values[at])!r}. {do}")


def broadcast(error: type[SufficeError], **arrays: FloatArray) -> tuple[FloatArray, ...]:
    """Return the arrays read-only at their common shape, or raise the error with the shapes by name."""
    try:
        together = np.broadcast_arrays(*arrays.values())
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise error(f"shapes do not go together: {shapes}. Give shapes that broadcast.") from None
    for array in together:
        array.flags.writeable = False
    return tuple(together)


def whole(name: str, value: object, least: int) -> int:
    """Return a whole number that is at least `least`."""
    number: Any = value
    if not is_real(value) or not least <= number < 2**63 or int(number) != number:
        problem = f"{name} must be a whole number ≥ {least}"
        raise ParameterError(problem, kind="not_whole", parameter=name, got=value, advice="Give an int.")
    return int(number)


def proportion(name: str, value: object) -> float:
    """Return a number strictly between 0 and 1."""
    number: Any = value
    if not is_real(value) or not 0 < number < 1:
        raise ParameterError(f"{name} must be a number between 0 and 1: got {value!r}. Give for example 0.95.")
    return float(number)


def is_real(value: object) -> bool:
    """Whether the value is one real number, Python's or NumPy's; True and False are not."""
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def option(name: str, value: object, allowed: Sequence[str]) -> str:
    """Return the option, or raise ParameterError with the allowed ones."""
    if value not in allowed:
        problem = f"{name} must be {' or '.join(map(repr, allowed))}"
        raise ParameterError(problem, kind="not_an_option", parameter=name, got=value)
    return cast("str", value)


def generator(seed: np.random.Generator | int | None) -> np.random.Generator:
    """Return the generator itself, or a new one from a seed or from the system's entropy."""
    if seed is None or isinstance(seed, np.random.Generator):
        return np.random.default_rng(seed)
    if not is_real(seed) or not 0 <= seed < np.inf or int(seed) != seed:
        raise ParameterError(f"seed must be a whole number ≥ 0, a numpy Generator or None: got {seed!r}.")
    return np.random.default_rng(int(seed))


def plain(values: Any) -> Reals:
    """Return a 0-d array as a scalar, any other array unchanged."""
    return np.asarray(values, dtype=np.float64)[()]
