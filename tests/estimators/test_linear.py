"""coef_ and intercept_ of estimators whose score is linear."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import naive_bayes

import suffice as sf

random = np.random.default_rng(2)
N = 120


def rows(classes):
    y = random.integers(0, classes, N)
    return y, random.poisson(1 + y[:, None], (N, 3)), random.normal(y[:, None], 1.5, (N, 3))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    ("estimator", "features"),
    [
        (sf.BernoulliNB(binarize=1.0), lambda counts, x: counts > 1),
        (sf.MultinomialNB(alpha=0.5), lambda counts, x: counts),
        (sf.ComplementNB(), lambda counts, x: counts),
        (sf.ComplementNB(norm=True), lambda counts, x: counts),
        (sf.NaiveBayes(sf.Gaussian(variance="shared"), estimate="mle"), lambda counts, x: x),
        (sf.LinearDiscriminant(), lambda counts, x: x),
        (
            sf.CategoricalNB(),
            lambda counts, x: np.concatenate(
                [counts[:, [j]] == np.arange(counts[:, j].max() + 1) for j in range(3)], axis=1
            ),
        ),
    ],
)
def test_the_score_is_the_weighted_sum(estimator, features, classes):
    y, counts, x = rows(classes)
    of_rows = features(counts, x)
    estimator.fit(x if of_rows is x else counts, y)
    assert estimator.coef_.shape == (1 if classes == 2 else 3, of_rows.shape[1])
    assert estimator.intercept_.shape == (1 if classes == 2 else 3,)
    assert len(estimator.coef_features_) == of_rows.shape[1]
    scores = of_rows @ estimator.coef_.T + estimator.intercept_
    logs = estimator.predict_log_proba(x if of_rows is x else counts)
    if classes == 2:
        assert np.allclose(scores[:, 0], logs[:, 1] - logs[:, 0], rtol=1e-9, atol=1e-10)
    else:
        assert np.allclose(scores - scores[:, :1], logs - logs[:, :1], rtol=1e-9, atol=1e-10)


def test_the_weights_are_those_of_scikit_learn():
    y, counts, _ = rows(3)
    ours, theirs = sf.MultinomialNB().fit(counts, y), naive_bayes.MultinomialNB().fit(counts, y)
    assert np.allclose(ours.coef_, theirs.feature_log_prob_, rtol=1e-12)
    assert np.allclose(ours.intercept_, theirs.class_log_prior_, rtol=1e-12)
    ours, theirs = sf.BernoulliNB().fit(counts, y), naive_bayes.BernoulliNB().fit(counts, y)
    absent = np.log1p(-np.exp(theirs.feature_log_prob_))
    assert np.allclose(ours.coef_, theirs.feature_log_prob_ - absent, rtol=1e-12)


def test_a_constant_column_has_weight_0_and_columns_have_names():
    import pandas as pd

    y, _, x = rows(2)
    frame = pd.DataFrame({"a": x[:, 0], "same": 1.0, "c": x[:, 2]})
    line = sf.NaiveBayes(sf.Gaussian(variance="shared"), estimate="mean").fit(frame, y)
    assert line.coef_[0, 1] == 0
    assert line.coef_features_ == [("a", None), ("same", None), ("c", None)]
    mixed = sf.NaiveBayes({"a": sf.Gaussian(variance="shared"), "k": sf.Categorical()}, estimate="mean")
    mixed.fit(pd.DataFrame({"a": x[:, 0], "k": np.where(x[:, 1] > 0, "up", "down")}), y)
    assert mixed.coef_features_ == [("a", None), ("k", "down"), ("k", "up")]


@pytest.mark.parametrize(
    "estimator",
    [
        sf.GaussianNB(),
        sf.QuadraticDiscriminant(),
        sf.NaiveBayes(sf.Gaussian()),
        sf.NaiveBayes(sf.Gaussian(variance="shared")),
        sf.NaiveBayes(sf.Histogram()),
    ],
)
def test_other_models_have_no_weights(estimator):
    y, _, x = rows(2)
    assert not hasattr(estimator, "coef_")
    estimator.fit(x, y)
    assert not hasattr(estimator, "coef_")
    assert not hasattr(estimator, "intercept_")
