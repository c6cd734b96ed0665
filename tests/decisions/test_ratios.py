"""Log-likelihood ratios and posteriors, held to arithmetic of fifty digits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.decisions import log_likelihood_ratios, log_odds, posterior_of
from suffice.decisions.odds import log_of_others
from tests.oracles.decisions_slow import llr

logs = st.one_of(st.floats(-600, 600), st.floats(-3, 3), st.just(-math.inf))


@st.composite
def problems(draw):
    classes = draw(st.integers(1, 5))
    rows = draw(st.lists(st.lists(logs, min_size=classes, max_size=classes), min_size=1, max_size=4))
    shares = draw(st.lists(st.integers(0, 8), min_size=classes, max_size=classes).filter(any))
    return np.array(rows), np.array(shares) / sum(shares)


@given(problems())
def test_ratios_are_those_of_exact_arithmetic(problem):
    rows, prior = problem
    found = log_likelihood_ratios(rows, prior)
    for ours, row in zip(found, rows, strict=True):
        expected = np.array(llr(row.tolist(), prior.tolist()))
        finite = np.isfinite(expected)
        np.testing.assert_array_equal(ours[~finite], expected[~finite])
        # A row is scaled by its greatest, which may be 600 away: one rounding of that size.
        np.testing.assert_allclose(ours[finite], expected[finite], rtol=1e-13, atol=1e-12)


@given(problems())
def test_posterior_odds_are_prior_odds_and_the_ratio(problem):
    rows, prior = problem
    posterior, impossible = posterior_of(rows, prior)
    assert not np.isnan(posterior).any()
    np.testing.assert_allclose(np.exp(posterior).sum(axis=1), 1, rtol=1e-12)
    odds, ratios = log_odds(posterior), log_likelihood_ratios(rows, prior)
    with np.errstate(divide="ignore"):
        before = log_odds(np.log(prior)[None])[0]
    possible = np.array([np.isfinite(row[prior > 0]).any() for row in rows])
    assert impossible == int((~possible).sum())
    usual = possible[:, None] & np.isfinite(before) & np.isfinite(ratios) & np.isfinite(odds)
    before = np.broadcast_to(before, odds.shape)
    np.testing.assert_allclose(odds[usual], before[usual] + ratios[usual], rtol=1e-9, atol=1e-9)


@given(problems(), st.floats(-300, 300))
def test_what_is_the_same_for_all_classes_of_a_row_says_nothing(problem, shift):
    rows, prior = problem
    np.testing.assert_allclose(
        log_likelihood_ratios(rows + shift, prior), log_likelihood_ratios(rows, prior), rtol=1e-9, atol=1e-9
    )


@given(st.lists(st.integers(1, 9), min_size=2, max_size=5))
def test_a_row_of_which_nothing_is_known_is_zero_and_has_the_prior(shares):
    prior = np.array(shares) / sum(shares)
    rows = np.full((1, len(shares)), -math.log(len(shares)))
    np.testing.assert_array_equal(log_likelihood_ratios(rows, prior), np.zeros((1, len(shares))))
    np.testing.assert_allclose(np.exp(posterior_of(rows, prior)[0][0]), prior, rtol=1e-14)


@given(st.floats(-500, 500), st.floats(0, 1))
def test_of_two_classes_the_prior_has_no_say(ratio, share):
    found = log_likelihood_ratios(np.array([[0.0, ratio]]), np.array([1 - share, share]))
    np.testing.assert_array_equal(found, [[-ratio, ratio]])


def test_one_class_has_nobody_to_speak_against():
    np.testing.assert_array_equal(log_likelihood_ratios(np.array([[3.0], [-np.inf]]), np.ones(1)), [[0.0], [0.0]])


def test_a_class_that_was_ruled_out_has_a_ratio_and_no_posterior():
    rows, prior = np.array([[0.0, 2.0]]), np.array([1.0, 0.0])
    np.testing.assert_array_equal(log_likelihood_ratios(rows, prior), [[-2.0, 2.0]])
    np.testing.assert_array_equal(posterior_of(rows, prior)[0], [[0.0, -np.inf]])


def test_a_row_that_only_a_ruled_out_class_can_have_made_gets_the_prior_and_is_counted():
    posterior, impossible = posterior_of(np.array([[-np.inf, 0.0], [0.0, 0.0]]), np.array([1.0, 0.0]))
    np.testing.assert_array_equal(posterior, [[0.0, -np.inf], [0.0, -np.inf]])
    assert impossible == 1


def test_no_rows():
    assert log_likelihood_ratios(np.empty((0, 3)), np.full(3, 1 / 3)).shape == (0, 3)
    assert posterior_of(np.empty((0, 3)), np.full(3, 1 / 3))[0].shape == (0, 3)


def test_rows_by_classes_are_asked_for():
    with pytest.raises(ValueError, match="not enough values to unpack"):
        log_likelihood_ratios(np.zeros(3), np.full(3, 1 / 3))


@given(problems())
def test_the_others_of_each_class_are_summed_without_it(problem):
    rows, _ = problem
    found = log_of_others(rows)
    for c in range(rows.shape[1]):
        with np.errstate(divide="ignore"):
            expected = np.logaddexp.reduce(np.delete(rows, c, axis=1), axis=1, initial=-np.inf)
        np.testing.assert_allclose(found[:, c], expected, rtol=1e-14, atol=1e-13)


def test_others_that_are_nothing_beside_the_greatest_still_count():
    found = log_of_others(np.array([[0.0, -2000.0, -2001.0]]))
    np.testing.assert_allclose(found, [[-2000 + math.log1p(math.exp(-1)), 0, 0]], rtol=1e-15)
