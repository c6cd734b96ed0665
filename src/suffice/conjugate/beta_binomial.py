"""The beta-binomial model: θ ~ Beta(a, b), y | θ ~ Binomial(n, θ).

Symbols: a counts successes (x = 1), b failures (x = 0); N₁ successes and N₀ failures observed, N = N₁ + N₀.

    posterior       Beta(a + N₁, b + N₀)
    mean            a/(a + b)                     variance    ab/((a + b)²(a + b + 1))
    mode            a, b > 1: (a − 1)/(a + b − 2)     a ≤ 1 < b: 0     b ≤ 1 < a: 1     a, b < 1: both ends
                    a = b = 1: every θ                a < 1 = b: 0     b < 1 = a: 1
    likelihood      of a sequence θ^N₁ (1−θ)^N₀, of the number of successes C(N, N₁) times that
    joint           C(n, y) θ^(y+a−1) (1−θ)^(n−y+b−1) / B(a, b)
    predictive      p(y) = C(n, y) B(y + a, n − y + b) / B(a, b)
    posterior mean  λ · prior mean + (1 − λ) · mle,  λ = (a + b)/(a + b + N)
    posterior mode  λ' · prior mode + (1 − λ') · mle,  λ' = (a + b − 2)/(a + b − 2 + N),  a, b > 1

The evidence of a sequence of outcomes is that of the counts less the log coefficient ln C(N, N₁). It is computed
without cancellation, as in special.py. Source: Gelman et al., Bayesian Data Analysis, 3rd edition, §2.1–2.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, final

import numpy as np
import numpy.typing as npt

from suffice import arguments as check
from suffice.arguments import FloatArray, Reals, broadcast, require_all, unwrap_scalar
from suffice.conjugate.pair import ConjugatePair, Interval, IntervalKind, Mode, density, find_interval, log_quotient
from suffice.conjugate.special import (
    betainccinv,
    betaincinv,
    gammainccinv,
    gammaincinv,
    log_coefficient,
    log_dirichlet_density,
    log_dirichlet_multinomial,
    log_multinomial,
    simplex_draws,
    xlog1py,
    xlogy,
)
from suffice.errors import DataError, ParameterError
from suffice.statistics import Counts

if TYPE_CHECKING:
    from scipy.stats._distn_infrastructure import rv_discrete_frozen

__all__ = ["BetaBinomial"]

_SCIPY_UP_TO = 1e12


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class BetaBinomial(ConjugatePair):
    """Beta distribution of a success probability, conjugate to the binomial.

    Parameters
    ----------
    a : float or array > 0
        Prior successes (pseudo-counts).
    b : float or array > 0
        Prior failures. a and b broadcast; every result has their common shape.

    Examples
    --------
    >>> coin = BetaBinomial(1, 1).update(successes=3, failures=0)
    >>> coin
    BetaBinomial(a=4.0, b=1.0)
    >>> float(1 - coin.mean)  # tails next: the rule of succession, (0 + 1)/(3 + 2)
    0.19999999999999996
    """

    a: FloatArray
    b: FloatArray

    def __init__(self, a: npt.ArrayLike, b: npt.ArrayLike) -> None:
        a, b = broadcast(ParameterError, a=check.positive("a", a), b=check.positive("b", b))
        self._set(a=a, b=b)

    def update(
        self,
        data: npt.ArrayLike | Counts | None = None,
        *,
        successes: npt.ArrayLike | None = None,
        failures: npt.ArrayLike | None = None,
    ) -> BetaBinomial:
        """Return the posterior Beta(a + N₁, b + N₀).

        Parameters
        ----------
        data : array of 0, 1 or bool along the last axis (NaN: missing), or Counts
        successes, failures : float or array ≥ 0
            N₁ and N₀, counts or sums of weights.

        Examples
        --------
        >>> BetaBinomial(2, 2).update([1, 1, 0])
        BetaBinomial(a=4.0, b=3.0)
        """
        n1, n0, a, b = self._align(data, successes, failures)
        return BetaBinomial(a + n1, b + n0)

    @staticmethod
    def mle(
        data: npt.ArrayLike | Counts | None = None,
        *,
        successes: npt.ArrayLike | None = None,
        failures: npt.ArrayLike | None = None,
    ) -> Reals:
        """Return N₁/N, and ½ where there are no observations; parameters as in `update`."""
        n1, n0 = _count_outcomes(data, successes, failures)
        n1, n0 = broadcast(DataError, successes=n1, failures=n0)
        n = n1 + n0
        return unwrap_scalar(np.where(n > 0, n1 / np.where(n > 0, n, 1.0), 0.5))

    @property
    def mean(self) -> Reals:
        """E θ = a/(a + b)."""
        return unwrap_scalar(self.a / (self.a + self.b))

    @property
    def variance(self) -> Reals:
        """Var θ = ab/((a + b)²(a + b + 1))."""
        total = self.a + self.b
        return unwrap_scalar((self.a / total) * (self.b / total) / (total + 1))

    @property
    def mode(self) -> Mode[Reals]:
        """The point of highest density; `kind` states whether it is unique (see `Mode`)."""
        a, b = self.a, self.b
        kind = np.where((a < 1) & (b < 1), "ends", np.where((a == 1) & (b == 1), "every", "one"))
        # With both a, b ≤ 1 the MAP estimate is the mean; the mode is the end with the smaller parameter.
        value = np.where((a == 1) & (b < 1), 1.0, np.where((a < 1) & (b == 1), 0.0, self.map_estimate))
        return Mode(kind, unwrap_scalar(value))

    @property
    def map_estimate(self) -> Reals:
        """The mode with a − 1 and b − 1 clipped at 0; the mean where both are clipped."""
        a, b = np.maximum(self.a - 1, 0.0), np.maximum(self.b - 1, 0.0)
        inside = a + b > 0
        return unwrap_scalar(np.where(inside, a / np.where(inside, a + b, 1.0), self.mean))

    @property
    def effective_sample_size_of_mean(self) -> Reals:
        """Number of observations with the same weight in the posterior mean as this prior, a + b."""
        return unwrap_scalar(self.a + self.b)

    @property
    def effective_sample_size_of_mode(self) -> Reals:
        """Number of observations with the same weight in the posterior mode as this prior, a + b − 2."""
        return unwrap_scalar(self.a + self.b - 2)

    def prior_weight_of_mean(self, n: npt.ArrayLike) -> Reals:
        """Return λ = (a + b)/(a + b + N): posterior mean = λ · prior mean + (1 − λ) · mle."""
        total = self.a + self.b
        return unwrap_scalar(total / (total + check.nonnegative("n", n)))

    def prior_weight_of_mode(self, n: npt.ArrayLike) -> Reals:
        """Return λ' = (a + b − 2)/(a + b − 2 + N): posterior mode = λ' · prior mode + (1 − λ') · mle, for a, b > 1."""
        smaller = np.minimum(self.a, self.b)
        require_all(smaller > 1, smaller, "a and b must be > 1 for a mode inside (0, 1)", "Use prior_weight_of_mean.")
        total = self.a + self.b - 2
        return unwrap_scalar(total / (total + check.nonnegative("n", n)))

    def interval(self, credible: float = 0.95, kind: IntervalKind = "equal-tailed") -> Interval:
        """Return the interval that contains θ with probability `credible`.

        The highest-density interval touches 0 or 1 where a ≤ 1 or b ≤ 1. It has equal tails for a = b = 1,
        and raises ParameterError for a, b < 1, where the highest-density region consists of two intervals.

        Examples
        --------
        >>> BetaBinomial(1, 3).interval(0.875, "highest-density")
        Interval(lower=np.float64(0.0), upper=np.float64(0.5), credible=0.875, kind='highest-density')
        """
        larger = np.maximum(self.a, self.b)
        rule = (
            "max(a, b) must be ≥ 1 for a highest-density interval "
            "(otherwise the region consists of two intervals, at 0 and at 1)"
        )
        require_all((larger >= 1) | (kind != "highest-density"), larger, rule, "Use kind='equal-tailed'.")
        return find_interval(credible, kind, (self.a, self.b), _lower_quantile, _upper_quantile, _beta_density_gap)

    def log_pdf(self, theta: npt.ArrayLike) -> Reals:
        """Return the log density at θ ∈ [0, 1]; inf at an end where it is unbounded.

        Examples
        --------
        >>> float(BetaBinomial(1, 1).log_pdf(0.3))
        0.0
        """
        theta, a, b = broadcast(ParameterError, theta=_probability(theta), a=self.a, b=self.b)
        return unwrap_scalar(log_dirichlet_density(_pair(theta, 1 - theta), _pair(a, b)))

    def pdf(self, theta: npt.ArrayLike) -> Reals:
        """Return the density at θ ∈ [0, 1]; inf at an end where it is unbounded.

        Examples
        --------
        >>> BetaBinomial(2, 1).pdf([0, 0.25, 1]).round(6)  # 2θ
        array([0. , 0.5, 2. ])
        """
        return density(self.log_pdf(theta))

    @staticmethod
    def log_likelihood(
        theta: npt.ArrayLike,
        data: npt.ArrayLike | Counts | None = None,
        *,
        successes: npt.ArrayLike | None = None,
        failures: npt.ArrayLike | None = None,
        of: Literal["sequence", "counts"] = "sequence",
    ) -> Reals:
        """Return ln p(data | θ). Identity: log_pdf + log_likelihood = log_evidence + log_pdf of the posterior.

        Parameters
        ----------
        theta : float or array in [0, 1]
        data, successes, failures
            As in `update`.
        of : "sequence" or "counts"
            The probability of the outcomes in their order, θ^N₁ (1 − θ)^N₀, or of the number of successes, C(N, N₁)
            times that.

        Examples
        --------
        >>> import numpy as np
        >>> np.exp(BetaBinomial.log_likelihood([0.25, 0.5, 0.75], [1, 1, 0])).round(6)  # θ²(1 − θ)
        array([0.046875, 0.125   , 0.140625])
        """
        of_counts = check.option("of", of, ("sequence", "counts")) == "counts"
        n1, n0 = _count_outcomes(data, successes, failures)
        theta, n1, n0 = broadcast(DataError, theta=_probability(theta), successes=n1, failures=n0)
        if of_counts:
            return unwrap_scalar(log_multinomial(_pair(n1, n0), _pair(theta, 1 - theta)))
        return unwrap_scalar(xlogy(n1, theta) + xlog1py(n0, -theta))

    def log_joint(self, theta: npt.ArrayLike, *, successes: npt.ArrayLike, failures: npt.ArrayLike) -> Reals:
        """Return ln p(y, θ), the joint log density of y = successes of n = successes + failures and of θ."""
        posterior = self.update(successes=successes, failures=failures)
        return unwrap_scalar(
            self.log_evidence(successes=successes, failures=failures, of="counts") + posterior.log_pdf(theta)
        )

    def log_evidence(
        self,
        data: npt.ArrayLike | Counts | None = None,
        *,
        successes: npt.ArrayLike | None = None,
        failures: npt.ArrayLike | None = None,
        of: Literal["sequence", "counts"] = "sequence",
    ) -> Reals:
        """Return ln p(data) with θ integrated out.

        Parameters
        ----------
        data, successes, failures
            As in `update`.
        of : "sequence" or "counts"
            The probability of the outcomes in their order, B(a + N₁, b + N₀)/B(a, b), or of the number of successes,
            C(N, N₁) times that.

        Examples
        --------
        >>> import numpy as np
        >>> flat = BetaBinomial(1, 1)
        >>> np.exp(flat.log_evidence([1, 0, 1])).round(6), np.exp(flat.log_evidence([1, 0, 1], of="counts")).round(6)
        (np.float64(0.083333), np.float64(0.25))
        """
        of_counts = check.option("of", of, ("sequence", "counts")) == "counts"
        n1, n0, a, b = self._align(data, successes, failures)
        counts = _pair(n1, n0)
        evidence = log_dirichlet_multinomial(counts, _pair(a, b))
        return unwrap_scalar(evidence if of_counts else evidence - log_coefficient(counts))

    def predictive(self, n: npt.ArrayLike = 1) -> rv_discrete_frozen:
        """Return the distribution of the number of successes in n further trials, a frozen ``scipy.stats.betabinom``.

        Its log pmf has an absolute error of about 1e-16 (a + b + n) ln(a + b + n), and its cdf sums the pmf. The log
        pmf at y without that error is ``log_evidence(successes=y, failures=n - y, of="counts")``.

        Examples
        --------
        >>> BetaBinomial(1, 1).predictive(2).pmf([0, 1, 2]).round(6)
        array([0.333333, 0.333333, 0.333333])
        """
        from scipy import stats

        n, a, b = broadcast(ParameterError, n=check.whole_numbers("n", n), a=self.a, b=self.b)
        return stats.betabinom(n.astype(np.int64), a, b)

    def sample(self, n: int, seed: np.random.Generator | int | None = None) -> FloatArray:
        """Return n draws of θ, shape (n, …)."""
        return simplex_draws(_pair(self.a, self.b), check.whole_number("n", n, 0), check.generator(seed))[..., 0]

    def _align(
        self, data: npt.ArrayLike | Counts | None, successes: npt.ArrayLike | None, failures: npt.ArrayLike | None
    ) -> tuple[FloatArray, ...]:
        n1, n0 = _count_outcomes(data, successes, failures)
        return broadcast(DataError, successes=n1, failures=n0, a=self.a, b=self.b)


def _count_outcomes(
    data: npt.ArrayLike | Counts | None, successes: npt.ArrayLike | None, failures: npt.ArrayLike | None
) -> tuple[FloatArray, FloatArray]:
    named = check.named_statistics(data, successes=successes, failures=failures)
    if named is not None:
        return check.nonnegative("successes", named[0]), check.nonnegative("failures", named[1])
    if isinstance(data, Counts):
        n0 = data.observed - data.values
        do = "These counts exceed one per row: use GammaPoisson or DirichletMultinomial."
        require_all(n0 >= 0, n0, "observed − values of Counts must be ≥ 0", do, DataError)
        return data.values, n0
    assert data is not None
    x = check.observations("data", data)
    do = "Pass outcomes, or counts as successes= and failures=."
    require_all(np.isnan(x) | (x == 0) | (x == 1), x, "data must be 0, 1 or NaN (missing)", do, DataError)
    n1, n0 = ((x == outcome).sum(axis=-1, dtype=np.float64) for outcome in (1, 0))
    return np.asarray(n1), np.asarray(n0)


def _probability(theta: npt.ArrayLike) -> FloatArray:
    array = check.argument("theta", theta)
    require_all((array >= 0) & (array <= 1), array, "theta must lie in [0, 1]", "Pass a probability.")
    return array


def _pair(first: FloatArray, second: FloatArray) -> FloatArray:
    return np.stack(np.broadcast_arrays(first, second), axis=-1)


def _quantile(mass: FloatArray, a: FloatArray, b: FloatArray, *, upper: bool) -> FloatArray:
    """Return the point with that mass below it, or above it.

    SciPy loses digits where a parameter exceeds 1e12 and returns NaN at 1e200. There the smaller one, s, is negligible
    compared with the larger, l, or both are so large that the beta is Gaussian. In either case θ, or 1 − θ where a > b,
    has its mean s/(a + b), its standard deviation and the shape of G ~ Gamma(s), to 1e-6 standard deviations.
    """
    x = betainccinv(a, b, mass) if upper else betaincinv(a, b, mass)
    huge = np.maximum(a, b) > _SCIPY_UP_TO
    if not huge.any():
        return x
    small, large, total, swapped = np.minimum(a, b), np.maximum(a, b), a + b, a > b
    gamma = np.where(swapped == upper, gammaincinv(small, mass), gammainccinv(small, mass))
    near = np.clip(small / total + (gamma - small) / large * (large / total) ** 1.5, 0.0, 1.0)
    return np.where(huge, np.where(swapped, 1 - near, near), x)


_lower_quantile, _upper_quantile = partial(_quantile, upper=False), partial(_quantile, upper=True)


def _beta_density_gap(x: FloatArray, y: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    of_success = np.where(a == 1, 0.0, (a - 1) * log_quotient(x, y, x - y))
    return of_success + np.where(b == 1, 0.0, (b - 1) * log_quotient(1 - x, 1 - y, y - x))
