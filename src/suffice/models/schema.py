"""Which columns have which likelihood: blocks of columns, none in two of them, some perhaps in none.

Columns are names; those of an array are 0, 1, …
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import final

from suffice.likelihoods import Likelihood
from suffice.likelihoods.collect import Plan
from suffice.statistics.columns import Columns

__all__ = ["Block", "Schema"]

_SHOWN = 12


@final
@dataclass(frozen=True, slots=True)
class Block:
    """Columns, in the order of the data, and their likelihood."""

    columns: Columns
    likelihood: Likelihood

    def __repr__(self) -> str:
        return f"{_ranges(self.columns)}: {self.likelihood!r}"


@final
@dataclass(frozen=True, slots=True, repr=False)
class Schema:
    """The names of the columns, and the blocks that they form.

    Parameters
    ----------
    names : tuple of names
        Every column of the rows, in order.
    blocks : tuple of Block
    left_out : tuple of (name, reason)
        Why columns are in no block. Two schemas that differ in nothing else are equal.

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

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.names)

    def positions(self, columns: Columns) -> list[int]:
        """Return where these columns stand among the names."""
        place = {name: at for at, name in enumerate(self.names)}
        return [place[name] for name in columns]

    def plan(self) -> Plan:
        """Return what to collect of the rows."""
        return Plan(self.width, tuple(block.likelihood.collect(block.columns) for block in self.blocks))

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
        said = dict(self.left_out)
        silent = tuple(column for column in self.unused if column not in said)
        if silent:
            lines.append(f"  not used: {_ranges(silent)}")
        lines += [f"  {name!r} left out: {reason}" for name, reason in self.left_out[:_SHOWN]]
        if len(self.left_out) > _SHOWN:
            lines.append(f"  … {len(self.left_out)} left out in all")
        return "\n".join(lines)


def _ranges(columns: Columns) -> str:
    # 0–3, 5, 7–8; names as they are.
    starts = [0, *(i + 1 for i, (a, b) in enumerate(pairwise(columns)) if not _next_to(a, b)), len(columns)]
    runs = [columns[i:j] for i, j in pairwise(starts)]
    shown = [_name(run[0]) if len(run) == 1 else f"{_name(run[0])}–{_name(run[-1])}" for run in runs[:_SHOWN] if run]
    return ", ".join(shown + [f"… {len(columns)} in all"] * (len(runs) > _SHOWN))


def _next_to(a: str | int, b: str | int) -> bool:
    return isinstance(a, int) and isinstance(b, int) and b == a + 1


def _name(column: str | int) -> str:
    return repr(column)
