"""Rows as novelty compares them: log p(x) in units that do not matter, and how much of the row is known.

    size n        the number of known cells and tokens:
      a cell        1 where it is known, or where being missing counts as a level; a constant column says nothing
      counts        x_j of a row of counts that is drawn as a whole (Multinomial): the total of the row
      a document    the number of its tokens that the model knows, or of distinct ones where each counts once
    standard      log p(x) + Σ of
      a known real cell   ln unit, the column's spread (of a histogram the width of all its cells), so that x → s x + t
                          of a column moves nothing, also where some rows do not know it
      an unseen level     ln 1/(1 + N), N the weight of all rows, where the reading ignores it: it is odd, not absent
      a cell outside      the same, of a histogram whose outer cells go on for ever: no row has been there

Sizes and shifts are scores of a row like any other, under terms of two "classes": the first adds up n, the second the
rest.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from suffice.decisions.novelty import NoveltyRows
from suffice.engines.table import Table
from suffice.likelihoods.cells import log_widths
from suffice.likelihoods.terms import (
    Coefficient,
    Combinations,
    FullQuadratic,
    FullStudent,
    Levels,
    Linear,
    Observed,
    Polya,
    Quadratic,
    Steps,
    Student,
    Term,
    TokenLinear,
    TokenPolya,
    TokenPresence,
    TokenTerm,
)
from suffice.models import NaiveBayesModel
from suffice.models.score import Scorer
from suffice.statistics import Axis
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["novelty_rows"]


def novelty_rows(model: NaiveBayesModel, table: Table, log_density: FloatArray) -> NoveltyRows:
    """Return the rows of a table with the columns of the schema, given their log p(x)."""
    unseen = -float(np.log1p(model.tally.weight.sum()))
    always = {name for term in model.terms if isinstance(term, Observed) for name in term.columns}
    terms = [found for term in model.terms for found in _sizes(term, unseen, always)]
    scores = Scorer(terms, np.zeros(2), model.schema.names).score(table, "joint").values
    return NoveltyRows(log_density, log_density + scores[:, 1], scores[:, 0] + len(always))


def _sizes(term: Term, unseen: float, always: set[str | int]) -> Iterator[Term]:
    if isinstance(term, (Coefficient, Observed)):
        return
    if isinstance(term, (Linear, Polya)):
        yield Linear(term.columns, _ones(len(term.columns)), distribution=False)
    elif isinstance(term, (TokenLinear, TokenPolya, TokenPresence)):
        presence = isinstance(term, TokenPresence) or term.presence
        yield TokenLinear(term.columns, term.tokens, _ones(_known_tokens(term)), np.zeros(2), presence)
    elif isinstance(term, Levels):
        cost = 0.0 if term.unseen else unseen
        yield _levels(term.columns, term.levels, cost, missing=term.missing)
    elif isinstance(term, Combinations):
        yield _levels(term.columns, term.levels, unseen, missing=False)
    else:
        known = np.stack([[float(name not in always) for name in term.columns], _log_units(term)], axis=1)
        yield Observed(term.columns, known, np.zeros_like(known))
        if isinstance(term, Steps):
            cuts = tuple(np.array([span[0], np.nextafter(span[-1], np.inf)]) for span in term.spans)
            yield Steps(term.columns, cuts, np.tile([[0.0, unseen], [0.0, 0.0], [0.0, unseen]], (len(cuts), 1)))


def _known_tokens(term: TokenTerm) -> int:
    if isinstance(term, TokenPresence):
        return len(term.present)
    return len(term.alpha if isinstance(term, TokenPolya) else term.weight)


def _log_units(term: Term) -> FloatArray:
    if isinstance(term, (Quadratic, Student, FullQuadratic, FullStudent)):
        return -np.log(term.scale)
    if isinstance(term, Steps):
        return np.array([log_widths(span[[0, -1]])[0] for span in term.spans])
    return np.zeros(len(term.columns))


def _ones(rows: int) -> FloatArray:
    return np.tile([1.0, 0.0], (rows, 1))


def _levels(columns: Columns, levels: tuple[Axis, ...], unseen: float, *, missing: bool) -> Levels:
    # A row for each level of each column, and after those of a column that of its unseen ones.
    tables = [np.concatenate([_ones(len(axis)), [[1.0, unseen]]]) for axis in levels]
    return Levels(columns, levels, np.concatenate(tables), unseen=True, missing=missing)
