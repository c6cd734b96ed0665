"""What can be read from binned columns without a prior: quantiles, cells of equal mass, and masses of cells.

Symbols, for one column: fine bins 1 … B with lower and upper edges (float_keys.py), weight w_b, M_b = w_1 + … + w_b.

    quantile q   the lower edge of the first bin with M_b ≥ q M_B, where −inf is a bin before the first and +inf one
                 after the last: the inverse of the distribution function. At shift 0 it is the value itself
                 (numpy.quantile, method="inverted_cdf"); else the quantile lies in that bin. Nothing seen: NaN
    cells        m cells between cut points e_0 < e_1 < … < e_m: cell i holds e_{i−1} ≤ x < e_i; density = mass / width
    equal mass   cut i of k − 1 falls after the fine bin b with M_b nearest to i M_B / k, the lower b of two as near;
                 equal cuts are one, so few distinct values give fewer cells, and no fine bin is split. The cut stands
                 half-way between upper_b and lower_{b+1}; e_0 is lower_1, and e_m the smallest float above upper_B
    mass         the weight of the fine bins whose lower edge is in the cell; the end cells also take what is outside

Infinite values have no cell: their weights are below and above. Weights so large that their sum would overflow are
read as 2⁻¹²⁸ of themselves, which moves no quantile and no cut.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = ["cell_masses", "equal_mass_cuts", "inverse_distribution", "summable"]

_HIGHEST = float(np.finfo(np.float64).max)
_SUMMABLE = 2.0**896  # 2¹²⁸ of them do not overflow


def summable(weight: FloatArray, axis: int | None = None) -> FloatArray:
    """Return the weights, or 2⁻¹²⁸ of them where their sum along the axis (or of all) may overflow."""
    large = weight.max(axis=axis, keepdims=True, initial=0.0) > _SUMMABLE
    return np.where(large, 2.0**-128 * weight, weight) if large.any() else weight


def inverse_distribution(q: FloatArray, weight: FloatArray, lower: FloatArray) -> FloatArray:
    """Return the quantiles (R × Q) of R rows of weights of one column, R × (B + 2): of −inf, the B bins and +inf."""
    mass = np.cumsum(summable(weight, 1), axis=1)
    values = np.concatenate([[-np.inf], lower, [np.inf]])
    found = np.full((len(mass), len(q)), np.nan)
    for row in np.flatnonzero(mass[:, -1] > 0).tolist():
        # For q = 0: the first bin that has any weight.
        found[row] = values[np.searchsorted(mass[row], np.maximum(q * mass[row, -1], np.nextafter(0.0, 1.0)))]
    return found


def equal_mass_cuts(cells: int, weight: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Return the cut points, ends included, of at most `cells` cells over the fine bins of one column."""
    if len(weight) == 0:
        return np.zeros(0)
    mass = np.cumsum(weight)
    wanted = mass[-1] * (np.arange(1, cells) / cells)
    # The first bin that reaches what is wanted: the nearest is this one or the one before.
    reached = cast("IntArray", np.searchsorted(mass, wanted))
    before, after = np.maximum(reached - 1, 0), np.minimum(reached, len(mass) - 1)
    nearest: IntArray = np.unique(np.where(wanted - mass[before] <= mass[after] - wanted, before, after))
    nearest = nearest[nearest < len(mass) - 1]
    left, right = upper[nearest], lower[nearest + 1]
    middle = left + (0.5 * right - 0.5 * left)
    inner = np.where((middle > left) & (middle <= right), middle, right)
    end = np.nextafter(upper[-1], np.inf) if upper[-1] < _HIGHEST else _HIGHEST
    start = np.minimum(lower[0], np.nextafter(end, -np.inf))
    return np.concatenate([[start], inner[inner < end], [end]])


def cell_masses(cuts: FloatArray, weight: FloatArray, lower: FloatArray) -> FloatArray:
    """Return the mass (R × m) of each cell for R rows of bin weights (R × B) of one column."""
    cells = max(len(cuts) - 1, 0)
    cell: IntArray = np.searchsorted(cuts[1:-1], lower, side="right")
    masses = np.zeros((len(weight), cells))
    for row in range(len(weight)):
        masses[row] = np.bincount(cell, weights=weight[row], minlength=cells)
    return masses
