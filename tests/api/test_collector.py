"""The collector: rows as they come, the model of all of them, and nothing lost when one is bad."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import re
import threading
import tracemalloc
from collections import namedtuple

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import suffice.api.collector as module
from suffice.api import Collector, fit
from suffice.errors import (
    DataError,
    DroppedRowsWarning,
    IgnoredColumnsWarning,
    MergeError,
    MissingColumnsWarning,
    ParameterError,
)
from suffice.likelihoods import Bernoulli, Categorical, Gaussian, Multinomial, Poisson

RNG = np.random.default_rng(5)
X = RNG.normal(size=(40, 3))
Y = RNG.choice(["a", "b"], 40).tolist()
RECORDS = [
    {"height": float(x[0]), "fur": "black" if x[1] > 0 else "white", "wet": bool(x[2] > 0), "visits": k % 5}
    for k, x in enumerate(X)
]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(module, "BLOCK", 16)
    monkeypatch.setattr(module, "_SMALL", 8)


def alike(left, right, data):
    """The same counts to the bit, and scores to 1e-12."""
    assert left.schema == right.schema
    assert left.core.tally == right.core.tally
    for mine, theirs in zip(left.core.parts, right.core.parts, strict=True):
        for one, other in zip(mine, theirs, strict=True):
            if hasattr(one, "dp"):
                np.testing.assert_allclose(one.weight, other.weight, rtol=0)
                np.testing.assert_allclose(one.mean, other.mean, rtol=1e-12)
                np.testing.assert_allclose(one.dp, other.dp, rtol=1e-12)
            else:
                assert one == other
    np.testing.assert_allclose(left.log_joint(data), right.log_joint(data), rtol=1e-12)


def fails(kind, text, call):
    with pytest.raises(kind, match=f"^{re.escape(text)}$"):
        call()


ROWS = {
    "array": lambda k: X[k],
    "list": lambda k: X[k].tolist(),
    "tuple": lambda k: tuple(X[k].tolist()),
    "named tuple": lambda k: namedtuple("Row", "p q r")(*X[k]),
    "masked": lambda k: np.ma.array(X[k]),
    "swapped bytes": lambda k: X[k].astype(">f8"),
    "objects": lambda k: X[k].astype(object),
    "series": lambda k: pd.Series(X[k]),
}


@pytest.mark.parametrize("kind", ROWS)
@pytest.mark.parametrize("rows", [1, 15, 16, 17, 40])
def test_rows_one_by_one_are_one_fit(kind, rows):
    collector = Collector(Gaussian())
    for k in range(rows):
        collector.add_row(ROWS[kind](k), Y[k])
    alike(collector.model(), fit(X[:rows], Y[:rows], columns=Gaussian(), calibrate=False), X)
    assert len(collector) == collector.rows == rows


def test_rows_by_name_are_one_fit_with_an_inferred_schema():
    collector = Collector()
    for record, label in zip(RECORDS[:16], Y, strict=False):
        collector.add_row(record, label)
    first = fit(RECORDS[:16], Y[:16], calibrate=False)
    assert collector.model() == first
    for record, label in zip(RECORDS[16:], Y[16:], strict=True):
        collector.add_row(record, label)
    alike(collector.model(), fit(RECORDS, Y, like=first, calibrate=False), RECORDS)


def test_before_the_first_block_a_model_is_that_of_fit_and_binds_nothing():
    collector = Collector()
    collector.add_row({"n": 1}, "a")
    collector.add_row({"n": 2}, "b")
    assert collector.model() == fit([{"n": 1}, {"n": 2}], ["a", "b"], calibrate=False)  # two whole numbers: levels
    numbers = [{"n": k * 17 % 31} for k in range(14)]
    for k, record in enumerate(numbers):
        collector.add_row(record, "ab"[k % 2])
    first = [{"n": 1}, {"n": 2}, *numbers]
    assert collector.model() == fit(first, ["a", "b"] * 8, calibrate=False)  # many: a quantity
    assert "Numeric" in repr(collector)


BATCHES = {
    "array": lambda a, b: X[a:b],
    "list of rows": lambda a, b: X[a:b].tolist(),
    "frame": lambda a, b: pd.DataFrame(X[a:b], columns=["p", "q", "r"]),
    "columns": lambda a, b: dict(zip("pqr", X[a:b].T, strict=True)),
    "records": lambda a, b: [dict(zip("pqr", row, strict=True)) for row in X[a:b].tolist()],
    "sparse": lambda a, b: sparse.csr_matrix(X[a:b]),
    "masked": lambda a, b: np.ma.array(X[a:b]),
}


@pytest.mark.parametrize("kind", BATCHES)
@pytest.mark.parametrize("size", [1, 3, 7, 8, 15, 16, 40])
def test_batches_of_any_kind_and_size_are_one_fit(kind, size):
    collector = Collector(Gaussian())
    weights = np.arange(40) % 3 + 1
    for start in range(0, 40, size):
        part = slice(start, start + size)
        collector.add(BATCHES[kind](start, start + size), Y[part], weights[part])
    whole = BATCHES[kind](0, 40)
    alike(collector.model(), fit(whole, Y, columns=Gaussian(), weights=weights, calibrate=False), whole)
    assert collector.rows == 40


def test_a_frame_may_hold_its_target_and_weights():
    def frame(start, end):
        return {"x": X[start:end, 0], "label": Y[start:end], "w": np.arange(start, end)}

    collector = Collector(Gaussian())
    for start, end in ((0, 5), (5, 10), (10, 30), (30, 40)):
        collector.add(frame(start, end), "label", "w")
    alike(collector.model(), fit(frame(0, 40), "label", columns=Gaussian(), weights="w", calibrate=False), frame(0, 40))


def test_one_row_as_a_batch_takes_a_label_of_an_array_too():
    collector = Collector(Gaussian())
    for k in range(40):
        collector.add(X[k : k + 1], np.array([Y[k]]))
    alike(collector.model(), fit(X, Y, columns=Gaussian(), calibrate=False), X)


def test_a_row_belongs_to_the_collector_once_it_is_added():
    collector = Collector(Gaussian())
    array, cells, batch = np.array([1.0, 2.0]), [3.0, 4.0], np.array([[5.0, 6.0]])
    collector.add_row(array, "a")
    collector.add_row(cells, "a")
    collector.add(batch, ["a"])
    array[:], cells[:], batch[:] = 99.0, [99.0, 99.0], 99.0
    alike(
        collector.model(),
        fit(np.array([[1.0, 2], [3, 4], [5, 6]]), ["a"] * 3, columns=Gaussian(), calibrate=False),
        np.zeros((1, 2)),
    )


def test_cells_are_what_fit_takes_them_for():
    # Levels of every kind, quantities with gaps, long whole numbers, NumPy's scalars, dates, and mixtures of them.
    records = [
        {
            "text": "ab"[k % 2] if k % 5 else None,
            "bool": k % 3 == 0 if k % 4 else None,
            "whole": k % 3 if k % 7 else float("nan"),
            "few": k % 2,
            "real": k / 7 if k % 6 else None,
            "long": 2**70 + k % 2,
            "mixed": [1, "1", True, 1.5][k % 4],
            "both": [1, 2.5][k % 2],
            "scalar": np.float64(k / 3),
            "int8": np.int8(k % 3),
            "date": np.datetime64("2026-01-01") + k,
            "moment": np.datetime64("2026-01-01T00:00:00", "ns") + k,  # whose item is an int
            "wide": np.longdouble(k) / 3,
            "empty": None,
        }
        for k in range(30)
    ]
    collector = Collector()
    for record, label in zip(records[:16], Y, strict=False):
        collector.add_row(record, label)
    first = fit(records[:16], Y[:16], calibrate=False)
    assert collector.model().schema == first.schema
    assert collector.model().schema.left_out == first.schema.left_out
    collector.add(records[16:], Y[16:30])
    alike(collector.model(), fit(records, Y[:30], like=first, calibrate=False), records)


def test_forms_may_be_mixed():
    collector = Collector(Gaussian())
    collector.add_row(dict(zip("pqr", X[0], strict=True)), Y[0])
    collector.add_row(X[1], Y[1])
    collector.add_row(X[2].tolist(), Y[2])
    collector.add_row(X[3].astype(np.float32).astype(float), Y[3])
    collector.add_row((X[4] * 0).astype(int), Y[4])
    rows = np.vstack([X[:3], X[3].astype(np.float32), np.zeros(3)])
    expected = fit(dict(zip("pqr", rows.T, strict=True)), Y[:5], columns=Gaussian(), calibrate=False)
    alike(collector.model(), expected, dict(zip("pqr", rows.T, strict=True)))


def test_names_may_come_until_the_schema_is_known_and_are_left_out_after():
    collector = Collector()
    for k in range(15):
        collector.add_row({"p": k / 2}, "a")
    collector.add_row({"q": "black", "p": 1.5}, "b")
    assert collector.model().schema.names == ("p", "q")
    collector.add_row({"p": 0.5, "q": "white", "r": 3}, "b")
    collector.add_row({"q": "white"}, "b")
    with pytest.warns(IgnoredColumnsWarning, match="'r': 1 column"):
        model = collector.model()
    assert model.schema.names == ("p", "q")
    records = [*({"p": k / 2} for k in range(15)), {"q": "black", "p": 1.5}, {"p": 0.5, "q": "white"}, {"q": "white"}]
    alike(model, fit(records, ["a"] * 15 + ["b"] * 3, like=model, calibrate=False), records)


@pytest.mark.parametrize("rows", [3, 5000])
def test_columns_that_the_schema_lacks_are_named_once(rows):
    collector = Collector(like=fit({"p": [1.0, 2.0]}, ["a", "b"], columns=Gaussian(), calibrate=False))
    frame = {"p": [1.0, 2.0] * rows, "more": [3] * 2 * rows}

    def whole():
        collector.add(frame, ["a", "b"] * rows)
        return collector.model()

    with pytest.warns(IgnoredColumnsWarning, match="'more': 1 column") as caught:
        whole()
    assert len(caught) == 1
    assert len(collector) == 2 * rows


def test_a_large_batch_brings_the_schema_and_takes_in_what_waits():
    collector = Collector()
    collector.add_row([1.0, 2.0, 3.0], "a")
    collector.add(X, Y)
    assert collector.rows == 41
    whole = np.vstack([[1.0, 2, 3], X])
    alike(collector.model(), fit(whole, ["a", *Y], calibrate=False), X)


def test_a_frame_of_coded_numbers_is_counted_at_once():
    frame = pd.DataFrame({"zip": pd.Categorical([1, 2, 1, 3])})
    collector = Collector()
    collector.add(frame, list("aabb"))
    assert collector.model() == fit(frame, list("aabb"), calibrate=False)
    times = pd.DataFrame({"t": pd.date_range("2026-01-01", periods=4), "x": [1.5, 2, 3, 4]})
    collector = Collector()
    collector.add(times, list("aabb"))
    collector.add(times, list("aabb"))
    both = pd.concat([times, times])
    alike(collector.model(), fit(both, list("aabb") * 2, calibrate=False), both)


@pytest.mark.parametrize("library", [pd, pl])
def test_small_frames_of_text_and_numbers_are_one_fit(library):
    frame = library.DataFrame({name: [record[name] for record in RECORDS] for name in RECORDS[0]} | {"label": Y})
    collector = Collector()
    for start in range(0, 40, 5):
        collector.add(frame[start : start + 5], "label")
    model = collector.model()
    assert (
        model.schema == fit(frame[:20], "label", calibrate=False).schema
    )  # of the first block, which the fourth batch fills
    alike(model, fit(frame, "label", like=model, calibrate=False), frame)


def test_like_takes_everything_from_a_model():
    model = fit(X, Y, columns=Gaussian(), class_prior="uniform", estimate="map", calibrate=False)
    collector = Collector(like=model)
    assert collector.model() == model - model
    for x, label in zip(X, Y, strict=True):
        collector.add_row(x, label)
    alike(collector.model() + model, model + model, X)


def test_what_is_forgotten_was_never_seen():
    collector = Collector(Categorical())
    x = (X > 0).astype(int)
    for k in range(20):
        collector.add_row(x[k], Y[k])
    collector.forget(x[:7], Y[:7])
    assert collector.model() == fit(x[7:20], Y[7:20], columns=Categorical(), calibrate=False)
    assert len(collector) == 13
    before = collector.model()
    fails(
        MergeError,
        "cannot remove rows that were not added: class 'c' has weight 0.0, but 1.0 would be removed. "
        "Remove only rows that were added, with the same weights.",
        lambda: collector.forget(x[:1], ["c"]),
    )
    assert collector.model() == before


def test_the_buffer_never_exceeds_its_block(monkeypatch):
    monkeypatch.setattr(module, "BLOCK", 64)
    collector = Collector(Gaussian())
    most = 0
    for k in range(1000):
        collector.add_row(X[k % 40], "a")
        collector.add(X[:5], Y[:5])
        most = max(most, len(collector._waiting))
    assert 32 < most < 64
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for k in range(20_000):
        collector.add_row(X[k % 40], "a")
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 500_000  # 20,000 rows would be over 2 MB


def test_a_bad_row_is_named_and_left_out_and_every_other_row_is_kept():
    collector = Collector(Gaussian())
    for k in range(20):
        collector.add_row(X[k], Y[k])
    bad = X[20].copy()
    bad[1] = np.inf
    collector.add_row(bad, "a")
    for k in range(21, 31):
        collector.add_row(X[k], Y[k])
    text = (
        "row 20, column 1: values must be finite, or NaN if missing: got inf. The row was dropped; all other "
        "rows were kept. Replace it, or use columns={1: Histogram()}, which accepts ±inf."
    )
    fails(DataError, text, lambda: collector.add_row(X[31], Y[31]))  # the 32nd fills the block
    assert len(collector) == 31
    kept = [k for k in range(32) if k != 20]
    alike(collector.model(), fit(X[kept], [Y[k] for k in kept], columns=Gaussian(), calibrate=False), X)


@pytest.mark.parametrize("name", ["row 0", "it's row 0"])
def test_a_bad_row_keeps_the_name_of_its_column_whatever_that_is(name):
    collector = Collector({name: Gaussian()})
    for k in range(30):
        collector.add_row({name: "x" if k == 20 else float(k)}, "ab"[k % 2])
    with pytest.raises(DataError) as caught:
        collector.model()
    assert (caught.value.row, caught.value.column, caught.value.got) == (20, name, "x")
    assert len(collector) == 29


def test_several_bad_rows_are_counted_and_the_first_is_explained():
    collector = Collector(Poisson())
    for k in range(10):
        collector.add_row([1.0, 0.5 if k in (3, 8) else 2.0], "a")
    text = (
        "row 3, column 1: Poisson counts must be integers: got 0.5. 2 such rows were dropped: 3, 8; all other "
        "rows were kept. Round it, or use columns={1: Numeric()}."
    )
    fails(DataError, text, collector.model)
    assert collector.model() == fit(np.array([[1.0, 2.0]] * 8), ["a"] * 8, columns=Poisson(), calibrate=False)


def test_bad_rows_before_the_schema_is_known_do_not_shape_it():
    collector = Collector()
    for k in range(15):
        collector.add_row({"x": k / 7, "y": [1, 2] if k == 4 else k / 3}, "a")
    text = (
        "row 4, column 'y': lists, structs, maps and bytes are not supported. The row was dropped; all other rows "
        "were kept. Extract values from it, or exclude it with columns={'y': None}."
    )
    fails(DataError, text, lambda: collector.add_row({"x": 0.5, "y": 0.5}, "b"))
    records = [{"x": k / 7, "y": k / 3} for k in range(15) if k != 4] + [{"x": 0.5, "y": 0.5}]
    alike(collector.model(), fit(records, ["a"] * 14 + ["b"], calibrate=False), records)


def test_a_block_of_nothing_but_bad_rows_is_left_out_and_the_collector_goes_on():
    collector = Collector(Gaussian())
    for _ in range(15):
        collector.add_row(["a"], "x")
    with pytest.raises(
        DataError,
        match=(
            r"^row 0, column 0: must be a number: got 'a'\. 16 such rows were dropped: 0, 1, 2, 3, 4, …; all "
            r"other rows were kept\. Use columns=\{0: Categorical\(\)\} for categories, or exclude it with "
            r"columns=\{0: None\}\."
        ),
    ):
        collector.add_row(["a"], "x")
    assert len(collector) == 0
    fails(
        DataError,
        "the collector has no rows, so its columns are unknown. Add rows first, or pass like=.",
        collector.model,
    )
    collector.add_row([1.0], "x")
    assert collector.model() == fit(np.array([[1.0]]), ["x"], columns=Gaussian(), calibrate=False)


def test_a_row_that_only_the_sum_cannot_take_is_the_bad_one():
    text = (
        "row 2: dp must be finite and ≥ 0: class 'a', column 0 has inf. Rescale the column, or model it with a "
        "histogram. The row was dropped; all other rows were kept."
    )
    for before in (0, 16):  # without a schema, and with one
        collector = Collector(Gaussian())
        collector.add(np.arange(before, dtype=float)[:, None], ["a"] * before)
        for value in (1.0, 2.0, 1e200, 3.0):
            collector.add_row([value], "a")
        fails(DataError, text.replace("row 2", f"row {before + 2}"), collector.model)
        rows = np.array([*range(before), 1.0, 2.0, 3.0])[:, None]
        alike(collector.model(), fit(rows, ["a"] * len(rows), columns=Gaussian(), calibrate=False), rows)


def test_a_batch_with_a_bad_row_is_added_whole_or_not_at_all():
    collector = Collector(Gaussian())
    collector.add(X[:16], Y[:16])
    before = collector.model()
    bad = X[16:32].copy()
    bad[3, 0] = np.inf
    fails(
        DataError,
        "row 3, column 0: values must be finite, or NaN if missing: got inf. Replace it, or use columns={0: "
        "Histogram()}, which accepts ±inf.",
        lambda: collector.add(bad, Y[16:32]),
    )
    assert collector.model() == before
    assert len(collector) == 16


def test_an_error_about_an_earlier_row_loses_nothing_of_the_batch_that_showed_it():
    collector = Collector(Gaussian())
    collector.add_row([np.inf, 0.0, 0.0], "a")
    collector.add(X[:10], Y[:10])
    with pytest.raises(
        DataError,
        match=(
            r"^row 0, column 0: values must be finite, or NaN if missing: got inf\. The row was dropped; all "
            r"other rows were kept\. Replace it, or use columns=\{0: Histogram\(\)\}, which accepts ±inf\."
        ),
    ):
        collector.add(X[10:20], Y[10:20])
    alike(collector.model(), fit(X[:20], Y[:20], columns=Gaussian(), calibrate=False), X)


def test_columns_that_do_not_fit_the_rows_are_said_as_early_as_can_be():
    fails(
        ParameterError,
        "columns must be a likelihood: got 'gausian'. Did you mean 'gaussian'?",
        lambda: Collector("gausian"),
    )
    collector = Collector({7: Gaussian()})
    fails(
        ParameterError,
        "column 7 is not in the data: there are 3 columns, numbered 0 to 2.",
        lambda: collector.add_row(X[0], "a"),
    )
    assert len(collector) == 0


def test_a_block_that_has_no_schema_waits_and_takes_no_more():
    collector = Collector({"amount": Gaussian()})
    for _ in range(15):
        collector.add_row({"amuont": 1.0}, "a")
    text = "column 'amount' is not in the data. Did you mean 'amuont'?"
    fails(ParameterError, text, lambda: collector.add_row({"amuont": 1.0}, "a"))
    for _ in range(3):
        fails(ParameterError, text, lambda: collector.add_row({"amuont": 1.0}, "a"))
        fails(ParameterError, text, lambda: collector.add([{"amuont": 1.0}], ["a"]))
    assert len(collector) == 16
    half = Collector({"amount": Gaussian()})
    half.add([{"amuont": 1.0}] * 10, ["a"] * 10)
    fails(ParameterError, text, lambda: half.add([{"amuont": 1.0}] * 10, ["a"] * 10))
    assert len(half) == 10


def test_rows_without_a_class_are_left_out_and_counted():
    collector = Collector(Gaussian())
    for k, label in enumerate(["a", None, "b", float("nan"), pd.NA]):
        collector.add_row(X[k], label)
    collector.add(X[5:8], ["a", None, "b"])
    with pytest.warns(DroppedRowsWarning) as caught:
        collector.model()
    collector.forget(X[:1], ["a"])
    assert [str(each.message) for each in caught] == [
        "4 rows have no class and were dropped. Pass their classes, or remove the rows."
    ]
    assert collector.rows == 3
    alike(collector.model(), fit(X[[2, 5, 7]], ["b", "a", "b"], columns=Gaussian(), calibrate=False), X)


def test_a_column_that_no_row_of_a_block_has_is_warned_of():
    collector = Collector()
    for record, label in zip(RECORDS[:16], Y, strict=False):
        collector.add_row(record, label)
    collector.add_row({"height": 1.0, "fur": "black", "visits": 1}, "a")
    with pytest.warns(MissingColumnsWarning) as caught:
        collector.model()
    assert str(caught[0].message) == (
        "column 'wet': 1 of the 4 columns in use are not in the last row and were treated as missing. Add them, "
        "or rename the keys of the rows."
    )
    collector.model()
    collector.add_row({"height": 1.0, "fur": "black", "visits": 1}, "a")
    collector.add_row(RECORDS[0], "a")
    collector.model()  # one row has it


@pytest.mark.parametrize(
    ("text", "call"),
    [
        (
            "row 1: a row must have a value for each of the 3 columns: got 2. Give a value for every column, None "
            "if missing, or a mapping {name: value}.",
            lambda c: c.add_row([1.0, 2.0], "a"),
        ),
        ("row 1: a row must be 1-D: got (1, 3). Add several rows with add(...).", lambda c: c.add_row(X[:1], "a")),
        (
            "row 1: a row must be a mapping {name: value}, or a 1-D array, list or tuple of values: got 'abc'. "
            "Add several rows with add(...).",
            lambda c: c.add_row("abc", "a"),
        ),
        (
            "row 1: the row contains none of the columns 0, 1, 2: its keys are 'x'. Rename its keys, or give the "
            "values in the order of the columns.",
            lambda c: c.add_row({"x": 1.0}, "a"),
        ),
        (
            "row 1: class labels must be integers, booleans or strings: got 1.5. Bin a real-valued target into "
            "classes, or convert it to strings.",
            lambda c: c.add_row(X[0], 1.5),
        ),
        (
            "row 1: weights must be finite and ≥ 0: got -1. Omit the row, or remove rows with forget(...).",
            lambda c: c.add_row(X[0], "a", -1),
        ),
        (
            "row 2: weights must be finite and ≥ 0: got nan. Omit the row, or remove rows with forget(...).",
            lambda c: c.add(X[:3], list("aab"), [1, np.nan, 1]),
        ),
        ("target must have one label per row: got 2 labels for 1 row.", lambda c: c.add(X[:1], ["a", "b"])),
        (
            "data must be 2-D, rows × columns: got an array of shape (3,). Use data.reshape(-1, 1) for one column.",
            lambda c: c.add(X[0], ["a"]),
        ),
    ],
)
def test_what_cannot_be_added_is_refused_at_once_and_changes_nothing(text, call):
    collector = Collector(Gaussian())
    collector.add_row(X[0], "a")
    fails(DataError, text, lambda: call(collector))
    assert len(collector) == 1
    assert collector.model() == fit(X[:1], ["a"], columns=Gaussian(), calibrate=False)


def test_a_label_that_is_none_is_refused():
    moment = np.datetime64("2026-01-01T00:00:00", "ns")
    for label in ({"a": 1}, moment):
        with pytest.raises(DataError, match=r"^row 0: class labels must be") as caught:
            Collector(Gaussian()).add_row([1.0], label)
        assert (caught.value.kind, caught.value.got) == ("bad_label", label)
    with pytest.raises(DataError, match=r"^class labels must be"):
        Collector(Gaussian()).add(np.array([[1.0]]), np.array([moment]))


def test_like_is_alone():
    fails(
        ParameterError,
        "columns cannot be combined with like, which already specifies them. Leave out columns= or like=.",
        lambda: Collector(Gaussian(), like=fit(X, Y, columns=Gaussian(), calibrate=False)),
    )


def test_nothing_can_be_forgotten_of_nothing():
    fails(
        DataError,
        "the collector has no rows, so its columns are unknown. Add rows first, or pass like=.",
        lambda: Collector(Gaussian()).forget(X, Y),
    )


def test_it_shows_what_it_has():
    collector = Collector(Bernoulli())
    collector.add_row([1, 0], "a")
    assert repr(collector) == (
        "Collector of 1 row, 1 buffered\n  the schema will be inferred from the first 16 rows\n"
        "  estimate: predictive, class prior: empirical"
    )
    for _ in range(1200):
        collector.add_row([1, 0], "a")
    assert repr(collector) == (
        "Collector of 1,201 rows, 1 buffered\n  2 columns\n    0–1: Bernoulli()\n"
        "  estimate: predictive, class prior: empirical"
    )


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))])  # noqa: S301
def test_a_copy_goes_on_by_itself(again):
    for rows in (3, 20):
        collector = Collector(Gaussian())
        for k in range(rows):
            collector.add_row(X[k], Y[k])
        other = again(collector)
        other.add_row(X[rows], Y[rows])
        assert (len(collector), len(other)) == (rows, rows + 1)
        alike(collector.model(), fit(X[:rows], Y[:rows], columns=Gaussian(), calibrate=False), X)
        alike(other.model(), fit(X[: rows + 1], Y[: rows + 1], columns=Gaussian(), calibrate=False), X)


def test_threads_lose_nothing():
    collector = Collector(Categorical())
    x = (X > 0).astype(int)

    def work(at):
        for k in range(500):
            collector.add_row(x[(at + k) % 40], "ab"[k % 2])
            if k % 100 == 0:
                collector.model()

    threads = [threading.Thread(target=work, args=(10 * at,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(collector) == 2000
    rows = np.array([x[(10 * at + k) % 40] for at in range(4) for k in range(500)])
    assert collector.model() == fit(rows, ["a", "b"] * 1000, columns=Categorical(), calibrate=False)


def _in_child(collector, pipe):
    collector.add_row(X[0], "a")
    pipe.send(len(collector))


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_goes_on_although_another_thread_was_adding_when_it_was_made():
    context = multiprocessing.get_context("fork")
    collector = Collector(Gaussian())
    stop = threading.Event()

    def work():
        k = 0
        while not stop.is_set():
            collector.add_row(X[k % 40], "a")
            k += 1

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(10):
            mine, theirs = context.Pipe(duplex=False)
            child = context.Process(target=_in_child, args=(collector, theirs))
            child.start()
            assert mine.poll(20), "the child hangs"
            assert mine.recv() > 0
            child.join(20)
            assert child.exitcode == 0
    finally:
        stop.set()
        thread.join()


def test_a_stream_of_sparse_rows():
    counts = sparse.random(60, 500, density=0.02, random_state=0, format="csr")
    counts.data = np.ceil(counts.data * 5)
    labels = (["a", "b"] * 30)[:60]
    collector = Collector(Multinomial())
    for k in range(60):
        collector.add(counts[k : k + 1], labels[k : k + 1])
    assert collector.model() == fit(counts, labels, columns=Multinomial(), calibrate=False)
