"""How far a pass over the rows has come: rows, rows a second and time left, on stderr.

It is shown when the pass lasts over a second and stderr is a terminal, and is gone when the pass is over.
"""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, final

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

__all__ = ["Reporter"]

_PATIENCE = 1.0  # seconds


class _Sight(Protocol):
    @property
    def rows(self) -> int: ...
    @property
    def share(self) -> float | None: ...
    @property
    def skipped(self) -> int: ...
    @property
    def described(self) -> tuple[str, ...]: ...


@final
class Reporter:
    """A progress bar that appears by itself, and a stopwatch. Call it with what the engine reports after each batch.

    `rows`, `skipped` lines and how the files are `described` are those of the last report.

    Examples
    --------
    >>> with Reporter("reading") as report:
    ...     pass
    >>> report.rows
    0
    """

    def __init__(self, doing: str) -> None:
        self.doing = doing
        self.rows = 0
        self.skipped = 0
        self.described: tuple[str, ...] = ()
        self.seconds = 0.0
        self._start = time.monotonic()
        self._wanted = sys.stderr.isatty()
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    @property
    def rate(self) -> float:
        """Rows a second, once it is over."""
        return self.rows / max(self.seconds, 1e-9)

    def __call__(self, sight: _Sight) -> None:
        """Take note of how far it is, and show it when it takes long."""
        self.rows, self.skipped, self.described = sight.rows, sight.skipped, sight.described
        if not self._wanted or time.monotonic() - self._start < _PATIENCE:
            return
        bar, task = self._shown()
        passed = time.monotonic() - self._start
        share = sight.share
        left = "" if not share else f", {_duration(passed / share - passed)} left"
        speed = f"{sight.rows:,} rows, {sight.rows / passed:,.0f} rows/s{left}"
        bar.update(task, completed=share or 0.0, total=None if share is None else 1.0, speed=speed)

    def __enter__(self) -> Reporter:
        self._start = time.monotonic()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.seconds = time.monotonic() - self._start
        if self._bar is not None:
            self._bar.stop()

    def _shown(self) -> tuple[Bar, TaskID]:
        if self._bar is None or self._task is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn

            columns: list[Any] = [TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[speed]}")]
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(self.doing, total=1.0, speed="")
            self._bar.start()
        return self._bar, self._task


def _duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60:02} min"
