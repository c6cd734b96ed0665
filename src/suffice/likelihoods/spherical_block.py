"""Several real columns with one variance: x_j ~ Normal(μ_jc, σ²_c w_j²) in class c, w_j the spread within classes.

Symbols: n, x̄_j, dp_j of class c in columns measured in w_j (so that units never matter), D columns, m_j the mean of all
rows; prior κ = λ, a = b = λ/2 (λ = 1 unless smoothed says otherwise).

    κ' = κ + n     m' = m + (n/κ')(x̄ − m)     a' = a + nD/2     b' = b + ½ Σ_j [dp_j + κn (x̄_j − m_j)²/κ']
    mle         σ² = Σ_j dp_j/(nD), at least var_smoothing; 1 where n = 0          smoothed    b'/a'
    joint mode  b'/(a' + 1 + D/2)          mean          b'/(a' − 1) for a' > 1, else the predictive scale²
    predictive  multivariate t of 2a' degrees, location m', scale² b'(κ' + 1)/(a'κ') times the identity
    evidence    ln Γ(a') − ln Γ(a) + a ln b − a' ln b' + ½ D ln(κ/κ') − ½ nD ln 2π, and −n ln(w_j unit_j) of each
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt

from suffice.conjugate import NormalInverseGamma
from suffice.conjugate.gamma_draws import log_gamma_draws
from suffice.conjugate.log_gamma import log_ratio
from suffice.likelihoods.aligned import table
from suffice.likelihoods.draws import Draw, require_proper
from suffice.likelihoods.gaussian_block import named, pseudo_rows
from suffice.likelihoods.likelihood import Parameter, Seen
from suffice.likelihoods.standardised_scatter import StandardisedScatter, standardised_scatter
from suffice.likelihoods.terms import FullStudent, Quadratic, Term
from suffice.likelihoods.uncertain import SpheresTerm, UncertainTerm, require_posterior
from suffice.likelihoods.wishart_posterior import block_cells
from suffice.statistics import Scatter
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["SphericalBlock"]


class _After(NamedTuple):
    # m' (C, D) in z; κ', a', b' (C); the prior's κ; w (D) in z. All but the prior's perhaps with an axis before.
    m: FloatArray
    kappa: FloatArray
    a: FloatArray
    b: FloatArray
    rows: FloatArray
    spread: FloatArray

    def scale(self) -> FloatArray:
        return self.b * (self.kappa + 1) / (self.a * self.kappa)


@final
@dataclass(frozen=True, slots=True, eq=False)
class SphericalBlock:
    """How Gaussian reads a scatter with one variance for all columns of a class."""

    var_smoothing: float

    def terms(self, seen: Seen) -> tuple[Term, ...]:
        """Return parabolas, or multivariate t."""
        values, after = self._after(seen)
        if not values.columns.size:
            return ()
        names, scale = named(seen, values), 1 / values.unit
        if seen.reading.estimate == "predictive":
            matrices = after.scale()[:, None, None] * np.eye(len(scale)) * after.spread**2
            return (FullStudent(names, values.centre, scale, after.m, matrices, 2 * after.a),)
        mean, level = self._read(seen, values, after)
        variance = level[:, None] * after.spread**2
        constant = -0.5 * np.log(2 * math.pi * variance) - np.log(values.unit)
        return (Quadratic(names, values.centre, scale, table(mean), table(0.5 / variance), table(constant)),)

    def uncertain(self, seen: Seen) -> tuple[UncertainTerm, ...]:
        """Return the posterior of means and variance."""
        values, after = self._after(seen)
        if not values.columns.size:
            return ()
        names = named(seen, values)
        require_posterior(after.rows, names)
        where = names, values.centre, values.unit
        return (SpheresTerm(*where, after.m, after.kappa, after.a, after.b, after.spread),)

    def log_evidence(self, seen: Seen) -> float:
        """Return the log density of the whole rows, means and variance integrated out."""
        values, after = self._after(seen)
        n, size = values.weight, len(values.unit)
        if not n.any() or not size:
            return 0.0
        if not (after.rows > 0).all():
            return -np.inf
        half, count = after.rows / 2, n * size
        one = NormalInverseGamma(np.zeros(len(n)), 1.0, half, half)
        squares = one.log_evidence(weight=count, mean=np.zeros(len(n)), dp=2 * (after.b - half))
        means = log_ratio(np.ones(len(n)), count) - size * log_ratio(after.rows, n)
        in_z = -n.sum() * np.log(after.spread * values.unit).sum()
        return float(np.asarray(squares).sum() + 0.5 * means.sum() + in_z)

    def parameters(self, seen: Seen, credible: float) -> Iterator[Parameter]:
        """Yield location and variance of each class and column (or location, scale and degrees)."""
        values, after = self._after(seen)
        if not values.columns.size:
            return
        estimate, unit, nothing = seen.reading.estimate, values.unit * after.spread, (math.nan, math.nan)
        mean, sigma = (after.m, after.scale()) if estimate == "predictive" else self._read(seen, values, after)
        bounds: FloatArray = np.full((2, len(sigma)), np.nan)
        if (after.rows > 0).all() and estimate != "predictive":
            found = NormalInverseGamma(np.zeros(len(sigma)), 1.0, after.a, after.b).interval(credible).variance
            bounds = np.stack([np.asarray(found.lower), np.asarray(found.upper)])
        for c, label in enumerate(seen.classes):
            for j, column in enumerate(named(seen, values)):
                location = float(values.centre[j] + values.unit[j] * mean[c, j])
                yield Parameter(label, column, None, "location", estimate, location, *nothing)
                square = float(sigma[c] * unit[j] ** 2)
                if estimate == "predictive":
                    yield Parameter(label, column, None, "scale", estimate, math.sqrt(square), *nothing)
                    yield Parameter(label, column, None, "degrees", estimate, float(2 * after.a[c]), *nothing)
                else:
                    each = float(bounds[0, c] * unit[j] ** 2), float(bounds[1, c] * unit[j] ** 2)
                    yield Parameter(label, column, None, "variance", estimate, square, *each)

    def sample(self, seen: Seen, draw: Draw) -> list[npt.NDArray[Any]]:
        """Return normal rows, or multivariate t ones where the parameters are integrated out."""
        values, after = self._after(seen)
        size = values.columns.size
        noise = draw.rng.standard_normal((draw.rows, size))
        each_row = seen.reading.estimate == "predictive" and not draw.posterior
        mean, level = (after.m, after.scale()) if each_row else self._read(seen, values, after)
        if draw.posterior and size:
            require_proper(after.rows, named(seen, values))
            level = np.exp(np.log(after.b) - log_gamma_draws(after.a, after.a.shape, draw.rng))
            means = draw.rng.standard_normal(after.m.shape)
            mean = after.m + means * after.spread * np.sqrt(level / after.kappa)[:, None]
        with np.errstate(over="ignore"):
            for c, rows in draw.groups:
                width = np.full((len(rows), 1), math.sqrt(level[c]))
                if each_row:
                    logs = log_gamma_draws(after.a[c : c + 1], (len(rows), 1), draw.rng)
                    width = width * np.exp(0.5 * (np.log(after.a[c]) - logs))
                noise[rows] = mean[c] + noise[rows] * width * after.spread
        return block_cells(_scatter(seen), values, noise, draw)

    def _after(self, seen: Seen) -> tuple[StandardisedScatter, _After]:
        values = standardised_scatter(_scatter(seen), seen.classes)
        return values, self._learnt(values, pseudo_rows(seen))

    def _learnt(self, values: StandardisedScatter, rows: FloatArray) -> _After:
        n = values.weight
        spread = np.sqrt(np.maximum(np.diagonal(values.within, axis1=-2, axis2=-1), self.var_smoothing))
        kappa = rows + n
        pull = np.where(kappa > 0, n / np.where(kappa > 0, kappa, 1.0), 0.0)[..., None]
        away = np.where(n[..., None] > 0, values.mean - values.pooled, 0.0)
        squares = np.diagonal(values.scatter, axis1=-2, axis2=-1) + (rows[:, None] * pull) * away**2
        b = rows / 2 + (squares / spread[..., None, :] ** 2).sum(axis=-1) / 2
        a = (rows + n * spread.shape[-1]) / 2
        return _After(values.pooled + pull * away, kappa, a, b, rows, spread)

    def _read(self, seen: Seen, values: StandardisedScatter, after: _After) -> tuple[FloatArray, FloatArray]:
        estimate, size = seen.reading.estimate, after.spread.shape[-1]
        if estimate == "mle":
            spread = after.spread[..., None, :]
            squares = (np.diagonal(values.scatter, axis1=-2, axis2=-1) / spread**2).sum(axis=-1)
            count = values.weight * size
            level = np.where(count > 0, squares / np.where(count > 0, count, 1.0), 1.0)
            return values.class_means, np.maximum(level, self.var_smoothing)
        if estimate == "smoothed":
            level = np.where(after.a > 0, after.b / np.where(after.a > 0, after.a, 1.0), 1.0)
            return after.m, np.maximum(level, self.var_smoothing)
        if estimate == "map":
            return after.m, after.b / (after.a + 1 + size / 2)
        above = after.a - 1
        return after.m, np.where(above > 0, after.b / np.where(above > 0, above, 1.0), after.scale())


def _scatter(seen: Seen) -> Scatter:
    (scatter,) = seen.parts
    assert isinstance(scatter, Scatter)
    return scatter
