"""How a text file is written, when nobody says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.sources.files.sniffing import drop_header, sniff_dialect, split_first_record, usual_width
from suffice.sources.files.source import Dialect
from tests.oracles.delimited_text import read

NOTHING_SAID = Dialect()


def found(text, said=NOTHING_SAID, by_ending=None, target=None):
    how = sniff_dialect(text.encode(), said, by_ending, target)
    return how.delimiter, how.header


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_each_delimiter_is_found(delimiter):
    rows = [["x", "y", "z"], ["1", "2", "a b"], ["3", "4", "c"]]
    assert found("".join(delimiter.join(row) + "\n" for row in rows)) == (delimiter, True)


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("x;y;z\n" + "1,5;2,25;a\n" * 20, ";"),  # decimal commas, as many as semicolons
        ("x;y\n" + "1,5;2,25\n" * 20, ";"),  # and more of them
        ("1,5;2,5;a\n" * 5, ";"),  # without a header
        ("a;b,c,d\n" * 3, ","),  # of two that cut every line the one with more fields, and of equals the semicolon
        ("a;b,c\n" * 3, ";"),
        ("tags,n\na;b,1\nc;d,2\n", ","),  # lists within cells: the header has none
        ('x,y\n"1;2;3",a\n"4;5;6",b\n', ","),  # in quotes nothing delimits
        ("y\na\nb\n", ","),  # one column
        ("", ","),
        ("\n\n", ","),
        ("Report of sales\n" + "a;b;c\n" * 9, ";"),  # a title above
        ("a;b;c\n" * 20 + "bad\n", ";"),  # one bad line among many
        ("a|b\n", "|"),
        ("a\tb,c\n1\t2,3\n", "\t"),
    ],
)
def test_odd_files_have_a_delimiter_too(text, delimiter):
    assert found(text)[0] == delimiter


def test_what_is_said_goes_first_and_then_the_ending():
    assert found("a;b\n1;2\n", by_ending="\t")[0] == "\t"
    assert found("a;b\n1;2\n", Dialect(delimiter="|"), by_ending="\t") == ("|", True)
    assert found("a,b\n1,2\n", Dialect(header=False)) == (",", False)
    assert found("1,2\n3,4\n", Dialect(header=True)) == (",", True)


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("age,sex\n3,f\n", True),
        ("3,f\n4,m\n", False),
        ("a,b\nc,d\n", True),  # nobody can know; names are likely
        ("a,a\nc,d\n", False),  # names differ
        ("2020,2021\nx,y\n", False),
        ("year,2021\n1,2\n", True),  # one name above numbers
        ("x\n", True),
        ("1\n", False),
        ("nan,inf\n1,2\n", False),
        (",\n1,2\n", False),
        ('"x","y"\n"1","2"\n', True),
        ("5.1,3.5,setosa\n4.9,3.0,setosa\n", False),
        ('"', True),  # nothing but an open quote
        ("red,small,yes\n" + "red,small,yes\nblue,big,no\ngreen,big,yes\n" * 9, False),  # values come again
        ("ham\tGo there now\n" + "ham\tOk\nspam\tWin a prize\nham\tLater\n" * 3, False),  # one of them does
        ("colour,size,label\n" + "red,small,yes\nblue,big,no\n" * 9, True),
        ("a,b\nb,a\na,c\nc,b\n", False),  # each comes again in its own column
        ("a,b\nb,a\na,c\nc,d\n", True),  # one does, once, which a name may do by chance
        ("a\nb\na\nb\na\n", False),
        ("x,t\n" + "1,u\n2,v\n" * 20 + "x,t\n" + "1,u\n2,v\n" * 20, True),  # two files in one
        ("w,t\n" + "p,u\nq,v\n" * 20 + "w,t\n" + "p,u\nq,v\n" * 20, True),
        ("Letter,1,2,3,4,5,6\n" + "T,2,8,3,5,1,8\nI,5,12,3,7,2,10\nT,1,2,2,3,3,1\n" * 5, True),
        ("T,1,2,3,4,5,6\n" + "T,2,8,3,5,1,8\nI,5,12,3,7,2,10\n" * 5, False),  # T comes again
        ("Q,1,2,3,4,5,6\n" + "T,2,3,4,5,6,7\nI,5,12,3,7,2,10\n" * 5, False),  # other rows count up too
        ("Q,1,2,3\n" + "T,2,8,3\nI,5,12,3\n" * 5, False),  # which three numbers do easily
        ("?,5.1\n" + "4.9,3.0\n" * 5, False),  # a cell that is missing
    ],
)
def test_a_header_is_told_from_a_row(text, header):
    assert found(text)[1] is header


def test_the_name_of_the_target_makes_a_header():
    assert found("2020,2021\n3,4\n", target="2021") == (",", True)
    assert found("2020,2021\n3,4\n", target="2022") == (",", False)
    assert found("0,1.5\n1,2.5\n", target="0") == (",", False)  # which is a place
    assert found("0,1.5\n1,2.5\n", target="1") == (",", False)
    assert found("spam,text\n" + "spam,win\nham,ok\n" * 9, target="spam") == (",", True)


@given(
    st.lists(
        st.sampled_from([b",", b'"', b"\n", b"\r", b"\x85", "\u2028".encode(), b"a", b" ", b"\0", b"1"]), max_size=40
    )
)
def test_the_first_record_is_that_of_the_oracle(pieces):
    text = b"".join(pieces)
    records = [record for record in read(text).records if not record.open]
    first = [field.decode("utf-8", "replace") for field in records[0].fields] if records else []
    assert split_first_record(text, ",", True) == first
    assert drop_header(text, ",", True) == (text[records[1].begin :] if len(records) > 1 else b"")


@given(st.binary(max_size=200))
def test_any_bytes_have_a_dialect(text):
    how = sniff_dialect(text, NOTHING_SAID, None, "y")
    assert how.delimiter in {",", ";", "\t", "|"}
    assert how.header in {True, False}
    assert how.null is None


@pytest.mark.parametrize(
    ("text", "width"),
    [
        (b"title\na,b\n1,2\n3,4\n", 2),
        (b"a,b,c\n1,2\n3,4\n", 2),
        (b"a,b\n1,2\n", None),  # one line proves nothing
        (b"a,b\n1,2\n3\n", None),  # no width is usual
        (b"a\n", None),
        (b"", None),
        (b"a,b\n" + b"1,2\n" * 30 + b"3\n", 2),
    ],
)
def test_the_usual_width_is_that_of_nearly_all_records_below_the_first(text, width):
    assert usual_width(text, ",", True) == width
