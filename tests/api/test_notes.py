"""What lecture notes on naive Bayes say: estimates by their names, class priors, log-likelihoods, ratios, parameters."""

import math
from fractions import Fraction

import numpy as np
import pytest

import suffice as sf
from suffice.errors import DataError, ParameterError

X = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 1], [1, 0, 0]])
Y = ["spam", "spam", "ham", "ham", "ham"]
FUR = ["black", "white", "black", "white", "calico", "black", "white", "orange", "white", "orange"]
SEX = ["female"] * 5 + ["male"] * 5
SCRIPTS = np.array(
    [
        (6, 8, 14, 1, 10, 1, 7),
        (8, 10, 14, 0, 11, 1, 7),
        (12, 22, 34, 1, 21, 2, 13),
        (4, 6, 10, 1, 6, 1, 4),
        (6, 14, 30, 6, 2, 16, 16),
        (2, 8, 14, 3, 1, 9, 8),
        (4, 14, 26, 7, 2, 15, 14),
    ]
)
LANGUAGES = ["C"] * 4 + ["Python"] * 3
B = [0.837, 0.165, -0.052, -1.754, 2.182, -2.159, -0.283]


@pytest.mark.parametrize(
    ("name", "estimate"),
    [
        ("MLE", "mle"),
        ("ML", "mle"),
        ("Maximum Likelihood", "mle"),
        ("maximum-likelihood", "mle"),
        ("MAP", "map"),
        ("posterior mode", "map"),
        ("Laplace", "smoothed"),
        ("add-one", "smoothed"),
        ("Posterior Mean", "mean"),
        ("posterior_predictive", "predictive"),
        (" Predictive ", "predictive"),
    ],
)
def test_estimates_by_their_usual_names(name, estimate):
    model = sf.fit(X, Y, columns=sf.Bernoulli(), estimate=name)
    assert model == sf.fit(X, Y, columns=sf.Bernoulli(), estimate=estimate)
    assert model.with_options(estimate="mle").with_options(estimate=name) == model
    assert np.array_equal(
        sf.NaiveBayes(sf.Bernoulli(), estimate=name).fit(X, Y).predict_proba(X), model.predict_proba(X)
    )


def test_readings_by_their_usual_names():
    found = sf.evaluate(
        X, Y, columns=sf.Bernoulli(), folds=2, bootstrap=0, readings={"estimate": ["MLE", "Laplace"], "alpha": [0.5]}
    )
    assert {(each.estimate, each.alpha) for each in found.readings} == {("mle", None), ("smoothed", 0.5)}


@pytest.mark.parametrize("name", ["lapalce", "", 3, None, "mean predictive"])
def test_an_estimate_that_does_not_exist(name):
    with pytest.raises(ParameterError) as said:
        sf.fit(X, Y, estimate=name)
    assert (said.value.kind, said.value.parameter, said.value.got) == ("not_an_option", "estimate", name)


@pytest.mark.parametrize(
    ("given", "shares"),
    [
        ("dirichlet:1", (Fraction(4, 7), Fraction(3, 7))),
        ("Dirichlet:0.5", (Fraction(7, 12), Fraction(5, 12))),
        ("dirichlet:2,map", (Fraction(4, 7), Fraction(3, 7))),
        ("dirichlet:2,MLE", (Fraction(3, 5), Fraction(2, 5))),
        ("dirichlet:3,1", (Fraction(6, 9), Fraction(3, 9))),
        ("dirichlet:3,1,posterior mode", (Fraction(5, 7), Fraction(2, 7))),
        ("dirichlet:spam=1,ham=3", (Fraction(6, 9), Fraction(3, 9))),
        ("dirichlet:spam=1,ham=3,map", (Fraction(5, 7), Fraction(2, 7))),
        ("spam=0.25,ham=0.75", (Fraction(3, 4), Fraction(1, 4))),
        (sf.DirichletMultinomial([1, 3], outcomes=["spam", "ham"]), (Fraction(6, 9), Fraction(3, 9))),
        (sf.ClassPrior.dirichlet({"spam": 1, "ham": 3}, "MAP"), (Fraction(5, 7), Fraction(2, 7))),
    ],
)
def test_class_priors_as_text(given, shares, tmp_path):
    model = sf.fit(X, Y, columns=sf.Bernoulli(), class_prior=given, calibrate=False)
    assert np.exp(model.core.log_prior) == pytest.approx([float(share) for share in shares], rel=1e-14)
    other = sf.NaiveBayes(sf.Bernoulli(), class_prior=given).fit(X, Y)
    assert np.array_equal(other.predict_proba(X), model.predict_proba(X))
    model.save(tmp_path / "m.suffice")
    assert sf.load(tmp_path / "m.suffice") == model


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            "dirichlet:",
            "'dirichlet:' is not a class prior. Give empirical, uniform, dirichlet:1, or one probability per class ",
        ),
        ("dirichlet", "'dirichlet' is not a class prior. "),
        ("dirichlet:x", "'dirichlet:x' is not a class prior. "),
        ("dirichlet:1,smoothed", "estimate of the class prior must be 'mean' or 'map' or 'mle': got 'smoothed'."),
        ("dirichlet:1,2,3", "alpha of the class prior must have one number for each of the 2 classes: got 3. "),
        ("dirichlet:0", "alpha must be > 0 "),
        ("dirichlet:spam=1", "the class prior has no α for class 'ham'. The classes are 'ham', 'spam'. Give one α "),
        ("dirichlet:spam=1,ham=1,eggs=2", "the class prior has the unknown class 'eggs'. "),
    ],
)
def test_class_priors_that_cannot_be(given, text):
    with pytest.raises(ParameterError) as said:
        sf.fit(X, Y, columns=sf.Bernoulli(), class_prior=given).predict(X)
    assert str(said.value).startswith(text)


def test_the_bayesian_classifier_of_the_discrete_case():
    # Plug-in MAP for π and θ, eq. 15 to 17, by hand.
    prior = sf.BetaBinomial(2, 2)
    model = sf.fit(X, Y, columns=sf.Bernoulli(prior), estimate="MAP", class_prior="dirichlet:2,map", calibrate=False)
    joint = []
    for label in ("ham", "spam"):
        rows = X[np.array(Y) == label]
        share = Fraction(len(rows) + 1, len(Y) + 2)
        for at, cell in enumerate((1, 1, 0)):
            theta = Fraction(int(rows[:, at].sum()) + 1, len(rows) + 2)
            share *= theta if cell else 1 - theta
        joint.append(share)
    assert np.exp(model.log_joint([[1, 1, 0]]))[0] == pytest.approx([float(each) for each in joint], rel=1e-14)


def test_a_class_declared_before_its_first_row():
    declared = ["spam", "ham", "phish"]
    model = sf.fit(X, Y, columns=sf.Bernoulli(), classes=declared, class_prior="dirichlet:1", calibrate=False)
    assert model.classes == ("ham", "phish", "spam")
    assert np.exp(model.core.log_prior[1]) == pytest.approx(1 / 8, rel=1e-14)
    collector = sf.Collector(sf.Bernoulli(), class_prior="dirichlet:1", classes=declared)
    for row, label in zip(X, Y, strict=True):
        collector.add_row(row, label)
    assert collector.model() == model
    batches = sf.Collector(sf.Bernoulli(), class_prior="dirichlet:1", classes=declared)
    batches.add(np.tile(X, (2000, 1)), Y * 2000)
    assert batches.model().classes == model.classes
    collector.add(X[:1], ["eggs"])
    with pytest.raises(DataError, match="unknown class 'eggs': the declared classes are"):
        collector.model()


def test_the_log_likelihood_of_ten_cats():
    model = sf.fit({"fur": FUR}, SEX, columns=sf.Categorical(), estimate="mle")
    expected = sum(
        math.log(0.5 * sum(f == fur and s == sex for f, s in zip(FUR, SEX, strict=True)) / 5)
        for fur, sex in zip(FUR, SEX, strict=True)
    )
    assert model.log_likelihood({"fur": FUR}, SEX) == pytest.approx(expected, rel=1e-14)
    assert round(model.log_likelihood({"fur": FUR}, SEX), 4) == -17.4807
    # No other estimate makes the training rows more probable, and weights count rows.
    for estimate in ("smoothed", "map", "mean", "predictive"):
        assert model.with_options(estimate=estimate).log_likelihood({"fur": FUR}, SEX) < expected
    assert model.log_likelihood({"fur": FUR}, SEX, weights=[2.0] * 10) == pytest.approx(2 * expected, rel=1e-14)
    assert model.log_likelihood({"fur": ["orange"]}, ["female"]) == -math.inf
    assert model.log_likelihood({"fur": ["black", "orange"]}, ["female"] * 2, weights=[1, 0]) == pytest.approx(
        math.log(0.2)
    )
    assert model.log_likelihood({"fur": ["black"]}, ["kitten"]) == -math.inf


def test_c_or_python():
    model = sf.fit(SCRIPTS, LANGUAGES, columns=sf.Multinomial(), estimate="mle")
    ratio = model.llr(SCRIPTS, positive="C")
    assert [round(weight.b, 3) for weight in ratio.b] == B
    assert (ratio.positive, ratio.against, ratio.intercept) == ("C", "Python", 0.0)
    b = np.array([weight.b for weight in ratio.b])
    assert np.allclose(ratio, SCRIPTS @ b, rtol=1e-12)
    assert np.allclose(model.llr(SCRIPTS).values, -ratio.values)  # by default the rarer class
    assert np.allclose(ratio.values, model.llr(SCRIPTS, positive="C", against="Python").values)
    # llr + logit(prior) are the log-odds, whatever the prior.
    for share in (0.5, 0.1, 0.9):
        other = model.with_options(class_prior={"C": share, "Python": 1 - share})
        log_odds = np.subtract(*other.predict_log_proba(SCRIPTS).T)
        assert np.allclose(other.llr(SCRIPTS, positive="C").values + math.log(share / (1 - share)), log_odds)
    assert list(ratio.to_frame()["llr"]) == ratio.values.tolist()
    assert len(ratio) == 7
    assert ratio[0] == ratio.values[0]


@pytest.mark.parametrize(
    ("columns", "features"),
    [
        (sf.Bernoulli(), lambda x: x > 0),
        (sf.Multinomial(), lambda x: x),
        (sf.Poisson(), lambda x: x),
        (sf.Gaussian(variance="shared"), lambda x: x),
        (sf.MultivariateGaussian(covariance="shared"), lambda x: x),
        (sf.Categorical(), lambda x: np.concatenate([x[:, [j]] == np.unique(x[:, j]) for j in range(3)], axis=1)),
    ],
)
@pytest.mark.parametrize("estimate", ["smoothed", "map", "mean"])
def test_a_linear_model_is_the_sum_of_its_weights(columns, features, estimate):
    random = np.random.default_rng(3)
    y = random.integers(0, 3, 90)
    x = random.poisson(1 + y[:, None], (90, 3)).astype(float)
    if isinstance(columns, sf.Categorical):
        x = x.astype(int)
    model = sf.fit(x, y, columns=columns, estimate=estimate, calibrate=False)
    ratio = model.llr(x, positive=2, against=0)
    expected = model.log_joint(x)[:, 2] - model.log_joint(x)[:, 0] - np.subtract(*model.core.log_prior[[2, 0]])
    assert np.allclose(ratio.values, expected, rtol=1e-9, atol=1e-12)
    b = np.array([weight.b for weight in ratio.b])
    assert np.allclose(ratio.intercept + features(x) @ b, ratio.values, rtol=1e-9, atol=1e-11)


def test_a_ratio_that_is_not_linear():
    random = np.random.default_rng(3)
    y = random.integers(0, 3, 90)
    x = random.normal(y[:, None], 1.0, (90, 2))
    model = sf.fit(x, y, columns=sf.Gaussian(), calibrate=False)
    ratio = model.llr(x, positive=1)
    assert not ratio.is_linear
    with pytest.raises(ParameterError) as said:
        _ = ratio.b
    assert said.value.kind == "not_linear"
    log_odds = model.decide(x).llr[:, 1]
    assert np.allclose(ratio.values, log_odds)
    with pytest.raises(ParameterError, match="the model has 3 classes, so the ratio needs a positive class"):
        model.llr(x)
    with pytest.raises(ParameterError, match="the same class: got 1 twice"):
        model.llr(x, positive=1, against=1)
    with pytest.raises(ParameterError, match="needs two classes: the model has 1"):
        sf.fit([[1.0]], ["a"]).llr([[1.0]])


def test_words_have_weights():
    texts, labels = ["win a prize", "win now", "lunch now"], ["spam", "spam", "ham"]
    model = sf.fit(texts, labels, columns=sf.Words(), estimate="Laplace")
    ratio = model.llr(["win lunch"], positive="spam")
    b = {weight.level: weight.b for weight in ratio.b}
    assert b["win"] == pytest.approx(math.log((2 + 1) / (4 + 4)) - math.log((0 + 1) / (2 + 4)))
    assert ratio.values[0] == pytest.approx(b["win"] + b["lunch"])


@pytest.mark.parametrize(
    ("columns", "number"),
    [
        (sf.Bernoulli(), 3 * 2),
        (sf.Categorical(), 3 * 2 * (4 - 1)),
        (sf.Categorical(unseen="mass"), 3 * 2 * 4),
        (sf.Multinomial(), 3 * (2 - 1)),
        (sf.Poisson(), 3 * 2),
        (sf.Gaussian(), 2 * 3 * 2),
        (sf.Gaussian(variance="shared"), (3 + 1) * 2),
        (sf.Gaussian(missing="level"), 2 * 3 * 2 + 3 * 2),
        (sf.MultivariateGaussian(), 3 * (2 + 3)),
        (sf.MultivariateGaussian(covariance="shared"), 3 * 2 + 3),
        (sf.MultivariateGaussian(covariance="diagonal"), 2 * 3 * 2),
        (sf.Histogram(bins=4), 3 * 2 * (4 - 1)),
        (sf.Joint(), 3 * (16 - 1)),
        (sf.Uniform(), 3 * 2),
    ],
)
def test_the_number_of_free_parameters(columns, number):
    y = np.arange(48) % 3
    x = np.stack([np.arange(48) // 3 % 4, np.arange(48) // 12 % 4], axis=1)
    for estimate in ("mle", "predictive"):
        model = sf.fit(x, y, columns=columns, estimate=estimate, calibrate=False)
        assert model.n_parameters == 2 + number
    assert model.with_options(class_prior="uniform").n_parameters == number


def test_the_number_of_free_parameters_of_text_and_forms():
    texts, labels = ["win a prize", "win now", "lunch now"], ["spam", "spam", "ham"]
    assert sf.fit(texts, labels, columns=sf.Words()).n_parameters == 1 + 2 * (4 - 1)
    assert sf.fit(texts, labels, columns=sf.Words(model="bernoulli")).n_parameters == 1 + 2 * 4
    random = np.random.default_rng(0)
    x = np.column_stack(
        [random.normal(size=900), np.where(random.random(900) < 0.5, 0.0, random.exponential(size=900))]
    )
    model = sf.fit(x, random.integers(0, 2, 900), columns=sf.Numeric(), calibrate=False)
    bins = int(model.selected_forms[1].split(", ")[1].split()[0])
    assert model.selected_forms[0] == "Gaussian"
    assert model.n_parameters == 1 + 2 * 2 + 2 * (bins - 1)


def test_four_mails_of_five_words():
    texts = [
        "win a free prize today",
        "claim your free cash prize",
        "lunch with the team today",
        "your notes from the meeting",
    ]
    model = sf.fit(texts, ["spam", "spam", "ham", "ham"])
    assert "Words" in repr(model.schema)
    assert model.predict(["free cash for you", "notes for the team lunch"]).tolist() == ["spam", "ham"]
    assert model.predict_proba(["a free prize"])[0, 1] > 0.8


@pytest.mark.parametrize(
    ("columns", "data"),
    [
        (sf.Bernoulli(), X),
        (sf.Categorical(), X),
        (sf.Multinomial(), X),
        (sf.Joint(), X),
        (sf.Histogram(bins=3), X + np.arange(5)[:, None]),
        (sf.Words(), ["win a prize", "win now", "lunch now", "notes", "lunch"]),
        (sf.Words(model="bernoulli", prior="evidence"), ["win a prize", "win now", "lunch now", "notes", "lunch"]),
    ],
)
@pytest.mark.parametrize("alpha", [0.25, 1.0, 3.0])
def test_alpha_is_one_prior_for_every_estimate_that_has_one(columns, data, alpha, tmp_path):
    # Dir(λ) for smoothed, mean and predictive, Dir(1 + λ) for map: all add λ to the counts.
    models = {
        estimate: sf.fit(data, Y, columns=columns, estimate=estimate, alpha=alpha, calibrate=False)
        for estimate in ("smoothed", "mean", "map", "predictive")
    }
    values = {estimate: [p.value for p in model.parameters()] for estimate, model in models.items()}
    for estimate in ("mean", "map", "predictive"):
        assert values[estimate] == pytest.approx(values["smoothed"], rel=1e-12)
    for model in models.values():
        model.save(tmp_path / "m.suffice")
        assert sf.load(tmp_path / "m.suffice") == model
    assert models["mean"].log_evidence() == pytest.approx(models["smoothed"].log_evidence(), rel=1e-12)
    # A prior of the column's own stays.
    if isinstance(columns, sf.Bernoulli):
        own = sf.Bernoulli(prior=sf.BetaBinomial(3, 2))
        one, other = (sf.fit(data, Y, columns=own, estimate="mean", alpha=a, calibrate=False) for a in (None, alpha))
        assert [p.value for p in one.parameters()] == [p.value for p in other.parameters()]


@pytest.mark.parametrize("columns", [sf.Gaussian(), sf.Poisson(), sf.Uniform(), sf.MultivariateGaussian()])
def test_alpha_is_the_weight_of_the_prior_in_rows(columns):
    counts = np.array([[1, 7], [2, 3], [9, 5], [8, 1], [7, 4]])
    for estimate in ("mean", "map", "predictive"):
        plain, one, much = (
            [
                p.value
                for p in sf.fit(counts, Y, columns=columns, estimate=estimate, alpha=a, calibrate=False).parameters()
            ]
            for a in (None, 1.0, 50.0)
        )
        assert plain == one
        if not isinstance(columns, sf.Uniform) or estimate != "map":  # the mode of a Pareto posterior is its end
            assert plain != much
