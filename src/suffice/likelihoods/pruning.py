"""What is left of a block when the rare is dropped: levels, combinations and columns of counts of little weight.

Symbols: N(k) the weight of level, combination or column k over all classes, m the least that stays.

    levels       a level with N(k) < m is as if its cells had been missing; a declared one stays
    joint        a combination with N(s) < m is one of the unseen, and a level with N(k) < m is none of its column's
    sums         a column of counts with N(j) < m is in no block
    tokens       a token with N(k) < m was never seen
    presence     a column that is present with weight N(j) < m is in no block
    all else     stays

A combination weighs no more than each of its levels, so none is left without them. The logs of a row's coefficient, or
of its factorials, belong to all the columns that the row had: without some of them they are not known, and the block
goes on without (coefficients=False, factorials=False).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from suffice.errors import ParameterError
from suffice.likelihoods.categorical import Categorical
from suffice.likelihoods.likelihood import Likelihood
from suffice.likelihoods.narrowing import narrowed_likelihood, some_levels
from suffice.likelihoods.token_reading import seen_tokens
from suffice.plan import Parts
from suffice.statistics import Counts, Tokens
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import BoolArray

__all__ = ["Pruned", "pruned"]


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
    left = tuple(name for name, kept in zip(columns, stay, strict=True) if kept)
    by_level = np.isin(np.arange(len(counts.levels)), counts.levels.positions(left))
    return Pruned(left, narrowed_likelihood(likelihood, stay), (some_levels(counts, by_level),), left_out)


def _without_levels(likelihood: Likelihood, columns: Columns, parts: Parts, least: float) -> Parts:
    left = tuple(_without_rare(part, least) for part in parts)
    prior = likelihood.prior if isinstance(likelihood, Categorical) else None
    if prior is not None and any(after is not before for after, before in zip(left, parts, strict=True)):
        at = next(j for j, (after, before) in enumerate(zip(left, parts, strict=True)) if after is not before)
        raise ParameterError(
            f"cannot prune levels of column {columns[at]!r}: its prior has a number for each of them. "
            "Declare them with levels=, which keeps them, or give alpha= instead of a prior."
        )
    return left


def _without_rare(part: Any, least: float) -> Counts:
    assert isinstance(part, Counts)
    stay: BoolArray = part.levels.declared | (part.values.sum(axis=0) >= least)
    return part if stay.all() else some_levels(part, stay)


def _without_rare_tokens(part: Any, least: float) -> Tokens:
    assert isinstance(part, Tokens)
    found, place = seen_tokens(part)
    stay = (np.bincount(place, part.counts, minlength=len(found)) >= least)[place]
    return part if stay.all() else part.take_pairs(stay)
