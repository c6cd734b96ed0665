"""A term as the native core holds it: its tables, and where its columns stand in the rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from suffice import _core
from suffice.conjugate.log_gamma import log_rising
from suffice.likelihoods.terms import (
    Coefficient,
    Combinations,
    Compiled,
    CompoundCount,
    FullQuadratic,
    FullStudent,
    Levels,
    Linear,
    Observed,
    PoissonCount,
    Polya,
    Presence,
    Quadratic,
    Steps,
    Student,
)
from suffice.likelihoods.whitening import whitened
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["add_term"]


def add_term(tables: _core.ScoreTables, term: Compiled, places: Sequence[int], *, exact: bool = True) -> None:
    """Add a term whose columns stand at these places. A column of levels holds rows of the table, −1 for none.

    Unless it is to be `exact`, a term may leave out what is the same for every class and cancels in a posterior.
    """
    columns = list(places)
    if isinstance(term, Quadratic):
        tables.add_quadratic(columns, *map(_flat, (term.centre, term.scale, term.m, term.s, term.c)))
    elif isinstance(term, Student):
        tables.add_student(columns, *map(_flat, (term.centre, term.scale, term.m, term.s, term.c, term.e)))
    elif isinstance(term, (FullQuadratic, FullStudent)):
        _add_ellipse(tables, term, columns, exact=exact)
    elif isinstance(term, Presence):
        tables.add_presence(columns, term.threshold, _flat(term.present), _flat(term.absent))
    elif isinstance(term, Linear):
        tables.add_linear(columns, _flat(term.weight), term.distribution)
    elif isinstance(term, Levels):
        sizes = [len(axis) + term.unseen for axis in term.levels]
        tables.add_levels(columns, sizes, _flat(term.table))
    elif isinstance(term, Steps):
        edges = np.concatenate([np.empty(0), *term.edges])
        tables.add_steps(columns, [len(cuts) for cuts in term.edges], _flat(edges), _flat(term.table))
    elif isinstance(term, Observed):
        tables.add_observed(columns, _flat(term.present), _flat(term.absent))
    elif isinstance(term, Coefficient):
        tables.add_coefficient(columns)
    elif isinstance(term, Combinations):
        raise TypeError("combinations are coded first (combination_codes.py)")
    else:
        _add_counts(tables, term, columns)


def _add_ellipse(
    tables: _core.ScoreTables, term: FullQuadratic | FullStudent, columns: list[int], *, exact: bool
) -> None:
    normal = isinstance(term, FullQuadratic)
    least, drop = (term.least, term.drop) if normal else (0.0, False)
    degrees, norming = np.empty(0), np.empty((0, 0))
    if not normal:
        degrees, half = term.degrees, np.arange(len(columns) + 1.0)[:, None] / 2  # of how many columns are known
        starts = np.broadcast_to(degrees / 2, (len(half), len(degrees)))
        norming = log_rising(starts, half) - half * np.log(math.pi * degrees)
    factors = whitened(term.matrices, least, drop=drop)
    tables.add_ellipse(
        columns,
        *map(_flat, (term.centre, term.scale, np.log(term.scale), term.m, term.matrices)),
        *map(_flat, (factors.rows, factors.log_determinant, factors.rank)),
        least=least,
        drop=drop,
        degrees=_flat(degrees),
        norming=_flat(norming),
        linear=normal and not exact and len(term.matrices) == 1,
    )


def _add_counts(tables: _core.ScoreTables, term: Polya | PoissonCount | CompoundCount, columns: list[int]) -> None:
    nothing = np.empty((0, 0))
    if isinstance(term, Polya):
        tables.add_counts(columns, _flat(term.alpha), nothing, nothing, factorials=False, whole_row=True)
    elif isinstance(term, PoissonCount):
        with np.errstate(divide="ignore"):  # a rate of 0 has the log −inf
            slope = np.log(term.rate)
        tables.add_counts(columns, nothing, _flat(slope), _flat(-term.rate), factorials=True, whole_row=False)
    else:
        slope, base = -np.log1p(term.rate), -term.shape * np.log1p(1 / term.rate)
        tables.add_counts(columns, _flat(term.shape), _flat(slope), _flat(base), factorials=True, whole_row=False)


def _flat(array: FloatArray) -> FloatArray:
    return np.ascontiguousarray(array, dtype=np.float64)
