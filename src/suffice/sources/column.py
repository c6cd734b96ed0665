"""One column of a table, read as numbers for the kernels or as codes of its distinct values.

Numbers    a 1-D array of numbers or bools, with an Arrow validity bitmap if cells are missing
Objects    a 1-D array of Python objects: text, or other values of a frame
Codes      a dictionary-encoded column (a categorical): codes into a list of values
Nothing    an absent column: every cell is missing
Texts      Arrow chunks of text, which the native core codes
Unread     a column of an unsupported type (lists, structs, bytes, times): it may be in a table, but not be used

`kind` is the type of the cells: "bool", "integer", "float", "text", "mixed", "time", "nested", "binary" or "nothing".
"""

from __future__ import annotations

import datetime
import decimal
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, cast, final

import numpy as np
import numpy.typing as npt

from suffice import _core
from suffice.errors import DataError
from suffice.sources.coding import FEW, Coded, Places, coded, is_missing, place_codes, place_objects
from suffice.statistics import Axis
from suffice.statistics.arrays import BoolArray, IntArray

__all__ = [
    "Codes",
    "Column",
    "Kind",
    "Nothing",
    "Numbers",
    "Objects",
    "RawCodes",
    "RowIndex",
    "Texts",
    "Times",
    "Unread",
    "arrow_column",
    "bitmap_of",
    "require_names",
    "series_column",
]

Kind: TypeAlias = Literal["bool", "integer", "float", "text", "mixed", "time", "nested", "binary", "nothing"]
Bitmap: TypeAlias = "npt.NDArray[np.uint8]"
RowIndex: TypeAlias = "slice | IntArray"
Times: TypeAlias = "npt.NDArray[np.datetime64]"

_KINDS: dict[str, Kind] = {"b": "bool", "i": "integer", "u": "integer", "f": "float"}
_LOOKED_AT = 100_000

_Result = TypeVar("_Result")


class RawCodes(NamedTuple):
    """Codes are positions in `labels`, negative for missing cells. Labels may be unused or repeated."""

    codes: npt.NDArray[Any]
    labels: list[Any]


class Column(ABC):
    """The cells of one column."""

    @property
    @abstractmethod
    def kind(self) -> Kind:
        """The type of the cells."""

    @abstractmethod
    def numbers(self) -> Numbers:
        """Return the cells as numbers, or raise DataError, to which the caller adds the column."""

    @abstractmethod
    def coded(self) -> Coded:
        """Return the distinct values and the code of every cell."""

    @abstractmethod
    def raw_codes(self) -> RawCodes:
        """Return the codes that are cheapest to compute, of any integer type, negative if missing."""

    def places(self, axis: Axis) -> Places:
        """Return the position of every cell on an axis."""
        return place_codes(*self.raw_codes(), axis)

    @abstractmethod
    def head(self, rows: int, /) -> Column:
        """Return the first rows."""

    @abstractmethod
    def take(self, rows: RowIndex, /) -> Column:
        """Return these rows, in this order; a view if they are a slice."""

    @property
    def storage(self) -> object:
        """How the cells are stored; `joined` takes columns for which it is equal."""
        return type(self)

    @abstractmethod
    def joined(self, others: Sequence[Any], /) -> Column:
        """Return the rows of this column followed by those of the others, which have the same storage."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Numbers(Column):
    """An array of numbers or bools; a 0 bit of `valid` is a missing cell, and so is NaN."""

    values: npt.NDArray[Any]
    valid: Bitmap | None = None

    @property
    def kind(self) -> Kind:
        """The type of the dtype."""
        return _KINDS[self.values.dtype.kind]

    def numbers(self) -> Numbers:
        """Return itself."""
        return self

    def coded(self) -> Coded:
        """Return the distinct numbers, sorted."""
        if self.valid is None:
            return coded(self.values)
        return coded(self.values, ~np.unpackbits(self.valid, count=len(self.values), bitorder="little").view(np.bool_))

    def raw_codes(self) -> RawCodes:
        """Return the same as `coded`."""
        return RawCodes(*self.coded())

    def head(self, rows: int, /) -> Numbers:
        """Return the first rows."""
        return Numbers(self.values[:rows], self.valid)

    def take(self, rows: RowIndex, /) -> Numbers:
        """Return these rows."""
        valid = self.valid
        if valid is not None:
            known = np.unpackbits(valid, count=len(self.values), bitorder="little")[rows]
            valid = np.packbits(known, bitorder="little")
        return Numbers(self.values[rows], valid)

    @property
    def storage(self) -> object:
        """Numbers of this dtype."""
        return Numbers, self.values.dtype

    def joined(self, others: Sequence[Numbers], /) -> Numbers:
        """Return the numbers of all."""
        each = (self, *others)
        values = np.concatenate([column.values for column in each])
        if all(column.valid is None for column in each):
            return Numbers(values)
        bits = [
            np.ones(len(column.values), dtype=np.uint8)
            if column.valid is None
            else np.unpackbits(column.valid, count=len(column.values), bitorder="little")
            for column in each
        ]
        return Numbers(values, np.packbits(np.concatenate(bits), bitorder="little"))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Objects(Column):
    """An array of Python objects, which may be missing."""

    values: npt.NDArray[Any]

    @property
    def kind(self) -> Kind:
        """The type of the first 100,000 objects."""
        return _kind_of(self.values[:_LOOKED_AT].tolist())

    def numbers(self) -> Numbers:
        """Return the objects as floats, or raise DataError."""
        values: list[Any] = self.values.tolist()
        floats = [value if isinstance(value, float) else _float(row, value) for row, value in enumerate(values)]
        return Numbers(np.array(floats, dtype=np.float64))

    def coded(self) -> Coded:
        """Return the distinct objects in the order of their first occurrence."""
        return coded(self.values)

    def raw_codes(self) -> RawCodes:
        """Return the same as `coded`."""
        return RawCodes(*self.coded())

    def places(self, axis: Axis) -> Places:
        """Return the position of every cell on an axis; a few are looked up, many are coded first."""
        if len(self.values) <= FEW:
            return place_objects(self.values.tolist(), axis)
        return place_codes(*self.coded(), axis)

    def head(self, rows: int, /) -> Objects:
        """Return the first rows."""
        return Objects(self.values[:rows])

    def take(self, rows: RowIndex, /) -> Objects:
        """Return these rows."""
        return Objects(self.values[rows])

    def joined(self, others: Sequence[Objects], /) -> Objects:
        """Return the objects of all."""
        return Objects(np.concatenate([column.values for column in (self, *others)]))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Codes(Column):
    """Codes into a list of values, negative for missing cells. Values may be unused."""

    codes: npt.NDArray[Any]
    values: npt.NDArray[Any]
    missing: BoolArray | None = None

    @property
    def kind(self) -> Kind:
        """The type of the values; numbers that are categories are levels, not quantities."""
        kind = _kind_of(self.values.tolist())
        return "mixed" if kind in ("integer", "float") else kind

    def numbers(self) -> Numbers:
        """Return the values of the codes as floats, or raise DataError."""
        codes, there = self.occurring()
        values = np.full(len(self.values) + 1, np.nan)
        values[:-1][there] = self._read(codes, there, lambda some: Objects(some.astype(object)).numbers().values)
        return Numbers(values[codes])

    def coded(self) -> Coded:
        """Return the values that occur."""
        codes, there = self.occurring()
        some = self._read(codes, there, coded)  # in canonical form and distinct
        place = np.full(len(self.values) + 1, -1, dtype=np.int64)
        place[:-1][there] = some.codes
        return Coded(place[codes], some.labels)

    def occurring(self) -> tuple[IntArray, BoolArray]:
        """Return the codes, −1 for missing cells, and which values occur."""
        codes = self.codes.astype(np.int64)
        codes[codes < 0 if self.missing is None else self.missing | (codes < 0)] = -1
        if (codes >= len(self.values)).any():
            raise DataError(
                f"a dictionary-encoded column has {len(self.values)} values but larger codes",
                kind="bad_code",
                row=int(codes.argmax()),
                got=int(codes.max()),
            )
        return codes, np.bincount(codes[codes >= 0], minlength=len(self.values)) > 0

    def _read(self, codes: IntArray, there: BoolArray, read: Callable[[npt.NDArray[Any]], _Result]) -> _Result:
        try:
            return read(self.values[there])
        except DataError:
            # The error has the position among the values; the user needs the row.
            for at in np.flatnonzero(there).tolist():
                try:
                    read(self.values[at : at + 1])
                except DataError as reason:
                    raise reason.located(row=int(np.argmax(codes == at))) from None
            raise

    def raw_codes(self) -> RawCodes:
        """Return the given codes and all values if each can be a label, otherwise those that occur."""
        if self.missing is not None or self.codes.max(initial=-1) >= len(self.values):
            return RawCodes(*self.coded())
        try:
            some = coded(self.values)
        except DataError:
            return RawCodes(*self.coded())
        # A value may be missing, or equal to another in canonical form.
        if (some.codes < 0).any() or len(some.labels) < len(self.values):
            return RawCodes(*self.coded())
        return RawCodes(self.codes, [some.labels[k] for k in some.codes.tolist()])

    def head(self, rows: int, /) -> Codes:
        """Return the first rows."""
        return self.take(slice(rows))

    def take(self, rows: RowIndex, /) -> Codes:
        """Return these rows."""
        return Codes(self.codes[rows], self.values, None if self.missing is None else self.missing[rows])

    @property
    def storage(self) -> object:
        """Codes of values of this dtype."""
        return Codes, self.values.dtype

    def joined(self, others: Sequence[Codes], /) -> Codes:
        """Return the codes of all, into one list of the values that occur."""
        codes: list[IntArray] = []
        values: list[npt.NDArray[Any]] = []
        start = 0
        for column in (self, *others):
            own, there = column.occurring()
            codes.append(np.append(np.cumsum(there) - 1 + start, -1)[own])
            values.append(column.values[there])
            start += len(values[-1])
        return Codes(np.concatenate(codes), np.concatenate(values))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Nothing(Column):
    """A column of missing cells."""

    rows: int

    @property
    def kind(self) -> Kind:
        """Nothing."""
        return "nothing"

    def numbers(self) -> Numbers:
        """Return zeros, none of them valid."""
        return Numbers(np.broadcast_to(np.zeros(1), (self.rows,)), np.zeros((self.rows + 7) // 8, dtype=np.uint8))

    def coded(self) -> Coded:
        """Return codes of −1 and no labels."""
        return Coded(np.full(self.rows, -1, dtype=np.int64), [])

    def raw_codes(self) -> RawCodes:
        """Return the same as `coded`."""
        return RawCodes(*self.coded())

    def head(self, rows: int, /) -> Nothing:
        """Return the first rows."""
        return Nothing(min(rows, self.rows))

    def take(self, rows: RowIndex, /) -> Nothing:
        """Return as many rows."""
        return Nothing(len(range(self.rows)[rows]) if isinstance(rows, slice) else len(rows))

    def joined(self, others: Sequence[Nothing], /) -> Nothing:
        """Return a column with the rows of all."""
        return Nothing(sum(column.rows for column in (self, *others)))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Unread(Column):
    """A column of a type that no likelihood models."""

    kind_: Literal["time", "nested", "binary"]
    type_: str
    times: Callable[[], Times] | None = None
    """Returns the dates or times as written, NaT if missing."""

    @property
    def kind(self) -> Kind:
        """Time, nested or binary."""
        return self.kind_

    def numbers(self) -> Numbers:
        """Raise DataError."""
        raise DataError(f"unsupported type: {self.type_}", kind="unusable_type")

    def coded(self) -> Coded:
        """Raise DataError."""
        raise DataError(f"unsupported type: {self.type_}", kind="unusable_type")

    def raw_codes(self) -> RawCodes:
        """Return the same as `coded`."""
        return RawCodes(*self.coded())

    def head(self, rows: int, /) -> Unread:
        """Return the first rows."""
        return self.take(slice(rows))

    def take(self, rows: RowIndex, /) -> Unread:
        """Return these rows."""
        times = self.times
        return Unread(self.kind_, self.type_, None if times is None else lambda: times()[rows])

    def joined(self, others: Sequence[Unread], /) -> Unread:
        """Return the rows of all."""
        every = [column.times for column in (self, *others)]
        known = [times for times in every if times is not None]
        if len(known) < len(every):
            return Unread(self.kind_, self.type_)
        return Unread(self.kind_, self.type_, lambda: np.concatenate([times() for times in known]))


def bitmap_of(missing: npt.NDArray[np.bool_]) -> Bitmap:
    """Return the validity bitmap of cells, given which are missing."""
    return np.packbits(~missing, bitorder="little")


def _float(row: int, value: Any) -> float:
    if is_missing(value):
        return float("nan")
    if not isinstance(value, (int, float, np.integer, np.floating, np.bool_, decimal.Decimal)):
        raise DataError("must be a number", kind="not_a_number", row=row, got=value)
    try:
        return float(cast("Any", value))
    except OverflowError:
        raise DataError(
            "must be representable as float64", kind="not_a_number", row=row, got=cast("object", value)
        ) from None


def _kind_of(values: list[Any]) -> Kind:
    types: set[type[Any]] = {type(value) for value in values if not is_missing(value)}
    kinds: set[Kind] = {_kind_of_type(kind) for kind in types}
    if not kinds:
        return "nothing"
    if kinds == {"integer", "float"}:
        return "float"
    return kinds.pop() if len(kinds) == 1 else "mixed"


def _kind_of_type(kind: type[Any]) -> Kind:
    if issubclass(kind, str):
        return "text"
    if issubclass(kind, (bool, np.bool_)):
        return "bool"
    if issubclass(kind, (int, np.integer)):
        return "integer"
    if issubclass(kind, (float, np.floating, decimal.Decimal)):
        return "float"
    if issubclass(kind, (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)):
        return "time"
    if issubclass(kind, (bytes, bytearray, memoryview)):
        return "binary"
    return "nested" if issubclass(kind, (list, tuple, dict, set, np.ndarray)) else "mixed"


_TIMES = frozenset({"date", "time", "timestamp", "duration"})
_NESTED = frozenset({"list", "struct", "map", "other"})
_MOST = 2**31 - 1
_LONG = ("Int128", "UInt128")  # of Polars; Arrow has no such type


@final
@dataclass(frozen=True, slots=True, eq=False)
class Texts(Column):
    """Chunks of text."""

    chunks: tuple[_core.ArrowChunk, ...]
    limit: int | None = None
    """The number of rows to read, if not all of them."""

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
        """Return the codes in the form of the core."""
        return RawCodes(*self._encoded())

    def places(self, axis: Axis) -> Places:
        """Return the position of every cell on an axis; a few are looked up, many are coded first."""
        if self.limit is None and sum(chunk.length for chunk in self.chunks) <= FEW:
            with suppress(ValueError):  # invalid UTF-8, reported by the coding
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
    columns : pairs of the name of a column and its type in Polars or PyArrow, None if it has no fields
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
    kind = getattr(kind, "pyarrow_dtype", kind)  # of an Arrow-backed pandas column
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
        if whole.null_count() > series.null_count():  # Python integers are unbounded
            return Objects(np.fromiter(series.to_list(), dtype=object, count=len(series)))
        series = whole
    return arrow_column(series.alias("").__arrow_c_stream__())


def arrow_column(stream: Any, rows: int | None = None) -> Column:
    """Return the column of an Arrow stream capsule; DataError if it does not have the given number of rows."""
    try:
        chunks = list(_core.arrow_chunks(stream))
    except UnicodeDecodeError:  # some versions of Python give it no text
        raise DataError("invalid Arrow column: its format or its error message is not valid utf-8") from None
    except (ValueError, TypeError) as reason:  # malformed, of an unknown format, or not a stream
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
        return _unread(chunks[0].dictionary.kind) or _dictionary_column(chunks)
    return _unread(kind) or Numbers(_join_arrays([chunk.values() for chunk in chunks]), _validity(chunks, length))


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


def _dictionary_column(chunks: Sequence[_core.ArrowChunk]) -> Column:
    # Every chunk has its own dictionary; the common one concatenates their values.
    codes: list[npt.NDArray[Any]] = []
    values: list[npt.NDArray[Any]] = []
    start = rows = 0
    for chunk in chunks:
        here = _chunk_objects(chunk.dictionary)
        given = chunk.codes()
        bitmap = chunk.valid()
        known = None if bitmap is None else np.unpackbits(bitmap, count=chunk.length, bitorder="little").view(np.bool_)
        _require_dictionary_codes(given, known, len(here), rows)
        own: npt.NDArray[Any] = given.astype(np.int32 if _fit_32_bits(given, start + len(here)) else np.int64)
        if known is not None:
            own[~known] = -1
        if start:
            own[own >= 0] += start
        codes.append(own)
        values.append(here)
        start += len(here)
        rows += chunk.length
    return Codes(_join_arrays(codes), _join_arrays(values))


def _require_dictionary_codes(
    codes: npt.NDArray[Any], known: npt.NDArray[np.bool_] | None, size: int, first: int
) -> None:
    # Checked before the conversion, which would make codes that are too large negative. −1 is a missing cell.
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


def _fit_32_bits(codes: npt.NDArray[Any], size: int) -> bool:
    # Whether codes of so many values, and the placeholder of missing rows, fit into 32 bits.
    return size <= _MOST and bool(codes.max(initial=0) <= _MOST) and bool(codes.min(initial=0) >= -_MOST)


def _chunk_objects(chunk: _core.ArrowChunk) -> npt.NDArray[Any]:
    if chunk.kind == "null":
        return np.full(chunk.length, None, dtype=object)
    if chunk.kind == "text":
        return np.fromiter(chunk.texts(), dtype=object, count=chunk.length)
    objects = chunk.values().astype(object)
    bitmap = chunk.valid()
    if bitmap is not None:
        objects[~np.unpackbits(bitmap, count=chunk.length, bitorder="little").view(np.bool_)] = None
    return objects


def _join_arrays(parts: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    if not parts:
        return np.zeros(0)
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
