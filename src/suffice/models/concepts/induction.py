"""Concepts over the rows of a table: conjunctions of column tests, induced from the data.

Symbols: D columns with tests, T_j tests of column j (column_tests.py), a conjunction of k tests of different columns.

    extension           the rows that pass every test; no test at all is "every row"
    description length  (k + 1) + Σ_tests [log₂ D + log₂ T_j] bits: for each test which column and which of its tests,
                        and before each and at the end one bit that says whether another follows
    prior               p(h) ∝ 2^(−description length)

Of the conjunctions that contain the same rows one is kept, the simplest: that with the fewest tests, of those the one
with the shortest description, of those the first. Nothing is lost by going on from the kept ones alone: what agrees
with a kept one on all rows still agrees with it after another test, and two tests of one column are one test, or empty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, cast, final

import numpy as np

from suffice.conjugate.arguments import whole
from suffice.engines.column import Objects
from suffice.engines.frames import frame_table, is_frame
from suffice.engines.table import Frame, Table
from suffice.errors import DataError, ParameterError
from suffice.models.concepts.column_tests import ColumnTest, LeftOut, column_tests
from suffice.models.concepts.domain import Domain
from suffice.models.concepts.learner import ConceptLearner, Sampling
from suffice.models.concepts.space import HypothesisSpace, Rules
from suffice.statistics.columns import columns_of
from suffice.statistics.frozen_arrays import BoolArray, FloatArray

__all__ = ["Conjunctions", "induced"]

EVERY = "every row"
_MOST_CELLS = 2**28  # rows × conjunctions, a byte each
_MOST_ANSWERS = 2**28  # rows × tests
_MOST_TRIED = 2**22  # conjunctions that are tried: about a minute
_MOST_COMPARED = 2**36  # rows × conjunctions that are tried
_MOST_CUTS = 100


@final
@dataclass(frozen=True, slots=True, eq=False)
class Conjunctions(Rules):
    """Conjunctions of column tests, each as the places of its tests in one list of them."""

    tests: tuple[ColumnTest, ...]
    conjunctions: tuple[tuple[int, ...], ...]
    left_out: tuple[LeftOut, ...]

    def contain(self, rows: Any) -> BoolArray:
        """Return of each row, given as records or a frame, and each conjunction whether the row passes."""
        table = frame_table(rows) if is_frame(rows) else _records(rows)
        wanted = tuple(dict.fromkeys(test.column for test in self.tests))
        if wanted and not set(wanted) & set(table.names):
            raise DataError(
                f"rows must have some of the columns {', '.join(map(repr, wanted[:8]))}"
                f"{', …' * (len(wanted) > 8)}: got {', '.join(map(repr, table.names)) or 'none'}."
            )
        known = table.aligned(wanted).table
        passed = np.ones((table.rows, len(self.tests) + 1), dtype=np.bool_)  # the last for "no test"
        for t, test in enumerate(self.tests):
            passed[:, t] = test.passed(known.column(test.column))
        every = np.ones((table.rows, len(self.conjunctions)), dtype=np.bool_)
        for places in zip_longest(
            *self.conjunctions, fillvalue=len(self.tests)
        ):  # the first test of each, the second, …
            every &= passed[:, list(places)]
        return every

    def notes(self) -> Sequence[str]:
        """Return which columns have no tests."""
        return [f"column {each.column!r} left out: {each.reason}" for each in self.left_out]


def induced(
    table: Table, *, tests: int = 2, levels: int = 12, cuts: int = 3, sampling: Sampling = "strong"
) -> ConceptLearner:
    """Return a learner of concepts over the rows of a table: its domain is their places 0, 1, ….

    Parameters
    ----------
    table : Table
    tests : int ≥ 1
        How many tests a concept may have.
    levels : int ≥ 1
        A column with more distinct texts has no tests; whole numbers with more distinct values are cut.
    cuts : int ≥ 1
        At how many quantiles numbers are cut.
    sampling : "strong" or "weak"
    """
    most = whole("tests", tests, 1)
    whole("levels", levels, 1)
    if whole("cuts", cuts, 1) > _MOST_CUTS:
        raise ParameterError(f"cuts must be at most {_MOST_CUTS}: got {cuts:,}. Give 3 for quartiles, 9 for deciles.")
    if not table.rows:
        raise DataError("the table has no rows to make concepts of. Give at least one.")
    found = [column_tests(name, table.column(name), int(levels), int(cuts)) for name in table.names]
    left_out = tuple(each for each in found if isinstance(each, LeftOut))
    by_column = [each for each in found if not isinstance(each, LeftOut)]
    if not any(by_column):
        why = "; ".join(f"{each.column!r}, {each.reason}" for each in left_out) or "there are no columns"
        raise DataError(f"no column of the table can be tested: {why}. Give a column of text, bools or numbers.")
    every = tuple(test for column in by_column for test in column)
    bits = np.array(
        [np.log2(len(by_column)) + np.log2(len(column)) + 1 for column in by_column for _ in column], dtype=np.float64
    )
    search = _Search(table, every, bits)
    for _ in range(most):
        search.deepen()
    names = [" and ".join(str(every[t]) for t in places) or EVERY for places in search.conjunctions]
    rules = Conjunctions(every, tuple(search.conjunctions), left_out)
    space = HypothesisSpace(names, Domain(range(table.rows)), np.stack(search.members, axis=1), rules)
    return ConceptLearner(space, np.exp2(-(np.array(search.bits) - min(search.bits))), sampling)


@final
class _Search:
    # Level by level: the conjunctions kept so far, and those of the last level, from which the next goes on.
    def __init__(self, table: Table, tests: Sequence[ColumnTest], bits: FloatArray) -> None:
        if len(tests) * table.rows > _MOST_ANSWERS:
            raise ParameterError(
                f"there are {len(tests):,} tests over {table.rows:,} rows, and at most {_MOST_ANSWERS:,} answers "
                "are kept. Give fewer levels= or cuts=, or some of the rows."
            )
        self.tests = tests
        self.bits_of_test: list[float] = bits.tolist()
        self.passed = [test.passed(table.column(test.column)) for test in tests]
        self.rows = table.rows
        everything = np.ones(table.rows, dtype=np.bool_)
        self.conjunctions: list[tuple[int, ...]] = [()]
        self.members: list[BoolArray] = [everything]
        self.bits: list[float] = [1.0]
        self.found: dict[bytes, int] = {np.packbits(everything).tobytes(): 0}
        self.last = range(1)

    def deepen(self) -> None:
        first = len(self.conjunctions)
        tried = len(self.last) * len(self.tests)
        if tried > _MOST_TRIED or tried * self.rows > _MOST_COMPARED:
            length = len(self.conjunctions[first - 1]) + 1
            raise ParameterError(
                f"there are up to {tried:,} concepts of {length} tests over {self.rows:,} rows, and at most "
                f"{min(_MOST_TRIED, _MOST_COMPARED // self.rows):,} are tried. "
                "Give fewer tests=, levels= or cuts=, or some of the rows."
            )
        for at in self.last:
            mine = self.conjunctions[at]
            used = {self.tests[t].column for t in mine}
            for t, test in enumerate(self.tests):
                if test.column not in used:
                    self._offer(tuple(sorted((*mine, t))), self.members[at] & self.passed[t], first)
        self.last = range(first, len(self.conjunctions))

    def _offer(self, places: tuple[int, ...], members: BoolArray, first: int) -> None:
        if not members.any():
            return
        bits = 1.0 + sum(self.bits_of_test[t] for t in places)
        at = self.found.setdefault(np.packbits(members).tobytes(), len(self.conjunctions))
        if at == len(self.conjunctions):
            self._require_room()
            self.conjunctions.append(places)
            self.members.append(members)
            self.bits.append(bits)
        elif at >= first and bits < self.bits[at]:  # as few tests, and shorter
            self.conjunctions[at], self.bits[at] = places, bits

    def _require_room(self) -> None:
        if self.rows * (len(self.conjunctions) + 1) > _MOST_CELLS:
            raise ParameterError(
                f"there are more than {len(self.conjunctions):,} different concepts over {self.rows:,} rows, and at "
                f"most {_MOST_CELLS:,} answers are kept. Give fewer tests=, levels= or cuts=, or some of the rows."
            )


def _records(rows: Any) -> Frame:
    records = cast("Sequence[object]", rows)
    for row, record in enumerate(records):
        if not isinstance(record, Mapping):
            raise DataError(f"rows must be records {{column: value}} throughout: row {row} has {record!r}.")
    known = cast("Sequence[Mapping[Any, Any]]", rows)
    names = columns_of(list(dict.fromkeys(name for record in known for name in record)))
    cells = [np.fromiter((record.get(name) for record in known), dtype=object, count=len(known)) for name in names]
    return Frame(names, tuple(map(Objects, cells)), len(known))
