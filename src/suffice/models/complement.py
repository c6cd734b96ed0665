"""Complement naive Bayes: each class is scored by the counts of all other classes (Rennie, Shih, Teevan, Karger 2003).

Symbols: N_cj = Σ x_j over the rows of class c, N_j = Σ_c N_cj, λ_j pseudo-counts, D columns.

    θ̄_cj    = (N_j − N_cj + λ_j)/Σ_k (N_k − N_ck + λ_k), the proportion of column j in all other classes
    w_cj    = −ln θ̄_cj                                   norm: w_cj = ln θ̄_cj/Σ_k ln θ̄_ck
    score_c = Σ_j x_j w_cj                               with a single class its log prior, 0, is added

The scores compare classes; they are not log-likelihoods, so there is no log p(x) and no evidence. The class prior is
not used, because its influence is small compared with a document.

Without pseudo-counts, a column that occurs only in class c has θ̄_cj = 0 and an infinite weight, and two classes with
such columns could not be compared. θ̄_cj is therefore at least the smallest float, so that the class with more of its
exclusive columns wins, as in the limit λ → 0. Missing counts contribute nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias, final

import numpy as np

from suffice.errors import DataError
from suffice.likelihoods.block_statistics import align_columns, broadcast_parameter
from suffice.likelihoods.block_statistics import transpose_table as by_row
from suffice.likelihoods.multinomial import Linear
from suffice.likelihoods.tokens import compute_complement_weights
from suffice.models.naive_bayes import NaiveBayesModel
from suffice.models.score import Scorer, Scores
from suffice.sources.table import Table
from suffice.statistics import Counts
from suffice.statistics.arrays import FloatArray

__all__ = ["Compared", "ComplementModel"]

Compared: TypeAlias = Literal["joint", "log_posterior", "posterior"]


@final
@dataclass(frozen=True, eq=False)
class ComplementModel:
    """Complement naive Bayes scores computed from the counts of a naive Bayes model.

    Parameters
    ----------
    counted : NaiveBayesModel
        Model with one block of counts. Its estimate provides λ; its class prior is used if there is a single class.
    norm : bool
        Divide the weights of each class by their sum (the second normalisation of the paper).
    """

    counted: NaiveBayesModel
    norm: bool = False

    @cached_property
    def weights(self) -> FloatArray:
        """The weights w, shape (classes, columns)."""
        known = self.counted
        ((counts, *_),) = known.parts
        assert isinstance(counts, Counts)
        (block,) = known.schema.blocks
        seen, _ = align_columns(counts, block.columns, known.classes)
        alpha = 1.0 if known.reading.alpha is None else known.reading.alpha
        return compute_complement_weights(seen, broadcast_parameter("alpha", alpha, *seen.shape), norm=self.norm)

    def score(self, table: Table, wanted: Compared) -> Scores:
        """Return the scores of every row, or their softmax over the classes."""
        if not self.counted.tally.weight.any():
            raise DataError("the model has no rows, so no class has a complement. Fit it on data.")
        return self._scorer.score(table, wanted)

    def __reduce__(self) -> tuple[Any, ...]:
        return ComplementModel, (self.counted, self.norm)

    @cached_property
    def _scorer(self) -> Scorer:
        known = self.counted
        (block,) = known.schema.blocks
        prior = known.log_prior if len(known.classes) == 1 else np.zeros(len(known.classes))
        return Scorer([Linear(block.columns, by_row(self.weights), distribution=False)], prior, known.schema.names)
