"""Scatter of several columns in units of each column's own spread: z = (x − centre)/unit, as in standardised.py.

Symbols: class c; n, x̄, S its weight, mean vector and scatter, of the rows that have every cell of the block; N = Σ_c n.

    in z       n, (x̄ − centre)/unit, S_ij/(unit_i unit_j)
    within     W = Σ_c S/N, what is left when each class has its own mean
    total      T = Σ_c [S + n (x̄ − m)(x̄ − m)ᵀ]/N with m the mean of all rows; its diagonal is 1

Everything that is read from these is the same for x and for s x + t, column by column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from suffice.likelihoods.aligned import by_class
from suffice.likelihoods.standardised import standardised
from suffice.statistics import Axis, Scatter
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = ["StandardisedScatter", "standardised_scatter"]


@final
@dataclass(frozen=True, slots=True, eq=False)
class StandardisedScatter:
    """The columns that say something, their centre and unit (D), and in z weight (C), mean (C, D), scatter (C, D, D).

    `pooled` is the mean of all rows in z (D): what the centre, a float, rounds off. Weight, mean and scatter may have
    an axis before those, of as many sets of rows.
    """

    columns: IntArray
    centre: FloatArray
    unit: FloatArray
    pooled: FloatArray
    weight: FloatArray
    mean: FloatArray
    scatter: FloatArray

    @property
    def within(self) -> FloatArray:
        """W (D, D): 0 where nothing was seen."""
        total = self.weight.sum(axis=-1)[..., None, None]
        return self.scatter.sum(axis=-3) / np.where(total > 0, total, 1.0)

    @property
    def total(self) -> FloatArray:
        """T (D, D): 1 on the diagonal where nothing was seen."""
        total = float(self.weight.sum())
        if total <= 0:
            return np.eye(len(self.unit))
        away = self.mean - self.pooled
        between = np.einsum("c,ci,cj->ij", self.weight / total, away, away)
        return self.within + (between + between.T) / 2

    @property
    def class_means(self) -> FloatArray:
        """The mean of each class (C, D); of one without rows that of all."""
        return np.where(self.weight[..., None] > 0, self.mean, self.pooled)


def standardised_scatter(scatter: Scatter, classes: Axis, spare_unit: FloatArray | None = None) -> StandardisedScatter:
    """Return the scatter in z, without the columns that are constant (v = 0).

    Parameters
    ----------
    spare_unit : array (D), optional
        The unit of a constant column, where a prior of the user's knows one; such columns then stay.
    """
    values = standardised(scatter.moments(), classes, spare_unit)
    some, unit = values.columns, values.unit
    if not len(classes):
        none = np.zeros(0)
        return StandardisedScatter(some, none, none, none, none, np.zeros((0, 0)), np.zeros((0, 0, 0)))
    weight = by_class(scatter.weight, scatter.classes, classes)
    matrices = by_class(scatter.scatter, scatter.classes, classes)[:, some[:, None], some]
    matrices = matrices / unit[:, None] / unit
    return StandardisedScatter(some, values.centre, unit, values.pooled, weight, values.mean, matrices)
