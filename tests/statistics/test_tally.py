"""Tallies: construction, arithmetic and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from suffice.errors import DataError, MergeError, ParameterError
from suffice.statistics import Axis, Tally
from tests.oracles import rows_tally

DAYS = Tally(Axis.of(["ham", "spam"]), [2, 1])


def test_seen_classes_vanish_and_declared_ones_stay() -> None:
    tally = Tally(Axis.of(["a", "b", "c"], declared=[True, False, False]), [0, 0, 1])
    assert tally.classes == Axis.of(["a", "c"], declared=[True, False])
    assert tally.weight.tolist() == [0, 1]
    assert DAYS.scale(0) == Tally.zero()
    assert tally.scale(0) == Tally.zero(Axis.of(["a"], declared=True))


def test_sums_and_differences_match_classes_by_label() -> None:
    more = Tally(Axis.of(["spam", "news"]), [4, 3])
    assert (DAYS + more).weight.tolist() == [2, 4, 4]
    assert DAYS + more - DAYS == more
    assert DAYS + more - more == DAYS
    assert DAYS.scale(0.5).weight.tolist() == [1, 0.5]


def test_declared_in_a_sum_and_in_a_difference() -> None:
    declared = Tally(Axis.of(["ham"], declared=True), [2])
    assert (DAYS + declared).classes.declared.tolist() == [True, False]
    assert (DAYS - declared).classes == Axis.of(["spam"])
    assert (declared + DAYS - DAYS).classes == Axis.of(["ham"], declared=True)
    assert (declared - declared).weight.tolist() == [0]


def test_rounding_snaps_to_zero_but_whole_numbers_stay() -> None:
    tenth = Tally(Axis.of(["a"]), [0.1])
    three = tenth + tenth + tenth
    assert three.weight[0] != 0.3
    assert three - Tally(Axis.of(["a"]), [0.3]) == Tally.zero()
    assert Tally(Axis.of(["a"]), [0.3]) - three == Tally.zero()
    large = Tally(Axis.of(["a"]), [2.0**52])
    assert (large - Tally(Axis.of(["a"]), [2.0**52 - 1])).weight.tolist() == [1]
    with pytest.raises(MergeError, match=r"has weight 4503599627370496\.0, but 4503599627370497\.0 would be removed"):
        large - Tally(Axis.of(["a"]), [2.0**52 + 1])


def test_more_than_was_put_in_is_refused() -> None:
    with pytest.raises(MergeError) as error:
        DAYS - Tally(Axis.of(["ham", "spam"]), [2, 1.5])
    assert str(error.value) == (
        "cannot remove rows that were not added: class 'spam' has weight 1.0, but 1.5 would be removed. "
        "Remove only rows that were added, with the same weights."
    )
    with pytest.raises(MergeError) as error:
        DAYS - Tally(Axis.of(["news"]), [3])
    assert str(error.value) == (
        "cannot remove rows that were not added: class 'news' has weight 0.0, but 3.0 would be removed. "
        "Remove only rows that were added, with the same weights."
    )


@pytest.mark.parametrize(("weight", "shown"), [(-1.0, "-1.0"), (float("nan"), "nan"), (float("inf"), "inf")])
def test_weights_are_finite_and_not_negative(weight: float, shown: str) -> None:
    with pytest.raises(DataError) as error:
        Tally(Axis.of(["a", "b"]), [1, weight])
    assert str(error.value) == (
        f"weight must be finite and ≥ 0: class 'b' has {shown}. Pass a finite weight for every class."
    )


def test_overflow_is_refused() -> None:
    huge = Tally(Axis.of(["a"]), [1e308])
    with pytest.raises(DataError, match=r"class 'a' has inf"):
        huge + huge
    with pytest.raises(DataError, match=r"class 'a' has inf"):
        huge.scale(10)


@pytest.mark.parametrize(
    ("factor", "text"),
    [
        (-1, "the scale factor must be finite and ≥ 0: got -1.0. To remove data, subtract its statistic."),
        (
            float("nan"),
            "the scale factor must be finite and ≥ 0: got nan. To remove data, subtract its statistic.",
        ),
        (
            float("inf"),
            "the scale factor must be finite and ≥ 0: got inf. To remove data, subtract its statistic.",
        ),
        ("x", "the scale factor must be a number ≥ 0: got 'x'."),
    ],
)
def test_other_factors_are_refused(factor: Any, text: str) -> None:
    with pytest.raises(ParameterError) as error:
        DAYS.scale(factor)
    assert str(error.value) == text


def test_shapes_and_types_are_checked() -> None:
    with pytest.raises(DataError) as error:
        Tally(Axis.of(["a"]), [1, 2])
    assert str(error.value) == "weight must have shape (1,): got shape (2,). Pass one entry for each label."
    with pytest.raises(DataError) as error:
        Tally(Axis.of(["a"]), ["x"])
    assert str(error.value) == "weight must be float64 of shape (1,): got text, ['x']. Pass one number for each label."


def test_nobody_can_change_a_tally() -> None:
    given = np.array([1.0, 2.0])
    tally = Tally(Axis.of(["a", "b"]), given)
    given[0] = 9
    assert tally.weight.tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        tally.weight[0] = 9
    with pytest.raises(AttributeError):
        tally.weight = given  # pyright: ignore[reportAttributeAccessIssue]
    given.flags.writeable = False
    assert Tally(Axis.of(["a", "b"]), given).weight is given


def test_other_things_do_not_add() -> None:
    with pytest.raises(TypeError):
        DAYS + 1  # pyright: ignore[reportOperatorIssue]
    with pytest.raises(TypeError):
        DAYS - 1  # pyright: ignore[reportOperatorIssue]
    assert DAYS != 1


def test_repr_names_the_classes() -> None:
    assert repr(DAYS) == "Tally('ham': 2, 'spam': 1)"
    assert repr(Tally(Axis.of(range(13)), np.ones(13))).endswith("11: 1, ... 13 classes)")


def test_arrays_read_back_or_are_refused() -> None:
    arrays = DAYS.to_arrays()
    assert Tally.from_arrays(arrays) == DAYS
    with pytest.raises(DataError) as error:
        Tally.from_arrays({**arrays, "surplus": arrays["weight"]})
    assert str(error.value) == (
        "a Tally has no array named 'surplus'. The stored statistics are damaged: write them again."
    )
    with pytest.raises(DataError) as error:
        Tally.from_arrays({**arrays, "weight": arrays["weight"].astype(np.float32)})
    assert str(error.value) == (
        "weight must be float64 with 1 dimensions: got float32 with 1. "
        "The stored statistics are damaged: write them again."
    )


def test_the_oracle_knows_a_tally_by_heart() -> None:
    assert rows_tally.exact([0, 1, -1, 0], 2, [0.5, 2, 9, 1]).tolist() == [1.5, 2]
    assert rows_tally.as_statistic([0, 1, 1], ["spam", "ham"]) == DAYS
