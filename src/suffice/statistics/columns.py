"""Column names of a statistic: distinct strings or integers, in data order. Also formats counts with their noun."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError, MergeError
from suffice.statistics.label_bytes import labels_from_arrays, labels_to_arrays
from suffice.statistics.labels import NUMBER, TEXT

__all__ = ["Columns", "columns_from_arrays", "columns_of", "columns_to_arrays", "counted", "require_same_columns"]


Columns: TypeAlias = "tuple[str | int, ...]"


def columns_of(columns: int | Iterable[str | int]) -> Columns:
    """Return the column names as a tuple; an integer D means the columns 0, 1, …, D − 1."""
    if isinstance(columns, (int, np.integer)) and not isinstance(columns, bool) and columns >= 0:
        return _numbered(int(columns))
    if isinstance(columns, (str, bytes)) or not isinstance(columns, Iterable):
        raise DataError(f"columns must be a number ≥ 0 or a list of names: got {columns!r}.")
    names = tuple(columns)
    if not {type(name) for name in names} <= {str, int}:
        names = tuple(_name(name) for name in names)
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
        difference = f"only the left side has {_listed(only_mine)}, only the right side has {_listed(only_theirs)}"
    else:
        i = next(i for i, (left, right) in enumerate(zip(mine, theirs, strict=True)) if left != right)
        difference = f"the order differs from position {i} on: left {_listed(mine[i:])}, right {_listed(theirs[i:])}"
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


def _name(name: object) -> str | int:
    if isinstance(name, str):
        return str.__str__(name)
    if isinstance(name, (int, np.integer)) and not isinstance(name, bool):
        return int(cast("Any", name))
    raise DataError(
        f"a column name must be a string or an integer: got {name!r} ({type(name).__name__}). Rename the column."
    )


def _listed(names: Iterable[str | int]) -> str:
    listed = list(names)
    shown = [repr(name) for name in listed[:5]] + [f"... ({len(listed)} in all)"] * (len(listed) > 5)
    return "[" + ", ".join(shown) + "]"


@lru_cache(maxsize=64)
def _numbered(number: int) -> Columns:
    return tuple(range(number))


def counted(number: float, noun: str) -> str:
    """Return a number with its noun in singular or plural.

    Examples
    --------
    >>> counted(1, "row"), counted(1234, "row"), counted(0, "class"), counted(1.25, "row")
    ('1 row', '1,234 rows', '0 classes', '1.25 rows')
    """
    shown = f"{number:,.0f}" if number == int(number) else f"{number:,.4g}"
    if number == 1:
        return f"{shown} {noun}"
    return f"{shown} {noun}es" if noun.endswith("s") else f"{shown} {noun}s"
