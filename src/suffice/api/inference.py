"""What a column is, when nobody says: one function of its type and of the first 100,000 rows in order.

    type                        read as
    bool                        Bernoulli
    float, decimal              Numeric: Gaussian or histogram, whichever the data speak for
    integer                     Categorical when few values are distinct, at most 32 and at most √n of n known cells
                                (2 are always few); left out as an id when nearly all are distinct and they rise from
                                row to row or fill their range; else Numeric
    text, categorical, mixed    Words where most are distinct and long: free text; else Categorical; left out as an id
                                when nearly all are distinct and short, and when there are more than `max_levels`
    date, time, duration        left out
    nothing but missing cells   left out
    list, struct, map, bytes    refused; left out of files
    sparse matrix               Bernoulli of bools and of 0 and 1, Multinomial of other counts, Gaussian of all else

Nearly all are 95 %, of 100 known cells or more; most is half. Long is 32 characters or three words on average.
What is left out says so, and how to use it: any column can be given its likelihood by name.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np

from suffice.engines.collection import column_codes
from suffice.errors import DataError
from suffice.likelihoods import Bernoulli, Categorical, Gaussian, Likelihood, Multinomial, Numeric, Words
from suffice.sources.coding import Coded
from suffice.sources.column import Column, Numbers, Objects, Unread
from suffice.sources.table import Matrix, Table
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import IntArray

__all__ = ["FREE_TEXT", "LeftOut", "inferred", "inferred_sparse"]

FREE_TEXT = Words(prior="evidence")
PRESENCE, NUMERIC, LEVELS = Bernoulli(), Numeric(), Categorical(alpha="evidence")
COUNTS, REAL = Multinomial(), Gaussian()

_FEW, _ALWAYS_FEW = 32, 2
_NEARLY_ALL, _ENOUGH = 0.95, 100
_MOST = 0.5
_LONG, _WORDS = 32, 3
_LOOKED_AT = 4096
_UNKNOWN = "no cell is known in the first rows. Give its likelihood by name if there are some later"


class LeftOut(NamedTuple):
    """Why a column is not used, and how it could be."""

    reason: str


Found: TypeAlias = "Likelihood | LeftOut"


def inferred(head: Table, names: Columns, max_levels: int) -> dict[str | int, Found]:
    """Return the likelihood of each of these columns, given the first rows of the table."""
    there = set(head.names)  # a record may bring its name later
    columns = {name: head.column(name) for name in names if name in there}
    kinds = {name: column.kind for name, column in columns.items()}
    return {
        name: _of_column(head, name, columns[name], kinds[name], max_levels) if name in columns else LeftOut(_UNKNOWN)
        for name in names
    }


def inferred_sparse(head: Matrix) -> Likelihood:
    """Return the likelihood of all columns of a sparse matrix."""
    stored = head.x.data[~np.isnan(head.x.data)] if head.x.dtype.kind == "f" else head.x.data
    if head.x.dtype.kind == "b" or ((stored == 0) | (stored == 1)).all():
        return PRESENCE
    return COUNTS if (stored >= 0).all() and (np.floor(stored) == stored).all() else REAL


def _of_column(head: Table, name: str | int, column: Column, kind: str, max_levels: int) -> Found:
    if kind == "nothing" or (isinstance(column, Numbers) and not _some_known(column)):
        return LeftOut(_UNKNOWN)
    if kind == "bool":
        return PRESENCE
    if kind == "float":
        return NUMERIC
    if kind == "integer":
        return _of_integers(column, name)
    if kind == "time":
        return LeftOut("dates and times. Take parts of them as columns, such as the hour or the day of the week")
    if isinstance(column, Unread) and column.in_file:
        return LeftOut(f"{column.type_}, which no likelihood reads. Take values out of it as columns")
    if kind in ("nested", "binary"):
        raise DataError(
            "lists, structs, maps and bytes cannot be modelled",
            kind="unusable_type",
            column=name,
            advice=lambda words: f"Take values out of it, or leave it out with {words.column(name, None)}.",
        )
    return _of_levels(column_codes(head, name), max_levels)


def _of_integers(column: Column, name: str | int) -> Found:
    if _looks_real(column):
        return NUMERIC
    try:
        codes, labels = column.coded()
    except DataError as reason:  # of an int that is longer than any float
        raise reason.located(
            problem="the whole number is beyond float64",
            column=name,
            advice=lambda words: f"Convert the column to text, or leave it out with {words.column(name, None)}.",
        ) from None
    known = codes[codes >= 0]
    if isinstance(column, Objects):  # whose labels are in the order of the rows
        order = sorted(range(len(labels)), key=labels.__getitem__)
        known, labels = np.argsort(order)[known], [labels[k] for k in order]
    if len(labels) <= max(_ALWAYS_FEW, min(_FEW, math.isqrt(len(known)))):
        return LEVELS
    if _nearly_all(len(labels), len(known)) and (_rises(known) or labels[-1] - labels[0] < 2 * len(known)):
        return LeftOut(_id(len(labels), len(known)))
    return NUMERIC


def _some_known(column: Numbers) -> bool:
    values = column.values
    known = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), dtype=np.bool_)
    if column.valid is not None:
        known &= np.unpackbits(column.valid, count=len(values), bitorder="little").view(np.bool_)
    return bool(known.any())


def _looks_real(column: Column) -> bool:
    # Many distinct values among the first, and not in order: no need to sort 100,000 of them.
    if not isinstance(column, Numbers) or column.valid is not None:
        return False
    values = column.values
    some = values[:_LOOKED_AT]
    if len(np.unique(some)) <= _FEW:
        return False
    wide = some.astype(np.float64)
    return len(values) < _ENOUGH or bool((np.diff(wide) < 0).any() and wide.max() - wide.min() >= 2 * len(values))


def _of_levels(found: Coded, max_levels: int) -> Found:
    codes, labels = found
    known = int((codes >= 0).sum())
    texts = [label for label in labels[:_LOOKED_AT] if isinstance(label, str)]
    if texts and len(labels) > _MOST * known and known >= _ENOUGH:
        length = sum(map(len, texts)) / len(texts)
        words = sum(len(text.split()) for text in texts) / len(texts)
        if length >= _LONG or words >= _WORDS:
            return FREE_TEXT
    if _nearly_all(len(labels), known):
        return LeftOut(_id(len(labels), known))
    if len(labels) > max_levels:
        return LeftOut(
            f"{len(labels):,} distinct values in the first rows, and at most {max_levels:,} are modelled; give it a "
            "likelihood to use it"
        )
    return LEVELS


def _nearly_all(distinct: int, known: int) -> bool:
    return known >= _ENOUGH and distinct >= _NEARLY_ALL * known


def _rises(codes: IntArray) -> bool:
    return bool((np.diff(codes) >= 0).all())


def _id(distinct: int, known: int) -> str:
    return f"an id, {distinct:,} of {known:,} values are distinct; give it a likelihood to use it"
