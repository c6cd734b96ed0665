"""Count columns: x_j ~ Poisson(θ_jc) in class c, columns independent given the class.

Symbols: T = Σ w x and n = Σ w over the rows of class c in which x_j is observed. The prior on θ is Gamma(r, β), with
shape r and rate β; the posterior is Gamma(r', β'), r' = r + T, β' = β + n.

    mle          T/n; the pooled rate m if n = 0
    smoothed     (T + λ m)/(n + λ): λ pseudo-rows at the pooled rate
    map          max(r' − 1, 0)/β'                     mean     r'/β'
    predictive   negative binomial with r' and p = β'/(β' + 1)
    term         x ln θ − θ − ln x!
      predictive ln Γ(r' + x) − ln Γ(r') − ln x! + r' ln(β'/(β' + 1)) − x ln(β' + 1)
    evidence     Σ_jc [ln Γ(r') − ln Γ(r) + r ln β − r' ln β'] − Σ ln x!

The default prior is equivalent to one row: r = m, β = 1, and r = 1 + m for map, with the pooled rate
m = (Σ_c T + 1)/(Σ_c n + 1) of the column, which is positive even if every count is 0. It is a function of the
statistics, so it merges. The contribution of a cell to an explanation leaves out ln x!, which is the same for every
class.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
import numpy.typing as npt

from suffice.conjugate import GammaPoisson
from suffice.conjugate.special import log_gamma_draws, log_rising, xlogy
from suffice.errors import ParameterError
from suffice.likelihoods.block_statistics import (
    BlockStatistics,
    Collect,
    align_columns,
    broadcast_parameter,
    select_columns,
    sum_logs,
    transpose_table,
)
from suffice.likelihoods.draws import Draw, draw_poisson
from suffice.likelihoods.likelihood import Likelihood, Parameter
from suffice.likelihoods.terms.divergence import Other, count_divergence, log_of_rest
from suffice.likelihoods.terms.split import NumberSplit, Rows, Split, count_facts, no_outcome
from suffice.likelihoods.terms.term import Layout, LinearForm, Term, UncertainTerm, contiguous, require_posterior
from suffice.statistics import Counts
from suffice.statistics.arrays import BoolArray, FloatArray
from suffice.statistics.axis import Columns

__all__ = ["CompoundCount", "Poisson", "PoissonCount", "UncertainRates"]

_MOST_RATE = 1e290  # up to which x ln θ − θ is finite for every count that can be scored
_MOST_DRAWN_RATE = 1e300


@final
@dataclass(frozen=True, slots=True, repr=False)
class Poisson(Likelihood):
    """Poisson likelihood for count columns, with one rate per class and column.

    Parameters
    ----------
    prior : GammaPoisson, optional
        Gamma(shape, rate) on the rate; both are scalars, one value per column, or one per class and column.
        Default: a prior equivalent to one observation at the pooled rate.
    factorials : bool
        Whether the evidence includes ln x!, which is constant over priors and classes and requires an additional
        statistic.

    Examples
    --------
    >>> Poisson(GammaPoisson(1, 1))
    Poisson(prior=GammaPoisson(shape=1.0, rate=1.0))
    """

    column_by_column: ClassVar[bool] = True

    prior: GammaPoisson | None = None
    factorials: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.factorials, (bool, np.bool_)):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ParameterError(
                f"factorials must be True or False: got {self.factorials!r}. False omits ln x! from the evidence."
            )
        object.__setattr__(self, "factorials", bool(self.factorials))
        if self.prior is not None and not isinstance(self.prior, GammaPoisson):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ParameterError(
                f"prior of Poisson must be a GammaPoisson: got {self.prior!r}. Give GammaPoisson(shape, rate)."
            )

    def collect(self, columns: Columns) -> Collect:
        """Return the statistics to collect: column sums, observed weights, and Σ ln x! if `factorials` is true."""
        return Collect("sums", columns, logs="cells" if self.factorials else "none")

    def restrict(self, stay: BoolArray) -> Poisson:
        """Return the likelihood restricted to a subset of columns, with their priors but without ln x!.

        Σ ln x! is stored for the block as a whole.
        """
        prior = self.prior
        if prior is not None:
            prior = GammaPoisson(select_columns(prior.shape, stay), select_columns(prior.rate, stay))
        return Poisson(prior, factorials=False)

    def terms(self, block: BlockStatistics) -> tuple[Term, ...]:
        """Return the rates, or shape and rate of the posterior for the predictive estimate."""
        if block.reading.estimate == "predictive":
            posterior = self._posterior(block)
            return (CompoundCount(block.columns, transpose_table(posterior.shape), transpose_table(posterior.rate)),)
        return (PoissonCount(block.columns, transpose_table(np.minimum(self._rates(block), _MOST_RATE))),)

    def n_parameters(self, block: BlockStatistics) -> int:
        """Return one rate for each class and column."""
        return len(block.classes) * len(block.columns)

    def uncertain(self, block: BlockStatistics) -> tuple[UncertainTerm, ...]:
        """Return the posterior Gamma(r', β') of each class and column."""
        require_posterior(self._statistics_and_prior(block)[3], block.columns)
        posterior = self._posterior(block)
        return (UncertainRates(block.columns, posterior.shape, posterior.rate),)

    def log_evidence(self, block: BlockStatistics) -> float:
        """Return the log probability of the counts, with the rates integrated out."""
        total, weight, r, beta = self._statistics_and_prior(block)
        if not weight.any():
            return 0.0
        if not (beta > 0).all():  # λ = 0 is an improper prior
            return -np.inf
        evidence = GammaPoisson(r, beta).log_evidence(total=total, weight=weight, log_factorials=0)
        return float(np.sum(evidence)) - (sum_logs(block.parts[1]) if self.factorials else 0.0)

    def parameters(self, block: BlockStatistics, credible: float) -> Iterator[Parameter]:
        """Yield θ_jc of every class and column."""
        total, weight, _, beta = self._statistics_and_prior(block)
        proper = (beta > 0).all()
        values, nothing = self._rates(block), np.full(block.shape, np.nan)
        lower, upper = self._posterior(block).interval(credible) if proper else (nothing, nothing)
        lower, upper = np.asarray(lower), np.asarray(upper)
        for c, label in enumerate(block.classes):
            for j, column in enumerate(block.columns):
                numbers = float(values[c, j]), float(lower[c, j]), float(upper[c, j])
                counted = float(total[c, j]), float(weight[c, j])
                yield Parameter(label, column, None, "rate", block.reading.estimate, *numbers, *counted)

    def posterior(self, block: BlockStatistics, column: str | int, c: int) -> GammaPoisson:
        """Return Gamma(r', β') of the rate."""
        require_posterior(self._statistics_and_prior(block)[3][c], (column,))
        posterior, j = self._posterior(block), block.columns.index(column)
        return GammaPoisson(posterior.shape[c, j], posterior.rate[c, j])

    def sample(self, block: BlockStatistics, draw: Draw) -> list[npt.NDArray[Any]]:
        """Draw Poisson counts; negative binomial ones for the predictive estimate."""
        if draw.posterior:
            require_posterior(self._statistics_and_prior(block)[3], block.columns)
            rates = self._posterior(block).sample(1, draw.rng)[0][draw.classes]
        elif block.reading.estimate == "predictive":
            rates = np.zeros((draw.rows, len(block.columns)))
            posterior = self._posterior(block)
            for c, rows in draw.groups:
                rates[rows] = GammaPoisson(posterior.shape[c], posterior.rate[c]).sample(len(rows), draw.rng)
        else:
            rates = self._rates(block)[draw.classes]
        cells = draw_poisson(rates, draw.rng, block.columns)
        return [cells[:, j] for j in range(len(block.columns))]

    def _rates(self, block: BlockStatistics) -> FloatArray:
        total, weight, r, beta = self._statistics_and_prior(block)
        estimate = block.reading.estimate
        pooled = np.broadcast_to(_pool_rate(total, weight), total.shape)
        with np.errstate(over="ignore"):
            if estimate == "mle":
                return _clip_to_finite(np.where(weight > 0, total / np.where(weight > 0, weight, 1.0), pooled))
            if estimate == "smoothed":  # r = λ m and β = λ, which may be 0
                both = weight + beta
                divisor = np.where(both > 0, both, 1.0)
                sums = total + r
                rates = np.where(np.isfinite(sums), sums / divisor, total / divisor + r / divisor)
                return _clip_to_finite(np.where(both > 0, rates, pooled))
        posterior = self._posterior(block)
        return np.asarray(posterior.map_estimate if estimate == "map" else posterior.mean)

    def _posterior(self, block: BlockStatistics) -> GammaPoisson:
        total, weight, r, beta = self._statistics_and_prior(block)
        with np.errstate(over="ignore"):
            return GammaPoisson(_clip_to_finite(r + total), _clip_to_finite(beta + weight))

    def _statistics_and_prior(self, block: BlockStatistics) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        # T, n and the prior's r and β, each (C, D).
        sums = block.parts[0]
        assert isinstance(sums, Counts)
        total, weight = align_columns(sums, block.columns, block.classes)
        estimate = block.reading.estimate
        if self.prior is not None and estimate != "smoothed":
            r, beta = (broadcast_parameter(name, getattr(self.prior, name), *block.shape) for name in ("shape", "rate"))
            return total, weight, r, beta
        pooled = _pool_rate(total, weight)
        given = block.reading.alpha
        rows = broadcast_parameter("alpha", 1.0 if given is None else given, *block.shape)
        with np.errstate(over="ignore"):
            return total, weight, _clip_to_finite(rows * pooled + (1.0 if estimate == "map" else 0.0)), rows


def _pool_rate(total: FloatArray, weight: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):
        sums = total.sum(axis=0) + 1
        if not np.isfinite(sums).all():  # huge counts are scaled down first
            return _clip_to_finite((total * 2.0**-64).sum(axis=0) / (weight.sum(axis=0) + 1) * 2.0**64)
        return sums / (weight.sum(axis=0) + 1)


def _clip_to_finite(values: FloatArray) -> FloatArray:
    return np.minimum(values, np.finfo(np.float64).max)


class _Count(Term):
    # Count columns, independent given the class.
    __slots__ = ()

    @abstractmethod
    def _logs(self, x: FloatArray, columns: slice) -> FloatArray:
        # ln p(x | c) + ln x! of the counts (n, d) of some columns, (n, d, C).
        ...

    @abstractmethod
    def _mean_and_variance(self) -> tuple[FloatArray, FloatArray]:
        # Mean and variance of each column and class, (D, C).
        ...

    def split(self, rows: Rows, block: BlockStatistics) -> Split:
        """Return an entry for each known count."""
        facts = count_facts(block, self.columns, _describe_mean)
        cells = rows.numbers(self.columns)
        return NumberSplit(self.columns, cells, lambda x: self._logs(x, slice(None)), facts, no_outcome)

    def divergence(self, log_weight: FloatArray, other: Other = log_of_rest) -> Iterable[tuple[str | int, FloatArray]]:
        """Yield each column and its divergence from the other distribution."""
        mean, variance = self._mean_and_variance()

        def logs_of(j: int, x: FloatArray) -> FloatArray:
            return self._logs(x[:, None], slice(j, j + 1))[:, 0]

        return zip(self.columns, count_divergence(mean, np.sqrt(variance), logs_of, log_weight, other), strict=True)


@final
@dataclass(frozen=True, slots=True, eq=False)
class PoissonCount(_Count):
    """The log Poisson probability of each count: rate ≥ 0 of shape (D, C)."""

    columns: Columns
    rate: FloatArray

    per_column: ClassVar[tuple[str, ...]] = ("rate",)

    def compile(self, layout: Layout) -> None:
        """Add ln θ and −θ."""
        with np.errstate(divide="ignore"):  # the log of a rate of 0 is −inf
            slope = np.log(self.rate)
        arrays = np.empty((0, 0)), contiguous(slope), contiguous(-self.rate)
        layout.tables.add_counts(layout.numbers(self.columns), *arrays, factorials=True, whole_row=False)

    def linear_form(self) -> LinearForm:
        """Return ln θ of each column; ln x! is the same for every class."""
        with np.errstate(divide="ignore"):
            return LinearForm.of_cells(self.columns, np.log(self.rate), -self.rate.sum(axis=0))

    def _logs(self, x: FloatArray, columns: slice) -> FloatArray:
        return xlogy(x[..., None], self.rate[columns]) - self.rate[columns]

    def _mean_and_variance(self) -> tuple[FloatArray, FloatArray]:
        return self.rate, self.rate


@final
@dataclass(frozen=True, slots=True, eq=False)
class CompoundCount(_Count):
    """The log negative binomial probability of each count: shape and rate > 0, each of shape (D, C)."""

    columns: Columns
    shape: FloatArray
    rate: FloatArray

    per_column: ClassVar[tuple[str, ...]] = ("shape", "rate")

    def compile(self, layout: Layout) -> None:
        """Add r, −ln(β + 1) and r ln(β/(β + 1))."""
        slope, base = -np.log1p(self.rate), -self.shape * np.log1p(1 / self.rate)
        arrays = map(contiguous, (self.shape, slope, base))
        layout.tables.add_counts(layout.numbers(self.columns), *arrays, factorials=True, whole_row=False)

    def _logs(self, x: FloatArray, columns: slice) -> FloatArray:
        r, beta, counts = self.shape[columns], self.rate[columns], x[..., None]
        rising = log_rising(np.broadcast_to(r, (len(x), *r.shape)), counts)
        return rising - r * np.log1p(1 / beta) - counts * np.log1p(beta)

    def _mean_and_variance(self) -> tuple[FloatArray, FloatArray]:
        mean = self.shape / self.rate
        return mean, mean * (1 + 1 / self.rate)


def _describe_mean(total: FloatArray, observed: FloatArray, column: int, _outcome: int) -> dict[str, float]:
    known = float(observed[:, column].sum())
    return {"mean": float(total[:, column].sum()) / known} if known > 0 else {}


@final
@dataclass(frozen=True, slots=True, eq=False)
class UncertainRates(UncertainTerm):
    """Poisson counts whose rates have the posterior Gamma(shape, rate): both of shape (C, D)."""

    columns: Columns
    shape: FloatArray
    rate: FloatArray

    def draw(self, rng: np.random.Generator) -> PoissonCount:
        """Return the term with rates drawn from the posterior."""
        logs = log_gamma_draws(self.shape, self.shape.shape, rng) - np.log(self.rate)
        with np.errstate(over="ignore"):
            return PoissonCount(self.columns, transpose_table(np.minimum(np.exp(logs), _MOST_DRAWN_RATE)))
