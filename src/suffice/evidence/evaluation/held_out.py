"""Rows held out from what scores them, and read in any way without counting anything again.

    parts           each part of the rows is scored by a model that has not seen it: that of the other folds, that of
                    the blocks before it (prequential), or one that was fitted on other rows
    leave one out   each row is scored by the model of all rows without one unit of its weight

Another class prior shifts a posterior, log p(c | x) + ln π'_c − ln π_c up to what is the same for all classes, so it
costs no pass over the rows; another estimate costs one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt

from suffice.decisions.calibrating import UnseenRows
from suffice.engines.table import Table
from suffice.evidence.evaluation.predictions import Posterior, posterior_of_joint, ratios
from suffice.evidence.folds import FoldedRows, fold_models, models_of_folds
from suffice.evidence.leave_one_out import rows_left_out
from suffice.models import ClassPrior, NaiveBayesModel, Scores
from suffice.plan import Reading
from suffice.statistics import Axis, Tally
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = ["HeldOut", "LeftOut", "Part", "Parts", "joined", "other_folds", "posterior_of", "prequential", "shifted"]

_UNIFORM = ClassPrior("uniform")


class HeldOut(ABC):
    """Rows that are scored by what has not seen them."""

    @abstractmethod
    def posterior(self, reading: Reading, class_prior: ClassPrior) -> Posterior:
        """Return what is said of each row when the statistics are read so."""

    @abstractmethod
    def unseen(self, reading: Reading, class_prior: ClassPrior) -> UnseenRows:
        """Return log p(x|c), log p(c) and the numbers of tokens of each row, as calibrations are learnt; no classes."""

    def posteriors(self, reading: Reading, class_priors: Iterable[ClassPrior]) -> Iterator[Posterior]:
        """Yield what is said under each class prior."""
        for class_prior in class_priors:
            yield self.posterior(reading, class_prior)


class Part(NamedTuple):
    """Some of the rows: the model that scores them, their cells, and which of all the rows they are."""

    model: NaiveBayesModel
    table: Table
    at: IntArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class Parts(HeldOut):
    """Parts of the rows, each with a model that has not seen it; together they are rows 0, 1, …, each once."""

    parts: tuple[Part, ...]

    def posterior(self, reading: Reading, class_prior: ClassPrior) -> Posterior:
        """Score every part."""
        read = (part._replace(model=part.model.read(reading, class_prior)) for part in self.parts)
        return self._together([_said(part.model, part.table) for part in read])

    def unseen(self, reading: Reading, class_prior: ClassPrior) -> UnseenRows:
        """Score every part, and put what comes out where its rows are."""
        found: list[UnseenRows] = []
        for part in self.parts:
            model = part.model.read(reading, class_prior)
            likelihood = model.likelihood(part.table).values
            own: FloatArray = np.broadcast_to(model.log_prior, likelihood.shape)
            found.append(UnseenRows(likelihood, own, part.at, None, model.bare_scorer.lengths(part.table)))
        place = np.argsort(np.concatenate([part.at for part in self.parts]))
        likelihood = np.concatenate([each.likelihood for each in found])[place]
        priors = np.concatenate([each.log_prior for each in found])[place]
        tokens = [each.lengths for each in found if each.lengths is not None]
        lengths = np.concatenate(tokens)[place] if tokens else None
        return UnseenRows(likelihood, priors, np.full(len(place), -1, dtype=np.int64), None, lengths)

    def posteriors(self, reading: Reading, class_priors: Iterable[ClassPrior]) -> Iterator[Posterior]:
        """Score every part once, and shift what comes out to each prior."""
        flat = [_said(part.model.read(reading, _UNIFORM), part.table) for part in self.parts]
        for class_prior in class_priors:
            yield self._together(
                [
                    shifted(each, _log_prior(class_prior, part.model.tally))
                    for each, part in zip(flat, self.parts, strict=True)
                ]
            )

    def _together(self, found: list[Posterior]) -> Posterior:
        return joined(found, [part.at for part in self.parts])


@final
@dataclass(frozen=True, slots=True, eq=False)
class LeftOut(HeldOut):
    """Rows that the model was fitted on, each scored without one unit of its own weight."""

    model: NaiveBayesModel
    table: Table
    codes: IntArray
    classes: Axis
    weights: npt.NDArray[Any] | None

    def posterior(self, reading: Reading, class_prior: ClassPrior) -> Posterior:
        """Leave each row out in turn, in one pass."""
        model = self.model.read(reading, class_prior)
        rows = rows_left_out(model, self.table, self.codes, self.classes, self.weights)
        return posterior_of_joint(rows.likelihood + rows.log_prior, rows.log_prior)

    def unseen(self, reading: Reading, class_prior: ClassPrior) -> UnseenRows:
        """Leave each row out in turn, in one pass."""
        model = self.model.read(reading, class_prior)
        rows = rows_left_out(model, self.table, self.codes, self.classes, self.weights)
        return rows._replace(lengths=model.bare_scorer.lengths(self.table))


def other_folds(model: NaiveBayesModel, rows: FoldedRows) -> Parts:
    """Return the rows of each fold with the model of the other folds."""
    order = rows.order()
    moved = rows.sorted(order)
    at = np.arange(moved.table.rows) if order is None else order
    return Parts(
        tuple(
            Part(others, moved.table.take(slice(start, end)), at[start:end])
            for others, (start, end) in zip(fold_models(model, moved), pairwise(moved.bounds()), strict=True)
            if start < end
        )
    )


def prequential(model: NaiveBayesModel, rows: FoldedRows) -> tuple[Parts, IntArray]:
    """Return the rows of each fold but the first with the model of those before it, and which rows those are."""
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
