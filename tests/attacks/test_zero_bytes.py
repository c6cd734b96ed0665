"""A zero byte in the name of a column or field, wherever columns have names: refused in words. Polars would abort."""

from __future__ import annotations

import subprocess
import sys

import pytest

BEGIN = """
import json
import polars as pl
import suffice as sf

ROWS = [{"y": "a", "x": 1.5}, {"y": "b", "x": 2.5}] * 5
PLAIN = sf.fit(pl.DataFrame(ROWS), "y")
CELLS = {"top": ("z\\0", 1), "inside": ("z", {"q\\0": 1}), "deep": ("z", [{"p": {"q\\0": 1}}])}

def check(make, places=("top", "inside", "deep")):
    for name, value in map(CELLS.get, places):
        data = make([{**row, name: value} for row in ROWS])
        for call in (
            lambda: sf.fit(data, "y"),
            lambda: sf.fit(data, "y", columns={name: None}),
            lambda: PLAIN.predict(data),
            lambda: PLAIN.update(data, "y"),
        ):
            try:
                call()
            except sf.errors.DataError as reason:
                assert "null byte" in str(reason), reason
            else:
                raise AssertionError("it was taken")
    print("refused")

def written(name, write):
    write(name)
    return name
"""

SOURCES = {
    "ndjson": "check(lambda rows: written('a.ndjson', "
    "lambda path: open(path, 'w').writelines(json.dumps(row) + '\\n' for row in rows)))",
    "parquet": "check(lambda rows: written('a.parquet', pl.DataFrame(rows).write_parquet))",
    "second file": "pl.DataFrame(ROWS).with_columns(z=pl.lit(1)).write_parquet('a.parquet')\n"
    "check(lambda rows: written('b.parquet', pl.DataFrame(rows).write_parquet) and '*.parquet', ('inside', 'deep'))",
    "arrow": "check(lambda rows: written('a.arrow', pl.DataFrame(rows).write_ipc))",
    "polars": "check(pl.DataFrame)",
    "pyarrow": "import pyarrow as pa\ncheck(pa.Table.from_pylist)",
    "record batch": "import pyarrow as pa\ncheck(pa.RecordBatch.from_pylist)",
    "pandas": "import pyarrow as pa, pandas as pd\n"
    "check(lambda rows: pa.Table.from_pylist(rows).to_pandas(types_mapper=pd.ArrowDtype))",
}


def run(code, place):
    done = subprocess.run([sys.executable, "-c", BEGIN + code], cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("source", SOURCES)
def test_a_name_with_a_zero_byte_is_refused(source, tmp_path):
    assert run(SOURCES[source], tmp_path) == "refused\n"


def test_the_name_of_a_series_that_is_the_target_does_not_matter(tmp_path):
    code = "print(sf.fit(pl.DataFrame(ROWS)[['x']], pl.Series('y\\0', ['a', 'b'] * 5)).classes)"
    assert run(code, tmp_path) == "('a', 'b')\n"
