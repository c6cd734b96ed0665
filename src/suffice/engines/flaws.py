"""What the native core found wrong, in words: what, where, got, do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from suffice._core import FlawError
from suffice.errors import DataError

__all__ = ["explained"]


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
            raise DataError(self._sentence(flaw)) from None

    def _sentence(self, flaw: FlawError) -> str:
        columns, classes, sizes = self._columns, self._classes, self._sizes
        details: tuple[str, int, int, float] = flaw.args  # pyright: ignore[reportAssignmentType]
        kind, row, column, value = details
        name = repr(column if isinstance(columns, int) or column >= len(columns) else columns[column])
        size = sizes[column] if column < len(sizes) else 0
        sentences = {
            "class_out_of_range": f"codes must {_span(classes)}be -1 to leave a row out: row {row} has {value:.0f}. "
            "Name every class, or drop the row.",
            "bad_weight": f"weights must be finite and ≥ 0: row {row} has {value!r}. "
            "Drop the row, or take data out by subtracting its statistic.",
            "infinite": f"x must be finite, or NaN where it is missing: row {row}, column {name} has {value!r}. "
            "Replace it, or collect the column in bins, which take ±inf.",
            "weight_overflow": f"the weights of class {column} add up to infinity. Scale them down.",
            "overflow": f"the sums of column {name} overflow: its values are too far apart for float64. "
            "Rescale the column, or collect it in bins.",
            "negative": f"counts must be ≥ 0: row {row}, column {name} has {value!r}. "
            "Shift the column, or collect moments or bins of it instead.",
            "level_out_of_range": f"level codes must {_span(size)}be -1 where missing: row {row}, column {name} has "
            f"{value:.0f}. Name every level, or code it as -1.",
            "bad_count": "counts must be finite and ≥ 0, or NaN where missing: "
            f"row {row}, column {name} has {value!r}. "
            "Replace it, or read the column with another likelihood.",
            "not_whole": f"Poisson counts must be whole: row {row}, column {name} has {value!r}. "
            "Round it, or read the column as Gaussian().",
            "undefined": f"log p(c, x) of row {row} is beyond float64: a value, a weight or a parameter of a prior "
            "is too large. Rescale the columns or the weights, or give another prior.",
            "bad_index": f"x is not a sound CSR matrix: row {row}, stored cell {column} has column index {value:.0f}. "
            "Check it with x.check_format().",
            "bad_starts": f"x is not a sound CSR matrix: row start {row} is {value:.0f}. "
            "Check it with x.check_format().",
        }
        return sentences[kind]


def _span(size: int) -> str:
    return f"lie in 0 … {size - 1}, or " if size else ""
