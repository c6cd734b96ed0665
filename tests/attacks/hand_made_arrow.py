"""Arrow streams filled in by hand through ctypes, so that they may lie; what is released is counted."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from typing import Any, ClassVar


class Schema(Structure):
    pass


class Array(Structure):
    pass


class Stream(Structure):
    pass


SchemaRelease = CFUNCTYPE(None, POINTER(Schema))
ArrayRelease = CFUNCTYPE(None, POINTER(Array))
StreamRelease = CFUNCTYPE(None, POINTER(Stream))
GetSchema = CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))
GetNext = CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))
GetLastError = CFUNCTYPE(c_void_p, POINTER(Stream))

Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_char_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", c_void_p),
    ("dictionary", POINTER(Schema)),
    ("release", SchemaRelease),
    ("private_data", c_void_p),
]
Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", c_void_p),
    ("dictionary", POINTER(Array)),
    ("release", ArrayRelease),
    ("private_data", c_void_p),
]
Stream._fields_ = [
    ("get_schema", GetSchema),
    ("get_next", GetNext),
    ("get_last_error", GetLastError),
    ("release", StreamRelease),
    ("private_data", c_void_p),
]

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [c_void_p, c_void_p, c_void_p]
CAPSULE_NAME = ctypes.create_string_buffer(b"arrow_array_stream")
OTHER_NAME = ctypes.create_string_buffer(b"arrow_array")


class HandMade:
    """A stream of `arrays`, each (length, null_count, offset, buffers)."""

    everyone: ClassVar[list[HandMade]] = []  # its memory and callbacks must outlive what is read from it

    def __init__(
        self,
        form: bytes | None,
        arrays: Sequence[tuple[int, int, int, Sequence[bytes | None] | None]] = (),
        *,
        dictionary: tuple[bytes, tuple[int, int, int, Sequence[bytes | None]]] | None = None,
        schema_error: int = 0,
        next_error: int = 0,
        words: bytes | None = None,
    ) -> None:
        self.everyone.append(self)
        self.released = {"stream": 0, "schema": 0, "array": 0}
        self.kept: list[Any] = []
        self._dictionary = dictionary
        self._words = ctypes.create_string_buffer(words) if words is not None else None
        arrays_left = [self._array(*array) for array in arrays]
        self.on_schema = SchemaRelease(self._on_schema)
        self.on_array = ArrayRelease(self._on_array)

        def get_schema(_: Any, out: Any) -> int:
            if schema_error:
                return schema_error
            out[0].format = form
            out[0].release = self.on_schema
            if dictionary is not None:
                inner = Schema(format=dictionary[0])
                self.kept.append(inner)
                out[0].dictionary = ctypes.pointer(inner)
            return 0

        def get_next(_: Any, out: Any) -> int:
            if arrays_left:
                ctypes.memmove(out, ctypes.byref(arrays_left.pop(0)), ctypes.sizeof(Array))
                out[0].release = self.on_array
                return 0
            ctypes.memset(out, 0, ctypes.sizeof(Array))
            return next_error

        self.stream = Stream(
            GetSchema(get_schema),
            GetNext(get_next),
            GetLastError(lambda _: ctypes.addressof(self._words) if self._words is not None else None),
            StreamRelease(self._on_stream),
        )

    def _array(self, length: int, null_count: int, offset: int, buffers: Sequence[bytes | None] | None) -> Array:
        array = Array(length=length, null_count=null_count, offset=offset, n_buffers=len(buffers or ()))
        if buffers is not None:
            blocks = [None if block is None else ctypes.create_string_buffer(block, len(block)) for block in buffers]
            pointers = (c_void_p * len(blocks))(*[None if b is None else ctypes.addressof(b) for b in blocks])
            array.buffers = ctypes.cast(pointers, POINTER(c_void_p))
            self.kept.append((blocks, pointers))
        if self._dictionary is not None:
            spec, self._dictionary = self._dictionary, None
            inner = self._array(*spec[1])
            self.kept.append(inner)
            array.dictionary = ctypes.pointer(inner)
            self._dictionary = spec
        return array

    def _on_schema(self, schema: Any) -> None:
        self.released["schema"] += 1
        schema[0].release = SchemaRelease()

    def _on_array(self, array: Any) -> None:
        self.released["array"] += 1
        array[0].release = ArrayRelease()

    def _on_stream(self, stream: Any) -> None:
        self.released["stream"] += 1
        stream[0].release = StreamRelease()

    def __arrow_c_stream__(self, name: Any = CAPSULE_NAME) -> object:
        return new_capsule(ctypes.addressof(self.stream), ctypes.addressof(name), None)
