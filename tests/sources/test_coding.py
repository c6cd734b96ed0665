"""Values to codes, against a dictionary loop; what is the same label, and what stands for none."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from suffice.errors import DataError
from suffice.sources.coding import Coded, coded, is_missing, place_codes, place_objects
from suffice.sources.target import target_of
from suffice.statistics import Axis
from tests.oracles.labels_coded import labels_of, levels_of, written

NAN = float("nan")

values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from([0.0, -0.0, 1.0, 2.0, 2.5, 1e300, -math.inf, NAN, pd.NA, pd.NaT, np.float32(2.5), np.int8(1)]),
    st.sampled_from(["1", "1.0", "True", "", "a", "ä", "a\x00", b"a", b"1", Decimal("1.0"), Decimal("2.50")]),
    st.sampled_from([Decimal("NaN"), np.str_("a"), np.True_, np.float64(1), (1, "a"), (True, "a"), (1.0, "a")]),
)


def objects(cells):
    array = np.empty(len(cells), dtype=object)
    for row, cell in enumerate(cells):
        array[row] = cell
    return array


def check(found, cells):
    """Each row's label is its own, every label occurs, once and in canonical form."""
    assert isinstance(found, Coded)
    assert found.codes.dtype == np.int64
    labels = [written(label) for label in found.labels]
    assert [None if code < 0 else labels[code] for code in found.codes.tolist()] == labels_of(cells)
    assert set(labels) == levels_of(cells)
    assert len(labels) == len(set(labels))
    assert set(found.codes.tolist()) - {-1} == set(range(len(labels)))
    assert {type(label) for label in found.labels} <= {bool, int, float, str, bytes, tuple}
    assert not any(isinstance(label, float) and label.is_integer() for label in found.labels)


@given(st.lists(values, max_size=30))
def test_objects(cells):
    check(coded(objects(cells)), cells)


@given(st.lists(st.text(max_size=4), max_size=30))
def test_text(cells):
    check(coded(objects(cells)), cells)
    # NumPy's own text has no trailing NUL.
    if not any(cell.endswith("\x00") for cell in cells):
        check(coded(np.array(cells, dtype="<U8")), cells)


@given(
    st.sampled_from("?bBhHiIlLqQefdg").flatmap(
        lambda char: arrays.arrays(np.dtype(char), st.integers(0, 40)).flatmap(
            lambda x: st.tuples(st.just(x), st.none() | arrays.arrays(np.bool_, len(x)))
        )
    )
)
def test_numbers(drawn):
    array, missing = drawn
    cells = array.astype(np.float64 if array.dtype.kind == "f" else object).tolist()
    gone = [False] * len(array) if missing is None else missing.tolist()
    check(coded(array, missing), [None if gap else cell for cell, gap in zip(cells, gone, strict=True)])


@given(arrays.arrays(np.int64, st.integers(1, 30), elements=st.integers(-(2**63), 2**63 - 1) | st.integers(-9, 9)))
def test_labels_of_numbers_are_sorted(x):
    assert coded(x).labels == sorted(set(x.tolist()))
    assert coded(x.astype(np.float64)).labels == sorted({int(float(cell)) for cell in x.tolist()})


@pytest.mark.parametrize(
    "x",
    [
        np.array([127, -128, 127], dtype=np.int8),
        np.array([2**63 - 1, 2**63 - 2], dtype=np.int64),
        np.array([-(2**63), -(2**63) + 5], dtype=np.int64),
        np.array([-(2**63), 2**63 - 1], dtype=np.int64),
        np.array([2**64 - 1, 2**64 - 3], dtype=np.uint64),
        np.array([0, 2**64 - 1], dtype=np.uint64),
        np.array([0, 2**20 - 1, 2**20]),
        np.array([5, 2**20 + 4]),
        np.array([2.0**62, -(2.0**62), 2.0**62]),
        np.array([2.0**61, 2.0**61 + 512]),
        np.arange(20)[::-2],
        np.array([[1, 2], [3, 4]])[:, 1],
        np.array([True, False])[::-1],
    ],
)
def test_numbers_at_the_ends_of_their_types(x):
    check(coded(x), x.tolist())


def test_what_is_the_same_label():
    cells = [
        1,
        1.0,
        np.int8(1),
        np.float32(1),
        Decimal("1.00"),
        "1",
        True,
        np.True_,
        b"1",
        (1,),
        (1.0,),
        (True,),
        ("1",),
    ]
    found = coded(objects(cells))
    assert found.codes.tolist() == [0, 0, 0, 0, 0, 1, 2, 2, 3, 4, 4, 5, 6]
    assert [type(label) for label in found.labels] == [int, str, bool, bytes, tuple, tuple, tuple]
    assert [type(label[0]) for label in found.labels[4:]] == [int, bool, str]


@pytest.mark.parametrize("order", [(0.0, -0.0), (-0.0, 0.0)])
def test_minus_nought_is_nought(order):
    for array in (np.array(order), objects(order), np.array([*order, 0.5])):
        found = coded(array)
        assert found.codes[0] == found.codes[1]
        assert 0 in found.labels
        assert math.copysign(1, found.labels[found.codes[0]]) == 1


def test_infinities_are_labels():
    for array in (np.array([math.inf, -math.inf, math.inf]), objects([math.inf, -math.inf, math.inf])):
        codes, labels = coded(array)
        assert [labels[code] for code in codes] == [math.inf, -math.inf, math.inf]


def test_long_ints_keep_their_digits():
    cells = [2**63, 2**63 + 1, 2**53 + 1, 2**53, 10**300, 10**300 + 1]
    codes, labels = coded(objects(cells))
    assert [labels[code] for code in codes] == cells


@pytest.mark.parametrize(
    "value", [None, NAN, np.float32("nan"), np.float64("nan"), pd.NA, pd.NaT, Decimal("NaN"), Decimal("sNaN")]
)
def test_what_stands_for_nothing(value):
    assert is_missing(value)


@pytest.mark.parametrize("value", [0, 0.0, "", "nan", "None", False, b"", math.inf, Decimal("Infinity"), ()])
def test_what_stands_for_something(value):
    assert not is_missing(value)
    assert coded(objects([value])).codes.tolist() == [0]


def test_nothing_at_all():
    for array in (np.zeros(0), np.zeros(0, dtype=object), np.zeros(0, dtype="<U3"), np.zeros(0, dtype=np.bool_)):
        assert len(coded(array).codes) == 0
        assert coded(array).labels == []
    assert coded(np.array([NAN, NAN])).codes.tolist() == [-1, -1]
    assert coded(np.array([7, 7]), np.array([True, True])).labels == []


@pytest.mark.parametrize(
    "value",
    [[1], {"a": 1}, 1j, ("a", [1]), list(range(100))],
)
def test_what_is_no_label(value):
    with pytest.raises(DataError) as caught:
        coded(objects(["a", value]))
    assert (caught.value.kind, caught.value.row, caught.value.got) == ("not_a_label", 1, value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("values", [np.arange(7), np.arange(7) + 5, np.arange(7.0), np.arange(7, dtype=np.uint8)])
def test_codes_are_a_copy(values):
    # Another thread may write to the array of a user: bounds that were checked must still hold.
    assert not np.shares_memory(coded(values).codes, values)
    target = target_of(values, 7)
    assert not np.shares_memory(target.codes, values)
    values[:] = 3
    assert target.codes.tolist() == list(range(7))


@given(st.lists(values, max_size=12), st.lists(values, max_size=6))
def test_cells_looked_up_one_by_one_stand_where_coded_cells_do(cells, others):
    axis = Axis.of(coded(objects(others)).labels)
    alone, together = place_objects(cells, axis), place_codes(*coded(objects(cells)), axis)
    np.testing.assert_array_equal(alone.positions, together.positions)
    assert list(map(written, alone.unseen)) == list(map(written, together.unseen))


def test_codes_that_are_positions_already_are_not_copied():
    codes = np.array([1, 0, -1, 1], dtype=np.int8)
    assert place_codes(codes, ["a", "b"], Axis.of(["a", "b", "c"])).positions is codes
