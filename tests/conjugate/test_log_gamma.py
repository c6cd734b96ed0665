"""Log-gamma arithmetic against 60 digits, from 1e-300 to 1e15: no digits lost where plain lnΓ loses all."""

from __future__ import annotations

import itertools

import mpmath as mp
import numpy as np
import pytest

from suffice.conjugate.special import (
    deviance,
    log_coefficient,
    log_dirichlet_density,
    log_dirichlet_multinomial,
    log_ratio,
    log_rising,
    rest,
)
from tests.oracles import conjugate_exact as exact

PARAMETERS = (1e-300, 1e-8, 1e-4, 0.3, 1.0, 2.5, 16.0, 1e3, 1e8, 1e12, 1e15)
COUNTS = (0.0, 1e-8, 0.5, 1.0, 3.0, 1e3, 1e8, 1e12, 1e15)


def off(got: float, wanted: object) -> float:
    """Return the error, relative above 1 and absolute below."""
    return float(abs(float(got) - wanted) / max(1, abs(wanted)))  # type: ignore[operator]


@pytest.mark.parametrize("a", PARAMETERS)
def test_two_levels_lose_no_digits(a: float) -> None:
    for b, y, z in itertools.product(PARAMETERS, COUNTS, COUNTS):
        counts, alpha = np.array([y, z]), np.array([a, b])
        coefficient, sequence = exact.log_coefficient(counts), exact.log_sequence(counts, alpha)
        got, got_coefficient = log_dirichlet_multinomial(counts, alpha), log_coefficient(counts)
        assert off(got_coefficient, coefficient) < 1e-13
        assert off(got, sequence + coefficient) < 1e-12, (a, b, y, z)
        assert off(got - got_coefficient, sequence) < 1e-12, (a, b, y, z)


def test_many_levels_lose_no_digits() -> None:
    source = np.random.default_rng(7)
    for _ in range(60):
        alpha, counts = 10.0 ** source.uniform(-8, 13, 5), np.floor(10.0 ** source.uniform(-2, 13, 5))
        wanted = exact.log_sequence(counts, alpha) + exact.log_coefficient(counts)
        assert off(log_dirichlet_multinomial(counts, alpha), wanted) < 1e-12


def test_rising_factorial() -> None:
    for a, n in itertools.product(PARAMETERS, COUNTS):
        assert off(log_rising(np.asarray(a), np.asarray(n)), exact.log_rising(a, n)) < 1e-14


@pytest.mark.parametrize(("a", "b"), [(1e-4, 1e-4), (0.5, 3), (2, 2), (40, 3e5), (3e11, 7e11), (1e12, 1e12), (5, 1e12)])
def test_density_near_its_mass(a: float, b: float) -> None:
    m = a / (a + b)
    s = (m * (1 - m) / (a + b + 1)) ** 0.5
    for z in (-3.0, -0.5, 0.0, 1.0, 4.0):
        x = m + z * s
        if not 0 < x < 1:
            continue
        got = log_dirichlet_density(np.array([x, 1 - x]), np.array([a, b]))
        # one unit in the last place of x moves the log density by z·ulp(x)/s: no formula can do better
        limit = 1e-12 + 4 * (abs(z) + 1) * np.spacing(x) / s
        assert off(got, exact.log_beta_density(x, a, b)) < limit


def test_deviance_at_its_edges() -> None:
    x, mean = np.array([0.0, 0.0, 2.0, 3.0]), np.array([0.0, 5.0, 0.0, 3.0])
    np.testing.assert_array_equal(deviance(x, mean, x - mean), [0.0, 5.0, np.inf, 0.0])


def test_deviance_is_continuous_where_the_series_ends() -> None:
    x = np.array([1.2222221, 1.2222223])  # v just below and above 0.1
    got = deviance(x, np.ones(2), x - 1)
    np.testing.assert_allclose(got, x * np.log(x) - x + 1, rtol=1e-13)
    for v in (1e-9, 1e-4, 0.05, 0.0999):
        x = np.array((1 + v) / (1 - v))
        with mp.workdps(50):
            exactly = mp.mpf(float(x))
            wanted = float(exactly * mp.log(exactly) - exactly + 1)
        np.testing.assert_allclose(deviance(x, np.array(1.0), x - 1), wanted, rtol=1e-13)


def test_ratio_of_the_far_apart() -> None:
    np.testing.assert_allclose(log_ratio(np.array(1e-300), np.array(1e300)), 600 * np.log(10), rtol=1e-15)
    assert log_ratio(np.array(1e300), np.array(1e-300)) == 0.0


def test_rest_keeps_what_drowns_in_the_total() -> None:
    np.testing.assert_array_equal(rest(np.array([1e20, 1.0, 2.0])), [3.0, 1e20, 1e20])
    np.testing.assert_array_equal(rest(np.array([4.0])), [0.0])
