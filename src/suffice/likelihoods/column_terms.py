"""The terms of one column: what a row's cell of it adds to log p(c, x), by itself.

Terms that have a row (or some rows) of their tables for each column come apart; those of columns that go together
(combinations, ellipses, rows of counts, documents) do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from suffice.likelihoods.terms import (
    CompoundCount,
    Levels,
    Observed,
    PoissonCount,
    Presence,
    Quadratic,
    Steps,
    Student,
    Term,
)

__all__ = ["by_column"]

# What has an entry along its first axis for each column.
_PER_COLUMN: dict[type[Any], tuple[str, ...]] = {
    Quadratic: ("centre", "scale", "m", "s", "c"),
    Student: ("centre", "scale", "m", "s", "c"),
    Observed: ("present", "absent"),
    Presence: ("present", "absent"),
    PoissonCount: ("rate",),
    CompoundCount: ("shape", "rate"),
}


def by_column(term: Term) -> Iterator[tuple[str | int, Term]]:
    """Yield each column of the term, and the term of it alone.

    Examples
    --------
    >>> both = Presence(("wet", "cold"), 0.0, np.log([[0.5, 0.1], [0.2, 0.3]]), np.log([[0.5, 0.9], [0.8, 0.7]]))
    >>> [(column, alone.columns, np.exp(alone.present).round(1).tolist()) for column, alone in by_column(both)]
    [('wet', ('wet',), [[0.5, 0.1]]), ('cold', ('cold',), [[0.2, 0.3]])]
    """
    if isinstance(term, Levels):
        for j, (start, end) in enumerate(_places(len(axis) + term.unseen for axis in term.levels)):
            name = term.columns[j]
            yield name, replace(term, columns=(name,), levels=term.levels[j : j + 1], table=term.table[start:end])
    elif isinstance(term, Steps):
        for j, (start, end) in enumerate(_places(len(cuts) + 1 for cuts in term.edges)):
            name = term.columns[j]
            some: dict[str, Any] = {"edges": term.edges[j : j + 1], "spans": term.spans[j : j + 1]}
            yield name, replace(term, columns=(name,), table=term.table[start:end], **some)
    elif type(term) in _PER_COLUMN:
        for j, name in enumerate(term.columns):
            rows = {what: getattr(term, what)[j : j + 1] for what in _PER_COLUMN[type(term)]}
            yield name, replace(term, columns=(name,), **rows)
    else:
        raise TypeError(f"the columns of {type(term).__name__} go together")


def _places(sizes: Iterator[int]) -> Iterator[tuple[int, int]]:
    return pairwise([0, *np.cumsum([*sizes], dtype=np.int64).tolist()])
