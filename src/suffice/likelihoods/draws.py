"""Drawing rows from a model: code shared by the `sample` methods of the likelihoods.

Symbols: θ_c(k) is the probability of outcome k of K in class c; counts N_c(k), prior counts α.

    point estimate   θ is the estimate, the same for every row
    posterior        θ_c ~ Dir(α + N_c), drawn once for all rows of the call
    outcome          the smallest k with Σ_{i ≤ k} θ_c(i) > u, u uniform; an outcome of probability 0 is never drawn
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count, pairwise
from typing import Any, cast, final

import numpy as np
import numpy.typing as npt

from suffice.conjugate.special import simplex_draws
from suffice.errors import DataError
from suffice.likelihoods.terms.term import require_posterior
from suffice.statistics import Axis
from suffice.statistics.arrays import FloatArray, IntArray
from suffice.statistics.axis import Columns
from suffice.statistics.labels import Label

__all__ = [
    "UNSEEN",
    "Draw",
    "decode_cells",
    "draw_outcomes",
    "draw_poisson",
    "draw_probabilities",
    "make_unseen_label",
]

_EXACT = 2**53
_LARGEST_RATE = 9.2e18
UNSEEN = "(unseen)"


@final
@dataclass(frozen=True, eq=False)
class Draw:
    """Rows to draw.

    Parameters
    ----------
    classes : array of n integers
        The class of each row, as its position among the classes of the model.
    rng : Generator
    posterior : bool
        Whether parameters are drawn once from their posterior; otherwise their estimates are used.
    length : array of n integers ≥ 0, optional
        The total of each row of counts, or the number of words of each document.
    """

    classes: IntArray
    rng: np.random.Generator
    posterior: bool = False
    length: IntArray | None = None
    groups: tuple[tuple[int, IntArray], ...] = field(init=False)  # each class with rows, and the indices of its rows

    def __post_init__(self) -> None:
        order = np.argsort(self.classes, kind="stable")
        starts = np.flatnonzero(np.diff(self.classes[order], prepend=-1)).tolist()
        groups = (order[i:j] for i, j in pairwise([*starts, len(order)]))
        object.__setattr__(self, "groups", tuple((int(self.classes[rows[0]]), rows) for rows in groups))

    @property
    def rows(self) -> int:
        """The number of rows to draw."""
        return len(self.classes)


def draw_probabilities(
    counts: FloatArray, alpha: FloatArray, estimates: FloatArray, draw: Draw, columns: Columns
) -> FloatArray:
    """Return the estimated probabilities, or if `draw.posterior`, one draw from Dir(α + N) along the last axis."""
    if not draw.posterior or not estimates.size:
        return estimates
    require_posterior(alpha, columns)
    return simplex_draws(counts + alpha, 1, draw.rng)[0]


def draw_outcomes(theta: FloatArray, draw: Draw) -> IntArray:
    """Draw an outcome for each row from the probabilities (C, K) of its class; −1 if no outcome is possible."""
    codes: IntArray = np.full(draw.rows, -1, dtype=np.int64)
    uniform = draw.rng.random(draw.rows)
    for c, rows in draw.groups:
        heights: FloatArray = np.cumsum(theta[c])
        possible = np.flatnonzero(theta[c] > 0)
        if len(possible):
            outcomes = cast("IntArray", heights.searchsorted(uniform[rows] * heights[-1], side="right"))
            codes[rows] = np.minimum(outcomes, possible[-1])  # the product may round up
    return codes


def draw_poisson(rates: FloatArray, rng: np.random.Generator, columns: Columns) -> npt.NDArray[np.int64]:
    """Draw a Poisson count for each rate (rows, columns), or raise DataError for a rate too large for int64."""
    if not (rates <= _LARGEST_RATE).all():
        bad = int(np.argmax((rates > _LARGEST_RATE).any(axis=0)))
        raise DataError(
            f"Poisson rates must be at most 9.2e18 for draws to fit int64: column {columns[bad]!r} has "
            f"{float(rates[:, bad].max())!r}. Rescale the counts."
        )
    return rng.poisson(rates).astype(np.int64, copy=False)


def make_unseen_label(axis: Axis) -> Label:
    """Return a level that is not on the axis: an integer if the levels are numbers, otherwise a string."""
    if len(axis) and all(type(label) in (int, float) for label in axis if label is not None):
        return next(number for number in count() if number not in axis)
    return next(text for text in (UNSEEN + "'" * k for k in count()) if text not in axis)


def decode_cells(codes: IntArray, labels: Sequence[Label]) -> npt.NDArray[Any]:
    """Return the label of each code in an array of their common type; code −1 is missing.

    Integers are int64, or float64 if there are also fractions or missing cells; booleans are bool; all else is object.
    """
    kinds = {type(label) for label in labels if label is not None}
    gaps = None in labels or bool((codes < 0).any())
    if kinds == {bool} and not gaps:
        return np.array(labels, dtype=np.bool_)[codes]
    if kinds <= {int, float} and all(type(label) is not int or abs(label) <= _EXACT for label in labels):
        whole = kinds == {int} and not gaps
        numbers = [np.nan if label is None else label for label in labels]
        return np.array([*numbers, 0] if whole else [*numbers, np.nan], dtype=np.int64 if whole else np.float64)[codes]
    names: npt.NDArray[Any] = np.empty(len(labels) + 1, dtype=object)
    names[: len(labels)] = labels
    return names[codes]
