"""Credible intervals of probabilities, for anything that a model takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.api.posterior import asked_scores
from suffice.api.sampling import generator_of
from suffice.api.scoring import Oddities
from suffice.conjugate.arguments import proportion, whole
from suffice.errors import ParameterError
from suffice.evidence.uncertainty import CredibleInterval, credible_interval
from suffice.sources import rows_from

if TYPE_CHECKING:
    from suffice.api.model import Model

__all__ = ["interval_of"]

_IN_EACH_TAIL = 5
_MOST_DRAWS = 1_000_000


def interval_of(model: Model, data: Any, credible: float, draws: int, seed: Any) -> CredibleInterval:
    """Return the interval of p(c | x) of every row."""
    credible = proportion("credible", credible)
    number = whole("draws", draws, 1)
    if number > _MOST_DRAWS:
        raise ParameterError(f"draws must be at most {_MOST_DRAWS:,}: got {number:,}. Each scores all rows once more.")
    least = int(np.ceil(round(2 * _IN_EACH_TAIL / (1 - credible), 6)))
    if number < least:
        raise ParameterError(
            f"an interval with credible={credible:g} needs at least {least} draws, {_IN_EACH_TAIL} beyond each end",
            parameter="draws",
            got=number,
            advice="Give more draws, or a smaller credible mass.",
        )
    entropy = int(generator_of(seed).integers(2**63))
    oddities = Oddities()
    parts: list[CredibleInterval] = []
    with rows_from(data, like=model.like, needs_classes=False) as source:
        for table in (batch.table for batch in source):
            scores = asked_scores(model, table, "posterior")
            oddities.add(scores)
            own = scores.values, credible, number, entropy, model.calibration
            parts.append(credible_interval(model.naive_bayes, table, *own))
    oddities.say(impossible=True)
    if len(parts) == 1:
        return parts[0]
    nothing = np.empty((0, len(model.classes)))
    return CredibleInterval(
        np.concatenate([nothing, *(part.lower for part in parts)]),
        np.concatenate([nothing, *(part.upper for part in parts)]),
        np.concatenate([nothing, *(part.probability for part in parts)]),
        credible,
    )
