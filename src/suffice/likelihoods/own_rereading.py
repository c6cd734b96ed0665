"""Densities that are read once more, from the statistics without the row: terms beside those of own_terms.py.

What the classes have in common (a variance, a matrix, the columns' spread within them, what a matrix is pulled toward)
moves for all of them when a row leaves one, and few of these movements have a formula that is shorter than the reading
itself. So the term holds the statistics with the row and the reading; whoever scores takes the row out,

    n'' = n − u     x̄'' = x̄ − (u/n'')(z − x̄)     S'' = S − u (n/n'')(z − x̄)(z − x̄)ᵀ     of its own class, u its weight

for many rows at a time (an axis before those of the classes), and reads what is left. Held fixed, at what all rows say:
centre, unit and `pooled` of the columns (the default prior's m and v, and so the least variance), which columns say
something, T of a class that has no row left, and whatever a likelihood chooses by all rows.

    SpreadDensities   normal or Student-t of each column by itself, or multivariate t whose matrix is diagonal
    ShapeDensities    normal or multivariate t with matrices: one for each class, or one for all (K = 1)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from suffice.likelihoods.standardised import Standardised
from suffice.likelihoods.standardised_scatter import StandardisedScatter
from suffice.likelihoods.terms import Term
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["OwnColumns", "OwnRows", "ShapeDensities", "SpreadDensities"]


@final
@dataclass(frozen=True, slots=True, eq=False)
class SpreadDensities:
    """Of R rows in z: m and variance (R, C, D), a class axis of 1 where all have the same.

    degrees of Student-t in each column, of that shape, or of multivariate t over all of them, (R, C); None of normal
    densities. Then `variance` is the square of the scale.
    """

    m: FloatArray
    variance: FloatArray
    degrees: FloatArray | None = None


@final
@dataclass(frozen=True, slots=True, eq=False)
class ShapeDensities:
    """Of R rows in z: m (R, C, D) and matrices (R, K, D, D), which count `factor` (R, C) times.

    degrees of multivariate t (R, C), or None of normal densities; `least` and `drop` as FullQuadratic has them, where
    directions are dropped in units of each column's own spread in the matrix.
    """

    m: FloatArray
    matrices: FloatArray
    factor: FloatArray
    degrees: FloatArray | None = None
    least: float = 0.0
    drop: bool = False


@final
@dataclass(frozen=True, slots=True, eq=False)
class OwnColumns:
    """Columns each by itself: what was seen (C, D), and how it is read. A missing cell is not taken out.

    `whole` are the terms with the row, whose scores the densities replace for all classes.
    """

    columns: Columns
    values: Standardised
    read: Callable[[Standardised], SpreadDensities]
    whole: tuple[Term, ...]
    unit: float


@final
@dataclass(frozen=True, slots=True, eq=False)
class OwnRows:
    """Columns together: a row with a missing cell was not counted, so nothing of it is taken out.

    `read` is given the statistics of some classes, and which those are. Where `moving` it needs all of them, and the
    densities replace the scores of `whole` for all; else that of the own class alone.
    """

    columns: Columns
    values: StandardisedScatter
    read: Callable[[StandardisedScatter, slice], SpreadDensities | ShapeDensities]
    whole: tuple[Term, ...]
    unit: float
    moving: bool
