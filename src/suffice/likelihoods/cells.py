"""Cells of a histogram: each column cut into cells of nearly equal mass, and the weight of each class in each cell.

Symbols, for one column: cells 1 … K between edges e_0 < e_1 < … < e_K, N_ck the weight of class c in cell k.

    edges      those of bin_readings.py, from the finite values of all classes together: a cut stands half-way between
               the last fine bin of one cell and the first of the next, so x → s x + t moves it along
    N_ck       a value outside falls in the nearest end cell; −inf counts in the first cell and inf in the last
    width      e_k − e_{k−1}, kept as its log, which is finite for any two floats
    evidence   Σ_c [ln B(α_c + N_c) − ln B(α_c)] − Σ_ck N_ck ln width_k, the edges taken as given
    price      ½ (K + 1) ln(1 + n), n = Σ N_ck: what an honest evidence takes off for edges that the data chose

The edges are read from the same data, and cells of few values are narrow by chance: cells of one value each gain 0.58
nats a value that mean nothing. Each edge is therefore charged ½ ln(1 + n), as unit information charges every
parameter that is fitted to n values (BIC; Schwarz 1978). A column of fewer than two fine bins has no cells.

A number is drawn by its cell's mass, and each alike within the cell: x = (1 − u) e_{k−1} + u e_k, u uniform from 0 to
1, kept below e_k, which belongs to the next cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np

from suffice.likelihoods import probabilities as outcomes
from suffice.likelihoods.aligned import by_class
from suffice.likelihoods.draws import Draw, outcomes_drawn, theta_drawn
from suffice.likelihoods.likelihood import Seen
from suffice.likelihoods.probabilities import MOST_COUNT, log_evidence_of_each
from suffice.likelihoods.terms.reals import log_widths
from suffice.statistics import Axis, Bins
from suffice.statistics.bin_readings import cell_masses, equal_mass_cuts, summable
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["Cells", "cells_of", "evidence_of", "known_weight", "lone_values", "steps_drawn"]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells of one column: its position in the block, edges (K + 1), weights (C, K), logs of the widths (K)."""

    column: int
    edges: FloatArray
    counts: FloatArray
    log_width: FloatArray

    @property
    def number(self) -> int:
        """How many cells there are."""
        return len(self.log_width)

    @property
    def price(self) -> float:
        """What the edges cost."""
        with np.errstate(over="ignore"):  # weights that are finite in each class may not be so together
            return 0.5 * len(self.edges) * float(np.log1p(self.counts.sum()))


def cells_of(bins: Bins, classes: Axis, *numbers: int) -> list[list[Cells]]:
    """Return, for each of the numbers, at most so many cells of each column that has two values or more."""
    lower, upper = bins.lower(), bins.upper()
    counts = by_class(bins.counts, bins.classes, classes)
    below, above = (by_class(each, bins.classes, classes) for each in (bins.below, bins.above))
    found: list[list[Cells]] = [[] for _ in numbers]
    ends: list[int] = bins.offsets.tolist()
    for j, (start, end) in enumerate(pairwise(ends)):
        if end - start < 2:
            continue
        here = slice(start, end)
        weight, low, high = counts[:, here], lower[here], upper[here]
        pooled = summable(weight).sum(axis=0)
        for number, cells in zip(numbers, found, strict=True):
            edges = equal_mass_cuts(number, pooled, low, high)
            masses = cell_masses(edges, weight, low)
            masses[:, 0] += below[:, j]
            masses[:, -1] += above[:, j]
            cells.append(Cells(j, edges, masses, log_widths(edges)))
    return found


def evidence_of(cells: Sequence[Cells], alphas: Sequence[FloatArray]) -> FloatArray:
    """Return the log evidence of each column, given prior counts (C, K) of each."""
    found = np.zeros(len(cells))
    by_number: dict[int, list[int]] = {}
    for at, each in enumerate(cells):
        by_number.setdefault(each.number, []).append(at)
    for group in by_number.values():  # columns of as many cells together: one call for all
        counts = np.minimum(np.stack([cells[at].counts for at in group]), MOST_COUNT)
        of_masses = log_evidence_of_each(counts, np.stack([alphas[at] for at in group]))
        log_width = np.stack([cells[at].log_width for at in group])
        found[group] = of_masses.sum(axis=1) - (counts * log_width[:, None]).sum(axis=(1, 2))
    return found


def known_weight(bins: Bins, classes: Axis) -> FloatArray:
    """Return the weight of the known cells per class and column (C, D), infinite ones included."""
    ends: list[int] = bins.offsets.tolist()
    finite = [bins.counts[:, start:end].sum(axis=1) for start, end in pairwise(ends)]
    known = np.stack(finite, axis=1) if finite else np.zeros_like(bins.below)
    return by_class(known + bins.below + bins.above, bins.classes, classes)


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
