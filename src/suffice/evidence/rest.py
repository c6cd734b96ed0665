"""All classes but one, as one: p(x | rest of c) = Σ_{c'≠c} N_c' p(x | c') / Σ_{c'≠c} N_c'.

Symbols: N_c weight of the rows of class c. Where fewer than two classes have rows, all count alike.
What is left without c is the sum of those before and those after it, never a difference, so no digit cancels.
"""

from __future__ import annotations

import numpy as np

from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["log_of_all", "log_of_rest", "shares"]


def shares(weight: FloatArray) -> FloatArray:
    """Return the logs of the weights with which classes are pooled, given the weight of the rows of each (C)."""
    with np.errstate(divide="ignore"):
        return np.log(weight) if np.count_nonzero(weight) >= 2 else np.zeros(len(weight))


def log_of_rest(logs: FloatArray, log_weight: FloatArray) -> FloatArray:
    """Return log p(x | rest of c) for every class, given log p(x | c) of shape (…, C) with two classes or more.

    Examples
    --------
    >>> log_of_rest(np.log([0.5, 0.2, 0.1]), np.log([1.0, 3.0, 1.0]))  # ln of (0.6 + 0.1)/4, 0.6/2, 1.1/4
    array([-1.74296931, -1.2039728 , -1.29098418])
    """
    return _without_each(logs + log_weight) - _without_each(log_weight)


def log_of_all(logs: FloatArray, log_weight: FloatArray) -> FloatArray:
    """Return log p(x) = log Σ_c N_c p(x | c)/Σ_c N_c for every class, the same for each, of shape (…, C).

    Examples
    --------
    >>> log_of_all(np.log([0.5, 0.2]), np.log([1.0, 3.0]))  # ln of 1.1/4
    array([-1.29098418, -1.29098418])
    """
    total = np.logaddexp.reduce(logs + log_weight, axis=-1, keepdims=True) - np.logaddexp.reduce(log_weight)
    return np.broadcast_to(total, logs.shape)


def _without_each(logs: FloatArray) -> FloatArray:
    nothing = np.full((*logs.shape[:-1], 1), -np.inf)
    before = np.logaddexp.accumulate(logs, axis=-1)[..., :-1]
    after = np.logaddexp.accumulate(logs[..., ::-1], axis=-1)[..., -2::-1]
    return np.logaddexp(np.concatenate([nothing, before], axis=-1), np.concatenate([after, nothing], axis=-1))
