"""The pseudo-count that the data speak for: the α of Dir(α, …, α) with the greatest evidence.

Symbols: counts N_ck of K outcomes in C classes, n_c = Σ_k N_ck, ψ the digamma function.

    ln p(N | α)     = Σ_c { ln Γ(Kα) − ln Γ(Kα + n_c) + Σ_k [ln Γ(α + N_ck) − ln Γ(α)] }
    d/dα ln p       = Σ_c { K ψ(Kα) − K ψ(Kα + n_c) + Σ_k [ψ(α + N_ck) − ψ(α)] }

Counts that are all alike push α to infinity, pure classes push it to 0, so it is looked for from 0.001 to 1: a few rows
whose counts happen to be alike must not silence their column, and 1 is the default elsewhere. Where the slope
has one sign throughout, the answer is the bound. It is a function of the statistics alone, so it merges.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma

from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["LEAST_ALPHA", "MOST_ALPHA", "evidence_alpha"]

LEAST_ALPHA, MOST_ALPHA = 1e-3, 1.0


def evidence_alpha(counts: FloatArray) -> float:
    """Return α for counts of shape (classes, outcomes); 1 where nothing was seen or there is nothing to tell apart.

    Examples
    --------
    >>> round(evidence_alpha(np.array([[9.0, 1.0], [1.0, 9.0]])), 3)
    0.67
    """
    outcomes = counts.shape[-1]
    # A class of a single row has the evidence 1/K whatever α is: its part of the slope is rounding and nothing else.
    single = (counts.sum(axis=-1) == 1) & (counts == 1).any(axis=-1)
    seen = np.sort(counts[counts.any(axis=-1) & ~single], axis=-1)
    if outcomes < 2 or not len(seen):
        return 1.0
    # Sorted, so that neither the order of the classes nor that of the levels changes a bit.
    totals = np.sort(seen.sum(axis=-1))
    known = np.sort(seen[seen > 0])

    def slope(log_alpha: float) -> float:
        alpha = math.exp(log_alpha)
        of_totals = len(totals) * _total(np.array([outcomes * alpha])) - _total(outcomes * alpha + totals)
        of_counts = _total(alpha + known) - len(known) * _total(np.array([alpha]))
        return outcomes * of_totals + of_counts

    low, high = math.log(LEAST_ALPHA), math.log(MOST_ALPHA)
    if slope(low) <= 0:
        return LEAST_ALPHA
    if slope(high) >= 0:
        return MOST_ALPHA
    return math.exp(float(brentq(slope, low, high, xtol=1e-14, rtol=1e-14)))


def _total(x: FloatArray) -> float:
    values: FloatArray = np.asarray(digamma(x))
    return float(values.sum())
