"""Weight, mean and squared deviations of real columns per class: all that a Gaussian needs, in a form that adds.

Symbols: class c, column j; sums run over the rows of class c in which column j is observed.

    weight = Σ w        mean = Σ w x / weight        dp = Σ w (x − mean)²        weight 0: mean 0, dp 0

mean and dp are double-double: mean + mean_low and dp + dp_low with |low| ≤ ½ ulp(high) (double_double.py). The high
parts are the values to a float's precision, and readings use them alone; the low parts make the algebra exact enough
that splitting data changes dp by less than 1e-12 of it at mean 1e8 and spread 1, and that a large exact part can be
taken out of a sum without washing away a small one. Never Σ x². The formulas, what is rounding, and how much of dp is
known after rows that were collected in float64 are taken out (dp_blur), are in deviations.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError
from suffice.statistics.alignment import for_difference, for_sum, kept, require_complete
from suffice.statistics.axis import Axis, require_axis
from suffice.statistics.columns import Columns, columns_from_arrays, columns_of, columns_to_arrays, require_same_columns
from suffice.statistics.decay import factor_of
from suffice.statistics.deviations import finite_or_inf, settled, taken_out, together
from suffice.statistics.double_double import Pair, add, checked_pair, multiply, subtract
from suffice.statistics.frozen_arrays import FloatArray, Where, first, frozen, named, require, sealed, stored
from suffice.statistics.subtraction import difference, too_much
from suffice.statistics.totals import shown_total

__all__ = ["Moments"]

_RESCALE = "Rescale the column, or read it with a histogram."


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Moments:
    """Weight, mean and squared deviations per class and column.

    Parameters
    ----------
    classes : Axis
        C classes.
    columns : int or names
        D columns; an int stands for 0, …, D − 1.
    weight, mean, dp : array (C, D)
        Weight ≥ 0 of the observed cells, their mean, and Σ w (x − mean)² ≥ 0. Where the weight is 0 so are the others.
    mean_low, dp_low : array (C, D), optional
        What the float64 mean and dp round off; nothing unless given.
    dp_blur : array (C, D) ≥ 0, optional
        How far dp may be from the truth, in its unit; 0 unless given, for a dp that is exact. Who collects rows in one
        pass of float64 says here what the pass rounds, dp · PASS (deviations.py). Sums add it, subtractions add what
        they round, and what is left of dp within it counts as unknown: 0. It says how well dp is known and not what was
        seen, so `==` does not read it.

    Examples
    --------
    >>> heights = Moments(Axis.of(["cat"]), ["height"], weight=[[2]], mean=[[25]], dp=[[2]])
    >>> more = Moments(Axis.of(["cat", "dog"]), ["height"], weight=[[1], [1]], mean=[[22], [60]], dp=[[0], [0]])
    >>> both = heights + more
    >>> both.mean, both.dp
    (array([[24.],
           [60.]]), array([[8.],
           [0.]]))
    >>> both - more == heights
    True
    """

    classes: Axis
    columns: Columns
    weight: FloatArray
    mean: FloatArray
    dp: FloatArray
    mean_low: FloatArray
    dp_low: FloatArray
    dp_blur: FloatArray

    def __init__(
        self,
        classes: Axis,
        columns: int | Iterable[str | int],
        weight: npt.ArrayLike,
        mean: npt.ArrayLike,
        dp: npt.ArrayLike,
        mean_low: npt.ArrayLike | None = None,
        dp_low: npt.ArrayLike | None = None,
        dp_blur: npt.ArrayLike | None = None,
    ) -> None:
        require_axis("classes", classes)
        columns = columns_of(columns)
        shape = len(classes), len(columns)
        where = _where(classes, columns)
        n: FloatArray = frozen("weight", weight, shape)
        require("weight", n, where, "Give finite weights ≥ 0.")
        dp_pair = checked_pair("dp", dp, dp_low, shape, where, _RESCALE, negative=False)
        mean_pair = checked_pair("mean", mean, mean_low, shape, where, _RESCALE)
        blur: FloatArray = sealed(np.zeros(shape))
        if dp_blur is not None:
            blur = frozen("dp_blur", dp_blur, shape)
            require("dp_blur", blur, where, "Leave it out where dp is exact.")
        weighed = n != 0
        if not weighed.all() or not weighed.size:
            stray = ~weighed & ((mean_pair.high != 0) | (dp_pair.high != 0) | (blur != 0))
            if stray.any():
                at = first(stray)
                raise DataError(
                    f"without weight there is no mean and no dp: {where(at)} has weight 0.0, "
                    f"mean {float(mean_pair.high[at])!r}, dp {float(dp_pair.high[at])!r} "
                    f"and dp_blur {float(blur[at])!r}. Give 0 for all."
                )
            stay = kept(classes, weighed.any(axis=1))
            if stay is not None:
                classes, n, blur = classes.take(stay), sealed(n[stay]), sealed(blur[stay])
                mean_pair = Pair(sealed(mean_pair.high[stay]), sealed(mean_pair.low[stay]))
                dp_pair = Pair(sealed(dp_pair.high[stay]), sealed(dp_pair.low[stay]))
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "weight", n)
        object.__setattr__(self, "mean", mean_pair.high)
        object.__setattr__(self, "dp", dp_pair.high)
        object.__setattr__(self, "mean_low", mean_pair.low)
        object.__setattr__(self, "dp_low", dp_pair.low)
        object.__setattr__(self, "dp_blur", blur)

    @classmethod
    def zero(cls, columns: int | Iterable[str | int], classes: Axis | None = None) -> Moments:
        """Return the moments of no rows."""
        classes, columns = Axis() if classes is None else classes, columns_of(columns)
        require_axis("classes", classes)
        nothing = sealed(np.zeros((len(classes), len(columns))))
        return cls(classes, columns, nothing, nothing, nothing, nothing, nothing, nothing)

    def __add__(self, other: Moments) -> Moments:
        if not isinstance(other, Moments):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        require_same_columns(self.columns, other.columns, "add")
        both = for_sum(self.classes, other.classes)
        n_a, m_a, dp_a, blur_a = self._laid(both.lay_left)
        n_b, m_b, dp_b, blur_b = other._laid(both.lay_right)
        with np.errstate(all="ignore"):
            mean, delta, r = together(n_a, m_a, n_b, m_b)
            dp = finite_or_inf(add(add(dp_a, dp_b), multiply(delta, multiply(delta, r))))
            return _sealed(both.axis, self.columns, n_a + n_b, mean, dp, blur_a + blur_b)

    def __sub__(self, other: Moments) -> Moments:
        if not isinstance(other, Moments):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        require_same_columns(self.columns, other.columns, "subtract")
        both = for_difference(self.classes, other.classes)
        where = _where(both.axis, self.columns)
        n, m, dp, blur = self._laid(both.lay_left)
        n_b, m_b, dp_b, blur_b = other._laid(both.lay_right)
        n_a = difference("weight", n, n_b, where)
        with np.errstate(all="ignore"):
            mean, delta, r = taken_out(n, m, n_b, m_b, n_a)
            asked = finite_or_inf(add(dp_b, multiply(delta, multiply(delta, r))))
            left = settled(subtract(dp, asked), dp.high, blur + blur_b, n, n_b, n_a, m.high, delta.high)
            if left.too_much.any():
                at = first(left.too_much)
                raise too_much(where(at), "squared deviations", float(dp.high[at]), float(asked.high[at]))
            return _sealed(both.axis, self.columns, n_a, mean, left.dp, left.blur)

    def scale(self, w: float) -> Moments:
        """Return the moments of the same rows, each with w times its weight."""
        factor = factor_of(w)
        with np.errstate(all="ignore"):
            n = self.weight * factor
            dp = finite_or_inf(multiply(Pair(self.dp, self.dp_low), Pair(np.full(1, factor), np.zeros(1))))
            empty = n == 0  # also where the product is below the smallest float
            mean = Pair(np.where(empty, 0.0, self.mean), np.where(empty, 0.0, self.mean_low))
            dp = Pair(np.where(empty, 0.0, dp.high), np.where(empty, 0.0, dp.low))
            return _sealed(self.classes, self.columns, n, mean, dp, np.where(empty, 0.0, self.dp_blur * factor))

    def moments(self) -> Moments:
        """Return the moments themselves, as a scatter returns those of its columns."""
        return self

    def take_classes(self, start: int, classes: Axis) -> Moments:
        """Return what was seen of as many classes as `classes` has, from position `start` on, under these names."""
        here = slice(start, start + len(classes))
        return Moments(classes, self.columns, *(array[here] for array in self._arrays))

    def take_columns(self, columns: Columns) -> Moments:
        """Return the moments of these columns alone."""
        at = [self.columns.index(name) for name in columns]
        return Moments(self.classes, columns, *(array[:, at] for array in self._arrays))

    @property
    def _arrays(self) -> tuple[FloatArray, ...]:
        return self.weight, self.mean, self.dp, self.mean_low, self.dp_low, self.dp_blur

    def __reduce__(self) -> tuple[Any, ...]:
        return Moments.from_arrays, (self.to_arrays(),)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Moments):
            return NotImplemented
        return (
            self.columns == other.columns
            and self.classes == other.classes
            and np.array_equal(self.weight, other.weight)
            and np.array_equal(self.mean, other.mean)
            and np.array_equal(self.mean_low, other.mean_low)
            and np.array_equal(self.dp, other.dp)
            and np.array_equal(self.dp_low, other.dp_low)
        )

    def __repr__(self) -> str:
        return f"Moments({self.classes!r} × {len(self.columns)} columns, total weight {shown_total(self.weight)})"

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays that say all of it."""
        return {
            **self.classes.to_arrays("classes"),
            **columns_to_arrays(self.columns, "columns"),
            **{name: getattr(self, name) for name in _STORED},
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Moments:
        """Return the moments that `to_arrays` wrote, or raise DataError."""
        classes, columns = Axis.from_arrays(arrays, "classes"), columns_from_arrays(arrays, "columns")
        moments = cls(classes, columns, **{name: stored(arrays, name, np.float64, 2) for name in _STORED})
        require_complete(arrays, moments.to_arrays(), "Moments")
        return moments

    def _laid(self, lay: Callable[[FloatArray], FloatArray]) -> tuple[FloatArray, Pair, Pair, FloatArray]:
        mean, dp = Pair(lay(self.mean), lay(self.mean_low)), Pair(lay(self.dp), lay(self.dp_low))
        return lay(self.weight), mean, dp, lay(self.dp_blur)


_STORED = "weight", "mean", "dp", "mean_low", "dp_low", "dp_blur"


def _where(classes: Axis, columns: Columns) -> Where:
    return named(("class", classes.labels), ("column", columns))


def _sealed(classes: Axis, columns: Columns, n: FloatArray, mean: Pair, dp: Pair, blur: FloatArray) -> Moments:
    highs, lows = (sealed(mean.high), sealed(dp.high)), (sealed(mean.low), sealed(dp.low))
    return Moments(classes, columns, sealed(n), *highs, *lows, sealed(np.minimum(blur, np.finfo(np.float64).max)))
