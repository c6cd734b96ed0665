"""Where a model comes from: how many rows, out of which files, when, and how to read the next file like them.

It is told along and never computed with: two models that differ in nothing else are equal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import final

from suffice.sources.dialect import Dialect

__all__ = ["Provenance"]


@final
@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a model comes from.

    Parameters
    ----------
    rows : int ≥ 0
        How many rows with a class were seen and not forgotten.
    sources : tuple of str
        The files they came from, each once, in order.
    first, last : str
        When the first and the last of them were seen: UTC, ISO 8601 to the second, "" where nobody knows.
    target, weights : name or place of a column, optional
        Which columns of the files were class and weight.
    dialect : Dialect, optional
        How the files were written, where they were text.

    Examples
    --------
    >>> monday, tuesday = Provenance(3, ("mon.csv",), target="label"), Provenance(2, ("tue.csv",), target="label")
    >>> (monday + tuesday).rows, (monday + tuesday).sources
    (5, ('mon.csv', 'tue.csv'))
    >>> monday + tuesday - tuesday == monday
    True
    """

    rows: int = 0
    sources: tuple[str, ...] = ()
    first: str = ""
    last: str = ""
    target: str | int | None = None
    weights: str | int | None = None
    dialect: Dialect | None = None

    def at(self, moment: datetime | None = None) -> Provenance:
        """Return the same, of rows seen at that moment; by default now."""
        seen = (moment or datetime.now(UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return replace(self, first=seen, last=seen)

    def __add__(self, other: Provenance) -> Provenance:
        return replace(
            self,
            rows=self.rows + other.rows,
            sources=tuple(dict.fromkeys((*self.sources, *other.sources))),
            first=min(self.first, other.first) if self.first and other.first else self.first or other.first,
            last=max(self.last, other.last),
            target=self.target if self.target is not None else other.target,
            weights=self.weights if self.weights is not None else other.weights,
            dialect=self.dialect if self.dialect is not None else other.dialect,
        )

    def __sub__(self, other: Provenance) -> Provenance:
        gone = frozenset(other.sources)
        sources = tuple(source for source in self.sources if source not in gone)
        return replace(self, rows=max(0, self.rows - other.rows), sources=sources, last=max(self.last, other.last))
