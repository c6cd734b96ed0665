"""Rows explained a table at a time, and what is odd about all of them said once, at the end."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.api.posterior import weighed_scores
from suffice.api.scoring import Oddities
from suffice.conjugate.arguments import whole
from suffice.errors import DataError
from suffice.evidence.explanation import Explanation
from suffice.evidence.explanation_choice import Asked
from suffice.evidence.explanation_rows import explanations
from suffice.sources import OnProgress, rows_from
from suffice.statistics.counted import counted

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = ["REST", "explained"]

REST = "rest"


def explained(
    model: Model,
    data: Any,
    label: Any = None,
    against: Any = None,
    top: int | None = None,
    rows: Collection[int] | None = None,
    progress: OnProgress | None = None,
) -> Iterator[Explanation]:
    """Yield the explanation of each row, or of those with these numbers, in the order of the data.

    Of files only a batch is in memory, and no more is read than the last of the rows asked for needs.
    """
    known = model.naive_bayes
    rest = isinstance(against, str) and against == REST and against not in known.classes
    most = None if top is None else whole("top", top, 0)
    asked = Asked.of(known, label, None if rest else against, rest=rest, top=most)
    wanted = None if rows is None else np.unique([whole("row", row, 0) for row in rows]).astype(np.int64)
    oddities = Oddities()
    first = 0
    with rows_from(data, like=model.like, needs_classes=False, progress=progress) as source:
        for batch in source:
            table = batch.table
            numbers = np.arange(first, first + table.rows, dtype=np.int64)
            if wanted is not None:
                numbers = wanted[(wanted >= first) & (wanted < first + table.rows)]
            some = table if wanted is None else table.take(numbers - first)
            first += table.rows
            if len(numbers):
                scores, calibrated = weighed_scores(model, some)
                oddities.add(scores)
                yield from explanations(known, some, asked, scores, numbers, calibrated)
            if wanted is not None and not (wanted >= first).any():
                break
    if wanted is not None and (wanted >= first).any():
        raise DataError(
            f"there is no row {int(wanted[-1])}: the data have {counted(first, 'row')}, counted from 0. Give another."
        )
    oddities.say(impossible=True)
