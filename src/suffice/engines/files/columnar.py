"""Parquet and Arrow IPC: batches of columns from Polars' streaming reader, only those that are asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, final

from suffice.engines.files.bad_lines import BadLines, shown
from suffice.engines.files.paths import File
from suffice.engines.files.reader import Piece, Reader
from suffice.engines.files.stream import STANDARD_INPUT, spooled
from suffice.errors import DataError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ColumnarReader"]

_ROWS = 1 << 17
_Answer = TypeVar("_Answer")


@final
class ColumnarReader(Reader):
    """Files of typed columns with the same names."""

    def __init__(self, files: list[File], rows: int) -> None:
        self._spooled = [spooled(file.path) for file in files if file.path == STANDARD_INPUT]
        self._paths = [self._spooled[0] if file.path == STANDARD_INPUT else file.path for file in files]
        self._format, self._rows = files[0].format, rows
        self.names = tuple(self._schema(self._paths[0]))
        self.types, self.bad = {}, BadLines(False)
        self._lengths = [self._length(path) for path in self._paths]

    def head(self) -> list[pl.DataFrame]:
        """Return the first rows."""
        frames: list[pl.DataFrame] = []
        left = self._rows
        for path, length in zip(self._paths, self._lengths, strict=True):
            if left <= 0 and frames:
                break
            frames.append(self._read(path, lambda lazy: lazy.head(max(left, 0)).collect()))  # noqa: B023
            left -= length
        return frames

    def pieces(self, columns: Collection[str | int]) -> Generator[Piece, None, None]:
        """Yield batches of every file."""
        wanted = [name for name in self.names if name in columns]
        try:
            for path, length in zip(self._paths, self._lengths, strict=True):
                done = 0
                if set(self._schema(path)) != set(self.names):
                    raise DataError(
                        f"files must have the same columns: {self._paths[0]} has {shown(self.names)}; {path} has "
                        f"{shown(self._schema(path))}. Rename them, or fit them apart."
                    )
                batches = self._read(path, lambda lazy: iter(lazy.select(wanted).collect_batches(chunk_size=_ROWS)))
                while (frame := self._next(path, batches)) is not None:
                    done += len(frame)
                    yield Piece(frame, path, done / max(1, length))
        finally:
            for path in self._spooled:
                Path(path).unlink(missing_ok=True)

    def described(self) -> tuple[str, ...]:
        """Say what is read."""
        return ({"parquet": "Parquet", "ipc": "Arrow IPC"}[self._format],)

    def _scan(self, path: str) -> pl.LazyFrame:
        import polars as pl

        return pl.scan_parquet(path, glob=False) if self._format == "parquet" else pl.scan_ipc(path, glob=False)

    def _read(self, path: str, ask: Callable[[pl.LazyFrame], _Answer]) -> _Answer:
        import polars as pl

        try:
            return ask(self._scan(path))
        except (pl.exceptions.PolarsError, OSError) as problem:
            raise self._broken(path, problem) from None

    def _next(self, path: str, batches: Iterator[pl.DataFrame]) -> pl.DataFrame | None:
        import polars as pl

        try:
            return next(batches, None)
        except (pl.exceptions.PolarsError, OSError) as problem:
            raise self._broken(path, problem) from None

    def _broken(self, path: str, problem: Exception) -> DataError:
        return DataError(f"{path} cannot be read as {self.described()[0]}: {str(problem).splitlines()[0]}")

    def _schema(self, path: str) -> list[str]:
        return self._read(path, lambda lazy: lazy.collect_schema().names())

    def _length(self, path: str) -> int:
        import polars as pl

        return self._read(path, lambda lazy: lazy.select(pl.len()).collect().item())
