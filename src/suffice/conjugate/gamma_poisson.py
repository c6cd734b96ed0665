"""The gamma-Poisson model: rate θ ~ Gamma(r, β), x | θ ~ Poisson(θ).

Symbols: r the shape, β the rate of the gamma; T = Σ x the total of n counts (of weight n).

    posterior    Gamma(r + T, β + n)
    mean         r/β            variance    r/β²           mode    (r − 1)/β for r ≥ 1, else 0
    predictive   the total of n further counts: negative binomial, negative_binomial.py
    evidence     of the total: its negative binomial pmf
                 of the sequence: Γ(r + T)/Γ(r) · β^r/(β + n)^(r+T) / Π x_i!, that is
                 h(r+T) − h(r) + (r−1) ln((r+T)/r) − r ln((β+n)/β) + T (ln((r+T)/(β+n)) − 1) − Σ ln x_i!
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np
import numpy.typing as npt

from suffice.conjugate.arguments import (
    FloatArray,
    Reals,
    argument,
    broadcast,
    generator,
    nonnegative,
    observations,
    one_form,
    option,
    plain,
    positive,
    require,
    whole,
)
from suffice.conjugate.gamma_draws import log_gamma_draws
from suffice.conjugate.interval import Interval, IntervalKind, interval, log_quotient
from suffice.conjugate.log_gamma import deviance, log_ratio, remainder
from suffice.conjugate.mode import Mode, of_kinds
from suffice.conjugate.negative_binomial import NegativeBinomial
from suffice.conjugate.quantiles import gamma_above, gamma_below
from suffice.conjugate.shown import shown
from suffice.conjugate.special import gammaln
from suffice.conjugate.values import made_again, same_values
from suffice.errors import DataError, ParameterError
from suffice.statistics import Counts

__all__ = ["GammaPoisson"]

_FORMS = "raw counts, total= with weight=, or Counts"


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class GammaPoisson:
    """A gamma belief about the rate of Poisson counts, and what it says of counts.

    Parameters
    ----------
    shape : float or array > 0
        Prior total.
    rate : float or array > 0
        Prior number of counts. shape and rate broadcast; every answer has their common shape.

    Examples
    --------
    >>> GammaPoisson(1, 1).update([2, 0, 3])
    GammaPoisson(shape=6.0, rate=4.0)
    >>> float(GammaPoisson(1, 1).update(total=5, weight=3).mean)
    1.5
    """

    shape: FloatArray
    rate: FloatArray

    def __init__(self, shape: npt.ArrayLike, rate: npt.ArrayLike) -> None:
        r, beta = broadcast(("shape", "rate"), (positive("shape", shape), positive("rate", rate)), ParameterError)
        object.__setattr__(self, "shape", r)
        object.__setattr__(self, "rate", beta)

    def update(
        self,
        data: npt.ArrayLike | Counts | None = None,
        *,
        total: npt.ArrayLike | None = None,
        weight: npt.ArrayLike | None = None,
    ) -> GammaPoisson:
        """Return the posterior Gamma(r + T, β + n).

        Parameters
        ----------
        data : array of counts along the last axis (NaN: missing), or Counts
        total, weight : float or array ≥ 0
            T = Σ w x and n = Σ w.

        Examples
        --------
        >>> GammaPoisson(1, 1).update([[4, 0], [1, 1]])
        GammaPoisson(shape=[5.0, 3.0], rate=[3.0, 3.0])
        """
        total, weight, _ = _seen(data, total, weight)
        total, weight, r, beta = self._beside(total, weight)
        return GammaPoisson(r + total, beta + weight)

    @staticmethod
    def mle(
        data: npt.ArrayLike | Counts | None = None,
        *,
        total: npt.ArrayLike | None = None,
        weight: npt.ArrayLike | None = None,
    ) -> Reals:
        """Return T/n.

        Examples
        --------
        >>> float(GammaPoisson.mle([2, 0, 4]))
        2.0
        """
        total, weight, _ = _seen(data, total, weight)
        total, weight = broadcast(("total", "weight"), (total, weight), DataError)
        require(
            weight > 0,
            weight,
            "weight must be > 0 for a maximum likelihood rate",
            "Nothing was seen: use a prior, GammaPoisson(shape, rate).",
            DataError,
        )
        return plain(total / weight)

    @property
    def mean(self) -> Reals:
        """E θ = r/β."""
        with np.errstate(over="ignore"):
            return plain(self.shape / self.rate)

    @property
    def variance(self) -> Reals:
        """Var θ = r/β²."""
        with np.errstate(over="ignore"):
            return plain(self.shape / self.rate / self.rate)

    @property
    def mode(self) -> Mode[Reals]:
        """Where the density is highest: (r − 1)/β, and 0 for r ≤ 1 (towards which it grows without bound for r < 1)."""
        return of_kinds(np.full(self.shape.shape, "one"), self.map_estimate)

    @property
    def map_estimate(self) -> Reals:
        """The mode, max(r − 1, 0)/β."""
        with np.errstate(over="ignore"):
            return plain(np.maximum(self.shape - 1, 0.0) / self.rate)

    def interval(self, level: float = 0.95, kind: IntervalKind = "equal-tailed") -> Interval:
        """Return the interval that holds the rate with probability `level`; highest density starts at 0 for r ≤ 1.

        Examples
        --------
        >>> GammaPoisson(1, 1).interval(0.5, "highest-density").upper.round(6)  # ln 2
        np.float64(0.693147)
        """
        r, beta = self.shape, self.rate

        def gap(x: FloatArray, y: FloatArray) -> FloatArray:
            inside = np.where(r == 1, 0.0, (r - 1) * log_quotient(x, y, x - y)) - beta * (x - y)
            return np.where(np.isinf(y), np.inf, inside)

        return interval(level, kind, r.shape, lambda p: gamma_below(r, beta, p), lambda t: gamma_above(r, beta, t), gap)

    def log_pdf(self, theta: npt.ArrayLike) -> Reals:
        """Return the log density of the rate at θ ≥ 0.

        Examples
        --------
        >>> float(GammaPoisson(1, 1).log_pdf(2))
        -2.0
        """
        theta = argument("theta", theta)
        require((theta >= 0) & (theta < np.inf), theta, "theta must be ≥ 0 and finite", "Give a Poisson rate.")
        theta, r, beta = broadcast(("theta", "shape", "rate"), (theta, self.shape, self.rate), ParameterError)
        inside = np.where(theta > 0, theta, 1.0)
        with np.errstate(over="ignore"):
            x = beta * inside
        # −D(r, βθ) − h(r) + ln(r/θ); where βθ is beyond all floats the density is nothing
        density = (
            -deviance(r, np.minimum(x, 1e308), r - np.minimum(x, 1e308)) - remainder(r) + np.log(r) - np.log(inside)
        )
        edge = np.where(r < 1, np.inf, np.where(r > 1, -np.inf, np.log(beta)))
        return plain(np.where(theta > 0, np.where(np.isinf(x), -np.inf, density), edge))

    def log_evidence(
        self,
        data: npt.ArrayLike | Counts | None = None,
        *,
        total: npt.ArrayLike | None = None,
        weight: npt.ArrayLike | None = None,
        log_factorials: npt.ArrayLike | None = None,
        of: Literal["sequence", "total"] = "sequence",
    ) -> Reals:
        """Return ln p(data) with the rate integrated out.

        Parameters
        ----------
        data, total, weight
            As in `update`.
        log_factorials : float or array ≥ 0
            Σ ln x_i!, which a total does not know; needed for `of="sequence"` unless the raw counts are given.
        of : "sequence" or "total"
            Of every count in its place, or of their total alone (negative binomial).

        Examples
        --------
        >>> import numpy as np
        >>> prior = GammaPoisson(1, 1)
        >>> np.exp(prior.log_evidence([1, 0])).round(6), np.exp(prior.log_evidence([1, 0], of="total")).round(6)
        (np.float64(0.111111), np.float64(0.222222))
        """
        of_total = option("of", of, ("sequence", "total")) == "total"
        seen, n, factorials = _seen(data, total, weight)
        seen, n, r, beta = self._beside(seen, n)
        if of_total:
            require(
                np.floor(seen) == seen,
                seen,
                "total must be whole for the evidence of a total",
                "Weighted data: ask for of='sequence'.",
                DataError,
            )
            return NegativeBinomial(r, beta, n).log_pmf(seen)
        if log_factorials is not None:
            factorials = nonnegative("log_factorials", log_factorials)
        if factorials is None:
            raise DataError(
                "log_factorials= is missing: the evidence of a sequence needs Σ ln x!, which a total does not know. "
                "Give the raw counts, log_factorials=, or ask for of='total'."
            )
        together = remainder(r + seen) - remainder(r) + (r - 1) * log_ratio(r, seen) - r * log_ratio(beta, n)
        rate = np.maximum((r + seen) / (beta + n), np.finfo(np.float64).tiny)  # of no counts 0 ln 0 is 0
        return plain(together + seen * (np.log(rate) - 1) - factorials)

    def predictive(self, n: npt.ArrayLike = 1) -> NegativeBinomial:
        """Return the distribution of the total of n further counts (of the next count for n = 1).

        Examples
        --------
        >>> GammaPoisson(1, 1).predictive().pmf([0, 1, 2])
        array([0.5  , 0.25 , 0.125])
        """
        return NegativeBinomial(self.shape, self.rate, n)

    def sample(self, n: int, rng: np.random.Generator | int | None = None) -> FloatArray:
        """Return n draws of the rate, shape (n, …).

        Examples
        --------
        >>> GammaPoisson([1, 2], 1).sample(5, rng=0).shape
        (5, 2)
        """
        logs = log_gamma_draws(self.shape, (whole("n", n, 0), *self.shape.shape), generator(rng))
        with np.errstate(over="ignore"):
            return np.exp(logs - np.log(self.rate))

    def _beside(self, total: FloatArray, weight: FloatArray) -> tuple[FloatArray, ...]:
        return broadcast(("total", "weight", "shape", "rate"), (total, weight, self.shape, self.rate), DataError)

    def __eq__(self, other: object) -> bool:
        return same_values(self, other) if isinstance(other, GammaPoisson) else NotImplemented

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __reduce__(self) -> tuple[Any, ...]:
        return made_again(self)

    def __repr__(self) -> str:
        return shown(self, shape=self.shape, rate=self.rate)


def _seen(
    data: npt.ArrayLike | Counts | None, total: npt.ArrayLike | None, weight: npt.ArrayLike | None
) -> tuple[FloatArray, FloatArray, FloatArray | None]:
    one_form("GammaPoisson", _FORMS, (data is not None, total is not None or weight is not None))
    if isinstance(data, Counts):
        return data.values, data.observed, None
    if data is not None:
        counts = observations("data", data)
        missing = np.isnan(counts)
        good = missing | ((counts >= 0) & (counts <= 1e300) & (np.floor(counts) == counts))
        require(
            good,
            counts,
            "data must be whole counts ≥ 0 or NaN (missing)",
            "Give counts, or total= and weight=.",
            DataError,
        )
        there = np.where(missing, 0.0, counts)
        weight_seen = np.asarray((~missing).sum(axis=-1), dtype=np.float64)
        return np.asarray(there.sum(axis=-1)), weight_seen, np.asarray(gammaln(there + 1).sum(axis=-1))
    if total is None or weight is None:
        lacking = "total" if total is None else "weight"
        raise DataError(f"{lacking}= is missing: got only the other. Give total= and weight= together.")
    seen, n = nonnegative("total", total), nonnegative("weight", weight)
    seen, n = broadcast(("total", "weight"), (seen, n), DataError)
    require(
        (seen == 0) | (n > 0),
        seen,
        "total must be 0 where weight is 0",
        "Give the weight of what was added up.",
        DataError,
    )
    return seen, n, None
