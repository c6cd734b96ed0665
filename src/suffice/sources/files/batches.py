"""The rows of files as tables, a batch at a time and in order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, final

from suffice.errors import DataError
from suffice.sources.arrow_column import series_column
from suffice.sources.column import Column, Unread
from suffice.sources.dialect import Dialect
from suffice.sources.files.bad_lines import shown
from suffice.sources.files.blocks import prefetched
from suffice.sources.files.forks import require_threads
from suffice.sources.files.paths import files_of
from suffice.sources.files.reader import Piece, Reader, Usual, exactly
from suffice.sources.files.source import Files, Known, Progress, Type
from suffice.sources.table import Frame
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import IntArray

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Batch", "Batches", "named", "together"]

_CELLS = 3 << 20
_SAMPLE = 1 << 10
_BYTES = 1 << 26  # of long texts, of which fewer cells are enough


@final
@dataclass(frozen=True, slots=True)
class Batch:
    """Some rows. `frame` holds them as Polars does, with the names as text; `start` is the number of the first row."""

    table: Frame
    frame: pl.DataFrame
    path: str
    start: int
    progress: Progress


@final
class Batches:
    """One pass over files, which are open until it is closed.

    Parameters
    ----------
    files : Files
    rows : int
        How many of the first rows decide about types.
    target : str, optional
        The name of a column that a header must have, which tells a header from a row.
    known : function of names
        Returns {name: type}, what is known of these columns beforehand.
    usual : Usual, optional
        How earlier files were delimited.
    """

    def __init__(
        self,
        files: Files,
        rows: int,
        target: str | None = None,
        known: Callable[[Columns], Mapping[Any, Known]] = lambda _: {},
        usual: Usual | None = None,
    ) -> None:
        require_threads()
        found = files_of(files)
        self.paths = tuple(file.path for file in found)
        self._pass: Generator[Piece, None, None] | None = None
        self._reader = _reader(files, found, rows, target, known, usual)

    def close(self) -> None:
        """Leave no file open and no thread running."""
        if self._pass is not None:
            self._pass.close()  # first: its thread is a reader of the other one's
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
        """Names of the header that are missing or not the first of their kind, each with the one its column has."""
        return self._reader.renamed

    @property
    def target(self) -> str | None:
        """The column that is the class, where the files themselves say so: the folders of texts."""
        return self._reader.target

    @property
    def texts(self) -> Columns:
        """Columns that are documents, however many or short they are."""
        return self._reader.texts

    @property
    def beside(self) -> Columns:
        """Columns that say where a row comes from, and are none of its data."""
        return self._reader.beside

    @property
    def dialect(self) -> Dialect | None:
        """How the files are written, where they are text."""
        return self._reader.dialect

    @property
    def first_skipped(self) -> DataError | None:
        """What was wrong with the first bad line that was left out."""
        return self._reader.bad.first

    def name_of(self, given: str | int, what: str) -> str | int:
        """Return the column that is meant by a name or a place, −1 for the last one."""
        return named(given, self.names, what, self.paths[0])

    def head(self) -> Frame:
        """Return the first rows, of all columns; the pass gives them again."""
        order = [str(name) for name in self.names]  # another file may have another one, and wider numbers
        head = together([frame.select(exactly(order)) for frame in self._reader.head()])
        return self._table(head, self.names)

    def __call__(self, columns: Collection[str | int]) -> Iterator[Batch]:
        """Yield every row, of these columns; once."""
        names, wanted = self.names, frozenset(columns)
        chosen = tuple(name for name in names if name in wanted)
        sizes = [_size(path) for path in self.paths]
        total, before, start, current = sum(sizes), 0, 0, 0
        self._pass = prefetched(_grouped(self._reader.pieces(wanted)))
        for piece in self._pass:
            table = self._table(piece.frame, chosen)
            while piece.path != self.paths[current] and current + 1 < len(sizes):
                before, current = before + sizes[current], current + 1
            share = None if piece.share is None or not total else (before + piece.share * sizes[current]) / total
            progress = self._progress(start + table.rows, share)
            yield Batch(table, piece.frame, piece.path, start, progress)
            start += table.rows

    def take(self, batch: Batch, rows: IntArray) -> Batch:
        """Return these rows of a batch."""
        frame = batch.frame[rows]
        return replace(batch, table=self._table(frame, batch.table.names), frame=frame)

    def done(self, rows: int) -> Progress:
        """Return how it is at the end."""
        return self._progress(rows, 1.0)

    def _progress(self, rows: int, share: float | None) -> Progress:
        return Progress(rows, share, self._reader.bad.count, self._reader.described())

    def _table(self, frame: pl.DataFrame, names: Columns) -> Frame:
        types = self._reader.types
        columns = tuple(self._column(frame, name, types.get(name)) for name in names)
        return Frame(names, columns, len(frame))

    def _column(self, frame: pl.DataFrame, name: str | int, kind: Type | None) -> Column:
        if kind == "time":
            return Unread("time", "times, written as text")
        column = series_column(frame[str(name)])
        return replace(column, in_file=True) if isinstance(column, Unread) else column


def _grouped(pieces: Generator[Piece, None, None]) -> Generator[Piece]:
    # Counting has a price for every batch, whatever its size; a few blocks of lines share it.
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
    # About as many as it takes: to look at the length of every text would take longer than to count it.
    if len(frame) <= 2 * _SAMPLE:
        return frame.estimated_size()
    return frame.slice(len(frame) // 2, _SAMPLE).estimated_size() * len(frame) / _SAMPLE


def _one(polars: Any, pieces: list[Piece]) -> Piece:
    last = pieces[-1]
    frame = last.frame if len(pieces) == 1 else polars.concat([piece.frame for piece in pieces])
    # Numbers end to end, while the batch before is counted: the kernels read a column in one go.
    numbers = frame.select(polars.selectors.numeric())
    if numbers.width and frame.n_chunks() > 1:
        frame = frame.with_columns(numbers.rechunk())
    return Piece(frame, last.path, last.share)


def together(frames: list[pl.DataFrame]) -> pl.DataFrame:
    """Return the rows of all frames, or raise DataError where a column is of one type here and of another there."""
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
            advice=lambda words: f"Convert them, or give their types with {words.option('types')}.",
        ) from None


def named(given: str | int, names: Columns, what: str, path: str) -> str | int:
    """Return the column of a file that is meant by a name or a place, −1 for the last one."""
    if given in names and not isinstance(given, bool):
        return given
    try:
        return names[int(given)]
    except (ValueError, IndexError):
        pass
    from difflib import get_close_matches

    close = get_close_matches(str(given), [name for name in names if isinstance(name, str)], n=1)
    without = isinstance(names[0], int)
    there = f"It has no header: give a place, 0 to {len(names) - 1}." if without else f"The columns are {shown(names)}."
    raise DataError(
        f"{what} column {given!r} is not in {path}",
        kind="no_such_column",
        advice=f"Did you mean {close[0]!r}?" if close else there,
    )


def _size(path: str) -> int:
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
    if kind == "csv":
        from suffice.sources.files.delimited import DelimitedReader

        return DelimitedReader(found, files, target, rows, known, usual)
    if kind == "ndjson":
        from suffice.sources.files.ndjson import NdjsonReader

        return NdjsonReader(found, files, rows, known)
    if kind == "texts":
        from suffice.sources.files.texts import TextsReader

        return TextsReader(found, files, rows)
    from suffice.sources.files.columnar import ColumnarReader

    return ColumnarReader(found, files, rows)
