"""Log-likelihood ratios: what a row says, whatever was believed before.

Symbols: l_c = log p(x | c), up to what is the same for all classes of a row; π the class prior.

    two classes    llr_1 = l_1 − l_0, llr_0 = −llr_1             whatever the prior
    more           llr_c = l_c − log Σ_{k≠c} π_k exp(l_k) / Σ_{k≠c} π_k      a class against the rest, under the prior
    posterior      log-odds of c given x = llr_c + log-odds of c before

Where the prior of all other classes is 0 they weigh alike. What is impossible under c alone is −inf, what is possible
under c alone +inf, and a row that is impossible on both sides says nothing: 0.
"""

from __future__ import annotations

import numpy as np

from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["log_likelihood_ratios", "posterior_of"]


def log_likelihood_ratios(log_likelihood: FloatArray, prior: FloatArray) -> FloatArray:
    """Return llr_c in nats, rows × classes.

    Parameters
    ----------
    log_likelihood : array, rows × classes
        log p(x | c), or anything that differs from it by a number for each row; −inf is allowed.
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
    found = np.zeros((rows, classes))
    scaled = _scaled(log_likelihood)
    for c in range(classes):
        others = np.arange(classes) != c
        weights = prior[others]
        if not weights.any():
            weights = np.ones(classes - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(weights)
            # One other class is the rest by itself, to the last bit.
            rest = scaled[:, 1 - c] if classes == 2 else _log_sum(scaled[:, others] + logs) - _log_sum(logs[None])
            found[:, c] = scaled[:, c] - rest
        if classes == 1:
            found[:, c] = 0.0  # there is no rest to speak against
        found[np.isneginf(scaled[:, c]) & np.isneginf(rest), c] = 0.0
    return found


def posterior_of(log_likelihood: FloatArray, prior: FloatArray) -> tuple[FloatArray, int]:
    """Return log p(c | x) under this prior, rows × classes, and how many rows are impossible under it.

    Such a row has the prior for its posterior.
    """
    with np.errstate(divide="ignore"):
        log_prior = np.log(prior)
    joint = _scaled(log_likelihood) + log_prior
    total = _log_sum(joint)
    impossible = np.isneginf(total)
    joint[impossible] = log_prior
    total[impossible] = _log_sum(log_prior[None])
    return joint - total[:, None], int(impossible.sum())


def _scaled(logs: FloatArray) -> FloatArray:
    # The greatest of a row at 0, so that a row that says nothing is all zeros and its ratios are 0 to the bit.
    top: FloatArray = logs.max(axis=1, keepdims=True, initial=-np.inf)
    return logs - np.where(np.isneginf(top), 0.0, top)


def _log_sum(logs: FloatArray) -> FloatArray:
    top: FloatArray = logs.max(axis=1, initial=-np.inf)
    shift = np.where(np.isneginf(top), 0.0, top)
    with np.errstate(divide="ignore"):
        return shift + np.log(np.exp(logs - shift[:, None]).sum(axis=1))
