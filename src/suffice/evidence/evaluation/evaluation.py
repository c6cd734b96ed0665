"""Evaluation: metrics of predictions on held-out rows with bootstrap confidence intervals, as one record.

Bootstrap (Efron 1979): a draw takes as many rows as there are, with replacement; a row that is drawn k times has k
times its weight (k is multinomial), so rankings are sorted once. Grouped rows are drawn by whole groups, because
rows of one group are not independent. The interval lies between the quantiles (1 ∓ confidence)/2 of the draws; a draw
in which a metric is undefined (a class was not drawn) is left out for that metric. The model is not refitted, so the
interval covers the sampling error of the test rows and not that of training.

The expected calibration error is biased upwards in bootstrap draws and the minimum detection cost downwards, because
drawn rows repeat. Their intervals are shifted by the difference between the median draw and the estimate, and clipped
to [0, 1].

Draws come in chunks, each with a generator spawned from the seed: the result does not depend on the number of threads.

Comparison of estimators: estimates × λ × class priors on the same held-out rows. Each estimate and λ scores the rows
once; class priors only shift the scores.

Calibrated probabilities: each fold is calibrated on the held-out scores of the other folds; for ordered rows, on those
of the earlier blocks, so that the first block stays uncalibrated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple, final

import numpy as np

from suffice.arguments import proportion, whole_number
from suffice.decisions.calibration import Calibration, choose_calibration, most_rows
from suffice.errors import ParameterError, counted
from suffice.evidence.cross_fitting import sample_rows_by_class
from suffice.evidence.evaluation.held_out import (
    HeldOut,
    HeldOutPosterior,
    Predictions,
)
from suffice.evidence.evaluation.metrics import (
    LOWER_IS_BETTER,
    NAMES,
    OF_CLASS,
    DetectionCosts,
    Measured,
    Metrics,
    ReliabilityBin,
)
from suffice.likelihoods.block_statistics import Reading
from suffice.machine import thread_count
from suffice.models import ClassPrior, NaiveBayesModel
from suffice.models.schema import describe_left_out
from suffice.records import RecordList, TableColumns, Tabular
from suffice.statistics import Axis
from suffice.statistics.arrays import FloatArray, IntArray, rescale
from suffice.statistics.labels import Label

__all__ = [
    "MOST_DRAWS",
    "ClassMetrics",
    "Evaluation",
    "EvaluationOptions",
    "InformationCriteria",
    "Intervals",
    "LabelledRows",
    "Metric",
    "ReadingMeasured",
    "bootstrap",
    "calibrated_posterior",
    "compare",
    "measure_rows",
]


MOST_DRAWS = 100_000  # each is kept until the quantiles are taken
_CHUNK = 16
_OFF = [NAMES.index(name) for name in ("expected_calibration_error", "minimum_detection_cost")]


class Intervals(NamedTuple):
    """Lower and upper bounds: 2 × the numbers of NAMES, and 2 × those of OF_CLASS × classes. NaN if unknown."""

    values: FloatArray
    of_class: FloatArray


def bootstrap(predictions: Predictions, metrics: Metrics, draws: int, confidence: float, seed: int) -> Intervals:
    """Return the interval of every number.

    Parameters
    ----------
    predictions : Predictions
    metrics : Metrics
        Metrics of the predictions.
    draws : int ≥ 1
    confidence : float between 0 and 1
    seed : int ≥ 0
    """
    sizes = [min(_CHUNK, draws - start) for start in range(0, draws, _CHUNK)]
    seeds = np.random.SeedSequence(seed).spawn(len(sizes))
    weights = rescale(predictions.weights)

    def chunk(at: int) -> list[Measured]:
        rng = np.random.default_rng(seeds[at])
        drawn = (_drawn(predictions, weights, rng) for _ in range(sizes[at]))
        return [metrics(some) for some in drawn if some.any()]

    threads = min(thread_count(), len(sizes))
    if threads > 1:
        with ThreadPoolExecutor(threads) as pool:
            found = list(pool.map(chunk, range(len(sizes))))
    else:
        found = [chunk(at) for at in range(len(sizes))]
    each = [draw for some in found for draw in some] or [metrics(weights)]  # for weights that are mostly 0
    tail = (1 - confidence) / 2
    values = np.array([values for values, _ in each])
    bounds = _quantiles(values, tail)
    there = [at for at in _OFF if not np.isnan(values[:, at]).all()]
    off = np.nanmedian(values[:, there], axis=0) - metrics(weights)[0][there]
    bounds[:, there] = np.clip(bounds[:, there] - off, 0.0, 1.0)
    return Intervals(bounds, _quantiles(np.array([of_class for _, of_class in each]), tail))


def _drawn(predictions: Predictions, weights: FloatArray, rng: np.random.Generator) -> FloatArray:
    units = predictions.units
    number = len(predictions.codes) if units is None else int(units.max()) + 1
    times = np.bincount(rng.integers(0, number, number), minlength=number)
    return weights * (times if units is None else times[units])


def _quantiles(draws: FloatArray, tail: float) -> FloatArray:
    # NaN sorts last, so the draws in which a metric is defined come first.
    ranked = np.sort(draws, axis=0)
    known = np.count_nonzero(~np.isnan(draws), axis=0)
    bounds = np.full((2, *draws.shape[1:]), np.nan)
    for at in np.ndindex(draws.shape[1:]):
        if known[at]:
            bounds[(slice(None), *at)] = np.quantile(ranked[(slice(known[at]), *at)], (tail, 1 - tail))
    return bounds


class ReadingMeasured(NamedTuple):
    """Metrics of one estimate; None if a metric is undefined for these rows.

    `alpha` is the λ of the smoothed estimate, if a scalar was given.
    """

    estimate: str
    alpha: float | None
    class_prior: str
    accuracy: float
    balanced_accuracy: float
    log_loss: float
    brier: float
    expected_calibration_error: float
    roc_auc: float | None
    average_precision: float | None
    minimum_detection_cost: float | None
    actual_detection_cost: float | None


def compare(
    held_out: HeldOut,
    readings: Sequence[Reading],
    class_priors: Sequence[ClassPrior],
    predictions_of: Callable[[HeldOutPosterior], Predictions],
    costs: DetectionCosts,
    bins: int,
) -> tuple[ReadingMeasured, ...]:
    """Return every estimate under every class prior, in order of log loss."""
    found: list[ReadingMeasured] = []
    for reading in readings:
        alpha = None if reading.alpha is None or reading.alpha.size != 1 else float(reading.alpha.item())
        posteriors = held_out.posteriors(reading, class_priors)
        for class_prior, posterior in zip(class_priors, posteriors, strict=True):
            predictions = predictions_of(posterior)
            values = Metrics(predictions, costs, bins)(predictions.weights).values.tolist()
            told = {name: None if value != value else value for name, value in zip(NAMES, values, strict=True)}
            found.append(ReadingMeasured(reading.estimate, alpha, str(class_prior), **told))  # pyright: ignore[reportArgumentType]
    return tuple(sorted(found, key=lambda each: each.log_loss))


_MOST_CLASSES = 12


class Metric(NamedTuple):
    """A metric and its bootstrap confidence interval; `lower` and `upper` are None without an interval."""

    name: str
    value: float
    lower: float | None
    upper: float | None

    @property
    def higher_is_better(self) -> bool:
        """Whether a greater value is better: not for losses, costs and calibration errors."""
        return self.name not in LOWER_IS_BETTER


class ClassMetrics(NamedTuple):
    """Metrics of one class: `support` is the weight of its rows, `predicted` that of the rows predicted as it."""

    label: Label
    support: float
    predicted: float
    precision: Metric
    recall: Metric
    f1: Metric


@final
@dataclass(frozen=True, slots=True)
class EvaluationOptions:
    """Options of an evaluation.

    Parameters
    ----------
    bootstrap : int from 0 to 100,000
        Number of bootstrap replicates for the confidence intervals; 0 disables them.
    seed : int ≥ 0
    confidence : float between 0 and 1
        Confidence level of the intervals.
    positive : label, optional
        The positive class of two; by default the rarer one.
    detection_prior, cost_miss, cost_false_alarm : float
        Prior and costs of the detection cost metrics.
    bins : int ≥ 1
        Number of bins of the calibration error.
    """

    bootstrap: int = 1000
    seed: int = 0
    confidence: float = 0.95
    positive: Any = None
    detection_prior: float = 0.5
    cost_miss: float = 1.0
    cost_false_alarm: float = 1.0
    bins: int = 15

    def __post_init__(self) -> None:
        if whole_number("bootstrap", self.bootstrap, 0) > MOST_DRAWS:
            raise ParameterError(
                f"bootstrap must be at most {MOST_DRAWS:,}: got {self.bootstrap:,}. More draws do not improve the "
                "intervals; 1,000 are typical."
            )
        whole_number("seed", self.seed, 0)
        whole_number("bins", self.bins, 1)
        proportion("confidence", self.confidence)
        _ = self.costs  # raises for invalid costs

    @property
    def costs(self) -> DetectionCosts:
        """The prior and the costs of the detection cost metrics."""
        return DetectionCosts(self.detection_prior, self.cost_miss, self.cost_false_alarm)


class InformationCriteria(NamedTuple):
    """Maximum log-likelihood ln L of all rows with k free parameters, AIC = 2k − 2 ln L and BIC = k ln n − 2 ln L.

    Among models of the same rows, the one with the lowest AIC (Akaike 1974) or BIC (Schwarz 1978) is preferred.
    """

    n_parameters: int
    log_likelihood: float
    aic: float
    bic: float

    @classmethod
    def of(cls, n_parameters: int, log_likelihood: float, weight: float) -> InformationCriteria:
        """Return the criteria; `weight` is that of all rows, n."""
        fit = -2 * log_likelihood
        return cls(n_parameters, log_likelihood, 2 * n_parameters + fit, n_parameters * math.log(weight) + fit)


class LabelledRows(NamedTuple):
    """The test rows: classes, weights, bootstrap groups, folds, and a description of how they are held out."""

    how: str
    codes: IntArray
    classes: Axis
    weights: FloatArray | None
    units: IntArray | None = None
    folds: IntArray | None = None
    rows: IntArray | None = None


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation(Tabular):
    """Metrics of a model on held-out rows. `sf.evaluate` and `model.evaluate` return one.

    Attributes
    ----------
    how : str
        How rows were held out: "10 stratified folds", "test set", …
    classes : tuple of labels
        Those of the model and of the rows, sorted: the order of every array with one entry per class.
    positive : label, optional
        The class of average precision and detection costs, if there are two classes.
    metrics : tuple of Metric
        name, value, lower, upper. Metrics that are undefined for these rows are omitted; `why_not` returns the reason.
    by_class : tuple of ClassMetrics
        Support, precision, recall and F1 of each class.
    confusion : array of classes × classes
        The weight of the rows of each class (first) that were predicted as each class (second).
    reliability : tuple of ReliabilityBin
        Predicted probability of the predicted class against observed accuracy.
    readings : tuple of ReadingMeasured
        Other estimators and priors on the same rows, sorted by log loss.
    codes, weights : arrays of rows
        The class of each test row, as a position in `classes`, and its weight.
    log_posterior : array of rows × classes
        log p(c | x) by a model not fitted on the row.
    rows : array of rows, optional
        The numbers of these rows in the data, unless they are all rows in order.
    folds : array of rows, optional
        Fold or block of each row.
    impossible : int
        The number of rows that are impossible under every class; they got the class prior.
    left_out : tuple of (name, reason)
        Columns excluded when column types were inferred, with the reason.
    criteria : InformationCriteria, optional
        Number of parameters, log-likelihood, AIC and BIC of the model of all rows, estimated by maximum likelihood;
        None for a test set, and for text models that are not likelihoods.
    compared : RecordList of ClassifierMeasured
        The classifiers of `compare`, this model as "suffice" and the majority-class baseline, by log loss.

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
    confidence: float
    left_out: tuple[tuple[str | int, str], ...] = ()
    positive: Label = None
    criteria: InformationCriteria | None = None
    compared: RecordList[Any] = RecordList()  # noqa: RUF009  immutable
    library: str | None = field(default=None, repr=False, compare=False)

    @property
    def baseline(self) -> dict[str, float]:
        """The metrics of predicting the class frequencies of these rows for every row: {name of the metric: value}.

        The accuracy is that of always predicting the most frequent class, the log loss the entropy of the classes, the
        average precision the frequency of the positive class.
        """
        weight = np.bincount(self.codes, self.weights, len(self.classes))
        if not weight.any():
            return {}
        every = weight / weight.sum()
        shares = every[every > 0]
        two = len(self.classes) == 2
        values = {
            "accuracy": float(shares.max()),
            "balanced_accuracy": 1 / len(shares),
            "log_loss": 0.0 - float(shares @ np.log(shares)),
            "brier": float(1 - shares @ shares) / (2 if two else 1),
            "roc_auc": 0.5,
            "average_precision": float(every[self.classes.index(self.positive)]) if two else 1 / len(shares),
            "minimum_detection_cost": 1.0,
        }
        return {metric.name: values[metric.name] for metric in self.metrics if metric.name in values}

    def __getitem__(self, name: str) -> Metric:
        """Return the metric of that name."""
        for metric in self.metrics:
            if metric.name == name:
                return metric
        if name in NAMES:
            raise ParameterError(f"{name} is undefined for these rows. {self.why_not(name)}")
        raise ParameterError(f"unknown metric {name!r}. The metrics are {', '.join(NAMES)}.")

    def why_not(self, name: str) -> str:
        """Return the reason why a metric is undefined."""
        if "cost" in name and len(self.classes) != 2:
            return f"It is defined for two classes only, and there are {len(self.classes)}."
        return "It requires rows of two classes."

    def records(self) -> list[dict[str, Any]]:
        """Return every metric as a row of a tidy table: metric, label (None for all classes), value and interval.

        `baseline` is the value of the baseline, if there is one, and `higher_is_better` the direction of the metric.
        """
        return [{"metric": name, "label": label, **metric} for label, name, metric in self._tidy()]

    def table(self) -> TableColumns:
        """Return the columns of `records`."""
        records = self.records()
        return {name: [record[name] for record in records] for name in records[0]}

    def _tidy(self) -> Iterator[tuple[Label | None, str, dict[str, Any]]]:
        baseline = self.baseline
        for label, metric in self._every():
            numbers = {"value": metric.value, "lower": metric.lower, "upper": metric.upper}
            numbers["baseline"] = baseline.get(metric.name) if label is None else None
            yield label, metric.name, {**numbers, "higher_is_better": metric.higher_is_better}

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
        baseline = self.baseline
        for name, value, lower, upper in self.metrics:
            interval = "" if lower is None else f"  ({lower:.4g} to {upper:.4g})"
            yield f"  {name}: {value:.4g}{interval}" + (f", baseline {baseline[name]:.4g}" if name in baseline else "")
        if self.criteria is not None:
            k, log_likelihood, aic, bic = self.criteria
            fitted = f"{counted(k, 'parameter')}, maximum log-likelihood {log_likelihood:.6g}"
            yield f"  {fitted}: AIC {aic:.6g}, BIC {bic:.6g}"
        for each in self.compared:
            auc = "" if each.roc_auc is None else f", ROC AUC {each.roc_auc:.4g}"
            yield f"  {each.name}: log loss {each.log_loss:.4g}, accuracy {each.accuracy:.4g}{auc}"
        if self.impossible:
            are = "is" if self.impossible == 1 else "are"
            yield f"  {counted(self.impossible, 'row')} {are} impossible under every class and got the class prior"
        yield from describe_left_out(self.left_out)
        for each in self.by_class[:_MOST_CLASSES]:
            numbers = ", ".join(f"{name} {value:.3g}" for name, value, _, _ in each[3:])
            yield f"  {each.label!r}, weight {each.support:g}: {numbers}"
        if len(self.by_class) > _MOST_CLASSES:
            yield f"  … {len(self.by_class):,} classes in all"
        if self.readings:
            best = self.readings[0]
            smoothed = "" if best.alpha is None else f", alpha {best.alpha:g}"
            yield (
                f"  lowest log loss of {len(self.readings)} combinations of estimate and class prior: "
                f"{best.log_loss:.4g}, {best.estimate}{smoothed}, class prior {best.class_prior}"
            )


def measure_rows(
    known: Axis,
    posterior: HeldOutPosterior,
    rows: LabelledRows,
    asked: EvaluationOptions,
    held_out: HeldOut | None = None,
    readings: Sequence[Reading] = (),
    class_priors: Sequence[ClassPrior] = (),
    class_weight: FloatArray | None = None,
) -> Evaluation:
    """Return the evaluation of a model on these rows, with the comparison of other estimators."""

    def predictions_of(posterior: HeldOutPosterior) -> Predictions:
        return Predictions.of(
            known, posterior, rows.classes, rows.codes, rows.weights, asked.positive, rows.units, class_weight
        )

    compared: tuple[ReadingMeasured, ...] = ()
    if held_out is not None and readings:
        compared = compare(held_out, readings, class_priors, predictions_of, asked.costs, asked.bins)
    return _measured(predictions_of(posterior), rows, posterior.impossible, asked, compared)


def _measured(
    predictions: Predictions,
    rows: LabelledRows,
    impossible: int,
    asked: EvaluationOptions,
    compared: tuple[ReadingMeasured, ...],
) -> Evaluation:
    """Return the record of predictions."""
    metrics = Metrics(predictions, asked.costs, asked.bins)
    weights = predictions.weights
    values, of_class = metrics(weights)
    if asked.bootstrap:
        bounds = bootstrap(predictions, metrics, asked.bootstrap, asked.confidence, asked.seed)
    else:
        bounds = Intervals(np.full((2, len(values)), np.nan), np.full((2, *of_class.shape), np.nan))
    table = metrics.confusion(weights)
    with np.errstate(over="ignore"):
        support, called = table.sum(axis=1).tolist(), table.sum(axis=0).tolist()
    return Evaluation(
        how=rows.how,
        classes=predictions.labels,
        metrics=tuple(
            Metric(name, value, *_ends(bounds.values[:, at]))
            for at, (name, value) in enumerate(zip(NAMES, values.tolist(), strict=True))
            if value == value
        ),
        by_class=tuple(
            ClassMetrics(
                label,
                support[c],
                called[c],
                *(
                    Metric(name, float(of_class[at, c]), *_ends(bounds.of_class[:, at, c]))
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
        confidence=asked.confidence,
        positive=predictions.labels[predictions.positive] if len(predictions.labels) == 2 else None,
    )


def _ends(bounds: FloatArray) -> tuple[float | None, float | None]:
    lower, upper = bounds.tolist()
    return (None, None) if lower != lower else (lower, upper)


def calibrated_posterior(
    held_out: HeldOut,
    model: NaiveBayesModel,
    codes: IntArray,
    weights: FloatArray,
    folds: IntArray,
    *,
    in_order: bool,
    many: bool,
) -> tuple[HeldOutPosterior, bool]:
    """Return the posterior of each row, calibrated on the other folds or on the earlier blocks.

    Also returns whether any fold was calibrated, since the log loss may support no calibration.

    Parameters
    ----------
    held_out : HeldOut
    model : NaiveBayesModel
        Its schema, reading and class prior.
    codes, weights, folds : arrays of rows
    in_order : bool
        Whether a fold is calibrated on the earlier ones only.
    many : bool
        Whether there are too many parts for individual weights of columns.
    """
    classes = int(codes.max(initial=0)) + 1
    most, by_unit = (len(codes), False) if many else most_rows(len(model.units), classes)
    wanted, factors = sample_rows_by_class(codes, most)
    options = model.reading, model.class_prior
    evidence = held_out.evidence(*options, wanted, by_unit=by_unit)
    at = np.flatnonzero(wanted)
    found: dict[int, Calibration | None] = {}
    for fold in np.unique(folds).tolist():
        others = folds[at] < fold if in_order else folds[at] != fold
        kept = at[others]
        given = evidence[others], codes[kept], weights[kept] * factors[kept]
        found[fold] = choose_calibration(*given, units=model.units if by_unit else ())[0]
    changed = any(each is not None for each in found.values())
    return held_out.calibrated(*options, folds, found), changed
