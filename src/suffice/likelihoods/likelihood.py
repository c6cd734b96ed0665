"""The contract of a likelihood: the statistics it needs, and the terms, evidence, parameters and draws it derives.

A likelihood is an immutable value. It does not see rows: it receives the statistics of a block of columns, aligned to
the classes of the model by label (block_statistics.py), and returns plain arrays.

Taking columns out of a block: if the likelihood models its columns independently (`column_by_column`), the remaining
block is as if it had been collected without them. The exceptions are the logs of factorials and coefficients, which
belong to all columns of a row: the block is modelled without them (factorials=False, coefficients=False).

Pruning: N(k) is the total weight of level, combination, token or column k over all classes, m the minimum to keep.

    levels       a level with N(k) < m is treated as missing; a declared level stays
    joint        a combination with N(s) < m counts as unobserved, and a level with N(k) < m is dropped
    sums         a column of counts with N(j) < m is dropped
    tokens       a token with N(k) < m is dropped
    presence     a column that is present with weight N(j) < m is dropped
    others       are unchanged

The weight of a combination is at most that of each of its levels, so no combination loses a level.

Forms: some likelihoods offer several for each column. A form is given as "auto", as one name for all columns, or as a
tuple of names, one for each column: those are the forms that were selected from the data. Adding two models takes, for
each column, the later of its forms in the order of the likelihood, and one that was selected rather than "auto", so
that the result does not depend on the order of several additions. A name that the user gave must be the same in both.

Missingness as evidence (missing="level") is Bernoulli (bernoulli.py) on whether a cell is known. n is the weight of the
rows of class c, N_jc the weight of those in which column j is known, θ_jc the probability that it is known:

    mle    N_jc/n                               smoothed           (N_jc + λ)/(n + 2λ)
    map    (N_jc + 1)/(n + 2), Beta(2, 2)       mean, predictive   (N_jc + 1)/(n + 2), Beta(1, 1)
    term   ln θ if the cell is known, ln(1 − θ) if it is missing
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any, ClassVar, NamedTuple, cast, final

import numpy as np
import numpy.typing as npt

from suffice.arguments import option
from suffice.conjugate.pair import ConjugatePair
from suffice.errors import ParameterError
from suffice.likelihoods.block_statistics import (
    BlockStatistics,
    Collect,
    Parts,
    broadcast_parameter,
    take_columns,
    transpose_table,
)
from suffice.likelihoods.dirichlet import (
    UncertainOutcomes,
    compute_intervals,
    default_alpha,
    estimate_log_probabilities,
    estimate_probabilities,
    sum_log_evidence,
)
from suffice.likelihoods.draws import Draw, draw_probabilities
from suffice.likelihoods.listing import Count, list_counts
from suffice.likelihoods.terms import Observed, Term
from suffice.likelihoods.terms.split import Rows, Split
from suffice.likelihoods.terms.term import UncertainTerm, require_posterior
from suffice.likelihoods.tokens import TokenEstimates, prune_tokens
from suffice.statistics import Counts
from suffice.statistics.arrays import BoolArray, FloatArray
from suffice.statistics.axis import Columns
from suffice.statistics.labels import Label

__all__ = [
    "AUTO",
    "Likelihood",
    "Observation",
    "OutcomeCounts",
    "Parameter",
    "ReducedBlock",
    "forms_by_column",
    "join_forms",
    "parse_form",
    "select_form",
]

AUTO = "auto"


class Parameter(NamedTuple):
    """Estimate of one model parameter: a row of a tidy table.

    `label` is the class. `column` is None for the class prior; `level` is None if it does not apply. `lower` and
    `upper` are the credible bounds under the prior of the estimate; NaN if undefined. `count` is the weight of the
    cells with the level (of the rows, for the class prior; for a column of counts, their sum) and `n` the weight of all
    known cells that it is estimated from. A bin extends from `lower_edge` to `upper_edge`. Numbers
    that do not apply are NaN.
    """

    label: Label
    column: str | int | None
    level: Label
    name: str
    estimate: str
    value: float
    lower: float
    upper: float
    count: float = math.nan  # pyright: ignore[reportIncompatibleMethodOverride]
    n: float = math.nan
    lower_edge: float = math.nan
    upper_edge: float = math.nan


class OutcomeCounts(NamedTuple):
    """Counts to which the λ of some columns is added, one row per class, and the number of possible outcomes."""

    columns: Columns
    counts: FloatArray
    outcomes: float


class ReducedBlock(NamedTuple):
    """A block after columns, levels or tokens were dropped, with the reason for each column left out."""

    columns: Columns
    likelihood: Likelihood
    parts: Parts
    left_out: tuple[tuple[str | int, str], ...] = ()


class Likelihood(ABC):
    """Class-conditional distribution of a block of columns (base class)."""

    __slots__ = ()

    column_by_column: ClassVar[bool] = False
    """Whether columns are modelled independently: a block of two columns equals two blocks of one."""

    has_length: ClassVar[bool] = False
    """Whether drawn rows have a length: the total of their counts, or the number of their words."""

    form_names: ClassVar[tuple[str, ...]] = ()
    """Values of its parameter `form` besides "auto", the simplest first; empty if it has no such parameter."""

    @property
    def own_columns(self) -> Columns | None:
        """Columns of the block, if given in the constructor."""
        return None

    @property
    def is_likelihood(self) -> bool:
        """Whether the scores define a probability distribution, so that log p(x) exists."""
        return True

    def __repr__(self) -> str:
        """Return the constructor call, with the arguments that differ from their defaults."""
        given = (
            f"{name}={getattr(self, name)!r}"
            for name, parameter in signature(type(self)).parameters.items()
            if _differs(getattr(self, name), parameter.default)
        )
        return f"{type(self).__name__}({', '.join(given)})"

    def _set(self, **values: Any) -> None:
        # Set the fields of an immutable value, in its constructor.
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @abstractmethod
    def collect(self, columns: Columns) -> Collect:
        """Return the statistics to collect for these columns."""

    def restrict(self, stay: BoolArray) -> Likelihood:
        """Return the likelihood restricted to the columns where `stay` is true, with their parameters."""
        del stay
        return self

    def with_options(self, **options: Any) -> Likelihood:
        """Return the likelihood with the new values of the options that are among its parameters."""
        parameters = self.stored_parameters()
        changed = {name: value for name, value in options.items() if name in parameters}
        return cast("Any", type(self))(**(parameters | changed)) if changed else self

    def take_columns(self, columns: Columns, parts: Parts, keep: BoolArray) -> ReducedBlock:
        """Return the block of the columns where `keep` is true; the columns must be modelled independently."""
        if keep.all():
            return ReducedBlock(columns, self, parts)
        left = tuple(name for name, kept in zip(columns, keep, strict=True) if kept)
        return ReducedBlock(left, self.restrict(keep), take_columns(self.collect(columns), parts, left))

    def prune(self, columns: Columns, parts: Parts, least: float) -> ReducedBlock:
        """Return the block without the levels, combinations, tokens or columns of total weight below `least`."""
        what = self.collect(columns).what
        if what == "tokens":
            return ReducedBlock(columns, self, tuple(prune_tokens(part, least) for part in parts))
        if what in ("levels", "joint"):
            left = tuple(_prune_levels(part, least) for part in parts)
            for name, after, before in zip(columns, left, parts, strict=False) if what == "levels" else ():
                if after is not before:
                    self.require_prunable(name)
            return ReducedBlock(columns, self, left)
        if what not in ("sums", "presence"):
            return ReducedBlock(columns, self, parts)
        (counts, *_) = parts
        assert isinstance(counts, Counts)
        weight = counts.values.sum(axis=0)[counts.levels.positions(columns)] if len(counts.classes) else np.zeros(1)
        weight = np.broadcast_to(weight, (len(columns),))
        measure = "present with weight" if what == "presence" else "total count"
        left_out = tuple(
            (name, f"pruned: {measure} {float(total):g}, below min_count={least:g}")
            for name, total in zip(columns, weight, strict=True)
            if not total >= least
        )
        return self.take_columns(columns, parts, weight >= least)._replace(left_out=left_out)

    def require_prunable(self, column: str | int) -> None:
        """Raise ParameterError if rare levels of a column cannot be dropped."""
        del column

    def stored_parameters(self) -> dict[str, Any]:
        """Return the constructor parameters for storage in a model file."""
        return {name: getattr(self, name) for name in signature(type(self)).parameters}

    @abstractmethod
    def terms(self, block: BlockStatistics) -> tuple[Term, ...]:
        """Return the terms that contribute to log p(c, x), including constants."""

    def split(self, term: Term, rows: Rows, block: BlockStatistics) -> Split | None:
        """Split the contribution of one of its terms to these rows into the entries of an explanation."""
        return term.split(rows, block)

    @abstractmethod
    def log_evidence(self, block: BlockStatistics) -> float:
        """Return the log marginal likelihood of all observed cells.

        The prior is that of the estimate (Dir(λ) for "smoothed"); "mle" has no prior and uses that of "mean".
        """

    @abstractmethod
    def parameters(self, block: BlockStatistics, credible: float) -> Iterator[Parameter]:
        """Yield every parameter estimate with its equal-tailed credible interval."""

    def counts(self, block: BlockStatistics) -> Iterator[Count]:
        """Yield the counted statistics by class, column and level."""
        return list_counts(self.collect(block.columns), block)

    def posterior(self, block: BlockStatistics, column: str | int, c: int) -> ConjugatePair | Any:
        """Return the posterior of the parameters of one class and column, as a conjugate pair.

        The prior is that of the estimate ("mle" uses that of "mean"). Columns that are modelled together have one
        posterior. A likelihood without a conjugate prior raises ParameterError.
        """
        del block, c
        raise ParameterError(
            f"{self!r} has no conjugate pair, so the posterior of its parameters is not available", column=column
        )

    def n_parameters(self, block: BlockStatistics) -> int:
        """Return the number of free parameters: K − 1 for a distribution over K outcomes.

        A likelihood without outcomes has as many as `parameters` yields.
        """
        counted = [len(each.counts) * (int(each.outcomes) - 1) for each in self.outcome_counts(block)]
        return sum(counted) if counted else sum(1 for _ in self.parameters(block, 0.95))

    def outcome_counts(self, block: BlockStatistics) -> Iterator[OutcomeCounts]:
        """Yield the counts to which the λ of "smoothed" is added; nothing if λ is not a pseudo-count."""
        del block
        yield from ()

    def token_estimates(self, block: BlockStatistics) -> Iterator[TokenEstimates]:
        """Yield the text columns with their token estimates; nothing for other likelihoods."""
        del block
        yield from ()

    def forms(self, block: BlockStatistics) -> dict[str | int, Likelihood]:
        """Return the effective likelihood of each column: this one, unless it is selected from the data."""
        return dict.fromkeys(block.columns, self)

    def alternatives(self) -> tuple[Likelihood, ...]:
        """Return the forms that its columns may take, as likelihoods of the block; empty if the form is given.

        Held-out log loss selects one for each column (evidence/forms.py), and `with_forms` returns the result.
        """
        if self.stored_parameters().get("form") != AUTO:
            return ()
        return tuple(self.with_options(form=form) for form in self.form_names)

    def with_forms(self, chosen: Sequence[int]) -> Likelihood:
        """Return the likelihood whose column j has the form of alternatives()[chosen[j]]."""
        return self.with_options(form=tuple(self.form_names[k] for k in chosen))

    def held_out_scores(self, block: BlockStatistics, parts: Parts) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield for each column the counts (C, K) of the outcomes of other rows, and ln p(outcome | c) (K, C).

        `parts` are the statistics of these rows. Only a likelihood with alternatives needs it; a constant that all
        classes share may be left out.
        """
        del block, parts
        yield from ()

    def join(self, other: Likelihood) -> Likelihood | None:
        """Return the likelihood of the rows of two models, None if they cannot be added.

        Forms that were selected from the data may differ (forms.py).
        """
        if self == other:
            return self
        if type(other) is not type(self) or self.with_options(form=AUTO) != other.with_options(form=AUTO):
            return None
        mine, theirs = (each.stored_parameters().get("form", AUTO) for each in (self, other))
        form = join_forms(mine, theirs, self.form_names)
        return None if form is None else self.with_options(form=form)

    def choices(self, block: BlockStatistics) -> dict[str | int, str]:
        """Return a description of the data-driven choices for each column; empty if there are none."""
        del block
        return {}

    def uncertain(self, block: BlockStatistics) -> tuple[UncertainTerm, ...]:
        """Return the terms with the posterior of their parameters, for intervals of predicted probabilities.

        The prior is that of the estimate ("mle" uses that of "mean"). A likelihood without a posterior raises
        ParameterError.
        """
        raise ParameterError(
            f"{self!r} defines no posterior of its parameters, so intervals are not available",
            column=block.columns[0],
            advice=lambda words: (
                f"Use another likelihood for the column, or exclude it with {words.column(block.columns[0], None)}."
            ),
        )

    @abstractmethod
    def sample(self, block: BlockStatistics, draw: Draw) -> list[npt.NDArray[Any]]:
        """Draw cells for rows of the given classes, one array per column.

        Point estimates are used as parameters; "predictive" integrates them out for each row, and `draw.posterior`
        draws them once from the posterior under the prior of the estimate ("mle" uses that of "mean").
        """


def _differs(value: Any, default: Any) -> bool:
    if any(isinstance(each, np.ndarray) for each in (value, default)):
        return not np.array_equal(value, default)
    return value != default


# Fractional weights may be summed in different orders: a difference below this fraction is rounding error.
_ROUNDING = 2.0**-40


@final
@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """Counts of known and missing cells and their prior counts, each of shape (C, D, 2)."""

    counts: FloatArray
    alpha: FloatArray

    @classmethod
    def of(cls, block: BlockStatistics, known: FloatArray) -> Observation:
        """Return the counts, given the weight of the known cells of each class and column (C, D)."""
        rows = block.rows[:, None]
        missing = rows - known
        counts = np.stack([known, np.where(missing > _ROUNDING * rows, missing, 0.0)], axis=-1)
        given = block.smoothing
        each = default_alpha(block.reading.estimate) if given is None else given
        alpha = broadcast_parameter("alpha", each, *block.shape)[..., None]
        return cls(counts, np.broadcast_to(alpha, counts.shape))

    def term(self, block: BlockStatistics) -> Observed:
        """Return ln θ and ln(1 − θ)."""
        logs = estimate_log_probabilities(self.counts, self.alpha, block.reading.estimate)
        return self._term(block, logs)

    def uncertain(self, block: BlockStatistics) -> UncertainOutcomes:
        """Return the posterior Beta(a + N, b + n − N) of each class and column."""
        require_posterior(self.alpha, block.columns)
        return UncertainOutcomes((self.counts + self.alpha,), lambda logs: self._term(block, logs[0]))

    @staticmethod
    def _term(block: BlockStatistics, logs: FloatArray) -> Observed:
        return Observed(block.columns, transpose_table(logs[..., 0]), transpose_table(logs[..., 1]))

    def log_evidence(self) -> float:
        """Return Σ_jc ln B(a + N_jc, b + n − N_jc) − ln B(a, b)."""
        return sum_log_evidence(self.counts, self.alpha)

    def outcome_counts(self, block: BlockStatistics) -> Iterator[OutcomeCounts]:
        """Yield the counts of known and missing cells of each column."""
        yield from (OutcomeCounts((column,), self.counts[:, j], 2.0) for j, column in enumerate(block.columns))

    def draw_missing(self, block: BlockStatistics, draw: Draw) -> BoolArray:
        """Draw which cells are missing (n, D)."""
        read = estimate_probabilities(self.counts, self.alpha, block.reading.estimate)
        known = draw_probabilities(self.counts, self.alpha, read, draw, block.columns)[..., 0]
        return draw.rng.random((draw.rows, len(block.columns))) >= known[draw.classes]

    def blank_missing(self, drawn: list[npt.NDArray[Any]], block: BlockStatistics, draw: Draw) -> None:
        """Set the missing cells of the drawn columns to NaN."""
        for values, missing in zip(drawn, self.draw_missing(block, draw).T, strict=True):
            values[missing] = np.nan

    def parameters(self, block: BlockStatistics, credible: float) -> Iterator[Parameter]:
        """Yield θ_jc of every class and column."""
        estimate = block.reading.estimate
        values = estimate_probabilities(self.counts, self.alpha, estimate)[..., 0]
        lower, upper = compute_intervals(self.counts, self.alpha, credible)
        for c, label in enumerate(block.classes):
            for j, column in enumerate(block.columns):
                bounds = float(lower[c, j, 0]), float(upper[c, j, 0])
                counted = float(self.counts[c, j, 0]), float(self.counts[c, j].sum())
                yield Parameter(label, column, None, "observed", estimate, float(values[c, j]), *bounds, *counted)


def _prune_levels(part: Any, least: float) -> Counts:
    # A declared level stays.
    assert isinstance(part, Counts)
    keep: BoolArray = part.levels.declared | (part.values.sum(axis=0) >= least)
    return part if keep.all() else part.take_levels(keep)


def parse_form(given: Any, names: Sequence[str]) -> Any:
    """Return "auto", one of the names, or a tuple of names; or raise ParameterError."""
    if isinstance(given, (list, tuple)):
        return tuple(option("form", each, names) for each in cast("Sequence[object]", given))
    return option("form", given, (AUTO, *names))


def select_form(given: Any, stay: BoolArray) -> Any:
    """Return the forms of the columns where `stay` is true."""
    if not isinstance(given, tuple):
        return given
    forms = cast("tuple[str, ...]", given)
    return tuple(form for form, kept in zip(forms, stay.tolist(), strict=True) if kept)


def forms_by_column(what: str, given: str | tuple[str, ...], columns: Columns) -> tuple[str, ...]:
    """Return the form of each column, or raise ParameterError if the number of columns differs."""
    if isinstance(given, str):
        return (given,) * len(columns)
    if len(given) != len(columns):
        raise ParameterError(
            f"{what} must be one name or one for each of the {len(columns)} columns: got {len(given)} names.",
            parameter=what,
        )
    return given


def join_forms(
    left: str | tuple[str, ...], right: str | tuple[str, ...], order: Sequence[str]
) -> str | tuple[str, ...] | None:
    """Return the later form of each column, None if different forms were given by the user.

    Examples
    --------
    >>> join_forms(("gaussian", "cells"), ("histogram", "gaussian"), ("gaussian", "histogram", "cells"))
    ('histogram', 'cells')
    >>> join_forms("auto", ("cells",), ("gaussian", "histogram", "cells"))
    ('cells',)
    """
    if right in (left, AUTO):
        return left if left == right or not isinstance(left, str) else None
    if left == AUTO:
        return None if isinstance(right, str) else right
    if isinstance(left, str) or isinstance(right, str) or len(left) != len(right):
        return None
    return tuple(max(pair, key=order.index) for pair in zip(left, right, strict=True))
