"""How good a model is on rows that it has not seen: one record that every face shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, final

import numpy as np

from suffice.conjugate.arguments import is_real, whole
from suffice.errors import ParameterError
from suffice.evidence.evaluation.bootstrap import MOST_DRAWS, Intervals, bootstrap
from suffice.evidence.evaluation.comparison import ReadingMeasured, compare
from suffice.evidence.evaluation.held_out import HeldOut
from suffice.evidence.evaluation.metrics import NAMES, OF_CLASS, Metrics
from suffice.evidence.evaluation.predictions import Posterior, Predictions
from suffice.evidence.evaluation.ranking import DetectionCosts
from suffice.evidence.evaluation.reliability import ReliabilityBin
from suffice.likelihoods.reading import Reading
from suffice.models import ClassPrior
from suffice.statistics import Axis
from suffice.statistics.counted import counted
from suffice.statistics.frozen_arrays import FloatArray, IntArray
from suffice.statistics.labels import Label

__all__ = ["Asked", "ClassMetrics", "Evaluation", "HeldRows", "Metric", "evaluated"]

_MOST_CLASSES = 12


class Metric(NamedTuple):
    """A number, and the interval that a bootstrap of the rows gives it; NaN where none was asked for."""

    name: str
    value: float
    lower: float
    upper: float


class ClassMetrics(NamedTuple):
    """How well one class is found: `support` is the weight of its rows, `predicted` that of the rows called so."""

    label: Label
    support: float
    predicted: float
    precision: Metric
    recall: Metric
    f1: Metric


@final
@dataclass(frozen=True, slots=True)
class Asked:
    """What to measure, and how exactly.

    Parameters
    ----------
    bootstrap : int from 0 to 100,000
        How many draws the intervals come from; 0 for none.
    seed : int ≥ 0
    level : float between 0 and 1
        Of the intervals.
    bins : int ≥ 1
        Of the calibration error.
    positive : label, optional
        Which of two classes is the one to detect; by default the second.
    costs : DetectionCosts
    """

    bootstrap: int = 1000
    seed: int = 0
    level: float = 0.95
    bins: int = 15
    positive: Any = None
    costs: DetectionCosts = field(default_factory=DetectionCosts)

    def __post_init__(self) -> None:
        if whole("bootstrap", self.bootstrap, 0) > MOST_DRAWS:
            raise ParameterError(
                f"bootstrap must be at most {MOST_DRAWS:,}: got {self.bootstrap:,}. More draws do not make the "
                "intervals better; 1,000 are usual."
            )
        whole("seed", self.seed, 0)
        whole("bins", self.bins, 1)
        if not is_real(self.level) or not 0 < self.level < 1:
            raise ParameterError(f"level must lie between 0 and 1: got {self.level!r}. Give for example 0.95.")


class HeldRows(NamedTuple):
    """The rows to measure on: their classes, weights, groups that are drawn whole, folds, and how they are held out."""

    how: str
    codes: IntArray
    classes: Axis
    weights: FloatArray | None
    units: IntArray | None = None
    folds: IntArray | None = None
    rows: IntArray | None = None


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation:
    """How good a model is on rows that were held out from it. `sf.evaluate` and `model.evaluate` make one.

    Attributes
    ----------
    how : str
        How rows were held out: "10 folds, stratified", "rows of their own", …
    classes : tuple of labels
        Those of the model and of the rows, sorted: the order of every array with an entry per class.
    metrics : tuple of Metric
        name, value, lower, upper. What the rows cannot tell is not among them: `why_not` says why.
    by_class : tuple of ClassMetrics
        Support, precision, recall and F1 of each class.
    confusion : array of classes × classes
        The weight of the rows of each class (first) that were predicted as each class (second).
    reliability : tuple of ReliabilityBin
        What the probability of the predicted class promised, and what it kept.
    readings : tuple of ReadingMeasured
        Other readings on the same rows, that of the least log loss first.
    codes, weights : arrays of rows
        The class of each row that was measured, as a place in `classes`, and its weight.
    log_posterior : array of rows × classes
        log p(c | x), by what has not seen the row.
    rows : array of rows, optional
        Which rows of the data those are, where they are not all of them in their order.
    folds : array of rows, optional
        The fold or block of each.
    impossible : int
        How many rows no class could have produced; they got the class prior.

    Examples
    --------
    >>> import numpy as np
    >>> from suffice.api import evaluate
    >>> from suffice.likelihoods import Gaussian
    >>> rows = np.array([[1.0], [2.0], [1.5], [8.0], [9.0], [8.5]])
    >>> found = evaluate(rows, ["low", "low", "low", "high", "high", "high"], columns=Gaussian(), folds=3, bootstrap=0)
    >>> found["accuracy"].value
    1.0
    >>> found.confusion
    array([[3., 0.],
           [0., 3.]])
    """

    how: str
    classes: tuple[Label, ...]
    metrics: tuple[Metric, ...]
    by_class: tuple[ClassMetrics, ...]
    confusion: FloatArray
    reliability: tuple[ReliabilityBin, ...]
    readings: tuple[ReadingMeasured, ...]
    codes: IntArray
    weights: FloatArray
    log_posterior: FloatArray
    rows: IntArray | None
    folds: IntArray | None
    impossible: int
    level: float

    def __getitem__(self, name: str) -> Metric:
        """Return the metric of that name."""
        for metric in self.metrics:
            if metric.name == name:
                return metric
        if name in NAMES:
            raise ParameterError(f"the rows cannot tell {name}. {self.why_not(name)}")
        raise ParameterError(f"there is no metric {name!r}. There are {', '.join(NAMES)}.")

    def why_not(self, name: str) -> str:
        """Return why a metric is not there."""
        if "cost" in name and len(self.classes) != 2:
            return f"It is one of two classes, and there are {len(self.classes)}."
        return "It needs rows of two classes."

    def records(self) -> list[dict[str, Any]]:
        """Return every number as a row of a tidy table: metric, class (None: of all), value, lower, upper."""
        return [
            {"metric": name, "label": label, "value": value, "lower": lower, "upper": upper}
            for label, (name, value, lower, upper) in self._every()
        ]

    def _every(self) -> Iterator[tuple[Label | None, Metric]]:
        for metric in self.metrics:
            yield None, metric
        for each in self.by_class:
            for metric in (each.precision, each.recall, each.f1):
                yield each.label, metric

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"Evaluation of {len(self.codes):,} rows, {len(self.classes)} classes: {self.how}"
        for name, value, lower, upper in self.metrics:
            yield f"  {name}: {value:.4g}" + ("" if lower != lower else f"  ({lower:.4g} to {upper:.4g})")
        if self.impossible:
            are = "is" if self.impossible == 1 else "are"
            yield f"  {counted(self.impossible, 'row')} {are} impossible under every class and got the class prior"
        for each in self.by_class[:_MOST_CLASSES]:
            numbers = ", ".join(f"{name} {value:.3g}" for name, value, _, _ in each[3:])
            yield f"  {each.label!r}, weight {each.support:g}: {numbers}"
        if len(self.by_class) > _MOST_CLASSES:
            yield f"  … {len(self.by_class):,} classes in all"
        if self.readings:
            best = self.readings[0]
            smoothed = "" if best.alpha is None else f", alpha {best.alpha:g}"
            yield (
                f"  of {len(self.readings)} readings the least log loss, {best.log_loss:.4g}, has "
                f"{best.estimate}{smoothed}, class prior {best.class_prior}"
            )


def evaluated(
    known: Axis,
    posterior: Posterior,
    rows: HeldRows,
    asked: Asked,
    held_out: HeldOut | None = None,
    readings: Sequence[Reading] = (),
    class_priors: Sequence[ClassPrior] = (),
) -> Evaluation:
    """Return how good it is what a model of these classes says of rows, and other readings beside it."""

    def predictions_of(posterior: Posterior) -> Predictions:
        return Predictions.of(known, posterior, rows.classes, rows.codes, rows.weights, asked.positive, rows.units)

    compared: tuple[ReadingMeasured, ...] = ()
    if held_out is not None and readings:
        compared = compare(held_out, readings, class_priors, predictions_of, asked.costs, asked.bins)
    return _measured(predictions_of(posterior), rows, posterior.impossible, asked, compared)


def _measured(
    predictions: Predictions,
    rows: HeldRows,
    impossible: int,
    asked: Asked,
    compared: tuple[ReadingMeasured, ...],
) -> Evaluation:
    """Return the record of predictions."""
    metrics = Metrics(predictions, asked.costs, asked.bins)
    weights = predictions.weights
    values, of_class = metrics(weights)
    if asked.bootstrap:
        bounds = bootstrap(predictions, metrics, asked.bootstrap, asked.level, asked.seed)
    else:
        bounds = Intervals(np.full((2, len(values)), np.nan), np.full((2, *of_class.shape), np.nan))
    table = metrics.confusion(weights)
    with np.errstate(over="ignore"):
        support, called = table.sum(axis=1).tolist(), table.sum(axis=0).tolist()
    return Evaluation(
        how=rows.how,
        classes=predictions.labels,
        metrics=tuple(
            Metric(name, value, *bounds.values[:, at].tolist())
            for at, (name, value) in enumerate(zip(NAMES, values.tolist(), strict=True))
            if value == value
        ),
        by_class=tuple(
            ClassMetrics(
                label,
                support[c],
                called[c],
                *(
                    Metric(name, float(of_class[at, c]), *bounds.of_class[:, at, c].tolist())
                    for at, name in enumerate(OF_CLASS)
                ),
            )
            for c, label in enumerate(predictions.labels)
        ),
        confusion=table,
        reliability=metrics.reliability(weights),
        readings=compared,
        codes=predictions.codes,
        weights=weights,
        log_posterior=predictions.log_posterior,
        rows=rows.rows,
        folds=rows.folds,
        impossible=impossible,
        level=asked.level,
    )
