"""The logs that were added up beside sums of counts (plan/collect.py): coarse · 2⁻²⁰ + fine · 2⁻⁴³."""

from __future__ import annotations

from suffice.plan.collect import COARSE, FINE
from suffice.statistics import Counts

__all__ = ["total_of_logs"]


def total_of_logs(part: object) -> float:
    """Return the sum over all classes."""
    assert isinstance(part, Counts)
    if not part.values.size:
        return 0.0
    coarse, fine = part.values.sum(axis=0)
    return float(coarse * COARSE + fine * FINE)
