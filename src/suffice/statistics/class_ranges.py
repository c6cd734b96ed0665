"""Statistics of neighbouring classes, under other names."""

from __future__ import annotations

from typing import Any

from suffice.statistics.axis import Axis
from suffice.statistics.counts import Counts
from suffice.statistics.moments import Moments
from suffice.statistics.scatter import Scatter
from suffice.statistics.tally import Tally

__all__ = ["class_range"]

_ARRAYS: dict[type, tuple[str, ...]] = {
    Tally: ("weight",),
    Moments: ("weight", "mean", "dp", "mean_low", "dp_low", "dp_blur"),
    Counts: ("values", "observed"),
    Scatter: ("weight", "mean", "scatter", "left_out", "mean_low", "scatter_low", "diagonal_blur"),
}


def class_range(statistic: Any, start: int, classes: Axis) -> Any:
    """Return what was seen of as many classes as `classes` has, from the one at position `start` on, under these names.

    The statistic is one that keeps each class by itself: a Tally, Moments, a Scatter, or Counts.

    Examples
    --------
    >>> both = Tally(Axis([0, 1, 2, 3], declared=True), [5.0, 1.0, 2.0, 4.0])
    >>> class_range(both, 2, Axis(["ham", "spam"])).weight
    array([2., 4.])
    """
    some = slice(start, start + len(classes))
    arrays = {name: getattr(statistic, name)[some] for name in _ARRAYS[type(statistic)]}
    if isinstance(statistic, Counts):
        return Counts(classes, statistic.levels, **arrays, per_level=statistic.per_level)
    if isinstance(statistic, Tally):
        return Tally(classes, **arrays)
    return type(statistic)(classes, statistic.columns, **arrays)
