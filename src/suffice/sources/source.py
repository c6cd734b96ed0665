"""Rows from anywhere: user data become one source of batches, made once by one function and checked there.

    source = rows_from(data, target, weights)     arrays, frames, texts, files, or an iterator of frames
    source.head()                                 the first rows, from which a schema is inferred
    source.batches(schema)                        every row in order, with the columns of the schema
    source.load()                                 every row at once, for what needs rows more than once

A batch is a table, the class of each row as a code, the weights, and metadata: columns that describe a row and are no
features of it (its group, its time, what is copied to the output).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NamedTuple, Protocol, Self, TypeAlias, cast, final

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError, DroppedRowsWarning, MissingColumnsWarning, SufficeError
from suffice.machine import memory
from suffice.sources.arrays import table_of, weights_of
from suffice.sources.column import Column
from suffice.sources.dialect import Dialect
from suffice.sources.files.source import Files, Known, Progress
from suffice.sources.frames import is_frame
from suffice.sources.table import Frame, Table
from suffice.sources.target import Target, target_of, unknown_classes
from suffice.statistics.columns import Columns
from suffice.statistics.counted import counted
from suffice.warnings import notify

__all__ = [
    "HEAD",
    "Batch",
    "Like",
    "OnProgress",
    "Origin",
    "RowSource",
    "UsedColumns",
    "aligned_table",
    "rows_from",
]

HEAD = 100_000
"""How many of the first rows decide what the columns are."""
_FRACTION = 0.4  # of the memory, for rows that are held: folds copy them once

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
        """Those that no likelihood reads."""
        ...


@final
@dataclass(frozen=True, slots=True)
class Like:
    """What a model knows of the rows it was fitted on, which decides how the next ones are read.

    `types`, `class_type` and `texts` are asked for by files only: what the columns, and the class, hold, and which
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
    """Where rows come from: files and how they are written, and the columns that were class and weight."""

    paths: tuple[str, ...] = ()
    target: str | int | None = None
    weights: str | int | None = None
    dialect: Dialect | None = None


class Batch(NamedTuple):
    """Some rows. `start` is the number of the first of them in its file, or among all rows."""

    table: Table
    target: Target | None = None
    weights: npt.NDArray[Any] | None = None
    metadata: Mapping[str, Any] = {}
    file: str | None = None
    start: int = 0
    cells: Cells | None = None
    """Returns some rows of the table without keeping the others in memory, where the table itself would."""

    @property
    def classes(self) -> Target:
        """The class of each row, of a source that was asked for them."""
        return cast("Target", self.target)

    @property
    def known(self) -> int:
        """How many rows have a class."""
        return self.table.rows - self.classes.missing

    def locate(self, error: SufficeError) -> SufficeError:
        """Return an error about a row of the batch as one about the row of the file."""
        return error.located(file=self.file, row=None if error.row is None else error.row + self.start)

    def take(self, rows: npt.NDArray[np.int64]) -> Batch:
        """Return these rows, in this order."""
        target = None if self.target is None else self.target.take(rows)
        weights = None if self.weights is None else self.weights[rows]
        values = {name: each[rows] for name, each in self.metadata.items()}
        return self._replace(table=self.table.take(rows), target=target, weights=weights, metadata=values)

    def take_cells(self, rows: npt.NDArray[np.int64]) -> Table:
        """Return these rows of the table, to be held while the others are let go; itself where they are all."""
        if len(rows) == self.table.rows:
            return self.table
        return self.table.take(rows) if self.cells is None else self.cells(rows)

    def labelled(self) -> Batch:
        """Return the rows that have a class; the weights are checked."""
        weights = self.weights
        if weights is not None:
            require_weights(weights)
        if not self.classes.missing:
            return self
        return self.take(np.flatnonzero(self.classes.codes >= 0))


class RowSource(ABC):
    """Rows that are read once, in order. It is a context manager: what it has open is closed at the end."""

    names: Columns
    """The columns of the rows that may be features, in order."""
    texts: Columns = ()
    """Those of them that are known to be documents."""
    origin: Origin = Origin()
    named: bool = True
    """Whether the columns have names; else they are known by their places."""
    like: Like | None = None
    needs_classes: bool = True

    @abstractmethod
    def head(self) -> Table:
        """Return the first rows; the batches contain them again."""

    @abstractmethod
    def _read(self, columns: UsedColumns) -> Iterator[Batch]:
        """Yield every row, under the names of `columns` where there are such; tables may lack columns."""

    @abstractmethod
    def _load(self) -> Batch:
        """Return every row."""

    def load(self) -> Batch:
        """Return every row, with all columns that may be features; a warning counts rows without a class.

        Raises
        ------
        DataError
            Where they take more memory than there is.
        """
        batch = self._load()
        if batch.target is not None and batch.target.missing:
            no_class(batch.target.missing, batch.table.rows)
        return batch

    def close(self) -> None:  # noqa: B027 - rows in memory have nothing open
        """Close what is open."""

    def batches(self, columns: UsedColumns) -> Iterator[Batch]:
        """Yield every row in order, with exactly these columns; once.

        Warnings name columns that are missing or ignored, and count rows without a class, which have the code −1.
        """
        rows = missing = 0
        lacking: set[Columns] = set()
        for batch in self._read(columns):
            aligned, absent = batch.table.aligned(columns.names)
            if absent not in lacking and (aligned.rows or self.names):  # an empty list has no columns
                lacking.add(absent)
                missing_columns(columns, absent, self.names)
            rows += aligned.rows
            missing += 0 if batch.target is None else batch.target.missing
            cells = None if batch.cells is None else _aligned_cells(batch.cells, columns.names)
            yield batch._replace(table=aligned, cells=cells)
            del batch, aligned, absent, cells  # so that they are not in memory beside the next
        if missing:
            no_class(missing, rows)

    def __iter__(self) -> Iterator[Batch]:
        """Yield every row with the columns of the model that the source is read like."""
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
        described = {what: _described(data, what, given, table.rows) for what, given in metadata.items()}
        apart = [given for given in (*metadata.values(), target, weights) if isinstance(given, str)]
        if apart and isinstance(table, Frame):
            target, weights = _column(table, target, "target"), _column(table, weights, "weights")
            table = table.without(tuple(apart))
        classes = None
        if target is not None:
            classes = target if isinstance(target, Target) else target_of(target, table.rows)
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
    data : anything that `fit` takes
    target, weights : array, or the name of a column; of files also its place
        With `like`, by default the columns that they were when the model was fitted.
    like : Like, optional
        Read the rows as those of a model.
    metadata : {what: array, or the name of a column; None for none}, optional
        Values that describe rows, such as their groups. A column that is named is no feature.
    keep : names of columns, "*" for all; of files
        Columns that each batch has in its metadata beside the features.
    needs_classes : bool
        Whether the class of each row is needed; where it is not, no target is looked for unless one is given.
    progress : function of Progress, optional
        Called after each batch of a file, and once at the end.
    """
    described = {what: given for what, given in (metadata or {}).items() if given is not None}
    files = Files.of(data)
    if files is not None:
        from suffice.sources.files.rows import FileRows

        return FileRows(files, target, weights, like, described, tuple(keep), progress, needs_classes=needs_classes)
    if is_stream(data):
        from suffice.sources.stream import StreamRows

        return StreamRows(data, target, weights, like, described, needs_classes=needs_classes)
    return TableRows(data, target, weights, like, described, needs_classes=needs_classes)


def rows_in_memory(data: Any, target: Any, weights: Any) -> Batch:
    """Return rows that are in memory, with their classes; nothing is said of rows without one."""
    return TableRows(data, target, weights, None, {}, needs_classes=True).batch


def is_stream(data: object) -> bool:
    """Say whether it is an iterator, or a lazy frame of Polars: rows that come in parts."""
    lazy = type(data).__name__ == "LazyFrame" and type(data).__module__.startswith("polars")
    return lazy or (isinstance(data, Iterator) and not is_frame(data))


def aligned_table(table: Table, columns: UsedColumns) -> Table:
    """Return the table with these columns; one that it lacks is missing in every row, and a warning names it."""
    aligned, missing = table.aligned(columns.names)
    if table.rows or table.width:
        missing_columns(columns, missing, table.names)
    return aligned


def missing_columns(columns: UsedColumns, missing: Columns, there: Columns) -> None:
    """Warn of columns that are missing where they are used; where all of them are, raise DataError."""
    if missing:
        unused = set(columns.unused)
        missing = tuple(name for name in missing if name not in unused)
    if not missing:
        return
    used = len(columns.names) - len(columns.unused)
    do = f"{_in_other_case(missing, there)}Give them, or rename the data's columns: {listed(there)}."
    if len(missing) == used and there:
        problem = f"the data has none of the {counted(used, 'column')} of the model"
        raise DataError(problem, kind="no_such_column", column=missing, advice=do)
    notify(
        MissingColumnsWarning,
        f"{len(missing)} of the {used} columns of the model are not in the data and count as missing",
        column=missing,
        advice=do,
    )


def no_class(missing: int, rows: int) -> None:
    """Warn of rows without a class."""
    notify(
        DroppedRowsWarning,
        f"{missing} of {rows} rows have no class and were left out. Give them one, or drop them first.",
        kind="no_class",
    )


def require_weights(weights: npt.NDArray[Any]) -> None:
    """Raise DataError for a weight that is negative or not finite."""
    bad = ~(np.isfinite(weights) & (weights >= 0)) if weights.dtype.kind == "f" else weights < 0
    if bad.any():
        row = int(np.argmax(bad))
        raise DataError(
            "weights must be finite and ≥ 0",
            kind="bad_weight",
            row=row,
            got=float(weights[row]),
            advice=lambda words: f"Drop the row, or take data out with {words.verb('forget')}.",
        )


def require_room(size: int, source: str) -> None:
    """Raise DataError where so many bytes of rows are more than memory holds, with the copies that folds make."""
    if size > _FRACTION * memory():
        raise DataError(
            f"all rows are needed in memory: {size / 1e9:.1f} GB of {source} are read and more are to come, and this "
            f"machine has {memory() / 1e9:.1f} GB",
            kind="too_large",
            advice=lambda words: (
                f"Use fewer rows, or evaluate on separate rows with {words.option('test')}, which are read in batches."
            ),
        )


def column_weights(column: Column, name: str | int) -> npt.NDArray[Any]:
    """Return the weights that a column holds."""
    try:
        numbers = column.numbers()
    except DataError as reason:
        raise reason.located(
            column=name, problem="weights must be numbers", advice="Convert the column first."
        ) from None
    if numbers.valid is not None:
        raise DataError(
            "weights must be known in every row",
            kind="bad_weight",
            column=name,
            advice="Give each a number, or 0 to leave the row out.",
        )
    return numbers.values


def listed(names: Iterable[str | int]) -> str:
    """Return the first names, for a message."""
    every = tuple(names)
    return ", ".join(map(repr, every[:8])) + ", …" * (len(every) > 8)


def given_name(given: Any) -> str | None:
    """Return the name of a column, where a name was given."""
    return given if isinstance(given, str) else None


def _aligned_cells(cells: Cells, names: Columns) -> Cells:
    return lambda rows: cells(rows).aligned(names).table


def _column(table: Frame, given: Any, what: str) -> Any:
    if not isinstance(given, str):
        return given
    if given not in table.names:
        raise no_such_column(table.names, given, what)
    column = table.column(given)
    return column if what == "target" else column_weights(column, given)


def no_such_column(names: Columns, given: str, what: str) -> DataError:
    """Return the error for a column that is named and not there."""
    close = get_close_matches(given, [name for name in names if isinstance(name, str)], n=1)
    hint = f"Did you mean {close[0]!r}?" if close else f"The columns are {listed(names)}."
    return DataError(f"{what} column {given!r} is not in the data", kind="no_such_column", advice=hint)


def _described(data: Any, what: str, given: Any, rows: int) -> npt.NDArray[Any]:
    # Values that describe rows: an array, or those of a column as they are, for what no likelihood reads (times).
    values = given
    if isinstance(given, str):
        if is_frame(data):
            import narwhals.stable.v2 as nw

            frame = nw.from_native(data, eager_only=True)
            if given not in frame.columns:
                raise no_such_column(tuple(frame.columns), given, what)
            values = frame.get_column(given)
        elif isinstance(data, Mapping):
            columns = cast("Mapping[str, Any]", data)
            if given not in columns:
                raise no_such_column(tuple(columns), given, what)
            values = columns[given]
        elif isinstance(data, (list, tuple)) and data and isinstance(data[0], Mapping):
            records = cast("list[Mapping[str, Any]]", data)
            if not any(given in row for row in records):
                raise no_such_column(tuple(dict.fromkeys(name for row in records for name in row)), given, what)
            values = [row.get(given) for row in records]
        else:
            raise DataError(
                f"{what} {given!r} names a column, and arrays have no names. Give the value of each row as an array.",
                kind="no_such_column",
            )
    return vector(values, what, rows)


def vector(values: Any, what: str, rows: int) -> npt.NDArray[Any]:
    """Return one value for each row."""
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    array: npt.NDArray[Any] = np.asarray(values)
    if array.dtype.kind == "U" and not isinstance(values, np.ndarray):  # NumPy makes text of None beside text
        array = np.fromiter(values, dtype=object, count=len(values))
    if array.shape != (rows,):
        raise DataError(f"{what} must have one value per row: got shape {array.shape} for {counted(rows, 'row')}.")
    return array


def _in_other_case(missing: Columns, there: Columns) -> str:
    folded = {str(name).casefold().strip(): name for name in there}
    found = [(name, folded[str(name).casefold().strip()]) for name in missing if str(name).casefold().strip() in folded]
    if not found:
        return ""
    name, other = found[0]
    differ = "differs" if len(found) == 1 else "differ"
    return f"{len(found)} of them {differ} only in case or spaces, as {other!r} from {name!r}. "
