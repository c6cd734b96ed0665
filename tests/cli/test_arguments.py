"""What stands after --column, --prior, --class-prior and --type: what it becomes, and what is said of what it cannot be."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import suffice as sf
from suffice.cli.arguments import DataOptions, Json, ModelPath, command
from suffice.cli.columns import column_key, parse_columns, parse_likelihood
from suffice.cli.completion import CLASSIFIERS, ESTIMATES, LIKELIHOOD_NAMES
from suffice.cli.main import app
from suffice.cli.screen import _METRICS
from suffice.cli.values import find_label, parse_class_prior, parse_classifiers, parse_estimate, parse_types
from suffice.errors import ParameterError
from suffice.evidence.evaluation.classifiers import CLASSIFIERS as COMPARED
from suffice.evidence.screening import METRICS
from suffice.likelihoods import LIKELIHOODS
from suffice.likelihoods.block_statistics import ESTIMATES as READINGS


def test_the_names_that_help_and_completion_know_are_those_of_the_registry():
    assert tuple(name.lower() for name in LIKELIHOODS) == LIKELIHOOD_NAMES


def test_the_estimates_that_help_and_completion_know_are_those_of_the_plan():
    assert set(ESTIMATES) == set(READINGS)


def test_the_classifiers_and_metrics_that_help_and_completion_know_are_those_of_evaluate():
    assert tuple(COMPARED) == CLASSIFIERS
    assert _METRICS == METRICS
    assert parse_classifiers("decision-tree, random-forest") == ["decision-tree", "random-forest"]
    with pytest.raises(typer.BadParameter) as said:
        parse_classifiers("logistic-regresion")
    assert said.value.message == "unknown classifier 'logistic-regresion'. Did you mean 'logistic-regression'?"


def test_an_estimate():
    assert [parse_estimate(name) for name in ("map", None)] == ["map", None]
    assert [parse_estimate(name) for name in ("MLE", "Laplace", "posterior-mean")] == ["mle", "smoothed", "mean"]
    with pytest.raises(typer.BadParameter) as said:
        parse_estimate("mape")
    assert said.value.message == "unknown estimate 'mape'. Did you mean 'map'?"
    with pytest.raises(typer.BadParameter) as said:
        parse_estimate("zz")
    assert said.value.message == "unknown estimate 'zz'. There are predictive, mean, map, smoothed, mle."


@pytest.mark.parametrize("name", LIKELIHOOD_NAMES)
def test_every_likelihood_by_its_name(name):
    ((key, likelihood),) = parse_columns([f"x={name}"]).items()
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
        ("fur=categorical(alpha=0.5)", "fur", sf.Categorical(alpha=0.5)),
        ("fur=Categorical()", "fur", sf.Categorical()),
        ("fur=Categorical(alpha='evidence', unseen=\"mass\")", "fur", sf.Categorical(alpha="evidence", unseen="mass")),
        ("fur=Categorical(levels=['black', 'white', 2])", "fur", sf.Categorical(levels=["black", "white", 2])),
        ("fur=Categorical(levels=['a=b(', '1'])", "fur", sf.Categorical(levels=["a=b(", "1"])),
        ("income = Histogram(16)", "income", sf.Histogram(bins=16)),
        ("n=Poisson(GammaPoisson(1, 2))", "n", sf.Poisson(sf.GammaPoisson(1, 2))),
        ("n=Poisson(factorials=False)", "n", sf.Poisson(factorials=False)),
        ("b=Bernoulli(prior=BetaBinomial(2, b=5), threshold=-0.5)", "b", sf.Bernoulli(sf.BetaBinomial(2, 5), -0.5)),
        (
            "x=Gaussian(prior=NormalInverseGamma(location=0, strength=1, shape=2, scale=3))",
            "x",
            sf.Gaussian(sf.NormalInverseGamma(location=0, strength=1, shape=2, scale=3)),
        ),
        ("V*=MultivariateGaussian(covariance='full')", "V*", sf.MultivariateGaussian(covariance="full")),
        ("a+b=MultivariateGaussian(covariance='shared')", ("a", "b"), sf.MultivariateGaussian(covariance="shared")),
        ("a+b=gaussian", ("a", "b"), sf.Gaussian()),
        ("'a+b'=gaussian", "a+b", sf.Gaussian()),
        ("'a=b('+\"it's\"+'3'=Joint()", ("a=b(", "it's", "3"), sf.Joint()),
        ("'new\\nline'=gaussian", "new\nline", sf.Gaussian()),
        ("fur+sex=joint", ("fur", "sex"), sf.Joint()),
        ("0+2=Joint(alpha=2)", (0, 2), sf.Joint(alpha=2)),
        ("id=none", "id", None),
        ("id=None", "id", None),
        ("body=words", "body", sf.Words()),
        ("body=Words(ngrams=(1, 2))", "body", sf.Words(ngrams=(1, 2))),
        (
            "body=Words(2, stop_words=['the', 'of'], min_df=2)",
            "body",
            sf.Words(ngrams=2, stop_words=["the", "of"], min_df=2),
        ),
        (
            "code=Chars(1, across=True, characters='{}[]():;.,|=')",
            "code",
            sf.Chars(1, across=True, characters="{}[]():;.,|="),
        ),
    ],
)
def test_a_column_argument(text, key, likelihood):
    assert parse_columns([text]) == {key: likelihood}


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (
            ["age"],
            "'age' is not NAME=LIKELIHOOD. Write for example age=gaussian, or 'age=Categorical(alpha=0.5)'.",
        ),
        (["age=gausian"], "unknown likelihood 'gausian'. Did you mean 'gaussian'?"),
        (["age=Gausian()"], "unknown likelihood 'Gausian'. Did you mean 'Gaussian'?"),
        (
            ["age=zzz"],
            "unknown likelihood 'zzz'. The likelihoods are bernoulli, categorical, chars, gaussian, histogram, joint, "
            "multinomial, multivariategaussian, numeric, poisson, uniform, words.",
        ),
        (["age=normal"], "unknown likelihood 'normal'. The likelihoods are bernoulli, "),
        (["fur=Categorical(alfa=1)"], "Categorical has no parameter 'alfa'. Did you mean 'alpha'?"),
        (["n=Poisson(q=1)"], "Poisson has no parameter 'q'. There are prior, factorials."),
        (["n=Poisson(**{'q': 1})"], "Poisson has no parameter '**'."),
        (["n=Poisson(*[1])"], "*[1] is not a value."),
        (["n=Poisson(GammaPoison(1, 2))"], "unknown prior 'GammaPoison'. Did you mean 'GammaPoisson'?"),
        (["n=Poisson(GammaPoisson(1))"], "GammaPoisson.__init__() missing 1 required positional argument: 'rate'"),
        (["n=Poisson(Gaussian())"], "unknown prior 'Gaussian'."),
        (["fur=categorical:alpha=0.5"], "'fur=categorical:alpha=0.5' is not NAME=LIKELIHOOD."),
        (["fur=Categorical(alpha=)"], "'Categorical(alpha=)' is not a likelihood. Write for example gaussian, or"),
        (["fur=Categorical(alpha=x)"], "x is not a value. Give a number, a text in quotes, or a list of those."),
        (["fur=Categorical(alpha=1 + 1)"], "1 + 1 is not a value."),
        (["fur=Categorical(levels=[open('f')])"], "[open('f')] is not a value."),
        (["fur=Categorical(alpha=__import__('os'))"], "unknown prior '__import__'."),
        (["fur=os.system('ls')"], "\"fur=os.system('ls')\" is not NAME=LIKELIHOOD."),
        (["fur=f(x)('ls')"], "unknown likelihood 'f(x)'."),
        (["x=Histogram(bins=0)"], "bins must be an integer from 1 to 4096: got 0."),
        (["x=none", "x=gaussian"], "'x' is given twice. Give it once."),
        (["C++=gaussian"], "'C++=gaussian' has an empty column name: + joins columns."),
        (["body=Words(stopwords='the')"], "Words has no parameter 'stopwords'. Did you mean 'stop_words'?"),
        (
            ["body=Words(ngrams=(2, 1))"],
            "ngrams must be an integer from 1 to 64, or a pair (minimum, maximum): got (2, 1).",
        ),
        (
            ["body=Words(prior='evidence', alpha=1)"],
            "prior and alpha are mutually exclusive: got both. Omit one of them.",
        ),
        (["x=Gaussian(" + "(" * 2000 + ")" * 2000 + ")"], "'Gaussian((("),
        (["x=Gaussian(\0)"], ""),
    ],
)
def test_a_column_argument_that_cannot_be(given, complaint):
    with pytest.raises(typer.BadParameter) as said:
        parse_columns(given)
    assert said.value.message.startswith(complaint)
    assert said.value.param_hint == "--column"


@pytest.mark.parametrize(
    "likelihood",
    [
        sf.Categorical(sf.DirichletMultinomial([1, 2])),
        sf.Categorical({"black": 2, 7: [1, 0.5], True: 1}),
        sf.Uniform(prior_maximum=10, prior_weight=[1, 2]),
        sf.MultivariateGaussian(sf.NormalInverseWishart([0, 0], 1, 3, [[1, 0], [0, 1]])),
        sf.Words(ngrams=(1, 2), stop_words=["the", "a,b"], characters="a\n'"),
        sf.Multinomial(alpha=list(range(1, 100))),
    ],
)
def test_what_a_likelihood_shows_is_what_it_is_made_of(likelihood):
    assert parse_likelihood(repr(likelihood)) == likelihood


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
        ("dirichlet:2,map", sf.ClassPrior.dirichlet(2, "map")),
        ("dirichlet:1,3,MAP", sf.ClassPrior.dirichlet([1, 3], "map")),
        ("dirichlet:1=3,0=1", sf.ClassPrior.dirichlet({0: 1, 1: 3})),
    ],
)
def test_a_parse_class_prior_classes_by_their_text(model, text, prior):
    assert parse_class_prior(text).of(model) == prior


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "empiricall",
            "'empiricall' is not a class prior. Give empirical, uniform, dirichlet:1, or one probability per class "
            "such as spam=0.2,ham=0.8.",
        ),
        (
            "a=x,b=0.5",
            "'a=x,b=0.5' is not a class prior. Give empirical, uniform, dirichlet:1, or one probability per class "
            "such as spam=0.2,ham=0.8.",
        ),
        ("a=0.5,b=0.6", "the class prior must sum to 1: got a sum of 1.1. Divide it by its sum."),
        ("a=1.5", "the class prior must contain probabilities from 0 to 1: got 1.5."),
        ("dirichlet:-1", "alpha must be"),
    ],
)
def test_a_class_prior_that_cannot_be(text, complaint):
    with pytest.raises(typer.BadParameter) as said:
        parse_class_prior(text)
    assert said.value.message.startswith(complaint)


def test_a_class_that_the_model_does_not_have():
    model = sf.fit({"x": ["a", "b"], "y": ["spam", "ham"]}, "y")
    with pytest.raises(ParameterError) as said:
        parse_class_prior("spamm=0.5,ham=0.5").of(model)
    assert str(said.value) == "the model has no class 'spamm'. Did you mean 'spam'?"
    with pytest.raises(ParameterError) as said:
        find_label(model, "q")
    assert str(said.value) == "the model has no class 'q'. Its classes are 'ham', 'spam'."


def test_types():
    assert parse_types(["zip=text", "3=float", "a=b=bool"]) == {"zip": "text", 3: "float", "a=b": "bool"}
    assert parse_types([]) is None
    with pytest.raises(typer.BadParameter) as said:
        parse_types(["zip=string"])
    assert said.value.message == (
        "'zip=string' is not NAME=TYPE. Write for example zip=text, with one of text, integer, float, bool."
    )


@pytest.mark.parametrize(
    "name", ["fit", "predict", "evaluate", "explain", "screen", "calibrate", "decide", "update", "forget"]
)
def test_commands_that_read_data_share_the_options_of_files(name):
    command = typer.main.get_command(app).commands[name]
    shared = {field.name for field in fields(DataOptions)}
    assert shared <= {each.name for each in command.params}
    assert len(command.params) == len({each.name for each in command.params})
    arguments = [each.name for each in command.params if each.param_type_name == "argument"]
    assert arguments in (["paths"], ["model", "paths"])


def test_a_group_of_options_is_spelled_out():
    @command
    def shown(*, model: ModelPath, data: DataOptions, json: Json = False) -> None:
        seen.append((model, data, json))

    seen: list[object] = []
    alone = typer.Typer()
    alone.command()(shown)
    typed = ["m.suffice", "a.csv", "b.csv", "--no-quote", "--null", "?", "--delimiter", "tab", "--type", "zip=text"]
    assert CliRunner().invoke(alone, typed).exit_code == 0
    ((model, data, json),) = seen
    assert (model, data.paths, json) == (Path("m.suffice"), ["a.csv", "b.csv"], False)
    assert data.files() == sf.Files(["a.csv", "b.csv"], quote=False, null="?", delimiter="\t", types={"zip": "text"})
    assert data.files("c.csv").paths == ("c.csv",)
