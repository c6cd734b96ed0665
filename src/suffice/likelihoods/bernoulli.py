"""Binary columns: x_j > threshold with probability θ_jc in class c, columns independent given the class.

Symbols: N_jc is the weight of the rows of class c in which column j is present (x_j > threshold), n the weight of those
in which it is observed. The prior on θ is Beta(a, b).

    mle    N_jc/n                               smoothed           (N_jc + λ)/(n + 2λ)
    map    (N_jc + a − 1)/(n + a + b − 2)       mean, predictive   (N_jc + a)/(n + a + b)
    term   ln θ if present, ln(1 − θ) if absent, 0 if missing
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np
import numpy.typing as npt

from suffice.arguments import is_real
from suffice.conjugate import BetaBinomial
from suffice.errors import ParameterError
from suffice.likelihoods.block_statistics import (
    BlockStatistics,
    Collect,
    align_columns,
    broadcast_parameter,
    select_columns,
    transpose_table,
)
from suffice.likelihoods.dirichlet import (
    EVIDENCE,
    SHARED,
    EvidenceAlpha,
    UncertainOutcomes,
    choose_alpha,
    compute_intervals,
    estimate_log_probabilities,
    estimate_probabilities,
    fit_alpha,
    format_alpha,
    sum_log_evidence,
)
from suffice.likelihoods.draws import Draw, draw_probabilities
from suffice.likelihoods.likelihood import Likelihood, OutcomeCounts, Parameter
from suffice.likelihoods.terms.split import NumberSplit, Rows, Split, count_facts
from suffice.likelihoods.terms.term import (
    Layout,
    LinearForm,
    Outcomes,
    Term,
    UncertainTerm,
    contiguous,
    require_posterior,
)
from suffice.statistics import Counts
from suffice.statistics.arrays import BoolArray, FloatArray
from suffice.statistics.axis import Columns

__all__ = ["Bernoulli", "Presence"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class Bernoulli(Likelihood):
    """Bernoulli likelihood for binary (present or absent) columns.

    Parameters
    ----------
    prior : BetaBinomial, "evidence" or "shared evidence", optional
        Beta(a, b) on the probability of presence; a and b are scalars, one value per column, or one per class and
        column. Default: Beta(1, 1), or Beta(2, 2) for estimate="map". "evidence" uses Beta(α, α) for each column, with
        the α in [0.001, 1] that maximises the marginal likelihood; "shared evidence" uses one α for all columns.
        estimate="map" uses 1 + α.
    threshold : float
        Cells with x > threshold count as present.

    Examples
    --------
    >>> Bernoulli(threshold=0.5)
    Bernoulli(threshold=0.5)
    """

    column_by_column: ClassVar[bool] = True

    prior: BetaBinomial | EvidenceAlpha | None = None
    threshold: float = 0.0

    def __post_init__(self) -> None:
        by_evidence = isinstance(self.prior, str) and self.prior in (EVIDENCE, SHARED)
        if self.prior is not None and not by_evidence and not isinstance(self.prior, BetaBinomial):
            raise ParameterError(
                f"prior of Bernoulli must be a BetaBinomial: got {self.prior!r}. Give BetaBinomial(a, b)."
            )
        if not is_real(self.threshold) or not math.isfinite(self.threshold):
            raise ParameterError(
                f"threshold must be finite: got {self.threshold!r}. Use 0 to count positive cells as present."
            )
        object.__setattr__(self, "threshold", float(self.threshold))

    def collect(self, columns: Columns) -> Collect:
        """Return the statistics to collect: for each column the weight of the rows present and observed."""
        return Collect("presence", columns, threshold=self.threshold)

    def restrict(self, stay: BoolArray) -> Bernoulli:
        """Return the likelihood restricted to a subset of columns, with their priors."""
        prior = self.prior
        if prior is None or isinstance(prior, str):
            return self
        return replace(self, prior=BetaBinomial(select_columns(prior.a, stay), select_columns(prior.b, stay)))

    def terms(self, block: BlockStatistics) -> tuple[Term, ...]:
        """Return ln θ and ln(1 − θ)."""
        logs = estimate_log_probabilities(*self._counts_and_alpha(block), block.reading.estimate)
        return (self._term(block, logs),)

    def uncertain(self, block: BlockStatistics) -> tuple[UncertainTerm, ...]:
        """Return the posterior Beta(a + N, b + n − N) of each class and column."""
        counts, alpha = self._counts_and_alpha(block)
        require_posterior(alpha, block.columns)
        return (UncertainOutcomes((counts + alpha,), lambda logs: self._term(block, logs[0])),)

    def log_evidence(self, block: BlockStatistics) -> float:
        """Return Σ_jc ln B(a + N_jc, b + n − N_jc) − ln B(a, b)."""
        return sum_log_evidence(*self._counts_and_alpha(block))

    def parameters(self, block: BlockStatistics, credible: float) -> Iterator[Parameter]:
        """Yield θ_jc of every class and column."""
        counts, alpha = self._counts_and_alpha(block)
        values = estimate_probabilities(counts, alpha, block.reading.estimate)[..., 0]
        lower, upper = compute_intervals(counts, alpha, credible)
        for c, label in enumerate(block.classes):
            for j, column in enumerate(block.columns):
                bounds = float(lower[c, j, 0]), float(upper[c, j, 0])
                value, counted = float(values[c, j]), (float(counts[c, j, 0]), float(counts[c, j].sum()))
                yield Parameter(label, column, None, "probability", block.reading.estimate, value, *bounds, *counted)

    def posterior(self, block: BlockStatistics, column: str | int, c: int) -> BetaBinomial:
        """Return Beta(a + N, b + n − N) of the probability of presence."""
        counts, alpha = (each[c, block.columns.index(column)] for each in self._counts_and_alpha(block))
        require_posterior(alpha, (column,))
        return BetaBinomial(*(counts + alpha))

    def outcome_counts(self, block: BlockStatistics) -> Iterator[OutcomeCounts]:
        """Yield the counts of present and absent cells of each column."""
        counts = self._counts(block)
        yield from (OutcomeCounts((column,), counts[:, j], 2.0) for j, column in enumerate(block.columns))

    def choices(self, block: BlockStatistics) -> dict[str | int, str]:
        """Return the α of each column if it was chosen by evidence."""
        if not isinstance(self.prior, str):
            return {}
        alphas = self._fit_alpha(self._counts(block)).tolist()
        return {column: format_alpha(alpha) for column, alpha in zip(block.columns, alphas, strict=True)}

    def sample(self, block: BlockStatistics, draw: Draw) -> list[npt.NDArray[Any]]:
        """Draw 1 (present) or 0 (absent), or values on either side of the threshold."""
        counts, alpha = self._counts_and_alpha(block)
        estimates = estimate_probabilities(counts, alpha, block.reading.estimate)
        theta = draw_probabilities(counts, alpha, estimates, draw, block.columns)[..., 0]
        is_present = draw.rng.random((draw.rows, len(block.columns))) < theta[draw.classes]
        absent = 0.0 if 0 <= self.threshold < 1 else self.threshold
        present = max(absent + 1, math.nextafter(absent, math.inf))
        cells = np.where(is_present, present, absent)
        return [cells[:, j] for j in range(len(block.columns))]

    def _term(self, block: BlockStatistics, logs: FloatArray) -> Presence:
        tables = transpose_table(logs[..., 0]), transpose_table(logs[..., 1])
        return Presence(block.columns, self.threshold, *tables)

    @staticmethod
    def _counts(block: BlockStatistics) -> FloatArray:
        # Outcomes along the last axis: present, absent.
        (counts,) = block.parts
        assert isinstance(counts, Counts)
        present, observed = align_columns(counts, block.columns, block.classes)
        # Sums of fractional weights may differ in the last bit.
        return np.stack([present, np.maximum(observed - present, 0.0)], axis=-1)

    def _fit_alpha(self, counts: FloatArray) -> FloatArray:
        # The α of each column with the greatest evidence.
        if self.prior == SHARED:  # every class and column has the same two outcomes
            return np.repeat(fit_alpha(counts.reshape(-1, 2)), counts.shape[1])
        return np.array([fit_alpha(counts[:, j]) for j in range(counts.shape[1])], dtype=np.float64)

    def _counts_and_alpha(self, block: BlockStatistics) -> tuple[FloatArray, FloatArray]:
        counts, prior = self._counts(block), self.prior
        if isinstance(prior, BetaBinomial) and block.reading.estimate != "smoothed":
            both = (broadcast_parameter(name, getattr(prior, name), *block.shape) for name in ("a", "b"))
            return counts, np.stack([*both], axis=-1)
        rule = prior if isinstance(prior, str) else None
        alpha = broadcast_parameter("alpha", choose_alpha(block, rule, lambda: self._fit_alpha(counts)), *block.shape)
        return counts, np.broadcast_to(alpha[..., None], counts.shape)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Presence(Term):
    """`present` if x > threshold, else `absent`; both of shape (D, C)."""

    columns: Columns
    threshold: float
    present: FloatArray
    absent: FloatArray

    per_column: ClassVar[tuple[str, ...]] = ("present", "absent")
    proportional: ClassVar[tuple[str, ...]] = ("present", "absent")

    def compile(self, layout: Layout) -> None:
        """Add both tables."""
        places = layout.numbers(self.columns)
        layout.tables.add_presence(places, self.threshold, contiguous(self.present), contiguous(self.absent))

    def split(self, rows: Rows, block: BlockStatistics) -> Split:
        """Return an entry for each known cell."""

        def added(x: FloatArray) -> FloatArray:
            return np.where((x > self.threshold)[..., None], self.present, self.absent)

        def outcome(_column: int, x: float) -> int:
            return int(x > self.threshold)

        facts = count_facts(block, self.columns, _describe_presence)
        return NumberSplit(self.columns, rows.numbers(self.columns), added, facts, outcome)

    def outcomes(self) -> Outcomes:
        """Return present and absent of each column."""
        return Outcomes.of_pairs(self.columns, self.present, self.absent, ("present", "absent"))

    def linear_form(self) -> LinearForm | None:
        """Return ln θ/(1 − θ) of each column."""
        return LinearForm.of_pairs(self.columns, self.present, self.absent, "present")


def _describe_presence(present: FloatArray, observed: FloatArray, column: int, outcome: int) -> dict[str, float]:
    times, known = float(present[:, column].sum()), float(observed[:, column].sum())
    return {"times": times if outcome else max(known - times, 0.0), "of": known}
