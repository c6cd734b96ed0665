"""Blocks of whole lines of a text file, cut while the previous block is being parsed."""

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
from suffice.machine import use_one_thread
from suffice.sources.files.stream import ByteStream

__all__ = ["LineBlock", "line_blocks", "map_in_parallel", "prefetch", "record_blocks"]

_BLOCK = 1 << 23  # fits into the cache: larger blocks are slower to parse
_LONGEST = 1 << 28

_T = TypeVar("_T")
_Made = TypeVar("_Made")


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


def map_in_parallel(
    items: Iterable[_T], work: Callable[[_T], _Made], threads: int, ready: int = 1
) -> Generator[_Made, None, None]:
    """Yield work(item) in order, while `threads` items are processed at a time, each by one thread.

    At most `ready` more results or items are held. A single item is processed here, by all threads.
    """
    rest = iter(items)
    first = deque(islice(rest, 2))

    def each() -> Generator[_T, None, None]:
        while first:
            yield first.popleft()  # and drop the reference
        yield from rest

    if len(first) < 2 or threads < 2:
        yield from map(work, each())
        return
    with ThreadPoolExecutor(threads, thread_name_prefix="suffice-files", initializer=use_one_thread) as pool:
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


def prefetch(items: Generator[_T, None, None]) -> Generator[_T, None, None]:
    """Yield the items while a thread makes the next one; an error is raised at its place in the order."""
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
