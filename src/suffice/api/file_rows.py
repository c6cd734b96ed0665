"""All rows of files in memory: for what has to look at them more than once and in another order, as folds do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from suffice.api.files import OnProgress
from suffice.api.notices import renamed_columns, skipped_lines
from suffice.api.seen import Rows, column_weights
from suffice.api.target import target_of
from suffice.engines.column import Unread
from suffice.engines.files import Files
from suffice.engines.files.batches import Batches, together
from suffice.engines.frames import column_of
from suffice.engines.rows import memory
from suffice.engines.table import Frame
from suffice.errors import DataError
from suffice.statistics.columns import Columns

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FileRows", "file_rows", "require_room"]

_HEAD = 100_000
_SHARE = 0.4  # of the memory: rows are copied once, fold by fold


class FileRows(NamedTuple):
    """The rows, which columns are documents, and {what: values} of the columns that say something else of the rows."""

    rows: Rows
    texts: Columns
    beside: dict[str, Any]


def file_rows(
    files: Files, target: Any, weights: Any, beside: Mapping[str, str | int], progress: OnProgress | None
) -> FileRows:
    """Return every row of the files, with class and weight, without the columns that are named.

    Raises
    ------
    DataError
        Where they take more memory than there is.
    """
    with Batches(files, _HEAD, target if isinstance(target, str) else None) as batches:
        target = batches.target if target is None else target
        if target is None:
            raise DataError(
                f"which column of {batches.paths[0]} is the class? Give target=, its name or its place: −1 is the last."
            )
        label = batches.name_of(target, "target")
        weight = None if weights is None else batches.name_of(weights, "weights")
        apart = {what: batches.name_of(name, what) for what, name in beside.items()}
        frames: list[pl.DataFrame] = []
        unread: dict[str | int, Unread] = {}
        rows = size = 0
        for batch in batches(batches.names):
            frames.append(batch.frame)
            rows += len(batch.frame)
            size += int(batch.frame.estimated_size())
            require_room(
                size, files, "Measure on a file of its own with test=, which needs no room, or on some of the rows."
            )
            pairs = zip(batch.table.names, batch.table.columns, strict=True)
            unread.update((name, column) for name, column in pairs if isinstance(column, Unread))
            if progress is not None:
                progress(batch.progress)
        done = batches.done(rows)
        skipped_lines(done.skipped, batches.first_skipped)
        renamed_columns(batches.renamed)
        if progress is not None:
            progress(done)
        if not rows:
            raise DataError(f"{batches.paths[0]} has no rows to learn from.")
        taken = (label, weight, *apart.values(), *batches.beside)
        names = tuple(name for name in batches.names if name not in taken)
        texts = batches.texts
    frame = together(frames)
    columns = tuple(unread[name] if name in unread else column_of(frame[str(name)]) for name in names)
    return FileRows(
        Rows(
            Frame(names, columns, rows),
            target_of(column_of(frame[str(label)]), rows),
            None if weight is None else column_weights(column_of(frame[str(weight)]), weight),
        ),
        texts,
        {what: frame[str(name)] for what, name in apart.items()},
    )


def require_room(size: int, files: Files, do: str) -> None:
    """Raise DataError where so many bytes of rows are more than memory holds, with the copies that folds make."""
    if size > _SHARE * memory():
        raise DataError(
            f"folds need all rows in memory: of {files.paths[0]} {size / 1e9:.1f} GB are read and more are to come, "
            f"and this machine has {memory() / 1e9:.1f} GB. {do}"
        )
