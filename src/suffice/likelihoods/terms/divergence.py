"""What a cell says on average about its class: E_{x|c}[ln p(x | c) − ln p(x | rest of c)], in nats.

Symbols: N_c weight of the rows of class c; where fewer than two classes have rows, all count alike.

    rest        p(x | rest of c) = Σ_{c'≠c} N_c' p(x | c') / Σ_{c'≠c} N_c', all classes but one as one: the sum of those
                before and those after it, never a difference, so no digit cancels
    outcomes    Σ_k θ_ck (ln θ_ck − ln θ_rest,k), 0 · ln 0 = 0; exact, and inf where the rest cannot show what c does
    real        ∫ p(x | c) (…) dx by the trapezoid rule in t, x = m_c + w_c sinh t, w_c the spread of class c, t in
                steps of 1/16 from −T to T; T covers Student-t of one degree. Weights are divided by their sum.
    information E_{x|c}[ln p(x | c) − ln p(x)] in place of the rest all classes together, whose mean over the classes is
                the mutual information of class and cell
    counts      Σ_x p(x | c) (…) over every whole number within ten spreads of the mean where they are fewer than 2,048,
                and over those next to the points above, each standing for the numbers nearest to it

It is the Kullback–Leibler divergence of the class from the rest, so it is ≥ 0. It is exact to 10⁻⁸ of itself, of counts
above some thousands to 10⁻⁴, unless a class is hundreds of times narrower than c: the points may step over it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from suffice.conjugate.log_gamma import log_rising
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = [
    "Other",
    "count_divergence",
    "log_of_all",
    "log_of_rest",
    "masses_times",
    "outcome_divergence",
    "real_divergence",
    "shares",
    "times",
]

Other: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]

_STEP = 1 / 16
_CELLS_AT_ONCE = 2**21
_SPREADS, _MOST_COUNTS = 10, 2048


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


def times(mass: FloatArray, log_ratio: FloatArray) -> FloatArray:
    """Return mass · ratio; what has no mass adds nothing, whatever its ratio."""
    return np.multiply(mass, log_ratio, out=np.zeros_like(log_ratio), where=mass > 0)


def masses_times(log_mass: FloatArray, log_ratio: FloatArray) -> FloatArray:
    """Return θ · ln(θ/θ_rest) of each outcome: their sum over a column is its divergence."""
    return times(np.exp(log_mass), log_ratio)


def outcome_divergence(logs: FloatArray, ratio: FloatArray, offsets: IntArray) -> FloatArray:
    """Return the divergence of every column and class, given ln θ of their outcomes and its log ratio (K, C).

    The outcomes of column j are between offsets[j] and offsets[j + 1].
    """
    terms = masses_times(logs, ratio)
    some = np.diff(offsets) > 0  # reduceat would take the next row for a column without outcomes
    found = np.zeros((len(offsets) - 1, terms.shape[1]))
    if some.any():
        found[some] = np.add.reduceat(terms, offsets[:-1][some], axis=0)
    return np.maximum(found, 0.0)


def real_divergence(
    m: FloatArray, s: FloatArray, c: FloatArray, e: FloatArray | None, log_weight: FloatArray, other: Other
) -> FloatArray:
    """Return the divergence of columns of densities exp(c − s (z − m)²), or exp(c − e ln(1 + s (z − m)²)), (D, C)."""
    found = np.zeros(m.shape)
    for at in range(len(log_weight)):
        t = _points(3 + (0.0 if e is None else 35 / (2 * float(e[at]) - 1)))
        curvature = s[:, at] * (2.0 if e is None else 2 * e[at])
        step = max(1, _CELLS_AT_ONCE // (len(t) * len(log_weight)))
        for start in range(0, len(found), step):
            some = slice(start, start + step)
            z = m[some, at, None] + np.sinh(t) / np.sqrt(curvature[some, None])
            squares = (z[..., None] - m[some, None]) ** 2 * s[some, None]
            logs = c[some, None] - (squares if e is None else np.log1p(squares) * e)
            mass = np.exp(logs[..., at] - logs[..., at].max(axis=1, keepdims=True)) * np.cosh(t)
            found[some, at] = _one_class(mass, logs, at, log_weight, other)
    return found


def count_divergence(
    mean: FloatArray,
    spread: FloatArray,
    logs_of: Callable[[int, FloatArray], FloatArray],
    log_weight: FloatArray,
    other: Other,
) -> FloatArray:
    """Return the divergence of columns of counts of that mean and spread (D, C).

    `logs_of` gives ln p(x | c) + ln x! of the counts x of a column, of shape (n, C).
    """
    t = _points(8.0)
    found = np.zeros(mean.shape)
    for j in range(len(found)):
        for c in range(len(log_weight)):
            x = _whole_numbers(float(mean[j, c]), float(spread[j, c]), t)
            logs = logs_of(j, x)
            # Each stands for the whole numbers nearest to it: half of the way to its neighbours, and itself.
            gaps = np.diff(x)
            stands_for = 0.5 * (np.concatenate([[1.0], gaps]) + np.concatenate([gaps, [1.0]]))
            here = logs[:, c] - log_rising(np.ones(len(x)), x)
            mass = np.exp(here - here.max()) * stands_for
            found[j, c] = _one_class(mass, logs, c, log_weight, other)
    return found


def _points(far: float) -> FloatArray:
    steps = math.ceil(far / _STEP)
    return np.linspace(-steps * _STEP, steps * _STEP, 2 * steps + 1)


def _whole_numbers(mean: float, spread: float, t: FloatArray) -> FloatArray:
    points = np.rint(mean + spread * np.sinh(t))
    low, high = max(0.0, math.floor(mean - _SPREADS * spread)), math.ceil(mean + _SPREADS * spread) + 32
    if not high - low <= _MOST_COUNTS or high > 2**53:  # beyond, there are fewer floats than whole numbers
        low, high = 0.0, 32
    return np.unique(np.concatenate([points[points >= 0], np.arange(low, high + 1.0)]))


def _one_class(mass: FloatArray, logs: FloatArray, c: int, log_weight: FloatArray, other: Other) -> npt.NDArray[Any]:
    ratio = logs[..., c] - other(logs, log_weight)[..., c]
    total = mass / mass.sum(axis=-1, keepdims=True)
    return np.maximum(times(total, ratio).sum(axis=-1), 0.0)


def _without_each(logs: FloatArray) -> FloatArray:
    nothing = np.full((*logs.shape[:-1], 1), -np.inf)
    before = np.logaddexp.accumulate(logs, axis=-1)[..., :-1]
    after = np.logaddexp.accumulate(logs[..., ::-1], axis=-1)[..., -2::-1]
    return np.logaddexp(np.concatenate([nothing, before], axis=-1), np.concatenate([after, nothing], axis=-1))
