"""Memory that this process uses again rather than gives back: a pass over a file asks for the same sizes every batch.

The C library hands large blocks back to the system when they are freed, which clears them before it hands them out once
more: a tenth of the time of a pass. Only for a process of our own; a library leaves such things to its host.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys

__all__ = ["keep_freed_memory"]

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # <malloc.h>
_LARGE = 1 << 28  # bytes


def keep_freed_memory() -> bool:
    """Ask the C library to keep freed blocks of up to 256 MiB; say whether it understood."""
    if not sys.platform.startswith("linux"):
        return False
    with contextlib.suppress(OSError, AttributeError):  # not every C library has it
        set_option = ctypes.CDLL(None).mallopt
        return bool(set_option(_MMAP_THRESHOLD, _LARGE)) and bool(set_option(_TRIM_THRESHOLD, _LARGE))
    return False
