"""What is left of a block: some of its columns, or all but what is rare.

Columns that are read by themselves (column_by_column) can be taken out of a block: what is left is the block as it
would have been collected without them. One exception: the logs of a row's coefficient, or of its factorials, belong to
all the columns that the row had; without some of them they are not known, and the block goes on without
(factorials=False, coefficients=False).

Pruning: N(k) is the weight of level, combination or column k over all classes, m the least that stays.

    levels       a level with N(k) < m is as if its cells had been missing; a declared one stays
    joint        a combination with N(s) < m is one of the unseen, and a level with N(k) < m is none of its column's
    sums         a column of counts with N(j) < m is in no block
    tokens       a token with N(k) < m was never seen
    presence     a column that is present with weight N(j) < m is in no block
    all else     stays

A combination weighs no more than each of its levels, so none is left without them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from suffice.likelihoods.collect import Collect, Parts
from suffice.likelihoods.likelihood import Likelihood
from suffice.likelihoods.token_reading import seen_tokens
from suffice.statistics import Counts, Tokens
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import BoolArray

__all__ = ["Narrowed", "Pruned", "narrowed", "pruned", "take_columns"]


class Narrowed(NamedTuple):
    """The columns that are left, how they are distributed, and what was seen of them."""

    columns: Columns
    likelihood: Likelihood
    parts: Parts


def narrowed(likelihood: Likelihood, columns: Columns, parts: Parts, stay: BoolArray) -> Narrowed:
    """Return the block of the columns where `stay` is true; the likelihood is one that is read column by column."""
    if stay.all():
        return Narrowed(columns, likelihood, parts)
    left = tuple(name for name, kept in zip(columns, stay, strict=True) if kept)
    return Narrowed(left, likelihood.restrict(stay), take_columns(likelihood.collect(columns), parts, left))


def take_columns(collected: Collect, parts: Parts, columns: Columns) -> Parts:
    """Return what was collected of some columns, without the logs that belong to all of them."""
    if collected.what in ("levels", "tokens"):  # a part for each column
        return tuple(parts[collected.columns.index(name)] for name in columns)
    every: list[Any] = list(parts[:1] if collected.what == "sums" else parts)
    return tuple(part.take_columns(columns) for part in every)


class Pruned(NamedTuple):
    """The columns that are left, how they are distributed, what was seen of them, and why others are not."""

    columns: Columns
    likelihood: Likelihood
    parts: Parts
    left_out: tuple[tuple[str | int, str], ...] = ()


def pruned(likelihood: Likelihood, columns: Columns, parts: Parts, least: float) -> Pruned:
    """Return the block without what weighs less than `least` over all classes."""
    what = likelihood.collect(columns).what
    if what == "levels":
        return Pruned(columns, likelihood, _without_levels(likelihood, columns, parts, least))
    if what == "joint":
        return Pruned(columns, likelihood, tuple(_without_rare(part, least) for part in parts))
    if what == "tokens":
        return Pruned(columns, likelihood, tuple(_without_rare_tokens(part, least) for part in parts))
    if what not in ("sums", "presence"):
        return Pruned(columns, likelihood, parts)
    (counts, *_) = parts
    assert isinstance(counts, Counts)
    weight = counts.values.sum(axis=0)[counts.levels.positions(columns)] if len(counts.classes) else np.zeros(1)
    stay = np.broadcast_to(weight >= least, (len(columns),))
    if stay.all():
        return Pruned(columns, likelihood, parts)
    said = "present with weight" if what == "presence" else "a total count of"
    left_out = tuple(
        (name, f"pruned: {said} {float(each):g}, less than min_count={least:g}")
        for name, each, kept in zip(columns, np.broadcast_to(weight, stay.shape), stay, strict=True)
        if not kept
    )
    return Pruned(*narrowed(likelihood, columns, parts, stay), left_out)


def _without_levels(likelihood: Likelihood, columns: Columns, parts: Parts, least: float) -> Parts:
    left = tuple(_without_rare(part, least) for part in parts)
    for name, after, before in zip(columns, left, parts, strict=True):
        if after is not before:
            likelihood.require_prunable(name)
    return left


def _without_rare(part: Any, least: float) -> Counts:
    assert isinstance(part, Counts)
    stay: BoolArray = part.levels.declared | (part.values.sum(axis=0) >= least)
    return part if stay.all() else part.take_levels(stay)


def _without_rare_tokens(part: Any, least: float) -> Tokens:
    assert isinstance(part, Tokens)
    found, place = seen_tokens(part)
    stay = (np.bincount(place, part.counts, minlength=len(found)) >= least)[place]
    return part if stay.all() else part.take_pairs(stay)
