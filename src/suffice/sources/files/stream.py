"""The bytes of a text file: decompressed, converted to UTF-8, with the fraction of the file that has been read."""

from __future__ import annotations

import codecs
import io
import os
import sys
import zlib
from pathlib import Path
from typing import IO, Any, final

from suffice.errors import DataError

__all__ = ["COMPRESSED", "LONGEST_START", "STANDARD_INPUT", "ByteStream", "ZstdStream", "head_of", "is_pipe", "spool"]


STANDARD_INPUT = "-"
COMPRESSED = frozenset({".gz", ".zst", ".zstd", ".bz2", ".xz", ".zip"})
_HEAD = 1 << 16
_LINES, _FEW, _ENOUGH = 20, 2, 1 << 22
_LONGEST = 1 << 28
LONGEST_START = 1 << 26
_MAGIC = (
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"PK\x03\x04", "zip"),
)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # starts like that of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def is_pipe(path: str) -> bool:
    """Return whether the path can be read only once and has no known size: standard input, a named pipe, a device."""
    return path == STANDARD_INPUT or not Path(path).is_file()


def _opened(path: str) -> io.BufferedReader:
    return sys.stdin.buffer if path == STANDARD_INPUT else Path(path).open("rb")  # pyright: ignore[reportReturnType]


def head_of(path: str) -> bytes:
    """Return the first bytes of the content, decompressed, without consuming standard input."""
    if path == STANDARD_INPUT:
        head = _opened(path).peek(_HEAD)
        return _unpacked(head)
    stream = ByteStream(path, None)
    try:
        return stream.peek()
    finally:
        stream.close()


def _unpacked(head: bytes) -> bytes:
    # Decompress only the start: a few bytes can hold gigabytes.
    kind = _compression(head)
    try:
        if kind == "gzip":
            return zlib.decompressobj(31).decompress(head, _HEAD)
        if kind == "bzip2":
            import bz2

            return bz2.BZ2Decompressor().decompress(head, _HEAD)
        if kind == "xz":
            import lzma

            return lzma.LZMADecompressor().decompress(head, _HEAD)
        if kind == "zstd":
            import zstandard

            return zstandard.ZstdDecompressor().stream_reader(head).read(_HEAD)
    except Exception as problem:
        if not _is_broken(problem):
            raise
    return head


def spool(path: str) -> str:
    """Copy a pipe to a temporary file and return its path, for formats that are read from their end."""
    import tempfile

    with tempfile.NamedTemporaryFile(prefix="suffice-", delete=False) as kept:
        source = _opened(path)
        while block := source.read(1 << 22):
            kept.write(block)
    if path != STANDARD_INPUT:
        source.close()
    return kept.name


def _compression(head: bytes) -> str | None:
    return next((name for magic, name in _MAGIC if head.startswith(magic)), None)


def _is_broken(problem: Exception) -> bool:
    # Whether it is an error of a decompressor: those of lzma, zipfile and zstandard have no common base.
    if isinstance(problem, (EOFError, OSError, ValueError, zlib.error)):
        return True
    return type(problem).__module__.partition(".")[0] in ("_lzma", "lzma", "zstandard", "zstd", "zipfile")


@final
class ByteStream:
    """The bytes of one file, in UTF-8. `encoding` is that of a byte order mark, else the given one, else UTF-8."""

    def __init__(self, path: str, encoding: str | None) -> None:
        self._path = path
        self._raw = _opened(path)
        self._bytes: IO[bytes] = self._raw
        self._keep = path == STANDARD_INPUT
        try:
            self._open(encoding)
        except BaseException:
            self.close()
            raise

    def _open(self, encoding: str | None) -> None:
        self._size = 0 if is_pipe(self._path) else os.fstat(self._raw.fileno()).st_size
        self._compressed = _compression(self._peek_raw())
        self._bytes = self._decompressed()
        start = self._some(_HEAD)
        mark, said = next(((mark, name) for mark, name in _MARKS if start.startswith(mark)), (b"", encoding or "utf-8"))
        plain = codecs.lookup(said).name in ("utf-8", "utf-8-sig")
        self.encoding = "utf-8" if plain else said
        self._decoder = None if plain else codecs.getincrementaldecoder(said)()
        self._waiting = start.removeprefix(mark) if plain else self._decoded(start, last=False)
        self._more_waiting()
        self._rest = b""
        # Lines may end in \r alone, as on old Macs; for the last byte the next one is not known yet.
        self._returns = b"\r" in self._waiting[:-1] and b"\n" not in self._waiting
        if self._returns:
            self._waiting = self._waiting.replace(b"\r", b"\n")
        self._plain = self._bytes is self._raw and self._size > 0 and not (self._decoder or self._returns)
        self._at = len(mark) if self._plain else 0

    def _more_waiting(self) -> None:
        # Some lines are needed: a header of thousands of names is long, and blank lines may precede it.
        while len(self._waiting) < LONGEST_START:
            start = self._waiting.lstrip()
            lines = start.count(b"\n") + start.count(b"\r")
            if lines >= _LINES or (lines >= _FEW and len(start) >= _ENOUGH):
                break
            more = self._fresh(min(max(_HEAD, len(self._waiting)), LONGEST_START - len(self._waiting)))
            if not more:
                break
            self._waiting += more

    def peek(self) -> bytes:
        """Return the start without consuming it: 64 KiB, or up to `LONGEST_START` to have a few lines."""
        return self._waiting

    @property
    def share(self) -> float | None:
        """The fraction of the file that has been read, None if its size is unknown."""
        return min(1.0, (self._at if self._plain else self._raw.tell()) / self._size) if self._size else None

    def lines(self, size: int) -> bytes:
        """Return approximately this many bytes of whole lines; b"" at the end. The last line may lack a line end."""
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
        # Find the last line end first, so that the lines are read in one piece.
        end = start = self._at
        while end < self._size:
            before, end = end, min(self._size, end + size)
            if end == self._size:
                break
            tail = self._at_place(end - min(_HEAD, end - before), end)
            found = tail.rfind(b"\n") + 1
            if found:
                end += found - len(tail)
                break
            if end - start > _LONGEST:
                raise self._endless()
        text = self._at_place(start, end)
        self._at = end
        return text

    def _at_place(self, start: int, end: int) -> bytes:
        text = os.pread(self._raw.fileno(), end - start, start)
        if len(text) < end - start:
            raise self._shorter()
        return text

    def _shorter(self) -> DataError:
        size = os.fstat(self._raw.fileno()).st_size
        return DataError(
            f"{self._path} was truncated while it was being read, from {self._size:,} to {size:,} bytes. Read it again "
            "when no other process is writing to it."
        )

    def _endless(self) -> DataError:
        problem = f"the file has a line longer than {_LONGEST >> 20} MiB"
        return DataError(problem, kind="bad_line", file=self._path, advice="The file may not be text.")

    def _read(self, size: int) -> bytes:
        if self._waiting:
            block, self._waiting = self._waiting[:size], self._waiting[size:]
        else:
            block = self._fresh(size)
        return block.replace(b"\r", b"\n") if self._returns else block

    def _fresh(self, size: int) -> bytes:
        while True:
            block = self._some(size)
            text = self._decoded(block, last=not block) if self._decoder else block
            if text or not block:  # bytes may not make up a character yet
                return text

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
            some = self._bytes.read(size)
        except Exception as problem:
            if self._compressed is None or not _is_broken(problem):
                raise
            raise self._broken(problem) from None
        if not some and self._size and os.fstat(self._raw.fileno()).st_size < self._size:
            raise self._shorter()
        return some

    def _broken(self, problem: Exception) -> DataError:
        reason = f"cannot be decompressed ({self._compressed}): {problem}"
        return DataError(reason, kind="broken_file", file=self._path, advice="The file may be truncated.")

    def _decoded(self, block: bytes, *, last: bool) -> bytes:
        assert self._decoder is not None
        try:
            return self._decoder.decode(block, last).encode("utf-8", "replace")
        except UnicodeError as problem:
            raise DataError(
                f"the file is not {self.encoding}: {problem}",
                kind="wrong_encoding",
                file=self._path,
                advice=lambda words: f"Give its encoding with {words.option('encoding')}.",
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
            from suffice.sources.files.stream import ZstdStream

            return io.BufferedReader(ZstdStream(self._raw), _HEAD)
        return self._only_member() if self._compressed == "zip" else self._raw

    def _only_member(self) -> IO[bytes]:
        import zipfile

        source: Any = self._raw if self._size else io.BytesIO(self._raw.read())
        try:
            archive = zipfile.ZipFile(source)
            members = [each for each in archive.infolist() if not each.is_dir()]
            if len(members) == 1:
                return archive.open(members[0])
        except (zipfile.BadZipFile, RuntimeError) as problem:  # encrypted, or an unknown compression
            raise self._broken(problem) from None
        if any(each.filename == "[Content_Types].xml" for each in members):
            raise DataError(
                "the file is a workbook",
                file=self._path,
                advice=lambda words: f"Give it the extension .xlsx or use {words.option('format', 'excel')}.",
            )
        problem = f"the archive contains {len(members)} files: only archives of one file are supported"
        raise DataError(problem, file=self._path, advice="Unpack it first.")


_CHUNK = 1 << 17
_STEP = 1 << 10
"""Compressed bytes per step. Four of them can hold 128 KiB, so at most 32 MiB are decompressed at once."""


@final
class ZstdStream(io.RawIOBase):
    """The decompressed bytes of a zstd file.

    The stream of the library ends silently if a file is truncated, so that rows would be lost unnoticed.
    """

    def __init__(self, source: IO[bytes]) -> None:
        import zstandard

        self._source = source
        self._zstd = zstandard.ZstdDecompressor()
        self._frame: Any = None
        self._waiting = memoryview(b"")
        self._packed = memoryview(b"")

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer and return the number of bytes, 0 at the end."""
        while not self._waiting:
            self._packed = self._packed or memoryview(self._source.read(_CHUNK))
            if not self._packed:
                if self._frame is not None:
                    raise EOFError("the file is truncated within a zstd frame")
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
