"""Rows to bins, slowly and exactly: try shift after shift until at most `limit` bins are left.

NaN is missing and skipped. A row with code −1, or with weight 0, contributes nothing.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from suffice.statistics import Axis, Bins
from tests.oracles.rows_tally import row_weights

Rows = Sequence[Sequence[float]]


class Column(NamedTuple):
    """The bins of one column: shift, ids (B,), counts (C, B), weight of −inf (C,) and of +inf (C,)."""

    shift: int
    keys: np.ndarray
    counts: np.ndarray
    below: np.ndarray
    above: np.ndarray


def key(value: float) -> int:
    """Return the whole number that stands for a float, in the same order."""
    if value == 0:
        value = 0.0
    (bits,) = struct.unpack("<Q", struct.pack("<d", value))
    return bits ^ (2**64 - 1) if bits >= 2**63 else bits + 2**63


def exact(
    x: Rows,
    codes: Sequence[int],
    n_classes: int,
    limit: int = 4096,
    weights: Sequence[float] | None = None,
    n_columns: int | None = None,
) -> list[Column]:
    """Return the bins of every column."""
    d = len(x[0]) if n_columns is None else n_columns
    return [_column([row[j] for row in x], codes, n_classes, limit, weights) for j in range(d)]


def as_statistic(
    x: Rows,
    codes: Sequence[int],
    classes: Sequence[object],
    columns: int | Iterable[str | int],
    limit: int = 4096,
    weights: Sequence[float] | None = None,
) -> Bins:
    """Return the bins of rows whose class is classes[code]."""
    names = tuple(range(columns)) if isinstance(columns, int) else tuple(columns)
    axis = Axis.of(classes)
    back = np.argsort(axis.positions(classes))
    found = exact(x, codes, len(classes), limit, weights, len(names))
    nothing = [np.zeros((len(classes), 0))]
    return Bins(
        axis,
        names,
        limit,
        shift=np.array([column.shift for column in found], dtype=np.int64),
        offsets=np.cumsum([0] + [len(column.keys) for column in found]),
        keys=np.concatenate([np.zeros(0, dtype=np.uint64)] + [column.keys for column in found]),
        counts=np.concatenate(nothing + [column.counts for column in found], axis=1)[back],
        below=np.concatenate(nothing + [column.below[:, None] for column in found], axis=1)[back],
        above=np.concatenate(nothing + [column.above[:, None] for column in found], axis=1)[back],
    )


def _column(
    values: Sequence[float], codes: Sequence[int], n_classes: int, limit: int, weights: Sequence[float] | None
) -> Column:
    cells = [
        (float(value), code, w)
        for value, code, w in zip(values, codes, row_weights(len(codes), weights), strict=True)
        if code >= 0 and w > 0 and not math.isnan(value)
    ]
    finite = [(key(value), code, w) for value, code, w in cells if math.isfinite(value)]
    shift = 0
    while len({k >> shift for k, _, _ in finite}) > limit:
        shift += 1
    ids = sorted({k >> shift for k, _, _ in finite})
    counts = [
        [sum((w for k, code, w in finite if code == c and k >> shift == b), Fraction(0)) for b in ids]
        for c in range(n_classes)
    ]
    below, above = (
        [sum((w for value, code, w in cells if code == c and value == end), Fraction(0)) for c in range(n_classes)]
        for end in (-math.inf, math.inf)
    )
    return Column(
        shift,
        np.array(ids, dtype=np.uint64),
        np.array([[float(w) for w in row] for row in counts], dtype=np.float64).reshape(n_classes, len(ids)),
        np.array([float(w) for w in below], dtype=np.float64),
        np.array([float(w) for w in above], dtype=np.float64),
    )
