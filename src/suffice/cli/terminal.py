"""Text output for the terminal: lines, tables and bars.

In a terminal, headings are bold, evidence for a class is cyan and evidence against it magenta. Tables fit the width of
the terminal: bars get shorter first, then long cells end in "…", and wider tables are printed in parts, each with the
first column. In a pipe or a file nothing is shortened; there, or if NO_COLOR is set, the text is plain. Widths are
counted in terminal cells, so that wide characters line up.
"""

from __future__ import annotations

import functools
import math
import os
import sys
import textwrap
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TextIO, TypeAlias

import typer
from rich.cells import set_cell_size

from suffice.cli.failures import visible
from suffice.errors import counted
from suffice.records import display_width, pad_text
from suffice.statistics.labels import label_text

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "AGAINST",
    "FOR",
    "Bar",
    "Cell",
    "SignedBar",
    "Strip",
    "Styled",
    "can_print",
    "counted",
    "cut_rows",
    "draw_bar",
    "draw_signed_bar",
    "draw_strip",
    "fit_width",
    "heading",
    "is_quiet",
    "label_text",
    "number",
    "percent",
    "print_table",
    "quieted",
    "say",
    "shade",
    "shorten_names",
    "size_of",
]

FOR: Final = "cyan"
AGAINST: Final = "magenta"

_BOLD, _DIM = "bold", "dim"
_BAR, _LEAST_BAR = 24, 6
_SIDE, _LEAST_SIDE = 12, 4  # of a bar on either side of the middle
_LEAST_TEXT = 10
_GAP = "  "
_EIGHTHS, _FULL, _MIDDLE = " ▏▎▍▌▋▊▉█", "█", "│"
_RIGHT_BLOCKS = "▕▐█"
_HEIGHTS, _DIGITS = "▁▂▃▄▅▆▇█", "0123456789"
_NONE = "·"
_PLAIN = {"…": "...", "–": "-", "−": "-", "±": "+/-", "∞": "inf"}
_SHADES, _PLAIN_SHADES = " ░▒▓█", " .:+#"

_quiet: ContextVar[bool] = ContextVar("_quiet", default=False)


class Styled(NamedTuple):
    """Text in a style of rich, such as "bold" or "cyan"."""

    text: str
    style: str = ""

    @property
    def width(self) -> int:
        """Width in terminal cells."""
        return display_width(self.text)

    @property
    def least(self) -> int:
        """Minimum width in terminal cells; long text may be truncated."""
        return min(_LEAST_TEXT, self.width)

    def draw(self, width: int, *, to_right: bool) -> str:
        """Return the text that fills this width."""
        shown = fit_width(self.text, width)
        words = shown.rstrip(" ")
        pad = " " * (display_width(shown) - display_width(words))
        return pad + _styled(words, self.style) if to_right else _styled(words, self.style) + pad


class Bar(NamedTuple):
    """A bar whose length is proportional to value/maximum, scaled to the available width."""

    value: float
    greatest: float
    text: str = ""
    width: int = _BAR
    least: int = _LEAST_BAR

    def draw(self, width: int, *, to_right: bool) -> str:
        """Return the text that fills this width."""
        del to_right
        return _padded(draw_bar(self.value, self.greatest, width), FOR, width)


class SignedBar(NamedTuple):
    """A bar to the right of the middle for a positive value, to the left for a negative one."""

    value: float
    greatest: float
    text: str = ""
    width: int = 2 * _SIDE + 1
    least: int = 2 * _LEAST_SIDE + 1

    def draw(self, width: int, *, to_right: bool) -> str:
        """Return the text that fills this width."""
        del to_right
        side = (width - 1) // 2
        drawn = draw_signed_bar(self.value, self.greatest, side)
        if self.value < 0:
            return _styled(drawn[:-1], AGAINST) + _padded(drawn[-1], "", width - side)
        return drawn[: side + 1] + _padded(drawn[side + 1 :], FOR, width - side - 1)


class Strip(NamedTuple):
    """One character per fraction, or per second, third, … fraction if the table is too narrow for all of them."""

    shares: tuple[float, ...]
    text: str = ""
    least: int = _LEAST_BAR

    @property
    def width(self) -> int:
        """Width in terminal cells."""
        return len(self.shares)

    def draw(self, width: int, *, to_right: bool) -> str:
        """Return the text that fills this width."""
        del to_right
        last = len(self.shares) - 1
        shown = min(width, last + 1)
        drawn = draw_strip([self.shares[round(at * last / max(shown - 1, 1))] for at in range(shown)])
        return _padded(drawn, FOR, width)


Drawn: TypeAlias = "Styled | Bar | SignedBar | Strip"
Cell: TypeAlias = "str | Drawn"


@contextmanager
def quieted(quiet: bool) -> Generator[None]:
    """Suppress output inside the context if `quiet`; errors and warnings still go to stderr."""
    token = _quiet.set(quiet)
    try:
        yield
    finally:
        _quiet.reset(token)


def is_quiet() -> bool:
    """Return whether --quiet is in effect."""
    return _quiet.get()


def say(text: str = "", style: str = "", *, is_command: bool = False) -> None:
    """Print a line; control characters, and characters that the encoding lacks, are printed as escapes.

    In a terminal, a long line is broken between words, unless it is a command, which users copy.
    """
    if _quiet.get():
        return
    line = _printable(text)
    lines = [line] if is_command or not _is_terminal() else _fold(line, _console(sys.stdout).width)
    for part in lines:
        typer.echo(_styled(part, style), color=True)


def heading(text: str) -> None:
    """Print a blank line and a title in bold."""
    say()
    say(text, _BOLD)


def print_table(
    rows: Sequence[Sequence[Cell]], head: Sequence[str] = (), right: Sequence[int] = (), wrap: int = -1
) -> None:
    """Print rows in columns under the titles of `head`.

    `right` lists the right-aligned columns, `wrap` is the column that may take several lines in a narrow terminal. A
    row of one cell is a note and is not truncated.
    """
    if not rows or _quiet.get():
        return
    number = max(map(len, [head, *rows]))
    titles: list[Sequence[Cell]] = [[Styled(title, _DIM) for title in head]] if head else []
    cells = [[_printable_cell(cell) for cell in row] for row in [*titles, *rows]]
    grid = [[*row, *[Styled("")] * (number - len(row))] if len(row) > 1 else row for row in cells]
    for at, part in enumerate(_parts([row for row in grid if len(row) == number])):
        if at:
            say()
        some = [[row[column] for column in part] if len(row) == number else row for row in grid]
        folded = part.index(wrap) if wrap in part else -1
        widths = _widths([row for row in some if len(row) == len(part)], folded)
        to_right = [place for place, column in enumerate(part) if column in right]
        for row in some:
            for line in _lines(row, widths, to_right, folded) if len(row) == len(part) else [f"{_GAP}{row[0].text}"]:
                typer.echo(line, color=True)


def cut_rows(rows: Sequence[Sequence[Cell]], most: int, what: str = "") -> list[Sequence[Cell]]:
    """Return the first rows of a table, and a row with how many more there are.

    Examples
    --------
    >>> cut_rows([["a"], ["b"], ["c"]], 2)
    [['a'], ['b'], ['… 1 more']]
    """
    more = f"… {len(rows) - most:,} more {what}".rstrip()
    return [*rows] if len(rows) <= most else [*rows[:most], [more]]


def shorten_names(names: Sequence[object], most: int = 5) -> str:
    """Return the first names, and how many more there are.

    Examples
    --------
    >>> shorten_names(["a", "b", "c"], 2)
    'a, b, … 1 more'
    """
    return ", ".join(map(label_text, names[:most])) + f", … {len(names) - most:,} more" * (len(names) > most)


def number(value: float) -> str:
    """Return a number formatted for display.

    Examples
    --------
    >>> number(1234567.0), number(0.5), number(42650.25), number(math.inf)
    ('1,234,567', '0.5', '42,650', '∞')
    """
    if not math.isfinite(value):
        return "–" if math.isnan(value) else "∞" if value > 0 else "−∞"
    return f"{value:,.0f}" if value == int(value) or 1e4 <= abs(value) < 1e15 else f"{value:,.4g}"


def percent(share: float) -> str:
    """Return a fraction in percent.

    Examples
    --------
    >>> percent(0.1234), percent(1.0), percent(0.00001), percent(0.99994)
    ('12.3 %', '100 %', '0.001 %', '99.994 %')
    """
    value = 100 * share
    if math.isnan(value):
        return "–"
    if value in (0, 100):
        return f"{value:.0f} %"
    if 99.9 < value < 100:  # near 100 %, the distance to 100 % determines the digits
        return f"{value:.{min(6, -math.floor(math.log10(100 - value)))}f} %"
    return f"{value:.1f} %" if value >= 0.1 else f"{value:.1g} %"


def size_of(path: str | Path) -> str:
    """Return the size of a file, formatted for display."""
    size = float(Path(path).stat().st_size)
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            break
        size /= 1000
    return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"


def draw_bar(value: float, greatest: float, width: int = _BAR) -> str:
    """Return a bar proportional to value/maximum, in eighths of a character if the terminal supports them.

    Examples
    --------
    >>> draw_bar(3, 4, 8), draw_bar(0.5, 4, 8), draw_bar(math.inf, math.inf, 4)
    ('██████', '█', '████')
    """
    if not value > 0 or not greatest > 0:
        return ""
    share = 1.0 if math.isinf(value) else min(1.0, value / greatest)
    eighths = max(1, round(share * width * 8))
    if not can_print(_EIGHTHS):
        return "#" * max(1, round(share * width))
    return (_FULL * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()


def draw_signed_bar(value: float, greatest: float, width: int = _SIDE) -> str:
    """Return a bar to the right of the middle for a positive value, to the left for a negative one.

    Examples
    --------
    >>> draw_signed_bar(1, 1, 3), draw_signed_bar(-1, 1, 3)
    ('   │███', '███│')
    """
    middle = _MIDDLE if can_print(_MIDDLE) else "|"
    if value >= 0:
        return " " * width + middle + draw_bar(value, greatest, width)
    share = 1.0 if math.isinf(value) else min(1.0, -value / greatest)
    if not can_print(_RIGHT_BLOCKS):
        length = max(1, round(share * width))
        return " " * (width - length) + "#" * length + middle
    # Blocks that grow from the right exist as an eighth, a half and a whole.
    halves = round(share * width * 2)
    drawn = _RIGHT_BLOCKS[halves % 2] * (halves % 2) + _FULL * (halves // 2) if halves else _RIGHT_BLOCKS[0]
    return drawn.rjust(width) + middle


def draw_strip(shares: Sequence[float]) -> str:
    """Return one bar character per fraction from 0 to 1; a dot for less than 0.5 %.

    Examples
    --------
    >>> draw_strip([0.0, 0.01, 0.5, 1.0])
    '·▁▅█'
    """
    plain = not can_print(_HEIGHTS + _NONE)
    signs, none = (_DIGITS, ".") if plain else (_HEIGHTS, _NONE)
    return "".join(none if share < 0.005 else signs[min(int(share * len(signs)), len(signs) - 1)] for share in shares)


def shade(share: float) -> str:
    """Return a shading character for a fraction from 0 (blank) to 1 (solid).

    Examples
    --------
    >>> [shade(share) for share in (0.0, 0.01, 0.4, 1.0)]
    [' ', '░', '▒', '█']
    """
    signs = _SHADES if can_print(_SHADES) else _PLAIN_SHADES
    return signs[math.ceil(share * (len(signs) - 1))] if share > 0 else signs[0]


def can_print(text: str) -> bool:
    """Return whether stdout can encode these characters."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def fit_width(text: str, width: int) -> str:
    """Return the text in a given width of terminal cells, padded, or truncated with an ellipsis.

    Examples
    --------
    >>> fit_width("abc", 5), fit_width("東京都", 4), fit_width("東京", 4)
    ('abc  ', '東… ', '東京')
    """
    if display_width(text) <= width:
        return pad_text(text, width)
    ellipsis = "…" if can_print("…") else "."
    return set_cell_size(set_cell_size(text, width - 1).rstrip() + ellipsis, width)


def _fold(line: str, width: int) -> list[str]:
    # Line breaks between words; the next lines are indented.
    if display_width(line) <= width:
        return [line]
    signs = width if display_width(line) == len(line) else width // 2
    indent = " " * (len(line) - len(line.lstrip()) + len(_GAP))
    return textwrap.wrap(line, signs, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _printable_cell(cell: Cell) -> Drawn:
    if isinstance(cell, str):
        return Styled(_printable(cell))
    return cell._replace(text=_printable(cell.text))


def _printable(text: str) -> str:
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    shown = visible(text)
    if not can_print(shown):
        shown = "".join(sign if can_print(sign) else _PLAIN.get(sign, sign) for sign in shown)
    return shown.encode(encoding, "backslashreplace").decode(encoding)


def _styled(text: str, style: str) -> str:
    # Styles are used only in terminals, unless NO_COLOR=1 is set (no-color.org).
    if not style or not text or not _is_terminal() or os.environ.get("NO_COLOR"):
        return text
    from rich.color import ColorSystem
    from rich.style import Style

    if _console(sys.stdout).color_system is None:
        return text
    return Style.parse(style).render(text, color_system=ColorSystem.STANDARD)


def _is_terminal() -> bool:
    return bool(getattr(sys.stdout, "isatty", lambda: False)())


@functools.lru_cache(maxsize=1)
def _console(stream: TextIO) -> Console:
    from rich.console import Console

    return Console(file=stream)


def _parts(grid: list[list[Drawn]]) -> list[list[int]]:
    # The columns of each part of a table: all of them if the terminal is wide enough for their minimum widths.
    least = [len(_GAP) + max(cell.least for cell in column) for column in zip(*grid, strict=True)]
    if not _is_terminal():
        return [list(range(len(least)))]
    parts, room = [[0]], _console(sys.stdout).width - least[0]
    for at in range(1, len(least)):
        if len(parts[-1]) > 1 and sum(least[column] for column in parts[-1][1:]) + least[at] > room:
            parts.append([0])
        parts[-1].append(at)
    return parts


def _widths(grid: list[list[Drawn]], wrap: int) -> list[int]:
    # As wide as the widest cell. In a terminal the excess is taken from bars, from the text that wraps, and from the
    # widest text, in this order.
    columns = list(zip(*grid, strict=True))
    widths = [max(cell.width for cell in column) for column in columns]
    if not _is_terminal():
        return widths
    least = [max(cell.least for cell in column) for column in columns]
    bars = [at for at, column in enumerate(columns) if any(not isinstance(cell, Styled) for cell in column)]
    if wrap >= 0:
        least[wrap] = min(widths[wrap], 2 * _LEAST_TEXT)
    excess = sum(widths) + len(_GAP) * len(widths) - _console(sys.stdout).width
    for at in [*bars, *[wrap] * (wrap >= 0)]:
        taken = min(max(excess, 0), max(widths[at] - least[at], 0))
        widths[at], excess = widths[at] - taken, excess - taken
    while excess > 0:
        at = max(range(len(widths)), key=lambda at: widths[at] - least[at])
        if widths[at] <= least[at]:
            break
        widths[at], excess = widths[at] - 1, excess - 1
    return widths


def _lines(row: list[Drawn], widths: list[int], right: Sequence[int], wrap: int) -> Generator[str]:
    parts: list[list[str]] = []
    for at, (cell, width) in enumerate(zip(row, widths, strict=True)):
        folded = [cell]
        if at == wrap and cell.width > width:
            signs = width if display_width(cell.text) == len(cell.text) else max(1, width // 2)
            folded = [cell._replace(text=part) for part in textwrap.wrap(cell.text, signs) or [""]]
        parts.append([part.draw(width, to_right=at in right) for part in folded])
    for at in range(max(map(len, parts))):
        cells = [part[at] if at < len(part) else " " * width for part, width in zip(parts, widths, strict=True)]
        yield (_GAP + _GAP.join(cells)).rstrip()


def _padded(text: str, style: str, width: int) -> str:
    return _styled(text, style) + " " * max(0, width - display_width(text))
