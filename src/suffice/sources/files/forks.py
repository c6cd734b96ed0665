"""Files after a fork: the threads of Polars do not exist in the child, so that waiting for them would never end.

Only the parent knows whether they run, so it is recorded before each fork. If Polars was imported but not used, it has
no threads, and a child may read files.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from suffice.errors import SufficeError

__all__ = ["require_threads"]

_THREADS = re.compile(r"polars-\d|async-executor")
_TASKS = Path("/proc/self/task")


class _Known:
    used = False  # in this process, by this package
    running = False  # before the fork
    lost = False


def require_threads() -> None:
    """Raise SufficeError if Polars had threads before a fork; call it before using Polars."""
    if _Known.lost:
        raise SufficeError(
            "files cannot be read or written in a forked process, because Polars was used before the fork and its "
            "threads do not exist in the child. Start processes with multiprocessing.get_context('spawn') or "
            "'forkserver', or read the file into a frame before the fork and pass the frame."
        )
    _Known.used = True


def _are_running() -> bool:
    if "polars" not in sys.modules:
        return False
    try:
        return any(_THREADS.match((task / "comm").read_text()) for task in _TASKS.iterdir())
    except OSError:  # no such list on this system, or a thread has just ended
        return _Known.used


def _before() -> None:
    _Known.running = _are_running()


def _in_child() -> None:
    _Known.lost = _Known.lost or _Known.running


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_child=_in_child)
