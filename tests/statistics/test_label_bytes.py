"""Vectorised decoding of labels agrees with decoding them one by one, and invalid labels are named."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.errors import DataError
from suffice.statistics.label_bytes import labels_from_arrays, labels_to_arrays
from suffice.statistics.labels import BYTES, NONE, NUMBER, TEXT

KINDS = {type(None): NONE, int: NUMBER, str: TEXT, bytes: BYTES}


def spelled(labels, kind=None):
    return labels_to_arrays(bytes(KINDS[type(label)] if kind is None else kind for label in labels), labels, "x")


def arrays(kind, *pieces):
    """The arrays of labels of one kind whose texts are these."""
    lengths = [len(piece) for piece in pieces]
    return {
        "x.kinds": np.full(len(pieces), kind, dtype=np.uint8),
        "x.offsets": np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        "x.text": np.frombuffer(b"".join(pieces), dtype=np.uint8),
    }


@given(st.lists(st.integers(-(10**20), 10**20)))
def test_whole_numbers_read_back(labels):
    again = labels_from_arrays(spelled(labels), "x")
    assert again == labels
    assert all(type(label) is int for label in again)


@given(st.lists(st.one_of(st.none(), st.text(st.characters()), st.text(st.characters(categories=["Cs", "Lu"])))))
def test_texts_and_none_among_them_read_back(labels):
    assert labels_from_arrays(spelled(labels), "x") == labels


@given(st.lists(st.binary(max_size=4), min_size=1))
def test_what_is_read_at_once_is_what_is_read_one_by_one(pieces):
    for kind in (TEXT, NUMBER, NONE):
        alone = []
        for at, piece in enumerate(pieces):
            try:
                # Beside a label of another kind nothing is read at once.
                (first, _) = labels_from_arrays(
                    {
                        "x.kinds": np.array([kind, BYTES], dtype=np.uint8),
                        "x.offsets": np.array([0, len(piece), len(piece)]),
                        "x.text": np.frombuffer(piece, dtype=np.uint8),
                    },
                    "x",
                )
            except DataError as problem:
                alone.append(str(problem).replace("label 0", f"label {at}"))
            else:
                alone.append(first)
        wrong = next((said for said in alone if isinstance(said, str) and said.startswith("x: label ")), None)
        if wrong is None:
            assert repr(labels_from_arrays(arrays(kind, *pieces), "x")) == repr(alone)
        else:
            with pytest.raises(DataError) as caught:
                labels_from_arrays(arrays(kind, *pieces), "x")
            assert str(caught.value) == wrong


@pytest.mark.parametrize(
    "piece", [b"", b"-", b"-0", b"01", b"-01", b"+1", b" 1", b"1_0", b"1-", b"\xd9\xa1", b"1" * 400]
)
def test_a_number_that_is_spelled_otherwise_is_refused(piece):
    with pytest.raises(DataError) as caught:
        labels_from_arrays(arrays(NUMBER, b"7", piece), "x")
    assert str(caught.value) == (
        "x: label 1 is invalid (not a canonical number). The stored statistics are damaged: write them again."
    )


def test_a_character_cut_in_two_is_refused():
    with pytest.raises(DataError, match=r"x: label 0 is invalid \(not UTF-8\)"):
        labels_from_arrays(arrays(TEXT, b"\xc3", b"\xa9"), "x")
