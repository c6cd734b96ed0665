"""A delimited file is the same to its reader whether the core parses its blocks or Polars does."""

from __future__ import annotations

from unittest import mock

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice import _core
from suffice.engines.files import Batches, Files, blocks
from suffice.errors import DataError

NUMBERS = [
    "0",
    "-3",
    "12",
    "0.5",
    "-1.25",
    "1e3",
    "1e-7",
    "+4",
    "007",
    ".5",
    "5.",
    "nan",
    "inf",
    "123456789012345678",
    "1,5",
]
TEXTS = [
    "a",
    "bee",
    "Zürich",
    "a longer name",
    "one that is far longer than any view",
    'say "hi"',
    "x,y",
    "two\nlines",
    "猫",
]
ODD = ["", "?", "NA", " a ", "\t", "-", "true", "false", "TRUE", "2026-11-16"]
columns = st.sampled_from(
    [NUMBERS[:6], NUMBERS, TEXTS[:3], TEXTS, [*NUMBERS[:3], *ODD], [*TEXTS, *ODD], ["true", "false", ""]]
)


@st.composite
def files(draw):
    kinds = draw(st.lists(columns, min_size=1, max_size=5))
    rows = draw(st.lists(st.tuples(*map(st.sampled_from, kinds)), min_size=1, max_size=40))
    delimiter, end = draw(st.sampled_from(",;\t")), draw(st.sampled_from(["\n", "\r\n", "\n\n"]))
    quoted = draw(st.sampled_from(["where needed", "always", "never"]))

    def field(cell):
        needed = any(c in cell for c in f'{delimiter}\n"')
        if quoted == "always" or (quoted == "where needed" and needed):
            return '"' + cell.replace('"', '""') + '"'
        return cell.replace("\n", " ")  # and what delimits may make a line bad

    lines = [",".join(f"c{j}" for j in range(len(kinds))).replace(",", delimiter)]
    lines += [delimiter.join(map(field, row)) for row in rows]
    text = end.join(lines) + end * draw(st.booleans())
    return text.encode(), delimiter, quoted != "never" or draw(st.booleans())


def read(path, delimiter, quote, null, skip):
    how = Files(path, delimiter=delimiter, header=True, quote=quote, null=null, skip_bad_lines=skip)
    try:
        with Batches(how, 10) as found:
            frames = [batch.frame for batch in found(found.names)]
            done = found.done(0)
    except DataError as reason:
        return str(reason)
    return pl.concat(frames, how="vertical_relaxed"), done.skipped, done.described


@given(files(), st.sampled_from([None, "?", ["NA", "-", "12"]]), st.booleans(), st.sampled_from([60, 1 << 20]))
def test_a_file_is_read_alike_by_the_core_and_by_polars(tmp_path_factory, file, null, skip, block):
    text, delimiter, quote = file
    path = tmp_path_factory.mktemp("files") / "rows.csv"
    path.write_bytes(text)
    with mock.patch.object(blocks, "_BLOCK", block):
        quick = read(path, delimiter, quote, null, skip)
        with mock.patch.object(_core, "parse_cells", return_value=None):
            slow = read(path, delimiter, quote, null, skip)
    if isinstance(quick, str) or isinstance(slow, str):
        assert quick == slow
        return
    assert quick[1:] == slow[1:]
    assert quick[0].schema == slow[0].schema
    assert quick[0].equals(slow[0], null_equal=True)


def test_the_core_does_read_such_files(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(b'c0,c1\r\n1,"a, b"\r\n,c\r\n2.5,"say ""hi"""\r\n')
    with mock.patch.object(pl, "read_csv", side_effect=AssertionError("Polars was asked")):
        found = read(path, ",", True, None, False)
    assert not isinstance(found, str)
    assert found[0].to_dict(as_series=False) == {"c0": [1.0, None, 2.5], "c1": ["a, b", "c", 'say "hi"']}


@pytest.mark.parametrize("cell", ["x", "1e999", "0x1f"])
def test_what_the_core_leaves_is_said_as_before(tmp_path, cell):
    path = tmp_path / "rows.csv"
    path.write_text("number\n" + "1\n" * 30 + cell + "\n")
    with Batches(Files(path), 10) as found:
        if cell == "1e999":
            assert [batch.frame["number"][-1] for batch in found(["number"])][-1] == float("inf")
        else:
            message = (
                rf"^.*rows\.csv, line 32: column 'number' must hold whole numbers: got '{cell}'\. The first rows .*$"
            )
            with pytest.raises(DataError, match=message):
                list(found(["number"]))
