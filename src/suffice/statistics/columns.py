"""The columns of a statistic: names (text or whole numbers), in the order of the data, each once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError, MergeError
from suffice.statistics.label_bytes import labels_from_arrays, labels_to_arrays
from suffice.statistics.labels import NUMBER, TEXT

__all__ = ["Columns", "columns_from_arrays", "columns_of", "columns_to_arrays", "require_same_columns"]

Columns: TypeAlias = "tuple[str | int, ...]"


def columns_of(columns: int | Iterable[str | int]) -> Columns:
    """Return the names as a tuple; a whole number D stands for 0, 1, …, D − 1."""
    if isinstance(columns, (int, np.integer)) and not isinstance(columns, bool) and columns >= 0:
        return _numbered(int(columns))
    if isinstance(columns, (str, bytes)) or not isinstance(columns, Iterable):
        raise DataError(f"columns must be a number ≥ 0 or a list of names: got {columns!r}.")
    names = tuple(columns)
    if not {type(name) for name in names} <= {str, int}:
        names = tuple(_name(name) for name in names)
    if len(set(names)) != len(names):
        seen: set[str | int] = set()
        twice = next(name for name in names if name in seen or seen.add(name))
        raise DataError(f"a column may appear once: {twice!r} appears more than once. Rename one of them.")
    return names


def require_same_columns(mine: Columns, theirs: Columns, doing: str) -> None:
    """Raise MergeError that says how the columns differ, unless they are the same in the same order."""
    if mine is theirs or mine == theirs:
        return
    left, right = set(mine), set(theirs)
    only_mine = [name for name in mine if name not in right]
    only_theirs = [name for name in theirs if name not in left]
    if only_mine or only_theirs:
        found = f"only the left side has {_listed(only_mine)}, only the right side has {_listed(only_theirs)}"
    else:
        at = next(i for i, (left, right) in enumerate(zip(mine, theirs, strict=True)) if left != right)
        found = f"the order differs from place {at} on: left {_listed(mine[at:])}, right {_listed(theirs[at:])}"
    raise MergeError(
        f"cannot {doing} statistics of different columns: {found}. "
        "Collect both with the same columns in the same order."
    )


def columns_to_arrays(columns: Columns, prefix: str) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays that spell the names (label_bytes.py)."""
    return labels_to_arrays(bytes(TEXT if isinstance(name, str) else NUMBER for name in columns), columns, prefix)


def columns_from_arrays(arrays: Mapping[str, npt.NDArray[Any]], prefix: str) -> Columns:
    """Return the names that `columns_to_arrays` spelled, or raise DataError."""
    return columns_of(tuple(labels_from_arrays(arrays, prefix)))  # pyright: ignore[reportArgumentType]


def _name(name: object) -> str | int:
    if isinstance(name, str):
        return str.__str__(name)
    if isinstance(name, (int, np.integer)) and not isinstance(name, bool):
        return int(cast("Any", name))
    raise DataError(
        f"a column's name must be text or a whole number: got {name!r} ({type(name).__name__}). Rename the column."
    )


def _listed(names: Iterable[str | int]) -> str:
    listed = list(names)
    shown = [repr(name) for name in listed[:5]] + [f"... ({len(listed)} in all)"] * (len(listed) > 5)
    return "[" + ", ".join(shown) + "]"


@lru_cache(maxsize=64)
def _numbered(number: int) -> Columns:
    return tuple(range(number))
