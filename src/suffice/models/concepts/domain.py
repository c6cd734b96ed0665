"""The domain of concepts: everything that could be in one, in the order given, each thing once.

A thing is a label in its canonical form (statistics/labels.py): 1.0 is 1, "1" is not 1, True is not 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast, final

import numpy as np

from suffice.errors import DataError, ParameterError
from suffice.statistics.frozen_arrays import IntArray
from suffice.statistics.labels import Key, Label, canonical, key_of_label

__all__ = ["Domain", "canonical_labels", "key_of", "shown_things"]

_SHOWN = 6


@final
class Domain:
    """The things that a concept may contain.

    Parameters
    ----------
    things : iterable of bool, number, text, bytes or tuple of those
        At least one, no two the same.

    Examples
    --------
    >>> domain = Domain(range(1, 101))
    >>> len(domain), domain.place(1.0), str(domain)
    (100, 0, '1 … 100')
    """

    __slots__ = ("_places", "things")

    things: tuple[Label, ...]

    def __init__(self, things: Iterable[object]) -> None:
        if isinstance(things, (str, bytes)) or not isinstance(cast("object", things), Iterable):
            raise ParameterError(f"domain must be a range, list or set of things: got {things!r}.")
        self.things = canonical_labels(things)
        if not self.things:
            raise ParameterError("domain must have at least one thing: got none. Give what a concept may contain.")
        self._places: dict[Key, int] = {key_of(thing): at for at, thing in enumerate(self.things)}
        if len(self._places) != len(self.things):
            twice = next(thing for at, thing in enumerate(self.things) if self._places[key_of(thing)] != at)
            raise ParameterError(f"domain must have each thing once: {twice!r} is there more than once.")

    def __len__(self) -> int:
        return len(self.things)

    def __iter__(self) -> Iterator[Label]:
        return iter(self.things)

    def __str__(self) -> str:
        numbers = self.things
        if len(numbers) > 2 and all(type(thing) is int for thing in numbers):
            first, last = cast("int", numbers[0]), cast("int", numbers[-1])
            if numbers == tuple(range(first, last + 1)):
                return f"{first} … {last}"
        return shown_things(numbers)

    def find(self, thing: object) -> int | None:
        """Return where a thing stands, or None when it is not in the domain."""
        try:
            return self._places.get(key_of_label(*canonical(thing)))
        except DataError:  # a list, NaN: nothing that a domain could hold
            return None

    def places_of(self, things: Iterable[object], what: str) -> IntArray:
        """Return where things stand that a user gave, or raise DataError at the first that is not in the domain."""
        given: list[Any] = list(things)
        kinds = set(map(type, given))
        if kinds <= {int} or kinds <= {str}:  # keys as they are, and there may be a million
            found = self.places(given)
            if (found >= 0).all():
                return found
        return np.array([self.place(thing, what) for thing in given], dtype=np.int64)

    def place(self, thing: object, what: str = "thing") -> int:
        """Return where a thing stands, or raise DataError."""
        at = self.find(thing)
        if at is None:
            hint = _hint(self, thing)
            raise DataError(
                f"{what} {_plain(thing)!r} is not in the domain {self}.{hint} "
                f"Check it, or give a domain that contains it."
            )
        return at

    def places(self, labels: Iterable[Label]) -> IntArray:
        """Return where canonical labels stand, −1 for one that is not in the domain."""
        return np.fromiter((self._places.get(key_of(label), -1) for label in labels), dtype=np.int64)


def canonical_labels(things: Iterable[object]) -> tuple[Label, ...]:
    """Return the things in canonical form, in their order."""
    given: tuple[Any, ...] = tuple(things)
    if set(map(type, given)) <= {int} or set(map(type, given)) <= {str}:  # canonical as they are
        return given
    return tuple(canonical(thing)[1] for thing in given)


def shown_things(things: Iterable[Label], most: int = _SHOWN) -> str:
    """Return the first things as people read them, and how many there are when there are more.

    Examples
    --------
    >>> shown_things([16, 8, "two"]), shown_things(range(50), 3)
    ("16, 8, 'two'", '0, 1, 2, … (50 in all)')
    """
    all_of_them = list(things)
    text = ", ".join(map(repr, all_of_them[:most]))
    return text if len(all_of_them) <= most else f"{text}, … ({len(all_of_them):,} in all)"


def key_of(label: Label) -> Key:
    """Return what a canonical label is looked up by."""
    if type(label) is int or type(label) is str:
        return label
    return key_of_label(*canonical(label))


def _plain(thing: object) -> Any:
    return cast("Any", thing).item() if isinstance(thing, np.generic) else thing


def _hint(domain: Domain, thing: object) -> str:
    # "16" for 16 is the slip that messages should name.
    if isinstance(thing, str):
        try:
            number = float(thing)
        except ValueError:
            return ""
        if domain.find(number) is not None:
            return f" It is text, and the number {canonical(number)[1]!r} is in it."
    elif domain.find(str(thing)) is not None:
        return f" It is no text, and the text {str(thing)!r} is in it."
    return ""
