"""Held-out rows: folds, and rows that are scored by a model not fitted on them.

Each part of the rows is scored by the model of the other folds, by that of the blocks before it (prequential), or by
one that was fitted on other rows. Leave-one-out is the same with folds of one row. Another class prior shifts a
posterior, log p(c | x) + ln π'_c − ln π_c up to a constant per row, so it needs no pass over the rows; another
estimate needs one.

    llr = log p(x | 1) − log p(x | 0) = log-odds of class 1 − logit(prior)        for two classes

The prior is the one under which the row was scored, which differs between folds if it is empirical. If it excludes a
class, llr is the log-odds. A row that is impossible under both classes has the prior as its posterior, and llr 0.

Folds:

    stratified   rows of a class in random order, assigned in turn, continuing after the previous class: the number
                 of rows of a class differs by at most one between folds, and so does the total
    grouped      a group lies in one fold. Groups are sorted by size, the largest first, ties at random, and each goes
                 to the fold that minimises the sum over folds and classes of (fraction of the class in the fold)²
    in order     contiguous blocks of rows; rows that are equal in order lie in one block

The same seed gives the same folds. A row without a class (−1) is assigned like a class of its own, and is not counted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import NamedTuple, final

import numpy as np
import numpy.typing as npt

from suffice.arguments import whole_number
from suffice.decisions import log_odds, positive_class
from suffice.errors import Advice, DataError, ParameterError
from suffice.evidence.cross_fitting import taken
from suffice.evidence.folds import FoldedRows, models_of_folds, require_folds, without_each
from suffice.likelihoods.block_statistics import Reading, align_classes
from suffice.models import ClassPrior, NaiveBayesModel, Scores
from suffice.models.score import Calibrated, finish_scores
from suffice.sources.table import Table
from suffice.statistics import Axis, Tally
from suffice.statistics.arrays import BoolArray, FloatArray, IntArray
from suffice.statistics.labels import Label

__all__ = [
    "HeldOut",
    "HeldOutPosterior",
    "OtherFolds",
    "Part",
    "Predictions",
    "ScoredParts",
    "blocks_in_order",
    "grouped_folds",
    "join_posteriors",
    "odds_to_rank",
    "other_folds",
    "posterior_of_joint",
    "posterior_of_scores",
    "prequential",
    "ratios",
    "shifted",
    "stratified_folds",
]


class HeldOutPosterior(NamedTuple):
    """log p(c | x), rows × classes; for two classes also log p(x|1) − log p(x|0); and the number of impossible rows."""

    values: FloatArray
    llr: FloatArray | None
    impossible: int


def posterior_of_joint(joint: FloatArray, log_prior: FloatArray) -> HeldOutPosterior:
    """Return the posterior from log p(c, x), under one prior for all rows or one for each."""
    classes: int = joint.shape[1]
    scores = finish_scores(joint, np.zeros(classes), "log_posterior")
    values = scores.values
    if scores.impossible:
        impossible = np.isneginf(joint).all(axis=1)
        values[impossible] = np.broadcast_to(log_prior, joint.shape)[impossible]
    return HeldOutPosterior(values, ratios(values, log_prior), scores.impossible)


def ratios(log_posterior: FloatArray, log_prior: FloatArray) -> FloatArray | None:
    """Return the log-likelihood ratio of the second of two classes; None for any other number of classes.

    Examples
    --------
    >>> ratios(np.log([[0.5, 0.5]]), np.log([0.9, 0.1])).round(3)
    array([2.197])
    """
    if log_posterior.shape[1] != 2:
        return None
    odds = log_odds(log_posterior)[:, 1]
    finite: BoolArray = np.isfinite(log_prior)
    both = finite[..., 0] & finite[..., 1]
    return odds - (np.where(both, log_prior[..., 1], 0.0) - np.where(both, log_prior[..., 0], 0.0))


def odds_to_rank(log_posterior: FloatArray) -> FloatArray:
    """Return the log-odds of each class against the rest, in time linear in the classes.

    A class with probability above one half is ranked by the probability of the others, since its own may round to 1;
    any other class by its own. The result does not depend on the order of the classes.

    Examples
    --------
    >>> odds_to_rank(np.log([[0.5, 0.25, 0.25]])).round(4)
    array([[ 0.    , -1.0986, -1.0986]])
    """
    if log_posterior.shape[1] <= 2:
        return log_odds(log_posterior)
    best = np.argmax(log_posterior, axis=1)
    rows = np.flatnonzero(log_posterior.max(axis=1, initial=-np.inf) > -np.log(2))
    at = rows, best[rows]
    rest = log_posterior[rows]
    rest[np.arange(len(rows)), at[1]] = -np.inf
    alone = log_posterior.copy()
    alone[at] = -np.inf
    odds = log_posterior - np.log1p(-np.exp(alone))
    odds[at] = log_posterior[at] - np.logaddexp.reduce(rest, axis=1)
    return odds


@final
@dataclass(frozen=True, eq=False)
class Predictions:
    """Rows with their class, weight and predicted posterior.

    Parameters
    ----------
    classes : Axis
        The classes of the model and of the rows.
    codes : array of rows
        The class of each row: a position on the axis.
    log_posterior : array of rows × classes
    llr : array of rows, optional
        The log-likelihood ratio of the second of two classes.
    weights : array of rows
    positive : int
        The positive one of two classes.
    units : array of rows, optional
        The bootstrap group of each row, if rows are grouped.
    """

    classes: Axis
    codes: IntArray
    log_posterior: FloatArray
    llr: FloatArray | None
    weights: FloatArray
    positive: int = 1
    units: IntArray | None = None

    @classmethod
    def of(
        cls,
        known: Axis,
        posterior: HeldOutPosterior,
        classes: Axis,
        codes: IntArray,
        weights: FloatArray | None,
        positive: object = None,
        units: IntArray | None = None,
        class_weight: FloatArray | None = None,
    ) -> Predictions:
        """Return the predictions of a model, for rows that may have classes unknown to it.

        Parameters
        ----------
        known : Axis
            The classes of the model.
        posterior : HeldOutPosterior
        classes, codes : the classes of the rows
        weights : array of rows, optional
        positive : label, optional
            The positive class of two; by default the rarer one.
        units : array of rows, optional
        class_weight : array of the known classes, optional
            Class weights that determine the rarer class; by default those of these rows.
        """
        if not len(codes):
            raise DataError("there are no labelled rows to evaluate on. Give rows and their classes.")
        both, at_known, at_classes = known.union(classes)
        values, llr = posterior.values, posterior.llr
        if len(both) > len(known):
            wider = np.full((len(values), len(both)), -np.inf)
            wider[:, at_known] = values
            values, llr = wider, None
        row_weights = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=np.float64)
        if not row_weights.any():
            raise DataError("every row has weight 0. At least one weight must be positive.")
        weight: FloatArray = np.bincount(at_classes[codes], row_weights, len(both)).astype(np.float64)
        if class_weight is not None:
            weight = np.zeros(len(both))
            weight[at_known] = class_weight
        return cls(both, at_classes[codes], values, llr, row_weights, _positive(both, weight, positive), units)

    @property
    def labels(self) -> tuple[Label, ...]:
        """The classes, sorted."""
        return self.classes.labels

    @cached_property
    def predicted(self) -> IntArray:
        """The most probable class of each row; ties go to the first."""
        return np.argmax(self.log_posterior, axis=1)


def _positive(classes: Axis, weight: FloatArray, given: object) -> int:
    at = positive_class(classes, weight, given)
    if given is not None and len(classes) != 2:
        raise ParameterError(
            f"positive applies only to two classes: there are {len(classes)}",
            parameter="positive",
            got=given,
            advice="Omit it.",
        )
    return at


_UNIFORM = ClassPrior("uniform")


class Part(NamedTuple):
    """Some of the rows: the model that scores them, their cells, and their positions among all rows."""

    model: NaiveBayesModel
    table: Table
    at: IntArray


class HeldOut(ABC):
    """ScoredParts of the rows, each with a model not fitted on it; together they are rows 0, 1, …, each once."""

    @abstractmethod
    def parts(self) -> Iterator[Part]:
        """Yield the parts; if there are many, they are recomputed on each call."""

    def posterior(self, reading: Reading, class_prior: ClassPrior) -> HeldOutPosterior:
        """Return the posterior of each row under this estimate."""
        return _together((part.at, _said(part.model.read(reading, class_prior), part.table)) for part in self.parts())

    def evidence(self, reading: Reading, class_prior: ClassPrior, wanted: BoolArray, *, by_unit: bool) -> FloatArray:
        """Return log p(x_t|c), rows × units × classes, of the requested rows; one unit unless by_unit."""
        found: list[FloatArray] = []
        at: list[IntArray] = []
        for part in self.parts():
            here = np.flatnonzero(wanted[part.at])
            if len(here):
                model, table = part.model.read(reading, class_prior), taken(part.table, here)
                scores = model.score_units(table) if by_unit else model.score(table, "likelihood").values[:, None]
                found.append(scores)
                at.append(part.at[here])
        return np.concatenate(found)[np.argsort(np.concatenate(at))]

    def calibrated(
        self, reading: Reading, class_prior: ClassPrior, folds: IntArray, calibrations: Mapping[int, Calibrated | None]
    ) -> HeldOutPosterior:
        """Return the posterior of each row under the calibration of its fold."""
        found: list[tuple[FloatArray, FloatArray, IntArray]] = []
        for part in self.parts():
            model, own = part.model.read(reading, class_prior), folds[part.at]
            for fold in np.unique(own).tolist():
                here = np.flatnonzero(own == fold)
                joint = model.score(taken(part.table, here), "joint", calibrations[fold]).values
                found.append((joint, np.broadcast_to(model.log_prior, joint.shape), part.at[here]))
        joint, log_prior, at = (np.concatenate(each) for each in zip(*found, strict=True))
        place = np.argsort(at)
        return posterior_of_joint(joint[place], log_prior[place])

    def posteriors(self, reading: Reading, class_priors: Iterable[ClassPrior]) -> Iterator[HeldOutPosterior]:
        """Yield the posterior under each class prior; every part is scored once, and the scores are shifted."""
        flat = [
            (part.at, part.model.tally, _said(part.model.read(reading, _UNIFORM), part.table)) for part in self.parts()
        ]
        for class_prior in class_priors:
            yield _together((at, shifted(each, _log_prior(class_prior, tally))) for at, tally, each in flat)

    def unseen(self, codes: IntArray, classes: Axis) -> BoolArray:
        """Return which rows are scored by a model without rows of the same class."""
        found: BoolArray = np.zeros(len(codes), dtype=np.bool_)
        for part in self.parts():
            weight = align_classes(part.model.tally.weight, part.model.classes, classes)
            found[part.at] = weight[codes[part.at]] == 0
        return found


@final
@dataclass(frozen=True, slots=True, eq=False)
class ScoredParts(HeldOut):
    """ScoredParts of the rows with their models."""

    each: tuple[Part, ...]

    def parts(self) -> Iterator[Part]:
        """Yield each part."""
        yield from self.each


@final
@dataclass(frozen=True, slots=True, eq=False)
class OtherFolds(HeldOut):
    """Folds of rows, each scored by the model of the others; one of those models is in memory at a time.

    `rows` are sorted by fold, `at` are their positions among all rows, and `own` has the statistics of each fold.
    """

    rows: FoldedRows
    at: IntArray
    own: tuple[NaiveBayesModel, ...]

    def parts(self) -> Iterator[Part]:
        """Yield the rows of each non-empty fold with the model of the others."""
        bounds = pairwise(self.rows.bounds())
        for model, (start, end) in zip(without_each(self.own), bounds, strict=True):
            if start < end:
                yield Part(model, self.rows.table.take(slice(start, end)), self.at[start:end])

    def unseen(self, codes: IntArray, classes: Axis) -> BoolArray:
        """Return the rows of classes whose whole weight lies in one fold."""
        weights = np.array([align_classes(model.tally.weight, model.classes, classes) for model in self.own])
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


def prequential(model: NaiveBayesModel, rows: FoldedRows) -> tuple[ScoredParts, IntArray]:
    """Return the rows of each fold but the first with the model of those before it, and the positions of these rows."""
    require_folds(rows)
    before = list(accumulate(models_of_folds(model, rows)))[:-1]
    kept = np.flatnonzero(rows.folds > 0)
    place = np.cumsum(rows.folds > 0) - 1
    parts: list[Part] = []
    for fold, earlier in enumerate(before, start=1):
        at = np.flatnonzero(rows.folds == fold)
        parts.append(Part(earlier, rows.table.take(at), place[at]))
    return ScoredParts(tuple(parts)), kept


def posterior_of_scores(scores: Scores, log_prior: FloatArray) -> HeldOutPosterior:
    """Return the held-out posterior for a class prior, given the log posterior."""
    return HeldOutPosterior(scores.values, ratios(scores.values, log_prior), scores.impossible)


def shifted(flat: HeldOutPosterior, log_prior: FloatArray) -> HeldOutPosterior:
    """Return the posterior under a class prior, given the posterior under a uniform prior."""
    # A row that is impossible under every class has the uniform prior, and therefore gets this prior.
    found = posterior_of_joint(flat.values + log_prior, log_prior)
    return HeldOutPosterior(found.values, flat.llr, flat.impossible + found.impossible)


def _together(each: Iterable[tuple[IntArray, HeldOutPosterior]]) -> HeldOutPosterior:
    at, found = zip(*each, strict=True)
    return join_posteriors(list(found), list(at))


def join_posteriors(found: list[HeldOutPosterior], at: list[IntArray]) -> HeldOutPosterior:
    """Join the posteriors of parts of the rows, given the positions of the rows."""
    rows, classes = sum(map(len, at)), found[0].values.shape[1] if found else 0
    values = np.empty((rows, classes))
    llr = np.empty(rows) if classes == 2 else None
    for each, places in zip(found, at, strict=True):
        values[places] = each.values
        if llr is not None and each.llr is not None:
            llr[places] = each.llr
    return HeldOutPosterior(values, llr, sum(each.impossible for each in found))


def _said(model: NaiveBayesModel, table: Table) -> HeldOutPosterior:
    return posterior_of_scores(model.score(table, "log_posterior"), model.log_prior)


def _log_prior(class_prior: ClassPrior, tally: Tally) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.log(class_prior.probabilities(tally))


def stratified_folds(codes: IntArray, folds: int, seed: int = 0) -> IntArray:
    """Return the fold of each row, 0 to folds − 1.

    Parameters
    ----------
    codes : array of whole numbers ≥ −1
        The class of each row.
    folds : int from 2 to the number of rows
    seed : int ≥ 0

    Examples
    --------
    >>> folds = stratified_folds(np.array([0, 0, 0, 0, 1, 1]), 2)
    >>> np.bincount(folds[:4]), np.bincount(folds[4:])
    (array([2, 2]), array([1, 1]))
    """
    count = _folds(folds, len(codes), "rows", lambda words: f"Use fewer folds, or {words.option('loo', True)}.")
    order = np.random.default_rng(whole_number("seed", seed, 0)).permutation(len(codes))
    order = order[np.argsort(_narrow(codes)[order], kind="stable")]
    dealt = np.empty(len(codes), dtype=np.int64)
    dealt[order] = np.arange(len(codes)) % count
    return dealt


def grouped_folds(codes: IntArray, groups: IntArray, folds: int, seed: int = 0) -> IntArray:
    """Return the fold of each row, that of its group.

    Parameters
    ----------
    codes : array of whole numbers ≥ −1
        The class of each row.
    groups : array of whole numbers from 0, one for each row
    folds : int from 2 to the number of groups
    seed : int ≥ 0

    Examples
    --------
    >>> grouped_folds(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 0]), 2).tolist() in ([0, 1, 1, 0], [1, 0, 0, 1])
    True
    """
    number = int(groups.max(initial=-1)) + 1
    sizes = np.bincount(groups, minlength=number)
    count = _folds(folds, int(np.count_nonzero(sizes)), "groups", "Use fewer folds.")
    classes = int(codes.max(initial=-1)) + 2  # the last column is for rows without a class
    each = np.bincount(groups * classes + codes % classes, minlength=number * classes).reshape(number, classes)
    shares = each / np.maximum(each.sum(axis=0), 1)
    order = np.random.default_rng(whole_number("seed", seed, 0)).permutation(number)
    order = order[np.argsort(-sizes[order], kind="stable")]
    held = np.zeros((count, classes))
    rows = np.zeros(count, dtype=np.int64)
    fold_of = np.zeros(number, dtype=np.int64)
    for group in order[: int(np.count_nonzero(sizes))].tolist():
        share = shares[group]
        # (held + share)² − held² is lowest where held · share is; ties go to the fold with the fewest rows.
        growth = held @ share
        fold = min(np.flatnonzero(growth == growth.min()).tolist(), key=rows.__getitem__)
        held[fold] += share
        rows[fold] += sizes[group]
        fold_of[group] = fold
    return fold_of[groups]


def blocks_in_order(order: npt.NDArray[np.int64], blocks: int) -> IntArray:
    """Return the block of each row; blocks are as even as ties in order allow.

    Parameters
    ----------
    order : array of whole numbers, one for each row
        Greater is later.
    blocks : int from 2 to the number of distinct values of `order`

    Examples
    --------
    >>> blocks_in_order(np.array([5, 1, 2, 3, 1, 4]), 3)
    array([2, 0, 1, 1, 0, 2])
    """
    values, at, sizes = np.unique(order, return_inverse=True, return_counts=True)
    count = _folds(blocks, len(values), "distinct values of order", "Use fewer folds.", "folds + 1")
    ends = np.cumsum(sizes)
    cuts = [0]  # number of values before each block
    for block in range(1, count):
        enough = int(np.searchsorted(ends, block * len(order) / count)) + 1
        cuts.append(min(max(enough, cuts[-1] + 1), len(values) - (count - block)))
    return (np.searchsorted(cuts, np.arange(len(values)), side="right") - 1)[at]


def _folds(folds: int, most: int, what: str, advice: Advice, name: str = "folds") -> int:
    count = whole_number(name, folds, 2)
    if count > most:
        raise ParameterError(f"{name} must be at most the number of {what}, {most}", got=count, advice=advice)
    return count


def _narrow(codes: IntArray) -> npt.NDArray[np.integer]:
    # 16-bit integers are sorted by counting, in linear time.
    few = codes.max(initial=0) < np.iinfo(np.int16).max and codes.min(initial=0) >= -1
    return codes.astype(np.int16) if few else codes
