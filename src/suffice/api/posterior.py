"""Scores as a model gives them to whoever asks: where it is calibrated, posteriors are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from suffice.decisions.calibration import Calibration
from suffice.models import NaiveBayesModel, Scores, Wanted
from suffice.models.finishing import finished
from suffice.sources.table import Table
from suffice.statistics.frozen_arrays import FloatArray

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = ["asked_scores", "weighed_scores"]


def asked_scores(model: Model, table: Table, wanted: Wanted) -> Scores:
    """Return what is wanted of each row; log p(c, x) and log p(x) are never calibrated."""
    known, calibration = model.naive_bayes, model.calibration
    if calibration is None or wanted in ("joint", "density"):
        return known.score(table, wanted)
    found, joint = _weighed(known, calibration, table)
    return finished(joint, known.log_prior, wanted, found.unseen, infinite=found.infinite)


def weighed_scores(model: Model, table: Table) -> tuple[Scores, FloatArray | None]:
    """Return what the posterior of each row comes from: log p(c, x), or what takes its place, rows × classes.

    And where it is calibrated, what that adds: 0 where a class is impossible.
    """
    known, calibration = model.naive_bayes, model.calibration
    if calibration is None:
        return known.score(table, "joint"), None
    found, joint = _weighed(known, calibration, table)
    before = known.log_prior + found.values
    added = np.subtract(joint, before, out=np.zeros(joint.shape), where=np.isfinite(before))
    return finished(joint, known.log_prior, "joint", found.unseen, infinite=found.infinite), added


def _weighed(known: NaiveBayesModel, calibration: Calibration, table: Table) -> tuple[Scores, FloatArray]:
    found = known.likelihood(table)
    return found, calibration.joint(found.values, known.log_prior)
