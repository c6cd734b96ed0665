"""The logs that sums of counts do not know, added up per class: of cells Σ w ln x!, of rows Σ w ln(n!/Π x!).

Each row's log is split into whole numbers, coarse · 2⁻²⁰ + fine · 2⁻⁴³ (it is kept to 1e-13), which add and subtract
exactly while the coarse sum is below 2⁵³: what is forgotten was never seen. Plain NumPy.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from suffice.conjugate.special import gammaln
from suffice.likelihoods.block_statistics import COARSE, FINE, Logs
from suffice.statistics import Axis, Counts
from suffice.statistics.arrays import FloatArray, IntArray

__all__ = ["added_up", "count_logs", "log_factorials", "stored_rows"]

_ROWS = 8192
_TABLE: FloatArray = gammaln(np.arange(257.0) + 1)


def count_logs(
    x: Any, codes: npt.NDArray[np.int64], classes: Axis, weights: npt.NDArray[Any] | None, logs: Logs
) -> Counts:
    """Return the sums per class, as Counts of the entries "coarse" and "fine"."""
    values = np.zeros((len(classes), 2))
    for start in range(0, len(codes), _ROWS):
        rows = slice(start, start + _ROWS)
        of_row = _of_rows(x, rows, logs)
        here = codes[rows]
        w = np.ones(len(here)) if weights is None else np.asarray(weights[rows], dtype=np.float64)
        coarse = np.floor(of_row / COARSE)
        fine = np.rint((of_row - coarse * COARSE) / FINE)
        known = here >= 0
        for entry, each in enumerate((coarse, fine)):
            values[:, entry] += added_up(here[known], (w * each)[known], len(classes))
    return Counts(classes, Axis(["coarse", "fine"], declared=True), values, np.zeros((len(classes), 1)))


def log_factorials(counts: npt.NDArray[Any]) -> FloatArray:
    """Return ln x! of every count, 0 where it is missing."""
    if counts.dtype.kind in "iub":
        if counts.size and counts.max() < len(_TABLE):
            return _TABLE[counts.astype(np.intp, copy=False)]
        return gammaln(counts.astype(np.float64) + 1)
    values = np.nan_to_num(counts.astype(np.float64), nan=0.0)
    if values.size and values.max() < len(_TABLE):
        whole = values.astype(np.intp)
        if (whole == values).all():
            return _TABLE[whole]
    return gammaln(values + 1)


def added_up(at: npt.NDArray[Any], values: npt.NDArray[Any], length: int) -> FloatArray:
    """Return, for each place, the sum of the values that stand there."""
    sums: Any = np.bincount(at, weights=values, minlength=length)
    return sums.astype(np.float64)  # integers where there are none


def stored_rows(x: Any) -> IntArray:
    """Return the row of every stored cell of a CSR matrix."""
    return np.repeat(np.arange(x.shape[0], dtype=np.int64), np.diff(np.asarray(x.indptr, dtype=np.int64)))


def _dense(x: Any, rows: slice) -> npt.NDArray[Any]:
    if not isinstance(x, list):
        return x[rows]
    return np.stack([column[rows] for column in cast("list[npt.NDArray[Any]]", x)], axis=1)


def _of_rows(x: Any, rows: slice, logs: Logs) -> FloatArray:
    if hasattr(x, "tocsr"):
        part = x[rows]
        at = stored_rows(part)
        cells = added_up(at, log_factorials(part.data), part.shape[0])
        totals = added_up(at, np.nan_to_num(part.data), part.shape[0])
    else:
        dense = _dense(x, rows)
        cells = log_factorials(dense).sum(axis=1)
        add = np.nansum if dense.dtype.kind == "f" else np.sum
        totals: FloatArray = np.asarray(add(dense, axis=1, dtype=np.float64))
    # The log of a coefficient is ≥ 0, and may fall below by rounding.
    return cells if logs == "cells" else np.maximum(log_factorials(totals) - cells, 0.0)
