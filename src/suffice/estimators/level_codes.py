"""Cells as scikit-learn reads codes of levels: cut to whole numbers, NaN where a cell is missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from suffice.estimators.scores import require_finite

__all__ = ["level_codes"]

_ROWS = 65_536
_HIGHEST = 2.0**62


def level_codes(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return cells of whole numbers as they are, bools as 0 and 1, and real ones cut: as integers where none is NaN.

    Examples
    --------
    >>> level_codes(np.array([[2.0, 1.7], [3.0, 0.0]]))
    array([[2, 1],
           [3, 0]])
    >>> level_codes(np.array([[2.0, 1.7], [np.nan, 0.0]]))
    array([[ 2.,  1.],
           [nan,  0.]])
    """
    if x.dtype.kind == "b":
        return x.view(np.uint8)
    if x.dtype.kind != "f":
        return x
    require_finite(x)
    if np.isnan(np.add.reduce(x, axis=None)):
        return np.trunc(x)
    codes = np.empty(x.shape, dtype=np.int64)
    for first in range(0, len(x), _ROWS):
        codes[first : first + _ROWS] = np.clip(x[first : first + _ROWS], -_HIGHEST, _HIGHEST)
    return codes
