"""A hypothesis: a name for a concept, and what the concept contains."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias, cast, final

import numpy as np

from suffice.errors import ParameterError
from suffice.models.concepts.domain import Domain, canonical_labels, key_of, shown_things
from suffice.statistics import Axis
from suffice.statistics.frozen_arrays import BoolArray
from suffice.statistics.labels import Label

__all__ = ["Hypothesis", "Predicate", "empty"]

Predicate: TypeAlias = "Callable[[Any], bool]"

_SHOWN = 8


@final
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Hypothesis:
    """A concept that the data may come from.

    Parameters
    ----------
    name : str
    members : set or other iterable of things, or a predicate
        What the concept contains: the things themselves, or a function that says of each thing of the domain whether
        it is in the concept.

    Examples
    --------
    >>> Hypothesis("powers of two", {2, 4, 8, 16, 32, 64})
    Hypothesis('powers of two', {2, 4, 8, 16, 32, 64})
    >>> Hypothesis("even", lambda x: x % 2 == 0)
    Hypothesis('even', a predicate)
    """

    name: str
    members: frozenset[Label] | Predicate

    def __init__(self, name: str, members: Iterable[object] | Predicate) -> None:
        if not isinstance(cast("object", name), str) or not name:
            raise ParameterError(f"a hypothesis must have a text as its name: got {name!r}.")
        object.__setattr__(self, "name", str.__str__(name))
        if callable(members):
            object.__setattr__(self, "members", members)
            return
        if isinstance(members, (str, bytes)) or not isinstance(cast("object", members), Iterable):
            raise ParameterError(
                f"hypothesis {name!r} must have a set of things or a predicate: got {members!r}. "
                "Give for example {2, 4, 8} or lambda x: x % 2 == 0."
            )
        labels = canonical_labels(members)
        together = frozenset(labels)
        if len({key_of(label) for label in labels}) != len(together):
            raise ParameterError(
                f"hypothesis {name!r} must not hold both a truth value and the number that Python takes for the same, "
                "such as True and 1. Say one of them otherwise, for example as text."
            )
        object.__setattr__(self, "members", together)

    def __repr__(self) -> str:
        if callable(self.members):
            return f"Hypothesis({self.name!r}, a predicate)"
        return f"Hypothesis({self.name!r}, {{{shown_things(Axis.of(self.members).labels, _SHOWN)}}})"

    def within(self, domain: Domain) -> BoolArray:
        """Return of each thing of the domain whether it is in the concept."""
        if callable(self.members):
            inside = np.fromiter((self._holds(self.members, thing) for thing in domain), dtype=np.bool_)
        else:
            places = domain.places(self.members)
            if (places < 0).any():
                outside = [thing for thing, at in zip(self.members, places.tolist(), strict=True) if at < 0]
                raise ParameterError(
                    f"hypothesis {self.name!r} contains {Axis.of(outside).labels[0]!r}, which is not in the domain "
                    f"{domain}. Take it out, or give a domain that contains it."
                )
            inside = np.zeros(len(domain), dtype=np.bool_)
            inside[places] = True
        if not inside.any():
            raise ParameterError(empty(self.name, domain))
        return inside

    def _holds(self, predicate: Predicate, thing: Label) -> bool:
        try:
            answer = cast("object", predicate(thing))
        except Exception as problem:
            raise ParameterError(
                f"the predicate of hypothesis {self.name!r} fails on {thing!r}: "
                f"{type(problem).__name__}: {problem}. It must answer for everything in the domain."
            ) from problem
        if not isinstance(answer, (bool, np.bool_)):
            raise ParameterError(
                f"the predicate of hypothesis {self.name!r} must say True or False: got {answer!r} for {thing!r}."
            )
        return bool(cast("Any", answer))


def empty(name: str, domain: Domain) -> str:
    """Return what to say of a hypothesis that contains nothing."""
    return (
        f"hypothesis {name!r} contains nothing of the domain {domain}, so no data can come from it. "
        "Leave it out, or give a domain that it has a part of."
    )
