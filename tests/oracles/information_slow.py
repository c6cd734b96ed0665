"""The mutual information of class and cell in bits, slowly: p(x | c) as the model scores it, added up point by point."""

from __future__ import annotations

import math
from collections.abc import Sequence


def bits(logs: Sequence[Sequence[float]], weight: Sequence[float], width: Sequence[float]) -> float:
    """Return Σ_c π_c Σ_x p(x | c) log2(p(x | c)/Σ_d π_d p(x | d)) width, given log p(x | c), a list for each class."""
    total = math.fsum(weight)
    share = [each / total for each in weight]
    terms = []
    for at, wide in enumerate(width):
        masses = [math.exp(of_class[at]) for of_class in logs]
        together = math.fsum(p * mass for p, mass in zip(share, masses, strict=True))
        terms += [
            p * mass * wide * math.log2(mass / together) for p, mass in zip(share, masses, strict=True) if p * mass > 0
        ]
    return math.fsum(terms)
