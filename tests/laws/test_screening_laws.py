"""Screening returns finite numbers for any data, and its threshold decides what it keeps."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice.evidence.evaluation.metrics import LOWER_IS_BETTER
from suffice.evidence.screening import METRICS

reals = st.one_of(st.just(math.nan), st.sampled_from([0.0, -1.0, 1e8, 1e-300, 1e100]), st.integers(-3, 3).map(float))
cells = st.tuples(reals, reals, st.sampled_from(["p", "q", None]), st.sampled_from([0.0, 1.0, 2.0, math.nan]))
tables = st.lists(st.tuples(cells, st.sampled_from("abc"), st.sampled_from([1.0, 0.5, 3.0])), min_size=4, max_size=16)
KINDS = [
    {"x": sf.Histogram(), "z": sf.Histogram(3, missing="level"), "l": sf.Categorical(), "c": sf.Poisson()},
    {"x": sf.Numeric(), "z": sf.Numeric(missing="level"), "l": sf.Categorical(missing="level"), "c": sf.Bernoulli()},
    {"x": sf.Histogram(), "z": None, "l": sf.Categorical(unseen="mass"), "c": sf.Poisson()},
]


def no_nan(*values):
    return not any(value is not None and math.isnan(value) for value in values)


@given(
    tables.filter(lambda rows: len({row[1] for row in rows}) > 1),
    st.sampled_from(KINDS),
    st.sampled_from(["mle", "smoothed", "map", "mean", "predictive"]),
    st.sampled_from(METRICS),
    st.booleans(),
)
def test_there_is_no_nan_and_the_threshold_decides_what_is_kept(rows, kinds, estimate, metric, ordered):
    some, y, weights = zip(*rows, strict=True)
    data = dict(zip("xzlc", map(list, zip(*some, strict=True)), strict=True))
    settings = {"order": np.arange(len(y))} if ordered else {}
    try:
        found = sf.screen(
            data, y, columns=kinds, weights=weights, estimate=estimate, metric=metric, positive="a", folds=2, **settings
        )
    except sf.SufficeError as problem:
        refused = ("the model has no class", "no fold has rows both of the positive", "screening requires at least")
        refused += ("detection costs are defined for two classes",)
        if not str(problem).startswith(refused):
            raise
        return
    for each in found.columns:
        assert 0 <= each.least <= each.similarity <= 1
        assert 0 <= each.product <= 1
        assert each.kept == (each.similarity < found.threshold)
    assert [each.similarity for each in found.columns] == sorted(each.similarity for each in found.columns)
    assert {each.column for each in found.columns} == {name for name in kinds if kinds[name] is not None}
    assert found.kept
    for point in found.curve:
        assert no_nan(point.threshold, point.value, point.error)
    best = min if metric in LOWER_IS_BETTER else max
    choice = next(point for point in found.curve if point.threshold == found.threshold)
    assert choice.value == best(point.value for point in found.curve if point.columns)
    used = {name for block in found.model.schema.blocks for name in block.columns}
    assert used == set(found.kept)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sf.errors.UnseenLevelsWarning)  # later rows may have levels of their own
        assert not np.isnan(found.model.with_options(estimate="mean").predict_proba(data)).any()
    assert all(-1 <= each.correlation <= 1 for each in found.redundant)
    assert 0 <= found.effective_columns <= len(found.columns) + 1e-9
    if found.later is not None:
        assert no_nan(found.later.screened, found.later.unscreened)


@given(tables.filter(lambda rows: len({row[1] for row in rows}) == 3), st.integers(0, 5))
def test_the_order_of_the_columns_does_not_matter(rows, seed):
    some, y, _ = zip(*rows, strict=True)
    data = dict(zip("xzlc", map(list, zip(*some, strict=True)), strict=True))
    turned = {name: data[name] for name in reversed(data)}
    one, other = (
        sf.screen(each, y, columns=KINDS[1], metric="log_loss", folds=2, seed=seed) for each in (data, turned)
    )
    alike = [{each.column: each for each in found.columns} for found in (one, other)]
    assert {name: alike[0][name][:4] for name in data} == {name: alike[1][name][:4] for name in data}
    values = [np.array([point.value for point in found.curve]) for found in (one, other)]
    np.testing.assert_allclose(*values, rtol=1e-9)
    assert one.effective_columns == pytest.approx(other.effective_columns, rel=1e-9)
