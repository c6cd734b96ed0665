"""Log-odds of a class against all others, held to arithmetic of fifty digits."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.decisions import log_odds


def exact(row):
    """Return log p_c − log Σ of the others, in fifty digits."""
    with mpmath.workdps(50):
        weights = [mpmath.exp(mpmath.mpf(value)) for value in row]
        found = []
        for c, own in enumerate(weights):
            rest = mpmath.fsum(weight for k, weight in enumerate(weights) if k != c)
            if own == 0:
                found.append(-math.inf)
            else:
                found.append(math.inf if rest == 0 else float(mpmath.log(own) - mpmath.log(rest)))
        return found


# Posteriors from anywhere between a coin and near certainty, some classes impossible.
scores = st.lists(st.one_of(st.floats(-800, 0), st.floats(-3, 0), st.just(-math.inf)), min_size=1, max_size=5)


@given(st.lists(scores, min_size=1, max_size=4))
def test_odds_are_those_of_exact_arithmetic(drawn):
    width = len(drawn[0])
    rows = [row for row in drawn if len(row) == width and max(row) > -math.inf]
    log_posterior = np.array([np.array(row) - np.logaddexp.reduce(row) for row in rows]).reshape(len(rows), width)
    found = log_odds(log_posterior)
    assert found.shape == log_posterior.shape
    for ours, row in zip(found, log_posterior, strict=True):
        expected = np.array(exact(row.tolist()))
        finite = np.isfinite(expected)
        np.testing.assert_array_equal(ours[~finite], expected[~finite])
        np.testing.assert_allclose(ours[finite], expected[finite], rtol=1e-14, atol=1e-15)


@given(st.floats(-700, 700))
def test_of_two_classes_each_is_the_other_turned_round(odds):
    posterior = np.array([[-np.logaddexp(0, odds), -np.logaddexp(0, -odds)]])
    found = log_odds(posterior)
    assert found[0, 0] == -found[0, 1]
    np.testing.assert_allclose(found[0, 1], odds, rtol=1e-14, atol=1e-15)


def test_near_certainty_keeps_every_digit():
    # p = 1 − 1e-300 is 1 in floats, and its odds are 1e300 to 1.
    found = log_odds(np.array([[-0.0, math.log(1e-300)]]))
    assert found[0, 0] == pytest.approx(300 * math.log(10), rel=1e-15)


def test_what_is_impossible_and_what_is_alone():
    np.testing.assert_array_equal(log_odds(np.array([[0.0, -np.inf]])), [[np.inf, -np.inf]])
    np.testing.assert_array_equal(log_odds(np.zeros((2, 1))), [[np.inf], [np.inf]])
    assert log_odds(np.empty((0, 3))).shape == (0, 3)


def test_the_numbers_of_the_page():
    np.testing.assert_allclose(log_odds(np.log([[0.5, 0.25, 0.25]])), [[0, -math.log(3), -math.log(3)]], atol=1e-15)


def test_rows_by_classes_are_asked_for():
    with pytest.raises(ValueError, match="not enough values to unpack"):
        log_odds(np.zeros(3))
