"""Calibration of a naive Bayes model: weights of its columns and offsets of its classes, estimated on held-out rows.

Naive Bayes counts redundant columns several times, so log p(x|c) ranks the classes well but is too extreme. Symbols: a
unit t is a column, or several columns that are modelled together; ℓ_t(x, c) = log p(x_t | c) of a row by a model that
has not seen it, centred over the classes with finite scores; π_c the weighted class frequencies of these rows; v_i
their weights, scaled to add up to n = (Σ v)²/Σ v²; w_t the weight of a unit, b_c the offset of a class.

    s_c(x) = log π_c + b_c + Σ_t w_t ℓ_t(x, c)                                            w_t ≥ 0
    L(w, b) = Σ_i v_i [log Σ_c e^{s_c(x_i)} − s_{y_i}(x_i)] + ½ Σ_t λ (w_t − m)² + ½ λ_b Σ_c b_c²,    λ_b = 1/9

    none                 w = 1, b = 0: the textbook posterior                      k = 0 parameters
    scale                w_t = w, b = 0; 1/w is a temperature (Guo et al. 2017)    1
    scale and offsets    w_t = w                                                   as many as there are classes
    weights              a weight for each unit, and offsets                       γ + the number of classes

L is convex: w_t = 1 is naive Bayes, and weights from 0 to 1 are a logarithmic opinion pool (Zaidi et al. 2013). For a
scale λ = 1/9 and m = 1. For weights m is the scale of the previous family, and λ maximises the Laplace evidence of the
weights: λ Σ_t (w_t − m)² = γ = T − λ tr (H + λ)⁻¹, the number of weights that the rows determine (MacKay 1992).

The family with the lowest Σ_i v_i loss_i + k is selected (Akaike 1974), among those with enough rows outside the most
frequent class: 20 for each parameter of a scale or offset, 40 for weights. With too few rows there is no calibration.

At prediction, the requested class prior π' replaces π, s_c + log π'_c − log π_c, so that offsets never cancel it. A
class with probability 0 under any unit stays impossible at any weight. A row that is equally probable under every class
(e.g. all cells missing) keeps the class prior, and is excluded from L.

**Calibrations merge.** Around the estimate θ̂ = (w, b) of the largest family, the sum over the rows is ½ θᵀJθ − hᵀθ up
to a constant, with its Hessian J and h = J θ̂ − gradient. J and h of disjoint rows add. The family is then selected
again on the sum; smaller families are linear restrictions of θ. New rows contribute their J and h at the current θ. If
J_a − J_b is not positive semidefinite, the rows of b cannot be removed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, Protocol, TypeAlias, final, get_args

import numpy as np

from suffice.arguments import option
from suffice.errors import DataError, counted
from suffice.models.score import finish_scores, pool_derivatives, pool_scores
from suffice.records import TableColumns, Tabular
from suffice.statistics.arrays import BoolArray, FloatArray, IntArray, rescale
from suffice.statistics.axis import Columns

__all__ = [
    "METHODS",
    "ROWS_PER_PARAMETER",
    "TOO_FEW",
    "Calibration",
    "CalibrationMethod",
    "Information",
    "choose_calibration",
    "information_of",
    "merge_calibrations",
    "most_rows",
    "says_nothing",
]

CalibrationMethod: TypeAlias = Literal["auto", "scale", "offsets", "weights"]
METHODS: tuple[CalibrationMethod, ...] = get_args(CalibrationMethod)

ROWS_PER_PARAMETER = 20  # outside the most frequent class
TOO_FEW = f"fewer than {ROWS_PER_PARAMETER} rows belong to classes other than the most frequent one"
_ROWS_FOR_WEIGHTS = 2 * ROWS_PER_PARAMETER
_PENALTY = 1 / 9
_MOST = 1e9  # larger differences between scores are clipped
_LEAST_SCALE = 1e-9
_MOST_STEPS = 100
_CONVERGED = 1e-12  # decrement of Newton's method, in nats
_LEAST_STRENGTH, _MOST_STRENGTH = 1e-4, 1e8
_MOST_NUMBERS = 10_000_000  # rows × units × classes
_MOST_PRODUCTS = 1_000_000_000  # rows × units² × classes
_MOST_UNITS = 500


@final
@dataclass(frozen=True, slots=True, eq=False)
class Information:
    """Quadratic approximation ½ θᵀJθ − hᵀθ + constant of the loss of the calibration rows, θ = (weights, offsets).

    Parameters
    ----------
    curvature, linear : arrays of P × P and P
        J and h. P is the number of units and classes; one common unit if the columns have no weights of their own.
    constant, before : float
        The constant, and the sum of the log losses without calibration, in nats.
    rows, outside : float
        Effective number of rows, and of those outside the most frequent class.
    """

    curvature: FloatArray
    linear: FloatArray
    constant: float
    before: float
    rows: float
    outside: float

    def place(self, positions: IntArray, classes: int, units: int) -> Information:
        """Return it for more classes, with the present ones at `positions`, and for these units or one common unit."""
        own = len(self.linear) - len(positions)
        spread = np.zeros((units + classes, len(self.linear)))
        if own == units:
            spread[np.arange(units), np.arange(units)] = 1.0
        else:
            assert units == 1, "weights are either kept or pooled into one"
            spread[0, :own] = 1.0
        spread[units + positions, own + np.arange(len(positions))] = 1.0
        return replace(self, curvature=spread @ self.curvature @ spread.T, linear=spread @ self.linear)

    def scale(self, w: float) -> Information:
        """Return the information of w times as many rows."""
        return Information(w * self.curvature, w * self.linear, *(w * self.numbers()).tolist())

    def numbers(self) -> FloatArray:
        """Return constant, before, rows and outside."""
        return np.array([self.constant, self.before, self.rows, self.outside])

    def __add__(self, other: Information) -> Information:
        curvature, linear = self.curvature + other.curvature, self.linear + other.linear
        return Information(curvature, linear, *(self.numbers() + other.numbers()).tolist())

    def subtract(self, other: Information) -> Information | None:
        """Return the information without other rows, or None if the difference is not valid."""
        left = self + other.scale(-1.0)
        values = np.linalg.eigvalsh(left.curvature)
        if left.rows <= 0 or left.outside < 0 or left.before < 0 or values[0] < -1e-9 * max(float(values[-1]), 1.0):
            return None
        return left


@final
@dataclass(frozen=True, slots=True, eq=False)
class Calibration(Tabular):
    """Calibration map from log-likelihoods to log posterior scores: log π_c + offsets_c + Σ_t weight_t · log p(x_t|c).

    Parameters
    ----------
    scale : float > 0
        The common weight, an inverse temperature; below 1 it corrects overconfidence. If the units have weights, the
        value toward which they were shrunk.
    offsets : array of C
        b_c, all 0 if only a scale was estimated.
    frequencies : array of C
        π_c, class frequencies of the calibration rows; all 0 if unknown.
    learnt_from : str
        Source of the calibration scores: "5 folds" or "other rows".
    rows : int
        Number of calibration rows.
    loss, loss_before : float
        Mean log loss of these rows with and without calibration.
    fingerprint : str
        Fingerprint of the statistics and estimate that the calibration applies to.
    units : tuple of tuples of columns
        The columns that share a weight: one each, or all columns of a block that is modelled together.
    weights, errors : arrays of T
        The weight w_t of each unit and its standard error; empty if all have the scale.
    information : Information, optional
        Quadratic approximation that allows merging; None in files of earlier versions.
    """

    scale: float
    offsets: FloatArray
    frequencies: FloatArray
    learnt_from: str = "other rows"
    rows: int = 0
    loss: float = 0.0
    loss_before: float = 0.0
    fingerprint: str = ""
    units: tuple[Columns, ...] = ()
    weights: FloatArray = field(default_factory=lambda: np.empty(0))
    errors: FloatArray = field(default_factory=lambda: np.empty(0))
    information: Information | None = None
    column_weights: dict[str | int, float] = field(init=False, repr=False)
    """The weight of each column; empty if all have the scale."""

    @property
    def kind(self) -> str:
        """Kind of calibration: "scale", "scale and offsets" or "weights"."""
        if len(self.weights):
            return "weights"
        return "scale and offsets" if self.offsets.any() else "scale"

    def __post_init__(self) -> None:
        pairs = zip(self.units, self.weights.tolist(), strict=False)
        weights = {column: weight for columns, weight in pairs for column in columns}
        object.__setattr__(self, "column_weights", weights)

    @property
    def theta(self) -> FloatArray:
        """The weights, or one scale, and the offsets: the point θ at which further rows are added."""
        return np.concatenate([self.weights if len(self.weights) else [self.scale], self.offsets])

    def weights_and_errors(self) -> dict[str | int, tuple[float, float]]:
        """Return the weight of each column and its standard error; empty if all have the scale."""
        numbers = zip(self.units, self.weights.tolist(), self.errors.tolist(), strict=False)
        return {column: (weight, error) for columns, weight, error in numbers for column in columns}

    def without_offsets(self) -> Calibration:
        """Return the calibration with all offsets 0."""
        return replace(self, offsets=np.zeros_like(self.offsets))

    def table(self) -> TableColumns:
        """Return the weight of each unit and its standard error; without weights one row with the scale."""
        shared = {"kind": self.kind, "learnt_from": self.learnt_from, "rows": self.rows}
        shared |= {"loss_before": self.loss_before, "loss": self.loss}
        names = [", ".join(map(str, unit)) for unit in self.units] if len(self.weights) else ["(all)"]
        weights = self.weights.tolist() if len(self.weights) else [self.scale]
        found: dict[str, list[object]] = {"columns": list(names), "weight": list(weights)}
        if len(self.weights):
            found["error"] = self.errors.tolist()
        return found | {name: [value] * len(names) for name, value in shared.items()}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Calibration):
            return NotImplemented
        return (
            self.scale == other.scale
            and np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.weights, other.weights)
        )

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __str__(self) -> str:
        kind = f"scale {self.scale:.3g}" + " and offsets" * bool(self.offsets.any())
        if len(self.weights):
            least, most = float(self.weights.min()), float(self.weights.max())
            kind = f"weights from {least:.3g} to {most:.3g} for {counted(len(self.weights), 'unit')}"
        return f"{kind}, estimated from {counted(self.rows, 'row')} ({self.learnt_from})"


def most_rows(units: int, classes: int) -> tuple[int, bool]:
    """Return the maximum number of calibration rows, and whether each unit can have a weight of its own.

    Examples
    --------
    >>> most_rows(10, 2), most_rows(5000, 2)
    ((500000, True), (5000000, False))
    """
    rows = min(_MOST_NUMBERS // max(units * classes, 1), _MOST_PRODUCTS // max(units * units * classes, 1))
    if 1 < units <= _MOST_UNITS and rows >= ROWS_PER_PARAMETER * units:
        return rows, True
    return max(_MOST_NUMBERS // max(classes, 1), 1), False


class _Objective(Protocol):
    # The sum over calibration rows, in nats, as a function of θ = (weights, offsets).
    @property
    def units(self) -> int: ...

    @property
    def present(self) -> BoolArray: ...

    @property
    def rows(self) -> float: ...

    @property
    def outside(self) -> float: ...

    @property
    def before(self) -> float: ...  # loss of the textbook posterior

    def value(self, theta: FloatArray) -> float: ...

    def derivatives(self, theta: FloatArray) -> tuple[FloatArray, FloatArray]: ...

    def pooled(self) -> _Objective:
        # The objective with one weight for all units.
        ...

    def first_scale(self) -> float:
        # A scale that gives scores of about 1, so that Newton's method does not start at saturated posteriors.
        ...


@final
@dataclass(frozen=True, slots=True, eq=False)
class _HeldOut:
    # Held-out rows. Evidence is centred; where a class is impossible it is 0, and `floor` is −inf.
    evidence: FloatArray
    floor: FloatArray | None
    log_prior: FloatArray
    codes: IntArray
    shares: FloatArray  # of the total weight, with a sum of 1
    rows: float
    outside: float

    @property
    def units(self) -> int:
        return self.evidence.shape[1]

    @property
    def present(self) -> BoolArray:
        return np.isfinite(self.log_prior)

    @property
    def before(self) -> float:
        return self.value(np.concatenate([np.ones(self.units), np.zeros(len(self.log_prior))]))

    def value(self, theta: FloatArray) -> float:
        own = self._log_posterior(theta)[np.arange(len(self.codes)), self.codes]
        return -self.rows * float((self.shares * own).sum())

    def derivatives(self, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        slope, curvature = pool_derivatives(self.evidence, np.exp(self._log_posterior(theta)), self.codes, self.shares)
        return self.rows * slope, self.rows * curvature

    def pooled(self) -> _HeldOut:
        if self.units == 1:
            return self
        return replace(self, evidence=pool_scores(self.evidence, np.ones(self.units))[:, None])

    def first_scale(self) -> float:
        return 1 / max(float(np.median(np.ptp(self.evidence[:, 0], axis=1))), 1.0)

    def _log_posterior(self, theta: FloatArray) -> FloatArray:
        sums = pool_scores(self.evidence, theta[: self.units])
        if self.floor is not None:
            sums = sums + self.floor
        return finish_scores(sums, self.log_prior + theta[self.units :], "log_posterior").values


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Quadratic:
    # Merged calibrations.
    information: Information
    units: int
    present: BoolArray

    @property
    def rows(self) -> float:
        return self.information.rows

    @property
    def outside(self) -> float:
        return self.information.outside

    @property
    def before(self) -> float:
        return self.information.before

    def value(self, theta: FloatArray) -> float:
        known = self.information
        return float(0.5 * theta @ known.curvature @ theta - known.linear @ theta) + known.constant

    def derivatives(self, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        return self.information.curvature @ theta - self.information.linear, self.information.curvature

    def pooled(self) -> _Quadratic:
        every = np.arange(len(self.present))
        return replace(self, information=self.information.place(every, len(every), 1), units=1)

    def first_scale(self) -> float:
        return 1.0


def choose_calibration(
    evidence: FloatArray,
    codes: IntArray,
    weights: FloatArray,
    method: CalibrationMethod = "auto",
    units: tuple[Columns, ...] = (),
) -> tuple[Calibration | None, str]:
    """Return the calibration that held-out scores support, or None and the reason.

    Parameters
    ----------
    evidence : array of rows × units × classes
        log p(x_t|c) by models that have not seen the row; one unit if all columns have a common weight.
    codes : array of rows
        Class of each row, −1 if unknown.
    weights : array of rows
        Rows of weight 0 are ignored.
    method : "auto", "scale", "offsets" or "weights"
        "auto" selects the simplest family that the log loss supports.
    units : tuple of tuples of columns
        The columns of each unit; empty if there is one for all columns.
    """
    option("method", method, METHODS)
    rows = _usable(evidence, codes, weights)
    if rows is None:
        reason = (
            f"none of the {len(codes)} rows is usable, because its class does not occur in the other rows or all "
            "classes are equally probable for it"
        )
        if method != "auto":
            raise DataError(f"there is nothing to calibrate on: {reason}. Give more rows, or do not calibrate.")
        return None, reason
    frequencies = np.where(rows.present, np.exp(rows.log_prior), 0.0)
    return _climb(rows, method, frequencies, len(rows.codes), units)


def information_of(
    evidence: FloatArray, codes: IntArray, weights: FloatArray, calibration: Calibration
) -> Information | None:
    """Return the information that new rows add to the calibration of a model.

    None if no row distinguishes between classes. `evidence` has the classes of the calibration, and its units or one.
    """
    rows = _usable(evidence, codes, weights)
    if rows is None:
        return None
    theta = calibration.theta
    if len(theta) - evidence.shape[2] != rows.units:
        theta = np.concatenate([np.full(rows.units, calibration.scale), calibration.offsets])
    return _information(rows, theta)


def merge_calibrations(
    parts: Sequence[tuple[Calibration, IntArray]], frequencies: FloatArray
) -> tuple[Calibration | None, str]:
    """Return the calibration of the combined rows of several calibrations, or None and the reason.

    Parameters
    ----------
    parts : sequence of (Calibration, array of positions)
        Each with `information`, and the positions of its classes among those of the result.
    frequencies : array of C
        Class frequencies of all rows.
    """
    known = [(part.information, at) for part, at in parts if part.information is not None]
    assert len(known) == len(parts), "only calibrations with information merge"
    sizes = {len(information.linear) - len(at) for information, at in known}
    number = sizes.pop() if len(sizes) == 1 else 1
    total, *others = (information.place(at, len(frequencies), number) for information, at in known)
    for other in others:
        total += other
    rows = sum(part.rows for part, _ in parts)
    units = parts[0][0].units if number > 1 else ()
    return _climb(_Quadratic(total, number, frequencies > 0), "auto", frequencies, rows, units)


class _Rung(NamedTuple):
    theta: FloatArray
    scale: float
    parameters: float  # k
    strength: float  # λ

    def spread(self, units: int) -> _Rung:
        # The same scale for each of several units.
        return self._replace(theta=np.concatenate([np.full(units, self.scale), self.theta[1:]]))


def _climb(
    rows: _Objective, method: CalibrationMethod, frequencies: FloatArray, number: int, units: tuple[Columns, ...]
) -> tuple[Calibration | None, str]:
    # The calibration of the family that the rows support, or None and the reason.
    before = rows.before
    outside, classes = round(rows.outside, 6), int(rows.present.sum())
    if method == "auto" and outside < ROWS_PER_PARAMETER:
        return None, TOO_FEW
    pooled = rows.pooled()
    scale = _fit_scale(pooled, offsets=False, start=pooled.first_scale())
    rungs = [scale.spread(rows.units)]
    if method != "scale" and (method != "auto" or outside >= classes * ROWS_PER_PARAMETER):
        rungs.append(_fit_scale(pooled, offsets=True, start=scale.scale).spread(rows.units))
    if method in ("auto", "weights") and rows.units > 1 and (method != "auto" or outside >= _ROWS_FOR_WEIGHTS):
        rungs.append(_fit_weights(rows, rungs[-1]))
    values = [rows.value(rung.theta) for rung in rungs]
    best = len(rungs) - 1
    if method == "auto":
        prices = [value + rung.parameters for value, rung in zip(values, rungs, strict=True)]
        best = int(np.argmin(prices))
        if not prices[best] < before:
            tested = f"{counted(number, 'held-out row')} ({before / rows.rows:.4f} nats)"
            return None, f"calibration does not improve the log loss of {tested}"
    rung, information = rungs[best], _information(rows, rungs[-1].theta)
    weighted = rung.strength > 0
    errors = np.empty(0)
    if weighted:
        curvature = information.curvature + np.diag(_penalties(rows, rung.strength))
        errors = np.sqrt(np.diagonal(np.linalg.inv(curvature)))[: rows.units]
    found = Calibration(
        _rounded(np.array([rung.scale]))[0].item(),
        _rounded(rung.theta[rows.units :]),
        frequencies,
        rows=number,
        loss=values[best] / rows.rows,
        loss_before=before / rows.rows,
        units=units,
        weights=_rounded(rung.theta[: rows.units]) if weighted else np.empty(0),
        errors=_rounded(errors),
        information=information,
    )
    return found, ""


def says_nothing(likelihood: FloatArray) -> BoolArray:
    """Return which rows are equally probable under every class.

    Examples
    --------
    >>> says_nothing(np.array([[0.0, 0.0], [-1.0, -2.0]]))
    array([ True, False])
    """
    first: FloatArray = likelihood[:, :1]
    return np.asarray(((likelihood == first) & np.isfinite(first)).all(axis=1), dtype=np.bool_)


def _usable(evidence: FloatArray, codes: IntArray, weights: FloatArray) -> _HeldOut | None:
    # The rows in the sum L. Classes without rows are impossible.
    classes: int = evidence.shape[2]
    known = (codes >= 0) & (weights > 0)
    if not known.any():
        return None
    masses = np.bincount(codes[known], rescale(weights[known]), minlength=classes)
    with np.errstate(divide="ignore"):
        log_prior: FloatArray = np.log(masses / masses.sum())
    total: FloatArray = evidence.sum(axis=1)
    own = total[np.arange(len(codes)), codes]
    kept = np.flatnonzero(known & np.isfinite(own) & ~says_nothing(total))
    if not len(kept):
        return None
    chosen = evidence if len(kept) == len(codes) else evidence[kept]
    possible: BoolArray = np.isfinite(chosen.sum(axis=1)) & (masses > 0)
    everything = bool(possible.all())
    if not everything:
        chosen = np.where(possible[:, None, :], chosen, 0.0)
    centred = chosen - chosen.sum(axis=2, keepdims=True) / possible.sum(axis=1)[:, None, None]
    np.clip(centred, -_MOST, _MOST, out=centred)
    if not everything:
        centred = np.where(possible[:, None, :], centred, 0.0)
    parts = rescale(weights[kept])
    shares = parts / parts.sum()
    rows = float(1 / (shares**2).sum())
    frequent = float(np.exp(log_prior.max()))
    floor = None if everything else np.where(possible, 0.0, -np.inf)
    return _HeldOut(centred, floor, log_prior, codes[kept], shares, rows, rows * (1 - frequent))


def _penalties(rows: _Objective, strength: float) -> FloatArray:
    return np.concatenate([np.full(rows.units, strength), np.full(len(rows.present), _PENALTY)])


def _information(rows: _Objective, theta: FloatArray) -> Information:
    slope, curvature = rows.derivatives(theta)
    linear = curvature @ theta - slope
    constant = rows.value(theta) - float(0.5 * theta @ curvature @ theta - linear @ theta)
    return Information(curvature, linear, constant, rows.before, rows.rows, rows.outside)


def _rounded(values: FloatArray) -> FloatArray:
    # 12 digits: the remaining ones are rounding errors of the solver.
    return np.array([float(f"{value:.12g}") for value in values.tolist()])


def _fit_scale(rows: _Objective, *, offsets: bool, start: float) -> _Rung:
    # One weight for all units, which are pooled, and offsets for the classes that are present.
    classes = np.flatnonzero(rows.present) if offsets else np.zeros(0, dtype=np.int64)
    basis = np.eye(1 + len(rows.present))[:, np.concatenate([[0], 1 + classes])]
    point = np.zeros(1 + len(classes))
    point[0] = start
    centre = np.concatenate([[1.0], np.zeros(len(classes))])
    for _ in range(_MOST_STEPS):
        slope, curvature = rows.derivatives(basis @ point)
        slope, curvature = basis.T @ slope, basis.T @ curvature @ basis + _PENALTY * np.eye(len(point))
        least = np.full(len(point), -np.inf)
        least[0] = max(_LEAST_SCALE, point[0] / 10)  # the curvature at small scores does not extend to large ones
        target = _bounded_minimum(curvature, curvature @ point - slope - _PENALTY * (point - centre), least)
        point, decrement = _step(rows, basis, point, target, _PENALTY, centre, slope)
        if decrement < _CONVERGED:
            break
    return _Rung(basis @ point, float(point[0]), max(len(classes), 1), 0.0)


def _fit_weights(rows: _Objective, start: _Rung) -> _Rung:
    # A weight for each unit, shrunk toward the scale, and offsets. λ is updated until it converges.
    units, size = rows.units, rows.units + len(rows.present)
    basis = np.eye(size)
    point, strength = start.theta.copy(), 1.0
    centre = np.concatenate([np.full(units, start.scale), np.zeros(size - units)])
    least = np.concatenate([np.zeros(units), np.full(size - units, -np.inf)])
    determined, settled = float(units), False
    for step in range(_MOST_STEPS):
        slope, curvature = rows.derivatives(point)
        if not settled:
            before = strength
            strength, determined = _evidence_strength(
                curvature, curvature @ point - slope, start.scale, units, strength, least
            )
            settled = abs(math.log(strength / before)) < 1e-3 or step >= 20
        penalties = _penalties(rows, strength)
        target = _bounded_minimum(curvature + np.diag(penalties), curvature @ point - slope + penalties * centre, least)
        point, decrement = _step(rows, basis, point, target, penalties, centre, slope)
        if settled and decrement < _CONVERGED:
            break
    return _Rung(point, start.scale, determined + int(rows.present.sum()), strength)


def _evidence_strength(
    curvature: FloatArray, linear: FloatArray, scale: float, units: int, strength: float, least: FloatArray
) -> tuple[float, float]:
    # λ that maximises the evidence under the quadratic, and γ: MacKay's fixed point.
    size = len(linear)
    centre = np.concatenate([np.full(units, scale), np.zeros(size - units)])
    determined = float(units)
    for _ in range(30):
        penalties = np.concatenate([np.full(units, strength), np.full(size - units, _PENALTY)])
        whole = curvature + np.diag(penalties)
        weights = _bounded_minimum(whole, linear + penalties * centre, least)[:units]
        determined = units - strength * float(np.trace(np.linalg.inv(whole)[:units, :units]))
        spread = float(((weights - scale) ** 2).sum())
        after = min(max(max(determined, 1e-3) / max(spread, 1e-300), _LEAST_STRENGTH), _MOST_STRENGTH)
        done = abs(math.log(after / strength)) < 1e-3
        strength = after
        if done:
            break
    return strength, max(determined, 0.0)


def _step(
    rows: _Objective,
    basis: FloatArray,
    point: FloatArray,
    target: FloatArray,
    penalties: FloatArray | float,
    centre: FloatArray,
    slope: FloatArray,
) -> tuple[FloatArray, float]:
    # Line search from point toward target, and the decrease predicted by the quadratic.
    direction = target - point
    along = float((slope + penalties * (point - centre)) @ direction)

    def value(at: FloatArray) -> float:
        return rows.value(basis @ at) + 0.5 * float((penalties * (at - centre) ** 2).sum())

    if -along > 1e-6:
        now = value(point)
        while value(point + direction) > now + 1e-4 * along and float(np.abs(direction).max()) > 1e-12:
            direction, along = direction / 2, along / 2
    return point + direction, max(-along, 0.0)


def _bounded_minimum(curvature: FloatArray, linear: FloatArray, least: FloatArray) -> FloatArray:
    # The minimum of ½ xᵀAx − rᵀx over x ≥ least: variables at their bound are fixed, and freed by their slope.
    free = np.ones(len(linear), dtype=np.bool_)
    found = np.where(np.isfinite(least), least, 0.0)
    for _ in range(3 * len(linear) + 10):
        fixed = np.where(free, 0.0, found)
        found = np.where(free, 0.0, np.where(np.isfinite(least), least, 0.0))
        right = linear[free] - curvature[np.ix_(free, ~free)] @ fixed[~free]
        found[free] = np.linalg.solve(curvature[np.ix_(free, free)], right)
        below = free & (found < least)
        if below.any():
            free &= ~below
            found[below] = least[below]
            continue
        slope = curvature @ found - linear
        wrong = ~free & (slope < -1e-12 * (1 + np.abs(linear)))
        if not wrong.any():
            break
        free[np.flatnonzero(wrong)[np.argmin(slope[wrong])]] = True
    return np.maximum(found, least)
