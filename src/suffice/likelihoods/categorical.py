"""Categorical columns: x_j = k with probability θ_jc(k) in class c, columns independent given the class.

Symbols: N_jc(k) is the weight of the rows of class c with x_j = k, n = Σ_k N_jc(k), S_j the number of levels of
column j. The prior on θ_jc is Dir(α), with α₀ = Σ_k α_k.

    mle N_jc(k)/n     smoothed (N_jc(k) + λ)/(n + S_j λ)     map (N_jc(k) + α_k − 1)/(n + α₀ − S_j)
    mean, predictive (N_jc(k) + α_k)/(n + α₀)
    term   ln θ_jc(k), 0 if missing

The levels of a column are those that occur in any class, those that are declared, and those that the prior names; a
level is a string, a number or a boolean. A prior that names levels has α = 1 for all others. A level that is unseen at
prediction counts as missing. With unseen="mass" all unseen levels together are one additional level, which makes
S_j + 1, with a count of 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, cast, final

import numpy as np
import numpy.typing as npt

from suffice.arguments import is_real, option, whole_number
from suffice.conjugate import DirichletMultinomial
from suffice.errors import ParameterError
from suffice.likelihoods.block_statistics import (
    BlockStatistics,
    Collect,
    align_classes,
    broadcast_parameter,
    transpose_table,
)
from suffice.likelihoods.dirichlet import (
    Alpha,
    EvidenceAlpha,
    UncertainOutcomes,
    broadcast_prior,
    choose_alpha,
    compute_intervals,
    estimate_log_probabilities,
    estimate_probabilities,
    fit_alphas,
    format_alpha,
    parse_prior,
    select_alpha,
    sum_log_evidence,
)
from suffice.likelihoods.draws import UNSEEN, Draw, decode_cells, draw_outcomes, draw_probabilities, make_unseen_label
from suffice.likelihoods.likelihood import Likelihood, OutcomeCounts, Parameter
from suffice.likelihoods.terms.split import Facts, LevelSplit, Rows, Split, no_facts
from suffice.likelihoods.terms.term import (
    Layout,
    LinearForm,
    Outcomes,
    Term,
    UncertainTerm,
    contiguous,
    require_posterior,
)
from suffice.statistics import Axis, Counts
from suffice.statistics.arrays import BoolArray, FloatArray, IntArray
from suffice.statistics.columns import Columns
from suffice.statistics.labels import Label

__all__ = ["Categorical", "Levels", "make_level_sizes"]


@final
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Categorical(Likelihood):
    """Categorical likelihood for strings, numbers and booleans.

    1.0 and 1 are the same level; "1", 1 and True are different levels.

    Parameters
    ----------
    prior : DirichletMultinomial or {level: α}, optional
        Dir(α) over the levels of each column: α of shape (levels,) or (classes, levels), in sorted order of the levels,
        or matched by label if it has `outcomes`. A mapping gives α by level, as one number or one per class. Levels
        that are named are part of the model even if they do not occur, and levels that are not named have α = 1.
    alpha : float or array > 0, "evidence" or "shared evidence", optional
        Symmetric prior: the same α for every level, as a scalar, one value per column, or one per class and column.
        Default: 1, or 2 for estimate="map". "evidence" selects, for each column, the α in [0.001, 1] that maximises the
        marginal likelihood; "shared evidence" selects one α for all columns. estimate="map" uses 1 + α.
    levels : int or iterable of labels, optional
        Levels to include even if they do not occur in the data; an int L means 0, …, L − 1.
    unseen : "ignore" or "mass"
        "ignore" treats unseen levels as missing; "mass" reserves the probability of one additional level for them.
    missing : "ignore" or "level"
        "ignore" drops missing cells; "level" models missingness as a category of its own, None.

    Examples
    --------
    >>> Categorical(levels=3, unseen="mass")
    Categorical(levels=(0, 1, 2), unseen='mass')
    >>> Categorical(prior={"black": 2, "white": 0.5})
    Categorical(prior=DirichletMultinomial(alpha=[2.0, 0.5], outcomes=['black', 'white']))
    """

    column_by_column: ClassVar[bool] = True

    prior: DirichletMultinomial | None
    alpha: Alpha | EvidenceAlpha | None
    levels: tuple[Label, ...] | None
    unseen: Literal["ignore", "mass"]
    missing: Literal["ignore", "level"]

    def __init__(
        self,
        prior: DirichletMultinomial | Mapping[Any, npt.ArrayLike] | EvidenceAlpha | None = None,
        alpha: npt.ArrayLike | EvidenceAlpha | None = None,
        levels: int | Iterable[object] | None = None,
        unseen: Literal["ignore", "mass"] = "ignore",
        missing: Literal["ignore", "level"] = "ignore",
    ) -> None:
        self._set(
            **parse_prior("Categorical", prior, alpha, columns=True, labels=True),
            levels=None if levels is None else _declare_levels(levels),
            unseen=option("unseen", unseen, ("ignore", "mass")),
            missing=option("missing", missing, ("ignore", "level")),
        )

    def collect(self, columns: Columns) -> Collect:
        """Return the statistics to collect: the weight of each level of each column."""
        return Collect("levels", columns, levels=self.levels, missing_level=self.missing == "level")

    def restrict(self, stay: BoolArray) -> Categorical:
        """Return the likelihood restricted to a subset of columns, with their α and the common `prior`."""
        return Categorical(self.prior, select_alpha(self.alpha, stay), self.levels, self.unseen, self.missing)

    def require_prunable(self, column: str | int) -> None:
        """Raise ParameterError if the prior has one parameter per level, in their order."""
        if self.prior is not None and self.prior.outcomes is None:
            raise ParameterError(
                f"cannot prune levels of column {column!r}: its prior has one parameter per level. "
                "Name the levels of the prior, declare them with levels=, or use alpha= instead of prior=."
            )

    def terms(self, block: BlockStatistics) -> tuple[Term, ...]:
        """Return the table of ln θ, with a row for each level."""
        axes: list[Axis] = []
        logs: list[FloatArray] = []
        for levels, counts, alpha in self._by_column(block):
            axes.append(levels)
            logs.append(estimate_log_probabilities(counts, alpha, block.reading.estimate))
        return (self._term(block.columns, axes, logs),)

    def uncertain(self, block: BlockStatistics) -> tuple[UncertainTerm, ...]:
        """Return the posterior Dir(α + N) of each class and column."""
        axes, alphas = list[Axis](), list[FloatArray]()
        for j, (levels, counts, alpha) in enumerate(self._by_column(block)):
            require_posterior(alpha, block.columns[j:])
            axes.append(levels)
            alphas.append(counts + alpha)
        return (UncertainOutcomes(tuple(alphas), lambda logs: self._term(block.columns, axes, logs)),)

    def _term(self, columns: Columns, axes: Sequence[Axis], logs: Sequence[FloatArray]) -> Levels:
        table = np.concatenate([transpose_table(column_logs) for column_logs in logs])
        return Levels(columns, tuple(axes), table, self.unseen == "mass", self.missing == "level")

    def log_evidence(self, block: BlockStatistics) -> float:
        """Return Σ_jc ln B(α + N_jc) − ln B(α)."""
        return sum((sum_log_evidence(counts, alpha) for _, counts, alpha in self._by_column(block)), 0.0)

    def parameters(self, block: BlockStatistics, credible: float) -> Iterator[Parameter]:
        """Yield θ_jc(k) of every class, column and level that occurs or is declared."""
        estimate = block.reading.estimate
        for column, (levels, counts, alpha) in zip(block.columns, self._by_column(block), strict=True):
            values = estimate_probabilities(counts, alpha, estimate)
            lower, upper = compute_intervals(counts, alpha, credible)
            for c, label in enumerate(block.classes):
                for k, level in enumerate(levels):
                    numbers = float(values[c, k]), float(lower[c, k]), float(upper[c, k])
                    yield Parameter(label, column, level, "probability", estimate, *numbers)

    def outcome_counts(self, block: BlockStatistics) -> Iterator[OutcomeCounts]:
        """Yield the level counts of each column, including the unseen level if it has mass."""
        for column, part in zip(block.columns, block.parts, strict=True):
            _, counts = self._table(part, block)
            yield OutcomeCounts((column,), counts, float(counts.shape[1]))

    def choices(self, block: BlockStatistics) -> dict[str | int, str]:
        """Return the α of each column if it was chosen by evidence."""
        alphas = fit_alphas([self._table(part, block)[1] for part in block.parts], self.alpha)
        return {column: format_alpha(alpha) for column, alpha in zip(block.columns, alphas, strict=False)}

    def sample(self, block: BlockStatistics, draw: Draw) -> list[npt.NDArray[Any]]:
        """Draw levels; the mass of unseen levels is drawn as a level that does not occur in the data."""
        drawn: list[npt.NDArray[Any]] = []
        for levels, counts, alpha in self._by_column(block):
            estimates = estimate_probabilities(counts, alpha, block.reading.estimate)
            theta = draw_probabilities(counts, alpha, estimates, draw, block.columns[len(drawn) :])
            codes = draw_outcomes(theta, draw)
            unseen = (make_unseen_label(levels),) if (codes == len(levels)).any() else ()
            drawn.append(decode_cells(codes, (*levels.labels, *unseen)))
        return drawn

    def _by_column(self, block: BlockStatistics) -> Iterator[tuple[Axis, FloatArray, FloatArray]]:
        # For each column its levels, counts and prior counts (C, K); the unseen level comes last if it has mass.
        tables = [self._table(part, block) for part in block.parts]
        given = choose_alpha(block, self.alpha, lambda: np.array(fit_alphas([n for _, n in tables], self.alpha)))
        symmetric = broadcast_parameter("alpha", given, *block.shape)
        for j, (levels, counts) in enumerate(tables):
            alpha = np.broadcast_to(symmetric[:, j : j + 1], counts.shape)
            if self.prior is not None and block.reading.estimate != "smoothed":
                alpha = self._prior_counts(self.prior, levels, counts.shape, block.columns[j])
            yield levels, counts, alpha

    def _table(self, part: Any, block: BlockStatistics) -> tuple[Axis, FloatArray]:
        # The levels and their counts (C, K), with the levels of the prior, and the unseen level last if it has mass.
        assert isinstance(part, Counts)
        levels, counts = part.levels, align_classes(part.values, part.classes, block.classes)
        if self.prior is not None and self.prior.outcomes is not None:
            levels, at, _ = levels.union(Axis.of(self.prior.outcomes, declared=True))
            counts = _place_levels(counts, at, len(levels))
        return levels, np.pad(counts, ((0, 0), (0, 1))) if self.unseen == "mass" else counts

    def _prior_counts(
        self, prior: DirichletMultinomial, levels: Axis, shape: tuple[int, ...], column: str | int
    ) -> FloatArray:
        if prior.outcomes is None:
            unseen = " and one for the unseen level" if self.unseen == "mass" else ""
            advice = "name the levels with levels=, or use alpha="
            return broadcast_prior(prior.alpha, shape, column, f"{len(levels)} levels{unseen}", advice)
        named = len(prior.outcomes)
        alpha = np.ones(shape)
        alpha[:, levels.positions(prior.outcomes)] = broadcast_prior(
            prior.alpha, (shape[0], named), column, f"{named} named levels", "or use alpha="
        )
        return alpha


def _place_levels(counts: FloatArray, places: IntArray, size: int) -> FloatArray:
    placed = np.zeros((len(counts), size))
    placed[:, places] = counts
    return placed


def _declare_levels(levels: Any) -> tuple[Label, ...]:
    if is_real(levels):
        return tuple(range(whole_number("levels", levels, 0)))
    if isinstance(levels, str) or not isinstance(levels, Iterable):
        raise ParameterError(f"levels must be an integer or a list of levels: got {levels!r}.")
    return Axis.of(cast("Iterable[object]", levels)).labels


@final
@dataclass(frozen=True, slots=True, eq=False)
class Levels(Term):
    """A table with a row for each level: the levels of column j in the order of its axis, column after column.

    If `unseen`, the rows of a column are followed by one for all levels that are not on its axis; otherwise such levels
    contribute 0. If `missing`, a missing cell has the level None; otherwise it contributes 0.
    """

    columns: Columns
    levels: tuple[Axis, ...]
    table: FloatArray
    unseen: bool = False
    missing: bool = False

    def _starts(self) -> list[int]:
        return [0, *np.cumsum([len(axis) + self.unseen for axis in self.levels], dtype=np.int64).tolist()]

    def by_column(self) -> list[FloatArray]:
        """Return the rows of the table of each column."""
        starts = self._starts()
        return [self.table[starts[j] : starts[j + 1]] for j in range(len(self.columns))]

    def compile(self, layout: Layout) -> None:
        """Add a table that follows the codes of the columns in the rows to be scored."""
        nothing = np.zeros((1, self.table.shape[1]))  # for code −1
        places: list[int] = []
        tables: list[FloatArray] = []
        for name, axis, rows in zip(self.columns, self.levels, self.by_column(), strict=True):
            place, positions = layout.levels(name, axis, unseen=self.unseen, missing=self.missing)
            places.append(place)
            tables.append(np.concatenate([rows, nothing])[positions])
        table = np.concatenate(tables) if tables else self.table
        layout.tables.add_levels(places, [len(rows) for rows in tables], contiguous(table))

    def restrict(self, columns: Columns) -> Levels:
        """Return the term of these columns only."""
        positions, rows = [self.columns.index(name) for name in columns], self.by_column()
        table = np.concatenate([self.table[:0], *(rows[j] for j in positions)])
        return replace(self, columns=columns, levels=tuple(self.levels[j] for j in positions), table=table)

    def split(self, rows: Rows, block: BlockStatistics) -> Split:
        """Return an entry for each cell whose level has a row in the table."""
        facts = self._facts(block)
        return LevelSplit(self.columns, self.levels, self.table, rows, facts, unseen=self.unseen, missing=self.missing)

    def _facts(self, block: BlockStatistics) -> Facts:
        counts: list[FloatArray] = []
        for name, axis in zip(self.columns, self.levels, strict=True):
            part = block.parts[block.columns.index(name)]
            if not isinstance(part, Counts):
                return no_facts
            places = axis.find(part.levels)
            if places.min(initial=0) < 0:
                return no_facts
            counts.append(_place_levels(align_classes(part.values, part.classes, block.classes), places, len(axis)))

        def facts(column: int, outcome: int, classes: IntArray) -> dict[str, float]:
            of_classes: FloatArray = counts[column][classes]
            times = float(of_classes[:, outcome].sum()) if 0 <= outcome < of_classes.shape[1] else 0.0
            return {"times": times, "of": float(of_classes.sum())}

        return facts

    def outcomes(self) -> Outcomes:
        """Return the levels of each column, followed by the unseen level if it has mass."""
        sizes = [len(axis) + self.unseen for axis in self.levels]
        axes = self.levels
        return Outcomes.of(self.columns, sizes, self.table, lambda j, k: (*axes[j].labels[k : k + 1], UNSEEN)[0])

    def linear_form(self) -> LinearForm:
        """Return ln θ of each level."""
        levels = [(*axis.labels, UNSEEN)[: len(axis) + self.unseen] for axis in self.levels]
        features = [(column, level) for column, of in zip(self.columns, levels, strict=True) for level in of]
        named = tuple((column, "missing" if level is None else level) for column, level in features)
        return LinearForm(named, self.table, np.zeros(int(self.table.shape[1])))

    def size_terms(self, unseen: float, observed: set[str | int]) -> Iterator[Term]:
        """Yield a count of 1 for each level, and the cost of an unseen level if it is ignored."""
        del observed
        yield make_level_sizes(self.columns, self.levels, 0.0 if self.unseen else unseen, missing=self.missing)


def make_level_sizes(columns: Columns, levels: tuple[Axis, ...], unseen: float, *, missing: bool) -> Levels:
    """Return a term that counts known cells and adds `unseen` for each unseen level (Term.size_terms)."""
    tables: list[Any] = [np.tile([1.0, 0.0], (len(axis), 1)) for axis in levels]
    table = np.concatenate([rows for known in tables for rows in (known, [[1.0, unseen]])])
    return Levels(columns, levels, table, unseen=True, missing=missing)
