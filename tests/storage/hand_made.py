"""Take model files apart and reassemble them, so that a test can change one part and keep the checksum valid."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

SIZES = {"F64": 8, "I64": 8, "U64": 8, "I32": 4, "U8": 1}
TYPES = {"F64": "<f8", "I64": "<i8", "U64": "<u8", "I32": "<i4", "U8": "u1"}


@dataclass
class Parts:
    """The header and the bytes of each array of a file, to be changed freely."""

    header: dict[str, Any]
    data: dict[str, bytes]

    @classmethod
    def of(cls, raw: bytes) -> Parts:
        length = int.from_bytes(raw[:8], "little")
        header = json.loads(raw[8 : 8 + length])
        rest = raw[8 + length :]
        data = {name: rest[slice(*entry["data_offsets"])] for name, entry in header.items() if name != "__metadata__"}
        return cls(header, data)

    @property
    def schema(self) -> dict[str, Any]:
        return json.loads(self.header["__metadata__"]["suffice"])

    @schema.setter
    def schema(self, value: Any) -> None:
        self.header["__metadata__"]["suffice"] = json.dumps(value)

    def array(self, name: str) -> np.ndarray:
        entry = self.header[name]
        return np.frombuffer(self.data[name], TYPES[entry["dtype"]]).reshape(entry["shape"]).copy()

    def put(self, name: str, array: np.ndarray) -> None:
        """Put an array there, and say so in the header; a new one comes before the checksum."""
        (dtype,) = (key for key, value in TYPES.items() if np.dtype(value) == array.dtype)
        end, digest = self.header.pop("sha256"), self.data.pop("sha256")
        self.header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [0, 0]}
        self.data[name] = array.tobytes()
        self.header["sha256"], self.data["sha256"] = end, digest

    def drop(self, name: str) -> None:
        del self.header[name], self.data[name]

    def laid_out(self) -> Parts:
        """Put arrays of large numbers first and say where each stands, as a writer does."""
        names = sorted(self.data, key=lambda name: (name == "sha256", -SIZES[self.header[name]["dtype"]]))
        header, at = {"__metadata__": self.header["__metadata__"]}, 0
        for name in names:
            size = len(self.data[name])
            header[name] = {**self.header[name], "data_offsets": [at, at + size]}
            at += size
        return Parts(header, {name: self.data[name] for name in names})

    def raw(self, header: bytes | None = None) -> bytes:
        """Return the file as the header says it is, with a right checksum at its end."""
        text = json.dumps(self.header).encode() if header is None else header
        text += b" " * (-len(text) % 8)
        names = [name for name in self.data if name != "sha256"]
        return signed(len(text).to_bytes(8, "little") + text + b"".join(self.data[name] for name in names))


def signed(before: bytes) -> bytes:
    return before + hashlib.sha256(before).digest()


def parts_of(path: Path) -> Parts:
    return Parts.of(path.read_bytes())
