"""Levels that the native core does not score, in plain NumPy: float cells, and rows for what is unseen or missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from suffice.likelihoods.terms import Levels
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["add_levels"]


def add_levels(term: Levels, x: npt.NDArray[Any], scores: FloatArray) -> None:
    """Add the row of each cell's level; x may be of any number type."""
    nothing = len(term.table)
    rows = np.concatenate([term.table, np.zeros((1, term.table.shape[1]))])
    start = 0
    for j, size in enumerate(term.levels):
        coded = size - term.unseen - term.missing
        codes, missing = _codes(x[:, j])
        known = (codes >= 0) & (codes < coded) & ~missing
        unseen = start + coded if term.unseen else nothing
        gap = start + size - 1 if term.missing else nothing
        scores += rows[np.where(known, start + codes, np.where(missing, gap, unseen))]
        start += size


def _codes(x: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    # −2 stands for what is no code at all.
    if x.dtype.kind != "f":
        codes = x.astype(np.int64)
        return codes, codes == -1
    missing = np.isnan(x) | (x == -1)
    whole = (np.floor(x) == x) & (x >= 0) & (x < 2**62)
    return np.where(whole, np.where(whole, x, 0), -2).astype(np.int64), missing
