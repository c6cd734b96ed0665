"""Calibrations: the least loss, the simplest rung that pays, the prior free, nothing that is not a number."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax

import suffice as sf
from suffice.decisions.calibration import Calibration, choose_calibration
from suffice.models.score import finish_scores
from suffice.statistics.arrays import FloatArray, IntArray
from tests.oracles.refitted import loss


def scored(classes: int, rows: int = 2000, times: float = 6.0, seed: int = 3) -> tuple[FloatArray, IntArray]:
    """Log-likelihoods that are `times` as large as they should be, and classes drawn from the right ones."""
    rng = np.random.default_rng(seed)
    right = rng.normal(0, 1.5, (rows, classes))
    chance = np.exp(log_softmax(right, axis=1))
    codes = (chance.cumsum(axis=1) < rng.random((rows, 1))).sum(axis=1)
    return times * right, codes


def found(likelihood: FloatArray, codes: IntArray, weights: FloatArray | None = None, method="auto") -> Calibration:
    calibration, reason = choose_calibration(
        likelihood, codes, np.ones(len(codes)) if weights is None else weights, method
    )
    assert calibration is not None, reason
    return calibration


@pytest.mark.parametrize("method", ["scale", "offsets"])
@pytest.mark.parametrize("classes", [2, 3])
def test_it_is_the_minimum_of_a_plain_search(classes, method):
    likelihood, codes = scored(classes, rows=120)
    likelihood += np.arange(classes)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(codes))
    rows = weights.sum() ** 2 / (weights**2).sum()

    def penalised(point):
        offsets = point[1:] if method == "offsets" else np.zeros(classes)
        penalty = ((point[0] - 1) ** 2 + (offsets**2).sum()) / 18 / rows
        return loss(likelihood, codes, weights, point[0], offsets) + penalty

    one = found(likelihood, codes, weights, method)
    point = np.array([one.scale, *(one.offsets if method == "offsets" else [])])
    slow = minimize(penalised, np.array([0.3, *[0.0] * (len(point) - 1)]), method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(point, slow.x, atol=2e-5)
    assert penalised(point) <= slow.fun + 1e-12
    assert one.loss == pytest.approx(loss(likelihood, codes, weights, one.scale, one.offsets), rel=1e-10)
    assert one.loss_before == pytest.approx(loss(likelihood, codes, weights, 1.0, np.zeros(classes)), rel=1e-10)


def test_scores_that_are_right_are_left_alone():
    likelihood, codes = scored(3, times=1.0)
    calibration, reason = choose_calibration(likelihood, codes, np.ones(len(codes)))
    assert calibration is None
    assert reason.startswith("no gain in the log loss of 2,000 held-out rows (0.")


def test_the_simplest_rung_that_pays():
    likelihood, codes = scored(3)
    only_scale = found(likelihood, codes)
    assert only_scale.kind == "scale"
    assert only_scale.scale == pytest.approx(1 / 6, rel=0.1)
    shifted = found(likelihood + 6 * np.array([0.0, 2.0, -1.0]), codes)
    assert shifted.kind == "scale and offsets"
    np.testing.assert_allclose(shifted.offsets, np.array([1, -5, 4]) / 3, atol=0.25)
    assert shifted.offsets.sum() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("outside", "kind"), [(19, None), (20, "scale"), (39, "scale"), (40, "scale and offsets")])
def test_few_rows_end_with_less(outside, kind):
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], [400, outside])
    likelihood = np.stack([np.zeros(len(codes)), 30 * codes + 60 + rng.normal(0, 30, len(codes))], axis=1)
    calibration, reason = choose_calibration(likelihood, codes, np.ones(len(codes)))
    assert (None if calibration is None else calibration.kind) == kind
    if kind is None:
        assert reason == "fewer than 20 rows lie outside the most frequent class"
        assert found(likelihood, codes, method="scale").scale > 0  # who asks for it gets it


def test_the_prior_stays_free():
    likelihood, codes = scored(3)
    one = found(likelihood, codes, method="offsets")
    before, after = (
        finish_scores(likelihood, np.log(prior), "joint", one).values for prior in ([0.2, 0.3, 0.5], [0.6, 0.3, 0.1])
    )
    np.testing.assert_allclose(after - before, np.broadcast_to(np.log([3, 1, 0.2]), before.shape), atol=1e-12)


def test_frequencies_of_the_rows_are_no_offsets():
    likelihood, codes = scored(2, rows=8000, times=2.0)
    stay = (codes == 0) | (np.arange(len(codes)) % 9 == 0)  # a ninth of the class is left
    one = found(likelihood[stay], codes[stay], method="offsets")
    np.testing.assert_allclose(one.offsets, 0, atol=0.12)
    assert one.frequencies[0] == pytest.approx(0.9, abs=0.02)


def test_what_is_impossible_stays_so():
    likelihood, codes = scored(2, rows=100)
    likelihood[:20, 0], codes[:20] = -np.inf, 1
    likelihood[20:23, 1], codes[20:23] = -np.inf, 1  # its own class: nothing can be learnt from it
    likelihood[23] = -np.inf
    for method in ("scale", "offsets"):
        one = found(likelihood, codes, method=method)
        joint = finish_scores(likelihood, np.log([0.5, 0.5]), "joint", one).values
        assert one.rows == 96
        assert np.isneginf(joint[:20, 0]).all()
        assert np.isfinite(joint[:20, 1]).all()
        assert np.isneginf(joint[23]).all()
        assert not np.isnan(joint).any()


@pytest.mark.parametrize("method", ["scale", "offsets"])
def test_a_row_that_says_nothing_keeps_the_class_prior(method):
    likelihood, codes = scored(2, rows=200)
    likelihood[:, 1] += 3.0  # so that there are offsets to be learnt
    likelihood[:5] = 0.0
    prior = np.log([0.25, 0.75])
    one = found(likelihood, codes, method=method)
    assert one.rows == 195
    np.testing.assert_array_equal(
        finish_scores(likelihood, prior, "joint", one).values[:5], np.broadcast_to(prior, (5, 2))
    )


def test_weights_are_ratios_and_a_weight_of_0_is_no_row():
    likelihood, codes = scored(3, rows=300)
    weights = np.random.default_rng(1).choice([0.0, 1.0, 3.0], 300)
    one = found(likelihood, codes, weights, "offsets")
    for factor in (2.0**-900, 2.0**900):  # whose sums are no floats
        other = found(likelihood, codes, weights * factor, "offsets")
        assert other == one
    there = weights > 0
    assert found(likelihood[there], codes[there], weights[there], "offsets") == one


def test_a_class_without_rows_has_no_offset():
    likelihood, codes = scored(2, rows=400)
    three = np.concatenate([likelihood, np.full((400, 1), 5.0)], axis=1)
    one = found(three, codes, method="offsets")
    assert one.offsets[2] == 0
    assert one.frequencies[2] == 0
    np.testing.assert_allclose(one.offsets[:2], found(likelihood, codes, method="offsets").offsets, rtol=1e-9)


@pytest.mark.parametrize("times", [1e-300, 1e-6, 1e4, 1e300])
def test_scores_of_any_size(times):
    likelihood, codes = scored(3, rows=300, times=times)
    for method in ("scale", "offsets"):
        one = found(likelihood, codes, method=method)
        assert 0 < one.scale < 1e3
        assert np.isfinite(one.offsets).all()
        assert np.isfinite(one.loss)
        assert one.loss <= one.loss_before + 1e-12


def test_scores_of_no_use_are_scaled_away():
    likelihood, codes = scored(2)
    one = found(-likelihood, codes)
    assert one.scale < 1e-6
    share = np.bincount(codes) / len(codes)
    assert one.loss == pytest.approx(-(share * np.log(share)).sum(), rel=1e-6)


def test_rows_of_nothing():
    likelihood, codes = scored(3, rows=20)
    nothing = "none of the 20 rows tells classes apart that the other rows know"
    assert choose_calibration(likelihood, np.full(20, -1), np.ones(20)) == (None, nothing)
    with pytest.raises(sf.errors.DataError) as caught:
        choose_calibration(likelihood, codes, np.zeros(20), "scale")
    assert str(caught.value) == (f"there is nothing to calibrate on: {nothing}. Give more rows, or do not calibrate.")
    with pytest.raises(sf.errors.ParameterError, match="method must be"):
        choose_calibration(likelihood, codes, np.ones(20), "platt")  # pyright: ignore[reportArgumentType]


def test_how_it_says_what_it_is():
    half = np.full(2, 0.5)
    assert str(Calibration(0.25, np.zeros(2), half, "5 folds", 1200)) == (
        "scale 0.25, learnt from 1,200 rows (5 folds)"
    )
    assert str(Calibration(0.5, np.array([1.0, -1.0]), half)) == (
        "scale 0.5 and offsets, learnt from 0 rows (other rows)"
    )
