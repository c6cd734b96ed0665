"""What a scorer is asked for, and what it answers."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from suffice.models.layout import Unseen
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["Scores", "Wanted"]

Wanted: TypeAlias = Literal["joint", "log_posterior", "posterior", "density"]


class Scores(NamedTuple):
    """What was asked for, how many rows are impossible under every class, and which columns had unseen levels.

    `infinite` says that an infinite cell was read as present or absent, which leaves no trace in the values.
    """

    values: FloatArray
    impossible: int
    unseen: tuple[Unseen, ...]
    infinite: bool
