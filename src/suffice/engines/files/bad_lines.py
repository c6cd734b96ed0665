"""Lines that cannot be read: an error at the first, or a count of them."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import final

from suffice.errors import DataError

__all__ = ["BadLines", "shown"]

_MOST = 80


@final
class BadLines:
    """What is done with bad lines, and how many there were."""

    def __init__(self, skip: bool) -> None:
        self._skip = skip
        self._lock = threading.Lock()  # blocks are cut in one thread and parsed in another
        self.count = 0
        self.first: str | None = None
        self._first_at = (0, 0)

    def meet(self, count: int, what: str, at: tuple[int, int] = (0, 0)) -> None:
        """Count so many more lines, of which `what` tells the first; raise DataError where they must not be skipped.

        `at` is the number of its file and its line: lines with too few cells are met before those above them in which
        a cell is wrong.
        """
        if not self._skip:
            raise DataError(f"{what} Mend it, or skip bad lines.")
        with self._lock:
            self.count += count
            if self.first is None or at < self._first_at:
                self.first, self._first_at = what, at


def shown(what: bytes | str | Iterable[str | int]) -> str:
    """Return it as a reader may want to see it: the start of something long."""
    if isinstance(what, bytes):
        what = what.decode("utf-8", "replace")
    if isinstance(what, str):
        return repr(what if len(what) <= _MOST else f"{what[:_MOST]}…")
    names = list(what)
    return ", ".join(map(repr, names[:8])) + ", …" * (len(names) > 8)
