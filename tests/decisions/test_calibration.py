"""Calibrations: the least loss, the prior free, nothing stale, nothing that is not a number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

import suffice as sf
from suffice.decisions.calibrating import UnseenRows, calibrated
from suffice.decisions.calibration import CALIBRATORS, Calibration
from suffice.statistics.frozen_arrays import FloatArray, IntArray


def overconfident(classes: int, rows: int = 4000, times: float = 6.0, seed: int = 3) -> tuple[FloatArray, IntArray]:
    """Log-likelihoods that are `times` as large as they should be, and classes drawn from the right ones."""
    rng = np.random.default_rng(seed)
    right = rng.normal(0, 1.5, (rows, classes))
    chance = np.exp(log_softmax(right, axis=1))
    codes = (chance.cumsum(axis=1) < rng.random((rows, 1))).sum(axis=1)
    return times * right, codes


@pytest.mark.parametrize("classes", [2, 5])
def test_the_temperature_is_that_of_a_plain_search(classes: int) -> None:
    likelihood, codes = overconfident(classes)
    prior = np.log(np.full(classes, 1 / classes))
    found = calibrated(UnseenRows(likelihood, prior, codes), "temperature")

    def loss(log_t: float) -> float:
        scores = log_softmax(prior + np.exp(log_t) * likelihood, axis=1)[np.arange(len(codes)), codes]
        return float(-scores.mean() + log_t**2 / (18 * len(codes)))

    best: Any = minimize_scalar(loss, bounds=(-10, 3), method="bounded", options={"xatol": 1e-9})
    assert np.log(found.temperature) == pytest.approx(best.x, abs=1e-4)
    assert found.temperature == pytest.approx(1 / 6, rel=0.1)
    assert found.loss < found.loss_before
    assert found.loss == pytest.approx(loss(best.x) - best.x**2 / (18 * len(codes)), abs=1e-8)


def test_the_prior_stays_free() -> None:
    likelihood, codes = overconfident(3)
    found = calibrated(UnseenRows(likelihood, np.log([0.2, 0.3, 0.5]), codes), "offsets")
    one, other = (found.joint(likelihood, np.log(prior)) for prior in ([0.2, 0.3, 0.5], [0.6, 0.3, 0.1]))
    np.testing.assert_allclose(other - one, np.broadcast_to(np.log([3, 1, 0.2]), one.shape), atol=1e-12)


def test_offsets_are_found() -> None:
    likelihood, codes = overconfident(3, times=1.0)
    shifted = likelihood + np.array([0.0, 2.0, -1.0])
    found = calibrated(UnseenRows(shifted, np.zeros(3), codes), "offsets")
    np.testing.assert_allclose(found.offsets, [0, -2, 1], atol=0.25)


def test_long_documents_are_trusted_less() -> None:
    rng = np.random.default_rng(0)
    right, codes = overconfident(4, times=1.0)
    lengths = rng.integers(1, 2000, len(codes)).astype(float)
    likelihood = right * (1 + lengths[:, None]) ** 0.7
    found = calibrated(UnseenRows(likelihood, np.zeros(4), codes, lengths=lengths))
    assert found.kind == "length"
    assert found.fall == pytest.approx(0.7, abs=0.1)


@pytest.mark.parametrize("kind", CALIBRATORS)
def test_two_classes_in_every_way(kind: Any) -> None:
    likelihood, codes = overconfident(2)
    rows = UnseenRows(likelihood, np.log([0.5, 0.5]), codes, lengths=np.full(len(codes), 10.0))
    found = calibrated(rows, kind)
    joint = found.joint(likelihood, np.log([0.5, 0.5]), rows.lengths)
    assert np.isfinite(joint).all()
    ratio = likelihood[:, 1] - likelihood[:, 0]
    order = np.argsort(ratio)
    assert (np.diff((joint[:, 1] - joint[:, 0])[order]) >= -1e-9).all()
    assert found.loss < 0.5 * found.loss_before
    fresh, truth = overconfident(2, seed=4)
    p = np.exp(log_softmax(found.joint(fresh, np.log([0.5, 0.5]), np.full(len(truth), 10.0)), axis=1))[:, 1]
    for low in np.arange(0, 1, 0.2):
        there = (p >= low) & (p < low + 0.2)
        error = np.sqrt(p[there].mean() * (1 - p[there].mean()) / there.sum())  # of the rows that were drawn
        assert abs(p[there].mean() - truth[there].mean()) < 4 * error


def test_isotonic_is_the_one_of_scikit_learn() -> None:
    from sklearn.isotonic import IsotonicRegression

    likelihood, codes = overconfident(2, rows=300)
    found = calibrated(UnseenRows(likelihood, np.log([0.25, 0.75]), codes), "isotonic")
    ratio = likelihood[:, 1] - likelihood[:, 0]
    least = 0.5 / len(codes)
    slow = IsotonicRegression(y_min=least, y_max=1 - least).fit(ratio, codes)
    p = slow.predict(ratio)
    joint = found.joint(likelihood, np.log([0.25, 0.75]))
    np.testing.assert_allclose(joint[:, 1] - joint[:, 0], np.log(p / (1 - p)), atol=1e-9)


def test_what_is_impossible_stays_so() -> None:
    likelihood, codes = overconfident(2, rows=100)
    likelihood[:20, 0], codes[:20] = -np.inf, 1
    likelihood[20:23, 1], codes[20:23] = -np.inf, 1  # its own class: nothing can be learnt from it
    likelihood[23] = -np.inf
    for kind in CALIBRATORS:
        rows = UnseenRows(likelihood, np.log([0.5, 0.5]), codes, lengths=np.ones(100))
        found = calibrated(rows, kind)
        joint = found.joint(likelihood, np.log([0.5, 0.5]), rows.lengths)
        assert found.rows == 96
        assert np.isneginf(joint[:20, 0]).all()
        assert np.isfinite(joint[:20, 1]).all()
        assert np.isneginf(joint[23]).all()
        assert not np.isnan(joint).any()


@pytest.mark.parametrize("kind", CALIBRATORS)
def test_a_row_that_says_nothing_keeps_the_class_prior(kind: Any) -> None:
    likelihood, codes = overconfident(2, rows=200)
    likelihood[:, 1] += 3.0  # so that there are offsets to be learnt
    likelihood[:5] = 0.0
    prior = np.log([0.25, 0.75])
    lengths = np.arange(200.0)
    found = calibrated(UnseenRows(likelihood, prior, codes, lengths=lengths), kind)
    assert found.rows == 195
    np.testing.assert_array_equal(found.joint(likelihood, prior, lengths)[:5], np.broadcast_to(prior, (5, 2)))


def test_weights_are_copies() -> None:
    likelihood, codes = overconfident(3, rows=200)
    times = np.random.default_rng(1).integers(1, 4, 200)
    prior = np.log(np.full(3, 1 / 3))
    once = calibrated(UnseenRows(likelihood, prior, codes, times), "offsets")
    copied = UnseenRows(np.repeat(likelihood, times, axis=0), prior, np.repeat(codes, times))
    again = calibrated(copied, "offsets")
    assert once.temperature == pytest.approx(again.temperature, rel=1e-4)
    np.testing.assert_allclose(once.offsets, again.offsets, atol=1e-3)


def test_few_rows_give_a_number() -> None:
    for rows in (1, 2, 3):
        likelihood, codes = overconfident(2, rows=rows)
        found = calibrated(UnseenRows(likelihood, np.log([0.5, 0.5]), codes))
        assert 0 < found.temperature < 100
        beta = calibrated(UnseenRows(np.array([[0.0, -2.0]] * rows), np.log([0.5, 0.5]), np.zeros(rows, int)), "beta")
        assert 0.5 < beta.temperature < 3  # near 1, with so few rows
        assert 0.5 < beta.fall < 3
        assert np.isfinite(found.offsets).all()


def test_refusals() -> None:
    likelihood, codes = overconfident(3, rows=20)
    rows = UnseenRows(likelihood, np.zeros(3), codes)
    with pytest.raises(sf.ParameterError) as caught:
        calibrated(rows, "beta")
    assert str(caught.value) == "method='beta' is for two classes: the model has 3. Use 'offsets'."
    with pytest.raises(sf.ParameterError) as caught:
        calibrated(rows, "length")
    assert str(caught.value) == "method='length' is for text: the model has none. Use 'offsets'."
    with pytest.raises(sf.DataError) as caught:
        calibrated(UnseenRows(likelihood, np.zeros(3), np.full(20, -1)))
    assert str(caught.value) == (
        "a calibration is learnt from rows whose class is known, and possible without them, and that say something: "
        "there is none among 20. Give more rows, or do not calibrate."
    )
    with pytest.raises(sf.ParameterError, match="method must be"):
        calibrated(rows, "platt")  # pyright: ignore[reportArgumentType]


def test_how_it_says_what_it_is() -> None:
    none = np.zeros((2, 0))
    assert str(Calibration("temperature", 0.25, 0.0, np.zeros(2), none, "10 folds", 1200)) == (
        "temperature 0.25, learnt from 1,200 rows (10 folds)"
    )
    assert str(Calibration("length", 0.5, 0.3, np.zeros(2), none)) == (
        "temperature 0.5 (1 + tokens)^−0.3 and offsets, learnt from 0 rows (other rows)"
    )
