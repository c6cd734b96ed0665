"""Scores of rows under a model, and no infinite cell among them: scikit-learn refuses those, at predict too."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np

from suffice.api import Model
from suffice.api.posterior import asked_scores
from suffice.errors import DataError
from suffice.estimators.tables import asked_table
from suffice.sources.table import Table
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["Asked", "require_finite", "scores_of"]

_FEW = 10_000

Asked: TypeAlias = Literal["joint", "log_posterior", "posterior"]


def scores_of(model: Model, x: Any, asked: Asked, *, finite: bool = False) -> FloatArray:
    """Return log joint, log posterior or posterior of every row, with the model's warnings.

    A row that no class can have produced gets the class prior; when it is one with an infinite cell, it is refused. So
    nobody looks for infinite cells in rows that are possible. Where cells must be `finite` an infinite one that was
    read as present or absent is refused too: the core has met it on its way.
    """
    rows = asked_table(model, x)
    values, impossible, unseen, infinite = asked_scores(model, rows, asked)
    if not impossible and not unseen and not (finite and infinite):
        return values
    require_finite(x)
    if asked == "joint":
        return model.log_joint(rows)
    return model.predict_proba(rows) if asked == "posterior" else model.predict_log_proba(rows)


def require_finite(x: Any) -> None:
    """Raise DataError when a cell is infinite; NaN is missing, and allowed."""
    if isinstance(x, Table):  # a column that must be finite says so when it is fitted
        return
    values = x.data if hasattr(x, "tocsr") else x
    if values.dtype.kind != "f":
        return
    if values.size > _FEW:
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(np.add.reduce(values, axis=None)):  # one pass, no copy; what is missing takes a second look
                return
    infinite = np.isinf(values)
    if not infinite.any():
        return
    at = np.unravel_index(int(np.argmax(infinite)), infinite.shape)
    value = float(values[at])
    if hasattr(x, "tocsr"):
        at = int(np.searchsorted(x.indptr, at[0], side="right")) - 1, int(x.indices[at[0]])
    raise DataError(
        f"Input X contains infinity: row {int(at[0])}, column {int(at[1])} has {value!r}. "
        "Replace it, or put NaN where a cell is missing."
    )
