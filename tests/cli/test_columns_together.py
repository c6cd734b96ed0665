"""Columns that go together, from the command line: fit, show, read, export, predict."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import suffice as sf

RNG = np.random.default_rng(5)


@pytest.fixture
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y = RNG.integers(0, 2, 120)
    x = RNG.normal(size=(120, 3)) @ [[1, 0.8, 0], [0, 1, 0.3], [0, 0, 1]] + y[:, None]
    with Path("rows.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["V1", "V2", "V3", "plan", "label"])
        writer.writerows(
            [*row, "ab"[k % 2], ["no", "yes"][label]] for k, (row, label) in enumerate(zip(x.tolist(), y, strict=True))
        )
    return tmp_path


def test_fit_show_read_and_predict(rows, run):
    done = run(
        "fit",
        "rows.csv",
        "-t",
        "label",
        "-o",
        "m.suffice",
        "--column",
        "V*=MultivariateGaussian()",
        "--no-calibrate",
    )
    assert (done.exit_code, done.stderr) == (0, "")
    model = sf.load("m.suffice")
    assert model == sf.fit(
        "rows.csv", "label", columns={"V*": sf.MultivariateGaussian(covariance="full")}, calibrate=False
    )
    done = run("show", "m.suffice")
    assert done.exit_code == 0
    assert "MultivariateGaussian()" in done.stdout
    done = run("show", "m.suffice", "--column", "V2", "--json")
    shown = json.loads(done.stdout)
    assert {"location", "scale", "scale product"} <= {row["name"] for row in shown["parameters"]}
    done = run(
        "set",
        "m.suffice",
        "--prior",
        "V*=MultivariateGaussian(covariance='shared')",
        "--estimate",
        "mle",
        "-o",
        "lda.suffice",
    )
    assert (done.exit_code, done.stderr) == (0, "")
    assert sf.load("lda.suffice") == model.with_options(estimate="mle", covariance="shared")
    done = run("set", "m.suffice", "--covariance", "shared", "--estimate", "mle", "-o", "again.suffice")
    assert (done.exit_code, done.stderr) == (0, "")
    assert sf.load("again.suffice") == sf.load("lda.suffice")
    done = run("set", "m.suffice", "--variance", "shared")
    assert done.exit_code == 1
    assert "variance is an option of Gaussian, but no column of the model has that likelihood" in " ".join(
        done.stderr.split()
    )
    done = run("predict", "lda.suffice", "rows.csv", "-o", "scored.csv")
    assert done.exit_code == 0
    done = run("export", "m.suffice", "--to", "schema", "-o", "columns.txt")
    assert done.exit_code == 0, done.stderr
    assert "V1+V2+V3=MultivariateGaussian()" in Path("columns.txt").read_text(encoding="utf-8").splitlines()
    done = run("fit", "rows.csv", "-t", "label", "-o", "again.suffice", "--schema", "columns.txt")
    assert done.exit_code == 0, done.stderr
    assert sf.load("again.suffice") == model
    done = run("update", "m.suffice", "rows.csv")
    assert done.exit_code == 0, done.stderr
    assert sf.load("m.suffice").core.tally.weight.sum() == 240


def test_rows_with_a_gap_are_told(rows, run):
    with Path("rows.csv").open("a", encoding="utf-8") as file:
        file.write("1.5,,2,a,yes\n")
    done = run(
        "fit",
        "rows.csv",
        "-t",
        "label",
        "-o",
        "m.suffice",
        "--column",
        "V1+V2=MultivariateGaussian(covariance='shared')",
    )
    assert done.exit_code == 0
    assert "columns 'V1', 'V2': 1 of 121 rows have a missing cell in these jointly modelled columns" in " ".join(
        done.stderr.split()
    )
    done = run("show", "m.suffice")
    assert "1 row with a missing value not used for V1, V2, which are modelled jointly" in done.stdout
    told = json.loads(run("show", "m.suffice", "--json").stdout)
    assert told["incomplete_rows"] == [{"columns": "V1, V2", "weight": 1.0}]


def test_a_column_that_cannot_be(rows, run):
    done = run("fit", "rows.csv", "-t", "label", "-o", "m.suffice", "--column", "V*=MultivariateGaussian(shrinkage=2)")
    assert done.exit_code == 2
    assert "shrinkage must be a number from 0 to 1, 'oas' or 'evidence': got 2" in " ".join(done.stderr.split())
