"""Collect and Plan compare by value, and so does Reading."""

from __future__ import annotations

import numpy as np
import pytest

from suffice.likelihoods.block_statistics import ESTIMATES, Collect, Plan, Reading


def test_plans_are_values():
    assert Plan(2, (Collect("moments", (0, 1)),)) == Plan(2, (Collect("moments", (0, 1)),))
    assert Collect("sums", (0,), logs="rows") != Collect("sums", (0,), logs="cells")
    assert hash(Collect("levels", (0,), levels=(1, 2))) == hash(Collect("levels", (0,), levels=(1, 2)))


def test_readings_compare_their_pseudo_counts():
    two, also, three = (Reading("smoothed", np.array(each)) for each in (2.0, 2.0, 3.0))
    assert two == also
    assert two != three
    assert two != Reading("smoothed")
    assert Reading("smoothed") != two
    assert two != "smoothed"
    with pytest.raises(TypeError):
        hash(two)


def test_the_estimates():
    assert ESTIMATES == ("mle", "smoothed", "map", "mean", "predictive")
