"""The pseudo-count that the data speak for: the α of Dir(α, …, α) with the greatest evidence.

Symbols: counts N_ck of K outcomes in C classes, n_c = Σ_k N_ck, ψ the digamma function.

    ln p(N | α)     = Σ_c { ln Γ(Kα) − ln Γ(Kα + n_c) + Σ_k [ln Γ(α + N_ck) − ln Γ(α)] }
    d/dα ln p       = Σ_c { K ψ(Kα) − K ψ(Kα + n_c) + Σ_k [ψ(α + N_ck) − ψ(α)] }
    ψ(z + n) − ψ(z) = ln(1 + n/z) + n/(2z(z + n)) + [1/z² − 1/(z + n)²]/12 + …     where z is large and ψ cancels
    shared          the sum of ln p over several columns, each with outcomes of its own, and one α for all

Counts that are all alike push α to infinity, pure classes push it to 0, so it is looked for from 0.001 to 1: a few rows
whose counts happen to be alike must not silence their column, and 1 is the default elsewhere. Where the slope
has one sign throughout, the answer is the bound. Columns that share it may have more than one maximum between them: the
best of a grid is taken, and between its neighbours the root of the slope. It is a function of the statistics alone, so
it merges.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from suffice.conjugate.log_gamma import log_rising
from suffice.conjugate.special import digamma
from suffice.likelihoods.roots import root
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["LEAST_ALPHA", "MOST_ALPHA", "evidence_alpha", "shared_evidence_alpha"]

LEAST_ALPHA, MOST_ALPHA = 1e-3, 1.0
_LARGE = 1e4
_MOST = 1e290  # of a count: sums of more are no floats
_GRID = 49


class _Column(NamedTuple):
    # n_c of the classes that say something, the counts > 0 of those, both sorted, and K.
    totals: FloatArray
    known: FloatArray
    outcomes: float


def evidence_alpha(counts: FloatArray, outcomes: float | None = None) -> float:
    """Return α for counts of shape (classes, outcomes); 1 where nothing was seen or there is nothing to tell apart.

    There may be more `outcomes` than counts: those that were never seen.

    Examples
    --------
    >>> round(evidence_alpha(np.array([[9.0, 1.0], [1.0, 9.0]])), 3)
    0.67
    """
    column = _column(counts, counts.shape[-1] if outcomes is None else outcomes)
    if column is None:
        return 1.0

    def slope(log_alpha: float) -> float:
        return _slope(column, math.exp(log_alpha))

    low, high = math.log(LEAST_ALPHA), math.log(MOST_ALPHA)
    if slope(low) <= 0:
        return LEAST_ALPHA
    if slope(high) >= 0:
        return MOST_ALPHA
    return math.exp(root(slope, low, high, 1e-14))


def shared_evidence_alpha(tables: Sequence[FloatArray], outcomes: Sequence[float] | None = None) -> float:
    """Return the one α for the counts of several columns, each of shape (classes, its outcomes).

    There may be more `outcomes` of each than counts, as in `evidence_alpha`.

    Examples
    --------
    >>> one, other = np.array([[9.0, 1.0], [1.0, 9.0]]), np.array([[4.0, 0.0, 0.0], [0.0, 3.0, 1.0]])
    >>> round(shared_evidence_alpha([one, other]), 3)
    0.436
    """
    sizes = [counts.shape[-1] for counts in tables] if outcomes is None else outcomes
    columns = [column for column in map(_column, tables, sizes) if column is not None]
    if not columns:
        return 1.0

    def height(log_alpha: float) -> float:
        return math.fsum(_height(column, math.exp(log_alpha)) for column in columns)

    def slope(log_alpha: float) -> float:
        return math.fsum(_slope(column, math.exp(log_alpha)) for column in columns)

    grid: list[float] = np.linspace(math.log(LEAST_ALPHA), math.log(MOST_ALPHA), _GRID).tolist()
    best = int(np.argmax([height(at) for at in grid]))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, _GRID - 1)]
    if not slope(low) > 0 > slope(high):
        return LEAST_ALPHA if best == 0 else MOST_ALPHA if best == _GRID - 1 else math.exp(grid[best])
    return math.exp(root(slope, low, high, 1e-14))


def _column(counts: FloatArray, outcomes: float) -> _Column | None:
    counts = np.minimum(counts, _MOST)
    # A class of a single row has the evidence 1/K whatever α is: its part of the slope is rounding and nothing else.
    single = (counts.sum(axis=-1) == 1) & (counts == 1).any(axis=-1)
    seen = np.sort(counts[counts.any(axis=-1) & ~single], axis=-1)
    if outcomes < 2 or not len(seen):
        return None
    # Sorted, so that neither the order of the classes nor that of the levels changes a bit.
    return _Column(np.sort(seen.sum(axis=-1)), np.sort(seen[seen > 0]), outcomes)


def _slope(column: _Column, alpha: float) -> float:
    totals, known, outcomes = column
    strength = outcomes * alpha
    if strength >= _LARGE:
        of_totals = -_rise(strength, totals)
    else:
        of_totals = len(totals) * _total(np.array([strength])) - _total(strength + totals)
    of_counts = _total(alpha + known) - len(known) * _total(np.array([alpha]))
    return outcomes * of_totals + of_counts


def _height(column: _Column, alpha: float) -> float:
    totals, known, outcomes = column
    of_totals = log_rising(np.full(len(totals), outcomes * alpha), totals)
    return float(log_rising(np.full(len(known), alpha), known).sum() - of_totals.sum())


def _rise(z: float, n: FloatArray) -> float:
    # Σ ψ(z + n) − ψ(z), whose digits would cancel.
    after = z + n
    return float((np.log1p(n / z) + n / (2 * z * after) + n * (z + after) / (12 * z**2 * after**2)).sum())


def _total(x: FloatArray) -> float:
    return float(digamma(x).sum())
