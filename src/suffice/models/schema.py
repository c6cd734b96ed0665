"""Which columns have which likelihood: blocks of columns, none in two of them, some perhaps in none."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import final

from suffice.likelihoods import Likelihood
from suffice.plan import Plan
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
    """The width of the rows and the blocks of their columns.

    Examples
    --------
    >>> from suffice.likelihoods import Gaussian
    >>> print(Schema(4, (Block((0, 1, 3), Gaussian()),)))
    4 columns
      0–1, 3: Gaussian(prior=None, covariance='diagonal', var_smoothing=1e-09)
      not used: 2
    """

    width: int
    blocks: tuple[Block, ...]

    def plan(self) -> Plan:
        """Return what to collect of the rows."""
        return Plan(self.width, tuple(block.likelihood.collect(block.columns) for block in self.blocks))

    @property
    def unused(self) -> Columns:
        """The columns that are in no block."""
        used = {column for block in self.blocks for column in block.columns}
        return tuple(column for column in range(self.width) if column not in used)

    def __repr__(self) -> str:
        lines = [f"{self.width} column{'' if self.width == 1 else 's'}"]
        lines += [f"  {block!r}" for block in self.blocks[:_SHOWN]]
        if len(self.blocks) > _SHOWN:
            lines.append(f"  … {len(self.blocks)} blocks in all")
        if self.unused:
            lines.append(f"  not used: {_ranges(self.unused)}")
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
