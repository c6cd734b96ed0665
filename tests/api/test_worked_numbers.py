"""The worked numbers of maths.md §5 through the public model."""

from __future__ import annotations

import math

import numpy as np
import pytest

from suffice.api import fit
from suffice.conjugate import BetaBinomial
from suffice.errors import ImpossibleRowsWarning
from suffice.likelihoods import Bernoulli, Categorical, Multinomial

# black 0, orange 1, white 2, calico 3
FUR = [(0, "male"), (1, "male"), (0, "female"), (1, "male"), (2, "male"), (2, "female"), (2, "male"), (2, "female")]
FUR += [(0, "female"), (3, "female")]

# {} [] () : ; . ,
C_ROWS = [(6, 8, 14, 1, 10, 1, 7), (8, 10, 14, 0, 11, 1, 7), (12, 22, 34, 1, 21, 2, 13), (4, 6, 10, 1, 6, 1, 4)]
PYTHON_ROWS = [(6, 14, 30, 6, 2, 16, 16), (2, 8, 14, 3, 1, 9, 8), (4, 14, 26, 7, 2, 15, 14)]

# plain, bad tempered, height (0 short, 1 medium, 2 tall), unambitious; row 7 is tall
ACCEPTED = [(0, 0, 0, 0), (1, 0, 2, 0), (0, 0, 2, 1), (1, 0, 1, 0), (0, 0, 1, 0), (1, 1, 2, 0)]
DECLINED = [(0, 1, 0, 1), (1, 0, 0, 0), (0, 1, 0, 0), (0, 1, 0, 0), (0, 0, 0, 1), (0, 0, 0, 1)]


def values(model, label):
    return [row.value for row in model.parameters() if row.label == label and row.column is not None]


def test_fur_colour():
    model = fit(
        np.array([[fur] for fur, _ in FUR]),
        [sex for _, sex in FUR],
        columns=Categorical(),
        estimate="mle",
        calibrate=False,
    )
    np.testing.assert_allclose(values(model, "female"), [0.4, 0, 0.4, 0.2], rtol=1e-15)
    np.testing.assert_allclose(values(model, "male"), [0.2, 0.4, 0.4, 0], rtol=1e-15)


def test_c_or_python_by_punctuation():
    model = fit(
        np.array(C_ROWS + PYTHON_ROWS),
        ["C"] * 4 + ["Python"] * 3,
        columns=Multinomial(),
        class_prior="uniform",
        estimate="mle",
        calibrate=False,
    )
    assert np.round(values(model, "C"), 3).tolist() == [0.128, 0.196, 0.306, 0.013, 0.204, 0.021, 0.132]
    assert np.round(values(model, "Python"), 3).tolist() == [0.055, 0.166, 0.323, 0.074, 0.023, 0.184, 0.175]
    # One token of each kind: its log-likelihood ratio is b.
    joint = model.log_joint(np.eye(7))
    assert (joint[:, 0] - joint[:, 1]).round(3).tolist() == [0.837, 0.165, -0.052, -1.754, 2.182, -2.159, -0.283]


def test_twelve_proposals():
    model = fit(
        np.array(ACCEPTED + DECLINED),
        ["accept"] * 6 + ["decline"] * 6,
        columns=Categorical(),
        estimate="mle",
        calibrate=False,
    )
    query = np.array([[1, 1, 0, 1]])
    np.testing.assert_allclose(np.exp(model.log_joint(query)), [[1 / 864, 1 / 48]], rtol=1e-13)
    np.testing.assert_allclose(model.predict_proba(query), [[1 / 19, 18 / 19]], rtol=1e-13)
    np.testing.assert_allclose(
        model.with_options(estimate="smoothed", alpha=1).predict_proba(query), [[1 / 8, 7 / 8]], rtol=1e-13
    )
    assert model.predict(query).tolist() == ["decline"]


def test_a_word_in_every_document():
    subject_and_offer = np.array([[1, 1], [1, 0], [1, 0], [1, 1]])
    model = fit(subject_and_offer, ["ham", "ham", "spam", "spam"], columns=Bernoulli(), estimate="mle", calibrate=False)
    absent = np.array([[0, 1]])
    assert model.log_joint(absent).tolist() == [[-math.inf, -math.inf]]
    assert model.log_density(absent).tolist() == [-math.inf]
    with pytest.warns(ImpossibleRowsWarning):
        assert model.predict_proba(absent).tolist() == [[0.5, 0.5]]
    beta = fit(
        subject_and_offer,
        ["ham", "ham", "spam", "spam"],
        columns=Bernoulli(BetaBinomial(2, 2)),
        estimate="map",
        calibrate=False,
    )
    for finite in (
        beta,
        model.with_options(estimate="mean"),
        model.with_options(estimate="predictive"),
        model.with_options(estimate="smoothed"),
        model.with_options(estimate="map"),
    ):
        assert np.isfinite(finite.log_joint(absent)).all()


def test_the_coin_and_its_black_swan():
    model = fit(np.ones((3, 1)), ["toss"] * 3, columns=Bernoulli(), calibrate=False)
    tails = np.array([[0]])
    np.testing.assert_allclose(np.exp(model.log_joint(tails)), [[1 / 5]], rtol=1e-15)
    assert model.with_options(estimate="mle").log_joint(tails).tolist() == [[-math.inf]]
