"""Counts of tokens as they are read: cut to the tokens that are kept, by class, with their pseudo-counts.

Symbols: N_ck and D_ck counts and documents of token k in class c, N_k and D_k their sums over the classes, D the weight
of all documents; K tokens are kept.

    kept     D_k ≥ min_df and D_k ≤ max_df (a float up to 1 is a share of D), N_k ≥ min_count; of these the max_features
             with the greatest N_k, and of equal ones those that come first
    binary   a token counts once in a document: D_ck in place of N_ck
    idf      occurrences count idf_k = 1 + ln((1 + D)/(1 + D_k)) each, here and in the documents that are scored
    α        as given, else 1 (map 2), or with the greatest evidence, that of presence and absence where those are
             what is read: over all classes, or for each by itself; map takes 1 + α, whose mode is the mean under α
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias, final

import numpy as np

from suffice.likelihoods import probabilities as outcomes
from suffice.likelihoods.evidence_alpha import evidence_alpha
from suffice.likelihoods.likelihood import Seen
from suffice.statistics import Tokens
from suffice.statistics.frozen_arrays import BoolArray, FloatArray, IntArray

__all__ = ["Cut", "EvidencePrior", "ReadTokens", "Spoken", "TextModel", "seen_tokens"]

TextModel: TypeAlias = Literal["multinomial", "bernoulli", "complement"]
EvidencePrior: TypeAlias = Literal["evidence", "evidence by class"]


_TABLE = 2**22


def seen_tokens(tokens: Tokens) -> tuple[IntArray, IntArray]:
    """Return the tokens that some class has, rising, and for each pair the place of its token among them.

    The memory follows the pairs (up to 40 bytes each, and 40 MB), not the number of hashed columns, which a small model
    file may claim to be 2³⁰.
    """
    pairs, width = tokens.tokens, tokens.width
    if width > max(_TABLE, 4 * len(pairs)):
        found, place = np.unique(pairs, return_inverse=True)
        return found.astype(np.int64), place.reshape(-1).astype(np.int64)
    there = np.zeros(width, dtype=np.bool_)
    there[pairs] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[pairs]


@final
@dataclass(frozen=True, slots=True)
class Cut:
    """Which tokens are kept."""

    min_df: float = 1
    max_df: float | None = None
    max_features: int | None = None
    min_count: float = 0.0

    def mask(self, counts: FloatArray, documents: FloatArray, total: float) -> BoolArray:
        """Return which tokens are kept, given counts and documents of each, and the weight of all documents."""
        kept = documents > 0
        if self.min_df != 1:
            kept &= documents >= _number(self.min_df, total)
        if self.max_df is not None:
            kept &= documents <= _number(self.max_df, total)
        if self.min_count > 0:
            kept &= counts >= self.min_count
        if self.max_features is not None and kept.sum() > self.max_features:
            found = np.flatnonzero(kept)
            most = found[np.argsort(-counts[found], kind="stable")[: self.max_features]]
            kept = np.zeros_like(kept)
            kept[most] = True
        return kept


def _number(given: float, total: float) -> float:
    # As scikit-learn has it: a float up to 1 is a share of the documents, a whole number is a number of them.
    return given * total if isinstance(given, float) and given <= 1 else given


@final
@dataclass(frozen=True, eq=False)
class ReadTokens:
    """The tokens of one column, cut and laid out along the classes of a model."""

    tokens: Tokens
    seen: Seen
    cut: Cut
    binary: bool = False
    idf: bool = False
    alpha: float | None = None
    prior: EvidencePrior | None = None
    bernoulli: bool = False

    @cached_property
    def _seen_tokens(self) -> tuple[IntArray, IntArray]:
        return seen_tokens(self.tokens)

    @cached_property
    def _mask(self) -> BoolArray:
        # Which of the tokens that were seen are kept.
        counts = self._over_classes(self.tokens.counts)
        documents = self._over_classes(self.tokens.documents)
        with np.errstate(over="ignore"):
            total = min(float(self.tokens.weights.sum()), np.finfo(np.float64).max)
        return self.cut.mask(counts, documents, total)

    def _over_classes(self, values: FloatArray) -> FloatArray:
        found, place = self._seen_tokens
        return np.bincount(place, values, minlength=len(found)).astype(np.float64)

    @cached_property
    def kept(self) -> IntArray:
        """The tokens that are kept, rising."""
        return self._seen_tokens[0][self._mask]

    @property
    def number(self) -> int:
        """How many tokens are kept."""
        return len(self.kept)

    @cached_property
    def counts(self) -> FloatArray:
        """N, of shape (classes, kept), as binary and idf would have it."""
        laid = self._laid(self.tokens.documents if self.binary else self.tokens.counts)
        return laid * self.weights if self.idf else laid

    @cached_property
    def counts_seen(self) -> FloatArray:
        """N as it was collected, of shape (classes, kept): whatever idf says, and documents where those are read."""
        return self._laid(self.tokens.documents if self.binary else self.tokens.counts) if self.idf else self.counts

    @cached_property
    def documents(self) -> FloatArray:
        """D, of shape (classes, kept)."""
        return self._laid(self.tokens.documents)

    @cached_property
    def there(self) -> FloatArray:
        """The weight of the documents of each class that are not missing."""
        laid = np.zeros(len(self.seen.classes))
        laid[self._places] = self.tokens.weights
        return laid

    @cached_property
    def presence(self) -> FloatArray:
        """The weight of the documents that have each token and of those that do not, of shape (classes, kept, 2)."""
        present = np.minimum(self.documents, self.there[:, None])
        return np.stack([present, self.there[:, None] - present], axis=-1)

    @cached_property
    def weights(self) -> FloatArray:
        """What an occurrence of each kept token counts: idf, or 1."""
        if not self.idf:
            return np.ones(self.number)
        documents = self._over_classes(self.tokens.documents)[self._mask]
        return 1.0 + np.log((1.0 + self.tokens.weights.sum()) / (1.0 + documents))

    @cached_property
    def evidence_alphas(self) -> FloatArray | None:
        """The α with the greatest evidence, of shape (classes, 1), or None where the data were not asked."""
        if outcomes.smoothing(self.seen) is not None or self.prior is None or not self.number:
            return None
        drawn = self.presence if self.bernoulli else self.counts  # outcomes along the last axis
        if self.prior == "evidence":
            return np.full((len(self.seen.classes), 1), evidence_alpha(drawn.reshape(-1, drawn.shape[-1])))
        return np.array([[evidence_alpha(of_class.reshape(-1, drawn.shape[-1]))] for of_class in drawn])

    @cached_property
    def pseudo_counts(self) -> FloatArray:
        """α, of shape (classes, 1)."""
        given = outcomes.smoothing(self.seen)
        c = len(self.seen.classes)
        if given is not None:
            return np.broadcast_to(given, (c, 1))
        if self.evidence_alphas is not None:
            return self.evidence_alphas + (self.seen.reading.estimate == "map")
        default = outcomes.default_prior_count(self.seen.reading.estimate)
        return np.full((c, 1), default if self.alpha is None else self.alpha)

    @property
    def alphas(self) -> FloatArray:
        """α of every class and kept token."""
        return np.broadcast_to(self.pseudo_counts, (len(self.seen.classes), self.number))

    @property
    def _places(self) -> IntArray:
        return self.seen.classes.positions(self.tokens.classes.labels)

    def _laid(self, values: FloatArray) -> FloatArray:
        laid = np.zeros((len(self.seen.classes), self.number))
        (_, place), mask = self._seen_tokens, self._mask
        column = np.cumsum(mask) - 1
        for c, row in zip(self._places.tolist(), self.tokens.rows(), strict=True):
            which = place[row]
            stay = mask[which]
            laid[c, column[which[stay]]] = values[row][stay]
        return laid


class Spoken(NamedTuple):
    """One column of documents: its tokens, ln θ (classes × kept) or the weights of the complement, and which model."""

    column: str | int
    read: ReadTokens
    logs: FloatArray
    model: TextModel
