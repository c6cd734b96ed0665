"""The logs of counts by class, and the rising factorial they rest on."""

from __future__ import annotations

import re

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from suffice import _core
from suffice.engines import arrays
from suffice.errors import DataError, ParameterError
from suffice.likelihoods.block_statistics import COARSE, FINE
from suffice.statistics import Axis
from tests.oracles.count_logs import count_logs as oracle

LABELS = Axis.of(["a", "b", "c"])
WHOLE = st.one_of(st.integers(0, 9), st.integers(0, 10**6)).map(float)


@st.composite
def rows(draw, cell):
    n, width = draw(st.integers(0, 12)), draw(st.integers(0, 19))
    x = draw(hnp.arrays(np.float64, (n, width), elements=st.one_of(cell, st.just(np.nan))))
    codes = draw(hnp.arrays(np.int64, n, elements=st.integers(-1, 2)))
    return x, codes, draw(st.none() | hnp.arrays(np.float64, n, elements=st.integers(0, 5).map(float)))


def assert_oracle(x, codes, weights, logs):
    got = arrays.count_logs(x, codes, LABELS, logs=logs, weights=weights)
    expected = oracle(x, codes, LABELS, weights, logs)
    assert got.levels == expected.levels
    assert got.classes == expected.classes
    # A row's log is the difference of two as large as ln n!, each right to 1e-15, and is kept to 2⁻⁴³.
    n = np.nansum(x, axis=1)
    size = np.sum((1 if weights is None else weights) * (n * np.log(n + 2) + 100))
    np.testing.assert_allclose(
        got.values @ [COARSE, FINE], expected.values @ [COARSE, FINE], rtol=0, atol=2e-15 * size + 1e-15
    )
    assert (got.values == np.floor(got.values)).all()
    assert arrays.count_logs(np.asfortranarray(x), codes, LABELS, logs=logs, weights=weights) == got
    assert arrays.count_logs(sparse.csr_matrix(x), codes, LABELS, logs=logs, weights=weights) == got
    if x.shape[1] and len(x):
        assert arrays.count_logs(list(x.T), codes, LABELS, logs=logs, weights=weights) == got


@given(drawn=rows(WHOLE))
def test_logs_of_cells(drawn):
    assert_oracle(*drawn, "cells")


@given(drawn=rows(st.one_of(WHOLE, st.floats(0, 100))))
def test_logs_of_rows(drawn):
    assert_oracle(*drawn, "rows")


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.float32, bool])
def test_every_dtype(dtype):
    x = np.random.default_rng(1).poisson(3, (100, 11)).astype(dtype)
    codes = np.arange(100) % 3
    for logs in ("cells", "rows"):
        got = arrays.count_logs(x, codes, LABELS, logs=logs)
        assert got == arrays.count_logs(x.astype(np.float64), codes, LABELS, logs=logs)


def test_known_numbers():
    got = arrays.count_logs([[3, 2], [0, 4], [1, 1]], [1, 1, 0], ["x", "y"], logs="rows").values @ [COARSE, FINE]
    np.testing.assert_allclose(got, np.log([2, 10]), rtol=1e-12)
    got = arrays.count_logs([[3, 2], [0, 4], [2, 1]], [1, 1, 0], ["x", "y"], logs="cells").values @ [COARSE, FINE]
    np.testing.assert_allclose(got, np.log([2, 12 * 24]), rtol=1e-12)


def test_classes_stand_where_their_labels_do():
    got = arrays.count_logs([[3.0], [2.0]], [0, 1], ["z", "a"], logs="cells")
    assert got.classes.labels == ("a", "z")
    np.testing.assert_allclose(got.values @ [COARSE, FINE], np.log([2, 6]), rtol=1e-12)


@pytest.mark.parametrize(
    ("kind", "text", "call"),
    [
        (
            DataError,
            "row 1, column 'b': Poisson counts must be integers: got 0.5. Round it, or use columns={'b': Numeric()}.",
            lambda: arrays.count_logs([[1, 1], [1, 0.5]], [0, 0], ["c"], logs="cells", columns=["a", "b"]),
        ),
        (
            DataError,
            "row 1, column 1: counts must be ≥ 0: got -2.0. Use columns={1: Numeric()} if the column does not "
            "hold counts.",
            lambda: arrays.count_logs([[1, 1], [1, -2]], [0, 0], ["c"], logs="rows"),
        ),
        (
            ParameterError,
            "logs must be 'cells' or 'rows': got 'none'.",
            lambda: arrays.count_logs([[1]], [0], ["c"], logs="none"),
        ),
    ],
)
def test_failures(kind, text, call):
    with pytest.raises(kind, match=f"^{re.escape(text)}$"):
        call()


def test_a_row_that_is_left_out_may_have_any_counts():
    x = np.array([[1.0, 2], [0.5, -1]])
    got = arrays.count_logs(x, [0, -1], LABELS, logs="cells")
    assert got == arrays.count_logs(x[:1], [0], LABELS, logs="cells")


def exact_rising(a, x):
    with mpmath.workdps(400):  # 1e-300 + 1e15 in full
        return mpmath.loggamma(mpmath.mpf(a) + mpmath.mpf(x)) - mpmath.loggamma(mpmath.mpf(a))


EXPONENT = st.floats(-300, 15).map(lambda e: 10.0**e)


@given(a=EXPONENT | st.floats(0.01, 100), x=st.integers(0, 40).map(float) | EXPONENT | st.floats(0, 30))
def test_rising_factorials(a, x):
    (got,) = _core.log_rising(np.array([a]), np.array([x]))
    expected = exact_rising(a, x)
    # Where a large and a small part meet, ln Γ(a + x) and ln a near 0, it is they that are right to 1e-15.
    size = 1 + abs(expected) + max(0.0, -float(np.log(a)))
    assert abs(mpmath.mpf(got) - expected) <= 1e-15 * 4 * size


@given(x=EXPONENT | st.floats(0.01, 30))
def test_log_gamma(x):
    one, given = np.ones(1), np.array([x])
    got = (_core.log_rising(one, given) - _core.log_rising(given, one))[0]
    expected = mpmath.loggamma(mpmath.mpf(x))
    assert abs(mpmath.mpf(got) - expected) <= 1e-14 * (1 + abs(expected))


def test_small_factorials_are_exact():
    whole = np.arange(17.0)
    got = _core.log_rising(np.ones(17), whole)
    assert got[0] == got[1] == 0
    expected = [float(mpmath.log(mpmath.factorial(int(x)))) for x in whole]
    assert (np.abs(got - expected) <= np.spacing(expected)).all()
