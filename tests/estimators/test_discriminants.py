"""LinearDiscriminant and QuadraticDiscriminant against scikit-learn's, and where scikit-learn's give no answer."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.pipeline import make_pipeline

import suffice as sf

COUNT, WIDTH = 400, 6


def rows(classes=3, seed=0, count=COUNT, offset=0.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, count)
    turn = np.eye(WIDTH) + 0.15 * rng.normal(size=(classes, WIDTH, WIDTH))
    x = np.einsum("nij,nj->ni", turn[y], rng.normal(size=(count, WIDTH))) + rng.normal(size=(classes, WIDTH))[y]
    return x + offset, y


def centred(scores):
    return scores - scores.mean(axis=1, keepdims=True) if scores.ndim == 2 else scores


class TestLinear:
    @pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
    @pytest.mark.parametrize("classes", [2, 3, 5])
    def test_equal_probabilities_and_weights(self, solver, classes):
        x, y = rows(classes)
        ours, peer = sf.LinearDiscriminant(solver).fit(x, y), LinearDiscriminantAnalysis(solver=solver).fit(x, y)
        np.testing.assert_allclose(ours.predict_proba(x), peer.predict_proba(x), rtol=0, atol=1e-8)
        np.testing.assert_array_equal(ours.predict(x), peer.predict(x))
        np.testing.assert_allclose(
            centred(ours.decision_function(x)), centred(peer.decision_function(x)), rtol=0, atol=1e-8
        )
        np.testing.assert_allclose(ours.means_, peer.means_, rtol=0, atol=1e-12)
        np.testing.assert_allclose(ours.priors_, peer.priors_, rtol=1e-12)
        np.testing.assert_array_equal(ours.classes_, peer.classes_)
        # scikit-learn's lsqr and eigen do not centre: their scores differ by what is the same for every class.
        if solver == "svd" or classes == 2:
            np.testing.assert_allclose(ours.coef_, peer.coef_, rtol=0, atol=1e-8)
            np.testing.assert_allclose(ours.intercept_, peer.intercept_, rtol=0, atol=1e-8)
        if solver != "svd":
            np.testing.assert_allclose(ours.covariance_, peer.covariance_, rtol=0, atol=1e-10)

    @pytest.mark.parametrize("solver", ["svd", "eigen"])
    @pytest.mark.parametrize("components", [None, 1, 2])
    def test_equal_axes_up_to_their_sign(self, solver, components):
        x, y = rows(4)
        ours = sf.LinearDiscriminant(n_components=components).fit(x, y)
        peer = LinearDiscriminantAnalysis(solver=solver, n_components=components).fit(x, y)
        mine, theirs = ours.transform(x), peer.transform(x)
        assert mine.shape == theirs.shape
        theirs = theirs - theirs.mean(axis=0)  # the eigen solver does not centre
        mine = mine - mine.mean(axis=0)
        signs = np.sign((mine * theirs).sum(axis=0))
        np.testing.assert_allclose(mine, theirs * signs, rtol=0, atol=1e-8)
        np.testing.assert_allclose(ours.explained_variance_ratio_, peer.explained_variance_ratio_, atol=1e-10)
        if solver == "svd":
            np.testing.assert_allclose(ours.xbar_, peer.xbar_, atol=1e-12)
            np.testing.assert_allclose(np.abs(ours.scalings_), np.abs(peer.scalings_), atol=1e-8)
        assert ours.get_feature_names_out().tolist() == [f"lineardiscriminant{k}" for k in range(mine.shape[1])]
        np.testing.assert_array_equal(ours.fit_transform(x, y), ours.transform(x))

    @pytest.mark.parametrize("solver", ["lsqr", "eigen"])
    @pytest.mark.parametrize("shrinkage", [0.0, 0.1, 0.7, 1.0])
    def test_equal_shrinkage_on_standardised_columns_and_on_any_others(self, solver, shrinkage):
        x, y = rows()
        within = np.sqrt(np.mean((x - np.array([x[y == c].mean(axis=0) for c in range(3)])[y]) ** 2, axis=0))
        standard = x / within
        peer = LinearDiscriminantAnalysis(solver=solver, shrinkage=shrinkage).fit(standard, y)
        ours = sf.LinearDiscriminant(shrinkage=shrinkage).fit(standard, y)
        np.testing.assert_allclose(ours.predict_proba(standard), peer.predict_proba(standard), rtol=0, atol=1e-8)
        units = np.array([1e-6, 1.0, 1e3, 5.0, 1e9, 0.1])
        other = sf.LinearDiscriminant(shrinkage=shrinkage).fit(x * units, y)
        np.testing.assert_allclose(other.predict_proba(x * units), peer.predict_proba(standard), rtol=0, atol=1e-8)

    @pytest.mark.parametrize("priors", [[0.5, 0.3, 0.2], {0: 0.5, 1: 0.3, 2: 0.2}])
    def test_priors(self, priors):
        x, y = rows()
        peer = LinearDiscriminantAnalysis(priors=[0.5, 0.3, 0.2]).fit(x, y)
        ours = sf.LinearDiscriminant(priors=priors).fit(x, y)
        np.testing.assert_allclose(ours.predict_proba(x), peer.predict_proba(x), rtol=0, atol=1e-8)
        np.testing.assert_allclose(ours.xbar_, peer.xbar_, atol=1e-12)
        mine, theirs = ours.transform(x), peer.transform(x)
        np.testing.assert_allclose(np.abs(mine), np.abs(theirs), atol=1e-8)

    def test_columns_that_depend_on_others_and_more_columns_than_rows(self):
        x, y = rows()
        twice = np.column_stack([x, x @ np.arange(12.0).reshape(6, 2), np.ones(len(x))])
        peer = LinearDiscriminantAnalysis().fit(twice, y)
        ours = sf.LinearDiscriminant().fit(twice, y)
        np.testing.assert_allclose(ours.predict_proba(twice), peer.predict_proba(twice), rtol=0, atol=1e-8)
        rng = np.random.default_rng(8)
        wide, labels, asked = rng.normal(size=(15, 40)), np.arange(15) % 3, rng.normal(size=(30, 40))
        peer, ours = LinearDiscriminantAnalysis().fit(wide, labels), sf.LinearDiscriminant().fit(wide, labels)
        np.testing.assert_allclose(ours.predict_proba(asked), peer.predict_proba(asked), rtol=0, atol=1e-8)
        np.testing.assert_allclose(np.abs(ours.transform(asked)), np.abs(peer.transform(asked)), atol=1e-8)

    def test_far_from_zero(self):
        x, y = rows()
        near, far = sf.LinearDiscriminant().fit(x, y), sf.LinearDiscriminant().fit(x + 2.0**30, y)
        np.testing.assert_allclose(far.predict_proba(x + 2.0**30), near.predict_proba(x), rtol=0, atol=1e-5)

    def test_as_many_rows_as_classes(self):
        x = np.array([[0.0, 1], [1, 0], [2, 2]])
        with pytest.raises(ValueError, match="The number of samples must be more than the number of classes"):
            LinearDiscriminantAnalysis().fit(x, [0, 1, 2])
        proba = sf.LinearDiscriminant().fit(x, [0, 1, 2]).predict_proba(x)
        np.testing.assert_allclose(proba, 1 / 3)

    def test_a_missing_cell_counts_as_what_the_others_make_of_it(self):
        x, y = rows()
        model = sf.LinearDiscriminant().fit(x, y)
        asked = x[:40].copy()
        asked[5:, 2] = np.nan
        asked[20:30, [0, 4]] = np.nan
        asked[30] = np.nan
        filled = asked.copy()
        for r, row in enumerate(asked):
            gap, there = np.flatnonzero(np.isnan(row)), np.flatnonzero(~np.isnan(row))
            each = [
                mean[gap]
                + model.covariance_[np.ix_(gap, there)]
                @ np.linalg.solve(model.covariance_[np.ix_(there, there)], row[there] - mean[there])
                for mean in model.means_
            ]
            filled[r, gap] = model.predict_proba(asked)[r] @ each
        np.testing.assert_allclose(model.transform(asked), model.transform(filled), atol=1e-10)
        np.testing.assert_allclose(
            model.transform(asked)[30], (model.priors_ @ model.means_ - model.xbar_) @ model.scalings_, atol=1e-10
        )

    def test_in_a_pipeline_before_another_estimator(self):
        x, y = rows()
        pipe = make_pipeline(sf.LinearDiscriminant(n_components=2), sf.GaussianNB()).fit(x, y)
        assert pipe.score(x, y) > 0.8
        frame = pd.DataFrame(x, columns=list("abcdef"))
        made = sf.LinearDiscriminant().set_output(transform="pandas").fit(frame, y).transform(frame)
        assert list(made.columns) == ["lineardiscriminant0", "lineardiscriminant1"]


class TestQuadratic:
    @pytest.mark.parametrize("solver", ["svd", "eigen"])
    @pytest.mark.parametrize("classes", [2, 3, 5])
    def test_equal_probabilities(self, solver, classes):
        x, y = rows(classes)
        ours = sf.QuadraticDiscriminant(solver=solver).fit(x, y)
        peer = QuadraticDiscriminantAnalysis(solver=solver, store_covariance=True).fit(x, y)
        np.testing.assert_allclose(ours.predict_proba(x), peer.predict_proba(x), rtol=0, atol=1e-8)
        np.testing.assert_array_equal(ours.predict(x), peer.predict(x))
        np.testing.assert_allclose(
            centred(ours.decision_function(x)), centred(peer.decision_function(x)), rtol=0, atol=1e-8
        )
        np.testing.assert_allclose(ours.means_, peer.means_, atol=1e-12)
        np.testing.assert_allclose(ours.covariance_, peer.covariance_, atol=1e-10)

    @pytest.mark.parametrize("shrinkage", [0.1, 0.7, 1.0])
    def test_equal_shrinkage_on_standardised_columns_and_on_any_others(self, shrinkage):
        x, y = rows()
        within = np.sqrt(np.mean((x - np.array([x[y == c].mean(axis=0) for c in range(3)])[y]) ** 2, axis=0))
        peer = QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=shrinkage).fit(x / within, y)
        units = np.array([1e-6, 1.0, 1e3, 5.0, 1e9, 0.1])
        for scale in (1 / within, units):
            ours = sf.QuadraticDiscriminant(shrinkage=shrinkage).fit(x * scale, y)
            np.testing.assert_allclose(ours.predict_proba(x * scale), peer.predict_proba(x / within), rtol=0, atol=1e-8)

    @pytest.mark.parametrize("share", [0.05, 0.5])
    def test_equal_reg_param_on_standardised_columns(self, share):
        x, y = rows()
        standard = (x - x.mean(axis=0)) / x.std(axis=0)
        peer = QuadraticDiscriminantAnalysis(reg_param=share).fit(standard, y)
        ours = sf.QuadraticDiscriminant(reg_param=share).fit(x, y)
        np.testing.assert_allclose(ours.predict_proba(x), peer.predict_proba(standard), rtol=0, atol=1e-8)

    def test_finite_where_scikit_learn_raises(self):
        x, y = rows()
        twice = np.column_stack([x, x[:, 0]])
        single = np.append(y[:-1], 9)
        rng = np.random.default_rng(8)
        wide = rng.normal(size=(15, 40))
        for data, labels in ((twice, y), (x, single), (wide, np.arange(15) % 3)):
            with pytest.raises(ValueError):  # noqa: PT011  one says LinAlgError, another names the class
                QuadraticDiscriminantAnalysis().fit(data, labels)
            proba = sf.QuadraticDiscriminant().fit(data, labels).predict_proba(data)
            assert np.isfinite(proba).all()
            np.testing.assert_allclose(proba.sum(axis=1), 1)


ESTIMATORS = [
    sf.LinearDiscriminant(),
    sf.LinearDiscriminant(shrinkage="auto"),
    sf.LinearDiscriminant(shrinkage="evidence"),
    sf.QuadraticDiscriminant(),
    sf.QuadraticDiscriminant(shrinkage="auto"),
    sf.QuadraticDiscriminant(shrinkage="evidence"),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_partial_fit_is_fit(estimator):
    x, y = rows(offset=100.0)
    whole = estimator.fit(x, y).predict_proba(x)
    fresh = type(estimator)(**estimator.get_params())
    for start in (0, 150, 151, 390):
        end = {0: 150, 150: 151, 151: 390, 390: COUNT}[start]
        fresh.partial_fit(x[start:end], y[start:end])
    np.testing.assert_allclose(fresh.predict_proba(x), whole, rtol=0, atol=1e-10)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_a_weight_is_as_many_copies(estimator):
    x, y = rows()
    weight = np.random.default_rng(1).integers(0, 3, COUNT)
    weighted = estimator.fit(x, y, sample_weight=weight).predict_proba(x)
    repeated = estimator.fit(np.repeat(x, weight, axis=0), np.repeat(y, weight)).predict_proba(x)
    np.testing.assert_allclose(weighted, repeated, rtol=0, atol=1e-10)


@pytest.mark.parametrize("estimator", ESTIMATORS[::3], ids=repr)
def test_missing_cells(estimator):
    x, y = rows()
    gaps = x.copy()
    gaps[::7, 2] = np.nan
    with pytest.warns(sf.errors.DroppedRowsWarning) as caught:
        estimator.fit(gaps, y)
    assert str(caught[0].message) == (
        "columns 0, 1, 2, 3, 4, … 1 more: 58 of 400 rows have a missing cell in these jointly "
        "modelled columns and were excluded from them. Impute the cells, or use the likelihood Gaussian for these "
        "columns."
    )
    whole = np.delete(np.arange(COUNT), np.arange(0, COUNT, 7))
    complete = type(estimator)(priors=estimator.priors_).fit(x[whole], y[whole])
    np.testing.assert_allclose(estimator.predict_proba(x), complete.predict_proba(x), rtol=0, atol=1e-10)
    asked = x.copy()
    asked[:, 4] = np.nan
    less = type(estimator)().fit(x[:, [0, 1, 2, 3, 5]], y)
    np.testing.assert_allclose(
        estimator.fit(x, y).predict_proba(asked), less.predict_proba(x[:, [0, 1, 2, 3, 5]]), rtol=0, atol=1e-10
    )


def fails(text, call, kind=sf.errors.ParameterError):
    with pytest.raises(kind, match=f"^{re.escape(text)}$"):
        call()


def test_what_is_refused():
    x, y = rows()
    for kind, known in (
        (sf.LinearDiscriminant, "'svd', 'lsqr', 'eigen'"),
        (sf.QuadraticDiscriminant, "'svd', 'eigen'"),
    ):
        fails(
            f"solver must be one of {known}, which all give the same result: got 'qr'.",
            lambda kind=kind: kind(solver="qr").fit(x, y),
        )
        fails(
            "shrinkage must be None, a number from 0 to 1, 'auto', 'oas' or 'evidence': got 2.",
            lambda kind=kind: kind(shrinkage=2).fit(x, y),
        )
        fails(
            "priors must sum to 1: got a sum of 3.0. Divide it by its sum.",
            lambda kind=kind: kind(priors=[1, 1, 1]).fit(x, y),
        )
    fails(
        "n_components cannot be larger than min(classes − 1, columns) = 2: got 3 for 3 classes and 6 columns.",
        lambda: sf.LinearDiscriminant(n_components=3).fit(x, y),
    )
    fails(
        "n_components must be a whole number ≥ 1, or None for all: got 0.5.",
        lambda: sf.LinearDiscriminant(n_components=0.5).fit(x, y),
    )
    fails(
        "tol must be a number from 0 to 1: got -1. Use for example 1e-4.",
        lambda: sf.LinearDiscriminant(tol=-1).fit(x, y),
    )
    fails(
        "reg_param must be a number from 0 to 1: got 1.5. Use for example 0.1.",
        lambda: sf.QuadraticDiscriminant(reg_param=1.5).fit(x, y),
    )
    fails(
        "reg_param and shrinkage cannot be combined: got 0.1 and 0.2. Give one of them.",
        lambda: sf.QuadraticDiscriminant(reg_param=0.1, shrinkage=0.2).fit(x, y),
    )
    model = sf.LinearDiscriminant().fit(*rows())
    x[3, 1] = np.inf
    text = "Input X contains infinity: row 3, column 1 has inf. Replace it, or use NaN for a missing cell."
    for call in (model.transform, model.predict, sf.QuadraticDiscriminant().fit(*rows()).predict_proba):
        fails(text, lambda call=call: call(x), sf.errors.DataError)
