"""Rows of a matrix in another order: a copy, made by as many threads as there are."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from suffice.machine import thread_count
from suffice.statistics.frozen_arrays import IntArray

__all__ = ["gathered"]

_MANY = 2**20  # cells


def gathered(x: Any, rows: IntArray) -> Any:
    """Return x[rows] of a dense or CSR matrix; rows are from 0 to the number of rows less 1."""
    threads, width = thread_count(), int(x.shape[1])
    plain = type(x) is np.ndarray and bool(x.flags.c_contiguous)
    if not plain or threads < 2 or len(rows) * width < _MANY:
        return x[rows]
    out: npt.NDArray[Any] = np.empty((len(rows), width), dtype=x.dtype)
    bounds = np.linspace(0, len(rows), threads + 1).astype(np.int64).tolist()

    def take(k: int) -> None:
        some = slice(bounds[k], bounds[k + 1])
        # "clip" because a check of every index would hold on to the interpreter; they are in range.
        np.take(x, rows[some], axis=0, out=out[some], mode="clip")

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(take, range(threads)))
    return out
