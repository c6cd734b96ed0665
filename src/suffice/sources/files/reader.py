"""What reads files of one format: names and types of the columns, then frames in order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, final

from suffice.errors import DataError
from suffice.sources.dialect import Dialect
from suffice.sources.files.bad_lines import BadLines, shown
from suffice.statistics.columns import Columns

if TYPE_CHECKING:
    import polars as pl

    from suffice.sources.files.source import Type

__all__ = ["Piece", "Reader", "Usual", "exactly", "failures", "require_same_names"]


def require_same_names(path: str, names: Collection[str | int], first: str, expected: Collection[str | int]) -> None:
    """Raise DataError that says which columns differ, unless a file has those of the first file."""
    there, wanted = set(names), set(expected)
    if there == wanted:
        return
    only = [
        (first, [name for name in expected if name not in there]),
        (path, [name for name in names if name not in wanted]),
    ]
    found = "; ".join(f"only {which} has {shown(some)}" for which, some in only if some)
    raise DataError(f"files must have the same columns: {found}. Rename them, or fit them apart.")


def failures() -> tuple[type[BaseException], ...]:
    """Return what Polars raises where it cannot read a file: errors, and panics, which are no Exception."""
    import polars as pl

    return pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError


class Usual(NamedTuple):
    """The delimiter of earlier files, and whether the cells of a first line, a header or not, may be of such a file."""

    delimiter: str
    fits: Callable[[list[str], bool], bool]


def exactly(names: Collection[str]) -> pl.Expr:
    """Return the columns of these names; Polars takes "*" and "^…$" for patterns where it is given them as text."""
    from polars.selectors import by_name

    return by_name(*names)


@final
@dataclass(frozen=True, slots=True)
class Piece:
    """Some rows of one file: a frame whose columns have the names of the reader as text, "0", "1", … without names."""

    frame: pl.DataFrame
    path: str
    share: float | None


class Reader(ABC):
    """Files of one format."""

    names: Columns
    """Every column, in the order of the first file."""
    renamed: tuple[tuple[str, str], ...] = ()
    """Names of the header that are missing or not the first of their kind, each with the one that its column has."""
    types: dict[str | int, Type]
    """What the columns are read as, where text has to be read as something."""
    bad: BadLines
    """Lines that were left out."""
    target: str | None = None
    """The column that is the class, where the files themselves say so."""
    texts: Columns = ()
    """Columns that are documents, however many or short they are."""
    beside: Columns = ()
    """Columns that say where a row comes from, and are none of its data."""

    @property
    def dialect(self) -> Dialect | None:
        """How the files are written, where they are delimited text."""
        return None

    @abstractmethod
    def head(self) -> list[pl.DataFrame]:
        """Return the first rows, of all columns; `pieces` gives them again."""

    @abstractmethod
    def pieces(self, columns: Collection[str | int]) -> Generator[Piece, None, None]:
        """Yield every row from the first on, of these columns; once."""

    @abstractmethod
    def close(self) -> None:
        """Leave no file open and no thread running; nothing can be read after that, and it may be called again."""

    @abstractmethod
    def described(self) -> tuple[str, ...]:
        """Say how the files are read, a line each."""
