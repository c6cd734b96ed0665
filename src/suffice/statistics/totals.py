"""Totals beyond the largest float, though no part of them is: as they are printed, and shares of them."""

from __future__ import annotations

import math

import numpy as np

from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["rescaled", "shown_total"]


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


def rescaled(weights: FloatArray) -> FloatArray:
    """Return weights ≥ 0 of which only ratios matter, so that their sum and products of sums are floats.

    They stay as they are unless the greatest is beyond 2^±400; then a power of two brings it to between 1 and 2.

    Examples
    --------
    >>> rescaled(np.array([1e308, 5e307])).round(2)
    array([1.11, 0.56])
    """
    greatest = float(weights.max(initial=0.0))
    if greatest == 0 or 2.0**-400 <= greatest <= 2.0**400:
        return weights
    return np.ldexp(weights, 1 - math.frexp(greatest)[1])
