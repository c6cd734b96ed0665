"""Columns of Student-t as terms: those whose exponents agree in every class share one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from suffice.likelihoods.aligned import table
from suffice.likelihoods.standardised import Standardised
from suffice.likelihoods.terms import Student
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["student_terms"]


def student_terms(
    names: Columns, values: Standardised, m: FloatArray, s: FloatArray, c: FloatArray, e: FloatArray
) -> Iterator[Student]:
    """Yield c − e ln(1 + (z − m)² s), arrays of shape (C, D): one term for all columns, unless cells are missing."""
    scale = 1 / values.unit
    if (e == e[:, :1]).all():
        yield Student(names, values.centre, scale, table(m), table(s), table(c), e[:, 0].copy())
        return
    distinct, group = np.unique(e, axis=1, return_inverse=True)
    for k in range(distinct.shape[1]):
        at = np.flatnonzero(group == k)
        columns = tuple(names[j] for j in at.tolist())
        tables = table(m[:, at]), table(s[:, at]), table(c[:, at])
        yield Student(columns, values.centre[at], scale[at], *tables, distinct[:, k].copy())
