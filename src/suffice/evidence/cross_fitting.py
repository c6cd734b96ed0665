"""Cross-fitting: held-out scores from statistics that are kept apart in one pass over the rows.

A sample of the rows is kept and divided into K folds, stratified by class. The statistics S_1 … S_K of the folds and R
of all other rows are separate, and fold k is scored by the model of R + Σ_{j≠k} S_j (folds.py).

    n_c, k_c     rows of class c, and kept rows of it: k_c = min(n_c, t), with the greatest t for which Σ_c k_c is at
                 most the limit. Rare classes are kept whole, frequent ones equally
    h_i          a hash of the seed and the number of the row; the rows of a class with the lowest h are kept. As more
                 rows arrive, t decreases, so a released row would never be selected again: the sample is a function
                 of the rows and the seed, and does not depend on the batches
    v_i = n_c/k_c     the number of rows that a kept row represents; 0 if the other parts have no row of its class

Rows without a class or with weight 0 are never kept. A row that is released belongs to R: `admit` and `hold` return
the rows to count there, so that nothing is read twice and nothing is subtracted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias, final

import numpy as np
import numpy.typing as npt

from suffice.decisions.calibration import (
    ROWS_PER_PARAMETER,
    TOO_FEW,
    Calibration,
    CalibrationMethod,
    choose_calibration,
    most_rows,
)
from suffice.errors import DataError
from suffice.evidence.folds import (
    FoldedRows,
    evidence_of_folds,
    likelihood_of_folds,
    models_of_folds,
    without_each,
)
from suffice.evidence.forms import choose_forms
from suffice.models import NaiveBayesModel, Schema
from suffice.sources.table import Table
from suffice.sources.target import Target
from suffice.statistics import Axis
from suffice.statistics.arrays import BoolArray, FloatArray, IntArray
from suffice.statistics.labels import Label

__all__ = [
    "Admission",
    "CountedBatch",
    "CrossFitted",
    "CrossFitting",
    "FoldModels",
    "HeldOutScores",
    "KeptRows",
    "RowsToCount",
    "SampledRows",
    "choose_schema",
    "count_apart",
    "count_impossible",
    "cross_fit",
    "sample_rows_by_class",
    "taken",
]

_Keys: TypeAlias = "npt.NDArray[np.uint64]"
_LAST = np.uint64(2**64 - 1)
_MOST_SCORES = 4_000_000  # rows × classes


class RowsToCount(NamedTuple):
    """Rows that belong to R, except those with a negative code."""

    table: Table
    codes: IntArray
    classes: Axis
    weights: npt.NDArray[Any] | None

    def model(self, like: NaiveBayesModel) -> NaiveBayesModel:
        """Return the model of these rows, with the schema, reading and class prior of another."""
        return like.count(self.table, Target(self.codes, self.classes, 0), self.weights)


class Admission(NamedTuple):
    """The assignment of the rows of one batch.

    `at` are the rows to hold, and `rest` the class codes of the batch with −1 for these, to be counted in R. The other
    fields are for `hold`.
    """

    at: IntArray
    rest: IntArray
    ids: IntArray
    keys: _Keys
    weights: FloatArray | None
    cuts: _Keys | None


class _Held(NamedTuple):
    table: Table
    ids: IntArray
    keys: _Keys
    weights: FloatArray | None

    def take(self, rows: IntArray) -> _Held:
        weights = None if self.weights is None else self.weights[rows]
        return _Held(self.table.take(rows), self.ids[rows], self.keys[rows], weights)


class HeldOutScores(NamedTuple):
    """log p(x_t|c) of kept rows, n × units × classes, by models that have not seen them; classes, weights, folds.

    The weights are w_i v_i. There is one unit if there are too many columns for individual weights.
    """

    evidence: FloatArray
    codes: IntArray
    weights: FloatArray
    folds: IntArray


class CrossFitted(NamedTuple):
    """The calibration that held-out scores support, or the reason for none; rows impossible in their own class.

    `schema` has the forms that were selected for the columns.
    """

    calibration: Calibration | None
    reason: str
    impossible: int = 0
    scored: int = 0
    schema: Schema | None = None


@final
@dataclass(frozen=True, slots=True, eq=False)
class SampledRows:
    """Kept rows of one table: their classes, weights w_i or None, v_i and folds."""

    table: Table
    codes: IntArray
    weights: FloatArray | None
    shares: FloatArray
    folds: IntArray

    def total_weights(self) -> FloatArray:
        """Return w_i v_i."""
        return self.shares if self.weights is None else self.shares * self.weights


@final
class KeptRows:
    """A sample of the rows of a pass, a batch at a time.

    Parameters
    ----------
    limit : int
        Maximum number of rows to keep.
    folds : int
        Number of folds.
    seed : int

    Examples
    --------
    >>> from suffice.sources.table import Matrix
    >>> kept = KeptRows(limit=4, folds=2)
    >>> classes, codes = Axis.of(["many", "rare"]), np.array([0] * 98 + [1] * 2)
    >>> rest, blocks = kept.add(Matrix(np.zeros((100, 1)), (0,)), codes, classes)
    >>> np.bincount(codes[rest < 0]), blocks
    (array([2, 2]), [])
    """

    def __init__(self, limit: int = 100_000, folds: int = 5, seed: int = 0) -> None:
        self.limit = limit
        self.folds = folds
        self._seed = seed
        self._rows = 0  # offered so far
        self._labels: dict[Label, int] = {}
        self._counts: IntArray = np.zeros(0, dtype=np.int64)  # n_c
        self._cuts: _Keys = np.zeros(0, dtype=np.uint64)  # the greatest kept key of each class
        self._admitted: list[tuple[IntArray, _Keys]] = []
        self._number = 0  # of kept rows
        self._held: list[_Held] = []

    @property
    def complete(self) -> bool:
        """Whether every row with a class and a weight is held."""
        return sum(len(held.ids) for held in self._held) == int(self._counts.sum())

    @property
    def counts(self) -> dict[Label, int]:
        """Number of rows of each class."""
        return dict(zip(self._labels, self._counts.tolist(), strict=True))

    def add(
        self, table: Table, codes: IntArray, classes: Axis, weights: npt.NDArray[Any] | None = None
    ) -> tuple[IntArray, list[RowsToCount]]:
        """Add a batch; return its codes with −1 for the rows held, and the released rows, which now belong to R."""
        admission = self.admit(codes, classes, weights)
        return admission.rest, self.hold(admission, taken(table, admission.at))

    def admit(self, codes: IntArray, classes: Axis, weights: npt.NDArray[Any] | None = None) -> Admission:
        """Return which rows of the next batch to hold. Batches must come in the order of the rows."""
        ids = self._ids(codes, classes, weights)
        keys = _keys(self._seed, self._rows, len(codes))
        self._rows += len(codes)
        self._counts += np.bincount(ids[ids >= 0], minlength=len(self._counts))
        admitted: BoolArray = (ids >= 0) & (keys <= np.append(self._cuts, _LAST)[ids])
        at = np.flatnonzero(admitted)
        self._admitted.append((ids[at], keys[at]))
        self._number += len(at)
        cuts = self._shrink(self.limit) if self._number > 2 * self.limit else None
        if cuts is not None:  # which may release some of these rows
            at = at[keys[at] <= cuts[ids[at]]]
        rest = codes.copy()
        rest[at] = -1
        row_weights = None if weights is None else np.asarray(weights, dtype=np.float64)[at]
        return Admission(at, rest, ids[at], keys[at], row_weights, cuts)

    def hold(self, admission: Admission, table: Table) -> list[RowsToCount]:
        """Hold the rows that were admitted; return the rows released in exchange. Call in the order of the batches."""
        self._held.append(_Held(table, admission.ids, admission.keys, admission.weights))
        return [] if admission.cuts is None else self._let_go(admission.cuts)

    def close(self, most: int | None = None) -> list[RowsToCount]:
        """Reduce the sample to the limit, or to `most`, after the last batch; return the released rows."""
        limit = min(self.limit, max(_MOST_SCORES // max(len(self._counts), 1), 1))
        limit = limit if most is None else min(limit, most)
        return self._let_go(self._shrink(limit)) if int(self._counts.sum()) > limit else []

    def sampled(self, classes: Axis) -> list[SampledRows]:
        """Return the rows that are held, with the fold and the v_i of each, in as few tables as possible."""
        place = self._places(classes)
        held = _joined(self._held)
        if not held:
            return []
        ids, keys = np.concatenate([part.ids for part in held]), np.concatenate([part.keys for part in held])
        codes = place[ids]
        order = np.lexsort((keys, codes))
        folds = np.empty(len(order), dtype=np.int64)
        folds[order] = np.arange(len(order)) % self.folds
        shares = (self._counts / np.maximum(np.bincount(ids, minlength=len(self._counts)), 1))[ids]
        found: list[SampledRows] = []
        start = 0
        for part in held:
            here = slice(start, start + len(part.ids))
            found.append(SampledRows(part.table, codes[here], part.weights, shares[here], folds[here]))
            start = here.stop
        return found

    def _ids(self, codes: IntArray, classes: Axis, weights: npt.NDArray[Any] | None) -> IntArray:
        for label in classes:
            self._labels.setdefault(label, len(self._labels))
        new = len(self._labels) - len(self._counts)
        self._counts = np.append(self._counts, np.zeros(new, dtype=np.int64))
        self._cuts = np.append(self._cuts, np.full(new, _LAST))
        place = np.array([*(self._labels[label] for label in classes), -1], dtype=np.int64)
        ids: IntArray = place[np.maximum(codes, -1)]
        return ids if weights is None else np.where(np.asarray(weights) > 0, ids, -1)

    def _places(self, classes: Axis) -> IntArray:
        known = [label if label in classes else None for label in self._labels]  # a class of weight 0 may be absent
        return np.array([-1 if label is None else classes.index(label) for label in known], dtype=np.int64)

    def _shrink(self, limit: int) -> _Keys:
        # The key bounds that leave at most `limit` rows, applied to the rows admitted so far.
        ids, keys = (np.concatenate(parts) for parts in zip(*self._admitted, strict=True))
        most = _most_of_each(self._counts, limit)
        order = np.lexsort((keys, ids))
        starts = np.searchsorted(ids[order], np.arange(len(self._counts) + 1))
        for c in np.flatnonzero(np.diff(starts) > most).tolist():
            self._cuts[c] = keys[order[starts[c] + most - 1]]
        stay = keys <= self._cuts[ids]
        self._admitted = [(ids[stay], keys[stay])]
        self._number = int(stay.sum())
        return self._cuts.copy()

    def _let_go(self, cuts: _Keys) -> list[RowsToCount]:
        gone: list[_Held] = []
        stay: list[_Held] = []
        for held in self._held:
            over = held.keys > cuts[held.ids]
            if over.any():
                gone.append(held.take(np.flatnonzero(over)))
                held = held.take(np.flatnonzero(~over))  # noqa: PLW2901
            stay.append(held)
        self._held = _joined([held for held in stay if len(held.ids)])
        classes = Axis.of(self._labels)
        place = self._places(classes)
        return [RowsToCount(held.table, place[held.ids], classes, held.weights) for held in _joined(gone)]


class FoldModels(NamedTuple):
    """Kept rows in folds: the rows, the model of each fold, and the model of all other rows."""

    pieces: list[tuple[SampledRows, FoldedRows]]
    folds: tuple[NaiveBayesModel, ...]
    others: tuple[NaiveBayesModel, ...]

    @classmethod
    def of(cls, kept: KeptRows, rest: NaiveBayesModel | None, model: NaiveBayesModel) -> FoldModels:
        """Return the fold models of kept rows.

        Parameters
        ----------
        kept : KeptRows
            Closed, with rows of two folds or a rest.
        rest : NaiveBayesModel, optional
            R; None if every row is kept.
        model : NaiveBayesModel
            Its classes, schema, reading and class prior; its own statistics are not used.
        """
        classes = model.classes.declare()
        pieces = [
            (piece, FoldedRows(piece.table, piece.codes, classes, piece.weights, piece.folds, kept.folds))
            for piece in kept.sampled(classes)
        ]
        parts: list[NaiveBayesModel] = []
        for _, rows in pieces:
            own = models_of_folds(model, rows)
            parts = [one + other for one, other in zip(parts, own, strict=True)] if parts else list(own)
        return cls(pieces, tuple(parts), tuple(without_each(parts, rest)))

    def choose_forms(self) -> FoldModels:
        """Return the models with the form of each column that has the lowest held-out log loss."""
        total = np.sum([fold.tally.weight for fold in self.folds], axis=0)
        whole = self.folds[0].tally.weight + self.others[0].tally.weight
        shares = np.divide(whole, total, out=np.ones(len(whole)), where=total > 0)
        schema = choose_forms(self.folds, self.others, shares)
        if schema == self.others[0].schema:
            return self
        folds, others = (tuple(replace(each, schema=schema) for each in models) for models in (self.folds, self.others))
        return FoldModels(self.pieces, folds, others)

    def scores(self, *, by_unit: bool = False) -> HeldOutScores:
        """Return the scores of the rows, each by the model of the rows outside its fold; with by_unit, of each unit."""
        unknown = np.array([other.tally.weight == 0 for other in self.others])
        found: list[HeldOutScores] = []
        for piece, rows in self.pieces:
            weights = np.where(unknown[piece.folds, piece.codes], 0.0, piece.total_weights())
            if by_unit:
                evidence = evidence_of_folds(self.others, rows)
            else:
                evidence = likelihood_of_folds(self.others, rows)[:, None]
            found.append(HeldOutScores(evidence, piece.codes, weights, piece.folds))
        return HeldOutScores(*(np.concatenate(each) for each in zip(*found, strict=True)))


class CountedBatch(NamedTuple):
    """The statistics of a batch, those of its rows that are not held (None if all are), and the held rows."""

    whole: NaiveBayesModel
    rest: NaiveBayesModel | None
    held: Table


@final
class CrossFitting:
    """Kept rows and the statistics R of all others, collected during one pass over the rows.

    `add` accepts consecutive batches. If several threads count batches, `admit` and `hold` are called in the order of
    the rows, and `count_apart` at any time between them.
    """

    def __init__(self, limit: int = 100_000, folds: int = 5, seed: int = 0) -> None:
        self.kept = KeptRows(limit, folds, seed)
        self.rest: NaiveBayesModel | None = None
        self._like: NaiveBayesModel | None = None

    def add(self, like: NaiveBayesModel, rows: RowsToCount, whole: NaiveBayesModel | None = None) -> NaiveBayesModel:
        """Add a batch; return its statistics, which are `whole` if they have already been counted.

        The schema, reading and class prior are those of `like`.
        """
        admission = self.admit(rows.codes, rows.classes, rows.weights)
        counted = count_apart(like, rows, admission, lambda at: taken(rows.table, at), whole)
        self.hold(admission, counted)
        return counted.whole

    def admit(self, codes: IntArray, classes: Axis, weights: npt.NDArray[Any] | None) -> Admission:
        """Return which rows of the next batch to hold."""
        return self.kept.admit(codes, classes, weights)

    def hold(self, admission: Admission, counted: CountedBatch) -> None:
        """Hold the rows of a batch that were admitted, and add the others to R."""
        self._like = counted.whole
        self._add(counted.rest)
        self._count(self.kept.hold(admission, counted.held))

    def close(self, most: int | None = None) -> None:
        """Reduce the sample to the limit, or to `most`, after the last batch."""
        self._count(self.kept.close(most))

    def _count(self, blocks: list[RowsToCount]) -> None:
        for block in blocks:
            assert self._like is not None, "kept rows come from batches"
            self._add(block.model(self._like))

    def _add(self, model: NaiveBayesModel | None) -> None:
        if model is not None:
            self.rest = model if self.rest is None else self.rest + model


def count_apart(
    like: NaiveBayesModel,
    rows: RowsToCount,
    admission: Admission,
    take: Callable[[IntArray], Table],
    whole: NaiveBayesModel | None = None,
) -> CountedBatch:
    """Return the statistics of a batch and of its rows that are not held, and the held rows, given by `take`."""
    at, rest = admission.at, admission.rest
    if not (rest >= 0).any():
        return CountedBatch(rows.model(like) if whole is None else whole, None, take(at))
    if not len(at):
        whole = rows.model(like) if whole is None else whole
        return CountedBatch(whole, whole, rows.table.take(slice(0)))
    held = take(at)
    try:
        others = rows._replace(codes=rest).model(like)
        if whole is None:
            weights = None if rows.weights is None else rows.weights[at]
            whole = others + RowsToCount(held, rows.codes[at], rows.classes, weights).model(like)
    except DataError:
        rows.model(like)  # raises an error with the position of the row in the batch
        raise
    return CountedBatch(whole, others, held)


def cross_fit(
    cross: CrossFitting, model: NaiveBayesModel, method: CalibrationMethod = "auto", *, forms: bool = False
) -> CrossFitted:
    """Return the calibration of a model from its kept rows, each scored by the model of the rows outside its fold.

    Parameters
    ----------
    cross : CrossFitting
        It is closed here, at the maximum number of calibration rows.
    model : NaiveBayesModel
        The model of all rows.
    method : "auto", "scale", "offsets" or "weights"
    forms : bool
        Whether to select the form of each column first.
    """
    kept, units = cross.kept, model.units
    most, by_unit = most_rows(len(units), len(model.classes))
    cross.close(most)
    counts = sorted(count for count in kept.counts.values() if count)
    if len(counts) < 2:
        return CrossFitted(None, "there is only one class" if counts else "no row has a class")
    if model.reading.estimate == "mle":
        return CrossFitted(None, "calibration is not available for the estimate 'mle'")
    if method == "auto" and sum(counts[:-1]) < ROWS_PER_PARAMETER:  # no need to score them
        return CrossFitted(None, TOO_FEW)
    if method == "auto" and len(counts) ** 2 > _MOST_SCORES:  # one row of each class would be too many scores
        return CrossFitted(None, f"{len(counts):,} classes are too many for the default calibration")
    models = FoldModels.of(kept, cross.rest, model)
    if forms:
        models = models.choose_forms()
    scores = models.scores(by_unit=by_unit)
    impossible = count_impossible(scores.evidence, scores.codes, scores.weights)
    found, reason = choose_calibration(scores.evidence, scores.codes, scores.weights, method, units if by_unit else ())
    if found is not None:
        found = replace(found, learnt_from=f"{kept.folds} folds")
    return CrossFitted(found, reason, impossible, int((scores.weights > 0).sum()), models.others[0].schema)


def sample_rows_by_class(codes: IntArray, most: int, seed: int = 0) -> tuple[BoolArray, FloatArray]:
    """Return a sample of at most so many rows, and the number of rows that each of them represents.

    Rare classes are used whole and frequent ones equally, as in `KeptRows`.

    Examples
    --------
    >>> wanted, factors = sample_rows_by_class(np.array([0, 0, 0, 0, 1]), 3)
    >>> int(wanted.sum()), bool(wanted[4]), factors[wanted].tolist()
    (3, True, [2.0, 2.0, 1.0])
    """
    counts = np.bincount(codes)
    if len(codes) <= most:
        return np.ones(len(codes), dtype=np.bool_), np.ones(len(codes))
    limit = _most_of_each(counts, most)
    order = np.lexsort((_keys(seed, 0, len(codes)), codes))
    rank = np.empty(len(codes), dtype=np.int64)
    rank[order] = np.arange(len(codes)) - np.concatenate([[0], np.cumsum(counts)[:-1]])[codes[order]]
    return rank < limit, (counts / np.maximum(np.minimum(counts, limit), 1))[codes]


def choose_schema(model: NaiveBayesModel, rows: RowsToCount) -> Schema:
    """Return the schema of a model with the form of each column that rows in memory select, as `fit` selects it."""
    cross = CrossFitting()
    whole = cross.add(model, rows)
    cross.close(most_rows(len(model.units), len(whole.classes))[0])
    counts = sorted(count for count in cross.kept.counts.values() if count)
    if len(counts) < 2 or sum(counts[:-1]) < ROWS_PER_PARAMETER:
        return model.schema
    return FoldModels.of(cross.kept, cross.rest, whole).choose_forms().others[0].schema


def count_impossible(evidence: FloatArray, codes: IntArray, weights: FloatArray) -> int:
    """Return the number of rows of evidence, rows × units × classes, with probability 0 in their own class."""
    total: FloatArray = evidence.sum(axis=1)
    own = total[np.arange(len(codes)), codes]
    return int((np.isneginf(own) & (weights > 0)).sum())


def taken(table: Table, rows: IntArray) -> Table:
    """Return these rows of the table, in order; the table itself if they are all of its rows."""
    return table if len(rows) == table.rows else table.take(rows)


def _joined(held: list[_Held]) -> list[_Held]:
    groups: dict[object, list[_Held]] = {}
    for each in held:
        groups.setdefault((each.table.storage, each.weights is None), []).append(each)
    found: list[_Held] = []
    for first, *others in groups.values():
        if not others:
            found.append(first)
            continue
        every = (first, *others)
        weights = None
        if first.weights is not None:
            weights = np.concatenate([part.weights for part in every if part.weights is not None])
        ids, keys = np.concatenate([part.ids for part in every]), np.concatenate([part.keys for part in every])
        found.append(_Held(first.table.joined([part.table for part in others]), ids, keys, weights))
    return found


def _most_of_each(counts: IntArray, limit: int) -> int:
    # The greatest t with Σ_c min(n_c, t) ≤ limit, and at least 1.
    rising = np.sort(counts)
    before = np.concatenate([[0], np.cumsum(rising)[:-1]])
    left = len(rising) - np.arange(len(rising))
    each = (limit - before) // left  # the smaller classes are kept whole, the others equally
    below = np.concatenate([[0], rising[:-1]])
    fits = np.flatnonzero(each >= below)
    return max(int(each[fits[-1]]), 1) if len(fits) else 1


def _keys(seed: int, start: int, rows: int) -> _Keys:
    # splitmix64 (Steele, Lea, Flood 2014) of the seed and of the number of the row.
    with np.errstate(over="ignore"):
        return _mixed(
            _mixed(np.full(1, seed % 2**64, dtype=np.uint64)) + np.arange(start, start + rows, dtype=np.uint64)
        )


def _mixed(x: _Keys) -> _Keys:
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
