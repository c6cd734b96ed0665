"""Moments of real columns in units of each column's own spread: z = (x − centre)/unit.

Symbols: class c, column j; n, x̄, dp the weight, mean and Σ w (x − x̄)² of class c in column j.

    centre   the mean of the column over all rows, whatever their class            N = Σ_c n
    v        Σ_c [dp + n (x̄ − centre)²]/N, its variance                            unit = √v
    in z     n, (x̄ − centre)/unit, dp/v

Everything that is read from these is the same for x and for s x + t: rescaling a column changes no class posterior.
The means' low parts enter, so that a spread of 1 at a mean of 10⁹ keeps its digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from suffice.errors import DataError
from suffice.likelihoods.aligned import by_class
from suffice.statistics import Axis, Moments
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = ["Standardised", "standardised"]

# Values that differ do so by 2⁻⁵³ of their size or more; what subtractions leave of a mean is below 2⁻⁹⁶ of it.
_ROUNDING = 2.0**-80


@final
@dataclass(frozen=True, slots=True, eq=False)
class Standardised:
    """The columns that say something, their centre and unit (D), and their moments in z (C, D).

    `pooled` is the column's mean in z (D): what the centre, a float, rounds off.
    """

    columns: IntArray
    centre: FloatArray
    unit: FloatArray
    pooled: FloatArray
    weight: FloatArray
    mean: FloatArray
    dp: FloatArray


def standardised(moments: Moments, classes: Axis, spare_unit: FloatArray | None = None) -> Standardised:
    """Return the moments in z, without the columns that are constant (v = 0).

    Parameters
    ----------
    spare_unit : array (D), optional
        The unit of a constant column, where a prior of the user's knows one; such columns then stay.
    """
    n = by_class(moments.weight, moments.classes, classes)
    high, low = (by_class(each, moments.classes, classes) for each in (moments.mean, moments.mean_low))
    dp = by_class(moments.dp, moments.classes, classes)
    if not len(classes):
        none = np.zeros((0, 0))
        return Standardised(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0), np.zeros(0), none, none, none)
    total = n.sum(axis=0)
    heaviest, across = n.argmax(axis=0), np.arange(n.shape[1], dtype=np.int64)
    base, base_low = high[heaviest, across], low[heaviest, across]
    with np.errstate(over="ignore", invalid="ignore"):
        share = n / np.where(total > 0, total, 1.0)
        offset = np.where(n > 0, (high - base) + (low - base_low), 0.0)
        centre = base + (base_low + (share * offset).sum(axis=0))
        deviation = np.where(n > 0, (high - centre) + low, 0.0)
        rounded = (share * deviation).sum(axis=0)  # what the centre, a float, has lost of the mean
        variance = (dp / np.where(total > 0, total, 1.0) + share * (deviation - rounded) ** 2).sum(axis=0)
    if not np.isfinite(variance).all():
        bad = moments.columns[int(np.argmin(np.isfinite(variance)))]
        raise DataError(f"the spread of column {bad!r} is beyond float64: its classes are too far apart. Rescale it.")
    unit = np.sqrt(variance)
    unit = np.where(unit > _ROUNDING * np.abs(centre), unit, 0.0)
    if spare_unit is not None:
        unit = np.where(unit > 0, unit, spare_unit)
    some = np.flatnonzero(unit > 0)
    unit, mean = unit[some], deviation[:, some] / unit[some]
    pooled = (share[:, some] * mean).sum(axis=0)
    return Standardised(some, centre[some], unit, pooled, n[:, some], mean, dp[:, some] / unit / unit)
