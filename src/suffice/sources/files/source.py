"""Input files and their parsing options, which a user gives and a model stores."""

from __future__ import annotations

import codecs
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, cast, final, get_args

from suffice.errors import ParameterError

__all__ = ["Dialect", "Files", "Format", "Known", "Progress", "Type"]


@final
@dataclass(frozen=True, slots=True)
class Dialect:
    r"""The dialect of delimited text. None means not given: inferred from the file.

    Parameters
    ----------
    delimiter : str of one character, optional
        Field delimiter.
    header : bool, optional
        Whether the first line contains the column names. Without a header, columns are named 0, 1, …
    quote : bool
        Whether fields may be enclosed in double quotes, inside which delimiters and line ends are text.
    encoding : str, optional
        Name of a Python codec.
    null : tuple of str, optional
        Strings that mark a missing cell, in addition to empty cells.

    Examples
    --------
    >>> Dialect(delimiter="\t", quote=False).header is None
    True
    """

    delimiter: str | None = None
    header: bool | None = None
    quote: bool = True
    encoding: str | None = None
    null: tuple[str, ...] | None = None


Format: TypeAlias = Literal["csv", "ndjson", "parquet", "ipc", "excel", "texts"]
Type: TypeAlias = Literal["text", "integer", "float", "bool", "time"]
Known: TypeAlias = Literal["text", "integer", "float", "bool", "time", "number"]
"""The column type that a model expects; "number" accepts integers and floats."""

_FORMATS: tuple[str, ...] = get_args(Format)
_TYPES: tuple[str, ...] = get_args(Type)


class Progress(NamedTuple):
    """Progress of reading files.

    `share` is the fraction of the files that has been read, None if their size is unknown; `skipped` is the number of
    bad lines; `described` lists how the files are parsed, one line each; `seconds` is the time since they were opened.
    """

    rows: int
    share: float | None
    skipped: int
    described: tuple[str, ...]
    seconds: float


@final
@dataclass(frozen=True, init=False)
class Files:
    r"""Input files with parsing options. Accepted, like a path, wherever data is accepted.

    Options that are not given are inferred from the first 100,000 rows (or 128 MiB of text) and apply to all rows:
    delimiter, header, null markers, decimal commas, types. Fields are trimmed and blank lines are skipped.

    Parameters
    ----------
    paths : path, glob, directory, "-" for standard input, or a sequence of those
        CSV, TSV, NDJSON, JSON (an array of objects), Parquet, Arrow IPC, or the first sheet of an Excel workbook (if
        fastexcel or openpyxl is installed); text may be compressed with gzip, zstd, bzip2, xz or zip. A directory
        stands for all files in it with one of these extensions, sorted. If there are none, each file in a subdirectory
        is read as a document, with the columns "text", "path" and "folder" (the class).
    format : "csv", "ndjson", "parquet", "ipc", "excel" or "texts", optional
        Default: inferred from the file extension or the first bytes; named pipes are read as CSV. "texts" reads each
        file as a document.
    delimiter : str of one character, optional
    header : bool, optional
        Whether the first line of each file contains column names. Without a header, columns are named 0, 1, …
    names : sequence of str, optional
        Names of the columns of delimited files without a header, in the order of the file.
    quote : bool, optional
        Whether fields may be enclosed in double quotes. Default: True.
    encoding : str, optional
        Name of a Python codec. Default: UTF-8. A byte order mark takes precedence. Undecodable bytes raise an error in
        tables and are replaced by U+FFFD in documents.
    null : str or sequence of str, optional
        Strings that mark a missing cell in delimited text, in addition to empty cells.
    types : mapping {name or position: "text", "integer", "float", "bool" or "time"}, optional
    skip_bad_lines : bool
        Skip lines that cannot be parsed and report their number, instead of raising an error.

    Examples
    --------
    >>> Files("day-*.csv", null="?", types={"zip": "text"})
    Files('day-*.csv', null=('?',), types={'zip': 'text'})
    """

    paths: tuple[str, ...]
    format: Format | None
    dialect: Dialect
    names: tuple[str, ...] | None
    quote: bool | None
    types: Mapping[str | int, Type]
    skip_bad_lines: bool

    def __init__(
        self,
        paths: Any,
        *,
        format: str | None = None,  # noqa: A002  the word that users look for
        delimiter: str | None = None,
        header: bool | None = None,
        names: Sequence[str] | None = None,
        quote: bool | None = None,
        encoding: str | None = None,
        null: str | Sequence[str] | None = None,
        types: Mapping[Any, str] | None = None,
        skip_bad_lines: bool = False,
    ) -> None:
        if format is not None and format not in _FORMATS:
            raise ParameterError(f"format must be one of {', '.join(_FORMATS)}", parameter="format", got=format)
        if delimiter is not None and (
            not isinstance(delimiter, str)  # pyright: ignore[reportUnnecessaryIsInstance]
            or len(delimiter.encode("utf-8", "replace")) != 1
            or delimiter in '\n\r"'
        ):
            raise ParameterError(
                "delimiter must be one ASCII character other than a line end or a quote",
                parameter="delimiter",
                got=delimiter,
            )
        if encoding is not None:
            _require_codec(encoding)
        markers = _markers(null)
        for name, kind in (types or {}).items():
            if kind not in _TYPES:
                raise ParameterError(
                    f"types must be one of {', '.join(_TYPES)}", parameter="types", column=name, got=kind
                )
        if names is not None:
            _require_names(names, header, format)
            header = False
        put = object.__setattr__
        put(self, "paths", _paths(paths))
        put(self, "format", format)
        put(self, "dialect", Dialect(delimiter, header, quote is not False, encoding, markers))
        put(self, "names", None if names is None else tuple(names))
        put(self, "quote", quote)
        put(self, "types", dict(types or {}))
        put(self, "skip_bad_lines", bool(skip_bad_lines))

    @staticmethod
    def of(data: Any) -> Files | None:
        """Return Files for a path or Files; None for any other data."""
        if isinstance(data, Files):
            return data
        return Files(data) if isinstance(data, (str, os.PathLike)) else None

    def like(self, dialect: Dialect | None) -> Files:
        """Return these files; unset header, quote, encoding and null options are taken from a dialect."""
        if dialect is None:
            return self
        mine = self.dialect
        return Files(
            self.paths,
            format=self.format,
            delimiter=mine.delimiter,
            header=None if self.names is not None else dialect.header if mine.header is None else mine.header,
            names=self.names,
            quote=dialect.quote if self.quote is None else self.quote,
            encoding=dialect.encoding if mine.encoding is None else mine.encoding,
            null=dialect.null if mine.null is None else mine.null,
            types=self.types,
            skip_bad_lines=self.skip_bad_lines,
        )

    def __repr__(self) -> str:
        how = self.dialect
        said: dict[str, Any] = {
            "format": self.format,
            "delimiter": how.delimiter,
            "header": how.header if self.names is None else None,
            "names": self.names,
            "quote": self.quote,
            "encoding": how.encoding,
            "null": how.null,
            "types": dict(self.types) or None,
            "skip_bad_lines": self.skip_bad_lines or None,
        }
        paths = self.paths[0] if len(self.paths) == 1 else list(self.paths)
        return f"Files({', '.join([repr(paths), *(f'{k}={v!r}' for k, v in said.items() if v is not None)])})"


def _require_names(names: Sequence[str], header: bool | None, format: str | None) -> None:  # noqa: A002
    if header:
        raise ParameterError(
            "names apply only to files without a header",
            parameter="names",
            advice=lambda words: f"Omit {words.option('names')} or {words.option('header')}.",
        )
    if format not in (None, "csv"):
        raise ParameterError(f"names apply only to delimited text: the format is {format}", parameter="names")
    if isinstance(names, str) or not all(isinstance(name, str) and name for name in names):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ParameterError("names must be one string per column", parameter="names", got=names)
    if len(set(names)) < len(names):
        raise ParameterError("names must be distinct", parameter="names", got=list(names))


def _paths(paths: Any) -> tuple[str, ...]:
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    try:
        found: tuple[Any, ...] = tuple(map(os.fspath, cast("Sequence[Any]", paths)))
    except TypeError:
        raise _not_paths(paths) from None
    if not found or not all(isinstance(path, str) and path for path in found):
        raise _not_paths(paths)
    return found


def _not_paths(paths: object) -> ParameterError:
    return ParameterError("paths must be a path, a glob or a list of those", parameter="paths", got=paths)


def _markers(null: Any) -> tuple[str, ...] | None:
    if null is None:
        return None
    try:
        markers: tuple[Any, ...] = (null,) if isinstance(null, str) else tuple(null)
    except TypeError:
        markers = (null,)
    if not all(isinstance(marker, str) for marker in markers):
        raise ParameterError("null must be a string or a list of strings", parameter="null", got=null)
    for marker in markers:
        if any("\ud800" <= sign <= "\udfff" for sign in marker):
            raise ParameterError("null must be encodable as UTF-8", parameter="null", got=marker)
    return markers


def _require_codec(encoding: str) -> None:
    try:
        text = codecs.lookup(encoding)._is_text_encoding  # pyright: ignore[reportPrivateUsage] # noqa: SLF001
    except (LookupError, TypeError, ValueError):
        text = False
    if not text:
        raise ParameterError(
            "unknown encoding",
            parameter="encoding",
            got=encoding,
            advice="Use a Python codec name such as 'latin-1', 'cp1252' or 'utf-16'.",
        )
