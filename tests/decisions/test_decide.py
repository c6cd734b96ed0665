"""The rule that turns scores into decisions: its parts agree with what each is elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.decisions import Costs, Rule, log_likelihood_ratios, log_odds, posterior_of
from suffice.errors import ParameterError
from suffice.statistics import Axis
from tests.decisions.test_ratios import problems


@given(problems())
def test_every_number_is_that_of_its_own_function(problem):
    rows, prior = problem
    axis = Axis.of(range(len(prior)))
    found = Rule.of(axis, prior, None, None, "nats").decide(rows)
    logs, impossible = posterior_of(rows, prior)
    np.testing.assert_array_equal(found.posterior, np.exp(logs))
    np.testing.assert_array_equal(found.llr, log_likelihood_ratios(rows, prior))
    np.testing.assert_allclose(found.log_odds, log_odds(logs), rtol=1e-13, atol=1e-13)
    np.testing.assert_array_equal(found.best, np.argmax(logs, axis=1))
    np.testing.assert_array_equal(found.expected, Costs.of_errors(axis).expected(found.posterior))
    assert found.impossible == impossible
    np.testing.assert_array_equal(found.taken, found.expected[np.arange(len(rows)), found.action])
    for values in (found.posterior, found.log_odds, found.llr, found.expected):
        assert not np.isnan(values).any()


def test_what_nobody_asks_for_is_not_made():
    found = Rule.of(Axis.of(["a", "b", "c"]), np.full(3, 1 / 3), None, None, "bits").decide(np.zeros((4, 3)))
    assert found.taken.shape == (4,)
    assert vars(found).keys().isdisjoint(("log_odds", "llr", "expected"))
    assert found.llr is found.llr  # and what is asked for, once


@given(problems(), st.floats(-5, 5))
def test_a_line_takes_the_class_looked_for_above_it(problem, line):
    rows, prior = problem
    if len(prior) != 2:
        return
    axis = Axis.of(["a", "b"])
    found = Rule.of(axis, prior, None, line, "nats").decide(rows)
    np.testing.assert_array_equal(found.action == 1, found.log_odds[:, 1] > line)


def test_costs_and_a_threshold_at_once():
    with pytest.raises(ParameterError, match="give either costs or a threshold, not both"):
        Rule.of(Axis.of(["a", "b"]), np.array([0.5, 0.5]), {"go": {"a": 0, "b": 1}}, 1.0, "nats")
