"""Laws of stored statistics: they are read back as written, or refused."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.errors import DataError
from suffice.statistics import Axis, Maxima, Moments, Scatter
from tests.laws.statistics_rows import (
    FRACTIONAL,
    Rows,
    bins,
    levels,
    maxima,
    moments,
    presence,
    scatter,
    some_rows,
    tally,
    zero_like,
)

EVERY = pytest.mark.parametrize("make", [tally, levels, presence, bins, moments, scatter, maxima])

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(st.characters()),
    st.text(st.characters(categories=["Cs"])),
    st.binary(),
)
LABELS = st.one_of(SCALARS, st.lists(SCALARS, max_size=3).map(tuple))


@given(labels=st.lists(LABELS), declared=st.booleans())
def test_an_axis_reads_back(labels: list[Any], declared: bool) -> None:
    distinct = Axis()
    for label in labels:
        distinct = distinct.union(Axis.of([label], declared))[0]
    again = Axis.from_arrays(distinct.to_arrays("levels"), "levels")
    assert again == distinct
    assert [type(label) for label in again] == [type(label) for label in distinct]
    assert repr(again.labels) == repr(distinct.labels)
    assert all(label in again for label in labels)


@EVERY
@given(a=some_rows(FRACTIONAL))
def test_a_statistic_reads_back(make: Any, a: Rows) -> None:
    value = make(a) + zero_like(make(a), ("z",))
    assert type(value).from_arrays(value.to_arrays()) == value


@EVERY
@given(a=some_rows(FRACTIONAL), data=st.data())
def test_damaged_arrays_are_refused_or_read_as_a_valid_statistic(make: Any, a: Rows, data: st.DataObject) -> None:
    value = make(a) + zero_like(make(a), ("z",))
    arrays = {name: array.copy() for name, array in value.to_arrays().items()}
    name = data.draw(st.sampled_from(sorted(arrays)))
    array = arrays[name]
    match data.draw(st.sampled_from(["byte", "short", "long", "dtype", "rank", "gone", "extra"])):
        case "byte" if array.nbytes:
            raw = bytearray(array.tobytes())
            raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
            arrays[name] = np.frombuffer(bytes(raw), dtype=np.uint8).view(array.dtype).reshape(array.shape)
            if array.dtype == np.bool_:
                arrays[name] = arrays[name].view(np.uint8).astype(np.bool_)
        case "short":
            arrays[name] = array[:-1]
        case "long":
            arrays[name] = np.concatenate([array, array[:1]])
        case "dtype":
            arrays[name] = array.astype(np.float32)
        case "rank":
            arrays[name] = array[None]
        case "gone":
            del arrays[name]
        case _:
            arrays["surplus"] = array
    try:
        read = type(value).from_arrays(arrays)
    except DataError:
        return
    assert type(value).from_arrays(read.to_arrays()) == read
    try:
        twice = read + read
    except DataError as error:
        assert "has inf" in str(error)  # noqa: PT017  (a damaged byte may make any float, also the largest)
        return
    if isinstance(read, Maxima):  # nothing is taken out
        return
    rest = twice - read
    if isinstance(read, (Moments, Scatter)):
        assert_same_or_within_the_blur(rest, read)
    else:
        assert rest == read


def assert_same_or_within_the_blur(rest: Any, read: Any) -> None:
    """Nothing but dp may differ: where it is within the blur of the difference, it is 0."""
    square = "dp" if isinstance(read, Moments) else "scatter"
    for name in ("classes", "columns"):
        assert getattr(rest, name) == getattr(read, name)
    for name in (field.name for field in fields(read) if field.name not in ("classes", "columns", *BLURRED)):
        np.testing.assert_array_equal(getattr(rest, name), getattr(read, name))
    got, want = getattr(rest, square), getattr(read, square)
    low, want_low = getattr(rest, f"{square}_low"), getattr(read, f"{square}_low")
    if isinstance(read, Moments):
        unknown = want <= rest.dp_blur
    else:
        flat = np.diagonal(want, axis1=1, axis2=2) <= rest.diagonal_blur
        unknown = flat[:, :, None] | flat[:, None, :]
    np.testing.assert_array_equal(got, np.where(unknown, 0.0, want))
    np.testing.assert_array_equal(low, np.where(unknown, 0.0, want_low))


BLURRED = ("dp", "dp_low", "dp_blur", "scatter", "scatter_low", "diagonal_blur")
