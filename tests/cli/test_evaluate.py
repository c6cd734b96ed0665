"""`suffice evaluate`: what it prints, that it equals what Python gives, and what it refuses."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import suffice as sf
from suffice.cli.terminal import shade

QUICK = ["--bootstrap", "0"]


def the_object(done):
    assert done.exit_code == 0, done.stderr
    (line,) = done.stdout.splitlines()
    return json.loads(line, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def numbers(found):
    return {(each["metric"], each["label"]): each["value"] for each in found["metrics"]}


def expected(found):
    return {(each["metric"], each["label"]): each["value"] for each in found.records()}


def test_it_says_which_columns_it_left_out(folder, run):
    reason = "probably an id (300 of 300 values are distinct); give it a likelihood to use it"
    for words in (("--target", "churned"), ("--model", "model.suffice")):
        done = run("evaluate", "train.csv", *words, "--bootstrap", "0")
        _, _, after = done.stdout.partition("\ncolumns left out\n")
        assert " ".join(after.partition("\n\n")[0].split()) == f"column reason customer {reason}"
        record = json.loads(run("evaluate", "train.csv", *words, "--bootstrap", "0", "--json").stdout)
        assert record["left_out"] == [{"name": "customer", "reason": reason}]
        assert record["metrics"][0]["baseline"] == record["baseline"]["accuracy"]


def test_it_prints_numbers_classes_confusion_and_reliability(folder, run):
    done = run("evaluate", "train.csv", "--target", "churned", "--bootstrap", "50")
    assert (done.exit_code, done.stderr) == (0, "")
    found = sf.evaluate("train.csv", "churned", bootstrap=50)
    lines = done.stdout.splitlines()
    assert lines[0] == "300 rows, 10 stratified folds"
    accuracy = found["accuracy"]
    assert lines[3].split() == ["metric", "value", "95", "%", "interval", "baseline", "better"]
    majority = found.confusion.sum(axis=1).max() / 300
    interval = f"{accuracy.lower:.4f} … {accuracy.upper:.4f}"
    assert lines[4].split("  ")[1:] == ["accuracy", *lines[4].split("  ")[2:]]
    assert f"{accuracy.value:.4f}  {interval}    {majority:.4f}  higher" in lines[4]
    at = lines.index("confusion matrix (rows: true class, columns: predicted class)")
    assert lines[at + 1].split() == ["no", "yes"]
    for line, label, row in zip(lines[at + 2 : at + 4], ("no", "yes"), found.confusion.tolist(), strict=True):
        cells = line.split()
        assert cells[0] == label
        assert [float(cell) for cell in cells[1::2]] == row
        assert cells[2::2] == [shade(cell / sum(row)) * 2 for cell in row]
    at = lines.index("reliability: probability of the predicted class, and observed accuracy")
    assert lines[at + 1].split() == ["probability", "rows", "predicted", "observed"]
    assert len(lines[at + 2 :]) - 2 == len(found.reliability)
    assert lines[-1].startswith("300 rows in ")


@pytest.mark.parametrize(
    ("words", "given"),
    [
        (["--folds", "4", "--seed", "2"], {"folds": 4, "seed": 2}),
        (["--loo", "--estimate", "map"], {"loo": True, "estimate": "map"}),
        (["--test", "tuesday.csv", "--positive", "no"], {"test": "tuesday.csv", "positive": "no"}),
        (["--folds", "3", "--group", "region"], {"folds": 3, "groups": "region"}),
        (["--order", "customer", "--folds", "5"], {"order": "customer", "folds": 5}),
        (["--class-prior", "yes=0.25,no=0.75"], {"class_prior": {"yes": 0.25, "no": 0.75}}),
        (["--weights", "months", "--class-prior", "uniform"], {"weights": "months", "class_prior": "uniform"}),
        (
            ["--column", "support_calls=poisson", "--drop", "customer"],
            {"columns": {"support_calls": sf.Poisson(), "customer": None}},
        ),
    ],
)
def test_every_way_is_that_of_python(folder, run, words, given):
    found = the_object(run("evaluate", "train.csv", "-t", "churned", "--json", *QUICK, *words))
    alike = sf.evaluate("train.csv", "churned", bootstrap=0, **given)
    assert numbers(found) == expected(alike)
    assert found["how"] == alike.how
    assert found["rows"] == len(alike.codes)
    assert found["confusion"] == alike.confusion.tolist()


def test_intervals_are_null_where_none_was_asked_for(folder, run):
    found = the_object(run("evaluate", "train.csv", "-t", "churned", "--json", *QUICK))
    assert all(each["lower"] is None for each in found["metrics"])
    assert math.isfinite(found["seconds"])


def test_a_model_is_measured_as_it_is_and_as_it_is_read(folder, run):
    model = sf.load("model.suffice")
    found = the_object(run("evaluate", "tuesday.csv", "--model", "model.suffice", "--json", *QUICK))
    assert numbers(found) == expected(model.evaluate("tuesday.csv", bootstrap=0))
    words = ["--estimate", "mle", "--class-prior", "yes=0.5,no=0.5", "--positive", "no"]
    found = the_object(run("evaluate", "tuesday.csv", "--model", "model.suffice", "--json", *QUICK, *words))
    read = model.with_options(estimate="mle", class_prior=[0.5, 0.5])
    assert numbers(found) == expected(read.evaluate("tuesday.csv", positive="no", bootstrap=0))


def test_folders_of_texts_need_no_target(folder, run):
    found = the_object(run("evaluate", "mail/", "--folds", "2", "--json", *QUICK))
    assert numbers(found) == expected(sf.evaluate("mail/", folds=2, bootstrap=0))
    plain = the_object(run("evaluate", "mail/", "--folds", "2", "--no-calibrate", "--json", *QUICK))
    assert numbers(plain) == expected(sf.evaluate("mail/", folds=2, bootstrap=0, calibrate=False))


def test_readings_are_a_table(folder, run):
    done = run("evaluate", "train.csv", "-t", "churned", "--folds", "3", "--readings", *QUICK)
    assert (done.exit_code, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    at = lines.index("estimators and class priors, sorted by log loss, not calibrated")
    losses = [float(line.split("l  ")[1].split()[0]) for line in lines[at + 2 : at + 4] if "empirical" in line]
    assert losses == sorted(losses)
    found = the_object(run("evaluate", "train.csv", "-t", "churned", "--folds", "3", "--readings", "--json", *QUICK))
    assert len(found["readings"]) == 20
    assert found["readings"][0]["log_loss"] == min(each["log_loss"] for each in found["readings"])


def test_standard_input_and_plain_terminals(folder, shell):
    done = shell("cat train.csv | suffice evaluate - -t churned --bootstrap 0 --json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"] == 300
    by_name = shell("cat train.csv | suffice evaluate - -t churned --positive yes --class-prior yes=0.3,no=0.7 --json")
    assert by_name.returncode == 0, by_name.stderr  # classes by name need no pass of their own
    done = shell("PYTHONIOENCODING=latin-1:replace suffice evaluate train.csv -t churned --bootstrap 0 --folds 3")
    assert done.returncode == 0, done.stderr
    assert "##" in done.stdout


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["train.csv"], "Missing option --target: name the class column, e.g. --target label."),
        (
            ["train.csv", "-t", "churned", "--loo", "--folds", "3"],
            "Invalid value for --loo: this option cannot be combined with --folds.",
        ),
        (
            ["train.csv", "-t", "churned", "--group", "plan", "--order", "months"],
            "Invalid value for --order: this option cannot be combined with --group.",
        ),
        (
            ["train.csv", "-t", "churned", "--loo", "--group", "plan"],
            "this option applies to folds, which --loo does not use.",
        ),
        (
            ["train.csv", "--model", "model.suffice", "--drop", "plan"],
            "the columns of the model are fixed. Omit --column and --drop.",
        ),
    ],
)
def test_commands_that_make_no_sense(folder, run, words, complaint):
    done = run("evaluate", *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert complaint in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            ["--folds", "301"],
            "suffice: folds must be at most the number of rows, 300: got 301. Use fewer folds, or --loo.\n",
        ),
        (["--group", "plam"], "suffice: groups column 'plam' is not in train.csv. Did you mean 'plan'?\n"),
        (["--positive", "yess"], "suffice: the model has no class 'yess'. Did you mean 'yes'?\n"),
    ],
)
def test_data_that_cannot_be_measured(folder, run, words, complaint):
    done = run("evaluate", "train.csv", "-t", "churned", *words)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == complaint


def test_more_classes_than_fit_on_a_screen(folder, run):
    rows = ["x,label", *(f"{at % 15 + at / 100},c{at % 15:02}" for at in range(150))]
    (folder / "many.csv").write_text("\n".join(rows))
    done = run("evaluate", "many.csv", "-t", "label", "--folds", "3", *QUICK)
    assert done.exit_code == 0
    assert "  … 3 more classes; --json has all of them" in done.stdout.splitlines()
    assert "confusion matrix (" not in done.stdout
    found = sf.evaluate("many.csv", "label", folds=3, bootstrap=0)
    wrong = found.confusion - np.diag(np.diagonal(found.confusion))
    lines = done.stdout.split("\nmost frequent confusions\n")[1].split("\n\n")[0].splitlines()
    assert lines[0].split() == ["true", "class", "predicted", "rows"]
    true, predicted, rows = lines[1].split()[:3]
    assert wrong[found.classes.index(true), found.classes.index(predicted)] == float(rows) == wrong.max()
    more = int((wrong > 0).sum()) - 10
    assert lines[11:] == [f"  … {more} more pairs of classes; --json has the confusion matrix"]
