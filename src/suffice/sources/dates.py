"""Parts of dates as columns: ``when.hour``, ``when.weekday`` (0 is Monday) and ``when.month`` of a column ``when``.

A model with such a column computes it from the dates of later rows: the name identifies the part and the column.
Times are used as written; time zones are not converted.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from suffice.errors import DataError
from suffice.sources.coding import Coded
from suffice.sources.column import Column, Nothing, Numbers, Objects, Times, Unread
from suffice.statistics.arrays import IntArray

__all__ = ["PARTS", "base_of_part", "date_part", "parse_times"]

PARTS: Final[dict[str, Callable[[Times], IntArray]]] = {
    "hour": lambda times: times.astype("datetime64[h]").astype(np.int64) % 24,
    "weekday": lambda times: (times.astype("datetime64[D]").astype(np.int64) + 3) % 7,  # 1970-01-01 was a Thursday
    "month": lambda times: times.astype("datetime64[M]").astype(np.int64) % 12 + 1,
}
_WRITTEN = re.compile(
    r"(?:(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})|(?P<day_>\d{1,2})\.(?P<month_>\d{1,2})\.(?P<year_>\d{4}))?"
    r"(?:(?:^|[ T])(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::\d{2}(?:[.,]\d+)?)?"
    r" ?(?P<half>AM|PM|am|pm)?(?:Z|[+-]\d{2}:?\d{2})?)?"
)


def base_of_part(name: str | int) -> tuple[str, str] | None:
    """Return the column and the part that a name denotes; None if it is not a part of a date.

    Examples
    --------
    >>> base_of_part("when.hour"), base_of_part("age")
    (('when', 'hour'), None)
    """
    if not isinstance(name, str):
        return None
    base, dot, part = name.rpartition(".")
    return (base, part) if dot and base and part in PARTS else None


def date_part(column: Column, part: str) -> Column:
    """Return a part of the dates of a column, as integers; DataError if it contains something else.

    Examples
    --------
    >>> when = Objects(np.array([datetime.datetime(2026, 11, 16, 18, 30), None], dtype=object))
    >>> date_part(when, "hour").coded()
    Coded(codes=array([ 0, -1]), labels=[18])
    """
    if isinstance(column, Nothing):
        return column
    times = _column_times(column)
    known = ~np.isnat(times)
    values = PARTS[part](np.where(known, times, np.datetime64(0, "m")))
    return Numbers(values, None if known.all() else np.packbits(known, bitorder="little"))


def parse_times(coded: Coded) -> Times:
    """Return the times parsed from texts: 2026-11-16, 2026-11-16T18:30, 16.11.2026 18:30, 6:30 PM."""
    times = np.array([*(_parsed(label) for label in coded.labels), np.datetime64("NaT")], dtype="datetime64[m]")
    return times[coded.codes]


def _column_times(column: Column) -> Times:
    if isinstance(column, Unread) and column.times is not None:
        return column.times().astype("datetime64[m]")
    if isinstance(column, Objects) and column.kind == "time":
        return np.array([_numpy_time(value) for value in column.values.tolist()], dtype="datetime64[m]")
    if column.kind == "text":
        return parse_times(column.coded())
    held = column.type_ if isinstance(column, Unread) else column.kind
    raise DataError(f"must contain dates or times, but contains {held}", kind="not_a_date")


def _numpy_time(value: Any) -> Any:
    # datetime and date for NumPy, without a time zone; NaT if missing.
    if isinstance(value, datetime.datetime):
        return np.datetime64("NaT") if value != value else value.replace(tzinfo=None)
    if isinstance(value, datetime.time):
        return datetime.datetime(1970, 1, 1, value.hour, value.minute)
    if isinstance(value, (datetime.timedelta, np.timedelta64)):
        raise DataError("must contain dates or times, but contains durations", kind="not_a_date")
    given: Any = value
    return given if isinstance(value, (datetime.date, np.datetime64)) else np.datetime64("NaT")


def _parsed(label: Any) -> datetime.datetime:
    match = _WRITTEN.fullmatch(label.strip()) if isinstance(label, str) else None
    if match is not None and match[0]:
        cells = match.groupdict()
        year, month, day = (int(cells[name] or cells[f"{name}_"] or 0) for name in ("year", "month", "day"))
        hour = int(cells["hour"] or 0)
        if cells["half"]:
            hour = hour % 12 + 12 * (cells["half"].lower() == "pm")
        try:
            return datetime.datetime(year or 1970, month or 1, day or 1, hour, int(cells["minute"] or 0))
        except ValueError:
            pass
    raise DataError(
        "must be a date or time such as 2026-11-16, 2026-11-16 18:30 or 16.11.2026",
        kind="not_a_date",
        got=label,
        advice="Dates with slashes are ambiguous (day or month first): write the year first.",
    )
