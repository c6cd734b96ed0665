"""What a model has learnt, as lines of text and as records: what `Model.show` returns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

from suffice.conjugate.arguments import whole
from suffice.evidence import ColumnEvidence, LevelEvidence, Telling, WordEvidence
from suffice.statistics.labels import Label

__all__ = ["Shown", "shown_of"]

_MOST_CLASSES = 12


@final
@dataclass(frozen=True, slots=True, repr=False)
class Shown:
    """The columns, levels and words that tell the classes of a model apart, the loudest first, in nats."""

    columns: tuple[ColumnEvidence, ...]
    levels: dict[Label, tuple[LevelEvidence, ...]]
    words: dict[Label, tuple[WordEvidence, ...]]

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        if not self.columns:
            yield "nothing tells classes apart: there are fewer than two, or no columns"
            return
        yield "what a cell says on average, in nats"
        for column in self.columns:
            told = "" if column.bits is None else f", {column.bits:.3g} bits"
            yield f"  {column.column}: {column.evidence:.3g}{told}"
        for label in list(self.levels)[:_MOST_CLASSES]:
            levels, words = self.levels[label], self.words[label]
            if levels or words:
                yield f"{label!r}"
            for level in levels:
                what = f"{level.column}" if level.level is None else f"{level.column} = {level.level}"
                yield f"  {level.evidence:+.3g}  {what}: {level.here:.3g} here, {level.elsewhere:.3g} elsewhere"
            for word in words:
                times = "time" if word.occurrences == 1 else "times"
                counts = f"{word.occurrences:,.6g} {times} here, {word.occurrences_elsewhere:,.6g} elsewhere"
                yield f"  {word.evidence:+.3g}  {word.token}: {counts}"
        if len(self.levels) > _MOST_CLASSES:
            yield f"… {len(self.levels):,} classes in all"


def shown_of(found: Telling, top: int) -> Shown:
    """Return the loudest of each kind, so many of them."""
    most = whole("top", top, 1)
    return Shown(
        tuple(found.columns(most)),
        {label: tuple(found.levels(label, most)) for label in found.classes},
        {label: tuple(found.words(label, most)) for label in found.classes},
    )
