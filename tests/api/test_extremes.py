"""Values and weights near the ends of the floats: whatever a method answers is a number, or a SufficeError says why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import suffice as sf

ESTIMATES = ("mle", "smoothed", "map", "mean", "predictive")
VALUES = (0.0, 1.0, 2.0, 5.0, 5e-324, 1e-300, 1e17, 1e100, 1e154, 1e300, 1.7e308, np.nan)
WEIGHTS = (0.0, 1.0, 2.0, 5e-324, 1e-300, 1e-10, 1e16, 1e100, 1e300, 1.7e308)
COUNTS = (sf.Poisson(), sf.Multinomial(), sf.Multinomial(alpha="evidence"))
LIKELIHOODS = (
    *COUNTS,
    sf.Bernoulli(),
    sf.Bernoulli(prior="evidence"),
    sf.Categorical(),
    sf.Gaussian(),
    sf.Gaussian(variance="shared"),
    sf.MultivariateGaussian(covariance="full"),
    sf.MultivariateGaussian(covariance="shared"),
    sf.MultivariateGaussian(covariance="full", shrinkage="oas"),
    sf.Histogram(bins=4),
    sf.Numeric(),
)
quiet = pytest.mark.filterwarnings("ignore::suffice.SufficeWarning", "ignore::RuntimeWarning")


def numbers(model: sf.Model, x: Any) -> dict[str, Callable[[], Any]]:
    """What a model says about rows, each as an array."""
    return {
        "log_joint": lambda: model.log_joint(x),
        "predict_proba": lambda: model.predict_proba(x),
        "log_density": lambda: model.log_density(x),
        "log_evidence": model.log_evidence,
        "parameters": lambda: [each.value for each in model.parameters()],
        "interval": lambda: [model.interval(x, draws=200).lower, model.interval(x, draws=200).upper],
        "explain": lambda: (str(model.explain(x)), 0.0)[1],
        "show": lambda: (str(model.show()) + repr(model), 0.0)[1],
    }


def require_numbers(model: sf.Model, x: Any) -> None:
    """Nothing is NaN."""
    for name, answer in numbers(model, x).items():
        try:
            found = answer()
        except sf.SufficeError:
            continue
        assert not np.isnan(np.asarray(found, dtype=float)).any(), name


@st.composite
def extreme_rows(draw: st.DrawFn) -> tuple[Any, Any, Any, Any]:
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(1, 3))
    likelihood = draw(st.sampled_from(LIKELIHOODS))
    cells = draw(st.lists(st.sampled_from(VALUES), min_size=rows * columns, max_size=rows * columns))
    x = np.array(cells).reshape(rows, columns)
    if likelihood in COUNTS:
        x = np.minimum(np.floor(x), 1e300)  # beyond, x ln θ is no float
    elif likelihood != sf.Bernoulli():
        x = x * draw(st.sampled_from([1.0, -1.0]))
    y = draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows))
    w = draw(st.none() | st.lists(st.sampled_from(WEIGHTS), min_size=rows, max_size=rows))
    return likelihood, x, y, w


@quiet
@settings(max_examples=150, deadline=None, derandomize=True)
@given(extreme_rows(), st.sampled_from(ESTIMATES))
def test_no_answer_is_nan(drawn: tuple[Any, Any, Any, Any], estimate: str) -> None:
    likelihood, x, y, w = drawn
    try:
        model = sf.fit(x, y, columns=likelihood, estimate=estimate, weights=w)
    except sf.SufficeError:
        return
    require_numbers(model, x)


@quiet
@settings(max_examples=80, deadline=None, derandomize=True)
@given(extreme_rows(), st.sampled_from(ESTIMATES))
def test_evaluation_and_calibration_hold(drawn: tuple[Any, Any, Any, Any], estimate: str) -> None:
    likelihood, x, y, w = drawn
    for held_out in ({"loo": True}, {"folds": 2}):
        try:
            found = sf.evaluate(x, y, columns=likelihood, estimate=estimate, weights=w, bootstrap=3, **held_out)
        except sf.SufficeError:
            continue
        assert np.isfinite(found["log_loss"].value)
    try:
        plain = sf.fit(x, y, columns=likelihood, estimate=estimate, weights=w, calibrate=False)
        model = plain.calibrate(x, y, weights=w, method="offsets")
        assert not np.isnan(model.novelty(x).p_value).any()
    except sf.SufficeError:
        return
    assert not np.isnan(model.predict_proba(x)).any()


@quiet
@pytest.mark.parametrize("estimate", ESTIMATES)
def test_counts_at_the_end_of_the_floats(estimate: str) -> None:
    x = np.array([[1.0, 1e154, 0.0], [1.7e308, 1.7e308, 1e154], [0.0, 1.0, 1e154]])
    model = sf.fit(x, [0, 2, 0], columns=sf.Poisson(), estimate=estimate, calibrate=False)
    require_numbers(model, np.array([[0.0, 0.0, 1.0], [1.7e308, 0.0, 0.0], [0.0, 1e154, 0.0]]))
    if estimate in ("mle", "smoothed"):  # the others have a prior, and its parameters end at 1e300
        found = sf.evaluate(
            x, [0, 2, 0], columns=sf.Poisson(), estimate=estimate, loo=True, bootstrap=0, calibrate=False
        )
        assert np.isfinite(found["log_loss"].value)


def test_counts_that_wash_their_pseudo_counts_away_can_be_left_out() -> None:
    # Of 1e100 + α nothing is left when 1e100 is taken out; α is.
    # One column is certain in both classes, so only their prior without the row is left: 1/3.
    found = sf.evaluate(
        [[1e100], [3.0], [1e100], [2.0]], [0, 0, 1, 1], columns=sf.Multinomial(), loo=True, bootstrap=0, calibrate=False
    )
    assert found["log_loss"].value == pytest.approx(np.log(3))


def test_classes_that_weigh_next_to_nothing_can_be_left_out() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(12, 2)), np.arange(12) % 2
    w = np.where(y == 0, 1.0, 1e-300)
    for likelihood in (sf.Gaussian(), sf.MultivariateGaussian()):
        for estimate in ESTIMATES:
            model = sf.fit(x, y, columns=likelihood, estimate=estimate, weights=w, calibrate="auto")
            assert not np.isnan(model.predict_proba(x)).any()


def test_a_large_mean_count_can_be_shown() -> None:
    model = sf.fit([[1e100], [1e100], [3.0], [1e100]], [0, 0, 1, 1], columns=sf.Poisson(), calibrate=False)
    assert str(model.show())


def test_weights_that_add_up_to_no_float_are_refused() -> None:
    with pytest.raises(sf.errors.DataError, match="exceeds the largest float64"):
        sf.fit([["u"], ["v"]], [0, 1], columns=sf.Categorical(), weights=[1.7e308, 1.7e308], calibrate=False)


@pytest.mark.parametrize("weight", [1e-320, 1e-200, 1e200, 1e307])
def test_metrics_do_not_depend_on_the_unit_of_the_weights(weight: float) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(12, 1)), np.arange(12) % 2
    model = sf.fit(x, y, columns=sf.Gaussian(), calibrate=False)
    plain, scaled = (model.evaluate(x, y, weights=w, bootstrap=20) for w in (None, np.full(12, weight)))
    assert [each.name for each in plain.metrics] == [each.name for each in scaled.metrics]
    found, expected = ([each[1:] for each in measured.metrics] for measured in (scaled, plain))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_a_text_model_without_classes_can_be_shown() -> None:
    model = sf.fit(["aa bb", "bb"], [0, 0], columns=sf.Words(prior="evidence"), weights=[0, 0], calibrate=False)
    assert "Words" in repr(model)


@pytest.mark.parametrize("estimate", ["map", "mean"])
def test_a_prior_that_is_too_far_from_the_data_is_refused(estimate: str) -> None:
    prior = sf.NormalInverseGamma(1e160, 1, 0.5, 0.5)
    model = sf.fit([[1.0], [2.0], [3.0]], [0, 0, 1], columns=sf.Gaussian(prior), estimate=estimate, calibrate=False)
    with pytest.raises(sf.errors.ParameterError, match="scale must be finite"):
        model.log_joint([[1.0]])
