"""The rows of files as tables, a batch at a time and in order.

After a fork the threads of Polars do not exist in the child, so that waiting for them would never end
(`require_threads`). Only the parent knows whether they run, so it is recorded before each fork. If Polars was imported
but not used, it has no threads, and a child may read files.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, final

from suffice.errors import DataError, ParameterError
from suffice.machine import prefetch
from suffice.sources.column import Column, Unread
from suffice.sources.dates import parse_times
from suffice.sources.files.paths import files_of
from suffice.sources.files.reader import Piece, Reader, Usual, select_names, shorten
from suffice.sources.files.source import Dialect, Files, Known, Progress, Type
from suffice.sources.in_memory import column_of
from suffice.sources.table import Frame
from suffice.sources.target import parse_conditions
from suffice.statistics.arrays import IntArray
from suffice.statistics.axis import Columns

if TYPE_CHECKING:
    import polars as pl
import os
import re
import sys

from suffice.errors import SufficeError

__all__ = ["Batches", "FileBatch", "concat_frames", "find_column", "require_threads"]

_CELLS = 3 << 20
_SAMPLE = 1 << 10
_BYTES = 1 << 26  # a batch of long texts has fewer cells


@final
@dataclass(frozen=True, slots=True)
class FileBatch:
    """Some rows. `frame` is the Polars frame, with the names as text; `start` is the number of the first row."""

    table: Frame
    frame: pl.DataFrame
    path: str
    start: int
    progress: Progress


@final
class Batches:
    """One pass over files, which stay open until it is closed.

    Parameters
    ----------
    files : Files
    rows : int
        Number of first rows from which types are inferred.
    target : str, optional
        The name of a column that a header must have, which distinguishes a header from a row.
    known : function of names
        Returns {name: type}, the known types of columns.
    usual : Usual, optional
        The delimiter of earlier files.
    """

    def __init__(
        self,
        files: Files,
        rows: int,
        target: str | None = None,
        known: Callable[[Columns], Mapping[Any, Known]] = lambda _: {},
        usual: Usual | None = None,
    ) -> None:
        self._opened_at = time.monotonic()
        require_threads()
        found = files_of(files)
        self.paths = tuple(file.path for file in found)
        self._pass: Generator[Piece, None, None] | None = None
        self._reader = _reader(files, found, rows, target, known, usual)

    def close(self) -> None:
        """Close all files and end all threads."""
        if self._pass is not None:
            self._pass.close()  # first, because its thread uses the reader
        self._reader.close()

    def __enter__(self) -> Batches:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @property
    def names(self) -> Columns:
        """Every column of the files."""
        return self._reader.names

    @property
    def renamed(self) -> tuple[tuple[str, str], ...]:
        """(name in the header, name of the column) for columns whose header is empty or a duplicate."""
        return self._reader.renamed

    @property
    def target(self) -> str | None:
        """The class column, if the files define it (folders of texts)."""
        return self._reader.target

    @property
    def texts(self) -> Columns:
        """Columns that are documents, of any length."""
        return self._reader.texts

    @property
    def beside(self) -> Columns:
        """Columns that identify the source of a row and are not features."""
        return self._reader.beside

    @property
    def dialect(self) -> Dialect | None:
        """The dialect of the files, if they are delimited text."""
        return self._reader.dialect

    @property
    def first_skipped(self) -> DataError | None:
        """The error of the first bad line that was skipped."""
        return self._reader.bad.first

    def name_of(self, given: str | int, what: str) -> str | int:
        """Return the column of a name or a position, −1 for the last."""
        return find_column(given, self.names, what, self.paths[0])

    def head(self) -> Frame:
        """Return the first rows of all columns; the pass yields them again."""
        order = [str(name) for name in self.names]  # other files may have another order and wider numbers
        head = concat_frames([frame.select(select_names(order)) for frame in self._reader.head()])
        return self._table(head, self.names)

    def __call__(self, columns: Collection[str | int]) -> Iterator[FileBatch]:
        """Yield all rows of these columns, once."""
        names, wanted = self.names, frozenset(columns)
        chosen = tuple(name for name in names if name in wanted)
        sizes = [_file_size(path) for path in self.paths]
        total, before, start, current = sum(sizes), 0, 0, 0
        self._pass = prefetch(_grouped(self._reader.pieces(wanted)))
        for piece in self._pass:
            table = self._table(piece.frame, chosen)
            while piece.path != self.paths[current] and current + 1 < len(sizes):
                before, current = before + sizes[current], current + 1
            share = None if piece.share is None or not total else (before + piece.share * sizes[current]) / total
            progress = self._progress(start + table.rows, share)
            yield FileBatch(table, piece.frame, piece.path, start, progress)
            start += table.rows

    def take(self, batch: FileBatch, rows: IntArray) -> FileBatch:
        """Return these rows of a batch."""
        frame = batch.frame[rows]
        return replace(batch, table=self._table(frame, batch.table.names), frame=frame)

    def done(self, rows: int) -> Progress:
        """Return the progress at the end."""
        return self._progress(rows, 1.0)

    def _progress(self, rows: int, share: float | None) -> Progress:
        seconds = time.monotonic() - self._opened_at
        return Progress(rows, share, self._reader.bad.count, self._reader.described(), seconds)

    def _table(self, frame: pl.DataFrame, names: Columns) -> Frame:
        types = self._reader.types
        columns = tuple(self._column(frame, name, types.get(name)) for name in names)
        return Frame(names, columns, len(frame))

    def _column(self, frame: pl.DataFrame, name: str | int, kind: Type | None) -> Column:
        cells = frame[str(name)]
        column = column_of(cells)
        if kind == "time" and column.kind in ("text", "nothing"):
            return Unread("time", "times, written as text", lambda: parse_times(column.coded()))
        return Unread("time", str(cells.dtype)) if kind == "time" and column.kind != "time" else column


def _grouped(pieces: Generator[Piece, None, None]) -> Generator[Piece]:
    # Each batch has a fixed cost, so several blocks are counted together.
    import polars as pl

    waiting: list[Piece] = []
    rows = size = 0
    for piece in pieces:
        if waiting and (piece.path != waiting[0].path or piece.frame.schema != waiting[0].frame.schema):
            yield _one(pl, waiting)
            waiting, rows, size = [], 0, 0
        waiting.append(piece)
        rows += len(piece.frame)
        size += _bytes(piece.frame)
        if rows * max(1, piece.frame.width) >= _CELLS or size >= _BYTES:
            yield _one(pl, waiting)
            waiting, rows, size = [], 0, 0
    if waiting:
        yield _one(pl, waiting)


def _bytes(frame: pl.DataFrame) -> float:
    # An estimate: measuring every text would take longer than counting it.
    if len(frame) <= 2 * _SAMPLE:
        return frame.estimated_size()
    return frame.slice(len(frame) // 2, _SAMPLE).estimated_size() * len(frame) / _SAMPLE


def _one(polars: Any, pieces: list[Piece]) -> Piece:
    last = pieces[-1]
    frame = last.frame if len(pieces) == 1 else polars.concat([piece.frame for piece in pieces])
    # Make numbers contiguous while the previous batch is counted: the kernels read a column in one go.
    numbers = frame.select(polars.selectors.numeric())
    if numbers.width and frame.n_chunks() > 1:
        frame = frame.with_columns(numbers.rechunk())
    return Piece(frame, last.path, last.share)


def concat_frames(frames: list[pl.DataFrame]) -> pl.DataFrame:
    """Concatenate frames, or raise DataError if a column has different types."""
    import polars as pl

    if len(frames) == 1:
        return frames[0]
    try:
        return pl.concat(frames, how="vertical_relaxed")
    except pl.exceptions.PolarsError as problem:
        kinds = ((name, {frame.schema[name] for frame in frames}) for name in frames[0].columns)
        unlike = [f"{name!r} ({', '.join(sorted(map(str, some)))})" for name, some in kinds if len(some) > 1]
        raise DataError(
            f"files must have columns of the same types: {'; '.join(unlike) or str(problem).splitlines()[0]}",
            kind="wrong_type",
            advice=lambda words: f"Convert the columns, or specify their types with {words.option('types')}.",
        ) from None


def find_column(given: str | int, names: Columns, what: str, path: str) -> str | int:
    """Return the column of a file by name or position, −1 for the last, or raise DataError."""
    if given in names and not isinstance(given, bool):
        return given
    try:
        return names[int(given)]
    except (ValueError, IndexError):
        pass
    from difflib import get_close_matches

    if what == "target":
        given = next((condition.column for condition in parse_conditions(given)), given)
    close = get_close_matches(str(given), [name for name in names if isinstance(name, str)], n=1)
    without = isinstance(names[0], int)
    there = (
        f"The file has no header: use a position from 0 to {len(names) - 1}."
        if without
        else f"The columns are {shorten(names)}."
    )
    raise DataError(
        f"{what} column {given!r} is not in {path}",
        kind="no_such_column",
        advice=f"Did you mean {close[0]!r}?" if close else there,
    )


def _file_size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:  # standard input
        return 0


def _reader(
    files: Files,
    found: list[Any],
    rows: int,
    target: str | None,
    known: Callable[[Columns], Mapping[Any, Known]],
    usual: Usual | None,
) -> Reader:
    kind = found[0].format
    if files.names is not None and kind != "csv":
        raise ParameterError(f"names apply only to delimited text: {found[0].path} is {kind}", parameter="names")
    if kind == "csv":
        from suffice.sources.files.delimited import DelimitedReader

        return DelimitedReader(found, files, target, rows, known, usual)
    if kind == "ndjson":
        from suffice.sources.files.ndjson import NdjsonReader

        return NdjsonReader(found, files, rows, known)
    if kind == "texts":
        from suffice.sources.files.texts import TextsReader

        return TextsReader(found, files, rows)
    if kind == "excel":
        from suffice.sources.files.columnar import WorkbookReader

        return WorkbookReader(found, files, rows)
    from suffice.sources.files.columnar import ColumnarReader

    return ColumnarReader(found, files, rows)


_THREADS = re.compile(r"polars-\d|async-executor")
_TASKS = Path("/proc/self/task")


class _Known:
    used = False  # in this process, by this package
    running = False  # before the fork
    lost = False


def require_threads() -> None:
    """Raise SufficeError if Polars had threads before a fork; call it before using Polars."""
    if _Known.lost:
        raise SufficeError(
            "files cannot be read or written in a forked process, because Polars was used before the fork and its "
            "threads do not exist in the child. Start processes with multiprocessing.get_context('spawn') or "
            "'forkserver', or read the file into a frame before the fork and pass the frame."
        )
    _Known.used = True


def _are_running() -> bool:
    if "polars" not in sys.modules:
        return False
    try:
        return any(_THREADS.match((task / "comm").read_text()) for task in _TASKS.iterdir())
    except OSError:  # no such list on this system, or a thread has just ended
        return _Known.used


def _before() -> None:
    _Known.running = _are_running()


def _in_child() -> None:
    _Known.lost = _Known.lost or _Known.running


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_child=_in_child)
