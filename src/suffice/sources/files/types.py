r"""What a column of text cells is, when nobody says: one function of its cells in the first 100,000 rows.

bool       each is true or false, in any case
integer    each is a whole number of at most 64 bits, without leading zeros (01234 is a code, and stays text)
float      each is a number, nan and inf included; with commas for points where another character delimits, no column
           has points, and not every comma can be one of thousands
time       each is a date or time such as 2026-11-15, 2026-11-15T13:43, 15/11/2026 or 13:43:40
text       anything else, and nothing at all

A null marker is one of NA, N/A, n/a, null, NULL, None, ?, -, ., \N, #N/A that is all that keeps a column from being
numbers; it then stands for a missing cell in every column.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from suffice.errors import DataError
from suffice.sources.files.bad_lines import shown
from suffice.statistics.columns import Columns

if TYPE_CHECKING:
    import polars as pl

    from suffice.sources.files.source import Type

__all__ = ["MARKERS", "NOUNS", "comma_numbers", "markers_in", "polars_type", "said_types", "type_of"]

NOUNS: dict[Type, str] = {"integer": "whole numbers", "float": "numbers", "bool": "true or false"}

MARKERS = ("NA", "N/A", "n/a", "null", "NULL", "None", "?", "-", ".", "\\N", "#N/A")
_PADDED = r"^[+-]?0\d"
_WHOLE = r"^[+-]?\d+$"
_WITH_COMMA = r"^[+-]?\d+(,\d+)?([eE][+-]?\d+)?$"
_NO_THOUSANDS = r"^[+-]?(0,|\d{4,},|\d+,\d{1,2}(\D|$)|\d+,\d{4,})"
_DAY = r"(\d{4}-\d{1,2}-\d{1,2}|\d{4}/\d{1,2}/\d{1,2}|\d{1,2}[/.]\d{1,2}[/.]\d{4})"
_CLOCK = r"\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?"
_TIME = rf"^({_DAY}([ T]{_CLOCK} ?(Z|[+-]\d{{2}}:?\d{{2}}|AM|PM|am|pm)?)?|{_CLOCK})$"


def type_of(cells: pl.Series) -> Type:
    """Return the type of a column of text cells, null where they are missing."""
    import polars as pl

    known = cells.alias("").drop_nulls()  # the methods of a series take a name "^…$" for a pattern
    if not len(known):
        return "text"
    first = known[0]
    if first[:1].lower() in ("t", "f") and known.str.to_lowercase().is_in(["true", "false"]).all():
        return "bool"
    if known.cast(pl.Float64, strict=False).null_count():
        return "time" if first[:1].isdigit() and known.str.contains(_TIME).all() else "text"
    if known.str.contains(_PADDED).any() and known.str.contains(_WHOLE).all():
        return "text"
    if not known.cast(pl.Int64, strict=False).null_count():
        return "integer"
    return "text" if known.str.contains(_WHOLE).all() else "float"


def comma_numbers(cells: pl.DataFrame, types: Mapping[Any, Type]) -> list[str | int]:
    """Return which of these columns of text are numbers with decimal commas."""
    if "float" in types.values():  # with points
        return []
    found: list[str | int] = []
    for name, kind in types.items():
        known = cells[str(name)].alias("").drop_nulls()
        if kind == "text" and len(known) and known.str.contains(_WITH_COMMA).all() and known.str.contains(",").any():
            found.append(name)
    sure = any(cells[str(name)].alias("").str.contains(_NO_THOUSANDS).any() for name in found)
    return found if sure else []


def markers_in(cells: pl.Series) -> set[str]:
    """Return the null markers that are all that keeps this column of text cells from being numbers."""
    import polars as pl

    known = cells.alias("").drop_nulls()
    numbers = known.cast(pl.Float64, strict=False)
    if not numbers.null_count():
        return set()
    odd = known.filter(numbers.is_null()).unique()
    if len(odd) > len(MARKERS) or len(odd) == known.n_unique():
        return set()
    found: set[str] = set(odd.to_list())
    return found if found <= set(MARKERS) else set()


def polars_type(kind: Type) -> Any:
    """Return what Polars calls the type; times are read as text, and left out later."""
    import polars as pl

    return {"integer": pl.Int64, "float": pl.Float64, "bool": pl.Boolean}.get(kind, pl.String)


def said_types(said: Mapping[str | int, Type], names: Columns) -> dict[str | int, Type]:
    """Return what a user says of columns, each by its name; a place may be given instead, −1 for the last one."""
    return {_name(given, names): kind for given, kind in said.items()}


def _name(given: str | int, names: Columns) -> str | int:
    if given in names:
        return given
    if isinstance(given, int) and -len(names) <= given < len(names):
        return names[given]
    from difflib import get_close_matches

    close = get_close_matches(str(given), map(str, names), n=1)
    raise DataError(
        f"types names a column {given!r} that is not in the data. "
        + (f"Did you mean {close[0]!r}?" if close else f"The columns are {shown(names)}.")
    )
