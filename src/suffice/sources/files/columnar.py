"""Parquet and Arrow IPC: batches of columns from Polars' streaming reader, only those that are asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, final

from suffice.errors import DataError
from suffice.sources.arrow_column import require_names
from suffice.sources.files.bad_lines import BadLines
from suffice.sources.files.paths import File
from suffice.sources.files.reader import Piece, Reader, exactly, failures, require_same_names
from suffice.sources.files.source import Files
from suffice.sources.files.stream import is_pipe, spooled
from suffice.sources.files.types import NOUNS, polars_type, said_types

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ColumnarReader"]

_ROWS = 1 << 17  # at most so many at a time, however long the row groups are
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
                self._spooled[path] = spooled(path)
            self.names = tuple(self._schema(self._paths[0]))
            self.types = said_types(said.types, self.names)
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
            frames.append(self._typed(path, frame))
            left -= length
        return frames

    def pieces(self, columns: Collection[str | int]) -> Generator[Piece, None, None]:
        """Yield batches of every file."""
        wanted = [str(name) for name in self.names if name in columns]
        for path, length in zip(self._paths, self._lengths, strict=True):
            done = 0
            self._require_names(path, self._schema(path))
            batches = self._read(path, lambda lazy: iter(lazy.select(exactly(wanted)).collect_batches()))
            while (frame := self._next(path, batches)) is not None:
                for part in frame.iter_slices(_ROWS):
                    done += len(part)
                    yield Piece(self._typed(path, part), path, done / max(1, length))
            if not done:  # its columns are there all the same
                nothing = self._read(path, lambda lazy: lazy.select(exactly(wanted)).head(0).collect())
                yield Piece(self._typed(path, nothing), path, 1.0)

    def close(self) -> None:
        """Remove what was kept of standard input."""
        for kept in self._spooled.values():
            Path(kept).unlink(missing_ok=True)

    def described(self) -> tuple[str, ...]:
        """Say what is read."""
        return ({"parquet": "Parquet", "ipc": "Arrow IPC"}[self._format],)

    def _require_names(self, path: str, names: list[str]) -> None:
        require_same_names(path, names, self._paths[0], self.names)

    def _typed(self, path: str, frame: pl.DataFrame) -> pl.DataFrame:
        # The columns know their types; a user may know better.
        import polars as pl

        for name, kind in self.types.items():
            if name in frame.columns and kind != "time":
                try:
                    frame = frame.with_columns(exactly([str(name)]).cast(polars_type(kind)))
                except pl.exceptions.PolarsError as problem:
                    what = NOUNS.get(kind, kind)
                    reason = f"cannot be read as {what}: {str(problem).splitlines()[0]}"
                    raise DataError(reason, kind="wrong_type", file=path, column=name) from None
        return frame

    def _scan(self, path: str) -> pl.LazyFrame:
        import polars as pl

        kept = self._spooled.get(path, path)
        if self._format == "parquet":
            return pl.scan_parquet(kept, glob=False)
        # A path is mapped into memory, and the process dies if somebody else makes the file shorter; a URL is read. For
        # a URL Polars wants a folder of its own among temporary files.
        own = kept is not path or not os.access(_temporary(), os.W_OK)
        return pl.scan_ipc(kept if own else Path(kept).resolve().as_uri(), glob=False)

    def _read(self, path: str, ask: Callable[[pl.LazyFrame], _Answer]) -> _Answer:
        try:
            return ask(self._scan(path))
        except failures() as problem:
            raise self._broken(path, problem) from None

    def _next(self, path: str, batches: Iterator[pl.DataFrame]) -> pl.DataFrame | None:
        try:
            return next(batches, None)
        except failures() as problem:
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


def _temporary() -> str:
    # Where Polars looks; Python looks at more places.
    return os.environ.get("POLARS_TEMP_DIR") or os.environ.get("TMPDIR") or "/tmp"  # noqa: S108
