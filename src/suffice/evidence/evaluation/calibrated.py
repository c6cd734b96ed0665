"""Probabilities as a calibrated model would give them, on rows that neither the model nor the calibration has seen.

Each fold of rows is calibrated by what is learnt from the scores of the other folds, all of which are held out already;
in order of time, by those of the blocks before it. The first of these has none, and stays as it is.
"""

from __future__ import annotations

import numpy as np

from suffice.decisions.calibrating import UnseenRows, calibrated
from suffice.errors import DataError
from suffice.evidence.evaluation.predictions import Posterior, posterior_of_joint
from suffice.statistics.frozen_arrays import BoolArray, FloatArray, IntArray

__all__ = ["calibrated_posterior"]


def calibrated_posterior(rows: UnseenRows, folds: IntArray, *, in_order: bool) -> Posterior:
    """Return what is said of each row once it is calibrated by other folds, or by earlier ones."""
    priors: FloatArray = np.broadcast_to(rows.log_prior, rows.likelihood.shape)
    joint = rows.likelihood + priors
    for fold in np.unique(folds).tolist():
        others = folds < fold if in_order else folds != fold
        try:
            learnt = calibrated(_some(rows, others))
        except DataError:  # nothing among them says anything
            continue
        here = _some(rows, folds == fold)
        joint[folds == fold] = learnt.joint(here.likelihood, here.log_prior, here.lengths)
    return posterior_of_joint(joint, priors)


def _some(rows: UnseenRows, which: BoolArray) -> UnseenRows:
    weights = None if rows.weights is None else rows.weights[which]
    lengths = None if rows.lengths is None else rows.lengths[which]
    priors: FloatArray = np.broadcast_to(rows.log_prior, rows.likelihood.shape)
    return UnseenRows(rows.likelihood[which], priors[which], rows.codes[which], weights, lengths)
