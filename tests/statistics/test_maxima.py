"""Maxima: add by the larger value, scale by weight, and refuse to subtract with a reason."""

from __future__ import annotations

import re

import pytest

from suffice.errors import DataError, MergeError
from suffice.statistics import Axis, Maxima

AB = Axis.of("ab")
HERE = Maxima(AB, ["x", "y"], [[2, 1], [1, 0]], [[5, 0.5], [3, 0]])
THERE = Maxima(Axis.of("bc"), ["x", "y"], [[1, 1], [4, 0]], [[2, 7], [1, 0]])


def test_sums_have_the_larger_value() -> None:
    both = HERE + THERE
    assert both.classes.labels == ("a", "b", "c")
    assert both.weight.tolist() == [[2, 1], [2, 1], [4, 0]]
    assert both.maximum.tolist() == [[5, 0.5], [3, 7], [1, 0]]
    assert both == THERE + HERE
    assert repr(both) == "Maxima(Axis('a', 'b', 'c') × 2 columns, total weight 10)"


def test_a_maximum_cannot_be_subtracted() -> None:
    text = (
        "columns 'x', 'y': rows cannot be removed from a Uniform column: the largest value of all rows does not "
        "determine the largest value of the remaining rows. Fit the model again without the rows."
    )
    with pytest.raises(MergeError, match=f"^{re.escape(text)}$") as raised:
        HERE + THERE - THERE
    assert raised.value.kind == "no_subtraction"
    assert HERE - Maxima.zero(["x", "y"]) == HERE  # nothing is removed
    with pytest.raises(MergeError, match="different columns"):
        HERE - Maxima.zero(["x"])
    with pytest.raises(TypeError):
        HERE - 1


def test_scaling_changes_the_weight_alone() -> None:
    assert HERE.scale(3) == Maxima(AB, ["x", "y"], [[6, 3], [3, 0]], HERE.maximum)
    assert HERE.scale(0) == Maxima.zero(["x", "y"])
    tiny = HERE.scale(5e-324).scale(0.5)  # a weight that underflows was never seen
    assert tiny.weight.tolist() == [[5e-324, 0]]
    assert tiny.maximum.tolist() == [[5, 0]]


@pytest.mark.parametrize(
    ("weight", "maximum", "text"),
    [
        ([[1], [-1]], [[1], [1]], "weight must be finite and ≥ 0: class 'b', column 'x' has -1.0"),
        ([[1], [1]], [[1], [-2]], "maximum must be finite and ≥ 0: class 'b', column 'x' has -2.0"),
        ([[1], [1]], [[1], [float("inf")]], "maximum must be finite and ≥ 0: class 'b', column 'x' has inf"),
        ([[1], [0]], [[1], [2]], "maximum must be 0 where the weight is 0: class 'b', column 'x' has 2.0"),
        ([[1]], [[1]], "weight must have shape (2, 1)"),
    ],
)
def test_invalid_values(weight, maximum, text) -> None:
    with pytest.raises(DataError, match=f"^{re.escape(text)}"):
        Maxima(AB, ["x"], weight, maximum)


def test_other_things() -> None:
    assert HERE != 3
    assert HERE.take_columns(("x",)) != HERE
    with pytest.raises(TypeError):
        HERE + 3
    assert Maxima.zero(1, AB.declare()).weight.shape == (2, 1)
    with pytest.raises(DataError, match="Maxima has no array named 'extra'"):
        Maxima.from_arrays({**HERE.to_arrays(), "extra": HERE.weight})
