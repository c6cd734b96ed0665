"""The normal-inverse-gamma model: σ² ~ InverseGamma(a, b), μ | σ² ~ Normal(m, σ²/κ), x | μ, σ² ~ Normal(μ, σ²).

Symbols: (m, κ, a, b) = (location, strength, shape, scale); data of weight n, mean x̄ and dp = Σ w (x − x̄)².

    posterior   κ' = κ + n,  m' = m + (n/κ')(x̄ − m),  a' = a + n/2,  b' = b + ½ dp + κ n (x̄ − m)²/(2κ')
    marginals   μ: Student t, 2a degrees of freedom, location m, scale² b/(aκ);  σ²: InverseGamma(a, b)
    mean        μ: m;  σ²: b/(a − 1) for a > 1, else inf
    variance    μ: b/(κ(a − 1)) for a > 1, else inf;  σ²: b²/((a − 1)²(a − 2)) for a > 2, else inf
    joint mode  μ = m, σ² = b/(a + 3/2)
    likelihood  −(n/2) ln 2πσ² − (dp + n(x̄ − μ)²)/2σ²
    predictive  the mean of n further values: Student t, 2a degrees, location m, scale² (b/a)(1/κ + 1/n)
    log density −ln σ² − h(a) + ln a − D(a, b/σ²) + ½ ln(κ/2πσ²) − κ(μ − m)²/2σ²          h, D as in special.py
    evidence    lnΓ(a') − lnΓ(a) + a ln b − a' ln b' + ½ ln(κ/κ') − (n/2) ln 2π, in a form that does not cancel:
                h(a') − h(a) − L + a (L − ln(b'/b)) + (n/2)(ln(a'/b') − 1 − ln 2π) + ½ ln(κ/κ'),   L = ln(a'/a)

Source: Murphy, Conjugate Bayesian analysis of the Gaussian distribution (2007), §6.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar, final

import numpy as np
import numpy.typing as npt

from suffice import arguments as check
from suffice.arguments import GREATEST, LEAST, FloatArray, Reals, broadcast, require_all, unwrap_scalar
from suffice.conjugate.pair import ConjugatePair, Interval, IntervalKind, Mode, density, find_interval, log_quotient
from suffice.conjugate.special import (
    deviance,
    gammainccinv,
    gammaincinv,
    log_gamma_draws,
    log_ratio,
    remainder,
    stdtr,
    stdtrit,
)
from suffice.errors import DataError, ParameterError
from suffice.statistics import Moments

if TYPE_CHECKING:
    from scipy.stats._distn_infrastructure import rv_continuous_frozen

__all__ = [
    "LocationVariance",
    "NormalInverseGamma",
    "StudentT",
    "require_no_weights",
    "require_weight",
    "weighted_deviations",
]

Of = TypeVar("Of")


class LocationVariance(NamedTuple, Generic[Of]):
    """An estimate, interval or draw of μ, and one of σ²."""

    location: Of
    variance: Of


class StudentT(NamedTuple):
    """Degrees of freedom, location and scale of a Student t distribution, each with the shape of the model."""

    degrees: FloatArray
    location: FloatArray
    scale: FloatArray


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class NormalInverseGamma(ConjugatePair):
    """Normal-inverse-gamma distribution of the mean and variance of a Gaussian, conjugate to it.

    Parameters
    ----------
    location : float or array
        m, the prior mean, in the unit of x.
    strength : float or array > 0
        κ, the number of observations that the prior mean is worth.
    shape : float or array > 0
        a, half the number of observations that the prior variance is worth.
    scale : float or array > 0
        b, half the prior sum of squares, in the unit of x². All four broadcast.

    Examples
    --------
    >>> posterior = NormalInverseGamma(0, 1, 0.5, 0.5).update([1.0, 2.0, 3.0])
    >>> posterior
    NormalInverseGamma(location=1.5, strength=4.0, shape=2.0, scale=3.0)
    >>> posterior.map_estimate.variance.round(6), posterior.predictive().std().round(6)
    (np.float64(0.857143), np.float64(1.936492))
    """

    location: FloatArray
    strength: FloatArray
    shape: FloatArray
    scale: FloatArray

    def __init__(
        self, location: npt.ArrayLike, strength: npt.ArrayLike, shape: npt.ArrayLike, scale: npt.ArrayLike
    ) -> None:
        m, kappa, a, b = broadcast(
            ParameterError,
            location=check.parameter("location", location),
            strength=check.positive("strength", strength),
            shape=check.positive("shape", shape),
            scale=check.positive("scale", scale),
        )
        self._set(location=m, strength=kappa, shape=a, scale=b)

    def update(
        self,
        data: npt.ArrayLike | Moments | None = None,
        *,
        weights: npt.ArrayLike | None = None,
        weight: npt.ArrayLike | None = None,
        mean: npt.ArrayLike | None = None,
        dp: npt.ArrayLike | None = None,
    ) -> NormalInverseGamma:
        """Return the posterior (m', κ', a', b').

        Parameters
        ----------
        data : array of values along the last axis (NaN: missing), or Moments
        weights : array ≥ 0, optional
            One weight for each value of `data`.
        weight, mean, dp : float or array
            n = Σ w, x̄ = Σ w x/n and dp = Σ w (x − x̄)².

        Examples
        --------
        >>> NormalInverseGamma(0, 1, 1, 1).update(weight=3, mean=2, dp=2)
        NormalInverseGamma(location=1.5, strength=4.0, shape=2.5, scale=3.5)
        """
        n, shift, growth, m, kappa, a, b = self._increments(_moments(data, weights, weight, mean, dp))
        return NormalInverseGamma(m + (n / (kappa + n)) * shift, kappa + n, a + n / 2, b + growth)

    @staticmethod
    def mle(
        data: npt.ArrayLike | Moments | None = None,
        *,
        weights: npt.ArrayLike | None = None,
        weight: npt.ArrayLike | None = None,
        mean: npt.ArrayLike | None = None,
        dp: npt.ArrayLike | None = None,
    ) -> LocationVariance[Reals]:
        """Return μ = x̄ and σ² = dp/n, which is 0 for equal values; parameters as in `update`."""
        n, centre, squares = _moments(data, weights, weight, mean, dp)
        require_weight(n)
        return LocationVariance(unwrap_scalar(centre), unwrap_scalar(squares / n))

    @property
    def mean(self) -> LocationVariance[Reals]:
        """E μ = m (for a ≤ ½, where there is no mean, the centre of symmetry) and E σ² = b/(a − 1), inf for a ≤ 1."""
        finite = self.shape > 1
        with np.errstate(over="ignore"):
            variance = np.where(finite, self.scale / np.where(finite, self.shape - 1, 1.0), np.inf)
        return LocationVariance(unwrap_scalar(self.location), unwrap_scalar(variance))

    @property
    def mean_estimate(self) -> LocationVariance[Reals]:
        """The mean, with the predictive scale² b(κ + 1)/(aκ) where a ≤ 1 and E σ² is infinite."""
        with np.errstate(over="ignore"):
            fallback = self.scale / self.shape * (1 + 1 / self.strength)
        return LocationVariance(
            unwrap_scalar(self.location), unwrap_scalar(np.where(self.shape > 1, self.mean.variance, fallback))
        )

    @property
    def variance(self) -> LocationVariance[Reals]:
        """Var μ = b/(κ(a − 1)), inf for a ≤ 1, and Var σ² = b²/((a − 1)²(a − 2)), inf for a ≤ 2."""
        mean, finite = np.asarray(self.mean.variance), self.shape > 2
        with np.errstate(over="ignore"):
            of_location = mean / self.strength
            of_variance = np.where(finite, mean * (mean / np.where(finite, self.shape - 2, 1.0)), np.inf)
        return LocationVariance(unwrap_scalar(of_location), unwrap_scalar(of_variance))

    @property
    def mode(self) -> Mode[LocationVariance[Reals]]:
        """The joint mode, μ = m and σ² = b/(a + 3/2); it is always unique."""
        return Mode(np.full(self.shape.shape, "one"), self.map_estimate)

    @property
    def map_estimate(self) -> LocationVariance[Reals]:
        """The joint mode, μ = m and σ² = b/(a + 3/2)."""
        return LocationVariance(unwrap_scalar(self.location), unwrap_scalar(self.scale / (self.shape + 1.5)))

    def interval(self, credible: float = 0.95, kind: IntervalKind = "equal-tailed") -> LocationVariance[Interval]:
        """Return the marginal intervals of μ (Student t, for which both kinds agree) and of σ² (inverse gamma).

        Examples
        --------
        >>> both = NormalInverseGamma(0, 1, 0.5, 0.5).interval(0.5)
        >>> both.location.upper.round(6)  # Cauchy: its upper quartile is its scale
        np.float64(1.0)
        """
        a, b = self.shape, self.scale
        of_variance = find_interval(credible, kind, (a, b), _lower_quantile, _upper_quantile, _log_density_gap)
        tail = np.full_like(a, (1 - credible) / 2)
        t = -stdtrit(2 * a, tail)
        with np.errstate(over="ignore"):
            # SciPy stops near 1e152, which fewer than 0.02 degrees of freedom exceed
            t = np.where(stdtr(2 * a, -t) > 1.5 * tail, np.inf, t)
            half = t * np.sqrt(b / a) / np.sqrt(self.strength)
        ends = unwrap_scalar(self.location - half), unwrap_scalar(self.location + half)
        return LocationVariance(Interval(*ends, of_variance.credible, of_variance.kind), of_variance)

    def log_pdf(self, location: npt.ArrayLike, variance: npt.ArrayLike) -> Reals:
        """Return the joint log density at (μ, σ²), σ² > 0.

        Examples
        --------
        >>> round(float(NormalInverseGamma(0, 1, 1, 1).log_pdf(0, 1)), 6)  # −1 − ½ ln 2π
        -1.918939
        """
        point = _point(location, variance)
        mu, s2, m, kappa, a, b = broadcast(ParameterError, **point, **self._symbols())
        with np.errstate(over="ignore"):
            ratio, z = np.minimum(b / s2, 1e308), (mu - m) * (np.sqrt(kappa) / np.sqrt(s2))
            gaussian = 0.5 * (np.log(kappa) - math.log(2 * math.pi) - np.log(s2)) - 0.5 * z * z
            return unwrap_scalar(gaussian - np.log(s2) - remainder(a) + np.log(a) - deviance(a, ratio, a - ratio))

    def pdf(self, location: npt.ArrayLike, variance: npt.ArrayLike) -> Reals:
        """Return the joint density at (μ, σ²), σ² > 0.

        Examples
        --------
        >>> round(float(NormalInverseGamma(0, 1, 1, 1).pdf(0, 1)), 6)  # exp(−1)/√2π
        0.146763
        """
        return density(self.log_pdf(location, variance))

    @staticmethod
    def log_likelihood(
        location: npt.ArrayLike,
        variance: npt.ArrayLike,
        data: npt.ArrayLike | Moments | None = None,
        *,
        weights: npt.ArrayLike | None = None,
        weight: npt.ArrayLike | None = None,
        mean: npt.ArrayLike | None = None,
        dp: npt.ArrayLike | None = None,
    ) -> Reals:
        """Return ln p(data | μ, σ²). Identity: log_pdf + log_likelihood = log_evidence + log_pdf of the posterior.

        Parameters
        ----------
        location, variance : float or array
            μ and σ² > 0.
        data, weights, weight, mean, dp
            As in `update`.

        Examples
        --------
        >>> round(float(NormalInverseGamma.log_likelihood(0, 1, [1.0, -1.0])), 6)  # −1 − ln 2π
        -2.837877
        """
        n, centre, squares = _moments(data, weights, weight, mean, dp)
        mu, s2, n, centre, squares = broadcast(
            DataError, **_point(location, variance), weight=n, mean=centre, dp=squares
        )
        with np.errstate(over="ignore"):
            z = np.where(n > 0, centre - mu, 0.0) * (np.sqrt(n) / np.sqrt(s2))
            return unwrap_scalar(-0.5 * (n * (math.log(2 * math.pi) + np.log(s2)) + squares / s2 + z * z))

    def log_evidence(
        self,
        data: npt.ArrayLike | Moments | None = None,
        *,
        weights: npt.ArrayLike | None = None,
        weight: npt.ArrayLike | None = None,
        mean: npt.ArrayLike | None = None,
        dp: npt.ArrayLike | None = None,
    ) -> Reals:
        """Return ln p(x₁ … x_n), the log density of the sequence of values with μ and σ² integrated out.

        The parameters are those of `update`; values and their sufficient statistics give the same result.

        Examples
        --------
        >>> prior = NormalInverseGamma(0, 1, 0.5, 0.5)
        >>> bool(abs(prior.log_evidence([0.3]) - prior.predictive().logpdf(0.3)) < 1e-14)
        True
        """
        n, _, growth, _, kappa, a, b = self._increments(_moments(data, weights, weight, mean, dp))
        of_shape = log_ratio(a, n / 2)
        per_value = np.log(a + n / 2) - np.log(b + growth) - 1 - math.log(2 * math.pi)
        gammas = remainder(a + n / 2) - remainder(a) - of_shape + a * (of_shape - log_ratio(b, growth))
        return unwrap_scalar(gammas + n / 2 * per_value - 0.5 * log_ratio(kappa, n))

    def student_t(self, n: npt.ArrayLike = 1) -> StudentT:
        """Return the parameters of the predictive distribution, without importing ``scipy.stats``.

        Examples
        --------
        >>> NormalInverseGamma(0, 1, 1, 1).student_t().scale.round(6)  # √2
        np.float64(1.414214)
        """
        n = check.whole_numbers("n", n)
        require_all(n > 0, n, "n must be ≥ 1", "Pass the number of further values whose mean is predicted.")
        with np.errstate(over="ignore"):
            scale = np.sqrt(self.scale / self.shape) * np.sqrt(1 / self.strength + 1 / n)
        return StudentT(*np.broadcast_arrays(2 * self.shape, self.location, np.clip(scale, LEAST, GREATEST)))

    def predictive(self, n: npt.ArrayLike = 1) -> rv_continuous_frozen:
        """Return the distribution of the mean of n further values, a frozen ``scipy.stats.t``.

        For one further value, ``log_evidence([x])`` is its log density, even where z² overflows.

        Examples
        --------
        >>> NormalInverseGamma(0, 1, 1, 1).predictive().cdf(0)
        np.float64(0.5)
        """
        from scipy import stats

        return stats.t(*self.student_t(n))

    def sample(self, n: int, seed: np.random.Generator | int | None = None) -> LocationVariance[FloatArray]:
        """Return n draws of (μ, σ²), each of shape (n, …)."""
        source, size = check.generator(seed), (check.whole_number("n", n, 0), *self.shape.shape)
        log_variance = np.log(self.scale) - log_gamma_draws(self.shape, size, source)
        with np.errstate(over="ignore"):
            deviation = np.exp(0.5 * (log_variance - np.log(self.strength)))
            return LocationVariance(self.location + deviation * source.standard_normal(size), np.exp(log_variance))

    def _symbols(self) -> dict[str, FloatArray]:
        return {"m": self.location, "κ": self.strength, "a": self.shape, "b": self.scale}

    def _increments(self, moments: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
        """Return n, x̄ − m, b' − b, m, κ, a, b at their common shape."""
        n, centre, squares = moments
        n, centre, squares, m, kappa, a, b = broadcast(DataError, weight=n, mean=centre, dp=squares, **self._symbols())
        # κn/(κ + n) from the smaller of the two, and one factor of (x̄ − m)² at a time: neither overflows early
        shared = np.minimum(kappa, n) * (np.maximum(kappa, n) / (kappa + n))
        with np.errstate(over="ignore"):
            shift = np.where(n > 0, centre - m, 0.0)
            growth = squares / 2 + shared * shift * shift / 2
        require_all(
            b + growth <= 1e300, growth, "the sum of squares must be at most 1e300", "Rescale the column.", DataError
        )
        return n, shift, growth, m, kappa, a, b


def _point(location: npt.ArrayLike, variance: npt.ArrayLike) -> dict[str, FloatArray]:
    s2 = check.argument("variance", variance)
    require_all((s2 > 0) & (s2 < np.inf), s2, "variance must be > 0 and finite", "Pass σ² in the unit of x².")
    return {"location": check.argument("location", location), "variance": s2}


def _moments(
    data: npt.ArrayLike | Moments | None,
    weights: npt.ArrayLike | None,
    weight: npt.ArrayLike | None,
    mean: npt.ArrayLike | None,
    dp: npt.ArrayLike | None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return (weight, mean, dp) at their common shape."""
    named = check.named_statistics(data, weight=weight, mean=mean, dp=dp)
    if data is not None and not isinstance(data, Moments):
        n, centre, away, w = weighted_deviations(check.observations("data", data)[..., None], weights)
        with np.errstate(over="ignore"):
            squares = np.asarray((w[..., None] * away**2).sum(axis=(-1, -2)))
        require_all(
            np.isfinite(squares), squares, "the sum of squares must be finite", "Rescale the column.", DataError
        )
        return n, centre[..., 0], squares
    require_no_weights(weights)
    if isinstance(data, Moments):
        return check.nonnegative("weight", data.weight), data.mean, data.dp
    assert named is not None
    n, squares = check.nonnegative("weight", named[0]), check.nonnegative("dp", named[2], "Pass Σ w (x − x̄)².")
    n, centre, squares = broadcast(DataError, weight=n, mean=check.statistic("mean", named[1]), dp=squares)
    do = "Pass 0, or the weight of the values."
    require_all((squares == 0) | (n > 0), squares, "dp must be 0 where the weight is 0", do, DataError)
    return n, centre, squares


def weighted_deviations(
    x: FloatArray, weights: npt.ArrayLike | None
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return n (…), x̄ (…, D), x − x̄ (…, N, D) and w (…, N) of rows x (…, N, D).

    Two passes, never Σ x². Rows with a NaN have weight 0: their contribution has no closed form for D > 1.
    """
    complete = np.asarray(~np.isnan(x).any(axis=-1))
    w = np.ones(complete.shape) if weights is None else check.nonnegative("weights", weights)
    try:
        w = np.broadcast_to(w, complete.shape) * complete
    except ValueError:
        raise DataError(
            f"weights must have one entry for each value or row, shape {complete.shape}: got shape {w.shape}."
        ) from None
    n = np.asarray(w.sum(axis=-1))
    # w/n first: Σ w x could overflow where the mean does not
    share = (w / np.where(n > 0, n, 1.0)[..., None])[..., None]
    with np.errstate(over="ignore", invalid="ignore"):
        centre = (share * np.where(complete[..., None], x, 0.0)).sum(axis=-2)
        away = np.where(complete[..., None], x - centre[..., None, :], 0.0)
        rounding = (share * away).sum(axis=-2)
        return n, centre + rounding, away - rounding[..., None, :], w


def require_no_weights(weights: object) -> None:
    """Raise DataError if weights were given with sufficient statistics."""
    if weights is not None:
        raise DataError("weights= applies to raw values: got it with sufficient statistics. Drop weights=.")


def require_weight(n: FloatArray) -> None:
    """Raise DataError where there are no observations to maximise a likelihood over."""
    do = "There are no observations: use a prior."
    require_all(n > 0, n, "weight must be > 0 for maximum likelihood", do, DataError)


def _lower_quantile(p: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    with np.errstate(over="ignore", divide="ignore"):
        return b / gammainccinv(a, p)


def _upper_quantile(t: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    with np.errstate(over="ignore", divide="ignore"):
        return b / gammaincinv(a, t)


def _log_density_gap(x: FloatArray, y: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    inside = -(a + 1) * log_quotient(x, y, x - y) - (b / x) * ((y - x) / y)
    return np.where(x == 0, -np.inf, np.where(np.isinf(y), np.inf, inside))
