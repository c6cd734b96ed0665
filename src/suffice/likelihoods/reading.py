"""How statistics are read: which estimate, and the pseudo-count λ of the smoothed one.

mle          what was seen, and nothing else           mean         the posterior mean
smoothed     with λ pseudo-counts added to it          predictive   the parameters integrated out
map          the posterior mode
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, final, get_args

import numpy as np

from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["ESTIMATES", "Estimate", "Reading"]

Estimate: TypeAlias = Literal["mle", "smoothed", "map", "mean", "predictive"]

ESTIMATES: tuple[Estimate, ...] = get_args(Estimate)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """An estimate and its pseudo-count.

    Parameters
    ----------
    estimate : "mle", "smoothed", "map", "mean" or "predictive"
    alpha : array, optional
        λ ≥ 0 of the smoothed reading, of a shape that broadcasts against (classes, columns); by default the
        likelihood's.

    Examples
    --------
    >>> Reading("map") == Reading("map"), Reading("map") == Reading("mle")
    (True, False)
    """

    estimate: Estimate
    alpha: FloatArray | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reading):
            return NotImplemented
        if self.alpha is None or other.alpha is None:
            return self.estimate == other.estimate and self.alpha is other.alpha
        return self.estimate == other.estimate and np.array_equal(self.alpha, other.alpha)

    __hash__ = None  # pyright: ignore[reportAssignmentType]
