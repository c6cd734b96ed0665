"""The counts of a model of one block, class by class, and the logs of the probabilities that they are read into."""

from __future__ import annotations

import numpy as np

from suffice.likelihoods.aligned import by_class, by_column
from suffice.likelihoods.terms import Outcomes
from suffice.models.naive_bayes import NaiveBayesModel
from suffice.statistics import Counts
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["column_counts", "column_logs", "level_counts", "level_logs"]


def column_counts(known: NaiveBayesModel) -> FloatArray:
    """Return what was counted of each column, of presence or of sums: classes × columns."""
    counts = known.parts[0][0]
    assert isinstance(counts, Counts)
    return by_column(counts, known.schema.blocks[0].columns, known.classes)[0]


def column_logs(known: NaiveBayesModel) -> FloatArray:
    """Return the log of the probability of each column: classes × columns."""
    outcomes = _outcomes(known)
    return np.ascontiguousarray(outcomes.logs[outcomes.offsets[:-1]].T)  # the first of a column: it is present


def level_counts(known: NaiveBayesModel) -> list[FloatArray]:
    """Return, for each column, the weight of its levels: classes × levels."""
    found: list[FloatArray] = []
    for counts in known.parts[0]:
        assert isinstance(counts, Counts)
        found.append(by_class(counts.values, counts.classes, known.classes))
    return found


def level_logs(known: NaiveBayesModel) -> list[FloatArray]:
    """Return, for each column, the logs of the probabilities of its levels: classes × levels."""
    return [np.ascontiguousarray(logs.T) for _, logs in _outcomes(known).by_column()]


def _outcomes(known: NaiveBayesModel) -> Outcomes:
    outcomes = known.terms[0].outcomes()
    assert outcomes is not None, "the estimators read counts of outcomes"
    return outcomes
