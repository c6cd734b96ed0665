"""Where results go: one JSON object for scripts, lines, tables and bars for people, and files of rows."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import typer

from suffice.cli.failures import complain, warned
from suffice.cli.wording import CONTROL_CHARACTERS, visible
from suffice.errors import ParameterError
from suffice.statistics.counted import counted

if TYPE_CHECKING:
    from suffice.api import Model, PriorShift
    from suffice.sources.files import Writer

__all__ = [
    "as_json",
    "bar",
    "calibration_of",
    "can_print",
    "capped",
    "counted",
    "emit",
    "listed",
    "number",
    "plain",
    "require_place",
    "rows_out",
    "say",
    "say_shift",
    "schema_record",
    "schema_rows",
    "share",
    "shift_record",
    "signed_bar",
    "size_of",
    "strip",
    "table",
    "undisturbed",
]

_WIDTH_OF_A_FILE = 120
_MOST_COLUMNS = 40
_MOST_CLASSES = 12
_FORMATS = ("csv", "tsv", "ndjson", "parquet")
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_FULL = "█"
_HEIGHTS, _DIGITS = "▁▂▃▄▅▆▇█", "0123456789"
_NONE = "·"


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


def bar(value: float, greatest: float, width: int = 24) -> str:
    """Return a bar as long as value is of the greatest, in eighths of a character where the terminal has them.

    Examples
    --------
    >>> bar(3, 4, 8)
    '██████'
    >>> bar(0.5, 4, 8)
    '█'
    >>> bar(math.inf, math.inf, 4)
    '████'
    """
    if not value > 0 or not greatest > 0:
        return ""
    share = 1.0 if math.isinf(value) else min(1.0, value / greatest)
    eighths = max(1, round(share * width * 8))
    if not can_print(_EIGHTHS):
        return "#" * max(1, round(share * width))
    return (_FULL * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()


def signed_bar(value: float, greatest: float, width: int = 12) -> str:
    """Return a bar to the right of the middle for what is positive, to the left for what is negative.

    Examples
    --------
    >>> signed_bar(1, 1, 3), signed_bar(-1, 1, 3)
    ('   │███', '███│')
    """
    middle = "│" if can_print("│") else "|"
    if value >= 0:
        return " " * width + middle + bar(value, greatest, width)
    # There are no blocks that grow from the right, so this side is rounded to whole characters.
    share = 1.0 if math.isinf(value) else min(1.0, -value / greatest)
    length = max(1, round(share * width))
    return " " * (width - length) + (_FULL if can_print(_FULL) else "#") * length + middle


def strip(shares: Sequence[float]) -> str:
    """Return a sign for each share from 0 to 1: the higher the greater, a dot for what is below half a percent.

    Examples
    --------
    >>> strip([0.0, 0.01, 0.5, 1.0])
    '·▁▅█'
    """
    plain = not can_print(_HEIGHTS + _NONE)
    signs, none = (_DIGITS, ".") if plain else (_HEIGHTS, _NONE)
    return "".join(none if share < 0.005 else signs[min(int(share * len(signs)), len(signs) - 1)] for share in shares)


def can_print(text: str) -> bool:
    """Say whether stdout has these characters."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def calibration_of(model: Model) -> str | None:
    """Return how the probabilities of the model are calibrated, or None where they are not."""
    learnt = model.calibration
    if learnt is None:
        return None
    return f"calibrated: {learnt}; log loss {learnt.loss_before:.4f} before, {learnt.loss:.4f} now"


def schema_rows(model: Model, most: int = _MOST_COLUMNS) -> list[list[str]]:
    """Return a row for each column: its name, its likelihood, and what the statistics chose."""
    rows = [[str(each["name"]), each["likelihood"], each["read_as"] or ""] for each in _columns(model)]
    if len(rows) > most:
        rows = [*rows[:most], ["…", f"{len(rows):,} columns in all", ""]]
    left_out = [[str(name), "left out", reason] for name, reason in _left_out(model).items()]
    if len(left_out) > most:
        left_out = [*left_out[:most], ["…", f"{len(left_out):,} left out in all", ""]]
    return rows + left_out


def schema_record(model: Model) -> dict[str, Any]:
    """Return the columns and those that are left out."""
    left_out = [{"name": name, "reason": reason} for name, reason in _left_out(model).items()]
    return {"columns": _columns(model), "left_out": left_out}


def _columns(model: Model) -> list[dict[str, Any]]:
    # A column whose likelihood the statistics choose is shown with the one that it has taken.
    asked, taken = (
        {name: repr(block.likelihood) for block in schema.blocks for name in block.columns}
        for schema in (model.schema, model.naive_bayes.form_schema())
    )
    choices = model.choices
    return [
        {
            "name": name,
            "likelihood": taken[name],
            "read_as": choices.get(name) if taken[name] == asked[name] else None,
        }
        for name in model.schema.names
        if name in taken
    ]


def _left_out(model: Model) -> dict[str | int, str]:
    said = dict(model.schema.left_out)
    return {name: said.get(name, "as asked") for name in model.schema.unused}


def say_shift(shift: PriorShift) -> None:
    """Print the classes with how frequent they were believed to be and how frequent they are."""
    say(f"class prior estimated from {counted(shift.rows, 'row')}, p = {shift.p_value:.2g} if it had not changed")
    each = list(zip(shift.classes, shift.before.tolist(), shift.after.tolist(), strict=True))
    most = max(shift.after.tolist())
    rows = [[str(label), share(before), "→", share(after), bar(after, most)] for label, before, after in each]
    table(rows[:_MOST_CLASSES] + [["…", f"{len(each):,} in all"]] * (len(each) > _MOST_CLASSES), right=(1, 3))


def shift_record(shift: PriorShift | None) -> dict[str, Any] | None:
    """Return the same for scripts."""
    if shift is None:
        return None
    each = zip(shift.classes, shift.before.tolist(), shift.after.tolist(), strict=True)
    return {
        "classes": [{"label": label, "before": before, "after": after} for label, before, after in each],
        "rows": shift.rows,
        "silent": shift.silent,
        "iterations": shift.iterations,
        "converged": shift.converged,
        "log_likelihood_ratio": shift.log_likelihood_ratio,
        "p_value": shift.p_value,
    }


def require_place(path: Path, reads: Iterable[str | Path] = (), what: str = "-o") -> None:
    """Raise where nothing could be written to that path, or where it is one of the files that are read."""
    if str(path) == "-":
        raise ParameterError(f"{what} must be a file: got -, and a model is not written to standard output.")
    if path.is_dir():
        raise IsADirectoryError(21, "Is a directory", str(path))
    folder = path.parent
    if not folder.exists():
        raise ParameterError(f"{what} {str(path)!r}: there is no folder {str(folder)!r}. Make it first.")
    if not os.access(folder, os.W_OK):
        raise PermissionError(13, "Permission denied", str(folder))
    for each in reads:
        if path.exists() and Path(each).exists() and path.samefile(each):
            raise ParameterError(
                f"{what} {str(path)!r} is a file that is read. Choose another name, so that it is not lost."
            )


@contextmanager
def undisturbed(path: Path, reads: Iterable[Path]) -> Generator[None]:
    """Hold a model file that is read and then replaced, so that two processes that change it do so in turn."""
    from suffice.storage import exclusive

    if not any(path.exists() and each.exists() and path.samefile(each) for each in reads):
        yield
        return
    with exclusive(path, lambda: complain(f"{path} is being changed by another process: waiting for it.")):
        yield


@contextmanager
def rows_out(path: str, to: str | None) -> Generator[Writer]:
    """Give a writer of rows; the format is as `to` says, or as the path ends."""
    from suffice.sources.files import Writer
    from suffice.sources.files.writing import out_format
    from suffice.storage import replacing

    if to is not None and to not in _FORMATS:
        raise typer.BadParameter(f"{to!r} is no format of rows. Give {', '.join(_FORMATS)}.", param_hint="--to")
    kind: Any = to or out_format(path)
    if path == "-":
        with Writer(path, kind) as writer:
            yield writer
        return
    with replacing(path) as file, Writer(file.name, kind) as writer:
        yield writer
