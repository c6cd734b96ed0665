"""Which words of a column of text speak for which class, and how loudly.

Symbols: class c against its rest (likelihoods/terms/divergence.py), token k, θ_ck as it is read, N_ck occurrences in
class c, w_c the weight of its documents, q_k what an occurrence counts (idf, or 1).

    multinomial   evidence   q_k (ln θ_ck − ln θ_rest,k), what one occurrence says
                  weight     (θ_ck − θ_rest,k) · evidence ≥ 0
                  column     Σ_k N_ck/w_c · evidence, what the words of a document of c say on average
    bernoulli     evidence   ln θ_ck − ln θ_rest,k, what the presence of the token says
                  weight     as above
                  column     Σ_k θ_ck ln(θ_ck/θ_rest,k) + (1 − θ_ck) ln((1 − θ_ck)/(1 − θ_rest,k))
    complement    evidence   q_k (w_ck − the mean of w_c'k over the rest, each class by the weight of its rows)
                  weight     (share of k among the words of c − its share in the rest) · evidence
                  column     as of multinomial

Words that speak for c are those of evidence > 0; they are ranked by weight, because a rare word that would say much
says little on average. Nothing here makes a string of a token that nobody asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np

from suffice.likelihoods.terms.divergence import log_of_rest, masses_times, times
from suffice.likelihoods.token_reading import ReadTokens
from suffice.models import NaiveBayesModel
from suffice.statistics.frozen_arrays import FloatArray, IntArray
from suffice.statistics.labels import Label

__all__ = ["WordEvidence", "Words", "words_of"]


class WordEvidence(NamedTuple):
    """What one token says for one class.

    `occurrences` counts it in the documents of the class and `occurrences_elsewhere` in all others, as those were
    weighted; `here` and `elsewhere` are its probabilities as they are read, of the complement its shares of the counts.
    """

    column: str | int
    token: str | int
    label: Label
    occurrences: float
    occurrences_elsewhere: float
    here: float
    elsewhere: float
    evidence: float
    weight: float


@final
@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The tokens of a column: all arrays of shape (classes, kept)."""

    column: str | int
    read: ReadTokens
    kept: IntArray
    here: FloatArray
    elsewhere: FloatArray
    evidence: FloatArray
    column_says: FloatArray

    def said(self) -> FloatArray:
        """Return what the column says on average in documents of each class."""
        return self.column_says

    def top(self, c: int, label: Label, most: int | None) -> Iterator[WordEvidence]:
        """Yield the tokens that speak for class c and weigh most, and all that weigh as much as the last of them."""
        evidence = self.evidence[c]
        weight = times(self.here[c] - self.elsewhere[c], evidence)  # an occurrence in c alone: inf, and loudest
        known = np.flatnonzero((evidence > 0) & (weight > 0))
        if most is not None and most < len(known):
            least = np.partition(weight[known], len(known) - most)[len(known) - most]
            known = known[weight[known] >= least]
        counts = self.read.counts_seen[:, known]
        total = counts.sum(axis=0)
        for at, k in enumerate(known.tolist()):
            numbers = self.here[c, k], self.elsewhere[c, k], evidence[k], weight[k]
            both = float(counts[c, at]), float(max(total[at] - counts[c, at], 0.0))
            token = self.read.tokens.name_of(int(self.kept[k]))
            yield WordEvidence(self.column, token, label, *both, *map(float, numbers))


def words_of(model: NaiveBayesModel, log_weight: FloatArray) -> Iterator[Words]:
    """Yield the words of every column of text, given the logs of the weights with which classes are pooled."""
    for block, seen in zip(model.schema.blocks, model.seen(), strict=True):
        for column, read, logs, text_model in block.likelihood.spoken(seen):
            yield _words(column, read, logs, text_model, log_weight)


def _words(column: str | int, read: ReadTokens, logs: FloatArray, text_model: str, log_weight: FloatArray) -> Words:
    kept = read.kept
    if text_model == "complement":
        here, elsewhere = _shares(read.counts)
        evidence = (logs - _mean_of_rest(logs, log_weight)) * read.weights
        return Words(column, read, kept, here, elsewhere, evidence, _in_a_document(read, evidence))
    rest = log_of_rest(logs.T, log_weight).T
    with np.errstate(invalid="ignore"):
        ratio = logs - rest  # NaN where neither can show the token: it says nothing
    here, elsewhere = np.exp(logs), np.exp(rest)
    if text_model == "bernoulli":
        with np.errstate(divide="ignore", invalid="ignore"):
            absent, absent_rest = np.log1p(-np.minimum(here, 1.0)), np.log1p(-np.minimum(elsewhere, 1.0))
            says = masses_times(logs, ratio) + masses_times(absent, absent - absent_rest)
        return Words(column, read, kept, here, elsewhere, ratio, np.maximum(says.sum(axis=1), 0.0))
    evidence = ratio * read.weights
    return Words(column, read, kept, here, elsewhere, evidence, _in_a_document(read, evidence))


def _in_a_document(read: ReadTokens, evidence: FloatArray) -> FloatArray:
    there = np.where(read.there > 0, read.there, 1.0)[:, None]
    return times(read.counts_seen / there, evidence).sum(axis=1)


def _shares(counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    others = np.maximum(counts.sum(axis=0) - counts, 0.0)
    return _normed(counts), _normed(others)


def _normed(counts: FloatArray) -> FloatArray:
    total = counts.sum(axis=1, keepdims=True)
    return np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)


def _mean_of_rest(weights: FloatArray, log_weight: FloatArray) -> FloatArray:
    # At least two classes have a share: where rows are of fewer, all count alike (divergence.py).
    share = np.exp(log_weight - log_weight.max())
    total = (share[:, None] * weights).sum(axis=0)
    left: FloatArray = share.sum() - share
    return (total - share[:, None] * weights) / left[:, None]
