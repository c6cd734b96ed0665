"""Metrics of weighted predictions.

Symbols: weights w, W = Σ w; class y and predicted class ŷ of a row; for class c, S_c is the weight of its rows, R_c
that of the rows predicted as c, H_c that of the rows in both.

    accuracy                Σ_c H_c / W                   precision_c   H_c / R_c, 0 if no row is predicted as c
    balanced_accuracy       mean of recall_c, S_c > 0     recall_c      H_c / S_c, 0 if c has no row
    log_loss                Σ w min(−ln p(y|x), −ln ε)/W  f1_c          2 H_c / (S_c + R_c), 0 if both are 0
    brier                   Σ w Σ_c (p(c|x) − [y = c])²/W, halved for two classes: (p − [y = 1])²
    expected_calibration_error                            see Reliability below
    roc_auc, average_precision                            by log-odds; for two classes that of `positive`, for more the
                                                          mean over the classes of each against the rest
    minimum_detection_cost, actual_detection_cost         for two classes, by the log-likelihood ratio; the actual cost
                                                          uses the threshold implied by prior and costs

ε = 2.2e-16 is the machine epsilon: a true class with probability 0 costs 36 nats instead of infinity.
Definitions are those of scikit-learn 1.9 where it has the metric. An undefined metric (no row of the class, or none of
another) is NaN here, and omitted from every record.

Confusion matrix.

S_c   weight of the rows of class c             H_c   weight of the rows in both
R_c   weight of the rows predicted as c         the table has a cell for each class and predicted class

Ranking metrics of one class against all others.

Symbols: rows sorted by decreasing score, with equal scores in one group; weights w; for the rows up to the end of a
group, a = their weight, p = that of the class, n = a − p; in total, P is the weight of the class and N of the others.

    ROC AUC             Σ over groups of (weight of the class in it) · (N − (n before it + n after it)/2) / (P N)
    average precision   Σ over groups of (weight of the class in it)/P · p/a
    detection cost      [C_miss π (1 − p/P) + C_fa (1 − π) n/N] / min(C_miss π, C_fa (1 − π))     (NIST's, normalised)
    minimum cost        over all thresholds: after each group, and before the first

Groups without rows of the class affect these metrics only through a, so sums run over the other groups. Rows are sorted
once; other weights need one further pass.

Reliability: bins of the probability of the predicted class, and the observed accuracy in each.

bin b of B         rows with (b − 1)/B ≤ max_c p(c | x) < b/B, the last with 1
calibration error  Σ_b W_b/W · |accuracy in b − mean probability in b|        (Guo et al. 2017, weighted)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np

from suffice.arguments import is_real
from suffice.errors import ParameterError
from suffice.evidence.evaluation.held_out import Predictions, odds_to_rank
from suffice.statistics.arrays import BoolArray, FloatArray, IntArray, rescale

__all__ = [
    "LOWER_IS_BETTER",
    "NAMES",
    "OF_CLASS",
    "Confusion",
    "DetectionCosts",
    "Measured",
    "Metrics",
    "Ranked",
    "Ranking",
    "Reliability",
    "ReliabilityBin",
    "Sums",
    "summed",
]


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
        """Return the sums of the table along each side and of its diagonal, without the table if it is large."""
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
    """Return the sum of the weights at each position."""
    found: Any = np.bincount(places, weights, size)  # always floats, unlike its stub
    return found


@final
@dataclass(frozen=True, slots=True)
class DetectionCosts:
    """Parameters of the detection cost function.

    Parameters
    ----------
    prior : float between 0 and 1
        π, prior probability of the target class in deployment.
    miss, false_alarm : float > 0
        Costs of a miss and of a false alarm.

    Examples
    --------
    >>> DetectionCosts(prior=0.01, miss=10.0).threshold.__round__(3)
    2.293
    """

    prior: float = 0.5
    miss: float = 1.0
    false_alarm: float = 1.0

    def __post_init__(self) -> None:
        if not is_real(self.prior) or not 0 < self.prior < 1:
            raise ParameterError(f"detection prior must lie between 0 and 1: got {self.prior!r}.")
        for name, cost in (("miss", self.miss), ("false_alarm", self.false_alarm)):
            if not is_real(cost) or not 0 < cost < float("inf"):
                raise ParameterError(f"the cost of a {name.replace('_', ' ')} must be > 0: got {cost!r}.")

    @property
    def threshold(self) -> float:
        """Log-likelihood ratio above which to decide for the class: ln [C_fa (1 − π) / (C_miss π)]."""
        missed, alarmed = self._shares()
        return float(np.log(alarmed) - np.log(missed))

    def of(self, missed: FloatArray | float, alarmed: FloatArray | float) -> FloatArray:
        """Return the normalised cost, given the fractions of the class missed and of the others raised as alarms."""
        one, other = self._shares()
        return np.asarray((one * missed + other * alarmed) / min(one, other))

    def _shares(self) -> tuple[float, float]:
        return self.miss * self.prior, self.false_alarm * (1 - self.prior)


class Ranked(NamedTuple):
    """Metrics of a ranking."""

    roc_auc: float
    average_precision: float
    minimum_cost: float


@final
class Ranking:
    """Rows sorted by a score, for any row weights.

    Parameters
    ----------
    scores : array of rows
        −inf and inf are allowed, NaN is not.
    of_class : array of bool
        Which rows belong to the class.
    """

    __slots__ = ("_at", "_cuts", "_ends", "_firsts", "_order", "_starts")

    def __init__(self, scores: FloatArray, of_class: BoolArray) -> None:
        order = np.argsort(-scores, kind="stable")
        ranked = scores[order]
        new = np.ones(len(order) + 1, dtype=np.bool_)
        np.not_equal(ranked[1:], ranked[:-1], out=new[1:-1])
        bounds, group = np.flatnonzero(new), np.cumsum(new) - 1
        at = np.flatnonzero(of_class[order])
        own = group[at]
        first = np.ones(len(at), dtype=np.bool_)
        np.not_equal(own[1:], own[:-1], out=first[1:])
        firsts = np.flatnonzero(first)
        starts, ends = bounds[own[firsts]], bounds[own[firsts] + 1]
        # Running sums are needed only at these rows: the rows between two of them are summed at once.
        wanted = np.zeros(len(order) + 1, dtype=np.bool_)
        wanted[0] = wanted[starts] = wanted[ends] = True
        place = np.cumsum(wanted) - 1
        self._order = order
        self._at = at
        self._cuts: IntArray = np.flatnonzero(wanted[:-1])
        self._starts: IntArray = place[starts]
        self._ends: IntArray = place[ends]
        self._firsts = None if len(firsts) == len(at) else firsts

    def alike(self, other: Ranking) -> bool:
        """Return whether both rankings have the same groups."""
        mine, theirs = self._of_rows(), other._of_rows()
        return all(np.array_equal(one, two) for one, two in zip(mine, theirs, strict=True))

    def _of_rows(self) -> tuple[IntArray, ...]:
        return self._order, self._at, self._cuts, self._starts, self._ends

    def __call__(self, weights: FloatArray, of_class: float, others: float, costs: DetectionCosts) -> Ranked:
        """Return the metrics of the ranking, given the total weights of the class and of all others, both > 0."""
        w = np.take(weights, self._order)
        running = np.zeros(len(self._cuts) + 1)
        np.cumsum(np.add.reduceat(w, self._cuts), out=running[1:])
        here = w[self._at]
        if self._firsts is not None:
            here = np.add.reduceat(here, self._firsts)
        p = np.cumsum(here)
        a, before = running[self._ends], running[self._starts]
        n, n_before = np.maximum(a - p, 0.0), np.maximum(before - (p - here), 0.0)
        pairs = of_class * others
        better = others - (n + n_before) / 2
        auc = (here * better).sum() / pairs if pairs > 0 else (here / of_class * (better / others)).sum()
        with np.errstate(invalid="ignore", divide="ignore"):
            precision = np.where(a > 0, p / a, 0.0)
        average = (here * precision).sum() / of_class
        cost = costs.of(1 - p / of_class, n / others).min(initial=float(costs.of(1.0, 0.0)))
        return Ranked(min(max(float(auc), 0.0), 1.0), min(float(average), 1.0), max(float(cost), 0.0))


class ReliabilityBin(NamedTuple):
    """Rows whose predicted class has a probability in [lower, upper]: mean probability and observed accuracy."""

    lower: float
    upper: float
    weight: float
    confidence: float
    accuracy: float


@final
class Reliability:
    """The bins of some predictions, for any weights of their rows."""

    __slots__ = ("_bin", "_bins", "_confidence", "_gap", "_right")

    def __init__(self, predictions: Predictions, bins: int) -> None:
        self._bins = bins
        self._confidence = np.exp(predictions.log_posterior.max(axis=1))
        self._bin = np.minimum((self._confidence * bins).astype(np.int64), bins - 1)
        self._right = (predictions.predicted == predictions.codes).astype(np.float64)
        self._gap = self._right - self._confidence

    def error(self, weights: FloatArray) -> float:
        """Return the expected calibration error."""
        # Σ_b |Σ w (correct − probability)|: the weight of the bin cancels.
        gaps = summed(self._bin, weights * self._gap, self._bins)
        return float(np.abs(gaps).sum() / weights.sum())

    def table(self, weights: FloatArray) -> tuple[ReliabilityBin, ...]:
        """Return the non-empty bins."""
        whole, weights = summed(self._bin, weights, self._bins), rescale(weights)
        held, said, right = (
            summed(self._bin, each, self._bins) for each in (weights, weights * self._confidence, weights * self._right)
        )
        return tuple(
            ReliabilityBin(
                b / self._bins,
                (b + 1) / self._bins,
                float(whole[b]),
                float(said[b] / held[b]),
                float(right[b] / held[b]),
            )
            for b in np.flatnonzero(held).tolist()
        )


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
LOWER_IS_BETTER = ("log_loss", "brier", "expected_calibration_error", "minimum_detection_cost", "actual_detection_cost")
OF_CLASS = ("precision", "recall", "f1")

_NEVER = float(-np.log(np.finfo(np.float64).eps))
_NAN = float("nan")


class Measured(NamedTuple):
    """The numbers in the order of NAMES, NaN if undefined for these rows, and those of OF_CLASS × classes."""

    values: FloatArray
    of_class: FloatArray


@final
class Metrics:
    """Metrics of predictions, prepared independently of the weights.

    Parameters
    ----------
    predictions : Predictions
    costs : DetectionCosts
    bins : int
        Number of bins of the calibration error.
    rankings : bool
        Whether to compute ranking metrics, which take most of the time.
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
            # Under one prior for all rows, odds and ratios have the same ranking, and share one running sum.
            self._ratio = same if ranking.alike(same) else ranking, ratio

    def __call__(self, weights: FloatArray) -> Measured:
        """Return the metrics under these row weights, at least one of them > 0."""
        weights = rescale(weights)
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
        """Return the non-empty bins of the calibration error."""
        return self._bins.table(weights)

    def confusion(self, weights: FloatArray) -> FloatArray:
        """Return the confusion matrix: the weight of the rows by true class (first) and predicted class (second)."""
        return self._table.whole(weights)


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else _NAN
