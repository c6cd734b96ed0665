"""The normal-inverse-Wishart model: Σ ~ InverseWishart(ν, Ψ), μ | Σ ~ Normal(m, Σ/κ), x | μ, Σ ~ Normal(μ, Σ).

Symbols: (m, κ, ν, Ψ) = (location, strength, degrees, scale_matrix) in D dimensions, ν > D − 1; data of weight n, mean
vector x̄ and scatter S = Σ w (x − x̄)(x − x̄)ᵀ.

    posterior   κ' = κ + n,  m' = m + (n/κ')(x̄ − m),  ν' = ν + n,  Ψ' = Ψ + S + (κn/κ')(x̄ − m)(x̄ − m)ᵀ
    component   the marginal of (μ_j, Σ_jj) is normal-inverse-gamma (m_j, κ, (ν − D + 1)/2, Ψ_jj/2)
    mean        μ: m;  Σ: Ψ/(ν − D − 1) for ν > D + 1, else inf
    variance    μ_j: Ψ_jj/(κ(ν − D − 1));  with f = ν − D > 3, else inf,
                Σ_ij: [(f + 1)Ψ_ij² + (f − 1)Ψ_iiΨ_jj]/[f (f − 1)²(f − 3)]
    joint mode  μ = m, Σ = Ψ/(ν + D + 2)
    likelihood  −(n/2)(D ln 2π + ln|Σ|) − ½ tr(Σ⁻¹S) − (n/2)(x̄ − μ)ᵀΣ⁻¹(x̄ − μ)
    predictive  the mean of n further rows: multivariate t, ν − D + 1 degrees, scale Ψ/(ν − D + 1)·(1/κ + 1/n)
    density     with e_i half the eigenvalues of ΨΣ⁻¹ and a_i = (ν − i)/2, i = 0 … D − 1, h and D as in special.py:
                ln IW = Σ_i [ln a_i − h(a_i) − D(a_i, e_i) + (i/2) ln e_i] − ½(D + 1) ln|Σ| − ¼D(D − 1) ln π
    evidence    Σ_i [lnΓ(a_i + n/2) − lnΓ(a_i)] − (ν/2) ln(|Ψ'|/|Ψ|) − (n/2) ln|Ψ'| − (nD/2) ln π + (D/2) ln(κ/κ'),
                ln(|Ψ'|/|Ψ|) = Σ ln(1 + λ), λ the eigenvalues of Ψ' − Ψ relative to Ψ

Matrices are factored as A = L Lᵀ after rows and columns are divided by √A_jj, so the units of columns do not matter:
ln|A| = 2 Σ ln L_jj, xᵀA⁻¹x = |L⁻¹x|², and the eigenvalues of B relative to A are those of L⁻¹BL⁻ᵀ.

Source: Murphy, Conjugate Bayesian analysis of the Gaussian distribution (2007), §9.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar, final

import numpy as np
import numpy.typing as npt

from suffice import arguments as check
from suffice.arguments import FloatArray, Reals, broadcast, require_all, unwrap_scalar
from suffice.conjugate.normal_inverse_gamma import (
    LocationVariance,
    NormalInverseGamma,
    require_no_weights,
    require_weight,
    weighted_deviations,
)
from suffice.conjugate.pair import ConjugatePair, Interval, IntervalKind, Mode, density
from suffice.conjugate.special import deviance, log_gamma_draws, log_ratio, log_rising, remainder
from suffice.errors import DataError, ParameterError, SufficeError
from suffice.statistics import Scatter

if TYPE_CHECKING:
    from scipy.stats._multivariate import multivariate_t_frozen

__all__ = ["LocationCovariance", "NormalInverseWishart"]

Of = TypeVar("Of")

_SYMMETRIC_WITHIN = 1e-8


class LocationCovariance(NamedTuple, Generic[Of]):
    """An estimate or draw of the vector μ and of the matrix Σ."""

    location: Of
    covariance: Of


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class NormalInverseWishart(ConjugatePair):
    """Normal-inverse-Wishart distribution of the mean vector and covariance matrix of a Gaussian, conjugate to it.

    Parameters
    ----------
    location : array, shape (…, D)
        m, the prior mean, in the units of the columns.
    strength : float or array > 0, shape (…)
        κ, the number of rows that the prior mean is worth.
    degrees : float or array > D − 1, shape (…)
        ν, the number of rows that the prior covariance is worth.
    scale_matrix : array, symmetric positive definite, shape (…, D, D)
        Ψ, the prior scatter. All four broadcast over the leading shape.

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
        m, kappa = check.parameter("location", location), check.positive("strength", strength)
        nu, psi = check.positive("degrees", degrees), check.parameter("scale_matrix", scale_matrix)
        psi = _symmetric("scale_matrix", psi, ParameterError)
        size = psi.shape[-1]
        _cholesky(psi, "scale_matrix")
        _require_columns("location", m, size, ParameterError)
        require_all(
            nu > size - 1, nu, f"degrees must be > D − 1 = {size - 1}", "Pass at least as many degrees as columns."
        )
        m, kappa, nu, psi = broadcast(
            ParameterError,
            location=m[..., :, None],
            strength=kappa[..., None, None],
            degrees=nu[..., None, None],
            scale_matrix=psi,
        )
        self._set(location=m[..., 0], strength=kappa[..., 0, 0], degrees=nu[..., 0, 0], scale_matrix=psi)

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
            Rows that contain NaN are ignored, because their contribution to the posterior has no closed form.
        weights : array ≥ 0, shape (…, N), optional
        weight, mean, scatter : arrays, shapes (…), (…, D), (…, D, D)
            n = Σ w, x̄ and S = Σ w (x − x̄)(x − x̄)ᵀ.

        Examples
        --------
        >>> prior = NormalInverseWishart([0, 0], 1, 2, [[1, 0], [0, 1]])
        >>> prior.update(weight=1, mean=[2, 0], scatter=[[0, 0], [0, 0]]).location
        array([1., 0.])
        """
        n, shift, growth = self._increments(_scatter(data, weights, weight, mean, scatter))
        location = self.location + (n / (self.strength + n))[..., None] * shift
        return NormalInverseWishart(location, self.strength + n, self.degrees + n, self.scale_matrix + growth)

    @staticmethod
    def mle(
        data: npt.ArrayLike | Scatter | None = None,
        *,
        weights: npt.ArrayLike | None = None,
        weight: npt.ArrayLike | None = None,
        mean: npt.ArrayLike | None = None,
        scatter: npt.ArrayLike | None = None,
    ) -> LocationCovariance[FloatArray]:
        """Return μ = x̄ and Σ = S/n, singular for fewer rows than columns; parameters as in `update`."""
        n, centre, table = _scatter(data, weights, weight, mean, scatter)
        require_weight(n)
        return LocationCovariance(centre, table / n[..., None, None])

    @property
    def mean(self) -> LocationCovariance[FloatArray]:
        """E μ = m and E Σ = Ψ/(ν − D − 1), inf in every entry for ν ≤ D + 1."""
        above = (self.degrees - self.location.shape[-1] - 1)[..., None, None]
        return LocationCovariance(
            self.location, np.where(above > 0, self.scale_matrix / np.where(above > 0, above, 1.0), np.inf)
        )

    @property
    def mean_estimate(self) -> LocationCovariance[FloatArray]:
        """The mean, with the predictive scale matrix where ν ≤ D + 1 and E Σ does not exist."""
        finite = (self.degrees > self.location.shape[-1] + 1)[..., None, None]
        return LocationCovariance(self.location, np.where(finite, self.mean.covariance, self._predictive_scale(1.0)))

    @property
    def variance(self) -> LocationCovariance[FloatArray]:
        """The variance of each μ_j, shape (…, D), and of each Σ_ij, shape (…, D, D); inf where it does not exist."""
        over = (self.degrees - self.location.shape[-1])[..., None, None]
        finite = over > 3
        f = np.where(finite, over, 4.0)
        mean = self.scale_matrix / (f - 1)
        spread = _diagonal(mean)
        with np.errstate(over="ignore"):
            squares, products = mean * (mean / (f - 3)), spread[..., :, None] * (spread[..., None, :] / (f - 3))
            of_covariance = np.where(finite, (f + 1) / f * squares + (f - 1) / f * products, np.inf)
            of_location = _diagonal(self.mean.covariance) / self.strength[..., None]
        return LocationCovariance(of_location, of_covariance)

    @property
    def mode(self) -> Mode[LocationCovariance[FloatArray]]:
        """The joint mode, μ = m and Σ = Ψ/(ν + D + 2); it is always unique."""
        return Mode(np.full(self.degrees.shape, "one"), self.map_estimate)

    @property
    def map_estimate(self) -> LocationCovariance[FloatArray]:
        """The joint mode, μ = m and Σ = Ψ/(ν + D + 2)."""
        total = self.degrees + self.location.shape[-1] + 2
        return LocationCovariance(self.location, self.scale_matrix / total[..., None, None])

    @property
    def components(self) -> NormalInverseGamma:
        """The marginal model of (μ_j, Σ_jj) for each column, shape (…, D).

        Examples
        --------
        >>> NormalInverseWishart([0, 5], 1, 3, [[1, 0], [0, 4]]).components
        NormalInverseGamma(location=[0.0, 5.0], strength=[1.0, 1.0], shape=[1.0, 1.0], scale=[0.5, 2.0])
        """
        shape = (self.degrees - self.location.shape[-1] + 1) / 2
        return NormalInverseGamma(
            self.location, self.strength[..., None], shape[..., None], _diagonal(self.scale_matrix) / 2
        )

    def interval(self, credible: float = 0.95, kind: IntervalKind = "equal-tailed") -> LocationVariance[Interval]:
        """Return the marginal intervals of each μ_j (Student t) and of each Σ_jj (inverse gamma), shape (…, D)."""
        return self.components.interval(credible, kind)

    def log_pdf(self, location: npt.ArrayLike, covariance: npt.ArrayLike) -> Reals:
        """Return the joint log density at (μ, Σ), shapes (…, D) and (…, D, D), Σ positive definite.

        Examples
        --------
        >>> round(float(NormalInverseWishart([0], 1, 2, [[2]]).log_pdf([0], [[1]])), 6)  # −1 − ½ ln 2π
        -1.918939
        """
        size = self.location.shape[-1]
        mu, sigma = _checked_point(location, covariance)
        _require_columns("location", mu, size, ParameterError)
        _require_columns("covariance", sigma, size, ParameterError)
        mu, sigma, m, psi = broadcast(
            ParameterError,
            location=mu[..., :, None],
            covariance=sigma,
            m=self.location[..., :, None],
            Ψ=self.scale_matrix,
        )
        factor = _cholesky(sigma, "covariance")
        a, e, i = self._halves(), _relative_eigenvalues(factor, psi) / 2, np.arange(size, dtype=np.float64)
        wishart = (np.log(a) - remainder(a) - deviance(a, e, a - e) + i / 2 * np.log(e)).sum(axis=-1)
        z = np.linalg.solve(factor, mu - m)[..., 0]
        with np.errstate(over="ignore"):
            squares = (np.sqrt(self.strength)[..., None] * z) ** 2
        constant = size / 2 * (np.log(self.strength) - math.log(2 * math.pi)) - size * (size - 1) / 4 * math.log(
            math.pi
        )
        return unwrap_scalar(constant + wishart - (size + 2) / 2 * _log_determinant(factor) - squares.sum(axis=-1) / 2)

    def pdf(self, location: npt.ArrayLike, covariance: npt.ArrayLike) -> Reals:
        """Return the joint density at (μ, Σ), shapes (…, D) and (…, D, D), Σ positive definite.

        Examples
        --------
        >>> round(float(NormalInverseWishart([0], 1, 2, [[2]]).pdf([0], [[1]])), 6)  # exp(−1)/√2π
        0.146763
        """
        return density(self.log_pdf(location, covariance))

    @staticmethod
    def log_likelihood(
        location: npt.ArrayLike,
        covariance: npt.ArrayLike,
        data: npt.ArrayLike | Scatter | None = None,
        *,
        weights: npt.ArrayLike | None = None,
        weight: npt.ArrayLike | None = None,
        mean: npt.ArrayLike | None = None,
        scatter: npt.ArrayLike | None = None,
    ) -> Reals:
        """Return ln p(data | μ, Σ). Identity: log_pdf + log_likelihood = log_evidence + log_pdf of the posterior.

        Parameters
        ----------
        location, covariance : arrays, shapes (…, D) and (…, D, D)
            μ, and Σ positive definite.
        data, weights, weight, mean, scatter
            As in `update`.

        Examples
        --------
        >>> round(float(NormalInverseWishart.log_likelihood([0, 0], [[1, 0], [0, 1]], [[1.0, 1.0]])), 6)  # −1 − ln 2π
        -2.837877
        """
        n, centre, table = _scatter(data, weights, weight, mean, scatter)
        mu, sigma = _checked_point(location, covariance)
        size = sigma.shape[-1]
        _require_columns("location", mu, size, ParameterError)
        _require_columns("mean", centre, size, DataError)
        _require_columns("scatter", table, size, DataError)
        mu, sigma, n, centre, table = broadcast(
            DataError,
            location=mu[..., :, None],
            covariance=sigma,
            weight=n[..., None, None],
            mean=centre[..., :, None],
            scatter=table,
        )
        factor, n = _cholesky(sigma, "covariance"), n[..., 0, 0]
        z = np.linalg.solve(factor, np.where(n[..., None, None] > 0, centre - mu, 0.0))[..., 0]
        trace = np.trace(_whiten(factor, table), axis1=-2, axis2=-1)
        with np.errstate(over="ignore"):
            squares = ((np.sqrt(n)[..., None] * z) ** 2).sum(axis=-1)
        constant = n * (size * math.log(2 * math.pi) + _log_determinant(factor))
        return unwrap_scalar(-0.5 * (constant + trace + squares))

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

        The parameters are those of `update`; rows and their sufficient statistics give the same result.

        Examples
        --------
        >>> prior = NormalInverseWishart([0, 0], 1, 2, [[1, 0], [0, 1]])
        >>> bool(abs(prior.log_evidence([[0.3, 1.0]]) - prior.predictive().logpdf([0.3, 1.0])) < 1e-13)
        True
        """
        n, _, growth = self._increments(_scatter(data, weights, weight, mean, scatter))
        size = self.location.shape[-1]
        factor = _cholesky(self.scale_matrix)
        log_det = _log_determinant(factor)
        relative = np.maximum(_relative_eigenvalues(factor, growth), 0.0)
        log_growth = np.log1p(relative).sum(axis=-1)
        # Eigenvalues are accurate relative to the largest one; a Cholesky factor also for columns in small units.
        # The difference of log-determinants cancels only where Ψ' is close to Ψ.
        large = ~(relative.max(axis=-1, initial=0.0) <= 1)
        if large.any():
            after = _log_determinant(_cholesky(self.scale_matrix + growth, "the posterior scale_matrix"))
            log_growth = np.where(large, after - log_det, log_growth)
        return unwrap_scalar(
            log_rising(self._halves(), n[..., None] / 2).sum(axis=-1)
            - self.degrees / 2 * log_growth
            - n / 2 * (log_det + log_growth + size * math.log(math.pi))
            - size / 2 * log_ratio(self.strength, n)
        )

    def predictive(self, n: npt.ArrayLike = 1) -> multivariate_t_frozen:
        """Return the distribution of the mean of n further rows, a frozen ``scipy.stats.multivariate_t``.

        Its mean is m and its covariance (1/κ + 1/n) E Σ. SciPy takes a single location vector and a scale matrix with
        a condition number below 4e9. For a stack of models, or columns in very different units, use
        ``log_evidence(x[..., None, :])``, the log density of one further row x, and ``components.predictive()``, the
        distribution of each column.

        Examples
        --------
        >>> round(float(NormalInverseWishart([0], 1, 2, [[2]]).predictive().logpdf([0])), 6)  # −ln 4
        -1.386294
        """
        from scipy import stats

        count = check.whole_numbers("n", n)
        require_all(count > 0, count, "n must be ≥ 1", "Pass the number of further rows whose mean is predicted.")
        if self.degrees.ndim or count.ndim:
            shape = np.broadcast_shapes(self.degrees.shape, count.shape)
            raise ParameterError(f"a predictive distribution needs a single model and n: got shape {shape}.")
        scale = check.parameter("the predictive scale matrix", self._predictive_scale(count))
        degrees = float(self.degrees) - self.location.shape[-1] + 1
        try:
            return stats.multivariate_t(self.location, scale, degrees, allow_singular=False)
        except np.linalg.LinAlgError as error:
            raise ParameterError(
                f"SciPy's multivariate t rejects the scale matrix: {error} Rescale the columns, or use log_evidence."
            ) from None

    def sample(self, n: int, seed: np.random.Generator | int | None = None) -> LocationCovariance[FloatArray]:
        """Return n draws of (μ, Σ), shapes (n, …, D) and (n, …, D, D); ±inf where a draw exceeds float64.

        Bartlett: T Tᵀ ~ Wishart(ν, I) with T lower triangular, standard normals below a diagonal t, t_i² ~ χ²(ν − i),
        from i = 0; with Ψ = L Lᵀ, Σ = R Rᵀ for R = L T⁻ᵀ. For ν near D − 1 the last t underflows, but ln t does not:

            T = V diag(t), V unit lower triangular, whose last column, the only one over a tiny t, is 0 … 0 1
            W = L V⁻ᵀ by substitution;  R_ik = W_ik/t_k = root_ik exp(c_i),  c_i = max_k (ln|W_ik| − ln t_k)
            Σ_ij = (Σ_k root_ik root_jk) exp(c_i + c_j), where |root| ≤ 1: only the last product may overflow
        """
        source, count, a = check.generator(seed), check.whole_number("n", n, 0), self._halves()
        normals = source.standard_normal((count, *self.scale_matrix.shape))
        log_t = 0.5 * (math.log(2) + log_gamma_draws(a, (count, *a.shape), source))
        w = np.array(np.broadcast_to(np.swapaxes(_cholesky(self.scale_matrix), -1, -2), normals.shape))
        for i in range(1, a.shape[-1]):
            v = normals[..., i, :i] * np.exp(-log_t[..., :i])
            w[..., i, :] -= (v[..., None, :] @ w[..., :i, :])[..., 0, :]
        w = np.swapaxes(w, -1, -2)
        with np.errstate(divide="ignore"):
            logs = np.log(np.abs(w)) - log_t[..., None, :]
        c: FloatArray = np.asarray(logs.max(axis=-1))
        root = np.sign(w) * np.exp(logs - c[..., None])
        normal = root @ source.standard_normal((count, *self.location.shape))[..., None]
        location = self.location + _times_exp(normal[..., 0], c - 0.5 * np.log(self.strength)[..., None])
        return LocationCovariance(
            location, _times_exp(root @ np.swapaxes(root, -1, -2), c[..., :, None] + c[..., None, :])
        )

    def _predictive_scale(self, count: FloatArray | float) -> FloatArray:
        """Return Ψ/(ν − D + 1)·(1/κ + 1/n), inf where it exceeds float64."""
        degrees = self.degrees - self.location.shape[-1] + 1
        with np.errstate(over="ignore"):
            factor = np.minimum((1 / self.strength + 1 / count) / degrees, np.finfo(np.float64).max)
            return self.scale_matrix * factor[..., None, None]

    def _halves(self) -> FloatArray:
        return (self.degrees[..., None] - np.arange(self.location.shape[-1], dtype=np.float64)) / 2

    def _increments(self, moments: tuple[FloatArray, ...]) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return n, x̄ − m and Ψ' − Ψ."""
        n, centre, table = moments
        for name, array in (("mean", centre), ("scatter", table)):
            _require_columns(name, array, self.location.shape[-1], DataError)
        n, centre, table, _ = broadcast(
            DataError,
            weight=n[..., None, None],
            mean=centre[..., :, None],
            scatter=table,
            scale_matrix=self.scale_matrix,
        )
        n, centre, kappa = n[..., 0, 0], centre[..., 0], self.strength
        shared = (np.minimum(kappa, n) * (np.maximum(kappa, n) / (kappa + n)))[..., None]
        with np.errstate(over="ignore", invalid="ignore"):
            shift = np.where(n[..., None] > 0, centre - self.location, 0.0)
            outer = np.where(shift[..., None, :] == 0, 0.0, (shared * shift)[..., :, None] * shift[..., None, :])
            growth = table + (outer / 2 + np.swapaxes(outer, -1, -2) / 2)
        require_all(
            np.abs(growth) <= 1e300, growth, "the scatter must be at most 1e300", "Rescale the columns.", DataError
        )
        return n, shift, growth


def _checked_point(location: npt.ArrayLike, covariance: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    sigma = _symmetric("covariance", check.argument("covariance", covariance), ParameterError)
    return check.argument("location", location), sigma


def _scatter(
    data: npt.ArrayLike | Scatter | None,
    weights: npt.ArrayLike | None,
    weight: npt.ArrayLike | None,
    mean: npt.ArrayLike | None,
    scatter: npt.ArrayLike | None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return weight (…), mean (…, D) and scatter (…, D, D)."""
    named = check.named_statistics(data, weight=weight, mean=mean, scatter=scatter)
    if data is not None and not isinstance(data, Scatter):
        n, centre, away, w = weighted_deviations(check.observations("data", data, axes=2), weights)
        with np.errstate(over="ignore", invalid="ignore"):
            table = np.swapaxes(w[..., None] * away, -1, -2) @ away
            table = (table + np.swapaxes(table, -1, -2)) / 2
        require_all(np.isfinite(table), table, "the scatter must be finite", "Rescale the columns.", DataError)
        return n, centre, table
    require_no_weights(weights)
    if isinstance(data, Scatter):
        return check.nonnegative("weight", data.weight), data.mean, data.scatter
    assert named is not None
    n, centre = check.nonnegative("weight", named[0]), check.statistic("mean", named[1])
    table = _symmetric("scatter", check.statistic("scatter", named[2]), DataError)
    squares = _diagonal(table)
    require_all(squares >= 0, squares, "the diagonal of scatter must be ≥ 0", "Pass Σ w (x − x̄)(x − x̄)ᵀ.", DataError)
    heavy, values = broadcast(DataError, weight=n[..., None, None], scatter=table)
    do = "Pass 0, or the weight of the rows."
    require_all((values == 0) | (heavy > 0), values, "scatter must be 0 where the weight is 0", do, DataError)
    return n, centre, table


def _require_columns(name: str, array: FloatArray, size: int, error: type[SufficeError]) -> None:
    if array.ndim == 0 or array.shape[-1] != size:
        raise error(f"{name} must have {size} entries along the last axis, one per column: got shape {array.shape}.")


def _symmetric(name: str, matrix: FloatArray, error: type[SufficeError]) -> FloatArray:
    """Return (A + Aᵀ)/2, read-only, of square matrices that are symmetric up to rounding."""
    if matrix.ndim < 2 or matrix.shape[-1] != matrix.shape[-2] or matrix.shape[-1] == 0:
        raise error(f"{name} must be square, shape (…, D, D): got shape {matrix.shape}.")
    flipped = np.swapaxes(matrix, -1, -2)
    with np.errstate(invalid="ignore"):
        even = np.abs(matrix - flipped) <= _SYMMETRIC_WITHIN * (np.abs(matrix) + np.abs(flipped))
    require_all(even, matrix, f"{name} must be symmetric", "Pass (A + Aᵀ)/2.", error)
    matrix = (matrix + flipped) / 2
    matrix.flags.writeable = False
    return matrix


def _cholesky(matrix: FloatArray, name: str = "the matrix") -> FloatArray:
    """Return L with L Lᵀ = A, or raise ParameterError with the smallest eigenvalue."""
    spread = _diagonal(matrix)
    if (spread > 0).all():
        root = np.sqrt(spread)
        try:
            factor = np.linalg.cholesky(matrix / root[..., :, None] / root[..., None, :])
            return np.asarray(factor * root[..., :, None], dtype=np.float64)
        except np.linalg.LinAlgError:
            pass
    least = float(np.linalg.eigvalsh(matrix).min())
    raise ParameterError(
        f"{name} must be positive definite: its smallest eigenvalue is {least:.6g}. "
        "Add a positive diagonal, or drop columns that depend on others."
    )


def _diagonal(matrix: FloatArray) -> FloatArray:
    return np.diagonal(matrix, axis1=-2, axis2=-1)


def _log_determinant(factor: FloatArray) -> FloatArray:
    return 2 * np.log(_diagonal(factor)).sum(axis=-1)


def _relative_eigenvalues(factor: FloatArray, matrix: FloatArray) -> FloatArray:
    """Return the eigenvalues of L⁻¹ B L⁻ᵀ, shape (…, D)."""
    inner = _whiten(factor, matrix)
    return np.asarray(np.linalg.eigvalsh((inner + np.swapaxes(inner, -1, -2)) / 2), dtype=np.float64)


def _whiten(factor: FloatArray, matrix: FloatArray) -> FloatArray:
    """Return L⁻¹ B L⁻ᵀ for symmetric B."""
    half = np.swapaxes(np.linalg.solve(factor, matrix), -1, -2)
    return np.asarray(np.linalg.solve(factor, half), dtype=np.float64)


def _times_exp(x: FloatArray, log_factor: FloatArray) -> FloatArray:
    """Return x exp(log_factor): 0 where x is 0, ±inf only where the product exceeds float64."""
    with np.errstate(divide="ignore", over="ignore"):
        return np.sign(x) * np.exp(np.log(np.abs(x)) + log_factor)
