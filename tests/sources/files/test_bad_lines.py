"""Lines that cannot be read: the file, the line, what was wrong; and with skip_bad_lines how many there were."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.errors import NOTHING, DataError
from suffice.sources.files import Batches, Files, blocks
from suffice.sources.files.reader import BadLines, shorten

GOOD = "".join(f"{k},{k / 4},{k % 3 == 0},t{k % 5}\n" for k in range(1, 41))
HEADER = "whole,real,flag,text\n"
TYPES = {"whole": "integer", "real": "float", "flag": "bool", "text": "text"}
OBJECTS = "".join(f'{{"whole": {k}, "real": {k / 4}, "flag": true, "text": "t"}}\n' for k in range(1, 41))


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(blocks, "_BLOCK", 150)


def rows_and_progress(name, **how):
    with Batches(Files(name, **how), 5) as found:
        found.head()  # which must not count anything
        rows = sum(batch.table.rows for batch in found(found.names))
        return rows, found.done(rows).skipped, found.first_skipped


CASES = [
    ("1,2\n", "2 fields instead of 4: '1,2'", None, NOTHING),
    ("1\n", "1 field instead of 4: '1'", None, NOTHING),
    ("1,2,true,t,5\r\n", "5 fields instead of 4: '1,2,true,t,5'", None, NOTHING),
    ('1,2,true,"t\nt",5\n', "5 fields instead of 4: '1,2,true,\"t\\nt\",5'", None, NOTHING),
    ("x,2,true,t\n", "must be whole numbers", "whole", "x"),
    ("1,2x,true,t\n", "must be numbers", "real", "2x"),
    ("1,2,yes,t\n", "must be true or false", "flag", "yes"),
    (f"{'9' * 100},2,true,t,\n", f"5 fields instead of 4: '{'9' * 80}…'", None, NOTHING),
]


def told(error):
    return error.file, error.line, error.row, error.problem, error.column, error.got


@pytest.mark.parametrize(("line", "what", "column", "got"), CASES)
@pytest.mark.parametrize("types", [None, TYPES])
def test_a_bad_line_says_file_line_and_what_was_wrong(line, what, column, got, types):
    Path("rows.csv").write_text(HEADER + GOOD + "\n" + line + GOOD)
    with pytest.raises(DataError) as caught:
        rows_and_progress("rows.csv", types=types)
    assert told(caught.value) == ("rows.csv", 43, None, what, column, got)
    assert ("The first rows" in caught.value.advised()) == (column is not None and not types)
    assert caught.value.advised().endswith("Fix it, or skip bad lines with skip_bad_lines=True.")


@pytest.mark.parametrize(("line", "what", "column", "got"), CASES)
@pytest.mark.parametrize("types", [None, TYPES])
def test_bad_lines_are_skipped_and_counted_once(line, what, column, got, types):
    Path("rows.csv").write_text(HEADER + GOOD + line + GOOD + line + GOOD)
    rows, skipped, first = rows_and_progress("rows.csv", types=types, skip_bad_lines=True)
    assert (rows, skipped, told(first)) == (120, 2, ("rows.csv", 42, None, what, column, got))


@pytest.mark.parametrize("line", [line for line, *_ in CASES])
def test_bad_lines_among_the_first_rows_are_counted_once_too(line):
    Path("rows.csv").write_text(HEADER + line + GOOD)
    assert rows_and_progress("rows.csv", types=TYPES, skip_bad_lines=True)[:2] == (40, 1)


def test_a_line_that_is_bad_twice_is_one_bad_line():
    Path("rows.csv").write_text(HEADER + GOOD + "x,y,z,t\n" + GOOD)
    assert rows_and_progress("rows.csv", skip_bad_lines=True)[:2] == (80, 1)


def test_a_quote_that_nobody_closes_takes_the_rest_of_the_file():
    Path("rows.csv").write_text(HEADER + GOOD + '1,2,true,"t\n' + GOOD)
    rest = ('1,2,true,"t\n' + GOOD)[:80]
    what = f"unclosed quote: {rest + '…'!r}"
    with pytest.raises(
        DataError,
        match=(
            r"rows\.csv, line 42: unclosed quote: "
            "'1,2,true,\"t\\\\n1,0\\.25,False,t1\\\\n2,0\\.5,False,t2\\\\n3,0\\.75,True,t3\\\\n4,1\\.0,False,t4\\\\n5,1\\.25,…'\\. "
            r"Use quote=False to treat quotes as text\. Fix it, or skip bad lines with skip_bad_lines=True\."
        ),
    ) as caught:
        rows_and_progress("rows.csv")
    assert told(caught.value) == ("rows.csv", 42, None, what, None, NOTHING)
    rows, skipped, first = rows_and_progress("rows.csv", skip_bad_lines=True)
    assert (rows, skipped, told(first)) == (40, 1, told(caught.value))
    assert rows_and_progress("rows.csv", quote=False) == (81, 0, None)


def test_a_record_that_does_not_end_says_so(monkeypatch):
    monkeypatch.setattr(blocks, "_LONGEST", 1 << 20)
    monkeypatch.setattr(blocks, "_BLOCK", 1 << 19)
    Path("rows.csv").write_text(HEADER + GOOD + '1,2,true,"t\n' + GOOD * 2000)
    with pytest.raises(DataError) as caught:
        rows_and_progress("rows.csv")
    assert str(caught.value) == (
        "rows.csv, line 42: the record is longer than 1 MiB. A quote may be unclosed: fix it, or treat quotes as "
        "text with quote=False."
    )


def test_one_column_is_said_to_be_one():
    Path("one.csv").write_text("x\n" + "1\n" * 50 + "1,2\n")
    with pytest.raises(DataError) as caught:
        rows_and_progress("one.csv")
    assert str(caught.value) == (
        "one.csv, line 52: 2 fields instead of 1: '1,2'. Fix it, or skip bad lines with skip_bad_lines=True."
    )


@pytest.mark.parametrize(
    ("line", "what", "column", "got"),
    [
        (
            "{",
            "not valid JSON (Expecting property name enclosed in double quotes: line 1 column 2 (char 1)): '{'",
            None,
            NOTHING,
        ),
        ("[1]", "must be an object {name: value}: '[1]'", None, NOTHING),
        ("3", "must be an object {name: value}: '3'", None, NOTHING),
        ('{"whole": "x"}', "must be whole numbers", "whole", "x"),
        ('{"whole": 9223372036854775808}', "must be whole numbers", "whole", 2**63),
        ('{"real": "x"}', "must be numbers", "real", "x"),
        (f'{{"real": {"9" * 400}}}', "must be numbers", "real", 10**400 - 1),
        ('{"flag": 1}', "must be true or false", "flag", 1),
    ],
)
def test_a_bad_object_says_the_same(line, what, column, got):
    Path("rows.ndjson").write_text(OBJECTS + "\n" + line + "\n" + OBJECTS)
    with pytest.raises(DataError) as caught:
        rows_and_progress("rows.ndjson")
    assert told(caught.value) == ("rows.ndjson", 42, None, what, column, got)
    assert len(str(caught.value)) < 400
    rows, skipped, first = rows_and_progress("rows.ndjson", skip_bad_lines=True)
    assert (rows, skipped, told(first)) == (80, 1, told(caught.value))
    Path("rows.ndjson").write_text(line + "\n" + OBJECTS)
    types = {"whole": "integer", "real": "float", "flag": "bool"}
    assert rows_and_progress("rows.ndjson", types=types, skip_bad_lines=True)[:2] == (40, 1)


def test_bytes_that_are_no_text_are_told_by_line_in_later_rows_too():
    Path("rows.csv").write_bytes((HEADER + GOOD).encode() + b"1,2,true,caf\xe9\n" + GOOD.encode())
    with pytest.raises(DataError) as caught:
        rows_and_progress("rows.csv", types=TYPES)
    assert str(caught.value) == (
        "rows.csv, line 42: byte 0xe9 is not UTF-8. Give its encoding, for example encoding='latin-1'."
    )
    assert rows_and_progress("rows.csv", encoding="latin-1")[:2] == (81, 0)


@given(
    st.lists(st.sampled_from(["1,2", "x,2", "1", "1,2,3", "", '"1\n",2', "2.5,2", "0,y"]), max_size=60),
    st.integers(1, 99),
)
def test_every_line_is_a_row_or_counted_or_blank(lines, size):
    Path("drawn.csv").write_text("a,b\n" + "1,2\n" * 20 + "".join(f"{line}\n" for line in lines))
    bad = sum(line in ("x,2", "1", "1,2,3", '"1\n",2', "0,y") for line in lines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "_BLOCK", size)
        types = {"a": "float", "b": "integer"}
        rows, skipped, _ = rows_and_progress("drawn.csv", types=types, header=True, skip_bad_lines=True)
    assert (rows, skipped) == (20 + sum(line != "" for line in lines) - bad, bad)


def test_bad_lines_are_met_or_refused():
    kept = BadLines(skip=True)
    one, other = DataError("this", file="a", line=9), DataError("that", file="a", line=1, advice="Look.")
    kept.meet(2, one)
    kept.meet(3, other)
    assert (kept.count, kept.first) == (5, other)
    with pytest.raises(
        DataError, match=r"^a, line 1: that\. Look\. Fix it, or skip bad lines with skip_bad_lines=True\."
    ):
        BadLines(skip=False).meet(1, other)


def test_what_is_shown_is_short():
    assert shorten("x" * 80) == repr("x" * 80)
    assert shorten("x" * 81) == repr("x" * 80 + "…")
    assert shorten(b"caf\xc3\xa9\xff") == "'café\ufffd'"
    assert shorten(["a", 1]) == "'a', 1"
    assert shorten(range(9)) == "0, 1, 2, 3, 4, 5, 6, 7, …"


def test_a_name_with_a_zero_byte_is_refused(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(b"a\0b,c\n1,2\n3,4\n")
    with pytest.raises(
        DataError, match=r"^column names must not contain null bytes: got 'a\\x00b'\. Rename the column\.$"
    ):
        Batches(Files(path, delimiter=",", header=True), 10)
