"""Real numbers drawn from a Gaussian block, in the units of standardised.py.

Symbols: posterior (m', κ', a', b') of each class and column (gaussian_posterior.py); N ~ Normal(0, 1), G ~ Gamma(a').

    plugged in    z = μ + σ N
    posterior     σ² = b'/G, one for all classes where it is shared;  μ = m' + √(σ²/κ') N
    predictive    Student-t of 2a' degrees: z = m' + √(b'(κ' + 1)/κ') N/√G, each cell with a G of its own
    constant      a column without spread is its one value, one that was never observed is missing
"""

from __future__ import annotations

import numpy as np

from suffice.conjugate.gamma_draws import log_gamma_draws
from suffice.likelihoods.draws import Draw
from suffice.likelihoods.gaussian_posterior import Posterior
from suffice.statistics import Moments
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["constants", "normals", "parameters_drawn", "students"]


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
