"""Categorical columns modelled jointly: the combination s of a row's levels has probability θ_c(s) in class c.

Symbols: N_c(s) is the weight of the rows of class c with combination s, n = Σ_s N_c(s), S_j the number of levels of
column j, T = Π_j S_j the number of combinations, M of which occur in the data. The prior is Dir(α) with the same α for
all T combinations. A column without known cells has one level, unknown.

    mle N_c(s)/n, 1/T if n = 0           smoothed (N_c(s) + λ)/(n + T λ)
    map (N_c(s) + α − 1)/(n + T(α − 1)), clipped at 0 and renormalised; the mean if all are clipped
    mean, predictive (N_c(s) + α)/(n + T α)
    evidence   Σ_c { ln Γ(Tα) − ln Γ(Tα + n) + Σ_s [ln Γ(α + N_c(s)) − ln Γ(α)] }

Only observed combinations are stored; all others have the same probability ρ. A row with a missing cell counts toward
the levels of its columns but not toward any combination. At prediction the missing cells are summed out: with known
levels k_j in the columns K,

    p(row) = Σ_{s observed, s_K = k} θ(s) + (Π_{j ∉ K} S_j − #{s observed, s_K = k}) ρ

A level that is not on the axis of its column counts as missing. A row with missing cells only contributes 0.

Draws, with U = T − M unobserved combinations of total probability R:

    point estimate   s with probability θ(s), an unobserved combination with R, all U being equally probable
    posterior        (θ, R) ~ Dir(α + N, …, U α). The probabilities of the unobserved combinations ~ Dir(α, …, α) are
                     integrated out: the i-th row among them is a new combination with probability U α/(U α + i), all U
                     being equally probable, otherwise a copy of one of the i before it (Blackwell and MacQueen 1973)

Unobserved combinations are listed if they are at most half of all, otherwise drawn by rejection.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple, cast, final

import numpy as np
import numpy.typing as npt

from suffice.conjugate import BetaBinomial, DirichletMultinomial
from suffice.conjugate.special import log_rising
from suffice.errors import ParameterError
from suffice.likelihoods.block_statistics import (
    BlockStatistics,
    Collect,
    align_classes,
    broadcast_parameter,
    transpose_table,
)
from suffice.likelihoods.categorical import make_level_sizes
from suffice.likelihoods.dirichlet import (
    MOST_COUNT,
    Alpha,
    EvidenceAlpha,
    choose_alpha,
    draw_log_simplex,
    fit_alpha,
    format_alpha,
    named_posterior,
    parse_alpha,
)
from suffice.likelihoods.draws import UNSEEN, Draw, decode_cells, draw_outcomes, draw_probabilities
from suffice.likelihoods.likelihood import Likelihood, OutcomeCounts, Parameter
from suffice.likelihoods.terms.split import BlockSplit, LevelCells, Rows, Split
from suffice.likelihoods.terms.term import Layout, Outcomes, Term, UncertainTerm, contiguous, require_posterior
from suffice.statistics import Axis, Counts
from suffice.statistics.arrays import BoolArray, FloatArray, IntArray
from suffice.statistics.axis import Columns, columns_of
from suffice.statistics.labels import Label

__all__ = ["Combinations", "Joint", "UncertainCombinations"]

_MOST_LISTED = 4096


class _Estimates(NamedTuple):
    # Counts of the observed combinations (C, M); for each class α and n; T; for each class the probability of every
    # observed combination (C, M) and of any unobserved one (C).
    counts: FloatArray
    alpha: FloatArray
    total: FloatArray
    combinations: float
    observed: FloatArray
    rest: FloatArray


@final
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Joint(Likelihood):
    """Joint categorical likelihood over the combinations of levels, without an independence assumption.

    Parameters
    ----------
    columns : list of names, optional
        The columns of the block. In `columns={("a", "b"): Joint()}` the key names them instead.
    alpha : float or array > 0, or "evidence", optional
        Pseudo-count α of every combination: a scalar or shape (classes, 1). Default: 1, or 2 for estimate="map".
        "evidence" selects the α in [0.001, 1] that maximises the marginal likelihood; estimate="map" uses 1 + α.

    Examples
    --------
    >>> Joint(["fur", "sex"], alpha=0.5)
    Joint(columns=('fur', 'sex'), alpha=0.5)
    """

    columns: Columns | None
    alpha: Alpha | EvidenceAlpha | None

    def __init__(
        self, columns: Iterable[str | int] | None = None, alpha: npt.ArrayLike | EvidenceAlpha | None = None
    ) -> None:
        if isinstance(columns, str):
            raise ParameterError(f"columns of Joint must be a list of names: got {columns!r}. Give [{columns!r}, …].")
        self._set(
            columns=None if columns is None else columns_of(columns),
            alpha=parse_alpha(alpha, columns=False),
        )

    @property
    def own_columns(self) -> Columns | None:
        """Columns of the block, if given in the constructor."""
        return self.columns

    def collect(self, columns: Columns) -> Collect:
        """Return the statistics to collect: the weight of each combination, and of the levels of each column."""
        return Collect("joint", columns)

    def terms(self, block: BlockStatistics) -> tuple[Term, ...]:
        """Return ln θ of the observed combinations, and the common ln θ of all unobserved ones."""
        return (self._term(block),)

    def _term(self, block: BlockStatistics) -> Combinations:
        _, levels = self._axes(block)
        estimates = self._estimates(block)
        with np.errstate(divide="ignore"):
            table, rest = np.log(transpose_table(estimates.observed)), np.log(estimates.rest)
        return Combinations(block.columns, levels, self._positions(block), table, rest)

    def uncertain(self, block: BlockStatistics) -> tuple[UncertainTerm, ...]:
        """Return the posterior Dir(α + N) of each class over all combinations."""
        _, levels = self._axes(block)
        estimates = self._estimates(block)
        require_posterior(estimates.alpha, block.columns)
        after = estimates.counts + estimates.alpha[:, None]
        positions, total = self._positions(block), estimates.combinations
        return (UncertainCombinations(block.columns, levels, positions, after, estimates.alpha, total),)

    def log_evidence(self, block: BlockStatistics) -> float:
        """Return the log marginal likelihood of the sequence of combinations, summed over classes."""
        estimates = self._estimates(block)
        if not estimates.counts.any():
            return 0.0
        if not (estimates.alpha > 0).all():
            return -np.inf
        counts, weight = (np.minimum(values, MOST_COUNT) for values in (estimates.counts, estimates.total))
        total = log_rising(estimates.alpha[:, None], counts).sum() if counts.size else 0.0
        return float(total - log_rising(estimates.alpha * estimates.combinations, weight).sum())

    def parameters(self, block: BlockStatistics, credible: float) -> Iterator[Parameter]:
        """Yield θ_c(s) of every class and observed combination; its level is the tuple of levels."""
        axis, _ = self._axes(block)
        estimates = self._estimates(block)
        shape = estimates.counts.shape
        lower, upper = np.full(shape, np.nan), np.full(shape, np.nan)
        if estimates.counts.size and (estimates.alpha > 0).all() and estimates.combinations > 1:
            a = estimates.counts + estimates.alpha[:, None]
            b = (estimates.total + estimates.alpha * estimates.combinations)[:, None] - a
            interval = BetaBinomial(a, b).interval(credible)
            lower, upper = np.asarray(interval.lower), np.asarray(interval.upper)
        name = ", ".join(map(str, block.columns))
        for c, label in enumerate(block.classes):
            for k, combination in enumerate(axis):
                numbers = float(estimates.observed[c, k]), float(lower[c, k]), float(upper[c, k])
                counted = float(estimates.counts[c, k]), float(estimates.total[c])
                yield Parameter(label, name, combination, "probability", block.reading.estimate, *numbers, *counted)

    def posterior(self, block: BlockStatistics, column: str | int, c: int) -> DirichletMultinomial:
        """Return Dir(α + N) over the observed combinations, and all unobserved ones together as the last outcome."""
        axis, _ = self._axes(block)
        estimates = self._estimates(block)
        require_posterior(estimates.alpha[c : c + 1], (column,))
        others = estimates.combinations - len(axis)
        alpha = np.append(estimates.counts[c], 0.0) + estimates.alpha[c] * np.append(np.ones(len(axis)), others)
        names = *map(repr, axis), UNSEEN
        return named_posterior(alpha if others > 0 else alpha[:-1], names, column)

    def outcome_counts(self, block: BlockStatistics) -> Iterator[OutcomeCounts]:
        """Yield the counts of the combinations."""
        yield OutcomeCounts(block.columns, *self._counts(block))

    def choices(self, block: BlockStatistics) -> dict[str | int, str]:
        """Return the α of the block for each column if it was chosen by evidence."""
        if not isinstance(self.alpha, str):
            return {}
        return dict.fromkeys(block.columns, format_alpha(fit_alpha(*self._counts(block))))

    def sample(self, block: BlockStatistics, draw: Draw) -> list[npt.NDArray[Any]]:
        """Draw combinations of levels, including unobserved ones."""
        term, estimates = self._term(block), self._estimates(block)
        positions: IntArray = np.full((draw.rows, len(block.columns)), -1, dtype=np.int64)
        if draw.rows:
            others = estimates.combinations - len(term.observed)
            # The last outcome stands for all unobserved combinations; there may be none.
            alpha = np.broadcast_to(estimates.alpha[:, None], estimates.counts.shape)
            counts = np.pad(estimates.counts, ((0, 0), (0, 1)))
            prior = np.concatenate([alpha, estimates.alpha[:, None] * others], axis=1)
            theta = np.concatenate([estimates.observed, estimates.rest[:, None] * others], axis=1)
            if draw.posterior and not others:
                counts, prior, theta = counts[:, :-1], prior[:, :-1], theta[:, :-1]
            codes = draw_outcomes(draw_probabilities(counts, prior, theta, draw, block.columns), draw)
            positions = np.concatenate([term.observed, positions[:1]])[np.minimum(codes, len(term.observed))]
            for c, rows in draw.groups:
                unseen = rows[codes[rows] == len(term.observed)]
                if len(unseen):
                    fresh = _draw_unobserved(term, len(unseen), draw.rng)
                    strength = float(estimates.alpha[c]) * others
                    positions[unseen] = (
                        fresh[_draw_copies(len(unseen), strength, draw.rng)] if draw.posterior else fresh
                    )
        for j, axis in enumerate(term.levels):
            if not len(axis):
                positions[:, j] = -1
        return [decode_cells(positions[:, j], axis.labels) for j, axis in enumerate(term.levels)]

    @staticmethod
    def _axes(block: BlockStatistics) -> tuple[Axis, tuple[Axis, ...]]:
        counts = [part for part in block.parts if isinstance(part, Counts)]
        return counts[0].levels, tuple(part.levels for part in counts[1:])

    def _positions(self, block: BlockStatistics) -> IntArray:
        # For each observed combination, the positions of its levels on the axes of the columns.
        axis, levels = self._axes(block)
        positions = np.zeros((len(axis), len(levels)), dtype=np.int64)
        for j, of_column in enumerate(levels):
            positions[:, j] = of_column.positions(_as_tuple(label)[j] for label in axis)
        return positions

    def _estimates(self, block: BlockStatistics) -> _Estimates:
        counts, t = self._counts(block)
        alpha, n, estimate = self._alpha(block), counts.sum(axis=1), block.reading.estimate
        if not math.isfinite(t * max(1.0, float(alpha.max(initial=0.0)))):
            raise ParameterError(
                f"Joint of {len(block.columns)} columns has too many combinations for float64. "
                "Use fewer columns, or model them independently."
            )
        if estimate == "mle":
            added = np.zeros_like(alpha)
        elif estimate == "map":
            added = alpha - 1
        else:
            added = alpha
        observed = np.maximum(counts + added[:, None], 0.0)
        other = np.maximum(added, 0.0)
        total = observed.sum(axis=1) + other * (t - counts.shape[1])
        fallback = alpha if estimate == "map" else np.ones_like(alpha)  # the mean, or the uniform distribution
        nothing = total <= 0
        observed = np.where(nothing[:, None], counts + fallback[:, None] if estimate == "map" else 1.0, observed)
        other = np.where(nothing, fallback, other)
        total = np.where(nothing, n + fallback * t if estimate == "map" else t, total)
        return _Estimates(counts, alpha, n, t, observed / total[:, None], other / total)

    def _counts(self, block: BlockStatistics) -> tuple[FloatArray, float]:
        # The counts of the observed combinations (C, M), and T.
        together = block.parts[0]
        assert isinstance(together, Counts)
        _, levels = self._axes(block)
        return align_classes(together.values, together.classes, block.classes), _count_combinations(levels)

    def _alpha(self, block: BlockStatistics) -> FloatArray:
        given = choose_alpha(block, self.alpha, lambda: fit_alpha(*self._counts(block)))
        array = np.asarray(given, dtype=np.float64)
        if array.ndim and array.shape[-1] == len(block.columns) and (array == array[..., :1]).all():
            array = array[..., :1]  # the same number for each column
        if array.ndim and array.shape[-1] != 1:
            raise ParameterError(
                f"alpha of Joint must be a scalar or have shape (classes, 1): got shape {array.shape}."
            )
        return broadcast_parameter("alpha", array, len(block.classes), 1)[:, 0].copy()


def _as_tuple(label: Label) -> tuple[Any, ...]:
    assert isinstance(label, tuple)
    return label


def _count_combinations(levels: Iterable[Axis]) -> float:
    return math.prod(max(float(len(axis)), 1.0) for axis in levels)


def _draw_unobserved(term: Combinations, n: int, rng: np.random.Generator) -> IntArray:
    # n unobserved combinations with equal probability, as rows of positions on the axes of the columns.
    sizes = [max(len(axis), 1) for axis in term.levels]  # a column without known cells has one level
    observed: set[tuple[int, ...]] = set(map(tuple, term.observed.tolist()))
    if np.prod([float(size) for size in sizes]) <= 2.0 * len(observed):
        others = [combination for combination in product(*map(range, sizes)) if combination not in observed]
        listed: IntArray = np.array(others, dtype=np.int64).reshape(len(others), len(sizes))
        return listed[rng.integers(len(others), size=n)]
    drawn: IntArray = np.zeros((n, len(sizes)), dtype=np.int64)
    pending: IntArray = np.arange(n, dtype=np.int64)
    while len(pending):
        drawn[pending] = rng.integers(sizes, size=(len(pending), len(sizes)))
        rejected = [tuple(combination) in observed for combination in drawn[pending].tolist()]
        pending = pending[np.array(rejected, dtype=np.bool_)]
    return drawn


def _draw_copies(n: int, strength: float, rng: np.random.Generator) -> IntArray:
    # For each of n rows the row that it copies, itself if it is new: a Pólya urn with prior strength U α > 0.
    index: IntArray = np.arange(n, dtype=np.int64)
    uniform: FloatArray = rng.random(n)
    fresh = uniform * index < strength * (1 - uniform)  # in this form the strength may be infinite
    origin = np.where(fresh, index, (rng.random(n) * index).astype(np.int64))
    while (origin[origin] != origin).any():  # a copy of a copy is a copy of the first
        origin = origin[origin]
    return origin


@final
@dataclass(frozen=True, slots=True, eq=False)
class Combinations(Term):
    """A table with a row for each observed combination of levels, and `rest` (C,) for every other combination.

    `observed` has a row for each combination: the position of each of its levels on the axis of the column. Missing
    cells are summed out.
    """

    columns: Columns
    levels: tuple[Axis, ...]
    observed: IntArray
    table: FloatArray
    rest: FloatArray

    def compile(self, layout: Layout) -> None:
        """Add a table of the combinations in the rows to be scored."""
        place, combinations = layout.combinations(self.columns, self.levels)
        table = self.log_probabilities(combinations)
        layout.tables.add_levels([place], [len(table)], contiguous(table))

    def log_probabilities(self, combinations: IntArray) -> FloatArray:
        """Return ln p of combinations of positions on the axes, −1 for a missing cell, (n, C)."""
        if not len(combinations):
            return self.table[:0]
        return np.stack([self._log_probability(combination) for combination in combinations])

    def _log_probability(self, combination: IntArray) -> FloatArray:
        known = combination >= 0
        if not known.any():
            return np.zeros_like(self.rest)
        matching = (self.observed[:, known] == combination[known]).all(axis=1)
        unknown = (axis for axis, is_known in zip(self.levels, known, strict=True) if not is_known)
        others = _count_combinations(unknown) - float(matching.sum())
        logs = self.table[matching]
        if others > 0:
            logs = np.concatenate([logs, (self.rest + np.log(others))[None]])
        if not len(logs):
            return self.rest
        highest: FloatArray = logs.max(axis=0)
        finite = np.where(highest == -np.inf, 0.0, highest)
        with np.errstate(divide="ignore"):
            return finite + np.log(np.exp(logs - finite).sum(axis=0))

    def split(self, rows: Rows, block: BlockStatistics) -> Split:
        """Return one entry for all columns."""
        cells = [LevelCells.of(rows, name, axis) for name, axis in zip(self.columns, self.levels, strict=True)]
        every = np.arange(rows.number, dtype=np.int64)
        positions = np.stack([column.places[column.take(every)] for column in cells], axis=1)

        def facts(_column: int, row: int, classes: IntArray) -> dict[str, float]:
            if counts is None:
                return {}
            known = positions[row] >= 0
            matching = np.flatnonzero((self.observed[:, known] == positions[row][known]).all(axis=1))
            of_classes: FloatArray = counts[classes]
            return {"times": float(of_classes[:, matching].sum()), "of": float(of_classes.sum())}

        part = block.parts[0]
        counts = align_classes(part.values, part.classes, block.classes) if isinstance(part, Counts) else None
        any_known: BoolArray = np.asarray((positions >= 0).any(axis=1))
        return BlockSplit(self.columns, rows.scores(self), any_known, lambda row, j: cells[j].level(row), facts)

    def outcomes(self) -> Outcomes:
        """Return the observed combinations, and all others as one."""
        rows: list[list[int]] = self.observed.tolist()
        others = _count_combinations(self.levels) - len(rows)
        logs = np.concatenate([self.table, self.rest[None] + math.log(others)]) if others > 0 else self.table

        def name(_column: int, k: int) -> Label:
            if k >= len(rows):
                return UNSEEN
            return cast("Label", tuple(axis.labels[place] for axis, place in zip(self.levels, rows[k], strict=True)))

        return Outcomes.of((", ".join(map(str, self.columns)),), [len(logs)], logs, name)

    def size_terms(self, unseen: float, observed: set[str | int]) -> Iterator[Term]:
        """Yield a count of 1 for each level, and the cost of an unseen level."""
        del observed
        yield make_level_sizes(self.columns, self.levels, unseen, missing=False)


@final
@dataclass(frozen=True, slots=True, eq=False)
class UncertainCombinations(UncertainTerm):
    """Combinations of levels with a Dirichlet posterior: α + N (C, M) of the observed ones, α (C) of each other.

    `observed` has a row for each observed combination, as in Combinations; `combinations` is T.
    """

    columns: Columns
    levels: tuple[Axis, ...]
    observed: IntArray
    alpha: FloatArray
    rest: FloatArray
    combinations: float

    def draw(self, rng: np.random.Generator) -> Combinations:
        """Return the term with log probabilities drawn from the posterior.

        Up to 4096 combinations are drawn one by one. Beyond that all unobserved combinations share one draw: each has
        its correct marginal distribution, but the sum over many of them, for a row with missing cells, varies too much.
        """
        others = self.combinations - len(self.observed)
        if self.combinations <= _MOST_LISTED:
            sizes = [range(max(len(axis), 1)) for axis in self.levels]
            known: set[tuple[int, ...]] = set(map(tuple, self.observed.tolist()))
            rest: IntArray = np.array([each for each in product(*sizes) if each not in known], dtype=np.int64)
            listed = np.concatenate([self.observed, rest.reshape(-1, len(self.levels))])
            more = np.broadcast_to(self.rest[:, None], (len(self.rest), len(listed) - len(self.observed)))
            logs = draw_log_simplex(np.concatenate([self.alpha, more], axis=1), rng)
            impossible = np.full(len(self.rest), -math.inf)
            return Combinations(self.columns, self.levels, listed, transpose_table(logs), impossible)
        alphas = [self.alpha, self.rest[:, None], self.rest[:, None] * (others - 1)]
        logs = draw_log_simplex(np.concatenate(alphas, axis=1), rng)
        table, of_each = transpose_table(logs[:, :-2]), logs[:, -2].copy()
        return Combinations(self.columns, self.levels, self.observed, table, of_each)
