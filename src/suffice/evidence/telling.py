"""What tells the classes apart: which columns, levels and words speak for which class, and how loudly.

Symbols: class c against its rest, the other classes pooled by the weight of their rows
(likelihoods/terms/divergence.py); θ as it is read.

    level k of column j    evidence   ln θ_jc(k) − ln θ_j,rest(k): for c where > 0, against it where < 0
                           weight     (θ_jc(k) − θ_j,rest(k)) · evidence ≥ 0, what it is ranked by: a rare level that
                                      would say much says little on average
    column j               evidence   E_{x|c}[ln p(x_j | c) − ln p(x_j | rest)] ≥ 0, of a known cell (divergence.py)
                           over all classes: the mean, each class as often as it was seen
    columns that go together (Gaussian, covariance "full" or "shared")
                           evidence   that of the column alone, whatever the others say
    column of counts that are draws from one distribution (Multinomial)
                           evidence   x̄_jc (ln θ_jc − ln θ_j,rest), what its x̄_jc occurrences in a row of c say;
                                      it may be < 0, and the columns together say the sum
    column of text                    what its words say in a document of c (words.py)

Nats: 0.69 is a factor of 2 on the odds, 2.3 one of 10. A level is a level of a categorical column, a combination of a
joint block, a cell of a histogram (shown as an interval), or present and absent, known and missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, final

import numpy as np

from suffice.errors import ParameterError
from suffice.evidence.information import information
from suffice.evidence.words import WordEvidence, Words, words_of
from suffice.likelihoods.terms import Outcomes
from suffice.likelihoods.terms.divergence import log_of_rest, shares
from suffice.models import NaiveBayesModel
from suffice.statistics import Axis
from suffice.statistics.frozen_arrays import FloatArray
from suffice.statistics.labels import Label

__all__ = ["ColumnEvidence", "LevelEvidence", "Telling", "telling"]


class ColumnEvidence(NamedTuple):
    """What a column says on average, in nats: about one class, or (`label` None) over all of them.

    `bits` is the mutual information of class and cell (information.py): over all classes, and None where there is none.
    """

    column: str | int
    label: Label
    evidence: float
    bits: float | None = None


class LevelEvidence(NamedTuple):
    """What one level says about one class: its probability there and elsewhere, and the log of their ratio."""

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
        with np.errstate(invalid="ignore"):  # NaN where neither the class nor its rest can show the level
            ratio: FloatArray = logs[rows, c] - self.rest[rows, c]
        here, elsewhere = np.exp(logs[rows, c]), np.exp(self.rest[rows, c])
        weight = (here - elsewhere) * ratio
        known = np.flatnonzero(~np.isnan(ratio))
        if most is not None and most < len(known):
            # All that weigh as much as the last of them stay: the names decide among equals.
            least = np.partition(weight[known], len(known) - most)[len(known) - most]
            known = known[weight[known] >= least]
        owner = np.searchsorted(offsets, known + rows.start, side="right") - 1
        for k, j in zip(known.tolist(), owner.tolist(), strict=True):
            level = self.outcomes.name(j, k + rows.start - int(offsets[j]))
            numbers = float(here[k]), float(elsewhere[k]), float(ratio[k]), float(weight[k])
            yield LevelEvidence(columns[j], level, label, *numbers)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Telling:
    """What tells the classes of a model apart. `telling` makes one.

    Examples
    --------
    >>> import numpy as np
    >>> from suffice.api import fit
    >>> model = fit({"fur": ["black", "orange", "orange"], "sex": ["f", "m", "m"]}, "sex")
    >>> (first, *_) = telling(model.with_options(estimate="smoothed").naive_bayes).levels("m", 1)
    >>> first.column, first.level, round(float(np.exp(first.evidence)), 3)  # (1/4) / (2/3)
    ('fur', 'black', 0.375)
    """

    classes: Axis
    by_column: dict[str | int, FloatArray]
    share: FloatArray
    by_level: tuple[_Levels, ...]
    by_word: tuple[Words, ...] = ()
    bits: dict[str | int, float] = field(default_factory=dict[str | int, float])

    def columns(self, top: int | None = None) -> list[ColumnEvidence]:
        """Return what each column says on average over all classes, the loudest first."""
        mean = {name: _mean(self.share, each) for name, each in self.by_column.items()}
        return [ColumnEvidence(name, None, mean[name], self.bits.get(name)) for name in _loudest(mean)[:top]]

    def columns_of(self, label: Label, top: int | None = None) -> list[ColumnEvidence]:
        """Return what each column says on average in rows of that class, the loudest first."""
        c = self._at(label)
        said = {name: float(each[c]) for name, each in self.by_column.items()}
        return [ColumnEvidence(name, label, said[name]) for name in _loudest(said)[:top]]

    def levels(self, label: Label, top: int | None = None, column: str | int | None = None) -> list[LevelEvidence]:
        """Return the levels, of all columns or of one, that say most about that class, the weightiest first."""
        c = self._at(label)
        found = [row for each in self.by_level for row in each.top(c, label, top, column)]
        found.sort(key=lambda row: (-row.weight, -abs(row.evidence), str(row.column), str(row.level)))
        return found[:top]

    def words(self, label: Label, top: int | None = None, column: str | int | None = None) -> list[WordEvidence]:
        """Return the words, of all columns or of one, that speak for that class, the weightiest first."""
        c = self._at(label)
        found = [row for each in self.by_word if column in (None, each.column) for row in each.top(c, label, top)]
        found.sort(key=lambda row: (-row.weight, str(row.column), str(row.token)))
        return found[:top]

    def _at(self, label: Label) -> int:
        if label not in self.classes:
            raise ParameterError(
                f"the model does not know class {label!r}. Its classes are {list(self.classes)[:12]!r}. "
                "Give one of them."
            )
        return self.classes.index(label)


@np.errstate(over="ignore", invalid="ignore")  # of values near the ends of the floats
def telling(model: NaiveBayesModel) -> Telling:
    """Return what tells the classes apart, from the statistics alone; with fewer than two classes nothing does."""
    log_weight = shares(model.tally.weight)
    share = np.exp(log_weight - np.logaddexp.reduce(log_weight)) if len(log_weight) else log_weight
    if len(model.classes) < 2:
        return Telling(model.classes, {}, share, ())
    known = {name: np.exp(row) for term in model.terms for name, row in term.log_observed().items()}
    said: dict[str | int, FloatArray] = {}
    by_level: list[_Levels] = []
    for seen, terms in zip(model.seen(), model.block_terms, strict=True):
        for term in terms:
            outcomes = term.outcomes()
            if outcomes is not None:
                by_level.append(_Levels(outcomes, log_of_rest(outcomes.logs, log_weight)))
            # A value is there to be read as often as it is known, where being known speaks for itself.
            often = {} if term.log_observed() else known
            for column, nats in term.evidence(log_weight, seen):
                said[column] = said.get(column, 0.0) + nats * often.get(column, 1.0)
    words = tuple(words_of(model, log_weight))
    said.update((each.column, each.said()) for each in words)
    with np.errstate(divide="ignore"):
        bits = information(model.terms, np.log(share))
    return Telling(model.classes, said, share, tuple(by_level), words, bits)


def _mean(share: FloatArray, said: FloatArray) -> float:
    return float(np.multiply(share, said, out=np.zeros(len(said)), where=share > 0).sum())


def _loudest(said: dict[str | int, float]) -> list[str | int]:
    return sorted(said, key=lambda name: (-said[name], str(name)))
