"""Rows drawn by Hypothesis, and the statistics that the oracles compute from them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from suffice.statistics import Axis, Bins, Counts, Maxima, Moments, Scatter, Tally
from tests.oracles import rows_bins, rows_counts, rows_maxima, rows_moments, rows_scatter, rows_tally

LABELS: tuple[Any, ...] = ("b", "a", 1, True, None, ("a", 1))
COLUMNS = ("height", 7)
LEVELS = (3, 2)

# Numbers on a grid of 2⁻¹⁰ up to 10³ about a centre: deviations are known exactly and their squares range over 10¹².
CENTRES = (0.0, 1e8, -3e5)
WHOLE = st.integers(0, 4).map(float)
FRACTIONAL = st.floats(0.01, 10.0)


@dataclass(frozen=True)
class Rows:
    """x, the class codes (−1 is none), the weights and the level codes (−1 is missing) of some rows."""

    x: list[list[float]]
    codes: list[int]
    weights: list[float]
    levels: list[list[int]]


def numbers(centre: float) -> st.SearchStrategy[float]:
    """Draw a cell near the centre: a missing one at times."""
    near = st.integers(-(2**20), 2**20).map(lambda k: centre + k * 2.0**-10)
    few = st.sampled_from([centre, centre + 1.0, centre - 0.5])
    return st.one_of(near, few, st.just(math.nan))


def wild() -> st.SearchStrategy[float]:
    """Draw any float at all, infinities and NaN too."""
    return st.one_of(st.floats(), st.sampled_from([0.0, -0.0, 1.0, 2.0, 3.0]))


@st.composite
def some_rows(
    draw: st.DrawFn,
    weight: st.SearchStrategy[float] = WHOLE,
    cells: Callable[[], st.SearchStrategy[float]] | None = None,
) -> Rows:
    """Draw up to eight rows: often none, often one."""
    size = draw(st.one_of(st.integers(0, 1), st.integers(0, 8)))
    cell = cells() if cells else numbers(draw(st.sampled_from(CENTRES)))
    return Rows(
        [[draw(cell) for _ in COLUMNS] for _ in range(size)],
        draw(st.lists(st.integers(-1, len(LABELS) - 1), min_size=size, max_size=size)),
        draw(st.lists(weight, min_size=size, max_size=size)),
        [[draw(st.integers(-1, n - 1)) for n in LEVELS] for _ in range(size)],
    )


def tally(rows: Rows) -> Tally:
    return rows_tally.as_statistic(rows.codes, LABELS, rows.weights)


def levels(rows: Rows) -> Counts:
    (values, observed), _ = rows_counts.levels(rows.levels, rows.codes, len(LABELS), LEVELS, rows.weights)
    return rows_counts.as_statistic(LABELS, ("red", None, 5), values, observed, per_level=False)


def presence(rows: Rows) -> Counts:
    values, observed = rows_counts.presence(rows.x, rows.codes, len(LABELS), 0.0, rows.weights, len(COLUMNS))
    return rows_counts.as_statistic(LABELS, COLUMNS, values, observed, per_level=True)


def moments(rows: Rows) -> Moments:
    return rows_moments.as_statistic(rows.x, rows.codes, LABELS, COLUMNS, rows.weights)


def scatter(rows: Rows) -> Scatter:
    return rows_scatter.as_statistic(rows.x, rows.codes, LABELS, COLUMNS, rows.weights)


def bins(rows: Rows, limit: int = 3) -> Bins:
    return rows_bins.as_statistic(rows.x, rows.codes, LABELS, COLUMNS, limit, rows.weights)


def maxima(rows: Rows) -> Maxima:
    sizes = [[abs(cell) for cell in row] for row in rows.x]
    return rows_maxima.as_statistic(sizes, rows.codes, LABELS, COLUMNS, rows.weights)


def joined(*parts: Rows) -> Rows:
    """Return the rows of all parts together."""
    return Rows(
        [row for part in parts for row in part.x],
        [code for part in parts for code in part.codes],
        [w for part in parts for w in part.weights],
        [row for part in parts for row in part.levels],
    )


def zero_like(statistic: Any, declared: tuple[Any, ...] = ()) -> Any:
    """Return the zero that adds to a statistic, with some declared classes."""
    classes = Axis.of(declared, declared=True)
    match statistic:
        case Tally():
            return Tally.zero(classes)
        case Counts():
            return Counts.zero(classes=classes)
        case Bins():
            return Bins.zero(statistic.columns, statistic.limit, classes)
        case _:
            return type(statistic).zero(statistic.columns, classes)
