"""The rows of files: of every format, of several files, from standard input, in batches of any size."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.errors import DataError
from suffice.sources.files import Batches, Files, batches, blocks, columnar
from tests.oracles.delimited_text import read
from tests.sources.files.written import FORMATS, ROWS, csv_of, parquet_of


@pytest.fixture
def small(monkeypatch):
    """Many batches of few rows."""
    monkeypatch.setattr(blocks, "_BLOCK", 200)
    monkeypatch.setattr(batches, "_CELLS", 30)
    monkeypatch.setattr(columnar, "_ROWS", 8)


def frames_of(files, columns=None, rows=10):
    with Batches(files if isinstance(files, Files) else Files(files), rows) as found:
        return [batch.frame for batch in found(found.names if columns is None else columns)]


def same(frames, expected):
    whole = pl.concat([frame.select(expected.columns) for frame in frames], how="vertical_relaxed")
    return whole.equals(expected)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_rows_in_many_batches(name, tmp_path, small):
    path = tmp_path / name
    path.write_bytes(FORMATS[name](ROWS))
    frames = frames_of(path)
    assert len(frames) > 1
    assert same(frames, ROWS)


@pytest.mark.parametrize("name", ["rows.csv", "rows.ndjson", "rows.parquet", "rows.arrow"])
def test_only_the_columns_that_are_asked_for_are_read(name, tmp_path, small):
    (tmp_path / name).write_bytes(FORMATS[name](ROWS))
    frames = frames_of(tmp_path / name, ["price", "city"])
    assert all(set(frame.columns) == {"price", "city"} for frame in frames)
    assert same(frames, ROWS.select("city", "price"))


@pytest.mark.parametrize("name", ["rows.csv", "rows.ndjson", "rows.parquet", "rows.arrow"])
def test_the_first_rows_are_given_twice(name, tmp_path, small):
    (tmp_path / name).write_bytes(FORMATS[name](ROWS))
    with Batches(Files(tmp_path / name), 10) as found:
        assert found.names == tuple(ROWS.columns)
        head = found.head()
        assert head.names == found.names
        assert head.rows == 10
        kinds = [column.kind for column in head.columns]
        assert kinds == ["text", "integer", "float", "bool"]
        assert same([batch.frame for batch in found(found.names)], ROWS)


@pytest.mark.parametrize("ending", ["csv", "ndjson", "parquet", "arrow"])
@pytest.mark.parametrize("rows", [5, 1000])
def test_files_may_have_their_columns_in_another_order(ending, rows, tmp_path, small):
    make = FORMATS[f"rows.{ending}"]
    (tmp_path / f"1.{ending}").write_bytes(make(ROWS[:40]))
    (tmp_path / f"2.{ending}").write_bytes(make(ROWS[40:50].select("price", "garden", "rooms", "city")))
    (tmp_path / f"3.{ending}").write_bytes(make(ROWS[50:].select(reversed(ROWS.columns))))
    for paths in (tmp_path, tmp_path / f"*.{ending}", [tmp_path / f"{k}.{ending}" for k in (1, 2, 3)]):
        with Batches(Files(str(paths) if isinstance(paths, Path) else paths), rows) as found:
            assert found.head().names == tuple(ROWS.columns)
            read_back = list(found(found.names))
        assert same([batch.frame for batch in read_back], ROWS)
        assert [batch.start for batch in read_back] == [
            sum(batch.table.rows for batch in read_back[:k]) for k in range(len(read_back))
        ]
        assert list(dict.fromkeys(Path(batch.path).name for batch in read_back)) == [f"{k}.{ending}" for k in (1, 2, 3)]


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_files_may_have_numbers_of_another_width(ending, tmp_path):
    make = FORMATS[f"rows.{ending}"]
    (tmp_path / f"1.{ending}").write_bytes(make(pl.DataFrame({"x": [1, 2]}, schema={"x": pl.Int32})))
    (tmp_path / f"2.{ending}").write_bytes(make(pl.DataFrame({"x": [0.5]})))
    with Batches(Files(tmp_path), 10) as found:
        assert found.head().columns[0].kind == "float"
        assert [batch.frame["x"].to_list() for batch in found(["x"])] == [[1, 2], [0.5]]


def test_a_folder_leaves_out_what_it_does_not_know_and_what_is_hidden(tmp_path):
    for name in ("b.csv", "a.csv", ".hidden.csv", "notes.txt", "_SUCCESS"):
        (tmp_path / name).write_text("x\n1\n")
    (tmp_path / "inside.csv").mkdir()
    with Batches(Files(tmp_path), 10) as found:
        assert [Path(path).name for path in found.paths] == ["a.csv", "b.csv"]


def test_a_glob_may_reach_any_depth_and_a_name_may_look_like_one(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "x.csv").write_text("x\n1\n")
    (tmp_path / "odd[1].csv").write_text("x\n2\n")
    assert same(frames_of(str(tmp_path / "**" / "x.csv")), pl.DataFrame({"x": [1]}))
    assert same(frames_of(str(tmp_path / "odd[1].csv")), pl.DataFrame({"x": [2]}))


def fails(text, call):
    with pytest.raises(DataError) as caught:
        call()
    assert str(caught.value) == text


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
def test_files_have_the_same_columns(ending, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make = FORMATS[f"rows.{ending}"]
    Path(f"1.{ending}").write_bytes(make(pl.DataFrame({"x": [1], "y": [2]})))
    Path(f"2.{ending}").write_bytes(make(pl.DataFrame({"x": [1], "z": [2]})))
    text = (
        f"files must have the same columns: only 1.{ending} has 'y'; only 2.{ending} has 'z'. "
        "Rename the columns, or fit the files separately."
    )
    fails(text, lambda: frames_of(f"*.{ending}"))
    fails(text, lambda: Batches(Files(f"*.{ending}"), 10).head())


def test_a_header_alone_has_no_rows(tmp_path):
    for content in (b"x,y\n", b"x,y", b"x,y\n\n"):
        (tmp_path / "rows.csv").write_bytes(content)
        with Batches(Files(tmp_path / "rows.csv"), 10) as found:
            assert found.names == ("x", "y")
            assert found.head().rows == 0
            assert sum(batch.table.rows for batch in found(found.names)) == 0


texts = st.lists(
    st.sampled_from(
        ["a", "b", ",", ",", '"', '""', "\n", "\n", "\r\n", "\r", " ", "\t", "é", "1", "NA", "a,b,c\n", '"d\n",e ,f\n']
    ),
    max_size=60,
).map("".join)


@given(texts, st.booleans(), st.integers(1, 60))
def test_text_is_cut_into_the_cells_that_the_oracle_finds(tmp_path_factory, text, quote, size):
    path = tmp_path_factory.getbasetemp() / "text.csv"
    path.write_bytes(("p,q,r\n" + text).encode())
    whole = path.read_bytes()
    records = read(whole, ",", quote).records
    looked_at = read(whole[: whole.rfind(b"\n") + 1], ",", quote).records  # the last line may have been cut
    widths = Counter(len(record.fields) for record in looked_at[1:] if not record.open)
    width, count = widths.most_common(1)[0] if widths else (0, 0)
    usual = width if count > 1 and count > 0.9 * widths.total() else 3
    good = [record.fields for record in records[1:] if len(record.fields) == 3]
    expected = [tuple(cell.decode() or None for cell in fields) for fields in good]
    files = Files(
        path, header=True, delimiter=",", quote=quote, null=(), types=dict.fromkeys("pqr", "text"), skip_bad_lines=True
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "_BLOCK", size)
        patch.setattr(batches, "_CELLS", size)
        if usual != 3:
            with pytest.raises(
                DataError, match=f"^.*: the first line has 3 fields, but most other lines have {usual}: "
            ):
                frames_of(files)
            return
        with Batches(files, 4) as found:
            rows = [row for batch in found(found.names) for row in batch.frame.rows()]
            assert rows == expected
            assert found.done(len(rows)).skipped == len(records) - 1 - len(good)


@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)), st.one_of(st.none(), st.floats()), st.booleans()
        ),
        min_size=1,
        max_size=30,
    ),
    st.integers(1, 80),
)
def test_numbers_are_read_to_the_last_bit(tmp_path_factory, rows, size):
    path = tmp_path_factory.getbasetemp() / "numbers.csv"
    lines = [",".join("" if cell is None else repr(cell) for cell in row) for row in rows]
    path.write_text("\n".join(["whole,real,flag", *lines]))
    files = Files(path, types={"whole": "integer", "real": "float", "flag": "bool"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "_BLOCK", size)
        frames = frames_of(files, rows=1)
    schema = {"whole": pl.Int64, "real": pl.Float64, "flag": pl.Boolean}
    assert pl.concat(frames).equals(pl.DataFrame(rows, schema=schema, orient="row"))


def test_whole_numbers_widen_where_a_later_row_asks_for_it(tmp_path, small):
    (tmp_path / "a.csv").write_text("x\n" + "1\n" * 200 + "2.5\n" + "3\n" * 200)
    (tmp_path / "a.ndjson").write_text('{"x": 1}\n' * 200 + '{"x": 2.5}\n' + '{"x": 3}\n' * 200)
    for name in ("a.csv", "a.ndjson"):
        frames = frames_of(tmp_path / name, rows=5)
        assert {str(frame["x"].dtype) for frame in frames} == {"Int64", "Float64"}
        assert same(frames, pl.DataFrame({"x": [1.0] * 200 + [2.5] + [3.0] * 200}))


def test_long_whole_numbers_do_not_widen(tmp_path, small):
    long = 2**53 + 1
    (tmp_path / "a.csv").write_text("x\n" + "1\n" * 200 + f"{long}\n2.5\n")
    (tmp_path / "a.ndjson").write_text('{"x": 1}\n' * 200 + f'{{"x": {long}}}\n{{"x": 2.5}}\n')
    for name, line, got in (("a.csv", 203, "2.5"), ("a.ndjson", 202, 2.5)):
        with pytest.raises(DataError, match="must be whole numbers") as caught:
            frames_of(tmp_path / name, rows=5)
        error = caught.value
        assert (error.file, error.line, error.column, error.got) == (str(tmp_path / name), line, "x", got)


def test_json_has_numbers_that_are_none(tmp_path):
    (tmp_path / "a.ndjson").write_text(
        '{"x": 1.5, "n": 1}\n{"x": NaN, "n": NaN}\n{"x": -Infinity, "n": 2}\n{"n": 3.0}\n'
    )
    (frame,) = frames_of(tmp_path / "a.ndjson")
    assert frame["x"].fill_nan(99).to_list() == [1.5, 99, -float("inf"), None]
    assert frame["n"].fill_nan(99).to_list() == [1.0, 99.0, 2.0, 3.0]


def test_json_keys_may_come_later_and_be_of_two_kinds(tmp_path, small):
    (tmp_path / "a.ndjson").write_text('{"x": 1}\n{"x": "one", "y": true}\n' + '{"x": [1], "z": 5}\n' * 30)
    frame = pl.concat(frames_of(tmp_path / "a.ndjson", rows=3))
    assert frame["x"].to_list() == ["1", "one"] + ["[1]"] * 30
    assert frame["y"].to_list() == [None, True] + [None] * 30


@pytest.mark.parametrize(
    ("name", "types", "kinds"),
    [
        ("rows.csv", {"rooms": "text", 2: "text"}, [pl.String, pl.String]),
        ("rows.ndjson", {"rooms": "float", "price": "text"}, [pl.Float64, pl.String]),
        ("rows.parquet", {"rooms": "text", -2: "text"}, [pl.String, pl.String]),
        ("rows.arrow", {"rooms": "float", "price": "time"}, [pl.Float64, pl.Float64]),
    ],
)
def test_types_can_be_said(name, types, kinds, tmp_path, small):
    (tmp_path / name).write_bytes(FORMATS[name](ROWS))
    frames = frames_of(Files(tmp_path / name, types=types))
    assert all([frame["rooms"].dtype, frame["price"].dtype] == kinds for frame in frames)


def test_a_type_that_a_column_cannot_have(tmp_path):
    path = tmp_path / "rows.parquet"
    path.write_bytes(parquet_of(ROWS))
    with pytest.raises(DataError, match=rf"^{path}, column 'city': cannot be read as whole numbers: "):
        frames_of(Files(path, types={"city": "integer"}))
    for name in ("rows.csv", "rows.ndjson", "rows.parquet"):
        (tmp_path / name).write_bytes(FORMATS[name](ROWS))
        fails(
            "a type is given for column 'prize', which is not in the data. Did you mean 'price'?",
            lambda name=name: frames_of(Files(tmp_path / name, types={"prize": "text"})),
        )


def test_names_are_made_unique_and_given_where_there_is_none(tmp_path):
    (tmp_path / "a.csv").write_text('x,x,,"two\nlines",x_2,\n1,2,3,4,5,6\n')
    with Batches(Files(tmp_path / "a.csv", header=True), 10) as found:
        assert found.names == ("x", "x_2", "column_3", "two\nlines", "x_2_2", "column_6")
        (batch,) = found(found.names)
        assert batch.frame.rows() == [(1, 2, 3, 4, 5, 6)]


def test_progress_says_how_far_and_how(tmp_path, small):
    (tmp_path / "1.csv").write_bytes(csv_of(ROWS[:50]))
    (tmp_path / "2.csv").write_bytes(csv_of(ROWS[50:]))
    with Batches(Files(tmp_path, null="?"), 10) as found:
        seen = [batch.progress for batch in found(found.names)]
    shares = [each.share for each in seen]
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.5 < shares[-1] == 1.0
    assert seen[-1].rows == 90
    assert seen[-1].described == ("delimited by comma, with a header, utf-8", "missing: empty cells, '?'")
    (tmp_path / "b.tsv").write_bytes(b"1\t2\n")
    with Batches(Files(tmp_path / "b.tsv", quote=False), 10) as found:
        assert found.done(1)[:4] == (
            1,
            1.0,
            0,
            (
                "delimited by tab, no header: columns are named by position, no quoting, utf-8",
                "missing: empty cells",
            ),
        )


@pytest.mark.parametrize("name", ["rows.csv", "rows.ndjson", "rows.parquet"])
def test_a_pass_that_is_left_half_way_leaves_nothing_behind(name, tmp_path, small):
    (tmp_path / name).write_bytes(FORMATS[name](pl.concat([ROWS] * 20)))
    before = threading.active_count()
    found = Batches(Files(tmp_path / name), 10)
    passing = found(found.names)
    next(passing)
    found.close()
    found.close()
    assert list(passing) == []
    Batches(Files(tmp_path / name), 10).close()
    assert threading.active_count() == before


def test_a_column_is_found_by_name_or_by_place(tmp_path):
    (tmp_path / "a.csv").write_text("age,sex\n1,f\n")
    (tmp_path / "b.csv").write_text("1,2\n3,4\n")
    with Batches(Files(tmp_path / "a.csv"), 10) as found:
        assert [found.name_of(given, "target") for given in ("sex", 0, -1, "-1")] == ["sex", "age", "sex", "sex"]
        path = tmp_path / "a.csv"
        fails(f"target column 'sexe' is not in {path}. Did you mean 'sex'?", lambda: found.name_of("sexe", "target"))
        fails(f"target column 2 is not in {path}. The columns are 'age', 'sex'.", lambda: found.name_of(2, "target"))
    with Batches(Files(tmp_path / "b.csv"), 10) as found:
        assert found.name_of(-1, "target") == 1
        fails(
            f"weights column 'w' is not in {tmp_path / 'b.csv'}. The file has no header: use a position from 0 to 1.",
            lambda: found.name_of("w", "weights"),
        )


PROGRAM = textwrap.dedent("""
    import sys
    from suffice.sources.files import Batches, Files
    with Batches(Files("-"), 10) as found:
        frames = [batch.frame for batch in found(found.names)]
    print(sum(map(len, frames)), sum(frame["rooms"].sum() or 0 for frame in frames), found.paths)
""")


@pytest.mark.parametrize("name", ["rows.csv", "rows.csv.gz", "rows.ndjson", "rows.parquet", "rows.arrow"])
def test_standard_input_may_hold_any_format(name, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=FORMATS[name](ROWS),
        capture_output=True,
        check=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert done.stdout.decode() == f"90 {ROWS['rooms'].sum()} ('-',)\n"
    assert list(tmp_path.iterdir()) == []  # what was kept of it for a while


def test_a_named_pipe_may_hold_text_or_columns(tmp_path, small):
    for name in ("rows.csv", "rows.parquet"):
        path = tmp_path / f"pipe-{name}"
        os.mkfifo(path)
        writer = threading.Thread(target=path.write_bytes, args=(FORMATS[name](ROWS),))
        writer.start()
        assert same(frames_of(path), ROWS)
        writer.join()


@pytest.mark.parametrize("name", ["rows.parquet", "rows.arrow", "rows.csv"])
def test_a_file_of_no_rows_has_its_columns(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(FORMATS[name](ROWS.head(0)))
    (frame,) = frames_of(path, ["price", "city"])
    assert frame.columns == ["city", "price"]
    assert len(frame) == 0
