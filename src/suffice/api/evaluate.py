"""Evaluate: how good a model of such rows is on rows that it has not seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from suffice.api.beside_rows import groups_of, named_values, order_of
from suffice.api.blocks import schema_of
from suffice.api.file_rows import file_rows
from suffice.api.files import OnProgress
from suffice.api.fit import fit
from suffice.api.inference import HEAD
from suffice.api.measuring import known_rows, measured_model, no_class
from suffice.api.notices import UnseenClassesWarning, notify, number_of_classes, one_class
from suffice.api.reading import reading_of
from suffice.api.readings import readings_of
from suffice.api.seen import Rows, aligned_table, counted_model, incomplete_cells, rows_of
from suffice.conjugate.arguments import whole
from suffice.engines import arrays
from suffice.engines.files import Files
from suffice.engines.table import Frame
from suffice.errors import DataError, ParameterError
from suffice.evidence.evaluation import Asked, DetectionCosts, Evaluation, HeldRows, evaluated
from suffice.evidence.evaluation.calibrated import calibrated_posterior
from suffice.evidence.evaluation.held_out import HeldOut, LeftOut, Parts, other_folds, prequential
from suffice.evidence.evaluation.splits import blocks_in_order, grouped_folds, stratified_folds
from suffice.evidence.folds import FoldedRows
from suffice.likelihoods.aligned import by_class
from suffice.models import ClassPrior, NaiveBayesModel
from suffice.statistics import Tally
from suffice.statistics.columns import Columns
from suffice.statistics.counted import counted
from suffice.statistics.frozen_arrays import BoolArray, IntArray

__all__ = ["evaluate"]

_FOLDS = 10
_SHOWN = 5


def evaluate(
    data: Any,
    target: Any = None,
    columns: Any = None,
    class_prior: Any = "empirical",
    estimate: str = "predictive",
    weights: npt.ArrayLike | str | None = None,
    *,
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
    calibrate: bool = False,
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
        Leave one out instead: each row is scored by the model of all others.
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
    calibrate : bool
        Measure calibrated probabilities: each fold by a calibration that is learnt from the others (in order of time,
        from those before it), rows of `test` by one that leaves rows of `data` out in turn. Readings are compared
        without.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> import numpy as np
    >>> from suffice.likelihoods import Gaussian
    >>> rows = np.array([[1.0], [2.0], [1.5], [8.0], [9.0], [8.5]])
    >>> found = evaluate(rows, ["low", "low", "low", "high", "high", "high"], Gaussian(), folds=3, bootstrap=100)
    >>> found["accuracy"]
    Metric(name='accuracy', value=1.0, lower=1.0, upper=1.0)
    """
    costs = DetectionCosts(detection_prior, cost_miss, cost_false_alarm)
    asked = Asked(bootstrap, seed, level, positive=positive, costs=costs)
    _require_one_way(folds, loo=loo, test=test, groups=groups, order=order)
    if test is not None:
        own = "loo" if calibrate else None
        model = fit(
            data,
            target,
            columns,
            class_prior,
            estimate,
            weights,
            max_levels=max_levels,
            progress=progress,
            calibrate=own,
        )
        return measured_model(model, *_tested(test, target, weights), asked, readings, progress)
    whole("folds", folds if folds is not None else _FOLDS, 2)
    found = _found(data, target, weights, groups, order, progress)
    tally = arrays.tally(found.rows.target.codes, found.rows.target.classes, weights=found.rows.weights)
    if not found.rows.table.rows:
        raise DataError("there is no row with a class to measure on. Give rows, and the class of each.")
    number_of_classes(tally, target)
    one_class(tally)
    schema = schema_of(columns, found.rows.table.names, lambda: found.rows.table.head(HEAD), max_levels, found.texts)
    reading, prior = reading_of(estimate, None, schema.width), ClassPrior.of(class_prior)
    empty = NaiveBayesModel(schema, Tally.zero(), (), reading, prior)
    rows = found.rows._replace(table=aligned_table(found.rows.table, schema))
    if loo:
        if not rows.known:
            raise DataError("there is no row with a class to leave out. Give rows, and the class of each.")
        lasting = rows.target._replace(classes=rows.target.classes.declare())  # one of weight 0 stays a class
        rows = rows._replace(target=lasting)
        empty = counted_model(schema, reading, prior, rows)
    held_out, held = _held_out(empty, found._replace(rows=rows), _FOLDS if folds is None else folds, seed, loo=loo)
    incomplete_cells(schema, rows)
    _unseen_classes(held_out, held)
    compared = readings_of(readings, empty)
    if not calibrate:
        return evaluated(held.classes, held_out.posterior(reading, prior), held, asked, held_out, *compared)
    unseen = held_out.unseen(reading, prior)._replace(codes=held.codes, weights=held.weights)
    apart = held.folds
    if apart is None:
        apart = stratified_folds(held.codes, min(_FOLDS, len(held.codes)), seed)
    posterior = calibrated_posterior(unseen, apart, in_order=found.order is not None)
    return evaluated(held.classes, posterior, held._replace(how=f"{held.how}, calibrated"), asked, held_out, *compared)


class _Found(NamedTuple):
    """Rows that have a class, which of their columns are documents, and what is known of each row beside its cells."""

    rows: Rows
    texts: Columns
    groups: IntArray | None
    order: IntArray | None


def _found(data: Any, target: Any, weights: Any, groups: Any, order: Any, progress: OnProgress | None) -> _Found:
    files = Files.of(data)
    texts: Columns = ()
    if files is not None:
        apart = {what: given for what, given in (("groups", groups), ("order", order)) if isinstance(given, (str, int))}
        rows, texts, beside = file_rows(files, target, weights, apart, progress)
        groups, order = beside.get("groups", groups), beside.get("order", order)
    else:
        if target is None:
            raise DataError("the class of each row is not known. Give target=: an array, or the name of a column.")
        rows = rows_of(data, target, weights)
        named = tuple(given for given in (groups, order) if isinstance(given, str))
        groups, order = (named_values(data, given) if isinstance(given, str) else given for given in (groups, order))
        if named and isinstance(rows.table, Frame):
            rows = rows._replace(table=rows.table.without(named))
    known = known_rows(rows)
    if rows.target.missing:
        no_class(rows.target.missing, rows.table.rows)
    there = np.flatnonzero(rows.target.codes >= 0)
    return _Found(
        known,
        texts,
        _beside(groups, groups_of, rows.table.rows, there),
        _beside(order, order_of, rows.table.rows, there),
    )


def _unseen_classes(held_out: HeldOut, held: HeldRows) -> None:
    # Rows whose class is in none of the rows that the model which scores them has learnt from.
    heavy = np.ones(len(held.codes)) if held.weights is None else held.weights
    unseen: BoolArray = np.zeros(len(held.codes), dtype=np.bool_)
    if isinstance(held_out, LeftOut):
        weight = by_class(held_out.model.tally.weight, held_out.model.classes, held.classes)[held.codes]
        unseen = weight - np.minimum(heavy, 1.0) <= 2.0**-40 * weight
    elif isinstance(held_out, Parts):
        for part in held_out.parts:
            weight = by_class(part.model.tally.weight, part.model.classes, held.classes)
            unseen[part.at] = weight[held.codes[part.at]] == 0
    numbers = np.bincount(held.codes[unseen & (heavy > 0)], minlength=len(held.classes)).tolist()
    new = [
        f"{label!r} ({counted(number, 'row')})" for label, number in zip(held.classes, numbers, strict=True) if number
    ]
    if new:
        shown = ", ".join(new[:_SHOWN]) + f", … {len(new) - _SHOWN:,} more" * (len(new) > _SHOWN)
        notify(
            UnseenClassesWarning,
            f"{counted(sum(numbers), 'row')} had to be scored by a model without any row of the same class: {shown}. "
            "Give more rows of these classes, or leave them out.",
        )


def _beside(given: Any, read: Callable[[Any, int], IntArray], rows: int, there: IntArray) -> IntArray | None:
    return None if given is None else np.unique(read(given, rows)[there], return_inverse=True)[1].reshape(-1)


def _held_out(model: NaiveBayesModel, found: _Found, folds: int, seed: int, *, loo: bool) -> tuple[HeldOut, HeldRows]:
    table, (codes, classes, _, _), weights = found.rows
    heavy = None if weights is None else weights.astype(np.float64)
    if loo:
        return LeftOut(model, table, codes, classes, weights), HeldRows("leave one out", codes, classes, heavy)
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
            "test must be (data, target), because target= is not the name of a column. Give the classes of those rows."
        )
    return cast("Any", test), target, weights if isinstance(weights, (str, int)) else None


def _require_one_way(folds: object, *, loo: bool, test: object, groups: object, order: object) -> None:
    given = [name for name, there in (("folds", folds is not None), ("loo", loo), ("test", test is not None)) if there]
    if len(given) > 1:
        raise ParameterError(f"rows are held out in one way: got {'= and '.join(given)}=. Leave one of them out.")
    beside = [name for name, there in (("groups", groups is not None), ("order", order is not None)) if there]
    if len(beside) > 1:
        raise ParameterError("rows are split by groups or by order: got groups= and order=. Leave one of them out.")
    if beside and (loo or test is not None):
        raise ParameterError(f"{beside[0]}= is about folds: got {given[0]}= too. Leave one of them out.")
