"""Counts: x_j ~ Poisson(θ_jc) in class c, each column by itself.

Symbols: T = Σ w x and n = Σ w over the rows of class c in which x_j is observed; prior Gamma(r, β) on θ.

    mle          T/n;  where n = 0, the pooled rate m
    smoothed     (T + λ m)/(n + λ): λ pseudo-rows at the pooled rate
    map          max(r + T − 1, 0)/(β + n)             mean     (r + T)/(β + n)
    predictive   negative binomial, r' = r + T, p = β'/(β' + 1), β' = β + n
    evidence     Σ_jc [ln Γ(r') − ln Γ(r) + r ln β − r' ln β'] − Σ ln x!

Default prior, worth one row: r = m, β = 1, with m = (Σ_c T + 1)/(Σ_c n + 1) of the column over all classes, which is
positive also where every count is 0; r = 1 + m for map. A function of the statistics, so it merges.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
import numpy.typing as npt

from suffice.conjugate import GammaPoisson
from suffice.errors import ParameterError
from suffice.likelihoods.aligned import by_column, of_columns, per_cell, table, total_of_logs
from suffice.likelihoods.collect import Collect
from suffice.likelihoods.draws import Draw, poisson_counts, require_proper
from suffice.likelihoods.likelihood import Likelihood, Parameter, Seen
from suffice.likelihoods.terms import CompoundCount, PoissonCount, Term
from suffice.likelihoods.uncertain import RatesTerm, UncertainTerm, require_posterior
from suffice.statistics import Counts
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import BoolArray, FloatArray

__all__ = ["Poisson"]

_MOST_RATE = 1e290  # with which x ln θ − θ is a float, as counts are scored up to there too


@final
@dataclass(frozen=True, slots=True, repr=False)
class Poisson(Likelihood):
    """Columns of counts, each with a rate of its own.

    Parameters
    ----------
    prior : GammaPoisson, optional
        Gamma(shape, rate) on the rate; both one number, one per column, or one per class and column. By default worth
        one row at the pooled rate (the page above).
    factorials : bool
        Whether the evidence counts the ln x!, which are the same under every prior and class and have to be collected.

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
                f"factorials must be True or False: got {self.factorials!r}. "
                "Give False to leave ln x! out of the evidence."
            )
        object.__setattr__(self, "factorials", bool(self.factorials))
        if self.prior is not None and not isinstance(self.prior, GammaPoisson):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ParameterError(
                f"prior of Poisson must be a GammaPoisson: got {self.prior!r}. Give GammaPoisson(shape, rate)."
            )

    def collect(self, columns: Columns) -> Collect:
        """Ask for the sum of each column, the observed weight, and the logs of the factorials where they count."""
        return Collect("sums", columns, logs="cells" if self.factorials else "none")

    def restrict(self, stay: BoolArray) -> Poisson:
        """Return the likelihood of some of its columns, with their priors; ln x! is not known of each by itself."""
        prior = self.prior
        if prior is not None:
            prior = GammaPoisson(of_columns(prior.shape, stay), of_columns(prior.rate, stay))
        return Poisson(prior, factorials=False)

    def terms(self, seen: Seen) -> tuple[Term, ...]:
        """Return the rates, or shape and rate of the posterior where the rate is integrated out."""
        if seen.reading.estimate == "predictive":
            posterior = self._posterior(seen)
            return (CompoundCount(seen.columns, table(posterior.shape), table(posterior.rate)),)
        return (PoissonCount(seen.columns, table(np.minimum(self._rates(seen), _MOST_RATE))),)

    def uncertain(self, seen: Seen) -> tuple[UncertainTerm, ...]:
        """Return Gamma(r', β') of each class and column."""
        require_posterior(self._counts(seen)[3], seen.columns)
        posterior = self._posterior(seen)
        return (RatesTerm(seen.columns, posterior.shape, posterior.rate),)

    def log_evidence(self, seen: Seen) -> float:
        """Return the log probability of the counts, rates integrated out."""
        total, weight, r, beta = self._counts(seen)
        if not weight.any():
            return 0.0
        if not (beta > 0).all():  # λ = 0: there is no prior to integrate over
            return -np.inf
        evidence = GammaPoisson(r, beta).log_evidence(total=total, weight=weight, log_factorials=0)
        return float(np.sum(evidence)) - (total_of_logs(seen.parts[1]) if self.factorials else 0.0)

    def parameters(self, seen: Seen, credible: float) -> Iterator[Parameter]:
        """Yield θ_jc of every class and column."""
        proper = (self._counts(seen)[3] > 0).all()
        values, nothing = self._rates(seen), np.full(seen.shape, np.nan)
        lower, upper = self._posterior(seen).interval(credible) if proper else (nothing, nothing)
        lower, upper = np.asarray(lower), np.asarray(upper)
        for c, label in enumerate(seen.classes):
            for j, column in enumerate(seen.columns):
                three = float(values[c, j]), float(lower[c, j]), float(upper[c, j])
                yield Parameter(label, column, None, "rate", seen.reading.estimate, *three)

    def sample(self, seen: Seen, draw: Draw) -> list[npt.NDArray[Any]]:
        """Return counts: Poisson, and with a rate of its own for each cell where the rate is integrated out."""
        if draw.posterior:
            require_proper(self._counts(seen)[3], seen.columns)
            rates = self._posterior(seen).sample(1, draw.rng)[0][draw.classes]
        elif seen.reading.estimate == "predictive":
            rates = np.zeros((draw.rows, len(seen.columns)))
            shape, rate = self._posterior(seen).shape, self._posterior(seen).rate
            for c, rows in draw.groups:
                rates[rows] = GammaPoisson(shape[c], rate[c]).sample(len(rows), draw.rng)
        else:
            rates = self._rates(seen)[draw.classes]
        cells = poisson_counts(rates, draw.rng, seen.columns)
        return [cells[:, j] for j in range(len(seen.columns))]

    def _rates(self, seen: Seen) -> FloatArray:
        total, weight, r, beta = self._counts(seen)
        estimate = seen.reading.estimate
        pooled = np.broadcast_to(_pooled_rate(total, weight), total.shape)
        with np.errstate(over="ignore"):
            if estimate == "mle":
                return _finite(np.where(weight > 0, total / np.where(weight > 0, weight, 1.0), pooled))
            if estimate == "smoothed":  # r = λ m and β = λ, which may be 0
                both = weight + beta
                some = np.where(both > 0, both, 1.0)
                sums = total + r
                rates = np.where(np.isfinite(sums), sums / some, total / some + r / some)
                return _finite(np.where(both > 0, rates, pooled))
        posterior = self._posterior(seen)
        return np.asarray(posterior.map_estimate if estimate == "map" else posterior.mean)

    def _posterior(self, seen: Seen) -> GammaPoisson:
        total, weight, r, beta = self._counts(seen)
        with np.errstate(over="ignore"):
            return GammaPoisson(_finite(r + total), _finite(beta + weight))

    def _counts(self, seen: Seen) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        # T, n and the prior's r, β: each (C, D).
        sums = seen.parts[0]
        assert isinstance(sums, Counts)
        total, weight = by_column(sums, seen.columns, seen.classes)
        estimate = seen.reading.estimate
        if self.prior is not None and estimate != "smoothed":
            r, beta = self.prior.shape, self.prior.rate
            return total, weight, per_cell("shape", r, *seen.shape), per_cell("rate", beta, *seen.shape)
        pooled = _pooled_rate(total, weight)
        rows = np.ones(()) if estimate != "smoothed" or seen.reading.alpha is None else seen.reading.alpha
        rows = per_cell("alpha", rows, *seen.shape)
        with np.errstate(over="ignore"):
            return total, weight, _finite(rows * pooled + (1.0 if estimate == "map" else 0.0)), rows


def _pooled_rate(total: FloatArray, weight: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):
        sums = total.sum(axis=0) + 1
        if not np.isfinite(sums).all():  # of huge counts, in a larger unit
            return _finite((total * 2.0**-64).sum(axis=0) / (weight.sum(axis=0) + 1) * 2.0**64)
        return sums / (weight.sum(axis=0) + 1)


def _finite(values: FloatArray) -> FloatArray:
    return np.minimum(values, np.finfo(np.float64).max)
