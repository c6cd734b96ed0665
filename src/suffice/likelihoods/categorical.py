"""Levels: x_j = k with probability θ_jc(k) in class c, each column by itself.

Symbols: N_jc(k) weight of the rows of class c with x_j = k, n = Σ_k N_jc(k), S_j levels of column j, prior Dir(α).

    mle N_jc(k)/n     smoothed (N_jc(k) + λ)/(n + S_j λ)     map (N_jc(k) + α_k − 1)/(n + α₀ − S_j)
    mean, predictive (N_jc(k) + α_k)/(n + α₀)
    term   ln θ_jc(k), nothing where missing

A level is one that a row has shown, in any class, or that is declared: text, a number, a bool. An unseen one is
missing, or, with unseen="mass", shares one further level of S_j + 1 that no row has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast, final

import numpy as np
import numpy.typing as npt

from suffice.conjugate import DirichletMultinomial
from suffice.conjugate.arguments import is_real, option, whole
from suffice.errors import ParameterError
from suffice.likelihoods import probabilities as outcomes
from suffice.likelihoods.aligned import by_class, per_cell, table
from suffice.likelihoods.collect import Collect
from suffice.likelihoods.concentration import (
    SHARED,
    Alpha,
    EvidenceAlpha,
    alpha_of_columns,
    alpha_shown,
    prior_and_alpha,
)
from suffice.likelihoods.draws import Draw, cells_of, outcomes_drawn, theta_drawn, unseen_label
from suffice.likelihoods.evidence_alpha import evidence_alpha, shared_evidence_alpha
from suffice.likelihoods.likelihood import Likelihood, OutcomeCounts, Parameter, Seen
from suffice.likelihoods.terms import Levels, Term
from suffice.likelihoods.uncertain import DirichletTerm, UncertainTerm, require_posterior
from suffice.statistics import Axis, Counts
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import BoolArray, FloatArray
from suffice.statistics.labels import Label

__all__ = ["Categorical"]


@final
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Categorical(Likelihood):
    """Columns of levels: text, whole or other numbers, bools. 1.0 is 1; "1" is not 1; True is not 1.

    Parameters
    ----------
    prior : DirichletMultinomial, optional
        Dir(α) over the levels of each column in their sorted order: α of shape (levels,) or (classes, levels).
    alpha : float or array > 0, "evidence" or "shared evidence", optional
        The same α for every level instead: one number, one per column, or one per class and column. By default 1, and 2
        for the map reading. "evidence" takes for each column the α from 0.001 to 1 with the greatest evidence
        (evidence_alpha.py), "shared evidence" one for all columns, and 1 + α for the map reading.
    levels : int or iterable of labels, optional
        Levels that count whether or not a row has them; an int L stands for 0, …, L − 1.
    unseen : "ignore" or "mass"
        A level that is none of the known ones is missing, or has the probability of one further level.
    missing : "ignore" or "level"
        A missing cell is left out, or is a level of its own, None.

    Examples
    --------
    >>> Categorical(levels=3, unseen="mass")
    Categorical(levels=(0, 1, 2), unseen='mass')
    """

    column_by_column: ClassVar[bool] = True

    prior: DirichletMultinomial | None
    alpha: Alpha | EvidenceAlpha | None
    levels: tuple[Label, ...] | None
    unseen: Literal["ignore", "mass"]
    missing: Literal["ignore", "level"]

    def __init__(
        self,
        prior: DirichletMultinomial | EvidenceAlpha | None = None,
        alpha: npt.ArrayLike | EvidenceAlpha | None = None,
        levels: int | Iterable[object] | None = None,
        unseen: Literal["ignore", "mass"] = "ignore",
        missing: Literal["ignore", "level"] = "ignore",
    ) -> None:
        for name, value in zip(
            ("prior", "alpha"), prior_and_alpha("Categorical", prior, alpha, columns=True), strict=True
        ):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "levels", None if levels is None else _declared(levels))
        object.__setattr__(self, "unseen", option("unseen", unseen, ("ignore", "mass")))
        object.__setattr__(self, "missing", option("missing", missing, ("ignore", "level")))

    def collect(self, columns: Columns) -> Collect:
        """Ask for the weight of each level of each column."""
        return Collect("levels", columns, levels=self.levels, missing_level=self.missing == "level")

    def restrict(self, stay: BoolArray) -> Categorical:
        """Return the likelihood of some of its columns, with their α; a prior is one of levels."""
        return Categorical(self.prior, alpha_of_columns(self.alpha, stay), self.levels, self.unseen, self.missing)

    def require_prunable(self, column: str | int) -> None:
        """Raise ParameterError where there is a prior: it has a number for each level."""
        if self.prior is not None:
            raise ParameterError(
                f"cannot prune levels of column {column!r}: its prior has a number for each of them. "
                "Declare them with levels=, which keeps them, or give alpha= instead of a prior."
            )

    def terms(self, seen: Seen) -> tuple[Term, ...]:
        """Return the table of ln θ, a row for each level."""
        axes: list[Axis] = []
        logs: list[FloatArray] = []
        for levels, counts, alpha in self._by_column(seen):
            axes.append(levels)
            logs.append(outcomes.log_probabilities(counts, alpha, seen.reading.estimate))
        return (self._term(seen.columns, axes, logs),)

    def uncertain(self, seen: Seen) -> tuple[UncertainTerm, ...]:
        """Return Dir(α + N) of each class and column."""
        axes, alphas = list[Axis](), list[FloatArray]()
        for at, (levels, counts, alpha) in enumerate(self._by_column(seen)):
            require_posterior(alpha, seen.columns[at:])
            axes.append(levels)
            alphas.append(counts + alpha)
        return (DirichletTerm(tuple(alphas), lambda logs: self._term(seen.columns, axes, logs)),)

    def _term(self, columns: Columns, axes: Sequence[Axis], logs: Sequence[FloatArray]) -> Levels:
        mass, informative = self.unseen == "mass", self.missing == "level"
        return Levels(columns, tuple(axes), np.concatenate([table(each) for each in logs]), mass, informative)

    def log_evidence(self, seen: Seen) -> float:
        """Return Σ_jc ln B(α + N_jc) − ln B(α)."""
        return sum((outcomes.log_evidence(counts, alpha) for _, counts, alpha in self._by_column(seen)), 0.0)

    def parameters(self, seen: Seen, credible: float) -> Iterator[Parameter]:
        """Yield θ_jc(k) of every class, column and level that was seen or declared."""
        estimate = seen.reading.estimate
        for column, (levels, counts, alpha) in zip(seen.columns, self._by_column(seen), strict=True):
            values = outcomes.probabilities(counts, alpha, estimate)
            lower, upper = outcomes.intervals(counts, alpha, credible)
            for c, label in enumerate(seen.classes):
                for k, name in enumerate(levels):
                    three = float(values[c, k]), float(lower[c, k]), float(upper[c, k])
                    yield Parameter(label, column, name, "probability", estimate, *three)

    def outcome_counts(self, seen: Seen) -> Iterator[OutcomeCounts]:
        """Yield the levels of each column, and the unseen one where that counts."""
        for column, part in zip(seen.columns, seen.parts, strict=True):
            counts = self._counted(part, seen)
            yield OutcomeCounts((column,), counts, float(counts.shape[1]))

    def choices(self, seen: Seen) -> dict[str | int, str]:
        """Return the α of each column, where the evidence chose it."""
        if not isinstance(self.alpha, str):
            return {}
        found = self._chosen([self._counted(part, seen) for part in seen.parts])
        return {column: alpha_shown(alpha) for column, alpha in zip(seen.columns, found, strict=True)}

    def sample(self, seen: Seen, draw: Draw) -> list[npt.NDArray[Any]]:
        """Return levels; one of the mass of the unseen is a level that no row has shown."""
        drawn: list[npt.NDArray[Any]] = []
        for levels, counts, alpha in self._by_column(seen):
            read = outcomes.probabilities(counts, alpha, seen.reading.estimate)
            codes = outcomes_drawn(theta_drawn(counts, alpha, read, draw, seen.columns[len(drawn) :]), draw)
            further = (unseen_label(levels),) if (codes == len(levels)).any() else ()
            drawn.append(cells_of(codes, (*levels.labels, *further)))
        return drawn

    def _by_column(self, seen: Seen) -> Iterator[tuple[Axis, FloatArray, FloatArray]]:
        # Of each column its levels, their counts and prior counts (C, K); the last of K is the unseen, if it counts.
        given, estimate = outcomes.smoothing(seen), seen.reading.estimate
        chosen: list[float] = []
        if given is None and isinstance(self.alpha, str) and estimate != "smoothed":
            chosen = self._chosen([self._counted(part, seen) for part in seen.parts])
        if given is None:
            given = self.alpha
            if given is None or isinstance(given, str):
                given = outcomes.default_prior_count(estimate)
        symmetric = per_cell("alpha", given, *seen.shape)
        for j, part in enumerate(seen.parts):
            assert isinstance(part, Counts)
            counts = self._counted(part, seen)
            alpha: FloatArray = np.broadcast_to(symmetric[:, j : j + 1], counts.shape)
            if chosen:
                alpha = np.full(counts.shape, chosen[j] + (estimate == "map"))
            if self.prior is not None and estimate != "smoothed":
                alpha = self._prior_counts(self.prior.alpha, counts.shape, seen.columns[j], part.levels)
            yield part.levels, counts, alpha

    def _counted(self, part: Any, seen: Seen) -> FloatArray:
        assert isinstance(part, Counts)
        counts = by_class(part.values, part.classes, seen.classes)
        return np.pad(counts, ((0, 0), (0, 1))) if self.unseen == "mass" else counts

    def _chosen(self, counts: list[FloatArray]) -> list[float]:
        if self.alpha == SHARED:
            return [shared_evidence_alpha(counts)] * len(counts)
        return [evidence_alpha(each) for each in counts]

    def _prior_counts(
        self, alpha: FloatArray, shape: tuple[int, ...], column: str | int, levels: Axis
    ) -> npt.NDArray[Any]:
        if alpha.shape in ((shape[1],), (1, shape[1]), shape):
            return np.broadcast_to(alpha, shape)
        further = " and one for the unseen" if self.unseen == "mass" else ""
        raise ParameterError(
            f"the prior of column {column!r} must have one number for each of its {len(levels)} levels{further}: "
            f"got shape {alpha.shape}. Give shape ({shape[1]},) or {shape}, "
            "name the levels with levels=, or use alpha=."
        )


def _declared(levels: Any) -> tuple[Label, ...]:
    if is_real(levels):
        return tuple(range(whole("levels", levels, 0)))
    if isinstance(levels, str) or not isinstance(levels, Iterable):
        raise ParameterError(f"levels must be a number of levels or a list of them: got {levels!r}.")
    return Axis.of(cast("Iterable[object]", levels)).labels
