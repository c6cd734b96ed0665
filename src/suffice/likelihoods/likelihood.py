"""The contract of a likelihood: which statistic it needs, and how it is read into terms, evidence, parameters, draws.

A likelihood is an immutable value that the user makes. It knows no rows: it gets the statistics of a block of columns,
aligned to the classes of the model by label, and answers with plain arrays.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from inspect import signature
from typing import Any, ClassVar, NamedTuple, final

import numpy.typing as npt

from suffice.errors import ParameterError
from suffice.likelihoods.draws import Draw
from suffice.likelihoods.own_terms import OwnTerm
from suffice.likelihoods.terms import Term
from suffice.likelihoods.uncertain import UncertainTerm
from suffice.plan import Collect, Parts, Reading
from suffice.statistics import Axis
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray
from suffice.statistics.labels import Label

__all__ = ["Likelihood", "OutcomeCounts", "Parameter", "Seen"]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What was seen of a block of columns, and how to read it.

    Parameters
    ----------
    parts : tuple of statistics, as collected (plan/collect.py)
    columns : tuple of names or positions
        The block's columns, in the order of the data.
    classes : Axis
        The classes of the model. One that a statistic does not have was not seen there.
    reading : Reading
    rows : array of C
        The weight of the rows of each class, whatever is missing in them.
    left_out : float
        How much weight of a row is taken out of its class before it is scored: 0, or what `own_terms` is asked for.
    """

    parts: Parts
    columns: Columns
    classes: Axis
    reading: Reading
    rows: FloatArray
    left_out: float = 0.0

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

    @property
    def is_likelihood(self) -> bool:
        """Whether the scores are those of a distribution, so that there is a log p(x)."""
        return True

    def __repr__(self) -> str:
        """Show what was given and is not the default."""
        given = (
            f"{name}={getattr(self, name)!r}"
            for name, parameter in signature(type(self)).parameters.items()
            if getattr(self, name) != parameter.default
        )
        return f"{type(self).__name__}({', '.join(given)})"

    @abstractmethod
    def collect(self, columns: Columns) -> Collect:
        """Return which statistics to collect of these columns."""

    @abstractmethod
    def terms(self, seen: Seen) -> tuple[Term, ...]:
        """Return what a row's cells add to log p(c, x), constants included."""

    def own_terms(self, seen: Seen, unit: float) -> tuple[OwnTerm, ...]:
        """Return terms whose entry of class c is the score of a row of c without `unit` of its weight (own_terms.py).

        A term may move the scores of the other classes too, where they share what the row takes with it.
        What the row's levels, cells and tokens are, and the default prior, stay as all rows have them.
        """
        del seen, unit
        raise ParameterError(
            f"{self!r} cannot leave one row out: it does not say what a class is without it. Use folds= instead."
        )

    @abstractmethod
    def log_evidence(self, seen: Seen) -> float:
        """Return the log probability of all the cells that were seen, parameters integrated out.

        The prior is the one that the reading uses: Dir(λ) for "smoothed". "mle" uses none; its evidence is that of the
        prior that "mean" uses.
        """

    @abstractmethod
    def parameters(self, seen: Seen, level: float) -> Iterator[Parameter]:
        """Yield every parameter as it is read, with its interval of that level."""

    def outcome_counts(self, seen: Seen) -> Iterator[OutcomeCounts]:
        """Yield the counts that the λ of the smoothed reading is added to; none where it is no pseudo-count."""
        del seen
        yield from ()

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
            "there is no interval. Read the column with another likelihood, or leave it out with "
            f"columns={{{seen.columns[0]!r}: None}}."
        )

    @abstractmethod
    def sample(self, seen: Seen, draw: Draw) -> list[npt.NDArray[Any]]:
        """Return cells of rows of these classes, an array for each column of the block (draws.py).

        Parameters are as they are read, "predictive" integrates them out row by row, and `draw.posterior` draws them
        once, from the posterior under the prior that the reading uses ("mle" uses none; its draws take that of "mean").
        """
