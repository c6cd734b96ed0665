"""Weighted counts of levels, words or columns per class, and the weight with which each was observed.

Symbols: class c, entry k of the levels axis (a level of a categorical column, a word, or a count column).

    values_ck     Σ w x over the rows of class c: x is 1 at the row's level, or the count (or presence) of word k
    observed      the weight of the rows of class c in which entry k could have occurred, in one of two forms:
        C × 1     every entry was observed with this weight, even one that is not on the axis (an absent word is a 0)
        C × L     entry k was observed with weight observed_ck; an entry that is not on the axis was not observed
    merge         both add entry by entry. C × 1 plus C × 1 stays C × 1; otherwise both become C × L on the union of
                  the levels: C × 1 is repeated for all of them, and C × L is 0 where it has no entry

An entry whose value is 0 in every class (and, in the form C × L, observed 0) is dropped unless it is declared.
Statistics that observed nothing have the form C × 1, so zero is neutral for both forms. Sums of one form are
associative, and subtraction undoes addition. With mixed forms this holds only for equal levels, because C × L has no
weights for entries that are not on its axis.

**CountsTable** holds the counts of many columns in flat arrays, as they are stored in a model file. Symbols: part k of
n has L_k levels; all parts have the same C classes; each array concatenates those of the parts.

    sizes      n          L_k
    labels     Σ L_k      the levels of each part, in axis order, with their kinds and declared flags
    values     Σ C·L_k    C × L_k of each part, row by row
    observed   Σ C        the form C × 1 of each part; C × L_k where per_level is true

All parts are validated together when the table is made. The Counts objects, half a million Python objects for a hundred
thousand columns, are created on first access and cached.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import lt
from typing import Any, final, overload

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError
from suffice.statistics.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
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
    Alignment,
    Axis,
    Columns,
    align_for_difference,
    align_for_sum,
    axis_from_sorted,
    entries_to_keep,
    require_axis,
    require_complete,
    subtract_weights,
)
from suffice.statistics.label_bytes import labels_to_arrays
from suffice.statistics.labels import BOOL, NONE, TUPLE, Key, Label, key_of_label

__all__ = ["Counts", "CountsTable", "counts_from_valid"]


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Counts:
    """Weighted counts per class and level.

    Parameters
    ----------
    classes : Axis of C classes
    levels : Axis of L levels of one column, words of a vocabulary, or count columns
    values : array (C, L) of floats ≥ 0
    observed : array (C, 1) or (C, L) of floats ≥ 0
        See the module docstring. With L = 1, an array (C, 1) has the form C × 1 unless `per_level` is True.
    per_level : bool, optional
        Whether `observed` has the form C × L. Default: inferred from its shape.

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
        table: FloatArray = freeze("values", values, (c, k))
        weight: FloatArray = freeze("observed", observed, (c, k if per_level else 1))
        by_class, by_level = ("class", classes.labels), ("level", levels.labels)
        require_domain("values", table, name_entries(by_class, by_level), "Pass finite counts ≥ 0.")
        if per_level:
            require_domain("observed", weight, name_entries(by_class, by_level), "Pass finite weights ≥ 0.")
        else:
            require_domain("observed", weight[:, 0], name_entries(by_class), "Pass finite weights ≥ 0.")
        if not (table.size and table.all() and weight.all()):  # there may be entries to drop
            classes, levels, table, weight, per_level = _drop_empty(classes, levels, table, weight, per_level)
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "levels", levels)
        object.__setattr__(self, "values", table)
        object.__setattr__(self, "observed", weight)
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
        classes, levels = align_for_sum(self.classes, other.classes), align_for_sum(self.levels, other.levels)
        left, right, left_observed, right_observed, per_level = self._align(other, classes, levels)
        with np.errstate(over="ignore"):
            return Counts(
                classes.axis, levels.axis, seal(left + right), seal(left_observed + right_observed), per_level
            )

    def __sub__(self, other: Counts) -> Counts:
        if not isinstance(other, Counts):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        classes, levels = (
            align_for_difference(self.classes, other.classes),
            align_for_difference(self.levels, other.levels),
        )
        left, right, left_observed, right_observed, per_level = self._align(other, classes, levels)
        by_class, by_level = ("class", classes.axis.labels), ("level", levels.axis.labels)
        rest = subtract_weights("count", left, right, name_entries(by_class, by_level))
        if per_level:
            weight = subtract_weights(
                "observed weight", left_observed, right_observed, name_entries(by_class, by_level)
            )
        else:
            weight = subtract_weights(
                "observed weight", left_observed[:, 0], right_observed[:, 0], name_entries(by_class)
            )[:, None]
        return Counts(classes.axis, levels.axis, seal(rest), seal(weight), per_level)

    def scale(self, w: float) -> Counts:
        """Return the counts with all row weights multiplied by w."""
        factor = check_factor(w)
        with np.errstate(over="ignore"):
            return Counts(
                self.classes, self.levels, seal(self.values * factor), seal(self.observed * factor), self.per_level
            )

    def take_classes(self, start: int, classes: Axis) -> Counts:
        """Return `len(classes)` consecutive classes from position `start`, relabelled as `classes`."""
        chosen = slice(start, start + len(classes))
        return Counts(classes, self.levels, self.values[chosen], self.observed[chosen], self.per_level)

    def take_columns(self, columns: Columns) -> Counts:
        """Return the counts of these columns, if the levels are columns; observed weights are unchanged."""
        mask: BoolArray = np.zeros(len(self.levels), dtype=np.bool_)
        mask[self.levels.positions(columns)] = True
        observed = self.observed[:, mask] if self.per_level else self.observed
        return Counts(self.classes, self.levels.take(mask), self.values[:, mask], observed, self.per_level)

    def take_levels(self, mask: BoolArray) -> Counts:
        """Return the counts of the levels where the mask is true, as if cells with other levels had been missing."""
        values = seal(self.values[:, mask])
        observed = self.observed[:, mask] if self.per_level else values.sum(axis=1, keepdims=True)
        return Counts(self.classes, self.levels.take(mask), values, seal(observed), self.per_level)

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
        return f"Counts({self.classes!r} × {self.levels!r}, total {format_total(self.values)}, observed {form})"

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the counts as arrays."""
        return {
            **self.classes.to_arrays("classes"),
            **self.levels.to_arrays("levels"),
            "values": self.values,
            "observed": self.observed,
            "per_level": seal(np.array([self.per_level])),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Counts:
        """Return the counts stored by `to_arrays`; raise DataError if the arrays are invalid."""
        classes, levels = Axis.from_arrays(arrays, "classes"), Axis.from_arrays(arrays, "levels")
        values, observed = (
            require_stored(arrays, "values", np.float64, 2),
            require_stored(arrays, "observed", np.float64, 2),
        )
        per_level = freeze("per_level", require_stored(arrays, "per_level", np.bool_, 1), (1,), np.bool_)
        counts = cls(classes, levels, values, observed, bool(per_level[0]))
        require_complete(arrays, counts.to_arrays(), "Counts")
        return counts

    def _align(
        self, other: Counts, classes: Alignment, levels: Alignment
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, bool]:
        per_level = self.per_level or other.per_level
        left, right = classes.lay_left(self.values), classes.lay_right(other.values)
        left_observed, right_observed = classes.lay_left(self.observed), classes.lay_right(other.observed)
        if self.per_level:
            left_observed = levels.lay_left(left_observed, 1)
        elif per_level:
            left_observed = np.broadcast_to(left_observed, (len(classes.axis), len(levels.axis)))
        if other.per_level:
            right_observed = levels.lay_right(right_observed, 1)
        elif per_level:
            right_observed = np.broadcast_to(right_observed, (len(classes.axis), len(levels.axis)))
        return levels.lay_left(left, 1), levels.lay_right(right, 1), left_observed, right_observed, per_level


def _drop_empty(
    classes: Axis, levels: Axis, table: FloatArray, weight: FloatArray, per_level: bool
) -> tuple[Axis, Axis, FloatArray, FloatArray, bool]:
    # Drops levels and classes that are not declared and have no weight.
    filled, weighted = table != 0, weight != 0
    if per_level and not weighted.any():
        per_level, weight = False, seal(np.zeros((len(classes), 1)))
        weighted = weight != 0
    keep_level = entries_to_keep(levels, (filled | weighted if per_level else filled).any(axis=0))
    keep_class = entries_to_keep(classes, filled.any(axis=1) | weighted.any(axis=1))
    if keep_level is not None:
        levels, table = levels.take(keep_level), seal(table[:, keep_level])
        weight = seal(weight[:, keep_level]) if per_level else weight
    if keep_class is not None:
        classes, table, weight = classes.take(keep_class), seal(table[keep_class]), seal(weight[keep_class])
    return classes, levels, table, weight, per_level


def counts_from_valid(classes: Axis, levels: Axis, values: FloatArray, observed: FloatArray) -> Counts:
    """Return counts of the form C × 1 from arrays that are known to be frozen, valid and without empty entries."""
    counts, put = object.__new__(Counts), object.__setattr__
    put(counts, "classes", classes)
    put(counts, "levels", levels)
    put(counts, "values", values)
    put(counts, "observed", observed)
    put(counts, "per_level", False)
    return counts


_KINDS_WITH_KEYS = NONE, BOOL, TUPLE  # kinds whose labels are not their own lookup keys
_DAMAGED = "The stored statistics are damaged: write them again."


@final
class CountsTable(Sequence[Counts]):
    """Counts of many columns, each with its own levels, as a sequence of Counts.

    Parameters
    ----------
    classes : Axis
        The classes of every part. A part omits classes that are zero in it and not declared.
    sizes : array (n,) of int ≥ 0
    kinds : bytes, one for each label
    labels : list of labels
    declared : array of bool, one for each label
    values, observed : arrays of floats ≥ 0
    per_level : array (n,) of bool, optional
        Which parts have an observed weight per level. Default: none.
    class_declared : array (n, C) of bool, optional
        Which classes are declared in each part. Default: those of `classes`.

    Examples
    --------
    >>> fur = Counts(Axis.of(["cat", "dog"]), Axis.of(["black", "white"]), [[2, 1], [0, 3]], [[3], [3]])
    >>> legs = Counts(Axis.of(["cat", "dog"]), Axis.of([4]), [[3], [3]], [[3], [3]])
    >>> table = CountsTable.of([fur, legs], fur.classes)
    >>> table.values
    array([2., 1., 0., 3., 3., 3.])
    >>> table[1] == legs
    True
    """

    __slots__ = (
        "_keys",
        "_observed_at",
        "_parts_cache",
        "_starts",
        "class_declared",
        "classes",
        "declared",
        "kinds",
        "labels",
        "observed",
        "per_level",
        "sizes",
        "values",
    )

    def __init__(
        self,
        classes: Axis,
        sizes: IntArray,
        kinds: bytes,
        labels: list[Label],
        declared: BoolArray,
        values: FloatArray,
        observed: FloatArray,
        per_level: BoolArray | None = None,
        class_declared: BoolArray | None = None,
    ) -> None:
        require_axis("classes", classes)
        self.classes, self.kinds, self.labels = classes, kinds, tuple(labels)
        self.sizes: IntArray = freeze("sizes", sizes, None, np.int64)
        number, entries, c = len(self.sizes), len(self.labels), len(classes)
        if (self.sizes < 0).any() or (self.sizes > entries).any() or int(self.sizes.sum()) != entries:
            raise DataError(f"sizes must be ≥ 0 and sum to the number of labels, {entries}. {_DAMAGED}")
        if len(kinds) != entries:
            raise DataError(f"kinds must have one entry for each of the {entries} labels: got {len(kinds)}. {_DAMAGED}")
        self.declared: BoolArray = freeze("declared", declared, (entries,), np.bool_)
        self.values: FloatArray = freeze("values", values, (c * entries,))
        if per_level is not None:
            per_level = freeze("per_level", per_level, (number,), np.bool_)
        if class_declared is not None:
            class_declared = freeze("class_declared", class_declared, (number, c), np.bool_)
        self.per_level, self.class_declared = per_level, class_declared
        self._starts = _offsets_of_sizes(self.sizes)
        self._observed_at = _offsets_of_sizes(
            np.ones_like(self.sizes) if per_level is None else np.where(per_level, self.sizes, 1)
        )
        self.observed: FloatArray = freeze("observed", observed, (int(self._observed_at[-1]) * c,))
        self._keys: tuple[Key, ...] = _find_keys(kinds, self.labels)
        self._parts_cache: list[tuple[Counts, ...]] = []
        self._require_order()
        self._require_counts()

    @classmethod
    def of(cls, parts: Sequence[Counts], classes: Axis) -> CountsTable:
        """Return the table of these parts along an axis that contains all their classes."""
        if isinstance(parts, CountsTable) and parts.classes == classes:
            return parts
        positions: dict[int, IntArray | None] = {}
        flags: dict[int, BoolArray] = {}
        for axis in {id(part.classes): part.classes for part in parts}.values():
            own = classes.positions(axis.labels)
            positions[id(axis)] = None if len(own) == len(classes) else own
            flags[id(axis)] = np.zeros(len(classes), dtype=np.bool_)
            flags[id(axis)][own] = axis.declared
        values = [_lay_classes(part.values, positions[id(part.classes)], len(classes)).reshape(-1) for part in parts]
        observed = [
            _lay_classes(part.observed, positions[id(part.classes)], len(classes)).reshape(-1) for part in parts
        ]
        differ = any((declared != classes.declared).any() for declared in flags.values())
        class_declared = np.array([flags[id(part.classes)] for part in parts]) if differ else None
        per_level = np.array([part.per_level for part in parts], dtype=np.bool_)
        return cls(
            classes,
            np.array([len(part.levels) for part in parts], dtype=np.int64),
            b"".join([part.levels.kinds for part in parts]),
            list(chain.from_iterable(part.levels.labels for part in parts)),
            _sealed_concatenation([part.levels.declared for part in parts], np.bool_),
            _sealed_concatenation(values, np.float64),
            _sealed_concatenation(observed, np.float64),
            per_level if per_level.any() else None,
            None if class_declared is None else class_declared.reshape(len(parts), len(classes)),
        )

    def __len__(self) -> int:
        return len(self.sizes)

    @overload
    def __getitem__(self, index: int) -> Counts: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Counts, ...]: ...

    def __getitem__(self, index: int | slice) -> Counts | tuple[Counts, ...]:
        return self._all()[index]

    def __iter__(self) -> Iterator[Counts]:
        return iter(self._all())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, CountsTable):
            return self is other or self._same_arrays(other) or self._all() == tuple(other)
        return self._all() == other if isinstance(other, tuple) else NotImplemented

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __repr__(self) -> str:
        return f"CountsTable({self.classes!r} × {len(self)} columns of {len(self.labels)} levels in all)"

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = self.declared, self.values, self.observed, self.per_level, self.class_declared
        return CountsTable, (self.classes, self.sizes, self.kinds, list(self.labels), *arrays)

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the table as arrays, without the classes; flags that are all false are omitted."""
        arrays = labels_to_arrays(self.kinds, self.labels, "labels")
        arrays.update(sizes=self.sizes, values=self.values, observed=self.observed)
        if self.declared.any():
            arrays["declared"] = self.declared
        if self.per_level is not None:
            arrays["per_level"] = self.per_level
        if self.class_declared is not None:
            arrays["class_declared"] = self.class_declared
        return arrays

    def _same_arrays(self, other: CountsTable) -> bool:
        # Equal arrays imply equal parts. The converse fails if a class of one table is absent from the other and zero.
        mine, theirs = (
            (table.sizes, table.declared, table.values, table.observed, table.per_level, table.class_declared)
            for table in (self, other)
        )
        return (
            (self.classes, self.kinds, self._keys) == (other.classes, other.kinds, other._keys)
            and all(np.array_equal(left, right) for left, right in zip(mine, theirs, strict=True))  # pyright: ignore[reportArgumentType]
        )

    def _require_order(self) -> None:
        # Within a part, labels increase by kind and then by key.
        kinds = np.frombuffer(self.kinds, dtype=np.uint8)
        inside = np.ones(max(len(kinds) - 1, 0), dtype=np.bool_)
        ends = self._starts[(self._starts > 0) & (self._starts < len(kinds))]
        inside[ends - 1] = False
        same = np.flatnonzero(inside & (kinds[1:] == kinds[:-1])).tolist()
        keys: tuple[Any, ...] = self._keys
        increasing = all(map(lt, map(keys.__getitem__, same), map(keys.__getitem__, (i + 1 for i in same))))
        if not increasing or (inside & (kinds[1:] < kinds[:-1])).any():
            raise DataError(f"levels must be distinct and sorted by kind and value. {_DAMAGED}")

    def _require_counts(self) -> None:
        # Making the part of an invalid value raises the error that names it.
        for array, starts in ((self.values, self._starts), (self.observed, self._observed_at)):
            if array.size and not (float(array.min()) >= 0 and float(array.max()) < float("inf")):
                i = first_true(~(np.isfinite(array) & (array >= 0)))[0]
                self._make_part(int(np.searchsorted(starts * len(self.classes), i, side="right")) - 1)

    def _all(self) -> tuple[Counts, ...]:
        if not self._parts_cache:
            self._parts_cache.append(tuple(self._parts()))
        return self._parts_cache[0]

    def _parts(self) -> list[Counts]:
        c, starts = len(self.classes), self._starts
        parts: list[Counts | None] = [None] * len(self)
        if c and self.per_level is None and self.class_declared is None:
            for size in np.unique(self.sizes[self.sizes > 0]).tolist():
                chosen = np.flatnonzero(self.sizes == size)
                first = starts[chosen]
                values = seal(self.values[(first * c)[:, None] + np.arange(c * size)].reshape(-1, c, size))
                observed = seal(self.observed.reshape(-1, c, 1)[chosen])
                declared = seal(self.declared[first[:, None] + np.arange(size)])
                filled = values != 0
                complete = (filled.any(axis=1) | declared).all(axis=1)  # no level and no class is dropped
                complete &= (filled.any(axis=2) | (observed[:, :, 0] != 0) | self.classes.declared).all(axis=1)
                columns = chosen.tolist(), first.tolist(), complete.tolist(), values, observed, declared
                for k, start, is_complete, table, weight, flags in zip(*columns, strict=True):
                    if is_complete:
                        levels = self._axis(start, start + size, flags)
                        parts[k] = counts_from_valid(self.classes, levels, table, weight)
        return [self._make_part(k) if part is None else part for k, part in enumerate(parts)]

    def _axis(self, start: int, end: int, declared: BoolArray) -> Axis:
        labels = self.labels[start:end]
        keys = labels if self._keys is self.labels else self._keys[start:end]
        return axis_from_sorted(labels, declared, self.kinds[start:end], keys)

    def _make_part(self, k: int) -> Counts:
        c, start, end = len(self.classes), int(self._starts[k]), int(self._starts[k + 1])
        per_level = self.per_level is not None and bool(self.per_level[k])
        values = self.values[start * c : end * c].reshape(c, end - start)
        observed = self.observed[int(self._observed_at[k]) * c : int(self._observed_at[k + 1]) * c]
        classes = self.classes if self.class_declared is None else self.classes.declare(self.class_declared[k])
        levels = self._axis(start, end, seal(self.declared[start:end]))
        return Counts(classes, levels, values, observed.reshape(c, end - start if per_level else 1), per_level)


def _offsets_of_sizes(sizes: IntArray) -> IntArray:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])


def _sealed_concatenation(arrays: list[Any], dtype: Any) -> Any:
    return seal(np.concatenate(arrays)) if arrays else np.zeros(0, dtype=dtype)


def _lay_classes(values: FloatArray, positions: IntArray | None, classes: int) -> FloatArray:
    if positions is None:
        return values
    laid = np.zeros((classes, values.shape[1]))
    laid[positions] = values
    return laid


def _find_keys(kinds: bytes, labels: tuple[Label, ...]) -> tuple[Key, ...]:
    # If the labels are their own keys, one tuple serves as both.
    keys: list[Key] = list(labels)
    for i in np.flatnonzero(np.isin(np.frombuffer(kinds, dtype=np.uint8), _KINDS_WITH_KEYS)).tolist():
        keys[i] = key_of_label(kinds[i], labels[i])
    return tuple(keys) if set(kinds) & set(_KINDS_WITH_KEYS) else labels
