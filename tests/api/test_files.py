"""Files of every format, in batches of any size: the model is that of the same rows in memory."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice.sources.files import batches, blocks, columnar

COLUMNS = {
    "city": sf.Categorical(),
    "rooms": sf.Categorical(),
    "price": sf.Numeric(),
    "size": sf.Gaussian(),
    "garden": sf.Bernoulli(),
    "calls": sf.Poisson(),
}
N = 240
ROWS = pl.DataFrame(
    {
        "city": [None if k % 11 == 5 else ["Aarau", "Bern", "Zürich, ZH", 'La "Chaux"'][k * k % 4] for k in range(N)],
        "rooms": [None if k % 13 == 7 else 1 + k % 5 for k in range(N)],
        "price": [None if k % 7 == 3 else 1e6 + 100.25 + (k * 37 % 29) / 8 for k in range(N)],
        "size": [(k * 7919 % 1009) / 3 for k in range(N)],
        "garden": [None if k % 17 == 2 else k % 3 == 0 for k in range(N)],
        "calls": [k * k % 7 for k in range(N)],
        "sold": [["yes", "no", "later"][(k * k + k // 3) % 3] for k in range(N)],
        "weight": [1.0 + k % 3 / 4 for k in range(N)],
    }
)


def bytes_of(frame, write):
    kept = io.BytesIO()
    getattr(frame, write)(kept)
    return kept.getvalue()


FORMATS = {
    "rows.csv": lambda frame: bytes_of(frame, "write_csv"),
    "rows.tsv": lambda frame: frame.write_csv(separator="\t").encode(),
    "rows.csv.gz": lambda frame: gzip.compress(bytes_of(frame, "write_csv")),
    "rows.ndjson": lambda frame: bytes_of(frame, "write_ndjson"),
    "rows.parquet": lambda frame: bytes_of(frame, "write_parquet"),
    "rows.arrow": lambda frame: bytes_of(frame, "write_ipc"),
}


def small(patch, size):
    """Let batches be of about so many bytes, cells or rows."""
    patch.setattr(blocks, "_BLOCK", size)
    patch.setattr(batches, "_CELLS", size)
    patch.setattr(columnar, "_ROWS", max(1, size // 20))


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small(monkeypatch, 500)


def close(found, expected):
    """Hold means to 1e-12 of what the column holds, and squared deviations to 1e-12 and to what that does to them."""
    weight, mean, dp = expected.weight, expected.mean, expected.dp
    scale = np.abs(mean) + np.sqrt(dp / np.maximum(weight, 1))
    np.testing.assert_array_equal(found.weight, weight)
    assert (np.abs(found.mean - mean) <= 1e-12 * scale).all()
    assert (np.abs(found.dp - dp) <= 1e-12 * dp + weight * (1e-12 * scale) ** 2).all()


def same(found, expected):
    """Say whether counts agree to the last bit, and moments to 1e-12."""
    ours, theirs = found.core, expected.core
    assert found.schema == expected.schema
    assert found.classes == expected.classes
    assert ours.reading.estimate == theirs.reading.estimate
    np.testing.assert_allclose(ours.tally.weight, theirs.tally.weight, rtol=1e-12)
    for mine, yours in zip(ours.parts, theirs.parts, strict=True):
        for a, b in zip(mine, yours, strict=True):
            assert type(a) is type(b)
            one, other = a.to_arrays(), b.to_arrays()
            assert one.keys() == other.keys()
            if type(a) is sf.statistics.Moments:
                close(a, b)
                continue
            for name, array in one.items():
                np.testing.assert_array_equal(array, other[name], err_msg=name)
    return True


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("columns", [COLUMNS, None])
def test_a_fit_of_a_file_is_that_of_its_rows(name, columns):
    rows = ROWS.drop("weight")
    Path(name).write_bytes(FORMATS[name](rows))
    assert same(
        sf.fit(name, "sold", columns=columns, calibrate=False), sf.fit(rows, "sold", columns=columns, calibrate=False)
    )


@pytest.mark.parametrize("name", FORMATS)
def test_a_column_may_hold_the_weights(name):
    Path(name).write_bytes(FORMATS[name](ROWS.with_columns(weight=pl.col("rooms").fill_null(0))))
    expected = sf.fit(ROWS.drop("weight"), "sold", columns=COLUMNS, weights=ROWS["rooms"].fill_null(0), calibrate=False)
    model = sf.fit(name, "sold", columns=COLUMNS, weights="weight", calibrate=False)
    assert same(model, expected)
    assert (model.provenance.target, model.provenance.weights) == ("sold", "weight")
    assert same(model.update(name), expected.scale(2))


@pytest.mark.parametrize("name", FORMATS)
def test_scores_of_a_file_are_those_of_its_rows_to_the_last_bit(name):
    rows = ROWS.drop("weight")
    model = sf.fit(rows[:150], "sold", columns=COLUMNS, calibrate=False)
    Path(name).write_bytes(FORMATS[name](rows))  # with the class, which nobody asks for
    for method in ("predict", "predict_proba", "predict_log_proba", "log_joint", "log_density"):
        np.testing.assert_array_equal(getattr(model, method)(name), getattr(model, method)(rows))
    Path(name).write_bytes(FORMATS[name](rows.select("calls", "size", "rooms", "city", "price", "garden")))
    np.testing.assert_array_equal(model.predict_proba(Path(name)), model.predict_proba(rows))


@pytest.mark.parametrize("name", FORMATS)
def test_rows_come_and_go_by_file(name):
    rows = ROWS.drop("weight")
    Path(f"a-{name}").write_bytes(FORMATS[name](rows[:100]))
    Path(f"b-{name}").write_bytes(FORMATS[name](rows[100:]))
    first, rest = (
        sf.fit(f"a-{name}", "sold", columns=COLUMNS, calibrate=False),
        sf.fit(rows[100:], "sold", columns=COLUMNS, calibrate=False),
    )
    whole = sf.fit(rows, "sold", columns=COLUMNS, calibrate=False)
    assert same(first.update(f"b-{name}"), whole)
    assert same(first.update(f"b-{name}", "sold"), whole)
    assert same(first + sf.fit(f"b-{name}", "sold", like=first, calibrate=False), whole)
    assert same(sf.fit(f"?-{name}", "sold", columns=COLUMNS, calibrate=False), whole)
    forgotten = whole.forget(f"a-{name}")
    assert forgotten.classes == rest.classes
    np.testing.assert_allclose(forgotten.predict_proba(rows), rest.predict_proba(rows), rtol=1e-9, atol=1e-9)
    with pytest.raises(sf.errors.MergeError):
        first.forget(f"b-{name}")


rows_drawn = st.lists(
    st.tuples(
        st.sampled_from([None, "Aarau", "Bern", "a,b", 'say "x"', "l\nl"]),
        st.one_of(st.none(), st.integers(-3, 3)),
        st.one_of(st.none(), st.floats(-1e6, 1e6), st.floats(allow_nan=False, allow_infinity=False, width=16)),
        st.one_of(st.none(), st.booleans()),
        st.sampled_from(["yes", "no", "é"]),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=60,
)
SCHEMA = {
    "city": pl.String,
    "rooms": pl.Int64,
    "price": pl.Float64,
    "garden": pl.Boolean,
    "sold": pl.String,
    "weight": pl.Int64,
}


@given(rows_drawn, st.sampled_from(sorted(FORMATS)), st.integers(20, 400), st.booleans())
def test_any_rows_in_blocks_of_any_size_make_the_same_model(rows, name, size, weighted):
    frame = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    columns = {name: COLUMNS[name] for name in ("city", "rooms", "price", "garden")}
    weights = frame["weight"] if weighted else None
    expected = sf.fit(frame.drop("weight"), "sold", columns=columns, weights=weights, calibrate=False)
    types = {"city": "text", "rooms": "integer", "price": "float", "garden": "bool", "sold": "text"}
    frame = frame if weighted else frame.drop("weight")
    Path(name).write_bytes(FORMATS[name](frame))
    with pytest.MonkeyPatch.context() as patch:
        small(patch, size)
        model = sf.fit(
            sf.Files(name, types=types),
            "sold",
            columns=columns,
            weights="weight" if weighted else None,
            calibrate=False,
        )
        assert same(model, expected)
        assert model.provenance.rows == len(rows)
        if not weighted:  # of rows without weight levels are not known, and a warning says so
            scores = model.predict_proba(sf.Files(name, types=types))
            np.testing.assert_array_equal(scores, model.predict_proba(frame))


@pytest.mark.parametrize("name", FORMATS)
def test_the_size_of_a_block_changes_nothing(name, monkeypatch):
    Path(name).write_bytes(FORMATS[name](ROWS))
    models = []
    for size in (60, 700, 1 << 23):
        small(monkeypatch, size)
        models.append(sf.fit(name, "sold", weights="weight", calibrate=False))
    for other in models[1:]:
        assert same(other, models[0])


def test_the_first_rows_decide_whatever_the_size_of_a_block(monkeypatch):
    monkeypatch.setattr("suffice.sources.files.rows.HEAD", 50)
    first = pl.DataFrame({"x": [k % 3 for k in range(50)], "y": ["ab"[k % 2] for k in range(50)]})
    later = pl.DataFrame({"x": [k + 0.5 for k in range(50)], "y": ["a"] * 50})
    for name in ("rows.csv", "rows.ndjson"):
        Path(name).write_bytes(FORMATS[name](first) + FORMATS[name](later).removeprefix(b"x,y\n"))
        models = []
        for size in (40, 200, 1 << 20):
            small(monkeypatch, size)
            models.append(sf.fit(name, "y", calibrate=False))
        assert repr(models[0].schema) == "1 column\n  'x': Categorical(alpha='evidence')"
        assert same(models[1], models[0])
        assert same(models[2], models[0])


@pytest.mark.parametrize("name", FORMATS)
def test_a_model_tells_where_it_comes_from(name):
    Path(name).write_bytes(FORMATS[name](ROWS))
    told = sf.fit(name, -2, columns=COLUMNS, weights=-1, calibrate=False).provenance
    assert (told.rows, told.sources, told.target, told.weights) == (N, (name,), "sold", "weight")
    if "sv" in name:
        assert told.dialect is not None
        delimiter = "\t" if "tsv" in name else ","
        assert (told.dialect.delimiter, told.dialect.header, told.dialect.encoding) == (delimiter, True, "utf-8")
        assert told.dialect.null == ()
    else:
        assert told.dialect is None


def test_progress_rises_to_the_end():
    for name, make in FORMATS.items():
        Path(name).write_bytes(make(ROWS))
        seen = []
        model = sf.fit(name, "sold", columns=COLUMNS, weights="weight", progress=seen.append, calibrate=False)
        assert len(seen) > 3, name
        assert [each.rows for each in seen] == sorted(each.rows for each in seen)
        assert [each.share for each in seen] == sorted(each.share for each in seen)
        assert seen[-1][:3] == (N, 1.0, 0)
        model.update(name, progress=seen.append)
        assert seen[-1][:3] == (N, 1.0, 0)


def test_the_seconds_are_those_of_the_pass(monkeypatch):
    for name in ("a.csv", "b.csv"):
        Path(name).write_bytes(FORMATS["rows.csv"](ROWS))
    clock, seen = [0.0], []
    monkeypatch.setattr("suffice.sources.files.batches.time.monotonic", lambda: clock[0])

    def note(report):
        seen.append(report)
        clock[0] += 100.0

    sf.evaluate("a.csv", "sold", columns=COLUMNS, test="b.csv", bootstrap=0, calibrate=False, progress=note)
    second = [each.rows for each in seen].index(N, 1) + 2  # both the last batch and the end report all rows
    passes = seen[:second], seen[second:]
    for some in passes:
        assert [each.seconds for each in some] == [100.0 * at for at in range(len(some))]
        assert some[-1].rows == N


def test_a_list_of_files_may_be_given():
    Path("a.csv").write_bytes(FORMATS["rows.csv"](ROWS[:99]))
    Path("b.csv").write_bytes(FORMATS["rows.csv"](ROWS[99:]))
    model = sf.fit(sf.Files(["b.csv", "a.csv"]), "sold", columns=COLUMNS, calibrate=False)
    assert model.provenance.sources == ("b.csv", "a.csv")
    assert same(model, sf.fit("*.csv", "sold", columns=COLUMNS, calibrate=False))
    Path("none").mkdir()
    Path("none/c.csv").write_bytes(FORMATS["rows.csv"](ROWS))
    assert same(sf.fit("none", "sold", columns=COLUMNS, calibrate=False), model)
