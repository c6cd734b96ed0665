"""What the native core found wrong, as a DataError with the row and the name of the column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

from suffice._core import FlawError
from suffice.errors import Advice, DataError

__all__ = ["explained"]

_UNSOUND = "Check the matrix with x.check_format()."
# Of each kind: what must hold, what to do, and whether the core tells a row, a column and a value.
_KINDS: dict[str, tuple[str, Advice, str]] = {
    "class_out_of_range": ("codes must {span}be -1 to leave a row out", "Name every class, or drop the row.", "rv"),
    "bad_weight": (
        "weights must be finite and ≥ 0",
        lambda words: f"Drop the row, or take data out with {words.verb('forget')}.",
        "rv",
    ),
    "infinite": (
        "values must be finite, or NaN where they are missing",
        "Replace it, or give the column the likelihood Histogram, which takes ±inf.",
        "rcv",
    ),
    "weight_overflow": ("the weights of class {column} add up to infinity", "Scale them down.", ""),
    "overflow": (
        "the sums overflow: the values are too far apart for float64",
        "Rescale the column, or give it the likelihood Histogram.",
        "c",
    ),
    "negative": (
        "counts must be ≥ 0",
        "Shift the column, or give it the likelihood Gaussian or Histogram.",
        "rcv",
    ),
    "level_out_of_range": (
        "level codes must {span}be -1 where missing",
        "Name every level, or code it as -1.",
        "rcv",
    ),
    "bad_count": (
        "counts must be finite and ≥ 0, or NaN where missing",
        "Replace it, or give the column another likelihood.",
        "rcv",
    ),
    "not_whole": ("Poisson counts must be whole", "Round it, or give the column the likelihood Gaussian.", "rcv"),
    "undefined": (
        "log p(c, x) is beyond float64: a value, a weight or a parameter of a prior is too large",
        "Rescale the columns or the weights, or give another prior.",
        "r",
    ),
    "bad_index": ("not a sound CSR matrix: stored cell {column} has a column index out of range", _UNSOUND, "rv"),
    "bad_starts": ("not a sound CSR matrix: the row starts do not rise within its length", _UNSOUND, "rv"),
}
_WHOLE = frozenset(("class_out_of_range", "level_out_of_range", "bad_index", "bad_starts"))


@final
class explained:  # noqa: N801 - used as a statement; a class because one row is scored in microseconds
    """Turn a FlawError of the core into a DataError that names row and column."""

    __slots__ = ("_classes", "_columns", "_sizes")

    def __init__(self, columns: Sequence[str | int] | int, classes: int, sizes: Sequence[int] = ()) -> None:
        self._columns, self._classes, self._sizes = columns, classes, sizes

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, flaw: BaseException | None, traceback: object) -> None:
        if isinstance(flaw, FlawError):
            raise self._error(*flaw.args) from None

    def _error(self, kind: str, row: int, column: int, value: float) -> DataError:
        columns, sizes = self._columns, self._sizes
        problem, advice, told = _KINDS[kind]
        size = self._classes if kind == "class_out_of_range" else sizes[column] if column < len(sizes) else 0
        where: dict[str, Any] = {}
        if "r" in told:
            where["row"] = row
        if "c" in told:
            where["column"] = column if isinstance(columns, int) or column >= len(columns) else columns[column]
        if "v" in told:
            where["got"] = int(value) if kind in _WHOLE else value
        return DataError(problem.format(span=_span(size), column=column), kind=kind, advice=advice, **where)


def _span(size: int) -> str:
    return f"lie in 0 … {size - 1}, or " if size else ""
