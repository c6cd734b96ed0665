"""Weight, mean and sum of squared deviations of real columns per class: the sufficient statistics of a Gaussian.

Symbols: class c, column j; sums run over the rows of class c in which column j is observed.

    weight = Σ w        mean = Σ w x / weight        dp = Σ w (x − mean)²        weight 0: mean 0, dp 0

mean and dp are double-double numbers, mean + mean_low and dp + dp_low with |low| ≤ ½ ulp(high) (deviations.py). The
high parts are the values in float64, and estimates use only them. The low parts make + and − accurate: splitting data
changes dp by less than 1e-12 of its value at mean 1e8 and standard deviation 1, and a small exact part survives the
addition and subtraction of a large one. Σ x² is never formed. deviations.py has the formulas of sum and difference, and
the error bound dp_blur of dp after rows collected in float64 are subtracted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError
from suffice.statistics.arrays import (
    FloatArray,
    Where,
    check_factor,
    first_true,
    format_total,
    freeze,
    name_entries,
    require_domain,
    require_stored,
    seal,
)
from suffice.statistics.axis import (
    Axis,
    align_for_difference,
    align_for_sum,
    entries_to_keep,
    require_axis,
    require_complete,
    subtract_weights,
    subtraction_error,
)
from suffice.statistics.columns import Columns, columns_from_arrays, columns_of, columns_to_arrays, require_same_columns
from suffice.statistics.deviations import (
    Pair,
    add,
    check_pair,
    clear_rounding,
    merge_parts,
    multiply,
    overflow_to_inf,
    subtract,
    subtract_part,
)

__all__ = ["Moments"]

_RESCALE = "Rescale the column, or model it with a histogram."


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Moments:
    """Weight, mean and sum of squared deviations per class and column.

    Parameters
    ----------
    classes : Axis
        C classes.
    columns : int or names
        D columns; an integer D means the columns 0, …, D − 1.
    weight, mean, dp : array (C, D)
        Weight ≥ 0 of the observed cells, their mean, and Σ w (x − mean)² ≥ 0. Where the weight is 0, so are the others.
    mean_low, dp_low : array (C, D), optional
        Low-order parts of mean and dp (double-double arithmetic). Default: 0.
    dp_blur : array (C, D) ≥ 0, optional
        Bound on the absolute error of dp. Default: 0, an exact dp. One float64 pass over rows has a bound of dp · PASS
        (deviations.py). Sums add the bounds, subtractions add their own rounding, and a remaining dp within the bound
        becomes 0. The bound describes precision and not data, so `==` ignores it.

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
        n: FloatArray = freeze("weight", weight, shape)
        require_domain("weight", n, where, "Pass finite weights ≥ 0.")
        dp_pair = check_pair("dp", dp, dp_low, shape, where, _RESCALE, negative=False)
        mean_pair = check_pair("mean", mean, mean_low, shape, where, _RESCALE)
        blur: FloatArray = seal(np.zeros(shape))
        if dp_blur is not None:
            blur = freeze("dp_blur", dp_blur, shape)
            require_domain("dp_blur", blur, where, "Omit it if dp is exact.")
        observed = n != 0
        if not observed.all() or not observed.size:
            stray = ~observed & ((mean_pair.high != 0) | (dp_pair.high != 0) | (blur != 0))
            if stray.any():
                index = first_true(stray)
                raise DataError(
                    f"mean and dp must be 0 where the weight is 0: {where(index)} has weight 0.0, "
                    f"mean {float(mean_pair.high[index])!r}, dp {float(dp_pair.high[index])!r} "
                    f"and dp_blur {float(blur[index])!r}. Pass 0 for all of them."
                )
            keep = entries_to_keep(classes, observed.any(axis=1))
            if keep is not None:
                classes, n, blur = classes.take(keep), seal(n[keep]), seal(blur[keep])
                mean_pair = Pair(seal(mean_pair.high[keep]), seal(mean_pair.low[keep]))
                dp_pair = Pair(seal(dp_pair.high[keep]), seal(dp_pair.low[keep]))
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
        nothing = seal(np.zeros((len(classes), len(columns))))
        return cls(classes, columns, nothing, nothing, nothing, nothing, nothing, nothing)

    def __add__(self, other: Moments) -> Moments:
        if not isinstance(other, Moments):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        require_same_columns(self.columns, other.columns, "add")
        both = align_for_sum(self.classes, other.classes)
        n_a, m_a, dp_a, blur_a = self._laid(both.lay_left)
        n_b, m_b, dp_b, blur_b = other._laid(both.lay_right)
        with np.errstate(all="ignore"):
            mean, delta, r = merge_parts(n_a, m_a, n_b, m_b)
            dp = overflow_to_inf(add(add(dp_a, dp_b), multiply(delta, multiply(delta, r))))
            return _seal_moments(both.axis, self.columns, n_a + n_b, mean, dp, blur_a + blur_b)

    def __sub__(self, other: Moments) -> Moments:
        if not isinstance(other, Moments):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        require_same_columns(self.columns, other.columns, "subtract")
        both = align_for_difference(self.classes, other.classes)
        where = _where(both.axis, self.columns)
        n, m, dp, blur = self._laid(both.lay_left)
        n_b, m_b, dp_b, blur_b = other._laid(both.lay_right)
        n_a = subtract_weights("weight", n, n_b, where)
        with np.errstate(all="ignore"):
            mean, delta, r = subtract_part(n, m, n_b, m_b, n_a)
            removed = overflow_to_inf(add(dp_b, multiply(delta, multiply(delta, r))))
            rest = clear_rounding(subtract(dp, removed), dp.high, blur + blur_b, n, n_b, n_a, m.high, delta.high)
            if rest.too_much.any():
                index = first_true(rest.too_much)
                present, subtracted = float(dp.high[index]), float(removed.high[index])
                raise subtraction_error(where(index), "squared deviations", present, subtracted)
            return _seal_moments(both.axis, self.columns, n_a, mean, rest.dp, rest.blur)

    def scale(self, w: float) -> Moments:
        """Return the moments with all row weights multiplied by w."""
        factor = check_factor(w)
        with np.errstate(all="ignore"):
            n = self.weight * factor
            dp = overflow_to_inf(multiply(Pair(self.dp, self.dp_low), Pair(np.full(1, factor), np.zeros(1))))
            empty = n == 0  # also where the product underflows
            mean = Pair(np.where(empty, 0.0, self.mean), np.where(empty, 0.0, self.mean_low))
            dp = Pair(np.where(empty, 0.0, dp.high), np.where(empty, 0.0, dp.low))
            return _seal_moments(self.classes, self.columns, n, mean, dp, np.where(empty, 0.0, self.dp_blur * factor))

    def moments(self) -> Moments:
        """Return the moments themselves; `Scatter.moments` returns those of its columns."""
        return self

    def take_classes(self, start: int, classes: Axis) -> Moments:
        """Return `len(classes)` consecutive classes from position `start`, relabelled as `classes`."""
        chosen = slice(start, start + len(classes))
        return Moments(classes, self.columns, *(array[chosen] for array in self._arrays))

    def take_columns(self, columns: Columns) -> Moments:
        """Return the moments of these columns."""
        positions = [self.columns.index(name) for name in columns]
        return Moments(self.classes, columns, *(array[:, positions] for array in self._arrays))

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
        return f"Moments({self.classes!r} × {len(self.columns)} columns, total weight {format_total(self.weight)})"

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the moments as arrays."""
        return {
            **self.classes.to_arrays("classes"),
            **columns_to_arrays(self.columns, "columns"),
            **{name: getattr(self, name) for name in _STORED},
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Moments:
        """Return the moments stored by `to_arrays`; raise DataError if the arrays are invalid."""
        classes, columns = Axis.from_arrays(arrays, "classes"), columns_from_arrays(arrays, "columns")
        moments = cls(classes, columns, **{name: require_stored(arrays, name, np.float64, 2) for name in _STORED})
        require_complete(arrays, moments.to_arrays(), "Moments")
        return moments

    def _laid(self, lay: Callable[[FloatArray], FloatArray]) -> tuple[FloatArray, Pair, Pair, FloatArray]:
        mean, dp = Pair(lay(self.mean), lay(self.mean_low)), Pair(lay(self.dp), lay(self.dp_low))
        return lay(self.weight), mean, dp, lay(self.dp_blur)


_STORED = "weight", "mean", "dp", "mean_low", "dp_low", "dp_blur"


def _where(classes: Axis, columns: Columns) -> Where:
    return name_entries(("class", classes.labels), ("column", columns))


def _seal_moments(classes: Axis, columns: Columns, n: FloatArray, mean: Pair, dp: Pair, blur: FloatArray) -> Moments:
    highs, lows = (seal(mean.high), seal(dp.high)), (seal(mean.low), seal(dp.low))
    return Moments(classes, columns, seal(n), *highs, *lows, seal(np.minimum(blur, np.finfo(np.float64).max)))
