"""The concentration that a user gives a likelihood: α > 0, one number, one per column, or one per class and column."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from suffice.conjugate import DirichletMultinomial
from suffice.conjugate.arguments import positive
from suffice.errors import ParameterError

__all__ = ["Alpha", "alpha_of", "require_one_prior"]

Alpha: TypeAlias = "float | tuple[Any, ...]"


def alpha_of(given: npt.ArrayLike) -> Alpha:
    """Return the numbers as a value that compares: a float, or tuples of floats."""
    array = positive("alpha", given)
    if array.ndim > 2:
        raise ParameterError(
            f"alpha must be one number, one for each column, or one for each class and column: "
            f"got shape {array.shape}. Give at most two dimensions."
        )
    return float(array) if array.ndim == 0 else _tuples(array)


def require_one_prior(what: str, prior: object, alpha: object) -> None:
    """Raise ParameterError unless the prior is a DirichletMultinomial, and given once."""
    if prior is not None and not isinstance(prior, DirichletMultinomial):
        raise ParameterError(
            f"prior of {what} must be a DirichletMultinomial: got {prior!r}. "
            "Give DirichletMultinomial([…]), one number per level, or alpha= for the same number for each."
        )
    if prior is not None and alpha is not None:
        raise ParameterError(f"{what} takes one prior: got prior= and alpha=. Leave one of them out.")


def _tuples(array: npt.NDArray[np.float64]) -> tuple[Any, ...]:
    return tuple(row if isinstance(row, float) else tuple(row) for row in array.tolist())
