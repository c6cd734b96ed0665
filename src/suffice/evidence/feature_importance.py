"""Feature importance: the evidence of columns, levels and words for each class, from the statistics alone.

Symbols: class c against its rest, the other classes pooled by the weight of their rows
(likelihoods/terms/divergence.py); θ as estimated; π_c the fraction of rows of class c.

    level k of column j    evidence   ln θ_jc(k) − ln θ_j,rest(k): for c if > 0, against it if < 0
                           weight     (θ_jc(k) − θ_j,rest(k)) · evidence ≥ 0, by which levels are ranked: a rare level
                                      with much evidence contributes little on average
    column j               evidence   E_{x|c}[ln p(x_j | c) − ln p(x_j | rest)] ≥ 0 of a known cell (divergence.py);
                                      over all classes the mean, weighted by π_c
    columns together (MultivariateGaussian)
                           evidence   that of the column alone, ignoring the others
    column of multinomial counts
                           evidence   x̄_jc (ln θ_jc − ln θ_j,rest), of its x̄_jc mean occurrences in a row of c; it may
                                      be < 0, and the evidence of the columns adds up
    column of text         evidence   that of the words of a document of c (below)

Evidence is in nats: 0.69 is a factor of 2 on the odds, 2.3 a factor of 10. A level is a level of a categorical column,
a combination of a joint block, a bin of a histogram (shown as an interval), or present and absent, known and missing.

Mutual information in bits, with o_c the probability that the cell is known if missingness is modelled
(missing="level"), else 1:

    I(class; cell)     Σ_c π_c E_{x|c}[ln p(x | c) − ln Σ_d π_d p(x | d)]/ln 2, from 0 to H(class)
    with o             I(class; known or not) + Σ_c π_c o_c E_{x|c}[ln p(x | c) − ln Σ_d w_d p(x | d)]/ln 2, w ∝ π o

Discrete outcomes are summed, densities integrated as in divergence.py. Columns modelled together are treated
marginally; a joint block is one column. Multinomial counts and documents have no mutual information of their own: it
would be that of the whole row.

Words. Symbols: token k, θ_ck as estimated, N_ck occurrences in class c, w_c the weight of its documents, q_k the weight
of an occurrence (idf, or 1).

    multinomial   evidence   q_k (ln θ_ck − ln θ_rest,k) of one occurrence
                  weight     (θ_ck − θ_rest,k) · evidence ≥ 0
                  column     Σ_k N_ck/w_c · evidence, the mean over documents of c
    bernoulli     evidence   ln θ_ck − ln θ_rest,k of the presence of the token
                  weight     as above
                  column     Σ_k θ_ck ln(θ_ck/θ_rest,k) + (1 − θ_ck) ln((1 − θ_ck)/(1 − θ_rest,k))
    complement    evidence   q_k (w_ck − the mean of w_c'k over the rest, each class by the weight of its rows)
                  weight     (fraction of k among the words of c − its fraction in the rest) · evidence
                  column     as for multinomial

Words for c are those with evidence > 0, ranked by weight. Only tokens that are returned are turned into strings.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, final

import numpy as np

from suffice.arguments import find_class
from suffice.likelihoods.terms import Outcomes, Term
from suffice.likelihoods.terms.divergence import compute_log_weights, log_of_all, log_of_rest, weigh, weigh_logs
from suffice.likelihoods.tokens import TokenCounts
from suffice.models import NaiveBayesModel
from suffice.records import TableColumns, Tabular
from suffice.statistics import Axis
from suffice.statistics.arrays import FloatArray, IntArray
from suffice.statistics.labels import Label

__all__ = [
    "ClassEvidence",
    "ColumnEvidence",
    "LevelEvidence",
    "Shown",
    "TokenEvidence",
    "WordEvidence",
    "feature_importance",
    "mutual_information",
    "token_evidence",
]

_MOST_CLASSES = 12


def mutual_information(terms: Iterable[Term], log_share: FloatArray) -> dict[str | int, float]:
    """Return the bits of each column that has them, given ln π_c, −inf for a class without rows.

    Examples
    --------
    >>> from suffice.likelihoods.categorical import Levels
    >>> from suffice.statistics import Axis
    >>> pure = Levels(("fur",), (Axis.of(["black", "white"]),), np.array([[0.0, -np.inf], [-np.inf, 0.0]]))
    >>> mutual_information([pure], np.log([0.5, 0.5]))
    {'fur': 1.0}
    """
    every = list(terms)
    known = {name: log_present for term in every for name, log_present in term.log_observed().items()}
    found: dict[str | int, float] = {}
    for term in every:
        for name, nats in _columns(term, log_share, {} if term.log_observed() else known):
            found[name] = found.get(name, 0.0) + max(nats, 0.0) / math.log(2)
    return found


def _columns(
    term: Term, log_share: FloatArray, known: dict[str | int, FloatArray]
) -> Iterator[tuple[str | int, float]]:
    if not any(name in known for name in term.columns):
        yield from _mean_over_classes(term, log_share)
        return
    for name in term.columns:
        yield from _mean_over_classes(term.restrict((name,)), log_share + known.get(name, 0.0))


def _mean_over_classes(term: Term, log_share: FloatArray) -> Iterator[tuple[str | int, float]]:
    # Mean over the classes, weighted by their frequencies.
    for name, nats in term.divergence(log_share, log_of_all):
        yield name, float(weigh(np.exp(log_share), nats).sum())


class WordEvidence(NamedTuple):
    """Evidence of one token for one class.

    `occurrences` and `occurrences_elsewhere` are its weighted counts in the documents of the class and of all other
    classes; `here` and `elsewhere` are its estimated probabilities (for model="complement", its shares of the counts).
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
class TokenEvidence:
    """The tokens of a column: all arrays of shape (classes, kept)."""

    column: str | int
    read: TokenCounts
    kept: IntArray
    here: FloatArray
    elsewhere: FloatArray
    evidence: FloatArray
    column_says: FloatArray

    def said(self) -> FloatArray:
        """Return the average evidence of the column in documents of each class."""
        return self.column_says

    def top(self, c: int, label: Label, most: int | None) -> Iterator[WordEvidence]:
        """Yield the tokens with the highest weight for class c, including all ties with the last one."""
        evidence = self.evidence[c]
        # A token that occurs only in c has infinite evidence and comes first.
        weight = weigh(self.here[c] - self.elsewhere[c], evidence)
        known = np.flatnonzero((evidence > 0) & (weight > 0))
        if most is not None and most < len(known):
            least = np.partition(weight[known], len(known) - most)[len(known) - most]
            known = known[weight[known] >= least]
        counts = self.read.raw_counts[:, known]
        total = counts.sum(axis=0)
        for at, k in enumerate(known.tolist()):
            numbers = self.here[c, k], self.elsewhere[c, k], evidence[k], weight[k]
            both = float(counts[c, at]), float(max(total[at] - counts[c, at], 0.0))
            token = self.read.tokens.name_of(int(self.kept[k]))
            yield WordEvidence(self.column, token, label, *both, *map(float, numbers))


def token_evidence(model: NaiveBayesModel, log_weight: FloatArray) -> Iterator[TokenEvidence]:
    """Yield the words of every column of text, given the logs of the weights with which classes are pooled."""
    for block, seen in zip(model.schema.blocks, model.seen(), strict=True):
        for column, read, logs, text_model in block.likelihood.token_estimates(seen):
            yield _words(column, read, logs, text_model, log_weight)


def _words(
    column: str | int, read: TokenCounts, logs: FloatArray, text_model: str, log_weight: FloatArray
) -> TokenEvidence:
    kept = read.kept
    if text_model == "complement":
        here, elsewhere = _one_against_rest(read.counts)
        evidence = (logs - _mean_of_rest(logs, log_weight)) * read.weights
        return TokenEvidence(column, read, kept, here, elsewhere, evidence, _in_a_document(read, evidence))
    rest = log_of_rest(logs.T, log_weight).T
    with np.errstate(invalid="ignore"):
        ratio = logs - rest  # NaN if the token is impossible in both; its evidence is then 0
    here, elsewhere = np.exp(logs), np.exp(rest)
    if text_model == "bernoulli":
        with np.errstate(divide="ignore", invalid="ignore"):
            absent, absent_rest = np.log1p(-np.minimum(here, 1.0)), np.log1p(-np.minimum(elsewhere, 1.0))
            says = weigh_logs(logs, ratio) + weigh_logs(absent, absent - absent_rest)
        return TokenEvidence(column, read, kept, here, elsewhere, ratio, np.maximum(says.sum(axis=1), 0.0))
    evidence = ratio * read.weights
    return TokenEvidence(column, read, kept, here, elsewhere, evidence, _in_a_document(read, evidence))


def _in_a_document(read: TokenCounts, evidence: FloatArray) -> FloatArray:
    there = np.where(read.document_weight > 0, read.document_weight, 1.0)[:, None]
    return weigh(read.raw_counts / there, evidence).sum(axis=1)


def _one_against_rest(counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    others = np.maximum(counts.sum(axis=0) - counts, 0.0)
    return _normed(counts), _normed(others)


def _normed(counts: FloatArray) -> FloatArray:
    total = counts.sum(axis=1, keepdims=True)
    return np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)


def _mean_of_rest(weights: FloatArray, log_weight: FloatArray) -> FloatArray:
    # At least two classes have weight: if fewer have rows, all have equal weights (divergence.py).
    share = np.exp(log_weight - log_weight.max())
    total = (share[:, None] * weights).sum(axis=0)
    left: FloatArray = share.sum() - share
    return (total - share[:, None] * weights) / left[:, None]


class ColumnEvidence(NamedTuple):
    """Mean evidence of a column in nats, for one class or (`label` None) over all classes.

    `bits` is the mutual information of class and cell over all classes; None if it is undefined.
    """

    column: str | int
    label: Label
    evidence: float
    bits: float | None = None


class LevelEvidence(NamedTuple):
    """Evidence of one level for a class: its probability in the class and in the others, and their log ratio."""

    column: str | int
    level: Label
    label: Label
    here: float
    elsewhere: float
    evidence: float
    weight: float


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Levels:
    # The outcomes of some columns, and ln θ of the rest of each class, (K, C).
    outcomes: Outcomes
    rest: FloatArray

    def top(self, c: int, label: Label, most: int | None, column: str | int | None) -> Iterator[LevelEvidence]:
        columns, offsets, logs = self.outcomes.columns, self.outcomes.offsets, self.outcomes.logs
        rows = slice(0, len(logs))
        if column is not None:
            if column not in columns:
                return
            j = columns.index(column)
            rows = slice(int(offsets[j]), int(offsets[j + 1]))
        with np.errstate(invalid="ignore"):  # NaN if the level is impossible in the class and in its rest
            ratio: FloatArray = logs[rows, c] - self.rest[rows, c]
        here, elsewhere = np.exp(logs[rows, c]), np.exp(self.rest[rows, c])
        weight = (here - elsewhere) * ratio
        known = np.flatnonzero(~np.isnan(ratio))
        if most is not None and most < len(known):
            # Ties with the last one stay: they are ordered by name.
            least = np.partition(weight[known], len(known) - most)[len(known) - most]
            known = known[weight[known] >= least]
        owner = np.searchsorted(offsets, known + rows.start, side="right") - 1
        for k, j in zip(known.tolist(), owner.tolist(), strict=True):
            level = self.outcomes.name(j, k + rows.start - int(offsets[j]))
            numbers = float(here[k]), float(elsewhere[k]), float(ratio[k]), float(weight[k])
            yield LevelEvidence(columns[j], level, label, *numbers)


@final
@dataclass(frozen=True, slots=True, repr=False)
class Shown(Tabular):
    """The most informative columns, levels and words of a model, in nats. `Model.show` returns one."""

    columns: tuple[ColumnEvidence, ...]
    levels: dict[Label, tuple[LevelEvidence, ...]]
    words: dict[Label, tuple[WordEvidence, ...]]

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        if not self.columns:
            yield "no evidence: the model has fewer than two classes, or no columns"
            return
        yield "average evidence of a cell, in nats"
        for column in self.columns:
            bits = "" if column.bits is None else f", mutual information {column.bits:.3g} bits"
            yield f"  {column.column}: {column.evidence:.3g}{bits}"
        for label in list(self.levels)[:_MOST_CLASSES]:
            levels, words = self.levels[label], self.words[label]
            if levels or words:
                yield f"{label!r}"
            for level in levels:
                what = f"{level.column}" if level.level is None else f"{level.column} = {level.level}"
                shares = f"{level.here:.3g} in the class, {level.elsewhere:.3g} in the others"
                yield f"  {level.evidence:+.3g}  {what}: {shares}"
            for word in words:
                times = "time" if word.occurrences == 1 else "times"
                counts = (
                    f"{word.occurrences:,.6g} {times} in the class, {word.occurrences_elsewhere:,.6g} in the others"
                )
                yield f"  {word.evidence:+.3g}  {word.token}: {counts}"
        if len(self.levels) > _MOST_CLASSES:
            yield f"… {len(self.levels):,} classes in all"

    def table(self) -> TableColumns:
        """Return the columns kind, label, column, value, evidence, bits, here and elsewhere."""
        rows: list[tuple[Any, ...]] = [
            ("column", None, each.column, None, each.evidence, each.bits, None, None) for each in self.columns
        ]
        for label, levels in self.levels.items():
            rows += [
                ("level", label, each.column, each.level, each.evidence, None, each.here, each.elsewhere)
                for each in levels
            ]
            rows += [
                ("word", label, each.column, each.token, each.evidence, None, each.here, each.elsewhere)
                for each in self.words[label]
            ]
        names = ("kind", "label", "column", "value", "evidence", "bits", "here", "elsewhere")
        return {name: [row[at] for row in rows] for at, name in enumerate(names)}


@final
@dataclass(frozen=True, slots=True, eq=False)
class ClassEvidence:
    """Evidence of the columns of a model for its classes. Returned by `feature_importance`.

    Examples
    --------
    >>> import numpy as np
    >>> from suffice.api import fit
    >>> model = fit({"fur": ["black", "orange", "orange"], "sex": ["f", "m", "m"]}, "sex")
    >>> (first, *_) = feature_importance(model.with_options(estimate="smoothed").core).levels("m", 1)
    >>> first.column, first.level, round(float(np.exp(first.evidence)), 3)  # (1/4) / (2/3)
    ('fur', 'black', 0.375)
    """

    classes: Axis
    by_column: dict[str | int, FloatArray]
    share: FloatArray
    by_level: tuple[_Levels, ...]
    by_word: tuple[TokenEvidence, ...] = ()
    bits: dict[str | int, float] = field(default_factory=dict[str | int, float])

    def columns(self, top: int | None = None) -> list[ColumnEvidence]:
        """Return the average evidence of each column over all classes, in descending order."""
        mean = {name: _mean_weighted(self.share, each) for name, each in self.by_column.items()}
        return [ColumnEvidence(name, None, mean[name], self.bits.get(name)) for name in _loudest(mean)[:top]]

    def columns_of(self, label: Label, top: int | None = None) -> list[ColumnEvidence]:
        """Return the average evidence of each column in rows of that class, in descending order."""
        c = find_class(self.classes, label)
        said = {name: float(each[c]) for name, each in self.by_column.items()}
        return [ColumnEvidence(name, label, said[name]) for name in _loudest(said)[:top]]

    def levels(self, label: Label, top: int | None = None, column: str | int | None = None) -> list[LevelEvidence]:
        """Return the levels, of all columns or of one, with the most evidence on that class, by descending weight."""
        c = find_class(self.classes, label)
        found = [row for each in self.by_level for row in each.top(c, label, top, column)]
        found.sort(key=lambda row: (-row.weight, -abs(row.evidence), str(row.column), str(row.level)))
        return found[:top]

    def words(self, label: Label, top: int | None = None, column: str | int | None = None) -> list[WordEvidence]:
        """Return the words, of all columns or of one, that are evidence for that class, by descending weight."""
        c = find_class(self.classes, label)
        found = [row for each in self.by_word if column in (None, each.column) for row in each.top(c, label, top)]
        found.sort(key=lambda row: (-row.weight, str(row.column), str(row.token)))
        return found[:top]

    def show(self, top: int) -> Shown:
        """Return the most informative columns, and the levels and words with most evidence in each class."""
        return Shown(
            tuple(self.columns(top)),
            {label: tuple(self.levels(label, top)) for label in self.classes},
            {label: tuple(self.words(label, top)) for label in self.classes},
        )


@np.errstate(over="ignore", invalid="ignore")  # for values near the limits of floats
def feature_importance(model: NaiveBayesModel) -> ClassEvidence:
    """Return the evidence of columns, levels and words from the statistics alone; empty for fewer than two classes."""
    log_weight = compute_log_weights(model.tally.weight)
    share = np.exp(log_weight - np.logaddexp.reduce(log_weight)) if len(log_weight) else log_weight
    if len(model.classes) < 2:
        return ClassEvidence(model.classes, {}, share, ())
    known = {name: np.exp(row) for term in model.terms for name, row in term.log_observed().items()}
    said: dict[str | int, FloatArray] = {}
    by_level: list[_Levels] = []
    for seen, terms in zip(model.seen(), model.block_terms, strict=True):
        for term in terms:
            outcomes = term.outcomes()
            if outcomes is not None:
                by_level.append(_Levels(outcomes, log_of_rest(outcomes.logs, log_weight)))
            # If missingness is modelled, the evidence of a value is weighted by the probability that it is known.
            often = {} if term.log_observed() else known
            for column, nats in term.evidence(log_weight, seen):
                said[column] = said.get(column, 0.0) + nats * often.get(column, 1.0)
    words = tuple(token_evidence(model, log_weight))
    said.update((each.column, each.said()) for each in words)
    with np.errstate(divide="ignore"):
        bits = mutual_information(model.terms, np.log(share))
    return ClassEvidence(model.classes, said, share, tuple(by_level), words, bits)


def _mean_weighted(share: FloatArray, said: FloatArray) -> float:
    return float(np.multiply(share, said, out=np.zeros(len(said)), where=share > 0).sum())


def _loudest(said: dict[str | int, float]) -> list[str | int]:
    return sorted(said, key=lambda name: (-said[name], str(name)))
