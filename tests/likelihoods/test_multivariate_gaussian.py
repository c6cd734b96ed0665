"""MultivariateGaussian against the slow way: every covariance and estimate, missing cells, evidence, shrinkage, draws."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy import stats

import suffice as sf
from suffice.likelihoods import Gaussian, MultivariateGaussian
from suffice.likelihoods.block_statistics import ESTIMATES
from suffice.likelihoods.covariance import MOST_STRENGTH, evidence_strength, factor_covariances, oas, whiten
from tests.oracles import discriminant_slow as slow

NAN = float("nan")
WIDTH = 4
LABELS = ["a"] * 9 + ["b"] * 14 + ["c"] * 7
MATRICES = ["full", "shared"]


def rows(seed=0, offset=0.0, labels=LABELS):
    rng = np.random.default_rng(seed)
    codes = np.array([ord(label) - ord("a") for label in labels])
    turn = rng.normal(size=(3, WIDTH, WIDTH))
    x = np.einsum("nij,nj->ni", turn[codes], rng.normal(size=(len(codes), WIDTH)))
    return (x + 2 * rng.normal(size=(3, WIDTH))[codes]) * [1.0, 3.0, 0.01, 20.0] + offset


def asked(x):
    some = x[::4].copy()
    some[1, 2] = some[2, 0] = some[2, 3] = some[3, 1] = NAN
    some[4, :3] = NAN
    some[5] = NAN
    return some


@pytest.mark.parametrize("estimate", ESTIMATES)
class TestEveryReading:
    @pytest.mark.parametrize("covariance", MATRICES)
    def test_a_matrix(self, covariance, estimate):
        x = rows()
        model = sf.fit(
            x, LABELS, columns=MultivariateGaussian(covariance=covariance), estimate=estimate, calibrate=False
        )
        expected = slow.joint(x, LABELS, asked(x), covariance, estimate)
        np.testing.assert_allclose(model.log_joint(asked(x)), expected, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(
            model.log_density(asked(x)), np.logaddexp.reduce(expected, axis=1), rtol=1e-10, atol=1e-10
        )
        posterior = np.exp(expected - np.logaddexp.reduce(expected, axis=1, keepdims=True))
        np.testing.assert_allclose(model.predict_proba(asked(x)), posterior, rtol=0, atol=1e-10)

    @pytest.mark.parametrize("covariance", MATRICES)
    def test_far_from_zero(self, covariance, estimate):
        x, far = rows(), rows(offset=1e8)
        near, model = (
            sf.fit(
                each, LABELS, columns=MultivariateGaussian(covariance=covariance), estimate=estimate, calibrate=False
            )
            for each in (x, far)
        )
        np.testing.assert_allclose(model.predict_proba(far), near.predict_proba(far - 1e8), rtol=0, atol=1e-5)
        back = sf.fit(
            far - 1e8, LABELS, columns=MultivariateGaussian(covariance=covariance), estimate=estimate, calibrate=False
        )  # what 1e8 has left of x
        np.testing.assert_allclose(model.predict_proba(far), back.predict_proba(far - 1e8), rtol=0, atol=1e-9)

    @pytest.mark.parametrize("covariance", MATRICES)
    def test_a_prior(self, covariance, estimate):
        x = rows()
        matrix = np.diag([1.0, 9.0, 1e-4, 400.0])
        matrix[0, 1] = matrix[1, 0] = 1.5
        given = np.array([1.0, -2.0, 0.01, 5.0]), 2.5, 6.5, matrix
        model = sf.fit(
            x,
            LABELS,
            columns=MultivariateGaussian(sf.NormalInverseWishart(*given), covariance),
            estimate=estimate,
            calibrate=False,
        )
        expected = slow.joint(x, LABELS, asked(x), covariance, estimate, prior=given)
        np.testing.assert_allclose(model.log_joint(asked(x)), expected, rtol=1e-10, atol=1e-10)

    def test_the_diagonal_is_each_column_by_itself(self, estimate):
        x = rows()
        together = sf.fit(
            x, LABELS, columns=MultivariateGaussian(covariance="diagonal"), estimate=estimate, calibrate=False
        )
        apart = sf.fit(x, LABELS, columns=Gaussian(), estimate=estimate, calibrate=False)
        np.testing.assert_allclose(together.log_joint(asked(x)), apart.log_joint(asked(x)), rtol=1e-11, atol=1e-11)
        assert together.log_evidence() == pytest.approx(apart.log_evidence(), rel=1e-12)

    def test_one_column_is_a_column_by_itself(self, estimate):
        x = rows()[:, :1]
        for covariance in MATRICES:
            together = sf.fit(
                x, LABELS, columns=MultivariateGaussian(covariance=covariance), estimate=estimate, calibrate=False
            )
            alone = Gaussian(variance="shared") if covariance == "shared" else Gaussian()
            apart = sf.fit(x, LABELS, columns=alone, estimate=estimate, calibrate=False)
            np.testing.assert_allclose(together.log_joint(x), apart.log_joint(x), rtol=1e-10, atol=1e-10)
            assert together.log_evidence() == pytest.approx(apart.log_evidence(), rel=1e-11)


@pytest.mark.parametrize("lam", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("covariance", MATRICES)
def test_pseudo_rows(covariance, lam):
    x = rows()
    model = sf.fit(x, LABELS, columns=MultivariateGaussian(covariance=covariance), calibrate=False).with_options(
        estimate="smoothed", alpha=lam
    )
    estimate = "smoothed" if lam else "mle"
    expected = slow.joint(x, LABELS, x, covariance, estimate, lam=lam)
    np.testing.assert_allclose(model.log_joint(x), expected, rtol=1e-9, atol=1e-9)


class TestEvidence:
    @pytest.mark.parametrize("covariance", MATRICES)
    @pytest.mark.parametrize("given", [False, True])
    def test_of_a_matrix(self, covariance, given):
        x = rows()
        prior = (np.zeros(WIDTH), 0.5, 5.5, np.diag([2.0, 9.0, 1e-3, 99.0])) if given else None
        likelihood = MultivariateGaussian(sf.NormalInverseWishart(*prior) if prior else None, covariance)
        model = sf.fit(x, LABELS, columns=likelihood, calibrate=False)
        of_classes = sf.fit(np.zeros((30, 0)), LABELS, columns=Gaussian(), calibrate=False).log_evidence()
        expected = slow.evidence(x, LABELS, covariance, prior)
        assert model.log_evidence() - of_classes == pytest.approx(expected, rel=1e-11)

    def test_without_pseudo_rows_there_is_none(self):
        for covariance in (*MATRICES, "diagonal"):
            model = sf.fit(rows(), LABELS, columns=MultivariateGaussian(covariance=covariance), calibrate=False)
            assert model.with_options(estimate="smoothed", alpha=0).log_evidence() == -math.inf


class TestShrinkage:
    @pytest.mark.parametrize("toward", ["diagonal", "spherical", "total"])
    @pytest.mark.parametrize("s", [0.0, 0.3, 1.0])
    def test_of_a_shared_matrix(self, s, toward):
        x, y = rows(), np.array(LABELS)
        within = slow.read(x, LABELS, "a", "shared", "mle")[2]
        goal = x.var(axis=0) if toward == "total" else np.diag(within)
        pulled = (1 - s) * within + s * np.diag(goal)
        model = sf.fit(
            x,
            LABELS,
            columns=MultivariateGaussian(covariance="shared", shrinkage=s, toward=toward),
            estimate="mle",
            calibrate=False,
        )
        found = model.log_joint(x)
        for k, c in enumerate("abc"):
            there = "normal", x[y == c].mean(axis=0), pulled
            expected = [slow.log_density(there, row) + math.log(np.mean(y == c)) for row in x]
            np.testing.assert_allclose(found[:, k], expected, rtol=1e-10)

    @pytest.mark.parametrize("toward", ["diagonal", "spherical", "shared", "total"])
    @pytest.mark.parametrize("s", [0.25, 1.0])
    def test_of_a_matrix_for_each_class(self, s, toward):
        x, y = rows(), np.array(LABELS)
        within = slow.read(x, LABELS, "a", "shared", "mle")[2]
        model = sf.fit(
            x,
            LABELS,
            columns=MultivariateGaussian(covariance="full", shrinkage=s, toward=toward),
            estimate="mle",
            calibrate=False,
        )
        found = model.log_joint(x)
        for k, c in enumerate("abc"):
            own = slow.read(x, LABELS, c, "full", "mle")[2]
            spread = np.diag(within)
            goal = {
                "diagonal": np.diag(np.diag(own)),
                "spherical": (np.diag(own) / spread).mean() * np.diag(spread),
                "shared": within,
                "total": np.diag(x.var(axis=0)),
            }[toward]
            there = stats.multivariate_normal(x[y == c].mean(axis=0), (1 - s) * own + s * goal)
            np.testing.assert_allclose(found[:, k], there.logpdf(x) + math.log(np.mean(y == c)), rtol=1e-9)

    def test_all_the_way_is_the_diagonal_or_the_shared_matrix(self):
        x = rows()
        whole = sf.fit(
            x, LABELS, columns=MultivariateGaussian(covariance="full", shrinkage=1.0), estimate="mle", calibrate=False
        )
        np.testing.assert_allclose(
            whole.predict_proba(x),
            sf.fit(x, LABELS, columns=Gaussian(), estimate="mle", calibrate=False).predict_proba(x),
            atol=1e-12,
        )
        whole = sf.fit(
            x,
            LABELS,
            columns=MultivariateGaussian(covariance="full", shrinkage=1.0, toward="shared"),
            estimate="mle",
            calibrate=False,
        )
        shared = sf.fit(x, LABELS, columns=MultivariateGaussian(covariance="shared"), estimate="mle", calibrate=False)
        np.testing.assert_allclose(whole.predict_proba(x), shared.predict_proba(x), atol=1e-12)

    def test_oas_is_the_published_formula(self):
        rng = np.random.default_rng(3)
        x = rng.normal(size=(20, 5)) @ rng.normal(size=(5, 5))
        s = np.corrcoef(x.T)
        n, p, trace, squares = 19, 5, np.trace(s), np.trace(s @ s)
        expected = ((1 - 2 / p) * squares + trace**2) / ((n + 1 - 2 / p) * (squares - trace**2 / p))
        assert oas(s, 19) == pytest.approx(min(1, expected), rel=1e-12)
        assert oas(np.eye(3), 10) == 1.0
        assert oas(s, 0) == 1.0

    @pytest.mark.parametrize("covariance", MATRICES)
    def test_oas_is_chosen_by_the_statistics(self, covariance):
        x, y = rows(), np.array(LABELS)
        model = sf.fit(
            x,
            LABELS,
            columns=MultivariateGaussian(covariance=covariance, shrinkage="oas"),
            estimate="mle",
            calibrate=False,
        )
        found = model.log_joint(x)
        for k, c in enumerate("abc"):
            own = slow.read(x, LABELS, c, covariance, "mle")[2]
            unit = np.sqrt(np.diag(own))
            s = oas(own / unit / unit[:, None], (y == c).sum() - 1 if covariance == "full" else len(y) - 3)
            assert 0 < s < 1
            there = stats.multivariate_normal(x[y == c].mean(axis=0), (1 - s) * own + s * np.diag(np.diag(own)))
            np.testing.assert_allclose(found[:, k], there.logpdf(x) + math.log(np.mean(y == c)), rtol=1e-9)

    @pytest.mark.parametrize("covariance", MATRICES)
    @pytest.mark.parametrize("correlated", [False, True])
    def test_the_evidence_knows_no_better_strength(self, covariance, correlated):
        rng = np.random.default_rng(5)
        x = rng.normal(size=(30, WIDTH)) + np.array([ord(label) for label in LABELS])[:, None]
        x = x @ rng.normal(size=(WIDTH, WIDTH)) if correlated else x

        def under(tau):
            m, _, nu, psi = slow.unit_information(x)
            return slow.evidence(x, LABELS, covariance, (m, 1.0, nu + tau, (1 + tau) * psi))

        model = sf.fit(
            x, LABELS, columns=MultivariateGaussian(covariance=covariance, shrinkage="evidence"), calibrate=False
        )
        of_classes = sf.fit(np.zeros((30, 0)), LABELS, columns=Gaussian(), calibrate=False).log_evidence()
        best = model.log_evidence() - of_classes
        tried = [under(tau) for tau in [0, *np.geomspace(1e-3, MOST_STRENGTH, 60)]]
        assert best >= max(tried) - 1e-9 * abs(best)
        assert best == pytest.approx(max(tried), abs=0.2)
        plugged = model.with_options(estimate="mle")
        assert np.isfinite(plugged.log_joint(x)).all()

    def test_independent_columns_ask_for_a_strong_prior(self):
        rng = np.random.default_rng(6)
        x = rng.normal(size=(2000, 6))
        s = (x - x.mean(axis=0)).T @ (x - x.mean(axis=0))
        assert evidence_strength(np.array([2000.0]), s[None]) > 100
        assert evidence_strength(np.array([2000.0]), (s @ np.diag([1, 1, 1, 1, 1, 9.0]) @ s)[None]) < 10


class TestWhatHasNoInverse:
    @pytest.mark.parametrize("covariance", [*MATRICES, "diagonal"])
    @pytest.mark.parametrize("estimate", ESTIMATES)
    def test_fewer_rows_than_columns_is_finite(self, covariance, estimate):
        rng = np.random.default_rng(1)
        x, y = rng.normal(size=(9, 30)), list("aaaabbbbc")
        model = sf.fit(x, y, columns=MultivariateGaussian(covariance=covariance), estimate=estimate, calibrate=False)
        some = rng.normal(size=(5, 30))
        some[1, ::2] = NAN
        proba = model.predict_proba(some)
        assert np.isfinite(proba).all()
        np.testing.assert_allclose(proba.sum(axis=1), 1)
        assert np.isfinite(model.log_joint(some)).all()
        assert math.isfinite(model.log_evidence())

    def test_a_floor_of_the_eigenvalues(self):
        x = np.array([[0.0, 0], [1, 1], [2, 2], [3, 3], [0, 1], [5, -1], [2, 8], [1, 1]])
        y = list("aaaabbbb")
        model = sf.fit(
            x, y, columns=MultivariateGaussian(covariance="full", var_smoothing=1e-3), estimate="mle", calibrate=False
        )
        unit = x.std(axis=0)
        z = (x[:4] - x[:4].mean(axis=0)) / unit
        values, vectors = np.linalg.eigh(z.T @ z / 4)
        matrix = vectors @ np.diag(np.maximum(values, 1e-3)) @ vectors.T * unit * unit[:, None]
        expected = stats.multivariate_normal(x[:4].mean(axis=0), matrix).logpdf(x) + math.log(0.5)
        np.testing.assert_allclose(model.log_joint(x)[:, 0], expected, rtol=1e-9)

    def test_a_shared_direction_without_spread_says_nothing(self):
        rng = np.random.default_rng(2)
        x, y = rng.normal(size=(40, 3)), np.repeat(["a", "b"], 20)
        x[20:] += 1
        twice = np.column_stack([x, x[:, 0] - 2 * x[:, 1]])
        model = sf.fit(x, y, columns=MultivariateGaussian(covariance="shared"), estimate="mle", calibrate=False)
        other = sf.fit(twice, y, columns=MultivariateGaussian(covariance="shared"), estimate="mle", calibrate=False)
        np.testing.assert_allclose(other.predict_proba(twice), model.predict_proba(x), atol=1e-9)

    def test_a_constant_column_adds_nothing(self):
        x = rows()
        wider = np.column_stack([x[:, :2], np.full(len(x), 7.0), x[:, 2:]])
        for covariance in (*MATRICES, "diagonal"):
            for estimate in ESTIMATES:
                model = sf.fit(
                    x, LABELS, columns=MultivariateGaussian(covariance=covariance), estimate=estimate, calibrate=False
                )
                other = sf.fit(
                    wider,
                    LABELS,
                    columns=MultivariateGaussian(covariance=covariance),
                    estimate=estimate,
                    calibrate=False,
                )
                np.testing.assert_allclose(other.log_joint(wider), model.log_joint(x), rtol=1e-11, atol=1e-11)
                assert other.log_evidence() == pytest.approx(model.log_evidence(), rel=1e-12)

    def test_a_class_of_one_row(self):
        x, y = np.vstack([rows(), [[50.0, 0, 0, 0]]]), [*LABELS, "d"]
        for covariance in (*MATRICES, "diagonal"):
            proba = sf.fit(
                x, y, columns=MultivariateGaussian(covariance=covariance), estimate="mle", calibrate=False
            ).predict_proba(x)
            assert np.isfinite(proba).all()
            assert proba[-1].argmax() == 3

    def test_whitening_floors_or_drops(self):
        rng = np.random.default_rng(4)
        half = rng.normal(size=(2, 5, 3))
        matrices = half @ half.swapaxes(1, 2)
        floored, dropped = (whiten(matrices, 1e-9, drop=drop) for drop in (False, True))
        assert floored.rank.tolist() == [5, 5]
        assert dropped.rank.tolist() == [3, 3]
        np.testing.assert_allclose(floored.log_determinant, dropped.log_determinant + 2 * math.log(1e-9))
        for k in range(2):
            np.testing.assert_allclose(
                dropped.rows[k].T @ dropped.rows[k], np.linalg.pinv(matrices[k], rcond=1e-9), atol=1e-9
            )
        root = factor_covariances(matrices, 1e-9, drop=True)
        np.testing.assert_allclose(root @ root.swapaxes(1, 2), matrices, atol=1e-9)


class TestDraws:
    @pytest.mark.parametrize("covariance", MATRICES)
    @pytest.mark.parametrize("estimate", ["mle", "predictive"])
    def test_rows_have_the_moments_that_are_read(self, covariance, estimate):
        labels = ["a"] * 60 + ["b"] * 90
        x = rows(labels=labels)
        model = sf.fit(
            x, labels, columns=MultivariateGaussian(covariance=covariance), estimate=estimate, calibrate=False
        )
        data, _ = model.sample(40_000, seed=1, classes="b")
        read = slow.read(x, labels, "b", covariance, estimate)
        matrix = read[2] * (read[3] / (read[3] - 2) if estimate == "predictive" else 1.0)
        unit = np.sqrt(np.diag(matrix))
        np.testing.assert_allclose((data.mean(axis=0) - read[1]) / unit, 0, atol=0.03)
        np.testing.assert_allclose(np.cov(data.T) / unit / unit[:, None], matrix / unit / unit[:, None], atol=0.06)

    @pytest.mark.parametrize("covariance", [*MATRICES, "diagonal"])
    def test_parameters_drawn_once_differ_from_call_to_call(self, covariance):
        x = rows()
        model = sf.fit(x, LABELS, columns=MultivariateGaussian(covariance=covariance), calibrate=False)
        means = np.array([model.sample(4000, seed=s, classes="b", posterior=True).data.mean(axis=0) for s in range(60)])
        own = x[np.array(LABELS) == "b"]
        unit = (
            own.std(axis=0) if covariance == "full" else np.sqrt(np.diag(slow.read(x, LABELS, "b", "shared", "mle")[2]))
        )
        spread = means.std(axis=0) / unit
        assert (spread > 0.1).all()
        assert (spread < 0.9).all()

    def test_constant_and_unseen_columns(self):
        x = np.column_stack([rows()[:, :2], np.full(30, 7.0)])
        data, _ = sf.fit(x, LABELS, columns=MultivariateGaussian(covariance="full"), calibrate=False).sample(5, seed=0)
        assert (data[:, 2] == 7).all()


def test_parameters_are_those_of_the_reading():
    x, y = rows(), np.array(LABELS)
    found = {
        (row.label, row.column, row.level, row.name): row
        for row in sf.fit(
            x, LABELS, columns=MultivariateGaussian(covariance="full"), estimate="mle", calibrate=False
        ).parameters()
    }
    own = x[y == "b"]
    cov = np.cov(own.T, bias=True)
    assert found["b", 1, None, "location"].value == pytest.approx(own[:, 1].mean())
    assert found["b", 1, None, "variance"].value == pytest.approx(cov[1, 1])
    assert found["b", 1, 3, "covariance"].value == pytest.approx(cov[1, 3])
    row = found["b", 1, None, "location"]
    assert row.lower < row.value < row.upper
    t = {
        row.name: row
        for row in sf.fit(x, LABELS, columns=MultivariateGaussian(covariance="shared"), calibrate=False).parameters()
        if row.label == "a"
    }
    assert t["degrees"].value == len(x) + 1
    scale = slow.read(x, LABELS, "a", "shared", "predictive")[2]
    assert t["scale"].value == pytest.approx(math.sqrt(scale[3, 3]))


def fails(text, make, kind=sf.errors.ParameterError):
    with pytest.raises(kind) as caught:
        make()
    assert str(caught.value) == text


def test_what_is_refused():
    wishart = sf.NormalInverseWishart([0, 0], 1, 2, np.eye(2))
    gamma = sf.NormalInverseGamma(0, 1, 1, 1)
    fails(
        "covariance must be 'full' or 'shared' or 'diagonal': got 'tied'.", lambda: MultivariateGaussian(None, "tied")
    )
    fails(
        "shrinkage must be a number from 0 to 1, 'oas' or 'evidence': got 1.5. Use for example 0.1.",
        lambda: MultivariateGaussian(shrinkage=1.5),
    )
    fails(
        "shrinkage must be a number from 0 to 1, 'oas' or 'evidence': got 'lw'. Use for example 0.1.",
        lambda: MultivariateGaussian(shrinkage="lw"),
    )
    fails(
        "shrinkage applies to covariance='full' and 'shared', not to 'diagonal': got 0.1.",
        lambda: MultivariateGaussian(covariance="diagonal", shrinkage=0.1),
    )
    for shrinkage, toward in (("evidence", "spherical"), ("evidence", "total"), ("oas", "shared"), ("oas", "total")):
        fails(
            f"shrinkage={shrinkage!r} cannot shrink toward {toward!r}. Use toward='diagonal', or a number for shrinkage.",
            lambda shrinkage=shrinkage, toward=toward: MultivariateGaussian(shrinkage=shrinkage, toward=toward),
        )
    fails(
        "a shared matrix cannot be shrunk toward itself. Use toward='diagonal'.",
        lambda: MultivariateGaussian(covariance="shared", shrinkage=0.1, toward="shared"),
    )
    fails(
        "prior of MultivariateGaussian(covariance='full') must be a NormalInverseWishart: got "
        f"{gamma!r}. Use NormalInverseWishart(location, strength, degrees, scale_matrix).",
        lambda: MultivariateGaussian(gamma),
    )
    assert MultivariateGaussian(gamma, "diagonal").prior == gamma
    x = rows()
    fails(
        "the prior must have the 4 columns of the block, for all classes or for each of the 3: got location of shape "
        "(2,). Use shape (4,) or (3, 4).",
        lambda: sf.fit(x, LABELS, columns=MultivariateGaussian(wishart), calibrate=False).predict(x),
    )
    prior = sf.NormalInverseWishart(np.zeros(4), 1, [4, 5, 6], np.eye(4))
    fails(
        "a shared covariance requires one prior for all classes, but degrees or scale_matrix differ between classes. "
        "Use the same degrees and scale_matrix for every class, or covariance='full'.",
        lambda: sf.fit(x, LABELS, columns=MultivariateGaussian(prior, "shared"), calibrate=False).predict(x),
    )
    fails(
        "alpha of columns that are modelled together must be one number, or one for each class as shape (classes, 1): "
        "got shape (4,). Use one number for all columns of the block.",
        lambda: (
            sf.fit(x, LABELS, columns=MultivariateGaussian(covariance="full"), calibrate=False)
            .with_options(estimate="smoothed", alpha=[1, 2, 3, 4])
            .predict(x)
        ),
    )


def test_an_infinite_cell():
    x = rows()
    x[3, 1] = math.inf
    fails(
        "row 3, column 1: values must be finite, or NaN if missing: got inf. Replace it, or use columns={1: "
        "Histogram()}, which accepts ±inf.",
        lambda: sf.fit(x, LABELS, columns=MultivariateGaussian(covariance="full"), calibrate=False),
        sf.errors.DataError,
    )
    model = sf.fit(rows(), LABELS, columns=MultivariateGaussian(covariance="full"), estimate="mle", calibrate=False)
    with pytest.warns(sf.errors.ImpossibleRowsWarning):
        proba = model.predict_proba(x)
    np.testing.assert_allclose(proba[3], [9 / 30, 14 / 30, 7 / 30])
    huge = np.array([[1e308, -1e308, 1e308, 1e200], [1e200, 0, NAN, -1e200]])
    for covariance in (*MATRICES, "diagonal"):
        for estimate in ESTIMATES:
            model = sf.fit(
                rows(), LABELS, columns=MultivariateGaussian(covariance=covariance), estimate=estimate, calibrate=False
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", sf.errors.ImpossibleRowsWarning)
                assert np.isfinite(model.predict_proba(huge)).all()
