"""The worked numbers of docs/mathematics.md §11 through the public model."""

from __future__ import annotations

import math

import numpy as np
import pytest

from suffice.api import fit
from suffice.conjugate import BetaBinomial
from suffice.errors import ImpossibleRowsWarning
from suffice.likelihoods import Bernoulli, Categorical, Chars, Multinomial

# black 0, orange 1, white 2, calico 3
FUR = [(0, "male"), (1, "male"), (0, "female"), (1, "male"), (2, "male"), (2, "female"), (2, "male"), (2, "female")]
FUR += [(0, "female"), (3, "female")]

# {} [] () : ; . ,
C_ROWS = [(6, 8, 14, 1, 10, 1, 7), (8, 10, 14, 0, 11, 1, 7), (12, 22, 34, 1, 21, 2, 13), (4, 6, 10, 1, 6, 1, 4)]
PYTHON_ROWS = [(6, 14, 30, 6, 2, 16, 16), (2, 8, 14, 3, 1, 9, 8), (4, 14, 26, 7, 2, 15, 14)]

SYMBOLS = ["{}", "[]", "()", ":", ";", ".", ","]
THETA_C = [0.128, 0.196, 0.306, 0.013, 0.204, 0.021, 0.132]
THETA_PYTHON = [0.055, 0.166, 0.323, 0.074, 0.023, 0.184, 0.175]
B = [0.837, 0.165, -0.052, -1.754, 2.182, -2.159, -0.283]

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
    assert np.round(values(model, "C"), 3).tolist() == THETA_C
    assert np.round(values(model, "Python"), 3).tolist() == THETA_PYTHON
    # One token of each kind: its log-likelihood ratio is b.
    joint = model.log_joint(np.eye(7))
    assert (joint[:, 0] - joint[:, 1]).round(3).tolist() == B


def source_code(counts, seed):
    """Return a text that has each symbol so often, in any order, among other characters."""
    random = np.random.default_rng(seed)
    marks = [symbol[k % len(symbol)] for symbol, n in zip(SYMBOLS, counts, strict=True) for k in range(n)]
    others = ["if", " ", "\n    ", "x_1", "=", "+", "é", "水", "<", "'"]
    return "".join(f"{mark}{random.choice(others)}" for mark in random.permutation(marks))


def test_c_or_python_from_source_code():
    texts = [source_code(counts, seed) for seed, counts in enumerate(C_ROWS + PYTHON_ROWS)]
    marks = Chars(ngrams=(1, 1), across=True, characters=SYMBOLS)
    labels = ["C"] * 4 + ["Python"] * 3
    model = fit(texts, labels, columns=marks, class_prior="uniform", estimate="mle", calibrate=False)
    assert model.selected_forms == {0: "7 tokens"}
    theta = {(row.label, row.level): row.value for row in model.parameters() if row.column is not None}
    assert [round(theta["C", symbol], 3) for symbol in SYMBOLS] == THETA_C
    assert [round(theta["Python", symbol], 3) for symbol in SYMBOLS] == THETA_PYTHON
    each = [mark for symbol in SYMBOLS for mark in symbol]  # an opening bracket is as good as a closing one
    b = dict(zip(each, model.log_joint(each) @ [1, -1], strict=True))
    assert [[round(b[mark], 3) for mark in symbol] for symbol in SYMBOLS] == [
        [value] * len(symbol) for symbol, value in zip(SYMBOLS, B, strict=True)
    ]
    told = model.explain(["f(x) { return g(y); }"], positive="C", against="Python")[0]
    assert {(entry.value, entry.occurrences) for entry in told.entries} == {("()", 4), ("{}", 2), (";", 1)}
    assert told.score == pytest.approx(4 * b["("] + 2 * b["{"] + b[";"], rel=1e-12)
    shown = {row.token: round(row.evidence, 3) for row in model.show().words["C"]}
    assert shown == {"{}": 0.837, "[]": 0.165, ";": 2.182}
    matrix = fit(np.array(C_ROWS + PYTHON_ROWS), labels, columns=Multinomial(), estimate="mle", calibrate=False)
    counted = model.with_options(priors={0: Chars((1, 1), across=True, characters=SYMBOLS, coefficients=True)})
    np.testing.assert_allclose(
        counted.with_options(class_prior="empirical").log_density(texts),
        matrix.log_density(np.array(C_ROWS + PYTHON_ROWS)),
        rtol=1e-12,
    )


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
