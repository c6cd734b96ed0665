"""Histogram: every estimate against slow exact code, evidence, number of bins, parameters, extremes, failures."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse, stats

from suffice.api import fit
from suffice.conjugate import DirichletMultinomial
from suffice.errors import DataError, ParameterError
from suffice.likelihoods import Histogram
from suffice.likelihoods.block_statistics import ESTIMATES
from suffice.likelihoods.histogram import format_intervals
from tests.oracles import naive_bayes_discrete as discrete
from tests.oracles import naive_bayes_histogram as oracle

INF, NAN = math.inf, math.nan
LABELS = ["a", "b", "a", "c", "b", "a", "b", "a", "c", "a", "b", "c"]
CLASSES = ["a", "b", "c"]
ROWS = [
    [1.5, -2.0, 7.0, 0.0],
    [0.5, None, 7.0, -INF],
    [1.0, 4.0, 7.0, 0.0],
    [7.5, 0.25, 7.0, 0.0],
    [-1.0, 2.0, None, 0.0],
    [2.5, 1.0, 7.0, 3.5],
    [0.0, 3.5, 7.0, INF],
    [None, 2.0, 7.0, 0.0],
    [6.0, 1.25, 7.0, 1.0],
    [2.25, 2.0, 7.0, -4.0],
    [-3.0, None, 7.0, 0.0],
    [0.75, 8.0, 7.0, 0.0],
]
ASKED = [
    [1.0, 2.0, 7.0, 0.0],
    [None, 0.0, 8.0, INF],
    [7.0, None, None, -INF],
    [None, None, None, None],
    [-1e300, 1e300, 0.0, 0.5],
    [INF, -INF, NAN, 3.5],
]
ASKED = [[None if cell is not None and math.isnan(cell) else cell for cell in row] for row in ASKED]


def matrix(rows):
    return np.array([[NAN if cell is None else cell for cell in row] for row in rows], dtype=float)


def joint(asked, estimate, cells, alpha=None):
    prior = [math.log(LABELS.count(c) / len(LABELS)) for c in CLASSES]
    return [
        [prior[k] + oracle.histogram(ROWS, LABELS, c, x, estimate, cells, alpha) for k, c in enumerate(CLASSES)]
        for x in asked
    ]


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("cells", [1, 2, 3, 4, 8, 64])
def test_every_estimate(estimate, cells):
    model = fit(matrix(ROWS), LABELS, columns=Histogram(cells), estimate=estimate, calibrate=False)
    np.testing.assert_allclose(model.log_joint(matrix(ASKED)), joint(ASKED, estimate, cells), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("estimate", ["smoothed", "map", "mean", "predictive"])
def test_alpha(estimate):
    model = fit(matrix(ROWS), LABELS, columns=Histogram(4, alpha=1.25), estimate=estimate, calibrate=False)
    np.testing.assert_allclose(model.log_joint(matrix(ASKED)), joint(ASKED, estimate, 4, 1.25), rtol=1e-12, atol=1e-12)


def test_smoothed_by_its_own_lambda():
    model = fit(matrix(ROWS), LABELS, columns=Histogram(4, alpha=7), calibrate=False).with_options(
        estimate="smoothed", alpha=0.5
    )
    expected = joint(ASKED, "smoothed", 4, Fraction(1, 2))
    np.testing.assert_allclose(model.log_joint(matrix(ASKED)), expected, rtol=1e-12, atol=1e-12)
    mle = model.with_options(estimate="mle").log_joint(matrix(ASKED))
    np.testing.assert_allclose(
        model.with_options(estimate="smoothed", alpha=0).log_joint(matrix(ASKED)), mle, rtol=1e-13
    )
    assert model.with_options(estimate="smoothed", alpha=0).log_evidence() == -INF
    assert all(
        math.isnan(row.lower)
        for row in model.with_options(estimate="smoothed", alpha=0).parameters()
        if row.column is not None
    )


def test_priors_of_every_shape():
    x, asked = matrix(ROWS)[:, [0]], matrix(ASKED)[:, [0]]
    two = fit(x, LABELS, columns=Histogram(4, alpha=2), calibrate=False).log_joint(asked)
    for other in (
        Histogram(4, alpha=[2]),
        Histogram(4, alpha=np.full((3, 1), 2)),
        Histogram(4, DirichletMultinomial([2] * 4)),
        Histogram(prior=DirichletMultinomial([2] * 4)),
        Histogram(4, DirichletMultinomial(np.full((3, 4), 2))),
    ):
        np.testing.assert_allclose(fit(x, LABELS, columns=other, calibrate=False).log_joint(asked), two, rtol=1e-13)
    alpha = np.array([[1.0, 1, 1, 1], [2, 3, 4, 5], [9, 8, 7, 6]])
    mixed = fit(x, LABELS, columns=Histogram(4, DirichletMultinomial(alpha)), calibrate=False)
    for row in mixed.parameters():
        if row.column is not None:
            c = CLASSES.index(row.label)
            counts = mixed.core.parts[0][0].masses(mixed.core.parts[0][0].equal_mass_edges(4))[0][c]
            k = [each.level for each in mixed.parameters() if each.column == 0 and each.label == row.label].index(
                row.level
            )
            assert row.value == pytest.approx((counts[k] + alpha[c, k]) / (counts.sum() + alpha[c].sum()), rel=1e-13)


@pytest.mark.parametrize(("estimate", "alpha"), [("predictive", 1), ("map", 2), ("mle", 1)])
def test_the_evidence_is_the_product_of_one_step_predictions(estimate, alpha):
    expected = discrete.evidence_of_levels(LABELS, dict.fromkeys(CLASSES, Fraction(1)))
    for cells in (2, 5):
        model = fit(matrix(ROWS), LABELS, columns=Histogram(cells), estimate=estimate, calibrate=False)
        of_cells = sum(oracle.evidence(ROWS, LABELS, c, j, cells, alpha) for c in CLASSES for j in range(4))
        assert model.log_evidence() == pytest.approx(expected + of_cells, rel=1e-12)


def priced(rows, labels, j, cells, alpha=1):
    edges = oracle.edges_of(rows, j, cells)
    n = sum(row[j] is not None for row in rows)
    whole = sum(oracle.evidence(rows, labels, c, j, cells, alpha) for c in set(labels))
    return whole - 0.5 * len(edges) * math.log1p(n), len(edges) - 1


@pytest.mark.parametrize("alpha", [1, 4])
def test_the_number_of_bins_has_the_greatest_evidence(alpha):
    rng = np.random.default_rng(2)
    labels = ["x" if u < 0.3 else "y" for u in rng.random(120)]
    real = [
        rng.normal(size=120),
        np.round(rng.gamma(1, size=120), 1),
        rng.integers(0, 6, 120),
        rng.choice([-3, 3], 120),
    ]
    rows = [[float(column[i]) for column in real] for i in range(120)]
    choices = fit(matrix(rows), labels, columns=Histogram(alpha=alpha), calibrate=False).core.choices()
    for j in range(4):
        _, best = max(priced(rows, labels, j, cells, alpha) for cells in (2, 4, 8, 16, 32, 64))
        assert choices[j] == f"{best} bins"
    assert len(set(choices.values())) > 1


def test_bins_are_the_same_under_every_estimate():
    model = fit(matrix(ROWS), LABELS, columns=Histogram(), calibrate=False)
    first = model.core.terms[0].edges
    for estimate in ESTIMATES:
        for before, now in zip(first, model.with_options(estimate=estimate).core.terms[0].edges, strict=True):
            np.testing.assert_array_equal(now, before)


def test_a_column_with_one_value_contributes_nothing():
    x = np.array([[3.0, 1.0], [3.0, 2.0], [NAN, 4.0]])
    model = fit(x, ["a", "b", "b"], columns=Histogram(2), calibrate=False)
    alone = fit(x[:, [1]], ["a", "b", "b"], columns=Histogram(2), calibrate=False)
    np.testing.assert_array_equal(model.log_joint([[9.0, 1.0]]), alone.log_joint([[1.0]]))
    assert model.log_evidence() == alone.log_evidence()
    assert {row.column for row in model.parameters()} == {None, 1}
    assert model.core.choices() == {0: "constant", 1: "2 bins"}
    for nothing in ([[3.0]], [[NAN]], [[INF]]):
        silent = fit(nothing, ["a"], columns=Histogram(), calibrate=False)
        assert silent.log_joint([[1.0]]) == silent.log_joint([[NAN]]) == 0


def test_parameters_shown():
    x = np.array([[0.0], [1.0], [2.0], [3.0], [3.0], [9.0]])
    model = fit(x, ["a", "a", "b", "b", "b", "a"], columns=Histogram(3), estimate="mean", calibrate=False)
    rows = [row for row in model.parameters(credible=0.9) if row.column == 0]
    assert [row.level for row in rows] == ["[0, 1.5)", "[1.5, 2.5)", "[2.5, 9]"] * 2
    counts = {"a": [2, 0, 1], "b": [0, 1, 2]}
    for at, row in enumerate(rows):
        n, k = counts[row.label], at % 3
        assert (row.name, row.estimate) == ("probability", "mean")
        assert row.value == pytest.approx((n[k] + 1) / 6)
        beta = stats.beta(n[k] + 1, 5 - n[k])
        np.testing.assert_allclose((row.lower, row.upper), beta.ppf([0.05, 0.95]), rtol=1e-9)


@pytest.mark.parametrize(
    ("edges", "shown"),
    [
        ([0.0, 1.5, 3.0], ["[0, 1.5)", "[1.5, 3]"]),
        ([-1.0, 0.1234567, 0.1234568, 7e300], ["[-1, 0.1234567)", "[0.1234567, 0.1234568)", "[0.1234568, 7e+300]"]),
        ([1.0, 1.0000000000000002, 2.0], ["[1.0, 1.0000000000000002)", "[1.0000000000000002, 2.0]"]),
    ],
)
def test_edges_are_short_but_differ(edges, shown):
    assert format_intervals(np.array(edges)) == shown


@pytest.mark.parametrize(
    "values",
    [
        [-1.7976931348623157e308, 0.0, 1.7976931348623157e308],
        [-1.7976931348623157e308, 1.7976931348623157e308],
        [5e-324, 1e-323, 0.0],
        [0.0, 5e-324],
        [1.0, 1.0000000000000002],
        [-1e308, 5e-324, INF],
        [-INF, 0.0, 1.0, INF],
    ],
)
@pytest.mark.parametrize("estimate", ESTIMATES)
def test_logs_stay_finite_at_the_ends_of_the_floats(values, estimate):
    x = np.array([values * 2]).T
    y = ["a", "b"] * len(values)
    for likelihood in (Histogram(3), Histogram()):
        model = fit(x, y, columns=likelihood, estimate=estimate, class_prior="uniform", calibrate=False)
        scores = model.log_joint(np.array([[-INF, -1e308, 0.0, 5e-324, 1e308, INF, NAN]]).T)
        assert not np.isnan(scores).any()
        assert math.isfinite(model.log_evidence())
        if estimate not in ("mle", "map"):
            assert np.isfinite(scores).all()
            np.testing.assert_allclose(model.predict_proba(x).sum(axis=1), 1)


def test_a_width_beyond_the_largest_float():
    model = fit([[-1.7e308], [1.7e308]], ["a", "b"], columns=Histogram(1), class_prior="uniform", calibrate=False)
    np.testing.assert_allclose(model.log_density([[0.0]]), [-(math.log(1.7e308) + math.log(2))], rtol=1e-14)


def test_heavy_tails_and_atoms_score_as_counted():
    rng = np.random.default_rng(5)
    x = np.where(rng.random(20_000) < 0.4, 0.0, rng.standard_cauchy(20_000))
    y = (rng.random(20_000) < np.where(x == 0, 0.1, 0.6)).astype(int)
    model = fit(x[:, None], y, columns=Histogram(), calibrate=False)
    assert model.predict_proba([[0.0]])[0, 1] == pytest.approx(y[x == 0].mean(), abs=0.01)
    assert model.predict_proba([[1e9]])[0, 1] == pytest.approx(0.6, abs=0.1)


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_missing_as_information(estimate):
    x = matrix(ROWS)
    model = fit(x, LABELS, columns=Histogram(4, missing="level"), estimate=estimate, calibrate=False)
    ignoring = fit(x, LABELS, columns=Histogram(4), estimate=estimate, calibrate=False)
    expected = ignoring.log_joint(matrix(ASKED))
    for k, c in enumerate(CLASSES):
        for j in range(4):
            known = oracle.observed(ROWS, LABELS, c, j)
            theta = discrete.read([sum(known), len(known) - sum(known)], [discrete.default(estimate)] * 2, estimate)
            for i, row in enumerate(ASKED):
                expected[i, k] += discrete.log(theta[int(row[j] is None)])
    np.testing.assert_allclose(model.log_joint(matrix(ASKED)), expected, rtol=1e-12, atol=1e-12)
    evidence = sum(
        discrete.evidence_of_levels(
            oracle.observed(ROWS, LABELS, c, j), dict.fromkeys((0, 1), discrete.default(estimate))
        )
        for c in CLASSES
        for j in range(4)
    )
    assert model.log_evidence() == pytest.approx(ignoring.log_evidence() + evidence, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "make"),
    [
        (
            "bins must be an integer from 1 to 4096: got 0. Omit it to choose the number of bins from the data.",
            lambda: Histogram(0),
        ),
        (
            "bins must be an integer from 1 to 4096: got 2.5. Omit it to choose the number of bins from the data.",
            lambda: Histogram(2.5),
        ),
        (
            "bins must be an integer from 1 to 4096: got True. Omit it to choose the number of bins from the data.",
            lambda: Histogram(True),
        ),
        (
            "prior of Histogram must be a DirichletMultinomial: got 2. Give DirichletMultinomial([…]) with one number "
            "per outcome, or alpha= for a symmetric prior.",
            lambda: Histogram(4, 2),
        ),
        (
            "prior and alpha of Histogram are mutually exclusive: got both. Omit one of them.",
            lambda: Histogram(2, DirichletMultinomial([1, 1]), 1),
        ),
        ("missing must be 'ignore' or 'level': got 'drop'.", lambda: Histogram(missing="drop")),
        (
            "the prior of column 0 must have one value for each of its 3 bins: got shape (4,). Give shape (3,) or "
            "(2, 3), or use alpha=.",
            lambda: fit(
                [[1.0], [2], [3]],
                ["a", "b", "b"],
                columns=Histogram(prior=DirichletMultinomial([1] * 4)),
                calibrate=False,
            ).predict([[1]]),
        ),
        (
            "alpha must be a scalar, one value per column, or one per class and column: got shape (3,) for "
            "2 classes and 1 columns. Give shape (), (1,), (2, 1) or (2, 1).",
            lambda: fit([[1.0], [2]], ["a", "b"], columns=Histogram(alpha=[1, 2, 3]), calibrate=False).predict([[1]]),
        ),
    ],
)
def test_the_whole_message(text, make):
    with pytest.raises(ParameterError, match=f"^{re.escape(text)}$"):
        make()


def test_sparse_rows_are_refused_at_fit():
    text = "bins need a dense matrix or columns: got a sparse matrix of shape (2, 1). Use x.toarray()."
    with pytest.raises(DataError, match=f"^{re.escape(text)}$"):
        fit(sparse.csr_matrix([[1.0], [2.0]]), ["a", "b"], columns=Histogram(), calibrate=False)


def test_histograms_are_values():
    assert Histogram(alpha=[1, 2]) == Histogram(None, alpha=(1.0, 2.0)) != Histogram()
    assert Histogram(np.int64(4)) == Histogram(4)
