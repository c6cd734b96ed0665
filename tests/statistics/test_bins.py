"""Bins: construction, merging, coarsening and errors. Quantiles and cells are in test_bin_readings.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from suffice.errors import DataError, MergeError, ParameterError
from suffice.statistics import Axis, Bins
from suffice.statistics.bin_layout import float_to_key
from tests.oracles import rows_bins

NAN, INF = float("nan"), float("inf")
A = Axis.of(["a"])


def of(*values: float, limit: int = 4) -> Bins:
    """Return the bins of one column "x" in one class "a"."""
    return rows_bins.as_statistic([[v] for v in values], [0] * len(values), ["a"], ["x"], limit)


def test_equal_values_share_a_bin_at_shift_zero() -> None:
    bins = of(2, 1, 2, NAN, -INF, INF, INF)
    assert bins.shift.tolist() == [0]
    assert bins.lower().tolist() == [1, 2]
    assert bins.upper().tolist() == [1, 2]
    assert bins.counts.tolist() == [[1, 2]]
    assert bins.below.tolist() == [[1]]
    assert bins.above.tolist() == [[2]]


def test_merging_coarsens_no_more_than_needed() -> None:
    both = of(1, 1.5) + of(2, 3, 4)
    assert both == of(1, 1.5, 2, 3, 4)
    assert both.shift.tolist() == [52]
    assert both.lower().tolist() == [1, 2, 4]
    assert both.counts.tolist() == [[2, 2, 1]]
    assert both.width().tolist() == [1, 2, 4]


def test_many_columns_of_few_bins_and_few_columns_of_many_merge_alike() -> None:
    rng = np.random.default_rng(1)
    x = rng.standard_normal((60, 40)).round(1)
    codes = rng.integers(0, 2, 60).tolist()
    parts = [slice(0, 25), slice(25, 26), slice(26, 60)]
    wide = [rows_bins.as_statistic(x[p].tolist(), codes[p], ["a", "b"], 40, 16) for p in parts]
    assert wide[0] + wide[1] + wide[2] == rows_bins.as_statistic(x.tolist(), codes, ["a", "b"], 40, 16)
    left, right = rng.standard_normal(3000), rng.standard_normal(3000)
    both = np.concatenate([left, right])
    keys = [np.unique(float_to_key(part)) for part in (left, right, both)]
    long = [
        Bins(A, 1, 10_000, [0], [0, len(k)], k, np.ones((1, len(k))), np.zeros((1, 1)), np.zeros((1, 1))) for k in keys
    ]
    assert long[0] + long[1] == long[2]
    assert long[2] - long[1] == long[0]


def test_blocks_of_columns_join_seamlessly() -> None:
    """More bins than one block holds, in columns that end anywhere."""
    rng = np.random.default_rng(2)
    sizes = [0, 30_000, 5, 0, 40_000, 17, 0]
    keys = np.concatenate([np.unique(float_to_key(rng.standard_normal(size))) for size in sizes])
    offsets = np.cumsum([0, *sizes])
    nothing = np.zeros((1, len(sizes)))
    counts = np.ones((1, len(keys)))
    odd = np.arange(len(keys)) % 2 == 1
    whole = Bins(A, len(sizes), 50_000, np.zeros(7), offsets, keys, counts, nothing, nothing)
    parts = [
        Bins(A, len(sizes), 50_000, np.zeros(7), offsets, keys, np.where(mask, counts, 0), nothing, nothing)
        for mask in (odd, ~odd)
    ]
    assert parts[0] + parts[1] == whole
    assert whole - parts[0] == parts[1]
    coarse = whole.coarsen(50)
    assert coarse.counts.sum() == whole.counts.sum()
    assert parts[0].coarsen(50) + parts[1].coarsen(50) == coarse


def test_subtraction_keeps_the_resolution_of_the_sum() -> None:
    left, right = of(1, 1.5), of(2, 3, 4)
    rest = left + right - right
    assert rest == left.coarsen(52)
    assert rest.counts.tolist() == [[2]]
    assert left + right - left - right == Bins.zero(["x"], 4)
    assert of(1, 2) - of(2) == of(1)


def test_a_column_that_is_emptied_forgets_its_shift() -> None:
    both = of(1, 1.5, 2, 3, 4)
    assert (both - both).shift.tolist() == [0]
    assert Bins.zero(["x"], 4).coarsen(7).shift.tolist() == [0]


def test_the_subtrahend_may_be_coarser() -> None:
    assert (of(1, 1.5, 4) - of(1, 1.5).coarsen(52)) == of(4).coarsen(52)


def test_classes_come_and_go() -> None:
    other = rows_bins.as_statistic([[1], [INF]], [0, 1], ["b", "c"], ["x"], 4)
    both = of(1, 2) + other
    assert both.classes.labels == ("a", "b", "c")
    assert both.counts.tolist() == [[1, 1], [1, 0], [0, 0]]
    assert both - other == of(1, 2)
    assert both - of(1, 2) == other
    declared = Bins.zero(["x"], 4, Axis.of(["z"], declared=True))
    assert declared + both - both == declared
    assert (declared + both).scale(0) == declared
    assert both.scale(2).counts.tolist() == [[2, 2], [2, 0], [0, 0]]


@pytest.mark.parametrize(
    ("subtrahend", "found"),
    [
        (of(1, 1), "class 'a', column 'x', bin [1.0, 1.0] has weight 1.0, but 2.0 would be removed"),
        (of(3), "class 'a', column 'x', bin [3.0, 3.0] has weight 0.0, but 1.0 would be removed"),
        (
            of(3).coarsen(52),
            "class 'a', column 'x', bin [2.0, 3.9999999999999996] has weight 0.0, but 1.0 would be removed",
        ),
        (of(-INF), "class 'a', column 'x' has weight of -inf 0.0, but 1.0 would be removed"),
        (of(INF, INF), "class 'a', column 'x' has weight of inf 1.0, but 2.0 would be removed"),
    ],
)
def test_more_than_was_put_in_is_refused(subtrahend: Bins, found: str) -> None:
    with pytest.raises(MergeError) as error:
        of(1, INF) - subtrahend
    assert str(error.value) == (
        f"cannot remove rows that were not added: {found}. Remove only rows that were added, with the same weights."
    )


def test_limits_and_columns_must_be_the_same() -> None:
    with pytest.raises(MergeError) as error:
        of(1) + of(1, limit=5)
    assert str(error.value) == (
        "cannot add bins with different limits: the left side has at most 4 bins per column, the right side 5. "
        "Collect both with the same limit."
    )
    with pytest.raises(MergeError, match="cannot subtract statistics of different columns"):
        of(1) - Bins.zero(["y"], 4)


def make(**changes: Any) -> Bins:
    given = {
        "classes": A,
        "columns": ["x", "y"],
        "limit": 2,
        "shift": [0, 0],
        "offsets": [0, 2, 3],
        "keys": float_to_key([1, 2, 3]),
        "counts": [[1, 1, 1]],
        "below": [[0, 0]],
        "above": [[0, 0]],
    }
    return Bins(**{**given, **changes})


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"shift": [0, 65]}, "shift must be from 0 to 64: column 'y' has 65."),
        ({"shift": [0.5, 0]}, "shift must be int64 of shape (2,): got [0.5, 0]. Pass one number for each label."),
        ({"offsets": [0, 2, 4]}, "offsets must increase from 0 to the number of keys, 3: got [0, 2, 4]."),
        ({"offsets": [1, 2, 3]}, "offsets must increase from 0 to the number of keys, 3: got [1, 2, 3]."),
        ({"offsets": [0, 4, 3]}, "offsets must increase from 0 to the number of keys, 3: got [0, 4, 3]."),
        (
            {"offsets": [0, 3, 3]},
            "a column may have at most 2 bins: column 'x' has 3. Use a greater shift.",
        ),
        (
            {"keys": float_to_key([2, 1, 3])},
            "keys must increase within a column: column 'x' has 13835058055282163712 before 13830554455654793216.",
        ),
        (
            {"keys": float_to_key([1, 2, INF])},
            (
                "keys must be those of finite numbers: column 'y' has 18442240474082181120 at shift 0. "
                "Count infinities in below and above."
            ),
        ),
        (
            {"shift": [64, 0], "keys": np.concatenate([[0, 1], float_to_key(3)]).astype(np.uint64)},
            "keys must be those of finite numbers: column 'x' has 1 at shift 64. Count infinities in below and above.",
        ),
        ({"keys": [[1]]}, "keys must have one dimension: got shape (1, 1). Pass one entry for each label."),
        ({"keys": [-1, 2, 3]}, "keys must be uint64 of one dimension: got [-1, 2, 3]. Pass one number for each label."),
        (
            {"counts": [[1, NAN, 1]]},
            "counts must be finite and ≥ 0: class 'a', column 'x', bin [2.0, 2.0] has nan. Pass finite weights ≥ 0.",
        ),
        (
            {"below": [[0, -1]]},
            "below must be finite and ≥ 0: class 'a', column 'y' has -1.0. Pass finite weights ≥ 0.",
        ),
        (
            {"above": [[INF, 0]]},
            "above must be finite and ≥ 0: class 'a', column 'x' has inf. Pass finite weights ≥ 0.",
        ),
    ],
)
def test_what_cannot_be_bins_is_refused(changes: dict[str, Any], text: str) -> None:
    with pytest.raises(DataError) as error:
        make(**changes)
    assert str(error.value) == text


@pytest.mark.parametrize("limit", [0, -3, 2.5, "many"])
def test_the_limit_is_a_whole_number(limit: Any) -> None:
    with pytest.raises(ParameterError) as error:
        make(limit=limit)
    assert str(error.value) == (f"limit, the maximum number of bins per column, must be an integer ≥ 1: got {limit!r}.")


def test_bins_are_never_made_finer() -> None:
    for shift, asked in ((51, 51), (65, 65), ([51], 51)):
        with pytest.raises(ParameterError) as error:
            of(1, 2).coarsen(52).coarsen(shift)
        assert str(error.value) == (
            f"bins can only be made coarser: column 'x' has shift 52, got {asked}. Pass a shift from 52 to 64."
        )


def test_a_stored_limit_is_checked() -> None:
    arrays = make().to_arrays()
    assert Bins.from_arrays(arrays) == make()
    with pytest.raises(DataError) as error:
        Bins.from_arrays({**arrays, "limit": np.array([0])})
    assert str(error.value) == "limit must be ≥ 1: got 0. The stored statistics are damaged: write them again."


def test_other_things_do_not_add() -> None:
    with pytest.raises(TypeError):
        of(1) + 1  # pyright: ignore[reportOperatorIssue]
    with pytest.raises(TypeError):
        of(1) - 1  # pyright: ignore[reportOperatorIssue]
    assert of(1) != 1


def test_repr_says_how_many_bins() -> None:
    assert repr(of(1, 2, INF)) == "Bins(Axis('a') × 1 columns, 2 bins, at most 4 per column, total weight 3)"


def test_the_oracle_knows_a_small_table_by_heart() -> None:
    (column,) = rows_bins.exact(
        [[1.0], [1.5], [2.0], [-INF], [NAN], [3.0]], [0, 1, 1, 1, 0, -1], 2, 2, [1, 2, 3, 4, 5, 6]
    )
    assert column.shift == 52
    assert column.keys.tolist() == [(1 << 63 | 1023 << 52) >> 52, (1 << 63 | 1024 << 52) >> 52]
    assert column.counts.tolist() == [[1, 0], [2, 3]]
    assert column.below.tolist() == [0, 4]
    assert column.above.tolist() == [0, 0]


def test_bins_of_no_columns_are_bins_too() -> None:
    assert Bins.zero(0) + Bins.zero(0) == Bins.zero(0)
    assert Bins.zero(0) - Bins.zero(0) == Bins.zero(0)
    assert Bins.zero(0).coarsen(3) == Bins.zero(0)
