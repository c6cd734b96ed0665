"""The expected evidence of a cell about its class: E_{x|c}[ln p(x | c) − ln p(x | rest of c)], in nats.

Symbols: N_c is the weight of the rows of class c; if fewer than two classes have rows, all have the same weight.

    rest          p(x | rest of c) = Σ_{c'≠c} N_c' p(x | c') / Σ_{c'≠c} N_c', all other classes pooled. It is computed
                  as the sum over the classes before and after c, never as a difference, so no digits cancel
    outcomes      Σ_k θ_ck (ln θ_ck − ln θ_rest,k), 0 · ln 0 = 0; exact, and inf if an outcome of c is impossible in
                  the rest
    real          ∫ p(x | c) (…) dx by the trapezoid rule in t, x = m_c + w_c sinh t, w_c the spread of class c, t in
                  steps of 1/16 from −T to T; T covers Student-t with one degree of freedom. Masses are normalised
    information   E_{x|c}[ln p(x | c) − ln p(x)], with all classes pooled instead of the rest; its mean over classes
                  is the mutual information of class and cell
    counts        Σ_x p(x | c) (…) over every integer within ten standard deviations of the mean if these are fewer
                  than 2,048, and over the integers nearest to the points above, each weighted by the integers that
                  are nearest to it

This is the Kullback–Leibler divergence of the class from the rest, so it is ≥ 0. The relative error is below 10⁻⁸, and
below 10⁻⁴ for counts above some thousands, unless a class is hundreds of times narrower than c and falls between the
points.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from suffice.conjugate.special import log_rising
from suffice.statistics.arrays import FloatArray, IntArray

__all__ = [
    "Other",
    "compute_log_weights",
    "count_divergence",
    "log_of_all",
    "log_of_rest",
    "outcome_divergence",
    "real_divergence",
    "weigh",
    "weigh_logs",
]

Other: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]

_STEP = 1 / 16
_CELLS_AT_ONCE = 2**21
_SPREADS, _MOST_COUNTS = 10, 2048


def compute_log_weights(weight: FloatArray) -> FloatArray:
    """Return the log weights with which classes are pooled, given the weight of the rows of each class (C)."""
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


def weigh(mass: FloatArray, log_ratio: FloatArray) -> FloatArray:
    """Return mass · log ratio, and 0 where the mass is 0, whatever the ratio."""
    return np.multiply(mass, log_ratio, out=np.zeros_like(log_ratio), where=mass > 0)


def weigh_logs(log_mass: FloatArray, log_ratio: FloatArray) -> FloatArray:
    """Return θ · ln(θ/θ_rest) of each outcome; the sum over a column is its divergence."""
    return weigh(np.exp(log_mass), log_ratio)


def outcome_divergence(logs: FloatArray, ratio: FloatArray, offsets: IntArray) -> FloatArray:
    """Return the divergence of every column and class, given ln θ of the outcomes and their log ratios (K, C).

    The outcomes of column j are between offsets[j] and offsets[j + 1].
    """
    terms = weigh_logs(logs, ratio)
    has_outcomes = np.diff(offsets) > 0  # reduceat would use the next row for a column without outcomes
    divergence = np.zeros((len(offsets) - 1, terms.shape[1]))
    if has_outcomes.any():
        divergence[has_outcomes] = np.add.reduceat(terms, offsets[:-1][has_outcomes], axis=0)
    return np.maximum(divergence, 0.0)


def real_divergence(
    m: FloatArray, s: FloatArray, c: FloatArray, e: FloatArray | None, log_weight: FloatArray, other: Other
) -> FloatArray:
    """Return the divergence of columns with densities exp(c − s (z − m)²), or exp(c − e ln(1 + s (z − m)²)), (D, C)."""
    divergence = np.zeros(m.shape)
    for k in range(len(log_weight)):
        t = _points(3 + (0.0 if e is None else 35 / (2 * float(e[k]) - 1)))
        curvature = s[:, k] * (2.0 if e is None else 2 * e[k])
        step = max(1, _CELLS_AT_ONCE // (len(t) * len(log_weight)))
        for start in range(0, len(divergence), step):
            columns = slice(start, start + step)
            z = m[columns, k, None] + np.sinh(t) / np.sqrt(curvature[columns, None])
            squares = (z[..., None] - m[columns, None]) ** 2 * s[columns, None]
            logs = c[columns, None] - (squares if e is None else np.log1p(squares) * e)
            mass = np.exp(logs[..., k] - logs[..., k].max(axis=1, keepdims=True)) * np.cosh(t)
            divergence[columns, k] = _one_class(mass, logs, k, log_weight, other)
    return divergence


def count_divergence(
    mean: FloatArray,
    spread: FloatArray,
    logs_of: Callable[[int, FloatArray], FloatArray],
    log_weight: FloatArray,
    other: Other,
) -> FloatArray:
    """Return the divergence of count columns with these means and standard deviations (D, C).

    `logs_of` returns ln p(x | c) + ln x! of the counts x of a column, of shape (n, C).
    """
    t = _points(8.0)
    divergence = np.zeros(mean.shape)
    for j in range(len(divergence)):
        for c in range(len(log_weight)):
            x = _integers(float(mean[j, c]), float(spread[j, c]), t)
            logs = logs_of(j, x)
            # The weight of each point: itself, and the integers up to half-way to its neighbours.
            gaps = np.diff(x)
            width = 0.5 * (np.concatenate([[1.0], gaps]) + np.concatenate([gaps, [1.0]]))
            log_mass = logs[:, c] - log_rising(np.ones(len(x)), x)
            mass = np.exp(log_mass - log_mass.max()) * width
            divergence[j, c] = _one_class(mass, logs, c, log_weight, other)
    return divergence


def _points(far: float) -> FloatArray:
    steps = math.ceil(far / _STEP)
    return np.linspace(-steps * _STEP, steps * _STEP, 2 * steps + 1)


def _integers(mean: float, spread: float, t: FloatArray) -> FloatArray:
    points = np.rint(mean + spread * np.sinh(t))
    low, high = max(0.0, math.floor(mean - _SPREADS * spread)), math.ceil(mean + _SPREADS * spread) + 32
    if not high - low <= _MOST_COUNTS or high > 2**53:  # beyond, not every integer is a float
        low, high = 0.0, 32
    return np.unique(np.concatenate([points[points >= 0], np.arange(low, high + 1.0)]))


def _one_class(mass: FloatArray, logs: FloatArray, c: int, log_weight: FloatArray, other: Other) -> npt.NDArray[Any]:
    ratio = logs[..., c] - other(logs, log_weight)[..., c]
    total = mass / mass.sum(axis=-1, keepdims=True)
    return np.maximum(weigh(total, ratio).sum(axis=-1), 0.0)


def _without_each(logs: FloatArray) -> FloatArray:
    nothing = np.full((*logs.shape[:-1], 1), -np.inf)
    before = np.logaddexp.accumulate(logs, axis=-1)[..., :-1]
    after = np.logaddexp.accumulate(logs[..., ::-1], axis=-1)[..., -2::-1]
    return np.logaddexp(np.concatenate([nothing, before], axis=-1), np.concatenate([after, nothing], axis=-1))
