"""What the tests of leaving one row out have in common."""

from __future__ import annotations

from typing import Any

import numpy as np

import suffice as sf
from suffice.api.seen import aligned_table, rows_of
from suffice.evidence.leave_one_out import leave_one_out
from suffice.statistics.frozen_arrays import FloatArray


def left_out(model: sf.Model, data: Any, target: Any, weights: Any = None) -> FloatArray:
    """Return log p(c, x) of every row without one unit of its own weight."""
    rows = rows_of(data, target, weights)
    table = aligned_table(rows.table, model.schema)
    return leave_one_out(model.naive_bayes, table, rows.target.codes, rows.target.classes, rows.weights)


def require_close(found: FloatArray, expected: FloatArray) -> None:
    """Require ten digits, and no NaN."""
    assert not np.isnan(found).any()
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)
