"""`suffice decide` and what `suffice predict` shares with it: the numbers of Python, and what cannot be."""

from __future__ import annotations

import json
import os

import numpy as np
import polars as pl
import pytest

import suffice as sf
from suffice.cli.completion import UNITS
from suffice.decisions.odds import unit_of
from tests.cli.conftest import read_rows

COSTS = {"leave": {"no": 0, "yes": 100}, "call": {"no": 5, "yes": 40}}


def the_object(done):
    """Return the one JSON object on stdout."""
    assert done.exit_code == 0, done.stderr
    (line,) = done.stdout.splitlines()
    return json.loads(line, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def numbers(rows, name):
    return np.array([float(row[name]) for row in rows])


def test_the_units_that_help_and_completion_know_are_those_that_there_are():
    assert [unit_of(name) for name in UNITS] == ["nats", "bits", "decibans"]


def test_decisions_to_stdout_are_csv(folder, run):
    done = run("decide", "model.suffice", "new.csv", "--costs", "costs.csv")
    assert (done.exit_code, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "action,expected_cost,predicted"
    found = sf.load("model.suffice").decide(pl.read_csv("new.csv"), COSTS)
    assert [line.split(",")[0] for line in lines[1:]] == found.action.tolist()
    assert set(found.action) == {"leave", "call"}


def test_everything_is_that_of_python(folder, run):
    words = [
        "--proba",
        "--log-odds",
        "--llr",
        "--each-cost",
        "--unit",
        "decibans",
        "--keep",
        "customer",
        "--digits",
        "17",
    ]
    words += ["--class-prior", "yes=0.05,no=0.95", "-o", "s.csv"]
    done = run("decide", "model.suffice", "new.csv", "--costs", "costs.csv", *words)
    assert (done.exit_code, done.stderr) == (0, "")
    found = sf.load("model.suffice").decide(
        pl.read_csv("new.csv"), COSTS, class_prior={"yes": 0.05, "no": 0.95}, unit="decibans"
    )
    rows = read_rows(folder / "s.csv")
    assert list(rows[0]) == [
        *("customer", "action", "expected_cost", "predicted", "p(no)", "p(yes)", "log_odds(yes)", "llr(yes)"),
        *("cost(leave)", "cost(call)"),
    ]
    assert [row["action"] for row in rows] == found.action.tolist()
    assert [row["predicted"] for row in rows] == found.predicted.tolist()
    for name, values in [
        ("expected_cost", found.expected_cost),
        ("p(yes)", found.probabilities[:, 1]),
        ("log_odds(yes)", found.log_odds[:, 1]),
        ("llr(yes)", found.llr[:, 1]),
        ("cost(call)", found.expected_costs[:, 1]),
    ]:
        np.testing.assert_allclose(numbers(rows, name), values, rtol=1e-13)
    lines = done.stdout.splitlines()
    counts = {action: found.action.tolist().count(action) for action in found.actions}
    table = [["action", "rows"], *([action, str(count)] for action, count in counts.items())]
    assert [line.split() for line in lines[:3]] == table
    assert lines[3].startswith("expected cost: ")
    assert lines[4].startswith("wrote s.csv: 200 rows in ")


@pytest.mark.parametrize("form", ["csv", "tsv", "json", "options"])
def test_costs_in_every_form(folder, run, form):
    words = ["--costs", f"c.{form}"]
    if form == "csv":
        (folder / "c.csv").write_text("\ufeffaction;yes;no\n\nleave;100;0\ncall;40;5\n ask ; 9;9 \n", encoding="utf-8")
    elif form == "tsv":
        (folder / "c.tsv").write_text("action\tno\tyes\nleave\t0\t100\ncall\t5\t40\nask\t9\t9\n", encoding="utf-8")
    elif form == "json":
        (folder / "c.json").write_text(json.dumps({**COSTS, "ask": 9}), encoding="utf-8")
    else:
        words = ["--cost", "leave,yes=100", "--cost", "call=5", "--cost", "call,yes=40", "--cost", "ask=9"]
    done = run("decide", "model.suffice", "new.csv", *words)
    assert (done.exit_code, done.stderr) == (0, "")
    found = sf.load("model.suffice").decide(pl.read_csv("new.csv"), {**COSTS, "ask": 9})
    assert [line.split(",")[0] for line in done.stdout.splitlines()[1:]] == found.action.tolist()


def test_without_costs_the_most_probable_class_is_taken(folder, run):
    done = run("decide", "model.suffice", "new.csv", "-o", "s.csv")
    assert done.exit_code == 0
    rows = read_rows(folder / "s.csv")
    assert [row["action"] for row in rows] == [row["predicted"] for row in rows]


def test_a_threshold(folder, run):
    done = run(
        "decide", "model.suffice", "new.csv", "-o", "s.csv", "--threshold", "-5", "--unit", "decibans", "--log-odds"
    )
    assert done.exit_code == 0
    rows = read_rows(folder / "s.csv")
    assert [row["action"] == "yes" for row in rows] == (numbers(rows, "log_odds(yes)") > -5).tolist()


def test_the_prior_of_the_data_for_scripts(folder, run):
    words = ["--costs", "costs.csv", "--estimate-prior", "-o", "s.csv", "--json", "--proba", "--digits", "17"]
    record = the_object(run("decide", "model.suffice", "new.csv", *words))
    model, new = sf.load("model.suffice"), pl.read_csv("new.csv")
    found = model.decide(new, COSTS, class_prior="estimate")
    assert record["rows"] == 200
    assert record["output"] == "s.csv"
    assert record["actions"] == [
        {"action": action, "rows": found.action.tolist().count(action)} for action in ("leave", "call")
    ]
    assert record["expected_cost"] == pytest.approx(found.expected_cost.sum(), rel=1e-12)
    shift = model.prior_shift(new)
    assert [each["share"] for each in record["class_prior"]] == pytest.approx(shift.after.tolist(), rel=1e-14)
    assert record["prior_shift"]["classes"] == [
        {"label": label, "before": before, "after": after}
        for label, before, after in zip(shift.classes, shift.before.tolist(), shift.after.tolist(), strict=True)
    ]
    assert record["prior_shift"]["p_value"] == shift.p_value
    assert record["prior_shift"]["converged"] is True
    np.testing.assert_allclose(numbers(read_rows(folder / "s.csv"), "p(yes)"), found.probabilities[:, 1], rtol=1e-12)


def test_the_prior_of_the_data_for_people(folder, run):
    done = run("decide", "model.suffice", "new.csv", "--costs", "costs.csv", "--estimate-prior", "-o", "s.csv")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("class prior estimated from 200 rows (test of no change from the training prior: p = ")
    assert [line.split()[:1] for line in lines[1:8]] == [
        ["class"],
        ["no"],
        ["yes"],
        [],
        ["action"],
        ["leave"],
        ["call"],
    ]


def test_predict_under_the_prior_of_the_data(folder, run):
    words = ["--estimate-prior", "--proba", "--log-odds", "--unit", "bits", "-o", "s.csv", "--json", "--digits", "17"]
    record = the_object(run("predict", "model.suffice", "new.csv", *words))
    model, new = sf.load("model.suffice"), pl.read_csv("new.csv")
    found = model.decide(new, class_prior="estimate", unit="bits")
    rows = read_rows(folder / "s.csv")
    np.testing.assert_allclose(numbers(rows, "p(yes)"), found.probabilities[:, 1], rtol=1e-9)
    np.testing.assert_allclose(numbers(rows, "log_odds(yes)"), found.log_odds[:, 1], rtol=1e-9, atol=1e-9)
    assert record["prior_shift"]["rows"] == 200
    done = run("predict", "model.suffice", "new.csv", "--estimate-prior", "-o", "s.csv")
    assert done.stdout.startswith("class prior estimated from 200 rows")
    assert the_object(run("predict", "model.suffice", "new.csv", "-o", "s.csv", "--json"))["prior_shift"] is None


def test_what_stands_in_the_data_already(folder, run):
    assert run("decide", "model.suffice", "new.csv", "-o", "a.csv", "--keep", "*").exit_code == 0
    record = the_object(run("decide", "model.suffice", "a.csv", "-o", "b.csv", "--keep", "*", "--json"))
    assert sum(each["rows"] for each in record["actions"]) == 200
    rows = read_rows(folder / "b.csv")
    assert [row["action_"] for row in rows] == [row["action"] for row in rows]


def test_no_rows_are_a_header(folder, run):
    (folder / "none.csv").write_text((folder / "new.csv").read_text(encoding="utf-8").splitlines()[0] + "\n")
    done = run("decide", "model.suffice", "none.csv", "--costs", "costs.csv", "--estimate-prior")
    assert (done.exit_code, done.stdout) == (0, "action,expected_cost,predicted\n")
    assert run("decide", "model.suffice", "none.csv", "--costs", "costs.csv", "-o", "s.csv").exit_code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--json"], "--json needs -o FILE, because the rows go to stdout."),
        (["--threshold", "1", "--costs", "costs.csv"], "give only one of --costs and --threshold."),
        (
            ["--cost", "a,no=1", "--costs", "costs.csv"],
            "give a file with --costs or single costs with --cost, not both.",
        ),
        (["--cost", "call"], "'call' is not ACTION,CLASS=COST. Write for example block,ok=5, or refer=2"),
        (["--cost", "call,=3"], "'call,=3' is not ACTION,CLASS=COST."),
        (["--cost", "call,no=much"], "'call,no=much' is not ACTION,CLASS=COST."),
        (["--cost", "call,no=1", "--cost", "call,no=2"], "'call,no' is given twice. Give it once."),
        (["--unit", "bit"], "unknown unit 'bit'. Did you mean 'bits'?"),
        (["--unit", "zz"], "unknown unit 'zz'. There are nats, bits, decibans."),
        (["--estimate-prior", "--class-prior", "uniform"], "give --class-prior or --estimate-prior, not both."),
    ],
)
def test_a_command_that_is_used_wrongly(folder, run, words, message):
    done = run("decide", "model.suffice", "new.csv", *words)
    assert done.exit_code == 2
    said = " ".join(done.stderr.replace("│", " ").split())
    assert message in said


@pytest.mark.parametrize("command", ["decide", "predict"])
def test_what_can_be_read_once_has_no_prior_to_estimate(folder, run, command):
    done = run(command, "model.suffice", "-", "--estimate-prior")
    assert done.exit_code == 2
    said = " ".join(done.stderr.replace("│", " ").split())
    assert (
        "this option reads the data twice, but - can be read only once. Save it to a file first, or give --class-prior."
        in said
    )
    os.mkfifo("pipe")
    assert "pipe can be read only once" in " ".join(
        run(command, "model.suffice", "pipe", "--estimate-prior").stderr.split()
    )


FILES = {
    "gap.csv": "action,no,yes\nleave,0,\n",
    "short.csv": "action,no,yes\nleave,0\n",
    "twice.csv": "action,no,yes\nleave,0,1\nleave,0,1\n",
    "head.csv": "action\n",
    "less.csv": "action,no\nleave,0\n",
    "none.csv": "action,no,yes\n",
    "bad.json": '{"leave": }',
    "list.json": "[1, 2]",
    "text.json": '{"leave": {"no": "0", "yes": 1}}',
    "flat.json": '{"leave": 1}',
}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--costs", "gone.csv"], "the file or folder 'gone.csv' does not exist. Check the path."),
        (
            ["--costs", "gap.csv"],
            "gap.csv, line 2: the cost in class 'yes' must be a number: got ''. Write 0 if it costs nothing.",
        ),
        (["--costs", "short.csv"], "short.csv, line 2: 2 fields, but the first line has 3."),
        (["--costs", "twice.csv"], "twice.csv, line 3: action 'leave' is given twice. Keep one line for it."),
        (
            ["--costs", "head.csv"],
            "head.csv must be a table: a line 'action,class,class,…', then a line with the costs of each action.",
        ),
        (
            ["--costs", "less.csv"],
            "costs has no entry for class 'yes'. The classes are 'no', 'yes': give the cost of each action in "
            "each of them.",
        ),
        (["--costs", "none.csv"], "costs must have at least one action: got none."),
        (
            ["--costs", "bad.json"],
            "bad.json, line 1: not valid JSON: Expecting value.",
        ),
        (
            ["--costs", "list.json"],
            'list.json must hold one object such as {"block": {"ok": 5, "fraud": 0}, "refer": 2}: got list.',
        ),
        (
            ["--costs", "text.json"],
            "a cost must be a finite number (at most 1e300 in absolute value): action 'leave', class 'no' has '0'. "
            "To exclude an action, use a cost that is large compared with the others.",
        ),
        (
            ["--costs", "flat.json"],
            "costs must depend on the class, but every action has the same cost in all classes. Give at least one action a "
            "mapping {class: cost}.",
        ),
        (["--cost", "call,ja=3"], "the model has no class 'ja'. Its classes are 'no', 'yes'."),
        (
            ["--costs", "costs.csv", "-o", "costs.csv"],
            "-o 'costs.csv' is an input file of this command. Choose another name, so that it is not overwritten.",
        ),
    ],
)
def test_costs_that_cannot_be(folder, run, words, message):
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    done = run("decide", "model.suffice", "new.csv", *words)
    assert (done.stdout, done.stderr, done.exit_code) == ("", f"suffice: {message}\n", 1)
