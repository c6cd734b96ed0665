"""Several real columns together: x ~ Normal(μ_c, Σ_c) in class c (QDA), or Normal(μ_c, Σ) with one Σ for all (LDA).

Symbols: n, x̄, S of the rows of class c that have every cell of the block; N = Σ_c n; S̃ is S after shrinkage
(shrinkage.py), S itself without; m and T the mean and covariance of all rows; the posterior as in wishart_posterior.py.

    mle          μ = x̄, Σ_c = S̃/n ("full"), Σ = Σ_c S̃/N ("shared"); where n = 0, μ = m and Σ_c = T
    smoothed     the mle with λ pseudo-rows of mean m and covariance diag v: κ = λ, ν = λ + D − 1, Ψ = λ diag v
    map          the joint mode          mean          the posterior mean          predictive     multivariate t
    term         −½ ln|2πΣ| − ½ (x − μ)ᵀ Σ⁻¹ (x − μ); missing cells leave their part of x, μ and Σ out

Default prior, unit information: location m, κ = 1, ν = D, Ψ = diag v, v the columns' variances over all rows.
shrinkage="evidence": ν = D + τ, Ψ = (1 + τ) diag v, τ by its evidence; the mle is then (S + τ diag v)/(n + τ).

Σ without an inverse (fewer rows than columns, columns that depend on others, a class of one row): for mle and smoothed
    full      an eigenvalue below var_smoothing counts as that, in units in which every column's own variance is 1
    shared    a direction in which no class varies says nothing, as a constant column does: its eigenvalue is at most
              var_smoothing in units in which every column's variance within the classes is 1 (a pseudo-inverse)
Under the other readings the prior leaves no such direction.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt

from suffice.conjugate import NormalInverseWishart
from suffice.errors import ParameterError
from suffice.likelihoods.aligned import per_cell
from suffice.likelihoods.draws import Draw, require_proper
from suffice.likelihoods.evidence_strength import evidence_strength
from suffice.likelihoods.likelihood import Parameter, Seen
from suffice.likelihoods.shrinkage import Shrinkage, Toward, pulled, shares
from suffice.likelihoods.standardised_scatter import StandardisedScatter, standardised_scatter
from suffice.likelihoods.terms import FullQuadratic, FullStudent, Term
from suffice.likelihoods.uncertain import EllipsesTerm, UncertainTerm, require_posterior
from suffice.likelihoods.wishart_posterior import (
    WishartPosterior,
    WishartPrior,
    block_cells,
    block_normals,
    block_students,
    log_evidence,
    matrices_drawn,
    scatter_about_prior,
    wishart_posterior,
)
from suffice.statistics import Scatter
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["GaussianBlock", "pseudo_rows"]

_ROUNDING = 2.0**-80


class _Chosen(NamedTuple):
    # What all rows decide: the prior, how many rows the evidence has added to it, s of each class, and T.
    prior: WishartPrior
    strength: float
    share: FloatArray | None
    total: FloatArray

    def of_classes(self, some: slice) -> _Chosen:
        of_each = (self.prior.m, self.prior.kappa, self.prior.nu, self.prior.psi)
        prior = WishartPrior(*(each[some] for each in of_each))
        return self._replace(prior=prior, share=None if self.share is None else self.share[some])


@final
@dataclass(frozen=True, slots=True, eq=False)
class GaussianBlock:
    """How Gaussian reads a scatter with a matrix for each class, or one for all."""

    prior: NormalInverseWishart | None
    shared: bool
    var_smoothing: float
    shrinkage: Shrinkage
    toward: Toward

    def terms(self, seen: Seen) -> tuple[Term, ...]:
        """Return the normal densities of the plug-in readings, or multivariate t; none of constant columns."""
        values, prior = self._standardised(seen)
        if not values.columns.size:
            return ()
        names, scale = named(seen, values), 1 / values.unit
        if seen.reading.estimate == "predictive":
            after = self._after(values, prior)
            degrees = np.broadcast_to(after.degrees, after.kappa.shape).copy()
            return (FullStudent(names, values.centre, scale, after.m, after.predictive_scale(), degrees),)
        mean, matrices = self._read(seen, values, prior)
        if not self._dropping(seen):
            least = self.var_smoothing if seen.reading.estimate in ("mle", "smoothed") else 0.0
            return (FullQuadratic(names, values.centre, scale, mean, matrices, least),)
        # In units of the columns' spread within the classes; a column without any says nothing.
        spread = np.sqrt(np.diagonal(matrices[0]))
        some = np.flatnonzero(spread**2 > _ROUNDING)
        if not some.size:
            return ()
        unit = spread[some]
        part = matrices[:, some[:, None], some] / unit[:, None] / unit
        columns = tuple(names[j] for j in some.tolist())
        where = values.centre[some], scale[some] / unit, mean[:, some] / unit
        return (FullQuadratic(columns, *where, part, self.var_smoothing, drop=True),)

    def uncertain(self, seen: Seen) -> tuple[UncertainTerm, ...]:
        """Return the posterior of mean vectors and matrices."""
        values, prior = self._standardised(seen)
        if not values.columns.size:
            return ()
        require_posterior(prior.kappa, named(seen, values))
        return (EllipsesTerm(named(seen, values), values.centre, values.unit, self._after(values, prior)),)

    def log_evidence(self, seen: Seen) -> float:
        """Return the log density of the whole rows, means and matrices integrated out; constant columns count for 0."""
        values, prior = self._standardised(seen)
        return log_evidence(values, self._strengthened(values, prior)[0], shared=self.shared)

    def parameters(self, seen: Seen, credible: float) -> Iterator[Parameter]:
        """Yield location, variance and covariances (or location, scales and degrees) of each class."""
        values, prior = self._standardised(seen)
        if not values.columns.size:
            return
        names, unit, estimate = named(seen, values), values.unit, seen.reading.estimate
        after = self._after(values, prior)
        nothing: FloatArray = np.full((2, *after.m.shape), np.nan)
        by_location, by_variance = nothing, nothing
        if (prior.kappa > 0).all():
            of_location, of_variance = after.model().interval(credible)
            by_location = np.stack([values.centre + unit * bound for bound in of_location])
            with np.errstate(over="ignore"):  # the square of what is a float may be none
                by_variance = np.stack([unit**2 * bound for bound in of_variance])
        if estimate == "predictive":
            location, matrices, name, by_variance = after.m, after.predictive_scale(), "scale", nothing
        else:
            (location, matrices), name = self._read(seen, values, prior), "variance"
        matrices = np.broadcast_to(matrices, (len(location), *matrices.shape[1:]))
        for c, label in enumerate(seen.classes):
            for j, column in enumerate(names):
                found = float(values.centre[j] + unit[j] * location[c, j])
                bounds = float(by_location[0, c, j]), float(by_location[1, c, j])
                yield Parameter(label, column, None, "location", estimate, found, *bounds)
                spread = float(matrices[c, j, j]) * float(unit[j]) * float(unit[j])
                spread = math.sqrt(spread) if name == "scale" else spread
                bounds = float(by_variance[0, c, j]), float(by_variance[1, c, j])
                yield Parameter(label, column, None, name, estimate, spread, *bounds)
                for k in range(j + 1, len(names)):
                    both = float(matrices[c, j, k]) * float(unit[j]) * float(unit[k])
                    said = "covariance" if name == "variance" else "scale product"
                    yield Parameter(label, column, names[k], said, estimate, both, math.nan, math.nan)
            if estimate == "predictive":
                degrees = float(np.broadcast_to(after.degrees, after.kappa.shape)[c])
                yield Parameter(label, names[0], None, "degrees", estimate, degrees, math.nan, math.nan)

    def sample(self, seen: Seen, draw: Draw) -> list[npt.NDArray[Any]]:
        """Return normal rows, or multivariate t ones where the parameters are integrated out."""
        scatter = _scatter(seen)
        values, prior = self._standardised(seen)
        z: FloatArray = np.zeros((draw.rows, 0))
        if values.columns.size:
            after = self._after(values, prior)
            if draw.posterior:
                require_proper(prior.kappa, named(seen, values))
                z = block_normals(*matrices_drawn(after, draw.rng), 0.0, draw, drop=False)
            elif seen.reading.estimate == "predictive":
                z = block_students(after, draw)
            else:
                least = self.var_smoothing if seen.reading.estimate in ("mle", "smoothed") else 0.0
                read = self._read(seen, values, prior)
                z = block_normals(*read, least, draw, drop=self._dropping(seen))
        return block_cells(scatter, values, z, draw)

    def _dropping(self, seen: Seen) -> bool:
        return self.shared and seen.reading.estimate in ("mle", "smoothed")

    def _standardised(self, seen: Seen) -> tuple[StandardisedScatter, WishartPrior]:
        scatter = _scatter(seen)
        given = None if seen.reading.estimate in ("mle", "smoothed") else self.prior
        classes = len(seen.classes)
        if given is None:
            values = standardised_scatter(scatter, seen.classes)
            rows, size = pseudo_rows(seen), len(values.unit)
            psi = rows[:, None, None] * np.eye(size)
            return values, WishartPrior(np.tile(values.pooled, (classes, 1)), rows, rows + size - 1, psi)
        size = len(seen.columns)
        m, kappa, nu, psi = given.location, given.strength, given.degrees, given.scale_matrix
        if m.shape[-1] != size or m.shape[:-1] not in ((), (1,), (classes,)):
            raise ParameterError(
                f"the prior of a block must have its {size} columns, for all classes or for each of the {classes}: "
                f"got location of shape {m.shape}. Give shape ({size},) or ({classes}, {size})."
            )
        m, psi = np.broadcast_to(m, (classes, size)), np.broadcast_to(psi, (classes, size, size))
        kappa, nu = np.broadcast_to(kappa, (classes,)), np.broadcast_to(nu, (classes,))
        spread = np.diagonal(psi, axis1=1, axis2=2) / (nu - size + 1)[:, None]
        # A constant column has no spread of its own; the prior's serves as its unit.
        values = standardised_scatter(scatter, seen.classes, np.sqrt(spread.max(axis=0, initial=0.0)))
        unit = values.unit
        return values, WishartPrior((m - values.centre) / unit, kappa, nu, psi / unit[:, None] / unit)

    def _strengthened(self, values: StandardisedScatter, prior: WishartPrior) -> tuple[WishartPrior, float]:
        # The prior that the evidence asks for, and how many rows it is worth beyond the one that it has.
        if self.shrinkage != "evidence" or not values.columns.size or not len(prior.kappa):
            return prior, 0.0
        extra, n = scatter_about_prior(values, prior), values.weight
        if self.shared:
            extra, n = extra.sum(axis=0, keepdims=True), n.sum(keepdims=True)
        strength = evidence_strength(n, extra)
        more = strength * np.eye(len(values.unit))
        return replace(prior, nu=prior.nu + strength, psi=prior.psi + more), strength

    def _chosen(self, values: StandardisedScatter, prior: WishartPrior) -> _Chosen:
        share = shares(values, self.shrinkage, self.toward, shared=self.shared)
        return _Chosen(*self._strengthened(values, prior), share, values.total)

    def _after(self, values: StandardisedScatter, prior: WishartPrior) -> WishartPosterior:
        return self._updated(values, self._chosen(values, prior))

    def _updated(self, values: StandardisedScatter, chosen: _Chosen) -> WishartPosterior:
        scatter = pulled(values, chosen.share, self.toward, shared=self.shared)
        return wishart_posterior(replace(values, scatter=scatter), chosen.prior, shared=self.shared)

    def _read(self, seen: Seen, values: StandardisedScatter, prior: WishartPrior) -> tuple[FloatArray, FloatArray]:
        return self._read_by(seen, values, self._chosen(values, prior))

    def _read_by(self, seen: Seen, values: StandardisedScatter, chosen: _Chosen) -> tuple[FloatArray, FloatArray]:
        estimate = seen.reading.estimate
        if estimate == "mle":
            return values.class_means, self._mle(values, chosen)
        after = self._updated(values, chosen)
        if estimate == "map":
            return after.m, after.mode()
        if estimate == "mean":
            return after.m, after.mean()
        matrices = after.smoothed()
        if not self.shared:
            matrices = np.where((after.kappa > 0)[..., None, None], matrices, chosen.total)
        return after.m, matrices

    def _mle(self, values: StandardisedScatter, chosen: _Chosen) -> FloatArray:
        scatter = pulled(values, chosen.share, self.toward, shared=self.shared)
        weight = values.weight
        if self.shared:
            scatter, weight = scatter.sum(axis=-3, keepdims=True), weight.sum(axis=-1, keepdims=True)
        some = weight > 0
        total = np.where(some, weight + chosen.strength, 1.0)[..., None, None]
        read = (scatter + chosen.strength * np.eye(len(values.unit))) / total
        return np.where(some[..., None, None], read, chosen.total)


def pseudo_rows(seen: Seen) -> FloatArray:
    """Return λ of each class: 1 unless the smoothed reading says otherwise."""
    given = 1.0 if seen.reading.alpha is None else seen.reading.alpha
    array = np.asarray(given, dtype=np.float64)
    if array.ndim and array.shape[-1] != 1:
        if (array != array[..., :1]).any():
            raise ParameterError(
                "alpha of columns that are modelled together must be one number, or one for each class as shape "
                f"(classes, 1): got shape {array.shape}. Give one for all columns of the block."
            )
        array = array[..., :1]
    return per_cell("alpha", array, len(seen.classes), 1)[:, 0].copy()


def named(seen: Seen, values: StandardisedScatter) -> Columns:
    """Return the names of the columns that say something."""
    kept: list[int] = values.columns.tolist()
    return tuple(seen.columns[j] for j in kept)


def _scatter(seen: Seen) -> Scatter:
    (scatter,) = seen.parts
    assert isinstance(scatter, Scatter)
    return scatter
