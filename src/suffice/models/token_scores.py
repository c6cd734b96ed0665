"""What documents add to log p(c, x): tokens are looked up and their weights added in one native pass.

Where a weight is not enough, because a parameter is integrated out or a log is −inf, the tokens become rows of a sparse
matrix first, and those are scored as any other counts are.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, final

import numpy as np

from suffice import _core
from suffice.engines.documents import documents_of, token_index, token_matrix, tokenizer_of
from suffice.engines.invalid_input import translate_invalid_input
from suffice.engines.rows import view_numbers
from suffice.likelihoods.terms.split import DocumentTokens
from suffice.likelihoods.tokens import TokenTerm
from suffice.machine import thread_count
from suffice.models.layout import MatrixLayout
from suffice.sources.table import Table
from suffice.statistics.arrays import FloatArray

__all__ = ["TokenScorer"]

_ANY = 64  # columns, where tokens are only counted


@final
class TokenScorer:
    """One column of documents, and what its tokens add."""

    def __init__(self, term: TokenTerm) -> None:
        self._term = term

    @property
    def cancels(self) -> bool:
        """Whether what it adds is the same for every class."""
        return self._term.cancels

    @cached_property
    def _index(self) -> _core.TokenIndex:
        known = self._term.tokens
        return token_index(known.tokenizing, known.vocabulary, known.kept)

    def scores(self, table: Table, threads: int | None = None) -> FloatArray:
        """Return what the column adds, rows × classes: nothing where the document is missing."""
        term, tokenizing = self._term, self._term.tokens.tokenizing
        documents = documents_of(table, term.columns[0])
        linear = term.linear()
        if linear is not None:
            return _core.score_tokens(
                tokenizer_of(tokenizing),
                self._index,
                documents,
                tokenizing.tf == "log",
                tokenizing.unit_length,
                *linear,
                term.presence,
                thread_count(threads),
            )
        return self._by_matrix(documents, threads)

    def counts(self, table: Table, threads: int | None = None) -> Any:
        """Return what each known token counts in each document, as a CSR matrix; nothing where one is missing."""
        return self._counted(documents_of(table, self._term.columns[0]), threads)

    def tokens(self, table: Table, threads: int | None = None) -> DocumentTokens:
        """Return which of the tokens that are kept each document has, and how often each counts."""
        documents = documents_of(table, self._term.columns[0])
        found = token_matrix(self._term.tokens.tokenizing, self._index, documents, threads)
        return DocumentTokens(*found, documents.is_missing() if documents.missing else None)

    def _counted(self, documents: _core.Documents, threads: int | None) -> Any:
        from scipy.sparse import csr_matrix

        starts, columns, values = token_matrix(self._term.tokens.tokenizing, self._index, documents, threads)
        if self._term.presence:
            values = np.ones_like(values)
        return csr_matrix((values, columns, starts), shape=(len(documents), len(self._index)))

    def _by_matrix(self, documents: _core.Documents, threads: int | None) -> FloatArray:
        matrix = self._counted(documents, threads)
        with translate_invalid_input(self._term.columns, 0):
            scored, _, _ = _core.score(self._tables, view_numbers(matrix).view, "joint", thread_count(threads))
        scores = np.array(scored)
        if documents.missing:
            scores[documents.is_missing()] = 0.0
        return scores

    @cached_property
    def _tables(self) -> _core.ScoreTables:
        tokens, classes = self._term.shape
        layout = MatrixLayout(np.zeros(classes), tuple(range(tokens)), whole=False, exact=True)
        self._term.compile(layout)
        return layout.tables
