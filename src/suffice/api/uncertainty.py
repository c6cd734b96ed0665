"""Intervals of probabilities, and how odd rows are, for anything that a model takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from suffice.api.posterior import asked_scores
from suffice.api.sampling import generator_of
from suffice.api.scoring import Oddities, tables_to_score
from suffice.conjugate.arguments import option, proportion, whole
from suffice.errors import ParameterError
from suffice.evidence.uncertainty import CredibleInterval, IntervalMethod, credible_interval

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = ["interval_of"]

_IN_EACH_TAIL = 5
_MOST_DRAWS = 1_000_000


def interval_of(model: Model, data: Any, level: float, method: str, draws: int, seed: Any) -> CredibleInterval:
    """Return the interval of p(c | x) of every row."""
    level = proportion("level", level)
    chosen = cast("IntervalMethod", option("method", method, ("auto", "delta", "draws")))
    number = whole("draws", draws, 1)
    if number > _MOST_DRAWS:
        raise ParameterError(f"draws must be at most {_MOST_DRAWS:,}: got {number:,}. Each scores all rows once more.")
    least = int(np.ceil(round(2 * _IN_EACH_TAIL / (1 - level), 6)))
    if chosen != "delta" and number < least:
        raise ParameterError(
            f"an interval of level {level:g} takes at least {least} draws, {_IN_EACH_TAIL} beyond each end: got "
            f"draws={number}. Give more, or a lower level."
        )
    entropy = int(generator_of(seed).integers(2**63))
    oddities = Oddities()
    parts: list[CredibleInterval] = []
    known = model.naive_bayes
    for table in tables_to_score(model, data):
        scores = asked_scores(model, table, "posterior")
        oddities.add(scores)
        parts.append(credible_interval(known, table, scores.values, level, chosen, number, entropy, model.calibration))
    oddities.say(impossible=True)
    if len(parts) == 1:
        return parts[0]
    nothing = np.empty((0, len(model.classes)))
    return CredibleInterval(
        np.concatenate([nothing, *(part.lower for part in parts)]),
        np.concatenate([nothing, *(part.upper for part in parts)]),
        np.concatenate([nothing, *(part.probability for part in parts)]),
        level,
        np.concatenate([np.zeros(0, dtype=np.bool_), *(part.drawn for part in parts)]),
    )
