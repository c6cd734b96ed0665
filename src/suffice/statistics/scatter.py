"""Weight, mean vector and scatter matrix per class: all that a full-covariance Gaussian needs, in a form that adds.

Symbols: class c; columns i, j; m the mean vector. Only rows with every cell observed count; the weight of the others is
left_out, so that nobody takes the statistic for all the rows.

    weight = Σ w        mean = Σ w x / weight        scatter S = Σ w (x − m)(x − m)ᵀ        weight 0: mean 0, S 0
    merge   as in deviations.py with δ_i δ_j for δ²:  S = S_a + S_b + δ δᵀ n_a n_b / n

mean and scatter are double-double, as in moments.py. What is left of S after a subtraction is judged by its diagonal,
which is dp: where that is rounding it becomes 0, and with it the row and the column of S (a column without spread
varies with nothing).
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
from suffice.statistics.frozen_arrays import FloatArray, first, frozen, named, require, sealed, stored
from suffice.statistics.moments import Moments
from suffice.statistics.subtraction import difference, too_much
from suffice.statistics.totals import shown_total

__all__ = ["Scatter"]

_RESCALE = "Rescale the column."


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Scatter:
    """Weight, mean vector and scatter matrix per class.

    Parameters
    ----------
    classes : Axis
        C classes.
    columns : int or names
        D columns; an int stands for 0, …, D − 1.
    weight : array (C,) of floats ≥ 0
    mean : array (C, D)
    scatter : array (C, D, D), symmetric, its diagonal ≥ 0
    left_out : array (C,) of floats ≥ 0
        Weight of the rows that have a missing cell.
    mean_low : array (C, D), optional
    scatter_low : array (C, D, D), optional
        What the float64 mean and scatter round off; nothing unless given.
    diagonal_blur : array (C, D) ≥ 0, optional
        How far the diagonal may be from the truth, as dp_blur of Moments: 0 unless given, diagonal · PASS
        (deviations.py) for rows collected in one pass. `==` does not read it.

    Examples
    --------
    >>> cats = Scatter(Axis.of(["cat"]), ["height", "length"], [2], [[25, 40]], [[[2, 4], [4, 8]]], [0])
    >>> more = Scatter(Axis.of(["cat"]), ["height", "length"], [1], [[22, 46]], [[[0, 0], [0, 0]]], [1])
    >>> (cats + more).scatter
    array([[[ 8., -8.],
            [-8., 32.]]])
    >>> cats + more - more == cats
    True
    """

    classes: Axis
    columns: Columns
    weight: FloatArray
    mean: FloatArray
    scatter: FloatArray
    left_out: FloatArray
    mean_low: FloatArray
    scatter_low: FloatArray
    diagonal_blur: FloatArray

    def __init__(
        self,
        classes: Axis,
        columns: int | Iterable[str | int],
        weight: npt.ArrayLike,
        mean: npt.ArrayLike,
        scatter: npt.ArrayLike,
        left_out: npt.ArrayLike,
        mean_low: npt.ArrayLike | None = None,
        scatter_low: npt.ArrayLike | None = None,
        diagonal_blur: npt.ArrayLike | None = None,
    ) -> None:
        require_axis("classes", classes)
        columns = columns_of(columns)
        c, d = len(classes), len(columns)
        by_class, by_column = ("class", classes.labels), ("column", columns)
        in_class, in_cell = named(by_class), named(by_class, by_column)
        in_matrix = named(by_class, by_column, by_column)
        n: FloatArray = frozen("weight", weight, (c,))
        left: FloatArray = frozen("left_out", left_out, (c,))
        require("weight", n, in_class, "Give finite weights ≥ 0.")
        require("left_out", left, in_class, "Give finite weights ≥ 0.")
        s = checked_pair("scatter", scatter, scatter_low, (c, d, d), in_matrix, _RESCALE)
        m = checked_pair("mean", mean, mean_low, (c, d), in_cell, _RESCALE)
        blur: FloatArray = sealed(np.zeros((c, d)))
        if diagonal_blur is not None:
            blur = frozen("diagonal_blur", diagonal_blur, (c, d))
            require("diagonal_blur", blur, in_cell, "Leave it out where scatter is exact.")
        require("the diagonal of scatter", _diagonal(s.high), in_cell, "Give sums of squares.", negative=False)
        skew = (s.high != s.high.swapaxes(1, 2)) | (s.low != s.low.swapaxes(1, 2))
        if skew.any():
            at = first(skew)
            there, back = float(s.high[at]), float(s.high[at[0], at[2], at[1]])
            raise DataError(
                f"scatter must be symmetric: {in_matrix(at)} has {there!r} one way "
                f"and {back!r} the other (or their low parts differ). Give S = Σ w (x − m)(x − m)ᵀ."
            )
        stray = (n == 0) & ((m.high != 0).any(axis=1) | (s.high != 0).any(axis=(1, 2)) | (blur != 0).any(axis=1))
        if stray.any():
            raise DataError(
                f"without weight there is no mean and no scatter: {in_class(first(stray))} has weight 0.0 "
                "and values (or a blur) that are not 0. Give 0 for all."
            )
        stay = kept(classes, (n != 0) | (left != 0))
        if stay is not None:
            classes, n, left = classes.take(stay), sealed(n[stay]), sealed(left[stay])
            blur = sealed(blur[stay])
            m = Pair(sealed(m.high[stay]), sealed(m.low[stay]))
            s = Pair(sealed(s.high[stay]), sealed(s.low[stay]))
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "weight", n)
        object.__setattr__(self, "mean", m.high)
        object.__setattr__(self, "scatter", s.high)
        object.__setattr__(self, "left_out", left)
        object.__setattr__(self, "mean_low", m.low)
        object.__setattr__(self, "scatter_low", s.low)
        object.__setattr__(self, "diagonal_blur", blur)

    @classmethod
    def zero(cls, columns: int | Iterable[str | int], classes: Axis | None = None) -> Scatter:
        """Return the scatter of no rows."""
        classes, columns = Axis() if classes is None else classes, columns_of(columns)
        require_axis("classes", classes)
        c, d = len(classes), len(columns)
        return cls(classes, columns, np.zeros(c), np.zeros((c, d)), np.zeros((c, d, d)), np.zeros(c))

    def __add__(self, other: Scatter) -> Scatter:
        if not isinstance(other, Scatter):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        require_same_columns(self.columns, other.columns, "add")
        both = for_sum(self.classes, other.classes)
        n_a, m_a, s_a, left_a, blur_a = self._laid(both.lay_left)
        n_b, m_b, s_b, left_b, blur_b = other._laid(both.lay_right)
        with np.errstate(all="ignore"):
            mean, delta, r = together(n_a[:, None], m_a, n_b[:, None], m_b)
            s = finite_or_inf(add(add(s_a, s_b), _outer(delta, r)))
            return _sealed(both.axis, self.columns, n_a + n_b, mean, s, left_a + left_b, blur_a + blur_b)

    def __sub__(self, other: Scatter) -> Scatter:
        if not isinstance(other, Scatter):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        require_same_columns(self.columns, other.columns, "subtract")
        both = for_difference(self.classes, other.classes)
        by_class = ("class", both.axis.labels)
        n, m, s, left, blur = self._laid(both.lay_left)
        n_b, m_b, s_b, left_b, blur_b = other._laid(both.lay_right)
        n_a = difference("weight", n, n_b, named(by_class))
        left_a = difference("left-out weight", left, left_b, named(by_class))
        with np.errstate(all="ignore"):
            n, n_b, wide = n[:, None], n_b[:, None], n_a[:, None]
            mean, delta, r = taken_out(n, m, n_b, m_b, wide)
            asked = finite_or_inf(add(s_b, _outer(delta, r)))
            rest = subtract(s, asked)
            diagonal = Pair(_diagonal(rest.high), _diagonal(rest.low))
            dp = settled(diagonal, _diagonal(s.high), blur + blur_b, n, n_b, wide, m.high, delta.high)
            if dp.too_much.any():
                at = first(dp.too_much)
                there, gone = float(s.high[at[0], at[1], at[1]]), float(asked.high[at[0], at[1], at[1]])
                raise too_much(named(by_class, ("column", self.columns))(at), "squared deviations", there, gone)
            flat = dp.dp.high == 0
            flat = flat[:, :, None] | flat[:, None, :]
            rest = Pair(np.where(flat, 0.0, rest.high), np.where(flat, 0.0, rest.low))
            return _sealed(both.axis, self.columns, n_a, mean, rest, left_a, dp.blur)

    def scale(self, w: float) -> Scatter:
        """Return the scatter of the same rows, each with w times its weight."""
        factor = factor_of(w)
        with np.errstate(all="ignore"):
            n = self.weight * factor
            some = (n > 0).astype(np.float64)  # 0 also where the product is below the smallest float
            by = Pair((factor * some)[:, None, None], np.zeros((len(n), 1, 1)))
            s = finite_or_inf(multiply(Pair(self.scatter, self.scatter_low), by))
            mean = Pair(self.mean * some[:, None], self.mean_low * some[:, None])
            return _sealed(
                self.classes, self.columns, n, mean, s, self.left_out * factor, self.diagonal_blur * by.high[:, :, 0]
            )

    def moments(self) -> Moments:
        """Return what it says of each column by itself."""
        weight = np.repeat(self.weight[:, None], len(self.columns), axis=1)
        dp, low = (np.diagonal(each, axis1=1, axis2=2) for each in (self.scatter, self.scatter_low))
        return Moments(self.classes, self.columns, weight, self.mean, dp, self.mean_low, low, self.diagonal_blur)

    def take_classes(self, start: int, classes: Axis) -> Scatter:
        """Return what was seen of as many classes as `classes` has, from position `start` on, under these names."""
        here = slice(start, start + len(classes))
        first = self.weight, self.mean, self.scatter, self.left_out
        arrays = *first, self.mean_low, self.scatter_low, self.diagonal_blur
        return Scatter(classes, self.columns, *(array[here] for array in arrays))

    def take_columns(self, columns: Columns) -> Scatter:
        """Return the scatter of these columns alone; rows with a missing cell in another stay left out."""
        at = [self.columns.index(name) for name in columns]
        mean, low, blur = (each[:, at] for each in (self.mean, self.mean_low, self.diagonal_blur))
        matrix, matrix_low = (each[:, at][:, :, at] for each in (self.scatter, self.scatter_low))
        return Scatter(self.classes, columns, self.weight, mean, matrix, self.left_out, low, matrix_low, blur)

    def __reduce__(self) -> tuple[Any, ...]:
        return Scatter.from_arrays, (self.to_arrays(),)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scatter):
            return NotImplemented
        return (
            self.columns == other.columns
            and self.classes == other.classes
            and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in _SEEN)
        )

    def __repr__(self) -> str:
        d = len(self.columns)
        return (
            f"Scatter({self.classes!r} × {d} × {d} columns, total weight {shown_total(self.weight)}, "
            f"left out {shown_total(self.left_out)})"
        )

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays that say all of it."""
        return {
            **self.classes.to_arrays("classes"),
            **columns_to_arrays(self.columns, "columns"),
            **{name: getattr(self, name) for name in _STORED},
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Scatter:
        """Return the scatter that `to_arrays` wrote, or raise DataError."""
        classes, columns = Axis.from_arrays(arrays, "classes"), columns_from_arrays(arrays, "columns")
        scatter = cls(
            classes, columns, **{name: stored(arrays, name, np.float64, ndim) for name, ndim in _STORED.items()}
        )
        require_complete(arrays, scatter.to_arrays(), "a Scatter")
        return scatter

    def _laid(self, lay: Callable[[FloatArray], FloatArray]) -> tuple[FloatArray, Pair, Pair, FloatArray, FloatArray]:
        mean, s = Pair(lay(self.mean), lay(self.mean_low)), Pair(lay(self.scatter), lay(self.scatter_low))
        return lay(self.weight), mean, s, lay(self.left_out), lay(self.diagonal_blur)


_SEEN = {"weight": 1, "mean": 2, "scatter": 3, "left_out": 1, "mean_low": 2, "scatter_low": 3}
_STORED = {**_SEEN, "diagonal_blur": 2}


def _outer(delta: Pair, r: Pair) -> Pair:
    # Scaled first by r on one side, the product would not be symmetric to the bit.
    rows, columns = Pair(*(x[:, :, None] for x in delta)), Pair(*(x[:, None, :] for x in delta))
    product = multiply(multiply(rows, columns), Pair(*(x[:, :, None] for x in r)))
    # Where an error term falls below the smallest float, x y and y x may differ in their last bit.
    upper = np.triu(np.ones(product.high.shape[1:], dtype=np.bool_))
    return Pair(*(np.where(upper, x, x.swapaxes(1, 2)) for x in product))


def _diagonal(matrices: FloatArray) -> FloatArray:
    return np.diagonal(matrices, axis1=1, axis2=2)


def _sealed(
    classes: Axis, columns: Columns, n: FloatArray, mean: Pair, s: Pair, left: FloatArray, blur: FloatArray
) -> Scatter:
    highs, lows = (sealed(mean.high), sealed(s.high)), (sealed(mean.low), sealed(s.low))
    known = sealed(np.minimum(blur, np.finfo(np.float64).max))
    return Scatter(classes, columns, sealed(n), *highs, sealed(left), *lows, known)
