"""Several Gaussian columns without the row that is scored: the factors of own_terms.py, from a posterior with it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from suffice.likelihoods.own_terms import OwnEllipse
from suffice.likelihoods.standardised_scatter import StandardisedScatter
from suffice.likelihoods.wishart_posterior import WishartPosterior
from suffice.plan import Estimate
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["own_ellipse"]


def own_ellipse(
    names: Columns,
    values: StandardisedScatter,
    after: WishartPosterior,
    estimate: Estimate,
    unit: float,
    divisor: float,
) -> OwnEllipse:
    """Return the term; of the mle `after` holds n, S and Σ n, and the divisor is 1."""
    some = after.kappa - unit > 2.0**-40 * after.kappa
    kappa = np.where(some, after.kappa - unit, after.kappa)
    nu = np.maximum(after.nu - unit, 0.0)
    without = replace(after, nu=nu)
    if divisor:
        factor = 1 / np.where(nu > 0, nu, 1.0)
        own, other, degrees = factor, factor, None
    elif estimate == "predictive":
        own, other = (_factor(replace(without, kappa=each).predictive_scale(), after) for each in (kappa, after.kappa))
        degrees = np.broadcast_to(without.degrees, after.kappa.shape).copy()
    else:
        read = {"map": WishartPosterior.mode, "mean": WishartPosterior.mean}.get(estimate, WishartPosterior.smoothed)
        own, other = (_factor(read(replace(without, kappa=each)), after) for each in (kappa, after.kappa))
        degrees = None
    own, other = (np.broadcast_to(each, after.kappa.shape).copy() for each in (own, other))
    spin = np.where(some, after.kappa / kappa, 0.0)
    return OwnEllipse(names, values.centre, 1 / values.unit, after.m, after.psi, spin, own, other, degrees, unit)


def _factor(read: FloatArray, after: WishartPosterior) -> FloatArray:
    # By how much the matrix that is read differs from Ψ', class by class.
    return np.trace(read, axis1=1, axis2=2) / np.trace(after.psi, axis1=1, axis2=2)
