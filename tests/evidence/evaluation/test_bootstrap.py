"""Intervals: those of drawing rows again, the same for a seed, and as wide as they should be."""

from __future__ import annotations

import numpy as np
import pytest

from suffice.evidence.evaluation.evaluation import bootstrap
from suffice.evidence.evaluation.held_out import HeldOutPosterior, Predictions
from suffice.evidence.evaluation.metrics import NAMES, DetectionCosts, Metrics
from suffice.statistics import Axis
from tests.evidence.evaluation.drawn import drawn_predictions

COSTS = DetectionCosts()
MOVED = ("expected_calibration_error", "minimum_detection_cost")


def intervals(predictions, draws=200, level=0.95, seed=0):
    return bootstrap(predictions, Metrics(predictions, COSTS, 15), draws, level, seed)


def taken(predictions, rows):
    """The predictions of these rows, some of them several times."""
    return Predictions(
        predictions.classes,
        predictions.codes[rows],
        predictions.log_posterior[rows],
        None if predictions.llr is None else predictions.llr[rows],
        predictions.weights[rows],
    )


@pytest.mark.parametrize("classes", [2, 3])
def test_they_are_the_quantiles_of_rows_drawn_again(classes):
    predictions = drawn_predictions(5, rows=60, classes=classes, ties=True)
    each = []
    for seed in np.random.SeedSequence(9).spawn(2):  # chunks of 16 draws
        rng = np.random.default_rng(seed)
        for _ in range(16):
            again = taken(predictions, rng.integers(0, 60, 60))
            each.append(Metrics(again, COSTS, 15)(again.weights).values)
    expected = np.quantile(np.array(each), (0.1, 0.9), axis=0)
    off = np.median(each, axis=0) - Metrics(predictions, COSTS, 15)(predictions.weights).values
    for name in MOVED:
        at = NAMES.index(name)
        expected[:, at] = np.clip(expected[:, at] - off[at], 0, 1)
    np.testing.assert_allclose(intervals(predictions, 32, 0.8, 9).values, expected, rtol=1e-12)


def test_the_calibration_error_lies_in_its_interval():
    # Probabilities that are right: all that bins are off by is chance, and draws add theirs.
    rng = np.random.default_rng(3)
    share = rng.random(2000)
    log_posterior = np.log(np.stack([1 - share, share], axis=1))
    axis, codes = Axis.of(["a", "b"]), (rng.random(2000) < share).astype(np.int64)
    llr = log_posterior[:, 1] - log_posterior[:, 0]
    predictions = Predictions.of(axis, HeldOutPosterior(log_posterior, llr, 0), axis, codes, None)
    values = Metrics(predictions, COSTS, 15)(predictions.weights).values
    found = intervals(predictions, 400).values
    for name in MOVED:
        at = NAMES.index(name)
        assert 0 <= found[0, at] < values[at] < found[1, at]


@pytest.mark.parametrize("level", [0.05, 0.5, 0.99])
@pytest.mark.parametrize("seed", range(5))
def test_moved_intervals_hold_the_value_and_stay_in_range(seed, level):
    predictions = drawn_predictions(seed, rows=40, classes=2)  # of noise
    values = Metrics(predictions, COSTS, 15)(predictions.weights).values
    found = intervals(predictions, level=level).values
    for name in MOVED:
        at = NAMES.index(name)
        assert 0 <= found[0, at] <= values[at] <= found[1, at] <= 1


def test_the_same_on_any_number_of_threads(monkeypatch):
    predictions = drawn_predictions(5)
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("SUFFICE_NUM_THREADS", threads)
        found.append(intervals(predictions))
    assert found[0].values.tobytes() == found[1].values.tobytes()
    assert found[0].of_class.tobytes() == found[1].of_class.tobytes()


def test_another_seed_gives_others():
    predictions = drawn_predictions(5)
    assert (intervals(predictions, seed=1).values != intervals(predictions, seed=2).values).any()


def test_accuracy_has_the_interval_of_a_share():
    predictions = drawn_predictions(2, rows=4000, weights=False)
    lower, upper = intervals(predictions, 2000).values[:, NAMES.index("accuracy")]
    share = float((predictions.codes == predictions.predicted).mean())
    half = 1.96 * np.sqrt(share * (1 - share) / 4000)
    assert lower == pytest.approx(share - half, abs=0.1 * half)
    assert upper == pytest.approx(share + half, abs=0.1 * half)


def test_groups_are_drawn_whole():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(40), 25)  # all rows of a group are alike
    right = (rng.random(40) < 0.7)[groups]
    log_posterior = np.log(np.where(right[:, None], [0.9, 0.1], [0.1, 0.9]))
    axis, codes = Axis.of(["a", "b"]), np.zeros(1000, dtype=np.int64)
    posterior = HeldOutPosterior(log_posterior, np.zeros(1000), 0)
    by_rows = intervals(Predictions.of(axis, posterior, axis, codes, None), 1000)
    by_groups = intervals(Predictions.of(axis, posterior, axis, codes, None, None, groups), 1000)
    width = [float(np.diff(each.values[:, 0])[0]) for each in (by_rows, by_groups)]
    assert width[1] / width[0] == pytest.approx(5, rel=0.15)  # √25


def test_a_draw_that_cannot_tell_is_left_out():
    predictions = drawn_predictions(5, rows=6, classes=2, weights=False)
    predictions = Predictions(
        predictions.classes,
        np.array([0, 0, 0, 0, 0, 1]),
        predictions.log_posterior,
        predictions.llr,
        predictions.weights,
    )
    found = intervals(predictions)
    assert np.isfinite(found.values).all()
    assert (found.values[0] <= found.values[1]).all()


def test_what_no_draw_can_tell_is_unknown():
    predictions = drawn_predictions(5, rows=6, classes=2, weights=False, absent=(1,))
    found = intervals(predictions)
    unknown = np.isnan(found.values[0])
    assert [name for name, nan in zip(NAMES, unknown, strict=True) if nan] == list(NAMES[5:])


def test_weights_that_are_mostly_nothing():
    axis = Axis.of(["a", "b"])
    posterior = HeldOutPosterior(np.log(np.full((50, 2), 0.5)), np.zeros(50), 0)
    predictions = Predictions.of(axis, posterior, axis, np.zeros(50, dtype=np.int64), np.eye(50)[0])
    for draws in (1, 100):
        found = intervals(predictions, draws)
        assert found.values[:, 0].tolist() == [1, 1]
