"""The counts and log probabilities of a model with one block, as arrays in scikit-learn's layout.

`declare_levels` declares the level codes 0 … L−1 of each column, including codes that occur in no row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from suffice.likelihoods.block_statistics import align_classes, align_columns
from suffice.likelihoods.terms import Outcomes
from suffice.models.naive_bayes import NaiveBayesModel
from suffice.statistics import Axis, Counts
from suffice.statistics.arrays import FloatArray

__all__ = ["column_counts", "column_logs", "declare_levels", "level_counts", "level_logs"]


def column_counts(known: NaiveBayesModel) -> FloatArray:
    """Return the counts of each column (of presence, or sums), shape (classes, columns)."""
    counts = known.parts[0][0]
    assert isinstance(counts, Counts)
    return align_columns(counts, known.schema.blocks[0].columns, known.classes)[0]


def column_logs(known: NaiveBayesModel) -> FloatArray:
    """Return the log probability of each column, shape (classes, columns)."""
    outcomes = _outcomes(known)
    return np.ascontiguousarray(outcomes.logs[outcomes.offsets[:-1]].T)  # the first outcome of a column is presence


def level_counts(known: NaiveBayesModel) -> list[FloatArray]:
    """Return the weight of the levels of each column, shape (classes, levels)."""
    tables: list[FloatArray] = []
    for counts in known.parts[0]:
        assert isinstance(counts, Counts)
        tables.append(align_classes(counts.values, counts.classes, known.classes))
    return tables


def level_logs(known: NaiveBayesModel) -> list[FloatArray]:
    """Return the log probabilities of the levels of each column, shape (classes, levels)."""
    return [np.ascontiguousarray(logs.T) for _, logs in _outcomes(known).by_column()]


def _outcomes(known: NaiveBayesModel) -> Outcomes:
    outcomes = known.terms[0].outcomes()
    assert outcomes is not None, "the estimators model counts of outcomes"
    return outcomes


def declare_levels(known: NaiveBayesModel, least: Sequence[int]) -> NaiveBayesModel:
    """Return the model with levels 0 … L − 1 declared, where L exceeds every observed code and is at least `least`.

    Parameters
    ----------
    known : NaiveBayesModel
        Model with one block of columns of level codes.
    least : sequence of ints, one for each column
    """
    (parts,) = known.parts
    declared: list[Counts] = []
    for counts, low in zip(parts, least, strict=True):
        assert isinstance(counts, Counts)
        codes = [code for code in counts.levels if isinstance(code, int)]
        size = max(low, max(codes, default=-1) + 1)
        if len(codes) == size and counts.levels.declared.all():
            declared.append(counts)
            continue
        nothing = np.zeros((len(counts.classes), size))
        axis = Axis(range(size), declared=True)
        declared.append(counts + Counts(counts.classes, axis, nothing, np.zeros((len(counts.classes), 1))))
    return replace(known, parts=(tuple(declared),))
