"""Columns of every kind: what they are, their numbers, their codes, and what they say when they have none."""

from __future__ import annotations

import datetime
import math
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.errors import DataError
from suffice.sources.column import Codes, Nothing, Numbers, Objects, Unread
from tests.oracles.labels_coded import labels_of, written

NAN = float("nan")


def objects(cells):
    array = np.empty(len(cells), dtype=object)
    for row, cell in enumerate(cells):
        array[row] = cell
    return array


def cells_of(numbers):
    """Return each cell as a float, None where it is missing."""
    known = np.ones(len(numbers.values), dtype=bool)
    if numbers.valid is not None:
        known = np.unpackbits(numbers.valid, count=len(known), bitorder="little").astype(bool)
    return [float(x) if there and x == x else None for x, there in zip(numbers.values, known, strict=True)]


def labels(column):
    codes, found = column.coded()
    return [None if code < 0 else written(found[code]) for code in codes.tolist()]


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([True, None, False], "bool"),
        ([np.True_, False], "bool"),
        ([1, None, np.int8(2)], "integer"),
        ([1, 2.5], "float"),
        ([1.0, NAN], "float"),
        ([Decimal("1.5"), None], "float"),
        ([Decimal("1.5"), 2], "float"),
        (["a", None, pd.NA], "text"),
        ([np.str_("a")], "text"),
        (["a", 1], "mixed"),
        ([True, 1], "mixed"),
        ([datetime.date(2020, 1, 1), None], "time"),
        ([datetime.datetime(2020, 1, 1), pd.NaT], "time"),
        ([pd.Timestamp("2020")], "time"),
        ([datetime.timedelta(1)], "time"),
        ([np.datetime64("2020")], "time"),
        ([b"a", None], "binary"),
        ([bytearray(b"a")], "binary"),
        ([[1], None], "nested"),
        ([{"a": 1}], "nested"),
        ([(1, 2)], "nested"),
        ([np.zeros(2)], "nested"),
        ([None, NAN, pd.NA, pd.NaT, Decimal("NaN")], "nothing"),
        ([], "nothing"),
    ],
)
def test_what_objects_are(cells, kind):
    assert Objects(objects(cells)).kind == kind


@pytest.mark.parametrize(
    ("dtype", "kind"), [(np.bool_, "bool"), (np.int8, "integer"), (np.uint64, "integer"), (np.float32, "float")]
)
def test_what_numbers_are(dtype, kind):
    column = Numbers(np.zeros(3, dtype=dtype))
    assert column.kind == kind
    assert column.numbers() is column


@pytest.mark.parametrize(
    ("values", "kind"),
    [(["a", "b"], "text"), ([1, 2], "mixed"), ([0.5], "mixed"), ([True, False], "bool"), ([], "nothing")],
)
def test_numbers_that_came_as_categories_are_no_quantity(values, kind):
    assert Codes(np.zeros(0, dtype=np.int8), objects(values)).kind == kind


@given(st.lists(st.tuples(st.integers(-5, 5), st.booleans()), max_size=40), st.sampled_from([np.int8, np.float64]))
def test_a_bitmap_and_nan_are_gaps(drawn, dtype):
    values = np.array([cell for cell, _ in drawn], dtype=dtype)
    valid = np.packbits(np.array([there for _, there in drawn], dtype=bool), bitorder="little")
    expected = [float(cell) if there else None for cell, there in drawn]
    if dtype is np.float64 and len(values):
        values[0], expected[0] = NAN, None
    column = Numbers(values, valid)
    assert cells_of(column.numbers()) == expected
    assert labels(column) == labels_of(expected)


@given(st.lists(st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(), max_size=20))
def test_objects_as_numbers(cells):
    expected = [None if cell is None or cell != cell else float(cell) for cell in cells]
    assert cells_of(Objects(objects(cells)).numbers()) == expected


def test_decimals_and_numpy_scalars_are_numbers():
    cells = [Decimal("1.25"), Decimal("NaN"), np.float32(0.5), np.int16(-3), np.True_, pd.NA]
    assert cells_of(Objects(objects(cells)).numbers()) == [1.25, None, 0.5, -3, 1, None]


@given(
    st.lists(st.sampled_from(["x", "y", "1", 1, 1.0, True, None, 2.5]), max_size=6).flatmap(
        lambda values: st.tuples(
            st.just(values), st.lists(st.integers(-1, len(values) - 1), max_size=20), st.randoms(use_true_random=False)
        )
    )
)
def test_codes_are_the_values_they_stand_for(drawn):
    values, codes, random = drawn
    missing = np.array([random.random() < 0.2 for _ in codes], dtype=bool)
    cells = [None if k < 0 or gap else values[k] for k, gap in zip(codes, missing.tolist(), strict=True)]
    column = Codes(np.array(codes, dtype=np.int8), objects(values), missing)
    assert labels(column) == labels_of(cells)
    assert set(column.coded().codes.tolist()) - {-1} == set(range(len(column.coded().labels)))
    if not any(isinstance(cell, str) for cell in cells):
        assert cells_of(column.numbers()) == [None if cell is None else float(cell) for cell in cells]


def test_a_category_that_no_row_has_is_not_read():
    column = Codes(np.array([1, -1, 1]), objects([["no", "label"], 2]))
    assert column.coded().labels == [2]
    assert cells_of(column.numbers()) == [2, None, 2]


def test_a_code_beyond_matters_where_the_cell_is_known():
    values = objects(["a", "b"])
    codes = np.array([0, 99, 1])
    assert labels(Codes(codes, values, np.array([False, True, False]))) == labels_of(["a", None, "b"])
    text = "row 1: a dictionary-encoded column has 2 values but larger codes: got 99."
    for read in (Codes(codes, values).coded, Codes(codes, values).numbers):
        with pytest.raises(DataError, match=f"^{re.escape(text)}$"):
            read()


def test_nothing():
    column = Nothing(11)
    assert column.kind == "nothing"
    assert cells_of(column.numbers()) == [None] * 11
    assert column.coded().codes.tolist() == [-1] * 11
    assert column.coded().labels == []


@pytest.mark.parametrize(
    ("column", "text"),
    [
        (Objects(objects([1, "x"])), "row 1: must be a number: got 'x'."),
        (Objects(objects([1, 1j])), "row 1: must be a number: got 1j."),
        (Objects(objects([None, np.complex128(1)])), "row 1: must be a number: got np.complex128(1+0j)."),
        (
            Objects(objects([0.5, 10**400])),
            (
                "row 1: must be representable as float64: got "
                "100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000…0000000000000000000000000000000000000000."
            ),
        ),
        (Codes(np.array([-1, 1, 0, 1]), objects([1, "x"])), "row 1: must be a number: got 'x'."),
        (Unread("nested", "lists"), "unsupported type: lists"),
    ],
)
def test_what_has_no_numbers(column, text):
    with pytest.raises(DataError, match=f"^{re.escape(text)}$"):
        column.numbers()


@pytest.mark.parametrize(
    ("column", "text"),
    [
        (Objects(objects(["a", [1]])), "row 1: must be a number, text, a bool or bytes: got [1]."),
        (
            Codes(np.array([1, -1, 0, 1]), objects([[1], "x"])),
            "row 2: must be a number, text, a bool or bytes: got [1].",
        ),
        (Unread("time", "datetime64[ns]"), "unsupported type: datetime64[ns]"),
    ],
)
def test_what_has_no_levels(column, text):
    with pytest.raises(DataError, match=f"^{re.escape(text)}$"):
        column.coded()


def test_infinities_are_numbers():
    assert cells_of(Objects(objects([math.inf, Decimal("-Infinity")])).numbers()) == [math.inf, -math.inf]
