"""Validation of arguments; each function for numbers returns float64 or raises a `SufficeError`.

    parameter, positive       parameters of a prior: finite, copied and read-only             otherwise ParameterError
    argument, whole_numbers   points at which a density or distribution is evaluated          otherwise ParameterError
    nonnegative               counts, weights and sums of them: finite and ≥ 0                otherwise DataError
    observations              raw values: finite, with NaN or a mask for missing ones         otherwise DataError

Positive parameters lie in [1e-300, 1e300], so that products and quotients of two of them rarely overflow.
"""

from __future__ import annotations

import numbers
import reprlib
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError, ParameterError, SufficeError
from suffice.statistics import Axis
from suffice.statistics.arrays import has_masked
from suffice.statistics.labels import label_text, quote_label

__all__ = [
    "GREATEST",
    "LEAST",
    "FloatArray",
    "Reals",
    "argument",
    "broadcast",
    "estimate_of",
    "find_class",
    "generator",
    "is_real",
    "named_statistics",
    "nonnegative",
    "observations",
    "option",
    "parameter",
    "positive",
    "proportion",
    "require_all",
    "statistic",
    "unwrap_scalar",
    "whole_number",
    "whole_numbers",
]


FloatArray: TypeAlias = npt.NDArray[np.float64]
Reals: TypeAlias = np.float64 | FloatArray  # a scalar for a single model, an array for a stack of them

LEAST, GREATEST = 1e-300, 1e300
_SHOWN = 12


def positive(name: str, value: npt.ArrayLike) -> FloatArray:
    """Return a prior's positive parameter as a read-only array."""
    array = parameter(name, value)
    good = (array >= LEAST) & (array <= GREATEST)
    require_all(good, array, f"{name} must be > 0 (from 1e-300 to 1e300)", "Pass a positive number.")
    return array


def parameter(name: str, value: npt.ArrayLike) -> FloatArray:
    """Return a prior's finite parameter as a read-only array."""
    array = _to_floats(name, value, ParameterError)
    require_all(
        np.abs(array) <= GREATEST,
        array,
        f"{name} must be finite (at most 1e300 in absolute value)",
        "Pass a finite number.",
    )
    array = array.copy()
    array.flags.writeable = False
    return array


def argument(name: str, value: npt.ArrayLike) -> FloatArray:
    """Return the point at which a density is evaluated; it may be infinite but not NaN."""
    array = _to_floats(name, value, ParameterError)
    require_all(~np.isnan(array), array, f"{name} must be a number", "Remove missing values; they contribute nothing.")
    return array


def whole_numbers(name: str, value: npt.ArrayLike) -> FloatArray:
    """Return integers from 0 to 2⁵³, which float64 represents exactly."""
    array = _to_floats(name, value, ParameterError)
    good = (array >= 0) & (array <= 2.0**53) & (np.floor(array) == array)
    require_all(good, array, f"{name} must be whole numbers from 0 to 2⁵³", "Pass counts.")
    return array


def nonnegative(name: str, value: npt.ArrayLike, do: str = "Pass counts or sums of weights.") -> FloatArray:
    """Return a statistic that is a count, a weight or a sum of those."""
    array = _to_floats(name, value, DataError)
    require_all((array >= 0) & (array <= GREATEST), array, f"{name} must be finite and ≥ 0", do, DataError)
    return array


def observations(name: str, value: npt.ArrayLike, axes: int = 1) -> FloatArray:
    """Return raw values with at least `axes` axes, with NaN for missing ones."""
    mask: npt.NDArray[np.bool_] | None = None
    if isinstance(value, np.ma.MaskedArray):
        masked: Any = value  # pyright: ignore[reportUnknownVariableType]
        mask, value = np.ma.getmaskarray(masked), np.ma.getdata(masked)
    array = _to_floats(name, value, DataError, booleans=True)
    if mask is not None:
        array = np.where(mask, np.nan, array)
    if array.ndim < axes:
        last = "the last over observations" if axes == 1 else "rows and columns, shape (…, N, D)"
        raise DataError(f"{name} must have {axes} or more axes, {last}: got shape {array.shape}.")
    do = "Remove the value, or use NaN for a missing one."
    require_all(~np.isinf(array), array, f"{name} must be finite, or NaN if missing", do, DataError)
    return array


def statistic(name: str, value: npt.ArrayLike) -> FloatArray:
    """Return a finite statistic such as a mean."""
    array = observations(name, value, axes=0)
    require_all(~np.isnan(array), array, f"{name} must be finite", "Pass 0 if the weight is 0.", DataError)
    return array


def named_statistics(data: object, **given: npt.ArrayLike | None) -> tuple[npt.ArrayLike, ...] | None:
    """Return the named sufficient statistics, or None if `data` is passed instead."""
    absent = [name for name, value in given.items() if value is None]
    names = ", ".join(f"{name}=" for name in given)
    if (data is None) == (len(absent) == len(given)):
        got = "neither" if data is None else "both"
        raise DataError(f"exactly one of data and {names} is required: got {got}.")
    if data is not None:
        return None
    if absent:
        raise DataError(f"{absent[0]}= is missing: got only some of {names}. Pass all of them.")
    return cast("tuple[npt.ArrayLike, ...]", tuple(given.values()))


def _to_floats(name: str, value: npt.ArrayLike, error: type[SufficeError], *, booleans: bool = False) -> FloatArray:
    if type(value) is not np.ndarray and has_masked(value):
        raise error(
            f"{name} must have no masked entries: got {reprlib.repr(value)}. "
            "Fill them, or pass raw values as data, where masked values count as missing."
        )
    try:
        raw: npt.NDArray[Any] = np.asarray(value)
    except (TypeError, ValueError, OverflowError):
        raise error(f"{name} must be an array of numbers: got {value!r}. All rows must have the same length.") from None
    allowed = "iufb" if booleans or raw.size == 0 else "iuf"
    if raw.dtype.kind not in allowed:
        raise error(f"{name} must be real numbers: got dtype {raw.dtype}. Pass integers or floats.")
    return raw.astype(np.float64, subok=False)


def require_all(
    good: npt.NDArray[np.bool_] | np.bool_,
    values: FloatArray,
    rule: str,
    do: str,
    error: type[SufficeError] = ParameterError,
) -> None:
    """Raise the error for the first value that violates the rule, with its position and the remedy."""
    if np.all(good):
        return
    good, values = np.broadcast_arrays(good, values)
    index = tuple(int(i) for i in np.argwhere(~good)[0])
    where = "got" if not index else f"position {index[0] if len(index) == 1 else index} has"
    raise error(f"{rule}: {where} {float(values[index])!r}. {do}")


def broadcast(error: type[SufficeError], **arrays: FloatArray) -> tuple[FloatArray, ...]:
    """Return the arrays broadcast to their common shape, read-only; raise the error if they do not broadcast."""
    try:
        broadcasted = np.broadcast_arrays(*arrays.values())
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise error(f"the shapes do not broadcast: {shapes}.") from None
    for array in broadcasted:
        array.flags.writeable = False
    return tuple(broadcasted)


def whole_number(name: str, value: object, least: int) -> int:
    """Return an integer ≥ `least`."""
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
    """Return whether the value is a real number of Python or NumPy, and not a boolean."""
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def option(name: str, value: object, allowed: Sequence[str]) -> str:
    """Return the option; raise ParameterError with the allowed values if it is invalid."""
    if value not in allowed:
        problem = f"{name} must be {' or '.join(map(repr, allowed))}"
        raise ParameterError(problem, kind="not_an_option", parameter=name, got=value)
    return cast("str", value)


_ESTIMATES = {
    "mle": ("ml", "maximum likelihood", "maximum likelihood estimate"),
    "smoothed": ("laplace", "add one", "add lambda", "additive", "lidstone"),
    "map": ("maximum a posteriori", "posterior mode", "mode"),
    "mean": ("posterior mean",),
    "predictive": ("posterior predictive",),
}


def estimate_of(given: object) -> Any:
    """Return the estimate of this name, in any case: "mle", or one of its usual names such as "maximum likelihood".

    Raises
    ------
    ParameterError
        If there is no such estimate.

    Examples
    --------
    >>> estimate_of("MLE"), estimate_of("Laplace"), estimate_of("posterior mean")
    ('mle', 'smoothed', 'mean')
    """
    name = " ".join(given.casefold().replace("-", " ").replace("_", " ").split()) if isinstance(given, str) else given
    for estimate, others in _ESTIMATES.items():
        if name == estimate or name in others:
            return estimate
    return option("estimate", given, tuple(_ESTIMATES))  # raises


def find_class(classes: Axis, given: object) -> int:
    """Return the position of a class, given as a label or as the text that spells it ("true" for True, "1" for 1).

    Raises
    ------
    ParameterError
        If there is no such class; the message suggests a similar one.
    """
    at = classes.locate(given)
    if at is not None:
        return at
    quoted = {label_text(label): quote_label(label) for label in classes}
    close = get_close_matches(label_text(given), quoted, n=1)
    shown = ", ".join([*quoted.values()][:_SHOWN]) + ", …" * (len(quoted) > _SHOWN)
    hint = f"Did you mean {quoted[close[0]]}?" if close else f"Its classes are {shown}."
    raise ParameterError(f"the model has no class {quote_label(given)}. {hint}")


def generator(seed: np.random.Generator | int | None) -> np.random.Generator:
    """Return the generator, or a new one from a seed or, for None, from system entropy."""
    if seed is None or isinstance(seed, np.random.Generator):
        return np.random.default_rng(seed)
    if not is_real(seed) or not 0 <= seed < np.inf or int(seed) != seed:
        raise ParameterError(f"seed must be a whole number ≥ 0, a numpy Generator or None: got {seed!r}.")
    return np.random.default_rng(int(seed))


def unwrap_scalar(values: Any) -> Reals:
    """Return a 0-d array as a scalar, any other array unchanged."""
    return np.asarray(values, dtype=np.float64)[()]
