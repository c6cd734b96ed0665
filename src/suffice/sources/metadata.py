"""Values other than features: weights, and metadata such as the group of each row and its rank in time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from suffice.errors import Advice, DataError, Wording, counted
from suffice.sources.coding import coded, is_missing
from suffice.sources.column import Column
from suffice.sources.in_memory import is_frame
from suffice.sources.target import parse_conditions
from suffice.statistics.arrays import BoolArray, IntArray
from suffice.statistics.axis import Columns

__all__ = [
    "column_weights",
    "group_codes",
    "list_names",
    "metadata_values",
    "no_such_column",
    "require_vector",
    "require_weights",
    "time_ranks",
]


def metadata_values(data: Any, what: str, given: Any, rows: int) -> npt.NDArray[Any]:
    """Return one value per row, of any type, from an array or a column."""
    values = given
    if isinstance(given, str):
        if is_frame(data):
            import narwhals.stable.v2 as nw

            frame = nw.from_native(data, eager_only=True)
            if given not in frame.columns:
                raise no_such_column(tuple(frame.columns), given, what)
            values = frame.get_column(given)
        elif isinstance(data, Mapping):
            columns = cast("Mapping[str, Any]", data)
            if given not in columns:
                raise no_such_column(tuple(columns), given, what)
            values = columns[given]
        elif isinstance(data, (list, tuple)) and data and isinstance(data[0], Mapping):
            records = cast("list[Mapping[str, Any]]", data)
            if not any(given in row for row in records):
                raise no_such_column(tuple(dict.fromkeys(name for row in records for name in row)), given, what)
            values = [row.get(given) for row in records]
        else:
            raise DataError(
                f"{what}={given!r} is a column name, but arrays have no column names. Give an array.",
                kind="no_such_column",
            )
    return require_vector(values, what, rows)


def require_vector(values: Any, what: str, rows: int) -> npt.NDArray[Any]:
    """Return an array of one value per row, or raise DataError."""
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    array: npt.NDArray[Any] = np.asarray(values)
    if array.dtype.kind == "U" and not isinstance(
        values, np.ndarray
    ):  # NumPy converts None to text if the list has text
        array = np.fromiter(values, dtype=object, count=len(values))
    if array.shape != (rows,):
        raise DataError(f"{what} must have one value per row: got shape {array.shape} for {counted(rows, 'row')}.")
    return array


def column_weights(column: Column, name: str | int) -> npt.NDArray[Any]:
    """Return the weights in a column."""
    try:
        numbers = column.numbers()
    except DataError as reason:
        raise reason.located(
            column=name, problem="weights must be numbers", advice="Convert the column first."
        ) from None
    if numbers.valid is not None:
        raise DataError(
            "weights must not have missing values",
            kind="bad_weight",
            column=name,
            advice="Use 0 to ignore a row.",
        )
    return numbers.values


def _forget_rows(words: Wording) -> str:
    return f"Remove the row; to subtract rows, use {words.verb('forget')}."


def require_weights(weights: npt.NDArray[Any], advice: Advice = _forget_rows) -> None:
    """Raise DataError for a weight that is negative or not finite."""
    bad = ~(np.isfinite(weights) & (weights >= 0)) if weights.dtype.kind == "f" else weights < 0
    if bad.any():
        row = int(np.argmax(bad))
        raise DataError(
            "weights must be finite and ≥ 0",
            kind="bad_weight",
            row=row,
            got=float(weights[row]),
            advice=advice,
        )


def no_such_column(names: Columns, given: str, what: str) -> DataError:
    """Return the error for a named column that is absent."""
    if what == "target":
        given = next((str(condition.column) for condition in parse_conditions(given)), given)
    close = get_close_matches(given, [name for name in names if isinstance(name, str)], n=1)
    hint = f"Did you mean {close[0]!r}?" if close else f"The columns are {list_names(names)}."
    return DataError(f"{what} column {given!r} is not in the data", kind="no_such_column", advice=hint)


def list_names(names: Iterable[str | int]) -> str:
    """Return the first names, for a message."""
    every = tuple(names)
    return ", ".join(map(repr, every[:8])) + ", …" * (len(every) > 8)


def group_codes(values: npt.NDArray[Any]) -> IntArray:
    """Return the group of each row as an integer from 0.

    Examples
    --------
    >>> group_codes(np.array(["ann", "bob", "ann"], dtype=object))
    array([0, 1, 0])
    """
    if values.dtype.kind in "Mm":
        values = values.astype(np.int64)
    try:
        codes, _ = coded(values)
    except DataError as reason:
        raise reason.located(
            problem="groups must be integers, strings or booleans", advice="Convert them first."
        ) from None
    _require_known(codes < 0, "groups", "Give each row a group.")
    return codes


def time_ranks(values: npt.NDArray[Any]) -> IntArray:
    """Return the rank of each row in time; equal times have equal ranks.

    Examples
    --------
    >>> time_ranks(np.array(["2026-11-02", "2026-11-01", "2026-11-02"]))
    array([1, 0, 1])
    """
    if values.dtype.kind == "O":
        gaps = np.fromiter(map(is_missing, values.tolist()), dtype=np.bool_, count=len(values))
    elif values.dtype.kind in "fMm":
        gaps = np.isnat(values) if values.dtype.kind in "Mm" else np.isnan(values)
    else:
        gaps = np.zeros(len(values), dtype=np.bool_)
    _require_known(gaps, "order", "Give each row a time, or remove the rows without one.")
    try:
        return np.unique(values, return_inverse=True)[1].reshape(-1)
    except TypeError:
        kinds = sorted({type(value).__name__ for value in values.tolist()})
        raise DataError(
            f"order must have values of one comparable type (numbers, dates or strings): got {', '.join(kinds)}",
            advice="Convert it first.",
            kind="not_comparable",
        ) from None


def _require_known(gaps: BoolArray, what: str, advice: str) -> None:
    if gaps.any():
        raise DataError(
            f"{what} must not have missing values", kind="missing_value", row=int(np.argmax(gaps)), advice=advice
        )
