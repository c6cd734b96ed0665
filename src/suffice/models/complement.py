"""Complement naive Bayes: each class is judged by the counts of all the others (Rennie, Shih, Teevan, Karger 2003).

Symbols: N_cj = Σ x_j over the rows of class c, N_j = Σ_c N_cj, λ_j pseudo-counts, D columns.

    θ̄_cj    = (N_j − N_cj + λ_j)/Σ_k (N_k − N_ck + λ_k), the share of column j in the rows that are not of class c
    w_cj    = −ln θ̄_cj                                   norm: w_cj = ln θ̄_cj/Σ_k ln θ̄_ck
    score_c = Σ_j x_j w_cj                               with one class alone its log prior is added, 0

A class is likely where its complement is not. The scores compare classes and are no likelihood of a row, so there is no
log p(x) and no evidence. They need no class prior either: it weighs little against a document.

A column that only class c has, without pseudo-counts, has θ̄_cj = 0, and its weight would be infinite: two classes with
such a column could not be compared. The share is read as the smallest float, so that of two such classes the one with
more of its own columns wins, as it does in the limit λ → 0. A missing count adds nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias, final

import numpy as np

from suffice.errors import DataError
from suffice.likelihoods.aligned import by_column, per_cell
from suffice.likelihoods.aligned import table as by_row
from suffice.likelihoods.complement_weights import complement_weights
from suffice.likelihoods.terms import Linear
from suffice.models.naive_bayes import NaiveBayesModel
from suffice.models.score import Scorer, Scores
from suffice.sources.table import Table
from suffice.statistics import Counts
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["Compared", "ComplementModel"]

Compared: TypeAlias = Literal["joint", "log_posterior", "posterior"]


@final
@dataclass(frozen=True, eq=False)
class ComplementModel:
    """Counts, read through their complement.

    Parameters
    ----------
    counted : NaiveBayesModel
        What was seen: one block of counts. Its reading has λ, and its class prior serves where there is one class.
    norm : bool
        Divide the weights of each class by their sum: the second normalisation of the paper.
    """

    counted: NaiveBayesModel
    norm: bool = False

    @cached_property
    def weights(self) -> FloatArray:
        """w, classes × columns."""
        known = self.counted
        ((counts, *_),) = known.parts
        assert isinstance(counts, Counts)
        (block,) = known.schema.blocks
        seen, _ = by_column(counts, block.columns, known.classes)
        alpha = 1.0 if known.reading.alpha is None else known.reading.alpha
        return complement_weights(seen, per_cell("alpha", alpha, *seen.shape), norm=self.norm)

    def score(self, table: Table, wanted: Compared) -> Scores:
        """Return the scores of every row, or these as a distribution over the classes."""
        if not self.counted.tally.weight.any():
            raise DataError("the model has seen no rows, so no class has a complement. Fit it on rows.")
        return self._scorer.score(table, wanted)

    def __reduce__(self) -> tuple[Any, ...]:
        return ComplementModel, (self.counted, self.norm)

    @cached_property
    def _scorer(self) -> Scorer:
        known = self.counted
        (block,) = known.schema.blocks
        prior = known.log_prior if len(known.classes) == 1 else np.zeros(len(known.classes))
        return Scorer([Linear(block.columns, by_row(self.weights), distribution=False)], prior, known.schema.names)
