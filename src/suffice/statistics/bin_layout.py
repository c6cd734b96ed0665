"""Layout of the bins of many columns in flat arrays, with an order-preserving integer key for every float.

Symbols: column j has the bins offsets[j] … offsets[j + 1], with increasing ids keys[…], and counts (C × all bins).

    coarsen   keys >>= by; bins that become equal are merged and their counts added
    join      the union of the ids of two rows, column by column, in linear time
    limit     neighbours k < k' fall into one bin from shift h = bits(k xor k') on, so shift t leaves 1 + #{h > t} bins:
              with more than K bins, the smallest t that leaves at most K is the K-th largest h

Rows are processed in blocks of columns that fit into the processor cache.

**Keys.** A float is mapped to an integer with the same order; a bin contains the floats whose keys share the high bits.

    bits(x)   the 64 bits of the float64 x (−0 is replaced by 0 first)
    key(x)    ~bits if the sign bit is set, otherwise bits | 2⁶³          x < y ⇔ key(x) < key(y)
    bin       key >> shift, shift 0 … 64: at 0 every float has its own bin, at 64 there is one bin

Keys of finite floats run from 2⁵² (lowest) to 2⁶⁴ − 2⁵² − 1 (highest). Keys beyond are infinities and NaN, and 2⁶³ − 1
would be −0; none of them is counted. A bin contains the finite floats from its lower to its upper edge, both included.
Its width is the distance to the lower edge of the next bin, at least the spacing of floats there.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError
from suffice.statistics.arrays import BoolArray, FloatArray, IntArray, KeyArray, first_true
from suffice.statistics.axis import Columns

__all__ = [
    "HIGHEST_KEY",
    "LOWEST_KEY",
    "Row",
    "align_bins",
    "bin_columns",
    "bin_width",
    "coarsen_bins",
    "coarsen_keys",
    "differing_bits",
    "float_to_key",
    "join_bins",
    "key_to_float",
    "lower_edge",
    "pick_bins",
    "require_layout",
    "upper_edge",
]


_SIGN = np.uint64(1 << 63)
_MINUS_ZERO = np.uint64((1 << 63) - 1)
LOWEST_KEY = np.uint64(1 << 52)
HIGHEST_KEY = np.uint64((1 << 64) - (1 << 52) - 1)
_HIGHEST = float(np.finfo(np.float64).max)


def float_to_key(values: npt.ArrayLike) -> KeyArray:
    """Return the order-preserving integer key of each float. NaN has no key and must be removed first.

    Examples
    --------
    >>> float_to_key([-1.5, 0.0, 1.5]) >> np.uint64(60)
    array([ 4,  8, 11], dtype=uint64)
    """
    bits = (np.atleast_1d(np.asarray(values, dtype=np.float64)) + 0.0).view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def key_to_float(keys: KeyArray) -> FloatArray:
    """Return the float of each key: the inverse of `float_to_key`."""
    bits = np.where(keys & _SIGN, keys ^ _SIGN, ~keys)
    return bits.view(np.float64) + 0.0


def coarsen_keys(keys: KeyArray | np.uint64, by: IntArray) -> KeyArray:
    """Return keys >> by, where by may be 64."""
    # Processors treat a shift by 64 as a shift by 0.
    return np.where(by >= 64, np.uint64(0), keys >> np.minimum(by, 63).astype(np.uint64))


def lower_edge(bins: KeyArray, shift: IntArray) -> FloatArray:
    """Return the smallest finite float of each bin."""
    return key_to_float(np.maximum(_first_key(bins, shift), LOWEST_KEY))


def upper_edge(bins: KeyArray, shift: IntArray) -> FloatArray:
    """Return the largest finite float of each bin."""
    last = np.minimum(_last_key(bins, shift), HIGHEST_KEY)
    return key_to_float(np.where(last == _MINUS_ZERO, last - np.uint64(1), last))


def bin_width(bins: KeyArray, shift: IntArray) -> FloatArray:
    """Return the distance from each bin's lower edge to that of the next bin: finite and > 0."""
    last = np.minimum(_last_key(bins, shift), HIGHEST_KEY - np.uint64(1))
    lower = np.minimum(lower_edge(bins, shift), key_to_float(np.array([HIGHEST_KEY - np.uint64(1)])))
    with np.errstate(over="ignore"):
        return np.minimum(key_to_float(last + np.uint64(1)) - lower, _HIGHEST)


def differing_bits(keys: KeyArray) -> IntArray:
    """Return, for each pair of neighbours, the smallest shift at which they fall into one bin."""
    differing = keys[1:] ^ keys[:-1]
    # In two halves, because float64 represents 32-bit integers exactly but not 64-bit ones.
    high, low = differing >> np.uint64(32), differing & np.uint64(0xFFFFFFFF)
    exponent_high, exponent_low = (np.frexp(half.astype(np.float64))[1].astype(np.int64) for half in (high, low))
    return np.where(high > 0, exponent_high + 32, exponent_low)


def _first_key(bins: KeyArray, shift: IntArray) -> KeyArray:
    return np.where(shift >= 64, np.uint64(0), bins << np.minimum(shift, 63).astype(np.uint64))


def _last_key(bins: KeyArray, shift: IntArray) -> KeyArray:
    ones = ~np.where(shift >= 64, np.uint64(0), ~np.uint64(0) << np.minimum(shift, 63).astype(np.uint64))
    return _first_key(bins, shift) | ones


_BLOCK = 1 << 15  # bins that fit into the processor cache


class Row(NamedTuple):
    """The bins of several columns: the offsets of each column, the bin ids and the counts."""

    offsets: IntArray
    keys: KeyArray
    counts: FloatArray


def bin_columns(offsets: IntArray) -> IntArray:
    """Return the column of every bin."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def coarsen_bins(row: Row, by: IntArray) -> Row:
    """Return the bins with the keys of column j shifted right by by[j] more bits."""
    return _concatenate_rows([_coarsen(_take_columns(row, j, end), by[j:end]) for j, end in _blocks(row.offsets)], row)


def join_bins(left: Row, right: Row, by_left: IntArray, by_right: IntArray, limit: int) -> tuple[Row, IntArray]:
    """Return the sum of two coarsened rows, coarsened further to the limit, and the additional shifts."""
    blocks: list[Row] = []
    by = np.zeros(len(by_left), dtype=np.int64)
    for j, end in _blocks(left.offsets + right.offsets):
        a, b = (
            _coarsen(_take_columns(left, j, end), by_left[j:end]),
            _coarsen(_take_columns(right, j, end), by_right[j:end]),
        )
        offsets, keys, at_a, at_b = _union_of_bins(a, b)
        counts = np.zeros((len(left.counts), len(keys)))
        counts[:, at_a] = a.counts
        counts[:, at_b] += b.counts
        both = Row(offsets, keys, counts)
        by[j:end] = _excess_shift(both, limit)
        blocks.append(_coarsen(both, by[j:end]))
    return _concatenate_rows(blocks, left), by


def align_bins(left: Row, right: Row, by_left: IntArray, by_right: IntArray) -> tuple[Row, Row]:
    """Return two coarsened rows over the union of their bins."""
    lefts: list[Row] = []
    rights: list[Row] = []
    for j, end in _blocks(left.offsets + right.offsets):
        a, b = (
            _coarsen(_take_columns(left, j, end), by_left[j:end]),
            _coarsen(_take_columns(right, j, end), by_right[j:end]),
        )
        offsets, keys, at_a, at_b = _union_of_bins(a, b)
        laid_a, laid_b = np.zeros((len(left.counts), len(keys))), np.zeros((len(right.counts), len(keys)))
        laid_a[:, at_a] = a.counts
        laid_b[:, at_b] = b.counts
        lefts.append(Row(offsets, keys, laid_a))
        rights.append(Row(offsets, keys, laid_b))
    return _concatenate_rows(lefts, left), _concatenate_rows(rights, right)


def pick_bins(row: Row, mask: BoolArray) -> Row:
    """Return the bins where the mask is true."""
    return Row(_kept_offsets(mask, row.offsets), row.keys[mask], row.counts[:, mask])


def require_layout(columns: Columns, limit: int, shift: IntArray, offsets: IntArray, keys: KeyArray) -> None:
    """Raise DataError unless the arrays are a valid layout of bins of these columns."""
    if (wrong := (shift < 0) | (shift > 64)).any():
        j = first_true(wrong)[0]
        raise DataError(f"shift must be from 0 to 64: column {columns[j]!r} has {shift[j]}.")
    if offsets[0] != 0 or offsets[-1] != len(keys) or (offsets[1:] < offsets[:-1]).any():
        raise DataError(f"offsets must increase from 0 to the number of keys, {len(keys)}: got {offsets.tolist()}.")
    bins = np.diff(offsets)
    if (wrong := bins > limit).any():
        j = first_true(wrong)[0]
        raise DataError(
            f"a column may have at most {limit} bins: column {columns[j]!r} has {bins[j]}. Use a greater shift."
        )
    column = bin_columns(offsets)
    unsorted = (column[1:] == column[:-1]) & (keys[1:] <= keys[:-1])
    if unsorted.any():
        b = first_true(unsorted)[0]
        name = columns[int(column[b])]
        raise DataError(f"keys must increase within a column: column {name!r} has {keys[b]} before {keys[b + 1]}.")
    by = shift[column]
    wrong = (keys < coarsen_keys(LOWEST_KEY, by)) | (keys > coarsen_keys(HIGHEST_KEY, by))
    if wrong.any():
        b = first_true(wrong)[0]
        raise DataError(
            f"keys must be those of finite numbers: column {columns[int(column[b])]!r} has {keys[b]} at shift {by[b]}. "
            "Count infinities in below and above."
        )


def _blocks(offsets: IntArray) -> Iterator[tuple[int, int]]:
    """Yield ranges of columns with about _BLOCK bins each, at least one column."""
    j, last = 0, len(offsets) - 1
    while j < last:
        end = max(j + 1, int(np.searchsorted(offsets, offsets[j] + _BLOCK, side="right")) - 1)
        yield j, min(end, last)
        j = min(end, last)


def _take_columns(row: Row, j: int, end: int) -> Row:
    start, stop = int(row.offsets[j]), int(row.offsets[end])
    return Row(row.offsets[j : end + 1] - start, row.keys[start:stop], row.counts[:, start:stop])


def _concatenate_rows(blocks: list[Row], like: Row) -> Row:
    if not blocks:
        return like
    sizes = np.concatenate([np.diff(block.offsets) for block in blocks])
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    keys, counts = [block.keys for block in blocks], [block.counts for block in blocks]
    return Row(offsets, np.concatenate(keys), np.concatenate(counts, axis=1))


def _coarsen(row: Row, by: IntArray) -> Row:
    if not by.any() or len(row.keys) == 0:
        return row
    column = bin_columns(row.offsets)
    keys = coarsen_keys(row.keys, by[column])
    new = _starts(column, keys)
    starts = np.flatnonzero(new)
    return Row(_kept_offsets(new, row.offsets), keys[starts], np.add.reduceat(row.counts, starts, axis=1))


def _union_of_bins(left: Row, right: Row) -> tuple[IntArray, KeyArray, IntArray, IntArray]:
    """Return offsets and keys of the union of the bins, and the positions of the bins of each row in it."""
    if np.array_equal(left.offsets, right.offsets) and np.array_equal(left.keys, right.keys):
        positions = np.arange(len(left.keys))
        return left.offsets, left.keys, positions, positions
    # For each column the bins of both rows are concatenated and then sorted.
    offsets = left.offsets + right.offsets
    at_left = np.arange(len(left.keys)) + np.repeat(right.offsets[:-1], np.diff(left.offsets))
    at_right = np.arange(len(right.keys)) + np.repeat(left.offsets[1:], np.diff(right.offsets))
    keys = np.empty(len(left.keys) + len(right.keys), dtype=np.uint64)
    keys[at_left], keys[at_right] = left.keys, right.keys
    order = _order(keys, offsets)
    keys = keys[order]
    new = _starts(bin_columns(offsets), keys)
    position = np.empty(len(keys), dtype=np.int64)
    position[order] = np.cumsum(new) - 1
    return _kept_offsets(new, offsets), keys[new], position[at_left], position[at_right]


def _excess_shift(row: Row, limit: int) -> IntArray:
    """Return the smallest additional shift of each column that leaves at most `limit` bins."""
    by = np.zeros(len(row.offsets) - 1, dtype=np.int64)
    for j in np.flatnonzero(np.diff(row.offsets) > limit).tolist():
        h = differing_bits(row.keys[row.offsets[j] : row.offsets[j + 1]])
        by[j] = np.partition(h, len(h) - limit)[len(h) - limit]
    return by


def _starts(column: IntArray, keys: KeyArray) -> BoolArray:
    new = np.ones(len(keys), dtype=np.bool_)
    new[1:] = (column[1:] != column[:-1]) | (keys[1:] != keys[:-1])
    return new


def _kept_offsets(keep: BoolArray, offsets: IntArray) -> IntArray:
    before = np.zeros(len(keep) + 1, dtype=np.int64)
    np.cumsum(keep, out=before[1:])
    return before[offsets]


def _order(keys: KeyArray, offsets: IntArray) -> IntArray:
    # A stable sort merges sorted runs in linear time but needs one call per column. If columns have few bins each, one
    # sort of all bins is faster.
    if len(keys) < 64 * len(offsets):
        return np.lexsort((keys, bin_columns(offsets)))
    ends: list[int] = offsets.tolist()
    order = np.empty(len(keys), dtype=np.int64)
    for start, end in pairwise(ends):
        order[start:end] = np.argsort(keys[start:end], kind="stable") + start
    return order
