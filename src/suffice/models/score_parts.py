"""Scores of rows that belong to parts, each under a model of its own, in one pass that moves no row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from suffice import _core
from suffice.engines.flaws import explained
from suffice.engines.rows import table_of
from suffice.machine import thread_count
from suffice.models.score import Scorer
from suffice.sources.table import Matrix
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = ["joint_of_parts"]


def joint_of_parts(scorers: Sequence[Scorer], table: Matrix, parts: IntArray, threads: int | None = None) -> FloatArray:
    """Return the joint of each row under the scorer of its part; every term must take numbers as they are."""
    tables = [scorer.tables_of_numbers(table) for scorer in scorers]
    view = table_of(table.x).view
    assert isinstance(view, _core.Matrix), "a matrix is seen as one"
    with explained(table.names, scorers[0].classes):
        return _core.score_parts(tables, view, parts.astype(np.int32), "joint", thread_count(threads))[0]
