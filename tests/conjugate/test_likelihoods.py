"""The likelihood of each pair: against scipy.stats, and prior × likelihood = evidence × posterior at every point."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp
from scipy import stats

from suffice.conjugate import BetaBinomial, DirichletMultinomial, GammaPoisson, NormalInverseGamma, NormalInverseWishart
from suffice.statistics import Axis, Moments

POSITIVE, PROBABILITY = st.floats(0.05, 50), st.floats(0.001, 0.999)
REALS = st.lists(st.floats(-100, 100), max_size=12)


def require_bayes(prior: Any, point: tuple[Any, ...], data: dict[str, Any], **of: str) -> None:
    """Prior × likelihood = evidence × posterior; and pdf is the exponential of log_pdf."""
    posterior = prior.update(**data)
    left = prior.log_pdf(*point) + prior.log_likelihood(*point, **data, **of)
    right = prior.log_evidence(**data, **of) + posterior.log_pdf(*point)
    scale = abs(prior.log_pdf(*point)) + abs(prior.log_evidence(**data, **of)) + abs(posterior.log_pdf(*point))
    np.testing.assert_allclose(left, right, rtol=1e-11, atol=1e-11 * (1 + np.max(scale)))
    np.testing.assert_array_equal(posterior.pdf(*point), np.exp(posterior.log_pdf(*point)))


@given(
    POSITIVE, POSITIVE, st.lists(st.integers(0, 1), max_size=20), PROBABILITY, st.sampled_from(["sequence", "counts"])
)
def test_bayes_of_beta_binomial(a: float, b: float, x: list[int], theta: float, of: str) -> None:
    require_bayes(BetaBinomial(a, b), (theta,), {"data": x}, of=of)
    require_bayes(BetaBinomial(a, b), (theta,), {"successes": 3.5, "failures": [0.25, 7]}, of=of)


@given(
    st.lists(POSITIVE, min_size=3, max_size=3),
    st.lists(st.sampled_from(["a", "b", "c", None]), max_size=20),
    st.lists(POSITIVE, min_size=3, max_size=3),
    st.sampled_from(["sequence", "counts"]),
)
def test_bayes_of_dirichlet_multinomial(alpha: list[float], x: list[Any], parts: list[float], of: str) -> None:
    theta = np.array(parts) / sum(parts)
    require_bayes(DirichletMultinomial(alpha, outcomes=["a", "b", "c"]), (theta,), {"data": x}, of=of)
    require_bayes(DirichletMultinomial(alpha), (theta,), {"counts": [[1, 0.5, 9], [0, 0, 0]]}, of=of)


@given(POSITIVE, POSITIVE, st.lists(st.integers(0, 30), max_size=12), POSITIVE, st.sampled_from(["sequence", "total"]))
def test_bayes_of_gamma_poisson(r: float, beta: float, x: list[int], theta: float, of: str) -> None:
    require_bayes(GammaPoisson(r, beta), (theta,), {"data": x}, of=of)


@given(st.floats(-50, 50), POSITIVE, POSITIVE, POSITIVE, REALS, st.floats(-100, 100), POSITIVE)
def test_bayes_of_normal_inverse_gamma(
    m: float, kappa: float, a: float, b: float, x: list[float], mu: float, s2: float
) -> None:
    prior = NormalInverseGamma(m, kappa, a, b)
    require_bayes(prior, (mu, s2), {"data": x})
    require_bayes(prior, (mu, [s2, 2 * s2]), {"weight": 2.5, "mean": [1, 2], "dp": 3})
    require_bayes(prior, (mu, s2), {"data": [*x, 1.0, np.nan], "weights": np.arange(len(x) + 2)})


@given(st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_bayes_of_normal_inverse_wishart(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    square, other, rows = rng.normal(size=(size, size)), rng.normal(size=(size, size)), rng.normal(size=(5, size))
    psi, sigma = square @ square.T + 0.1 * np.eye(size), other @ other.T + 0.1 * np.eye(size)
    prior, mu = NormalInverseWishart(rng.normal(size=size), 0.7, size + 1.5, psi), rng.normal(size=size)
    require_bayes(prior, (mu, sigma), {"data": rows})
    require_bayes(prior, (mu, sigma), {"data": rows, "weights": [0, 1, 2.5, 1, 3]})
    require_bayes(prior, (mu, np.stack([sigma, 2 * sigma])), {"data": rows[:0]})


def test_likelihoods_are_those_of_scipy() -> None:
    close = np.testing.assert_allclose
    theta = np.array([0.1, 0.5, 0.9])
    close(BetaBinomial.log_likelihood(theta, [1, 0, 1]), stats.bernoulli(theta[:, None]).logpmf([1, 0, 1]).sum(axis=1))
    counts = BetaBinomial.log_likelihood(theta, successes=4, failures=3, of="counts")
    close(counts, stats.binom(7, theta).logpmf(4), rtol=1e-12)
    levels, p = DirichletMultinomial([9, 9, 9]), [0.1, 0.6, 0.3]
    close(levels.log_likelihood(p, codes=[1, 1, 2]), np.log(0.6 * 0.6 * 0.3))
    close(levels.log_likelihood(p, counts=[1, 4, 2], of="counts"), stats.multinomial(7, p).logpmf([1, 4, 2]))
    rates = np.array([0.1, 2.0, 30.0])
    close(GammaPoisson.log_likelihood(rates, [3, 0, 4]), stats.poisson(rates[:, None]).logpmf([3, 0, 4]).sum(axis=1))
    total = GammaPoisson.log_likelihood(rates, total=7, weight=3, of="total")
    close(total, stats.poisson(3 * rates).logpmf(7), rtol=1e-12)
    x = np.array([1.0, 2.5, -3.0])
    close(NormalInverseGamma.log_likelihood(0.3, 2.0, x), stats.norm(0.3, np.sqrt(2)).logpdf(x).sum())
    rows, sigma = np.array([[1.0, 2.0], [0.5, -1.0]]), [[2.0, 0.3], [0.3, 1.0]]
    wanted = stats.multivariate_normal([0.1, 0.2], sigma).logpdf(rows).sum()
    close(NormalInverseWishart.log_likelihood([0.1, 0.2], sigma, rows), wanted)


def test_what_cannot_be_has_no_likelihood() -> None:
    assert BetaBinomial.log_likelihood([0, 1], [1, 1]).tolist() == [-np.inf, 0]
    assert BetaBinomial.log_likelihood([0, 1], [0, 0], of="counts").tolist() == [0, -np.inf]
    assert DirichletMultinomial([1, 1]).log_likelihood([[0, 1], [1, 0]], counts=[0, 3]).tolist() == [0, -np.inf]
    assert GammaPoisson.log_likelihood(0, [[0, 0], [0, 1]]).tolist() == [0, -np.inf]
    assert GammaPoisson.log_likelihood(0, [0, 3], of="total") == -np.inf
    for nothing in (BetaBinomial.log_likelihood(0.3, []), NormalInverseGamma.log_likelihood(5, 1, [])):
        assert nothing == 0


@pytest.mark.parametrize("successes", [6 * 10**11 + 10**5, 10**12, 0])
def test_counts_of_a_trillion_do_not_cancel(successes: int) -> None:
    n, theta = 10**12, 0.6
    with mp.workdps(60):
        p, y = mp.mpf(theta), mp.mpf(successes)
        wanted = mp.log(mp.binomial(n, successes)) if 0 < successes < n else mp.mpf(0)
        wanted += y * mp.log(p) + (n - y) * mp.log(1 - p)
    got = BetaBinomial.log_likelihood(theta, successes=successes, failures=n - successes, of="counts")
    assert abs(float(got) - float(wanted)) <= 1e-10 * max(1, abs(float(wanted)))
    with mp.workdps(60):
        poisson = y * mp.log(n * p) - n * p - mp.loggamma(y + 1)
    got = GammaPoisson.log_likelihood(theta, total=successes, weight=n, of="total")
    assert abs(float(got) - float(poisson)) <= 1e-10 * max(1, abs(float(poisson)))


def test_moments_of_our_own() -> None:
    moments = Moments(Axis.of(["a", "b"]), ["x"], [[2], [1]], [[1.5], [0]], [[0.5], [0]])
    got = NormalInverseGamma.log_likelihood(1.0, 2.0, moments)
    wanted = [[stats.norm(1, np.sqrt(2)).logpdf([1, 2]).sum()], [stats.norm(1, np.sqrt(2)).logpdf(0)]]
    np.testing.assert_allclose(got, wanted)
