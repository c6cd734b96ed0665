"""Which files to read, and what is known of how they are written."""

from __future__ import annotations

import codecs
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, cast, final, get_args

from suffice.errors import ParameterError
from suffice.sources.dialect import Dialect

__all__ = ["Files", "Format", "Known", "Progress", "Type"]

Format: TypeAlias = Literal["csv", "ndjson", "parquet", "ipc", "texts"]
Type: TypeAlias = Literal["text", "integer", "float", "bool", "time"]
Known: TypeAlias = Literal["text", "integer", "float", "bool", "time", "number"]
"""What a model knows of a column; "number" is any type that is read as one, and float where the cells do not say."""

_FORMATS: tuple[str, ...] = get_args(Format)
_TYPES: tuple[str, ...] = get_args(Type)


class Progress(NamedTuple):
    """How far a pass over files has come.

    `share` is the part of the files that was read, None where nobody knows their size; `skipped` counts bad lines, and
    `described` says how the files are read, a line each.
    """

    rows: int
    share: float | None
    skipped: int
    described: tuple[str, ...]


@final
@dataclass(frozen=True, init=False)
class Files:
    r"""Files to fit on, predict or forget: wherever data is taken, a path or one of these may be given.

    What is not said is inferred from the first 100,000 rows (or 128 MiB of text) and holds for all the rest: the
    delimiter, whether there is a header, null markers, decimal commas, types. Fields are trimmed and blank lines
    skipped.

    Parameters
    ----------
    paths : path, glob, directory, "-" for standard input, or a sequence of those
        CSV, TSV, NDJSON, Parquet or Arrow IPC; text may be compressed by gzip, zstd, bzip2, xz or zip. Of a directory
        all files with an ending of those, sorted; where there is none, it is a folder of texts: each file in a folder
        of it is a document, with the columns "text", "path" and "folder", the class.
    format : "csv", "ndjson", "parquet", "ipc" or "texts", optional
        By default what the ending says, or else the first bytes; a named pipe is taken for CSV. "texts": every file is
        a document.
    delimiter : str of one character, optional
    header : bool, optional
        Whether the first line of each file holds names. Without one columns are known by their places, 0, 1, …
    quote : bool, optional
        Whether cells may stand in double quotes; by default they may.
    encoding : str, optional
        The name of a Python codec, for what is not UTF-8. A byte order mark at the start of a file goes before it.
        What is not of the encoding is an error in a table, and becomes U+FFFD in a text.
    null : str or sequence of str, optional
        What is written where a cell of delimited text is missing. An empty cell always is.
    types : mapping {name or place: "text", "integer", "float", "bool" or "time"}, optional
    skip_bad_lines : bool
        Leave out lines that cannot be read, and count them, instead of raising an error at the first.

    Examples
    --------
    >>> Files("day-*.csv", null="?", types={"zip": "text"})
    Files('day-*.csv', null=('?',), types={'zip': 'text'})
    """

    paths: tuple[str, ...]
    format: Format | None
    dialect: Dialect
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
                "delimiter must be one ASCII character, and neither a line end nor a quote",
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
        put = object.__setattr__
        put(self, "paths", _paths(paths))
        put(self, "format", format)
        put(self, "dialect", Dialect(delimiter, header, quote is not False, encoding, markers))
        put(self, "quote", quote)
        put(self, "types", dict(types or {}))
        put(self, "skip_bad_lines", bool(skip_bad_lines))

    @staticmethod
    def of(data: Any) -> Files | None:
        """Return the files that this means: a path or Files; None where it is something else."""
        if isinstance(data, Files):
            return data
        return Files(data) if isinstance(data, (str, os.PathLike)) else None

    def like(self, dialect: Dialect | None) -> Files:
        """Return the same files; what is not said of header, quotes, encoding and null markers is taken from there."""
        if dialect is None:
            return self
        mine = self.dialect
        return Files(
            self.paths,
            format=self.format,
            delimiter=mine.delimiter,
            header=dialect.header if mine.header is None else mine.header,
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
            "header": how.header,
            "quote": self.quote,
            "encoding": how.encoding,
            "null": how.null,
            "types": dict(self.types) or None,
            "skip_bad_lines": self.skip_bad_lines or None,
        }
        paths = self.paths[0] if len(self.paths) == 1 else list(self.paths)
        return f"Files({', '.join([repr(paths), *(f'{k}={v!r}' for k, v in said.items() if v is not None)])})"


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
        raise ParameterError("null must be text, or a list of texts", parameter="null", got=null)
    for marker in markers:
        if any("\ud800" <= sign <= "\udfff" for sign in marker):
            raise ParameterError("null must be text that UTF-8 can hold", parameter="null", got=marker)
    return markers


def _require_codec(encoding: str) -> None:
    try:
        text = codecs.lookup(encoding)._is_text_encoding  # pyright: ignore[reportPrivateUsage] # noqa: SLF001
    except (LookupError, TypeError, ValueError):
        text = False
    if not text:
        raise ParameterError(
            "encoding is not known",
            parameter="encoding",
            got=encoding,
            advice="Name one of Python's, such as 'latin-1', 'cp1252' or 'utf-16'.",
        )
