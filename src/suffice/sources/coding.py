"""Values to codes: the distinct values in canonical form, and for every row the position of its value among them.

Integers of a small range and bools are looked up in a table, other numbers are sorted, text and objects use a
dictionary. A missing value (None, NaN, NA, NaT, masked) has the code −1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from suffice import _core
from suffice.errors import DataError
from suffice.machine import thread_count
from suffice.statistics import Axis
from suffice.statistics.arrays import BoolArray, FloatArray, IntArray
from suffice.statistics.labels import NONE, Key, Label, canonical, key_of_label

__all__ = ["FEW", "UNSEEN", "Coded", "Places", "coded", "is_missing", "occurrences", "place_codes", "place_objects"]

UNSEEN = -2
FEW = 16
"""Number of cells up to which lookup one by one is faster than coding."""

_RANGE = 2**20
_FEW_CODES = 2**8
_NOT_THERE = frozenset({"NoneType", "NAType", "NaTType"})


class Coded(NamedTuple):
    """`codes` are positions in `labels`, −1 for missing values; every label occurs."""

    codes: IntArray
    labels: list[Any]


class Places(NamedTuple):
    """Positions on an axis: −1 if the cell is missing, UNSEEN if its value is not on the axis.

    `unseen` are the distinct values not on the axis. If it is empty, every negative position is a missing cell.
    """

    positions: npt.NDArray[Any]
    unseen: Sequence[Label]


def place_codes(codes: npt.NDArray[Any], labels: list[Any], axis: Axis) -> Places:
    """Return the position of every cell, given codes of labels, negative if missing. Some labels may not occur.

    Examples
    --------
    >>> place_codes(np.array([1, 0, -1, 1]), ["b", "a"], Axis.of(["a", "c"]))
    Places(positions=array([ 0, -2, -1,  0]), unseen=['b'])
    """
    place = axis.find(labels)
    if (place == np.arange(len(place))).all():
        return Places(codes, ())
    unseen: list[Label] = []
    if place.min() < 0:
        occurs = np.bincount(codes[codes >= 0], minlength=len(labels))
        unseen = [labels[k] for k in np.flatnonzero((place < 0) & (occurs > 0)).tolist()]
        place[place < 0] = UNSEEN
    if codes.min(initial=0) < -1:
        codes = np.maximum(codes, -1)
    return Places(np.append(place, -1)[codes], unseen)


def place_objects(values: Iterable[object], axis: Axis) -> Places:
    """Return the positions of a few objects, which are looked up one by one.

    Examples
    --------
    >>> place_objects(["a", None, 7, "a"], Axis.of(["a", "c"]))
    Places(positions=array([ 0, -1, -2,  0]), unseen=(7,))
    """
    lookup = axis.lookup
    positions: list[int] = []
    unseen: dict[Key, Label] = {}
    for row, value in enumerate(values):
        if type(value) is str:
            key = label = value
        else:
            kind, label = _canonical_cell(row, value)
            if label is None:
                positions.append(-1)
                continue
            key = key_of_label(kind, label)
        position = lookup.get(key, UNSEEN)
        if position < 0:
            unseen[key] = label
        positions.append(position)
    return Places(np.array(positions, dtype=np.int64), tuple(unseen.values()))


def coded(values: npt.NDArray[Any], missing: BoolArray | None = None) -> Coded:
    """Return the codes and the labels of a 1-D array of any type, or raise DataError with the row.

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
        return _code_texts(objects) or _code_objects(objects.tolist())
    if missing is None or not missing.any():
        return _code_numbers(values)
    some = _code_numbers(values[~missing])
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[~missing] = some.codes
    return Coded(codes, some.labels)


def occurrences(values: npt.NDArray[Any]) -> FloatArray | None:
    """Return the counts of 0 … n − 1 if int64 values are already codes, n ≤ 256; otherwise None.

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
        found = _core.tally(_core.Labels(values, _FEW_CODES, None), thread_count())
    except _core.FlawError:  # a value is negative or too large
        return None
    found = found[: int(np.flatnonzero(found).max(initial=-1)) + 1]
    return found if found.all() and found.sum() == len(values) else None  # the core ignores −1


def is_missing(value: Any) -> bool:
    """Return whether an object is a missing value: None, NaN, NA or NaT."""
    if isinstance(value, Decimal):
        return value.is_nan()
    return type(value).__name__ in _NOT_THERE or (isinstance(value, (float, np.floating)) and value != value)


def _code_numbers(values: npt.NDArray[Any]) -> Coded:
    if values.dtype.kind == "b":
        codes, labels = _code_numbers(values.view(np.uint8))
        return Coded(codes, [bool(label) for label in labels])
    if not len(values):
        return Coded(np.zeros(0, dtype=np.int64), [])
    # A copy, because another thread may write to the array after its bounds are checked.
    values = values.copy()
    low, high = values.min(), values.max()
    if values.dtype.kind == "f":
        if not (float(low) > -(2.0**62) and float(high) < 2.0**62 and (np.floor(values) == values).all()):
            return _code_sorted(values)
        values = values.astype(np.int64)
    low, high = int(low), int(high)
    if high - low >= _RANGE:
        return _code_sorted(values)
    if low == 0 and np.can_cast(values.dtype, np.int64) and np.bincount(values).all():
        return Coded(values.astype(np.int64, copy=False), list(range(high + 1)))  # already codes
    # Signed numbers are widened first: 127 − (−128) overflows int8. Differences of unsigned ones are not negative.
    wide = values if values.dtype.kind == "u" else values.astype(np.int64, copy=False)
    offset = (wide if low == 0 else wide - wide.dtype.type(low)).astype(np.intp, copy=False)
    there = np.zeros(high - low + 1, dtype=np.bool_)
    there[offset] = True
    place = np.cumsum(there, dtype=np.int64) - 1
    return Coded(place[offset], [low + label for label in np.flatnonzero(there).tolist()])


def _code_sorted(values: npt.NDArray[Any]) -> Coded:
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


def _code_texts(values: npt.NDArray[Any]) -> Coded | None:
    # Text and missing values are coded natively; None for anything else, including lone surrogates.
    dictionary = _core.Dictionary()
    try:
        codes = dictionary.encode_objects(np.ascontiguousarray(values), True)
    except ValueError:
        return None
    return None if codes is None else Coded(codes.astype(np.int64), cast("list[Any]", dictionary.labels()))


def _code_objects(values: list[Any]) -> Coded:
    # Keyed by type, because True and 1 are the same key, and by canonical form, in which 1.0 is 1.
    codes: list[int] = []
    labels: list[Any] = []
    by_value: dict[Any, int] = {}
    by_label: dict[Any, int] = {}
    for row, value in enumerate(values):
        simple = not isinstance(value, tuple)  # (True,) and (1,) are the same key
        try:
            code = by_value.get((type(value), value)) if simple else None
        except TypeError:  # not hashable
            raise _not_a_label(row, cast("object", value)) from None
        if code is None:
            code = -1
            kind, label = _canonical_cell(row, value)
            if label is not None:
                code = by_label.setdefault((kind, key_of_label(kind, label)), len(labels))
                if code == len(labels):
                    labels.append(label)
            if simple:
                by_value[type(value), value] = code
        codes.append(code)
    return Coded(np.array(codes, dtype=np.int64), labels)


def _canonical_cell(row: int, value: Any) -> tuple[int, Label]:
    # The kind and canonical form of an object, None if it is missing. A Decimal is converted to a number.
    if is_missing(value):
        return NONE, None
    try:
        return canonical(float(value) if isinstance(value, Decimal) else value)
    except (TypeError, DataError):
        raise _not_a_label(row, value) from None


def _not_a_label(row: int, value: object) -> DataError:
    return DataError("must be a number, text, a bool or bytes", kind="not_a_label", row=row, got=value)
