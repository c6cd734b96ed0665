"""Costs of actions, and the action with the lowest expected cost.

Symbols: L[a, c] the cost of action a if the class is c, p_c = p(c | x), π = p(class 1).

    expected cost     R_a = Σ_c L[a, c] p_c
    decision          argmin_a R_a; ties go to the first action
    regret            R_a − Σ_c p_c min_b L[b, c]: the same argmin, without cancellation of costs common to all actions
    two classes       act for class 1 if log-odds > log (L[1,0] − L[0,0]) / (L[0,1] − L[1,1]), both differences > 0;
    on the llr        the same less logit π
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast, final

import numpy as np
import numpy.typing as npt

from suffice.arguments import GREATEST, find_class, is_real
from suffice.errors import ParameterError, counted
from suffice.records import display_width, pad_text
from suffice.statistics import Axis
from suffice.statistics.arrays import FloatArray, IntArray, seal
from suffice.statistics.labels import Label, canonical, quote_label

__all__ = ["Costs"]


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Costs:
    """Cost of each action for each true class: an actions × classes matrix.

    Parameters
    ----------
    costs : mapping {action: {class: cost}}, or array of actions × classes
        A number in place of {class: cost} is the cost in every class, for example of manual review: {"refer": 2}. A
        negative cost is a gain.
    actions : sequence of labels, optional
        Names of the rows, if `costs` is an array.
    classes : sequence of labels, optional
        Classes of the columns, if `costs` is an array; default: the sorted classes of the model.

    Attributes
    ----------
    actions : tuple of labels
        In the given order; ties are resolved in favour of the first.
    classes : tuple of labels, or None
        Sorted; None if `costs` is an array without classes.
    matrix : array, actions × classes

    Examples
    --------
    >>> costs = Costs({"pass": {"ok": 0, "fraud": 100}, "block": {"ok": 5, "fraud": 0}, "refer": 2})
    >>> costs
    Costs of 3 actions in 2 classes
             fraud  ok
      pass     100   0
      block      0   5
      refer      2   2
    """

    actions: tuple[Label, ...]
    classes: tuple[Label, ...] | None
    matrix: FloatArray

    def __init__(self, costs: Any, actions: Sequence[Any] | None = None, classes: Sequence[Any] | None = None) -> None:
        if isinstance(costs, Mapping):
            if actions is not None or classes is not None:
                raise ParameterError("a mapping contains its actions and classes: omit actions= and classes=.")
            found = _of_mapping(cast("Mapping[Any, Any]", costs))
        else:
            found = _of_array(costs, actions, classes)
        for name, value in zip(("actions", "classes", "matrix"), found, strict=True):
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, given: Any) -> Costs:
        """Return `costs` unchanged if it is a Costs, or build one from a mapping."""
        if isinstance(given, Costs):
            return given
        if isinstance(given, Mapping):
            return cls(given)
        raise ParameterError(
            f"costs must be Costs(...) or a mapping {{action: {{class: cost}}}}: got {type(given).__name__}. "
            "Give an array as Costs(array, actions=[...])."
        )

    @classmethod
    def of_errors(cls, classes: Axis) -> Costs:
        """Return 0–1 costs: each action predicts a class; an error costs 1."""
        return cls(1.0 - np.eye(len(classes)), classes.labels, classes.labels)

    def on(self, classes: Axis) -> Costs:
        """Return the costs aligned to these classes; raise ParameterError if the classes differ."""
        if self.classes is None:
            width = self.matrix.shape[1]
            if width != len(classes):
                raise ParameterError(
                    f"costs must have a column for each of the {len(classes)} classes: got {width}. "
                    f"The classes are {_quote_labels(classes.labels)}."
                )
            return Costs(self.matrix, self.actions, classes.labels)
        places = [find_class(classes, label) for label in self.classes]
        for at, label in enumerate(classes):
            if places.count(at) > 1:
                raise ParameterError(f"costs has class {quote_label(label)} twice. Give its costs once.")
            if at not in places:
                raise ParameterError(
                    f"costs has no entry for class {quote_label(label)}. The classes are "
                    f"{_quote_labels(classes.labels)}: give the cost of each action in each of them."
                )
        return Costs(self.matrix[:, np.argsort(places)], self.actions, classes.labels)

    def expected(self, posterior: FloatArray) -> FloatArray:
        """Return expected costs Σ_c L[a, c] p(c | x), shape (rows, actions), from p(c | x), shape (rows, classes)."""
        return _weighed(posterior, self.matrix)

    def taken(self, posterior: FloatArray, action: IntArray) -> FloatArray:
        """Return the expected cost of the chosen action of each row, given its position."""
        found = np.zeros(len(posterior))
        for c in range(self.matrix.shape[1]):
            found += posterior[:, c] * self.matrix[action, c]
        return found

    def decide(self, posterior: FloatArray) -> IntArray:
        """Return the position of the action with the lowest expected cost for each row; ties go to the first action.

        Examples
        --------
        >>> costs = Costs([[0, 10], [1, 0]], actions=["pass", "block"])
        >>> costs.decide(np.array([[0.95, 0.05], [0.5, 0.5]]))
        array([0, 1])
        """
        return np.argmin(_weighed(posterior, self.matrix - self.matrix.min(axis=0)), axis=1)

    def threshold(self, class_prior: npt.ArrayLike | None = None) -> float:
        """Return the decision threshold for two actions and two classes.

        The action that is cheaper in the second class is chosen if the log-odds of that class exceed the threshold.
        With `class_prior`, the threshold applies to the log-likelihood ratio log p(x | second) − log p(x | first).

        Examples
        --------
        >>> costs = Costs([[0, 100], [5, 0]], actions=["pass", "block"])
        >>> round(costs.threshold(), 4), round(costs.threshold([0.99, 0.01]), 4)
        (-2.9957, 1.5994)
        """
        if self.matrix.shape != (2, 2):
            raise ParameterError(
                f"a threshold requires two actions and two classes: got {len(self.actions)} and "
                f"{self.matrix.shape[1]}. Use decide, which supports any number of actions and classes."
            )
        first, second = (float(each) for each in self.matrix[0] - self.matrix[1])
        if first > 0 > second:  # the first action is the one for the second class
            first, second = -first, -second
        if not (first < 0 < second):
            always = int(np.argmin(self.matrix.sum(axis=1)))
            raise ParameterError(
                f"there is no threshold: action {self.actions[always]!r} never costs more than "
                f"{self.actions[1 - always]!r}, so it is always taken. Check the costs."
            )
        odds = math.log(-first) - math.log(second)
        if class_prior is None:
            return odds
        prior = np.asarray(class_prior, dtype=np.float64)
        if prior.shape != (2,) or not ((prior > 0) & (prior < 1)).all() or abs(float(prior.sum()) - 1) > 1e-9:
            raise ParameterError(
                f"class_prior must be two probabilities above 0 that sum to 1: got {prior.tolist()!r}. "
                "With a prior of 0 the decision does not depend on the data."
            )
        return odds - (math.log(float(prior[1])) - math.log(float(prior[0])))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Costs):
            return NotImplemented
        return (
            self.actions == other.actions
            and self.classes == other.classes
            and np.array_equal(self.matrix, other.matrix)
        )

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __repr__(self) -> str:
        count, width = self.matrix.shape
        classes = f"{width} class{'es' * (width != 1)}"
        head = [] if self.classes is None else [["", *map(str, self.classes)]]
        cells = [*head, *([str(action), *(f"{cost:g}" for cost in row)] for action, row in self._rows())]
        sizes = [max(map(display_width, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(pad_text(text, sizes[at], to_right=at > 0) for at, text in enumerate(row)) for row in cells]
        return "\n  ".join([f"Costs of {count} action{'s' * (count != 1)} in {classes}", *lines])

    def _rows(self) -> list[tuple[Label, list[float]]]:
        return list(zip(self.actions, self.matrix.tolist(), strict=True))


def _weighed(posterior: FloatArray, matrix: FloatArray) -> FloatArray:
    # Class by class, so that the order of summation is the same on every machine.
    if posterior.ndim != 2 or posterior.shape[1] != matrix.shape[1]:
        raise ParameterError(
            f"posteriors must be rows × {matrix.shape[1]} classes: got shape {posterior.shape}. "
            "Give them in the order of the costs' classes."
        )
    found = np.zeros((len(posterior), len(matrix)))
    for c in range(matrix.shape[1]):
        found += posterior[:, c, None] * matrix[:, c]
    return found


def _of_mapping(costs: Mapping[Any, Any]) -> tuple[tuple[Label, ...], tuple[Label, ...] | None, FloatArray]:
    actions = _labels("action", list(costs))
    by_class = [cast("Mapping[Any, Any]", each) for each in costs.values() if isinstance(each, Mapping)]
    if not by_class:
        raise ParameterError(
            "costs must depend on the class, but every action has the same cost in all classes. Give at least one "
            "action a mapping {class: cost}."
        )
    axis = Axis.of(by_class[0])
    for each in by_class[1:]:
        axis = axis.union(Axis.of(each))[0]
    table = np.empty((len(actions), len(axis)))
    for at, (action, each) in enumerate(zip(actions, costs.values(), strict=True)):
        if not isinstance(each, Mapping):
            table[at] = _cost(action, "every class", each)
            continue
        found = cast("Mapping[Any, Any]", each)
        lacking = np.ones(len(axis), dtype=np.bool_)
        for label, cost in found.items():
            column = axis.index(label)
            lacking[column] = False
            table[at, column] = _cost(action, f"class {label!r}", cost)
        if lacking.any():
            raise ParameterError(
                f"costs of action {action!r} have no entry for class {axis.labels[int(np.argmax(lacking))]!r}, which "
                "another action has. Give its cost there, 0 if there is none."
            )
    return actions, axis.labels, seal(table)


def _of_array(
    costs: Any, actions: Sequence[Any] | None, classes: Sequence[Any] | None
) -> tuple[tuple[Label, ...], tuple[Label, ...] | None, FloatArray]:
    try:
        matrix = np.array(costs, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(
            "costs must be numbers, actions × classes, or a mapping {action: {class: cost}}: "
            f"got {type(costs).__name__}. Give every row the same length."
        ) from None
    if matrix.ndim != 2 or not matrix.size:
        raise ParameterError(
            f"costs must be actions × classes, a row for each action: got shape {matrix.shape}. Give a table."
        )
    if actions is None:
        raise ParameterError(f"an array of costs needs actions=, the names of its {len(matrix)} rows.")
    names = _labels("action", actions)
    if len(names) != len(matrix):
        raise ParameterError(
            f"costs must have a row for each action: got {counted(len(matrix), 'row')} and "
            f"{counted(len(names), 'action')}, {_quote_labels(names)}."
        )
    labels = None if classes is None else _labels("class", classes)
    if labels is not None and len(labels) != matrix.shape[1]:
        raise ParameterError(
            f"costs must have a column for each class: got {counted(matrix.shape[1], 'column')} and "
            f"{counted(len(labels), 'class')}, "
            f"{_quote_labels(labels)}."
        )
    for name, row in zip(names, matrix.tolist(), strict=True):
        for column, cost in enumerate(row):
            _cost(name, f"column {column}" if labels is None else f"class {labels[column]!r}", cost)
    if labels is None:
        return names, None, seal(matrix)
    axis = Axis.of(labels)
    laid = np.empty_like(matrix)
    laid[:, axis.positions(labels)] = matrix
    return names, axis.labels, seal(laid)


def _labels(what: str, given: Sequence[Any]) -> tuple[Label, ...]:
    if isinstance(given, str):
        raise ParameterError(f"the names of {what}s must be a list: got {given!r}. Write [{given!r}, …].")
    labels = tuple(canonical(label)[1] for label in given)
    if not labels:
        raise ParameterError(f"costs must have at least one {what}: got none.")
    keys = [canonical(label) for label in given]  # the kinds of True and 1 differ
    if len(set(keys)) != len(keys):
        twice = next(label for at, (kind, label) in enumerate(keys) if (kind, label) in keys[:at])
        raise ParameterError(f"{what} {twice!r} is given twice. Give its costs once.")
    return labels


def _cost(action: Label, where: str, cost: Any) -> float:
    if not is_real(cost) or not abs(cost) <= GREATEST:  # also rejects NaN
        raise ParameterError(
            f"a cost must be a finite number (at most 1e300 in absolute value): action {action!r}, {where} has "
            f"{cost!r}. To exclude an action, use a cost that is large compared with the others."
        )
    return float(cost)


def _quote_labels(labels: Sequence[Label]) -> str:
    return ", ".join(map(quote_label, labels[:12])) + ", …" * (len(labels) > 12)
