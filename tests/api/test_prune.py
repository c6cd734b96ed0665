"""Pruning: what is rare is as if it had been missing, or is no column; the rest is as it was."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.api import fit
from suffice.conjugate import BetaBinomial, DirichletMultinomial, GammaPoisson
from suffice.errors import MergeError, ParameterError
from suffice.likelihoods import Bernoulli, Categorical, Gaussian, Joint, Multinomial, Poisson
from suffice.likelihoods.block_statistics import ESTIMATES

FUR = ["black"] * 5 + ["white"] * 3 + ["calico"] + [None]
SEX = ["f", "m", "f", "f", "m", "f", "f", "x", "m", "m"]
Y = list("aabbabbaab")
COUNTS = np.array(
    [[3, 0, 1], [2, 0, 0], [0, 1, 4], [1, 0, 2], [0, 0, 2], [5, 0, 0], [0, 0, 1], [2, 1, 0], [1, 0, 0], [1, 0, 3]]
)

cells = st.sampled_from([*"abcdef", None])
tables = st.lists(st.tuples(cells, cells, st.sampled_from("xyz"), st.integers(1, 3)), min_size=1, max_size=14)


def columns_of(rows):
    first, second, y, w = zip(*rows, strict=True)
    return {"p": list(first), "q": list(second)}, list(y), np.array(w, dtype=float)


def weight_of(column, w):
    return {label: sum(each for cell, each in zip(column, w, strict=True) if cell == label) for label in set(column)}


@given(tables, st.integers(0, 8), st.sampled_from(ESTIMATES), st.sampled_from(["ignore", "mass"]))
def test_a_pruned_level_is_as_if_its_cells_had_been_missing(rows, least, estimate, unseen):
    data, y, w = columns_of(rows)
    kinds = Categorical(unseen=unseen, levels=["f"])
    model = fit(data, y, columns=kinds, estimate=estimate, weights=w, calibrate=False)
    masked = {
        name: [cell if cell == "f" or weight_of(column, w)[cell] >= least else None for cell in column]
        for name, column in data.items()
    }
    left = model.prune(least)
    assert left == fit(masked, y, columns=kinds, estimate=estimate, weights=w, calibrate=False)
    assert left.prune(least) == left
    assert left.classes == model.classes


@given(tables, st.integers(1, 8))
def test_under_mle_what_is_left_keeps_its_proportions(rows, least):
    data, y, w = columns_of(rows)
    model = fit(data, y, columns=Categorical(), estimate="mle", weights=w, calibrate=False)
    left = model.prune(least)
    share = {}  # Σ_left θ of each class and column
    for p in model.parameters():
        if p.column is not None and weight_of(data[p.column], w)[p.level] >= least:
            share[p.label, p.column] = share.get((p.label, p.column), 0) + p.value
    for first, second in {(a, b) for a, b, _, _ in rows}:
        row = {"p": [first], "q": [second]}
        if any(cell is not None and weight_of(data[name], w)[cell] < least for name, (cell,) in row.items()):
            continue
        before, after = model.log_joint(row)[0], left.log_joint(row)[0]
        for c, label in enumerate(model.classes):
            known = [name for name, (cell,) in row.items() if cell is not None]
            observed = {name: [x for x, k in zip(data[name], y, strict=True) if k == label and x] for name in known}
            kept = [share.get((label, name), 0) for name in known]
            if all(observed.values()) and all(kept):  # else the mle says nothing of the class: each level is alike
                np.testing.assert_allclose(after[c], before[c] - np.log(kept).sum(), rtol=1e-12, atol=1e-12)


def test_a_pruned_level_is_unseen_and_may_come_back():
    model = fit({"fur": FUR}, Y, columns=Categorical(), calibrate=False)
    left = model.prune(2)
    assert {p.level for p in left.parameters() if p.column} == {"black", "white"}
    with pytest.warns(UserWarning, match="levels that did not occur in training, such as 'calico'"):
        np.testing.assert_allclose(left.predict_proba({"fur": ["calico"]}), [[0.5, 0.5]])
    back = left.update({"fur": ["calico"]}, ["a"])
    assert {p.level for p in back.parameters() if p.column} == {"black", "calico", "white"}
    with pytest.raises(MergeError, match=r"^cannot remove rows that were not added: .*'calico'"):
        left.forget({"fur": ["calico"]}, ["a"])


def test_combinations_below_are_unseen_and_their_levels_go_when_they_weigh_too_little():
    model = fit({"fur": FUR, "sex": SEX}, Y, columns=Joint(), estimate="mean", calibrate=False)
    left = model.prune(2)
    together, fur, sex = left.core.parts[0]
    # black f 3, black m 2, white f 2, white x 1, calico m 1; levels calico 1 and x 1.
    assert together.levels.labels == (("black", "f"), ("black", "m"), ("white", "f"))
    assert fur.levels.labels == ("black", "white")
    assert sex.levels.labels == ("f", "m")
    # a: 1 + 2 + 0 of 3 that are left, with α = 1 of each of 4.
    chance = np.exp(left.log_joint({"fur": ["black", "black", "white", "white"], "sex": ["f", "m", "f", "m"]})[:, 0])
    np.testing.assert_allclose(chance / 0.5, np.array([2, 3, 1, 1]) / 7)
    assert left.prune(2) == left


@pytest.mark.parametrize(
    ("kind", "stays", "least", "reason"),
    [
        (Multinomial(), Multinomial(coefficients=False), 3, "total count 2, below min_count=3"),
        (Poisson(), Poisson(factorials=False), 3, "total count 2, below min_count=3"),
        (Bernoulli(), Bernoulli(), 2.5, "present with weight 2, below min_count=2.5"),
    ],
)
@pytest.mark.parametrize("estimate", ESTIMATES)
def test_a_column_of_few_counts_is_left_out_and_the_schema_says_so(kind, stays, least, reason, estimate):
    model = fit(COUNTS, Y, columns=kind, estimate=estimate, calibrate=False)
    left = model.prune(least)
    assert left.schema.unused == (1,)
    assert left.schema.left_out == ((1, f"pruned: {reason}"),)
    assert f"1 left out: pruned: {reason}" in repr(left)
    assert left == fit(COUNTS, Y, columns={(0, 2): stays, 1: None}, estimate=estimate, calibrate=False)
    assert left.prune(least) == left
    assert left.update(COUNTS, Y).forget(COUNTS, Y) == left
    assert left.forget(COUNTS, Y).core.tally.weight.sum() == 0


def test_class_posteriors_of_counts_do_not_depend_on_the_logs_that_are_given_up():
    for kind in (Multinomial(), Poisson()):
        left = fit(COUNTS, Y, columns=kind, calibrate=False).prune(3)
        np.testing.assert_allclose(
            left.predict_proba(COUNTS),
            fit(COUNTS, Y, columns={(0, 2): kind, 1: None}, calibrate=False).predict_proba(COUNTS),
            rtol=1e-12,
        )


def test_the_evidence_without_factorials_differs_by_the_same_number_under_every_prior():
    from math import lgamma

    logs = sum(lgamma(x + 1) for x in COUNTS.ravel().tolist())
    for prior in (None, GammaPoisson(2, 3)):
        bare, full = (
            fit(COUNTS, Y, columns=Poisson(prior, factorials=given), calibrate=False).log_evidence()
            for given in (False, True)
        )
        np.testing.assert_allclose(bare - full, logs, rtol=1e-10)


def test_what_a_user_gave_per_column_goes_with_its_column():
    three, two = [1.0, 2.0, 3.0], [1.0, 3.0]
    for kind, stays, least in (
        (Multinomial(DirichletMultinomial(three)), Multinomial(DirichletMultinomial(two), coefficients=False), 3),
        (Multinomial(alpha=three), Multinomial(alpha=two, coefficients=False), 3),
        (Multinomial(alpha=[[1.0], [2.0]]), Multinomial(alpha=[[1.0], [2.0]], coefficients=False), 3),
        (Poisson(GammaPoisson(three, 2)), Poisson(GammaPoisson(two, 2), factorials=False), 3),
        (Bernoulli(BetaBinomial(three, 1)), Bernoulli(BetaBinomial(two, 1)), 2.5),
    ):
        left = fit(COUNTS, Y, columns=kind, calibrate=False).prune(least)
        expected = fit(COUNTS, Y, columns={(0, 2): stays, 1: None}, calibrate=False)
        np.testing.assert_allclose(left.log_joint(COUNTS), expected.log_joint(COUNTS), rtol=1e-12)
        np.testing.assert_allclose(left.log_evidence(), expected.log_evidence(), rtol=1e-12)
    smoothed = fit(COUNTS, Y, columns=Multinomial(), estimate="smoothed", calibrate=False).with_options(
        estimate="smoothed", alpha=three
    )
    expected = fit(COUNTS, Y, columns={(0, 2): Multinomial(coefficients=False), 1: None}, calibrate=False).with_options(
        estimate="smoothed", alpha=three
    )
    np.testing.assert_allclose(smoothed.prune(3).log_joint(COUNTS), expected.log_joint(COUNTS), rtol=1e-12)


def test_classes_real_columns_and_declared_levels_stay():
    data = {"height": [1.0, 2.0, 3.0], "fur": ["black", "white", "white"]}
    model = fit(
        data,
        ["a", "b", "b"],
        columns={"height": Gaussian(), "fur": Categorical(levels=["black", "red"])},
        calibrate=False,
    )
    left = model.prune(1000)
    assert left.classes == ("a", "b")
    assert {p.level for p in left.parameters() if p.column == "fur"} == {"black", "red"}
    assert left.core.parts[0] is model.core.parts[0]


def test_a_model_of_which_nothing_is_left_predicts_the_class_prior():
    left = fit(COUNTS, list("aaabbbbbbb"), columns=Multinomial(), calibrate=False).prune(1000)
    assert left.schema.blocks == ()
    np.testing.assert_allclose(left.predict_proba(COUNTS), np.broadcast_to([0.3, 0.7], (10, 2)))


def test_pruning_nothing_is_the_model_itself():
    model = fit(COUNTS, Y, columns=Multinomial(), calibrate=False)
    assert model.prune(0) is model
    assert model.prune(2) is model
    assert fit(COUNTS.astype(float), Y, columns=Gaussian(), calibrate=False).prune(100).schema.unused == ()
    empty = model - model
    assert empty.prune(1).classes == ()


def test_a_pruned_model_saves_nothing_of_a_row_that_was_never_seen():
    model = fit(COUNTS, Y, columns=Poisson(), calibrate=False)
    assert (model - model).prune(1).schema.unused == (0, 1, 2)


def test_models_with_other_columns_left_do_not_add():
    model = fit(COUNTS, Y, columns=Bernoulli(), calibrate=False)
    text = """the models have different schemas.
left:  3 columns
  0, 2: Bernoulli()
  1 left out: pruned: present with weight 2, below min_count=3
right: 3 columns
  0: Bernoulli()
  1 left out: pruned: present with weight 2, below min_count=7
  2 left out: pruned: present with weight 6, below min_count=7
Fit one of them with the schema of the other, using like=."""
    with pytest.raises(MergeError, match=f"^{re.escape(text)}$"):
        model.prune(3) + model.prune(7)


@pytest.mark.parametrize("given", [-1, float("nan"), float("inf"), "3", True])
def test_min_count_is_a_number(given):
    text = f"min_count must be a finite number ≥ 0: got {given!r}. It is the smallest weight of a level to keep."
    with pytest.raises(ParameterError, match=f"^{re.escape(text)}$"):
        fit(COUNTS, Y, columns=Bernoulli(), calibrate=False).prune(given)


def test_levels_with_a_prior_each_cannot_be_pruned():
    model = fit({"fur": FUR}, Y, columns=Categorical(DirichletMultinomial([1, 2, 3])), calibrate=False)
    assert model.prune(1) is model
    text = (
        "cannot prune levels of column 'fur': its prior has one parameter per level. "
        "Name the levels of the prior, declare them with levels=, or use alpha= instead of prior=."
    )
    with pytest.raises(ParameterError, match=f"^{re.escape(text)}$"):
        model.prune(2)


def test_factorials_is_a_bool():
    text = "factorials must be True or False: got 'no'. False omits ln x! from the evidence."
    with pytest.raises(ParameterError, match=f"^{re.escape(text)}$"):
        Poisson(factorials="no")
