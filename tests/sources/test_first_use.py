"""What people meet on the first day: targets, headers, names, and columns that are not what they look like."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import suffice as sf
from suffice.errors import MissingColumnsWarning, RenamedColumnsWarning, TargetWarning
from suffice.sources.files.sniffing import has_header

ROWS = 300


@pytest.fixture
def frame():
    rng = np.random.default_rng(3)
    delay = rng.normal(5, 20, ROWS).round(1)
    return pd.DataFrame(
        {
            "delay": np.where(np.arange(ROWS) % 50 == 7, np.nan, delay),
            "minutes": (delay * 10).astype(int),
            "carrier": rng.choice(["AA", "UA", "DL"], ROWS),
            "late": np.where(rng.random(ROWS) < 0.1, None, delay > 10),
            "distance": rng.normal(800, 200, ROWS) + 100 * (delay > 15),
        }
    )


@pytest.fixture(params=["frame", "polars", "records", "csv", "csv without header", "parquet", "parts"])
def rows(request, frame, tmp_path):
    """The frame through each door, as (data, name of a column there)."""

    def name(column):
        return column

    if request.param == "polars":
        return pl.from_pandas(frame), name
    if request.param == "records":
        return frame.astype(object).where(frame.notna(), None).to_dict("records"), name
    if request.param == "parts":
        return iter([frame[:100], frame[100:]]), name
    if request.param == "csv":
        frame.to_csv(tmp_path / "rows.csv", index=False)
        return tmp_path / "rows.csv", name
    if request.param == "csv without header":
        frame.to_csv(tmp_path / "rows.csv", index=False, header=False)
        return tmp_path / "rows.csv", lambda column: str(frame.columns.get_loc(column))
    if request.param == "parquet":
        frame.to_parquet(tmp_path / "rows.parquet")
        return tmp_path / "rows.parquet", name
    return frame, name


class TestConditions:
    @pytest.mark.filterwarnings("ignore::suffice.errors.DroppedRowsWarning")
    @pytest.mark.parametrize(
        ("condition", "expected"),
        [
            ("{delay}>15", lambda frame: frame.delay > 15),
            ("{delay} >= 4.5", lambda frame: frame.delay >= 4.5),
            ("{minutes}<0", lambda frame: frame.minutes < 0),
            ("{minutes}<=-3", lambda frame: frame.minutes <= -3),
            ("{carrier}==AA", lambda frame: frame.carrier == "AA"),
            ("{carrier}!='AA'", lambda frame: frame.carrier != "AA"),
            ("{late}==true", lambda frame: frame.late == True),  # noqa: E712
        ],
    )
    def test_a_condition_is_a_target_from_every_source(self, rows, frame, condition, expected):
        data, name = rows
        target = condition.format(**{column: name(column) for column in frame.columns})
        model = sf.fit(data, target, calibrate=False)
        column = condition[1 : condition.index("}")]
        known = frame[column].notna()
        hits = int((expected(frame) & known).sum())
        assert model.classes == (False, True)
        assert model.core.tally.weight.tolist() == [int(known.sum()) - hits, hits]
        assert len(model.schema.names) == len(frame.columns) - 1
        assert name(column) not in map(str, model.schema.names)

    @pytest.mark.filterwarnings("ignore::suffice.errors.DroppedRowsWarning")
    @pytest.mark.parametrize("header", [True, False])
    def test_the_model_remembers_the_condition(self, frame, tmp_path, header):
        path = tmp_path / "rows.csv"
        frame.to_csv(path, index=False, header=header)
        sf.fit(path, "delay>15" if header else "0>15", calibrate=False).save(tmp_path / "model.suffice")
        model = sf.load(tmp_path / "model.suffice")
        assert model.provenance.target == ("delay>15" if header else "0>15")
        assert model.predict(path).tolist() == model.predict(frame.drop(columns="delay") if header else path).tolist()
        assert f"of {frame.delay.notna().sum()} rows" in repr(model.evaluate(path))
        assert model.update(path).provenance.rows == 2 * frame.delay.notna().sum()
        frame.drop(columns="delay").to_csv(path, index=False, header=header)
        assert len(model.predict(path)) == ROWS

    def test_a_column_of_that_name_goes_first(self, frame):
        odd = frame.assign(**{"minutes>15": "yes"})
        model = sf.fit(odd, "minutes>15", calibrate=False)
        assert model.classes == ("yes",)
        assert "minutes" in model.schema.names

    def test_a_name_may_have_spaces_and_signs(self, frame):
        odd = frame.rename(columns={"minutes": "a > b"})
        assert sf.fit(odd, "a > b > 20", calibrate=False).classes == (False, True)

    @pytest.mark.parametrize(
        ("target", "sentence"),
        [
            ("dely>15", "target column 'dely' is not in the data. Did you mean 'delay'?"),
            ("delay>x", "target 'delay>x': column 'delay' contains numbers, but 'x' is not a number"),
            ("carrier>3", "target 'carrier>3': column 'carrier' contains text, but > compares numbers"),
        ],
    )
    def test_what_cannot_be_compared_is_said(self, frame, target, sentence):
        with pytest.raises(sf.SufficeError) as caught:
            sf.fit(frame, target)
        assert str(caught.value) == sentence

    def test_the_name_in_a_condition_tells_a_header_from_a_row(self):
        records = [["a", "b"], ["a", "x"], ["a", "y"], ["b", "a"]]
        assert not has_header(records)
        assert has_header(records, "a==b")


class TestManyClasses:
    def test_whole_numbers_are_refused_before_calibration(self, rows, frame):
        data, name = rows
        with pytest.raises(sf.errors.DataError, match="looks like a quantity") as caught:
            sf.fit(data, int(name("minutes")) if name("minutes").isdecimal() else name("minutes"))
        assert caught.value.kind == "many_classes"
        middle = sorted(set(frame.minutes))[frame.minutes.nunique() // 2]
        assert f"target='{name('minutes')}>{middle}'" in str(caught.value)

    def test_a_quantity_is_refused_after_the_first_rows_of_a_long_file(self, tmp_path):
        rows = 320_000
        random = np.random.default_rng(2)
        columns = {f"x{j}": random.integers(0, 2, rows) for j in range(30)}
        pl.DataFrame({**columns, "y": random.integers(-300, 300, rows)}).write_csv(tmp_path / "rows.csv")
        seen = []
        with pytest.raises(sf.errors.DataError, match="looks like a quantity"):
            sf.fit(tmp_path / "rows.csv", "y", progress=lambda progress: seen.append(progress.rows))
        assert max(seen, default=0) < 200_000

    def test_a_quantity_is_refused_after_the_first_of_many_parts(self):
        random = np.random.default_rng(2)
        taken = []

        def parts():
            for part in range(12):
                taken.append(part)
                yield pd.DataFrame({"x": random.random(25_000), "y": random.integers(-300, 300, 25_000)})

        with pytest.raises(sf.errors.DataError, match="has 600 distinct numbers from -300 to 299"):
            sf.fit(parts(), "y")
        assert len(taken) <= 8

    def test_fractions_are_refused_with_the_same_advice(self, frame):
        with pytest.raises(sf.errors.DataError, match=r"class labels must be .* target='distance>8\d\d"):
            sf.fit(frame, "distance")

    def test_evaluate_and_screen_refuse_them_too(self, frame):
        for verb in (sf.evaluate, sf.screen):
            with pytest.raises(sf.errors.DataError, match="looks like a quantity"):
                verb(frame, "minutes")

    def test_an_id_is_refused(self):
        with pytest.raises(sf.errors.DataError, match="1,500 classes in 1,500 rows: it looks like an id"):
            sf.fit(np.zeros((1500, 1)), [f"customer {row}" for row in range(1500)])

    def test_more_than_ten_thousand_classes_are_refused(self, tmp_path):
        labels = [f"c{row % 10_001}" for row in range(30_003)]
        pl.DataFrame({"x": np.arange(30_003) % 3, "y": labels}).write_csv(tmp_path / "rows.csv")
        with pytest.raises(sf.errors.DataError, match="more than 10,000 classes"):
            sf.fit(tmp_path / "rows.csv", "y")

    @pytest.mark.parametrize("first", [0, 1])
    def test_codes_are_classes(self, first):
        with pytest.warns(TargetWarning, match="has 150 classes"):
            model = sf.fit(np.zeros((600, 1)), np.arange(600) % 150 + first, calibrate=False)
        assert len(model.classes) == 150

    def test_some_dozens_of_numbers_are_warned_of(self, frame):
        with pytest.warns(TargetWarning, match="bin it, for example with target='age>"):
            sf.fit(frame.assign(age=np.arange(ROWS) % 60 + 20), "age", calibrate=False)

    def test_text_is_taken_at_its_word(self, frame):
        with pytest.warns(TargetWarning, match="distinct|classes in 300 rows"):
            sf.fit(frame.assign(minutes=frame.minutes.astype(str)), "minutes", calibrate=False)


class TestKinds:
    def kinds(self, model):
        return {name: str(block.likelihood) for block in model.schema.blocks for name in block.columns}

    def test_one_and_one_point_nought_are_the_same_kind(self, tmp_path):
        rng = np.random.default_rng(5)
        frame = pd.DataFrame({"calls": rng.poisson(3, ROWS), "months": rng.integers(0, 10_000, ROWS)})
        frame["gap"] = frame.calls.where(np.arange(ROWS) % 9 > 0)
        frame["label"] = rng.choice(["no", "yes"], ROWS)
        frame.to_csv(tmp_path / "rows.csv", index=False)
        floats = frame.astype({"calls": float, "months": float})
        floats.to_csv(tmp_path / "floats.csv", index=False)
        floats.to_parquet(tmp_path / "floats.parquet")
        kinds = [
            self.kinds(sf.fit(data, "label", calibrate=False))
            for data in (
                frame,
                floats,
                frame.convert_dtypes(),
                pl.from_pandas(frame),
                tmp_path / "rows.csv",
                tmp_path / "floats.csv",
                tmp_path / "floats.parquet",
                floats.astype(object).to_dict("records"),
            )
        ]
        assert kinds[0] == {
            "calls": "Categorical(alpha='evidence')",
            "gap": "Categorical(alpha='evidence')",
            "months": "Numeric()",
        }
        assert all(each == kinds[0] for each in kinds)

    def test_one_fraction_makes_a_number(self, frame):
        values = np.arange(ROWS) % 4 + 0.0
        values[-1] = 0.5
        assert self.kinds(sf.fit(frame.assign(x=values), "carrier", calibrate=False))["x"] == "Numeric()"

    def test_infinity_is_not_a_whole_number(self, frame):
        values = np.where(np.arange(ROWS) == 9, np.inf, 1.0)
        with pytest.raises(sf.errors.DataError, match=r"row 9, column 'x'.*Histogram\(\)}, which accepts"):
            sf.fit(frame.assign(x=values), "carrier")

    @pytest.mark.parametrize("texts", ["${:,.2f}", "{:,}", "€{}", "{} %", "({:,})"])
    def test_written_numbers_are_said_to_look_like_numbers(self, frame, texts):
        written = [texts.format(1000 + 37 * row) for row in range(ROWS)]
        model = sf.fit(frame.assign(price=written), "carrier", calibrate=False)
        assert f"looks like numbers, such as {written[0]!r}" in dict(model.schema.left_out)["price"]

    @pytest.mark.parametrize("texts", ["{:05}", "10.0.0.{}", "{}-{}", "A{}"])
    def test_codes_are_not_said_to_look_like_numbers(self, frame, texts):
        codes = [texts.format(row % 40, row % 40) for row in range(ROWS)]
        assert "price" in self.kinds(sf.fit(frame.assign(price=codes), "carrier", calibrate=False))

    @pytest.mark.parametrize("value", [[1, 2], {"a": 1}, b"\0"], ids=["list", "struct", "bytes"])
    def test_nested_columns_are_left_out_with_a_reason(self, frame, value, tmp_path):
        nested = frame.assign(tags=[value] * ROWS)
        nested.to_parquet(tmp_path / "rows.parquet")
        for data in (nested, tmp_path / "rows.parquet", pl.read_parquet(tmp_path / "rows.parquet")):
            model = sf.fit(data, "carrier", calibrate=False)
            assert "which no likelihood can model" in dict(model.schema.left_out)["tags"]


class TestNames:
    def test_likelihoods_by_name_and_by_class(self, frame):
        by_name = sf.fit(frame, "carrier", columns={"delay": "gaussian", "distance": sf.Histogram}, calibrate=False)
        given = {"delay": sf.Gaussian(), "distance": sf.Histogram()}
        assert by_name == sf.fit(frame, "carrier", columns=given, calibrate=False)
        numbers = frame[["delay", "distance"]]
        assert sf.fit(numbers, frame.carrier, columns="Gaussian") == sf.fit(numbers, frame.carrier, columns=sf.Gaussian)

    def test_a_misspelt_likelihood(self, frame):
        with pytest.raises(sf.errors.ParameterError, match=r"got 'gausian'\. Did you mean 'gaussian'\?"):
            sf.fit(frame, "carrier", columns={"delay": "gausian"})

    def test_none_of_the_columns_is_an_error(self, frame, tmp_path):
        model = sf.fit(frame, "carrier", calibrate=False)
        other = frame.rename(columns=str.upper)
        other.to_csv(tmp_path / "new.csv", index=False)
        for data in (other, tmp_path / "new.csv"):
            with pytest.raises(sf.errors.DataError, match=r"4 of them differ only in case.*'DELAY'"):
                model.predict(data)

    def test_the_count_of_missing_columns_excludes_those_left_out(self, frame):
        model = sf.fit(frame.assign(id=range(ROWS)), "carrier", calibrate=False)
        assert "id" in dict(model.schema.left_out)
        with pytest.warns(MissingColumnsWarning, match="3 of the 4 columns of the model"):
            model.predict(frame[["delay"]])

    def test_a_record_of_scalars_is_one_row(self, frame):
        model = sf.fit(frame, "minutes>0", columns={"*": None, "carrier": "categorical"}, calibrate=False)
        assert model.predict({"carrier": "AA"}).shape == (1,)

    def test_one_row_of_a_frame(self, frame):
        model = sf.fit(frame, "carrier", calibrate=False)
        with pytest.raises(sf.errors.DataError, match=r"df\.iloc\[\[0\]\]"):
            model.predict(frame.iloc[0])

    def test_a_class_prior_by_the_spelling_of_files(self, frame):
        known = frame[frame.late.notna()]
        model = sf.fit(known, "late", class_prior={"true": 0.1, "false": 0.9}, calibrate=False)
        assert model.with_options(class_prior="uniform") != model
        nothing = pd.DataFrame({name: [None] for name in frame.columns if name != "late"}, dtype=object)
        np.testing.assert_allclose(model.predict_proba(nothing), [[0.9, 0.1]])


class TestFiles:
    def test_values_that_come_again_are_no_header(self, tmp_path):
        path = tmp_path / "rows.csv"
        path.write_text("red,small,yes\nblue,big,no\n" + "red,small,yes\nblue,big,no\ngreen,big,yes\n" * 50)
        assert sf.fit(path, -1, calibrate=False).provenance.rows == 152

    def test_a_header_that_counts_up(self, tmp_path):
        path = tmp_path / "letters.csv"
        rng = np.random.default_rng(1)
        lines = [",".join([rng.choice(["A", "B"]), *map(str, rng.integers(0, 16, 16))]) for _ in range(50)]
        path.write_text("\n".join([",".join(["Letter", *map(str, range(1, 17))]), *lines]) + "\n")
        assert sf.fit(path, 0, calibrate=False).classes == ("A", "B")

    def test_the_columns_that_differ_are_named(self, frame, tmp_path):
        frame.to_csv(tmp_path / "a.csv", index=False)
        frame.rename(columns={"distance": "miles"}).to_csv(tmp_path / "b.csv", index=False)
        with pytest.raises(sf.errors.DataError) as caught:
            sf.fit(sf.Files([tmp_path / "a.csv", tmp_path / "b.csv"]), "carrier")
        assert "a.csv has 'distance'" in str(caught.value)
        assert "b.csv has 'miles'" in str(caught.value)
        assert "'delay'" not in str(caught.value)

    def test_a_name_that_comes_twice_is_said(self, tmp_path):
        (tmp_path / "rows.csv").write_text("x,x,y\n1,2.5,a\n2,3.5,b\n")
        with pytest.warns(RenamedColumnsWarning, match="'x_2' \\(duplicate of 'x'\\)"):
            sf.fit(tmp_path / "rows.csv", "y", calibrate=False)

    def test_what_is_not_a_number_may_stand_for_a_missing_cell(self, frame, tmp_path):
        model = sf.fit(frame, "carrier", calibrate=False)
        (tmp_path / "new.csv").write_text("delay,minutes,distance\n1.5,3,500\n2.5,4,unknown\n")
        with pytest.raises(sf.errors.DataError, match=r"got 'unknown'.*null='unknown'"):
            model.predict(tmp_path / "new.csv")

    @pytest.mark.parametrize("indent", [None, 1])
    @pytest.mark.parametrize("ending", ["json", "json.gz", "txt"])
    def test_a_json_array(self, frame, tmp_path, monkeypatch, indent, ending):
        monkeypatch.setattr("suffice.sources.files.blocks._BLOCK", 700)
        path = tmp_path / f"rows.{ending}"
        frame.to_json(path, orient="records", indent=indent)
        lines = tmp_path / "rows.ndjson"
        frame.to_json(lines, orient="records", lines=True)
        model = sf.fit(path, "carrier", calibrate=False)
        assert model == sf.fit(lines, "carrier", calibrate=False)
        assert (model.predict(path) == model.predict(lines)).all()

    @pytest.mark.parametrize(
        ("text", "sentence"),
        [
            ('[{"x": 1, "y": "a"}, {"x": 2', "rows.json: not valid JSON after element 1 ("),
            ('[{"x": 1, "y": "a"}, {"x" 2}]', "rows.json: not valid JSON after element 1 ("),
            ('[{"x": 1, "y": "a"}, 7]', "rows.json, line 2: must be an object {name: value}: '7'"),
            ('[{"x": 1, "y": "a"}] [{"x": 2}]', "rows.json: not valid JSON after element 1 (unexpected data after"),
            ("[]", "rows.json: the file is empty"),
            ("[", "rows.json: not valid JSON after element 0 (the array is not closed)"),
        ],
    )
    def test_json_that_is_not_an_array_of_objects(self, tmp_path, monkeypatch, text, sentence):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "rows.json").write_text(text)
        with pytest.raises(sf.errors.DataError) as caught:
            sf.fit("rows.json", "y")
        assert str(caught.value).startswith(sentence)

    def test_a_workbook(self, frame, tmp_path):
        pytest.importorskip("openpyxl")
        frame.to_excel(tmp_path / "rows.xlsx", index=False)
        frame.to_csv(tmp_path / "rows.csv", index=False)
        model = sf.fit(tmp_path / "rows.xlsx", "carrier", calibrate=False)
        other = sf.fit(tmp_path / "rows.csv", "carrier", calibrate=False)
        assert model.schema == other.schema
        np.testing.assert_allclose(model.predict_proba(tmp_path / "rows.xlsx"), other.predict_proba(frame), rtol=1e-9)

    def test_a_workbook_without_an_engine(self, tmp_path, monkeypatch):
        monkeypatch.setattr("suffice.sources.files.columnar.find_spec", lambda _: None)
        (tmp_path / "rows.xlsx").write_bytes(b"PK")
        with pytest.raises(sf.errors.DataError, match=r"needs fastexcel or openpyxl\. Install one of them, or save"):
            sf.fit(tmp_path / "rows.xlsx", "y")

    def test_a_workbook_that_is_none(self, tmp_path, monkeypatch):
        monkeypatch.setattr("suffice.sources.files.columnar.find_spec", lambda _: True)
        (tmp_path / "rows.xlsx").write_bytes(b"PK")
        with pytest.raises(sf.errors.DataError, match="cannot be read as an Excel workbook"):
            sf.fit(tmp_path / "rows.xlsx", "y")

    def test_a_workbook_through_its_engine(self, frame, tmp_path, monkeypatch):
        monkeypatch.setattr("suffice.sources.files.columnar.find_spec", lambda _: True)
        monkeypatch.setattr("polars.read_excel", lambda path, **_: pl.from_pandas(frame))
        for name in ("a.xlsx", "b.xlsx"):
            (tmp_path / name).touch()
        model = sf.fit(str(tmp_path / "*.xlsx"), "carrier", calibrate=False)
        other = sf.fit(pl.concat([pl.from_pandas(frame)] * 2), "carrier", calibrate=False)
        assert (model.schema, model.provenance.rows) == (other.schema, 2 * ROWS)
        np.testing.assert_allclose(model.predict_proba(frame), other.predict_proba(frame), rtol=1e-9)

    def test_a_file_without_a_header_may_need_names(self, frame, tmp_path):
        model = sf.fit(frame, "carrier", calibrate=False)
        frame.drop(columns="carrier").to_csv(tmp_path / "features.csv", index=False, header=False)
        frame.to_csv(tmp_path / "rows.csv", index=False, header=False)
        by_place = sf.Files(tmp_path / "features.csv", header=False)
        assert (model.predict(by_place) == model.predict(frame)).all()
        assert (model.predict(sf.Files(tmp_path / "rows.csv", names=list(frame))) == model.predict(frame)).all()
        with pytest.raises(sf.errors.DataError, match=r"no header and 5 columns, but the model has 4\. .*names="):
            model.predict(sf.Files(tmp_path / "rows.csv", header=False))

    def test_a_missing_file_is_said_first(self, tmp_path):
        with pytest.raises(sf.errors.DataError, match="there is no file"):
            sf.fit(tmp_path / "nope.csv")
