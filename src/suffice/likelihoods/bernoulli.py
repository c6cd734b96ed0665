"""Presence or absence: x_j > threshold with probability θ_jc in class c, each column by itself.

Symbols: N_jc weight of the rows of class c with x_j present, n that of those with x_j observed; prior Beta(a, b) on θ.

    mle    N_jc/n                               smoothed           (N_jc + λ)/(n + 2λ)
    map    (N_jc + a − 1)/(n + a + b − 2)       mean, predictive   (N_jc + a)/(n + a + b)
    term   ln θ where present, ln(1 − θ) where absent, nothing where missing
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np
import numpy.typing as npt

from suffice.conjugate import BetaBinomial
from suffice.conjugate.arguments import is_real
from suffice.errors import ParameterError
from suffice.likelihoods import probabilities as outcomes
from suffice.likelihoods.aligned import by_column, of_columns, per_cell, table
from suffice.likelihoods.collect import Collect
from suffice.likelihoods.concentration import EVIDENCE, SHARED, EvidenceAlpha, alpha_shown
from suffice.likelihoods.draws import Draw, theta_drawn
from suffice.likelihoods.evidence_alpha import evidence_alpha
from suffice.likelihoods.likelihood import Likelihood, OutcomeCounts, Parameter, Seen
from suffice.likelihoods.terms import Presence, Term
from suffice.likelihoods.uncertain import DirichletTerm, UncertainTerm, require_posterior
from suffice.statistics import Counts
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import BoolArray, FloatArray

__all__ = ["Bernoulli"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class Bernoulli(Likelihood):
    """Columns read as present or absent.

    Parameters
    ----------
    prior : BetaBinomial, "evidence" or "shared evidence", optional
        Beta(a, b) on the probability of presence; a and b one number, one per column, or one per class and column. By
        default Beta(1, 1), and Beta(2, 2) for the map reading. "evidence" takes for each column Beta(α, α) with the α
        from 0.001 to 1 that has the greatest evidence (evidence_alpha.py), "shared evidence" one for all columns, and
        1 + α for the map reading.
    threshold : float
        A cell is present when x > threshold.

    Examples
    --------
    >>> Bernoulli(threshold=0.5)
    Bernoulli(threshold=0.5)
    """

    column_by_column: ClassVar[bool] = True

    prior: BetaBinomial | EvidenceAlpha | None = None
    threshold: float = 0.0

    def __post_init__(self) -> None:
        said = isinstance(self.prior, str) and self.prior in (EVIDENCE, SHARED)
        if self.prior is not None and not said and not isinstance(self.prior, BetaBinomial):
            raise ParameterError(
                f"prior of Bernoulli must be a BetaBinomial: got {self.prior!r}. Give BetaBinomial(a, b)."
            )
        if not is_real(self.threshold) or not math.isfinite(self.threshold):
            raise ParameterError(f"threshold must be finite: got {self.threshold!r}. Use 0 to count what is positive.")
        object.__setattr__(self, "threshold", float(self.threshold))

    def collect(self, columns: Columns) -> Collect:
        """Ask for the weight of the rows in which each column is present, and observed."""
        return Collect("presence", columns, threshold=self.threshold)

    def restrict(self, stay: BoolArray) -> Bernoulli:
        """Return the likelihood of some of its columns, with their priors."""
        prior = self.prior
        if prior is None or isinstance(prior, str):
            return self
        return replace(self, prior=BetaBinomial(of_columns(prior.a, stay), of_columns(prior.b, stay)))

    def terms(self, seen: Seen) -> tuple[Term, ...]:
        """Return ln θ and ln(1 − θ)."""
        logs = outcomes.log_probabilities(*self._counts(seen), seen.reading.estimate)
        return (self._term(seen, logs),)

    def uncertain(self, seen: Seen) -> tuple[UncertainTerm, ...]:
        """Return Beta(a + N, b + n − N) of each class and column."""
        counts, alpha = self._counts(seen)
        require_posterior(alpha, seen.columns)
        return (DirichletTerm((counts + alpha,), lambda logs: self._term(seen, logs[0])),)

    def log_evidence(self, seen: Seen) -> float:
        """Return Σ_jc ln B(a + N_jc, b + n − N_jc) − ln B(a, b)."""
        return outcomes.log_evidence(*self._counts(seen))

    def parameters(self, seen: Seen, credible: float) -> Iterator[Parameter]:
        """Yield θ_jc of every class and column."""
        counts, alpha = self._counts(seen)
        values = outcomes.probabilities(counts, alpha, seen.reading.estimate)[..., 0]
        lower, upper = outcomes.intervals(counts, alpha, credible)
        for c, label in enumerate(seen.classes):
            for j, column in enumerate(seen.columns):
                bounds = float(lower[c, j, 0]), float(upper[c, j, 0])
                yield Parameter(label, column, None, "probability", seen.reading.estimate, float(values[c, j]), *bounds)

    def outcome_counts(self, seen: Seen) -> Iterator[OutcomeCounts]:
        """Yield present and absent of each column."""
        counts = self._present(seen)
        yield from (OutcomeCounts((column,), counts[:, j], 2.0) for j, column in enumerate(seen.columns))

    def choices(self, seen: Seen) -> dict[str | int, str]:
        """Return the α of each column, where the evidence chose it."""
        if not isinstance(self.prior, str):
            return {}
        found = self._chosen(self._present(seen)).tolist()
        return {column: alpha_shown(alpha) for column, alpha in zip(seen.columns, found, strict=True)}

    def sample(self, seen: Seen, draw: Draw) -> list[npt.NDArray[Any]]:
        """Return 1 where present and 0 where absent, or numbers on either side of the threshold."""
        counts, alpha = self._counts(seen)
        read = outcomes.probabilities(counts, alpha, seen.reading.estimate)
        theta = theta_drawn(counts, alpha, read, draw, seen.columns)[..., 0]
        there = draw.rng.random((draw.rows, len(seen.columns))) < theta[draw.classes]
        absent = 0.0 if 0 <= self.threshold < 1 else self.threshold
        present = max(absent + 1, math.nextafter(absent, math.inf))
        cells = np.where(there, present, absent)
        return [cells[:, j] for j in range(len(seen.columns))]

    def _term(self, seen: Seen, logs: FloatArray) -> Presence:
        return Presence(seen.columns, self.threshold, table(logs[..., 0]), table(logs[..., 1]))

    @staticmethod
    def _present(seen: Seen) -> FloatArray:
        # Outcomes along the last axis: present, absent.
        (counts,) = seen.parts
        assert isinstance(counts, Counts)
        present, observed = by_column(counts, seen.columns, seen.classes)
        # Sums of weights that are not whole may differ in their last bit.
        return np.stack([present, np.maximum(observed - present, 0.0)], axis=-1)

    def _chosen(self, counts: FloatArray) -> FloatArray:
        # α of each column, by the evidence.
        if self.prior == SHARED:  # every class and column is a sequence of the same two outcomes
            return np.repeat(evidence_alpha(counts.reshape(-1, 2)), counts.shape[1])
        return np.array([evidence_alpha(counts[:, j]) for j in range(counts.shape[1])], dtype=np.float64)

    def _counts(self, seen: Seen) -> tuple[FloatArray, FloatArray]:
        seen_counts = self._present(seen)
        given, estimate = outcomes.smoothing(seen), seen.reading.estimate
        if isinstance(self.prior, str) and estimate != "smoothed":
            given = self._chosen(seen_counts) + (estimate == "map")
        elif given is None and self.prior is not None and not isinstance(self.prior, str) and estimate != "smoothed":
            a, b = (per_cell(name, value, *seen.shape) for name, value in (("a", self.prior.a), ("b", self.prior.b)))
            return seen_counts, np.stack([a, b], axis=-1)
        each = outcomes.default_prior_count(estimate) if given is None else given
        return seen_counts, np.broadcast_to(per_cell("alpha", each, *seen.shape)[..., None], seen_counts.shape)
