"""Screening: selects discriminative columns on held-out rows and fits a model on them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, cast, final

import numpy as np
import numpy.typing as npt

from suffice.api.calibrate import calibrate_kept
from suffice.api.counting import provenance_of, to_count, warn_of_incomplete_rows
from suffice.api.fit import is_calibrated
from suffice.api.inference import schema_of
from suffice.api.model import Model
from suffice.api.options import reading_of
from suffice.arguments import is_real, option, whole_number
from suffice.decisions import positive_class
from suffice.errors import DataError, ParameterError
from suffice.evidence.cross_fitting import CrossFitting
from suffice.evidence.evaluation.held_out import blocks_in_order, stratified_folds
from suffice.evidence.evaluation.metrics import DetectionCosts
from suffice.evidence.folds import FoldedRows
from suffice.evidence.screening import (
    METRICS,
    ColumnScreen,
    CurvePoint,
    RepeatedColumn,
    density_schema,
    measure,
    redundancy,
    screen_columns,
)
from suffice.likelihoods.histogram import check_bins
from suffice.models import ClassPrior, NaiveBayesModel
from suffice.records import RecordList, TableColumns, Tabular, frame_library
from suffice.sources import HEAD, Batch, OnProgress, rows_from
from suffice.sources.metadata import time_ranks
from suffice.sources.source import aligned_table
from suffice.sources.target import Target
from suffice.statistics import Axis
from suffice.statistics.arrays import IntArray
from suffice.statistics.labels import Label
from suffice.warnings import warn_many_classes

__all__ = ["Later", "Screening", "screen"]


class Later(NamedTuple):
    """The metric on the rows after those used for selection; None if it is undefined."""

    rows: int
    screened: float | None
    unscreened: float | None


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Screening(Tabular):
    """Result of `screen`: the discriminative columns and a model fitted on them.

    `columns` holds one record per column (column, similarity, least, product, kept), most discriminative first:
    `least` is the similarity of the two most different classes, `product` the inner product of the class distributions,
    not normalised. `curve` holds one record per threshold (threshold, columns, value, error), in ascending order.
    `redundant` lists pairs of columns whose contributions are correlated, with the correlation; `effective_columns` is
    the effective number of independent columns. `later` is the metric on the later rows, if `order` was given.
    `unscreened` columns (text, jointly modelled columns) are always kept.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> sick = rng.random(500) < 0.3
    >>> found = screen({"fever": rng.normal(2 * sick), "shoe": rng.normal(size=500), "sick": sick}, "sick")
    >>> found.kept
    ('fever',)
    """

    columns: tuple[ColumnScreen, ...]
    unscreened: tuple[str | int, ...]
    curve: tuple[CurvePoint, ...]
    threshold: float
    metric: str
    positive: Label
    model: Model
    redundant: tuple[RepeatedColumn, ...]
    effective_columns: float
    later: Later | None
    library: str | None = field(default=None, repr=False, compare=False)

    def table(self) -> TableColumns:
        """Return the columns column, similarity, least, product and kept."""
        return RecordList(self.columns).table()

    @property
    def kept(self) -> tuple[str | int, ...]:
        """Screened columns that were kept, in data order."""
        chosen = {each.column for each in self.columns if each.kept}
        return tuple(name for name in self.model.schema.names if name in chosen)

    def __repr__(self) -> str:
        best = next((point for point in self.curve if point.threshold == self.threshold), None)
        of = "" if best is None else f", {self.metric} {best.value:.4f} on held-out folds"
        number, kept = len(self.columns), len(self.kept)
        some = f"{kept} of {number} columns kept, similarity < {self.threshold:.4f}"
        lines = [f"Screening: {f'all {number} columns kept' if kept == number else some}{of}"]
        lines += [
            f"  {each.column!r}: similarity {each.similarity:.4f}{'' if each.kept else ', dropped'}"
            for each in self.columns[:12]
        ]
        return "\n".join(lines + [f"  … {len(self.columns)} in all"] * (len(self.columns) > 12))


def screen(
    data: Any,
    target: Any = None,
    *,
    columns: Any = None,
    class_prior: Any = "empirical",
    estimate: str = "predictive",
    weights: npt.ArrayLike | str | None = None,
    metric: str | None = None,
    positive: Any = None,
    folds: int = 5,
    threshold: float | None = None,
    bins: int = 16,
    order: Any = None,
    first: float = 0.7,
    redundant: float = 0.8,
    seed: int = 0,
    detection_prior: float = 0.5,
    cost_miss: float = 1.0,
    cost_false_alarm: float = 1.0,
    calibrate: Literal["auto"] | bool = "auto",
    max_levels: int = 10_000,
    progress: OnProgress | None = None,
) -> Screening:
    """Select the columns that discriminate between the classes, and fit a model on them.

    The class similarity of a column is the cosine similarity of its class-conditional probability vectors (over
    equal-mass bins, levels, or presence); it is 1 for identical distributions. For more than two classes it is averaged
    over pairs. Columns with a similarity at or above a threshold are dropped. The threshold is chosen by
    cross-validation; similarities and parameters are estimated on the training folds only. Trying further thresholds
    requires no refit.

    Parameters
    ----------
    data, target, columns, class_prior, estimate, weights, max_levels, progress
        As in `fit`. All rows, including those of files, are held in memory.
    metric : str, optional
        A metric of `evaluate`: "average_precision", "log_loss", "roc_auc", "actual_detection_cost" and so on, or
        "precision", "recall" or "f1" of the positive class. Default: average precision for two classes or if `positive`
        is given, otherwise balanced accuracy.
    positive : class, optional
        The positive class; default: the rarer of two classes. With more classes, metrics of one class are averaged over
        the classes unless it is given.
    detection_prior, cost_miss, cost_false_alarm : float
        Prior and costs of the detection costs, as in `evaluate`.
    calibrate : "auto" or False
        Calibrate the model of the kept columns, as in `fit`.
    folds : int ≥ 2
        Number of folds: stratified by class, or contiguous in time if `order` is given.
    threshold : float > 0, optional
        Fixed similarity threshold, instead of one chosen by cross-validation.
    bins : int from 2 to 4096
        Maximum number of bins of a real-valued column when classes are compared.
    order : array of numbers, dates or texts, or the name of a column, optional
        The time of each row. If given, fitting and selection use the earliest rows only, and `later` is the metric on
        the remaining rows. A column named here is not used as a feature.
    first : float between 0 and 1
        Fraction of rows used for fitting when `order` is given.
    redundant : float from −1 to 1
        Correlation above which two columns count as redundant.
    seed : int
        Seed of the folds and of the subsample (at most 100,000 rows) used to measure redundancy.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(400) < 0.2
    >>> x = np.column_stack([rng.normal(3 * y), rng.normal(size=400), rng.normal(size=400)])
    >>> found = screen(x, y)
    >>> found.kept, [point.columns for point in found.curve]
    ((0,), [0, 1, 2, 3])
    >>> found.model.predict(x[:2])
    array([False, False])
    """
    number, cells = whole_number("folds", folds, 2), _check_number_of_bins(bins)
    costs = DetectionCosts(detection_prior, cost_miss, cost_false_alarm)
    kept = CrossFitting() if is_calibrated(calibrate) else None
    _check_thresholds(threshold, first, redundant)
    rng = np.random.default_rng(whole_number("seed", seed, 0))
    prior = ClassPrior.of(class_prior)
    with rows_from(data, target, weights, metadata={"order": order}, progress=progress) as source:
        loaded, texts, origin = _sort_by_time(source.load().labelled()), source.texts, source.origin
    if not loaded.table.rows:
        raise DataError("there are no labelled rows to screen. Give rows and their classes.")
    rows, rest = _split_by_time(loaded, first, ordered=order is not None)
    table, (codes, classes, *_), row_weights = rows.table, rows.classes, rows.weights
    schema = schema_of(columns, table.names, lambda: table.head(HEAD), max_levels, texts)
    empty = NaiveBayesModel.empty(schema, reading_of(estimate, None, table.width), prior)
    model = empty.count(aligned_table(table, schema), rows.classes, row_weights)
    warn_of_incomplete_rows(model)
    warn_many_classes(model.tally, origin.target)
    chosen, at = _metric(metric, positive, model)
    about = None if positive is None and len(classes) > 2 else at
    if number > table.rows:
        raise ParameterError(
            f"folds must be at most the number of rows: got {number} folds for {table.rows} rows. "
            "Use fewer folds, or give more rows."
        )
    in_order = np.arange(table.rows, dtype=np.int64)
    apart = blocks_in_order(in_order, number) if order is not None else stratified_folds(codes, number, seed)
    training = FoldedRows(table.aligned(schema.names).table, codes, classes, row_weights, apart)
    extra = density_schema(schema)
    beside = None
    if extra is not None:
        beside = NaiveBayesModel.empty(extra, model.reading, prior).count(training.table, rows.classes, row_weights)
    given = None if threshold is None else float(threshold)
    found = screen_columns(model, beside, training, chosen, about, cells, given, costs)
    screened_columns = {each.column for each in found.columns}
    names = [name for name in schema.names if name in screened_columns]
    repeated = redundancy(model, names, training.table, codes, row_weights, rng)
    screened = Model(found.model, provenance_of(table.rows, origin))
    if kept is not None:
        kept.add(found.model, to_count(Batch(training.table, rows.classes, row_weights)))
        screened = calibrate_kept(screened, kept, forms=True)
    return Screening(
        found.columns,
        found.unscreened,
        found.curve,
        found.threshold,
        chosen,
        classes.labels[at],
        screened,
        tuple(repeated.pairs(redundant)),
        repeated.effective_columns,
        None if rest is None else _later(rest, found.model, model, (chosen, about), costs),
        frame_library(data),
    )


def _sort_by_time(rows: Batch) -> Batch:
    # Rows with a positive weight, sorted by time if it is given.
    kept = np.arange(rows.table.rows) if rows.weights is None else np.flatnonzero(rows.weights != 0)
    order = rows.metadata.get("order")
    if order is not None:
        kept = kept[np.argsort(time_ranks(order[kept]), kind="stable")]
    return rows.take(kept) if len(kept) < rows.table.rows or order is not None else rows


def _split_by_time(rows: Batch, first: float, *, ordered: bool) -> tuple[Batch, Batch | None]:
    # The training rows and the later rows; classes are those of the training rows, with code −1 for any other class.
    number = int(first * rows.table.rows) if ordered else rows.table.rows
    if ordered and not 0 < number < rows.table.rows:
        raise DataError(
            f"first={first:g} puts {number} of {rows.table.rows} rows into the first part: both parts must have rows",
            advice=lambda words: f"Give more rows, or another {words.option('first')}.",
        )
    codes, classes = rows.classes.codes.astype(np.int64, copy=False), rows.classes.classes
    there = np.bincount(codes[:number], minlength=len(classes)) > 0
    place = np.where(there, np.cumsum(there) - 1, -1)
    known = classes.take(there) if not there.all() else classes
    parts = [
        _slice_rows(rows, slice(at, end), place[codes], known) for at, end in ((0, number), (number, rows.table.rows))
    ]
    return parts[0], parts[1] if ordered else None


def _slice_rows(rows: Batch, at: slice, codes: IntArray, classes: Axis) -> Batch:
    weights = None if rows.weights is None else rows.weights[at]
    return Batch(rows.table.take(at), Target(codes[at], classes, 0), weights)


def _later(
    rest: Batch,
    narrow: NaiveBayesModel,
    whole_model: NaiveBayesModel,
    metric: tuple[str, int | None],
    costs: DetectionCosts,
) -> Later:
    table = rest.table.aligned(narrow.schema.names).table
    weights = np.ones(table.rows) if rest.weights is None else rest.weights.astype(np.float64)
    narrow_value, whole_value = (
        measure(*metric, each.score(table, "joint").values, each.log_prior, rest.classes.codes, weights, costs)
        for each in (narrow, whole_model)
    )
    return Later(table.rows, narrow_value, whole_value)


def _metric(metric: str | None, positive: Any, model: NaiveBayesModel) -> tuple[str, int]:
    classes, weight = model.classes, model.tally.weight
    at = positive_class(classes, weight, positive)
    if metric is None:
        return "average_precision" if positive is not None or len(classes) <= 2 else "balanced_accuracy", at
    option("metric", metric, METRICS)
    if metric.endswith("_detection_cost") and len(classes) > 2:
        raise ParameterError(
            f"detection costs are defined for two classes: there are {len(classes)}",
            parameter="metric",
            got=metric,
            advice="Use another metric, such as log_loss.",
        )
    return metric, at


def _check_number_of_bins(bins: object) -> int:
    number = check_bins(bins)
    if number is None or number < 2:
        raise ParameterError(f"bins must be a whole number from 2 to 4096: got {bins!r}. Give for example 16.")
    return number


def _check_thresholds(threshold: object, first: object, redundant: object) -> None:
    if threshold is not None and (not is_real(threshold) or not float(cast("float", threshold)) > 0):
        raise ParameterError(
            f"threshold must be a similarity > 0: got {threshold!r}. Columns with that similarity or more are dropped; "
            "omit it to choose the threshold by cross-validation."
        )
    if not is_real(first) or not 0 < float(cast("float", first)) < 1:
        raise ParameterError(
            f"first must be a fraction of the rows between 0 and 1: got {first!r}. Give for example 0.7."
        )
    if not is_real(redundant) or not -1 <= float(cast("float", redundant)) <= 1:
        raise ParameterError(f"redundant must be a correlation from −1 to 1: got {redundant!r}. Give for example 0.8.")
