r"""The interface of the readers, one for each format, and how the types of text columns are inferred.

The type of a column of text is a function of its cells in the first 100,000 rows:

bool       all are true or false, in upper or lower case
integer    all are integers of at most 64 bits without leading zeros (01234 is a code, and stays text)
float      all are numbers, including nan and inf; with decimal commas if the delimiter is another character, no column
           has decimal points, and not every comma can be a thousands separator
time       all are dates or times such as 2026-11-15, 2026-11-15T13:43, 15/11/2026 or 13:43:40
text       anything else, or no known cell

NA, N/A, n/a, null, NULL, None, ?, -, ., \N and #N/A are null markers if nothing else keeps a column from being numbers;
they then mark missing cells in every column.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

from suffice.errors import DataError, Wording
from suffice.sources.files.source import Dialect
from suffice.statistics.axis import Columns

if TYPE_CHECKING:
    import polars as pl

    from suffice.sources.files.source import Type

__all__ = [
    "MARKERS",
    "NOUNS",
    "BadLines",
    "Piece",
    "Reader",
    "Usual",
    "comma_numbers",
    "markers_in",
    "polars_errors",
    "polars_type",
    "require_same_names",
    "resolve_types",
    "select_names",
    "shorten",
    "type_of",
]


_MOST = 80


@final
class BadLines:
    """Raises an error for the first bad line, or skips and counts them."""

    def __init__(self, skip: bool) -> None:
        self._skip = skip
        self._lock = threading.Lock()  # blocks are cut in one thread and parsed in another
        self.count = 0
        self.first: DataError | None = None
        self._first_at = (0, 0)

    def meet(self, count: int, error: DataError, file: int = 0) -> None:
        """Count bad lines, given the error of the first, or raise it if bad lines are not skipped.

        `file` is the number of the file. Lines are not processed in order, so the earliest error is kept.
        """
        if not self._skip:
            raise error.located(
                advice=lambda words: " ".join(filter(None, (error.advised(words), _fix_or_skip(words))))
            )
        with self._lock:
            self.count += count
            at = file, error.line or 0
            if self.first is None or at < self._first_at:
                self.first, self._first_at = error, at


def _fix_or_skip(words: Wording) -> str:
    return f"Fix it, or skip bad lines with {words.option('skip_bad_lines', True)}."


def shorten(what: bytes | str | Iterable[str | int]) -> str:
    """Return a text or a list of names for a message, shortened if it is long."""
    if isinstance(what, bytes):
        what = what.decode("utf-8", "replace")
    if isinstance(what, str):
        return repr(what if len(what) <= _MOST else f"{what[:_MOST]}…")
    names = list(what)
    return ", ".join(map(repr, names[:8])) + ", …" * (len(names) > 8)


def require_same_names(path: str, names: Collection[str | int], first: str, expected: Collection[str | int]) -> None:
    """Raise DataError naming the columns that differ, unless a file has the columns of the first file."""
    there, wanted = set(names), set(expected)
    if there == wanted:
        return
    only = [
        (first, [name for name in expected if name not in there]),
        (path, [name for name in names if name not in wanted]),
    ]
    found = "; ".join(f"only {which} has {shorten(some)}" for which, some in only if some)
    raise DataError(f"files must have the same columns: {found}. Rename the columns, or fit the files separately.")


def polars_errors() -> tuple[type[BaseException], ...]:
    """Return the exceptions of Polars for unreadable files: errors, and panics, which are not Exceptions."""
    import polars as pl

    return pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError


class Usual(NamedTuple):
    """The delimiter of earlier files, and a check whether the cells of a first line, header or not, fit such a file."""

    delimiter: str
    fits: Callable[[list[str], bool], bool]


def select_names(names: Collection[str]) -> pl.Expr:
    """Select columns by exact name; as plain text, Polars would read "*" and "^…$" as patterns."""
    from polars.selectors import by_name

    return by_name(*names)


@final
@dataclass(frozen=True, slots=True)
class Piece:
    """Some rows of one file: a frame whose column names are those of the reader as text ("0", "1", … without names)."""

    frame: pl.DataFrame
    path: str
    share: float | None


class Reader(ABC):
    """Reads files of one format."""

    names: Columns
    """Every column, in the order of the first file."""
    renamed: tuple[tuple[str, str], ...] = ()
    """(name in the header, name of the column) for columns whose header is empty or a duplicate."""
    types: dict[str | int, Type]
    """The types of columns that are parsed from text or given by the user."""
    bad: BadLines
    """The lines that were skipped."""
    target: str | None = None
    """The class column, if the files define it (folders of texts)."""
    texts: Columns = ()
    """Columns that are documents, of any length."""
    beside: Columns = ()
    """Columns that identify the source of a row and are not features."""

    @property
    def dialect(self) -> Dialect | None:
        """The dialect of the files, if they are delimited text."""
        return None

    @abstractmethod
    def head(self) -> list[pl.DataFrame]:
        """Return the first rows of all columns; `pieces` yields them again."""

    @abstractmethod
    def pieces(self, columns: Collection[str | int]) -> Generator[Piece, None, None]:
        """Yield all rows of these columns, once."""

    @abstractmethod
    def close(self) -> None:
        """Close all files and end all threads; may be called again."""

    @abstractmethod
    def described(self) -> tuple[str, ...]:
        """Return how the files are parsed, one line each."""


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
    """Return the type of a column of text cells; nulls are missing cells."""
    import polars as pl

    known = cells.alias("").drop_nulls()  # Polars reads a series name such as "^…$" as a pattern
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
    """Return the text columns that are numbers with decimal commas."""
    if "float" in types.values():  # with decimal points
        return []
    found: list[str | int] = []
    for name, kind in types.items():
        known = cells[str(name)].alias("").drop_nulls()
        if kind == "text" and len(known) and known.str.contains(_WITH_COMMA).all() and known.str.contains(",").any():
            found.append(name)
    sure = any(cells[str(name)].alias("").str.contains(_NO_THOUSANDS).any() for name in found)
    return found if sure else []


def markers_in(cells: pl.Series) -> set[str]:
    """Return the null markers of a text column that is numbers apart from them."""
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
    """Return the Polars type; times are read as text."""
    import polars as pl

    return {"integer": pl.Int64, "float": pl.Float64, "bool": pl.Boolean}.get(kind, pl.String)


def resolve_types(said: Mapping[str | int, Type], names: Columns) -> dict[str | int, Type]:
    """Return the types that a user gave, by column name; a position may be given instead, −1 for the last."""
    return {_resolve_name(given, names): kind for given, kind in said.items()}


def _resolve_name(given: str | int, names: Columns) -> str | int:
    if given in names:
        return given
    if isinstance(given, int) and -len(names) <= given < len(names):
        return names[given]
    from difflib import get_close_matches

    close = get_close_matches(str(given), map(str, names), n=1)
    raise DataError(
        f"a type is given for column {given!r}, which is not in the data. "
        + (f"Did you mean {close[0]!r}?" if close else f"The columns are {shorten(names)}.")
    )
