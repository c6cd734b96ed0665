"""The score of a row for novelty: standard/n, its log density per known cell or token in units of each column's spread.

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

import numpy as np

from suffice.decisions.novelty import NoveltyRows
from suffice.models import NaiveBayesModel
from suffice.models.score import Scorer
from suffice.sources.table import Table
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["novelty_rows"]


def novelty_rows(model: NaiveBayesModel, table: Table, log_density: FloatArray) -> NoveltyRows:
    """Return the rows of a table with the columns of the schema, given their log p(x)."""
    unseen = -float(np.log1p(model.tally.weight.sum()))
    always = {name for term in model.terms for name in term.log_observed()}
    terms = [size for term in model.terms for size in term.size_terms(unseen, always)]
    scores = Scorer(terms, np.zeros(2), model.schema.names).score(table, "joint").values
    size, standard = scores[:, 0] + len(always), log_density + scores[:, 1]
    cells = np.clip(size, 1.0, np.finfo(np.float64).max)  # counts may add up to more than a float holds
    return NoveltyRows(log_density, np.where(size > 0, standard / cells, np.inf))
