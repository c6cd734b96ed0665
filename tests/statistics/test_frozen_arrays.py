"""Arrays of statistics are validated and immutable."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from suffice.engines import arrays
from suffice.errors import DataError, ParameterError
from suffice.statistics import Axis, Bins, Counts, Maxima, Moments, Scatter, Tally
from suffice.statistics.arrays import freeze

AB = Axis.of("ab")


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def test_a_view_of_what_somebody_can_write_is_copied() -> None:
    a = np.array([1.0, 2.0])
    tally = Tally(AB, read_only(a.view()))
    part = Tally(AB, read_only(np.array([0.0, 1.0, 2.0])[1:]))
    a[0] = -9
    assert tally.weight.tolist() == [1, 2]
    assert part.weight.flags.owndata
    for buffer in (bytearray(16), memoryview(bytearray(16))):
        shared = read_only(np.frombuffer(buffer))
        kept = freeze("weight", shared, (2,))
        buffer[7] = 64
        assert shared[0] != 0
        assert kept.tolist() == [0, 0]
    own = np.zeros(2)
    kept = freeze("weight", read_only(np.asarray(memoryview(own))), (2,))
    own[0] = 1
    assert kept.tolist() == [0, 0]


def test_what_nobody_can_write_is_shared() -> None:
    own = read_only(np.array([1.0, 2.0]))
    assert Tally(AB, own).weight is own
    view = own[:]
    assert freeze("weight", view, (2,)) is view
    stored = np.frombuffer(np.array([1.0, 2.0]).tobytes())
    assert freeze("weight", stored, (2,)) is stored


def test_what_the_native_core_hands_over_is_shared() -> None:
    x, codes = np.arange(6.0).reshape(3, 2), [0, 1, 1]
    moments, scatter = arrays.moments(x, codes, "ab"), arrays.scatter(x, codes, "ab")
    for array in (moments.weight, moments.dp, scatter.scatter, arrays.tally(codes, "ab").weight):
        assert not array.flags.owndata  # it lies in the core's memory
        assert not array.flags.writeable
        assert freeze("it", array, array.shape) is array


def test_a_subclass_is_not_kept() -> None:
    class Units(np.ndarray):
        pass

    given = read_only(np.array([1.0, 2.0]).view(Units))
    assert type(Tally(AB, given).weight) is np.ndarray


@pytest.mark.parametrize(
    "make",
    [
        lambda masked: Tally(AB, masked),
        lambda masked: Counts(AB, Axis.of("x"), masked[:, None], [[9], [9]]),
        lambda masked: Moments(AB, 1, [[1], [1]], [[0], [0]], [masked[:1], masked[1:]]),
        lambda masked: Maxima(AB, 1, [[1], [1]], masked[:, None]),
        lambda masked: Bins(AB, 1, 9, [0], [0, 0], [], np.zeros((2, 0)), masked[:, None], [[0], [0]]),
        lambda masked: Scatter(AB, 1, masked, [[0], [0]], [[[0]], [[0]]], [0, 0]),
    ],
)
def test_masks_are_refused(make: Any) -> None:
    with pytest.raises(DataError) as error:
        make(np.ma.array([1.0, 2.0], mask=[0, 1]))
    assert "must have no masked entries: got " in str(error.value)
    assert str(error.value).endswith(". Fill them first, for example with values.filled(0).")


def test_a_mask_that_hides_nothing_is_no_mask() -> None:
    assert Tally(AB, np.ma.array([1.0, 2.0])).weight.tolist() == [1, 2]
    assert type(Tally(AB, read_only(np.ma.array([1.0, 2.0]))).weight) is np.ndarray


@pytest.mark.parametrize(
    ("weight", "got"),
    [
        (["3", "4"], "text, ['3', '4']"),
        ([b"3", b"4"], "bytes, [b'3', b'4']"),
        (np.array([1, 2], dtype="datetime64[s]"), "dates, array(['1970-...atetime64[s]')"),
        (np.array([1, 2], dtype="timedelta64[s]"), "durations, array([1, 2],...medelta64[s]')"),
        ([1 + 2j, 3], "complex numbers, [(1+2j), 3]"),
        ([True, False], "booleans, [True, False]"),
        ([None, 1], "objects, [None, 1]"),
        ([[1], [1, 2]], "[[1], [1, 2]]"),
    ],
)
def test_what_is_no_number_is_refused(weight: Any, got: str) -> None:
    with pytest.raises(DataError) as error:
        Tally(AB, weight)
    assert str(error.value) == f"weight must be float64 of shape (2,): got {got}. Pass one number for each label."


def test_flags_are_booleans() -> None:
    for flags in ([0, 1], [0.5, 1], ["x", ""]):
        with pytest.raises(
            DataError, match=r"declared must be bool of shape \(2,\): got .* Pass True or False for each"
        ):
            Axis.of("ab", declared=flags)
        with pytest.raises(DataError, match=r"declared must be bool of shape \(2,\)"):
            AB.declare(flags)
    assert AB.declare([True, False]).declared.tolist() == [True, False]
    assert AB.declare().declared.tolist() == [True, True]


def test_whole_numbers_are_whole() -> None:
    assert freeze("shift", [1.0, 2.0], (2,), np.int64).tolist() == [1, 2]
    for wrong, dtype in (
        ([1.5, 2], np.int64),
        ([-1, 2], np.uint64),
        ([float("nan"), 2], np.int64),
        ([1e300, 2], np.int64),
    ):
        with pytest.raises(DataError, match=r"shift must be u?int64 of shape \(2,\)"):
            freeze("shift", wrong, (2,), dtype)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Tally(["a"], [1]),  # type: ignore[arg-type]
        lambda: Tally.zero(["a"]),  # type: ignore[arg-type]
        lambda: Counts(["a"], AB, [[1, 1]], [[2]]),  # type: ignore[arg-type]
        lambda: Counts.zero(AB, ["a"]),  # type: ignore[arg-type]
        lambda: Moments(["a"], 1, [[1]], [[1]], [[0]]),  # type: ignore[arg-type]
        lambda: Moments.zero(1, ["a"]),  # type: ignore[arg-type]
        lambda: Scatter(["a"], 1, [1], [[1]], [[[0]]], [0]),  # type: ignore[arg-type]
        lambda: Scatter.zero(1, ["a"]),  # type: ignore[arg-type]
        lambda: Bins(["a"], 1, 9, [0], [0, 0], [], [[]], [[0]], [[0]]),  # type: ignore[arg-type]
        lambda: Bins.zero(1, 9, ["a"]),  # type: ignore[arg-type]
    ],
)
def test_classes_are_an_axis(make: Any) -> None:
    with pytest.raises(DataError) as error:
        make()
    assert str(error.value) == "classes must be an Axis: got ['a']. Pass Axis.of(labels)."


def test_levels_are_an_axis() -> None:
    with pytest.raises(DataError, match=r"levels must be an Axis: got \['a'\]\. Pass Axis\.of\(labels\)\."):
        Counts(AB, ["a"], [[1], [1]], [[2], [2]])  # type: ignore[arg-type]


def test_stored_arrays_are_arrays() -> None:
    with pytest.raises(DataError) as error:
        Tally.from_arrays({"classes.kinds": [1]})  # type: ignore[dict-item]
    assert str(error.value) == "classes.kinds must be an array: got [1]. Pass the arrays returned by to_arrays."


@pytest.mark.parametrize("shift", [1.9, 2.0, "x", [[1], [1, 2]], [1, 2, 3], True, 2**70, np.ma.array([1], mask=[True])])
def test_a_shift_is_a_whole_number(shift: Any) -> None:
    with pytest.raises(ParameterError) as error:
        Bins.zero(2).coarsen(shift)
    assert str(error.value).startswith("shift must be an integer from 0 to 64, or one for each of the 2 columns: got ")
