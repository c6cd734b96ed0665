"""Whole numbers of more than 64 bits in files and frames: labels without loss, floats where a number is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import suffice as sf

Y = ["a", "b"] * 10
LONG = [2**63, 2**64 + 1, 2**127 - 1, -(2**127)]
LONGER = [2**127, 10**40, 10**400]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def ndjson(number, name="ids.ndjson"):
    rows = [{"y": y, "id": number if y == "a" else 1, "x": k * 37 % 11 / 3} for k, y in enumerate(Y)]
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return name


def levels(model):
    return {each.level for each in model.parameters() if each.column == "id"} - {None}


@pytest.mark.parametrize("number", LONG)
def test_ndjson_keeps_long_numbers_as_levels(number):
    model = sf.fit(ndjson(number), "y", calibrate=False)
    assert levels(model) == {1, number}
    assert model.predict("ids.ndjson").tolist() == Y
    assert sf.fit("ids.ndjson", "id", calibrate=False).classes == tuple(sorted([1, number]))
    assert np.isfinite(
        sf.fit("ids.ndjson", "y", columns={"id": sf.Gaussian()}, calibrate=False).log_joint("ids.ndjson")
    ).all()


@pytest.mark.parametrize("number", LONGER)
def test_ndjson_reads_a_column_with_longer_ones_as_text(number):
    model = sf.fit(ndjson(number), "y", calibrate=False)
    assert levels(model) == {"1", str(number)}
    assert model.predict("ids.ndjson").tolist() == Y
    with pytest.raises(sf.errors.DataError, match="'id'"):
        sf.fit("ids.ndjson", "y", columns={"id": sf.Gaussian()}, calibrate=False)


@pytest.mark.parametrize("number", [*LONG, *LONGER])
def test_a_column_that_is_not_used_may_hold_them(number):
    assert sf.fit(ndjson(number), "y", columns={"id": None}, calibrate=False).schema.unused == ("id",)
    model = sf.fit({"x": [k * 37 % 11 / 3 for k in range(20)]}, Y, calibrate=False)
    assert len(model.predict("ids.ndjson")) == 20
    ndjson(1, "plain.ndjson")
    assert sf.fit("plain.ndjson", "y", columns={"id": None}, calibrate=False).update("ids.ndjson").provenance.rows == 40


@pytest.mark.parametrize("kind", [pl.Int128, pl.UInt128])
@pytest.mark.parametrize("number", [2, 2**100])
@pytest.mark.parametrize("write", [None, "write_parquet", "write_ipc"])
def test_polars_columns_of_128_bits(kind, number, write):
    ids = pl.Series("id", [number, 1, None, number] * 5, dtype=kind)
    data = frame = pl.DataFrame([ids, pl.Series("x", range(20)) / 3, pl.Series("y", Y)])
    if write:
        data = {"write_parquet": "a.parquet", "write_ipc": "a.arrow"}[write]
        getattr(frame, write)(data)
    model = sf.fit(data, "y", calibrate=False)
    assert levels(model) == {1, number}
    python = {name: frame[name].to_list() for name in frame.columns}
    np.testing.assert_array_equal(model.predict_proba(data), sf.fit(python, "y", calibrate=False).predict_proba(python))
    assert sf.fit(data, "y", columns={"id": None}, calibrate=False).schema.unused == ("id",)
    gaussian = sf.fit(data, "y", columns={"id": sf.Gaussian()}, calibrate=False)
    assert np.isfinite(gaussian.log_joint(data)).all()
