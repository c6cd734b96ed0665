"""Columns through the Arrow PyCapsule interface: numbers without a copy, texts as codes."""

from __future__ import annotations

import gc
import re
import subprocess
import sys
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice import _core
from tests.oracles import text_codes

TEXTS = st.one_of(
    st.sampled_from(
        ["", "a", "b", "exactly 12 b", "thirteen byte", "fifteen bytes..", "sixteen bytes...", "\0", "a\0", "é"]
    ),
    st.text(max_size=40),
)
COLUMNS = st.lists(st.one_of(st.none(), TEXTS), max_size=60)
LAYOUTS = {
    "offsets of 32 bits": pa.string(),
    "offsets of 64 bits": pa.large_string(),
    "views": pa.string_view(),
}


def chunks_of(column: Any) -> list[_core.ArrowChunk]:
    return _core.arrow_chunks(column.__arrow_c_stream__())


def chunk_of(column: Any) -> _core.ArrowChunk:
    (chunk,) = chunks_of(column)
    return chunk


def chunked(parts: list[list[Any]], kind: pa.DataType) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(part, type=kind) for part in parts], type=kind)


def presence(chunk: _core.ArrowChunk) -> list[bool]:
    bits = chunk.valid()
    if bits is None:
        return [True] * chunk.length
    assert len(bits) == (chunk.length + 7) // 8
    return np.unpackbits(bits, bitorder="little")[: chunk.length].astype(bool).tolist()


# --- numbers


@pytest.mark.parametrize(
    "name", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]
)
@pytest.mark.parametrize(
    "make", [pl.Series, lambda values: pa.chunked_array([pa.array(values)])], ids=["polars", "pyarrow"]
)
def test_numbers_are_the_producers_own_memory(name, make):
    numbers = np.array([0, 1, 2, 100], dtype=name)
    column = make(numbers)
    first, second = chunk_of(column).values(), chunk_of(column).values()
    assert first.dtype == np.dtype(name)
    assert first.tolist() == numbers.tolist()
    assert np.shares_memory(first, second)
    assert not first.flags.writeable
    assert chunk_of(column).kind == name
    assert chunk_of(column).valid() is None


def test_values_outlive_column_and_chunk():
    numbers = chunk_of(pl.Series(np.arange(100_000.0))).values()
    gc.collect()
    _ = [np.full(100_000, -1.0) for _ in range(4)]  # would land where the numbers were
    assert numbers.sum() == 99_999 * 50_000


@given(
    st.lists(st.one_of(st.none(), st.integers(-(2**31), 2**31 - 1)), max_size=40),
    st.integers(0, 20),
    st.integers(0, 20),
)
def test_a_slice_of_numbers_is_the_slice(values, start, length):
    part = values[start : start + length]
    column = pa.chunked_array([pa.array(values, type=pa.int32()).slice(start, length)])
    for chunk in (chunk_of(column), *chunks_of(pl.Series(values, dtype=pl.Int32).slice(start, length))):
        assert chunk.length == len(part)
        assert chunk.missing == part.count(None)
        there = presence(chunk)
        assert there == [value is not None for value in part]
        assert [value if ok else None for value, ok in zip(chunk.values().tolist(), there, strict=True)] == part
        assert (chunk.valid() is None) == (chunk.missing == 0)


@given(st.lists(st.one_of(st.none(), st.booleans()), max_size=40), st.integers(0, 20), st.integers(0, 20))
def test_booleans_are_unpacked_from_any_bit(values, start, length):
    part = values[start : start + length]
    chunk = chunk_of(pa.chunked_array([pa.array(values, type=pa.bool_()).slice(start, length)]))
    assert chunk.kind == "bool"
    assert chunk.values().dtype == np.dtype(bool)
    assert [value if ok else None for value, ok in zip(chunk.values().tolist(), presence(chunk), strict=True)] == part


def test_every_half_is_the_float_that_numpy_makes_of_it():
    halves = np.arange(2**16, dtype=np.uint16).view(np.float16)
    values = chunk_of(pa.chunked_array([pa.array(halves)])).values()
    assert values.dtype == np.float32
    np.testing.assert_array_equal(values, halves.astype(np.float32))
    np.testing.assert_array_equal(np.signbit(values), np.signbit(halves))


def nearest_float(value: Decimal) -> float:
    return float(Fraction(value))  # Python rounds a fraction once


@given(st.integers(-(10**38) + 1, 10**38 - 1), st.integers(0, 38))
def test_a_decimal_is_the_nearest_float(digits, scale):
    value = Decimal(f"{digits}e-{scale}")  # exact, whatever the context's precision
    for kind in (pa.decimal128(38, scale), pa.decimal256(76, scale)):
        chunk = chunk_of(pa.chunked_array([pa.array([None, value], type=kind).slice(1)]))
        assert chunk.kind == "decimal"
        assert chunk.values().tolist() == [nearest_float(value)]


def test_decimals_of_polars_and_of_the_widest_kind():
    assert chunk_of(pl.Series([Decimal("1.10"), Decimal("-0.05")])).values().tolist() == [1.1, -0.05]
    widest = Decimal("9" * 76)
    assert chunk_of(pa.chunked_array([pa.array([widest], type=pa.decimal256(76, 0))])).values().tolist() == [
        nearest_float(widest)
    ]


# --- kinds


OTHER_KINDS = {
    "null": pa.nulls(3),
    "date": pa.array([date(2020, 1, 1)]),
    "time": pa.array([time(1, 2)]),
    "timestamp": pa.array([datetime(2020, 1, 1)]),
    "duration": pa.array([timedelta(1)]),
    "binary": pa.array([b"a"]),
    "list": pa.array([[1]]),
    "struct": pa.array([{"a": 1}]),
    "map": pa.array([[("a", 1)]], type=pa.map_(pa.string(), pa.int64())),
    "other": pa.RunEndEncodedArray.from_arrays([2, 3], ["a", "b"]),
}


@pytest.mark.parametrize("kind", OTHER_KINDS)
def test_other_kinds_are_named_and_not_read(kind):
    chunk = chunk_of(pa.chunked_array([OTHER_KINDS[kind]]))
    assert chunk.kind == kind
    with pytest.raises(
        ValueError, match=f"^a chunk of kind '{kind}' has no numbers. Cast the column to numbers first.$"
    ):
        chunk.values()


def test_a_column_of_nothing_but_missing():
    chunk = chunk_of(pl.Series([None, None, None]))
    assert (chunk.kind, chunk.length, chunk.missing, presence(chunk)) == ("null", 3, 3, [False] * 3)


def test_a_missing_list_is_counted():
    assert chunk_of(pa.chunked_array([pa.array([[1], None])])).missing == 1


WRONG_QUESTIONS = {
    "texts of numbers": (lambda c: c.texts(), "a chunk of kind 'int64' has no texts. Cast the column to text first."),
    "codes of numbers": (
        lambda c: c.codes(),
        "a chunk of kind 'int64' has no codes. For a text chunk, use encode(dictionary, grow).",
    ),
    "dictionary of numbers": (lambda c: c.dictionary, "a chunk of kind 'int64' has no dictionary."),
    "encoding numbers": (
        lambda c: c.encode(_core.Dictionary(), True),
        "a chunk of kind 'int64' has no texts. Cast the column to text first.",
    ),
}


@pytest.mark.parametrize("name", WRONG_QUESTIONS)
def test_a_question_to_the_wrong_kind_is_answered_in_words(name):
    ask, message = WRONG_QUESTIONS[name]
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        ask(chunk_of(pl.Series([1, 2])))


# --- texts


@pytest.mark.parametrize("layout", LAYOUTS)
@given(st.lists(COLUMNS, max_size=4), st.lists(COLUMNS, max_size=2))
def test_texts_are_coded_as_a_dict_would(layout, known_parts, new_parts):
    oracle: dict[str, int] = {}
    dictionary = _core.Dictionary()
    for parts, grow in ((known_parts, True), (new_parts, False)):
        chunks = chunks_of(chunked(parts, LAYOUTS[layout]))
        texts = [text for part in parts for text in part]
        codes = [code for chunk in chunks for code in chunk.encode(dictionary, grow).tolist()]
        assert _core.encode_chunks(chunks, dictionary, grow).tolist() == codes
        assert codes == text_codes.encode(texts, oracle, grow)
        assert [text for chunk in chunks for text in chunk.texts()] == texts
        assert all(chunk.kind == "text" for chunk in chunks)
    assert dictionary.labels() == list(oracle)
    assert len(dictionary) == len(oracle)


def test_texts_of_a_dictionary_that_lie_in_one_place_and_gaps_that_look_like_nothing():
    # A missing text has the bytes of the empty one, and rows out of a dictionary share the place of a long text.
    levels = pl.Series(["", "a long text that is kept elsewhere", "a long text that is kept beside", None, "short"])
    rows = levels.gather(np.random.default_rng(3).integers(0, 5, 5000))
    texts = rows.to_list()
    oracle: dict[str, int] = {}
    dictionary = _core.Dictionary()
    assert _core.encode_chunks(chunks_of(rows), dictionary, True).tolist() == text_codes.encode(texts, oracle, True)
    only_gaps_first = [None] * 5 + ["", None, ""]
    found = _core.encode_chunks(chunks_of(pl.Series(only_gaps_first, dtype=pl.String)), dictionary, False).tolist()
    assert found == text_codes.encode(only_gaps_first, oracle, False)


@pytest.mark.parametrize("number", [1, 7, 40, 400, 6000])
@pytest.mark.parametrize("name", ["{}", "level {}", "a level whose name is long {}"])
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("grow", [False, True])
def test_any_number_of_levels_is_coded_as_a_dict_would(number, name, gaps, grow):
    # More than the core has places to remember, some at the same one; rows do not come in whole eights.
    rng = np.random.default_rng(number)
    levels = pl.Series([name.format(level) for level in range(number)])
    places = rng.integers(0, number, 20_003)
    rows = (
        levels.gather(places)
        .to_frame("rows")
        .with_columns(
            rows=pl.when(pl.Series(rng.random(len(places)) < 0.2 * gaps)).then(None).otherwise(pl.col("rows"))
        )["rows"][3:]
    )
    known = levels[: number // 2].to_list()
    oracle: dict[str, int] = {}
    dictionary = _core.Dictionary()
    text_codes.encode(known, oracle, True)
    _core.encode_chunks(chunks_of(pl.Series(known, dtype=pl.String)), dictionary, True)
    found = _core.encode_chunks(chunks_of(rows), dictionary, grow).tolist()
    assert found == text_codes.encode(rows.to_list(), oracle, grow)
    assert dictionary.labels() == list(oracle)


def test_chunks_are_coded_together_or_not_at_all():
    dictionary = _core.Dictionary()
    texts, numbers = chunk_of(pl.Series(["a", "b"])), chunk_of(pl.Series([1, 2]))
    with pytest.raises(ValueError, match=r"^a chunk of kind 'int64' has no texts\. Cast the column to text first\.$"):
        _core.encode_chunks([texts, numbers], dictionary, True)
    assert len(dictionary) == 0
    assert _core.encode_chunks([], dictionary, True).tolist() == []


@pytest.mark.parametrize("layout", LAYOUTS)
@given(COLUMNS, st.integers(0, 20), st.integers(0, 30))
def test_a_slice_of_texts_is_the_slice(layout, texts, start, length):
    part = texts[start : start + length]
    for column in (
        pa.chunked_array([pa.array(texts, type=LAYOUTS[layout]).slice(start, length)]),
        pl.Series(texts, dtype=pl.String).slice(start, length),
    ):
        chunk = chunk_of(column)
        dictionary, oracle = _core.Dictionary(), {}
        assert chunk.encode(dictionary, True).tolist() == text_codes.encode(part, oracle, True)
        assert chunk.texts() == part
        assert chunk.missing == part.count(None)


@given(st.lists(COLUMNS, min_size=1, max_size=5))
def test_polars_columns_of_many_chunks(parts):
    column = pl.concat([pl.Series(part, dtype=pl.String) for part in parts], rechunk=False)
    dictionary, oracle = _core.Dictionary(), {}
    codes = [code for chunk in chunks_of(column) for code in chunk.encode(dictionary, True).tolist()]
    assert codes == text_codes.encode([text for part in parts for text in part], oracle, True)
    assert dictionary.labels() == list(oracle)


@given(COLUMNS, st.integers(0, 20), st.integers(0, 30))
def test_a_dictionary_column_is_coded_like_its_texts(texts, start, length):
    part = texts[start : start + length]
    for column in (
        pa.chunked_array([pa.array(texts, type=pa.string()).dictionary_encode().slice(start, length)]),
        pl.Series(texts, dtype=pl.String).cast(pl.Categorical).slice(start, length),
    ):
        chunk = chunk_of(column)
        assert chunk.kind == "dictionary"
        labels = chunk.dictionary.texts()
        there = presence(chunk)
        assert [labels[code] if ok else None for code, ok in zip(chunk.codes().tolist(), there, strict=True)] == part
        dictionary, oracle = _core.Dictionary(), {}
        assert chunk.encode(dictionary, True).tolist() == text_codes.encode(part, oracle, True)
        assert dictionary.labels() == list(oracle)  # a value that no row has is not learnt


def test_codes_of_a_dictionary_are_the_producers_own_memory():
    column = pa.chunked_array([pa.array(["a", "b", "a"]).dictionary_encode()])
    assert np.shares_memory(chunk_of(column).codes(), chunk_of(column).codes())
    assert chunk_of(column).codes().tolist() == [0, 1, 0]
    enum = chunk_of(pl.Series(["lo", "hi"], dtype=pl.Enum(["lo", "hi"])))
    assert (enum.kind, enum.codes().tolist(), enum.dictionary.texts()) == ("dictionary", [0, 1], ["lo", "hi"])


def test_a_dictionary_of_numbers_has_no_texts_to_encode():
    chunk = chunk_of(pa.chunked_array([pa.array([5, 7, 5]).dictionary_encode()]))
    assert (chunk.codes().tolist(), chunk.dictionary.values().tolist()) == ([0, 1, 0], [5, 7])
    with pytest.raises(ValueError, match="a chunk of kind 'dictionary' has no texts"):
        chunk.encode(_core.Dictionary(), True)


def test_text_of_pandas_backed_by_arrow():
    column = pd.Series(["b", None, "a", "b"], dtype=pd.ArrowDtype(pa.string()))
    dictionary = _core.Dictionary(["a"])
    assert chunk_of(column.array._pa_array).encode(dictionary, True).tolist() == [1, -1, 0, 1]


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (pl.Series([], dtype=pl.String), "text"),
        (pl.Series([], dtype=pl.Float64), "float64"),
        (pl.Series([], dtype=pl.Categorical), "dictionary"),
        (pa.chunked_array([], type=pa.string()), "text"),
        (pa.chunked_array([], type=pa.bool_()), "bool"),
        (pa.chunked_array([], type=pa.decimal128(5, 2)), "decimal"),
        (pa.chunked_array([], type=pa.dictionary(pa.int8(), pa.string())), "dictionary"),
        (pa.chunked_array([pa.array([], type=pa.string_view())]), "text"),
    ],
)
def test_a_column_of_no_rows_has_a_kind(column, kind):
    chunk = chunk_of(column)
    assert (chunk.kind, chunk.length, chunk.missing, chunk.valid()) == (kind, 0, 0, None)
    if kind in {"text", "dictionary"}:
        assert chunk.encode(_core.Dictionary(), True).shape == (0,)
        assert (chunk.texts() if kind == "text" else chunk.codes().tolist()) == []
    else:
        assert chunk.values().shape == (0,)


# --- the door


def test_neither_polars_nor_pyarrow_is_imported():
    code = (
        "import sys; from suffice import _core; d = _core.Dictionary(); assert d.labels() == []; "
        "assert not {'polars', 'pyarrow', 'pandas', 'narwhals', 'numpy'} & set(sys.modules), sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_stream_is_read_once():
    capsule = pl.Series([1]).__arrow_c_stream__()
    _core.arrow_chunks(capsule)
    message = (
        "the Arrow stream has already been read, which is possible only once. "
        "Request another: column.__arrow_c_stream__()."
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        _core.arrow_chunks(capsule)


def test_something_that_is_no_stream():
    with pytest.raises(TypeError) as raised:
        _core.arrow_chunks(pl.Series([1]))
    assert str(raised.value) == (
        "capsule must be what column.__arrow_c_stream__() returns, a PyCapsule named 'arrow_array_stream': got a Series."
    )
