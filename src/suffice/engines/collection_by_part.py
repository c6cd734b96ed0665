"""The statistics of parts of the rows, in one pass that moves no row: a class of a part is a class of its own.

    code of class c in part p = p · C + c

So it takes statistics that keep each class by itself. Levels and tokens do not: which of them there are is found out
from the rows of a part.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from suffice.engines import arrays
from suffice.engines.collection import collect
from suffice.likelihoods.block_statistics import Parts, Plan
from suffice.sources.table import Matrix, Table
from suffice.statistics import Axis, Tally
from suffice.statistics.arrays import IntArray

__all__ = ["collect_by_part", "has_parts_in_place"]

_CLASS_BY_CLASS = frozenset({"moments", "scatter", "presence", "sums", "maxima"})


def has_parts_in_place(plan: Plan, table: Table) -> bool:
    """Say whether parts of the rows can be collected and scored where they lie: numbers, row after row."""
    numbers = isinstance(table, Matrix) and table.row_by_row
    return numbers and all(wanted.what in _CLASS_BY_CLASS for wanted in plan.collects)


def collect_by_part(
    plan: Plan, table: Table, codes: IntArray, classes: Axis, weights: npt.NDArray[Any] | None, parts: IntArray
) -> list[tuple[Tally, tuple[Parts, ...]]]:
    """Return for part 0, 1, … the weights of the classes and the statistics of every block; classes are declared."""
    number, each = int(parts.max(initial=-1)) + 1, len(classes)
    axis = Axis(range(number * each), declared=True)
    apart: npt.NDArray[Any] = parts.astype(np.int32 if number * each < 2**31 else np.int64)
    apart *= each
    np.add(apart, codes, out=apart, casting="same_kind")
    if len(codes) and int(codes.min()) < 0:
        apart[codes < 0] = -1
    tally = arrays.tally(apart, axis, weights=weights)
    blocks = collect(plan, table, apart, axis, weights)
    return [
        (
            tally.take_classes(start, classes),
            tuple(tuple(part.take_classes(start, classes) for part in block) for block in blocks),
        )
        for start in range(0, number * each, each)
    ]
