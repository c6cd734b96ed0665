"""Which row is held out with which: folds that every class is spread over, that keep groups whole, or that follow time.

    stratified   rows of a class in random order, dealt to the folds one after the other, where the last class stopped:
                 a class has at most one row more in one fold than in another, and so has the whole
    grouped      a group lies in one fold. Groups come by size, the largest first, equals in random order, and each goes
                 where it makes the sum over folds and classes of (share of the class in the fold)² grow least
    in order     blocks of rows one after the other; rows that are equal in order lie in one block

The same seed gives the same folds. A row without a class (−1) is dealt like those of a class, and counts nowhere.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from suffice.conjugate.arguments import whole
from suffice.errors import Advice, ParameterError
from suffice.statistics.frozen_arrays import IntArray

__all__ = ["blocks_in_order", "grouped_folds", "stratified_folds"]


def stratified_folds(codes: IntArray, folds: int, seed: int = 0) -> IntArray:
    """Return the fold of each row, 0 to folds − 1.

    Parameters
    ----------
    codes : array of whole numbers ≥ −1
        The class of each row.
    folds : int from 2 to the number of rows
    seed : int ≥ 0

    Examples
    --------
    >>> folds = stratified_folds(np.array([0, 0, 0, 0, 1, 1]), 2)
    >>> np.bincount(folds[:4]), np.bincount(folds[4:])
    (array([2, 2]), array([1, 1]))
    """
    count = _folds(folds, len(codes), "rows", lambda words: f"Use fewer folds, or {words.option('loo', True)}.")
    order = np.random.default_rng(whole("seed", seed, 0)).permutation(len(codes))
    order = order[np.argsort(_narrow(codes)[order], kind="stable")]
    dealt = np.empty(len(codes), dtype=np.int64)
    dealt[order] = np.arange(len(codes)) % count
    return dealt


def grouped_folds(codes: IntArray, groups: IntArray, folds: int, seed: int = 0) -> IntArray:
    """Return the fold of each row, that of its group.

    Parameters
    ----------
    codes : array of whole numbers ≥ −1
        The class of each row.
    groups : array of whole numbers from 0, one for each row
    folds : int from 2 to the number of groups
    seed : int ≥ 0

    Examples
    --------
    >>> grouped_folds(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 0]), 2).tolist() in ([0, 1, 1, 0], [1, 0, 0, 1])
    True
    """
    number = int(groups.max(initial=-1)) + 1
    sizes = np.bincount(groups, minlength=number)
    count = _folds(folds, int(np.count_nonzero(sizes)), "groups", "Use fewer folds.")
    classes = int(codes.max(initial=-1)) + 2  # the last is for rows without one
    each = np.bincount(groups * classes + codes % classes, minlength=number * classes).reshape(number, classes)
    shares = each / np.maximum(each.sum(axis=0), 1)
    order = np.random.default_rng(whole("seed", seed, 0)).permutation(number)
    order = order[np.argsort(-sizes[order], kind="stable")]
    held = np.zeros((count, classes))
    rows = np.zeros(count, dtype=np.int64)
    fold_of = np.zeros(number, dtype=np.int64)
    for group in order[: int(np.count_nonzero(sizes))].tolist():
        share = shares[group]
        # (held + share)² − held² is least where held · share is; of equals the fold with the fewest rows.
        growth = held @ share
        fold = min(np.flatnonzero(growth == growth.min()).tolist(), key=rows.__getitem__)
        held[fold] += share
        rows[fold] += sizes[group]
        fold_of[group] = fold
    return fold_of[groups]


def blocks_in_order(order: npt.NDArray[np.int64], blocks: int) -> IntArray:
    """Return the block of each row, as even as rows that are equal in order allow.

    Parameters
    ----------
    order : array of whole numbers, one for each row
        Greater is later.
    blocks : int from 2 to the number of distinct values of `order`

    Examples
    --------
    >>> blocks_in_order(np.array([5, 1, 2, 3, 1, 4]), 3)
    array([2, 0, 1, 1, 0, 2])
    """
    values, at, sizes = np.unique(order, return_inverse=True, return_counts=True)
    count = _folds(blocks, len(values), "different values of order", "Use fewer folds.", "folds + 1")
    ends = np.cumsum(sizes)
    cuts = [0]  # how many of the values lie before each block
    for block in range(1, count):
        enough = int(np.searchsorted(ends, block * len(order) / count)) + 1
        cuts.append(min(max(enough, cuts[-1] + 1), len(values) - (count - block)))
    return (np.searchsorted(cuts, np.arange(len(values)), side="right") - 1)[at]


def _folds(folds: int, most: int, what: str, advice: Advice, name: str = "folds") -> int:
    count = whole(name, folds, 2)
    if count > most:
        raise ParameterError(f"{name} must be at most the number of {what}, {most}", got=count, advice=advice)
    return count


def _narrow(codes: IntArray) -> npt.NDArray[np.integer]:
    # Sixteen bits are sorted by counting, and in linear time.
    few = codes.max(initial=0) < np.iinfo(np.int16).max and codes.min(initial=0) >= -1
    return codes.astype(np.int16) if few else codes
