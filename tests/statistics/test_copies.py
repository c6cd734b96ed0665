"""Pickles and copies are equal, validated and as read-only as the original."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from suffice.statistics import Axis, Bins, Counts, Maxima, Moments, Scatter, Tally
from suffice.statistics.bin_layout import float_to_key

AB = Axis.of(["a", 1], declared=[True, False])
EVERY: list[Any] = [
    AB,
    Axis(),
    Tally(AB, [1, 2]),
    Counts(AB, Axis.of([None, ("x", 2)]), [[1, 0], [2, 3]], [[1], [5]]),
    Counts(AB, Axis.of([None, ("x", 2)]), [[1, 0], [2, 3]], [[1, 1], [5, 4]]),
    Moments(AB, ["x"], [[1], [2]], [[0.1], [0.2]], [[0], [3]], [[1e-20], [0]], [[0], [1e-18]], [[0], [1e-9]]),
    Scatter(AB, 1, [1, 2], [[0.1], [0.2]], [[[0]], [[3]]], [0, 1], [[1e-20], [0]], None, [[0], [1e-9]]),
    Maxima(AB, ["x"], [[1], [2]], [[0.1], [3]]),
    Bins(AB, ["x"], 4, [0], [0, 2], float_to_key([1, 2]), [[1, 0], [0, 2]], [[0], [1]], [[0.5], [0]]),
]
WAYS: list[Callable[[Any], Any]] = [
    copy.copy,
    copy.deepcopy,
    *(lambda x, p=p: pickle.loads(pickle.dumps(x, p)) for p in range(pickle.HIGHEST_PROTOCOL + 1)),  # noqa: S301
]


@pytest.mark.parametrize("value", EVERY, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("way", WAYS)
def test_a_copy_is_the_same_and_sealed(value: Any, way: Callable[[Any], Any]) -> None:
    again = way(value)
    assert type(again) is type(value)
    assert again == value
    for field in fields(value):
        array = getattr(again, field.name)
        if isinstance(array, np.ndarray):
            assert not array.flags.writeable, field.name
            assert array.tolist() == getattr(value, field.name).tolist()  # the blur too, which == does not read
    if not isinstance(value, Axis):
        assert again + value == value + value


def test_a_pickle_is_checked() -> None:
    make, (arrays,) = Tally(AB, [1, 2]).__reduce__()
    with pytest.raises(ValueError, match=r"class 'a' has -1\.0|class 1 has -1\.0"):
        make({**arrays, "weight": np.array([-1.0, 2.0])})
