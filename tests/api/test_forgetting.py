"""Taking rows out again: what float64 cannot resolve afterwards is said, and nothing else is."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf

RNG = np.random.default_rng(0)
X = RNG.normal(5, 1, (200, 2))
K = RNG.poisson(3, (200, 2)).astype(float)
Y = np.array(["a", "b"])[np.arange(200) % 2]


def big_row(big: float) -> Any:
    return np.array([[big, 1.0]])


@pytest.mark.parametrize("big", [1e15, 1e17, 1e100])
@pytest.mark.parametrize(
    "likelihood",
    [
        sf.Gaussian(),
        sf.MultivariateGaussian(covariance="full"),
        sf.MultivariateGaussian(covariance="shared"),
        sf.Numeric(),
    ],
)
def test_an_absurd_value_that_is_forgotten_is_reported_with_its_column_and_class(likelihood: Any, big: float) -> None:
    model = sf.fit(X, Y, columns=likelihood, calibrate=False).update(big_row(big), ["a"])
    with pytest.warns(
        sf.errors.LostPrecisionWarning, match=r"variance of column 0 in class 'a'.*Fit the model again"
    ) as caught:
        model.forget(big_row(big), ["a"])
    (warning,) = caught
    assert "column 1" not in str(warning.message)
    assert "'b'" not in str(warning.message)
    assert warning.filename == __file__
    with pytest.warns(sf.errors.LostPrecisionWarning):
        model - sf.fit(big_row(big), ["a"], like=model, calibrate=False)


@pytest.mark.parametrize("likelihood", [sf.Gaussian(), sf.MultivariateGaussian(covariance="full"), sf.Numeric()])
@pytest.mark.parametrize("big", [1e3, 1e8, 1e12])
def test_a_large_value_that_cancels_is_not_reported(likelihood: Any, big: float) -> None:
    model = sf.fit(X, Y, columns=likelihood, calibrate=False)
    after = model.update(big_row(big), ["a"]).forget(big_row(big), ["a"])
    np.testing.assert_allclose(after.predict_proba(X), model.predict_proba(X), rtol=1e-7)


def test_an_outlier_that_was_collected_with_the_other_rows_is_reported_sooner() -> None:
    def forgotten(big: float) -> sf.Model:
        whole = sf.fit(np.r_[X, big_row(big)], [*Y, "a"], columns=sf.Gaussian(), estimate="mle", calibrate=False)
        return whole.forget(big_row(big), ["a"])

    exact = sf.fit(X, Y, columns=sf.Gaussian(), estimate="mle", calibrate=False).predict_proba(X)
    np.testing.assert_allclose(forgotten(1e6).predict_proba(X), exact, rtol=1e-4)
    with pytest.warns(sf.errors.LostPrecisionWarning, match="column 0 in class 'a'"):
        forgotten(1e8)


@pytest.mark.parametrize("likelihood", [sf.Poisson(), sf.Multinomial()])
def test_a_sum_of_counts_beyond_whole_numbers_is_reported(likelihood: Any) -> None:
    model = sf.fit(K, Y, columns=likelihood, calibrate=False).update(big_row(1e17), ["b"])
    with pytest.warns(sf.errors.LostPrecisionWarning, match="sum of column 0 in class 'b'"):
        model.forget(big_row(1e17), ["b"])
    model = sf.fit(K, Y, columns=likelihood, calibrate=False)
    after = model.update(big_row(1e12), ["b"]).forget(big_row(1e12), ["b"])
    np.testing.assert_allclose(after.predict_proba(K), model.predict_proba(K), rtol=1e-12)


@pytest.mark.parametrize("likelihood", [sf.Categorical(), sf.Gaussian(), sf.Bernoulli()])
def test_a_class_that_an_absurd_weight_has_washed_away_is_reported(likelihood: Any) -> None:
    model = sf.fit(K, Y, columns=likelihood, calibrate=False).update(K[:1], ["a"], weights=[1e17])
    with pytest.warns(sf.errors.LostPrecisionWarning, match="weight in class 'a'"):
        model.forget(K[:1], ["a"], weights=[1e17])


@pytest.mark.parametrize("rows", [[[5.0]], [[0.0], [0.0]], [[5.0], [5.0]]])
def test_what_is_left_of_a_constant_column_is_reported_only_after_a_huge_value(rows: Any) -> None:
    def forgotten(big: float) -> sf.Model:
        model = sf.fit([*rows, [big]], ["a"] * (len(rows) + 1), columns=sf.Gaussian(), calibrate=False)
        return model.forget([[big]], ["a"])

    forgotten(1000.0)
    with pytest.warns(sf.errors.LostPrecisionWarning, match="column 0 in class 'a'"):
        forgotten(1e100)


def test_a_collector_and_a_single_class_report_it_too() -> None:
    collector = sf.Collector(sf.Gaussian())
    collector.add(X, ["a"] * len(X))
    collector.add(big_row(1e100), ["a"])
    with pytest.warns(sf.errors.LostPrecisionWarning, match="column 0 in class 'a'"):
        collector.forget(big_row(1e100), ["a"])
    assert len(collector) == len(X)


ORDINARY = st.one_of(st.sampled_from([0.0, 0.5, 1.0, 5.0]), st.integers(-1000, 1000).map(float))


@given(st.lists(st.tuples(ORDINARY, ORDINARY, st.booleans(), st.booleans()), min_size=2, max_size=12))
def test_ordinary_rows_are_never_reported(rows: list[tuple[float, float, bool, bool]]) -> None:
    # However few rows are left, and whether or not they are all the same.
    x = np.array([row[:2] for row in rows])
    y = np.array(["a" if row[2] else "b" for row in rows])
    gone = np.array([row[3] for row in rows])
    for likelihood in (sf.Gaussian(), sf.MultivariateGaussian(covariance="full"), sf.Numeric()):
        model = sf.fit(x, y, columns=likelihood, calibrate=False)
        with warnings.catch_warnings():
            warnings.simplefilter("error", sf.errors.LostPrecisionWarning)
            model.forget(x[gone], y[gone])
