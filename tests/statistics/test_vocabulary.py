"""Vocabulary: sorted tokens as concatenated bytes."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.errors import DataError
from suffice.statistics.tokens import NO_WORDS, Vocabulary

DO = "The stored statistics are damaged: write them again."

some_words = st.lists(st.text("abé水𝒳 \x00", max_size=4), max_size=12)


def arrays(*words: bytes) -> tuple[Any, Any]:
    ends = np.cumsum([0, *map(len, words)], dtype=np.int64)
    return np.frombuffer(b"".join(words), dtype=np.uint8).copy(), ends


@given(some_words)
def test_words_are_sorted_and_each_there_once(words: list[str]) -> None:
    vocabulary = Vocabulary.of(words)
    expected = sorted(set(words))
    assert vocabulary.words == tuple(expected)
    assert len(vocabulary) == len(expected)
    assert [vocabulary.word(at) for at in range(len(vocabulary))] == expected
    assert [vocabulary.find(word) for word in expected] == list(range(len(expected)))
    assert vocabulary.find("nobody's") == -1
    assert Vocabulary.checked(*arrays(*(word.encode() for word in expected))) == vocabulary
    assert pickle.loads(pickle.dumps(vocabulary)) == vocabulary  # noqa: S301  what was just written
    assert copy.deepcopy(vocabulary) == vocabulary


@given(some_words, some_words)
def test_uniting_is_the_union_of_sets(left: list[str], right: list[str]) -> None:
    both, at_left, at_right = Vocabulary.of(left).union(Vocabulary.of(right))
    assert both.words == tuple(sorted({*left, *right}))
    assert tuple(both.words[at] for at in at_left) == tuple(sorted(set(left)))
    assert tuple(both.words[at] for at in at_right) == tuple(sorted(set(right)))
    assert not both.text.flags.writeable
    assert not both.ends.flags.writeable


@given(some_words, st.randoms())
def test_taking_some_keeps_their_order(words: list[str], random: Any) -> None:
    vocabulary = Vocabulary.of(words)
    mask = np.array([random.random() < 0.5 for _ in range(len(vocabulary))], dtype=np.bool_)
    taken = vocabulary.take(mask)
    assert taken.words == tuple(word for word, stays in zip(vocabulary.words, mask, strict=True) if stays)


def test_the_order_is_that_of_characters_on_every_plane() -> None:
    words = ["a", "z", "é", "\uffff", "\U00010000", "水"]
    assert list(Vocabulary.of(words).words) == sorted(words)


def test_equality_and_repr() -> None:
    assert Vocabulary.of(["ab", "c"]) != Vocabulary.of(["a", "bc"])
    assert Vocabulary.of([]) == NO_WORDS
    assert NO_WORDS.words == ()
    assert Vocabulary.of(["a"]) != ("a",)
    assert repr(Vocabulary.of(["b", "a"])) == "Vocabulary('a', 'b')"
    assert repr(Vocabulary.of("abcdef")) == "Vocabulary('a', 'b', 'c', 'd', … 6 in all)"
    with pytest.raises(TypeError, match=r"^unhashable type: 'Vocabulary'$"):
        hash(NO_WORDS)


@pytest.mark.parametrize(
    ("text", "ends", "said"),
    [
        (b"ab", [], "the ends of tokens must increase from 0 to the number of bytes, 2."),
        (b"ab", [1, 2], "the ends of tokens must increase from 0 to the number of bytes, 2."),
        (b"ab", [0, 1], "the ends of tokens must increase from 0 to the number of bytes, 2."),
        (b"ab", [0, 3, 2], "the ends of tokens must increase from 0 to the number of bytes, 2."),
        (b"ab", [0, 2**62, 2], "the ends of tokens must increase from 0 to the number of bytes, 2."),
        (
            b"a\xff",
            [0, 1, 2],
            "tokens must be UTF-8: 'utf-8' codec can't decode byte 0xff in position 1: invalid start byte.",
        ),
        (b"\xc3\xa9", [0, 1, 2], "a token must start at a character boundary."),
        (b"ba", [0, 1, 2], "tokens must be sorted and distinct."),
        (b"aa", [0, 1, 2], "tokens must be sorted and distinct."),
        (b"a", [0, 0, 0, 1], "tokens must be sorted and distinct."),
    ],
)
def test_damaged_arrays_are_refused(text: bytes, ends: list[int], said: str) -> None:
    with pytest.raises(DataError) as error:
        Vocabulary.checked(np.frombuffer(text, dtype=np.uint8), np.array(ends, dtype=np.int64))
    assert str(error.value) == f"{said} {DO}"
