"""The numbers of scikit-learn, where the two mean the same."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn import naive_bayes as peer

from suffice.api import fit
from suffice.likelihoods import Bernoulli, Categorical, Gaussian, Multinomial


def problem(seed, counts):
    rng = np.random.default_rng(seed)
    rows, width, classes = rng.integers(20, 200), rng.integers(1, 8), rng.integers(2, 5)
    names = np.array(["ham", "news", "spam", "work"])[:classes]
    y = names[rng.integers(0, classes, rows)]
    y[:classes] = names
    x = rng.poisson(rng.gamma(1, 2, (classes, width))[np.searchsorted(names, y)]) if counts else None
    if x is None:
        x = rng.normal(rng.normal(0, 3, (classes, width))[np.searchsorted(names, y)], rng.gamma(2, 1, width))
    weights = rng.integers(1, 4, rows).astype(float) if seed % 2 else None
    return x, y, weights


def agree(ours, theirs, x):
    assert list(ours.classes) == theirs.classes_.tolist()
    np.testing.assert_allclose(ours.predict_log_proba(x), theirs.predict_log_proba(x), rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(ours.predict(x), theirs.predict(x))


@pytest.mark.parametrize("seed", range(30))
def test_gaussian(seed):
    x, y, weights = problem(seed, counts=False)
    theirs = peer.GaussianNB(var_smoothing=0).fit(x, y, weights)
    agree(fit(x, y, columns=Gaussian(), estimate="mle", weights=weights, calibrate=False), theirs, x)


@pytest.mark.parametrize("seed", range(30))
def test_bernoulli(seed):
    x, y, weights = problem(seed, counts=True)
    alpha = [0.1, 1, 2.5][seed % 3]
    theirs = peer.BernoulliNB(alpha=alpha, binarize=1).fit(x, y, weights)
    ours = fit(x, y, columns=Bernoulli(threshold=1), weights=weights, calibrate=False).with_options(
        estimate="smoothed", alpha=alpha
    )
    agree(ours, theirs, x)
    agree(
        fit(sparse.csr_matrix(x), y, columns=Bernoulli(threshold=1), weights=weights, calibrate=False).with_options(
            estimate="smoothed", alpha=alpha
        ),
        theirs,
        x,
    )
    np.testing.assert_allclose(ours.predict_proba(sparse.csr_matrix(x)), ours.predict_proba(x), rtol=1e-9)


@pytest.mark.parametrize("seed", range(30))
def test_multinomial(seed):
    x, y, weights = problem(seed, counts=True)
    alpha = [0.1, 1, 2.5][seed % 3]
    theirs = peer.MultinomialNB(alpha=alpha).fit(x, y, weights)
    ours = fit(sparse.csr_matrix(x), y, columns=Multinomial(), weights=weights, calibrate=False).with_options(
        estimate="smoothed", alpha=alpha
    )
    agree(ours, theirs, x)
    np.testing.assert_allclose(ours.predict_proba(sparse.csr_matrix(x)), ours.predict_proba(x), rtol=1e-9)


@pytest.mark.parametrize("seed", range(30))
def test_categorical(seed):
    x, y, weights = problem(seed, counts=True)
    x = np.minimum(x, 5)
    alpha = [0.1, 1, 2.5][seed % 3]
    theirs = peer.CategoricalNB(alpha=alpha, min_categories=6).fit(x, y, weights)
    agree(
        fit(x, y, columns=Categorical(levels=6), weights=weights, calibrate=False).with_options(
            estimate="smoothed", alpha=alpha
        ),
        theirs,
        x,
    )


def test_class_priors():
    x, y, _ = problem(4, counts=True)
    classes = np.unique(y)
    given = np.full(len(classes), 0.5 / (len(classes) - 1))
    given[0] = 0.5
    ours = fit(x, y, columns=Multinomial(), calibrate=False).with_options(estimate="smoothed", alpha=1)
    agree(ours.with_options(class_prior=given), peer.MultinomialNB(class_prior=given).fit(x, y), x)
    agree(ours.with_options(class_prior="uniform"), peer.MultinomialNB(fit_prior=False).fit(x, y), x)
