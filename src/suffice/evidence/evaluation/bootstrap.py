"""How far a number would move on other rows like these: the bootstrap of Efron.

A draw takes as many rows as there are, with replacement; a row that is drawn k times has k times its weight (k is
multinomial), so nothing that was sorted is sorted again. Rows that come in groups are drawn by whole groups, because
those of one group say less than as many others would. The interval is that between the quantiles (1 ∓ level)/2 of the
draws; a draw in which a number cannot be told (a class that was not drawn) is left out for that number. The model is
not fitted again: the interval is that of measuring, not of learning.

The expected calibration error adds up what bins are off by, chance included, and the minimum cost is the least of many:
drawn rows repeat each other, so that draws of the one are too high and of the other too low. Their intervals are moved
by as much as the middle of the draws is off, and end at 0 and 1.

Draws come in chunks, each with a generator of its own, spawned from the seed: the same on any number of threads.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from suffice.evidence.evaluation.metrics import NAMES, Measured, Metrics
from suffice.evidence.evaluation.predictions import Predictions
from suffice.machine import thread_count
from suffice.statistics.frozen_arrays import FloatArray
from suffice.statistics.totals import rescaled

__all__ = ["MOST_DRAWS", "Intervals", "bootstrap"]

MOST_DRAWS = 100_000  # each is kept until the quantiles are taken
_CHUNK = 16
_OFF = [NAMES.index(name) for name in ("expected_calibration_error", "minimum_detection_cost")]


class Intervals(NamedTuple):
    """Lower and upper bounds: 2 × the numbers of NAMES, and 2 × those of OF_CLASS × classes. NaN where unknown."""

    values: FloatArray
    of_class: FloatArray


def bootstrap(predictions: Predictions, metrics: Metrics, draws: int, level: float, seed: int) -> Intervals:
    """Return the interval of every number.

    Parameters
    ----------
    predictions : Predictions
    metrics : Metrics
        Of the predictions.
    draws : int ≥ 1
    level : float between 0 and 1
    seed : int ≥ 0
    """
    sizes = [min(_CHUNK, draws - start) for start in range(0, draws, _CHUNK)]
    seeds = np.random.SeedSequence(seed).spawn(len(sizes))
    weights = rescaled(predictions.weights)

    def chunk(at: int) -> list[Measured]:
        rng = np.random.default_rng(seeds[at])
        drawn = (_drawn(predictions, weights, rng) for _ in range(sizes[at]))
        return [metrics(some) for some in drawn if some.any()]

    threads = min(thread_count(), len(sizes))
    if threads > 1:
        with ThreadPoolExecutor(threads) as pool:
            found = list(pool.map(chunk, range(len(sizes))))
    else:
        found = [chunk(at) for at in range(len(sizes))]
    each = [draw for some in found for draw in some] or [metrics(weights)]  # of weights that are mostly 0
    tail = (1 - level) / 2
    values = np.array([values for values, _ in each])
    bounds = _quantiles(values, tail)
    there = [at for at in _OFF if not np.isnan(values[:, at]).all()]
    off = np.nanmedian(values[:, there], axis=0) - metrics(weights)[0][there]
    bounds[:, there] = np.clip(bounds[:, there] - off, 0.0, 1.0)
    return Intervals(bounds, _quantiles(np.array([of_class for _, of_class in each]), tail))


def _drawn(predictions: Predictions, weights: FloatArray, rng: np.random.Generator) -> FloatArray:
    units = predictions.units
    number = len(predictions.codes) if units is None else int(units.max()) + 1
    times = np.bincount(rng.integers(0, number, number), minlength=number)
    return weights * (times if units is None else times[units])


def _quantiles(draws: FloatArray, tail: float) -> FloatArray:
    # NaN sorts last: of each number the draws that tell it come first.
    ranked = np.sort(draws, axis=0)
    known = np.count_nonzero(~np.isnan(draws), axis=0)
    bounds = np.full((2, *draws.shape[1:]), np.nan)
    for at in np.ndindex(draws.shape[1:]):
        if known[at]:
            bounds[(slice(None), *at)] = np.quantile(ranked[(slice(known[at]), *at)], (tail, 1 - tail))
    return bounds
