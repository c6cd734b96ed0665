"""What to collect of a block of columns, and what comes of it.

    what        parts of the statistic                                         of
    moments     (Moments,)                                                     real columns
    scatter     (Scatter,)                                                     real columns together; rows without a gap
    bins        (Bins,)                                                        real columns, ±inf included
    numeric     (Moments, Bins)                                                real columns
    presence    (Counts of x > threshold,)                                     columns read as present or absent
    sums        (Counts of Σ w x,) and, where asked, (Counts of logs,)         columns of counts ≥ 0
    levels      (Counts of levels,) for each column                            columns of distinct values
    joint       (Counts of combinations,) and (Counts of levels,) per column   the same; rows without a gap
    tokens      (Tokens,) for each column                                      columns of text

The logs that sums cannot know, per class: of "cells" Σ w ln x!, of "rows" Σ w ln(n!/Π x!), n the row's total. They
belong to the evidence and to nothing else. They are collected as whole numbers, coarse · 2⁻²⁰ + fine · 2⁻⁴³, so that
what is taken out again leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, final

from suffice.plan.tokenizing import Tokenizing
from suffice.statistics import Bins, Counts, Moments, Scatter, Tokens
from suffice.statistics.columns import Columns
from suffice.statistics.labels import Label

__all__ = ["COARSE", "FINE", "Collect", "Logs", "Parts", "Plan", "What"]

What: TypeAlias = Literal["moments", "scatter", "bins", "numeric", "presence", "sums", "levels", "joint", "tokens"]
Logs: TypeAlias = Literal["none", "cells", "rows"]
Parts: TypeAlias = "Sequence[Moments | Counts | Bins | Scatter | Tokens]"

COARSE, FINE = 2.0**-20, 2.0**-43


@final
@dataclass(frozen=True, slots=True)
class Collect:
    """The statistics of one block of columns.

    Parameters
    ----------
    what : "moments", "scatter", "bins", "numeric", "presence", "sums", "levels", "joint" or "tokens"
    columns : tuple of names
    threshold : float
        Of "presence": x > threshold is present.
    levels : tuple of labels, optional
        Of "levels": those that stay even when no row has them, the same for each column of the block.
    missing_level : bool
        Of "levels": whether a missing cell is a level of its own, None.
    logs : "none", "cells" or "rows"
        Of "sums": which logs to add up beside them.
    tokenizing : Tokenizing, optional
        Of "tokens": how documents are cut into them.

    Examples
    --------
    >>> Collect("presence", (0, 1), threshold=0.5).columns
    (0, 1)
    """

    what: What
    columns: Columns
    threshold: float = 0.0
    levels: tuple[Label, ...] | None = None
    missing_level: bool = False
    logs: Logs = "none"
    tokenizing: Tokenizing | None = None


@final
@dataclass(frozen=True, slots=True)
class Plan:
    """The width of the rows, and what to collect of them: one entry for each block of columns.

    Examples
    --------
    >>> Plan(3, (Collect("moments", (0, 2)),)).width
    3
    """

    width: int
    collects: tuple[Collect, ...]
