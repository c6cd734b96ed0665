"""Uniform columns: every estimate against integrals, evidence as a chain of predictions, and what is refused."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse, stats

import suffice as sf
from suffice.api import Collector, fit
from suffice.errors import DataError, ImpossibleRowsWarning, MergeError, ParameterError
from suffice.likelihoods import Gaussian, Uniform
from suffice.likelihoods.block_statistics import ESTIMATES
from tests.oracles import naive_bayes_uniform as slow

pytestmark = [
    pytest.mark.filterwarnings("ignore::suffice.errors.ImpossibleRowsWarning"),
    pytest.mark.filterwarnings("ignore::suffice.errors.UnseenClassesWarning"),
]

ROWS = [
    [2.0, 0.0, None],
    [7.5, 0.0, 3.0],
    [4.0, 0.0, 1.0],
    [1.0, 6.0, None],
    [19.0, 2.0, None],
    [11.0, None, None],
    [0.0, 1.0, 2.0],
]
LABELS = ["tram", "tram", "tram", "bus", "bus", "bus", "walk"]
X = np.array([[np.nan if cell is None else cell for cell in row] for row in ROWS])
ASKED = [
    [0.0, 0.0, 0.0],
    [1.0, 0.5, 1.5],
    [7.5, 6.0, 3.0],
    [7.6, 6.1, None],
    [20.0, None, 2.5],
    [1e6, 3.0, 100.0],
    [None, None, None],
    [-1.0, 0.0, 0.0],
]
NUMBERS = np.array([[np.nan if cell is None else cell for cell in row] for row in ASKED])


def reference(estimate, prior=None, lam=1.0):
    """Return log p(x | c) of the rows that are asked for."""
    return [
        [slow.log_density(ROWS, LABELS, label, x, estimate, prior, lam) for label in ("bus", "tram", "walk")]
        for x in ASKED
    ]


def conditional(model):
    """Return log p(x | c)."""
    return model.with_options(class_prior="uniform").log_joint(NUMBERS) + math.log(3)


@pytest.mark.parametrize("prior", [None, (5.0, 0.5), (0.25, 3.0)])
@pytest.mark.parametrize("estimate", ESTIMATES)
def test_every_estimate_is_that_of_the_oracle(estimate, prior):
    kind = Uniform() if prior is None else Uniform(*prior)
    model = fit(X, LABELS, columns=kind, estimate=estimate, calibrate=False)
    np.testing.assert_allclose(conditional(model), reference(estimate, prior), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("lam", [0.0, 0.5, 3.0])
def test_smoothing_adds_gaps(lam):
    model = fit(X, LABELS, columns=Uniform(), estimate="smoothed", calibrate=False).with_options(alpha=lam)
    np.testing.assert_allclose(conditional(model), reference("smoothed", lam=lam), rtol=1e-12)
    mle = model.with_options(estimate="mle")
    assert (lam == 0) == np.array_equal(model.log_joint(NUMBERS), mle.log_joint(NUMBERS))


def test_known_numbers():
    # Three values up to 7.5: mle 7.5, unbiased 10, mean 7.5 · 4/3; the next one is below 7.5 with probability 4/5.
    model = fit(X[:3, :1], ["tram"] * 3, columns=Uniform(), calibrate=False)
    bounds = {e: model.with_options(estimate=e).parameters().to_frame()["value"][1] for e in ESTIMATES}
    assert bounds == pytest.approx({"mle": 7.5, "smoothed": 10, "map": 7.5, "mean": 10, "predictive": 10})
    np.testing.assert_allclose(
        np.exp(model.log_density([[7.5], [7.5000001], [15]])), [0.8 / 7.5] * 2 + [0.8 / 7.5 / 32]
    )
    draws = model.sample(20_000, seed=1).data[:, 0]
    assert abs((draws <= 7.5).mean() - 0.8) < 0.01


@given(
    st.lists(st.one_of(st.just(0.0), st.floats(0.01, 100)), min_size=1, max_size=8),
    st.lists(st.one_of(st.just(0.0), st.floats(0.01, 3)), max_size=4),
    st.floats(0.1, 20),
    st.floats(0.1, 5),
)
def test_evidence_is_the_chain_of_predictions(here, there, m, k):
    x, y = np.array([*here, *there])[:, None], ["a"] * len(here) + ["b"] * len(there)
    given_prior = fit(x, y, columns=Uniform(m, k), class_prior="uniform", calibrate=False)
    wanted = slow.log_evidence(here, m, k) + slow.log_evidence(there, m, k)
    classes = -len(y) * math.log(len(set(y)))
    np.testing.assert_allclose(given_prior.log_evidence(), classes + wanted, rtol=1e-9, atol=1e-9)
    default, _ = slow.prior_of(x.tolist(), y, 0)
    wanted = slow.log_evidence(here, default, 1) + slow.log_evidence(there, default, 1) if default else 0.0
    found = fit(x, y, columns=Uniform(), class_prior="uniform", calibrate=False).log_evidence()
    np.testing.assert_allclose(found, classes + wanted, rtol=1e-9, atol=1e-9)


def test_evidence_without_values_and_without_a_prior():
    assert fit([[np.nan], [np.nan]], ["a", "a"], columns=Uniform(3, 2), calibrate=False).log_evidence() == 0
    improper = fit(X, LABELS, columns=Uniform(), estimate="smoothed", calibrate=False).with_options(alpha=0)
    assert improper.log_evidence() == -np.inf
    assert all(np.isnan(row.lower) for row in improper.parameters() if row.column is not None)
    for call in (lambda: improper.sample(1, posterior=True), lambda: improper.interval(X)):
        with pytest.raises(ParameterError, match="alpha=0"):
            call()


@given(
    st.lists(st.tuples(st.floats(0, 1e6), st.sampled_from("abc")), min_size=1, max_size=20),
    st.integers(-200, 200),
    st.sampled_from(ESTIMATES),
)
def test_another_unit_changes_no_posterior(rows, power, estimate):
    x, y = np.array([[value] for value, _ in rows]), [label for _, label in rows]
    x[(x > 0) & (x < 1e-6)] = 1.0
    moved = np.ldexp(x, power)
    model, other = (fit(each, y, columns=Uniform(), estimate=estimate, calibrate=False) for each in (x, moved))
    far = np.concatenate([x, 1.5 * x, 1e9 * x])
    np.testing.assert_allclose(
        other.predict_proba(np.ldexp(far, power)), model.predict_proba(far), rtol=1e-9, atol=1e-12
    )
    if x.any():
        shift = -power * math.log(2)
        np.testing.assert_allclose(other.log_density(moved), model.log_density(x) + shift, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(other.log_evidence(), model.log_evidence() + shift * len(x), rtol=1e-9, atol=1e-9)


def test_a_value_above_every_bound():
    for estimate in ("mle", "map"):
        model = fit(X[:6, :1], LABELS[:6], columns=Uniform(), estimate=estimate, calibrate=False)
        with pytest.warns(ImpossibleRowsWarning, match="1 of 2 rows"):
            proba = model.predict_proba([[8.0], [19.5]])
        np.testing.assert_allclose(proba, [[1, 0], [0.5, 0.5]])
    predictive = fit(X[:6, :1], LABELS[:6], columns=Uniform(), calibrate=False).log_joint([[19.5], [np.inf], [-1e-9]])
    assert np.isfinite(predictive[0]).all()
    assert (predictive[1:] == -np.inf).all()


def test_intervals_are_those_of_the_pareto():
    model = fit(X[:, :1], LABELS, columns=Uniform(4, 2.5), calibrate=False)
    table = model.parameters(credible=0.9).to_frame()
    assert table["name"].to_list()[3:] == ["upper bound"] * 3
    for c, (top, n) in enumerate([(19, 3), (7.5, 3), (4, 1)]):
        theta = stats.pareto(2.5 + n, scale=top)
        found = [table[name][3 + c] for name in ("value", "lower", "upper")]
        np.testing.assert_allclose(found, [theta.mean(), *theta.interval(0.9)], rtol=1e-12)


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_draws_follow_the_density(estimate):
    model = fit(X[:6, :1], LABELS[:6], columns=Uniform(), estimate=estimate, calibrate=False)
    drawn = model.sample(4000, seed=2, classes=["tram"] * 4000).data[:, 0]
    if estimate == "predictive":
        cdf = lambda x: np.where(x <= 7.5, 0.8 * x / 7.5, 1 - 0.2 * (7.5 / np.maximum(x, 7.5)) ** 4)  # noqa: E731
        assert stats.kstest(drawn, cdf).pvalue > 1e-3
    else:
        bound = {"mle": 7.5, "map": 7.5, "mean": 10, "smoothed": 10}[estimate]
        assert stats.kstest(drawn, stats.uniform(0, bound).cdf).pvalue > 1e-3
    tops = [
        model.sample(50, seed=seed, classes=["tram"] * 50, posterior=True).data.max() for seed in range(40)
    ]  # one bound for each call
    assert len({round(top, 6) for top in tops}) == 40
    zeros = fit([[0.0, np.nan], [0.0, np.nan]], ["a", "b"], columns=Uniform(), calibrate=False).sample(3, seed=0).data
    assert zeros[:, 0].tolist() == [0, 0, 0]
    assert np.isnan(zeros[:, 1]).all()


def test_intervals_of_probabilities():
    model = fit(X[:6, :1], LABELS[:6], columns=Uniform(), class_prior="uniform", calibrate=False)
    found = model.interval([[3.0], [9.0]], seed=0, draws=4000)
    proba = model.predict_proba([[3.0], [9.0]])
    assert (found.lower <= proba).all()
    assert (proba <= found.upper).all()
    # p(bus | x = 3) = 1/(1 + θ_bus/θ_tram), with θ_bus ~ Pareto(19, 4), θ_tram ~ Pareto(7.5, 4)
    rng = np.random.default_rng(1)
    bus, tram = 19 * (1 + rng.pareto(4, 100_000)), 7.5 * (1 + rng.pareto(4, 100_000))
    ends = np.quantile(1 / (1 + bus / tram), [0.025, 0.975])
    np.testing.assert_allclose([found.lower[0, 0], found.upper[0, 0]], ends, atol=0.02)


@pytest.mark.parametrize("estimate", ["mle", "mean", "predictive"])
def test_divergence_is_the_integral(estimate):
    from suffice.evidence import feature_importance

    rng = np.random.default_rng(3)
    y = rng.choice(["a", "b", "c"], 90)
    x = rng.random(90) * np.where(y == "a", 1.0, np.where(y == "b", 1.7, 30.0))
    model = fit(x[:, None], y, columns=Uniform(), estimate=estimate, calibrate=False)
    (row,) = feature_importance(model.core).columns()
    # The mutual information on a fine grid in ln x, beyond which there is no mass.
    t = np.linspace(-30, 25, 400_001)
    logs = model.log_joint(np.exp(t)[:, None])
    with np.errstate(invalid="ignore", divide="ignore"):
        p = np.exp(logs + t[:, None]) * (t[1] - t[0])
        total = p.sum(axis=1, keepdims=True)
        bits = np.nansum(np.where(p > 0, p * np.log2(p / total / p.sum(axis=0)), 0.0))
    assert row.bits == pytest.approx(bits, rel=1e-3)
    assert fit(np.zeros((2, 1)), ["a", "b"], columns=Uniform(), calibrate=False).core.terms == ()


def test_explanations_name_the_maxima():
    model = fit({"wait": X[:6, 0]}, LABELS[:6], columns=Uniform(), calibrate=False)
    found = model.explain({"wait": [9.0, -1.0]})
    assert "maximum 7.5 in 'tram', 19 in 'bus'" in str(found[0])
    assert found[0].score == pytest.approx(float(np.diff(model.log_joint({"wait": [9.0]}))[0, 0]))
    assert found[1].impossible
    assert "wait" in str(model.show())


def test_rows_cannot_be_forgotten_but_models_merge_update_and_scale():
    here, there = (
        fit({"wait": X[at, 0]}, np.array(LABELS)[at], columns=Uniform(), calibrate=False)
        for at in (slice(0, 4), slice(4, 7))
    )
    whole = fit({"wait": X[:, 0]}, LABELS, columns=Uniform(), calibrate=False)
    assert here + there == whole
    assert here.update({"wait": X[4:, 0]}, LABELS[4:]) == whole
    assert whole.scale(2) == fit({"wait": np.tile(X[:, 0], 2)}, LABELS * 2, columns=Uniform(), calibrate=False)
    text = (
        "column 'wait': rows cannot be removed from a Uniform column: the largest value of all rows does not determine "
        "the largest value of the remaining rows. Fit the model again without the rows."
    )
    for call in (lambda: whole - there, lambda: whole.forget({"wait": X[4:, 0]}, LABELS[4:])):
        with pytest.raises(MergeError, match=f"^{re.escape(text)}$"):
            call()


def test_weights_and_rows_one_by_one():
    weights = [2.0, 0.0, 1.5, 1.0, 0.0, 3.0, 1.0]
    model = fit(X, LABELS, columns=Uniform(), weights=weights, calibrate=False)
    kept = [0, 2, 3, 5, 6]
    assert model == fit(
        X[kept], [LABELS[i] for i in kept], columns=Uniform(), weights=[weights[i] for i in kept], calibrate=False
    )
    collector = Collector(Uniform())
    for row, label, weight in zip(X.tolist(), LABELS, weights, strict=True):
        collector.add_row(row, label, weight)
    np.testing.assert_array_equal(collector.model().log_joint(X), model.log_joint(X))
    full = np.nan_to_num(X)
    dense, matrix = (fit(each, LABELS, columns=Uniform(), calibrate=False) for each in (full, sparse.csr_matrix(full)))
    assert dense == matrix
    np.testing.assert_array_equal(matrix.predict_proba(sparse.csr_matrix(full)), dense.predict_proba(full))


def test_files_threads_and_calibration(tmp_path, monkeypatch):
    rng = np.random.default_rng(8)
    y = rng.choice(["a", "b"], 400)
    x = rng.random((400, 2)) * np.where(y == "a", 1.0, 1.4)[:, None]
    lines = [f"{left!r},{right!r},{label}" for (left, right), label in zip(x.tolist(), y, strict=True)]
    (tmp_path / "rows.csv").write_text("\n".join(["u,v,y", *lines]), encoding="utf-8")
    columns = {"u": Uniform(), "v": Uniform()}
    in_memory = fit({"u": x[:, 0], "v": x[:, 1]}, y, columns=columns)
    for threads in ("1", "3"):
        monkeypatch.setenv("SUFFICE_NUM_THREADS", threads)
        assert fit(tmp_path / "rows.csv", "y", columns=columns) == in_memory
    found = in_memory.evaluate({"u": x[:, 0], "v": x[:, 1]}, y)
    assert found["accuracy"].value > 0.5
    assert sf.screen({"u": x[:, 0], "v": x[:, 1], "y": y}, "y", columns=columns).columns
    assert sf.evaluate({"u": x[:, 0], "v": x[:, 1], "y": y}, "y", columns=columns, folds=3)["accuracy"].value > 0.6


def test_columns_can_be_dropped_and_priors_given_by_class_and_column(tmp_path):
    kind = Uniform([[1, 2, 3], [4, 5, 6], [7, 8, 9]], [0.5, 1, 2])
    model = fit({"x": X[:, 0], "y": X[:, 1], "z": X[:, 2]}, LABELS, columns=kind, calibrate=False)
    alone = fit(
        {"x": X[:, 0], "z": X[:, 2]}, LABELS, columns=Uniform([[1, 3], [4, 6], [7, 9]], [0.5, 2]), calibrate=False
    )
    assert repr(kind) == (
        "Uniform(prior_maximum=((1.0, 2.0, 3.0), (4.0, 5.0, 6.0), (7.0, 8.0, 9.0)), prior_weight=(0.5, 1.0, 2.0))"
    )
    from suffice.models.naive_bayes import narrow_model

    narrow = narrow_model(model.core, {"y": "not needed"})
    assert narrow.schema.blocks[0].likelihood == alone.schema.blocks[0].likelihood
    assert narrow.parts == alone.core.parts
    model.save(tmp_path / "m.suffice")
    assert sf.load(tmp_path / "m.suffice") == model
    assert model.with_options(priors={"y": Uniform(2.0, 1.0)}).schema.blocks[1].likelihood == Uniform(2.0, 1.0)


def test_extreme_numbers():
    for scale in (5e-324, 1e-300, 1e300, 1.7e308):
        x = np.array([[scale], [0.0], [scale], [0.0]])
        for estimate in ESTIMATES:
            model = fit(x, ["a", "a", "b", "c"], columns=Uniform(), estimate=estimate, calibrate=False)
            asked = np.array([[0.0], [scale], [1.79e308], [1e-200]])
            assert not np.isnan(model.log_joint(asked)).any()
            assert np.isfinite(model.log_joint(asked[:2])).all()
            assert np.isfinite(model.sample(20, seed=0).data).all()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: fit({"x": [1.0, -2.0]}, ["a", "b"], columns=Uniform()),
            DataError,
            "row 1, column 'x': values of a Uniform column must be ≥ 0: got -2.0. "
            "Give the column the likelihood Gaussian() or Histogram().",
        ),
        (
            lambda: fit({"x": [1.0, np.inf]}, ["a", "b"], columns=Uniform()),
            DataError,
            "row 1, column 'x': values must be finite, or NaN if missing: got inf. ",
        ),
        (lambda: Uniform(0), ParameterError, "prior_maximum must be > 0 (from 1e-300 to 1e300): got 0.0. "),
        (lambda: Uniform(prior_weight="1"), ParameterError, "prior_weight must be real numbers: got dtype <U1. "),
        (
            lambda: Uniform(np.ones((1, 1, 1))),
            ParameterError,
            "prior_maximum must be a scalar, one value per column, or one per class and column: got shape (1, 1, 1). ",
        ),
        (
            lambda: fit(X, LABELS, columns=Uniform([1, 2]), calibrate=False).predict(X),
            ParameterError,
            "prior_maximum must be a scalar, one value per column, or one per class and column: got shape (2,) for 3 ",
        ),
        (
            lambda: fit(X, LABELS, columns=Uniform()).with_options(priors={0: Gaussian()}),
            ParameterError,
            "the statistics of column 0, collected for Uniform(), do not suffice for Gaussian(). ",
        ),
    ],
)
def test_failures(call, error, text):
    with pytest.raises(error, match=f"^{re.escape(text)}"):
        call()
