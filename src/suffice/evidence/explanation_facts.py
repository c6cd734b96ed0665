"""What was seen behind an entry, by class or for several classes together: counts, means, shares.

Symbols: N_jc(k) weight of the rows of class c with level k in column j, n that of those in which j is known; classes
together are added up.

    level, presence, combination    times N_jc(k), of n
    count of a row of counts        times Σ x_j, of Σ_j Σ x_j
    real number                     mean and sd = √(dp/n) of the values of the classes together, as if they were one
    Poisson                         mean Σ x/n
    cell of a histogram, missing    share θ as it is read; of several classes their mean by the weight of their rows

A function of facts takes the place of a column, the outcome there (a level's place, 1 for present, …) and the classes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from suffice.likelihoods.aligned import by_class, by_column
from suffice.likelihoods.standardised_scatter import moments_of
from suffice.statistics import Axis, Counts, Moments, Scatter
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = ["Facts", "of_combinations", "of_counts", "of_levels", "of_moments", "of_nothing", "of_presence", "of_shares"]

Facts: TypeAlias = Callable[[int, int, IntArray], dict[str, float]]


def of_nothing(_column: int, _outcome: int, _classes: IntArray) -> dict[str, float]:
    """Say nothing."""
    return {}


def of_levels(parts: tuple[Any, ...], axes: tuple[Axis, ...], classes: Axis) -> Facts:
    """Return the facts of columns of levels, given the counts of each; an outcome beyond the levels was never seen."""
    counts = [_laid(part, axis, classes) for part, axis in zip(parts, axes, strict=True)]

    def facts(column: int, outcome: int, at: IntArray) -> dict[str, float]:
        here: FloatArray = counts[column][at]
        times = float(here[:, outcome].sum()) if 0 <= outcome < here.shape[1] else 0.0
        return {"times": times, "of": float(here.sum())}

    return facts


def of_combinations(part: Any, classes: Axis, matching: Callable[[int], IntArray]) -> Facts:
    """Return the facts of a block of levels; `matching` gives the seen combinations that a code may stand for."""
    assert isinstance(part, Counts)
    counts = by_class(part.values, part.classes, classes)

    def facts(_column: int, outcome: int, at: IntArray) -> dict[str, float]:
        here: FloatArray = counts[at]
        return {"times": float(here[:, matching(outcome)].sum()), "of": float(here.sum())}

    return facts


def of_presence(part: Any, columns: Columns, classes: Axis) -> Facts:
    """Return the facts of columns that are present (1) or absent (0)."""
    assert isinstance(part, Counts)
    present, observed = by_column(part, columns, classes)

    def facts(column: int, outcome: int, at: IntArray) -> dict[str, float]:
        there, known = float(present[at, column].sum()), float(observed[at, column].sum())
        return {"times": there if outcome else max(known - there, 0.0), "of": known}

    return facts


def of_counts(part: Any, columns: Columns, classes: Axis, *, draws: bool) -> Facts:
    """Return the facts of columns of counts: occurrences of all, where they are draws, or the mean of each."""
    assert isinstance(part, Counts)
    total, weight = by_column(part, columns, classes)

    def facts(column: int, _outcome: int, at: IntArray) -> dict[str, float]:
        times = float(total[at, column].sum())
        if draws:
            return {"times": times, "of": float(total[at].sum())}
        known = float(weight[at, column].sum())
        return {"mean": times / known} if known > 0 else {}

    return facts


def of_moments(part: Any, columns: Columns, classes: Axis) -> Facts:
    """Return the facts of columns of real numbers."""
    moments = moments_of(part) if isinstance(part, Scatter) else part
    assert isinstance(moments, Moments)
    place = {name: at for at, name in enumerate(moments.columns)}
    where = [place[name] for name in columns]
    weight, mean, dp = (
        by_class(each, moments.classes, classes)[:, where] for each in (moments.weight, moments.mean, moments.dp)
    )

    def facts(column: int, _outcome: int, at: IntArray) -> dict[str, float]:
        n, means, squares = (each[at, column] for each in (weight, mean, dp))
        known = float(n.sum())
        if not known > 0:
            return {}
        share = n / known
        together = float((share * means).sum())
        with np.errstate(over="ignore"):
            spread = float((squares / known + share * (means - together) ** 2).sum())
        return {"mean": together, "sd": float(np.sqrt(spread))}

    return facts


def of_shares(shares: Callable[[int, int], FloatArray], weight: FloatArray) -> Facts:
    """Return the facts of outcomes whose probabilities by class are given, and the weight of the rows of each class."""

    def facts(column: int, outcome: int, at: IntArray) -> dict[str, float]:
        heavy = weight[at] if weight[at].any() else np.ones(len(at))
        return {"share": float((shares(column, outcome)[at] * (heavy / heavy.sum())).sum())}

    return facts


def _laid(part: Any, axis: Axis, classes: Axis) -> FloatArray:
    # Along the levels of the term, which are those of the counts.
    assert isinstance(part, Counts)
    assert part.levels.labels == axis.labels
    return by_class(part.values, part.classes, classes)
