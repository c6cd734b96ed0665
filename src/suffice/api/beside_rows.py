"""What is said of each row beside its cells: the group it belongs to, and its place in time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from suffice.engines.coding import coded, is_missing
from suffice.engines.frames import is_frame, is_series
from suffice.errors import DataError
from suffice.statistics.counted import counted
from suffice.statistics.frozen_arrays import BoolArray, IntArray

__all__ = ["groups_of", "named_values", "order_of"]


def named_values(data: Any, name: str) -> Any:
    """Return the values of a column of the data as they are, for what no likelihood reads (times)."""
    if is_frame(data):
        import narwhals.stable.v2 as nw

        frame = nw.from_native(data, eager_only=True)
        found = frame.get_column(name) if name in frame.columns else None
    elif isinstance(data, Mapping):
        found = cast("Mapping[str, Any]", data).get(name)
    elif isinstance(data, (list, tuple)) and data and isinstance(data[0], Mapping):
        records = cast("list[Mapping[str, Any]]", data)
        found = [row.get(name) for row in records] if any(name in row for row in records) else None
    else:
        raise DataError(f"{name!r} names a column, and arrays have no names. Give the value of each row as an array.")
    if found is None:
        raise DataError(f"column {name!r} is not in the data.")
    return found


def groups_of(values: Any, rows: int) -> IntArray:
    """Return the group of each row as a number from 0.

    Examples
    --------
    >>> groups_of(["ann", "bob", "ann"], 3)
    array([0, 1, 0])
    """
    array = _vector(values, "groups", rows)
    if array.dtype.kind in "Mm":
        array = array.astype(np.int64)
    try:
        codes, _ = coded(array)
    except DataError as reason:
        raise DataError(f"groups must be whole numbers, text or bools: {reason}. Convert them first.") from None
    _require_known(codes < 0, "groups", "Give each row its group.")
    return codes


def order_of(values: Any, rows: int) -> IntArray:
    """Return the rank of each row in time, equals alike.

    Examples
    --------
    >>> order_of(["2026-11-02", "2026-11-01", "2026-11-02"], 3)
    array([1, 0, 1])
    """
    array = _vector(values, "order", rows)
    if array.dtype.kind == "O":
        gaps = np.fromiter(map(is_missing, array.tolist()), dtype=np.bool_, count=rows)
    elif array.dtype.kind in "fMm":
        gaps = np.isnat(array) if array.dtype.kind in "Mm" else np.isnan(array)
    else:
        gaps = np.zeros(rows, dtype=np.bool_)
    _require_known(gaps, "order", "Give each row its time, or leave such rows out.")
    try:
        return np.unique(array, return_inverse=True)[1].reshape(-1)
    except TypeError:
        raise DataError("order must be all numbers, all times or all text: got several kinds.") from None


def _vector(values: Any, what: str, rows: int) -> npt.NDArray[Any]:
    if is_series(values):
        values = values.to_numpy()
    array: npt.NDArray[Any] = np.asarray(values)
    if array.dtype.kind == "U" and not isinstance(values, np.ndarray):  # NumPy makes text of None beside text
        array = np.fromiter(values, dtype=object, count=len(values))
    if array.shape != (rows,):
        raise DataError(f"{what} must have one value per row: got shape {array.shape} for {counted(rows, 'row')}.")
    return array


def _require_known(gaps: BoolArray, what: str, do: str) -> None:
    if gaps.any():
        raise DataError(f"{what} must be known in every row: row {int(gaps.argmax())} has none. {do}")
