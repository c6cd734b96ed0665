"""How what a document adds to log p(c, x) splits into its words.

Symbols: x_k how often token k counts in the document (1 where presence counts), n = Σ x_k; terms as in
likelihoods/terms.py. An entry for each known token of the document:

    TokenLinear      x_k weight_k
    TokenPolya       ln Γ(α_k + x_k) − ln Γ(α_k) − (x_k/n) [ln Γ(A + n) − ln Γ(A)], as Polya in explanation_splits.py:
                     what its occurrences add on average over all orders in which the document may be read
    presence and     ln θ_k, and one entry for all others together, "absent words": Σ ln(1 − θ_k) over the tokens that
    absence          the model knows and the document has not

A token that the model does not know or does not keep adds nothing and is no entry. A missing document has none.
Tokens that are hashed have no names: they are shown as the columns that they fall in.
"""

from __future__ import annotations

from typing import final

import numpy as np

from suffice.conjugate.log_gamma import log_rising
from suffice.engines.table import Table
from suffice.evidence.explanation_splits import Pieces, Split, Told
from suffice.likelihoods.terms import TokenLinear, TokenPolya, TokenTerm
from suffice.likelihoods.text import TextLikelihood
from suffice.likelihoods.token_reading import ReadTokens
from suffice.models import NaiveBayesModel
from suffice.models.token_scores import TokenScorer
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = ["TokenSplit"]

_ABSENT = -1


@final
class TokenSplit(Split):
    """One column of documents over one table."""

    def __init__(self, term: TokenTerm, model: NaiveBayesModel, table: Table) -> None:
        self._term = term
        starts, tokens, values, missing = TokenScorer(term).tokens(table)
        once = not isinstance(term, (TokenLinear, TokenPolya)) or term.presence
        self._starts, self._tokens = starts.astype(np.int64), tokens.astype(np.int64)
        self._values: FloatArray = np.ones(len(values)) if once else values
        self._there = np.ones(table.rows, dtype=np.bool_) if missing is None else ~missing
        self._read, self._present, self._absent = _of_presence(term, model)
        self._kept, self._totals = self._read.kept, self._read.counts_seen.sum(axis=1)

    @property
    def columns(self) -> Columns:
        """The column of documents."""
        return self._term.columns

    @property
    def size(self) -> float:
        """How many tokens a document has on average, and one."""
        return len(self._tokens) / max(1, len(self._there)) + 1

    def pieces(self, rows: IntArray) -> Pieces:
        """Return what each token of these rows adds, and all absent ones where those speak."""
        counts = self._starts[rows + 1] - self._starts[rows]
        row = np.repeat(np.arange(len(rows), dtype=np.int64), counts)
        first = np.cumsum(counts) - counts
        at = np.arange(len(row), dtype=np.int64) - np.repeat(first, counts) + np.repeat(self._starts[rows], counts)
        known = self._values[at] > 0
        row, at = row[known], at[known]
        tokens, x = self._tokens[at], self._values[at]
        found = Pieces(row, at, self._logs(row, tokens, x, len(rows)))
        if self._absent is None:
            return found
        there = np.flatnonzero(self._there[rows])
        absent = self._of_absent(row, tokens, len(rows))[there]
        order = np.argsort(np.concatenate([row, there]), kind="stable")
        entries = np.concatenate([at, np.full(len(there), _ABSENT, dtype=np.int64)])
        return Pieces(np.concatenate([row, there])[order], entries[order], np.concatenate([found.logs, absent])[order])

    def told(self, row: int, entry: int) -> Told:
        """Return the token, or that it is all absent ones."""
        del row
        column = self._term.columns[0]
        if entry == _ABSENT:
            return Told("absent words", column, None, 0, _ABSENT)
        token = int(self._tokens[entry])
        name = self._read.tokens.name_of(int(self._kept[token]))
        return Told("word", column, name, 0, token, float(self._values[entry]))

    def facts(self, place: int, outcome: int, classes: IntArray) -> dict[str, float]:
        """Return how often the token was seen in the classes, of how many tokens, or in how many of the documents."""
        del place
        read, at = self._read, classes
        if outcome == _ABSENT:
            return {}
        if self._absent is not None:
            return {"times": float(read.documents[at, outcome].sum()), "of": float(read.there[at].sum())}
        return {"times": float(read.counts_seen[at, outcome].sum()), "of": float(self._totals[at].sum())}

    def _logs(self, row: IntArray, tokens: IntArray, x: FloatArray, rows: int) -> FloatArray:
        term = self._term
        if self._present is not None:
            return self._present[tokens]
        if isinstance(term, TokenPolya):
            n: FloatArray = np.zeros((rows, 1))
            np.add.at(n[:, 0], row, x)
            of_total = log_rising(np.broadcast_to(term.alpha.sum(axis=0), (rows, term.alpha.shape[1])), n)
            share = x / np.maximum(n[row, 0], np.finfo(np.float64).tiny)
            return log_rising(term.alpha[tokens], x[:, None]) - share[:, None] * of_total[row]
        assert isinstance(term, TokenLinear)
        return x[:, None] * term.weight[tokens]

    def _of_absent(self, row: IntArray, tokens: IntArray, rows: int) -> FloatArray:
        # All of them less those of the document; what cannot be absent is counted apart, because −inf − (−inf) is none.
        assert self._absent is not None
        certain = np.isneginf(self._absent)
        finite = np.where(certain, 0.0, self._absent)
        left = np.tile(finite.sum(axis=0), (rows, 1))
        lacking = np.tile(certain.sum(axis=0), (rows, 1))
        np.subtract.at(left, row, finite[tokens])
        np.subtract.at(lacking, row, certain[tokens].astype(lacking.dtype))
        return np.where(lacking > 0, -np.inf, left)


def _of_presence(term: TokenTerm, model: NaiveBayesModel) -> tuple[ReadTokens, FloatArray | None, FloatArray | None]:
    # The tokens as they are read and, where those are present or absent, ln θ and ln(1 − θ) of each (K, C).
    for block, seen in zip(model.schema.blocks, model.seen(), strict=True):
        likelihood = block.likelihood
        if term.columns[0] in block.columns and isinstance(likelihood, TextLikelihood):
            for name, read, logs in likelihood.spoken(seen):
                if name != term.columns[0]:
                    continue
                if likelihood.model != "bernoulli":
                    return read, None, None
                if isinstance(term, TokenLinear):
                    return read, logs.T, logs.T - term.weight
                assert not isinstance(term, TokenPolya)
                return read, term.present, term.absent
    raise AssertionError("a term of tokens is of a column of text")
