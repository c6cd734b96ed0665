"""The class of each row as a code: labels of any kind, each once on an axis, −1 where the class is missing."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from suffice.errors import NOTHING, DataError
from suffice.sources.coding import occurrences
from suffice.sources.column import Column, Numbers, Objects, Unread
from suffice.sources.frames import column_of, is_frame, is_series
from suffice.statistics import Axis
from suffice.statistics.counted import counted
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = ["Target", "bad_label", "labels_of", "target_of", "unknown_classes"]


class Target(NamedTuple):
    """Codes are positions on the axis; `missing` rows have the code −1; `rows` are those of each class, where known."""

    codes: IntArray
    classes: Axis
    missing: int
    rows: FloatArray | None = None

    def take(self, rows: IntArray) -> Target:
        """Return the classes of these rows, in this order."""
        codes = self.codes[rows].astype(np.int64, copy=False)
        return Target(codes, self.classes, int(np.count_nonzero(codes < 0)) if self.missing else 0)


def target_of(target: Any, rows: int) -> Target:
    """Return the classes of the rows.

    Examples
    --------
    >>> target_of(["spam", "ham", None, "spam"], 4)
    Target(codes=array([ 1,  0, -1,  1]), classes=Axis('ham', 'spam'), missing=1, rows=None)
    """
    column = _column(target)
    if isinstance(column, Numbers) and column.valid is None and len(column.values) == rows:
        values = column.values.copy()  # another thread may write to the array meanwhile
        found = occurrences(values)
        if found is not None:
            return Target(values, Axis.of(range(len(found))), 0, found)
    try:
        codes, labels = column.coded()
    except DataError as reason:
        held = f": {reason.problem}" if reason.got is NOTHING else ""
        raise reason.located(
            problem=f"class labels must be integers, booleans or strings{held}",
            kind="bad_label",
            advice="Convert them first.",
        ) from None
    if len(codes) != rows:
        raise DataError(
            f"target must have one class per row: got {counted(len(codes), 'class')} for {counted(rows, 'row')}."
        )
    for at, label in enumerate(labels):
        if isinstance(label, float):
            row = int(np.argmax(codes == at))
            raise bad_label(row, label)
    axis = Axis.of(labels)
    positions = axis.positions(labels)
    if (positions != np.arange(len(positions))).any():
        codes = np.append(positions, -1).take(codes, mode="wrap")  # −1 is the last
    complete = isinstance(column, Numbers) and column.valid is None and column.kind != "float"
    return Target(codes, axis, 0 if complete else int(np.count_nonzero(codes < 0)))


def bad_label(row: int, label: object) -> DataError:
    """Return the error for a number with a fraction where a class is wanted."""
    return DataError(
        "class labels must be integers, booleans or strings",
        kind="bad_label",
        row=row,
        got=label,
        advice="Cut a real-valued target into classes first, or convert it to text.",
    )


def unknown_classes() -> DataError:
    """Return the error for rows whose classes are needed and were not given."""
    return DataError(
        "the class of each row is not known",
        kind="no_target",
        advice=lambda words: f"Give {words.option('target')}: an array, or the name of a column.",
    )


def labels_of(codes: IntArray, classes: Axis) -> npt.NDArray[Any]:
    """Return the label of each code, as an array of the labels' own type where they share one."""
    kinds = {type(label) for label in classes}
    names: npt.NDArray[Any] = np.empty(len(classes), dtype=object)
    names[:] = classes.labels
    if len(kinds) == 1 and kinds <= {str, bool}:
        names = np.array(classes.labels)
    elif kinds == {int} and all(-(2**63) <= label < 2**63 for label in cast("Sequence[int]", classes.labels)):
        names = np.array(classes.labels, dtype=np.int64)
    return names[codes]


def _column(target: Any) -> Column:
    if isinstance(target, Column):
        return target
    if isinstance(target, str):
        raise DataError(
            f"target {target!r} names a column, and arrays have no names. Give the class of each row as an array."
        )
    if is_frame(target):
        raise DataError("target must have one class per row: got a frame. Give one of its columns.")
    if is_series(target):
        return column_of(target)
    values = _vector(target)
    if values.ndim != 1:
        raise DataError(
            f"target must have one class per row: got an array of shape {values.shape}. Use target.ravel()."
        )
    if values.dtype.kind in "Mm":  # whose objects may be plain ints
        return Unread("time", str(values.dtype))
    return Numbers(values) if values.dtype.kind in "iubf" else Objects(values)


def _vector(target: Any) -> npt.NDArray[Any]:
    if isinstance(target, np.ma.MaskedArray):
        masked: Any = target  # pyright: ignore[reportUnknownVariableType]
        return np.array(masked.tolist(), dtype=object)
    if isinstance(target, np.ndarray):
        return cast("npt.NDArray[Any]", target)
    given: object = target
    if not isinstance(given, Iterable) or isinstance(given, (set, frozenset, Mapping)):  # those have no order of rows
        shown = reprlib.repr(cast("object", given))
        raise DataError(f"target must have one class per row, or be the name of a column: got {shown}.")
    values: list[Any] = list(cast("Iterable[Any]", target))
    kinds: set[Any] = {type(value) for value in values}
    plain = {int: np.int64, bool: np.bool_, float: np.float64}.get(kinds.pop()) if len(kinds) == 1 else None
    if plain is not None:
        with suppress(OverflowError):  # of an int longer than 64 bits
            return np.array(values, dtype=plain)
    return np.fromiter(values, dtype=object, count=len(values))
