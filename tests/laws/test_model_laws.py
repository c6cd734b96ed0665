"""Laws of a fitted model, for every likelihood and a mixture of all, every estimate, missing cells, weights, empty parts."""

from __future__ import annotations

import warnings
from itertools import chain

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from suffice.api import fit
from suffice.errors import ImpossibleRowsWarning
from suffice.likelihoods import (
    Bernoulli,
    Categorical,
    Gaussian,
    Histogram,
    Joint,
    Multinomial,
    MultivariateGaussian,
    Numeric,
    Poisson,
    Uniform,
)
from suffice.likelihoods.block_statistics import ESTIMATES

pytestmark = [
    pytest.mark.filterwarnings("ignore::suffice.errors.ImpossibleRowsWarning"),
    pytest.mark.filterwarnings("ignore::suffice.errors.UnseenClassesWarning"),
    pytest.mark.filterwarnings("ignore::suffice.errors.UnseenLevelsWarning"),
]

MIXTURE = {0: Gaussian(), 1: Bernoulli(), 2: Categorical(unseen="mass"), (3, 4): Multinomial(), 5: Poisson()}
SHARED = {
    (0, 1): Gaussian(variance="shared"),
    2: Categorical(missing="level"),
    (3, 4, 5): Bernoulli(threshold=1),
}
REAL = {
    (0, 1): Histogram(missing="level"),
    (2, 3): Numeric(missing="level"),
    4: Gaussian(missing="level"),
    5: Histogram(3),
}
JOINT = {(0, 3): Joint(), (1, 2, 4): Joint(alpha=0.5), 5: Categorical(alpha="evidence")}
EVIDENCE = {
    0: Bernoulli("evidence"),
    (1, 2): Joint(alpha="evidence"),
    (3, 4): Multinomial(alpha="evidence"),
    5: Histogram(alpha="shared evidence"),
}
MAXIMA = {(0, 1, 2): Uniform(), 3: Uniform(2.5, 0.5), 4: Gaussian(), 5: Categorical()}
CHOSEN = [Numeric(form="cells"), Categorical(form="groups", unseen="mass")]
ALONE = [Gaussian(), Histogram(), Numeric(), Bernoulli(), Categorical(), Multinomial(), Poisson(), Uniform(), *CHOSEN]
COLUMNS = [MIXTURE, SHARED, REAL, JOINT, EVIDENCE, MAXIMA, *ALONE]
WIDTH = 6

cells = st.one_of(st.integers(0, 4).map(float), st.just(float("nan")))
reals = st.one_of(st.integers(-40, 40).map(lambda k: k / 4), st.just(float("nan")), st.just(1e6))
labels = st.sampled_from(["ham", "news", "spam"])


@st.composite
def tables(draw, least=0, most=10):
    """Rows, their classes and weights."""
    rows = draw(st.integers(least, most))
    x = [[draw(cells) for _ in range(WIDTH)] for _ in range(rows)]
    y = [draw(labels) for _ in range(rows)]
    w = [draw(st.integers(1, 3)) for _ in range(rows)]
    return np.array(x, dtype=float).reshape(rows, WIDTH), y, np.array(w, dtype=float)


columns = st.sampled_from(COLUMNS)
subtractable = st.sampled_from([each for each in COLUMNS if each not in (MAXIMA, Uniform())])  # all but a maximum
estimates = st.sampled_from(ESTIMATES)


def same(left, right, asked):
    """Equal scores. A class of one row has the floor as its variance, 1e-9, so scores reach 1e9 and keep 1e-7 of it."""
    assert left.classes == right.classes
    np.testing.assert_allclose(left.log_joint(asked), right.log_joint(asked), rtol=1e-9, atol=1e-6)
    np.testing.assert_allclose(left.predict_proba(asked), right.predict_proba(asked), rtol=0, atol=1e-6)
    np.testing.assert_allclose(left.log_evidence(), right.log_evidence(), rtol=1e-9, atol=1e-9)


def joined(*parts):
    x, y, w = zip(*parts, strict=True)
    return np.concatenate(x), list(chain.from_iterable(y)), np.concatenate(w)


@given(tables(1), tables(), tables(), columns, estimates)
def test_any_split_equals_one_fit(a, b, c, kinds, estimate):
    def model(part):
        return fit(part[0], part[1], columns=kinds, estimate=estimate, weights=part[2], calibrate=False)

    whole = model(joined(a, b, c))
    asked = joined(a, b, c)[0]
    same(model(a) + model(b) + model(c), whole, asked)
    same(model(a) + (model(c) + model(b)), whole, asked)
    same(model(a).update(*b[:2], weights=b[2]).update(*c[:2], weights=c[2]), whole, asked)


@given(tables(1), tables(), subtractable, estimates)
def test_forgetting_rows_equals_never_having_seen_them(a, b, kinds, estimate):
    alone = fit(a[0], a[1], columns=kinds, estimate=estimate, weights=a[2], calibrate=False)
    other = fit(b[0], b[1], columns=kinds, estimate=estimate, weights=b[2], calibrate=False)
    both = alone + other
    same(both - other, alone, a[0])
    same(both.forget(b[0], b[1], weights=b[2]), alone, a[0])
    same((both - other) + other, both, joined(a, b)[0])
    assert both - both == alone - alone


@given(tables(1), columns, estimates)
def test_a_weight_equals_that_many_copies(a, kinds, estimate):
    x, y, w = a
    at = np.repeat(np.arange(len(y)), w.astype(int))
    weighted = fit(x, y, columns=kinds, estimate=estimate, weights=w, calibrate=False)
    same(weighted, fit(x[at], [y[i] for i in at], columns=kinds, estimate=estimate, calibrate=False), x)
    twice = weighted.scale(2)
    same(twice, weighted + weighted, x)


@given(tables(1), columns, estimates, st.randoms())
def test_permuting_rows_changes_nothing(a, kinds, estimate, random):
    x, y, w = a
    order = list(range(len(y)))
    random.shuffle(order)
    model = fit(x, y, columns=kinds, estimate=estimate, weights=w, calibrate=False)
    same(
        fit(x[order], [y[i] for i in order], columns=kinds, estimate=estimate, weights=w[order], calibrate=False),
        model,
        x,
    )


@given(tables(1), st.sampled_from(ALONE), estimates, st.permutations(range(WIDTH)))
def test_permuting_columns_changes_nothing(a, kind, estimate, order):
    x, y, w = a
    model, moved = (
        fit(x, y, columns=kind, estimate=estimate, weights=w, calibrate=False),
        fit(x[:, order], y, columns=kind, estimate=estimate, weights=w, calibrate=False),
    )
    np.testing.assert_allclose(moved.log_joint(x[:, order]), model.log_joint(x), rtol=1e-9, atol=1e-6)


@given(tables(1), columns, estimates)
def test_renaming_classes_permutes_the_answer(a, kinds, estimate):
    x, y, w = a
    other = {"ham": "z", "news": "y", "spam": "x"}
    model = fit(x, y, columns=kinds, estimate=estimate, weights=w, calibrate=False)
    renamed = fit(x, [other[label] for label in y], columns=kinds, estimate=estimate, weights=w, calibrate=False)
    assert renamed.classes == tuple(other[label] for label in model.classes)[::-1]
    np.testing.assert_allclose(renamed.predict_proba(x)[:, ::-1], model.predict_proba(x), rtol=0, atol=1e-6)


@given(tables(1), st.sampled_from(ALONE), estimates, st.integers(0, WIDTH - 1))
def test_a_dropped_column_is_a_missing_column(a, kind, estimate, gone):
    x, y, w = a
    if kind == Multinomial() and estimate == "map":
        # θ among the observed columns is the refit's mode, unless every count there clips to the mean.
        assume((np.nan_to_num(x).sum(axis=0) > 0).all())
    rest = tuple(j for j in range(WIDTH) if j != gone)
    missing = x.copy()
    missing[:, gone] = np.nan
    model = fit(x, y, columns=kind, estimate=estimate, weights=w, calibrate=False)
    dropped = fit(x, y, columns={rest: kind, gone: None}, estimate=estimate, weights=w, calibrate=False)
    expected = dropped.log_joint(x)
    if kind == Multinomial() and estimate in ("mle", "map"):
        # Of nothing but zeros there is no θ among the observed: the two fall back on different things.
        known = np.isfinite(expected).all(axis=1) & np.isfinite(model.log_joint(missing)).all(axis=1)
        np.testing.assert_allclose(model.log_joint(missing)[known], expected[known], rtol=1e-9, atol=1e-6)
    else:
        np.testing.assert_allclose(model.log_joint(missing), expected, rtol=1e-9, atol=1e-6)


TOGETHER = [
    MultivariateGaussian(covariance="full"),
    MultivariateGaussian(covariance="shared"),
    {(0, 1, 2): MultivariateGaussian(covariance="diagonal")},
]


@pytest.mark.filterwarnings("ignore::suffice.errors.DroppedRowsWarning")
@given(tables(1), st.sampled_from([MIXTURE, JOINT, EVIDENCE, MAXIMA, *ALONE, *TOGETHER]), estimates, st.booleans())
def test_a_row_with_missing_cells_only_has_the_class_prior(a, kinds, estimate, flat):
    # log p(c, x) = log π_c + Σ_j log p(x_j | c), and a missing cell leaves its term out: log p(x) = log 1.
    model = fit(
        a[0],
        a[1],
        columns=kinds,
        class_prior="uniform" if flat else "empirical",
        estimate=estimate,
        weights=a[2],
        calibrate=False,
    )
    weight = {label: sum(w for w, y in zip(a[2], a[1], strict=True) if y == label) for label in model.classes}
    prior = [1 / len(weight) if flat else each / sum(weight.values()) for each in weight.values()]
    nothing = np.full((2, WIDTH), np.nan)
    np.testing.assert_allclose(model.predict_proba(nothing), [prior] * 2, rtol=1e-12)
    np.testing.assert_allclose(model.log_joint(nothing), np.log([prior] * 2), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(model.log_density(nothing), [0, 0], atol=1e-12)
    if len(weight) > 1:
        assert all(each.nats == 0 for row in model.explain(nothing) for each in row.entries)


@given(tables(1), columns, estimates)
def test_another_class_prior_shifts_the_joint_by_its_log(a, kinds, estimate):
    x, y, w = a
    model = fit(x, y, columns=kinds, estimate=estimate, weights=w, calibrate=False)
    given_prior = np.arange(1.0, len(model.classes) + 1)
    given_prior /= given_prior.sum()
    moved = model.with_options(class_prior=given_prior)
    uniform = model.with_options(class_prior="uniform")
    shift = np.log(given_prior) + np.log(len(given_prior))
    np.testing.assert_allclose(moved.log_joint(x), uniform.log_joint(x) + shift, rtol=1e-12, atol=1e-6)


@given(tables(1), tables(1), columns, estimates)
def test_probabilities_are_finite_and_sum_to_one(a, b, kinds, estimate):
    model = fit(a[0], a[1], columns=kinds, estimate=estimate, weights=a[2], calibrate=False)
    proba = model.predict_proba(b[0])
    assert (proba >= 0).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-12)
    logs = model.predict_log_proba(b[0])
    np.testing.assert_allclose(np.exp(logs), proba, rtol=1e-9, atol=1e-12)
    assert not np.isnan(model.log_joint(b[0])).any()
    chosen = model.predict(b[0])
    assert [model.classes[k] for k in logs.argmax(axis=1)] == chosen.tolist()
    joint = model.log_joint(b[0])
    possible = (joint > -np.inf).any(axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ImpossibleRowsWarning)
        if possible.all():
            model.predict_proba(b[0])
    np.testing.assert_allclose(
        model.log_density(b[0])[possible], np.logaddexp.reduce(joint[possible], axis=1), rtol=1e-12, atol=1e-9
    )
    assert (model.log_density(b[0])[~possible] == -np.inf).all()


@given(
    st.lists(st.tuples(reals, reals, labels), min_size=2, max_size=12),
    st.sampled_from([1e-12, 0.25, -3.0, 1e9]),
    st.sampled_from([0.0, 1.0, -1024.0]),
    st.sampled_from(["own", "shared"]),
    estimates,
)
def test_rescaling_a_column_changes_no_posterior(rows, s, t, variance, estimate):
    x = np.array([row[:2] for row in rows])
    y = [row[2] for row in rows]
    moved = (x + t) * s
    model, other = (
        fit(each, y, columns=Gaussian(variance=variance), estimate=estimate, calibrate=False) for each in (x, moved)
    )
    np.testing.assert_allclose(other.predict_proba(moved), model.predict_proba(x), rtol=0, atol=1e-5)
    spread = [np.nanmax(column) > np.nanmin(column) for column in x.T if not np.isnan(column).all()]
    if len(spread) == 2 and all(spread):
        observed = (~np.isnan(x)).sum(axis=1)
        shift = -np.log(abs(s)) * observed
        np.testing.assert_allclose(other.log_density(moved), model.log_density(x) + shift, rtol=1e-6, atol=1e-5)


@given(tables(1), columns, estimates)
def test_changing_options_is_reversible_and_needs_no_rows(a, kinds, estimate):
    model = fit(a[0], a[1], columns=kinds, weights=a[2], calibrate=False)
    assert model.with_options(estimate=estimate) == fit(
        a[0], a[1], columns=kinds, estimate=estimate, weights=a[2], calibrate=False
    )
    assert model.with_options(estimate=estimate).with_options(estimate="predictive") == model


@given(
    st.lists(st.tuples(reals, reals, labels), min_size=2, max_size=30),
    st.integers(-300, 300),
    st.sampled_from(
        [Histogram(), Histogram(3), Histogram(missing="level"), Numeric(), Numeric(2, missing="level"), CHOSEN[0]]
    ),
    estimates,
)
def test_another_unit_moves_no_bin(rows, power, kind, estimate):
    x = np.array([row[:2] for row in rows])
    y = [row[2] for row in rows]
    moved = np.ldexp(x, power)
    model, other = (fit(each, y, columns=kind, estimate=estimate, calibrate=False) for each in (x, moved))
    assert model.core.choices() == other.core.choices()
    np.testing.assert_allclose(other.predict_proba(moved), model.predict_proba(x), rtol=0, atol=1e-9)
    told = [j for j, choice in model.core.choices().items() if choice != "constant"]
    shift = -power * np.log(2) * (~np.isnan(x[:, told])).sum(axis=1)
    before = model.log_density(x)
    np.testing.assert_allclose(other.log_density(moved), before + shift, rtol=1e-9, atol=1e-7)


@given(st.integers(0, 2**32 - 1), st.sampled_from([-3.7, 0.001, 12.5]), st.sampled_from([0.0, 55.0]))
def test_a_shift_or_a_change_of_sign_moves_bins_by_rounding_only(seed, s, t):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 60)
    x = rng.normal(size=(60, 2)) + 2 * rng.choice([-1, 1], (60, 2)) + y[:, None]
    moved = s * x + t
    for kind in (Histogram(3 if s > 0 else 2), Numeric(2)):
        model, other = fit(x, y, columns=kind, calibrate=False), fit(moved, y, columns=kind, calibrate=False)
        assert model.core.choices() == other.core.choices()
        np.testing.assert_allclose(other.predict_proba(moved), model.predict_proba(x), rtol=0, atol=1e-6)
