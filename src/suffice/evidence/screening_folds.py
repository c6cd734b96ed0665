"""Which rows are held out together while a threshold is chosen, where they have an order.

Fold f is the f-th of k stretches of the rows in their order, of equal length: what is close in time is held out
together, so that no fold is told by its neighbours. Rows without an order are dealt (evaluation/splits.py).
"""

from __future__ import annotations

import numpy as np

from suffice.errors import ParameterError
from suffice.statistics.frozen_arrays import IntArray

__all__ = ["folds_in_order", "require_folds"]


def folds_in_order(rows: int, number: int) -> IntArray:
    """Return the fold of each of so many rows that are in order.

    Examples
    --------
    >>> folds_in_order(5, 2).tolist()
    [0, 0, 0, 1, 1]
    """
    return np.arange(rows, dtype=np.int64) * number // rows


def require_folds(rows: int, number: int) -> None:
    """Raise ParameterError where there are more folds than rows."""
    if number > rows:
        raise ParameterError(
            f"folds must be at most the number of rows: got {number} folds for {rows} rows. "
            "Use fewer folds, or give more rows."
        )
