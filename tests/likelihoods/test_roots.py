"""Where a function of one number is zero: what SciPy's bracketing method finds too."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from suffice.likelihoods.roots import root

SHAPES = {
    "a line": lambda x: x,
    "steep to one side": math.expm1,
    "flat around it": lambda x: x**3 + 1e-3 * x,
    "flat away from it": lambda x: math.atan(50 * x),
    "a step": lambda x: math.copysign(1.0, x),
}


@pytest.mark.parametrize("shape", SHAPES)
@given(st.floats(-3, 3), st.sampled_from([-1.0, 1.0, 1e-9, -1e9]), st.floats(3.5, 9), st.floats(3.5, 9), st.booleans())
def test_the_root_is_the_one_that_scipy_finds(shape, at, slope, below, above, turned):
    def function(x):
        asked.append(x)
        return slope * SHAPES[shape](x - at)

    asked: list[float] = []
    ends = (above, -below) if turned else (-below, above)
    found = root(function, *ends, 1e-13)
    assert len(asked) <= 202
    assert found == pytest.approx(brentq(function, -below, above, xtol=1e-14, rtol=1e-14), abs=1e-12)


def test_an_end_may_be_the_root():
    assert root(lambda x: x, 0.0, 1.0, 1e-9) == 0.0
    assert root(lambda x: x - 1, 0.0, 1.0, 1e-9) == 1.0
