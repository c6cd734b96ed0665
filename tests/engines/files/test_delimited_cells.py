"""Cells of delimited text in the core: what it reads is what Polars reads, to the last bit, and it reads what is plain."""

from __future__ import annotations

import math
import struct

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice import _core

POLARS = {"integer": pl.Int64, "float": pl.Float64, "bool": pl.Boolean, "text": pl.String}
ODD_NUMBERS = [
    "",
    "?",
    "-",
    "+",
    "--5",
    "+-5",
    "-+5",
    "007",
    "-0",
    "+5",
    "5.",
    ".5",
    "-.5",
    ".",
    "1e5",
    "1E+5",
    "1e",
    ".e5",
]
ODD_NUMBERS += ["nan", "NaN", "-nan", "inf", "-Infinity", "+inf", "infinit", "nan(1)", "1e400", "1e-400", "4.9e-324"]
ODD_NUMBERS += [
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "1.5.2",
    "12a",
    "0x10",
    "1_0",
    "1 0",
]
ODD_NUMBERS += ["9007199254740993", "9007199254740993.0", "0.1234567890123456789", "00000000000000000000001", "1" * 40]
ODD_NUMBERS += [
    "99999999.9999999999999999",
    "00000000.9007199254740993",
    "12345678.12345678",
    "123456789.5",
    "-99999999",
]
ODD_TEXTS = [
    "",
    "?",
    "a",
    "Kr\u00f6ger",
    "\u732b" * 4,
    "x" * 12,
    "x" * 13,
    "y" * 24,
    "y" * 25,
    "z" * 300,
    "true",
    "NA",
    "\ufffd",
]
ODD_TEXTS += ['say "hi"', "a,b", "line\nbreak", '"', "\r", "\0", "x" * 8 + "\0", "x" * 8]

numbers = st.one_of(
    st.sampled_from(ODD_NUMBERS),
    st.integers(-(2**66), 2**66).map(str),
    st.integers(-999, 999).map(str),
    st.floats(allow_nan=False).map(repr),
    st.tuples(st.integers(0, 10**9), st.integers(0, 10**17), st.integers(1, 19)).map(
        lambda n: f"{n[0]}.{n[1]:0{n[2]}}"
    ),
    st.from_regex(r"[+-]?[0-9]{0,20}(\.[0-9]{0,20})?([eE][+-]?[0-9]{1,3})?", fullmatch=True),
)
texts = st.one_of(
    st.sampled_from(ODD_TEXTS),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30).map(lambda t: t.strip(" \t\r")),
)
cells = {
    "integer": st.one_of(st.integers(-99, 99).map(str), numbers),
    "float": numbers,
    "bool": st.sampled_from(["true", "false", "", "?", "True", "1"]),
    "text": st.one_of(texts, numbers),
    "skipped": texts,
}


@st.composite
def tables(draw):
    kinds = draw(st.lists(st.sampled_from(sorted(cells)), min_size=1, max_size=5))
    rows = draw(st.lists(st.tuples(*(cells[kind] for kind in kinds)), min_size=1, max_size=20))
    return kinds, rows * draw(st.sampled_from([1, 1, 1, 7, 300]))


def written(rows, delimiter, quoted, always, end):
    def field(cell):
        if not quoted:
            return "".join(c for c in cell if c not in f'\n\r"{delimiter}')
        odd = not cell or any(c in cell for c in f'\n\r"{delimiter} \t')
        return '"' + cell.replace('"', '""') + '"' if odd or always else cell

    lines = [delimiter.join(field(cell) for cell in row) for row in rows]
    return (end.join(lines) + end).encode()


def parsed(text, kinds, rows, delimiter=",", quoted=True, markers=("?",)):
    columns = [(str(at), kind) for at, kind in enumerate(kinds)]
    found = _core.parse_cells(text, delimiter, quoted, columns, rows, markers)
    return None if found is None else pl.DataFrame(found)


def by_polars(text, kinds, delimiter=",", quoted=True, markers=("?",)):
    schema = {str(at): POLARS.get(kind, pl.String) for at, kind in enumerate(kinds)}
    wanted = [at for at, kind in enumerate(kinds) if kind != "skipped"]
    how = {"separator": delimiter, "quote_char": '"' if quoted else None, "null_values": ["", *markers]}
    return pl.read_csv(text, has_header=False, schema=schema, columns=wanted, **how)


def bits(frame):
    return [
        [None if cell is None else struct.pack("d", cell) if isinstance(cell, float) else cell for cell in column]
        for column in frame.get_columns()
    ]


@given(
    tables(),
    st.sampled_from([",", ";", "\t", "|"]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.sampled_from([(), ("?",), ("?", "NA", "-0"), ("x" * 13, "y" * 25)]),
)
def test_what_is_read_is_what_polars_reads(table, delimiter, quoted, always, end, cut, markers):
    kinds, rows = table
    tidy = _core.tidy_lines(written(rows, delimiter, quoted, always, end), delimiter, quoted, len(kinds))
    text = tidy.replace(b"\n", b"\r\n") if end == "\r\n" and b'"' not in tidy else tidy
    rows = _core.scan_lines(text, delimiter, quoted, len(kinds), True, 0).records
    found = parsed(text.rstrip(b"\n") if cut else text, kinds, rows, delimiter, quoted, markers)
    if found is None or not rows or set(kinds) == {"skipped"}:
        return
    expected = by_polars(text, kinds, delimiter, quoted, markers)
    assert found.schema == expected.schema
    plain = [column.fill_nan(0.5) if column.dtype == pl.Float64 else column for column in expected.get_columns()]
    mine = [column.fill_nan(0.5) if column.dtype == pl.Float64 else column for column in found.get_columns()]
    assert bits(pl.DataFrame(mine)) == bits(pl.DataFrame(plain))


@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)),
            st.one_of(st.none(), st.floats(allow_nan=False, allow_subnormal=False)),
            st.one_of(st.none(), st.booleans()),
            st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)),
        ),
        min_size=1,
        max_size=40,
    )
)
def test_what_polars_writes_is_read_without_help(rows):
    frame = pl.DataFrame(rows, orient="row", schema={"0": pl.Int64, "1": pl.Float64, "2": pl.Boolean, "3": pl.String})
    text = frame.write_csv(include_header=False, quote_style="non_numeric").encode()
    found = parsed(text, ["integer", "float", "bool", "text"], len(frame), markers=())
    assert found is not None
    assert bits(found) == bits(frame)


def test_longer_texts_are_kept_once_for_rows_near_each_other():
    batch = pa.record_batch(_core.parse_cells(b"a town with a name\n" * 2000, ",", True, [("town", "text")], 2000, []))
    assert batch.column("town").to_pylist() == ["a town with a name"] * 2000
    assert batch.column("town").buffers()[2].size == len("a town with a name")


@given(tables())
def test_the_columns_are_sound_arrow(table):
    kinds, rows = table
    text = written(rows, ",", True, False, "\n")
    found = _core.parse_cells(text, ",", True, [(str(at), kind) for at, kind in enumerate(kinds)], len(rows), ["?"])
    if found is not None:
        pa.record_batch(found).validate(full=True)


def test_numbers_are_rounded_once():
    numbers = ["0.1", "123456.789", "-1.3598071336738", "9007199254740993", "0.30000000000000004", "5e-324", "-0"]
    found = parsed("\n".join(numbers).encode(), ["float"], len(numbers))
    assert found is not None
    assert bits(found) == [[struct.pack("d", float(number)) for number in numbers]]


@pytest.mark.parametrize(
    ("text", "kinds", "rows"),
    [
        (b"1,2\n", ["integer", "integer"], 2),
        (b"1,2\n3,4\n", ["integer", "integer"], 1),
        (b"1,2\n3\n", ["integer", "integer"], 2),
        (b"1,2,3\n4\n", ["integer", "integer"], 2),
        (b"1\n2,3,4\n", ["integer", "integer"], 2),
        (b"1.5\n", ["integer"], 1),
        (b"one\n", ["float"], 1),
        (b"True\n", ["bool"], 1),
        (b"\xff\n", ["text"], 1),
        (b"\xed\xa0\x80\n", ["text"], 1),
        (b"\xf0\x90\x80\n", ["text"], 1),
        (b'"a\n', ["text"], 1),
        (b'"a"b\n', ["text"], 1),
        (b'"a"b"\n', ["text"], 1),
        (b'"\n', ["text"], 1),
        (b'a\n"b\n', ["text"], 1),
        (b'5","a,b\nc"\n6","c,d"\n', ["text", "text"], 2),
        (b'x"y,"a,b"c"\n', ["text", "text"], 1),
        (b"x" * 63 + b'"y"\n', ["text"], 1),
        (b"x" * 64 + b'"y"\n', ["text"], 1),
        (b'a,x"\n"y,b\n', ["text", "skipped"], 2),
        (b"", [], 0),
    ],
)
def test_what_is_odd_is_left_to_others(text, kinds, rows):
    assert parsed(text, kinds, rows) is None


def test_no_rows_are_columns_of_their_types():
    found = parsed(b"", ["integer", "skipped", "text"], 0)
    assert found is not None
    assert found.schema == {"0": pl.Int64, "2": pl.String}


@given(st.binary(max_size=300), st.lists(st.sampled_from(sorted(cells)), max_size=4), st.booleans(), st.integers(0, 9))
def test_any_bytes_are_read_or_left(text, kinds, quoted, rows):
    found = parsed(text, kinds, rows, quoted=quoted)
    assert found is None or math.prod(found.shape) == rows * sum(kind != "skipped" for kind in kinds)


def test_whatever_delimits_is_found_and_nothing_else():
    found = parsed(b"1\x002\n3\x004", ["integer", "integer"], 2, delimiter="\0")
    assert found is not None
    assert found.rows() == [(1, 2), (3, 4)]


def test_cells_are_handed_over_once():
    batch = _core.parse_cells(b"1\n", ",", True, [("a", "integer")], 1, [])
    assert batch is not None
    assert pl.DataFrame(batch)["a"].to_list() == [1]
    with pytest.raises(ValueError, match="handed over already, which is done once only"):
        pl.DataFrame(batch)


def test_a_kind_of_cells_has_a_name():
    with pytest.raises(ValueError, match=r"^a column of cells is skipped, integer, float, bool or text$"):
        _core.parse_cells(b"1\n", ",", True, [("a", "number")], 1, [])
