"""Warnings that several rooms give: each sentence once, and the caller's line as the place."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from typing import TypeVar, Unpack

from suffice.errors import (
    Advice,
    DataError,
    Fields,
    IgnoredColumnsWarning,
    RenamedColumnsWarning,
    SkippedLinesWarning,
    SufficeWarning,
    TargetWarning,
    UnseenClassesWarning,
)
from suffice.statistics import Axis, Tally
from suffice.statistics.columns import Columns
from suffice.statistics.counted import counted
from suffice.statistics.labels import Label

__all__ = [
    "batch_of_more",
    "ignored_columns",
    "notify",
    "number_of_classes",
    "one_class",
    "renamed_columns",
    "skipped_lines",
    "unseen_classes",
]

_MANY_CLASSES = 50
_FEW_CLASSES = 10  # that any data may have
_ROWS_OF_A_CLASS = 10
_LEAST_ROWS = 20
_SHOWN = 5

T = TypeVar("T")

_more_rows_follow: ContextVar[bool] = ContextVar("_more_rows_follow", default=False)


def notify(category: type[SufficeWarning], problem: str, /, **fields: Unpack[Fields]) -> None:
    """Warn the caller of the public function that was called: the first frame outside this package."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("suffice."):
        level, frame = level + 1, frame.f_back
    warnings.warn(category(problem).located(**fields), stacklevel=level)


def skipped_lines(number: int, first: DataError | None) -> None:
    """Warn of lines of files that were left out, where there were any; the warning is about the first."""
    if first is not None:
        advice = "This line was skipped." if number == 1 else f"{number} bad lines were skipped; this is the first."
        notify(
            SkippedLinesWarning,
            first.problem,
            kind=first.kind,
            file=first.file,
            line=first.line,
            column=first.column,
            got=first.got,
            advice=advice,
        )


def ignored_columns(names: Columns, known: Columns) -> None:
    """Warn of columns that are not among those of the model, where there are any."""
    model = set(known)
    extra = [name for name in names if name not in model]
    if extra:
        notify(
            IgnoredColumnsWarning,
            f"{counted(len(extra), 'column')} of the data {_are(extra)} not in the model and {_are(extra)} ignored",
            column=tuple(extra),
        )


def renamed_columns(renamed: Sequence[tuple[str, str]]) -> None:
    """Warn of columns of a file that got another name than that in the header, (header, name) each."""
    if renamed:
        shown = _listed(renamed, lambda each: f"{each[1]!r} ({f'{each[0]!r} again' if each[0] else 'no name'})")
        number = counted(len(renamed), "column")
        why = "because the header has no name for it, or one that another column has"
        notify(RenamedColumnsWarning, f"{number} got a new name, {why}: {shown}.")


def unseen_classes(rows: Tally, known: Axis, advice: Advice) -> None:
    """Warn of classes of these rows that the model does not know; the advice says what becomes of them.

    A model that knows no class at all has nothing to compare with.
    """
    each = zip(rows.classes, rows.weight.tolist(), strict=True)
    new = [(label, weight) for label, weight in each if weight and label not in known]
    if not new or not len(known):
        return
    shown = _listed(new, lambda each: f"{each[0]!r} ({counted(each[1], 'row')}){_meant(each[0], known)}")
    notify(UnseenClassesWarning, f"{counted(len(new), 'class')} {_are(new)} new to the model: {shown}", advice=advice)


def number_of_classes(rows: Tally, target: object) -> None:
    """Warn where there are so many classes in these rows that the target may be an id or a number."""
    total = float(rows.weight.sum())
    labels = [label for label, weight in zip(rows.classes, rows.weight.tolist(), strict=True) if weight]
    number = len(labels)
    few_rows = total >= _LEAST_ROWS and _FEW_CLASSES < number > total / _ROWS_OF_A_CLASS
    if _more_rows_follow.get() or not (number > _MANY_CLASSES or few_rows):
        return
    name = f"target column {target!r}" if isinstance(target, (str, int)) else "the target"
    notify(
        TargetWarning,
        f"{name} has {number:,} classes in {counted(total, 'row')}: {_listed(labels, repr)}",
        kind="many_classes",
        advice="If it is an id or a number, choose another column, or bin it into a few classes first.",
    )


def one_class(rows: Tally) -> None:
    """Warn where every row has the same class."""
    labels = [label for label, weight in zip(rows.classes, rows.weight.tolist(), strict=True) if weight]
    if len(labels) == 1:
        notify(
            TargetWarning,
            f"every row has the class {labels[0]!r}, so there is nothing to tell apart yet.",
            kind="one_class",
        )


@contextmanager
def batch_of_more() -> Generator[None]:
    """Say that the rows are the first of more to come, so that the number of their classes means nothing yet."""
    token = _more_rows_follow.set(True)
    try:
        yield
    finally:
        _more_rows_follow.reset(token)


def _meant(label: Label, known: Axis) -> str:
    texts = {_folded(each): each for each in known}
    cutoff = 0.8 if isinstance(label, str) else 1.0  # numbers of like digits are no typo
    close = get_close_matches(_folded(label), texts, n=1, cutoff=cutoff)
    return f", did you mean {texts[close[0]]!r}?" if close else ""


def _folded(label: Label) -> str:
    return str(label).strip().casefold()


def _are(several: Sequence[object]) -> str:
    return "is" if len(several) == 1 else "are"


def _listed(several: Sequence[T], text: Callable[[T], str]) -> str:
    more = len(several) - _SHOWN
    return ", ".join(map(text, several[:_SHOWN])) + f", … {more:,} more" * (more > 0)
