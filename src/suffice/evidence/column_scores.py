"""What each column adds to log p(c, x) of each row, one column at a time: rows × classes, never rows × columns."""

from __future__ import annotations

from typing import final

import numpy as np

from suffice.evidence.similarity import screenable
from suffice.likelihoods.terms import Term
from suffice.models import NaiveBayesModel, Scorer
from suffice.sources.table import Table
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["ColumnScorers"]


@final
class ColumnScorers:
    """The terms of a model, column by column where the columns are read by themselves, and what is left of them.

    log p(c, x) = log p(c) + rest(x) + Σ_j contribution_j(x)
    """

    __slots__ = ("_alone", "_model", "_rest", "_terms")

    def __init__(self, model: NaiveBayesModel) -> None:
        self._model = model
        self._terms: dict[str | int, list[Term]] = {}
        self._alone: dict[str | int, Scorer] = {}
        rest: list[Term] = []
        for block, seen in zip(model.schema.blocks, model.seen(), strict=True):
            if not screenable(block.likelihood):
                rest.extend(block.likelihood.terms(seen))
                continue
            for name in block.columns:
                self._terms[name] = []
            for term in block.likelihood.terms(seen):
                for name in term.columns:
                    self._terms[name].append(term.restrict((name,)))
        self._rest = tuple(rest)

    def contribution(self, column: str | int, table: Table) -> FloatArray:
        """Return log p(x_j | c), rows × classes; 0 where the column says nothing."""
        terms = self._terms[column]
        if not terms:
            return np.zeros((table.rows, len(self._model.classes)))
        if column not in self._alone:
            nothing = np.zeros(len(self._model.classes))
            self._alone[column] = Scorer(terms, nothing, self._model.schema.names)
        return self._alone[column].score(table, "joint").values

    def rest(self, table: Table) -> FloatArray:
        """Return log p(c) and what columns add that are not read by themselves."""
        log_prior = self._model.log_prior
        if not self._rest:
            return np.tile(log_prior, (table.rows, 1))
        return np.array(Scorer(self._rest, log_prior, self._model.schema.names).score(table, "joint").values)
