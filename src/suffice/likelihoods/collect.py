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

from suffice.statistics import Bins, Counts, Moments, Scatter, Tokens
from suffice.statistics.columns import Columns
from suffice.statistics.labels import Label

__all__ = [
    "COARSE",
    "FINE",
    "Collect",
    "Logs",
    "Parts",
    "Plan",
    "TermFrequency",
    "Tokenizing",
    "Unit",
    "What",
]

What: TypeAlias = Literal["moments", "scatter", "bins", "numeric", "presence", "sums", "levels", "joint", "tokens"]
Logs: TypeAlias = Literal["none", "cells", "rows"]
Parts: TypeAlias = "Sequence[Moments | Counts | Bins | Scatter | Tokens]"

Unit: TypeAlias = Literal["words", "chars", "chars in words"]
TermFrequency: TypeAlias = Literal["count", "log"]

COARSE, FINE = 2.0**-20, 2.0**-43


@final
@dataclass(frozen=True, slots=True)
class Tokenizing:
    r"""All that decides which tokens a document has: the engine turns it into a tokenizer.

    unit       "words": runs of \w, or of `characters` · "chars": of the text · "chars in words": inside word bounds
    ngrams     of how many words or characters, from and to
    tf         "count": x occurrences count x · "log": 1 + ln x
    unit       length: what a document counts is divided by the root of the sum of its squares
    hashed     b: tokens are counted in 2^b columns by their hash, in bounded memory; None: every token by itself

    Examples
    --------
    >>> Tokenizing(ngrams=(1, 2)).columns
    0
    """

    unit: Unit = "words"
    ngrams: tuple[int, int] = (1, 1)
    lowercase: bool = True
    strip_accents: bool = False
    characters: str = ""
    stop_words: tuple[str, ...] = ()
    min_length: int = 2
    max_length: int | None = None
    tf: TermFrequency = "count"
    unit_length: bool = False
    hashed: int | None = None

    @property
    def columns(self) -> int:
        """The number of hashed columns, 0 for a vocabulary."""
        return 0 if self.hashed is None else 1 << self.hashed

    @property
    def whole(self) -> bool:
        """Whether a document is its tokens, each counted as often as it occurs."""
        return self.tf == "count" and not self.unit_length


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
