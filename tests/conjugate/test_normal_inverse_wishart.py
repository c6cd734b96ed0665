"""NormalInverseWishart and its multivariate t: against scipy.stats, against 60 digits, and by law."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from suffice.conjugate import NormalInverseGamma, NormalInverseWishart
from suffice.errors import ParameterError
from suffice.statistics import Axis, Scatter
from tests.oracles import conjugate_exact as exact

PSI = np.array([[2, 0.5, 0.1], [0.5, 1, 0], [0.1, 0, 3.0]])
PRIOR = NormalInverseWishart([1, 2, 3], 2.0, 4.5, PSI)
SEEDS = st.integers(0, 2**32 - 1)


def rows(seed: int, n: int, d: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).normal(1, 2, (n, d))


def close(one: NormalInverseWishart, other: NormalInverseWishart) -> None:
    for name in ("location", "strength", "degrees", "scale_matrix"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-11, atol=1e-11)


def test_density_is_that_of_scipy() -> None:
    for seed in range(5):
        sigma = stats.wishart(5, PSI, seed=seed).rvs()
        mu = rows(seed, 1)[0]
        wanted = stats.multivariate_normal(PRIOR.location, sigma / 2).logpdf(mu) + stats.invwishart(4.5, PSI).logpdf(
            sigma
        )
        np.testing.assert_allclose(PRIOR.log_pdf(mu, sigma), wanted, rtol=1e-10)


def test_predictive_is_the_multivariate_t_of_the_formula() -> None:
    x = rows(3, 20)
    for n in (1, 4):
        scale = PSI / 2.5 * (1 / 2 + 1 / n)
        wanted = stats.multivariate_t([1, 2, 3], scale, df=2.5).logpdf(x)
        np.testing.assert_allclose(PRIOR.predictive(n).logpdf(x), wanted, rtol=1e-12)
        np.testing.assert_allclose(PRIOR.components.student_t(n).scale ** 2, np.diag(scale), rtol=1e-12)
    np.testing.assert_allclose(PRIOR.log_evidence(x[:, None]), PRIOR.predictive().logpdf(x), rtol=1e-11)
    draws = NormalInverseWishart([1, 2, 3], 2.0, 12, PSI).predictive().rvs(4000, random_state=3)
    assert stats.kstest(draws[:, 1], stats.t(10, 2, np.sqrt(PSI[1, 1] / 10 * 1.5)).cdf).pvalue > 1e-3


def test_mean_and_variance_where_they_exist_and_where_not() -> None:
    np.testing.assert_array_equal(PRIOR.mean.location, [1, 2, 3])
    np.testing.assert_allclose(PRIOR.mean.covariance, PSI / 0.5)
    assert np.isinf(NormalInverseWishart([1, 2, 3], 2, 4, PSI).mean.covariance).all()
    few = NormalInverseWishart([1, 2, 3], 2, 3, PSI).mean_estimate.covariance
    np.testing.assert_allclose(few, PSI * 3 / 2)
    np.testing.assert_allclose(PRIOR.mean_estimate.covariance, PSI / 0.5)
    np.testing.assert_allclose(PRIOR.variance.location, np.diag(PSI) / 0.5 / 2)
    assert np.isinf(PRIOR.variance.covariance).all()
    many = NormalInverseWishart([1, 2, 3], 2, 9, PSI)
    np.testing.assert_allclose(many.variance.covariance, stats.invwishart(9, PSI).var(), rtol=1e-12)


def test_joint_mode() -> None:
    mode = PRIOR.mode
    assert mode.kind == "one"
    np.testing.assert_allclose(mode.value.covariance, PSI / 9.5)
    top = PRIOR.log_pdf(*mode.value)
    for seed in range(10):
        nudge = np.random.default_rng(seed).normal(0, 0.01, (3, 3))
        assert PRIOR.log_pdf(mode.value.location + nudge[0], mode.value.covariance) < top
        assert PRIOR.log_pdf(mode.value.location, mode.value.covariance + (nudge + nudge.T) / 20) < top


@given(SEEDS, st.integers(0, 8), st.integers(0, 8))
def test_batch_is_sequential_and_every_form_agrees(seed: int, n: int, cut: int) -> None:
    x = rows(seed, n)
    batch = PRIOR.update(x)
    close(PRIOR.update(x[:cut]).update(x[cut:]), batch)
    mean = x.mean(axis=0) if n else np.zeros(3)
    close(PRIOR.update(weight=n, mean=mean, scatter=(x - mean).T @ (x - mean)), batch)
    close(PRIOR.update(x, weights=np.full(n, 2.0)), PRIOR.update(np.repeat(x, 2, axis=0)))
    holed = np.vstack([x, [np.nan, 1.0, 2.0]])
    close(PRIOR.update(holed), batch)


@given(SEEDS, st.integers(0, 8))
def test_evidence_is_the_chain_of_predictions(seed: int, n: int) -> None:
    model, chain, x = PRIOR, 0.0, rows(seed, n)
    for row in x:
        chain += float(model.predictive().logpdf(row))
        model = model.update([row])
    np.testing.assert_allclose(PRIOR.log_evidence(x), chain, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("nu", [2.5, 1e6, 1e12])
@pytest.mark.parametrize("n", [0.0, 1.0, 1e6, 1e12])
def test_evidence_in_sixty_digits(nu: float, n: float) -> None:
    psi, scatter, mean = PSI * nu, np.array([[3, 1, 0], [1, 2, 0.5], [0, 0.5, 1]]) * n, [1.1, 2.0, 2.9]
    wanted = exact.normal_inverse_wishart_evidence(([1, 2, 3], 2.0, nu, psi), n, mean, scatter)  # type: ignore[arg-type]
    got = float(NormalInverseWishart([1, 2, 3], 2.0, nu, psi).log_evidence(weight=n, mean=mean, scatter=scatter))
    assert abs(got - wanted) <= 1e-10 * max(1, abs(wanted))


def test_evidence_of_columns_in_very_different_units() -> None:
    # Eigenvalues alone lose the digits of the small columns: here they are wrong in the fourth decimal.
    psi, mean = np.diag([1.0, 2.0, 3.0]), [5.5, 1.0, 5e7]
    scatter = np.array([[24.5, 3.5, -3.5e8], [3.5, 0.5, -5e7], [-3.5e8, -5e7, 5e15]])
    wanted = exact.normal_inverse_wishart_evidence(([1, 2, 3], 1.0, 4.0, psi), 2.0, mean, scatter)  # type: ignore[arg-type]
    got = float(NormalInverseWishart([1, 2, 3], 1.0, 4.0, psi).log_evidence(weight=2.0, mean=mean, scatter=scatter))
    assert abs(got - float(wanted)) < 1e-11 * abs(got)


@given(SEEDS, st.integers(0, 6))
def test_one_column_is_normal_inverse_gamma(seed: int, n: int) -> None:
    x = rows(seed, n, 1)
    matrix, plain = NormalInverseWishart([0.5], 2, 3, [[4]]), NormalInverseGamma(0.5, 2, 1.5, 2)
    np.testing.assert_allclose(matrix.log_evidence(x), plain.log_evidence(x[:, 0]), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(matrix.log_pdf([1.0], [[2.0]]), plain.log_pdf(1.0, 2.0), rtol=1e-12)
    np.testing.assert_allclose(matrix.update(x).components.scale[0], plain.update(x[:, 0]).scale, rtol=1e-11)
    np.testing.assert_allclose(matrix.predictive().logpdf([0.3]), plain.predictive().logpdf(0.3), rtol=1e-12)


def test_unit_information_agrees_with_the_univariate_default() -> None:
    # ν = D with diagonal Ψ = v
    v = np.array([2.0, 3.0, 0.5])
    joint = NormalInverseWishart([0, 0, 0], 1, 3, np.diag(v))
    alone = NormalInverseGamma(0, 1, 0.5, v / 2)
    np.testing.assert_allclose(np.diag(joint.mean_estimate.covariance), alone.mean_estimate.variance)
    np.testing.assert_allclose(joint.components.student_t().scale, alone.student_t().scale)


@pytest.mark.parametrize("kind", ["equal-tailed", "highest-density"])
def test_intervals_of_each_column(kind: Any) -> None:
    both = PRIOR.interval(0.9, kind)
    for j in range(3):
        location = stats.t(2.5, j + 1, np.sqrt(PSI[j, j] / 5))
        np.testing.assert_allclose([both.location.lower[j], both.location.upper[j]], location.interval(0.9), rtol=1e-10)
        variance = stats.invgamma(1.25, scale=PSI[j, j] / 2)
        assert abs(variance.cdf(both.variance.upper[j]) - variance.cdf(both.variance.lower[j]) - 0.9) < 1e-10


def test_arrays_are_loops_of_scalars() -> None:
    many = NormalInverseWishart([[1, 2, 3], [0, 0, 0]], [2, 1], [4.5, 8], [PSI, np.eye(3)])
    one = [
        NormalInverseWishart(many.location[i], many.strength[i], many.degrees[i], many.scale_matrix[i])
        for i in range(2)
    ]
    x, sigma = rows(1, 6), np.eye(3) * 2
    same = np.testing.assert_allclose
    same(many.log_evidence(x), [each.log_evidence(x) for each in one], rtol=1e-13)
    same(many.log_pdf([0, 1, 2], sigma), [each.log_pdf([0, 1, 2], sigma) for each in one], rtol=1e-13)
    same(many.log_evidence(x[:1]), [each.predictive().logpdf(x[0]) for each in one], rtol=1e-11)
    same(many.update(x).scale_matrix, [each.update(x).scale_matrix for each in one], rtol=1e-13)
    same(many.variance.location, [each.variance.location for each in one], rtol=1e-13)
    by_group = many.update(np.stack([x[:3], x[3:]]))
    close(
        NormalInverseWishart(by_group.location[1], by_group.strength[1], by_group.degrees[1], by_group.scale_matrix[1]),
        one[1].update(x[3:]),
    )
    # six single rows against two models
    assert many.log_evidence(x[:, None, None]).shape == (6, 2)


def test_columns_in_unlike_units_do_no_harm() -> None:
    units = np.array([1e-120, 1.0, 1e120])
    x = rows(2, 10)
    scaled = NormalInverseWishart([1, 2, 3] * units, 2.0, 4.5, PSI * units[:, None] * units)
    shift = -10 * np.log(units).sum()
    np.testing.assert_allclose(scaled.log_evidence(x * units) - shift, PRIOR.log_evidence(x), rtol=1e-10)
    # SciPy takes such a scale matrix for a singular one; the evidence of a single row is the same density
    with pytest.raises(ParameterError, match="Rescale the columns"):
        scaled.predictive()
    one = scaled.log_evidence(x[:1] * units) + np.log(units).sum()
    np.testing.assert_allclose(one, PRIOR.predictive().logpdf(x[0]), rtol=1e-10)


def test_samples_follow_the_distribution() -> None:
    model = NormalInverseWishart([1, 2, 3], 2.0, 12, PSI)
    draws = model.sample(4000, seed=1)
    for j in range(3):
        assert stats.kstest(draws.covariance[:, j, j], stats.invgamma(5, scale=PSI[j, j] / 2).cdf).pvalue > 1e-3
        assert stats.kstest(draws.location[:, j], stats.t(10, j + 1, np.sqrt(PSI[j, j] / 20)).cdf).pvalue > 1e-3
    spread = np.sqrt(model.variance.covariance / 4000)
    assert (np.abs(draws.covariance.mean(axis=0) - model.mean.covariance) < 5 * spread).all()
    theirs = stats.invwishart(12, PSI).rvs(4000, random_state=2)
    assert stats.ks_2samp(np.linalg.det(draws.covariance), np.linalg.det(theirs)).pvalue > 1e-3


def test_scatter_of_our_own() -> None:
    x = rows(4, 6, 2)
    m = x.mean(axis=0)
    s = (x - m).T @ (x - m)
    seen = Scatter(Axis.of(["a"]), 2, [6], [m], [(s + s.T) / 2], [0])
    prior = NormalInverseWishart([0, 0], 1, 2, np.eye(2))
    posterior = prior.update(seen)
    assert posterior.scale_matrix.shape == (1, 2, 2)
    np.testing.assert_allclose(posterior.scale_matrix[0], prior.update(x).scale_matrix, rtol=1e-12)
    np.testing.assert_allclose(prior.log_evidence(seen)[0], prior.log_evidence(x), rtol=1e-12)
    np.testing.assert_allclose(NormalInverseWishart.mle(seen).covariance[0], np.cov(x.T, bias=True), rtol=1e-12)


def test_a_model_is_a_value() -> None:
    model = NormalInverseWishart([0], 1, 2, [[3]])
    assert model == NormalInverseWishart([0.0], 1.0, 2.0, [[3.0]])
    assert model != NormalInverseWishart([0], 1, 2, [[4]])
    assert model != 0
    assert repr(model) == "NormalInverseWishart(location=[0.0], strength=1.0, degrees=2.0, scale_matrix=[[3.0]])"
    assert not model.scale_matrix.flags.writeable
