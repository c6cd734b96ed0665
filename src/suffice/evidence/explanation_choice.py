"""Which class of each row is explained against which, and how they are weighed.

Symbols as in explanation.py: c is the class asked for, or the most probable one; d the class asked for, the most
probable of the others, or all of them (the rest), each as likely as it is given that it is not c. Of a row that is
impossible under every class that is left the class prior decides, and where that is 0 too all are alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np

from suffice.decisions import log_odds
from suffice.errors import ParameterError
from suffice.models import NaiveBayesModel
from suffice.statistics.frozen_arrays import BoolArray, FloatArray, IntArray
from suffice.statistics.labels import Label

__all__ = ["Asked", "Chosen", "choose"]


@final
@dataclass(frozen=True, slots=True)
class Asked:
    """What to explain: the place of a class, or None for the most probable one of each row; and against what.

    `against` is the place of another class, or None: the most probable of the others. With `rest` it is all of them.
    Where the most probable class is the one to be compared with, the most probable of the others is explained.
    """

    label: int | None = None
    against: int | None = None
    rest: bool = False
    top: int | None = None

    @classmethod
    def of(
        cls,
        model: NaiveBayesModel,
        label: Label = None,
        against: Label = None,
        *,
        rest: bool = False,
        top: int | None = None,
    ) -> Asked:
        """Return it for labels, or raise ParameterError where the model does not know them."""
        if len(model.classes) == 1:
            raise ParameterError(
                f"there is nothing to explain: the model knows one class, {model.classes.labels[0]!r}. "
                "Fit it on rows of two classes or more."
            )
        both = [None if each is None else _place(model, each) for each in (label, against)]
        if both[0] is not None and both[0] == both[1]:
            raise ParameterError(f"class {label!r} cannot be compared with itself. Compare it with another class.")
        return cls(both[0], both[1], rest, top)


class Chosen(NamedTuple):
    """Of each row the class c, the class d (−1: the rest), v = e_c − e_d or e_c − r (n, C), and numbers.

    The score, p(c | x), −H(r), and whether the row is impossible under both.
    """

    label: IntArray
    against: IntArray
    weights: FloatArray
    score: FloatArray
    probability: FloatArray
    spread: FloatArray
    impossible: BoolArray


def choose(joint: FloatArray, log_prior: FloatArray, asked: Asked) -> Chosen:
    """Return what is compared in each row, given log p(c, x) of rows × classes and log p(c)."""
    rows, classes = joint.shape
    every = np.arange(rows, dtype=np.int64)
    label = _label(joint, log_prior, asked)
    left = _without(joint, label)
    possible = _possible(left, log_prior, label)
    against = _all(rows, asked.against) if asked.against is not None else _greatest(possible)
    here = joint[every, label]
    weights, spread = np.zeros((rows, classes)), np.zeros(rows)
    if asked.rest:
        share = _shares(possible)
        there: FloatArray = left.max(axis=1)
        weights -= share
        logs = np.log(np.where(share > 0, share, 1.0))
        spread = np.where(np.isneginf(there), 0.0, (share * logs).sum(axis=1))
    else:
        there = joint[every, against]
        weights[every, against] -= 1.0
    weights[every, label] += 1.0
    impossible = np.isneginf(here) & np.isneginf(there)
    compared = np.where(impossible[:, None], log_prior, joint)
    with np.errstate(invalid="ignore"):
        score = log_odds(compared)[every, label] if asked.rest else compared[every, label] - compared[every, against]
    score = np.where(np.isnan(score), 0.0, score)  # a prior that is 0 on both sides
    if asked.rest:
        against = _all(rows, -1)
    probability = _shares(_possible(joint, log_prior, None))[every, label]
    return Chosen(label, against, weights, score, probability, spread, impossible)


def _place(model: NaiveBayesModel, label: Label) -> int:
    if label not in model.classes:
        raise ParameterError(
            f"the model does not know class {label!r}. Its classes are {list(model.classes)[:12]!r}. Give one of them."
        )
    return model.classes.index(label)


def _label(joint: FloatArray, log_prior: FloatArray, asked: Asked) -> IntArray:
    rows = len(joint)
    if asked.label is not None:
        return _all(rows, asked.label)
    winner = _greatest(_possible(joint, log_prior, None))
    if asked.against is None:
        return winner
    other = _all(rows, asked.against)
    return np.where(winner == other, _greatest(_possible(_without(joint, other), log_prior, other)), winner)


def _all(rows: int, place: int) -> IntArray:
    found: IntArray = np.zeros(rows, dtype=np.int64)
    found[:] = place
    return found


def _greatest(logs: FloatArray) -> IntArray:
    return np.asarray(np.argmax(logs, axis=1), dtype=np.int64)


def _without(joint: FloatArray, label: IntArray) -> FloatArray:
    left = joint.copy()
    left[np.arange(len(left)), label] = -np.inf
    return left


def _possible(logs: FloatArray, log_prior: FloatArray, label: IntArray | None) -> FloatArray:
    # Rows of nothing but −inf get the log prior of the classes that are left, and zeros where that is −inf too.
    found = logs
    for instead in (log_prior, np.zeros_like(log_prior)):
        greatest: FloatArray = found.max(axis=1, initial=-np.inf)
        gone = np.isneginf(greatest)
        if gone.any():
            found = found.copy()
            rows = np.tile(instead, (int(gone.sum()), 1))
            found[gone] = rows if label is None else _without(rows, label[gone])
    return found


def _shares(possible: FloatArray) -> FloatArray:
    masses = np.exp(possible - possible.max(axis=1, keepdims=True, initial=-np.inf))
    return masses / masses.sum(axis=1, keepdims=True)
