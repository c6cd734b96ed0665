"""Rows to the statistics that a plan asks for."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse

from suffice.engines.collection import collect as collect_table
from suffice.likelihoods.block_statistics import COARSE, FINE, Collect, Plan
from suffice.sources.in_memory import column_of
from suffice.sources.table import Frame, Matrix, slice_of
from suffice.statistics import Axis

AXIS = Axis.of(["a", "b"])
X = np.array([[1.0, 0, 3], [2, np.nan, 300], [0, 0, 0], [5, 4, 4]])
CODES = np.array([0, 1, -1, 1])


def collect(plan, x, codes, classes, weights):
    return collect_table(plan, Matrix(x, tuple(range(x.shape[1]))), codes, classes, weights)[1]


def logs(x, logs="rows", weights=None):
    ((_, part),) = collect(Plan(3, (Collect("sums", (0, 1, 2), logs=logs),)), x, CODES, AXIS, weights)
    return part.values @ [COARSE, FINE]


def test_sums_without_logs():
    ((sums,),) = collect(Plan(3, (Collect("sums", (0, 1, 2)),)), X, CODES, AXIS, None)
    assert sums.values.tolist() == [[1, 0, 3], [7, 4, 304]]


def test_logs_of_rows_and_cells():
    lf = math.lgamma
    cells = [lf(4), lf(3) + lf(301), 0, lf(6) + 2 * lf(5)]
    rows = [lf(5) - cells[0], lf(303) - cells[1], 0, lf(14) - cells[3]]
    for each, expected in (("cells", cells), ("rows", rows)):
        for x in (X, sparse.csr_matrix(X), np.asfortranarray(X)):
            np.testing.assert_allclose(logs(x, each), [expected[0], expected[1] + expected[3]], rtol=1e-13)
            np.testing.assert_allclose(
                logs(x, each, np.array([2, 1, 9, 3])), [2 * expected[0], expected[1] + 3 * expected[3]], rtol=1e-13
            )


def test_logs_leave_nothing_behind():
    rng = np.random.default_rng(1)
    x = rng.poisson(3, (500, 3))
    plan = Plan(3, (Collect("sums", (0, 1, 2), logs="rows"),))
    codes = np.zeros(500, dtype=np.int64)
    ((_, left),) = collect(plan, x, codes, AXIS, None)
    for row in rng.permutation(500):
        ((_, one),) = collect(plan, x[[row]], codes[:1], AXIS, None)
        left = left - one
    assert not left.values.any()


def test_columns_are_views_where_they_can_be():
    x = np.zeros((3, 6))
    table = Matrix(x, tuple(range(6)))
    assert table.numbers(tuple(range(6))).x is x
    assert table.numbers((1, 3, 5)).x.base is x
    assert all(column.base is x for column in table.numbers((0, 1, 3)).x)
    assert slice_of((4,)) == slice(4, 5)
    assert slice_of((3, 1)) is None


def test_declared_levels_stay():
    plan = Plan(1, (Collect("levels", (0,), levels=(0, 4), missing_level=True),))
    ((counts,),) = collect(plan, np.array([[1.0], [np.nan], [9.0], [1.0]]), CODES, AXIS, None)
    assert counts.levels.labels == (None, 0, 1, 4)
    assert counts.values.tolist() == [[0, 0, 1, 0], [1, 0, 1, 0]]
    ((empty,),) = collect(plan, np.zeros((0, 1), dtype=np.uint8), CODES[:0], AXIS, None)
    assert empty.levels.labels == (0, 4)


def test_columns_that_came_coded_have_the_levels_of_their_texts():
    # Values that do not occur, values that are the same level, missing cells, and a dictionary for every chunk.
    texts = ["b", None, "a", "b", "c", "a", None, "b"]
    codes = np.array([0, 1, 0, 1, 1, -1, 0, 0])
    plan = Plan(1, (Collect("levels", (0,)),))
    unused = pd.Series(pd.Categorical(texts, categories=["x", "c", "b", "y", "a"]))
    chunks = pa.chunked_array([pa.array(texts[:3]).dictionary_encode(), pa.array(texts[3:]).dictionary_encode()])
    wide = pa.DictionaryArray.from_arrays(pa.array([1, None, 0, 1, 2, 0, None, 1], pa.int64()), ["a", "b", "c"])
    twice = pa.DictionaryArray.from_arrays(pa.array([1, None, 0, 3, 2, 0, None, 1], pa.int8()), ["a", "b", "c", "b"])
    many = pd.Series(pd.Categorical(texts, categories=[*"abc", *map(str, range(50))]))
    expected = collect_table(plan, frame_of(pl.Series(texts)), codes, AXIS, None)
    for column in (unused, chunks, wide, twice, many, pl.Series(texts, dtype=pl.Categorical)):
        assert collect_table(plan, frame_of(column), codes, AXIS, None) == expected
    missing = Plan(1, (Collect("levels", (0,), missing_level=True),))
    expected = collect_table(missing, frame_of(pl.Series(texts)), codes, AXIS, None)
    for column in (unused, chunks, wide, twice, many):
        assert collect_table(missing, frame_of(column), codes, AXIS, None) == expected


def frame_of(column):
    return Frame((0,), (column_of(column),), len(column))
