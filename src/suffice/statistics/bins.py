"""A histogram of real columns per class that merges: bins that depend on the data alone, not on its order or split.

Symbols: class c, column j; a finite value x falls in bin key(x) >> shift_j (float_keys.py); K is the limit.

    shift_j     the smallest shift that leaves column j at most K non-empty bins over all classes
    counts      C × all bins: Σ w of the cells in each bin; the bins of column j are offsets[j] … offsets[j + 1]
    below       C × D: Σ w of the cells that are −inf;  above: +inf. They have bins of their own outside the limit
    merge       bring both to the greater shift, join the bins, then make columns with more than K coarser, no more
                than needed

Parts of the data need no greater shift than the whole, so the greater of two shifts never overshoots, and any tree of
merges ends at the same bins. A column without finite values has shift 0 and no bins.

Subtraction brings both sides to the coarser shift and takes the counts out. Resolution once lost does not come back:
(a + b) − b is a.coarsen((a + b).shift), which is a when b did not make it coarser.
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
from suffice.statistics.alignment import for_difference, for_sum, kept, require_complete
from suffice.statistics.axis import Axis, require_axis
from suffice.statistics.bin_layout import (
    Row,
    columns_of_bins,
    joined,
    made_coarser,
    picked,
    require_layout,
    side_by_side,
)
from suffice.statistics.bin_readings import cell_masses, equal_mass_cuts, inverse_distribution, summable
from suffice.statistics.columns import Columns, columns_from_arrays, columns_of, columns_to_arrays, require_same_columns
from suffice.statistics.decay import factor_of
from suffice.statistics.float_keys import lower_edge, upper_edge, width
from suffice.statistics.frozen_arrays import (
    FloatArray,
    IntArray,
    KeyArray,
    Where,
    first,
    frozen,
    named,
    require,
    sealed,
    stored,
)
from suffice.statistics.masked import has_masked
from suffice.statistics.subtraction import difference
from suffice.statistics.totals import shown_total

__all__ = ["Bins"]

_DO = "Give finite weights ≥ 0."


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Bins:
    """A mergeable histogram per class and column.

    Parameters
    ----------
    classes : Axis
        C classes.
    columns : int or names
        D columns; an int stands for 0, …, D − 1.
    limit : int
        K ≥ 1, the most non-empty bins a column may have.
    shift : array (D,) of int, 0 … 64
    offsets : array (D + 1,) of int
    keys : array (B,) of uint64
        Bin ids, rising within each column.
    counts : array (C, B) of floats ≥ 0
    below, above : array (C, D) of floats ≥ 0
        Weights of −inf and +inf.

    Examples
    --------
    >>> from suffice.statistics.float_keys import key_of
    >>> cats = Bins(Axis.of(["cat"]), ["height"], 4096, [0], [0, 2], key_of([24, 26]), [[1, 2]], [[0]], [[0]])
    >>> dogs = Bins(Axis.of(["dog"]), ["height"], 4096, [0], [0, 2], key_of([26, 60]), [[1, 4]], [[0]], [[0]])
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
        limit = _limit_of(limit)
        c, d = len(classes), len(columns)
        shifts: IntArray = frozen("shift", shift, (d,), np.int64)
        ends: IntArray = frozen("offsets", offsets, (d + 1,), np.int64)
        ids: KeyArray = frozen("keys", keys, None, np.uint64)
        require_layout(columns, limit, shifts, ends, ids)
        table: FloatArray = frozen("counts", counts, (c, len(ids)))
        low: FloatArray = frozen("below", below, (c, d))
        high: FloatArray = frozen("above", above, (c, d))
        row = Row(ends, ids, table)
        require("counts", table, _in_bin(classes, columns, shifts, row), _DO)
        require("below", low, named(("class", classes.labels), ("column", columns)), _DO)
        require("above", high, named(("class", classes.labels), ("column", columns)), _DO)
        stay_bin = (table != 0).any(axis=0)
        if not stay_bin.all():
            row = picked(row, stay_bin)
            table = sealed(row.counts)
        empty = np.diff(row.offsets) == 0
        if shifts[empty].any():
            shifts = np.where(empty, 0, shifts)
        stay_class = kept(classes, (table != 0).any(axis=1) | (low != 0).any(axis=1) | (high != 0).any(axis=1))
        if stay_class is not None:
            classes, table = classes.take(stay_class), sealed(table[stay_class])
            low, high = sealed(low[stay_class]), sealed(high[stay_class])
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "limit", limit)
        object.__setattr__(self, "shift", sealed(shifts))
        object.__setattr__(self, "offsets", sealed(row.offsets))
        object.__setattr__(self, "keys", sealed(row.keys))
        object.__setattr__(self, "counts", table)
        object.__setattr__(self, "below", low)
        object.__setattr__(self, "above", high)

    @classmethod
    def zero(cls, columns: int | Iterable[str | int], limit: int = 4096, classes: Axis | None = None) -> Bins:
        """Return the bins of no rows."""
        classes, columns = Axis() if classes is None else classes, columns_of(columns)
        require_axis("classes", classes)
        c, d = len(classes), len(columns)
        ends, none, nothing = np.zeros(d + 1), np.zeros((c, 0)), sealed(np.zeros((c, d)))
        return cls(classes, columns, limit, np.zeros(d), ends, np.zeros(0), none, nothing, nothing)

    def __add__(self, other: Bins) -> Bins:
        if not isinstance(other, Bins):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        self._require_alike(other, "add")
        classes = for_sum(self.classes, other.classes)
        shift = np.maximum(self.shift, other.shift)
        left, right = self._row(classes.lay_left(self.counts)), other._row(classes.lay_right(other.counts))
        with np.errstate(over="ignore"):
            row, by = joined(left, right, shift - self.shift, shift - other.shift, self.limit)
            below = classes.lay_left(self.below) + classes.lay_right(other.below)
            above = classes.lay_left(self.above) + classes.lay_right(other.above)
        return _sealed(classes.axis, self.columns, self.limit, shift + by, row, below, above)

    def __sub__(self, other: Bins) -> Bins:
        if not isinstance(other, Bins):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        self._require_alike(other, "subtract")
        classes = for_difference(self.classes, other.classes)
        shift = np.maximum(self.shift, other.shift)
        left, right = self._row(classes.lay_left(self.counts)), other._row(classes.lay_right(other.counts))
        left, right = side_by_side(left, right, shift - self.shift, shift - other.shift)
        cell = named(("class", classes.axis.labels), ("column", self.columns))
        counts = difference("weight", left.counts, right.counts, _in_bin(classes.axis, self.columns, shift, left))
        below = difference("weight of -inf", classes.lay_left(self.below), classes.lay_right(other.below), cell)
        above = difference("weight of inf", classes.lay_left(self.above), classes.lay_right(other.above), cell)
        # Bins that only the subtrahend has are 0 by now: gone before anyone counts them against the limit.
        row = picked(Row(left.offsets, left.keys, counts), (counts != 0).any(axis=0))
        return _sealed(classes.axis, self.columns, self.limit, shift, row, below, above)

    def scale(self, w: float) -> Bins:
        """Return the bins of the same rows, each with w times its weight."""
        factor = factor_of(w)
        with np.errstate(over="ignore"):
            row, below, above = self._row(self.counts * factor), self.below * factor, self.above * factor
        return _sealed(self.classes, self.columns, self.limit, self.shift, row, below, above)

    def coarsen(self, shift: int | npt.ArrayLike) -> Bins:
        """Return the bins at a greater shift, one for all columns or one each; a column without bins keeps shift 0."""
        wanted = self._shifts_of(shift)
        finer = (wanted < self.shift) | (wanted > 64)
        if finer.any():
            j = first(finer)[0]
            raise ParameterError(
                f"bins can only be made coarser: column {self.columns[j]!r} has shift {self.shift[j]}, "
                f"asked for {wanted[j]}. Give a shift from {self.shift[j]} to 64."
            )
        row = made_coarser(self._row(self.counts), wanted - self.shift)
        return _sealed(self.classes, self.columns, self.limit, wanted.copy(), row, self.below, self.above)

    def lower(self) -> FloatArray:
        """Return the smallest float of every bin, in the order of `keys`."""
        return lower_edge(self.keys, self._shift_of_bins())

    def upper(self) -> FloatArray:
        """Return the largest float of every bin, in the order of `keys`."""
        return upper_edge(self.keys, self._shift_of_bins())

    def width(self) -> FloatArray:
        """Return how far it is from every bin's lower edge to the next bin's: finite and above 0."""
        return width(self.keys, self._shift_of_bins())

    def quantiles(self, q: npt.ArrayLike, *, per_class: bool = False) -> FloatArray:
        """Return quantiles (Q, D) of each column over all classes, or (Q, C, D) of each class (bin_readings.py).

        Parameters
        ----------
        q : Q numbers from 0 to 1
        per_class : bool
            Whether to take the classes apart. A class that has no value in a column has NaN there.
        """
        asked = np.atleast_1d(_reals("q", q))
        if not ((asked >= 0) & (asked <= 1)).all():
            wrong = asked[~((asked >= 0) & (asked <= 1))][0]
            raise ParameterError(f"a quantile is asked for by a number from 0 to 1: got {float(wrong)!r}.")
        lower = self.lower()
        found = np.empty((len(asked), len(self.classes) if per_class else 1, len(self.columns)))
        for j, here in enumerate(self._slices()):
            at = slice(j, j + 1)
            weight = np.concatenate([self.below[:, at], self.counts[:, here], self.above[:, at]], axis=1)
            if not per_class:
                weight = summable(weight).sum(axis=0, keepdims=True)
            found[:, :, j] = inverse_distribution(asked, weight, lower[here]).T
        return found if per_class else found[:, 0]

    def equal_mass_edges(self, cells: int) -> tuple[FloatArray, ...]:
        """Return per column the cut points, ends included, of at most `cells` cells of nearly equal mass.

        A column without finite values has none. Few distinct values give fewer cells, and no bin is split.
        """
        number = _whole(cells)
        if number < 1:
            raise ParameterError(f"a column is cut into a whole number of cells ≥ 1: got {cells!r}. Give an int.")
        lower, upper = self.lower(), self.upper()
        return tuple(
            equal_mass_cuts(number, summable(self.counts[:, here]).sum(axis=0), lower[here], upper[here])
            for here in self._slices()
        )

    def masses(self, edges: Sequence[npt.ArrayLike]) -> tuple[FloatArray, ...]:
        """Return per column the weight (C, cells) of the finite values of each class between the cut points.

        A bin counts whole in the cell of its lower edge; what lies outside the ends counts in the end cells.
        """
        cuts = [_reals("cut points", e) for e in edges]
        if len(cuts) != len(self.columns):
            raise ParameterError(f"cut points are given per column, {len(self.columns)} in all: got {len(cuts)}.")
        lower = self.lower()
        found: list[FloatArray] = []
        for j, here in enumerate(self._slices()):
            filled = here.stop > here.start
            if not (cuts[j].ndim == 1 and len(cuts[j]) >= 2 * filled and (cuts[j][1:] > cuts[j][:-1]).all()):
                raise ParameterError(
                    f"cut points must rise and have two ends: column {self.columns[j]!r} has {cuts[j]!r}. "
                    "Take them from equal_mass_edges."
                )
            found.append(cell_masses(cuts[j], self.counts[:, here], lower[here]))
            if not np.isfinite(found[-1]).all():
                raise DataError(
                    f"the mass of a cell must be finite: column {self.columns[j]!r} has one beyond the largest float. "
                    "Scale the bins down first, for example with scale(1e-9)."
                )
        return tuple(found)

    def take_classes(self, start: int, classes: Axis) -> Bins:
        """Return what was seen of as many classes as `classes` has, from position `start` on, under these names."""
        here = slice(start, start + len(classes))
        layout = self.limit, self.shift, self.offsets, self.keys
        return Bins(classes, self.columns, *layout, *(array[here] for array in (self.counts, self.below, self.above)))

    def take_columns(self, columns: Columns) -> Bins:
        """Return the bins of these columns alone."""
        at = [self.columns.index(name) for name in columns]
        sizes = np.diff(self.offsets)[at]
        offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
        here: IntArray = np.arange(int(offsets[-1])) + np.repeat(self.offsets[at] - offsets[:-1], sizes)
        layout = self.limit, self.shift[at], offsets, self.keys[here]
        return Bins(self.classes, columns, *layout, self.counts[:, here], self.below[:, at], self.above[:, at])

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
        weight = shown_total(self.counts, self.below, self.above)
        return (
            f"Bins({self.classes!r} × {len(self.columns)} columns, {len(self.keys)} bins, "
            f"at most {self.limit} a column, total weight {weight})"
        )

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays that say all of it."""
        return {
            **self.classes.to_arrays("classes"),
            **columns_to_arrays(self.columns, "columns"),
            "limit": sealed(np.array([self.limit], dtype=np.int64)),
            **{name: getattr(self, name) for name in _STORED},
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Bins:
        """Return the bins that `to_arrays` wrote, or raise DataError."""
        classes, columns = Axis.from_arrays(arrays, "classes"), columns_from_arrays(arrays, "columns")
        limit = frozen("limit", stored(arrays, "limit", np.int64, 1), (1,), np.int64)
        if limit[0] < 1:
            raise DataError(f"limit must be ≥ 1: got {limit[0]}. The stored statistics are damaged: write them again.")
        rest = {name: stored(arrays, name, dtype, ndim) for name, (dtype, ndim) in _STORED.items()}
        bins = cls(classes, columns, int(limit[0]), **rest)
        require_complete(arrays, bins.to_arrays(), "Bins")
        return bins

    def _shifts_of(self, shift: int | npt.ArrayLike) -> IntArray:
        try:
            given = np.asarray(shift)
            if given.size and (given.dtype.kind not in "iu" or has_masked(shift)):
                raise ValueError  # noqa: TRY301  (all that is no array of whole numbers gets one message)
            return np.broadcast_to(given.astype(np.int64), self.shift.shape)
        except (TypeError, ValueError, OverflowError):
            raise ParameterError(
                f"a shift must be a whole number from 0 to 64, one for all columns or one for each of "
                f"{len(self.columns)}: got {reprlib.repr(shift)}. Give ints."
            ) from None

    def _row(self, counts: FloatArray) -> Row:
        return Row(self.offsets, self.keys, counts)

    def _shift_of_bins(self) -> IntArray:
        return self.shift[columns_of_bins(self.offsets)]

    def _slices(self) -> list[slice]:
        ends: list[int] = self.offsets.tolist()
        return [slice(start, end) for start, end in pairwise(ends)]

    def _require_alike(self, other: Bins, doing: str) -> None:
        require_same_columns(self.columns, other.columns, doing)
        if self.limit != other.limit:
            raise MergeError(
                f"cannot {doing} bins of different limits: the left side keeps at most {self.limit} bins a column, "
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


def _whole(number: object) -> int:
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
        raise ParameterError(f"{what} must be numbers: got {reprlib.repr(values)}. Give integers or floats.")
    return given.astype(np.float64)


def _limit_of(limit: int) -> int:
    bins = _whole(limit)
    if bins < 1:
        raise ParameterError(f"limit must be a whole number ≥ 1: got {limit!r}. It is the most bins a column may have.")
    return bins


def _in_bin(classes: Axis, columns: Columns, shift: IntArray, row: Row) -> Where:
    def say(at: tuple[int, ...]) -> str:
        c, b = at
        j = int(np.searchsorted(row.offsets, b, side="right")) - 1
        key, by = row.keys[b : b + 1], shift[j : j + 1]
        low, high = float(lower_edge(key, by)[0]), float(upper_edge(key, by)[0])
        return f"class {classes.labels[c]!r}, column {columns[j]!r}, bin [{low!r}, {high!r}]"

    return say


def _sealed(
    classes: Axis, columns: Columns, limit: int, shift: IntArray, row: Row, below: FloatArray, above: FloatArray
) -> Bins:
    offsets, keys, counts = (sealed(array) for array in row)
    return Bins(classes, columns, limit, sealed(shift), offsets, keys, counts, sealed(below), sealed(above))
