"""Probabilities to act on: what the scores of a naive Bayes model are worth, learnt from rows that it had not seen.

Columns that repeat each other count twice, so log p(x|c) is right in its order and too large in its size. Symbols: ll_c
= log p(x|c) of a row, π the class prior, which stays free; n the number of tokens of its texts.

    temperature   log π_c + T ll_c                                          T > 0
    offsets       log π_c + T ll_c + b_c                                    b of the first class is 0
    length        log π_c + T (1 + n)^−g ll_c + b_c                         a long document repeats itself more
    beta          log π_c + llr'_c,  llr' = a ln s − b ln(1 − s) + b_1      two classes; s = 1/(1 + e^−llr), a, b ≥ 0
    isotonic      log π_c + llr'_c,  llr' a rising function of llr          two classes; straight between its knots

with llr = ll_1 − ll_0 and llr'_0 = 0. A class that is impossible stays so. A row under which every class is as likely,
as it is when everything in it is missing, says nothing: it keeps the class prior, whatever the offsets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, final, get_args

import numpy as np

from suffice.statistics.counted import counted
from suffice.statistics.frozen_arrays import BoolArray, FloatArray

__all__ = ["CALIBRATORS", "MOST_RATIO", "Calibration", "Calibrator", "says_nothing"]

MOST_RATIO = 1e60  # more says no more, and products of such are floats

Calibrator: TypeAlias = Literal["temperature", "offsets", "length", "beta", "isotonic"]
CALIBRATORS: tuple[Calibrator, ...] = get_args(Calibrator)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """How scores become probabilities.

    Parameters
    ----------
    kind : one of CALIBRATORS
    temperature : float > 0
        T; of "beta" a.
    fall : float ≥ 0
        g of "length"; of "beta" b.
    offsets : array of C
        b_c.
    knots : array of shape (2, K)
        llr and llr' of "isotonic", both rising; else of shape (2, 0).
    learnt_from : str
        Which scores: "leave one out", "10 folds", "other rows".
    rows : int
        How many.
    loss, loss_before : float
        The mean log loss of those rows with it and without.
    fingerprint : str
        Of the statistics and the reading whose scores they are: no others are to be calibrated so.
    """

    kind: Calibrator
    temperature: float
    fall: float
    offsets: FloatArray
    knots: FloatArray
    learnt_from: str = "other rows"
    rows: int = 0
    loss: float = 0.0
    loss_before: float = 0.0
    fingerprint: str = ""

    def joint(self, likelihood: FloatArray, log_prior: FloatArray, lengths: FloatArray | None = None) -> FloatArray:
        """Return what takes the place of log p(c, x), given log p(x|c), rows × classes, and the numbers of tokens.

        A row that says nothing, because everything in it is missing, has the class prior and nothing else.
        """
        two = self.kind in ("beta", "isotonic")
        with np.errstate(over="ignore"):  # −inf is a score
            found = self._of_two(likelihood) if two else self.scale(lengths) * likelihood + self.offsets
        found[says_nothing(likelihood)] = 0.0
        return log_prior + found

    def scale(self, lengths: FloatArray | None = None) -> FloatArray | float:
        """Return what log p(x|c) is multiplied by, where that is what is done: for all rows, or for each (rows × 1)."""
        if self.kind == "length" and lengths is not None:
            return (self.temperature * (1.0 + lengths) ** -self.fall)[:, None]
        return self.temperature

    def _of_two(self, likelihood: FloatArray) -> FloatArray:
        possible: BoolArray = np.isfinite(likelihood)
        both = possible[:, 0] & possible[:, 1]
        ratio: FloatArray = np.zeros(len(likelihood))
        with np.errstate(over="ignore"):
            np.subtract(likelihood[:, 1], likelihood[:, 0], out=ratio, where=both)
        ratio = np.clip(ratio, -MOST_RATIO, MOST_RATIO)
        scores = np.where(possible, 0.0, -np.inf)
        if self.kind == "beta":
            up: FloatArray = np.logaddexp(0.0, ratio)
            scores[both, 1] = (self.fall * up - self.temperature * (up - ratio) + self.offsets[1])[both]
        else:
            scores[both, 1] = np.interp(ratio[both], self.knots[0], self.knots[1])
        return scores

    def __str__(self) -> str:
        how = {
            "temperature": f"temperature {self.temperature:.3g}",
            "offsets": f"temperature {self.temperature:.3g} and offsets",
            "length": f"temperature {self.temperature:.3g} (1 + tokens)^−{self.fall:.3g} and offsets",
            "beta": f"beta, a = {self.temperature:.3g}, b = {self.fall:.3g}",
            "isotonic": f"isotonic, {self.knots.shape[1]} knots",
        }[self.kind]
        return f"{how}, learnt from {counted(self.rows, 'row')} ({self.learnt_from})"


def says_nothing(likelihood: FloatArray) -> BoolArray:
    """Return which rows are as likely under every class.

    Examples
    --------
    >>> says_nothing(np.array([[0.0, 0.0], [-1.0, -2.0]]))
    array([ True, False])
    """
    first: FloatArray = likelihood[:, :1]
    return np.asarray(((likelihood == first) & np.isfinite(first)).all(axis=1), dtype=np.bool_)
