"""Predictions as columns, a batch at a time: what a face writes out beside the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.api.files import OnProgress
from suffice.api.posterior import asked_scores
from suffice.api.scoring import Oddities, batches_to_score
from suffice.decisions import log_odds
from suffice.engines.files import Files

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = ["predicted_columns"]


def predicted_columns(
    model: Model,
    files: Files,
    *,
    proba: bool = False,
    odds: bool = False,
    density: bool = False,
    keep: tuple[str, ...] = (),
    progress: OnProgress | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield {name: column} for each batch of the files, in order.

    Columns to keep come first, under their own names ("*" keeps all), then `predicted`, and where asked for `p(class)`
    of each class, `log_odds(class)` of each class against the rest (of two classes the second alone), and
    `log_density`. A name that is taken gets an underscore more.
    """
    oddities = Oddities()
    labels = [str(label) for label in model.classes]
    classes: Sequence[Any] = (
        model.classes if len(set(map(type, model.classes))) == 1 else labels
    )  # a column has one type
    for table, batch, kept in batches_to_score(model, files, keep, progress):
        scores = asked_scores(model, table, "log_posterior")
        oddities.add(scores)
        out: dict[str, Any] = {str(name): batch.frame[str(name)] for name in kept}
        best = np.argmax(scores.values, axis=1)
        _put(out, "predicted", [classes[at] for at in best.tolist()])
        if proba:
            posterior = np.exp(scores.values)
            for at, label in enumerate(labels):
                _put(out, f"p({label})", posterior[:, at])
        if odds:
            against = log_odds(scores.values)
            for at in (1,) if len(labels) == 2 else range(len(labels)):
                _put(out, f"log_odds({labels[at]})", against[:, at])
        if density:
            _put(out, "log_density", model.naive_bayes.score(table, "density").values)
        yield out
    oddities.say(impossible=True)


def _put(columns: dict[str, Any], name: str, values: Any) -> None:
    while name in columns:
        name += "_"
    columns[name] = values
