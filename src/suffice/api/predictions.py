"""Predictions as columns, one batch at a time, for the command line to write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.api.novelty import compared, novelty_of_table, require_reference
from suffice.api.scoring import ScoringWarnings, asked_scores
from suffice.decisions import Unit, in_unit, log_odds
from suffice.records import column_of_labels, encodable
from suffice.sources import Batch, OnProgress
from suffice.sources.files import Files
from suffice.sources.files.rows import FileRows
from suffice.statistics.axis import Columns
from suffice.statistics.labels import label_text

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = ["batches_to_score", "predicted_columns", "put_column"]


def predicted_columns(
    model: Model,
    files: Files,
    *,
    proba: bool = False,
    odds: bool = False,
    unit: Unit = "nats",
    density: bool = False,
    novelty: bool = False,
    keep: tuple[str, ...] = (),
    progress: OnProgress | None = None,
    ignored: Callable[[Columns], None] | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield {name: column} for each batch of the files, in order.

    Columns to keep come first, under their own names ("*" keeps all), then `predicted`, and on request `p(class)`
    of each class, `log_odds(class)` of each class against the rest in that unit (for two classes only the second),
    `log_density`, and `novelty_p_value`, the fraction of the reference rows that are at most as probable. An underscore
    is appended to a name that is already taken. `ignored` is called with the columns of the files that are neither used
    nor kept.
    """
    scoring_warnings = ScoringWarnings()
    labels = [encodable(label_text(label)) for label in model.classes]
    classes = column_of_labels(model.classes)
    if novelty:
        require_reference(model)
    beside = compared(model)
    for batch in batches_to_score(model, files, keep, progress, ignored):
        table = batch.table
        scores = asked_scores(model, table, "log_posterior")
        scoring_warnings.add(scores)
        out: dict[str, Any] = dict(batch.metadata)
        best = np.argmax(scores.values, axis=1)
        put_column(out, "predicted", [classes[at] for at in best.tolist()])
        if proba:
            posterior = np.exp(scores.values)
            for at, label in enumerate(labels):
                put_column(out, f"p({label})", posterior[:, at])
        if odds:
            against = in_unit(log_odds(scores.values), unit)
            for at in (1,) if len(labels) == 2 else range(len(labels)):
                put_column(out, f"log_odds({labels[at]})", against[:, at])
        if density:
            put_column(out, "log_density", model.core.score(table, "density").values)
        if novelty:
            put_column(out, "novelty_p_value", novelty_of_table(beside, table).p_value)
        yield out
    scoring_warnings.emit(impossible=True)


def batches_to_score(
    model: Model,
    files: Files,
    keep: tuple[str, ...],
    progress: OnProgress | None,
    ignored: Callable[[Columns], None] | None = None,
) -> Iterator[Batch]:
    """Yield the rows of files as a model reads them, each batch with the columns to keep in its metadata.

    `ignored` is called with the columns of the files that are neither used nor kept.
    """
    with FileRows(files, None, None, model.like, {}, keep, progress, needs_classes=False) as source:
        if ignored is not None:
            ignored(source.ignored)
        yield from source


def put_column(columns: dict[str, Any], name: str, values: Any) -> None:
    """Add a column; an underscore is appended to a name that is already taken."""
    while name in columns:
        name += "_"
    columns[name] = values
