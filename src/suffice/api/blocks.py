"""What a user says of the columns, as a schema: one likelihood for everything, or one for each set of columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from suffice.conjugate.arguments import is_real
from suffice.errors import ParameterError
from suffice.likelihoods import Likelihood
from suffice.likelihoods.registry import LIKELIHOODS
from suffice.models.schema import Block, Schema

__all__ = ["schema_of"]


def schema_of(columns: Any, width: int) -> Schema:
    """Return the schema of rows of that width.

    Parameters
    ----------
    columns : likelihood, or mapping {position, range or tuple of positions: likelihood}
        A column that is not mentioned is not used.

    Examples
    --------
    >>> from suffice.likelihoods import Bernoulli, Gaussian
    >>> print(schema_of({range(2): Gaussian(), -1: Bernoulli()}, 4))
    4 columns
      0–1: Gaussian(prior=None, covariance='diagonal', var_smoothing=1e-09)
      3: Bernoulli(prior=None, threshold=0.0)
      not used: 2
    """
    if isinstance(columns, Likelihood):
        return Schema(width, (Block(tuple(range(width)), columns),) if width else ())
    if not isinstance(columns, Mapping):
        kinds = ", ".join(f"{name}()" for name in LIKELIHOODS)
        raise ParameterError(
            f"columns must say how the columns are distributed: got {columns!r}. "
            f"Give one of {kinds}, or a mapping {{position: likelihood}}."
        )
    taken: dict[int, Any] = {}
    blocks: list[Block] = []
    for key, likelihood in cast("Mapping[Any, Any]", columns).items():
        if not isinstance(likelihood, Likelihood):
            kinds = ", ".join(f"{name}()" for name in LIKELIHOODS)
            raise ParameterError(f"columns[{key!r}] must be a likelihood: got {likelihood!r}. Give one of {kinds}.")
        positions = sorted(_positions(key, width))
        for position in positions:
            if position in taken:
                raise ParameterError(
                    f"a column has one likelihood: column {position} is in columns[{taken[position]!r}] and in "
                    f"columns[{key!r}]. Leave it out of one."
                )
            taken[position] = key
        if positions:
            blocks.append(Block(tuple(positions), likelihood))
    return Schema(width, tuple(sorted(blocks, key=lambda block: block.columns)))


def _positions(key: Any, width: int) -> list[int]:
    wanted: list[Any] = list(cast("Any", key)) if isinstance(key, (tuple, range)) else [key]
    positions: list[int] = []
    for position in wanted:
        if not is_real(position) or int(position) != position:
            raise ParameterError(
                f"columns of an array are positions: got {position!r}. "
                "Give a position, a range, or a tuple of positions."
            )
        if not -width <= position < width:
            raise ParameterError(f"column {int(position)} is not in the data, which has {width}: 0 … {width - 1}.")
        positions.append(int(position) % width)
    if len(set(positions)) != len(positions):
        raise ParameterError(f"columns[{key!r}] names a column twice. Name each once.")
    return positions
