"""Axes: order, lookup, union, and the arrays they are stored as."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from suffice.errors import DataError
from suffice.statistics import Axis

DAMAGED = "The stored statistics are damaged: write them again."


def test_labels_are_sorted_by_kind_and_value() -> None:
    axis = Axis.of([("b",), "b", 2, True, b"x", None, "a", 1.5, ("a", 1), False])
    assert axis.labels == (None, False, True, 1.5, 2, "a", "b", b"x", ("a", 1), ("b",))
    assert [type(label) for label in axis][1:4] == [bool, bool, float]
    assert len(axis) == 10
    assert not axis.declared.any()
    assert not axis.declared.flags.writeable


def test_look_up_tells_kinds_apart() -> None:
    axis = Axis.of([1, True, "1", (1,), (True,)])
    assert [axis.index(label) for label in (True, 1, 1.0, np.int8(1), "1", (1.0,), (True,))] == [0, 1, 1, 1, 2, 4, 3]
    assert 1.0 in axis
    assert 0 not in axis
    assert axis.positions(["1", True]).tolist() == [2, 0]
    with pytest.raises(DataError) as error:
        axis.index("one")
    assert str(error.value) == "'one' is not on the axis Axis(True, 1, '1', (True,), (1,))."


def test_a_label_appears_once() -> None:
    for labels, shown in ((["a", "b", "a"], "'a'"), ([1, True, 1.0], "1"), ([None, None], "None")):
        with pytest.raises(DataError) as error:
            Axis.of(labels)
        assert str(error.value) == (
            f"the labels of an axis must be distinct: {shown} appears twice. Sum its entries first."
        )


def test_declared_flags_follow_their_labels() -> None:
    axis = Axis.of(["b", "a"], declared=[True, False])
    assert axis.declared.tolist() == [False, True]
    assert repr(axis) == "Axis('a', 'b' declared)"
    assert repr(Axis.of(range(13))) == "Axis(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ... 13 in all)"
    with pytest.raises(DataError) as error:
        Axis.of(["a"], declared=[True, False])
    assert str(error.value) == "declared must have shape (1,): got shape (2,). Pass one entry for each label."


def test_equality_is_of_labels_kinds_and_flags() -> None:
    assert Axis.of(["a", 1]) == Axis.of([1.0, "a"])
    assert Axis.of([1]) != Axis.of([True])
    assert Axis.of([(1,)]) != Axis.of([(True,)])
    assert Axis.of(["a"]) != Axis.of(["a"], declared=True)
    assert Axis() == Axis.of([])
    assert Axis() != ()


def test_union_merges_and_says_where_entries_went() -> None:
    axis, left, right = Axis.of(["a", "d", 3]).union(Axis.of(["c", True, "d"], declared=True))
    assert axis.labels == (True, 3, "a", "c", "d")
    assert axis.declared.tolist() == [True, False, False, True, True]
    assert left.tolist() == [1, 2, 4]
    assert right.tolist() == [0, 3, 4]


def test_declared_on_either_side_is_declared() -> None:
    axis, _, _ = Axis.of(["a", "b"], declared=True).union(Axis.of(["b", "c"]))
    assert axis == Axis.of(["a", "b", "c"], declared=[True, True, False])


def test_union_shares_what_it_can() -> None:
    axis = Axis.of(["a", "b"])
    same = Axis.of(["a", "b"])
    declared = Axis.of(["b"], declared=True)
    assert axis.union(axis)[0] is axis
    assert axis.union(same)[0] is axis
    assert axis.union(Axis())[0] is axis
    assert Axis().union(axis)[0] is axis
    assert axis.union(declared)[0].labels is axis.labels
    assert axis.union(declared)[0].declared.tolist() == [False, True]
    assert axis.union(axis.declare())[0] == axis.declare()
    assert axis.declare([True, False]).declared.tolist() == [True, False]


def test_union_with_a_superset_gives_its_positions() -> None:
    axis, left, right = Axis.of(["b"], declared=True).union(Axis.of(["a", "b"]))
    assert axis == Axis.of(["a", "b"], declared=[False, True])
    assert left.tolist() == [1]
    assert right.tolist() == [0, 1]


def test_take_keeps_the_order() -> None:
    axis = Axis.of([True, 1, "a"], declared=[True, False, True]).take(np.array([True, False, True]))
    assert axis == Axis.of([True, "a"], declared=True)
    assert axis.index("a") == 1
    assert Axis.of("ab").take(np.array([False, True])) == Axis.of("b")


def test_copies_and_pickles_are_equal() -> None:
    axis = Axis.of(["a", 1], declared=True)
    assert copy.deepcopy(axis) == axis
    assert pickle.loads(pickle.dumps(axis)) == axis  # noqa: S301  (workers get axes this way)


def test_arrays_spell_every_kind() -> None:
    axis = Axis.of([None, True, -7, 0.5, "é\ud800", b"\xff", (None, "a:b", b"", 1, False)], declared=True)
    arrays = axis.to_arrays("levels")
    assert {name: array.dtype.name for name, array in arrays.items()} == {
        "levels.kinds": "uint8",
        "levels.offsets": "int64",
        "levels.text": "uint8",
        "levels.declared": "bool",
    }
    assert arrays["levels.kinds"].tolist() == [0, 1, 2, 2, 3, 4, 5]
    assert arrays["levels.text"].tobytes() == (
        b"1-70.5\xc3\xa9\xed\xa0\x80\xff" + b"\x000:" + b"\x033:a:b" + b"\x040:" + b"\x021:1" + b"\x011:0"
    )
    assert Axis.from_arrays(arrays, "levels") == axis


def spelled(kinds: list[int], texts: list[bytes], declared: int | None = None) -> dict[str, np.ndarray]:
    return {
        "x.kinds": np.array(kinds, dtype=np.uint8),
        "x.offsets": np.cumsum([0, *map(len, texts)], dtype=np.int64),
        "x.text": np.frombuffer(b"".join(texts), dtype=np.uint8),
        "x.declared": np.zeros(len(kinds) if declared is None else declared, dtype=np.bool_),
    }


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        (0, b"x", "None must have no text"),
        (1, b"2", "a boolean must be 0 or 1"),
        (1, b"", "a boolean must be 0 or 1"),
        (2, b"1.0", "not a canonical number"),
        (2, b"+1", "not a canonical number"),
        (2, b"1_0", "not a canonical number"),
        (2, b"nan", "not a canonical number"),
        (2, b"1e5", "not a canonical number"),
        (2, b"\xff", "not a canonical number"),
        (2, b"9" * 400, "not a canonical number"),
        (3, b"\xff", "not UTF-8"),
        (3, b"\xc0\x80", "not UTF-8"),
        (6, b"", "kind 6 is unknown"),
        (5, b"\x051:\x05", "kind 5 is unknown"),
        (5, b"\x03", "a part of the tuple has an invalid length"),
        (5, b"\x032:a", "a part of the tuple has an invalid length"),
        (5, b"\x0301:a", "a part of the tuple has an invalid length"),
        (5, b"\x03-1:a", "a part of the tuple has an invalid length"),
        (5, b"\x03:a", "a part of the tuple has an invalid length"),
        (5, b"\x03" + b"9" * 30 + b":a", "a part of the tuple has an invalid length"),
    ],
)
def test_misspelled_labels_are_refused(kind: int, text: bytes, reason: str) -> None:
    with pytest.raises(DataError) as error:
        Axis.from_arrays(spelled([kind], [text]), "x")
    assert str(error.value) == f"x: label 0 is invalid ({reason}). {DAMAGED}"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"x.kinds": None}, f"x.kinds is missing from the stored arrays. {DAMAGED}"),
        (
            {"x.kinds": np.array([3, 3], dtype=np.int64)},
            f"x.kinds must be uint8 with 1 dimensions: got int64 with 1. {DAMAGED}",
        ),
        (
            {"x.offsets": np.array([0, 1], dtype=np.int64)},
            f"x.offsets must have one more entry than x.kinds: got 2 for 2. {DAMAGED}",
        ),
        (
            {"x.offsets": np.array([0, 3, 2], dtype=np.int64)},
            f"x.offsets must increase from 0 to the length of x.text, 2. {DAMAGED}",
        ),
        (
            {"x.offsets": np.array([0, -(2**63), 2], dtype=np.int64)},
            f"x.offsets must increase from 0 to the length of x.text, 2. {DAMAGED}",
        ),
        (
            {"x.declared": np.zeros(3, dtype=np.bool_)},
            f"x.declared must have one entry per label, 2: got 3. {DAMAGED}",
        ),
        (
            {"x.text": np.frombuffer(b"ba", dtype=np.uint8)},
            f"x must be sorted by kind and value. {DAMAGED}",
        ),
        (
            {"x.text": np.frombuffer(b"aa", dtype=np.uint8)},
            "the labels of an axis must be distinct: 'a' appears twice. Sum its entries first.",
        ),
    ],
)
def test_damaged_arrays_are_refused(change: dict[str, Any], text: str) -> None:
    arrays = {**spelled([3, 3], [b"a", b"b"]), **change}
    with pytest.raises(DataError) as error:
        Axis.from_arrays({name: array for name, array in arrays.items() if array is not None}, "x")
    assert str(error.value) == text


def test_unsorted_tuples_are_refused() -> None:
    with pytest.raises(DataError, match="must be sorted"):
        Axis.from_arrays(spelled([5, 5], [b"\x031:b", b"\x031:a"]), "x")


@pytest.mark.parametrize(
    ("labels", "given", "label"),
    [
        ([False, True], "TRUE", True),
        ([False, True], True, True),
        ([False, True], "true", True),
        ([True, "true"], "true", "true"),  # a label itself goes before a spelling
        ([True, "true"], "True", True),
        ([1, 2], "2", 2),
        ([1, "1"], "1", "1"),
        (["Yes", "no"], "yes", None),  # only booleans in any case
        ([1, 2], True, None),
        ([False, True], 1, None),
    ],
)
def test_a_label_is_located_by_itself_or_by_its_spelling(labels, given, label):
    axis = Axis.of(labels)
    assert axis.locate(given) == (None if label is None else axis.index(label))
