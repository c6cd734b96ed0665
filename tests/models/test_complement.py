"""Complement naive Bayes, compared with exact arithmetic, and what it does not support."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from suffice.api import fit
from suffice.errors import DataError
from suffice.likelihoods import Multinomial
from suffice.likelihoods.tokens import compute_complement_weights
from suffice.models.complement import ComplementModel
from suffice.sources.in_memory import table_of
from tests.oracles import complement_exact as oracle


@st.composite
def tables(draw):
    classes, columns = draw(st.integers(1, 4)), draw(st.integers(2, 5))
    whole = st.integers(0, 9)
    counts = [[draw(whole) for _ in range(columns)] for _ in range(classes)]
    alpha = draw(st.sampled_from([0.125, 1, 2.5]))
    return counts, alpha, [[draw(whole) for _ in range(columns)] for _ in range(3)]


def model_of(counts, alpha, norm):
    seen = fit(np.array(counts), list(range(len(counts))), columns=Multinomial(), calibrate=False).with_options(
        estimate="smoothed", alpha=alpha
    )
    return ComplementModel(seen.core, norm)


@given(tables(), st.booleans())
def test_weights_and_scores_are_exact(drawn, norm):
    counts, alpha, asked = drawn
    expected = oracle.weights(counts, [[alpha] * len(counts[0])] * len(counts), norm)
    got = compute_complement_weights(
        np.array(counts, dtype=float), np.full((len(counts), len(counts[0])), alpha), norm=norm
    )
    np.testing.assert_allclose(got, np.array(expected, dtype=float), rtol=1e-12)
    model = model_of(counts, alpha, norm)
    for form in (np.array, lambda rows: sparse.csr_array(np.array(rows, dtype=float))):
        joint, posterior = (model.score(table_of(form(asked)), wanted).values for wanted in ("joint", "posterior"))
        for row, here, there in zip(asked, joint, posterior, strict=True):
            scored = oracle.scores(row, expected)
            np.testing.assert_allclose(here, np.array(scored, dtype=float), rtol=1e-11, atol=1e-11)
            np.testing.assert_allclose(there, np.array(oracle.posterior(scored), dtype=float), rtol=1e-9)


def test_a_missing_count_adds_nothing():
    model = model_of([[3, 1, 0], [0, 2, 4]], 1.0, norm=False)
    gap = model.score(table_of(np.array([[2, np.nan, 1]])), "joint").values
    np.testing.assert_array_equal(gap, model.score(table_of(np.array([[2.0, 0, 1]])), "joint").values)


def test_without_pseudo_counts_more_of_its_own_columns_wins():
    weights = compute_complement_weights(np.array([[5.0, 0, 1], [0, 5, 1]]), np.zeros((2, 3)), norm=False)
    assert np.isfinite(weights).all()
    assert weights[0, 0] == weights[1, 1] == -np.log(np.finfo(float).tiny)
    assert np.array([3.0, 2, 0]) @ weights[0] > np.array([3.0, 2, 0]) @ weights[1]


def test_one_column_says_nothing_and_no_columns_are_no_weights():
    np.testing.assert_array_equal(compute_complement_weights(np.array([[5.0], [2]]), np.ones((2, 1)), norm=True), 0)
    np.testing.assert_array_equal(compute_complement_weights(np.array([[5.0], [2]]), np.ones((2, 1)), norm=False), 0)
    assert compute_complement_weights(np.zeros((2, 0)), np.zeros((2, 0)), norm=True).shape == (2, 0)


def test_what_was_compiled_does_not_travel():
    model = model_of([[3, 1], [0, 2]], 1.0, norm=True)
    x = table_of(np.array([[1, 2]]))
    before = model.score(x, "posterior").values
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).score(x, "posterior").values, before)  # noqa: S301


def test_it_is_no_likelihood():
    assert not any(hasattr(ComplementModel, name) for name in ("log_density", "log_evidence"))


def test_nothing_seen_has_no_complement():
    nothing = fit(np.zeros((0, 2)), [], columns=Multinomial(), calibrate=False)
    text = "the model has no rows, so no class has a complement. Fit it on data."
    with pytest.raises(DataError, match=f"^{re.escape(text)}$"):
        ComplementModel(nothing.core).score(table_of(np.zeros((1, 2))), "joint")
