"""Nats, bits and decibans."""

from __future__ import annotations

import math

import numpy as np
import pytest

from suffice.decisions.odds import from_unit, in_unit, unit_of
from suffice.errors import ParameterError


@pytest.mark.parametrize(("unit", "factor"), [("nats", math.e), ("bits", 2.0), ("decibans", 10 ** (1 / 10))])
def test_one_unit_is_its_factor(unit, factor):
    np.testing.assert_allclose(in_unit(np.log([factor, factor**7, 1 / factor]), unit), [1, 7, -1], rtol=1e-14)
    assert from_unit(1.0, unit) == pytest.approx(math.log(factor), rel=1e-15)


@pytest.mark.parametrize("unit", ["nats", "bits", "decibans"])
def test_what_is_infinite_stays_so(unit):
    np.testing.assert_array_equal(in_unit(np.array([math.inf, -math.inf, 0.0]), unit), [math.inf, -math.inf, 0.0])


def test_ten_decibans_are_odds_of_ten_to_one_and_twenty_of_a_hundred():
    np.testing.assert_allclose(in_unit(np.log([10.0, 100.0]), "decibans"), [10, 20], rtol=1e-15)


@pytest.mark.parametrize("given", ["dB", None, 3])
def test_other_units_are_refused(given):
    with pytest.raises(ParameterError) as said:
        unit_of(given)
    assert str(said.value) == f"unit must be 'nats', 'bits' or 'decibans': got {given!r}."
