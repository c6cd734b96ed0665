"""Rows to statistics as a plan asks for them: one pass of an engine for each block."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from suffice.engines import arrays
from suffice.errors import DataError
from suffice.models.count_logs import count_logs
from suffice.models.select_columns import select_columns
from suffice.plan import Collect, Parts, Plan
from suffice.statistics import Axis, Counts

__all__ = ["collect"]

_MOST_LEVELS = 2**22


def collect(
    plan: Plan, x: Any, codes: npt.NDArray[np.int64], classes: Axis, weights: npt.NDArray[Any] | None
) -> tuple[Parts, ...]:
    """Return the statistics of every block: codes are positions on the axis of the classes, −1 leaves a row out."""
    return tuple(_block(wanted, x, codes, classes, weights) for wanted in plan.collects)


def _block(
    wanted: Collect, x: Any, codes: npt.NDArray[np.int64], classes: Axis, weights: npt.NDArray[Any] | None
) -> Parts:
    cells = select_columns(x, wanted.columns)
    if wanted.what == "levels":
        return _levels(wanted, cells, codes, classes, weights)
    names = wanted.columns
    if wanted.what == "moments":
        return (arrays.moments(cells, codes, classes, columns=names, weights=weights),)
    if wanted.what == "presence":
        threshold = wanted.threshold
        return (arrays.presence(cells, codes, classes, threshold=threshold, columns=names, weights=weights),)
    counted = arrays.sums(cells, codes, classes, columns=names, weights=weights)
    if wanted.logs == "none":
        return (counted,)
    return counted, count_logs(cells, codes, classes, weights, wanted.logs)


def _levels(
    wanted: Collect, cells: Any, codes: npt.NDArray[np.int64], classes: Axis, weights: npt.NDArray[Any] | None
) -> tuple[Counts, ...]:
    if hasattr(cells, "tocsr"):
        raise DataError(
            f"levels need a dense matrix: got a sparse one of shape {cells.shape}. Use x.toarray(), "
            "or read presence with Bernoulli()."
        )
    declared: tuple[Any, ...] = wanted.levels or ()
    given = max(declared, default=-1) + 1
    rows, sizes = _codes_and_sizes(wanted, cells)
    axes: list[Axis] = []
    for seen in sizes:
        size = max(given, seen)
        labels: list[int | None] = list(range(size))
        flags = np.isin(np.arange(size), declared)
        if wanted.missing_level:  # None is the first on an axis: its code is 0, and every other one moves up
            labels, flags = [None, *labels], np.concatenate([[False], flags])
        axes.append(Axis(labels, flags))
    return arrays.levels(rows, codes, classes, levels=axes, weights=weights)


def _codes_and_sizes(wanted: Collect, cells: Any) -> tuple[Any, list[int]]:
    # The cells as codes, and for each column the number of codes from 0 to the greatest.
    matrix = hasattr(cells, "dtype")
    if matrix and cells.dtype.kind in "iub" and not wanted.missing_level and len(cells):
        highest, lowest = cells.max(axis=0), cells.min(axis=0)
        if (highest < _MOST_LEVELS).all() and (cells.dtype.kind != "i" or (lowest >= -1).all()):
            return cells, [int(code) + 1 for code in highest]
    columns = cast("list[npt.NDArray[Any]]", list(cells.T) if matrix else cells)
    coded = [_coded(name, column) for name, column in zip(wanted.columns, columns, strict=True)]
    sizes = [int(levels.max()) + 1 if len(levels) else 0 for levels in coded]
    return [levels + np.int64(1) for levels in coded] if wanted.missing_level else coded, sizes


def _coded(name: str | int, column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    levels = column
    if column.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            levels = np.where(np.isnan(column), -1, column).astype(np.int64)
        bad = (levels != column) & ~np.isnan(column)
    else:
        bad = np.zeros(len(column), dtype=np.bool_)
    if column.dtype.kind != "u":
        bad |= levels < -1
    bad |= levels >= _MOST_LEVELS
    if bad.any():
        row = int(np.argmax(bad))
        raise DataError(
            f"level codes must be whole numbers 0, 1, … below {_MOST_LEVELS}, or -1 or NaN where missing: row {row}, "
            f"column {name!r} has {column[row].item()!r}. Code the values of the column first."
        )
    return levels
