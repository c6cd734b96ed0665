"""Floats as whole numbers in the same order, and bins as floats that share the high bits of their number.

    bits(x)   the 64 bits of the float64 x (−0 first becomes 0)
    key(x)    ~bits if the sign bit is set, else bits | 2⁶³          x < y ⇔ key(x) < key(y)
    bin       key >> shift, shift 0 … 64: at 0 every float has its own bin, at 64 all share one

Keys of finite floats run from 2⁵² (the lowest) to 2⁶⁴ − 2⁵² − 1 (the highest); those beyond are infinities and NaN, and
2⁶³ − 1 would be −0: none of them is ever counted. A bin holds the finite floats from its lower to its upper edge, both
included; its width runs to the next bin's lower edge, and is at least the spacing of floats there.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from suffice.statistics.frozen_arrays import FloatArray, IntArray, KeyArray

__all__ = [
    "HIGHEST_KEY",
    "LOWEST_KEY",
    "bits_that_differ",
    "coarser",
    "key_of",
    "lower_edge",
    "upper_edge",
    "value_of",
    "width",
]

_SIGN = np.uint64(1 << 63)
_MINUS_ZERO = np.uint64((1 << 63) - 1)
LOWEST_KEY = np.uint64(1 << 52)
HIGHEST_KEY = np.uint64((1 << 64) - (1 << 52) - 1)
_HIGHEST = float(np.finfo(np.float64).max)


def key_of(values: npt.ArrayLike) -> KeyArray:
    """Return the order-preserving key of each float. NaN has none: leave it out first.

    Examples
    --------
    >>> key_of([-1.5, 0.0, 1.5]) >> np.uint64(60)
    array([ 4,  8, 11], dtype=uint64)
    """
    bits = (np.atleast_1d(np.asarray(values, dtype=np.float64)) + 0.0).view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def value_of(keys: KeyArray) -> FloatArray:
    """Return the float of each key: the inverse of `key_of`."""
    bits = np.where(keys & _SIGN, keys ^ _SIGN, ~keys)
    return bits.view(np.float64) + 0.0


def coarser(keys: KeyArray | np.uint64, by: IntArray) -> KeyArray:
    """Return keys >> by, where by may be 64."""
    # Machines shift by 64 as by 0.
    return np.where(by >= 64, np.uint64(0), keys >> np.minimum(by, 63).astype(np.uint64))


def lower_edge(bins: KeyArray, shift: IntArray) -> FloatArray:
    """Return the smallest finite float of each bin."""
    return value_of(np.maximum(_first_key(bins, shift), LOWEST_KEY))


def upper_edge(bins: KeyArray, shift: IntArray) -> FloatArray:
    """Return the largest finite float of each bin."""
    last = np.minimum(_last_key(bins, shift), HIGHEST_KEY)
    return value_of(np.where(last == _MINUS_ZERO, last - np.uint64(1), last))


def width(bins: KeyArray, shift: IntArray) -> FloatArray:
    """Return how far it is from each bin's lower edge to the next bin's: finite and above 0."""
    last = np.minimum(_last_key(bins, shift), HIGHEST_KEY - np.uint64(1))
    lower = np.minimum(lower_edge(bins, shift), value_of(np.array([HIGHEST_KEY - np.uint64(1)])))
    with np.errstate(over="ignore"):
        return np.minimum(value_of(last + np.uint64(1)) - lower, _HIGHEST)


def bits_that_differ(keys: KeyArray) -> IntArray:
    """Return, for each two neighbours, the smallest shift at which they are one bin."""
    differing = keys[1:] ^ keys[:-1]
    # In halves, because a float holds 32 bits exactly but not 64.
    high, low = differing >> np.uint64(32), differing & np.uint64(0xFFFFFFFF)
    exponent_high, exponent_low = (np.frexp(half.astype(np.float64))[1].astype(np.int64) for half in (high, low))
    return np.where(high > 0, exponent_high + 32, exponent_low)


def _first_key(bins: KeyArray, shift: IntArray) -> KeyArray:
    return np.where(shift >= 64, np.uint64(0), bins << np.minimum(shift, 63).astype(np.uint64))


def _last_key(bins: KeyArray, shift: IntArray) -> KeyArray:
    ones = ~np.where(shift >= 64, np.uint64(0), ~np.uint64(0) << np.minimum(shift, 63).astype(np.uint64))
    return _first_key(bins, shift) | ones
