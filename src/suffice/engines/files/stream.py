"""The bytes of a text file as they come: decompressed, in UTF-8, and how much of the file has been read."""

from __future__ import annotations

import codecs
import io
import os
import sys
import zlib
from pathlib import Path
from typing import IO, Any, final

from suffice.errors import DataError

__all__ = ["COMPRESSED", "STANDARD_INPUT", "ByteStream", "head_of", "spooled"]

STANDARD_INPUT = "-"
COMPRESSED = frozenset({".gz", ".zst", ".zstd", ".bz2", ".xz", ".zip"})
_HEAD = 1 << 16
_LONGEST = 1 << 28
_MAGIC = (
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"PK\x03\x04", "zip"),
)
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def _opened(path: str) -> io.BufferedReader:
    return sys.stdin.buffer if path == STANDARD_INPUT else Path(path).open("rb")  # pyright: ignore[reportReturnType]


def head_of(path: str) -> bytes:
    """Return the first bytes of what the file holds, decompressed; standard input loses nothing by it."""
    if path == STANDARD_INPUT:
        head = _opened(path).peek(_HEAD)
        return zlib.decompressobj(31).decompress(head) if head.startswith(b"\x1f\x8b") else head
    stream = ByteStream(path, None)
    try:
        return stream.peek()
    finally:
        stream.close()


def spooled(path: str) -> str:
    """Return the path of a file with what standard input holds, for formats that are read from their end."""
    import tempfile

    with tempfile.NamedTemporaryFile(prefix="suffice-", delete=False) as kept:
        source = _opened(path)
        while block := source.read(1 << 22):
            kept.write(block)
    return kept.name


@final
class ByteStream:
    """The bytes of one file, in UTF-8. `encoding` is that of the file; None: UTF-8, or what its first bytes say."""

    def __init__(self, path: str, encoding: str | None) -> None:
        self._path = path
        self._raw = _opened(path)
        self._keep = path == STANDARD_INPUT
        self._size = 0 if self._keep else os.fstat(self._raw.fileno()).st_size
        self._compressed = next((name for magic, name in _MAGIC if self._peek_raw().startswith(magic)), None)
        self._bytes: IO[bytes] = self._decompressed()
        self._waiting = b""
        start = self._some(_HEAD)
        mark = next((name for mark, name in _MARKS if start.startswith(mark)), None)
        self.encoding = encoding or mark or "utf-8"
        self._decoder: codecs.IncrementalDecoder | None = None
        if codecs.lookup(self.encoding).name == "utf-8":
            start = start.removeprefix(codecs.BOM_UTF8)
        elif self.encoding != "utf-8-sig":
            self._decoder = codecs.getincrementaldecoder(self.encoding)()
        else:
            start, self.encoding = start.removeprefix(codecs.BOM_UTF8), "utf-8"
        self._waiting = self._decoded(start, last=False) if self._decoder else start
        self._rest, self._ended = b"", False
        self._returns = b"\r" in self._waiting and b"\n" not in self._waiting  # lines end as they did on old Macs
        self._plain = self._bytes is self._raw and not (self._keep or self._decoder or self._returns)
        self._at = len(codecs.BOM_UTF8) if mark == "utf-8-sig" else 0

    def peek(self) -> bytes:
        """Return what waits at the start, without taking it."""
        return self._waiting

    @property
    def share(self) -> float | None:
        """Which part of the file has been read, None where nobody knows how long it is."""
        return min(1.0, (self._at if self._plain else self._raw.tell()) / self._size) if self._size else None

    def lines(self, size: int) -> bytes:
        """Return about so many bytes of whole lines; the last one needs no line end, and after it there is nothing."""
        if self._plain:
            return self._whole_lines(size)
        parts = [self._rest]
        while True:
            read = self._read(size)
            end = read.rfind(b"\n") + 1 if read else 0
            parts.append(read[:end] if end else read)
            if end or not read:
                self._rest = read[end:] if end else b""
                return b"".join(parts)
            if sum(map(len, parts)) > _LONGEST:
                raise self._endless()

    def _whole_lines(self, size: int) -> bytes:
        # Read where they end first, so that the lines come as one piece that nobody has to cut.
        descriptor, start = self._raw.fileno(), self._at
        end = start
        while end < self._size:
            before, end = end, min(self._size, end + size)
            if end == self._size:
                break
            tail = os.pread(descriptor, min(_HEAD, end - before), end - min(_HEAD, end - before))
            found = tail.rfind(b"\n") + 1
            if found:
                end += found - len(tail)
                break
            if end - start > _LONGEST:
                raise self._endless()
        text = os.pread(descriptor, end - start, start)
        self._at = end
        return text

    def _endless(self) -> DataError:
        return DataError(f"{self._path} has a line of over {_LONGEST >> 20} MiB. It may be no text.")

    def _read(self, size: int) -> bytes:
        if self._waiting:
            block, self._waiting = self._waiting, b""
        else:
            block = self._some(size)
            if self._decoder:
                block = self._decoded(block, last=not block)
                if not block and not self._ended:
                    self._ended = True
                    return self._read(size)
        return block.replace(b"\r", b"\n") if self._returns else block

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self._keep:
            return
        self._bytes.close()
        self._raw.close()

    def _peek_raw(self) -> bytes:
        return self._raw.peek(_HEAD)[:_HEAD]

    def _some(self, size: int) -> bytes:
        try:
            return self._bytes.read(size)
        except (EOFError, OSError, zlib.error, ValueError) as problem:
            if self._compressed is None:
                raise
            raise self._broken(problem) from None
        except Exception as problem:  # those of bz2, lzma and zstandard have no common root
            if type(problem).__module__.partition(".")[0] not in ("_lzma", "lzma", "zstandard", "zstd", "zipfile"):
                raise
            raise self._broken(problem) from None

    def _broken(self, problem: Exception) -> DataError:
        return DataError(f"{self._path} cannot be decompressed ({self._compressed}): {problem}. It may be cut off.")

    def _decoded(self, block: bytes, *, last: bool) -> bytes:
        assert self._decoder is not None
        try:
            return self._decoder.decode(block, last).encode("utf-8", "replace")
        except UnicodeError as problem:
            raise DataError(
                f"{self._path} is not {self.encoding}: {problem}. Give the encoding that it was written in."
            ) from None

    def _decompressed(self) -> IO[bytes]:
        if self._compressed == "gzip":
            import gzip

            unpacked: Any = gzip.GzipFile(fileobj=self._raw)
            return unpacked
        if self._compressed == "bzip2":
            import bz2

            return bz2.BZ2File(self._raw)
        if self._compressed == "xz":
            import lzma

            return lzma.LZMAFile(self._raw)
        if self._compressed == "zstd":
            import zstandard

            reader: Any = zstandard.ZstdDecompressor().stream_reader(self._raw, read_across_frames=True, closefd=False)
            return reader
        return self._only_member() if self._compressed == "zip" else self._raw

    def _only_member(self) -> IO[bytes]:
        import zipfile

        source: Any = io.BytesIO(self._raw.read()) if self._keep else self._raw
        try:
            archive = zipfile.ZipFile(source)
            members = [each for each in archive.infolist() if not each.is_dir()]
        except zipfile.BadZipFile as problem:
            raise self._broken(problem) from None
        if len(members) != 1:
            raise DataError(f"{self._path} holds {len(members)} files: an archive to read has one. Unpack it first.")
        return archive.open(members[0])
