"""Rows to scores: log p(c, x) = log p(c) + Σ over the terms, and what is read from it.

    joint           log p(c, x)                 rows × classes
    log_posterior   log p(c | x)                rows × classes
    posterior       p(c | x)                    rows × classes
    density         log p(x)                    rows

A row that is impossible under every class (−inf everywhere) gets the class prior as its posterior, and is counted. The
terms that the native core knows are scored there in one pass; others follow in NumPy, a block of rows at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from suffice.engines.threads import thread_count
from suffice.likelihoods.terms import (
    Coefficient,
    CompoundCount,
    Levels,
    PoissonCount,
    Polya,
    Term,
)
from suffice.models import score_cells, score_counts
from suffice.models.native_score import is_native, native_score
from suffice.models.select_columns import slice_of
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import BoolArray, FloatArray

__all__ = ["Scores", "Wanted", "score"]

Wanted: TypeAlias = Literal["joint", "log_posterior", "posterior", "density"]

_ROWS = 8192
_CELLS = 2**21


class Scores(NamedTuple):
    """What was asked for, and how many rows are impossible under every class."""

    values: FloatArray
    impossible: int


def score(terms: Sequence[Term], log_prior: FloatArray, x: Any, wanted: Wanted, threads: int | None = None) -> Scores:
    """Return joint, posterior or density of every row.

    Parameters
    ----------
    terms : sequence of terms
        Their columns are positions in x.
    log_prior : array of C
        log p(c); −inf is allowed.
    x : 2-D array or CSR matrix of numbers
    wanted : "joint", "log_posterior", "posterior" or "density"
    threads : int, optional
        Changes the speed and nothing else.
    """
    threads = thread_count(threads)
    rows, classes = x.shape[0], len(log_prior)
    if wanted not in ("joint", "density"):  # what is the same for every class cancels
        terms = [term for term in terms if not isinstance(term, Coefficient)]
    native = [term for term in terms if classes and is_native(term, x)]
    others = [term for term in terms if term not in native]
    if classes and not others:
        return Scores(*native_score(native, log_prior, x, wanted, threads))
    before = native_score(native, log_prior, x, "joint", threads)[0] if native else np.tile(log_prior, (rows, 1))
    values = np.empty(rows if wanted == "density" else (rows, classes))
    impossible = 0
    wide = max((len(term.columns) for term in terms), default=1)
    step = max(1, min(_ROWS, _CELLS // max(classes, wide, 1)))
    for start in range(0, rows, step):
        block = slice(start, min(start + step, rows))
        scores = before[block]
        with np.errstate(over="ignore", invalid="ignore"):
            for term in others:
                _add(term, _cells(x, block, term.columns), start, scores)
        values[block], none = _finished(scores, log_prior, wanted)
        impossible += none
    return Scores(values, impossible)


def _cells(x: Any, rows: slice, columns: Columns) -> Any:
    part = x[rows]
    if len(columns) == x.shape[1]:
        return part
    even = slice_of(columns) if len(columns) and not hasattr(x, "tocsr") else None
    return part[:, list(columns) if even is None else even]


def _add(term: Term, x: Any, start: int, scores: FloatArray) -> None:
    if isinstance(term, Levels):
        score_cells.add_levels(term, x.toarray() if hasattr(x, "tocsr") else x, scores)
        return
    rows = score_counts.counted_rows(x, term.columns, start)
    if isinstance(term, Polya):
        score_counts.add_polya(term, rows, scores)
    elif isinstance(term, Coefficient):
        score_counts.add_coefficient(rows, scores)
    elif isinstance(term, PoissonCount):
        score_counts.add_poisson(term, rows, scores)
    elif isinstance(term, CompoundCount):
        score_counts.add_compound(term, rows, scores)
    else:
        raise TypeError(f"only the native core scores {type(term).__name__}")


def _finished(scores: FloatArray, log_prior: FloatArray, wanted: Wanted) -> tuple[FloatArray, int]:
    highest = scores.max(axis=1, keepdims=True)
    none: BoolArray = highest[:, 0] == -np.inf
    impossible = int(np.count_nonzero(none))
    if wanted == "joint":
        return scores, impossible
    shifted = scores - np.where(none[:, None], 0.0, highest)
    powers = np.exp(shifted)
    total = powers.sum(axis=1, keepdims=True)
    if wanted == "density":
        with np.errstate(divide="ignore"):
            return np.where(none, -np.inf, highest[:, 0] + np.log(np.where(none, 1.0, total[:, 0]))), impossible
    total = np.where(none[:, None], 1.0, total)
    posterior = powers / total if wanted == "posterior" else shifted - np.log(total)
    posterior[none] = np.exp(log_prior) if wanted == "posterior" else log_prior
    return posterior, impossible
