"""Counts: the two forms of observed weights, arithmetic and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from suffice.errors import DataError, MergeError
from suffice.statistics import Axis, Counts
from tests.oracles import rows_counts

NAN = float("nan")


def counts(levels: list[Any], values: list[float], observed: list[float], per_level: bool | None = None) -> Counts:
    """Return counts of one class, "a"."""
    return Counts(Axis.of(["a"]), Axis.of(levels), [values], [observed], per_level)


def test_words_that_are_absent_were_observed() -> None:
    first, second = counts(["cat", "dog"], [2, 1], [5]), counts(["dog", "fox"], [3, 4], [7])
    both = first + second
    assert both.levels.labels == ("cat", "dog", "fox")
    assert both.values.tolist() == [[2, 4, 4]]
    assert both.observed.tolist() == [[12]]
    assert not both.per_level
    assert both - first == second
    assert both - second == first


def test_columns_that_are_absent_were_not_observed() -> None:
    first, second = counts(["x", "y"], [2, 1], [5, 4]), counts(["y", "z"], [3, 4], [7, 6])
    both = first + second
    assert both.values.tolist() == [[2, 4, 4]]
    assert both.observed.tolist() == [[5, 11, 6]]
    assert both.per_level
    assert both - first == second


def test_the_two_forms_together_are_per_level() -> None:
    words, columns = counts(["cat"], [2], [5]), counts(["dog", "fox"], [3, 4], [7, 6])
    for both in (words + columns, columns + words):
        assert both.observed.tolist() == [[5, 12, 11]]
        assert both.values.tolist() == [[2, 3, 4]]
        assert both - words == columns
    again = words + columns - columns
    assert again.per_level
    assert again.observed.tolist() == [[5, 5, 5]]


def test_one_level_needs_to_say_which_form_it_has() -> None:
    one = counts(["x"], [2], [5], per_level=True)
    assert one.per_level
    assert not counts(["x"], [2], [5]).per_level
    assert one != counts(["x"], [2], [5])
    assert (one + counts(["y", "z"], [1, 1], [3, 4])).observed.tolist() == [[5, 3, 4]]
    assert (counts(["x", "y"], [1, 2], [3, 4]) - counts(["x"], [1], [3], per_level=True)).per_level
    assert Counts.from_arrays(one.to_arrays()) == one


def test_zero_entries_vanish_unless_declared() -> None:
    classes, levels = Axis.of(["a", "b"], declared=[False, True]), Axis.of(["x", "y"], declared=[False, True])
    kept = Counts(classes, levels, np.zeros((2, 2)), np.zeros((2, 2)))
    assert kept.classes.labels == ("b",)
    assert kept.levels.labels == ("y",)
    assert not kept.per_level
    assert kept == Counts.zero(levels.take(np.array([False, True])), classes.take(np.array([False, True])))
    observed_only = counts(["x", "y"], [0, 1], [2, 3])
    assert observed_only.levels.labels == ("x", "y")
    assert counts(["x", "y"], [0, 1], [2]).levels.labels == ("y",)
    assert counts(["x"], [0], [2]).classes.labels == ("a",)


def test_zero_is_neutral_for_both_forms() -> None:
    for value in (counts(["x", "y"], [0, 1], [2, 3]), counts(["x"], [1], [2])):
        assert value + Counts.zero() == value
        assert Counts.zero() + value == value
        assert value - value == Counts.zero()
        assert value.scale(0) == Counts.zero()
    assert counts(["x"], [1], [2]).scale(0.5) == counts(["x"], [0.5], [1])


@pytest.mark.parametrize(
    ("subtrahend", "found"),
    [
        (counts(["x"], [3], [3]), "class 'a', level 'x' has count 2.0, but 3.0 would be removed"),
        (counts(["y"], [3], [3]), "class 'a', level 'y' has count 0.0, but 3.0 would be removed"),
        (counts(["x"], [1], [9]), "class 'a' has observed weight 4.0, but 9.0 would be removed"),
        (
            counts(["x"], [1], [9], per_level=True),
            "class 'a', level 'x' has observed weight 4.0, but 9.0 would be removed",
        ),
        (
            Counts(Axis.of(["b"]), Axis.of(["x"]), [[1]], [[1]]),
            "class 'b', level 'x' has count 0.0, but 1.0 would be removed",
        ),
    ],
)
def test_more_than_was_put_in_is_refused(subtrahend: Counts, found: str) -> None:
    with pytest.raises(MergeError) as error:
        counts(["x"], [2], [4]) - subtrahend
    assert str(error.value) == (
        f"cannot remove rows that were not added: {found}. Remove only rows that were added, with the same weights."
    )


@pytest.mark.parametrize(
    ("values", "observed", "text"),
    [
        ([[1, -1]], [[2]], "values must be finite and ≥ 0: class 'a', level 'y' has -1.0. Pass finite counts ≥ 0."),
        ([[1, NAN]], [[2]], "values must be finite and ≥ 0: class 'a', level 'y' has nan. Pass finite counts ≥ 0."),
        ([[1, 1]], [[-2]], "observed must be finite and ≥ 0: class 'a' has -2.0. Pass finite weights ≥ 0."),
        (
            [[1, 1]],
            [[2, NAN]],
            "observed must be finite and ≥ 0: class 'a', level 'y' has nan. Pass finite weights ≥ 0.",
        ),
        ([[1]], [[2]], "values must have shape (1, 2): got shape (1, 1). Pass one entry for each label."),
        ([[1, 1]], [[1, 2, 3]], "observed must have shape (1, 2): got shape (1, 3). Pass one entry for each label."),
    ],
)
def test_what_cannot_be_counts_is_refused(values: Any, observed: Any, text: str) -> None:
    with pytest.raises(DataError) as error:
        Counts(Axis.of(["a"]), Axis.of(["x", "y"]), values, observed)
    assert str(error.value) == text


def test_other_things_do_not_add() -> None:
    with pytest.raises(TypeError):
        Counts.zero() + 1  # pyright: ignore[reportOperatorIssue]
    with pytest.raises(TypeError):
        Counts.zero() - 1  # pyright: ignore[reportOperatorIssue]
    assert Counts.zero() != 0


def test_repr_says_what_is_counted() -> None:
    assert repr(counts(["x"], [2], [4])) == "Counts(Axis('a') × Axis('x'), total 2, observed C × 1)"
    assert repr(counts(["x", "y"], [2, 1], [4, 4])).endswith("observed C × L)")


def test_the_oracles_know_small_tables_by_heart() -> None:
    x, codes = [[1, NAN], [2, 3], [5, 0], [7, 7]], [0, 1, 1, -1]
    values, observed = rows_counts.sums(x, codes, 2, [1, 2, 0.5, 9])
    assert values.tolist() == [[1, 0], [6.5, 6]]
    assert observed.tolist() == [[1, 0], [2.5, 2.5]]
    values, observed = rows_counts.presence(x, codes, 2, threshold=1.0)
    assert values.tolist() == [[0, 0], [2, 1]]
    ((values, observed),) = rows_counts.levels([[0], [-1], [2], [1]], codes, 2, [3])
    assert values.tolist() == [[1, 0, 0], [0, 0, 1]]
    assert observed.tolist() == [[1], [1]]
