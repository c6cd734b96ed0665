"""What can go wrong, and what went on although something was odd, as two trees of records.

    SufficeError
    ├── DataError       rows, weights, codes or statistics that cannot be used   (also a ValueError)
    ├── ParameterError  a prior, option or argument outside its domain            (also a ValueError)
    ├── MergeError      statistics that do not add, or cannot be subtracted       (also a ValueError)
    └── ModelFileError  a file that is not a whole model of this version          (also a ValueError)

    SufficeWarning
    ├── DroppedCalibrationWarning   a changed model is no longer calibrated
    ├── DroppedRowsWarning          rows without a class, or with a gap in columns that go together, were left out
    ├── IgnoredColumnsWarning       columns of the data are not columns of the model
    ├── ImpossibleRowsWarning       rows that no class can have produced got the class prior
    ├── LostPrecisionWarning        rows were taken out that were too large for the rest to be known exactly
    ├── MissingColumnsWarning       columns of the model are not in the data and count as missing
    ├── RenamedColumnsWarning       columns of a file have no name, or that of another, and got one
    ├── SkippedLinesWarning         lines of a file could not be read and were left out
    ├── TargetWarning               the target has one class, or so many that it may be an id or a number
    ├── UnseenClassesWarning        rows have classes that the model has not seen
    └── UnseenLevelsWarning         many cells of a column have levels that the model has not seen

An error is a record: what is wrong, where, what was found there, and what to do about it. A caller that catches one
fills in what it knows (`located`) and never edits text. Faces turn the record into a sentence in their own terms:
`str(error)` names arguments, the command line names options (`Wording`).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, ClassVar, Final, Protocol, Self, TypeAlias, TypedDict, Unpack, final

__all__ = [
    "NOTHING",
    "PYTHON",
    "Advice",
    "DataError",
    "DroppedCalibrationWarning",
    "DroppedRowsWarning",
    "Fields",
    "IgnoredColumnsWarning",
    "ImpossibleRowsWarning",
    "LostPrecisionWarning",
    "MergeError",
    "MissingColumnsWarning",
    "ModelFileError",
    "ParameterError",
    "Record",
    "RenamedColumnsWarning",
    "SkippedLinesWarning",
    "SufficeError",
    "SufficeWarning",
    "TargetWarning",
    "UnseenClassesWarning",
    "UnseenLevelsWarning",
    "Wording",
]


class _Missing(Enum):
    NOTHING = "nothing"  # no value was found, which None would not say: None may be the value


NOTHING: Final = _Missing.NOTHING


class Wording(Protocol):
    """How a face names what its user can type."""

    def option(self, name: str, value: object = NOTHING) -> str:
        """Return an option, with its value where one is given: `encoding='latin-1'`, `--encoding latin-1`."""
        ...

    def column(self, name: str | int, likelihood: str | None) -> str:
        """Return what gives a column a likelihood, or leaves it out: `columns={'id': None}`, `--drop id`."""
        ...

    def verb(self, name: str) -> str:
        """Return what is called to do something with a model: `model.forget(...)`, `suffice forget`."""
        ...


@final
class _Python:
    def option(self, name: str, value: object = NOTHING) -> str:
        return f"{name}=" if value is NOTHING else f"{name}={value!r}"

    def column(self, name: str | int, likelihood: str | None) -> str:
        return f"columns={{{name!r}: {'None' if likelihood is None else f'{likelihood}()'}}}"

    def verb(self, name: str) -> str:
        return f"model.{name}(...)"


PYTHON: Final[Wording] = _Python()
Advice: TypeAlias = "str | Callable[[Wording], str]"
_SHOWN = 5


class Fields(TypedDict, total=False):
    """The fields of a record, any of them."""

    problem: str
    kind: str
    row: int | None
    column: str | int | Sequence[str | int] | None
    file: str | None
    line: int | None
    parameter: str | None
    got: object
    advice: Advice


class Record(Exception):  # noqa: N818  of errors and of warnings
    """What went wrong, or is odd: what, where, what was found, what to do. Root of the errors and of the warnings.

    Parameters
    ----------
    problem : str
        What is wrong, such as "must be finite, or NaN where it is missing".
    kind : str, optional
        A word that programs can rely on, such as "infinite"; by default that of the class.
    row, line : int, optional
        The row, counted from 0, or the line of the file, counted from 1.
    column : str or int, or a sequence of those, optional
    file : str, optional
    parameter : str, optional
        The argument that is wrong; the problem names it too.
    got : object, optional
        What was found there.
    advice : str, or function of Wording
        What to do, as a sentence; a function of the words of a face, where it names something that the user types.
    """

    default_kind: ClassVar[str] = "error"

    def __init__(
        self,
        problem: str = "",
        *,
        kind: str = "",
        row: int | None = None,
        column: str | int | Sequence[str | int] | None = None,
        file: str | None = None,
        line: int | None = None,
        parameter: str | None = None,
        got: object = NOTHING,
        advice: Advice = "",
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.kind = kind or self.default_kind
        self.row, self.column, self.file, self.line, self.parameter = row, column, file, line, parameter
        self.got, self.advice = got, advice

    @classmethod
    def of(cls, other: Record, **fields: Unpack[Fields]) -> Self:
        """Return a record of this class with the fields of another, some of them replaced."""
        record = cls(other.problem)
        record.__dict__.update(other.__dict__)
        return record.located(**fields)

    def located(self, **fields: Unpack[Fields]) -> Self:
        """Return the same record with some fields filled in or replaced."""
        record = copy.copy(self)
        for name, value in fields.items():
            setattr(record, name, value)
        return record

    def sentence(self, words: Wording = PYTHON) -> str:
        """Return the record as text, in the terms of a face."""
        where = [] if self.file is None else [self.file]
        if self.line is not None:
            where.append(f"line {self.line}")
        elif self.row is not None:
            where.append(f"row {self.row}")
        if self.column is not None:
            where.append(_columns(self.column))
        place = f"{', '.join(where)}: " if where else ""
        got = "" if self.got is NOTHING else f": got {_shown(self.got)}"
        told = f"{place}{self.problem.removesuffix('.') if got else self.problem}{got}"
        advice = self.advised(words)
        if not (place or got or advice) or told.endswith((".", "?", "\n")):
            return f"{told} {advice}" if advice and not told.endswith("\n") else told + advice
        return f"{told}. {advice}" if advice else f"{told}."

    def advised(self, words: Wording = PYTHON) -> str:
        """Return what to do, in the terms of a face."""
        return self.advice if isinstance(self.advice, str) else self.advice(words)

    def __str__(self) -> str:
        return self.sentence()

    def __copy__(self) -> Self:
        other = type(self).__new__(type(self), self.problem)
        other.__dict__.update(self.__dict__)
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        # What was found and a function do not always travel to another process; their text does.
        fields = {**self.__dict__, "got": NOTHING, "advice": self.advised()}
        if self.got is not NOTHING:
            fields["problem"] = f"{self.problem}: got {_shown(self.got)}"
        return _revived, (type(self), fields)


def _revived(kind: type[Record], fields: dict[str, Any]) -> Record:
    record = kind(fields["problem"])
    record.__dict__.update(fields)
    return record


def _columns(column: str | int | Sequence[str | int]) -> str:
    if isinstance(column, (str, int)):
        return f"column {column!r}"
    more = len(column) - _SHOWN
    noun = "column" if len(column) == 1 else "columns"
    return f"{noun} {', '.join(map(repr, column[:_SHOWN]))}" + f", … {more:,} more" * (more > 0)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:120]}…{text[-40:]}"


class SufficeError(Record):
    """The root: catch this to catch everything suffice raises on purpose.

    Examples
    --------
    >>> error = DataError("must be a number", kind="not_a_number", row=3, got="x", advice="Convert it.")
    >>> str(error.located(column="age"))
    "row 3, column 'age': must be a number: got 'x'. Convert it."
    >>> error.located(row=5).row
    5
    """


class DataError(SufficeError, ValueError):
    """Rows, weights, codes or stored statistics that cannot be used as they are."""

    default_kind = "data"


class ParameterError(SufficeError, ValueError):
    """A prior, option or argument outside its domain."""

    default_kind = "parameter"


class MergeError(SufficeError, ValueError):
    """Two statistics that do not add up, or more taken out than was ever put in."""

    default_kind = "merge"


class ModelFileError(SufficeError, ValueError):
    """A file that is not a whole model that this version reads, or a model that no such file can hold."""

    default_kind = "model_file"


class SufficeWarning(Record, UserWarning):
    """The root: filter this to filter everything suffice warns of. A record, as the errors are."""

    default_kind = "warning"


class DroppedCalibrationWarning(SufficeWarning):
    """A model that was calibrated was changed, so its calibration and its novelty reference were dropped."""


class DroppedRowsWarning(SufficeWarning):
    """Rows were left out of a fit because their class is missing, or out of a block of columns because a cell is."""


class IgnoredColumnsWarning(SufficeWarning):
    """Columns of the data are not columns of the model."""


class ImpossibleRowsWarning(SufficeWarning):
    """Rows have probability 0 under every class."""


class LostPrecisionWarning(SufficeWarning):
    """Rows were taken out whose values or weights are too large beside the others for the rest to be known."""


class MissingColumnsWarning(SufficeWarning):
    """Columns that the model knows are not in the data."""


class RenamedColumnsWarning(SufficeWarning):
    """Columns of a file have no name in its header, or the name of another column."""


class SkippedLinesWarning(SufficeWarning):
    """Lines of a file could not be read and were left out, as was asked for."""


class TargetWarning(SufficeWarning):
    """The target has one class, or so many that it may be an id or a number."""


class UnseenClassesWarning(SufficeWarning):
    """Rows have classes that the model has not seen."""


class UnseenLevelsWarning(SufficeWarning):
    """Over a fifth of the known cells of a column have levels that the model has not seen."""
