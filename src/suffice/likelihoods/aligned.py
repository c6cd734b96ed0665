"""Statistics laid out along the classes and columns of a model, by label: what was not seen is zero.

The logs that were added up beside sums of counts (collect.py) are coarse · 2⁻²⁰ + fine · 2⁻⁴³.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from suffice.errors import ParameterError
from suffice.likelihoods.collect import COARSE, FINE
from suffice.statistics import Axis, Counts
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import BoolArray, FloatArray

__all__ = ["by_class", "by_column", "of_columns", "per_cell", "table", "total_of_logs"]


def by_class(values: FloatArray, have: Axis, classes: Axis) -> FloatArray:
    """Return an array whose first dimension follows the classes of the model, given one that follows `have`."""
    if have is classes or have.labels == classes.labels:
        return values
    known = [label in classes for label in have]
    laid = np.zeros((len(classes), *values.shape[1:]))
    laid[classes.positions(label for label, there in zip(have, known, strict=True) if there)] = values[known]
    return laid


def by_column(counts: Counts, columns: Columns, classes: Axis) -> tuple[FloatArray, FloatArray]:
    """Return values and observed weight of counts whose entries are columns, each of shape (classes, columns)."""
    values, observed = (
        by_class(counts.values, counts.classes, classes),
        by_class(counts.observed, counts.classes, classes),
    )
    if counts.levels.labels != columns:
        at = counts.levels.positions(columns)
        values, observed = values[:, at], observed[:, at] if counts.per_level else observed
    return values, np.broadcast_to(observed, values.shape)


def per_cell(what: str, given: npt.ArrayLike, classes: int, columns: int) -> FloatArray:
    """Return numbers given for all, per column, or per class and column, as an array (classes, columns)."""
    array: npt.NDArray[Any] = np.asarray(given, dtype=np.float64)
    try:
        return np.broadcast_to(array, (classes, columns))
    except ValueError:
        raise ParameterError(
            f"{what} must be one number, one for each column, or one for each class and column: "
            f"got shape {array.shape} for {classes} classes and {columns} columns. "
            f"Give shape (), ({columns},), ({classes}, 1) or ({classes}, {columns})."
        ) from None


def of_columns(given: FloatArray, stay: BoolArray) -> FloatArray:
    """Return numbers given for all, per column, or per class and column, for the columns where `stay` is true."""
    return given[..., stay] if given.ndim and given.shape[-1] == len(stay) > 1 else given


def table(by_class_and_row: FloatArray) -> FloatArray:
    """Return a table as terms hold it, a row for each column and an entry for each class."""
    return np.ascontiguousarray(by_class_and_row.T)


def total_of_logs(part: object) -> float:
    """Return the sum over all classes."""
    assert isinstance(part, Counts)
    if not part.values.size:
        return 0.0
    coarse, fine = part.values.sum(axis=0)
    return float(coarse * COARSE + fine * FINE)
