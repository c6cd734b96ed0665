"""What is compiled stays at home, what is short-cut is the same, and readings as arrays say what the model says."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from suffice.api import fit
from suffice.errors import DataError
from suffice.likelihoods import Bernoulli, Categorical, Gaussian, Multinomial, Poisson
from suffice.models.estimator_arrays import column_counts, column_logs, declare_levels, level_counts, level_logs
from suffice.models.gaussian_parameters import gaussian_moments
from suffice.models.score import sampled_unseen
from suffice.sources.in_memory import table_of

RANDOM = np.random.default_rng(0)
X = RANDOM.integers(0, 4, (40, 6))
Y = RANDOM.integers(0, 3, 40)
COLUMNS = [
    Gaussian(),
    Bernoulli(),
    Categorical(),
    Categorical(unseen="mass"),
    Multinomial(),
    Poisson(),
    {(0, 1): Gaussian(), (2, 3): Multinomial(), 4: Categorical(), 5: Bernoulli()},
]


def test_the_shortcut_for_levels_finds_what_the_long_way_finds():
    usual, gaps = (
        fit(X, Y, columns=Categorical(), calibrate=False).core,
        fit(X * 2, Y, columns=Categorical(), calibrate=False).core,
    )
    for other in (X, X + 4, np.where(X == 2, -1, X), np.where(X == 0, 9, X), X.astype(np.uint8)):
        table = table_of(other)
        for known in (usual, gaps):
            (term,) = known.terms
            axes = list(zip(term.columns, term.levels, strict=True))
            assert known.score(table, "joint").unseen == tuple(sampled_unseen(table, axes))
    assert usual.score(table_of(X), "joint").unseen == ()
    assert len(usual.score(table_of(X + 4), "joint").unseen) == 6


@pytest.mark.parametrize("columns", COLUMNS, ids=str)
def test_a_copy_answers_alike_and_holds_statistics_alone(columns):
    model = fit(X, Y, columns=columns, calibrate=False)
    before = model.predict_proba(X)
    other = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert other == model
    assert set(vars(other.core)) == {"schema", "tally", "parts", "reading", "class_prior"}
    np.testing.assert_array_equal(other.predict_proba(X), before)


def test_a_flaw_is_told_in_words():
    known = fit(X, Y, columns=Multinomial(), estimate="mean", calibrate=False).core
    with pytest.raises(
        DataError,
        match=(
            r"^row 1, column 2: counts must be ≥ 0: got -1\.0\. Use columns=\{2: Numeric\(\)\} if the column does "
            r"not hold counts\."
        ),
    ):
        known.score(table_of(np.where(np.arange(6) == 2, -np.arange(40)[:, None], X)), "posterior")


def test_gaussian_moments_are_the_parameters():
    x = RANDOM.normal(size=(40, 3)) * [1, 1e6, 0] + [0, 1e9, 5]
    x[:, 0] = np.where(Y == 1, 2.0, x[:, 0])  # one class is constant in the first column
    known = fit(x, Y, columns=Gaussian(var_smoothing=0.01), estimate="mle", calibrate=False).core
    mean, variance, floor = gaussian_moments(known)
    np.testing.assert_allclose(floor, 0.01 * x.var(axis=0), rtol=1e-9)
    for c in range(3):
        np.testing.assert_allclose(mean[c], x[c == Y].mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(variance[c], np.maximum(x[c == Y].var(axis=0), floor), rtol=1e-9)
    assert variance[1, 0] == floor[0]


def test_counts_and_logs_are_those_of_the_reading():
    present = fit(X, Y, columns=Bernoulli(), estimate="mean", calibrate=False).core
    np.testing.assert_array_equal(column_counts(present), [(X[c == Y] > 0).sum(axis=0) for c in range(3)])
    expected = [((X[c == Y] > 0).sum(axis=0) + 1) / ((c == Y).sum() + 2) for c in range(3)]
    np.testing.assert_allclose(np.exp(column_logs(present)), expected, rtol=1e-12)
    coded = fit(X, Y, columns=Categorical(), estimate="mle", calibrate=False).core
    for j, (counts, logs) in enumerate(zip(level_counts(coded), level_logs(coded), strict=True)):
        np.testing.assert_array_equal(counts, [np.bincount(X[c == Y, j], minlength=4) for c in range(3)])
        np.testing.assert_allclose(np.exp(logs), counts / counts.sum(axis=1, keepdims=True), rtol=1e-12)


def test_declared_levels_fill_the_gaps_and_reach_the_least():
    gaps = np.array([[0, 1], [4, 1]])
    known = declare_levels(fit(gaps, ["a", "b"], columns=Categorical(), calibrate=False).core, [0, 3])
    first, second = level_counts(known)
    np.testing.assert_array_equal(first, [[1, 0, 0, 0, 0], [0, 0, 0, 0, 1]])
    np.testing.assert_array_equal(second, [[0, 1, 0], [0, 1, 0]])
    again = declare_levels(known, [0, 0])
    assert again == known
    assert all(mine is theirs for mine, theirs in zip(again.parts[0], known.parts[0], strict=True))
