"""Text columns as documents of the native core, without a copy, and their token counts."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from suffice import _core
from suffice.errors import DataError
from suffice.likelihoods.block_statistics import Tokenizing
from suffice.machine import thread_count
from suffice.sources.column import Codes, Column, Nothing, Objects, Texts
from suffice.sources.metadata import require_weights
from suffice.sources.table import Table
from suffice.statistics import Axis, Tokens
from suffice.statistics.arrays import BoolArray, FloatArray, IntArray
from suffice.statistics.tokens import NO_WORDS, TokenArray, Vocabulary, tokens_from_valid

__all__ = ["count_tokens", "documents_of", "token_index", "token_matrix", "tokenizer_of", "tokens_of"]

_LONGEST = 2**32 - 1


@lru_cache(maxsize=64)
def tokenizer_of(tokenizing: Tokenizing) -> _core.Tokenizer:
    """Return the native tokenizer."""
    return _core.Tokenizer(
        tokenizing.unit.replace(" ", "_"),
        *tokenizing.ngrams,
        min(tokenizing.min_length, _LONGEST),
        _LONGEST if tokenizing.max_length is None else min(tokenizing.max_length, _LONGEST),
        tokenizing.lowercase,
        tokenizing.strip_accents,
        list(tokenizing.characters),
        list(tokenizing.stop_words),
    )


def documents_of(table: Table, name: str | int) -> _core.Documents:
    """Return the documents of a column, or raise DataError if it is not text."""
    column = table.column(name)
    try:
        return _documents(column, table.rows)
    except ValueError as reason:
        error = DataError(
            f"must be text: {reason}",
            kind="not_text",
            column=name,
            advice=lambda words: f"Convert the column to strings, or exclude it with {words.column(name, None)}.",
        )
        if isinstance(column, Objects):  # find the cell that the core rejected
            found = [(row, value) for row, value in enumerate(column.values.tolist()) if not _may_be(value)]
            if found:
                error = error.located(problem="must be text", row=found[0][0], got=found[0][1])
        raise error from None


def _may_be(value: object) -> bool:
    # Text or missing: NaN is not equal to itself, and NA has no truth value.
    try:
        return value is None or isinstance(value, str) or not bool(value == value)
    except (TypeError, ValueError):
        return True


def _documents(column: Column, rows: int) -> _core.Documents:
    if isinstance(column, Texts):
        return _core.documents_of_chunks(column.chunks, rows if column.limit is None else min(rows, column.limit))
    if isinstance(column, Objects):
        return _core.documents_of_texts(column.values.tolist())
    if isinstance(column, Codes):
        codes = column.codes if column.missing is None else np.where(column.missing, -1, column.codes)
        values: list[Any] = column.values.tolist()
        return _core.documents_of_texts([None if code < 0 else values[code] for code in codes.tolist()])
    if isinstance(column, Nothing):
        return _core.documents_of_texts([None] * column.rows)
    raise DataError(f"it holds {'times' if column.kind == 'time' else f'{column.kind} values'}")


def tokens_of(tokenizing: Tokenizing, text: str) -> list[str]:
    """Return the tokens of one text, in order.

    Examples
    --------
    >>> tokens_of(Tokenizing(ngrams=(1, 2)), "Buy now, BUY!")
    ['buy', 'now', 'buy now', 'buy', 'now buy']
    """
    documents = _core.documents_of_texts([text])
    return [token.decode("utf-8") for token in tokenizer_of(tokenizing).tokens(documents, 0)]


def count_tokens(
    tokenizing: Tokenizing,
    documents: _core.Documents,
    codes: IntArray,
    classes: Axis,
    weights: Any = None,
    threads: int | None = None,
) -> Tokens:
    """Return the token counts of documents by class; a document with a negative code is ignored."""
    heavy = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    if heavy is not None:
        require_weights(heavy)
    try:
        found = _core.count_tokens(
            tokenizer_of(tokenizing),
            documents,
            np.ascontiguousarray(codes, dtype=np.int64),
            heavy,
            len(classes),
            tokenizing.tf == "log",
            tokenizing.unit_length,
            tokenizing.columns,
            thread_count(threads),
        )
    except ValueError as reason:
        raise DataError(str(reason)) from None
    for array in found:
        array.flags.writeable = False
    text, ends, starts, tokens, counts, with_token, there = found
    vocabulary = NO_WORDS if tokenizing.columns else Vocabulary(text, ends)
    return tokens_from_valid(classes, vocabulary, starts, tokens, counts, with_token, there, tokenizing.columns)


def token_index(tokenizing: Tokenizing, vocabulary: Vocabulary, kept: IntArray | None) -> _core.TokenIndex:
    """Return the index of tokens to columns of the token matrix, for a vocabulary or hashed columns.

    `kept` are the numbers of the kept tokens or hashed columns, ascending; None keeps all.
    """
    if tokenizing.columns:
        return _core.TokenIndex.hashed(tokenizing.columns, kept)
    mask: BoolArray | None = None
    if kept is not None:
        mask = np.zeros(len(vocabulary), dtype=np.bool_)
        mask[kept] = True
    return _core.TokenIndex(vocabulary.text, vocabulary.ends, mask)


def token_matrix(
    tokenizing: Tokenizing, index: _core.TokenIndex, documents: _core.Documents, threads: int | None = None
) -> tuple[IntArray, TokenArray, FloatArray]:
    """Return indptr, indices and data of the CSR matrix of token counts."""
    log = tokenizing.tf == "log"
    tokenizer = tokenizer_of(tokenizing)
    return _core.token_matrix(tokenizer, index, documents, log, tokenizing.unit_length, thread_count(threads))
