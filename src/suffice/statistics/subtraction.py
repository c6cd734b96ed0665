"""Taking weights out again: a difference that knows rounding from taking out too much. The one place that says so.

Symbols: rest = left − right, entry by entry; SNAP = 2⁻⁴⁰.

    whole numbers        left and right both whole and below 2⁵³ were added and subtract exactly. They never snap: a
                         rest above 0 stays however small it is beside left, and a rest below 0 is an error
    |rest| ≤ SNAP left   else it is rounding: 0, so that what is forgotten was never seen
    rest < −SNAP left    more is taken out than was put in: an error that says where

What is left of squared deviations, which never subtract exactly, is judged by its blur instead: deviations.py.
"""

from __future__ import annotations

import numpy as np

from suffice.errors import MergeError
from suffice.statistics.frozen_arrays import BoolArray, FloatArray, Where, first

__all__ = ["SNAP", "difference", "too_much", "whole"]

SNAP = 2.0**-40
_EXACT = 2.0**53


def difference(what: str, left: FloatArray, right: FloatArray, where: Where) -> FloatArray:
    """Return left − right with rounding snapped to 0, or raise MergeError where more is taken out than is there."""
    rest = left - right
    rounding = SNAP * left
    bad = rest < -rounding
    small = (rest != 0) & (rest <= rounding) & ~bad
    if small.any():
        exact = whole(left) & whole(right)
        bad |= small & exact & (rest < 0)
        rest[small & ~exact] = 0.0
    if bad.any():
        at = first(bad)
        raise too_much(where(at), what, float(left[at]), float(right[at]))
    return rest


def too_much(where: str, what: str, there: float, asked: float) -> MergeError:
    """Return the error of taking out more than was put in."""
    return MergeError(
        f"cannot take out more than was put in: {where} has {what} {there!r}, asked to take out {asked!r}. "
        "Subtract only what was added before, with the same weights."
    )


def whole(values: FloatArray) -> BoolArray:
    """Return where values are whole numbers that float64 adds and subtracts exactly."""
    return (values == np.floor(values)) & (values < _EXACT)
