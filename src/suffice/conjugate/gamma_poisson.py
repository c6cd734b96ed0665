"""The gamma-Poisson model: rate θ ~ Gamma(r, β), x | θ ~ Poisson(θ).

Symbols: r the shape, β the rate of the gamma; T = Σ x the total of n counts (of weight n).

    posterior    Gamma(r + T, β + n)
    mean         r/β            variance    r/β²           mode    (r − 1)/β for r ≥ 1, else 0
    likelihood   of the sequence θ^T e^(−nθ)/Π x_i!, of the total y: Poisson(nθ), ln p = −D(y, nθ) − h(y)
    predictive   the total y of n further counts is negative binomial, with p = β/(β + n) and q = n/(β + n):
                 p(y) = Γ(y + r)/(Γ(r) y!) · p^r q^y
                 ln p(y) = h(y + r) − h(r) − h(y) − ln((y + r)/r) − D(y, (y + r)q) − D(r, (y + r)p)
    evidence     of the total: p(T) above
                 of the sequence: Γ(r + T)/Γ(r) · β^r/(β + n)^(r+T) / Π x_i!, whose logarithm is
                 h(r+T) − h(r) + (r−1) ln((r+T)/r) − r ln((β+n)/β) + T (ln((r+T)/(β+n)) − 1) − Σ ln x_i!

h and D are those of special.py. Source: Gelman et al., Bayesian Data Analysis, 3rd edition, §2.6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, final

import numpy as np
import numpy.typing as npt

from suffice import arguments as check
from suffice.arguments import FloatArray, Reals, broadcast, require_all, unwrap_scalar
from suffice.conjugate.pair import ConjugatePair, Interval, IntervalKind, Mode, density, find_interval, log_quotient
from suffice.conjugate.special import (
    deviance,
    gammainccinv,
    gammaincinv,
    gammaln,
    log_gamma_draws,
    log_ratio,
    remainder,
    xlogy,
)
from suffice.errors import DataError, ParameterError
from suffice.statistics import Counts

if TYPE_CHECKING:
    from scipy.stats._distn_infrastructure import rv_discrete_frozen

__all__ = ["GammaPoisson"]

_NORMAL = 1e-290  # below it p has lost digits, and ln p is taken from β and n


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class GammaPoisson(ConjugatePair):
    """Gamma distribution of a rate, conjugate to the Poisson.

    Parameters
    ----------
    shape : float or array > 0
        Prior total.
    rate : float or array > 0
        Prior number of counts. shape and rate broadcast; every result has their common shape.

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
        r, beta = broadcast(ParameterError, shape=check.positive("shape", shape), rate=check.positive("rate", rate))
        self._set(shape=r, rate=beta)

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
        total, weight = _sum_counts(data, total, weight)[:2]
        total, weight, r, beta = broadcast(DataError, total=total, weight=weight, shape=self.shape, rate=self.rate)
        return GammaPoisson(r + total, beta + weight)

    @staticmethod
    def mle(
        data: npt.ArrayLike | Counts | None = None,
        *,
        total: npt.ArrayLike | None = None,
        weight: npt.ArrayLike | None = None,
    ) -> Reals:
        """Return T/n; parameters as in `update`."""
        total, weight = _sum_counts(data, total, weight)[:2]
        do = "There are no observations: use a prior, GammaPoisson(shape, rate)."
        require_all(weight > 0, weight, "weight must be > 0 for a maximum likelihood rate", do, DataError)
        return unwrap_scalar(total / weight)

    @property
    def mean(self) -> Reals:
        """E θ = r/β."""
        with np.errstate(over="ignore"):
            return unwrap_scalar(self.shape / self.rate)

    @property
    def variance(self) -> Reals:
        """Var θ = r/β²."""
        with np.errstate(over="ignore"):
            return unwrap_scalar(self.shape / self.rate / self.rate)

    @property
    def mode(self) -> Mode[Reals]:
        """The point of highest density, (r − 1)/β, and 0 for r ≤ 1; the density is unbounded there for r < 1."""
        return Mode(np.full(self.shape.shape, "one"), self.map_estimate)

    @property
    def map_estimate(self) -> Reals:
        """The mode, max(r − 1, 0)/β."""
        with np.errstate(over="ignore"):
            return unwrap_scalar(np.maximum(self.shape - 1, 0.0) / self.rate)

    def interval(self, credible: float = 0.95, kind: IntervalKind = "equal-tailed") -> Interval:
        """Return the interval that contains θ with probability `credible`; highest density starts at 0 for r ≤ 1.

        Examples
        --------
        >>> GammaPoisson(1, 1).interval(0.5, "highest-density").upper.round(6)  # ln 2
        np.float64(0.693147)
        """
        parameters = self.shape, self.rate
        return find_interval(
            credible, kind, parameters, _lower_gamma_quantile, _upper_gamma_quantile, _gamma_density_gap
        )

    def log_pdf(self, theta: npt.ArrayLike) -> Reals:
        """Return the log density of the rate at θ ≥ 0.

        Examples
        --------
        >>> float(GammaPoisson(1, 1).log_pdf(2))
        -2.0
        """
        theta, r, beta = broadcast(ParameterError, theta=_rate(theta), shape=self.shape, rate=self.rate)
        inside = np.where(theta > 0, theta, 1.0)
        with np.errstate(over="ignore"):
            x = beta * inside
        finite = np.minimum(x, 1e308)
        # −D(r, βθ) − h(r) + ln(r/θ), and −inf where βθ overflows
        logs = -deviance(r, finite, r - finite) - remainder(r) + np.log(r) - np.log(inside)
        edge = np.where(r < 1, np.inf, np.where(r > 1, -np.inf, np.log(beta)))
        return unwrap_scalar(np.where(theta > 0, np.where(np.isinf(x), -np.inf, logs), edge))

    def pdf(self, theta: npt.ArrayLike) -> Reals:
        """Return the density of the rate at θ ≥ 0.

        Examples
        --------
        >>> float(GammaPoisson(1, 2).pdf(0))
        2.0
        """
        return density(self.log_pdf(theta))

    @staticmethod
    def log_likelihood(
        theta: npt.ArrayLike,
        data: npt.ArrayLike | Counts | None = None,
        *,
        total: npt.ArrayLike | None = None,
        weight: npt.ArrayLike | None = None,
        log_factorials: npt.ArrayLike | None = None,
        of: Literal["sequence", "total"] = "sequence",
    ) -> Reals:
        """Return ln p(data | θ). Identity: log_pdf + log_likelihood = log_evidence + log_pdf of the posterior.

        Parameters
        ----------
        theta : float or array ≥ 0
        data, total, weight, log_factorials, of
            As in `log_evidence`.

        Examples
        --------
        >>> import numpy as np
        >>> np.exp(GammaPoisson.log_likelihood([1, 2], [2, 0])).round(6)  # θ²/2 · exp(−2θ)
        array([0.067668, 0.036631])
        """
        of_total = check.option("of", of, ("sequence", "total")) == "total"
        y, n, factorials = _sum(data, total, weight, log_factorials, of_total=of_total)
        theta, y, n, factorials = broadcast(DataError, theta=_rate(theta), total=y, weight=n, log_factorials=factorials)
        with np.errstate(over="ignore"):
            mean = np.minimum(n * theta, 1e308)
        if of_total:
            return unwrap_scalar(-deviance(y, mean, y - mean) - remainder(y))
        return unwrap_scalar(xlogy(y, theta) - mean - factorials)

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
            Σ ln x_i!; needed for `of="sequence"` unless raw counts are given.
        of : "sequence" or "total"
            The probability of the counts in their order, or of their total only (negative binomial).

        Examples
        --------
        >>> import numpy as np
        >>> prior = GammaPoisson(1, 1)
        >>> np.exp(prior.log_evidence([1, 0])).round(6), np.exp(prior.log_evidence([1, 0], of="total")).round(6)
        (np.float64(0.111111), np.float64(0.222222))
        """
        of_total = check.option("of", of, ("sequence", "total")) == "total"
        total, weight, factorials = _sum(data, total, weight, log_factorials, of_total=of_total)
        y, n, r, beta = broadcast(DataError, total=total, weight=weight, shape=self.shape, rate=self.rate)
        if of_total:
            return unwrap_scalar(_log_negative_binomial(y, r, beta, n))
        gammas = remainder(r + y) - remainder(r) + (r - 1) * log_ratio(r, y) - r * log_ratio(beta, n)
        rate = np.maximum((r + y) / (beta + n), np.finfo(np.float64).tiny)  # without counts, 0 ln 0 is 0
        return unwrap_scalar(gammas + y * (np.log(rate) - 1) - factorials)

    def predictive(self, n: npt.ArrayLike = 1) -> rv_discrete_frozen:
        """Return the distribution of the total of n further counts, a frozen ``scipy.stats.nbinom``.

        Its log pmf at y has a relative error of about 1e-16 β/n and an absolute one of about 1e-16 y ln y. Use
        ``log_evidence(total=y, weight=n, of="total")`` for an accurate log pmf.

        Examples
        --------
        >>> GammaPoisson(1, 1).predictive().pmf([0, 1, 2])
        array([0.5  , 0.25 , 0.125])
        """
        from scipy import stats

        exposure = check.parameter("n", n)
        require_all(exposure >= 0, exposure, "n must be ≥ 0", "Pass the number of further counts.")
        exposure, r, beta = broadcast(ParameterError, n=exposure, shape=self.shape, rate=self.rate)
        return stats.nbinom(r, beta / (beta + exposure))

    def sample(self, n: int, seed: np.random.Generator | int | None = None) -> FloatArray:
        """Return n draws of the rate, shape (n, …)."""
        logs = log_gamma_draws(self.shape, (check.whole_number("n", n, 0), *self.shape.shape), check.generator(seed))
        with np.errstate(over="ignore"):
            return np.exp(logs - np.log(self.rate))


def _rate(theta: npt.ArrayLike) -> FloatArray:
    array = check.argument("theta", theta)
    require_all((array >= 0) & (array < np.inf), array, "theta must be ≥ 0 and finite", "Pass a Poisson rate.")
    return array


def _sum(
    data: npt.ArrayLike | Counts | None,
    total: npt.ArrayLike | None,
    weight: npt.ArrayLike | None,
    log_factorials: npt.ArrayLike | None,
    *,
    of_total: bool,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    # T, n and Σ ln x!, which the probability of a total does not need.
    y, n, factorials = _sum_counts(data, total, weight)
    if of_total:
        do = "For weighted data, use of='sequence'."
        require_all(np.floor(y) == y, y, "total must be whole for the probability of a total", do, DataError)
        return y, n, np.zeros(())
    if log_factorials is not None:
        factorials = check.nonnegative("log_factorials", log_factorials)
    if factorials is None:
        raise DataError(
            "log_factorials= is missing: the probability of a sequence depends on Σ ln x!, which a total does not "
            "determine. Pass raw counts, log_factorials=, or of='total'."
        )
    return y, n, factorials


def _sum_counts(
    data: npt.ArrayLike | Counts | None, total: npt.ArrayLike | None, weight: npt.ArrayLike | None
) -> tuple[FloatArray, FloatArray, FloatArray | None]:
    """Return T, n and, where the raw counts are known, Σ ln x!."""
    named = check.named_statistics(data, total=total, weight=weight)
    if named is not None:
        y, n = check.nonnegative("total", named[0]), check.nonnegative("weight", named[1])
        y, n = broadcast(DataError, total=y, weight=n)
        require_all(
            (y == 0) | (n > 0), y, "total must be 0 where weight is 0", "Pass the weight of the counts.", DataError
        )
        return y, n, None
    if isinstance(data, Counts):
        return data.values, np.broadcast_to(data.observed, data.values.shape), None
    assert data is not None
    x = check.observations("data", data)
    missing = np.isnan(x)
    good = missing | ((x >= 0) & (x <= 1e300) & (np.floor(x) == x))
    do = "Pass counts, or total= and weight=."
    require_all(good, x, "data must be whole counts ≥ 0 or NaN (missing)", do, DataError)
    x, n = np.where(missing, 0.0, x), (~missing).sum(axis=-1, dtype=np.float64)
    return np.asarray(x.sum(axis=-1)), np.asarray(n), np.asarray(gammaln(x + 1).sum(axis=-1))


def _log_negative_binomial(y: FloatArray, r: FloatArray, beta: FloatArray, n: FloatArray) -> FloatArray:
    p, q = beta / (beta + n), n / (beta + n)
    difference = y * p - r * q
    of_r = np.where(
        p > _NORMAL,
        deviance(r, (y + r) * p, -difference),
        difference - r * (log_ratio(r, y) - log_ratio(beta, n)),
    )
    gammas = remainder(y + r) - remainder(r) - remainder(y) - log_ratio(r, y)
    return gammas - deviance(y, (y + r) * q, difference) - of_r


def _lower_gamma_quantile(p: FloatArray, r: FloatArray, beta: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):
        return gammaincinv(r, p) / beta


def _upper_gamma_quantile(t: FloatArray, r: FloatArray, beta: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):
        return gammainccinv(r, t) / beta


def _gamma_density_gap(x: FloatArray, y: FloatArray, r: FloatArray, beta: FloatArray) -> FloatArray:
    inside = np.where(r == 1, 0.0, (r - 1) * log_quotient(x, y, x - y)) - beta * (x - y)
    return np.where(np.isinf(y), np.inf, inside)
