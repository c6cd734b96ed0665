"""Blocks of whole lines out of a text file, cut while the one before is being parsed."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar, final

from suffice import _core
from suffice.errors import DataError
from suffice.machine import work_alone
from suffice.sources.files.stream import ByteStream

__all__ = ["Block", "in_parallel", "line_blocks", "prefetched", "record_blocks"]

_BLOCK = 1 << 23  # what a processor keeps near: larger blocks are slower to parse
_LONGEST = 1 << 28

_T = TypeVar("_T")
_Made = TypeVar("_Made")


@final
@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines of one file. `line` is the number of the first, from 1; `scan` is there where fields were counted.

    `file` is the number of the file among all that are read.
    """

    path: str
    text: bytes
    line: int
    share: float | None
    scan: _core.LineScan | None = None
    file: int = 0


def line_blocks(path: str, stream: ByteStream, file: int = 0) -> Generator[Block, None, None]:
    """Yield the blocks of a file whose records are lines, and close it."""
    line = 1
    try:
        while text := stream.lines(_BLOCK):
            yield Block(path, text, line, stream.share, file=file)
            line += text.count(b"\n")
    finally:
        stream.close()


def record_blocks(
    path: str, stream: ByteStream, delimiter: str, quoted: bool, fields: int, file: int = 0
) -> Generator[Block, None, None]:
    """Yield the blocks of delimited text, in which quoted fields may hold line ends, and close it."""
    line, rest, more = 1, b"", True
    try:
        while more:
            read = stream.lines(_BLOCK)
            more = bool(read)
            text = rest + read if rest else read
            scan = _core.scan_lines(text, delimiter, quoted, fields, not more, 1)
            if scan.end:
                yield Block(path, text if scan.end == len(text) else text[: scan.end], line, stream.share, scan, file)
            line, rest = line + scan.lines, text[scan.end :]
            if len(rest) > _LONGEST:
                raise DataError(
                    f"{path}, line {line}: the record that begins there does not end within {_LONGEST >> 20} MiB. "
                    "A quote may stand open: read the file without quotes, or mend it."
                )
    finally:
        stream.close()


def in_parallel(
    items: Iterable[_T], work: Callable[[_T], _Made], threads: int, ready: int = 1
) -> Generator[_Made, None, None]:
    """Yield what is made of the items, in their order, while so many are being made, each by one thread.

    At most `ready` more are held, made or waiting. What comes alone is made here, by as many threads as there are.
    """
    rest = iter(items)
    first = deque(islice(rest, 2))

    def each() -> Generator[_T, None, None]:
        while first:
            yield first.popleft()  # and is let go
        yield from rest

    if len(first) < 2 or threads < 2:
        yield from map(work, each())
        return
    with ThreadPoolExecutor(threads, thread_name_prefix="suffice-files", initializer=work_alone) as pool:
        waiting: deque[Future[_Made]] = deque()
        try:
            for item in each():
                waiting.append(pool.submit(work, item))
                del item
                if len(waiting) >= threads + ready:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for made in waiting:
                made.cancel()


def prefetched(items: Generator[_T, None, None]) -> Generator[_T, None, None]:
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
        finally:
            items.close()

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
