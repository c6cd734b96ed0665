"""Choice of a threshold between two classes, from the scores of labelled rows.

A row is an alert if its score is above the threshold t. Symbols: w weights, A = Σ w of the alerts, T = Σ w of the
alerts that belong to the positive class, P = Σ w of that class.

    precision  T / A              recall  T / P              alert rate  A / Σ w

Rows with equal scores are all alerts or none is, so there is one choice between each two neighbours of the distinct
scores s_1 > s_2 > …, and t lies half-way between them: any t in between gives the same alerts.

    precision ≥ p    with the highest recall                 recall ≥ r   with the highest precision
    alerts ≤ n       as many as fit                          costs        the lowest total cost on these rows
    ties go to the threshold with the fewest alerts
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt

from suffice.arguments import find_class, is_real
from suffice.decisions.costs import Costs
from suffice.errors import DataError, ParameterError, counted
from suffice.records import TableColumns, Tabular
from suffice.statistics import Axis
from suffice.statistics.arrays import BoolArray, FloatArray, IntArray
from suffice.statistics.labels import Label

__all__ = ["Threshold", "choose_threshold", "positive_class"]


@final
@dataclass(frozen=True, slots=True)
class Threshold(Tabular):
    """A threshold between two classes, and its precision, recall and alerts on the rows that it was chosen on.

    Attributes
    ----------
    value : float
        Rows with a score above this value are alerts; −inf flags every possible row, inf none.
    precision : float or None
        Fraction of alerts that belong to the positive class; None without alerts or class labels.
    recall : float or None
        Fraction of positive rows that are alerts; None if there are no positive rows.
    alerts : float
        Number of alerts, or their total weight.
    alert_rate : float
        The fraction of all rows that are alerts.
    positive : label, optional
        The positive class.
    """

    value: float
    precision: float | None
    recall: float | None
    alerts: float
    alert_rate: float
    positive: Label = None
    library: str | None = field(default=None, repr=False, compare=False)

    def table(self) -> TableColumns:
        """Return one row: positive, value, precision, recall, alerts and alert_rate."""
        names = ("positive", "value", "precision", "recall", "alerts", "alert_rate")
        return {name: [getattr(self, name)] for name in names}


def positive_class(classes: Axis, weight: FloatArray, given: object = None) -> int:
    """Return the position of the positive class: the given one, otherwise the rarest; ties go to the last.

    Examples
    --------
    >>> positive_class(Axis.of(["fraud", "ok"]), np.array([3.0, 97.0]))
    0
    """
    if given is None:
        return len(weight) - 1 - int(np.argmin(weight[::-1])) if len(weight) else 0
    return find_class(classes, given)


class _Ladder(NamedTuple):
    """All distinct thresholds, from no alerts to all rows, with the rows above each."""

    scores: FloatArray  # the distinct scores that a threshold can lie below, in descending order
    value: FloatArray
    alerts: FloatArray
    found: FloatArray
    total: float
    positives: float | None

    @property
    def precision(self) -> FloatArray:
        some = self.alerts > 0
        return np.where(some, self.found / np.where(some, self.alerts, 1.0), -1.0)

    def at(self, step: int) -> Threshold:
        alerts, found = float(self.alerts[step]), float(self.found[step])
        known = self.positives is not None
        return Threshold(
            float(self.value[step]),
            min(found / alerts, 1.0) if known and alerts else None,
            min(found / self.positives, 1.0) if self.positives else None,
            alerts,
            alerts / self.total if self.total else 0.0,
        )


def choose_threshold(
    scores: npt.ArrayLike,
    positive: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    *,
    precision: float | None = None,
    recall: float | None = None,
    alerts: float | None = None,
    alert_rate: float | None = None,
    costs: Any = None,
    value: float | None = None,
) -> Threshold:
    """Choose the threshold that satisfies one criterion; pass exactly one of the keyword arguments.

    Parameters
    ----------
    scores : array of rows
        Log-odds, log-likelihood ratios or any score that increases with the probability of the positive class.
    positive : array of bool, optional
        Whether each row is of the positive class. Not needed for `alerts`, `alert_rate` and `value`.
    weights : array of rows, optional
    precision, recall : float in (0, 1]
        Minimum value; the other of the two is maximised.
    alerts, alert_rate : float
        At most this many alerts, or this fraction of all rows.
    costs : Costs or mapping, of two actions and two classes
        Minimise the total cost on these rows. If the scores are calibrated log-odds, use `Costs.threshold`, which needs
        no data.
    value : float
        Evaluate this fixed threshold.

    Examples
    --------
    >>> scores, positive = [4.0, 3.0, 3.0, 1.0, 0.0], [True, True, False, True, False]
    >>> choose_threshold(scores, positive, recall=0.6)
    Threshold(value=0.5, precision=0.75, recall=1.0, alerts=4.0, alert_rate=0.8, positive=None)
    >>> choose_threshold(scores, alerts=2).value
    3.5
    """
    rules = {"precision": precision, "recall": recall, "alerts": alerts, "alert_rate": alert_rate}
    rules |= {"costs": costs, "value": value}
    given = [name for name, setting in rules.items() if setting is not None]
    if len(given) != 1:
        raise ParameterError(
            f"a threshold is chosen by one of {', '.join(rules)}: got {' and '.join(given) or 'none'}. "
            "Give exactly one."
        )
    (by,) = given
    numbers, classes, weight = _check_scores(scores, positive, weights)
    if classes is None and by in ("precision", "recall", "costs"):
        raise DataError(
            f"choosing a threshold by {by} requires the class of each row. Give positive=, True or False for each row."
        )
    ladder = _ladder(numbers, classes, weight)
    if by == "precision":
        return _by_precision(ladder, _check_share("precision", precision))
    if by == "recall":
        return _by_recall(ladder, _check_share("recall", recall))
    if by == "costs":
        return _by_costs(ladder, Costs.of(costs))
    if by == "value":
        return _at_value(ladder, value)
    if by == "alerts":
        return _by_alerts(ladder, ladder.alerts <= _budget("alerts", alerts, math.inf))
    return _by_alerts(ladder, ladder.alerts / (ladder.total or 1.0) <= _budget("alert_rate", alert_rate, 1.0))


def _by_precision(ladder: _Ladder, target: float) -> Threshold:
    # Quotients are compared instead of products, so that a fraction of exactly 0.07 counts as at least 0.07.
    reached = ladder.precision >= target
    if not reached.any():
        raise _unreachable("precision", target, ladder, _first_best(ladder.precision), ladder.alerts > 0)
    return ladder.at(_first_best(np.where(reached, ladder.found, -1.0)))


def _by_recall(ladder: _Ladder, target: float) -> Threshold:
    reached = (ladder.found > 0) & (ladder.found / (ladder.positives or 1.0) >= target)
    if not reached.any():
        raise _unreachable("recall", target, ladder, _first_best(ladder.found), ladder.found > 0)
    return ladder.at(_first_best(np.where(reached, ladder.precision, -1.0)))


def _by_alerts(ladder: _Ladder, fits: BoolArray) -> Threshold:
    return ladder.at(int(np.flatnonzero(fits)[-1]))


def _by_costs(ladder: _Ladder, costs: Costs) -> Threshold:
    costs.threshold()  # raises an error for costs that imply no threshold
    act = int(np.argmin(costs.matrix[:, 1]))
    more, less = costs.matrix[act] - costs.matrix[1 - act]  # cost of an alert in each class: > 0 and < 0
    wrong = ladder.alerts - ladder.found
    return ladder.at(_first_best(-(wrong * float(more) + ladder.found * float(less))))


def _at_value(ladder: _Ladder, value: Any) -> Threshold:
    if not is_real(value) or value != value:
        raise ParameterError(f"value must be a number: got {value!r}.")
    return replace(ladder.at(int(np.count_nonzero(ladder.scores > value))), value=float(value))


def _unreachable(what: str, target: float, ladder: _Ladder, best: int, some: BoolArray) -> ParameterError:
    if not some.any():
        return ParameterError(
            f"no threshold reaches a {what} of {target:g}: no positive row has a score above −inf. "
            "Choose the threshold on rows that include the positive class."
        )
    at = ladder.at(best)
    reached = at.precision if what == "precision" else at.recall
    return ParameterError(
        f"no threshold reaches a {what} of {target:g}: the best is {reached:.4g}, with "
        f"{counted(at.alerts, 'alert')} above {at.value:.6g}. Use a lower target, or improve the model."
    )


def _first_best(values: FloatArray) -> int:
    # The first is the one with the fewest alerts.
    return int(np.argmax(values))


def _check_share(what: str, value: Any) -> float:
    if not is_real(value) or not 0 < value <= 1:
        raise ParameterError(f"{what} must be above 0 and at most 1: got {value!r}.")
    return float(value)


def _budget(what: str, value: Any, greatest: float) -> float:
    if not is_real(value) or not 0 <= value <= greatest:
        limit = "≥ 0" if greatest == math.inf else "from 0 to 1"
        raise ParameterError(f"{what} must be {limit}: got {value!r}.")
    return float(value)


def _ladder(scores: FloatArray, positive: BoolArray | None, weight: FloatArray) -> _Ladder:
    order: IntArray = np.argsort(-scores, kind="stable")
    ranked, weights = scores[order], weight[order]
    above = np.cumsum(weights)
    found = above if positive is None else np.cumsum(weights * positive[order])
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True)[: len(ranked)])
    if len(last) and ranked[last[-1]] == -np.inf:  # nothing lies below it, so no threshold makes alerts of these
        last = last[:-1]
    steps = ranked[last]
    none = steps[:1] if len(steps) else np.array([np.inf])  # no row lies above the greatest score
    return _Ladder(
        steps,
        np.concatenate([none, _between(steps, np.append(steps[1:], -np.inf))]) if len(steps) else none,
        np.append(0.0, above[last]),
        np.append(0.0, found[last]),
        float(above[-1]) if len(above) else 0.0,
        None if positive is None else (float(found[-1]) if len(found) else 0.0),
    )


def _between(upper: FloatArray, lower: FloatArray) -> FloatArray:
    # The midpoint, but never the upper score, which must stay above t.
    with np.errstate(over="ignore", invalid="ignore"):
        middle = np.where(np.isfinite(upper) & np.isfinite(lower), lower / 2 + upper / 2, lower)
    return np.where((middle >= lower) & (middle < upper), middle, lower)


def _check_scores(
    scores: npt.ArrayLike, positive: npt.ArrayLike | None, weights: npt.ArrayLike | None
) -> tuple[FloatArray, BoolArray | None, FloatArray]:
    numbers = np.asarray(scores, dtype=np.float64)
    if numbers.ndim != 1:
        raise DataError(f"scores must have one number per row: got shape {numbers.shape}.")
    if np.isnan(numbers).any():
        raise DataError("scores must be numbers", row=int(np.argmax(np.isnan(numbers))), got=float("nan"))
    classes: BoolArray | None = None
    if positive is not None:
        raw = np.asarray(positive)
        if raw.dtype != np.bool_ or raw.shape != numbers.shape:
            raise DataError(
                f"positive must be True or False for each of the {len(numbers)} rows: got {raw.dtype} of shape "
                f"{raw.shape}. Pass a boolean array, for example y == label."
            )
        classes = raw
    weight = np.ones(len(numbers)) if weights is None else np.asarray(weights, dtype=np.float64)
    if weight.shape != numbers.shape:
        raise DataError(
            f"weights must have one number per row: got shape {weight.shape} for {counted(len(numbers), 'row')}."
        )
    if not (np.isfinite(weight) & (weight >= 0)).all():
        row = int(np.argmax(~(np.isfinite(weight) & (weight >= 0))))
        raise DataError(
            "weights must be finite and ≥ 0", kind="bad_weight", row=row, got=float(weight[row]), advice="Drop the row."
        )
    return numbers, classes, weight
