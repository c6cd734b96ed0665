"""Weight, mean and sum of squared deviations of real columns per class: the sufficient statistics of a Gaussian.

Symbols: class c, column j; sums run over the rows of class c in which column j is observed.

    weight = Σ w        mean = Σ w x / weight        dp = Σ w (x − mean)²        weight 0: mean 0, dp 0

mean and dp are double-double numbers, mean + mean_low and dp + dp_low with |low| ≤ ½ ulp(high). The
high parts are the values in float64, and estimates use only them. The low parts make + and − accurate: splitting data
changes dp by less than 1e-12 of its value at mean 1e8 and standard deviation 1, and a small exact part survives the
addition and subtraction of a large one. Σ x² is never formed. Below are the formulas of sum and difference,
and the error bound dp_blur of dp after rows collected in float64 are subtracted.

**Sums and differences.** Symbols: n weight, m mean, dp = Σ w (x − m)²; parts a and b, no index for their union; δ = m_b
− m_a. m, δ, dp and r are double-double numbers, weights are float64.

    sum          n = n_a + n_b        m = m_a + δ n_b / n        dp = dp_a + dp_b + δ² r,   r = n_a n_b / n
    difference   n_a = n − n_b        D = m − m_b                m_a = m + D n_b / n_a,     −δ = D n / n_a
                                                                 dp_a = dp − dp_b − δ² r
    n = 0        m = 0, dp = 0: the empty part is an exact zero

The mean of a sum is computed from the heavier part (between equal weights, from the greater mean). Therefore a + b and
b + a are equal to the bit, δ = 0 leaves the mean unchanged and makes dp a plain sum, and r = heavy · (light / n) cannot
overflow. With δ_i δ_j for δ² the same formulas give the scatter matrix. Source: T. F. Chan, G. H. Golub, R. J. LeVeque,
Updating formulae and a pairwise algorithm for computing sample variances (1979).

**Error of a difference** (`clear_rounding`). The error bound ("blur") of dp_a is a sum of these terms:

    pairs     2⁻⁹⁶ (dp + n_b |δ| (|δ| + |m|))    dp has 106 bits, and so has m in D = δ n_a / n, which enters δ² r
              + 2⁻¹⁹⁰ n m² n_b / n_a
    weights   SNAP dp + 2⁻⁵⁰ n δ²                only for fractional weights: n and n_b were rounded, hence also n_a
    past      blur + blur_b                      the rounding of the passes over the rows (PASS · dp each) and of
                                                 earlier differences
    input     SNAP dp + 2⁻¹⁰² n m² + 2⁻⁵⁰ n δ²   dp may come from float64 sums (1e-12), a mean rounded to ½ ulp shifts
              (2⁻²⁰ dp if fractional)            dp by n (½ ulp m)², and n was rounded when it was larger

The first three terms are the error bound of the result. A rest within the bound, positive or negative, is unknown and
becomes 0, and so does one below 2⁻¹⁰²², the smallest normal float, since products underflow there. Below zero the
fourth term counts as rounding too; anything more negative is an error. Above zero the fourth term is not used: with
integer weights and exact parts it would discard a small a whenever a large b is subtracted from a + b, although the
pairs still contain it. As a consequence a part without spread (one row, a constant column) comes back with dp exactly
0, and the rounding error of an earlier subtraction does not cause an error in a later one. A mean of at most
2⁻⁹⁶ (|m| + |m_b|) n / n_a is rounding error and becomes 0.

Precision of dp after a subtraction:

    collected rows   a float64 pass has dp to a relative error of about PASS = 2⁻⁴⁸, and records it with the statistic
                     (dp_blur of Moments, diagonal_blur of Scatter). Sums add these bounds, scale multiplies them, and a
                     subtraction cannot undo them: the error of dp may be about 2⁻⁴⁸ of the largest dp that was ever in
                     the sum, or twice that where dp fell within the bound and became 0. Rows with spread 1 that were
                     collected together with an outlier of 1e9 come back with dp 0 and a bound of 3.6e3
    exact parts      statistics without such a bound (single rows, sums of them, exact sums): (a + b) − b has the dp of
                     a to a relative error of 1e-9 while it exceeds about 2⁻⁷⁰ of dp, and fewer digits below that. The
                     pairs keep 106 bits: subtracting −9.04e6 from [−3.38e-9, −8.13e-9, 2.161e-8, −9.04e6] leaves dp 0,
                     and subtracting an outlier of 1e15 leaves a dp known to about 1e30 · 2⁻⁹⁶ = 1e1

**Double-double arithmetic** represents a number as the unevaluated sum of two floats, with about 106 bits of mantissa.
Symbols: ⊕ ⊖ ⊗ are the rounded operations of float64, + − × / the exact ones; x = (high, low) represents high + low with
|low| ≤ ½ ulp(high).

    TwoSum       s = a ⊕ b;  t = s ⊖ a;  e = (a ⊖ (s ⊖ t)) ⊕ (b ⊖ t);  a + b = s + e exactly              [Knuth 4.2.2]
    FastTwoSum   s = a ⊕ b;  e = b ⊖ (s ⊖ a), where |a| ≥ |b| or a = 0                                       [Dekker 4]
    Split        g = (2²⁷ + 1) ⊗ a;  h = g ⊖ (g ⊖ a);  l = a ⊖ h;  a = h + l, 26 bits each                   [Veltkamp]
    TwoProd      p = a ⊗ b;  e = ((a_h b_h ⊖ p) ⊕ a_h b_l ⊕ a_l b_h) ⊕ a_l b_l;  a × b = p + e exactly       [Dekker 5]

Split overflows above 2⁹⁹⁶: there TwoProd uses a · 2⁻⁶⁰. TwoProd is exact while |p| ≥ 2⁻⁹⁶⁹; below that its error term
underflows and the product has the precision of a float. Each operation has a relative error of about 2⁻¹⁰² at most, is
commutative to the bit and antisymmetric in the sign. NumPy has no fused multiply-add, so products use Dekker's method.

An operation that overflows has a high part of ±inf and a low part that may be NaN; callers that store the result must
check the high part, as Moments and Scatter do.

Sources: T. J. Dekker, A floating-point technique for extending the available precision, Numer. Math. 18 (1971);
D. E. Knuth, The Art of Computer Programming 2, §4.2.2; J. R. Shewchuk, Adaptive precision floating-point arithmetic,
Discrete Comput. Geom. 18 (1997); Y. Hida, X. S. Li, D. H. Bailey, Algorithms for quad-double precision (2001).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError
from suffice.statistics.arrays import (
    BoolArray,
    FloatArray,
    Where,
    check_factor,
    first_true,
    freeze,
    name_entries,
    require_domain,
    seal,
)
from suffice.statistics.axis import (
    SNAP,
    Axis,
    Columns,
    align_for_difference,
    align_for_sum,
    columns_of,
    entries_to_keep,
    is_whole,
    require_axis,
    require_same_columns,
    subtract_weights,
    subtraction_error,
)
from suffice.statistics.by_column import ColumnStatistic

__all__ = [
    "PASS",
    "MergeTerms",
    "Moments",
    "Pair",
    "Remainder",
    "add",
    "check_pair",
    "clear_rounding",
    "divide",
    "merge_parts",
    "multiply",
    "negate",
    "overflow_to_inf",
    "ratio",
    "subtract",
    "subtract_part",
    "two_prod",
    "two_sum",
]

_RESCALE = "Rescale the column, or model it with a histogram."


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Moments(ColumnStatistic):
    """Weight, mean and sum of squared deviations per class and column.

    Parameters
    ----------
    classes : Axis of C classes
    columns : names of D columns, or their number D for the columns 0, …, D − 1
    weight, mean, dp : array (C, D)
        Weight ≥ 0 of the observed cells, their mean, and Σ w (x − mean)² ≥ 0. Where the weight is 0, so are the others.
    mean_low, dp_low : array (C, D), optional
        Low-order parts of mean and dp (double-double arithmetic). Default: 0.
    dp_blur : array (C, D) ≥ 0, optional
        Bound on the absolute error of dp. Default: 0, an exact dp. One float64 pass over rows has a bound of dp · PASS
        (see above). Sums add the bounds, subtractions add their own rounding, and a remaining dp within the bound
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

    _ARRAYS: ClassVar = {"weight": 2, "mean": 2, "dp": 2, "mean_low": 2, "dp_low": 2, "dp_blur": 2}
    _PRECISION: ClassVar = frozenset({"dp_blur"})

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
        self._set(
            classes,
            columns,
            weight=n,
            mean=mean_pair.high,
            dp=dp_pair.high,
            mean_low=mean_pair.low,
            dp_low=dp_pair.low,
            dp_blur=blur,
        )

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

    def _laid(self, lay: Callable[[FloatArray], FloatArray]) -> tuple[FloatArray, Pair, Pair, FloatArray]:
        mean, dp = Pair(lay(self.mean), lay(self.mean_low)), Pair(lay(self.dp), lay(self.dp_low))
        return lay(self.weight), mean, dp, lay(self.dp_blur)


def _where(classes: Axis, columns: Columns) -> Where:
    return name_entries(("class", classes.labels), ("column", columns))


def _seal_moments(classes: Axis, columns: Columns, n: FloatArray, mean: Pair, dp: Pair, blur: FloatArray) -> Moments:
    highs, lows = (seal(mean.high), seal(dp.high)), (seal(mean.low), seal(dp.low))
    return Moments(classes, columns, seal(n), *highs, *lows, seal(np.minimum(blur, np.finfo(np.float64).max)))


_SPLITTER = 134217729.0  # 2²⁷ + 1
_LARGE = 2.0**996


class Pair(NamedTuple):
    """A double-double array: high + low."""

    high: FloatArray
    low: FloatArray


def two_sum(a: FloatArray, b: FloatArray) -> Pair:
    """Return the rounded sum and its exact error."""
    s = a + b
    t = s - a
    return Pair(s, (a - (s - t)) + (b - t))


def two_prod(a: FloatArray, b: FloatArray) -> Pair:
    """Return the rounded product and its exact error (Dekker)."""
    scale_a, scale_b = _scale(a), _scale(b)
    if scale_a is None and scale_b is None:
        return _two_prod(a, b)
    scale = (1.0 if scale_a is None else scale_a), (1.0 if scale_b is None else scale_b)
    error = _two_prod(a * scale[0], b * scale[1]).low
    return Pair(a * b, error / scale[0] / scale[1])


def check_pair(
    what: str,
    high: npt.ArrayLike,
    low: npt.ArrayLike | None,
    shape: tuple[int, ...],
    where: Where,
    do: str,
    *,
    negative: bool = True,
) -> Pair:
    """Return high + low as a normalised pair of frozen arrays; raise DataError if invalid. None for low means zeros."""
    upper: FloatArray = freeze(what, high, shape)
    require_domain(what, upper, where, do, negative=negative)
    if low is None:
        return Pair(upper, seal(np.zeros(shape)))
    lower: FloatArray = freeze(f"{what}_low", low, shape)
    require_domain(f"{what}_low", lower, where, f"Pass the rounding error of {what}, or omit it.", negative=True)
    with np.errstate(over="ignore", invalid="ignore"):
        if ((upper + lower) == upper).all():
            return Pair(upper, lower)
        high_part, low_part = two_sum(upper, lower)
    require_domain(what, high_part, where, do, negative=negative)
    return Pair(seal(high_part), seal(low_part))


def negate(x: Pair) -> Pair:
    """Return −x."""
    return Pair(-x.high, -x.low)


def add(x: Pair, y: Pair) -> Pair:
    """Return x + y."""
    s, e = two_sum(x.high, y.high)
    t, f = two_sum(x.low, y.low)
    s, e = _fast_two_sum(s, e + t)
    return Pair(*_fast_two_sum(s, e + f))


def subtract(x: Pair, y: Pair) -> Pair:
    """Return x − y."""
    return add(x, negate(y))


def multiply(x: Pair, y: Pair) -> Pair:
    """Return x × y."""
    p, e = two_prod(x.high, y.high)
    return Pair(*_fast_two_sum(p, e + (x.high * y.low + x.low * y.high)))


def divide(x: Pair, y: Pair) -> Pair:
    """Return x / y, y not zero."""
    first = x.high / y.high
    rest = subtract(x, multiply(y, Pair(first, np.zeros_like(first))))
    second = rest.high / y.high
    rest = subtract(rest, multiply(y, Pair(second, np.zeros_like(second))))
    third = rest.high / y.high
    return add(Pair(*_fast_two_sum(first, second)), Pair(third, np.zeros_like(third)))


def ratio(a: FloatArray, b: FloatArray) -> Pair:
    """Return a / b of float64 arrays, b not zero: the rounded quotient and the quotient of the exact remainder."""
    q = a / b
    p, e = two_prod(q, b)
    return Pair(*_fast_two_sum(q, ((a - p) - e) / b))


def _fast_two_sum(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    s = a + b
    return s, b - (s - a)


def _two_prod(a: FloatArray, b: FloatArray) -> Pair:
    p = a * b
    a_h, a_l = _split(a)
    b_h, b_l = (a_h, a_l) if b is a else _split(b)
    return Pair(p, ((a_h * b_h - p) + a_h * b_l + a_l * b_h) + a_l * b_l)


def _split(a: FloatArray) -> tuple[FloatArray, FloatArray]:
    g = _SPLITTER * a
    h = g - (g - a)
    return h, a - h


def _scale(a: FloatArray) -> FloatArray | None:
    large = np.abs(a) > _LARGE
    return np.where(large, 2.0**-60, 1.0) if large.any() else None


_UNDERFLOW = 2.0**-1022  # smaller floats are subnormal and have no relative precision
PASS = 2.0**-48  # bound on the relative error of dp after one float64 pass over rows


class MergeTerms(NamedTuple):
    """The quantities of the formulas above: the mean (of the union, or of a), δ and r."""

    mean: Pair
    delta: Pair
    r: Pair


class Remainder(NamedTuple):
    """dp after a subtraction, the bound on its error, and where the excess is too large to be rounding error."""

    dp: Pair
    blur: FloatArray
    too_much: BoolArray


def merge_parts(n_a: FloatArray, m_a: Pair, n_b: FloatArray, m_b: Pair) -> MergeTerms:
    """Return the mean of the union of two parts, δ and r. Weights broadcast against means."""
    n = n_a + n_b
    n = np.where(n > 0, n, 1.0)
    b_first = (n_b > n_a) | ((n_b == n_a) & ((m_b.high > m_a.high) | ((m_b.high == m_a.high) & (m_b.low > m_a.low))))
    heavy, light = np.where(b_first, n_b, n_a), np.where(b_first, n_a, n_b)
    start = Pair(np.where(b_first, m_b.high, m_a.high), np.where(b_first, m_b.low, m_a.low))
    delta = subtract(m_b, m_a)
    sign = np.where(b_first, -1.0, 1.0)
    share = ratio(light, n)
    step = multiply(Pair(sign * delta.high, sign * delta.low), share)
    return MergeTerms(add(start, step), delta, multiply(share, Pair(heavy, np.zeros_like(heavy))))


def subtract_part(n: FloatArray, m: Pair, n_b: FloatArray, m_b: Pair, n_a: FloatArray) -> MergeTerms:
    """Return the mean of a = whole − b, δ up to its sign, and r; all are 0 where n_a = 0."""
    empty = n_a <= 0
    divisor = np.where(empty, 1.0, n_a)
    shift = subtract(m, m_b)
    mean = add(m, multiply(shift, ratio(n_b, divisor)))
    delta = multiply(shift, ratio(n, divisor))
    r = multiply(ratio(n_b, np.where(n > 0, n, 1.0)), Pair(n_a, np.zeros_like(n_a)))
    rounding = (2.0**-96 * np.abs(m.high) + 2.0**-96 * np.abs(m_b.high)) * (n / divisor)
    rounding = np.where(n_b > 0, rounding, 0.0)
    zero_mean = empty | (np.abs(mean.high) <= rounding)
    return MergeTerms(_clear(mean, zero_mean), _clear(delta, empty), _clear(r, empty))


def clear_rounding(
    rest: Pair,
    dp: FloatArray,
    past: FloatArray,
    n: FloatArray,
    n_b: FloatArray,
    n_a: FloatArray,
    m: FloatArray,
    delta: FloatArray,
) -> Remainder:
    """Return dp_a with rounding errors set to 0, given rest = dp − dp_b − δ² r and past = blur + blur_b."""
    far = np.abs(delta)
    pairs = 2.0**-96 * dp + (2.0**-96 * n_b) * far * (far + np.abs(m))
    pairs = pairs + (2.0**-190 * n) * (n_b / np.where(n_a > 0, n_a, 1.0)) * m * m
    rounded = ~(is_whole(n) & is_whole(n_b))
    weights = np.where(rounded, SNAP * dp + (2.0**-50 * n) * far * far, 0.0)
    now = np.where(n_b > 0, pairs + weights, 0.0)  # subtracting nothing adds no error
    blur = np.minimum(past + now, np.finfo(np.float64).max)
    underflow = np.where(n_b > 0, _UNDERFLOW, 0.0)
    lowest = -underflow - (
        blur + np.where(rounded, 2.0**-20, SNAP) * dp + (2.0**-102 * n) * m * m + (2.0**-50 * n) * far * far
    )
    too_much = ~(rest.high >= lowest)  # also where rest is NaN because the subtrahend overflowed
    # Where nothing is subtracted, dp is unchanged, whatever its error bound.
    zero = ((rest.high <= blur + underflow) & (n_b > 0)) | (n_a <= 0)
    return Remainder(_clear(rest, zero), np.where(n_a > 0, blur, 0.0), too_much)


def overflow_to_inf(x: Pair) -> Pair:
    """Return x with every overflow as (inf, 0), so that later checks see inf instead of the NaN of inf − inf."""
    fine = np.isfinite(x.high) & np.isfinite(x.low)
    return x if fine.all() else Pair(np.where(fine, x.high, np.inf), np.where(fine, x.low, 0.0))


def _clear(x: Pair, where: BoolArray) -> Pair:
    return Pair(np.where(where, 0.0, x.high), np.where(where, 0.0, x.low)) if where.any() else x
