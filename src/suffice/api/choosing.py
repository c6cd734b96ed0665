"""A threshold between two classes, chosen on rows whose class is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from suffice.api.deciding import prior_of
from suffice.api.files import OnProgress, rows_of_files, tables_of_files
from suffice.api.notices import DroppedRowsWarning, notify
from suffice.api.posterior import asked_scores
from suffice.api.scoring import Oddities
from suffice.api.seen import aligned_table, column_weights, rows_of
from suffice.api.table import table_of
from suffice.api.target import Target
from suffice.decisions import Costs, Threshold, choose_threshold, log_odds
from suffice.engines.files import Files
from suffice.engines.files.batches import named
from suffice.engines.table import Table
from suffice.errors import DataError, ParameterError
from suffice.statistics import Axis
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = ["chosen_threshold"]


class _Part(NamedTuple):
    """Some rows with the columns of a model; no target where none is needed."""

    table: Table
    target: Target | None
    weights: npt.NDArray[Any] | None


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
    known = model if class_prior is None else model.read(class_prior=class_prior)
    classes = known.naive_bayes.classes
    at = _position(classes, label)
    needs = [by for by in ("precision", "recall", "costs") if asked.get(by) is not None]
    labelled = labelled or target is not None
    if needs and not labelled:
        raise DataError(
            f"a threshold by {needs[0]} needs the class of each row. Give target=: an array, or the name of a column."
        )
    if asked.get("costs") is not None:
        costs = Costs.of(asked["costs"]).on(classes)
        asked = {**asked, "costs": costs if at else Costs(costs.matrix[:, ::-1], costs.actions)}
    oddities = Oddities()
    odds: list[FloatArray] = []
    codes: list[IntArray] = []
    heavy: list[npt.NDArray[Any]] = []
    for part in _parts(known, data, target, weights, progress, labelled=labelled):
        scores = asked_scores(known, part.table, "log_posterior")
        oddities.add(scores)
        odds.append(log_odds(scores.values)[:, at])
        codes.append(_codes(part.target, classes, part.table.rows))
        heavy.append(np.ones(part.table.rows) if part.weights is None else part.weights)
    oddities.say(impossible=True)
    score, code, weight = (np.concatenate([np.empty(0), *each]) for each in (odds, codes, heavy))
    stay = code >= 0
    if not stay.all():
        notify(
            DroppedRowsWarning,
            f"{int((~stay).sum())} of {len(stay)} rows have no class and were left out. "
            "Give them one, or drop them first.",
        )
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


def _parts(
    model: Model, data: Any, target: Any, weights: Any, progress: OnProgress | None, *, labelled: bool
) -> Iterator[_Part]:
    files = Files.of(data)
    if files is None:
        table = table_of(data)
        rows = rows_of(table, np.zeros(table.rows, dtype=np.int64) if target is None else target, weights)
        yield _Part(aligned_table(rows.table, model.schema), None if target is None else rows.target, rows.weights)
    elif labelled:
        for rows in rows_of_files(model, files, target, weights, progress):
            yield _Part(*rows)
    else:
        yield from _parts_without_classes(model, files, weights, progress)


def _parts_without_classes(model: Model, files: Files, weights: Any, progress: OnProgress | None) -> Iterator[_Part]:
    found: list[str | int] = []

    def keep(names: Columns, beside: Columns) -> Columns:
        del beside
        if weights is not None:
            if isinstance(weights, bool) or not isinstance(weights, (str, int)):
                raise DataError(
                    f"weights must be the name or the place of a column in the files: got {type(weights).__name__}."
                )
            found.append(named(weights, names, "weights", files.paths[0]))
        return tuple(found)

    for table, batch in tables_of_files(model, files, progress, keep):
        heavy = [column_weights(batch.table.column(name), name) for name in found]
        yield _Part(table, None, heavy[0] if heavy else None)
