"""At the limits of float64 and without data: a correct value or a clear error, never a warning or NaN."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from suffice.conjugate import BetaBinomial, DirichletMultinomial, NormalInverseGamma, NormalInverseWishart
from suffice.errors import DataError, ParameterError
from suffice.statistics import Axis, Moments
from tests.oracles import conjugate_exact as exact


@pytest.mark.parametrize("location", [0.0, 1e160, -1e300])
def test_nothing_seen_leaves_the_prior(location: float) -> None:
    one = NormalInverseGamma(location, 1, 1, 1)
    assert one.update([]) == one
    assert one.update(weight=0, mean=-1.7e308, dp=0) == one
    assert float(one.log_evidence([])) == 0
    many = NormalInverseWishart([location, 1.0], 0.3, 3, [[1.0, 0.1], [0.1, 2.0]])
    assert many.update(np.zeros((0, 2))) == many
    assert many.update(weight=0, mean=[1.7e308, 0], scatter=np.zeros((2, 2))) == many
    assert float(many.log_evidence(np.zeros((0, 2)))) == 0


def test_no_weight_no_deviations() -> None:
    for call, where in (
        (lambda: NormalInverseGamma(0, 1, 1, 1).update(weight=0, mean=5, dp=7), "dp .* got 7.0"),
        (lambda: NormalInverseGamma(0, 1, 1, 1).update(weight=[1, 0], mean=5, dp=7), "dp .* position 1 has 7.0"),
        (
            lambda: NormalInverseWishart([0], 1, 3, [[1]]).update(weight=0, mean=[0], scatter=[[7]]),
            r"scatter .* position \(0, 0\) has 7.0",
        ),
    ):
        with pytest.raises(DataError, match=where):
            call()


def test_a_weak_prior_far_away_adds_its_share() -> None:
    """κn/(κ + n) is taken from the smaller of the two, so neither a tiny κ nor a huge distance is lost."""
    posterior = NormalInverseGamma(1e160, 1e-300, 1, 1).update(weight=1e10, mean=0, dp=0)
    np.testing.assert_allclose(posterior.scale, 0.5e20, rtol=1e-15)
    many = NormalInverseWishart([1e160, 0], 1e-300, 3, np.eye(2)).update(
        weight=1e10, mean=[0, 0], scatter=np.zeros((2, 2))
    )
    np.testing.assert_allclose(many.scale_matrix, [[1e20, 0], [0, 1]], rtol=1e-15)
    with pytest.raises(DataError, match=r"the scatter must be at most 1e300: position \(1, 1\) has inf"):
        NormalInverseWishart([0, 1e160], 1e300, 3, np.eye(2)).update(
            weight=1e300, mean=[0, 0], scatter=np.zeros((2, 2))
        )


def test_a_statistic_heavier_than_any_prior_is_refused() -> None:
    heavy = Moments(Axis.of("a"), 1, [[1.7e308]], [[0]], [[0]])
    with pytest.raises(DataError, match=r"weight must be finite and ≥ 0: position \(0, 0\) has 1.7e\+308"):
        NormalInverseGamma(0, 1e300, 1, 1).update(heavy)


@pytest.mark.parametrize(
    ("degrees", "size"), [(1e-3, 1), (1e-300, 1), (1.001, 2), (1 + 1e-12, 2), (2.0001, 3), (2.5, 2)]
)
def test_draws_of_the_widest_covariances(degrees: float, size: int) -> None:
    psi = np.eye(size) + 0.5
    for scale in (1e-300, 1.0, 1e299):
        location, covariance = NormalInverseWishart(np.ones(size), 1, degrees, psi * scale).sample(2000, seed=0)
        assert not np.isnan(location).any()
        assert not np.isnan(covariance).any()
        assert (np.diagonal(covariance, axis1=1, axis2=2) > 0).all()
        np.testing.assert_array_equal(covariance, np.swapaxes(covariance, 1, 2))


def test_draws_are_inverse_wishart() -> None:
    """1/(Σ⁻¹)_jj and Σ_jj have known distributions; so has xᵀ(μ − m) through the components."""
    psi = np.array([[2.0, 0.5, 0.1], [0.5, 1.0, -0.3], [0.1, -0.3, 3.0]])
    model = NormalInverseWishart([1, 2, 3], 0.7, 4.5, psi)
    location, covariance = model.sample(4000, seed=3)
    precision, at = np.linalg.inv(covariance), np.linalg.inv(psi)
    for j in range(3):
        assert stats.kstest(covariance[:, j, j], stats.invgamma(1.25, scale=psi[j, j] / 2).cdf).pvalue > 1e-3
        assert stats.kstest(precision[:, j, j] / at[j, j], stats.chi2(4.5).cdf).pvalue > 1e-3
        t = stats.t(2.5, model.location[j], math.sqrt(psi[j, j] / (2.5 * 0.7)))
        assert stats.kstest(location[:, j], t.cdf).pvalue > 1e-3


@pytest.mark.parametrize("degrees", [2e-300, 1e-5, 1.0, 1e10])
def test_one_value_far_out_in_sixty_digits(degrees: float) -> None:
    """The evidence of one value is its predictive density, also where SciPy's z² overflows and gives −inf."""
    for x, scale in itertools.product([1e-300, 3.0, 1e140], [1e-140, 1e-20, 1.0, 1e140]):
        half = degrees / 2
        if not 1e-300 <= half * scale**2 / 2 <= 1e300:  # outside the domain of the prior
            continue
        wanted = exact.log_student_t(x, degrees, 0.0, scale)
        got = float(NormalInverseGamma(0.0, 1, half, half * scale**2 / 2).log_evidence([x]))
        assert abs(got - wanted) <= 1e-10 * max(1, abs(wanted)), (x, scale)


def test_a_predictive_of_the_most_degrees_is_gaussian() -> None:
    sure = NormalInverseGamma(0.0, 1e300, 1e300, 1e300)
    np.testing.assert_allclose(sure.predictive().logpdf(3.0), stats.norm().logpdf(3.0), rtol=1e-12)


@pytest.mark.parametrize("degrees", [1e-290, 1.0, 1e10, 1e290])
def test_one_row_far_out(degrees: float) -> None:
    for x, psi in itertools.product([1e-300, 3.0, 1e140], [1e-280, 1e-20, 1.0, 1e280]):
        one = NormalInverseGamma(0, 1, degrees / 2, psi / 2).log_evidence([x])
        many = NormalInverseWishart([0], 1, degrees, [[psi]]).log_evidence([[x]])
        np.testing.assert_allclose(many, one, rtol=1e-12)
    unlike = NormalInverseWishart([0, 0], 1, 1 + max(degrees, 1e-12), [[1e-290, 0], [0, 1e290]])
    for x in ([1e140, 0], [0, 1e140]):
        assert np.isfinite(unlike.log_evidence([x]))


def test_a_predictive_beyond_all_floats_is_refused_by_name() -> None:
    model = NormalInverseWishart([0, 0], 1e-300, 1 + 1e-12, np.eye(2))
    with pytest.raises(ParameterError, match=r"predictive scale matrix must be finite .* position \(0, 0\)"):
        model.predictive()
    with pytest.raises(ParameterError, match=r"single model .* got shape \(3,\)"):
        NormalInverseWishart(np.zeros((3, 2)), 1, 2, np.eye(2)).predictive()
    assert NormalInverseWishart([0, 0], 1e-300, 9, np.eye(2) * 1e150).mean_estimate.covariance[0, 0] == pytest.approx(
        1e150 / 6
    )


def test_the_variance_of_a_covariance_stays_finite() -> None:
    sure = NormalInverseWishart([0, 0], 1, 1e300, np.eye(2) * 1e300)
    np.testing.assert_allclose(sure.variance.covariance, [[2e-300, 1e-300], [1e-300, 2e-300]], rtol=1e-12)


def test_a_density_beyond_all_floats_is_nothing() -> None:
    assert float(NormalInverseWishart([1e160, 0], 1, 3, np.eye(2)).log_pdf([0, 0], np.eye(2))) == -math.inf


def test_evidence_of_rows_far_from_a_narrow_prior() -> None:
    """Ψ' is so large beside Ψ that their quotient overflows, and its logarithm does not."""
    one, many = NormalInverseGamma(0, 1, 0.6, 1e-300), NormalInverseWishart([0], 1, 1.2, [[2e-300]])
    np.testing.assert_allclose(many.log_evidence([[1e20], [-3e20]]), one.log_evidence([1e20, -3e20]), rtol=1e-13)


@pytest.mark.parametrize(("a", "b", "theta"), [(1e250, 1e250, 0.5), (1e250, 3e250, 0.25), (3e100, 1e100, 0.75)])
def test_a_sure_beta_is_binomial(a: float, b: float, theta: float) -> None:
    y = np.arange(5001)
    evidence = BetaBinomial(a, b).log_evidence(successes=y, failures=5000 - y, of="counts")
    np.testing.assert_allclose(np.exp(evidence), stats.binom(5000, theta).pmf(y), rtol=1e-9, atol=1e-300)


def test_masks_of_statistics_and_parameters_are_refused() -> None:
    masked = np.ma.array([5, 7], mask=[0, 1])
    for make, error in (
        (lambda: DirichletMultinomial([1, 1]).update(counts=masked), DataError),
        (lambda: DirichletMultinomial(masked), ParameterError),
        (lambda: BetaBinomial(1, 1).update(successes=masked, failures=1), DataError),
        (lambda: BetaBinomial([masked], 1), ParameterError),
    ):
        with pytest.raises(error, match=r"must have no masked entries: got .* Fill them, or pass raw values"):
            make()
    assert DirichletMultinomial([1, 1]).update(counts=np.ma.array([5, 7])).alpha.tolist() == [6, 8]
    assert BetaBinomial(1, 1).update(np.ma.array([1, 1, 0], mask=[0, 1, 0])) == BetaBinomial(2, 2)
