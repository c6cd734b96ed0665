"""Each command on files that are there: what it prints, what it writes, and that it equals what Python gives."""

from __future__ import annotations

import csv
import json

import numpy as np
import polars as pl
import pytest

import suffice as sf
from tests.cli.conftest import ROWS, close, read_rows

CLASSES = [str(row["churned"]) for row in ROWS]


def the_object(done):
    """Return the one JSON object on stdout."""
    assert done.exit_code == 0, done.stderr
    (line,) = done.stdout.splitlines()
    return json.loads(line, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def test_fit_prints_what_it_chose_and_the_next_step(folder, run):
    done = run("fit", "train.csv", "--target", "churned", "-o", "m.suffice")
    assert (done.exit_code, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    words = [line.split() for line in lines]
    assert ["plan", "Categorical(alpha='evidence')", "alpha", "1"] in words
    assert ["paperless", "Bernoulli()"] in words
    assert any(line[:3] == ["customer", "left", "out"] for line in words)
    no, yes = (CLASSES[:300].count(label) for label in ("no", "yes"))
    assert any(line[:2] == ["no", str(no)] for line in words)
    assert any(line[:2] == ["yes", str(yes)] for line in words)
    assert any(line.startswith("300 rows in ") and line.endswith(" rows/s") for line in lines)
    assert any(line.startswith("wrote m.suffice (") for line in lines)
    assert lines[-2:] == ["next: suffice predict m.suffice NEW.csv", "      suffice show m.suffice"]
    assert sf.load("m.suffice") == sf.fit("train.csv", "churned")


def test_fit_for_scripts(folder, run):
    found = the_object(run("fit", "train.csv", "-t", "churned", "-o", "m.suffice", "--json"))
    assert found["model"] == "m.suffice"
    assert found["rows"] == 300
    assert found["bytes"] == (folder / "m.suffice").stat().st_size
    assert [each["label"] for each in found["classes"]] == ["no", "yes"]
    assert [each["name"] for each in found["left_out"]] == ["customer"]
    assert found["skipped_lines"] == 0
    assert found["rows_per_second"] > 0
    assert {"name": "paperless", "likelihood": "Bernoulli()", "details": None} in found["columns"]


def test_fit_with_every_option_is_the_fit_in_python(folder, run):
    words = ["--column", "support_calls=poisson", "--column", "plan+payment=Joint(alpha=0.5)", "--drop", "customer"]
    words += ["--class-prior", "yes=0.25,no=0.75", "--estimate", "map", "--weights", "months"]
    done = run("fit", "train.csv", "-t", "churned", "-o", "m.suffice", *words)
    assert (done.exit_code, done.stderr) == (0, "")
    columns = {"support_calls": sf.Poisson(), ("plan", "payment"): sf.Joint(alpha=0.5), "customer": None}
    prior = {"yes": 0.25, "no": 0.75}
    same = sf.fit("train.csv", "churned", columns=columns, class_prior=prior, estimate="map", weights="months")
    assert sf.load("m.suffice") == same


def test_fit_reads_standard_input(folder, shell):
    done = shell("cat train.csv | suffice fit - --target churned --no-calibrate -o m.suffice --json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"] == 300
    assert sf.load("m.suffice") == sf.load("model.suffice")


def test_fit_of_many_files_and_of_a_pattern_is_the_fit_of_one(folder, run):
    whole = the_object(run("fit", "train.csv", "tuesday.csv", "-t", "churned", "-o", "a.suffice", "--json"))
    assert whole["rows"] == 400
    (folder / "all").mkdir()
    for name in ("train.csv", "tuesday.csv"):
        (folder / name).rename(folder / "all" / name)
    assert run("fit", "all/*.csv", "-t", "churned", "-o", "b.suffice").exit_code == 0
    assert run("fit", "all", "-t", "churned", "-o", "c.suffice").exit_code == 0
    assert sf.load("a.suffice") == sf.load("b.suffice") == sf.load("c.suffice")


def test_a_file_without_header_by_places(folder, run):
    options = ["--no-header", "--null", "?", "-t", "-1", "--drop", "0", "--column", "7=poisson"]
    found = the_object(run("fit", "logs/*.csv.gz", *options, "-o", "m.suffice", "--json"))
    assert found["rows"] == 300
    named = {each["name"]: each["likelihood"] for each in found["columns"]}
    assert named[7] == "Poisson()"
    assert [each["name"] for each in found["left_out"]] == [0]
    done = run("predict", "m.suffice", "logs/2026-11-01.csv.gz", "-o", "scored.csv", "--keep", "0")
    assert (done.exit_code, done.stderr) == (0, "")
    rows = read_rows(folder / "scored.csv")
    assert [row["0"] for row in rows] == [row["customer"] for row in ROWS[:100]]


def test_predict_to_stdout_is_csv(folder, run):
    done = run("predict", "model.suffice", "new.csv")
    assert (done.exit_code, done.stderr) == (0, "")
    model = sf.load("model.suffice")
    lines = done.stdout.splitlines()
    assert lines[0] == "predicted"
    assert lines[1:] == model.predict(pl.read_csv("new.csv")).tolist()


def test_predict_with_everything(folder, run):
    words = ["--proba", "--log-odds", "--log-density", "--keep", "customer", "--keep", "plan", "--digits", "17"]
    done = run("predict", "model.suffice", "new.csv", "-o", "scored.csv", *words)
    assert (done.exit_code, done.stderr) == (0, "")
    rows = read_rows(folder / "scored.csv")
    names = ["customer", "plan", "predicted", "p(no)", "p(yes)", "log_odds(yes)", "log_density"]
    assert list(rows[0]) == names
    model, new = sf.load("model.suffice"), pl.read_csv("new.csv")
    assert [row["customer"] for row in rows] == new["customer"].to_list()
    assert [row["plan"] for row in rows] == new["plan"].to_list()
    assert [row["predicted"] for row in rows] == model.predict(new).tolist()
    p = np.array([[float(row["p(no)"]), float(row["p(yes)"])] for row in rows])
    np.testing.assert_allclose(p, model.predict_proba(new), rtol=1e-13)
    logs = model.predict_log_proba(new)
    np.testing.assert_allclose([float(row["log_odds(yes)"]) for row in rows], logs[:, 1] - logs[:, 0], rtol=1e-12)
    np.testing.assert_array_equal([float(row["log_density"]) for row in rows], model.log_density(new))
    assert "200 rows in" in done.stdout


def test_predict_keeps_all_columns(folder, run):
    assert run("predict", "model.suffice", "new.csv", "-o", "s.csv", "--keep", "*").exit_code == 0
    rows, given = read_rows(folder / "s.csv"), read_rows(folder / "new.csv")
    assert [{name: row[name] for name in given[0]} for row in rows] == given


@pytest.mark.parametrize("ending", ["csv", "tsv", "ndjson", "parquet"])
def test_predict_writes_what_the_ending_says(folder, run, ending):
    assert run("predict", "model.suffice", "new.csv", "-o", f"s.{ending}", "--keep", "months").exit_code == 0
    read = {
        "csv": pl.read_csv,
        "tsv": lambda path: pl.read_csv(path, separator="\t"),
        "ndjson": pl.read_ndjson,
        "parquet": pl.read_parquet,
    }
    frame = read[ending](f"s.{ending}")
    assert frame.columns == ["months", "predicted"]
    assert frame["months"].to_list() == [row["months"] for row in ROWS[400:]]


def test_predict_for_scripts(folder, run):
    found = the_object(run("predict", "model.suffice", "new.csv", "-o", "s.csv", "--json"))
    predicted = [row["predicted"] for row in read_rows(folder / "s.csv")]
    counts = [{"label": label, "rows": predicted.count(label)} for label in ("no", "yes")]
    assert (found["output"], found["rows"], found["predicted"]) == ("s.csv", 200, counts)


def test_predict_no_rows_is_a_header(folder, run):
    (folder / "none.csv").write_text("plan,payment\n", encoding="utf-8")
    done = run("predict", "model.suffice", "none.csv", "--keep", "plan")
    assert (done.exit_code, done.stdout) == (0, "plan,predicted\n")
    done = run("predict", "model.suffice", "none.csv", "-o", "s.csv", "--proba")
    assert (folder / "s.csv").read_text(encoding="utf-8") == "predicted,p(no),p(yes)\n"


def test_predict_what_was_predicted_before(folder, run):
    assert run("predict", "model.suffice", "new.csv", "-o", "a.csv", "--keep", "*").exit_code == 0
    found = the_object(run("predict", "model.suffice", "a.csv", "-o", "b.csv", "--keep", "predicted", "--json"))
    rows = read_rows(folder / "b.csv")
    assert [row["predicted_"] for row in rows] == [row["predicted"] for row in rows]
    assert sum(each["rows"] for each in found["predicted"]) == len(rows)


def test_columns_that_are_not_there_are_missed_once(folder, run):
    (folder / "few.csv").write_text("plan,payment\nbasic,card\n", encoding="utf-8")
    done = run("predict", "model.suffice", "few.csv")
    assert done.exit_code == 0
    assert done.stderr == (
        "suffice: warning: columns 'region', 'months', 'minutes', 'monthly_fee', 'support_calls', … 1 more: 6 of "
        "the 8 columns of the model are not in the data and were treated as missing. Add them, or rename the "
        "columns of the data, which are 'plan', 'payment'.\n"
    )


def test_bad_lines_are_counted(folder, run):
    with (folder / "train.csv").open("a", encoding="utf-8") as file:
        file.write("a,b\n" * 3)
    found = run("fit", "train.csv", "-t", "churned", "-o", "m.suffice", "--skip-bad-lines", "--json")
    assert json.loads(found.stdout)["skipped_lines"] == 3
    assert found.stderr.startswith("suffice: warning: train.csv, line 302: 2 fields")
    assert found.stderr.endswith("3 bad lines were skipped; this is the first.\n")
    shown = run("fit", "train.csv", "-t", "churned", "-o", "m.suffice", "--skip-bad-lines")
    assert "\n3 bad lines skipped\n" in shown.stdout


def test_a_frozen_schema_as_text(folder, run):
    assert run("export", "model.suffice", "--to", "schema", "-o", "columns.txt").exit_code == 0
    done = run("fit", "tuesday.csv", "-t", "churned", "--schema", "columns.txt", "-o", "t.suffice")
    assert (done.exit_code, done.stderr) == (0, "")
    assert run("merge", "model.suffice", "t.suffice", "-o", "w.suffice").exit_code == 0
    assert sf.load("w.suffice").provenance.rows == 400


def test_predict_under_the_prior_of_the_place_of_use(folder, run):
    assert run("predict", "model.suffice", "new.csv", "-o", "s.csv", "--class-prior", "yes=0,no=1").exit_code == 0
    assert {row["predicted"] for row in read_rows(folder / "s.csv")} == {"no"}


def test_three_classes_have_log_odds_each(folder, run):
    rows = "\n".join(f"{x},{c}" for c, xs in {"a": (1, 2), "b": (5, 6), "c": (9, 11)}.items() for x in xs)
    (folder / "three.csv").write_text(f"x,y\n{rows}\n", encoding="utf-8")
    assert run("fit", "three.csv", "-t", "y", "-o", "m.suffice", "-c", "x=gaussian").exit_code == 0
    assert (
        run("predict", "m.suffice", "three.csv", "-o", "s.csv", "--log-odds", "--proba", "--digits", "17").exit_code
        == 0
    )
    for row in read_rows(folder / "s.csv"):
        for label in "abc":
            p = float(row[f"p({label})"])
            assert float(row[f"log_odds({label})"]) == pytest.approx(np.log(p) - np.log1p(-p), rel=1e-6)


def test_update_and_forget_in_place(folder, run):
    before = (folder / "model.suffice").read_bytes()
    done = run("update", "model.suffice", "tuesday.csv")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.endswith("\nwrote model.suffice: 300 rows before, 400 now\n")
    assert sf.load("model.suffice") == sf.fit(sf.Files(["train.csv", "tuesday.csv"]), "churned", calibrate=False)
    found = the_object(run("forget", "model.suffice", "tuesday.csv", "--json"))
    assert (found["rows_before"], found["rows"], found["classes"]) == (400, 300, ["no", "yes"])
    (folder / "first.suffice").write_bytes(before)
    assert close(sf.load("model.suffice"), sf.load("first.suffice"))


def test_update_elsewhere_leaves_the_model_as_it_is(folder, run):
    before = (folder / "model.suffice").read_bytes()
    assert run("update", "model.suffice", "tuesday.csv", "-o", "week.suffice").exit_code == 0
    assert (folder / "model.suffice").read_bytes() == before
    assert sf.load("week.suffice").provenance.rows == 400


def test_merge_is_one_fit(folder, run):
    fit = run("fit", "tuesday.csv", "--schema", "model.suffice", "--no-calibrate", "-o", "tuesday.suffice")
    assert fit.exit_code == 0
    done = run("merge", "model.suffice", "tuesday.suffice", "-o", "week.suffice")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("wrote week.suffice: 2 models, 400 rows, ")
    assert sf.load("week.suffice") == sf.load("model.suffice").update("tuesday.csv")
    found = the_object(run("merge", "model.suffice", "tuesday.suffice", "-o", "week.suffice", "--json"))
    assert found == {
        "model": "week.suffice",
        "merged": ["model.suffice", "tuesday.suffice"],
        "rows": 400,
        "classes": ["no", "yes"],
        "calibration": None,
        "warnings": [],
    }


def test_read_otherwise(folder, run):
    model = sf.load("model.suffice")
    done = run("set", "model.suffice", "--estimate", "smoothed", "--alpha", "0.5", "-o", "r.suffice")
    assert (done.exit_code, done.stdout) == (0, "wrote r.suffice: estimate smoothed, class prior empirical\n")
    assert sf.load("r.suffice") == model.with_options(estimate="smoothed", alpha=0.5)
    words = ["--class-prior", "yes=0.1,no=0.9", "--prior", "plan=Categorical(alpha=0.5)", "--prior", "minutes=gaussian"]
    found = the_object(run("set", "model.suffice", *words, "-o", "r.suffice", "--json"))
    read = sf.load("r.suffice")
    assert found["log_evidence"] == read.log_evidence()
    named = {name: block.likelihood for block in read.schema.blocks for name in block.columns}
    assert named["plan"] == sf.Categorical(alpha=0.5)
    assert named["minutes"] == sf.Gaussian()
    assert named["payment"] == sf.Categorical(alpha="evidence")
    assert read.core.class_prior == sf.ClassPrior.of({"yes": 0.1, "no": 0.9})


def test_export_every_parameter(folder, run):
    parameters = sf.load("model.suffice").parameters()
    done = run("export", "model.suffice", "--to", "csv")
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert [row["value"] for row in rows] == [repr(each.value) for each in parameters]
    assert {row["class"] for row in rows} == {"no", "yes"}
    found = json.loads(run("export", "model.suffice", "--to", "json").stdout)
    assert [row["value"] for row in found["parameters"]] == [each.value for each in parameters]
    assert found["classes"] == ["no", "yes"]
    done = run("export", "model.suffice", "--to", "json", "-o", "p.json", "--json", "--credible", "0.5")
    assert the_object(done) == {"output": "p.json", "parameters": len(parameters), "warnings": []}
    narrower = json.loads((folder / "p.json").read_text(encoding="utf-8"))["parameters"]
    at = next(i for i, each in enumerate(parameters) if each.column == "plan")
    assert parameters[at].lower < narrower[at]["lower"] < narrower[at]["upper"] < parameters[at].upper


def test_sample_rows_that_the_model_takes_back(folder, run):
    done = run("sample", "model.suffice", "-n", "50", "--seed", "1", "-o", "rows.csv")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("wrote rows.csv: 50 rows, ")
    rows = read_rows(folder / "rows.csv")
    assert len(rows) == 50
    drawn = sf.load("model.suffice").sample(50, seed=np.random.default_rng(1))
    assert [row["churned"] for row in rows] == drawn.target.tolist()
    assert [row["plan"] for row in rows] == drawn.data["plan"].tolist()
    assert run("update", "model.suffice", "rows.csv").exit_code == 0
    again = run("sample", "model.suffice", "-n", "3", "--seed", "1", "--class", "yes", "--to", "ndjson")
    lines = [json.loads(line) for line in again.stdout.splitlines()]
    assert [line["churned"] for line in lines] == ["yes"] * 3
    assert the_object(run("sample", "model.suffice", "-n", "0", "-o", "none.csv", "--json")) == {
        "output": "none.csv",
        "rows": 0,
        "warnings": [],
    }
    assert read_rows(folder / "none.csv") == []


def test_show_a_model(folder, run):
    done = run("show", "model.suffice", "--top", "3")
    assert (done.exit_code, done.stderr) == (0, "")
    text = done.stdout
    assert text.startswith("model.suffice: 300 rows, 2 classes, ")
    head, *telling = text.split("mutual information (bits)\n")[1].split("\n\n")[0].splitlines()
    assert head.split() == ["column", "nats", "bits"]
    assert len(telling) == 3
    assert all("█" in line for line in telling)
    assert "\nevidence for yes (right) or against it (left), ranked by nats × difference in frequency\n" in text
    found = the_object(run("show", "model.suffice", "--top", "3", "--json"))
    assert [each["column"] for each in found["informative_columns"]] == [line.split()[0] for line in telling]
    assert found["target"] == "churned"
    assert len(found["value_evidence"]) == 6


def test_show_what_is_certain(folder, run):
    """Under mle a level may be impossible in a class: its evidence is infinite, and JSON has a text for that."""
    (folder / "fur.csv").write_text("fur,sex\ncalico,f\nblack,f\nblack,m\n", encoding="utf-8")
    assert run("fit", "fur.csv", "-t", "sex", "--estimate", "mle", "-o", "m.suffice").exit_code == 0
    found = the_object(run("show", "m.suffice", "--json"))
    levels = {(row["label"], row["level"]): row["evidence"] for row in found["value_evidence"]}
    assert levels["f", "calico"] == "inf"
    assert levels["m", "calico"] == "-inf"
    shown = run("show", "m.suffice").stdout
    assert ["fur", "∞", "0.2516", "█" * 24] in [line.split() for line in shown.splitlines()]
    assert ["fur", "=", "calico", "0", "%", "50.0", "%", "−∞", "█" * 12 + "│"] in [
        line.split() for line in shown.splitlines()
    ]


def test_show_where_there_is_little_or_much(folder, run):
    (folder / "one.csv").write_text("fur,sex\ncalico,f\nblack,f\n", encoding="utf-8")
    assert run("fit", "one.csv", "-t", "sex", "-o", "m.suffice").exit_code == 0
    shown = run("show", "m.suffice")
    assert shown.stdout.endswith("no evidence to show: the model has fewer than two classes, or no columns\n")
    wide = ",".join(f"c{at}" for at in range(60))
    rows = "".join(f"k{at % 14},{','.join(str(at * each % 7 > 2) for each in range(60))}\n" for at in range(28))
    (folder / "wide.csv").write_text(f"y,{wide}\n{rows}", encoding="utf-8")
    done = run("fit", "wide.csv", "-t", "y", "-o", "m.suffice")
    assert "c0 … c59 (60 columns)" in done.stdout
    shown = run("show", "m.suffice", "--top", "2").stdout
    assert "\n… 2 more classes; --json has all of them\n" in shown
    assert shown.count(" (right) or against it (left), ranked by nats × difference in frequency") == 12


def test_a_column_of_many_classes_and_levels_is_cut(folder, run):
    rows = "".join(f"v{at % 30},k{at % 100:02}\n" for at in range(3000))
    (folder / "many.csv").write_text(f"level,y\n{rows}", encoding="utf-8")
    with pytest.warns(sf.errors.TargetWarning):
        sf.fit("many.csv", "y", calibrate=False).save("m.suffice")
    shown = run("show", "m.suffice", "--column", "level", "--top", "4").stdout
    parameters, evidence, *values = shown.split("\n\n")
    lines = parameters.splitlines()
    assert len(lines) == 2 + 12 * (20 + 1) + 1
    assert lines[22].split() == ["…", "10", "more", "of", "k00;", "see", "suffice", "export"]
    assert lines[-1] == "  … 88 more classes; --json has all of them"
    assert len(evidence.splitlines()) == 2 + 12 + 1
    assert len(values) == 12 + 1
    assert values[-1] == "… 88 more classes; --json has all of them\n"
    assert len(the_object(run("show", "m.suffice", "--column", "level", "--json"))["nats"]) == 100


def test_show_a_column(folder, run):
    done = run("show", "model.suffice", "--column", "plan")
    assert done.exit_code == 0
    assert done.stdout.startswith("plan: Categorical(alpha='evidence'), alpha 1\n")
    found = the_object(run("show", "model.suffice", "--column", "plan", "--json"))
    assert [row["value"] for row in found["parameters"]] == [
        each.value for each in sf.load("model.suffice").parameters() if each.column == "plan"
    ]
    left_out = run("show", "model.suffice", "--column", "customer")
    assert left_out.stdout.startswith(
        "customer: left out, probably an id (300 of 300 values are distinct); give it a likelihood"
    )


def test_show_a_joint_column_by_one_of_its_names(folder, run):
    assert run("fit", "train.csv", "-t", "churned", "-o", "m.suffice", "-c", "plan+payment=joint").exit_code == 0
    found = the_object(run("show", "m.suffice", "--column", "plan", "--json"))
    assert {tuple(row["level"]) for row in found["parameters"]} >= {("basic", "card")}


def test_demo_leaves_data_models_predictions_and_next_steps(folder, run, monkeypatch):
    done = run("demo")
    assert (done.exit_code, done.stderr) == (0, "")
    there = folder / "suffice-demo"
    names = ["costs.csv", "logs", "mail", "mail.csv", "mail.suffice", "model.suffice", "new.csv", "one_customer.csv"]
    assert sorted(path.name for path in there.iterdir()) == [
        *names,
        "scored.csv",
        "totals.csv",
        "train.csv",
        "tuesday.csv",
    ]
    rows = read_rows(there / "scored.csv")
    assert list(rows[0]) == ["customer", "churned", "predicted", "p(no)", "p(yes)"]
    right = sum(row["churned"] == row["predicted"] for row in rows) / len(rows)
    majority = sum(row["churned"] == "no" for row in rows) / len(rows)
    said = f"{100 * right:.1f} % correct ({100 * majority:.1f} % by always predicting 'no')"
    assert f"{len(rows):,} new customers predicted: {said}" in done.stdout
    assert 0.8 < right < 0.95
    found = the_object(run("demo", "--force", "--json"))
    assert (found["accuracy"], found["majority_accuracy"]) == (right, majority)
    again = run("demo")
    assert (again.exit_code, again.stderr) == (
        1,
        "suffice: 'suffice-demo' already exists, and the demo does not overwrite files. Give another name, or --force.\n",
    )
    first, *tried, last = [line.strip() for line in done.stdout.split("try next\n")[1].splitlines()]
    assert first == "cd suffice-demo"
    assert last.startswith("suffice fit YOUR.csv")
    monkeypatch.chdir(there)
    for line in tried:
        assert run(*line.split("|")[0].split()[1:]).exit_code == 0, line
    assert {line.split()[1] for line in tried} >= {"explain", "evaluate"}
