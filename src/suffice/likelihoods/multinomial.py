"""Count columns: a row of counts x consists of n draws from the distribution θ_c over the columns.

Symbols: N_cj = Σ x_j over the rows of class c, n_c = Σ_j N_cj, D columns. The prior on θ_c is Dir(α), α₀ = Σ_j α_j.

    mle          N_cj/n_c                               smoothed   (N_cj + λ)/(n_c + D λ)
    map          (N_cj + α_j − 1)/(n_c + α₀ − D)        mean       (N_cj + α_j)/(n_c + α₀)
    term         ln coef + Σ_j x_j ln θ_cj,   coef = n!/Π_j x_j!
    predictive   θ integrated out over the whole row (Dirichlet-multinomial or Pólya), A_c = Σ_j (α_j + N_cj):
                 ln coef + ln Γ(A_c) − ln Γ(A_c + n) + Σ_j [ln Γ(α_j + N_cj + x_j) − ln Γ(α_j + N_cj)]
    evidence     Σ_c [ln B(α + N_c) − ln B(α)] + Σ_i ln coef_i

A missing count is not zero: the observed counts of a row are conditioned on their total. The plug-in term subtracts
n ln Σ_observed θ, the predictive term and the coefficient use A_c and n of the observed columns, and the statistics and
the evidence include only observed counts.

coefficients=False leaves ln coef out of the term, the predictive distribution and the evidence, which are then those of
an ordered sequence of draws, such as the words of a document. The coefficient is the same for every class and does not
change class posteriors. Leaving it out saves a pass over the rows that collects its logs.

Contributions of column j to an explanation:

    plug-in      x_j (ln θ_cj − ln Σ_observed θ)
    predictive   ln Γ(α_j + x_j) − ln Γ(α_j) − (x_j/n) [ln Γ(A + n) − ln Γ(A)]. Each of the n draws, in order,
                 contributes ln((α_j + drawn of column j before)/(A + drawn before)); this is the mean contribution of
                 the draws of column j over all orders, which is their Shapley value
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
import numpy.typing as npt

from suffice.conjugate import DirichletMultinomial
from suffice.conjugate.special import log_rising, simplex_draws
from suffice.errors import ParameterError
from suffice.likelihoods.block_statistics import (
    BlockStatistics,
    Collect,
    align_columns,
    broadcast_parameter,
    select_columns,
    sum_logs,
    transpose_table,
)
from suffice.likelihoods.dirichlet import (
    Alpha,
    EvidenceAlpha,
    choose_alpha,
    compute_intervals,
    draw_log_simplex,
    estimate_log_probabilities,
    estimate_probabilities,
    fit_alpha,
    format_alpha,
    parse_prior,
    select_alpha,
    sum_log_evidence,
)
from suffice.likelihoods.draws import Draw, draw_probabilities
from suffice.likelihoods.likelihood import Likelihood, OutcomeCounts, Parameter
from suffice.likelihoods.terms.divergence import Other, log_of_rest, weigh
from suffice.likelihoods.terms.split import NumberSplit, Rows, Split, count_facts, no_outcome
from suffice.likelihoods.terms.term import (
    Layout,
    LinearForm,
    Outcomes,
    Term,
    UncertainTerm,
    contiguous,
    outcome_ratio,
    require_posterior,
)
from suffice.statistics import Counts
from suffice.statistics.arrays import BoolArray, FloatArray
from suffice.statistics.axis import Columns

__all__ = ["Coefficient", "Linear", "Multinomial", "Polya", "UncertainCounts"]

_CELLS_AT_ONCE = 2**22


@final
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Multinomial(Likelihood):
    """Multinomial likelihood for count columns, such as word counts of documents.

    Parameters
    ----------
    prior : DirichletMultinomial, optional
        Dir(α) over the columns: α of shape (columns,) or (classes, columns).
    alpha : float or array > 0, or "evidence", optional
        α as a scalar, one value per column, or one per class and column. Default: 1, or 2 for estimate="map".
        "evidence" selects the α in [0.001, 1] that maximises the marginal likelihood; estimate="map" uses 1 + α.
    coefficients : bool
        Whether log p(c, x), log p(x) and the evidence include the multinomial coefficient n!/Π x_j!.

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
        if not isinstance(coefficients, (bool, np.bool_)):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ParameterError(
                f"coefficients must be True or False: got {coefficients!r}. False omits the multinomial coefficients."
            )
        self._set(**parse_prior("Multinomial", prior, alpha, columns=False), coefficients=bool(coefficients))

    def collect(self, columns: Columns) -> Collect:
        """Return the statistics to collect: column sums, and the log coefficients if `coefficients` is true."""
        return Collect("sums", columns, logs="rows" if self.coefficients else "none")

    def restrict(self, stay: BoolArray) -> Multinomial:
        """Return the likelihood restricted to a subset of columns, with their priors but without the coefficients.

        The coefficients of the remaining columns cannot be derived from the statistics.
        """
        prior = self.prior
        if prior is not None and stay.any():
            prior = DirichletMultinomial(select_columns(prior.alpha, stay))
        return Multinomial(prior, select_alpha(self.alpha, stay), coefficients=False)

    def terms(self, block: BlockStatistics) -> tuple[Term, ...]:
        """Return ln θ, or α + N for the predictive estimate, and the coefficient if `coefficients` is true."""
        counts, alpha = self._counts_and_alpha(block)
        coefficient = (Coefficient(block.columns),) if self.coefficients else ()
        if block.reading.estimate == "predictive":
            return Polya(block.columns, transpose_table(counts + alpha)), *coefficient
        logs = estimate_log_probabilities(counts, alpha, block.reading.estimate)
        return Linear(block.columns, transpose_table(logs)), *coefficient

    def uncertain(self, block: BlockStatistics) -> tuple[UncertainTerm, ...]:
        """Return the posterior Dir(α + N) of each class."""
        counts, alpha = self._counts_and_alpha(block)
        require_posterior(alpha, block.columns)
        return (UncertainCounts(block.columns, counts + alpha),)

    def log_evidence(self, block: BlockStatistics) -> float:
        """Return Σ_c ln B(α + N_c) − ln B(α), plus the log coefficients if `coefficients` is true."""
        of_draws = sum_log_evidence(*self._counts_and_alpha(block))
        return of_draws + sum_logs(block.parts[1]) if self.coefficients else of_draws

    def parameters(self, block: BlockStatistics, credible: float) -> Iterator[Parameter]:
        """Yield θ_cj of every class and column."""
        counts, alpha = self._counts_and_alpha(block)
        values = estimate_probabilities(counts, alpha, block.reading.estimate)
        lower, upper = compute_intervals(counts, alpha, credible)
        for c, label in enumerate(block.classes):
            n = float(counts[c].sum())
            for j, column in enumerate(block.columns):
                numbers = float(values[c, j]), float(lower[c, j]), float(upper[c, j]), float(counts[c, j])
                yield Parameter(label, column, None, "probability", block.reading.estimate, *numbers, n)

    def posterior(self, block: BlockStatistics, column: str | int, c: int) -> DirichletMultinomial:
        """Return Dir(α + N) over the columns of the block."""
        counts, alpha = self._counts_and_alpha(block)
        require_posterior(alpha[c], (column,))
        return DirichletMultinomial(counts[c] + alpha[c], block.columns)

    def outcome_counts(self, block: BlockStatistics) -> Iterator[OutcomeCounts]:
        """Yield the sums of all columns as the counts of one distribution."""
        yield OutcomeCounts(block.columns, _align_sums(block)[0], float(len(block.columns)))

    def choices(self, block: BlockStatistics) -> dict[str | int, str]:
        """Return the α of the block for each column if it was chosen by evidence."""
        if not isinstance(self.alpha, str):
            return {}
        return dict.fromkeys(block.columns, format_alpha(fit_alpha(_align_sums(block)[0])))

    def sample(self, block: BlockStatistics, draw: Draw) -> list[npt.NDArray[Any]]:
        """Draw rows of counts with the given totals; default: the rounded mean total of the class, at least 1."""
        counts, alpha = self._counts_and_alpha(block)
        integrate_out = block.reading.estimate == "predictive" and not draw.posterior
        estimates = estimate_probabilities(counts, alpha, block.reading.estimate)
        theta = draw_probabilities(counts, alpha, estimates, draw, block.columns)
        length = self._mean_totals(block)[draw.classes] if draw.length is None else draw.length
        cells: npt.NDArray[np.int64] = np.zeros((draw.rows, len(block.columns)), dtype=np.int64)
        step = max(1, _CELLS_AT_ONCE // len(block.columns))
        for c, rows in draw.groups:
            for batch in (rows[start : start + step] for start in range(0, len(rows), step)):
                of_rows = simplex_draws(counts[c] + alpha[c], len(batch), draw.rng) if integrate_out else theta[c]
                cells[batch] = draw.rng.multinomial(length[batch], of_rows)
        return [cells[:, j] for j in range(len(block.columns))]

    @staticmethod
    def _mean_totals(block: BlockStatistics) -> npt.NDArray[np.int64]:
        # Means are summed over columns, since counts may be missing; a class without rows has the means of all classes.
        total, weight = _align_sums(block)
        of_all = total.sum(axis=0) / np.maximum(weight.sum(axis=0), np.finfo(np.float64).tiny)
        means = np.where(weight > 0, total / np.where(weight > 0, weight, 1.0), of_all).sum(axis=1)
        return np.clip(np.rint(means), 1, 2**53).astype(np.int64)

    def _counts_and_alpha(self, block: BlockStatistics) -> tuple[FloatArray, FloatArray]:
        counts, _ = _align_sums(block)
        if self.prior is not None and block.reading.estimate != "smoothed":
            return counts, broadcast_parameter("the prior of Multinomial", self.prior.alpha, *block.shape)
        alpha = choose_alpha(block, self.alpha, lambda: fit_alpha(counts))
        return counts, broadcast_parameter("alpha", alpha, *block.shape)


def _align_sums(block: BlockStatistics) -> tuple[FloatArray, FloatArray]:
    # Column sums and observed weights, (C, D).
    sums = block.parts[0]
    assert isinstance(sums, Counts)
    return align_columns(sums, block.columns, block.classes)


class _Draws(Term):
    # A row of counts that are draws from one distribution over the columns.
    __slots__ = ()

    @abstractmethod
    def _log_theta(self) -> FloatArray:
        # The log probability of each column, (D, C).
        ...

    @abstractmethod
    def _added(self, x: FloatArray) -> FloatArray:
        # The contributions (n, D, C) of counts (n, D).
        ...

    def split(self, rows: Rows, block: BlockStatistics) -> Split:
        """Return an entry for each count above 0."""
        facts = count_facts(block, self.columns, _describe_sums)
        return NumberSplit(self.columns, rows.numbers(self.columns), self._added, facts, no_outcome, counts=True)

    def outcomes(self) -> Outcomes:
        """Return the columns, each an outcome of one draw."""
        return Outcomes.of(self.columns, [1] * len(self.columns), self._log_theta(), lambda _, __: None)

    def divergence(self, log_weight: FloatArray, other: Other = log_of_rest) -> Iterable[tuple[str | int, FloatArray]]:
        """Return nothing: a whole row has too many outcomes to sum over."""
        del log_weight, other
        return ()

    def evidence(self, log_weight: FloatArray, block: BlockStatistics) -> Iterable[tuple[str | int, FloatArray]]:
        """Yield each column and the contribution of its mean count against the other classes."""
        sums = block.parts[0]
        if not isinstance(sums, Counts):
            return ()
        total, weight = align_columns(sums, self.columns, block.classes)
        means = np.divide(total, weight, out=np.zeros_like(total), where=weight > 0).T
        logs = self._log_theta()
        return zip(self.columns, weigh(means, outcome_ratio(logs, log_of_rest(logs, log_weight))), strict=True)

    def size_terms(self, unseen: float, observed: set[str | int]) -> Iterator[Term]:
        """Yield the total of the row."""
        del unseen, observed
        yield Linear(self.columns, np.tile([1.0, 0.0], (len(self.columns), 1)), distribution=False)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Linear(_Draws):
    """Σ_j x_j weight_j with 0 · (−inf) = 0: weight of shape (D, C), log probabilities if `distribution` is true."""

    columns: Columns
    weight: FloatArray
    distribution: bool = True

    def compile(self, layout: Layout) -> None:
        """Add the weights."""
        layout.tables.add_linear(layout.numbers(self.columns), contiguous(self.weight), self.distribution)

    def linear_form(self) -> LinearForm:
        """Return ln θ of each column."""
        return LinearForm.of_cells(self.columns, self.weight, np.zeros(int(self.weight.shape[1])))

    def _log_theta(self) -> FloatArray:
        return self.weight

    def _added(self, x: FloatArray) -> FloatArray:
        counts, missing = x[..., None], np.isnan(x)
        weight = np.broadcast_to(self.weight, (len(x), *self.weight.shape))
        if self.distribution and missing.any():
            theta = np.where(missing[..., None], 0.0, np.exp(weight)).sum(axis=1, keepdims=True)
            log_theta = np.log(np.where(theta > 0, theta, 1.0))
            log_theta[~missing.any(axis=1)] = 0.0  # complete rows
            weight = weight - log_theta
        return np.multiply(counts, weight, out=np.zeros(weight.shape), where=counts > 0)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Polya(_Draws):
    """The log Dirichlet-multinomial probability of the whole row without the coefficient: alpha of shape (D, C)."""

    columns: Columns
    alpha: FloatArray

    def compile(self, layout: Layout) -> None:
        """Add α of each column."""
        places, nothing = layout.numbers(self.columns), np.empty((0, 0))
        layout.tables.add_counts(places, contiguous(self.alpha), nothing, nothing, factorials=False, whole_row=True)

    def _log_theta(self) -> FloatArray:
        return np.log(self.alpha) - np.log(self.alpha.sum(axis=0))

    def _added(self, x: FloatArray) -> FloatArray:
        missing = np.isnan(x)
        start = np.where(missing[..., None], 0.0, self.alpha).sum(axis=1)  # A of the observed columns, (n, C)
        n = np.where(missing, 0.0, x).sum(axis=1, keepdims=True)
        of_total = log_rising(np.where(start > 0, start, 1.0), n)
        fraction = np.divide(x, n, out=np.zeros_like(x), where=n > 0)
        alpha = np.broadcast_to(self.alpha, (len(x), *self.alpha.shape))
        return log_rising(alpha, np.where(missing, 0.0, x)[..., None]) - fraction[..., None] * of_total[:, None]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Coefficient(Term):
    """The log multinomial coefficient ln n! − Σ_j ln x_j! of the row, the same for every class."""

    columns: Columns

    cancels: ClassVar[bool] = True

    def compile(self, layout: Layout) -> None:
        """Add the coefficient."""
        layout.tables.add_coefficient(layout.numbers(self.columns))

    def split(self, rows: Rows, block: BlockStatistics) -> None:
        """Return None: the coefficient is the same for every class."""
        del rows, block

    def size_terms(self, unseen: float, observed: set[str | int]) -> Iterator[Term]:
        """Yield nothing: the counts have a term of their own."""
        del unseen, observed
        yield from ()


def _describe_sums(total: FloatArray, _observed: FloatArray, column: int, _outcome: int) -> dict[str, float]:
    return {"times": float(total[:, column].sum()), "of": float(total.sum())}


@final
@dataclass(frozen=True, slots=True, eq=False)
class UncertainCounts(UncertainTerm):
    """A row of counts with the posterior Dir(α) over the columns: α of shape (C, D).

    The coefficient is omitted, since it is the same for every class.
    """

    columns: Columns
    alpha: FloatArray

    def draw(self, rng: np.random.Generator) -> Linear:
        """Return the term with log probabilities drawn from the posterior."""
        return Linear(self.columns, transpose_table(draw_log_simplex(self.alpha, rng)))
