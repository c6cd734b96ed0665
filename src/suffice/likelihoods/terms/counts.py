"""Counts: rows of counts that are draws from one distribution over the columns, or counts each by itself.

    Linear           Σ_j x_j weight_j, 0 · (−inf) = 0                     multinomial, parameters plugged in
    Polya            ln Γ(A) − ln Γ(A + n) + Σ_j ln Γ(α_j + x_j) − ln Γ(α_j)          multinomial, integrated out
    Coefficient      ln n! − Σ_j ln x_j!, the same for every class        multinomial; cancels in posteriors
    PoissonCount     x ln λ − λ − ln x!                                   Poisson, the rate plugged in
    CompoundCount    ln Γ(r + x) − ln Γ(r) − ln x! + r ln(β/(β + 1)) − x ln(β + 1)     Poisson, integrated out

Of a row of counts some of which are missing, the observed ones are counted given their total: Linear, of a
distribution, takes n ln Σ_observed θ off, Polya and Coefficient take A and n of the observed columns.

Entries of an explanation:

    Linear    x_j (weight_j − ln Σ_observed θ): what its occurrences add
    Polya     ln Γ(α_j + x_j) − ln Γ(α_j) − (x_j/n) [ln Γ(A + n) − ln Γ(A)]. A row is n draws, one after the other, each
              of which adds ln((α_j + seen before)/(A + drawn before)); this is the mean of what the draws of column j
              add over all orders of the draws, that is, their Shapley value
    counts    what the cell adds, less ln x!
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, final

import numpy as np

from suffice.conjugate.log_gamma import log_rising
from suffice.conjugate.special import xlogy
from suffice.likelihoods.aligned import by_column
from suffice.likelihoods.terms.divergence import Other, count_divergence, log_of_rest, times
from suffice.likelihoods.terms.split import Facts, NumberSplit, Rows, Split, no_facts, no_outcome
from suffice.likelihoods.terms.term import Layout, Outcomes, Term, contiguous, outcome_ratio
from suffice.statistics import Counts
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from suffice.likelihoods.likelihood import Seen

__all__ = ["Coefficient", "CompoundCount", "Linear", "PoissonCount", "Polya"]

_NOTHING = np.empty((0, 0))


class _Draws(Term):
    # A row of counts that are draws from one distribution over the columns.
    __slots__ = ()

    @abstractmethod
    def _log_theta(self) -> FloatArray:
        # The log probability of each column, (D, C).
        ...

    @abstractmethod
    def _added(self, x: FloatArray) -> FloatArray:
        # What the counts (n, D) of each column add, (n, D, C).
        ...

    def split(self, rows: Rows, seen: Seen) -> Split:
        """Return an entry for each count above 0."""
        facts = _count_facts(seen, self.columns, draws=True)
        return NumberSplit(self.columns, rows.numbers(self.columns), self._added, facts, no_outcome, counts=True)

    def outcomes(self) -> Outcomes:
        """Return the columns, each an outcome of a draw."""
        return Outcomes.of(self.columns, [1] * len(self.columns), self._log_theta(), lambda _, __: None)

    def divergence(self, log_weight: FloatArray, other: Other = log_of_rest) -> Iterable[tuple[str | int, FloatArray]]:
        """Return nothing: that of a whole row has as many outcomes as there are ways to draw it."""
        del log_weight, other
        return ()

    def evidence(self, log_weight: FloatArray, seen: Seen) -> Iterable[tuple[str | int, FloatArray]]:
        """Yield each column and what its mean count adds against the rest."""
        sums = seen.parts[0]
        if not isinstance(sums, Counts):
            return ()
        total, weight = by_column(sums, self.columns, seen.classes)
        means = np.divide(total, weight, out=np.zeros_like(total), where=weight > 0).T
        logs = self._log_theta()
        return zip(self.columns, times(means, outcome_ratio(logs, log_of_rest(logs, log_weight))), strict=True)

    def size_terms(self, unseen: float, observed: set[str | int]) -> Iterator[Term]:
        """Yield the total of the row."""
        del unseen, observed
        yield Linear(self.columns, np.tile([1.0, 0.0], (len(self.columns), 1)), distribution=False)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Linear(_Draws):
    """Σ_j x_j weight_j: weight of shape (D, C), the logs of a distribution over the columns where it says so."""

    columns: Columns
    weight: FloatArray
    distribution: bool = True

    def compile(self, layout: Layout) -> None:
        """Add the weights."""
        layout.tables.add_linear(layout.numbers(self.columns), contiguous(self.weight), self.distribution)

    def _log_theta(self) -> FloatArray:
        return self.weight

    def _added(self, x: FloatArray) -> FloatArray:
        each, gaps = x[..., None], np.isnan(x)
        weight = np.broadcast_to(self.weight, (len(x), *self.weight.shape))
        if self.distribution and gaps.any():
            theta = np.where(gaps[..., None], 0.0, np.exp(weight)).sum(axis=1, keepdims=True)
            log_theta = np.log(np.where(theta > 0, theta, 1.0))
            log_theta[~gaps.any(axis=1)] = 0.0  # all of them are there
            weight = weight - log_theta
        return np.multiply(each, weight, out=np.zeros(weight.shape), where=each > 0)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Polya(_Draws):
    """The Dirichlet-multinomial of the whole row less its coefficient: alpha of shape (D, C)."""

    columns: Columns
    alpha: FloatArray

    def compile(self, layout: Layout) -> None:
        """Add α of each column."""
        places = layout.numbers(self.columns)
        layout.tables.add_counts(places, contiguous(self.alpha), _NOTHING, _NOTHING, factorials=False, whole_row=True)

    def _log_theta(self) -> FloatArray:
        return np.log(self.alpha) - np.log(self.alpha.sum(axis=0))

    def _added(self, x: FloatArray) -> FloatArray:
        gaps = np.isnan(x)
        start = np.where(gaps[..., None], 0.0, self.alpha).sum(axis=1)  # A of the observed columns, (n, C)
        n = np.where(gaps, 0.0, x).sum(axis=1, keepdims=True)
        of_total = log_rising(np.where(start > 0, start, 1.0), n)
        share = np.divide(x, n, out=np.zeros_like(x), where=n > 0)
        rising = log_rising(np.broadcast_to(self.alpha, (len(x), *self.alpha.shape)), np.where(gaps, 0.0, x)[..., None])
        return rising - share[..., None] * of_total[:, None]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Coefficient(Term):
    """The log multinomial coefficient of the row's counts, the same for every class."""

    columns: Columns

    cancels: ClassVar[bool] = True

    def compile(self, layout: Layout) -> None:
        """Add the coefficient."""
        layout.tables.add_coefficient(layout.numbers(self.columns))

    def split(self, rows: Rows, seen: Seen) -> None:
        """Return None: all classes get the same."""
        del rows, seen

    def size_terms(self, unseen: float, observed: set[str | int]) -> Iterator[Term]:
        """Yield nothing: the counts have a term of their own."""
        del unseen, observed
        yield from ()


class _Count(Term):
    # Columns of counts by themselves.
    __slots__ = ()

    @abstractmethod
    def _logs(self, x: FloatArray, columns: slice) -> FloatArray:
        # ln p(x | c) + ln x! of counts (n, d) of some columns, (n, d, C); ln x! is the same for every class.
        ...

    @abstractmethod
    def _mean_and_variance(self) -> tuple[FloatArray, FloatArray]:
        # Of each column and class, (D, C).
        ...

    def split(self, rows: Rows, seen: Seen) -> Split:
        """Return an entry for each known count."""
        facts = _count_facts(seen, self.columns, draws=False)
        cells = rows.numbers(self.columns)
        return NumberSplit(self.columns, cells, lambda x: self._logs(x, slice(None)), facts, no_outcome)

    def divergence(self, log_weight: FloatArray, other: Other = log_of_rest) -> Iterable[tuple[str | int, FloatArray]]:
        """Yield each column and its divergence from the other distribution."""
        mean, variance = self._mean_and_variance()

        def logs_of(j: int, x: FloatArray) -> FloatArray:
            return self._logs(x[:, None], slice(j, j + 1))[:, 0]

        return zip(self.columns, count_divergence(mean, np.sqrt(variance), logs_of, log_weight, other), strict=True)


@final
@dataclass(frozen=True, slots=True, eq=False)
class PoissonCount(_Count):
    """The log Poisson probability of each count: rate ≥ 0 of shape (D, C)."""

    columns: Columns
    rate: FloatArray

    per_column: ClassVar[tuple[str, ...]] = ("rate",)

    def compile(self, layout: Layout) -> None:
        """Add ln λ and −λ."""
        with np.errstate(divide="ignore"):  # a rate of 0 has the log −inf
            slope = np.log(self.rate)
        arrays = _NOTHING, contiguous(slope), contiguous(-self.rate)
        layout.tables.add_counts(layout.numbers(self.columns), *arrays, factorials=True, whole_row=False)

    def _logs(self, x: FloatArray, columns: slice) -> FloatArray:
        return xlogy(x[..., None], self.rate[columns]) - self.rate[columns]

    def _mean_and_variance(self) -> tuple[FloatArray, FloatArray]:
        return self.rate, self.rate


@final
@dataclass(frozen=True, slots=True, eq=False)
class CompoundCount(_Count):
    """The log negative binomial probability of each count: shape and rate > 0, each of shape (D, C)."""

    columns: Columns
    shape: FloatArray
    rate: FloatArray

    per_column: ClassVar[tuple[str, ...]] = ("shape", "rate")

    def compile(self, layout: Layout) -> None:
        """Add r, −ln(β + 1) and r ln(β/(β + 1))."""
        slope, base = -np.log1p(self.rate), -self.shape * np.log1p(1 / self.rate)
        arrays = map(contiguous, (self.shape, slope, base))
        layout.tables.add_counts(layout.numbers(self.columns), *arrays, factorials=True, whole_row=False)

    def _logs(self, x: FloatArray, columns: slice) -> FloatArray:
        r, beta, each = self.shape[columns], self.rate[columns], x[..., None]
        rising = log_rising(np.broadcast_to(r, (len(x), *r.shape)), each)
        return rising - r * np.log1p(1 / beta) - each * np.log1p(beta)

    def _mean_and_variance(self) -> tuple[FloatArray, FloatArray]:
        mean = self.shape / self.rate
        return mean, mean * (1 + 1 / self.rate)


def _count_facts(seen: Seen, columns: Columns, *, draws: bool) -> Facts:
    # Occurrences of all, where they are draws, or the mean of each.
    part = seen.parts[0]
    if not isinstance(part, Counts):
        return no_facts
    total, weight = by_column(part, columns, seen.classes)

    def facts(column: int, _outcome: int, at: IntArray) -> dict[str, float]:
        times_seen = float(total[at, column].sum())
        if draws:
            return {"times": times_seen, "of": float(total[at].sum())}
        known = float(weight[at, column].sum())
        return {"mean": times_seen / known} if known > 0 else {}

    return facts
