"""What tells the classes apart: which columns, levels and words speak for which class, and how loudly.

Symbols: class c against its rest (rest.py: the other classes pooled by the weight of their rows), θ as it is read.

    level k of column j    evidence   ln θ_jc(k) − ln θ_j,rest(k): for c where > 0, against it where < 0
                           weight     (θ_jc(k) − θ_j,rest(k)) · evidence ≥ 0, what it is ranked by: a rare level that
                                      would say much says little on average
    column j               evidence   E_{x|c}[ln p(x_j | c) − ln p(x_j | rest)] ≥ 0, of a known cell (divergence.py)
                           over all classes: the mean, each class as often as it was seen
    column of counts that are draws from one distribution (Multinomial)
                           evidence   x̄_jc (ln θ_jc − ln θ_j,rest), what its x̄_jc occurrences in a row of c say;
                                      it may be < 0, and the columns together say the sum

Nats: 0.69 is a factor of 2 on the odds, 2.3 one of 10. A level is a level of a categorical column, a combination of a
joint block, a cell of a histogram (shown as an interval), or present and absent, known and missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, cast, final

import numpy as np

from suffice.errors import ParameterError
from suffice.evidence.divergence import of_counts, of_outcomes, of_reals
from suffice.evidence.rest import log_of_rest, shares
from suffice.likelihoods import Multinomial
from suffice.likelihoods.aligned import by_column
from suffice.likelihoods.cell_readings import intervals_shown
from suffice.likelihoods.cells import log_widths
from suffice.likelihoods.terms import (
    Combinations,
    CompoundCount,
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
from suffice.statistics.frozen_arrays import FloatArray
from suffice.statistics.labels import Label

__all__ = ["ColumnEvidence", "LevelEvidence", "Telling", "telling"]

UNSEEN = "(unseen)"


class ColumnEvidence(NamedTuple):
    """What a column says on average, in nats: about one class, or (`label` None) over all of them."""

    column: str | int
    label: Label
    evidence: float


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
class _Outcomes:
    # The levels of one column: their names, ln θ and ln(θ/θ_rest), each of shape (K, C).
    column: str | int
    levels: tuple[Label, ...]
    logs: FloatArray
    ratio: FloatArray


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
    outcomes: tuple[_Outcomes, ...]

    def columns(self, top: int | None = None) -> list[ColumnEvidence]:
        """Return what each column says on average over all classes, the loudest first."""
        mean = {name: _mean(self.share, each) for name, each in self.by_column.items()}
        return [ColumnEvidence(name, None, mean[name]) for name in _loudest(mean)[:top]]

    def columns_of(self, label: Label, top: int | None = None) -> list[ColumnEvidence]:
        """Return what each column says on average in rows of that class, the loudest first."""
        c = self._at(label)
        said = {name: float(each[c]) for name, each in self.by_column.items()}
        return [ColumnEvidence(name, label, said[name]) for name in _loudest(said)[:top]]

    def levels(self, label: Label, top: int | None = None, column: str | int | None = None) -> list[LevelEvidence]:
        """Return the levels, of all columns or of one, that say most about that class, the weightiest first."""
        c = self._at(label)
        found: list[LevelEvidence] = []
        for each in self.outcomes:
            if column is None or each.column == column:
                found += self._of_outcomes(each, c, label, top)
        found.sort(key=lambda row: (-row.weight, -abs(row.evidence), str(row.column), str(row.level)))
        return found[:top]

    def _of_outcomes(self, each: _Outcomes, c: int, label: Label, top: int | None) -> Iterator[LevelEvidence]:
        logs, ratio = each.logs[:, c], each.ratio[:, c]
        possible = np.flatnonzero(~np.isnan(ratio))
        logs, ratio = logs[possible], ratio[possible]
        here, elsewhere = np.exp(logs), np.exp(logs - np.where(np.isinf(ratio), 0.0, ratio))
        elsewhere = np.where(ratio == np.inf, 0.0, elsewhere)
        elsewhere = np.where(ratio == -np.inf, self._elsewhere(each, c)[possible], elsewhere)
        weight = (here - elsewhere) * ratio
        order = np.argsort(-weight, kind="stable")[:top]
        for k in order.tolist():
            level = each.levels[int(possible[k])]
            numbers = float(here[k]), float(elsewhere[k]), float(ratio[k]), float(weight[k])
            yield LevelEvidence(each.column, level, label, *numbers)

    def _elsewhere(self, each: _Outcomes, c: int) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.exp(log_of_rest(each.logs, np.log(self.share))[:, c])

    def _at(self, label: Label) -> int:
        if label not in self.classes:
            raise ParameterError(
                f"the model does not know class {label!r}. Its classes are {list(self.classes)[:12]!r}. "
                "Give one of them."
            )
        return self.classes.index(label)


def telling(model: NaiveBayesModel) -> Telling:
    """Return what tells the classes apart, from the statistics alone; with fewer than two classes nothing does."""
    log_weight = shares(model.tally.weight)
    share = np.exp(log_weight - np.logaddexp.reduce(log_weight)) if len(log_weight) else log_weight
    if len(model.classes) < 2:
        return Telling(model.classes, {}, share, ())
    known = {name: np.exp(row) for term in model.terms if isinstance(term, Observed) for name, row in _rows(term)}
    counts = _mean_counts(model)
    said: dict[str | int, FloatArray] = {}
    outcomes: list[_Outcomes] = []
    for term in model.terms:
        for column, nats in _of_columns(term, log_weight, counts):
            # A value is there to be read as often as it is known, where being known speaks for itself.
            often = 1.0 if isinstance(term, Observed) else known.get(column, 1.0)
            said[column] = said.get(column, 0.0) + nats * often
        for each in _of_levels(term, log_weight):
            outcomes.append(each)
            if not isinstance(term, (Linear, Polya)):
                often = 1.0 if isinstance(term, Observed) else known.get(each.column, 1.0)
                nats = np.maximum(of_outcomes(each.logs, each.ratio), 0.0)
                said[each.column] = said.get(each.column, 0.0) + nats * often
    return Telling(model.classes, said, share, tuple(outcomes))


def _rows(term: Observed) -> Iterable[tuple[str | int, FloatArray]]:
    return zip(term.columns, term.present, strict=True)


def _of_columns(
    term: Term, log_weight: FloatArray, counts: dict[str | int, FloatArray]
) -> Iterator[tuple[str | int, FloatArray]]:
    if isinstance(term, (Quadratic, Student)):
        yield from zip(term.columns, of_reals(term, log_weight), strict=True)
    elif isinstance(term, (PoissonCount, CompoundCount)):
        yield from zip(term.columns, of_counts(term, log_weight), strict=True)
    elif isinstance(term, (Linear, Polya)):
        logs = _log_theta(term)
        ratio = _ratio(logs, log_weight)
        for j, column in enumerate(term.columns):
            mean = counts[column]
            yield column, np.multiply(mean, ratio[j], out=np.zeros(len(mean)), where=mean > 0)


def _of_levels(term: Term, log_weight: FloatArray) -> Iterator[_Outcomes]:
    if isinstance(term, Levels):
        start = 0
        for column, axis in zip(term.columns, term.levels, strict=True):
            levels = (*axis.labels, UNSEEN) if term.unseen else axis.labels
            yield _outcomes(column, levels, term.table[start : start + len(levels)], log_weight)
            start += len(levels)
    elif isinstance(term, Presence):
        for column, both in zip(term.columns, np.stack([term.present, term.absent], axis=1), strict=True):
            yield _outcomes(column, ("present", "absent"), both, log_weight)
    elif isinstance(term, Observed):
        for column, both in zip(term.columns, np.stack([term.present, term.absent], axis=1), strict=True):
            yield _outcomes(column, ("known", "missing"), both, log_weight)
    elif isinstance(term, Steps):
        start = 0
        for column, span in zip(term.columns, term.spans, strict=True):
            density = term.table[start : start + len(span) - 1]
            yield _outcomes(column, tuple(intervals_shown(span)), density + log_widths(span)[:, None], log_weight)
            start += len(density)
    elif isinstance(term, Combinations):
        names = ", ".join(map(str, term.columns))
        axes = term.levels
        rows: list[list[int]] = term.seen.tolist()
        levels = tuple(_combination(axes, row) for row in rows)
        others = float(np.prod([max(len(axis), 1) for axis in axes], dtype=np.float64)) - len(levels)
        logs = term.table
        if others > 0:
            logs = np.concatenate([logs, term.rest[None] + np.log(others)])
        yield _outcomes(names, (*levels, UNSEEN) if others > 0 else levels, logs, log_weight)
    elif isinstance(term, (Linear, Polya)):
        logs = _log_theta(term)
        ratio = _ratio(logs, log_weight)
        for j, column in enumerate(term.columns):
            yield _Outcomes(column, (None,), logs[j : j + 1], ratio[j : j + 1])


def _combination(axes: tuple[Axis, ...], row: list[int]) -> Label:
    return cast("Label", tuple(axis.labels[at] for axis, at in zip(axes, row, strict=True)))


def _outcomes(column: str | int, levels: tuple[Label, ...], logs: FloatArray, log_weight: FloatArray) -> _Outcomes:
    return _Outcomes(column, levels, logs, _ratio(logs, log_weight))


def _ratio(logs: FloatArray, log_weight: FloatArray) -> FloatArray:
    # NaN where neither class nor rest can show the level: it says nothing.
    with np.errstate(invalid="ignore"):
        return logs - log_of_rest(logs, log_weight)


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
