"""Rows that were checked, as the tables that a model takes, under the names that the estimator knows."""

from __future__ import annotations

from typing import Any

from suffice.api import Model
from suffice.sources.arrays import table_of
from suffice.sources.source import aligned_table
from suffice.sources.table import Frame, Matrix, Table
from suffice.statistics.columns import columns_of

__all__ = ["asked_table", "learnt_table"]


def learnt_table(estimator: Any, x: Any) -> Table:
    """Return rows to learn: their columns have the names of the frame they came in, and otherwise their positions."""
    names = estimator.__dict__.get("feature_names_in_")
    table = table_of(x)
    if isinstance(table, Frame):
        return table
    if names is None or len(set(names)) < len(names):
        return table
    return table.aligned(columns_of(names.tolist())).table


def asked_table(model: Model, x: Any) -> Table:
    """Return rows to score. A CSR matrix may store a cell in parts, whose sum it is."""
    names = model.schema.names
    if isinstance(x, Table):
        return aligned_table(x, model.schema)
    return table_of(x).aligned(names).table if hasattr(x, "indptr") else Matrix(x, names)
