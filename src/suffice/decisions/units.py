"""Units of log-odds and log-likelihood ratios.

nat       the factor e         x nats are x / ln 2 bits and 10 x / ln 10 decibans
bit       the factor 2
deciban   the factor 10^(1/10): 10 decibans make odds ten times what they were, 3 nearly double them (I. J. Good)
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias, cast, get_args

from suffice.errors import ParameterError
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["Unit", "from_unit", "in_unit", "unit_of"]

Unit: TypeAlias = Literal["nats", "bits", "decibans"]

# What one unit is in nats.
_NATS: dict[Unit, float] = {"nats": 1.0, "bits": math.log(2), "decibans": math.log(10) / 10}


def unit_of(given: object) -> Unit:
    """Return the name of a unit, checked."""
    if given not in get_args(Unit):
        raise ParameterError(f"unit must be 'nats', 'bits' or 'decibans': got {given!r}.")
    return cast("Unit", given)


def in_unit(nats: FloatArray, unit: Unit) -> FloatArray:
    """Return what is in nats in another unit.

    Examples
    --------
    >>> import numpy as np
    >>> in_unit(np.log([10.0, 2.0]), "decibans").round(2), in_unit(np.log([8.0]), "bits")
    (array([10.  ,  3.01]), array([3.]))
    """
    return nats if unit == "nats" else nats / _NATS[unit]


def from_unit(value: float, unit: Unit) -> float:
    """Return what is in that unit in nats."""
    return value * _NATS[unit]
