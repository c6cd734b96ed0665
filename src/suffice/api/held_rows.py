"""Rows that are read more than once, so that memory holds them: with class, weight and, where asked, in order."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from suffice.api.files import OnProgress
from suffice.api.notices import DroppedRowsWarning, notify, renamed_columns, skipped_lines
from suffice.api.seen import Rows, column_weights, rows_of
from suffice.api.target import Target, target_of
from suffice.engines.coding import is_missing
from suffice.engines.column import Column, Unread
from suffice.engines.files import Files
from suffice.engines.frames import column_of, is_frame, is_series
from suffice.engines.table import Frame
from suffice.errors import DataError
from suffice.models import Provenance
from suffice.statistics.columns import Columns
from suffice.statistics.counted import counted
from suffice.statistics.frozen_arrays import BoolArray, IntArray

if TYPE_CHECKING:
    import polars as pl

__all__ = ["HeldRows", "held_rows"]

_HEAD = 100_000


class HeldRows(NamedTuple):
    """Rows that have a class and a weight, in their order where one was asked for.

    `texts` are columns that are documents whatever they look like. `ordered` says that somebody gave an order.
    """

    rows: Rows
    texts: Columns
    ordered: bool
    told: Provenance


def held_rows(data: Any, target: Any, weights: Any, order: Any, progress: OnProgress | None = None) -> HeldRows:
    """Return the rows of anything that `fit` takes; those without a class are left out with a warning.

    Parameters
    ----------
    order : array of numbers, dates or texts, or the name of a column (of files also its place), optional
        The rows are sorted by it. A column that is named is none of the table then: what comes later lies outside all
        that came before.
    """
    files = Files.of(data)
    if files is not None:
        return _of_files(files, target, weights, order, progress)
    if target is None:
        raise DataError("the class of each row is not known. Give target=: an array, or the name of a column.")
    rows = rows_of(data, target, weights)
    label, weight = (name if isinstance(name, str) else None for name in (target, weights))
    told = Provenance(rows.known, target=label, weights=weight)
    if order is None:
        return _known(rows, (), None, told)
    values = order
    if isinstance(order, str):
        values = _column_of(data, order, rows)
        assert isinstance(rows.table, Frame)
        rows = rows._replace(table=rows.table.without((order,)))
    elif is_series(order):
        values = np.asarray(order)
    return _known(rows, (), np.asarray(values), told)


def _of_files(files: Files, target: Any, weights: Any, order: Any, progress: OnProgress | None) -> HeldRows:
    from suffice.api.file_rows import require_room
    from suffice.engines.files.batches import Batches, together

    with Batches(files, _HEAD, target if isinstance(target, str) else None) as batches:
        path = batches.paths[0]
        target = batches.target if target is None else target
        if target is None:
            raise DataError(
                f"which column of {path} is the class? Give target=, its name or its place: −1 is the last. "
                "Of texts the folders say it, if they lie in one for each class."
            )
        label = batches.name_of(target, "target")
        weight = None if weights is None else batches.name_of(weights, "weights")
        time = None if order is None else batches.name_of(order, "order")
        frames: list[pl.DataFrame] = []
        unread: dict[str | int, Column] = {}
        count = size = 0
        for batch in batches(batches.names):
            frames.append(batch.frame)
            size += int(batch.frame.estimated_size())
            require_room(size, files, "Screen some of the rows.")
            unread.update(
                (name, column)
                for name, column in zip(batch.table.names, batch.table.columns, strict=True)
                if isinstance(column, Unread)
            )
            count += batch.table.rows
            if progress is not None:
                progress(batch.progress)
        done = batches.done(count)
        if not count:
            raise DataError(f"{path} has no rows to learn from.")
        skipped_lines(done.skipped, batches.first_skipped)
        renamed_columns(batches.renamed)
        if progress is not None:
            progress(done)
        whole = together(frames)
        taken = (label, weight, time, *batches.beside)
        names = tuple(name for name in batches.names if name not in taken)
        columns = tuple(unread.get(name) or column_of(whole[str(name)]) for name in names)
        heavy = None if weight is None else column_weights(column_of(whole[str(weight)]), weight)
        classes = target_of(column_of(whole[str(label)]), count)
        told = Provenance(count - classes.missing, batches.paths, target=label, weights=weight, dialect=batches.dialect)
        key = None if time is None else whole[str(time)].to_numpy()
        return _known(Rows(Frame(names, columns, count), classes, heavy), batches.texts, key, told)


def _column_of(data: Any, name: str, rows: Rows) -> npt.NDArray[Any]:
    if not isinstance(rows.table, Frame) or not rows.table.named:
        raise DataError(
            f"order {name!r} names a column, and arrays have no names. Give the order of each row as an array."
        )
    if name not in rows.table.names:
        names = [each for each in rows.table.names if isinstance(each, str)]
        close = get_close_matches(name, names, n=1)
        shown = ", ".join(map(repr, rows.table.names[:8])) + ", …" * (len(rows.table.names) > 8)
        raise DataError(
            f"order column {name!r} is not in the data. "
            + (f"Did you mean {close[0]!r}?" if close else f"The columns are {shown}.")
        )
    if is_frame(data) or isinstance(data, Mapping):
        return np.asarray(cast("Any", data)[name])
    return np.array([row.get(name) for row in data], dtype=object)


def _known(rows: Rows, texts: Columns, key: npt.NDArray[Any] | None, told: Provenance) -> HeldRows:
    # Rows with a class and a weight, sorted by the key.
    missing = rows.target.missing
    if missing:
        notify(
            DroppedRowsWarning,
            f"{missing} of {rows.table.rows} rows have no class and were left out. Give them one, or drop them first.",
        )
    codes = rows.target.codes.astype(np.int64)
    stay: BoolArray = codes >= 0
    if rows.weights is not None:
        stay = stay & (rows.weights != 0)
    at: IntArray = np.flatnonzero(stay) if key is None else _sorted(key, stay)
    if len(at) != len(codes) or key is not None:
        heavy = None if rows.weights is None else rows.weights[at]
        rows = Rows(rows.table.take(at), Target(codes[at], rows.target.classes, 0), heavy)
    else:
        rows = rows._replace(target=Target(codes, rows.target.classes, 0))
    return HeldRows(rows, texts, key is not None, told)


def _sorted(key: npt.NDArray[Any], stay: BoolArray) -> IntArray:
    if key.shape != stay.shape:
        raise DataError(f"order must have one value per row: got shape {key.shape} for {counted(len(stay), 'row')}.")
    gaps = np.isnat(key) if key.dtype.kind in "Mm" else np.zeros(len(key), dtype=np.bool_)
    if key.dtype.kind == "f":
        gaps = np.isnan(key)
    elif key.dtype.kind == "O":
        gaps = np.array([is_missing(value) for value in key.tolist()], dtype=np.bool_)
    if (gaps & stay).any():
        row = int(np.argmax(gaps & stay))
        raise DataError(f"order must be known in every row: row {row} has none. Drop such rows first.")
    at = np.flatnonzero(stay)
    try:
        return at[np.argsort(key[at], kind="stable")]
    except TypeError:
        kinds = sorted({type(value).__name__ for value in key[at].tolist()})
        raise DataError(
            f"order must be numbers, dates or texts that can be compared: got {', '.join(kinds)}. Convert it first."
        ) from None
