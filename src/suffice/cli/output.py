"""What a command prints on stdout: one JSON object for scripts, or lines and tables for people."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import typer

from suffice.cli.failures import warned
from suffice.cli.wording import CONTROL_CHARACTERS, visible
from suffice.statistics.counted import counted

__all__ = ["as_json", "capped", "counted", "emit", "listed", "number", "plain", "say", "share", "size_of", "table"]

_WIDTH_OF_A_FILE = 120


def emit(record: Mapping[str, Any]) -> None:
    """Print one JSON object, with the warnings of the command; NaN is null, and an infinite number a text ("inf")."""
    typer.echo(as_json({**record, "warnings": warned()}))


def as_json(record: Mapping[str, Any], indent: int | None = None) -> str:
    r"""Return the record as JSON, with control characters and unpaired surrogates as \u escapes.

    Examples
    --------
    >>> print(as_json({"label": "\x1b[31m\x9b\udc80é"}))
    {"label": "\u001b[31m\u009b\udc80é"}
    """
    text = json.dumps(plain(record), ensure_ascii=False, allow_nan=False, indent=indent)
    return CONTROL_CHARACTERS.sub(lambda found: found[0] if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text)


def plain(value: Any) -> Any:
    """Return the value in what JSON knows.

    Examples
    --------
    >>> plain({"a": (1, float("nan"), float("-inf")), 2: Path("x")})
    {'a': [1, None, '-inf'], '2': 'x'}
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, Iterable):
        return [plain(each) for each in cast("Iterable[Any]", value)]
    return plain(value.item()) if hasattr(value, "item") else str(value)


def say(text: str = "") -> None:
    """Print a line for people; control characters, and characters that the encoding lacks, are printed as escapes."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    typer.echo(visible(text).encode(encoding, "backslashreplace").decode(encoding))


def table(rows: Sequence[Sequence[str]], right: Sequence[int] = (), indent: int = 2) -> None:
    """Print rows of text in columns; `right` says which of them are aligned to the right."""
    if not rows:
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2, 0, 0), pad_edge=True)
    width = max(map(len, rows))
    for at in range(width):
        grid.add_column(justify="right" if at in right else "left", overflow="fold", no_wrap=False)
    for row in rows:
        grid.add_row(*(Text(visible(cell)) for cell in row))
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=_WIDTH_OF_A_FILE)
    with console.capture() as captured:
        console.print(grid)
    for line in captured.get().splitlines():
        say((" " * indent + line).rstrip())


def capped(rows: list[list[str]], most: int = 20) -> list[list[str]]:
    """Return the first rows of a table, and a row that says how many more there are."""
    return rows if len(rows) <= most else [*rows[:most], ["…", f"{len(rows) - most:,} more"]]


def listed(names: Sequence[object], most: int = 5) -> str:
    """Return the first names, and how many more there are.

    Examples
    --------
    >>> listed(["a", "b", "c"], 2)
    'a, b, … 1 more'
    """
    return ", ".join(map(str, names[:most])) + f", … {len(names) - most:,} more" * (len(names) > most)


def number(value: float) -> str:
    """Return a number as people write it.

    Examples
    --------
    >>> number(1234567.0), number(0.5), number(42650.25), number(math.inf)
    ('1,234,567', '0.5', '42,650', '∞')
    """
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:,.0f}" if value == int(value) or 1e4 <= abs(value) < 1e15 else f"{value:,.4g}"


def share(value: float) -> str:
    """Return a share in percent.

    Examples
    --------
    >>> share(0.1234), share(1.0), share(0.00001)
    ('12.3 %', '100 %', '0.001 %')
    """
    percent = 100 * value
    if percent in (0, 100):
        return f"{percent:.0f} %"
    return f"{percent:.1f} %" if percent >= 0.1 else f"{percent:.1g} %"


def size_of(path: str | Path) -> str:
    """Return the size of a file as people write it."""
    size = float(Path(path).stat().st_size)
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            break
        size /= 1000
    return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
