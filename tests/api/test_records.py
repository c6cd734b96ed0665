"""One record, mappings, rows of frames, and data of a form that cannot be read."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import suffice as sf

FRAME = pd.DataFrame(
    {"plan": ["basic", "pro", "family"] * 10, "months": np.arange(30) % 7, "fee": np.linspace(1.0, 9.0, 30)}
)
Y = np.array(["no", "yes"])[np.arange(30) % 2]
COLUMNS = {"plan": sf.Categorical(), "months": sf.Categorical(), "fee": sf.Gaussian()}
MODEL = sf.fit(FRAME, Y, columns=COLUMNS, calibrate=False)


def test_a_mapping_of_values_is_one_row():
    for row in (0, 7):
        record = FRAME.iloc[row].to_dict()
        found = MODEL.predict_proba(record)
        np.testing.assert_array_equal(found, MODEL.predict_proba(FRAME.iloc[[row]]))
        np.testing.assert_array_equal(found, MODEL.predict_proba([record]))
        assert MODEL.predict(record).shape == (1,)
        assert len(list(MODEL.explain(record))) == 1


def test_a_text_is_no_column():
    with pytest.warns(sf.errors.MissingColumnsWarning):
        assert MODEL.predict({"plan": "basic"}).shape == (1,)
    texts = sf.fit({"text": ["win a prize", "lunch at noon"]}, ["spam", "ham"], columns=sf.Words(), calibrate=False)
    assert texts.predict({"text": "a prize"}).tolist() == ["spam"]


@pytest.mark.parametrize(
    "value", [3, 2.5, True, None, np.float32(2.0), np.array(2.0), Decimal("2.5"), pd.NA, float("nan")]
)
def test_a_value_of_any_kind_is_a_cell(value):
    model = sf.fit({"x": [1.0, 2.0, 3.0, 4.0]}, [0, 1, 0, 1], columns=sf.Gaussian(), calibrate=False)
    assert model.predict_proba({"x": value}).shape == (1, 2)


def test_a_mapping_of_values_is_one_row_to_fit_and_to_update():
    for data in ({"x": 3.0}, [{"x": 3.0}]):
        assert sf.fit(data, [1], columns=sf.Gaussian(), calibrate=False) == sf.fit(
            {"x": [3.0]}, [1], columns=sf.Gaussian(), calibrate=False
        )
    assert sf.fit({"x": 3.0, "y": "a"}, "y", columns=sf.Gaussian(), calibrate=False).classes == ("a",)
    record = FRAME.iloc[0].to_dict()
    assert MODEL.update(record, ["no"]) == MODEL.update(FRAME.iloc[[0]], ["no"])
    collector = sf.Collector(like=MODEL)
    collector.add(record, ["no"])
    assert collector.rows == 1


@pytest.mark.parametrize("data", [{"plan": "basic", "months": [1, 2]}, {"months": np.arange(5), "plan": "basic"}])
def test_values_beside_columns_are_refused(data):
    for take in (MODEL.predict, lambda given: sf.fit(given, Y, calibrate=False)):
        with pytest.raises(sf.errors.DataError, match=r"'plan' has the value 'basic', but 'months' has a"):
            take(data)


def test_a_row_of_a_frame_says_how_to_give_it():
    rows = [FRAME.iloc[0], FRAME[["months", "fee"]].iloc[0], FRAME[["plan"]].iloc[0]]
    for row in rows:
        with pytest.raises(sf.errors.DataError, match=r"df\.iloc\[\[0\]\]"):
            MODEL.predict(row)
    with pytest.raises(sf.errors.DataError, match=r"df\.iloc\[\[0\]\]"):
        MODEL.predict(pl.Series([1.0, 2.0]))


READ_ONCE = {
    "generator": lambda: (row for row in [[1.0], [2.0]]),
    "iterator": lambda: iter([{"x": 1.0}]),
    "map": lambda: map(list, [[1.0]]),
}


@pytest.mark.parametrize("what", READ_ONCE)
def test_an_iterator_of_rows_is_refused(what):
    model = sf.fit({"x": [1.0, 2.0]}, [0, 1], columns=sf.Gaussian(), calibrate=False)
    for take in (model.predict, lambda data: sf.fit(data, "x"), lambda data: sf.evaluate(data, "x")):
        with pytest.raises(sf.errors.DataError, match=r"an iterator must yield frames") as caught:
            take(READ_ONCE[what]())
        assert caught.value.kind == "not_a_frame"


def test_a_reader_of_record_batches_is_read():
    model = sf.fit({"x": [1.0, 2.0]}, [0, 1], columns=sf.Gaussian(), calibrate=False)
    assert model.predict(pa.table({"x": [1.0, 2.0]}).to_reader()).tolist() == [0, 1]


@pytest.mark.parametrize("data", [None, 5, 2.5, object()])
def test_what_has_no_rows_is_refused(data):
    with pytest.raises(sf.errors.DataError, match=r"data must be"):
        MODEL.predict(data)


COLUMN = {
    "a set": {1, 2},
    "a frozenset": frozenset([1, 2]),
    "a mapping": {0: 1, 1: 2},
    "a generator": (i for i in range(2)),
    "a sparse array": sparse.csr_array(np.eye(2)),
    "a frame": pd.DataFrame({"a": [1, 2]}),
}


@pytest.mark.parametrize("what", COLUMN)
def test_what_cannot_be_a_column_is_refused(what):
    with pytest.raises(sf.errors.DataError, match=r"column 'x' must be a list, an array or a series"):
        sf.fit({"x": COLUMN[what], "z": [1, 2]}, [0, 1], calibrate=False)


def test_a_set_is_no_target():
    for target in ({0, 1}, frozenset([0, 1]), {0: "a", 1: "b"}):
        with pytest.raises(sf.errors.DataError, match=r"one label per row"):
            sf.fit({"x": [1.0, 2.0]}, target, calibrate=False)


def test_other_things_of_a_length_are_columns():
    for values in (range(4), dict.fromkeys("abcd").keys(), np.arange(4), (1, 2, 3, 4), pd.Series([1, 2, 3, 4])):
        assert sf.fit({"x": values}, [0, 1, 0, 1], columns=sf.Categorical(), calibrate=False).schema.names == ("x",)


@pytest.mark.parametrize("like", [5, "model", None.__class__, {}])
def test_like_must_be_a_model(like):
    for take in (lambda: sf.fit(FRAME, Y, like=like, calibrate=False), lambda: sf.Collector(like=like)):
        with pytest.raises(sf.errors.ParameterError, match="like must be a model"):
            take()


@pytest.mark.parametrize("most", [-1, 2.5, "many", None, True])
def test_max_levels_must_be_a_number(most):
    for take in (
        lambda: sf.fit(FRAME, Y, max_levels=most, calibrate=False),
        lambda: sf.evaluate(FRAME, Y, max_levels=most, calibrate=False),
        lambda: sf.Collector(max_levels=most),
    ):
        with pytest.raises(sf.errors.ParameterError, match="max_levels must be a whole number"):
            take()


def test_an_int_beyond_float64_names_its_column():
    for data, name in (({"x": [1, 10**400, 3]}, "'x'"), ([[1], [10**400], [3]], "0")):
        with pytest.raises(sf.errors.DataError, match=rf"^row 1, column {name}: the integer is too large") as caught:
            sf.fit(data, [0, 1, 0], calibrate=False)
        assert "Convert the column to text" in str(caught.value)


def test_a_tuple_in_a_joint_column_names_column_and_row():
    data = {"a": [1, (1, 2)], "b": [1, 2]}
    with pytest.raises(sf.errors.DataError, match=r"column 'a' of Joint\(\).*row 1 has the tuple \(1, 2\)") as caught:
        sf.fit(data, [0, 1], columns=sf.Joint(), calibrate=False)
    assert "tuple of those" not in str(caught.value)
