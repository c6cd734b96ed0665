"""Each training row scored as if it had not been seen: no refit, one pass for the others and one for its own class.

    log p(c, x_i)   for the classes c that row i is not of: as it is, with the class prior without the row
    own class       the own terms of the likelihood (own_terms.py): its statistics without u = min(w, 1) of the row

Held fixed, at what all rows say: levels, vocabulary, cells, λ, the default prior's mean and variance, and whether a
column is read as Gaussian or histogram. A row that is alone in its class leaves a class that nobody has seen: under an
empirical prior its own class then has probability 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from suffice.decisions.calibrating import UnseenRows
from suffice.engines.collection import column_codes
from suffice.engines.table import Table
from suffice.evidence.own_ellipses import ellipse_scores
from suffice.evidence.own_scores import cells_of, own_scores
from suffice.likelihoods.own_terms import OwnEllipse, OwnMultinomial, OwnNormal, OwnPoisson, OwnTerm, OwnTokens
from suffice.likelihoods.terms import Combinations, Term
from suffice.models import NaiveBayesModel
from suffice.models.score import Scorer
from suffice.statistics import Axis, Tally
from suffice.statistics.frozen_arrays import BoolArray, FloatArray, IntArray

__all__ = ["leave_one_out", "rows_left_out"]


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


def rows_left_out(
    model: NaiveBayesModel, table: Table, codes: IntArray, classes: Axis, weights: npt.NDArray[Any] | None
) -> UnseenRows:
    """Return log p(x|c) and log p(c) of each row without one unit of its own weight, as calibrations are learnt."""
    places = np.append(model.classes.positions(classes.labels), -1)[codes]
    units = np.ones(table.rows) if weights is None else np.minimum(np.asarray(weights, dtype=np.float64), 1.0)
    units = np.where(places >= 0, units, 0.0)
    likelihood = model.likelihood(table).values
    likelihood = likelihood if likelihood.flags.writeable else likelihood.copy()
    priors: FloatArray = np.broadcast_to(model.log_prior, likelihood.shape)
    each = np.unique(units[units > 0]).tolist()
    for unit in each:
        whole = len(each) == 1 and bool((units > 0).all())
        rows = np.arange(table.rows) if whole else np.flatnonzero(units == unit)
        own = places[rows]
        found, moved = _own(model, table if whole else table.take(rows), own, unit)
        if moved is not None:
            likelihood[rows] += moved
        likelihood[rows, own] = found
        if whole:
            priors = _priors(model, unit)[own]
        else:
            priors = priors if priors.flags.writeable else priors.copy()
            priors[rows] = _priors(model, unit)[own]
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
            if isinstance(each, OwnEllipse):
                left, change = _of_ellipse(model, each, likelihood.terms(seen), table, own)
                scores += left
                if change is not None:
                    moved = change if moved is None else moved + change
            elif isinstance(each, (OwnNormal, OwnMultinomial, OwnPoisson, OwnTokens)):
                scores += own_scores(each, table, own)
            elif isinstance(each, Combinations):
                scores += _of_combinations(model, each, likelihood.terms(seen), table, own)
            else:
                tables.append(each)
    if tables:
        found = _scorer(model, tuple(tables)).score(table, "joint").values
        scores += found[np.arange(table.rows), own]
    return scores, moved


def _of_ellipse(
    model: NaiveBayesModel, without: OwnEllipse, whole: tuple[Term, ...], table: Table, own: IntArray
) -> tuple[FloatArray, FloatArray | None]:
    # A row with a gap was not counted, so nothing of it is taken out.
    x = cells_of(table.numbers(without.columns))(np.arange(table.rows))
    there = np.flatnonzero(~np.isnan(x).any(axis=1))
    before = _scorer(model, whole).score(table, "joint").values
    at = np.arange(table.rows)
    scores = before[at, own]
    found = ellipse_scores(without, x[there], own[there])
    if not without.shared:
        scores[there] = found
        return scores, None
    scores[there] = found[np.arange(len(there)), own[there]]
    change = np.zeros_like(before)
    change[there] = found - before[there]
    return scores, change


def _of_combinations(
    model: NaiveBayesModel, without: Combinations, whole: tuple[Term, ...], table: Table, own: IntArray
) -> FloatArray:
    # A row with a gap was not counted, so nothing of it is taken out.
    there: BoolArray = np.ones(table.rows, dtype=np.bool_)
    for name in without.columns:
        there &= column_codes(table, name).codes >= 0
    at = np.arange(table.rows)
    left = _scorer(model, (without,)).score(table, "joint").values[at, own]
    return np.where(there, left, _scorer(model, whole).score(table, "joint").values[at, own])
