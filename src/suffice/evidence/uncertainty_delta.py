"""The interval of p(c | x) from the cumulants of log p(c, x): the delta method on log-odds.

Symbols, for one row: M_c, V_c, T_c mean, variance and third cumulant of log p(c, x) (uncertainty_moments.py); z the
quantile of the normal distribution at ½ + level/2.

    odds        L_c = log p(c, x) − log Σ_{k≠c} p(k, x)                        its gradient: 1 for c, −w_k for k ≠ c
    w_k         exp(M_k)/Σ_{l≠c} exp(M_l), so that with two classes L_c is linear and nothing is approximated here
    mean        M_c − log Σ_{k≠c} exp(M_k)
    variance    s² = V_c + Σ_{k≠c} w_k² V_k          third    T_c − Σ_{k≠c} w_k³ T_k,  γ = third/s³ the skewness
    interval    of L_c: mean + s (±z + γ (z² − 1)/6) (Cornish and Fisher 1938); of p(c | x): 1/(1 + e^−L) of its ends

A row is *crooked* where this is not enough: |γ| > ½, or where the second-order term that the log of the sum leaves out,
½ Σ_{k≠c} w_k (1 − w_k) V_k, is above s/10. There parameters are better drawn (uncertainty_draws.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from suffice.conjugate.special import expit, ndtri
from suffice.decisions import log_odds
from suffice.evidence.uncertainty_moments import LogMoments
from suffice.statistics.frozen_arrays import BoolArray, FloatArray

__all__ = ["DeltaInterval", "delta_interval"]

_SKEW = 0.5
_CURVED = 0.1


class DeltaInterval(NamedTuple):
    """Lower and upper ends, rows × classes, and which rows are crooked."""

    lower: FloatArray
    upper: FloatArray
    crooked: BoolArray


def delta_interval(moments: LogMoments, level: float) -> DeltaInterval:
    """Return the interval of p(c | x) of every row; where a cumulant is not finite it is from 0 to 1.

    Examples
    --------
    >>> known = LogMoments(np.array([[0.0, 0.0]]), np.array([[0.08, 0.08]]), np.array([[0.0, 0.0]]))
    >>> delta_interval(known, 0.95).lower.round(4)  # odds of 1, give or take 1.96 · 0.4 in their log
    array([[0.3135, 0.3135]])
    """
    mean, variance, third = moments
    z = float(ndtri(np.asarray(0.5 + level / 2)))
    odds = log_odds(mean)
    spread, skew, curved = (np.zeros_like(mean) for _ in range(3))
    for c in range(mean.shape[1]):
        others = [k for k in range(mean.shape[1]) if k != c]
        w = _shares(mean[:, others])
        with np.errstate(invalid="ignore", over="ignore"):
            square = variance[:, c] + (w**2 * variance[:, others]).sum(axis=1)
            cube = third[:, c] - (w**3 * third[:, others]).sum(axis=1)
            spread[:, c] = np.sqrt(square)
            skew[:, c] = np.divide(cube, square**1.5, out=np.zeros_like(cube), where=square > 0)
            curved[:, c] = 0.5 * (w * (1 - w) * variance[:, others]).sum(axis=1)
    known = np.isfinite(spread) & np.isfinite(skew) & ~np.isnan(odds)
    bent = skew * (z * z - 1) / 6
    with np.errstate(invalid="ignore"):
        lower, upper = expit(odds + spread * (bent - z)), expit(odds + spread * (bent + z))
    crooked: BoolArray = ~known | (np.abs(skew) > _SKEW) | (curved > _CURVED * spread)
    rows: BoolArray = np.asarray(crooked.any(axis=1))
    return DeltaInterval(np.where(known, lower, 0.0), np.where(known, upper, 1.0), rows)


def _shares(logs: FloatArray) -> FloatArray:
    # exp(log)/Σ exp(log) along the last axis; none of anything where all are −inf.
    greatest = logs.max(axis=1, initial=-np.inf, keepdims=True)
    with np.errstate(invalid="ignore"):  # of what is not finite nothing is said in the end
        mass = np.exp(logs - np.where(np.isfinite(greatest), greatest, 0.0))
        total = mass.sum(axis=1, keepdims=True)
        return np.divide(mass, total, out=np.zeros_like(mass), where=total > 0)
