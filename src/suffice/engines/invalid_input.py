"""Errors of the native core as DataErrors that name the row and the column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, final

from suffice._core import FlawError
from suffice.errors import DataError, Wording

__all__ = ["translate_invalid_input"]


class _Kind(NamedTuple):
    # `known` is what the core knows: the row (r), the column (c), the value (v).
    problem: str
    advice: str
    known: str = ""


_UNSOUND = "Check the matrix with x.check_format()."
_KINDS = {
    "class_out_of_range": _Kind(
        "class codes must {range}be -1 to ignore a row", "Add the missing class, or remove the row.", "rv"
    ),
    "bad_weight": _Kind("weights must be finite and ≥ 0", "Remove the row; to subtract rows, use {forget}.", "rv"),
    "infinite": _Kind(
        "values must be finite, or NaN if missing",
        "Replace it, or use {histogram}, which accepts ±inf.",
        "rcv",
    ),
    "weight_overflow": _Kind("the sum of the weights of class {column} overflows", "Scale the weights down."),
    "overflow": _Kind(
        "the sums overflow float64: the values are too large",
        "Rescale the column, or use {histogram}.",
        "c",
    ),
    "negative": _Kind("counts must be ≥ 0", "Use {numeric} if the column does not hold counts.", "rcv"),
    "level_out_of_range": _Kind(
        "level codes must {range}be -1 if missing", "Add the missing level, or use the code -1.", "rcv"
    ),
    "bad_count": _Kind("counts must be finite and ≥ 0, or NaN if missing", "Replace it, or use {numeric}.", "rcv"),
    "not_whole": _Kind("Poisson counts must be integers", "Round it, or use {numeric}.", "rcv"),
    "undefined": _Kind(
        "log p(c, x) overflows float64: a value, weight or prior parameter is too large",
        "Rescale the columns or the weights, or give another prior.",
        "r",
    ),
    "bad_index": _Kind("invalid CSR matrix: stored entry {column} has a column index out of range", _UNSOUND, "rv"),
    "bad_starts": _Kind("invalid CSR matrix: indptr decreases, or exceeds the number of entries", _UNSOUND, "rv"),
}
_WHOLE = frozenset(("class_out_of_range", "level_out_of_range", "bad_index", "bad_starts"))


@final
class translate_invalid_input:  # noqa: N801 - used as a statement; a class, because one row is scored in microseconds
    """A context in which an error of the core becomes a DataError.

    Parameters
    ----------
    columns : sequence of names, or int
        The columns that the core counts from 0.
    classes : int
        How many classes there are.
    sizes : sequence of int
        How many levels each column has, where the core is given level codes.
    """

    __slots__ = ("_classes", "_columns", "_sizes")

    def __init__(self, columns: Sequence[str | int] | int, classes: int, sizes: Sequence[int] = ()) -> None:
        self._columns, self._classes, self._sizes = columns, classes, sizes

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, FlawError):
            raise self._error(*error.args) from None

    def _error(self, kind: str, row: int, column: int, value: float) -> DataError:
        columns, sizes = self._columns, self._sizes
        problem, advice, known = _KINDS[kind]
        size = self._classes if kind == "class_out_of_range" else sizes[column] if column < len(sizes) else 0
        name = column if isinstance(columns, int) or column >= len(columns) else columns[column]

        def advise(words: Wording) -> str:
            histogram, numeric = (words.column(name, kind) for kind in ("Histogram", "Numeric"))
            return advice.format(forget=words.verb("forget"), histogram=histogram, numeric=numeric)

        where: dict[str, Any] = {}
        if "r" in known:
            where["row"] = row
        if "c" in known:
            where["column"] = name
        if "v" in known:
            where["got"] = int(value) if kind in _WHOLE else value
        span = f"be from 0 to {size - 1}, or " if size else ""
        return DataError(problem.format(range=span, column=column), kind=kind, advice=advise, **where)
