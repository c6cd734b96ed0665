"""Parts of dates as columns, from every source that has dates."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

import suffice as sf
from suffice.sources.column import Objects
from suffice.sources.dates import PARTS, date_part

ROWS = 400
RNG = np.random.default_rng(9)
WHEN = pd.Series(pd.date_range("2026-01-01", periods=ROWS, freq="7h13min"))
FRAME = pd.DataFrame(
    {"when": WHEN, "size": RNG.normal(size=ROWS), "label": np.where(WHEN.dt.hour < 12, "early", "late")}
)
FRAME.loc[5, "when"] = pd.NaT
EXPECTED = pd.DataFrame(
    {
        "when.hour": FRAME.when.dt.hour,
        "when.weekday": FRAME.when.dt.day_of_week,
        "when.month": FRAME.when.dt.month,
        "size": FRAME["size"],
        "label": FRAME.label,
    }
).astype({f"when.{part}": "Int64" for part in PARTS})


def csv_file(folder):
    FRAME.to_csv(folder / "rows.csv", index=False)
    return folder / "rows.csv"


def parquet_file(folder):
    FRAME.to_parquet(folder / "rows.parquet")
    return folder / "rows.parquet"


SOURCES = {
    "pandas": lambda _: FRAME,
    "pandas with a zone": lambda _: FRAME.assign(when=FRAME.when.dt.tz_localize("America/New_York")),
    "pandas of text": lambda _: FRAME.assign(when=FRAME.when.astype(str).replace("NaT", None)),
    "pandas of objects": lambda _: FRAME.assign(when=FRAME.when.astype(object)),
    "polars": lambda _: pl.from_pandas(FRAME),
    "polars with a zone": lambda _: pl.from_pandas(FRAME).with_columns(
        pl.col("when").dt.replace_time_zone("Asia/Tokyo")
    ),
    "pyarrow": lambda _: pl.from_pandas(FRAME).to_arrow(),
    "records": lambda _: pl.from_pandas(FRAME).to_dicts(),
    "mapping": lambda _: {"when": FRAME.when.to_numpy(), "size": FRAME["size"], "label": FRAME.label},
    "csv": csv_file,
    "parquet": parquet_file,
    "parts": lambda _: iter([FRAME[:150], FRAME[150:]]),
}


def expected():
    columns = {f"when.{part}": sf.Categorical(alpha="evidence") for part in PARTS}
    return sf.fit(EXPECTED, "label", columns=columns, calibrate=False)


@pytest.mark.parametrize("source", SOURCES)
def test_parts_from_every_source(source, tmp_path):
    model = sf.fit(SOURCES[source](tmp_path), "label", columns={"when": "date parts"}, calibrate=False)
    assert model.schema.names == ("when", "when.hour", "when.weekday", "when.month", "size")
    assert "when.hour" in dict(model.schema.left_out)["when"]
    if source != "parts":
        data = SOURCES[source](tmp_path)
        np.testing.assert_allclose(model.predict_proba(data), expected().predict_proba(EXPECTED), rtol=1e-9)


def test_the_model_file_knows_them(tmp_path):
    sf.fit(FRAME, "label", columns={"when": "date parts"}, calibrate=False).save(tmp_path / "model.suffice")
    model = sf.load(tmp_path / "model.suffice")
    csv = csv_file(tmp_path)
    assert (model.predict(csv) == model.predict(FRAME)).all()
    assert (model.predict(FRAME) == FRAME.label).mean() > 0.9
    record = {"when": datetime.datetime(2026, 2, 16, 18, 30), "size": 0.0}
    assert model.predict(record).tolist() == ["late"]
    assert model.predict({"when": "2026-02-16 06:30", "size": 0.0}).tolist() == ["early"]
    assert "when.hour" in str(model.explain(record)[0])
    assert model.update(csv).provenance.rows == 2 * ROWS
    assert "accuracy: 0.9" in repr(sf.evaluate(csv, "label", columns={"when": "date parts"}))


def test_a_pattern_means_the_dates():
    model = sf.fit(FRAME, "label", columns={"*": "date parts"}, calibrate=False)
    assert model == sf.fit(FRAME, "label", columns={"when": "date parts"}, calibrate=False)


def test_one_part_with_its_own_likelihood():
    model = sf.fit(FRAME, "label", columns={"when.hour": "histogram"}, calibrate=False)
    assert model.schema.names == ("when", "when.hour", "size")
    assert (model.predict(FRAME) == FRAME.label).mean() > 0.9


def test_dates_without_a_clock_have_no_hour():
    days = FRAME.assign(when=FRAME.when.dt.normalize())
    model = sf.fit(days, "label", columns={"when": "date parts"}, calibrate=False)
    assert "when.hour" not in model.schema.names


def test_a_collector_takes_them_from_the_dates():
    collector = sf.Collector({"when": "date parts"})
    for row in pl.from_pandas(FRAME).to_dicts():
        collector.add_row({name: row[name] for name in ("when", "size")}, row["label"])
    assert collector.model() == sf.fit(FRAME, "label", columns={"when": "date parts"}, calibrate=False)


@pytest.mark.parametrize(
    ("text", "hour", "weekday", "month"),
    [
        ("2026-11-16", 0, 0, 11),
        ("2026-11-16T18:30", 18, 0, 11),
        ("2026/11/16 18:30:15.5Z", 18, 0, 11),
        ("2026-11-16 18:30:15+02:00", 18, 0, 11),
        ("16.11.2026 6:05", 6, 0, 11),
        ("2026-11-15 12:10 AM", 0, 6, 11),
        ("2026-11-15 12:10 pm", 12, 6, 11),
        ("13:43:40", 13, 3, 1),
    ],
)
def test_dates_as_text(text, hour, weekday, month):
    column = Objects(np.array([text, None], dtype=object))
    for part, value in zip(PARTS, (hour, weekday, month), strict=True):
        assert date_part(column, part).coded().labels == [value]


@pytest.mark.parametrize("text", ["15/11/2026", "soon", "2026-13-01", "2026-02-30", ""])
def test_what_is_not_a_date(text):
    with pytest.raises(sf.errors.DataError, match="must be a date or time such as") as caught:
        sf.fit({"when": [text] * 3}, ["a", "b", "a"], columns={"when": "date parts"})
    assert (caught.value.column, caught.value.got) == ("when", text)


@pytest.mark.parametrize("values", [[1.5, 2.5], [True, False], pd.Series(pd.to_timedelta([1, 2], "h")), [[1], [2]]])
def test_columns_that_hold_no_dates(values):
    with pytest.raises(sf.errors.DataError, match="column 'when': must contain dates or times, but contains"):
        sf.fit({"when": values}, ["a", "b"], columns={"when": "date parts"})
