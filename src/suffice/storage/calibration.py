"""A calibration as a part of the schema and arrays, and back.

Files of earlier builds of 0.1.0 name a kind: "temperature" and "offsets" are a scale and offsets; other kinds are no
longer read.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from suffice.decisions.calibration import Calibration
from suffice.errors import ModelFileError
from suffice.storage.arrays import Arrays
from suffice.storage.container import DAMAGED, shown
from suffice.storage.fields import Fields

__all__ = ["calibration_of", "calibration_stored"]

_LEARNT_FROM = re.compile(r"leave one out|other rows|[1-9][0-9]{0,8} folds")
_GONE = ("length", "beta", "isotonic")


def calibration_stored(calibration: Calibration) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return what the schema says of it, and its arrays."""
    numbers = calibration.scale, calibration.loss, calibration.loss_before
    said = {
        "learnt_from": calibration.learnt_from,
        "rows": calibration.rows,
        "fingerprint": calibration.fingerprint,
    }
    arrays = {
        "calibration.numbers": np.array(numbers, dtype=np.float64),
        "calibration.offsets": calibration.offsets,
        "calibration.frequencies": calibration.frequencies,
    }
    return said, arrays


def calibration_of(said: Fields, arrays: Arrays, classes: int, expected: str) -> Calibration:
    """Return the calibration of a model with that many classes and that fingerprint, or raise ModelFileError."""
    first_release = "kind" in said.left()
    learnt_from, rows, own = said.text("learnt_from"), said.whole("rows"), said.text("fingerprint")
    offsets = arrays.floats("calibration.offsets", (classes,))
    if first_release:
        scale, loss, before = _of_first_release(said, arrays)
        frequencies = np.zeros(classes)
    else:
        scale, loss, before = arrays.floats("calibration.numbers", (3,)).tolist()
        frequencies = arrays.floats("calibration.frequencies", (classes,))
    said.done()
    if not _LEARNT_FROM.fullmatch(learnt_from):
        raise ModelFileError(f"learnt_from of {said.where} must say which rows: got {shown(learnt_from)}. {DAMAGED}")
    if not (np.isfinite([scale, loss, before]).all() and np.isfinite(offsets).all() and scale > 0):
        raise ModelFileError(f"the calibration must be finite numbers, with a scale > 0. {DAMAGED}")
    if not ((frequencies >= 0) & (frequencies <= 1)).all():
        raise ModelFileError(f"the frequencies of the calibration must lie between 0 and 1. {DAMAGED}")
    if own != expected:
        raise ModelFileError(f"its calibration is that of other statistics. {DAMAGED}")
    return Calibration(scale, offsets, frequencies, learnt_from, rows, loss, before, own)


def _of_first_release(said: Fields, arrays: Arrays) -> tuple[float, float, float]:
    kind = said.option("kind", ("temperature", "offsets", *_GONE))
    if kind in _GONE:
        raise ModelFileError(
            f"its calibration is of the kind {kind!r}, which only suffice 0.1.0 reads. Fit the model again."
        )
    knots = said.whole("knots")
    arrays.floats("calibration.knots", (2, knots))
    scale, fall, loss, before = arrays.floats("calibration.numbers", (4,)).tolist()
    if knots or fall:
        raise ModelFileError(f"a calibration of kind {kind!r} has no knots and no fall. {DAMAGED}")
    return scale, loss, before
