"""Numeric: which columns become histograms, and that each column equals Gaussian or Histogram."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from scipy import stats

from suffice.api import fit
from suffice.conjugate import NormalInverseGamma
from suffice.errors import DataError, ParameterError
from suffice.likelihoods import Gaussian, Histogram, Numeric
from suffice.likelihoods.block_statistics import ESTIMATES, BlockStatistics, Collect, Reading
from suffice.statistics import Axis
from tests.oracles import naive_bayes_discrete as discrete
from tests.oracles import naive_bayes_histogram as oracle
from tests.oracles import naive_bayes_real as real

NAN, INF = math.nan, math.inf


def choices(x, y, likelihood=None):
    return fit(x, y, columns=Numeric() if likelihood is None else likelihood, calibrate=False).core.choices()


def share_of_steps(draw, n, seed, rare=0.5, columns=100, apart=0.5):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < rare).astype(int)
    x = draw(rng, (n, columns)) + apart * y[:, None]
    return np.mean([choice != "Gaussian" for choice in choices(x, y).values()])


@pytest.mark.parametrize(("n", "rare"), [(20, 0.5), (50, 0.5), (200, 0.5), (200, 0.03), (1000, 0.5), (5000, 0.01)])
def test_normal_values_are_gaussian(n, rare):
    assert share_of_steps(lambda rng, shape: rng.normal(1e3, 0.1, shape), n, 1, rare) <= (0.05 if n < 200 else 0.02)


@pytest.mark.parametrize(
    ("draw", "n", "least"),
    [
        (lambda rng, shape: rng.normal(size=shape) + 3 * rng.choice([-1, 1], shape), 200, 0.98),
        (lambda rng, shape: np.where(rng.random(shape) < 0.3, 0.0, rng.normal(size=shape)), 200, 0.98),
        (lambda rng, shape: np.exp(rng.normal(size=shape)), 200, 0.98),
        (lambda rng, shape: rng.standard_t(3, shape), 5000, 0.98),
        (lambda rng, shape: rng.integers(0, 2, shape).astype(float), 50, 0.98),
        (lambda rng, shape: rng.integers(0, 5, shape) ** 2.0, 100, 0.98),
        (lambda rng, shape: rng.random(shape), 2000, 0.98),
    ],
)
def test_other_shapes_are_histograms(draw, n, least):
    assert share_of_steps(draw, n, 2, apart=0) >= least


def slow_choice(rows, labels, j, cells=16):
    """The comparison by its page: exact evidence and one-step predictions, Student-t masses of scipy.stats."""
    edges = oracle.edges_of(rows, j, cells)
    m, v = real.pooled(rows, j)
    unit = (m, 1, 0.5, v / 2)
    values = [row[j] for row in rows if row[j] is not None]
    price = 0.5 * len(edges) * math.log1p(len(values))
    smooth = steps = foreseen = expected = 0.0
    size = len(edges) - 1
    for c in sorted(set(labels)):
        mine = discrete.column_of(rows, labels, c, j)
        smooth += real.evidence_of_values(mine, [real.Fraction(each) for each in unit])
        steps += oracle.evidence(rows, labels, c, j, cells, 1)
        found = [oracle.cell_of(edges, value) for value in mine]
        foreseen += discrete.evidence_of_levels(found, {k: real.Fraction(1) for k in range(size)})
        t = real.student(real.posterior(mine, [real.Fraction(each) for each in unit]))
        bounds = [-INF, *edges[1:-1], INF]
        expected += sum(math.log(t.cdf(bounds[k + 1]) - t.cdf(bounds[k])) for k in found)
        expected -= 0.5 * min(2, size - 1) * math.log1p(len(mine))
    return steps - price > smooth or foreseen - 0.5 * size > expected


def test_the_choice_is_the_comparison_of_its_page():
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 60).tolist()
    columns = [
        rng.normal(size=60),
        rng.normal(size=60) + 1.7 * rng.choice([-1, 1], 60),
        np.round(rng.gamma(1.5, size=60), 1),
        rng.integers(0, 3, 60),
        rng.normal(size=60) ** 3,
        np.round(rng.normal(size=60)),
        rng.random(60),
        rng.gamma(4, size=60),
        rng.standard_t(2, 60),
    ]
    rows = [[float(column[i]) for column in columns] for i in range(60)]
    rows[3][0] = rows[5][4] = None
    x = np.array([[NAN if cell is None else cell for cell in row] for row in rows])
    expected = [slow_choice(rows, y, j) for j in range(len(columns))]
    assert [choice.startswith("Histogram") for choice in choices(x, y).values()] == expected
    assert 0 < sum(expected) < len(expected)
    fewer = [slow_choice(rows, y, j, 3) for j in range(len(columns))]
    assert [each.startswith("Histogram") for each in choices(x, y, Numeric(3)).values()] == fewer


RNG = np.random.default_rng(4)
Y = RNG.integers(0, 3, 300)
X = np.stack([RNG.normal(size=300), RNG.choice([-4.0, 4], 300) + RNG.normal(size=300), RNG.normal(size=300) + Y], 1)
X[RNG.random(X.shape) < 0.1] = NAN
ASKED = np.array([[0.0, 4, 1], [NAN, 0, NAN], [9, -9, 9], [NAN, NAN, NAN]])
PARTS = {(0, 2): Gaussian(), 1: Histogram()}


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_each_column_equals_its_selected_likelihood(estimate):
    model = fit(X, Y, columns=Numeric(), estimate=estimate, calibrate=False)
    apart = fit(X, Y, columns=PARTS, estimate=estimate, calibrate=False)
    assert [each.split(",")[0] for each in model.core.choices().values()] == [
        "Gaussian",
        "Histogram",
        "Gaussian",
    ]
    np.testing.assert_allclose(model.log_joint(ASKED), apart.log_joint(ASKED), rtol=1e-13)
    rows, others = model.parameters(), apart.parameters()
    assert sorted(map(repr, rows)) == sorted(map(repr, others))
    ((_, bins),) = model.core.parts
    cells = int(model.core.choices()[1].split()[1])
    n = bins.counts[:, bins.offsets[1] : bins.offsets[2]].sum()
    price = 0.5 * (cells + 1) * math.log1p(n)
    assert model.log_evidence() == pytest.approx(apart.log_evidence() - price, rel=1e-12)


def test_a_prior_of_the_gaussian_and_a_prior_count_of_the_cells():
    prior = NormalInverseGamma(0.5, 2, 3, [4, 5, 6])
    model = fit(X, Y, columns=Numeric(prior=prior, alpha=[1, 3, 1], bins=8), calibrate=False)
    smooth = fit(
        X[:, [0, 2]], Y, columns=Gaussian(NormalInverseGamma(0.5, 2, 3, [4, 6])), class_prior="uniform", calibrate=False
    )
    steps = fit(X[:, [1]], Y, columns=Histogram(8, alpha=3), calibrate=False)
    expected = steps.log_joint(ASKED[:, [1]]) + smooth.log_joint(ASKED[:, [0, 2]]) + math.log(3)
    np.testing.assert_allclose(model.log_joint(ASKED), expected, rtol=1e-12)


def test_smoothed_without_pseudo_counts_is_mle():
    model = fit(X, Y, columns=Numeric(), calibrate=False)
    expected = model.with_options(estimate="mle").log_joint(ASKED)
    np.testing.assert_allclose(model.with_options(estimate="smoothed", alpha=0).log_joint(ASKED), expected, rtol=1e-13)
    assert model.with_options(estimate="smoothed", alpha=0).log_evidence() == -INF


def test_the_choice_is_a_function_of_the_statistics():
    model = fit(X, Y, columns=Numeric(), calibrate=False)
    for estimate in ESTIMATES:
        assert model.with_options(estimate=estimate).core.choices() == model.core.choices()
    halves = fit(X[:100], Y[:100], columns=Numeric(), calibrate=False) + fit(
        X[100:], Y[100:], columns=Numeric(), calibrate=False
    )
    assert halves.core.choices() == model.core.choices()
    assert (model - fit(X[100:], Y[100:], columns=Numeric(), calibrate=False)).core.choices() == choices(
        X[:100], Y[:100]
    )
    assert choices(X * 2.0**-40, Y) == model.core.choices()


def test_the_selection_is_made_once_for_all_estimates(monkeypatch):
    decide, made = Numeric._compare, []
    monkeypatch.setattr(Numeric, "_compare", lambda self, seen: made.append(seen) or decide(self, seen))
    model = fit(X, Y, columns=Numeric(), calibrate=False)
    for estimate in ESTIMATES:
        other = model.with_options(estimate=estimate)
        other.log_joint(ASKED)
        other.log_evidence()
        other.parameters()
        repr(other)
    model.interval(ASKED, draws=200)
    model.sample(5, seed=0)
    assert len(made) == 1
    fit(X[:200], Y[:200], columns=Numeric(), calibrate=False).log_joint(ASKED)
    assert len(made) == 2


def test_a_model_shows_the_form_that_each_column_has_taken():
    x = np.column_stack([X, np.full(300, 7.0)])
    model = fit(x, Y, columns=Numeric(alpha=0.5, missing="level"), calibrate=False)
    number = model.core.choices()[1].split()[1]
    lines = [line.strip() for line in repr(model).splitlines()]
    assert lines[2:7] == [
        "4 columns",
        "0, 2: Gaussian(missing='level')",
        f"1: Histogram(bins={number}, alpha=0.5, missing='level')",
        "3: Numeric(alpha=0.5, missing='level')",
        "modelled as constant: 3",
    ]
    assert [repr(block) for block in model.schema.blocks] == ["0–3: Numeric(alpha=0.5, missing='level')"]
    by_evidence = fit(X, Y, columns=Numeric(alpha="evidence"), calibrate=False).core
    form = by_evidence.form_schema().blocks[1].likelihood
    assert by_evidence.choices()[1] == f"Histogram, {form.bins} bins, alpha {form.alpha:.3g}"


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_a_class_of_few_rows(estimate):
    y = Y.copy()
    y[:] = 0
    y[7] = 1
    x = X.copy()
    x[7] = [NAN, 100.0, 3.0]
    model = fit(x, y, columns=Numeric(), estimate=estimate, calibrate=False)
    proba = model.predict_proba(np.vstack([ASKED, x]))
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert math.isfinite(model.log_evidence())


def test_a_constant_column_contributes_nothing():
    x = np.column_stack([X[:, 0], np.full(300, 7.0)])
    model = fit(x, Y, columns=Numeric(), calibrate=False)
    assert model.core.choices() == {0: "Gaussian", 1: "constant"}
    alone = fit(x[:, [0]], Y, columns=Numeric(), calibrate=False)
    np.testing.assert_array_equal(model.log_joint(x), alone.log_joint(x[:, [0]]))
    assert model.log_evidence() == alone.log_evidence()
    prior = fit(x, Y, columns=Numeric(prior=NormalInverseGamma(0, 1, 1, 1)), calibrate=False)
    assert prior.core.choices()[1] == "Gaussian"


@pytest.mark.parametrize("likelihood", [Gaussian, Numeric])
@pytest.mark.parametrize("estimate", ESTIMATES)
def test_missing_as_information(likelihood, estimate):
    model = fit(X, Y, columns=likelihood(missing="level"), estimate=estimate, calibrate=False)
    ignoring = fit(X, Y, columns=likelihood(), estimate=estimate, calibrate=False)
    expected, evidence = ignoring.log_joint(ASKED), ignoring.log_evidence()
    rows = [[None if math.isnan(cell) else cell for cell in row] for row in X.tolist()]
    shown = {(row.label, row.column): row for row in model.parameters(credible=0.8) if row.name == "observed"}
    alpha = [discrete.default(estimate)] * 2
    for c in range(3):
        for j in range(3):
            known = oracle.observed(rows, Y.tolist(), c, j)
            counts = [sum(known), len(known) - sum(known)]
            theta = discrete.read(counts, alpha, estimate)
            expected[:, c] += [discrete.log(theta[int(math.isnan(cell))]) for cell in ASKED[:, j]]
            evidence += discrete.evidence_of_levels(known, {1: alpha[0], 0: alpha[1]})
            row = shown[c, j]
            assert row.value == pytest.approx(float(theta[0]), rel=1e-13)
            beta = stats.beta(counts[0] + float(alpha[0]), counts[1] + float(alpha[1]))
            np.testing.assert_allclose((row.lower, row.upper), beta.ppf([0.1, 0.9]), rtol=1e-9)
    np.testing.assert_allclose(model.log_joint(ASKED), expected, rtol=1e-12)
    assert model.log_evidence() == pytest.approx(evidence, rel=1e-12)
    assert len(shown) == 9


@pytest.mark.parametrize("likelihood", [Gaussian, Histogram, Numeric])
def test_missingness_alone_can_decide(likelihood):
    x = np.array([[5.0], [5.0], [NAN], [NAN], [NAN], [5.0]])
    y = ["a", "a", "b", "b", "b", "b"]
    model = fit(x, y, columns=likelihood(missing="level"), class_prior="uniform", calibrate=False)
    np.testing.assert_allclose(model.predict_proba([[NAN]]), [[0.25 / (0.25 + 4 / 6), (4 / 6) / (0.25 + 4 / 6)]])
    assert model.predict([[5.0]])[0] == "a"
    weighted = fit(
        x[[0, 2, 5]],
        ["a", "b", "b"],
        columns=likelihood(missing="level"),
        weights=[2, 3, 1],
        class_prior="uniform",
        calibrate=False,
    )
    np.testing.assert_allclose(weighted.predict_proba([[NAN], [5.0]]), model.predict_proba([[NAN], [5.0]]), rtol=1e-12)


def test_fractional_weights_leave_no_spurious_missing_cells():
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(1000, 2)), rng.random(1000)
    model = fit(x, ["a"] * 1000, columns=Gaussian(missing="level"), weights=w, estimate="mle", calibrate=False)
    assert model.log_joint([[NAN, 0.0]]) == -INF


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("likelihood", [Gaussian, Histogram, Numeric])
def test_a_model_of_no_rows(likelihood, estimate):
    model = fit(X, Y, columns=likelihood(missing="level"), estimate=estimate, calibrate=False)
    empty = model - model
    assert empty.log_evidence() == 0
    assert list(empty.parameters()) == []
    assert "Gaussian" not in empty.core.choices().values()
    assert empty + model == model


def test_a_choice_without_pseudo_counts_and_with_a_class_that_a_column_has_not_seen():
    x = X.copy()
    x[Y == 2, 0] = NAN
    model = fit(x, Y, columns=Numeric(), calibrate=False)
    for other in (model.with_options(estimate="smoothed", alpha=0), model.with_options(estimate="mle")):
        assert other.core.choices() == model.core.choices()
        assert not np.isnan(other.log_joint(ASKED)).any()


@pytest.mark.parametrize("bad", [INF, -INF])
def test_an_infinite_cell_raises_an_error_with_its_position(bad):
    x = X.copy()
    x[17, 2] = bad
    for likelihood in (Numeric(), Gaussian(missing="level")):
        with pytest.raises(DataError) as caught:
            fit(x, Y, columns=likelihood, calibrate=False)
        assert (caught.value.kind, caught.value.row, caught.value.column, caught.value.got) == ("infinite", 17, 2, bad)
    assert math.isfinite(fit(x, Y, columns=Histogram(missing="level"), calibrate=False).log_evidence())


@pytest.mark.parametrize(
    ("text", "make"),
    [
        (
            "bins must be an integer from 1 to 4096: got 5000. Omit it to choose the number of bins from the data.",
            lambda: Numeric(5000),
        ),
        (
            "prior of Numeric must be a NormalInverseGamma: got 1. Give NormalInverseGamma(location, strength, shape, "
            "scale), and alpha= for the bins of histograms.",
            lambda: Numeric(prior=1),
        ),
        ("alpha must be > 0 (from 1e-300 to 1e300): got -1.0. Pass a positive number.", lambda: Numeric(alpha=-1)),
        ("missing must be 'ignore' or 'level': got True.", lambda: Numeric(missing=True)),
        ("missing must be 'ignore' or 'level': got None.", lambda: Gaussian(missing=None)),
    ],
)
def test_the_whole_message(text, make):
    with pytest.raises(ParameterError, match=f"^{re.escape(text)}$"):
        make()


def test_numerics_are_values():
    assert Numeric(16, alpha=1) == Numeric(bins=16, alpha=1.0) != Numeric(16)
    assert Numeric().collect(("a",)) == Collect("numeric", ("a",))


def test_no_choices_by_default():
    seen = BlockStatistics((), (0,), Axis.of(["a"]), Reading("mean"), np.ones(1))
    assert Gaussian().choices(seen) == {}
