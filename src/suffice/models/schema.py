"""The schema of a model: blocks of columns with one likelihood each. A column is in at most one block.

Columns are identified by name; the columns of an array are 0, 1, …
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import final

from suffice.likelihoods import Likelihood
from suffice.likelihoods.block_statistics import Plan
from suffice.statistics.columns import Columns

__all__ = ["Block", "Schema", "describe_left_out"]

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
        return Plan(self.width, tuple(block.likelihood.collect(block.columns) for block in self.blocks))

    def merge(self, other: Schema) -> Schema | None:
        """Return the schema of the rows of two models, None if they differ other than in forms that were selected."""
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
    # Runs of integers as 0–3, 5, 7–8; names as they are.
    starts = [0, *(i + 1 for i, (a, b) in enumerate(pairwise(columns)) if not _next_to(a, b)), len(columns)]
    runs = [columns[i:j] for i, j in pairwise(starts)]
    shown = [_name(run[0]) if len(run) == 1 else f"{_name(run[0])}–{_name(run[-1])}" for run in runs[:_SHOWN] if run]
    return ", ".join(shown + [f"… {len(columns)} in all"] * (len(runs) > _SHOWN))


def _next_to(a: str | int, b: str | int) -> bool:
    return isinstance(a, int) and isinstance(b, int) and b == a + 1


def _name(column: str | int) -> str:
    return repr(column)
