"""Tests of one column of a table, and which of them its cells suggest.

    cells                                              tests
    text, categories, bools, mixed                     column = level, for each of at most `levels` levels
    whole numbers with few distinct values             column = value: at most `levels` and at most √n of n known cells
                                                       (2 are always few)
    all other numbers                                  column < c, column ≥ c, c ≤ column < d, cuts c < d at quantiles
    dates, lists, bytes, nothing known, more levels    none: the column is left out, and says why

With n known cells, sorted, cut i of m stands at the value in place ⌊n i/(m + 1)⌋: a value of the data, so that tests
mean the same in any units. A cell that is missing fails every test, and so does a level that was never seen.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np

from suffice.engines.column import Column, Numbers
from suffice.errors import DataError
from suffice.statistics import Axis
from suffice.statistics.frozen_arrays import BoolArray, FloatArray
from suffice.statistics.labels import Label, canonical, key_of_label

__all__ = ["ColumnTest", "Equals", "LeftOut", "Within", "column_tests"]

_ALWAYS_FEW = 2


class ColumnTest(ABC):
    """A question about a cell of one column that has the answers yes and no."""

    column: str | int

    @abstractmethod
    def passed(self, column: Column) -> BoolArray:
        """Return of each cell whether it passes; a missing one does not."""


class LeftOut(NamedTuple):
    """A column without tests, and why."""

    column: str | int
    reason: str


@final
@dataclass(frozen=True, slots=True)
class Equals(ColumnTest):
    """Whether a cell is one level.

    Examples
    --------
    >>> test = Equals("fur", "black")
    >>> str(test)
    "fur = 'black'"
    """

    column: str | int
    level: Label

    def __str__(self) -> str:
        return f"{_shown(self.column)} = {self.level!r}"

    def passed(self, column: Column) -> BoolArray:
        """Return where the cell is the level."""
        codes, labels = _coded(column, self.column)
        wanted = key_of_label(*canonical(self.level))
        found = [at for at, label in enumerate(labels) if key_of_label(*canonical(label)) == wanted]
        return codes == found[0] if found else np.zeros(len(codes), dtype=np.bool_)


@final
@dataclass(frozen=True, slots=True)
class Within(ColumnTest):
    """Whether a cell is a number from `low` on and below `high`; ±inf stands for no bound.

    Examples
    --------
    >>> str(Within("age", 18.0, np.inf)), str(Within("age", -np.inf, 65.5)), str(Within(3, 18.0, 65.5))
    ('age ≥ 18', 'age < 65.5', '18 ≤ column 3 < 65.5')
    """

    column: str | int
    low: float
    high: float

    def __str__(self) -> str:
        name = _shown(self.column)
        if self.high == np.inf:
            return f"{name} ≥ {_number(self.low)}"
        if self.low == -np.inf:
            return f"{name} < {_number(self.high)}"
        return f"{_number(self.low)} ≤ {name} < {_number(self.high)}"

    def passed(self, column: Column) -> BoolArray:
        """Return where the cell is known and in between."""
        values = _floats(column, self.column)
        reached = values >= self.low  # never of NaN
        return reached if self.high == np.inf else reached & (values < self.high)


def column_tests(name: str | int, column: Column, levels: int, cuts: int) -> list[ColumnTest] | LeftOut:
    """Return the tests that a column suggests, or why it has none."""
    kind = column.kind
    if kind in ("time", "nested", "binary"):
        what = {"time": "dates and times", "nested": "lists or structs", "binary": "bytes"}[kind]
        return LeftOut(name, f"{what} have no tests")
    if kind in ("integer", "float"):
        return _of_numbers(name, column, levels if kind == "integer" else 0, cuts)
    found = _coded(column, name).labels
    if not found:
        return LeftOut(name, "no cell is known")
    if len(found) > levels:
        return LeftOut(name, f"{len(found):,} levels are more than levels={levels}")
    return [Equals(name, level) for level in Axis.of(found).labels]


def _of_numbers(name: str | int, column: Column, levels: int, cuts: int) -> list[ColumnTest] | LeftOut:
    values = _floats(column, name)
    known = np.sort(values[~np.isnan(values)])
    if not len(known):
        return LeftOut(name, "no cell is known")
    distinct = np.unique(known)
    if len(distinct) <= min(levels, max(_ALWAYS_FEW, math.isqrt(len(known)))):
        return [Equals(name, int(value)) for value in distinct.tolist()]
    places = len(known) * np.arange(1, cuts + 1) // (cuts + 1)
    chosen: list[float] = [cut for cut in np.unique(known[places]).tolist() if distinct[0] < cut < np.inf]
    if not chosen:
        return LeftOut(name, "no cut tells its numbers apart")
    bounds = [-np.inf, *chosen, np.inf]
    return [
        Within(name, low, high)
        for at, low in enumerate(bounds[:-1])
        for high in bounds[at + 1 :]
        if not (low == -np.inf and high == np.inf)
    ]


def _coded(column: Column, name: str | int) -> Any:
    try:
        return column.coded()
    except DataError as reason:
        raise DataError(f"column {name!r} must hold numbers, text or bools: {reason}. Convert it first.") from None


def _floats(column: Column, name: str | int) -> FloatArray:
    try:
        found: Numbers = column.numbers()
    except DataError as reason:
        raise DataError(f"column {name!r} must hold numbers: {reason}. Convert it first.") from None
    values = found.values.astype(np.float64)
    if found.valid is not None:
        values[~np.unpackbits(found.valid, count=len(values), bitorder="little").view(np.bool_)] = np.nan
    return values


def _shown(column: str | int) -> str:
    # So that the text of a test reads in one way only, whatever a column is called.
    if isinstance(column, int):
        return f"column {column}"
    return column if column.isidentifier() else repr(column)


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
