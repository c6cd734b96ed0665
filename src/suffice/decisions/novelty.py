"""Novelty: the empirical distribution of log p(x) of the rows that a model learnt from, and where new rows lie in it.

Symbols, for one row: n its size, the number of its known cells and tokens; w the weights of the rows of a reference.

    score       r = log p(x)/n, the log density per known cell or token, real columns in units of their own spread
                (evidence/novelty_rows.py): a row with missing cells, or a short text, is not more probable because it
                says less. A row in which nothing is known has r = ∞; an impossible row has r = −∞
    share       F(r), the weight of the reference rows with r' ≤ r as a fraction of all: 0 below the least of them. For
                rows that come from where the reference rows come from, share ≤ s has probability s at most, up to the
                sampling error of the reference: a p-value of "it is one of them"

The reference keeps the K = min(rows, 10,000) values v_i = inf{v : F(v) > i/K}, i = 0 … K − 1 (K = 10,000 where weights
differ), so that the number of v_i ≤ r is ⌈K F(r)⌉ and the share that they give is F(r) rounded up to a multiple of 1/K.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np

from suffice.errors import DataError
from suffice.statistics.counted import counted
from suffice.statistics.frozen_arrays import FloatArray, IntArray
from suffice.statistics.totals import rescaled

__all__ = ["Novelty", "NoveltyReference", "NoveltyRows"]

_MOST_VALUES = 10_000
_ROUNDING = 2.0**-40


class NoveltyRows(NamedTuple):
    """log p(x) of each row, and its score."""

    log_density: FloatArray
    score: FloatArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class Novelty:
    """How unusual rows are compared with those that the model learnt from.

    Parameters
    ----------
    share : array of rows
        The fraction of the reference rows whose score is at most that of the row: 0 is more unusual than all of them.
    score : array of rows
        log p(x) per known cell or token, with real columns in units of their own spread; −inf for an impossible row,
        inf for one in which nothing is known.
    log_density : array of rows
        log p(x).
    """

    share: FloatArray
    score: FloatArray
    log_density: FloatArray

    def order(self) -> IntArray:
        """Return the positions of the rows, the most unusual first."""
        return np.argsort(self.score, kind="stable").astype(np.int64)


@final
@dataclass(frozen=True, slots=True, eq=False)
class NoveltyReference:
    """The empirical distribution of the scores of the rows that a model learnt from.

    Parameters
    ----------
    values : array of K
        Scores in ascending order, each of which stands for the same fraction of the rows.
    rows : int
        The number of rows it was made from.
    class_prior : array of C, optional
        The probability of each class in log p(x) of these rows, and so in that of the rows compared with them.
    fingerprint : str
        The statistics and the estimate whose log p(x) it is: rows are not to be compared by any other.
    """

    values: FloatArray
    rows: int
    class_prior: FloatArray | None = None
    fingerprint: str = ""

    @classmethod
    def of(cls, score: FloatArray, weights: FloatArray | None = None) -> NoveltyReference:
        """Return the reference that rows with these scores and weights make.

        Examples
        --------
        >>> reference = NoveltyReference.of(np.array([-8.0, -6.0, -4.0, -2.0]))
        >>> reference.share(np.array([-9.0, -6.0, -5.0, 0.0]))
        array([0. , 0.5, 0.5, 1. ])
        """
        weight = np.ones(len(score)) if weights is None else weights
        score, weight = score[weight > 0], weight[weight > 0]
        if not len(score):
            raise DataError("a reference for novelty needs rows: got none with a weight. Give the rows of the fit.")
        order = np.argsort(score, kind="stable")
        ordered, equal = score[order], bool((weight == weight[0]).all())
        if equal and len(score) <= _MOST_VALUES:
            return cls(ordered, len(score))
        heights = np.arange(1.0, len(score) + 1) if equal else np.cumsum(rescaled(weight[order]))
        wanted = np.arange(_MOST_VALUES) / _MOST_VALUES + _ROUNDING
        return cls(ordered[np.searchsorted(heights / heights[-1], wanted, side="left")], len(score))

    def share(self, score: FloatArray) -> FloatArray:
        """Return the fraction of the reference rows whose score is at most as high."""
        return np.searchsorted(self.values, score, side="right") / len(self.values)

    def novelty(self, rows: NoveltyRows) -> Novelty:
        """Return how unusual these rows are."""
        return Novelty(self.share(rows.score), rows.score, rows.log_density)

    def __str__(self) -> str:
        return f"a reference of {counted(self.rows, 'row')}"
