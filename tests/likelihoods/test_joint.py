"""Joint against slow exact code that lists every combination, and its failures."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.api import fit
from suffice.errors import DataError, ParameterError, UnseenLevelsWarning
from suffice.likelihoods import Bernoulli, Categorical, Joint
from suffice.likelihoods.block_statistics import ESTIMATES
from tests.oracles import naive_bayes_joint as oracle

pytestmark = pytest.mark.filterwarnings(
    "ignore::suffice.errors.UnseenLevelsWarning"
)  # what is asked for has unseen levels

NAMES = ("fur", "legs", "wild")
ROWS = [
    ["black", 4, True],
    ["black", 4, True],
    ["white", 4, False],
    ["black", 2, False],
    ["white", None, True],
    [None, 2, True],
    ["grey", None, None],
    ["white", 4, False],
    [None, None, None],
]
LABELS = ["a", "b", "a", "b", "a", "a", "b", "b", "c"]
CLASSES = ["a", "b", "c"]
ASKED = [
    ["black", 4, True],
    ["grey", 2, True],
    [None, 4, True],
    ["black", None, None],
    ["grey", None, False],
    [None, None, None],
    ["pink", 4, True],
    ["pink", 3, None],
    ["white", 2, False],
]
PRIOR = [4 / 9, 4 / 9, 1 / 9]


def columns(rows, names=NAMES):
    return {name: [row[j] for row in rows] for j, name in enumerate(names)}


def expected(estimate, alpha=None, rows=ROWS, labels=LABELS, asked=ASKED):
    each = alpha if isinstance(alpha, list) else [alpha] * len(CLASSES)
    return [
        [math.log(PRIOR[k]) + oracle.joint(rows, labels, c, x, estimate, each[k]) for k, c in enumerate(CLASSES)]
        for x in asked
    ]


@pytest.mark.parametrize("estimate", ESTIMATES)
class TestReadings:
    def test_against_every_combination(self, estimate):
        model = fit(columns(ROWS), LABELS, columns=Joint(), estimate=estimate, calibrate=False)
        np.testing.assert_allclose(model.log_joint(columns(ASKED)), expected(estimate), rtol=1e-12, atol=1e-13)

    @pytest.mark.parametrize("alpha", [0.25, 1.5, 3])
    def test_with_a_pseudo_count(self, estimate, alpha):
        model = fit(columns(ROWS), LABELS, columns=Joint(alpha=alpha), estimate=estimate, calibrate=False)
        np.testing.assert_allclose(
            model.log_joint(columns(ASKED)), expected(estimate, Fraction(alpha)), rtol=1e-12, atol=1e-13
        )

    def test_with_a_pseudo_count_for_each_class(self, estimate):
        model = fit(
            columns(ROWS), LABELS, columns=Joint(alpha=[[0.5], [2], [1.25]]), estimate=estimate, calibrate=False
        )
        each = [Fraction(1, 2), Fraction(2), Fraction(5, 4)]
        np.testing.assert_allclose(model.log_joint(columns(ASKED)), expected(estimate, each), rtol=1e-12, atol=1e-13)

    def test_of_one_column_it_is_categorical(self, estimate):
        rows = {"fur": columns(ROWS)["fur"]}
        asked = {"fur": ["black", "grey", "pink", None]}
        together, alone = (
            fit(rows, LABELS, columns=kind, estimate=estimate, calibrate=False) for kind in (Joint(), Categorical())
        )
        np.testing.assert_allclose(together.log_joint(asked), alone.log_joint(asked), rtol=1e-14)
        assert together.log_evidence() == pytest.approx(alone.log_evidence(), rel=1e-14)
        for mine, theirs in zip(together.parameters(), alone.parameters(), strict=True):
            assert mine.level == (theirs.level if theirs.column is None else (theirs.level,))
            np.testing.assert_allclose(mine[5:], theirs[5:], rtol=1e-12)

    def test_all_combinations_and_gaps_add_up_to_one(self, estimate):
        every = [[fur, legs, wild] for fur in ("black", "white", "grey") for legs in (4, 2) for wild in (True, False)]
        model = fit(columns(ROWS), LABELS, columns=Joint(), estimate=estimate, calibrate=False)
        likelihood = np.exp(model.log_joint(columns(every))) / PRIOR
        np.testing.assert_allclose(likelihood.sum(axis=0), 1, rtol=1e-13)
        for j in range(3):
            gaps = [[*row[:j], None, *row[j + 1 :]] for row in every]
            by_gap = {}
            for row, p in zip(gaps, likelihood, strict=True):
                by_gap[tuple(row)] = by_gap.get(tuple(row), 0) + p
            with np.errstate(divide="ignore"):
                summed = np.log(np.array(list(by_gap.values())) * PRIOR)
            np.testing.assert_allclose(model.log_joint(columns(list(by_gap))), summed, rtol=1e-12)


@pytest.mark.parametrize("lam", [0.5, 1, 4])
def test_smoothed_uses_its_pseudo_count(lam):
    model = fit(columns(ROWS), LABELS, columns=Joint(alpha=7), calibrate=False).with_options(
        estimate="smoothed", alpha=lam
    )
    np.testing.assert_allclose(model.log_joint(columns(ASKED)), expected("smoothed", Fraction(lam)), rtol=1e-12)
    for_each = fit(columns(ROWS), LABELS, columns=Joint(), calibrate=False).with_options(
        estimate="smoothed", alpha=[[lam], [1], [2]]
    )
    np.testing.assert_allclose(
        for_each.log_joint(columns(ASKED)), expected("smoothed", [Fraction(lam), Fraction(1), Fraction(2)]), rtol=1e-12
    )


def test_without_pseudo_counts_smoothed_is_mle():
    model = fit(columns(ROWS), LABELS, columns=Joint(), calibrate=False)
    none, mle = model.with_options(estimate="smoothed", alpha=0), model.with_options(estimate="mle")
    np.testing.assert_array_equal(none.log_joint(columns(ASKED)), mle.log_joint(columns(ASKED)))
    assert none.log_evidence() == -math.inf
    assert all(math.isnan(row.lower) for row in none.parameters() if row.column is not None)


@pytest.mark.parametrize("alpha", [1, 0.5, 3])
def test_evidence_is_the_product_of_one_step_predictions(alpha):
    model = fit(columns(ROWS), LABELS, columns=Joint(alpha=alpha), calibrate=False)
    classes = fit(columns(ROWS), LABELS, columns={"*": None}, calibrate=False).log_evidence()
    cells = sum(oracle.evidence(ROWS, LABELS, c, Fraction(alpha)) for c in CLASSES)
    assert model.log_evidence() == pytest.approx(classes + cells, rel=1e-13)


def test_parameters_are_the_seen_combinations():
    model = fit(columns(ROWS), LABELS, columns=Joint(), estimate="mean", calibrate=False)
    found = [row for row in model.parameters(credible=0.5) if row.column is not None]
    seen = sorted({tuple(row) for row in ROWS if None not in row}, key=lambda row: (row[0], row[1], row[2]))
    assert [row.level for row in found] == seen * 3
    assert {(row.column, row.name, row.estimate) for row in found} == {("fur, legs, wild", "probability", "mean")}
    for row in found:
        assert row.value == pytest.approx(float(oracle.theta(ROWS, LABELS, row.label, "mean")[row.level]), rel=1e-14)
        # Its marginal is Beta(α + N, …): the quartiles leave half of it between them.
        n = oracle.complete(ROWS, LABELS, row.label)
        a = 1 + n.count(row.level)
        b = 12 + len(n) - a
        between = mpmath.betainc(a, b, row.lower, row.upper, regularized=True)
        assert float(between) == pytest.approx(0.5, abs=1e-12)
        assert float(mpmath.betainc(a, b, 0, row.lower, regularized=True)) == pytest.approx(0.25, abs=1e-12)


def test_rows_with_missing_cells():
    # "grey" stands in rows with a gap only: it is a level, and no combination.
    model = fit(columns(ROWS), LABELS, columns=Joint(), calibrate=False)
    grey = model.log_joint(columns([["grey", 4, True]]))
    never = [
        math.log(PRIOR[k]) + oracle.joint(ROWS, LABELS, c, ["grey", 4, True], "mean") for k, c in enumerate(CLASSES)
    ]
    np.testing.assert_allclose(grey, [never], rtol=1e-13)
    without = [row for row in ROWS if row[0] != "grey"]
    labels = [y for row, y in zip(ROWS, LABELS, strict=True) if row[0] != "grey"]
    less = fit(columns(without), labels, columns=Joint(), calibrate=False)
    assert less.log_evidence() != model.log_evidence()


def test_true_is_not_one_and_one_point_nought_is():
    rows = {"a": [True, 1, 1.0, "1"], "b": [0, 0, 0.0, -0.0]}
    model = fit(rows, ["x"] * 4, columns=Joint(), estimate="mle", calibrate=False)
    assert {row.level: row.value for row in model.parameters() if row.column is not None and row.level[0] == "1"} == {
        ("1", 0): 0.25
    }
    kinds = {(type(row.level[0]), row.value) for row in model.parameters() if row.column is not None}
    assert kinds == {(bool, 0.25), (int, 0.5), (str, 0.25)}


def test_joint_among_other_blocks():
    rows = {**columns(ROWS), "tame": [True, False] * 4 + [True]}
    model = fit(rows, LABELS, columns={("wild", "fur"): Joint(), "tame": Bernoulli(), "legs": None}, calibrate=False)
    alone = fit(columns([[row[0], row[2]] for row in ROWS], ("fur", "wild")), LABELS, columns=Joint(), calibrate=False)
    tame = fit({"tame": rows["tame"]}, LABELS, columns=Bernoulli(), calibrate=False)
    joint = alone.log_joint(rows) + tame.log_joint(rows) - np.log(PRIOR)
    np.testing.assert_allclose(model.log_joint(rows), joint, rtol=1e-13)
    assert [block.columns for block in model.schema.blocks] == [("fur", "wild"), ("tame",)]
    by_itself = fit(
        rows, LABELS, columns={"together": Joint(["wild", "fur"]), "tame": Bernoulli(), "legs": None}, calibrate=False
    )
    np.testing.assert_array_equal(by_itself.log_joint(rows), model.log_joint(rows))


def test_joint_names_its_columns():
    rows = columns(ROWS)
    alone = fit(rows, LABELS, columns=Joint(["wild", "fur"]), calibrate=False)
    assert [block.columns for block in alone.schema.blocks] == [("fur", "wild")]
    assert alone.schema.unused == ("legs",)
    starred = fit(rows, LABELS, columns={"*": Joint(["wild", "fur"]), "legs": None}, calibrate=False)
    assert starred == fit(rows, LABELS, columns={"pair": Joint(["wild", "fur"]), "legs": None}, calibrate=False)


def test_an_unseen_level_warns_and_an_unseen_combination_does_not():
    model = fit(columns(ROWS), LABELS, columns=Joint(), calibrate=False)
    text = (
        "column 'fur': 1 of 1 non-missing cells have levels that did not occur in training, such as 'pink'; the model has 'black', "
        "'grey', 'white'. They are treated as missing, or with unseen='mass' as one additional level. Check that the column has the same coding as when the model was fitted."
    )
    with pytest.warns(UnseenLevelsWarning, match=f"^{re.escape(text)}$"):
        model.predict(columns([["pink", 4, True]]))
    model.predict(columns([["grey", 2, True]]))


def test_weights_are_copies_of_a_row():
    weights = [2, 0, 1, 3, 1, 1, 1, 0, 2]
    rows = [row for row, w in zip(ROWS, weights, strict=True) for _ in range(w)]
    labels = [y for y, w in zip(LABELS, weights, strict=True) for _ in range(w)]
    assert fit(columns(ROWS), LABELS, columns=Joint(), weights=weights, calibrate=False) == fit(
        columns(rows), labels, columns=Joint(), calibrate=False
    )


cells = st.sampled_from(["x", "y", 0, 1.5, True, None])
rows_of_three = st.lists(st.tuples(cells, cells, cells, st.sampled_from("ab")), min_size=1, max_size=12)


@given(rows_of_three, rows_of_three, st.sampled_from(ESTIMATES))
def test_any_rows_against_every_combination(rows, asked, estimate):
    labels = [row[3] for row in rows]
    model = fit(columns(rows), labels, columns=Joint(), estimate=estimate, calibrate=False)
    classes = sorted(set(labels))
    plain, wanted = [list(row[:3]) for row in rows], [list(row[:3]) for row in asked]
    joint = [
        [math.log(labels.count(c) / len(labels)) + oracle.joint(plain, labels, c, x, estimate) for c in classes]
        for x in wanted
    ]
    np.testing.assert_allclose(model.log_joint(columns(asked)), joint, rtol=1e-11, atol=1e-12)


@given(rows_of_three, rows_of_three)
def test_parts_merge_and_are_forgotten(left, right):
    a, b = (fit(columns(rows), [row[3] for row in rows], columns=Joint(), calibrate=False) for rows in (left, right))
    both = left + right
    assert a + b == fit(columns(both), [row[3] for row in both], columns=Joint(), calibrate=False)
    assert (a + b) - b == a


@pytest.mark.parametrize("count", [20, 60])
@pytest.mark.parametrize("estimate", ESTIMATES)
def test_many_columns_have_very_many_combinations(count, estimate):
    rng = np.random.default_rng(count)
    x, y = rng.integers(0, 100, (300, count)), np.arange(300) % 2
    model = fit(x, y, columns=Joint(), estimate=estimate, calibrate=False)
    every = [{*column.tolist()} for column in x.T]
    t = math.prod(map(len, every))
    each = {"mle": 0, "map": 1, "smoothed": 1, "mean": 1, "predictive": 1}[estimate]
    n = 150
    found = model.log_joint(x[:2])
    with mpmath.workdps(60):
        seen = mpmath.log(mpmath.mpf(1 + each) / (n + each * t))
        rest = mpmath.log(mpmath.mpf(each) / (n + each * t)) if each else -mpmath.inf
        first = [float(seen + mpmath.log(0.5)), float(rest + mpmath.log(0.5))]
    np.testing.assert_allclose(found, [first, first[::-1]], rtol=1e-13)
    with mpmath.workdps(60):
        alpha = 2 if estimate == "map" else 1
        evidence = 2 * float(n * mpmath.log(alpha) - mpmath.log(mpmath.rf(mpmath.mpf(alpha * t), n)))
    classes = fit(x, y, columns={"*": None}, calibrate=False).log_evidence()
    assert model.log_evidence() == pytest.approx(classes + evidence, rel=1e-12)


class TestFailures:
    def fails(self, kind, text, call):
        with pytest.raises(kind, match=f"^{re.escape(text)}$"):
            call()

    def test_a_name_is_no_list(self):
        self.fails(
            ParameterError,
            "columns of Joint must be a list of names: got 'fur'. Give ['fur', …].",
            lambda: Joint("fur"),
        )

    def test_a_name_twice(self):
        self.fails(
            DataError,
            "column names must be distinct: 'fur' appears more than once. Rename one of them.",
            lambda: Joint(["fur", "fur"]),
        )

    def test_alpha(self):
        self.fails(
            ParameterError,
            "alpha must be > 0 (from 1e-300 to 1e300): got 0.0. Pass a positive number.",
            lambda: Joint(alpha=0),
        )

    def test_alpha_per_column(self):
        text = "alpha of Joint must be a scalar or have shape (classes, 1): got shape (3,)."
        self.fails(
            ParameterError,
            text,
            lambda: fit(columns(ROWS), LABELS, columns=Joint(alpha=[1, 2, 3]), calibrate=False).predict(columns(ASKED)),
        )
        model = fit(columns(ROWS), LABELS, columns=Joint(), calibrate=False)
        self.fails(
            ParameterError,
            text,
            lambda: model.with_options(estimate="smoothed", alpha=[1, 2, 3]).predict(columns(ASKED)),
        )

    def test_a_column_that_is_not_there(self):
        self.fails(
            ParameterError,
            "column 'furr' is not in the data. Did you mean 'fur'?",
            lambda: fit(columns(ROWS), LABELS, columns=Joint(["furr", "legs"]), calibrate=False),
        )

    def test_a_column_in_two_blocks(self):
        self.fails(
            ParameterError,
            "column 'fur' matches both columns['pair'] and columns['fur']. Remove it from one of them.",
            lambda: fit(
                columns(ROWS), LABELS, columns={"pair": Joint(["fur", "legs"]), "fur": Categorical()}, calibrate=False
            ),
        )

    def test_more_combinations_than_a_float_holds(self):
        text = (
            "Joint of 400 columns has too many combinations for float64. Use fewer columns, or model them "
            "independently."
        )
        x = np.random.default_rng(0).integers(0, 10, (50, 400))
        for estimate in ESTIMATES:
            model = fit(x, [0, 1] * 25, columns=Joint(), estimate=estimate, calibrate=False)
            self.fails(ParameterError, text, lambda model=model: model.predict(x))
            self.fails(ParameterError, text, model.log_evidence)


def test_joints_are_values():
    assert Joint(["a", "b"], alpha=1) == Joint(("a", "b"), 1.0) != Joint(["b", "a"], 1)
    assert repr(Joint(alpha=2)) == "Joint(alpha=2.0)"
