"""Occurrences: a row of counts x is n draws from the distribution θ_c over the columns.

Symbols: N_cj = Σ x_j over the rows of class c, n_c = Σ_j N_cj, D columns, prior Dir(α).

    mle          N_cj/n_c                               smoothed   (N_cj + λ)/(n_c + D λ)
    map          (N_cj + α_j − 1)/(n_c + α₀ − D)        mean       (N_cj + α_j)/(n_c + α₀)
    term         ln coef + Σ_j x_j ln θ_cj,   coef = n!/Π x_j!
    predictive   of the whole row, θ integrated out (Dirichlet-multinomial, Pólya), A_c = Σ_j (α_j + N_cj):
                 ln coef + ln Γ(A_c) − ln Γ(A_c + n) + Σ_j [ln Γ(α_j + N_cj + x_j) − ln Γ(α_j + N_cj)]
    evidence     Σ_c [ln B(α + N_c) − ln B(α)] + Σ_i ln coef_i

A missing count is not a zero: the others are counted given their total. The statistics take it so too, and the evidence
is that of the counts that were seen.

coefficients=False leaves ln coef out of term, predictive and evidence: they are then those of the sequence of draws in
its order, as of the words of a document, not of how often each outcome came. The coefficient is the same for every
class, so class posteriors do not change; and its logs are not collected, which saves a pass over the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
import numpy.typing as npt

from suffice.conjugate import DirichletMultinomial
from suffice.conjugate.gamma_draws import simplex_draws
from suffice.errors import ParameterError
from suffice.likelihoods import probabilities as outcomes
from suffice.likelihoods.aligned import by_column, of_columns, per_cell, table, total_of_logs
from suffice.likelihoods.collect import Collect
from suffice.likelihoods.concentration import Alpha, EvidenceAlpha, alpha_of_columns, alpha_shown, prior_and_alpha
from suffice.likelihoods.draws import Draw, theta_drawn
from suffice.likelihoods.evidence_alpha import evidence_alpha
from suffice.likelihoods.likelihood import Likelihood, OutcomeCounts, Parameter, Seen
from suffice.likelihoods.terms import Coefficient, Linear, Polya, Term
from suffice.likelihoods.uncertain import CountsTerm, UncertainTerm, require_posterior
from suffice.statistics import Counts
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import BoolArray, FloatArray

__all__ = ["Multinomial"]

_CELLS_AT_ONCE = 2**22


@final
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Multinomial(Likelihood):
    """Columns of counts that are draws from one distribution over the columns: words of a document.

    Parameters
    ----------
    prior : DirichletMultinomial, optional
        Dir(α) over the columns: α of shape (columns,) or (classes, columns).
    alpha : float or array > 0, or "evidence", optional
        α given as one number, one per column, or one per class and column. By default 1, and 2 for the map reading.
        "evidence" takes the one α from 0.001 to 1 with the greatest evidence (evidence_alpha.py), and 1 + α for map.
    coefficients : bool
        Whether log p(c, x), log p(x) and evidence count the orders of the draws, n!/Π x_j!, or are those of one order.

    Examples
    --------
    >>> Multinomial(alpha=0.1)
    Multinomial(alpha=0.1)
    """

    has_length: ClassVar[bool] = True

    prior: DirichletMultinomial | None
    alpha: Alpha | EvidenceAlpha | None
    coefficients: bool

    def __init__(
        self,
        prior: DirichletMultinomial | EvidenceAlpha | None = None,
        alpha: npt.ArrayLike | EvidenceAlpha | None = None,
        *,
        coefficients: bool = True,
    ) -> None:
        kept = prior_and_alpha("Multinomial", prior, alpha, columns=False)
        if not isinstance(coefficients, (bool, np.bool_)):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ParameterError(
                f"coefficients must be True or False: got {coefficients!r}. Give False for draws in their order."
            )
        for name, value in zip(("prior", "alpha"), kept, strict=True):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "coefficients", bool(coefficients))

    def collect(self, columns: Columns) -> Collect:
        """Ask for the sum of each column, and for the logs of the rows' coefficients where they count."""
        return Collect("sums", columns, logs="rows" if self.coefficients else "none")

    def restrict(self, stay: BoolArray) -> Multinomial:
        """Return the likelihood of some of its columns, with their priors; the rows' coefficients are not known."""
        prior = self.prior
        if prior is not None and stay.any():
            prior = DirichletMultinomial(of_columns(prior.alpha, stay))
        return Multinomial(prior, alpha_of_columns(self.alpha, stay), coefficients=False)

    def terms(self, seen: Seen) -> tuple[Term, ...]:
        """Return ln θ, or α + N where it is integrated out, and the coefficient where it counts."""
        counts, alpha = self._counts(seen)
        coefficient = (Coefficient(seen.columns),) if self.coefficients else ()
        if seen.reading.estimate == "predictive":
            return Polya(seen.columns, table(counts + alpha)), *coefficient
        logs = outcomes.log_probabilities(counts, alpha, seen.reading.estimate)
        return Linear(seen.columns, table(logs)), *coefficient

    def uncertain(self, seen: Seen) -> tuple[UncertainTerm, ...]:
        """Return Dir(α + N) of each class."""
        counts, alpha = self._counts(seen)
        require_posterior(alpha, seen.columns)
        return (CountsTerm(seen.columns, counts + alpha),)

    def log_evidence(self, seen: Seen) -> float:
        """Return Σ_c ln B(α + N_c) − ln B(α), and the coefficients of the rows where they count."""
        of_draws = outcomes.log_evidence(*self._counts(seen))
        return of_draws + total_of_logs(seen.parts[1]) if self.coefficients else of_draws

    def parameters(self, seen: Seen, credible: float) -> Iterator[Parameter]:
        """Yield θ_cj of every class and column."""
        counts, alpha = self._counts(seen)
        values = outcomes.probabilities(counts, alpha, seen.reading.estimate)
        lower, upper = outcomes.intervals(counts, alpha, credible)
        for c, label in enumerate(seen.classes):
            for j, column in enumerate(seen.columns):
                three = float(values[c, j]), float(lower[c, j]), float(upper[c, j])
                yield Parameter(label, column, None, "probability", seen.reading.estimate, *three)

    def outcome_counts(self, seen: Seen) -> Iterator[OutcomeCounts]:
        """Yield the occurrences of all columns."""
        counts, _ = by_column(_sums(seen), seen.columns, seen.classes)
        yield OutcomeCounts(seen.columns, counts, float(len(seen.columns)))

    def choices(self, seen: Seen) -> dict[str | int, str]:
        """Return the α of the block for each column, where the evidence chose it."""
        if not isinstance(self.alpha, str):
            return {}
        counts, _ = by_column(_sums(seen), seen.columns, seen.classes)
        return dict.fromkeys(seen.columns, alpha_shown(evidence_alpha(counts)))

    def sample(self, seen: Seen, draw: Draw) -> list[npt.NDArray[Any]]:
        """Return rows of counts, each of its length: by default the mean total of its class, rounded, at least 1."""
        counts, alpha = self._counts(seen)
        each_row = seen.reading.estimate == "predictive" and not draw.posterior
        read = outcomes.probabilities(counts, alpha, seen.reading.estimate)
        theta = theta_drawn(counts, alpha, read, draw, seen.columns)
        length = self._lengths(seen)[draw.classes] if draw.length is None else draw.length
        cells: npt.NDArray[np.int64] = np.zeros((draw.rows, len(seen.columns)), dtype=np.int64)
        step = max(1, _CELLS_AT_ONCE // len(seen.columns))
        for c, rows in draw.groups:
            for some in (rows[at : at + step] for at in range(0, len(rows), step)):
                of_rows = simplex_draws(counts[c] + alpha[c], len(some), draw.rng) if each_row else theta[c]
                cells[some] = draw.rng.multinomial(length[some], of_rows)
        return [cells[:, j] for j in range(len(seen.columns))]

    @staticmethod
    def _lengths(seen: Seen) -> npt.NDArray[np.int64]:
        # Column by column, because in some rows some counts may be missing; of a class without rows that of all.
        total, weight = by_column(_sums(seen), seen.columns, seen.classes)
        of_all = total.sum(axis=0) / np.maximum(weight.sum(axis=0), np.finfo(np.float64).tiny)
        means = np.where(weight > 0, total / np.where(weight > 0, weight, 1.0), of_all).sum(axis=1)
        return np.clip(np.rint(means), 1, 2**53).astype(np.int64)

    def _counts(self, seen: Seen) -> tuple[FloatArray, FloatArray]:
        counts, _ = by_column(_sums(seen), seen.columns, seen.classes)
        given = outcomes.smoothing(seen)
        if given is not None:
            return counts, per_cell("alpha", given, *seen.shape)
        if self.prior is not None and seen.reading.estimate != "smoothed":
            return counts, per_cell("the prior of Multinomial", self.prior.alpha, *seen.shape)
        each: Any = outcomes.default_prior_count(seen.reading.estimate) if self.alpha is None else self.alpha
        if isinstance(each, str):
            smoothed = seen.reading.estimate == "smoothed"  # whose pseudo-count is the reading's, 1 by default
            each = 1.0 if smoothed else evidence_alpha(counts) + (seen.reading.estimate == "map")
        return counts, per_cell("alpha", each, *seen.shape)


def _sums(seen: Seen) -> Counts:
    sums = seen.parts[0]
    assert isinstance(sums, Counts)
    return sums
