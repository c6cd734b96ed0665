"""Statistics of a class without one of its rows, for many rows at a time: what own_rereading.py reads.

Symbols: z a row of class y in the columns' units, u the weight that is taken out; n, x̄, dp, S of class y.

    n'' = n − u     x̄'' = x̄ − (u/n'')(z − x̄)     dp'' = dp − u (n/n'')(z − x̄)²     S'' = S − u (n/n'')(z − x̄)(z − x̄)ᵀ

What is left of n, or of a variance in S, below 2⁻⁴⁰ of it is rounding, and 0: a column of S without variance says
nothing. The other classes stay. Arrays have an axis of rows R before those of the classes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from suffice.likelihoods.standardised import Standardised
from suffice.likelihoods.standardised_scatter import StandardisedScatter
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = ["moments_without", "scatter_without"]

_ROUNDING = 2.0**-40


def moments_without(values: Standardised, z: FloatArray, own: IntArray, unit: float) -> Standardised:
    """Return the moments (R, C, D) without each of these rows (R, D); what is missing of a row is not taken out."""
    n, mean, dp = values.weight[own], values.mean[own], values.dp[own]
    known = ~np.isnan(z)
    left = _left(n, np.where(known, unit, 0.0))
    some = left > 0
    away = np.where(known, z - mean, 0.0)
    moved = np.where(known & some, unit / np.where(some, left, 1.0), 0.0) * away
    rest = dp - n * moved * away
    return replace(
        values,
        weight=_with(values.weight, own, left),
        mean=_with(values.mean, own, np.where(some, mean - moved, 0.0)),
        dp=_with(values.dp, own, np.where(some, np.maximum(rest, 0.0), 0.0)),
    )


def scatter_without(values: StandardisedScatter, z: FloatArray, own: IntArray, unit: float) -> StandardisedScatter:
    """Return weight (R, C), mean (R, C, D) and scatter (R, C, D, D) without each of these whole rows (R, D)."""
    n, mean, scatter = values.weight[own], values.mean[own], values.scatter[own]
    left = _left(n, np.full(len(n), unit))
    some = left > 0
    away = z - mean
    moved = (np.where(some, unit / np.where(some, left, 1.0), 0.0))[:, None] * away
    rest = scatter - n[:, None, None] * moved[:, :, None] * away[:, None, :]
    before, after = (np.diagonal(each, axis1=1, axis2=2) for each in (scatter, rest))
    there = some[:, None] & (after > _ROUNDING * before)
    rest = np.where(there[:, :, None] & there[:, None, :], (rest + rest.swapaxes(1, 2)) / 2, 0.0)
    return replace(
        values,
        weight=_with(values.weight, own, left),
        mean=_with(values.mean, own, np.where(some[:, None], mean - moved, 0.0)),
        scatter=_with(values.scatter, own, rest),
    )


def _left(n: FloatArray, taken: FloatArray) -> FloatArray:
    return np.where(n - taken > _ROUNDING * n, n - taken, 0.0)


def _with(by_class: FloatArray, own: IntArray, of_own: FloatArray) -> FloatArray:
    found = np.broadcast_to(by_class, (len(own), *by_class.shape)).copy()
    found[np.arange(len(own)), own] = of_own
    return found
