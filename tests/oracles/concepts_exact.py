"""Bayesian concept learning by brute force: sets and fractions, hypothesis by hypothesis, as in docs/mathematics.md §10."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, product
from typing import Any, NamedTuple


class Concept(NamedTuple):
    """Weights need not sum to 1."""

    weight: Fraction
    members: frozenset


def joint(concepts: Mapping[str, Concept], data: Sequence[Any], sampling: str = "strong") -> dict[str, Fraction]:
    """p(h) p(D|h), one factor at a time."""
    total = sum(concept.weight for concept in concepts.values())
    found = {}
    for name, (weight, members) in concepts.items():
        p = Fraction(weight) / total
        for datum in data:
            p *= (Fraction(1, len(members)) if sampling == "strong" else 1) if datum in members else 0
        found[name] = p
    return found


def evidence(concepts: Mapping[str, Concept], data: Sequence[Any], sampling: str = "strong") -> Fraction:
    return sum(joint(concepts, data, sampling).values(), Fraction(0))


def posterior(concepts: Mapping[str, Concept], data: Sequence[Any], sampling: str = "strong") -> dict[str, Fraction]:
    each = joint(concepts, data, sampling)
    total = sum(each.values())
    return {name: p / total for name, p in each.items()}


def predictive(
    concepts: Mapping[str, Concept], data: Sequence[Any], things: Iterable[Any], sampling: str = "strong"
) -> list[Fraction]:
    after = posterior(concepts, data, sampling)
    return [sum((p for name, p in after.items() if x in concepts[name].members), Fraction(0)) for x in things]


def number_game(first: int, last: int, length: int = 10) -> dict[str, Concept]:
    """The classic hypotheses over first … last, those of the same set under the first of their names."""
    numbers = range(first, last + 1)
    rules: list[tuple[str, Fraction, set]] = [
        ("even", Fraction(5), {x for x in numbers if x % 2 == 0}),
        ("odd", Fraction(5), {x for x in numbers if x % 2 == 1}),
        ("squares", Fraction(1), {x for x in numbers if any(y * y == x for y in range(x + 1))}),
    ]
    rules += [(f"multiples of {k}", Fraction(1), {x for x in numbers if x % k == 0}) for k in range(3, 13)]
    rules += [(f"ends in {k}", Fraction(1), {x for x in numbers if str(x)[-1] == str(k)}) for k in range(10)]
    for k in range(2, 11):
        powers = {k**exponent for exponent in range(1, 40)}
        rules.append((f"powers of {'two' if k == 2 else k}", Fraction(1), powers & set(numbers)))
    two = rules[-9][2]
    rules.append(("all", Fraction(1), set(numbers)))
    rules.append(("powers of two except 32", Fraction(1, 1000), two - {32}))
    rules.append(("powers of two and 37", Fraction(1, 1000), two | ({37} & set(numbers))))
    rules = [rule for rule in rules if rule[2]]
    of_rules = sum(weight for _, weight, _ in rules)
    intervals = []
    for a in numbers:
        for b in range(a, last + 1):
            name = f"{a} to {b}" if a < b else f"{a} alone"
            intervals.append((name, _erlang(b - a + 1, length), set(range(a, b + 1))))
    of_intervals = sum(weight for _, weight, _ in intervals)
    names: dict[frozenset, str] = {}
    found: dict[str, Concept] = {}
    for group, total in ((rules, of_rules), (intervals, of_intervals)):
        for name, weight, members in group:
            known = names.setdefault(frozenset(members), name)
            before = found[known].weight if known in found else Fraction(0)
            found[known] = Concept(before + weight / total / 2, frozenset(members))
    return found


def _erlang(length: int, scale: int) -> Fraction:
    with localcontext() as context:
        context.prec = 60
        return Fraction(Decimal(length) / scale**2 * (Decimal(-length) / scale).exp())


def conjunctions(
    rows: Sequence[Mapping[str, Any]], tests: Mapping[str, Sequence[tuple[str, Any]]], most: int
) -> dict[frozenset, tuple[int, float]]:
    """The sets of rows that conjunctions of at most so many tests of different columns pick: the fewest tests, 2^−bits.

    `tests` has for each column pairs of a text and a function of a cell.
    """
    found: dict[frozenset, tuple[int, float]] = {}
    for number in range(most + 1):
        for columns in combinations(tests, number):
            for chosen in product(*(tests[column] for column in columns)):
                picked = frozenset(
                    at
                    for at, row in enumerate(rows)
                    if all(
                        row[column] is not None and test(row[column])
                        for column, (_, test) in zip(columns, chosen, strict=True)
                    )
                )
                weight = 0.5
                for column in columns:
                    weight /= 2 * len(tests) * len(tests[column])
                if not picked:
                    continue
                if picked not in found or (found[picked][0] == number and found[picked][1] < weight):
                    found[picked] = (number, weight)
    return found
