"""Whether a cell is known, as evidence of the class: a term beside the one of its value.

Symbols: n weight of the rows of class c, N_jc that of those in which column j is known, θ_jc the probability of that.

    mle    N_jc/n                               smoothed           (N_jc + λ)/(n + 2λ)
    map    (N_jc + 1)/(n + 2), Beta(2, 2)       mean, predictive   (N_jc + 1)/(n + 2), Beta(1, 1)
    term   ln θ where the cell is known, ln(1 − θ) where it is missing

This is Bernoulli (bernoulli.py) of "known", so that what is missing speaks like any other level.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from suffice.likelihoods import probabilities as outcomes
from suffice.likelihoods.aligned import per_cell, table
from suffice.likelihoods.draws import Draw, theta_drawn
from suffice.likelihoods.likelihood import OutcomeCounts, Parameter, Seen
from suffice.likelihoods.terms import Observed
from suffice.likelihoods.uncertain import DirichletTerm, require_posterior
from suffice.statistics.frozen_arrays import BoolArray, FloatArray

__all__ = ["Observation"]

# Weights that are not whole add up in different orders; what is left of a difference below this share is rounding.
_ROUNDING = 2.0**-40


@final
@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """Counts of known and missing cells and their prior counts, each of shape (C, D, 2)."""

    counts: FloatArray
    alpha: FloatArray

    @classmethod
    def of(cls, seen: Seen, known: FloatArray) -> Observation:
        """Return the counts, given the weight of the known cells per class and column (C, D)."""
        rows = seen.rows[:, None]
        missing = rows - known
        counts = np.stack([known, np.where(missing > _ROUNDING * rows, missing, 0.0)], axis=-1)
        given = outcomes.smoothing(seen)
        each = outcomes.default_prior_count(seen.reading.estimate) if given is None else given
        alpha = per_cell("alpha", each, *seen.shape)[..., None]
        return cls(counts, np.broadcast_to(alpha, counts.shape))

    def term(self, seen: Seen) -> Observed:
        """Return ln θ and ln(1 − θ)."""
        logs = outcomes.log_probabilities(self.counts, self.alpha, seen.reading.estimate)
        return self._term(seen, logs)

    def uncertain(self, seen: Seen) -> DirichletTerm:
        """Return Beta(a + N, b + n − N) of each class and column."""
        require_posterior(self.alpha, seen.columns)
        return DirichletTerm((self.counts + self.alpha,), lambda logs: self._term(seen, logs[0]))

    @staticmethod
    def _term(seen: Seen, logs: FloatArray) -> Observed:
        return Observed(seen.columns, table(logs[..., 0]), table(logs[..., 1]))

    def log_evidence(self) -> float:
        """Return Σ_jc ln B(a + N_jc, b + n − N_jc) − ln B(a, b)."""
        return outcomes.log_evidence(self.counts, self.alpha)

    def outcome_counts(self, seen: Seen) -> Iterator[OutcomeCounts]:
        """Yield known and missing of each column."""
        yield from (OutcomeCounts((column,), self.counts[:, j], 2.0) for j, column in enumerate(seen.columns))

    def missing_drawn(self, seen: Seen, draw: Draw) -> BoolArray:
        """Return which cells of the rows that are drawn are missing (n, D)."""
        read = outcomes.probabilities(self.counts, self.alpha, seen.reading.estimate)
        known = theta_drawn(self.counts, self.alpha, read, draw, seen.columns)[..., 0]
        return draw.rng.random((draw.rows, len(seen.columns))) >= known[draw.classes]

    def parameters(self, seen: Seen, credible: float) -> Iterator[Parameter]:
        """Yield θ_jc of every class and column."""
        estimate = seen.reading.estimate
        values = outcomes.probabilities(self.counts, self.alpha, estimate)[..., 0]
        lower, upper = outcomes.intervals(self.counts, self.alpha, credible)
        for c, label in enumerate(seen.classes):
            for j, column in enumerate(seen.columns):
                bounds = float(lower[c, j, 0]), float(upper[c, j, 0])
                yield Parameter(label, column, None, "observed", estimate, float(values[c, j]), *bounds)
