"""Every engine function against the exact oracles, on rows that hypothesis draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from suffice.engines import arrays
from suffice.statistics import Axis, Counts
from tests.laws import statistics_rows as drawn
from tests.laws.test_statistics_laws import assert_close
from tests.oracles import rows_bins, rows_counts, rows_moments

LEVEL_LABELS = (("red", None, 5), 2)


def as_matrix(x: list[list[float]]) -> np.ndarray:
    return np.array(x, dtype=np.float64).reshape(len(x), len(drawn.COLUMNS))


@given(rows=drawn.some_rows())
def test_tally(rows: drawn.Rows) -> None:
    assert arrays.tally(np.array(rows.codes, dtype=np.int64), drawn.LABELS, weights=rows.weights) == drawn.tally(rows)


@given(rows=drawn.some_rows(weight=drawn.FRACTIONAL))
def test_moments_are_right_to_1e_12(rows: drawn.Rows) -> None:
    got = arrays.moments(as_matrix(rows.x), rows.codes, drawn.LABELS, columns=drawn.COLUMNS, weights=rows.weights)
    assert_close(got, drawn.moments(rows), 1e-12)


@given(rows=drawn.some_rows(weight=drawn.FRACTIONAL))
def test_scatter_is_right_to_1e_12(rows: drawn.Rows) -> None:
    got = arrays.scatter(as_matrix(rows.x), rows.codes, drawn.LABELS, columns=drawn.COLUMNS, weights=rows.weights)
    assert_close(got, drawn.scatter(rows), 1e-12)


@given(rows=drawn.some_rows(cells=drawn.wild), limit=st.integers(2, 9))
def test_bins_are_exact(rows: drawn.Rows, limit: int) -> None:
    got = arrays.bins(
        as_matrix(rows.x), rows.codes, drawn.LABELS, columns=drawn.COLUMNS, weights=rows.weights, limit=limit
    )
    assert got == drawn.bins(rows, limit)


def assert_same_bits(got: Any, want: Any) -> None:
    got, want = got.to_arrays(), want.to_arrays()
    assert {name: array.tobytes() for name, array in got.items()} == {
        name: array.tobytes() for name, array in want.items()
    }


@given(rows=drawn.some_rows(weight=drawn.FRACTIONAL), limit=st.integers(2, 9))
def test_one_pass_has_the_bits_of_two(rows: drawn.Rows, limit: int) -> None:
    given = as_matrix(rows.x), rows.codes, drawn.LABELS
    options: dict[str, Any] = {"columns": drawn.COLUMNS, "weights": rows.weights}
    moments, bins = arrays.moments_and_bins(*given, limit=limit, **options)
    assert_same_bits(moments, arrays.moments(*given, **options))
    assert_same_bits(bins, arrays.bins(*given, limit=limit, **options))


@pytest.mark.parametrize("shape", [(600_000, 2), (30_000, 40)])
@pytest.mark.parametrize("order", ["C", "F", "columns"])
def test_one_pass_over_many_rows_has_the_bits_of_two(shape: tuple[int, int], order: Any) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(1e6, 1, shape)
    x[rng.random(shape) < 0.01] = np.nan
    data = [x[:, j].copy() for j in range(shape[1])] if order == "columns" else np.asarray(x, order=order)
    given, weights = (data, rng.integers(-1, 3, len(x)), "abc"), rng.random(len(x))
    want = arrays.moments(*given, weights=weights), arrays.bins(*given, weights=weights)
    for threads in (1, 2, 5):
        got = arrays.moments_and_bins(*given, weights=weights, threads=threads)
        assert_same_bits(got[0], want[0])
        assert_same_bits(got[1], want[1])


@given(rows=drawn.some_rows())
def test_levels_are_exact(rows: drawn.Rows) -> None:
    codes = np.array(rows.levels, dtype=np.int16).reshape(len(rows.levels), 2)
    got, _ = arrays.levels(codes, rows.codes, drawn.LABELS, levels=LEVEL_LABELS, weights=rows.weights)
    want = drawn.levels(rows)
    assert got == want


@given(rows=drawn.some_rows(), threshold=st.sampled_from([0.0, -1.0, 1e8]))
def test_presence_is_exact(rows: drawn.Rows, threshold: float) -> None:
    x, w = as_matrix(rows.x), rows.weights
    got = arrays.presence(x, rows.codes, drawn.LABELS, columns=drawn.COLUMNS, weights=w, threshold=threshold)
    values, observed = rows_counts.presence(rows.x, rows.codes, len(drawn.LABELS), threshold, w, len(drawn.COLUMNS))
    want = rows_counts.as_statistic(drawn.LABELS, drawn.COLUMNS, values, observed, per_level=True)
    assert got == want + Counts.zero(Axis.of(drawn.COLUMNS, declared=True))  # a column of a table is declared


@given(
    x=hnp.arrays(np.float64, (7, 3), elements=st.one_of(st.integers(0, 9).map(float), st.just(float("nan")))),
    codes=hnp.arrays(np.int8, 7, elements=st.integers(-1, 2)),
    weights=hnp.arrays(np.float64, 7, elements=st.integers(0, 3).map(float)),
)
def test_sums_are_exact(x: np.ndarray, codes: np.ndarray, weights: np.ndarray) -> None:
    got = arrays.sums(x, codes, "abc", weights=weights)
    values, observed = rows_counts.sums(x.tolist(), codes.tolist(), 3, weights.tolist())
    kept = ["abc".index(str(label)) for label in got.classes]
    assert np.array_equal(got.values, values[kept])
    assert np.array_equal(np.broadcast_to(got.observed, got.values.shape), observed[kept])  # no classes, no form


INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.bool_, *INTEGERS])
@pytest.mark.parametrize("layout", ["C", "F", "strided", "reversed", "columns", "unaligned"])
def test_every_dtype_and_layout_gives_the_same(dtype: Any, layout: str) -> None:
    rng = np.random.default_rng(5)
    plain = rng.integers(0, 2 if dtype == np.bool_ else 100, (6000, 11)).astype(np.float64)
    codes, weights = rng.integers(-1, 3, 6000), rng.integers(0, 3, 6000)
    typed: Any = plain.astype(dtype)
    if layout == "F":
        typed = np.asfortranarray(typed)
    elif layout == "strided":
        wide = np.zeros((12000, 22), dtype)
        wide[::2, ::2] = typed
        typed = wide[::2, ::2]
    elif layout == "reversed":
        typed = np.ascontiguousarray(typed[::-1, ::-1])[::-1, ::-1]
    elif layout == "columns":
        typed = [np.ascontiguousarray(typed[:, j]) for j in range(11)]
    elif layout == "unaligned":
        raw = np.zeros(typed.nbytes + 1, np.uint8)
        moved = raw[1:].view(dtype).reshape(typed.shape)
        moved[...] = typed
        typed = moved
    for function in (arrays.moments, arrays.sums, arrays.presence, arrays.bins, arrays.scatter):
        assert function(typed, codes, "abc", weights=weights) == function(plain, codes, "abc", weights=weights)
    if np.dtype(dtype).kind in "iu":
        got = arrays.levels(typed, codes, "abc", levels=[100] * 11, weights=weights)
        assert got == arrays.levels(plain.astype(np.int64), codes, "abc", levels=[100] * 11, weights=weights)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_codes_of_every_integer_type(dtype: Any) -> None:
    x, codes = np.arange(12.0).reshape(6, 2), np.array([0, 1, 1, 2, 0, 2])
    assert arrays.moments(x, codes.astype(dtype), "abc") == arrays.moments(x, codes, "abc")
    assert arrays.moments(x, np.repeat(codes.astype(dtype), 3)[::3], "abc") == arrays.moments(x, codes, "abc")


def test_a_validity_bitmap_skips_the_cell() -> None:
    rng = np.random.default_rng(6)
    columns = [rng.normal(size=1000), rng.integers(0, 5, 1000)]
    codes, present = rng.integers(0, 2, 1000), rng.random(1000) < 0.7
    bitmap = np.packbits(present, bitorder="little")
    masked = np.column_stack([columns[0], np.where(present, columns[1], np.nan)])
    for function in (arrays.moments, arrays.bins, arrays.scatter, arrays.presence):
        assert function(columns, codes, "ab", valid=[None, bitmap]) == function(masked, codes, "ab")
    _, got = arrays.levels([columns[1]] * 2, codes, "ab", levels=[5, 5], valid=[None, bitmap])
    _, want = arrays.levels([columns[1], np.where(present, columns[1], -1)], codes, "ab", levels=[5, 5])
    assert got == want


def test_what_is_masked_is_missing() -> None:
    rng = np.random.default_rng(7)
    plain, mask = rng.integers(0, 9, (50, 3)), rng.random((50, 3)) < 0.2
    codes = rng.integers(0, 2, 50)
    with_nan = np.where(mask, np.nan, plain)
    for dtype in (np.int64, np.float64):
        x = np.ma.array(plain.astype(dtype), mask=mask)
        for function in (arrays.moments, arrays.sums, arrays.presence, arrays.bins, arrays.scatter):
            assert function(x, codes, "ab") == function(with_nan, codes, "ab")
            assert function([x[:, j] for j in range(3)], codes, "ab") == function(with_nan, codes, "ab")
    got = arrays.levels(np.ma.array(plain, mask=mask), codes, "ab", levels=[9] * 3)
    assert got == arrays.levels(np.where(mask, -1, plain), codes, "ab", levels=[9] * 3)
    hidden = np.ma.array(codes, mask=mask[:, 0])
    assert arrays.tally(hidden, "ab") == arrays.tally(codes[~mask[:, 0]], "ab")
    unmasked = np.ma.array(plain.astype(float), mask=False)
    assert arrays.moments(unmasked, codes, "ab") == arrays.moments(plain.astype(float), codes, "ab")


def test_a_mask_and_a_bitmap_both_hide() -> None:
    column = np.ma.array([1.0, 2.0, 4.0], mask=[1, 0, 0])
    got = arrays.moments([column], [0, 0, 0], "a", valid=[np.array([0b011], np.uint8)])
    assert got.mean[0, 0] == 2.0
    assert got.weight[0, 0] == 1


def test_a_bool_byte_other_than_one_is_true() -> None:
    odd = np.array([0, 1, 2, 255], np.uint8).view(bool)
    assert arrays.tally(odd, "ab").weight.tolist() == [1, 3]
    (counts,) = arrays.levels(odd[:, None], [0] * 4, "a", levels=[2])
    assert counts.values.tolist() == [[1, 3]]
    assert arrays.sums(odd[:, None], [0] * 4, "a").values.tolist() == [[3]]


def test_a_field_of_packed_records() -> None:
    records = np.zeros(5, dtype=[("flag", "u1"), ("value", "f8"), ("code", "i4")])
    records["value"], records["code"] = np.arange(5.0), [0, 1, 0, 1, 0]
    got = arrays.moments([records["value"]], records["code"], "ab", weights=records["value"])
    assert got == arrays.moments(np.arange(5.0)[:, None], [0, 1, 0, 1, 0], "ab", weights=np.arange(5.0))


def test_whole_weights_are_exact_on_sparse_rows_however_unlike_they_are() -> None:
    weights = [2.0**45, 1.0]
    for dense in ([[np.nan, 0.0], [3.0, 0.0]], [[np.nan, 1.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, 0.0]]):
        x = np.array(dense)
        assert arrays.sums(sp.csr_matrix(x), [0, 0], "a", weights=weights) == arrays.sums(
            x, [0, 0], "a", weights=weights
        )
        got, want = (arrays.moments(form(x), [0, 0], "a", weights=weights) for form in (sp.csr_matrix, np.asarray))
        assert np.array_equal(got.weight, want.weight)
        np.testing.assert_allclose(got.dp, want.dp, rtol=1e-12)
    x = np.array([[-5.0, 0.0], [0.0, 0.0]])
    for form in (sp.csr_matrix, np.asarray):
        assert arrays.presence(form(x), [0, 0], "a", threshold=-1, weights=weights).values.tolist() == [
            [1, 2.0**45 + 1]
        ]


@st.composite
def sparse_rows(draw: st.DrawFn) -> tuple[sp.csr_matrix, np.ndarray]:
    """Draw a CSR matrix with duplicates, in any order, with explicit zeros and NaN, and its dense equal."""
    rows, cols = draw(st.integers(0, 6)), draw(st.integers(1, 4))
    lengths = draw(st.lists(st.integers(0, 6), min_size=rows, max_size=rows))
    cell = st.one_of(st.integers(0, 3).map(float), st.just(float("nan")))
    indices = draw(st.lists(st.integers(0, cols - 1), min_size=sum(lengths), max_size=sum(lengths)))
    values = draw(st.lists(cell, min_size=sum(lengths), max_size=sum(lengths)))
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    matrix = sp.csr_matrix((np.array(values), np.array(indices, dtype=np.int32), starts), shape=(rows, cols))
    dense = np.zeros((rows, cols))
    for r in range(rows):
        for k in range(starts[r], starts[r + 1]):
            dense[r, indices[k]] += values[k]
    return matrix, dense


@given(pair=sparse_rows(), data=st.data())
def test_sparse_equals_dense(pair: tuple[sp.csr_matrix, np.ndarray], data: st.DataObject) -> None:
    matrix, dense = pair
    rows = dense.shape[0]
    codes = data.draw(st.lists(st.integers(-1, 1), min_size=rows, max_size=rows))
    weights = data.draw(st.lists(st.integers(0, 3).map(float), min_size=rows, max_size=rows))
    assert arrays.sums(matrix, codes, "ab", weights=weights) == arrays.sums(dense, codes, "ab", weights=weights)
    for threshold in (0.0, 1.0, -1.0):
        got = arrays.presence(matrix, codes, "ab", weights=weights, threshold=threshold)
        assert got == arrays.presence(dense, codes, "ab", weights=weights, threshold=threshold)
    names = tuple(range(dense.shape[1]))
    exact = rows_moments.as_statistic(dense.tolist(), codes, "ab", names, weights)
    assert_close(arrays.moments(matrix, codes, "ab", weights=weights), exact, 1e-12)


@pytest.mark.parametrize("make", [sp.csc_matrix, sp.coo_matrix, sp.csr_array, sp.csc_array, sp.lil_matrix])
def test_other_sparse_forms_are_converted(make: Any) -> None:
    dense = np.random.default_rng(0).poisson(0.3, (40, 9)).astype(float)
    codes = np.arange(40) % 3
    assert arrays.sums(make(dense), codes, "abc") == arrays.sums(dense, codes, "abc")


def test_sparse_values_far_from_zero_keep_their_digits() -> None:
    x = np.random.default_rng(1).normal(1e9, 1.0, (5000, 2))
    codes = np.arange(5000) % 2
    got = arrays.moments(sp.csr_matrix(x), codes, "ab")
    np.testing.assert_allclose(got.dp, arrays.moments(x, codes, "ab").dp, rtol=1e-12)


@pytest.mark.parametrize("mean", [0.0, 1e8, 1e9, 1.7e12])
def test_the_variance_far_from_zero_is_right_to_1e_9(mean: float) -> None:
    x = np.random.default_rng(2).normal(mean, 1.0, (20_000, 2))
    codes = np.random.default_rng(3).integers(0, 3, 20_000)
    got = arrays.moments(x, codes, "abc")
    for c in range(3):
        for j in range(2):
            values = x[codes == c, j]
            exact = rows_moments.fractions_of([[v] for v in values.tolist()], [0] * len(values), 0, 0)[2]
            assert abs(got.dp[c, j] / float(exact) - 1) <= 1e-12  # the law asks for 1e-9


SHAPES = {
    "epoch seconds, sd 1": lambda rng: rng.normal(1.7e9, 1.0, 200_000),
    "epoch milliseconds over 30 days": lambda rng: 1.7e12 + rng.integers(0, 30 * 86_400_000, 200_000).astype(float),
    "all magnitudes": lambda rng: 10.0 ** rng.uniform(-300, 300, 200_000) * rng.choice([-1, 1], 200_000),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("limit", [64, 4096])
def test_bins_keep_the_shape_of_a_column(name: str, limit: int) -> None:
    x = SHAPES[name](np.random.default_rng(4))[:, None]
    got = arrays.bins(x, np.zeros(len(x), np.int64), "a", limit=limit)
    assert limit / 2 < len(got.keys) <= limit
    quantiles = np.array([0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99])
    read = got.quantiles(quantiles)[:, 0]
    below = np.array([(x[:, 0] <= value).mean() for value in read])
    assert np.abs(below - quantiles).max() <= 0.25  # one bin is at most this heavy on these shapes at 64 bins
    assert (np.diff(read) > 0).all()


def test_bins_of_two_distinct_values_are_two() -> None:
    x = np.where(np.random.default_rng(5).random(10_000) < 0.3, 0.1, 0.1 + 2**-55)[:, None]
    x[0] = np.nextafter(0.1, 1)
    distinct = np.unique(x)
    got = arrays.bins(x, np.zeros(len(x), np.int64), "a")
    assert np.array_equal(got.lower(), distinct)
    assert np.array_equal(got.counts[0], np.unique(x, return_counts=True)[1])


def test_the_oracle_for_bins_is_the_definition_of_key() -> None:
    assert rows_bins.key(-0.0) == rows_bins.key(0.0) < rows_bins.key(5e-324) < rows_bins.key(1.0)


@pytest.mark.parametrize("size", [3, 700, 5000])
def test_levels_of_separate_columns_leave_rows_without_a_class_out(size):
    # Whatever stands in them, also a level that there is not.
    rng = np.random.default_rng(size)
    codes = rng.integers(-1, 3, 10_007)
    columns = [rng.integers(-1, size, len(codes)).astype(np.int32) for _ in range(3)]
    columns[1][codes < 0] = size + 7
    for counts, column in zip(arrays.levels(columns, codes, "abc", levels=[size] * 3), columns, strict=True):
        want = np.zeros((3, size))
        there = (codes >= 0) & (column >= 0)
        np.add.at(want, (codes[there], column[there]), 1)
        kept = want.any(axis=0)
        assert counts.values.tolist() == want[:, kept].tolist()
        assert counts.levels.labels == tuple(np.flatnonzero(kept).tolist())


@pytest.mark.parametrize("number", [1, 2, 3, 7, 8, 9, 20])
def test_columns_of_several_types_are_those_of_a_matrix(number):
    rng = np.random.default_rng(number)
    kinds = [np.int64, np.float64, np.uint8, np.float32, np.int16, np.bool_]
    columns = [rng.integers(0, 200, 3001).astype(kinds[j % len(kinds)]) for j in range(number)]
    codes = rng.integers(-1, 2, 3001)
    present = [rng.random(3001) < 0.9 if j % 3 == 1 else None for j in range(number)]
    valid = [None if there is None else np.packbits(there, bitorder="little") for there in present]
    matrix = np.column_stack([column.astype(np.float64) for column in columns])
    for j, there in enumerate(present):
        matrix[~there if there is not None else [], j] = np.nan
    assert arrays.moments(columns, codes, "ab", valid=valid) == arrays.moments(matrix, codes, "ab")
