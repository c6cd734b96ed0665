"""What went on although something was odd, as one tree of warnings.

SufficeWarning
├── DroppedRowsWarning      rows without a class, or with a gap in columns that go together, were left out
├── ImpossibleRowsWarning   rows that no class can have produced got the class prior
├── LostPrecisionWarning    rows were taken out that were too large for the rest to be known exactly
├── MissingColumnsWarning   columns of the model are not in the data and count as missing
├── SkippedLinesWarning     lines of a file could not be read and were left out
└── UnseenLevelsWarning     many cells of a column have levels that the model has not seen
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Sequence

__all__ = [
    "DroppedRowsWarning",
    "ImpossibleRowsWarning",
    "LostPrecisionWarning",
    "MissingColumnsWarning",
    "SkippedLinesWarning",
    "SufficeWarning",
    "UnseenLevelsWarning",
    "notify",
    "renamed_columns",
    "skipped_lines",
]


class SufficeWarning(UserWarning):
    """The root: filter this to filter everything suffice warns of."""


class DroppedRowsWarning(SufficeWarning):
    """Rows were left out of a fit because their class is missing, or out of a block of columns because a cell is."""


class ImpossibleRowsWarning(SufficeWarning):
    """Rows have probability 0 under every class."""


class LostPrecisionWarning(SufficeWarning):
    """Rows were taken out whose values or weights are too large beside the others for the rest to be known."""


class MissingColumnsWarning(SufficeWarning):
    """Columns that the model knows are not in the data."""


class SkippedLinesWarning(SufficeWarning):
    """Lines of a file could not be read and were left out, as was asked for."""


class UnseenLevelsWarning(SufficeWarning):
    """Over a fifth of the known cells of a column have levels that the model has not seen."""


def notify(kind: type[SufficeWarning], message: str) -> None:
    """Warn the caller of the public function that was called: the first frame outside this package."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("suffice."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, kind, stacklevel=level)


def skipped_lines(number: int, first: str | None) -> None:
    """Warn of lines of files that were left out, where there were any."""
    if number:
        lines = "bad line was" if number == 1 else "bad lines were"
        notify(SkippedLinesWarning, f"{number} {lines} skipped, the first: {first}")


def renamed_columns(path: str, renamed: Sequence[tuple[str, str]]) -> None:
    """Warn of columns of a file that had the name of another one, where there are any."""
    if renamed:
        shown = ", ".join(f"{old!r} is now {new!r}" for old, new in renamed[:5]) + ", …" * (len(renamed) > 5)
        notify(
            SufficeWarning,
            f"{path} has columns of the same name: {shown}. Give each column a name of its own in the file.",
        )
