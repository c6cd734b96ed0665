"""Progress of a pass over the rows on stderr: rows, rows per second, time left, and the work after the pass.

It appears after one second if stderr is a terminal, also before the first batch arrives, and disappears at the end.
"""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, final

if TYPE_CHECKING:
    from rich.progress import Progress as Display
    from rich.progress import TaskID

__all__ = ["Reporter"]

_BAR = 16


class _Report(Protocol):
    @property
    def rows(self) -> int: ...
    @property
    def share(self) -> float | None: ...
    @property
    def skipped(self) -> int: ...
    @property
    def described(self) -> tuple[str, ...]: ...
    @property
    def seconds(self) -> float: ...


@final
class Reporter:
    """A progress bar that appears by itself, and a stopwatch. Call it with the report of each batch.

    There is one for a command: `begin` names the next pass over rows, and `seconds` is the time of all of them. `rows`,
    `skipped` lines and how the files are `described` are those of the last report, and each pass has its own clock.
    After the last row the bar shows the next step (`then`), e.g. calibration, with its seconds. It appears after
    `patience` seconds.

    Examples
    --------
    >>> with Reporter("reading") as report:
    ...     pass
    >>> report.rows
    0
    """

    def __init__(self, doing: str, then: str = "finishing", patience: float = 1.0) -> None:
        from suffice.cli.terminal import is_quiet

        self.doing = doing
        self.then = then
        self.patience = patience
        self.rows = 0
        self.skipped = 0
        self.described: tuple[str, ...] = ()
        self.seconds = 0.0
        self._share: float | None = 0.0
        self._start = self._begun = self._latest = time.monotonic()
        self._read = 0.0  # seconds of the pass until the last report
        self._wanted = sys.stderr.isatty() and not is_quiet()
        self._timer: threading.Timer | None = None
        self._display: Display | None = None
        self._task: TaskID

    @property
    def rate(self) -> float:
        """Rows of the last pass per second of total time."""
        return self.rows / max(self.seconds, 1e-9)

    @property
    def text(self) -> str:
        """The text next to the bar."""
        now = time.monotonic()
        if not self.rows:
            return _duration(now - self._begun)
        since = now - self._latest
        if self._share is not None and self._share >= 1:
            return f"{self.rows:,} rows read; {self.then}, {_duration(since)}"
        read = max(self._read, 1e-9)
        left = "" if not self._share else f", {_duration(max(0.0, read / self._share - read - since))} left"
        return f"{self.rows:,} rows, {self.rows / read:,.0f} rows/s{left}"

    def begin(self, doing: str) -> None:
        """Name the next pass over rows."""
        self.doing, self.rows, self._share, self._begun = doing, 0, 0.0, time.monotonic()
        self._advance()

    def __call__(self, report: _Report) -> None:
        """Update the progress."""
        self.rows, self.skipped, self.described = report.rows, report.skipped, report.described
        self._share, self._read, self._latest = report.share, report.seconds, time.monotonic()
        self._advance()

    def __enter__(self) -> Reporter:
        self._start = self._begun = self._latest = time.monotonic()
        if self._wanted:
            self._timer = threading.Timer(self.patience, self._show)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.seconds = time.monotonic() - self._start
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
        if self._display is not None:
            self._display.stop()

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn
        from rich.table import Column
        from rich.text import Text

        reporter = self

        class Line(ProgressColumn):
            def render(self, task: Any) -> Text:
                del task
                return Text(reporter.text)

        columns: list[Any] = [TextColumn("{task.description}"), BarColumn(_BAR), Line(Column(no_wrap=True))]
        display = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = display.add_task(self.doing, total=None)
        display.start()
        self._display = display
        self._advance()

    def _advance(self) -> None:
        # Without rows, or if the size of the data is unknown, the bar pulses.
        if self._display is not None:
            known = self.rows and self._share is not None
            self._display.update(
                self._task, description=self.doing, completed=self._share or 0.0, total=1.0 if known else None
            )


def _duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60:02} min"
