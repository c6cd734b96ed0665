"""Texts of Python objects and NumPy arrays as codes."""

from __future__ import annotations

import enum
import re
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice import _core
from tests.oracles import text_codes

TEXTS = st.one_of(st.sampled_from(["", "a", "b", "\0a", "é", "sixteen bytes...", "x" * 100]), st.text(max_size=30))
MISSING = st.sampled_from([None, float("nan"), np.float64("nan"), pd.NA, pd.NaT])
SURROGATE = "which UTF-8 cannot encode. Replace it: text.encode('utf-8', 'replace').decode('utf-8')."


def objects(items: list[Any]) -> np.ndarray:
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


@given(st.lists(st.lists(st.one_of(MISSING, TEXTS), max_size=40), min_size=1, max_size=4), st.booleans())
def test_objects_are_coded_as_a_dict_would(batches, last_grows):
    dictionary, oracle = _core.Dictionary(), {}
    for number, batch in enumerate(batches):
        grow = last_grows or number < len(batches) - 1
        expected = text_codes.encode([item if isinstance(item, str) else None for item in batch], oracle, grow)
        codes = dictionary.encode_objects(objects(batch), grow)
        assert codes is not None
        assert codes.dtype == np.int32
        assert codes.tolist() == expected
    assert dictionary.labels() == list(oracle)


@pytest.mark.parametrize("other", [1, 1.5, b"a", True, (), np.float32("nan"), np.datetime64("NaT"), object()])
def test_another_kind_of_item_leaves_everything_untouched(other):
    dictionary = _core.Dictionary(["a"])
    assert dictionary.encode_objects(objects(["b", "c", None, other, "d"]), True) is None
    assert dictionary.labels() == ["a"]
    assert dictionary.encode_objects(objects(["d", "a"]), True).tolist() == [1, 0]


def test_kinds_of_str_are_their_text():
    class Colour(enum.StrEnum):
        RED = "red"

    assert _core.Dictionary(["red"]).encode_objects(
        objects([Colour.RED, np.str_("red"), "".join(["r", "ed"])]), False
    ).tolist() == [0, 0, 0]


def test_strided_and_empty_arrays_of_objects():
    array = objects(list("abcabc"))
    dictionary = _core.Dictionary()
    assert dictionary.encode_objects(array[::-2], True).tolist() == [0, 1, 2]
    assert dictionary.labels() == ["c", "a", "b"]
    assert dictionary.encode_objects(array[:0], True).tolist() == []
    array.flags.writeable = False
    assert dictionary.encode_objects(array, False).tolist() == [1, 2, 0, 1, 2, 0]


def test_more_objects_than_one_block():
    texts = [str(i % 1500) for i in range(600_000)]
    dictionary, oracle = _core.Dictionary(), {}
    assert dictionary.encode_objects(objects(texts), True).tolist() == text_codes.encode(texts, oracle, True)


@given(st.lists(st.text(max_size=20).map(lambda text: text.rstrip("\0")), max_size=40))
def test_fixed_width_texts_are_coded_as_a_dict_would(texts):
    for array in (
        np.array(texts, dtype=np.str_),
        np.array(texts, dtype=np.str_).astype(">U40"),
        np.array([*texts, ""])[:-1],
    ):
        dictionary, oracle = _core.Dictionary(), {}
        assert dictionary.encode_fixed(array, True).tolist() == text_codes.encode(texts, oracle, True)
        assert dictionary.labels() == list(oracle)
        assert dictionary.encode_fixed(array[::-1], False).tolist() == text_codes.encode(texts[::-1], oracle, False)


def test_fixed_width_texts_that_are_unseen():
    assert _core.Dictionary(["b"]).encode_fixed(np.array(["a", "b"]), False).tolist() == [-2, 0]
    assert _core.Dictionary().encode_fixed(np.zeros(3, dtype="<U0"), True).tolist() == [0, 0, 0]


BAD: dict[str, tuple[Callable[[_core.Dictionary], Any], type[Exception], str]] = {
    "a surrogate among objects": (
        lambda dictionary: dictionary.encode_objects(objects(["new", "x\udc80"]), True),
        ValueError,
        "row 1 holds the lone surrogate U+DC80, " + SURROGATE,
    ),
    "a surrogate in an array": (
        lambda dictionary: dictionary.encode_fixed(np.array(["new", "x\ud800"]), True),
        ValueError,
        "row 1 holds the lone surrogate U+D800, " + SURROGATE,
    ),
    "a number that is no character": (
        lambda dictionary: dictionary.encode_fixed(np.array([97, 0x110000], dtype=np.uint32).view("<U1"), True),
        ValueError,
        "row 1 holds the number 1114112, which is not a Unicode character. Recreate the str array.",
    ),
    "a surrogate among labels": (
        lambda _: _core.Dictionary(["a", "\udfff"]),
        ValueError,
        "label 1 holds the lone surrogate U+DFFF, " + SURROGATE,
    ),
    "a label twice": (
        lambda _: _core.Dictionary(["a", "b", "a"]),
        ValueError,
        "labels must be distinct: label 2 is the same as label 0, 'a'. Name each once.",
    ),
    "a label that is no text": (
        lambda _: _core.Dictionary(["a", 1]),
        TypeError,
        "labels must be str: label 1 is a int.",
    ),
    "a list": (
        lambda dictionary: dictionary.encode_objects(["a"], True),
        TypeError,
        "array must be a one-dimensional NumPy array of objects: got a list.",
    ),
    "numbers for objects": (
        lambda dictionary: dictionary.encode_objects(np.zeros(2), True),
        TypeError,
        "array must be a one-dimensional NumPy array of objects: got items of format 'd'.",
    ),
    "a matrix of objects": (
        lambda dictionary: dictionary.encode_objects(np.empty((2, 2), dtype=object), True),
        TypeError,
        "array must be a one-dimensional NumPy array of objects: got an array of 2 dimensions.",
    ),
    "objects for texts": (
        lambda dictionary: dictionary.encode_fixed(objects(["a"]), True),
        TypeError,
        "array must be a one-dimensional NumPy array of str: got items of format 'O'.",
    ),
    "dates for texts": (
        lambda dictionary: dictionary.encode_fixed(np.array(["2020-01-01"], dtype="datetime64[D]"), True),
        TypeError,
        "array must be a one-dimensional NumPy array of str: got a ndarray.",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_answered_in_words_and_nothing_is_learnt(name):
    dictionary = _core.Dictionary(["kept"])
    call, kind, message = BAD[name]
    with pytest.raises(kind, match=f"^{re.escape(message)}$"):
        call(dictionary)
    assert dictionary.labels() == ["kept"]


def test_threads_may_share_a_dictionary():
    texts = [str(i * 7919 % 5000) for i in range(100_000)]
    column, array, fixed = pl.Series(texts), objects(texts), np.array(texts)
    dictionary = _core.Dictionary()
    answers: dict[int, np.ndarray] = {}

    def work(number: int) -> None:
        for _ in range(3):
            grow = number != 3
            if number == 0:
                answers[0] = dictionary.encode_objects(array, grow)
            elif number == 1:
                answers[1] = dictionary.encode_fixed(fixed, grow)
            else:
                (chunk,) = _core.arrow_chunks(column.__arrow_c_stream__())
                answers[number] = chunk.encode(dictionary, grow)
            dictionary.labels()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    labels = dictionary.labels()
    assert sorted(labels) == sorted(set(texts))
    for number in range(3):  # the fourth only looked, perhaps before there was anything to see
        assert [labels[code] for code in answers[number].tolist()] == texts
