"""Column names: accepted types, and how differences are reported."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import pytest

from suffice.errors import DataError, MergeError
from suffice.statistics.axis import columns_from_arrays, columns_of, columns_to_arrays, require_same_columns


class Name(str, enum.Enum):  # noqa: UP042  (older than StrEnum, and str() of it differs)
    AGE = "age"


def test_names_are_text_or_whole_numbers() -> None:
    assert columns_of(3) == (0, 1, 2)
    assert columns_of(np.int64(2)) == (0, 1)
    assert columns_of(0) == ()
    assert columns_of(["b", 4, np.int16(2), Name.AGE, np.str_("c")]) == ("b", 4, 2, "age", "c")
    assert {type(name) for name in columns_of([np.int16(2), Name.AGE])} == {int, str}


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        (-1, "columns must be a number ≥ 0 or a list of names: got -1."),
        (True, "columns must be a number ≥ 0 or a list of names: got True."),
        ("age", "columns must be a number ≥ 0 or a list of names: got 'age'."),
        (2.5, "columns must be a number ≥ 0 or a list of names: got 2.5."),
        (["a", 1.5], "a column name must be a string or an integer: got 1.5 (float). Rename the column."),
        ([True], "a column name must be a string or an integer: got True (bool). Rename the column."),
        (["a", "b", "a"], "column names must be distinct: 'a' appears more than once. Rename one of them."),
    ],
)
def test_other_names_are_refused(columns: Any, text: str) -> None:
    with pytest.raises(DataError) as error:
        columns_of(columns)
    assert str(error.value) == text


@pytest.mark.parametrize(
    ("left", "right", "found"),
    [
        (("age", "hight"), ("age", "height"), "only the left side has ['hight'], only the right side has ['height']"),
        (("a", "b", "c"), ("a", "c", "b"), "the order differs from position 1 on: left ['b', 'c'], right ['c', 'b']"),
        (
            tuple(range(2)),
            tuple(range(9)),
            "only the left side has [], only the right side has [2, 3, 4, 5, 6, ... (7 in all)]",
        ),
    ],
)
def test_a_difference_is_spelled_out(left: tuple[Any, ...], right: tuple[Any, ...], found: str) -> None:
    with pytest.raises(MergeError) as error:
        require_same_columns(left, right, "add")
    assert str(error.value) == (
        f"cannot add statistics of different columns: {found}. Collect both with the same columns in the same order."
    )


def test_names_read_back_in_their_own_order() -> None:
    names = ("b", 3, "a", -1)
    assert columns_from_arrays(columns_to_arrays(names, "columns"), "columns") == names
    require_same_columns(names, ("b", 3, "a", -1), "add")


def test_labels_that_are_no_names_are_refused() -> None:
    arrays = columns_to_arrays(("0",), "columns")
    with pytest.raises(DataError, match="a column name must be a string or an integer: got False"):
        columns_from_arrays({**arrays, "columns.kinds": np.array([1], dtype=np.uint8)}, "columns")
