"""Do probabilities keep what they promise: bins of the probability of the predicted class, and how often it is right.

bin b of B         rows with (b − 1)/B ≤ max_c p(c | x) < b/B, the last with 1
calibration error  Σ_b W_b/W · |share of b that is right − mean probability in b|        (Guo et al. 2017, weighted)
"""

from __future__ import annotations

from typing import NamedTuple, final

import numpy as np

from suffice.evidence.evaluation.confusion import summed
from suffice.evidence.evaluation.predictions import Predictions
from suffice.statistics.frozen_arrays import FloatArray
from suffice.statistics.totals import rescaled

__all__ = ["Reliability", "ReliabilityBin"]


class ReliabilityBin(NamedTuple):
    """Rows whose predicted class got a probability from `lower` to `upper`: what was said, and what came true."""

    lower: float
    upper: float
    weight: float
    confidence: float
    accuracy: float


@final
class Reliability:
    """The bins of some predictions, for any weights of their rows."""

    __slots__ = ("_bin", "_bins", "_confidence", "_gap", "_right")

    def __init__(self, predictions: Predictions, bins: int) -> None:
        self._bins = bins
        self._confidence = np.exp(predictions.log_posterior.max(axis=1))
        self._bin = np.minimum((self._confidence * bins).astype(np.int64), bins - 1)
        self._right = (predictions.predicted == predictions.codes).astype(np.float64)
        self._gap = self._right - self._confidence

    def error(self, weights: FloatArray) -> float:
        """Return the expected calibration error."""
        # Σ_b |Σ w (right − probability)|: the weight of the bin cancels.
        gaps = summed(self._bin, weights * self._gap, self._bins)
        return float(np.abs(gaps).sum() / weights.sum())

    def table(self, weights: FloatArray) -> tuple[ReliabilityBin, ...]:
        """Return the bins that hold anything."""
        whole, weights = summed(self._bin, weights, self._bins), rescaled(weights)
        held, said, right = (
            summed(self._bin, each, self._bins) for each in (weights, weights * self._confidence, weights * self._right)
        )
        return tuple(
            ReliabilityBin(
                b / self._bins,
                (b + 1) / self._bins,
                float(whole[b]),
                float(said[b] / held[b]),
                float(right[b] / held[b]),
            )
            for b in np.flatnonzero(held).tolist()
        )
