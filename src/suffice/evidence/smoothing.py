"""The λ of the smoothed reading that the data speak for: the one with the greatest evidence, from the counts alone.

Symbols: λ_j of column j, N its counts (likelihood.py, OutcomeCounts), bounds and search as in evidence_alpha.py.

    evidence           λ_j maximises Σ ln p(N | λ_j) of the column; columns of one distribution (Multinomial, Joint)
                       have one λ
    shared evidence    one λ maximises the sum over all columns

λ is a pseudo-count of outcomes. Where it is something else (Gaussian and Poisson: pseudo-rows) or where there is no
evidence (complement, idf), it stays 1.
"""

from __future__ import annotations

import numpy as np

from suffice.likelihoods.evidence_alpha import shared_evidence_alpha
from suffice.likelihoods.likelihood import OutcomeCounts
from suffice.models import NaiveBayesModel
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["smoothing_by_evidence"]


def smoothing_by_evidence(model: NaiveBayesModel, *, shared: bool) -> FloatArray:
    """Return λ of every column of the schema, in their order."""
    place = {name: at for at, name in enumerate(model.schema.names)}
    found = np.ones(len(place))
    groups: dict[int, list[OutcomeCounts]] = {}
    for block, seen in zip(model.schema.blocks, model.seen(), strict=True):
        for each in block.likelihood.outcome_counts(seen):
            groups.setdefault(0 if shared else place[each.columns[0]], []).append(each)
    for group in groups.values():
        chosen = shared_evidence_alpha([each.counts for each in group], [each.outcomes for each in group])
        found[[place[name] for each in group for name in each.columns]] = chosen
    return found
