"""Files of typed columns, read by Polars: Parquet and Arrow IPC in batches of the columns in use, workbooks at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar, cast, final

from suffice.errors import DataError
from suffice.sources.column import require_names
from suffice.sources.files.paths import File
from suffice.sources.files.reader import (
    NOUNS,
    BadLines,
    Piece,
    Reader,
    polars_errors,
    polars_type,
    require_same_names,
    resolve_types,
    select_names,
)
from suffice.sources.files.source import Files, Type
from suffice.sources.files.stream import is_pipe, spool

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ColumnarReader", "WorkbookReader"]

_ROWS = 1 << 17  # rows per piece, for row groups of any length
_Answer = TypeVar("_Answer")


@final
class ColumnarReader(Reader):
    """Files of typed columns with the same names."""

    def __init__(self, files: list[File], said: Files, rows: int) -> None:
        self._format, self._rows = files[0].format, rows
        self._paths = [file.path for file in files]
        self._spooled: dict[str, str] = {}
        self.bad = BadLines(False)
        try:
            for path in filter(is_pipe, self._paths):
                self._spooled[path] = spool(path)
            self.names = tuple(self._schema(self._paths[0]))
            self.types = resolve_types(said.types, self.names)
            self._lengths = [self._length(path) for path in self._paths]
        except BaseException:
            self.close()
            raise

    def head(self) -> list[pl.DataFrame]:
        """Return the first rows."""
        frames: list[pl.DataFrame] = []
        left = self._rows
        for path, length in zip(self._paths, self._lengths, strict=True):
            if left <= 0 and frames:
                break
            self._require_names(path, self._schema(path))
            frame = self._read(path, lambda lazy: lazy.head(max(left, 0)).collect())  # noqa: B023
            frames.append(_cast_given_types(self.types, path, frame))
            left -= length
        return frames

    def pieces(self, columns: Collection[str | int]) -> Generator[Piece, None, None]:
        """Yield batches of every file."""
        wanted = [str(name) for name in self.names if name in columns]
        for path, length in zip(self._paths, self._lengths, strict=True):
            done = 0
            self._require_names(path, self._schema(path))
            batches = self._read(path, lambda lazy: iter(lazy.select(select_names(wanted)).collect_batches()))
            while (frame := self._next(path, batches)) is not None:
                for part in frame.iter_slices(_ROWS):
                    done += len(part)
                    yield Piece(_cast_given_types(self.types, path, part), path, done / max(1, length))
            if not done:  # an empty file still has columns
                nothing = self._read(path, lambda lazy: lazy.select(select_names(wanted)).head(0).collect())
                yield Piece(_cast_given_types(self.types, path, nothing), path, 1.0)

    def close(self) -> None:
        """Remove the copy of standard input."""
        for kept in self._spooled.values():
            Path(kept).unlink(missing_ok=True)

    def described(self) -> tuple[str, ...]:
        """Return the format."""
        return ({"parquet": "Parquet", "ipc": "Arrow IPC"}[self._format],)

    def _require_names(self, path: str, names: list[str]) -> None:
        require_same_names(path, names, self._paths[0], self.names)

    def _scan(self, path: str) -> pl.LazyFrame:
        import polars as pl

        kept = self._spooled.get(path, path)
        if self._format == "parquet":
            return pl.scan_parquet(kept, glob=False)
        # Polars maps a path into memory, and the process dies if the file is truncated meanwhile; a URL is read. For a
        # URL Polars needs a writable temporary directory.
        own = kept is not path or not os.access(_temporary_folder(), os.W_OK)
        return pl.scan_ipc(kept if own else Path(kept).resolve().as_uri(), glob=False)

    def _read(self, path: str, ask: Callable[[pl.LazyFrame], _Answer]) -> _Answer:
        try:
            return ask(self._scan(path))
        except polars_errors() as problem:
            raise self._broken(path, problem) from None

    def _next(self, path: str, batches: Iterator[pl.DataFrame]) -> pl.DataFrame | None:
        try:
            return next(batches, None)
        except polars_errors() as problem:
            raise self._broken(path, problem) from None

    def _broken(self, path: str, problem: BaseException) -> DataError:
        reason = (str(problem).splitlines() or [type(problem).__name__])[0]
        return DataError(f"cannot be read as {self.described()[0]}: {reason}", kind="broken_file", file=path)

    def _schema(self, path: str) -> list[str]:
        schema = self._read(path, lambda lazy: lazy.collect_schema())
        require_names(schema.items(), path)
        return schema.names()

    def _length(self, path: str) -> int:
        import polars as pl

        return self._read(path, lambda lazy: lazy.select(pl.len()).collect().item())


@final
class WorkbookReader(Reader):
    """The first sheets of workbooks, with the same names. Polars needs fastexcel or openpyxl to read them."""

    def __init__(self, files: list[File], said: Files, rows: int) -> None:
        self._rows = rows
        self.bad = BadLines(False)
        self._frames = {file.path: _read_workbook(file.path) for file in files}
        first = files[0].path
        self.names = tuple(self._frames[first].columns)
        self.types = resolve_types(said.types, self.names)
        for path, frame in self._frames.items():
            require_same_names(path, frame.columns, first, self.names)
            require_names(frame.schema.items(), path)
            self._frames[path] = _cast_given_types(self.types, path, frame)

    def head(self) -> list[pl.DataFrame]:
        """Return the first rows."""
        frames: list[pl.DataFrame] = []
        left = self._rows
        for frame in self._frames.values():
            frames.append(frame.head(max(left, 0)))
            left -= len(frame)
        return frames

    def pieces(self, columns: Collection[str | int]) -> Generator[Piece, None, None]:
        """Yield each sheet."""
        wanted = [str(name) for name in self.names if name in columns]
        for path, frame in self._frames.items():
            yield Piece(frame.select(select_names(wanted)), path, 1.0)

    def close(self) -> None:
        """Release the rows."""
        self._frames = {}

    def described(self) -> tuple[str, ...]:
        """Return the format."""
        return ("Excel, the first sheet",)


def _read_workbook(path: str) -> pl.DataFrame:
    import polars as pl

    engines = [("fastexcel", "calamine"), ("openpyxl", "openpyxl")]
    installed = [engine for module, engine in engines if find_spec(module) is not None]
    if not installed:
        raise DataError(
            "reading Excel files needs fastexcel or openpyxl",
            kind="not_installed",
            file=path,
            advice="Install one of them, or save the sheet as CSV.",
        )
    if is_pipe(path):
        raise DataError("a workbook cannot be read from a pipe. Save it in a file first.", file=path)
    try:
        engine = cast("Literal['calamine', 'openpyxl']", installed[0])
        return pl.read_excel(path, engine=engine, sheet_id=1, infer_schema_length=None)
    except Exception as problem:  # each engine has its own errors
        reason = (str(problem).splitlines() or [type(problem).__name__])[0]
        raise DataError(f"cannot be read as an Excel workbook: {reason}", kind="broken_file", file=path) from None


def _cast_given_types(types: Mapping[str | int, Type], path: str, frame: pl.DataFrame) -> pl.DataFrame:
    # The columns have types; those that a user gives take precedence.
    import polars as pl

    for name, kind in types.items():
        if name in frame.columns and kind != "time":
            try:
                frame = frame.with_columns(select_names([str(name)]).cast(polars_type(kind)))
            except pl.exceptions.PolarsError as problem:
                what = NOUNS.get(kind, kind)
                reason = f"cannot be read as {what}: {str(problem).splitlines()[0]}"
                raise DataError(reason, kind="wrong_type", file=path, column=name) from None
    return frame


def _temporary_folder() -> str:
    # The places where Polars looks.
    return os.environ.get("POLARS_TEMP_DIR") or os.environ.get("TMPDIR") or "/tmp"  # noqa: S108
