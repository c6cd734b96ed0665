"""How good predictions are, in numbers, for any weights of their rows.

Symbols: weights w, W = Σ w; class y and predicted class ŷ of a row; of class c the weights S_c of its rows, R_c of the
rows predicted so, H_c of those of both.

    accuracy                Σ_c H_c / W                   precision_c   H_c / R_c, 0 where nothing is predicted so
    balanced_accuracy       mean of recall_c, S_c > 0     recall_c      H_c / S_c, 0 where there is no such row
    log_loss                Σ w min(−ln p(y|x), −ln ε)/W  f1_c          2 H_c / (S_c + R_c), 0 where both are 0
    brier                   Σ w Σ_c (p(c|x) − [y = c])²/W, halved for two classes: (p − [y = 1])²
    expected_calibration_error                            reliability.py
    roc_auc, average_precision                            ranking.py; by log-odds, of two classes that of `positive`,
                                                          of more the mean over the classes of each against the rest
    minimum_detection_cost, actual_detection_cost         ranking.py; of two classes, by the log-likelihood ratio, the
                                                          actual one with the threshold that prior and costs demand

ε = 2.2e-16 is the least distance between 1 and a float: a class that was held impossible and came true costs 36 nats,
where the log loss would be infinite. All of these are those of scikit-learn 1.9, where it has them.
A number that the rows cannot tell (no row of the class, or none of another) is NaN here, and left out of every record.
"""

from __future__ import annotations

from typing import NamedTuple, final

import numpy as np

from suffice.evidence.evaluation.confusion import Confusion, summed
from suffice.evidence.evaluation.predictions import Predictions, odds_to_rank
from suffice.evidence.evaluation.ranking import DetectionCosts, Ranked, Ranking
from suffice.evidence.evaluation.reliability import Reliability, ReliabilityBin
from suffice.statistics.frozen_arrays import FloatArray
from suffice.statistics.totals import rescaled

__all__ = ["NAMES", "OF_CLASS", "Measured", "Metrics"]

NAMES = (
    "accuracy",
    "balanced_accuracy",
    "log_loss",
    "brier",
    "expected_calibration_error",
    "roc_auc",
    "average_precision",
    "minimum_detection_cost",
    "actual_detection_cost",
)
OF_CLASS = ("precision", "recall", "f1")

_NEVER = float(-np.log(np.finfo(np.float64).eps))
_NAN = float("nan")


class Measured(NamedTuple):
    """The numbers in the order of NAMES, NaN where the rows cannot tell, and those of OF_CLASS × classes."""

    values: FloatArray
    of_class: FloatArray


@final
class Metrics:
    """Everything that can be computed of predictions before their weights are known.

    Parameters
    ----------
    predictions : Predictions
    costs : DetectionCosts
    bins : int
        Of the calibration error.
    rankings : bool
        Whether to rank the rows: most of the work is that.
    """

    __slots__ = ("_bins", "_brier", "_classes", "_costs", "_loss", "_of", "_ranked", "_ratio", "_table")

    def __init__(self, predictions: Predictions, costs: DetectionCosts, bins: int, *, rankings: bool = True) -> None:
        self._of = predictions
        self._classes = len(predictions.classes)
        self._costs = costs
        rows = np.arange(len(predictions.codes))
        self._loss = np.minimum(-predictions.log_posterior[rows, predictions.codes], _NEVER)
        apart = np.exp(predictions.log_posterior)
        apart[rows, predictions.codes] -= 1
        self._brier = np.einsum("ij,ij->i", apart, apart) / (2 if self._classes == 2 else 1)
        self._bins = Reliability(predictions, bins)
        self._table = Confusion(predictions)
        self._ranked: list[tuple[int, Ranking]] = []
        self._ratio: tuple[Ranking, FloatArray] | None = None
        if rankings and self._classes > 1:
            self._rank(predictions)

    def _rank(self, predictions: Predictions) -> None:
        codes, positive = predictions.codes, predictions.positive
        odds = odds_to_rank(predictions.log_posterior)
        for c in (positive,) if self._classes == 2 else range(self._classes):
            self._ranked.append((c, Ranking(odds[:, c], codes == c)))
        if predictions.llr is not None:
            ratio = predictions.llr if positive == 1 else -predictions.llr
            ranking, same = Ranking(ratio, codes == positive), self._ranked[0][1]
            # Under one prior for all rows the odds rank as the ratios do, and one running sum serves both.
            self._ratio = same if ranking.alike(same) else ranking, ratio

    def __call__(self, weights: FloatArray) -> Measured:
        """Return the numbers under these weights of the rows, one of them > 0."""
        weights = rescaled(weights)
        support, called, hits = self._table.sums(weights)
        total = float(support.sum())
        there = support > 0
        recall = _ratio(hits, support)
        values = [
            float(hits.sum()) / total,
            float(recall[there].mean()),
            float(np.einsum("i,i->", weights, self._loss)) / total,
            float(np.einsum("i,i->", weights, self._brier)) / total,
            self._bins.error(weights),
            *self._ranks(weights, support),
        ]
        of_class = np.array([_ratio(hits, called), recall, _ratio(2 * hits, support + called)])
        return Measured(np.array(values), of_class)

    def _ranks(self, weights: FloatArray, support: FloatArray) -> tuple[float, float, float, float]:
        found: dict[Ranking, Ranked] = {}
        for c, ranking in self._ranked:
            others = float(np.delete(support, c).sum())
            if support[c] > 0 and others > 0:
                found[ranking] = ranking(weights, float(support[c]), others, self._costs)
        area, precision = (_mean([each[at] for each in found.values()]) for at in (0, 1))
        least = actual = _NAN
        if self._ratio is not None and (support > 0).all():
            ranking, ratio = self._ratio
            positive = self._of.positive
            of_class, others = float(support[positive]), float(support[1 - positive])
            known = found.get(ranking) or ranking(weights, of_class, others, self._costs)
            least = known.minimum_cost
            decided = weights * (ratio > self._costs.threshold)
            caught, alarmed = summed(self._of.codes, decided, 2)[[positive, 1 - positive]].tolist()
            actual = max(float(self._costs.of(1 - caught / of_class, alarmed / others)), 0.0)
        return area, precision, least, actual

    def reliability(self, weights: FloatArray) -> tuple[ReliabilityBin, ...]:
        """Return the bins of the calibration error that hold anything."""
        return self._bins.table(weights)

    def confusion(self, weights: FloatArray) -> FloatArray:
        """Return the weight of the rows of each class (first) that were predicted as each class (second)."""
        return self._table.whole(weights)


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else _NAN
