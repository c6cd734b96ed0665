"""Log-odds of a class against all others.

log o_c = log p_c − log Σ_{k≠c} p_k, both from the logs, so that odds of 1e300 to 1 keep every digit (ratios.py).
"""

from __future__ import annotations

import numpy as np

from suffice.decisions.ratios import log_of_others
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["log_odds"]


def log_odds(log_posterior: FloatArray) -> FloatArray:
    """Return log p(c|x) − log p(not c|x), rows × classes: +inf where no other class is possible, −inf where c is not.

    Examples
    --------
    >>> log_odds(np.log([[0.5, 0.25, 0.25]])).round(4)
    array([[ 0.    , -1.0986, -1.0986]])
    """
    rest = log_of_others(log_posterior)
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(log_posterior), -np.inf, log_posterior - rest)
