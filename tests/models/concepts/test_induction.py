"""Concepts over rows of a table: against every conjunction there is, from every kind of frame, with missing cells."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from tests.oracles import concepts_exact as exact

CATS = {
    "fur": ["black", "white", None, "black", "orange", "white", "black", "orange"],
    "indoors": [True, False, True, None, True, False, True, False],
    "age": [1.5, 2.5, None, 4.5, 7.0, 9.0, 11.0, 12.5],
}


def levels(*values):
    return [(repr(value), lambda cell, value=value: cell is value or cell == value) for value in values]


def cuts(*at):
    bounds = [-np.inf, *at, np.inf]
    return [
        (f"{low} {high}", lambda cell, low=low, high=high: low <= cell < high)
        for i, low in enumerate(bounds)
        for high in bounds[i + 1 :]
        if (low, high) != (-np.inf, np.inf)
    ]


def records(columns):
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


@pytest.mark.parametrize("most", [1, 2, 3, 5])
def test_it_has_every_conjunction_once_the_simplest_with_its_description_length(most):
    learner = sf.concepts.concepts_from(CATS, tests=most, cuts=3)
    tests = {
        "fur": levels("black", "orange", "white"),
        "indoors": levels(False, True),
        "age": cuts(2.5, 7.0, 11.0),  # seven known cells: places ⌊7/4⌋, ⌊14/4⌋, ⌊21/4⌋ of 1.5 2.5 4.5 7 9 11 12.5
    }
    wanted = exact.conjunctions(records(CATS), tests, most)
    found = {learner.hypothesis(at).members: at for at in range(len(learner.names))}
    assert set(found) == set(wanted)
    weights = np.array([wanted[members][1] for members in found])
    np.testing.assert_allclose(learner.posterior().prior, weights / weights.sum(), rtol=1e-12)
    for members, at in found.items():
        name = learner.names[at]
        assert (0 if name == "every row" else name.count(" and ") + 1) == wanted[members][0]


@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from([True, False, None]), st.sampled_from(["x", "y"])),
        min_size=1,
        max_size=6,
    ),
    st.integers(1, 3),
)
def test_no_conjunction_of_random_rows_is_lost(rows, most):
    columns = dict(zip(("p", "q", "r"), map(list, zip(*rows, strict=True)), strict=True))
    tests = {
        name: levels(*sorted({cell for cell in cells if cell is not None}, key=str)) for name, cells in columns.items()
    }
    wanted = exact.conjunctions(records(columns), {name: each for name, each in tests.items() if each}, most)
    learner = sf.concepts.concepts_from(columns, tests=most)
    assert {learner.hypothesis(at).members for at in range(len(learner.names))} == set(wanted)


def test_examples_find_the_rule_that_made_them():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "plan": rng.choice(["basic", "family", "student"], 400),
            "paperless": rng.random(400) < 0.5,
            "fee": rng.gamma(3, 10, 400),
        }
    )
    cut = float(np.sort(frame["fee"])[200])
    inside = np.flatnonzero((frame["plan"] == "family") & (frame["fee"] >= cut))
    learner = sf.concepts.concepts_from(frame).update(inside[:6])
    assert learner.map.name == f"plan = 'family' and fee ≥ {cut!r}"
    assert learner.map.members == frozenset(inside.tolist())
    assert (learner.predictive(inside) > 0.6).all()
    assert learner.predictive(np.flatnonzero(frame["plan"] == "basic")).max() < 0.2
    # More of the same examples leave the rule alone.
    assert learner.update(inside).posterior()[learner.map.name] > 0.9


@pytest.mark.parametrize(
    "make",
    [
        dict,
        pd.DataFrame,
        lambda columns: pl.DataFrame(columns, strict=False),
        pa.table,
        records,
        lambda columns: pd.DataFrame(columns).assign(fur=lambda frame: frame["fur"].astype("category")),
        lambda columns: pd.DataFrame(columns).convert_dtypes(),
    ],
    ids=["mapping", "pandas", "polars", "pyarrow", "records", "categories", "nullable"],
)
def test_every_frame_gives_the_same_concepts(make):
    wanted, learner = sf.concepts.concepts_from(CATS), sf.concepts.concepts_from(make(CATS))
    assert learner.names == wanted.names
    np.testing.assert_array_equal(learner.members, wanted.members)


def test_rows_that_were_not_in_the_table():
    learner = sf.concepts.concepts_from(CATS, tests=3).update([0, 6])
    # A row of the table, asked for by its cells, is as probable as by its place.
    np.testing.assert_array_equal(learner.predictive(records(CATS)), learner.predictive())
    np.testing.assert_array_equal(learner.predictive(pl.DataFrame(CATS, strict=False)), learner.predictive())
    np.testing.assert_array_equal(learner.predictive(pa.table(CATS)), learner.predictive())
    for row, p in zip(records(CATS), learner.predictive(), strict=True):
        assert learner.predictive(row) == p
    for how in ("map", "mle"):
        np.testing.assert_array_equal(learner.predictive(records(CATS), how), learner.predictive(plug_in=how))
    assert isinstance(learner.predictive({"fur": "black"}), float)


def test_a_missing_cell_fails_every_test():
    learner = sf.concepts.concepts_from(CATS)
    every = learner.posterior()["every row"]
    for row in (
        {"fur": None},
        {"fur": float("nan"), "age": None},
        {"age": np.nan, "something": "else"},
        {"fur": "green"},
    ):
        assert learner.predictive(row) == pytest.approx(every)
    for at, name in enumerate(learner.names):
        tested = {column for column in CATS if column in name}
        lacking = {row for row in range(8) for column in tested if CATS[column][row] is None}
        assert not lacking & learner.hypothesis(at).members


def test_whole_numbers_are_levels_when_few_and_cut_otherwise():
    some = sf.concepts.concepts_from({"n": [1, 2, 3] * 3, "m": list(range(9))}, tests=1, cuts=2)
    assert some.names == ("every row", "n = 1", "n = 2", "n = 3", "m < 3", "m < 6", "3 ≤ m < 6", "m ≥ 3", "m ≥ 6")
    few = sf.concepts.concepts_from({"n": [0, 1, 1]}, tests=1)
    assert few.names == ("every row", "n = 0", "n = 1")
    assert sf.concepts.concepts_from({"n": [1, 2, 3] * 3}, tests=1, levels=2, cuts=1).names == (
        "every row",
        "n < 2",
        "n ≥ 2",
    )


def test_arrays_and_odd_names():
    learner = sf.concepts.concepts_from(np.array([[1.0, 5.0], [2.0, 6.5], [np.inf, np.nan]]), tests=1, cuts=1)
    assert learner.names == ("every row", "column 0 < 2", "column 0 ≥ 2", "column 1 ≥ 6.5")
    # "column 1 < 6.5" has the same row as "column 0 < 2", which came first.
    assert learner.update([2]).map.name == "every row"
    assert learner.predictive({0: 3.0}) == pytest.approx(
        learner.posterior()["every row"] + learner.posterior()["column 0 ≥ 2"]
    )
    odd = sf.concepts.concepts_from(
        {"hours per week": ["a", "b"], "a = 'a' and b": ["a", "b"], "": [True, False]}, tests=1
    )
    assert odd.names == ("every row", "'hours per week' = 'a'", "'hours per week' = 'b'")


def test_a_constant_column_and_one_row():
    learner = sf.concepts.concepts_from({"same": ["x", "x"], "one": [2.5, 2.5], "fur": ["black", "white"]})
    assert learner.names == ("every row", "fur = 'black'", "fur = 'white'")
    alone = sf.concepts.concepts_from({"fur": ["black"]})
    assert alone.names == ("every row",)
    assert alone.update([0, 0]).log_evidence() == 0.0


def test_columns_without_tests_are_left_out_and_say_why():
    frame = pd.DataFrame(
        {
            "id": [f"c{n}" for n in range(20)],
            "day": [datetime.datetime(2026, 1, 1)] * 20,
            "empty": [None] * 20,
            "blank": [np.nan] * 20,
            "same": [2.5] * 20,
            "fur": ["black", "white"] * 10,
        }
    )
    learner = sf.concepts.concepts_from(frame, sampling="weak")
    assert repr(learner).splitlines() == [
        "ConceptLearner of 3 hypotheses over 20 elements, weak sampling, 0 examples",
        "  0.6667  every row",
        "  0.1667  fur = 'black'",
        "  0.1667  fur = 'white'",
        "  column 'id' left out: 20 distinct values, more than levels=12",
        "  column 'day' left out: dates and times have no tests",
        "  column 'empty' left out: all cells are missing",
        "  column 'blank' left out: all cells are missing",
        "  column 'same' left out: no cut separates its values",
    ]
    assert len(sf.concepts.concepts_from(frame, levels=20).names) > 20


@pytest.mark.parametrize(
    ("data", "options", "error", "message"),
    [
        ({"fur": []}, {}, sf.errors.DataError, "the table must have at least one row."),
        (
            {"a": [None], "day": np.array(["2026-01-01"], dtype="datetime64[D]")},
            {},
            sf.errors.DataError,
            "no column of the table can be tested: 'a', all cells are missing; 'day', dates and times have no tests. "
            "Give a column of text, bools or numbers.",
        ),
        (
            np.zeros((3, 0)),
            {},
            sf.errors.DataError,
            "no column of the table can be tested: there are no columns. Give a column of text, bools or numbers.",
        ),
        ({"a": ["x"]}, {"tests": 0}, sf.errors.ParameterError, "tests must be a whole number ≥ 1: got 0. Give an int."),
        (
            {"a": ["x"]},
            {"levels": 2.5},
            sf.errors.ParameterError,
            "levels must be a whole number ≥ 1: got 2.5. Give an int.",
        ),
        (
            {"a": ["x"]},
            {"cuts": None},
            sf.errors.ParameterError,
            "cuts must be a whole number ≥ 1: got None. Give an int.",
        ),
        ({"a": ["x"]}, {"sampling": "no"}, sf.errors.ParameterError, "sampling must be 'strong' or 'weak': got 'no'."),
        (
            {"a": np.array(["x", 3j], dtype=object)},
            {},
            sf.errors.DataError,
            "row 1, column 'a': must be a number, text, a bool or bytes: got 3j. Convert it first.",
        ),
    ],
)
def test_tables_that_make_no_concepts(data, options, error, message):
    with pytest.raises(error) as caught:
        sf.concepts.concepts_from(data, **options)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tests": 10}, ["4,194,304", "4 tests", "Reduce tests"]),
        ({"tests": 1, "cuts": 10**12}, ["cuts", "100"]),
    ],
)
def test_a_search_that_would_not_end_is_refused_with_its_limit(options, words):
    rows = np.random.default_rng(0).normal(size=(200, 10))
    with pytest.raises(sf.errors.ParameterError) as caught:
        sf.concepts.concepts_from(rows, **options)
    for word in words:
        assert word in str(caught.value)


def test_more_tests_than_memory_holds():
    rows = np.random.default_rng(0).normal(size=(60_000, 1))
    with pytest.raises(sf.errors.ParameterError, match="tests over 60,000 rows"):
        sf.concepts.concepts_from(rows, cuts=100)


def test_more_concepts_than_memory_holds(monkeypatch):
    monkeypatch.setattr("suffice.models.column_concepts._MOST_CELLS", 8 * 20)
    with pytest.raises(sf.errors.ParameterError) as caught:
        sf.concepts.concepts_from(CATS)
    assert str(caught.value) == (
        "there are more than 20 concepts over 8 rows, which makes 168; at most 160 are allowed. "
        "Reduce tests=, levels= or cuts=, or pass fewer rows."
    )


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            {"colour": "black"},
            "rows must have at least one of the columns 'fur', 'indoors', 'age': got 'colour'.",
        ),
        ({}, "rows must have at least one of the columns 'fur', 'indoors', 'age': got none."),
        ({"age": "old"}, "row 0, column 'age': must be a number: got 'old'. Convert it first."),
        ([{"age": 3.0}, 7], "row 1: all rows must be records {column: value}: got 7."),
        (8, "thing 8 is not in the domain 0 … 7. Check it, or give another domain=."),
    ],
)
def test_rows_that_cannot_be_asked_for(rows, message):
    with pytest.raises(sf.errors.DataError) as caught:
        sf.concepts.concepts_from(CATS).predictive(rows)
    assert str(caught.value) == message


def test_rows_are_known_by_their_places_alone():
    with pytest.raises(sf.errors.DataError) as caught:
        sf.concepts.concepts_from(CATS).update({"fur": "black"})
    assert str(caught.value) == "data must be elements of the domain: got dict. Give a list."
