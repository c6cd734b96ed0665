"""The counts of many columns of levels in flat arrays: what a block of them is stored as, and made of when loaded.

Symbols: part k of n has L_k levels; C classes, the same for all parts; the arrays are those of the parts, end to end.

    sizes      n          L_k
    labels     Σ L_k      the levels of each part, in the order of an axis; kinds and declared beside them
    values     Σ C·L_k    C × L_k of each part, row by row
    observed   Σ C        of each part the form C × 1; where per_level says so, C × L_k

Everything is checked when the table is made, all parts at once. A hundred thousand parts are half a million objects, so
they are made when the first of them is asked for, and then stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from operator import lt
from typing import Any, final, overload

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError
from suffice.statistics.axis import Axis, axis_in_order, require_axis
from suffice.statistics.counts import Counts, counts_in_order
from suffice.statistics.frozen_arrays import BoolArray, FloatArray, IntArray, first, frozen, sealed
from suffice.statistics.label_bytes import labels_to_arrays
from suffice.statistics.labels import BOOL, NONE, TUPLE, Key, Label, key_of_label

__all__ = ["CountsTable"]

_OTHER_KEYS = NONE, BOOL, TUPLE  # kinds of labels that are not their own keys
_DAMAGED = "The stored statistics are damaged: write them again."


@final
class CountsTable(Sequence[Counts]):
    """The counts of many columns, each with levels of its own: a sequence of Counts.

    Parameters
    ----------
    classes : Axis
        The classes of every part. A part has not those of them that are zero in it and not declared.
    sizes : array (n,) of int ≥ 0
    kinds : bytes, one for each label
    labels : list of labels
    declared : array of bool, one for each label
    values, observed : arrays of floats ≥ 0
    per_level : array (n,) of bool, optional
        Which parts observe level by level; by default none does.
    class_declared : array (n, C) of bool, optional
        Which classes are declared in each part; by default those of `classes`.

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
        "_made",
        "_observed_at",
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
        self.sizes: IntArray = frozen("sizes", sizes, None, np.int64)
        number, entries, c = len(self.sizes), len(self.labels), len(classes)
        if (self.sizes < 0).any() or (self.sizes > entries).any() or int(self.sizes.sum()) != entries:
            raise DataError(f"sizes must be ≥ 0 and sum to the number of labels, {entries}. {_DAMAGED}")
        if len(kinds) != entries:
            raise DataError(f"kinds must have one entry for each of the {entries} labels: got {len(kinds)}. {_DAMAGED}")
        self.declared: BoolArray = frozen("declared", declared, (entries,), np.bool_)
        self.values: FloatArray = frozen("values", values, (c * entries,))
        if per_level is not None:
            per_level = frozen("per_level", per_level, (number,), np.bool_)
        if class_declared is not None:
            class_declared = frozen("class_declared", class_declared, (number, c), np.bool_)
        self.per_level, self.class_declared = per_level, class_declared
        self._starts = _offsets(self.sizes)
        self._observed_at = _offsets(
            np.ones_like(self.sizes) if per_level is None else np.where(per_level, self.sizes, 1)
        )
        self.observed: FloatArray = frozen("observed", observed, (int(self._observed_at[-1]) * c,))
        self._keys: tuple[Key, ...] = _keys_of(kinds, self.labels)
        self._made: list[tuple[Counts, ...]] = []
        self._require_order()
        self._require_counts()

    @classmethod
    def of(cls, parts: Sequence[Counts], classes: Axis) -> CountsTable:
        """Return the table of these parts along an axis that has all their classes."""
        if isinstance(parts, CountsTable) and parts.classes == classes:
            return parts
        places: dict[int, IntArray | None] = {}
        flags: dict[int, BoolArray] = {}
        for axis in {id(part.classes): part.classes for part in parts}.values():
            at = classes.positions(axis.labels)
            places[id(axis)] = None if len(at) == len(classes) else at
            flags[id(axis)] = np.zeros(len(classes), dtype=np.bool_)
            flags[id(axis)][at] = axis.declared
        values = [_laid(part.values, places[id(part.classes)], len(classes)).reshape(-1) for part in parts]
        observed = [_laid(part.observed, places[id(part.classes)], len(classes)).reshape(-1) for part in parts]
        other = any((each != classes.declared).any() for each in flags.values())
        each_class = np.array([flags[id(part.classes)] for part in parts]) if other else None
        per_level = np.array([part.per_level for part in parts], dtype=np.bool_)
        return cls(
            classes,
            np.array([len(part.levels) for part in parts], dtype=np.int64),
            b"".join([part.levels.kinds for part in parts]),
            list(chain.from_iterable(part.levels.labels for part in parts)),
            _together([part.levels.declared for part in parts], np.bool_),
            _together(values, np.float64),
            _together(observed, np.float64),
            per_level if per_level.any() else None,
            None if each_class is None else each_class.reshape(len(parts), len(classes)),
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
        """Return the arrays that say all of it but the classes; flags that none has are left out."""
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
        # Equal arrays are equal parts; others may be too, where a class that one table has is zero in the other.
        mine, theirs = (
            (each.sizes, each.declared, each.values, each.observed, each.per_level, each.class_declared)
            for each in (self, other)
        )
        return (
            (self.classes, self.kinds, self._keys) == (other.classes, other.kinds, other._keys)
            and all(np.array_equal(left, right) for left, right in zip(mine, theirs, strict=True))  # pyright: ignore[reportArgumentType]
        )

    def _require_order(self) -> None:
        # Labels rise within a part: by kind, and among those of a kind by key.
        kinds = np.frombuffer(self.kinds, dtype=np.uint8)
        inside = np.ones(max(len(kinds) - 1, 0), dtype=np.bool_)
        ends = self._starts[(self._starts > 0) & (self._starts < len(kinds))]
        inside[ends - 1] = False
        same = np.flatnonzero(inside & (kinds[1:] == kinds[:-1])).tolist()
        keys: tuple[Any, ...] = self._keys
        rising = all(map(lt, map(keys.__getitem__, same), map(keys.__getitem__, (i + 1 for i in same))))
        if not rising or (inside & (kinds[1:] < kinds[:-1])).any():
            raise DataError(f"levels must be sorted by kind and value, each there once. {_DAMAGED}")

    def _require_counts(self) -> None:
        # Where one is not finite or below 0, its part says so in words.
        for array, starts in ((self.values, self._starts), (self.observed, self._observed_at)):
            if array.size and not (float(array.min()) >= 0 and float(array.max()) < float("inf")):
                at = first(~(np.isfinite(array) & (array >= 0)))[0]
                self._checked(int(np.searchsorted(starts * len(self.classes), at, side="right")) - 1)

    def _all(self) -> tuple[Counts, ...]:
        if not self._made:
            self._made.append(tuple(self._parts()))
        return self._made[0]

    def _parts(self) -> list[Counts]:
        c, starts = len(self.classes), self._starts
        parts: list[Counts | None] = [None] * len(self)
        if c and self.per_level is None and self.class_declared is None:
            for size in np.unique(self.sizes[self.sizes > 0]).tolist():
                chosen = np.flatnonzero(self.sizes == size)
                at = starts[chosen]
                values = sealed(self.values[(at * c)[:, None] + np.arange(c * size)].reshape(-1, c, size))
                observed = sealed(self.observed.reshape(-1, c, 1)[chosen])
                declared = sealed(self.declared[at[:, None] + np.arange(size)])
                filled = values != 0
                whole = (filled.any(axis=1) | declared).all(axis=1)
                whole &= (filled.any(axis=2) | (observed[:, :, 0] != 0) | self.classes.declared).all(axis=1)
                each = zip(chosen.tolist(), at.tolist(), whole.tolist(), values, observed, declared, strict=True)
                for k, start, full, table, seen, flags in each:
                    if full:
                        parts[k] = counts_in_order(self.classes, self._axis(start, start + size, flags), table, seen)
        return [self._checked(k) if part is None else part for k, part in enumerate(parts)]

    def _axis(self, start: int, end: int, declared: BoolArray) -> Axis:
        labels = self.labels[start:end]
        keys = labels if self._keys is self.labels else self._keys[start:end]
        return axis_in_order(labels, declared, self.kinds[start:end], keys)

    def _checked(self, k: int) -> Counts:
        c, start, end = len(self.classes), int(self._starts[k]), int(self._starts[k + 1])
        per_level = self.per_level is not None and bool(self.per_level[k])
        values = self.values[start * c : end * c].reshape(c, end - start)
        observed = self.observed[int(self._observed_at[k]) * c : int(self._observed_at[k + 1]) * c]
        classes = self.classes if self.class_declared is None else self.classes.declare(self.class_declared[k])
        levels = self._axis(start, end, sealed(self.declared[start:end]))
        return Counts(classes, levels, values, observed.reshape(c, end - start if per_level else 1), per_level)


def _offsets(sizes: IntArray) -> IntArray:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])


def _together(arrays: list[Any], dtype: Any) -> Any:
    return sealed(np.concatenate(arrays)) if arrays else np.zeros(0, dtype=dtype)


def _laid(values: FloatArray, places: IntArray | None, classes: int) -> FloatArray:
    if places is None:
        return values
    laid = np.zeros((classes, values.shape[1]))
    laid[places] = values
    return laid


def _keys_of(kinds: bytes, labels: tuple[Label, ...]) -> tuple[Key, ...]:
    # Where labels are their own keys, one tuple serves as both.
    keys: list[Key] = list(labels)
    for i in np.flatnonzero(np.isin(np.frombuffer(kinds, dtype=np.uint8), _OTHER_KEYS)).tolist():
        keys[i] = key_of_label(kinds[i], labels[i])
    return tuple(keys) if set(kinds) & set(_OTHER_KEYS) else labels
