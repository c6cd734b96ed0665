"""Novelty: the empirical distribution of log p(x) of the training rows, and the position of new rows in it.

Symbols, for one row: n its size, the number of its known cells and tokens; w the weights of the rows of a reference.

    score       r = log p(x)/n, the log density per known cell or token, real columns in units of their own spread
                (api/novelty.py): dividing by n makes rows with missing cells, and short texts, comparable
                with complete rows. A row without known cells has r = ∞; an impossible row has r = −∞
    p-value     F(r), the weight of the reference rows with r' ≤ r as a fraction of all: 0 below the lowest of them.
                For rows from the same population, F(r) ≤ s has probability at most s, up to the sampling error of the
                reference

The reference keeps the K = min(rows, 10,000) values v_i = inf{v : F(v) > i/K}, i = 0 … K − 1 (K = 10,000 where weights
differ), so that the number of v_i ≤ r is ⌈K F(r)⌉ and their p-value is F(r) rounded up to a multiple of 1/K.

Row sampling that does not depend on how rows are split into batches.

Row i is kept if a hash of i is below a bound. When the sample exceeds its capacity, the bound is halved and about
half of the rows are dropped, so the sample is effectively random and insensitive to periodic data.

    h(i) = the mixing function of SplitMix64: G. Steele, D. Lea, C. Flood, OOPSLA 2014
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, final

import numpy as np

from suffice.errors import DataError, counted
from suffice.records import TableColumns, Tabular
from suffice.statistics.arrays import FloatArray, IntArray, KeyArray, rescale

__all__ = ["Novelty", "NoveltyReference", "NoveltyRows", "RowSample"]


_MOST_VALUES = 10_000
_ROUNDING = 2.0**-40


class NoveltyRows(NamedTuple):
    """log p(x) of each row, and its score."""

    log_density: FloatArray
    score: FloatArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class Novelty(Tabular):
    """Novelty of rows relative to the training rows.

    Parameters
    ----------
    p_value : array of rows
        Fraction of reference rows whose score is at most that of the row; 0 means more unusual than all of them.
    score : array of rows
        log p(x) divided by the number of known cells or tokens; real columns are standardised first. −inf for a row of
        probability 0, inf for a row without known cells.
    log_density : array of rows
        log p(x).
    """

    p_value: FloatArray
    score: FloatArray
    log_density: FloatArray
    library: str | None = field(default=None, repr=False, compare=False)

    def table(self) -> TableColumns:
        """Return the columns p_value, score and log_density."""
        return {"p_value": self.p_value, "score": self.score, "log_density": self.log_density}

    def __str__(self) -> str:
        return f"Novelty of {counted(len(self.score), 'row')}"

    def order(self) -> IntArray:
        """Return the positions of the rows, the most unusual first."""
        return np.argsort(self.score, kind="stable").astype(np.int64)


@final
@dataclass(frozen=True, slots=True, eq=False)
class NoveltyReference(Tabular):
    """Empirical distribution of the novelty scores of the rows that a model was fitted on.

    Parameters
    ----------
    values : array of K
        Scores in ascending order, each representing an equal fraction of the rows.
    rows : int
        Number of reference rows.
    class_prior : array of C, optional
        Class prior used to compute log p(x), for the reference rows and for the rows compared with them.
    fingerprint : str
        Fingerprint of the statistics and estimate used; comparisons with any other model are rejected.
    """

    values: FloatArray
    rows: int
    class_prior: FloatArray | None = None
    fingerprint: str = ""

    @classmethod
    def of(cls, score: FloatArray, weights: FloatArray | None = None) -> NoveltyReference:
        """Build a reference from scores and weights.

        Examples
        --------
        >>> reference = NoveltyReference.of(np.array([-8.0, -6.0, -4.0, -2.0]))
        >>> reference.p_value(np.array([-9.0, -6.0, -5.0, 0.0]))
        array([0. , 0.5, 0.5, 1. ])
        """
        weight = np.ones(len(score)) if weights is None else weights
        score, weight = score[weight > 0], weight[weight > 0]
        if not len(score):
            raise DataError(
                "a novelty reference requires at least one row with positive weight: got none. Pass the training rows."
            )
        order = np.argsort(score, kind="stable")
        ordered, equal = score[order], bool((weight == weight[0]).all())
        if equal and len(score) <= _MOST_VALUES:
            return cls(ordered, len(score))
        heights = np.arange(1.0, len(score) + 1) if equal else np.cumsum(rescale(weight[order]))
        wanted = np.arange(_MOST_VALUES) / _MOST_VALUES + _ROUNDING
        return cls(ordered[np.searchsorted(heights / heights[-1], wanted, side="left")], len(score))

    def p_value(self, score: FloatArray) -> FloatArray:
        """Return the fraction of reference rows with a score at most as high."""
        return np.searchsorted(self.values, score, side="right") / len(self.values)

    def novelty(self, rows: NoveltyRows, library: str | None = None) -> Novelty:
        """Return the novelty of these rows; `library` is the frame library that they come from."""
        return Novelty(self.p_value(rows.score), rows.score, rows.log_density, library)

    def table(self) -> TableColumns:
        """Return the column score."""
        return {"score": self.values}

    def __str__(self) -> str:
        return f"a reference of {counted(self.rows, 'row')}"


_MOST_CELLS = 2**24


@final
class RowSample:
    """A sample of a stream of numeric rows: all rows up to a limit, then a random fraction.

    Parameters
    ----------
    width : int
        Number of values per row.
    most : int
        Maximum number of values to keep.

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
        """Add rows."""
        keys = _splitmix(np.arange(self.seen, self.seen + len(rows), dtype=np.uint64))
        self.seen += len(rows)
        self._parts.append(self._below(keys, rows))
        self._kept += len(self._parts[-1][0])
        while self._kept > self._room and self._halvings < 64:
            self._halvings += 1
            self._parts = [self._below(*part) for part in self._parts]
            self._kept = sum(len(keys) for keys, _ in self._parts)

    def rows(self) -> FloatArray:
        """Return the kept rows, in their original order."""
        return np.concatenate([np.empty((0, self._width)), *(rows for _, rows in self._parts)])

    def _below(self, keys: KeyArray, rows: FloatArray) -> tuple[KeyArray, FloatArray]:
        if not self._halvings:
            return keys, rows
        stay = keys >> np.uint64(64 - self._halvings) == 0
        return keys[stay], rows[stay]


def _splitmix(numbers: KeyArray) -> KeyArray:
    # Arithmetic modulo 2⁶⁴, as in the paper; overflow is intended.
    mixed = (numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
