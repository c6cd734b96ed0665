"""The threads and the memory that this process may use.

Threads: SUFFICE_NUM_THREADS, then OMP_NUM_THREADS, then the CPUs available to the process. Memory: that of the machine
or its container, or the limit of the address space.
"""

from __future__ import annotations

import os
import resource
import threading
from functools import cache
from pathlib import Path
from typing import cast

import numpy as np

from suffice.errors import DataError, ParameterError

__all__ = ["memory", "require_memory", "thread_count", "use_one_thread"]

_MOST = 1024
_here = threading.local()


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
    theirs = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()  # of "4,2" the outer level
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
            f"{what} would take {floats * 8 / 1e9:,.1f} GB and this machine has {limit / 1e9:,.1f} GB. "
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
