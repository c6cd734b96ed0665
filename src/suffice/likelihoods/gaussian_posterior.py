"""The posterior of a Gaussian's mean and variance per class and column, in the units of standardised.py.

Symbols: prior (m, κ, a, b), data n, x̄, dp; all arrays (C, D), those of the data perhaps with an axis before, of as many
sets of rows. With a variance for each class ("diagonal"):

    κ' = κ + n     m' = m + (n/κ')(x̄ − m)     extra = ½ dp + κ n (x̄ − m)²/(2κ')     a' = a + n/2     b' = b + extra
    joint mode  σ² = b'/(a' + 3/2)        mean  σ² = b'/(a' − 1) for a' > 1, else the predictive scale²
    predictive  Student-t, 2a' degrees, location m', scale² b'(κ' + 1)/(a'κ')

With one variance for all classes ("shared"; C means and one σ², prior a, b of the column) the same, but

    a' = a + Σ_c n/2     b' = b + Σ_c extra     joint mode  σ² = b'/(a' + 1 + C/2)

    evidence   ln Γ(a') − ln Γ(a) + a ln b − a' ln b' + ½ Σ ln(κ/κ') − (Σ n/2) ln 2π, and −n ln unit for x instead of z

Cells are drawn with N ~ Normal(0, 1) and G ~ Gamma(a'):

    plugged in    z = μ + σ N
    posterior     σ² = b'/G, one for all classes where it is shared;  μ = m' + √(σ²/κ') N
    predictive    Student-t of 2a' degrees: z = m' + √(b'(κ' + 1)/κ') N/√G, each cell with a G of its own
    constant      a column without spread is its one value, one that was never observed is missing

Of Student-t, columns whose exponents agree in every class share one term.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from suffice.conjugate import NormalInverseGamma
from suffice.conjugate.gamma_draws import log_gamma_draws
from suffice.conjugate.log_gamma import log_ratio, log_rising
from suffice.errors import ParameterError
from suffice.likelihoods.aligned import table
from suffice.likelihoods.draws import Draw
from suffice.likelihoods.standardised import Standardised
from suffice.likelihoods.terms import Student
from suffice.statistics import Moments
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray

__all__ = [
    "Posterior",
    "Prior",
    "column_evidence",
    "constants",
    "normals",
    "parameters_drawn",
    "posterior",
    "posterior_terms",
    "student_terms",
    "students",
]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """m, κ, a, b of each class and column, in z."""

    m: FloatArray
    kappa: FloatArray
    a: FloatArray
    b: FloatArray

    def nothing(self) -> Prior:
        """Return the same location, worth no rows: the posterior is then the mle."""
        zero = np.zeros_like(self.m)
        return Prior(self.m, zero, zero, zero)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """m', κ', a', b' of each class and column, in z, and what the joint mode adds to a'."""

    m: FloatArray
    kappa: FloatArray
    a: FloatArray
    b: FloatArray
    of_mode: float

    def model(self) -> NormalInverseGamma:
        """Return the posterior as a conjugate model."""
        return NormalInverseGamma(self.m, self.kappa, self.a, self.b)


def posterior(seen: Standardised, prior: Prior, *, shared: bool) -> Posterior:
    """Return the posterior; where κ' = 0 (nothing seen, λ = 0) it says nothing: m' = m."""
    n, kappa = seen.weight, prior.kappa + seen.weight
    pull = np.where(kappa > 0, n / np.where(kappa > 0, kappa, 1.0), 0.0)
    m = prior.m + pull * (seen.mean - prior.m)
    extra = _extra(seen, prior)
    if not shared:
        return Posterior(m, kappa, prior.a + n / 2, prior.b + extra, 1.5)
    a, b = _of_column(prior)
    a, b = a + n.sum(axis=-2, keepdims=True) / 2, b + extra.sum(axis=-2, keepdims=True)
    return Posterior(m, kappa, np.broadcast_to(a, n.shape), np.broadcast_to(b, n.shape), 1 + n.shape[-2] / 2)


def column_evidence(seen: Standardised, prior: Prior, *, shared: bool) -> FloatArray:
    """Return the log density of the values of each column (D), in the unit of x, summed over the classes."""
    if not seen.weight.any():
        return np.zeros_like(seen.unit)
    if not (prior.kappa > 0).all():  # λ = 0: there is no prior to integrate over
        return np.where(seen.weight.any(axis=0), -np.inf, 0.0)
    in_z: FloatArray = -(seen.weight * np.log(seen.unit)).sum(axis=0)
    if not shared:
        model = NormalInverseGamma(prior.m, prior.kappa, prior.a, prior.b)
        of_class: FloatArray = np.asarray(model.log_evidence(weight=seen.weight, mean=seen.mean, dp=seen.dp))
        return in_z + of_class.sum(axis=0)
    # One variance: as if all the deviations were of one class whose mean is known, and the means' part by itself.
    (a, b), n, one = _of_column(prior), seen.weight.sum(axis=0), np.ones(1)
    squares = 2 * _extra(seen, prior).sum(axis=0)
    variance = NormalInverseGamma(0, 1, a, b).log_evidence(weight=n, mean=np.zeros_like(n), dp=squares)
    means = 0.5 * log_ratio(one, n) - 0.5 * log_ratio(prior.kappa, seen.weight).sum(axis=0)
    return in_z + variance + means


def _extra(seen: Standardised, prior: Prior) -> FloatArray:
    kappa = prior.kappa + seen.weight
    share = np.where(kappa > 0, prior.kappa / np.where(kappa > 0, kappa, 1.0), 0.0)
    with np.errstate(over="ignore"):
        return seen.dp / 2 + seen.weight * share * (seen.mean - prior.m) ** 2 / 2


def _of_column(prior: Prior) -> tuple[FloatArray, FloatArray]:
    if (prior.a != prior.a[:1]).any() or (prior.b != prior.b[:1]).any():
        raise ParameterError(
            "a shared variance has one prior for all classes: shape or scale differ between classes. "
            "Give the same for every class, or covariance='diagonal'."
        )
    return prior.a[0], prior.b[0]


def constants(moments: Moments, draw: Draw) -> FloatArray:
    """Return rows of the mean of each column in the class that has most of it, NaN where nothing was observed."""
    cells = np.full((draw.rows, len(moments.columns)), np.nan)
    if len(moments.classes):
        heaviest, across = moments.weight.argmax(axis=0), np.arange(len(moments.columns))
        cells[:] = np.where(moments.weight[heaviest, across] > 0, moments.mean[heaviest, across], np.nan)
    return cells


def normals(location: FloatArray, variance: FloatArray, draw: Draw) -> FloatArray:
    """Return a normal number for each row and column, with the mean and variance (C, D) of its class."""
    noise = draw.rng.standard_normal((draw.rows, location.shape[1]))
    return location[draw.classes] + np.sqrt(variance)[draw.classes] * noise


def parameters_drawn(after: Posterior, rng: np.random.Generator, *, shared: bool) -> tuple[FloatArray, FloatArray]:
    """Return one draw of μ and σ² of every class and column."""
    shape = after.a[:1] if shared else after.a
    log_variance = np.log(after.b[:1] if shared else after.b) - log_gamma_draws(shape, shape.shape, rng)
    with np.errstate(over="ignore"):
        variance = np.broadcast_to(np.exp(log_variance), after.m.shape)
        deviation = np.exp(0.5 * (log_variance - np.log(after.kappa)))
        return after.m + deviation * rng.standard_normal(after.m.shape), variance


def students(after: Posterior, draw: Draw) -> FloatArray:
    """Return a Student-t number for each row and column."""
    noise = draw.rng.standard_normal((draw.rows, after.m.shape[1]))
    spread = np.log(after.b) + np.log1p(1 / after.kappa)
    cells = np.empty_like(noise)
    with np.errstate(over="ignore"):
        for c, rows in draw.groups:
            logs = log_gamma_draws(after.a[c], (len(rows), after.m.shape[1]), draw.rng)
            cells[rows] = after.m[c] + noise[rows] * np.exp(0.5 * (spread[c] - logs))
    return cells


def posterior_terms(names: Columns, values: Standardised, after: Posterior) -> Iterator[Student]:
    """Yield what a posterior says of one more row, its parameters integrated out (gaussian_posterior.py)."""
    wider = after.b * ((after.kappa + 1) / after.kappa)
    c = log_rising(after.a, np.asarray(0.5)) - 0.5 * np.log(2 * math.pi * wider) - np.log(values.unit)
    return student_terms(names, values, after.m, 0.5 / wider, c, after.a + 0.5)


def student_terms(
    names: Columns, values: Standardised, m: FloatArray, s: FloatArray, c: FloatArray, e: FloatArray
) -> Iterator[Student]:
    """Yield c − e ln(1 + (z − m)² s), arrays of shape (C, D): one term for all columns, unless cells are missing."""
    scale = 1 / values.unit
    if (e == e[:, :1]).all():
        yield Student(names, values.centre, scale, table(m), table(s), table(c), e[:, 0].copy())
        return
    distinct, group = np.unique(e, axis=1, return_inverse=True)
    for k in range(distinct.shape[1]):
        at = np.flatnonzero(group == k)
        columns = tuple(names[j] for j in at.tolist())
        tables = table(m[:, at]), table(s[:, at]), table(c[:, at])
        yield Student(columns, values.centre[at], scale[at], *tables, distinct[:, k].copy())
