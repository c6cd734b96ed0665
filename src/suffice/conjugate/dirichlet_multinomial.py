"""The Dirichlet-multinomial model: θ ~ Dir(α), y | θ ~ Multinomial(N, θ).

Symbols: levels k = 1 … K along the last axis, α₀ = Σ α_k, counts N_k, N = Σ N_k.

    posterior       Dir(α + counts)
    mean            α_k/α₀       variance  α_k(α₀ − α_k)/(α₀²(α₀ + 1))      covariance  −α_k α_l/(α₀²(α₀ + 1))
    mode            (α_k − 1)/(α₀ − K) when every α_k ≥ 1 and α₀ > K;  every θ when each α_k = 1;  otherwise the density
                    grows without bound towards the faces θ_k = 0 with α_k < 1: for K = 2 those are the beta's ends, for
                    K ≥ 3 no single point is highest
    joint           N!/Πy_k! · Π θ_k^(α_k + y_k − 1) / B(α)                                (Lemma 25.3.4)
    marginal        N!/Πy_k! · Γ(α₀)/Γ(N + α₀) · Π Γ(y_k + α_k)/Γ(α_k);  y_k alone: beta-binomial(α_k, α₀ − α_k)
    posterior mean  λ · prior mean + (1 − λ) · mle,  λ = α₀/(α₀ + N)
    posterior mode  λ' · prior mode + (1 − λ') · mle,  λ' = (α₀ − K)/(α₀ − K + N)

The evidence of a sequence of levels is that of the counts less the log coefficient ln N!/ΠN_k!.
"""

from __future__ import annotations

import math
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
from suffice.conjugate.beta_binomial import BetaBinomial
from suffice.conjugate.dirichlet_multinomial_predictive import DirichletMultinomialPredictive
from suffice.conjugate.gamma_draws import simplex_draws
from suffice.conjugate.interval import Interval, IntervalKind
from suffice.conjugate.log_gamma import log_coefficient, log_dirichlet_density, log_dirichlet_multinomial, rest
from suffice.conjugate.mode import Mode, of_kinds
from suffice.conjugate.shown import shown
from suffice.conjugate.values import made_again, same_values
from suffice.errors import DataError, ParameterError
from suffice.statistics import Counts

__all__ = ["DirichletMultinomial"]

_FORMS = "raw level codes, counts=, or Counts"
_SUM_TOLERANCE = 1e-9


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class DirichletMultinomial:
    """A Dirichlet belief about the probabilities of K levels, and what it says of counts.

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
        weights = positive("alpha", alpha)
        if weights.ndim == 0 or weights.shape[-1] == 0:
            raise ParameterError(
                f"alpha must have a last axis of at least one level: got shape {weights.shape}. "
                "Give one number per level, or DirichletMultinomial.symmetric(total, levels)."
            )
        total = weights.sum(axis=-1)
        require(total <= 1e300, total, "alpha must sum to at most 1e300", "Give smaller prior counts.")
        object.__setattr__(self, "alpha", weights)

    @classmethod
    def symmetric(cls, total: npt.ArrayLike, levels: int) -> DirichletMultinomial:
        """Return the prior with α_k = total/K for each of K levels.

        Examples
        --------
        >>> DirichletMultinomial.symmetric(2, levels=4)
        DirichletMultinomial(alpha=[0.5, 0.5, 0.5, 0.5])
        """
        levels = whole("levels", levels, 1)
        return cls(np.repeat(positive("total", total)[..., None] / levels, levels, axis=-1))

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
        seen, alpha = self._beside(_seen(data, counts, self.alpha.shape[-1]))
        return DirichletMultinomial(alpha + seen)

    @staticmethod
    def mle(
        data: npt.ArrayLike | Counts | None = None, *, counts: npt.ArrayLike | None = None, levels: int | None = None
    ) -> FloatArray:
        """Return N_k/N, and 1/K where nothing was seen.

        Parameters
        ----------
        data, counts
            As in `update`; raw codes need `levels`, the number K of levels.

        Examples
        --------
        >>> DirichletMultinomial.mle(counts=[[2, 0, 2, 1], [0, 0, 0, 0]])
        array([[0.4 , 0.  , 0.4 , 0.2 ],
               [0.25, 0.25, 0.25, 0.25]])
        """
        if levels is not None:
            levels = whole("levels", levels, 1)
        elif data is not None and not isinstance(data, Counts):
            raise DataError(
                "levels= is missing: got raw codes, which do not say how many levels there are. Give levels=K."
            )
        seen = _seen(data, counts, levels)
        n = seen.sum(axis=-1, keepdims=True)
        return np.where(n > 0, seen / np.where(n > 0, n, 1.0), 1 / seen.shape[-1])

    @property
    def mean(self) -> FloatArray:
        """E θ_k = α_k/α₀, shape (…, K)."""
        return self.alpha / self.alpha.sum(axis=-1, keepdims=True)

    @property
    def variance(self) -> FloatArray:
        """Var θ_k = α_k(α₀ − α_k)/(α₀²(α₀ + 1)), shape (…, K)."""
        strength = self.alpha.sum(axis=-1, keepdims=True)
        return self.mean * (rest(self.alpha) / strength) / (strength + 1)

    @property
    def covariance(self) -> FloatArray:
        """Cov(θ_k, θ_l) = −α_k α_l/(α₀²(α₀ + 1)), shape (…, K, K), with the variances on the diagonal."""
        mean, strength = self.mean, self.alpha.sum(axis=-1)
        matrix = -mean[..., :, None] * mean[..., None, :] / (strength + 1)[..., None, None]
        k = np.arange(self.alpha.shape[-1], dtype=np.int64)
        matrix[..., k, k] = self.variance
        return matrix

    @property
    def mode(self) -> Mode[FloatArray]:
        """Where the density is highest, and which case it is (the page above lists them all)."""
        levels = self.alpha.shape[-1]
        if levels == 1:  # the simplex is one point
            return of_kinds(np.full(self.alpha.shape[:-1], "one"), np.ones(self.alpha.shape))
        if levels == 2:
            first = self.component(0).mode
            value = np.asarray(first.value)
            return Mode(first.kind, np.stack([value, 1 - value], axis=-1))
        flat = (self.alpha == 1).all(axis=-1)
        kinds = np.where((self.alpha < 1).any(axis=-1), "none", np.where(flat, "every", "one"))
        return of_kinds(kinds, self.map_estimate)

    @property
    def map_estimate(self) -> FloatArray:
        """The mode with every α_k − 1 clipped at 0; the mean where all are: what classifiers read, never undefined."""
        clipped = np.maximum(self.alpha - 1, 0.0)
        total = clipped.sum(axis=-1, keepdims=True)
        return np.where(total > 0, clipped / np.where(total > 0, total, 1.0), self.mean)

    @property
    def effective_sample_size_of_mean(self) -> Reals:
        """The number of observations that weigh as much in the posterior mean as this prior does: α₀."""
        return plain(self.alpha.sum(axis=-1))

    @property
    def effective_sample_size_of_mode(self) -> Reals:
        """The number of observations that weigh as much in the posterior mode as this prior does: α₀ − K."""
        return plain((self.alpha - 1).sum(axis=-1))

    def prior_weight_of_mean(self, n: npt.ArrayLike) -> Reals:
        """Return λ = α₀/(α₀ + N): posterior mean = λ · prior mean + (1 − λ) · mle.

        Examples
        --------
        >>> float(DirichletMultinomial([1, 1, 1]).prior_weight_of_mean(9))
        0.25
        """
        strength = self.alpha.sum(axis=-1)
        return plain(strength / (strength + nonnegative("n", n)))

    def prior_weight_of_mode(self, n: npt.ArrayLike) -> Reals:
        """Return λ' = (α₀ − K)/(α₀ − K + N): posterior mode = λ' · prior mode + (1 − λ') · mle, for α_k ≥ 1, α₀ > K.

        Examples
        --------
        >>> float(DirichletMultinomial([2, 2, 2]).prior_weight_of_mode(9))
        0.25
        """
        do = "Use prior_weight_of_mean, which needs no mode."
        require(self.alpha >= 1, self.alpha, "alpha must be ≥ 1 for the weight of the prior in the mode", do)
        above = (self.alpha - 1).sum(axis=-1)
        require(above > 0, above, "α₀ − K must be > 0 for the weight of the prior in the mode", do)
        return plain(above / (above + nonnegative("n", n)))

    def component(self, k: int) -> BetaBinomial:
        """Return the model of level k against the others: BetaBinomial(α_k, α₀ − α_k), for K ≥ 2.

        Examples
        --------
        >>> DirichletMultinomial([1, 2, 3]).component(2)
        BetaBinomial(a=3.0, b=3.0)
        """
        levels = self.alpha.shape[-1]
        if whole("k", k, 0) >= levels or levels < 2:
            raise ParameterError(
                f"k must be one of at least two levels, 0 … {levels - 1}: got {k!r}. Levels start at 0."
            )
        return BetaBinomial(self.alpha[..., int(k)], rest(self.alpha)[..., int(k)])

    def interval(self, level: float = 0.95, kind: IntervalKind = "equal-tailed") -> Interval:
        """Return, for each level by itself, the interval that holds θ_k with probability `level`; shapes (…, K).

        Examples
        --------
        >>> DirichletMultinomial([1, 1]).interval(0.5).lower
        array([0.25, 0.25])
        """
        if self.alpha.shape[-1] < 2:
            raise ParameterError(
                "an interval needs at least two levels: got one, whose probability is 1. Leave it out."
            )
        return BetaBinomial(self.alpha, rest(self.alpha)).interval(level, kind)

    def log_pdf(self, theta: npt.ArrayLike) -> Reals:
        """Return the log density at θ, shape (…, K), its entries in [0, 1] with sum 1.

        Examples
        --------
        >>> round(float(DirichletMultinomial([1, 1, 1]).log_pdf([0.2, 0.3, 0.5])), 6)  # ln 2!
        0.693147
        """
        theta = argument("theta", theta)
        require((theta >= 0) & (theta <= 1), theta, "theta must lie in [0, 1]", "Give probabilities.")
        theta, alpha = self._beside(theta, "theta", ParameterError)
        total = theta.sum(axis=-1)
        require(
            np.abs(total - 1) <= _SUM_TOLERANCE,
            total,
            "theta must sum to 1 over the last axis",
            "Divide it by its sum.",
        )
        return plain(log_dirichlet_density(theta / total[..., None], alpha))

    def log_joint(self, theta: npt.ArrayLike, *, counts: npt.ArrayLike) -> Reals:
        """Return ln p(y, θ), the joint density of Lemma 25.3.4 with y = counts.

        Examples
        --------
        >>> round(float(DirichletMultinomial([1, 1]).log_joint([0.5, 0.5], counts=[1, 1])), 6)  # ln ½
        -0.693147
        """
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
            Of the levels in their order, B(α + counts)/B(α); or of the count vector, N!/ΠN_k! times that.

        Examples
        --------
        >>> import numpy as np
        >>> flat = DirichletMultinomial([1, 1, 1])
        >>> np.exp(flat.log_evidence([0, 1])).round(6), np.exp(flat.log_evidence([0, 1], of="counts")).round(6)
        (np.float64(0.083333), np.float64(0.166667))
        """
        of_counts = option("of", of, ("sequence", "counts")) == "counts"
        seen, alpha = self._beside(_seen(data, counts, self.alpha.shape[-1]))
        answer = log_dirichlet_multinomial(seen, alpha)
        return plain(answer if of_counts else answer - log_coefficient(seen))

    def predictive(self, n: npt.ArrayLike = 1) -> DirichletMultinomialPredictive:
        """Return the distribution of the counts in n further draws.

        Examples
        --------
        >>> DirichletMultinomial([1, 3]).predictive(1).pmf([[1, 0], [0, 1]])
        array([0.25, 0.75])
        """
        return DirichletMultinomialPredictive(n, self.alpha)

    def sample(self, n: int, rng: np.random.Generator | int | None = None) -> FloatArray:
        """Return n draws of θ, shape (n, …, K).

        Examples
        --------
        >>> DirichletMultinomial([1, 2, 3]).sample(5, rng=0).shape
        (5, 3)
        """
        return simplex_draws(self.alpha, whole("n", n, 0), generator(rng))

    def _beside(
        self, values: FloatArray, name: str = "counts", error: type[DataError | ParameterError] = DataError
    ) -> tuple[FloatArray, FloatArray]:
        levels = self.alpha.shape[-1]
        if values.ndim == 0 or values.shape[-1] != levels:
            raise error(
                f"{name} must have {levels} entries along the last axis, one per level: got shape {values.shape}. "
                f"Give shape (…, {levels})."
            )
        values, alpha = broadcast((name, "alpha"), (values, self.alpha), error)
        return values, alpha

    def __eq__(self, other: object) -> bool:
        return same_values(self, other) if isinstance(other, DirichletMultinomial) else NotImplemented

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __reduce__(self) -> tuple[Any, ...]:
        return made_again(self)

    def __repr__(self) -> str:
        return shown(self, alpha=self.alpha)


def _seen(data: npt.ArrayLike | Counts | None, counts: npt.ArrayLike | None, levels: int | None) -> FloatArray:
    one_form("DirichletMultinomial", _FORMS, (data is not None, counts is not None))
    if isinstance(data, Counts):
        return data.values
    if data is None:
        assert counts is not None
        seen = nonnegative("counts", counts)
        if seen.ndim == 0 or seen.shape[-1] == 0 or levels not in (None, seen.shape[-1]):
            k = "K" if levels is None else levels
            raise DataError(
                f"counts must have {k} entries along the last axis, one per level: got shape {seen.shape}. "
                f"Give shape (…, {k})."
            )
        return seen
    assert levels is not None
    codes = observations("data", data)
    good = np.isnan(codes) | ((codes >= 0) & (codes < levels) & (np.floor(codes) == codes))
    require(
        good,
        codes,
        f"data must be level codes 0 … {levels - 1}, or NaN (missing)",
        "Give codes, or counts of levels as counts=.",
        DataError,
    )
    # One bin a level and one for the missing, in one bincount over all leading positions.
    leading = math.prod(codes.shape[:-1])
    flat = np.where(np.isnan(codes), levels, codes).astype(np.int64).reshape(leading, codes.shape[-1])
    places = np.arange(leading, dtype=np.int64)[:, None] * (levels + 1) + flat
    table = np.bincount(places.reshape(-1), minlength=leading * (levels + 1)).reshape(leading, levels + 1)
    return table[:, :levels].astype(np.float64).reshape(*codes.shape[:-1], levels)
