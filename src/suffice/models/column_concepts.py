"""Concepts over the rows of a table: conjunctions of tests of its columns.

    cells of a column                                  tests
    text, categories, bools, mixed                     column = level, for each of at most `levels` levels
    whole numbers with few distinct values             column = value: at most `levels` and at most √n of n known cells
                                                       (2 are always few)
    all other numbers                                  column < c, column ≥ c, c ≤ column < d, cuts c < d at quantiles
    dates, lists, bytes, nothing known, more levels    none: the column is left out, with a note

With n known cells, sorted, cut i of m is the value at position ⌊n i/(m + 1)⌋: a value of the data, so that tests do
not depend on units. A missing cell fails every test, and so does an unseen level.

Symbols: D columns with tests, T_j tests of column j, a conjunction of k tests of different columns.

    extension           the rows that pass every test; no test at all is "every row"
    description length  (k + 1) + Σ_tests [log₂ D + log₂ T_j] bits: for each test its column and its number,
                        and before each and at the end one bit for whether another follows
    prior               p(h) ∝ 2^(−description length)

One of the conjunctions that contain the same rows is kept: the one with the fewest tests, then with the shortest
description, then the first. Extending only the kept conjunctions loses nothing: conjunctions that
contain the same rows still do after another test, and two tests of one column are equivalent to one test or contain no
rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from suffice.arguments import whole_number
from suffice.errors import DataError, ParameterError
from suffice.models.concepts import ConceptLearner, HypothesisMatrix, Sampling
from suffice.sources.column import Column, Objects
from suffice.sources.in_memory import frame_table, is_frame
from suffice.sources.table import Frame, Table
from suffice.statistics import Axis
from suffice.statistics.arrays import BoolArray, FloatArray
from suffice.statistics.axis import columns_of
from suffice.statistics.labels import Label, canonical, key_of_label

__all__ = ["column_concepts"]

_ALWAYS_FEW = 2
_MOST_CUTS = 100
_MOST_CELLS = 2**28  # rows × tests, and rows × conjunctions: a byte each
_MOST_TRIED = 2**22  # conjunctions of one length: about a minute
_MOST_COMPARED = 2**36  # rows × conjunctions of one length
_UNTESTED = {"time": "dates and times", "nested": "lists or structs", "binary": "bytes"}


class _Test(NamedTuple):
    # A test of the cells of one column: its text, its length in bits, and the cells that pass.
    column: str | int
    text: str
    passed: Callable[[Column], BoolArray]
    bits: float = 0.0


class _Conjunction(NamedTuple):
    tests: tuple[int, ...]
    bits: float
    members: BoolArray


def column_concepts(
    table: Table, *, tests: int = 2, levels: int = 12, cuts: int = 3, sampling: Sampling = "strong"
) -> ConceptLearner:
    """Return a learner of concepts over the rows of a table: its domain is their positions 0, 1, ….

    Parameters
    ----------
    table : Table
    tests : int ≥ 1
        Maximum number of tests per concept.
    levels : int ≥ 1
        A column with more distinct texts has no tests; whole numbers with more distinct values are cut.
    cuts : int from 1 to 100
        Number of quantiles at which numeric columns are cut.
    sampling : "strong" or "weak"
    """
    most, levels, cuts = (
        whole_number("tests", tests, 1),
        whole_number("levels", levels, 1),
        whole_number("cuts", cuts, 1),
    )
    if cuts > _MOST_CUTS:
        raise ParameterError(f"cuts must be at most {_MOST_CUTS}: got {cuts:,}. Give 3 for quartiles, 9 for deciles.")
    if not table.rows:
        raise DataError("the table must have at least one row.")
    by_column: list[list[_Test]] = []
    left_out: list[tuple[str | int, str]] = []
    for name in table.names:
        found = _tests_of(name, table.column(name), levels, cuts)
        left_out.append((name, found)) if isinstance(found, str) else by_column.append(found)
    if not by_column:
        why = "; ".join(f"{name!r}, {reason}" for name, reason in left_out) or "there are no columns"
        raise DataError(f"no column of the table can be tested: {why}. Give a column of text, bools or numbers.")
    bits = math.log2(len(by_column))
    every = [test._replace(bits=bits + math.log2(len(column)) + 1) for column in by_column for test in column]
    _require_room(f"{len(every):,} tests", table.rows, len(every) * table.rows, _MOST_CELLS)
    kept = _conjunctions(table, every, most)
    description = np.array([each.bits for each in kept])
    names = [" and ".join(every[t].text for t in each.tests) or "every row" for each in kept]
    members = np.stack([each.members for each in kept], axis=1)
    prior = np.exp2(description.min() - description)
    notes = [f"column {name!r} left out: {reason}" for name, reason in left_out]
    contain = partial(_contain, every, [each.tests for each in kept])
    return ConceptLearner(HypothesisMatrix(names, range(table.rows), members, contain, notes), prior, sampling)


def _conjunctions(table: Table, tests: Sequence[_Test], most: int) -> list[_Conjunction]:
    # By length: conjunctions of the previous length are extended by each test of another column.
    passed = [test.passed(table.column(test.column)) for test in tests]
    kept = [_Conjunction((), 1.0, np.ones(table.rows, dtype=np.bool_))]
    places = {np.packbits(kept[0].members).tobytes(): 0}
    last = range(1)
    for length in range(1, most + 1):
        tried, limit = len(last) * len(tests), min(_MOST_TRIED, _MOST_COMPARED // table.rows)
        _require_room(f"up to {tried:,} concepts of {length} test{'s' * (length > 1)}", table.rows, tried, limit)
        first = len(kept)
        for base in [kept[at] for at in last]:
            used = {tests[t].column for t in base.tests}
            for t, test in enumerate(tests):
                members = base.members & passed[t]
                if test.column in used or not members.any():
                    continue
                each = _Conjunction(tuple(sorted((*base.tests, t))), base.bits + test.bits, members)
                at = places.setdefault(np.packbits(members).tobytes(), len(kept))
                if at == len(kept):
                    _require_room(f"more than {at:,} concepts", table.rows, (at + 1) * table.rows, _MOST_CELLS)
                    kept.append(each)
                elif at >= first and each.bits < kept[at].bits:  # equally few tests, and a shorter description
                    kept[at] = each
        last = range(first, len(kept))
    return kept


def _require_room(what: str, rows: int, number: int, most: int) -> None:
    if number > most:
        raise ParameterError(
            f"there are {what} over {rows:,} rows, which makes {number:,}; at most {most:,} are allowed. "
            "Reduce tests=, levels= or cuts=, or pass fewer rows."
        )


def _contain(tests: Sequence[_Test], conjunctions: Sequence[tuple[int, ...]], rows: Any) -> BoolArray:
    # Whether each row, given as records or a frame, passes each conjunction.
    table = frame_table(rows) if is_frame(rows) else _frame_of_records(rows)
    wanted = tuple(dict.fromkeys(test.column for test in tests))
    if not set(wanted) & set(table.names):
        raise DataError(
            f"rows must have at least one of the columns {', '.join(map(repr, wanted[:8]))}"
            f"{', …' * (len(wanted) > 8)}: got {', '.join(map(repr, table.names)) or 'none'}."
        )
    known = table.aligned(wanted).table
    passed = np.stack([test.passed(known.column(test.column)) for test in tests], axis=1)
    return np.stack([passed[:, list(each)].all(axis=1) for each in conjunctions], axis=1)


def _frame_of_records(rows: Sequence[Any]) -> Frame:
    for row, record in enumerate(rows):
        if not isinstance(record, Mapping):
            raise DataError("all rows must be records {column: value}", row=row, got=record)
    names = columns_of(list(dict.fromkeys(name for record in rows for name in record)))
    cells = [np.fromiter((record.get(name) for record in rows), dtype=object, count=len(rows)) for name in names]
    return Frame(names, tuple(map(Objects, cells)), len(rows))


def _tests_of(name: str | int, column: Column, levels: int, cuts: int) -> list[_Test] | str:
    # The tests of a column, or the reason why it has none.
    if column.kind in _UNTESTED:
        return f"{_UNTESTED[column.kind]} have no tests"
    if column.kind not in ("integer", "float"):
        labels = Axis.of(_column_codes(column, name).labels).labels
        if len(labels) > levels:
            return f"{len(labels):,} distinct values, more than levels={levels}"
        return [_equals(name, level) for level in labels] or "all cells are missing"
    values = _floats(column, name)
    known = np.sort(values[~np.isnan(values)])
    distinct = np.unique(known)
    few = min(levels, max(_ALWAYS_FEW, math.isqrt(len(known)))) if column.kind == "integer" else 0
    if len(distinct) <= few:
        return [_equals(name, int(value)) for value in distinct.tolist()] or "all cells are missing"
    if not len(known):
        return "all cells are missing"
    at = len(known) * np.arange(1, cuts + 1) // (cuts + 1)
    chosen: list[float] = [cut for cut in np.unique(known[at]).tolist() if distinct[0] < cut < np.inf]
    bounds = [-np.inf, *chosen, np.inf]
    pairs = [(low, high) for i, low in enumerate(bounds) for high in bounds[i + 1 :]]
    return [_within(name, *pair) for pair in pairs if pair != (-np.inf, np.inf)] or "no cut separates its values"


def _equals(name: str | int, level: Label) -> _Test:
    return _Test(name, f"{_spell_column(name)} = {level!r}", partial(_is_level, name, level))


def _within(name: str | int, low: float, high: float) -> _Test:
    # low ≤ x < high; ±inf is no bound.
    shown = _spell_column(name)
    if high == np.inf:
        text = f"{shown} ≥ {_spell_number(low)}"
    else:
        text = (
            f"{shown} < {_spell_number(high)}"
            if low == -np.inf
            else f"{_spell_number(low)} ≤ {shown} < {_spell_number(high)}"
        )
    return _Test(name, text, partial(_is_between, name, low, high))


def _is_level(name: str | int, level: Label, column: Column) -> BoolArray:
    codes, labels = _column_codes(column, name)
    wanted = key_of_label(*canonical(level))
    at = [at for at, label in enumerate(labels) if key_of_label(*canonical(label)) == wanted]
    return codes == at[0] if at else np.zeros(len(codes), dtype=np.bool_)


def _is_between(name: str | int, low: float, high: float, column: Column) -> BoolArray:
    values = _floats(column, name)
    return (values >= low) & ((values < high) | (high == np.inf))  # false for NaN


def _column_codes(column: Column, name: str | int) -> Any:
    try:
        return column.coded()
    except DataError as reason:
        raise reason.located(column=name, advice="Convert it first.") from None


def _floats(column: Column, name: str | int) -> FloatArray:
    try:
        found = column.numbers()
    except DataError as reason:
        raise reason.located(column=name, advice="Convert it first.") from None
    values = found.values.astype(np.float64)
    if found.valid is not None:
        values[~np.unpackbits(found.valid, count=len(values), bitorder="little").view(np.bool_)] = np.nan
    return values


def _spell_column(column: str | int) -> str:
    # Makes the text of a test unambiguous for any column name.
    if isinstance(column, int):
        return f"column {column}"
    return column if column.isidentifier() else repr(column)


def _spell_number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
