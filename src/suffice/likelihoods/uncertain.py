"""Terms whose parameters have a posterior and can be drawn from it, for intervals of probabilities.

Symbols: θ the parameters of a class, α + N the posterior of a Dirichlet, Gamma(shape, rate) that of a rate, (m', κ',
a', b') that of a mean and a variance, (m', κ', ν', Ψ') that of columns together. Real numbers are in the units of
standardised.py, and their draws are those of gaussian_draws.py and gaussian_block_draws.py; a variance is kept from
1e-300 to 1e300 and a mean within ±1e150.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import final

import numpy as np

from suffice.conjugate.gamma_draws import log_gamma_draws
from suffice.errors import ParameterError
from suffice.likelihoods.aligned import table
from suffice.likelihoods.gaussian_posterior import Posterior, parameters_drawn
from suffice.likelihoods.terms import (
    Combinations,
    FullQuadratic,
    KnownTokens,
    Linear,
    PoissonCount,
    Quadratic,
    Term,
    TokenLinear,
)
from suffice.likelihoods.wishart_posterior import WishartPosterior, matrices_drawn
from suffice.statistics import Axis
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = [
    "CombinationsTerm",
    "CountsTerm",
    "DirichletTerm",
    "EllipsesTerm",
    "ParabolasTerm",
    "RatesTerm",
    "SpheresTerm",
    "TokensTerm",
    "UncertainTerm",
    "log_simplex_draw",
    "require_posterior",
]

_LISTED = 4096
_LARGEST_RATE = 1e300
_LEAST, _GREATEST, _FAR = 1e-300, 1e300, 1e150


class UncertainTerm(ABC):
    """What some columns add to log p(x | c), with the posterior of its parameters.

    Texts are counted once for all draws: `text` is the term that counts the tokens of a document, None for other
    columns, and `token_draws` draws the logs of tokens for such counts.
    """

    __slots__ = ()

    @property
    def text(self) -> TokenLinear | None:
        """The term that counts the tokens of a document; None where the columns hold no texts."""
        return None

    def token_draws(self, tokens: IntArray) -> Callable[[np.random.Generator], FloatArray]:
        """Return a function that draws what one occurrence of each of these tokens adds, tokens × C."""
        raise NotImplementedError

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
        logs = [log_simplex_draw(alpha, rng) for alpha in self.alpha]
        return self.term(logs if self.shift is None else [each + by for each, by in zip(logs, self.shift, strict=True)])


@final
@dataclass(frozen=True, slots=True, eq=False)
class CountsTerm(UncertainTerm):
    """A row of counts of Dir(α) over the columns: α of shape (C, D). Its coefficient is the same for every class."""

    columns: Columns
    alpha: FloatArray

    def drawn(self, rng: np.random.Generator) -> Linear:
        """Return the logs of probabilities that are drawn."""
        return Linear(self.columns, table(log_simplex_draw(self.alpha, rng)))


@final
@dataclass(frozen=True, slots=True, eq=False)
class TokensTerm(UncertainTerm):
    """The tokens of a document, of Dir(α) over those that are kept: α (C, K), and what an occurrence counts (K)."""

    column: str | int
    tokens: KnownTokens
    alpha: FloatArray
    weights: FloatArray
    presence: bool

    @property
    def text(self) -> TokenLinear:
        """The term that counts the tokens of a document."""
        return self._term(self.alpha)

    def token_draws(self, tokens: IntArray) -> Callable[[np.random.Generator], FloatArray]:
        """Return a function that draws what one occurrence of each of these tokens adds, tokens × C.

        All other tokens are one outcome together, which leaves the distribution of these as it is.
        """
        others = np.ones(self.alpha.shape[1], dtype=np.bool_)
        others[tokens] = False
        alpha = self.alpha[:, tokens]
        if others.any():
            alpha = np.concatenate([alpha, self.alpha[:, others].sum(axis=1, keepdims=True)], axis=1)
        weights = self.weights[tokens]
        return lambda rng: table(log_simplex_draw(alpha, rng)[:, : len(tokens)] * weights)

    def drawn(self, rng: np.random.Generator) -> TokenLinear:
        """Return the logs of probabilities that are drawn."""
        return self._term(log_simplex_draw(self.alpha, rng) * self.weights)

    def _term(self, logs: FloatArray) -> TokenLinear:
        return TokenLinear((self.column,), self.tokens, table(logs), np.zeros(len(logs)), self.presence)


@final
@dataclass(frozen=True, slots=True, eq=False)
class RatesTerm(UncertainTerm):
    """Counts of rates with the posterior Gamma(shape, rate): both of shape (C, D)."""

    columns: Columns
    shape: FloatArray
    rate: FloatArray

    def drawn(self, rng: np.random.Generator) -> PoissonCount:
        """Return rates that are drawn."""
        logs = log_gamma_draws(self.shape, self.shape.shape, rng) - np.log(self.rate)
        with np.errstate(over="ignore"):
            return PoissonCount(self.columns, table(np.minimum(np.exp(logs), _LARGEST_RATE)))


@final
@dataclass(frozen=True, slots=True, eq=False)
class CombinationsTerm(UncertainTerm):
    """Combinations of levels: α + N of those that were seen (C, M), α (C) of each other of T.

    `seen` has a row for each combination that was seen, as in Combinations.
    """

    columns: Columns
    levels: tuple[Axis, ...]
    seen: IntArray
    alpha: FloatArray
    rest: FloatArray
    combinations: float

    def drawn(self, rng: np.random.Generator) -> Combinations:
        """Return the logs of probabilities that are drawn.

        Up to 4096 combinations are all drawn. Of more, the unseen ones share a draw: each by itself has its posterior,
        but of a row with a gap that stands for many of them the draws vary by more than they should.
        """
        others = self.combinations - len(self.seen)
        if self.combinations <= _LISTED:
            sizes = [range(max(len(axis), 1)) for axis in self.levels]
            have: set[tuple[int, ...]] = set(map(tuple, self.seen.tolist()))
            unseen: IntArray = np.array([each for each in product(*sizes) if each not in have], dtype=np.int64)
            seen = np.concatenate([self.seen, unseen.reshape(-1, len(self.levels))])
            more = np.broadcast_to(self.rest[:, None], (len(self.rest), len(seen) - len(self.seen)))
            logs = log_simplex_draw(np.concatenate([self.alpha, more], axis=1), rng)
            return Combinations(self.columns, self.levels, seen, table(logs), np.full(len(self.rest), -math.inf))
        alphas = [self.alpha, self.rest[:, None], self.rest[:, None] * (others - 1)]
        logs = log_simplex_draw(np.concatenate(alphas, axis=1), rng)
        return Combinations(self.columns, self.levels, self.seen, table(logs[:, :-2]), logs[:, -2].copy())


@final
@dataclass(frozen=True, slots=True, eq=False)
class ParabolasTerm(UncertainTerm):
    """Columns each by itself: centre and unit of length D, the posterior (C, D) in z."""

    columns: Columns
    centre: FloatArray
    unit: FloatArray
    after: Posterior
    shared: bool

    def drawn(self, rng: np.random.Generator) -> Quadratic:
        """Return parabolas of means and variances that are drawn."""
        location, variance = parameters_drawn(self.after, rng, shared=self.shared)
        return _parabolas(self.columns, self.centre, self.unit, location, variance)

    def without(self, columns: Collection[str | int]) -> ParabolasTerm:
        """Return the term of the other columns."""
        kept = [j for j, column in enumerate(self.columns) if column not in columns]
        after = self.after
        m, kappa, a, b = (each[:, kept] for each in (after.m, after.kappa, after.a, after.b))
        return replace(
            self,
            columns=tuple(self.columns[j] for j in kept),
            centre=self.centre[kept],
            unit=self.unit[kept],
            after=Posterior(m, kappa, a, b, after.of_mode),
        )


@final
@dataclass(frozen=True, slots=True, eq=False)
class EllipsesTerm(UncertainTerm):
    """Columns together: a matrix for each class, or one for all."""

    columns: Columns
    centre: FloatArray
    unit: FloatArray
    after: WishartPosterior

    def drawn(self, rng: np.random.Generator) -> FullQuadratic:
        """Return normal densities of mean vectors and matrices that are drawn."""
        location, matrices = matrices_drawn(self.after, rng)
        return FullQuadratic(self.columns, self.centre, 1 / self.unit, location, matrices, 0.0)


@final
@dataclass(frozen=True, slots=True, eq=False)
class SpheresTerm(UncertainTerm):
    """Columns together with one variance: m' (C, D) in z, κ', a', b' (C), the spread w (D) of spherical_block.py."""

    columns: Columns
    centre: FloatArray
    unit: FloatArray
    m: FloatArray
    kappa: FloatArray
    a: FloatArray
    b: FloatArray
    spread: FloatArray

    def drawn(self, rng: np.random.Generator) -> Quadratic:
        """Return parabolas of means and variances that are drawn."""
        with np.errstate(over="ignore"):
            level = np.exp(np.log(self.b) - log_gamma_draws(self.a, self.a.shape, rng))[:, None]
        level = np.clip(level, _LEAST, _GREATEST)
        noise = rng.standard_normal(self.m.shape)
        location = self.m + noise * self.spread * np.sqrt(level / self.kappa[:, None])
        return _parabolas(self.columns, self.centre, self.unit, location, level * self.spread**2)


def _parabolas(
    columns: Columns, centre: FloatArray, unit: FloatArray, location: FloatArray, variance: FloatArray
) -> Quadratic:
    within = np.clip(variance, _LEAST, _GREATEST)
    constant = -0.5 * (math.log(2 * math.pi) + np.log(within)) - np.log(unit)
    tables = table(np.clip(location, -_FAR, _FAR)), table(0.5 / within), table(constant)
    return Quadratic(columns, centre, 1 / unit, *tables)


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
