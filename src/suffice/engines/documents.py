"""Columns of text as documents: where they lie, without a copy and without a string for each."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from suffice import _core
from suffice.errors import DataError
from suffice.likelihoods.collect import Tokenizing
from suffice.machine import thread_count
from suffice.sources.arrow_column import Texts
from suffice.sources.column import Codes, Column, Nothing, Objects
from suffice.sources.table import Table
from suffice.statistics import Axis, Tokens
from suffice.statistics.frozen_arrays import BoolArray, FloatArray, IntArray
from suffice.statistics.tokens import TokenArray, tokens_in_order
from suffice.statistics.vocabulary import NO_WORDS, Vocabulary

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
        tokenizing.characters,
        list(tokenizing.stop_words),
    )


def documents_of(table: Table, name: str | int) -> _core.Documents:
    """Return the documents of a column, or raise DataError where it holds something else."""
    column = table.column(name)
    try:
        return _documents(column, table.rows)
    except ValueError as reason:
        error = DataError(
            f"must hold text: {reason}",
            kind="not_text",
            column=name,
            advice=lambda words: f"Convert it with str, or leave it out with {words.column(name, None)}.",
        )
        if isinstance(column, Objects):  # in which the core has found something else
            found = [(row, value) for row, value in enumerate(column.values.tolist()) if not _may_be(value)]
            if found:
                error = error.located(problem="must hold text", row=found[0][0], got=found[0][1])
        raise error from None


def _may_be(value: object) -> bool:
    # Text, or missing: None, NaN and NA, which are not equal to themselves or refuse to say.
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
    """Return the counts of the tokens of documents by class; a negative code leaves one out."""
    heavy = None if weights is None else _checked(np.ascontiguousarray(weights, dtype=np.float64))
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
    return tokens_in_order(classes, vocabulary, starts, tokens, counts, with_token, there, tokenizing.columns)


def token_index(tokenizing: Tokenizing, vocabulary: Vocabulary, kept: IntArray | None) -> _core.TokenIndex:
    """Return which column each kept token of a vocabulary is, or each kept column of the hashed ones.

    The kept ones are given by their numbers, rising; None for all.
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
    """Return starts, columns and values of the CSR matrix of the documents' tokens."""
    log = tokenizing.tf == "log"
    tokenizer = tokenizer_of(tokenizing)
    return _core.token_matrix(tokenizer, index, documents, log, tokenizing.unit_length, thread_count(threads))


def _checked(weights: FloatArray) -> FloatArray:
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise DataError(
            "weights must be finite and ≥ 0",
            kind="bad_weight",
            row=row,
            got=float(weights[row]),
            advice=lambda words: f"Drop the row, or take data out with {words.verb('forget')}.",
        )
    return weights
