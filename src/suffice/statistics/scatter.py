"""Weight, mean vector and scatter matrix per class: the sufficient statistics of a multivariate Gaussian.

Symbols: class c; columns i, j; m the mean vector. Only rows in which every cell is observed count; the weight of the
other rows is left_out.

    weight = Σ w        mean = Σ w x / weight        scatter S = Σ w (x − m)(x − m)ᵀ        weight 0: mean 0, S 0
    merge   as in moments.py with δ_i δ_j for δ²:  S = S_a + S_b + δ δᵀ n_a n_b / n

mean and scatter are double-double numbers, as in moments.py. After a subtraction the diagonal, which is dp of each
column, determines what is rounding error: where the diagonal becomes 0, so do the row and the column of S,
because a constant column has no covariance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError
from suffice.statistics.arrays import (
    FloatArray,
    check_factor,
    first_true,
    format_total,
    freeze,
    name_entries,
    require_domain,
    seal,
)
from suffice.statistics.axis import (
    Axis,
    Columns,
    align_for_difference,
    align_for_sum,
    columns_of,
    entries_to_keep,
    require_axis,
    require_same_columns,
    subtract_weights,
    subtraction_error,
)
from suffice.statistics.by_column import ColumnStatistic
from suffice.statistics.moments import (
    Moments,
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

__all__ = ["Scatter"]

_RESCALE = "Rescale the column."


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Scatter(ColumnStatistic):
    """Weight, mean vector and scatter matrix per class.

    Parameters
    ----------
    classes : Axis of C classes
    columns : names of D columns, or their number D for the columns 0, …, D − 1
    weight : array (C,) of floats ≥ 0
    mean : array (C, D)
    scatter : array (C, D, D), symmetric, its diagonal ≥ 0
    left_out : array (C,) of floats ≥ 0
        Weight of the rows with a missing cell, which are not in the other arrays.
    mean_low : array (C, D), optional
    scatter_low : array (C, D, D), optional
        Low-order parts of mean and scatter (double-double arithmetic). Default: 0.
    diagonal_blur : array (C, D) ≥ 0, optional
        Bound on the absolute error of the diagonal, like dp_blur of Moments. Default: 0. One float64 pass over rows
        has a bound of diagonal · PASS (moments.py). `==` ignores it.

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

    _ARRAYS: ClassVar = {
        "weight": 1,
        "mean": 2,
        "scatter": 3,
        "left_out": 1,
        "mean_low": 2,
        "scatter_low": 3,
        "diagonal_blur": 2,
    }
    _PRECISION: ClassVar = frozenset({"diagonal_blur"})

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
        in_class, in_cell = name_entries(by_class), name_entries(by_class, by_column)
        in_matrix = name_entries(by_class, by_column, by_column)
        n: FloatArray = freeze("weight", weight, (c,))
        left: FloatArray = freeze("left_out", left_out, (c,))
        require_domain("weight", n, in_class, "Pass finite weights ≥ 0.")
        require_domain("left_out", left, in_class, "Pass finite weights ≥ 0.")
        s = check_pair("scatter", scatter, scatter_low, (c, d, d), in_matrix, _RESCALE)
        m = check_pair("mean", mean, mean_low, (c, d), in_cell, _RESCALE)
        blur: FloatArray = seal(np.zeros((c, d)))
        if diagonal_blur is not None:
            blur = freeze("diagonal_blur", diagonal_blur, (c, d))
            require_domain("diagonal_blur", blur, in_cell, "Omit it if scatter is exact.")
        require_domain("the diagonal of scatter", _diagonals(s.high), in_cell, "Pass sums of squares.", negative=False)
        skew = (s.high != s.high.swapaxes(1, 2)) | (s.low != s.low.swapaxes(1, 2))
        if skew.any():
            index = first_true(skew)
            c, i, j = index
            raise DataError(
                f"scatter must be symmetric: {in_matrix(index)} has {float(s.high[c, i, j])!r}, but its transpose has "
                f"{float(s.high[c, j, i])!r} (or their low parts differ). Pass S = Σ w (x − m)(x − m)ᵀ."
            )
        stray = (n == 0) & ((m.high != 0).any(axis=1) | (s.high != 0).any(axis=(1, 2)) | (blur != 0).any(axis=1))
        if stray.any():
            raise DataError(
                f"mean and scatter must be 0 where the weight is 0: {in_class(first_true(stray))} has weight 0.0 "
                "and nonzero values or error bounds. Pass 0 for all of them."
            )
        keep = entries_to_keep(classes, (n != 0) | (left != 0))
        if keep is not None:
            classes, n, left = classes.take(keep), seal(n[keep]), seal(left[keep])
            blur = seal(blur[keep])
            m = Pair(seal(m.high[keep]), seal(m.low[keep]))
            s = Pair(seal(s.high[keep]), seal(s.low[keep]))
        self._set(
            classes,
            columns,
            weight=n,
            mean=m.high,
            scatter=s.high,
            left_out=left,
            mean_low=m.low,
            scatter_low=s.low,
            diagonal_blur=blur,
        )

    def __add__(self, other: Scatter) -> Scatter:
        if not isinstance(other, Scatter):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        require_same_columns(self.columns, other.columns, "add")
        both = align_for_sum(self.classes, other.classes)
        n_a, m_a, s_a, left_a, blur_a = self._laid(both.lay_left)
        n_b, m_b, s_b, left_b, blur_b = other._laid(both.lay_right)
        with np.errstate(all="ignore"):
            mean, delta, r = merge_parts(n_a[:, None], m_a, n_b[:, None], m_b)
            s = overflow_to_inf(add(add(s_a, s_b), _outer(delta, r)))
            return _seal_scatter(both.axis, self.columns, n_a + n_b, mean, s, left_a + left_b, blur_a + blur_b)

    def __sub__(self, other: Scatter) -> Scatter:
        if not isinstance(other, Scatter):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        require_same_columns(self.columns, other.columns, "subtract")
        both = align_for_difference(self.classes, other.classes)
        by_class = ("class", both.axis.labels)
        n, m, s, left, blur = self._laid(both.lay_left)
        n_b, m_b, s_b, left_b, blur_b = other._laid(both.lay_right)
        n_a = subtract_weights("weight", n, n_b, name_entries(by_class))
        left_a = subtract_weights("left-out weight", left, left_b, name_entries(by_class))
        with np.errstate(all="ignore"):
            n, n_b, wide = n[:, None], n_b[:, None], n_a[:, None]
            mean, delta, r = subtract_part(n, m, n_b, m_b, wide)
            removed = overflow_to_inf(add(s_b, _outer(delta, r)))
            rest = subtract(s, removed)
            diagonal = Pair(_diagonals(rest.high), _diagonals(rest.low))
            dp = clear_rounding(diagonal, _diagonals(s.high), blur + blur_b, n, n_b, wide, m.high, delta.high)
            if dp.too_much.any():
                c, j = first_true(dp.too_much)
                where = name_entries(by_class, ("column", self.columns))((c, j))
                present, subtracted = float(s.high[c, j, j]), float(removed.high[c, j, j])
                raise subtraction_error(where, "squared deviations", present, subtracted)
            constant = dp.dp.high == 0
            constant = constant[:, :, None] | constant[:, None, :]
            rest = Pair(np.where(constant, 0.0, rest.high), np.where(constant, 0.0, rest.low))
            return _seal_scatter(both.axis, self.columns, n_a, mean, rest, left_a, dp.blur)

    def scale(self, w: float) -> Scatter:
        """Return the scatter with all row weights multiplied by w."""
        factor = check_factor(w)
        with np.errstate(all="ignore"):
            n = self.weight * factor
            positive = (n > 0).astype(np.float64)  # 0 also where the product underflows
            by = Pair((factor * positive)[:, None, None], np.zeros((len(n), 1, 1)))
            s = overflow_to_inf(multiply(Pair(self.scatter, self.scatter_low), by))
            mean = Pair(self.mean * positive[:, None], self.mean_low * positive[:, None])
            return _seal_scatter(
                self.classes, self.columns, n, mean, s, self.left_out * factor, self.diagonal_blur * by.high[:, :, 0]
            )

    def moments(self) -> Moments:
        """Return the moments of each column, ignoring the covariances."""
        weight = np.repeat(self.weight[:, None], len(self.columns), axis=1)
        dp, low = (_diagonals(matrices) for matrices in (self.scatter, self.scatter_low))
        return Moments(self.classes, self.columns, weight, self.mean, dp, self.mean_low, low, self.diagonal_blur)

    def __repr__(self) -> str:
        d = len(self.columns)
        return (
            f"Scatter({self.classes!r} × {d} × {d} columns, total weight {format_total(self.weight)}, "
            f"left out {format_total(self.left_out)})"
        )

    def _laid(self, lay: Callable[[FloatArray], FloatArray]) -> tuple[FloatArray, Pair, Pair, FloatArray, FloatArray]:
        mean, s = Pair(lay(self.mean), lay(self.mean_low)), Pair(lay(self.scatter), lay(self.scatter_low))
        return lay(self.weight), mean, s, lay(self.left_out), lay(self.diagonal_blur)


def _outer(delta: Pair, r: Pair) -> Pair:
    # Multiplying one factor by r first would make the result asymmetric in the last bit.
    rows, columns = Pair(*(x[:, :, None] for x in delta)), Pair(*(x[:, None, :] for x in delta))
    product = multiply(multiply(rows, columns), Pair(*(x[:, :, None] for x in r)))
    # If an error term underflows, x y and y x may differ in their last bit.
    upper = np.triu(np.ones(product.high.shape[1:], dtype=np.bool_))
    return Pair(*(np.where(upper, x, x.swapaxes(1, 2)) for x in product))


def _diagonals(matrices: FloatArray) -> FloatArray:
    return np.diagonal(matrices, axis1=1, axis2=2)


def _seal_scatter(
    classes: Axis, columns: Columns, n: FloatArray, mean: Pair, s: Pair, left: FloatArray, blur: FloatArray
) -> Scatter:
    highs, lows = (seal(mean.high), seal(s.high)), (seal(mean.low), seal(s.low))
    bound = seal(np.minimum(blur, np.finfo(np.float64).max))
    return Scatter(classes, columns, seal(n), *highs, seal(left), *lows, bound)
