"""Leaving one row out equals as many refits, with what is held fixed passed explicitly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import suffice as sf
from suffice.likelihoods import Likelihood
from suffice.plan import Collect
from suffice.statistics.frozen_arrays import FloatArray
from tests.evidence.leaving_out import left_out, require_close

ROWS = 60
CLASSES = ("no", "perhaps", "yes")
ESTIMATES = ("mle", "smoothed", "map", "mean", "predictive")


def refits(data: dict[str, Any], target: Any, weights: Any, columns: Any, estimate: str, prior: Any) -> FloatArray:
    """log p(c, x) of every row under a fit without one unit of its weight."""
    found = np.empty((len(target), len(CLASSES)))
    each = np.ones(len(target)) if weights is None else np.asarray(weights, dtype=float)
    for i in range(len(target)):
        less = each.copy()
        less[i] -= min(each[i], 1.0)
        model = sf.fit(data, target, columns, class_prior=prior, estimate=estimate, weights=less)
        assert model.classes == CLASSES
        found[i] = model.log_joint({name: values[i : i + 1] for name, values in data.items()})[0]
    return found


def classes_of(rng: np.random.Generator) -> Any:
    return np.array(CLASSES)[rng.integers(0, 3, ROWS)]


def weights_of(rng: np.random.Generator, kind: str) -> Any:
    if kind == "none":
        return None
    return rng.choice([0.25, 0.5, 1.0, 2.0, 3.5], ROWS) if kind == "some" else rng.integers(1, 4, ROWS)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("kind", ["none", "whole", "some"])
def test_levels_and_presence(rng: np.random.Generator, estimate: str, kind: str) -> None:
    target, weights = classes_of(rng), weights_of(rng, kind)
    fur = np.array(["black", "white", "red", None], dtype=object)[rng.integers(0, 4, ROWS)]
    data = {"fur": fur, "tail": rng.integers(0, 2, ROWS).astype(float), "paw": fur[::-1].copy()}
    data["tail"][::7] = np.nan
    likelihoods = {
        "fur": sf.Categorical(levels=["black", "red", "white"], unseen="mass"),
        "tail": sf.Bernoulli(),
        "paw": sf.Categorical(levels=[None, "black", "red", "white"], missing="level"),
    }
    model = sf.fit(data, target, likelihoods, estimate=estimate, weights=weights)
    expected = refits(data, target, weights, likelihoods, estimate, "empirical")
    np.testing.assert_allclose(left_out(model, data, target, weights), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("estimate", ["map", "mean", "predictive"])
@pytest.mark.parametrize("kind", ["none", "whole", "some"])
def test_gaussian(rng: np.random.Generator, estimate: str, kind: str) -> None:
    target, weights = classes_of(rng), weights_of(rng, kind)
    x = rng.normal(3, 2, ROWS)
    data = {"x": x, "y": np.where(rng.random(ROWS) < 0.2, np.nan, rng.gamma(2, 5, ROWS))}
    heavy = np.ones(ROWS) if weights is None else weights

    def default_prior(values: Any) -> sf.NormalInverseGamma:
        known = ~np.isnan(values)
        m = np.average(values[known], weights=heavy[known])
        v = np.average((values[known] - m) ** 2, weights=heavy[known])
        return sf.NormalInverseGamma(m, 1, 0.5, v / 2)

    model = sf.fit(data, target, sf.Gaussian(), estimate=estimate, weights=weights)
    fixed = {name: sf.Gaussian(default_prior(values)) for name, values in data.items()}
    expected = refits(data, target, weights, fixed, estimate, "empirical")
    np.testing.assert_allclose(left_out(model, data, target, weights), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("kind", ["none", "whole", "some"])
def test_gaussian_mle(rng: np.random.Generator, kind: str) -> None:
    target, weights = classes_of(rng), weights_of(rng, kind)
    data = {"x": rng.normal(3, 2, ROWS)}
    model = sf.fit(data, target, sf.Gaussian(), estimate="mle", weights=weights)
    expected = refits(data, target, weights, sf.Gaussian(), "mle", "empirical")
    np.testing.assert_allclose(left_out(model, data, target, weights), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("kind", ["none", "some"])
def test_gaussian_smoothed(rng: np.random.Generator, kind: str) -> None:
    target, weights = classes_of(rng), weights_of(rng, kind)
    x = rng.normal(3, 2, ROWS)
    model = sf.fit({"x": x}, target, sf.Gaussian(), estimate="smoothed", weights=weights)
    heavy = np.ones(ROWS) if weights is None else weights
    m = np.average(x, weights=heavy)
    v = np.average((x - m) ** 2, weights=heavy)
    expected = np.empty((ROWS, 3))
    for i in range(ROWS):
        less = heavy.copy()
        less[i] -= min(heavy[i], 1.0)
        for c, label in enumerate(CLASSES):
            own = np.where(target == label, less, 0.0)
            n = own.sum()
            mean = np.average(x, weights=own)
            squares = (own * (x - mean) ** 2).sum() + n / (n + 1) * (mean - m) ** 2 + v
            location, variance = (m + n * mean) / (n + 1), squares / (n + 1)
            density = -0.5 * np.log(2 * np.pi * variance) - 0.5 * (x[i] - location) ** 2 / variance
            expected[i, c] = np.log(n / less.sum()) + density
    np.testing.assert_allclose(left_out(model, {"x": x}, target, weights), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("kind", ["none", "whole", "some"])
def test_counts(rng: np.random.Generator, estimate: str, kind: str) -> None:
    target, weights = classes_of(rng), weights_of(rng, kind)
    data = {name: rng.poisson(2, ROWS).astype(float) for name in "abc"}
    data["b"][::9] = np.nan
    likelihoods = {("a", "b", "c"): sf.Multinomial()}
    model = sf.fit(data, target, likelihoods, estimate=estimate, weights=weights)
    expected = refits(data, target, weights, likelihoods, estimate, "empirical")
    np.testing.assert_allclose(left_out(model, data, target, weights), expected, rtol=1e-10, atol=1e-9)


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_counts_of_which_few_or_none_are_known(estimate: str) -> None:
    # Row 0 has no known count; row 1 is alone in its class with its two columns, of which a refit has seen nothing.
    nan = np.nan
    x = np.array(
        [
            [nan, nan, nan],
            [1, 2, nan],
            [nan, nan, 3],
            [nan, nan, 4],
            [0, 0, nan],
            [1, 1, 1],
            [2, 1, 1],
            [0, 1, 2],
            [1, 1, 2],
        ]
    )
    target = ["no", "no", "no", "no", "no", "yes", "yes", "perhaps", "perhaps"]
    data = {name: x[:, j] for j, name in enumerate("abc")}
    likelihoods = {("a", "b", "c"): sf.Multinomial()}
    model = sf.fit(data, target, likelihoods, class_prior="uniform", estimate=estimate)
    expected = refits(data, target, None, likelihoods, estimate, "uniform")
    found = left_out(model, data, target)
    require_close(found, expected)
    np.testing.assert_allclose(found[0], np.log(1 / 3))
    assert np.isneginf(found[1, 0]) == (estimate == "mle")


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_a_row_without_known_counts_can_be_evaluated_and_calibrated(rng: np.random.Generator, estimate: str) -> None:
    x = rng.poisson(3, (40, 2)).astype(float)
    x[0] = np.nan
    target = np.arange(40) % 2
    found = sf.evaluate(x, target, sf.Multinomial(), class_prior="uniform", estimate=estimate, loo=True, bootstrap=0)
    assert np.isfinite(found["log_loss"].value)
    model = sf.fit(x, target, sf.Multinomial(), class_prior="uniform", estimate=estimate, calibrate="loo")
    assert np.isfinite(model.predict_proba(x)).all()


@pytest.mark.parametrize("estimate", ["mle", "map", "mean", "predictive"])
@pytest.mark.parametrize("kind", ["none", "some"])
def test_poisson(rng: np.random.Generator, estimate: str, kind: str) -> None:
    target, weights = classes_of(rng), weights_of(rng, kind)
    counts = rng.poisson(3, ROWS).astype(float)
    counts[::8] = np.nan
    likelihood = sf.Poisson(sf.GammaPoisson(2.5, 0.5))
    model = sf.fit({"k": counts}, target, likelihood, estimate=estimate, weights=weights)
    expected = refits({"k": counts}, target, weights, likelihood, estimate, "empirical")
    np.testing.assert_allclose(left_out(model, {"k": counts}, target, weights), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("kind", ["none", "some"])
def test_joint(rng: np.random.Generator, estimate: str, kind: str) -> None:
    target, weights = classes_of(rng), weights_of(rng, kind)
    data: dict[str, Any] = {
        "fur": np.array(["black", "white", None], dtype=object)[rng.integers(0, 3, ROWS)],
        "sex": np.array(["f", "m"], dtype=object)[rng.integers(0, 2, ROWS)],
    }
    likelihoods = {("fur", "sex"): sf.Joint()}
    model = sf.fit(data, target, likelihoods, estimate=estimate, weights=weights)
    expected = refits(data, target, weights, likelihoods, estimate, "empirical")
    np.testing.assert_allclose(left_out(model, data, target, weights), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("model_of_text", ["multinomial", "bernoulli"])
@pytest.mark.parametrize("kind", ["none", "some"])
def test_words(rng: np.random.Generator, estimate: str, model_of_text: Any, kind: str) -> None:
    target, weights = classes_of(rng), weights_of(rng, kind)
    words = ["win", "now", "lunch", "prize", "meet"]
    texts = np.array([" ".join(rng.choice(words, rng.integers(0, 6))) for _ in range(ROWS)], dtype=object)
    likelihood = {"body": sf.Words(model=model_of_text)}
    model = sf.fit({"body": texts}, target, likelihood, estimate=estimate, weights=weights)
    expected = refits({"body": texts}, target, weights, likelihood, estimate, "empirical")
    np.testing.assert_allclose(left_out(model, {"body": texts}, target, weights), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("kind", ["none", "whole", "some"])
def test_histogram_keeps_its_cells(rng: np.random.Generator, estimate: str, kind: str) -> None:
    target, weights = classes_of(rng), weights_of(rng, kind)
    x = rng.normal(0, 1, ROWS)
    model = sf.fit({"x": x}, target, sf.Histogram(bins=4), estimate=estimate, weights=weights)
    (steps,) = model.naive_bayes.terms
    cell = np.searchsorted(steps.edges[0], x, side="right")
    spans = np.log(np.diff(steps.spans[0]))
    heavy = np.ones(ROWS) if weights is None else weights
    added = {"mle": 0.0, "smoothed": 1.0, "map": 1.0, "mean": 1.0, "predictive": 1.0}[estimate]
    expected = np.empty((ROWS, 3))
    for i in range(ROWS):
        less = heavy.copy()
        less[i] -= min(heavy[i], 1.0)
        for c, label in enumerate(CLASSES):
            own = np.where(target == label, less, 0.0)
            masses = np.bincount(cell, own, minlength=4) + added
            with np.errstate(divide="ignore"):
                expected[i, c] = np.log(own.sum() / less.sum() * masses[cell[i]] / masses.sum()) - spans[cell[i]]
    np.testing.assert_allclose(left_out(model, {"x": x}, target, weights), expected, rtol=1e-10, atol=1e-10)


def test_numeric_keeps_its_choice(rng: np.random.Generator) -> None:
    target = classes_of(rng)
    x = np.where(rng.random(ROWS) < 0.5, rng.exponential(1, ROWS) ** 4, 50.0)
    data = {"steep": x, "smooth": rng.normal(size=ROWS)}
    model = sf.fit(data, target, sf.Numeric())
    kinds = {name: choice.partition(",")[0] for name, choice in model.choices.items()}
    apart = {name: getattr(sf, kind)() for name, kind in kinds.items()}
    assert set(kinds.values()) == {"Gaussian", "Histogram"}
    by_itself = sf.fit(data, target, apart)
    np.testing.assert_allclose(left_out(model, data, target), left_out(by_itself, data, target), rtol=1e-12)


def test_mixture_with_other_class_priors(rng: np.random.Generator) -> None:
    target, weights = classes_of(rng), weights_of(rng, "some")
    data: dict[str, Any] = {
        "fur": np.array(["black", "white"], dtype=object)[rng.integers(0, 2, ROWS)],
        "k": rng.poisson(2, ROWS),
    }
    likelihoods = {"fur": sf.Categorical(), "k": sf.Poisson(sf.GammaPoisson(1, 1))}
    for prior in ("uniform", sf.DirichletMultinomial([1, 2, 3]), [0.2, 0.3, 0.5]):
        model = sf.fit(data, target, likelihoods, class_prior=prior, weights=weights)
        expected = refits(data, target, weights, likelihoods, "predictive", prior)
        np.testing.assert_allclose(left_out(model, data, target, weights), expected, rtol=1e-10, atol=1e-10)


def test_a_row_alone_in_its_class_and_rows_that_were_not_seen() -> None:
    data, target = {"x": [0.0, 1.0, 2.0, 5.0, 3.0]}, ["a", "a", "a", "b", None]
    with pytest.warns(sf.SufficeWarning, match="1 of 5 rows have no class"):
        model = sf.fit(data, target, sf.Gaussian())
    found = left_out(model, data, target)
    assert np.isneginf(found[3, 1])
    assert np.isfinite(found[[0, 1, 2, 4]]).all()
    assert np.isfinite(found[3, 0])
    np.testing.assert_array_equal(found[4], model.log_joint({"x": [3.0]})[0])


def test_all_missing_and_constant_columns() -> None:
    nan = float("nan")
    data, target = {"x": [nan, nan, nan, nan], "y": [1.0, 1.0, 1.0, 1.0]}, ["a", "a", "b", "b"]
    model = sf.fit(data, target, sf.Gaussian())
    np.testing.assert_allclose(left_out(model, data, target), np.log([[1 / 3, 2 / 3]] * 2 + [[2 / 3, 1 / 3]] * 2))


@pytest.mark.filterwarnings("ignore::suffice.DroppedRowsWarning")
@pytest.mark.parametrize("covariance", ["full", "shared"])
@pytest.mark.parametrize("estimate", ["mle", "map", "mean", "predictive"])
@pytest.mark.parametrize("kind", ["none", "whole", "some"])
def test_columns_together(rng: np.random.Generator, covariance: Any, estimate: str, kind: str) -> None:
    target, weights = classes_of(rng), weights_of(rng, kind)
    x = rng.normal(size=(ROWS, 3)) @ rng.normal(size=(3, 3)) + rng.normal(size=3)
    x[::11, 1] = np.nan  # left out of the block, so there is nothing to leave out
    data = {name: x[:, j] for j, name in enumerate("abc")}
    columns = ("a", "b", "c")
    heavy = np.where(np.isnan(x).any(axis=1), 0.0, np.ones(ROWS) if weights is None else weights)
    m = np.average(np.nan_to_num(x), axis=0, weights=heavy)
    v = np.average((np.nan_to_num(x) - m) ** 2, axis=0, weights=heavy)
    prior = sf.NormalInverseWishart(m, 1, 3, np.diag(v))
    fixed = sf.Gaussian(prior if estimate != "mle" else None, covariance=covariance)
    model = sf.fit(data, target, {columns: sf.Gaussian(covariance=covariance)}, estimate=estimate, weights=weights)
    expected = refits(data, target, weights, {columns: fixed}, estimate, "empirical")
    np.testing.assert_allclose(left_out(model, data, target, weights), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("as_what", [np.int64, np.float32, csr_matrix])
def test_other_arrays(as_what: Any) -> None:
    x = np.random.default_rng(2).poisson(3, size=(30, 3))
    target = np.array(["a", "b"])[np.arange(30) % 2]
    for likelihood in (sf.Gaussian(covariance="shared", joint=False), sf.Gaussian(), sf.Poisson()):
        for estimate in ("map", "predictive"):
            given = as_what(x) if as_what is csr_matrix else x.astype(as_what)
            model = sf.fit(given, target, likelihood, estimate=estimate)
            plain = sf.fit(x.astype(float), target, likelihood, estimate=estimate)
            require_close(left_out(model, given, target), left_out(plain, x.astype(float), target))
    if as_what is csr_matrix:
        return
    for likelihood in (sf.Gaussian(covariance="spherical"), sf.Gaussian(covariance="full", shrinkage=0.2)):
        model, plain = sf.fit(x.astype(as_what), target, likelihood), sf.fit(x.astype(float), target, likelihood)
        require_close(left_out(model, x.astype(as_what), target), left_out(plain, x.astype(float), target))


@final
@dataclass(frozen=True, slots=True, repr=False)
class Silent(Likelihood):
    """Columns that say nothing, and not how a row of theirs is left out either."""

    def collect(self, columns: Any) -> Collect:
        return Collect("presence", columns)

    def terms(self, seen: Any) -> tuple[Any, ...]:
        return ()

    def log_evidence(self, seen: Any) -> float:
        return 0.0

    def parameters(self, seen: Any, level: float) -> Iterator[Any]:
        yield from ()

    def sample(self, seen: Any, draw: Any) -> list[Any]:
        return []


def test_a_likelihood_that_does_not_say_how() -> None:
    data, target = np.random.default_rng(0).normal(size=(20, 2)), ["a", "b"] * 10
    model = sf.fit(data, target, Silent())
    with pytest.raises(sf.ParameterError) as caught:
        left_out(model, data, target)
    assert str(caught.value) == (
        "Silent() cannot leave one row out: it does not say what a class is without it. Use folds= instead."
    )


@pytest.mark.parametrize("likelihood", [sf.Gaussian(), sf.Numeric(), sf.Histogram(bins=16), sf.Bernoulli()])
@pytest.mark.parametrize("gaps", [False, True])
def test_a_matrix_of_many_rows_says_what_its_columns_say(likelihood: Any, gaps: bool) -> None:
    # Rows of a matrix are scored by tables of their own class alone, columns by those of all.
    rng = np.random.default_rng(11)
    target = rng.integers(0, 3, 4000)
    x = rng.normal(target[:, None] / 3, 1.0, (4000, 4))
    x[:, 3] = np.exp(x[:, 3])
    if gaps:
        x[rng.random(x.shape) < 0.05] = np.nan
    model = sf.fit(x, target, likelihood)
    columns = {f"c{j}": x[:, j] for j in range(4)}
    by_column = sf.fit(columns, target, dict.fromkeys(columns, likelihood))
    expected = left_out(by_column, columns, target)
    np.testing.assert_allclose(left_out(model, x, target), expected, rtol=1e-11, atol=1e-11)
