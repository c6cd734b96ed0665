"""BetaBinomial: against scipy.stats, against 60 digits, by law, and worked numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from suffice.conjugate import BetaBinomial
from suffice.conjugate.special import log_coefficient
from suffice.statistics import Axis, Counts
from tests.oracles import conjugate_exact as exact

POSITIVE = st.floats(1e-3, 1e3)
COUNT = st.integers(0, 60)
GRID = [(1e-4, 1e-4), (0.5, 0.5), (1, 1), (2.5, 0.7), (4, 1), (30, 70), (1e4, 2e3)]


@pytest.mark.parametrize(("a", "b"), GRID)
def test_density_mean_and_variance_are_those_of_scipy(a: float, b: float) -> None:
    model, theirs = BetaBinomial(a, b), stats.beta(a, b)
    x = np.linspace(0.01, 0.99, 21)
    np.testing.assert_allclose(model.log_pdf(x), theirs.logpdf(x), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose([model.mean, model.variance], [theirs.mean(), theirs.var()], rtol=1e-10)


@pytest.mark.parametrize(("a", "b"), GRID)
@pytest.mark.parametrize("n", [0, 1, 7, 1000, 3000])
def test_predictive_is_the_evidence_of_counts(a: float, b: float, n: int) -> None:
    model, predictive, y = BetaBinomial(a, b), BetaBinomial(a, b).predictive(n), np.arange(n + 1)
    evidence = model.log_evidence(successes=y, failures=n - y, of="counts")
    # SciPy's pmf takes differences of log-betas of up to 1e5
    np.testing.assert_allclose(predictive.logpmf(y), evidence, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(predictive.cdf(y[:7]), np.cumsum(np.exp(evidence))[:7], rtol=1e-10)
    mean, variance = n * a / (a + b), n * a * b * (a + b + n) / ((a + b) ** 2 * (a + b + 1))
    np.testing.assert_allclose([predictive.mean(), predictive.var()], [mean, variance], rtol=1e-10)
    np.testing.assert_allclose(np.exp(evidence).sum(), 1, rtol=1e-11)


@pytest.mark.parametrize("a", [1e-4, 1.0, 5e11])
@pytest.mark.parametrize("y", [0, 1, 400_000_000_000, 10**12])
def test_evidence_of_a_trillion_trials(a: float, y: int) -> None:
    n, b = 10**12, 2 * a
    wanted = exact.log_sequence((y, n - y), (a, b)) + exact.log_coefficient((y, n - y))
    got = float(BetaBinomial(a, b).log_evidence(successes=y, failures=n - y, of="counts"))
    assert abs(got - wanted) <= 1e-10 * max(1, abs(wanted))


@pytest.mark.parametrize(("a", "b"), [(2, 3), (300, 700), (1e6, 3), (1e8, 3e8), (3e11, 7e11), (1e12, 1e12)])
@pytest.mark.parametrize("credible", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("kind", ["equal-tailed", "highest-density"])
def test_intervals_hold_the_mass_they_say(a: float, b: float, credible: float, kind: Any) -> None:
    model = BetaBinomial(a, b)
    lower, upper = model.interval(credible, kind)
    # SciPy's quantiles are off by up to four units in the last place; at 1e12 each is a step of 1e-10 of the mass
    step = 4 * np.exp(model.log_pdf([lower, upper])) @ np.spacing([lower, upper])
    assert abs(exact.beta_mass(a, b, float(lower), float(upper)) - credible) < 1e-10 + step
    if kind == "equal-tailed":
        assert abs(exact.beta_mass(a, b, 0, float(lower)) - (1 - credible) / 2) < 1e-10 + step
    else:
        low, high = model.log_pdf([lower, upper])
        slope = abs((a - 1) / lower - (b - 1) / (1 - lower)) + abs((a - 1) / upper - (b - 1) / (1 - upper))
        assert abs(low - high) < 1e-10 + 4 * slope * np.spacing(upper)
        equal = model.interval(credible)
        assert upper - lower <= equal.upper - equal.lower + 2 * np.spacing(upper)


@pytest.mark.parametrize(
    ("a", "b", "lower", "upper"),
    [
        (1, 4, 0.0, 1 - 0.05**0.25),
        (4, 1, 0.05**0.25, 1.0),
        (0.5, 1, 0.0, 0.95**2),
        (1, 0.5, 1 - 0.95**2, 1.0),
        (1, 1, 0.025, 0.975),
    ],
)
def test_highest_density_at_an_end(a: float, b: float, lower: float, upper: float) -> None:
    got = BetaBinomial(a, b).interval(0.95, "highest-density")
    np.testing.assert_allclose([got.lower, got.upper], [lower, upper], rtol=1e-13, atol=1e-300)


def test_intervals_beyond_the_reach_of_scipy() -> None:
    # Beta(a, b) with b → ∞ is Gamma(a)/b; with both large it is Gaussian
    gamma = np.array(stats.gamma(5).interval(0.9))
    np.testing.assert_allclose(list(BetaBinomial(5, 1e300).interval(0.9)), gamma / 1e300, rtol=1e-12)
    assert list(BetaBinomial(1e300, 5).interval(0.9)) == [1.0, 1.0]
    m, s = 1 / 3, np.sqrt(2 / 9 / 3e20)
    wanted = m + s * stats.norm.ppf([0.05, 0.95])
    np.testing.assert_allclose(list(BetaBinomial(1e20, 2e20).interval(0.9)), wanted, rtol=4e-16)
    far = BetaBinomial(1e290, 1e300).interval(0.9)
    np.testing.assert_allclose(list(far), 1e-10, rtol=1e-9)


def test_intervals_of_tiny_parameters_are_finite() -> None:
    for a, b in ((1e-4, 2), (1e-300, 5), (5, 1e-300), (1e-300, 1e-300)):
        lower, upper = BetaBinomial(a, b).interval()
        assert 0 <= lower <= upper <= 1


@pytest.mark.parametrize(
    ("a", "b", "kind", "value"),
    [
        (3, 2, "one", 2 / 3),
        (1, 2, "one", 0.0),
        (0.5, 2, "one", 0.0),
        (2, 1, "one", 1.0),
        (2, 0.5, "one", 1.0),
        (0.5, 0.25, "ends", 2 / 3),
        (1, 1, "every", 0.5),
        (1, 0.5, "one", 1.0),
        (0.5, 1, "one", 0.0),
    ],
)
def test_every_case_of_the_mode(a: float, b: float, kind: str, value: float) -> None:
    mode = BetaBinomial(a, b).mode
    assert mode.kind == kind
    assert mode.value == pytest.approx(value, abs=1e-15)
    assert bool(mode.unique) == (kind == "one")


def test_modes_of_many() -> None:
    model = BetaBinomial([3, 0.5, 1], [2, 0.5, 1])
    assert model.mode.kind.tolist() == ["one", "ends", "every"]
    assert model.mode.unique.tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("a", "b", "value"), [(3, 2, 2 / 3), (0.5, 2, 0), (0.5, 0.25, 2 / 3), (1, 0.5, 2 / 3), (1, 1, 0.5)]
)
def test_map_estimate_clips_and_falls_back_to_the_mean(a: float, b: float, value: float) -> None:
    assert BetaBinomial(a, b).map_estimate == pytest.approx(value, abs=1e-15)


@given(POSITIVE, POSITIVE, st.lists(st.booleans(), max_size=30), st.integers(0, 30))
def test_batch_is_sequential_and_every_form_agrees(a: float, b: float, outcomes: list[bool], cut: int) -> None:
    prior = BetaBinomial(a, b)
    batch = prior.update(np.array(outcomes, dtype=bool))
    parts = prior.update(np.array(outcomes[:cut], dtype=bool)).update(np.array(outcomes[cut:], dtype=bool))
    n1, n0 = sum(outcomes), len(outcomes) - sum(outcomes)
    assert prior.update(successes=n1, failures=n0) == batch
    np.testing.assert_allclose([parts.a, parts.b], [batch.a, batch.b], rtol=1e-14)
    missing = np.insert(np.array(outcomes, dtype=float), 0, np.nan)
    assert prior.update(missing) == batch
    assert prior.update(np.ma.masked_invalid(missing)) == batch


@given(POSITIVE, POSITIVE, COUNT, COUNT)
def test_posterior_mean_and_mode_are_mixtures(a: float, b: float, n1: int, n0: int) -> None:
    prior = BetaBinomial(a, b)
    posterior, mle = prior.update(successes=n1, failures=n0), BetaBinomial.mle(successes=n1, failures=n0)
    weight = prior.prior_weight_of_mean(n1 + n0)
    np.testing.assert_allclose(posterior.mean, weight * prior.mean + (1 - weight) * mle, rtol=1e-12)
    inside = BetaBinomial(a + 1.001, b + 1.001)
    after = inside.update(successes=n1, failures=n0)
    weight = inside.prior_weight_of_mode(n1 + n0)
    mixture = weight * inside.mode.value + (1 - weight) * mle
    np.testing.assert_allclose(after.mode.value, mixture, rtol=1e-10)
    assert inside.effective_sample_size_of_mean == inside.a + inside.b
    assert inside.effective_sample_size_of_mode == inside.a + inside.b - 2


@given(POSITIVE, POSITIVE, st.integers(0, 200))
def test_evidence_of_counts_sums_to_one(a: float, b: float, n: int) -> None:
    y = np.arange(n + 1)
    evidence = BetaBinomial(a, b).log_evidence(successes=y, failures=n - y, of="counts")
    np.testing.assert_allclose(np.exp(evidence).sum(), 1, rtol=1e-12)


@given(st.lists(st.tuples(POSITIVE, POSITIVE, COUNT, COUNT), min_size=1, max_size=4))
def test_arrays_are_loops_of_scalars(rows: list[tuple[float, float, int, int]]) -> None:
    a, b, n1, n0 = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    many = BetaBinomial(a, b)
    one = [BetaBinomial(*row[:2]) for row in rows]
    same = np.testing.assert_array_equal
    same(many.mean, [each.mean for each in one])
    same(many.mode.kind, [each.mode.kind for each in one])
    same(many.log_pdf(0.3), [each.log_pdf(0.3) for each in one])
    same(many.interval(0.9).lower, [each.interval(0.9).lower for each in one])
    evidence = many.log_evidence(successes=n1, failures=n0)
    each_evidence = [m.log_evidence(successes=r[2], failures=r[3]) for m, r in zip(one, rows, strict=True)]
    same(evidence, each_evidence)
    same(many.predictive(5).pmf(3), [each.predictive(5).pmf(3) for each in one])
    high = BetaBinomial(a + 1, b).interval(0.9, "highest-density")
    same(high.lower, [BetaBinomial(r[0] + 1, r[1]).interval(0.9, "highest-density").lower for r in rows])


@given(POSITIVE, POSITIVE, COUNT, COUNT, st.floats(0.01, 0.99))
def test_success_and_failure_are_symmetric(a: float, b: float, n1: int, n0: int, theta: float) -> None:
    one, other = BetaBinomial(a, b), BetaBinomial(b, a)
    np.testing.assert_allclose(one.log_pdf(theta), other.log_pdf(1 - theta), rtol=1e-10, atol=1e-10)
    evidence = one.log_evidence(successes=n1, failures=n0)
    np.testing.assert_allclose(evidence, other.log_evidence(successes=n0, failures=n1), rtol=1e-12, atol=1e-12)


@given(POSITIVE, POSITIVE, st.lists(st.integers(0, 1), min_size=1, max_size=20))
def test_evidence_is_the_chain_of_predictions(a: float, b: float, outcomes: list[int]) -> None:
    model, chain = BetaBinomial(a, b), 0.0
    for outcome in outcomes:
        chain += float(model.predictive(1).logpmf(outcome))
        model = model.update([outcome])
    got = BetaBinomial(a, b).log_evidence(outcomes)
    np.testing.assert_allclose(got, chain, rtol=1e-11, atol=1e-11)
    n1 = sum(outcomes)
    of_counts = BetaBinomial(a, b).log_evidence(outcomes, of="counts")
    counts = np.array([n1, len(outcomes) - n1], dtype=float)
    np.testing.assert_allclose(of_counts - got, log_coefficient(counts), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(of_counts, BetaBinomial(a, b).predictive(len(outcomes)).logpmf(n1), atol=1e-11)


def test_joint_density() -> None:
    a, b, n, y, theta = 2.5, 0.7, 6, 4, 0.3
    wanted = stats.binom(n, theta).logpmf(y) + stats.beta(a, b).logpdf(theta)
    got = BetaBinomial(a, b).log_joint(theta, successes=y, failures=n - y)
    np.testing.assert_allclose(got, wanted, rtol=1e-12)


def test_density_at_the_ends() -> None:
    model = BetaBinomial([0.5, 1, 2], [3, 3, 3])
    np.testing.assert_allclose(model.log_pdf(0), [np.inf, np.log(3), -np.inf])
    np.testing.assert_allclose(BetaBinomial(3, [0.5, 1, 2]).log_pdf(1), [np.inf, np.log(3), -np.inf])


def test_samples_follow_the_distribution() -> None:
    draws = BetaBinomial(2, 5).sample(4000, seed=1)
    assert stats.kstest(draws, stats.beta(2, 5).cdf).pvalue > 1e-3
    tiny = BetaBinomial(1e-300, 1e-300).sample(1000, seed=1)
    assert set(np.unique(tiny)) == {0.0, 1.0}
    counts = BetaBinomial(2, 5).predictive(10).rvs(20000, random_state=2)
    expected = BetaBinomial(2, 5).predictive(10).pmf(np.arange(11)) * 20000
    assert stats.chisquare(np.bincount(counts, minlength=11), expected).pvalue > 1e-3
    assert BetaBinomial([1, 2], 3).predictive([4, 5]).rvs((7, 2), random_state=0).shape == (7, 2)
    assert BetaBinomial([1, 2], 3).sample(7, seed=np.random.default_rng(0)).shape == (7, 2)
    np.testing.assert_array_equal(BetaBinomial(2, 5).sample(3, seed=4), BetaBinomial(2, 5).sample(3, seed=4))


def test_coin_with_three_heads() -> None:
    coin = BetaBinomial(1, 1).update(successes=3, failures=0)
    np.testing.assert_allclose(coin.predictive(1).pmf(0), 1 / 5, rtol=1e-14)
    np.testing.assert_allclose(1 - coin.mean, 1 / 5, rtol=1e-14)
    assert BetaBinomial.mle(successes=3, failures=0) == 1.0
    assert 1 - BetaBinomial.mle([1, 1, 1]) == 0.0


def test_word_in_every_email() -> None:
    with np.errstate(divide="ignore"):
        assert np.log(1 - BetaBinomial.mle(successes=5, failures=0)) == -np.inf
    map_reading = BetaBinomial(2, 2).update(successes=5, failures=0).map_estimate
    mean_reading = BetaBinomial(1, 1).update(successes=5, failures=0).mean
    np.testing.assert_allclose([map_reading, mean_reading], [6 / 7, 6 / 7], rtol=1e-14)
    assert np.isfinite(np.log(1 - map_reading))


def test_mle_of_nothing_is_uniform() -> None:
    np.testing.assert_array_equal(BetaBinomial.mle(successes=[0, 3], failures=[0, 1]), [0.5, 0.75])


def test_counts_of_our_own() -> None:
    classes, words = Axis.of(["ham", "spam"]), Axis.of(["free", "hello"])
    seen = Counts(classes, words, [[1, 3], [4, 0]], [[3], [5]])
    posterior = BetaBinomial(1, 1).update(seen)
    np.testing.assert_array_equal(posterior.a, [[2, 4], [5, 1]])
    np.testing.assert_array_equal(posterior.b, [[3, 1], [2, 6]])
    np.testing.assert_array_equal(BetaBinomial.mle(seen), [[1 / 3, 1], [4 / 5, 0]])
    by_hand = BetaBinomial(1, 1).log_evidence(successes=[[1, 3], [4, 0]], failures=[[2, 0], [1, 5]])
    np.testing.assert_array_equal(BetaBinomial(1, 1).log_evidence(seen), by_hand)


def test_a_model_is_a_value() -> None:
    model = BetaBinomial(1, [2, 3])
    assert model == BetaBinomial([1, 1], [2, 3])
    assert model != BetaBinomial(1, 2)
    assert model != "BetaBinomial"
    assert not model.a.flags.writeable
    with pytest.raises(TypeError):
        hash(model)
    with pytest.raises(AttributeError):
        model.a = 3  # type: ignore[misc]
    assert repr(BetaBinomial(1, 2)) == "BetaBinomial(a=1.0, b=2.0)"
    long = BetaBinomial(1, np.arange(1, 13).reshape(3, 4))
    assert repr(long) == "BetaBinomial(a=<array 3×4, 1 … 1>, b=<array 3×4, 1 … 12>)"
    given_array = np.array([2.0, 3.0])
    kept = BetaBinomial(1, given_array)
    given_array[0] = 9
    assert kept.b[0] == 2
