"""Evaluate: how good a model of such rows is on rows that it has not seen."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from suffice.api.blocks import schema_of
from suffice.api.counting import warn_of_incomplete_cells
from suffice.api.fit import fit, is_calibrated
from suffice.api.measuring import measured_model
from suffice.api.options import reading_of, readings_of
from suffice.conjugate.arguments import whole
from suffice.engines import arrays
from suffice.errors import DataError, ParameterError, UnseenClassesWarning
from suffice.evidence.evaluation import Asked, DetectionCosts, Evaluation, HeldRows, evaluated
from suffice.evidence.evaluation.calibrated import calibrated_posterior
from suffice.evidence.evaluation.held_out import HeldOut, other_folds, prequential
from suffice.evidence.evaluation.splits import blocks_in_order, grouped_folds, stratified_folds
from suffice.evidence.folds import FoldedRows
from suffice.models import ClassPrior, NaiveBayesModel
from suffice.sources import HEAD, Batch, OnProgress, rows_from
from suffice.sources.metadata import group_codes, time_ranks
from suffice.sources.source import aligned_table
from suffice.statistics import Tally
from suffice.statistics.columns import Columns
from suffice.statistics.counted import counted
from suffice.statistics.frozen_arrays import FloatArray, IntArray
from suffice.warnings import notify, number_of_classes, one_class

__all__ = ["evaluate"]

_FOLDS = 10
_MOST_LEFT_OUT = 5_000
_SHOWN = 5


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
    bootstrap: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    positive: Any = None,
    detection_prior: float = 0.5,
    cost_miss: float = 1.0,
    cost_false_alarm: float = 1.0,
    max_levels: int = 10_000,
    progress: OnProgress | None = None,
    calibrate: Literal["auto"] | bool = "auto",
) -> Evaluation:
    """Return how good a model of such rows is on rows that it has not seen.

    Parameters
    ----------
    data, target, columns, class_prior, estimate, weights, max_levels, progress
        As in `fit`. Files must fit into memory, unless there is a `test`.
    folds : int from 2 to the number of rows, optional
        The rows are split into so many folds, every class alike, and each fold is scored by the model of the others;
        10 by default.
    loo : bool
        Leave one out instead: folds of one row, for up to 5,000 rows.
    test : (data, target) or (data, target, weights), or data with the columns that target and weights name; optional
        Fit on all of `data` and score these rows instead.
    groups : array, or the name of a column, optional
        Rows of one group lie in one fold, and a bootstrap draws groups. A named column is no feature.
    order : array of numbers, times or text, or the name of a column, optional
        Time: the rows are cut into folds + 1 blocks, and each but the first is scored by the model of the blocks before
        it. A named column is no feature.
    readings : True, or {"estimate": […], "alpha": […], "class_prior": […]}, optional
        Other readings of the same statistics to compare; True takes all estimates, λ from 0.01 to 10, and two class
        priors.
    bootstrap : int from 0 to 100,000
        How many draws the intervals come from; 0 for none.
    seed : int ≥ 0
        The same seed gives the same folds and intervals.
    level : float between 0 and 1
        Of the intervals.
    positive : label, optional
        Which of two classes average precision and detection costs are about; by default the second.
    detection_prior, cost_miss, cost_false_alarm : float
        Of the detection costs.
    calibrate : "auto" or False
        Measure the probabilities that `fit` gives, which are calibrated: each fold by a calibration that is learnt from
        the others (in order of time, from those before it), rows of `test` by one that is learnt from folds of `data`.
        False measures the textbook posterior. Readings are compared without calibration.

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
    costs = DetectionCosts(detection_prior, cost_miss, cost_false_alarm)
    asked = Asked(bootstrap, seed, level, positive=positive, costs=costs)
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
        return measured_model(model, *_tested(test, target, weights), asked, readings, progress)
    calibrate = is_calibrated(calibrate)
    whole("folds", folds if folds is not None else _FOLDS, 2)
    found = _found(data, target, weights, groups, order, progress)
    codes, axis, _, _ = found.rows.classes
    tally = arrays.tally(codes, axis, weights=found.rows.weights)
    if not found.rows.table.rows:
        raise DataError("there is no row with a class to measure on. Give rows, and the class of each.")
    number_of_classes(tally, target)
    one_class(tally)
    schema = schema_of(columns, found.rows.table.names, lambda: found.rows.table.head(HEAD), max_levels, found.texts)
    reading, prior = reading_of(estimate, None, schema.width), ClassPrior.of(class_prior)
    empty = NaiveBayesModel(schema, Tally.zero(), (), reading, prior)
    rows = found.rows._replace(table=aligned_table(found.rows.table, schema))
    held_out, held = _held_out(empty, found._replace(rows=rows), _FOLDS if folds is None else folds, seed, loo=loo)
    warn_of_incomplete_cells(schema, rows)
    heavy = _unseen_classes(held_out, held)
    compared = readings_of(readings, empty)
    if not calibrate or reading.estimate == "mle":
        return evaluated(held.classes, held_out.posterior(reading, prior), held, asked, held_out, *compared)
    apart = held.folds
    if apart is None:
        apart = stratified_folds(held.codes, min(_FOLDS, len(held.codes)), seed)
    likelihoods = held_out.likelihoods(reading, prior)
    posterior, changed = calibrated_posterior(likelihoods, held.codes, heavy, apart, in_order=found.order is not None)
    held = held._replace(how=f"{held.how}, calibrated") if changed else held
    return evaluated(held.classes, posterior, held, asked, held_out, *compared)


class _Found(NamedTuple):
    """Rows that have a class, which of their columns are documents, and the group and rank in time of each row."""

    rows: Batch
    texts: Columns
    groups: IntArray | None
    order: IntArray | None


def _found(data: Any, target: Any, weights: Any, groups: Any, order: Any, progress: OnProgress | None) -> _Found:
    described = {"groups": groups, "order": order}
    with rows_from(data, target, weights, metadata=described, progress=progress) as source:
        loaded = source.load()
        rows, texts = loaded.labelled(), source.texts
    groups, order = (rows.metadata.get(what) for what in described)
    try:
        return _Found(
            rows,
            texts,
            None if groups is None else _places(group_codes(groups)),
            None if order is None else _places(time_ranks(order)),
        )
    except DataError as reason:  # which counts the rows that have a class
        numbers = np.flatnonzero(loaded.classes.codes >= 0)
        raise reason.located(row=None if reason.row is None else int(numbers[reason.row])) from None


def _places(values: IntArray) -> IntArray:
    # Without gaps, where rows without a class were left out.
    return np.unique(values, return_inverse=True)[1].reshape(-1)


def _unseen_classes(held_out: HeldOut, held: HeldRows) -> FloatArray:
    # Warns of rows whose class is in none of the rows that the model which scores them has learnt from; returns the
    # weights that a calibration takes, 0 for these.
    heavy = np.ones(len(held.codes)) if held.weights is None else held.weights
    unseen = held_out.unseen(held.codes, held.classes)
    numbers = np.bincount(held.codes[unseen & (heavy > 0)], minlength=len(held.classes)).tolist()
    new = [
        f"{label!r} ({counted(number, 'row')})" for label, number in zip(held.classes, numbers, strict=True) if number
    ]
    if new:
        shown = ", ".join(new[:_SHOWN]) + f", … {len(new) - _SHOWN:,} more" * (len(new) > _SHOWN)
        notify(
            UnseenClassesWarning,
            f"{counted(sum(numbers), 'row')} had to be scored by a model without any row of the same class: {shown}",
            kind="unseen_fold_classes",
            advice="Give more rows of these classes, or leave them out.",
        )
    return np.where(unseen, 0.0, heavy)


def _held_out(model: NaiveBayesModel, found: _Found, folds: int, seed: int, *, loo: bool) -> tuple[HeldOut, HeldRows]:
    table, (codes, classes, _, _), weights = found.rows.table, found.rows.classes, found.rows.weights
    codes = codes.astype(np.int64, copy=False)
    heavy = None if weights is None else weights.astype(np.float64)
    if loo:
        if not 2 <= table.rows <= _MOST_LEFT_OUT:
            raise ParameterError(
                f"loo=True takes from 2 to {_MOST_LEFT_OUT:,} rows: got {table.rows:,}. Use folds=10 instead, or some "
                "of the rows."
            )
        held_out = other_folds(model, FoldedRows(table, codes, classes, weights, np.arange(table.rows)))
        return held_out, HeldRows("leave one out", codes, classes, heavy)
    if found.order is not None:
        blocks = blocks_in_order(found.order, folds + 1)
        held_out, at = prequential(model, FoldedRows(table, codes, classes, weights, blocks))
        how = f"{folds} blocks, each by the rows before it"
        later = None if heavy is None else heavy[at]
        return held_out, HeldRows(how, codes[at], classes, later, None, blocks[at] - 1, at)
    if found.groups is not None:
        of_rows = grouped_folds(codes, found.groups, folds, seed)
        how = f"{folds} folds, grouped"
    else:
        of_rows = stratified_folds(codes, folds, seed)
        how = f"{folds} folds, stratified"
    held_out = other_folds(model, FoldedRows(table, codes, classes, weights, of_rows))
    return held_out, HeldRows(how, codes, classes, heavy, found.groups, of_rows)


def _tested(test: Any, target: Any, weights: Any) -> tuple[Any, Any, Any]:
    if isinstance(test, tuple) and len(cast("tuple[Any, ...]", test)) in (2, 3):
        rows, classes, *heavy = cast("tuple[Any, ...]", test)
        return rows, classes, heavy[0] if heavy else None
    if not isinstance(target, (str, int)):
        raise ParameterError(
            "test must be (data, target), because target is not the name of a column",
            parameter="test",
            advice="Give the classes of those rows.",
        )
    return cast("Any", test), target, weights if isinstance(weights, (str, int)) else None


def _require_one_way(folds: object, *, loo: bool, test: object, groups: object, order: object) -> None:
    given = [name for name, there in (("folds", folds is not None), ("loo", loo), ("test", test is not None)) if there]
    if len(given) > 1:
        raise _both("rows are held out in one way", given)
    beside = [name for name, there in (("groups", groups is not None), ("order", order is not None)) if there]
    if len(beside) > 1:
        raise _both("rows are split by groups or by order", beside)
    if beside and (loo or test is not None):
        raise _both("groups and order are about folds", [beside[0], given[0]])


def _both(problem: str, names: list[str]) -> ParameterError:
    return ParameterError(
        problem,
        parameter=names[0],
        advice=lambda words: f"Leave out {' or '.join(words.option(name) for name in names)}.",
    )
