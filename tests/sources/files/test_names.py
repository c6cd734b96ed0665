"""Files(names=...): columns of delimited files without a header, by name."""

from __future__ import annotations

import pytest

import suffice as sf
from suffice.errors import DataError, ParameterError

ROWS = "".join(f"{at % 5},{'red' if at % 2 else 'blue'},{'yn'[at % 3 == 0]}\n" for at in range(60))


def test_names_take_the_place_of_a_header(tmp_path):
    (tmp_path / "plain.csv").write_text(ROWS, encoding="utf-8")
    (tmp_path / "named.csv").write_text(f"n,colour,y\n{ROWS}", encoding="utf-8")
    plain = sf.Files(tmp_path / "plain.csv", names=["n", "colour", "y"])
    model = sf.fit(plain, "y", calibrate=False)
    assert model == sf.fit(tmp_path / "named.csv", "y", calibrate=False)
    assert (model.predict(plain) == model.predict(tmp_path / "named.csv")).all()  # a file with a header is read as one
    assert model.update(plain).provenance.rows == 120
    assert "names=('n', 'colour', 'y')" in repr(plain)


def test_one_name_for_each_column(tmp_path):
    (tmp_path / "plain.csv").write_text(ROWS, encoding="utf-8")
    with pytest.raises(DataError) as error:
        sf.fit(sf.Files(tmp_path / "plain.csv", names=["n", "y"]), "y")
    assert error.value.problem == "the file has 3 columns, but 2 names are given"


@pytest.mark.parametrize(
    "options",
    [
        {"names": ["a", "b"], "header": True},
        {"names": ["a", "a"]},
        {"names": ["a", ""]},
        {"names": "ab"},
        {"names": ["a"], "format": "parquet"},
    ],
)
def test_names_that_cannot_be(options):
    with pytest.raises(ParameterError) as error:
        sf.Files("x.csv", **options)
    assert error.value.parameter == "names"


def test_names_are_for_delimited_text(tmp_path):
    (tmp_path / "rows.ndjson").write_text('{"x": 1, "y": "a"}\n', encoding="utf-8")
    with pytest.raises(ParameterError, match="names apply only to delimited text"):
        sf.fit(sf.Files(tmp_path / "rows.ndjson", names=["x", "y"]), "y")
