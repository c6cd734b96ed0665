"""Outcomes that are counted: levels, combinations of levels, presence.

    Levels           the table's row of the level                         categorical
    Combinations     the table's row of the combination of levels         joint
    Presence         present where x > threshold, else absent             Bernoulli

A row's combination has known levels k_j in the columns K and gaps in the others; θ(s) of a seen combination s, ρ of
each other one, S_j levels of column j. A level that is not on its column's axis is a gap. A row of gaps
only adds nothing.

    p(row) = Σ_{s seen, s_K = k} θ(s) + (Π_{j ∉ K} S_j − #{s seen, s_K = k}) ρ
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, cast, final

import numpy as np

from suffice.likelihoods.aligned import by_class, by_column
from suffice.likelihoods.terms.split import (
    BlockSplit,
    Facts,
    LevelCells,
    LevelSplit,
    NumberSplit,
    Rows,
    Split,
    no_facts,
)
from suffice.likelihoods.terms.term import Layout, Outcomes, Term, contiguous
from suffice.statistics import Axis, Counts
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import BoolArray, FloatArray, IntArray
from suffice.statistics.labels import Label

if TYPE_CHECKING:
    from suffice.likelihoods.likelihood import Seen

__all__ = ["Combinations", "Levels", "Presence"]

_UNSEEN = "(unseen)"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Levels(Term):
    """A row of the table for each level: those of column j follow its axis, one column after the other.

    Where `unseen`, a column's rows are followed by that of every level that is not on its axis; else such a level adds
    nothing. Where `missing`, a missing cell has the level None, seen or not; else it adds nothing.
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
        """Add a table that follows the codes of the columns as the rows have them."""
        nothing = np.zeros((1, self.table.shape[1]))  # of code −1
        places: list[int] = []
        tables: list[FloatArray] = []
        for name, axis, rows in zip(self.columns, self.levels, self.by_column(), strict=True):
            place, at = layout.levels(name, axis, unseen=self.unseen, missing=self.missing)
            places.append(place)
            tables.append(np.concatenate([rows, nothing])[at])
        table = np.concatenate(tables) if tables else self.table
        layout.tables.add_levels(places, [len(rows) for rows in tables], contiguous(table))

    def restrict(self, columns: Columns) -> Levels:
        """Return the levels of these columns alone."""
        at, rows = [self.columns.index(name) for name in columns], self.by_column()
        table = np.concatenate([self.table[:0], *(rows[j] for j in at)])
        return replace(self, columns=columns, levels=tuple(self.levels[j] for j in at), table=table)

    def split(self, rows: Rows, seen: Seen) -> Split:
        """Return an entry for each cell that has a row of the table."""
        facts = self._facts(seen)
        return LevelSplit(self.columns, self.levels, self.table, rows, facts, unseen=self.unseen, missing=self.missing)

    def _facts(self, seen: Seen) -> Facts:
        counts: list[FloatArray] = []
        for name, axis in zip(self.columns, self.levels, strict=True):
            part = seen.parts[seen.columns.index(name)]
            if not isinstance(part, Counts) or part.levels.labels != axis.labels:
                return no_facts
            counts.append(by_class(part.values, part.classes, seen.classes))

        def facts(column: int, outcome: int, at: IntArray) -> dict[str, float]:
            here: FloatArray = counts[column][at]
            times = float(here[:, outcome].sum()) if 0 <= outcome < here.shape[1] else 0.0
            return {"times": times, "of": float(here.sum())}

        return facts

    def outcomes(self) -> Outcomes:
        """Return the levels of each column, the unseen ones last where they count."""
        sizes = [len(axis) + self.unseen for axis in self.levels]
        axes = self.levels
        return Outcomes.of(self.columns, sizes, self.table, lambda j, k: (*axes[j].labels[k : k + 1], _UNSEEN)[0])

    def size_terms(self, unseen: float, observed: set[str | int]) -> Iterator[Term]:
        """Yield one for each level, and what an unseen one costs where it is ignored."""
        del observed
        yield _level_sizes(self.columns, self.levels, 0.0 if self.unseen else unseen, missing=self.missing)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Combinations(Term):
    """A row of the table for each combination of levels that was seen, and `rest` (C,) for every other one.

    `seen` has a row for each combination: the position of each of its levels on the axis of the column. A missing cell
    stands for all levels of its column: what it may be is added up.
    """

    columns: Columns
    levels: tuple[Axis, ...]
    seen: IntArray
    table: FloatArray
    rest: FloatArray

    def compile(self, layout: Layout) -> None:
        """Add a table of the combinations that the rows have."""
        place, combinations = layout.combinations(self.columns, self.levels)
        table = self.log_probabilities(combinations)
        layout.tables.add_levels([place], [len(table)], contiguous(table))

    def log_probabilities(self, combinations: IntArray) -> FloatArray:
        """Return ln p of combinations of positions on the axes, −1 for a gap, (n, C)."""
        if not len(combinations):
            return self.table[:0]
        return np.stack([self._log_probability(combination) for combination in combinations])

    def _log_probability(self, combination: IntArray) -> FloatArray:
        known = combination >= 0
        if not known.any():
            return np.zeros_like(self.rest)
        matching = (self.seen[:, known] == combination[known]).all(axis=1)
        others = math.prod(
            max(float(len(axis)), 1.0) for axis, there in zip(self.levels, known, strict=True) if not there
        )
        left = others - float(matching.sum())
        logs = self.table[matching]
        if left > 0:
            logs = np.concatenate([logs, (self.rest + np.log(left))[None]])
        if not len(logs):
            return self.rest
        highest: FloatArray = logs.max(axis=0)
        finite = np.where(highest == -np.inf, 0.0, highest)
        with np.errstate(divide="ignore"):
            return finite + np.log(np.exp(logs - finite).sum(axis=0))

    def split(self, rows: Rows, seen: Seen) -> Split:
        """Return one entry for all columns."""
        cells = [LevelCells.of(rows, name, axis) for name, axis in zip(self.columns, self.levels, strict=True)]
        every = np.arange(rows.number, dtype=np.int64)
        at = np.stack([each.places[each.take(every)] for each in cells], axis=1)

        def facts(_column: int, row: int, classes: IntArray) -> dict[str, float]:
            if counts is None:
                return {}
            known = at[row] >= 0
            matching = np.flatnonzero((self.seen[:, known] == at[row][known]).all(axis=1))
            here: FloatArray = counts[classes]
            return {"times": float(here[:, matching].sum()), "of": float(here.sum())}

        part = seen.parts[0]
        counts = by_class(part.values, part.classes, seen.classes) if isinstance(part, Counts) else None
        some: BoolArray = np.asarray((at >= 0).any(axis=1))
        return BlockSplit(self.columns, rows.scores(self), some, lambda row, j: cells[j].level(row), facts)

    def outcomes(self) -> Outcomes:
        """Return the combinations that were seen, and all others as one."""
        rows: list[list[int]] = self.seen.tolist()
        others = math.prod(max(float(len(axis)), 1.0) for axis in self.levels) - len(rows)
        logs = np.concatenate([self.table, self.rest[None] + math.log(others)]) if others > 0 else self.table

        def name(_column: int, k: int) -> Label:
            if k >= len(rows):
                return _UNSEEN
            return cast("Label", tuple(axis.labels[at] for axis, at in zip(self.levels, rows[k], strict=True)))

        return Outcomes.of((", ".join(map(str, self.columns)),), [len(logs)], logs, name)

    def size_terms(self, unseen: float, observed: set[str | int]) -> Iterator[Term]:
        """Yield one for each level, and what an unseen one costs."""
        del observed
        yield _level_sizes(self.columns, self.levels, unseen, missing=False)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Presence(Term):
    """Present where x > threshold, else absent: both of shape (D, C)."""

    columns: Columns
    threshold: float
    present: FloatArray
    absent: FloatArray

    per_column: ClassVar[tuple[str, ...]] = ("present", "absent")

    def compile(self, layout: Layout) -> None:
        """Add both tables."""
        places = layout.numbers(self.columns)
        layout.tables.add_presence(places, self.threshold, contiguous(self.present), contiguous(self.absent))

    def split(self, rows: Rows, seen: Seen) -> Split:
        """Return an entry for each known cell."""

        def added(x: FloatArray) -> FloatArray:
            return np.where((x > self.threshold)[..., None], self.present, self.absent)

        def outcome(_column: int, x: float) -> int:
            return int(x > self.threshold)

        cells = rows.numbers(self.columns)
        return NumberSplit(self.columns, cells, added, self._facts(seen), outcome)

    def _facts(self, seen: Seen) -> Facts:
        part = seen.parts[0]
        if not isinstance(part, Counts):
            return no_facts
        present, observed = by_column(part, self.columns, seen.classes)

        def facts(column: int, outcome: int, at: IntArray) -> dict[str, float]:
            there, known = float(present[at, column].sum()), float(observed[at, column].sum())
            return {"times": there if outcome else max(known - there, 0.0), "of": known}

        return facts

    def outcomes(self) -> Outcomes:
        """Return present and absent of each column."""
        both = np.stack([self.present, self.absent], axis=1).reshape(-1, self.present.shape[1])
        return Outcomes.of(self.columns, [2] * len(self.columns), both, lambda _, k: ("present", "absent")[k])


def _level_sizes(columns: Columns, levels: tuple[Axis, ...], unseen: float, *, missing: bool) -> Levels:
    # A row for each level of each column, and after those of a column that of its unseen ones.
    tables: list[Any] = [np.tile([1.0, 0.0], (len(axis), 1)) for axis in levels]
    table = np.concatenate([each for known in tables for each in (known, [[1.0, unseen]])])
    return Levels(columns, levels, table, unseen=True, missing=missing)
