"""Cumulants of log p(c, x) under the posterior of the parameters, against quadrature; drawn terms against both."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import suffice as sf
from suffice.api.scoring import tables_to_score
from suffice.evidence.uncertainty_moments import closed_form, joint_moments, log_moments, uncertain_terms
from suffice.likelihoods.terms import Coefficient
from suffice.models.score import Scorer
from tests.oracles import uncertainty_slow as slow

Y = np.array(["a"] * 5 + ["b"] * 7)


def moments(model, data):
    """Return the three cumulants, rows × classes, means as their difference from those of the first class."""
    (table,) = tables_to_score(model, data)
    known = model.read(class_prior="uniform").naive_bayes
    mean, variance, third = log_moments(known, table, uncertain_terms(known))
    return mean - mean[:, :1], variance, third


def require(found, row, by_class):
    """Hold the cumulants of a row beside those of a sum of independent parts of each class."""
    sums = [np.sum(parts, axis=0) for parts in by_class]
    for c, (mean, variance, third) in enumerate(sums):
        assert found[0][row, c] == pytest.approx(mean - sums[0][0], rel=1e-8, abs=1e-9)
        assert found[1][row, c] == pytest.approx(variance, rel=1e-8, abs=1e-12)
        assert found[2][row, c] == pytest.approx(third, rel=1e-7, abs=1e-12)


def test_presence_and_absence_against_quadrature():
    x = np.array([[1, 0]] * 3 + [[0, 1]] * 4 + [[1, 1]] * 5)
    found = moments(sf.fit(x, Y, sf.Bernoulli()), np.array([[1.0, 0.0], [np.nan, 1.0]]))
    present = [[x[c == Y, j].sum() for j in (0, 1)] for c in ("a", "b")]
    alpha = [[(p + 1, n - p + 1) for p in each] for each, n in zip(present, (5, 7), strict=True)]
    require(found, 0, [[slow.of_outcome(of[0], 0), slow.of_outcome(of[1], 1)] for of in alpha])
    require(found, 1, [[slow.of_outcome(of[1], 0)] for of in alpha])


@pytest.mark.parametrize("estimate", ["mle", "smoothed", "map", "mean", "predictive"])
def test_levels_against_quadrature_under_the_prior_of_every_reading(estimate):
    fur = np.array(["black"] * 2 + ["white"] * 6 + ["calico"] * 4)
    model = sf.fit({"fur": fur}, Y, {"fur": sf.Categorical(unseen="mass")}).read(estimate)
    found = moments(model, {"fur": ["black", "mauve", None]})
    prior = 2 if estimate == "map" else 1
    alpha = [[2 + prior, prior, 3 + prior, prior], [prior, 4 + prior, 3 + prior, prior]]  # black, calico, white, unseen
    require(found, 0, [[slow.of_outcome(each, 0)] for each in alpha])
    require(found, 1, [[slow.of_outcome(each, 3)] for each in alpha])
    require(found, 2, [[(0, 0, 0)], [(0, 0, 0)]])


def test_cells_of_a_histogram_against_quadrature():
    x = np.arange(12.0)[:, None]
    found = moments(sf.fit(x, Y, sf.Histogram(2)), np.array([[2.0], [np.nan], [-np.inf]]))
    alpha = [[6, 1], [2, 7]]  # cells of equal mass: 0 … 5, 6 … 11
    for row in (0, 2):
        require(found, row, [[slow.of_outcome(each, 0)] for each in alpha])
    require(found, 1, [[(0, 0, 0)], [(0, 0, 0)]])


def test_rows_of_counts_against_numerical_derivatives_also_with_gaps():
    x = np.array([[3, 0, 1]] * 5 + [[1, 2, 2]] * 7)
    rows = np.array([[4.0, 1.0, 0.0], [2.0, np.nan, 5.0], [np.nan, np.nan, np.nan]])
    found = moments(sf.fit(x, Y, sf.Multinomial(alpha=0.5)), rows)
    alpha = [[15.5, 0.5, 5.5], [7.5, 14.5, 14.5]]
    require(found, 0, [[slow.of_counts(each, [4, 1, 0])] for each in alpha])
    require(found, 1, [[slow.of_counts([each[0], each[2]], [2, 5])] for each in alpha])
    require(found, 2, [[(0, 0, 0)], [(0, 0, 0)]])


def test_sparse_counts_are_the_same_as_dense_ones():
    from scipy.sparse import csr_matrix

    x = np.array([[3, 0, 1]] * 5 + [[1, 2, 2]] * 7)
    model = sf.fit(x, Y, sf.Multinomial())
    for dense, sparse in zip(moments(model, x), moments(model, csr_matrix(x)), strict=True):
        np.testing.assert_array_equal(dense, sparse)


def test_rates_against_quadrature():
    x = np.array([[2]] * 5 + [[6]] * 7)
    model = sf.fit(x, Y, sf.Poisson(sf.GammaPoisson(2, 0.5)))
    found = moments(model, np.array([[4.0], [0.0], [np.nan]]))
    for row, cell in enumerate((4, 0)):
        require(found, row, [[slow.of_rate(12, 5.5, cell)], [slow.of_rate(44, 7.5, cell)]])
    require(found, 2, [[(0, 0, 0)], [(0, 0, 0)]])


@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_gaussians_against_quadrature(shift):
    rng = np.random.default_rng(3)
    x = np.column_stack([rng.normal(shift, 2, 12), rng.normal(0, 1, 12)])
    rows = np.array([[shift + 1.0, np.nan], [shift - 9.0, 0.5]])
    found = moments(sf.fit(x, Y, sf.Gaussian()), rows)
    after = [
        [slow.unit_information(x[c == Y, j] - (shift, 0)[j], x[:, j] - (shift, 0)[j]) for j in (0, 1)] for c in "ab"
    ]
    require(found, 0, [[slow.of_normal(*of[0], 1.0)] for of in after])
    require(found, 1, [[slow.of_normal(*of[0], -9.0), slow.of_normal(*of[1], 0.5)] for of in after])


def test_combinations_against_quadrature_also_where_a_gap_may_be_several():
    fur, sex = ["black", "white"] * 6, ["f", "f", "m"] * 4
    model = sf.fit({"fur": fur, "sex": sex}, Y, {("fur", "sex"): sf.Joint(alpha=0.5)})
    found = moments(model, {"fur": ["black", "white", None], "sex": ["m", None, None]})
    for row, matching in enumerate([[("black", "m")], [("white", "f"), ("white", "m")]]):
        parts = []
        for c, n in (("a", 5), ("b", 7)):
            pairs = [pair for pair, y in zip(zip(fur, sex, strict=True), Y, strict=True) if y == c]
            alpha = 0.5 * len(matching) + sum(pairs.count(each) for each in matching)
            parts.append([slow.of_outcome([alpha, n + 2 - alpha], 0)])
        require(found, row, parts)
    require(found, 2, [[(0, 0, 0)], [(0, 0, 0)]])


def test_being_missing_against_quadrature():
    x = np.array([[1.0], [1.0], [np.nan], [2.0], [2.0]] + [[np.nan]] * 4 + [[1.0]] * 3)
    model = sf.fit(x, Y, {0: sf.Histogram(2, missing="level")})
    found = moments(model, np.array([[np.nan]]))
    require(found, 0, [[slow.of_outcome([5, 2], 1)], [slow.of_outcome([4, 5], 1)]])


@pytest.mark.parametrize("binary", [False, True])
def test_documents_against_numerical_derivatives(binary):
    texts = ["red red blue"] * 5 + ["blue green"] * 7
    model = sf.fit(texts, Y, sf.Words(alpha=0.5, binary=binary))
    found = moments(model, ["red red red green", None, "purple"])
    once = 5 if binary else 10
    alpha = [[5.5, 0.5, once + 0.5], [7.5, 7.5, 0.5]]  # blue, green, red
    require(found, 0, [[slow.of_counts(each, [0, 1, 1 if binary else 3])] for each in alpha])
    for row in (1, 2):
        require(found, row, [[(0, 0, 0)], [(0, 0, 0)]])


def test_presence_of_words_against_quadrature():
    texts = ["red red blue"] * 5 + ["blue green"] * 7
    found = moments(sf.fit(texts, Y, sf.Words(model="bernoulli")), ["red red"])
    alpha = [[(6, 1), (1, 6), (6, 1)], [(8, 1), (8, 1), (1, 8)]]  # blue, green, red: present, absent
    require(
        found, 0, [[slow.of_outcome(each, there) for each, there in zip(of, (1, 1, 0), strict=True)] for of in alpha]
    )


def test_the_class_prior_varies_where_the_data_say_it_and_not_where_it_is_given():
    x = np.zeros((12, 1))
    model = sf.fit(x, Y, sf.Bernoulli(threshold=1.0))
    (table,) = tables_to_score(model, np.array([[np.nan]]))
    drawn = joint_moments(model.naive_bayes, table, ())
    # log π_a − log π_b of a beta: the totals of both cancel.
    odds = slow.of_distribution(lambda t: np.log(t) - np.log1p(-t), stats.beta(6, 8))
    assert drawn.mean[0, 0] - drawn.mean[0, 1] == pytest.approx(odds[0], rel=1e-9)
    assert drawn.variance[0].sum() == pytest.approx(odds[1], rel=1e-9)
    assert drawn.third[0, 0] - drawn.third[0, 1] == pytest.approx(odds[2], rel=1e-8)
    given = joint_moments(model.read(class_prior=[0.25, 0.75]).naive_bayes, table, ())
    np.testing.assert_allclose(given.mean, np.log([[0.25, 0.75]]))
    assert not given.variance.any()
    assert not given.third.any()


EVERY = {
    "presence": (sf.Bernoulli(), "counts"),
    "levels": (sf.Categorical(), "counts"),
    "mass": (sf.Categorical(unseen="mass", missing="level"), "counts"),
    "counts": (sf.Multinomial(), "counts"),
    "rates": (sf.Poisson(), "counts"),
    "joint": ({(0, 1): sf.Joint(), 2: sf.Categorical()}, "counts"),
    "gaussian": (sf.Gaussian(), "reals"),
    "one variance": (sf.Gaussian(covariance="shared", joint=False), "reals"),
    "full": (sf.Gaussian(covariance="full"), "reals"),
    "shared": (sf.Gaussian(covariance="shared"), "reals"),
    "spherical": (sf.Gaussian(covariance="spherical"), "reals"),
    "histogram": (sf.Histogram(3, missing="level"), "reals"),
    "numeric": (sf.Numeric(), "reals"),
}


def rows_of(kind):
    rng = np.random.default_rng(8)
    if kind == "counts":
        return rng.integers(0, 4, (40, 3)).astype(float), np.array([[1.0, 0.0, 2.0], [3.0, np.nan, 0.0]])
    x = rng.normal(size=(40, 3)) * [1, 5, 0.1] + [0, 100, 0]
    return x, np.array([[0.3, 97.0, 0.05], [1.5, np.nan, -0.1]])


@pytest.mark.parametrize("name", EVERY)
def test_the_mean_density_over_draws_is_the_predictive_one(name):
    likelihood, kind = EVERY[name]
    x, rows = rows_of(kind)
    model = sf.fit(x, np.array(["a", "b"])[(np.arange(40) % 5 > 1).astype(int)], likelihood)
    known = model.read(class_prior="uniform").naive_bayes
    (table,) = tables_to_score(model, rows)
    terms, rng, draws = uncertain_terms(known), np.random.default_rng(5), 1500
    nothing = np.zeros(2)
    scores = np.stack(
        [
            Scorer([term.drawn(rng) for term in terms], nothing, known.schema.names).score(table, "joint").values
            for _ in range(draws)
        ]
    )
    expected = known.score(table, "joint").values - np.log(0.5)
    expected = expected - _coefficient(known, table)
    ratio = np.exp(scores - expected)
    error = ratio.std(axis=0) / np.sqrt(draws)
    assert (np.abs(ratio.mean(axis=0) - 1) < 5 * error + 1e-9).all()  # 5 standard errors: 1 in 1,700,000 by chance


def _coefficient(known, table):
    # What a row of counts adds for every class alike, ln n! − Σ ln x_j!, is left out where θ is drawn.
    terms = [term for term in known.terms if isinstance(term, Coefficient)]
    return Scorer(terms, np.zeros(2), known.schema.names).score(table, "joint").values if terms else 0.0


@pytest.mark.parametrize(
    "name", [name for name in EVERY if name not in ("one variance", "full", "shared", "spherical")]
)
def test_cumulants_are_those_of_the_draws(name):
    likelihood, kind = EVERY[name]
    x, rows = rows_of(kind)
    model = sf.fit(x, np.array(["a", "b"])[(np.arange(40) % 5 > 1).astype(int)], likelihood)
    known = model.read(class_prior="uniform").naive_bayes
    (table,) = tables_to_score(model, rows)
    terms, rng, draws = uncertain_terms(known), np.random.default_rng(6), 1500
    assert all(map(closed_form, terms))
    scores = np.stack(
        [
            Scorer([term.drawn(rng) for term in terms], np.zeros(2), known.schema.names).score(table, "joint").values
            for _ in range(draws)
        ]
    )
    found = log_moments(known, table, terms)
    odds, mean = scores[..., 1] - scores[..., 0], found.mean[:, 1] - found.mean[:, 0]
    variance = found.variance.sum(axis=1)
    assert (np.abs(odds.mean(axis=0) - mean) < 5 * np.sqrt(variance / draws) + 1e-9).all()
    spread = scores.var(axis=0)
    error = np.sqrt((((scores - scores.mean(axis=0)) ** 4).mean(axis=0) - spread**2) / draws)
    assert (np.abs(spread - found.variance) < 5 * error + 1e-9).all()


def test_where_classes_share_a_variance_there_are_only_draws():
    x, _ = rows_of("reals")
    y = np.arange(40) % 2
    for name in ("one variance", "full", "shared", "spherical"):
        known = sf.fit(x, y, EVERY[name][0]).naive_bayes
        assert not all(map(closed_form, uncertain_terms(known)))
