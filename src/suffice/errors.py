"""Errors and warnings as records: what is wrong, where, the value found, and what to do about it.

    SufficeError
    ├── DataError       invalid rows, weights, codes or statistics                (also a ValueError)
    ├── ParameterError  an invalid prior, option or argument                      (also a ValueError)
    ├── MergeError      statistics that cannot be added or subtracted             (also a ValueError)
    └── ModelFileError  a file that is not a complete model of this version       (also a ValueError)

    SufficeWarning
    ├── DroppedCalibrationWarning   a changed model lost its calibration or its novelty reference
    ├── DroppedRowsWarning          rows without a class, or incomplete in jointly modelled columns, were dropped
    ├── IgnoredColumnsWarning       the data have columns that the model does not have
    ├── ImpossibleRowsWarning       rows of probability 0 under every class got the class prior
    ├── LostPrecisionWarning        removed rows were so large that the remainder is inaccurate
    ├── MissingColumnsWarning       the model has columns that the data do not have; they count as missing
    ├── RenamedColumnsWarning       columns of a file have missing or duplicate names and were renamed
    ├── SkippedLinesWarning         invalid lines of a file were skipped
    ├── TargetWarning               the target has a single class, or so many that it may be an identifier or numeric
    ├── TrainingFilesWarning        a file that the model was fitted on is added again, or the model is evaluated on it
    ├── UnseenClassesWarning        rows have classes that are unknown to the model
    └── UnseenLevelsWarning         many cells of a column have levels unseen in training

Code that catches an error adds fields with `located` and never edits text. Each interface renders a record in its own
terms: `str(error)` names Python arguments, the command line names options (`Wording`).
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
    "TrainingFilesWarning",
    "UnseenClassesWarning",
    "UnseenLevelsWarning",
    "Wording",
    "counted",
]


class _Missing(Enum):
    NOTHING = "nothing"  # no value; None may be a value


NOTHING: Final = _Missing.NOTHING


class Wording(Protocol):
    """The names of options, columns and commands in an interface (Python or the command line)."""

    def option(self, name: str, value: object = NOTHING) -> str:
        """Return an option, with its value if given: `encoding='latin-1'`, `--encoding latin-1`."""
        ...

    def column(self, name: str | int, likelihood: str | None) -> str:
        """Return the option that sets a column's likelihood or excludes it: `columns={'id': None}`, `--drop id`."""
        ...

    def verb(self, name: str) -> str:
        """Return the method or command for an operation on a model: `model.forget(...)`, `suffice forget`."""
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
    """The fields of a record, all optional."""

    problem: str
    kind: str
    row: int | None
    column: str | int | Sequence[str | int] | None
    file: str | None
    line: int | None
    parameter: str | None
    got: object
    advice: Advice


class Record(Exception):  # noqa: N818  base of errors and warnings
    """A problem as a record: what is wrong, where, the value found, and advice. Base class of errors and warnings.

    Parameters
    ----------
    problem : str
        What is wrong, such as "must be finite, or NaN if missing".
    kind : str, optional
        A stable identifier for programs, such as "infinite". Default: that of the class.
    row, line : int, optional
        The row, numbered from 0, or the line of the file, numbered from 1.
    column : str or int, or a sequence of those, optional
    file : str, optional
    parameter : str, optional
        The invalid argument, which the problem names too.
    got : object, optional
        The value found.
    advice : str, or function of Wording
        The remedy as a sentence, or a function of the interface's wording if it names an option or a command.
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
        """Return a record of this class with the fields of another record, with some replaced."""
        record = cls(other.problem)
        record.__dict__.update(other.__dict__)
        return record.located(**fields)

    def located(self, **fields: Unpack[Fields]) -> Self:
        """Return a copy of the record with some fields set or replaced."""
        record = copy.copy(self)
        for name, value in fields.items():
            setattr(record, name, value)
        return record

    def sentence(self, words: Wording = PYTHON) -> str:
        """Return the record as text in the wording of an interface."""
        where = [] if self.file is None else [self.file]
        if self.line is not None:
            where.append(f"line {self.line}")
        elif self.row is not None:
            where.append(f"row {self.row}")
        if self.column is not None:
            where.append(_spell_columns(self.column))
        place = f"{', '.join(where)}: " if where else ""
        got = "" if self.got is NOTHING else f": got {_shorten(self.got)}"
        statement = f"{place}{self.problem.removesuffix('.') if got else self.problem}{got}"
        advice = self.advised(words)
        if not (place or got or advice) or statement.endswith((".", "?", "\n")):
            return f"{statement} {advice}" if advice and not statement.endswith("\n") else statement + advice
        return f"{statement}. {advice}" if advice else f"{statement}."

    def advised(self, words: Wording = PYTHON) -> str:
        """Return the advice in the wording of an interface."""
        return self.advice if isinstance(self.advice, str) else self.advice(words)

    def __str__(self) -> str:
        return self.sentence()

    def __copy__(self) -> Self:
        other = type(self).__new__(type(self), self.problem)
        other.__dict__.update(self.__dict__)
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        # The value and an advice function may not be picklable; their text is.
        fields = {**self.__dict__, "got": NOTHING, "advice": self.advised()}
        if self.got is not NOTHING:
            fields["problem"] = f"{self.problem}: got {_shorten(self.got)}"
        return _revived, (type(self), fields)


def _revived(kind: type[Record], fields: dict[str, Any]) -> Record:
    record = kind(fields["problem"])
    record.__dict__.update(fields)
    return record


def _spell_columns(column: str | int | Sequence[str | int]) -> str:
    if isinstance(column, (str, int)):
        return f"column {column!r}"
    more = len(column) - _SHOWN
    noun = "column" if len(column) == 1 else "columns"
    return f"{noun} {', '.join(map(repr, column[:_SHOWN]))}" + f", … {more:,} more" * (more > 0)


def _shorten(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:120]}…{text[-40:]}"


class SufficeError(Record):
    """Base class of all errors that suffice raises deliberately.

    Examples
    --------
    >>> error = DataError("must be a number", kind="not_a_number", row=3, got="x", advice="Convert it.")
    >>> str(error.located(column="age"))
    "row 3, column 'age': must be a number: got 'x'. Convert it."
    >>> error.located(row=5).row
    5
    """


class DataError(SufficeError, ValueError):
    """Invalid rows, weights, codes or stored statistics."""

    default_kind = "data"


class ParameterError(SufficeError, ValueError):
    """An invalid prior, option or argument."""

    default_kind = "parameter"


class MergeError(SufficeError, ValueError):
    """Statistics or models that cannot be added, or a subtraction of more than was added."""

    default_kind = "merge"


class ModelFileError(SufficeError, ValueError):
    """A file that is not a complete model readable by this version, or a model that cannot be saved."""

    default_kind = "model_file"


class SufficeWarning(Record, UserWarning):
    """Base class of all warnings of suffice. They are records like the errors."""

    default_kind = "warning"


class DroppedCalibrationWarning(SufficeWarning):
    """A model was changed, so its calibration or its novelty reference was dropped."""


class DroppedRowsWarning(SufficeWarning):
    """Rows were dropped because their class is missing, or excluded from a block because one of its cells is."""


class IgnoredColumnsWarning(SufficeWarning):
    """The data have columns that the model does not have."""


class ImpossibleRowsWarning(SufficeWarning):
    """Rows have probability 0 under every class."""


class LostPrecisionWarning(SufficeWarning):
    """Removed rows were so large that the remainder cannot be computed accurately."""


class MissingColumnsWarning(SufficeWarning):
    """The model has columns that the data do not have."""


class RenamedColumnsWarning(SufficeWarning):
    """Columns of a file have missing or duplicate names and were renamed."""


class SkippedLinesWarning(SufficeWarning):
    """Invalid lines of a file were skipped, as requested."""


class TargetWarning(SufficeWarning):
    """The target has a single class, or so many that it is probably an identifier or numeric."""


class TrainingFilesWarning(SufficeWarning):
    """A file that a model was fitted on is added to it again, or the model is evaluated on it."""


class UnseenClassesWarning(SufficeWarning):
    """Rows have classes that are unknown to the model."""


class UnseenLevelsWarning(SufficeWarning):
    """More than a fifth of the observed cells of a column have levels unseen in training."""


def counted(number: float, noun: str) -> str:
    """Return a number with its noun in singular or plural.

    Examples
    --------
    >>> counted(1, "row"), counted(1234, "row"), counted(0, "class"), counted(1.25, "row")
    ('1 row', '1,234 rows', '0 classes', '1.25 rows')
    """
    shown = f"{number:,.0f}" if number == int(number) else f"{number:,.4g}"
    if number == 1:
        return f"{shown} {noun}"
    return f"{shown} {noun}es" if noun.endswith("s") else f"{shown} {noun}s"
