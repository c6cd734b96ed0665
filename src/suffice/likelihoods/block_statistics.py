"""The statistics of a block of columns: which to collect, and how they are aligned to the classes of a model.

    what        parts of the statistic                                         for
    moments     (Moments,)                                                     real columns
    scatter     (Scatter,)                                                     real columns jointly; complete rows
    bins        (Bins,)                                                        real columns, ±inf included
    numeric     (Moments, Bins)                                                real columns
    maxima      (Maxima,)                                                      columns of real numbers ≥ 0
    presence    (Counts of x > threshold,)                                     binary columns
    sums        (Counts of Σ w x,) and, if requested, (Counts of logs,)        columns of counts ≥ 0
    levels      (Counts of levels,) for each column                            categorical columns
    joint       (Counts of combinations,) and (Counts of levels,) per column   categorical columns; complete rows
    tokens      (Tokens,) for each column                                      text columns

Some logs cannot be derived from sums. Per class, logs="cells" collects Σ w ln x! and logs="rows" collects
Σ w ln(n!/Π x!), n being the total of the row. Only the evidence needs them. They are collected as integers,
coarse · 2⁻²⁰ + fine · 2⁻⁴³, so that subtraction leaves no residue.

A reading is the choice of an estimate, with the pseudo-count λ of "smoothed":

    mle         the relative frequencies, without a prior      mean         the posterior mean
    smoothed    the same with λ pseudo-counts added            predictive   the parameters integrated out
    map         the posterior mode
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, final, get_args

import numpy as np
import numpy.typing as npt

from suffice.arguments import positive
from suffice.errors import ParameterError
from suffice.statistics import Axis, Bins, Counts, Maxima, Moments, Scatter, Tokens
from suffice.statistics.arrays import BoolArray, FloatArray
from suffice.statistics.axis import Columns
from suffice.statistics.labels import Label

__all__ = [
    "COARSE",
    "ESTIMATES",
    "FINE",
    "BlockStatistics",
    "Collect",
    "Estimate",
    "Logs",
    "Numbers",
    "Parts",
    "Plan",
    "Reading",
    "TermFrequency",
    "Tokenizing",
    "Unit",
    "What",
    "align_classes",
    "align_columns",
    "broadcast_parameter",
    "parse_numbers",
    "select_columns",
    "sum_logs",
    "take_columns",
    "transpose_table",
]

What: TypeAlias = Literal[
    "moments", "scatter", "bins", "numeric", "maxima", "presence", "sums", "levels", "joint", "tokens"
]
Logs: TypeAlias = Literal["none", "cells", "rows"]
Numbers: TypeAlias = "float | tuple[Any, ...]"
Parts: TypeAlias = "Sequence[Moments | Counts | Bins | Scatter | Maxima | Tokens]"
Unit: TypeAlias = Literal["words", "chars", "chars in words"]
TermFrequency: TypeAlias = Literal["count", "log"]
COARSE, FINE = 2.0**-20, 2.0**-43


@final
@dataclass(frozen=True, slots=True)
class Tokenizing:
    r"""The settings that determine the tokens of a document.

    unit         "words": runs of \w, or of `characters` · "chars": of the whole text · "chars in words": within words
    ngrams       the smallest and the largest number of words or characters
    characters   groups of characters: each group is one symbol, named by the group; empty: no restriction
    tf           "count": x occurrences count x · "log": 1 + ln x
    unit_length  whether the counts of a document are scaled to unit Euclidean length
    hashed       b: tokens are hashed into 2^b columns, which bounds memory; None: every distinct token is stored

    Examples
    --------
    >>> Tokenizing(ngrams=(1, 2)).columns
    0
    """

    unit: Unit = "words"
    ngrams: tuple[int, int] = (1, 1)
    lowercase: bool = True
    strip_accents: bool = False
    characters: tuple[str, ...] = ()
    stop_words: tuple[str, ...] = ()
    min_length: int = 2
    max_length: int | None = None
    tf: TermFrequency = "count"
    unit_length: bool = False
    hashed: int | None = None

    @property
    def columns(self) -> int:
        """The number of hashed columns, 0 for a vocabulary."""
        return 0 if self.hashed is None else 1 << self.hashed

    @property
    def whole(self) -> bool:
        """Whether each occurrence of a token counts 1."""
        return self.tf == "count" and not self.unit_length


@final
@dataclass(frozen=True, slots=True)
class Collect:
    """The statistics to collect for one block of columns.

    Parameters
    ----------
    what : "moments", "scatter", "bins", "numeric", "maxima", "presence", "sums", "levels", "joint" or "tokens"
    columns : tuple of names
    threshold : float
        For "presence": cells with x > threshold count as present.
    levels : tuple of labels, optional
        For "levels": declared levels, which are kept even if they do not occur; the same for every column.
    missing_level : bool
        For "levels": whether a missing cell is a level of its own, None.
    logs : "none", "cells" or "rows"
        For "sums": which logs to collect.
    tokenizing : Tokenizing, optional
        For "tokens": how documents are split into tokens.

    Examples
    --------
    >>> Collect("presence", (0, 1), threshold=0.5).columns
    (0, 1)
    """

    what: What
    columns: Columns
    threshold: float = 0.0
    levels: tuple[Label, ...] | None = None
    missing_level: bool = False
    logs: Logs = "none"
    tokenizing: Tokenizing | None = None


@final
@dataclass(frozen=True, slots=True)
class Plan:
    """The number of columns of the rows, and the statistics to collect for each block.

    Examples
    --------
    >>> Plan(3, (Collect("moments", (0, 2)),)).width
    3
    """

    width: int
    collects: tuple[Collect, ...]


Estimate: TypeAlias = Literal["mle", "smoothed", "map", "mean", "predictive"]
ESTIMATES: tuple[Estimate, ...] = get_args(Estimate)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """An estimate and its pseudo-count.

    Parameters
    ----------
    estimate : "mle", "smoothed", "map", "mean" or "predictive"
    alpha : array, optional
        λ, broadcastable to (classes, columns): added by "smoothed", the prior Dir(λ) of "mean" and "predictive" and
        Dir(1 + λ) of "map". Default: that of the likelihood.

    Examples
    --------
    >>> Reading("map") == Reading("map"), Reading("map") == Reading("mle")
    (True, False)
    """

    estimate: Estimate
    alpha: FloatArray | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reading):
            return NotImplemented
        if self.alpha is None or other.alpha is None:
            return self.estimate == other.estimate and self.alpha is other.alpha
        return self.estimate == other.estimate and np.array_equal(self.alpha, other.alpha)

    __hash__ = None  # pyright: ignore[reportAssignmentType]


@final
@dataclass(frozen=True, slots=True, eq=False)
class BlockStatistics:
    """The statistics of a block of columns, and the estimate to compute from them.

    Parameters
    ----------
    parts : tuple of statistics, as collected
    columns : tuple of names or positions
        The columns of the block, in the order of the data.
    classes : Axis
        The classes of the model. A class that a statistic lacks has no rows in it.
    reading : Reading
    rows : array of C
        The weight of the rows of each class, including rows with missing cells.
    decisions : dict
        Choices that a likelihood makes from the statistics, whichever estimate is used; they are made once.
    """

    parts: Parts
    columns: Columns
    classes: Axis
    reading: Reading
    rows: FloatArray
    decisions: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def shape(self) -> tuple[int, int]:
        """The number of classes and the number of columns."""
        return len(self.classes.labels), len(self.columns)

    @property
    def smoothing(self) -> FloatArray | None:
        """The prior count of each outcome if λ is given: λ, or 1 + λ for "map"; None otherwise."""
        alpha = self.reading.alpha
        return alpha + 1 if alpha is not None and self.reading.estimate == "map" else alpha


def align_classes(values: FloatArray, have: Axis, classes: Axis) -> FloatArray:
    """Return an array whose first dimension follows the classes of the model, given one that follows `have`."""
    if have is classes or have.labels == classes.labels:
        return values
    known = [label in classes for label in have]
    aligned = np.zeros((len(classes.labels), *values.shape[1:]))
    aligned[classes.positions(label for label in have if label in classes)] = values[known]
    return aligned


def align_columns(counts: Counts, columns: Columns, classes: Axis) -> tuple[FloatArray, FloatArray]:
    """Return values and observed weights of counts by column, each of shape (classes, columns)."""
    values, observed = (
        align_classes(counts.values, counts.classes, classes),
        align_classes(counts.observed, counts.classes, classes),
    )
    if counts.levels.labels != columns:
        at = counts.levels.positions(columns)
        values, observed = values[:, at], observed[:, at] if counts.per_level else observed
    return values, np.broadcast_to(observed, values.shape)


def parse_numbers(what: str, given: Any) -> Numbers | None:
    """Return a positive parameter as a float or tuples of floats, which support ==; or raise ParameterError."""
    if given is None:
        return None
    array = positive(what, given)
    if array.ndim > 2:
        raise ParameterError(
            f"{what} must be a scalar, one value per column, or one per class and column: got shape {array.shape}. "
            "Give at most two dimensions."
        )
    rows: Any = array.tolist()
    return rows if array.ndim == 0 else tuple(row if isinstance(row, float) else tuple(row) for row in rows)


def broadcast_parameter(what: str, given: npt.ArrayLike, classes: int, columns: int) -> FloatArray:
    """Return a parameter given as a scalar, per column, or per class and column, as an array (classes, columns)."""
    array: npt.NDArray[Any] = np.asarray(given, dtype=np.float64)
    try:
        return np.broadcast_to(array, (classes, columns))
    except ValueError:
        raise ParameterError(
            f"{what} must be a scalar, one value per column, or one per class and column: "
            f"got shape {array.shape} for {classes} classes and {columns} columns. "
            f"Give shape (), ({columns},), ({classes}, 1) or ({classes}, {columns})."
        ) from None


def select_columns(given: FloatArray, stay: BoolArray) -> FloatArray:
    """Return a scalar, per-column or per-class-and-column parameter for the columns where `stay` is true."""
    return given[..., stay] if given.ndim and given.shape[-1] == len(stay) > 1 else given


def transpose_table(by_class_and_row: FloatArray) -> FloatArray:
    """Return a table in the layout of terms: a row for each column or level and an entry for each class."""
    return np.ascontiguousarray(by_class_and_row.T)


def sum_logs(part: object) -> float:
    """Return the collected logs, summed over all classes."""
    assert isinstance(part, Counts)
    if not part.values.size:
        return 0.0
    coarse, fine = part.values.sum(axis=0)
    return float(coarse * COARSE + fine * FINE)


def take_columns(collected: Collect, parts: Parts, columns: Columns) -> Parts:
    """Return the parts of some columns, without the logs, which belong to all columns together."""
    if collected.what in ("levels", "tokens"):  # one part per column
        return tuple(parts[collected.columns.index(name)] for name in columns)
    every: list[Any] = list(parts[:1] if collected.what == "sums" else parts)
    return tuple(part.take_columns(columns) for part in every)
