"""Counts and combinations whose probabilities or rates have a posterior (uncertain.py has their cumulants)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import final

import numpy as np

from suffice.conjugate.gamma_draws import log_gamma_draws
from suffice.likelihoods.aligned import table
from suffice.likelihoods.terms import Combinations, KnownTokens, Linear, PoissonCount, TokenLinear
from suffice.likelihoods.uncertain import UncertainTerm, log_simplex_draw
from suffice.statistics import Axis
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = ["CombinationsTerm", "CountsTerm", "RatesTerm", "TokensTerm"]

_LISTED = 4096
_LARGEST_RATE = 1e300


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

    def drawn(self, rng: np.random.Generator) -> TokenLinear:
        """Return the logs of probabilities that are drawn."""
        logs = log_simplex_draw(self.alpha, rng) * self.weights
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

    @property
    def total(self) -> FloatArray:
        """α₀ of each class."""
        return self.alpha.sum(axis=1) + self.rest * (self.combinations - len(self.seen))

    def mean(self) -> Combinations:
        """Return the term of the means (α + N)/α₀: of a row with gaps, too, it is α_row/α₀ with α_row their sum."""
        total = self.total
        seen, rest = np.log(self.alpha) - np.log(total)[:, None], np.log(self.rest) - np.log(total)
        return Combinations(self.columns, self.levels, self.seen, table(seen), rest)

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
