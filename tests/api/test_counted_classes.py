"""Classes that are counted while they are coded: the model is the one that any other way gives."""

from __future__ import annotations

import numpy as np
import pytest

import suffice as sf
from suffice.sources.target import target_of

X = np.array([[1.0, 0.0], [2.0, 3.0], [4.0, 1.0], [8.0, 5.0], [0.5, 2.0]])
Y = np.array([0, 2, 1, 0, 2])


def test_the_rows_of_each_class_are_known():
    codes, classes, missing, rows = target_of(Y, 5)
    assert codes.tolist() == Y.tolist()
    assert classes.labels == (0, 1, 2)
    assert missing == 0
    assert rows is not None
    assert rows.tolist() == [2, 1, 2]


@pytest.mark.parametrize(
    "y", [Y + 1, Y - 1, Y * 2, Y.astype(str), Y.astype(np.int8), Y.astype(float), [0, 1, 2, 2, None]]
)
def test_or_are_not_known_yet(y):
    assert target_of(y, 5).rows is None


@pytest.mark.parametrize("weights", [None, np.array([1.0, 2.0, 0.0, 3.0, 0.5])])
def test_the_tally_is_the_same_either_way(weights):
    counted = sf.fit(X, Y, columns=sf.Gaussian(), weights=weights, calibrate=False)
    general = sf.fit(X, Y.astype(np.int8), columns=sf.Gaussian(), weights=weights, calibrate=False)
    assert counted.core.tally == general.core.tally
    assert counted.core.parts == general.core.parts


def test_an_estimator_declares_what_was_counted():
    known = sf.GaussianNB().partial_fit(X, Y, classes=[0, 1, 2, 3])
    assert known.class_count_.tolist() == [2, 1, 2, 0]
    assert sf.GaussianNB().fit(X, Y).class_count_.tolist() == [2, 1, 2]


def test_too_few_classes():
    with pytest.raises(sf.errors.DataError, match=r"^target must have one label per row: got 5 labels for 4 rows\.$"):
        target_of(Y, 4)
