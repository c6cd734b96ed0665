"""The columns of a block, out of the rows: a view where the layout allows, never a copy of a dense matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.statistics.columns import Columns

__all__ = ["select_columns", "slice_of"]


def slice_of(columns: Columns) -> slice | None:
    """Return the slice that these positions are, or None when they are not evenly spaced."""
    at = np.asarray(columns, dtype=np.int64)
    if len(at) == 1:
        return slice(int(at[0]), int(at[0]) + 1)
    step = int(at[1] - at[0])
    if step <= 0 or (np.diff(at) != step).any():
        return None
    return slice(int(at[0]), int(at[-1]) + 1, step)


def select_columns(x: Any, columns: Columns) -> Any:
    """Return the columns as an engine takes them: a matrix, a sparse matrix, or a list of 1-D columns."""
    if len(columns) == x.shape[1]:
        return x
    if hasattr(x, "tocsr"):
        return x[:, list(columns)]
    even = slice_of(columns)
    return [x[:, j] for j in columns] if even is None else x[:, even]
