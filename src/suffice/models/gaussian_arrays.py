"""Mean and variance of every class and column, as a Gaussian block is read, in the unit of the data.

Symbols: a column's term is c − s (z − m)², z = (x − centre) · scale, so that σ² in z is 1/2s and the column's own
variance over all rows v = 1/scale².

    mean = centre + m/scale          variance = 1/(2 s scale²)          floor = var_smoothing · v

A constant column has no term: its mean is its value, its variance and floor are 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from suffice.likelihoods import Gaussian
from suffice.likelihoods.aligned import by_class
from suffice.likelihoods.terms import Quadratic
from suffice.models.naive_bayes import NaiveBayesModel
from suffice.statistics import Moments
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["GaussianArrays", "gaussian_arrays"]


class GaussianArrays(NamedTuple):
    """Mean and variance (classes × columns), and the least variance of each column."""

    mean: FloatArray
    variance: FloatArray
    floor: FloatArray


def gaussian_arrays(known: NaiveBayesModel) -> GaussianArrays:
    """Return the arrays of a model that is one Gaussian block, read with its parameters plugged in."""
    (block,) = known.schema.blocks
    ((moments,),) = known.parts
    assert isinstance(moments, Moments)
    assert isinstance(block.likelihood, Gaussian)
    seen = by_class(moments.weight, moments.classes, known.classes) > 0
    mean = by_class(moments.mean, moments.classes, known.classes).copy()
    variance, floor = np.zeros(mean.shape), np.zeros(mean.shape[1])
    place = {column: at for at, column in enumerate(block.columns)}
    for term in known.terms:
        assert isinstance(term, Quadratic)
        at = np.array([place[column] for column in term.columns], dtype=np.int64)
        # Where rows were seen their own mean is exact; where none were, the reading has another.
        mean[:, at] = np.where(seen[:, at], mean[:, at], term.centre + term.m.T / term.scale)
        variance[:, at] = 0.5 / term.s.T / term.scale**2
        floor[at] = block.likelihood.var_smoothing / term.scale**2
    return GaussianArrays(mean, variance, floor)
