"""Rows such as the model has never seen: log p(x) beside what it is for the rows that were learnt from.

Symbols, for one row: log p(x) as it is compared ("standard") and its size n, the number of its known cells and tokens
(evidence/novelty_rows.py); w the weights of the rows of a reference.

    r           log p(x)/n, the log density per known cell or token; 0 of a row in which nothing is known
    group       rows of about the same size: sizes in order, cut so that each group has at least 200 rows, 32 groups at
                most. Fewer known cells have a higher density, and few tokens a mean that varies more: comparing rows of
                one size takes both out. Where nothing is missing and nothing is text there is one group
    share       Σ w of the group's rows with r' ≤ r, of all its rows: 0 below the least of them, 1 from the greatest
                on, exact at the values that are kept, interpolated between. If the row comes as the others did, it
                is below s with probability s at most: a p-value of "it is one of them"
    score       (r − median)/(upper quartile − lower quartile) of the group, which goes on where the share is 0

Values that are kept of a group: all of them up to 1,001 distinct ones, else the 16 least and 985 quantiles. A row that
is impossible (log p(x) = −inf) comes before all others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np

from suffice.errors import DataError
from suffice.statistics.counted import counted
from suffice.statistics.frozen_arrays import FloatArray, IntArray
from suffice.statistics.totals import rescaled

__all__ = ["Novelty", "NoveltyReference", "NoveltyRows", "reference_of"]

_LEAST_IN_GROUP = 200
_MOST_GROUPS = 32
_MOST_VALUES = 1001
_ENDS = 16


class NoveltyRows(NamedTuple):
    """log p(x) of each row, the same as it is compared, and the size of each."""

    log_density: FloatArray
    standard: FloatArray
    size: FloatArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class Novelty:
    """How odd rows are.

    Parameters
    ----------
    share : array of rows
        The share of the rows of the reference, of about the same size, that are no more probable: 0 is odder than all.
    score : array of rows
        How far log p(x) per known cell is from the median, in units of the distance between the quartiles; −inf for a
        row that is impossible.
    log_density : array of rows
        log p(x).
    size : array of rows
        The number of known cells and tokens.
    """

    share: FloatArray
    score: FloatArray
    log_density: FloatArray
    size: FloatArray

    def order(self) -> IntArray:
        """Return the positions of the rows, the oddest first: by share, where those are equal by score."""
        return np.lexsort((self.score, self.share)).astype(np.int64)


@final
@dataclass(frozen=True, slots=True, eq=False)
class NoveltyReference:
    """What log p(x) per known cell is for the rows that a model has learnt from.

    Parameters
    ----------
    sizes : array of G
        The greatest size of each group of rows; a larger row belongs to the last group.
    starts : array of G + 1 whole numbers
        Where the values of each group start.
    values, shares : arrays
        Values of r that rise within a group, and the share of the group's rows up to and with each.
    quartiles : array of G × 3
        Lower quartile, median and upper quartile of r in each group.
    class_prior : array of C, optional
        The probability of each class in log p(x) of these rows, and so in that of the rows beside them.
    rows : int
        How many rows it was made from.
    fingerprint : str
        Of the statistics and the reading whose log p(x) it is: rows are not to be compared by any other.
    """

    sizes: FloatArray
    starts: IntArray
    values: FloatArray
    shares: FloatArray
    quartiles: FloatArray
    class_prior: FloatArray | None = None
    rows: int = 0
    fingerprint: str = ""

    def share(self, standard: FloatArray, size: FloatArray) -> FloatArray:
        """Return the share of the rows of the same group that are no more probable; log p(x) as it is compared."""
        r, group = _per_cell(standard, size), self._groups(size)
        found = np.zeros(len(r))
        for g in np.unique(group).tolist():
            here = group == g
            values = self.values[self.starts[g] : self.starts[g + 1]]
            shares = self.shares[self.starts[g] : self.starts[g + 1]]
            # Impossible rows of the reference are a first value of −inf, between which and the next nothing is.
            finite = np.isfinite(values)
            least = shares[0] if not finite[0] else 0.0
            between = np.full(int(here.sum()), least)
            if finite.any():
                between = np.interp(r[here], values[finite], shares[finite], left=least)
            found[here] = np.where(np.isneginf(r[here]), least, between)
        return found

    def novelty(self, rows: NoveltyRows) -> Novelty:
        """Return how odd these rows are."""
        r, group = _per_cell(rows.standard, rows.size), self._groups(rows.size)
        lower, median, upper = self.quartiles[group].T
        unit = np.where(upper > lower, upper - lower, 1.0)
        with np.errstate(over="ignore"):
            away = (r - median) / unit
        return Novelty(self.share(rows.standard, rows.size), away, rows.log_density, rows.size)

    def __str__(self) -> str:
        return f"a reference of {counted(self.rows, 'row')}"

    def _groups(self, size: FloatArray) -> IntArray:
        found = np.searchsorted(self.sizes, size, side="left")
        return np.minimum(found, len(self.sizes) - 1).astype(np.int64)


def reference_of(standard: FloatArray, size: FloatArray, weights: FloatArray | None = None) -> NoveltyReference:
    """Return the reference that rows of these densities, as they are compared, sizes and weights make.

    Examples
    --------
    >>> reference = reference_of(np.array([-8.0, -6.0, -4.0, -2.0]), np.ones(4))
    >>> reference.share(np.array([-9.0, -6.0, -5.0, 0.0]), np.ones(4))
    array([0.   , 0.5  , 0.625, 1.   ])
    """
    weight = np.ones(len(standard)) if weights is None else weights
    counts = weight > 0
    r, size, weight = _per_cell(standard, size)[counts], size[counts], weight[counts]
    if not len(r):
        raise DataError("a reference for novelty needs rows: got none with a weight. Give the rows of the fit.")
    bounds = _bounds(size)
    group = np.searchsorted(bounds, size, side="left")
    kept: list[tuple[FloatArray, FloatArray]] = []
    quartiles: FloatArray = np.zeros((len(bounds), 3))
    for g in range(len(bounds)):
        values, shares = _cumulated(r[group == g], weight[group == g])
        quartiles[g] = _quantiles(values, shares)
        kept.append(_thinned(values, shares))
    starts = np.cumsum([0, *(len(values) for values, _ in kept)])
    return NoveltyReference(
        bounds,
        starts.astype(np.int64),
        np.concatenate([values for values, _ in kept]),
        np.concatenate([shares for _, shares in kept]),
        quartiles,
        rows=len(r),
    )


def _per_cell(standard: FloatArray, size: FloatArray) -> FloatArray:
    cells = np.where(size > 0, np.minimum(size, np.finfo(np.float64).max), 1.0)  # counts may add up to more
    return np.where(size > 0, standard / cells, 0.0)


def _bounds(size: FloatArray) -> FloatArray:
    # The greatest size of each group, none of them empty: as many equal parts of the rows as there may be, and rows of
    # one size always together.
    number = int(np.clip(len(size) // _LEAST_IN_GROUP, 1, _MOST_GROUPS))
    ordered = np.sort(size)
    cuts = ordered[(np.arange(1, number + 1) * len(size)) // number - 1]
    bounds = np.unique(cuts)
    counts = np.diff(np.searchsorted(ordered, bounds, side="right"), prepend=0)
    while len(bounds) > 1 and counts.min() < _LEAST_IN_GROUP:
        # What is too small joins the neighbour on its left, the first its right.
        g = max(int(np.argmin(counts)), 1)
        bounds = np.delete(bounds, g - 1)
        counts = np.diff(np.searchsorted(ordered, bounds, side="right"), prepend=0)
    return bounds


def _cumulated(r: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    values, place = np.unique(r, return_inverse=True)
    heights = np.cumsum(np.bincount(place.ravel(), rescaled(weight), minlength=len(values)))
    return values, heights / heights[-1]


def _quantiles(values: FloatArray, shares: FloatArray) -> FloatArray:
    finite = np.isfinite(values)
    if not finite.any():
        return np.zeros(3)
    at = np.searchsorted(shares, np.array([0.25, 0.5, 0.75]) * (1 - 2.0**-40), side="left")
    return values[np.maximum(at, int(np.argmax(finite)))]


def _thinned(values: FloatArray, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    if len(values) <= _MOST_VALUES:
        return values, shares
    ends = np.arange(_ENDS)
    wanted: FloatArray = np.linspace(float(shares[_ENDS - 1]), 1.0, _MOST_VALUES - _ENDS + 1)[1:]
    at = np.minimum(np.searchsorted(shares, wanted, side="left"), len(values) - 1)
    kept = np.union1d(ends, at)
    return values[kept], shares[kept]
