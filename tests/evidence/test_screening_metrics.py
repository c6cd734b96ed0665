"""The measures that screening chooses by, against scikit-learn's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, log_loss

from suffice.evidence.screening_metrics import METRICS, score_by

scores = st.lists(
    st.tuples(st.integers(-8, 8), st.integers(-8, 8), st.integers(-8, 8), st.integers(0, 2), st.integers(1, 3)),
    min_size=2,
    max_size=30,
)


def unpacked(rows):
    *joint, codes, weights = (np.array(each, dtype=float) for each in zip(*rows, strict=True))
    return np.stack(joint, axis=1) / 2, codes.astype(np.int64), weights


def posterior(joint):
    return joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)


@given(scores)
def test_average_precision_with_ties_and_weights(rows):
    joint, codes, weights = unpacked(rows)
    assume(0 < (codes == 1).sum() < len(codes))
    rest = np.logaddexp(joint[:, 0], joint[:, 2])
    # Odds that differ by rounding alone are ties in one and not in the other: rank both by the same numbers.
    odds = np.round(joint[:, 1] - rest, 9)
    expected = average_precision_score(codes == 1, odds, sample_weight=weights)
    mine = score_by("average_precision", 1)(np.stack([0 * odds, odds], 1), np.zeros(2), codes, weights)
    assert mine == pytest.approx(expected, rel=1e-9)


@given(scores)
def test_log_loss(rows):
    joint, codes, weights = unpacked(rows)
    found = score_by("log_loss", 0)(joint, np.zeros(3), codes, weights)
    expected = log_loss(codes, np.exp(posterior(joint)), sample_weight=weights, labels=[0, 1, 2])
    assert found == pytest.approx(expected, rel=1e-9)


@given(scores)
def test_balanced_accuracy(rows):
    joint, codes, weights = unpacked(rows)
    found = score_by("balanced_accuracy", 0)(joint, np.zeros(3), codes, weights)
    right = joint.argmax(axis=1) == codes
    shares = [(weights * right)[codes == c].sum() / weights[codes == c].sum() for c in set(codes.tolist())]
    assert found == pytest.approx(np.mean(shares), rel=1e-12)


def test_an_impossible_row_has_the_class_prior():
    joint = np.array([[-np.inf, -np.inf], [0.0, -1.0]])
    log_prior = np.log([0.25, 0.75])
    codes, weights = np.array([1, 0]), np.ones(2)
    loss = score_by("log_loss", 0)(joint, log_prior, codes, weights)
    assert loss == pytest.approx((-math.log(0.75) + math.log1p(math.exp(-1))) / 2)
    assert score_by("average_precision", 1)(joint, log_prior, codes, weights) == 1.0


def test_a_class_that_the_model_does_not_know():
    joint, codes = np.log([[0.5, 0.5], [0.2, 0.8], [0.9, 0.1]]), np.array([0, 1, -1])
    found = {metric: score_by(metric, 1)(joint, np.zeros(2), codes, np.ones(3)) for metric in METRICS}
    assert found == {"average_precision": 1.0, "log_loss": math.inf, "balanced_accuracy": pytest.approx(2 / 3)}


@pytest.mark.parametrize("codes", [[0, 0], [1, 1]])
def test_there_is_no_average_precision_of_one_kind_of_rows(codes):
    assert score_by("average_precision", 1)(np.zeros((2, 2)), np.zeros(2), np.array(codes), np.ones(2)) is None


@pytest.mark.parametrize("metric", METRICS)
def test_there_is_nothing_without_weight(metric):
    assert score_by(metric, 1)(np.zeros((2, 2)), np.zeros(2), np.array([0, 1]), np.zeros(2)) is None
