"""Calibrations: the least loss, the simplest rung that pays, the prior free, nothing that is not a number."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq, minimize
from scipy.special import log_softmax

import suffice as sf
from suffice.decisions.calibration import Calibration, choose_calibration, merge_calibrations
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
        likelihood[:, None], codes, np.ones(len(codes)) if weights is None else weights, method
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
    calibration, reason = choose_calibration(likelihood[:, None], codes, np.ones(len(codes)))
    assert calibration is None
    assert reason.startswith("calibration does not improve the log loss of 2,000 held-out rows (0.")


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
    calibration, reason = choose_calibration(likelihood[:, None], codes, np.ones(len(codes)))
    assert (None if calibration is None else calibration.kind) == kind
    if kind is None:
        assert reason == "fewer than 20 rows belong to classes other than the most frequent one"
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
    nothing = (
        "none of the 20 rows is usable, because its class does not occur in the other rows or all classes are equally "
        "probable for it"
    )
    assert choose_calibration(likelihood[:, None], np.full(20, -1), np.ones(20)) == (None, nothing)
    with pytest.raises(sf.errors.DataError) as caught:
        choose_calibration(likelihood[:, None], codes, np.zeros(20), "scale")
    assert str(caught.value) == (f"there is nothing to calibrate on: {nothing}. Give more rows, or do not calibrate.")
    with pytest.raises(sf.errors.ParameterError, match="method must be"):
        choose_calibration(likelihood[:, None], codes, np.ones(20), "platt")  # pyright: ignore[reportArgumentType]


def test_how_it_says_what_it_is():
    half = np.full(2, 0.5)
    assert str(Calibration(0.25, np.zeros(2), half, "5 folds", 1200)) == (
        "scale 0.25, estimated from 1,200 rows (5 folds)"
    )
    assert str(Calibration(0.5, np.array([1.0, -1.0]), half)) == (
        "scale 0.5 and offsets, estimated from 0 rows (other rows)"
    )


def pooled(rows=1500, classes=3, seed=5):
    """Evidence of five units, of which the second repeats the first and the fifth is noise, and classes."""
    rng = np.random.default_rng(seed)
    right = rng.normal(0, 1.2, (rows, 3, classes))
    chance = np.exp(log_softmax(right.sum(axis=1), axis=1))
    codes = (chance.cumsum(axis=1) < rng.random((rows, 1))).sum(axis=1)
    noise = rng.normal(0, 1.0, (rows, 1, classes))
    return np.concatenate([right[:, :1], right, noise], axis=1), codes


UNITS = tuple((f"x{t}",) for t in range(5))


@pytest.mark.parametrize("classes", [2, 3])
def test_weights_are_the_minimum_of_a_plain_search(classes):
    evidence, codes = pooled(400, classes)
    evidence[:7, 2, 1] = -np.inf  # impossible in one unit
    codes[:7] = 0
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(codes))
    calibration, _ = choose_calibration(evidence, codes, weights, "weights", UNITS)
    assert calibration is not None
    assert calibration.kind == "weights"
    share = np.bincount(codes, weights) / weights.sum()
    rows = weights.sum() ** 2 / (weights**2).sum()
    strength = penalty_of(calibration)
    finite = np.where(np.isfinite(evidence).all(axis=1, keepdims=True), evidence, 0.0)
    floor = np.where(np.isfinite(evidence).all(axis=1), 0.0, -np.inf)

    def penalised(point):
        scores = np.log(share) + point[5:] + np.einsum("ntc,t->nc", finite, point[:5]) + floor
        lost = -log_softmax(scores, axis=1)[np.arange(len(codes)), codes]
        spread = strength * ((point[:5] - calibration.scale) ** 2).sum() + (point[5:] ** 2).sum() / 9
        return rows * (weights * lost).sum() / weights.sum() + 0.5 * spread

    slow = minimize(
        penalised,
        np.concatenate([np.full(5, calibration.scale), np.zeros(classes)]),
        method="L-BFGS-B",
        bounds=[(0, None)] * 5 + [(None, None)] * classes,
        options={"ftol": 1e-15, "gtol": 1e-8, "maxiter": 2000},
    )
    point = np.concatenate([calibration.weights, calibration.offsets])
    assert penalised(point) <= slow.fun + 1e-7
    np.testing.assert_allclose(point, slow.x, atol=2e-4)


def penalty_of(calibration):
    """λ, from the standard errors: they are the diagonal of (J + H₀)⁻¹."""
    curvature, units = calibration.information.curvature, len(calibration.weights)

    def errors(strength):
        penalties = np.concatenate([np.full(units, strength), np.full(len(curvature) - units, 1 / 9)])
        return np.sqrt(np.diagonal(np.linalg.inv(curvature + np.diag(penalties))))[:units]

    found = brentq(lambda log: errors(np.exp(log))[0] - calibration.errors[0], -12, 20)
    np.testing.assert_allclose(errors(np.exp(found)), calibration.errors, rtol=1e-6)
    return float(np.exp(found))


def test_repeated_evidence_is_shared_and_noise_ignored():
    evidence, codes = pooled(6000)
    calibration, _ = choose_calibration(evidence, codes, np.ones(len(codes)), units=UNITS)
    assert calibration is not None
    assert calibration.kind == "weights"
    weights = calibration.weights
    assert weights[0] + weights[1] == pytest.approx(1, abs=0.1)
    np.testing.assert_allclose(weights[2:4], 1, atol=0.15)
    assert weights[4] < 0.1
    assert calibration.column_weights == dict(zip(["x0", "x1", "x2", "x3", "x4"], weights.tolist(), strict=True))
    assert (calibration.errors > 0).all()
    assert calibration.loss < calibration.loss_before


def test_the_information_is_the_second_order_expansion():
    evidence, codes = pooled(500)
    one, _ = choose_calibration(evidence, codes, np.ones(len(codes)), "weights", UNITS)
    assert one is not None
    information = one.information
    share = np.log(np.bincount(codes) / len(codes))

    def value(theta):
        scores = share + theta[5:] + np.einsum("ntc,t->nc", evidence, theta[:5])
        return -log_softmax(scores, axis=1)[np.arange(len(codes)), codes].sum()

    step = 1e-4
    basis = np.eye(8) * step
    slope = np.array([(value(one.theta + e) - value(one.theta - e)) / (2 * step) for e in basis])
    np.testing.assert_allclose(information.curvature @ one.theta - information.linear, slope, atol=1e-5)
    for i in range(8):
        for j in range(8):
            second = (
                value(one.theta + basis[i] + basis[j])
                - value(one.theta + basis[i] - basis[j])
                - value(one.theta - basis[i] + basis[j])
                + value(one.theta - basis[i] - basis[j])
            ) / (4 * step**2)
            assert information.curvature[i, j] == pytest.approx(second, abs=2e-3)


def test_merging_is_independent_of_the_order():
    parts = [choose_calibration(*pooled(700, seed=seed), np.ones(700), units=UNITS)[0] for seed in range(4)]
    frequencies, every = np.full(3, 1 / 3), np.arange(3)
    one, _ = merge_calibrations([(part, every) for part in parts], frequencies)
    for order in ((3, 1, 0, 2), (2, 3, 1, 0)):
        other, _ = merge_calibrations([(parts[at], every) for at in order], frequencies)
        np.testing.assert_allclose(other.weights, one.weights, rtol=1e-9)
        np.testing.assert_allclose(other.offsets, one.offsets, rtol=1e-9, atol=1e-9)
    left, _ = merge_calibrations([(parts[0], every), (parts[1], every)], frequencies)
    right, _ = merge_calibrations([(parts[2], every), (parts[3], every)], frequencies)
    twice, _ = merge_calibrations([(left, every), (right, every)], frequencies)
    np.testing.assert_allclose(twice.weights, one.weights, rtol=1e-6)


def test_merged_calibrations_are_near_that_of_all_rows():
    evidence, codes = pooled(4000)
    whole, _ = choose_calibration(evidence, codes, np.ones(4000), units=UNITS)
    parts = [choose_calibration(evidence[at::4], codes[at::4], np.ones(1000), units=UNITS)[0] for at in range(4)]
    merged, _ = merge_calibrations([(part, np.arange(3)) for part in parts], whole.frequencies)
    assert merged.kind == "weights"
    np.testing.assert_allclose(merged.weights, whole.weights, atol=0.02)
    assert merged.loss == pytest.approx(whole.loss, rel=0.01)
    assert merged.loss_before == pytest.approx(whole.loss_before, rel=1e-3)  # each part has its own class frequencies


def test_classes_that_a_part_does_not_have():
    evidence, codes = pooled(1500)
    two = codes < 2
    one, _ = choose_calibration(evidence, codes, np.ones(1500), units=UNITS)
    other, _ = choose_calibration(evidence[two][:, :, :2], codes[two], np.ones(int(two.sum())), units=UNITS)
    merged, _ = merge_calibrations([(one, np.arange(3)), (other, np.arange(2))], one.frequencies)
    assert len(merged.offsets) == 3
    assert np.isfinite(merged.weights).all()


def test_what_is_taken_out_must_have_been_there():
    first, second = (choose_calibration(*pooled(900, seed=seed), np.ones(900), units=UNITS)[0] for seed in (1, 2))
    both = first.information + second.information
    left = both.subtract(second.information)
    np.testing.assert_allclose(left.curvature, first.information.curvature, rtol=1e-9, atol=1e-9)
    assert first.information.subtract(both) is None
    assert first.information.subtract(second.information.scale(0.99)) is None
