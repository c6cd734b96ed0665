"""Some rows of many: the same ones however they come, and as good as drawn."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from suffice.decisions import RowSample


def taken(rows, cuts, most):
    sample = RowSample(rows.shape[1], most)
    for part in np.split(rows, sorted(min(cut, len(rows)) for cut in cuts)):
        sample.add(part)
    assert sample.seen == len(rows)
    return sample.rows()


@given(st.integers(0, 300), st.lists(st.integers(0, 300), max_size=6), st.integers(1, 200))
def test_batches_make_no_difference_and_order_stays(number, cuts, most):
    rows = np.arange(number, dtype=float)[:, None] + np.array([0.0, 0.5])
    kept = taken(rows, cuts, most)
    np.testing.assert_array_equal(kept, taken(rows, [], most))
    assert len(kept) <= max(1, most // 2)
    assert (np.diff(kept[:, 0]) > 0).all()
    if number <= max(1, most // 2):
        np.testing.assert_array_equal(kept, rows)


def test_it_is_as_good_as_drawn():
    rows = np.arange(100_000, dtype=float)[:, None]
    kept = taken(rows, range(0, 100_000, 7_919), 10_000)[:, 0]
    assert 5_000 <= len(kept) <= 10_000
    # Even over the data and over what comes round every few rows: within five standard deviations.
    for period in (2, 3, 8, 64):
        counts = np.bincount(kept.astype(int) % period, minlength=period)
        expected = len(kept) / period
        assert np.abs(counts - expected).max() <= 5 * np.sqrt(expected)
    counts = np.histogram(kept, 20, (0, 100_000))[0]
    assert np.abs(counts - len(kept) / 20).max() <= 5 * np.sqrt(len(kept) / 20)


def test_no_rows():
    assert RowSample(3).rows().shape == (0, 3)
