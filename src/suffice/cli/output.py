"""Output: one JSON object for scripts, and files that are written atomically."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import typer

from suffice.cli.failures import CONTROL_CHARACTERS, collected_warnings, complain
from suffice.errors import ParameterError

if TYPE_CHECKING:
    from suffice.sources.files import Writer
    from suffice.statistics.arrays import FloatArray

__all__ = [
    "STDOUT",
    "RowsOut",
    "as_json",
    "emit",
    "find_computed",
    "jsonable",
    "locked",
    "require_place",
    "round_digits",
    "rows_out",
]

STDOUT = "-"
_FORMATS = ("csv", "tsv", "ndjson", "parquet")
_EVERY_DIGIT = 17  # of a double
_DIGITS_OF_TEXT = 6
_SMALL = 1e-5


def emit(record: Mapping[str, Any]) -> None:
    """Print one JSON object, with the warnings of the command; NaN is null, and an infinite number a text ("inf")."""
    typer.echo(as_json({**record, "warnings": collected_warnings()}))


def as_json(record: Mapping[str, Any], indent: int | None = None) -> str:
    r"""Return the record as JSON, with control characters and unpaired surrogates as \u escapes.

    Examples
    --------
    >>> print(as_json({"label": "\x1b[31m\x9b\udc80é"}))
    {"label": "\u001b[31m\u009b\udc80é"}
    """
    text = json.dumps(jsonable(record), ensure_ascii=False, allow_nan=False, indent=indent)
    return CONTROL_CHARACTERS.sub(lambda found: found[0] if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text)


def jsonable(value: Any) -> Any:
    """Return the value in types that JSON has.

    Examples
    --------
    >>> jsonable({"a": (1, float("nan"), float("-inf")), 2: Path("x")})
    {'a': [1, None, '-inf'], '2': 'x'}
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(key): jsonable(each) for key, each in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, Iterable):
        return [jsonable(each) for each in cast("Iterable[Any]", value)]
    return jsonable(value.item()) if hasattr(value, "item") else str(value)


def require_place(path: Path, reads: Iterable[str | Path] = (), what: str = "-o") -> None:
    """Raise an error if the path cannot be written to, or is one of the files that the command reads."""
    if str(path) == STDOUT:
        raise ParameterError(f"{what} must be a file: got -, but a model cannot be written to standard output.")
    if path.is_dir():
        raise IsADirectoryError(21, "Is a directory", str(path))
    folder = path.parent
    if not folder.exists():
        raise ParameterError(f"{what} {str(path)!r}: the folder {str(folder)!r} does not exist. Create it first.")
    if not os.access(folder, os.W_OK):
        raise PermissionError(13, "Permission denied", str(folder))
    for each in reads:
        if path.exists() and Path(each).exists() and path.samefile(each):
            raise ParameterError(
                f"{what} {str(path)!r} is an input file of this command. Choose another name, so that it is not "
                "overwritten."
            )


@contextmanager
def locked(path: Path, reads: Iterable[Path]) -> Generator[None]:
    """Lock a model file that is read and then replaced, so that two processes that change it take turns."""
    from suffice.storage import exclusive

    if not any(path.exists() and each.exists() and path.samefile(each) for each in reads):
        yield
        return
    with exclusive(path, lambda: complain(f"{path} is being changed by another process: waiting for it.")):
        yield


class RowsOut:
    """Writes columns, with computed numbers rounded to significant digits; columns of --keep are unchanged."""

    def __init__(self, writer: Writer, digits: int | None) -> None:
        self._writer = writer
        self._digits = digits

    def write(self, columns: Mapping[str, Any]) -> None:
        """Write some rows, {name: array, list or series of Polars}."""
        if self._digits is None:
            self._writer.write(columns)
            return
        import numpy as np

        computed = {name for name, values in columns.items() if isinstance(values, np.ndarray)}
        self._writer.write(
            {
                name: round_digits(values, self._digits) if name in computed and values.dtype.kind == "f" else values
                for name, values in columns.items()
            }
        )


@contextmanager
def rows_out(path: str, to: str | None, digits: int | None = None) -> Generator[RowsOut]:
    """Give a writer of rows; the format is `to`, or that of the file's ending."""
    from suffice.sources.files import Writer
    from suffice.sources.files.writing import out_format
    from suffice.storage import replacing

    if to is not None and to not in _FORMATS:
        raise typer.BadParameter(f"unknown output format {to!r}. Give {', '.join(_FORMATS)}.", param_hint="--to")
    kind: Any = to or out_format(path)
    if digits is None and kind in ("csv", "tsv"):
        digits = _DIGITS_OF_TEXT
    shown = digits if digits is not None and digits < _EVERY_DIGIT else None
    if path == STDOUT:
        with Writer(path, kind) as writer:
            yield RowsOut(writer, shown)
        return
    with replacing(path) as file, Writer(file.name, kind) as writer:
        yield RowsOut(writer, shown)


def round_digits(values: FloatArray, digits: int) -> FloatArray:
    """Return the numbers rounded to significant digits; 0 and non-finite values are unchanged.

    Examples
    --------
    >>> import numpy as np
    >>> round_digits(np.array([0.12345678, -98765.4321, 0.0, 1.23456789e-300, np.inf]), 3).tolist()
    [0.123, -98800.0, 0.0, 1.23e-300, inf]
    """
    import numpy as np

    rounded = values.astype(float)
    usual = (np.abs(values) >= _SMALL) & (np.abs(values) < 1 / _SMALL)
    # Powers of ten up to 22 are exact, so the quotient is the double nearest to the decimal number.
    places = digits - 1 - np.floor(np.log10(np.abs(values[usual])))
    up, down = 10.0 ** np.maximum(places, 0), 10.0 ** np.maximum(-places, 0)
    rounded[usual] = np.rint(values[usual] * up / down) * down / up
    other = ~usual & np.isfinite(values) & (values != 0)
    rounded[other] = [float(f"{value:.{digits}g}") for value in values[other].tolist()]
    return rounded


def find_computed(columns: Mapping[str, Any], name: str) -> Any:
    """Return a column that was computed; a kept column of the same name adds an underscore to its name."""
    return columns[max((each for each in columns if each.rstrip("_") == name), key=len)]
