"""Calibration: how much the scores of a naive Bayes model are worth, learnt from rows that were held out from it.

Columns that repeat each other count twice, so log p(x|c) has the right order and too large a spread. Symbols: ll_c =
log p(x|c) of a row by a model that has not seen it, centred within the row; π_c the weighted class frequencies of these
rows; v_i their weights, scaled to add up to n = (Σ v)²/Σ v²; w the scale, b_c the offsets.

    s_c(x) = log π_c + b_c + w ll_c
    L(w, b) = Σ_i v_i [log Σ_c e^{s_c(x_i)} − s_{y_i}(x_i)] + ½ λ (w − 1)² + ½ λ Σ_c b_c²,    λ = 1/9

    none                 w = 1, b = 0: the textbook posterior             0 parameters
    scale                b = 0; 1/w is a temperature (Guo et al. 2017)    1
    scale and offsets    w and b                                          as many as there are classes

The rung with the least Σ v_i loss_i + ½ k log n (k parameters; Schwarz 1978) is taken, among those with at least 20 k
rows outside the most frequent class: few rows end with none. L is convex.

Afterwards the class prior π' that the user asks for takes the place of π, s_c + log π'_c − log π_c, so that offsets
never cancel it. A class with probability 0 stays impossible. A row under which every class is as likely, as it is when
every cell is missing, keeps the class prior whatever the offsets, and takes no part in L.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, final, get_args

import numpy as np

from suffice.arguments import option
from suffice.errors import DataError, counted
from suffice.records import TableColumns, Tabular
from suffice.statistics.arrays import BoolArray, FloatArray, IntArray, rescale

__all__ = [
    "METHODS",
    "ROWS_PER_PARAMETER",
    "TOO_FEW",
    "Calibration",
    "CalibrationMethod",
    "choose_calibration",
    "says_nothing",
]

CalibrationMethod: TypeAlias = Literal["auto", "scale", "offsets"]
METHODS: tuple[CalibrationMethod, ...] = get_args(CalibrationMethod)

ROWS_PER_PARAMETER = 20  # outside the most frequent class
TOO_FEW = f"fewer than {ROWS_PER_PARAMETER} rows lie outside the most frequent class"
_PENALTY = 1 / 9
_MOST = 1e9  # a difference of scores beyond it says no more
_LEAST_SCALE = 1e-9
_MOST_STEPS = 100
_QUADRATIC = 1e-6  # decrement of Newton's method below which whole steps are taken
_CONVERGED = 1e-24
_MANY_CLASSES = 32


@final
@dataclass(frozen=True, slots=True, eq=False)
class Calibration(Tabular):
    """Calibration map from log-likelihoods to log posterior scores: log π_c + offsets_c + scale · log p(x|c).

    Parameters
    ----------
    scale : float > 0
        w, the inverse temperature; w < 1 corrects overconfidence.
    offsets : array of C
        b_c, all 0 where only a scale was learnt.
    frequencies : array of C
        π_c, class frequencies of the calibration rows; all 0 if unknown.
    learnt_from : str
        Source of the calibration scores: "5 folds" or "other rows".
    rows : int
        How many.
    loss, loss_before : float
        Mean log loss of these rows with and without calibration.
    fingerprint : str
        Fingerprint of the statistics and estimate that the calibration applies to.
    """

    scale: float
    offsets: FloatArray
    frequencies: FloatArray
    learnt_from: str = "other rows"
    rows: int = 0
    loss: float = 0.0
    loss_before: float = 0.0
    fingerprint: str = ""

    @property
    def kind(self) -> str:
        """Kind of calibration: "scale" or "scale and offsets"."""
        return "scale and offsets" if self.offsets.any() else "scale"

    def table(self) -> TableColumns:
        """Return one row: kind, scale, rows, loss_before and loss."""
        names = ("kind", "scale", "learnt_from", "rows", "loss_before", "loss")
        return {name: [getattr(self, name)] for name in names}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Calibration):
            return NotImplemented
        return self.scale == other.scale and np.array_equal(self.offsets, other.offsets)

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __str__(self) -> str:
        offsets = " and offsets" if self.offsets.any() else ""
        return f"scale {self.scale:.3g}{offsets}, learnt from {counted(self.rows, 'row')} ({self.learnt_from})"


class _Scored(NamedTuple):
    # Rows that L is a sum over, class by class: classes × rows. They are centred so that the greatest of each row is 0:
    # what is the same for every class cancels.
    centred: FloatArray
    prior: FloatArray  # log π, −inf where the class is impossible
    codes: IntArray
    shares: FloatArray  # of the weight, with a sum of 1
    rows: float  # n


def choose_calibration(
    likelihood: FloatArray, codes: IntArray, weights: FloatArray, method: CalibrationMethod = "auto"
) -> tuple[Calibration | None, str]:
    """Return the calibration that held-out scores support, or None and the reason.

    Parameters
    ----------
    likelihood : array of rows × classes
        log p(x|c) by models that have not seen the row.
    codes : array of rows
        The class of each, −1 where there is none.
    weights : array of rows
        A row of weight 0 takes no part.
    method : "auto", "scale" or "offsets"
        "auto" takes the simplest rung that the log loss supports.
    """
    option("method", method, METHODS)
    classes: int = likelihood.shape[1]
    frequencies = _frequencies(codes, weights, classes)
    rows = _usable(likelihood, codes, weights, frequencies)
    if rows is None:
        reason = f"none of the {len(codes)} rows tells classes apart that the other rows know"
        if method != "auto":
            raise DataError(f"there is nothing to calibrate on: {reason}. Give more rows, or do not calibrate.")
        return None, reason
    present = frequencies > 0
    before = _loss(rows, 1.0, np.zeros(classes))
    outside = round(rows.rows * (1 - float(frequencies.max())), 6)
    if method == "auto" and outside < ROWS_PER_PARAMETER:
        return None, TOO_FEW
    rungs = [(*_minimum(rows, np.zeros(0, dtype=np.int64)), 1)]
    number = int(present.sum())
    if method == "offsets" or (method == "auto" and outside >= number * ROWS_PER_PARAMETER):
        rungs.append((*_minimum(rows, np.flatnonzero(present)), number))
    losses = [_loss(rows, w, b) for w, b, _ in rungs]
    if method != "auto":
        best = len(rungs) - 1
    else:
        price = 0.5 * math.log(max(rows.rows, 1.0)) / rows.rows
        prices = [loss + k * price for loss, (_, _, k) in zip(losses, rungs, strict=True)]
        best = int(np.argmin(prices))
        if not prices[best] < before:
            return None, f"no gain in the log loss of {counted(len(rows.codes), 'held-out row')} ({before:.4f} nats)"
    w, b, _ = rungs[best]
    return Calibration(w, b, frequencies, rows=len(rows.codes), loss=losses[best], loss_before=before), ""


def says_nothing(likelihood: FloatArray) -> BoolArray:
    """Return which rows are as likely under every class.

    Examples
    --------
    >>> says_nothing(np.array([[0.0, 0.0], [-1.0, -2.0]]))
    array([ True, False])
    """
    first: FloatArray = likelihood[:, :1]
    return np.asarray(((likelihood == first) & np.isfinite(first)).all(axis=1), dtype=np.bool_)


def _frequencies(codes: IntArray, weights: FloatArray, classes: int) -> FloatArray:
    known = (codes >= 0) & (weights > 0)
    if not known.any():
        return np.zeros(classes)
    found = np.bincount(codes[known], rescale(weights[known]), minlength=classes)
    return found / found.sum()


def _usable(likelihood: FloatArray, codes: IntArray, weights: FloatArray, frequencies: FloatArray) -> _Scored | None:
    own = likelihood[np.arange(len(codes)), codes]
    kept = np.flatnonzero((codes >= 0) & (weights > 0) & np.isfinite(own) & ~says_nothing(likelihood))
    if not len(kept):
        return None
    some = np.ascontiguousarray((likelihood if len(kept) == len(codes) else likelihood[kept]).T)
    possible: BoolArray = np.isfinite(some) & (frequencies > 0)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        prior = np.where(possible, np.log(frequencies)[:, None], -np.inf)
        some = np.where(possible, some, -np.inf)
        centred = np.where(possible, np.maximum(some - some.max(axis=0), -_MOST), 0.0)
    parts = rescale(weights[kept])
    shares = parts / parts.sum()
    return _Scored(centred, prior, codes[kept], shares, float(1 / (shares**2).sum()))


def _posterior(rows: _Scored, scale: float, offsets: FloatArray) -> tuple[FloatArray, FloatArray]:
    # p(c|x), classes × rows, and log p(y|x) of the own class.
    scores = scale * rows.centred
    scores += rows.prior
    scores += offsets[:, None]
    scores -= scores.max(axis=0)
    own = scores[rows.codes, np.arange(len(rows.codes))]
    masses = np.exp(scores, out=scores)
    total = masses.sum(axis=0)
    masses /= total
    return masses, own - np.log(total)


def _loss(rows: _Scored, scale: float, offsets: FloatArray) -> float:
    return float(-(rows.shares * _posterior(rows, scale, offsets)[1]).sum())


def _minimum(rows: _Scored, free: IntArray) -> tuple[float, FloatArray]:
    # Newton's method for the scale and the offsets of some classes; L is convex. The scale is in units in which scores
    # are about 1, and 12 digits of the result are kept: what is beyond them is rounding.
    classes, weak = len(rows.centred), _PENALTY / rows.rows
    unit = max(float(np.median(-rows.centred.min(axis=0))), 1e-6)
    z = rows.centred / unit
    point = np.zeros(1 + len(free))
    point[0] = min(unit, 1.0)

    def unpacked(at: FloatArray) -> tuple[float, FloatArray]:
        offsets = np.zeros(classes)
        offsets[free] = at[1:]
        return float(at[0]) / unit, offsets

    def value(at: FloatArray) -> float:
        scale, offsets = unpacked(at)
        return _loss(rows, scale, offsets) + weak / 2 * ((scale - 1) ** 2 + float((offsets**2).sum()))

    for _ in range(_MOST_STEPS):
        scale, offsets = unpacked(point)
        p = _posterior(rows, scale, offsets)[0]
        slope, curvature = _derivatives(rows, z, p, free)
        slope += weak * np.array([(scale - 1) / unit, *offsets[free]])
        curvature[np.diag_indices_from(curvature)] += weak * np.array([1 / unit**2, *[1.0] * len(free)])
        step = -np.linalg.solve(curvature, slope)
        least = max(_LEAST_SCALE * unit, point[0] / 10)
        if point[0] + step[0] < least:  # the scale stays above 0, and the offsets are the best beside it
            step[0] = least - point[0]
            step[1:] = -np.linalg.solve(curvature[1:, 1:], slope[1:] + curvature[1:, 0] * step[0])
        decrement = float(-slope @ step)
        if decrement > _QUADRATIC:
            now = value(point)
            while value(point + step) > now + 1e-4 * float(slope @ step) and np.abs(step).max() > 1e-12:
                step /= 2
        point = point + step
        if decrement < _CONVERGED:
            break
    scale, offsets = unpacked(point)
    return float(f"{scale:.12g}"), np.array([float(f"{each:.12g}") for each in offsets])


def _derivatives(rows: _Scored, z: FloatArray, p: FloatArray, free: IntArray) -> tuple[FloatArray, FloatArray]:
    # Of the mean loss, by the scale and by the offsets that are free.
    weighted = p * rows.shares
    mean = (p * z).sum(axis=0)
    own = z[rows.codes, np.arange(len(rows.codes))]
    seen = np.bincount(rows.codes, rows.shares, minlength=len(z))
    slope = np.array([(rows.shares * (mean - own)).sum(), *(weighted.sum(axis=1) - seen)[free]])
    curvature = np.empty((len(slope), len(slope)))
    curvature[0, 0] = (weighted * (z - mean) ** 2).sum()
    curvature[0, 1:] = curvature[1:, 0] = (weighted * (z - mean)).sum(axis=1)[free]
    many = len(free) > _MANY_CLASSES  # of few classes, sums in a fixed order are as fast as a product of matrices
    curvature[1:, 1:] = -np.einsum("cn,dn->cd", weighted[free], p[free], optimize=many)
    curvature[np.arange(1, len(slope)), np.arange(1, len(slope))] += weighted.sum(axis=1)[free]
    return slope, curvature
