"""Calibrate a model on scores of held-out rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from suffice.api.counting import require_known_classes, to_count
from suffice.api.novelty import ReferenceRows
from suffice.arguments import whole_number
from suffice.decisions import NoveltyReference
from suffice.decisions.calibration import (
    Calibration,
    CalibrationMethod,
    Information,
    choose_calibration,
    information_of,
    merge_calibrations,
    most_rows,
)
from suffice.errors import DataError, ImpossibleRowsWarning, ParameterError, SufficeError
from suffice.evidence.cross_fitting import (
    CrossFitted,
    CrossFitting,
    KeptRows,
    SampledRows,
    count_impossible,
    cross_fit,
)
from suffice.models import NaiveBayesModel
from suffice.models.naive_bayes import fingerprint
from suffice.sources import Batch, RowSource
from suffice.sources.target import Target
from suffice.statistics.arrays import FloatArray, IntArray
from suffice.warnings import notify

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = [
    "calibrate_kept",
    "calibrate_model",
    "forget_calibrated",
    "merge_calibrated",
    "subtract_calibrated",
    "update_calibrated",
]

_LEAST_REFERENCE, _MOST_REFERENCE = 20, 50_000


def calibrate_model(
    model: Model, source: RowSource, method: CalibrationMethod, *, new: bool, folds: int, seed: int
) -> Model:
    """Return the model, calibrated on the rows of a source; `Model.calibrate` documents the options."""
    known = model.core
    if not len(known.classes):
        raise DataError("there are no labelled rows to calibrate on. Give rows and their classes.")
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
        raise DataError("there are no rows to calibrate on. Give rows and their classes.")
    if method != "auto" and known.reading.estimate == "mle":
        raise ParameterError("calibration is not available for the estimate 'mle'. Use another estimate.")
    if not new:
        return calibrate_kept(model, cross, method, asked=True)
    cross.kept.close(most_rows(len(known.units), len(known.classes))[0])
    return _with(model, cross.kept, _on_new_rows(model, cross.kept, method), asked=True)


def calibrate_kept(
    model: Model,
    cross: CrossFitting,
    method: CalibrationMethod = "auto",
    *,
    asked: bool = False,
    forms: bool = False,
) -> Model:
    """Return the model, calibrated on the rows retained during the fit.

    They also become its novelty reference. Unless the user requested calibration (`asked`), no reference is stored for
    few rows, and rows with probability 0 in their own class cause no warning. With `forms`, the form of each column
    that leaves a choice, such as Gaussian, histogram or cells, is selected first.
    """
    try:
        found = cross_fit(cross, model.core, method, forms=forms)
    except SufficeError as reason:  # a prior or a weight is too large for scores to be finite
        if method != "auto":
            raise
        found = CrossFitted(None, reason.problem)
    if found.schema is not None and found.schema != model.core.schema:
        model = replace(model, core=replace(model.core, schema=found.schema))
    return _with(model, cross.kept, found, asked=asked)


def merge_calibrated(merged: Model, parts: Sequence[Model]) -> Model | None:
    """Return the model of all rows of several models with merged calibrations; None if they cannot be merged.

    Models without a calibration are ignored. The calibration of the others is used if they have at least half of the
    total weight.
    """
    calibrated = [(part.core, part.calibration) for part in parts if part.calibration is not None]
    if not calibrated or any(calibration.information is None for _, calibration in calibrated):
        return None
    tally = merged.core.tally
    if 2 * sum(float(core.tally.weight.sum()) for core, _ in calibrated) < float(tally.weight.sum()):
        return None
    classes = merged.core.classes
    found = [(calibration, classes.positions(core.classes)) for core, calibration in calibrated]
    return _merged(merged, found)


def update_calibrated(model: Model, updated: Model, cross: CrossFitting) -> Model | None:
    """Return an updated model with its calibration, which the new rows refine; None if that is not possible.

    `cross` has kept some of the new rows. They are scored by the model before the update, which was not fitted on them.
    """
    calibration = model.calibration
    if calibration is None or calibration.information is None:
        return None
    added = _new_information(model, model, cross.kept)
    positions = updated.core.classes.positions(model.core.classes)
    found = [(calibration, positions)]
    if added is not None:
        found.append((replace(calibration, information=added, rows=sum(cross.kept.counts.values())), positions))
    return _merged(updated, found)


def forget_calibrated(model: Model, rest: Model, cross: CrossFitting) -> Model | None:
    """Return a model without some rows, with the calibration of the remaining rows; None if too little remains.

    `cross` has kept some of the removed rows. They are scored by the model of the remaining rows. If the calibration
    was fitted on a sample of the rows, only the same fraction of the removed rows is subtracted.
    """
    calibration = model.calibration
    if calibration is None or calibration.information is None or model.core.classes != rest.core.classes:
        return None
    removed = _new_information(model, rest, cross.kept)
    information = calibration.information
    if removed is not None:
        share = min(1.0, information.rows / float(model.core.tally.weight.sum()))
        left = information.subtract(removed.scale(share))
        if left is None:
            return None
        information = left
    found = [(replace(calibration, information=information), np.arange(len(rest.core.classes)))]
    return _merged(rest, found)


def subtract_calibrated(whole: Model, part: Model, rest: Model) -> Model | None:
    """Return the difference of two models with the difference of their calibrations; None if that is not possible."""
    calibration, other = whole.calibration, part.calibration
    if calibration is None or calibration.information is None or whole.core.classes != rest.core.classes:
        return None
    classes, information = rest.core.classes, calibration.information
    if other is not None and other.information is not None:
        units = len(information.linear) - len(classes)
        left = None
        if units in (1, len(other.information.linear) - len(part.core.classes)):
            left = information.subtract(
                other.information.place(classes.positions(part.core.classes), len(classes), units)
            )
        if left is None:
            return None
        information = left
    elif 2 * float(part.core.tally.weight.sum()) > float(whole.core.tally.weight.sum()):
        return None
    return _merged(rest, [(replace(calibration, information=information), np.arange(len(classes)))])


def _merged(model: Model, parts: list[tuple[Calibration, IntArray]]) -> Model:
    weight = model.core.tally.weight
    found, reason = merge_calibrations(parts, weight / weight.sum())
    if found is not None:
        sources = {calibration.learnt_from for calibration, _ in parts}
        learnt_from = sources.pop() if len(sources) == 1 else "other rows"
        found = replace(found, learnt_from=learnt_from, fingerprint=fingerprint(model.core))
    return replace(model, calibration=found, calibration_dropped_because=reason)


def _new_information(model: Model, scoring: Model, kept: KeptRows) -> Information | None:
    # The information that kept rows, scored by a model that was not fitted on them, add to a calibration.
    core, calibration = scoring.core, model.calibration
    assert calibration is not None, "the caller has checked this"
    by_unit = len(calibration.units) > 0
    kept.close(most_rows(len(core.units), len(core.classes))[0])
    pieces = kept.sampled(core.classes)
    if not pieces:
        return None
    evidence, codes, weights = _scored_pieces(core, pieces, by_unit=by_unit)
    return information_of(evidence, codes, weights, calibration)


def _scored_pieces(
    core: NaiveBayesModel, pieces: Sequence[SampledRows], *, by_unit: bool
) -> tuple[FloatArray, IntArray, FloatArray]:
    # Evidence, rows × units × classes, codes and weights of rows that are new to the model.
    evidence = [
        core.score_units(piece.table) if by_unit else core.score(piece.table, "likelihood").values[:, None]
        for piece in pieces
    ]
    codes = np.concatenate([piece.codes for piece in pieces])
    return np.concatenate(evidence), codes, np.concatenate([piece.total_weights() for piece in pieces])


def _on_new_rows(model: Model, kept: KeptRows, method: CalibrationMethod) -> CrossFitted:
    known = model.core
    if known.reading.estimate == "mle":
        return CrossFitted(None, "probabilities of the estimate 'mle' are not calibrated")
    pieces = kept.sampled(known.classes)
    if not pieces:
        return CrossFitted(None, "no row has a class")
    by_unit = most_rows(len(known.units), len(known.classes))[1]
    evidence, codes, weights = _scored_pieces(known, pieces, by_unit=by_unit)
    found, reason = choose_calibration(evidence, codes, weights, method, known.units if by_unit else ())
    return CrossFitted(found, reason, count_impossible(evidence, codes, weights), len(codes))


def _with(model: Model, kept: KeptRows, found: CrossFitted, *, asked: bool) -> Model:
    if asked and found.impossible:
        notify(
            ImpossibleRowsWarning,
            f"{found.impossible} of {found.scored} rows have probability 0 in their own class and were excluded from "
            "the calibration",
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
    except SufficeError:  # log p(x) is undefined (see model.log_density)
        return None
    return beside.reference(own)
