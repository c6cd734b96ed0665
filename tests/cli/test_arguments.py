"""What stands after --column, --prior, --class-prior and --type: what it becomes, and what is said of what it cannot be."""

from __future__ import annotations

from inspect import signature

import pytest
import typer

import suffice as sf
from suffice import ParameterError
from suffice.cli.class_prior_argument import class_prior_of, label_of
from suffice.cli.estimate_argument import READINGS, estimate_of
from suffice.cli.file_options import types_of
from suffice.cli.likelihood_argument import LIKELIHOOD_NAMES, column_key, columns_of
from suffice.cli.text_options import TEXT_OPTIONS
from suffice.likelihoods.registry import LIKELIHOODS
from suffice.plan import ESTIMATES


def test_the_names_that_help_and_completion_know_are_those_of_the_registry():
    assert tuple(name.lower() for name in LIKELIHOODS) == LIKELIHOOD_NAMES


@pytest.mark.parametrize("kind", [sf.Words, sf.Chars])
def test_the_options_of_text_that_completion_knows_are_those_of_the_likelihood(kind):
    assert set(TEXT_OPTIONS[kind.__name__.lower()]) == set(signature(kind).parameters)


def test_the_values_of_options_of_text_that_completion_offers_are_taken():
    for name, options in TEXT_OPTIONS.items():
        for option, offers in options.items():
            for offer in offers:
                ((_, likelihood),) = columns_of([f"x={name}:{option}={offer}"]).items()
                assert likelihood is not None


def test_the_estimates_that_help_and_completion_know_are_those_of_the_plan():
    assert set(READINGS) == set(ESTIMATES)


def test_an_estimate():
    assert [estimate_of(name) for name in ("map", None)] == ["map", None]
    with pytest.raises(typer.BadParameter) as said:
        estimate_of("mape")
    assert said.value.message == "there is no estimate 'mape'. Did you mean 'map'?"
    with pytest.raises(typer.BadParameter) as said:
        estimate_of("zz")
    assert said.value.message == "there is no estimate 'zz'. There are predictive, mean, map, smoothed, mle."


@pytest.mark.parametrize("name", LIKELIHOOD_NAMES)
def test_every_likelihood_by_its_name(name):
    ((key, likelihood),) = columns_of([f"x={name}"]).items()
    assert key == "x"
    assert type(likelihood).__name__.lower() == name


@pytest.mark.parametrize(
    ("text", "key", "likelihood"),
    [
        ("age=gaussian", "age", sf.Gaussian()),
        ("age=Gaussian", "age", sf.Gaussian()),
        ("3=gaussian", 3, sf.Gaussian()),
        ("-1=gaussian", -1, sf.Gaussian()),
        ("pixel*=poisson", "pixel*", sf.Poisson()),
        ("a=b=gaussian", "a=b", sf.Gaussian()),
        ("fur=categorical:alpha=0.5", "fur", sf.Categorical(alpha=0.5)),
        ("fur=categorical:0.5", "fur", sf.Categorical(alpha=0.5)),
        ("fur=categorical:alpha=evidence,unseen=mass", "fur", sf.Categorical(alpha="evidence", unseen="mass")),
        ("fur=categorical:levels=black|white|2", "fur", sf.Categorical(levels=["black", "white", 2])),
        ("income=histogram:bins=16", "income", sf.Histogram(bins=16)),
        ("income=histogram:cells=16", "income", sf.Histogram(bins=16)),
        ("n=poisson:shape=1,rate=2", "n", sf.Poisson(sf.GammaPoisson(1, 2))),
        ("n=poisson:factorials=false", "n", sf.Poisson(factorials=False)),
        ("b=bernoulli:a=2,b=5,threshold=0.5", "b", sf.Bernoulli(sf.BetaBinomial(2, 5), threshold=0.5)),
        (
            "x=gaussian:location=0,strength=1,shape=2,scale=3",
            "x",
            sf.Gaussian(sf.NormalInverseGamma(location=0, strength=1, shape=2, scale=3)),
        ),
        ("V*=gaussian:full", "V*", sf.Gaussian(covariance="full")),
        ("a+b=gaussian:shared", ("a", "b"), sf.Gaussian(covariance="shared")),
        ("a+b=gaussian", "a+b", sf.Gaussian()),
        (
            "V*=gaussian:full,shrinkage=0.1,toward=shared",
            "V*",
            sf.Gaussian(covariance="full", shrinkage=0.1, toward="shared"),
        ),
        ("V*=gaussian:spherical", "V*", sf.Gaussian(covariance="spherical")),
        ("fur+sex=joint", ("fur", "sex"), sf.Joint()),
        ("0+2=joint:alpha=2", (0, 2), sf.Joint(alpha=2)),
        ("id=none", "id", None),
        ("body=words", "body", sf.Words()),
        ("body=words:ngrams=1-2", "body", sf.Words(ngrams=(1, 2))),
        ("body=words:ngrams=2", "body", sf.Words(ngrams=2)),
        ("body=words:0.1", "body", sf.Words(alpha=0.1)),
        ("body=words:prior=evidence", "body", sf.Words(prior="evidence")),
        ("body=words:prior=evidence-by-class", "body", sf.Words(prior="evidence by class")),
        ("body=words:stop_words=the", "body", sf.Words(stop_words=["the"])),
        ("body=words:stop_words=the|of|2024,min_df=2", "body", sf.Words(stop_words=["the", "of", "2024"], min_df=2)),
        ("body=words:max_df=0.5,max_features=100", "body", sf.Words(max_df=0.5, max_features=100)),
        ("body=words:characters=0123", "body", sf.Words(characters="0123")),
        (
            "body=words:model=bernoulli,binary=true,accents=strip,lowercase=false,min_length=1,max_length=9,hashed=18",
            "body",
            sf.Words(
                model="bernoulli",
                binary=True,
                accents="strip",
                lowercase=False,
                min_length=1,
                max_length=9,
                hashed=18,
            ),
        ),
        (
            "body=words:model=complement,tf=log,unit_length=true,idf=true,min_count=1.5",
            "body",
            sf.Words(model="complement", tf="log", unit_length=True, idf=True, min_count=1.5),
        ),
        (
            "code=chars:ngrams=1,across=true,characters={}[]():;.,|=",
            "code",
            sf.Chars(ngrams=1, across=True, characters="{}[]():;.,|="),
        ),
    ],
)
def test_a_column_argument(text, key, likelihood):
    assert columns_of([text]) == {key: likelihood}


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (
            ["age"],
            "'age' is not NAME=LIKELIHOOD. Write for example age=gaussian, with one of bernoulli, categorical, chars, "
            "gaussian, histogram, joint, multinomial, numeric, poisson, words, none.",
        ),
        (["age=gausian"], "there is no likelihood 'gausian'. Did you mean 'gaussian'?"),
        (
            ["age=zzz"],
            "there is no likelihood 'zzz'. There are bernoulli, categorical, chars, gaussian, histogram, joint, "
            "multinomial, numeric, poisson, words, none.",
        ),
        (["fur=categorical:alfa=1"], "categorical has no option 'alfa'. Did you mean 'alpha'?"),
        (["n=poisson:q=1"], "poisson has no option 'q'. It has factorials, shape, rate."),
        (["n=poisson:shape=1"], "the prior of poisson needs all of shape, rate: rate is missing."),
        (
            ["fur=categorical:alpha"],
            "'alpha' is not an option of categorical. Write categorical:name=value,name=value.",
        ),
        (["x=histogram:bins=0"], "bins must be a whole number from 1 to 4096: got 0."),
        (["x=none", "x=gaussian"], "'x' is given twice. Say once what it is."),
        (["body=wrods"], "there is no likelihood 'wrods'. Did you mean 'words'?"),
        (["body=words:stopwords=the"], "words has no option 'stopwords'. Did you mean 'stop_words'?"),
        (["body=chars:stop_words=the"], "chars has no option 'stop_words'. "),
        (["body=words:ngrams=2-1"], "ngrams must be a number from 1 to 64, or two of them, (from, to): got (2, 1)."),
        (["body=words:ngrams=one"], "ngrams must be a number from 1 to 64, or two of them, (from, to): got 'one'."),
        (["body=words:prior=flat"], "prior must be None, 'evidence' or 'evidence by class': got 'flat'."),
        (["body=words:prior=evidence,alpha=1"], "a text has one prior: got prior= and alpha=. Leave one of them out."),
        (["body=words:stop_words=a||b"], "stop_words must be words: got '' among them."),
        (["body=words:characters="], "'characters=' is not an option of words. Write words:name=value,name=value."),
        (["body=words:alpha=1,"], "'' is not an option of words. Write words:name=value,name=value."),
        (
            ["x=gaussian:covariance=tied"],
            "covariance must be 'diagonal' or 'shared' or 'full' or 'spherical': got 'tied'.",
        ),
        (["x=gaussian:tied"], "'tied' is not an option of gaussian. Write gaussian:name=value,name=value."),
        (["x=gaussian:full,joint=false"], "covariance='full' is of columns together: got joint=False. Leave it out."),
    ],
)
def test_a_column_argument_that_cannot_be(given, complaint):
    with pytest.raises(typer.BadParameter) as said:
        columns_of(given)
    assert said.value.message.startswith(complaint)
    assert said.value.param_hint == "--column"


def test_places_and_names():
    assert [column_key(text) for text in ("0", "-1", "age", "1.5", "2020-01")] == [0, -1, "age", "1.5", "2020-01"]


@pytest.fixture
def model():
    return sf.fit({"x": ["a", "b", "b"], "y": [0, 1, 1]}, "y")


@pytest.mark.parametrize(
    ("text", "prior"),
    [
        ("empirical", sf.ClassPrior.of("empirical")),
        ("uniform", sf.ClassPrior.of("uniform")),
        ("dirichlet:0.5", sf.ClassPrior.dirichlet(0.5)),
        ("0=0.25,1=0.75", sf.ClassPrior.of({0: 0.25, 1: 0.75})),
    ],
)
def test_a_class_prior_of_classes_by_their_text(model, text, prior):
    assert class_prior_of(text).of(model) == prior


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "empiricall",
            "'empiricall' is not a class prior. Give empirical, uniform, dirichlet:1, or the share of each class as in "
            "spam=0.2,ham=0.8.",
        ),
        (
            "a=x,b=0.5",
            "'a=x,b=0.5' is not a class prior. Give empirical, uniform, dirichlet:1, or the share of each class as in "
            "spam=0.2,ham=0.8.",
        ),
        ("a=0.5,b=0.6", "class_prior must sum to 1: got a sum of 1.1. Divide it by its sum."),
        ("a=1.5", "class_prior must hold probabilities from 0 to 1: got 1.5."),
        ("dirichlet:-1", "alpha must be"),
    ],
)
def test_a_class_prior_that_cannot_be(text, complaint):
    with pytest.raises(typer.BadParameter) as said:
        class_prior_of(text)
    assert said.value.message.startswith(complaint)


def test_a_class_that_the_model_does_not_have():
    model = sf.fit({"x": ["a", "b"], "y": ["spam", "ham"]}, "y")
    with pytest.raises(ParameterError) as said:
        class_prior_of("spamm=0.5,ham=0.5").of(model)
    assert str(said.value) == "the model has no class 'spamm'. Did you mean 'spam'?"
    with pytest.raises(ParameterError) as said:
        label_of(model, "q")
    assert str(said.value) == "the model has no class 'q'. Its classes are 'ham', 'spam'."


def test_types():
    assert types_of(["zip=text", "3=float", "a=b=bool"]) == {"zip": "text", 3: "float", "a=b": "bool"}
    assert types_of([]) is None
    with pytest.raises(typer.BadParameter) as said:
        types_of(["zip=string"])
    assert said.value.message == (
        "'zip=string' is not NAME=TYPE. Write for example zip=text, with one of text, integer, float, bool."
    )
