"""The class of each row as a code: labels of any kind, each once on an axis, −1 where the class is missing.

Whole numbers of a small range and bools are looked up in a table, text and objects in a dictionary; no row is visited
twice by Python where NumPy can do it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError
from suffice.statistics import Axis
from suffice.statistics.frozen_arrays import IntArray

__all__ = ["Target", "labels_of", "target_of"]

_RANGE = 2**20


class Target(NamedTuple):
    """Codes are positions on the axis; `missing` rows have the code −1."""

    codes: IntArray
    classes: Axis
    missing: int


def target_of(target: Any, rows: int) -> Target:
    """Return the classes of the rows.

    Examples
    --------
    >>> target_of(["spam", "ham", None, "spam"], 4)
    Target(codes=array([ 1,  0, -1,  1]), classes=Axis('ham', 'spam'), missing=1)
    """
    values = _vector(target, rows)
    kind = values.dtype.kind
    if kind in "iub":
        labels, codes = _numbers(values)
    elif kind == "f":
        labels, codes = _floats(values)
    else:
        labels, codes = _objects(values.tolist())
    axis = Axis.of(labels)
    positions = axis.positions(labels)
    if (positions != np.arange(len(positions))).any():
        codes = np.append(positions, -1)[codes]
    return Target(codes, axis, int((codes < 0).sum()))


def labels_of(codes: IntArray, classes: Axis) -> npt.NDArray[Any]:
    """Return the label of each code, as an array of the labels' own type where they share one."""
    kinds = {type(label) for label in classes}
    names: npt.NDArray[Any] = np.empty(len(classes), dtype=object)
    names[:] = classes.labels
    if len(kinds) == 1 and kinds <= {str, bool, float}:
        names = np.array(classes.labels)
    elif kinds == {int} and all(-(2**63) <= label < 2**63 for label in cast("Sequence[int]", classes.labels)):
        names = np.array(classes.labels, dtype=np.int64)
    return names[codes]


def _vector(target: Any, rows: int) -> npt.NDArray[Any]:
    if isinstance(target, str):
        raise DataError(
            f"target {target!r} names a column, and arrays have no names. Give the class of each row as an array."
        )
    if isinstance(target, np.ma.MaskedArray):
        masked: Any = target  # pyright: ignore[reportUnknownVariableType]
        filled = np.array(masked.tolist(), dtype=object)
        return _of_length(filled, rows)
    if isinstance(target, np.ndarray):
        return _of_length(cast("npt.NDArray[Any]", target), rows)
    values: list[Any] = list(target)
    kinds: set[Any] = {type(value) for value in values}
    plain = {int: np.int64, bool: np.bool_, float: np.float64}.get(kinds.pop()) if len(kinds) == 1 else None
    if plain is not None:
        with suppress(OverflowError):  # of an int longer than 64 bits
            return _of_length(np.array(values, dtype=plain), rows)
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return _of_length(objects, rows)


def _of_length(values: npt.NDArray[Any], rows: int) -> npt.NDArray[Any]:
    if values.ndim != 1:
        raise DataError(
            f"target must have one class per row: got an array of shape {values.shape}. Use target.ravel()."
        )
    if len(values) != rows:
        raise DataError(f"target must have one class per row: got {len(values)} classes for {rows} rows.")
    return values


def _numbers(values: npt.NDArray[Any]) -> tuple[list[Any], IntArray]:
    if values.dtype.kind == "b":
        labels, codes = _numbers(values.view(np.uint8))
        return [bool(label) for label in labels], codes
    if not len(values):
        return [], np.zeros(0, dtype=np.int64)
    low, high = int(values.min()), int(values.max())
    if high - low >= _RANGE:
        found, codes = np.unique(values, return_inverse=True)
        return found.tolist(), codes.astype(np.int64)
    # Signed numbers are widened first: 127 − (−128) is not an int8. Of unsigned ones no difference is negative.
    wide = values if values.dtype.kind == "u" else values.astype(np.int64, copy=False)
    offset = (wide if low == 0 else wide - wide.dtype.type(low)).astype(np.intp, copy=False)
    there = np.zeros(high - low + 1, dtype=np.bool_)
    there[offset] = True
    place = np.cumsum(there, dtype=np.int64) - 1
    return [low + label for label in np.flatnonzero(there).tolist()], place[offset]


def _floats(values: npt.NDArray[Any]) -> tuple[list[Any], IntArray]:
    missing = np.isnan(values)
    known = values[~missing]
    odd = known != np.floor(known)
    odd |= np.isinf(known)
    if odd.any():
        row = int(np.flatnonzero(~missing)[np.argmax(odd)])
        raise DataError(
            f"a class must be a whole number, a bool or text: row {row} has {float(values[row])!r}. "
            "Cut a real target into classes first, or convert it to text."
        )
    labels, some = _numbers(known.astype(np.int64)) if _fits(known) else _objects(known.tolist())
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[~missing] = some
    return labels, codes


def _fits(known: npt.NDArray[Any]) -> bool:
    return bool((np.abs(known) < 2.0**62).all())


def _objects(values: list[Any]) -> tuple[list[Any], IntArray]:
    index: dict[Any, int] = {}
    codes: list[int] = []
    if {type(value) for value in values} <= {str}:
        codes = [index.setdefault(value, len(index)) for value in values]
        return list(index), np.array(codes, dtype=np.int64)
    # By type too: Python takes True and 1 for the same key.
    kept: list[Any] = []
    by_key: dict[Any, int] = {}
    for value in values:
        if value is None or value != value:
            codes.append(-1)
            continue
        key: Any = type(value), value
        if key not in by_key:
            axis = Axis.of([value])  # canonical: 1.0 and 1 are one class
            (label,) = axis.labels
            canonical = type(label), label
            if canonical not in by_key:
                by_key[canonical] = len(kept)
                kept.append(label)
            by_key[key] = by_key[canonical]
        codes.append(by_key[key])
    return kept, np.array(codes, dtype=np.int64)
