"""Log-odds of a class against all others.

log o_c = log p_c − log Σ_{k≠c} p_k, both from the logs, so that odds of 1e300 to 1 keep every digit.

Log-likelihood ratios: the evidence of a row, independent of the prior.

Symbols: l_c = log p(x | c), up to a constant per row; π the class prior.

    two classes    llr_1 = l_1 − l_0, llr_0 = −llr_1             for any prior
    more           llr_c = l_c − log Σ_{k≠c} π_k exp(l_k) / Σ_{k≠c} π_k      a class against the rest, under the prior
    posterior      log-odds of c given x = llr_c + log-odds of c before

If the prior of all other classes is 0, they have equal weights. The ratio is −inf if the row is impossible only under
c, +inf if it is possible only under c, and 0 if it is impossible under c and all others.

Units of log-odds and log-likelihood ratios.

nat       the factor e         x nats are x / ln 2 bits and 10 x / ln 10 decibans
bit       the factor 2
deciban   the factor 10^(1/10): 10 decibans multiply odds by ten, 3 nearly double them (I. J. Good)
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias, cast, get_args

import numpy as np

from suffice.errors import ParameterError
from suffice.statistics.arrays import FloatArray

__all__ = [
    "Unit",
    "from_unit",
    "in_unit",
    "log_likelihood_ratios",
    "log_odds",
    "log_of_others",
    "posterior_of",
    "unit_of",
]


def log_likelihood_ratios(log_likelihood: FloatArray, prior: FloatArray) -> FloatArray:
    """Return llr_c in nats, rows × classes.

    Parameters
    ----------
    log_likelihood : array, rows × classes
        log p(x | c), up to a constant per row; −inf is allowed.
    prior : array of C
        The probability of each class.

    Examples
    --------
    >>> log_likelihood_ratios(np.log([[0.2, 0.8]]), np.array([0.9, 0.1])).round(4)
    array([[-1.3863,  1.3863]])
    >>> log_likelihood_ratios(np.log([[0.2, 0.4, 0.4]]), np.array([0.5, 0.25, 0.25])).round(4)
    array([[-0.6931,  0.4055,  0.4055]])
    """
    rows, classes = log_likelihood.shape
    if classes < 2:
        return np.zeros((rows, classes))  # there are no other classes
    scaled = _scaled(log_likelihood)
    if classes == 2:  # with two classes, the rest is exactly the other class
        rest = scaled[:, ::-1]
    else:
        with np.errstate(divide="ignore"):
            logs = np.log(prior)
        if np.count_nonzero(prior) > 1:
            rest = log_of_others(scaled + logs) - log_of_others(logs[None])
        else:  # one class has all of the prior: its others have equal weights, and it is the rest of each other class
            only = int(np.argmax(prior))
            rest = np.repeat(scaled[:, [only]], classes, axis=1)
            rest[:, only] = _log_sum(np.delete(scaled, only, axis=1)) - np.log(classes - 1)
    nothing = np.isneginf(scaled) & np.isneginf(rest)
    with np.errstate(invalid="ignore"):
        return np.where(nothing, 0.0, scaled - rest)


def posterior_of(log_likelihood: FloatArray, prior: FloatArray) -> tuple[FloatArray, int]:
    """Return log p(c | x) under this prior, rows × classes, and the number of rows that are impossible under it.

    The posterior of such a row is the prior.
    """
    with np.errstate(divide="ignore"):
        log_prior = np.log(prior)
    joint = _scaled(log_likelihood) + log_prior
    total = _log_sum(joint)
    impossible = np.isneginf(total)
    joint[impossible] = log_prior
    total[impossible] = _log_sum(log_prior[None])
    return joint - total[:, None], int(impossible.sum())


def log_of_others(logs: FloatArray) -> FloatArray:
    """Return log Σ_{k≠c} exp(logs_k) for every class c, rows × classes; −inf if there is no other class.

    Sums from both ends leave one out without a subtraction. For the most probable class of a row, the others may be
    negligible in a running sum, so they are summed separately.
    """
    rows, classes = logs.shape
    at = np.argmax(logs, axis=1)[:, None]
    top = np.take_along_axis(logs, at, axis=1)
    shift = np.where(np.isfinite(top), top, 0.0)
    masses = np.exp(logs - shift)
    before, after = np.zeros((rows, classes)), np.zeros((rows, classes))
    np.cumsum(masses[:, :-1], axis=1, out=before[:, 1:])
    after[:, :-1] = np.cumsum(masses[:, :0:-1], axis=1)[:, ::-1]
    with np.errstate(divide="ignore"):
        found = shift + np.log(before + after)
    rest = logs.copy()
    np.put_along_axis(rest, at, -np.inf, axis=1)
    np.put_along_axis(found, at, _log_sum(rest)[:, None], axis=1)
    return found


def _scaled(logs: FloatArray) -> FloatArray:
    # The maximum of each row is 0, so that an uninformative row is all zeros and its ratios are exactly 0.
    top: FloatArray = logs.max(axis=1, keepdims=True, initial=-np.inf)
    return logs - np.where(np.isneginf(top), 0.0, top)


def _log_sum(logs: FloatArray) -> FloatArray:
    top: FloatArray = logs.max(axis=1, initial=-np.inf)
    shift = np.where(np.isneginf(top), 0.0, top)
    with np.errstate(divide="ignore"):
        return shift + np.log(np.exp(logs - shift[:, None]).sum(axis=1))


def log_odds(log_posterior: FloatArray) -> FloatArray:
    """Return log p(c|x) − log p(not c|x), rows × classes: +inf if no other class is possible, −inf if c is not.

    Examples
    --------
    >>> log_odds(np.log([[0.5, 0.25, 0.25]])).round(4)
    array([[ 0.    , -1.0986, -1.0986]])
    """
    rest = log_of_others(log_posterior)
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(log_posterior), -np.inf, log_posterior - rest)


Unit: TypeAlias = Literal["nats", "bits", "decibans"]

# The size of one unit in nats.
_NATS: dict[Unit, float] = {"nats": 1.0, "bits": math.log(2), "decibans": math.log(10) / 10}


def unit_of(given: object) -> Unit:
    """Return the name of a unit, validated."""
    if given not in get_args(Unit):
        raise ParameterError(f"unit must be 'nats', 'bits' or 'decibans': got {given!r}.")
    return cast("Unit", given)


def in_unit(nats: FloatArray, unit: Unit) -> FloatArray:
    """Convert from nats to another unit.

    Examples
    --------
    >>> import numpy as np
    >>> in_unit(np.log([10.0, 2.0]), "decibans").round(2), in_unit(np.log([8.0]), "bits")
    (array([10.  ,  3.01]), array([3.]))
    """
    return nats if unit == "nats" else nats / _NATS[unit]


def from_unit(value: float, unit: Unit) -> float:
    """Convert from another unit to nats."""
    return value * _NATS[unit]
