"""Log-odds of a class against all others.

log o_c = log p_c − log Σ_{k≠c} p_k, from log p_c alone where that is far from 0, and from the others where it is not.
"""

from __future__ import annotations

import numpy as np

from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["log_odds"]


def log_odds(log_posterior: FloatArray) -> FloatArray:
    """Return log p(c|x) − log p(not c|x), rows × classes: +inf where no other class is possible, −inf where c is not.

    Examples
    --------
    >>> log_odds(np.log([[0.5, 0.25, 0.25]])).round(4)
    array([[ 0.    , -1.0986, -1.0986]])
    """
    rows, classes = log_posterior.shape
    odds = np.empty_like(log_posterior)
    for c in range(classes):
        others = np.delete(log_posterior, c, axis=1)
        greatest = others.max(axis=1, initial=-np.inf)
        shift = np.where(np.isfinite(greatest), greatest, 0.0)
        with np.errstate(divide="ignore"):
            rest = shift + np.log(np.exp(others - shift[:, None]).sum(axis=1))
        odds[:, c] = np.where(np.isneginf(log_posterior[:, c]), -np.inf, log_posterior[:, c] - rest)
    return odds if rows else odds.reshape(0, classes)
