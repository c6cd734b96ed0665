"""Text compressed by zstd as a stream of bytes: frame after frame, and an error where the last one is cut off."""

from __future__ import annotations

import io
from typing import IO, Any, final

__all__ = ["ZstdStream"]

_CHUNK = 1 << 17
_STEP = 1 << 10
"""Packed bytes that are unpacked at a time. Four of them can hold 128 KiB, so that at most 32 MiB come out at once."""


@final
class ZstdStream(io.RawIOBase):
    """What the frames of a file hold.

    The library's own stream ends quietly where a file was cut off, and the rows behind would be lost unnoticed.
    """

    def __init__(self, source: IO[bytes]) -> None:
        import zstandard

        self._source = source
        self._zstd = zstandard.ZstdDecompressor()
        self._frame: Any = None
        self._waiting = memoryview(b"")
        self._packed = memoryview(b"")

    def readable(self) -> bool:
        """Say yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Put the next bytes there; 0 at the end."""
        while not self._waiting:
            self._packed = self._packed or memoryview(self._source.read(_CHUNK))
            if not self._packed:
                if self._frame is not None:
                    raise EOFError("the file ends within a frame")
                return 0
            if self._frame is None:
                self._frame = self._zstd.decompressobj()
            step = min(_STEP, len(self._packed))
            self._waiting = memoryview(self._frame.decompress(self._packed[:step]))
            if self._frame.eof:
                step -= len(self._frame.unused_data)
                self._frame = None
            self._packed = self._packed[step:]
        size = min(len(buffer), len(self._waiting))
        buffer[:size] = self._waiting[:size]
        self._waiting = self._waiting[size:]
        return size
