"""Profiles of columns: the facts from which likelihoods are inferred, computed in one call."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from suffice.errors import DataError
from suffice.sources.column import Column, Kind, Numbers, Objects, Unread
from suffice.sources.table import Table
from suffice.statistics.arrays import BoolArray
from suffice.statistics.axis import Columns

__all__ = ["FEW_VALUES", "Profile", "profile_columns"]

FEW_VALUES = 32
"""A column of integers with more distinct values than this is not categorical."""
_LOOKED_AT = 4096
_ENOUGH = 100


class Profile(NamedTuple):
    """Facts about the cells of a column. Facts about values exist for integers, text and mixed values.

    Floats that are all whole numbers have the kind "integer"; pandas stores integers with missing cells as floats, and
    files may have 1.0 for 1. A column without known values has the kind "nothing".
    """

    kind: Kind
    type_: str = ""
    """The name of the type, if the column cannot be used."""
    many: bool = False
    """Whether there were too many distinct integers to count."""
    known: int = 0
    """Number of known cells."""
    distinct: int = 0
    """Number of distinct values."""
    values: tuple[Any, ...] = ()
    """The first 4,096 of them."""
    rises: bool = False
    """Whether no integer is below the one before it."""
    span: float = 0
    """The largest integer minus the smallest."""


def profile_columns(table: Table, names: Columns) -> dict[str | int, Profile]:
    """Return the profile of each of these columns; a column that is not in the table has no known values."""
    there = set(table.names)
    return {name: _profile(table, name) if name in there else Profile("nothing") for name in names}


def _profile(table: Table, name: str | int) -> Profile:
    column = table.column(name)
    kind = column.kind
    if isinstance(column, Numbers) and not _known(column).any():
        return Profile("nothing")
    if kind == "integer" or (kind == "float" and _are_whole(column)):
        return _profile_of_integers(column, name)
    if kind in ("nested", "binary"):
        held = column.type_ if isinstance(column, Unread) else "bytes" if kind == "binary" else "lists or structs"
        return Profile(kind, held)
    if kind not in ("text", "mixed"):
        return Profile(kind)
    codes, labels = table.coded(name)
    return Profile(kind, "", False, int((codes >= 0).sum()), len(labels), tuple(labels[:_LOOKED_AT]))


def _profile_of_integers(column: Column, name: str | int) -> Profile:
    if _has_many(column):
        return Profile("integer", many=True)
    try:
        codes, labels = column.coded()
    except DataError as reason:  # an int beyond the range of floats
        raise reason.located(
            problem="the integer is too large for float64",
            column=name,
            advice=lambda words: f"Convert the column to text, or exclude it with {words.column(name, None)}.",
        ) from None
    known = codes[codes >= 0]
    if isinstance(column, Objects):  # its labels are not sorted
        order = sorted(range(len(labels)), key=labels.__getitem__)
        known, labels = np.argsort(order)[known], [labels[k] for k in order]
    rises = bool((np.diff(known) >= 0).all())
    span = labels[-1] - labels[0] if labels else 0
    return Profile("integer", "", False, len(known), len(labels), tuple(labels[:_LOOKED_AT]), rises, span)


def _known(column: Numbers) -> BoolArray:
    values = column.values
    known = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), dtype=np.bool_)
    if column.valid is not None:
        known &= np.unpackbits(column.valid, count=len(values), bitorder="little").view(np.bool_)
    return known


def _are_whole(column: Column) -> bool:
    numbers = column.numbers()
    values = numbers.values
    if numbers.valid is not None:
        values = values[_known(numbers)]
    for some in (values[:_LOOKED_AT], values):  # most columns of fractions have one early
        known = some[~np.isnan(some)]
        if not (np.isfinite(known) & (np.floor(known) == known)).all():
            return False
    return True


def _has_many(column: Column) -> bool:
    # Many distinct values at the start, and not sorted: sorting 100,000 values is unnecessary.
    if not isinstance(column, Numbers) or column.valid is not None:
        return False
    values = column.values
    some = values[:_LOOKED_AT]
    if len(np.unique(some)) <= FEW_VALUES:
        return False
    wide = some.astype(np.float64)
    return len(values) < _ENOUGH or bool((np.diff(wide) < 0).any() and wide.max() - wide.min() >= 2 * len(values))
