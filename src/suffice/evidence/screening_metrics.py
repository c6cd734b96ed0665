"""How well scores do on rows whose class is known: the measures that screening chooses by.

Symbols: row i with weight w_i, class y_i and log p(c, x_i); W_c = Σ_{y_i = c} w_i.

    average precision   Σ_t (R_t − R_{t−1}) P_t over the distinct log-odds t of the positive class, falling; P_t and R_t
                        are precision and recall of "log-odds ≥ t". Rows of equal log-odds come together
    log loss            −Σ w_i ln p(y_i | x_i) / Σ w_i, in nats; the lower the better
    balanced accuracy   the mean over the classes of the share of their rows that is given to them

A row that is impossible under every class has the class prior as its posterior. A row whose class the model does not
know (code −1) is no positive one, has an infinite log loss, and belongs to a class that none is given to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

import numpy as np

from suffice.decisions import log_odds
from suffice.models.finishing import finished
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = [
    "METRICS",
    "Metric",
    "Score",
    "average_precision",
    "balanced_accuracy",
    "greater_is_better",
    "log_loss",
    "score_by",
]

Metric: TypeAlias = Literal["average_precision", "log_loss", "balanced_accuracy"]
METRICS: tuple[Metric, ...] = get_args(Metric)
Score: TypeAlias = Callable[[FloatArray, FloatArray, IntArray, FloatArray], float | None]


def greater_is_better(metric: Metric) -> bool:
    """Say whether a greater value is the better one."""
    return metric != "log_loss"


def score_by(metric: Metric, positive: int) -> Score:
    """Return a function of log p(c, x), log p(c), codes and weights; None where the rows leave it undefined.

    There is no average precision without a positive row and another one, and nothing without weight.
    """

    def score(joint: FloatArray, log_prior: FloatArray, codes: IntArray, weights: FloatArray) -> float | None:
        if not (weights > 0).any():
            return None
        log_posterior = finished(joint, log_prior, "log_posterior").values
        if metric == "log_loss":
            return log_loss(log_posterior, codes, weights)
        if metric == "balanced_accuracy":
            return balanced_accuracy(log_posterior, codes, weights)
        here = codes == positive
        if not weights[here].any() or not weights[~here].any():
            return None
        return average_precision(log_odds(log_posterior)[:, positive], here, weights)

    return score


def average_precision(odds: FloatArray, positive: FloatArray | IntArray, weights: FloatArray) -> float:
    """Return the average precision of rows ranked by their odds.

    Examples
    --------
    >>> average_precision(np.array([3.0, 2.0, 1.0]), np.array([True, False, True]), np.ones(3))  # ½ · 1 + ½ · ⅔
    0.8333333333333333
    """
    order = np.argsort(-odds, kind="stable")
    ranked = odds[order]
    last = np.append(ranked[1:] != ranked[:-1], True)  # of each run of equals
    heavy = weights[order]
    hits = np.cumsum(heavy * positive[order])[last]
    called = np.cumsum(heavy)[last]
    precision = np.divide(hits, called, out=np.zeros_like(hits), where=called > 0)
    return float((np.diff(hits, prepend=0.0) * precision).sum() / hits[-1])


def log_loss(log_posterior: FloatArray, codes: IntArray, weights: FloatArray) -> float:
    """Return the mean of −ln p(y | x) over the weight of the rows.

    Examples
    --------
    >>> round(log_loss(np.log([[0.5, 0.5], [0.2, 0.8]]), np.array([0, 1]), np.ones(2)), 4)
    0.4581
    """
    own = np.where(codes < 0, -np.inf, log_posterior[np.arange(len(codes)), codes])
    some = weights > 0
    with np.errstate(over="ignore"):  # a sum beyond the floats is an infinite loss
        return float(-(weights[some] * own[some]).sum() / weights[some].sum())


def balanced_accuracy(log_posterior: FloatArray, codes: IntArray, weights: FloatArray) -> float:
    """Return the mean share of each class that is given to it, over the classes that have rows.

    Examples
    --------
    >>> balanced_accuracy(np.log([[0.6, 0.4], [0.7, 0.3], [0.2, 0.8]]), np.array([0, 0, 1]), np.ones(3))
    1.0
    """
    right = weights * (log_posterior.argmax(axis=1) == codes)
    number = log_posterior.shape[1] + 1  # the last: of none that the model knows
    total = np.bincount(codes % number, weights, number)
    hits = np.bincount(codes % number, right, number)
    return float((hits[total > 0] / total[total > 0]).mean())
