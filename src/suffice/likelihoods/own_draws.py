"""Draws from a distribution over columns or tokens, without those of the row that is scored (own_terms.py)."""

from __future__ import annotations

from suffice.likelihoods.aligned import table
from suffice.likelihoods.own_terms import OwnMultinomial
from suffice.plan import Estimate
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["own_draws"]


def own_draws(
    columns: Columns, counts: FloatArray, alpha: FloatArray, estimate: Estimate, unit: float
) -> OwnMultinomial:
    """Return the term of a reading of counts with prior counts, both of shape (C, D)."""
    total = {"mle": counts, "map": counts + alpha - 1}.get(estimate, counts + alpha)
    spare = table(counts + alpha) if estimate == "map" else None
    return OwnMultinomial(columns, table(total), unit, integrated=estimate == "predictive", spare=spare)
