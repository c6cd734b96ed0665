"""Laws of the single pass: any split or order of the rows, any number of threads, any instruction set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from suffice import _core
from suffice.engines import arrays
from tests.laws.test_statistics_laws import assert_close

Collect = Callable[..., Any]


def as_levels(x: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(x), -1, np.abs(np.nan_to_num(x)).astype(np.int64) % 4)


def levels(x: np.ndarray, codes: Any, classes: Any, **options: Any) -> Any:
    first, *rest = arrays.levels(as_levels(x), codes, classes, levels=[4] * x.shape[1], **options)
    return Together([first, *rest])


class Together:
    """Several statistics that are added side by side."""

    def __init__(self, parts: list[Any]) -> None:
        self.parts = parts

    def __add__(self, other: Together) -> Together:
        return Together([a + b for a, b in zip(self.parts, other.parts, strict=True)])

    def __sub__(self, other: Together) -> Together:
        return Together([a - b for a, b in zip(self.parts, other.parts, strict=True)])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Together) and self.parts == other.parts


def sums(x: np.ndarray, *rest: Any, **options: Any) -> Any:
    return arrays.sums(np.abs(x), *rest, **options)


def bins(x: np.ndarray, *rest: Any, **options: Any) -> Any:
    return arrays.bins(x, *rest, limit=8, **options)


EXACT: list[Collect] = [levels, sums, arrays.presence, bins]
DEVIATIONS: list[Collect] = [arrays.moments, arrays.scatter]

SIZE = 9
cells = st.one_of(st.integers(-50, 50).map(float), st.just(float("nan")))


@st.composite
def tables(draw: st.DrawFn, centre: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows = draw(st.integers(0, SIZE))
    x = draw(hnp.arrays(np.float64, (rows, 2), elements=cells))
    if centre:
        x = x + draw(st.sampled_from([0.0, 1e8]))
    codes = draw(hnp.arrays(np.int64, rows, elements=st.integers(-1, 2)))
    weights = draw(hnp.arrays(np.float64, rows, elements=st.integers(0, 4).map(float)))
    return x, codes, weights


@pytest.mark.parametrize("collect", EXACT)
@given(table=tables(), data=st.data())
def test_any_split_and_order_equals_one_pass(collect: Collect, table: Any, data: st.DataObject) -> None:
    x, codes, weights = table
    order = np.array(data.draw(st.permutations(range(len(x)))), dtype=np.int64)
    cut = data.draw(st.integers(0, len(x)))
    parts = [collect(x[rows], codes[rows], "abc", weights=weights[rows]) for rows in (order[:cut], order[cut:])]
    assert parts[0] + parts[1] == collect(x, codes, "abc", weights=weights)


@pytest.mark.parametrize("collect", DEVIATIONS)
@given(table=tables(centre=True), data=st.data())
def test_any_split_and_order_equals_one_pass_to_1e_12(collect: Collect, table: Any, data: st.DataObject) -> None:
    x, codes, weights = table
    order = np.array(data.draw(st.permutations(range(len(x)))), dtype=np.int64)
    cut = data.draw(st.integers(0, len(x)))
    parts = [collect(x[rows], codes[rows], "abc", weights=weights[rows]) for rows in (order[:cut], order[cut:])]
    assert_close(parts[0] + parts[1], collect(x, codes, "abc", weights=weights), 1e-12)


@pytest.mark.parametrize("collect", EXACT)
@given(table=tables())
def test_weight_k_equals_k_copies(collect: Collect, table: Any) -> None:
    x, codes, weights = table
    copies = np.repeat(np.arange(len(x)), weights.astype(int))
    assert collect(x, codes, "abc", weights=weights) == collect(x[copies], codes[copies], "abc")


@pytest.mark.parametrize("collect", DEVIATIONS)
@given(table=tables(centre=True))
def test_weight_k_equals_k_copies_to_1e_12(collect: Collect, table: Any) -> None:
    x, codes, weights = table
    copies = np.repeat(np.arange(len(x)), weights.astype(int))
    assert_close(collect(x, codes, "abc", weights=weights), collect(x[copies], codes[copies], "abc"), 1e-12)


@pytest.mark.parametrize("collect", [arrays.moments, sums, arrays.presence, bins, levels])
@given(table=tables())
def test_missing_equals_absent(collect: Collect, table: Any) -> None:
    """A column's statistic is that of the rows in which it is observed."""
    x, codes, weights = table
    for j in (0, 1):
        seen = ~np.isnan(x[:, j])
        column = x[:, [j]]
        whole = collect(column, codes, "abc", weights=weights)
        part = collect(column[seen], codes[seen], "abc", weights=weights[seen])
        assert whole == part


@pytest.mark.parametrize("collect", EXACT)
@given(a=tables(), b=tables())
def test_subtracting_equals_never_having_seen(collect: Collect, a: Any, b: Any) -> None:
    first = collect(a[0], a[1], "abc", weights=a[2])
    both = collect(np.vstack([a[0], b[0]]), np.concatenate([a[1], b[1]]), "abc", weights=np.concatenate([a[2], b[2]]))
    left = both - collect(b[0], b[1], "abc", weights=b[2])
    if collect is bins:
        finer = np.maximum(first.shift, np.where(np.diff(left.offsets) > 0, left.shift, 0))
        assert left == first.coarsen(finer)
    else:
        assert left == first


@pytest.mark.parametrize("outlier", [1e3, 1e6, 1e9, 1e12, 1e15])
def test_subtracting_an_outlier_keeps_the_remaining_precision(outlier: float) -> None:
    """One pass rounds to 2⁻⁴⁸ of the squares it adds up, and says so: what is left is right to that, and never negative."""
    v = np.random.default_rng(0).normal(size=(100, 1))
    true = float(((v - v.mean()) ** 2).sum())
    everything = arrays.moments(np.vstack([v, [[outlier]]]), [0] * 101, "a")
    left = everything - arrays.moments([[outlier]], [0], "a")
    known_to = 2.0**-48 * float(everything.dp[0, 0])
    assert left.dp[0, 0] >= 0
    assert abs(left.dp[0, 0] - true) <= 1e-9 * true + 4 * known_to
    apart = (arrays.moments(v, [0] * 100, "a") + arrays.moments([[outlier]], [0], "a")) - arrays.moments(
        [[outlier]], [0], "a"
    )
    assert abs(apart.dp[0, 0] - true) <= 1e-9 * true + 1e-29 * outlier**2


def many_rows() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(11)
    x = rng.normal(1e3, 1.0, (60_000, 21)) * 10.0 ** np.arange(-10, 11)
    x[rng.random(x.shape) < 0.001] = np.nan
    return x, rng.integers(-1, 5, len(x)), rng.random(len(x))


ISAS = [name for name in ("plain", "avx2", "avx512") if _core.use_isa(name)]


@pytest.mark.parametrize("collect", [*EXACT, *DEVIATIONS])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_same_bits_on_any_threads_and_instruction_set(collect: Collect, weighted: bool) -> None:
    x, codes, weights = many_rows()
    options: dict[str, Any] = {"weights": weights} if weighted else {}
    before = _core.isa()
    want = collect(x, codes, "abcde", threads=1, **options)
    try:
        for isa in ISAS:
            assert _core.use_isa(isa)
            for threads in (1, 2, 3, 7):
                assert collect(x, codes, "abcde", threads=threads, **options) == want, (isa, threads)
    finally:
        _core.use_isa(before)


@pytest.mark.parametrize("collect", [*EXACT, *DEVIATIONS])
def test_the_same_bits_where_classes_times_columns_is_large(collect: Collect) -> None:
    rng = np.random.default_rng(12)
    wide = 60 if collect is arrays.scatter else 900
    x, codes, weights = rng.normal(size=(3000, wide)), rng.integers(0, 200, 3000), rng.random(3000)
    want = collect(x, codes, range(200), weights=weights, threads=1)
    assert collect(x, codes, range(200), weights=weights, threads=7) == want
