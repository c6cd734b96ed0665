"""Predictions drawn at random: weighted, with ties, with classes that are impossible or absent."""

from __future__ import annotations

import numpy as np

from suffice.evidence.evaluation.held_out import HeldOutPosterior, Predictions, ratios
from suffice.statistics import Axis


def drawn_predictions(seed, rows=200, classes=3, *, weights=True, ties=False, zeros=False, absent=(), positive=None):
    """Return predictions that are right more often than not."""
    rng = np.random.default_rng(seed)
    codes = rng.choice([c for c in range(classes) if c not in absent], rows)
    scores = rng.normal(size=(rows, classes)) + 1.2 * np.eye(classes)[codes]
    if ties:
        scores = np.round(scores)
    if zeros:
        scores[rng.random((rows, classes)) < 0.2] = -np.inf
        scores[np.isneginf(scores).all(axis=1)] = 0.0
    log_posterior = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
    axis = Axis.of([f"class {c}" for c in range(classes)])
    heavy = rng.choice([0.0, 0.5, 1.0, 2.5], rows) if weights else None
    posterior = HeldOutPosterior(log_posterior, ratios(log_posterior, np.log(np.full(classes, 1 / classes))), 0)
    return Predictions.of(axis, posterior, axis, codes, heavy, positive)
