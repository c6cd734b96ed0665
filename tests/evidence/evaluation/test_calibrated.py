"""Calibrated probabilities of rows held out: learnt from other folds, and from nothing of the rows themselves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_softmax

import suffice as sf
from suffice.decisions.calibration import choose_calibration
from suffice.evidence.evaluation.evaluation import calibrated_posterior
from suffice.evidence.evaluation.held_out import Part, ScoredParts
from suffice.sources.table import Matrix


def repeated(rows=600, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    return np.repeat(rng.normal(y, 1.0)[:, None], 6, axis=1), np.where(y, "yes", "no")


@pytest.mark.parametrize("way", [{"folds": 5}, {"loo": True}, {"order": np.arange(600)}])
def test_it_is_worth_more_than_what_is_not_calibrated(way):
    x, y = repeated()
    plain = sf.evaluate(x, y, columns=sf.Gaussian(), bootstrap=0, calibrate=False, **way)
    found = sf.evaluate(x, y, columns=sf.Gaussian(), bootstrap=0, **way)
    assert found.how == f"{plain.how}, with calibrated probabilities"
    assert found["log_loss"].value < 0.7 * plain["log_loss"].value
    assert found["expected_calibration_error"].value < plain["expected_calibration_error"].value


def test_rows_of_a_test_are_calibrated_as_fit_does_it():
    x, y = repeated()
    fresh, truth = repeated(seed=1)
    found = sf.evaluate(x, y, columns=sf.Gaussian(), test=(fresh, truth), bootstrap=0)
    model = sf.fit(x, y, columns=sf.Gaussian(), calibrate="auto")
    np.testing.assert_allclose(found.log_posterior, model.predict_log_proba(fresh))


@pytest.mark.parametrize("in_order", [False, True])
@pytest.mark.parametrize("many", [False, True])
def test_each_fold_is_calibrated_by_the_others(in_order, many):
    x, y = repeated(900)
    x[:, 5] = np.random.default_rng(1).normal(2 * (y == "yes"), 1.0)  # one column is worth more than the others
    folds, codes = np.arange(900) % 3, (y == "yes").astype(np.int64)
    model = sf.fit(x, y, columns=sf.Gaussian(), calibrate=False).core
    held_out = ScoredParts((Part(model, Matrix(x, tuple(range(6))), np.arange(900)),))
    weights = np.ones(900)
    found, changed = calibrated_posterior(held_out, model, codes, weights, folds, in_order=in_order, many=many)
    assert changed
    evidence = model.score_units(Matrix(x, tuple(range(6))))
    evidence = evidence.sum(axis=1, keepdims=True) if many else evidence
    for fold in range(3):
        others = folds < fold if in_order else folds != fold
        here = folds == fold
        joint = evidence[here].sum(axis=1) + model.log_prior
        if others.any():
            learnt, _ = choose_calibration(
                evidence[others], codes[others], weights[others], units=() if many else model.units
            )
            assert learnt is not None
            assert (learnt.kind == "weights") == (not many)
            factors = np.array([learnt.scale]) if many else learnt.weights
            joint = model.log_prior + learnt.offsets + np.einsum("ntc,t->nc", evidence[here], factors)
        np.testing.assert_allclose(found.values[here], log_softmax(joint, axis=1), rtol=1e-9, atol=1e-9)


def test_texts_are_calibrated():
    rng = np.random.default_rng(0)
    words = np.array(["win", "now", "lunch", "meet", "prize", "the", "of"])
    texts, labels = [], []
    for _ in range(200):
        spam = rng.random() < 0.5
        chance = np.array([3, 1, 1, 1, 3, 2, 2] if spam else [1, 1, 3, 3, 1, 2, 2], dtype=float)
        texts.append(" ".join(rng.choice(words, rng.integers(1, 30), p=chance / chance.sum())))
        labels.append("spam" if spam else "ham")
    for way in ({"folds": 4}, {"loo": True}):
        found = sf.evaluate(texts, labels, columns=sf.Words(), bootstrap=0, **way)
        assert np.isfinite(found.log_posterior).all()
        assert found["accuracy"].value > 0.8


def test_rows_without_evidence_stay_as_they_are():
    x, y = np.full((6, 2), np.nan), np.array(["no", "yes"] * 3)
    model = sf.fit(x, y, columns=sf.Gaussian(), calibrate=False).core
    held_out = ScoredParts((Part(model, Matrix(x, (0, 1)), np.arange(6)),))
    found, changed = calibrated_posterior(
        held_out, model, np.arange(6) % 2, np.ones(6), np.arange(6) % 2, in_order=False, many=False
    )
    np.testing.assert_allclose(found.values, np.log(0.5))
    assert not changed
