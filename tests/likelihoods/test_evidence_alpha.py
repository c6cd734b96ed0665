"""The α with the greatest evidence: against a dense grid of exact evidence, at its bounds, in any order, merged."""

from __future__ import annotations

import math
import re

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from suffice.api import fit
from suffice.errors import ParameterError
from suffice.likelihoods import Categorical
from suffice.likelihoods.dirichlet import LEAST_ALPHA, MOST_ALPHA, fit_alpha

GRID = [10 ** (k / 40) for k in range(-120, 1)]  # from the least α to the greatest


def exact_evidence(counts, alpha):
    """Return ln p(N | α) of counts (classes × outcomes) with 40 digits."""
    with mpmath.workdps(40):
        alpha, size = mpmath.mpf(alpha), len(counts[0])
        total = mpmath.mpf(0)
        for row in counts:
            total += mpmath.loggamma(size * alpha) - mpmath.loggamma(size * alpha + mpmath.fsum(row))
            total += mpmath.fsum(mpmath.loggamma(alpha + n) - mpmath.loggamma(alpha) for n in row if n)
        return total


def exact_slope(counts, alpha):
    with mpmath.workdps(40):
        alpha, size = mpmath.mpf(alpha), len(counts[0])
        total = mpmath.mpf(0)
        for row in counts:
            total += size * (mpmath.digamma(size * alpha) - mpmath.digamma(size * alpha + mpmath.fsum(row)))
            total += mpmath.fsum(mpmath.digamma(alpha + n) - mpmath.digamma(alpha) for n in row if n)
        return total


def tables(largest=60, least_classes=1):
    def of_size(size):
        row = st.lists(st.integers(0, largest), min_size=size, max_size=size)
        return st.lists(row, min_size=least_classes, max_size=4)

    return st.integers(2, 5).flatmap(of_size)


@given(tables())
def test_no_point_of_a_dense_grid_has_more_evidence(counts):
    assume(any(sum(row) > 1 for row in counts))
    alpha = fit_alpha(np.array(counts, dtype=float))
    assert LEAST_ALPHA <= alpha <= MOST_ALPHA
    best = max(exact_evidence(counts, point) for point in GRID)
    assert exact_evidence(counts, alpha) >= best - mpmath.mpf("1e-11") * (1 + abs(best))


@given(tables())
def test_the_slope_changes_its_sign_there_or_points_beyond_the_bound(counts):
    alpha = fit_alpha(np.array(counts, dtype=float))
    if not any(sum(row) > 1 for row in counts):
        return
    if alpha > LEAST_ALPHA:
        assert exact_slope(counts, alpha * (1 - 1e-6)) > 0
    if alpha < MOST_ALPHA:
        assert exact_slope(counts, alpha * (1 + 1e-6)) < 0


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([[50, 50], [50, 50]], MOST_ALPHA),  # all alike
        ([[7, 7, 7]], MOST_ALPHA),
        ([[40, 0], [0, 40]], LEAST_ALPHA),  # pure
        ([[3, 0, 0]], LEAST_ALPHA),
        ([[0, 0], [0, 0]], 1.0),  # nothing was seen
        ([[9], [4]], 1.0),  # nothing to tell apart
        ([[]], 1.0),
        ([[1, 0], [0, 1], [0, 0]], 1.0),  # of single rows the evidence is 1/K whatever α is
        ([[0, 1, 0, 0, 0]] * 7, 1.0),
    ],
)
def test_bounds_and_uninformative_counts(counts, expected):
    assert fit_alpha(np.array(counts, dtype=float)) == expected


def test_no_classes():
    assert fit_alpha(np.zeros((0, 3))) == 1.0


def test_a_number():
    # Two rows of different levels: ln p = ln α − ln(2α + 1) + …, which rises for ever; two of a level it falls for ever.
    assert fit_alpha(np.array([[1.0, 1.0]])) == MOST_ALPHA
    # One class, N = (2, 1): p = α²(α + 1)/(2α(2α + 1)(2α + 2)) = α/(4(2α + 1)) rises too; N = (3, 1) has
    # p ∝ α(α + 2)/((2α + 1)(2α + 3)), whose slope is 0 at 2(α + 1)(4α² + 8α + 3) = (α² + 2α)(8α + 8): 6(α + 1) > 0, rises.
    assert fit_alpha(np.array([[2.0, 1.0]])) == MOST_ALPHA
    assert fit_alpha(np.array([[3.0, 1.0]])) == MOST_ALPHA
    # N = (2, 0) and (1, 1): p ∝ (α + 1) α/(2α + 1)², whose slope is (2α + 1)² − 4α(α + 1) = 1 > 0, rises;
    # (2, 0), (2, 0), (1, 1): p ∝ (α + 1)² α/(2α + 1)³: (3α + 1)(2α + 1) = 6α(α + 1) at α = 1.
    assert fit_alpha(np.array([[2.0, 0.0], [1.0, 1.0]])) == MOST_ALPHA
    assert fit_alpha(np.array([[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]])) == pytest.approx(1, rel=1e-12)


@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_classes_and_levels_does_not_matter(counts, random):
    array = np.array(counts, dtype=float)
    rows, levels = list(range(array.shape[0])), list(range(array.shape[1]))
    random.shuffle(rows)
    random.shuffle(levels)
    assert fit_alpha(array[rows]) == pytest.approx(fit_alpha(array), rel=1e-12)
    assert fit_alpha(array[:, levels]) == pytest.approx(fit_alpha(array), rel=1e-12)
    assert fit_alpha(np.vstack([array, np.zeros((1, array.shape[1]))])) == fit_alpha(array)


@given(tables(), st.integers(0, 4))
def test_single_rows_are_uninformative_about_alpha(counts, level):
    array = np.array(counts, dtype=float)
    single = np.zeros((3, array.shape[1]))
    single[:, level % array.shape[1]] = 1
    assert fit_alpha(np.vstack([array, single])) == fit_alpha(array)


@given(st.lists(st.lists(st.floats(1e-6, 1e6), min_size=3, max_size=3), min_size=1, max_size=3))
def test_weights_of_any_size(counts):
    alpha = fit_alpha(np.array(counts))
    assert LEAST_ALPHA <= alpha <= MOST_ALPHA
    best = max(exact_evidence(counts, point) for point in GRID[::4])
    assert exact_evidence(counts, alpha) >= best - mpmath.mpf("1e-10") * (1 + abs(best))


class TestThroughTheModel:
    rng = np.random.default_rng(4)
    y = rng.integers(0, 3, 400)
    x = np.stack([(y + rng.integers(0, 2, 400)) % 4, rng.integers(0, 25, 400) ** 2 // 60], axis=1)

    def counts(self, x, y, j):
        levels = np.unique(x[:, j])
        return [[int(((y == c) & (x[:, j] == k)).sum()) for k in levels] for c in np.unique(y)]

    def alphas(self, x, y):
        return [fit_alpha(np.array(self.counts(x, y, j), dtype=float)) for j in range(x.shape[1])]

    @pytest.mark.parametrize("estimate", ["mean", "predictive", "mle", "map", "smoothed"])
    def test_each_column_has_its_own(self, estimate):
        model = fit(self.x, self.y, columns=Categorical(alpha="evidence"), estimate=estimate, calibrate=False)
        first, second = self.alphas(self.x, self.y)
        assert first != pytest.approx(second, rel=0.1)
        given_alpha = {
            "map": [1 + first, 1 + second],  # the mode under Dir(1 + α) is the mean under Dir(α)
            "smoothed": 1,  # whose pseudo-count is the reading's
        }.get(estimate, [first, second])
        expected = fit(self.x, self.y, columns=Categorical(alpha=given_alpha), estimate=estimate, calibrate=False)
        np.testing.assert_allclose(model.log_joint(self.x), expected.log_joint(self.x), rtol=1e-13)
        assert model.log_evidence() == pytest.approx(expected.log_evidence(), rel=1e-13)

    def test_no_pseudo_count_has_more_evidence(self):
        chosen = fit(self.x, self.y, columns=Categorical(alpha="evidence"), calibrate=False).log_evidence()
        for first in GRID[::10]:
            assert fit(self.x, self.y, columns=Categorical(alpha=[first, 1.0]), calibrate=False).log_evidence() < chosen
            assert fit(self.x, self.y, columns=Categorical(alpha=[1.0, first]), calibrate=False).log_evidence() < chosen

    def test_parts_merge(self):
        whole = fit(self.x, self.y, columns=Categorical(alpha="evidence"), calibrate=False)
        parts = sum(
            (fit(self.x[k::3], self.y[k::3], like=whole, calibrate=False) for k in range(1, 3)),
            fit(self.x[::3], self.y[::3], like=whole, calibrate=False),
        )
        assert parts == whole
        np.testing.assert_array_equal(parts.log_joint(self.x), whole.log_joint(self.x))
        rest = whole.forget(self.x[::3], self.y[::3])
        left = np.arange(400) % 3 > 0
        again = fit(self.x[left], self.y[left], columns=Categorical(alpha="evidence"), calibrate=False)
        np.testing.assert_array_equal(rest.log_joint(self.x[left]), again.log_joint(self.x[left]))

    def test_classes_in_another_order(self):
        names = np.array(["a", "b", "c"])
        model = fit(self.x, names[self.y], columns=Categorical(alpha="evidence"), calibrate=False)
        turned = fit(self.x, names[::-1][self.y], columns=Categorical(alpha="evidence"), calibrate=False)
        np.testing.assert_allclose(turned.log_joint(self.x)[:, ::-1], model.log_joint(self.x), rtol=1e-12)

    def test_the_unseen_is_an_outcome(self):
        model = fit(self.x, self.y, columns=Categorical(alpha="evidence", unseen="mass"), calibrate=False)
        with_one_more = [[*row, 0] for row in self.counts(self.x, self.y, 0)]
        first = fit_alpha(np.array(with_one_more, dtype=float))
        second = fit_alpha(np.array([[*row, 0] for row in self.counts(self.x, self.y, 1)], dtype=float))
        expected = fit(self.x, self.y, columns=Categorical(alpha=[first, second], unseen="mass"), calibrate=False)
        np.testing.assert_allclose(model.log_joint(self.x), expected.log_joint(self.x), rtol=1e-13)

    def test_another_word(self):
        said = "alpha must be 'evidence' or 'shared evidence': got 'best'."
        with pytest.raises(ParameterError, match=f"^{re.escape(said)}$"):
            Categorical(alpha="best")

    def test_a_value_that_shows_itself(self):
        assert repr(Categorical(alpha="evidence")) == "Categorical(alpha='evidence')"
        assert Categorical(alpha="evidence") != Categorical()
        assert not math.isnan(
            fit(self.x[:0], self.y[:0], columns=Categorical(alpha="evidence"), calibrate=False).log_evidence()
        )
