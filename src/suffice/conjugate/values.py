"""A conjugate model or predictive is a value: equal where its parameters are, and made again from them.

The fields of each such dataclass are the arguments of its constructor, in order. A pickle or a copy goes through the
constructor, so that it comes back checked and read-only.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, cast

import numpy as np

__all__ = ["made_again", "same_values"]


def same_values(left: Any, right: Any) -> bool:
    """Return whether two models of the same class have equal parameters, shapes included."""
    return all(np.array_equal(getattr(left, field.name), getattr(right, field.name)) for field in fields(left))


def made_again(model: Any) -> tuple[Any, ...]:
    """Return what `__reduce__` must: the class and the arguments that make an equal model."""
    return cast("Any", type(model)), tuple(getattr(model, field.name) for field in fields(model))
