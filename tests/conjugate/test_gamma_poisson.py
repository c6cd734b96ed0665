"""GammaPoisson: against scipy.stats, against 60 digits, and by law."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from suffice.conjugate import GammaPoisson
from suffice.statistics import Axis, Counts
from tests.oracles import conjugate_exact as exact

POSITIVE = st.floats(1e-2, 1e2)
COUNTS = st.lists(st.integers(0, 30), max_size=15)
GRID = [(1e-4, 1.0), (0.5, 3.0), (1.0, 1.0), (2.3, 0.7), (400.0, 30.0)]


@pytest.mark.parametrize(("shape", "rate"), GRID)
def test_density_and_moments_are_those_of_scipy(shape: float, rate: float) -> None:
    model, theirs = GammaPoisson(shape, rate), stats.gamma(shape, scale=1 / rate)
    x = np.geomspace(1e-3, 40, 25)
    np.testing.assert_allclose(model.log_pdf(x), theirs.logpdf(x), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose([model.mean, model.variance], [theirs.mean(), theirs.var()], rtol=1e-10)


@pytest.mark.parametrize(("shape", "rate"), GRID)
@pytest.mark.parametrize("n", [1, 3, 0.5])
def test_predictive_is_the_evidence_of_a_total(shape: float, rate: float, n: float) -> None:
    model, predictive, y = GammaPoisson(shape, rate), GammaPoisson(shape, rate).predictive(n), np.arange(60)
    evidence = model.log_evidence(total=y, weight=n, of="total")
    np.testing.assert_allclose(predictive.logpmf(y), evidence, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(predictive.cdf(y), np.cumsum(np.exp(evidence)), rtol=1e-10)
    moments = shape * n / rate, shape * n / rate * (1 + n / rate)
    np.testing.assert_allclose([predictive.mean(), predictive.var()], moments, rtol=1e-10)


@pytest.mark.parametrize("shape", [1e-300, 1e-4, 3.0, 1e12])
@pytest.mark.parametrize("rate", [1e-300, 1e-3, 2.0, 1e12])
@pytest.mark.parametrize("n", [1.0, 1e12])
def test_evidence_of_extreme_totals(shape: float, rate: float, n: float) -> None:
    for y in (0.0, 1.0, 7.0, float(np.floor(min(shape * n / rate, 1e15)))):
        wanted = exact.log_negative_binomial(y, shape, rate, n)
        got = float(GammaPoisson(shape, rate).log_evidence(total=y, weight=n, of="total"))
        assert abs(got - wanted) <= 1e-10 * max(1, abs(wanted)), y


@pytest.mark.parametrize("shape", [1.5, 7.0, 1e6, 1e12])
@pytest.mark.parametrize("credible", [0.5, 0.95])
@pytest.mark.parametrize("kind", ["equal-tailed", "highest-density"])
def test_intervals_hold_the_mass_they_say(shape: float, credible: float, kind: Any) -> None:
    model = GammaPoisson(shape, 2.0)
    lower, upper = model.interval(credible, kind)
    mass = special.gammainc(shape, 2 * upper) - special.gammainc(shape, 2 * lower)
    step = np.exp(model.log_pdf([lower, upper])) @ np.spacing([lower, upper])
    assert abs(mass - credible) < 1e-10 + 2 * step
    if kind == "highest-density":
        low, high = model.log_pdf([lower, upper])
        slope = abs((shape - 1) / lower - 2) + abs((shape - 1) / upper - 2)
        assert abs(low - high) < 1e-10 + 4 * slope * np.spacing(upper)
        equal = model.interval(credible)
        assert upper - lower <= equal.upper - equal.lower + 2 * np.spacing(upper)


def test_highest_density_from_zero() -> None:
    for shape in (0.3, 1.0):
        lower, upper = GammaPoisson(shape, 2.0).interval(0.9, "highest-density")
        assert lower == 0
        np.testing.assert_allclose(upper, stats.gamma(shape, scale=0.5).ppf(0.9), rtol=1e-10)


@pytest.mark.parametrize(("shape", "value"), [(3.0, 1.0), (1.0, 0.0), (0.5, 0.0)])
def test_every_case_of_the_mode(shape: float, value: float) -> None:
    model = GammaPoisson(shape, 2)
    assert (model.mode.kind, model.mode.value, model.map_estimate) == ("one", value, value)


@given(POSITIVE, POSITIVE, COUNTS, st.integers(0, 15))
def test_batch_is_sequential_and_every_form_agrees(shape: float, rate: float, x: list[int], cut: int) -> None:
    prior, array = GammaPoisson(shape, rate), np.array(x, dtype=np.int64)
    batch = prior.update(array)
    parts = prior.update(array[:cut]).update(array[cut:])
    np.testing.assert_allclose([parts.shape, parts.rate], [batch.shape, batch.rate], rtol=1e-14)
    assert prior.update(total=sum(x), weight=len(x)) == batch
    assert prior.update(np.append(array.astype(float), np.nan)) == batch


@given(POSITIVE, POSITIVE, COUNTS)
def test_evidence_is_the_chain_of_predictions(shape: float, rate: float, x: list[int]) -> None:
    model, chain, prior = GammaPoisson(shape, rate), 0.0, GammaPoisson(shape, rate)
    for value in x:
        chain += float(model.predictive().logpmf(value))
        model = model.update([value])
    sequence = prior.log_evidence(np.array(x, dtype=float))
    np.testing.assert_allclose(sequence, chain, rtol=1e-11, atol=1e-11)
    factorials = special.gammaln(np.array(x, dtype=float) + 1).sum()
    given_total = prior.log_evidence(total=sum(x), weight=len(x), log_factorials=factorials)
    np.testing.assert_allclose(given_total, sequence, rtol=1e-13, atol=1e-13)
    of_total = prior.log_evidence(total=sum(x), weight=len(x), of="total")
    np.testing.assert_allclose(of_total, prior.predictive(len(x)).logpmf(sum(x)), rtol=1e-11, atol=1e-11)


@given(st.lists(st.tuples(POSITIVE, POSITIVE), min_size=1, max_size=4))
def test_arrays_are_loops_of_scalars(rows: list[tuple[float, float]]) -> None:
    many, one = GammaPoisson(*np.array(rows).T), [GammaPoisson(*row) for row in rows]
    same = np.testing.assert_array_equal
    same(many.log_pdf(0.7), [each.log_pdf(0.7) for each in one])
    same(many.predictive(3).logpmf(4), [each.predictive(3).logpmf(4) for each in one])
    same(many.interval(0.8).lower, [each.interval(0.8).lower for each in one])
    hd = many.interval(0.8, "highest-density")
    same(hd.upper, [each.interval(0.8, "highest-density").upper for each in one])


def test_density_at_its_edges() -> None:
    np.testing.assert_allclose(GammaPoisson([0.5, 1, 2], 3).log_pdf(0), [np.inf, np.log(3), -np.inf])
    assert GammaPoisson(2, 1e300).log_pdf(1e300) == -np.inf
    for shape, rate, theta in ((1e12, 1e6, 1.000001e6), (1e-4, 1.0, 1e-200)):
        wanted = exact.log_gamma_density(theta, shape, rate)
        np.testing.assert_allclose(float(GammaPoisson(shape, rate).log_pdf(theta)), float(wanted), rtol=1e-10)


def test_nothing_more_is_certainly_nothing() -> None:
    nothing = GammaPoisson(2, 3).predictive(0)
    assert nothing.pmf([0, 1]).tolist() == [1.0, 0.0]
    assert nothing.cdf([0, 1]).tolist() == [1.0, 1.0]
    assert nothing.rvs(4, random_state=0).tolist() == [0, 0, 0, 0]


def test_samples_follow_the_distribution() -> None:
    assert stats.kstest(GammaPoisson(0.4, 3).sample(4000, seed=1), stats.gamma(0.4, scale=1 / 3).cdf).pvalue > 1e-3
    draws = np.minimum(GammaPoisson(2, 3).predictive(4).rvs(20000, random_state=2), 12)
    theirs = stats.nbinom(2, 3 / 7)
    expected = np.append(theirs.pmf(np.arange(12)), theirs.sf(11)) * 20000
    assert stats.chisquare(np.bincount(draws, minlength=13), expected).pvalue > 1e-3


def test_counts_of_our_own() -> None:
    seen = Counts(Axis.of(["a", "b"]), Axis.of(["x", "y"]), [[7, 1], [0, 3]], [[3], [2]])
    posterior = GammaPoisson(1, 2).update(seen)
    np.testing.assert_array_equal(posterior.shape, [[8, 2], [1, 4]])
    np.testing.assert_array_equal(posterior.rate, [[5, 5], [4, 4]])
    np.testing.assert_array_equal(GammaPoisson.mle(seen), [[7 / 3, 1 / 3], [0, 1.5]])
    assert GammaPoisson(1, 2).log_evidence(seen, of="total").shape == (2, 2)


def test_a_model_is_a_value() -> None:
    assert GammaPoisson(1, 2) == GammaPoisson(1.0, 2.0)
    assert GammaPoisson(1, 2) != GammaPoisson(2, 1)
    assert GammaPoisson(1, 2) != (1, 2)
    assert repr(GammaPoisson(1, 2)) == "GammaPoisson(shape=1.0, rate=2.0)"
