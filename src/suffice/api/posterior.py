"""Scores as a model gives them to whoever asks: where it is calibrated, posteriors are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suffice.engines.table import Table
from suffice.models import Scores, Wanted
from suffice.models.finishing import finished

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = ["asked_scores"]


def asked_scores(model: Model, table: Table, wanted: Wanted) -> Scores:
    """Return what is wanted of each row; log p(c, x) and log p(x) are never calibrated."""
    known, calibration = model.naive_bayes, model.calibration
    if calibration is None or wanted in ("joint", "density"):
        return known.score(table, wanted)
    found = known.likelihood(table)
    lengths = known.bare_scorer.lengths(table) if calibration.kind == "length" else None
    joint = calibration.joint(found.values, known.log_prior, lengths)
    return finished(joint, known.log_prior, wanted, found.unseen, infinite=found.infinite)
