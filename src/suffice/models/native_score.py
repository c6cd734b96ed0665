"""The terms that the native core scores: one pass over the rows, the same bits on any number of threads.

Quadratic, Student, Presence, Linear and plain Levels terms have kernels. Whoever scores asks `is_native` of each term
and sends the others through NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from suffice import _core
from suffice.engines.flaws import explained
from suffice.engines.rows import table_of
from suffice.likelihoods.terms import Levels, Linear, Presence, Quadratic, Student, Term
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["is_native", "native_score"]


def is_native(term: Term, x: Any) -> bool:
    """Say whether the core has a kernel for the term on rows of this kind."""
    if isinstance(term, Levels):
        kind = getattr(getattr(x, "dtype", None), "kind", "")
        return kind in ("i", "u", "b") and not hasattr(x, "tocsr") and not (term.unseen or term.missing)
    return isinstance(term, (Quadratic, Student, Presence, Linear))


def native_score(
    terms: Sequence[Term], log_prior: FloatArray, x: Any, wanted: str, threads: int
) -> tuple[npt.NDArray[np.float64], int]:
    """Return what is wanted of every row (see score.py), and how many rows no class can have produced."""
    tables = _core.ScoreTables(np.ascontiguousarray(log_prior))
    for term in terms:
        _add(tables, term)
    view, _, cols = table_of(x)
    with explained(cols, len(log_prior)):
        values, impossible = _core.score(tables, view, wanted, threads)
    return (values[:, 0] if wanted == "density" else values), impossible


def _add(tables: _core.ScoreTables, term: Term) -> None:
    columns = [int(j) for j in term.columns]
    if isinstance(term, Quadratic):
        tables.add_quadratic(columns, *map(_flat, (term.centre, term.scale, term.m, term.s, term.c)))
    elif isinstance(term, Student):
        tables.add_student(columns, *map(_flat, (term.centre, term.scale, term.m, term.s, term.c, term.e)))
    elif isinstance(term, Presence):
        tables.add_presence(columns, term.threshold, _flat(term.present), _flat(term.absent))
    elif isinstance(term, Linear):
        tables.add_linear(columns, _flat(term.weight), term.distribution)
    elif isinstance(term, Levels):
        tables.add_levels(columns, list(term.levels), _flat(term.table))
    else:
        raise TypeError(f"no kernel scores {type(term).__name__}")


def _flat(array: FloatArray) -> FloatArray:
    return np.ascontiguousarray(array, dtype=np.float64)
