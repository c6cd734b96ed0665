"""What tells the classes apart: which columns, levels and words speak for which class, and how loudly.

Symbols: class c against its rest (rest.py: the other classes pooled by the weight of their rows), θ as it is read.

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

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, cast, final

import numpy as np

from suffice.errors import ParameterError
from suffice.evidence.divergence import alone, masses_times, of_counts, of_reals, times
from suffice.evidence.information import information
from suffice.evidence.rest import log_of_rest, shares
from suffice.evidence.words import WordEvidence, Words, words_of
from suffice.likelihoods import Multinomial
from suffice.likelihoods.aligned import by_column
from suffice.likelihoods.cell_readings import intervals_shown
from suffice.likelihoods.cells import log_widths
from suffice.likelihoods.terms import (
    Combinations,
    CompoundCount,
    FullQuadratic,
    FullStudent,
    Levels,
    Linear,
    Observed,
    PoissonCount,
    Polya,
    Presence,
    Quadratic,
    Steps,
    Student,
    Term,
)
from suffice.models import NaiveBayesModel
from suffice.statistics import Axis, Counts
from suffice.statistics.frozen_arrays import FloatArray, IntArray
from suffice.statistics.labels import Label

__all__ = ["ColumnEvidence", "LevelEvidence", "Telling", "telling"]

UNSEEN = "(unseen)"


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
    # The levels of some columns, those of column j in rows offsets[j] to offsets[j + 1]: ln θ of each class and of its
    # rest, both of shape (K, C). `name` gives the level of column j at place k.
    columns: tuple[str | int, ...]
    offsets: IntArray
    logs: FloatArray
    rest: FloatArray
    name: Callable[[int, int], Label]

    def ratio(self, rows: slice, c: int | slice) -> FloatArray:
        # NaN where neither the class nor its rest can show the level: it says nothing.
        with np.errstate(invalid="ignore"):
            return self.logs[rows, c] - self.rest[rows, c]

    def top(self, c: int, label: Label, most: int | None, column: str | int | None) -> Iterator[LevelEvidence]:
        rows = slice(0, len(self.logs))
        if column is not None:
            if column not in self.columns:
                return
            j = self.columns.index(column)
            rows = slice(int(self.offsets[j]), int(self.offsets[j + 1]))
        ratio = self.ratio(rows, c)
        here, elsewhere = np.exp(self.logs[rows, c]), np.exp(self.rest[rows, c])
        weight = (here - elsewhere) * ratio
        known = np.flatnonzero(~np.isnan(ratio))
        if most is not None and most < len(known):
            # All that weigh as much as the last of them stay: the names decide among equals.
            least = np.partition(weight[known], len(known) - most)[len(known) - most]
            known = known[weight[known] >= least]
        owner = np.searchsorted(self.offsets, known + rows.start, side="right") - 1
        for k, j in zip(known.tolist(), owner.tolist(), strict=True):
            level = self.name(j, k + rows.start - int(self.offsets[j]))
            numbers = float(here[k]), float(elsewhere[k]), float(ratio[k]), float(weight[k])
            yield LevelEvidence(self.columns[j], level, label, *numbers)

    def divergence(self) -> FloatArray:
        # Of every column and class; reduceat would take the next row for a column without levels.
        terms = masses_times(self.logs, self.ratio(slice(None), slice(None)))
        some = np.diff(self.offsets) > 0
        found = np.zeros((len(self.columns), terms.shape[1]))
        if some.any():
            found[some] = np.add.reduceat(terms, self.offsets[:-1][some], axis=0)
        return np.maximum(found, 0.0)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Telling:
    """What tells the classes of a model apart. `telling` makes one.

    Examples
    --------
    >>> import numpy as np
    >>> from suffice.api import fit
    >>> model = fit({"fur": ["black", "orange", "orange"], "sex": ["f", "m", "m"]}, "sex")
    >>> (first, *_) = telling(model.read("smoothed").naive_bayes).levels("m", 1)
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
    known = {name: np.exp(row) for term in model.terms if isinstance(term, Observed) for name, row in _rows(term)}
    counts = _mean_counts(model)
    said: dict[str | int, FloatArray] = {}
    by_level: list[_Levels] = []
    for term in model.terms:
        levels = _levels_of(term, log_weight)
        if levels is not None:
            by_level.append(levels)
        for column, nats in _columns_of(term, levels, log_weight, counts):
            # A value is there to be read as often as it is known, where being known speaks for itself.
            often = 1.0 if isinstance(term, Observed) else known.get(column, 1.0)
            said[column] = said.get(column, 0.0) + nats * often
    words = tuple(words_of(model, log_weight))
    said.update((each.column, each.said()) for each in words)
    with np.errstate(divide="ignore"):
        bits = information(model.terms, np.log(share))
    return Telling(model.classes, said, share, tuple(by_level), words, bits)


def _rows(term: Observed) -> Iterable[tuple[str | int, FloatArray]]:
    return zip(term.columns, term.present, strict=True)


def _columns_of(
    term: Term, levels: _Levels | None, log_weight: FloatArray, counts: dict[str | int, FloatArray]
) -> Iterable[tuple[str | int, FloatArray]]:
    if isinstance(term, (Quadratic, Student)):
        return zip(term.columns, of_reals(term, log_weight), strict=True)
    if isinstance(term, (FullQuadratic, FullStudent)):
        return zip(term.columns, of_reals(alone(term), log_weight), strict=True)
    if isinstance(term, (PoissonCount, CompoundCount)):
        return zip(term.columns, of_counts(term, log_weight), strict=True)
    if levels is None:
        return ()
    if isinstance(term, (Linear, Polya)):
        mean = np.stack([counts[column] for column in term.columns])
        return zip(term.columns, times(mean, levels.ratio(slice(None), slice(None))), strict=True)
    return zip(levels.columns, levels.divergence(), strict=True)


def _levels_of(term: Term, log_weight: FloatArray) -> _Levels | None:
    if isinstance(term, Levels):
        axes, unseen = term.levels, int(term.unseen)
        sizes = [len(axis) + unseen for axis in axes]
        return _laid(term.columns, sizes, term.table, log_weight, lambda j, k: (*axes[j].labels[k : k + 1], UNSEEN)[0])
    if isinstance(term, (Presence, Observed)):
        names = ("present", "absent") if isinstance(term, Presence) else ("known", "missing")
        both = np.stack([term.present, term.absent], axis=1).reshape(-1, len(log_weight))
        return _laid(term.columns, [2] * len(term.columns), both, log_weight, lambda _, k: names[k])
    if isinstance(term, Steps):
        spans = term.spans
        logs = term.table + np.concatenate([log_widths(span) for span in spans])[:, None]
        sizes = [len(span) - 1 for span in spans]
        return _laid(term.columns, sizes, logs, log_weight, lambda j, k: intervals_shown(spans[j])[k])
    if isinstance(term, Combinations):
        return _of_combinations(term, log_weight)
    if isinstance(term, (Linear, Polya)):
        return _laid(term.columns, [1] * len(term.columns), _log_theta(term), log_weight, lambda _, __: None)
    return None


def _of_combinations(term: Combinations, log_weight: FloatArray) -> _Levels:
    rows: list[list[int]] = term.seen.tolist()
    others = float(np.prod([max(len(axis), 1) for axis in term.levels], dtype=np.float64)) - len(rows)
    logs = term.table
    if others > 0:
        logs = np.concatenate([logs, term.rest[None] + np.log(others)])
    names = (", ".join(map(str, term.columns)),)
    return _laid(
        names,
        [len(logs)],
        logs,
        log_weight,
        lambda _, k: _combination(term.levels, rows[k]) if k < len(rows) else UNSEEN,
    )


def _laid(
    columns: tuple[str | int, ...],
    sizes: list[int],
    logs: FloatArray,
    log_weight: FloatArray,
    name: Callable[[int, int], Label],
) -> _Levels:
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)])
    return _Levels(columns, offsets, logs, log_of_rest(logs, log_weight), name)


def _combination(axes: tuple[Axis, ...], row: list[int]) -> Label:
    return cast("Label", tuple(axis.labels[at] for axis, at in zip(axes, row, strict=True)))


def _log_theta(term: Linear | Polya) -> FloatArray:
    if isinstance(term, Linear):
        return term.weight
    return np.log(term.alpha) - np.log(term.alpha.sum(axis=0))


def _mean_counts(model: NaiveBayesModel) -> dict[str | int, FloatArray]:
    found: dict[str | int, FloatArray] = {}
    for block, parts in zip(model.schema.blocks, model.parts, strict=True):
        if isinstance(block.likelihood, Multinomial):
            sums = parts[0]
            assert isinstance(sums, Counts)
            total, weight = by_column(sums, block.columns, model.classes)
            means = np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)
            found.update(zip(block.columns, means.T, strict=True))
    return found


def _mean(share: FloatArray, said: FloatArray) -> float:
    return float(np.multiply(share, said, out=np.zeros(len(said)), where=share > 0).sum())


def _loudest(said: dict[str | int, float]) -> list[str | int]:
    return sorted(said, key=lambda name: (-said[name], str(name)))
