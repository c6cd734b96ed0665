"""Weight and maximum of columns of numbers ≥ 0 per class: the sufficient statistics of the uniform on [0, θ].

Symbols: class c, column j; sums and maxima run over the rows of class c in which column j is observed.

    weight = Σ w        maximum = max x        weight 0: maximum 0        a + b: weight + weight, max(maximum, maximum)

Maxima cannot be subtracted: if the largest value is among the removed rows, the largest of the others is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError, MergeError
from suffice.statistics.arrays import (
    FloatArray,
    check_factor,
    first_true,
    freeze,
    name_entries,
    require_domain,
    seal,
)
from suffice.statistics.axis import (
    Axis,
    Columns,
    align_for_sum,
    columns_of,
    entries_to_keep,
    require_axis,
    require_same_columns,
)
from suffice.statistics.by_column import ColumnStatistic

__all__ = ["Maxima"]


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Maxima(ColumnStatistic):
    """Weight and maximum per class and column of numbers ≥ 0.

    Parameters
    ----------
    classes : Axis of C classes
    columns : names of D columns, or their number D for the columns 0, …, D − 1
    weight, maximum : array (C, D)
        Weight ≥ 0 of the observed cells, and the largest of them; 0 where the weight is 0.

    Examples
    --------
    >>> monday = Maxima(Axis.of(["bus"]), ["wait"], weight=[[3]], maximum=[[12.5]])
    >>> tuesday = Maxima(Axis.of(["bus", "tram"]), ["wait"], weight=[[2], [1]], maximum=[[9], [4]])
    >>> (monday + tuesday).maximum
    array([[12.5],
           [ 4. ]])
    """

    _ARRAYS: ClassVar = {"weight": 2, "maximum": 2}

    classes: Axis
    columns: Columns
    weight: FloatArray
    maximum: FloatArray

    def __init__(
        self, classes: Axis, columns: int | Iterable[str | int], weight: npt.ArrayLike, maximum: npt.ArrayLike
    ) -> None:
        require_axis("classes", classes)
        columns = columns_of(columns)
        shape = len(classes), len(columns)
        where = name_entries(("class", classes.labels), ("column", columns))
        n: FloatArray = freeze("weight", weight, shape)
        require_domain("weight", n, where, "Pass finite weights ≥ 0.")
        largest: FloatArray = freeze("maximum", maximum, shape)
        require_domain("maximum", largest, where, "Uniform columns hold finite numbers ≥ 0.")
        observed = n != 0
        stray = ~observed & (largest != 0)
        if stray.any():
            index = first_true(stray)
            raise DataError(
                f"maximum must be 0 where the weight is 0: {where(index)} has {float(largest[index])!r}. Pass 0."
            )
        keep = entries_to_keep(classes, observed.any(axis=1))
        if keep is not None:
            classes, n, largest = classes.take(keep), seal(n[keep]), seal(largest[keep])
        self._set(classes, columns, weight=n, maximum=largest)

    def __add__(self, other: Maxima) -> Maxima:
        if not isinstance(other, Maxima):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        require_same_columns(self.columns, other.columns, "add")
        both = align_for_sum(self.classes, other.classes)
        with np.errstate(over="ignore"):
            weight = both.lay_left(self.weight) + both.lay_right(other.weight)
        maximum = np.maximum(both.lay_left(self.maximum), both.lay_right(other.maximum))
        return Maxima(both.axis, self.columns, seal(weight), seal(maximum))

    def __sub__(self, other: Maxima) -> Maxima:
        if not isinstance(other, Maxima):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        require_same_columns(self.columns, other.columns, "subtract")
        if not other.weight.any():
            return self
        raise MergeError(
            "rows cannot be removed from a Uniform column: the largest value of all rows does not determine the "
            "largest value of the remaining rows",
            kind="no_subtraction",
            column=self.columns,
            advice="Fit the model again without the rows.",
        )

    def scale(self, w: float) -> Maxima:
        """Return the maxima with all row weights multiplied by w."""
        with np.errstate(over="ignore"):
            n = self.weight * check_factor(w)
        return Maxima(self.classes, self.columns, seal(n), seal(np.where(n == 0, 0.0, self.maximum)))
