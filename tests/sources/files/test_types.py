"""What a column of text cells is, when nobody says, and what a user says of it."""

from __future__ import annotations

import math
import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.errors import DataError
from suffice.sources.files.reader import comma_numbers, markers_in, polars_type, resolve_types, type_of

NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|nan|inf(inity)?)", re.IGNORECASE | re.ASCII)


def oracle(cells):
    """Say what the page at the top of the module says, a cell at a time."""
    known = [cell for cell in cells if cell is not None]
    if not known:
        return "text"
    if all(cell.lower() in ("true", "false") for cell in known):
        return "bool"
    if all(NUMBER.fullmatch(cell) for cell in known):
        whole = all(re.fullmatch(r"[+-]?\d+", cell, re.ASCII) for cell in known)
        if not whole:
            return "float"
        padded = any(re.match(r"[+-]?0\d", cell, re.ASCII) for cell in known)
        return "text" if padded or not all(-(2**63) <= int(cell) < 2**63 for cell in known) else "integer"
    return "text"


cells = st.one_of(
    st.none(),
    st.integers(-(2**70), 2**70).map(str),
    st.integers(0, 99).map(lambda n: f"0{n}"),
    st.floats().map(repr),
    st.sampled_from(
        ["1.", ".5", "+3", "-0", "00", "0", "1e5", "1E-400", "inf", "-Infinity", "NaN", "1_0", "0x1", "1,5", "٣"]
    ),
    st.sampled_from(["true", "False", "TRUE", "t", "yes", "abc", "", " 1", "-", "?"]),
)


@given(st.lists(cells, max_size=6))
def test_a_type_is_what_all_cells_are(column):
    assert type_of(pl.Series(column, dtype=pl.String)) == oracle(column)


@given(st.lists(st.floats(), min_size=1, max_size=5))
def test_a_float_is_read_to_the_last_bit(values):
    column = pl.Series([repr(value) for value in values]).cast(polars_type("float"))
    assert all(a == b or (math.isnan(a) and math.isnan(b)) for a, b in zip(column, values, strict=True))


@pytest.mark.parametrize(
    "cells",
    [
        ["2026-11-15", "2026-1-5"],
        ["2026/11/15", None],
        ["15/11/2026", "1.2.2026"],
        ["2026-11-15T13:43", "2026-11-15 13:43:40", "2026-11-15T13:43:40.123Z", "2026-11-15 13:43:40+01:00"],
        ["13:43", "9:05:07"],
        ["11/15/2026 1:43 PM"],
    ],
)
def test_dates_and_times_are_known(cells):
    assert type_of(pl.Series(cells)) == "time"


@pytest.mark.parametrize("cells", [["2026-11-15", "later"], ["2026-11"], ["1-2-3"], ["13:4"], ["x2026-11-15"]])
def test_what_only_looks_like_a_time_is_text(cells):
    assert type_of(pl.Series(cells)) == "text"


@pytest.mark.parametrize(
    ("cells", "markers"),
    [
        (["1", "NA", "2.5"], {"NA"}),
        (["1", "?", "-", "NA"], {"?", "-", "NA"}),
        (["1", "2", None], set()),
        (["a", "NA", "b"], set()),  # text, of which NA is one
        (["NA", "NA"], set()),  # nothing says that this is about numbers
        (["1", "none"], set()),
        (["1", "NA", "x"], set()),
        (["1", "\\N"], {"\\N"}),
        ([], set()),
    ],
)
def test_null_markers_are_all_that_keeps_a_column_from_being_numbers(cells, markers):
    assert markers_in(pl.Series(cells, dtype=pl.String)) == markers


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ({"x": ["1,5", "2", "-0,25", None]}, ["x"]),
        ({"x": ["1,5e3", "2"]}, ["x"]),
        ({"x": ["1,234", "5,678"]}, []),  # of thousands, perhaps
        ({"x": ["1,234", "12345,678"]}, ["x"]),
        ({"x": ["1,234"], "z": ["0,5"]}, ["x", "z"]),  # the other column tells
        ({"x": ["1,5"], "z": ["0.5"]}, []),  # whoever writes points does not write commas
        ({"x": ["1.234,5", "2,5"]}, []),
        ({"x": ["1,2,3", "2,5"]}, []),
        ({"x": ["1", "2"]}, []),
        ({"x": ["a,b"]}, []),
        ({"x": [None]}, []),
    ],
)
def test_decimal_commas_are_told_from_those_of_thousands(columns, found):
    cells = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
    assert comma_numbers(cells, {name: type_of(cells[name]) for name in columns}) == found


def test_types_are_said_by_name_or_by_place():
    assert resolve_types({"a": "text", -1: "float"}, ("a", "b", "c")) == {"a": "text", "c": "float"}
    assert resolve_types({0: "text", -1: "float"}, (0, 1, 2)) == {0: "text", 2: "float"}
    assert [polars_type(kind) for kind in ("text", "integer", "float", "bool", "time")] == [
        pl.String,
        pl.Int64,
        pl.Float64,
        pl.Boolean,
        pl.String,
    ]


@pytest.mark.parametrize(
    ("given", "names", "text"),
    [
        (
            "amuont",
            ("amount", "y"),
            "a type is given for column 'amuont', which is not in the data. Did you mean 'amount'?",
        ),
        (7, ("amount", "y"), "a type is given for column 7, which is not in the data. The columns are 'amount', 'y'."),
        (-3, (0, 1), "a type is given for column -3, which is not in the data. The columns are 0, 1."),
    ],
)
def test_a_column_that_is_not_there_has_no_type(given, names, text):
    with pytest.raises(DataError, match=f"^{re.escape(text)}$"):
        resolve_types({given: "text"}, names)
