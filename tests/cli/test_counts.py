"""`suffice fit --counts`: models of tables of totals; and counts and bin edges in what `suffice export` writes."""

from __future__ import annotations

import csv
import json

import polars as pl
import pytest

import suffice as sf


@pytest.fixture
def totals(folder):
    table = pl.read_csv(folder / "totals.csv")
    table.write_parquet(folder / "totals.parquet")
    return sf.Model.from_statistics(table)


def test_fit_totals(folder, run, totals):
    done = run("fit", "--counts", "totals.csv")
    assert done.exit_code == 0, done.output
    assert "not calibrated: it was created from statistics, without rows" in done.stdout
    assert "totals of 8 rows\nwrote totals.suffice (" in done.stdout
    assert sf.load("totals.suffice") == totals
    done = run(
        "fit", "totals.parquet", "--counts", "-o", "p.suffice", "--target", "churned", "--estimate", "map", "--json"
    )
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["rows"] == 8
    model = sf.load("p.suffice")
    assert model == totals.with_options(estimate="map")
    assert model.provenance.target == "churned"


def test_several_tables_and_the_columns_of_a_model(folder, run, totals):
    table = pl.read_csv(folder / "totals.csv")
    table.filter(pl.col("count").is_not_null()).select("class", "column", "level", "count").write_csv(folder / "a.csv")
    table.filter(pl.col("count").is_null()).drop("count", "level").write_ndjson(folder / "b.ndjson")
    totals.save("like.suffice")
    assert run("fit", "--counts", "a.csv", "b.ndjson", "--schema", "like.suffice", "-o", "m.suffice").exit_code == 0
    assert sf.load("m.suffice") == totals
    columns = ["-c", "plan=Categorical(alpha=0.5)", "--drop", "minutes", "--class-prior", "uniform"]
    assert run("fit", "--counts", "totals.csv", *columns, "-o", "m.suffice").exit_code == 0
    model = sf.load("m.suffice")
    assert repr(model.schema.blocks[0]) == "'plan': Categorical(alpha=0.5)"
    assert model.schema.unused == ("minutes",)
    assert model.core.class_prior.kind == "uniform"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--counts", "bad.csv"], "bad.csv, row 0: count must be a finite number ≥ 0: got -1.0."),
        (["--counts", "totals.csv", "-c", "plan=histogram"], "column 'plan': Histogram() needs more than totals."),
        (["--counts", "totals.csv", "--weights", "n"], "totals have no rows to weight"),
        (["--counts", "train.csv"], "a table of totals needs the column 'class'"),
        (["--counts", "-", "totals.csv", "-o", "m.suffice"], "if standard input is given, no other table can be given"),
    ],
)
@pytest.mark.usefixtures("totals")
def test_totals_that_cannot_be(folder, run, words, message):
    (folder / "bad.csv").write_text("class,column,level,count\nno,plan,basic,-1\n", encoding="utf-8")
    done = run("fit", *words)
    assert done.exit_code != 0
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert not (folder / "bad.suffice").exists()


def test_export_has_counts_and_edges(folder, run):
    assert run("fit", "train.csv", "-t", "churned", "-c", "minutes=Histogram(bins=4)", "-o", "m.suffice").exit_code == 0
    rows = list(csv.DictReader(run("export", "m.suffice", "--to", "csv").stdout.splitlines()))
    prior = [row for row in rows if row["name"] == "class prior"]
    assert sum(float(row["count"]) for row in prior) == 300
    assert all(float(row["lower"]) < float(row["value"]) < float(row["upper"]) for row in prior)
    bins = [row for row in rows if row["column"] == "minutes" and row["class"] == "yes"]
    assert len(bins) == 4
    assert [row["upper_edge"] for row in bins[:-1]] == [row["lower_edge"] for row in bins[1:]]
    assert sum(float(row["count"]) for row in bins) == float(bins[0]["n"])
    found = json.loads(run("export", "m.suffice", "--to", "json").stdout)["parameters"]
    assert found[-1].keys() >= {"count", "n", "lower_edge", "upper_edge"}
