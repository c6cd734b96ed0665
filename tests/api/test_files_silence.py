"""Nothing about the columns of files happens in silence: names that come twice, columns that are left out, unlike files."""

from __future__ import annotations

import warnings
from pathlib import Path

import polars as pl
import pytest

import suffice as sf

ROWS = "".join(f"{k / 7:.3f},{k % 3},{'ab'[k * k % 5 % 2]}\n" for k in range(60))


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_names_that_come_twice_are_told_once():
    Path("rows.csv").write_text("months,months,y\n" + ROWS)
    calls = [
        lambda: sf.fit("rows.csv", "y", calibrate=False),
        lambda: sf.fit("rows.csv", "y", calibrate="auto"),
        lambda: sf.evaluate("rows.csv", "y", folds=2, calibrate=False),
        lambda: sf.screen("rows.csv", "y"),
    ]
    with pytest.warns(sf.SufficeWarning):
        model = sf.fit("rows.csv", "y", calibrate=False)
    assert model.schema.names == ("months", "months_2")
    for call in (*calls, lambda: model.predict("rows.csv"), lambda: model.update("rows.csv")):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        told = [str(each.message) for each in caught if issubclass(each.category, sf.errors.RenamedColumnsWarning)]
        assert len(told) == 1
        assert "'months_2'" in told[0]


def test_a_name_that_is_given_to_a_column_without_one_is_told():
    Path("rows.csv").write_text("months,,y\n" + ROWS)
    with pytest.warns(sf.errors.RenamedColumnsWarning, match="'column_2'"):
        model = sf.fit("rows.csv", "y", calibrate=False)
    assert model.schema.names == ("months", "column_2")


@pytest.mark.parametrize("name", ["rows.parquet", "rows.arrow", "rows.ndjson"])
def test_lists_and_structs_in_files_are_left_out_with_a_reason(name):
    frame = pl.DataFrame(
        {
            "x": [k / 7 for k in range(60)],
            "tags": [["u", "v"]] * 60,
            "place": [{"lat": 1.5, "lon": 2.5}] * 60,
            "y": ["ab"[k * k % 5 % 2] for k in range(60)],
        }
    )
    {"rows.parquet": frame.write_parquet, "rows.arrow": frame.write_ipc, "rows.ndjson": frame.write_ndjson}[name](name)
    model = sf.fit(name, "y", calibrate=False)
    assert [column for column, _ in model.schema.left_out] == ["tags", "place"]
    assert "lists" in model.schema.left_out[0][1]
    assert "structs" in model.schema.left_out[1][1]
    assert len(model.predict(name)) == 60
    assert sf.evaluate(name, "y", folds=2, calibrate=False)["accuracy"].value >= 0
    with pytest.raises(sf.errors.DataError, match="'tags'"):
        sf.fit(name, "y", columns={"tags": sf.Categorical()}, calibrate=False)
    with pytest.raises(sf.errors.DataError, match=r"class labels must be .*unsupported type"):
        sf.fit(name, "tags", calibrate=False)


@pytest.mark.parametrize("write", ["write_csv", "write_parquet", "write_ipc"])
def test_files_with_other_columns_say_which(write):
    ending = {"write_csv": "csv", "write_parquet": "parquet", "write_ipc": "arrow"}[write]
    alike = {f"c{k}": [1.5, 2.5] for k in range(20)}
    getattr(pl.DataFrame({**alike, "y": ["a", "b"]}), write)(f"1.{ending}")
    getattr(pl.DataFrame({**alike, "y": ["a", "b"], "odd": [1, 2]}), write)(f"2.{ending}")
    with pytest.raises(sf.errors.DataError, match="'odd'") as caught:
        sf.fit(f"*.{ending}", "y", calibrate=False)
    assert "'c1'" not in str(caught.value)


@pytest.mark.parametrize("write", ["write_parquet", "write_ipc"])
def test_files_with_other_types_say_which(write):
    ending = {"write_parquet": "parquet", "write_ipc": "arrow"}[write]
    getattr(pl.DataFrame({"x": [1, 2], "z": [1.5, 2.5], "y": ["a", "b"]}), write)(f"1.{ending}")
    getattr(pl.DataFrame({"x": [[1], [2]], "z": [1.5, 2.5], "y": ["a", "b"]}), write)(f"2.{ending}")
    for call in (sf.fit, sf.screen, lambda *given: sf.evaluate(*given, folds=2, calibrate=False)):
        with pytest.raises(sf.errors.DataError, match="'x'"):
            call(f"*.{ending}", "y")
