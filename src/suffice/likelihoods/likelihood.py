"""The contract of a likelihood: which statistic it needs, and how it is read into terms, evidence, parameters, draws.

A likelihood is an immutable value that the user makes. It knows no rows: it gets the statistics of a block of columns,
aligned to the classes of the model by label, and answers with plain arrays.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, final

import numpy as np
import numpy.typing as npt

from suffice.errors import ParameterError
from suffice.likelihoods.collect import Collect, Parts
from suffice.likelihoods.draws import Draw
from suffice.likelihoods.reading import Reading
from suffice.likelihoods.terms import Term
from suffice.likelihoods.terms.split import Rows, Split
from suffice.likelihoods.uncertain import UncertainTerm
from suffice.statistics import Axis
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import BoolArray, FloatArray
from suffice.statistics.labels import Label

if TYPE_CHECKING:
    from suffice.likelihoods.token_reading import Spoken

__all__ = ["Likelihood", "OutcomeCounts", "Parameter", "Seen"]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What was seen of a block of columns, and how to read it.

    Parameters
    ----------
    parts : tuple of statistics, as collected (collect.py)
    columns : tuple of names or positions
        The block's columns, in the order of the data.
    classes : Axis
        The classes of the model. One that a statistic does not have was not seen there.
    reading : Reading
    rows : array of C
        The weight of the rows of each class, whatever is missing in them.
    decided : dict
        Where a likelihood keeps what it decided by the statistics alone, whatever the reading: it is decided once.
    """

    parts: Parts
    columns: Columns
    classes: Axis
    reading: Reading
    rows: FloatArray
    decided: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def shape(self) -> tuple[int, int]:
        """The number of classes and that of columns."""
        return len(self.classes), len(self.columns)


class Parameter(NamedTuple):
    """One parameter of a model, as it is read: a row of a tidy table.

    `label` is the class; `column` is None for the class prior, `level` where there is none. `lower` and `upper` bound
    the interval of the posterior that the reading's prior gives; NaN where there is none.
    """

    label: Label
    column: str | int | None
    level: Label
    name: str
    estimate: str
    value: float
    lower: float
    upper: float


class OutcomeCounts(NamedTuple):
    """Counts that the λ of these columns is added to, a sequence a row, and the number of outcomes, seen or not."""

    columns: Columns
    counts: FloatArray
    outcomes: float


class Likelihood(ABC):
    """How the cells of a block of columns are distributed within a class."""

    __slots__ = ()

    column_by_column: ClassVar[bool] = False
    """Whether a block of two columns is the same as two blocks of one."""

    has_length: ClassVar[bool] = False
    """Whether the rows that are drawn have a length: the total of their counts, or the number of their words."""

    @property
    def own_columns(self) -> Columns | None:
        """The columns of the block, where the likelihood names them itself."""
        return None

    @property
    def is_likelihood(self) -> bool:
        """Whether the scores are those of a distribution, so that there is a log p(x)."""
        return True

    def __repr__(self) -> str:
        """Show what was given and is not the default."""
        given = (
            f"{name}={getattr(self, name)!r}"
            for name, parameter in signature(type(self)).parameters.items()
            if _differs(getattr(self, name), parameter.default)
        )
        return f"{type(self).__name__}({', '.join(given)})"

    @abstractmethod
    def collect(self, columns: Columns) -> Collect:
        """Return which statistics to collect of these columns."""

    def restrict(self, stay: BoolArray) -> Likelihood:
        """Return the likelihood of the columns where `stay` is true: what was given per column goes with its column."""
        del stay
        return self

    def with_covariance(self, covariance: Any, shrinkage: Any, toward: Any) -> Likelihood | None:
        """Return the same with another covariance; None where it has none. A parameter that is None stays as it is."""
        del covariance, shrinkage, toward

    def require_prunable(self, column: str | int) -> None:
        """Raise ParameterError where rare levels of a column cannot be dropped."""
        del column

    def stored_parameters(self) -> dict[str, Any]:
        """Return its parameters as a model file has them: those of its constructor, which makes it again of them."""
        return {name: getattr(self, name) for name in signature(type(self)).parameters}

    @abstractmethod
    def terms(self, seen: Seen) -> tuple[Term, ...]:
        """Return what a row's cells add to log p(c, x), constants included."""

    def split(self, term: Term, rows: Rows, seen: Seen) -> Split | None:
        """Return how one of its terms splits into entries over these rows, for explanations."""
        return term.split(rows, seen)

    @abstractmethod
    def log_evidence(self, seen: Seen) -> float:
        """Return the log probability of all the cells that were seen, parameters integrated out.

        The prior is the one that the reading uses: Dir(λ) for "smoothed". "mle" uses none; its evidence is that of the
        prior that "mean" uses.
        """

    @abstractmethod
    def parameters(self, seen: Seen, credible: float) -> Iterator[Parameter]:
        """Yield every parameter as it is read, with the equal-tailed interval that holds the mass `credible`."""

    def outcome_counts(self, seen: Seen) -> Iterator[OutcomeCounts]:
        """Yield the counts that the λ of the smoothed reading is added to; none where it is no pseudo-count."""
        del seen
        yield from ()

    def spoken(self, seen: Seen) -> Iterator[Spoken]:
        """Yield the columns of documents, each with its tokens as they are read; none where there are no documents."""
        del seen
        yield from ()

    def forms(self, seen: Seen) -> dict[str | int, Likelihood]:
        """Return the likelihood that each column has: this one, unless the statistics choose between others."""
        return dict.fromkeys(seen.columns, self)

    def choices(self, seen: Seen) -> dict[str | int, str]:
        """Return what the statistics decided about each column, in words; nothing where there was nothing to decide."""
        del seen
        return {}

    def uncertain(self, seen: Seen) -> tuple[UncertainTerm, ...]:
        """Return the terms with the posterior of their parameters (uncertain.py), for intervals of probabilities.

        The prior is the one that the reading uses ("mle" uses none; its intervals take that of "mean"). A likelihood
        that does not say raises ParameterError.
        """
        raise ParameterError(
            f"column {seen.columns[0]!r} is read as {self!r}, which does not say what posterior its parameters have: "
            "there is no interval",
            column=seen.columns[0],
            advice=lambda words: (
                f"Give the column another likelihood, or leave it out with {words.column(seen.columns[0], None)}."
            ),
        )

    @abstractmethod
    def sample(self, seen: Seen, draw: Draw) -> list[npt.NDArray[Any]]:
        """Return cells of rows of these classes, an array for each column of the block (draws.py).

        Parameters are as they are read, "predictive" integrates them out row by row, and `draw.posterior` draws them
        once, from the posterior under the prior that the reading uses ("mle" uses none; its draws take that of "mean").
        """


def _differs(value: Any, default: Any) -> bool:
    if any(isinstance(each, np.ndarray) for each in (value, default)):
        return not np.array_equal(value, default)
    return value != default
