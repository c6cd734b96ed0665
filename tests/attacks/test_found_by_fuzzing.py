"""What the fuzzers found once stays mended: each case was a bare exception, a crash or a wrong answer."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from typer.testing import CliRunner

import suffice as sf
from suffice.cli.main import app
from tests.attacks.hand_made_arrow import HandMade

Y = ["a", "b", "a", "b"]


class Column(HandMade):
    """A stream that says how many rows it has."""

    def __init__(self, form: bytes, arrays: Any, rows: int, **options: Any) -> None:
        super().__init__(form, arrays, **options)
        self.rows = rows

    def __len__(self) -> int:
        return self.rows


def numbers(rows: int) -> Any:
    return (rows, 0, 0, [None, np.arange(rows, dtype=np.int64).tobytes()])


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (lambda: Column(b"qq", [numbers(4)], 4), "unknown"),
        (lambda: Column(b"\xff", [numbers(4)], 4), "utf-8"),
        (lambda: Column(b"l", [(4, 9, 0, [None, b"\0" * 32])], 4), "null count"),
        (lambda: Column(b"l", [], 4, schema_error=22, words=b"no such \xff table"), "utf-8"),
        (lambda: Column(b"l", [numbers(3)], 4), "declared length 4, actual length 3"),
        (lambda: Column(b"l", [numbers(5)], 4), "declared length 4, actual length 5"),
    ],
)
def test_an_arrow_column_that_cannot_be_read(column, said):
    for data, target in (({"x": column()}, Y), (np.zeros((4, 1)), column())):
        with pytest.raises(sf.errors.DataError, match=said):
            sf.fit(data, target, columns=sf.Gaussian())


def test_a_column_that_is_no_arrow_stream():
    class Other:
        def __len__(self) -> int:
            return 4

        def __arrow_c_stream__(self, requested_schema: Any = None) -> int:
            return 3

    with pytest.raises(sf.errors.DataError, match="capsule"):
        sf.fit({"x": Other()}, Y)


def test_data_of_which_numpy_makes_no_array():
    kinds, values = pa.array([0, 1, 0, 1], pa.int8()), [pa.array([1, 2, 3, 4]), pa.array(["a"] * 4)]
    for data in (pa.UnionArray.from_sparse(kinds, values), pl.Series([2**70] * 4, dtype=pl.Int128)):
        with pytest.raises(sf.errors.DataError):
            sf.fit(data, Y)


def no_coordinates() -> Any:
    x = sp.coo_array(np.eye(4))
    x.coords = None
    return x


def masked() -> Any:
    x = sp.csr_array(np.eye(4))
    x.indices = np.ma.masked_array(x.indices, [True, False, False, False])
    return x


def negative(make: Any) -> Any:
    x = make(np.eye(4))
    x._shape = (4, -1)
    return x


@pytest.mark.parametrize(
    "make",
    [
        no_coordinates,
        masked,
        *(lambda m=m: negative(m) for m in (sp.csr_array, sp.dok_array, sp.dia_array, sp.lil_array)),
    ],
)
def test_more_damaged_sparse_matrices(make):
    model = sf.fit(np.eye(4), Y, columns=sf.Bernoulli())
    with pytest.raises(sf.errors.DataError, match="not a valid"):
        model.predict(make())


def test_a_sparse_matrix_of_more_rows_than_memory():
    x = sp.coo_array(([1.0], ([2**39], [0])), shape=(2**40, 2))
    with pytest.raises(sf.errors.DataError, match="GB"):
        sf.fit(x, Y, columns=sf.Bernoulli())


def test_an_estimator_that_takes_no_sparse_matrix_refuses_a_damaged_one():
    x = sp.bsr_array(np.eye(4))
    del x.data
    with pytest.raises(sf.errors.DataError, match="not a valid"):
        sf.CategoricalNB().fit(x, Y)


def test_no_rows_to_leave_out_or_to_calibrate_on(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("y,x,z\n,1,2\n,3,4\n", encoding="utf-8")
    with pytest.warns(sf.errors.DroppedRowsWarning):
        model = sf.fit(str(path), "y")
    assert (model.calibration, model.calibration_dropped_because) == (None, "no row has a class")
    with pytest.raises(sf.errors.DataError, match="no labelled rows to calibrate on"):
        model.calibrate(str(path))
    for columns in (sf.Gaussian(), sf.Multinomial()):
        with pytest.raises(sf.errors.DataError, match="no labelled row"):
            sf.evaluate(np.zeros((0, 2)), [], columns=columns, loo=True)
        model = sf.fit(np.zeros((0, 2)), [], columns=columns)
        assert (model.calibration, model.calibration_dropped_because) == (None, "no row has a class")
        with pytest.raises(sf.errors.DataError, match="no labelled rows to calibrate on"):
            model.calibrate(np.zeros((0, 2)), [])


@pytest.mark.parametrize("name", ["*", "^x$", "^.*$"])
@pytest.mark.parametrize("kind", ["csv", "quoted.csv", "bad.csv", "ndjson", "parquet", "arrow"])
def test_a_name_that_polars_takes_for_a_pattern(name, kind, tmp_path):
    path = tmp_path / f"rows.{kind}"
    frame = pl.DataFrame({"y": Y * 3, "x": [1.0, 8.5, 2.0, 9.0] * 3, name: ["u", "v", "u", "w"] * 3})
    if kind == "quoted.csv":
        frame.write_csv(path, quote_style="always")
    elif kind == "bad.csv":
        path.write_text(frame.write_csv() + "a,none,u\n", encoding="utf-8")
    elif kind == "csv":
        frame.write_csv(path)
    else:
        {"ndjson": frame.write_ndjson, "parquet": frame.write_parquet, "arrow": frame.write_ipc}[kind](path)
    columns = {"x": sf.Gaussian()}  # the other one is inferred
    if kind == "bad.csv":
        with pytest.warns(sf.errors.SkippedLinesWarning):
            model = sf.fit(sf.Files(str(path), types={"x": "float"}, skip_bad_lines=True), "y", columns=columns)
    else:
        model = sf.fit(str(path), "y", columns=columns)
    expected = sf.fit({each: frame[each].to_list() for each in ("x", name)}, Y * 3, columns=columns)
    rows = {"x": [1.0], name: ["w"]}
    np.testing.assert_allclose(model.predict_proba(rows), expected.predict_proba(rows), rtol=1e-12)


def test_a_name_with_half_of_a_surrogate_pair(tmp_path):
    path = tmp_path / "rows.ndjson"
    good = [json.dumps({"y": label, "x": row}) for row, label in enumerate(Y)]
    path.write_bytes("\n".join([*good, '{"y": "a", "\ud800x": 1}', ""]).encode("utf-8", "surrogatepass"))
    with pytest.raises(sf.errors.DataError, match=r"line 5.*surrogate"):
        sf.fit(str(path), "y", columns=sf.Gaussian())
    with pytest.warns(sf.errors.SkippedLinesWarning):
        assert sf.fit(sf.Files(str(path), skip_bad_lines=True), "y", columns=sf.Gaussian()).provenance.rows == 4


def test_a_null_marker_that_no_file_holds(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("y,x\na,1\nb,2\n", encoding="utf-8")
    with pytest.raises(sf.errors.ParameterError, match="UTF-8"):
        sf.Files(str(path), null=["?", "\udcff"])
    done = CliRunner().invoke(app, ["fit", str(path), "-t", "y", "-o", str(tmp_path / "m"), "--null", "\udcff"])
    assert done.exit_code in (1, 2)
