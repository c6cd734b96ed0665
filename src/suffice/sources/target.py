"""The class of each row as a code: distinct labels of any kind on an axis, −1 if the class is missing.

A target is an array, the name of a column, or a condition on a column such as ``arr_delay>15``, whose classes are True
and False.

Limits: a target with more than 10,000 classes is rejected, and so is one that does not look like a class:

a number   more than 100 distinct whole numbers, unless they are codes: they start at 0 or 1, and at least 90 % of the
           numbers up to the largest occur
an id      more than 1,000 classes, with fewer than 2 rows each on average

The rules apply to the classes read so far, after each batch from row 100,000 on, and at the end of shorter data.
"""

from __future__ import annotations

import operator
import re
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from suffice.errors import NOTHING, Advice, DataError, Wording, counted
from suffice.sources.coding import occurrences
from suffice.sources.column import Column, Numbers, Objects, Unread
from suffice.sources.in_memory import column_of, is_frame, is_series
from suffice.statistics import Axis
from suffice.statistics.arrays import BoolArray, FloatArray, IntArray
from suffice.statistics.axis import Columns
from suffice.statistics.labels import Label, spells

__all__ = [
    "MAX_CLASSES",
    "Condition",
    "Target",
    "advise_bins",
    "bad_label",
    "find_condition",
    "labels_of",
    "parse_conditions",
    "require_classes",
    "target_of",
    "unknown_classes",
]

MAX_CLASSES: Final = 10_000
"""Maximum number of classes of a target."""
_MANY_NUMBERS, _MANY_IDS, _ROWS_OF_AN_ID = 100, 1_000, 2
_COMPLETE = 0.9
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
_COMPARISON = re.compile("|".join(_COMPARISONS))


class Target(NamedTuple):
    """Codes are positions on the axis, −1 in `missing` rows; `rows` is the number of rows of each class, if known."""

    codes: IntArray
    classes: Axis
    missing: int
    rows: FloatArray | None = None

    def take(self, rows: IntArray) -> Target:
        """Return the classes of these rows, in this order."""
        codes = self.codes[rows].astype(np.int64, copy=False)
        return Target(codes, self.classes, int(np.count_nonzero(codes < 0)) if self.missing else 0)


class Condition(NamedTuple):
    """A comparison of a column with a value, whose classes are True and False; a missing cell has no class."""

    column: str | int
    sign: str
    value: str

    def __str__(self) -> str:
        return f"{self.column}{self.sign}{self.value}"

    def apply(self, column: Column) -> Column:
        """Return whether each cell satisfies the condition.

        Numbers are compared as numbers; text and booleans support only == and !=.

        Examples
        --------
        >>> Condition("age", ">=", "18").apply(Numbers(np.array([17, 18, 40]))).numbers().values
        array([False,  True,  True])
        """
        value = _parse_number(self.value)
        if column.kind in ("integer", "float", "mixed") and value is not None:
            with suppress(DataError):  # a column of mixed values
                values, valid = (numbers := column.numbers()).values, numbers.valid
                known = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), dtype=np.bool_)
                if valid is not None:
                    known &= np.unpackbits(valid, count=len(values), bitorder="little").view(np.bool_)
                return _flag_column(_COMPARISONS[self.sign](values, value), known)
        if column.kind == "nothing":
            return column
        if column.kind in ("integer", "float"):
            raise self._failure(f"contains numbers, but {self.value!r} is not a number")
        if self.sign not in ("==", "!="):
            raise self._failure(f"contains {column.kind}, but {self.sign} compares numbers")
        codes, labels = column.coded()
        quoted = len(self.value) > 1 and self.value[0] == self.value[-1] and self.value[0] in "'\""
        wanted = self.value[1:-1] if quoted else self.value
        equal = [spells(wanted, label) for label in labels]
        flags = np.array([*(_COMPARISONS[self.sign](each, True) for each in equal), False])
        return _flag_column(flags[codes], codes >= 0)

    def _failure(self, why: str) -> DataError:
        return DataError(f"target {str(self)!r}: column {self.column!r} {why}", kind="bad_condition")


def parse_conditions(text: object) -> Iterator[Condition]:
    """Yield each interpretation of the text as a condition: names may contain comparison signs.

    Examples
    --------
    >>> list(parse_conditions("arr_delay > 15"))
    [Condition(column='arr_delay', sign='>', value='15')]
    """
    if isinstance(text, str):
        for match in _COMPARISON.finditer(text):
            column, value = text[: match.start()].strip(), text[match.end() :].strip()
            if column and value:
                yield Condition(column, match[0], value)


def find_condition(given: object, names: Columns, *, positions: bool = False) -> Condition | None:
    """Return the condition on one of these columns that was given as the target; None if it is not a condition.

    A column with exactly this name takes precedence. With `positions`, a column may be given by its position.
    """
    if not isinstance(given, str) or given in names:
        return None
    for condition in parse_conditions(given):
        if condition.column in names:
            return condition
        if positions:
            with suppress(ValueError, IndexError):
                return condition._replace(column=names[int(condition.column)])
    return None


def _parse_number(text: str) -> int | float | None:
    for read in (int, float):
        with suppress(ValueError):
            value = read(text)
            return value if value == value else None
    return None


def _flag_column(flags: BoolArray, known: BoolArray) -> Numbers:
    return Numbers(flags, None if known.all() else np.packbits(known, bitorder="little"))


def require_classes(labels: Sequence[Label], rows: int, name: str | int | None) -> None:
    """Raise DataError for a target that looks like a number or an id instead of a class (see above)."""
    number = len(labels)
    whole = [label for label in labels if type(label) is int]
    if len(whole) == number > _MANY_NUMBERS:
        low, high = min(whole), max(whole)
        if low not in (0, 1) or number < _COMPLETE * (high - low + 1):
            raise DataError(
                f"{_spell_target(name)} has {number:,} distinct numbers from {low:,} to {high:,}: it looks like a "
                "quantity, not a class",
                kind="many_classes",
                advice=advise_bins(name, sorted(whole)[number // 2]),
            )
    if number > _MANY_IDS and rows < _ROWS_OF_AN_ID * number:
        raise DataError(
            f"{_spell_target(name)} has {number:,} classes in {counted(rows, 'row')}: it looks like an id, not a class",
            kind="many_classes",
            advice="Choose another column.",
        )
    if number > MAX_CLASSES:
        raise DataError(
            f"{_spell_target(name)} has more than {MAX_CLASSES:,} classes, the maximum for a model",
            kind="many_classes",
            advice="Choose another column, or group the classes first.",
        )


def _spell_target(name: str | int | None) -> str:
    return "the target" if name is None else f"target column {name!r}"


def advise_bins(name: str | int | None, value: object) -> Advice:
    """Return advice on how to bin a numeric column into classes."""
    if name is None:
        return f"Bin it into classes first, for example with target > {value}, or convert class codes to text."

    def advice(words: Wording) -> str:
        named = words.option("target", f"{name}>{value}")
        return f"Bin it, for example with {named}; if the numbers are class codes, convert the column to text."

    return advice


def target_of(target: Any, rows: int) -> Target:
    """Return the classes of the rows.

    Examples
    --------
    >>> target_of(["spam", "ham", None, "spam"], 4)
    Target(codes=array([ 1,  0, -1,  1]), classes=Axis('ham', 'spam'), missing=1, rows=None)
    """
    column = _target_column(target)
    if isinstance(column, Numbers) and column.valid is None and len(column.values) == rows:
        values = column.values.copy()  # another thread may write to the array
        found = occurrences(values)
        if found is not None:
            return Target(values, Axis.of(range(len(found))), 0, found)
    try:
        codes, labels = column.coded()
    except DataError as reason:
        held = f": {reason.problem}" if reason.got is NOTHING else ""
        raise reason.located(
            problem=f"class labels must be integers, booleans or strings{held}",
            kind="bad_label",
            advice="Convert them first.",
        ) from None
    if len(codes) != rows:
        raise DataError(
            f"target must have one label per row: got {counted(len(codes), 'label')} for {counted(rows, 'row')}."
        )
    for at, label in enumerate(labels):
        if isinstance(label, float):
            row = int(np.argmax(codes == at))
            raise bad_label(row, label)
    axis = Axis.of(labels)
    positions = axis.positions(labels)
    if (positions != np.arange(len(positions))).any():
        codes = np.append(positions, -1).take(codes, mode="wrap")  # −1 is the last entry
    complete = isinstance(column, Numbers) and column.valid is None and column.kind != "float"
    return Target(codes, axis, 0 if complete else int(np.count_nonzero(codes < 0)))


def bad_label(row: int, label: object) -> DataError:
    """Return the error for a label that is not an integer, boolean or string."""
    return DataError(
        "class labels must be integers, booleans or strings",
        kind="bad_label",
        row=row,
        got=label,
        advice="Bin a real-valued target into classes, or convert it to strings.",
    )


def unknown_classes() -> DataError:
    """Return the error for a missing target."""
    return DataError(
        "the target is missing",
        kind="no_target",
        advice=lambda words: f"Give {words.option('target')}: an array, or the name of a column.",
    )


def labels_of(codes: IntArray, classes: Axis) -> npt.NDArray[Any]:
    """Return the label of each code, as an array of the type of the labels if they share one."""
    kinds = {type(label) for label in classes}
    names: npt.NDArray[Any] = np.empty(len(classes), dtype=object)
    names[:] = classes.labels
    if len(kinds) == 1 and kinds <= {str, bool}:
        names = np.array(classes.labels)
    elif kinds == {int} and all(-(2**63) <= label < 2**63 for label in cast("Sequence[int]", classes.labels)):
        names = np.array(classes.labels, dtype=np.int64)
    return names[codes]


def _target_column(target: Any) -> Column:
    if isinstance(target, Column):
        return target
    if isinstance(target, str):
        raise DataError(
            f"target={target!r} is a column name, but arrays have no column names. Give the class labels as an array."
        )
    if is_frame(target):
        raise DataError("target must be 1-D: got a frame. Give one of its columns.")
    if is_series(target):
        return column_of(target)
    values = _array_of_labels(target)
    if values.ndim != 1:
        raise DataError(
            f"target must have one label per row: got an array of shape {values.shape}. Use target.ravel()."
        )
    if values.dtype.kind in "Mm":  # its objects may be ints
        return Unread("time", str(values.dtype))
    return Numbers(values) if values.dtype.kind in "iubf" else Objects(values)


def _array_of_labels(target: Any) -> npt.NDArray[Any]:
    if isinstance(target, np.ma.MaskedArray):
        masked: Any = target  # pyright: ignore[reportUnknownVariableType]
        return np.array(masked.tolist(), dtype=object)
    if isinstance(target, np.ndarray):
        return cast("npt.NDArray[Any]", target)
    given: object = target
    if not isinstance(given, Iterable) or isinstance(given, (set, frozenset, Mapping)):  # sets have no order
        shown = reprlib.repr(cast("object", given))
        raise DataError(f"target must be an array with one label per row, or a column name: got {shown}.")
    values: list[Any] = list(cast("Iterable[Any]", target))
    kinds: set[Any] = {type(value) for value in values}
    plain = {int: np.int64, bool: np.bool_, float: np.float64}.get(kinds.pop()) if len(kinds) == 1 else None
    if plain is not None:
        with suppress(OverflowError):  # an int of more than 64 bits
            return np.array(values, dtype=plain)
    return np.fromiter(values, dtype=object, count=len(values))
