"""The contract of a term: what some columns add to log p(c, x), and everything that can be asked of it.

    compile        tables for the native core, which scores rows
    restrict       the term of some of its columns
    split          how what a row adds splits into entries, for explanations (split.py)
    outcomes       the logs of the probabilities of its outcomes, for tables of levels
    divergence     E_{x|c}[ln p(x | c) − ln p(x | other)] of each column, in nats (divergence.py)
    size_terms     how much of a row is known, for novelty

Tables have a row for each column (or level) and an entry for each class: D × C. A missing cell (NaN, code −1) adds
nothing, except to Observed and to Levels with `missing`. A new term states its formula, `columns` and `compile`, which
composes the tables that the core offers. The other methods have defaults: the term is then one entry of an explanation,
has no table of outcomes and no divergence, and each known cell counts as one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, final

import numpy as np

from suffice.likelihoods.terms.divergence import Other, log_of_rest, outcome_divergence
from suffice.likelihoods.terms.split import BlockSplit, NumberSplit, Rows, Split, share_facts
from suffice.statistics import Axis
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray, IntArray
from suffice.statistics.labels import Label

if TYPE_CHECKING:
    from suffice.likelihoods.likelihood import Seen
    from suffice.likelihoods.terms.tokens import TokenTerm

__all__ = ["Layout", "Observed", "Outcomes", "Term", "contiguous", "outcome_ratio"]


class Layout(Protocol):
    """The columns of the rows that the core scores, and the tables that a term adds to."""

    @property
    def tables(self) -> Any:
        """The core's ScoreTables: add_quadratic, add_levels, add_observed, add_linear and so on."""

    @property
    def exact(self) -> bool:
        """Whether the scores must be log p(c, x); else what is the same for every class may be left out."""
        ...

    def numbers(self, columns: Columns) -> list[int]:
        """Return the places of columns of numbers."""
        ...

    def levels(self, column: str | int, axis: Axis, *, unseen: bool, missing: bool) -> tuple[int, IntArray]:
        """Return the place of a coded column, and for each code its position on the axis, −1 for none.

        With `unseen` a level that is not on the axis has position len(axis); with `missing` a missing cell has that of
        None.
        """
        ...

    def combinations(self, columns: Columns, axes: tuple[Axis, ...]) -> tuple[int, IntArray]:
        """Return the place of a column of codes, and the combination of each: positions on the axes, −1 for a gap."""
        ...


@final
@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """The outcomes of some columns: those of column j in rows offsets[j] to offsets[j + 1] of ln θ, (K, C).

    `name` gives the level of column j at place k.
    """

    columns: Columns
    offsets: IntArray
    logs: FloatArray
    name: Callable[[int, int], Label]

    @classmethod
    def of(cls, columns: Columns, sizes: Iterable[int], logs: FloatArray, name: Callable[[int, int], Label]) -> Self:
        """Return the outcomes of columns that have so many each."""
        offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum([*sizes], dtype=np.int64)])
        return cls(columns, offsets, logs, name)

    def by_column(self) -> Iterator[tuple[str | int, FloatArray]]:
        """Yield each column and ln θ of its outcomes, (K_j, C)."""
        ends: list[int] = self.offsets.tolist()
        for column, (start, end) in zip(self.columns, pairwise(ends), strict=True):
            yield column, self.logs[start:end]


class Term(ABC):
    """What some columns add to log p(c, x)."""

    __slots__ = ()

    columns: Columns
    cancels: ClassVar[bool] = False
    """Whether it is the same for every class, so that it cancels in a posterior."""
    per_column: ClassVar[tuple[str, ...]] = ()
    """The arrays that have an entry along their first axis for each column; none where the columns go together."""

    @abstractmethod
    def compile(self, layout: Layout) -> None:
        """Add the term to the core's tables."""

    def documents(self) -> TokenTerm | None:
        """Return the term itself where it reads documents, else None."""
        return None

    def restrict(self, columns: Columns) -> Term:
        """Return the term of these of its columns alone.

        Examples
        --------
        >>> from suffice.likelihoods.terms import Presence
        >>> both = Presence(("wet", "cold"), 0.0, np.log([[0.5, 0.1], [0.2, 0.3]]), np.log([[0.5, 0.9], [0.8, 0.7]]))
        >>> np.exp(both.restrict(("cold",)).present).round(1)
        array([[0.2, 0.3]])
        """
        if not self.per_column:
            raise TypeError(f"the columns of {type(self).__name__} go together")
        at = [self.columns.index(name) for name in columns]
        arrays: dict[str, Any] = {name: getattr(self, name)[at] for name in self.per_column}
        whole: Any = self  # a dataclass, as terms are
        return replace(whole, columns=columns, **arrays)

    def split(self, rows: Rows, seen: Seen) -> Split | None:
        """Return how it splits into entries over these rows; None where all classes get the same."""
        del seen
        return BlockSplit.of_numbers(self, rows)

    def outcomes(self) -> Outcomes | None:
        """Return the outcomes of its columns, or None where they are not to be listed."""
        return None

    def divergence(self, log_weight: FloatArray, other: Other = log_of_rest) -> Iterable[tuple[str | int, FloatArray]]:
        """Yield each column and E_{x|c}[ln p(x | c) − ln p(x | other)] of every class (C); none where it has none."""
        outcomes = self.outcomes()
        if outcomes is None:
            return ()
        ratio = outcome_ratio(outcomes.logs, other(outcomes.logs, log_weight))
        return zip(outcomes.columns, outcome_divergence(outcomes.logs, ratio, outcomes.offsets), strict=True)

    def evidence(self, log_weight: FloatArray, seen: Seen) -> Iterable[tuple[str | int, FloatArray]]:
        """Yield each column and the evidence for every class against the rest that a row has on average (C)."""
        del seen
        return self.divergence(log_weight)

    def log_observed(self) -> Mapping[str | int, FloatArray]:
        """Return ln p(known | c) of each column, where the term is of whether cells are known."""
        return {}

    def log_units(self) -> FloatArray:
        """Return the log of the unit of each column, whose densities are per unit; 0 where they are probabilities."""
        return np.zeros(len(self.columns))

    def size_terms(self, unseen: float, observed: set[str | int]) -> Iterator[Term]:
        """Yield terms of two entries: how many cells or tokens are known, and what makes log p(x) free of units.

        Parameters
        ----------
        unseen : float
            The log probability of an unseen level, where the term ignores it.
        observed : set of columns
            Those that count in every row, known or missing.
        """
        del unseen
        known = np.stack([[float(name not in observed) for name in self.columns], self.log_units()], axis=1)
        yield Observed(self.columns, known, np.zeros_like(known))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Observed(Term):
    """Present where the cell is known, absent where it is missing: both of shape (D, C)."""

    columns: Columns
    present: FloatArray
    absent: FloatArray

    per_column: ClassVar[tuple[str, ...]] = ("present", "absent")

    def compile(self, layout: Layout) -> None:
        """Add both tables."""
        places = layout.numbers(self.columns)
        layout.tables.add_observed(places, contiguous(self.present), contiguous(self.absent))

    def split(self, rows: Rows, seen: Seen) -> Split:
        """Return an entry for each cell, known or not; a known one joins the entry of its value."""

        def added(x: FloatArray) -> FloatArray:
            return np.where(np.isnan(x)[..., None], self.absent, self.present)

        def share(j: int, known: int) -> FloatArray:
            return np.exp((self.present if known else self.absent)[j])

        facts = share_facts(share, seen.rows)
        return NumberSplit(
            self.columns, rows.numbers(self.columns), added, facts, lambda _, x: int(not np.isnan(x)), known=True
        )

    def outcomes(self) -> Outcomes:
        """Return known and missing of each column."""
        both = np.stack([self.present, self.absent], axis=1).reshape(-1, self.present.shape[1])
        return Outcomes.of(self.columns, [2] * len(self.columns), both, lambda _, k: ("known", "missing")[k])

    def log_observed(self) -> Mapping[str | int, FloatArray]:
        """Return ln p(known | c) of each column."""
        return dict(zip(self.columns, self.present, strict=True))

    def size_terms(self, unseen: float, observed: set[str | int]) -> Iterator[Term]:
        """Yield nothing: its columns count in every row."""
        del unseen, observed
        yield from ()


def outcome_ratio(logs: FloatArray, other: FloatArray) -> FloatArray:
    """Return ln θ − ln θ_other; NaN where neither can show the outcome."""
    with np.errstate(invalid="ignore"):
        return logs - other


def contiguous(array: FloatArray) -> FloatArray:
    """Return the array as the core takes it."""
    return np.ascontiguousarray(array, dtype=np.float64)
