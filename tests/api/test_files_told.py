"""What a user tells of files, what a model remembers of them, and odd files from real life."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import suffice as sf
from suffice.api import predictions
from suffice.sources.files import batches, blocks

LINES = [f"{k / 7:.3f},{k % 3},{'ab'[k * k % 5 % 2]}" for k in range(60)]
BODY = "".join(f"{line}\n" for line in LINES)
FRAME = pl.DataFrame(
    {
        "x": [float(line.split(",")[0]) for line in LINES],
        "z": [int(line.split(",")[1]) for line in LINES],
        "y": [line.split(",")[2] for line in LINES],
    }
)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(blocks, "_BLOCK", 100)
    monkeypatch.setattr(batches, "_CELLS", 30)
    before = threading.active_count()
    yield
    assert threading.active_count() == before


def written(text, name="rows.csv"):
    Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return name


def fails(text, call, kind=sf.errors.DataError):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == text


def schema_of(path, target="y", **said):
    return repr(sf.fit(sf.Files(path, **said), target, calibrate=False).schema)


ALIKE = "2 columns\n  'x': Numeric()\n  'z': Categorical(alpha='evidence')"


@pytest.mark.parametrize(
    "text",
    [
        "x,z,y\n" + BODY,
        "\ufeffx;z;y\r\n" + BODY.replace(",", ";").replace("\n", "\r\n"),  # a spreadsheet's
        "x,z,y\n" + BODY.replace("\n", "\r\n")[:-2],  # no line end at the end
        ("x,z,y\n" + BODY).replace("\n", "\r"),
        ("x,z,y\n" + BODY).replace(",", "\t"),
        "\n\nx , z,y\n\n" + BODY.replace(",", " ,  ") + "\n \n",
        '"x","z","y"\n' + "".join('"' + line.replace(",", '","') + '"\n' for line in LINES),
        ("x,z,y\n" + BODY).encode("utf-16"),
    ],
)
def test_the_same_rows_written_otherwise_are_the_same_model(text, monkeypatch):
    monkeypatch.setattr(blocks, "_BLOCK", 1 << 20)  # of other bytes other rows would be added together
    monkeypatch.setattr(batches, "_CELLS", 1 << 20)
    model = sf.fit(written(text), "y", calibrate=False)
    assert repr(model.schema) == ALIKE
    assert model == sf.fit(written("x,z,y\n" + BODY), "y", calibrate=False)


@pytest.mark.parametrize("target", ["y", 2, -1, "-1"])
def test_the_target_may_be_a_place(target):
    model = sf.fit(written("x,z,y\n" + BODY), target, calibrate=False)
    assert model.provenance.target == "y"
    assert repr(model.schema) == ALIKE


def test_files_without_a_header_know_places():
    model = sf.fit(written(BODY), -1, calibrate=False)
    assert (model.provenance.target, model.schema.names) == (2, (0, 1))
    assert model.provenance.dialect.header is False
    expected = sf.fit(FRAME, "y", calibrate=False).predict_proba(FRAME)
    with_target = model.predict_proba("rows.csv")
    np.testing.assert_allclose(with_target, expected, rtol=1e-12)
    without = written("".join(line.rpartition(",")[0] + "\n" for line in LINES), "new.csv")
    np.testing.assert_array_equal(model.predict_proba(without), with_target)
    assert model.update("rows.csv").provenance.rows == 120


def test_files_without_a_header_may_have_the_target_first():
    model = sf.fit(written("".join(",".join(reversed(line.split(","))) + "\n" for line in LINES)), 0, calibrate=False)
    assert model.schema.names == (1, 2)
    without = written("".join(",".join(reversed(line.split(",")[:2])) + "\n" for line in LINES), "new.csv")
    np.testing.assert_array_equal(model.predict_proba(without), model.predict_proba("rows.csv"))


def test_text_levels_of_places_are_read_as_text():
    rows = "".join(f"{k % 3 + 1}{'' if k else 'x'},{k % 2},{'ab'[k % 2]}\n" for k in range(60))
    model = sf.fit(sf.Files(written(rows), header=False), -1, calibrate=False)
    new = written("1,0\n2,1\n", "new.csv")
    np.testing.assert_array_equal(model.predict_proba(new), model.predict_proba([["1", 0], ["2", 1]]))


def test_columns_by_place_must_be_as_many():
    model = sf.fit(written(BODY), -1, calibrate=False)
    fails(
        "the file has no header and 1 column, but the model has 2. Give the same columns in the same order, a "
        "file with "
        "a header, or names=.",
        lambda: model.predict(written("1\n2\n", "new.csv")),
    )


def test_a_model_of_names_takes_places_where_they_are_as_many():
    model = sf.fit(written("x,z,y\n" + BODY), "y", calibrate=False)
    new = written("".join(line.rpartition(",")[0] + "\n" for line in LINES), "new.csv")
    np.testing.assert_array_equal(model.predict_proba(sf.Files(new, header=False)), model.predict_proba("rows.csv"))


def test_null_markers_are_found_told_and_remembered():
    found = sf.fit(written("x,z,y\n" + BODY + "NA,?,a\n"), "y", calibrate=False)
    assert found.provenance.dialect.null == ("?", "NA")
    assert repr(found.schema) == ALIKE
    told = sf.fit(sf.Files(written("x,z,y\n" + BODY + "none,9,a\n"), null=["none", "9"]), "y", calibrate=False)
    assert told.provenance.dialect.null == ("none", "9")
    assert told == found
    new = written("x,z\n1.0,1\nnone,1\n", "new.csv")
    np.testing.assert_array_equal(told.predict_proba(new), told.predict_proba({"x": [1.0, np.nan], "z": [1, 1]}))


def test_a_code_with_leading_zeros_stays_text_and_what_a_model_knows_as_text_too():
    zips = ["01234", "56789", "00501"]
    model = sf.fit(
        written("zip,y\n" + "".join(f"{zips[k % 3]},{'ab'[k % 2]}\n" for k in range(60))), "y", calibrate=False
    )
    assert [each.level for each in model.parameters() if each.label == "a"] == [None, "00501", "01234", "56789"]
    new = written("zip\n56789\n56789\n", "new.csv")  # which alone would be whole numbers
    np.testing.assert_array_equal(model.predict_proba(new), model.predict_proba({"zip": ["56789", "56789"]}))


def test_classes_that_are_text_stay_text():
    model = sf.fit(written("x,y\n" + "1.5,01\n2.5,02\n" * 5), "y", calibrate=False)
    with pytest.warns(
        sf.errors.UnseenClassesWarning, match="2 classes are new to the model: '10' .1 row., '11' .1 row."
    ):
        more = model.update(written("x,y\n1.5,10\n2.5,11\n", "more.csv"))
    assert more.classes == ("01", "02", "10", "11")


def test_types_can_be_told():
    text = "x,z,day,y\n" + "".join(
        f"{line.rpartition(',')[0]},2026-11-{k % 28 + 1:02},a\n" for k, line in enumerate(LINES)
    )
    assert schema_of(written(text)).splitlines()[-1] == (
        "  'day' left out: dates and times; their parts (hour, weekday, month) can be modelled"
    )
    assert "'z', 'day': Categorical(alpha='evidence')" in schema_of("rows.csv", types={"day": "text"})
    assert "'z', 'day': Categorical(alpha='evidence')" in schema_of("rows.csv", types={"day": "text", "z": "float"})


def test_decimal_commas_are_read_where_another_character_delimits(monkeypatch):
    german = "x;z;y\n" + BODY.replace(",", ";").replace(".", ",")
    model = sf.fit(written(german, "german.csv"), "y", calibrate=False)
    assert repr(model.schema) == ALIKE
    np.testing.assert_allclose(
        model.predict_proba("german.csv"), sf.fit(FRAME, "y", calibrate=False).predict_proba(FRAME), rtol=1e-12
    )
    seen = []
    sf.fit("german.csv", "y", progress=seen.append, calibrate=False)
    assert seen[-1].described[0] == "delimited by semicolon, with a header, decimal commas, utf-8"
    monkeypatch.setattr("suffice.sources.files.rows.HEAD", 20)
    fails(
        "german.csv, line 62, column 'x': must be numbers: got '1.234,5'. The first rows are numbers; read the "
        "column as text if that is wrong. If it marks a missing value, use null='1.234,5'. Fix it, or skip bad "
        "lines with skip_bad_lines=True.",
        lambda: sf.fit(written(german + "1.234,5;1;a\n", "german.csv"), "y", calibrate=False),
    )


@pytest.mark.parametrize("name", ["new.csv", "new.ndjson"])
def test_a_cell_that_a_model_takes_for_a_number_is_told_by_its_line(name):
    model = sf.fit(written("x,z,y\n" + BODY), "y", calibrate=False)
    ndjson = '{"x": 1.5, "z": 1, "y": "a"}\n{"x": "none yet", "z": 1, "y": "b"}\n'
    written("x,z,y\n1.5,1,a\nnone yet,1,b\n" if name == "new.csv" else ndjson, name)
    for call in (model.predict, model.update):
        with pytest.raises(sf.errors.DataError) as caught:
            call(name)
        error = caught.value
        assert (error.kind, error.file, error.line) == ("wrong_type", name, 3 if name == "new.csv" else 2)
        assert (error.column, error.got, error.row) == ("x", "none yet", None)


def test_a_column_without_a_known_cell_is_missing_to_a_model():
    model = sf.fit(written("x,z,y\n" + BODY), "y", calibrate=False)
    missing = model.predict_proba({"x": [np.nan, np.nan], "z": [1, 2]})
    np.testing.assert_array_equal(model.predict_proba(written("x,z\n,1\n,2\n", "new.csv")), missing)
    nulls = written('{"x": null, "z": 1}\n{"x": null, "z": 2}\n', "new.ndjson")
    np.testing.assert_array_equal(model.predict_proba(nulls), missing)


def test_numbers_written_for_people_are_text():
    text = "price,share,y\n" + "".join(f'"{k},{k * 7 % 10}00",{k}%,{"ab"[k % 2]}\n' for k in range(20))
    assert schema_of(written(text)) == "2 columns\n  'price', 'share': Categorical(alpha='evidence')"


def test_like_makes_shards_agree():
    first = sf.fit(written("x,z,y\n" + BODY), "y", calibrate=False)
    shard = written("x,z,y\n1,u,c\n2,v,c\n", "shard.csv")
    alone = sf.fit(shard, "y", calibrate=False)
    assert alone.schema != first.schema
    both = first + sf.fit(shard, None, like=first, calibrate=False)
    assert both.classes == ("a", "b", "c")
    assert both.provenance.sources == ("rows.csv", "shard.csv")


def test_rows_without_a_class_are_left_out_and_counted():
    path = written("x,z,y\n" + BODY + "1.0,1,\n2.0,2,\n")
    with pytest.warns(sf.errors.DroppedRowsWarning) as caught:
        model = sf.fit(path, "y", calibrate=False)
    assert [str(each.message) for each in caught] == ["2 of 62 rows have no class and were ignored."]
    assert model.provenance.rows == 60


def test_bad_lines_are_skipped_with_one_warning():
    path = written("x,z,y\n" + BODY + "1,2\n" + BODY + "3\n" + BODY)
    with pytest.warns(sf.errors.SkippedLinesWarning) as caught:
        model = sf.fit(sf.Files(path, skip_bad_lines=True), "y", calibrate=False)
    assert [str(each.message) for each in caught] == [
        "rows.csv, line 62: 2 fields instead of 3: '1,2'. 2 bad lines were skipped; this is the first."
    ]
    assert model.provenance.rows == 180
    with pytest.warns(sf.errors.SkippedLinesWarning, match=r"^rows\.csv, line 62: .* 2 bad lines were skipped"):
        assert len(model.predict(sf.Files(path, skip_bad_lines=True))) == 180


def test_columns_of_the_model_that_a_file_lacks_are_missing():
    model = sf.fit(written("x,z,y\n" + BODY), "y", calibrate=False)
    with pytest.warns(
        sf.errors.MissingColumnsWarning, match=r"^column 'x': 1 of the 2 columns of the model are not in"
    ):
        scores = model.predict_proba(written("z\n1\n", "new.csv"))
    np.testing.assert_array_equal(scores, model.predict_proba({"x": [np.nan], "z": [1]}))


def test_one_class_is_a_model_too():
    model = sf.fit(written("x,z,y\n" + BODY.replace("b\n", "a\n")), "y", calibrate=False)
    assert model.classes == ("a",)
    np.testing.assert_array_equal(model.predict_proba("rows.csv"), np.ones((60, 1)))


def test_a_file_of_the_target_alone_is_a_model_of_classes():
    model = sf.fit(written("y\na\nb\na\n"), "y", calibrate=False)
    np.testing.assert_allclose(model.with_options(estimate="mle").predict_proba("rows.csv"), [[2 / 3, 1 / 3]] * 3)


def test_five_thousand_columns_are_read(monkeypatch):
    monkeypatch.setattr(blocks, "_BLOCK", 1 << 20)
    monkeypatch.setattr(batches, "_CELLS", 1 << 20)
    names = [f"a_rather_long_name_{k}" for k in range(5000)]
    rows = [",".join(str(k * j % 7 / 3) for k in range(5000)) + f",{'ab'[j % 2]}" for j in range(6)]
    model = sf.fit(
        written(",".join([*names, "y"]) + "\n" + "\n".join(rows) + "\n"), "y", columns=sf.Gaussian(), calibrate=False
    )
    assert model.schema.width == 5000


NAMES = "The columns are 'x', 'z', 'y'."
FAILURES = [
    ("there is no file rowz.csv. Did you mean rows.csv?", "rowz.csv", "y", {}),
    ("target column 'yy' is not in rows.csv. Did you mean 'y'?", "rows.csv", "yy", {}),
    (f"target column 'label' is not in rows.csv. {NAMES}", "rows.csv", "label", {}),
    (f"target column 3 is not in rows.csv. {NAMES}", "rows.csv", 3, {}),
    (f"weights column 'w' is not in rows.csv. {NAMES}", "rows.csv", "y", {"weights": "w"}),
    ("target must be the name or the position of a column: got list.", "rows.csv", ["a"], {}),
    (
        "the target column of rows.csv is not given. Give target=: its name or its position, −1 for the last. "
        "Documents need none if each class has its own subdirectory.",
        "rows.csv",
        None,
        {},
    ),
    ("target must be the name or the position of a column: got bool.", "rows.csv", True, {}),
    (
        "weights must be the name or the position of a column: got ndarray.",
        "rows.csv",
        "y",
        {"weights": np.ones(60)},
    ),
    (
        "rows.csv, row 1: class labels must be integers, booleans or strings: got 0.143. Bin it, for example "
        "with target='x>1.286'; if the numbers are class codes, convert the column to text.",
        "rows.csv",
        "x",
        {},
    ),
    (
        "rows.csv, row 0, column 'y': weights must be numbers: got 'a'. Convert the column first.",
        "rows.csv",
        "z",
        {"weights": "y"},
    ),
]


@pytest.mark.parametrize(("text", "path", "target", "more"), FAILURES)
def test_what_cannot_be_fitted(text, path, target, more):
    written("x,z,y\n" + BODY)
    fails(text, lambda: sf.fit(path, target, **more, calibrate=False))


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("rows.csv: the file is empty: it has neither a header nor rows.", ""),
        ("rows.csv: the file has no rows.", "x,z,y\n"),
        (
            "rows.csv, line 62: 2 fields instead of 3: 'x,y'. Fix it, or skip bad lines with skip_bad_lines=True.",
            "x,z,y\n" + BODY + "x,y\n1,2\n",
        ),
        (
            "rows.csv, row 60, column 'x': values must be finite, or NaN if missing: got inf. Replace it, or use "
            "columns={'x': Histogram()}, which accepts ±inf.",
            "x,z,y\n" + BODY + "inf,2,a\n",
        ),
    ],
)
def test_content_that_cannot_be_fitted(text, content):
    fails(text, lambda: sf.fit(written(content), "y", calibrate=False))


def test_a_row_is_counted_in_its_file():
    written("x,z,y\n" + BODY, "a.csv")
    written("x,z,y\n" + BODY + "1,2,a\n-inf,2,a\n", "b.csv")
    fails(
        "b.csv, row 61, column 'x': values must be finite, or NaN if missing: got -inf. Replace it, or use "
        "columns={'x': Histogram()}, which accepts ±inf.",
        lambda: sf.fit("*.csv", "y", calibrate=False),
    )


def test_columns_that_change_half_way_are_told_by_line(monkeypatch):
    monkeypatch.setattr("suffice.sources.files.rows.HEAD", 20)
    fails(
        "rows.csv, line 62, column 'x': must be numbers: got 'a'. The first rows are numbers; read the column as "
        "text if that is wrong. If it marks a missing value, use null='a'. Fix it, or skip bad lines with "
        "skip_bad_lines=True.",
        lambda: sf.fit(written("x,z,y\n" + BODY + "a,1.5,2\n"), "y", calibrate=False),
    )


def test_an_update_needs_a_target_that_somebody_knows():
    model = sf.fit(FRAME.drop("y"), FRAME["y"], calibrate=False)
    written("x,z,y\n" + BODY)
    fails(
        (
            "the target column of rows.csv is not given. Give target=: its name or its position, −1 for the "
            "last. Documents need none if each class has its own subdirectory."
        ),
        lambda: model.update("rows.csv"),
    )
    assert model.update("rows.csv", "y").provenance.rows == 120


def test_what_is_said_of_columns_goes_for_files_too():
    fails(
        "column 'w' is not in the data. The columns are 'x', 'z'.",
        lambda: sf.fit(written("x,z,y\n" + BODY), "y", columns={"w": sf.Gaussian()}, calibrate=False),
        sf.errors.ParameterError,
    )


def test_scoring_that_is_left_half_way_leaves_nothing_behind():
    model = sf.fit(written("x,z,y\n" + BODY), "y", calibrate=False)
    written("x,z,y\n" + BODY * 50, "long.csv")
    scores = predictions.batches_to_score(model, sf.Files("long.csv"), (), None)
    next(scores)
    scores.close()


def test_an_error_of_ones_own_in_progress_leaves_nothing_behind():
    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sf.fit(written("x,z,y\n" + BODY * 50), "y", progress=stop, calibrate=False)
