"""Calibrate: the same model with probabilities to act on, learnt from rows that were held out from it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from suffice.api.counting import to_count
from suffice.api.novelty import ReferenceRows
from suffice.conjugate.arguments import whole
from suffice.decisions import NoveltyReference
from suffice.decisions.calibration import CalibrationMethod, choose_calibration
from suffice.errors import DataError, ImpossibleRowsWarning, ParameterError, SufficeError
from suffice.evidence.cross_fitting import CrossFitted, CrossFitting, KeptRows, cross_fit
from suffice.models.fingerprint import fingerprint
from suffice.sources import Batch, OnProgress, rows_from
from suffice.sources.target import Target
from suffice.warnings import notify

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = ["calibrate", "calibrate_kept"]

_LEAST_REFERENCE, _MOST_REFERENCE = 20, 50_000


def calibrate(
    model: Model,
    data: Any,
    target: Any = None,
    *,
    weights: npt.ArrayLike | str | None = None,
    new: bool = False,
    folds: int = 5,
    method: CalibrationMethod = "auto",
    seed: int = 0,
    progress: OnProgress | None = None,
) -> Model:
    """Return the model with calibrated probabilities, as `Model.calibrate` documents."""
    if not model.classes:
        raise DataError("there is no row with a class to calibrate on. Give rows, and the class of each.")
    cross = CrossFitting(folds=whole("folds", folds, 2), seed=whole("seed", seed, 0))
    known = model.naive_bayes
    total = 0
    with rows_from(data, target, weights, like=model.like, progress=progress) as source:
        for batch in source:
            total += batch.table.rows
            strange = [label for label in batch.classes.classes if label not in known.classes]
            if strange:
                raise DataError(
                    f"the model does not know the class {strange[0]!r}. Its classes are {list(known.classes)[:12]!r}. "
                    "Fit it on all classes, or leave these rows out."
                )
            if new:
                cross.kept.add(batch.table, batch.classes.codes, batch.classes.classes, batch.weights)
            else:
                cross.add(known, to_count(batch))
    if not total:
        raise DataError("there is no row to calibrate on. Give rows, and the class of each.")
    if method != "auto" and known.reading.estimate == "mle":
        raise ParameterError("probabilities of estimate='mle' are not calibrated. Use another estimate.")
    if not new:
        return calibrate_kept(model, cross, method, asked=True)
    cross.kept.close()
    return _with(model, cross.kept, _on_new_rows(model, cross.kept, method), asked=True)


def calibrate_kept(
    model: Model, cross: CrossFitting, method: CalibrationMethod = "auto", *, asked: bool = False
) -> Model:
    """Return the model of a pass, calibrated on the rows that were kept beside it.

    They are a reference for novelty too. Where nobody `asked` for it, few rows make none, and there is no warning of
    rows that are impossible in their own class.
    """
    cross.close()
    try:
        found = cross_fit(cross, model.naive_bayes, method)
    except SufficeError as reason:  # a prior or a weight beyond what can be scored
        if method != "auto":
            raise
        found = CrossFitted(None, reason.problem)
    return _with(model, cross.kept, found, asked=asked)


def _on_new_rows(model: Model, kept: KeptRows, method: CalibrationMethod) -> CrossFitted:
    known = model.naive_bayes
    if known.reading.estimate == "mle":
        return CrossFitted(None, "probabilities of estimate='mle' are not calibrated")
    pieces = kept.sampled(known.classes)
    if not pieces:
        return CrossFitted(None, "no row has a class")
    likelihood = np.concatenate([known.likelihood(piece.table).values for piece in pieces])
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
            advice="Give a class more than one row, or use an estimate other than 'mle'.",
        )
    own = fingerprint(model.naive_bayes)
    few = not asked and sum(kept.counts.values()) < _LEAST_REFERENCE
    reference = None if few else _reference(model, kept, own)
    calibration = None if found.calibration is None else replace(found.calibration, fingerprint=own)
    lost = found.reason if calibration is None else ""
    return replace(model, calibration=calibration, reference=reference, lost=lost)


def _reference(model: Model, kept: KeptRows, own: str) -> NoveltyReference | None:
    beside, classes = ReferenceRows(model), model.naive_bayes.classes
    try:
        for piece in kept.sampled(classes):
            beside.add(Batch(piece.table, Target(piece.codes, classes, 0), piece.total_weights()), _MOST_REFERENCE)
    except SufficeError:  # there is no log p(x), as model.log_density says
        return None
    return beside.reference(own)
