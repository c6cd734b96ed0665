"""Rows of several real columns together, drawn in the units of standardised_scatter.py.

Symbols: posterior (m', κ', ν', Ψ') (wishart_posterior.py); ε a vector of standard normals, G ~ Gamma(f/2).

    plugged in    z = μ + A ε with A Aᵀ = Σ as it is read
    posterior     Σ ~ InverseWishart(ν', Ψ'), one for all classes where it is shared;  μ = m' + A ε/√κ'
    predictive    multivariate t of f degrees: z = m' + A ε √(f/2G), A Aᵀ its scale, each row with a G of its own
    constant      a column without spread is its one value, one that was never observed is missing
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from suffice.conjugate import NormalInverseWishart
from suffice.conjugate.gamma_draws import log_gamma_draws
from suffice.likelihoods.draws import Draw
from suffice.likelihoods.gaussian_draws import constants
from suffice.likelihoods.standardised_scatter import StandardisedScatter, moments_of
from suffice.likelihoods.whitening import roots
from suffice.likelihoods.wishart_posterior import WishartPosterior
from suffice.statistics import Scatter
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["block_cells", "block_normals", "block_students", "matrices_drawn"]


def block_cells(scatter: Scatter, values: StandardisedScatter, z: FloatArray, draw: Draw) -> list[npt.NDArray[Any]]:
    """Return the cells of each column of the block, given z of the columns that say something."""
    cells = constants(moments_of(scatter), draw)
    greatest = np.finfo(np.float64).max
    if values.columns.size:
        with np.errstate(over="ignore"):
            cells[:, values.columns] = np.clip(values.centre + values.unit * z, -greatest, greatest)
    return [cells[:, j] for j in range(len(scatter.columns))]


def block_normals(location: FloatArray, matrices: FloatArray, least: float, draw: Draw, *, drop: bool) -> FloatArray:
    """Return a normal row for each class that is asked for: location (C, D), a matrix for each class or one for all."""
    noise = draw.rng.standard_normal((draw.rows, location.shape[1]))
    root = roots(matrices, least, drop=drop)
    for c, rows in draw.groups:
        noise[rows] = location[c] + noise[rows] @ root[c if len(root) > 1 else 0].T
    return noise


def block_students(after: WishartPosterior, draw: Draw) -> FloatArray:
    """Return a multivariate t row for each class that is asked for."""
    noise = draw.rng.standard_normal((draw.rows, after.m.shape[1]))
    root = roots(after.predictive_scale(), 0.0, drop=False)
    half = np.broadcast_to(after.degrees, after.kappa.shape) / 2
    with np.errstate(over="ignore"):
        for c, rows in draw.groups:
            logs = log_gamma_draws(half[c : c + 1], (len(rows), 1), draw.rng)
            noise[rows] = after.m[c] + noise[rows] @ root[c].T * np.exp(0.5 * (np.log(half[c]) - logs))
    return noise


def matrices_drawn(after: WishartPosterior, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Return one draw of μ (C, D) and Σ (C or 1, D, D)."""
    if len(after.psi) == len(after.m):
        drawn = after.model().sample(1, rng)
        return drawn.location[0], drawn.covariance[0]
    size = after.psi.shape[-1]
    matrix = NormalInverseWishart(np.zeros(size), 1.0, after.nu[0], after.psi[0]).sample(1, rng).covariance
    noise = rng.standard_normal(after.m.shape) @ roots(matrix, 0.0, drop=False)[0].T
    return after.m + noise / np.sqrt(after.kappa)[:, None], matrix
