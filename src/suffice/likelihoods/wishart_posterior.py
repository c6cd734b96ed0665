"""The posterior of mean vectors and covariance matrices per class, in the units of standardised_scatter.py.

Symbols: prior (m, κ, ν, Ψ) of each class; data n, x̄, S. With a matrix for each class ("full"):

    κ' = κ + n     m' = m + (n/κ')(x̄ − m)     extra = S + (κn/κ')(x̄ − m)(x̄ − m)ᵀ     ν' = ν + n     Ψ' = Ψ + extra
    smoothed    Σ = Ψ'/(ν' − D + 1)          joint mode   Σ = Ψ'/(ν' + D + 2)
    mean        Σ = Ψ'/(ν' − D − 1) for ν' > D + 1, else the predictive scale
    predictive  multivariate t, ν' − D + 1 degrees, location m', scale Ψ'(κ' + 1)/(κ'(ν' − D + 1))

With one matrix for all classes ("shared"; C means and one Σ, prior ν, Ψ of all) the same, but

    ν' = ν + Σ_c n     Ψ' = Ψ + Σ_c extra     joint mode   Σ = Ψ'/(ν' + D + 1 + C)

    evidence    that of NormalInverseWishart, and −n Σ_j ln unit_j for x instead of z. One matrix: as if all deviations
                were of one class whose mean is known, and the means' part −½ D Σ_c ln(κ'/κ) by itself.

Rows are drawn with ε a vector of standard normals and G ~ Gamma(f/2):

    plugged in    z = μ + A ε with A Aᵀ = Σ as it is read
    posterior     Σ ~ InverseWishart(ν', Ψ'), one for all classes where it is shared;  μ = m' + A ε/√κ'
    predictive    multivariate t of f degrees: z = m' + A ε √(f/2G), A Aᵀ its scale, each row with a G of its own
    constant      a column without spread is its one value, one that was never observed is missing
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from suffice.conjugate import NormalInverseWishart
from suffice.conjugate.gamma_draws import log_gamma_draws
from suffice.conjugate.log_gamma import log_ratio
from suffice.errors import ParameterError
from suffice.likelihoods.draws import Draw
from suffice.likelihoods.gaussian_posterior import constants
from suffice.likelihoods.standardised_scatter import StandardisedScatter
from suffice.likelihoods.whitening import roots
from suffice.statistics import Scatter
from suffice.statistics.frozen_arrays import FloatArray

__all__ = [
    "WishartPosterior",
    "WishartPrior",
    "block_cells",
    "block_normals",
    "block_students",
    "log_evidence",
    "matrices_drawn",
    "scatter_about_prior",
    "wishart_posterior",
]


@final
@dataclass(frozen=True, slots=True, eq=False)
class WishartPrior:
    """m (C, D), κ and ν (C), Ψ (C, D, D), in z."""

    m: FloatArray
    kappa: FloatArray
    nu: FloatArray
    psi: FloatArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class WishartPosterior:
    """m' (C, D), κ' (C), ν' (K), Ψ' (K, D, D) in z: a matrix for each class, or one for all of them (K = 1).

    What was seen may have an axis before those (standardised_scatter.py); then so have these.
    """

    m: FloatArray
    kappa: FloatArray
    nu: FloatArray
    psi: FloatArray

    @property
    def degrees(self) -> FloatArray:
        """ν' − D + 1 (K)."""
        return self.nu - self.psi.shape[-1] + 1

    def smoothed(self) -> FloatArray:
        """Return Ψ'/(ν' − D + 1) (K, D, D); 0 where neither rows nor pseudo-rows were seen."""
        degrees = np.maximum(self.degrees, 0.0)[..., None, None]
        return np.where(degrees > 0, self.psi / np.where(degrees > 0, degrees, 1.0), 0.0)

    def mode(self) -> FloatArray:
        """Return Ψ'/(ν' + D + 1 + number of means) (K, D, D)."""
        means = self.m.shape[-2] if self.psi.shape[-3] == 1 else 1
        return self.psi / (self.nu + self.psi.shape[-1] + 1 + means)[..., None, None]

    def mean(self) -> FloatArray:
        """Return Ψ'/(ν' − D − 1), or the predictive scale where that does not exist (K or C, D, D)."""
        above = (self.degrees - 2)[..., None, None]
        if (above > 0).all():
            return self.psi / above
        return np.where(above > 0, self.psi / np.where(above > 0, above, 1.0), self.predictive_scale())

    def predictive_scale(self) -> FloatArray:
        """Return Ψ'(κ' + 1)/(κ'(ν' − D + 1)) (C, D, D)."""
        return (self.psi / self.degrees[..., None, None]) * ((self.kappa + 1) / self.kappa)[..., None, None]

    def model(self) -> NormalInverseWishart:
        """Return the posterior of each class as a conjugate model."""
        return NormalInverseWishart(self.m, self.kappa, self.nu, self.psi)


def scatter_about_prior(seen: StandardisedScatter, prior: WishartPrior) -> FloatArray:
    """Return S + (κn/κ')(x̄ − m)(x̄ − m)ᵀ of each class (C, D, D)."""
    kappa = prior.kappa + seen.weight
    share = seen.weight * np.where(kappa > 0, prior.kappa / np.where(kappa > 0, kappa, 1.0), 0.0)
    away = np.where(seen.weight[..., None] > 0, seen.mean - prior.m, 0.0)
    outer = share[..., None, None] * away[..., :, None] * away[..., None, :]
    return seen.scatter + (outer + outer.swapaxes(-1, -2)) / 2


def wishart_posterior(seen: StandardisedScatter, prior: WishartPrior, *, shared: bool) -> WishartPosterior:
    """Return the posterior; where κ' = 0 (nothing seen, λ = 0) it says nothing: m' = m."""
    n, kappa = seen.weight, prior.kappa + seen.weight
    pull = np.where(kappa > 0, n / np.where(kappa > 0, kappa, 1.0), 0.0)[..., None]
    m = prior.m + pull * (np.where(n[..., None] > 0, seen.mean, prior.m) - prior.m)
    extra = scatter_about_prior(seen, prior)
    if not shared:
        return WishartPosterior(m, kappa, prior.nu + n, prior.psi + extra)
    nu, psi = _of_all(prior)
    nu, psi = nu + n.sum(axis=-1, keepdims=True), psi + extra.sum(axis=-3, keepdims=True)
    return WishartPosterior(m, kappa, nu, psi)


def log_evidence(seen: StandardisedScatter, prior: WishartPrior, *, shared: bool) -> float:
    """Return the log density of the rows that have every cell, in the unit of x, summed over the classes."""
    if not seen.weight.any() or not seen.unit.size:
        return 0.0
    if not (prior.kappa > 0).all():  # λ = 0: there is no prior to integrate over
        return -np.inf
    in_z = -float(seen.weight.sum()) * float(np.log(seen.unit).sum())
    if not shared:
        model = NormalInverseWishart(prior.m, prior.kappa, prior.nu, prior.psi)
        of_class = model.log_evidence(weight=seen.weight, mean=seen.mean, scatter=seen.scatter)
        return in_z + float(np.asarray(of_class).sum())
    (nu, psi), n, size = _of_all(prior), seen.weight.sum(), len(seen.unit)
    extra = scatter_about_prior(seen, prior).sum(axis=0)
    one = NormalInverseWishart(np.zeros(size), 1.0, nu[0], psi[0])
    of_matrix = one.log_evidence(weight=n, mean=np.zeros(size), scatter=(extra + extra.T) / 2)
    means = log_ratio(np.ones(1), n[None]).sum() - log_ratio(prior.kappa, seen.weight).sum()
    return in_z + float(np.asarray(of_matrix)) + 0.5 * size * float(means)


def _of_all(prior: WishartPrior) -> tuple[FloatArray, FloatArray]:
    if (prior.nu != prior.nu[:1]).any() or (prior.psi != prior.psi[:1]).any():
        raise ParameterError(
            "a shared covariance has one prior for all classes: degrees or scale_matrix differ between classes. "
            "Give the same for every class, or covariance='full'."
        )
    return prior.nu[:1], prior.psi[:1]


def block_cells(scatter: Scatter, values: StandardisedScatter, z: FloatArray, draw: Draw) -> list[npt.NDArray[Any]]:
    """Return the cells of each column of the block, given z of the columns that say something."""
    cells = constants(scatter.moments(), draw)
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
