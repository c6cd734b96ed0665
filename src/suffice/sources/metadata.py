"""Columns that describe rows and are no features: the group of each row, and its place in time."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError
from suffice.sources.coding import coded, is_missing
from suffice.statistics.frozen_arrays import BoolArray, IntArray

__all__ = ["group_codes", "time_ranks"]


def group_codes(values: npt.NDArray[Any]) -> IntArray:
    """Return the group of each row as a number from 0.

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
    _require_known(codes < 0, "groups", "Give each row its group.")
    return codes


def time_ranks(values: npt.NDArray[Any]) -> IntArray:
    """Return the rank of each row in time; rows of the same time have the same rank.

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
    _require_known(gaps, "order", "Give each row its time, or leave such rows out.")
    try:
        return np.unique(values, return_inverse=True)[1].reshape(-1)
    except TypeError:
        kinds = sorted({type(value).__name__ for value in values.tolist()})
        raise DataError(
            f"order must be numbers, dates or texts that can be compared: got {', '.join(kinds)}. Convert it first.",
            kind="not_comparable",
        ) from None


def _require_known(gaps: BoolArray, what: str, advice: str) -> None:
    if gaps.any():
        raise DataError(
            f"{what} must be known in every row", kind="missing_value", row=int(np.argmax(gaps)), advice=advice
        )
