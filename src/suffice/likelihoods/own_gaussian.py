"""Gaussian columns without the row that is scored: the formulas of own_terms.py over the posterior of every class.

Symbols as there; what a class has not enough of to take a row out is never asked for, and is 0 or 1 here.
"""

from __future__ import annotations

import math

import numpy as np

from suffice.conjugate.log_gamma import log_rising
from suffice.likelihoods.aligned import table
from suffice.likelihoods.gaussian_posterior import Posterior, Prior, posterior
from suffice.likelihoods.own_terms import OwnNormal
from suffice.likelihoods.standardised import Standardised
from suffice.likelihoods.student_terms import student_terms
from suffice.likelihoods.terms import Student
from suffice.plan import Estimate
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import BoolArray, FloatArray

__all__ = ["own_values"]

_ROUNDING = 2.0**-40  # weights that are not whole leave so much of their sum behind


def own_values(
    names: Columns, values: Standardised, prior: Prior, estimate: Estimate, unit: float, least: float
) -> tuple[OwnNormal | Student, ...]:
    """Return the terms of a reading with a variance for each class, without the row."""
    if estimate == "mle":
        prior = prior.nothing()
    after = posterior(values, prior, shared=False)
    if estimate == "predictive":
        return _students(names, values, after, unit)
    return (_normal(names, values, prior, after, estimate, unit, least),)


def _students(names: Columns, values: Standardised, after: Posterior, unit: float) -> tuple[Student, ...]:
    # One logarithm where a whole unit is taken out, else two.
    enough = values.weight >= unit * (1 - _ROUNDING)
    kappa, a = _where(enough, after.kappa - unit), _where(enough, after.a - unit / 2)
    gamma = np.where(enough, unit / (2 * after.b) * (after.kappa / kappa), 0.0)
    wider = after.b * ((kappa + 1) / kappa)
    c = log_rising(a, np.asarray(0.5)) - 0.5 * np.log(2 * math.pi * wider) - np.log(values.unit)
    terms = tuple(student_terms(names, values, after.m, -gamma, c, -a))
    if unit == 1.0:
        return terms
    eta = after.kappa / (2 * after.b) * (after.kappa / kappa / (kappa + 1))
    more = np.where(enough, np.maximum(eta - gamma, 0.0), 0.0)
    return *terms, *student_terms(names, values, after.m, more, np.zeros_like(c), a + 0.5)


def _normal(
    names: Columns,
    values: Standardised,
    prior: Prior,
    after: Posterior,
    estimate: Estimate,
    unit: float,
    least: float,
) -> OwnNormal:
    enough = values.weight >= unit * (1 - _ROUNDING)
    left = enough & (after.kappa - unit > _ROUNDING * after.kappa)  # else nothing at all is left, and no prior either
    kappa, a = _where(left, after.kappa - unit), after.a - unit / 2
    # In quotients that neither overflow nor vanish, however little the class weighs.
    if estimate == "map":
        divisor = _where(left, a) + after.of_mode
    elif estimate == "mean":
        divisor = np.where(a > 1, a - 1, _where(left, a) * (kappa / (kappa + 1)))
    else:
        divisor = _where(left, a)
    some = left & (after.b > 0)
    rho = np.where(left, after.kappa / kappa, 1.0)
    gamma = np.where(some, unit / (2 * np.where(some, after.b, 1.0)) * rho, 0.0)
    m, variance = np.where(left, after.m, prior.m), np.where(left, after.b / divisor, 1.0)
    return OwnNormal(
        names,
        values.centre,
        1 / values.unit,
        np.log(values.unit),
        table(m),
        table(rho),
        table(variance),
        table(gamma),
        least,
    )


def _where(enough: BoolArray, values: FloatArray) -> FloatArray:
    return np.where(enough & (values > 0), values, 1.0)
