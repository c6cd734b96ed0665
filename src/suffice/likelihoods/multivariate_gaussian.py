"""Real columns jointly: x ~ Normal(μ_c, Σ_c) in class c (QDA), or Normal(μ_c, Σ) with one Σ for all classes (LDA).

Symbols: n, x̄, S of the rows of class c without a missing cell in the block; N = Σ_c n; D columns; S̃ is S after
shrinkage (covariance.py); m, T and v are the mean, covariance and variances of all rows. The prior is
NormalInverseWishart(m, κ, ν, Ψ). Everything is computed in standard units (gaussian.py), so units cancel.

    posterior    κ' = κ + n     m' = m + (n/κ')(x̄ − m)     ν' = ν + n     Ψ' = Ψ + S̃ + (κn/κ')(x̄ − m)(x̄ − m)ᵀ
    mle          μ = x̄, Σ_c = S̃/n ("full"), Σ = Σ_c S̃/N ("shared"); where n = 0, μ = m and Σ_c = T
    smoothed     the mle with λ pseudo-rows of mean m and covariance diag v: κ = λ, ν = λ + D − 1, Ψ = λ diag v,
                 Σ = Ψ'/(ν' − D + 1)
    map          the joint mode, Σ = Ψ'/(ν' + D + 2)
    mean         Σ = Ψ'/(ν' − D − 1) for ν' > D + 1, otherwise the predictive scale
    predictive   multivariate t with ν' − D + 1 degrees of freedom, location m', scale Ψ'(κ' + 1)/(κ'(ν' − D + 1))
    term         −½ ln|2πΣ| − ½ (x − μ)ᵀ Σ⁻¹ (x − μ); missing cells are marginalised: their part of x, μ
                 and Σ is dropped
    evidence     that of NormalInverseWishart, and −n Σ_j ln √v_j for x instead of z

With covariance="shared" there are C means and one Σ, the prior ν, Ψ belongs to all classes, and

    ν' = ν + N     Ψ' = Ψ + Σ_c [S̃ + (κn/κ')(x̄ − m)(x̄ − m)ᵀ]     joint mode   Σ = Ψ'/(ν' + D + 1 + C)

The default prior carries unit information: location m, κ = 1, ν = D, Ψ = diag v. With shrinkage="evidence" ν = D + τ
and Ψ = (1 + τ) diag v, with the τ that maximises the evidence; the mle is then (S + τ diag v)/(n + τ).

A matrix Σ without an inverse (fewer rows than columns, linearly dependent columns, a class of one row) under mle and
smoothed:

    full         eigenvalues below var_smoothing are raised to it, in units in which every column has variance 1
    shared       directions in which no class varies are dropped (a pseudo-inverse): eigenvalues of at most
                 var_smoothing, in units in which every column has variance 1 within the classes

Under the other estimates the prior makes every matrix invertible.

Explanations: with one plug-in Σ, the contribution of a row splits by column. With P = Σ⁻¹ of the observed columns, and
z and m_c measured from the mean of all rows,

    −½ (z − m_c)ᵀ P (z − m_c) = Σ_j (P m_c)_j (z_j − ½ m_cj) − ½ zᵀ P z        where the last part is the same for all c

Rows are drawn with ε a vector of standard normals and G ~ Gamma(f/2), f the degrees of freedom:

    plug-in      z = μ + A ε with A Aᵀ = Σ
    posterior    Σ ~ InverseWishart(ν', Ψ'), a single draw for all classes where it is shared;  μ = m' + A ε/√κ'
    predictive   z = m' + A ε √(f/2G), with A Aᵀ the scale and a G for each row
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, cast, final, get_args

import numpy as np
import numpy.typing as npt

from suffice.arguments import is_real, option
from suffice.conjugate import NormalInverseGamma, NormalInverseWishart
from suffice.conjugate.special import log_gamma_draws, log_ratio, log_rising
from suffice.errors import ParameterError
from suffice.likelihoods.block_statistics import BlockStatistics, Collect, broadcast_parameter
from suffice.likelihoods.covariance import (
    Shrinkage,
    ShrinkageTarget,
    StandardisedScatter,
    choose_intensities,
    evidence_strength,
    factor_covariances,
    shrink_scatter,
    standardise_scatter,
    whiten,
)
from suffice.likelihoods.draws import Draw
from suffice.likelihoods.gaussian import (
    Gaussian,
    GaussianTerm,
    Quadratic,
    Student,
    clip_to_floats,
    constant_cells,
    moment_facts,
    require_var_smoothing,
)
from suffice.likelihoods.likelihood import Likelihood, Parameter
from suffice.likelihoods.terms import Term
from suffice.likelihoods.terms.divergence import Other, log_of_rest
from suffice.likelihoods.terms.split import BlockSplit, NumberSplit, Rows, Split, no_outcome
from suffice.likelihoods.terms.term import Layout, LinearForm, UncertainTerm, contiguous, require_posterior
from suffice.statistics import Scatter
from suffice.statistics.arrays import FloatArray
from suffice.statistics.axis import Columns

__all__ = [
    "Covariance",
    "FullGaussian",
    "FullQuadratic",
    "FullStudent",
    "MultivariateGaussian",
    "WishartPosterior",
    "WishartPrior",
]

Covariance: TypeAlias = Literal["full", "shared", "diagonal"]

_AUTOMATIC_TARGETS = {"evidence": ("diagonal",), "oas": ("diagonal", "spherical")}
# A variance within classes below this, in units of the variance over all rows, is rounding error.
_ROUNDING = 2.0**-80


@final
@dataclass(frozen=True, slots=True, repr=False)
class MultivariateGaussian(Likelihood):
    """Several real columns jointly, with a mean vector and a covariance matrix: x ~ Normal(μ_c, Σ_c).

    Rows with a missing cell in the block are excluded from it when the model is fitted, and a warning reports their
    number. When rows are scored, missing cells are marginalised.

    Parameters
    ----------
    prior : NormalInverseWishart, optional
        Prior on mean vector and covariance matrix, in the unit of x, for all classes or for each. By default unit
        information: mean and variances over all rows, with the weight of one row. With covariance="diagonal" a
        NormalInverseGamma is accepted as well.
    covariance : "full", "shared" or "diagonal"
        `"full"` estimates a matrix for each class (quadratic boundaries, QDA), `"shared"` one for all classes (linear
        boundaries for plug-in estimates, LDA), `"diagonal"` no correlations, as Gaussian does. All three are estimated
        from the same statistics: `model.with_options(covariance="shared")` needs no data.
    shrinkage : float from 0 to 1, "oas", "evidence" or None
        Intensity with which the matrices are shrunk toward a simpler shape. `"oas"` (Chen et al. 2010) and `"evidence"`
        (the prior weight that maximises the marginal likelihood) compute it from the statistics.
    toward : "diagonal", "spherical", "shared" or "total"
        Shrinkage target: the variances of the class, a multiple of the identity in columns standardised by their
        variance within classes, the matrix that all classes share, or the variances over all rows.
    var_smoothing : float from 1e-12 to 1
        Lower bound on the eigenvalues for the mle and smoothed estimates, in units in which every column has variance
        1; with "shared", directions below it are dropped.

    Examples
    --------
    >>> import numpy as np
    >>> import suffice as sf
    >>> data = np.array([[1.0, 1], [2, 2], [3, 3.5], [1, 3], [2, 4], [3, 5.5]])
    >>> together = sf.MultivariateGaussian(covariance="shared", shrinkage=0.1)
    >>> model = sf.fit(data, ["a", "a", "a", "b", "b", "b"], columns=together, calibrate=False)
    >>> model.predict([[3, 3.4], [1, 2.9]])
    array(['a', 'b'], dtype='<U1')
    """

    prior: NormalInverseWishart | NormalInverseGamma | None = None
    covariance: Covariance = "full"
    shrinkage: Shrinkage = None
    toward: ShrinkageTarget = "diagonal"
    var_smoothing: float = 1e-9

    def __post_init__(self) -> None:
        option("covariance", self.covariance, get_args(Covariance))
        option("toward", self.toward, get_args(ShrinkageTarget))
        object.__setattr__(self, "var_smoothing", require_var_smoothing(self.var_smoothing))
        self._require_prior()
        if self.shrinkage is not None:
            self._require_shrinkage()

    def _require_prior(self) -> None:
        diagonal, prior = self.covariance == "diagonal", cast("Any", self.prior)
        kinds = (NormalInverseWishart, NormalInverseGamma) if diagonal else NormalInverseWishart
        if prior is not None and not isinstance(prior, kinds):
            raise ParameterError(
                f"prior of MultivariateGaussian(covariance={self.covariance!r}) must be a NormalInverseWishart"
                f"{' or a NormalInverseGamma' if diagonal else ''}",
                parameter="prior",
                got=self.prior,
                advice="Use NormalInverseWishart(location, strength, degrees, scale_matrix).",
            )

    def _require_shrinkage(self) -> None:
        shrinkage: Any = self.shrinkage
        targets = _AUTOMATIC_TARGETS.get(shrinkage) if isinstance(shrinkage, str) else None
        if targets is None and (not is_real(shrinkage) or not 0 <= float(shrinkage) <= 1):
            raise ParameterError(
                "shrinkage must be a number from 0 to 1, 'oas' or 'evidence'",
                parameter="shrinkage",
                got=shrinkage,
                advice="Use for example 0.1.",
            )
        if targets is None:
            object.__setattr__(self, "shrinkage", float(shrinkage))
        if self.covariance == "diagonal":
            raise ParameterError(
                "shrinkage applies to covariance='full' and 'shared', not to 'diagonal'",
                parameter="shrinkage",
                got=shrinkage,
            )
        if targets is not None and self.toward not in targets:
            raise ParameterError(
                f"shrinkage={shrinkage!r} cannot shrink toward {self.toward!r}",
                parameter="toward",
                advice="Use toward='diagonal', or a number for shrinkage.",
            )
        if self.toward == "shared" and self.covariance == "shared":
            raise ParameterError(
                "a shared matrix cannot be shrunk toward itself", parameter="toward", advice="Use toward='diagonal'."
            )

    def collect(self, columns: Columns) -> Collect:
        """Request the scatter of all columns together."""
        return Collect("scatter", columns)

    def with_options(self, **options: Any) -> MultivariateGaussian:
        """Return the likelihood with the new values of `covariance`, `shrinkage` and `toward` in the options.

        A shrinkage or target that the new covariance does not support is dropped.
        """
        options = {name: options[name] for name in ("covariance", "shrinkage", "toward") if name in options}
        covariance = options.get("covariance", self.covariance)
        if covariance == "diagonal":
            options.setdefault("shrinkage", None)
        if covariance == "diagonal" or covariance == self.toward == "shared":
            options.setdefault("toward", "diagonal")
        return replace(self, **options)

    def terms(self, block: BlockStatistics) -> tuple[Term, ...]:
        """Return normal densities for plug-in estimates and multivariate t for the predictive one."""
        if self.covariance == "diagonal":
            return self._gaussian().terms(_moments_of(block))
        values, prior = self._standardise(block)
        if not values.columns.size:
            return ()
        names, scale = values.names(block), 1 / values.unit
        if block.reading.estimate == "predictive":
            posterior = self._update(values, prior)
            degrees = np.broadcast_to(posterior.degrees, posterior.kappa.shape).copy()
            return (FullStudent(names, values.centre, scale, posterior.m, posterior.predictive_scale(), degrees),)
        mean, matrices = self._estimate(block, values, prior)
        if not self._drops_directions(block):
            return (FullQuadratic(names, values.centre, scale, mean, matrices, self._floor(block)),)
        # In units of the standard deviation within classes; columns without variation contribute nothing.
        deviation = np.sqrt(np.diagonal(matrices[0]))
        kept = np.flatnonzero(deviation**2 > _ROUNDING)
        if not kept.size:
            return ()
        unit = deviation[kept]
        correlations = matrices[:, kept[:, None], kept] / unit[:, None] / unit
        columns = tuple(names[j] for j in kept.tolist())
        arrays = values.centre[kept], scale[kept] / unit, mean[:, kept] / unit
        return (FullQuadratic(columns, *arrays, correlations, self.var_smoothing, drop=True),)

    def n_parameters(self, block: BlockStatistics) -> int:
        """Return a mean vector for each class, and D (D + 1)/2 for each matrix."""
        if self.covariance == "diagonal":
            return self._gaussian().n_parameters(_moments_of(block))
        classes, size = len(block.classes), len(self._standardise(block)[0].columns)
        return classes * size + (1 if self._shared else classes) * size * (size + 1) // 2

    def uncertain(self, block: BlockStatistics) -> tuple[UncertainTerm, ...]:
        """Return the posterior of mean vectors and covariance matrices."""
        if self.covariance == "diagonal":
            return self._gaussian().uncertain(_moments_of(block))
        values, prior = self._standardise(block)
        if not values.columns.size:
            return ()
        require_posterior(prior.kappa, values.names(block))
        return (FullGaussian(values.names(block), values.centre, values.unit, self._update(values, prior)),)

    def log_evidence(self, block: BlockStatistics) -> float:
        """Return the log density of the complete rows, parameters integrated out; constant columns count for 0."""
        if self.covariance == "diagonal":
            return self._gaussian().log_evidence(_moments_of(block))
        values, prior = self._standardise(block)
        return self._strengthen(values, prior)[0].log_evidence(values, shared=self._shared)

    def parameters(self, block: BlockStatistics, credible: float) -> Iterator[Parameter]:
        """Yield location, variance and covariances (location, scales and degrees of multivariate t) of each class."""
        if self.covariance == "diagonal":
            yield from self._gaussian().parameters(_moments_of(block), credible)
            return
        values, prior = self._standardise(block)
        if not values.columns.size:
            return
        names, unit, estimate = values.names(block), values.unit, block.reading.estimate
        posterior = self._update(values, prior)
        no_interval: FloatArray = np.full((2, *posterior.m.shape), np.nan)
        location_interval, variance_interval = no_interval, no_interval
        if (prior.kappa > 0).all():
            of_location, of_variance = posterior.model().interval(credible)
            location_interval = np.stack([values.centre + unit * bound for bound in of_location])
            with np.errstate(over="ignore"):  # the square of a float may exceed float64
                variance_interval = np.stack([unit**2 * bound for bound in of_variance])
        if estimate == "predictive":
            mean, matrices, variance_interval = posterior.m, posterior.predictive_scale(), no_interval
            on_diagonal, off_diagonal = "scale", "scale product"
        else:
            mean, matrices = self._estimate(block, values, prior)
            on_diagonal, off_diagonal = "variance", "covariance"
        matrices = np.broadcast_to(matrices, (len(mean), *matrices.shape[1:]))
        for c, label in enumerate(block.classes):
            for j, column in enumerate(names):
                location = float(values.centre[j] + unit[j] * mean[c, j])
                bounds = map(float, location_interval[:, c, j])
                n = float(values.weight[c])
                yield Parameter(label, column, None, "location", estimate, location, *bounds, n=n)
                square = float(matrices[c, j, j]) * float(unit[j]) * float(unit[j])
                square = math.sqrt(square) if estimate == "predictive" else square
                bounds = map(float, variance_interval[:, c, j])
                yield Parameter(label, column, None, on_diagonal, estimate, square, *bounds, n=n)
                for k in range(j + 1, len(names)):
                    product = float(matrices[c, j, k]) * float(unit[j]) * float(unit[k])
                    yield Parameter(label, column, names[k], off_diagonal, estimate, product, math.nan, math.nan, n=n)
            if estimate == "predictive":
                degrees = float(np.broadcast_to(posterior.degrees, posterior.kappa.shape)[c])
                n = float(values.weight[c])
                yield Parameter(label, names[0], None, "degrees", estimate, degrees, math.nan, math.nan, n=n)

    def posterior(self, block: BlockStatistics, column: str | int, c: int) -> NormalInverseWishart | NormalInverseGamma:
        """Return the posterior of mean vector and covariance matrix of the columns that are not constant.

        It is in the unit of x; a shared matrix has one ν' and Ψ' for all classes. With covariance="diagonal" it is that
        of one column.
        """
        if self.covariance == "diagonal":
            return self._gaussian().posterior(_moments_of(block), column, c)
        values, prior = self._standardise(block)
        if column not in values.names(block):
            raise ParameterError("the column is constant or unknown, so it is not part of the posterior", column=column)
        require_posterior(prior.kappa, (column,))
        posterior, unit = self._update(values, prior), values.unit
        k = c if len(posterior.nu) > 1 else 0
        psi = posterior.psi[k] * unit[:, None] * unit
        return NormalInverseWishart(values.centre + unit * posterior.m[c], posterior.kappa[c], posterior.nu[k], psi)

    def sample(self, block: BlockStatistics, draw: Draw) -> list[npt.NDArray[Any]]:
        """Return normal rows, or multivariate t rows for the predictive estimate."""
        if self.covariance == "diagonal":
            return self._gaussian().sample(_moments_of(block), draw)
        values, prior = self._standardise(block)
        cells = constant_cells(_scatter_of_block(block).moments(), draw)
        if values.columns.size:
            posterior = self._update(values, prior)
            if draw.posterior:
                require_posterior(prior.kappa, values.names(block))
                z = _draw_normal_rows(*posterior.draw_parameters(draw.rng), 0.0, draw, drop=False)
            elif block.reading.estimate == "predictive":
                z = posterior.draw_student_rows(draw)
            else:
                mean, matrices = self._estimate(block, values, prior)
                z = _draw_normal_rows(mean, matrices, self._floor(block), draw, drop=self._drops_directions(block))
            cells[:, values.columns] = clip_to_floats(values.centre, values.unit, z)
        return [cells[:, j] for j in range(len(block.columns))]

    @property
    def _shared(self) -> bool:
        return self.covariance == "shared"

    def _gaussian(self) -> Gaussian:
        # The likelihood that models each column independently.
        prior = self.prior.components if isinstance(self.prior, NormalInverseWishart) else self.prior
        return Gaussian(prior, var_smoothing=self.var_smoothing)

    def _floor(self, block: BlockStatistics) -> float:
        return self.var_smoothing if block.reading.estimate in ("mle", "smoothed") else 0.0

    def _drops_directions(self, block: BlockStatistics) -> bool:
        return self._shared and block.reading.estimate in ("mle", "smoothed")

    def _standardise(self, block: BlockStatistics) -> tuple[StandardisedScatter, WishartPrior]:
        scatter = _scatter_of_block(block)
        given = None if block.reading.estimate in ("mle", "smoothed") else self.prior
        classes = len(block.classes)
        if given is None:
            values = standardise_scatter(scatter, block.classes)
            rows, size = _pseudo_rows(block), len(values.unit)
            psi = rows[:, None, None] * np.eye(size)
            return values, WishartPrior(np.tile(values.pooled, (classes, 1)), rows, rows + size - 1, psi)
        assert isinstance(given, NormalInverseWishart)
        size = len(block.columns)
        m, kappa, nu, psi = given.location, given.strength, given.degrees, given.scale_matrix
        if m.shape[-1] != size or m.shape[:-1] not in ((), (1,), (classes,)):
            raise ParameterError(
                f"the prior must have the {size} columns of the block, for all classes or for each of the {classes}: "
                f"got location of shape {m.shape}",
                parameter="prior",
                advice=f"Use shape ({size},) or ({classes}, {size}).",
            )
        m, psi = np.broadcast_to(m, (classes, size)), np.broadcast_to(psi, (classes, size, size))
        kappa, nu = np.broadcast_to(kappa, (classes,)), np.broadcast_to(nu, (classes,))
        variance = np.diagonal(psi, axis1=1, axis2=2) / (nu - size + 1)[:, None]
        # A constant column has no spread of its own, so the prior's spread is its unit.
        values = standardise_scatter(scatter, block.classes, np.sqrt(variance.max(axis=0, initial=0.0)))
        unit = values.unit
        return values, WishartPrior((m - values.centre) / unit, kappa, nu, psi / unit[:, None] / unit)

    def _strengthen(self, values: StandardisedScatter, prior: WishartPrior) -> tuple[WishartPrior, float]:
        # The prior with the weight that shrinkage="evidence" gives it, and τ.
        if self.shrinkage != "evidence" or not values.columns.size or not len(prior.kappa):
            return prior, 0.0
        scatter, n = prior.scatter_around(values), values.weight
        if self._shared:
            scatter, n = scatter.sum(axis=0, keepdims=True), n.sum(keepdims=True)
        tau = evidence_strength(n, scatter)
        return replace(prior, nu=prior.nu + tau, psi=prior.psi + tau * np.eye(len(values.unit))), tau

    def _shrink(self, values: StandardisedScatter) -> StandardisedScatter:
        intensities = choose_intensities(values, self.shrinkage, self.toward, shared=self._shared)
        return replace(values, scatter=shrink_scatter(values, intensities, self.toward, shared=self._shared))

    def _update(self, values: StandardisedScatter, prior: WishartPrior) -> WishartPosterior:
        return self._strengthen(values, prior)[0].update(self._shrink(values), shared=self._shared)

    def _estimate(
        self, block: BlockStatistics, values: StandardisedScatter, prior: WishartPrior
    ) -> tuple[FloatArray, FloatArray]:
        # μ (C, D) and Σ (C or 1, D, D) of a plug-in estimate, in z.
        estimate = block.reading.estimate
        if estimate == "mle":
            return values.class_means, self._mle(values, self._strengthen(values, prior)[1])
        posterior = self._update(values, prior)
        if estimate == "map":
            return posterior.m, posterior.mode()
        if estimate == "mean":
            return posterior.m, posterior.mean()
        matrices = posterior.smoothed()
        if not self._shared:
            matrices = np.where((posterior.kappa > 0)[:, None, None], matrices, values.total)
        return posterior.m, matrices

    def _mle(self, values: StandardisedScatter, tau: float) -> FloatArray:
        scatter, n = self._shrink(values).scatter, values.weight
        if self._shared:
            scatter, n = scatter.sum(axis=0, keepdims=True), n.sum(keepdims=True)
        seen = (n > 0)[:, None, None]
        divisor = np.where(n > 0, n + tau, 1.0)[:, None, None]
        return np.where(seen, (scatter + tau * np.eye(len(values.unit))) / divisor, values.total)


class FullTerm(Term):
    """A density of several columns together: centre and scale of length D, m (C, D), matrices (C or 1, D, D)."""

    __slots__ = ()

    centre: FloatArray
    scale: FloatArray
    m: FloatArray
    matrices: FloatArray

    @abstractmethod
    def marginals(self) -> GaussianTerm:
        """Return the densities of the columns one by one."""

    def divergence(self, log_weight: FloatArray, other: Other = log_of_rest) -> Iterable[tuple[str | int, FloatArray]]:
        """Yield the divergence of each column's marginal density."""
        return self.marginals().divergence(log_weight, other)

    def log_units(self) -> FloatArray:
        """Return the log of the unit of each column."""
        return -np.log(self.scale)

    def _add(
        self, layout: Layout, floor: float, degrees: FloatArray, norming: FloatArray, *, drop: bool, linear: bool
    ) -> None:
        factors = whiten(self.matrices, floor, drop=drop)
        layout.tables.add_ellipse(
            layout.numbers(self.columns),
            *map(contiguous, (self.centre, self.scale, np.log(self.scale), self.m, self.matrices)),
            *map(contiguous, (factors.rows, factors.log_determinant, factors.rank)),
            least=floor,
            drop=drop,
            degrees=contiguous(degrees),
            norming=contiguous(norming),
            linear=linear,
        )


@final
@dataclass(frozen=True, slots=True, eq=False)
class FullQuadratic(FullTerm):
    """Normal log density of several columns together, with its parameters plugged in.

    `matrices` are the covariances of z, (1, D, D) where all classes share one. Eigenvalues of at most `floor` are
    raised to it, or dropped (`drop`). For a row with missing cells it is the density of the observed ones: their part
    of z, m and the matrix, which is then factored separately.
    """

    columns: Columns
    centre: FloatArray
    scale: FloatArray
    m: FloatArray
    matrices: FloatArray
    floor: float
    drop: bool = False

    def compile(self, layout: Layout) -> None:
        """Add the densities to the core's tables; with one shared matrix as linear scores unless they must be exact."""
        linear = not layout.exact and len(self.matrices) == 1
        self._add(layout, self.floor, np.empty(0), np.empty((0, 0)), drop=self.drop, linear=linear)

    def split(self, rows: Rows, block: BlockStatistics) -> Split:
        """Return one entry for each observed cell where the classes share a matrix, otherwise one for the block."""
        if len(self.matrices) > 1:
            return BlockSplit.of_numbers(self, rows)
        facts = moment_facts(block, self.columns)
        return NumberSplit(self.columns, rows.numbers(self.columns), self._linear_parts, facts, no_outcome)

    def linear_form(self) -> LinearForm | None:
        """Return P m_c in the unit of x if the classes share a matrix."""
        if len(self.matrices) > 1:
            return None
        rows = whiten(self.matrices, self.floor, drop=self.drop).rows[0]
        slope: FloatArray = (self.m @ rows.T) @ rows
        start = -(slope * (self.centre * self.scale + 0.5 * self.m)).sum(axis=1)
        return LinearForm.of_cells(self.columns, (slope * self.scale).T, start)

    def _linear_parts(self, x: FloatArray) -> FloatArray:
        # (P m_c)_j (z_j − ½ m_cj), for each pattern of missing cells.
        z = (x - self.centre) * self.scale
        parts = np.zeros((*x.shape, len(self.m)))
        patterns, group = np.unique(np.isnan(x), axis=0, return_inverse=True)
        for k, missing in enumerate(patterns):
            observed = np.flatnonzero(~missing)
            if not len(observed):
                continue
            rows = whiten(self.matrices[:1, observed[:, None], observed], self.floor, drop=self.drop).rows[0]
            m: FloatArray = self.m[:, observed]
            slope: FloatArray = (m @ rows.T) @ rows
            at = np.ix_(np.flatnonzero(group.ravel() == k), observed)
            parts[at] = slope.T * (z[at][..., None] - 0.5 * m.T)
        return parts

    def marginals(self) -> Quadratic:
        """Return the densities of the columns one by one."""
        diagonal = np.diagonal(self.matrices, axis1=1, axis2=2)
        variance = np.broadcast_to(np.maximum(diagonal, self.floor), self.m.shape).T
        constant = -0.5 * np.log(2 * math.pi * variance) + np.log(self.scale)[:, None]
        m = np.ascontiguousarray(self.m.T)
        return Quadratic(self.columns, self.centre, self.scale, m, 0.5 / variance, constant)


@final
@dataclass(frozen=True, slots=True, eq=False)
class FullStudent(FullTerm):
    """Multivariate t log density, from the parameters integrated out: scale matrices (C, D, D), degrees of length C."""

    columns: Columns
    centre: FloatArray
    scale: FloatArray
    m: FloatArray
    matrices: FloatArray
    degrees: FloatArray

    def compile(self, layout: Layout) -> None:
        """Add the densities to the core's tables, with the norming constant for every number of observed columns."""
        half = np.arange(len(self.columns) + 1.0)[:, None] / 2
        starts = np.broadcast_to(self.degrees / 2, (len(half), len(self.degrees)))
        norming = log_rising(starts, half) - half * np.log(math.pi * self.degrees)
        self._add(layout, 0.0, self.degrees, norming, drop=False, linear=False)

    def marginals(self) -> Student:
        """Return the densities of the columns one by one: Student-t with the same degrees of freedom."""
        nu = self.degrees
        variance = np.broadcast_to(np.diagonal(self.matrices, axis1=1, axis2=2), self.m.shape).T
        constant = log_rising(nu / 2, np.asarray(0.5)) - 0.5 * np.log(math.pi * nu * variance)
        constant = constant + np.log(self.scale)[:, None]
        m = np.ascontiguousarray(self.m.T)
        return Student(self.columns, self.centre, self.scale, m, 1 / (nu * variance), constant, (nu + 1) / 2)


@final
@dataclass(frozen=True, slots=True, eq=False)
class FullGaussian(UncertainTerm):
    """Columns together with the posterior of mean vectors and matrices in z; centre and unit have length D."""

    columns: Columns
    centre: FloatArray
    unit: FloatArray
    posterior: WishartPosterior

    def draw(self, rng: np.random.Generator) -> FullQuadratic:
        """Return normal densities with means and matrices drawn from the posterior."""
        mean, matrices = self.posterior.draw_parameters(rng)
        return FullQuadratic(self.columns, self.centre, 1 / self.unit, mean, matrices, 0.0)


@final
@dataclass(frozen=True, slots=True, eq=False)
class WishartPrior:
    """m (C, D), κ and ν (C), Ψ (C, D, D), in z."""

    m: FloatArray
    kappa: FloatArray
    nu: FloatArray
    psi: FloatArray

    def scatter_around(self, values: StandardisedScatter) -> FloatArray:
        """Return S + (κn/κ')(x̄ − m)(x̄ − m)ᵀ of each class (C, D, D)."""
        n, kappa = values.weight, self.kappa + values.weight
        factor = n * np.where(kappa > 0, self.kappa / np.where(kappa > 0, kappa, 1.0), 0.0)
        deviation = np.where(n[:, None] > 0, values.mean - self.m, 0.0)
        outer = factor[:, None, None] * deviation[:, :, None] * deviation[:, None, :]
        return values.scatter + (outer + outer.swapaxes(1, 2)) / 2

    def update(self, values: StandardisedScatter, *, shared: bool) -> WishartPosterior:
        """Return the posterior; where κ' = 0 (no rows and λ = 0), m' = m."""
        n, kappa = values.weight, self.kappa + values.weight
        weight = np.where(kappa > 0, n / np.where(kappa > 0, kappa, 1.0), 0.0)[:, None]
        m = self.m + weight * (np.where(n[:, None] > 0, values.mean, self.m) - self.m)
        scatter = self.scatter_around(values)
        if not shared:
            return WishartPosterior(m, kappa, self.nu + n, self.psi + scatter)
        nu, psi = self._of_all_classes()
        return WishartPosterior(m, kappa, nu + n.sum(keepdims=True), psi + scatter.sum(axis=0, keepdims=True))

    def log_evidence(self, values: StandardisedScatter, *, shared: bool) -> float:
        """Return the log density of the complete rows, in the unit of x, summed over the classes."""
        if not values.weight.any() or not values.unit.size:
            return 0.0
        if not (self.kappa > 0).all():  # λ = 0 is an improper prior
            return -np.inf
        unit_change = -float(values.weight.sum()) * float(np.log(values.unit).sum())
        if not shared:
            model = NormalInverseWishart(self.m, self.kappa, self.nu, self.psi)
            align_classes = model.log_evidence(weight=values.weight, mean=values.mean, scatter=values.scatter)
            return unit_change + float(np.asarray(align_classes).sum())
        # One matrix: the deviations count as those of one class with a known mean; the means add −½ D Σ ln(κ'/κ).
        (nu, psi), n, size = self._of_all_classes(), values.weight.sum(), len(values.unit)
        scatter = self.scatter_around(values).sum(axis=0)
        one_class = NormalInverseWishart(np.zeros(size), 1.0, nu[0], psi[0])
        matrix = one_class.log_evidence(weight=n, mean=np.zeros(size), scatter=(scatter + scatter.T) / 2)
        means = log_ratio(np.ones(1), n[None]).sum() - log_ratio(self.kappa, values.weight).sum()
        return unit_change + float(np.asarray(matrix)) + 0.5 * size * float(means)

    def _of_all_classes(self) -> tuple[FloatArray, FloatArray]:
        if (self.nu != self.nu[:1]).any() or (self.psi != self.psi[:1]).any():
            raise ParameterError(
                "a shared covariance requires one prior for all classes, "
                "but degrees or scale_matrix differ between classes",
                parameter="prior",
                advice="Use the same degrees and scale_matrix for every class, or covariance='full'.",
            )
        return self.nu[:1], self.psi[:1]


@final
@dataclass(frozen=True, slots=True, eq=False)
class WishartPosterior:
    """m' (C, D), κ' (C), ν' (K), Ψ' (K, D, D) in z: K = C, or K = 1 for one matrix that the classes share."""

    m: FloatArray
    kappa: FloatArray
    nu: FloatArray
    psi: FloatArray

    @property
    def degrees(self) -> FloatArray:
        """ν' − D + 1 (K)."""
        return self.nu - self.psi.shape[-1] + 1

    def smoothed(self) -> FloatArray:
        """Return Ψ'/(ν' − D + 1) (K, D, D); 0 without rows and pseudo-rows."""
        degrees = np.maximum(self.degrees, 0.0)[:, None, None]
        return np.where(degrees > 0, self.psi / np.where(degrees > 0, degrees, 1.0), 0.0)

    def mode(self) -> FloatArray:
        """Return Ψ'/(ν' + D + 1 + the number of means) (K, D, D)."""
        means = len(self.m) if len(self.psi) == 1 else 1
        return self.psi / (self.nu + self.psi.shape[-1] + 1 + means)[:, None, None]

    def mean(self) -> FloatArray:
        """Return Ψ'/(ν' − D − 1), or the predictive scale where that does not exist (K or C, D, D)."""
        divisor = (self.degrees - 2)[:, None, None]
        if (divisor > 0).all():
            return self.psi / divisor
        return np.where(divisor > 0, self.psi / np.where(divisor > 0, divisor, 1.0), self.predictive_scale())

    def predictive_scale(self) -> FloatArray:
        """Return Ψ'(κ' + 1)/(κ'(ν' − D + 1)) (C, D, D)."""
        return (self.psi / self.degrees[:, None, None]) * ((self.kappa + 1) / self.kappa)[:, None, None]

    def model(self) -> NormalInverseWishart:
        """Return the posterior of each class as a conjugate pair."""
        return NormalInverseWishart(self.m, self.kappa, self.nu, self.psi)

    def draw_parameters(self, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Return one draw of μ (C, D) and Σ (K, D, D)."""
        if len(self.psi) == len(self.m):
            draw = self.model().sample(1, rng)
            return draw.location[0], draw.covariance[0]
        size = self.psi.shape[-1]
        matrix = NormalInverseWishart(np.zeros(size), 1.0, self.nu[0], self.psi[0]).sample(1, rng).covariance
        noise = rng.standard_normal(self.m.shape) @ factor_covariances(matrix, 0.0, drop=False)[0].T
        return self.m + noise / np.sqrt(self.kappa)[:, None], matrix

    def draw_student_rows(self, draw: Draw) -> FloatArray:
        """Return a multivariate t row for each row to draw."""
        noise = draw.rng.standard_normal((draw.rows, self.m.shape[1]))
        factors = factor_covariances(self.predictive_scale(), 0.0, drop=False)
        half = np.broadcast_to(self.degrees, self.kappa.shape) / 2
        with np.errstate(over="ignore"):
            for c, rows in draw.groups:
                logs = log_gamma_draws(half[c : c + 1], (len(rows), 1), draw.rng)
                noise[rows] = self.m[c] + noise[rows] @ factors[c].T * np.exp(0.5 * (np.log(half[c]) - logs))
        return noise


def _draw_normal_rows(mean: FloatArray, matrices: FloatArray, floor: float, draw: Draw, *, drop: bool) -> FloatArray:
    # A normal row for each row to draw: mean (C, D), matrices (C or 1, D, D).
    noise = draw.rng.standard_normal((draw.rows, mean.shape[1]))
    factors = factor_covariances(matrices, floor, drop=drop)
    for c, rows in draw.groups:
        noise[rows] = mean[c] + noise[rows] @ factors[c if len(factors) > 1 else 0].T
    return noise


def _pseudo_rows(block: BlockStatistics) -> FloatArray:
    # λ of each class: 1 unless it is given.
    alpha = np.asarray(1.0 if block.reading.alpha is None else block.reading.alpha, dtype=np.float64)
    if alpha.ndim and alpha.shape[-1] != 1:
        if (alpha != alpha[..., :1]).any():
            raise ParameterError(
                "alpha of columns that are modelled together must be one number, or one for each class as shape "
                f"(classes, 1): got shape {alpha.shape}",
                parameter="alpha",
                advice="Use one number for all columns of the block.",
            )
        alpha = alpha[..., :1]
    return broadcast_parameter("alpha", alpha, len(block.classes), 1)[:, 0].copy()


def _moments_of(block: BlockStatistics) -> BlockStatistics:
    # The statistics of each column independently.
    return replace(block, parts=(_scatter_of_block(block).moments(),))


def _scatter_of_block(block: BlockStatistics) -> Scatter:
    (scatter,) = block.parts
    assert isinstance(scatter, Scatter)
    return scatter
