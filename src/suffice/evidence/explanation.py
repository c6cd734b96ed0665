"""Why a row is taken for one class rather than another: a sum, term by term, as a plain record.

Symbols: class c against class d, ℓ_c = log p(c, x), ℓ_cj what entry j (a cell, a word, a block) adds to it.

    score       ℓ_c − ℓ_d = prior + Σ_j (ℓ_cj − ℓ_dj)                            log-odds of c against d, in nats
    the rest    ℓ_c − ln Σ_{d≠c} e^{ℓ_d} = Σ_d r_d (ℓ_c − ℓ_d) − H(r)             r_d = p(d | x, not c), H its entropy
                so prior and entries are their means over the other classes, each as likely as it is, and −H(r) is an
                entry of its own, "other classes": that there are several of them makes the rest as much more likely
    calibrated  score and r are those of what takes the place of ℓ; what it differs by is an entry of its own,
                "calibration": how much of the evidence is taken back, since columns repeat each other

How each term splits into entries is said in likelihoods/terms. What an entry rests
on ("31 of 40 in spam, 0 of 25 in ham") comes from the statistics, whatever the reading makes of it.

A row that is impossible under both classes has no log-odds of its own: they are those of the class prior, as its
probabilities are, and its entries, of which some are infinite, do not add up to them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, cast, final

from suffice.statistics.labels import Label

__all__ = ["Behind", "Entry", "Explanation", "Kind"]

Kind: TypeAlias = Literal["prior", "cell", "block", "word", "absent words", "other classes", "calibration"]

_BAR = 12
_NAMES = {
    "prior": "class prior",
    "other classes": "other classes, that there are several",
    "calibration": "calibration",
}


class Behind(NamedTuple):
    """A number that an entry rests on: in the class, and in the one (or the others) that it is compared with.

    `name` is "times" and "of" (what was counted, of how much), "mean" and "sd" (of a column of numbers), or "share"
    (a probability as it is read: of a cell of a histogram, of a missing cell, of the class itself).
    """

    name: str
    here: float
    there: float


class Entry(NamedTuple):
    """What one thing adds to the log-odds, in nats.

    `column` is None for the class prior, "other classes" and "calibration"; of a block it has all their names. `value`
    is the cell, of a word the word, of a block a tuple of cells, and None where the cell is missing. `occurrences` is
    how often a word counts in the document.
    """

    kind: Kind
    column: str | int | None
    value: Any
    nats: float
    behind: tuple[Behind, ...] = ()
    occurrences: float | None = None

    @property
    def name(self) -> str:
        """What it is, in words."""
        if self.kind in _NAMES:
            return _NAMES[self.kind]
        if self.kind == "absent words":
            return f"{self.column}: all words that are absent"
        if self.kind == "word":
            often = "" if self.occurrences in (None, 1) else f" × {self.occurrences:.4g}"
            return f"{self.column}: {_shown(self.value)}{often}"
        return f"{self.column} = {_shown(self.value)}"


@final
@dataclass(frozen=True, slots=True)
class Explanation:
    """The story of one row: `label` rather than `against`. `Model.explain` makes them.

    Parameters
    ----------
    row : int
        Its place in the data, from 0.
    label, against : labels
        The class that is explained, and the one that it is compared with; None is the rest, all others together.
    probability : float
        p(label | x).
    score : float
        The log-odds of label against the other, in nats: prior.nats + Σ entries + others_nats.
    prior : Entry
    entries : tuple of Entry
        The weightiest first.
    others, others_nats : int, float
        How many entries are not listed, and what they add.
    impossible : bool
        Whether the row is impossible under both: the score is that of the class prior, and the entries do not add up.

    Examples
    --------
    >>> prior = Entry("prior", None, None, 0.5, (Behind("share", 0.6, 0.4),))
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

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, bar: Callable[[float, float, int], str] | None = None) -> Iterator[str]:
        """Yield it as lines of text with bars from the middle; `bar` draws one of a value, the greatest and a width."""
        other = "the rest" if self.against is None else repr(self.against)
        odds = f"log-odds {self.score:+.4g}, p = {self.probability:.4g}"
        yield f"row {self.row}: {self.label!r} rather than {other}, {odds}"
        if self.impossible:
            yield "  impossible under both: the odds are those of the class prior"
        shown = [self.prior, *self.entries]
        finite = [abs(entry.nats) for entry in shown if math.isfinite(entry.nats)]
        greatest = max(finite, default=0.0) or 1.0
        names = [entry.name for entry in shown]
        width = min(48, max(map(len, names)))
        for name, entry in zip(names, shown, strict=True):
            drawn = (bar or _bar)(entry.nats, greatest, _BAR)
            said = self._said(entry, other)
            gap = " " * max(1, 2 * _BAR + 3 - len(drawn)) if said else ""
            yield f"  {name:<{width}}  {entry.nats:<+8.4g}  {drawn}{gap}{said}".rstrip()
        if self.others:
            yield f"  {f'… {self.others:,} more':<{width}}  {self.others_nats:+.4g}"

    def as_record(self) -> dict[str, Any]:
        """Return it as what JSON knows: dictionaries, lists, text and numbers."""
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
        found = {each.name: each for each in entry.behind}
        here, there = f"in {self.label!r}", f"in {other}"
        if "times" in found and "of" in found:
            times, of = found["times"], found["of"]
            return f"{times.here:,.6g} of {of.here:,.6g} {here}, {times.there:,.6g} of {of.there:,.6g} {there}"
        if "mean" in found:
            mean, sd = found["mean"], found.get("sd")
            sides = [f"{mean.here:.4g}", f"{mean.there:.4g}"]
            if sd is not None:
                sides = [f"{sides[0]} ± {sd.here:.3g}", f"{sides[1]} ± {sd.there:.3g}"]
            return f"mean {sides[0]} {here}, {sides[1]} {there}"
        if "share" in found:
            return f"share {found['share'].here:.3g} {here}, {found['share'].there:.3g} {there}"
        return ""


def _record(entry: Entry) -> dict[str, Any]:
    behind = [each._asdict() for each in entry.behind]
    value: Any = list(cast("tuple[Any, ...]", entry.value)) if entry.kind == "block" else entry.value
    return {**entry._asdict(), "value": value, "name": entry.name, "behind": behind}


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(_shown, cast("tuple[Any, ...]", value)))
    if value is None:
        return "missing"
    if isinstance(value, float):
        return f"{value:.6g}"
    text = str(value)
    return text if text.isprintable() and text == text.strip() else repr(value)


def _bar(value: float, greatest: float, width: int) -> str:
    share = 1.0 if math.isinf(value) else min(1.0, abs(value) / greatest)
    length = max(1, round(share * width)) if value else 0
    return f"{' ' * (width - length)}{'█' * length}│" if value < 0 else f"{' ' * width}│{'█' * length}"
