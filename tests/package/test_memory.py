"""Collecting statistics copies nothing: extra memory ≤ 5% of the input + 3 × the arrays of the result."""

from __future__ import annotations

import sys

import pytest

import benchmarks.groups  # noqa: F401  registers the benches
from benchmarks.memory import extra_in_child
from benchmarks.work import BENCHES, Size


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process reset its peak")
@pytest.mark.parametrize("name", BENCHES)
def test_a_pass_over_400_megabytes_stays_within_its_allowance(name):
    size = Size(rows=1_000_000, columns=50)
    work = BENCHES[name].make(size)
    result = work.ours(None)
    statistics = result if isinstance(result, tuple) else (result,)
    arrays = sum(array.nbytes for statistic in statistics for array in statistic.to_arrays().values())
    extra = extra_in_child(name, size)
    assert extra is not None
    assert extra <= 0.05 * work.input_bytes + 3 * arrays
