"""Blocks of whole lines out of a text file, cut while the one before is being parsed."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias, TypeVar, final

from suffice import _core
from suffice.engines.files.stream import ByteStream
from suffice.errors import DataError

__all__ = ["Block", "Cut", "blocks_of", "delimited_cut", "plain_cut", "prefetched"]

_BLOCK = 1 << 23  # what a processor keeps near: larger blocks are slower to parse
_LONGEST = 1 << 28

_T = TypeVar("_T")
Cut: TypeAlias = Callable[[bytes], int]
"""Where the last whole record of a text ends, when more may follow."""


@final
@dataclass(frozen=True, slots=True)
class Block:
    """Whole records of one file. `line` is the number of its first line, from 1."""

    path: str
    text: bytes
    line: int
    share: float | None


def blocks_of(path: str, stream: ByteStream, cut: Cut) -> Iterator[Block]:
    """Yield the blocks of one file in order, and close it."""
    line, rest, returns = 1, b"", False
    try:
        while True:
            read = stream.read(_BLOCK)
            returns = returns or (line == 1 and not rest and b"\r" in read and b"\n" not in read)
            if returns:  # lines that end as they did on old Macs
                read = read.replace(b"\r", b"\n")
            text = rest + read if rest else read
            end = cut(text) if read else len(text)
            if end:
                block = text if end == len(text) else text[:end]
                yield Block(path, block, line, stream.share)
                line += block.count(b"\n")
            rest = text[end:]
            if not read:
                return
            if len(rest) > _LONGEST:
                raise DataError(
                    f"{path}, line {line}: the record that begins there does not end within {_LONGEST >> 20} MiB. "
                    "A quote may stand open: read the file without quotes, or mend it."
                )
    finally:
        stream.close()


def delimited_cut(delimiter: str, quoted: bool) -> Cut:
    """Return what cuts delimited text, in which a quoted field may hold line ends."""

    def cut(text: bytes) -> int:
        if not quoted or b'"' not in text:
            return plain_cut(text)
        return _core.scan_lines(text, delimiter, quoted, 0, False, 0).end

    return cut


def plain_cut(text: bytes) -> int:
    """Return where the last whole line ends."""
    return text.rfind(b"\n") + 1


def prefetched(items: Iterator[_T]) -> Iterator[_T]:
    """Yield the items while a thread makes the next one; what is wrong with one is raised where it would come."""
    ready: queue.Queue[tuple[tuple[_T] | None, BaseException | None]] = queue.Queue(1)
    stop = threading.Event()

    def put(item: tuple[_T] | None, problem: BaseException | None = None) -> bool:
        while not stop.is_set():
            try:
                ready.put((item, problem), timeout=0.1)
            except queue.Full:
                continue
            return True
        return False

    def work() -> None:
        try:
            for item in items:
                if not put((item,)):
                    return
        except BaseException as problem:
            put(None, problem)
        else:
            put(None)

    thread = threading.Thread(target=work, name="suffice-files", daemon=True)
    thread.start()
    try:
        while True:
            item, problem = ready.get()
            if problem is not None:
                raise problem
            if item is None:
                return
            yield item[0]
    finally:
        stop.set()
        thread.join()
