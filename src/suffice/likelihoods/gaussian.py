"""Real columns, independent given the class: x_j ~ Normal(μ_jc, σ²_jc) in class c.

Symbols: for class c and column j, n, x̄ and dp are the weight, the mean and Σ w (x − x̄)² of the observed cells. m and v
are the mean and the variance of the column over all classes. The prior is NormalInverseGamma(m, κ, a, b).

Everything is computed in standard units, z = (x − m)/√v, so that a class posterior does not change under x → s x + t.
A constant column (v = 0) contributes nothing to any class.

    posterior    κ' = κ + n     m' = m + (n/κ')(x̄ − m)     a' = a + n/2     b' = b + ½ dp + κ n (x̄ − m)²/(2κ')
    mle          μ = x̄, σ² = dp/n, at least var_smoothing · v; where n = 0, μ = m and σ² = v
    smoothed     the mle with λ pseudo-rows of mean m and variance v: κ = λ, a = λ/2, b = λv/2, σ² = b'/a'
    map          the joint mode, σ² = b'/(a' + 3/2)
    mean         σ² = b'/(a' − 1) for a' > 1, otherwise the predictive scale²
    predictive   Student-t with 2a' degrees of freedom, location m', scale² b'(κ' + 1)/(a'κ')
    evidence     ln Γ(a') − ln Γ(a) + a ln b − a' ln b' + ½ ln(κ/κ') − (n/2) ln 2π, and −n ln √v for x instead of z

With variance="shared" each column has C means and one σ²; the prior a, b belongs to the column, and

    a' = a + Σ_c n/2     b' = b + Σ_c [½ dp + κ n (x̄ − m)²/(2κ')]     joint mode  σ² = b'/(a' + 1 + C/2)

The default prior carries unit information, the weight of one row: location m, κ = 1, a = ½, b = ½ v. It is a function
of the statistics, so models that use it still merge.

Rows are drawn with N ~ Normal(0, 1) and G ~ Gamma(a'):

    plug-in      z = μ + σ N
    posterior    σ² = b'/G, a single draw for all classes where it is shared;  μ = m' + √(σ²/κ') N
    predictive   z = m' + √(b'(κ' + 1)/κ') N/√G, with a G for each cell
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, TypeAlias, final, get_args

import numpy as np
import numpy.typing as npt

from suffice.arguments import GREATEST, LEAST, is_real, option
from suffice.conjugate import NormalInverseGamma, StudentT
from suffice.conjugate.special import log_gamma_draws, log_ratio, log_rising
from suffice.errors import DataError, ParameterError
from suffice.likelihoods.block_statistics import (
    BlockStatistics,
    Collect,
    align_classes,
    broadcast_parameter,
    select_columns,
    transpose_table,
)
from suffice.likelihoods.draws import Draw
from suffice.likelihoods.likelihood import Likelihood, Observation, Parameter
from suffice.likelihoods.terms import Term
from suffice.likelihoods.terms.divergence import Other, log_of_rest, real_divergence
from suffice.likelihoods.terms.split import Facts, NumberSplit, Rows, Split, no_facts, no_outcome
from suffice.likelihoods.terms.term import Layout, LinearForm, UncertainTerm, contiguous, require_posterior
from suffice.statistics import Axis, Moments, Scatter
from suffice.statistics.arrays import BoolArray, FloatArray, IntArray
from suffice.statistics.axis import Columns

__all__ = [
    "DiagonalGaussian",
    "Gaussian",
    "GaussianPosterior",
    "GaussianPrior",
    "GaussianTerm",
    "Quadratic",
    "Standardised",
    "Student",
    "Variance",
    "clip_to_floats",
    "constant_cells",
    "moment_facts",
    "prior_of_columns",
    "require_var_smoothing",
    "standardise_moments",
]

Variance: TypeAlias = Literal["own", "shared"]

_LEAST_SMOOTHING = 1e-12
# Two different floats differ by 2⁻⁵³ of their size or more; rounding errors left over in a mean are below 2⁻⁹⁶ of it.
_ROUNDING = 2.0**-80
# Limits within which drawn parameters are kept, so that scores stay finite.
_LEAST_VARIANCE, _GREATEST_VARIANCE, _GREATEST_MEAN = 1e-300, 1e300, 1e150


@final
@dataclass(frozen=True, slots=True, repr=False)
class Gaussian(Likelihood):
    """Real columns, independent of each other within a class: x_j ~ Normal(μ_jc, σ²_jc).

    Parameters
    ----------
    prior : NormalInverseGamma, optional
        Prior on mean and variance, in the unit of x. Each parameter is one number, one per column, or one per class and
        column. By default unit information: the mean and variance of the column over all classes, with the weight of
        one row.
    variance : "own" or "shared"
        `"own"` estimates a variance for each class and column, `"shared"` one for each column that all classes share.
    var_smoothing : float from 1e-12 to 1
        Lower bound on the variance of the mle and smoothed estimates, as a fraction of the column's variance over all
        classes.
    missing : "ignore" or "level"
        `"ignore"` drops missing cells; `"level"` also models whether a cell is missing, by class.

    See Also
    --------
    MultivariateGaussian : models columns together, with their correlations (LDA, QDA).

    Examples
    --------
    >>> import suffice as sf
    >>> data, labels = [[1.0], [2.0], [1.5], [4.0], [5.0], [4.5]], ["a", "a", "a", "b", "b", "b"]
    >>> model = sf.fit(data, labels, columns=sf.Gaussian(variance="shared"), calibrate=False)
    >>> model.predict([[1.2], [4.1]])
    array(['a', 'b'], dtype='<U1')
    """

    column_by_column: ClassVar[bool] = True

    prior: NormalInverseGamma | None = None
    variance: Variance = "own"
    var_smoothing: float = 1e-9
    missing: Literal["ignore", "level"] = "ignore"

    def __post_init__(self) -> None:
        if self.prior is not None and not isinstance(self.prior, NormalInverseGamma):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ParameterError(
                "prior of Gaussian must be a NormalInverseGamma",
                parameter="prior",
                got=self.prior,
                advice="Use NormalInverseGamma(location, strength, shape, scale), or MultivariateGaussian with a "
                "NormalInverseWishart.",
            )
        option("variance", self.variance, get_args(Variance))
        object.__setattr__(self, "var_smoothing", require_var_smoothing(self.var_smoothing))
        option("missing", self.missing, ("ignore", "level"))

    def collect(self, columns: Columns) -> Collect:
        """Request the weight, mean and squared deviations of each column."""
        return Collect("moments", columns)

    def restrict(self, stay: BoolArray) -> Gaussian:
        """Return the likelihood of the columns where `stay` is true, with their priors."""
        return self if self.prior is None else replace(self, prior=prior_of_columns(self.prior, stay))

    def terms(self, block: BlockStatistics) -> tuple[Term, ...]:
        """Return normal densities for plug-in estimates and Student-t densities for the predictive one."""
        return *self._value_terms(block), *(each.term(block) for each in self._observation(block))

    def n_parameters(self, block: BlockStatistics) -> int:
        """Return two for each class and column that is not constant, or C + 1 for a shared variance."""
        classes, observed = len(block.classes), sum(len(each.counts) for each in self._observation(block))
        columns = len(self._standardise(block)[0].columns)
        return columns * (classes + (1 if self._shared else classes)) + observed * len(block.columns)

    def _value_terms(self, block: BlockStatistics) -> tuple[Term, ...]:
        values, prior = self._standardise(block)
        if not values.columns.size:
            return ()
        names = values.names(block)
        if block.reading.estimate == "predictive":
            return tuple(prior.update(values, shared=self._shared).student_terms(names, values))
        mu, variance = self._estimate(block, values, prior)
        constant = -0.5 * np.log(2 * math.pi * variance) - np.log(values.unit)
        return (
            Quadratic(
                names,
                values.centre,
                1 / values.unit,
                transpose_table(mu),
                transpose_table(0.5 / variance),
                transpose_table(constant),
            ),
        )

    def uncertain(self, block: BlockStatistics) -> tuple[UncertainTerm, ...]:
        """Return the posterior of means and variances."""
        return *self.uncertain_columns(block), *(each.uncertain(block) for each in self._observation(block))

    def uncertain_columns(self, block: BlockStatistics) -> tuple[DiagonalGaussian, ...]:
        """Return the posterior of means and variances without that of missing cells; empty if all are constant."""
        values, prior = self._standardise(block)
        if not values.columns.size:
            return ()
        names = values.names(block)
        require_posterior(prior.kappa, names)
        posterior = prior.update(values, shared=self._shared)
        return (DiagonalGaussian(names, values.centre, values.unit, posterior, self._shared),)

    def log_evidence(self, block: BlockStatistics) -> float:
        """Return the log density of the values with means and variances integrated out; 0 for a constant column."""
        observed = sum((each.log_evidence() for each in self._observation(block)), 0.0)
        return float(self.column_evidence(block).sum()) + observed

    def column_evidence(self, block: BlockStatistics) -> FloatArray:
        """Return the log evidence of the values of each column (D)."""
        values, prior = self._standardise(block)
        evidence = np.zeros(len(block.columns))
        evidence[values.columns] = prior.column_evidence(values, shared=self._shared)
        return evidence

    def predictive(self, block: BlockStatistics) -> tuple[Standardised, StudentT]:
        """Return the columns that are not constant, and their Student-t for each class in standard units."""
        values, prior = self._standardise(block)
        return values, prior.update(values, shared=self._shared).model().student_t()

    def parameters(self, block: BlockStatistics, credible: float) -> Iterator[Parameter]:
        """Yield location and variance (location, scale and degrees of Student-t); none for a constant column."""
        yield from self._value_parameters(block, credible)
        for each in self._observation(block):
            yield from each.parameters(block, credible)

    def _value_parameters(self, block: BlockStatistics, credible: float) -> Iterator[Parameter]:
        values, prior = self._standardise(block)
        if not values.columns.size:
            return
        posterior, unit = prior.update(values, shared=self._shared), values.unit
        no_interval: FloatArray = np.full((2, *values.weight.shape), np.nan)
        location_interval, variance_interval = no_interval, no_interval
        if (prior.kappa > 0).all():
            of_location, of_variance = posterior.model().interval(credible)
            location_interval = np.stack([values.centre + unit * bound for bound in of_location])
            with np.errstate(over="ignore"):  # the square of a float may exceed float64
                variance_interval = np.stack([unit**2 * bound for bound in of_variance])
        if block.reading.estimate == "predictive":
            t = posterior.model().student_t()
            rows = [("location", values.centre + unit * t.location, location_interval)]
            rows += [("scale", t.scale * unit, no_interval), ("degrees", t.degrees, no_interval)]
        else:
            mu, variance = self._estimate(block, values, prior)
            rows = [("location", values.centre + unit * mu, location_interval)]
            with np.errstate(over="ignore"):
                rows += [("variance", variance * unit**2, variance_interval)]
        for c, label in enumerate(block.classes):
            for j, column in enumerate(values.names(block)):
                for name, value, (lower, upper) in rows:
                    numbers = float(value[c, j]), float(lower[c, j]), float(upper[c, j])
                    n = float(values.weight[c, j])
                    yield Parameter(label, column, None, name, block.reading.estimate, *numbers, n=n)

    def posterior(self, block: BlockStatistics, column: str | int, c: int) -> NormalInverseGamma:
        """Return the posterior of mean and variance, in the unit of x.

        A shared variance has one a' and b' for all classes.
        """
        values, prior = self._standardise(block)
        names = values.names(block)
        if column not in names:
            raise ParameterError(
                "the column is constant or unknown, so its mean and variance have no posterior", column=column
            )
        require_posterior(prior.kappa[c], (column,))
        posterior, j = prior.update(values, shared=self._shared), names.index(column)
        m, kappa, a, b = (each[c, j] for each in (posterior.m, posterior.kappa, posterior.a, posterior.b))
        unit = values.unit[j]
        return NormalInverseGamma(values.centre[j] + unit * m, kappa, a, b * unit * unit)

    def sample(self, block: BlockStatistics, draw: Draw) -> list[npt.NDArray[Any]]:
        """Return normal numbers, or Student-t numbers for the predictive estimate; NaN for missing cells."""
        values, prior = self._standardise(block)
        cells = constant_cells(_moments_of_block(block), draw)
        if values.columns.size:
            posterior = prior.update(values, shared=self._shared)
            if draw.posterior:
                require_posterior(prior.kappa, values.names(block))
                z = _draw_normals(*posterior.draw_parameters(draw.rng, shared=self._shared), draw)
            elif block.reading.estimate == "predictive":
                z = posterior.draw_students(draw)
            else:
                z = _draw_normals(*self._estimate(block, values, prior), draw)
            cells[:, values.columns] = clip_to_floats(values.centre, values.unit, z)
        for each in self._observation(block):
            cells[each.draw_missing(block, draw)] = np.nan
        return [cells[:, j] for j in range(len(block.columns))]

    @property
    def _shared(self) -> bool:
        return self.variance == "shared"

    def _observation(self, block: BlockStatistics) -> Iterator[Observation]:
        if self.missing == "level":
            moments = _moments_of_block(block)
            yield Observation.of(block, align_classes(moments.weight, moments.classes, block.classes))

    def _standardise(self, block: BlockStatistics) -> tuple[Standardised, GaussianPrior]:
        moments = _moments_of_block(block)
        given = None if block.reading.estimate in ("mle", "smoothed") else self.prior
        if given is None:
            values = standardise_moments(moments, block.classes)
            rows = broadcast_parameter(
                "alpha", 1.0 if block.reading.alpha is None else block.reading.alpha, *block.shape
            )
            rows = rows[:, values.columns]
            return values, GaussianPrior(np.broadcast_to(values.pooled, rows.shape), rows, rows / 2, rows / 2)
        names = "location", "strength", "shape", "scale"
        m, kappa, a, b = (broadcast_parameter(name, getattr(given, name), *block.shape) for name in names)
        # A constant column has no spread of its own, so the prior's spread is its unit.
        values = standardise_moments(moments, block.classes, np.sqrt(b / a).max(axis=0, initial=0.0))
        kept, unit = values.columns, values.unit
        scale = np.clip(b[:, kept] / unit / unit, LEAST, GREATEST)
        return values, GaussianPrior((m[:, kept] - values.centre) / unit, kappa[:, kept], a[:, kept], scale)

    def _estimate(
        self, block: BlockStatistics, values: Standardised, prior: GaussianPrior
    ) -> tuple[FloatArray, FloatArray]:
        # μ and σ² of a plug-in estimate, in z.
        estimate = block.reading.estimate
        posterior = (prior.without_rows() if estimate == "mle" else prior).update(values, shared=self._shared)
        if estimate in ("mle", "smoothed"):
            proper = posterior.a > 0
            variance = np.where(proper, posterior.b / np.where(proper, posterior.a, 1.0), 1.0)
            return posterior.m, np.maximum(variance, self.var_smoothing)
        if estimate == "map":
            posterior.model()  # raises if b' exceeds float64
            return posterior.m, posterior.b / (posterior.a + posterior.mode_offset)
        return posterior.m, np.asarray(posterior.model().mean_estimate.variance)


class GaussianTerm(Term):
    """Densities of independent columns as functions of (z − m)² s, with z = (x − centre) · scale.

    Centre and scale have length D; m, s and c have shape (D, C).
    """

    __slots__ = ()

    centre: FloatArray
    scale: FloatArray
    m: FloatArray
    s: FloatArray
    c: FloatArray

    per_column: ClassVar[tuple[str, ...]] = ("centre", "scale", "m", "s", "c")

    @abstractmethod
    def _log_density(self, squares: FloatArray) -> FloatArray:
        # The log density, given (z − m)² s.
        ...

    def score_numbers(self, x: FloatArray) -> FloatArray:
        """Return the log densities of cells."""
        with np.errstate(over="ignore"):
            z = (x - self.centre) * self.scale
            return self._log_density((z[..., None] - self.m) ** 2 * self.s)

    def split(self, rows: Rows, block: BlockStatistics) -> Split:
        """Return one entry for each observed cell."""
        facts = moment_facts(block, self.columns)
        return NumberSplit(self.columns, rows.numbers(self.columns), self.score_numbers, facts, no_outcome)

    def log_units(self) -> FloatArray:
        """Return the log of the unit of each column."""
        return -np.log(self.scale)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Quadratic(GaussianTerm):
    """Normal log density with its parameters plugged in: c − s (z − m)²."""

    columns: Columns
    centre: FloatArray
    scale: FloatArray
    m: FloatArray
    s: FloatArray
    c: FloatArray

    def compile(self, layout: Layout) -> None:
        """Add the densities to the core's tables."""
        places = layout.numbers(self.columns)
        layout.tables.add_quadratic(places, *map(contiguous, (self.centre, self.scale, self.m, self.s, self.c)))

    proportional: ClassVar[tuple[str, ...]] = ("s", "c")

    def linear_form(self) -> LinearForm | None:
        """Return the weights if every column has one variance for all classes: s z² then cancels."""
        if (self.s != self.s[:, :1]).any():
            return None
        slope = 2 * self.s * self.m  # of z
        start = self.c - self.s * self.m**2 - slope * (self.centre * self.scale)[:, None]
        return LinearForm.of_cells(self.columns, slope * self.scale[:, None], start.sum(axis=0))

    def _log_density(self, squares: FloatArray) -> FloatArray:
        return self.c - squares

    def divergence(self, log_weight: FloatArray, other: Other = log_of_rest) -> Iterable[tuple[str | int, FloatArray]]:
        """Yield each column and its divergence from the other density."""
        return zip(self.columns, real_divergence(self.m, self.s, self.c, None, log_weight, other), strict=True)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Student(GaussianTerm):
    """Student-t log density, from the parameters integrated out: c − e ln(1 + (z − m)² s), with e of length C."""

    columns: Columns
    centre: FloatArray
    scale: FloatArray
    m: FloatArray
    s: FloatArray
    c: FloatArray
    e: FloatArray

    def compile(self, layout: Layout) -> None:
        """Add the densities to the core's tables."""
        arrays = self.centre, self.scale, self.m, self.s, self.c, self.e
        layout.tables.add_student(layout.numbers(self.columns), *map(contiguous, arrays))

    def weigh(self, weights: FloatArray) -> list[Term]:
        """Return a term for each weight: columns of one term share their exponents."""
        found: list[Term] = []
        for weight in np.unique(weights).tolist():
            own = self.restrict(tuple(self.columns[j] for j in np.flatnonzero(weights == weight).tolist()))
            assert isinstance(own, Student)
            found.append(replace(own, c=weight * own.c, e=weight * own.e))
        return found

    def _log_density(self, squares: FloatArray) -> FloatArray:
        # A square that exceeds float64 is replaced by the largest float, as in the core.
        return self.c - np.log1p(np.minimum(squares, np.finfo(np.float64).max)) * self.e

    def divergence(self, log_weight: FloatArray, other: Other = log_of_rest) -> Iterable[tuple[str | int, FloatArray]]:
        """Yield each column and its divergence from the other density."""
        return zip(self.columns, real_divergence(self.m, self.s, self.c, self.e, log_weight, other), strict=True)


@final
@dataclass(frozen=True, slots=True, eq=False)
class DiagonalGaussian(UncertainTerm):
    """Independent columns with the posterior of means and variances (C, D) in z; centre and unit have length D."""

    columns: Columns
    centre: FloatArray
    unit: FloatArray
    posterior: GaussianPosterior
    shared: bool

    def draw(self, rng: np.random.Generator) -> Quadratic:
        """Return normal densities with means and variances drawn from the posterior."""
        mu, variance = self.posterior.draw_parameters(rng, shared=self.shared)
        variance = np.clip(variance, _LEAST_VARIANCE, _GREATEST_VARIANCE)
        constant = -0.5 * (math.log(2 * math.pi) + np.log(variance)) - np.log(self.unit)
        m = np.clip(mu, -_GREATEST_MEAN, _GREATEST_MEAN)
        return Quadratic(
            self.columns,
            self.centre,
            1 / self.unit,
            transpose_table(m),
            transpose_table(0.5 / variance),
            transpose_table(constant),
        )

    def without(self, columns: Collection[str | int]) -> DiagonalGaussian:
        """Return the term without these columns."""
        kept = [j for j, column in enumerate(self.columns) if column not in columns]
        names, posterior = tuple(self.columns[j] for j in kept), self.posterior.take_columns(kept)
        return DiagonalGaussian(names, self.centre[kept], self.unit[kept], posterior, self.shared)


@final
@dataclass(frozen=True, slots=True, eq=False)
class GaussianPrior:
    """m, κ, a, b of each class and column (C, D), in z."""

    m: FloatArray
    kappa: FloatArray
    a: FloatArray
    b: FloatArray

    def without_rows(self) -> GaussianPrior:
        """Return the same location with zero weight, whose posterior is the mle."""
        zero = np.zeros_like(self.m)
        return GaussianPrior(self.m, zero, zero, zero)

    def update(self, values: Standardised, *, shared: bool) -> GaussianPosterior:
        """Return the posterior; where κ' = 0 (no rows and λ = 0), m' = m."""
        n, kappa = values.weight, self.kappa + values.weight
        m = self.m + np.where(kappa > 0, n / np.where(kappa > 0, kappa, 1.0), 0.0) * (values.mean - self.m)
        increment = self._increment(values)
        if not shared:
            return GaussianPosterior(m, kappa, self.a + n / 2, self.b + increment, 1.5)
        a, b = self._of_all_classes()
        a, b = a + n.sum(axis=0) / 2, b + increment.sum(axis=0)
        return GaussianPosterior(m, kappa, np.broadcast_to(a, n.shape), np.broadcast_to(b, n.shape), 1 + len(n) / 2)

    def column_evidence(self, values: Standardised, *, shared: bool) -> FloatArray:
        """Return the log density of the values of each column (D), in the unit of x, summed over the classes."""
        if not values.weight.any():
            return np.zeros_like(values.unit)
        if not (self.kappa > 0).all():  # λ = 0 is an improper prior
            return np.where(values.weight.any(axis=0), -np.inf, 0.0)
        unit_change: FloatArray = -(values.weight * np.log(values.unit)).sum(axis=0)
        if not shared:
            model = NormalInverseGamma(self.m, self.kappa, self.a, self.b)
            by_class_and_column: FloatArray = np.asarray(
                model.log_evidence(weight=values.weight, mean=values.mean, dp=values.dp)
            )
            return unit_change + by_class_and_column.sum(axis=0)
        # One variance: the deviations count as those of one class with a known mean; the means add −½ Σ ln(κ'/κ).
        (a, b), n, one = self._of_all_classes(), values.weight.sum(axis=0), np.ones(1)
        squares = 2 * self._increment(values).sum(axis=0)
        variance = NormalInverseGamma(0, 1, a, b).log_evidence(weight=n, mean=np.zeros_like(n), dp=squares)
        means = 0.5 * log_ratio(one, n) - 0.5 * log_ratio(self.kappa, values.weight).sum(axis=0)
        return unit_change + variance + means

    def _increment(self, values: Standardised) -> FloatArray:
        # b' − b of each class.
        kappa = self.kappa + values.weight
        ratio = np.where(kappa > 0, self.kappa / np.where(kappa > 0, kappa, 1.0), 0.0)
        with np.errstate(over="ignore"):
            return values.dp / 2 + values.weight * ratio * (values.mean - self.m) ** 2 / 2

    def _of_all_classes(self) -> tuple[FloatArray, FloatArray]:
        if (self.a != self.a[:1]).any() or (self.b != self.b[:1]).any():
            raise ParameterError(
                "a shared variance requires one prior for all classes, but shape or scale differ between classes",
                parameter="prior",
                advice="Use the same shape and scale for every class, or Gaussian(variance='own').",
            )
        return self.a[0], self.b[0]


@final
@dataclass(frozen=True, slots=True, eq=False)
class GaussianPosterior:
    """m', κ', a', b' of each class and column (C, D), in z; the joint mode is b'/(a' + mode_offset)."""

    m: FloatArray
    kappa: FloatArray
    a: FloatArray
    b: FloatArray
    mode_offset: float

    def model(self) -> NormalInverseGamma:
        """Return the posterior as a conjugate pair."""
        return NormalInverseGamma(self.m, self.kappa, self.a, self.b)

    def take_columns(self, kept: list[int]) -> GaussianPosterior:
        """Return the posterior of these columns."""
        m, kappa, a, b = (each[:, kept] for each in (self.m, self.kappa, self.a, self.b))
        return GaussianPosterior(m, kappa, a, b, self.mode_offset)

    def student_terms(self, names: Columns, values: Standardised) -> Iterator[Student]:
        """Yield the predictive densities: one term for columns whose degrees of freedom agree in every class."""
        b = self.b * ((self.kappa + 1) / self.kappa)
        constant = log_rising(self.a, np.asarray(0.5)) - 0.5 * np.log(2 * math.pi * b) - np.log(values.unit)
        e = self.a + 0.5
        group = np.zeros(len(names), dtype=np.int64)
        if (e != e[:, :1]).any():
            group = np.unique(e, axis=1, return_inverse=True)[1].ravel()
        for k in range(int(group.max()) + 1):
            at = np.flatnonzero(group == k)
            columns = tuple(names[j] for j in at.tolist())
            tables = transpose_table(self.m[:, at]), transpose_table(0.5 / b[:, at]), transpose_table(constant[:, at])
            yield Student(columns, values.centre[at], 1 / values.unit[at], *tables, e[:, at[0]].copy())

    def draw_parameters(self, rng: np.random.Generator, *, shared: bool) -> tuple[FloatArray, FloatArray]:
        """Return one draw of μ and σ² for every class and column."""
        shape = self.a[:1] if shared else self.a
        log_variance = np.log(self.b[:1] if shared else self.b) - log_gamma_draws(shape, shape.shape, rng)
        with np.errstate(over="ignore"):
            variance = np.broadcast_to(np.exp(log_variance), self.m.shape)
            deviation = np.exp(0.5 * (log_variance - np.log(self.kappa)))
            return self.m + deviation * rng.standard_normal(self.m.shape), variance

    def draw_students(self, draw: Draw) -> FloatArray:
        """Return a Student-t number for each row and column."""
        noise = draw.rng.standard_normal((draw.rows, self.m.shape[1]))
        log_spread = np.log(self.b) + np.log1p(1 / self.kappa)
        z = np.empty_like(noise)
        with np.errstate(over="ignore"):
            for c, rows in draw.groups:
                logs = log_gamma_draws(self.a[c], (len(rows), self.m.shape[1]), draw.rng)
                z[rows] = self.m[c] + noise[rows] * np.exp(0.5 * (log_spread[c] - logs))
        return z


@final
@dataclass(frozen=True, slots=True, eq=False)
class Standardised:
    """Moments in z = (x − centre)/unit of the columns that are not constant: D arrays, and (C, D) by class.

    `columns` are their positions in the block. `pooled` is the mean over all classes in z: the centre is a float, and
    this is its rounding error.
    """

    columns: IntArray
    centre: FloatArray
    unit: FloatArray
    pooled: FloatArray
    weight: FloatArray
    mean: FloatArray
    dp: FloatArray

    def names(self, block: BlockStatistics) -> Columns:
        """Return the names of the columns."""
        positions: list[int] = self.columns.tolist()
        return tuple(block.columns[j] for j in positions)


def standardise_moments(moments: Moments, classes: Axis, fallback_unit: FloatArray | None = None) -> Standardised:
    """Return the moments in z, with centre m and unit √v, without the columns that are constant (v = 0).

    The low parts of the means enter, so that a spread of 1 at a mean of 10⁹ keeps its digits.

    Parameters
    ----------
    fallback_unit : array (D), optional
        Unit of a constant column, where a prior gives one; such columns are then kept.
    """
    n = align_classes(moments.weight, moments.classes, classes)
    high, low = (align_classes(each, moments.classes, classes) for each in (moments.mean, moments.mean_low))
    dp = align_classes(moments.dp, moments.classes, classes)
    if not classes.labels:
        empty = np.zeros((0, 0))
        return Standardised(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0), np.zeros(0), empty, empty, empty)
    total = n.sum(axis=0)
    heaviest, across = n.argmax(axis=0), np.arange(n.shape[1], dtype=np.int64)
    base, base_low = high[heaviest, across], low[heaviest, across]
    with np.errstate(over="ignore", invalid="ignore"):
        fraction = n / np.where(total > 0, total, 1.0)
        offset = np.where(n > 0, (high - base) + (low - base_low), 0.0)
        centre = base + (base_low + (fraction * offset).sum(axis=0))
        deviation = np.where(n > 0, (high - centre) + low, 0.0)
        rounded = (fraction * deviation).sum(axis=0)  # the rounding error of the centre
        variance = (dp / np.where(total > 0, total, 1.0) + fraction * (deviation - rounded) ** 2).sum(axis=0)
    if not np.isfinite(variance).all():
        raise DataError(
            "the variance exceeds float64: the classes are too far apart",
            column=moments.columns[int(np.argmin(np.isfinite(variance)))],
            advice="Rescale the column.",
        )
    unit = np.sqrt(variance)
    unit = np.where(unit > _ROUNDING * np.abs(centre), unit, 0.0)
    if fallback_unit is not None:
        unit = np.where(unit > 0, unit, fallback_unit)
    kept = np.flatnonzero(unit > 0)
    unit, mean = unit[kept], deviation[:, kept] / unit[kept]
    pooled = (fraction[:, kept] * mean).sum(axis=0)
    return Standardised(kept, centre[kept], unit, pooled, n[:, kept], mean, dp[:, kept] / unit / unit)


def require_var_smoothing(value: Any) -> float:
    """Return var_smoothing as a float, or raise ParameterError.

    Below 1e-12 the density (a z + b) z + c of a class would lose its digits in the core.
    """
    if not is_real(value) or not _LEAST_SMOOTHING <= value <= 1:
        raise ParameterError(
            "var_smoothing must be a fraction of the column's variance, from 1e-12 to 1",
            parameter="var_smoothing",
            got=value,
            advice="Use for example 1e-9.",
        )
    return float(value)


def prior_of_columns(prior: NormalInverseGamma, stay: BoolArray) -> NormalInverseGamma:
    """Return the prior of the columns where `stay` is true."""
    parameters = prior.location, prior.strength, prior.shape, prior.scale
    return NormalInverseGamma(*(select_columns(each, stay) for each in parameters))


def moment_facts(block: BlockStatistics, columns: Columns) -> Facts:
    """Return a function that gives mean and sd of a column in some classes, where moments or a scatter are known."""
    collected = block.parts[0]
    if not isinstance(collected, (Moments, Scatter)):
        return no_facts
    part = collected.moments()
    place = {name: at for at, name in enumerate(part.columns)}
    where = [place[name] for name in columns]
    weight, mean, dp = (
        align_classes(each, part.classes, block.classes)[:, where] for each in (part.weight, part.mean, part.dp)
    )

    def facts(column: int, _outcome: int, at: IntArray) -> dict[str, float]:
        n, means, squares = (each[at, column] for each in (weight, mean, dp))
        total = float(n.sum())
        if not total > 0:
            return {}
        fraction = n / total
        pooled = float((fraction * means).sum())
        with np.errstate(over="ignore"):
            variance = float((squares / total + fraction * (means - pooled) ** 2).sum())
        return {"mean": pooled, "sd": float(np.sqrt(variance))}

    return facts


def constant_cells(moments: Moments, draw: Draw) -> FloatArray:
    """Return rows that hold the value of each constant column; NaN where nothing was observed.

    Other columns hold the mean of their heaviest class, which the caller overwrites.
    """
    cells = np.full((draw.rows, len(moments.columns)), np.nan)
    if len(moments.classes):
        heaviest, across = moments.weight.argmax(axis=0), np.arange(len(moments.columns))
        cells[:] = np.where(moments.weight[heaviest, across] > 0, moments.mean[heaviest, across], np.nan)
    return cells


def clip_to_floats(centre: FloatArray, unit: FloatArray, z: FloatArray) -> FloatArray:
    """Return centre + unit · z, within the range of float64."""
    greatest = np.finfo(np.float64).max
    with np.errstate(over="ignore"):
        return np.clip(centre + unit * z, -greatest, greatest)


def _draw_normals(mu: FloatArray, variance: FloatArray, draw: Draw) -> FloatArray:
    # A normal number for each row and column, with the parameters (C, D) of the row's class.
    noise = draw.rng.standard_normal((draw.rows, mu.shape[1]))
    return mu[draw.classes] + np.sqrt(variance)[draw.classes] * noise


def _moments_of_block(block: BlockStatistics) -> Moments:
    (part,) = block.parts
    assert isinstance(part, Moments)
    return part
