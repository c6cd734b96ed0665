"""Lines that cannot be read: an error at the first, or a count of them."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import final

from suffice.errors import DataError, Wording

__all__ = ["BadLines", "shown"]

_MOST = 80


@final
class BadLines:
    """What is done with bad lines, and how many there were."""

    def __init__(self, skip: bool) -> None:
        self._skip = skip
        self._lock = threading.Lock()  # blocks are cut in one thread and parsed in another
        self.count = 0
        self.first: DataError | None = None
        self._first_at = (0, 0)

    def meet(self, count: int, error: DataError, file: int = 0) -> None:
        """Count so many more lines, of which the first has this error; raise it where they must not be skipped.

        `file` is the number of its file: lines with too few cells are met before those above them in which a cell is
        wrong, and the first is the one that comes first in the files.
        """
        if not self._skip:
            raise error.located(
                advice=lambda words: " ".join(filter(None, (error.advised(words), _fix_or_skip(words))))
            )
        with self._lock:
            self.count += count
            at = file, error.line or 0
            if self.first is None or at < self._first_at:
                self.first, self._first_at = error, at


def _fix_or_skip(words: Wording) -> str:
    return f"Fix it, or leave such lines out with {words.option('skip_bad_lines', True)}."


def shown(what: bytes | str | Iterable[str | int]) -> str:
    """Return it as a reader may want to see it: the start of something long."""
    if isinstance(what, bytes):
        what = what.decode("utf-8", "replace")
    if isinstance(what, str):
        return repr(what if len(what) <= _MOST else f"{what[:_MOST]}…")
    names = list(what)
    return ", ".join(map(repr, names[:8])) + ", …" * (len(names) > 8)
