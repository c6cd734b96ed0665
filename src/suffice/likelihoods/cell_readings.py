"""Masses of cells, read: the steps of the density, and the table of their probabilities with their intervals.

Symbols as in cells.py; θ the masses of the cells of a column in a class, read from N and α (probabilities.py).

    density in cell k   θ_k / width_k
    shown as            [e_{k−1}, e_k), the last cell with its end, in the fewest digits that keep the edges apart
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from suffice.likelihoods import probabilities as outcomes
from suffice.likelihoods.aligned import table
from suffice.likelihoods.cells import Cells
from suffice.likelihoods.likelihood import Parameter, Seen
from suffice.likelihoods.terms import Steps
from suffice.likelihoods.terms.reals import intervals_shown
from suffice.likelihoods.uncertain import DirichletTerm, require_posterior
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["masses_of", "steps_of", "symmetric_alphas", "uncertain_steps"]


def symmetric_alphas(by_column: FloatArray, cells: Sequence[Cells]) -> list[FloatArray]:
    """Return prior counts (C, K) of the cells of each column, given one number per class and column (C, D)."""
    return [np.broadcast_to(by_column[:, each.column, None], each.counts.shape) for each in cells]


def steps_of(seen: Seen, cells: Sequence[Cells], alphas: Sequence[FloatArray]) -> tuple[Steps, ...]:
    """Return the logs of the densities as a term; none where no column has cells."""
    if not cells:
        return ()
    logs = [
        outcomes.log_probabilities(each.counts, alpha, seen.reading.estimate) - each.log_width
        for each, alpha in zip(cells, alphas, strict=True)
    ]
    return (_term(seen, cells, logs),)


def uncertain_steps(seen: Seen, cells: Sequence[Cells], alphas: Sequence[FloatArray]) -> tuple[DirichletTerm, ...]:
    """Return Dir(α + N) of the masses of the cells of each class and column; none where no column has cells."""
    if not cells:
        return ()
    for each, alpha in zip(cells, alphas, strict=True):
        require_posterior(alpha, seen.columns[each.column :])
    after = tuple(each.counts + alpha for each, alpha in zip(cells, alphas, strict=True))
    return (DirichletTerm(after, lambda logs: _term(seen, cells, logs), tuple(-each.log_width for each in cells)),)


def _term(seen: Seen, cells: Sequence[Cells], logs: Sequence[FloatArray]) -> Steps:
    names = tuple(seen.columns[each.column] for each in cells)
    spans = tuple(each.edges for each in cells)
    return Steps(names, tuple(edges[1:-1] for edges in spans), table(np.concatenate(logs, axis=1)), spans)


def masses_of(seen: Seen, cells: Sequence[Cells], alphas: Sequence[FloatArray], credible: float) -> Iterator[Parameter]:
    """Yield the probability of every class, column and cell."""
    estimate = seen.reading.estimate
    for each, alpha in zip(cells, alphas, strict=True):
        values = outcomes.probabilities(each.counts, alpha, estimate)
        lower, upper = outcomes.intervals(each.counts, alpha, credible)
        shown = intervals_shown(each.edges)
        for c, label in enumerate(seen.classes):
            for k, interval in enumerate(shown):
                three = float(values[c, k]), float(lower[c, k]), float(upper[c, k])
                yield Parameter(label, seen.columns[each.column], interval, "probability", estimate, *three)
