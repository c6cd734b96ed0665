"""The bytes of a model file: safetensors with one string of metadata, and a digest of everything before it at its end.

    8 bytes     N, the length of the header, little-endian
    N bytes     the header: JSON, {"__metadata__": {"suffice": …}, name: {"dtype": …, "shape": …, "data_offsets": …}, …}
    the rest    the arrays in the order of the header, little-endian, without gaps; the last is "sha256", 32 bytes

What is read is bounded before it is looked at: the header by its length, then the number of arrays, then each array by
the file's own size. Arrays are views of the bytes that were read and hashed: no copies, and nobody can write there.

safetensors itself would read the same file, but hands each array over in memory that can be written, so that all of it
would be copied twice; the tests hold every file to what it reads.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import stat
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from suffice.errors import ModelFileError

__all__ = ["DAMAGED", "ENTRIES", "HEADER_BYTES", "Container", "parsed", "read_container", "shown", "write_container"]

HEADER_BYTES = 4 << 20
ENTRIES = 40_000
_DIMENSIONS = 3
_MOST = 1 << 48  # numbers in an array, also where one of its dimensions is 0
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

DAMAGED = "The file is damaged: save the model again, or take a copy of the file from elsewhere."
_NO_MODEL = "It is not a suffice model file, or it is damaged."


class Container(NamedTuple):
    """The metadata of a file, which is JSON yet to be parsed, and its arrays by name."""

    metadata: str
    arrays: dict[str, npt.NDArray[Any]]


class _Entry(NamedTuple):
    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    start: int
    end: int


def write_container(file: BinaryIO, metadata: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write arrays of float64, int64, uint64, int32, uint8 or bool (as uint8) and a string of ASCII."""
    plain = {name: _plain(array) for name, array in arrays.items()}
    ordered = sorted(plain.items(), key=lambda item: -item[1].itemsize)  # so that every array is aligned
    if len(ordered) >= ENTRIES:
        raise ModelFileError(f"a model file holds at most {ENTRIES:,} arrays: got {len(ordered) + 1:,}. {_FEWER}")
    header = bytearray(b'{"__metadata__":' + _json({"suffice": metadata}))
    at = 0
    for name, dtype, shape, length in _listed(ordered):
        header += b",%s:%s" % (_json(name), _json({"dtype": dtype, "shape": shape, "data_offsets": [at, at + length]}))
        at += length
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


_FEWER = "Give the columns that share a likelihood as one group."


def read_container(file: BinaryIO) -> Container:
    """Read a file, or raise ModelFileError where a length, a name or the digest is not as it must be."""
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode):
        raise ModelFileError("it is not a regular file. Give the path of a model file.")
    size = status.st_size
    start = file.read(8)
    if not size or not start:
        raise ModelFileError("it is empty. Save the model again, or take a copy of the file from elsewhere.")
    length = int.from_bytes(start, "little")
    if size < 8 or length > HEADER_BYTES:
        found = "it looks like a pickle, which could run code and is never read" if start[0] == 0x80 else _first(start)
        raise ModelFileError(f"{found}. {_NO_MODEL}")
    if 8 + length + _DIGEST_BYTES > size:
        raise ModelFileError(
            f"its header should have {length:,} bytes and {_DIGEST_BYTES} follow it at least, "
            f"but the whole file has {size:,}. {DAMAGED}"
        )
    header = file.read(length)
    metadata, entries = _entries(header, size - 8 - length)
    try:
        data = file.read(size - 8 - length)
    except (MemoryError, OverflowError):
        raise ModelFileError(f"its {size:,} bytes do not fit into memory. Load it on a larger machine.") from None
    if len(header) != length or len(data) != size - 8 - length or file.read(1):
        raise ModelFileError(f"it changed while it was read. {DAMAGED}")
    digest = hashlib.sha256(start)
    digest.update(header)
    digest.update(memoryview(data)[:-_DIGEST_BYTES])
    if digest.digest() != data[-_DIGEST_BYTES:]:
        raise ModelFileError(f"its bytes do not add up to its SHA-256: some are not those that were written. {DAMAGED}")
    return Container(metadata, {entry.name: _view(data, entry) for entry in entries[:-1]})


def parsed(text: str | bytes, what: str) -> Any:
    """Return the JSON of a text in which no key stands twice and every number is finite."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            seen: set[str] = set()
            twice = next(key for key, _ in pairs if key in seen or seen.add(key))
            raise ModelFileError(f"{what} has the key {shown(twice)} twice. {DAMAGED}")
        return found

    def refuse(constant: str) -> Any:
        raise ModelFileError(f"{what} must hold finite numbers: got {constant}. {DAMAGED}")

    def finite(number: str) -> float:
        value = float(number)
        return value if math.isfinite(value) else refuse(number[:40])

    try:
        return json.loads(
            text if isinstance(text, str) else text.decode("utf-8"),
            object_pairs_hook=once,
            parse_constant=refuse,
            parse_float=finite,
        )
    except (ValueError, RecursionError) as reason:
        if isinstance(reason, ModelFileError):
            raise
        raise ModelFileError(f"{what} is not JSON. {_NO_MODEL}") from None


def _entries(header: bytes, data: int) -> tuple[str, list[_Entry]]:
    found = parsed(header, "its header")
    if not isinstance(found, dict):
        raise ModelFileError(f"its header is no JSON object. {_NO_MODEL}")
    listed = cast("dict[str, Any]", found)
    given: Any = listed.pop("__metadata__", None)
    metadata = cast("dict[str, Any]", given).get("suffice") if isinstance(given, dict) else None
    if not isinstance(metadata, str):
        raise ModelFileError(f"its header has no metadata of suffice. {_NO_MODEL}")
    if len(cast("dict[str, Any]", given)) > 1:
        raise ModelFileError(
            f"its metadata must be 'suffice' alone: got {len(cast('dict[str, Any]', given))} keys. {DAMAGED}"
        )
    if len(listed) > ENTRIES:
        raise ModelFileError(f"it lists {len(listed):,} arrays; at most {ENTRIES:,} are read. {_NO_MODEL}")
    entries = [_entry(name, value) for name, value in listed.items()]
    at = 0
    for entry in entries:
        if entry.start != at:
            how = "overlaps" if entry.start < at else "leaves a gap after"
            raise ModelFileError(
                f"array {entry.name!r} {how} the one before it: it starts at {entry.start:,}, "
                f"that ends at {at:,}. {DAMAGED}"
            )
        if entry.start % entry.dtype.itemsize:
            raise ModelFileError(f"array {entry.name!r} starts at {entry.start:,}, which is not aligned. {DAMAGED}")
        at = entry.end
    if at != data:
        raise ModelFileError(f"its arrays should have {at:,} bytes together, but {data:,} are there. {DAMAGED}")
    if not entries or entries[-1][:3] != (_DIGEST, _DTYPES["U8"], (_DIGEST_BYTES,)):
        raise ModelFileError(f"its last array must be {_DIGEST!r} of {_DIGEST_BYTES} bytes, its checksum. {DAMAGED}")
    return metadata, entries


def _entry(name: str, value: Any) -> _Entry:
    if not _NAME.fullmatch(name):
        raise ModelFileError(f"an array has the name {shown(name)}, which no array has. {DAMAGED}")
    entry = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if set(entry) != {"dtype", "shape", "data_offsets"}:
        raise ModelFileError(f"array {name!r} must have dtype, shape and data_offsets, and nothing else. {DAMAGED}")
    dtype = _DTYPES.get(entry["dtype"]) if isinstance(entry["dtype"], str) else None
    if dtype is None:
        raise ModelFileError(
            f"array {name!r} must have one of the dtypes {', '.join(_DTYPES)}: got {shown(entry['dtype'])}. {DAMAGED}"
        )
    shape, offsets = _wholes(entry["shape"]), _wholes(entry["data_offsets"])
    if shape is None or len(shape) > _DIMENSIONS or math.prod(max(each, 1) for each in shape) > _MOST:
        raise ModelFileError(
            f"array {name!r} must have a shape of at most {_DIMENSIONS} whole numbers ≥ 0, and at most 2⁴⁸ entries: "
            f"got {shown(entry['shape'])}. {DAMAGED}"
        )
    if offsets is None or len(offsets) != 2 or offsets[1] - offsets[0] != math.prod(shape) * dtype.itemsize:
        raise ModelFileError(
            f"array {name!r} of shape {list(shape)} has {math.prod(shape) * dtype.itemsize:,} bytes: "
            f"got data_offsets {shown(entry['data_offsets'])}. {DAMAGED}"
        )
    return _Entry(name, dtype, shape, *offsets)


def _wholes(value: Any) -> tuple[int, ...] | None:
    numbers: list[Any] = cast("list[Any]", value) if isinstance(value, list) else [None]
    return tuple(numbers) if all(type(each) is int and each >= 0 for each in numbers) else None


def _view(data: bytes, entry: _Entry) -> npt.NDArray[Any]:
    count = math.prod(entry.shape)
    if not count:
        return np.zeros(entry.shape, dtype=entry.dtype.newbyteorder("="))
    found = np.frombuffer(data, entry.dtype, count, entry.start).reshape(entry.shape)
    return found.astype(entry.dtype.newbyteorder("="), copy=False)


def _plain(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    kind = array.dtype.newbyteorder("<") if array.dtype != np.bool_ else np.dtype("u1")
    assert kind in _NAMES, kind
    return np.asarray(array, dtype=kind, order="C")


def _listed(arrays: list[tuple[str, npt.NDArray[Any]]]) -> Iterator[tuple[str, str, list[int], int]]:
    for name, array in arrays:
        assert _NAME.fullmatch(name), name
        yield name, _NAMES[array.dtype], list(array.shape), array.nbytes
    yield _DIGEST, "U8", [_DIGEST_BYTES], _DIGEST_BYTES


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii")


def _first(start: bytes) -> str:
    length = int.from_bytes(start, "little")
    if len(start) < 8:
        return f"it has {len(start)} bytes, and a header's length alone has 8"
    return f"its first 8 bytes ask for a header of {length:,} bytes; at most {HEADER_BYTES:,} are read"


def shown(value: object) -> str:
    """Return a value as it is written, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
