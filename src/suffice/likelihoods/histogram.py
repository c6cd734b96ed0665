"""Real columns with a piecewise-constant density: within a bin it is constant, and all classes share the bins.

Symbols, for column j: bins 1 … K between edges e_0 < e_1 < … < e_K; N_ck is the weight of class c in bin k,
n_c = Σ_k N_ck, n = Σ_c n_c; θ_ck is the mass of bin k in class c. The prior on θ_c is Dir(α), with α₀ = Σ_k α_k.

    mle N_ck/n_c      smoothed (N_ck + λ)/(n_c + K λ)     map (N_ck + α_k − 1)/(n_c + α₀ − K)
    mean, predictive (N_ck + α_k)/(n_c + α₀)
    density    θ_ck/width_k, width_k = e_k − e_{k−1} (its log is finite for any two floats)
    term       ln θ_ck − ln width_k; a value outside the edges, ±inf included, belongs to the nearest end bin
    evidence   H = Σ_c [ln B(α_c + N_c) − ln B(α_c)] − Σ_ck N_ck ln width_k, given the edges
    penalty    ½ (K + 1) ln(1 + n) for edges that are chosen from the data
    K          at most `bins`; by default the one of 2, 4, 8, 16, 32, 64 with the greatest evidence less penalty
    draw       x = (1 − u) e_{k−1} + u e_k with u uniform on [0, 1), k drawn by mass, and x < e_k

The bins have nearly equal mass over the finite values of all classes together. They are joined from the fine bins of
the statistic (statistics/bins.py). An edge lies half-way between the last fine bin on its left and the first on its
right, so that edges move with x → s x + t. A column with a single distinct value has no bins and contributes 0.

The penalty is needed because the edges depend on the data: bins with few values are narrow by chance, and bins of one
value each would gain 0.58 nats per value. Each edge is charged ½ ln(1 + n), as a parameter that is fitted to n values
(BIC; Schwarz 1978).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Literal, NamedTuple, final

import numpy as np
import numpy.typing as npt

from suffice.arguments import is_real, option
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
    MOST_COUNT,
    Alpha,
    EvidenceAlpha,
    UncertainOutcomes,
    broadcast_prior,
    choose_alpha,
    compute_intervals,
    compute_log_evidence,
    estimate_log_probabilities,
    estimate_probabilities,
    fit_alphas,
    format_alpha,
    named_posterior,
    parse_prior,
    select_alpha,
)
from suffice.likelihoods.draws import Draw, draw_outcomes, draw_probabilities
from suffice.likelihoods.likelihood import Likelihood, Observation, OutcomeCounts, Parameter
from suffice.likelihoods.listing import Count, list_bins
from suffice.likelihoods.terms.split import NumberSplit, Rows, Split, share_facts
from suffice.likelihoods.terms.term import (
    Layout,
    Outcomes,
    Term,
    UncertainTerm,
    contiguous,
    require_posterior,
    weigh_rows,
)
from suffice.statistics import Axis, Bins
from suffice.statistics.arrays import BoolArray, FloatArray, IntArray
from suffice.statistics.axis import Columns
from suffice.statistics.bins import find_equal_mass_cuts, scale_for_sum, sum_cells

__all__ = [
    "ColumnHistogram",
    "FineColumn",
    "Histogram",
    "Histograms",
    "Steps",
    "check_bins",
    "cut_histograms",
    "format_intervals",
    "log_widths",
    "sum_known_weight",
]

_NUMBERS = (2, 4, 8, 16, 32, 64)
_MOST_BINS = 4096  # the limit of the statistic
_FEWEST_DIGITS, _MOST_DIGITS = 3, 17  # 17 digits distinguish any two floats
_LARGE = 1e15


@final
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Histogram(Likelihood):
    """Histogram likelihood (piecewise-constant density) for real-valued columns; ±inf is allowed.

    Parameters
    ----------
    bins : int from 1 to 4096, optional
        Maximum number of bins per column. Default: chosen for each column from 2, 4, 8, 16, 32 and 64 by marginal
        likelihood.
    prior : DirichletMultinomial, optional
        Dir(α) over the bins of each column in ascending order: α of shape (bins,) or (classes, bins).
    alpha : float or array > 0, "evidence" or "shared evidence", optional
        Symmetric prior: the same α for every bin, as a scalar, one value per column, or one per class and column.
        Default: 1, or 2 for estimate="map". "evidence" selects, for each column, the α in [0.001, 1] that maximises the
        marginal likelihood, given the bins chosen with α = 1; "shared evidence" selects one α for all columns.
        estimate="map" uses 1 + α.
    missing : "ignore" or "level"
        "ignore" drops missing cells; "level" models missingness as a category of its own.

    Examples
    --------
    >>> Histogram(bins=16)
    Histogram(bins=16)
    """

    column_by_column: ClassVar[bool] = True

    bins: int | None
    prior: DirichletMultinomial | None
    alpha: Alpha | EvidenceAlpha | None
    missing: Literal["ignore", "level"]

    def __init__(
        self,
        bins: int | None = None,
        prior: DirichletMultinomial | EvidenceAlpha | None = None,
        alpha: npt.ArrayLike | EvidenceAlpha | None = None,
        missing: Literal["ignore", "level"] = "ignore",
    ) -> None:
        self._set(
            **parse_prior("Histogram", prior, alpha, columns=True),
            bins=check_bins(bins),
            missing=option("missing", missing, ("ignore", "level")),
        )

    def collect(self, columns: Columns) -> Collect:
        """Return the statistics to collect: the fine bins of each column."""
        return Collect("bins", columns)

    def restrict(self, stay: BoolArray) -> Histogram:
        """Return the likelihood restricted to a subset of columns, with their α and the common `prior`."""
        return Histogram(self.bins, self.prior, select_alpha(self.alpha, stay), self.missing)

    def terms(self, block: BlockStatistics) -> tuple[Term, ...]:
        """Return the inner edges of each column and the table of ln θ − ln width."""
        return *self.histograms(block).terms(), *(each.term(block) for each in self._observation(block))

    def uncertain(self, block: BlockStatistics) -> tuple[UncertainTerm, ...]:
        """Return the posterior Dir(α + N) of the bin masses; the edges are held fixed."""
        return *self.histograms(block).uncertain(), *(each.uncertain(block) for each in self._observation(block))

    def log_evidence(self, block: BlockStatistics) -> float:
        """Return the log density of the values given the edges, masses integrated out.

        A column with a single distinct value contributes 0.
        """
        missingness = sum((each.log_evidence() for each in self._observation(block)), 0.0)
        return float(self.histograms(block).log_evidence().sum()) + missingness

    def parameters(self, block: BlockStatistics, credible: float) -> Iterator[Parameter]:
        """Yield θ_ck of every class, column and bin, whose level is its interval; none for a constant column."""
        yield from self.histograms(block).parameters(credible)
        for each in self._observation(block):
            yield from each.parameters(block, credible)

    def counts(self, block: BlockStatistics) -> Iterator[Count]:
        """Yield the counts of every column, class and bin; none for a constant column."""
        return self.histograms(block).counts()

    def posterior(self, block: BlockStatistics, column: str | int, c: int) -> DirichletMultinomial:
        """Return Dir(α + N) over the bins, which are named by their intervals."""
        return self.histograms(block).posterior(column, c)

    def sample(self, block: BlockStatistics, draw: Draw) -> list[npt.NDArray[Any]]:
        """Draw values, uniformly within each bin; NaN for missing cells."""
        drawn = [np.full(draw.rows, value) for value in _find_single_values(_get_bins(block))]
        self.histograms(block).draw_into(drawn, draw)
        for each in self._observation(block):
            each.blank_missing(drawn, block, draw)
        return drawn

    def outcome_counts(self, block: BlockStatistics) -> Iterator[OutcomeCounts]:
        """Yield the bin counts of each column, and the missingness counts if missing="level"."""
        yield from self.histograms(block).outcome_counts()
        for each in self._observation(block):
            yield from each.outcome_counts(block)

    def choices(self, block: BlockStatistics) -> dict[str | int, str]:
        """Return the number of bins of each column, and their α if it was chosen by evidence."""
        return dict.fromkeys(block.columns, "constant") | self.describe_bins(self.cut(block), block.columns)

    def describe_bins(
        self, columns: Sequence[ColumnHistogram], names: Columns, unit: str = "bin"
    ) -> dict[str | int, str]:
        """Return the number of bins of each of these columns, and their α if it was chosen by evidence."""
        plural = {column.position: "" if column.n_bins == 1 and unit == "cell" else "s" for column in columns}
        shown = {names[column.position]: f"{column.n_bins} {unit}{plural[column.position]}" for column in columns}
        for column, alpha in zip(columns, self.fit_alphas(columns), strict=False):
            shown[names[column.position]] += f", {format_alpha(alpha)}"
        return shown

    def fit_alphas(self, columns: Sequence[ColumnHistogram]) -> list[float]:
        """Return the α chosen by evidence for each column; nothing if α is given."""
        return fit_alphas([column.counts for column in columns], self.alpha)

    def cut(self, block: BlockStatistics) -> list[ColumnHistogram]:
        """Return the bins of every non-constant column.

        They depend on the statistics and the prior, not on the estimate.
        """
        bins = _get_bins(block)
        number = self.prior.alpha.shape[-1] if self.prior is not None and self.bins is None else self.bins
        if number is not None:
            return cut_histograms(bins, block.classes, number)[0]
        given = 1.0 if self.alpha is None or isinstance(self.alpha, str) else self.alpha
        symmetric = broadcast_parameter("alpha", given, *block.shape)
        candidates = cut_histograms(bins, block.classes, *_NUMBERS)
        penalised = [
            Histograms(block, columns, _broadcast_alphas(symmetric, columns)).penalised_evidence()
            for columns in candidates
        ]
        best: list[int] = np.argmax(np.stack(penalised), axis=0).tolist()
        return [candidates[number][j] for j, number in enumerate(best)]

    def histograms(self, block: BlockStatistics, columns: list[ColumnHistogram] | None = None) -> Histograms:
        """Return the bins of every non-constant column, or those given, with their prior counts under the estimate."""
        columns = self.cut(block) if columns is None else columns
        if self.prior is not None and block.reading.estimate != "smoothed":
            prior, names = self.prior.alpha, block.columns
            alphas = [
                broadcast_prior(prior, each.counts.shape, names[each.position], f"{each.n_bins} bins", "or use alpha=")
                for each in columns
            ]
            return Histograms(block, columns, alphas)

        def fit() -> FloatArray:
            alphas = np.ones(len(block.columns))
            alphas[[column.position for column in columns]] = self.fit_alphas(columns)
            return alphas

        symmetric = broadcast_parameter("alpha", choose_alpha(block, self.alpha, fit), *block.shape)
        return Histograms(block, columns, _broadcast_alphas(symmetric, columns))

    def _observation(self, block: BlockStatistics) -> Iterator[Observation]:
        if self.missing == "level":
            yield Observation.of(block, sum_known_weight(_get_bins(block), block.classes))


def check_bins(given: object) -> int | None:
    """Return the maximum number of bins of a column, None to choose it from the data, or raise ParameterError."""
    number: Any = given
    if given is not None and (not is_real(given) or not 1 <= number <= _MOST_BINS or int(number) != number):
        raise ParameterError(
            f"bins must be an integer from 1 to {_MOST_BINS}: got {given!r}. "
            "Omit it to choose the number of bins from the data."
        )
    return None if given is None else int(number)


@final
@dataclass(frozen=True, slots=True, eq=False)
class ColumnHistogram:
    """The bins of one column: its position in the block, edges (K + 1), counts (C, K) and log widths (K)."""

    position: int
    edges: FloatArray
    counts: FloatArray
    log_width: FloatArray

    @property
    def n_bins(self) -> int:
        """The number of bins."""
        return len(self.log_width)

    @property
    def penalty(self) -> float:
        """The penalty for edges that are chosen from the data, ½ (K + 1) ln(1 + n)."""
        with np.errstate(over="ignore"):  # weights that are finite in each class may overflow in their sum
            return 0.5 * len(self.edges) * float(np.log1p(self.counts.sum()))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Histograms:
    """The histograms of some columns of a block, with the prior counts (C, K) of each."""

    block: BlockStatistics
    columns: Sequence[ColumnHistogram]
    alphas: Sequence[FloatArray]

    def _pairs(self) -> Iterator[tuple[ColumnHistogram, FloatArray]]:
        return zip(self.columns, self.alphas, strict=True)

    def log_evidence(self) -> FloatArray:
        """Return the log evidence H of each column."""
        evidence = np.zeros(len(self.columns))
        by_size: dict[int, list[int]] = {}
        for j, column in enumerate(self.columns):
            by_size.setdefault(column.n_bins, []).append(j)
        for group in by_size.values():  # one call for all columns with the same number of bins
            counts = np.minimum(np.stack([self.columns[j].counts for j in group]), MOST_COUNT)
            of_masses = compute_log_evidence(counts, np.stack([self.alphas[j] for j in group]))
            log_width = np.stack([self.columns[j].log_width for j in group])
            evidence[group] = of_masses.sum(axis=1) - (counts * log_width[:, None]).sum(axis=(1, 2))
        return evidence

    def penalised_evidence(self) -> FloatArray:
        """Return the log evidence of each column less the penalty for its edges."""
        return self.log_evidence() - [column.penalty for column in self.columns]

    def terms(self) -> tuple[Steps, ...]:
        """Return the log densities as one term; none if there are no columns."""
        if not self.columns:
            return ()
        estimate = self.block.reading.estimate
        logs = [
            estimate_log_probabilities(column.counts, alpha, estimate) - column.log_width
            for column, alpha in self._pairs()
        ]
        return (self._term(logs),)

    def uncertain(self) -> tuple[UncertainOutcomes, ...]:
        """Return the posterior Dir(α + N) of the masses as one term; none if there are no columns."""
        if not self.columns:
            return ()
        for column, alpha in self._pairs():
            require_posterior(alpha, self.block.columns[column.position :])
        after = tuple(column.counts + alpha for column, alpha in self._pairs())
        return (UncertainOutcomes(after, self._term, tuple(-column.log_width for column in self.columns)),)

    def _term(self, logs: Sequence[FloatArray]) -> Steps:
        names = tuple(self.block.columns[column.position] for column in self.columns)
        edges = tuple(column.edges for column in self.columns)
        return Steps(names, tuple(span[1:-1] for span in edges), transpose_table(np.concatenate(logs, axis=1)), edges)

    def parameters(self, credible: float) -> Iterator[Parameter]:
        """Yield the mass of every class, column and bin."""
        estimate = self.block.reading.estimate
        for column, alpha in self._pairs():
            values = estimate_probabilities(column.counts, alpha, estimate)
            lower, upper = compute_intervals(column.counts, alpha, credible)
            intervals, name = format_intervals(column.edges), self.block.columns[column.position]
            for c, label in enumerate(self.block.classes):
                n = float(column.counts[c].sum())
                for k, interval in enumerate(intervals):
                    numbers = float(values[c, k]), float(lower[c, k]), float(upper[c, k]), float(column.counts[c, k])
                    edges = float(column.edges[k]), float(column.edges[k + 1])
                    yield Parameter(label, name, interval, "probability", estimate, *numbers, n, *edges)

    def counts(self) -> Iterator[Count]:
        """Yield the counts of every column, class and bin."""
        for column in self.columns:
            edges: list[float] = column.edges.tolist()
            name = self.block.columns[column.position]
            yield from list_bins(name, self.block.classes, column.counts, list(pairwise(edges)))

    def posterior(self, column: str | int, c: int) -> DirichletMultinomial:
        """Return Dir(α + N) over the bins of a column, which are named by their intervals."""
        for each, alpha in self._pairs():
            if self.block.columns[each.position] == column:
                require_posterior(alpha[c], (column,))
                return named_posterior(each.counts[c] + alpha[c], format_intervals(each.edges), column)
        raise ParameterError("the column is constant or unknown, so it has no bins", column=column)

    def draw_into(self, drawn: list[FloatArray], draw: Draw) -> None:
        """Draw the values of each column and put them at its position in a list of columns."""
        for column, alpha in self._pairs():
            estimates = estimate_probabilities(column.counts, alpha, self.block.reading.estimate)
            names = self.block.columns[column.position :]
            codes = draw_outcomes(draw_probabilities(column.counts, alpha, estimates, draw, names), draw)
            low, high, u = column.edges[codes], column.edges[codes + 1], draw.rng.random(draw.rows)
            drawn[column.position] = np.clip((1 - u) * low + u * high, low, np.nextafter(high, low))

    def outcome_counts(self) -> Iterator[OutcomeCounts]:
        """Yield the bin counts of each column."""
        for column in self.columns:
            yield OutcomeCounts((self.block.columns[column.position],), column.counts, float(column.n_bins))


def cut_histograms(bins: Bins, classes: Axis, *numbers: int) -> list[list[ColumnHistogram]]:
    """Return, for each maximum number of bins, the histogram of every column with two or more fine bins."""
    histograms: list[list[ColumnHistogram]] = [[] for _ in numbers]
    for fine in FineColumn.each(bins, classes):
        pooled = scale_for_sum(fine.counts).sum(axis=0)
        for number, columns in zip(numbers, histograms, strict=True):
            columns.append(fine.histogram(find_equal_mass_cuts(number, pooled, fine.lower, fine.upper)))
    return histograms


class FineColumn(NamedTuple):
    """The fine bins of one column: its position, edges (B), counts (C, B), and the weights (C) of −inf and +inf."""

    position: int
    lower: FloatArray
    upper: FloatArray
    counts: FloatArray
    below: FloatArray
    above: FloatArray

    @classmethod
    def each(cls, bins: Bins, classes: Axis) -> Iterator[FineColumn]:
        """Yield every column with two or more fine bins."""
        lower, upper = bins.lower(), bins.upper()
        counts = align_classes(bins.counts, bins.classes, classes)
        below, above = (align_classes(weight, bins.classes, classes) for weight in (bins.below, bins.above))
        ends: list[int] = bins.offsets.tolist()
        for j, (start, end) in enumerate(pairwise(ends)):
            if end - start >= 2:
                fine = slice(start, end)
                yield cls(j, lower[fine], upper[fine], counts[:, fine], below[:, j], above[:, j])

    def histogram(self, edges: FloatArray) -> ColumnHistogram:
        """Return the histogram with these edges, which split no fine bin."""
        masses = sum_cells(edges, self.counts, self.lower)
        masses[:, 0] += self.below
        masses[:, -1] += self.above
        return ColumnHistogram(self.position, edges, masses, log_widths(edges))


def sum_known_weight(bins: Bins, classes: Axis) -> FloatArray:
    """Return the weight of the known cells of each class and column (C, D), infinite cells included."""
    ends: list[int] = bins.offsets.tolist()
    finite = [bins.counts[:, start:end].sum(axis=1) for start, end in pairwise(ends)]
    known = np.stack(finite, axis=1) if finite else np.zeros_like(bins.below)
    return align_classes(known + bins.below + bins.above, bins.classes, classes)


def _get_bins(block: BlockStatistics) -> Bins:
    (bins,) = block.parts
    assert isinstance(bins, Bins)
    return bins


def _find_single_values(bins: Bins) -> list[float]:
    # The value of each column with a single distinct value (±inf included), NaN for the others.
    lower, values = bins.lower(), list[float]()
    below, above = bins.below.sum(axis=0), bins.above.sum(axis=0)
    ends: list[int] = bins.offsets.tolist()
    for j, (start, end) in enumerate(pairwise(ends)):
        if end - start == 1:
            values.append(float(lower[start]))
        else:
            values.append(np.inf if above[j] > below[j] else -np.inf if below[j] > 0 else np.nan)
    return values


def _broadcast_alphas(by_column: FloatArray, columns: Sequence[ColumnHistogram]) -> list[FloatArray]:
    # Prior counts (C, K) of each column, from one number per class and column (C, D).
    return [np.broadcast_to(by_column[:, column.position, None], column.counts.shape) for column in columns]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Steps(Term):
    """A table with a row for each bin: column j has one bin more than inner edges, column after column.

    The edges of a column ascend. x is in bin #{edges ≤ x}, so −inf is in the first bin and inf in the last. `spans`
    are the edges of each column including the two ends, which are needed to show the bins but not to score rows.
    """

    columns: Columns
    edges: tuple[FloatArray, ...]
    table: FloatArray
    spans: tuple[FloatArray, ...] = ()

    def compile(self, layout: Layout) -> None:
        """Add the edges and the table."""
        edges = np.concatenate([np.empty(0), *self.edges])
        sizes = [len(inner) for inner in self.edges]
        layout.tables.add_steps(layout.numbers(self.columns), sizes, contiguous(edges), contiguous(self.table))

    @property
    def separable(self) -> bool:
        """Whether `restrict` can separate its columns."""
        return True

    def restrict(self, columns: Columns) -> Steps:
        """Return the term of these columns only."""
        positions = [self.columns.index(name) for name in columns]
        starts = self._starts()
        table = np.concatenate([self.table[:0], *(self.table[starts[j] : starts[j + 1]] for j in positions)])
        spans = tuple(self.spans[j] for j in positions) if self.spans else ()
        return Steps(columns, tuple(self.edges[j] for j in positions), table, spans)

    def weigh(self, weights: FloatArray) -> list[Term]:
        """Return the term with the rows of each column multiplied by its weight."""
        return [replace(self, table=weigh_rows(self.table, np.repeat(weights, np.diff(self._starts()))))]

    def _starts(self) -> IntArray:
        return np.concatenate([[0], np.cumsum([len(inner) + 1 for inner in self.edges])]).astype(np.int64)

    def score_numbers(self, x: FloatArray) -> FloatArray:
        """Return the rows of the table of these cells."""
        places = [
            np.searchsorted(inner, np.where(np.isnan(column), 0.0, column), side="right")
            for inner, column in zip(self.edges, x.T, strict=True)
        ]
        return self.table[np.stack(places, axis=1) + self._starts()[:-1]]

    def split(self, rows: Rows, block: BlockStatistics) -> Split:
        """Return an entry for each known cell."""
        starts = self._starts()

        def outcome(j: int, x: float) -> int:
            return int(np.searchsorted(self.edges[j], x, side="right"))

        def mass(j: int, k: int) -> FloatArray:
            return np.exp(self.table[starts[j] + k] + log_widths(self.spans[j])[k])

        facts = share_facts(mass, block.rows)
        return NumberSplit(self.columns, rows.numbers(self.columns), self.score_numbers, facts, outcome)

    def outcomes(self) -> Outcomes:
        """Return the bins of each column, shown as intervals."""
        logs = self.table + np.concatenate([log_widths(span) for span in self.spans])[:, None]
        sizes = [len(span) - 1 for span in self.spans]
        return Outcomes.of(self.columns, sizes, logs, lambda j, k: format_intervals(self.spans[j])[k])

    def log_units(self) -> FloatArray:
        """Return the log of the distance between the outer edges of each column."""
        return np.array([log_widths(span[[0, -1]])[0] for span in self.spans])

    def size_terms(self, unseen: float, observed: set[str | int]) -> Iterator[Term]:
        """Yield the number of known cells, and the cost of a value outside the edges."""
        yield from Term.size_terms(self, unseen, observed)
        edges = tuple(np.array([span[0], np.nextafter(span[-1], np.inf)]) for span in self.spans)
        yield Steps(self.columns, edges, np.tile([[0.0, unseen], [0.0, 0.0], [0.0, unseen]], (len(edges), 1)))


def log_widths(edges: FloatArray) -> FloatArray:
    """Return the log of the width of each bin between the edges; it is finite for any two floats."""
    with np.errstate(over="ignore"):
        width = np.diff(edges)
    # Where the difference overflows, the edges are halved first: at that size halving is exact.
    overflows = np.isinf(width)
    return np.log(np.where(overflows, np.diff(0.5 * edges), width)) + np.where(overflows, np.log(2.0), 0.0)


def format_intervals(edges: FloatArray) -> list[str]:
    """Return the bins between the edges as text, [e_{k−1}, e_k), with the fewest digits that keep edges distinct.

    Large edges are rounded to integers; from 1e15 on they are in scientific notation.

    Examples
    --------
    >>> format_intervals(np.array([0, 1.5, 3, 1e6]))
    ['[0, 1.5)', '[1.5, 3)', '[3, 1000000]']
    """
    numbers: list[float] = edges.tolist()
    shown = [f"{edge!r}" for edge in numbers]
    for digits in range(_FEWEST_DIGITS, _MOST_DIGITS):
        shorter = [f"{edge:.0f}" if 10**digits <= abs(edge) < _LARGE else f"{edge:.{digits}g}" for edge in numbers]
        if len(set(shorter)) == len(shorter):
            shown = shorter
            break
    return [
        f"[{low}, {high}{']' if last else ')'}"
        for (low, high), last in zip(pairwise(shown), [*[False] * (len(shown) - 2), True], strict=True)
    ]
