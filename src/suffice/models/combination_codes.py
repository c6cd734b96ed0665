"""Combinations of levels as rows of a table that holds what these rows have: each distinct combination once.

Symbols: a row's combination has known levels k_j in the columns K and gaps in the others; θ(s) of a seen combination s,
ρ of each other one, S_j levels of column j.

    p(row) = Σ_{s seen, s_K = k} θ(s) + (Π_{j ∉ K} S_j − #{s seen, s_K = k}) ρ

A level that is not on its column's axis is a gap. A row of gaps only adds nothing.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from suffice.engines.coding import Coded
from suffice.engines.joint_codes import joint_codes
from suffice.engines.table import Table
from suffice.likelihoods.terms import Combinations, Levels
from suffice.models.level_codes import Unseen, level_codes
from suffice.statistics import Axis
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = ["combination_codes"]


class CombinationCodes(NamedTuple):
    """The row of the term's table for each row of the data, −1 for none."""

    codes: npt.NDArray[Any]
    term: Levels
    unseen: tuple[Unseen, ...]


def combination_codes(table: Table, term: Combinations) -> CombinationCodes:
    """Return the distinct combinations of these rows with what each adds to every class, and the code of each row."""
    each = [level_codes(table, name, axis) for name, axis in zip(term.columns, term.levels, strict=True)]
    # A gap, −1, is a level among others here.
    shifted = [
        Coded(np.append(rows, -1)[np.where(codes < 0, len(rows), codes)] + 1, list(range(-1, len(axis))))
        for (codes, rows, _), axis in zip(each, term.levels, strict=True)
    ]
    codes, found = joint_codes(shifted)
    rows = term.table[:0]
    if found:
        rows = np.stack([_log_probability(term, np.array(combination, dtype=np.int64)) for combination in found])
    axis = Axis(range(len(rows)))
    unseen = tuple(one for _, _, those in each for one in those)
    return CombinationCodes(codes, Levels(term.columns[:1], (axis,), rows), unseen)


def _log_probability(term: Combinations, combination: IntArray) -> FloatArray:
    known = combination >= 0
    if not known.any():
        return np.zeros_like(term.rest)
    matching = (term.seen[:, known] == combination[known]).all(axis=1)
    others = math.prod(max(float(len(axis)), 1.0) for axis, there in zip(term.levels, known, strict=True) if not there)
    left = others - float(matching.sum())
    logs = term.table[matching]
    if left > 0:
        logs = np.concatenate([logs, (term.rest + np.log(left))[None]])
    if not len(logs):
        return term.rest
    highest: FloatArray = logs.max(axis=0)
    finite = np.where(highest == -np.inf, 0.0, highest)
    with np.errstate(divide="ignore"):
        return finite + np.log(np.exp(logs - finite).sum(axis=0))
