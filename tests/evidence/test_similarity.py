"""How alike classes look in a column, against fractions, and where it has to be 1, the same, or between 0 and 1."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice.evidence.screening import Similarity, density_schema, similarities, similarity_of
from tests.oracles.screening_slow import similarity

reals = st.one_of(st.none(), st.integers(-20, 20).map(lambda n: n / 4))
levels = st.sampled_from(["p", "q", "r", None])
counts = st.one_of(st.none(), st.integers(0, 3))
cells = st.tuples(reals, levels, counts, st.sampled_from("abc"))
tables = st.lists(cells, min_size=2, max_size=30).filter(lambda rows: len({row[3] for row in rows}) > 1)


def found(data, y, columns, bins=16, weights=None):
    """Return the similarities of the columns of a model."""
    model = sf.fit(data, y, columns=columns, weights=weights, calibrate=False).core
    extra = density_schema(model.schema)
    beside = None
    if extra is not None:
        kinds = {name: block.likelihood for block in extra.blocks for name in block.columns}
        beside = sf.fit({name: data[name] for name in kinds}, y, columns=kinds, weights=weights, calibrate=False)
    return similarities(model, None if beside is None else beside.core, bins)


def columns_of(rows):
    real, level, count, y = map(list, zip(*rows, strict=True))
    as_float = [np.nan if v is None else v for v in real]
    as_count = [np.nan if v is None else v for v in count]
    return real, level, count, y, as_float, as_count


@given(tables, st.sampled_from([2, 5, 16]))
def test_every_kind_of_column_against_fractions(rows, bins):
    real, level, count, y, as_float, as_count = columns_of(rows)
    data = {
        "histogram": as_float,
        "numeric": as_float,
        "gaussian": as_float,
        "level": level,
        "poisson": as_count,
        "bernoulli": as_count,
    }
    kinds = {
        "histogram": sf.Histogram(),
        "numeric": sf.Numeric(),
        "gaussian": sf.Gaussian(),
        "level": sf.Categorical(),
        "poisson": sf.Poisson(),
        "bernoulli": sf.Bernoulli(),
    }
    alike = found(data, y, kinds, bins)
    assert list(alike) == list(data)
    for name in ("histogram", "numeric", "gaussian"):
        assert alike[name] == pytest.approx(similarity(real, y, "cells", bins), rel=1e-12)
    assert alike["level"] == pytest.approx(similarity(level, y, "levels"), rel=1e-12)
    for name in ("poisson", "bernoulli"):
        assert alike[name] == pytest.approx(similarity(count, y, "presence"), rel=1e-12)
    for each in alike.values():
        assert 0 < each.least <= each.cosine <= 1
        assert 0 < each.product <= 1


@given(tables, st.sampled_from([0.5, 3.0]), st.sampled_from([0.0, 1000.0]))
def test_the_unit_of_a_column_makes_no_difference(rows, scale, shift):
    *_, y, as_float, _ = columns_of(rows)
    x = np.array(as_float)
    before, after = found({"x": x, "z": scale * x + shift}, y, sf.Histogram(), 2).values()
    assert after == pytest.approx(before, rel=1e-12)


@given(tables)
def test_classes_have_no_order_and_rows_count_by_weight(rows):
    *_, y, as_float, _ = columns_of(rows)
    renamed = [{"a": "z", "b": "y", "c": "x"}[each] for each in y]
    once = found({"x": as_float}, y, sf.Histogram())["x"]
    assert found({"x": as_float}, renamed, sf.Histogram())["x"] == pytest.approx(once, rel=1e-12)
    twice = found({"x": as_float * 2}, y * 2, sf.Histogram())["x"]
    assert found({"x": as_float}, y, sf.Histogram(), weights=np.full(len(y), 2.0))["x"] == pytest.approx(
        twice, rel=1e-12
    )


def test_two_equal_uniform_vectors_are_alike_whatever_their_product():
    assert similarity_of(np.full((2, 16), 1 / 16)) == Similarity(1.0, 1.0, 1 / 16)


def test_vectors_without_an_outcome_in_common():
    assert similarity_of(np.array([[1.0, 0.0], [0.0, 1.0]])) == Similarity(0.0, 0.0, 0.0)


def test_of_several_classes_the_mean_over_the_pairs_decides():
    d = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert similarity_of(d) == Similarity(pytest.approx(1 / 3), 0.0, pytest.approx(1 / 3))


def test_constant_and_missing_columns_are_the_same_in_every_class():
    y = ["a"] * 5 + ["b"] * 5
    nothing = np.full(10, np.nan)
    data = {"constant": np.ones(10), "nothing": nothing, "level": ["k"] * 10, "none": [None] * 10}
    kinds = {"constant": sf.Histogram(), "nothing": sf.Gaussian(), "level": sf.Categorical(), "none": sf.Categorical()}
    assert found(data, y, kinds) == dict.fromkeys(data, Similarity(1.0, 1.0, 1.0))


@pytest.mark.parametrize("kind", [sf.Histogram, sf.Numeric, sf.Gaussian])
def test_a_missing_cell_is_an_outcome_where_it_speaks(kind):
    x, y = np.array([1.0, 2.0, np.nan, np.nan]), ["a", "a", "b", "b"]
    silent, speaks = (found({"x": x}, y, kind(missing=missing), 2)["x"].cosine for missing in ("ignore", "level"))
    # Silent: (2, 2)/4 and (1, 1)/2. Speaking: (2, 2, 1)/5 and (1, 1, 3)/5.
    assert silent == 1.0
    assert speaks == pytest.approx(7 / np.sqrt(9 * 11), rel=1e-12)


def test_a_class_without_rows_is_no_part_of_a_pair():
    y = ["a", "a", "b", "b"]
    model = sf.fit({"x": ["p", "q", "p", "p"]}, y, columns=sf.Categorical(), calibrate=False).core
    with_third = model + sf.fit({"x": ["q"]}, ["c"], columns=sf.Categorical(), calibrate=False).core
    assert len(with_third.classes) == 3
    assert similarities(model, None, 16)["x"] != similarities(with_third, None, 16)["x"]
    absent = sf.fit(
        {"x": ["p", "q", "p", "p", "q"]}, [*y, "c"], columns=sf.Categorical(), weights=[1, 1, 1, 1, 0], calibrate=False
    ).core
    assert similarities(absent, None, 16)["x"] == similarities(model, None, 16)["x"]


def test_one_class_looks_like_itself():
    assert similarity_of(np.array([[0.5, 0.5]])) == Similarity(1.0, 1.0, 0.5)
