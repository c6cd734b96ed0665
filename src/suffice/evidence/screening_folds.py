"""Which rows are held out together while a threshold is chosen.

dealt       the rows of each class, in an order that the seed gives, go to the folds in turn: no two folds differ by
            more than one row of a class, nor by more than one in all
in order    fold f is the f-th of k stretches of the rows in their order, of equal length: what is close in time is held
            out together, so that no fold is told by its neighbours
"""

from __future__ import annotations

import numpy as np

from suffice.errors import ParameterError
from suffice.statistics.frozen_arrays import IntArray

__all__ = ["dealt_folds", "folds_in_order"]


def dealt_folds(codes: IntArray, number: int, rng: np.random.Generator) -> IntArray:
    """Return the fold of each row, classes spread evenly over them.

    Examples
    --------
    >>> dealt_folds(np.array([0, 0, 0, 0, 1, 1]), 2, np.random.default_rng(0)).tolist()
    [0, 1, 1, 0, 1, 0]
    """
    _require_rows(len(codes), number)
    mixed = rng.permutation(len(codes))
    by_class = mixed[np.argsort(codes[mixed], kind="stable")]
    folds = np.empty(len(codes), dtype=np.int64)
    folds[by_class] = np.arange(len(codes)) % number
    return folds


def folds_in_order(rows: int, number: int) -> IntArray:
    """Return the fold of each of so many rows that are in order.

    Examples
    --------
    >>> folds_in_order(5, 2).tolist()
    [0, 0, 0, 1, 1]
    """
    _require_rows(rows, number)
    return np.arange(rows, dtype=np.int64) * number // rows


def _require_rows(rows: int, number: int) -> None:
    if number > rows:
        raise ParameterError(
            f"folds must be at most the number of rows: got {number} folds for {rows} rows. "
            "Use fewer folds, or give more rows."
        )
