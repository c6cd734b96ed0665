"""A cell that does not fit the type of its column is named by file, line, column and value, and changes no other row."""

from __future__ import annotations

from unittest import mock

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.errors import DataError
from suffice.sources.files import Batches, Files, blocks

NUMBERS = ["0", "-3", "12", "0.5", "-1.25", "1e3", "1e-7", "+4", "007", ".5", "5.", "nan", "inf", "123456789012345678"]
TEXTS = ["a", "bee", "Zürich", "one that is far longer than any view", 'say "hi"', "x,y", "two\nlines", "猫"]
ODD = ["", "?", "NA", " a ", "\t", "-", "true", "false", "TRUE", "2026-11-16"]
columns = st.sampled_from(
    [NUMBERS[:3], NUMBERS[:6], NUMBERS, TEXTS[:3], TEXTS, [*NUMBERS[:3], *ODD], [*TEXTS, *ODD], ["true", "false", ""]]
)


@st.composite
def tables(draw):
    kinds = draw(st.lists(columns, min_size=1, max_size=5))
    rows = draw(st.lists(st.tuples(*map(st.sampled_from, kinds)), min_size=1, max_size=40))
    return [("c0", *(f"c{j}" for j in range(1, len(kinds) + 1))), *(("1", *row) for row in rows)]


def written(rows, always, end):
    def field(cell):
        return '"' + cell.replace('"', '""') + '"' if always or any(c in cell for c in '\n",') else cell

    return "".join(",".join(map(field, row)) + end for row in rows).encode()


def frame_of(path, null):
    with Batches(Files(path, delimiter=",", header=True, null=null, skip_bad_lines=True), 10) as found:
        return pl.concat([batch.frame for batch in found(found.names)], how="vertical_relaxed"), found.done(0).skipped


@given(
    tables(),
    st.sampled_from([None, "?", ["NA", "-", "12"]]),
    st.booleans(),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([60, 1 << 20]),
)
def test_a_bad_cell_does_not_change_how_other_rows_are_read(tmp_path_factory, rows, null, always, end, block):
    folder = tmp_path_factory.mktemp("files")
    rows = [*rows, *rows[1:] * 10]  # the types are decided by the first ten
    (folder / "good.csv").write_bytes(written(rows, always, end))
    (folder / "bad.csv").write_bytes(written([*rows, ("x", *rows[-1][1:])], always, end))
    with mock.patch.object(blocks, "_BLOCK", block):
        good, skipped = frame_of(folder / "good.csv", null)
        frame, skipped_too = frame_of(folder / "bad.csv", null)
    assert skipped_too == skipped + 1
    assert frame.schema == good.schema
    assert frame.equals(good, null_equal=True)


@pytest.mark.parametrize("cell", ["x", "0x1f", "1_0", "--1", "1.5.2"])
def test_a_cell_that_is_no_number_is_named(tmp_path, cell):
    path = tmp_path / "rows.csv"
    path.write_text("a,number\n" + "a,1\n" * 30 + f"b,{cell}\n")
    with Batches(Files(path, header=True), 10) as found, pytest.raises(DataError) as caught:
        list(found(["number"]))
    error = caught.value
    assert (error.kind, error.file, error.line, error.column, error.got) == (
        "wrong_type",
        str(path),
        32,
        "number",
        cell,
    )


@pytest.mark.parametrize(("cell", "value"), [("1e999", float("inf")), ("-1e999", -float("inf")), ("1e-999", 0.0)])
def test_a_number_beyond_the_floats_is_read_as_the_nearest(tmp_path, cell, value):
    path = tmp_path / "rows.csv"
    path.write_text("number\n" + "1\n" * 30 + cell + "\n")
    with Batches(Files(path, header=True), 10) as found:
        assert [batch.frame["number"][-1] for batch in found(["number"])][-1] == value
