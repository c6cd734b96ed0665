"""Scatter matrices: the merge formula, precision after a subtraction, and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from suffice.errors import DataError, MergeError
from suffice.statistics import Axis, Moments, Scatter
from suffice.statistics.moments import PASS
from tests.oracles import rows_moments, rows_scatter

NAN = float("nan")
A = Axis.of(["a"])


def of(*rows: list[float], weights: list[float] | None = None) -> Scatter:
    """Return the scatter of columns "x" and "y" in one class "a"."""
    return rows_scatter.as_statistic(rows, [0] * len(rows), ["a"], ["x", "y"], weights)


def test_the_merge_formula() -> None:
    both = of([1, 0], [3, 4]) + of([5, -1], [7, NAN])
    assert both.weight.tolist() == [3]
    assert both.left_out.tolist() == [1]
    assert both.mean.tolist() == [[3, 1]]
    assert both.scatter.tolist() == [[[8, -2], [-2, 14]]]


def test_the_diagonal_is_dp() -> None:
    rng = np.random.default_rng(5)
    x = (rng.standard_normal((40, 2)) * [1, 1e-3] + [1e8, 2]).tolist()
    scatter = of(*x[:13]) + of(*x[13:])
    moments: Moments = rows_moments.as_statistic(x, [0] * 40, ["a"], ["x", "y"])
    np.testing.assert_allclose(np.diagonal(scatter.scatter[0]), moments.dp[0], rtol=1e-15)


def test_a_large_part_leaves_a_small_one() -> None:
    small, large = of([1, 2], [1.5, 2.25], [1, 3]), of(*([[1e6 * i, -3e7 * i * i] for i in range(50)]))
    rest = small + large - large
    np.testing.assert_allclose(rest.scatter, small.scatter, rtol=1e-9)
    np.testing.assert_allclose(rest.mean, small.mean, rtol=1e-15)


def test_a_column_without_spread_varies_with_nothing() -> None:
    rest = of([1, 2], [1, 3], [4, 7]) - of([4, 7])
    assert rest.scatter.tolist() == [[[0, 0], [0, 0.5]]]
    assert of([1, 2], [4, 7]) - of([4, 7]) == of([1, 2])
    for far in np.random.default_rng(4).standard_normal((20, 2)) * 1e7:
        rest = of([0.1, 2], [0.1, 3], [0.1, 0.7], far.tolist()) - of(far.tolist())
        assert rest.scatter[0, 0].tolist() == [0, 0]
        assert rest.scatter[0, :, 0].tolist() == [0, 0]
        assert rest.scatter_low[0, 0].tolist() == [0, 0]


def collected(*rows: list[float]) -> Scatter:
    """Return what a pass over the rows would: one float an entry, and the blur of the diagonal."""
    exact = of(*rows)
    blur = np.diagonal(exact.scatter, axis1=1, axis2=2) * PASS
    return Scatter(A, ["x", "y"], exact.weight, exact.mean, exact.scatter, [0], exact.mean_low, None, blur)


def test_what_an_outlier_blurred_in_the_pass_is_unknown() -> None:
    rows = np.random.default_rng(2).standard_normal((50, 2)).tolist()
    both = collected(*rows, [1e9, 2])
    rest = both - collected([1e9, 2])
    assert rest.weight.tolist() == [50]
    assert rest.scatter[0, 0].tolist() == rest.scatter[0, :, 0].tolist() == [0, 0]
    assert 3e3 < float(rest.diagonal_blur[0, 0]) < 4e3
    np.testing.assert_allclose(rest.scatter[0, 1, 1], of(*rows).scatter[0, 1, 1], rtol=1e-12)
    assert (rest - collected(rows[0])).scatter[0, 0].tolist() == [0, 0]
    assert (both + rest).diagonal_blur.tolist() == (both.diagonal_blur + rest.diagonal_blur).tolist()
    assert Scatter.from_arrays(rest.to_arrays()).diagonal_blur.tolist() == rest.diagonal_blur.tolist()
    assert both == Scatter(A, ["x", "y"], both.weight, both.mean, both.scatter, [0], both.mean_low)


def test_classes_come_and_go() -> None:
    other = rows_scatter.as_statistic([[1, 2], [3, NAN]], [0, 1], ["b", "c"], ["x", "y"])
    both = of([1, 2]) + other
    assert both.classes.labels == ("a", "b", "c")
    assert both.left_out.tolist() == [0, 0, 1]
    assert both - other == of([1, 2])
    assert both - of([1, 2]) == other
    assert both - both == Scatter.zero(["x", "y"])
    assert both.scale(0) == Scatter.zero(["x", "y"])
    declared = Scatter.zero(["x", "y"], Axis.of(["z"], declared=True))
    assert both + declared - both == declared


def test_scale_moves_weights_and_scatter() -> None:
    half = of([1, 0], [3, 4], [7, NAN]).scale(0.5)
    assert half.weight.tolist() == [1]
    assert half.left_out.tolist() == [0.5]
    assert half.mean.tolist() == [[2, 2]]
    assert half.scatter.tolist() == [[[1, 2], [2, 4]]]
    assert Scatter(A, 1, [5e-324], [[3]], [[[0]]], [0]).scale(0.25) == Scatter.zero(1)


@pytest.mark.parametrize(
    ("subtrahend", "found"),
    [
        (of([1, 0], [3, 4], [1, 1]), "class 'a' has weight 2.0, but 3.0 would be removed"),
        (of([NAN, 0]), "class 'a' has left-out weight 0.0, but 1.0 would be removed"),
        (of([1, 9]), "class 'a', column 'y' has squared deviations 8.0, but 98.0 would be removed"),
    ],
)
def test_more_than_was_put_in_is_refused(subtrahend: Scatter, found: str) -> None:
    with pytest.raises(MergeError) as error:
        of([1, 0], [3, 4]) - subtrahend
    assert str(error.value) == (
        f"cannot remove rows that were not added: {found}. Remove only rows that were added, with the same weights."
    )


@pytest.mark.parametrize(
    ("arrays", "text"),
    [
        (
            ([-1], [[0, 0]], [[[0, 0], [0, 0]]], [0]),
            "weight must be finite and ≥ 0: class 'a' has -1.0. Pass finite weights ≥ 0.",
        ),
        (
            ([1], [[0, 0]], [[[0, 0], [0, 0]]], [NAN]),
            "left_out must be finite and ≥ 0: class 'a' has nan. Pass finite weights ≥ 0.",
        ),
        (
            ([1], [[0, NAN]], [[[0, 0], [0, 0]]], [0]),
            "mean must be finite: class 'a', column 'y' has nan. Rescale the column.",
        ),
        (
            ([1], [[0, 0]], [[[0, NAN], [0, 0]]], [0]),
            "scatter must be finite: class 'a', column 'x', column 'y' has nan. Rescale the column.",
        ),
        (
            ([1], [[0, 0]], [[[1, 0], [0, -1]]], [0]),
            "the diagonal of scatter must be finite and ≥ 0: class 'a', column 'y' has -1.0. Pass sums of squares.",
        ),
        (
            ([1], [[0, 0]], [[[1, 2], [3, 9]]], [0]),
            (
                "scatter must be symmetric: class 'a', column 'x', column 'y' has 2.0, but its transpose has 3.0 "
                "(or their low parts differ). Pass S = Σ w (x − m)(x − m)ᵀ."
            ),
        ),
        (
            ([0], [[0, 1]], [[[0, 0], [0, 0]]], [1]),
            (
                "mean and scatter must be 0 where the weight is 0: class 'a' has weight 0.0 and nonzero values "
                "or error bounds. Pass 0 for all of them."
            ),
        ),
        (
            ([0], [[0, 0]], [[[0, 0], [0, 0]]], [1], None, None, [[0, 1]]),
            (
                "mean and scatter must be 0 where the weight is 0: class 'a' has weight 0.0 and nonzero values "
                "or error bounds. Pass 0 for all of them."
            ),
        ),
        (
            ([1], [[0, 0]], [[[0, 0], [0, 0]]], [0], 5),
            "mean_low must have shape (1, 2): got shape (). Pass one entry for each label.",
        ),
        (
            ([1], [[0, 0]], [[[0, 0], [0, 0]]], [0], None, 5),
            "scatter_low must have shape (1, 2, 2): got shape (). Pass one entry for each label.",
        ),
        (
            ([1], [[0, 0]], [[[0, 0], [0, 0]]], [0], None, None, -5),
            "diagonal_blur must have shape (1, 2): got shape (). Pass one entry for each label.",
        ),
        (
            ([1], [[0, 0]], [[[0, 0], [0, 0]]], [0], None, None, [[0, -5]]),
            "diagonal_blur must be finite and ≥ 0: class 'a', column 'y' has -5.0. Omit it if scatter is exact.",
        ),
    ],
)
def test_what_cannot_be_a_scatter_is_refused(arrays: tuple[Any, ...], text: str) -> None:
    with pytest.raises(DataError) as error:
        Scatter(A, ["x", "y"], *arrays)
    assert str(error.value) == text


def test_overflow_is_refused_by_name() -> None:
    with pytest.raises(DataError) as error:
        of([1e160, 0]) + of([-1e160, 0])
    assert str(error.value) == "scatter must be finite: class 'a', column 'x', column 'x' has inf. Rescale the column."


def test_columns_must_be_the_same() -> None:
    with pytest.raises(MergeError, match=r"only the left side has \['x', 'y'\], only the right side has \[0\]"):
        of([1, 2]) + Scatter.zero(1)
    with pytest.raises(MergeError, match="cannot subtract statistics of different columns"):
        of([1, 2]) - Scatter.zero(1)


def test_other_things_do_not_add() -> None:
    with pytest.raises(TypeError):
        of([1, 2]) + 1  # pyright: ignore[reportOperatorIssue]
    with pytest.raises(TypeError):
        of([1, 2]) - 1  # pyright: ignore[reportOperatorIssue]
    assert of([1, 2]) != 1


def test_repr_says_what_was_left_out() -> None:
    assert repr(of([1, 2], [1, NAN])) == "Scatter(Axis('a') × 2 × 2 columns, total weight 1, left out 1)"


def test_the_oracle_knows_a_small_table_by_heart() -> None:
    weight, mean, scatter, left_out = rows_scatter.exact(
        [[1, 0], [3, 4], [NAN, 1], [8, 8]], [1, 1, 1, -1], 2, [1, 1, 2, 5]
    )
    assert weight.tolist() == [0, 2]
    assert left_out.tolist() == [0, 2]
    assert mean.tolist() == [[0, 0], [2, 2]]
    assert scatter.tolist() == [[[0, 0], [0, 0]], [[2, 4], [4, 8]]]
