"""Row sources: `rows_from` validates any user data and returns one source of batches.

    source = rows_from(data, target, weights)     arrays, frames, texts, files, or an iterator of frames
    source.head()                                 the first rows, from which a schema is inferred
    source.batches(schema)                        all rows in order, with the columns of the schema
    source.load()                                 all rows at once, for algorithms that need several passes

A batch is a table, the class code of each row, the weights, and metadata: columns that describe a row and are not
features (its group, its time, columns copied to the output).
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple, Protocol, Self, TypeAlias, cast, final

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError, DroppedRowsWarning, MissingColumnsWarning, SufficeError, counted
from suffice.machine import memory
from suffice.sources.files.source import Dialect, Files, Known, Progress
from suffice.sources.in_memory import is_frame, table_of, weights_of
from suffice.sources.metadata import (
    column_weights,
    list_names,
    metadata_values,
    no_such_column,
    require_weights,
)
from suffice.sources.table import Frame, Table
from suffice.sources.target import (
    MAX_CLASSES,
    Condition,
    Target,
    advise_bins,
    find_condition,
    require_classes,
    target_of,
    unknown_classes,
)
from suffice.statistics.axis import Columns
from suffice.warnings import more_rows_follow, notify

__all__ = [
    "HEAD",
    "Batch",
    "Like",
    "OnProgress",
    "Origin",
    "RowSource",
    "StreamRows",
    "UsedColumns",
    "aligned_table",
    "rows_from",
]

HEAD = 100_000
"""Number of first rows from which the schema is inferred."""
_FRACTION = 0.4  # of the memory, for rows that are loaded: folds copy them once

OnProgress: TypeAlias = Callable[[Progress], None]
Cells: TypeAlias = Callable[[npt.NDArray[np.int64]], Table]


class UsedColumns(Protocol):
    """The columns of a schema."""

    @property
    def names(self) -> Columns:
        """Every column, in order."""
        ...

    @property
    def unused(self) -> Columns:
        """The columns that no likelihood models."""
        ...


@final
@dataclass(frozen=True, slots=True)
class Like:
    """The format of the rows of a model, which determines how further rows are read.

    `types`, `class_type` and `texts` are used for files only: the types of the columns and of the class, and which
    columns are documents.
    """

    columns: UsedColumns
    target: str | int | None = None
    weights: str | int | None = None
    dialect: Dialect | None = None
    types: Callable[[], Mapping[str | int, Known]] = dict
    class_type: Callable[[], Known | None] = lambda: None
    texts: Callable[[], Columns] = tuple


class Origin(NamedTuple):
    """The origin of rows: files and their dialect, the target (a column or a condition), and the weights."""

    paths: tuple[str, ...] = ()
    target: str | int | None = None
    weights: str | int | None = None
    dialect: Dialect | None = None


class Batch(NamedTuple):
    """Some rows. `start` is the number of the first in its file, or among all rows."""

    table: Table
    target: Target | None = None
    weights: npt.NDArray[Any] | None = None
    metadata: Mapping[str, Any] = {}
    file: str | None = None
    start: int = 0
    cells: Cells | None = None
    """Returns some rows of the table without keeping the others in memory."""

    @property
    def classes(self) -> Target:
        """The class of each row, if requested."""
        return cast("Target", self.target)

    @property
    def known(self) -> int:
        """Number of rows with a class."""
        return self.table.rows - self.classes.missing

    def locate(self, error: SufficeError) -> SufficeError:
        """Return the error with the row number in the file instead of the batch."""
        return error.located(file=self.file, row=None if error.row is None else error.row + self.start)

    def take(self, rows: npt.NDArray[np.int64]) -> Batch:
        """Return these rows, in this order."""
        target = None if self.target is None else self.target.take(rows)
        weights = None if self.weights is None else self.weights[rows]
        values = {name: each[rows] for name, each in self.metadata.items()}
        return self._replace(table=self.table.take(rows), target=target, weights=weights, metadata=values)

    def take_cells(self, rows: npt.NDArray[np.int64]) -> Table:
        """Return these rows of the table, without references to the others; the table itself if they are all."""
        if len(rows) == self.table.rows:
            return self.table
        return self.table.take(rows) if self.cells is None else self.cells(rows)

    def labelled(self) -> Batch:
        """Return the rows that have a class, and validate the weights."""
        weights = self.weights
        if weights is not None:
            require_weights(weights)
        if not self.classes.missing:
            return self
        return self.take(np.flatnonzero(self.classes.codes >= 0))


class RowSource(ABC):
    """Rows that are read once, in order. A context manager, which closes files at the end."""

    names: Columns
    """The columns that may be features, in order."""
    texts: Columns = ()
    """The columns that are known to be documents."""
    origin: Origin = Origin()
    named: bool = True
    """Whether the columns have names; otherwise they are positions."""
    like: Like | None = None
    needs_classes: bool = True

    @abstractmethod
    def head(self) -> Table:
        """Return the first rows; the batches contain them too."""

    @abstractmethod
    def _read(self, columns: UsedColumns) -> Iterator[Batch]:
        """Yield all rows, with the names of `columns` if they match; tables may lack columns."""

    @abstractmethod
    def _load(self) -> Batch:
        """Return every row."""

    def load(self) -> Batch:
        """Return all rows, with all columns that may be features; a warning counts rows without a class.

        Raises
        ------
        DataError
            If they do not fit into memory.
        """
        batch = self._load()
        if batch.target is not None and self.like is None:
            require_classes(batch.target.classes.labels, batch.known, self.origin.target)
        if batch.target is not None and batch.target.missing:
            no_class(batch.target.missing, batch.table.rows)
        return batch

    def close(self) -> None:  # noqa: B027 - rows in memory have nothing open
        """Close open files."""

    def batches(self, columns: UsedColumns) -> Iterator[Batch]:
        """Yield all rows in order, with exactly these columns, once.

        Warnings name columns that are missing or ignored, and count rows without a class, which have the code −1. A
        target that is not a class raises an error before the batch that reveals it is yielded.
        """
        rows = missing = 0
        lacking: set[Columns] = set()
        labels: dict[Any, None] = {}
        for batch in self._read(columns):
            if self.like is None and batch.target is not None:
                labels.update(dict.fromkeys(batch.target.classes.labels))
                known = rows - missing + batch.known
                if len(labels) > MAX_CLASSES or (known >= HEAD and not more_rows_follow()):
                    require_classes(tuple(labels), known, self.origin.target)
            aligned, absent = batch.table.aligned(columns.names)
            if absent not in lacking and (aligned.rows or self.names):  # an empty list has no columns
                lacking.add(absent)
                missing_columns(columns, absent, self.names)
            rows += aligned.rows
            missing += 0 if batch.target is None else batch.target.missing
            if aligned is not batch.table:
                cells = None if batch.cells is None else _aligned_cells(batch.cells, columns.names)
                batch = batch._replace(table=aligned, cells=cells)  # noqa: PLW2901
            yield batch
            del batch, aligned, absent  # before the next batch is read
        if self.like is None and not more_rows_follow():
            require_classes(tuple(labels), rows - missing, self.origin.target)
        if missing:
            no_class(missing, rows)

    def __iter__(self) -> Iterator[Batch]:
        """Yield all rows with the columns of the model of `like`."""
        return self.batches(cast("Like", self.like).columns)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@final
class TableRows(RowSource):
    """Rows in memory: one batch."""

    def __init__(
        self,
        data: Any,
        target: Any,
        weights: Any,
        like: Like | None,
        metadata: Mapping[str, Any],
        *,
        needs_classes: bool,
    ) -> None:
        if like is not None and target is None and needs_classes and isinstance(like.target, str):
            target = like.target
        if needs_classes and target is None:
            raise unknown_classes()
        label, weight = given_name(target), given_name(weights)
        table = table_of(data)
        described = {what: metadata_values(data, what, given, table.rows) for what, given in metadata.items()}
        condition = find_condition(target, table.names)
        named = target if condition is None else condition.column
        apart = [given for given in (*metadata.values(), named, weights) if isinstance(given, str)]
        if apart and isinstance(table, Frame):
            target, weights = _taken_column(table, named, "target"), _taken_column(table, weights, "weights")
            table = table.without(tuple(apart))
        classes = None
        if target is not None:
            known = isinstance(target, Target)
            classes = target if known else code_classes(target, table.rows, label, condition)
        self.batch = Batch(table, classes, weights_of(weights, table.rows), described)
        self.names, self.like, self.needs_classes = table.names, like, needs_classes
        self.named = isinstance(table, Frame) and table.named
        self.origin = Origin((), label, weight)

    def head(self) -> Table:
        """Return a view of the first rows."""
        return self.batch.table.head(HEAD)

    def _load(self) -> Batch:
        return self.batch

    def _read(self, columns: UsedColumns) -> Iterator[Batch]:
        del columns
        yield self.batch


def rows_from(
    data: Any,
    target: Any = None,
    weights: Any = None,
    *,
    like: Like | None = None,
    metadata: Mapping[str, Any] | None = None,
    keep: Collection[str] = (),
    needs_classes: bool = True,
    progress: OnProgress | None = None,
) -> RowSource:
    """Return the source of these rows.

    Parameters
    ----------
    data : any input of `fit`
    target, weights : array, or the name of a column; for files also its position
        The target may also be a condition on a column, such as "arr_delay>15". With `like`, the default is the
        target and weights that the model was fitted with.
    like : Like, optional
        Read the rows as those of a model.
    metadata : {what: array, or the name of a column; None for none}, optional
        Values that describe rows, such as their groups. Columns named here are not features.
    keep : names of columns, "*" for all; for files
        Columns that are added to the metadata of each batch.
    needs_classes : bool
        Whether the class of each row is needed; if not, the target is optional.
    progress : function of Progress, optional
        Called after each batch of a file, and once at the end.
    """
    described = {what: given for what, given in (metadata or {}).items() if given is not None}
    files = Files.of(data)
    if files is not None:
        from suffice.sources.files.rows import FileRows

        return FileRows(files, target, weights, like, described, tuple(keep), progress, needs_classes=needs_classes)
    if is_stream(data):
        from suffice.sources.source import StreamRows

        return StreamRows(data, target, weights, like, described, needs_classes=needs_classes)
    return TableRows(data, target, weights, like, described, needs_classes=needs_classes)


def rows_in_memory(data: Any, target: Any, weights: Any) -> Batch:
    """Return rows in memory with their classes, without a warning about rows without a class."""
    return TableRows(data, target, weights, None, {}, needs_classes=True).batch


def code_classes(target: Any, rows: int, name: str | int | None, condition: Condition | None = None) -> Target:
    """Return the classes of the rows; with a condition, whether the target satisfies it."""
    try:
        return target_of(target if condition is None else condition.apply(target), rows)
    except DataError as reason:
        if name is None or not isinstance(reason.got, float):
            raise
        median = reason.got
        with suppress(DataError):
            median = float(np.nanmedian(target.numbers().values))
        raise reason.located(advice=advise_bins(name, f"{median:g}")) from None


def is_stream(data: object) -> bool:
    """Return whether the data are an iterator or a lazy Polars frame."""
    lazy = type(data).__name__ == "LazyFrame" and type(data).__module__.startswith("polars")
    return lazy or (isinstance(data, Iterator) and not is_frame(data))


def aligned_table(table: Table, columns: UsedColumns) -> Table:
    """Return the table with these columns; absent columns are missing in every row, and a warning names them."""
    aligned, missing = table.aligned(columns.names)
    if table.rows or table.width:
        missing_columns(columns, missing, table.names)
    return aligned


def missing_columns(columns: UsedColumns, missing: Columns, there: Columns) -> None:
    """Warn about absent columns that the model uses; raise DataError if all are absent."""
    if missing:
        unused = set(columns.unused)
        missing = tuple(name for name in missing if name not in unused)
    if not missing:
        return
    used = len(columns.names) - len(columns.unused)
    do = f"{_in_other_case(missing, there)}Add them, or rename the columns of the data, which are {list_names(there)}."
    if len(missing) == used and there:
        problem = f"the data contain none of the {counted(used, 'column')} of the model"
        raise DataError(problem, kind="no_such_column", column=missing, advice=do)
    notify(
        MissingColumnsWarning,
        f"{len(missing)} of the {used} columns of the model are not in the data and were treated as missing",
        column=missing,
        advice=do,
    )


def no_class(missing: int, rows: int) -> None:
    """Warn about rows without a class."""
    notify(
        DroppedRowsWarning,
        f"{missing:,} of {counted(rows, 'row')} have no class and were ignored.",
        kind="no_class",
    )


def require_room(size: int, source: str) -> None:
    """Raise DataError if rows of this many bytes, and the copies for folds, do not fit into memory."""
    if size > _FRACTION * memory():
        raise DataError(
            f"all rows must fit into memory: {size / 1e9:.1f} GB of {source} have been read so far, and this machine "
            f"has {memory() / 1e9:.1f} GB",
            kind="too_large",
            advice=lambda words: (
                f"Use fewer rows, or evaluate on separate rows with {words.option('test')}, which are read in batches."
            ),
        )


def given_name(given: Any) -> str | None:
    """Return the name of a column, if a name was given."""
    return given if isinstance(given, str) else None


def _aligned_cells(cells: Cells, names: Columns) -> Cells:
    return lambda rows: cells(rows).aligned(names).table


def _taken_column(table: Frame, given: Any, what: str) -> Any:
    if not isinstance(given, str):
        return given
    if given not in table.names:
        raise no_such_column(table.names, given, what)
    column = table.column(given)
    return column if what == "target" else column_weights(column, given)


def _in_other_case(missing: Columns, there: Columns) -> str:
    folded = {str(name).casefold().strip(): name for name in there}
    found = [(name, folded[str(name).casefold().strip()]) for name in missing if str(name).casefold().strip() in folded]
    if not found:
        return ""
    name, other = found[0]
    differ = "differs" if len(found) == 1 else "differ"
    return f"{len(found)} of them {differ} only in case or spaces, such as {other!r} and {name!r}. "


@final
class StreamRows(RowSource):
    """Frames in sequence; the columns are those of the first."""

    def __init__(
        self,
        data: Any,
        target: Any,
        weights: Any,
        like: Like | None,
        metadata: Mapping[str, Any],
        *,
        needs_classes: bool,
    ) -> None:
        for what, given in (("target", target), ("weights", weights), *metadata.items()):
            if given is not None and not isinstance(given, str):
                raise DataError(
                    f"{what} must be a column name if the data are an iterator: got {type(given).__name__}.",
                    kind="no_such_column",
                )
        self._given = target, weights, like, metadata
        self.like, self.needs_classes = like, needs_classes
        self._frames = _frames(data)
        self._first: list[Any] = []
        first = next(self._frames, None)
        if first is None:
            raise DataError("data has no rows: the iterator is exhausted. Give a new one.", kind="no_rows")
        self._first.append(first)
        rows = self._rows(first)
        self.names, self.origin = rows.names, Origin((), rows.origin.target, given_name(weights))

    def head(self) -> Table:
        """Return the first rows, which are kept until they are read."""
        rows = sum(map(len, self._first))
        while rows < HEAD:
            frame = next(self._frames, None)
            if frame is None:
                break
            self._first.append(frame)
            rows += len(frame)
        return self._rows(_concat_frames(self._first)).head()

    def _load(self) -> Batch:
        frames: list[Any] = []
        size = 0
        for frame in self._every():
            frames.append(frame)
            size += _frame_size(frame)
            require_room(size, "the data")
        return self._rows(_concat_frames(frames)).batch

    def _read(self, columns: UsedColumns) -> Iterator[Batch]:
        del columns  # a frame comes with its columns
        start = 0
        for frame in self._every():
            yield self._rows(frame).batch._replace(start=start)
            start += len(frame)
            del frame

    def _every(self) -> Iterator[Any]:
        first, self._first = self._first, []
        return chain(first, self._frames)

    def _rows(self, frame: Any) -> TableRows:
        target, weights, like, metadata = self._given
        if like is not None and target is None and self.needs_classes:
            target = given_name(like.target)
        return TableRows(frame, target, weights, None, metadata, needs_classes=self.needs_classes)


def _frames(data: Any) -> Iterator[Any]:
    if is_frame(data):  # a lazy frame
        return iter(data.collect_batches(maintain_order=True))
    return map(_frame, data)


def _frame(part: Any) -> Any:
    if not is_frame(part):
        raise DataError(
            f"an iterator must yield frames: got {type(part).__name__}. Give a table, for example list(data).",
            kind="not_a_frame",
        )
    if type(part).__name__ == "RecordBatch":
        return sys.modules["pyarrow"].Table.from_batches([part])
    return part


def _concat_frames(frames: list[Any]) -> Any:
    import narwhals.stable.v2 as nw

    if len(frames) == 1:
        return frames[0]
    return nw.concat([nw.from_native(frame, eager_only=True) for frame in frames], how="vertical").to_native()


def _frame_size(frame: Any) -> int:
    import narwhals.stable.v2 as nw

    return int(nw.from_native(frame, eager_only=True).estimated_size())
