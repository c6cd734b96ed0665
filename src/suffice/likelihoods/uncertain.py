"""Terms whose parameters have a posterior: they can be drawn, and what a row's log probability varies by is known.

Symbols: θ the parameters of a class, x a row, ℓ = log p(x | θ); κ_k its cumulants under the posterior of θ.

    E exp(t ℓ) = E p(x | θ)^t is the evidence of t further copies of x, closed for conjugate models; of its logarithm
    the derivatives at t = 0 are the mean κ₁, the variance κ₂ and the third cumulant κ₃ of ℓ. ψ is digamma:

    one outcome k of Dir(α)            κ_i = ψ^(i−1)(α_k) − ψ^(i−1)(α₀)
    counts x of Dir(α), n = Σ x_j      κ_i = Σ_j x_j^i ψ^(i−1)(α_j) − n^i ψ^(i−1)(α₀)
    Gamma(r, β), count x               κ₁ = x (ψ(r) − ln β) − r/β − ln x!         κ₂ = x² ψ'(r) − 2x/β + r/β²
                                       κ₃ = x³ ψ''(r) + 3x/β² − 2r/β³
    normal-inverse-gamma (m, κ, a, b), q = (x − m)²/2b
                                       κ₁ = ½ (ψ(a) − ln b − ln 2π − 1/κ) − a q
                                       κ₂ = ¼ ψ'(a) + ½/κ² + 2aq/κ + a q² − q
                                       κ₃ = ⅛ ψ''(a) − 1/κ³ − 6aq/κ² − 6aq²/κ − 2aq³ + 3q/κ + 1.5 q²

Given the statistics, classes are independent, so are columns, and their cumulants add.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from suffice.conjugate.gamma_draws import log_gamma_draws
from suffice.conjugate.special import polygamma
from suffice.errors import ParameterError
from suffice.likelihoods.terms import Term
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["DirichletTerm", "UncertainTerm", "log_simplex_draw", "require_posterior"]


class UncertainTerm(ABC):
    """What some columns add to log p(x | c), with the posterior of its parameters."""

    __slots__ = ()

    @abstractmethod
    def drawn(self, rng: np.random.Generator) -> Term:
        """Return the term with one draw of its parameters; what is the same for every class may be left out."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class DirichletTerm(UncertainTerm):
    """Tables of which a cell is one outcome of a Dirichlet: presence, levels, steps.

    Parameters
    ----------
    alpha : tuple of arrays (C, …, K)
        The posterior Dir(α + N) over the last axis of each.
    term : callable
        Makes the term of arrays of logs of the same shapes.
    shift : tuple of arrays, optional
        What is added to the logs of each (of a density: less the log of the width).
    """

    alpha: tuple[FloatArray, ...]
    term: Callable[[Sequence[FloatArray]], Term]
    shift: tuple[FloatArray, ...] | None = None

    def drawn(self, rng: np.random.Generator) -> Term:
        """Return the logs of probabilities that are drawn."""
        return self.term(self._shifted([log_simplex_draw(alpha, rng) for alpha in self.alpha]))

    def cumulant(self, order: int) -> Term:
        """Return a term that adds up to the cumulant of that order, 1 to 3, of a row."""
        tables = [
            polygamma(order - 1, alpha) - polygamma(order - 1, alpha.sum(axis=-1, keepdims=True))
            for alpha in self.alpha
        ]
        return self.term(self._shifted(tables) if order == 1 else tables)

    def _shifted(self, logs: list[FloatArray]) -> list[FloatArray]:
        return logs if self.shift is None else [each + by for each, by in zip(logs, self.shift, strict=True)]


def log_simplex_draw(alpha: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return the logs of one draw of Dir(α) over the last axis: finite also where the draw itself is not."""
    if not alpha.size:
        return alpha
    logs = log_gamma_draws(alpha, alpha.shape, rng)
    return logs - np.logaddexp.reduce(logs, axis=-1, keepdims=True)


def require_posterior(prior: FloatArray, columns: Columns) -> None:
    """Raise ParameterError where λ = 0: such a prior has no posterior."""
    if not (prior > 0).all():
        raise ParameterError(
            f"an interval needs the posterior of the parameters, and with alpha=0 column {columns[0]!r} has none. "
            "Read the model with alpha > 0, or with another estimate."
        )
