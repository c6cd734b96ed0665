"""A space of hypotheses: which concept contains which thing, as one matrix of bools.

Symbols: things x = 1…X of the domain, hypotheses h = 1…H with their names, 1(x ∈ h) the matrix of X rows and H columns,
|h| = Σ_x 1(x ∈ h) how many things a hypothesis contains, never 0.

Hypotheses of different names may contain the same things. They are kept apart: no data can tell them from one another,
so their posteriors stay in the ratio of their priors.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast, final

import numpy as np

from suffice.errors import ParameterError
from suffice.models.concepts.domain import Domain, key_of
from suffice.models.concepts.hypothesis import Hypothesis, empty
from suffice.statistics import Axis
from suffice.statistics.frozen_arrays import BoolArray, IntArray, sealed

__all__ = ["HypothesisSpace", "Rules"]


class Rules(ABC):
    """How the hypotheses of a space go on beyond its domain: to rows that were not in the table."""

    @abstractmethod
    def contain(self, rows: Any) -> BoolArray:
        """Return of each row and each hypothesis whether the row is in it."""

    @abstractmethod
    def notes(self) -> Sequence[str]:
        """Return what to tell about them, a line each."""


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class HypothesisSpace:
    """Hypotheses over one domain.

    Parameters
    ----------
    names : sequence of str
    domain : Domain
    members : array of bool, things × hypotheses
    rules : Rules, optional
        What says of things outside the domain whether they are in a hypothesis.

    Examples
    --------
    >>> space = HypothesisSpace.of({"even": {2, 4, 6}, "small": {1, 2}})
    >>> space.names, space.domain.things, space.sizes
    (('even', 'small'), (1, 2, 4, 6), array([3, 2]))
    """

    names: tuple[str, ...]
    domain: Domain
    members: BoolArray
    sizes: IntArray
    rules: Rules | None
    _places: dict[str, int]

    def __init__(self, names: Sequence[str], domain: Domain, members: BoolArray, rules: Rules | None = None) -> None:
        if members.shape != (len(domain), len(names)):
            raise ParameterError(
                f"members must have a row for each of the {len(domain):,} things and a column for each of the "
                f"{len(names):,} hypotheses: got shape {members.shape}."
            )
        places = {name: at for at, name in enumerate(names)}
        if len(places) != len(names):
            twice = next(name for at, name in enumerate(names) if places[name] != at)
            raise ParameterError(f"two hypotheses have the name {twice!r}. Rename one of them.")
        sizes = members.sum(axis=0)
        if not sizes.all():
            raise ParameterError(empty(names[int(np.argmin(sizes))], domain))
        object.__setattr__(self, "names", tuple(names))
        object.__setattr__(self, "domain", domain)
        object.__setattr__(self, "members", sealed(np.ascontiguousarray(members)))
        object.__setattr__(self, "sizes", sealed(sizes.astype(np.int64)))
        object.__setattr__(self, "rules", rules)
        object.__setattr__(self, "_places", places)

    @classmethod
    def of(cls, hypotheses: Any, domain: Iterable[object] | None = None) -> HypothesisSpace:
        """Return the space of hypotheses as a user gives them.

        Parameters
        ----------
        hypotheses : iterable of Hypothesis, iterable of pairs (name, members), or mapping {name: members}
        domain : iterable of things, optional
            What concepts may contain; without it everything that one of the sets contains, sorted.
        """
        each = _hypotheses(hypotheses)
        if not each:
            raise ParameterError("there must be at least one hypothesis: got none. Give names and what they contain.")
        over = _union(each) if domain is None else Domain(domain)
        members = np.stack([hypothesis.within(over) for hypothesis in each], axis=1)
        return cls([hypothesis.name for hypothesis in each], over, members)

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._places

    def __getitem__(self, at: int) -> Hypothesis:
        """Return the hypothesis at that place, with the set of what it contains."""
        things = self.domain.things
        return Hypothesis(self.names[at], [things[x] for x in np.flatnonzero(self.members[:, at]).tolist()])

    def index(self, name: str) -> int:
        """Return the place of the hypothesis of that name, or raise ParameterError."""
        at = self._places.get(name)
        if at is None:
            raise ParameterError(f"there is no hypothesis {name!r}. {self.hint(name)}")
        return at

    def hint(self, name: object) -> str:
        """Return which name may have been meant."""
        from difflib import get_close_matches

        close = get_close_matches(str(name), self.names, n=1)
        some = ", ".join(map(repr, self.names[:8])) + ", …" * (len(self.names) > 8)
        return f"Did you mean {close[0]!r}?" if close else f"There are {some}."


def _hypotheses(given: Any) -> list[Hypothesis]:
    if isinstance(given, Mapping):
        named = cast("Mapping[Any, Any]", given)
        return [Hypothesis(name, members) for name, members in named.items()]
    if isinstance(given, (str, bytes, Hypothesis)) or not isinstance(given, Iterable):
        raise ParameterError(
            f"hypotheses must be a mapping {{name: members}} or a list of Hypothesis: got {given!r}. "
            "Give for example {'even': {2, 4}, 'odd': {1, 3}}."
        )
    return [_hypothesis(each) for each in cast("Iterable[Any]", given)]


def _hypothesis(given: Any) -> Hypothesis:
    if isinstance(given, Hypothesis):
        return given
    pair: Any = given
    if isinstance(given, tuple) and len(pair) == 2:
        return Hypothesis(pair[0], pair[1])
    raise ParameterError(f"a hypothesis must be a Hypothesis or a pair (name, members): got {given!r}.")


def _union(hypotheses: Sequence[Hypothesis]) -> Domain:
    together: dict[Any, Any] = {}
    for hypothesis in hypotheses:
        if callable(hypothesis.members):
            raise ParameterError(
                f"hypothesis {hypothesis.name!r} is a predicate, and a predicate needs a domain to ask about. "
                "Give one, for example domain=range(1, 101)."
            )
        together.update((key_of(thing), thing) for thing in hypothesis.members)
    return Domain(Axis.of(together.values()).labels)
