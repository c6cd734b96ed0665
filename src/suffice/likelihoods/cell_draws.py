"""Real numbers drawn from a density of steps: a cell by its mass, and a number within it, each alike.

Symbols: edges e_0 < … < e_K of a column, masses θ_c(k) of the cells, u uniform from 0 to 1.

    x = (1 − u) e_{k−1} + u e_k          kept below e_k, which belongs to the next cell
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from suffice.likelihoods import probabilities as outcomes
from suffice.likelihoods.cells import Cells
from suffice.likelihoods.draws import Draw, outcomes_drawn, theta_drawn
from suffice.likelihoods.likelihood import Seen
from suffice.statistics import Bins
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["lone_values", "steps_drawn"]


def steps_drawn(seen: Seen, cells: Sequence[Cells], alphas: Sequence[FloatArray], draw: Draw) -> Iterator[FloatArray]:
    """Yield the numbers of each column that has cells."""
    for each, alpha in zip(cells, alphas, strict=True):
        read = outcomes.probabilities(each.counts, alpha, seen.reading.estimate)
        codes = outcomes_drawn(theta_drawn(each.counts, alpha, read, draw, seen.columns[each.column :]), draw)
        low, high, u = each.edges[codes], each.edges[codes + 1], draw.rng.random(draw.rows)
        yield np.clip((1 - u) * low + u * high, low, np.nextafter(high, low))


def lone_values(bins: Bins) -> list[float]:
    """Return the value of each column that has one alone (±inf too), NaN for the others."""
    lower, found = bins.lower(), list[float]()
    below, above = bins.below.sum(axis=0), bins.above.sum(axis=0)
    ends: list[int] = bins.offsets.tolist()
    for j, (start, end) in enumerate(pairwise(ends)):
        if end - start == 1:
            found.append(float(lower[start]))
        else:
            found.append(np.inf if above[j] > below[j] else -np.inf if below[j] > 0 else np.nan)
    return found
