"""Scores of a model: posteriors are calibrated where the model is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from suffice.models import Scores, Wanted
from suffice.sources.table import Table
from suffice.statistics.arrays import FloatArray

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = ["asked_scores", "weighed_scores"]


def asked_scores(model: Model, table: Table, wanted: Wanted) -> Scores:
    """Return what is wanted of each row; log p(c, x) and log p(x) are never calibrated."""
    calibration = None if wanted in ("joint", "density") else model.calibration
    return model.core.score(table, wanted, calibration)


def weighed_scores(model: Model, table: Table) -> tuple[Scores, FloatArray | None]:
    """Return what the posterior of each row is computed from: log p(c, x), calibrated or not, rows × classes.

    And where it is calibrated, the offsets that it has beyond the weighted evidence: 0 where a class is impossible.
    """
    calibration = model.calibration
    if calibration is None:
        return model.core.score(table, "joint"), None
    plain = model.core.score(table, "joint", calibration.without_offsets())
    scores = model.core.score(table, "joint", calibration)
    added = np.subtract(scores.values, plain.values, out=np.zeros(plain.values.shape), where=np.isfinite(plain.values))
    return scores, added
