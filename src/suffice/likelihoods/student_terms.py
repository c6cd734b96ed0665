"""Columns of Student-t as terms: those whose exponents agree in every class share one."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from suffice.conjugate.log_gamma import log_rising
from suffice.likelihoods.aligned import table
from suffice.likelihoods.gaussian_posterior import Posterior
from suffice.likelihoods.standardised import Standardised
from suffice.likelihoods.terms import Student
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["posterior_terms", "student_terms"]


def posterior_terms(names: Columns, values: Standardised, after: Posterior) -> Iterator[Student]:
    """Yield what a posterior says of one more row, its parameters integrated out (gaussian_posterior.py)."""
    wider = after.b * ((after.kappa + 1) / after.kappa)
    c = log_rising(after.a, np.asarray(0.5)) - 0.5 * np.log(2 * math.pi * wider) - np.log(values.unit)
    return student_terms(names, values, after.m, 0.5 / wider, c, after.a + 0.5)


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
