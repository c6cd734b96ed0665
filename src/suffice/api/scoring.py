"""Scoring of rows one table at a time, with one warning at the end for all impossible rows and unseen levels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from suffice.errors import ImpossibleRowsWarning, UnseenLevelsWarning
from suffice.models import Scores, Unseen, Wanted
from suffice.sources import rows_from
from suffice.statistics.arrays import FloatArray
from suffice.warnings import notify

if TYPE_CHECKING:
    from suffice.api.model import Model
from typing import TYPE_CHECKING

from suffice.sources.table import Table

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = ["ScoringWarnings", "asked_scores", "scored", "weighed_scores"]

_MANY_UNSEEN = 0.2
_EXAMPLES = 3


@final
class ScoringWarnings:
    """Counts of impossible rows and of cells with unseen levels over all tables of one call."""

    def __init__(self) -> None:
        self._rows = self._impossible = 0
        self._unseen: dict[str | int, Unseen] = {}

    def add(self, scores: Scores) -> None:
        """Add the counts of one table."""
        self._rows += len(scores.values)
        self._impossible += scores.impossible
        for each in scores.unseen:
            before = self._unseen.get(each.column)
            if before is not None:
                strange = tuple(dict.fromkeys((*before.unseen, *each.unseen)))[:_EXAMPLES]
                each = each._replace(cells=each.cells + before.cells, known=each.known + before.known, unseen=strange)  # noqa: PLW2901
            self._unseen[each.column] = each

    def emit(self, *, impossible: bool) -> None:
        """Issue the warnings; for impossible rows only if they were assigned the class prior."""
        for column, cells, known, strange, familiar in self._unseen.values():
            if cells > _MANY_UNSEEN * known:
                notify(
                    UnseenLevelsWarning,
                    f"{cells} of {known} non-missing cells have levels that did not occur in training, such as "
                    f"{', '.join(map(repr, strange))}; the model has {', '.join(map(repr, familiar)) or 'none'}. "
                    "They are treated as missing, or with unseen='mass' as one additional level",
                    column=column,
                    advice="Check that the column has the same coding as when the model was fitted.",
                )
        if impossible and self._impossible:
            notify(
                ImpossibleRowsWarning,
                f"{self._impossible} of {self._rows} rows are impossible under every class and got the class prior",
                advice=lambda words: (
                    f"Use an estimate with a prior, such as {words.option('estimate', 'predictive')}, or inspect these "
                    "rows: their log density is −inf."
                ),
            )


def scored(model: Model, data: Any, wanted: Wanted, *, impossible: bool) -> FloatArray:
    """Return the scores of every row of any input that `fit` accepts."""
    scoring_warnings = ScoringWarnings()
    parts: list[FloatArray] = []
    with rows_from(data, like=model.like, needs_classes=False) as source:
        for batch in source:
            scores = asked_scores(model, batch.table, wanted)
            scoring_warnings.add(scores)
            parts.append(scores.values)
    scoring_warnings.emit(impossible=impossible)
    if len(parts) == 1:
        return parts[0]
    shape = (0,) if wanted == "density" else (0, len(model.classes))
    return np.concatenate([np.empty(shape), *parts])


def asked_scores(model: Model, table: Table, wanted: Wanted) -> Scores:
    """Return the requested scores of each row; log p(c, x) and log p(x) are never calibrated."""
    calibration = None if wanted in ("joint", "density") else model.calibration
    return model.core.score(table, wanted, calibration)


def weighed_scores(model: Model, table: Table) -> tuple[Scores, FloatArray | None]:
    """Return log p(c, x), rows × classes, from which the posterior is computed, calibrated if the model is.

    For a calibrated model also returns the offsets beyond the weighted evidence, 0 for impossible classes.
    """
    calibration = model.calibration
    if calibration is None:
        return model.core.score(table, "joint"), None
    plain = model.core.score(table, "joint", calibration.without_offsets())
    scores = model.core.score(table, "joint", calibration)
    added = np.subtract(scores.values, plain.values, out=np.zeros(plain.values.shape), where=np.isfinite(plain.values))
    return scores, added
