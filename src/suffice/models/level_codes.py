"""The levels of a column as rows of a term's table: coded along its axis, once for each distinct value."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from suffice.engines.collection import column_raw_codes
from suffice.engines.table import Matrix, Table
from suffice.likelihoods.terms import Levels
from suffice.statistics import Axis
from suffice.statistics.labels import Label

__all__ = ["Unseen", "direct_levels", "level_codes", "places_of", "sampled_rows", "sampled_unseen"]

_EXAMPLES = 3
_SAMPLE = 4096
_SUSPICIOUS = 0.1
_SPARE = 64


class Unseen(NamedTuple):
    """How many of the known cells of a column have levels that the model has not seen, and examples of both."""

    column: str | int
    cells: int
    known: int
    unseen: tuple[Label, ...]
    seen: tuple[Label, ...]


class LevelCodes(NamedTuple):
    """Codes of the cells, negative for none, and for each code its row of the term's table, −1 for none."""

    codes: npt.NDArray[Any]
    rows: npt.NDArray[np.int64]
    unseen: tuple[Unseen, ...]


def level_codes(
    table: Table, name: str | int, axis: Axis, *, unseen: bool = False, missing: bool = False
) -> LevelCodes:
    """Return the codes as the column has them, and the row of each: that of its level, of what is unseen, or none.

    Where `missing`, what is missing has the row of None. So no cell is coded anew: the table follows the codes.
    """
    codes, labels = column_raw_codes(table, name)
    rows, strange = places_of(labels, axis)
    found: tuple[Unseen, ...] = ()
    if strange:
        rows[strange] = len(axis) if unseen else -1
        each: list[int] = np.bincount(codes[codes >= 0], minlength=len(labels)).tolist()
        strange = [k for k in strange if each[k]]  # not every label occurs
        examples = tuple(labels[k] for k in strange[:_EXAMPLES])
        others = [label for label in axis if label is not None]
        cells = sum(each[k] for k in strange)
        found = (Unseen(name, cells, sum(each), examples, tuple(others[:_EXAMPLES])),) if cells else ()
    gap = (0 if None in axis else len(axis) if unseen else -1) if missing else -1  # None is the first on an axis
    if gap >= 0:
        codes = np.where(codes < 0, len(labels), codes)
        rows = np.append(rows, gap)
    return LevelCodes(codes, rows, found)


def places_of(labels: list[Any], axis: Axis) -> tuple[npt.NDArray[np.int64], list[int]]:
    """Return where each label stands on the axis, −1 for none, and which stand nowhere."""
    places = np.array([axis.index(label) if label in axis else -1 for label in labels], dtype=np.int64)
    return places, np.flatnonzero(places < 0).tolist()


def direct_levels(term: Levels) -> Levels | None:
    """Return the term with a row for each of 0, 1, …, so that whole numbers are their own codes, or None: too large."""
    tables: list[npt.NDArray[np.float64]] = []
    axes: list[Axis] = []
    start = 0
    for axis in term.levels:
        known = [label for label in axis if isinstance(label, int) and not isinstance(label, bool) and label >= 0]
        gap = len(axis) > 0 and axis.labels[0] is None  # a whole number is never missing
        rows = term.table[start + gap : start + len(axis)]
        start += len(axis)
        if len(known) + gap < len(axis):
            return None
        size = max(known, default=-1) + 1
        if size > 2 * len(known) + _SPARE:
            return None
        table = np.zeros((size, term.table.shape[1]))
        table[known] = rows
        tables.append(table)
        axes.append(Axis(range(size)))
    return None if term.unseen else Levels(term.columns, tuple(axes), np.concatenate(tables) if tables else term.table)


def sampled_rows(table: Matrix) -> npt.NDArray[Any]:
    """Return some rows of a dense matrix, or all of them, in no period: rows that repeat are not all alike."""
    rows = table.rows
    if rows <= _SAMPLE:
        return table.x
    step = int(rows * (math.sqrt(5) - 1) / 2)
    while math.gcd(step, rows) > 1:
        step += 1
    return table.x[np.arange(_SAMPLE) * step % rows]


def sampled_unseen(table: Matrix, term: Levels) -> list[Unseen]:
    """Return the columns with unseen levels among some rows, where levels are their own codes.

    A column that has many of them there is counted in all rows.
    """
    found: list[Unseen] = []
    x = sampled_rows(table)
    for at, name, axis in zip(table.positions(term.columns), term.columns, term.levels, strict=True):
        cells = x[:, at]
        known = np.array([label for label in axis if label is not None], dtype=np.float64)
        there = np.isin(cells, known)
        if len(x) < table.rows and there.mean() < 1 - _SUSPICIOUS:
            cells = table.x[:, at]
            there = np.isin(cells, known)
        if not there.all():
            strange = np.unique(cells[~there])[:_EXAMPLES].tolist()
            seen = [label for label in axis if label is not None][:_EXAMPLES]
            found.append(Unseen(name, int((~there).sum()), len(cells), tuple(strange), tuple(seen)))
    return found
