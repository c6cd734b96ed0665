"""A reference for novelty as a part of the schema and arrays, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from suffice.decisions import NoveltyReference
from suffice.errors import ModelFileError
from suffice.statistics.frozen_arrays import FloatArray, IntArray
from suffice.storage.arrays import Arrays
from suffice.storage.container import DAMAGED
from suffice.storage.fields import Fields

__all__ = ["novelty_of", "novelty_stored"]

_SUM_TOLERANCE = 1e-9


def novelty_stored(reference: NoveltyReference) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return what the schema says of it, and its arrays."""
    assert reference.class_prior is not None  # only a model's own is stored
    said = {
        "groups": len(reference.sizes),
        "values": len(reference.values),
        "rows": reference.rows,
        "fingerprint": reference.fingerprint,
    }
    arrays: dict[str, npt.NDArray[Any]] = {
        "novelty.sizes": reference.sizes,
        "novelty.starts": reference.starts,
        "novelty.values": reference.values,
        "novelty.shares": reference.shares,
        "novelty.quartiles": reference.quartiles,
        "novelty.class_prior": reference.class_prior,
    }
    return said, arrays


def novelty_of(said: Fields, arrays: Arrays, classes: int, expected: str) -> NoveltyReference:
    """Return the reference of a model with that many classes and that fingerprint, or raise ModelFileError."""
    groups, number, rows, own = said.whole("groups"), said.whole("values"), said.whole("rows"), said.text("fingerprint")
    said.done()
    sizes = arrays.floats("novelty.sizes", (groups,))
    starts = arrays.wholes("novelty.starts", (groups + 1,))
    values = arrays.floats("novelty.values", (number,))
    shares = arrays.floats("novelty.shares", (number,))
    quartiles = arrays.floats("novelty.quartiles", (groups, 3))
    prior = arrays.floats("novelty.class_prior", (classes,))
    if not groups or not (np.isfinite(sizes).all() and sizes[0] >= 0 and (np.diff(sizes) > 0).all()):
        raise ModelFileError(f"novelty.sizes must be one finite number ≥ 0 or more, rising. {DAMAGED}")
    if not (starts[0] == 0 and starts[-1] == number and (np.diff(starts) > 0).all()):
        raise ModelFileError(f"novelty.starts must rise from 0 to {number}, the number of values. {DAMAGED}")
    if not (_rises(values, starts, strictly=True) and (values < np.inf).all()):
        raise ModelFileError(f"novelty.values must be numbers that rise within each group. {DAMAGED}")
    if not (_rises(shares, starts, strictly=False) and (shares > 0).all() and (shares[starts[1:] - 1] == 1).all()):
        raise ModelFileError(f"novelty.shares must rise from above 0 to 1 within each group. {DAMAGED}")
    if not (np.isfinite(quartiles).all() and (np.diff(quartiles, axis=1) >= 0).all()):
        raise ModelFileError(f"novelty.quartiles must be finite, and not fall within a group. {DAMAGED}")
    if not ((prior >= 0).all() and abs(float(prior.sum()) - 1) <= _SUM_TOLERANCE):
        raise ModelFileError(f"novelty.class_prior must be probabilities that sum to 1. {DAMAGED}")
    if own != expected:
        raise ModelFileError(f"its reference for novelty is that of other statistics. {DAMAGED}")
    return NoveltyReference(sizes, starts, values, shares, quartiles, prior, rows, own)


def _rises(values: FloatArray, starts: IntArray, *, strictly: bool) -> bool:
    # A comparison with NaN is false, so that NaN rises nowhere.
    up = values[1:] > values[:-1] if strictly else values[1:] >= values[:-1]
    up[starts[1:-1] - 1] = True  # from one group to the next
    return bool(up.all()) and not np.isnan(values).any()
