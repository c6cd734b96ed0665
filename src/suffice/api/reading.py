"""What a user says of how to read, checked: an estimate, and the λ of the smoothed one."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from suffice.conjugate.arguments import option
from suffice.errors import ParameterError
from suffice.plan import ESTIMATES, Estimate, Reading

__all__ = ["reading_of"]


def reading_of(estimate: str, alpha: npt.ArrayLike | None, width: int) -> Reading:
    """Return the reading.

    Parameters
    ----------
    estimate : "mle", "smoothed", "map", "mean" or "predictive"
    alpha : float or array ≥ 0, optional
        λ of "smoothed": one number, one per column of the data, or of shape (classes, 1) or (classes, columns).
    width : int
        The number of columns of the data.
    """
    checked = cast("Estimate", option("estimate", estimate, ESTIMATES))
    if alpha is None:
        return Reading(checked)
    if checked != "smoothed":
        raise ParameterError(
            f"alpha is λ of the smoothed reading: got alpha with estimate={checked!r}. "
            "Say estimate='smoothed', or give the likelihood a prior."
        )
    values: npt.NDArray[Any] = np.array(alpha)
    if values.dtype.kind not in "iuf" or not (np.isfinite(values) & (values >= 0)).all():
        raise ParameterError(f"alpha must be finite numbers ≥ 0: got {alpha!r}.")
    if values.ndim > 2 or (values.ndim and values.shape[-1] not in (1, width)):
        raise ParameterError(
            f"alpha must be one number, one for each of the {width} columns, or one for each class and column: "
            f"got shape {values.shape}. Give shape (), ({width},), (classes, 1) or (classes, {width})."
        )
    values = values.astype(np.float64)
    values.flags.writeable = False
    return Reading(checked, values)
