"""Lines of delimited text in the core: cut anywhere, they are the records that the slow reading finds."""

from __future__ import annotations

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice import _core
from tests.oracles.delimited_text import read

PIECES = [
    b",",
    b";",
    b"\t",
    b" ",
    b'"',
    b'""',
    b"\n",
    b"\r\n",
    b"\r",
    b"\n\n",
    b"a",
    b"1.5",
    b'",',
    b',"',
    b"\0",
    b"\xff",
]
LONG = [b"x" * 63, b"yz" * 40, b"a,b\n" * 20, b'"c","d"\r\n' * 9, b" e , f \n" * 9]
texts = st.one_of(st.binary(max_size=200), st.lists(st.sampled_from(PIECES + LONG), max_size=60).map(b"".join))
delimiters = st.sampled_from([",", ";", "\t", " ", "a"])


def good(found, fields):
    return [record for record in found.records if not record.open and (fields == 0 or len(record.fields) == fields)]


@given(texts, delimiters, st.booleans(), st.integers(0, 4), st.booleans())
def test_a_scan_counts_what_the_oracle_finds(text, delimiter, quoted, fields, last):
    found = read(text, delimiter, quoted, last)
    whole = good(found, fields)
    bad = [record for record in found.records if record not in whole]
    scan = _core.scan_lines(text, delimiter, quoted, fields, last, 3)
    assert (scan.end, scan.lines) == (found.end, found.lines)
    assert (scan.records, scan.bad) == (len(whole), len(bad))
    assert [(each.begin, each.end, each.line, each.fields) for each in scan.first_bad] == [
        (each.begin, each.end, each.line, len(each.fields)) for each in bad[:3]
    ]
    if not scan.untidy and not bad:  # what nobody tidies must be what tidying would make of it
        assert b"".join(text[each.begin : each.end] + b"\n" for each in whole) == b"".join(each.tidy for each in whole)


@given(texts, delimiters, st.booleans(), st.integers(0, 4))
def test_tidy_lines_hold_the_good_records_and_nothing_else(text, delimiter, quoted, fields):
    whole = good(read(text, delimiter, quoted), fields)
    tidy = _core.tidy_lines(text, delimiter, quoted, fields)
    assert tidy == b"".join(record.tidy for record in whole)
    assert [record.fields for record in read(tidy, delimiter, quoted).records] == [record.fields for record in whole]
    assert not _core.scan_lines(tidy, delimiter, quoted, fields, True, 0).untidy


@given(texts, delimiters, st.booleans(), st.integers(0, 4), st.integers(0, 9))
def test_the_place_of_a_record_is_where_it_stands_in_the_file(text, delimiter, quoted, fields, which):
    found = read(text, delimiter, quoted)
    whole = good(found, fields)
    here = (whole[which].begin, whole[which].line) if which < len(whole) else (len(text), found.lines)
    assert _core.place_of_record(text, delimiter, quoted, fields, which) == here


@given(texts, delimiters, st.booleans(), st.integers(0, 4), st.data())
def test_a_text_cut_anywhere_has_the_same_records(text, delimiter, quoted, fields, data):
    cut = data.draw(st.integers(0, len(text)))
    first = _core.scan_lines(text[:cut], delimiter, quoted, fields, False, 10**6)
    rest = _core.scan_lines(text[first.end :], delimiter, quoted, fields, True, 10**6)
    whole = _core.scan_lines(text, delimiter, quoted, fields, True, 10**6)
    assert first.records + rest.records == whole.records
    assert first.lines + rest.lines == whole.lines
    assert [each.begin for each in first.first_bad] + [first.end + each.begin for each in rest.first_bad] == [
        each.begin for each in whole.first_bad
    ]


cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0"), max_size=8).map(str.strip)


@given(st.lists(st.lists(cells, min_size=2, max_size=4), max_size=9), st.sampled_from(",;|"))
def test_what_the_csv_module_writes_is_read_back(rows, delimiter):
    lines: list[str] = []
    sink = type("Sink", (), {"write": staticmethod(lines.append)})
    csv.writer(sink, delimiter=delimiter).writerows(rows)
    text = "".join(lines).encode()
    found = read(text, delimiter)
    assert [[field.decode() for field in record.fields] for record in found.records] == rows
    assert _core.tidy_lines(text, delimiter, True, 0) == b"".join(record.tidy for record in found.records)


@pytest.mark.parametrize(
    ("text", "untidy"),
    [
        (b"a,b\r\nc,d\r\n", False),
        (b'"a ","b\n"\n', False),
        (b"a ,b\n", True),
        (b"a,b\n\n", True),
        (b'5" pipe,b\n', True),
        (b"a,b\r\r\n", True),
        (b'"a" ,b\n', True),
        (b"a\r,b\n", True),
        (b"a,\r\n", False),
        (b"x" * 70 + b"\r,b\n", True),
        (b"x" * 70 + b",\r\n", False),
        (b"x" * 70 + b",b\n", False),
        (b"x" * 70 + b" ,b\n", True),
    ],
)
def test_only_what_has_to_be_tidied_is_said_to_be_untidy(text, untidy):
    assert _core.scan_lines(text, ",", True, 2, True, 0).untidy is untidy


@pytest.mark.parametrize("delimiter", ["", ",,", "\n", '"', "§"])
@pytest.mark.parametrize(
    "call",
    [
        lambda delimiter: _core.scan_lines(b"", delimiter, True, 0, True, 0),
        lambda delimiter: _core.tidy_lines(b"", delimiter, True, 0),
        lambda delimiter: _core.place_of_record(b"", delimiter, True, 0, 0),
    ],
)
def test_a_delimiter_is_one_byte(call, delimiter):
    with pytest.raises(ValueError, match=r"^a delimiter must be one byte that is neither a line end nor a quote$"):
        call(delimiter)
