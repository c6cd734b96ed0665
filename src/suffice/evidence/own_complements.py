"""Complement scores of documents without each of them, for all classes: the page of likelihoods/own_complement.py.

Documents go some at a time, a number for each of their tokens and class.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.engines.table import Table
from suffice.evidence.own_scores import counted_tokens
from suffice.likelihoods.complement_weights import log_shares
from suffice.likelihoods.own_complement import OwnComplement
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = ["complement_scores"]

_CELLS = 2**20  # at a time
_ROUNDING = 2.0**-40  # weights that are not whole leave so much of their sum behind


def complement_scores(term: OwnComplement, table: Table, own: IntArray) -> FloatArray:
    """Return the scores (rows, classes) of documents of the classes `own`; 0 of a missing one."""
    counted, missing = counted_tokens(term, table)
    others = np.maximum(term.counts.sum(axis=1, keepdims=True) - term.counts, 0.0)
    total: FloatArray = (others + term.alpha).sum(axis=0)
    found = np.empty((table.rows, term.counts.shape[1]))
    tokens = np.diff(counted.indptr).max(initial=1)
    step = max(1, _CELLS // max(1, tokens * term.counts.shape[1]))
    for start in range(0, table.rows, step):
        rows = slice(start, start + step)
        found[rows] = _of_documents(term, counted[rows], own[rows], others, total)
    if missing is not None:
        found[missing] = 0.0
    return found


def _of_documents(term: OwnComplement, x: Any, own: IntArray, others: FloatArray, total: FloatArray) -> FloatArray:
    from scipy.sparse import csr_matrix  # not before it is needed: it takes long to load

    tokens: IntArray = x.indices
    values: FloatArray = np.asarray(x.data, dtype=np.float64)
    row: IntArray = np.repeat(np.arange(len(own), dtype=np.int64), np.diff(x.indptr))
    entries = np.arange(len(tokens), dtype=np.int64)
    summed: Any = csr_matrix((np.ones(len(tokens)), entries, x.indptr), shape=(len(own), len(tokens)))
    before = others[tokens]
    taken = np.repeat(term.unit * values[:, None], before.shape[1], axis=1)
    taken[entries, own[row]] = 0.0  # its own class has no such complement
    after = np.where(before - taken > _ROUNDING * before, before - taken, 0.0)
    left = total - summed @ (before - after)
    left = np.where(left > _ROUNDING * total, left, 0.0)
    logs = log_shares(after + term.alpha[tokens], left[row], len(term.counts))
    return summed @ (-values[:, None] * logs) + 0.0  # of −0.0, 0.0
