"""Rows held out from what scores them, and read in any way without counting anything again.

Each part of the rows is scored by a model that has not seen it: that of the other folds, that of the blocks before it
(prequential), or one that was fitted on other rows. Leave one out is the same with folds of one row.

Another class prior shifts a posterior, log p(c | x) + ln π'_c − ln π_c up to what is the same for all classes, so it
costs no pass over the rows; another estimate costs one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple, final

import numpy as np

from suffice.evidence.evaluation.predictions import Posterior, posterior_of_joint, ratios
from suffice.evidence.folds import FoldedRows, models_of_folds, require_folds, without_each
from suffice.likelihoods.aligned import by_class
from suffice.likelihoods.reading import Reading
from suffice.models import ClassPrior, NaiveBayesModel, Scores
from suffice.sources.table import Table
from suffice.statistics import Axis, Tally
from suffice.statistics.frozen_arrays import BoolArray, FloatArray, IntArray

__all__ = [
    "HeldOut",
    "HeldOutLikelihoods",
    "OtherFolds",
    "Part",
    "Parts",
    "joined",
    "other_folds",
    "posterior_of",
    "prequential",
    "shifted",
]

_UNIFORM = ClassPrior("uniform")


class Part(NamedTuple):
    """Some of the rows: the model that scores them, their cells, and which of all the rows they are."""

    model: NaiveBayesModel
    table: Table
    at: IntArray


class HeldOutLikelihoods(NamedTuple):
    """log p(x|c) and log p(c) of each row by what has not seen it, rows × classes."""

    likelihood: FloatArray
    log_prior: FloatArray


class HeldOut(ABC):
    """Parts of the rows, each with a model that has not seen it; together they are rows 0, 1, …, each once."""

    @abstractmethod
    def parts(self) -> Iterator[Part]:
        """Yield the parts, made anew each time where there are many."""

    def posterior(self, reading: Reading, class_prior: ClassPrior) -> Posterior:
        """Return what is said of each row when the statistics are read so."""
        return _together((part.at, _said(part.model.read(reading, class_prior), part.table)) for part in self.parts())

    def likelihoods(self, reading: Reading, class_prior: ClassPrior) -> HeldOutLikelihoods:
        """Return what calibrations are learnt from."""
        found: list[tuple[FloatArray, FloatArray, IntArray]] = []
        for part in self.parts():
            model = part.model.read(reading, class_prior)
            values = model.likelihood(part.table).values
            found.append((values, np.broadcast_to(model.log_prior, values.shape), part.at))
        likelihood, log_prior, at = (np.concatenate(each) for each in zip(*found, strict=True))
        place = np.argsort(at)
        return HeldOutLikelihoods(likelihood[place], log_prior[place])

    def posteriors(self, reading: Reading, class_priors: Iterable[ClassPrior]) -> Iterator[Posterior]:
        """Yield what is said under each class prior: every part is scored once, and what comes out is shifted."""
        flat = [
            (part.at, part.model.tally, _said(part.model.read(reading, _UNIFORM), part.table)) for part in self.parts()
        ]
        for class_prior in class_priors:
            yield _together((at, shifted(each, _log_prior(class_prior, tally))) for at, tally, each in flat)

    def unseen(self, codes: IntArray, classes: Axis) -> BoolArray:
        """Return which rows are scored by a model that has seen no row of the same class."""
        found: BoolArray = np.zeros(len(codes), dtype=np.bool_)
        for part in self.parts():
            weight = by_class(part.model.tally.weight, part.model.classes, classes)
            found[part.at] = weight[codes[part.at]] == 0
        return found


@final
@dataclass(frozen=True, slots=True, eq=False)
class Parts(HeldOut):
    """Parts of the rows with their models."""

    each: tuple[Part, ...]

    def parts(self) -> Iterator[Part]:
        """Yield each."""
        yield from self.each


@final
@dataclass(frozen=True, slots=True, eq=False)
class OtherFolds(HeldOut):
    """Folds of rows, each scored by the model of the others; one of those models is in memory at a time.

    `rows` are sorted by fold, `at` says which of all the rows they are, and `own` has the statistics of each fold.
    """

    rows: FoldedRows
    at: IntArray
    own: tuple[NaiveBayesModel, ...]

    def parts(self) -> Iterator[Part]:
        """Yield the rows of each fold that has some with the model of the others."""
        bounds = pairwise(self.rows.bounds())
        for model, (start, end) in zip(without_each(self.own), bounds, strict=True):
            if start < end:
                yield Part(model, self.rows.table.take(slice(start, end)), self.at[start:end])

    def unseen(self, codes: IntArray, classes: Axis) -> BoolArray:
        """Return the rows of classes whose whole weight lies in one fold."""
        weights = np.array([by_class(model.tally.weight, model.classes, classes) for model in self.own])
        alone = np.count_nonzero(weights, axis=0) < 2
        found: BoolArray = np.zeros(len(codes), dtype=np.bool_)
        found[self.at] = (alone & (weights > 0)[self.rows.folds])[np.arange(len(codes)), codes[self.at]]
        return found


def other_folds(model: NaiveBayesModel, rows: FoldedRows) -> OtherFolds:
    """Return the rows of each fold with the model of the other folds."""
    require_folds(rows)
    order = rows.order()
    moved = rows.sorted(order)
    at = np.arange(moved.table.rows) if order is None else order
    return OtherFolds(moved, at, models_of_folds(model, moved))


def prequential(model: NaiveBayesModel, rows: FoldedRows) -> tuple[Parts, IntArray]:
    """Return the rows of each fold but the first with the model of those before it, and which rows those are."""
    require_folds(rows)
    before = list(accumulate(models_of_folds(model, rows)))[:-1]
    kept = np.flatnonzero(rows.folds > 0)
    place = np.cumsum(rows.folds > 0) - 1
    parts: list[Part] = []
    for fold, earlier in enumerate(before, start=1):
        at = np.flatnonzero(rows.folds == fold)
        parts.append(Part(earlier, rows.table.take(at), place[at]))
    return Parts(tuple(parts)), kept


def posterior_of(scores: Scores, log_prior: FloatArray) -> Posterior:
    """Return what a model with this class prior says of rows, given its log posterior."""
    return Posterior(scores.values, ratios(scores.values, log_prior), scores.impossible)


def shifted(flat: Posterior, log_prior: FloatArray) -> Posterior:
    """Return what is said under a class prior, given what is said under a uniform one."""
    # A row that is impossible under every class has the uniform prior, and so gets this one.
    found = posterior_of_joint(flat.values + log_prior, log_prior)
    return Posterior(found.values, flat.llr, flat.impossible + found.impossible)


def _together(each: Iterable[tuple[IntArray, Posterior]]) -> Posterior:
    at, found = zip(*each, strict=True)
    return joined(list(found), list(at))


def joined(found: list[Posterior], at: list[IntArray]) -> Posterior:
    """Return what is said of all rows, given what is said of some and which those are."""
    rows, classes = sum(map(len, at)), found[0].values.shape[1] if found else 0
    values = np.empty((rows, classes))
    llr = np.empty(rows) if classes == 2 else None
    for each, places in zip(found, at, strict=True):
        values[places] = each.values
        if llr is not None and each.llr is not None:
            llr[places] = each.llr
    return Posterior(values, llr, sum(each.impossible for each in found))


def _said(model: NaiveBayesModel, table: Table) -> Posterior:
    return posterior_of(model.score(table, "log_posterior"), model.log_prior)


def _log_prior(class_prior: ClassPrior, tally: Tally) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.log(class_prior.probabilities(tally))
