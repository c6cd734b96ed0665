"""Draws from a distribution over columns or tokens, without those of the row that is scored (own_terms.py)."""

from __future__ import annotations

import numpy as np

from suffice.likelihoods.aligned import table
from suffice.likelihoods.own_terms import OwnMultinomial
from suffice.plan import Estimate
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["own_draws"]

_MOST, _LESS = 1e290, 2.0**-64  # so that sums of counts, times their logs, are floats


def own_draws(
    columns: Columns, counts: FloatArray, alpha: FloatArray, estimate: Estimate, unit: float
) -> OwnMultinomial:
    """Return the term of a reading of counts with prior counts, both of shape (C, D)."""
    added = {"mle": np.zeros_like(counts), "map": alpha - 1}.get(estimate, alpha)
    if counts.max(initial=0.0) > _MOST:  # their ratios are what counts; α is nothing beside them
        counts, alpha, added, unit = counts * _LESS, alpha * _LESS, added * _LESS, unit * _LESS
    least = table(np.broadcast_to(np.maximum(added, 0.0), counts.shape))
    spare = table(counts + alpha) if estimate == "map" else None
    return OwnMultinomial(columns, table(counts + added), unit, estimate == "predictive", least, spare)
