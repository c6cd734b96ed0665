"""A reference for novelty as a part of the schema and arrays, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from suffice.decisions import NoveltyReference
from suffice.errors import ModelFileError
from suffice.storage.arrays import Arrays
from suffice.storage.container import DAMAGED
from suffice.storage.fields import Fields

__all__ = ["novelty_of", "novelty_stored"]

_SUM_TOLERANCE = 1e-9


def novelty_stored(reference: NoveltyReference) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return what the schema says of it, and its arrays."""
    assert reference.class_prior is not None  # only a model's own is stored
    said = {"values": len(reference.values), "rows": reference.rows, "fingerprint": reference.fingerprint}
    return said, {"novelty.values": reference.values, "novelty.class_prior": reference.class_prior}


def novelty_of(said: Fields, arrays: Arrays, classes: int, expected: str) -> NoveltyReference | None:
    """Return the reference of a model with that many classes and that fingerprint, or raise ModelFileError.

    None for a reference of the first files, which compared rows within groups of about the same number of known cells:
    how many rows each group had is not in the file, so they cannot be put together.
    """
    groups = said.whole("groups") if "groups" in said.left() else None
    number, rows, own = said.whole("values"), said.whole("rows"), said.text("fingerprint")
    said.done()
    values, prior = arrays.floats("novelty.values", (number,)), arrays.floats("novelty.class_prior", (classes,))
    if groups is not None:
        arrays.floats("novelty.sizes", (groups,))
        arrays.wholes("novelty.starts", (groups + 1,))
        arrays.floats("novelty.shares", (number,))
        arrays.floats("novelty.quartiles", (groups, 3))
        return None
    if not number or not (values[1:] >= values[:-1]).all() or np.isnan(values).any():
        raise ModelFileError(f"novelty.values must be one number or more in ascending order. {DAMAGED}")
    if not ((prior >= 0).all() and abs(float(prior.sum()) - 1) <= _SUM_TOLERANCE):
        raise ModelFileError(f"novelty.class_prior must be probabilities that sum to 1. {DAMAGED}")
    if own != expected:
        raise ModelFileError(f"its reference for novelty is that of other statistics. {DAMAGED}")
    return NoveltyReference(values, rows, prior, own)
