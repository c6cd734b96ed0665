"""The same rows through every door: frames of every library, mappings, records and arrays make the same model."""

from __future__ import annotations

import datetime
import re
import subprocess
import sys
import textwrap
from decimal import Decimal

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from suffice.api import fit
from suffice.errors import DataError, DroppedRowsWarning, MissingColumnsWarning, UnseenLevelsWarning
from suffice.likelihoods import Bernoulli, Categorical, Gaussian, Joint
from suffice.sources.in_memory import column_of

N = 48
CITY = [
    None if k % 11 == 5 else ["Aarau", "Bern", "Chur", "a city whose name is longer than twelve"][k * k % 4]
    for k in range(N)
]
ROOMS = [None if k % 13 == 7 else 1 + k % 5 for k in range(N)]
PRICE = [None if k % 7 == 3 else 100.25 + (k * 37 % 29) / 8 for k in range(N)]
GARDEN = [None if k % 17 == 2 else k % 3 == 0 for k in range(N)]
SOLD = [["yes", "no", "later"][(k * k + k // 3) % 3] for k in range(N)]
WEIGHT = [1.0 + k % 3 for k in range(N)]
CELLS = {"city": CITY, "rooms": ROOMS, "price": PRICE, "garden": GARDEN}
COLUMNS = {"city": Categorical(), "rooms": Categorical(), "price": Gaussian(), "garden": Bernoulli()}
TARGET = {"sold": SOLD}


def arrow(**types):
    """Return a PyArrow table with some columns of other types."""
    plain = {"city": pa.string(), "rooms": pa.int64(), "price": pa.float64(), "garden": pa.bool_(), "sold": pa.string()}
    everything = {**CELLS, **TARGET}
    return pa.table({name: pa.array(everything[name], type=kind) for name, kind in {**plain, **types}.items()})


def chunked(table, sizes=(5, 1, 0, 19, 23)):
    starts = np.cumsum([0, *sizes])
    return pa.concat_tables([table.slice(int(a), size) for a, size in zip(starts, sizes, strict=False)])


def in_words(table):
    """Return the cities as a dictionary, of which each chunk has its own."""
    pieces = [piece.dictionary_encode() for piece in chunked(table)["city"].chunks]
    return table.set_column(0, "city", pa.chunked_array(pieces))


def sliced(table):
    """Return the same rows as a part of longer ones: buffers then start in the middle of a byte."""
    return pa.concat_tables([table.slice(3, 5), table]).combine_chunks().slice(5)


def pandas_frame(**types):
    frame = pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in {**CELLS, **TARGET}.items()})
    return frame.astype(types)


POLARS = pl.DataFrame({**CELLS, **TARGET})
NULLABLE = {"rooms": "Int64", "price": "Float64", "garden": "boolean"}
FORMS = {
    "mapping of lists": lambda: {**CELLS, **TARGET},
    "mapping of arrays": lambda: {name: np.array(cells, dtype=object) for name, cells in {**CELLS, **TARGET}.items()},
    "mapping of masked arrays": lambda: {
        **CELLS,
        **TARGET,
        "rooms": np.ma.masked_array([cell or 0 for cell in ROOMS], [cell is None for cell in ROOMS]),
        "garden": np.ma.masked_array([bool(cell) for cell in GARDEN], [cell is None for cell in GARDEN]),
    },
    "mapping of columns of several libraries": lambda: {
        "city": POLARS["city"],
        "rooms": pd.Series(ROOMS, dtype="Int8"),
        "price": pa.chunked_array([pa.array(PRICE)]),
        "garden": GARDEN,
        "sold": np.array(SOLD),
    },
    "records": POLARS.to_dicts,
    "records without what is missing": lambda: [
        {name: cell for name, cell in row.items() if cell is not None} for row in POLARS.to_dicts()
    ],
    "pandas objects": pandas_frame,
    "pandas as it comes": lambda: pd.DataFrame({**CELLS, **TARGET}),
    "pandas str": lambda: pandas_frame(city="str", sold="str", **NULLABLE),
    "pandas string of Python": lambda: pandas_frame(city="string[python]", sold="string[python]", **NULLABLE),
    "pandas string of Arrow": lambda: pandas_frame(city="string[pyarrow]", sold="string[pyarrow]", **NULLABLE),
    "pandas small numbers": lambda: pandas_frame(rooms="Int8", price="Float64", garden="boolean"),
    "pandas categorical": lambda: pandas_frame(city="category", rooms="category", sold="category", price="float64"),
    "pandas on Arrow": lambda: arrow().to_pandas(types_mapper=pd.ArrowDtype),
    "pandas on Arrow, chunked": lambda: chunked(arrow()).to_pandas(types_mapper=pd.ArrowDtype),
    "pandas on Arrow, large strings": lambda: arrow(city=pa.large_string()).to_pandas(types_mapper=pd.ArrowDtype),
    "pandas on Arrow, dictionary": lambda: in_words(arrow()).to_pandas(types_mapper=pd.ArrowDtype),
    "pandas with an index": lambda: pandas_frame(**NULLABLE).set_index(pd.Index(range(N, 0, -1))),
    "polars": lambda: POLARS,
    "polars categorical": lambda: POLARS.with_columns(
        pl.col("city").cast(pl.Categorical), pl.col("sold").cast(pl.Categorical)
    ),
    "polars enum": lambda: POLARS.with_columns(
        pl.col("city").cast(pl.Enum(["nowhere", *sorted({cell for cell in CITY if cell})]))
    ),
    "polars small numbers": lambda: POLARS.with_columns(pl.col("rooms").cast(pl.UInt8)),
    "polars decimal": lambda: POLARS.with_columns(pl.col("price").cast(pl.Decimal(12, 3))),
    "polars in chunks": lambda: pl.concat([POLARS[:7], POLARS[7:8], POLARS[8:]], rechunk=False),
    "polars slice": lambda: pl.concat([POLARS[3:8], POLARS])[5:],
    "narwhals": lambda: nw.from_native(POLARS),
    "narwhals of pandas": lambda: nw.from_native(pandas_frame()),
    "pyarrow": arrow,
    "pyarrow chunked": lambda: chunked(arrow()),
    "pyarrow sliced": lambda: sliced(arrow()),
    "pyarrow large strings": lambda: arrow(city=pa.large_string(), sold=pa.large_string()),
    "pyarrow string views": lambda: chunked(arrow(city=pa.string_view(), sold=pa.string_view())),
    "pyarrow dictionaries": lambda: in_words(arrow()),
    "pyarrow dictionary of numbers": lambda: arrow(rooms=pa.dictionary(pa.int8(), pa.int64())),
    "pyarrow small numbers": lambda: arrow(rooms=pa.uint8(), price=pa.float32()),
    "pyarrow decimal": lambda: arrow().set_column(
        2, "price", pa.array([None if cell is None else Decimal(str(cell)) for cell in PRICE], pa.decimal128(9, 3))
    ),
    "pyarrow batch": lambda: arrow().to_batches()[0],
}
EXPECTED = fit({**CELLS, **TARGET}, "sold", columns=COLUMNS, calibrate=False)


@pytest.mark.parametrize("form", FORMS)
class TestEveryDoor:
    def test_the_same_model_and_the_same_predictions(self, form):
        data = FORMS[form]()
        model = fit(data, "sold", columns=COLUMNS, calibrate=False)
        assert model == EXPECTED
        np.testing.assert_array_equal(EXPECTED.predict_proba(data), EXPECTED.predict_proba(CELLS))
        np.testing.assert_array_equal(model.log_joint(CELLS), EXPECTED.log_joint(CELLS))
        assert EXPECTED.predict(data).tolist() == EXPECTED.predict(CELLS).tolist()

    def test_joint_blocks(self, form):
        columns = {("city", "rooms"): Joint(), "*": None}
        data = FORMS[form]()
        expected = fit({**CELLS, **TARGET}, "sold", columns=columns, calibrate=False)
        assert fit(data, "sold", columns=columns, calibrate=False) == expected
        np.testing.assert_array_equal(expected.log_joint(data), expected.log_joint(CELLS))

    def test_update_and_forget(self, form):
        data = FORMS[form]()
        assert EXPECTED.update(data, "sold") == EXPECTED.scale(2)
        assert EXPECTED.scale(2).forget(data, "sold") == EXPECTED


def test_types_that_say_what_they_are_are_inferred_alike():
    cells = {
        "city": CITY,
        "rooms": [1 + k % 5 for k in range(N)],
        "price": PRICE,
        "garden": [k % 3 == 0 for k in range(N)],
    }
    expected = fit(cells, SOLD, calibrate=False)
    kinds = {name: type(block.likelihood) for block in expected.schema.blocks for name in block.columns}
    assert kinds["city"] is kinds["rooms"] is Categorical
    assert kinds["garden"] is Bernoulli
    frames = (pd.DataFrame(cells), pl.DataFrame(cells), pa.table(cells), pd.DataFrame(cells).convert_dtypes())
    for data in (*frames, pl.DataFrame(cells).to_dicts()):
        assert fit(data, SOLD, calibrate=False) == expected


def test_an_array_of_objects_is_known_by_its_places():
    rows = np.array([list(row) for row in zip(*CELLS.values(), strict=True)], dtype=object)
    model = fit(rows, SOLD, columns=dict(enumerate(COLUMNS.values())), calibrate=False)
    assert model.schema.names == (0, 1, 2, 3)
    for data in (rows, rows.tolist(), POLARS.drop("sold")):
        np.testing.assert_array_equal(model.predict_proba(data), EXPECTED.predict_proba(CELLS))
    # … and a model of names takes it too.
    np.testing.assert_array_equal(EXPECTED.predict_proba(rows), EXPECTED.predict_proba(CELLS))
    mine = [row._replace(column=None) for row in model.parameters()]
    theirs = [row._replace(column=None) for row in EXPECTED.parameters()]
    assert repr(mine) == repr(theirs)


@pytest.mark.parametrize("width", [3, 5])
def test_a_nameless_array_of_another_width_is_refused(width):
    text = f"data has {width} columns, but the model was fitted on 4. Give the same columns in the same order."
    for data in (
        np.zeros((2, width)),
        np.full((2, width), "x", dtype=object),
        np.full((2, width), "x"),
        [["x"] * width] * 2,
    ):
        with pytest.raises(DataError, match=f"^{re.escape(text)}$"):
            EXPECTED.predict(data)


TARGETS = {
    "list": lambda: SOLD,
    "tuple": lambda: tuple(SOLD),
    "array": lambda: np.array(SOLD),
    "array of objects": lambda: np.array(SOLD, dtype=object),
    "pandas": lambda: pd.Series(SOLD),
    "pandas objects": lambda: pd.Series(SOLD, dtype=object),
    "pandas categorical": lambda: pd.Series(SOLD, dtype="category"),
    "pandas on Arrow": lambda: pd.Series(SOLD, dtype=pd.ArrowDtype(pa.string())),
    "pandas index": lambda: pd.Index(SOLD, dtype=object),
    "polars": lambda: pl.Series(SOLD),
    "polars categorical": lambda: pl.Series(SOLD, dtype=pl.Categorical),
    "polars enum": lambda: pl.Series(SOLD, dtype=pl.Enum(["later", "no", "yes", "never"])),
    "pyarrow": lambda: arrow()["sold"],
    "pyarrow chunked": lambda: chunked(arrow())["sold"],
    "pyarrow array": lambda: pa.array(SOLD),
    "pyarrow dictionary": lambda: pa.array(SOLD).dictionary_encode(),
    "narwhals": lambda: nw.from_native(pl.Series(SOLD), series_only=True),
}


@pytest.mark.parametrize("form", TARGETS)
def test_a_target_of_every_library(form):
    assert fit(POLARS.drop("sold"), TARGETS[form](), columns=COLUMNS, calibrate=False) == EXPECTED


@pytest.mark.parametrize(
    "target",
    [
        pd.Series([0, 1, None], dtype="Int64"),
        pd.Series([0, 1, None]),
        pl.Series([0, 1, None]),
        pa.array([0, 1, None]),
        pd.Series(["0", "1", None]),
        pl.Series(["0", "1", None]),
        pd.Series([False, True, None], dtype="boolean"),
        pl.Series([False, True, None]),
    ],
)
def test_missing_classes_of_every_library(target):
    with pytest.warns(DroppedRowsWarning):
        model = fit({"x": [1.0, 2.0, 3.0]}, target, columns=Gaussian(), calibrate=False)
    assert model.classes in ((0, 1), ("0", "1"), (False, True))
    assert [type(label) for label in model.classes] in ([int] * 2, [str] * 2, [bool] * 2)


@pytest.mark.parametrize(
    "frame",
    [
        lambda weight: {**CELLS, **TARGET, "w": weight},
        lambda weight: POLARS.with_columns(pl.Series("w", weight)),
        lambda weight: pandas_frame().assign(w=weight),
        lambda weight: arrow().append_column("w", pa.array(weight)),
    ],
)
def test_weights_by_name_and_by_series(frame):
    expected = fit({**CELLS, **TARGET}, "sold", columns=COLUMNS, weights=WEIGHT, calibrate=False)
    assert expected != EXPECTED
    assert fit(frame(WEIGHT), "sold", columns=COLUMNS, weights="w", calibrate=False) == expected
    assert fit(frame([int(w) for w in WEIGHT]), "sold", columns=COLUMNS, weights="w", calibrate=False) == expected
    for weights in (
        pd.Series(WEIGHT),
        pl.Series(WEIGHT),
        pa.array(WEIGHT),
        np.array(WEIGHT),
        pd.Series(WEIGHT, dtype="Float64"),
    ):
        assert fit({**CELLS, **TARGET}, "sold", columns=COLUMNS, weights=weights, calibrate=False) == expected


class TestColumnsByName:
    def test_in_any_order_and_beside_others(self):
        for data in (POLARS, pandas_frame(**NULLABLE), arrow(), {**CELLS, **TARGET}):
            names = ["garden", "sold", "city", "price", "rooms"]
            turned = {name: data[name] for name in names} if isinstance(data, dict) else None
            turned = data.select(names) if hasattr(data, "select") and turned is None else turned or data[names]
            np.testing.assert_array_equal(EXPECTED.predict_proba(turned), EXPECTED.predict_proba(CELLS))
            assert EXPECTED.update(turned, "sold") == EXPECTED.scale(2)

    def test_an_extra_column_may_be_anything(self):
        extra = POLARS.with_columns(
            pl.lit("2020-01-01").str.to_date().alias("when"), pl.lit(b"x").alias("bytes"), pl.lit([1]).alias("list")
        )
        np.testing.assert_array_equal(EXPECTED.predict_proba(extra), EXPECTED.predict_proba(CELLS))

    @pytest.mark.parametrize("form", ["mapping of lists", "pandas objects", "polars", "pyarrow", "records"])
    def test_a_column_that_is_not_there_is_missing(self, form):
        data = FORMS[form]()
        if form == "records":
            less = [{name: cell for name, cell in row.items() if name not in ("city", "price", "sold")} for row in data]
        elif form == "mapping of lists":
            less = {name: data[name] for name in ("rooms", "garden")}
        elif form == "pandas objects":
            less = data[["rooms", "garden"]]
        else:
            less = data.select(["rooms", "garden"])
        text = (
            "columns 'city', 'price': 2 of the 4 columns of the model are not in the data and were treated as missing. "
            "Add them, or rename the columns of the data, which are 'rooms', 'garden'."
        )
        with pytest.warns(MissingColumnsWarning) as caught:
            found = EXPECTED.predict_proba(less)
        assert [str(each.message) for each in caught] == [text]
        assert caught[0].filename == __file__
        gaps = {**CELLS, "city": [None] * N, "price": [None] * N}
        np.testing.assert_array_equal(found, EXPECTED.predict_proba(gaps))

    def test_many_that_are_not_there_are_not_all_shown(self):
        model = fit({f"c{k}": [0, 1] for k in range(7)}, ["a", "b"], columns=Categorical(), calibrate=False)
        text = (
            "columns 'c0', 'c1', 'c2', 'c3', 'c4', … 1 more: 6 of the 7 columns of the model are not in the data "
            "and were treated as missing. Add them, or rename the columns of the data, which are 'c6'."
        )
        with pytest.warns(MissingColumnsWarning, match=f"^{re.escape(text)}$"):
            model.predict({"c6": [1]})

    def test_data_without_any_column_of_the_model_are_refused(self):
        model = fit(
            {"Plan": ["a", "b"], "Fee": [1.0, 2.0], "id": ["x", "y"]}, ["a", "b"], columns={"id": None}, calibrate=False
        )
        with pytest.raises(DataError, match=r"none of the 2 columns of the model.*2 of them differ only in case"):
            model.predict({"PLAN": ["a"], " fee ": [1.0]})
        with pytest.raises(DataError, match="none of the 2 columns"):
            model.update({"id": ["x"], "other": [1.0]}, ["a"])
        with pytest.warns(
            MissingColumnsWarning,
            match=r"^column 'Fee': 1 of the 2 columns of the model.*1 of them differs only in case",
        ):
            model.predict({"Plan": ["a"], "FEE": [1.0]})
        with pytest.warns(MissingColumnsWarning):  # a row of which nothing is known has the class prior
            np.testing.assert_allclose(model.predict_proba([{}]), [[0.5, 0.5]])

    def test_names_that_are_numbers(self):
        frame = pd.DataFrame({3: [0.0, 1.0, 5.0], 1: [1.0, 2.0, 2.5]})
        model = fit(frame, ["a", "a", "b"], columns=Gaussian(), calibrate=False)
        assert model.schema.names == (3, 1)
        np.testing.assert_array_equal(model.predict_proba(frame[[1, 3]]), model.predict_proba(frame))

    def test_names_of_several_rows(self):
        frame = pd.DataFrame([[1.0, 2.0]], columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")]))
        assert fit(frame, ["b"], columns=Gaussian(), calibrate=False).schema.names == ("('a', 'x')", "('a', 'y')")


class TestUnseenLevels:
    MODEL = fit(
        {"fur": ["black", "white", "grey", "white"]},
        ["cat", "dog", "cat", "dog"],
        columns=Categorical(),
        calibrate=False,
    )

    @pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, pa.table])
    def test_over_a_fifth_warns_with_examples_of_both_sides(self, make):
        asked = make({"fur": ["black"] * 3 + ["BLACK", None, None, "WHITE"]})
        text = (
            "column 'fur': 2 of 5 non-missing cells have levels that did not occur in training, such as 'BLACK', 'WHITE'; the model has "
            "'black', 'grey', 'white'. They are treated as missing, or with unseen='mass' as one additional level. "
            "Check that the column has the same coding as when the model was fitted."
        )
        for call in (self.MODEL.predict, self.MODEL.predict_proba, self.MODEL.log_joint, self.MODEL.log_density):
            with pytest.warns(UnseenLevelsWarning) as caught:
                call(asked)
            assert [str(each.message) for each in caught] == [text]
            assert caught[0].filename == __file__

    def test_a_fifth_does_not(self):
        self.MODEL.predict({"fur": ["black"] * 4 + ["BLACK"]})
        self.MODEL.predict({"fur": [None] * 4})

    def test_numbers_that_were_text(self):
        model = fit({"x": [1, 2, 2]}, ["a", "b", "b"], columns=Categorical(), calibrate=False)
        with pytest.warns(UnseenLevelsWarning, match=re.escape("such as '1', '2'; the model has 1, 2.")):
            model.predict({"x": ["1", "2"]})
        with pytest.warns(UnseenLevelsWarning, match=re.escape("such as True; the model has 1, 2.")):
            model.predict({"x": [True, True]})
        model.predict({"x": [1.0, 2.0]})

    def test_of_a_large_array_some_rows_are_looked_at(self):
        model = fit(np.arange(10)[:, None] % 5, ["a", "b"] * 5, columns=Categorical(), calibrate=False)
        model.predict(np.arange(100_000)[:, None] % 6 % 5)
        text = "column 0: 37500 of 100000 non-missing cells have levels that did not occur in training, such as 5, 6, 7; the model has 0, 1, 2."
        with pytest.warns(UnseenLevelsWarning, match=f"^{re.escape(text)}"):
            model.predict(np.arange(100_000)[:, None] % 8)

    @pytest.mark.parametrize("period", [5, 24, 25, 64, 4096])
    def test_rows_that_repeat_do_not_hide_it(self, period):
        model = fit(np.array([[0], [1]]), ["a", "b"], columns=Categorical(), calibrate=False)
        rare = np.zeros((100_000, 1), dtype=np.int64)
        rare[::period] = 7  # a fifth at most
        model.predict(rare)
        with pytest.warns(UnseenLevelsWarning):
            model.predict(7 - rare)


class TestFailures:
    def fails(self, text, call):
        with pytest.raises(DataError, match=f"^{re.escape(text)}$"):
            call()

    def test_a_target_that_is_not_there(self):
        for data in (POLARS, pandas_frame(), arrow(), {**CELLS, **TARGET}):
            self.fails(
                "target column 'sould' is not in the data. Did you mean 'sold'?",
                lambda data=data: fit(data, "sould", calibrate=False),
            )
        self.fails(
            "target column 'zzz' is not in the data. The columns are 'city', 'rooms', 'price', 'garden', 'sold'.",
            lambda: fit(POLARS, "zzz", calibrate=False),
        )
        self.fails(
            "weights column 'rom' is not in the data. Did you mean 'rooms'?",
            lambda: fit(POLARS, "sold", weights="rom", calibrate=False),
        )

    def test_targets_that_are_no_classes(self):
        self.fails(
            "target must be 1-D: got a frame. Give one of its columns.",
            lambda: fit(POLARS, POLARS, calibrate=False),
        )
        self.fails(
            "target must be 1-D: got a frame. Give one of its columns.",
            lambda: fit(POLARS, pandas_frame()[["sold"]], calibrate=False),
        )
        self.fails(
            "target must be an array with one label per row, or a column name: got 3.",
            lambda: fit(POLARS, 3, calibrate=False),
        )
        self.fails(
            "class labels must be integers, booleans or strings: unsupported type: datetime64[ns]. Convert them first.",
            lambda: fit({"x": [1.0, 2.0]}, np.array(["2020", "2021"], dtype="datetime64[ns]"), calibrate=False),
        )
        for dates in (pl.Series([datetime.date(2020, 1, 1)]), pa.array([datetime.date(2020, 1, 1)])):
            self.fails(
                "class labels must be integers, booleans or strings: unsupported type: date. Convert them first.",
                lambda dates=dates: fit({"x": [1.0]}, dates, calibrate=False),
            )
        self.fails(
            "row 1: class labels must be integers, booleans or strings: got [2]. Convert them first.",
            lambda: fit({"x": [1.0, 2.0]}, ["a", [2]], calibrate=False),
        )
        self.fails(
            "row 0: class labels must be integers, booleans or strings: got [1]. Convert them first.",
            lambda: fit({"x": [1.0, 2.0]}, [[1], [2]], calibrate=False),
        )

    def test_weights_that_are_none(self):
        self.fails(
            "row 0, column 'city': weights must be numbers: got 'Aarau'. Convert the column first.",
            lambda: fit(POLARS, "sold", weights="city", calibrate=False),
        )
        self.fails(
            "column 'rooms': weights must not have missing values. Use 0 to ignore a row.",
            lambda: fit(POLARS, "sold", weights="rooms", calibrate=False),
        )
        self.fails(
            "weights must not be missing. Use 0 to ignore a row.",
            lambda: fit(POLARS, "sold", weights=POLARS["rooms"], calibrate=False),
        )
        self.fails(
            "row 0: weights must be numbers: got 'Aarau'. Convert them first.",
            lambda: fit(POLARS, "sold", weights=POLARS["city"], calibrate=False),
        )
        self.fails(
            "weights='w' is a column name, but arrays have no column names. Give the weights as an array.",
            lambda: fit(np.zeros((2, 1)), ["a", "b"], weights="w", calibrate=False),
        )

    def test_lazy_frames_are_read_in_parts(self):
        assert fit(POLARS.lazy(), "sold", calibrate=False) == fit(POLARS, "sold", calibrate=False)

    def test_a_name_twice(self):
        text = "column names must be distinct: 'a' appears more than once. Rename one of them."
        self.fails(text, lambda: fit(pd.DataFrame([[1, 2]], columns=["a", "a"]), ["x"], calibrate=False))
        self.fails(text, lambda: fit(pa.table([[1], [2]], names=["a", "a"]), ["x"], calibrate=False))

    def test_columns_that_no_likelihood_reads(self):
        data = POLARS.with_columns(pl.lit("2020-01-01").str.to_date().alias("when"), pl.lit([1]).alias("list"))
        for name, held in (("when", "date"), ("list", "lists")):
            for likelihood in (Categorical(), Gaussian()):
                with pytest.raises(DataError, match=f"unsupported type: {held}") as caught:
                    fit(data, "sold", columns={name: likelihood, "*": None}, calibrate=False)
                assert (caught.value.kind, caught.value.column) == ("unusable_type", name)

    def test_text_where_numbers_are_asked_for(self):
        for data in (POLARS, pandas_frame(), pandas_frame(city="category"), arrow(), in_words(arrow())):
            self.fails(
                "row 0, column 'city': must be a number: got 'Aarau'. Use columns={'city': Categorical()} for "
                "categories, or exclude it with columns={'city': None}.",
                lambda data=data: fit(data, "sold", columns={"city": Gaussian(), "*": None}, calibrate=False),
            )

    def test_intervals_are_no_labels(self):
        frame = pd.DataFrame({"x": [None, 1.0, 9.0]})
        frame["x"] = pd.cut(frame["x"], [0, 5, 10])
        self.fails(
            "row 1, column 'x': must be a number, text, a bool or bytes: got Interval(0, 5, closed='right'). "
            "Convert it, or leave it out with columns={'x': None}.",
            lambda: fit(frame, ["a", "b", "b"], columns=Categorical(), calibrate=False),
        )

    def test_records_that_are_none(self):
        self.fails(
            "every row must be a record {name: value}: row 1 is 3.",
            lambda: fit([{"a": 1}, 3], ["x", "y"], columns=Categorical(), calibrate=False),
        )

    def test_names_that_are_none(self):
        self.fails(
            "a column name must be a string or an integer: got True (bool). Rename the column.",
            lambda: fit(pd.DataFrame([[1]], columns=[True]), ["x"], calibrate=False),
        )


def test_dictionaries_with_gaps_of_their_own():
    codes = pa.array([0, 1, 2, None, 1], pa.int8())
    for values, cells in (
        (pa.array(["a", None, "b"]), ["a", None, "b", None, None]),
        (pa.array([7, None, 9]), [7, None, 9, None, None]),
        (pa.array([True, None, False]), [True, None, False, None, None]),
        (pa.nulls(3), [None] * 5),
    ):
        data = pa.table({"x": pa.DictionaryArray.from_arrays(codes, values)})
        assert fit(data, list("abcab"), columns=Categorical(), calibrate=False) == fit(
            {"x": cells}, list("abcab"), columns=Categorical(), calibrate=False
        )


def test_dictionaries_of_times_may_stand_in_a_table():
    dates = pa.array([datetime.date(2020, 1, 1)] * 2).dictionary_encode()
    model = fit(pa.table({"x": [1.0, 2.0], "when": dates}), ["a", "b"], calibrate=False)
    assert [name for name, _ in model.schema.left_out] == ["when"]


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.float32, np.bool_, "<U3", object])
def test_masked_arrays_keep_their_kind(dtype):
    cells = np.array([[1, 0], [0, 1], [1, 1], [0, 0]]).astype(dtype)
    mask = np.array([[False, False], [True, False], [False, True], [False, False]])
    columns = {
        j: [None if gap else cell for cell, gap in zip(cells[:, j].tolist(), mask[:, j], strict=True)] for j in (0, 1)
    }
    masked = np.ma.masked_array(cells, mask)
    for likelihood in (Categorical(), Joint(), None):
        model, expected = (fit(data, list("abab"), columns=likelihood, calibrate=False) for data in (masked, columns))
        assert model == expected
        np.testing.assert_array_equal(model.predict_proba(masked), expected.predict_proba(columns))


def test_lists_keep_their_kinds():
    model = fit(
        {"x": [True, 1, 2, 2**63 + 1, -1, 2**53 + 1, 0.5]},
        ["a"] * 7,
        columns=Categorical(),
        estimate="mle",
        calibrate=False,
    )
    levels = [row.level for row in model.parameters() if row.column == "x"]
    assert repr(levels) == repr([True, -1, 0.5, 1, 2, 2**53 + 1, 2**63 + 1])


def test_null_columns():
    for data in (pl.DataFrame({"x": [None, None]}), pa.table({"x": pa.nulls(2)}), pd.DataFrame({"x": [None, None]})):
        for likelihood in (Categorical(), Gaussian(), Bernoulli(), Joint()):
            model = fit(data, ["a", "b"], columns=likelihood, calibrate=False)
            np.testing.assert_allclose(model.predict_proba(data), [[0.5, 0.5]] * 2)
            assert model == fit({"x": [None, None]}, ["a", "b"], columns=likelihood, calibrate=False)


def test_no_rows():
    for data in (
        POLARS[:0],
        pandas_frame().iloc[:0],
        arrow().slice(0, 0),
        {name: [] for name in [*CELLS, "sold"]},
    ):
        assert fit(data, "sold", columns=COLUMNS, calibrate=False) == EXPECTED - EXPECTED
        assert EXPECTED.predict_proba(data).shape == (0, 3)


def test_numbers_are_read_where_they_lie():
    x = np.arange(1000.0)
    series = pl.Series("x", x)
    found = column_of(series).numbers().values
    assert found.__array_interface__["data"][0] == series.to_numpy(allow_copy=False).__array_interface__["data"][0]
    frame = pd.DataFrame({"x": x})
    assert np.shares_memory(column_of(frame["x"]).numbers().values, frame["x"].to_numpy())


BLOCKED = """
    import sys

    class Without:
        def __init__(self, finder):
            self.finder = finder

        def __getattr__(self, name):
            return getattr(self.finder, name)

        def find_spec(self, name, path=None, target=None):
            return None if name.partition(".")[0] in {blocked!r} else self.finder.find_spec(name, path, target)

    sys.meta_path[:] = map(Without, sys.meta_path)
    {work}
    assert not set({blocked!r}) & set(sys.modules)
    try:
        __import__({blocked!r}[0])
        raise SystemExit("it can be imported")
    except ImportError:
        pass
    model = fit(data, "y", columns={{"fur": Categorical(), "age": Gaussian()}}, calibrate=False)
    expected = fit(cells, "y", columns={{"fur": Categorical(), "age": Gaussian()}}, calibrate=False)
    assert model == expected
    assert (model.predict_proba(data) == expected.predict_proba(cells)).all()
    print(model.predict(data).tolist())
"""


@pytest.mark.parametrize(
    ("blocked", "make"),
    [
        (("pyarrow", "polars"), "import pandas as pd; data = pd.DataFrame(cells)"),
        (("pyarrow", "polars"), "import pandas as pd; data = pd.DataFrame(cells).astype({'fur': object})"),
        (
            ("pyarrow", "polars"),
            "import pandas as pd; data = pd.DataFrame(cells).astype({'fur': 'category', 'y': 'category'})",
        ),
        (("pyarrow", "pandas"), "import polars as pl; data = pl.DataFrame(cells)"),
        (
            ("pyarrow", "pandas"),
            "import polars as pl; data = pl.DataFrame(cells, schema_overrides={'fur': pl.Categorical})",
        ),
        (("pandas", "polars"), "import pyarrow as pa; data = pa.table(cells)"),
    ],
)
def test_each_library_works_where_the_others_are_not_installed(blocked, make):
    work = (
        "from suffice.api import fit; from suffice.likelihoods import Categorical, Gaussian; "
        "cells = {'fur': ['black', None, 'white', 'white'], 'age': [1.5, 2.0, None, 4.0], 'y': ['cat', 'cat', 'dog', 'dog']}; "
        + make
    )
    script = textwrap.dedent(BLOCKED).format(blocked=blocked, work=work)
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "['cat', 'cat', 'dog', 'dog']\n"
