"""The class prior of rows without classes: against plain EM, and its laws."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from suffice import PriorShift
from suffice.decisions import estimate_prior, likelihoods_of
from suffice.errors import DataError, ParameterError
from tests.oracles.decisions_slow import em, log_likelihood


def problem(seed, classes=3, rows=60, spread=1.5):
    random = np.random.default_rng(seed)
    logs = spread * random.standard_normal((rows, classes))
    prior = random.dirichlet(np.full(classes, 3.0))
    return logs, prior / prior.sum(), random.integers(1, 4, rows).astype(float)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("classes", [2, 4])
def test_it_is_where_plain_em_ends(seed, classes):
    logs, prior, weights = problem(seed, classes, rows=40)
    found = estimate_prior(logs, prior, weights=weights)
    assert found.converged
    slow = em(np.exp(logs).tolist(), prior.tolist(), weights.tolist(), 2_000)
    likelihood = np.exp(logs).tolist()
    ours = log_likelihood(likelihood, found.after.tolist(), weights.tolist())
    theirs = log_likelihood(likelihood, slow, weights.tolist())
    assert ours >= theirs - 1e-8
    gain = ours - log_likelihood(likelihood, prior.tolist(), weights.tolist())
    assert found.log_likelihood_ratio == pytest.approx(gain, abs=1e-9)
    assert found.p_value == pytest.approx(chi2.sf(2 * found.log_likelihood_ratio, classes - 1), rel=1e-10)
    # At the greatest likelihood to 1e-8 nats, shares are as near as the curvature lets them be.
    np.testing.assert_allclose(found.after, slow, atol=1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_the_answer_is_a_fixed_point_of_em(seed):
    logs, prior, weights = problem(seed, rows=300)
    found = estimate_prior(logs, prior, weights=weights).after
    once = em(np.exp(logs).tolist(), found.tolist(), weights.tolist(), 1)
    np.testing.assert_allclose(once, found, atol=1e-6)


@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(1, 30), st.sampled_from([0.05, 1.0, 20.0]))
def test_the_likelihood_never_falls_and_the_bound_holds(seed, classes, rows, spread):
    logs, prior, weights = problem(seed, classes, rows, spread)
    gains = [estimate_prior(logs, prior, weights=weights, steps=steps).log_likelihood_ratio for steps in range(14)]
    best = estimate_prior(logs, prior, weights=weights)
    assert gains[0] == 0
    # L is a sum of as many terms as there are rows: what it may lose to rounding.
    slack = 1e-15 * weights.sum() * (1 + np.abs(logs).max())
    assert all(later >= sooner - slack for sooner, later in pairwise(gains))
    assert best.log_likelihood_ratio >= max(gains) - 1e-8 - slack
    assert best.after.sum() == pytest.approx(1, abs=1e-12)
    assert (best.after >= 0).all()


@given(st.integers(0, 10**6), st.integers(2, 4))
def test_a_class_that_was_ruled_out_stays_out(seed, classes):
    logs, prior, weights = problem(seed, classes + 1, 20)
    prior = np.append(prior[:classes] / prior[:classes].sum(), 0.0)
    prior /= prior.sum()
    found = estimate_prior(logs, prior, weights=weights)
    assert found.after[classes] == 0
    without = estimate_prior(logs[:, :classes], prior[:classes], weights=weights)
    np.testing.assert_array_equal(found.after[:classes], without.after)
    assert found.p_value == without.p_value


@given(st.integers(0, 10**6), st.floats(-200, 200))
def test_a_number_for_each_row_changes_nothing(seed, shift):
    logs, prior, weights = problem(seed, rows=15)
    moved = logs + shift * np.arange(15)[:, None]
    ours, theirs = (estimate_prior(each, prior, weights=weights) for each in (logs, moved))
    assert ours.log_likelihood_ratio == pytest.approx(theirs.log_likelihood_ratio, abs=1e-7)


def test_rows_that_say_nothing_do_not_count():
    logs, prior, weights = problem(1)
    silent = np.concatenate([np.zeros((5, 3)), np.full((3, 3), -np.inf)])
    found = estimate_prior(np.concatenate([silent, logs]), prior, weights=np.concatenate([np.full(8, 2.0), weights]))
    alone = estimate_prior(logs, prior, weights=weights)
    np.testing.assert_array_equal(found.after, alone.after)
    assert (found.rows, found.silent) == (weights.sum(), 16.0)
    assert (alone.rows, alone.silent) == (weights.sum(), 0.0)


@pytest.mark.parametrize("logs", [np.empty((0, 2)), np.zeros((3, 2)), np.full((2, 2), -np.inf)])
def test_without_a_row_that_says_something_the_prior_is_as_it_was(logs):
    found = estimate_prior(logs, [0.3, 0.7], ("a", "b"))
    assert found.class_prior == {"a": 0.3, "b": 0.7}
    assert (found.rows, found.silent, found.iterations, found.converged) == (0.0, len(logs), 0, True)
    assert (found.log_likelihood_ratio, found.p_value) == (0.0, 1.0)


def test_classes_between_which_no_row_tells_keep_their_proportion():
    random = np.random.default_rng(5)
    two = random.standard_normal((200, 2)) * 2
    found = estimate_prior(two[:, [0, 0, 1]], [0.1, 0.3, 0.6]).after
    assert found[1] / found[0] == pytest.approx(3, rel=1e-9)


def test_rows_of_one_class_alone_leave_no_other():
    logs = np.tile([0.0, -np.inf], (10, 1))
    found = estimate_prior(logs, [0.5, 0.5])
    np.testing.assert_array_equal(found.after, [1.0, 0.0])
    assert found.log_likelihood_ratio == pytest.approx(10 * math.log(2), rel=1e-14)


def test_one_class():
    found = estimate_prior(np.zeros((4, 1)), [1.0])
    np.testing.assert_array_equal(found.after, [1.0])
    assert found.p_value == 1


def test_weights_that_are_nothing_beside_others_are_nothing():
    found = estimate_prior(np.array([[0.0, -np.inf], [-np.inf, 0.0]]), [0.5, 0.5], weights=[5e-324, 1e300])
    np.testing.assert_array_equal(found.after, [0.0, 1.0])
    assert np.isfinite(found.log_likelihood_ratio)


def test_a_search_that_is_cut_short_says_so():
    logs, prior, _ = problem(3)
    cut = estimate_prior(logs, prior, steps=1)
    assert (cut.iterations, cut.converged) == (1, False)
    assert estimate_prior(logs, prior).converged


@pytest.mark.parametrize("share", [0.02, 0.2, 0.5, 0.9])
def test_a_estimate_prior_shift_is_recovered_within_two_points(share):
    random = np.random.default_rng(20261115)
    rows = 20_000
    label = random.random(rows) < share
    x = random.standard_normal(rows) + 1.5 * label
    logs = np.stack([-0.5 * x**2, -0.5 * (x - 1.5) ** 2], axis=1)
    found = estimate_prior(logs, [0.5, 0.5])
    assert abs(found.after[1] - share) < 0.02
    assert found.converged
    assert found.iterations < 100
    assert (found.p_value > 1e-3) == (share == 0.5)


def test_p_values_are_even_where_nothing_shifted():
    random = np.random.default_rng(7)
    values = []
    for _ in range(400):
        label = random.random(300) < 0.3
        x = random.standard_normal(300) + 1.5 * label
        logs = np.stack([-0.5 * x**2, -0.5 * (x - 1.5) ** 2], axis=1)
        values.append(estimate_prior(logs, [0.7, 0.3]).p_value)
    # Four hundred even numbers: each tenth holds 40, give or take three standard deviations of 6.
    assert np.abs(np.histogram(values, 10, (0, 1))[0] - 40).max() <= 20
    assert 0.01 <= np.mean(np.array(values) < 0.05) <= 0.09


def test_posteriors_under_a_known_prior_say_the_same():
    logs, prior, _ = problem(2)
    joint = logs + np.log(prior)
    posterior = joint - np.logaddexp.reduce(joint, axis=1)[:, None]
    ours = estimate_prior(likelihoods_of(posterior, prior), prior).after
    np.testing.assert_allclose(ours, estimate_prior(logs, prior).after, atol=1e-6)
    none = likelihoods_of(np.log([[0.25, 0.75, 1.0]]) + np.array([0.0, 0.0, -np.inf]), [0.5, 0.5, 0.0])
    np.testing.assert_allclose(none, [[math.log(0.5), math.log(1.5), -np.inf]])


def test_the_record_is_public():
    assert isinstance(estimate_prior(np.zeros((1, 2)), [0.5, 0.5]), PriorShift)


@pytest.mark.parametrize(
    ("logs", "prior", "weights", "error", "message"),
    [
        (
            np.zeros((2, 3)),
            [0.5, 0.5],
            None,
            DataError,
            "the scores must be rows × classes, and the prior one number per class: got shapes (2, 3) and (2,).",
        ),
        (
            np.array([[0.0, 1.0], [0.0, np.nan]]),
            [0.5, 0.5],
            None,
            DataError,
            "row 1: log likelihoods must be numbers or −inf: class 1 has an invalid value: got nan.",
        ),
        (
            np.zeros((2, 2)),
            [0.5, 0.6],
            None,
            ParameterError,
            "the prior must be ≥ 0 and sum to 1: got [0.5, 0.6]. Divide it by its sum.",
        ),
        (
            np.zeros((2, 2)),
            [0.5, 0.5],
            [1.0],
            DataError,
            "weights must have one number per row: got shape (1,) for 2 rows.",
        ),
        (
            np.zeros((2, 2)),
            [0.5, 0.5],
            [1.0, -1.0],
            DataError,
            "row 1: weights must be finite and ≥ 0: got -1.0. Drop the row.",
        ),
        (
            np.zeros((2, 2)),
            [0.5, 0.5],
            [1.7e308, 1.7e308],
            DataError,
            "the sum of weights overflows float64. Rescale the weights.",
        ),
    ],
)
def test_what_cannot_be(logs, prior, weights, error, message):
    with pytest.raises(error) as said:
        estimate_prior(logs, prior, weights=weights)
    assert str(said.value) == message
