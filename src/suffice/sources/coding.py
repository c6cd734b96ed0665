"""Values to codes: each distinct value once, in canonical form, and for every row its place in that list.

Whole numbers of a small range and bools are looked up in a table, other numbers are sorted, text and objects go through
a dictionary. A missing value (None, NaN, NA, NaT, masked) has the code −1.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from suffice import _core
from suffice.errors import DataError
from suffice.machine import thread_count
from suffice.statistics.frozen_arrays import BoolArray, FloatArray, IntArray
from suffice.statistics.labels import canonical, key_of_label

__all__ = ["Coded", "coded", "is_missing", "occurrences"]

_RANGE = 2**20
_FEW = 2**8
_NOT_THERE = frozenset({"NoneType", "NAType", "NaTType"})


class Coded(NamedTuple):
    """`codes` are places in `labels`, −1 where the value is missing; every label occurs."""

    codes: IntArray
    labels: list[Any]


def coded(values: npt.NDArray[Any], missing: BoolArray | None = None) -> Coded:
    """Return the codes and the labels of a 1-D array of any kind of value, or raise DataError: which row has what.

    Examples
    --------
    >>> coded(np.array(["b", "a", None, "b"], dtype=object))
    Coded(codes=array([ 0,  1, -1,  0]), labels=['b', 'a'])
    >>> coded(np.array([7.0, np.nan, 2.5]))
    Coded(codes=array([ 1, -1,  0]), labels=[2.5, 7])
    """
    kind = values.dtype.kind
    if kind == "f":
        nan = np.isnan(values)
        missing = nan if missing is None else missing | nan
    if kind == "U" and missing is None:
        fixed = _fixed_texts(values)
        if fixed is not None:
            return fixed
    if kind not in "iubf":
        objects: npt.NDArray[Any] = values.astype(object) if kind != "O" else values
        if missing is not None:
            objects = objects.copy()
            objects[missing] = None
        return _texts(objects) or _objects(objects.tolist())
    if missing is None or not missing.any():
        return _numbers(values)
    some = _numbers(values[~missing])
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[~missing] = some.codes
    return Coded(codes, some.labels)


def occurrences(values: npt.NDArray[Any]) -> FloatArray | None:
    """Return how often each of 0 … n − 1 occurs among int64 that are codes already, n ≤ 256; None where they are not.

    Examples
    --------
    >>> occurrences(np.array([0, 2, 1, 0]))
    array([2., 1., 1.])
    >>> occurrences(np.array([0, 2, 0])) is None
    True
    """
    if values.dtype != np.int64 or not len(values):
        return None
    try:
        found = _core.tally(_core.Labels(values, _FEW, None), thread_count())
    except _core.FlawError:  # a number is not among the first few
        return None
    found = found[: int(np.flatnonzero(found).max(initial=-1)) + 1]
    return found if found.all() and found.sum() == len(values) else None  # the core leaves −1 out


def is_missing(value: Any) -> bool:
    """Say whether an object stands for no value: None, NaN, pandas' NA and NaT."""
    if isinstance(value, Decimal):
        return value.is_nan()
    return type(value).__name__ in _NOT_THERE or (isinstance(value, (float, np.floating)) and value != value)


def _numbers(values: npt.NDArray[Any]) -> Coded:
    if values.dtype.kind == "b":
        codes, labels = _numbers(values.view(np.uint8))
        return Coded(codes, [bool(label) for label in labels])
    if not len(values):
        return Coded(np.zeros(0, dtype=np.int64), [])
    # A copy, because NumPy trusts bounds that it has checked, and another thread may write to the array meanwhile.
    values = values.copy()
    low, high = values.min(), values.max()
    if values.dtype.kind == "f":
        if not (float(low) > -(2.0**62) and float(high) < 2.0**62 and (np.floor(values) == values).all()):
            return _sorted(values)
        values = values.astype(np.int64)
    low, high = int(low), int(high)
    if high - low >= _RANGE:
        return _sorted(values)
    if low == 0 and np.can_cast(values.dtype, np.int64) and np.bincount(values).all():
        return Coded(values.astype(np.int64, copy=False), list(range(high + 1)))  # codes as they are
    # Signed numbers are widened first: 127 − (−128) is not an int8. Of unsigned ones no difference is negative.
    wide = values if values.dtype.kind == "u" else values.astype(np.int64, copy=False)
    offset = (wide if low == 0 else wide - wide.dtype.type(low)).astype(np.intp, copy=False)
    there = np.zeros(high - low + 1, dtype=np.bool_)
    there[offset] = True
    place = np.cumsum(there, dtype=np.int64) - 1
    return Coded(place[offset], [low + label for label in np.flatnonzero(there).tolist()])


def _sorted(values: npt.NDArray[Any]) -> Coded:
    found, codes = np.unique(values, return_inverse=True)
    labels = cast("list[Any]", found.tolist())
    return Coded(codes.astype(np.int64), [canonical(label)[1] for label in labels])


def _fixed_texts(values: npt.NDArray[Any]) -> Coded | None:
    dictionary = _core.Dictionary()
    try:
        codes = dictionary.encode_fixed(np.ascontiguousarray(values), True)
    except ValueError:  # a lone surrogate
        return None
    return Coded(codes.astype(np.int64), cast("list[Any]", dictionary.labels()))


def _texts(values: npt.NDArray[Any]) -> Coded | None:
    # What is all text, or missing, is coded natively; None for anything else, lone surrogates included.
    dictionary = _core.Dictionary()
    try:
        codes = dictionary.encode_objects(np.ascontiguousarray(values), True)
    except ValueError:
        return None
    return None if codes is None else Coded(codes.astype(np.int64), cast("list[Any]", dictionary.labels()))


def _objects(values: list[Any]) -> Coded:
    # By type too, because Python takes True and 1 for the same key, and by canonical form, in which 1.0 and 1 are one.
    codes: list[int] = []
    labels: list[Any] = []
    by_value: dict[Any, int] = {}
    by_label: dict[Any, int] = {}
    for row, value in enumerate(values):
        simple = not isinstance(value, tuple)  # to Python (True,) and (1,) are the same key too
        try:
            code = by_value.get((type(value), value)) if simple else None
            kind, label = (0, None) if code is not None or is_missing(value) else canonical(_plain(value))
        except (TypeError, DataError):
            raise DataError(
                "must be a number, text, a bool or bytes", kind="not_a_label", row=row, got=cast("object", value)
            ) from None
        if code is None:
            code = -1
            if label is not None:
                code = by_label.setdefault((kind, key_of_label(kind, label)), len(labels))
                if code == len(labels):
                    labels.append(label)
            if simple:
                by_value[type(value), value] = code
        codes.append(code)
    return Coded(np.array(codes, dtype=np.int64), labels)


def _plain(value: Any) -> Any:
    # A Decimal is the number that it spells; other foreign kinds are for `canonical` to refuse.
    return float(value) if isinstance(value, Decimal) else value
