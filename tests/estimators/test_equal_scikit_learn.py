"""On random problems the results agree with scikit-learn's to 1e-9, for all forms of X and y."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import sklearn.naive_bayes as theirs
from scipy import sparse

import suffice as ours

PROBLEMS = range(60)
LABELS = [
    lambda codes: codes,
    lambda codes: codes * 7 - 3,
    lambda codes: (codes % 2).astype(bool),
    lambda codes: codes.astype(np.float32),
    lambda codes: np.array(["no", "yes", "maybe", "so", "never"])[codes],
    lambda codes: np.array(["no", "yes", "maybe", "so", "never"], dtype=object)[codes],
    lambda codes: codes.astype(np.uint8),
]


def same(mine, peer, what=""):
    np.testing.assert_allclose(mine, peer, rtol=1e-9, atol=1e-9, err_msg=what)


class Problem:
    """Rows, classes, weights and priors drawn from a seed."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = np.random.default_rng(seed)
        self.rows, self.columns = int(self.random.integers(12, 90)), int(self.random.integers(2, 9))
        codes = np.concatenate([np.arange(5), self.random.integers(0, 5, self.rows - 5)])
        self.y = LABELS[seed % len(LABELS)](codes if seed % 5 else np.minimum(codes, 1))
        self.codes = np.unique(self.y, return_inverse=True)[1]
        weights = [None, self.random.uniform(0.1, 3, self.rows), self.random.integers(1, 4, self.rows)]
        self.weights = weights[seed % 3]
        size = len(np.unique(self.y))
        drawn = self.random.dirichlet(np.ones(size))
        self.prior = drawn / drawn.sum() if seed % 4 == 3 else None
        self.alpha = [1.0, 0.01, 30, self.random.uniform(0.1, 2, self.columns)][self.random.integers(0, 4)]
        self.shape = (self.rows, self.columns)

    def laid(self, x):
        """The same numbers in another dtype or layout."""
        forms = [
            lambda: x,
            lambda: np.asfortranarray(x),
            x.tolist,
            lambda: np.repeat(x, 2, axis=0)[::2],
            lambda: sparse.csr_array(x),
            lambda: sparse.csc_matrix(x),
        ]
        return forms[(self.seed // 2) % len(forms)]()

    def dense(self, x):
        """Another layout, but not a sparse one."""
        form = self.laid(x)
        return form.toarray() if sparse.issparse(form) else form


def compare(mine, peer, problem, x, peer_x=None):
    peer_x = x if peer_x is None else peer_x
    mine.fit(x, problem.y, sample_weight=problem.weights)
    peer.fit(peer_x, problem.y, sample_weight=problem.weights)
    agree(mine, peer, x, peer_x)
    for method in ("predict", "score"):
        arguments = (problem.y,) if method == "score" else ()
        np.testing.assert_array_equal(getattr(mine, method)(x, *arguments), getattr(peer, method)(peer_x, *arguments))
    in_parts(mine, problem, x)
    agree(mine, peer, x, peer_x)


def agree(mine, peer, x, peer_x):
    np.testing.assert_array_equal(mine.classes_, peer.classes_)
    assert mine.classes_.dtype == peer.classes_.dtype
    assert mine.n_features_in_ == peer.n_features_in_
    same(mine.predict_joint_log_proba(x), peer.predict_joint_log_proba(peer_x), "joint")
    same(mine.predict_log_proba(x), peer.predict_log_proba(peer_x), "log posterior")
    same(mine.predict_proba(x), peer.predict_proba(peer_x), "posterior")
    for name in (
        "class_count_",
        "class_log_prior_",
        "class_prior_",
        "feature_count_",
        "feature_all_",
        "theta_",
        "var_",
    ):
        assert hasattr(mine, name) == hasattr(peer, name), name
        if hasattr(mine, name):
            same(getattr(mine, name), getattr(peer, name), name)


def in_parts(mine, problem, x):
    """Learn the rows again in three batches of any size, and say the classes in some of the problems only."""
    del mine.model_
    rows = x if hasattr(x, "__getitem__") and hasattr(x, "shape") else np.asarray(x)
    rows = rows.tocsr() if sparse.issparse(rows) else rows
    cuts = [0, *sorted(problem.random.integers(1, problem.rows, 2)), problem.rows]
    for first, last in pairwise(cuts):
        if first < last:
            part = slice(first, last)
            weights = None if problem.weights is None else problem.weights[part]
            mine.partial_fit(rows[part], problem.y[part], np.unique(problem.y), sample_weight=weights)


@pytest.mark.parametrize("seed", PROBLEMS)
def test_gaussian(seed):
    problem = Problem(seed)
    x = problem.random.normal(size=problem.shape) + problem.codes[:, None] * problem.random.normal(size=problem.columns)
    x = np.concatenate([x, x + problem.random.normal(size=problem.shape)])  # at least two rows in each class
    problem.rows, problem.y = 2 * problem.rows, np.concatenate([problem.y, problem.y])
    problem.weights = None if problem.weights is None else np.concatenate([problem.weights] * 2)
    x = x.astype([np.float64, np.float32][seed % 2]).astype(np.float64)
    peer = theirs.GaussianNB(priors=problem.prior, var_smoothing=0)
    compare(ours.GaussianNB(priors=problem.prior, var_smoothing=0), peer, problem, problem.dense(x))


@pytest.mark.parametrize("seed", PROBLEMS)
def test_bernoulli(seed):
    problem = Problem(seed)
    x = problem.random.normal(size=problem.shape) * (problem.random.random(problem.shape) < 0.7)
    parameters = {
        "alpha": float(np.max(problem.alpha)),  # one for each column is broken in theirs: test_differences.py
        "class_prior": problem.prior,
        "fit_prior": seed % 5 != 1,
        "binarize": [0.0, 0.4][seed % 2],
    }
    compare(ours.BernoulliNB(**parameters), theirs.BernoulliNB(**parameters), problem, problem.laid(x))


@pytest.mark.parametrize("seed", PROBLEMS)
def test_multinomial(seed):
    problem = Problem(seed)
    x = problem.random.poisson(1.5, problem.shape)
    x = x.astype([np.int64, np.float64, np.uint8, np.float32][seed % 4])
    parameters = {"alpha": problem.alpha, "class_prior": problem.prior, "fit_prior": seed % 5 != 1}
    compare(ours.MultinomialNB(**parameters), theirs.MultinomialNB(**parameters), problem, problem.laid(x))


@pytest.mark.parametrize("seed", PROBLEMS)
def test_complement(seed):
    problem = Problem(seed)
    if seed % 10 == 7:
        problem.y, problem.prior = np.zeros(problem.rows, dtype=int), None  # one class alone
    x = problem.random.poisson(1.5, problem.shape).astype([np.float64, np.int32][seed % 2])
    parameters = {"alpha": problem.alpha, "class_prior": problem.prior, "norm": seed % 3 == 1}
    mine, peer = ours.ComplementNB(**parameters), theirs.ComplementNB(**parameters)
    compare(mine, peer, problem, problem.laid(x))
    same(mine.feature_log_prob_, peer.feature_log_prob_)


@pytest.mark.parametrize("seed", PROBLEMS)
def test_categorical(seed):
    problem = Problem(seed)
    problem.alpha = float(np.max(problem.alpha))
    sizes = problem.random.integers(1, 6, problem.columns)
    x = problem.random.integers(0, sizes, problem.shape) * problem.random.integers(1, 3, problem.columns)
    least = [None, 7, sizes * 2 + 1][problem.random.integers(0, 3)]  # below the greatest code it is refused by theirs
    x = x.astype([np.int64, np.float64, np.int16][seed % 3])
    parameters = {
        "alpha": problem.alpha,
        "class_prior": problem.prior,
        "fit_prior": seed % 5 != 1,
        "min_categories": None if least is None else np.maximum(least, x.max(axis=0).astype(int) + 1),
    }
    mine, peer = ours.CategoricalNB(**parameters), theirs.CategoricalNB(**parameters)
    compare(mine, peer, problem, problem.dense(x))
    np.testing.assert_array_equal(mine.n_categories_, peer.n_categories_)
    for name in ("category_count_", "feature_log_prob_"):
        for left, right in zip(getattr(mine, name), getattr(peer, name), strict=True):
            same(left, right, name)


@pytest.mark.parametrize("name", ["BernoulliNB", "MultinomialNB"])
def test_the_logs_of_the_probabilities(name):
    random = np.random.default_rng(5)
    x, y = random.poisson(1, (40, 6)), random.integers(0, 3, 40)
    mine, peer = (getattr(package, name)(alpha=0.3).fit(x, y) for package in (ours, theirs))
    same(mine.feature_log_prob_, peer.feature_log_prob_)


def test_a_prior_of_five_digits_is_taken_as_scikit_learn_takes_it():
    x, y = np.array([[0.0], [1], [5], [6], [10], [12]]), [0, 0, 1, 1, 2, 2]
    thirds = [0.333333, 0.333333, 0.333333]
    mine, peer = (package.GaussianNB(priors=thirds, var_smoothing=0).fit(x, y) for package in (ours, theirs))
    same(mine.predict_proba(x), peer.predict_proba(x))


def test_a_class_without_weight_keeps_its_column():
    x, y, w = np.array([[1, 0], [0, 1], [1, 1]]), ["a", "b", "c"], [1, 1, 0]
    for name in ("BernoulliNB", "MultinomialNB", "ComplementNB", "CategoricalNB"):
        mine, peer = (getattr(package, name)().fit(x, y, sample_weight=w) for package in (ours, theirs))
        np.testing.assert_array_equal(mine.classes_, peer.classes_)
        same(mine.predict_proba(x), peer.predict_proba(x), name)
