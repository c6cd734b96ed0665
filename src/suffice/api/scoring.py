"""Rows scored a table at a time, and what is odd about all of them said once, at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, final

import numpy as np

from suffice.api.files import OnProgress, tables_of_files
from suffice.api.notices import ImpossibleRowsWarning, UnseenLevelsWarning, notify
from suffice.api.posterior import asked_scores
from suffice.api.seen import aligned_table
from suffice.api.table import table_of
from suffice.engines.files import Batch, Files
from suffice.engines.table import Table
from suffice.models import Scores, Unseen, Wanted
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = ["Oddities", "batches_to_score", "scored", "tables_to_score"]

_MANY_UNSEEN = 0.2
_EXAMPLES = 3


@final
class Oddities:
    """Rows that are impossible, and cells with levels that the model has not seen, over all tables of one call."""

    def __init__(self) -> None:
        self._rows = self._impossible = 0
        self._unseen: dict[str | int, Unseen] = {}

    def add(self, scores: Scores) -> None:
        """Count those of one table."""
        self._rows += len(scores.values)
        self._impossible += scores.impossible
        for each in scores.unseen:
            before = self._unseen.get(each.column)
            if before is not None:
                strange = tuple(dict.fromkeys((*before.unseen, *each.unseen)))[:_EXAMPLES]
                each = each._replace(cells=each.cells + before.cells, known=each.known + before.known, unseen=strange)  # noqa: PLW2901
            self._unseen[each.column] = each

    def say(self, *, impossible: bool) -> None:
        """Warn of them; of impossible rows only where they got the class prior."""
        for column, cells, known, strange, familiar in self._unseen.values():
            if cells > _MANY_UNSEEN * known:
                notify(
                    UnseenLevelsWarning,
                    f"column {column!r}: {cells} of {known} known cells have levels that the model has not seen, such "
                    f"as {', '.join(map(repr, strange))}; it knows {', '.join(map(repr, familiar)) or 'none'}. "
                    "They count as unseen. Check that the column has the same coding as when the model was fitted.",
                )
        if impossible and self._impossible:
            notify(
                ImpossibleRowsWarning,
                f"{self._impossible} of {self._rows} rows are impossible under every class and got the class prior. "
                "Read the model with a prior (estimate='mean' or 'predictive'), or look at these rows: "
                "their log_density is −inf.",
            )


def scored(model: Model, data: Any, wanted: Wanted, *, impossible: bool) -> FloatArray:
    """Return the scores of every row of anything that `fit` takes."""
    oddities = Oddities()
    parts: list[FloatArray] = []
    for table in tables_to_score(model, data):
        scores = asked_scores(model, table, wanted)
        oddities.add(scores)
        parts.append(scores.values)
    oddities.say(impossible=impossible)
    if len(parts) == 1:
        return parts[0]
    shape = (0,) if wanted == "density" else (0, len(model.classes))
    return np.concatenate([np.empty(shape), *parts])


def batches_to_score(
    model: Model,
    files: Files,
    keep: tuple[str, ...],
    progress: OnProgress | None,
    ignored: Callable[[Columns], None] | None = None,
) -> Iterator[tuple[Table, Batch, Columns]]:
    """Yield the tables of files, each with the batch that it comes from and the columns to keep of it.

    `ignored` is told of the columns of the files that are neither used nor kept.
    """
    chosen: Columns = ()

    def kept(names: Columns, beside: Columns) -> Columns:
        nonlocal chosen
        # Where a row comes from stands beside what is said of it.
        asked = names if "*" in keep else tuple(_kept(name, names, files) for name in keep)
        chosen = tuple(dict.fromkeys((*beside, *asked)))
        return chosen

    for table, batch in tables_of_files(model, files, progress, kept, ignored):
        yield table, batch, chosen


def _kept(given: str, names: Columns, files: Files) -> str | int:
    from suffice.engines.files.batches import named

    return named(given, names, "kept", files.paths[0])


def tables_to_score(model: Model, data: Any, progress: OnProgress | None = None) -> Iterator[Table]:
    """Yield the rows of anything that `fit` takes, with the columns of the model."""
    files = Files.of(data)
    if files is None:
        yield aligned_table(table_of(data), model.schema)
    else:
        for table, _ in tables_of_files(model, files, progress):
            yield table
