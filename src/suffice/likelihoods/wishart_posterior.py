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
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from suffice.conjugate import NormalInverseWishart
from suffice.conjugate.log_gamma import log_ratio
from suffice.errors import ParameterError
from suffice.likelihoods.standardised_scatter import StandardisedScatter
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["WishartPosterior", "WishartPrior", "log_evidence", "scatter_about_prior", "wishart_posterior"]


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
