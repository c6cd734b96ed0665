"""Folds: every class spread evenly, groups whole, time in order; and what cannot be split says so."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.errors import ParameterError
from suffice.evidence.evaluation.held_out import blocks_in_order, grouped_folds, stratified_folds

codes = st.lists(st.integers(-1, 4), min_size=2, max_size=60).map(np.array)


@given(codes, st.data())
def test_every_class_and_the_whole_are_spread_as_evenly_as_can_be(codes, data):
    folds = data.draw(st.integers(2, len(codes)))
    of_rows = stratified_folds(codes, folds, data.draw(st.integers(0, 5)))
    assert of_rows.min() >= 0
    assert np.ptp(np.bincount(of_rows, minlength=folds)) <= 1
    for label in np.unique(codes):
        assert np.ptp(np.bincount(of_rows[codes == label], minlength=folds)) <= 1


def test_a_seed_gives_the_same_folds_and_another_seed_others():
    labels = np.repeat([0, 1, 2], 40)
    one, same, other = (stratified_folds(labels, 5, seed) for seed in (3, 3, 4))
    assert (one == same).all()
    assert (one != other).any()


def test_rows_are_dealt_at_random_and_not_in_their_order():
    of_rows = stratified_folds(np.zeros(1000, dtype=np.int64), 2)
    assert abs(np.corrcoef(of_rows[:-1], of_rows[1:])[0, 1]) < 0.15


def test_more_classes_than_sixteen_bits():
    labels = np.tile(np.arange(40_000), 2)
    of_rows = stratified_folds(labels, 2)
    assert (np.sort(of_rows.reshape(2, -1), axis=0) == [[0], [1]]).all()


def test_a_class_of_one_row_lies_in_one_fold():
    of_rows = stratified_folds(np.array([0, 0, 0, 0, 1]), 2)
    assert len(of_rows) == 5


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        (1, "folds must be a whole number ≥ 2: got 1. Give an int."),
        (2.5, "folds must be a whole number ≥ 2: got 2.5. Give an int."),
        (4, "folds must be at most the number of rows, 3: got 4. Use fewer folds, or loo=True."),
    ],
)
def test_rows_that_cannot_be_split(folds, message):
    with pytest.raises(ParameterError) as caught:
        stratified_folds(np.array([0, 1, 1]), folds)
    assert str(caught.value) == message


@st.composite
def grouped(draw):
    rows = draw(st.integers(4, 60))
    groups = draw(st.lists(st.integers(0, 9), min_size=rows, max_size=rows))
    labels = draw(st.lists(st.integers(-1, 2), min_size=rows, max_size=rows))
    return np.array(labels), np.unique(groups, return_inverse=True)[1]


@given(grouped(), st.data())
def test_no_group_lies_in_two_folds_and_no_fold_is_empty(rows, data):
    labels, groups = rows
    if groups.max() < 1:
        return
    folds = data.draw(st.integers(2, int(groups.max()) + 1))
    of_rows = grouped_folds(labels, groups, folds)
    assert set(of_rows.tolist()) == set(range(folds))
    for group in np.unique(groups):
        assert len(set(of_rows[groups == group].tolist())) == 1
    assert (of_rows == grouped_folds(labels, groups, folds)).all()


def test_groups_of_one_class_and_size_are_spread_as_evenly_as_rows():
    groups = np.repeat(np.arange(30), 7)
    labels = (groups % 3 == 0).astype(np.int64)  # ten groups of one class, twenty of the other
    of_rows = grouped_folds(labels, groups, 5)
    for label in (0, 1):
        assert np.ptp(np.bincount(of_rows[labels == label], minlength=5)) == 0


def test_folds_of_many_unequal_groups_hold_the_classes_in_like_shares():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(400), rng.integers(1, 30, 400))
    labels = (rng.random(400) < 0.1)[groups].astype(np.int64)
    shares = [labels[grouped_folds(labels, groups, 5) == fold].mean() for fold in range(5)]
    assert np.ptp(shares) < 0.01


def test_too_few_groups():
    with pytest.raises(ParameterError) as caught:
        grouped_folds(np.zeros(4, dtype=np.int64), np.array([0, 0, 1, 1]), 3)
    assert str(caught.value) == "folds must be at most the number of groups, 2: got 3. Use fewer folds."


@given(st.lists(st.integers(0, 12), min_size=3, max_size=60).map(np.array), st.data())
def test_blocks_follow_the_order_keep_equals_together_and_are_never_empty(order, data):
    distinct = len(np.unique(order))
    if distinct < 2:
        return
    blocks = data.draw(st.integers(2, distinct))
    of_rows = blocks_in_order(order, blocks)
    assert set(of_rows.tolist()) == set(range(blocks))
    ranked = of_rows[np.argsort(order, kind="stable")]
    assert (np.diff(ranked) >= 0).all()
    for value in np.unique(order):
        assert len(set(of_rows[order == value].tolist())) == 1


@given(st.integers(2, 50), st.data())
def test_blocks_of_rows_that_all_differ_have_one_size(rows, data):
    blocks = data.draw(st.integers(2, rows))
    order = np.array(data.draw(st.permutations(range(rows))))
    assert np.ptp(np.bincount(blocks_in_order(order, blocks))) <= 1


def test_too_few_different_times():
    with pytest.raises(ParameterError) as caught:
        blocks_in_order(np.array([1, 1, 2, 2]), 3)
    assert (
        str(caught.value)
        == "folds + 1 must be at most the number of distinct values of order, 2: got 3. Use fewer folds."
    )
