"""Blocks of whole lines of a text file, cut while the previous block is being parsed."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import final

from suffice import _core
from suffice.errors import DataError
from suffice.sources.files.stream import ByteStream

__all__ = ["LineBlock", "line_blocks", "record_blocks"]

_BLOCK = 1 << 23  # fits into the cache: larger blocks are slower to parse
_LONGEST = 1 << 28


@final
@dataclass(frozen=True, slots=True)
class LineBlock:
    """Whole lines of one file. `line` is the number of the first, from 1; `scan` is set if fields were counted.

    `file` is the number of the file among all files.
    """

    path: str
    text: bytes
    line: int
    share: float | None
    scan: _core.LineScan | None = None
    file: int = 0


def line_blocks(path: str, stream: ByteStream, file: int = 0) -> Generator[LineBlock, None, None]:
    """Yield the blocks of a file of one record per line, and close it."""
    line = 1
    try:
        while text := stream.lines(_BLOCK):
            yield LineBlock(path, text, line, stream.share, file=file)
            line += text.count(b"\n")
    finally:
        stream.close()


def record_blocks(
    path: str, stream: ByteStream, delimiter: str, quoted: bool, fields: int, file: int = 0
) -> Generator[LineBlock, None, None]:
    """Yield the blocks of delimited text, whose quoted fields may contain line ends, and close it."""
    line, rest, more = 1, b"", True
    try:
        while more:
            read = stream.lines(_BLOCK)
            more = bool(read)
            text = rest + read if rest else read
            scan = _core.scan_lines(text, delimiter, quoted, fields, not more, 1)
            if scan.end:
                yield LineBlock(
                    path, text if scan.end == len(text) else text[: scan.end], line, stream.share, scan, file
                )
            line, rest = line + scan.lines, text[scan.end :]
            if len(rest) > _LONGEST:
                raise DataError(
                    f"the record is longer than {_LONGEST >> 20} MiB",
                    kind="bad_line",
                    file=path,
                    line=line,
                    advice=lambda words: (
                        f"A quote may be unclosed: fix it, or treat quotes as text with {words.option('quote', False)}."
                    ),
                )
    finally:
        stream.close()
