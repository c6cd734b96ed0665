"""Terms that look at a row of counts, in plain NumPy, at the cells that are not 0: dense and sparse rows alike.

The formulas are in likelihoods/multinomial.py and poisson.py; `CountedRows` is what the functions that add a term to the scores look at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from suffice.conjugate.special import log_rising
from suffice.likelihoods.multinomial import Polya
from suffice.likelihoods.poisson import CompoundCount, PoissonCount
from suffice.likelihoods.terms import Term
from suffice.statistics.arrays import BoolArray, FloatArray, IntArray
from suffice.statistics.axis import Columns
from tests.oracles.count_logs import added_up, log_factorials, stored_rows

__all__ = ["joint"]

_CELLS = 2**20


@final
@dataclass(frozen=True, slots=True, eq=False)
class CountedRows:
    """Rows of counts: the matrix with 0 for missing, its cells that are not 0 in row order, and what is missing.

    `gaps` are the rows in which a count is missing, and `observed` says for each of those which columns are there.
    """

    matrix: Any
    row: IntArray
    column: IntArray
    value: FloatArray
    total: FloatArray
    gaps: IntArray
    observed: BoolArray


def counted_rows(x: Any, columns: Columns) -> CountedRows:
    """Return the counts of some rows."""
    if hasattr(x, "tocsr"):
        row = stored_rows(x)
        column, value = x.indices.astype(np.int64), x.data.astype(np.float64)
    else:
        dense = np.asarray(x, dtype=np.float64)
        row, column = (each.astype(np.int64) for each in np.nonzero(dense))
        value = dense[row, column]
    missing = np.isnan(value)
    gaps = np.unique(row[missing])
    observed = np.ones((len(gaps), len(columns)), dtype=np.bool_)
    observed[np.searchsorted(gaps, row[missing]), column[missing]] = False
    matrix = x
    if missing.any():
        matrix = x.copy() if hasattr(x, "tocsr") else np.nan_to_num(x, nan=0.0)
        if hasattr(x, "tocsr"):
            matrix.data = np.nan_to_num(matrix.data, nan=0.0)
    there = ~missing & (value > 0)
    row, column, value = row[there], column[there], value[there]
    total = added_up(row, value, x.shape[0])
    return CountedRows(matrix, row, column, value, total, gaps, observed)


def joint(term: Term, log_prior: FloatArray, x: Any) -> FloatArray:
    """Return log p(c, x) of every row under one term of counts."""
    part = x[:, list(term.columns)]
    rows, scores = counted_rows(part, term.columns), np.tile(log_prior, (x.shape[0], 1))
    with np.errstate(over="ignore", invalid="ignore"):
        if isinstance(term, Polya):
            add_polya(term, rows, scores)
        elif isinstance(term, PoissonCount):
            add_poisson(term, rows, scores)
        elif isinstance(term, CompoundCount):
            add_compound(term, rows, scores)
        else:
            add_coefficient(rows, scores)
    return scores


def add_polya(term: Polya, rows: CountedRows, scores: FloatArray) -> None:
    """Add ln Γ(A) − ln Γ(A + n) + Σ_j ln Γ(α_j + x_j) − ln Γ(α_j)."""
    _add_rising(term.alpha, rows, scores)
    total = np.tile(term.alpha.sum(axis=0), (len(scores), 1))
    total[rows.gaps] = rows.observed @ term.alpha
    some = np.flatnonzero(rows.total)
    scores[some] -= log_rising(total[some], rows.total[some, None])


def add_coefficient(rows: CountedRows, scores: FloatArray) -> None:
    """Add ln n! − Σ_j ln x_j! to every class."""
    scores += (log_factorials(rows.total) - _factorials(rows))[:, None]


def add_poisson(term: PoissonCount, rows: CountedRows, scores: FloatArray) -> None:
    """Add x ln λ − λ − ln x! of each column."""
    with np.errstate(divide="ignore"):
        scores += _product(rows.matrix, np.log(term.rate))
    _add_for_observed(-term.rate, rows, scores)
    scores -= _factorials(rows)[:, None]


def add_compound(term: CompoundCount, rows: CountedRows, scores: FloatArray) -> None:
    """Add ln Γ(r + x) − ln Γ(r) − ln x! + r ln(β/(β + 1)) − x ln(β + 1) of each column."""
    _add_rising(term.shape, rows, scores)
    _add_for_observed(-term.shape * np.log1p(1 / term.rate), rows, scores)
    scores -= rows.matrix @ np.log1p(term.rate)
    scores -= _factorials(rows)[:, None]


def _add_rising(start: FloatArray, rows: CountedRows, scores: FloatArray) -> None:
    # Σ over the cells of ln Γ(start + x) − ln Γ(start): as many cells at a time as make a temporary of bounded size.
    step = max(1, _CELLS // max(1, start.shape[1]))
    for first in range(0, len(rows.row), step):
        part = slice(first, first + step)
        rising = log_rising(start[rows.column[part]], rows.value[part, None])
        row = rows.row[part]
        begins = np.flatnonzero(np.diff(row, prepend=-1))
        scores[row[begins]] += np.add.reduceat(rising, begins, axis=0)


def _add_for_observed(each: FloatArray, rows: CountedRows, scores: FloatArray) -> None:
    whole = np.tile(each.sum(axis=0), (len(scores), 1))
    whole[rows.gaps] = rows.observed @ each
    scores += whole


def _factorials(rows: CountedRows) -> FloatArray:
    return added_up(rows.row, log_factorials(rows.value), len(rows.total))


def _product(x: Any, weight: FloatArray) -> FloatArray:
    """Return x · weight for x ≥ 0, dense or sparse, where a weight may be −inf: 0 · (−inf) = 0."""
    impossible = weight == -np.inf
    if not impossible.any():
        return x @ weight
    scores = x @ np.where(impossible, 0.0, weight)
    scores[x @ impossible.astype(np.float64) > 0] = -np.inf
    return scores
