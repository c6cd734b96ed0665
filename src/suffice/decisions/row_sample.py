"""Some rows of many, the same ones however the rows come in batches.

Row i is kept where a hash of i is below a bound. When more rows were kept than there is room for, the bound is halved
and half of them go, so what is left is as good as drawn at random, and knows no period of the data.

    h(i) = the mixing function of SplitMix64: G. Steele, D. Lea, C. Flood, OOPSLA 2014
"""

from __future__ import annotations

from typing import final

import numpy as np

from suffice.statistics.frozen_arrays import FloatArray, KeyArray

__all__ = ["RowSample"]

_MOST_CELLS = 2**24


@final
class RowSample:
    """Rows of numbers, as they come: all of them up to some number, and after that a share.

    Parameters
    ----------
    width : int
        Numbers in a row.
    most : int
        Numbers to keep in all.

    Examples
    --------
    >>> sample = RowSample(2, most=100)
    >>> for start in range(0, 1000, 10):
    ...     sample.add(np.arange(start, start + 10.0)[:, None] + np.zeros(2))
    >>> sample.seen, len(sample.rows()) <= 50
    (1000, True)
    """

    def __init__(self, width: int, most: int = _MOST_CELLS) -> None:
        self.seen = 0
        self._width = width
        self._room = max(1, most // max(1, width))
        self._halvings = 0
        self._kept = 0
        self._parts: list[tuple[KeyArray, FloatArray]] = []

    def add(self, rows: FloatArray) -> None:
        """Take some more rows."""
        keys = _mixed(np.arange(self.seen, self.seen + len(rows), dtype=np.uint64))
        self.seen += len(rows)
        self._parts.append(self._below(keys, rows))
        self._kept += len(self._parts[-1][0])
        while self._kept > self._room and self._halvings < 64:
            self._halvings += 1
            self._parts = [self._below(*part) for part in self._parts]
            self._kept = sum(len(keys) for keys, _ in self._parts)

    def rows(self) -> FloatArray:
        """Return those that were kept, in their order."""
        return np.concatenate([np.empty((0, self._width)), *(rows for _, rows in self._parts)])

    def _below(self, keys: KeyArray, rows: FloatArray) -> tuple[KeyArray, FloatArray]:
        if not self._halvings:
            return keys, rows
        stay = keys >> np.uint64(64 - self._halvings) == 0
        return keys[stay], rows[stay]


def _mixed(numbers: KeyArray) -> KeyArray:
    # Modulo 2⁶⁴, as the paper has it: an overflow is meant.
    mixed = (numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
