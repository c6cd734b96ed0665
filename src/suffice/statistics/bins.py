"""Mergeable histograms of real columns per class, whose bins depend on the data only, not on their order or split.

Symbols: class c, column j; a finite value x falls into the bin key(x) >> shift_j (bin_layout.py); K is the limit.

    shift_j     the smallest shift that leaves column j at most K non-empty bins over all classes
    counts      C × all bins: Σ w of the cells in each bin; the bins of column j are offsets[j] … offsets[j + 1]
    below       C × D: Σ w of the cells that are −inf; above: of those that are +inf; neither counts towards the limit
    merge       coarsen both to the greater shift, join the bins, then coarsen columns with more than K bins as little
                as possible

A part of the data never needs a greater shift than the whole, so any order of merges gives the same bins. A column
without finite values has shift 0 and no bins.

A difference coarsens both sides to the greater shift and subtracts the counts. Lost resolution does not come back:
(a + b) − b equals a.coarsen((a + b).shift), which is a unless b made the bins coarser.

**Quantiles and cells.** For one column: fine bins 1 … B with lower and upper edges, weight w_b, M_b = w_1 + … + w_b.

    quantile q   the lower edge of the first bin with M_b ≥ q M_B, where −inf is a bin before the first and +inf one
                 after the last: the inverse distribution function. At shift 0 it is the value itself
                 (numpy.quantile, method="inverted_cdf"); otherwise the quantile lies in that bin. NaN without data
    cells        m cells between cut points e_0 < e_1 < … < e_m: cell i has e_{i−1} ≤ x < e_i; density = mass / width
    equal mass   cut i of k − 1 follows the fine bin b whose M_b is nearest to i M_B / k (the lower b in a tie). Equal
                 cuts are merged, so a column with few distinct values has fewer cells, and no fine bin is split. A cut
                 lies half-way between upper_b and lower_{b+1}; e_0 is lower_1, and e_m the next float above upper_B
    mass         the weight of the fine bins whose lower edge is in the cell; values outside belong to the end cells

Infinite values are in no cell: their weights are below and above. Weights whose sum would overflow are multiplied by
2⁻¹²⁸ first, which changes no quantile and no cut.
"""

from __future__ import annotations

import operator
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast, final

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError, MergeError, ParameterError
from suffice.statistics.arrays import (
    FloatArray,
    IntArray,
    KeyArray,
    Where,
    check_factor,
    first_true,
    format_total,
    freeze,
    has_masked,
    name_entries,
    require_domain,
    require_stored,
    seal,
)
from suffice.statistics.axis import (
    Axis,
    Columns,
    align_for_difference,
    align_for_sum,
    columns_from_arrays,
    columns_of,
    columns_to_arrays,
    entries_to_keep,
    require_axis,
    require_complete,
    require_same_columns,
    subtract_weights,
)
from suffice.statistics.bin_layout import (
    Row,
    align_bins,
    bin_columns,
    bin_width,
    coarsen_bins,
    join_bins,
    lower_edge,
    pick_bins,
    require_layout,
    upper_edge,
)

__all__ = ["Bins", "find_equal_mass_cuts", "find_quantiles", "place_cuts", "scale_for_sum", "sum_cells"]


_HIGHEST = float(np.finfo(np.float64).max)
_SUMMABLE = 2.0**896  # a sum of 2¹²⁸ such weights does not overflow


def scale_for_sum(weight: FloatArray, axis: int | None = None) -> FloatArray:
    """Return the weights, multiplied by 2⁻¹²⁸ where their sum along the axis (or over all) may overflow."""
    large = weight.max(axis=axis, keepdims=True, initial=0.0) > _SUMMABLE
    return np.where(large, 2.0**-128 * weight, weight) if large.any() else weight


def find_quantiles(q: FloatArray, weight: FloatArray, lower: FloatArray) -> FloatArray:
    """Return quantiles (R × Q) of one column from weights R × (B + 2): those of −inf, of the B bins and of +inf."""
    mass = np.cumsum(scale_for_sum(weight, 1), axis=1)
    values = np.concatenate([[-np.inf], lower, [np.inf]])
    quantiles = np.full((len(mass), len(q)), np.nan)
    for row in np.flatnonzero(mass[:, -1] > 0).tolist():
        # q = 0 is the first bin with positive weight.
        quantiles[row] = values[np.searchsorted(mass[row], np.maximum(q * mass[row, -1], np.nextafter(0.0, 1.0)))]
    return quantiles


def find_equal_mass_cuts(cells: int, weight: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Return the cut points, including both ends, of at most `cells` cells over the fine bins of one column."""
    if len(weight) == 0:
        return np.zeros(0)
    mass = np.cumsum(weight)
    targets = mass[-1] * (np.arange(1, cells) / cells)
    # The nearest bin is the first one that reaches the target, or the one before it.
    reached = cast("IntArray", np.searchsorted(mass, targets))
    before, after = np.maximum(reached - 1, 0), np.minimum(reached, len(mass) - 1)
    nearest: IntArray = np.unique(np.where(targets - mass[before] <= mass[after] - targets, before, after))
    return place_cuts(nearest[nearest < len(mass) - 1], lower, upper)


def place_cuts(last: IntArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Return the cut points, including both ends, that follow these fine bins of one column."""
    left, right = upper[last], lower[last + 1]
    middle = left + (0.5 * right - 0.5 * left)
    inner = np.where((middle > left) & (middle <= right), middle, right)
    end = np.nextafter(upper[-1], np.inf) if upper[-1] < _HIGHEST else _HIGHEST
    start = np.minimum(lower[0], np.nextafter(end, -np.inf))
    return np.concatenate([[start], inner[inner < end], [end]])


def sum_cells(cuts: FloatArray, weight: FloatArray, lower: FloatArray) -> FloatArray:
    """Return the mass (R × m) of each cell for R rows of bin weights (R × B) of one column."""
    cells = max(len(cuts) - 1, 0)
    cell: IntArray = np.searchsorted(cuts[1:-1], lower, side="right")
    masses = np.zeros((len(weight), cells))
    for row in range(len(weight)):
        masses[row] = np.bincount(cell, weights=weight[row], minlength=cells)
    return masses


_DO = "Pass finite weights ≥ 0."


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Bins:
    """Mergeable histogram per class and column.

    Parameters
    ----------
    classes : Axis of C classes
    columns : names of D columns, or their number D for the columns 0, …, D − 1
    limit : int
        K ≥ 1, the maximum number of non-empty bins per column.
    shift : array (D,) of int, 0 … 64
    offsets : array (D + 1,) of int
    keys : array (B,) of uint64
        Bin ids, increasing within each column.
    counts : array (C, B) of floats ≥ 0
    below, above : array (C, D) of floats ≥ 0
        Weights of −inf and +inf.

    Examples
    --------
    >>> from suffice.statistics.bin_layout import float_to_key
    >>> cats = Bins(Axis.of(["cat"]), ["height"], 4096, [0], [0, 2], float_to_key([24, 26]), [[1, 2]], [[0]], [[0]])
    >>> dogs = Bins(Axis.of(["dog"]), ["height"], 4096, [0], [0, 2], float_to_key([26, 60]), [[1, 4]], [[0]], [[0]])
    >>> both = cats + dogs
    >>> both.lower(), both.counts
    (array([24., 26., 60.]), array([[1., 2., 0.],
           [0., 1., 4.]]))
    >>> both.quantiles([0.5, 0.9])
    array([[26.],
           [60.]])
    >>> both - dogs == cats
    True
    """

    classes: Axis
    columns: Columns
    limit: int
    shift: IntArray
    offsets: IntArray
    keys: KeyArray
    counts: FloatArray
    below: FloatArray
    above: FloatArray

    def __init__(
        self,
        classes: Axis,
        columns: int | Iterable[str | int],
        limit: int,
        shift: npt.ArrayLike,
        offsets: npt.ArrayLike,
        keys: npt.ArrayLike,
        counts: npt.ArrayLike,
        below: npt.ArrayLike,
        above: npt.ArrayLike,
    ) -> None:
        require_axis("classes", classes)
        columns = columns_of(columns)
        limit = _require_limit(limit)
        c, d = len(classes), len(columns)
        shifts: IntArray = freeze("shift", shift, (d,), np.int64)
        ends: IntArray = freeze("offsets", offsets, (d + 1,), np.int64)
        ids: KeyArray = freeze("keys", keys, None, np.uint64)
        require_layout(columns, limit, shifts, ends, ids)
        table: FloatArray = freeze("counts", counts, (c, len(ids)))
        low: FloatArray = freeze("below", below, (c, d))
        high: FloatArray = freeze("above", above, (c, d))
        row = Row(ends, ids, table)
        require_domain("counts", table, _in_bin(classes, columns, shifts, row), _DO)
        require_domain("below", low, name_entries(("class", classes.labels), ("column", columns)), _DO)
        require_domain("above", high, name_entries(("class", classes.labels), ("column", columns)), _DO)
        filled = (table != 0).any(axis=0)
        if not filled.all():
            row = pick_bins(row, filled)
            table = seal(row.counts)
        empty = np.diff(row.offsets) == 0
        if shifts[empty].any():
            shifts = np.where(empty, 0, shifts)
        keep = entries_to_keep(classes, (table != 0).any(axis=1) | (low != 0).any(axis=1) | (high != 0).any(axis=1))
        if keep is not None:
            classes, table = classes.take(keep), seal(table[keep])
            low, high = seal(low[keep]), seal(high[keep])
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "limit", limit)
        object.__setattr__(self, "shift", seal(shifts))
        object.__setattr__(self, "offsets", seal(row.offsets))
        object.__setattr__(self, "keys", seal(row.keys))
        object.__setattr__(self, "counts", table)
        object.__setattr__(self, "below", low)
        object.__setattr__(self, "above", high)

    @classmethod
    def zero(cls, columns: int | Iterable[str | int], limit: int = 4096, classes: Axis | None = None) -> Bins:
        """Return the bins of no rows."""
        classes, columns = Axis() if classes is None else classes, columns_of(columns)
        require_axis("classes", classes)
        c, d = len(classes), len(columns)
        ends, none, nothing = np.zeros(d + 1), np.zeros((c, 0)), seal(np.zeros((c, d)))
        return cls(classes, columns, limit, np.zeros(d), ends, np.zeros(0), none, nothing, nothing)

    def __add__(self, other: Bins) -> Bins:
        if not isinstance(other, Bins):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        self._require_alike(other, "add")
        classes = align_for_sum(self.classes, other.classes)
        shift = np.maximum(self.shift, other.shift)
        left, right = self._row(classes.lay_left(self.counts)), other._row(classes.lay_right(other.counts))
        with np.errstate(over="ignore"):
            row, by = join_bins(left, right, shift - self.shift, shift - other.shift, self.limit)
            below = classes.lay_left(self.below) + classes.lay_right(other.below)
            above = classes.lay_left(self.above) + classes.lay_right(other.above)
        return _seal_bins(classes.axis, self.columns, self.limit, shift + by, row, below, above)

    def __sub__(self, other: Bins) -> Bins:
        if not isinstance(other, Bins):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        self._require_alike(other, "subtract")
        classes = align_for_difference(self.classes, other.classes)
        shift = np.maximum(self.shift, other.shift)
        left, right = self._row(classes.lay_left(self.counts)), other._row(classes.lay_right(other.counts))
        left, right = align_bins(left, right, shift - self.shift, shift - other.shift)
        cell = name_entries(("class", classes.axis.labels), ("column", self.columns))
        counts = subtract_weights("weight", left.counts, right.counts, _in_bin(classes.axis, self.columns, shift, left))
        below = subtract_weights("weight of -inf", classes.lay_left(self.below), classes.lay_right(other.below), cell)
        above = subtract_weights("weight of inf", classes.lay_left(self.above), classes.lay_right(other.above), cell)
        # Bins that only the subtrahend has are 0 now; they are dropped before the limit is checked.
        row = pick_bins(Row(left.offsets, left.keys, counts), (counts != 0).any(axis=0))
        return _seal_bins(classes.axis, self.columns, self.limit, shift, row, below, above)

    def scale(self, w: float) -> Bins:
        """Return the bins with all row weights multiplied by w."""
        factor = check_factor(w)
        with np.errstate(over="ignore"):
            row, below, above = self._row(self.counts * factor), self.below * factor, self.above * factor
        return _seal_bins(self.classes, self.columns, self.limit, self.shift, row, below, above)

    def coarsen(self, shift: int | npt.ArrayLike) -> Bins:
        """Return the bins at a greater shift, one for all columns or one each; a column without bins keeps shift 0."""
        shifts = self._check_shifts(shift)
        finer = (shifts < self.shift) | (shifts > 64)
        if finer.any():
            j = first_true(finer)[0]
            raise ParameterError(
                f"bins can only be made coarser: column {self.columns[j]!r} has shift {self.shift[j]}, "
                f"got {shifts[j]}. Pass a shift from {self.shift[j]} to 64."
            )
        row = coarsen_bins(self._row(self.counts), shifts - self.shift)
        return _seal_bins(self.classes, self.columns, self.limit, shifts.copy(), row, self.below, self.above)

    def lower(self) -> FloatArray:
        """Return the smallest float of every bin, in the order of `keys`."""
        return lower_edge(self.keys, self._shift_of_bins())

    def upper(self) -> FloatArray:
        """Return the largest float of every bin, in the order of `keys`."""
        return upper_edge(self.keys, self._shift_of_bins())

    def width(self) -> FloatArray:
        """Return the distance from every bin's lower edge to that of the next bin: finite and > 0."""
        return bin_width(self.keys, self._shift_of_bins())

    def quantiles(self, q: npt.ArrayLike, *, per_class: bool = False) -> FloatArray:
        """Return quantiles (Q, D) of each column over all classes, or (Q, C, D) per class.

        Parameters
        ----------
        q : Q numbers from 0 to 1
        per_class : bool
            Whether to return the quantiles of each class; NaN where a class has no values in a column.
        """
        levels = np.atleast_1d(_reals("q", q))
        if not ((levels >= 0) & (levels <= 1)).all():
            wrong = levels[~((levels >= 0) & (levels <= 1))][0]
            raise ParameterError(f"q must be between 0 and 1: got {float(wrong)!r}.")
        lower = self.lower()
        quantiles = np.empty((len(levels), len(self.classes) if per_class else 1, len(self.columns)))
        for j, bins in enumerate(self._slices()):
            column = slice(j, j + 1)
            weight = np.concatenate([self.below[:, column], self.counts[:, bins], self.above[:, column]], axis=1)
            if not per_class:
                weight = scale_for_sum(weight).sum(axis=0, keepdims=True)
            quantiles[:, :, j] = find_quantiles(levels, weight, lower[bins]).T
        return quantiles if per_class else quantiles[:, 0]

    def equal_mass_edges(self, cells: int) -> tuple[FloatArray, ...]:
        """Return per column the cut points, including both ends, of at most `cells` cells of nearly equal mass.

        A column without finite values has no cut points. A column with few distinct values has fewer cells, because
        bins are not split.
        """
        number = _to_index(cells)
        if number < 1:
            raise ParameterError(f"cells must be an integer ≥ 1: got {cells!r}.")
        lower, upper = self.lower(), self.upper()
        return tuple(
            find_equal_mass_cuts(number, scale_for_sum(self.counts[:, bins]).sum(axis=0), lower[bins], upper[bins])
            for bins in self._slices()
        )

    def masses(self, edges: Sequence[npt.ArrayLike]) -> tuple[FloatArray, ...]:
        """Return per column the weight (C, cells) of the finite values of each class between the cut points.

        A bin belongs to the cell that contains its lower edge; values outside the ends belong to the end cells.
        """
        cuts = [_reals("cut points", e) for e in edges]
        if len(cuts) != len(self.columns):
            raise ParameterError(
                f"edges must have one array of cut points per column, {len(self.columns)} in all: got {len(cuts)}."
            )
        lower = self.lower()
        masses: list[FloatArray] = []
        for j, bins in enumerate(self._slices()):
            filled = bins.stop > bins.start
            if not (cuts[j].ndim == 1 and len(cuts[j]) >= 2 * filled and (cuts[j][1:] > cuts[j][:-1]).all()):
                raise ParameterError(
                    f"cut points must increase and include both ends: column {self.columns[j]!r} has {cuts[j]!r}. "
                    "Use those of equal_mass_edges."
                )
            masses.append(sum_cells(cuts[j], self.counts[:, bins], lower[bins]))
            if not np.isfinite(masses[-1]).all():
                raise DataError(
                    f"the mass of a cell must be finite: column {self.columns[j]!r} has one that overflows float64. "
                    "Scale the bins down first, for example with scale(1e-9)."
                )
        return tuple(masses)

    def take_classes(self, start: int, classes: Axis) -> Bins:
        """Return `len(classes)` consecutive classes from position `start`, relabelled as `classes`."""
        chosen = slice(start, start + len(classes))
        layout = self.limit, self.shift, self.offsets, self.keys
        return Bins(classes, self.columns, *layout, *(array[chosen] for array in (self.counts, self.below, self.above)))

    def take_columns(self, columns: Columns) -> Bins:
        """Return the bins of these columns."""
        positions = [self.columns.index(name) for name in columns]
        sizes = np.diff(self.offsets)[positions]
        offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
        bins: IntArray = np.arange(int(offsets[-1])) + np.repeat(self.offsets[positions] - offsets[:-1], sizes)
        layout = self.limit, self.shift[positions], offsets, self.keys[bins]
        below, above = self.below[:, positions], self.above[:, positions]
        return Bins(self.classes, columns, *layout, self.counts[:, bins], below, above)

    def __reduce__(self) -> tuple[Any, ...]:
        return Bins.from_arrays, (self.to_arrays(),)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Bins):
            return NotImplemented
        return (
            self.limit == other.limit
            and self.columns == other.columns
            and self.classes == other.classes
            and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in _STORED)
        )

    def __repr__(self) -> str:
        weight = format_total(self.counts, self.below, self.above)
        return (
            f"Bins({self.classes!r} × {len(self.columns)} columns, {len(self.keys)} bins, "
            f"at most {self.limit} per column, total weight {weight})"
        )

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the bins as arrays."""
        return {
            **self.classes.to_arrays("classes"),
            **columns_to_arrays(self.columns, "columns"),
            "limit": seal(np.array([self.limit], dtype=np.int64)),
            **{name: getattr(self, name) for name in _STORED},
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Bins:
        """Return the bins stored by `to_arrays`; raise DataError if the arrays are invalid."""
        classes, columns = Axis.from_arrays(arrays, "classes"), columns_from_arrays(arrays, "columns")
        limit = freeze("limit", require_stored(arrays, "limit", np.int64, 1), (1,), np.int64)
        if limit[0] < 1:
            raise DataError(f"limit must be ≥ 1: got {limit[0]}. The stored statistics are damaged: write them again.")
        rest = {name: require_stored(arrays, name, dtype, ndim) for name, (dtype, ndim) in _STORED.items()}
        bins = cls(classes, columns, int(limit[0]), **rest)
        require_complete(arrays, bins.to_arrays(), "Bins")
        return bins

    def _check_shifts(self, shift: int | npt.ArrayLike) -> IntArray:
        try:
            given = np.asarray(shift)
            if given.size and (given.dtype.kind not in "iu" or has_masked(shift)):
                raise ValueError  # noqa: TRY301  (everything but an array of integers gets the same message)
            return np.broadcast_to(given.astype(np.int64), self.shift.shape)
        except (TypeError, ValueError, OverflowError):
            raise ParameterError(
                f"shift must be an integer from 0 to 64, or one for each of the {len(self.columns)} columns: "
                f"got {reprlib.repr(shift)}."
            ) from None

    def _row(self, counts: FloatArray) -> Row:
        return Row(self.offsets, self.keys, counts)

    def _shift_of_bins(self) -> IntArray:
        return self.shift[bin_columns(self.offsets)]

    def _slices(self) -> list[slice]:
        ends: list[int] = self.offsets.tolist()
        return [slice(start, end) for start, end in pairwise(ends)]

    def _require_alike(self, other: Bins, doing: str) -> None:
        require_same_columns(self.columns, other.columns, doing)
        if self.limit != other.limit:
            raise MergeError(
                f"cannot {doing} bins with different limits: the left side has at most {self.limit} bins per column, "
                f"the right side {other.limit}. Collect both with the same limit."
            )


_STORED: dict[str, tuple[type[np.generic], int]] = {
    "shift": (np.int64, 1),
    "offsets": (np.int64, 1),
    "keys": (np.uint64, 1),
    "counts": (np.float64, 2),
    "below": (np.float64, 2),
    "above": (np.float64, 2),
}


def _to_index(number: object) -> int:
    try:
        return operator.index(cast("Any", number)) if not isinstance(number, bool) else 0
    except TypeError:
        return 0


def _reals(what: str, values: npt.ArrayLike) -> FloatArray:
    try:
        given = np.asarray(values)
    except (TypeError, ValueError, OverflowError):
        given = np.array("")
    if (given.size and given.dtype.kind not in "iuf") or has_masked(values):
        raise ParameterError(f"{what} must be numbers: got {reprlib.repr(values)}. Pass integers or floats.")
    return given.astype(np.float64)


def _require_limit(limit: int) -> int:
    bins = _to_index(limit)
    if bins < 1:
        raise ParameterError(f"limit, the maximum number of bins per column, must be an integer ≥ 1: got {limit!r}.")
    return bins


def _in_bin(classes: Axis, columns: Columns, shift: IntArray, row: Row) -> Where:
    def describe(index: tuple[int, ...]) -> str:
        c, b = index
        j = int(np.searchsorted(row.offsets, b, side="right")) - 1
        key, by = row.keys[b : b + 1], shift[j : j + 1]
        low, high = float(lower_edge(key, by)[0]), float(upper_edge(key, by)[0])
        return f"class {classes.labels[c]!r}, column {columns[j]!r}, bin [{low!r}, {high!r}]"

    return describe


def _seal_bins(
    classes: Axis, columns: Columns, limit: int, shift: IntArray, row: Row, below: FloatArray, above: FloatArray
) -> Bins:
    offsets, keys, counts = (seal(array) for array in row)
    return Bins(classes, columns, limit, seal(shift), offsets, keys, counts, seal(below), seal(above))
