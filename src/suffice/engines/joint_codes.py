"""Several coded columns as one: each combination that occurs once, and for every row its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from suffice.sources.coding import Coded
from suffice.statistics.frozen_arrays import IntArray

__all__ = ["joint_codes"]


def joint_codes(columns: Sequence[Coded]) -> Coded:
    """Return codes of the combinations, −1 where a cell of the row is missing, and the combinations as tuples.

    Examples
    --------
    >>> joint_codes([Coded(np.array([0, 1, 0]), ["a", "b"]), Coded(np.array([0, 0, -1]), [7])])
    Coded(codes=array([ 0,  1, -1]), labels=[('a', 7), ('b', 7)])
    """
    rows = len(columns[0].codes)
    known = np.ones(rows, dtype=np.bool_)
    for codes, _ in columns:
        known &= codes >= 0
    # Combinations so far × levels is at most rows², which 64 bits hold: the codes are made dense after each column.
    together: IntArray = np.zeros(int(known.sum()), dtype=np.int64)
    places: list[IntArray] = []  # of each combination so far, the code in each column
    for codes, labels in columns:
        here = codes[known]
        mixed = together * max(len(labels), 1) + here
        found, first, together = np.unique(mixed, return_index=True, return_inverse=True)
        places = [place[found // max(len(labels), 1)] for place in places] + [here[first]]
    codes = np.full(rows, -1, dtype=np.int64)
    codes[known] = together
    names: list[list[Any]] = [
        [labels[k] for k in place.tolist()] for place, (_, labels) in zip(places, columns, strict=True)
    ]
    return Coded(codes, list(zip(*names, strict=True)))
