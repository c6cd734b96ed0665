"""Rows that come in parts: an iterator of frames (``pandas.read_csv(chunksize=…)``), or a lazy Polars frame."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, final

from suffice.errors import DataError
from suffice.sources.frames import is_frame
from suffice.sources.source import (
    HEAD,
    Batch,
    Like,
    Origin,
    RowSource,
    TableRows,
    UsedColumns,
    given_name,
    require_room,
)
from suffice.sources.table import Table

__all__ = ["StreamRows"]


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
                    f"{what} must be a column name if the data come in parts: got {type(given).__name__}.",
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
        return self._rows(_together(self._first)).head()

    def _load(self) -> Batch:
        frames: list[Any] = []
        size = 0
        for frame in self._every():
            frames.append(frame)
            size += _size(frame)
            require_room(size, "the data")
        return self._rows(_together(frames)).batch

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
    if is_frame(data):  # a lazy one
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


def _together(frames: list[Any]) -> Any:
    import narwhals.stable.v2 as nw

    if len(frames) == 1:
        return frames[0]
    return nw.concat([nw.from_native(frame, eager_only=True) for frame in frames], how="vertical").to_native()


def _size(frame: Any) -> int:
    import narwhals.stable.v2 as nw

    return int(nw.from_native(frame, eager_only=True).estimated_size())
