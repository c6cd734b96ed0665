"""Taking weights out again: a difference that knows rounding from taking out too much.

Symbols: rest = left − right, entry by entry.

    |rest| ≤ 2⁻⁴⁰ left   it is rounding: 0, so that what is forgotten was never seen
    rest < −2⁻⁴⁰ left    more is taken out than was put in: an error that says where
    whole numbers        below 2⁵³ they subtract exactly, so a positive rest stays however small it is beside left
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
    if (bad := rest < -rounding).any():
        at = first(bad)
        raise too_much(where(at), what, float(left[at]), float(right[at]))
    small = (rest != 0) & (rest <= rounding)
    if small.any():
        at_small = np.nonzero(small)
        a, b, r = left[at_small], right[at_small], rest[at_small]
        rest[at_small] = np.where((r > 0) & whole(a) & whole(b), r, 0.0)
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
