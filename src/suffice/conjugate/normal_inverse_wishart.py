"""The normal-inverse-Wishart model: Σ ~ InverseWishart(ν, Ψ), μ | Σ ~ Normal(m, Σ/κ), x | μ, Σ ~ Normal(μ, Σ).

Symbols: (m, κ, ν, Ψ) = (location, strength, degrees, scale_matrix) in D dimensions, ν > D − 1; data of weight n, mean
vector x̄ and scatter S = Σ w (x − x̄)(x − x̄)ᵀ.

    posterior   κ' = κ + n,  m' = m + (n/κ')(x̄ − m),  ν' = ν + n,  Ψ' = Ψ + S + (κn/κ')(x̄ − m)(x̄ − m)ᵀ
    component   (μ_j, Σ_jj) alone is normal-inverse-gamma (m_j, κ, (ν − D + 1)/2, Ψ_jj/2)
    mean        μ: m;  Σ: Ψ/(ν − D − 1) for ν > D + 1, else inf
    variance    μ_j: Ψ_jj/(κ(ν − D − 1));  with f = ν − D > 3, else inf,
                Σ_ij: [(f + 1)Ψ_ij² + (f − 1)Ψ_iiΨ_jj]/[f (f − 1)²(f − 3)]
    joint mode  μ = m, Σ = Ψ/(ν + D + 2)
    predictive  the mean of n further rows: multivariate t, ν − D + 1 degrees, scale Ψ/(ν − D + 1)·(1/κ + 1/n)
    density     with e_i half the eigenvalues of ΨΣ⁻¹ and a_i = (ν − i)/2, i = 0 … D − 1:
                ln IW = Σ_i [ln a_i − h(a_i) − D(a_i, e_i) + (i/2) ln e_i] − ½(D + 1) ln|Σ| − ¼D(D − 1) ln π
    evidence    Σ_i [lnΓ(a_i + n/2) − lnΓ(a_i)] − (ν/2) ln(|Ψ'|/|Ψ|) − (n/2) ln|Ψ'| − (nD/2) ln π + (D/2) ln(κ/κ'),
                ln(|Ψ'|/|Ψ|) = Σ ln(1 + λ), λ the eigenvalues of Ψ' − Ψ relative to Ψ
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from suffice.conjugate.arguments import (
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
from suffice.conjugate.gaussian_parameters import LocationCovariance, LocationVariance
from suffice.conjugate.interval import Interval, IntervalKind
from suffice.conjugate.inverse_wishart_draws import inverse_wishart_root, times_exp
from suffice.conjugate.log_gamma import deviance, log_ratio, log_rising, remainder
from suffice.conjugate.mode import Mode, of_kinds
from suffice.conjugate.multivariate_t import MultivariateT
from suffice.conjugate.normal_inverse_gamma import NormalInverseGamma
from suffice.conjugate.positive_definite import (
    checked,
    cholesky,
    diagonal,
    eigenvalues_relative_to,
    log_determinant,
    solved,
)
from suffice.conjugate.seen_moments import seen_scatter
from suffice.conjugate.shown import shown
from suffice.conjugate.values import made_again, same_values
from suffice.errors import DataError, ParameterError
from suffice.statistics import Scatter

__all__ = ["NormalInverseWishart"]

_NAMES = ("location", "strength", "degrees", "scale_matrix")


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class NormalInverseWishart:
    """A belief about the mean vector and the covariance matrix of a Gaussian, and what it says of rows.

    Parameters
    ----------
    location : array, shape (…, D)
        m, the prior mean, in the units of the columns.
    strength : float or array > 0, shape (…)
        κ, how many rows the prior mean is worth.
    degrees : float or array > D − 1, shape (…)
        ν, how many rows the prior covariance is worth.
    scale_matrix : array, symmetric positive definite, shape (…, D, D)
        Ψ, the prior scatter. All broadcast over the leading shape.

    Examples
    --------
    >>> prior = NormalInverseWishart([0, 0], 1, 2, [[1, 0], [0, 1]])
    >>> prior.update([[1.0, 2.0], [3.0, 2.0]]).scale_matrix.round(6)
    array([[5.666667, 2.666667],
           [2.666667, 3.666667]])
    """

    location: FloatArray
    strength: FloatArray
    degrees: FloatArray
    scale_matrix: FloatArray

    def __init__(
        self, location: npt.ArrayLike, strength: npt.ArrayLike, degrees: npt.ArrayLike, scale_matrix: npt.ArrayLike
    ) -> None:
        m, kappa, nu = parameter("location", location), positive("strength", strength), positive("degrees", degrees)
        psi = checked("scale_matrix", scale_matrix, kept=True)
        size = psi.shape[-1]
        if m.ndim == 0 or m.shape[-1] != size:
            raise ParameterError(
                f"location must have {size} entries along the last axis, as scale_matrix: got shape {m.shape}. Give D."
            )
        require(nu > size - 1, nu, f"degrees must be > D − 1 = {size - 1}", "Give at least as many degrees as columns.")
        values = (m[..., :, None], kappa[..., None, None], nu[..., None, None], psi)
        m, kappa, nu, psi = broadcast(_NAMES, values, ParameterError)
        object.__setattr__(self, "location", m[..., 0])
        object.__setattr__(self, "strength", kappa[..., 0, 0])
        object.__setattr__(self, "degrees", nu[..., 0, 0])
        object.__setattr__(self, "scale_matrix", psi)

    def update(
        self,
        data: npt.ArrayLike | Scatter | None = None,
        *,
        weights: npt.ArrayLike | None = None,
        weight: npt.ArrayLike | None = None,
        mean: npt.ArrayLike | None = None,
        scatter: npt.ArrayLike | None = None,
    ) -> NormalInverseWishart:
        """Return the posterior (m', κ', ν', Ψ').

        Parameters
        ----------
        data : array of rows, shape (…, N, D), or Scatter
            A row with a NaN is left out whole: its part of the posterior has no closed form.
        weights : array ≥ 0, shape (…, N), optional
        weight, mean, scatter : arrays, shapes (…), (…, D), (…, D, D)
            n = Σ w, x̄ and S = Σ w (x − x̄)(x − x̄)ᵀ.

        Examples
        --------
        >>> prior = NormalInverseWishart([0, 0], 1, 2, [[1, 0], [0, 1]])
        >>> prior.update(weight=1, mean=[2, 0], scatter=[[0, 0], [0, 0]]).location
        array([1., 0.])
        """
        n, away, extra = self._learnt(data, weights, weight, mean, scatter)
        location = self.location + (n / (self.strength + n))[..., None] * away
        return NormalInverseWishart(location, self.strength + n, self.degrees + n, self.scale_matrix + extra)

    @staticmethod
    def mle(
        data: npt.ArrayLike | Scatter | None = None,
        *,
        weights: npt.ArrayLike | None = None,
        weight: npt.ArrayLike | None = None,
        mean: npt.ArrayLike | None = None,
        scatter: npt.ArrayLike | None = None,
    ) -> LocationCovariance[FloatArray]:
        """Return μ = x̄ and Σ = S/n (singular for fewer rows than columns).

        Examples
        --------
        >>> NormalInverseWishart.mle([[0.0, 1.0], [2.0, 1.0]]).covariance
        array([[1., 0.],
               [0., 0.]])
        """
        n, centre, table = seen_scatter("NormalInverseWishart", data, weights, weight, mean, scatter)
        require(
            n > 0,
            n,
            "weight must be > 0 for maximum likelihood",
            "Nothing was seen: use a prior, NormalInverseWishart(location, strength, degrees, scale_matrix).",
            DataError,
        )
        return LocationCovariance(centre, table / n[..., None, None])

    @property
    def mean(self) -> LocationCovariance[FloatArray]:
        """E μ = m and E Σ = Ψ/(ν − D − 1), inf in every entry for ν ≤ D + 1, where it does not exist."""
        above = (self.degrees - self.location.shape[-1] - 1)[..., None, None]
        return LocationCovariance(
            self.location, np.where(above > 0, self.scale_matrix / np.where(above > 0, above, 1.0), np.inf)
        )

    @property
    def mean_estimate(self) -> LocationCovariance[FloatArray]:
        """The mean as classifiers read it: for ν ≤ D + 1, where E Σ does not exist, the predictive scale matrix."""
        finite = (self.degrees > self.location.shape[-1] + 1)[..., None, None]
        return LocationCovariance(self.location, np.where(finite, self.mean.covariance, self._predictive_scale()))

    @property
    def variance(self) -> LocationCovariance[FloatArray]:
        """The variance of each μ_j, shape (…, D), and of each Σ_ij, shape (…, D, D); inf where it does not exist."""
        over = (self.degrees - self.location.shape[-1])[..., None, None]
        finite = over > 3
        free = np.where(finite, over, 4.0)
        mean = self.scale_matrix / (free - 1)
        spread = diagonal(mean)
        with np.errstate(over="ignore"):
            squares, products = mean * (mean / (free - 3)), spread[..., :, None] * (spread[..., None, :] / (free - 3))
            of_covariance = np.where(finite, (free + 1) / free * squares + (free - 1) / free * products, np.inf)
            of_location = diagonal(self.mean.covariance) / self.strength[..., None]
        return LocationCovariance(of_location, of_covariance)

    @property
    def mode(self) -> Mode[LocationCovariance[FloatArray]]:
        """The joint mode, μ = m and Σ = Ψ/(ν + D + 2): always one."""
        return of_kinds(np.full(self.degrees.shape, "one"), self.map_estimate)

    @property
    def map_estimate(self) -> LocationCovariance[FloatArray]:
        """The joint mode as plain arrays: μ = m, Σ = Ψ/(ν + D + 2)."""
        total = self.degrees + self.location.shape[-1] + 2
        return LocationCovariance(self.location, self.scale_matrix / total[..., None, None])

    @property
    def components(self) -> NormalInverseGamma:
        """The model of each column by itself, shape (…, D): what it says of (μ_j, Σ_jj).

        Examples
        --------
        >>> NormalInverseWishart([0, 5], 1, 3, [[1, 0], [0, 4]]).components
        NormalInverseGamma(location=[0.0, 5.0], strength=[1.0, 1.0], shape=[1.0, 1.0], scale=[0.5, 2.0])
        """
        shape = (self.degrees - self.location.shape[-1] + 1) / 2
        return NormalInverseGamma(
            self.location, self.strength[..., None], shape[..., None], diagonal(self.scale_matrix) / 2
        )

    def interval(self, level: float = 0.95, kind: IntervalKind = "equal-tailed") -> LocationVariance[Interval]:
        """Return the intervals of each μ_j (Student-t) and of each Σ_jj (inverse gamma), each by itself, shape (…, D).

        Examples
        --------
        >>> NormalInverseWishart([0, 5], 1, 2, [[1, 0], [0, 1]]).interval(0.5).location.upper.round(6)
        array([1., 6.])
        """
        return self.components.interval(level, kind)

    def log_pdf(self, location: npt.ArrayLike, covariance: npt.ArrayLike) -> Reals:
        """Return the joint log density at (μ, Σ), shapes (…, D) and (…, D, D), Σ positive definite.

        Examples
        --------
        >>> round(float(NormalInverseWishart([0], 1, 2, [[2]]).log_pdf([0], [[1]])), 6)  # −1 − ½ ln 2π
        -1.918939
        """
        mu, sigma = argument("location", location), checked("covariance", covariance)
        size = self.location.shape[-1]
        if mu.ndim == 0 or mu.shape[-1] != size or sigma.shape[-1] != size:
            raise ParameterError(
                f"location and covariance must have {size} entries along their last axis: "
                f"got shapes {mu.shape} and {sigma.shape}. Give D and D × D."
            )
        names = ("location", "covariance", "m", "Ψ")
        values = (mu[..., :, None], sigma, self.location[..., :, None], self.scale_matrix)
        mu, sigma, m, psi = broadcast(names, values, ParameterError)
        factor = cholesky(sigma)
        i = np.arange(size, dtype=np.float64)
        a, e = self._halves(), eigenvalues_relative_to(factor, psi) / 2
        wishart = (np.log(a) - remainder(a) - deviance(a, e, a - e) + i / 2 * np.log(e)).sum(axis=-1)
        determinant = log_determinant(factor)
        z = solved(factor, (mu - m)[..., 0])
        with np.errstate(over="ignore"):
            squares = (np.sqrt(self.strength)[..., None] * z) ** 2
        gaussian = (
            size / 2 * (np.log(self.strength) - math.log(2 * math.pi)) - determinant / 2 - squares.sum(axis=-1) / 2
        )
        constant = size * (size - 1) / 4 * math.log(math.pi)
        return plain(gaussian + wishart - (size + 1) / 2 * determinant - constant)

    def log_evidence(
        self,
        data: npt.ArrayLike | Scatter | None = None,
        *,
        weights: npt.ArrayLike | None = None,
        weight: npt.ArrayLike | None = None,
        mean: npt.ArrayLike | None = None,
        scatter: npt.ArrayLike | None = None,
    ) -> Reals:
        """Return ln p(x₁ … x_n), the log density of the sequence of rows with μ and Σ integrated out.

        Parameters are those of `update`; the sufficient statistics give the same answer as the rows.

        Examples
        --------
        >>> prior = NormalInverseWishart([0, 0], 1, 2, [[1, 0], [0, 1]])
        >>> bool(abs(prior.log_evidence([[0.3, 1.0]]) - prior.predictive().log_pdf([0.3, 1.0])) < 1e-13)
        True
        """
        n, _, extra = self._learnt(data, weights, weight, mean, scatter)
        size = self.location.shape[-1]
        factor = cholesky(self.scale_matrix)
        relative = eigenvalues_relative_to(factor, extra)
        growth = np.log1p(np.maximum(relative, 0.0)).sum(axis=-1)
        if not np.isfinite(growth).all():  # Ψ' − Ψ is so large beside Ψ that nothing cancels
            growth = log_determinant(cholesky(self.scale_matrix + extra, "the posterior scale_matrix"))
            growth = growth - log_determinant(factor)
        a = self._halves()
        return plain(
            log_rising(a, n[..., None] / 2).sum(axis=-1)
            - self.degrees / 2 * growth
            - n / 2 * (log_determinant(factor) + growth + size * math.log(math.pi))
            - size / 2 * log_ratio(self.strength, n)
        )

    def predictive(self, n: npt.ArrayLike = 1) -> MultivariateT:
        """Return the distribution of the mean of n further rows (of the next row for n = 1).

        Examples
        --------
        >>> NormalInverseWishart([0], 1, 2, [[2]]).predictive()
        MultivariateT(degrees=2.0, location=[0.0], scale_matrix=[[2.0]])
        """
        count = counting("n", n)
        require(count > 0, count, "n must be ≥ 1", "Give the number of further rows whose mean is asked for.")
        return MultivariateT(self.degrees - self.location.shape[-1] + 1, self.location, self._predictive_scale(count))

    def sample(self, n: int, rng: np.random.Generator | int | None = None) -> LocationCovariance[FloatArray]:
        """Return n draws of (μ, Σ), shapes (n, …, D) and (n, …, D, D); ±inf where a draw is beyond all floats.

        Examples
        --------
        >>> NormalInverseWishart([0, 0], 1, 2, [[1, 0], [0, 1]]).sample(5, rng=0).covariance.shape
        (5, 2, 2)
        """
        source, count, a = generator(rng), whole("n", n, 0), self._halves()
        normals = source.standard_normal((count, *self.scale_matrix.shape))
        log_t = 0.5 * (math.log(2) + log_gamma_draws(a, (count, *a.shape), source))
        root, log_scale = inverse_wishart_root(cholesky(self.scale_matrix), normals, log_t)
        normal = source.standard_normal((count, *self.location.shape))
        log_spread = log_scale - 0.5 * np.log(self.strength)[..., None]
        location = self.location + times_exp((root @ normal[..., None])[..., 0], log_spread)
        covariance = root @ np.swapaxes(root, -1, -2)
        return LocationCovariance(location, times_exp(covariance, log_scale[..., :, None] + log_scale[..., None, :]))

    def _predictive_scale(self, count: FloatArray | float = 1.0) -> FloatArray:
        """Return Ψ/(ν − D + 1)·(1/κ + 1/n), inf where it is beyond all floats."""
        degrees = self.degrees - self.location.shape[-1] + 1
        with np.errstate(over="ignore"):
            factor = np.minimum((1 / self.strength + 1 / count) / degrees, np.finfo(np.float64).max)
            return self.scale_matrix * factor[..., None, None]

    def _halves(self) -> FloatArray:
        i = np.arange(self.location.shape[-1], dtype=np.float64)
        return (self.degrees[..., None] - i) / 2

    def _learnt(
        self,
        data: npt.ArrayLike | Scatter | None,
        weights: npt.ArrayLike | None,
        weight: npt.ArrayLike | None,
        mean: npt.ArrayLike | None,
        scatter: npt.ArrayLike | None,
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        n, centre, table = seen_scatter("NormalInverseWishart", data, weights, weight, mean, scatter)
        size = self.location.shape[-1]
        if centre.ndim == 0 or centre.shape[-1] != size or table.shape[-1] != size:
            raise DataError(
                f"data must have {size} columns, as the prior: got mean of shape {centre.shape} "
                f"and scatter of shape {table.shape}. Give the same columns."
            )
        values = (n[..., None, None], centre[..., :, None], table, self.scale_matrix)
        n, centre, table, _ = broadcast(("weight", "mean", "scatter", "scale_matrix"), values, DataError)
        n, centre = n[..., 0, 0], centre[..., 0]
        kappa = self.strength
        share = (np.minimum(kappa, n) * (np.maximum(kappa, n) / (kappa + n)))[..., None]
        with np.errstate(over="ignore", invalid="ignore"):
            away = np.where(n[..., None] > 0, centre - self.location, 0.0)  # nothing seen: the posterior is the prior
            outer = np.where(away[..., None, :] == 0, 0.0, (share * away)[..., :, None] * away[..., None, :])
            extra = table + (outer / 2 + np.swapaxes(outer, -1, -2) / 2)
        require(np.abs(extra) <= 1e300, extra, "the scatter must be at most 1e300", "Rescale the columns.", DataError)
        return n, away, extra

    def __eq__(self, other: object) -> bool:
        return same_values(self, other) if isinstance(other, NormalInverseWishart) else NotImplemented

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __reduce__(self) -> tuple[Any, ...]:
        return made_again(self)

    def __repr__(self) -> str:
        return shown(
            self,
            location=self.location,
            strength=self.strength,
            degrees=self.degrees,
            scale_matrix=self.scale_matrix,
        )
