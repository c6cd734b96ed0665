"""Counts of K levels in N draws when θ ~ Dir(α) is integrated out. α₀ = Σ α_k.

pmf          p(y) = N!/Πy_k! · Γ(α₀)/Γ(N + α₀) · Π Γ(y_k + α_k)/Γ(α_k),   Σ y_k = N
mean         N α_k/α₀
variance     N (α_k/α₀)(1 − α_k/α₀)(N + α₀)/(1 + α₀)
covariance   −N (α_k α_l/α₀²)(N + α₀)/(1 + α₀)
component    y_k alone is beta-binomial(α_k, α₀ − α_k)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from suffice.conjugate.arguments import (
    FloatArray,
    Reals,
    broadcast,
    counting,
    generator,
    plain,
    positive,
    require,
    whole,
)
from suffice.conjugate.beta_binomial_cdf import beta_binomial_cdf
from suffice.conjugate.beta_binomial_predictive import BetaBinomialPredictive
from suffice.conjugate.gamma_draws import simplex_draws
from suffice.conjugate.log_gamma import log_dirichlet_multinomial, rest
from suffice.conjugate.shown import shown
from suffice.conjugate.values import made_again, same_values
from suffice.errors import ParameterError

__all__ = ["DirichletMultinomialPredictive"]

_EXACT = 2.0**53


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class DirichletMultinomialPredictive:
    """The Dirichlet-multinomial (Pólya) distribution of the counts of K levels in n draws.

    Parameters
    ----------
    n : int or array of whole numbers ≥ 0, shape (…)
        Draws.
    alpha : array > 0, shape (…, K)

    Examples
    --------
    >>> polya = DirichletMultinomialPredictive(2, [1, 1, 1])
    >>> round(float(polya.pmf([1, 1, 0])), 6)  # one of six equally likely count vectors
    0.166667
    >>> polya.mean.round(6)
    array([0.666667, 0.666667, 0.666667])
    """

    n: FloatArray
    alpha: FloatArray

    def __init__(self, n: npt.ArrayLike, alpha: npt.ArrayLike) -> None:
        draws, weights = counting("n", n), positive("alpha", alpha)
        require(
            draws <= _EXACT, draws, "n must be at most 2⁵³, up to which every count is a float", "Give fewer draws."
        )
        draws, weights = broadcast(("n", "alpha"), (draws[..., None], weights), ParameterError)
        object.__setattr__(self, "n", draws[..., 0])
        object.__setattr__(self, "alpha", weights)

    def log_pmf(self, counts: npt.ArrayLike) -> Reals:
        """Return ln p(y) for counts (…, K); −inf where they do not sum to n.

        Examples
        --------
        >>> float(DirichletMultinomialPredictive(2, [1, 1]).log_pmf([1, 2]))
        -inf
        """
        y, alpha, n = self._at(counts)
        return plain(np.where(y.sum(axis=-1) == n, log_dirichlet_multinomial(y, alpha), -np.inf))

    def pmf(self, counts: npt.ArrayLike) -> Reals:
        """Return p(y) for counts (…, K); 0 where they do not sum to n."""
        return plain(np.exp(self.log_pmf(counts)))

    def cdf(self, counts: npt.ArrayLike) -> Reals:
        """Return P(Y_k ≤ y_k) of each component by itself, shape (…, K).

        The components are dependent, so the joint distribution function is not the product of these.

        Examples
        --------
        >>> DirichletMultinomialPredictive(1, [1, 3]).cdf([0, 0])
        array([0.75, 0.25])
        """
        y, alpha, n = self._at(counts)
        return plain(beta_binomial_cdf(y, n[..., None], alpha, rest(alpha)))

    def component(self, k: int) -> BetaBinomialPredictive:
        """Return the distribution of y_k alone: beta-binomial(α_k, α₀ − α_k).

        Examples
        --------
        >>> DirichletMultinomialPredictive(5, [1, 2, 3]).component(0)
        BetaBinomialPredictive(n=5.0, a=1.0, b=5.0)
        """
        k = _component(k, self.alpha)
        return BetaBinomialPredictive(self.n, self.alpha[..., k], rest(self.alpha)[..., k])

    @property
    def mean(self) -> Reals:
        """E y_k = n α_k/α₀, shape (…, K)."""
        return plain(self.n[..., None] * self._share())

    @property
    def variance(self) -> Reals:
        """Var y_k, shape (…, K)."""
        others = rest(self.alpha) / self.alpha.sum(axis=-1, keepdims=True)
        return plain(self._overdispersion()[..., None] * self._share() * others)

    @property
    def covariance(self) -> FloatArray:
        """Cov(y_k, y_l), shape (…, K, K), with the variances on the diagonal."""
        share = self._share()
        matrix = -self._overdispersion()[..., None, None] * share[..., :, None] * share[..., None, :]
        k = np.arange(self.alpha.shape[-1], dtype=np.int64)
        matrix[..., k, k] = self.variance
        return matrix

    def sample(self, n: int, rng: np.random.Generator | int | None = None) -> npt.NDArray[np.int64]:
        """Return n draws of the counts, shape (n, …, K)."""
        source = generator(rng)
        theta = simplex_draws(self.alpha, whole("n", n, 0), source)
        return np.asarray(source.multinomial(self.n.astype(np.int64), theta), dtype=np.int64)

    def _share(self) -> FloatArray:
        return self.alpha / self.alpha.sum(axis=-1, keepdims=True)

    def _overdispersion(self) -> FloatArray:
        strength = self.alpha.sum(axis=-1)
        return np.asarray(self.n * ((self.n + strength) / (1 + strength)))

    def _at(self, counts: npt.ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        y = counting("counts", counts)
        levels = self.alpha.shape[-1]
        if y.ndim == 0 or y.shape[-1] != levels:
            raise ParameterError(
                f"counts must have {levels} entries along the last axis: got shape {y.shape}. Give one per level."
            )
        y, alpha, n = broadcast(("counts", "alpha", "n"), (y, self.alpha, self.n[..., None]), ParameterError)
        return y, alpha, n[..., 0]

    def __eq__(self, other: object) -> bool:
        return same_values(self, other) if isinstance(other, DirichletMultinomialPredictive) else NotImplemented

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __reduce__(self) -> tuple[Any, ...]:
        return made_again(self)

    def __repr__(self) -> str:
        return shown(self, n=self.n, alpha=self.alpha)


def _component(k: int, alpha: FloatArray) -> int:
    if whole("k", k, 0) >= alpha.shape[-1]:
        raise ParameterError(
            f"k must be below the number of components {alpha.shape[-1]}: got {k!r}. Components start at 0."
        )
    return int(k)
