"""Each training row scored as if it had not been seen: no refit, one pass for the others and one for its own class.

    own class       the own terms of the likelihood (own_terms.py): its statistics without u = min(w, 1) of the row
    other classes   as they are, but for what they share with it (one variance or matrix for all, the spread within the
                    classes, a matrix that is pulled toward theirs, a complement), which is read without the row too;
                    the class prior without the row

Held fixed, at what all rows say: levels, vocabulary, idf, cells, λ, the default prior's mean and variance and the least
variance that follows from it, whether a column is read as Gaussian or histogram, and what the rows have chosen (α or τ
by evidence, s by oas). A row that is alone in its class leaves a class that nobody has seen: under an empirical prior
its own class then has probability 0.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from suffice.decisions.calibrating import UnseenRows
from suffice.engines.collection import column_codes
from suffice.engines.table import Matrix, Table
from suffice.evidence.own_complements import complement_scores
from suffice.evidence.own_ellipses import ellipse_scores
from suffice.evidence.own_rereadings import reread_scores
from suffice.evidence.own_scores import cells_of, own_scores
from suffice.likelihoods.one_class import of_class
from suffice.likelihoods.own_complement import OwnComplement
from suffice.likelihoods.own_rereading import OwnColumns, OwnRows
from suffice.likelihoods.own_terms import (
    OwnEllipse,
    OwnMultinomial,
    OwnNormal,
    OwnPoisson,
    OwnTerm,
    OwnTokens,
    OwnWithoutGaps,
)
from suffice.likelihoods.terms import Combinations, Term
from suffice.models import NaiveBayesModel
from suffice.models.score import Scorer
from suffice.models.score_parts import joint_of_parts
from suffice.statistics import Axis, Tally
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import BoolArray, FloatArray, IntArray

__all__ = ["known_numbers", "leave_one_out", "rows_left_out"]

_CELLS = 2**20  # at a time
_MANY = 2**8  # rows of a class, for which tables of that class alone are worth making

_Replacing: TypeAlias = OwnEllipse | OwnRows | OwnColumns | OwnComplement | OwnWithoutGaps | Combinations


def leave_one_out(
    model: NaiveBayesModel, table: Table, codes: IntArray, classes: Axis, weights: npt.NDArray[Any] | None
) -> FloatArray:
    """Return log p(c, x), rows × classes of the model, of each row without one unit of its own weight.

    Parameters
    ----------
    model : NaiveBayesModel
        It has seen these rows, and perhaps others.
    table : Table with the columns of the schema
    codes, classes : the class of each row; a negative code is a row that the model has not seen
    weights : array of rows, optional
    """
    rows = rows_left_out(model, table, codes, classes, weights)
    return np.add(rows.likelihood, rows.log_prior, out=rows.likelihood)


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # of weights and values near the ends of the floats
def rows_left_out(
    model: NaiveBayesModel, table: Table, codes: IntArray, classes: Axis, weights: npt.NDArray[Any] | None
) -> UnseenRows:
    """Return log p(x|c) and log p(c) of each row without one unit of its own weight, as calibrations are learnt."""
    places = np.append(model.classes.positions(classes.labels), -1)[codes]
    all_seen = table.rows > 0 and int(places.min()) >= 0
    units = np.ones(table.rows) if weights is None else np.minimum(np.asarray(weights, dtype=np.float64), 1.0)
    units = units if all_seen else np.where(places >= 0, units, 0.0)
    likelihood = model.likelihood(table).values
    likelihood = likelihood if likelihood.flags.writeable else likelihood.copy()
    priors: FloatArray = np.broadcast_to(model.log_prior, likelihood.shape)
    each = [1.0] if weights is None and all_seen else np.unique(units[units > 0]).tolist()
    for unit in each:
        whole = len(each) == 1 and all_seen and bool(weights is None or (units > 0).all())
        rows = np.arange(table.rows) if whole else np.flatnonzero(units == unit)
        own = places if whole else places[rows]
        found, moved = _own(model, table if whole else table.take(rows), own, unit)
        if moved is not None:
            likelihood[rows] += moved
        likelihood[rows, own] = found
        if whole:
            priors = _priors(model, unit)[own]
        else:
            priors = priors if priors.flags.writeable else priors.copy()
            priors[rows] = _priors(model, unit)[own]
    # Where the numbers of a row went beyond the floats, it is as good as impossible.
    np.nan_to_num(likelihood, copy=False, nan=-np.inf, posinf=np.finfo(np.float64).max, neginf=-np.inf)
    return UnseenRows(likelihood, priors, places, weights)


def _scorer(model: NaiveBayesModel, terms: tuple[Term, ...]) -> Scorer:
    return Scorer(terms, np.zeros(len(model.classes)), model.schema.names)


def _priors(model: NaiveBayesModel, unit: float) -> FloatArray:
    # Row y: the log prior of every class without a row of class y.
    weight, lasting = model.tally.weight, model.classes.declare()
    found = np.empty((len(weight), len(weight)))
    for y in range(len(weight)):
        left = weight.copy()
        left[y] = max(left[y] - unit, 0.0) if left[y] - unit > 2.0**-40 * left[y] else 0.0
        with np.errstate(divide="ignore"):
            found[y] = np.log(model.class_prior.probabilities(Tally(lasting, left)))
    return found


def _own(model: NaiveBayesModel, table: Table, own: IntArray, unit: float) -> tuple[FloatArray, FloatArray | None]:
    # The scores of the own class, and by how much those of all classes move where they share something.
    scores = np.zeros(table.rows)
    moved: FloatArray | None = None
    tables: list[Term] = []
    for block, seen in zip(model.schema.blocks, model.seen(), strict=True):
        likelihood: Any = block.likelihood
        for term in likelihood.own_terms(seen, unit):
            each: OwnTerm = term
            if isinstance(each, (OwnNormal, OwnMultinomial, OwnPoisson, OwnTokens)):
                scores += own_scores(each, table, own)
            elif isinstance(each, (OwnEllipse, OwnRows, OwnColumns, OwnComplement, OwnWithoutGaps, Combinations)):
                whole = likelihood.terms(seen) if isinstance(each, (OwnEllipse, Combinations)) else each.whole
                left, change = _in_place_of(model, whole, each, seen.columns, table, own)
                scores += left
                if change is not None:
                    moved = change if moved is None else moved + change
            else:
                tables.append(each)
    if tables:
        scores += _of_own_class(model, tuple(tables), table, own)
    return scores, moved


def _of_own_class(model: NaiveBayesModel, terms: tuple[Term, ...], table: Table, own: IntArray) -> FloatArray:
    if isinstance(table, Matrix) and table.row_by_row and table.rows >= _MANY * len(model.classes):
        each = [[of_class(term, c) for term in terms] for c in range(len(model.classes))]
        alone = [tuple(term for term in of_one if term is not None) for of_one in each]
        if all(len(of_one) == len(terms) for of_one in alone):
            scorers = [Scorer(of_one, np.zeros(1), model.schema.names) for of_one in alone]
            return joint_of_parts(scorers, table, own)[:, 0]
    return _scorer(model, terms).score(table, "joint").values[np.arange(table.rows), own]


def _in_place_of(
    model: NaiveBayesModel, whole: tuple[Term, ...], without: _Replacing, block: Columns, table: Table, own: IntArray
) -> tuple[FloatArray, FloatArray | None]:
    # Rows that were counted have the scores without them, of their own class or of all; the others stay as they are.
    before = _scorer(model, whole).score(table, "joint").values
    scores = before[np.arange(table.rows), own]
    if isinstance(without, Combinations):
        there = np.flatnonzero(_known_levels(table, block))
        scores[there] = _of_own_class(model, (without,), table, own)[there]
        return scores, None
    if isinstance(without, OwnColumns):
        there = np.arange(table.rows)
        found = reread_scores(without, cells_of(table.numbers(without.columns)), there, own)
    elif isinstance(without, OwnComplement):
        there = np.arange(table.rows)
        found = complement_scores(without, table, own)
    else:
        there = np.flatnonzero(known_numbers(table, block))
        found = _of_whole_rows(model, without, table, there, own)
    if found.ndim == 1:
        scores[there] = found
        return scores, None
    scores[there] = found[np.arange(len(there)), own[there]]
    change = np.zeros(before.shape)
    with np.errstate(invalid="ignore"):  # what is impossible stays so
        change[there] = np.where(found == before[there], 0.0, found - before[there])
    return scores, change


def _of_whole_rows(
    model: NaiveBayesModel, without: OwnEllipse | OwnRows | OwnWithoutGaps, table: Table, there: IntArray, own: IntArray
) -> FloatArray:
    if isinstance(without, OwnWithoutGaps):
        by_column = [each for each in without.terms if isinstance(each, OwnNormal)]
        terms = tuple(each for each in without.terms if not isinstance(each, OwnNormal))
        found = sum((own_scores(each, table, own) for each in by_column), np.zeros(table.rows))
        return (found + _of_own_class(model, terms, table, own) if terms else found)[there]
    cells = cells_of(table.numbers(without.columns))
    if isinstance(without, OwnRows):
        return reread_scores(without, cells, there, own[there])
    return ellipse_scores(without, cells(there), own[there])


def known_numbers(table: Table, block: Columns) -> BoolArray:
    """Return which rows have a number in each of these columns."""
    cells, step = cells_of(table.numbers(block)), max(1, _CELLS // len(block))
    there: BoolArray = np.empty(table.rows, dtype=np.bool_)
    for start in range(0, table.rows, step):
        some = np.arange(start, min(start + step, table.rows))
        there[some] = ~np.isnan(cells(some)).any(axis=1)
    return there


def _known_levels(table: Table, block: Columns) -> BoolArray:
    there: BoolArray = np.ones(table.rows, dtype=np.bool_)
    for name in block:
        there &= column_codes(table, name).codes >= 0
    return there
