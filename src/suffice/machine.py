"""The threads and the memory that this process may use.

Threads: SUFFICE_NUM_THREADS, then OMP_NUM_THREADS, then the CPUs available to the process. Memory: that of the machine
or its container, or the limit of the address space. `map_in_parallel` and `prefetch` use several threads and keep the
order.
"""

from __future__ import annotations

import os
import queue
import resource
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TypeVar, cast

import numpy as np

from suffice.errors import DataError, ParameterError

__all__ = ["map_in_parallel", "memory", "prefetch", "require_memory", "thread_count"]

_MOST = 1024
_here = threading.local()
_T = TypeVar("_T")
_Made = TypeVar("_Made")


def use_one_thread() -> None:
    """Restrict the current thread to one thread per pass, because it is one of several parallel workers."""
    _here.alone = True


def thread_count(asked: int | None = None) -> int:
    """Return the number of threads: the argument, or the default from the environment.

    Results are bit-identical for any number of threads.
    """
    if asked is not None:
        return _check_threads("threads", asked)
    if getattr(_here, "alone", False):
        return 1
    ours = os.environ.get("SUFFICE_NUM_THREADS")
    if ours:
        return _check_threads("SUFFICE_NUM_THREADS", ours)
    theirs = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()  # the outer level of "4,2"
    if theirs.isdecimal() and int(theirs) > 0:
        return min(int(theirs), _MOST)
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), _MOST)
    return min(os.cpu_count() or 1, _MOST)


def require_memory(what: str, floats: int) -> None:
    """Raise DataError, before anything is allocated, if a result does not fit into memory."""
    limit = memory()
    if floats * 8 > limit:
        raise DataError(
            f"{what} would take {floats * 8 / 1e9:,.1f} GB, but this machine has {limit / 1e9:,.1f} GB. "
            "Use fewer columns or classes, or fit parts of the data and add the models."
        )


@cache
def memory() -> int:
    """Return the memory that this process may use, in bytes: the smallest of machine, container and address space."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if allowed != resource.RLIM_INFINITY:
        machine = min(machine, allowed)
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text().strip()
    except OSError:
        return machine
    return min(machine, int(limit)) if limit.isdecimal() else machine


def _check_threads(what: str, given: object) -> int:
    if isinstance(given, str) and given.strip().isdecimal():
        given = int(given)
    if isinstance(given, np.integer):
        given = int(cast("np.int64", given))
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= _MOST:
        raise ParameterError(f"{what} must be an integer from 1 to {_MOST}: got {given!r}. Omit it to use all CPUs.")
    return given


def map_in_parallel(
    items: Iterable[_T], work: Callable[[_T], _Made], threads: int, ready: int = 1
) -> Generator[_Made, None, None]:
    """Yield work(item) in order, while `threads` items are processed at a time, each by one thread.

    At most `ready` more results or items are held. A single item is processed in the calling thread, with all threads.
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
