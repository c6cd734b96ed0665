"""The scores of rows under their own class, for the terms of likelihoods/own_terms.py: rows × one number.

Rows go class by class and some at a time; a missing cell adds nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from suffice.conjugate.log_gamma import log_rising
from suffice.conjugate.special import xlogy
from suffice.engines.documents import documents_of, token_index, token_matrix
from suffice.engines.table import NumberRows, Table
from suffice.likelihoods.own_complement import OwnComplement
from suffice.likelihoods.own_terms import OwnMultinomial, OwnNormal, OwnPoisson, OwnTokens
from suffice.statistics.frozen_arrays import BoolArray, FloatArray, IntArray

__all__ = ["cells_of", "counted_tokens", "own_scores"]

_CELLS = 2**20  # at a time
_MOST = 1e290  # of a count, so that x ln θ is a float


def own_scores(term: OwnNormal | OwnMultinomial | OwnPoisson | OwnTokens, table: Table, codes: IntArray) -> FloatArray:
    """Return what each row adds to its own class; codes are the classes, −1 where there is none: 0."""
    scores = np.zeros(table.rows)
    if isinstance(term, OwnTokens):
        _of_documents(term, table, codes, scores)
        return scores
    if isinstance(term, OwnMultinomial):
        sparse = _sparse(table, term.columns)
        if sparse is not None:
            for c, rows in _by_class(codes, 1):
                scores[rows] = _of_draws(term, sparse[rows], c)
            return scores
    cells = cells_of(table.numbers(term.columns))
    for c, rows in _by_class(codes, len(term.columns)):
        scores[rows] = _of_cells(term, cells(rows), c)
    return scores


def _of_cells(term: OwnNormal | OwnMultinomial | OwnPoisson, x: FloatArray, c: int) -> FloatArray:
    if isinstance(term, OwnNormal):
        return _of_normal(term, x, c)
    return _of_poisson(term, x, c) if isinstance(term, OwnPoisson) else _of_counts(term, x, c)


def _by_class(codes: IntArray, width: int) -> Iterator[tuple[int, IntArray]]:
    step = max(1, _CELLS // max(1, width))
    for c in np.unique(codes[codes >= 0]).tolist():
        rows = np.flatnonzero(codes == c)
        for start in range(0, len(rows), step):
            yield c, rows[start : start + step]


def cells_of(numbers: NumberRows) -> Callable[[IntArray], FloatArray]:
    """Return a function that gives some rows as float64, NaN where missing."""
    if hasattr(numbers.x, "tocsr"):  # what is not stored is 0
        return lambda rows: np.asarray(numbers.x[rows].toarray(), dtype=np.float64)
    if numbers.valid is None and not isinstance(numbers.x, list):
        return lambda rows: np.asarray(numbers.x[rows], dtype=np.float64)
    columns = numbers.columns()
    valid = numbers.valid or [None] * len(columns)
    known = [
        None if bits is None else np.unpackbits(bits, count=len(column), bitorder="little").view(np.bool_)
        for column, bits in zip(columns, valid, strict=True)
    ]

    def cells(rows: IntArray) -> FloatArray:
        found = np.empty((len(rows), len(columns)))
        for j, (column, there) in enumerate(zip(columns, known, strict=True)):
            found[:, j] = column[rows]
            if there is not None:
                found[~there[rows], j] = np.nan
        return found

    return cells


def _sparse(table: Table, columns: tuple[str | int, ...]) -> Any:
    x = getattr(table, "x", None)
    if x is None or not hasattr(x, "tocsr"):
        return None
    found = table.numbers(columns).x
    return None if np.isnan(found.data).any() else found.tocsr()


def _of_normal(term: OwnNormal, x: FloatArray, c: int) -> FloatArray:
    t = ((x - term.centre) * term.scale - term.m[:, c]) ** 2
    left = np.maximum(1.0 - term.gamma[:, c] * t, 0.0)
    variance = np.maximum(term.variance[:, c] * left, term.least)
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = -0.5 * np.log(2 * math.pi * variance) - 0.5 * term.rho[:, c] ** 2 * t / variance - term.log_unit
    return np.where(np.isnan(x), 0.0, scores).sum(axis=1)


def _of_poisson(term: OwnPoisson, x: FloatArray, c: int) -> FloatArray:
    known = ~np.isnan(x)
    x = np.minimum(np.where(known, x, 0.0), _MOST)
    total, weight = np.maximum(term.total[:, c] - term.unit * x, term.least[:, c]), term.weight[:, c] - term.unit
    some = weight > 2.0**-40 * term.weight[:, c]
    if term.integrated:
        weight = np.where(some, weight, 1.0)
        scores = log_rising(total, x) - total * np.log1p(1 / weight) - x * np.log1p(weight)
    else:
        rate = np.where(some, total / np.where(some, weight, 1.0), term.lone[:, c])
        scores = xlogy(x, rate) - rate
    return np.where(known, scores - log_rising(np.ones_like(x), x), 0.0).sum(axis=1)


def _sparse_rows(*given: Any, **more: Any) -> Any:
    from scipy.sparse import csr_matrix  # not before it is needed: it takes long to load

    return csr_matrix(*given, **more)


def _of_counts(term: OwnMultinomial, x: FloatArray, c: int) -> FloatArray:
    if not np.isnan(x).any():
        return _of_draws(term, _sparse_rows(x), c)
    return np.concatenate([_of_known(term, row, c) for row in x])


def _of_known(term: OwnMultinomial, row: FloatArray, c: int) -> FloatArray:
    # Given their total, the counts that are known are draws from the columns that are.
    known = ~np.isnan(row)
    if not known.any():
        return np.zeros(1)
    spare = None if term.spare is None else term.spare[known]
    of_known = OwnMultinomial((), term.total[known], term.unit, term.integrated, term.least[known], spare)
    elsewhere = float(np.maximum(term.total[~known, c], 0.0).sum())
    return _of_draws(of_known, _sparse_rows(row[None, known]), c, elsewhere)


def _of_draws(term: OwnMultinomial, x: Any, c: int, elsewhere: float = 0.0) -> FloatArray:
    # x are rows of counts in CSR form, and what each of them leaves of the total of class c. What the class has in
    # columns that are missing in these rows is `elsewhere`: where only that is left, the counts are impossible.
    columns: IntArray = x.indices
    values: FloatArray = np.minimum(np.asarray(x.data, dtype=np.float64), _MOST)
    rows: int = x.shape[0]
    row: IntArray = np.repeat(np.arange(rows, dtype=np.int64), np.diff(x.indptr))
    whole = np.maximum(term.total[:, c], 0.0)
    own = np.maximum(term.total[columns, c] - term.unit * values, term.least[columns, c])
    left = np.maximum(whole.sum() + _summed(own - whole[columns], row, rows), term.least[:, c].sum())
    sizes = _summed(values, row, rows)
    if term.integrated:
        return _summed(log_rising(own, values), row, rows) - log_rising(left, sizes)
    nothing = left <= 2.0**-40 * whole.sum()
    lone = nothing & (left + elsewhere <= 2.0**-40 * (whole.sum() + elsewhere))
    with np.errstate(divide="ignore"):
        logs: FloatArray = np.where(values == 0, 0.0, values * np.log(np.where(values == 0, 1.0, own)))
        scores = _summed(logs, row, rows) - sizes * np.log(np.where(nothing, 1.0, left))
    scores[nothing & (sizes > 0)] = -np.inf
    if lone.any():
        if term.spare is not None:
            spare = OwnMultinomial(term.columns, term.spare, term.unit, False, np.zeros_like(term.spare))
            scores[lone] = _of_draws(spare, x[np.flatnonzero(lone)], c)
        else:
            scores[lone] = -sizes[lone] * math.log(len(whole))
    return scores


def _summed(values: FloatArray, row: IntArray, rows: int) -> FloatArray:
    return np.bincount(row, values, minlength=rows).astype(np.float64)


def _of_documents(term: OwnTokens, table: Table, codes: IntArray, scores: FloatArray) -> None:
    counted, missing = counted_tokens(term, table)
    for c, rows in _by_class(codes, 1):
        scores[rows] = _of_draws(term.draws, counted[rows], c)
    if missing is not None:
        scores[missing] = 0.0


def counted_tokens(term: OwnTokens | OwnComplement, table: Table) -> tuple[Any, BoolArray | None]:
    """Return what the known tokens of each document count, as a CSR matrix, and which documents are missing, if any."""
    known, width = term.tokens, len(term.weight)
    index = token_index(known.tokenizing, known.vocabulary, known.kept)
    documents = documents_of(table, term.columns[0])
    starts, tokens, values = token_matrix(known.tokenizing, index, documents)
    occurrences = np.ones_like(values) if term.presence else values
    counted = _sparse_rows((occurrences * term.weight[tokens], tokens, starts), shape=(table.rows, width))
    return counted, documents.is_missing() if documents.missing else None
