"""Writes rows in batches as CSV, TSV, NDJSON or Parquet, depending on the file extension."""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, final

from suffice.errors import DataError, ParameterError
from suffice.sources.files.batches import require_threads
from suffice.sources.files.reader import select_names
from suffice.sources.files.stream import STANDARD_INPUT

if TYPE_CHECKING:
    import polars as pl

__all__ = ["OutFormat", "Writer", "out_format"]

OutFormat: TypeAlias = Literal["csv", "tsv", "ndjson", "parquet"]

_ENDINGS: dict[str, OutFormat] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".parquet": "parquet",
    ".pq": "parquet",
}


def out_format(path: str) -> OutFormat:
    """Return the format of the file extension of a path; CSV for standard output."""
    if path == STANDARD_INPUT:
        return "csv"
    found = _ENDINGS.get(Path(path).suffix.lower())
    if found is None:
        raise ParameterError(f"the extension of an output file must be one of {', '.join(_ENDINGS)}: got {path}.")
    return found


@final
class Writer:
    """Writes batches of columns with the same names and types to a path, or to standard output as "-".

    Parameters
    ----------
    path : str
        The file is overwritten from the start; atomic replacement is the responsibility of the caller.
    kind : "csv", "tsv", "ndjson" or "parquet"

    Examples
    --------
    >>> with Writer("-", "csv") as writer:
    ...     writer.write({"name": ["a", "b"], "p": [0.25, None]})
    name,p
    a,0.25
    b,
    """

    def __init__(self, path: str, kind: OutFormat) -> None:
        require_threads()
        self._kind = kind
        self._first = True
        self._sink: _ParquetSink | None = None
        if kind == "parquet":
            if path == STANDARD_INPUT:
                raise ParameterError("Parquet cannot be written to standard output. Give a path, or choose CSV.")
            self._sink, self._file = _ParquetSink(path), None
        else:
            self._file: Any = None if path == STANDARD_INPUT else Path(path).open("wb")  # noqa: SIM115  closed by close()

    def write(self, columns: Mapping[str, Any] | pl.DataFrame) -> None:
        """Write rows: {name: array, list or Polars series}, or a Polars frame."""
        import polars as pl

        frame = pl.DataFrame(dict(columns)) if isinstance(columns, Mapping) else columns
        if self._sink is not None:
            self._sink.put(frame)
        elif self._kind == "ndjson":
            self._put(frame.write_ndjson())
        else:
            separator = "\t" if self._kind == "tsv" else ","
            self._put(cast("Any", frame).write_csv(include_header=self._first, separator=separator))
        self._first = False

    def close(self) -> None:
        """Finish writing, and wait until all rows are in the file."""
        if self._sink is not None:
            self._sink.close()
        elif self._file is not None:
            self._file.close()
        else:
            sys.stdout.flush()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        if kind is None:
            self.close()
        elif self._sink is not None:
            self._sink.give_up()
        elif self._file is not None:
            self._file.close()

    def _put(self, text: str) -> None:
        if self._file is None:
            sys.stdout.write(text)
        else:
            self._file.write(text.encode("utf-8"))


@final
class _ParquetSink:
    # Polars pulls the batches of a Parquet file from a source; here that is a queue, so that a caller can push them.

    def __init__(self, path: str) -> None:
        self._path = path
        self._ready: queue.Queue[pl.DataFrame | None] = queue.Queue(2)
        self._problem: BaseException | None = None
        self._thread: threading.Thread | None = None
        self._empty: pl.DataFrame | None = None
        self._given_up = False

    def put(self, frame: pl.DataFrame) -> None:
        if self._empty is None:
            self._empty = frame.clear()
        if not len(frame):
            return  # without rows the types are unknown
        if self._thread is None:
            self._empty = frame.clear()
            self._thread = threading.Thread(target=self._work, args=(frame.schema,), name="suffice-sink", daemon=True)
            self._thread.start()
        elif frame.schema != self._empty.schema:
            frame = self._fitted(self._empty, frame)
        while True:
            if self._problem is not None:
                raise self._problem
            try:
                self._ready.put(frame, timeout=0.1)
            except queue.Full:
                continue
            return

    @staticmethod
    def _fitted(first: pl.DataFrame, frame: pl.DataFrame) -> pl.DataFrame:
        # Polars ends the thread if types differ, so they are checked first.
        import polars as pl

        for name, kind in first.schema.items():
            found = frame.schema.get(name)
            if found != kind and (
                found is None or _append_frame(pl, first, frame.clear(), [name]).schema[name] != kind
            ):
                raise DataError(
                    f"column {name!r} must have one type: it is {kind} in the first rows and "
                    f"{'absent' if found is None else found} in later ones. Write CSV, which has no types."
                )
        return _append_frame(pl, first, frame, first.columns)

    def close(self) -> None:
        if self._thread is None:
            import polars as pl

            (pl.DataFrame() if self._empty is None else self._empty).write_parquet(self._path)
            return
        while self._thread.is_alive():
            try:
                self._ready.put(None, timeout=0.1)
            except queue.Full:
                continue
            break
        self._thread.join()
        if self._problem is not None:
            raise self._problem

    def give_up(self) -> None:
        self._given_up = True
        if self._thread is not None:
            self.close()

    def _frames(self, *_: Any) -> Iterator[pl.DataFrame]:
        while (frame := self._ready.get()) is not None and not self._given_up:
            yield frame

    def _work(self, schema: Any) -> None:
        from polars.io.plugins import register_io_source

        try:
            register_io_source(io_source=self._frames, schema=schema).sink_parquet(self._path, maintain_order=True)
        except BaseException as problem:
            self._problem = problem


def _append_frame(polars: Any, first: pl.DataFrame, frame: pl.DataFrame, columns: list[str]) -> pl.DataFrame:
    # In types that can represent the values of both.
    return polars.concat(
        [first.select(select_names(columns)), frame.select(select_names(columns))], how="vertical_relaxed"
    )
