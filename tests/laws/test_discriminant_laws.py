"""Laws of jointly modelled columns: merging, forgetting, weights, orders, coordinates, missing columns."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.api import fit
from suffice.likelihoods import Categorical, Gaussian, MultivariateGaussian
from suffice.likelihoods.block_statistics import ESTIMATES

pytestmark = [
    pytest.mark.filterwarnings("ignore::suffice.errors.ImpossibleRowsWarning"),
    pytest.mark.filterwarnings("ignore::suffice.errors.DroppedRowsWarning"),
    pytest.mark.filterwarnings("ignore::suffice.errors.UnseenClassesWarning"),
    pytest.mark.filterwarnings("ignore::suffice.errors.UnseenLevelsWarning"),
]

WIDTH = 4
KINDS = [
    MultivariateGaussian(covariance="full"),
    MultivariateGaussian(covariance="shared"),
    MultivariateGaussian(covariance="diagonal"),
    MultivariateGaussian(covariance="full", shrinkage=0.25, toward="shared"),
    MultivariateGaussian(covariance="full", shrinkage=0.25, toward="spherical"),
    MultivariateGaussian(covariance="full", shrinkage="oas"),
    MultivariateGaussian(covariance="shared", shrinkage="oas"),
]
MIXTURE = {(0, 2): MultivariateGaussian(covariance="full"), 1: Gaussian(), 3: Categorical()}

cells = st.one_of(st.integers(-6, 6).map(lambda k: k / 2), st.just(float("nan")))
labels = st.sampled_from(["ham", "news", "spam"])
estimates = st.sampled_from(ESTIMATES)
kinds = st.sampled_from([*KINDS, MIXTURE])


@st.composite
def tables(draw, least=0, most=10):
    """Rows, their classes and weights: few rows, equal cells and gaps, so that matrices lack rank more often than not."""
    rows = draw(st.integers(least, most))
    x = [[draw(cells) for _ in range(WIDTH)] for _ in range(rows)]
    y = [draw(labels) for _ in range(rows)]
    w = [draw(st.integers(1, 3)) for _ in range(rows)]
    return np.array(x, dtype=float).reshape(rows, WIDTH), y, np.array(w, dtype=float)


@st.composite
def clouds(draw, classes=3):
    """Rows of every class about its own mean, more of them than columns."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = np.repeat(np.arange(classes), rng.integers(WIDTH + 4, 3 * WIDTH + 4, classes))
    turn = np.eye(WIDTH) + 0.3 * rng.normal(size=(classes, WIDTH, WIDTH))
    x = np.einsum("nij,nj->ni", turn[y], rng.normal(size=(len(y), WIDTH)))
    return x + rng.normal(size=(classes, WIDTH))[y], y


def same(left, right, asked):
    """Equal scores. A class without spread has the floor as its variance, 1e-9: scores reach 1e9 and keep 1e-7 of it."""
    assert left.classes == right.classes
    np.testing.assert_allclose(left.log_joint(asked), right.log_joint(asked), rtol=1e-7, atol=1e-5)
    np.testing.assert_allclose(left.predict_proba(asked), right.predict_proba(asked), rtol=0, atol=1e-5)
    np.testing.assert_allclose(left.log_evidence(), right.log_evidence(), rtol=1e-9, atol=1e-9)


def joined(*parts):
    x, y, w = zip(*parts, strict=True)
    return np.concatenate(x), list(chain.from_iterable(y)), np.concatenate(w)


@given(tables(1), tables(), tables(), kinds, estimates)
def test_any_split_equals_one_fit(a, b, c, kind, estimate):
    def model(part):
        return fit(part[0], part[1], columns=kind, estimate=estimate, weights=part[2], calibrate=False)

    whole = model(joined(a, b, c))
    asked = joined(a, b, c)[0]
    same(model(a) + model(b) + model(c), whole, asked)
    same(model(a) + (model(c) + model(b)), whole, asked)
    same(model(a).update(*b[:2], weights=b[2]).update(*c[:2], weights=c[2]), whole, asked)


@given(tables(1), tables(), kinds, estimates)
def test_forgetting_rows_equals_never_having_seen_them(a, b, kind, estimate):
    alone = fit(a[0], a[1], columns=kind, estimate=estimate, weights=a[2], calibrate=False)
    other = fit(b[0], b[1], columns=kind, estimate=estimate, weights=b[2], calibrate=False)
    both = alone + other
    same(both - other, alone, a[0])
    same(both.forget(b[0], b[1], weights=b[2]), alone, a[0])
    assert both - both == alone - alone


@given(tables(1), kinds, estimates)
def test_a_weight_equals_that_many_copies(a, kind, estimate):
    x, y, w = a
    at = np.repeat(np.arange(len(y)), w.astype(int))
    weighted = fit(x, y, columns=kind, estimate=estimate, weights=w, calibrate=False)
    same(weighted, fit(x[at], [y[i] for i in at], columns=kind, estimate=estimate, calibrate=False), x)
    same(weighted.scale(2), weighted + weighted, x)


@given(tables(1), kinds, estimates, st.randoms())
def test_permuting_rows_and_renaming_classes_changes_nothing(a, kind, estimate, random):
    x, y, w = a
    order = list(range(len(y)))
    random.shuffle(order)
    model = fit(x, y, columns=kind, estimate=estimate, weights=w, calibrate=False)
    same(
        fit(x[order], [y[i] for i in order], columns=kind, estimate=estimate, weights=w[order], calibrate=False),
        model,
        x,
    )
    other = {"ham": "z", "news": "y", "spam": "x"}
    renamed = fit(x, [other[label] for label in y], columns=kind, estimate=estimate, weights=w, calibrate=False)
    np.testing.assert_allclose(renamed.predict_proba(x)[:, ::-1], model.predict_proba(x), rtol=0, atol=1e-5)


@given(tables(1), st.sampled_from(KINDS), estimates, st.permutations(range(WIDTH)))
def test_permuting_columns_changes_nothing(a, kind, estimate, order):
    x, y, w = a
    model = fit(x, y, columns=kind, estimate=estimate, weights=w, calibrate=False)
    moved = fit(x[:, order], y, columns=kind, estimate=estimate, weights=w, calibrate=False)
    np.testing.assert_allclose(moved.log_joint(x[:, order]), model.log_joint(x), rtol=1e-7, atol=1e-5)


@given(tables(1), tables(1), kinds, estimates)
def test_probabilities_are_finite_and_sum_to_one(a, b, kind, estimate):
    model = fit(a[0], a[1], columns=kind, estimate=estimate, weights=a[2], calibrate=False)
    proba = model.predict_proba(b[0])
    assert (proba >= 0).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-12)
    assert not np.isnan(model.log_joint(b[0])).any()
    assert not np.isnan(model.log_evidence())


@given(clouds(), st.integers(0, 2**32 - 1), st.sampled_from(["full", "shared"]))
def test_affine_coordinates_change_no_posterior_of_the_mle(cloud, seed, covariance):
    x, y = cloud
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(WIDTH, WIDTH)))[0] @ np.diag(rng.uniform(0.2, 5, WIDTH))
    turn = turn @ np.linalg.qr(rng.normal(size=(WIDTH, WIDTH)))[0]
    moved = x @ turn + rng.normal(size=WIDTH)
    model, other = (
        fit(each, y, columns=MultivariateGaussian(covariance=covariance), estimate="mle", calibrate=False)
        for each in (x, moved)
    )
    np.testing.assert_allclose(other.predict_proba(moved), model.predict_proba(x), rtol=0, atol=1e-9)
    shift = np.linalg.slogdet(turn)[1]
    np.testing.assert_allclose(other.log_density(moved), model.log_density(x) - shift, rtol=1e-9, atol=1e-8)


@given(
    clouds(),
    st.lists(st.sampled_from([1e-9, 0.125, -3.0, 1.0, 1e7]), min_size=WIDTH, max_size=WIDTH),
    st.sampled_from([*KINDS, MultivariateGaussian(covariance="full", shrinkage="evidence")]),
    estimates,
)
def test_rescaling_columns_changes_no_estimate(cloud, scale, kind, estimate):
    x, y = cloud
    gaps = x.copy()
    gaps[::5, 1] = np.nan
    model, other = (fit(each, y, columns=kind, estimate=estimate, calibrate=False) for each in (x, x * scale))
    np.testing.assert_allclose(other.predict_proba(gaps * scale), model.predict_proba(gaps), rtol=0, atol=1e-9)
    shift = (np.log(np.abs(scale)) * ~np.isnan(gaps)).sum(axis=1)
    np.testing.assert_allclose(other.log_density(gaps * scale), model.log_density(gaps) - shift, rtol=1e-9, atol=1e-8)


# The joint mode of fewer columns is not the part of the joint mode of all, and one variance, or one shrinkage, is that
# of all columns: of these a missing column is no dropped one.
@given(clouds(), st.sampled_from([0, 1, 2, 3]), st.sampled_from(["mle", "smoothed", "mean", "predictive"]), st.data())
def test_a_missing_column_is_a_dropped_column(cloud, at, estimate, data):
    x, y = cloud
    gone = data.draw(st.lists(st.integers(0, WIDTH - 1), max_size=WIDTH - 1, unique=True))
    rest = [j for j in range(WIDTH) if j not in gone]
    missing = x.copy()
    missing[:, gone] = np.nan
    model, dropped = (
        fit(x, y, columns=KINDS[at], estimate=estimate, calibrate=False),
        fit(x[:, rest], y, columns=KINDS[at], estimate=estimate, calibrate=False),
    )
    np.testing.assert_allclose(model.log_joint(missing), dropped.log_joint(x[:, rest]), rtol=1e-9, atol=1e-9)


@given(tables(1, 8), st.sampled_from([0, 1, 2]), st.integers(0, WIDTH - 1))
def test_a_missing_column_is_a_dropped_column_also_without_rank(a, at, gone):
    x, y, w = np.nan_to_num(a[0]), a[1], a[2]
    rest = [j for j in range(WIDTH) if j != gone]
    missing = x.copy()
    missing[:, gone] = np.nan
    model = fit(x, y, columns=KINDS[at], estimate="mle", weights=w, calibrate=False)
    dropped = fit(x[:, rest], y, columns=KINDS[at], estimate="mle", weights=w, calibrate=False)
    np.testing.assert_allclose(model.log_joint(missing), dropped.log_joint(x[:, rest]), rtol=1e-7, atol=1e-5)


@given(tables(1), st.sampled_from(KINDS), estimates)
def test_incomplete_rows_are_excluded_and_counted(a, kind, estimate):
    x, y, w = a
    model = fit(x, y, columns=kind, estimate=estimate, weights=w, calibrate=False)
    ((scatter,),) = model.core.parts
    gaps = np.isnan(x).any(axis=1)
    assert scatter.left_out.sum() == w[gaps].sum()
    assert scatter.weight.sum() == w[~gaps].sum()


@given(tables(1), estimates)
def test_one_statistic_serves_every_covariance(a, estimate):
    x, y, w = a
    model = fit(x, y, columns=MultivariateGaussian(covariance="full"), estimate=estimate, weights=w, calibrate=False)
    for covariance in ("shared", "diagonal", "full"):
        apart = fit(
            x, y, columns=MultivariateGaussian(covariance=covariance), estimate=estimate, weights=w, calibrate=False
        )
        assert model.with_options(covariance=covariance) == apart
        np.testing.assert_allclose(
            model.with_options(covariance=covariance).log_joint(x), apart.log_joint(x), rtol=1e-12
        )
