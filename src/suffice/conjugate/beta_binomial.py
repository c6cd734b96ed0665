"""The beta-binomial model: θ ~ Beta(a, b), y | θ ~ Binomial(n, θ).

Symbols: a goes with success (x = 1), b with failure (x = 0); N₁ successes and N₀ failures seen, N = N₁ + N₀.

    posterior       Beta(a + N₁, b + N₀)
    mean            a/(a + b)                     variance    ab/((a + b)²(a + b + 1))
    mode            a, b > 1: (a − 1)/(a + b − 2)     a ≤ 1 < b: 0     b ≤ 1 < a: 1     a, b < 1: both ends
                    a = b = 1: every θ                a < 1 = b: 0     b < 1 = a: 1
    joint           C(n, y) θ^(y+a−1) (1−θ)^(n−y+b−1) / B(a, b)                            (Lemma 25.3.1)
    marginal        C(n, y) B(y + a, n − y + b) / B(a, b)
    posterior mean  λ · prior mean + (1 − λ) · mle,  λ = (a + b)/(a + b + N)
    posterior mode  λ' · prior mode + (1 − λ') · mle,  λ' = (a + b − 2)/(a + b − 2 + N),  a, b > 1

The evidence of a sequence of outcomes is that of the counts less the log coefficient ln C(N, N₁).
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
from suffice.conjugate.beta_binomial_predictive import BetaBinomialPredictive
from suffice.conjugate.gamma_draws import simplex_draws
from suffice.conjugate.interval import Interval, IntervalKind, interval, log_quotient
from suffice.conjugate.log_gamma import log_coefficient, log_dirichlet_density, log_dirichlet_multinomial
from suffice.conjugate.mode import Mode, of_kinds
from suffice.conjugate.quantiles import beta_above, beta_below
from suffice.conjugate.shown import shown
from suffice.conjugate.values import made_again, same_values
from suffice.errors import DataError, ParameterError
from suffice.statistics import Counts

__all__ = ["BetaBinomial"]

_FORMS = "raw 0/1 outcomes, successes= with failures=, or Counts"


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class BetaBinomial:
    """A beta belief about the probability of success, and what it says of successes.

    Parameters
    ----------
    a : float or array > 0
        Prior successes (pseudo-counts).
    b : float or array > 0
        Prior failures. a and b broadcast; every answer has their common shape.

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
        a, b = broadcast(("a", "b"), (positive("a", a), positive("b", b)), ParameterError)
        object.__setattr__(self, "a", a)
        object.__setattr__(self, "b", b)

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
        n1, n0 = _seen(data, successes, failures)
        n1, n0, _, _ = broadcast(("successes", "failures", "a", "b"), (n1, n0, self.a, self.b), DataError)
        return BetaBinomial(self.a + n1, self.b + n0)

    @staticmethod
    def mle(
        data: npt.ArrayLike | Counts | None = None,
        *,
        successes: npt.ArrayLike | None = None,
        failures: npt.ArrayLike | None = None,
    ) -> Reals:
        """Return N₁/N, and ½ where nothing was seen.

        Examples
        --------
        >>> float(BetaBinomial.mle(successes=3, failures=0))
        1.0
        """
        n1, n0 = broadcast(("successes", "failures"), _seen(data, successes, failures), DataError)
        n = n1 + n0
        return plain(np.where(n > 0, n1 / np.where(n > 0, n, 1.0), 0.5))

    @property
    def mean(self) -> Reals:
        """E θ = a/(a + b)."""
        return plain(self.a / (self.a + self.b))

    @property
    def variance(self) -> Reals:
        """Var θ = ab/((a + b)²(a + b + 1))."""
        total = self.a + self.b
        return plain((self.a / total) * (self.b / total) / (total + 1))

    @property
    def mode(self) -> Mode[Reals]:
        """Where the density is highest, and which case it is (the page above lists them all)."""
        a, b = self.a, self.b
        kinds = np.where((a < 1) & (b < 1), "ends", np.where((a == 1) & (b == 1), "every", "one"))
        # Where only one of the two is clipped the map estimate is that end; a ≤ 1, b ≤ 1 with one equal to 1 is left:
        value = np.where((a == 1) & (b < 1), 1.0, np.where((a < 1) & (b == 1), 0.0, self.map_estimate))
        return of_kinds(kinds, plain(value))

    @property
    def map_estimate(self) -> Reals:
        """The mode with a − 1 and b − 1 clipped at 0, the mean where both are: what classifiers read."""
        a, b = np.maximum(self.a - 1, 0.0), np.maximum(self.b - 1, 0.0)
        some = a + b > 0
        return plain(np.where(some, a / np.where(some, a + b, 1.0), self.mean))

    @property
    def effective_sample_size_of_mean(self) -> Reals:
        """The number of observations that weigh as much in the posterior mean as this prior does: a + b."""
        return plain(self.a + self.b)

    @property
    def effective_sample_size_of_mode(self) -> Reals:
        """The number of observations that weigh as much in the posterior mode as this prior does: a + b − 2."""
        return plain(self.a + self.b - 2)

    def prior_weight_of_mean(self, n: npt.ArrayLike) -> Reals:
        """Return λ = (a + b)/(a + b + N): posterior mean = λ · prior mean + (1 − λ) · mle.

        Examples
        --------
        >>> float(BetaBinomial(1, 1).prior_weight_of_mean(2))
        0.5
        """
        total = self.a + self.b
        return plain(total / (total + nonnegative("n", n)))

    def prior_weight_of_mode(self, n: npt.ArrayLike) -> Reals:
        """Return λ' = (a + b − 2)/(a + b − 2 + N): posterior mode = λ' · prior mode + (1 − λ') · mle, for a, b > 1.

        Examples
        --------
        >>> float(BetaBinomial(2, 2).prior_weight_of_mode(2))
        0.5
        """
        for name, value in (("a", self.a), ("b", self.b)):
            require(
                value > 1,
                value,
                f"{name} must be > 1 for the weight of the prior in the mode",
                "Use prior_weight_of_mean, which needs no mode inside (0, 1).",
            )
        total = self.a + self.b - 2
        return plain(total / (total + nonnegative("n", n)))

    def interval(self, level: float = 0.95, kind: IntervalKind = "equal-tailed") -> Interval:
        """Return the interval that holds θ with probability `level`.

        Highest density: where a ≤ 1 or b ≤ 1 it touches the end at which the density is highest; a = b = 1 is flat and
        gets equal tails; a, b < 1 is refused, because its region is two pieces, one at each end.

        Examples
        --------
        >>> BetaBinomial(1, 3).interval(0.875, "highest-density")
        Interval(lower=np.float64(0.0), upper=np.float64(0.5), level=0.875, kind='highest-density')
        """
        a, b = self.a, self.b
        if kind == "highest-density":
            require(
                ~((a < 1) & (b < 1)),
                np.maximum(a, b),
                "max(a, b) must be ≥ 1 for a highest-density interval (else it is two pieces, at 0 and at 1)",
                "Ask for kind='equal-tailed'.",
            )

        def gap(x: FloatArray, y: FloatArray) -> FloatArray:
            left = np.where(a == 1, 0.0, (a - 1) * log_quotient(x, y, x - y))
            right = np.where(b == 1, 0.0, (b - 1) * log_quotient(1 - x, 1 - y, y - x))
            return left + right

        return interval(level, kind, a.shape, lambda p: beta_below(a, b, p), lambda t: beta_above(a, b, t), gap)

    def log_pdf(self, theta: npt.ArrayLike) -> Reals:
        """Return the log density at θ ∈ [0, 1]; inf at an end towards which it grows without bound.

        Examples
        --------
        >>> float(BetaBinomial(1, 1).log_pdf(0.3))
        0.0
        """
        theta = _probability(theta)
        theta, a, b = broadcast(("theta", "a", "b"), (theta, self.a, self.b), ParameterError)
        return plain(log_dirichlet_density(_pair(theta, 1 - theta), _pair(a, b)))

    def log_joint(self, theta: npt.ArrayLike, *, successes: npt.ArrayLike, failures: npt.ArrayLike) -> Reals:
        """Return ln p(y, θ), the joint density of Lemma 25.3.1 with n = successes + failures and y = successes.

        Examples
        --------
        >>> round(float(BetaBinomial(1, 1).log_joint(0.5, successes=1, failures=1)), 6)  # ln ½
        -0.693147
        """
        posterior = self.update(successes=successes, failures=failures)
        return plain(self.log_evidence(successes=successes, failures=failures, of="counts") + posterior.log_pdf(theta))

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
            Of the outcomes in their order, B(a + N₁, b + N₀)/B(a, b); or of the number of successes, C(N, N₁) times
            that (the marginal of Lemma 25.3.1).

        Examples
        --------
        >>> import numpy as np
        >>> flat = BetaBinomial(1, 1)
        >>> np.exp(flat.log_evidence([1, 0, 1])).round(6), np.exp(flat.log_evidence([1, 0, 1], of="counts")).round(6)
        (np.float64(0.083333), np.float64(0.25))
        """
        of_counts = option("of", of, ("sequence", "counts")) == "counts"
        n1, n0 = _seen(data, successes, failures)
        n1, n0, a, b = broadcast(("successes", "failures", "a", "b"), (n1, n0, self.a, self.b), DataError)
        counts = _pair(n1, n0)
        answer = log_dirichlet_multinomial(counts, _pair(a, b))
        return plain(answer if of_counts else answer - log_coefficient(counts))

    def predictive(self, n: npt.ArrayLike = 1) -> BetaBinomialPredictive:
        """Return the distribution of the number of successes in n further trials.

        Examples
        --------
        >>> BetaBinomial(1, 1).predictive(2).pmf([0, 1, 2]).round(6)
        array([0.333333, 0.333333, 0.333333])
        """
        return BetaBinomialPredictive(n, self.a, self.b)

    def sample(self, n: int, rng: np.random.Generator | int | None = None) -> FloatArray:
        """Return n draws of θ, shape (n, …).

        Examples
        --------
        >>> BetaBinomial(1, [1, 2, 3]).sample(5, rng=0).shape
        (5, 3)
        """
        return simplex_draws(_pair(self.a, self.b), whole("n", n, 0), generator(rng))[..., 0]

    def __eq__(self, other: object) -> bool:
        return same_values(self, other) if isinstance(other, BetaBinomial) else NotImplemented

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __reduce__(self) -> tuple[Any, ...]:
        return made_again(self)

    def __repr__(self) -> str:
        return shown(self, a=self.a, b=self.b)


def _seen(
    data: npt.ArrayLike | Counts | None, successes: npt.ArrayLike | None, failures: npt.ArrayLike | None
) -> tuple[FloatArray, FloatArray]:
    one_form("BetaBinomial", _FORMS, (data is not None, successes is not None or failures is not None))
    if isinstance(data, Counts):
        left = data.observed - data.values
        require(
            left >= 0,
            left,
            "observed − values of Counts must be ≥ 0",
            "These counts go beyond one a row: use GammaPoisson or DirichletMultinomial.",
            DataError,
        )
        return data.values, left
    if data is not None:
        outcomes = observations("data", data)
        missing = np.isnan(outcomes)
        good = missing | (outcomes == 0) | (outcomes == 1)
        require(
            good,
            outcomes,
            "data must be 0, 1 or NaN (missing)",
            "Give outcomes, or counts as successes= and failures=.",
            DataError,
        )
        return np.asarray((outcomes == 1).sum(axis=-1), dtype=np.float64), np.asarray(
            (outcomes == 0).sum(axis=-1), dtype=np.float64
        )
    if successes is None or failures is None:
        lacking = "successes" if successes is None else "failures"
        raise DataError(f"{lacking}= is missing: got only the other. Give successes= and failures= together.")
    return nonnegative("successes", successes), nonnegative("failures", failures)


def _probability(theta: npt.ArrayLike) -> FloatArray:
    theta = argument("theta", theta)
    require((theta >= 0) & (theta <= 1), theta, "theta must lie in [0, 1]", "Give a probability.")
    return theta


def _pair(first: FloatArray, second: FloatArray) -> FloatArray:
    return np.stack(np.broadcast_arrays(first, second), axis=-1)
