"""Columns that go together through every door: arrays, frames, files, collectors, model files; read otherwise; left-out rows."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

import suffice as sf
from suffice.evidence import feature_importance
from suffice.likelihoods.block_statistics import ESTIMATES

RNG = np.random.default_rng(11)
Y = np.array(["ham", "spam", "news"])[RNG.integers(0, 3, 200)]
CODES = np.searchsorted(["ham", "news", "spam"], Y)
X = RNG.normal(size=(200, 4)) @ RNG.normal(size=(4, 4)) + 1.5 * RNG.normal(size=(3, 4))[CODES]
FRAME = pd.DataFrame(X, columns=["V1", "V2", "V3", "V4"]).assign(
    fur=np.array(["black", "white"])[RNG.integers(0, 2, 200)], y=Y
)
MIXED = {"V*": sf.MultivariateGaussian(covariance="full"), "fur": sf.Categorical()}


def gappy():
    frame = FRAME.copy()
    frame.loc[::10, "V2"] = np.nan
    frame.loc[5, "V4"] = np.nan
    return frame


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_blocks_add_up(estimate):
    model = sf.fit(FRAME, "y", columns=MIXED, estimate=estimate, calibrate=False)
    assert repr(model.schema).splitlines()[1] == "  'V1', 'V2', 'V3', 'V4': MultivariateGaussian()"
    real = sf.fit(
        FRAME[["V1", "V2", "V3", "V4"]],
        Y,
        columns=sf.MultivariateGaussian(covariance="full"),
        estimate=estimate,
        calibrate=False,
    )
    other = sf.fit(FRAME[["fur"]], Y, columns=sf.Categorical(), estimate=estimate, calibrate=False)
    prior = np.log(np.array([np.mean(each == Y) for each in model.classes]))
    expected = real.log_joint(FRAME[["V1", "V2", "V3", "V4"]]) + other.log_joint(FRAME[["fur"]]) - prior
    np.testing.assert_allclose(model.log_joint(FRAME), expected, rtol=1e-11, atol=1e-11)


def test_two_blocks_of_one_likelihood_stay_two():
    model = sf.fit(
        FRAME,
        "y",
        columns={
            ("V1", "V2"): sf.MultivariateGaussian(covariance="full"),
            ("V3", "V4"): sf.MultivariateGaussian(covariance="full"),
            "fur": None,
        },
        calibrate=False,
    )
    assert [block.columns for block in model.schema.blocks] == [("V1", "V2"), ("V3", "V4")]


@pytest.mark.parametrize(
    "form", [lambda f: f, pl.from_pandas, lambda f: f.to_dict("list"), lambda f: f.to_dict("records")]
)
def test_frames_of_every_kind(form):
    model, other = (
        sf.fit(FRAME, "y", columns=MIXED, calibrate=False),
        sf.fit(form(FRAME), "y", columns=MIXED, calibrate=False),
    )
    np.testing.assert_allclose(other.log_joint(form(FRAME)), model.log_joint(FRAME), rtol=1e-11)


def test_arrays_of_every_layout():
    x, kind = np.round(X * 100), sf.MultivariateGaussian(covariance="shared")
    model = sf.fit(x, Y, columns=kind, estimate="mle", calibrate=False)
    wide = np.zeros((200, 8))
    wide[:, ::2] = x
    for other in (np.asfortranarray(x), x.astype(np.float32), x.astype(np.int32), wide[:, ::2], x[::-1][::-1]):
        again = sf.fit(other, Y, columns=kind, estimate="mle", calibrate=False)
        np.testing.assert_allclose(again.predict_proba(other), model.predict_proba(x), atol=1e-12)


def test_sparse_rows_are_refused_to_learn_from_and_can_be_asked_about():
    from scipy import sparse

    with pytest.raises(sf.errors.DataError) as caught:
        sf.fit(sparse.csr_array(X), Y, columns=sf.MultivariateGaussian(covariance="full"), calibrate=False)
    assert str(caught.value).startswith("scatter matrices need a dense")
    model = sf.fit(X, Y, columns=sf.MultivariateGaussian(covariance="full"), calibrate=False)
    np.testing.assert_allclose(model.log_joint(sparse.csr_array(X)), model.log_joint(X), rtol=1e-12)


def left_out(caught):
    return [str(each.message) for each in caught if each.category is sf.errors.DroppedRowsWarning]


SENTENCE = (
    "columns 'V1', 'V2', 'V3', 'V4': 21 of 200 rows have a missing cell in these jointly modelled columns "
    "and were excluded from them. Impute the cells, or use the likelihood Gaussian for these columns."
)


def test_rows_with_a_gap_are_left_out_of_their_block_alone():
    with pytest.warns(sf.errors.DroppedRowsWarning) as caught:
        model = sf.fit(gappy(), "y", columns=MIXED, calibrate=False)
    assert left_out(caught) == [SENTENCE]
    whole = gappy().dropna()
    alone = sf.fit(
        whole[["V1", "V2", "V3", "V4"]], whole["y"], columns=sf.MultivariateGaussian(covariance="full"), calibrate=False
    )
    (scatter,), _ = model.core.parts
    assert scatter.left_out.sum() == 21
    np.testing.assert_allclose(scatter.mean, alone.core.parts[0][0].mean, rtol=1e-12)
    np.testing.assert_allclose(model.core.tally.weight.sum(), 200)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isfinite(model.predict_proba(gappy())).all()  # at predict nothing is left out
    with pytest.warns(sf.errors.DroppedRowsWarning) as caught:
        sf.fit(gappy(), "y", columns=MIXED, weights=np.full(200, 0.5), calibrate=False)
    assert left_out(caught)[0].startswith("columns 'V1', 'V2', 'V3', 'V4': 10.5 of 100 rows have a missing cell")


def test_files_say_it_once(tmp_path):
    path = tmp_path / "rows.csv"
    gappy().to_csv(path, index=False)
    with pytest.warns(sf.errors.DroppedRowsWarning) as caught:
        model = sf.fit(str(path), "y", columns=MIXED, calibrate=False)
    assert left_out(caught) == [SENTENCE]
    with pytest.warns(sf.errors.DroppedRowsWarning):
        memory = sf.fit(gappy(), "y", columns=MIXED, calibrate=False)
    np.testing.assert_allclose(model.predict_proba(str(path)), memory.predict_proba(gappy()), atol=1e-9)
    whole = tmp_path / "whole.parquet"
    FRAME.to_parquet(whole)
    twice = model.update(str(whole))
    assert twice.core.parts[0][0].weight.sum() == 379
    with pytest.warns(sf.errors.DroppedRowsWarning):
        again = twice.forget(str(path))
    np.testing.assert_allclose(
        again.predict_proba(FRAME), sf.fit(FRAME, "y", columns=MIXED, calibrate=False).predict_proba(FRAME), atol=1e-9
    )


def test_a_collector_learns_row_by_row():
    collector = sf.Collector(sf.MultivariateGaussian(covariance="shared"), estimate="mle")
    for row, label in zip(X, Y, strict=True):
        collector.add_row(row, label)
    whole = sf.fit(X, Y, columns=sf.MultivariateGaussian(covariance="shared"), estimate="mle", calibrate=False)
    np.testing.assert_allclose(collector.model().predict_proba(X), whole.predict_proba(X), atol=1e-12)


def test_a_file_keeps_it(tmp_path):
    with pytest.warns(sf.errors.DroppedRowsWarning):
        model = sf.fit(gappy(), "y", columns=MIXED, estimate="mle", calibrate=False)
    model.save(tmp_path / "m.suffice")
    again = sf.load(tmp_path / "m.suffice")
    assert again == model
    np.testing.assert_array_equal(again.log_joint(FRAME), model.log_joint(FRAME))
    more = sf.fit(FRAME, "y", like=again, calibrate=False)
    back = (again + more) - more
    np.testing.assert_allclose(back.log_joint(FRAME), model.log_joint(FRAME), rtol=1e-10)


class TestReadOtherwise:
    def test_one_statistic_is_gaussian_naive_bayes_lda_and_qda(self):
        model = sf.fit(X, Y, columns=sf.MultivariateGaussian(covariance="full"), estimate="mle", calibrate=False)
        apart = {
            "diagonal": sf.GaussianNB(var_smoothing=1e-9).fit(X, Y),
            "shared": sf.LinearDiscriminant().fit(X, Y),
            "full": sf.QuadraticDiscriminant().fit(X, Y),
        }
        for covariance, estimator in apart.items():
            read = model.with_options(covariance=covariance)
            np.testing.assert_allclose(read.predict_proba(X), estimator.predict_proba(X), rtol=0, atol=1e-10)
            assert read.with_options(covariance="full") == model

    def test_shrinkage_too(self):
        model = sf.fit(X, Y, columns=sf.MultivariateGaussian(covariance="full"), estimate="mle", calibrate=False)
        for given in (
            {"shrinkage": 0.2},
            {"shrinkage": 0.2, "toward": "shared"},
            {"shrinkage": "oas"},
            {"shrinkage": "evidence"},
        ):
            apart = sf.fit(
                X, Y, columns=sf.MultivariateGaussian(covariance="full", **given), estimate="mle", calibrate=False
            )
            assert model.with_options(**given) == apart
        pulled = model.with_options(shrinkage=0.2, toward="shared")
        assert pulled.with_options(covariance="diagonal").schema.blocks[0].likelihood == sf.MultivariateGaussian(
            covariance="diagonal"
        )
        assert pulled.with_options(covariance="shared").schema.blocks[0].likelihood == sf.MultivariateGaussian(
            covariance="shared", shrinkage=0.2
        )
        total = model.with_options(covariance="shared", shrinkage=0.2, toward="total")
        assert total.with_options(shrinkage=0.3).schema.blocks[0].likelihood.toward == "total"
        np.testing.assert_allclose(
            pulled.with_options(shrinkage=0).predict_proba(X), model.predict_proba(X), atol=1e-12
        )

    def test_a_wishart_prior_is_that_of_each_column(self):
        prior = sf.NormalInverseWishart(np.zeros(4), 2, 6, np.eye(4) + 0.5)
        model = sf.fit(X, Y, columns=sf.MultivariateGaussian(prior), estimate="mean", calibrate=False)
        apart = sf.fit(X, Y, columns=sf.Gaussian(prior.components), estimate="mean", calibrate=False)
        np.testing.assert_allclose(
            model.with_options(covariance="diagonal").log_joint(X), apart.log_joint(X), rtol=1e-11
        )
        assert model.with_options(covariance="diagonal").with_options(covariance="full") == model

    def test_columns_apart_share_a_variance_or_not(self):
        model = sf.fit(X, Y, columns=sf.Gaussian(), calibrate=False)
        shared = sf.fit(X, Y, columns=sf.Gaussian(variance="shared"), calibrate=False)
        assert model.with_options(variance="shared") == shared
        assert shared.with_options(variance="own") == model

    def test_each_option_goes_to_the_likelihoods_that_have_it(self):
        model = sf.fit(
            X, Y, columns={(0, 1): sf.MultivariateGaussian(), 2: sf.Gaussian(), 3: sf.Histogram()}, calibrate=False
        )
        changed = model.with_options(variance="shared", covariance="shared", shrinkage=0.1)
        assert [block.likelihood for block in changed.schema.blocks] == [
            sf.MultivariateGaussian(covariance="shared", shrinkage=0.1),
            sf.Gaussian(variance="shared"),
            sf.Histogram(),
        ]
        diagonal = model.with_options(covariance="diagonal")
        assert diagonal.with_options(covariance="shared", shrinkage=0.1, variance="shared") == changed

    def test_what_is_refused(self):
        model = sf.fit(X, Y, columns=sf.Gaussian(), calibrate=False)
        with pytest.raises(sf.errors.ParameterError) as caught:
            model.with_options(covariance="full")
        assert str(caught.value) == (
            "covariance is an option of MultivariateGaussian, but no column of the model has that likelihood: "
            "got 'full'. Fit the model with MultivariateGaussian(covariance='full')."
        )
        with pytest.raises(sf.errors.ParameterError) as caught:
            sf.fit(FRAME[["fur"]], Y, columns=sf.Categorical(), calibrate=False).with_options(variance="shared")
        assert caught.value.parameter == "variance"
        with pytest.raises(sf.errors.ParameterError) as caught:
            sf.fit(X, Y, columns=sf.MultivariateGaussian(), calibrate=False).with_options(
                variance="own", covariance="shared"
            )
        assert caught.value.parameter == "variance"
        with pytest.raises(sf.errors.MergeError):
            _ = sf.fit(X, Y, columns=sf.MultivariateGaussian(covariance="full"), calibrate=False) + sf.fit(
                X, Y, columns=sf.MultivariateGaussian(covariance="shared"), calibrate=False
            )

    def test_other_likelihoods_over_the_same_scatter(self):
        model = sf.fit(FRAME, "y", columns=MIXED, calibrate=False)
        apart = model.with_options(priors={"V*": sf.Gaussian()})
        expected = sf.fit(FRAME, "y", columns={"V*": sf.Gaussian(), "fur": sf.Categorical()}, calibrate=False)
        np.testing.assert_allclose(apart.log_joint(FRAME), expected.log_joint(FRAME), rtol=1e-11)
        some = model.with_options(priors={("V1", "V3"): sf.MultivariateGaussian(covariance="shared")})
        assert [block.columns for block in some.schema.blocks] == [("V1", "V3"), ("V2", "V4"), ("fur",)]
        fitted = sf.fit(
            FRAME,
            "y",
            columns={
                ("V1", "V3"): sf.MultivariateGaussian(covariance="shared"),
                ("V2", "V4"): sf.MultivariateGaussian(covariance="full"),
                "fur": sf.Categorical(),
            },
            calibrate=False,
        )
        np.testing.assert_allclose(some.log_joint(FRAME), fitted.log_joint(FRAME), rtol=1e-10)


@pytest.mark.parametrize("estimate", ["mle", "predictive"])
@pytest.mark.parametrize("covariance", ["full", "shared"])
def test_a_column_tells_what_it_tells_alone(covariance, estimate):
    model = sf.fit(X, Y, columns=sf.MultivariateGaussian(covariance=covariance), estimate=estimate, calibrate=False)
    alone = {"full": sf.Gaussian(), "shared": sf.Gaussian(variance="shared")}[covariance]
    apart = sf.fit(X, Y, columns=alone, estimate=estimate, calibrate=False)
    mine, theirs = (feature_importance(each.core).by_column for each in (model, apart))
    for column in range(4):
        np.testing.assert_allclose(mine[column], theirs[column], rtol=1e-6)


def test_draws_go_back_in():
    model = sf.fit(FRAME, "y", columns=MIXED, calibrate=False)
    data, target = model.sample(300, seed=3)
    assert set(data) == {"V1", "V2", "V3", "V4", "fur"}
    assert (model.predict(data) == target).mean() > 0.5
    np.testing.assert_array_equal(model.sample(300, seed=3).data["V1"], data["V1"])
