"""Screening: which columns to keep, by how alike the classes look in them and by how well the rest does without.

Symbols: s_j similarity of column j (similarity.py), t threshold: a column with s_j ≥ t is dropped. k folds.

    thresholds   0, which drops every column; the middle between each two neighbours of the distinct s_j of all rows;
                 and ∞, which drops none
    fold f       its similarities s_j^f and parameters are those of the *other* folds alone; threshold t keeps the
                 columns with s_j^f < t, and the metric is that of the rows of fold f, which have no part in either
    metric       one of evaluation/metrics.py; average precision is that of the positive class alone
    curve        the mean of the metric over the folds, and its standard error, sd/√k
    chosen       the best of the curve; of equals the one with fewer columns; never one that leaves nothing

Nothing is fitted again for a threshold. Given the class columns are independent, so in each fold the contributions of
the columns are added to the class prior one by one, the most telling first, and the metric is taken whenever a
threshold is passed: memory holds two arrays of rows × classes, whatever the number of columns and thresholds.

Columns of text and columns that go together (Joint, Multinomial, Gaussian with covariance) have no similarity here:
they are kept, and said to be unscreened.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias, final, get_args

import numpy as np

from suffice.errors import DataError, ParameterError
from suffice.evidence.column_scores import ColumnScorers
from suffice.evidence.evaluation.metrics import NAMES, Metrics
from suffice.evidence.evaluation.predictions import Predictions, odds_to_rank, posterior_of_joint
from suffice.evidence.evaluation.ranking import DetectionCosts, Ranking
from suffice.evidence.folds import FoldedRows, fold_models
from suffice.evidence.similarity import Similarity, density_schema, similarities
from suffice.models import NaiveBayesModel
from suffice.models.narrowing import narrowed_model
from suffice.statistics import Axis, Tally
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = ["METRICS", "ColumnScreen", "CurvePoint", "Metric", "Screened", "measure", "screened", "thresholds_of"]

Metric: TypeAlias = Literal["average_precision", "log_loss", "balanced_accuracy"]
METRICS: tuple[Metric, ...] = get_args(Metric)


class ColumnScreen(NamedTuple):
    """How alike the classes look in a column: 1 where they do; and whether the column is kept.

    `similarity` is the mean cosine over the pairs of classes, `least` that of the pair that differs most, `product` the
    raw inner product.
    """

    column: str | int
    similarity: float
    least: float
    product: float
    kept: bool


class CurvePoint(NamedTuple):
    """The metric on held-out folds where columns with a similarity ≥ `threshold` are dropped.

    `columns` is how many screened columns are left in the model of all rows; `error` the standard error over the folds,
    None where fewer than two of them have the metric.
    """

    threshold: float
    columns: int
    value: float
    error: float | None


@final
@dataclass(frozen=True, slots=True, eq=False)
class Screened:
    """What was chosen, and why: columns with the most different classes first, the curve by rising threshold."""

    columns: tuple[ColumnScreen, ...]
    unscreened: tuple[str | int, ...]
    curve: tuple[CurvePoint, ...]
    threshold: float
    model: NaiveBayesModel


def screened(
    model: NaiveBayesModel,
    beside: NaiveBayesModel | None,
    rows: FoldedRows,
    metric: Metric,
    positive: int,
    bins: int,
    threshold: float | None = None,
) -> Screened:
    """Return which columns of the model to keep.

    Parameters
    ----------
    model, beside : NaiveBayesModel
        Of all these rows: as it is to be used, and under `density_schema`, where that is one.
    rows : FoldedRows
        Every class has some.
    metric : "average_precision", "log_loss" or "balanced_accuracy"
    positive : int
        The class whose average precision it is.
    bins : int
        The most cells of a real column while classes are compared.
    threshold : float, optional
        Take this one, whatever the curve says, and have it on the curve.
    """
    found = similarities(model, beside, bins)
    _require_something(model, found)
    unscreened = tuple(name for block in model.schema.blocks for name in block.columns if name not in found)
    if threshold is not None:
        _require_left(threshold, found, unscreened)
    steps = thresholds_of([each.cosine for each in found.values()])
    if threshold is not None:
        steps = sorted({*steps, threshold})
    each_fold = _by_fold(model, rows, bins, steps, metric, positive)
    curve: tuple[CurvePoint, ...] = ()
    if not np.isnan(each_fold).all():
        curve = tuple(_point(t, found, values) for t, values in zip(steps, each_fold.T, strict=True))
    if threshold is None:
        threshold = _best(curve, metric, least=0 if unscreened else 1)
    ranked = sorted(found, key=lambda name: (found[name].cosine, found[name].product))
    columns = tuple(ColumnScreen(name, *found[name], kept=found[name].cosine < threshold) for name in ranked)
    dropped = {
        each.column: f"screened: similarity of the classes {each.similarity:.4f}, not below {threshold:.4f}"
        for each in columns
        if not each.kept
    }
    return Screened(columns, unscreened, curve, threshold, narrowed_model(model, dropped) if dropped else model)


def thresholds_of(values: Sequence[float]) -> list[float]:
    """Return the thresholds that tell the values apart: 0, the middles between neighbours, and ∞.

    Examples
    --------
    >>> thresholds_of([0.5, 0.25, 0.5, 1.0])
    [0.0, 0.375, 0.75, inf]
    """
    distinct = sorted(set(values))
    # Between two neighbours among the floats there is none: the higher one tells them apart as well.
    middles = [middle if low < (middle := low + (high - low) / 2) else high for low, high in pairwise(distinct)]
    return [0.0, *middles, math.inf]


def measure(
    metric: Metric, positive: int, joint: FloatArray, log_prior: FloatArray, codes: IntArray, weights: FloatArray
) -> float | None:
    """Return a metric of `evaluate` for rows with log p(c, x); None where the rows leave it undefined.

    A row whose class the model does not know (code −1) is of a further class, to which no row is assigned and which has
    probability 0. Average precision needs a row of the positive class and one of another.

    Examples
    --------
    >>> joint = np.log([[0.4, 0.6], [0.9, 0.1], [0.7, 0.3]])
    >>> measure("average_precision", 1, joint, np.log([0.5, 0.5]), np.array([1, 0, 1]), np.ones(3))
    1.0
    >>> measure("balanced_accuracy", 1, joint, np.log([0.5, 0.5]), np.array([1, 0, 1]), np.ones(3))
    0.75
    """
    if not (weights > 0).any():
        return None
    log_posterior = posterior_of_joint(joint, log_prior).values
    if metric == "average_precision":
        own = codes == positive
        of_class, others = float(weights[own].sum()), float(weights[~own].sum())
        if not (of_class > 0 and others > 0):
            return None
        ranking = Ranking(odds_to_rank(log_posterior)[:, positive], own)
        return ranking(weights, of_class, others, DetectionCosts()).average_precision
    number = log_posterior.shape[1] + 1
    widened = np.pad(log_posterior, ((0, 0), (0, 1)), constant_values=-np.inf)
    predictions = Predictions(Axis.of(range(number)), codes % number, widened, None, weights)
    return float(Metrics(predictions, DetectionCosts(), 1, rankings=False)(weights).values[NAMES.index(metric)])


def _by_fold(
    model: NaiveBayesModel, rows: FoldedRows, bins: int, steps: list[float], metric: Metric, positive: int
) -> FloatArray:
    # The metric of each fold at each threshold; NaN where the rows of the fold leave it undefined.
    others = fold_models(model, rows)
    schema = density_schema(model.schema)
    beside: Sequence[NaiveBayesModel | None] = [None] * len(others)
    if schema is not None:
        beside = fold_models(_empty(model, schema), rows)
    weights = np.ones(len(rows.codes)) if rows.weights is None else rows.weights.astype(np.float64)
    values = np.full((len(others), len(steps)), np.nan)
    for f, (other, densities) in enumerate(zip(others, beside, strict=True)):
        held = np.flatnonzero(rows.folds == f)
        if not len(held):
            continue
        alike = similarities(other, densities, bins)
        table, scorers = rows.table.take(held), ColumnScorers(other)
        joint = scorers.rest(table)
        waiting = sorted(alike, key=lambda name, alike=alike: alike[name].cosine, reverse=True)
        own = other.log_prior, rows.codes[held], weights[held]
        found = measure(metric, positive, joint, *own)
        for at, t in enumerate(steps):
            passed = False
            while waiting and alike[waiting[-1]].cosine < t:
                joint += scorers.contribution(waiting.pop(), table)
                passed = True
            if passed:
                found = measure(metric, positive, joint, *own)
            if found is not None:
                values[f, at] = found
    return values


def _empty(model: NaiveBayesModel, schema: Any) -> NaiveBayesModel:
    return NaiveBayesModel(schema, Tally.zero(), (), model.reading, model.class_prior)


def _point(threshold: float, found: dict[str | int, Similarity], values: FloatArray) -> CurvePoint:
    number = sum(each.cosine < threshold for each in found.values())
    known = values[~np.isnan(values)]
    error = float(known.std(ddof=1) / math.sqrt(len(known))) if len(known) > 1 else None
    return CurvePoint(threshold, number, float(known.mean()), error)


def _best(curve: Sequence[CurvePoint], metric: Metric, least: int) -> float:
    if not curve:
        raise DataError(
            "no fold has rows of the positive class and of another, so there is nothing to choose a threshold by",
            advice=lambda words: f"Use fewer folds, give more rows, or give {words.option('threshold')}.",
        )
    sign = -1 if metric == "log_loss" else 1
    left = (point for point in curve if point.columns >= least)
    best = max(left, key=lambda point: (sign * point.value, -point.columns))
    return best.threshold


def _require_something(model: NaiveBayesModel, found: dict[str | int, Similarity]) -> None:
    if np.count_nonzero(model.tally.weight) < 2:
        classes = [label for label, weight in zip(model.classes, model.tally.weight, strict=True) if weight > 0]
        got = f"every row has the class {classes[0]!r}" if classes else "no row has a class"
        raise DataError(f"screening compares classes: {got}. Give rows of two classes or more.")
    if not found:
        raise DataError(
            "there is no column to screen: screening compares the values of single columns, and these are text, or "
            f"read together, or left out.\n{model.schema!r}"
        )


def _require_left(threshold: float, found: dict[str | int, Similarity], unscreened: Sequence[str | int]) -> None:
    least = min(found, key=lambda name: found[name].cosine)
    if not unscreened and found[least].cosine >= threshold:
        raise ParameterError(
            f"threshold {threshold!r} drops every column: the least similarity is {found[least].cosine:.4f}, of column "
            f"{least!r}. Give a greater threshold, or leave it out to have it chosen."
        )
