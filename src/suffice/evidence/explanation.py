"""Explanations: the log-odds of a row between two classes as a sum of contributions.

Symbols: class c against class d, ℓ_c = log p(c, x), ℓ_cj the contribution of entry j (a cell, a word, a block) to it.

    score       ℓ_c − ℓ_d = prior + Σ_j (ℓ_cj − ℓ_dj)                            log-odds of c against d, in nats
    the rest    ℓ_c − ln Σ_{d≠c} e^{ℓ_d} = Σ_d r_d (ℓ_c − ℓ_d) − H(r)             r_d = p(d | x, not c), H its entropy
                so prior and entries are means over the other classes, weighted by r, and −H(r) is an entry of its own,
                "other classes"
    calibrated  ℓ_cj has the weight of its column; the offsets of the classes are an entry of their own, "calibration"

c is the requested or the most probable class; d the requested class, the most probable of the others, or the rest. For
a row that is impossible under every remaining class the class prior decides, and if that is 0 too all classes are
equal. With v = e_c − e_d, or e_c − r against the rest, an entry contributes Σ_k v_k ℓ_kj, where 0 · (−inf) = 0; an
entry that is impossible under both classes contributes 0.

Terms split into entries in likelihoods/terms. The support of an entry ("31 of 40 in spam, 0 of 25 in ham") comes from
the statistics, independent of the estimate.

A row that is impossible under both classes has the log-odds of the class prior; its entries, some of them infinite, do
not add up to these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias, cast, final

import numpy as np
import numpy.typing as npt

from suffice.arguments import find_class
from suffice.decisions import log_odds
from suffice.decisions.calibration import Calibration
from suffice.errors import ParameterError
from suffice.likelihoods.terms import Term
from suffice.likelihoods.terms.split import DocumentTokens, Split
from suffice.likelihoods.terms.term import weigh_rows
from suffice.likelihoods.tokens import TokenTerm
from suffice.models import NaiveBayesModel, Scorer
from suffice.models.score import Scores, TokenScorer
from suffice.records import RecordList, TableColumns, Tabular, display_width, html_table, pad_text
from suffice.sources.table import Table
from suffice.statistics.arrays import BoolArray, FloatArray, IntArray
from suffice.statistics.axis import Columns
from suffice.statistics.labels import Label, label_text

__all__ = [
    "Chosen",
    "Entry",
    "Explanation",
    "ExplanationOptions",
    "Explanations",
    "Kind",
    "Support",
    "choose",
    "explanations",
]


Kind: TypeAlias = Literal["prior", "cell", "block", "word", "absent words", "other classes", "calibration", "others"]

_BAR = 12
_MOST_SHOWN = 10
_NAMES = {
    "prior": "class prior",
    "other classes": "several other classes",
    "calibration": "calibration",
    "others": "other entries",
}


class Support(NamedTuple):
    """Statistic behind an entry, for the explained class and for the comparison class(es).

    `name` is "times" and "of" (a count and its total), "mean" and "sd" (of a numeric column), "maximum" (of a Uniform
    column), or "share" (an estimated probability: of a histogram bin, of a missing cell, or of the class).
    """

    name: str
    here: float
    there: float


class Entry(NamedTuple):
    """Contribution of one cell, word or prior to the log-odds, in nats.

    `column` is None for the class prior, "other classes" and "calibration"; for a block it contains the
    names of all its columns. `value` is the cell, the word, or for a block a tuple of cells; None if the cell is
    missing. `occurrences` is the count of a word in the document.
    """

    kind: Kind
    column: str | int | None
    value: Any
    nats: float
    support: tuple[Support, ...] = ()
    occurrences: float | None = None

    @property
    def name(self) -> str:
        """Display name of the entry."""
        if self.kind in _NAMES:
            return _NAMES[self.kind]
        column = f"column {self.column}" if isinstance(self.column, int) else self.column
        if self.kind == "absent words":
            return f"{column}: all absent words"
        if self.kind == "word":
            often = "" if self.occurrences in (None, 1) else f" × {self.occurrences:.4g}"
            return f"{column}: {_shown(self.value)}{often}"
        return f"{column} = {_shown(self.value)}"

    def behind(self) -> tuple[str, str, str]:
        """Return the support as text: its name, and its values in the explained and in the comparison class.

        Examples
        --------
        >>> Entry("cell", "kg", 4.0, 0.3, (Support("mean", 4.25, 3.5), Support("sd", 1.0, 0.5))).behind()
        ('mean', '4.25 ± 1', '3.5 ± 0.5')
        """
        found = {each.name: each for each in self.support}
        if "times" in found and "of" in found:
            times, of = found["times"], found["of"]
            return "", f"{times.here:,.6g} of {of.here:,.6g}", f"{times.there:,.6g} of {of.there:,.6g}"
        if "mean" in found:
            mean, sd = found["mean"], found.get("sd")
            here, there = ("", "") if sd is None else (f" ± {sd.here:.3g}", f" ± {sd.there:.3g}")
            return "mean", f"{mean.here:.4g}{here}", f"{mean.there:.4g}{there}"
        for name, digits in (("maximum", 4), ("share", 3)):
            if name in found:
                return name, f"{found[name].here:.{digits}g}", f"{found[name].there:.{digits}g}"
        return "", "", ""


@final
@dataclass(frozen=True, slots=True)
class Explanation(Tabular):
    """Why one row is assigned to `label` rather than `against`, as a sum of evidence. `Model.explain` returns them.

    Parameters
    ----------
    row : int
        Row index, from 0.
    label, against : labels
        Explained class and comparison class; None means all other classes together.
    probability : float
        p(label | x).
    score : float
        Log-odds of `label` against `against`, in nats: prior.nats + Σ entries + others_nats.
    prior : Entry
    entries : tuple of Entry
        In descending order of absolute contribution.
    others, others_nats : int, float
        Number of entries not listed, and their total contribution.
    impossible : bool
        Whether the row has probability 0 under both classes; then the score is that of the class prior and the entries
        do not sum to it.

    Examples
    --------
    >>> prior = Entry("prior", None, None, 0.5, (Support("share", 0.6, 0.4),))
    >>> print(Explanation(0, "cat", "dog", 0.85, 1.75, prior, (Entry("cell", "fur", "soft", 1.25),)))
    row 0: 'cat' rather than 'dog', log-odds +1.75, p = 0.85
      class prior  +0.5              │█████        share 0.6 in 'cat', 0.4 in 'dog'
      fur = soft   +1.25             │████████████
    """

    row: int
    label: Label
    against: Label
    probability: float
    score: float
    prior: Entry
    entries: tuple[Entry, ...]
    others: int = 0
    others_nats: float = 0.0
    impossible: bool = False
    library: str | None = field(default=None, repr=False, compare=False)

    def table(self) -> TableColumns:
        """Return a row for the class prior and for each entry: row, label, against, kind, column, value and nats."""
        return Explanations([self]).table()

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, bar: Callable[[float, float, int], str] | None = None) -> Iterator[str]:
        """Yield the explanation as lines of text with bars; `bar(value, maximum, width)` draws one."""
        other = "the rest" if self.against is None else repr(self.against)
        odds = f"log-odds {self.score:+.4g}, p = {self.probability:.4g}"
        yield f"row {self.row}: {self.label!r} rather than {other}, {odds}"
        if self.impossible:
            yield "  probability 0 under both classes: the odds are those of the class prior"
        shown = [self.prior, *self.entries]
        finite = [abs(entry.nats) for entry in shown if math.isfinite(entry.nats)]
        greatest = max(finite, default=0.0) or 1.0
        names = [entry.name for entry in shown]
        width = min(48, max(map(display_width, names)))
        for name, entry in zip(names, shown, strict=True):
            drawn = (bar or _bar)(entry.nats, greatest, _BAR)
            said = self._said(entry, other)
            gap = " " * max(1, 2 * _BAR + 3 - len(drawn)) if said else ""
            yield f"  {pad_text(name, width)}  {entry.nats:<+8.4g}  {drawn}{gap}{said}".rstrip()
        if self.others:
            yield f"  {pad_text(f'… {self.others:,} more', width)}  {self.others_nats:+.4g}"

    def all_entries(self) -> tuple[Entry, ...]:
        """Return the class prior, the entries, and the sum of those that are not listed."""
        others = (Entry("others", None, None, self.others_nats),) if self.others else ()
        return (self.prior, *self.entries, *others)

    def as_record(self) -> dict[str, Any]:
        """Return the explanation as JSON values: dictionaries, lists, text and numbers."""
        return {
            "row": self.row,
            "label": self.label,
            "against": self.against,
            "probability": self.probability,
            "score": self.score,
            "prior": _record(self.prior),
            "entries": [_record(entry) for entry in self.entries],
            "others": self.others,
            "others_nats": self.others_nats,
            "impossible": self.impossible,
        }

    def _said(self, entry: Entry, other: str) -> str:
        name, here, there = entry.behind()
        return f"{name} {here} in {self.label!r}, {there} in {other}".lstrip() if here else ""


class Explanations(RecordList[Explanation]):
    """The explanations of several rows, in order: a tuple whose `to_frame` has one row per entry."""

    def table(self) -> TableColumns:
        """Return the columns row, label, against, kind, column, value and nats."""
        entries = [(found, entry) for found in self for entry in found.all_entries()]
        return {
            "row": [found.row for found, _ in entries],
            "label": [found.label for found, _ in entries],
            "against": [found.against for found, _ in entries],
            "kind": [entry.kind for _, entry in entries],
            "column": [entry.column for _, entry in entries],
            "value": [None if entry.value is None else _shown(entry.value) for _, entry in entries],
            "nats": [entry.nats for _, entry in entries],
        }

    def __str__(self) -> str:
        return "\n\n".join(map(str, self))

    def __repr__(self) -> str:
        more = [f"… {len(self) - _MOST_SHOWN:,} more"] * (len(self) > _MOST_SHOWN)
        return "\n\n".join([*map(str, self[:_MOST_SHOWN]), *more])

    def _repr_html_(self) -> str:
        more = len(self) - _MOST_SHOWN
        tables = [html_table(found.table(), str(found).partition("\n")[0]) for found in self[:_MOST_SHOWN]]
        return "".join(tables) + f"<p>… {more:,} more</p>" * (more > 0)


def _record(entry: Entry) -> dict[str, Any]:
    support = [each._asdict() for each in entry.support]
    value: Any = list(cast("tuple[Any, ...]", entry.value)) if entry.kind == "block" else entry.value
    return {**entry._asdict(), "value": value, "name": entry.name, "support": support}


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(_shown, cast("tuple[Any, ...]", value)))
    if isinstance(value, float):
        return f"{value:.6g}"
    text = label_text(value)
    return text if text.isprintable() and text == text.strip() else repr(value)


def _bar(value: float, greatest: float, width: int) -> str:
    share = 1.0 if math.isinf(value) else min(1.0, abs(value) / greatest)
    length = max(1, round(share * width)) if value else 0
    return f"{' ' * (width - length)}{'█' * length}│" if value < 0 else f"{' ' * width}│{'█' * length}"


@final
@dataclass(frozen=True, slots=True)
class ExplanationOptions:
    """The class to explain, by position (None: the most probable class of each row), and the comparison class.

    `against` is the position of another class, or None for the most probable other class; with `rest`, all others.
    If the most probable class is the comparison class, the most probable other class is explained.
    """

    label: int | None = None
    against: int | None = None
    rest: bool = False
    top: int | None = None

    @classmethod
    def of(
        cls,
        model: NaiveBayesModel,
        label: Label = None,
        against: Label = None,
        *,
        rest: bool = False,
        top: int | None = None,
    ) -> ExplanationOptions:
        """Return the options for labels; raise ParameterError if the model does not know them."""
        if len(model.classes) == 1:
            raise ParameterError(
                f"there is nothing to explain: the model has only one class, {model.classes.labels[0]!r}. "
                "Fit it on rows of two classes or more."
            )
        both = [None if each is None else find_class(model.classes, each) for each in (label, against)]
        if both[0] is not None and both[0] == both[1]:
            raise ParameterError(f"class {label!r} cannot be compared with itself. Compare it with another class.")
        return cls(both[0], both[1], rest, top)


class Chosen(NamedTuple):
    """For each row the class c, the class d (−1: the rest), v = e_c − e_d or e_c − r (n, C), and the numbers below.

    The score, p(c | x), −H(r), and whether the row is impossible under both.
    """

    label: IntArray
    against: IntArray
    weights: FloatArray
    score: FloatArray
    probability: FloatArray
    spread: FloatArray
    impossible: BoolArray


def choose(joint: FloatArray, log_prior: FloatArray, asked: ExplanationOptions) -> Chosen:
    """Return the comparison of each row, given log p(c, x) of rows × classes and log p(c)."""
    rows, classes = joint.shape
    every = np.arange(rows, dtype=np.int64)
    label = _label(joint, log_prior, asked)
    left = _without(joint, label)
    possible = _possible(left, log_prior, label)
    against = _all(rows, asked.against) if asked.against is not None else _greatest(possible)
    here = joint[every, label]
    weights, spread = np.zeros((rows, classes)), np.zeros(rows)
    if asked.rest:
        share = _shares(possible)
        there: FloatArray = left.max(axis=1)
        weights -= share
        logs = np.log(np.where(share > 0, share, 1.0))
        spread = np.where(np.isneginf(there), 0.0, (share * logs).sum(axis=1))
    else:
        there = joint[every, against]
        weights[every, against] -= 1.0
    weights[every, label] += 1.0
    impossible = np.isneginf(here) & np.isneginf(there)
    compared = np.where(impossible[:, None], log_prior, joint)
    with np.errstate(invalid="ignore"):
        score = log_odds(compared)[every, label] if asked.rest else compared[every, label] - compared[every, against]
    score = np.where(np.isnan(score), 0.0, score)  # a prior of 0 for both
    if asked.rest:
        against = _all(rows, -1)
    probability = _shares(_possible(joint, log_prior, None))[every, label]
    return Chosen(label, against, weights, score, probability, spread, impossible)


def _label(joint: FloatArray, log_prior: FloatArray, asked: ExplanationOptions) -> IntArray:
    rows = len(joint)
    if asked.label is not None:
        return _all(rows, asked.label)
    winner = _greatest(_possible(joint, log_prior, None))
    if asked.against is None:
        return winner
    other = _all(rows, asked.against)
    return np.where(winner == other, _greatest(_possible(_without(joint, other), log_prior, other)), winner)


def _all(rows: int, place: int) -> IntArray:
    found: IntArray = np.zeros(rows, dtype=np.int64)
    found[:] = place
    return found


def _greatest(logs: FloatArray) -> IntArray:
    return np.asarray(np.argmax(logs, axis=1), dtype=np.int64)


def _without(joint: FloatArray, label: IntArray) -> FloatArray:
    left = joint.copy()
    left[np.arange(len(left)), label] = -np.inf
    return left


def _possible(logs: FloatArray, log_prior: FloatArray, label: IntArray | None) -> FloatArray:
    # Rows of −inf only get the log prior of the remaining classes, and zeros if that is −inf too.
    found = logs
    for instead in (log_prior, np.zeros_like(log_prior)):
        greatest: FloatArray = found.max(axis=1, initial=-np.inf)
        gone = np.isneginf(greatest)
        if gone.any():
            found = found.copy()
            rows = np.tile(instead, (int(gone.sum()), 1))
            found[gone] = rows if label is None else _without(rows, label[gone])
    return found


def _shares(possible: FloatArray) -> FloatArray:
    masses = np.exp(possible - possible.max(axis=1, keepdims=True, initial=-np.inf))
    return masses / masses.sum(axis=1, keepdims=True)


_CELLS_AT_ONCE = 2**21
_MOST_KNOWN = 2**17
_PRIOR = -1


class _Found(NamedTuple):
    # Entries of some rows: their row, contribution and origin.
    row: IntArray
    nats: FloatArray
    split: IntArray
    entry: IntArray


def explanations(
    model: NaiveBayesModel,
    table: Table,
    asked: ExplanationOptions,
    scores: Scores | None = None,
    numbers: range | IntArray | None = None,
    calibration: Calibration | None = None,
    offsets: FloatArray | None = None,
) -> Iterator[Explanation]:
    """Yield the explanation of every row of a table with the columns of the schema.

    Parameters
    ----------
    scores : Scores, optional
        The joint scores of these rows, calibrated if the model is; by default they are computed.
    numbers : array of rows, optional
        The number of each row, by default 0, 1, ….
    calibration : Calibration, optional
        Its weights multiply the entries.
    offsets : array of rows × classes, optional
        The difference between the calibrated scores and the weighted evidence.
    """
    joint = (model.score(table, "joint") if scores is None else scores).values
    chosen = choose(joint, model.log_prior, asked)
    splits = _splits(model, table)
    explainer = _Explainer(model, splits, chosen, asked.top, offsets)
    factors = [_factors(split, calibration) for split in splits]
    step = max(1, int(_CELLS_AT_ONCE / ((sum(split.size for split in splits) + 1) * len(model.classes))))
    for start in range(0, table.rows, step):
        rows = np.arange(start, min(start + step, table.rows), dtype=np.int64)
        found = _entries(splits, factors, rows, chosen.weights[rows])
        bounds: list[int] = np.searchsorted(found.row, np.arange(len(rows) + 1)).tolist()
        for at, row in enumerate(rows.tolist()):
            told = explainer.explain(row, _some(found, slice(bounds[at], bounds[at + 1])))
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
    # The rows of a table, in the form that terms read (likelihoods/terms/split.py).
    def __init__(self, model: NaiveBayesModel, table: Table) -> None:
        self._model, self._table = model, table

    @property
    def number(self) -> int:
        return self._table.rows

    def numbers(self, columns: Columns) -> _Cells:
        return _Cells(self._table, columns)

    def codes(self, column: str | int) -> tuple[npt.NDArray[Any], list[Any]]:
        ((codes, labels),) = self._table.levels((column,))
        return codes, labels

    def tokens(self, term: TokenTerm) -> DocumentTokens:
        return TokenScorer(term).tokens(self._table)

    def scores(self, term: Term) -> FloatArray:
        nothing = np.zeros(len(self._model.classes))
        return Scorer((term,), nothing, self._model.schema.names).score(self._table, "joint").values


@final
class _Cells:
    # The values of some columns, NaN if missing.
    def __init__(self, table: Table, columns: Columns) -> None:
        x, valid = table.numbers(columns)
        self._x, self._valid = x, valid
        self._last = -1, np.empty(0)  # the entries of a row are consecutive

    def at(self, row: int, j: int) -> float:
        if self._last[0] != row:
            self._last = row, self.take(np.array([row], dtype=np.int64))[0]
        cell = float(self._last[1][j])
        return cell if np.isnan(cell) or not self._is_bool(j) else bool(cell)

    def _is_bool(self, j: int) -> bool:
        x: Any = self._x
        column = cast("list[Any]", x)[j] if isinstance(x, list) else x
        return bool(column.dtype.kind == "b")

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
    # The sum of each row; inf − inf counts as 0.
    with np.errstate(invalid="ignore"):
        found = parts.sum(axis=1)
    return np.where(np.isnan(found), 0.0, found)


def _factors(split: Split, calibration: Calibration | None) -> FloatArray:
    # The weight of each column of a split in the calibrated scores.
    if calibration is None:
        return np.ones(len(split.columns))
    weights = calibration.column_weights
    return np.array([weights.get(name, calibration.scale) for name in split.columns])


def _entries(splits: list[Split], factors: list[FloatArray], rows: IntArray, weights: FloatArray) -> _Found:
    # The contribution of being known, by row, of columns with modelled missingness.
    known: dict[str | int, FloatArray] = {}
    values = {name for split in splits if not split.known for name in split.columns}
    parts: list[_Found] = []
    for at, split in sorted(enumerate(splits), key=lambda each: not each[1].known):
        row, entry, logs, missing = split.contributions(rows)
        own = factors[at]
        nats = _pulled(weights[row], weigh_rows(logs, own[entry] if split.by_cell else np.full(len(row), own[0])))
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
class _Explainer:
    # Facts shared by several rows (of a level, a word, a pair of classes) are computed once.
    def __init__(
        self,
        model: NaiveBayesModel,
        splits: list[Split],
        chosen: Chosen,
        top: int | None,
        offsets: FloatArray | None,
    ) -> None:
        self._labels, self._prior = model.classes.labels, np.exp(model.log_prior)
        self._splits, self._chosen, self._top = splits, chosen, top
        logs = np.broadcast_to(model.log_prior, chosen.weights.shape)
        self._of_prior = _pulled(chosen.weights, logs)
        self._beside: list[tuple[Kind, FloatArray]] = [("other classes", chosen.spread)]
        if offsets is not None:
            self._beside.append(("calibration", _pulled(chosen.weights, offsets)))
        self._known: dict[tuple[int, int, int, int, int], tuple[Support, ...]] = {}

    def explain(self, row: int, found: _Found) -> Explanation:
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
            Entry("prior", None, None, float(self._of_prior[row]), self._support(_PRIOR, 0, 0, c, d)),
            tuple(entries),
            len(rest),
            0.0 if np.isnan(others) else others,
            bool(chosen.impossible[row]),
        )

    def _entry(self, at: int, row: int, entry: int, nats: float, c: int, d: int) -> Entry:
        kind, column, value, place, outcome, occurrences = self._splits[at].entry(row, entry)
        return Entry(kind, column, value, nats, self._support(at, place, outcome, c, d), occurrences)

    def _support(self, at: int, place: int, outcome: int, c: int, d: int) -> tuple[Support, ...]:
        key = at, place, outcome, c, d
        found = self._known.get(key)
        if found is None:
            here: IntArray = np.array([c], dtype=np.int64)
            every: IntArray = np.arange(len(self._labels), dtype=np.int64)
            there = every[every != c] if d < 0 else every[d : d + 1]
            of_here, of_there = (self._facts(at, place, outcome, classes) for classes in (here, there))
            found = tuple(Support(name, of_here[name], of_there[name]) for name in of_here if name in of_there)
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = found
        return found

    def _facts(self, at: int, place: int, outcome: int, classes: IntArray) -> dict[str, float]:
        if at == _PRIOR:
            return {"share": float(self._prior[classes].sum())}
        return self._splits[at].facts(place, outcome, classes)
