"""Who is taken for whom, for any weights of the rows.

S_c   weight of the rows of class c             H_c   weight of those of both
R_c   weight of the rows predicted as c         the table has a cell for each class and predicted class
"""

from __future__ import annotations

from typing import Any, NamedTuple, final

import numpy as np

from suffice.evidence.evaluation.predictions import Predictions
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = ["Confusion", "Sums", "summed"]

_FEW_CELLS = 2**12


class Sums(NamedTuple):
    """S, R and H of every class."""

    support: FloatArray
    called: FloatArray
    hits: FloatArray


@final
class Confusion:
    """The cells of some predictions."""

    __slots__ = ("_cells", "_classes", "_codes", "_predicted", "_right")

    def __init__(self, predictions: Predictions) -> None:
        self._classes = len(predictions.classes)
        self._codes, self._predicted = predictions.codes, predictions.predicted
        self._right = np.flatnonzero(self._codes == self._predicted)
        self._cells = self._codes * self._classes + self._predicted

    def whole(self, weights: FloatArray) -> FloatArray:
        """Return the table, classes × predicted classes."""
        classes = self._classes
        return summed(self._cells, weights, classes * classes).reshape(classes, classes)

    def sums(self, weights: FloatArray) -> Sums:
        """Return the sums of the table along each side and of its diagonal, without the table where it is large."""
        classes = self._classes
        if classes * classes <= _FEW_CELLS:
            table = self.whole(weights)
            return Sums(table.sum(axis=1), table.sum(axis=0), np.diagonal(table))
        return Sums(
            summed(self._codes, weights, classes),
            summed(self._predicted, weights, classes),
            summed(self._codes[self._right], weights[self._right], classes),
        )


def summed(places: IntArray, weights: FloatArray, size: int) -> FloatArray:
    """Return the sum of the weights at each place."""
    found: Any = np.bincount(places, weights, size)  # floats, whatever its stub says
    return found
