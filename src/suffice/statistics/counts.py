"""Weighted counts of levels, words or columns per class, and the weight with which each was observed.

Symbols: class c, entry k of the levels axis (a level of one categorical column, a word, or a column of counts).

    values_ck     Σ w x over the rows of class c: x is 1 at the row's level, or the number (or presence) of word k
    observed      how much weight of rows of class c could have shown entry k, in one of two forms:
        C × 1     every entry was observed with this weight, also one that is not on the axis (an absent word is a 0)
        C × L     entry k was observed with weight observed_ck; an entry that is not on the axis was not observed
    merge         both add entry by entry; C × 1 with C × 1 stays C × 1, otherwise both become C × L on the union of
                  the levels, C × 1 repeated over all of them and C × L with 0 where it has no entry

An entry with value 0 in every class (and, in the C × L form, observed 0) is zero: it vanishes unless declared. What
observed nothing has the C × 1 form, so zero is neutral for both. Sums of one form are associative, and taking out
undoes adding; across the two forms that is so only among equal levels, because the C × L form cannot say what C × 1
knew of entries that are not on its axis.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from suffice.statistics.alignment import Alignment, for_difference, for_sum, kept, require_complete
from suffice.statistics.axis import Axis, require_axis
from suffice.statistics.columns import Columns
from suffice.statistics.decay import factor_of
from suffice.statistics.frozen_arrays import BoolArray, FloatArray, frozen, named, require, sealed, stored
from suffice.statistics.subtraction import difference
from suffice.statistics.totals import shown_total

__all__ = ["Counts", "counts_in_order"]


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Counts:
    """Weighted counts per class and level.

    Parameters
    ----------
    classes : Axis
        C classes.
    levels : Axis
        L levels of one column, words of a vocabulary, or columns of counts.
    values : array (C, L) of floats ≥ 0
    observed : array (C, 1) or (C, L) of floats ≥ 0
        See the page above. An array (C, 1) with L = 1 is taken as the form C × 1 unless `per_level` says otherwise.
    per_level : bool, optional
        Whether `observed` is of the form C × L; by default its shape says so.

    Examples
    --------
    >>> colours = Counts(Axis.of(["cat", "dog"]), Axis.of(["black", "white"]), [[2, 1], [0, 3]], [[3], [3]])
    >>> more = Counts(Axis.of(["cat"]), Axis.of(["orange"]), [[1]], [[1]])
    >>> (colours + more).values  # black, orange, white
    array([[2., 1., 1.],
           [0., 0., 3.]])
    >>> colours + more - more == colours
    True
    """

    classes: Axis
    levels: Axis
    values: FloatArray
    observed: FloatArray
    per_level: bool

    def __init__(
        self, classes: Axis, levels: Axis, values: npt.ArrayLike, observed: npt.ArrayLike, per_level: bool | None = None
    ) -> None:
        require_axis("classes", classes)
        require_axis("levels", levels)
        c, k = len(classes), len(levels)
        if per_level is None:
            per_level = np.shape(observed) != (c, 1)
        table: FloatArray = frozen("values", values, (c, k))
        seen: FloatArray = frozen("observed", observed, (c, k if per_level else 1))
        by_class, by_level = ("class", classes.labels), ("level", levels.labels)
        require("values", table, named(by_class, by_level), "Give finite counts ≥ 0.")
        if per_level:
            require("observed", seen, named(by_class, by_level), "Give finite weights ≥ 0.")
        else:
            require("observed", seen[:, 0], named(by_class), "Give finite weights ≥ 0.")
        if not (table.size and table.all() and seen.all()):  # something may have to go
            classes, levels, table, seen, per_level = _without_nothing(classes, levels, table, seen, per_level)
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "levels", levels)
        object.__setattr__(self, "values", table)
        object.__setattr__(self, "observed", seen)
        object.__setattr__(self, "per_level", per_level)

    @classmethod
    def zero(cls, levels: Axis | None = None, classes: Axis | None = None) -> Counts:
        """Return the counts of no rows."""
        levels, classes = Axis() if levels is None else levels, Axis() if classes is None else classes
        require_axis("classes", classes)
        require_axis("levels", levels)
        return cls(classes, levels, np.zeros((len(classes), len(levels))), np.zeros((len(classes), 1)))

    def __add__(self, other: Counts) -> Counts:
        if not isinstance(other, Counts):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        classes, levels = for_sum(self.classes, other.classes), for_sum(self.levels, other.levels)
        left, right, left_seen, right_seen, per_level = self._side_by_side(other, classes, levels)
        with np.errstate(over="ignore"):
            return Counts(classes.axis, levels.axis, sealed(left + right), sealed(left_seen + right_seen), per_level)

    def __sub__(self, other: Counts) -> Counts:
        if not isinstance(other, Counts):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        classes, levels = for_difference(self.classes, other.classes), for_difference(self.levels, other.levels)
        left, right, left_seen, right_seen, per_level = self._side_by_side(other, classes, levels)
        by_class, by_level = ("class", classes.axis.labels), ("level", levels.axis.labels)
        rest = difference("count", left, right, named(by_class, by_level))
        if per_level:
            seen = difference("observed weight", left_seen, right_seen, named(by_class, by_level))
        else:
            seen = difference("observed weight", left_seen[:, 0], right_seen[:, 0], named(by_class))[:, None]
        return Counts(classes.axis, levels.axis, sealed(rest), sealed(seen), per_level)

    def scale(self, w: float) -> Counts:
        """Return the counts of the same rows, each with w times its weight."""
        factor = factor_of(w)
        with np.errstate(over="ignore"):
            return Counts(
                self.classes, self.levels, sealed(self.values * factor), sealed(self.observed * factor), self.per_level
            )

    def take_classes(self, start: int, classes: Axis) -> Counts:
        """Return what was seen of as many classes as `classes` has, from position `start` on, under these names."""
        here = slice(start, start + len(classes))
        return Counts(classes, self.levels, self.values[here], self.observed[here], self.per_level)

    def take_columns(self, columns: Columns) -> Counts:
        """Return the counts of these columns alone, where the levels are columns; each was observed as often."""
        stay: BoolArray = np.zeros(len(self.levels), dtype=np.bool_)
        stay[self.levels.positions(columns)] = True
        observed = self.observed[:, stay] if self.per_level else self.observed
        return Counts(self.classes, self.levels.take(stay), self.values[:, stay], observed, self.per_level)

    def take_levels(self, stay: BoolArray) -> Counts:
        """Return the counts of some levels, as if the cells with the others had been missing."""
        values = sealed(self.values[:, stay])
        observed = self.observed[:, stay] if self.per_level else values.sum(axis=1, keepdims=True)
        return Counts(self.classes, self.levels.take(stay), values, sealed(observed), self.per_level)

    def __reduce__(self) -> tuple[Any, ...]:
        return Counts.from_arrays, (self.to_arrays(),)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        return (
            self.per_level == other.per_level
            and self.classes == other.classes
            and self.levels == other.levels
            and np.array_equal(self.values, other.values)
            and np.array_equal(self.observed, other.observed)
        )

    def __repr__(self) -> str:
        form = "C × L" if self.per_level else "C × 1"
        return f"Counts({self.classes!r} × {self.levels!r}, total {shown_total(self.values)}, observed {form})"

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays that say all of it."""
        return {
            **self.classes.to_arrays("classes"),
            **self.levels.to_arrays("levels"),
            "values": self.values,
            "observed": self.observed,
            "per_level": sealed(np.array([self.per_level])),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Counts:
        """Return the counts that `to_arrays` wrote, or raise DataError."""
        classes, levels = Axis.from_arrays(arrays, "classes"), Axis.from_arrays(arrays, "levels")
        values, observed = stored(arrays, "values", np.float64, 2), stored(arrays, "observed", np.float64, 2)
        per_level = frozen("per_level", stored(arrays, "per_level", np.bool_, 1), (1,), np.bool_)
        counts = cls(classes, levels, values, observed, bool(per_level[0]))
        require_complete(arrays, counts.to_arrays(), "Counts")
        return counts

    def _side_by_side(
        self, other: Counts, classes: Alignment, levels: Alignment
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, bool]:
        per_level = self.per_level or other.per_level
        left, right = classes.lay_left(self.values), classes.lay_right(other.values)
        left_seen, right_seen = classes.lay_left(self.observed), classes.lay_right(other.observed)
        if self.per_level:
            left_seen = levels.lay_left(left_seen, 1)
        elif per_level:
            left_seen = np.broadcast_to(left_seen, (len(classes.axis), len(levels.axis)))
        if other.per_level:
            right_seen = levels.lay_right(right_seen, 1)
        elif per_level:
            right_seen = np.broadcast_to(right_seen, (len(classes.axis), len(levels.axis)))
        return levels.lay_left(left, 1), levels.lay_right(right, 1), left_seen, right_seen, per_level


def _without_nothing(
    classes: Axis, levels: Axis, table: FloatArray, seen: FloatArray, per_level: bool
) -> tuple[Axis, Axis, FloatArray, FloatArray, bool]:
    # Without what is neither declared nor has any weight.
    filled, weighed = table != 0, seen != 0
    if per_level and not weighed.any():
        per_level, seen = False, sealed(np.zeros((len(classes), 1)))
        weighed = seen != 0
    stay_level = kept(levels, (filled | weighed if per_level else filled).any(axis=0))
    stay_class = kept(classes, filled.any(axis=1) | weighed.any(axis=1))
    if stay_level is not None:
        levels, table = levels.take(stay_level), sealed(table[:, stay_level])
        seen = sealed(seen[:, stay_level]) if per_level else seen
    if stay_class is not None:
        classes, table, seen = classes.take(stay_class), sealed(table[stay_class]), sealed(seen[stay_class])
    return classes, levels, table, seen, per_level


def counts_in_order(classes: Axis, levels: Axis, values: FloatArray, observed: FloatArray) -> Counts:
    """Return the counts of the form C × 1 of arrays that are known to be frozen, valid and without a zero entry."""
    counts, put = object.__new__(Counts), object.__setattr__
    put(counts, "classes", classes)
    put(counts, "levels", levels)
    put(counts, "values", values)
    put(counts, "observed", observed)
    put(counts, "per_level", False)
    return counts
