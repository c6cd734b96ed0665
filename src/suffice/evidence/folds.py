"""Rows in folds: the statistics of each fold are collected once, and each row is scored by the model of the others.

    S_f             statistics of the rows of fold f
    R               statistics of rows that are in no fold, if any
    model of f      R + Σ_{g≠f} S_g: a sum and never a difference, so that it works for every likelihood

The scores are those of fitting again without the fold. Levels, vocabulary, bins and the default prior are those of the
other rows. Only the classes are those of all rows: a class without rows in the others has weight 0 there, so that
an empirical prior gives it probability 0.

A numeric matrix is read in place, by a kernel that takes the fold of each row. Other tables are first sorted by fold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, final

import numpy as np
import numpy.typing as npt

from suffice.engines.collection import collect, collect_by_part, has_parts_in_place
from suffice.errors import ParameterError
from suffice.models import NaiveBayesModel
from suffice.models.score import Wanted, score_parts
from suffice.sources.table import Matrix, Table
from suffice.statistics import Axis
from suffice.statistics.arrays import FloatArray, IntArray

__all__ = [
    "FoldedRows",
    "evidence_of_folds",
    "fold_models",
    "likelihood_of_folds",
    "models_of_folds",
    "out_of_fold",
    "require_folds",
    "without_each",
]

_FEW_FOLDS = 64  # whose score tables are held at once


@final
@dataclass(frozen=True, slots=True, eq=False)
class FoldedRows:
    """Rows with the columns of the schema, and their folds.

    Parameters
    ----------
    table : Table with the columns of the schema
    codes, classes : the class of each row; rows with a negative code are scored but not used for fitting
    weights : array of rows, optional
    folds : array of integers ≥ 0, one per row
    number : int, optional
        Number of folds, including empty ones at the end; by default the largest fold plus one.
    """

    table: Table
    codes: IntArray
    classes: Axis
    weights: npt.NDArray[Any] | None
    folds: IntArray
    number: int = 0

    def __post_init__(self) -> None:
        folds, rows = self.folds, self.table.rows
        if folds.shape != (rows,) or (rows and int(folds.min()) < 0):
            raise ParameterError(
                f"folds must have an integer ≥ 0 for each of the {rows} rows: got shape {folds.shape}"
                + (f" with {int(folds.min())}." if folds.size and int(folds.min()) < 0 else ".")
            )

    def sizes(self) -> IntArray:
        """Return the number of rows of each fold."""
        return np.bincount(self.folds, minlength=self.number)

    def bounds(self) -> list[int]:
        """Return where each fold starts and the last one ends, in rows that are sorted by fold."""
        return [0, *np.cumsum(self.sizes()).tolist()]

    def order(self) -> IntArray | None:
        """Return the rows fold by fold, or None if they are already in that order."""
        if (np.diff(self.folds) >= 0).all():
            return None
        few = len(self.sizes()) < 2**16
        return np.argsort(
            self.folds.astype(np.uint16) if few else self.folds, kind="stable"
        )  # short integers are sorted by counting

    def sorted(self, order: IntArray | None) -> FoldedRows:
        """Return the rows in that order."""
        if order is None:
            return self
        weights = None if self.weights is None else self.weights[order]
        return FoldedRows(
            self.table.take(order), self.codes[order], self.classes, weights, self.folds[order], self.number
        )


def require_folds(rows: FoldedRows) -> None:
    """Raise ParameterError unless at least two folds have rows."""
    filled = int(np.count_nonzero(rows.sizes()))
    if filled < 2:
        raise ParameterError(
            f"at least two folds must have rows: got {filled} for {rows.table.rows} rows. "
            "Use more folds, or give more rows."
        )


def fold_models(model: NaiveBayesModel, rows: FoldedRows) -> tuple[NaiveBayesModel, ...]:
    """Return for each fold the model of all rows of the others, over all classes.

    The schema, reading and class prior are the model's; its own statistics are not used.
    """
    require_folds(rows)
    return tuple(without_each(models_of_folds(model, rows)))


def models_of_folds(model: NaiveBayesModel, rows: FoldedRows) -> tuple[NaiveBayesModel, ...]:
    """Return for each fold the model of its own rows, over all classes, with the schema and reading of the model."""
    if has_parts_in_place(model.schema.plan(), rows.table) and len(rows.sizes()) == int(rows.folds.max(initial=-1)) + 1:
        given = rows.table, rows.codes, rows.classes.declare(), rows.weights, rows.folds
        each = collect_by_part(model.schema.plan(), *given)
        return tuple(NaiveBayesModel(model.schema, *seen, model.reading, model.class_prior) for seen in each)
    moved = rows.sorted(rows.order())
    plan, lasting = model.schema.plan(), rows.classes.declare()
    found: list[NaiveBayesModel] = []
    for start, end in pairwise(moved.bounds()):
        own = moved.codes[start:end]
        row_weights = None if moved.weights is None else moved.weights[start:end]
        seen = collect(plan, moved.table.take(slice(start, end)), own, lasting, row_weights)
        found.append(NaiveBayesModel(model.schema, *seen, model.reading, model.class_prior))
    return tuple(found)


def without_each(parts: Sequence[NaiveBayesModel], rest: NaiveBayesModel | None = None) -> Iterator[NaiveBayesModel]:
    """Yield for each part the sum of `rest` and of all other parts; without a rest, at least two parts are required.

    Sums of neighbours form a binary tree that is computed once, and each sum is computed by adding the siblings
    along the path from the root: about three additions per part, with few sums in memory at a time.
    """
    levels = [list(parts)]
    while len(levels[-1]) > 1:
        each = levels[-1]
        pairs = [left + right for left, right in zip(each[::2], each[1::2], strict=False)]
        levels.append(pairs + each[2 * len(pairs) :])

    def below(level: int, at: int, outside: NaiveBayesModel | None) -> Iterator[NaiveBayesModel]:
        if not level:
            assert outside is not None, "every part has a sibling or a rest"
            yield outside
            return
        children = levels[level - 1][2 * at : 2 * at + 2]
        for place, sibling in enumerate(reversed(children) if len(children) == 2 else [None]):
            together = sibling if outside is None else outside if sibling is None else outside + sibling
            yield from below(level - 1, 2 * at + place, together)

    yield from below(len(levels) - 1, 0, rest)


def out_of_fold(model: NaiveBayesModel, rows: FoldedRows) -> FloatArray:
    """Return log p(c, x), rows × classes, of each row under the model of all rows of the other folds."""
    others = fold_models(model, rows)
    return _scored(others, rows, "joint")


def likelihood_of_folds(models: Sequence[NaiveBayesModel], rows: FoldedRows) -> FloatArray:
    """Return log p(x|c), rows × classes, of each row under the model of its fold."""
    return _scored(models, rows, "likelihood")


def evidence_of_folds(models: Sequence[NaiveBayesModel], rows: FoldedRows) -> FloatArray:
    """Return log p(x_t|c), rows × units × classes, of each row under the model of its fold."""
    found = np.empty((rows.table.rows, len(models[0].units), len(models[0].classes)))
    for at, part, model in _each_fold(models, rows):
        found[at] = model.score_units(part)
    return found


def _each_fold(
    models: Sequence[NaiveBayesModel], rows: FoldedRows
) -> Iterator[tuple[slice | IntArray, Table, NaiveBayesModel]]:
    # The positions of the rows of each non-empty fold, their table, and the model of the others.
    order = rows.order()
    moved = rows.sorted(order)
    for model, (start, end) in zip(models, pairwise(moved.bounds()), strict=True):
        if start < end:
            yield slice(start, end) if order is None else order[start:end], moved.table.take(slice(start, end)), model


def _scored(models: Sequence[NaiveBayesModel], rows: FoldedRows, wanted: Wanted) -> FloatArray:
    if (
        isinstance(rows.table, Matrix)
        and len(models) <= _FEW_FOLDS
        and has_parts_in_place(models[0].schema.plan(), rows.table)
    ):
        return score_parts([model.scorer for model in models], rows.table, rows.folds, wanted)
    found = np.empty((rows.table.rows, len(models[0].classes)))
    for at, part, model in _each_fold(models, rows):
        found[at] = model.scorer.score(part, wanted).values
    return found
