"""The total of a statistic as it is printed: also where it is beyond the largest float, though no part of it is."""

from __future__ import annotations

import math

import numpy as np

from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["shown_total"]


def shown_total(*parts: FloatArray) -> str:
    """Return the sum of all entries in words.

    Examples
    --------
    >>> shown_total(np.array([1.5, 2.5])), shown_total(np.array([1e308, 1e308]))
    ('4', 'above 1.79769e+308')
    """
    with np.errstate(over="ignore"):
        total = float(sum(float(part.sum()) for part in parts))
    return f"{total:g}" if math.isfinite(total) else f"above {np.finfo(np.float64).max:g}"
