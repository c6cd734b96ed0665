"""Bins of many columns in one flat row: made coarser, joined with another row, and thinned to a limit.

Symbols: column j has bins offsets[j] … offsets[j + 1], with ids keys[…] that rise, and counts (C × all bins).

    coarser   keys >>= by, and equal neighbours become one bin with the sum of their counts
    joined    the union of both rows' ids, column by column: two rising runs merge in linear time
    thinned   two neighbours k < k' are one bin from shift h = bits(k xor k') on, so shift t leaves 1 + #{h > t} bins:
              the smallest t with at most K bins is the K-th largest h, when there are more than K bins

Rows are worked on in blocks of columns that fit a processor's cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from suffice.errors import DataError
from suffice.statistics.columns import Columns
from suffice.statistics.float_keys import HIGHEST_KEY, LOWEST_KEY, bits_that_differ, coarser
from suffice.statistics.frozen_arrays import BoolArray, FloatArray, IntArray, KeyArray, first

__all__ = ["Row", "columns_of_bins", "joined", "made_coarser", "picked", "require_layout", "side_by_side"]

_BLOCK = 1 << 15  # bins


class Row(NamedTuple):
    """Where the bins of each column stand, their ids, and what they count."""

    offsets: IntArray
    keys: KeyArray
    counts: FloatArray


def columns_of_bins(offsets: IntArray) -> IntArray:
    """Return the column of every bin."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def made_coarser(row: Row, by: IntArray) -> Row:
    """Return the row with the keys of column j shifted by[j] further."""
    return _together([_coarser(_columns(row, j, end), by[j:end]) for j, end in _blocks(row.offsets)], row)


def joined(left: Row, right: Row, by_left: IntArray, by_right: IntArray, limit: int) -> tuple[Row, IntArray]:
    """Return the sum of two rows, each made coarser, and thinned to the limit; and how much coarser that made it."""
    blocks: list[Row] = []
    by = np.zeros(len(by_left), dtype=np.int64)
    for j, end in _blocks(left.offsets + right.offsets):
        a, b = _coarser(_columns(left, j, end), by_left[j:end]), _coarser(_columns(right, j, end), by_right[j:end])
        offsets, keys, at_a, at_b = _union(a, b)
        counts = np.zeros((len(left.counts), len(keys)))
        counts[:, at_a] = a.counts
        counts[:, at_b] += b.counts
        both = Row(offsets, keys, counts)
        by[j:end] = _too_fine(both, limit)
        blocks.append(_coarser(both, by[j:end]))
    return _together(blocks, left), by


def side_by_side(left: Row, right: Row, by_left: IntArray, by_right: IntArray) -> tuple[Row, Row]:
    """Return two rows, each made coarser, over the bins of both."""
    lefts: list[Row] = []
    rights: list[Row] = []
    for j, end in _blocks(left.offsets + right.offsets):
        a, b = _coarser(_columns(left, j, end), by_left[j:end]), _coarser(_columns(right, j, end), by_right[j:end])
        offsets, keys, at_a, at_b = _union(a, b)
        laid_a, laid_b = np.zeros((len(left.counts), len(keys))), np.zeros((len(right.counts), len(keys)))
        laid_a[:, at_a] = a.counts
        laid_b[:, at_b] = b.counts
        lefts.append(Row(offsets, keys, laid_a))
        rights.append(Row(offsets, keys, laid_b))
    return _together(lefts, left), _together(rights, right)


def picked(row: Row, mask: BoolArray) -> Row:
    """Return the bins where the mask is true."""
    return Row(_offsets(mask, row.offsets), row.keys[mask], row.counts[:, mask])


def require_layout(columns: Columns, limit: int, shift: IntArray, offsets: IntArray, keys: KeyArray) -> None:
    """Raise DataError unless the layout is one that bins of these columns can have."""
    if (wrong := (shift < 0) | (shift > 64)).any():
        j = first(wrong)[0]
        raise DataError(f"shift must be from 0 to 64: column {columns[j]!r} has {shift[j]}.")
    if offsets[0] != 0 or offsets[-1] != len(keys) or (offsets[1:] < offsets[:-1]).any():
        raise DataError(f"offsets must rise from 0 to the number of keys, {len(keys)}: got {offsets.tolist()}.")
    bins = np.diff(offsets)
    if (wrong := bins > limit).any():
        j = first(wrong)[0]
        raise DataError(
            f"a column may have at most {limit} bins: column {columns[j]!r} has {bins[j]}. Give it a greater shift."
        )
    column = columns_of_bins(offsets)
    falling = (column[1:] == column[:-1]) & (keys[1:] <= keys[:-1])
    if falling.any():
        b = first(falling)[0]
        name = columns[int(column[b])]
        raise DataError(f"keys must rise within a column: column {name!r} has {keys[b]} before {keys[b + 1]}.")
    by = shift[column]
    wrong = (keys < coarser(LOWEST_KEY, by)) | (keys > coarser(HIGHEST_KEY, by))
    if wrong.any():
        b = first(wrong)[0]
        raise DataError(
            f"keys must belong to finite numbers: column {columns[int(column[b])]!r} has {keys[b]} at shift {by[b]}. "
            "Count infinities in below and above."
        )


def _blocks(offsets: IntArray) -> Iterator[tuple[int, int]]:
    """Give the columns in runs of about as many bins as a block holds, at least one column each."""
    j, last = 0, len(offsets) - 1
    while j < last:
        end = max(j + 1, int(np.searchsorted(offsets, offsets[j] + _BLOCK, side="right")) - 1)
        yield j, min(end, last)
        j = min(end, last)


def _columns(row: Row, j: int, end: int) -> Row:
    start, stop = int(row.offsets[j]), int(row.offsets[end])
    return Row(row.offsets[j : end + 1] - start, row.keys[start:stop], row.counts[:, start:stop])


def _together(blocks: list[Row], like: Row) -> Row:
    if not blocks:
        return like
    sizes = np.concatenate([np.diff(block.offsets) for block in blocks])
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    keys, counts = [block.keys for block in blocks], [block.counts for block in blocks]
    return Row(offsets, np.concatenate(keys), np.concatenate(counts, axis=1))


def _coarser(row: Row, by: IntArray) -> Row:
    if not by.any() or len(row.keys) == 0:
        return row
    column = columns_of_bins(row.offsets)
    keys = coarser(row.keys, by[column])
    new = _starts(column, keys)
    starts = np.flatnonzero(new)
    return Row(_offsets(new, row.offsets), keys[starts], np.add.reduceat(row.counts, starts, axis=1))


def _union(left: Row, right: Row) -> tuple[IntArray, KeyArray, IntArray, IntArray]:
    """Return offsets and keys of the bins of both, and where those of each went."""
    if np.array_equal(left.offsets, right.offsets) and np.array_equal(left.keys, right.keys):
        here = np.arange(len(left.keys))
        return left.offsets, left.keys, here, here
    # Each column's bins of both rows, one after the other, then in order.
    offsets = left.offsets + right.offsets
    at_left = np.arange(len(left.keys)) + np.repeat(right.offsets[:-1], np.diff(left.offsets))
    at_right = np.arange(len(right.keys)) + np.repeat(left.offsets[1:], np.diff(right.offsets))
    keys = np.empty(len(left.keys) + len(right.keys), dtype=np.uint64)
    keys[at_left], keys[at_right] = left.keys, right.keys
    order = _order(keys, offsets)
    keys = keys[order]
    new = _starts(columns_of_bins(offsets), keys)
    place = np.empty(len(keys), dtype=np.int64)
    place[order] = np.cumsum(new) - 1
    return _offsets(new, offsets), keys[new], place[at_left], place[at_right]


def _too_fine(row: Row, limit: int) -> IntArray:
    """Return by how much each column must be made coarser to have at most `limit` bins: no more than needed."""
    by = np.zeros(len(row.offsets) - 1, dtype=np.int64)
    for j in np.flatnonzero(np.diff(row.offsets) > limit).tolist():
        h = bits_that_differ(row.keys[row.offsets[j] : row.offsets[j + 1]])
        by[j] = np.partition(h, len(h) - limit)[len(h) - limit]
    return by


def _starts(column: IntArray, keys: KeyArray) -> BoolArray:
    new = np.ones(len(keys), dtype=np.bool_)
    new[1:] = (column[1:] != column[:-1]) | (keys[1:] != keys[:-1])
    return new


def _offsets(stay: BoolArray, offsets: IntArray) -> IntArray:
    before = np.zeros(len(stay) + 1, dtype=np.int64)
    np.cumsum(stay, out=before[1:])
    return before[offsets]


def _order(keys: KeyArray, offsets: IntArray) -> IntArray:
    # A stable sort merges rising runs in linear time, but costs a call per column; where columns have few bins each,
    # one sort of everything is quicker.
    if len(keys) < 64 * len(offsets):
        return np.lexsort((keys, columns_of_bins(offsets)))
    ends: list[int] = offsets.tolist()
    order = np.empty(len(keys), dtype=np.int64)
    for start, end in pairwise(ends):
        order[start:end] = np.argsort(keys[start:end], kind="stable") + start
    return order
