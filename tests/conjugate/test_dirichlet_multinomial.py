"""DirichletMultinomial: against scipy.stats, against 60 digits, and by law."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from suffice.conjugate import BetaBinomial, DirichletMultinomial
from suffice.conjugate.special import log_coefficient
from suffice.statistics import Axis, Counts
from tests.oracles import conjugate_exact as exact

ALPHAS = st.lists(st.floats(1e-2, 1e2), min_size=2, max_size=5)
GRID = [[1, 1, 1], [0.5, 2, 3.3], [1e-4, 1e-4, 1], [300, 2, 40, 1e4]]


def counts_of(n: int, levels: int) -> np.ndarray:
    """Return every count vector of n draws."""
    return np.array([c for c in itertools.product(range(n + 1), repeat=levels) if sum(c) == n])


@pytest.mark.parametrize("alpha", GRID)
def test_density_and_moments_are_those_of_scipy(alpha: list[float]) -> None:
    model, theirs = DirichletMultinomial(alpha), stats.dirichlet(alpha)
    points = np.random.default_rng(3).dirichlet(np.ones(len(alpha)), 20)
    np.testing.assert_allclose(model.log_pdf(points), [theirs.logpdf(p) for p in points], rtol=1e-10)
    np.testing.assert_allclose(model.mean, theirs.mean(), rtol=1e-10)
    np.testing.assert_allclose(model.variance, theirs.var(), rtol=1e-10)
    np.testing.assert_allclose(model.covariance, theirs.cov(), rtol=1e-10, atol=1e-16)


@pytest.mark.parametrize("alpha", GRID)
def test_predictive_is_the_evidence_of_counts(alpha: list[float]) -> None:
    model, predictive, total = DirichletMultinomial(alpha), DirichletMultinomial(alpha).predictive(5), sum(alpha)
    every = counts_of(5, len(alpha))
    evidence = model.log_evidence(counts=every, of="counts")
    np.testing.assert_allclose(predictive.logpmf(every), evidence, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(np.exp(evidence).sum(), 1, rtol=1e-12)
    np.testing.assert_allclose(predictive.mean(), 5 * model.mean, rtol=1e-12)
    # the counts vary more than θ: Cov y = N(N + α₀) Cov θ
    np.testing.assert_allclose(predictive.cov(), 5 * (5 + total) * model.covariance, rtol=1e-10, atol=1e-14)
    # each component alone, by summing the joint pmf
    for k in range(len(alpha)):
        below = [np.exp(evidence[every[:, k] <= y]).sum() for y in range(6)]
        np.testing.assert_allclose(model.component(k).predictive(5).cdf(np.arange(6)), below, rtol=1e-10)


def test_evidence_of_a_trillion_draws() -> None:
    for alpha in ([1e-4, 1e-4, 1], [1e12, 2e12, 5], [1.0, 1.0, 1.0]):
        counts = [10**12 - 3 * 10**5, 3 * 10**5 - 1, 1]
        wanted = exact.log_sequence(counts, alpha) + exact.log_coefficient(counts)
        got = float(DirichletMultinomial(alpha).log_evidence(counts=counts, of="counts"))
        assert abs(got - wanted) <= 1e-10 * max(1, abs(wanted))


@pytest.mark.parametrize(
    ("alpha", "kind", "value"),
    [
        ([2, 3, 4], "one", [1 / 6, 2 / 6, 3 / 6]),
        ([1, 1, 2], "one", [0, 0, 1]),
        ([1, 1, 1], "every", [1 / 3] * 3),
        ([0.5, 2, 3], "none", [0, 1 / 3, 2 / 3]),
        ([0.5, 0.5, 1], "none", [1 / 4, 1 / 4, 1 / 2]),
        ([0.5, 0.5], "ends", [0.5, 0.5]),
        ([1, 0.5], "one", [1, 0]),
        ([1, 1], "every", [0.5, 0.5]),
        ([3], "one", [1]),
    ],
)
def test_every_case_of_the_mode(alpha: list[float], kind: str, value: list[float]) -> None:
    mode = DirichletMultinomial(alpha).mode
    assert mode.kind == kind
    np.testing.assert_allclose(mode.value, value, atol=1e-15)


def test_modes_of_many() -> None:
    model = DirichletMultinomial([[2, 2, 2], [1, 1, 1], [0.5, 2, 2]])
    assert model.mode.kind.tolist() == ["one", "every", "none"]


def test_map_estimate_clips_and_falls_back_to_the_mean() -> None:
    model = DirichletMultinomial([[3, 0.5, 2], [0.5, 0.25, 0.25], [1, 1, 2]])
    np.testing.assert_allclose(model.map_estimate, [[2 / 3, 0, 1 / 3], [0.5, 0.25, 0.25], [0, 0, 1]], atol=1e-15)


@given(ALPHAS, st.lists(st.integers(0, 1), max_size=30), st.integers(0, 30))
def test_batch_is_sequential_and_every_form_agrees(alpha: list[float], codes: list[int], cut: int) -> None:
    prior, array = DirichletMultinomial(alpha), np.array(codes, dtype=np.int64)
    batch = prior.update(codes=array)
    parts = prior.update(codes=array[:cut]).update(codes=array[cut:])
    counts = np.bincount(array, minlength=len(alpha))
    assert prior.update(counts=counts) == batch
    np.testing.assert_allclose(parts.alpha, batch.alpha, rtol=1e-14)
    assert prior.update(codes=np.append(array.astype(float), np.nan)) == batch
    np.testing.assert_array_equal(
        DirichletMultinomial.mle(codes=array, levels=len(alpha)), DirichletMultinomial.mle(counts=counts)
    )


@given(ALPHAS, st.lists(st.integers(0, 40), min_size=5, max_size=5), st.randoms())
def test_labels_can_be_permuted(alpha: list[float], numbers: list[int], random: object) -> None:
    counts = np.array(numbers[: len(alpha)])
    order = np.array(random.sample(range(len(alpha)), len(alpha)))  # type: ignore[attr-defined]
    one, other = DirichletMultinomial(alpha), DirichletMultinomial(np.array(alpha)[order])
    np.testing.assert_allclose(
        one.update(counts=counts).mean[order], other.update(counts=counts[order]).mean, rtol=1e-13
    )
    evidence = other.log_evidence(counts=counts[order])
    np.testing.assert_allclose(one.log_evidence(counts=counts), evidence, rtol=1e-12, atol=1e-12)


@given(ALPHAS, st.lists(st.integers(0, 40), min_size=5, max_size=5))
def test_posterior_mean_and_mode_are_mixtures(alpha: list[float], numbers: list[int]) -> None:
    counts = np.array(numbers[: len(alpha)])
    prior, mle = DirichletMultinomial(alpha), DirichletMultinomial.mle(counts=counts)
    weight = prior.prior_weight_of_mean(counts.sum())
    np.testing.assert_allclose(prior.update(counts=counts).mean, weight * prior.mean + (1 - weight) * mle, rtol=1e-12)
    inside = DirichletMultinomial(np.array(alpha) + 1)
    weight = inside.prior_weight_of_mode(counts.sum())
    after = inside.update(counts=counts).mode.value
    # α + 1 − 1 rounds to the last place of 1, which is as much as a probability of the mode can be off
    np.testing.assert_allclose(after, weight * inside.mode.value + (1 - weight) * mle, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(inside.effective_sample_size_of_mean, sum(alpha) + len(alpha), rtol=1e-14)
    np.testing.assert_allclose(inside.effective_sample_size_of_mode, sum(alpha), rtol=1e-12)


@given(ALPHAS, st.lists(st.integers(0, 1), min_size=1, max_size=15))
def test_evidence_is_the_chain_of_predictions(alpha: list[float], codes: list[int]) -> None:
    model, chain = DirichletMultinomial(alpha), 0.0
    for code in codes:
        chain += float(model.predictive(1).logpmf(np.eye(len(alpha))[code]))
        model = model.update(codes=[code])
    prior = DirichletMultinomial(alpha)
    sequence, of_counts = prior.log_evidence(codes=codes), prior.log_evidence(codes=codes, of="counts")
    np.testing.assert_allclose(sequence, chain, rtol=1e-11, atol=1e-11)
    counts = np.bincount(codes, minlength=len(alpha))
    np.testing.assert_allclose(of_counts - sequence, log_coefficient(counts.astype(float)), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(of_counts, prior.predictive(len(codes)).logpmf(counts), atol=1e-11)


@given(st.floats(1e-2, 1e2), st.floats(1e-2, 1e2), st.integers(0, 30), st.integers(0, 30))
def test_two_levels_are_a_beta_binomial(a: float, b: float, n1: int, n0: int) -> None:
    two, one = DirichletMultinomial([a, b]), BetaBinomial(a, b)
    assert two.component(0) == one
    assert two.log_evidence(counts=[n1, n0]) == one.log_evidence(successes=n1, failures=n0)
    np.testing.assert_allclose(two.log_pdf([0.25, 0.75]), one.log_pdf(0.25), rtol=1e-14)
    np.testing.assert_allclose(two.interval(0.9).lower[0], one.interval(0.9).lower, rtol=1e-14)
    assert two.mode.kind == one.mode.kind


def test_joint_density() -> None:
    alpha, counts, theta = [0.5, 2, 3.3], [1, 4, 2], [0.1, 0.6, 0.3]
    wanted = stats.multinomial(7, theta).logpmf(counts) + stats.dirichlet(alpha).logpdf(theta)
    np.testing.assert_allclose(DirichletMultinomial(alpha).log_joint(theta, counts=counts), wanted, rtol=1e-12)


def test_marginal_of_one_component() -> None:
    model = DirichletMultinomial([0.5, 2, 3.3])
    np.testing.assert_allclose(model.component(1).predictive(6).pmf(2), stats.betabinom(6, 2, 3.8).pmf(2), rtol=1e-12)


def test_density_on_the_faces() -> None:
    assert DirichletMultinomial([0.5, 2, 2]).log_pdf([0, 0.5, 0.5]) == np.inf
    assert DirichletMultinomial([0.5, 2, 2]).log_pdf([0.5, 0, 0.5]) == -np.inf
    assert DirichletMultinomial([0.5, 2, 2]).log_pdf([0, 0, 1]) == -np.inf
    np.testing.assert_allclose(DirichletMultinomial([1, 1, 1]).log_pdf([0, 0.5, 0.5]), np.log(2), rtol=1e-14)
    np.testing.assert_allclose(DirichletMultinomial([1, 2, 3]).log_pdf([0, 0.5, 0.5]), np.log(60 * 0.5**3), rtol=1e-14)


def test_samples_follow_the_distribution() -> None:
    alpha = np.array([0.3, 2, 5])
    draws = DirichletMultinomial(alpha).sample(4000, seed=1)
    np.testing.assert_allclose(draws.sum(axis=-1), 1, rtol=1e-14)
    for k in range(3):
        assert stats.kstest(draws[:, k], stats.beta(alpha[k], alpha.sum() - alpha[k]).cdf).pvalue > 1e-3
    assert np.isin(DirichletMultinomial([1e-300] * 4).sample(50, seed=2), [0, 1]).all()
    counts = np.random.default_rng(3).multinomial(9, DirichletMultinomial(alpha).sample(5000, seed=3))
    predictive = DirichletMultinomial(alpha).predictive(9)
    assert (np.abs(counts.mean(axis=0) - predictive.mean()) < 5 * np.sqrt(predictive.var() / 5000)).all()


def test_symmetric_and_broadcasting() -> None:
    assert DirichletMultinomial.symmetric(2, levels=4) == DirichletMultinomial([0.5] * 4)
    many = DirichletMultinomial.symmetric([2, 4], levels=2).update(counts=[[1, 0], [0, 1]])
    np.testing.assert_array_equal(many.alpha, [[2, 1], [2, 3]])
    np.testing.assert_array_equal(
        DirichletMultinomial([1, 1]).update(codes=[[0, 0, 1], [1, 1, 1]]).alpha, [[3, 2], [1, 4]]
    )
    model = DirichletMultinomial([[1, 2, 3], [4, 5, 6]])
    one = [DirichletMultinomial(row) for row in model.alpha]
    np.testing.assert_array_equal(model.covariance, [each.covariance for each in one])
    np.testing.assert_array_equal(model.interval(0.9).upper, [each.interval(0.9).upper for each in one])
    theta = [0.2, 0.3, 0.5]
    np.testing.assert_array_equal(model.log_pdf(theta), [each.log_pdf(theta) for each in one])
    np.testing.assert_allclose(
        model.predictive([4, 5]).logpmf([[1, 1, 2], [1, 1, 3]]),
        model.log_evidence(counts=[[1, 1, 2], [1, 1, 3]], of="counts"),
        rtol=1e-12,
    )


def test_mle_of_nothing_is_uniform() -> None:
    np.testing.assert_array_equal(DirichletMultinomial.mle(counts=[[0, 0], [1, 3]]), [[0.5, 0.5], [0.25, 0.75]])


def test_counts_of_our_own() -> None:
    seen = Counts(Axis.of(["f", "m"]), Axis.of(["black", "white"]), [[2, 1], [0, 3]], [[3], [3]])
    posterior = DirichletMultinomial([1, 2]).update(seen)
    np.testing.assert_array_equal(posterior.alpha, [[3, 3], [1, 5]])
    np.testing.assert_array_equal(DirichletMultinomial.mle(seen), [[2 / 3, 1 / 3], [0, 1]])
    by_hand = DirichletMultinomial([1, 2]).log_evidence(counts=[[2, 1], [0, 3]])
    np.testing.assert_array_equal(DirichletMultinomial([1, 2]).log_evidence(seen), by_hand)


def test_a_model_is_a_value() -> None:
    model = DirichletMultinomial([1, 2])
    assert model == DirichletMultinomial([1.0, 2.0])
    assert model != DirichletMultinomial([2, 1])
    assert model != 3
    assert repr(model) == "DirichletMultinomial(alpha=[1.0, 2.0])"
    assert not model.alpha.flags.writeable


LABELS = st.lists(st.sampled_from([1, 2, 3, "1", True, 2.5, "a", None]), max_size=20)


@given(LABELS, st.permutations([1, 2, 3, "1", True, 2.5, "a"]))
def test_labels_are_matched_by_label(labels: list[object], outcomes: list[object]) -> None:
    alpha = np.arange(1.0, 8)
    prior, place = DirichletMultinomial(alpha, outcomes), [(type(label), label) for label in outcomes]
    codes = [np.nan if label is None else place.index((type(label), label)) for label in labels]
    by_code = DirichletMultinomial(alpha).update(codes=codes)
    assert prior.update(labels) == DirichletMultinomial(by_code.alpha, outcomes)
    assert prior.log_evidence(labels) == DirichletMultinomial(alpha).log_evidence(codes=codes)
    same = DirichletMultinomial.mle(codes=codes, levels=7)
    np.testing.assert_array_equal(DirichletMultinomial.mle(labels, outcomes=outcomes), same)
    np.testing.assert_array_equal(prior.update(np.array([labels, labels], dtype=object)).alpha[1], by_code.alpha)


def test_a_die_has_faces_from_one() -> None:
    die = DirichletMultinomial([1] * 6, outcomes=range(1, 7))
    assert die.update([1, 3, 3]).alpha.tolist() == [2, 1, 3, 1, 1, 1]
    for faces in (np.array([1, 3, 3]), np.array([1.0, 3.0, np.nan, 3.0]), np.ma.array([1, 3, 3, 9], mask=[0, 0, 0, 1])):
        assert die.update(faces) == die.update([1, 3, 3])
    assert die.update(codes=[0, 2, 2]) == die.update(counts=[1, 0, 2, 0, 0, 0]) == die.update([1, 3, 3])
    assert die.update([1, 3]).component(3) == BetaBinomial(2, 6)
    assert die.update([]) == die
    assert die == DirichletMultinomial([1] * 6, outcomes=[1.0, 2, 3, 4, 5, 6])
    assert die != DirichletMultinomial([1] * 6)
    assert die != DirichletMultinomial([1] * 6, outcomes=list("123456"))
    assert repr(die) == "DirichletMultinomial(alpha=[1.0, 1.0, 1.0, 1.0, 1.0, 1.0], outcomes=[1, 2, 3, 4, 5, 6])"
    many = DirichletMultinomial([1] * 9, outcomes=list("abcdefghi"))
    assert repr(many) == "DirichletMultinomial(alpha=<array 9, 1 … 1>, outcomes=<9 labels, 'a' … 'i'>)"


def test_labels_of_text_and_bools() -> None:
    coin = DirichletMultinomial([1, 2], outcomes=[True, False])
    assert coin.update(np.array([False, False, True])).alpha.tolist() == [2, 4]
    fur = DirichletMultinomial([1, 1], outcomes=["white", "black"])
    assert fur.update(np.array(["black", "black"])).alpha.tolist() == [1, 3]
    assert fur.update(["black", None, float("nan"), np.float32("nan")]).alpha.tolist() == [1, 2]
    assert DirichletMultinomial([1, 1], outcomes=["a", None]).update(["a", None, np.nan]).alpha.tolist() == [2, 3]


def test_counts_of_our_own_by_label() -> None:
    seen = Counts(Axis.of(["f", "m"]), Axis.of(["black", "white"]), [[2, 1], [0, 3]], [[3], [3]])
    model = DirichletMultinomial([1, 2, 3], outcomes=["white", "gray", "black"])
    np.testing.assert_array_equal(model.update(seen).alpha, [[2, 2, 5], [4, 2, 3]])
    zero = Counts(Axis.of(["f"]), Axis(["gold", "white"], declared=True), [[0, 3]], [[3]])
    np.testing.assert_array_equal(model.update(zero).alpha, [[4, 2, 3]])
