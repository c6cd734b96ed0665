"""k-fold in two passes: what each fold holds is collected once, and each row is scored by the model of the other folds.

    pass one    S_f, the statistics of fold f; those of the others, Σ_{g≠f} S_g, are sums of sums from both ends
    pass two    log p(c, x) of the rows of fold f under the model of Σ_{g≠f} S_g

So the answer is that of fitting k times, and the data are read twice. Nothing is held fixed: levels, vocabulary, bins
and the default prior are those of the other folds. Only the classes are those of all rows: one that the others have not
seen has no weight there, so that an empirical prior gives it probability 0.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from suffice.decisions.calibrating import UnseenRows
from suffice.engines import arrays
from suffice.engines.collection import collect
from suffice.engines.gathering import gathered
from suffice.engines.table import Table
from suffice.errors import ParameterError
from suffice.models import NaiveBayesModel
from suffice.statistics import Axis
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = ["fold_models", "models_of_folds", "out_of_fold", "rows_out_of_fold"]


def out_of_fold(
    model: NaiveBayesModel,
    table: Table,
    codes: IntArray,
    classes: Axis,
    weights: npt.NDArray[Any] | None,
    folds: IntArray,
) -> FloatArray:
    """Return log p(c, x), rows × classes, of each row under the model of all rows of the other folds.

    Parameters
    ----------
    model : NaiveBayesModel
        Its schema, reading and class prior are used, not what it has seen.
    table : Table with the columns of the schema
    codes, classes : the class of each row; a negative code is a row without one, which is scored and not learnt from
    weights : array of rows, optional
    folds : array of whole numbers ≥ 0, one for each row
    """
    order, held = _held_out(model, table, codes, classes, weights, folds)
    scores = [others.score(rows, "joint").values for rows, others in held]
    return _as_given(scores, order)


def rows_out_of_fold(
    model: NaiveBayesModel,
    table: Table,
    codes: IntArray,
    classes: Axis,
    weights: npt.NDArray[Any] | None,
    folds: IntArray,
) -> UnseenRows:
    """Return log p(x|c) and log p(c) of each row under the model of the other folds, as calibrations are learnt."""
    order, held = _held_out(model, table, codes, classes, weights, folds)
    likelihood = [others.likelihood(rows).values for rows, others in held]
    priors = [np.broadcast_to(others.log_prior, (rows.rows, len(classes))) for rows, others in held]
    return UnseenRows(_as_given(likelihood, order), _as_given(priors, order), codes, weights)


def _held_out(
    model: NaiveBayesModel,
    table: Table,
    codes: IntArray,
    classes: Axis,
    weights: npt.NDArray[Any] | None,
    folds: IntArray,
) -> tuple[IntArray | None, list[tuple[Table, NaiveBayesModel]]]:
    # The order of the rows fold by fold, and of each fold its rows and the model of the others.
    order, bounds = _sorted_by_fold(folds, table.rows)
    rows = table if order is None else table.take(order)
    own, heavy = _in_order(codes, order), None if weights is None else _in_order(weights, order)
    trained = _others(_each_fold(model, rows, own, classes, heavy, bounds))
    each = zip(pairwise(bounds), trained, strict=True)
    return order, [(rows.take(slice(start, end)), others) for (start, end), others in each if start < end]


def _as_given(parts: list[FloatArray], order: IntArray | None) -> FloatArray:
    together = np.concatenate(parts)
    if order is None:
        return together
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return gathered(together, place)


def fold_models(
    model: NaiveBayesModel,
    table: Table,
    codes: IntArray,
    classes: Axis,
    weights: npt.NDArray[Any] | None,
    folds: IntArray,
) -> tuple[NaiveBayesModel, ...]:
    """Return for each fold the model of all rows of the others, over all classes; parameters as `out_of_fold`."""
    order, bounds = _sorted_by_fold(folds, table.rows)
    rows = table if order is None else table.take(order)
    heavy = None if weights is None else _in_order(weights, order)
    return _others(_each_fold(model, rows, _in_order(codes, order), classes, heavy, bounds))


def models_of_folds(
    model: NaiveBayesModel,
    table: Table,
    codes: IntArray,
    classes: Axis,
    weights: npt.NDArray[Any] | None,
    folds: IntArray,
) -> tuple[NaiveBayesModel, ...]:
    """Return for each fold the model of its own rows, over all classes; parameters as `out_of_fold`."""
    order, bounds = _sorted_by_fold(folds, table.rows)
    rows = table if order is None else table.take(order)
    heavy = None if weights is None else _in_order(weights, order)
    return tuple(_each_fold(model, rows, _in_order(codes, order), classes, heavy, bounds))


def _sorted_by_fold(folds: IntArray, rows: int) -> tuple[IntArray | None, list[int]]:
    # The rows fold by fold (None: they are already), and where each fold starts.
    if folds.shape != (rows,) or (rows and int(folds.min()) < 0):
        raise ParameterError(
            f"folds must have a whole number ≥ 0 for each of the {rows} rows: got shape {folds.shape}"
            + (f" with {int(folds.min())}." if folds.size and int(folds.min()) < 0 else ".")
        )
    sizes = np.bincount(folds) if rows else np.zeros(0, dtype=np.int64)
    if np.count_nonzero(sizes) < 2:
        raise ParameterError(
            f"there must be at least two folds with rows: got {np.count_nonzero(sizes)} of {rows} rows. "
            "Use more folds, or give more rows."
        )
    bounds = [0, *np.cumsum(sizes).tolist()]
    if (np.diff(folds) >= 0).all():
        return None, bounds
    short = folds.astype(np.uint16) if len(sizes) < 2**16 else folds  # sorted by counting, not by comparing
    return np.argsort(short, kind="stable"), bounds


def _in_order(values: npt.NDArray[Any], order: IntArray | None) -> npt.NDArray[Any]:
    return values if order is None else values[order]


def _each_fold(
    model: NaiveBayesModel,
    table: Table,
    codes: IntArray,
    classes: Axis,
    weights: npt.NDArray[Any] | None,
    bounds: list[int],
) -> list[NaiveBayesModel]:
    plan, lasting = model.schema.plan(), classes.declare()
    each: list[NaiveBayesModel] = []
    for start, end in pairwise(bounds):
        own = codes[start:end]
        heavy = None if weights is None else weights[start:end]
        tally = arrays.tally(own, lasting, weights=heavy)
        parts = collect(plan, table.take(slice(start, end)), own, lasting, heavy)
        each.append(NaiveBayesModel(model.schema, tally, parts, model.reading, model.class_prior))
    return each


def _others(each: list[NaiveBayesModel]) -> tuple[NaiveBayesModel, ...]:
    before = list(accumulate(each[:-1]))  # of fold 0, of folds 0 and 1, …
    after = list(accumulate(reversed(each[1:])))[::-1]
    between = [left + right for left, right in zip(before, after[1:], strict=False)]
    return after[0], *between, before[-1]
