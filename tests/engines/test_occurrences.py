"""How often whole numbers occur that are codes already, against NumPy; and what is left to the general way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.sources.coding import occurrences

MOST = 256


@given(st.integers(1, 9), st.integers(0, 40), st.integers(0, 2**32), st.integers(1, 3))
def test_codes(classes, more, seed, step):
    codes = np.concatenate([np.arange(classes), np.random.default_rng(seed).integers(0, classes, more)])
    spaced = np.full(len(codes) * step, -7)
    spaced[::step] = codes
    found = occurrences(spaced[::step])
    assert found is not None
    assert found.tolist() == np.unique_counts(codes).counts.tolist()


def test_many_rows_on_every_thread(monkeypatch):
    codes = np.random.default_rng(5).integers(0, 7, 300_000)
    for threads in (1, 2, 3, 7):
        monkeypatch.setenv("SUFFICE_NUM_THREADS", str(threads))
        found = occurrences(codes)
        assert found is not None
        assert found.tolist() == np.bincount(codes).tolist()


def test_as_many_classes_as_are_counted():
    found = occurrences(np.arange(MOST))
    assert found is not None
    assert found.tolist() == [1] * MOST


@pytest.mark.parametrize(
    "values",
    [
        np.array([], dtype=np.int64),
        np.array([1, 2]),
        np.array([0, 2]),
        np.array([-1, 0, 1]),
        np.array([-1, -1]),
        np.array([-2, 0, 1]),
        np.array([0, 1], dtype=np.int8),
        np.array([0, 1], dtype=np.int64).astype(">i8"),
        np.array([0.0, 1.0]),
        np.array([False, True]),
        np.array([0, 2**62]),
        np.arange(MOST + 1),
    ],
    ids=lambda values: f"{values.dtype.str} {len(values)}",
)
def test_what_is_left_to_the_general_way(values):
    assert occurrences(values) is None
