"""Multinomial(coefficients=False): an ordered sequence of draws."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from suffice.api import fit
from suffice.likelihoods import Multinomial
from suffice.likelihoods.multinomial import Coefficient

RNG = np.random.default_rng(3)
X = RNG.poisson(1.5, (60, 4))
Y = np.array(list("abc"))[np.arange(60) % 3]
WITH, WITHOUT = (
    fit(X, Y, columns=Multinomial(), calibrate=False),
    fit(X, Y, columns=Multinomial(coefficients=False), calibrate=False),
)
LOGS = np.array([math.lgamma(row.sum() + 1) - sum(math.lgamma(x + 1) for x in row) for row in X])


@pytest.mark.parametrize("estimate", ["mle", "smoothed", "map", "mean", "predictive"])
def test_the_coefficient_is_the_difference_and_posteriors_are_the_same(estimate):
    those, these = WITH.with_options(estimate=estimate), WITHOUT.with_options(estimate=estimate)
    np.testing.assert_array_equal(these.predict_proba(X), those.predict_proba(X))
    np.testing.assert_allclose(these.log_joint(X) + LOGS[:, None], those.log_joint(X), rtol=1e-12)
    np.testing.assert_allclose(these.log_density(X) + LOGS, those.log_density(X), rtol=1e-12)


def test_the_evidence_is_that_of_the_draws_in_their_order():
    assert WITHOUT.log_evidence() + LOGS.sum() == pytest.approx(WITH.log_evidence(), rel=1e-12)


def test_the_probabilities_of_all_sequences_add_up_to_1():
    total = 0.0
    for draws in product(range(4), repeat=3):
        row = np.bincount(draws, minlength=4)[None, :]
        total += math.exp(WITHOUT.log_joint(row)[0, 0] - WITHOUT.log_joint(np.zeros((1, 4)))[0, 0])
    assert total == pytest.approx(1, rel=1e-12)


def test_no_logs_are_collected():
    assert Multinomial(coefficients=False).collect((0, 1)).logs == "none"
    assert Multinomial().collect((0, 1)).logs == "rows"
    assert len(WITHOUT.core.parts[0]) == 1
    assert not any(isinstance(term, Coefficient) for term in WITHOUT.core.terms)


def test_parts_add_up_and_are_forgotten():
    parts = [
        fit(X[part], Y[part], columns=Multinomial(coefficients=False), calibrate=False)
        for part in (slice(0, 20), slice(20, 60))
    ]
    assert parts[0] + parts[1] == WITHOUT
    assert WITHOUT.forget(X[20:], Y[20:]) == parts[0]


def test_it_is_a_value():
    assert Multinomial(coefficients=False) == Multinomial(coefficients=np.False_) != Multinomial()
    assert repr(Multinomial(coefficients=False)) == "Multinomial(coefficients=False)"
