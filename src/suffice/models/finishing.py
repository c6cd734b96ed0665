"""From log p(c, x) to what was asked for, in NumPy: what the core does at the end of a row, for rows made of parts.

density         log p(x) = ln Σ_c exp log p(c, x)
log_posterior   log p(c, x) − log p(x); of a row that is impossible under every class, the log prior
"""

from __future__ import annotations

import numpy as np

from suffice.errors import DataError
from suffice.models.layout import Unseen
from suffice.models.scores import Scores, Wanted
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["finished"]


def finished(
    joint: FloatArray, log_prior: FloatArray, wanted: Wanted, unseen: tuple[Unseen, ...] = (), *, infinite: bool = False
) -> Scores:
    """Return what is wanted of log p(c, x), rows × classes."""
    if not (joint < np.inf).all():
        row = int(np.argmin((joint < np.inf).all(axis=1)))
        raise DataError(
            f"log p(c, x) of row {row} is beyond float64: a value, a weight or a parameter of a prior is too large. "
            "Rescale the columns or the weights, or give another prior."
        )
    top = joint.max(axis=1, keepdims=True)
    impossible = top[:, 0] == -np.inf
    number = int(impossible.sum())
    if wanted == "joint":
        return Scores(joint, number, unseen, infinite)
    above = joint - np.where(impossible[:, None], 0.0, top)
    masses = np.exp(above)
    total = masses.sum(axis=1, keepdims=True)
    if wanted == "density":
        with np.errstate(divide="ignore"):
            return Scores((top + np.log(total))[:, 0], number, unseen, infinite)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = masses / total if wanted == "posterior" else above - np.log(total)
    if number:
        shares = log_prior - np.logaddexp.reduce(log_prior)
        values[impossible] = np.exp(shares) if wanted == "posterior" else shares
    return Scores(values, number, unseen, infinite)
