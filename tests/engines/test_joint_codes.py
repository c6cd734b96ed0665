"""Combinations of codes against a dictionary of tuples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.engines.collection import joint_codes
from suffice.sources.coding import Coded


@given(
    st.integers(1, 5).flatmap(
        lambda width: st.lists(st.lists(st.integers(-1, 3), min_size=width, max_size=width), min_size=1, max_size=25)
    )
)
def test_against_a_dictionary_of_tuples(rows):
    names = ["a", "b", 7, None]
    width = len(rows[0])
    found = joint_codes([Coded(np.array([row[j] for row in rows]), names) for j in range(width)])
    expected = [None if min(row) < 0 else tuple(names[k] for k in row) for row in rows]
    assert [None if code < 0 else found.labels[code] for code in found.codes.tolist()] == expected
    assert len(found.labels) == len(set(found.labels)) == len(set(expected) - {None})
    assert set(found.codes.tolist()) - {-1} == set(range(len(found.labels)))


def test_true_and_one_stay_apart():
    codes = Coded(np.array([0, 1, 0]), [True, 1])
    found = joint_codes([codes, Coded(np.array([0, 0, 0]), ["x"])])
    assert [type(found.labels[code][0]) for code in found.codes] == [bool, int, bool]


@pytest.mark.parametrize("rows", [0, 3])
def test_no_rows_and_no_complete_row(rows):
    found = joint_codes([Coded(np.full(rows, -1), []), Coded(np.zeros(rows, dtype=np.int64), ["x"])])
    assert found.codes.tolist() == [-1] * rows
    assert found.labels == []


def test_many_columns_of_many_levels_do_not_overflow():
    rng = np.random.default_rng(0)
    width, rows, size = 40, 500, 10**6  # (10⁶)⁴⁰ combinations, of which 500 occur
    cells = rng.integers(0, size, (rows, width))
    cells[250:] = cells[:250]
    names = range(size)
    found = joint_codes([Coded(cells[:, j], names) for j in range(width)])
    assert [found.labels[code] for code in found.codes.tolist()] == [tuple(row) for row in cells.tolist()]
    assert len(found.labels) == 250
