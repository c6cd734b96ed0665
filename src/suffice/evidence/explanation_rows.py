"""Rows to explanations: the entries of every term, weighed between two classes, the weightiest first.

Symbols as in explanation.py. With v = e_c − e_d, or e_c − r against the rest, an entry adds Σ_k v_k ℓ_kj, where
0 · (−inf) = 0; one that is impossible under both classes says nothing between them and adds 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt

from suffice.engines.collection import column_raw_codes
from suffice.evidence.explanation import Behind, Entry, Explanation, Kind
from suffice.evidence.explanation_choice import Asked, Chosen, choose
from suffice.likelihoods.terms import Term, TokenTerm
from suffice.likelihoods.terms.split import DocumentTokens, Split
from suffice.models import NaiveBayesModel, Scorer
from suffice.models.scores import Scores
from suffice.models.token_scores import TokenScorer
from suffice.sources.table import Table
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = ["explanations"]

_CELLS_AT_ONCE = 2**21
_MOST_KNOWN = 2**17
_PRIOR = -1


class _Found(NamedTuple):
    # Entries of some rows: their row, what they add, and where they come from.
    row: IntArray
    nats: FloatArray
    split: IntArray
    entry: IntArray


def explanations(
    model: NaiveBayesModel,
    table: Table,
    asked: Asked,
    scores: Scores | None = None,
    numbers: range | IntArray | None = None,
    calibrated: FloatArray | None = None,
) -> Iterator[Explanation]:
    """Yield the explanation of every row of a table with the columns of the schema.

    `scores` are the model's joint ones of these rows, where somebody has them; `numbers` what the rows are called,
    unless that is 0, 1, …; `calibrated` what the scores have been given beyond log p(c, x), rows × classes.
    """
    joint = (model.score(table, "joint") if scores is None else scores).values
    chosen = choose(joint, model.log_prior, asked)
    splits = _splits(model, table)
    teller = _Teller(model, splits, chosen, asked.top, calibrated)
    step = max(1, int(_CELLS_AT_ONCE / ((sum(split.size for split in splits) + 1) * len(model.classes))))
    for start in range(0, table.rows, step):
        rows = np.arange(start, min(start + step, table.rows), dtype=np.int64)
        found = _entries(splits, rows, chosen.weights[rows])
        bounds: list[int] = np.searchsorted(found.row, np.arange(len(rows) + 1)).tolist()
        for at, row in enumerate(rows.tolist()):
            told = teller.told(row, _some(found, slice(bounds[at], bounds[at + 1])))
            yield told if numbers is None else replace(told, row=int(numbers[row]))


def _splits(model: NaiveBayesModel, table: Table) -> list[Split]:
    rows = _Rows(model, table)
    found = (
        block.likelihood.split(term, rows, seen)
        for block, seen, terms in zip(model.schema.blocks, model.seen(), model.block_terms, strict=True)
        for term in terms
    )
    return [split for split in found if split is not None]


@final
class _Rows:
    # The rows of a table, as terms look at them (likelihoods/terms/split.py).
    def __init__(self, model: NaiveBayesModel, table: Table) -> None:
        self._model, self._table = model, table

    @property
    def number(self) -> int:
        return self._table.rows

    def numbers(self, columns: Columns) -> _Cells:
        return _Cells(self._table, columns)

    def codes(self, column: str | int) -> tuple[npt.NDArray[Any], list[Any]]:
        codes, labels = column_raw_codes(self._table, column)
        return codes, labels

    def tokens(self, term: TokenTerm) -> DocumentTokens:
        return TokenScorer(term).tokens(self._table)

    def scores(self, term: Term) -> FloatArray:
        nothing = np.zeros(len(self._model.classes))
        return Scorer((term,), nothing, self._model.schema.names).score(self._table, "joint").values


@final
class _Cells:
    # The numbers of some columns, NaN where missing.
    def __init__(self, table: Table, columns: Columns) -> None:
        x, valid = table.numbers(columns)
        self._x, self._valid = x, valid
        self._last = -1, np.empty(0)  # the entries of a row are told one after the other

    def at(self, row: int, j: int) -> float:
        if self._last[0] != row:
            self._last = row, self.take(np.array([row], dtype=np.int64))[0]
        return float(self._last[1][j])

    def take(self, rows: IntArray) -> FloatArray:
        x = self._x
        if isinstance(x, list):
            separate: list[npt.NDArray[Any]] = x  # pyright: ignore[reportUnknownVariableType]
            found = np.empty((len(rows), len(separate)))
            for j, column in enumerate(separate):
                found[:, j] = np.ma.filled(np.ma.asarray(column[rows], dtype=np.float64), np.nan)
        elif hasattr(x, "tocsr"):
            found = np.asarray(x.tocsr()[rows].toarray(), dtype=np.float64)
        else:
            found = np.ma.filled(np.ma.asarray(x[rows], dtype=np.float64), np.nan)
        for j, bitmap in enumerate(self._valid or ()):
            if bitmap is not None:
                there = bitmap[rows // 8] >> (rows % 8).astype(np.uint8) & 1
                found[there == 0, j] = np.nan
        return found


def _pulled(weights: FloatArray, logs: FloatArray) -> FloatArray:
    # Σ_k v_k ℓ_k of each piece (m, C).
    return _added(np.multiply(weights, logs, out=np.zeros(logs.shape), where=weights != 0))


def _added(parts: FloatArray) -> FloatArray:
    # The sum of each row; infinite on both sides is nothing.
    with np.errstate(invalid="ignore"):
        found = parts.sum(axis=1)
    return np.where(np.isnan(found), 0.0, found)


def _entries(splits: list[Split], rows: IntArray, weights: FloatArray) -> _Found:
    known: dict[str | int, FloatArray] = {}  # of columns whose being known speaks: what it says in each row
    values = {name for split in splits if not split.known for name in split.columns}
    parts: list[_Found] = []
    for at, split in sorted(enumerate(splits), key=lambda each: not each[1].known):
        row, entry, logs, missing = split.pieces(rows)
        nats = _pulled(weights[row], logs)
        if missing is not None:
            beside = np.array([name in values for name in split.columns])
            for j, name in enumerate(split.columns):
                known[name] = np.zeros(len(rows))
                here = entry == j
                known[name][row[here]] = nats[here]
            kept = missing | ~beside[entry]
            row, entry, nats = row[kept], entry[kept], nats[kept]
        elif known and split.by_cell:
            for j, name in enumerate(split.columns):
                if name in known:
                    here = entry == j
                    nats[here] = _added(np.stack([nats[here], known[name][row[here]]], axis=1))
        parts.append(_Found(row, nats, np.full(len(row), at, dtype=np.int64), entry))
    nothing = np.empty(0, dtype=np.int64)
    parts.append(_Found(nothing, np.empty(0), nothing, nothing))
    row, nats, of, entry = (np.concatenate(each) for each in zip(*parts, strict=True))
    order = np.lexsort((of, -np.abs(nats), row))
    return _Found(row[order], nats[order], of[order], entry[order])


def _some(found: _Found, here: slice) -> _Found:
    return _Found(found.row[here], found.nats[here], found.split[here], found.entry[here])


@final
class _Teller:
    # What rows have in common is told once: the statistics behind a level, a word, a pair of classes.
    def __init__(
        self,
        model: NaiveBayesModel,
        splits: list[Split],
        chosen: Chosen,
        top: int | None,
        calibrated: FloatArray | None,
    ) -> None:
        self._labels, self._prior = model.classes.labels, np.exp(model.log_prior)
        self._splits, self._chosen, self._top = splits, chosen, top
        logs = np.broadcast_to(model.log_prior, chosen.weights.shape)
        self._of_prior = _pulled(chosen.weights, logs)
        self._beside: list[tuple[Kind, FloatArray]] = [("other classes", chosen.spread)]
        if calibrated is not None:
            self._beside.append(("calibration", _pulled(chosen.weights, calibrated)))
        self._known: dict[tuple[int, int, int, int, int], tuple[Behind, ...]] = {}

    def told(self, row: int, found: _Found) -> Explanation:
        chosen = self._chosen
        c, d = int(chosen.label[row]), int(chosen.against[row])
        listed = _some(found, slice(self._top))
        numbers: list[float] = listed.nats.tolist()
        places: list[tuple[int, int]] = list(zip(listed.split.tolist(), listed.entry.tolist(), strict=True))
        entries = [self._entry(at, row, entry, nats, c, d) for nats, (at, entry) in zip(numbers, places, strict=True)]
        rest = found.nats[len(entries) :]
        with np.errstate(invalid="ignore"):
            others = float(rest.sum())
        for kind, nats in self._beside:
            if nats[row]:
                entries.append(Entry(kind, None, None, float(nats[row])))
        entries.sort(key=lambda each: -abs(each.nats))
        return Explanation(
            row,
            self._labels[c],
            self._labels[d] if d >= 0 else None,
            float(chosen.probability[row]),
            float(chosen.score[row]),
            Entry("prior", None, None, float(self._of_prior[row]), self._behind(_PRIOR, 0, 0, c, d)),
            tuple(entries),
            len(rest),
            0.0 if np.isnan(others) else others,
            bool(chosen.impossible[row]),
        )

    def _entry(self, at: int, row: int, entry: int, nats: float, c: int, d: int) -> Entry:
        kind, column, value, place, outcome, occurrences = self._splits[at].told(row, entry)
        return Entry(kind, column, value, nats, self._behind(at, place, outcome, c, d), occurrences)

    def _behind(self, at: int, place: int, outcome: int, c: int, d: int) -> tuple[Behind, ...]:
        key = at, place, outcome, c, d
        found = self._known.get(key)
        if found is None:
            here: IntArray = np.array([c], dtype=np.int64)
            every: IntArray = np.arange(len(self._labels), dtype=np.int64)
            there = every[every != c] if d < 0 else every[d : d + 1]
            of_here, of_there = (self._facts(at, place, outcome, classes) for classes in (here, there))
            found = tuple(Behind(name, of_here[name], of_there[name]) for name in of_here if name in of_there)
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = found
        return found

    def _facts(self, at: int, place: int, outcome: int, classes: IntArray) -> dict[str, float]:
        if at == _PRIOR:
            return {"share": float(self._prior[classes].sum())}
        return self._splits[at].facts(place, outcome, classes)
