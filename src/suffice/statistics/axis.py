"""Axis: the labels of the classes or levels that a statistic counts, sorted independently of the order of the data.

The names of its columns are a plain tuple of distinct strings or integers in data order (`columns_of`).

An entry is *declared* (kept even if its counts are zero) or *seen* (dropped once it is zero in every class, so that
data removed from a statistic leave no trace). Labels are canonical (labels.py) and sorted by (kind, value), so a + b
and b + a have the same layout.

**Alignment.** A sum takes the union of two axes; an entry that either side declares is declared. A difference takes the
union too, but only the declarations of the minuend: an entry that only the subtrahend has would be 0 − something, which
`subtract_weights` rejects unless that is 0.

**Subtraction of weights.** `subtract_weights` distinguishes rounding errors from an excess. Symbols:
rest = left − right, entry by entry; SNAP = 2⁻⁴⁰.

    integers             left and right are both integers below 2⁵³: the difference is exact. A small rest > 0 is kept,
                         and a rest < 0 is an error
    |rest| ≤ SNAP left   otherwise this is rounding error: the rest becomes 0
    rest < −SNAP left    more is subtracted than was added: an error that names the entry

Sums of squared deviations never subtract exactly; their error bound is in moments.py.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress, islice, repeat
from operator import is_, lt
from typing import Any, NamedTuple, TypeAlias, cast, final

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError, MergeError
from suffice.statistics.arrays import BoolArray, FloatArray, IntArray, Where, first_true, freeze, require_stored, seal
from suffice.statistics.label_bytes import labels_from_arrays, labels_to_arrays
from suffice.statistics.labels import NUMBER, TEXT, Key, Label, canonical, key_of_label, spells

__all__ = [
    "SNAP",
    "Alignment",
    "Axis",
    "Columns",
    "align_for_difference",
    "align_for_sum",
    "axis_from_sorted",
    "columns_from_arrays",
    "columns_of",
    "columns_to_arrays",
    "entries_to_keep",
    "is_whole",
    "require_axis",
    "require_complete",
    "require_same_columns",
    "subtract_weights",
    "subtraction_error",
]


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Axis:
    """Labels of classes or levels, sorted, each declared or seen.

    Parameters
    ----------
    labels : iterable of None, bool, number, str, bytes or tuple of those
        Distinct labels. 1.0 and 1 are the same label; "1" and True are different labels.
    declared : bool or array of bool, one per label
        Whether the entry is kept when its counts are zero.

    Attributes
    ----------
    labels : tuple
        The labels in canonical form and order. Arrays along this axis use the same order: see `positions`.
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
    _index_cache: list[dict[Key, int]]  # empty until the first lookup, then the position of each key; shared by copies

    def __init__(self, labels: Iterable[object] = (), declared: bool | npt.ArrayLike = False) -> None:
        plain: list[Any] = list(labels)
        kind = _plain_kind(plain)
        if kind is not None:  # a vocabulary or column positions, which are already canonical
            kinds, keys = bytes([kind]) * len(plain), plain
            if all(map(lt, plain, islice(plain, 1, None))):  # strictly increasing, so there are no duplicates
                labels = tuple(plain)
                self._set(labels, _declared_flags(declared, len(plain)), kinds, labels, [])
                return
        else:
            pairs = [canonical(label) for label in plain]
            kinds, plain = bytes(kind for kind, _ in pairs), [label for _, label in pairs]
            keys = [key_of_label(kind, label) for kind, label in pairs]
        order = _sorted_positions(kinds, keys)
        keys = list(map(keys.__getitem__, order))
        index: dict[Key, int] = dict(zip(keys, range(len(keys)), strict=True))
        if len(index) != len(keys):
            duplicate = next(plain[i] for position, i in enumerate(order) if index[keys[position]] != position)
            raise DataError(
                f"the labels of an axis must be distinct: {duplicate!r} appears twice. Sum its entries first."
            )
        flags = _declared_flags(declared, len(plain))[order]
        ordered = tuple(map(plain.__getitem__, order))
        self._set(ordered, seal(flags), _moved(kinds, order), _share_keys(ordered, keys), [index])

    def _set(
        self,
        labels: tuple[Label, ...],
        declared: BoolArray,
        kinds: bytes,
        keys: tuple[Key, ...],
        index_cache: list[dict[Key, int]],
    ) -> None:
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "declared", declared)
        object.__setattr__(self, "_kinds", kinds)
        object.__setattr__(self, "_keys", keys)
        object.__setattr__(self, "_index_cache", index_cache)

    @property
    def kinds(self) -> bytes:
        """The rank of each label's kind (labels.py)."""
        return self._kinds

    @property
    def keys(self) -> tuple[Key, ...]:
        """The lookup key of each label (labels.py)."""
        return self._keys

    @classmethod
    def of(cls, labels: Iterable[object], declared: bool | npt.ArrayLike = False) -> Axis:
        """Return the sorted axis of these labels; move arrays in the order of `labels` to `axis.positions(labels)`."""
        return cls(labels, declared)

    def __reduce__(self) -> tuple[Any, ...]:
        return Axis.from_arrays, (self.to_arrays("axis"), "axis")

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[Label]:
        return iter(self.labels)

    def __contains__(self, label: object) -> bool:
        return key_of_label(*canonical(label)) in self.lookup

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Axis):
            return NotImplemented
        return self is other or (self._same_labels(other) and bool((self.declared == other.declared).all()))

    def __repr__(self) -> str:
        entries = zip(self.labels[:12], self.declared[:12], strict=True)
        shown = [f"{label!r} declared" if declared else repr(label) for label, declared in entries]
        if len(self) > len(shown):
            shown.append(f"... {len(self)} in all")
        return f"Axis({', '.join(shown)})"

    def index(self, label: object) -> int:
        """Return the position of a label; raise DataError if it is not on the axis."""
        position = self.lookup.get(key_of_label(*canonical(label)))
        if position is None:
            raise DataError(f"{label!r} is not on the axis {self!r}.")
        return position

    def locate(self, given: object) -> int | None:
        """Return the position of a label, or of the first label with this spelling; None if there is none.

        Examples
        --------
        >>> Axis.of([False, True]).locate("TRUE"), Axis.of([1, 2]).locate("2"), Axis.of(["a"]).locate("b")
        (1, 1, None)
        """
        if given in self:
            return self.index(given)
        if not isinstance(given, str):
            return None
        return next((at for at, label in enumerate(self.labels) if spells(given, label)), None)

    def positions(self, labels: Iterable[object]) -> IntArray:
        """Return the position of each label: `moved[axis.positions(labels)] = values` puts values in axis order."""
        plain: list[Any] = list(labels)
        positions = self.find(plain)
        if positions.min(initial=0) < 0:
            self.index(plain[int(np.argmin(positions))])
        return positions

    def find(self, labels: Iterable[object]) -> IntArray:
        """Return the position of each label, −1 for labels that are not on the axis."""
        plain: list[Any] = list(labels)
        own = _plain_kind(plain) is not None  # they are their own keys
        keys = plain if own else [key_of_label(*canonical(label)) for label in plain]
        return np.fromiter(map(self.lookup.get, keys, repeat(-1)), dtype=np.int64, count=len(keys))

    def take(self, mask: BoolArray) -> Axis:
        """Return the axis of the entries where the mask is true, in the same order."""
        labels = tuple(compress(self.labels, mask))
        keys = labels if self._keys is self.labels else tuple(compress(self._keys, mask))
        return axis_from_sorted(labels, seal(self.declared[mask]), bytes(compress(self._kinds, mask)), keys)

    def declare(self, declared: bool | npt.ArrayLike = True) -> Axis:
        """Return the axis with the same labels and new declared flags."""
        return axis_from_sorted(
            self.labels, _declared_flags(declared, len(self)), self._kinds, self._keys, self._index_cache
        )

    def union(self, other: Axis) -> tuple[Axis, IntArray, IntArray]:
        """Return the union of two axes, and the positions of the entries of each on it.

        An entry that either axis declares is declared. Axes with equal labels take no time per label, and an axis
        that contains the other is returned unchanged.
        """
        if self._same_labels(other):
            positions = np.arange(len(self))
            return self._declared_also(other.declared), positions, positions
        index, other_keys = self.lookup, other._keys
        at_other = np.fromiter(map(index.get, other_keys, repeat(-1)), dtype=np.int64, count=len(other_keys))
        fresh = np.flatnonzero(at_other < 0)
        if len(fresh) == 0:
            also = np.zeros(len(self), dtype=np.bool_)
            also[at_other] = other.declared
            return self._declared_also(also), np.arange(len(self)), at_other
        if len(self) + len(fresh) == len(other):
            merged, at_other, at_self = other.union(self)
            return merged, at_self, at_other
        # Sorting two concatenated sorted runs takes linear time.
        extra = fresh.tolist()
        kinds = self._kinds + bytes(map(other._kinds.__getitem__, extra))
        keys = [*self._keys, *map(other_keys.__getitem__, extra)]
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
        sorted_keys = _share_keys(ordered, map(keys.__getitem__, order))
        return axis_from_sorted(ordered, seal(declared), _moved(kinds, order), sorted_keys), at_self, at_other

    def to_arrays(self, prefix: str) -> dict[str, npt.NDArray[Any]]:
        """Return the axis as arrays named after the prefix (label_bytes.py)."""
        return {**labels_to_arrays(self._kinds, self.labels, prefix), f"{prefix}.declared": self.declared}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]], prefix: str) -> Axis:
        """Return the axis stored by `to_arrays`; raise DataError if the arrays are invalid."""
        labels = labels_from_arrays(arrays, prefix)
        declared = require_stored(arrays, f"{prefix}.declared", np.bool_, 1)
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

    @property
    def lookup(self) -> Mapping[Key, int]:
        """The position of each key (labels.py)."""
        if not self._index_cache:
            self._index_cache.append(dict(zip(self._keys, range(len(self._keys)), strict=True)))
        return self._index_cache[0]


def require_axis(what: str, axis: object) -> None:
    """Raise DataError unless the value is an Axis."""
    if not isinstance(axis, Axis):
        raise DataError(f"{what} must be an Axis: got {reprlib.repr(axis)}. Pass Axis.of(labels).")


def axis_from_sorted(
    labels: tuple[Label, ...],
    declared: BoolArray,
    kinds: bytes,
    keys: tuple[Key, ...],
    index_cache: list[dict[Key, int]] | None = None,
) -> Axis:
    """Return the axis of labels that are known to be canonical, sorted and distinct, without checking them."""
    axis = object.__new__(Axis)
    axis._set(labels, declared, kinds, keys, [] if index_cache is None else index_cache)  # pyright: ignore[reportPrivateUsage]
    return axis


def _declared_flags(declared: bool | npt.ArrayLike, number: int) -> BoolArray:
    flags = seal(np.full(number, declared)) if isinstance(declared, (bool, np.bool_)) else declared
    return freeze("declared", flags, (number,), np.bool_)


def _share_keys(labels: tuple[Label, ...], keys: Iterable[Key]) -> tuple[Key, ...]:
    # If the labels are their own keys, one tuple serves as both.
    stored = tuple(keys)
    return labels if all(map(is_, labels, stored)) else stored


def _moved(kinds: bytes, order: list[int]) -> bytes:
    return kinds if len(set(kinds)) <= 1 else bytes(map(kinds.__getitem__, order))


def _plain_kind(labels: list[Any]) -> int | None:
    # The kind of labels that are all text or all 64-bit integers, and therefore their own keys; otherwise None.
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


class Alignment(NamedTuple):
    """The common axis of two statistics, and the position of the entries of each on it (None: all of it, in order)."""

    axis: Axis
    left: IntArray | None
    right: IntArray | None

    def lay_left(self, values: FloatArray, dimension: int = 0) -> FloatArray:
        """Return an array of the left side along the common axis, 0 where the left side has no entry."""
        return _laid(values, self.left, len(self.axis), dimension)

    def lay_right(self, values: FloatArray, dimension: int = 0) -> FloatArray:
        """Return an array of the right side along the common axis, 0 where the right side has no entry."""
        return _laid(values, self.right, len(self.axis), dimension)


def align_for_sum(left: Axis, right: Axis) -> Alignment:
    """Align two axes for a sum."""
    axis, at_left, at_right = left.union(right)
    # Both are sorted, so an axis as long as the union is equal to it.
    return Alignment(axis, None if len(left) == len(axis) else at_left, None if len(right) == len(axis) else at_right)


def align_for_difference(left: Axis, right: Axis) -> Alignment:
    """Align two axes for a difference, left − right."""
    both = align_for_sum(left, right)
    if both.left is None:
        return Alignment(left, None, both.right)
    declared = np.zeros(len(both.axis), dtype=np.bool_)
    declared[both.left] = left.declared
    return Alignment(both.axis.declare(declared), both.left, both.right)


def entries_to_keep(axis: Axis, nonzero: BoolArray) -> BoolArray | None:
    """Return a mask of the entries to keep (declared or nonzero), or None if all are kept."""
    keep = axis.declared | nonzero
    return None if keep.all() else keep


def require_complete(arrays: Mapping[str, npt.NDArray[Any]], read: Mapping[str, object], what: str) -> None:
    """Raise DataError if the stored arrays contain one that the statistic does not have."""
    extra = sorted(set(arrays) - set(read))
    if extra:
        raise DataError(f"{what} has no array named {extra[0]!r}. The stored statistics are damaged: write them again.")


def _laid(values: FloatArray, positions: IntArray | None, size: int, dimension: int) -> FloatArray:
    if positions is None:
        return values
    shape = list(values.shape)
    shape[dimension] = size
    laid = np.zeros(shape)
    laid[(slice(None),) * dimension + (positions,)] = values
    return laid


SNAP = 2.0**-40
_EXACT = 2.0**53


def subtract_weights(what: str, left: FloatArray, right: FloatArray, where: Where) -> FloatArray:
    """Return left − right with rounding errors set to 0; raise MergeError if more is subtracted than is present."""
    rest = left - right
    rounding = SNAP * left
    bad = rest < -rounding
    small = (rest != 0) & (rest <= rounding) & ~bad
    if small.any():
        exact = is_whole(left) & is_whole(right)
        bad |= small & exact & (rest < 0)
        rest[small & ~exact] = 0.0
    if bad.any():
        index = first_true(bad)
        raise subtraction_error(where(index), what, float(left[index]), float(right[index]))
    return rest


def subtraction_error(where: str, what: str, present: float, subtracted: float) -> MergeError:
    """Return the error for subtracting more than was added."""
    return MergeError(
        f"cannot remove rows that were not added: {where} has {what} {present!r}, but {subtracted!r} would be removed. "
        "Remove only rows that were added, with the same weights."
    )


def is_whole(values: FloatArray) -> BoolArray:
    """Return where values are integers that float64 adds and subtracts exactly."""
    return (values == np.floor(values)) & (values < _EXACT)


Columns: TypeAlias = "tuple[str | int, ...]"


def columns_of(columns: int | Iterable[str | int]) -> Columns:
    """Return the column names as a tuple; an integer D means the columns 0, 1, …, D − 1."""
    if isinstance(columns, (int, np.integer)) and not isinstance(columns, bool) and columns >= 0:
        return _column_numbers(int(columns))
    if isinstance(columns, (str, bytes)) or not isinstance(columns, Iterable):
        raise DataError(f"columns must be a number ≥ 0 or a list of names: got {columns!r}.")
    names = tuple(columns)
    if not {type(name) for name in names} <= {str, int}:
        names = tuple(_check_name(name) for name in names)
    if len(set(names)) != len(names):
        seen: set[str | int] = set()
        duplicate = next(name for name in names if name in seen or seen.add(name))
        raise DataError(f"column names must be distinct: {duplicate!r} appears more than once. Rename one of them.")
    return names


def require_same_columns(mine: Columns, theirs: Columns, doing: str) -> None:
    """Raise a MergeError that describes the difference unless the columns are equal and in the same order."""
    if mine is theirs or mine == theirs:
        return
    left, right = set(mine), set(theirs)
    only_mine = [name for name in mine if name not in right]
    only_theirs = [name for name in theirs if name not in left]
    if only_mine or only_theirs:
        difference = (
            f"only the left side has {_list_columns(only_mine)}, only the right side has {_list_columns(only_theirs)}"
        )
    else:
        i = next(i for i, (left, right) in enumerate(zip(mine, theirs, strict=True)) if left != right)
        difference = (
            f"the order differs from position {i} on: left {_list_columns(mine[i:])}, right {_list_columns(theirs[i:])}"
        )
    raise MergeError(
        f"cannot {doing} statistics of different columns: {difference}. "
        "Collect both with the same columns in the same order."
    )


def columns_to_arrays(columns: Columns, prefix: str) -> dict[str, npt.NDArray[Any]]:
    """Return the names as arrays (label_bytes.py)."""
    return labels_to_arrays(bytes(TEXT if isinstance(name, str) else NUMBER for name in columns), columns, prefix)


def columns_from_arrays(arrays: Mapping[str, npt.NDArray[Any]], prefix: str) -> Columns:
    """Return the names stored by `columns_to_arrays`; raise DataError if the arrays are invalid."""
    return columns_of(tuple(labels_from_arrays(arrays, prefix)))  # pyright: ignore[reportArgumentType]


def _check_name(name: object) -> str | int:
    if isinstance(name, str):
        return str.__str__(name)
    if isinstance(name, (int, np.integer)) and not isinstance(name, bool):
        return int(cast("Any", name))
    raise DataError(
        f"a column name must be a string or an integer: got {name!r} ({type(name).__name__}). Rename the column."
    )


def _list_columns(names: Iterable[str | int]) -> str:
    listed = list(names)
    shown = [repr(name) for name in listed[:5]] + [f"... ({len(listed)} in all)"] * (len(listed) > 5)
    return "[" + ", ".join(shown) + "]"


@lru_cache(maxsize=64)
def _column_numbers(number: int) -> Columns:
    return tuple(range(number))
