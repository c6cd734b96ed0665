"""How well a score ranks the rows of one class above all others: what of it a threshold cannot spoil.

Symbols: rows sorted by falling score, equal scores one group; weights w; of the rows down to the end of a group,
a = weight of all, p = that of the class, n = a − p; of all rows P of the class and N of the others.

    ROC AUC             Σ over groups of (weight of the class in it) · (N − (n before it + n after it)/2) / (P N)
    average precision   Σ over groups of (weight of the class in it)/P · p/a
    detection cost      [C_miss π (1 − p/P) + C_fa (1 − π) n/N] / min(C_miss π, C_fa (1 − π))     (NIST's, normalised)
    minimum of it       over all thresholds: after each group, and before the first

Groups that hold no row of the class change none of these but through a, so sums run over the others: sorting is done
once, and other weights for the same rows cost one pass over them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np

from suffice.conjugate.arguments import is_real
from suffice.errors import ParameterError
from suffice.statistics.frozen_arrays import BoolArray, FloatArray, IntArray

__all__ = ["DetectionCosts", "Ranked", "Ranking"]


@final
@dataclass(frozen=True, slots=True)
class DetectionCosts:
    """What a detector of one class is judged by.

    Parameters
    ----------
    prior : float between 0 and 1
        π, how probable the class is where decisions are made.
    miss, false_alarm : float > 0
        What it costs to pass over a row of the class, and to take another row for one.

    Examples
    --------
    >>> DetectionCosts(prior=0.01, miss=10.0).threshold.__round__(3)
    2.293
    """

    prior: float = 0.5
    miss: float = 1.0
    false_alarm: float = 1.0

    def __post_init__(self) -> None:
        if not is_real(self.prior) or not 0 < self.prior < 1:
            raise ParameterError(f"detection prior must lie between 0 and 1: got {self.prior!r}.")
        for name, cost in (("miss", self.miss), ("false_alarm", self.false_alarm)):
            if not is_real(cost) or not 0 < cost < float("inf"):
                raise ParameterError(f"the cost of a {name.replace('_', ' ')} must be > 0: got {cost!r}.")

    @property
    def threshold(self) -> float:
        """The log-likelihood ratio above which it pays to decide for the class: ln [C_fa (1 − π) / (C_miss π)]."""
        missed, alarmed = self._shares()
        return float(np.log(alarmed) - np.log(missed))

    def of(self, missed: FloatArray | float, alarmed: FloatArray | float) -> FloatArray:
        """Return the normalised cost, given which shares of the class are missed and of the others are alarms."""
        one, other = self._shares()
        return np.asarray((one * missed + other * alarmed) / min(one, other))

    def _shares(self) -> tuple[float, float]:
        return self.miss * self.prior, self.false_alarm * (1 - self.prior)


class Ranked(NamedTuple):
    """How good a ranking is."""

    roc_auc: float
    average_precision: float
    minimum_cost: float


@final
class Ranking:
    """Rows sorted by a score, for any weights of them.

    Parameters
    ----------
    scores : array of rows
        −inf and inf are allowed, NaN is not.
    of_class : array of bool
        Which rows are of the class.
    """

    __slots__ = ("_at", "_cuts", "_ends", "_firsts", "_order", "_starts")

    def __init__(self, scores: FloatArray, of_class: BoolArray) -> None:
        order = np.argsort(-scores, kind="stable")
        ranked = scores[order]
        new = np.ones(len(order) + 1, dtype=np.bool_)
        np.not_equal(ranked[1:], ranked[:-1], out=new[1:-1])
        bounds, group = np.flatnonzero(new), np.cumsum(new) - 1
        at = np.flatnonzero(of_class[order])
        own = group[at]
        first = np.ones(len(at), dtype=np.bool_)
        np.not_equal(own[1:], own[:-1], out=first[1:])
        firsts = np.flatnonzero(first)
        starts, ends = bounds[own[firsts]], bounds[own[firsts] + 1]
        # Running sums are wanted at these rows alone: what lies between two of them is added up at once.
        wanted = np.zeros(len(order) + 1, dtype=np.bool_)
        wanted[0] = wanted[starts] = wanted[ends] = True
        place = np.cumsum(wanted) - 1
        self._order = order
        self._at = at
        self._cuts: IntArray = np.flatnonzero(wanted[:-1])
        self._starts: IntArray = place[starts]
        self._ends: IntArray = place[ends]
        self._firsts = None if len(firsts) == len(at) else firsts

    def alike(self, other: Ranking) -> bool:
        """Say whether both rank the rows in the same groups."""
        mine, theirs = self._of_rows(), other._of_rows()
        return all(np.array_equal(one, two) for one, two in zip(mine, theirs, strict=True))

    def _of_rows(self) -> tuple[IntArray, ...]:
        return self._order, self._at, self._cuts, self._starts, self._ends

    def __call__(self, weights: FloatArray, of_class: float, others: float, costs: DetectionCosts) -> Ranked:
        """Return how good it is; the class and all others have these weights, both > 0."""
        w = np.take(weights, self._order)
        running = np.zeros(len(self._cuts) + 1)
        np.cumsum(np.add.reduceat(w, self._cuts), out=running[1:])
        here = w[self._at]
        if self._firsts is not None:
            here = np.add.reduceat(here, self._firsts)
        p = np.cumsum(here)
        a, before = running[self._ends], running[self._starts]
        n, n_before = np.maximum(a - p, 0.0), np.maximum(before - (p - here), 0.0)
        pairs = of_class * others
        better = others - (n + n_before) / 2
        auc = (here * better).sum() / pairs if pairs > 0 else (here / of_class * (better / others)).sum()
        with np.errstate(invalid="ignore", divide="ignore"):
            precision = np.where(a > 0, p / a, 0.0)
        average = (here * precision).sum() / of_class
        cost = costs.of(1 - p / of_class, n / others).min(initial=float(costs.of(1.0, 0.0)))
        return Ranked(min(max(float(auc), 0.0), 1.0), min(float(average), 1.0), max(float(cost), 0.0))
