"""Readings side by side: estimates × λ × class priors, each measured on the same rows held out.

A reading is arithmetic on statistics that are there already, so nothing is counted again: of each estimate and λ the
rows are scored once, and class priors only shift what comes out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from suffice.evidence.evaluation.held_out import HeldOut
from suffice.evidence.evaluation.metrics import NAMES, Metrics
from suffice.evidence.evaluation.predictions import Posterior, Predictions
from suffice.evidence.evaluation.ranking import DetectionCosts
from suffice.likelihoods.reading import Reading
from suffice.models import ClassPrior

__all__ = ["ReadingMeasured", "compare"]


class ReadingMeasured(NamedTuple):
    """How good one reading is; None is a number that the rows cannot tell (evaluation.py).

    `alpha` is λ of the smoothed reading, where one number was asked for.
    """

    estimate: str
    alpha: float | None
    class_prior: str
    accuracy: float
    balanced_accuracy: float
    log_loss: float
    brier: float
    expected_calibration_error: float
    roc_auc: float | None
    average_precision: float | None
    minimum_detection_cost: float | None
    actual_detection_cost: float | None


def compare(
    held_out: HeldOut,
    readings: Sequence[Reading],
    class_priors: Sequence[ClassPrior],
    predictions_of: Callable[[Posterior], Predictions],
    costs: DetectionCosts,
    bins: int,
) -> tuple[ReadingMeasured, ...]:
    """Return every reading under every class prior, that of the least log loss first."""
    found: list[ReadingMeasured] = []
    for reading in readings:
        alpha = None if reading.alpha is None or reading.alpha.size != 1 else float(reading.alpha.item())
        posteriors = held_out.posteriors(reading, class_priors)
        for class_prior, posterior in zip(class_priors, posteriors, strict=True):
            predictions = predictions_of(posterior)
            values = Metrics(predictions, costs, bins)(predictions.weights).values.tolist()
            told = {name: None if value != value else value for name, value in zip(NAMES, values, strict=True)}
            found.append(ReadingMeasured(reading.estimate, alpha, str(class_prior), **told))  # pyright: ignore[reportArgumentType]
    return tuple(sorted(found, key=lambda each: each.log_loss))
