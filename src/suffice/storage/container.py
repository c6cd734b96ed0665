"""The bytes of a model file: safetensors with one metadata string and a SHA-256 checksum at the end.

    8 bytes     N, the length of the header, little-endian
    N bytes     the header: JSON, {"__metadata__": {"suffice": …}, name: {"dtype": …, "shape": …, "data_offsets": …}, …}
    the rest    the arrays in header order, little-endian, without gaps; the last is "sha256", 32 bytes

Every length is bounded before it is used: that of the header, then the number of arrays, then each array by the size of
the file. Arrays are read-only views of the bytes that were read and hashed, without copies. The safetensors library
reads the same file, but returns writable arrays, which would have to be copied; the tests compare every file with it.

`Arrays` hands out the arrays one by one: each must have the dtype and shape that the schema implies, and none may be
left over. `StoredFields` does the same for the keys of a JSON object of the schema, with their types and ranges.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import stat
from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import Any, BinaryIO, NamedTuple, cast, final

import numpy as np
import numpy.typing as npt

from suffice.errors import ModelFileError
from suffice.statistics import Axis
from suffice.statistics.arrays import BoolArray, FloatArray, IntArray, KeyArray, seal
from suffice.statistics.label_bytes import labels_from_arrays
from suffice.statistics.labels import Label

__all__ = [
    "DAMAGED",
    "ENTRIES",
    "HEADER_BYTES",
    "Arrays",
    "Container",
    "Shape",
    "StoredFields",
    "abbreviate",
    "parse_json",
    "read_container",
    "write_container",
]


HEADER_BYTES = 4 << 20
ENTRIES = 40_000
_DIMENSIONS = 3
_MOST_ENTRIES = 1 << 48  # of an array, counting dimensions of 0 as 1
_DIGEST, _DIGEST_BYTES = "sha256", 32
_DTYPES = {
    "F64": np.dtype("<f8"),
    "I64": np.dtype("<i8"),
    "U64": np.dtype("<u8"),
    "I32": np.dtype("<i4"),
    "U8": np.dtype("u1"),
}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}
_NAME = re.compile(r"[A-Za-z0-9_.]{1,100}")

DAMAGED = "The file is damaged: save the model again, or restore the file from a copy."
_NO_MODEL = "It is not a suffice model file, or it is damaged."
_FEWER = "Pass columns that share a likelihood as one group."
_PEEK_BYTES = 4096
_SIGNATURES = {
    b"\x80": "a pickle, which could run code and is never loaded",
    b"PAR1": "Parquet",
    b"ARROW1": "Arrow IPC",
    b"PK\x03\x04": "a ZIP archive, such as .xlsx or .npz",
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "Zstandard",
    b"\x93NUMPY": "a NumPy array",
    b"SQLite format 3": "a SQLite database",
}


class Container(NamedTuple):
    """The metadata of a file (unparsed JSON) and its arrays by name."""

    metadata: str
    arrays: dict[str, npt.NDArray[Any]]


class _Entry(NamedTuple):
    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    start: int
    end: int


def write_container(file: BinaryIO, metadata: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write arrays of dtype float64, int64, uint64, int32, uint8 or bool (as uint8), and an ASCII string."""
    stored = {name: _to_stored_dtype(array) for name, array in arrays.items()}
    ordered = sorted(stored.items(), key=lambda item: -item[1].itemsize)  # so that every array is aligned
    if len(ordered) >= ENTRIES:
        raise ModelFileError(f"a model file has at most {ENTRIES:,} arrays: got {len(ordered) + 1:,}. {_FEWER}")
    header = bytearray(b'{"__metadata__":' + _json({"suffice": metadata}))
    start = 0
    for name, dtype, shape, length in _header_entries(ordered):
        entry = {"dtype": dtype, "shape": shape, "data_offsets": [start, start + length]}
        header += b",%s:%s" % (_json(name), _json(entry))
        start += length
    header += b"}"
    header += b" " * (-len(header) % 8)
    if len(header) > HEADER_BYTES:
        raise ModelFileError(
            f"the header of a model file has at most {HEADER_BYTES:,} bytes: got {len(header):,}. {_FEWER}"
        )
    digest = hashlib.sha256()
    data = (memoryview(cast("Any", array.reshape(-1))).cast("B") for _, array in ordered if array.size)
    for piece in chain((len(header).to_bytes(8, "little"), header), data):
        digest.update(piece)
        file.write(piece)
    file.write(digest.digest())


def read_container(file: BinaryIO) -> Container:
    """Read a file; raise ModelFileError if a length, a name or the checksum is wrong."""
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode):
        raise ModelFileError("it is not a regular file. Pass the path of a model file.")
    size = status.st_size
    start = file.read(8)
    if not size or not start:
        raise ModelFileError("it is empty. Save the model again, or restore the file from a copy.")
    length = int.from_bytes(start, "little")
    if size < 8 or length > HEADER_BYTES:
        raise ModelFileError(_describe_foreign(start + file.read(_PEEK_BYTES), length))
    if 8 + length + _DIGEST_BYTES > size:
        raise ModelFileError(
            f"its header should have {length:,} bytes, followed by at least {_DIGEST_BYTES}, "
            f"but the file has only {size:,}. {DAMAGED}"
        )
    header = file.read(length)
    metadata, entries = _parse_entries(header, size - 8 - length)
    try:
        data = file.read(size - 8 - length)
    except (MemoryError, OverflowError):
        raise ModelFileError(f"its {size:,} bytes do not fit into memory. Load it on a larger machine.") from None
    if len(header) != length or len(data) != size - 8 - length or file.read(1):
        raise ModelFileError(f"it changed while it was being read. {DAMAGED}")
    digest = hashlib.sha256(start)
    digest.update(header)
    digest.update(memoryview(data)[:-_DIGEST_BYTES])
    if digest.digest() != data[-_DIGEST_BYTES:]:
        raise ModelFileError(f"its SHA-256 checksum does not match its contents. {DAMAGED}")
    return Container(metadata, {entry.name: _view(data, entry) for entry in entries[:-1]})


def parse_json(text: str | bytes, what: str) -> Any:
    """Parse JSON; raise ModelFileError for duplicate keys and non-finite numbers."""

    def require_unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        unique = dict(pairs)
        if len(unique) != len(pairs):
            seen: set[str] = set()
            duplicate = next(key for key, _ in pairs if key in seen or seen.add(key))
            raise ModelFileError(f"{what} has the key {abbreviate(duplicate)} twice. {DAMAGED}")
        return unique

    def refuse(constant: str) -> Any:
        raise ModelFileError(f"{what} must contain only finite numbers: got {constant}. {DAMAGED}")

    def finite(number: str) -> float:
        value = float(number)
        return value if math.isfinite(value) else refuse(number[:40])

    try:
        return json.loads(
            text if isinstance(text, str) else text.decode("utf-8"),
            object_pairs_hook=require_unique,
            parse_constant=refuse,
            parse_float=finite,
        )
    except (ValueError, RecursionError) as reason:
        if isinstance(reason, ModelFileError):
            raise
        raise ModelFileError(f"{what} is not JSON. {_NO_MODEL}") from None


def _parse_entries(header: bytes, data: int) -> tuple[str, list[_Entry]]:
    parsed = parse_json(header, "its header")
    if not isinstance(parsed, dict):
        raise ModelFileError(f"its header is not a JSON object. {_NO_MODEL}")
    listed = cast("dict[str, Any]", parsed)
    given: Any = listed.pop("__metadata__", None)
    metadata = cast("dict[str, Any]", given).get("suffice") if isinstance(given, dict) else None
    if not isinstance(metadata, str):
        raise ModelFileError(f"its header has no suffice metadata. {_NO_MODEL}")
    if len(cast("dict[str, Any]", given)) > 1:
        raise ModelFileError(
            f"its metadata must have the single key 'suffice': got {len(cast('dict[str, Any]', given))} keys. {DAMAGED}"
        )
    if len(listed) > ENTRIES:
        raise ModelFileError(f"it lists {len(listed):,} arrays; at most {ENTRIES:,} are allowed. {_NO_MODEL}")
    entries = [_entry(name, value) for name, value in listed.items()]
    end = 0
    for entry in entries:
        if entry.start != end:
            how = "overlaps" if entry.start < end else "leaves a gap after"
            raise ModelFileError(
                f"array {entry.name!r} {how} the one before it: it starts at {entry.start:,}, "
                f"and that one ends at {end:,}. {DAMAGED}"
            )
        if entry.start % entry.dtype.itemsize:
            raise ModelFileError(f"array {entry.name!r} starts at {entry.start:,}, which is not aligned. {DAMAGED}")
        end = entry.end
    if end != data:
        raise ModelFileError(f"its arrays should have {end:,} bytes in total, but there are {data:,}. {DAMAGED}")
    if not entries or entries[-1][:3] != (_DIGEST, _DTYPES["U8"], (_DIGEST_BYTES,)):
        raise ModelFileError(f"its last array must be {_DIGEST!r} of {_DIGEST_BYTES} bytes, its checksum. {DAMAGED}")
    return metadata, entries


def _entry(name: str, value: Any) -> _Entry:
    if not _NAME.fullmatch(name):
        raise ModelFileError(f"an array has the invalid name {abbreviate(name)}. {DAMAGED}")
    entry = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if set(entry) != {"dtype", "shape", "data_offsets"}:
        raise ModelFileError(f"array {name!r} must have exactly dtype, shape and data_offsets. {DAMAGED}")
    dtype = _DTYPES.get(entry["dtype"]) if isinstance(entry["dtype"], str) else None
    if dtype is None:
        raise ModelFileError(
            f"array {name!r} must be of dtype {', '.join(_DTYPES)}: got {abbreviate(entry['dtype'])}. {DAMAGED}"
        )
    shape, offsets = _natural_numbers(entry["shape"]), _natural_numbers(entry["data_offsets"])
    if shape is None or len(shape) > _DIMENSIONS or math.prod(max(size, 1) for size in shape) > _MOST_ENTRIES:
        raise ModelFileError(
            f"array {name!r} must have a shape of at most {_DIMENSIONS} integers ≥ 0, and at most 2⁴⁸ entries: "
            f"got {abbreviate(entry['shape'])}. {DAMAGED}"
        )
    if offsets is None or len(offsets) != 2 or offsets[1] - offsets[0] != math.prod(shape) * dtype.itemsize:
        raise ModelFileError(
            f"array {name!r} of shape {list(shape)} has {math.prod(shape) * dtype.itemsize:,} bytes: "
            f"got data_offsets {abbreviate(entry['data_offsets'])}. {DAMAGED}"
        )
    return _Entry(name, dtype, shape, *offsets)


def _natural_numbers(value: Any) -> tuple[int, ...] | None:
    numbers: list[Any] = cast("list[Any]", value) if isinstance(value, list) else [None]
    return tuple(numbers) if all(type(number) is int and number >= 0 for number in numbers) else None


def _view(data: bytes, entry: _Entry) -> npt.NDArray[Any]:
    count = math.prod(entry.shape)
    if not count:
        return np.zeros(entry.shape, dtype=entry.dtype.newbyteorder("="))
    array = np.frombuffer(data, entry.dtype, count, entry.start).reshape(entry.shape)
    return array.astype(entry.dtype.newbyteorder("="), copy=False)


def _to_stored_dtype(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    kind = array.dtype.newbyteorder("<") if array.dtype != np.bool_ else np.dtype("u1")
    assert kind in _NAMES, kind
    return np.asarray(array, dtype=kind, order="C")


def _header_entries(arrays: list[tuple[str, npt.NDArray[Any]]]) -> Iterator[tuple[str, str, list[int], int]]:
    for name, array in arrays:
        assert _NAME.fullmatch(name), name
        yield name, _NAMES[array.dtype], list(array.shape), array.nbytes
    yield _DIGEST, "U8", [_DIGEST_BYTES], _DIGEST_BYTES


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii")


def _describe_foreign(beginning: bytes, length: int) -> str:
    # The first bytes are not those of a model file: describe what the file appears to be.
    kind = next((kind for signature, kind in _SIGNATURES.items() if beginning.startswith(signature)), "")
    text = beginning.decode("utf-8", "replace").lstrip("\ufeff")
    if not kind and text.strip() and all(character.isprintable() or character.isspace() for character in text):
        first_line = text.strip().splitlines()[0]
        kind = "JSON" if first_line[0] in "{[" else "CSV" if set(first_line) & set(",;\t|") else "text"
    if kind:
        return f"it is not a suffice model (it looks like {kind}). Pass the path of a file that suffice has saved."
    if len(beginning) < 8:
        return f"it has only {len(beginning)} bytes. {_NO_MODEL}"
    return f"its header should have {length:,} bytes; at most {HEADER_BYTES:,} are allowed. {_NO_MODEL}"


def abbreviate(value: object) -> str:
    """Return the repr of a value, shortened to 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


Shape = tuple[int | None, ...]  # None: any length
Kinds = bytes


@final
class Arrays:
    """Arrays by name; each is read once and checked for dtype and shape.

    Examples
    --------
    >>> arrays = Arrays({"tally.weight": np.zeros(3)})
    >>> arrays.floats("tally.weight", (3,))
    array([0., 0., 0.])
    >>> arrays.done()
    """

    __slots__ = ("_unread",)

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self._unread = dict(arrays)

    def __contains__(self, name: str) -> bool:
        return name in self._unread

    def floats(self, name: str, shape: Shape | None) -> FloatArray:
        """Return a float64 array of that shape; None accepts any shape."""
        return self._take(name, np.float64, shape)

    def integers(self, name: str, shape: Shape) -> IntArray:
        """Return an int64 array of that shape."""
        return self._take(name, np.int64, shape)

    def small_integers(self, name: str, shape: Shape) -> npt.NDArray[np.int32]:
        """Return an int32 array of that shape."""
        return self._take(name, np.int32, shape)

    def bytes(self, name: str, shape: Shape) -> npt.NDArray[np.uint8]:
        """Return a uint8 array of that shape."""
        return self._take(name, np.uint8, shape)

    def keys(self, name: str, shape: Shape) -> KeyArray:
        """Return a uint64 array of that shape."""
        return self._take(name, np.uint64, shape)

    def flags(self, name: str, shape: Shape) -> BoolArray:
        """Return a boolean array of that shape, stored as 0 and 1."""
        values = self._take(name, np.uint8, shape)
        if values.size and values.max() > 1:
            raise ModelFileError(f"array {name!r} must contain only 0 and 1: got {values.max()}. {DAMAGED}")
        return seal(values.astype(np.bool_))

    def flags_or(self, name: str, shape: tuple[int, ...], default: bool) -> BoolArray:
        """Return a boolean array, or the default everywhere if the array is not stored."""
        return self.flags(name, shape) if name in self else seal(np.full(shape, default))

    def labels(self, prefix: str, number: int | None = None) -> tuple[Kinds, list[Label]]:
        """Return the kinds of the labels and the labels (label_bytes.py)."""
        arrays = self._label_arrays(prefix, number)
        return arrays[f"{prefix}.kinds"].tobytes(), labels_from_arrays(arrays, prefix)

    def axis(self, prefix: str, number: int) -> Axis:
        """Return an axis: sorted, distinct labels with declared flags."""
        declared = self.flags(f"{prefix}.declared", (number,))
        return Axis.from_arrays({**self._label_arrays(prefix, number), f"{prefix}.declared": declared}, prefix)

    def done(self) -> None:
        """Raise ModelFileError if an array has not been read."""
        if self._unread:
            raise ModelFileError(
                f"it has an array {next(iter(self._unread))!r} that its schema does not mention. {DAMAGED}"
            )

    def _label_arrays(self, prefix: str, number: int | None) -> dict[str, npt.NDArray[Any]]:
        kinds = self._take(f"{prefix}.kinds", np.uint8, (number,))
        offsets = self.integers(f"{prefix}.offsets", (len(kinds) + 1,))
        text = self._take(f"{prefix}.text", np.uint8, (None,))
        return {f"{prefix}.kinds": kinds, f"{prefix}.offsets": offsets, f"{prefix}.text": text}

    def _take(self, name: str, dtype: npt.DTypeLike, shape: Shape | None) -> npt.NDArray[Any]:
        array = self._unread.pop(name, None)
        if array is None:
            raise ModelFileError(f"the array {name!r} is missing. {DAMAGED}")
        fits = shape is None or (
            len(shape) == array.ndim
            and all(expected in (None, size) for expected, size in zip(shape, array.shape, strict=True))
        )
        if array.dtype != dtype or not fits:
            wanted = (
                "any shape"
                if shape is None
                else f"shape ({', '.join('…' if size is None else str(size) for size in shape)})"
            )
            raise ModelFileError(
                f"array {name!r} must be {np.dtype(dtype)} of {wanted}: "
                f"got {array.dtype} of shape ({', '.join(map(str, array.shape))}). {DAMAGED}"
            )
        return array


@final
class StoredFields:
    """A JSON object of the schema; every key is read once and checked.

    Parameters
    ----------
    value : parsed JSON
    where : str
        The name of the object in messages, such as "block 3".

    Examples
    --------
    >>> fields = StoredFields({"rows": 3}, "provenance")
    >>> fields.whole("rows")
    3
    >>> fields.done()
    """

    __slots__ = ("_unread", "where")

    def __init__(self, value: Any, where: str) -> None:
        self.where = where
        if not isinstance(value, dict):
            raise ModelFileError(f"{where} must be a JSON object: got {abbreviate(value)}. {DAMAGED}")
        self._unread = dict(cast("dict[str, Any]", value))

    def value(self, key: str) -> Any:
        """Return the value of a key, of any type."""
        if key not in self._unread:
            raise ModelFileError(f"{self.where} has no key {key!r}. {DAMAGED}")
        return self._unread.pop(key)

    def text(self, key: str) -> str:
        """Return a string."""
        value = self.value(key)
        if not isinstance(value, str):
            raise self._wrong(key, "a string", value)
        return value

    def option(self, key: str, allowed: Collection[str]) -> str:
        """Return one of the allowed strings."""
        value = self.text(key)
        if value not in allowed:
            raise self._wrong(key, " or ".join(map(repr, allowed)), value)
        return value

    def whole(self, key: str, most: int = 2**63 - 1) -> int:
        """Return an integer from 0 to `most`."""
        value = self.value(key)
        if type(value) is not int or not 0 <= value <= most:
            raise self._wrong(key, f"an integer from 0 to {most:,}", value)
        return value

    def flag(self, key: str) -> bool:
        """Return true or false."""
        value = self.value(key)
        if not isinstance(value, bool):
            raise self._wrong(key, "true or false", value)
        return value

    def list(self, key: str) -> list[Any]:
        """Return a list."""
        value = self.value(key)
        if not isinstance(value, list):
            raise self._wrong(key, "a list", value)
        return cast("list[Any]", value)

    def fields(self, key: str) -> StoredFields:
        """Return a nested object."""
        return StoredFields(self.value(key), f"{key} of {self.where}")

    def unread(self) -> tuple[str, ...]:
        """Return the keys that have not been read."""
        return tuple(self._unread)

    def done(self) -> None:
        """Raise ModelFileError if a key has not been read."""
        if self._unread:
            raise ModelFileError(f"{self.where} has the unknown key {abbreviate(next(iter(self._unread)))}. {DAMAGED}")

    def _wrong(self, key: str, rule: str, value: object) -> ModelFileError:
        return ModelFileError(f"{key} of {self.where} must be {rule}: got {abbreviate(value)}. {DAMAGED}")
