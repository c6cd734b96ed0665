"""Columns together that share a matrix, its parameters plugged in (LDA): their log-odds are a sum over the columns.

Symbols: z and m_c of a row and of class c, from the mean of all rows; P = Σ⁻¹ of the columns that are known in the row.

    −½ (z − m_c)ᵀ P (z − m_c) = Σ_j (P m_c)_j (z_j − ½ m_cj) − ½ zᵀ P z          whose last term all classes share

What column j adds between two classes depends on where m is counted from; between two classes alone, from the mean of
their rows, it is (P (m_c − m_d))_j (z_j − ½ (m_cj + m_dj)): nothing half-way between them.
"""

from __future__ import annotations

import numpy as np

from suffice.likelihoods.terms import FullQuadratic
from suffice.likelihoods.whitening import whitened
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["added_by_columns", "is_linear"]


def is_linear(term: object) -> bool:
    """Say whether the term is a sum over its columns, but for what all classes share."""
    return isinstance(term, FullQuadratic) and len(term.matrices) == 1


def added_by_columns(term: FullQuadratic, x: FloatArray) -> FloatArray:
    """Return what the cells (n, D) add to each class, (n, D, C): nothing where missing."""
    z = (x - term.centre) * term.scale
    found = np.zeros((*x.shape, len(term.m)))
    patterns, group = np.unique(np.isnan(x), axis=0, return_inverse=True)
    for k, gap in enumerate(patterns):
        there = np.flatnonzero(~gap)
        if not len(there):
            continue
        rows = whitened(term.matrices[:1, there[:, None], there], term.least, drop=term.drop).rows[0]
        m: FloatArray = term.m[:, there]
        slope: FloatArray = (m @ rows.T) @ rows
        at = np.ix_(np.flatnonzero(group.ravel() == k), there)
        found[at] = slope.T * (z[at][..., None] - 0.5 * m.T)
    return found
