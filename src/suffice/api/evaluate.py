"""Evaluation of a model on held-out rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from suffice.api.counting import to_count, warn_of_incomplete_cells
from suffice.api.fit import fit, is_calibrated
from suffice.api.inference import schema_of
from suffice.api.model import Model, sum_log_joint
from suffice.api.options import reading_of, readings_of
from suffice.arguments import find_class, whole_number
from suffice.engines import arrays
from suffice.errors import DataError, ParameterError, UnseenClassesWarning, counted
from suffice.evidence.cross_fitting import choose_schema
from suffice.evidence.evaluation import Evaluation, EvaluationOptions, InformationCriteria, LabelledRows, measure_rows
from suffice.evidence.evaluation.classifiers import (
    ClassifierMeasured,
    FoldSplit,
    NamedClassifier,
    TrainingRows,
    classifiers_of,
    measure_classifiers,
)
from suffice.evidence.evaluation.evaluation import calibrated_posterior
from suffice.evidence.evaluation.held_out import (
    HeldOut,
    blocks_in_order,
    grouped_folds,
    other_folds,
    prequential,
    stratified_folds,
)
from suffice.evidence.folds import FoldedRows
from suffice.likelihoods.block_statistics import Reading, align_classes
from suffice.models import ClassPrior, NaiveBayesModel
from suffice.records import RecordList, frame_library
from suffice.sources import HEAD, Batch, OnProgress, rows_from
from suffice.sources.metadata import group_codes, time_ranks
from suffice.sources.source import aligned_table
from suffice.statistics import Axis
from suffice.statistics.arrays import FloatArray, IntArray
from suffice.statistics.axis import Columns
from suffice.warnings import list_some, notify, warn_many_classes, warn_one_class

__all__ = ["evaluate"]

_FOLDS = 10
_MOST_LEFT_OUT = 5_000


def evaluate(
    data: Any,
    target: Any = None,
    *,
    columns: Any = None,
    class_prior: Any = "empirical",
    estimate: str = "predictive",
    weights: npt.ArrayLike | str | None = None,
    folds: int | None = None,
    loo: bool = False,
    test: Any = None,
    groups: Any = None,
    order: Any = None,
    readings: Any = None,
    compare: Any = None,
    bootstrap: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
    positive: Any = None,
    detection_prior: float = 0.5,
    cost_miss: float = 1.0,
    cost_false_alarm: float = 1.0,
    max_levels: int = 10_000,
    progress: OnProgress | None = None,
    calibrate: Literal["auto"] | bool = "auto",
) -> Evaluation:
    """Return metrics of a model on rows that it was not fitted on, by cross-validation or on a test set.

    Parameters
    ----------
    data, target, columns, class_prior, estimate, weights, max_levels, progress
        As in `fit`. Files must fit into memory, unless there is a `test` set.
    folds : int from 2 to the number of rows, optional
        Number of stratified folds; each fold is scored by the model of the others. 10 by default.
    loo : bool
        Leave-one-out: folds of one row, for up to 5,000 rows.
    test : (data, target) or (data, target, weights), or a single table; optional
        Fit on all of `data` and evaluate on these rows instead of by cross-validation. A single table can be given if
        `target` and `weights` are column names.
    groups : array, or the name of a column, optional
        Rows of one group are in the same fold, and the bootstrap draws groups. A column named here is not a feature.
    order : array of numbers, times or text, or the name of a column, optional
        Time order for forward validation: the rows are split into folds + 1 blocks, and each block after the first is
        scored by a model fitted on the preceding blocks. A column named here is not a feature.
    readings : True, or {"estimate": […], "alpha": […], "class_prior": […]}, optional
        Other estimators and priors to compare on the same statistics; True compares all estimates, λ from 0.01 to 10,
        and two class priors.
    compare : classifiers of scikit-learn, or their names, optional
        Other classifiers to evaluate on the same held-out rows, each fitted on the same training rows: `compared` of
        the result. Names: "logistic-regression", "gradient-boosting", "random-forest", "decision-tree" and
        "nearest-neighbors". Numbers are scaled, categories are one-hot encoded and texts become tf-idf weights, all
        within the training rows; a Pipeline gets the rows unchanged.
    bootstrap : int from 0 to 100,000
        Number of bootstrap draws for the intervals; 0 for no intervals.
    seed : int ≥ 0
        Seed for folds and bootstrap.
    confidence : float between 0 and 1
        Confidence level of the intervals: they extend from the (1 − confidence)/2 to the (1 + confidence)/2 quantile of
        the bootstrap draws.
    positive : label, optional
        Positive class of two, for average precision and detection costs; by default the rarer one.
    detection_prior, cost_miss, cost_false_alarm : float
        Prior and costs of the detection cost metrics.
    calibrate : "auto" or False
        "auto" evaluates calibrated probabilities, as returned by `fit`: each fold with a calibration estimated on the
        others (with `order`, on the blocks before it), a test set with one estimated on folds of `data`. False
        evaluates the uncalibrated posterior. `readings` are compared without calibration.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> import numpy as np
    >>> from suffice.likelihoods import Gaussian
    >>> rows = np.array([[1.0], [2.0], [1.5], [8.0], [9.0], [8.5]])
    >>> labels = ["low", "low", "low", "high", "high", "high"]
    >>> found = evaluate(rows, labels, columns=Gaussian(), folds=3, bootstrap=100)
    >>> found["accuracy"]
    Metric(name='accuracy', value=1.0, lower=1.0, upper=1.0)
    """
    measured: dict[str, Any] = {"bootstrap": bootstrap, "seed": seed, "confidence": confidence, "positive": positive}
    measured |= {"detection_prior": detection_prior, "cost_miss": cost_miss, "cost_false_alarm": cost_false_alarm}
    options, classifiers = EvaluationOptions(**measured), classifiers_of(compare)
    _require_one_way(folds, loo=loo, test=test, groups=groups, order=order)
    if test is not None:
        model = fit(
            data,
            target,
            columns=columns,
            class_prior=class_prior,
            estimate=estimate,
            weights=weights,
            max_levels=max_levels,
            progress=progress,
            calibrate=calibrate,
        )
        rows, classes, row_weights = _test_set(test, target, weights)
        found = model.evaluate(rows, classes, weights=row_weights, readings=readings, progress=progress, **measured)
        if not classifiers:
            return found
        training = _load(data, target, weights, None, None, None).rows
        with rows_from(rows, classes, row_weights, like=model.like) as source:
            later = source.load().labelled()
        return _compared_on_test(found, model, training, later, classifiers, options)
    calibrate = is_calibrated(calibrate)
    number = whole_number("folds", folds if folds is not None else _FOLDS, 2)
    loaded = _load(data, target, weights, groups, order, progress)
    table, classes = loaded.rows.table, loaded.rows.classes
    if not table.rows:
        raise DataError("there are no labelled rows to evaluate on. Give rows and their classes.")
    tally = arrays.tally(classes.codes, classes.classes, weights=loaded.rows.weights)
    warn_many_classes(tally, target)
    warn_one_class(tally)
    if positive is not None:
        find_class(tally.classes, positive)  # report an unknown class before the expensive part
    schema = schema_of(columns, table.names, lambda: table.head(HEAD), max_levels, loaded.texts)
    reading, prior = reading_of(estimate, None, schema.width), ClassPrior.of(class_prior)
    empty = NaiveBayesModel.empty(schema, reading, prior)
    rows = loaded.rows._replace(table=aligned_table(table, schema))
    if calibrate and reading.estimate != "mle":  # the form of each column is selected once, as in fit
        empty = replace(empty, schema=choose_schema(empty, to_count(rows)))
    held_out, held = _hold_out(empty, loaded._replace(rows=rows), number, seed, loo=loo)
    warn_of_incomplete_cells(schema, rows)
    row_weights = _warn_of_unseen_classes(held_out, held)
    compared = readings_of(readings, empty)
    if not calibrate or reading.estimate == "mle":
        posterior = held_out.posterior(reading, prior)
    else:
        apart = held.folds
        if apart is None:
            apart = stratified_folds(held.codes, min(_FOLDS, len(held.codes)), seed)
        posterior, changed = calibrated_posterior(
            held_out, empty, held.codes, row_weights, apart, in_order=loaded.order is not None, many=loo
        )
        held = held._replace(how=f"{held.how}, with calibrated probabilities") if changed else held
    evaluation = measure_rows(held.classes, posterior, held, options, held_out, *compared)
    library = frame_library(data)
    if classifiers:
        splits = _split_folds(held, rows.table.rows, in_order=loaded.order is not None)
        codes = rows.classes.codes.astype(np.int64, copy=False)
        given = TrainingRows.of([rows.table], schema, codes, _float_weights(rows), library)
        evaluation = _with_classifiers(evaluation, classifiers, given, splits, held, options)
    criteria = _criteria(empty, rows)
    return replace(evaluation, left_out=schema.left_out, criteria=criteria, library=library)


def _criteria(empty: NaiveBayesModel, rows: Batch) -> InformationCriteria | None:
    # AIC and BIC of the model of all rows by maximum likelihood; a given class prior is kept.
    if not all(block.likelihood.is_likelihood for block in empty.schema.blocks):
        return None
    prior = empty.class_prior if empty.class_prior.kind in ("given", "uniform") else ClassPrior("empirical")
    model = empty.read(Reading("mle"), prior).count(rows.table, rows.classes, rows.weights)
    total = float(model.tally.weight.sum())
    if not total > 0:
        return None
    return InformationCriteria.of(model.n_parameters(), sum_log_joint(model, rows), total)


def _split_folds(held: LabelledRows, rows: int, *, in_order: bool) -> list[FoldSplit]:
    # Fold number −1 marks rows that are only in training sets.
    fold_of = np.full(rows, -1, dtype=np.int64)
    at = np.arange(rows) if held.rows is None else held.rows
    fold_of[at] = np.arange(rows) if held.folds is None else held.folds
    place = np.zeros(rows, dtype=np.int64)
    place[at] = np.arange(len(at))
    splits: list[FoldSplit] = []
    for fold in np.unique(fold_of[at]).tolist():
        score = np.flatnonzero(fold_of == fold)
        splits.append(FoldSplit(np.flatnonzero(fold_of < fold if in_order else fold_of != fold), score, place[score]))
    return splits


def _with_classifiers(
    evaluation: Evaluation,
    classifiers: Sequence[NamedClassifier],
    rows: TrainingRows,
    splits: Sequence[FoldSplit],
    held: LabelledRows,
    options: EvaluationOptions,
    class_weight: FloatArray | None = None,
) -> Evaluation:
    own = ClassifierMeasured.of("suffice", {metric.name: metric.value for metric in evaluation.metrics})
    others = measure_classifiers(classifiers, rows, splits, held, held.classes, options, class_weight)
    ranked = sorted([own, *others], key=lambda each: math.inf if each.log_loss is None else each.log_loss)
    return replace(evaluation, compared=RecordList(ranked))


def _compared_on_test(
    evaluation: Evaluation,
    model: Model,
    training: Batch,
    later: Batch,
    classifiers: Sequence[NamedClassifier],
    options: EvaluationOptions,
) -> Evaluation:
    axis = Axis.of(evaluation.classes)
    tables = [aligned_table(each.table, model.schema) for each in (training, later)]
    codes = [axis.positions(each.classes.classes)[each.classes.codes.astype(np.int64)] for each in (training, later)]
    weights = [_float_weights(each) for each in (training, later)]
    number, scored = training.table.rows, later.table.rows
    both = None
    if any(each is not None for each in weights):
        filled = zip(weights, (number, scored), strict=True)
        both = np.concatenate([np.ones(size) if each is None else each for each, size in filled])
    rows = TrainingRows.of(tables, model.schema, np.concatenate(codes), both, evaluation.library)
    split = FoldSplit(np.arange(number), np.arange(number, number + scored), np.arange(scored))
    held = LabelledRows(evaluation.how, codes[1], axis, weights[1])
    weight = align_classes(model.core.tally.weight, model.core.classes, axis)
    return _with_classifiers(evaluation, classifiers, rows, [split], held, options, weight)


def _float_weights(rows: Batch) -> FloatArray | None:
    return None if rows.weights is None else rows.weights.astype(np.float64)


class _LoadedRows(NamedTuple):
    """Labelled rows, their document columns, and the group and time rank of each row."""

    rows: Batch
    texts: Columns
    groups: IntArray | None
    order: IntArray | None


def _load(data: Any, target: Any, weights: Any, groups: Any, order: Any, progress: OnProgress | None) -> _LoadedRows:
    described = {"groups": groups, "order": order}
    with rows_from(data, target, weights, metadata=described, progress=progress) as source:
        loaded = source.load()
        rows, texts = loaded.labelled(), source.texts
    groups, order = (rows.metadata.get(what) for what in described)
    try:
        return _LoadedRows(
            rows,
            texts,
            None if groups is None else _without_gaps(group_codes(groups)),
            None if order is None else _without_gaps(time_ranks(order)),
        )
    except DataError as reason:  # which counts the rows that have a class
        numbers = np.flatnonzero(loaded.classes.codes >= 0)
        raise reason.located(row=None if reason.row is None else int(numbers[reason.row])) from None


def _without_gaps(values: IntArray) -> IntArray:
    # Consecutive codes again, after rows without a class were dropped.
    return np.unique(values, return_inverse=True)[1].reshape(-1)


def _warn_of_unseen_classes(held_out: HeldOut, held: LabelledRows) -> FloatArray:
    # Warns of rows whose class is not in the training rows of the model that scores them; returns the weights of rows
    # for calibration, 0 for these.
    row_weights = np.ones(len(held.codes)) if held.weights is None else held.weights
    unseen = held_out.unseen(held.codes, held.classes)
    numbers = np.bincount(held.codes[unseen & (row_weights > 0)], minlength=len(held.classes)).tolist()
    new = [(label, number) for label, number in zip(held.classes, numbers, strict=True) if number]
    if new:
        total = sum(numbers)
        shown = list_some(new, lambda pair: f"{pair[0]!r} ({counted(pair[1], 'row')})")
        notify(
            UnseenClassesWarning,
            f"{counted(total, 'row')} {'was' if total == 1 else 'were'} scored by a model whose training rows do not "
            f"include {'its' if total == 1 else 'their'} class: {shown}",
            kind="unseen_fold_classes",
            advice="Add rows of these classes, or remove the classes.",
        )
    return np.where(unseen, 0.0, row_weights)


def _hold_out(
    model: NaiveBayesModel, loaded: _LoadedRows, folds: int, seed: int, *, loo: bool
) -> tuple[HeldOut, LabelledRows]:
    table, (codes, classes, _, _), weights = loaded.rows.table, loaded.rows.classes, loaded.rows.weights
    codes = codes.astype(np.int64, copy=False)
    row_weights = None if weights is None else weights.astype(np.float64)
    if loo:
        if not 2 <= table.rows <= _MOST_LEFT_OUT:
            raise ParameterError(
                f"leave-one-out supports 2 to {_MOST_LEFT_OUT:,} rows: got {table.rows:,}",
                parameter="loo",
                advice=lambda words: f"Use {words.option('folds', _FOLDS)} instead, or a subset of the rows.",
            )
        held_out = other_folds(model, FoldedRows(table, codes, classes, weights, np.arange(table.rows)))
        return held_out, LabelledRows("leave-one-out", codes, classes, row_weights)
    if loaded.order is not None:
        blocks = blocks_in_order(loaded.order, folds + 1)
        held_out, at = prequential(model, FoldedRows(table, codes, classes, weights, blocks))
        how = (
            f"{folds} time-ordered blocks, each scored by a model of all earlier rows (the first "
            f"{counted(table.rows - len(at), 'row')} used for training only)"
        )
        later = None if row_weights is None else row_weights[at]
        return held_out, LabelledRows(how, codes[at], classes, later, None, blocks[at] - 1, at)
    if loaded.groups is not None:
        of_rows = grouped_folds(codes, loaded.groups, folds, seed)
        how = f"{folds} grouped folds"
    else:
        of_rows = stratified_folds(codes, folds, seed)
        how = f"{folds} stratified folds"
    held_out = other_folds(model, FoldedRows(table, codes, classes, weights, of_rows))
    return held_out, LabelledRows(how, codes, classes, row_weights, loaded.groups, of_rows)


def _test_set(test: Any, target: Any, weights: Any) -> tuple[Any, Any, Any]:
    if isinstance(test, tuple) and len(cast("tuple[Any, ...]", test)) in (2, 3):
        rows, classes, *row_weights = cast("tuple[Any, ...]", test)
        return rows, classes, row_weights[0] if row_weights else None
    if not isinstance(target, (str, int)):
        raise ParameterError(
            "test must be (data, target) when target is not a column name",
            parameter="test",
            advice="Pass the class labels of the test rows.",
        )
    return cast("Any", test), target, weights if isinstance(weights, (str, int)) else None


def _require_one_way(folds: object, *, loo: bool, test: object, groups: object, order: object) -> None:
    given = [name for name, there in (("folds", folds is not None), ("loo", loo), ("test", test is not None)) if there]
    if len(given) > 1:
        raise _both("folds, loo and test are mutually exclusive", given)
    beside = [name for name, there in (("groups", groups is not None), ("order", order is not None)) if there]
    if len(beside) > 1:
        raise _both("groups and order are mutually exclusive", beside)
    if beside and (loo or test is not None):
        raise _both("groups and order apply only to cross-validation folds", [beside[0], given[0]])


def _both(problem: str, names: list[str]) -> ParameterError:
    return ParameterError(
        problem,
        parameter=names[0],
        advice=lambda words: f"Leave out {' or '.join(words.option(name) for name in names)}.",
    )
