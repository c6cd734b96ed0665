"""Gaussian or steps: which of the two a column's values speak for.

Symbols, for one column cut into K cells (cells.py), at most 16: N_ck weight of class c in cell k, n_c = Σ_k N_ck,
n = Σ_c n_c; P_ck the mass of cell k under the Gaussian's predictive of class c, a Student-t.

    of the values   G   the Gaussian's log evidence             H   that of the steps, given their edges
    of the cells    g = Σ N_ck ln P_ck − Σ_c ½ min(2, K − 1) ln(1 + n_c)      h = Σ_c ln B(α + N_c) − ln B(α)

    steps where     H − ½ (K + 1) ln(1 + n) > G     or     h − ½ K > g

G and H are densities of the same values, parameters integrated out, so they compare, but for the edges: those are read
from the values, and H takes them as given. Each is charged as a fitted parameter.

H also pays for being flat within a cell, most of all in the wide ones at the ends. That is nothing to a classifier: all
classes share the cells, so how values lie within a cell changes no class posterior. The second comparison leaves it
out, and asks which of the two foresees the cells that the values fall in. There the edges flatter the steps by half a
nat a cell (the log of a share between order statistics, m values apart, is on average 1/2m below that of m/n), and the
Gaussian is charged for its mean and variance as unit information does. A heavy tail, two humps or a value that many
rows share decide it; a column is Gaussian until its values say otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from suffice.conjugate import StudentT
from suffice.conjugate.special import stdtr, xlogy
from suffice.likelihoods.cells import Cells, evidence_of
from suffice.likelihoods.probabilities import log_evidence_of_each
from suffice.likelihoods.standardised import Standardised
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["MOST_CELLS", "speak_for_steps"]

MOST_CELLS = 16


def speak_for_steps(
    cells: Sequence[Cells], alphas: Sequence[FloatArray], smooth: FloatArray, values: Standardised, predictive: StudentT
) -> list[int]:
    """Return the positions of the columns to be read as steps.

    Parameters
    ----------
    cells, alphas
        The cells to compare on, and their prior counts.
    smooth : array (D)
        G of every column of the block.
    values, predictive
        The Gaussian's columns, and Student-t of each class and column of them in their unit (C, D').
    """
    place = {j: at for at, j in enumerate(values.columns.tolist())}
    of_values = evidence_of(cells, alphas) - [each.price for each in cells]
    found: list[int] = []
    for each, alpha, worth in zip(cells, alphas, of_values.tolist(), strict=True):
        at = place.get(each.column)
        if at is None:  # as good as constant: it says nothing either way
            continue
        foreseen = float(log_evidence_of_each(each.counts, alpha).sum()) - 0.5 * each.number
        if worth > smooth[each.column] or foreseen > _of_cells(each, at, values, predictive):
            found.append(each.column)
    return found


def _of_cells(cells: Cells, at: int, values: Standardised, predictive: StudentT) -> float:
    with np.errstate(over="ignore"):
        z = (cells.edges[1:-1] - values.centre[at]) / values.unit[at]
        z = (z - predictive.location[:, at, None]) / predictive.scale[:, at, None]
    degrees, one = predictive.degrees[:, at, None], np.ones((len(z), 1))
    # Both tails, so that a small mass on either side keeps its digits.
    below = np.concatenate([0 * one, stdtr(degrees, z), one], axis=1)
    above = np.concatenate([one, stdtr(degrees, -z), 0 * one], axis=1)
    mass = np.where(below[:, 1:] <= 0.5, np.diff(below, axis=1), -np.diff(above, axis=1))
    fitted = 0.5 * min(2, cells.number - 1) * np.log1p(cells.counts.sum(axis=1))
    return float(xlogy(cells.counts, np.maximum(mass, 0.0)).sum() - fitted.sum())
