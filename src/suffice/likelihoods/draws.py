"""Rows drawn from what was read: what every likelihood's `sample` has in common.

Symbols: θ_c(k) the probabilities of K outcomes in class c, counts N_c(k), prior counts α.

    as it is read    θ is the reading's, the same for every row
    posterior        θ_c ~ Dir(α + N_c), drawn once for all rows of the call
    an outcome       the least k with Σ_{i ≤ k} θ_c(i) > u, u uniform: what has probability 0 is never drawn
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count, pairwise
from typing import Any, cast, final

import numpy as np
import numpy.typing as npt

from suffice.conjugate.gamma_draws import simplex_draws
from suffice.errors import DataError, ParameterError
from suffice.statistics import Axis
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray, IntArray
from suffice.statistics.labels import Label

__all__ = ["Draw", "cells_of", "outcomes_drawn", "poisson_counts", "require_proper", "theta_drawn", "unseen_label"]

_EXACT = 2**53
_LARGEST_RATE = 9.2e18
_UNSEEN = "(unseen)"


@final
@dataclass(frozen=True, eq=False)
class Draw:
    """Which rows to draw, and how.

    Parameters
    ----------
    classes : array of n whole numbers
        The class of each row, as its position among the classes of the model.
    rng : Generator
    posterior : bool
        Whether parameters are drawn once from their posterior, or are as they are read.
    length : array of n whole numbers ≥ 0, optional
        The total of each row of counts, where a likelihood needs one.
    """

    classes: IntArray
    rng: np.random.Generator
    posterior: bool = False
    length: IntArray | None = None
    groups: tuple[tuple[int, IntArray], ...] = field(init=False)  # each class that has rows, and which they are

    def __post_init__(self) -> None:
        order = np.argsort(self.classes, kind="stable")
        starts = np.flatnonzero(np.diff(self.classes[order], prepend=-1)).tolist()
        groups = (order[i:j] for i, j in pairwise([*starts, len(order)]))
        object.__setattr__(self, "groups", tuple((int(self.classes[rows[0]]), rows) for rows in groups))

    @property
    def rows(self) -> int:
        """How many rows to draw."""
        return len(self.classes)


def require_proper(prior_counts: FloatArray, columns: Columns) -> None:
    """Raise ParameterError where λ = 0: such a prior has no posterior to draw from."""
    if not (prior_counts > 0).all():
        raise ParameterError(
            "parameters cannot be drawn from their posterior: with alpha 0 there is none",
            column=columns[0],
            advice="Use alpha > 0 or another estimate, or do not draw from the posterior.",
        )


def theta_drawn(counts: FloatArray, alpha: FloatArray, read: FloatArray, draw: Draw, columns: Columns) -> FloatArray:
    """Return the probabilities as they are read, or one draw of them from Dir(α + N) along the last axis."""
    if not draw.posterior or not read.size:
        return read
    require_proper(alpha, columns)
    return simplex_draws(counts + alpha, 1, draw.rng)[0]


def outcomes_drawn(theta: FloatArray, draw: Draw) -> IntArray:
    """Return an outcome for each row, by the probabilities (C, K) of its class; −1 where there is none to draw."""
    codes: IntArray = np.full(draw.rows, -1, dtype=np.int64)
    uniform = draw.rng.random(draw.rows)
    for c, rows in draw.groups:
        heights: FloatArray = np.cumsum(theta[c])
        possible = np.flatnonzero(theta[c] > 0)
        if len(possible):
            found = cast("IntArray", heights.searchsorted(uniform[rows] * heights[-1], side="right"))
            codes[rows] = np.minimum(found, possible[-1])  # where the product rounded up
    return codes


def poisson_counts(rates: FloatArray, rng: np.random.Generator, columns: Columns) -> npt.NDArray[np.int64]:
    """Return a Poisson count for each rate (rows, columns), or raise DataError for one that int64 cannot hold."""
    if not (rates <= _LARGEST_RATE).all():
        bad = int(np.argmax((rates > _LARGEST_RATE).any(axis=0)))
        raise DataError(
            f"draws must fit int64, so a Poisson rate must be ≤ 9.2e18: column {columns[bad]!r} has "
            f"{float(rates[:, bad].max())!r}. Measure its counts in larger units."
        )
    return rng.poisson(rates).astype(np.int64, copy=False)


def unseen_label(axis: Axis) -> Label:
    """Return a level that is not on the axis, like those that are: a whole number among numbers, else text."""
    if len(axis) and all(type(label) in (int, float) for label in axis if label is not None):
        return next(number for number in count() if number not in axis)
    return next(text for text in (_UNSEEN + "'" * k for k in count()) if text not in axis)


def cells_of(codes: IntArray, labels: Sequence[Label]) -> npt.NDArray[Any]:
    """Return the label of each code as an array of their own type where they share one; a code −1 is missing.

    Whole numbers are int64, or float64 beside fractions and missing cells; bools are bool; all else is object.
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
