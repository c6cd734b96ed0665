"""Where a function of one number is zero: the straight line between two places, and the middle where that is slow.

    x = (a f_b − b f_a) / (f_b − f_a)     the sign of f(x) says which of a and b it takes the place of

Where the same one stays twice, its value is halved (the Illinois rule), so that both close in on the root. SciPy has
better ones, which take longer to load than to find the root.
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["root"]

_MOST = 200


def root(function: Callable[[float], float], low: float, high: float, tolerance: float) -> float:
    """Return where the function is zero between two places at which its signs differ, or one of its values is 0.

    Examples
    --------
    >>> round(root(lambda x: x * x - 2, 0.0, 2.0, 1e-14), 12)
    1.414213562373
    """
    at_low, at_high = function(low), function(high)
    if at_low == 0 or at_high == 0:
        return low if at_low == 0 else high
    assert (at_low < 0) != (at_high < 0), "a root lies between values of different signs"
    stayed = 0  # −1 where `low` did, 1 where `high` did
    for step in range(_MOST):
        width = high - low
        middle = low + width / 2
        if abs(width) <= tolerance or middle in (low, high):
            break
        x = low - at_low * (width / (at_high - at_low)) if step % 4 < 3 else middle
        if not min(low, high) < x < max(low, high):
            x = middle
        value = function(x)
        if value == 0:
            return x
        if (value < 0) == (at_low < 0):
            low, at_low = x, value
            at_high *= 0.5 if stayed == 1 else 1.0
            stayed = 1
        else:
            high, at_high = x, value
            at_low *= 0.5 if stayed == -1 else 1.0
            stayed = -1
    return low if abs(at_low) < abs(at_high) else high
