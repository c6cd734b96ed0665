"""The schema of a model: blocks of columns with one likelihood each. A column is in at most one block.

Columns are identified by name; the columns of an array are 0, 1, …

Also the provenance of a model: the origin of its rows (number, files, dates) and the settings to read further files. It
is metadata: it affects no number of the model and is ignored by `==`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import final

from suffice.likelihoods import Likelihood
from suffice.likelihoods.block_statistics import Plan
from suffice.sources.files.source import Dialect
from suffice.statistics.axis import Columns

__all__ = ["Block", "Provenance", "Schema", "describe_left_out"]

_SHOWN = 12


@final
@dataclass(frozen=True, slots=True)
class Block:
    """A group of columns, in data order, with their likelihood."""

    columns: Columns
    likelihood: Likelihood

    def __repr__(self) -> str:
        return f"{_ranges(self.columns)}: {self.likelihood!r}"


@final
@dataclass(frozen=True, slots=True, repr=False)
class Schema:
    """The columns of a model, grouped into blocks with one likelihood each.

    Parameters
    ----------
    names : tuple of names
        All columns of the data, in order.
    blocks : tuple of Block
    left_out : tuple of (name, reason)
        Columns that are in no block, with the reason. It is ignored by `==`.
    integers : frozenset of names
        Columns of integers that are modelled as numbers; cells that are drawn for them are rounded. It is ignored by
        `==`.

    Examples
    --------
    >>> from suffice.likelihoods import Bernoulli
    >>> print(Schema(("wet", "cold", "id"), (Block(("wet", "cold"), Bernoulli()),), (("id", "mostly distinct"),)))
    3 columns
      'wet', 'cold': Bernoulli()
      'id' left out: mostly distinct
    """

    names: Columns
    blocks: tuple[Block, ...]
    left_out: tuple[tuple[str | int, str], ...] = field(default=(), compare=False)
    integers: frozenset[str | int] = field(default=frozenset(), compare=False)

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.names)

    def positions(self, columns: Columns) -> list[int]:
        """Return the positions of these columns."""
        position = {name: i for i, name in enumerate(self.names)}
        return [position[name] for name in columns]

    def plan(self) -> Plan:
        """Return the statistics to collect."""
        return Plan(self.width, tuple([block.likelihood.collect(block.columns) for block in self.blocks]))

    def merge(self, other: Schema) -> Schema | None:
        """Return the schema of the rows of two models, None if they differ in more than selected forms."""
        if self.names != other.names or len(self.blocks) != len(other.blocks):
            return None
        blocks: list[Block] = []
        for mine, theirs in zip(self.blocks, other.blocks, strict=True):
            likelihood = mine.likelihood.join(theirs.likelihood) if mine.columns == theirs.columns else None
            if likelihood is None:
                return None
            blocks.append(mine if likelihood == mine.likelihood else Block(mine.columns, likelihood))
        return replace(self, blocks=tuple(blocks), integers=self.integers & other.integers)

    @property
    def unused(self) -> Columns:
        """The columns that are in no block."""
        used = {column for block in self.blocks for column in block.columns}
        return tuple(column for column in self.names if column not in used)

    def __repr__(self) -> str:
        lines = [f"{self.width} column{'' if self.width == 1 else 's'}"]
        lines += [f"  {block!r}" for block in self.blocks[:_SHOWN]]
        if len(self.blocks) > _SHOWN:
            lines.append(f"  … {len(self.blocks)} blocks in all")
        reasons = dict(self.left_out)
        unexplained = tuple(column for column in self.unused if column not in reasons)
        if unexplained:
            lines.append(f"  not used: {_ranges(unexplained)}")
        return "\n".join([*lines, *describe_left_out(self.left_out)])


def describe_left_out(left_out: Sequence[tuple[str | int, str]]) -> Iterator[str]:
    """Yield a line for each of the first columns that were left out, with the reason."""
    for name, reason in left_out[:_SHOWN]:
        yield f"  {name!r} left out: {reason}"
    if len(left_out) > _SHOWN:
        yield f"  … {len(left_out)} left out in all"


def _ranges(columns: Columns) -> str:
    # Runs of integers as 0–3, 5, 7–8; names unchanged.
    starts = [0, *(i + 1 for i, (a, b) in enumerate(pairwise(columns)) if not _next_to(a, b)), len(columns)]
    runs = [columns[i:j] for i, j in pairwise(starts)]
    shown = [
        _quoted(run[0]) if len(run) == 1 else f"{_quoted(run[0])}–{_quoted(run[-1])}" for run in runs[:_SHOWN] if run
    ]
    return ", ".join(shown + [f"… {len(columns)} in all"] * (len(runs) > _SHOWN))


def _next_to(a: str | int, b: str | int) -> bool:
    return isinstance(a, int) and isinstance(b, int) and b == a + 1


def _quoted(column: str | int) -> str:
    return repr(column)


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
