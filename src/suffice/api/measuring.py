"""How good a model is on rows of their own: what `Model.evaluate` returns. Files are read a batch at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.api.options import readings_of
from suffice.api.posterior import asked_scores
from suffice.api.scoring import Oddities
from suffice.engines import arrays
from suffice.errors import DataError
from suffice.evidence.evaluation import Asked, Evaluation, HeldRows, evaluated
from suffice.evidence.evaluation.held_out import Part, Parts, joined, posterior_of
from suffice.evidence.evaluation.predictions import Posterior
from suffice.sources import Batch, OnProgress, rows_from
from suffice.statistics import Axis
from suffice.statistics.frozen_arrays import FloatArray, IntArray
from suffice.warnings import unseen_classes

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = ["measured_model"]


def measured_model(
    model: Model,
    data: Any,
    target: Any,
    weights: Any,
    asked: Asked,
    readings: Any = None,
    progress: OnProgress | None = None,
) -> Evaluation:
    """Return how good the model is on rows that it has not seen, which the caller vouches for."""
    known = model.naive_bayes
    compared = readings_of(readings, known)
    oddities = Oddities()
    parts: list[Part] = []
    places: list[IntArray] = []
    found: list[Posterior] = []
    axes: list[tuple[IntArray, Axis]] = []
    heavy: list[FloatArray] = []
    start = 0
    with rows_from(data, target, weights, like=model.like, progress=progress) as source:
        for batch in map(Batch.labelled, source):
            scores = asked_scores(model, batch.table, "log_posterior")
            oddities.add(scores)
            at = np.arange(start, start + batch.table.rows)
            start += batch.table.rows
            found.append(posterior_of(scores, known.log_prior))
            axes.append((batch.classes.codes.astype(np.int64, copy=False), batch.classes.classes))
            heavy.append(np.ones(batch.table.rows) if batch.weights is None else batch.weights.astype(np.float64))
            places.append(at)
            if compared.readings:  # they look at the rows again
                parts.append(Part(known, batch.table, at))
    if not places:
        raise DataError("there is no row to measure on. Give rows, and the class of each.")
    oddities.say(impossible=False)
    held = HeldRows("rows of their own", *_together(axes), np.concatenate(heavy))
    tally = arrays.tally(held.codes, held.classes, weights=held.weights)
    unseen_classes(tally, known.classes, "The model cannot predict them, so these rows count as wrong.")
    return evaluated(known.classes, joined(found, places), held, asked, Parts(tuple(parts)), *compared)


def _together(axes: list[tuple[IntArray, Axis]]) -> tuple[IntArray, Axis]:
    union = axes[0][1]
    for _, classes in axes[1:]:
        union = union.union(classes)[0]
    return np.concatenate([union.positions(classes)[codes] for codes, classes in axes]), union
