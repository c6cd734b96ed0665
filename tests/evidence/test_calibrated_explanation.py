"""Explanations of a calibrated model are of the probabilities that it gives, and what calibrating does is a part."""

from __future__ import annotations

import math

import numpy as np
import pytest

import suffice as sf

WORDS = np.array(["win", "prize", "cash", "lunch", "now", "meeting", "report", "call"])


def mixed(classes, rows=300, seed=0):
    """Columns that repeat each other, some cells missing."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows)
    one = rng.normal(y, 1.0)
    x = np.stack([one, one + rng.normal(0, 0.1, rows), rng.poisson(1.0 + y).astype(float), one], axis=1)
    x[rng.random(x.shape) < 0.1] = np.nan
    x[7] = np.nan
    return x, np.array(["ham", "spam", "news"])[y]


def texts(rows=200, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    made = [" ".join(rng.choice(np.roll(WORDS, 2 * c), rng.integers(0, 30), p=np.arange(8, 0, -1) / 36)) for c in y]
    return made, np.array(["ham", "spam", "news"])[y]


def require_calibrated(model, rows):
    posterior, log_posterior = model.predict_proba(rows), model.predict_log_proba(rows)
    places = {label: at for at, label in enumerate(model.classes)}
    for against in (None, "rest"):
        for at, each in enumerate(model.explain(rows, against=against)):
            parts = [each.prior.nats, *(entry.nats for entry in each.entries), each.others_nats]
            c = places[each.label]
            if against is None:
                odds = log_posterior[at, c] - log_posterior[at, places[each.against]]
            else:
                odds = log_posterior[at, c] - np.logaddexp.reduce(np.delete(log_posterior[at], c))
            assert math.isclose(math.fsum(parts), each.score, rel_tol=1e-9, abs_tol=1e-9)
            assert math.isclose(each.score, odds, rel_tol=1e-9, abs_tol=1e-9)
            assert math.isclose(each.probability, posterior[at, c], rel_tol=1e-9)
            assert each.label == model.predict(rows)[at]


@pytest.mark.parametrize("method", ["scale", "offsets", "weights"])
def test_they_add_up_to_the_calibrated_odds(method):
    x, y = mixed(3)
    model = sf.fit(x, y, columns={(0, 1, 3): sf.Gaussian(), 2: sf.Poisson()}, calibrate=False).calibrate(
        x, y, method=method
    )
    require_calibrated(model, x[:40])


def test_they_add_up_for_texts():
    documents, y = texts()
    model = sf.fit(documents, y, columns=sf.Words(), calibrate=False).calibrate(documents, y, method="offsets")
    require_calibrated(model, [*documents[:30], "", "unheard of"])


@pytest.mark.parametrize("method", ["scale", "weights"])
def test_entries_have_the_weight_of_their_column(method):
    x, y = mixed(2)
    plain = sf.fit(x, y, columns=sf.Gaussian(), calibrate=False)
    model = plain.calibrate(x, y, method=method)
    weights = model.calibration.column_weights or dict.fromkeys(range(4), model.calibration.scale)
    assert min(weights.values()) < 0.8  # the same column three times
    for before, after in zip(
        plain.explain(x[:20], against="ham", positive="spam"),
        model.explain(x[:20], against="ham", positive="spam"),
        strict=True,
    ):
        expected = {entry.column: weights[entry.column] * entry.nats for entry in before.entries}
        found = {entry.column: entry.nats for entry in after.entries if entry.kind != "calibration"}
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)
        assert after.prior == before.prior
    offsets = [entry for entry in model.explain(x[:1])[0].entries if entry.kind == "calibration"]
    assert bool(offsets) == (method == "weights")


def test_a_row_of_which_nothing_is_known_has_nothing_taken_back():
    x, y = mixed(3)
    model = sf.fit(x, y, columns=sf.Gaussian(), calibrate=False).calibrate(x, y, method="offsets")
    (story,) = model.explain(x[7:8])
    assert "calibration" not in {entry.kind for entry in story.entries}
    assert math.isclose(story.score, story.prior.nats)


def test_an_impossible_class_stays_impossible():
    x = np.array([["a"], ["a"], ["b"], ["b"], ["b"]] * 8)
    y = np.array(["n", "n", "n", "y", "y"] * 8)
    plain = sf.fit(x, y, columns=sf.Categorical(), estimate="smoothed", calibrate=False).with_options(alpha=0.0)
    model = plain.calibrate(x, y, new=True, method="offsets")
    (story,) = model.explain(np.array([["a"]]))
    assert story.label == "n"
    assert story.score == math.inf
    assert story.probability == 1.0
    assert not any(math.isnan(entry.nats) for entry in story.entries)
