"""Waiting times: x_j ~ Exponential(λ_jc) in class c; a user-defined likelihood with its own term, in one file.

Symbols: T = Σ w x and n = Σ w over the rows of class c in which x_j is known; prior Gamma(shape, rate) on λ.

    term        ln λ − λ x          mle  λ = n/T          other estimates  λ = (shape + n)/(rate + T), the posterior mean
    evidence    Σ_jc ln Γ(shape + n) − ln Γ(shape) + shape ln rate − (shape + n) ln(rate + T)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
from scipy.special import gammaln
from scipy.stats import gamma

from suffice.likelihoods import Likelihood, Parameter
from suffice.likelihoods.block_statistics import Collect, align_columns
from suffice.likelihoods.terms.split import NumberSplit, no_facts, no_outcome
from suffice.likelihoods.terms.term import Term


@final
@dataclass(frozen=True, slots=True, eq=False)
class Decay(Term):
    """ln λ − λ x: rate of shape (D, C)."""

    columns: tuple[Any, ...]
    rate: Any

    per_column: ClassVar[tuple[str, ...]] = ("rate",)

    def compile(self, layout):
        """Add −λ x, and ln λ where x is known."""
        places = layout.numbers(self.columns)
        layout.tables.add_linear(places, -self.rate, distribution=False)
        layout.tables.add_observed(places, np.log(self.rate), np.zeros_like(self.rate))

    def split(self, rows, seen):
        """Return an entry for each known cell."""
        added = lambda x: np.log(self.rate) - x[..., None] * self.rate  # noqa: E731
        return NumberSplit(self.columns, rows.numbers(self.columns), added, no_facts, no_outcome)


@final
@dataclass(frozen=True, slots=True, repr=False)
class Exponential(Likelihood):
    """Columns of waiting times ≥ 0."""

    column_by_column: ClassVar[bool] = True

    shape: float = 1.0
    rate: float = 1.0

    def collect(self, columns):
        return Collect("sums", columns)

    def terms(self, seen):
        return (Decay(seen.columns, np.ascontiguousarray(self._rates(seen).T)),)

    def log_evidence(self, seen):
        a, b = self._posterior(seen)
        each = gammaln(a) - gammaln(self.shape) + self.shape * np.log(self.rate) - a * np.log(b)
        return float(each.sum())

    def parameters(self, seen, level):
        a, b = self._posterior(seen)
        lower, upper = gamma.interval(level, a, scale=1 / b)
        for c, label in enumerate(seen.classes):
            for j, column in enumerate(seen.columns):
                three = float(self._rates(seen)[c, j]), float(lower[c, j]), float(upper[c, j])
                yield Parameter(label, column, None, "rate", seen.reading.estimate, *three)

    def sample(self, seen, draw):
        return list(draw.rng.exponential(1 / self._rates(seen)[draw.classes]).T)

    def _rates(self, seen):
        total, known = align_columns(seen.parts[0], seen.columns, seen.classes)
        if seen.reading.estimate == "mle":
            return known / total
        return (self.shape + known) / (self.rate + total)

    def _posterior(self, seen):
        total, known = align_columns(seen.parts[0], seen.columns, seen.classes)
        return self.shape + known, self.rate + total
