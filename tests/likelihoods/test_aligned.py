"""Statistics aligned to the classes and columns of a model."""

from __future__ import annotations

import numpy as np

from suffice.likelihoods.block_statistics import align_classes, align_columns
from suffice.statistics import Axis, Counts

CLASSES = Axis.of(["a", "b", "c"])


def test_a_class_that_was_not_seen_is_zero_and_one_that_is_gone_is_left_out():
    values = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert align_classes(values, Axis.of(["b", "x"]), CLASSES).tolist() == [[0, 0], [1, 2], [0, 0]]
    assert align_classes(values, Axis.of(["a", "c"]), CLASSES).tolist() == [[1, 2], [0, 0], [3, 4]]
    same = np.zeros((3, 1))
    assert align_classes(same, Axis.of(["c", "a", "b"]), CLASSES) is same


def test_named_columns_come_in_the_order_of_the_data():
    names = Axis.of(["age", "height", "weight"], declared=True)
    values = np.arange(9.0).reshape(3, 3)
    each = Counts(CLASSES, names, values, values + 1)
    found, observed = align_columns(each, ("weight", "age", "height"), CLASSES)
    assert found.tolist() == values[:, [2, 0, 1]].tolist()
    assert observed.tolist() == (values[:, [2, 0, 1]] + 1).tolist()
    whole = Counts(CLASSES, names, values, [[9], [9], [9]])
    assert align_columns(whole, ("weight", "age", "height"), CLASSES)[1].tolist() == [[9] * 3] * 3
