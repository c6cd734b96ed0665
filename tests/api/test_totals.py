"""Models of totals, as a GROUP BY gives them, equal the models of the rows; totals that cannot be are refused in words."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import suffice as sf
from suffice.errors import DataError, DroppedRowsWarning, ParameterError

ROWS = pl.DataFrame(
    {
        "kind": ["cat", "cat", "dog", "dog", "dog", None, "cat"],
        "fur": ["black", None, "black", "white", None, "white", "orange"],
        "calm": [True, False, None, True, True, True, False],
        "age": [3.5, None, 8.0, 1.25, 9.0, 4.0, -2.0],
        "weight": [None, None, 30.0, 12.5, 45.0, 8.0, None],
    }
)
COLUMNS = {"fur": sf.Categorical(), "calm": sf.Bernoulli(), "age": sf.Gaussian(), "weight": sf.Gaussian()}
LEVELS = """
    SELECT kind AS class, 'fur' AS "column", fur AS level, count(*) AS count FROM rows GROUP BY ALL
    UNION ALL SELECT kind, 'calm', CAST(CAST(calm AS INT) AS VARCHAR), count(*) FROM rows GROUP BY ALL
"""
MOMENTS = """
    SELECT kind AS class, 'age' AS "column", count(age) AS n, avg(age) AS mean, var_pop(age) AS variance FROM rows GROUP BY 1
    UNION ALL SELECT kind, 'weight', count(weight), avg(weight), var_pop(weight) FROM rows GROUP BY 1
"""
CLASSES = "SELECT kind AS class, count(*) AS count FROM rows GROUP BY 1"


def ask(query, rows=ROWS):
    with duckdb.connect() as database:
        database.register("rows", rows.to_arrow())
        return pl.from_arrow(database.sql(query).to_arrow_table())


@pytest.fixture
def fitted():
    with pytest.warns(DroppedRowsWarning, match="1 of 7 rows"):
        return sf.fit(ROWS, "kind", columns=COLUMNS, calibrate=False)


def same(made, fitted):
    """Equal models; means and variances to 1e-12."""
    assert made.schema == fitted.schema
    assert made.core.tally == fitted.core.tally
    for mine, theirs in zip(made.core.parts, fitted.core.parts, strict=True):
        for left, right in zip(mine, theirs, strict=True):
            if not hasattr(left, "mean"):
                assert left == right
                continue
            assert left.classes == right.classes
            np.testing.assert_array_equal(left.weight, right.weight)
            np.testing.assert_allclose(left.mean, right.mean, rtol=1e-12)
            np.testing.assert_allclose(left.dp, right.dp, rtol=1e-12)


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow", "mapping", "records"])
def test_group_by_equals_the_rows(fitted, library):
    tables = [ask(query) for query in (CLASSES, LEVELS, MOMENTS)]
    convert = {
        "polars": lambda frame: frame,
        "pandas": pl.DataFrame.to_pandas,
        "pyarrow": pl.DataFrame.to_arrow,
        "mapping": lambda frame: frame.to_dict(as_series=False),
        "records": pl.DataFrame.to_dicts,
    }[library]
    with pytest.warns(DroppedRowsWarning, match="have no class and were ignored"):
        same(sf.Model.from_statistics([convert(table) for table in tables], columns=COLUMNS), fitted)


@pytest.mark.filterwarnings("ignore::suffice.errors.DroppedRowsWarning")
def test_one_table_of_both_kinds_and_numbers_as_levels(fitted):
    calm = "SELECT kind AS class, 'calm' AS \"column\", calm AS level, count(*) AS count FROM rows GROUP BY ALL"
    one = ask(f"{CLASSES} UNION ALL BY NAME ({LEVELS.splitlines()[1]}) UNION ALL BY NAME ({MOMENTS})")
    assert set(one.columns) == {"class", "column", "level", "count", "n", "mean", "variance"}
    columns = {"fur": sf.Categorical(), "*": sf.Gaussian()}
    same(
        sf.Model.from_statistics(one, columns=columns),
        sf.fit(ROWS.drop("calm"), "kind", columns=columns, calibrate=False),
    )
    made = sf.Model.from_statistics([ask(CLASSES), ask(calm)], columns="bernoulli")
    same(made, sf.fit(ROWS.select("kind", "calm"), "kind", columns="bernoulli", calibrate=False))
    same(sf.Model.from_statistics([one, ask(calm)], like=fitted), fitted)


@pytest.mark.filterwarnings("ignore::suffice.errors.DroppedRowsWarning")
def test_missing_levels_may_be_a_level_and_give_the_number_of_rows():
    fur = ask(LEVELS.splitlines()[1])
    for columns in (sf.Categorical(missing="level"), sf.Categorical(levels=["black", "red"]), sf.Categorical()):
        made = sf.Model.from_statistics(fur, columns=columns)  # the missing cells are rows of the class
        same(made, sf.fit(ROWS.select("kind", "fur"), "kind", columns=columns, calibrate=False))
    known = sf.Model.from_statistics(fur.filter(pl.col("level").is_not_null()))
    assert known.core.tally.weight.tolist() == [2, 2]
    assert repr(known.schema) == "1 column\n  'fur': Categorical(alpha='evidence')"


def test_the_smallest_number_of_rows_that_all_columns_allow():
    totals = {
        "class": ["a", "a", "b", "a", "b"],
        "column": ["x", "x", "x", "y", "y"],
        "level": ["u", "v", "u", None, None],
        "count": [2.5, 1, 4, None, None],
        "n": [None, None, None, 5, 3],
        "mean": [None, None, None, 1, 2],
        "variance": [None, None, None, 0.5, 0],
    }
    model = sf.Model.from_statistics(totals, target="label")
    assert model.core.tally.weight.tolist() == [5, 4]
    assert model.provenance.target == "label"
    assert model.provenance.rows == 9
    assert "created from statistics, without rows" in repr(model)
    more = sf.Model.from_statistics(totals, classes=["a", "b", "c"], class_prior="uniform", estimate="map")
    assert more.classes == ("a", "b", "c")


def test_one_and_true_are_two_levels_and_two_classes():
    records = [
        {"class": label, "column": "x", "level": level, "count": count}
        for label, level, count in [(1, 1, 2), (1, True, 3), (1, "1", 4), (0, 1.0, 5)]
    ]
    model = sf.Model.from_statistics(records)
    (counts,) = model.statistics["x"]
    assert counts.levels.labels == (True, 1, "1")
    assert counts.values.tolist() == [[0, 5, 0], [3, 2, 4]]


def test_files(tmp_path):
    ask(LEVELS).drop_nulls("class").write_csv(tmp_path / "levels.csv")
    ask(MOMENTS).drop_nulls("class").write_parquet(tmp_path / "moments.parquet")
    paths = [tmp_path / "levels.csv", str(tmp_path / "moments.parquet")]
    model = sf.Model.from_statistics(paths, columns={"calm": None})
    assert {repr(block.likelihood) for block in model.schema.blocks} == {"Categorical(alpha='evidence')", "Gaussian()"}
    assert model.schema.unused == ("calm",)
    assert model.core.tally.weight.tolist() == [3, 3]


GOOD = {"class": ["a", "b"], "column": ["x", "x"], "level": ["u", "u"], "count": [1, 2]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"count": [1, -2]}, r"row 1: count must be a finite number ≥ 0: got -2\.0"),
        ({"count": [1, np.inf]}, r"row 1: count must be a finite number ≥ 0: got inf"),
        ({"count": [1, np.nan]}, "row 1: must contain either count, or n, mean and variance: got neither"),
        ({"class": ["a", "a"]}, "row 1: class 'a', column 'x', level 'u' is given twice. Add the two up"),
        (
            {"column": [None, None], "level": [None, None], "class": ["a", "a"]},
            "the number of rows of class 'a' is given twice",
        ),
        ({"column": [None, "x"]}, r"row 0: a row with a level must also name a column: got 'u'"),
        ({"column": [None, "x"], "level": [None, "u"]}, "given for some classes, but not for 'b'"),
        ({"column": ["x", 2.5]}, "row 1: column must be the name or the position of a column: got 2.5"),
        ({"n": [None, 3]}, "row 1: must contain either count, or n, mean and variance: got both"),
        (
            {"count": [1, None], "n": [None, 3], "level": ["u", None]},
            "column 'x' has counts of levels in one row and n",
        ),
        (
            {"count": None, "n": [3, 3], "mean": [1, 1], "variance": [0, 0]},
            "those of a column, not of a level: got 'u'",
        ),
        (
            {"count": None, "level": None, "n": [3, 3], "mean": [1, 1], "variance": [0, -1]},
            r"row 1: variance must be a finite number ≥ 0: got -1\.0",
        ),
        (
            {"count": None, "level": None, "n": [3, 3], "mean": [1, np.nan], "variance": [0, 0]},
            "row 1: mean must be a finite number: got None",
        ),
        (
            {"count": None, "level": None, "n": [3, 3], "mean": [1, 1]},
            "row 0: variance must be a finite number ≥ 0: got None",
        ),
        ({"count": None, "level": None, "n": [None, 3], "mean": [1, 1], "variance": [0, 0]}, "row 0: n must be"),
        (
            {"count": None, "level": None, "column": None, "n": [3, 3], "mean": [1, 1], "variance": [0, 0]},
            "a row with n, mean and variance must also name a column",
        ),
        (
            {"count": None, "level": None, "class": ["a", "a"], "n": [3, 3], "mean": [1, 1], "variance": [0, 0]},
            "class 'a', column 'x' is given twice",
        ),
        ({"varaince": [1, 2]}, r"no column 'varaince'\. Did you mean 'variance'\?"),
        ({"what": [1, 2]}, "Its columns are 'class', 'column', 'level'"),
        ({"class": None, "klass": ["a", "b"]}, "a table of totals needs the column 'class'"),
        ({"count": ["one", "two"]}, "'count'"),
    ],
)
def test_totals_that_cannot_be_are_refused_in_words(change, message):
    table = {name: values for name, values in {**GOOD, **change}.items() if values is not None}
    with pytest.raises(DataError, match=message):
        sf.Model.from_statistics(table)


def test_more_cells_than_rows_are_refused():
    rows = {"class": ["a", "b"], "count": [3, 1]}
    with pytest.raises(DataError, match=r"column 'x': class 'b' has 2 cells, more than its 1 rows") as caught:
        sf.Model.from_statistics([rows, GOOD])
    assert (caught.value.kind, caught.value.column) == ("totals", "x")
    moments = {"class": ["b", "a"], "column": ["y", "y"], "n": [1, 4], "mean": [0, 0], "variance": [1, 1]}
    with pytest.raises(DataError, match="column 'y': class 'a' has 4 cells, more than its 3 rows"):
        sf.Model.from_statistics([rows, moments])
    thirds = {**GOOD, "class": ["a"] * 3, "column": ["x"] * 3, "level": ["u", "v", "w"], "count": [0.1, 0.2, 0.7]}
    model = sf.Model.from_statistics([{"class": ["a"], "count": [1.0]}, thirds])  # the sum is 1 to rounding
    assert model.core.tally.weight.tolist() == [1]


def test_likelihoods_that_totals_do_not_suffice_for():
    with pytest.raises(ParameterError, match=r"column 'x': Histogram\(\) needs more than totals"):
        sf.Model.from_statistics(GOOD, columns={"x": "histogram"})
    with pytest.raises(ParameterError, match=r"Gaussian\(\) needs n, mean and variance, which the totals do not have"):
        sf.Model.from_statistics(GOOD, columns="gaussian")
    with pytest.raises(DataError, match=r"Bernoulli\(\) needs levels that are numbers or booleans: got 'u'"):
        sf.Model.from_statistics(GOOD, columns="bernoulli")
    with pytest.raises(ParameterError, match="Did you mean 'x'"):
        sf.Model.from_statistics(pd.DataFrame(GOOD), columns={"xx": "categorical"})
    like = sf.Model.from_statistics(GOOD)
    other = {**GOOD, "column": ["y", "y"]}
    with pytest.raises(DataError, match="totals lack column 'x', which the model has"):
        sf.Model.from_statistics(other, like=like)
    with pytest.raises(DataError, match="totals contain column 'y', which the model does not have"):
        sf.Model.from_statistics([GOOD, other], like=like)
    with pytest.raises(DataError, match="class 'b' is not among the declared classes"):
        sf.Model.from_statistics(GOOD, classes=["a"])
    with pytest.raises(ParameterError, match="like must be a model"):
        sf.Model.from_statistics(GOOD, like="model")


def test_a_model_of_totals_is_like_any_other():
    model = sf.Model.from_statistics(GOOD)
    more = model.update({"x": ["v", "u"]}, ["a", "b"])
    assert [each.count for each in more.counts("x")] == [2, 3, 1, 1, 3, 0]
    assert more - model == sf.fit({"x": ["v", "u"]}, ["a", "b"], like=model, calibrate=False)
