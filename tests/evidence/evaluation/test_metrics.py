"""Every number equals scikit-learn's, or slow code where it has none: weights, ties, classes absent or impossible."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn import metrics as theirs

from suffice.decisions import log_odds
from suffice.errors import DataError, ParameterError
from suffice.evidence.evaluation.held_out import HeldOutPosterior, Predictions, odds_to_rank, ratios
from suffice.evidence.evaluation.metrics import NAMES, OF_CLASS, Confusion, DetectionCosts, Metrics
from suffice.statistics import Axis
from tests.evidence.evaluation.drawn import drawn_predictions
from tests.oracles import evaluation_slow as slow

COSTS = DetectionCosts(0.1, 5.0, 2.0)
BINS = 15
KINDS = {
    "plain": {"weights": False},
    "weighted": {},
    "ties": {"ties": True},
    "impossible": {"zeros": True},
    "ties and impossible": {"ties": True, "zeros": True},
    "a class absent": {"absent": (1,), "classes": 4},
    "two classes": {"classes": 2},
    "two classes, ties": {"classes": 2, "ties": True},
    "two classes, impossible": {"classes": 2, "zeros": True},
    "two classes, the first to be found": {"classes": 2, "positive": "class 0", "ties": True},
    "one row": {"rows": 1, "weights": False},
    "few rows": {"rows": 5, "classes": 2, "weights": False},
}


@pytest.fixture(params=KINDS)
def found(request):
    predictions = drawn_predictions(7, **KINDS[request.param])
    measured = Metrics(predictions, COSTS, BINS)(predictions.weights)
    return predictions, dict(zip(NAMES, measured.values.tolist(), strict=True)), measured.of_class


def confusion(predictions):
    return Metrics(predictions, COSTS, BINS).confusion(predictions.weights)


def test_right_and_wrong(found):
    predictions, values, of_class = found
    y, called, w = predictions.codes, predictions.predicted, predictions.weights
    assert values["accuracy"] == pytest.approx(theirs.accuracy_score(y, called, sample_weight=w), rel=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of classes that are predicted and are not there
        balanced = theirs.balanced_accuracy_score(y, called, sample_weight=w)
    assert values["balanced_accuracy"] == pytest.approx(balanced, rel=1e-12)
    labels = range(len(predictions.classes))
    expected = theirs.precision_recall_fscore_support(y, called, labels=labels, sample_weight=w, zero_division=0)
    for at, name in enumerate(OF_CLASS):
        np.testing.assert_allclose(of_class[at], expected[at], rtol=1e-12, atol=0, err_msg=name)
    np.testing.assert_allclose(confusion(predictions).sum(axis=1), expected[3], rtol=1e-12)
    np.testing.assert_allclose(
        confusion(predictions), theirs.confusion_matrix(y, called, labels=labels, sample_weight=w), rtol=1e-12
    )


def test_losses(found):
    predictions, values, _ = found
    y, w, p = predictions.codes, predictions.weights, np.exp(predictions.log_posterior)
    labels = list(range(len(predictions.classes)))
    assert values["log_loss"] == pytest.approx(theirs.log_loss(y, p, sample_weight=w, labels=labels), rel=1e-12)
    if len(labels) == 2:
        expected = theirs.brier_score_loss(y, p[:, 1], sample_weight=w, pos_label=1)
    else:
        expected = theirs.brier_score_loss(y, p, sample_weight=w, labels=labels)
    assert values["brier"] == pytest.approx(expected, rel=1e-11)
    rows = predictions.codes.tolist(), predictions.log_posterior.tolist(), w.tolist()
    assert values["log_loss"] == pytest.approx(slow.log_loss(*rows), rel=1e-12)
    assert values["brier"] == pytest.approx(slow.brier(*rows), rel=1e-11)
    assert values["expected_calibration_error"] == pytest.approx(slow.calibration_error(*rows, BINS), abs=1e-14)


def test_rankings(found):
    predictions, values, _ = found
    y, w, odds = predictions.codes, predictions.weights, odds_to_rank(predictions.log_posterior)
    odds = np.clip(odds, -1e300, 1e300)  # scikit-learn takes no infinity, and ranks these alike
    areas, averages = [], []
    classes = range(len(predictions.classes))
    for c in (predictions.positive,) if len(classes) == 2 else classes:
        of_class = (y == c) & (w > 0)
        if of_class.any() and ((y != c) & (w > 0)).any():
            areas.append(theirs.roc_auc_score(y == c, odds[:, c], sample_weight=w))
            averages.append(theirs.average_precision_score(y == c, odds[:, c], sample_weight=w))
    if not areas:
        assert np.isnan(values["roc_auc"])
        assert np.isnan(values["average_precision"])
        return
    assert values["roc_auc"] == pytest.approx(np.mean(areas), rel=1e-12)
    assert values["average_precision"] == pytest.approx(np.mean(averages), rel=1e-12)


def test_the_area_is_that_of_one_against_the_rest():
    predictions = drawn_predictions(3, weights=False)
    values = Metrics(predictions, COSTS, BINS)(predictions.weights).values
    expected = theirs.roc_auc_score(predictions.codes, np.exp(predictions.log_posterior), multi_class="ovr")
    assert values[NAMES.index("roc_auc")] == pytest.approx(expected, rel=1e-12)


def test_detection_costs(found):
    predictions, values, _ = found
    there = {c for c, w in zip(predictions.codes.tolist(), predictions.weights.tolist(), strict=True) if w > 0}
    if len(predictions.classes) != 2 or there != {0, 1}:
        assert np.isnan(values["minimum_detection_cost"])
        assert np.isnan(values["actual_detection_cost"])
        return
    positive = (predictions.codes == predictions.positive).tolist()
    ratio = (predictions.llr if predictions.positive == 1 else -predictions.llr).tolist()
    rows = positive, ratio, predictions.weights.tolist(), COSTS.prior, COSTS.miss, COSTS.false_alarm
    threshold = np.log(COSTS.false_alarm * (1 - COSTS.prior) / (COSTS.miss * COSTS.prior))
    assert values["actual_detection_cost"] == pytest.approx(slow.detection_cost(*rows, threshold), rel=1e-12)
    assert values["minimum_detection_cost"] == pytest.approx(slow.minimum_detection_cost(*rows), rel=1e-12)
    assert values["minimum_detection_cost"] <= min(values["actual_detection_cost"], 1) + 1e-12


@pytest.mark.parametrize("kind", ["plain", "two classes, ties", "ties and impossible"])
def test_a_weight_is_so_many_rows(kind):
    predictions = drawn_predictions(11, **{**KINDS[kind], "weights": False})
    times = np.random.default_rng(0).integers(0, 4, len(predictions.codes))
    again = np.repeat(np.arange(len(times)), times)
    repeated = Predictions(
        predictions.classes,
        predictions.codes[again],
        predictions.log_posterior[again],
        None if predictions.llr is None else predictions.llr[again],
        np.ones(len(again)),
    )
    weighted = Metrics(predictions, COSTS, BINS)(times.astype(float))
    plain = Metrics(repeated, COSTS, BINS)(repeated.weights)
    np.testing.assert_allclose(weighted.values, plain.values, rtol=1e-12)
    np.testing.assert_allclose(weighted.of_class, plain.of_class, rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_ranked_by_their_odds(kind):
    log_posterior = drawn_predictions(9, **KINDS[kind]).log_posterior
    log_posterior = np.vstack([log_posterior, log_posterior[:1] * 100])  # beyond what a probability can tell
    log_posterior -= np.logaddexp.reduce(log_posterior, axis=1, keepdims=True)
    np.testing.assert_allclose(odds_to_rank(log_posterior), log_odds(log_posterior), rtol=1e-12, atol=1e-12)


def test_many_classes_need_no_table_of_all_pairs():
    predictions = drawn_predictions(4, rows=300, classes=70)
    sums = Confusion(predictions).sums(predictions.weights)
    table = Confusion(predictions).whole(predictions.weights)
    for mine, expected in zip(sums, (table.sum(axis=1), table.sum(axis=0), np.diagonal(table)), strict=True):
        np.testing.assert_allclose(mine, expected, rtol=1e-12)


def test_what_was_impossible_and_came_true_costs_36_nats():
    axis = Axis.of(["a", "b"])
    posterior = HeldOutPosterior(np.array([[0.0, -np.inf]]), np.array([-np.inf]), 0)
    predictions = Predictions.of(axis, posterior, axis, np.array([1]), None)
    measured = Metrics(predictions, COSTS, BINS)(predictions.weights)
    assert measured.values[NAMES.index("log_loss")] == pytest.approx(36.04365338911715, rel=1e-15)
    assert measured.values[NAMES.index("accuracy")] == 0


def test_a_class_that_the_model_does_not_know_is_never_predicted():
    known = Axis.of(["a", "b"])
    posterior = HeldOutPosterior(np.log([[0.75, 0.25], [0.25, 0.75]]), np.array([0.0, 0.0]), 0)
    predictions = Predictions.of(known, posterior, Axis.of(["a", "c"]), np.array([0, 1]), None)
    assert predictions.labels == ("a", "b", "c")
    assert confusion(predictions).tolist() == [[1, 0, 0], [0, 0, 0], [0, 1, 0]]
    assert predictions.llr is None
    assert np.isfinite(Metrics(predictions, COSTS, BINS)(predictions.weights).values[:7]).all()


def test_a_ratio_does_not_depend_on_the_prior():
    likelihood = np.array([[-1.0, -3.0], [-2.0, -0.5]])
    for prior in ([0.5, 0.5], [0.9, 0.1], [0.01, 0.99]):
        joint = likelihood + np.log(prior)
        log_posterior = joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)
        np.testing.assert_allclose(ratios(log_posterior, np.log(prior)), [-2.0, 1.5], rtol=1e-12)


def test_a_prior_that_leaves_a_class_out_leaves_the_odds():
    with np.errstate(divide="ignore"):
        found = ratios(np.log([[1.0, 0.0]]), np.log([1.0, 0.0]))
    assert found.tolist() == [-np.inf]


def test_rows_without_weight_or_class():
    axis = Axis.of(["a", "b"])
    posterior = HeldOutPosterior(np.zeros((1, 2)), np.zeros(1), 0)
    with pytest.raises(DataError) as caught:
        Predictions.of(axis, posterior, axis, np.array([0]), np.zeros(1))
    assert str(caught.value) == "every row has weight 0. At least one weight must be positive."
    with pytest.raises(DataError) as caught:
        Predictions.of(axis, HeldOutPosterior(np.zeros((0, 2)), np.zeros(0), 0), axis, np.zeros(0, dtype=int), None)
    assert str(caught.value) == "there are no labelled rows to evaluate on. Give rows and their classes."


@pytest.mark.parametrize(
    ("classes", "positive", "message"),
    [
        (["a", "b"], "c", "the model has no class 'c'. Its classes are 'a', 'b'."),
        (
            ["a", "b", "c"],
            "c",
            "positive applies only to two classes: there are 3: got 'c'. Omit it.",
        ),
    ],
)
def test_a_positive_class_that_is_none(classes, positive, message):
    axis = Axis.of(classes)
    posterior = HeldOutPosterior(np.zeros((1, len(classes))), None, 0)
    with pytest.raises(ParameterError) as caught:
        Predictions.of(axis, posterior, axis, np.array([0]), None, positive)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"prior": 0.0}, "detection prior must lie between 0 and 1: got 0.0."),
        ({"prior": True}, "detection prior must lie between 0 and 1: got True."),
        ({"miss": 0}, "the cost of a miss must be > 0: got 0."),
        ({"false_alarm": float("inf")}, "the cost of a false alarm must be > 0: got inf."),
    ],
)
def test_costs_outside_their_domain(given, message):
    with pytest.raises(ParameterError) as caught:
        DetectionCosts(**given)
    assert str(caught.value) == message
