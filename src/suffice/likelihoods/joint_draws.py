"""Combinations drawn from a joint block: the few that were seen have probabilities of their own, the many others share.

Symbols: M combinations seen of T, θ(s) of each seen one, R the probability of all U = T − M others together.

    as it is read   s with θ(s), one of the others with R: each alike
    posterior       (θ, R) ~ Dir(α + N, …, U α); the others' own probabilities ~ Dir(α, …, α), integrated out: the i-th
                    row among them is a fresh one, each of the U alike, with U α/(U α + i), else a copy of one of the i
                    before it (Blackwell and MacQueen 1973)

Where half of all combinations or fewer are unseen they are listed, else drawn until one is not among the seen.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from suffice.likelihoods.terms import Combinations
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = ["copies", "unseen_combinations"]


def unseen_combinations(term: Combinations, n: int, rng: np.random.Generator) -> IntArray:
    """Return n combinations that were not seen, each alike: rows of positions on the axes of the columns."""
    sizes = [max(len(axis), 1) for axis in term.levels]  # a column of nothing but gaps has one, of no name
    seen: set[tuple[int, ...]] = set(map(tuple, term.seen.tolist()))
    if np.prod([float(size) for size in sizes]) <= 2.0 * len(seen):
        others = [each for each in product(*map(range, sizes)) if each not in seen]
        listed: IntArray = np.array(others, dtype=np.int64).reshape(len(others), len(sizes))
        return listed[rng.integers(len(others), size=n)]
    drawn: IntArray = np.zeros((n, len(sizes)), dtype=np.int64)
    wanted: IntArray = np.arange(n, dtype=np.int64)
    while len(wanted):
        drawn[wanted] = rng.integers(sizes, size=(len(wanted), len(sizes)))
        again = [tuple(each) in seen for each in drawn[wanted].tolist()]
        wanted = wanted[np.array(again, dtype=np.bool_)]
    return drawn


def copies(n: int, strength: float, rng: np.random.Generator) -> IntArray:
    """Return for each of n rows which row it is a copy of, itself where it is fresh: an urn with that many of its own.

    Parameters
    ----------
    strength : float > 0
        U α, the prior counts of all unseen combinations together.
    """
    at: IntArray = np.arange(n, dtype=np.int64)
    uniform: FloatArray = rng.random(n)
    fresh = uniform * at < strength * (1 - uniform)  # so written, the strength may be infinite
    origin = np.where(fresh, at, (rng.random(n) * at).astype(np.int64))
    while (origin[origin] != origin).any():  # a copy of a copy is one of the first
        origin = origin[origin]
    return origin
