"""Streams that lie: an error in words, nothing learnt, everything released once."""

from __future__ import annotations

import re
import struct
from typing import Any

import numpy as np
import pytest

from suffice import _core
from tests.attacks.hand_made_arrow import OTHER_NAME, HandMade

MALFORMED = "the Arrow column is malformed: "
MAKE_AGAIN = " The library that produced the column is at fault: recreate the column, or pass a list or an array."
GIVE_TEXTS = " The library that produced the column is at fault: recreate the column, or pass a list of str."
CONVERT = " Convert it to numbers, text or booleans first."


def ints(*numbers: int) -> bytes:
    return struct.pack(f"={len(numbers)}i", *numbers)


def longs(*numbers: int) -> bytes:
    return struct.pack(f"={len(numbers)}q", *numbers)


def far_view(length: int = 20, buffer: int = 0, start: int = 0) -> bytes:
    return struct.pack("=i4sii", length, b"aaaa", buffer, start)


def read(hand_made: HandMade) -> list[_core.ArrowChunk]:
    return _core.arrow_chunks(hand_made.__arrow_c_stream__())


NOT_READ: dict[str, tuple[dict[str, Any], str]] = {
    "no schema": (
        {"form": b"i", "schema_error": 22, "words": b"no such table"},
        "the Arrow column could not be read at its schema: no such table (error 22).",
    ),
    "an error without words": (
        {"form": b"i", "next_error": 5},
        "the Arrow column could not be read at chunk 0: Input/output error (error 5).",
    ),
    "an error after a chunk": (
        {"form": b"i", "arrays": [(1, 0, 0, [None, ints(1)])], "next_error": 5, "words": b"line cut"},
        "the Arrow column could not be read at chunk 1: line cut (error 5).",
    ),
    "no format": ({"form": None}, "the Arrow column cannot be read: its schema has no format." + CONVERT),
    "an unknown format": ({"form": b"qq"}, "the Arrow column cannot be read: its format 'qq' is unknown." + CONVERT),
    "a decimal of no width": (
        {"form": b"d:9,2,99"},
        "the Arrow column cannot be read: its format 'd:9,2,99' is unknown." + CONVERT,
    ),
    "a scale beyond floats": (
        {"form": b"d:9,400"},
        "the Arrow column cannot be read: a decimal's scale must be in -128 … 127, and it is 400." + CONVERT,
    ),
    "codes that are floats": (
        {"form": b"g", "dictionary": (b"u", (0, 0, 0, []))},
        "the Arrow column cannot be read: the codes of its dictionary must be integers, and are 'g'." + CONVERT,
    ),
    "a negative length": (
        {"form": b"i", "arrays": [(-1, 0, 0, [None, ints(1)])]},
        MALFORMED + "its length is -1." + MAKE_AGAIN,
    ),
    "a length beyond memory": (
        {"form": b"g", "arrays": [(2**62, 0, 0, [None, ints(1)])]},
        MALFORMED + "its length is 4611686018427387904." + MAKE_AGAIN,
    ),
    "a negative offset": (
        {"form": b"i", "arrays": [(1, 0, -1, [None, ints(1)])]},
        MALFORMED + "its offset is -1." + MAKE_AGAIN,
    ),
    "more missing than rows": (
        {"form": b"i", "arrays": [(1, 2, 0, [b"\0", ints(1)])]},
        MALFORMED + "its null count is 2 for 1 rows." + MAKE_AGAIN,
    ),
    "missing rows without a bitmap": (
        {"form": b"i", "arrays": [(1, 1, 0, [None, ints(1)])]},
        MALFORMED + "its null count is 1, but it has no validity bitmap." + MAKE_AGAIN,
    ),
    "no buffers": (
        {"form": b"i", "arrays": [(1, 0, 0, None)]},
        MALFORMED + "it has 0 buffers, but 'i' needs 2." + MAKE_AGAIN,
    ),
    "no values": (
        {"form": b"i", "arrays": [(3, 0, 0, [None, None])]},
        MALFORMED + "it has 3 rows, but its value buffer is null." + MAKE_AGAIN,
    ),
    "no offsets": (
        {"form": b"u", "arrays": [(3, 0, 0, [None, None, b"abc"])]},
        MALFORMED + "it has 3 rows, but its value buffer is null." + MAKE_AGAIN,
    ),
    "no sizes of view buffers": (
        {"form": b"vu", "arrays": [(1, 0, 0, [None, far_view(), b"a" * 20, None])]},
        MALFORMED + "it has 1 text buffers, but the list of their sizes is null." + MAKE_AGAIN,
    ),
}


@pytest.mark.parametrize("name", NOT_READ)
def test_a_stream_that_cannot_be_read(name):
    arguments, message = NOT_READ[name]
    hand_made = HandMade(**arguments)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        read(hand_made)
    assert hand_made.released == {
        "stream": 1,
        "schema": 0 if "schema_error" in arguments else 1,
        "array": len(arguments.get("arrays", ())),
    }


# (the column, what it says); the first row is sound in each, and must not be learnt
NOT_ENCODED: dict[str, tuple[bytes, tuple[int, int, int, list[bytes | None]], str]] = {
    "falling offsets": (
        b"u",
        (3, 0, 0, [None, ints(0, 2, 1, 3), b"abc"]),
        "row 1 runs from byte 2 to byte 1, but offsets must be non-negative and non-decreasing.",
    ),
    "an offset beyond the last": (
        b"u",
        (4, 0, 0, [None, ints(0, 1, 2**31 - 1, 2, 3), b"abc"]),
        "row 1 runs from byte 1 to byte 2147483647, beyond the last offset, 3.",
    ),
    "a long offset beyond the last": (
        b"U",
        (3, 0, 0, [None, longs(0, 1, 2**62, 3), b"abc"]),
        "row 1 runs from byte 1 to byte 4611686018427387904, beyond the last offset, 3.",
    ),
    "falling long offsets": (
        b"U",
        (3, 0, 0, [None, longs(0, 1, -5, 3), b"abc"]),
        "row 1 runs from byte 1 to byte -5, but offsets must be non-negative and non-decreasing.",
    ),
    "negative offsets": (
        b"u",
        (2, 0, 1, [None, ints(9, -4, 0, 1), b"abc"]),
        "row 0 runs from byte -4 to byte 0, but offsets must be non-negative and non-decreasing.",
    ),
    "no bytes": (b"u", (2, 0, 0, [None, ints(0, 0, 2), None]), "row 1 has 2 bytes, but the column has no byte buffer."),
    "a view of negative length": (
        b"vu",
        (2, 0, 0, [None, bytes(16) + far_view(-3), None]),
        "row 1 has a length of -3 bytes.",
    ),
    "a view without buffers": (
        b"vu",
        (2, 0, 0, [None, bytes(16) + far_view(), None]),
        "row 1 points into buffer 0, but the column has 0.",
    ),
    "a view into a later buffer": (
        b"vu",
        (2, 0, 0, [None, bytes(16) + far_view(buffer=1), b"a" * 20, longs(20)]),
        "row 1 points into buffer 1, but the column has 1.",
    ),
    "a view into a negative buffer": (
        b"vu",
        (2, 0, 0, [None, bytes(16) + far_view(buffer=-1), b"a" * 20, longs(20)]),
        "row 1 points into buffer -1, but the column has 1.",
    ),
    "a view beyond its buffer": (
        b"vu",
        (2, 0, 0, [None, bytes(16) + far_view(start=1), b"a" * 20, longs(20)]),
        "row 1 runs from byte 1 to byte 21 of a buffer of 20.",
    ),
    "a view before its buffer": (
        b"vu",
        (2, 0, 0, [None, bytes(16) + far_view(start=-1), b"a" * 20, longs(20)]),
        "row 1 runs from byte -1 to byte 19 of a buffer of 20.",
    ),
    "a view into nothing": (
        b"vu",
        (2, 0, 0, [None, bytes(16) + far_view(), None, longs(20)]),
        "row 1 has 20 bytes, but the column has no byte buffer.",
    ),
}


@pytest.mark.parametrize("name", NOT_ENCODED)
def test_a_text_that_cannot_be_there(name):
    form, array, message = NOT_ENCODED[name]
    hand_made = HandMade(form, [array])
    (chunk,) = read(hand_made)
    dictionary = _core.Dictionary(["kept"])
    whole = f"^{re.escape(MALFORMED + message + GIVE_TEXTS)}$"
    with pytest.raises(ValueError, match=whole):
        chunk.encode(dictionary, True)
    with pytest.raises(ValueError, match=whole):
        chunk.texts()
    assert dictionary.labels() == ["kept"]
    assert hand_made.released["array"] == 0
    del chunk
    assert hand_made.released == {"stream": 1, "schema": 1, "array": 1}


def test_a_code_beyond_its_dictionary():
    values = (2, 0, 0, [None, ints(0, 1, 2), b"ab"])
    (chunk,) = read(HandMade(b"i", [(3, 0, 0, [None, ints(0, 1, 2)])], dictionary=(b"u", values)))
    dictionary = _core.Dictionary()
    message = MALFORMED + "row 2 has code 2, but its dictionary has 2 values." + MAKE_AGAIN
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        chunk.encode(dictionary, True)
    assert len(dictionary) == 0


def test_rubbish_under_a_missing_row_is_not_read():
    hand_made = HandMade(b"vu", [(2, 1, 0, [b"\x01", bytes(16) + far_view(-1, 7, -7), None])])
    (chunk,) = read(hand_made)
    assert chunk.encode(_core.Dictionary(), True).tolist() == [0, -1]
    assert chunk.texts() == ["", None]


def test_bytes_that_are_not_utf8():
    hand_made = HandMade(b"u", [(2, 0, 0, [None, ints(0, 1, 3), b"a\xff\xfe"])])
    (chunk,) = read(hand_made)
    dictionary = _core.Dictionary()
    assert chunk.encode(dictionary, True).tolist() == [0, 1]
    for ask, what in ((chunk.texts, "row 1"), (dictionary.labels, "label 1")):
        message = f"{what} is not valid UTF-8. Replace the invalid bytes, or read the column as binary."
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            ask()


def test_missing_rows_are_counted_when_the_producer_did_not():
    for declared in (-1, 1, 4):  # the bitmap says 3
        (chunk,) = read(HandMade(b"i", [(6, declared, 3, [b"\xa8\x00", ints(*range(9))])]))
        assert chunk.missing == 3
        bits = chunk.valid()
        assert bits is not None
        assert bits.tolist() == [0b010101]
        assert chunk.values().tolist() == [3, 4, 5, 6, 7, 8]


def test_values_at_odd_addresses_are_copied():
    block = b"\0" + np.arange(4.0).tobytes()
    hand_made = HandMade(b"g", [(4, 0, 0, [None, block])])
    buffers = hand_made.kept[0][1]
    buffers[1] += 1
    (chunk,) = read(hand_made)
    values = chunk.values()
    assert values.flags.aligned
    assert values.tolist() == [0, 1, 2, 3]


def test_padding_of_short_views_means_nothing():
    views = b"".join(struct.pack("=i12s", 2, b"ab" + rest) for rest in (b"\0" * 10, b"#" * 10, b"?" * 10))
    (chunk,) = read(HandMade(b"vu", [(3, 0, 0, [None, views, None])]))
    assert chunk.encode(_core.Dictionary(), True).tolist() == [0, 0, 0]


def test_a_capsule_of_another_name():
    with pytest.raises(TypeError, match="a PyCapsule named 'arrow_array_stream': got a PyCapsule"):
        _core.arrow_chunks(HandMade(b"i").__arrow_c_stream__(OTHER_NAME))


def test_arrays_keep_the_chunk_and_release_it_once():
    hand_made = HandMade(b"i", [(2, 0, 0, [None, ints(4, 5)]), (1, 0, 0, [None, ints(6)])])
    chunks = read(hand_made)
    values = chunks[0].values()
    del chunks
    assert hand_made.released == {"stream": 1, "schema": 1, "array": 1}
    assert values.tolist() == [4, 5]
    del values
    assert hand_made.released == {"stream": 1, "schema": 1, "array": 2}
