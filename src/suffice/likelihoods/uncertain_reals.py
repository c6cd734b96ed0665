"""Real numbers whose means and variances have a posterior, in the units of standardised.py (uncertain.py: cumulants).

Symbols: posterior (m', κ', a', b') of each class and column, (m', κ', ν', Ψ') of columns together. Draws are those of
gaussian_draws.py and gaussian_block_draws.py; a variance is kept from 1e-300 to 1e300 and a mean within ±1e150.

Where classes share a variance or a matrix they are not independent: then there are draws and no cumulants.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from suffice.conjugate.gamma_draws import log_gamma_draws
from suffice.likelihoods.aligned import table
from suffice.likelihoods.gaussian_block_draws import matrices_drawn
from suffice.likelihoods.gaussian_draws import parameters_drawn
from suffice.likelihoods.gaussian_posterior import Posterior
from suffice.likelihoods.terms import FullQuadratic, Quadratic
from suffice.likelihoods.uncertain import UncertainTerm
from suffice.likelihoods.wishart_posterior import WishartPosterior
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["EllipsesTerm", "ParabolasTerm", "SpheresTerm"]

_LEAST, _GREATEST, _FAR = 1e-300, 1e300, 1e150


@final
@dataclass(frozen=True, slots=True, eq=False)
class ParabolasTerm(UncertainTerm):
    """Columns each by itself: centre and unit of length D, the posterior (C, D) in z."""

    columns: Columns
    centre: FloatArray
    unit: FloatArray
    after: Posterior
    shared: bool

    def drawn(self, rng: np.random.Generator) -> Quadratic:
        """Return parabolas of means and variances that are drawn."""
        location, variance = parameters_drawn(self.after, rng, shared=self.shared)
        return _parabolas(self.columns, self.centre, self.unit, location, variance)

    def without(self, columns: Collection[str | int]) -> ParabolasTerm:
        """Return the term of the other columns."""
        kept = [j for j, column in enumerate(self.columns) if column not in columns]
        after = self.after
        m, kappa, a, b = (each[:, kept] for each in (after.m, after.kappa, after.a, after.b))
        return replace(
            self,
            columns=tuple(self.columns[j] for j in kept),
            centre=self.centre[kept],
            unit=self.unit[kept],
            after=Posterior(m, kappa, a, b, after.of_mode),
        )


@final
@dataclass(frozen=True, slots=True, eq=False)
class EllipsesTerm(UncertainTerm):
    """Columns together: a matrix for each class, or one for all."""

    columns: Columns
    centre: FloatArray
    unit: FloatArray
    after: WishartPosterior

    def drawn(self, rng: np.random.Generator) -> FullQuadratic:
        """Return normal densities of mean vectors and matrices that are drawn."""
        location, matrices = matrices_drawn(self.after, rng)
        return FullQuadratic(self.columns, self.centre, 1 / self.unit, location, matrices, 0.0)


@final
@dataclass(frozen=True, slots=True, eq=False)
class SpheresTerm(UncertainTerm):
    """Columns together with one variance: m' (C, D) in z, κ', a', b' (C), the spread w (D) of spherical_block.py."""

    columns: Columns
    centre: FloatArray
    unit: FloatArray
    m: FloatArray
    kappa: FloatArray
    a: FloatArray
    b: FloatArray
    spread: FloatArray

    def drawn(self, rng: np.random.Generator) -> Quadratic:
        """Return parabolas of means and variances that are drawn."""
        with np.errstate(over="ignore"):
            level = np.exp(np.log(self.b) - log_gamma_draws(self.a, self.a.shape, rng))[:, None]
        level = np.clip(level, _LEAST, _GREATEST)
        noise = rng.standard_normal(self.m.shape)
        location = self.m + noise * self.spread * np.sqrt(level / self.kappa[:, None])
        return _parabolas(self.columns, self.centre, self.unit, location, level * self.spread**2)


def _parabolas(
    columns: Columns, centre: FloatArray, unit: FloatArray, location: FloatArray, variance: FloatArray
) -> Quadratic:
    within = np.clip(variance, _LEAST, _GREATEST)
    constant = -0.5 * (math.log(2 * math.pi) + np.log(within)) - np.log(unit)
    tables = table(np.clip(location, -_FAR, _FAR)), table(0.5 / within), table(constant)
    return Quadratic(columns, centre, 1 / unit, *tables)
