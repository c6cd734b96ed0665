"""What scikit-learn's parameters say of the class prior, as `Model.read` takes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from suffice.errors import ParameterError

__all__ = ["class_prior_of"]

# scikit-learn compares the sum with numpy.isclose: thirds typed with five digits are a distribution.
_TOLERANCE = 1e-5


def class_prior_of(name: str, given: Any, classes: Sequence[object], otherwise: str = "empirical") -> Any:
    """Return the class prior that the parameter of this name gives, or the other one where it is None.

    Parameters
    ----------
    given : None, array-like of one probability for each class in their sorted order, or {class: probability}
    """
    if given is None:
        return otherwise
    if isinstance(given, Mapping):
        return given  # pyright: ignore[reportUnknownVariableType]
    try:
        values: npt.NDArray[Any] = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.zeros((0, 0))
    if values.ndim != 1 or not len(values) or not (np.isfinite(values) & (values >= 0)).all():
        raise ParameterError(f"{name} must be one probability ≥ 0 for each class: got {given!r}.")
    if len(values) != len(classes):
        raise ParameterError(
            f"{name} must have one probability for each of the {len(classes)} classes: got {len(values)}. "
            f"The classes are {list(classes)[:12]!r}."
        )
    total = float(values.sum())
    if abs(total - 1) > _TOLERANCE:
        raise ParameterError(f"{name} must sum to 1: got a sum of {total!r}. Divide it by its sum.")
    return values / total
