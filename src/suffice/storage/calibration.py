"""A calibration as a part of the schema and arrays, and back."""

from __future__ import annotations

import re
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from suffice.decisions.calibration import CALIBRATORS, Calibration, Calibrator
from suffice.errors import ModelFileError
from suffice.storage.arrays import Arrays
from suffice.storage.container import DAMAGED, shown
from suffice.storage.fields import Fields

__all__ = ["calibration_of", "calibration_stored"]

_LEARNT_FROM = re.compile(r"leave one out|other rows|[1-9][0-9]{0,8} folds")


def calibration_stored(calibration: Calibration) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return what the schema says of it, and its arrays."""
    numbers = calibration.temperature, calibration.fall, calibration.loss, calibration.loss_before
    said = {
        "kind": calibration.kind,
        "learnt_from": calibration.learnt_from,
        "rows": calibration.rows,
        "knots": calibration.knots.shape[1],
        "fingerprint": calibration.fingerprint,
    }
    arrays = {
        "calibration.numbers": np.array(numbers, dtype=np.float64),
        "calibration.offsets": calibration.offsets,
        "calibration.knots": calibration.knots,
    }
    return said, arrays


def calibration_of(said: Fields, arrays: Arrays, classes: int, expected: str) -> Calibration:
    """Return the calibration of a model with that many classes and that fingerprint, or raise ModelFileError."""
    kind = cast("Calibrator", said.option("kind", CALIBRATORS))
    learnt_from, rows, knots, own = (
        said.text("learnt_from"),
        said.whole("rows"),
        said.whole("knots"),
        said.text("fingerprint"),
    )
    said.done()
    if not _LEARNT_FROM.fullmatch(learnt_from):
        raise ModelFileError(f"learnt_from of {said.where} must say which rows: got {shown(learnt_from)}. {DAMAGED}")
    temperature, fall, loss, before = arrays.floats("calibration.numbers", (4,)).tolist()
    offsets = arrays.floats("calibration.offsets", (classes,))
    points = arrays.floats("calibration.knots", (2, knots))
    finite = np.isfinite([temperature, fall, loss, before]).all() and np.isfinite(offsets).all()
    if not (finite and np.isfinite(points).all() and temperature >= 0 and fall >= 0):
        raise ModelFileError(f"the calibration must be finite numbers, temperature and fall ≥ 0. {DAMAGED}")
    if knots and not (np.diff(points) >= 0).all():
        raise ModelFileError(f"the knots of the calibration must rise. {DAMAGED}")
    if (kind == "isotonic") != bool(knots) or (kind in ("beta", "isotonic") and len(offsets) != 2):
        raise ModelFileError(
            f"a calibration of kind {kind!r} cannot have {knots} knots and {len(offsets)} classes. {DAMAGED}"
        )
    if own != expected:
        raise ModelFileError(f"its calibration is that of other statistics. {DAMAGED}")
    return Calibration(kind, temperature, fall, offsets, points, learnt_from, rows, loss, before, own)
