"""Levels that count although no row has them: the counts of each column with codes 0 … L−1 declared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from suffice.models.naive_bayes import NaiveBayesModel
from suffice.statistics import Axis, Counts

__all__ = ["declare_levels"]


def declare_levels(known: NaiveBayesModel, least: Sequence[int]) -> NaiveBayesModel:
    """Return the model in which every code below the greatest seen, and below `least` of the column, is a level.

    Parameters
    ----------
    known : NaiveBayesModel
        One block of columns of level codes.
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
