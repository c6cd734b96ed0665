"""What a cell says on average about its class: E_{x|c}[ln p(x | c) − ln p(x | rest of c)], in nats.

Symbols: rest as in rest.py; terms as in likelihoods/terms.py.

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
from suffice.conjugate.special import xlogy
from suffice.evidence.rest import log_of_rest
from suffice.likelihoods.terms import CompoundCount, FullQuadratic, FullStudent, PoissonCount, Quadratic, Student
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["alone", "masses_times", "of_counts", "of_reals", "times"]

Other: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]

_STEP = 1 / 16
_CELLS_AT_ONCE = 2**21
_SPREADS, _MOST_COUNTS = 10, 2048


def times(mass: FloatArray, log_ratio: FloatArray) -> FloatArray:
    """Return mass · ratio; what has no mass adds nothing, whatever its ratio."""
    return np.multiply(mass, log_ratio, out=np.zeros_like(log_ratio), where=mass > 0)


def masses_times(log_mass: FloatArray, log_ratio: FloatArray) -> FloatArray:
    """Return θ · ln(θ/θ_rest) of each outcome: their sum over a column is its divergence."""
    return times(np.exp(log_mass), log_ratio)


def alone(term: FullQuadratic | FullStudent) -> Quadratic | Student:
    """Return the densities of the columns by themselves: Student-t with the matrix's own degrees, or normal."""
    normal = isinstance(term, FullQuadratic)
    spread = np.diagonal(term.matrices, axis1=1, axis2=2)
    variance = np.broadcast_to(np.maximum(spread, term.least) if normal else spread, term.m.shape)
    tables = term.columns, term.centre, term.scale, np.ascontiguousarray(term.m.T)
    log_scale = np.log(term.scale)[:, None]
    if normal:
        return Quadratic(*tables, 0.5 / variance.T, -0.5 * np.log(2 * math.pi * variance.T) + log_scale)
    nu = term.degrees
    constant = log_rising(nu / 2, np.asarray(0.5)) - 0.5 * np.log(math.pi * nu * variance.T)
    return Student(*tables, 1 / (nu * variance.T), constant + log_scale, (nu + 1) / 2)


def of_reals(term: Quadratic | Student, log_weight: FloatArray, other: Other = log_of_rest) -> FloatArray:
    """Return the divergence of every column and class from the rest, or from what `other` gives, of shape (D, C)."""
    e = term.e if isinstance(term, Student) else np.full(len(log_weight), np.inf)
    found = np.zeros(term.m.shape)
    for c in range(len(log_weight)):
        t = _points(3 + (35 / (2 * float(e[c]) - 1) if np.isfinite(e[c]) else 0.0))
        curvature = term.s[:, c] * (2 * e[c] if np.isfinite(e[c]) else 2.0)
        step = max(1, _CELLS_AT_ONCE // (len(t) * len(log_weight)))
        for start in range(0, len(found), step):
            some = slice(start, start + step)
            z = term.m[some, c, None] + np.sinh(t) / np.sqrt(curvature[some, None])
            squares = (z[..., None] - term.m[some, None]) ** 2 * term.s[some, None]
            away = np.log1p(squares) * e if isinstance(term, Student) else squares
            logs = term.c[some, None] - away
            mass = np.exp(logs[..., c] - logs[..., c].max(axis=1, keepdims=True)) * np.cosh(t)
            found[some, c] = _one_class(mass, logs, c, log_weight, other)
    return found


def of_counts(term: PoissonCount | CompoundCount, log_weight: FloatArray, other: Other = log_of_rest) -> FloatArray:
    """Return the divergence of every column and class from the rest, or from what `other` gives, of shape (D, C)."""
    plugged = isinstance(term, PoissonCount)
    mean = term.rate if plugged else term.shape / term.rate
    spread = np.sqrt(mean if plugged else mean * (1 + 1 / term.rate))
    t = _points(8.0)
    found = np.zeros(mean.shape)
    for j in range(len(found)):
        for c in range(len(log_weight)):
            x = _whole_numbers(float(mean[j, c]), float(spread[j, c]), t)
            logs = _log_poisson(term, j, x) if plugged else _log_compound(term, j, x)
            # Each stands for the whole numbers nearest to it: half of the way to its neighbours, and itself.
            gaps = np.diff(x)
            stands_for = 0.5 * (np.concatenate([[1.0], gaps]) + np.concatenate([gaps, [1.0]]))
            here = logs[:, c] - _log_factorial(x)
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


def _log_poisson(term: PoissonCount, j: int, x: FloatArray) -> FloatArray:
    # Less ln x!, which is the same for every class.
    return xlogy(x[:, None], term.rate[j]) - term.rate[j]


def _log_compound(term: CompoundCount, j: int, x: FloatArray) -> FloatArray:
    r, beta = term.shape[j], term.rate[j]
    return (
        log_rising(np.broadcast_to(r, (len(x), len(r))), x[:, None])
        - r * np.log1p(1 / beta)
        - x[:, None] * np.log1p(beta)
    )


def _log_factorial(x: FloatArray) -> FloatArray:
    return log_rising(np.ones(len(x)), x)
