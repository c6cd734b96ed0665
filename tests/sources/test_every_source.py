"""Every verb takes rows from every source, and gives the same answer."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

import suffice as sf

ROWS = 240
RNG = np.random.default_rng(7)
LABELS = RNG.choice(["no", "yes"], ROWS, p=[0.7, 0.3])
FRAME = pl.DataFrame(
    {
        "age": np.where(RNG.random(ROWS) < 0.1, np.nan, RNG.normal(40 + 10 * (LABELS == "yes"), 12).round(3)),
        "plan": RNG.choice(["basic", "plus", "pro"], ROWS),
        "calls": RNG.poisson(3, ROWS),
        "label": LABELS,
    }
).with_columns(pl.col("age").fill_nan(None))
COLUMNS = {"age": sf.Gaussian(), "plan": sf.Categorical(), "calls": sf.Poisson()}


def parts(frame):
    return iter([frame[:100], frame[100:150], frame[150:]])


def csv_file(folder):
    FRAME.write_csv(folder / "rows.csv")
    return str(folder / "rows.csv")


def parquet_file(folder):
    pq.write_table(FRAME.to_arrow(), folder / "rows.parquet", row_group_size=70)
    return folder / "rows.parquet"


def two_files(folder):
    FRAME[:100].write_csv(folder / "a.csv")
    FRAME[100:].write_csv(folder / "b.csv")
    return sf.Files([folder / "a.csv", folder / "b.csv"])


def ndjson_file(folder):
    FRAME.write_ndjson(folder / "rows.ndjson")
    return str(folder / "rows.ndjson")


def chunks_of_pandas(folder):
    return pd.read_csv(csv_file(folder), chunksize=64)


SOURCES = {
    "polars": lambda folder: FRAME,
    "pandas": lambda folder: FRAME.to_pandas(),
    "pyarrow": lambda folder: FRAME.to_arrow(),
    "mapping": lambda folder: FRAME.to_dict(as_series=False),
    "records": lambda folder: FRAME.to_dicts(),
    "csv": csv_file,
    "parquet": parquet_file,
    "files": two_files,
    "ndjson": ndjson_file,
    "iterator of polars": lambda folder: parts(FRAME),
    "iterator of record batches": lambda folder: iter(FRAME.to_arrow().to_batches(max_chunksize=50)),
    "generator of pandas": lambda folder: (part.to_pandas() for part in parts(FRAME)),
    "chunks of pandas": chunks_of_pandas,
    "lazy polars": lambda folder: FRAME.lazy().filter(pl.col("calls") >= 0),
}


@pytest.fixture(params=SOURCES)
def source(request, tmp_path):
    return lambda: SOURCES[request.param](tmp_path)


@pytest.fixture(scope="module")
def model():
    return sf.fit(FRAME, "label", columns=COLUMNS, calibrate=False)


def same(one, other):
    np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


def test_fit(source, model):
    fitted = sf.fit(source(), "label", columns=COLUMNS, calibrate=False)
    assert fitted.classes == model.classes
    assert fitted.provenance.rows == ROWS
    same(fitted.predict_proba(FRAME), model.predict_proba(FRAME))


def test_the_schema_is_that_of_the_first_rows(source):
    inferred = sf.fit(source(), "label", calibrate=False)
    assert repr(inferred.schema) == repr(sf.fit(FRAME, "label", calibrate=False).schema)


def test_calibrated_by_default(source):
    fitted, whole = sf.fit(source(), "label", columns=COLUMNS), sf.fit(FRAME, "label", columns=COLUMNS)
    same(fitted.predict_proba(FRAME), whole.predict_proba(FRAME))


def test_like(source, model):
    same(sf.fit(source(), "label", like=model, calibrate=False).predict_proba(FRAME), model.predict_proba(FRAME))


def test_update_and_forget(source, model):
    more = model.update(source())
    assert more.provenance.rows == 2 * ROWS
    same(more.forget(source()).predict_proba(FRAME), model.predict_proba(FRAME))


@pytest.mark.parametrize("verb", ["predict_proba", "predict_log_proba", "log_joint", "log_density"])
def test_scores(source, model, verb):
    same(getattr(model, verb)(source()), getattr(model, verb)(FRAME))


def test_predict(source, model):
    assert model.predict(source()).tolist() == model.predict(FRAME).tolist()


def test_explain(source, model):
    one, other = model.explain(source()), model.explain(FRAME)
    assert [each.row for each in one] == list(range(ROWS))
    same([each.score for each in one], [each.score for each in other])


def test_evaluate(source, model):
    one, other = model.evaluate(source(), bootstrap=0), model.evaluate(FRAME, bootstrap=0)
    same(one["log_loss"].value, other["log_loss"].value)


def test_evaluate_on_folds(source):
    settings = {"columns": COLUMNS, "folds": 3, "bootstrap": 0}
    one, other = sf.evaluate(source(), "label", **settings), sf.evaluate(FRAME, "label", **settings)
    same(one["log_loss"].value, other["log_loss"].value)


def test_screen(source):
    one, other = sf.screen(source(), "label", columns=COLUMNS), sf.screen(FRAME, "label", columns=COLUMNS)
    assert [each.column for each in one.columns] == [each.column for each in other.columns]
    assert one.kept == other.kept


def test_calibrate(source, model):
    same(model.calibrate(source()).predict_proba(FRAME), model.calibrate(FRAME).predict_proba(FRAME))


def test_threshold(source, model):
    assert model.threshold(source(), "label", recall=0.8).value == pytest.approx(
        model.threshold(FRAME, "label", recall=0.8).value, abs=1e-12
    )


def test_decide_and_prior_shift(source, model):
    costs = {"call": {"no": 1, "yes": 0}, "wait": {"no": 0, "yes": 5}}
    assert model.decide(source(), costs).action.tolist() == model.decide(FRAME, costs).action.tolist()
    same(model.prior_shift(source()).after, model.prior_shift(FRAME).after)


def test_interval_and_novelty(source, model):
    same(model.interval(source(), seed=1).lower, model.interval(FRAME, seed=1).lower)
    known = model.calibrate(FRAME)
    same(known.novelty(source()).p_value, known.novelty(FRAME).p_value)


class TestStreams:
    def test_one_that_is_at_its_end_is_refused(self):
        with pytest.raises(sf.errors.DataError) as caught:
            sf.fit(iter([]), "label")
        assert caught.value.kind == "no_rows"

    def test_what_is_no_frame_is_refused(self):
        with pytest.raises(sf.errors.DataError) as caught:
            sf.fit(iter([[1, 2], [3, 4]]), "label")
        assert caught.value.kind == "not_a_frame"

    def test_the_target_must_be_a_column(self):
        with pytest.raises(sf.errors.DataError) as caught:
            sf.fit(parts(FRAME), LABELS)
        assert caught.value.kind == "no_such_column"

    def test_a_column_that_is_not_there_is_named(self):
        with pytest.raises(sf.errors.DataError) as caught:
            sf.fit(parts(FRAME), "lable")
        assert "Did you mean 'label'" in str(caught.value)

    def test_a_part_without_a_column_counts_it_as_missing(self, model):
        shorter = iter([FRAME[:100], FRAME[100:].drop("calls")])
        with pytest.warns(sf.errors.MissingColumnsWarning, match="'calls'"):
            assert model.update(shorter).provenance.rows == 2 * ROWS

    def test_a_bad_cell_is_named_by_its_row_among_all(self):
        bad = FRAME.with_columns(pl.when(pl.int_range(ROWS) == 130).then(np.inf).otherwise(pl.col("age")).alias("age"))
        with pytest.raises(sf.errors.DataError) as caught:
            sf.fit(parts(bad), "label", columns=COLUMNS, calibrate=False)
        assert (caught.value.row, caught.value.column) == (130, "age")

    def test_rows_without_a_class_are_counted_over_all_parts(self):
        gaps = FRAME.with_columns(
            pl.when(pl.int_range(ROWS) % 60 == 0).then(None).otherwise(pl.col("label")).alias("label")
        )
        with pytest.warns(sf.errors.DroppedRowsWarning, match="4 of 240"):
            assert sf.fit(parts(gaps), "label", columns=COLUMNS, calibrate=False).provenance.rows == ROWS - 4


def test_rows_that_do_not_fit_into_memory_are_refused(source, monkeypatch, request):
    if request.node.callspec.params["source"] in ("polars", "pandas", "pyarrow", "mapping", "records"):
        pytest.skip("these rows are in memory already")
    monkeypatch.setattr("suffice.sources.source.memory", lambda: 1000)
    for load in (sf.evaluate, sf.screen):
        rows = source()
        with pytest.raises(sf.errors.DataError) as caught:
            load(rows, "label", columns=COLUMNS)
        assert caught.value.kind == "too_large"
        if isinstance(rows, pd.io.parsers.TextFileReader):
            rows.close()
