"""Rows drawn from a model: they come back as the model that they were drawn from, and spread as they should."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from scipy import stats

from suffice.api import ClassPrior, Sample, fit
from suffice.conjugate import DirichletMultinomial, NormalInverseGamma
from suffice.errors import DataError, ParameterError
from suffice.likelihoods import (
    Bernoulli,
    Categorical,
    Gaussian,
    Histogram,
    Joint,
    Multinomial,
    MultivariateGaussian,
    Numeric,
    Poisson,
)

N = 200_000
RNG = np.random.default_rng(7)
CLASSES = RNG.choice(["ham", "news", "spam"], 60, p=[0.5, 0.3, 0.2])
SHIFT = np.select([CLASSES == "ham", CLASSES == "news"], [0.0, 1.0], 3.0)
REAL = RNG.normal(size=(60, 2)) * [2.0, 0.5] + SHIFT[:, None] * [1, 2] + [0, 1e6]
COUNTS = RNG.poisson(2 + SHIFT[:, None], size=(60, 3))
FUR = RNG.choice(["black", "calico", "white"], 60)
SEX = np.where(RNG.random(60) < 0.3, "m", "f")
FRAME = {
    "height": REAL[:, 0],
    "wet": COUNTS[:, 0] > 2,
    "fur": FUR,
    "words": COUNTS[:, 1],
    "other": COUNTS[:, 2],
    "visits": COUNTS[:, 0],
    "sex": SEX,
    "paw": RNG.choice(["l", "r"], 60),
}
MIXTURE = {
    "height": Gaussian(),
    "wet": Bernoulli(),
    "fur": Categorical(),
    ("words", "other"): Multinomial(),
    "visits": Poisson(),
    ("sex", "paw"): Joint(),
}


def within(found, expected, error):
    """Five standard errors, of which 200,000 rows break none in a hundred thousand tests."""
    assert (np.abs(np.asarray(found) - expected) <= 5 * np.asarray(error) + 1e-12).all(), (found, expected, error)


def parameters(model):
    return {tuple(each[:4]): each.value for each in model.parameters()}


def rows_of(model, label):
    (weight,) = (w for c, w in zip(model.classes, model.core.tally.weight, strict=True) if c == label)
    return float(weight)


@pytest.mark.parametrize("estimate", ["mle", "smoothed", "map", "mean"])
def test_what_is_drawn_as_it_is_read_fits_the_same_parameters(estimate):
    model = fit(FRAME, CLASSES, columns=MIXTURE, estimate=estimate, calibrate=False)
    data, target = model.sample(N, seed=3, length=6)
    again = fit(data, target, columns=MIXTURE, estimate="mle", calibrate=False)
    expected, found = parameters(model), parameters(again)
    assert set(found) >= set(expected)
    variance = {key[:2]: value for key, value in expected.items() if key[3] == "variance"}
    for key, value in expected.items():
        label, column, _, name = key
        n = rows_of(again, label)
        if name == "class prior":
            error = np.sqrt(value * (1 - value) / N)
        elif name == "probability":
            draws = 6 * n if column in ("words", "other") else n
            error = np.sqrt(value * (1 - value) / draws)
        elif name == "rate":
            error = np.sqrt(value / n)
        elif name == "location":
            error = np.sqrt(variance[label, column] / n)
        else:
            error = value * np.sqrt(2 / n)
        within(found[key], value, error)


def test_the_predictive_of_real_numbers_is_student_t():
    model = fit(REAL, CLASSES, columns=Gaussian(), calibrate=False)
    data, _ = model.sample(N, seed=1, classes="news")
    for j in range(2):
        location, scale, degrees = (
            next(p.value for p in model.parameters() if p[0] == "news" and p[1] == j and p.name == name)
            for name in ("location", "scale", "degrees")
        )
        assert stats.kstest((data[:, j] - location) / scale, stats.t(degrees).cdf).pvalue > 1e-4


def test_the_predictive_of_counts_is_negative_binomial():
    model = fit(COUNTS, CLASSES, columns=Poisson(), calibrate=False)
    data, _ = model.sample(N, seed=2, classes="spam")
    x = np.arange(60.0)
    grid = np.full((60, 3), np.nan)
    grid[:, 1] = x
    log_prior = model.core.log_prior[2]
    chance = np.exp(model.log_joint(grid)[:, 2] - log_prior)
    found = np.bincount(data[:, 1].astype(int), minlength=60)[:60] / N
    within(found, chance, np.sqrt(chance * (1 - chance) / N))


def test_the_predictive_of_a_row_of_counts_is_polya():
    model = fit(COUNTS, CLASSES, columns=Multinomial(), calibrate=False)
    data, _ = model.sample(N, seed=2, classes="ham", length=3)
    cells = np.array([c for c in product(range(4), repeat=3) if sum(c) == 3], dtype=float)
    chance = np.exp(model.log_joint(cells)[:, 0] - model.core.log_prior[0])
    np.testing.assert_allclose(chance.sum(), 1)
    found = np.array([(data == cell).all(axis=1).mean() for cell in cells])
    within(found, chance, np.sqrt(chance * (1 - chance) / N))


@pytest.mark.parametrize("estimate", ["mle", "smoothed", "map", "mean", "predictive"])
def test_numbers_of_a_histogram_fall_in_its_cells_by_their_masses(estimate):
    model = fit(REAL, CLASSES, columns=Histogram(bins=5), estimate=estimate, calibrate=False)
    data, _ = model.sample(N, seed=6, classes="ham")
    (term,) = model.core.terms
    assert np.isfinite(model.log_joint(data)[:, 0]).all()  # no number in a cell of mass 0
    for j, cuts in enumerate(term.edges):
        masses = [p.value for p in model.parameters() if p.column == j and p.label == "ham"]
        found = np.bincount(np.searchsorted(cuts, data[:, j], side="right"), minlength=5) / N
        within(found, masses, np.sqrt(np.multiply(masses, np.subtract(1, masses)) / N))
        # Within a cell each number is alike: its mean is the middle, its variance width²/12.
        inside = data[(data[:, j] >= cuts[1]) & (data[:, j] < cuts[2]), j]
        width = cuts[2] - cuts[1]
        within(inside.mean(), (cuts[1] + cuts[2]) / 2, width / np.sqrt(12 * max(len(inside), 1)))


def test_a_column_of_numeric_is_drawn_as_it_is_read():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 2000)
    x = np.column_stack([rng.normal(size=4000), np.where(rng.random(4000) < 0.5, 0, 10) + rng.random(4000)])
    model = fit(x, y, columns=Numeric(), calibrate=False)
    assert [choice.split(",")[0] for choice in model.core.choices().values()] == ["Gaussian", "Histogram"]
    data, target = model.sample(N, seed=1)
    again = fit(data, target, columns=Numeric(), calibrate=False)
    assert again.core.choices().keys() == model.core.choices().keys()
    low = model.core.parts[0][0]
    within(data[target == "a", 0].mean(), low.mean[0, 0], 1.01 / np.sqrt((target == "a").sum()))
    assert np.isin(np.floor(data[:, 1]), [0, 10]).mean() > 0.98  # but for the wide cell between the two heaps
    alone = fit(x[:, :1], y, columns=Numeric(), calibrate=False).with_options(estimate="mle").sample(1000, seed=2).data
    assert (
        alone
        == fit(x[:, :1], y, columns=Gaussian(), calibrate=False).with_options(estimate="mle").sample(1000, seed=2).data
    ).all()


@pytest.mark.parametrize("kind", [Gaussian(missing="level"), Histogram(missing="level"), Numeric(missing="level")])
def test_what_is_missing_as_information_is_missing_as_often(kind):
    x = REAL.copy()
    x[::3, 0] = np.nan
    model = fit(x, CLASSES, columns=kind, estimate="mle", calibrate=False)
    data, target = model.sample(N, seed=4)
    for label in ("ham", "news", "spam"):
        share = np.isnan(x[label == CLASSES, 0]).mean()
        found = np.isnan(data[target == label])
        within(found[:, 0].mean(), share, np.sqrt(share * (1 - share) / len(found)))
        assert not found[:, 1].any()


def test_the_posterior_of_the_mass_of_a_cell_spreads_as_its_beta():
    # 8 of 20 in the first of two cells: Beta(9, 13) under the uniform prior.
    x = np.repeat([1.0, 2.0, 3.0, 9.0], [4, 4, 6, 6])[:, None]
    model = fit(x, ["c"] * 20, columns=Histogram(bins=2), calibrate=False)
    (term,) = model.core.terms
    ((cut,),) = term.edges
    first = float((x < cut).sum())
    a, b, rows = first + 1, 21 - first, 400
    mean, variance = a / (a + b), a * b / ((a + b) ** 2 * (a + b + 1))
    noise = (mean - mean**2 - variance) / rows
    expected = mean, variance, noise
    spread(model, lambda m, rng: (m.sample(rows, seed=rng, posterior=True).data < cut).mean(), expected)


def test_a_histogram_of_one_value_is_that_value():
    x = np.array([[2.5, np.nan, np.inf, -np.inf], [2.5, np.nan, np.inf, -np.inf]])
    data, _ = fit(x, ["a", "b"], columns=Histogram(), calibrate=False).sample(2, seed=0)
    np.testing.assert_array_equal(data, x)


@pytest.mark.parametrize("rows", [6, 60])
def test_combinations_that_no_row_has_shown_are_drawn_too(rows):
    # With 6 rows most combinations are unseen, with 60 few.
    data = {"fur": FUR[:rows], "sex": SEX[:rows], "paw": FRAME["paw"][:rows]}
    model = fit(data, CLASSES[:rows], columns=Joint(), calibrate=False)
    drawn, _ = model.sample(N, seed=5, classes="ham")
    levels = [sorted(set(data[name])) for name in data]
    cells = list(product(*levels))
    grid = {name: np.array([c[j] for c in cells], dtype=object) for j, name in enumerate(data)}
    chance = np.exp(model.log_joint(grid)[:, 0] - model.core.log_prior[0])
    np.testing.assert_allclose(chance.sum(), 1)
    code = [{level: k for k, level in enumerate(each)} for each in levels]
    places = np.array([[code[j][cell] for cell in drawn[name]] for j, name in enumerate(data)])
    flat = np.ravel_multi_index(tuple(places), [len(each) for each in levels])
    within(np.bincount(flat, minlength=len(cells)) / N, chance, np.sqrt(chance * (1 - chance) / N))


CALLS = 2000


def spread(model, read, expected, excess=0.5):
    """The mean and variance over many calls, of one parameter, against those of its posterior.

    The standard error of a variance V is V √((2 + excess kurtosis)/n); 0.5 is that of the t of 16 degrees, the heaviest
    of the posteriors here but one.
    """
    rng = np.random.default_rng(11)
    values = np.array([read(model, rng) for _ in range(CALLS)])
    mean, variance, noise = expected
    total = variance + noise
    within(values.mean(), mean, np.sqrt(total / CALLS))
    within(values.var(), total, total * np.sqrt((2 + excess) / CALLS))


def test_the_posterior_of_a_probability_spreads_as_its_beta():
    # 8 of 20: Beta(9, 13) under the uniform prior; rows of a call share θ.
    x = np.repeat([1.0, 0.0], [8, 12])[:, None]
    a, b, rows = 9, 13, 400
    mean, variance = a / (a + b), a * b / ((a + b) ** 2 * (a + b + 1))
    noise = (mean - mean**2 - variance) / rows
    for kind in (Bernoulli(), Categorical()):
        model = fit(x, ["c"] * 20, columns=kind, calibrate=False)
        spread(
            model,
            lambda m, rng: m.sample(rows, seed=rng, posterior=True).data.mean(),
            (mean, variance, noise),
        )
        # As it is read, the rows of a call have nothing in common.
        spread(model, lambda m, rng: m.sample(rows, seed=rng).data.mean(), (mean, 0, mean * (1 - mean) / rows))


def test_the_posterior_of_the_class_prior_spreads_as_its_dirichlet():
    model = fit(np.zeros((20, 1)), ["a"] * 8 + ["b"] * 12, columns=Bernoulli(), calibrate=False)
    mean, variance = 9 / 22, 9 * 13 / (22**2 * 23)
    noise = (mean - mean**2 - variance) / 400

    def share(m, rng):
        return (m.sample(400, seed=rng, posterior=True).target == "a").mean()

    spread(model, share, (mean, variance, noise))
    spread(model.with_options(class_prior=ClassPrior.dirichlet(1)), share, (mean, variance, noise))
    for given in ("uniform", [0.5, 0.5]):
        spread(model.with_options(class_prior=given), share, (0.5, 0, 0.25 / 400))


def test_the_posterior_of_a_rate_spreads_as_its_gamma():
    from suffice.conjugate import GammaPoisson

    x = np.repeat([[1.0], [3.0]], 5, axis=0)
    model = fit(x, ["c"] * 10, columns=Poisson(GammaPoisson(2, 1)), calibrate=False)
    shape, rate, rows = 22, 11, 300
    expected = shape / rate, shape / rate**2, shape / rate / rows
    spread(model, lambda m, rng: m.sample(rows, seed=rng, posterior=True).data.mean(), expected)


@pytest.mark.parametrize("variance", ["own", "shared"])
def test_the_posterior_of_mean_and_variance_spreads_as_normal_inverse_gamma(variance):
    x = np.array([[1.0], [2.0], [4.0], [7.0], [8.0], [11.0], [12.0], [15.0]])
    prior = NormalInverseGamma(5, 2, 4, 6)
    model = fit(x, ["c"] * 8, columns=Gaussian(prior, variance), calibrate=False)
    after = prior.update(x[:, 0])
    rows = 200
    variance = float(np.asarray(after.mean.variance))
    location = float(np.asarray(after.mean.location))
    expected = location, variance / float(after.strength), variance / rows
    spread(model, lambda m, rng: m.sample(rows, seed=rng, posterior=True).data.mean(), expected)


@pytest.mark.parametrize("likelihood", [Gaussian(variance="shared"), MultivariateGaussian(covariance="shared")])
def test_a_shared_variance_is_drawn_once_for_all_classes(likelihood):
    x = np.array([[1.0], [2.0], [4.0], [7.0], [8.0], [11.0]])
    model = fit(x, list("aaabbb"), columns=likelihood, calibrate=False)
    other = model.with_options(estimate="mean")
    ratios = {"shared": [], "own": []}
    own = fit(x, list("aaabbb"), columns=Gaussian(), calibrate=False)
    rng = np.random.default_rng(3)
    for name, each in (("shared", other), ("own", own)):
        for _ in range(40):
            data, target = each.sample(4000, seed=rng, classes={"a": 2000, "b": 2000}, posterior=True)
            ratios[name].append(data[target == "a"].var() / data[target == "b"].var())
    # A ratio of two variances of 2,000 normal numbers each has the standard error √(2 · 2/2000) = 0.045.
    assert np.abs(np.log(ratios["shared"])).max() < 5 * 0.045
    assert np.abs(np.log(ratios["own"])).max() > 5 * 0.045


def test_the_posterior_of_a_row_of_counts_spreads_as_its_dirichlet():
    model = fit(
        np.array([[3.0, 5.0], [4.0, 6.0]]),
        ["c", "c"],
        columns=Multinomial(DirichletMultinomial([2, 2])),
        calibrate=False,
    )
    a, b, tokens = 9, 13, 40 * 25
    mean, variance = a / (a + b), a * b / ((a + b) ** 2 * (a + b + 1))
    noise = (mean - mean**2 - variance) / tokens
    spread(
        model,
        lambda m, rng: m.sample(40, seed=rng, posterior=True, length=25).data[:, 0].sum() / tokens,
        (mean, variance, noise),
    )


@pytest.mark.parametrize("combination", [("black", "f"), ("white", "m")])
def test_the_posterior_of_a_combination_spreads_as_its_beta_seen_or_not(combination):
    data = {"fur": ["black", "black", "white", "white", "white"], "sex": ["f", "m", "f", "f", "f"]}
    model = fit(data, ["c"] * 5, columns=Joint(), calibrate=False)
    # T = 4 combinations, n = 5, and (white, m) is unseen: Beta(1 + N, 8 − N).
    count = {("black", "f"): 1, ("white", "m"): 0}[combination]
    a, b, rows = 1 + count, 8 - count, 100
    mean, variance = a / (a + b), a * b / ((a + b) ** 2 * (a + b + 1))
    noise = (mean - mean**2 - variance) / rows

    def share(m, rng):
        drawn = m.sample(rows, seed=rng, posterior=True).data
        return np.mean((drawn["fur"] == combination[0]) & (drawn["sex"] == combination[1]))

    spread(model, share, (mean, variance, noise), excess=2.3)  # of Beta(1, 8)


def test_the_unseen_combinations_of_a_posterior_have_probabilities_of_their_own():
    # 1 of 100 seen: given that two rows are unseen, they agree with probability 2/(99 + 1), E Σ θ² of Dir(1, …, 1).
    levels = [str(k) for k in range(10)]
    data = {"a": ["0"] * 9 + levels[1:] + [None] * 9, "b": ["0"] * 9 + [None] * 9 + levels[1:]}
    model = fit(data, ["c"] * 27, columns=Joint(), calibrate=False)
    rng = np.random.default_rng(2)
    agree, pairs = 0, 0
    for _ in range(3000):
        a, b = model.sample(2, seed=rng, posterior=True).data.values()
        if (a[0], b[0]) != ("0", "0") != (a[1], b[1]):
            pairs += 1
            agree += (a[0], b[0]) == (a[1], b[1])
    within(agree / pairs, 0.02, np.sqrt(0.02 * 0.98 / pairs))


def test_a_column_of_nothing_but_gaps_in_a_joint_block_is_missing():
    model = fit({"fur": ["black", "white"], "sex": [None, None]}, ["a", "b"], columns=Joint(), calibrate=False)
    for posterior in (False, True):
        data, _ = model.sample(50, seed=0, posterior=posterior)
        assert set(data["fur"]) == {"black", "white"}
        assert np.isnan(data["sex"]).all()


def test_the_same_seed_gives_the_same_rows():
    model = fit(FRAME, CLASSES, columns=MIXTURE, calibrate=False)
    for posterior in (False, True):
        one, two = (model.sample(50, seed=9, posterior=posterior) for _ in range(2))
        other = model.sample(50, seed=10, posterior=posterior)
        assert list(one.data) == list(FRAME)
        assert all((one.data[name] == two.data[name]).all() for name in FRAME)
        assert (one.target == two.target).all()
        assert any((one.data[name] != other.data[name]).any() for name in FRAME)
    rng = np.random.default_rng(9)
    assert (model.sample(50, seed=rng).target == model.sample(50, seed=9).target).all()


def test_a_model_of_an_array_gives_an_array_with_nan_where_it_uses_nothing():
    x = np.column_stack([COUNTS, REAL])
    model = fit(x, CLASSES, columns={0: Categorical(), 3: Gaussian(), "*": None}, calibrate=False)
    sample = model.sample(5, seed=0)
    assert isinstance(sample, Sample)
    assert sample.data.shape == (5, 5)
    assert np.isnan(sample.data[:, [1, 2, 4]]).all()
    assert not np.isnan(sample.data[:, [0, 3]]).any()
    assert model.predict(sample.data).shape == (5,)
    assert model.update(*sample).core.tally.weight.sum() == 65


def test_a_model_of_a_frame_gives_its_columns_and_takes_them_back_without_a_warning():
    model = fit({**FRAME, "id": FUR}, CLASSES, columns={**MIXTURE, "id": None}, calibrate=False)
    sample = model.sample(500, seed=0)
    assert list(sample.data) == list(FRAME)
    assert sample.data["fur"].dtype == object
    assert sample.data["visits"].dtype == np.int64
    assert (model + fit(*sample, like=model, calibrate=False)) == model.update(*sample)
    assert model.log_density(sample.data).shape == (500,)


def test_levels_come_in_their_own_type():
    def drawn(values, kind=None, **other):
        model = fit({"x": values}, ["c"] * len(values), columns={"x": kind or Categorical()}, **other, calibrate=False)
        return model.sample(200, seed=0).data["x"]

    assert drawn([True, False]).dtype == np.bool_
    assert drawn([3, 5]).dtype == np.int64
    assert drawn([3, 5.5]).dtype == np.float64
    assert set(drawn([2**60, 1])) == {2**60, 1}
    assert {(type(label), label) for label in drawn(["a", 1, True])} == {(str, "a"), (int, 1), (bool, True)}
    assert set(drawn(["a", None], Categorical(missing="level"))) == {"a", None}
    gaps = drawn([1, None], Categorical(missing="level"))
    assert gaps.dtype == np.float64
    assert np.isnan(gaps).any()
    assert np.isnan(drawn([None, None])).all()


def test_the_mass_of_the_unseen_is_a_level_that_no_row_has():
    for values, unseen in ((["a", "b"], "(unseen)"), ([0, 2], 1), ([0, 1], 2), (["(unseen)", "b"], "(unseen)'")):
        model = fit({"x": values}, ["c", "c"], columns={"x": Categorical(unseen="mass")}, calibrate=False)
        data, _ = model.sample(50_000, seed=0)
        within((data["x"] == unseen).mean(), 1 / 5, np.sqrt(0.2 * 0.8 / 50_000))


def test_what_is_impossible_is_never_drawn():
    model = fit(
        np.array([[0], [0], [2]]), ["a", "b", "b"], columns=Categorical(levels=3), estimate="mle", calibrate=False
    )
    data, target = model.with_options(class_prior={"a": 0.0, "b": 1.0}).sample(20_000, seed=0)
    assert set(target) == {"b"}
    assert set(data[:, 0]) == {0.0, 2.0}


def test_a_threshold_is_between_absent_and_present():
    for threshold in (0.0, 0.5, 1.0, 7.0, -3.0, 1e300):
        model = fit(
            np.array([[threshold], [1e301]]), ["a", "a"], columns=Bernoulli(threshold=threshold), calibrate=False
        )
        data, _ = model.sample(100, seed=0)
        assert set((data[:, 0] > threshold).tolist()) == {True, False}
        assert np.isfinite(data).all()


def test_a_constant_column_is_its_value_and_one_never_observed_is_missing():
    x = np.array([[1e9 + 0.5, np.nan], [1e9 + 0.5, np.nan]])
    for estimate in ("mle", "predictive"):
        data, _ = fit(x, ["a", "b"], columns=Gaussian(), estimate=estimate, calibrate=False).sample(3, seed=0)
        assert (data[:, 0] == 1e9 + 0.5).all()
        assert np.isnan(data[:, 1]).all()


def test_rows_of_counts_have_the_mean_total_of_their_class_or_the_length_that_is_asked_for():
    x = np.array([[3, 4], [2, 4], [0, 0], [np.nan, 1]])
    model = fit(x, ["a", "a", "b", "b"], columns=Multinomial(), calibrate=False)
    data, target = model.sample(100, seed=0)
    assert set(data[target == "a"].sum(axis=1)) == {6.0}  # 13/2, to the even
    assert set(data[target == "b"].sum(axis=1)) == {1.0}  # ½ and at least 1
    lengths = np.arange(100)
    assert (model.sample(100, seed=0, length=lengths).data.sum(axis=1) == lengths).all()
    assert not model.sample(3, length=0).data.any()


def test_classes_may_be_given():
    model = fit(REAL, CLASSES, columns=Gaussian(), calibrate=False)
    assert set(model.sample(5, classes="news").target) == {"news"}
    asked = ["spam", "ham", "spam"]
    assert model.sample(3, classes=asked).target.tolist() == asked
    assert model.sample(3, classes={"spam": 1, "ham": 2}).target.tolist() == ["spam", "ham", "ham"]
    numbers = fit(REAL, np.arange(60) % 2, columns=Gaussian(), calibrate=False)
    assert numbers.sample(2, classes=1).target.tolist() == [1, 1]
    assert numbers.sample(2, classes=np.int64(0)).target.tolist() == [0, 0]


def test_no_rows_may_be_asked_for():
    data, target = fit(FRAME, CLASSES, columns=MIXTURE, calibrate=False).sample(0)
    assert len(target) == 0
    assert all(len(column) == 0 for column in data.values())
    assert fit(REAL, CLASSES, columns=Gaussian(), calibrate=False).sample(0, posterior=True).data.shape == (0, 2)


MODEL = fit(REAL, CLASSES, columns=Gaussian(), calibrate=False)


@pytest.mark.parametrize(
    ("kind", "text", "call"),
    [
        (ParameterError, "n must be a whole number ≥ 0: got -1. Give an int.", lambda: MODEL.sample(-1)),
        (
            ParameterError,
            "seed must be a whole number ≥ 0, a numpy Generator or None: got 'x'.",
            lambda: MODEL.sample(1, seed="x"),
        ),
        (
            ParameterError,
            "the model has no class 'eggs'. Its classes are 'ham', 'news', 'spam'.",
            lambda: MODEL.sample(1, classes="eggs"),
        ),
        (
            ParameterError,
            "the model has no class 'eggs'. Its classes are 'ham', 'news', 'spam'.",
            lambda: MODEL.sample(2, classes=["ham", "eggs"]),
        ),
        (
            DataError,
            "target must have one label per row: got 1 label for 2 rows.",
            lambda: MODEL.sample(2, classes=["ham"]),
        ),
        (
            DataError,
            "classes must be known in every row: 1 of 2 are missing. Give each a class.",
            lambda: MODEL.sample(2, classes=["ham", None]),
        ),
        (
            ParameterError,
            "classes must add up to n=5: got 3 rows. Give n as their sum.",
            lambda: MODEL.sample(5, classes={"ham": 3}),
        ),
        (
            ParameterError,
            "classes['ham'] must be a whole number ≥ 0: got 1.5. Give an int.",
            lambda: MODEL.sample(5, classes={"ham": 1.5}),
        ),
        (
            ParameterError,
            "length applies only to Multinomial counts (the total of each row) and text (the number of words), and "
            "the model has no such columns. Omit it.",
            lambda: MODEL.sample(5, length=3),
        ),
        (
            ParameterError,
            "length must be one number, or one for each of the 5 rows: got shape (2,).",
            lambda: fit(COUNTS, CLASSES, columns=Multinomial(), calibrate=False).sample(5, length=[1, 2]),
        ),
        (
            ParameterError,
            "length must be whole numbers from 0 to 2**53: got 1.5.",
            lambda: fit(COUNTS, CLASSES, columns=Multinomial(), calibrate=False).sample(5, length=1.5),
        ),
        (ParameterError, "posterior must be True or False: got 'yes'.", lambda: MODEL.sample(1, posterior="yes")),
        (
            ParameterError,
            "column 0: with alpha=0 the parameters have no proper posterior. Use alpha > 0 or another estimate.",
            lambda: MODEL.with_options(estimate="smoothed", alpha=0).sample(1, posterior=True),
        ),
        (
            DataError,
            "the model has no rows and therefore no classes. Fit it on data, or add a fitted model to it.",
            lambda: (MODEL - MODEL).sample(1),
        ),
        (
            DataError,
            "Poisson rates must be at most 9.2e18 for draws to fit int64: column 0 has 1e+19. Rescale the counts.",
            lambda: fit(np.array([[1e19]]), ["a"], columns=Poisson(), estimate="mle", calibrate=False).sample(1),
        ),
    ],
)
def test_what_cannot_be_drawn(kind, text, call):
    with pytest.raises(kind, match=f"^{re.escape(text)}$"):
        call()


@pytest.mark.parametrize(
    "kind", [Bernoulli(), Categorical(), Histogram(), Multinomial(), Numeric(), Poisson(), Joint()]
)
def test_without_a_prior_there_is_no_posterior_to_draw_from(kind):
    model = fit(COUNTS, CLASSES, columns=kind, estimate="mle", calibrate=False).with_options(
        estimate="smoothed", alpha=0
    )
    model.sample(3, seed=0)
    with pytest.raises(
        ParameterError,
        match=r"^column 0: with alpha=0 the parameters have no proper posterior\. Use alpha > 0 or another estimate\.$",
    ):
        model.sample(3, seed=0, posterior=True)
