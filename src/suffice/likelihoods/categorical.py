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

**Groups** (form="groups"). Levels with similar class frequencies share them, which helps columns with many rare levels:

    θ_jc(k) = P(g(k) | c) · (n_k + 1)/(n_g + S_g)        mle P(g(k) | c) · n_k/n_g

P(g | c) is θ of the groups, whose counts are those of their levels, n_k the weight of level k in all classes and n_g,
S_g the weight and number of the levels of its group; the second factor cancels in class posteriors. With V levels that
occur, the groups minimise over their number I (Boullé 2005)

    ln V + ln B(V, I) + Σ_i ln C(N_i + J − 1, J − 1) + Σ_i ln(N_i!/Π_j N_ij!)        B(V, I) = Σ_{k≤I} S(V, k)

with the symbols of cells.py and Stirling numbers of the second kind S. A declared level that does not occur is in the
largest group. The mass of unseen levels is a group of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, cast, final

import numpy as np
import numpy.typing as npt

from suffice.arguments import is_real, option, whole_number
from suffice.conjugate import DirichletMultinomial
from suffice.errors import ParameterError
from suffice.likelihoods.block_statistics import (
    BlockStatistics,
    Collect,
    Estimate,
    Parts,
    align_classes,
    broadcast_parameter,
    transpose_table,
)
from suffice.likelihoods.cells import choose_groups, log_evidence_within, log_shares
from suffice.likelihoods.dirichlet import (
    MOST_COUNT,
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
    named_posterior,
    parse_prior,
    select_alpha,
    sum_log_evidence,
)
from suffice.likelihoods.draws import UNSEEN, Draw, decode_cells, draw_outcomes, draw_probabilities, make_unseen_label
from suffice.likelihoods.likelihood import (
    Likelihood,
    OutcomeCounts,
    Parameter,
    forms_by_column,
    parse_form,
    select_form,
)
from suffice.likelihoods.terms.split import Facts, LevelSplit, Rows, Split, no_facts
from suffice.likelihoods.terms.term import (
    Layout,
    LinearForm,
    Outcomes,
    Term,
    UncertainTerm,
    contiguous,
    require_posterior,
    weigh_rows,
)
from suffice.statistics import Axis, Counts
from suffice.statistics.arrays import BoolArray, FloatArray, IntArray
from suffice.statistics.axis import Columns
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
    form : "auto", "levels" or "groups", or a tuple with one of the last two for each column
        "groups" lets levels with similar class frequencies share one probability per class, which helps columns with
        many rare levels; α is then the prior count of a group. "auto" selects the form of each column by held-out log
        loss if the model holds out rows for calibration; otherwise it uses "levels". `prior` cannot be combined with
        "groups".

    Examples
    --------
    >>> Categorical(levels=3, unseen="mass")
    Categorical(levels=(0, 1, 2), unseen='mass')
    >>> Categorical(prior={"black": 2, "white": 0.5})
    Categorical(prior=DirichletMultinomial(alpha=[2.0, 0.5], outcomes=['black', 'white']))
    """

    column_by_column: ClassVar[bool] = True
    form_names: ClassVar[tuple[str, ...]] = ("levels", "groups")

    prior: DirichletMultinomial | None
    alpha: Alpha | EvidenceAlpha | None
    levels: tuple[Label, ...] | None
    unseen: Literal["ignore", "mass"]
    missing: Literal["ignore", "level"]
    form: Literal["auto", "levels", "groups"] | tuple[str, ...]

    def __init__(
        self,
        prior: DirichletMultinomial | Mapping[Any, npt.ArrayLike] | EvidenceAlpha | None = None,
        alpha: npt.ArrayLike | EvidenceAlpha | None = None,
        levels: int | Iterable[object] | None = None,
        unseen: Literal["ignore", "mass"] = "ignore",
        missing: Literal["ignore", "level"] = "ignore",
        form: Literal["auto", "levels", "groups"] | Sequence[str] = "auto",
    ) -> None:
        self._set(
            **parse_prior("Categorical", prior, alpha, columns=True, labels=True),
            levels=None if levels is None else _declare_levels(levels),
            unseen=option("unseen", unseen, ("ignore", "mass")),
            missing=option("missing", missing, ("ignore", "level")),
            form=parse_form(form, self.form_names),
        )
        if self.prior is not None and "groups" in self.form:
            raise ParameterError("a prior on levels cannot be combined with groups. Use alpha=, or form='levels'.")

    def collect(self, columns: Columns) -> Collect:
        """Return the statistics to collect: the weight of each level of each column."""
        return Collect("levels", columns, levels=self.levels, missing_level=self.missing == "level")

    def restrict(self, stay: BoolArray) -> Categorical:
        """Return the likelihood restricted to a subset of columns, with their α and the common `prior`."""
        form = select_form(self.form, stay)
        return Categorical(self.prior, select_alpha(self.alpha, stay), self.levels, self.unseen, self.missing, form)

    def alternatives(self) -> tuple[Likelihood, ...]:
        """Return levels and groups if the form is to be selected and there is no prior on levels."""
        return () if self.prior is not None else Likelihood.alternatives(self)

    def with_forms(self, chosen: Sequence[int]) -> Likelihood:
        """Return the likelihood with these forms; itself if every column keeps its levels, as "auto" does."""
        return Likelihood.with_forms(self, chosen) if any(chosen) else self

    def held_out_scores(self, block: BlockStatistics, parts: Parts) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield the counts of the levels of other rows, and ln p(level | c)."""
        (term,) = self.terms(block)
        assert isinstance(term, Levels)
        for axis, rows, part in zip(term.levels, term.by_column(), parts, strict=True):
            assert isinstance(part, Counts)
            places = axis.find(part.levels)
            nothing = np.zeros((0 if self.unseen == "mass" else 1, rows.shape[1]))
            yield align_classes(part.values, part.classes, block.classes), np.concatenate([rows, nothing])[places]

    def require_prunable(self, column: str | int) -> None:
        """Raise ParameterError if the prior has one parameter per level, in their order."""
        if self.prior is not None and self.prior.outcomes is None:
            raise ParameterError(
                f"cannot prune levels of column {column!r}: its prior has one parameter per level. "
                "Name the levels of the prior, declare them with levels=, or use alpha= instead of prior=."
            )

    def terms(self, block: BlockStatistics) -> tuple[Term, ...]:
        """Return the table of ln θ, with a row for each level."""
        columns = self._by_column(block)
        estimate = block.reading.estimate
        logs = [estimate_log_probabilities(column.counts, column.alpha, estimate) for column in columns]
        return (self._term(block, columns, logs),)

    def uncertain(self, block: BlockStatistics) -> tuple[UncertainTerm, ...]:
        """Return the posterior Dir(α + N) of each class and column; groups are fixed."""
        columns = self._by_column(block)
        for j, column in enumerate(columns):
            require_posterior(column.alpha, block.columns[j:])
        alphas = tuple(column.counts + column.alpha for column in columns)
        return (UncertainOutcomes(alphas, lambda logs: self._term(block, columns, logs)),)

    def _term(self, block: BlockStatistics, columns: Sequence[_Column], logs: Sequence[FloatArray]) -> Levels:
        tables = [transpose_table(column.of_levels(own)) for column, own in zip(columns, logs, strict=True)]
        axes = tuple(column.levels for column in columns)
        return Levels(block.columns, axes, np.concatenate(tables), self.unseen == "mass", self.missing == "level")

    def log_evidence(self, block: BlockStatistics) -> float:
        """Return Σ_jc ln B(α + N_jc) − ln B(α), and the evidence of the levels within their groups."""
        columns = self._by_column(block)
        return sum((sum_log_evidence(each.counts, each.alpha) + each.evidence_within() for each in columns), 0.0)

    def parameters(self, block: BlockStatistics, credible: float) -> Iterator[Parameter]:
        """Yield θ_jc(k) of every class, column and level that occurs or is declared."""
        estimate = block.reading.estimate
        for name, column, part in zip(block.columns, self._by_column(block), block.parts, strict=True):
            _, counts = self._table(part, block)
            bounds = compute_intervals(column.counts, column.alpha, credible)
            values = estimate_probabilities(column.counts, column.alpha, estimate), *bounds
            with np.errstate(divide="ignore"):
                value, lower, upper = (np.exp(column.of_levels(np.log(each))) for each in values)
            value = values[0] if column.group is None else value
            lower, upper = bounds if column.group is None else (lower, upper)
            for c, label in enumerate(block.classes):
                n = float(counts[c].sum())
                for k, level in enumerate(column.levels):
                    numbers = float(value[c, k]), float(lower[c, k]), float(upper[c, k]), float(counts[c, k])
                    yield Parameter(label, name, level, "probability", estimate, *numbers, n)

    def posterior(self, block: BlockStatistics, column: str | int, c: int) -> DirichletMultinomial:
        """Return Dir(α + N) over the levels or groups, then the unseen level if it has mass."""
        known = self._by_column(block)[block.columns.index(column)]
        require_posterior(known.alpha[c], (column,))
        return named_posterior(known.counts[c] + known.alpha[c], known.outcomes(), column)

    def outcome_counts(self, block: BlockStatistics) -> Iterator[OutcomeCounts]:
        """Yield the counts of the levels or groups of each column, including the unseen level if it has mass."""
        for name, column in zip(block.columns, self._tables(block), strict=True):
            yield OutcomeCounts((name,), column.counts, float(column.counts.shape[1]))

    def forms(self, block: BlockStatistics) -> dict[str | int, Likelihood]:
        """Return this likelihood, with form="groups" for the columns in groups, if the forms differ."""
        if isinstance(self.form, str):
            return dict.fromkeys(block.columns, self)
        by_form = {"levels": self.with_options(form="auto"), "groups": self.with_options(form="groups")}
        return {name: by_form[form] for name, form in zip(block.columns, self.form, strict=True)}

    def choices(self, block: BlockStatistics) -> dict[str | int, str]:
        """Return the number of groups of each column in groups, and the α of each column if chosen by evidence."""
        columns = self._tables(block)
        choices = {
            name: _describe_groups(column.group, len(column.levels))
            for name, column in zip(block.columns, columns, strict=True)
            if column.group is not None
        }
        alphas = fit_alphas([column.counts for column in columns], self.alpha)
        for name, alpha in zip(block.columns, alphas, strict=False):
            choices[name] = f"{choices[name]}, {format_alpha(alpha)}" if name in choices else format_alpha(alpha)
        return choices

    def sample(self, block: BlockStatistics, draw: Draw) -> list[npt.NDArray[Any]]:
        """Draw levels; the mass of unseen levels is drawn as a level that does not occur in the data."""
        drawn: list[npt.NDArray[Any]] = []
        for column in self._by_column(block):
            estimates = estimate_probabilities(column.counts, column.alpha, block.reading.estimate)
            theta = draw_probabilities(column.counts, column.alpha, estimates, draw, block.columns[len(drawn) :])
            if column.group is not None:
                theta = theta[:, column.group] * np.exp(column.log_share)
            codes = draw_outcomes(theta, draw)
            unseen = (make_unseen_label(column.levels),) if (codes == len(column.levels)).any() else ()
            drawn.append(decode_cells(codes, (*column.levels.labels, *unseen)))
        return drawn

    def _by_column(self, block: BlockStatistics) -> list[_Column]:
        # Each column with its prior counts.
        columns = self._tables(block)
        given = choose_alpha(
            block, self.alpha, lambda: np.array(fit_alphas([column.counts for column in columns], self.alpha))
        )
        symmetric = broadcast_parameter("alpha", given, *block.shape)
        found: list[_Column] = []
        for j, column in enumerate(columns):
            alpha = np.broadcast_to(symmetric[:, j : j + 1], column.counts.shape)
            if self.prior is not None and block.reading.estimate != "smoothed":
                alpha = self._prior_counts(self.prior, column.levels, column.counts.shape, block.columns[j])
            found.append(column._replace(alpha=alpha))
        return found

    def _tables(self, block: BlockStatistics) -> list[_Column]:
        # The levels and their counts (C, K), with the levels of the prior, and the unseen level last if it has mass.
        # For columns in groups, the groups and their counts.
        tables = [self._table(part, block) for part in block.parts]
        groups: dict[int, IntArray] = {}
        if "groups" in self.form:
            forms = forms_by_column("form", self.form, block.columns)
            in_groups = [j for j, form in enumerate(forms) if form == "groups"]
            groups = dict(zip(in_groups, self._groups(block, [tables[j][1] for j in in_groups]), strict=True))
        none = np.zeros(0)
        columns: list[_Column] = []
        for j, (levels, counts) in enumerate(tables):
            group = groups.get(j)
            if group is not None:
                columns.append(self._grouped(levels, counts, group, block.reading.estimate))
            else:
                padded = np.pad(counts, ((0, 0), (0, 1))) if self.unseen == "mass" else counts
                columns.append(_Column(levels, padded, none, None, none, none))
        return columns

    def _table(self, part: Any, block: BlockStatistics) -> tuple[Axis, FloatArray]:
        assert isinstance(part, Counts)
        levels, counts = part.levels, align_classes(part.values, part.classes, block.classes)
        if self.prior is not None and self.prior.outcomes is not None:
            levels, at, _ = levels.union(Axis.of(self.prior.outcomes, declared=True))
            counts = _place_levels(counts, at, len(levels))
        return levels, counts

    def _groups(self, block: BlockStatistics, tables: Sequence[FloatArray]) -> list[IntArray]:
        # They depend only on the statistics and are chosen once.
        known = block.decisions.get("groups")
        if known is None or known[0] is not self or known[1] is not block.parts or known[2] is not block.classes:
            chosen = choose_groups([counts.T for counts in tables])
            known = block.decisions["groups"] = self, block.parts, block.classes, chosen
        return known[3]

    def _grouped(self, levels: Axis, counts: FloatArray, group: IntArray, estimate: Estimate) -> _Column:
        weight = np.minimum(counts, MOST_COUNT).sum(axis=0)
        if self.unseen == "mass":
            group, weight = np.append(group, group.max(initial=-1) + 1), np.append(weight, 0.0)
            counts = np.pad(counts, ((0, 0), (0, 1)))
        size = int(group.max(initial=-1)) + 1
        of_groups = np.zeros((len(counts), size))
        for c, row in enumerate(counts):
            of_groups[c] = np.bincount(group, row, size)
        return _Column(levels, of_groups, np.zeros(0), group, log_shares(group, weight, estimate), weight)

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


class _Column(NamedTuple):
    # The levels of a column, and the counts and prior counts (C, G) of its levels or groups. For groups also the group
    # of each level, ln p(level | group), and the weight of each level; the unseen level is last if it has mass.
    levels: Axis
    counts: FloatArray
    alpha: FloatArray
    group: IntArray | None
    log_share: FloatArray
    weight: FloatArray

    def of_levels(self, logs: FloatArray) -> FloatArray:
        # The logs of levels (C, K), given those of groups (C, G).
        return logs if self.group is None else logs[:, self.group] + self.log_share

    def outcomes(self) -> Sequence[Label]:
        # The levels, or the levels of each group as one name; the unseen level is last if it has mass.
        labels = self.levels.labels
        if self.group is None:
            return (*labels, UNSEEN)
        groups = [np.flatnonzero(self.group[: len(labels)] == g).tolist() for g in range(self.counts.shape[1])]
        return [" | ".join(str(labels[k]) for k in members) or UNSEEN for members in groups]

    def evidence_within(self) -> float:
        return 0.0 if self.group is None else log_evidence_within(self.group, self.weight)


def _describe_groups(group: IntArray, levels: int) -> str:
    groups = int(group[:levels].max(initial=-1)) + 1
    return f"{groups} group{'' if groups == 1 else 's'} of {levels} level{'' if levels == 1 else 's'}"


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

    @property
    def separable(self) -> bool:
        """Whether `restrict` can separate its columns."""
        return True

    def restrict(self, columns: Columns) -> Levels:
        """Return the term of these columns only."""
        positions, rows = [self.columns.index(name) for name in columns], self.by_column()
        table = np.concatenate([self.table[:0], *(rows[j] for j in positions)])
        return replace(self, columns=columns, levels=tuple(self.levels[j] for j in positions), table=table)

    def weigh(self, weights: FloatArray) -> list[Term]:
        """Return the term with the rows of each column multiplied by its weight."""
        return [replace(self, table=weigh_rows(self.table, np.repeat(weights, np.diff(self._starts()))))]

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
