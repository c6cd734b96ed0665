"""What was counted, through public names: statistics, counts, posteriors, and the counts beside the parameters."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import suffice as sf
from suffice.errors import ParameterError
from suffice.statistics import Counts, Moments, Tally
from tests.likelihoods.exponential import Exponential

# The ten cats of the note on generative multinomial models, and their sexes.
FUR = ["black", "black", "white", "white", "calico", "black", "orange", "orange", "white", "white"]
SEX = ["female"] * 5 + ["male"] * 5
CATS = sf.fit({"fur": FUR}, SEX, columns={"fur": sf.Categorical()}, calibrate=False)
MAILS = ["win cash now", "win a prize, win", "lunch at noon", None]
SPAM = sf.fit(MAILS, ["spam", "spam", "ham", "ham"], columns=sf.Words(), calibrate=False)


def test_the_counts_of_the_cats():
    frame = CATS.counts("fur").to_frame()
    assert frame.columns == ["class", "column", "level", "count"]
    assert frame.rows() == [
        ("female", None, None, 5.0),
        ("male", None, None, 5.0),
        ("female", "fur", "black", 2.0),
        ("female", "fur", "calico", 1.0),
        ("female", "fur", "orange", 0.0),
        ("female", "fur", "white", 2.0),
        ("male", "fur", "black", 1.0),
        ("male", "fur", "calico", 0.0),
        ("male", "fur", "orange", 2.0),
        ("male", "fur", "white", 2.0),
    ]


def test_words_are_counted_with_their_documents():
    counts = {(each.label, each.level): (each.count, each.documents) for each in SPAM.counts(0) if each.level}
    assert counts["spam", "win"] == (3.0, 2.0)
    assert counts["ham", "win"] == (0.0, 0.0)
    assert counts["ham", "lunch"] == (1.0, 1.0)
    hashed = sf.fit(MAILS[:3], ["spam", "spam", "ham"], columns=sf.Words(hashed=10), calibrate=False)
    assert sum(each.count for each in hashed.counts() if each.column == 0) == 9
    few = SPAM.with_options(priors={0: sf.Words(min_count=2)})
    assert {each.level for each in few.counts(0) if each.level} == {"win"}


X = np.array([[1.0, 0, 2], [3.0, 1, 0], [np.nan, 1, 4], [8.0, 0, 1], [9.0, 1, np.nan]])
Y = ["a", "a", "a", "b", "b"]


@pytest.mark.parametrize(
    ("likelihood", "column", "expected"),
    [
        (sf.Gaussian(), 0, [("a", None, None, 2, 2, 1), ("b", None, None, 2, 8.5, 0.25)]),
        (sf.MultivariateGaussian(), 1, [("a", None, None, 2, 0.5, 0.25), ("b", None, None, 1, 0, 0)]),
        (sf.Numeric(), 1, None),
        (sf.Bernoulli(), 1, [("a", "present", 2), ("a", "absent", 1), ("b", "present", 1), ("b", "absent", 1)]),
        (sf.Poisson(), 2, [("a", None, 6, 3), ("b", None, 1, 1)]),
        (sf.Multinomial(), 2, [("a", None, 6, 3), ("b", None, 1, 1)]),
        (sf.Uniform(), 0, [("a", None, None, 2, None, None, 3), ("b", None, None, 2, None, None, 9)]),
        (sf.Joint(), 1, None),
    ],
    ids=lambda each: type(each).__name__ if isinstance(each, sf.Likelihood) else "",
)
@pytest.mark.filterwarnings("ignore::suffice.errors.DroppedRowsWarning")
def test_every_likelihood_lists_its_counts(likelihood, column, expected):
    model = sf.fit(X, Y, columns=likelihood, calibrate=False)
    found = [(each.label, *each[2:]) for each in model.counts(column)[2:]]
    for mine, theirs in zip(found, expected or (), strict=expected is not None):
        assert mine[: len(theirs)] == theirs
    assert found
    assert model.counts().to_frame().height >= len(found)


def test_a_histogram_lists_its_bins():
    model = sf.fit(X[:, :1], Y, columns=sf.Histogram(bins=2), calibrate=False)
    bins = [(each.label, each.count, each.lower_edge, each.upper_edge) for each in model.counts(0)[2:]]
    last = math.nextafter(9.0, math.inf)  # the last bin contains 9
    assert bins == [("a", 2.0, 1.0, 5.5), ("a", 0.0, 5.5, last), ("b", 0.0, 1.0, 5.5), ("b", 2.0, 5.5, last)]
    assert model.counts(0).to_frame().columns == ["class", "column", "count", "lower_edge", "upper_edge"]
    table = model.parameters().to_frame()
    assert table["count"].to_list() == [3.0, 2.0, 2.0, 0.0, 0.0, 2.0]
    assert table["n"].to_list() == [5.0, 5.0, 2.0, 2.0, 2.0, 2.0]
    assert table["lower_edge"][2:].to_list() == [1.0, 5.5, 1.0, 5.5]
    assert table["upper_edge"][2:].to_list() == [5.5, last, 5.5, last]


def test_combinations_are_counted_together():
    model = sf.fit({"a": [1, 1, 2], "b": ["x", "y", "x"]}, [0, 0, 1], columns={("a", "b"): sf.Joint()}, calibrate=False)
    assert model.counts("a") == model.counts("b") == model.counts()
    assert [(each.column, each.level, each.count) for each in model.counts("a")[2:5]] == [
        ("a, b", (1, "x"), 1.0),
        ("a, b", (1, "y"), 1.0),
        ("a, b", (2, "x"), 0.0),
    ]


@pytest.mark.parametrize("call", [sf.Model.counts, lambda model, column: model.posterior(column, "male")])
def test_unknown_columns_are_refused_with_a_suggestion(call):
    with pytest.raises(ParameterError, match=r"no column 'furs'\. Did you mean 'fur'\?") as caught:
        call(CATS, "furs")
    assert caught.value.kind == "no_such_column"
    with pytest.raises(ParameterError, match="Its columns are 'fur'"):
        call(CATS, 3)
    partly = sf.fit({"fur": FUR, "id": [*range(10)]}, SEX, columns={"id": None}, calibrate=False)
    with pytest.raises(ParameterError, match=r"does not use column 'id' and has no counts of it: .* as requested"):
        call(partly, "id")


def test_statistics_are_a_mapping():
    frame = pd.DataFrame({"fur": FUR, "age": np.arange(10.0), "size": np.arange(10.0) ** 2})
    model = sf.fit(frame, SEX, columns={"fur": sf.Categorical(), "*": sf.Gaussian()}, calibrate=False)
    found = model.statistics
    assert found.rows == Tally(model.core.classes, [5, 5])
    assert list(found) == [("fur",), ("age", "size")] == [*found.keys()]
    assert len(found) == 2
    assert "age" in found
    assert ("age", "size") in found
    assert "sex" not in found
    assert found.get("sex") is None
    (fur,), (age,), (both,) = found["fur"], found["age"], found["age", "size"]
    assert isinstance(fur, Counts)
    assert isinstance(age, Moments)
    assert age == both.take_columns(("age",))
    assert repr(found) == "Statistics: 2 classes, 10 rows\n  'fur': Counts\n  'age', 'size': Moments"
    assert found == model.statistics
    assert found != CATS.statistics
    with pytest.raises(KeyError):
        found["sex"]


def test_statistics_take_other_likelihoods_that_need_the_same():
    model = sf.fit(X[:, :1], Y, columns=sf.Numeric(), calibrate=False)
    other = sf.Model.from_statistics(model.statistics, columns=sf.Gaussian(), estimate="map")
    assert other == model.with_options(priors={0: sf.Gaussian()}, estimate="map")
    with pytest.raises(ParameterError, match="do not suffice for Poisson"):
        sf.Model.from_statistics(model.statistics, columns={0: "poisson"})
    declared = sf.Model.from_statistics(model.statistics, classes=["a", "b", "c"])
    assert declared.classes == ("a", "b", "c")
    with pytest.raises(sf.SufficeError, match="class 'b' is not among the declared classes"):
        sf.Model.from_statistics(model.statistics, classes=["a", "c"])
    with pytest.raises(sf.SufficeError, match="not collected for this model"):
        sf.Model.from_statistics(model.statistics, like=CATS)
    with pytest.raises(ParameterError, match="cannot be combined with like"):
        sf.Model.from_statistics(model.statistics, like=model, estimate="map")


# --- posteriors: the prior of the likelihood, updated by the rows of the class


def test_posterior_of_levels():
    prior = sf.DirichletMultinomial([2, 1, 0.5, 3], outcomes=["black", "calico", "orange", "white"])
    model = CATS.with_options(priors={"fur": sf.Categorical(prior=prior)})
    assert model.posterior("fur", "male") == prior.update(FUR[5:])
    assert CATS.posterior("fur", "female").alpha.tolist() == [3, 2, 1, 3]
    assert CATS.with_options(estimate="map").posterior("fur", "female").alpha.tolist() == [4, 3, 2, 4]
    unseen = CATS.with_options(priors={"fur": sf.Categorical(unseen="mass")}).posterior("fur", "male")
    assert unseen.outcomes[-1] == "(unseen)"
    assert unseen.alpha[-1] == 1


def test_posterior_of_the_class_prior():
    assert CATS.posterior() == sf.DirichletMultinomial([6, 6], outcomes=["female", "male"])
    asked = CATS.with_options(class_prior=sf.DirichletMultinomial([2, 3])).posterior()
    assert asked.alpha.tolist() == [7, 8]
    rows = CATS.parameters(credible=0.5)[:2]
    expected = stats.beta(6, 6).interval(0.5)
    assert [(row.lower, row.upper) for row in rows] == [pytest.approx(expected)] * 2
    assert [(row.count, row.n) for row in rows] == [(5.0, 10.0)] * 2
    for prior in ("uniform", [0.5, 0.5]):
        model = CATS.with_options(class_prior=prior)
        with pytest.raises(ParameterError, match="not estimated, so it has no posterior"):
            model.posterior()
        assert math.isnan(model.parameters()[0].lower)
    with pytest.raises(ParameterError, match="label requires column"):
        CATS.posterior(label="male")
    with pytest.raises(ParameterError, match="is different in each class"):
        CATS.posterior("fur")
    with pytest.raises(ParameterError, match="no class 'mail'"):
        CATS.posterior("fur", "mail")


NIG = sf.NormalInverseGamma(1.0, 2.0, 3.0, 4.0)


@pytest.mark.parametrize(
    ("likelihood", "expected"),
    [
        (
            sf.Bernoulli(sf.BetaBinomial(2, 3)),
            lambda x: sf.BetaBinomial(2, 3).update(successes=(x > 0).sum(), failures=(x <= 0).sum()),
        ),
        (sf.Poisson(sf.GammaPoisson(2, 3)), lambda x: sf.GammaPoisson(2, 3).update(total=x.sum(), weight=len(x))),
        (sf.Gaussian(NIG), NIG.update),
        (sf.Numeric(prior=NIG), NIG.update),
    ],
    ids=["Bernoulli", "Poisson", "Gaussian", "Numeric"],
)
def test_posterior_is_the_prior_updated_by_the_rows(likelihood, expected):
    rng = np.random.default_rng(5)
    x = rng.poisson(3.0, size=60).astype(float)
    y = np.repeat(["a", "b"], 30)
    model = sf.fit(x[:, None], y, columns=likelihood, calibrate=False)
    for label in ("a", "b"):
        mine, theirs = model.posterior(0, label), expected(x[y == label])
        assert type(mine) is type(theirs)
        for name in type(mine).__dataclass_fields__:
            np.testing.assert_allclose(getattr(mine, name), getattr(theirs, name), rtol=1e-12)


def test_posterior_of_a_shared_variance():
    model = sf.fit(X[:, :1], Y, columns=sf.Gaussian(NIG, variance="shared"), calibrate=False)
    own = {label: NIG.update(x) for label, x in (("a", [1.0, 3.0]), ("b", [8.0, 9.0]))}
    for label, alone in own.items():
        pair = model.posterior(0, label)
        assert (float(pair.location), float(pair.strength)) == pytest.approx((float(alone.location), 4.0))
        assert float(pair.shape) == pytest.approx(5.0)
        assert float(pair.scale) == pytest.approx(float(own["a"].scale + own["b"].scale - NIG.scale))


@pytest.mark.parametrize("covariance", ["full", "shared", "diagonal"])
def test_posterior_of_columns_together(covariance):
    rng = np.random.default_rng(3)
    x, y = rng.normal([2.0, -500.0], [1.0, 80.0], size=(40, 2)), np.repeat([0, 1], 20)
    prior = sf.NormalInverseWishart([0.0, -400.0], 2.0, 5.0, [[3.0, 1.0], [1.0, 900.0]])
    model = sf.fit(x, y, columns=sf.MultivariateGaussian(prior, covariance=covariance), calibrate=False)
    pair, alone = model.posterior(1, 1), [prior.update(x[y == c]) for c in (0, 1)]
    if covariance == "diagonal":
        expected = prior.components.update(x[y == 1].T)
        np.testing.assert_allclose(float(pair.location), expected.location[1], rtol=1e-12)
        np.testing.assert_allclose(float(pair.scale), expected.scale[1], rtol=1e-12)
        return
    np.testing.assert_allclose(pair.location, alone[1].location, rtol=1e-12)
    shared = covariance == "shared"
    matrix = alone[0].scale_matrix + alone[1].scale_matrix - prior.scale_matrix if shared else alone[1].scale_matrix
    np.testing.assert_allclose(pair.scale_matrix, matrix, rtol=1e-11)
    assert float(pair.degrees) == pytest.approx(45 if shared else 25)


def test_posterior_of_counts_bins_combinations_words_and_bounds():
    together = sf.fit(X[:2], Y[:1] * 2, columns=sf.Multinomial(alpha=0.5), calibrate=False).posterior(2, "a")
    assert together == sf.DirichletMultinomial([4.5, 1.5, 2.5], outcomes=[0, 1, 2])
    bins = sf.fit(X[:, :1], Y, columns=sf.Histogram(bins=2, alpha=2), calibrate=False).posterior(0, "a")
    assert bins == sf.DirichletMultinomial([4, 2], outcomes=["[1, 5.5)", "[5.5, 9]"])
    joint = sf.fit({"a": [1, 1, 2], "b": ["x", "y", "x"]}, [0, 0, 1], columns=sf.Joint(), calibrate=False)
    expected = sf.DirichletMultinomial([2, 2, 1, 1], outcomes=["(1, 'x')", "(1, 'y')", "(2, 'x')", "(unseen)"])
    assert joint.posterior("b", 0) == expected
    words = SPAM.posterior(0, "spam")
    assert dict(zip(words.outcomes, words.alpha.tolist(), strict=True))["win"] == 4
    binary = SPAM.with_options(priors={0: sf.Words(model="bernoulli")}).posterior(0, "spam")
    order = [each.level for each in SPAM.counts(0) if each.label == "spam" and each.level]
    at = order.index("win")
    assert (binary.a[at], binary.b[at]) == (3, 1)
    bound = sf.fit(X[:, :1], Y, columns=sf.Uniform(), calibrate=False).posterior(0, "a")
    assert bound.mean() == pytest.approx(3 * 3 / 2)  # Pareto(3, 1 + 2)
    assert bound.support() == (3.0, math.inf)


def test_no_posterior_is_an_error_in_words():
    complement = SPAM.with_options(priors={0: sf.Words(model="complement")})
    with pytest.raises(ParameterError, match="not probabilities and have no posterior"):
        complement.posterior(0, "spam")
    own = sf.fit(X[:, :1] + 1, Y, columns=Exponential(), calibrate=False)
    with pytest.raises(ParameterError, match="has no conjugate pair"):
        own.posterior(0, "a")
    assert [each.count for each in own.counts(0)][2:] == [6.0, 19.0]
    for likelihood in (sf.Bernoulli(), sf.Categorical(), sf.Gaussian(), sf.Poisson(), sf.Uniform(), sf.Histogram()):
        model = sf.fit(X[:, :1], Y, columns=likelihood, calibrate=False)
        with pytest.raises(ParameterError, match="no proper posterior"):
            model.with_options(estimate="smoothed", alpha=0).posterior(0, "a")
    constant = np.zeros((4, 2))
    for likelihood in (sf.Gaussian(), sf.MultivariateGaussian(), sf.Histogram(), sf.Uniform()):
        model = sf.fit(constant, [0, 0, 1, 1], columns=likelihood, calibrate=False)
        with pytest.raises(ParameterError, match=r"constant|all values"):
            model.posterior(0, 1)
    unknown = sf.fit({"fur": [None, None]}, ["a", "b"], columns=sf.Categorical(), calibrate=False)
    with pytest.raises(ParameterError, match="no value of the column is known"):
        unknown.posterior("fur", "a")
