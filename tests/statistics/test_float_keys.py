"""Order-preserving integer keys of floats."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.statistics.bin_layout import (
    HIGHEST_KEY,
    LOWEST_KEY,
    bin_width,
    coarsen_keys,
    differing_bits,
    float_to_key,
    key_to_float,
    lower_edge,
    upper_edge,
)
from tests.oracles import rows_bins

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
MOST = float(np.finfo(np.float64).max)


@given(a=FLOATS, b=FLOATS)
def test_keys_keep_the_order_and_give_the_float_back(a: float, b: float) -> None:
    keys = float_to_key([a, b])
    assert (keys[0] < keys[1]) == (a < b)
    assert (keys[0] == keys[1]) == (a == b)
    assert key_to_float(keys).tolist() == [a, b]
    assert keys.tolist() == [rows_bins.key(a), rows_bins.key(b)]
    assert LOWEST_KEY <= keys[0] <= HIGHEST_KEY


def test_the_ends_and_the_middle() -> None:
    assert float_to_key([-MOST, MOST, 0.0, -0.0]).tolist() == [int(LOWEST_KEY), int(HIGHEST_KEY), 2**63, 2**63]
    assert math.copysign(1, key_to_float(float_to_key(-0.0))[0]) == 1


@given(value=FLOATS, shift=st.integers(0, 64))
def test_a_bin_holds_its_floats_and_no_others(value: float, shift: int) -> None:
    by = np.array([shift])
    bins = coarsen_keys(float_to_key(value), by)
    low, high, wide = (float(edge(bins, by)[0]) for edge in (lower_edge, upper_edge, bin_width))
    assert low <= value <= high
    assert math.isfinite(low)
    assert math.isfinite(high)
    assert 0 < wide < math.inf
    with np.errstate(over="ignore"):
        around = np.nextafter(low, -np.inf), np.nextafter(high, np.inf)
    for outside in around:
        assert math.isinf(outside) or coarsen_keys(float_to_key(outside), by) != bins or outside == 0


@given(a=FLOATS, b=FLOATS)
def test_neighbours_join_at_the_shift_where_they_differ(a: float, b: float) -> None:
    keys = np.sort(float_to_key([a, b]))
    (joins,) = differing_bits(keys).tolist()
    assert len(set(coarsen_keys(keys, np.full(2, joins)).tolist())) == 1
    assert joins == 0 or len(set(coarsen_keys(keys, np.full(2, joins - 1)).tolist())) == 2


@pytest.mark.parametrize(
    ("value", "shift", "low", "high", "wide"),
    [
        (1.0, 0, 1.0, 1.0, 2.0**-52),
        (1.25, 52, 1.0, 2 - 2.0**-52, 1.0),
        (0.0, 64, -MOST, MOST, MOST),
        (-5e-324, 1, -5e-324, -5e-324, 5e-324),
        (MOST, 0, MOST, MOST, MOST - np.nextafter(MOST, 0)),
    ],
)
def test_edges(value: float, shift: int, low: float, high: float, wide: float) -> None:
    by = np.array([shift])
    bins = coarsen_keys(float_to_key(value), by)
    assert (lower_edge(bins, by)[0], upper_edge(bins, by)[0], bin_width(bins, by)[0]) == (low, high, wide)
