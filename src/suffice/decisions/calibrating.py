"""Learns a calibration by the least log loss of rows that were scored without having been seen.

    loss        −Σ_i w_i log p(y_i | x_i) / Σ w_i                 rows whose own class is impossible are left out
    penalty     (ln² T + Σ b_c²)/(18 Σ w_i) is added where it is minimised: with few rows it keeps T near 1, b near 0;
                of beta the squares of a − 1, b − 1 and c
    auto        the calibrator with the least  n loss + ½ k ln n  (k parameters, n rows) among those that apply:
                temperature, offsets, length where there are texts, beta where there are two classes

At most 50,000 rows, evenly spaced, are learnt from: the parameters are few.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from suffice.conjugate.arguments import option
from suffice.decisions.calibration import CALIBRATORS, MOST_RATIO, Calibration, Calibrator, says_nothing
from suffice.errors import DataError, ParameterError
from suffice.statistics.frozen_arrays import FloatArray, IntArray
from suffice.statistics.totals import rescaled

__all__ = ["MOST_ROWS", "UnseenRows", "calibrated"]

MOST_ROWS = 50_000
_WIDTH = 9.0  # of the prior of ln T and of the offsets, squared


class UnseenRows(NamedTuple):
    """Rows that were scored without having been seen.

    log p(x|c) of shape (n, C); the log prior that goes with each, of shape (C) or (n, C); their classes, −1 where there
    is none; their weights or None; the numbers of tokens, or None where there are no texts.
    """

    likelihood: FloatArray
    log_prior: FloatArray
    codes: IntArray
    weights: npt.NDArray[Any] | None = None
    lengths: FloatArray | None = None


def calibrated(rows: UnseenRows, kind: Calibrator | Literal["auto"] = "auto") -> Calibration:
    """Return the calibration of that kind with the least loss."""
    option("method", kind, ("auto", *CALIBRATORS))
    classes = rows.likelihood.shape[1]
    some = _usable(rows)
    if kind != "auto":
        if kind in ("beta", "isotonic") and classes != 2:
            raise ParameterError(f"method={kind!r} is for two classes: the model has {classes}. Use 'offsets'.")
        if kind == "length" and rows.lengths is None:
            raise ParameterError("method='length' is for text: the model has none. Use 'offsets'.")
        return _fitted(some, kind)
    kinds: list[Calibrator] = ["temperature", "offsets"]
    if rows.lengths is not None:
        kinds.append("length")
    if classes == 2:
        kinds.append("beta")
    number = len(some.codes)
    parameters = {"temperature": 1, "offsets": classes, "length": classes + 1, "beta": 3}
    each = [_fitted(some, one) for one in kinds]
    return min(each, key=lambda found: number * found.loss + 0.5 * parameters[found.kind] * math.log(number))


def _usable(rows: UnseenRows) -> UnseenRows:
    codes = rows.codes
    heavy = np.ones(len(codes)) if rows.weights is None else np.asarray(rows.weights, dtype=np.float64)
    priors: FloatArray = np.broadcast_to(rows.log_prior, rows.likelihood.shape)
    at = np.arange(len(codes))
    own = rows.likelihood[at, codes] + priors[at, codes]
    kept = np.flatnonzero((codes >= 0) & (heavy > 0) & np.isfinite(own) & ~says_nothing(rows.likelihood))
    if not len(kept):
        raise DataError(
            "a calibration is learnt from rows whose class is known, and possible without them, and that say "
            f"something: there is none among {len(codes)}. Give more rows, or do not calibrate."
        )
    if len(kept) > MOST_ROWS:
        kept = kept[np.linspace(0, len(kept) - 1, MOST_ROWS).astype(np.int64)]
    lengths = None if rows.lengths is None else rows.lengths[kept]
    return UnseenRows(rows.likelihood[kept], priors[kept], codes[kept], heavy[kept], lengths)


def _fitted(rows: UnseenRows, kind: Calibrator) -> Calibration:
    before = Calibration("temperature", 1.0, 0.0, np.zeros_like(rows.likelihood[0]), np.zeros((2, 0)))
    found = {"beta": _beta, "isotonic": _isotonic}.get(kind, _tempered)(rows, kind)
    return Calibration(
        kind,
        found.temperature,
        found.fall,
        found.offsets,
        found.knots,
        rows=len(rows.codes),
        loss=_loss(found, rows),
        loss_before=_loss(before, rows),
    )


def _loss(calibration: Calibration, rows: UnseenRows) -> float:
    joint = calibration.joint(rows.likelihood, rows.log_prior, rows.lengths)
    own = joint[np.arange(len(joint)), rows.codes] - np.logaddexp.reduce(joint, axis=1)
    return float(-np.average(own, weights=_shares(rows)))


def _tempered(rows: UnseenRows, kind: Calibrator) -> Calibration:
    # ln T, then g, then the offsets of all classes but the first.
    classes = rows.likelihood.shape[1]
    possible = np.isfinite(rows.likelihood) & np.isfinite(rows.log_prior)
    likelihood = np.where(possible, rows.likelihood, 0.0)
    # What is the same for every class cancels, and would only make the search badly scaled.
    likelihood = np.where(
        possible, likelihood - likelihood.max(axis=1, keepdims=True, where=possible, initial=-1e300), 0
    )
    likelihood = np.maximum(likelihood, -MOST_RATIO)
    prior = np.where(possible, rows.log_prior, -np.inf)
    share = _shares(rows)[:, None]
    spread = np.zeros(len(share)) if rows.lengths is None or kind != "length" else np.log1p(rows.lengths)
    truth, at = np.zeros_like(likelihood), np.arange(len(likelihood))
    truth[at, rows.codes] = 1.0
    free = 0 if kind == "temperature" else classes - 1
    weak = _penalty(rows)

    def loss(point: FloatArray) -> tuple[float, FloatArray]:
        scaled = np.exp(point[0] - point[1] * spread)[:, None] * likelihood
        scores = scaled + prior
        if free:
            scores[:, 1:] += point[2:]
        top = scores.max(axis=1, keepdims=True)
        masses = np.exp(scores - top)
        total = masses.sum(axis=1, keepdims=True)
        error = share * (masses / total - truth)
        value = float((share[:, 0] * ((top + np.log(total))[:, 0] - scores[at, rows.codes])).sum())
        by_scale = (error * scaled).sum(axis=1)
        slope = np.array([by_scale.sum(), -(by_scale * spread).sum(), *error.sum(axis=0)[1 : free + 1]])
        pulled = np.where(np.arange(len(point)) == 1, 0.0, point)
        return value + weak * float((pulled**2).sum()) / 2, slope + weak * pulled

    bounds = [(-18.0, 6.0), (0.0, 2.0) if kind == "length" else (0.0, 0.0), *[(-50.0, 50.0)] * free]
    point = _minimum(loss, np.array([-1.0, 0.2 if kind == "length" else 0.0, *[0.0] * free]), bounds)
    offsets = np.concatenate([[0.0], point[2:], np.zeros(classes - 1 - free)])
    return Calibration(kind, float(np.exp(point[0])), float(point[1]), offsets, np.zeros((2, 0)))


def _beta(rows: UnseenRows, kind: Calibrator) -> Calibration:
    ratio, odds, share, truth = _two(rows)
    up, down = np.logaddexp(0.0, ratio), -np.logaddexp(0.0, -ratio)
    unchanged, weak = np.array([1.0, 1.0, 0.0]), _penalty(rows)

    def loss(point: FloatArray) -> tuple[float, FloatArray]:
        scores = odds + point[0] * down + point[1] * up + point[2]
        value = float((share * (np.logaddexp(0.0, scores) - truth * scores)).sum())
        error = share * (0.5 * (1 + np.tanh(scores / 2)) - truth)
        pulled = point - unchanged
        slope = np.array([(error * down).sum(), (error * up).sum(), error.sum()])
        return value + weak * float((pulled**2).sum()) / 2, slope + weak * pulled

    a, b, c = _minimum(loss, np.array([0.3, 0.3, 0.0]), [(0.0, 100.0), (0.0, 100.0), (-50.0, 50.0)]).tolist()
    return Calibration(kind, a, b, np.array([0.0, c]), np.zeros((2, 0)))


def _isotonic(rows: UnseenRows, kind: Calibrator) -> Calibration:
    from scipy.optimize import isotonic_regression  # not before it is needed: it takes long to load

    ratio, odds, share, truth = _two(rows)
    if not len(ratio):
        raise DataError(
            "method='isotonic' is learnt from rows that are possible under both classes: there is none among "
            f"{len(rows.codes)}. Use method='temperature', or an estimate other than 'mle'."
        )
    x, place = np.unique(ratio, return_inverse=True)  # of equal scores the mean
    mass = np.bincount(place, share)
    mean: FloatArray = np.bincount(place, share * truth) / mass
    found: Any = isotonic_regression(mean, weights=mass)
    least = 0.5 / len(truth)  # no probability of a finite number of rows is 0 or 1
    y: FloatArray = np.clip(np.asarray(found.x, dtype=np.float64), least, 1 - least)
    ends = np.flatnonzero(np.diff(y, prepend=-1.0, append=2.0))  # where a step begins; and the last one of each
    kept = np.unique(np.concatenate([ends[:-1], ends[1:] - 1]))
    x, y = x[kept], y[kept]
    # The prior of the rows is taken out again: what is learnt is a ratio of likelihoods.
    knots = np.stack([x, np.log(y) - np.log1p(-y) - float(np.average(odds, weights=share))])
    return Calibration(kind, 1.0, 0.0, np.zeros(2), knots)


def _two(rows: UnseenRows) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    # llr, prior log-odds, shares and truth of the rows under both of whose classes they are possible.
    share = _shares(rows)
    both = np.isfinite(rows.likelihood).all(axis=1) & np.isfinite(rows.log_prior).all(axis=1) & (share > 0)
    share = share[both] / share[both].sum()
    difference = [each[both, 1] - each[both, 0] for each in (rows.likelihood, rows.log_prior)]
    return (
        np.clip(difference[0], -MOST_RATIO, MOST_RATIO),
        difference[1],
        share,
        (rows.codes[both] == 1).astype(np.float64),
    )


def _shares(rows: UnseenRows) -> FloatArray:
    # What part of the weight each row has; the weights may add up to more than a float holds.
    assert rows.weights is not None
    parts = rescaled(rows.weights)
    return parts / parts.sum()


def _penalty(rows: UnseenRows) -> float:
    assert rows.weights is not None
    with np.errstate(over="ignore"):
        total = float(rows.weights.sum())
    return 1 / (_WIDTH * max(total, 1e-300))


def _minimum(
    loss: Callable[[FloatArray], tuple[float, FloatArray]], start: FloatArray, bounds: list[tuple[float, float]]
) -> FloatArray:
    from scipy.optimize import minimize  # not before it is needed: it takes long to load

    found: Any = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 300})
    return np.asarray(found.x, dtype=np.float64)
