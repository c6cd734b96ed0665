"""An axis: the labels of the classes or levels that a statistic counts, in one order whatever order they came in.

An entry is *declared* (stays, even at zero) or *seen* (vanishes when it is zero everywhere), so that what was forgotten
was never seen. Labels are in canonical form (labels.py), sorted by (kind, value): a + b and b + a have the same layout.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import compress, islice, repeat
from operator import is_, lt
from typing import Any, final

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError
from suffice.statistics.frozen_arrays import BoolArray, IntArray, frozen, sealed, stored
from suffice.statistics.label_bytes import labels_from_arrays, labels_to_arrays
from suffice.statistics.labels import NUMBER, TEXT, Key, Label, canonical, key_of_label

__all__ = ["Axis", "axis_in_order", "require_axis"]


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Axis:
    """Labels of classes or levels, sorted, each declared or seen.

    Parameters
    ----------
    labels : iterable of None, bool, number, str, bytes or tuple of those
        No two the same; 1.0 and 1 are the same, "1" and True are others.
    declared : bool or array of bool, one per label
        Whether the entry stays when nothing of it is left.

    Attributes
    ----------
    labels : tuple
        The labels in canonical form and order. Arrays along this axis follow it: see `positions`.
    declared : array of bool

    Examples
    --------
    >>> axis = Axis.of(["spam", "ham"])
    >>> axis
    Axis('ham', 'spam')
    >>> axis.index("spam")
    1
    >>> axis.union(Axis.of(["news"], declared=True))
    (Axis('ham', 'news' declared, 'spam'), array([0, 2]), array([1]))
    """

    labels: tuple[Label, ...]
    declared: BoolArray
    _kinds: bytes
    _keys: tuple[Key, ...]
    _found: list[dict[Key, int]]  # empty until the first look-up, then the position of each key; shared by equal axes

    def __init__(self, labels: Iterable[object] = (), declared: bool | npt.ArrayLike = False) -> None:
        plain: list[Any] = list(labels)
        kind = _plain_kind(plain)
        if kind is not None:  # a vocabulary, or the positions of columns: canonical as they are
            kinds, keys = bytes([kind]) * len(plain), plain
            if all(map(lt, plain, islice(plain, 1, None))):  # in order, so each is there once
                rising = tuple(plain)
                self._set(rising, _flags(declared, len(plain)), kinds, rising, [])
                return
        else:
            pairs = [canonical(label) for label in plain]
            kinds, plain = bytes(kind for kind, _ in pairs), [label for _, label in pairs]
            keys = [key_of_label(kind, label) for kind, label in pairs]
        order = _sorted_positions(kinds, keys)
        keys = list(map(keys.__getitem__, order))
        found: dict[Key, int] = dict(zip(keys, range(len(keys)), strict=True))
        if len(found) != len(keys):
            twice = next(plain[i] for at, i in enumerate(order) if found[keys[at]] != at)
            raise DataError(f"a label may appear once on an axis: {twice!r} appears twice. Add up its entries first.")
        flags = _flags(declared, len(plain))[order]
        ordered = tuple(map(plain.__getitem__, order))
        self._set(ordered, sealed(flags), _moved(kinds, order), _keys_of(ordered, keys), [found])

    def _set(
        self,
        labels: tuple[Label, ...],
        declared: BoolArray,
        kinds: bytes,
        keys: tuple[Key, ...],
        found: list[dict[Key, int]],
    ) -> None:
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "declared", declared)
        object.__setattr__(self, "_kinds", kinds)
        object.__setattr__(self, "_keys", keys)
        object.__setattr__(self, "_found", found)

    @property
    def kinds(self) -> bytes:
        """The rank of each label's kind (labels.py)."""
        return self._kinds

    @property
    def keys(self) -> tuple[Key, ...]:
        """What each label is looked up by (labels.py)."""
        return self._keys

    @classmethod
    def of(cls, labels: Iterable[object], declared: bool | npt.ArrayLike = False) -> Axis:
        """Return the axis of these labels, sorted: what is in the order of `labels` must be moved to `positions`."""
        return cls(labels, declared)

    def __reduce__(self) -> tuple[Any, ...]:
        return Axis.from_arrays, (self.to_arrays("axis"), "axis")

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[Label]:
        return iter(self.labels)

    def __contains__(self, label: object) -> bool:
        return key_of_label(*canonical(label)) in self._index()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Axis):
            return NotImplemented
        return self is other or (self._same_labels(other) and bool((self.declared == other.declared).all()))

    def __repr__(self) -> str:
        some = zip(self.labels[:12], self.declared[:12], strict=True)
        shown = [f"{label!r} declared" if declared else repr(label) for label, declared in some]
        if len(self) > len(shown):
            shown.append(f"... {len(self)} in all")
        return f"Axis({', '.join(shown)})"

    def index(self, label: object) -> int:
        """Return the position of a label, or raise DataError when it is not on the axis."""
        position = self._index().get(key_of_label(*canonical(label)))
        if position is None:
            raise DataError(f"{label!r} is not on the axis. It holds {self!r}.")
        return position

    def positions(self, labels: Iterable[object]) -> IntArray:
        """Return the position of each of the labels: `moved[axis.positions(labels)] = values` lays values out."""
        plain: list[Any] = list(labels)
        if _plain_kind(plain) is not None:  # they are their own keys
            found = np.fromiter(map(self._index().get, plain, repeat(-1)), dtype=np.int64, count=len(plain))
            if not len(found) or found.min() >= 0:
                return found
        return np.array([self.index(label) for label in plain], dtype=np.int64)

    def take(self, mask: BoolArray) -> Axis:
        """Return the axis of the entries where the mask is true, in the same order."""
        labels = tuple(compress(self.labels, mask))
        keys = labels if self._keys is self.labels else tuple(compress(self._keys, mask))
        return axis_in_order(labels, sealed(self.declared[mask]), bytes(compress(self._kinds, mask)), keys)

    def declare(self, declared: bool | npt.ArrayLike = True) -> Axis:
        """Return the axis of the same labels with other declared flags."""
        return axis_in_order(self.labels, _flags(declared, len(self)), self._kinds, self._keys, self._found)

    def union(self, other: Axis) -> tuple[Axis, IntArray, IntArray]:
        """Return the axis of both, and where the entries of each stand on it. Declared in either is declared.

        Axes with equal labels cost no work per label; a superset is returned as it is.
        """
        if self._same_labels(other):
            here = np.arange(len(self))
            return self._declared_also(other.declared), here, here
        mine, theirs = self._index(), other._keys
        at_other = np.fromiter(map(mine.get, theirs, repeat(-1)), dtype=np.int64, count=len(theirs))
        fresh = np.flatnonzero(at_other < 0)
        if len(fresh) == 0:
            also = np.zeros(len(self), dtype=np.bool_)
            also[at_other] = other.declared
            return self._declared_also(also), np.arange(len(self)), at_other
        if len(self) + len(fresh) == len(other):
            merged, at_other, at_self = other.union(self)
            return merged, at_self, at_other
        # Sorting two sorted runs is a merge, and linear.
        extra = fresh.tolist()
        kinds = self._kinds + bytes(map(other._kinds.__getitem__, extra))
        keys = [*self._keys, *map(theirs.__getitem__, extra)]
        labels = [*self.labels, *map(other.labels.__getitem__, extra)]
        order = _sorted_positions(kinds, keys)
        moved = np.empty(len(order), dtype=np.int64)
        moved[order] = np.arange(len(order))
        at_other[fresh] = np.arange(len(self), len(keys))
        at_self, at_other = moved[: len(self)], moved[at_other]
        declared = np.zeros(len(keys), dtype=np.bool_)
        declared[at_self] = self.declared
        declared[at_other] |= other.declared
        ordered = tuple(map(labels.__getitem__, order))
        sorted_keys = _keys_of(ordered, map(keys.__getitem__, order))
        return axis_in_order(ordered, sealed(declared), _moved(kinds, order), sorted_keys), at_self, at_other

    def to_arrays(self, prefix: str) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays that spell the axis, named after the prefix (label_bytes.py)."""
        return {**labels_to_arrays(self._kinds, self.labels, prefix), f"{prefix}.declared": self.declared}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]], prefix: str) -> Axis:
        """Return the axis that `to_arrays` spelled, or raise DataError."""
        labels = labels_from_arrays(arrays, prefix)
        declared = stored(arrays, f"{prefix}.declared", np.bool_, 1)
        if len(declared) != len(labels):
            raise DataError(
                f"{prefix}.declared must have one entry per label, {len(labels)}: got {len(declared)}. "
                "The stored statistics are damaged: write them again."
            )
        axis = cls(labels, declared)
        same = all(map(is_, axis.labels, labels))
        if not same and axis._keys != tuple(key_of_label(*canonical(label)) for label in labels):
            raise DataError(
                f"{prefix} must be sorted by kind and value. The stored statistics are damaged: write them again."
            )
        return axis

    def _declared_also(self, declared: BoolArray) -> Axis:
        both = self.declared | declared
        return self if (both == self.declared).all() else self.declare(both)

    def _same_labels(self, other: Axis) -> bool:
        return self._keys is other._keys or self._keys == other._keys

    def _index(self) -> dict[Key, int]:
        if not self._found:
            self._found.append(dict(zip(self._keys, range(len(self._keys)), strict=True)))
        return self._found[0]


def require_axis(what: str, axis: object) -> None:
    """Raise DataError unless it is an Axis."""
    if not isinstance(axis, Axis):
        raise DataError(f"{what} must be an Axis: got {reprlib.repr(axis)}. Give Axis.of(labels).")


def axis_in_order(
    labels: tuple[Label, ...],
    declared: BoolArray,
    kinds: bytes,
    keys: tuple[Key, ...],
    found: list[dict[Key, int]] | None = None,
) -> Axis:
    """Return the axis of labels that are known to be canonical, in order and each there once; nothing is checked."""
    axis = object.__new__(Axis)
    axis._set(labels, declared, kinds, keys, [] if found is None else found)  # pyright: ignore[reportPrivateUsage]
    return axis


def _flags(declared: bool | npt.ArrayLike, number: int) -> BoolArray:
    each = sealed(np.full(number, declared)) if isinstance(declared, (bool, np.bool_)) else declared
    return frozen("declared", each, (number,), np.bool_)


def _keys_of(labels: tuple[Label, ...], keys: Iterable[Key]) -> tuple[Key, ...]:
    # Where labels are their own keys, one tuple serves as both.
    kept = tuple(keys)
    return labels if all(map(is_, labels, kept)) else kept


def _moved(kinds: bytes, order: list[int]) -> bytes:
    return kinds if len(set(kinds)) <= 1 else bytes(map(kinds.__getitem__, order))


def _plain_kind(labels: list[Any]) -> int | None:
    # The kind of labels that are all text, or all whole numbers of a machine's size, and so their own keys.
    types = set(map(type, labels))
    if types == {str}:
        return TEXT
    if types == {int} and min(labels) >= -(2**63) and max(labels) < 2**63:
        return NUMBER
    return None


def _sorted_positions(kinds: bytes, keys: list[Any]) -> list[int]:
    if len(set(kinds)) <= 1:
        return sorted(range(len(keys)), key=keys.__getitem__)
    return sorted(range(len(keys)), key=lambda i: (kinds[i], keys[i]))
