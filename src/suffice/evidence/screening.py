"""Screening: which columns to keep, by the similarity of the classes in each and the metric on held-out rows.

Similarity. Symbols: column j with K outcomes, d_c its probability vector in class c.

    outcomes    real columns: bins of equal mass over all classes, at most `bins`; levels: the levels; bools and counts:
                present (x > 0) and absent; also missing, if missingness is modelled
    d_c         the mean estimate, (N_ck + α)/(n_c + Kα): the column's own prior for levels and presence, α = 1 for bins
    product     ⟨d_a, d_b⟩; 1/K for two equal uniform vectors
    cosine      ⟨d_a, d_b⟩ / (‖d_a‖ ‖d_b‖) ∈ [0, 1]; 1 for equal distributions
    similarity  s_j, the mean of the cosine over all pairs of classes that have rows; least: that of the most different
                pair

A column of one outcome (constant, or missing in every row) has d_c = (1) and similarity 1, and so has every column if
fewer than two classes have rows. Bins are shared by the classes and of equal mass, so the similarity does not depend on
the unit of x.

Threshold t: a column with s_j ≥ t is dropped. k folds.

    thresholds   0, which drops every column; the midpoint between each two neighbours of the distinct s_j of all rows;
                 and ∞, which drops none
    fold f       its similarities s_j^f and parameters are those of the *other* folds only; threshold t keeps the
                 columns with s_j^f < t, and the metric is that of the rows of fold f
    metric       one of evaluation/metrics.py; average precision is that of the positive class
    curve        the mean of the metric over the folds, and its standard error, sd/√k
    chosen       the best of the curve; ties go to fewer columns; never one that leaves no column

No threshold needs a refit. Columns are conditionally independent given the class, so in each fold the contributions of
the columns are added to the class prior in order of increasing similarity, and the metric is computed whenever a
threshold is passed: memory holds two arrays of rows × classes, for any number of columns and thresholds.

Text columns and columns modelled together (Joint, Multinomial, MultivariateGaussian) are not screened: they are kept.

Redundancy: columns whose contributions are correlated. Symbols: row i of class y_i and weight w_i, ℓ_ijc =
log p(x_ij | c) the contribution of column j, C classes.

    e_ijc    ℓ_ijc − (1/C) Σ_c' ℓ_ijc', less its weighted mean over the rows of class y_i
    r_jk     Σ_ic w_i e_ijc e_ikc / √(Σ_ic w_i e_ijc² · Σ_ic w_i e_ikc²)
    number   exp(−Σ_i p_i ln p_i), p_i the eigenvalues of r over their sum: the effective rank (Roy and Vetterli 2007),
             D if the D columns that vary are uncorrelated, 1 if all are copies of one

For two classes r is the correlation of the contributions to the log-odds, within the classes. Naive Bayes assumes
independence *given* the class, so a correlation that is due to the class is not redundancy, and the class means are
removed. A copy of a column has r = 1; independent columns have r near 0. A missing cell
contributes 0. Parameters are those of the predictive estimate, under which every contribution is finite.

Rows are read in blocks, and their sums merge like those of Scatter. For many rows a sample is used: the standard error
of r is about 1/√rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError, ParameterError
from suffice.evidence.evaluation.held_out import Predictions, odds_to_rank, posterior_of_joint, ratios
from suffice.evidence.evaluation.metrics import LOWER_IS_BETTER, NAMES, OF_CLASS, DetectionCosts, Metrics, Ranking
from suffice.evidence.folds import FoldedRows, fold_models
from suffice.likelihoods import Bernoulli, Histogram, Likelihood
from suffice.likelihoods.block_statistics import BlockStatistics, Reading
from suffice.likelihoods.dirichlet import estimate_probabilities
from suffice.likelihoods.histogram import cut_histograms, sum_known_weight
from suffice.likelihoods.likelihood import Observation
from suffice.likelihoods.terms import Term
from suffice.models import NaiveBayesModel, Schema, Scorer
from suffice.models.naive_bayes import narrow_model
from suffice.models.schema import Block
from suffice.sources.table import Table
from suffice.statistics import Axis, Bins, Tally
from suffice.statistics.arrays import BoolArray, FloatArray, IntArray

__all__ = [
    "METRICS",
    "MOST_ROWS",
    "ColumnScorers",
    "ColumnScreen",
    "CurvePoint",
    "Redundancy",
    "RepeatedColumn",
    "ScreenedColumns",
    "Similarity",
    "densities",
    "density_schema",
    "measure",
    "redundancy",
    "screen_columns",
    "screenable",
    "similarities",
    "similarity_of",
    "thresholds_of",
]


_MEAN = Reading("mean")


class Similarity(NamedTuple):
    """Class similarity of a column: mean and minimum cosine over the pairs of classes, and the mean inner product."""

    cosine: float
    least: float
    product: float


def screenable(likelihood: Likelihood) -> bool:
    """Return whether columns of this likelihood have outcomes of their own: not text, nor columns modelled together."""
    return likelihood.column_by_column and likelihood.collect(()).what != "tokens"


def density_schema(schema: Schema) -> Schema | None:
    """Return the additional statistics for columns whose own ones do not determine outcome probabilities, or None.

    Those are Gaussian columns (moments are stored), Uniform columns (maxima) and Poisson columns (sums).
    """
    blocks: list[Block] = []
    for block in schema.blocks:
        what = block.likelihood.collect(block.columns).what
        if not screenable(block.likelihood) or what not in ("moments", "maxima", "sums"):
            continue
        missing: Any = getattr(block.likelihood, "missing", "ignore")
        blocks.append(Block(block.columns, Bernoulli() if what == "sums" else Histogram(missing=missing)))
    return Schema(schema.names, tuple(blocks)) if blocks else None


def similarities(model: NaiveBayesModel, beside: NaiveBayesModel | None, bins: int) -> dict[str | int, Similarity]:
    """Return the class similarity of each column that can be screened, in the order of the data.

    Parameters
    ----------
    model : NaiveBayesModel
    beside : NaiveBayesModel, optional
        The same rows under `density_schema`.
    bins : int
        Maximum number of bins of a real column.
    """
    some = model.tally.weight > 0
    found = {
        column: similarity_of(d[some])
        for each in ((model,) if beside is None else (model, beside))
        for column, d in densities(each, bins)
    }
    return {name: found[name] for name in model.schema.names if name in found}


def similarity_of(d: FloatArray) -> Similarity:
    """Return the similarity of the rows of d (C × K), each a probability vector.

    Examples
    --------
    >>> similarity_of(np.array([[0.5, 0.5], [1.0, 0.0]]))
    Similarity(cosine=0.7071067811865475, least=0.7071067811865475, product=0.5)
    """
    if len(d) < 2:
        return Similarity(1.0, 1.0, float((d * d).sum()) if len(d) else 1.0)
    products = np.stack([(d * row).sum(axis=1) for row in d])  # in a fixed order, for any number of threads
    squares = np.diagonal(products)
    a, b = np.triu_indices(len(d), 1)
    raw = products[a, b]
    # One root of the product of both squares, so that two equal vectors have exactly 1.
    cosine = np.minimum(raw / np.sqrt(squares[a] * squares[b]), 1.0)
    mean = np.clip(
        cosine.mean(), cosine.min(), cosine.max()
    )  # the mean of equal values may differ from them by rounding
    return Similarity(float(mean), float(cosine.min()), float(raw.mean()))


def densities(model: NaiveBayesModel, bins: int) -> Iterator[tuple[str | int, FloatArray]]:
    """Yield each column whose statistics determine outcome probabilities, and its d_c, classes × outcomes."""
    for block, seen in zip(model.schema.blocks, model.seen(), strict=True):
        if not screenable(block.likelihood):
            continue
        what = block.likelihood.collect(block.columns).what
        mean = replace(seen, reading=_MEAN)
        if what in ("levels", "presence"):
            yield from _of_outcomes(block.likelihood, mean)
        elif what in ("bins", "numeric"):
            yield from _of_cells(block.likelihood, mean, bins)


def _of_outcomes(likelihood: Likelihood, seen: BlockStatistics) -> Iterator[tuple[str | int, FloatArray]]:
    for term in likelihood.terms(seen):
        outcomes = term.outcomes()
        if outcomes is not None:
            for column, logs in outcomes.by_column():
                yield column, np.exp(logs.T) if len(logs) else np.ones((len(seen.classes), 1))


def _of_cells(likelihood: Likelihood, seen: BlockStatistics, most: int) -> Iterator[tuple[str | int, FloatArray]]:
    bins = seen.parts[-1]
    assert isinstance(bins, Bins)
    counts = {seen.columns[each.position]: each.counts for each in cut_histograms(bins, seen.classes, most)[0]}
    known = sum_known_weight(bins, seen.classes)
    speaks = getattr(likelihood, "missing", "ignore") == "level"
    missing = Observation.of(seen, known).counts[..., 1]
    for j, column in enumerate(seen.columns):
        one = slice(j, j + 1)
        here = counts.get(column, known[:, one])  # at most one value: one outcome
        if speaks:
            here = np.concatenate([here, missing[:, one]], axis=1)
        yield column, estimate_probabilities(here, np.ones_like(here), "mean")


@final
class ColumnScorers:
    """The terms of a model, by column if columns are modelled separately, and the remaining terms.

    log p(c, x) = log p(c) + rest(x) + Σ_j contribution_j(x)
    """

    __slots__ = ("_alone", "_model", "_rest", "_terms")

    def __init__(self, model: NaiveBayesModel) -> None:
        self._model = model
        self._terms: dict[str | int, list[Term]] = {}
        self._alone: dict[str | int, Scorer] = {}
        rest: list[Term] = []
        for block, seen in zip(model.schema.blocks, model.seen(), strict=True):
            if not screenable(block.likelihood):
                rest.extend(block.likelihood.terms(seen))
                continue
            for name in block.columns:
                self._terms[name] = []
            for term in block.likelihood.terms(seen):
                for name in term.columns:
                    self._terms[name].append(term.restrict((name,)))
        self._rest = tuple(rest)

    def contribution(self, column: str | int, table: Table) -> FloatArray:
        """Return log p(x_j | c), rows × classes; 0 if the column contributes nothing."""
        terms = self._terms[column]
        if not terms:
            return np.zeros((table.rows, len(self._model.classes)))
        if column not in self._alone:
            nothing = np.zeros(len(self._model.classes))
            self._alone[column] = Scorer(terms, nothing, self._model.schema.names)
        return self._alone[column].score(table, "joint").values

    def rest(self, table: Table) -> FloatArray:
        """Return log p(c) and the contributions of columns that are not modelled separately."""
        log_prior = self._model.log_prior
        if not self._rest:
            return np.tile(log_prior, (table.rows, 1))
        return np.array(Scorer(self._rest, log_prior, self._model.schema.names).score(table, "joint").values)


METRICS: tuple[str, ...] = (*NAMES, *OF_CLASS)
_DETECTION = ("minimum_detection_cost", "actual_detection_cost")
_RANKED = ("roc_auc", "average_precision", *_DETECTION)
_EVEN = DetectionCosts()
_CALIBRATION_BINS = 15  # as in evaluate


class ColumnScreen(NamedTuple):
    """Class similarity of one column (1 for identical distributions), and whether the column is kept.

    `similarity` is the mean cosine over the pairs of classes, `least` that of the pair that differs most, `product` the
    raw inner product.
    """

    column: str | int
    similarity: float
    least: float
    product: float
    kept: bool


class CurvePoint(NamedTuple):
    """Cross-validated metric when columns with similarity ≥ `threshold` are dropped.

    `columns` is the number of screened columns kept in the model of all rows; `error` the standard error over the
    folds, None if the metric is defined in fewer than two folds.
    """

    threshold: float
    columns: int
    value: float
    error: float | None


@final
@dataclass(frozen=True, slots=True, eq=False)
class ScreenedColumns:
    """The result of screening: columns by increasing similarity, and the curve by increasing threshold."""

    columns: tuple[ColumnScreen, ...]
    unscreened: tuple[str | int, ...]
    curve: tuple[CurvePoint, ...]
    threshold: float
    model: NaiveBayesModel


def screen_columns(
    model: NaiveBayesModel,
    beside: NaiveBayesModel | None,
    rows: FoldedRows,
    metric: str,
    positive: int | None,
    bins: int,
    threshold: float | None = None,
    costs: DetectionCosts = _EVEN,
) -> ScreenedColumns:
    """Return which columns of the model to keep.

    Parameters
    ----------
    model, beside : NaiveBayesModel
        The model of all these rows, and the model under `density_schema`, if there is one.
    rows : FoldedRows
        Every class must have rows.
    metric : one of METRICS
    positive : int, optional
        The class of metrics of a single class; by default their mean over the classes.
    bins : int
        Maximum number of bins of a real-valued column when classes are compared.
    threshold : float, optional
        Use this threshold instead of the best one, and include it in the curve.
    costs : DetectionCosts
        Parameters of the detection cost metrics.
    """
    found = similarities(model, beside, bins)
    _require_something(model, found)
    unscreened = tuple(name for block in model.schema.blocks for name in block.columns if name not in found)
    if threshold is not None:
        _require_left(threshold, found, unscreened)
    steps = thresholds_of([each.cosine for each in found.values()])
    if threshold is not None:
        steps = sorted({*steps, threshold})
    each_fold = _by_fold(model, rows, bins, steps, metric, positive, costs)
    curve: tuple[CurvePoint, ...] = ()
    if not np.isnan(each_fold).all():
        curve = tuple(_curve_point(t, found, values) for t, values in zip(steps, each_fold.T, strict=True))
    if threshold is None:
        threshold = _best(curve, metric, least=0 if unscreened else 1)
    ranked = sorted(found, key=lambda name: (found[name].cosine, found[name].product))
    columns = tuple(ColumnScreen(name, *found[name], kept=found[name].cosine < threshold) for name in ranked)
    dropped = {
        each.column: f"its class similarity {each.similarity:.4f} is not below the screening threshold {threshold:.4f}"
        for each in columns
        if not each.kept
    }
    return ScreenedColumns(columns, unscreened, curve, threshold, narrow_model(model, dropped) if dropped else model)


def thresholds_of(values: Sequence[float]) -> list[float]:
    """Return the thresholds that separate the values: 0, the middles between neighbours, and ∞.

    Examples
    --------
    >>> thresholds_of([0.5, 0.25, 0.5, 1.0])
    [0.0, 0.375, 0.75, inf]
    """
    distinct = sorted(set(values))
    # Adjacent floats have no midpoint between them: the higher one separates them as well.
    middles = [middle if low < (middle := low + (high - low) / 2) else high for low, high in pairwise(distinct)]
    return [0.0, *middles, math.inf]


def measure(
    metric: str,
    positive: int | None,
    joint: FloatArray,
    log_prior: FloatArray,
    codes: IntArray,
    weights: FloatArray,
    costs: DetectionCosts = _EVEN,
) -> float | None:
    """Return a metric of `evaluate` for rows with log p(c, x); None if it is undefined for them.

    Metrics of one class (precision, recall, F1, average precision, ROC AUC) are those of the positive one, or their
    mean over the classes if it is None. A row of an unknown class (code −1) belongs to an additional
    class with probability 0, to which no row is assigned. Metrics of a ranking need a row of the class and one of
    another.

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
    classes = range(log_posterior.shape[1]) if positive is None else (positive,)
    if metric in _RANKED:
        scores = odds_to_rank(log_posterior)
        llr = ratios(log_posterior, log_prior) if metric in _DETECTION else None
        if llr is not None:
            scores = np.stack([-llr, llr], axis=1)
        each = [_ranked(metric, scores[:, c], codes == c, weights, costs) for c in classes]
        known = [value for value in each if value is not None]
        return sum(known) / len(known) if known else None
    if (codes < 0).any():
        log_posterior = np.pad(log_posterior, ((0, 0), (0, 1)), constant_values=-np.inf)
    width = log_posterior.shape[1]
    predictions = Predictions(Axis.of(range(width)), codes % width, log_posterior, None, weights)
    measured = Metrics(predictions, costs, _CALIBRATION_BINS, rankings=False)(weights)
    if metric in NAMES:
        return float(measured.values[NAMES.index(metric)])
    return float(measured.of_class[OF_CLASS.index(metric), list(classes)].mean())


def _ranked(
    metric: str, scores: FloatArray, own: BoolArray, weights: FloatArray, costs: DetectionCosts
) -> float | None:
    # A metric of the ranking of the rows of a class among all rows.
    of_class, others = float(weights[own].sum()), float(weights[~own].sum())
    if not (of_class > 0 and others > 0):
        return None
    if metric == "actual_detection_cost":
        alerts = scores > costs.threshold
        missed, alarmed = weights[own & ~alerts].sum() / of_class, weights[~own & alerts].sum() / others
        return float(costs.of(missed, alarmed))
    found = Ranking(scores, own)(weights, of_class, others, costs)
    return found.minimum_cost if metric == "minimum_detection_cost" else float(getattr(found, metric))


def _by_fold(
    model: NaiveBayesModel,
    rows: FoldedRows,
    bins: int,
    steps: list[float],
    metric: str,
    positive: int | None,
    costs: DetectionCosts,
) -> FloatArray:
    # The metric of each fold at each threshold; NaN if it is undefined for the rows of the fold.
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
        found = measure(metric, positive, joint, *own, costs)
        for at, t in enumerate(steps):
            passed = False
            while waiting and alike[waiting[-1]].cosine < t:
                joint += scorers.contribution(waiting.pop(), table)
                passed = True
            if passed:
                found = measure(metric, positive, joint, *own, costs)
            if found is not None:
                values[f, at] = found
    return values


def _empty(model: NaiveBayesModel, schema: Any) -> NaiveBayesModel:
    return NaiveBayesModel(schema, Tally.zero(), (), model.reading, model.class_prior)


def _curve_point(threshold: float, found: dict[str | int, Similarity], values: FloatArray) -> CurvePoint:
    number = sum(each.cosine < threshold for each in found.values())
    known = values[~np.isnan(values)]
    error = float(known.std(ddof=1) / math.sqrt(len(known))) if len(known) > 1 else None
    return CurvePoint(threshold, number, float(known.mean()), error)


def _best(curve: Sequence[CurvePoint], metric: str, least: int) -> float:
    if not curve:
        raise DataError(
            "no fold has rows both of the positive class and of another class, so no threshold can be chosen",
            advice=lambda words: f"Use fewer folds, give more rows, or give {words.option('threshold')}.",
        )
    sign = -1 if metric in LOWER_IS_BETTER else 1
    left = (point for point in curve if point.columns >= least)
    best = max(left, key=lambda point: (sign * point.value, -point.columns))
    return best.threshold


def _require_something(model: NaiveBayesModel, found: dict[str | int, Similarity]) -> None:
    if np.count_nonzero(model.tally.weight) < 2:
        classes = [label for label, weight in zip(model.classes, model.tally.weight, strict=True) if weight > 0]
        got = f"every row has the class {classes[0]!r}" if classes else "no row has a class"
        raise DataError(f"screening requires at least two classes: {got}. Give rows of two classes or more.")
    if not found:
        raise DataError(
            "there is no column to screen: only single columns can be screened, and these are text, modelled jointly, "
            f"or left out.\n{model.schema!r}"
        )


def _require_left(threshold: float, found: dict[str | int, Similarity], unscreened: Sequence[str | int]) -> None:
    least = min(found, key=lambda name: found[name].cosine)
    if not unscreened and found[least].cosine >= threshold:
        raise ParameterError(
            f"threshold {threshold!r} drops every column: the lowest similarity is {found[least].cosine:.4f}, of "
            f"column {least!r}. Give a greater threshold, or omit it to choose the threshold by cross-validation."
        )


MOST_ROWS = 100_000
_CELLS = 1 << 22  # values in memory at a time


class RepeatedColumn(NamedTuple):
    """Pair of columns and the correlation of their log-odds contributions."""

    column: str | int
    repeats: str | int
    correlation: float


@final
@dataclass(frozen=True, slots=True, eq=False)
class Redundancy:
    """The columns whose contributions vary, and the correlations of those (D × D)."""

    columns: tuple[str | int, ...]
    correlation: FloatArray

    @property
    def effective_columns(self) -> float:
        """The effective rank: the equivalent number of uncorrelated columns."""
        if not self.columns:
            return 0.0
        p = np.maximum(np.linalg.eigvalsh(self.correlation), 0.0) / len(self.columns)
        return float(np.exp(-np.log(p, out=np.zeros_like(p), where=p > 0) @ p))

    def pairs(self, least: float) -> list[RepeatedColumn]:
        """Return the pairs with at least this correlation, in descending order; the later column is redundant."""
        first, second = np.triu_indices(len(self.columns), 1)
        values = self.correlation[first, second]
        found = np.flatnonzero(values >= least)
        ranked = found[np.argsort(-values[found], kind="stable")]
        return [
            RepeatedColumn(self.columns[int(second[at])], self.columns[int(first[at])], float(values[at]))
            for at in ranked.tolist()
        ]


def redundancy(
    model: NaiveBayesModel,
    columns: Sequence[str | int],
    table: Table,
    codes: IntArray,
    weights: npt.NDArray[Any] | None,
    rng: np.random.Generator,
    most_rows: int = MOST_ROWS,
) -> Redundancy:
    """Return the correlations of the contributions of these columns.

    Parameters
    ----------
    model : NaiveBayesModel
    columns : names of columns that are modelled separately
    table : Table with the columns of the schema
    codes : the class of each row, on the axis of the model
    weights : array of rows, optional
    rng : samples the rows if there are more than `most_rows`
    """
    if table.rows > most_rows:
        some = np.sort(rng.choice(table.rows, most_rows, replace=False))
        table, codes, weights = table.take(some), codes[some], None if weights is None else weights[some]
    row_weights = np.ones(table.rows) if weights is None else weights.astype(np.float64)
    scorers = ColumnScorers(model.read(Reading("predictive"), model.class_prior))
    c, d = len(model.classes), len(columns)
    weight, mean, products = np.zeros(c), np.zeros((c, d, c)), np.zeros((d, d))
    step = max(1, _CELLS // max(1, c * d))
    for start in range(0, table.rows, step):
        rows = slice(start, min(start + step, table.rows))
        some = table.take(rows)
        said = np.stack([scorers.contribution(name, some) for name in columns], axis=1) if d else np.zeros((0, 0, c))
        said -= said.mean(axis=2, keepdims=True)
        for k in np.unique(codes[rows]).tolist():
            own = codes[rows] == k
            w = row_weights[rows][own]
            if w.sum() > 0:
                here = said[own]
                middle = np.einsum("i,ijc->jc", w, here) / w.sum()
                away = (here - middle) * np.sqrt(w)[:, None, None]
                flat = away.transpose(0, 2, 1).reshape(-1, d)
                delta, both = middle - mean[k], weight[k] + w.sum()
                products += flat.T @ flat + (delta @ delta.T) * (weight[k] * w.sum() / both)
                mean[k] += delta * (w.sum() / both)
                weight[k] = both
    return _correlations(tuple(columns), products)


def _correlations(columns: tuple[str | int, ...], products: FloatArray) -> Redundancy:
    varies = np.diagonal(products) > 0
    spread = np.sqrt(np.diagonal(products)[varies])
    values = np.clip(products[np.ix_(varies, varies)] / (spread * spread[:, None]), -1.0, 1.0)
    np.fill_diagonal(values, 1.0)
    return Redundancy(tuple(name for name, it in zip(columns, varies, strict=True) if it), values)
