"""`suffice decide --precision, --recall, --alerts`: the line that Python draws, and what does not go together."""

from __future__ import annotations

import json
import os

import polars as pl
import pytest

import suffice as sf
from suffice.cli.demo import TARGET
from tests.cli.conftest import read_rows

ON = ["--on", "tuesday.csv"]


def said_of(done):
    assert done.exit_code == 0, done.stderr
    (line,) = done.stdout.splitlines()
    return json.loads(line, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (["--precision", "0.4"], {"precision": 0.4}),
        (["--recall", "0.9"], {"recall": 0.9}),
        (["--recall", "1", "--positive", "no"], {"recall": 1.0, "positive": "no"}),
        (["--recall", "0.8", "--class-prior", "yes=0.02,no=0.98"], {"recall": 0.8, "class_prior": [0.98, 0.02]}),
    ],
)
def test_the_line_is_that_of_python(folder, run, words, asked):
    model = sf.load("model.suffice")
    line = model.threshold(pl.read_csv("tuesday.csv"), TARGET, **asked)
    said = said_of(run("decide", "model.suffice", "new.csv", *words, *ON, "-o", "s.csv", "--json"))
    assert said["threshold"] == {
        "positive": line.positive,
        "log_odds": pytest.approx(line.value, rel=1e-12),
        "unit": "nats",
        "precision": line.precision,
        "recall": line.recall,
        "alerts": line.alerts,
        "alert_rate": line.alert_rate,
    }
    expected = model.decide(pl.read_csv("new.csv"), class_prior=asked.get("class_prior"), threshold=line)
    assert [row["action"] for row in read_rows(folder / "s.csv")] == expected.action.tolist()
    assert 0 < line.alerts < 100


@pytest.mark.parametrize(
    ("budget", "asked"), [("7", {"alerts": 7}), ("5%", {"alert_rate": 0.05}), ("0.05", {"alert_rate": 0.05})]
)
def test_a_budget_of_alerts_is_kept_on_the_data_itself(folder, run, budget, asked):
    said = said_of(run("decide", "model.suffice", "new.csv", "--alerts", budget, "-o", "s.csv", "--json"))
    model, new = sf.load("model.suffice"), pl.read_csv("new.csv")
    line = model.threshold(new, **asked)
    assert said["threshold"]["alerts"] == line.alerts
    assert (said["threshold"]["precision"], said["threshold"]["recall"]) == (None, None)
    found = [row["action"] for row in read_rows(folder / "s.csv")]
    assert found.count("yes") == line.alerts > 0
    assert said["actions"] == [{"action": "no", "rows": 200 - line.alerts}, {"action": "yes", "rows": line.alerts}]
    of_others = said_of(run("decide", "model.suffice", "new.csv", "--alerts", budget, *ON, "-o", "s.csv", "--json"))
    assert of_others["threshold"]["alerts"] == model.threshold(pl.read_csv("tuesday.csv"), **asked).alerts


def test_for_people_in_their_unit(folder, run):
    done = run("decide", "model.suffice", "new.csv", "--recall", "0.9", *ON, "--unit", "bits", "-o", "s.csv")
    line = sf.load("model.suffice").threshold(pl.read_csv("tuesday.csv"), TARGET, recall=0.9)
    assert done.stdout.splitlines()[:2] == [
        f"threshold: yes if its log-odds exceed {line.value / 0.6931471805599453:.4g} bits",
        f"  on tuesday.csv: precision {line.precision:.3f}, recall {line.recall:.3f}, {line.alerts:.0f} alerts "
        f"({100 * line.alert_rate:.1f} % of the rows)",
    ]
    done = run("decide", "model.suffice", "new.csv", "--alerts", "1", "-o", "s.csv")
    assert "  on the data: 1 alert (0.5 % of the rows)" in done.stdout.splitlines()


def test_another_column_holds_the_class(folder, run):
    pl.read_csv("tuesday.csv").rename({TARGET: "left"}).write_csv("other.csv")
    words = ["decide", "model.suffice", "new.csv", "--recall", "0.9", "-o", "s.csv", "--json"]
    said = said_of(run(*words, "--on", "other.csv", "--target", "left"))
    assert said["threshold"] == said_of(run(*words, *ON))["threshold"]
    done = run(*words, "--on", "other.csv")
    assert done.exit_code == 1
    assert done.stderr.startswith(
        f"suffice: target column {TARGET!r} is not in other.csv. The columns are 'customer', "
    )


def test_folders_of_texts_say_the_class(folder, run):
    said = said_of(run("decide", "mail.suffice", "mail/ham", "--recall", "1", "--on", "mail", "-o", "s.csv", "--json"))
    assert said["threshold"]["positive"] == "spam"
    assert said["threshold"]["recall"] == 1


def test_it_goes_with_the_prior_of_the_data(folder, run):
    words = ["decide", "model.suffice", "new.csv", "--recall", "0.9", *ON, "-o"]
    plain = said_of(run(*words, "a.csv", "--json"))
    shifted = said_of(run(*words, "b.csv", "--json", "--estimate-prior"))
    # A prior moves the log-odds of all rows and the line alike.
    assert plain["threshold"]["alerts"] == shifted["threshold"]["alerts"]
    assert plain["threshold"]["log_odds"] != shifted["threshold"]["log_odds"]
    assert [row["action"] for row in read_rows(folder / "a.csv")] == [
        row["action"] for row in read_rows(folder / "b.csv")
    ]


LATER = "this option requires --precision, --recall or --alerts."


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--precision", "0.9"],
            "this option requires labelled rows that were not used in training: give --on FILE with --precision.",
        ),
        (["--recall", "0.9"], "give --on FILE with --recall."),
        (["--precision", "1.5", *ON], "must be a fraction above 0 and at most 1, such as 0.9 or 90%: got 1.5."),
        (["--precision", "nan", *ON], "must be a fraction above 0 and at most 1, such as 0.9 or 90%: got nan."),
        (["--recall", "0", *ON], "must be a fraction above 0 and at most 1, such as 0.9 or 90%: got 0."),
        (["--recall", "0.5", "--precision", "0.5", *ON], "give only one of --precision and --recall."),
        (["--recall", "0.5", "--costs", "costs.csv", *ON], "give only one of --recall and --costs."),
        (["--alerts", "5", "--cost", "call=1"], "give only one of --alerts and --cost."),
        (["--alerts", "5", "--threshold", "0"], "give only one of --alerts and --threshold."),
        (["--alerts", "many"], "'many' is neither a number of alerts nor a fraction of the rows."),
        (
            ["--alerts", "2.5"],
            "'2.5' is neither a number of alerts nor a fraction of the rows. Write for example 50, 2%",
        ),
        (["--alerts", "150%"], "'150%' is neither a number of alerts nor a fraction of the rows."),
        (["--alerts", "-3"], "'-3' is neither a number of alerts nor a fraction of the rows."),
        (["--alerts", "inf"], "'inf' is neither a number of alerts nor a fraction of the rows."),
        (ON, LATER),
        (["--positive", "yes"], LATER),
        (["--target", "churned"], LATER),
        (["--recall", "0.5", "--on", "-"], "must be a regular file, not standard input or a pipe: got -."),
    ],
)
def test_a_command_that_is_used_wrongly(folder, run, words, message):
    done = run("decide", "model.suffice", "new.csv", *words)
    assert done.exit_code == 2
    assert message in " ".join(done.stderr.replace("│", " ").split())


def test_what_can_be_read_once_keeps_no_budget(folder, run):
    os.mkfifo("pipe")
    for data in ("-", "pipe"):
        done = run("decide", "model.suffice", data, "--alerts", "5")
        assert done.exit_code == 2
        assert (
            f"this option reads the data twice, but {data} can be read only once. Save it to a file first, or give --on FILE."
            in " ".join(done.stderr.replace("│", " ").split())
        )


def test_what_no_line_reaches(folder, run):
    rows = pl.read_csv("tuesday.csv")
    other = pl.when(pl.col(TARGET) == "yes").then(pl.lit("no")).otherwise(pl.lit("yes")).alias(TARGET)
    pl.concat([rows, rows.with_columns(other)]).write_csv("either.csv")  # every row is of both classes
    done = run("decide", "model.suffice", "new.csv", "--precision", "0.6", "--on", "either.csv", "-o", "s.csv")
    assert done.exit_code == 1
    assert done.stderr.startswith("suffice: no threshold reaches a precision of 0.6: the best is 0.5, with 2 alerts ")
    assert done.stderr.endswith("Use a lower target, or improve the model.\n")
    assert not (folder / "s.csv").exists()
    done = run("decide", "model.suffice", "new.csv", "--recall", "0.5", "--positive", "yess", *ON)
    assert (done.exit_code, done.stderr) == (1, "suffice: the model has no class 'yess'. Did you mean 'yes'?\n")


def test_three_classes_have_no_line(folder, run):
    sf.fit({"x": [1.0, 2.0, 3.0]}, ["a", "b", "c"]).save("three.suffice")
    (folder / "x.csv").write_text("x\n1\n", encoding="utf-8")
    done = run("decide", "three.suffice", "x.csv", "--alerts", "1")
    assert (done.exit_code, done.stderr) == (
        1,
        "suffice: a threshold requires exactly two classes: the model has 3. Use costs instead.\n",
    )
