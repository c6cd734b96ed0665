"""How good a model is on rows of their own: what `Model.evaluate` returns. Files are read a batch at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.api.files import OnProgress, rows_of_files
from suffice.api.notices import DroppedRowsWarning, notify, unseen_classes
from suffice.api.posterior import asked_scores
from suffice.api.readings import readings_of
from suffice.api.scoring import Oddities
from suffice.api.seen import Rows, aligned_table, rows_of
from suffice.engines import arrays
from suffice.engines.files import Files
from suffice.errors import DataError
from suffice.evidence.evaluation import Asked, Evaluation, HeldRows, evaluated
from suffice.evidence.evaluation.held_out import Part, Parts, joined, posterior_of
from suffice.evidence.evaluation.predictions import Posterior
from suffice.statistics import Axis
from suffice.statistics.frozen_arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = ["known_rows", "measured_model", "no_class"]


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
    rows = missing = start = 0
    for each in _tables(model, data, target, weights, progress):
        rows += each.table.rows
        missing += each.target.missing
        table, (codes, classes, _, _), own = known_rows(each)
        scores = asked_scores(model, table, "log_posterior")
        oddities.add(scores)
        at = np.arange(start, start + table.rows)
        start += table.rows
        found.append(posterior_of(scores, known.log_prior))
        axes.append((codes, classes))
        heavy.append(np.ones(table.rows) if own is None else own.astype(np.float64))
        places.append(at)
        if compared.readings:  # they look at the rows again
            parts.append(Part(known, table, at))
    if missing:
        no_class(missing, rows)
    if not places:
        raise DataError("there is no row to measure on. Give rows, and the class of each.")
    oddities.say(impossible=False)
    held = HeldRows("rows of their own", *_together(axes), np.concatenate(heavy))
    tally = arrays.tally(held.codes, held.classes, weights=held.weights)
    unseen_classes(tally, known.classes, "The model cannot predict them, so these rows count as wrong.")
    return evaluated(known.classes, joined(found, places), held, asked, Parts(tuple(parts)), *compared)


def known_rows(rows: Rows) -> Rows:
    """Return the rows that have a class, their weights checked."""
    table, (codes, classes, missing, _), weights = rows
    codes = codes.astype(np.int64, copy=False)
    arrays.tally(codes, classes, weights=weights)
    if missing:
        there = np.flatnonzero(codes >= 0)
        table, codes, weights = table.take(there), codes[there], None if weights is None else weights[there]
    return Rows(table, rows.target._replace(codes=codes, missing=0, rows=None), weights)


def no_class(missing: int, rows: int) -> None:
    """Warn of rows without a class."""
    notify(
        DroppedRowsWarning,
        f"{missing} of {rows} rows have no class and were left out. Give them one, or drop them first.",
    )


def _tables(model: Model, data: Any, target: Any, weights: Any, progress: OnProgress | None) -> Iterator[Rows]:
    files = Files.of(data)
    if files is not None:
        yield from rows_of_files(model, files, target, weights, progress)
        return
    target = model.provenance.target if target is None else target
    if target is None:
        raise DataError("the class of each row is not known. Give target=: an array, or the name of a column.")
    rows = rows_of(data, target, weights)
    yield rows._replace(table=aligned_table(rows.table, model.schema))


def _together(axes: list[tuple[IntArray, Axis]]) -> tuple[IntArray, Axis]:
    union = axes[0][1]
    for _, classes in axes[1:]:
        union = union.union(classes)[0]
    return np.concatenate([union.positions(classes)[codes] for codes, classes in axes]), union
