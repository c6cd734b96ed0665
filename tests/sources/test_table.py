"""Tables: columns found by name or by place, views where they can be, and tables that do not fit a model."""

from __future__ import annotations

import re
import time
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import suffice as sf
from suffice.errors import DataError
from suffice.sources.column import Codes, Nothing, Numbers, Objects
from suffice.sources.in_memory import column_of
from suffice.sources.table import Frame, Matrix, slice_of

X = np.arange(12.0).reshape(3, 4)
TEXT = np.array(["x", None, "y"], dtype=object)


def frame(names=("a", "b"), **options):
    columns = (Numbers(np.array([1, 2, 3])), Objects(TEXT))
    return Frame(names, columns[: len(names)], 3, **options)


def dense(numbers):
    if sparse.issparse(numbers.x):
        return numbers.x.toarray()
    return np.stack(numbers.columns(), axis=1)


names = st.permutations(range(4)).flatmap(lambda order: st.integers(1, 4).map(lambda size: tuple(order[:size])))


@given(names, st.sampled_from([np.asarray, np.asfortranarray, sparse.csr_matrix]), st.booleans())
def test_the_numbers_of_any_columns_in_any_order(columns, form, named):
    table = Matrix(form(X), tuple(range(4)))
    if named:
        (table, missing) = table.aligned(tuple("pqrs"))
        assert missing == ()
        columns = tuple("pqrs"[j] for j in columns)
    places = ["pqrs".index(name) if named else name for name in columns]
    np.testing.assert_array_equal(dense(table.numbers(columns)), X[:, places])
    for name, place in zip(columns, places, strict=True):
        np.testing.assert_array_equal(table.column(name).numbers().values, X[:, place])
    assert (table.rows, table.width) == (3, 4)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=6, unique=True))
def test_a_slice_or_none(positions):
    found = slice_of(positions)
    if found is not None:
        assert list(range(21))[found] == positions
    else:
        assert len(set(np.diff(positions))) > 1 or positions[1] < positions[0]


def test_a_frame_gives_each_column_with_its_bitmap():
    table = Frame(("a", "b"), (Numbers(np.array([1, 2, 3])), Nothing(3)), 3)
    x, valid = table.numbers(("b", "a"))
    assert [column.tolist() for column in x] == [[0, 0, 0], [1, 2, 3]]
    assert valid[0].tolist() == [0]
    assert valid[1] is None


def test_a_frame_is_matched_by_name():
    table, missing = frame().aligned(("b", "c", "a"))
    assert (table.names, missing) == (("b", "c", "a"), ("c",))
    assert table.column("c").coded().labels == []
    assert table.column("a").numbers().values.tolist() == [1, 2, 3]
    assert frame().aligned(("a", "b")).table.names == ("a", "b")
    assert frame().without(("a",)).names == ("b",)


def test_a_model_of_places_takes_a_frame_of_its_width():
    table, missing = frame().aligned((0, 1))
    assert missing == ()
    assert table.column(0).numbers().values.tolist() == [1, 2, 3]
    assert frame().aligned((0, 1, 2)).missing == (0, 1, 2)


def test_columns_without_names_are_known_by_their_place():
    for table in (frame((0, 1), named=False), Matrix(X[:, :2], (0, 1))):
        aligned, missing = table.aligned(("p", "q"))
        assert (aligned.names, missing) == (("p", "q"), ())
    assert aligned.column("q").numbers().values.tolist() == X[:, 1].tolist()


@pytest.mark.parametrize(
    "table", [frame((0, 1), named=False), Matrix(X[:, :2], (0, 1)), Matrix(sparse.csr_matrix(X[:, :2]), (0, 1))]
)
def test_another_width(table):
    text = "data has 2 columns, but the model was fitted on 3. Give the same columns in the same order."
    with pytest.raises(DataError, match=f"^{re.escape(text)}$"):
        table.aligned(("p", "q", "r"))


def test_text_has_no_numbers():
    text = (
        "row 0, column 'b': must be a number: got 'x'. Use columns={'b': Categorical()} for categories, or "
        "exclude it with columns={'b': None}."
    )
    with pytest.raises(DataError, match=f"^{re.escape(text)}$"):
        frame().numbers(("a", "b"))


@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.bool_])
@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_of_a_large_matrix_are_taken_as_numpy_takes_them(dtype, order):
    x = np.asarray(np.random.default_rng(0).integers(0, 100, (30_000, 40)), dtype=dtype, order=order)
    rows = np.random.default_rng(1).permutation(30_000)[:28_000]
    table = Matrix(x, tuple(range(40)))
    np.testing.assert_array_equal(table.take(rows).x, x[rows])
    assert np.shares_memory(table.take(slice(5, 50)).x, x)


def test_rows_of_every_kind_of_column():
    rows, some = np.array([3, 0, 3]), slice(1, 3)
    numbers = Numbers(np.array([1.0, 2.0, 3.0, 4.0]), np.packbits([1, 0, 1, 1], bitorder="little"))
    columns = (
        numbers,
        Objects(np.array(["a", "b", None, "d"], dtype=object)),
        Codes(np.array([0, -1, 1, 0]), np.array(["x", "y"], dtype=object)),
        Nothing(4),
    )
    frame = Frame(tuple("abcd"), columns, 4)
    for index, expected in ((rows, [4.0, 1.0, 4.0]), (some, [2.0, 3.0])):
        taken = frame.take(index)
        assert taken.rows == len(expected)
        found = taken.column("a").numbers()
        known = np.unpackbits(found.valid, count=taken.rows, bitorder="little")
        assert found.values.tolist() == expected
        assert known.tolist() == np.array([1, 0, 1, 1])[index].tolist()
        codes, labels = taken.column("b").coded()
        cells = [None if code < 0 else labels[code] for code in codes.tolist()]
        assert cells == np.array(["a", "b", None, "d"], dtype=object)[index].tolist()
        assert taken.column("c").codes.tolist() == np.array([0, -1, 1, 0])[index].tolist()
        assert taken.column("d").rows == taken.rows


def seconds_of_levels(width):
    x = np.random.default_rng(0).integers(0, 3, (4, width)).astype(np.float64)
    start = time.process_time()
    sf.fit(x, [0, 1, 0, 1], columns=sf.Categorical(), calibrate=False).predict(x[:2])
    return time.process_time() - start


def test_the_time_of_levels_grows_with_the_columns_and_not_with_their_square():
    few = min(seconds_of_levels(3_000) for _ in range(2))
    assert seconds_of_levels(30_000) < 30 * few  # 10 times the columns


def table_of(data):
    if isinstance(data, pl.DataFrame):
        return Frame(tuple(data.columns), tuple(column_of(data[name]) for name in data.columns), len(data))
    return Matrix(data, tuple(range(data.shape[1])))


def test_tables_that_are_stored_alike_are_joined():
    frame = pl.DataFrame(
        {
            "n": [1.5, None, 3.0, 4.0, None],
            "i": [1, 2, 3, 4, 5],
            "t": ["a", None, "b", "a", "größe"],
            "c": pl.Series(["x", "y", None, "x", "z"], dtype=pl.Categorical),
            "e": pl.Series([None] * 5, dtype=pl.Null),
        }
    )
    whole = table_of(frame)
    for cuts in ((2,), (1, 3), (0, 5)):
        bounds = [0, *cuts, 5]
        parts = [table_of(frame[start:end]) for start, end in pairwise(bounds)]
        assert len({part.storage for part in parts}) == 1
        joined = parts[0].joined(parts[1:])
        assert joined.rows == 5
        for name in ("n", "i"):
            one, other = joined.column(name).numbers(), whole.column(name).numbers()
            np.testing.assert_array_equal(cells(one), cells(other))
        for name in ("i", "t", "c"):
            one, other = joined.column(name).coded(), whole.column(name).coded()
            assert [one.labels[k] if k >= 0 else None for k in one.codes] == [
                other.labels[k] if k >= 0 else None for k in other.codes
            ]
    objects = Frame(("o",), (Objects(np.array(["u", None, 3], dtype=object)),), 3)
    assert objects.joined([objects]).column("o").coded().codes.tolist() == [0, -1, 1, 0, -1, 1]
    x = np.arange(6.0).reshape(3, 2)
    for matrix in (x, sparse.csr_matrix(x)):
        table = table_of(matrix)
        twice = table.joined([table])
        assert twice.rows == 6
        np.testing.assert_array_equal(twice.column(1).numbers().values, [1, 3, 5, 1, 3, 5])
    assert table_of(x).storage != table_of(x.astype(int)).storage
    assert table_of(frame).storage != table_of(frame.with_columns(pl.col("i").cast(pl.Float64))).storage


def cells(numbers):
    known = np.ones(len(numbers.values), dtype=bool)
    if numbers.valid is not None:
        known = np.unpackbits(numbers.valid, count=len(numbers.values), bitorder="little").astype(bool)
    return np.where(known, numbers.values, np.nan)


def test_rows_with_a_number_in_every_column():
    nan = float("nan")
    x = np.array([[1.0, 2.0], [nan, 1.0], [0.0, nan], [0.0, 0.0]])
    expected = [True, False, False, True]
    assert table_of(x).numbers((0, 1)).complete(4).tolist() == expected
    assert table_of(sparse.csr_matrix(x)).numbers((0, 1)).complete(4).tolist() == expected
    frame = pl.DataFrame({"a": [1, None, 3, 4], "b": [2.0, 1.0, nan, 0.0]})
    assert table_of(frame).numbers(("a", "b")).complete(4).tolist() == expected
