"""What this process may use of the machine.

Threads: SUFFICE_NUM_THREADS, then OMP_NUM_THREADS, then the CPUs this process may run on. Memory: that of the machine,
of its container, or the limit of the address space.
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

__all__ = ["memory", "require_memory", "thread_count", "work_alone"]

_MOST = 1024
_here = threading.local()


def work_alone() -> None:
    """Leave the current thread without others to share a pass with: it is one of several that work side by side."""
    _here.alone = True


def thread_count(asked: int | None = None) -> int:
    """Return the number of threads: the one asked for, or what the environment says.

    It changes the speed only: the bits of every result are the same on any number of threads.
    """
    if asked is not None:
        return _checked("threads", asked)
    if getattr(_here, "alone", False):
        return 1
    ours = os.environ.get("SUFFICE_NUM_THREADS")
    if ours:
        return _checked("SUFFICE_NUM_THREADS", ours)
    theirs = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()  # "4,2": the outer level counts
    if theirs.isdecimal() and int(theirs) > 0:
        return min(int(theirs), _MOST)
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), _MOST)
    return min(os.cpu_count() or 1, _MOST)


def require_memory(what: str, floats: int) -> None:
    """Raise DataError for a result that this machine cannot hold, before any of it is allocated."""
    limit = memory()
    if floats * 8 > limit:
        raise DataError(
            f"{what} would take {floats * 8 / 1e9:,.1f} GB and this machine has {limit / 1e9:,.1f} GB. "
            "Use fewer columns or classes, or collect in parts and add them up."
        )


@cache
def memory() -> int:
    """Return the bytes this process may use: those of the machine, of its container, or of its address space."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if allowed != resource.RLIM_INFINITY:
        machine = min(machine, allowed)
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text().strip()
    except OSError:
        return machine
    return min(machine, int(limit)) if limit.isdecimal() else machine


def _checked(what: str, given: object) -> int:
    if isinstance(given, str) and given.strip().isdecimal():
        given = int(given)
    if isinstance(given, np.integer):
        given = int(cast("np.int64", given))
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= _MOST:
        raise ParameterError(
            f"{what} must be a whole number from 1 to {_MOST}: got {given!r}. Leave it out to use every CPU."
        )
    return given
