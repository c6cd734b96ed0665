"""Labels by a dictionary, slowly: what is missing, what two values have in common, and the code of each row.

A label is written as (kind, value), so that Python cannot take True for 1: numbers are exact fractions.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np


def written(value: object) -> object:
    """Return what the value is as a label, or None where it stands for no value."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, (bool, np.bool_)):
        return "bool", bool(value)
    if isinstance(value, str):
        return "text", str(value)
    if isinstance(value, bytes):
        return "bytes", value
    if isinstance(value, tuple):
        return "tuple", tuple(written(part) for part in value)
    if isinstance(value, (int, np.integer)):
        return "number", Fraction(int(value))
    number = float(value) if isinstance(value, (float, np.floating, decimal.Decimal)) else math.nan
    if math.isnan(number):
        return None
    return "number", number if math.isinf(number) else Fraction(number)


def labels_of(values: Iterable[object]) -> list[object]:
    """Return the label of each value, None where it is missing."""
    return [written(value) for value in values]


def levels_of(values: Iterable[object]) -> set[object]:
    return {label for label in labels_of(values) if label is not None}
