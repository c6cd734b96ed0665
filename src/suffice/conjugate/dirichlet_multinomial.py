"""The Dirichlet-multinomial model: θ ~ Dir(α), y | θ ~ Multinomial(N, θ).

Symbols: levels k = 1 … K along the last axis, α₀ = Σ α_k, counts N_k, N = Σ N_k.

    posterior       Dir(α + counts)
    mean            α_k/α₀       variance  α_k(α₀ − α_k)/(α₀²(α₀ + 1))      covariance  −α_k α_l/(α₀²(α₀ + 1))
    mode            (α_k − 1)/(α₀ − K) where every α_k ≥ 1 and α₀ > K;  every θ where each α_k = 1;  otherwise the
                    density is unbounded towards the faces θ_k = 0 with α_k < 1: for K = 2 these are the ends of the
                    beta, for K ≥ 3 no single point is highest
    joint           N!/Πy_k! · Π θ_k^(α_k + y_k − 1) / B(α)
    predictive      p(y) = N!/Πy_k! · Γ(α₀)/Γ(N + α₀) · Π Γ(y_k + α_k)/Γ(α_k);  y_k alone: beta-binomial(α_k, α₀ − α_k)
    posterior mean  λ · prior mean + (1 − λ) · mle,  λ = α₀/(α₀ + N)
    posterior mode  λ' · prior mode + (1 − λ') · mle,  λ' = (α₀ − K)/(α₀ − K + N)

The evidence of a sequence of levels is that of the counts less the log coefficient ln N!/ΠN_k!. It is computed without
cancellation, as in log_gamma.py. Source: Gelman et al., Bayesian Data Analysis, 3rd edition, §3.4 and appendix A.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, final

import numpy as np
import numpy.typing as npt

from suffice.conjugate import arguments as check
from suffice.conjugate.arguments import FloatArray, Reals, broadcast, plain, require
from suffice.conjugate.beta_binomial import BetaBinomial
from suffice.conjugate.gamma_draws import simplex_draws
from suffice.conjugate.log_gamma import log_coefficient, log_dirichlet_density, log_dirichlet_multinomial, rest
from suffice.conjugate.pair import ConjugatePair, Interval, IntervalKind, Mode
from suffice.errors import DataError, ParameterError, SufficeError
from suffice.statistics import Counts

if TYPE_CHECKING:
    from scipy.stats._multivariate import dirichlet_multinomial_frozen

__all__ = ["DirichletMultinomial"]

_SUM_TOLERANCE = 1e-9


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class DirichletMultinomial(ConjugatePair):
    """Dirichlet distribution of the probabilities of K levels, conjugate to the multinomial.

    Parameters
    ----------
    alpha : array > 0, shape (…, K), K ≥ 1
        Prior count of each level.

    Examples
    --------
    >>> DirichletMultinomial([1, 1, 1]).update(counts=[2, 0, 5])
    DirichletMultinomial(alpha=[3.0, 1.0, 6.0])
    >>> DirichletMultinomial([1, 1, 1]).update([0, 2, 2, 0]).mean.round(6)
    array([0.428571, 0.142857, 0.428571])
    """

    alpha: FloatArray

    def __init__(self, alpha: npt.ArrayLike) -> None:
        array = check.positive("alpha", alpha)
        if array.ndim == 0 or array.shape[-1] == 0:
            raise ParameterError(
                f"alpha must have a last axis of at least one level: got shape {array.shape}. "
                "Give one number per level, or DirichletMultinomial.symmetric(total, levels)."
            )
        total = array.sum(axis=-1)
        require(total <= 1e300, total, "alpha must sum to at most 1e300", "Give smaller prior counts.")
        self._set(alpha=array)

    @classmethod
    def symmetric(cls, total: npt.ArrayLike, levels: int) -> DirichletMultinomial:
        """Return the prior with α_k = total/K for each of K levels.

        Examples
        --------
        >>> DirichletMultinomial.symmetric(2, levels=4)
        DirichletMultinomial(alpha=[0.5, 0.5, 0.5, 0.5])
        """
        levels = check.whole("levels", levels, 1)
        return cls(np.repeat(check.positive("total", total)[..., None] / levels, levels, axis=-1))

    def update(
        self, data: npt.ArrayLike | Counts | None = None, *, counts: npt.ArrayLike | None = None
    ) -> DirichletMultinomial:
        """Return the posterior Dir(α + counts).

        Parameters
        ----------
        data : array of level codes 0 … K − 1 along the last axis (NaN: missing), or Counts
        counts : array ≥ 0, shape (…, K)
            N_k, counts or sums of weights.

        Examples
        --------
        >>> DirichletMultinomial([1, 1]).update(counts=[[3, 0], [0, 4]]).alpha
        array([[4., 1.],
               [1., 5.]])
        """
        n, alpha = self._align("counts", _count(data, counts, self.alpha.shape[-1]), DataError)
        return DirichletMultinomial(alpha + n)

    @staticmethod
    def mle(
        data: npt.ArrayLike | Counts | None = None, *, counts: npt.ArrayLike | None = None, levels: int | None = None
    ) -> FloatArray:
        """Return N_k/N, and 1/K where there are no observations.

        Parameters
        ----------
        data, counts
            As in `update`; raw codes need `levels`, the number K of levels.
        """
        n_k = _count(data, counts, None if levels is None else check.whole("levels", levels, 1))
        n = n_k.sum(axis=-1, keepdims=True)
        return np.where(n > 0, n_k / np.where(n > 0, n, 1.0), 1 / n_k.shape[-1])

    @property
    def mean(self) -> FloatArray:
        """E θ_k = α_k/α₀, shape (…, K)."""
        return self.alpha / self.alpha.sum(axis=-1, keepdims=True)

    @property
    def variance(self) -> FloatArray:
        """Var θ_k = α_k(α₀ − α_k)/(α₀²(α₀ + 1)), shape (…, K)."""
        total = self.alpha.sum(axis=-1, keepdims=True)
        return self.mean * (rest(self.alpha) / total) / (total + 1)

    @property
    def covariance(self) -> FloatArray:
        """Cov(θ_k, θ_l) = −α_k α_l/(α₀²(α₀ + 1)), shape (…, K, K), with the variances on the diagonal."""
        mean, total = self.mean, self.alpha.sum(axis=-1)
        matrix = -mean[..., :, None] * mean[..., None, :] / (total + 1)[..., None, None]
        k = np.arange(self.alpha.shape[-1], dtype=np.int64)
        matrix[..., k, k] = self.variance
        return matrix

    @property
    def mode(self) -> Mode[FloatArray]:
        """The point of highest density, and which of the cases above applies."""
        alpha, levels = self.alpha, self.alpha.shape[-1]
        if levels == 1:  # the simplex is one point
            return Mode(np.full(alpha.shape[:-1], "one"), np.ones(alpha.shape))
        if levels == 2:
            first = self.component(0).mode
            return Mode(first.kind, np.stack([first.value, 1 - np.asarray(first.value)], axis=-1))
        kind = np.where((alpha == 1).all(axis=-1), "every", "one")
        return Mode(np.where((alpha < 1).any(axis=-1), "none", kind), self.map_estimate)

    @property
    def map_estimate(self) -> FloatArray:
        """The mode with every α_k − 1 clipped at 0; the mean where all are clipped."""
        clipped = np.maximum(self.alpha - 1, 0.0)
        total = clipped.sum(axis=-1, keepdims=True)
        return np.where(total > 0, clipped / np.where(total > 0, total, 1.0), self.mean)

    @property
    def effective_sample_size_of_mean(self) -> Reals:
        """Number of observations that weigh as much in the posterior mean as this prior, α₀."""
        return plain(self.alpha.sum(axis=-1))

    @property
    def effective_sample_size_of_mode(self) -> Reals:
        """Number of observations that weigh as much in the posterior mode as this prior, α₀ − K."""
        return plain((self.alpha - 1).sum(axis=-1))

    def prior_weight_of_mean(self, n: npt.ArrayLike) -> Reals:
        """Return λ = α₀/(α₀ + N): posterior mean = λ · prior mean + (1 − λ) · mle."""
        total = self.alpha.sum(axis=-1)
        return plain(total / (total + check.nonnegative("n", n)))

    def prior_weight_of_mode(self, n: npt.ArrayLike) -> Reals:
        """Return λ' = (α₀ − K)/(α₀ − K + N): posterior mode = λ' · prior mode + (1 − λ') · mle, for α_k ≥ 1, α₀ > K."""
        do = "Use prior_weight_of_mean."
        require(self.alpha >= 1, self.alpha, "alpha must be ≥ 1 for a single mode", do)
        above = (self.alpha - 1).sum(axis=-1)
        require(above > 0, above, "α₀ − K must be > 0 for a single mode", do)
        return plain(above / (above + check.nonnegative("n", n)))

    def component(self, k: int) -> BetaBinomial:
        """Return the model of level k against all others: BetaBinomial(α_k, α₀ − α_k), for K ≥ 2.

        Examples
        --------
        >>> DirichletMultinomial([1, 2, 3]).component(2)
        BetaBinomial(a=3.0, b=3.0)
        """
        levels = self.alpha.shape[-1]
        if check.whole("k", k, 0) >= levels or levels < 2:
            raise ParameterError(
                f"k must be one of at least two levels, 0 … {levels - 1}: got {k!r}. Levels start at 0."
            )
        return BetaBinomial(self.alpha[..., int(k)], rest(self.alpha)[..., int(k)])

    def interval(self, credible: float = 0.95, kind: IntervalKind = "equal-tailed") -> Interval:
        """Return the interval that contains θ_k with probability `credible`, for each level alone; shapes (…, K).

        Examples
        --------
        >>> DirichletMultinomial([1, 1]).interval(0.5).lower
        array([0.25, 0.25])
        """
        if self.alpha.shape[-1] < 2:
            raise ParameterError(
                "an interval needs at least two levels: got one, whose probability is 1. Leave it out."
            )
        return BetaBinomial(self.alpha, rest(self.alpha)).interval(credible, kind)

    def log_pdf(self, theta: npt.ArrayLike) -> Reals:
        """Return the log density at θ, shape (…, K), its entries in [0, 1] with sum 1.

        Examples
        --------
        >>> round(float(DirichletMultinomial([1, 1, 1]).log_pdf([0.2, 0.3, 0.5])), 6)  # ln 2!
        0.693147
        """
        theta = check.argument("theta", theta)
        require((theta >= 0) & (theta <= 1), theta, "theta must lie in [0, 1]", "Give probabilities.")
        theta, alpha = self._align("theta", theta, ParameterError)
        total = theta.sum(axis=-1)
        good = np.abs(total - 1) <= _SUM_TOLERANCE
        require(good, total, "theta must sum to 1 over the last axis", "Divide it by its sum.")
        return plain(log_dirichlet_density(theta / total[..., None], alpha))

    def log_joint(self, theta: npt.ArrayLike, *, counts: npt.ArrayLike) -> Reals:
        """Return ln p(y, θ), the joint log density of y = counts and of θ."""
        return plain(self.log_evidence(counts=counts, of="counts") + self.update(counts=counts).log_pdf(theta))

    def log_evidence(
        self,
        data: npt.ArrayLike | Counts | None = None,
        *,
        counts: npt.ArrayLike | None = None,
        of: Literal["sequence", "counts"] = "sequence",
    ) -> Reals:
        """Return ln p(data) with θ integrated out.

        Parameters
        ----------
        data, counts
            As in `update`.
        of : "sequence" or "counts"
            The probability of the levels in their order, B(α + counts)/B(α), or of the count vector, N!/ΠN_k! times
            that.

        Examples
        --------
        >>> import numpy as np
        >>> flat = DirichletMultinomial([1, 1, 1])
        >>> np.exp(flat.log_evidence([0, 1])).round(6), np.exp(flat.log_evidence([0, 1], of="counts")).round(6)
        (np.float64(0.083333), np.float64(0.166667))
        """
        of_counts = check.option("of", of, ("sequence", "counts")) == "counts"
        n, alpha = self._align("counts", _count(data, counts, self.alpha.shape[-1]), DataError)
        evidence = log_dirichlet_multinomial(n, alpha)
        return plain(evidence if of_counts else evidence - log_coefficient(n))

    def predictive(self, n: npt.ArrayLike = 1) -> dirichlet_multinomial_frozen:
        """Return the distribution of the counts in n further draws, a frozen ``scipy.stats.dirichlet_multinomial``.

        Its log pmf has an absolute error of about 1e-16 (α₀ + n) ln(α₀ + n). The log pmf without it is
        ``log_evidence(counts=y, of="counts")``. SciPy offers no draws and no cdf: draw θ and then the counts, and see
        ``component(k).predictive(n)`` for the cdf of one count.

        Examples
        --------
        >>> import numpy as np
        >>> model = DirichletMultinomial([1, 3])
        >>> model.predictive(1).pmf([[1, 0], [0, 1]])
        array([0.25, 0.75])
        >>> np.random.default_rng(0).multinomial(10, model.sample(5, seed=0)).shape
        (5, 2)
        """
        from scipy import stats

        draws, _ = broadcast(ParameterError, n=check.whole_numbers("n", n), alpha=self.alpha[..., 0])
        return stats.dirichlet_multinomial(self.alpha, draws.astype(np.int64))

    def sample(self, n: int, seed: np.random.Generator | int | None = None) -> FloatArray:
        """Return n draws of θ, shape (n, …, K)."""
        return simplex_draws(self.alpha, check.whole("n", n, 0), check.generator(seed))

    def _align(self, name: str, values: FloatArray, error: type[SufficeError]) -> tuple[FloatArray, ...]:
        _require_levels(name, values, self.alpha.shape[-1], error)
        return broadcast(error, **{name: values, "alpha": self.alpha})


def _count(data: npt.ArrayLike | Counts | None, counts: npt.ArrayLike | None, levels: int | None) -> FloatArray:
    named = check.named_statistics(data, counts=counts)
    if isinstance(data, Counts):
        return data.values
    if named is not None:
        n = check.nonnegative("counts", named[0])
        _require_levels("counts", n, levels, DataError)
        return n
    assert data is not None
    if levels is None:
        raise DataError("levels= is missing: raw codes do not determine the number of levels. Give levels=K.")
    codes = check.observations("data", data)
    good = np.isnan(codes) | ((codes >= 0) & (codes < levels) & (np.floor(codes) == codes))
    rule = f"data must be level codes 0 … {levels - 1}, or NaN (missing)"
    require(good, codes, rule, "Give codes, or counts of levels as counts=.", DataError)
    # One bin per level and one for missing codes, in one bincount over all leading positions.
    leading = math.prod(codes.shape[:-1])
    flat = np.where(np.isnan(codes), levels, codes).astype(np.int64).reshape(leading, codes.shape[-1])
    bins = np.arange(leading, dtype=np.int64)[:, None] * (levels + 1) + flat
    table = np.bincount(bins.reshape(-1), minlength=leading * (levels + 1)).reshape(leading, levels + 1)
    return table[:, :levels].astype(np.float64).reshape(*codes.shape[:-1], levels)


def _require_levels(name: str, values: FloatArray, levels: int | None, error: type[SufficeError]) -> None:
    if values.ndim == 0 or values.shape[-1] == 0 or levels not in (None, values.shape[-1]):
        k = "K" if levels is None else levels
        raise error(
            f"{name} must have {k} entries along the last axis, one per level: got shape {values.shape}. "
            f"Give shape (…, {k})."
        )
