"""A threshold between two classes, chosen on rows whose class is known."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from suffice.api.deciding import prior_of
from suffice.api.posterior import asked_scores
from suffice.api.scoring import Oddities
from suffice.decisions import Costs, Threshold, choose_threshold, log_odds
from suffice.errors import DataError, ParameterError
from suffice.sources import OnProgress, rows_from
from suffice.sources.target import Target
from suffice.statistics import Axis
from suffice.statistics.frozen_arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = ["chosen_threshold"]


def chosen_threshold(
    model: Model,
    data: Any,
    target: Any,
    weights: Any,
    label: Any,
    class_prior: Any,
    asked: dict[str, Any],
    *,
    labelled: bool = False,
    progress: OnProgress | None = None,
) -> Threshold:
    """Return the threshold on the log-odds of one of two classes that keeps what is asked for.

    `labelled` takes the class of the rows of files from where it was when the model was fitted, where no target is
    given.
    """
    prior_of(model, class_prior)
    known = model if class_prior is None else model.with_options(class_prior=class_prior)
    classes = known.naive_bayes.classes
    at = _position(classes, label)
    needs = [by for by in ("precision", "recall", "costs") if asked.get(by) is not None]
    labelled = labelled or target is not None
    if needs and not labelled:
        raise DataError(
            f"a threshold by {needs[0]} needs the class of each row",
            kind="no_target",
            advice=lambda words: f"Give {words.option('target')}: an array, or the name of a column.",
        )
    if asked.get("costs") is not None:
        costs = Costs.of(asked["costs"]).on(classes)
        asked = {**asked, "costs": costs if at else Costs(costs.matrix[:, ::-1], costs.actions)}
    oddities = Oddities()
    odds: list[FloatArray] = []
    codes: list[IntArray] = []
    heavy: list[npt.NDArray[Any]] = []
    with rows_from(data, target, weights, like=known.like, needs_classes=labelled, progress=progress) as source:
        for batch in source:
            scores = asked_scores(known, batch.table, "log_posterior")
            oddities.add(scores)
            odds.append(log_odds(scores.values)[:, at])
            codes.append(_codes(batch.target, classes, batch.table.rows))
            heavy.append(np.ones(batch.table.rows) if batch.weights is None else batch.weights)
    oddities.say(impossible=True)
    score, code, weight = (np.concatenate([np.empty(0), *each]) for each in (odds, codes, heavy))
    stay = code >= 0
    positive = code[stay] == at if labelled else None
    return replace(choose_threshold(score[stay], positive, weight[stay], **asked), label=classes.labels[at])


def _position(classes: Axis, label: Any) -> int:
    if len(classes) != 2:
        raise ParameterError(
            f"a threshold is between two classes: the model has {len(classes)}. Decide by costs instead."
        )
    if label is None:
        return 1
    if label not in classes:
        raise ParameterError(f"label must be a class of the model, {list(classes)!r}: got {label!r}.")
    return classes.index(label)


def _codes(target: Target | None, classes: Axis, rows: int) -> IntArray:
    if target is None:
        return np.zeros(rows, dtype=np.int64)
    strange = [each for at, each in enumerate(target.classes) if each not in classes and (target.codes == at).any()]
    if strange:
        raise DataError(
            f"target has a class that the model does not know, {strange[0]!r}. Its classes are {list(classes)!r}."
        )
    places = [classes.index(each) if each in classes else -1 for each in target.classes]
    return np.array([*places, -1], dtype=np.int64)[target.codes]
