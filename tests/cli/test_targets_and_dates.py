"""Conditions as targets, targets that are not classes, and dates, in the shell."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

ROWS = 300


@pytest.fixture
def flights(folder):
    rng = np.random.default_rng(4)
    when = pd.Series(pd.date_range("2026-01-01", periods=ROWS, freq="7h"))
    delay = rng.normal(10 + 20 * (when.dt.hour > 15), 60).round().astype(int) * 3
    frame = pd.DataFrame({"when": when, "carrier": rng.choice(["AA", "UA"], ROWS), "delay": delay})
    frame.to_csv(folder / "flights.csv", index=False)
    frame.drop(columns="delay").to_csv(folder / "new_flights.csv", index=False)
    return frame


def test_a_condition_is_a_target_that_the_model_remembers(run, flights):
    args = ["flights.csv", "--target", "delay>15", "-o", "f.suffice", "--json", "--no-calibrate"]
    found = json.loads(run("fit", *args).stdout)
    late = int((flights.delay > 15).sum())
    assert [each["weight"] for each in found["classes"]] == [ROWS - late, late]
    assert json.loads(run("show", "f.suffice", "--json").stdout)["target"] == "delay>15"
    assert f"{ROWS}" in run("evaluate", "flights.csv", "--model", "f.suffice").stdout
    assert run("update", "f.suffice", "flights.csv").exit_code == 0
    for data in ("flights.csv", "new_flights.csv"):
        rows = run("predict", "f.suffice", data).stdout.splitlines()
        assert len(rows) == ROWS + 1


def test_a_quantity_is_refused_with_a_condition_to_use(run, flights, folder):
    found = run("fit", "flights.csv", "-t", "delay", "-o", "f.suffice")
    assert found.exit_code == 1
    assert not (folder / "f.suffice").exists()
    assert "looks like a quantity, not a class" in " ".join(found.stderr.split())
    assert "--target 'delay>" in found.stderr


def test_dates_by_their_parts(run, flights):
    args = ["flights.csv", "-t", "delay>15", "-o", "f.suffice", "--dates", "parts", "--json", "--no-calibrate"]
    found = json.loads(run("fit", *args).stdout)
    names = {each["name"] for each in found["columns"]}
    assert {"when.hour", "when.weekday", "when.month"} <= names
    assert run("fit", *args[:6], "weeks").exit_code == 2


def test_dates_that_cannot_be_read_are_left_out_with_a_reason(run, flights, folder):
    flights.assign(day=flights.when.dt.strftime("%d/%m/%Y")).to_csv(folder / "flights.csv", index=False)
    args = ["flights.csv", "-t", "delay>15", "-o", "f.suffice", "--dates", "parts", "--no-calibrate"]
    found = json.loads(run("fit", *args, "--json").stdout)
    assert {"when.hour", "when.weekday"} <= {each["name"] for each in found["columns"]}
    reasons = {each["name"]: each["reason"] for each in found["left_out"]}
    assert reasons["day"] == (
        "dates and times that cannot be read, such as '01/01/2026'; write them as 2026-11-16 18:30"
    )
    assert len(run("predict", "f.suffice", "flights.csv").stdout.splitlines()) == ROWS + 1


def test_help_names_conditions_and_formats(run):
    text = " ".join(run("fit", "--help").stdout.split())
    for words in ("'delay>15'", "--dates parts", "JSON (an array of objects)", "Excel", "ipc (Arrow), excel or texts"):
        assert words in text
