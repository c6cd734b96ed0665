"""A term as the native core holds it: its tables, and where its columns stand in the rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from suffice import _core
from suffice.likelihoods.terms import Levels, Linear, Presence, Quadratic, Student, Term
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["add_term"]


def add_term(tables: _core.ScoreTables, term: Term, places: Sequence[int]) -> None:
    """Add a term whose columns stand at these places. A column of levels holds rows of the table, −1 for none."""
    columns = list(places)
    if isinstance(term, Quadratic):
        tables.add_quadratic(columns, *map(_flat, (term.centre, term.scale, term.m, term.s, term.c)))
    elif isinstance(term, Student):
        tables.add_student(columns, *map(_flat, (term.centre, term.scale, term.m, term.s, term.c, term.e)))
    elif isinstance(term, Presence):
        tables.add_presence(columns, term.threshold, _flat(term.present), _flat(term.absent))
    elif isinstance(term, Linear):
        tables.add_linear(columns, _flat(term.weight), term.distribution)
    elif isinstance(term, Levels):
        sizes = [len(axis) + term.unseen for axis in term.levels]
        tables.add_levels(columns, sizes, _flat(term.table))
    else:
        raise TypeError(f"no kernel scores {type(term).__name__}")


def _flat(array: FloatArray) -> FloatArray:
    return np.ascontiguousarray(array, dtype=np.float64)
