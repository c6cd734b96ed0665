"""Totals beyond the largest float, though no part of them is: as they are printed, and shares of them."""

from __future__ import annotations

import math

import numpy as np

from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["shown_total", "summable"]


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


def summable(values: FloatArray) -> FloatArray:
    """Return values ≥ 0 in a unit in which their sum is a float: as they are, or times 2⁻⁶⁴ where it is not.

    Examples
    --------
    >>> summable(np.array([1e308, 1e308])).sum() < np.inf
    True
    """
    with np.errstate(over="ignore"):
        total = values.sum()
    return values if np.isfinite(total) else values * 2.0**-64
