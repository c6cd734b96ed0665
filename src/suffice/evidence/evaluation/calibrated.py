"""Probabilities as a calibrated model would give them, on rows that neither the model nor the calibration has seen.

Each fold of rows is calibrated by what is learnt from the scores of the other folds, all of which are held out already;
in order of time, by those of the blocks before it. The first of these has none, and stays as it is.
"""

from __future__ import annotations

import numpy as np

from suffice.decisions.calibration import choose_calibration
from suffice.evidence.evaluation.held_out import HeldOutLikelihoods
from suffice.evidence.evaluation.predictions import Posterior, posterior_of_joint
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = ["calibrated_posterior"]


def calibrated_posterior(
    rows: HeldOutLikelihoods, codes: IntArray, weights: FloatArray | None, folds: IntArray, *, in_order: bool
) -> tuple[Posterior, bool]:
    """Return what is said of each row once it is calibrated by other folds, or by earlier ones.

    And whether any of them was: the log loss of the others may support none.
    """
    changed = False
    joint = rows.likelihood + rows.log_prior
    heavy = np.ones(len(codes)) if weights is None else weights
    for fold in np.unique(folds).tolist():
        others, here = folds < fold if in_order else folds != fold, folds == fold
        found, _ = choose_calibration(rows.likelihood[others], codes[others], heavy[others])
        if found is not None:
            changed = True
            joint[here] = found.joint(rows.likelihood[here], rows.log_prior[here])
    return posterior_of_joint(joint, rows.log_prior), changed
