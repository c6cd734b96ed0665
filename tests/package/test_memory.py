"""Fitting and scoring copy nothing: extra memory ≤ 5% of the input + 3 × the arrays of the result."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import benchmarks.groups  # noqa: F401  registers the benches
from benchmarks.memory import extra_in_child
from benchmarks.work import BENCHES, Size


def nbytes(result):
    """Return the bytes of the arrays that a bench gives: scores, statistics, or what an estimator has learnt."""
    if isinstance(result, np.ndarray):
        return result.nbytes
    if hasattr(result, "model_"):
        known = result.model_.core
        return nbytes((known.tally, *(part for block in known.parts for part in block)))
    statistics = result if isinstance(result, tuple) else (result,)
    return sum(array.nbytes for statistic in statistics for array in statistic.to_arrays().values())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process reset its peak")
@pytest.mark.parametrize("name", BENCHES)
def test_a_pass_over_400_megabytes_stays_within_its_allowance(name):
    size = Size(rows=1_000_000, columns=50)
    work = BENCHES[name].make(size)
    arrays = nbytes(work.ours(None))
    extra = extra_in_child(name, size)
    assert extra is not None
    assert extra <= 0.05 * work.input_bytes + 3 * arrays
