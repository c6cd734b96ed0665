"""What was said of rows that were held out, and what they are.

    llr = log p(x | 1) − log p(x | 0) = log-odds of class 1 − logit(prior)        of two classes

The prior is the one under which the row was scored, which differs from fold to fold where it is empirical. Where it
leaves a class out there is nothing to take away, and the log-odds stand. A row that is impossible under both classes
has the prior as its posterior, and so a ratio of 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

import numpy as np

from suffice.decisions import log_odds
from suffice.errors import DataError, ParameterError
from suffice.models.finishing import finished
from suffice.statistics import Axis
from suffice.statistics.frozen_arrays import BoolArray, FloatArray, IntArray
from suffice.statistics.labels import Label

__all__ = ["Posterior", "Predictions", "odds_to_rank", "posterior_of_joint", "ratios"]


class Posterior(NamedTuple):
    """log p(c | x), rows × classes; of two classes log p(x|1) − log p(x|0), else nothing; how many were impossible."""

    values: FloatArray
    llr: FloatArray | None
    impossible: int


def posterior_of_joint(joint: FloatArray, log_prior: FloatArray) -> Posterior:
    """Return what follows from log p(c, x), under one prior for all rows or one for each."""
    classes: int = joint.shape[1]
    scores = finished(joint, np.zeros(classes), "log_posterior")
    values = scores.values
    if scores.impossible:
        impossible = np.isneginf(joint).all(axis=1)
        values[impossible] = np.broadcast_to(log_prior, joint.shape)[impossible]
    return Posterior(values, ratios(values, log_prior), scores.impossible)


def ratios(log_posterior: FloatArray, log_prior: FloatArray) -> FloatArray | None:
    """Return the log-likelihood ratio of the second of two classes; of more or fewer classes there is none.

    Examples
    --------
    >>> ratios(np.log([[0.5, 0.5]]), np.log([0.9, 0.1])).round(3)
    array([2.197])
    """
    if log_posterior.shape[1] != 2:
        return None
    odds = log_odds(log_posterior)[:, 1]
    finite: BoolArray = np.isfinite(log_prior)
    both = finite[..., 0] & finite[..., 1]
    return odds - (np.where(both, log_prior[..., 1], 0.0) - np.where(both, log_prior[..., 0], 0.0))


def odds_to_rank(log_posterior: FloatArray) -> FloatArray:
    """Return the log-odds of each class against the rest, in time linear in the classes.

    A class of more than one half is told by the others, because its own probability may be 1 to the last digit; any
    other by itself. So rows that are equal but for the order of their classes are treated alike.

    Examples
    --------
    >>> odds_to_rank(np.log([[0.5, 0.25, 0.25]])).round(4)
    array([[ 0.    , -1.0986, -1.0986]])
    """
    if log_posterior.shape[1] <= 2:
        return log_odds(log_posterior)
    best = np.argmax(log_posterior, axis=1)
    rows = np.flatnonzero(log_posterior.max(axis=1, initial=-np.inf) > -np.log(2))
    at = rows, best[rows]
    rest = log_posterior[rows]
    rest[np.arange(len(rows)), at[1]] = -np.inf
    alone = log_posterior.copy()
    alone[at] = -np.inf
    odds = log_posterior - np.log1p(-np.exp(alone))
    odds[at] = log_posterior[at] - np.logaddexp.reduce(rest, axis=1)
    return odds


@final
@dataclass(frozen=True, eq=False)
class Predictions:
    """Rows with their class, their weight and what was said of them.

    Parameters
    ----------
    classes : Axis
        Those of the model and those of the rows.
    codes : array of rows
        The class of each row: a position on the axis.
    log_posterior : array of rows × classes
    llr : array of rows, optional
        The log-likelihood ratio of the second class, of two.
    weights : array of rows
    positive : int
        Which of two classes is the one to detect.
    units : array of rows, optional
        The group of each row, where rows come in groups that are drawn whole.
    """

    classes: Axis
    codes: IntArray
    log_posterior: FloatArray
    llr: FloatArray | None
    weights: FloatArray
    positive: int = 1
    units: IntArray | None = None

    @classmethod
    def of(
        cls,
        known: Axis,
        posterior: Posterior,
        classes: Axis,
        codes: IntArray,
        weights: FloatArray | None,
        positive: object = None,
        units: IntArray | None = None,
    ) -> Predictions:
        """Return the predictions of a model that knows some classes, for rows of others perhaps.

        Parameters
        ----------
        known : Axis
            The classes of the model.
        posterior : Posterior
        classes, codes : the classes of the rows, all of them known there
        weights : array of rows, optional
        positive : label, optional
            Which of two classes is the one to detect; by default the second.
        units : array of rows, optional
        """
        if not len(codes):
            raise DataError("there is no row with a class to measure on. Give rows, and the class of each.")
        both, at_known, at_classes = known.union(classes)
        values, llr = posterior.values, posterior.llr
        if len(both) > len(known):
            wider = np.full((len(values), len(both)), -np.inf)
            wider[:, at_known] = values
            values, llr = wider, None
        heavy = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=np.float64)
        if not heavy.any():
            raise DataError("every row has weight 0, so there is nothing to measure. Give weights > 0.")
        return cls(both, at_classes[codes], values, llr, heavy, _positive(both, positive), units)

    @property
    def labels(self) -> tuple[Label, ...]:
        """The classes, sorted."""
        return self.classes.labels

    @cached_property
    def predicted(self) -> IntArray:
        """The most probable class of each row; of equals the first."""
        return np.argmax(self.log_posterior, axis=1)


def _positive(classes: Axis, label: object) -> int:
    if label is None:
        return min(1, len(classes) - 1)
    if label not in classes:
        raise ParameterError(f"positive must be one of the classes {list(classes)[:12]!r}: got {label!r}.")
    if len(classes) != 2:
        raise ParameterError(
            f"positive is the one of two classes to detect: got {label!r} of {len(classes)} classes. Leave it out."
        )
    return classes.index(label)
