"""Provenance: the origin of a model's rows (number, files, dates) and the settings to read further files.

It is metadata: it affects no number of the model and is ignored by `==`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import final

from suffice.sources.files.source import Dialect

__all__ = ["Provenance"]


@final
@dataclass(frozen=True, slots=True)
class Provenance:
    """Origin of the rows of a model.

    Parameters
    ----------
    rows : int ≥ 0
        Number of labelled rows in the model, without rows that were forgotten.
    sources : tuple of str
        Names of the source files, without duplicates, in order.
    first, last : str
        Times at which the first and the last rows were added: UTC, ISO 8601 to the second, "" if unknown.
    target, weights : name or position of a column, optional
        Columns of the files with the class and the row weight.
    dialect : Dialect, optional
        Format of the files if they were delimited text.
    digests : tuple of str
        Hashes of the contents of the source files, in the order of `sources`, by which a file is recognised wherever it
        is; "" for a source without one. Empty if no source has one.

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
    digests: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[tuple[str, str], ...]:
        """The name and the digest of each source."""
        return tuple(zip(self.sources, self.digests or ("",) * len(self.sources), strict=True))

    def at(self, moment: datetime | None = None) -> Provenance:
        """Return the provenance with both times set to a moment. Default: now."""
        time = (moment or datetime.now(UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return replace(self, first=time, last=time)

    def __add__(self, other: Provenance) -> Provenance:
        files: dict[str, tuple[str, str]] = {}
        for name, digest in (*self.files, *other.files):
            files.setdefault(digest or name, (name, digest))
        return replace(
            self.of_files(tuple(files.values())),
            rows=self.rows + other.rows,
            first=min(self.first, other.first) if self.first and other.first else self.first or other.first,
            last=max(self.last, other.last),
            target=self.target if self.target is not None else other.target,
            weights=self.weights if self.weights is not None else other.weights,
            dialect=self.dialect if self.dialect is not None else other.dialect,
        )

    def __sub__(self, other: Provenance) -> Provenance:
        removed = frozenset((*other.sources, *other.digests))
        rest = self.of_files(tuple(file for file in self.files if (file[1] or file[0]) not in removed))
        return replace(rest, rows=max(0, self.rows - other.rows), last=max(self.last, other.last))

    def of_files(self, files: tuple[tuple[str, str], ...]) -> Provenance:
        """Return the provenance with these sources, given the name and the digest of each."""
        digests = tuple(digest for _, digest in files)
        return replace(self, sources=tuple(name for name, _ in files), digests=digests if any(digests) else ())
