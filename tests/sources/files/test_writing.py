"""Rows out: every format, in several batches, read back; and what happens when something fails half-way."""

from __future__ import annotations

import datetime
import threading

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.errors import DataError, ParameterError
from suffice.sources.files import Batches, Files, Writer
from suffice.sources.files.writing import out_format

BATCHES = [
    {"name": ["a", 'b "c"'], "p": np.array([0.1, 0.2]), "n": [1, None]},
    {"name": ["d,e", None], "p": np.array([1 / 3, 1e-300]), "n": [3, 4]},
    {"name": ["f\ng", "h"], "p": np.array([0.0, 1.0]), "n": [5, 6]},
]
WHOLE = pl.concat([pl.DataFrame(batch) for batch in BATCHES])


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".ndjson", ".jsonl", ".parquet", ".pq", ".CSV"])
def test_every_format_is_read_back(ending, tmp_path):
    path = str(tmp_path / f"out{ending}")
    with Writer(path, out_format(path)) as writer:
        for batch in BATCHES:
            writer.write(batch)
    with Batches(Files(path), 100) as found:
        back = pl.concat([batch.frame for batch in found(found.names)])
    assert back.equals(WHOLE)


@given(st.lists(st.lists(st.floats(), max_size=5), min_size=1, max_size=4), st.sampled_from(["csv", "parquet"]))
def test_numbers_come_back_to_the_last_bit(tmp_path_factory, parts, kind):
    path = str(tmp_path_factory.getbasetemp() / f"numbers.{kind}")
    with Writer(path, kind) as writer:
        for part in parts:
            writer.write({"p": np.array(part, dtype=np.float64)})
    read = pl.read_csv(path, schema={"p": pl.Float64}) if kind == "csv" else pl.read_parquet(path)
    assert read["p"].equals(pl.Series("p", [value for part in parts for value in part], dtype=pl.Float64))


def test_a_frame_is_written_as_it_is(tmp_path):
    frame = pl.DataFrame({"day": [datetime.date(2026, 11, 15)], "x": [1.5]})
    for kind in ("csv", "parquet"):
        with Writer(str(tmp_path / f"a.{kind}"), kind) as writer:
            writer.write(frame)
    assert (tmp_path / "a.csv").read_text() == "day,x\n2026-11-15,1.5\n"
    assert pl.read_parquet(tmp_path / "a.parquet").equals(frame)


def test_standard_output_gets_text(capsys):
    for kind, text in (("csv", "x\n1\n2\n"), ("tsv", "x\n1\n2\n"), ("ndjson", '{"x":1}\n{"x":2}\n')):
        with Writer("-", kind) as writer:
            writer.write({"x": [1]})
            writer.write({"x": [2]})
        assert capsys.readouterr().out == text
    assert out_format("-") == "csv"


def test_nothing_written_is_a_file_without_rows(tmp_path):
    for kind in ("csv", "ndjson", "parquet"):
        with Writer(str(tmp_path / f"none.{kind}"), kind):
            pass
    assert (tmp_path / "none.csv").read_bytes() == b""
    assert pl.read_parquet(tmp_path / "none.parquet").shape == (0, 0)


@pytest.mark.parametrize(
    ("text", "call"),
    [
        (
            "the extension of an output file must be one of .csv, .tsv, .ndjson, .jsonl, .parquet, .pq: got out.xlsx.",
            lambda: out_format("out.xlsx"),
        ),
        (
            "the extension of an output file must be one of .csv, .tsv, .ndjson, .jsonl, .parquet, .pq: got out.",
            lambda: out_format("out"),
        ),
        (
            "Parquet cannot be written to standard output. Give a path, or choose CSV.",
            lambda: Writer("-", "parquet"),
        ),
    ],
)
def test_what_cannot_be_written(text, call):
    with pytest.raises(ParameterError) as caught:
        call()
    assert str(caught.value) == text


@pytest.mark.parametrize("kind", ["csv", "ndjson", "parquet"])
@pytest.mark.parametrize("after", [0, 1, 9])
def test_a_failure_inside_is_raised_as_it_is(kind, after, tmp_path):
    class OwnError(Exception):
        pass

    before = threading.active_count()

    def write():
        with Writer(str(tmp_path / f"out.{kind}"), kind) as writer:
            for _ in range(after):
                writer.write(BATCHES[0])
            raise OwnError

    with pytest.raises(OwnError):
        write()
    assert threading.active_count() == before


def test_a_place_that_cannot_be_written_to(tmp_path):
    nowhere = str(tmp_path / "none" / "out")

    def write(kind):
        with Writer(f"{nowhere}.{kind}", kind) as writer:
            for _ in range(9):
                writer.write(BATCHES[0])

    for kind in ("csv", "parquet"):
        with pytest.raises(FileNotFoundError):
            write(kind)


@pytest.mark.parametrize(
    ("later", "text"),
    [
        (
            {"x": [1.5]},
            "column 'x' must have one type: it is Int64 in the first rows and Float64 in later ones. "
            "Write CSV, which has no types.",
        ),
        (
            {"y": [1]},
            "column 'x' must have one type: it is Int64 in the first rows and absent in later ones. "
            "Write CSV, which has no types.",
        ),
    ],
)
def test_columns_of_parquet_have_one_type(later, text, tmp_path):
    def write():
        with Writer(str(tmp_path / "out.parquet"), "parquet") as writer:
            writer.write({"x": [1]})
            writer.write(later)

    with pytest.raises(DataError) as caught:
        write()
    assert str(caught.value) == text


def test_narrow_numbers_and_no_rows_fit_everywhere(tmp_path):
    path = str(tmp_path / "out.parquet")
    with Writer(path, "parquet") as writer:
        writer.write({"x": [], "name": []})
        writer.write({"x": [1.5], "name": ["a"]})
        writer.write({"x": [2], "name": [None]})
        writer.write({"x": [], "name": []})
    assert pl.read_parquet(path).rows() == [(1.5, "a"), (2.0, None)]
    with Writer(path, "parquet") as writer:
        writer.write({"x": np.empty(0), "name": []})
    assert pl.read_parquet(path).columns == ["x", "name"]
