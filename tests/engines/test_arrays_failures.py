"""Bad input: what, where, got, do. Each message is held whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from suffice import _core
from suffice.engines import arrays
from suffice.errors import DataError, ParameterError, SufficeError
from suffice.machine import thread_count
from suffice.statistics import Axis

X = np.arange(12.0).reshape(6, 2)
Y = np.array([0, 1, 0, 1, 0, 1])


def with_cell(value: float) -> np.ndarray:
    x = X.copy()
    x[4, 1] = value
    return x


def broken_csr(indices: Any = None, starts: Any = None) -> sp.csr_matrix:
    matrix = sp.csr_matrix(X)
    if indices is not None:
        matrix.indices = np.array(indices, dtype=np.int32)
    if starts is not None:
        matrix.indptr = np.array(starts, dtype=np.int32)
    return matrix


CASES: dict[str, tuple[Callable[[], Any], str]] = {
    "one dimension": (
        lambda: arrays.moments(np.arange(3.0), [0, 0, 0], "a"),
        "x must be a matrix of rows × columns: got an array of shape (3,). "
        "Use x.reshape(-1, 1) for one column, x.reshape(1, -1) for one row.",
    ),
    "three dimensions": (
        lambda: arrays.moments(np.zeros((2, 2, 2)), [0, 0], "a"),
        "x must be a matrix of rows × columns: got an array of shape (2, 2, 2).",
    ),
    "objects": (
        lambda: arrays.moments(X.astype(object), Y, "ab"),
        "x must be float64, float32, an integer type or bool in native byte order: got dtype object. "
        "Convert it with .astype(float), or code its values as integers.",
    ),
    "half floats": (
        lambda: arrays.moments(X.astype(np.float16), Y, "ab"),
        "x must be float64, float32, an integer type or bool in native byte order: got dtype float16. "
        "Convert it with .astype(float).",
    ),
    "the other byte order": (
        lambda: arrays.moments(X.astype(">f8"), Y, "ab"),
        "x must be float64, float32, an integer type or bool in native byte order: got dtype >f8. Convert it "
        "with .astype(float).",
    ),
    "complex": (
        lambda: arrays.moments(X.astype(complex), Y, "ab"),
        "x must be float64, float32, an integer type or bool in native byte order: got dtype complex128. Give numbers.",
    ),
    "text": (
        lambda: arrays.moments([["a", "b"]], [0], "a"),
        "x must be float64, float32, an integer type or bool in native byte order: got dtype <U1. Give numbers.",
    ),
    "ragged rows": (
        lambda: arrays.moments([[1.0], [1.0, 2.0]], [0, 0], "a"),
        "x must be an array of numbers: got list (setting an array element with a sequence. The requested array has an "
        "inhomogeneous shape after 1 dimensions. The detected shape was (2,) + inhomogeneous part.).",
    ),
    "too few codes": (
        lambda: arrays.moments(X, Y[:5], "ab"),
        "codes must have one entry per row: got 5 entries for 6 rows.",
    ),
    "codes as a column": (
        lambda: arrays.moments(X, Y[:, None], "ab"),
        "codes must have one entry per row: got an array of shape (6, 1). Use codes.ravel().",
    ),
    "codes that are no integers": (
        lambda: arrays.moments(X, Y + 0.5, "ab"),
        "codes must be integers (0 for the first class, -1 to ignore a row): got dtype float64.",
    ),
    "a class out of range": (
        lambda: arrays.moments(X, [0, 1, 2, 0, 0, 0], "ab"),
        "row 2: class codes must be from 0 to 1, or be -1 to ignore a row: got 2. Add the missing class, or "
        "remove the row.",
    ),
    "a negative class": (
        lambda: arrays.tally([0, -2], "ab"),
        "row 1: class codes must be from 0 to 1, or be -1 to ignore a row: got -2. Add the missing class, or "
        "remove the row.",
    ),
    "a huge class": (
        lambda: arrays.scatter(X, Y.astype(np.uint64) * 2**63, "ab"),
        "row 1: class codes must be from 0 to 1, or be -1 to ignore a row: got 9223372036854775808. Add the "
        "missing class, or remove the row.",
    ),
    "a negative weight": (
        lambda: arrays.moments(X, Y, "ab", weights=[1, 1, 1, -0.5, 1, 1]),
        "row 3: weights must be finite and ≥ 0: got -0.5. Remove the row; to subtract rows, use model.forget(...).",
    ),
    "a weight that is not a number": (
        lambda: arrays.bins(X, Y, "ab", weights=[1, np.nan, 1, 1, 1, 1]),
        "row 1: weights must be finite and ≥ 0: got nan. Remove the row; to subtract rows, use model.forget(...).",
    ),
    "an infinite weight": (
        lambda: arrays.levels(Y[:, None], Y, "ab", levels=[2], weights=[1, np.inf, 1, 1, 1, 1]),
        "row 1: weights must be finite and ≥ 0: got inf. Remove the row; to subtract rows, use model.forget(...).",
    ),
    "too many weights": (
        lambda: arrays.moments(X, Y, "ab", weights=np.ones(7)),
        "weights must have one entry per row: got 7 entries for 6 rows.",
    ),
    "weights as text": (
        lambda: arrays.moments(X, Y, "ab", weights=list("123456")),
        "weights must be float64, float32, an integer type or bool in native byte order: got dtype <U1. Give numbers.",
    ),
    "an infinity among moments": (
        lambda: arrays.moments(with_cell(np.inf), Y, "ab", columns=["age", "pay"]),
        "row 4, column 'pay': values must be finite, or NaN if missing: got inf. Replace it, or use "
        "columns={'pay': Histogram()}, which accepts ±inf.",
    ),
    "an infinity among counts": (
        lambda: arrays.presence(with_cell(-np.inf), Y, "ab"),
        "row 4, column 1: values must be finite, or NaN if missing: got -inf. Replace it, or use columns={1: "
        "Histogram()}, which accepts ±inf.",
    ),
    "an infinity in a sparse matrix": (
        lambda: arrays.sums(sp.csr_matrix(with_cell(np.inf)), Y, "ab"),
        "row 4, column 1: values must be finite, or NaN if missing: got inf. Replace it, or use columns={1: "
        "Histogram()}, which accepts ±inf.",
    ),
    "an infinity in a scatter": (
        lambda: arrays.scatter(with_cell(np.inf), Y, "ab"),
        "row 4, column 1: values must be finite, or NaN if missing: got inf. Replace it, or use columns={1: "
        "Histogram()}, which accepts ±inf.",
    ),
    "an overflow": (
        lambda: arrays.moments(with_cell(1e300), Y, "ab"),
        "column 1: the sums overflow float64: the values are too large. Rescale the column, or use columns={1: "
        "Histogram()}.",
    ),
    "an overflow of sums": (
        lambda: arrays.sums(np.full((3, 1), 1.7e308), [0, 0, 0], "a"),
        "column 0: the sums overflow float64: the values are too large. Rescale the column, or use columns={0: "
        "Histogram()}.",
    ),
    "a negative count": (
        lambda: arrays.sums(with_cell(-3), Y, "ab"),
        "row 4, column 1: counts must be ≥ 0: got -3.0. Use columns={1: Numeric()} if the column does not hold counts.",
    ),
    "a negative count in a sparse matrix": (
        lambda: arrays.sums(sp.csr_matrix(with_cell(-3)), Y, "ab"),
        "row 4, column 1: counts must be ≥ 0: got -3.0. Use columns={1: Numeric()} if the column does not hold counts.",
    ),
    "a level out of range": (
        lambda: arrays.levels(Y[:, None] * 5, Y, "ab", levels=[3]),
        "row 1, column 0: level codes must be from 0 to 2, or be -1 if missing: got 5. Add the missing level, or "
        "use the code -1.",
    ),
    "levels that are no integers": (
        lambda: arrays.levels(X, Y, "ab", levels=[3, 3]),
        "level codes must be integers, -1 where missing: x has dtype float64. Code its values first.",
    ),
    "levels for another number of columns": (
        lambda: arrays.levels(Y[:, None], Y, "ab", levels=[3, 3]),
        "levels must have one entry for each of the 1 columns of x: got 2.",
    ),
    "names for another number of columns": (
        lambda: arrays.moments(X, Y, "ab", columns=["age"]),
        "columns must name each of the 2 columns of x: got 1 names.",
    ),
    "columns of different length": (
        lambda: arrays.moments([np.arange(6.0), np.arange(5.0)], Y, "ab"),
        "column 1 must have one entry per row: got 5 entries for 6 rows.",
    ),
    "a short bitmap": (
        lambda: arrays.moments([np.arange(9.0)], np.zeros(9, int), "a", valid=[np.zeros(1, np.uint8)]),
        "the validity bitmap of column 0 must be uint8 with one bit per row, 2 bytes or more: got uint8 of shape (1,).",
    ),
    "too few bitmaps": (
        lambda: arrays.moments([np.arange(6.0), np.arange(6.0)], Y, "ab", valid=[None]),
        "valid must have one bitmap, or None, for each of the 2 columns: got 1.",
    ),
    "a bitmap for a matrix": (
        lambda: arrays.moments(X, Y, "ab", valid=[None, None]),
        "valid requires a list of columns: x is a matrix. Use NaN for missing cells.",
    ),
    "a bitmap for a sparse matrix": (
        lambda: arrays.moments(sp.csr_matrix(X), Y, "ab", valid=[None, None]),
        "valid cannot be combined with a sparse matrix. Store NaN for missing cells.",
    ),
    "columns that are not all arrays": (
        lambda: arrays.moments([np.arange(2.0), [0.0, 1.0]], [0, 0], "a"),
        "columns must be 1-D arrays: column 1 is a list. Convert it with np.asarray, or give rows as one 2-D array.",
    ),
    "bitmaps that are no arrays": (
        lambda: arrays.moments([np.arange(6.0)], Y, "ab", valid=[b"\x03"]),
        "the validity bitmap of column 0 must be uint8 with one bit per row, 1 bytes or more: got |S1 of shape ().",
    ),
    "one bitmap instead of a list": (
        lambda: arrays.moments([np.arange(6.0)], Y, "ab", valid=np.zeros(1, np.uint8)),  # type: ignore[arg-type]
        "valid must have one bitmap, or None, for each of the 1 columns: got ndarray.",
    ),
    "masked weights": (
        lambda: arrays.tally([0, 0, 1], "ab", weights=np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])),
        "row 1: weights must not be masked. Give it a weight, or 0 to ignore the row.",
    ),
    "weights that overflow": (
        lambda: arrays.moments(X, Y, "ab", weights=np.full(6, 1e308)),
        "the sum of the weights of class 0 overflows. Scale the weights down.",
    ),
    "weights that overflow on a sparse matrix": (
        lambda: arrays.moments(sp.csr_matrix(np.zeros((2, 1))), [0, 0], "a", weights=[1.7e308] * 2),
        "the sum of the weights of class 0 overflows. Scale the weights down.",
    ),
    "classes that are no labels": (
        lambda: arrays.tally([0], 2),  # type: ignore[arg-type]
        "classes must be a list of labels in code order, or an Axis: got 2.",
    ),
    "columns as one text": (
        lambda: arrays.sums(X, Y, "ab", columns="ab"),
        "columns must be the names of the 2 columns of x: got 'ab'.",
    ),
    "a column's name that is none": (
        lambda: arrays.sums(X, Y, "ab", columns=["a", None]),  # type: ignore[list-item]
        "a column name must be a string or an integer: got None (NoneType). Rename the column.",
    ),
    "one number of levels instead of a list": (
        lambda: arrays.levels(Y[:, None], Y, "ab", levels=3),  # type: ignore[arg-type]
        "levels must have one entry for each of the 1 columns of x: got 3.",
    ),
    "a negative number of levels": (
        lambda: arrays.levels(Y[:, None], Y, "ab", levels=[-3]),
        "the levels of column 0 must be labels in the order of the codes, an Axis, or their number: got -3.",
    ),
    "levels as one text": (
        lambda: arrays.levels(Y[:, None], Y, "ab", levels=["ab"]),
        "the levels of column 0 must be labels in the order of the codes, an Axis, or their number: got 'ab'.",
    ),
    "levels as a truth": (
        lambda: arrays.levels(Y[:, None], Y, "ab", levels=[True]),
        "the levels of column 0 must be labels in the order of the codes, an Axis, or their number: got True.",
    ),
    "a sparse vector": (
        lambda: arrays.sums(sp.coo_array(np.ones(3)), Y, "ab"),
        "x must be a matrix of rows × columns: got a sparse array of shape (3,). Use x.reshape(1, -1).",
    ),
    "bins of a sparse matrix": (
        lambda: arrays.bins(sp.csr_matrix(X), Y, "ab"),
        "bins need a dense matrix or columns: got a sparse matrix of shape (6, 2). Use x.toarray().",
    ),
    "an index beyond the columns": (
        lambda: arrays.sums(broken_csr(indices=[1, 0, 1, 0, 9, 0, 1, 0, 1, 0, 1]), Y, "ab"),
        "row 2: invalid CSR matrix: stored entry 1 has a column index out of range: got 9. Check the matrix with "
        "x.check_format().",
    ),
    "row starts that fall": (
        lambda: arrays.sums(broken_csr(starts=[0, 4, 3, 5, 7, 9, 11]), Y, "ab"),
        "row 2: invalid CSR matrix: indptr decreases, or exceeds the number of entries: got 3. Check the matrix "
        "with x.check_format().",
    ),
    "row starts beyond the end": (
        lambda: arrays.moments(broken_csr(starts=[0, 1, 3, 5, 7, 9, 99]), Y, "ab"),
        "row 6: invalid CSR matrix: indptr decreases, or exceeds the number of entries: got 99. Check the matrix "
        "with x.check_format().",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_bad_input_is_answered_in_full(name: str) -> None:
    call, message = CASES[name]
    with pytest.raises(DataError) as caught:
        call()
    assert str(caught.value) == message
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, SufficeError)


PARAMETERS: dict[str, tuple[Callable[[], Any], str]] = {
    "no threads": (
        lambda: arrays.moments(X, Y, "ab", threads=0),
        "threads must be an integer from 1 to 1024: got 0. Omit it to use all CPUs.",
    ),
    "half a thread": (
        lambda: arrays.moments(X, Y, "ab", threads=0.5),  # type: ignore[arg-type]
        "threads must be an integer from 1 to 1024: got 0.5. Omit it to use all CPUs.",
    ),
    "one bin": (
        lambda: arrays.bins(X, Y, "ab", limit=1),
        "limit must be a whole number from 2 to 2**30: got 1. 4096 suits most uses.",
    ),
    "a threshold in words": (
        lambda: arrays.presence(X, Y, "ab", threshold="1"),  # type: ignore[arg-type]
        "threshold must be a finite number: got '1'. Use 0 to treat positive values as present.",
    ),
    "a threshold that is not a number": (
        lambda: arrays.presence(X, Y, "ab", threshold=float("nan")),
        "threshold must be a finite number: got nan. Use 0 to treat positive values as present.",
    ),
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_bad_parameter_is_answered_in_full(name: str) -> None:
    call, message = PARAMETERS[name]
    with pytest.raises(ParameterError) as caught:
        call()
    assert str(caught.value) == message


def test_a_row_that_is_left_out_may_hold_anything() -> None:
    x, codes = with_cell(np.inf), np.array([0, 1, 0, 1, -1, 1])
    assert arrays.moments(x, codes, "ab") == arrays.moments(np.delete(x, 4, 0), np.delete(codes, 4), "ab")
    weights = np.array([1, 1, 1, 1, 0, 1])
    assert arrays.scatter(x, Y, "ab", weights=weights) == arrays.scatter(np.delete(x, 4, 0), np.delete(Y, 4), "ab")
    levels = np.array([[0], [1], [0], [1], [77], [1]])
    (got,) = arrays.levels(levels, codes, "ab", levels=[2])
    assert got.values.sum() == 5


@pytest.mark.parametrize("shape", [(0, 3), (4, 0), (0, 0)])
@pytest.mark.parametrize("name", ["moments", "sums", "presence", "bins", "scatter"])
def test_no_rows_and_no_columns_give_the_empty_statistic(name: str, shape: tuple[int, int]) -> None:
    got = getattr(arrays, name)(np.zeros(shape), np.zeros(shape[0], np.int64), ["a"])
    zero = got - got
    assert got + zero == got
    if shape[0] == 0:
        assert len(got.classes) == 0


def test_no_classes_at_all() -> None:
    assert len(arrays.moments(np.zeros((2, 2)), [-1, -1], []).classes) == 0
    with pytest.raises(DataError) as caught:
        arrays.moments(np.zeros((2, 2)), [0, -1], [])
    assert (
        str(caught.value)
        == "row 0: class codes must be -1 to ignore a row: got 0. Add the missing class, or remove the row."
    )
    (nobody,) = arrays.levels(np.array([[1]]), [-1], [], levels=[3])
    assert nobody.values.shape == (0, 0)
    for name in ("moments", "sums", "presence", "bins"):  # wider than what is worth a strip of its own
        assert len(getattr(arrays, name)(np.zeros((3, 140_000)), [-1] * 3, []).classes) == 0


def test_unsound_index_types_are_refused() -> None:
    matrix = sp.csr_matrix(X)
    matrix.indices = matrix.indices.astype(np.uint32)
    with pytest.raises(DataError) as caught:
        arrays.sums(matrix, Y, "ab")
    assert (
        str(caught.value) == "x is not a valid CSR matrix: x.indices must be int32 or int64, got uint32. Build x again."
    )


def test_row_starts_for_another_number_of_rows_are_refused() -> None:
    matrix = broken_csr(starts=[0, 1, 3])
    with pytest.raises(DataError) as caught:
        arrays.sums(matrix, Y, "ab")
    assert str(caught.value) == "x is not a valid CSR matrix: shape (6, 2) with 3 row starts, 11 indices."


def test_a_number_of_threads_may_be_a_numpy_one() -> None:
    assert thread_count(np.int64(3)) == 3  # type: ignore[arg-type]


def test_declared_classes_stay_and_seen_ones_vanish() -> None:
    x, codes = np.ones((2, 1)), [0, 0]
    assert arrays.moments(x, codes, ["a", "b"]).classes.labels == ("a",)
    assert arrays.moments(x, codes, Axis.of(["a", "b"], declared=True)).classes.labels == ("a", "b")


def test_columns_that_no_machine_holds_are_refused_before_they_are_allocated() -> None:
    wide = np.broadcast_to(np.float64(1.0), (5, 50_000_000_000))
    with pytest.raises(DataError, match=r"the moments of 2 classes × 50,000,000,000 columns would take 12,800\.0 GB"):
        arrays.moments(wide, [0] * 5, "ab")
    with pytest.raises(DataError, match=r"the scatter matrices of 2 classes × 50,000,000,000 columns would take"):
        arrays.scatter(wide, [0] * 5, "ab")
    with pytest.raises(DataError, match=r"would take"):
        arrays.sums(wide, [0] * 5, "ab")
    with pytest.raises(DataError, match=r"would take"):
        arrays.bins(wide, [0] * 5, "ab")
    with pytest.raises(DataError, match=r"the counts of 1 classes × 100,000,000,000 levels would take"):
        arrays.levels(np.zeros((1, 1), int), [0], "a", levels=[10**11])


@pytest.mark.parametrize("value", ["0", "many", "-1", "2.5"])
def test_a_bad_thread_variable_is_named(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUFFICE_NUM_THREADS", value)
    with pytest.raises(ParameterError) as caught:
        thread_count()
    expected = (
        f"SUFFICE_NUM_THREADS must be an integer from 1 to 1024: got {int(value) if value.isdecimal() else value!r}. "
    )
    assert str(caught.value) == expected + "Omit it to use all CPUs."


def test_where_the_number_of_threads_comes_from(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    monkeypatch.setenv("SUFFICE_NUM_THREADS", "3")
    monkeypatch.setenv("OMP_NUM_THREADS", "5,2")
    assert thread_count() == 3
    monkeypatch.delenv("SUFFICE_NUM_THREADS")
    assert thread_count() == 5
    monkeypatch.setenv("OMP_NUM_THREADS", "what?")
    assert thread_count() == len(os.sched_getaffinity(0))
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert thread_count() == len(os.sched_getaffinity(0))
    monkeypatch.delattr(os, "sched_getaffinity")
    assert thread_count() == os.cpu_count()


@pytest.mark.parametrize(
    "call",
    [
        lambda: _core.Matrix(np.zeros(3)),
        lambda: _core.Matrix(np.zeros((2, 2), np.float16)),
        lambda: _core.Matrix(np.array([["a"]], dtype=object)),
        lambda: _core.Labels(np.zeros(3), 2, None),
        lambda: _core.Labels(np.zeros(3, int), 2**40, None),
        lambda: _core.Labels(np.zeros(3, int), 2, np.zeros(2)),
        lambda: _core.Columns([np.zeros(3)], [], 3),
        lambda: _core.Columns([np.zeros(3)], [None], 4),
        lambda: _core.Columns([np.zeros(9)], [np.zeros(1, np.uint8)], 9),
        lambda: _core.Sparse(np.zeros(0, int), np.zeros(0, int), np.zeros(0), 3),
        lambda: _core.Sparse(np.zeros(2, int), np.zeros(1, int), np.zeros(0), 3),
        lambda: _core.Sparse(np.zeros(2), np.zeros(0, int), np.zeros(0), 3),
        lambda: _core.Sparse(np.zeros(4, int)[::2], np.zeros(0, int), np.zeros(0), 3),
        lambda: _core.moments(_core.Matrix(np.zeros((3, 1))), _core.Labels(np.zeros(2, int), 1, None), 1),
        lambda: _core.levels(_core.Matrix(np.zeros((3, 1))), _core.Labels(np.zeros(3, int), 1, None), [1], 1),
        lambda: _core.levels(_core.Matrix(np.zeros((3, 1), int)), _core.Labels(np.zeros(3, int), 1, None), [], 1),
        lambda: _core.bins(_core.Matrix(np.zeros((3, 1))), _core.Labels(np.zeros(3, int), 1, None), 1, 1),
    ],
)
def test_the_door_itself_refuses_what_does_not_fit(call: Callable[[], Any]) -> None:
    with pytest.raises((ValueError, TypeError)):
        call()
