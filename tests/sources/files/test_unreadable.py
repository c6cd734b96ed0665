"""Files that are not there, are of two formats or cannot be read at all, and what cannot be asked of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from suffice.errors import DataError, ParameterError
from suffice.sources.files import Batches, Files


def frames_of(files):
    with Batches(files if isinstance(files, Files) else Files(files), 10) as found:
        return [batch.frame for batch in found(found.names)]


def fails(text, call):
    with pytest.raises(DataError) as caught:
        call()
    assert str(caught.value) == text


def test_what_is_not_there_gets_a_suggestion(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("train.csv").write_text("x\n1\n")
    Path("empty").mkdir()
    fails("there is no file trian.csv. Did you mean train.csv?", lambda: frames_of("trian.csv"))
    fails("there is no file other/thing.csv.", lambda: frames_of("other/thing.csv"))
    fails("no file matches *.parquet.", lambda: frames_of("*.parquet"))
    fails(
        "empty contains no table (.csv, .ndjson, .parquet, .xlsx, …), and no subdirectories of texts.",
        lambda: frames_of("empty"),
    )


def test_files_are_of_one_format(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("x\n1\n")
    Path("b.ndjson").write_text('{"x": 1}\n')
    fails(
        "files must be of one format: a.csv is csv, b.ndjson is ndjson. Fit one model per format, and add the models.",
        lambda: frames_of("."),
    )


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "rows.csv: the file is empty: it has neither a header nor rows."),
        (b"\n \n\r\n", "rows.csv: the file is empty: it has neither a header nor rows."),
        (
            b'"a,b\n1,2\n',
            "rows.csv, line 1: unclosed quote: '\"a,b\\n1,2\\n'. Use quote=False to treat quotes as text.",
        ),
        (
            b"# made today\nx,y\n1,2\n3,4\n",
            "rows.csv: the first line has 1 field, but most other lines have 2: '# made today'. Remove the lines "
            "above the header, or add the missing column names.",
        ),
        (
            "x,y\n1,2\n".encode("utf-16-le"),
            "rows.csv: the file is not utf-8 text: it contains null bytes. It may be a binary file; if it is "
            "text, give its encoding, for example encoding='utf-16-le'.",
        ),
        (
            b"x,y\n1,2\n3,caf\xe9\n",
            "rows.csv, line 3: byte 0xe9 is not UTF-8. Give its encoding, for example encoding='latin-1'.",
        ),
    ],
)
def test_a_file_that_cannot_be_read_at_all_says_why(content, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_bytes(content)
    fails(text, lambda: frames_of("rows.csv"))
    fails(text, lambda: frames_of(Files("rows.csv", skip_bad_lines=True)))


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("rows.ndjson", b"\n\n", "rows.ndjson: the file is empty: it has no rows."),
        ("rows.ndjson", b"{}\n{}\n", "rows.ndjson: the file has no columns: its first objects are empty."),
        ("rows.parquet", b"PAR1 and no more", "rows.parquet: cannot be read as Parquet: "),
        ("rows.arrow", b"ARROW1 and no more", "rows.arrow: cannot be read as Arrow IPC: "),
    ],
)
def test_files_of_other_formats_say_why_too(name, content, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(content)
    with pytest.raises(DataError) as caught:
        frames_of(name)
    assert str(caught.value).startswith(text)
    assert text.endswith(": ") or str(caught.value) == text


@pytest.mark.parametrize(
    ("text", "make"),
    [
        (
            "format must be one of csv, ndjson, parquet, ipc, excel, texts: got 'xlsx'.",
            lambda: Files("a", format="xlsx"),
        ),
        (
            "delimiter must be one ASCII character other than a line end or a quote: got ',,'.",
            lambda: Files("a", delimiter=",,"),
        ),
        (
            "delimiter must be one ASCII character other than a line end or a quote: got '\\n'.",
            lambda: Files("a", delimiter="\n"),
        ),
        (
            "delimiter must be one ASCII character other than a line end or a quote: got '§'.",
            lambda: Files("a", delimiter="§"),
        ),
        (
            "delimiter must be one ASCII character other than a line end or a quote: got 3.",
            lambda: Files("a", delimiter=3),
        ),
        (
            "unknown encoding: got 'klingon'. Use a Python codec name such as 'latin-1', 'cp1252' or 'utf-16'.",
            lambda: Files("a", encoding="klingon"),
        ),
        (
            "unknown encoding: got 'hex'. Use a Python codec name such as 'latin-1', 'cp1252' or 'utf-16'.",
            lambda: Files("a", encoding="hex"),
        ),
        ("null must be a string or a list of strings: got [1].", lambda: Files("a", null=[1])),
        ("null must be a string or a list of strings: got 1.", lambda: Files("a", null=1)),
        (
            "column 'x': types must be one of text, integer, float, bool, time: got 'int'.",
            lambda: Files("a", types={"x": "int"}),
        ),
        ("paths must be a path, a glob or a list of those: got [].", lambda: Files([])),
        ("paths must be a path, a glob or a list of those: got [1].", lambda: Files([1])),
        ("paths must be a path, a glob or a list of those: got 1.", lambda: Files(1)),
        ("paths must be a path, a glob or a list of those: got [''].", lambda: Files("")),
    ],
)
def test_what_cannot_be_asked_of_files(text, make):
    with pytest.raises(ParameterError) as caught:
        make()
    assert str(caught.value) == text
