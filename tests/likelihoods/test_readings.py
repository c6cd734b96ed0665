"""Every estimate of every likelihood against slow exact code, with missing cells, all shapes of priors, and evidence."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from suffice.api import fit
from suffice.conjugate import BetaBinomial, DirichletMultinomial, GammaPoisson, NormalInverseGamma
from suffice.errors import UnseenLevelsWarning
from suffice.likelihoods import Bernoulli, Categorical, Gaussian, Multinomial, Poisson
from suffice.likelihoods.block_statistics import ESTIMATES
from tests.oracles import naive_bayes_discrete as discrete
from tests.oracles import naive_bayes_real as real

pytestmark = pytest.mark.filterwarnings(
    "ignore::suffice.errors.UnseenLevelsWarning"
)  # what is asked for has unseen levels

LABELS = ["a", "b", "a", "c", "b", "a", "b", "a", "c"]
CLASSES = ["a", "b", "c"]
COUNTS = [[0, 2, 1], [1, 0, 0], [0, None, 3], [4, 1, 0], [0, 0, 5], [2, 2, None], [1, 1, 1], [0, 0, 0], [3, None, 1]]
ASKED = [[0, 1, 2], [None, 2, 0], [3, 0, None], [None, None, None], [0, 0, 0], [7, 1, 0]]
REALS = [
    [1.5, -2.0, 3.25],
    [0.5, None, 2.0],
    [1.0, 4.0, 2.5],
    [7.5, 0.25, 2.0],
    [-1.0, 2.0, None],
    [2.5, 1.0, 9.0],
    [0.0, 3.5, 1.0],
    [None, 2.0, 2.0],
    [6.0, 1.25, 3.0],
]
ASKED_REALS = [[1.0, 2.0, 3.0], [None, 0.0, 8.5], [7.0, None, None], [None, None, None], [40.0, -30.0, 2.0]]


def matrix(rows):
    return np.array([[math.nan if cell is None else cell for cell in row] for row in rows], dtype=float)


def joint(oracle, rows, asked, *arguments, **options):
    prior = [math.log(LABELS.count(c) / len(LABELS)) for c in CLASSES]
    return [
        [prior[k] + oracle(rows, LABELS, c, x, *arguments, **options) for k, c in enumerate(CLASSES)] for x in asked
    ]


def check(model, asked, expected):
    assert model.classes == tuple(CLASSES)
    np.testing.assert_allclose(model.log_joint(matrix(asked)), expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("estimate", ESTIMATES)
class TestReadings:
    def test_bernoulli(self, estimate):
        model = fit(matrix(COUNTS), LABELS, columns=Bernoulli(threshold=1), estimate=estimate, calibrate=False)
        check(model, ASKED, joint(discrete.bernoulli, COUNTS, ASKED, estimate, threshold=1))

    @pytest.mark.parametrize("mass", [False, True])
    def test_categorical(self, estimate, mass):
        model = fit(
            matrix(COUNTS),
            LABELS,
            columns=Categorical(unseen="mass" if mass else "ignore"),
            estimate=estimate,
            calibrate=False,
        )
        check(model, ASKED, joint(discrete.categorical, COUNTS, ASKED, estimate, mass=mass))

    def test_categorical_with_levels_and_alpha(self, estimate):
        model = fit(
            matrix(COUNTS), LABELS, columns=Categorical(alpha=0.25, levels=8), estimate=estimate, calibrate=False
        )
        expected = joint(discrete.categorical, COUNTS, ASKED, estimate, 0.25, declared=range(8))
        check(model, ASKED, expected)

    def test_multinomial(self, estimate):
        model = fit(matrix(COUNTS), LABELS, columns=Multinomial(), estimate=estimate, calibrate=False)
        check(model, ASKED, joint(discrete.multinomial, COUNTS, ASKED, estimate))

    def test_poisson(self, estimate):
        model = fit(matrix(COUNTS), LABELS, columns=Poisson(), estimate=estimate, calibrate=False)
        check(model, ASKED, joint(real.poisson, COUNTS, ASKED, estimate))

    def test_poisson_with_a_prior(self, estimate):
        model = fit(matrix(COUNTS), LABELS, columns=Poisson(GammaPoisson(0.5, 2)), estimate=estimate, calibrate=False)
        check(model, ASKED, joint(real.poisson, COUNTS, ASKED, estimate, (0.5, 2)))

    def test_gaussian(self, estimate):
        model = fit(matrix(REALS), LABELS, columns=Gaussian(), estimate=estimate, calibrate=False)
        check(model, ASKED_REALS, joint(real.gaussian, REALS, ASKED_REALS, estimate))

    def test_gaussian_that_shares_its_variance(self, estimate):
        rows = [[1.0 if cell is None else cell for cell in row] for row in REALS]
        asked = [[1.0, 2.0, 3.0], [9.0, -5.0, 2.0]]
        model = fit(matrix(rows), LABELS, columns=Gaussian(variance="shared"), estimate=estimate, calibrate=False)
        prior = [math.log(LABELS.count(c) / len(LABELS)) for c in CLASSES]
        expected = [
            [prior[k] + real.shared_gaussian(rows, LABELS, CLASSES, c, x, estimate) for k, c in enumerate(CLASSES)]
            for x in asked
        ]
        check(model, asked, expected)

    def test_a_class_that_a_column_has_not_seen(self, estimate):
        rows = [[None if y == "b" else row[0]] for row, y in zip(REALS, LABELS, strict=True)]
        counts = [[None if y == "b" else row[0]] for row, y in zip(COUNTS, LABELS, strict=True)]
        check(
            fit(matrix(rows), LABELS, columns=Gaussian(), estimate=estimate, calibrate=False),
            [[2.0]],
            joint(real.gaussian, rows, [[2.0]], estimate),
        )
        for likelihood, oracle in (
            (Bernoulli(), discrete.bernoulli),
            (Categorical(), discrete.categorical),
            (Multinomial(), discrete.multinomial),
            (Poisson(), real.poisson),
        ):
            model = fit(matrix(counts), LABELS, columns=likelihood, estimate=estimate, calibrate=False)
            check(model, [[0], [3]], joint(oracle, counts, [[0], [3]], estimate))


@pytest.mark.parametrize("estimate", ["map", "mean", "predictive"])
class TestPriors:
    def test_bernoulli_with_a_prior(self, estimate):
        model = fit(matrix(COUNTS), LABELS, columns=Bernoulli(BetaBinomial(0.5, 3)), estimate=estimate, calibrate=False)
        check(model, ASKED, joint(discrete.bernoulli, COUNTS, ASKED, estimate, (0.5, 3)))

    def test_multinomial_with_a_prior_per_column(self, estimate):
        model = fit(
            matrix(COUNTS),
            LABELS,
            columns=Multinomial(DirichletMultinomial([0.5, 2, 3])),
            estimate=estimate,
            calibrate=False,
        )
        check(model, ASKED, joint(discrete.multinomial, COUNTS, ASKED, estimate, [0.5, 2, 3]))

    def test_gaussian_with_a_prior(self, estimate):
        model = fit(
            matrix(REALS),
            LABELS,
            columns=Gaussian(NormalInverseGamma(1, 0.5, 2, 3)),
            estimate=estimate,
            calibrate=False,
        )
        check(model, ASKED_REALS, joint(real.gaussian, REALS, ASKED_REALS, estimate, (1, 0.5, 2, 3)))

    def test_gaussian_of_a_constant_column_with_a_prior(self, estimate):
        rows = [[2.0]] * len(LABELS)
        model = fit(
            matrix(rows), LABELS, columns=Gaussian(NormalInverseGamma(1, 0.5, 2, 3)), estimate=estimate, calibrate=False
        )
        check(model, [[2.0], [0.5]], joint(real.gaussian, rows, [[2.0], [0.5]], estimate, (1, 0.5, 2, 3)))


@pytest.mark.parametrize("lam", [0.5, 3])
def test_smoothed_uses_its_pseudo_count(lam):
    def read(likelihood, rows):
        return fit(matrix(rows), LABELS, columns=likelihood, calibrate=False).with_options(
            estimate="smoothed", alpha=lam
        )

    half = Fraction(lam)
    check(
        read(Bernoulli(), COUNTS),
        ASKED,
        joint(lambda *a: discrete.bernoulli(*a, (half, half)), COUNTS, ASKED, "smoothed"),
    )
    check(read(Categorical(), COUNTS), ASKED, joint(discrete.categorical, COUNTS, ASKED, "smoothed", half))
    check(read(Multinomial(), COUNTS), ASKED, joint(discrete.multinomial, COUNTS, ASKED, "smoothed", [half] * 3))
    check(read(Poisson(), COUNTS), ASKED, joint(real.poisson, COUNTS, ASKED, "smoothed", lam=half))
    check(read(Gaussian(), REALS), ASKED_REALS, joint(real.gaussian, REALS, ASKED_REALS, "smoothed", lam=half))


@pytest.mark.parametrize("likelihood", [Bernoulli(), Categorical(), Multinomial(), Poisson(), Gaussian()])
def test_without_pseudo_counts_smoothed_is_mle(likelihood):
    model = fit(matrix(COUNTS), LABELS, columns=likelihood, calibrate=False)
    asked = matrix(ASKED)
    np.testing.assert_allclose(
        model.with_options(estimate="smoothed", alpha=0).log_joint(asked),
        model.with_options(estimate="mle").log_joint(asked),
    )
    assert model.with_options(estimate="smoothed", alpha=0).log_evidence() == -math.inf
    assert all(
        math.isnan(row.lower)
        for row in model.with_options(estimate="smoothed", alpha=0).parameters()
        if row.column is not None
    )


@pytest.mark.parametrize("likelihood", [Bernoulli(), Categorical(), Multinomial(), Poisson(), Gaussian()])
def test_a_pseudo_count_per_column_and_per_class(likelihood):
    model = fit(matrix(COUNTS), LABELS, columns=likelihood, calibrate=False)
    asked = matrix(ASKED)
    everywhere = model.with_options(estimate="smoothed", alpha=2).log_joint(asked)
    for alpha in ([2, 2, 2], [[2], [2], [2]], np.full((3, 3), 2)):
        np.testing.assert_allclose(
            model.with_options(estimate="smoothed", alpha=alpha).log_joint(asked), everywhere, rtol=1e-13
        )
    for_b = model.with_options(estimate="smoothed", alpha=[[2], [5], [2]]).log_joint(asked)
    np.testing.assert_allclose(for_b[:, [0, 2]], everywhere[:, [0, 2]], rtol=1e-13)
    np.testing.assert_allclose(
        for_b[:, 1], model.with_options(estimate="smoothed", alpha=5).log_joint(asked)[:, 1], rtol=1e-13
    )


def test_priors_per_column_and_per_class():
    counts, reals = matrix(COUNTS), matrix(REALS)
    per_class = np.array([[1.0], [2.0], [3.0]])
    for one, other, x in (
        (Bernoulli(BetaBinomial(2, 3)), Bernoulli(BetaBinomial([2, 2, 2], np.full((3, 3), 3))), counts),
        (Poisson(GammaPoisson(2, 3)), Poisson(GammaPoisson([2, 2, 2], np.full((3, 3), 3))), counts),
        (Multinomial(alpha=2), Multinomial(DirichletMultinomial(np.full((3, 3), 2))), counts),
        (Multinomial(alpha=2), Multinomial(alpha=[2, 2, 2]), counts),
        (Categorical(alpha=2), Categorical(alpha=np.full((3, 3), 2)), counts),
        (
            Categorical(alpha=2, levels=6),
            Categorical(DirichletMultinomial([2] * 6), levels=6),
            np.clip(counts, None, 5),
        ),
        (
            Gaussian(NormalInverseGamma(1, 2, 3, 4)),
            Gaussian(NormalInverseGamma([1, 1, 1], 2, np.full((3, 3), 3), 4)),
            reals,
        ),
    ):
        np.testing.assert_allclose(
            fit(x, LABELS, columns=one, calibrate=False).log_joint(x),
            fit(x, LABELS, columns=other, calibrate=False).log_joint(x),
            rtol=1e-13,
        )
    each = [
        fit(counts, LABELS, columns=Multinomial(alpha=a), calibrate=False).log_joint(counts)[:, k]
        for k, a in enumerate([1.0, 2.0, 3.0])
    ]
    together = fit(counts, LABELS, columns=Multinomial(alpha=per_class), calibrate=False).log_joint(counts)
    np.testing.assert_allclose(together, np.stack(each, axis=1), rtol=1e-13)


def test_missing_as_a_level_of_its_own():
    rows = [[5 if cell is None else cell for cell in row] for row in COUNTS]
    asked = [[0, 5, 2], [4, 1, 5], [5, 5, 5]]
    missing = [[None if cell == 5 else cell for cell in row] for row in asked]
    # The middle row of COUNTS shows a 5 in the last column: keep it apart from the missing one there.
    rows[4][2], plain = 1, [list(row) for row in COUNTS]
    plain[4][2] = 1
    model = fit(matrix(plain), LABELS, columns=Categorical(missing="level"), calibrate=False)
    expected = fit(matrix(rows), LABELS, columns=Categorical(), calibrate=False).log_joint(matrix(asked))
    np.testing.assert_allclose(model.log_joint(matrix(missing))[:, :], expected, rtol=1e-13)
    assert {row.level for row in model.parameters() if row.column == 1} == {None, 0, 1, 2}


def test_a_missing_level_that_fit_has_not_seen_is_unseen():
    x = np.array([[0], [1], [1]])
    asked = np.array([[math.nan]])
    ignored = fit(x, [0, 1, 1], columns=Categorical(missing="level"), calibrate=False)
    np.testing.assert_allclose(ignored.predict_proba(asked), [[1 / 3, 2 / 3]])
    mass = fit(x, [0, 1, 1], columns=Categorical(missing="level", unseen="mass"), calibrate=False)
    with pytest.warns(UnseenLevelsWarning):
        np.testing.assert_allclose(mass.log_joint(asked), mass.log_joint(np.array([[7]])))


class TestEvidence:
    """The evidence is the product of one-step predictions, which the oracles multiply."""

    def classes(self):
        return discrete.evidence_of_levels(LABELS, dict.fromkeys(CLASSES, Fraction(1)))

    def test_bernoulli(self):
        expected = self.classes()
        for j in range(3):
            for c in CLASSES:
                cells = [int(cell > 0) for cell in discrete.column_of(COUNTS, LABELS, c, j)]
                expected += discrete.evidence_of_levels(cells, {0: Fraction(3), 1: Fraction(1, 2)})
        model = fit(matrix(COUNTS), LABELS, columns=Bernoulli(BetaBinomial(0.5, 3)), calibrate=False)
        assert model.log_evidence() == pytest.approx(expected, rel=1e-12)

    @pytest.mark.parametrize("mass", [False, True])
    def test_categorical(self, mass):
        expected = self.classes()
        for j in range(3):
            levels = [*discrete.levels_of(COUNTS, j), *([99] * mass)]
            for c in CLASSES:
                cells = discrete.column_of(COUNTS, LABELS, c, j)
                expected += discrete.evidence_of_levels(cells, dict.fromkeys(levels, Fraction(2)))
        model = fit(
            matrix(COUNTS),
            LABELS,
            columns=Categorical(unseen="mass" if mass else "ignore"),
            estimate="map",
            calibrate=False,
        )
        assert model.log_evidence() == pytest.approx(expected, rel=1e-12)

    def test_multinomial(self):
        rows = [[0 if cell is None else cell for cell in row] for row in COUNTS]
        expected = self.classes()
        for c in CLASSES:
            of_class = [row for row, y in zip(rows, LABELS, strict=True) if y == c]
            expected += discrete.evidence_of_documents(of_class, [Fraction(1, 2)] * 3)
        model = fit(matrix(rows), LABELS, columns=Multinomial(), calibrate=False).with_options(
            estimate="smoothed", alpha=0.5
        )
        assert model.log_evidence() == pytest.approx(expected, rel=1e-12)

    @pytest.mark.parametrize("shared", [False, True])
    def test_gaussian(self, shared):
        expected = self.classes()
        for j in range(3):
            m, v = real.pooled(REALS, j)
            for c in CLASSES:
                cells = discrete.column_of(REALS, LABELS, c, j)
                if not shared:
                    expected += real.evidence_of_values(cells, (m, Fraction(1), Fraction(1, 2), v / 2))
        if shared:
            expected += sum(shared_evidence(j) for j in range(3))
        likelihood = Gaussian(variance="shared" if shared else "own")
        assert fit(matrix(REALS), LABELS, columns=likelihood, calibrate=False).log_evidence() == pytest.approx(
            expected, rel=1e-12
        )

    def test_poisson(self):
        expected = self.classes()
        for j in range(3):
            for c in CLASSES:
                cells = discrete.column_of(COUNTS, LABELS, c, j)
                expected += real.evidence_of_counts(cells, Fraction(1, 2), Fraction(2))
        model = fit(matrix(COUNTS), LABELS, columns=Poisson(GammaPoisson(0.5, 2)), calibrate=False)
        assert model.log_evidence() == pytest.approx(expected, rel=1e-12)

    def test_of_a_given_class_prior(self):
        model = fit(
            np.zeros((3, 0)), ["a", "b", "b"], columns=Gaussian(), class_prior={"a": 0.25, "b": 0.75}, calibrate=False
        )
        assert model.log_evidence() == pytest.approx(math.log(0.25 * 0.75 * 0.75))


def shared_evidence(j):
    """Values in turn: each Student-t with the class's mean and everybody's variance."""
    m, v = real.pooled(REALS, j)
    a, b, total = Fraction(1, 2), v / 2, 0.0
    means = {c: (m, Fraction(1)) for c in CLASSES}
    for row, y in zip(REALS, LABELS, strict=True):
        if row[j] is None:
            continue
        mu, kappa = means[y]
        total += real.student((mu, kappa, a, b)).logpdf(row[j])
        x = Fraction(row[j])
        a, b = a + Fraction(1, 2), b + kappa * (x - mu) ** 2 / (2 * (kappa + 1))
        means[y] = (kappa * mu + x) / (kappa + 1), kappa + 1
    return total
