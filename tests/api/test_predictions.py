"""Predictions as columns, a batch at a time: the numbers of the model's own methods, under names of their own."""

from __future__ import annotations

import math
import threading
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import suffice as sf
from suffice.api.predictions import predicted_columns
from suffice.sources.files import Writer, batches, blocks

N = 50
ROWS = pl.DataFrame(
    {
        "id": [f"r{k}" for k in range(N)],
        "x": [(k * 37 % 29) / 8 for k in range(N)],
        "z": [k % 3 for k in range(N)],
        "y": [["a", "b", "c"][(k + k // 4) % 3] for k in range(N)],
    }
)
COLUMNS = {"id": None, "x": sf.Gaussian(), "z": sf.Categorical()}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(blocks, "_BLOCK", 100)
    monkeypatch.setattr(batches, "_CELLS", 20)
    ROWS.write_csv("rows.csv")
    before = threading.active_count()
    yield
    assert threading.active_count() == before


@pytest.fixture
def model():
    return sf.fit(ROWS, "y", columns=COLUMNS, calibrate=False)


def joined(parts):
    """Return every column as one array."""
    parts = list(parts)
    assert len(parts) > 1
    assert all(list(part) == list(parts[0]) for part in parts)
    return {name: np.concatenate([np.asarray(part[name]) for part in parts]) for name in parts[0]}


def test_the_numbers_are_those_of_the_model(model):
    files = sf.Files("rows.csv")
    found = joined(predicted_columns(model, files, proba=True, odds=True, density=True, keep=("id",)))
    assert list(found) == [
        "id",
        "predicted",
        "p(a)",
        "p(b)",
        "p(c)",
        "log_odds(a)",
        "log_odds(b)",
        "log_odds(c)",
        "log_density",
    ]
    assert found["id"].tolist() == ROWS["id"].to_list()
    assert found["predicted"].tolist() == model.predict(ROWS).tolist()
    posterior = np.stack([found[f"p({label})"] for label in "abc"], axis=1)
    np.testing.assert_allclose(posterior, model.predict_proba(ROWS), rtol=1e-14)
    np.testing.assert_allclose(
        np.stack([found[f"log_odds({label})"] for label in "abc"], axis=1),
        np.log(posterior) - np.log1p(-posterior),
        rtol=1e-9,
    )
    np.testing.assert_array_equal(found["log_density"], model.log_density(ROWS))


def test_nothing_but_the_class_comes_unasked(model):
    assert list(joined(predicted_columns(model, sf.Files("rows.csv")))) == ["predicted"]


def test_of_two_classes_the_odds_of_the_second_say_all():
    model = sf.fit(ROWS.with_columns(y=pl.col("z") == 0), "y", columns=COLUMNS, calibrate=False)
    found = joined(predicted_columns(model, sf.Files("rows.csv"), odds=True, proba=True))
    assert list(found) == ["predicted", "p(false)", "p(true)", "log_odds(true)"]
    assert found["predicted"].tolist() == model.predict(ROWS).tolist()


def test_every_column_can_be_kept_and_a_taken_name_gets_an_underscore(model):
    ROWS.with_columns(predicted=pl.lit("before"), predicted_=1).write_csv("rows.csv")
    found = joined(predicted_columns(model, sf.Files("rows.csv"), keep=("*",)))
    assert list(found) == ["id", "x", "z", "y", "predicted", "predicted_", "predicted__"]
    assert found["predicted__"].tolist() == model.predict(ROWS).tolist()
    assert found["x"].tolist() == ROWS["x"].to_list()


def test_a_column_to_keep_must_be_there(model):
    with pytest.raises(sf.errors.DataError) as caught:
        list(predicted_columns(model, sf.Files("rows.csv"), keep=("idd",)))
    assert str(caught.value) == "kept column 'idd' is not in rows.csv. Did you mean 'id'?"


def test_progress_is_told_batch_by_batch_and_at_the_end(model):
    seen = []
    parts = list(predicted_columns(model, sf.Files("rows.csv"), progress=seen.append))
    assert len(seen) == len(parts) + 1
    assert seen[-1][:2] == (N, 1.0)


def test_what_is_odd_is_said_once_for_all_batches(model):
    ROWS.with_columns(z=pl.col("z") + 7).write_csv("rows.csv")
    with pytest.warns(sf.errors.UnseenLevelsWarning) as caught:
        list(predicted_columns(model, sf.Files("rows.csv")))
    assert len(caught) == 1
    assert str(caught[0].message).startswith(
        "column 'z': 50 of 50 non-missing cells have levels that did not occur in training"
    )


def test_impossible_rows_get_the_class_prior_and_no_nan(model):
    ROWS.with_columns(z=9).write_csv("rows.csv")
    certain = sf.fit(
        ROWS, "y", columns={"id": None, "x": None, "z": sf.Categorical(unseen="mass")}, calibrate=False
    ).with_options(estimate="mle")
    with pytest.warns(sf.SufficeWarning):
        found = joined(predicted_columns(certain, sf.Files("rows.csv"), proba=True, odds=True, density=True))
    assert not any(np.isnan(values).any() for name, values in found.items() if name != "predicted")
    assert (found["log_density"] == -math.inf).all()


@pytest.mark.parametrize("ending", ["csv", "ndjson", "parquet"])
def test_they_can_be_written_and_read_back(model, ending):
    with Writer(f"out.{ending}", ending) as writer:
        for part in predicted_columns(model, sf.Files("rows.csv"), proba=True, keep=("*",)):
            writer.write(part)
    read = {"csv": pl.read_csv, "ndjson": pl.read_ndjson, "parquet": pl.read_parquet}[ending](f"out.{ending}")
    assert read.columns == ["id", "x", "z", "y", "predicted", "p(a)", "p(b)", "p(c)"]
    np.testing.assert_allclose(read.select("^p.*\\)$").to_numpy(), model.predict_proba(ROWS), rtol=1e-14)


def test_a_file_without_rows_gives_columns_without_rows(model):
    Path("rows.csv").write_text("id,x,z,y\n")
    with Writer("out.csv", "csv") as writer:
        for part in predicted_columns(model, sf.Files("rows.csv"), proba=True, keep=("id",)):
            writer.write(part)
    assert Path("out.csv").read_text() == "id,predicted,p(a),p(b),p(c)\n"


def test_classes_of_several_kinds_can_be_written():
    model = sf.fit(ROWS.drop("y"), ["a" if k % 2 else 1 for k in range(N)], columns=COLUMNS, calibrate=False)
    with Writer("out.csv", "csv") as writer:
        for part in predicted_columns(model, sf.Files("rows.csv")):
            writer.write(part)
    read = pl.read_csv("out.csv", infer_schema=False)["predicted"].to_list()
    assert read == [str(label) for label in model.predict(ROWS)]


def test_an_iterator_that_is_left_leaves_no_thread(model):
    parts = predicted_columns(model, sf.Files("rows.csv"))
    next(parts)
    del parts
