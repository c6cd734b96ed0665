"""Calibrate a model on scores of held-out rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from suffice.api.counting import require_known_classes, to_count
from suffice.api.novelty import ReferenceRows
from suffice.arguments import whole_number
from suffice.decisions import NoveltyReference
from suffice.decisions.calibration import CalibrationMethod, choose_calibration
from suffice.errors import DataError, ImpossibleRowsWarning, ParameterError, SufficeError
from suffice.evidence.cross_fitting import CrossFitted, CrossFitting, KeptRows, cross_fit
from suffice.models.naive_bayes import fingerprint
from suffice.sources import Batch, RowSource
from suffice.sources.target import Target
from suffice.warnings import notify

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = ["calibrate_kept", "calibrate_model"]

_LEAST_REFERENCE, _MOST_REFERENCE = 20, 50_000


def calibrate_model(
    model: Model, source: RowSource, method: CalibrationMethod, *, new: bool, folds: int, seed: int
) -> Model:
    """Return the model, calibrated on the rows of a source; `Model.calibrate` documents the options."""
    known = model.core
    if not len(known.classes):
        raise DataError("there is no row with a class to calibrate on. Give rows, and the class of each.")
    cross = CrossFitting(folds=whole_number("folds", folds, 2), seed=whole_number("seed", seed, 0))
    total = 0
    for batch in source:
        total += batch.table.rows
        require_known_classes(batch.classes, known.classes)
        if new:
            cross.kept.add(batch.table, batch.classes.codes, batch.classes.classes, batch.weights)
        else:
            cross.add(known, to_count(batch))
    if not total:
        raise DataError("there is no row to calibrate on. Give rows, and the class of each.")
    if method != "auto" and known.reading.estimate == "mle":
        raise ParameterError("probabilities of the estimate 'mle' are not calibrated. Use another estimate.")
    if not new:
        return calibrate_kept(model, cross, method, asked=True)
    cross.kept.close()
    return _with(model, cross.kept, _on_new_rows(model, cross.kept, method), asked=True)


def calibrate_kept(
    model: Model, cross: CrossFitting, method: CalibrationMethod = "auto", *, asked: bool = False
) -> Model:
    """Return the model, calibrated on the rows that were kept while it was counted.

    They also become its novelty reference. Unless the user `asked` for it, few rows give no reference, and rows that
    are impossible in their own class give no warning.
    """
    cross.close()
    try:
        found = cross_fit(cross, model.core, method)
    except SufficeError as reason:  # a prior or a weight beyond what can be scored
        if method != "auto":
            raise
        found = CrossFitted(None, reason.problem)
    return _with(model, cross.kept, found, asked=asked)


def _on_new_rows(model: Model, kept: KeptRows, method: CalibrationMethod) -> CrossFitted:
    known = model.core
    if known.reading.estimate == "mle":
        return CrossFitted(None, "probabilities of the estimate 'mle' are not calibrated")
    pieces = kept.sampled(known.classes)
    if not pieces:
        return CrossFitted(None, "no row has a class")
    likelihood = np.concatenate([known.score(piece.table, "likelihood").values for piece in pieces])
    codes = np.concatenate([piece.codes for piece in pieces])
    found, reason = choose_calibration(
        likelihood, codes, np.concatenate([piece.total_weights() for piece in pieces]), method
    )
    impossible = int(np.isneginf(likelihood[np.arange(len(codes)), codes]).sum())
    return CrossFitted(found, reason, impossible, len(codes))


def _with(model: Model, kept: KeptRows, found: CrossFitted, *, asked: bool) -> Model:
    if asked and found.impossible:
        notify(
            ImpossibleRowsWarning,
            f"{found.impossible} of {found.scored} rows have probability 0 in their own class and were left out of the "
            "calibration",
            kind="impossible_in_calibration",
            advice="Use at least two rows per class, or an estimate other than 'mle'.",
        )
    own = fingerprint(model.core)
    few = not asked and sum(kept.counts.values()) < _LEAST_REFERENCE
    reference = None if few else _reference(model, kept, own)
    calibration = None if found.calibration is None else replace(found.calibration, fingerprint=own)
    lost = found.reason if calibration is None else ""
    return replace(model, calibration=calibration, novelty_reference=reference, calibration_dropped_because=lost)


def _reference(model: Model, kept: KeptRows, own: str) -> NoveltyReference | None:
    beside, classes = ReferenceRows(model), model.core.classes
    try:
        for piece in kept.sampled(classes):
            beside.add(Batch(piece.table, Target(piece.codes, classes, 0), piece.total_weights()), _MOST_REFERENCE)
    except SufficeError:  # there is no log p(x), as model.log_density says
        return None
    return beside.reference(own)
