"""NormalInverseGamma and its Student-t: against scipy.stats, against 60 digits, and by law."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from suffice.conjugate import NormalInverseGamma
from suffice.statistics import Axis, Moments
from tests.oracles import conjugate_exact as exact

REAL = st.floats(-50, 50)
POSITIVE = st.floats(0.05, 50)
PRIORS = st.tuples(REAL, POSITIVE, POSITIVE, POSITIVE)
VALUES = st.lists(REAL, max_size=12)
GRID = [(0.0, 1.0, 0.5, 0.5), (1.0, 2.0, 1.5, 0.8), (-3.0, 0.1, 4.0, 20.0), (5.0, 30.0, 200.0, 1e-3)]
NAMES = ("location", "strength", "shape", "scale")


def parameters(model: NormalInverseGamma) -> list[float]:
    return [float(getattr(model, name)) for name in NAMES]


@pytest.mark.parametrize("prior", GRID)
def test_density_is_that_of_scipy(prior: tuple[float, float, float, float]) -> None:
    m, kappa, a, b = prior
    mu, sigma2 = np.meshgrid(np.linspace(-3, 6, 7), np.geomspace(1e-3, 50, 7))
    wanted = stats.norm(m, np.sqrt(sigma2 / kappa)).logpdf(mu) + stats.invgamma(a, scale=b).logpdf(sigma2)
    np.testing.assert_allclose(NormalInverseGamma(*prior).log_pdf(mu, sigma2), wanted, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("prior", GRID)
@pytest.mark.parametrize("n", [1, 5])
def test_predictive_is_the_student_t_of_the_formula(prior: tuple[float, float, float, float], n: int) -> None:
    m, kappa, a, b = prior
    model = NormalInverseGamma(*prior)
    wanted = 2 * a, m, np.sqrt(b / a * (1 / kappa + 1 / n))
    np.testing.assert_allclose(model.student_t(n), wanted, rtol=1e-14)
    x = np.linspace(-40, 40, 41)
    np.testing.assert_allclose(model.predictive(n).logpdf(x), stats.t(*wanted).logpdf(x), rtol=1e-10)
    np.testing.assert_allclose(model.predictive().logpdf(x), model.log_evidence(x[:, None]), rtol=1e-10, atol=1e-10)
    if a > 1:
        np.testing.assert_allclose(model.predictive(n).var(), (1 / kappa + 1 / n) * model.mean.variance, rtol=1e-10)


def test_mean_and_variance_where_they_exist_and_where_not() -> None:
    model = NormalInverseGamma(2, 4, [0.3, 1, 1.5, 3], 6)
    np.testing.assert_allclose(model.mean.location, 2)
    np.testing.assert_allclose(model.mean.variance, [np.inf, np.inf, 12, 3])
    np.testing.assert_allclose(model.variance.location, [np.inf, np.inf, 3, 0.75])
    np.testing.assert_allclose(model.variance.variance, [np.inf, np.inf, np.inf, 9])
    np.testing.assert_allclose(stats.invgamma(3, scale=6).var(), 9)
    # the classifier's reading is finite everywhere: the predictive scale² where the mean is not
    np.testing.assert_allclose(model.mean_estimate.variance, [6 * 5 / (0.3 * 4), 6 * 5 / 4, 12, 3])


def test_joint_mode() -> None:
    model = NormalInverseGamma([0, 2], 4, 2.5, 6)
    assert model.mode.kind.tolist() == ["one", "one"]
    np.testing.assert_allclose(model.mode.value.location, [0, 2])
    np.testing.assert_allclose(model.map_estimate.variance, 1.5)
    one = NormalInverseGamma(2, 4, 2.5, 6)
    top = one.log_pdf(2, 1.5)
    for mu, sigma2 in ((2.01, 1.5), (1.99, 1.5), (2, 1.51), (2, 1.49)):
        assert one.log_pdf(mu, sigma2) < top


@pytest.mark.parametrize("prior", GRID)
@pytest.mark.parametrize("credible", [0.5, 0.95])
@pytest.mark.parametrize("kind", ["equal-tailed", "highest-density"])
def test_intervals_hold_the_mass_they_say(prior: tuple[float, ...], credible: float, kind: Any) -> None:
    m, kappa, a, b = prior
    model = NormalInverseGamma(*prior)
    both = model.interval(credible, kind)
    location, variance = stats.t(2 * a, m, np.sqrt(b / (a * kappa))), stats.invgamma(a, scale=b)
    np.testing.assert_allclose(list(both.location), location.interval(credible), rtol=1e-10)
    lower, upper = both.variance
    assert abs(variance.cdf(upper) - variance.cdf(lower) - credible) < 1e-10
    if kind == "equal-tailed":
        np.testing.assert_allclose([lower, upper], variance.interval(credible), rtol=1e-10)
    else:
        np.testing.assert_allclose(variance.logpdf(lower), variance.logpdf(upper), rtol=1e-10, atol=1e-10)
        assert upper - lower < np.diff(variance.interval(credible))[0]


def test_intervals_of_extremes_are_never_nan() -> None:
    for kind in ("equal-tailed", "highest-density"):
        for size in (1e-300, 1e-4, 1e12, 1e300):
            both = NormalInverseGamma(0, size, size, size).interval(0.9, kind)  # type: ignore[arg-type]
            ends = np.array([*both.location, *both.variance])
            assert not np.isnan(ends).any()
            assert ends[0] <= ends[1]
            assert ends[2] <= ends[3]


def test_interval_of_few_degrees_of_freedom() -> None:
    # t = √ν / √x with ½ I_x(ν/2, ½) = ¼, where x underflows: its logarithm is known
    degrees = 2e-3
    log_x = (np.log(0.25) + np.log(degrees) + special.betaln(degrees / 2, 0.5)) / (degrees / 2)
    got = NormalInverseGamma(0, 1, 1e-3, 1e-3).interval(0.5).location.upper
    np.testing.assert_allclose(np.log(got), 0.5 * (np.log(degrees) - log_x), rtol=1e-10)
    # 20 to the 500th power is not a float, and SciPy stops at 3e152
    assert NormalInverseGamma(0, 1, 1e-3, 1e-3).interval(0.95).location.upper == np.inf


@given(PRIORS, VALUES, st.integers(0, 12))
def test_batch_is_sequential_and_every_form_agrees(prior: tuple[float, ...], x: list[float], cut: int) -> None:
    model, array = NormalInverseGamma(*prior), np.array(x)
    batch = model.update(array)
    parts = model.update(array[:cut]).update(array[cut:])
    np.testing.assert_allclose(parameters(parts), parameters(batch), rtol=1e-10, atol=1e-10)
    mean = array.mean() if x else 0.0
    named = model.update(weight=len(x), mean=mean, dp=((array - mean) ** 2).sum())
    np.testing.assert_allclose(parameters(named), parameters(batch), rtol=1e-12, atol=1e-12)
    missing = model.update(np.append(array, np.nan))
    np.testing.assert_allclose(parameters(missing), parameters(batch), rtol=1e-12, atol=1e-12)
    twice = model.update(array, weights=np.full(len(x), 2.0))
    np.testing.assert_allclose(parameters(twice), parameters(model.update(np.repeat(array, 2))), rtol=1e-10, atol=1e-10)


@given(PRIORS, VALUES)
def test_evidence_is_the_chain_of_predictions(prior: tuple[float, ...], x: list[float]) -> None:
    model, chain = NormalInverseGamma(*prior), 0.0
    for value in x:
        chain += float(model.predictive().logpdf(value))
        model = model.update([value])
    np.testing.assert_allclose(NormalInverseGamma(*prior).log_evidence(np.array(x)), chain, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("a", [1e-4, 0.5, 1e6, 1e12])
@pytest.mark.parametrize("n", [0.0, 1.0, 1e6, 1e12])
def test_evidence_in_sixty_digits(a: float, n: float) -> None:
    for b, dp in ((1e-4, float(n > 0)), (a, n), (1e-300, 0.0), (2.0 * a, 3 * n)):
        prior = (0.3, 0.7, a, b)
        wanted = exact.normal_inverse_gamma_evidence(prior, n, 0.31, dp)
        got = float(NormalInverseGamma(*prior).log_evidence(weight=n, mean=0.31, dp=dp))
        assert abs(got - wanted) <= 1e-10 * max(1, abs(wanted)), (b, dp)


def test_a_far_away_column_keeps_its_spread() -> None:
    x = np.random.default_rng(5).normal(0, 1, 1000)
    near, far = NormalInverseGamma.mle(x), NormalInverseGamma.mle(x + 1e8)
    np.testing.assert_allclose(far.variance, near.variance, rtol=1e-7)
    np.testing.assert_allclose(far.variance, (x + 1e8).var(), rtol=1e-12)


@given(st.lists(PRIORS, min_size=1, max_size=4))
def test_arrays_are_loops_of_scalars(rows: list[tuple[float, ...]]) -> None:
    many, one = NormalInverseGamma(*np.array(rows).T), [NormalInverseGamma(*row) for row in rows]
    same = np.testing.assert_array_equal
    same(many.log_pdf(0.7, 2.0), [each.log_pdf(0.7, 2.0) for each in one])
    same(many.log_evidence([1.0, 2.0]), [each.log_evidence([1.0, 2.0]) for each in one])
    same(many.predictive().cdf(1.0), [each.predictive().cdf(1.0) for each in one])
    same(many.interval(0.8).variance.lower, [each.interval(0.8).variance.lower for each in one])


@pytest.mark.parametrize("degrees", [1e-4, 0.5, 3.0, 1e6, 1e12])
@pytest.mark.parametrize("x", [0.0, 1e-9, 2.0, -40.0, 1e100])
def test_student_t_in_sixty_digits(degrees: float, x: float) -> None:
    # κ = 1 and a scale of 2: b = 2a
    model, wanted = NormalInverseGamma(0.5, 1, degrees / 2, degrees), exact.log_student_t(x, degrees, 0.5, 2.0)
    for got in (model.predictive().logpdf(x), model.log_evidence([x])):
        assert abs(float(got) - wanted) <= 1e-10 * max(1, abs(wanted))


def test_samples_follow_the_distribution() -> None:
    model = NormalInverseGamma(1, 2, 1.5, 0.8)
    draws = model.sample(4000, seed=1)
    assert stats.kstest(draws.variance, stats.invgamma(1.5, scale=0.8).cdf).pvalue > 1e-3
    assert stats.kstest(draws.location, stats.t(3, 1, np.sqrt(0.8 / 3)).cdf).pvalue > 1e-3
    assert stats.kstest(model.predictive().rvs(4000, random_state=2), model.predictive().cdf).pvalue > 1e-3
    assert NormalInverseGamma([0, 1], 1, 1, 1).sample(3, seed=0).location.shape == (3, 2)


def test_moments_of_our_own() -> None:
    seen = Moments(Axis.of(["a", "b"]), 2, [[3, 3], [2, 1]], [[1, 2], [0, 5]], [[2, 4], [8, 0]])
    prior = NormalInverseGamma([0, 1], 1, 0.5, [0.5, 2])
    posterior = prior.update(seen)
    by_hand = prior.update(weight=seen.weight, mean=seen.mean, dp=seen.dp)
    assert posterior == by_hand
    assert posterior.location.shape == (2, 2)
    np.testing.assert_allclose(NormalInverseGamma.mle(seen).variance, [[2 / 3, 4 / 3], [4, 0]])
    np.testing.assert_array_equal(
        prior.log_evidence(seen), prior.log_evidence(weight=seen.weight, mean=seen.mean, dp=seen.dp)
    )


def test_a_model_is_a_value() -> None:
    model = NormalInverseGamma(0, 1, 2, 3)
    assert model == NormalInverseGamma(0.0, 1.0, 2.0, 3.0)
    assert model != NormalInverseGamma(0, 1, 2, 4)
    assert model != 0
    assert repr(model) == "NormalInverseGamma(location=0.0, strength=1.0, shape=2.0, scale=3.0)"
    assert not model.scale.flags.writeable
