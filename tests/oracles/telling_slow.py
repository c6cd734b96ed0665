"""What a cell says about its class, slowly: p(x | c) of one column as the model scores it, added up point by point.

The model is asked for log p(c, x) of every point of a fine grid, or of every level; its class prior is taken off. The rest
of a class is Σ N_c' p(x | c')/Σ N_c' over the others, formed with Python's own floats.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np


def log_likelihoods(model, cells: dict) -> list[list[float]]:
    """Return log p(x | c) of each point, a list for each class."""
    prior = np.log([p.value for p in model.parameters() if p.column is None])
    return (model.log_joint(cells) - prior).T.tolist()


def divergence(logs: Sequence[Sequence[float]], weight: Sequence[float], c: int, width: Sequence[float]) -> float:
    """Return Σ p(x | c) [ln p(x | c) − ln p(x | rest)] width."""
    others = [k for k in range(len(logs)) if k != c]
    total = math.fsum(weight[k] for k in others)
    terms = []
    for at, here in enumerate(logs[c]):
        mass = math.exp(here)
        if mass == 0:
            continue
        most = max(logs[k][at] for k in others if weight[k] > 0)
        rest = -math.inf
        if most > -math.inf:
            parts = (weight[k] / total * math.exp(logs[k][at] - most) for k in others)
            rest = most + math.log(math.fsum(parts))
        terms.append(mass * (here - rest) * width[at])
    return math.fsum(terms)
