"""A column that came as Arrow chunks: numbers are read where they lie, text is coded in the native core."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast, final

import numpy as np
import numpy.typing as npt

from suffice import _core
from suffice.errors import DataError
from suffice.sources.coding import FEW, Coded, Places, place_codes, place_objects
from suffice.sources.column import Bitmap, Codes, Column, Kind, Nothing, Numbers, Objects, RawCodes, RowIndex, Unread
from suffice.statistics import Axis

__all__ = ["Texts", "arrow_column", "require_names", "series_column"]

_TIMES = frozenset({"date", "time", "timestamp", "duration"})
_NESTED = frozenset({"list", "struct", "map", "other"})
_MOST = 2**31 - 1
_LONG = ("Int128", "UInt128")  # of Polars: Arrow has no such type


@final
@dataclass(frozen=True, slots=True, eq=False)
class Texts(Column):
    """Chunks of text."""

    chunks: tuple[_core.ArrowChunk, ...]
    limit: int | None = None
    """The number of rows to read, where that is not all of them."""

    @property
    def kind(self) -> Kind:
        """Text, or nothing if every cell is missing."""
        return "text" if any(chunk.missing < chunk.length for chunk in self.chunks) else "nothing"

    def numbers(self) -> Numbers:
        """Raise DataError, unless every cell is missing."""
        codes, labels = self.coded()
        if labels:
            row = int(np.argmax(codes >= 0))
            raise DataError("must be a number", kind="not_a_number", row=row, got=labels[int(codes[row])])
        return Nothing(len(codes)).numbers()

    def coded(self) -> Coded:
        """Return the distinct texts in the order of their first occurrence."""
        codes, labels = self._encoded()
        return Coded(codes.astype(np.int64), labels)

    def _encoded(self) -> tuple[npt.NDArray[np.int32], list[Any]]:
        dictionary = _core.Dictionary()
        try:
            known = _core.encode_chunks(self.chunks, dictionary, True)
            labels = cast("list[Any]", dictionary.labels())
        except ValueError as reason:
            raise DataError(str(reason)) from None
        if self.limit is None:
            return known, labels
        # Labels are in the order of first occurrence, so those of the first rows are first.
        known = known[: self.limit]
        return known, labels[: int(known.max(initial=-1)) + 1]

    def raw_codes(self) -> RawCodes:
        """Return the codes as the core gives them."""
        return RawCodes(*self._encoded())

    def places(self, axis: Axis) -> Places:
        """Return the position of every cell on an axis; a few are looked up, many are coded first."""
        if self.limit is None and sum(chunk.length for chunk in self.chunks) <= FEW:
            with suppress(ValueError):  # not valid UTF-8, which the coding reports
                return place_objects([text for chunk in self.chunks for text in chunk.texts()], axis)
        return place_codes(*self._encoded(), axis)

    def head(self, rows: int, /) -> Texts:
        """Return the first rows."""
        kept: list[_core.ArrowChunk] = []
        length = 0
        for chunk in self.chunks:
            if kept and length >= rows:
                break
            kept.append(chunk)
            length += chunk.length
        return Texts(tuple(kept), rows)

    def take(self, rows: RowIndex, /) -> Codes:
        """Return these rows, as codes of the distinct texts."""
        codes, labels = self._encoded()
        values = np.empty(len(labels), dtype=object)
        values[:] = labels
        return Codes(codes[rows], values)

    @property
    def storage(self) -> object:
        """Chunks of text; a head equals only itself."""
        return Texts if self.limit is None else (Texts, id(self))

    def joined(self, others: Sequence[Texts], /) -> Texts:
        """Return the chunks of all."""
        if not others:
            return self
        return Texts(tuple(chunk for column in (self, *others) for chunk in column.chunks))


def require_names(columns: Iterable[tuple[Any, Any]], where: str = "") -> None:
    """Raise DataError if the name of a column or of a field in it contains a null byte.

    Arrow's C interface ends a name at a null byte, and Polars aborts the process.

    Parameters
    ----------
    columns : pairs of the name of a column and its type in Polars or PyArrow, None where it has no fields
    where : the path of the file, for the message
    """
    waiting: list[tuple[Any, Any]] = list(columns)
    while waiting:
        name, kind = waiting.pop()
        if isinstance(name, str) and "\0" in name:
            raise DataError(
                f"{where + ': ' if where else ''}column and field names must not contain null bytes: "
                f"got {name!r}. Rename it."
            )
        waiting += _fields(kind)


def _fields(kind: Any) -> list[tuple[Any, Any]]:
    kind = getattr(kind, "pyarrow_dtype", kind)  # of a pandas column that Arrow backs
    if hasattr(kind, "num_fields"):  # PyArrow
        return [(kind.field(at).name, kind.field(at).type) for at in range(kind.num_fields)]
    inner = [(None, kind.inner)] if getattr(kind, "inner", None) is not None else []
    return inner + [(field.name, field.dtype) for field in getattr(kind, "fields", ())]


def series_column(series: Any) -> Column:
    """Return the column of a Polars or PyArrow series, through an Arrow stream."""
    kind = getattr(series, "dtype", getattr(series, "type", None))
    require_names([(None, kind)])
    if type(series).__module__.partition(".")[0] != "polars":
        return arrow_column(series.__arrow_c_stream__(), len(series) if hasattr(series, "__len__") else None)
    if str(kind) in _LONG:
        whole = series.cast(sys.modules["polars"].Int64, strict=False)
        if whole.null_count() > series.null_count():  # Python's whole numbers have no limit
            return Objects(np.fromiter(series.to_list(), dtype=object, count=len(series)))
        series = whole
    return arrow_column(series.alias("").__arrow_c_stream__())


def arrow_column(stream: Any, rows: int | None = None) -> Column:
    """Return the column of an Arrow stream capsule; DataError if it does not have the given number of rows."""
    try:
        chunks = list(_core.arrow_chunks(stream))
    except (ValueError, TypeError) as reason:  # malformed, of an unknown format, or no stream at all
        raise DataError(str(reason)) from None
    kinds = {chunk.kind for chunk in chunks} - {"null"}
    length = sum(chunk.length for chunk in chunks)
    if rows is not None and length != rows:
        raise DataError(f"invalid Arrow column: declared length {rows}, actual length {length}.")
    if not kinds:
        return Nothing(length)
    (kind,) = kinds
    if kind == "text":
        return Texts(tuple(chunks))
    if kind == "dictionary":
        return _unread(chunks[0].dictionary.kind) or _coded(chunks)
    return _unread(kind) or Numbers(_joined([chunk.values() for chunk in chunks]), _validity(chunks, length))


def _unread(kind: str) -> Unread | None:
    if kind in _TIMES:
        return Unread("time", kind)
    if kind == "binary":
        return Unread("binary", "bytes")
    if kind in _NESTED:
        return Unread("nested", {"list": "lists", "struct": "structs", "map": "maps"}.get(kind, "a nested type"))
    return None


def _validity(chunks: Sequence[_core.ArrowChunk], length: int) -> Bitmap | None:
    maps = [chunk.valid() for chunk in chunks]
    if all(bitmap is None for bitmap in maps):
        return None
    if len(maps) == 1:
        return maps[0]
    bits = np.ones(length, dtype=np.uint8)
    start = 0
    for chunk, bitmap in zip(chunks, maps, strict=True):
        if bitmap is not None:
            bits[start : start + chunk.length] = np.unpackbits(bitmap, count=chunk.length, bitorder="little")
        start += chunk.length
    return np.packbits(bits, bitorder="little")


def _coded(chunks: Sequence[_core.ArrowChunk]) -> Column:
    # Every chunk has its own dictionary; one over all of them holds the values one after the other.
    codes: list[npt.NDArray[Any]] = []
    values: list[npt.NDArray[Any]] = []
    start = rows = 0
    for chunk in chunks:
        here = _objects(chunk.dictionary)
        given = chunk.codes()
        bitmap = chunk.valid()
        known = None if bitmap is None else np.unpackbits(bitmap, count=chunk.length, bitorder="little").view(np.bool_)
        _require_codes(given, known, len(here), rows)
        own: npt.NDArray[Any] = given.astype(np.int32 if _fits(given, start + len(here)) else np.int64)
        if known is not None:
            own[~known] = -1
        if start:
            own[own >= 0] += start
        codes.append(own)
        values.append(here)
        start += len(here)
        rows += chunk.length
    return Codes(_joined(codes), _joined(values))


def _require_codes(codes: npt.NDArray[Any], known: npt.NDArray[np.bool_] | None, size: int, first: int) -> None:
    # Before they are converted, in which a code that is too large becomes a negative one. −1 is a missing cell.
    if not len(codes) or (int(codes.min()) >= -1 and int(codes.max()) < size):
        return
    wrong = codes >= size
    if codes.dtype.kind == "i":
        wrong |= codes < -1
    if known is not None:
        wrong &= known
    if wrong.any():
        row = int(np.argmax(wrong))
        raise DataError(
            f"codes must be below {size}, the number of values",
            kind="bad_code",
            row=first + row,
            got=int(codes[row]),
        )


def _fits(codes: npt.NDArray[Any], size: int) -> bool:
    # Whether 32 bits hold codes of so many values, and what stands where the row is missing.
    return size <= _MOST and bool(codes.max(initial=0) <= _MOST) and bool(codes.min(initial=0) >= -_MOST)


def _objects(chunk: _core.ArrowChunk) -> npt.NDArray[Any]:
    if chunk.kind == "null":
        return np.full(chunk.length, None, dtype=object)
    if chunk.kind == "text":
        return np.fromiter(chunk.texts(), dtype=object, count=chunk.length)
    objects = chunk.values().astype(object)
    bitmap = chunk.valid()
    if bitmap is not None:
        objects[~np.unpackbits(bitmap, count=chunk.length, bitorder="little").view(np.bool_)] = None
    return objects


def _joined(parts: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    if not parts:
        return np.zeros(0)
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
