"""The number game: which numbers are in the concept that a few of them were drawn from.

Hypotheses over the whole numbers of the domain, first those like rules, then those like similarity (Tenenbaum 1999):

    rule                                             weight
    even, odd                                        5      people think of them first
    squares                                          1
    multiples of k, k = 3 … 12                       1
    ends in k, k = 0 … 9                             1
    powers of k, k = 2 … 10, exponents from 1 on     1      of two: 2, 4, 8, 16, 32, 64
    all                                              1
    powers of two except 32, powers of two and 37    1/1000 unnatural: nobody would say them
    interval a … b, ℓ = b − a + 1                    (ℓ/σ²) e^(−ℓ/σ), the Erlang density, σ = 10

The weights of the rules are scaled to sum to λ = ½, those of the intervals to 1 − λ. A rule that has no number in the
domain is left out. Descriptions of the same set ("multiples of 10" and "ends in 0"; "all" and the longest interval) are
one hypothesis: it has the first name and the mass of all of them, so that no predictive depends on the choice.

For D = {16, 8, 2, 64}, "except 32" has the likelihood (1/5)⁴ against (1/6)⁴ of "powers of two" and loses, because its
prior is less than (5/6)⁴ = 0.482 of the other's. It wins when N examples without 32 have come, (6/5)^N > 1000: N ≥ 38.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np

from suffice.conjugate.arguments import is_real
from suffice.errors import ParameterError
from suffice.models.concepts.domain import Domain
from suffice.models.concepts.learner import ConceptLearner, Sampling
from suffice.models.concepts.space import HypothesisSpace
from suffice.statistics.frozen_arrays import BoolArray, FloatArray, IntArray

__all__ = ["number_game"]

_FAMILIAR, _PLAIN, _UNNATURAL = 5.0, 1.0, 0.001
_MOST_NUMBERS = 500  # the matrix grows with the cube: 500 numbers have 125,250 intervals and take 63 MB
_GREATEST = 10**9


def number_game(
    domain: Sequence[int] = range(1, 101),
    sampling: Sampling = "strong",
    *,
    rule_mass: float = 0.5,
    typical_length: float = 10.0,
) -> ConceptLearner:
    """Return a learner of the number game that has seen nothing yet.

    Parameters
    ----------
    domain : range or list of whole numbers
        Positive, one after the other, at most 500 of them.
    sampling : "strong" or "weak"
    rule_mass : float from 0 to 1
        λ, the prior probability of a rule rather than an interval.
    typical_length : float > 0
        σ, the length of the interval with the greatest weight.

    Examples
    --------
    >>> learner = number_game().update([16, 8, 2, 64])
    >>> learner.map.name, learner.mle.name
    ('powers of two', 'powers of two except 32')
    >>> learner.predictive([32, 37, 10]).round(3)
    array([0.998, 0.001, 0.001])
    """
    numbers = _numbers(domain)
    if not is_real(rule_mass) or not 0 <= rule_mass <= 1:
        raise ParameterError(f"rule_mass must be a probability from 0 to 1: got {rule_mass!r}.")
    if not is_real(typical_length) or not 0 < typical_length < np.inf:
        raise ParameterError(f"typical_length must be a finite number > 0: got {typical_length!r}.")
    first, last = np.triu_indices(len(numbers))
    intervals = (1 - rule_mass) * _erlang(last - first + 1, float(typical_length))
    names, weights, members = _distinct_rules(numbers)
    rules = rule_mass * weights / weights.sum()
    kept = np.ones(len(first), dtype=np.bool_)
    for at in range(len(names)):
        start, stop = members[at].argmax(), len(numbers) - 1 - members[at][::-1].argmax()
        if stop - start + 1 == members[at].sum():  # an interval by another name
            place = int(np.flatnonzero((first == start) & (last == stop))[0])
            rules[at] += intervals[place]
            kept[place] = False
    first, last = first[kept], last[kept]
    at = np.arange(len(numbers))[:, None]
    inside = np.empty((len(numbers), len(names) + len(first)), dtype=np.bool_)
    inside[:, : len(names)] = members.T
    np.logical_and(at >= first, at <= last, out=inside[:, len(names) :])
    named = [
        f"{low} to {high}" if low < high else f"{low} alone"
        for low, high in zip(numbers[first].tolist(), numbers[last].tolist(), strict=True)
    ]
    space = HypothesisSpace([*names, *named], Domain(numbers.tolist()), inside)
    return ConceptLearner(space, np.concatenate([rules, intervals[kept]]), sampling)


def _rules(x: IntArray) -> Iterator[tuple[str, float, BoolArray]]:
    yield "even", _FAMILIAR, x % 2 == 0
    yield "odd", _FAMILIAR, x % 2 == 1
    yield "squares", _PLAIN, np.rint(np.sqrt(x)).astype(np.int64) ** 2 == x
    for k in range(3, 13):
        yield f"multiples of {k}", _PLAIN, x % k == 0
    for k in range(10):
        yield f"ends in {k}", _PLAIN, x % 10 == k
    two = _powers(2, x)
    yield "powers of two", _PLAIN, two
    for k in range(3, 11):
        yield f"powers of {k}", _PLAIN, _powers(k, x)
    yield "all", _PLAIN, np.ones(len(x), dtype=np.bool_)
    yield "powers of two except 32", _UNNATURAL, two & (x != 32)
    yield "powers of two and 37", _UNNATURAL, two | (x == 37)


def _powers(k: int, x: IntArray) -> BoolArray:
    powers = [k]
    while powers[-1] <= x[-1]:
        powers.append(powers[-1] * k)
    return np.isin(x, powers)


def _distinct_rules(numbers: IntArray) -> tuple[list[str], FloatArray, BoolArray]:
    found: dict[bytes, int] = {}
    names: list[str] = []
    weights: list[float] = []
    members: list[BoolArray] = []
    for name, weight, inside in _rules(numbers):
        if not inside.any():
            continue
        at = found.setdefault(inside.tobytes(), len(names))
        if at == len(names):
            names.append(name)
            weights.append(weight)
            members.append(inside)
        else:
            weights[at] += weight
    return names, np.array(weights), np.stack(members)


def _erlang(lengths: IntArray, scale: float) -> FloatArray:
    # Up to a factor, which goes when the weights are scaled; from the greatest down, so that not all can vanish.
    log_weight = np.log(lengths) - lengths / scale
    weights = np.exp(log_weight - log_weight.max())
    return weights / weights.sum()


def _numbers(domain: Any) -> IntArray:
    known = isinstance(cast("object", domain), (range, list, tuple, np.ndarray))
    if known and len(domain) > _MOST_NUMBERS:
        raise ParameterError(
            f"domain must have at most {_MOST_NUMBERS} numbers, because every interval is a hypothesis: "
            f"got {len(domain):,}. Give a shorter one, or your own hypotheses to ConceptLearner."
        )
    given: list[Any] = list(domain) if known else []
    whole = all(is_real(each) and 1 <= each <= _GREATEST and int(each) == each for each in given)
    numbers = [int(each) for each in given] if whole else []
    if not numbers or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        shown = repr(domain) if len(repr(domain)) <= 60 else f"{repr(domain)[:57]}..."
        raise ParameterError(
            f"domain must be positive whole numbers, one after the other: got {shown}. Give for example range(1, 101)."
        )
    return np.array(numbers, dtype=np.int64)
