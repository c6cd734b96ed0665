"""k-fold in two passes: what each fold holds is collected once, and each row is scored by the model of the other folds.

    pass one    S_f, the statistics of fold f; those of the others, Σ_{g≠f} S_g, are sums of sums from both ends
    pass two    log p(c, x) of the rows of fold f under the model of Σ_{g≠f} S_g

So the answer is that of fitting k times, and the data are read twice. Nothing is held fixed: levels, vocabulary, bins
and the default prior are those of the other folds. Only the classes are those of all rows: one that the others have not
seen has no weight there, so that an empirical prior gives it probability 0.

A matrix of numbers is read where it lies, by a kernel that knows the fold of each row. Other rows are brought into the
order of the folds first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, final

import numpy as np
import numpy.typing as npt

from suffice.decisions.calibrating import UnseenRows
from suffice.engines import arrays
from suffice.engines.collection import collect
from suffice.engines.collection_by_part import collect_by_part, has_parts_in_place
from suffice.engines.gathering import gathered
from suffice.engines.table import Matrix, Table
from suffice.errors import ParameterError
from suffice.models import NaiveBayesModel
from suffice.models.score import Scorer
from suffice.models.score_parts import joint_of_parts
from suffice.statistics import Axis
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = ["FoldedRows", "fold_models", "models_of_folds", "out_of_fold", "rows_out_of_fold"]


@final
@dataclass(frozen=True, slots=True, eq=False)
class FoldedRows:
    """Rows with the columns of the schema, and which of them are held out together.

    Parameters
    ----------
    table : Table with the columns of the schema
    codes, classes : the class of each row; a negative code is a row without one, which is scored and not learnt from
    weights : array of rows, optional
    folds : array of whole numbers ≥ 0, one for each row
    """

    table: Table
    codes: IntArray
    classes: Axis
    weights: npt.NDArray[Any] | None
    folds: IntArray

    def __post_init__(self) -> None:
        folds, rows = self.folds, self.table.rows
        if folds.shape != (rows,) or (rows and int(folds.min()) < 0):
            raise ParameterError(
                f"folds must have a whole number ≥ 0 for each of the {rows} rows: got shape {folds.shape}"
                + (f" with {int(folds.min())}." if folds.size and int(folds.min()) < 0 else ".")
            )
        filled = int(np.count_nonzero(self.sizes()))
        if filled < 2:
            raise ParameterError(
                f"there must be at least two folds with rows: got {filled} of {rows} rows. "
                "Use more folds, or give more rows."
            )

    def sizes(self) -> IntArray:
        """Return how many rows each fold has."""
        return np.bincount(self.folds) if len(self.folds) else np.zeros(0, dtype=np.int64)

    def bounds(self) -> list[int]:
        """Return where each fold starts and the last one ends, in rows that are sorted by fold."""
        return [0, *np.cumsum(self.sizes()).tolist()]

    def order(self) -> IntArray | None:
        """Return the rows fold by fold, or None where they are in that order already."""
        if (np.diff(self.folds) >= 0).all():
            return None
        few = len(self.sizes()) < 2**16
        return np.argsort(
            self.folds.astype(np.uint16) if few else self.folds, kind="stable"
        )  # of short ones by counting

    def sorted(self, order: IntArray | None) -> FoldedRows:
        """Return the rows in that order."""
        if order is None:
            return self
        weights = None if self.weights is None else self.weights[order]
        return FoldedRows(self.table.take(order), self.codes[order], self.classes, weights, self.folds[order])


def out_of_fold(model: NaiveBayesModel, rows: FoldedRows) -> FloatArray:
    """Return log p(c, x), rows × classes, of each row under the model of all rows of the other folds.

    The schema, reading and class prior are the model's; what it has seen is not used.
    """
    return _scored(model, rows, lambda others: others.scorer)[0]


def rows_out_of_fold(model: NaiveBayesModel, rows: FoldedRows) -> UnseenRows:
    """Return log p(x|c) and log p(c) of each row under the model of the other folds, as calibrations are learnt."""
    likelihood, trained = _scored(model, rows, lambda others: others.bare_scorer)
    priors = np.array([others.log_prior for others in trained])
    return UnseenRows(likelihood, priors[rows.folds], rows.codes, rows.weights)


def fold_models(model: NaiveBayesModel, rows: FoldedRows) -> tuple[NaiveBayesModel, ...]:
    """Return for each fold the model of all rows of the others, over all classes; as in `out_of_fold`."""
    return _others(models_of_folds(model, rows))


def models_of_folds(model: NaiveBayesModel, rows: FoldedRows) -> tuple[NaiveBayesModel, ...]:
    """Return for each fold the model of its own rows, over all classes; as in `out_of_fold`."""
    if has_parts_in_place(model.schema.plan(), rows.table):
        return _in_place(model, rows)
    return _one_by_one(model, rows.sorted(rows.order()))


def _scored(
    model: NaiveBayesModel, rows: FoldedRows, scorer: Callable[[NaiveBayesModel], Scorer]
) -> tuple[FloatArray, Sequence[NaiveBayesModel]]:
    # The joint of each row under what the scorer of the others' model says, and those models.
    if isinstance(rows.table, Matrix) and has_parts_in_place(model.schema.plan(), rows.table):
        trained = _others(_in_place(model, rows))
        return joint_of_parts([scorer(others) for others in trained], rows.table, rows.folds), trained
    order = rows.order()
    moved = rows.sorted(order)
    trained = _others(_one_by_one(model, moved))
    parts = [
        scorer(others).score(moved.table.take(slice(start, end)), "joint").values
        for (start, end), others in zip(pairwise(moved.bounds()), trained, strict=True)
        if start < end
    ]
    together = np.concatenate(parts)
    if order is None:
        return together, trained
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return gathered(together, place), trained


def _in_place(model: NaiveBayesModel, rows: FoldedRows) -> tuple[NaiveBayesModel, ...]:
    given = rows.table, rows.codes, rows.classes.declare(), rows.weights, rows.folds
    each = collect_by_part(model.schema.plan(), *given)
    return tuple(NaiveBayesModel(model.schema, *seen, model.reading, model.class_prior) for seen in each)


def _one_by_one(model: NaiveBayesModel, rows: FoldedRows) -> tuple[NaiveBayesModel, ...]:
    # Of rows that are sorted by fold.
    plan, lasting = model.schema.plan(), rows.classes.declare()
    each: list[NaiveBayesModel] = []
    for start, end in pairwise(rows.bounds()):
        own = rows.codes[start:end]
        heavy = None if rows.weights is None else rows.weights[start:end]
        tally = arrays.tally(own, lasting, weights=heavy)
        parts = collect(plan, rows.table.take(slice(start, end)), own, lasting, heavy)
        each.append(NaiveBayesModel(model.schema, tally, parts, model.reading, model.class_prior))
    return tuple(each)


def _others(each: Sequence[NaiveBayesModel]) -> tuple[NaiveBayesModel, ...]:
    before = list(accumulate(each[:-1]))  # of fold 0, of folds 0 and 1, …
    after = list(accumulate(reversed(each[1:])))[::-1]
    between = [left + right for left, right in zip(before, after[1:], strict=False)]
    return after[0], *between, before[-1]
