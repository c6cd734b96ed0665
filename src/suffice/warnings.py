"""Warnings that are issued in several parts of the package. They point to the line of the caller."""

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
    Wording,
    counted,
)
from suffice.statistics import Axis, Tally
from suffice.statistics.axis import Columns
from suffice.statistics.labels import Label

__all__ = [
    "batch_of_more",
    "list_some",
    "more_rows_follow",
    "notify",
    "warn_ignored_columns",
    "warn_many_classes",
    "warn_one_class",
    "warn_renamed_columns",
    "warn_skipped_lines",
    "warn_unseen_classes",
]

_MANY_CLASSES = 50
_FEW_CLASSES = 10  # never too many
_ROWS_OF_A_CLASS = 10
_LEAST_ROWS = 20
_SHOWN = 5

T = TypeVar("T")

_more_rows_follow: ContextVar[bool] = ContextVar("_more_rows_follow", default=False)


def notify(category: type[SufficeWarning], problem: str, /, **fields: Unpack[Fields]) -> None:
    """Issue a warning at the first stack frame outside this package."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("suffice."):
        level, frame = level + 1, frame.f_back
    warnings.warn(category(problem).located(**fields), stacklevel=level)


def warn_skipped_lines(number: int, first: DataError | None) -> None:
    """Warn if lines of files were skipped; the warning describes the first."""
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


def warn_ignored_columns(names: Columns, known: Columns) -> None:
    """Warn if the data have columns that the model does not have."""
    model = set(known)
    extra = [name for name in names if name not in model]
    if extra:
        notify(
            IgnoredColumnsWarning,
            f"{counted(len(extra), 'column')} of the data {_are(extra)} not in the model and {_are(extra)} ignored",
            column=tuple(extra),
        )


def warn_renamed_columns(renamed: Sequence[tuple[str, str]]) -> None:
    """Warn if columns of a file were renamed, given pairs (name in the header, new name)."""
    if renamed:
        shown = list_some(
            renamed, lambda pair: f"{pair[1]!r} ({f'duplicate of {pair[0]!r}' if pair[0] else 'unnamed'})"
        )
        number = counted(len(renamed), "column")
        verb = "was" if len(renamed) == 1 else "were"
        notify(RenamedColumnsWarning, f"{number} with a missing or duplicate name {verb} renamed: {shown}.")


def warn_unseen_classes(rows: Tally, known: Axis, advice: Advice) -> None:
    """Warn if rows have classes that are unknown to the model; the advice states the consequence.

    There is no warning for a model without classes.
    """
    weights = zip(rows.classes.labels, rows.weight.tolist(), strict=True)
    new = [(label, weight) for label, weight in weights if weight and label not in known]
    if not new or not len(known):
        return
    shown = list_some(new, lambda pair: f"{pair[0]!r} ({counted(pair[1], 'row')}){_suggest(pair[0], known)}")
    notify(UnseenClassesWarning, f"{counted(len(new), 'class')} {_are(new)} new to the model: {shown}", advice=advice)


def warn_many_classes(rows: Tally, target: object) -> None:
    """Warn if the rows have so many classes that the target is probably an identifier or a numeric variable."""
    total = float(rows.weight.sum())
    labels = [label for label, weight in zip(rows.classes.labels, rows.weight.tolist(), strict=True) if weight]
    number = len(labels)
    few_rows = total >= _LEAST_ROWS and _FEW_CLASSES < number > total / _ROWS_OF_A_CLASS
    if _more_rows_follow.get() or not (number > _MANY_CLASSES or few_rows):
        return
    name = f"target column {target!r}" if isinstance(target, (str, int)) else "the target"

    def advice(words: Wording) -> str:
        whole = sorted(label for label in labels if type(label) is int)
        if len(whole) < number or not isinstance(target, str):
            return "If it is an id or a number, choose another column, or bin it into a few classes first."
        binned = words.option("target", f"{target}>{whole[number // 2]}")
        return f"If it is a number, bin it, for example with {binned}; if it is an id, choose another column."

    notify(
        TargetWarning,
        f"{name} has {number:,} classes in {counted(total, 'row')}: {list_some(labels, repr)}",
        kind="many_classes",
        advice=advice,
    )


def warn_one_class(rows: Tally) -> None:
    """Warn if all rows have the same class, or if there are no rows."""
    labels = [label for label, weight in zip(rows.classes.labels, rows.weight.tolist(), strict=True) if weight]
    if not labels and not _more_rows_follow.get():
        notify(
            TargetWarning, "there are no rows to fit: no row has both a class and a positive weight.", kind="no_rows"
        )
    if len(labels) == 1 and not _more_rows_follow.get():
        notify(
            TargetWarning,
            f"all rows have the class {labels[0]!r}; a classifier needs at least two classes.",
            kind="one_class",
        )


@contextmanager
def batch_of_more() -> Generator[None]:
    """Suppress the many-classes warning while further rows are expected."""
    token = _more_rows_follow.set(True)
    try:
        yield
    finally:
        _more_rows_follow.reset(token)


def more_rows_follow() -> bool:
    """Return whether the rows are the first of more to come."""
    return _more_rows_follow.get()


def _suggest(label: Label, known: Axis) -> str:
    texts = {_casefolded(candidate): candidate for candidate in known}
    cutoff = 0.8 if isinstance(label, str) else 1.0  # similar numbers are not typing errors
    close = get_close_matches(_casefolded(label), texts, n=1, cutoff=cutoff)
    return f", did you mean {texts[close[0]]!r}?" if close else ""


def _casefolded(label: Label) -> str:
    return str(label).strip().casefold()


def _are(several: Sequence[object]) -> str:
    return "is" if len(several) == 1 else "are"


def list_some(several: Sequence[T], text: Callable[[T], str] = str) -> str:
    """Return the texts of the first five, and how many more there are."""
    more = len(several) - _SHOWN
    return ", ".join(map(text, several[:_SHOWN])) + f", … {more:,} more" * (more > 0)
