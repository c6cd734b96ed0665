"""The contract of a term: the contribution of some columns to log p(c, x).

    compile        adds the term to the tables of the native core, which scores rows
    restrict       the term of a subset of its columns
    split          the contributions of a row's cells, for explanations (split.py)
    outcomes       the log probabilities of its outcomes, for tables of levels
    divergence     E_{x|c}[ln p(x | c) − ln p(x | other)] of each column, in nats (divergence.py)
    weigh          the term with the evidence of each column multiplied by a weight, for calibrated models
    size_terms     the number of known cells of a row, for novelty
    linear_form    the weights of the cells, if the contribution is linear in them or in whether they have a level

Tables have a row for each column (or level) and an entry for each class: D × C. A missing cell (NaN, code −1)
contributes 0, except to Observed and to Levels with `missing`.

A new term defines its formula, `columns` and `compile`, which combines the tables that the core offers. The other
methods have defaults, under which the term is a single entry of an explanation, has no table of outcomes and no
divergence, and each known cell counts as one.

An UncertainTerm has the posterior of its parameters instead of their estimates. Drawing from it gives a term; intervals
of predicted probabilities are computed from many draws.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, final

import numpy as np

from suffice.errors import ParameterError
from suffice.likelihoods.block_statistics import BlockStatistics
from suffice.likelihoods.terms.divergence import Other, log_of_rest, outcome_divergence
from suffice.likelihoods.terms.split import BlockSplit, NumberSplit, Rows, Split, share_facts
from suffice.statistics import Axis
from suffice.statistics.arrays import FloatArray, IntArray
from suffice.statistics.axis import Columns
from suffice.statistics.labels import Label

if TYPE_CHECKING:
    from suffice.likelihoods.tokens import TokenTerm, UncertainTokens

__all__ = [
    "Layout",
    "LinearForm",
    "Observed",
    "Outcomes",
    "Term",
    "UncertainTerm",
    "contiguous",
    "outcome_ratio",
    "require_posterior",
    "weigh_rows",
]


class Layout(Protocol):
    """The columns of the rows that the core scores, and the tables that terms are added to."""

    @property
    def tables(self) -> Any:
        """The core's ScoreTables: add_quadratic, add_levels, add_observed, add_linear and so on."""

    @property
    def exact(self) -> bool:
        """Whether scores must equal log p(c, x); otherwise constants common to all classes may be left out."""
        ...

    def numbers(self, columns: Columns) -> list[int]:
        """Return the positions of numeric columns."""
        ...

    def levels(self, column: str | int, axis: Axis, *, unseen: bool, missing: bool) -> tuple[int, IntArray]:
        """Return the position of a coded column, and for each code its position on the axis, −1 for none.

        With `unseen`, a level that is not on the axis has position len(axis); with `missing`, a missing cell has the
        position of None.
        """
        ...

    def combinations(self, columns: Columns, axes: tuple[Axis, ...]) -> tuple[int, IntArray]:
        """Return the position of a coded column, and positions on the axes for each code, −1 if missing."""
        ...


@final
@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """The outcomes of some columns: rows offsets[j] to offsets[j + 1] of ln θ (K, C) belong to column j.

    `name` returns the level of outcome k of column j.
    """

    columns: Columns
    offsets: IntArray
    logs: FloatArray
    name: Callable[[int, int], Label]

    @classmethod
    def of(cls, columns: Columns, sizes: Iterable[int], logs: FloatArray, name: Callable[[int, int], Label]) -> Self:
        """Return the outcomes of columns with the given numbers of outcomes."""
        offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum([*sizes], dtype=np.int64)])
        return cls(columns, offsets, logs, name)

    @classmethod
    def of_pairs(cls, columns: Columns, first: FloatArray, second: FloatArray, names: tuple[str, str]) -> Self:
        """Return the outcomes of columns with two outcomes each, given both tables (D, C) and their names."""
        logs = np.stack([first, second], axis=1).reshape(-1, first.shape[1])
        return cls.of(columns, [2] * len(columns), logs, lambda _, k: names[k])

    def by_column(self) -> Iterator[tuple[str | int, FloatArray]]:
        """Yield each column and ln θ of its outcomes, (K_j, C)."""
        ends: list[int] = self.offsets.tolist()
        for column, (start, end) in zip(self.columns, pairwise(ends), strict=True):
            yield column, self.logs[start:end]


@final
@dataclass(frozen=True, slots=True, eq=False)
class LinearForm:
    """A contribution start_c + Σ_k weight_kc f_k(x) to log p(c, x) of rows without missing cells.

    `features` are (column, level): f_k is the cell itself if the level is None, and otherwise 1 or 0 for whether the
    cell has the level ("present", "missing", a category) or the count of the token. Parts that are the same for every
    class may be left out. weight has shape (K, C), start has length C.
    """

    features: tuple[tuple[str | int, Label], ...]
    weight: FloatArray
    start: FloatArray

    @classmethod
    def of_cells(cls, columns: Columns, weight: FloatArray, start: FloatArray) -> Self:
        """Return the form of cells themselves."""
        return cls(tuple((column, None) for column in columns), weight, start)

    @classmethod
    def of_pairs(cls, columns: Columns, one: FloatArray, other: FloatArray, level: Label) -> Self | None:
        """Return the form of columns that contribute `one` if they have the level and else `other`, both (D, C)."""
        if not np.isfinite(other).all():  # impossible without the level, so the score is not a sum
            return None
        return cls(tuple((column, level) for column in columns), one - other, other.sum(axis=0))


class Term(ABC):
    """Contribution of some columns to log p(c, x)."""

    __slots__ = ()

    columns: Columns
    cancels: ClassVar[bool] = False
    """Whether it is the same for every class, so that it cancels in class posteriors."""
    per_column: ClassVar[tuple[str, ...]] = ()
    """Fields with one entry per column along their first axis; empty if the columns cannot be separated."""
    proportional: ClassVar[tuple[str, ...]] = ()
    """Fields (D, C) that the contribution is proportional to; empty if only its sum can be weighted."""

    @abstractmethod
    def compile(self, layout: Layout) -> None:
        """Add the term to the core's tables."""

    def documents(self) -> TokenTerm | None:
        """Return the term itself if it is a term of documents, otherwise None."""
        return None

    @property
    def separable(self) -> bool:
        """Whether `restrict` can separate its columns."""
        return len(self.columns) < 2 or bool(self.per_column)

    def restrict(self, columns: Columns) -> Term:
        """Return the term of these columns only.

        Examples
        --------
        >>> from suffice.likelihoods.bernoulli import Presence
        >>> both = Presence(("wet", "cold"), 0.0, np.log([[0.5, 0.1], [0.2, 0.3]]), np.log([[0.5, 0.9], [0.8, 0.7]]))
        >>> np.exp(both.restrict(("cold",)).present).round(1)
        array([[0.2, 0.3]])
        """
        if not self.per_column:
            raise TypeError(f"the columns of {type(self).__name__} cannot be separated")
        at = [self.columns.index(name) for name in columns]
        arrays: dict[str, Any] = {name: getattr(self, name)[at] for name in self.per_column}
        whole: Any = self  # a dataclass, as terms are
        return replace(whole, columns=columns, **arrays)

    def weigh(self, weights: FloatArray) -> list[Term] | None:
        """Return terms that contribute weights (D) times as much, or None if only the sum can be weighted.

        Examples
        --------
        >>> from suffice.likelihoods.bernoulli import Presence
        >>> both = Presence(("wet", "cold"), 0.0, np.array([[-1.0, -2.0], [-3.0, -np.inf]]), np.array([[0.0, 0.0]] * 2))
        >>> both.weigh(np.array([0.5, 0.0]))[0].present
        array([[-0.5, -1. ],
               [-0. ,  -inf]])
        """
        if not self.proportional:
            return None
        whole: Any = self
        tables = {name: weigh_rows(getattr(self, name), weights) for name in self.proportional}
        return [replace(whole, **tables)]

    def split(self, rows: Rows, block: BlockStatistics) -> Split | None:
        """Split the contribution to these rows into entries; None if it is the same for every class."""
        del block
        return BlockSplit.of_numbers(self, rows)

    def score_numbers(self, x: FloatArray) -> FloatArray:
        """Return the contributions (n, D, C) of cells (n, D), if its columns are numbers and can be separated."""
        del x
        raise TypeError(f"{type(self).__name__} does not score numbers cell by cell")

    def outcomes(self) -> Outcomes | None:
        """Return the outcomes of its columns, or None if they cannot be listed."""
        return None

    def divergence(self, log_weight: FloatArray, other: Other = log_of_rest) -> Iterable[tuple[str | int, FloatArray]]:
        """Yield each column and E_{x|c}[ln p(x | c) − ln p(x | other)] of every class (C); nothing if undefined."""
        outcomes = self.outcomes()
        if outcomes is None:
            return ()
        ratio = outcome_ratio(outcomes.logs, other(outcomes.logs, log_weight))
        return zip(outcomes.columns, outcome_divergence(outcomes.logs, ratio, outcomes.offsets), strict=True)

    def evidence(self, log_weight: FloatArray, block: BlockStatistics) -> Iterable[tuple[str | int, FloatArray]]:
        """Yield each column and its expected evidence for every class against the other classes (C)."""
        del block
        return self.divergence(log_weight)

    def linear_form(self) -> LinearForm | None:
        """Return the weights of its cells, or None if the contribution is not linear in them."""
        return None

    def log_observed(self) -> Mapping[str | int, FloatArray]:
        """Return ln p(known | c) of each column, if the term models missingness."""
        return {}

    def log_units(self) -> FloatArray:
        """Return the log of the unit of each column if its densities are per unit; 0 for probabilities."""
        return np.zeros(len(self.columns))

    def size_terms(self, unseen: float, observed: set[str | int]) -> Iterator[Term]:
        """Yield terms of two entries: the number of known cells or tokens, and the part that makes log p(x) unit-free.

        Parameters
        ----------
        unseen : float
            The log probability of an unseen level, if the term ignores it.
        observed : set of columns
            Columns that count in every row, known or missing.
        """
        del unseen
        known = np.stack([[float(name not in observed) for name in self.columns], self.log_units()], axis=1)
        yield Observed(self.columns, known, np.zeros_like(known))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Observed(Term):
    """`present` if the cell is known, `absent` if it is missing; both of shape (D, C)."""

    columns: Columns
    present: FloatArray
    absent: FloatArray

    per_column: ClassVar[tuple[str, ...]] = ("present", "absent")
    proportional: ClassVar[tuple[str, ...]] = ("present", "absent")

    def compile(self, layout: Layout) -> None:
        """Add both tables."""
        places = layout.numbers(self.columns)
        layout.tables.add_observed(places, contiguous(self.present), contiguous(self.absent))

    def split(self, rows: Rows, block: BlockStatistics) -> Split:
        """Return an entry for each cell, known or missing; that of a known cell joins the entry of its value."""

        def added(x: FloatArray) -> FloatArray:
            return np.where(np.isnan(x)[..., None], self.absent, self.present)

        def share(j: int, known: int) -> FloatArray:
            return np.exp((self.present if known else self.absent)[j])

        facts = share_facts(share, block.rows)
        return NumberSplit(
            self.columns, rows.numbers(self.columns), added, facts, lambda _, x: int(not np.isnan(x)), known=True
        )

    def outcomes(self) -> Outcomes:
        """Return known and missing of each column."""
        return Outcomes.of_pairs(self.columns, self.present, self.absent, ("known", "missing"))

    def linear_form(self) -> LinearForm | None:
        """Return the weights of missing cells."""
        return LinearForm.of_pairs(self.columns, self.absent, self.present, "missing")

    def log_observed(self) -> Mapping[str | int, FloatArray]:
        """Return ln p(known | c) of each column."""
        return dict(zip(self.columns, self.present, strict=True))

    def size_terms(self, unseen: float, observed: set[str | int]) -> Iterator[Term]:
        """Yield nothing: its columns count in every row."""
        del unseen, observed
        yield from ()


def outcome_ratio(logs: FloatArray, other: FloatArray) -> FloatArray:
    """Return ln θ − ln θ_other; NaN if the outcome is impossible under both."""
    with np.errstate(invalid="ignore"):
        return logs - other


def weigh_rows(table: FloatArray, weights: FloatArray) -> FloatArray:
    """Return a table with each row multiplied by its weight ≥ 0; infinite entries stay infinite."""
    return np.multiply(table, weights[:, None], out=table.copy(), where=np.isfinite(table))


def contiguous(array: FloatArray) -> FloatArray:
    """Return the array in the layout that the core expects."""
    return np.ascontiguousarray(array, dtype=np.float64)


class UncertainTerm(ABC):
    """Contribution of some columns to log p(x | c), with the posterior of its parameters."""

    __slots__ = ()

    def documents(self) -> UncertainTokens | None:
        """Return the term itself if it is a term of documents, whose tokens are counted once for all draws."""
        return None

    @abstractmethod
    def draw(self, rng: np.random.Generator) -> Term:
        """Return the term with one draw of its parameters; constants common to all classes may be left out."""


def require_posterior(prior: FloatArray, columns: Columns) -> None:
    """Raise ParameterError if the posterior of the parameters is improper because λ = 0."""
    if not (prior > 0).all():
        raise ParameterError(
            "with alpha=0 the parameters have no proper posterior",
            column=columns[0],
            advice="Use alpha > 0 or another estimate.",
        )
