"""Masked arrays where a mask has no meaning: "unknown" is not a number to add, and what lies under it was not seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

__all__ = ["has_masked"]


def has_masked(values: object) -> bool:
    """Whether an entry of an array, or of arrays in a list, is masked.

    Examples
    --------
    >>> has_masked(np.ma.array([1, 2], mask=[False, True])), has_masked(np.ma.array([1, 2])), has_masked([1, 2])
    (True, False, False)
    """
    if isinstance(values, np.ma.MaskedArray):
        return bool(np.ma.is_masked(cast("Any", values)))
    return isinstance(values, (list, tuple)) and any(map(has_masked, cast("Sequence[object]", values)))
