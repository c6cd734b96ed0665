"""The normal-inverse-gamma model: σ² ~ InverseGamma(a, b), μ | σ² ~ Normal(m, σ²/κ), x | μ, σ² ~ Normal(μ, σ²).

Symbols: (m, κ, a, b) = (location, strength, shape, scale); data of weight n, mean x̄ and dp = Σ w (x − x̄)².

    posterior   κ' = κ + n,  m' = m + (n/κ')(x̄ − m),  a' = a + n/2,  b' = b + ½ dp + κ n (x̄ − m)²/(2κ')
    μ alone     Student-t, 2a degrees, location m, scale² b/(aκ)            σ² alone   InverseGamma(a, b)
    mean        μ: m;  σ²: b/(a − 1) for a > 1, else inf
    variance    μ: b/(κ(a − 1)) for a > 1, else inf;  σ²: b²/((a − 1)²(a − 2)) for a > 2, else inf
    joint mode  μ = m, σ² = b/(a + 3/2)
    predictive  the mean of n further values: Student-t, 2a degrees, location m, scale² (b/a)(1/κ + 1/n)
    log density −ln σ² − h(a) + ln a − D(a, b/σ²) + ½ ln(κ/2πσ²) − κ(μ − m)²/2σ²          h, D as in log_gamma.py
    evidence    lnΓ(a') − lnΓ(a) + a ln b − a' ln b' + ½ ln(κ/κ') − (n/2) ln 2π, in a form that does not cancel:
                h(a') − h(a) − L + a (L − ln(b'/b)) + (n/2)(ln(a'/b') − 1 − ln 2π) + ½ ln(κ/κ'),   L = ln(a'/a)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from suffice.conjugate.arguments import (
    GREATEST,
    LEAST,
    FloatArray,
    Reals,
    argument,
    broadcast,
    counting,
    generator,
    parameter,
    plain,
    positive,
    require,
    whole,
)
from suffice.conjugate.gamma_draws import log_gamma_draws
from suffice.conjugate.gaussian_parameters import LocationVariance
from suffice.conjugate.interval import Interval, IntervalKind, asked, interval, log_quotient
from suffice.conjugate.log_gamma import deviance, log_ratio, remainder
from suffice.conjugate.mode import Mode, of_kinds
from suffice.conjugate.quantiles import inverse_gamma_above, inverse_gamma_below, t_above
from suffice.conjugate.seen_moments import seen_moments
from suffice.conjugate.shown import shown
from suffice.conjugate.student_t import StudentT
from suffice.conjugate.values import made_again, same_values
from suffice.errors import DataError, ParameterError
from suffice.statistics import Moments

__all__ = ["NormalInverseGamma"]

_NAMES = ("location", "strength", "shape", "scale")


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class NormalInverseGamma:
    """A belief about the mean and the variance of a Gaussian, and what it says of values.

    Parameters
    ----------
    location : float or array
        m, the prior mean, in the unit of x.
    strength : float or array > 0
        κ, how many observations the prior mean is worth.
    shape : float or array > 0
        a, half the number of observations the prior variance is worth.
    scale : float or array > 0
        b, in the unit of x², half the prior sum of squares. All four broadcast.

    Examples
    --------
    >>> posterior = NormalInverseGamma(0, 1, 0.5, 0.5).update([1.0, 2.0, 3.0])
    >>> posterior
    NormalInverseGamma(location=1.5, strength=4.0, shape=2.0, scale=3.0)
    >>> posterior.predictive()
    StudentT(degrees=4.0, location=1.5, scale=1.3693063937629153)
    """

    location: FloatArray
    strength: FloatArray
    shape: FloatArray
    scale: FloatArray

    def __init__(
        self, location: npt.ArrayLike, strength: npt.ArrayLike, shape: npt.ArrayLike, scale: npt.ArrayLike
    ) -> None:
        values = (
            parameter("location", location),
            positive("strength", strength),
            positive("shape", shape),
            positive("scale", scale),
        )
        for name, value in zip(_NAMES, broadcast(_NAMES, values, ParameterError), strict=True):
            object.__setattr__(self, name, value)

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
        n, away, extra, m, kappa, a, b = self._learnt(data, weights, weight, mean, dp)
        return NormalInverseGamma(m + (n / (kappa + n)) * away, kappa + n, a + n / 2, b + extra)

    @staticmethod
    def mle(
        data: npt.ArrayLike | Moments | None = None,
        *,
        weights: npt.ArrayLike | None = None,
        weight: npt.ArrayLike | None = None,
        mean: npt.ArrayLike | None = None,
        dp: npt.ArrayLike | None = None,
    ) -> LocationVariance[Reals]:
        """Return μ = x̄ and σ² = dp/n (no floor: it is 0 for equal values).

        Examples
        --------
        >>> NormalInverseGamma.mle([1.0, 3.0])
        LocationVariance(location=np.float64(2.0), variance=np.float64(1.0))
        """
        n, location, squares = seen_moments("NormalInverseGamma", data, weights, weight, mean, dp)
        require(
            n > 0,
            n,
            "weight must be > 0 for maximum likelihood",
            "Nothing was seen: use a prior, NormalInverseGamma(location, strength, shape, scale).",
            DataError,
        )
        return LocationVariance(plain(location), plain(squares / n))

    @property
    def mean(self) -> LocationVariance[Reals]:
        """E μ = m (for a ≤ ½ the centre of symmetry: it has no mean) and E σ² = b/(a − 1), inf for a ≤ 1."""
        finite = self.shape > 1
        with np.errstate(over="ignore"):
            variance = np.where(finite, self.scale / np.where(finite, self.shape - 1, 1.0), np.inf)
        return LocationVariance(plain(self.location), plain(variance))

    @property
    def mean_estimate(self) -> LocationVariance[Reals]:
        """The mean as classifiers read it: where a ≤ 1, and E σ² is infinite, the predictive scale² b(κ + 1)/(aκ)."""
        with np.errstate(over="ignore"):
            fallback = self.scale / self.shape * (1 + 1 / self.strength)
        return LocationVariance(plain(self.location), plain(np.where(self.shape > 1, self.mean.variance, fallback)))

    @property
    def variance(self) -> LocationVariance[Reals]:
        """Var μ = b/(κ(a − 1)) and Var σ² = b²/((a − 1)²(a − 2)); inf for a ≤ 1 and a ≤ 2."""
        mean, finite = np.asarray(self.mean.variance), self.shape > 2
        with np.errstate(over="ignore"):
            of_location = mean / self.strength
            of_variance = np.where(finite, mean * (mean / np.where(finite, self.shape - 2, 1.0)), np.inf)
        return LocationVariance(plain(of_location), plain(of_variance))

    @property
    def mode(self) -> Mode[LocationVariance[Reals]]:
        """The joint mode, μ = m and σ² = b/(a + 3/2): always one."""
        return of_kinds(np.full(self.shape.shape, "one"), self.map_estimate)

    @property
    def map_estimate(self) -> LocationVariance[Reals]:
        """The joint mode as plain numbers: μ = m, σ² = b/(a + 3/2)."""
        return LocationVariance(plain(self.location), plain(self.scale / (self.shape + 1.5)))

    def interval(self, level: float = 0.95, kind: IntervalKind = "equal-tailed") -> LocationVariance[Interval]:
        """Return the interval of μ (Student-t, where both kinds agree) and that of σ² (inverse gamma), each by itself.

        Examples
        --------
        >>> both = NormalInverseGamma(0, 1, 0.5, 0.5).interval(0.5)
        >>> both.location.upper.round(6)  # Cauchy: its upper quartile is its scale
        np.float64(1.0)
        """
        level, kind_asked = asked(level, kind)
        a, b = self.shape, self.scale
        with np.errstate(over="ignore"):
            half = t_above(2 * a, np.asarray((1 - level) / 2)) * np.sqrt(b / a) / np.sqrt(self.strength)
            of_location = Interval(plain(self.location - half), plain(self.location + half), level, kind_asked)

        def gap(x: FloatArray, y: FloatArray) -> FloatArray:
            inside = -(a + 1) * log_quotient(x, y, x - y) - (b / x) * ((y - x) / y)
            return np.where(x == 0, -np.inf, np.where(np.isinf(y), np.inf, inside))

        of_variance = interval(
            level,
            kind_asked,
            a.shape,
            lambda p: inverse_gamma_below(a, b, p),
            lambda t: inverse_gamma_above(a, b, t),
            gap,
        )
        return LocationVariance(of_location, of_variance)

    def log_pdf(self, location: npt.ArrayLike, variance: npt.ArrayLike) -> Reals:
        """Return the joint log density at (μ, σ²), σ² > 0.

        Examples
        --------
        >>> round(float(NormalInverseGamma(0, 1, 1, 1).log_pdf(0, 1)), 6)  # −1 − ½ ln 2π
        -1.918939
        """
        mu, sigma2 = argument("location", location), argument("variance", variance)
        require(
            (sigma2 > 0) & (sigma2 < np.inf), sigma2, "variance must be > 0 and finite", "Give σ² in the unit of x²."
        )
        values = (mu, sigma2, self.location, self.strength, self.shape, self.scale)
        mu, sigma2, m, kappa, a, b = broadcast(("location", "variance", "m", "κ", "a", "b"), values, ParameterError)
        with np.errstate(over="ignore"):
            ratio, z = np.minimum(b / sigma2, 1e308), (mu - m) * (np.sqrt(kappa) / np.sqrt(sigma2))
            gaussian = 0.5 * (np.log(kappa) - np.log(2 * math.pi) - np.log(sigma2)) - 0.5 * z * z
            return plain(gaussian - np.log(sigma2) - remainder(a) + np.log(a) - deviance(a, ratio, a - ratio))

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

        Parameters are those of `update`; the sufficient statistics give the same answer as the values.

        Examples
        --------
        >>> prior = NormalInverseGamma(0, 1, 0.5, 0.5)
        >>> bool(abs(prior.log_evidence([0.3]) - prior.predictive().log_pdf(0.3)) < 1e-14)
        True
        """
        n, _, extra, _, kappa, a, b = self._learnt(data, weights, weight, mean, dp)
        growth = log_ratio(a, n / 2)
        per_value = np.log(a + n / 2) - np.log(b + extra) - 1 - math.log(2 * math.pi)
        return plain(
            remainder(a + n / 2)
            - remainder(a)
            - growth
            + a * (growth - log_ratio(b, extra))
            + n / 2 * per_value
            - 0.5 * log_ratio(kappa, n)
        )

    def predictive(self, n: npt.ArrayLike = 1) -> StudentT:
        """Return the distribution of the mean of n further values (of the next value for n = 1).

        Examples
        --------
        >>> NormalInverseGamma(0, 1, 1, 1).predictive(1)
        StudentT(degrees=2.0, location=0.0, scale=1.4142135623730951)
        """
        count = counting("n", n)
        require(count > 0, count, "n must be ≥ 1", "Give the number of further values whose mean is asked for.")
        with np.errstate(over="ignore"):
            scale = np.sqrt(self.scale / self.shape) * np.sqrt(1 / self.strength + 1 / count)
        # at the bounds of the parameters 2a and the scale would leave them; there one is as good as the other
        return StudentT(np.minimum(2 * self.shape, GREATEST), self.location, np.clip(scale, LEAST, GREATEST))

    def sample(self, n: int, rng: np.random.Generator | int | None = None) -> LocationVariance[FloatArray]:
        """Return n draws of (μ, σ²), each of shape (n, …).

        Examples
        --------
        >>> NormalInverseGamma([0, 1], 1, 1, 1).sample(5, rng=0).location.shape
        (5, 2)
        """
        source, size = generator(rng), (whole("n", n, 0), *self.shape.shape)
        log_variance = np.log(self.scale) - log_gamma_draws(self.shape, size, source)
        with np.errstate(over="ignore"):
            deviation = np.exp(0.5 * (log_variance - np.log(self.strength)))
            return LocationVariance(self.location + deviation * source.standard_normal(size), np.exp(log_variance))

    def _learnt(
        self,
        data: npt.ArrayLike | Moments | None,
        weights: npt.ArrayLike | None,
        weight: npt.ArrayLike | None,
        mean: npt.ArrayLike | None,
        dp: npt.ArrayLike | None,
    ) -> tuple[FloatArray, ...]:
        n, location, squares = seen_moments("NormalInverseGamma", data, weights, weight, mean, dp)
        names, prior = ("weight", "mean", "dp", *_NAMES), (self.location, self.strength, self.shape, self.scale)
        n, location, squares, m, kappa, a, b = broadcast(names, (n, location, squares, *prior), DataError)
        # κn/(κ + n) from the smaller of the two, and into (x̄ − m)² one factor at a time: neither may leave float64
        share = np.minimum(kappa, n) * (np.maximum(kappa, n) / (kappa + n))
        with np.errstate(over="ignore"):
            away = np.where(n > 0, location - m, 0.0)  # nothing seen: the posterior is the prior
            extra = squares / 2 + share * away * away / 2
        require(b + extra <= 1e300, extra, "the sum of squares must be at most 1e300", "Rescale the column.", DataError)
        return n, away, extra, m, kappa, a, b

    def __eq__(self, other: object) -> bool:
        return same_values(self, other) if isinstance(other, NormalInverseGamma) else NotImplemented

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __reduce__(self) -> tuple[Any, ...]:
        return made_again(self)

    def __repr__(self) -> str:
        return shown(self, location=self.location, strength=self.strength, shape=self.shape, scale=self.scale)
