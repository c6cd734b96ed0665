"""CountsTable: parts created on demand equal parts created directly."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from suffice.errors import DataError
from suffice.statistics import Axis, Counts
from suffice.statistics.counts import CountsTable

CLASSES = Axis.of(["cat", "dog"])


def parts():
    other = Axis.of(["cat"], declared=True)
    return (
        Counts(CLASSES, Axis.of(["black", "white"]), [[2, 1], [0, 3]], [[3], [3]]),
        Counts(CLASSES, Axis.of([4]), [[3], [3]], [[3], [3]]),
        Counts(other, Axis.of([None, True, 1, "1"]), [[1, 2, 3, 4]], [[10]]),
        Counts(CLASSES, Axis.of(["x"], declared=True), [[0], [0]], [[1], [1]]),
        Counts(CLASSES, Axis.of(["u", "v"]), [[1, 0], [2, 1]], [[1, 1], [2, 2]]),
        Counts.zero(),
    )


def fields(table):
    return {
        "classes": table.classes,
        "sizes": table.sizes,
        "kinds": table.kinds,
        "labels": list(table.labels),
        "declared": table.declared,
        "values": table.values,
        "observed": table.observed,
        "per_level": table.per_level,
        "class_declared": table.class_declared,
    }


def test_a_table_is_the_sequence_of_its_parts():
    given = parts()
    table = CountsTable.of(given, CLASSES)
    assert len(table) == 6
    assert table == given
    assert given == table
    assert table[2] == given[2]
    assert table[1:3] == given[1:3]
    assert list(table) == list(given)
    assert table != given[:5]
    assert table != 3
    assert table[0] is table[0]


def test_a_table_of_a_table_is_itself_unless_the_classes_are_others():
    table = CountsTable.of(parts(), CLASSES)
    assert CountsTable.of(table, CLASSES) is table
    wider = CountsTable.of(table, Axis.of(["cat", "dog", "emu"]))
    assert wider is not table
    assert wider == table


def test_regular_parts_share_the_memory_of_their_table_and_nobody_writes_there():
    given = parts()[:2]
    table = CountsTable.of(given, CLASSES)
    for part in CountsTable(**fields(table)):
        assert part.classes is CLASSES
        assert not part.values.flags.writeable
        assert not part.observed.flags.writeable
        assert part.values.flags.c_contiguous


def test_a_table_copies_and_pickles():
    table = CountsTable.of(parts(), CLASSES)
    assert copy.deepcopy(table) == table
    assert pickle.loads(pickle.dumps(table)) == table  # noqa: S301  our own
    with pytest.raises(TypeError):
        hash(table)


def test_tables_with_other_arrays_and_equal_parts_are_equal():
    given = parts()
    narrow, wide = CountsTable.of(given, CLASSES), CountsTable.of(given, Axis.of(["cat", "dog", "emu"]))
    assert not np.array_equal(narrow.values, wide.values)
    assert narrow == wide
    values = narrow.values.copy()
    values[0] = 7
    assert CountsTable(**{**fields(narrow), "values": values}) != narrow
    assert CountsTable(**fields(narrow)) == narrow


def test_no_parts_are_a_table_too():
    assert len(CountsTable.of((), CLASSES)) == 0
    assert CountsTable.of((), CLASSES) == ()
    assert CountsTable.of((Counts.zero(), Counts.zero()), Axis()) == (Counts.zero(), Counts.zero())


def test_it_says_what_it_is():
    assert repr(CountsTable.of(parts(), CLASSES)) == "CountsTable(Axis('cat', 'dog') × 6 columns of 10 levels in all)"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("sizes", [2, 1, 4, 1, 2, 1], "sizes must be ≥ 0 and sum to the number of labels, 10. The stored statistics are damaged: write them again."),
        ("sizes", [2, 1, 4, 1, 3, -1], "sizes must be ≥ 0 and sum to the number of labels, 10. The stored statistics are damaged: write them again."),
        ("sizes", [2**62, 2**62, 2**62, 2**62, 10, 0], "sizes must be ≥ 0 and sum to the number of labels, 10. The stored statistics are damaged: write them again."),
        ("kinds", b"\3", "kinds must have one entry for each of the 10 labels: got 1. The stored statistics are damaged: write them again."),
        ("declared", [True], "declared must have shape (10,): got shape (1,). Pass one entry for each label."),
        ("values", [1.0], "values must have shape (20,): got shape (1,). Pass one entry for each label."),
        ("observed", [1.0], "observed must have shape (14,): got shape (1,). Pass one entry for each label."),
        ("per_level", [True], "per_level must have shape (6,): got shape (1,). Pass one entry for each label."),
        ("class_declared", [True], "class_declared must have shape (6, 2): got shape (1,). Pass one entry for each label."),
        ("labels", ["white", "black", 4, None, True, 1, "1", "x", "u", "v"], "levels must be distinct and sorted by kind and value. The stored statistics are damaged: write them again."),
        ("labels", ["black", "black", 4, None, True, 1, "1", "x", "u", "v"], "levels must be distinct and sorted by kind and value. The stored statistics are damaged: write them again."),
        ("kinds", bytes([3, 3, 2, 2, 1, 2, 3, 3, 3, 3]), "levels must be distinct and sorted by kind and value. The stored statistics are damaged: write them again."),
        ("classes", ["cat"], "classes must be an Axis: got ['cat']. Pass Axis.of(labels)."),
    ],
)  # fmt: skip
def test_arrays_that_do_not_go_together_are_refused(name, value, said):
    given = fields(CountsTable.of(parts(), CLASSES))
    with pytest.raises(DataError) as caught:
        CountsTable(**{**given, name: value})
    assert str(caught.value) == said


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -1.0])
def test_a_count_that_cannot_be_is_named(bad):
    given = fields(CountsTable.of(parts(), CLASSES))
    values = given["values"].copy()
    values[5] = bad
    with pytest.raises(DataError) as caught:
        CountsTable(**{**given, "values": values})
    assert str(caught.value) == (
        f"values must be finite and ≥ 0: class 'dog', level 4 has {bad!r}. Pass finite counts ≥ 0."
    )
    observed = given["observed"].copy()
    observed[9] = bad
    with pytest.raises(DataError) as caught:
        CountsTable(**{**given, "observed": observed})
    assert str(caught.value) == (
        f"observed must be finite and ≥ 0: class 'cat', level 'v' has {bad!r}. Pass finite weights ≥ 0."
    )


def test_a_hundred_columns_of_few_levels_are_made_alike_on_both_ways():
    rng = np.random.default_rng(5)
    given = []
    for j in range(100):
        values = rng.integers(0, 3, (2, 1 + j % 4)).astype(float)
        given.append(Counts(CLASSES, Axis.of(range(1 + j % 4)), values, values.sum(axis=1, keepdims=True)))
    table = CountsTable.of(given, CLASSES)
    assert CountsTable(**fields(table)) == tuple(given)
