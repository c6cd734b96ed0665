"""Two statistics side by side: the axis of both, and their arrays laid out along it.

Adding takes the union of the axes and declares what either declares. Subtracting takes the union too, but declares what
the minuend declares: an entry that only the subtrahend has is 0 − something, refused by the difference unless it is 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError
from suffice.statistics.axis import Axis
from suffice.statistics.frozen_arrays import BoolArray, FloatArray, IntArray

__all__ = ["Alignment", "for_difference", "for_sum", "kept", "require_complete"]


class Alignment(NamedTuple):
    """The axis of both sides, and where the entries of each stand on it (None: they are the whole of it, in order)."""

    axis: Axis
    left: IntArray | None
    right: IntArray | None

    def lay_left(self, values: FloatArray, dimension: int = 0) -> FloatArray:
        """Return an array of the left side along the axis of both, with zeros where it has no entry."""
        return _laid(values, self.left, len(self.axis), dimension)

    def lay_right(self, values: FloatArray, dimension: int = 0) -> FloatArray:
        """Return an array of the right side along the axis of both, with zeros where it has no entry."""
        return _laid(values, self.right, len(self.axis), dimension)


def for_sum(left: Axis, right: Axis) -> Alignment:
    """Align two axes to add along them."""
    axis, at_left, at_right = left.union(right)
    # Both are sorted, so an axis as long as the union is the union.
    return Alignment(axis, None if len(left) == len(axis) else at_left, None if len(right) == len(axis) else at_right)


def for_difference(left: Axis, right: Axis) -> Alignment:
    """Align two axes to take the right side out of the left."""
    both = for_sum(left, right)
    if both.left is None:
        return Alignment(left, None, both.right)
    declared = np.zeros(len(both.axis), dtype=np.bool_)
    declared[both.left] = left.declared
    return Alignment(both.axis.declare(declared), both.left, both.right)


def kept(axis: Axis, nonzero: BoolArray) -> BoolArray | None:
    """Return which entries stay (declared, or not zero), or None when all do."""
    stay = axis.declared | nonzero
    return None if stay.all() else stay


def require_complete(arrays: Mapping[str, npt.NDArray[Any]], read: Mapping[str, object], what: str) -> None:
    """Raise DataError when stored arrays hold more than the statistic has."""
    extra = sorted(set(arrays) - set(read))
    if extra:
        raise DataError(f"{what} has no array named {extra[0]!r}. The stored statistics are damaged: write them again.")


def _laid(values: FloatArray, positions: IntArray | None, size: int, dimension: int) -> FloatArray:
    if positions is None:
        return values
    shape = list(values.shape)
    shape[dimension] = size
    laid = np.zeros(shape)
    laid[(slice(None),) * dimension + (positions,)] = values
    return laid
