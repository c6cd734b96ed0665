"""What the tokens of a document add.

    TokenLinear      start + Σ_k x_k weight_k over the known tokens of a document            text, parameters plugged in
    TokenPresence    Presence of each known token                                            text, where a log is −inf
    TokenPolya       Polya over the known tokens                                             text, integrated out

x_k is how often token k counts in the document (1 where presence counts), n = Σ x_k. Entries of an explanation, one for
each known token of the document:

    TokenLinear      x_k weight_k
    TokenPolya       ln Γ(α_k + x_k) − ln Γ(α_k) − (x_k/n) [ln Γ(A + n) − ln Γ(A)], as Polya in counts.py: what its
                     occurrences add on average over all orders in which the document may be read
    presence and     ln θ_k, and one entry for all others together, "absent words": Σ ln(1 − θ_k) over the tokens that
    absence          the model knows and the document has not

A token that the model does not know or does not keep adds nothing and is no entry. A missing document has none.
Tokens that are hashed have no names: they are shown as the columns that they fall in.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self, final

import numpy as np

from suffice.conjugate.log_gamma import log_rising
from suffice.likelihoods.collect import Tokenizing
from suffice.likelihoods.terms.counts import Polya
from suffice.likelihoods.terms.levels import Presence
from suffice.likelihoods.terms.split import Pieces, Rows, Split, Told
from suffice.likelihoods.terms.term import Layout, Term, contiguous
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray, IntArray
from suffice.statistics.vocabulary import Vocabulary

if TYPE_CHECKING:
    from suffice.likelihoods.token_reading import ReadTokens

__all__ = ["KnownTokens", "TokenLinear", "TokenPolya", "TokenPresence", "TokenSplit", "TokenTerm"]

_ABSENT = -1


@final
@dataclass(frozen=True, slots=True, eq=False)
class KnownTokens:
    """Which tokens a term knows: all of the vocabulary (or all hashed columns), or those that are kept; K in all.

    `kept` are their numbers, rising.
    """

    tokenizing: Tokenizing
    vocabulary: Vocabulary
    kept: IntArray | None


class TokenTerm(Term):
    """A term of one column of documents. It is compiled for the columns 0 … K − 1 of its known tokens."""

    __slots__ = ()

    tokens: KnownTokens
    presence: bool

    def documents(self) -> Self:
        """Return the term itself."""
        return self

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """K and C: how many tokens it knows, and how many classes."""

    def linear(self) -> tuple[FloatArray, FloatArray] | None:
        """Return weight and start, where the score is linear in what the tokens count, else None."""
        return None

    @abstractmethod
    def added(self, row: IntArray, tokens: IntArray, x: FloatArray, rows: int) -> FloatArray:
        """Return what tokens that count x in some of the rows add, (m, C)."""

    def presence_logs(self, log_theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the logs of presence and absence of each token, given those of presence, (K, C)."""
        del log_theta
        raise TypeError(f"{type(self).__name__} is not of presence")

    def size_terms(self, unseen: float, observed: set[str | int]) -> Iterator[Term]:
        """Yield the number of known tokens, or of distinct ones where each counts once."""
        del unseen, observed
        ones = np.tile([1.0, 0.0], (self.shape[0], 1))
        yield TokenLinear(self.columns, self.tokens, ones, np.zeros(2), self.presence)


@final
@dataclass(frozen=True, slots=True, eq=False)
class TokenLinear(TokenTerm):
    """start + Σ_k x_k weight_k: weight of shape (K, C), start of length C; x_k is 1 where presence counts."""

    columns: Columns
    tokens: KnownTokens
    weight: FloatArray
    start: FloatArray
    presence: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """K and C."""
        tokens, classes = self.weight.shape
        return tokens, classes

    def compile(self, layout: Layout) -> None:
        """Add the weights; `start` is none of the tables'."""
        layout.tables.add_linear(layout.numbers(tuple(range(self.shape[0]))), contiguous(self.weight), False)

    def linear(self) -> tuple[FloatArray, FloatArray]:
        """Return weight and start."""
        return self.weight, self.start

    def added(self, row: IntArray, tokens: IntArray, x: FloatArray, rows: int) -> FloatArray:
        """Return x_k weight_k."""
        del row, rows
        return x[:, None] * self.weight[tokens]

    def presence_logs(self, log_theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return ln θ and ln(1 − θ): a weight is their difference."""
        return log_theta, log_theta - self.weight


@final
@dataclass(frozen=True, slots=True, eq=False)
class TokenPresence(TokenTerm):
    """Present where the token occurs, else absent: both of shape (K, C)."""

    columns: Columns
    tokens: KnownTokens
    present: FloatArray
    absent: FloatArray

    presence: ClassVar[bool] = True  # pyright: ignore[reportIncompatibleVariableOverride]

    @property
    def shape(self) -> tuple[int, int]:
        """K and C."""
        tokens, classes = self.present.shape
        return tokens, classes

    def compile(self, layout: Layout) -> None:
        """Add presence of each token."""
        Presence(tuple(range(self.shape[0])), 0.0, self.present, self.absent).compile(layout)

    def added(self, row: IntArray, tokens: IntArray, x: FloatArray, rows: int) -> FloatArray:
        """Return ln θ_k."""
        del row, x, rows
        return self.present[tokens]

    def presence_logs(self, log_theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return both tables."""
        del log_theta
        return self.present, self.absent


@final
@dataclass(frozen=True, slots=True, eq=False)
class TokenPolya(TokenTerm):
    """The Dirichlet-multinomial of the whole document, its tokens in their order: alpha of shape (K, C)."""

    columns: Columns
    tokens: KnownTokens
    alpha: FloatArray
    presence: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """K and C."""
        tokens, classes = self.alpha.shape
        return tokens, classes

    def compile(self, layout: Layout) -> None:
        """Add α of each token."""
        Polya(tuple(range(self.shape[0])), self.alpha).compile(layout)

    def added(self, row: IntArray, tokens: IntArray, x: FloatArray, rows: int) -> FloatArray:
        """Return what the occurrences of each token add on average over all orders."""
        n: FloatArray = np.zeros((rows, 1))
        np.add.at(n[:, 0], row, x)
        of_total = log_rising(np.broadcast_to(self.alpha.sum(axis=0), (rows, self.alpha.shape[1])), n)
        share = x / np.maximum(n[row, 0], np.finfo(np.float64).tiny)
        return log_rising(self.alpha[tokens], x[:, None]) - share[:, None] * of_total[row]


@final
class TokenSplit(Split):
    """One column of documents over one table.

    Parameters
    ----------
    term : TokenTerm
    rows : Rows
    read : ReadTokens
        The counts of the column's tokens.
    presence : pair of arrays (K, C), optional
        ln θ and ln(1 − θ) of each token, where those are present or absent.
    """

    by_cell: bool = False

    def __init__(
        self, term: TokenTerm, rows: Rows, read: ReadTokens, presence: tuple[FloatArray, FloatArray] | None
    ) -> None:
        self._term = term
        starts, tokens, values, missing = rows.tokens(term)
        self._starts, self._tokens = starts.astype(np.int64), tokens.astype(np.int64)
        self._values: FloatArray = np.ones(len(values)) if term.presence else values
        self._there = np.ones(rows.number, dtype=np.bool_) if missing is None else ~missing
        self._read = read
        self._present, self._absent = (None, None) if presence is None else presence
        self._kept, self._totals = read.kept, read.counts_seen.sum(axis=1)

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
        logs = self._present[tokens] if self._present is not None else self._term.added(row, tokens, x, len(rows))
        if self._absent is None:
            return Pieces(row, at, logs)
        there = np.flatnonzero(self._there[rows])
        absent = _of_absent(self._absent, row, tokens, len(rows))[there]
        order = np.argsort(np.concatenate([row, there]), kind="stable")
        entries = np.concatenate([at, np.full(len(there), _ABSENT, dtype=np.int64)])
        return Pieces(np.concatenate([row, there])[order], entries[order], np.concatenate([logs, absent])[order])

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


def _of_absent(absent: FloatArray, row: IntArray, tokens: IntArray, rows: int) -> FloatArray:
    # All of them less those of the document; what cannot be absent is counted apart, because −inf − (−inf) is none.
    certain = np.isneginf(absent)
    finite = np.where(certain, 0.0, absent)
    left = np.tile(finite.sum(axis=0), (rows, 1))
    lacking = np.tile(certain.sum(axis=0), (rows, 1))
    np.subtract.at(left, row, finite[tokens])
    np.subtract.at(lacking, row, certain[tokens].astype(lacking.dtype))
    return np.where(lacking > 0, -np.inf, left)
