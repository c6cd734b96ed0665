"""What a command drops, ignores or finds odd is said once, with a count, on stderr and in --json."""

from __future__ import annotations

import json

import pytest

import suffice as sf
from suffice.cli.demo import TARGET


def said(done):
    """Return the warnings in the JSON of a command, which are those on stderr."""
    assert done.exit_code == 0
    found = json.loads(done.stdout)["warnings"]
    assert done.stderr == "".join(f"suffice: warning: {each['message']}\n" for each in found)
    return {each["kind"]: each["message"] for each in found}


@pytest.fixture
def typo(folder):
    """The rows of tuesday.csv with a class that is spelled otherwise in some, and none in others."""
    lines = (folder / "tuesday.csv").read_text(encoding="utf-8").splitlines()
    at = lines[0].split(",").index(TARGET)
    rows = [line.split(",") for line in lines]
    yes = [row for row in rows if row[at] == "yes"]
    for row in yes[:3]:
        row[at] = "Yes"
    yes[3][at] = ""
    text = "\n".join(",".join([*row, "1" if number else "new_column"]) for number, row in enumerate(rows))
    (folder / "typo.csv").write_text(f"{text}\n", encoding="utf-8")
    return folder


def test_update_says_which_classes_are_new_and_what_it_left_out(run, typo):
    found = said(run("update", "model.suffice", "typo.csv", "--json"))
    assert set(found) == {"UnseenClassesWarning", "DroppedRowsWarning", "IgnoredColumnsWarning"}
    assert "1 class is new to the model: 'Yes' (3 rows), did you mean 'yes'?" in found["UnseenClassesWarning"]
    assert "`suffice forget`" in found["UnseenClassesWarning"]
    assert found["DroppedRowsWarning"].startswith("1 of 100 rows")
    assert "1 column of the data" in found["IgnoredColumnsWarning"]
    assert "'new_column'" in found["IgnoredColumnsWarning"]


def test_evaluate_says_which_classes_the_model_does_not_know(run, typo):
    found = said(run("evaluate", "typo.csv", "--model", "model.suffice", "--bootstrap", "0", "--json"))
    assert set(found) == {"UnseenClassesWarning", "DroppedRowsWarning", "IgnoredColumnsWarning"}
    assert "'Yes' (3 rows), did you mean 'yes'?" in found["UnseenClassesWarning"]


def test_evaluate_and_fit_say_that_there_is_one_class(run, folder):
    lines = (folder / "train.csv").read_text(encoding="utf-8").splitlines()
    one = [line for line in lines[1:] if line.endswith(",no")]
    (folder / "one.csv").write_text("\n".join([lines[0], *one]) + "\n", encoding="utf-8")
    for words in (
        ["evaluate", "one.csv", "-t", TARGET, "--bootstrap", "0"],
        ["fit", "one.csv", "-t", TARGET, "-o", "o"],
    ):
        assert "all rows have the class 'no'" in said(run(*words, "--json"))["TargetWarning"]


def test_calibrate_says_which_rows_it_left_out(run, typo):
    (typo / "gaps.csv").write_text(
        (typo / "typo.csv").read_text(encoding="utf-8").replace(",Yes,", ",,"), encoding="utf-8"
    )
    found = said(run("calibrate", "model.suffice", "gaps.csv", "--new", "--json"))
    assert found["DroppedRowsWarning"].startswith("4 of 100 rows")


def test_predict_and_decide_count_the_columns_that_they_do_not_use(run, typo):
    for command in ("predict", "decide"):
        done = run(command, "model.suffice", "typo.csv", "-o", "o.csv", "--json")
        assert json.loads(done.stdout)["ignored_columns"] == ["new_column"]  # and not the id, nor the class
        assert (
            "1 column of the data ignored: new_column"
            in run(command, "model.suffice", "typo.csv", "-o", "o.csv").stdout
        )
        done = run(command, "model.suffice", "typo.csv", "-o", "o.csv", "--keep", "new_column", "--json")
        assert json.loads(done.stdout)["ignored_columns"] == []


def test_screen_says_what_it_left_out_and_that_it_is_not_calibrated(run, folder):
    done = run("screen", "train.csv", "-t", TARGET, "-o", "s.suffice", "--json")
    record = json.loads(done.stdout)
    assert [each["name"] for each in record["left_out"]] == ["customer"]
    assert record["calibration"] is None
    done = run("screen", "train.csv", "-t", TARGET, "-o", "s.suffice")
    assert "left out: customer" in done.stdout
    assert "not calibrated" in done.stdout


def test_every_record_has_its_warnings(run, folder):
    for words in (
        ["fit", "train.csv", "-t", TARGET, "-o", "o.suffice"],
        ["show", "model.suffice"],
        ["show", "model.suffice", "--column", "plan"],
        ["export", "model.suffice", "--to", "csv", "-o", "o.csv"],
        ["sample", "model.suffice", "-n", "2", "-o", "o.csv"],
        ["explain", "model.suffice", "new.csv", "-o", "o.ndjson"],
        ["merge", "model.suffice", "model.suffice", "-o", "o.suffice"],
        ["concepts", "16"],
    ):
        found = said(run(*words, "--json"))
        assert found.keys() == ({"TrainingFilesWarning"} if words[0] == "merge" else set())  # one model twice


def test_a_target_of_ids_is_said_before_anything_long_and_its_classes_are_not_all_listed(run, folder):
    rows = "".join(f"{at},{at % 7},{'ab'[at % 2]}\n" for at in range(1000))
    (folder / "ids.csv").write_text(f"id,n,x\n{rows}", encoding="utf-8")
    done = run("fit", "ids.csv", "-t", "id", "-o", "o.suffice")
    assert done.exit_code == 0
    assert "target column 'id' has 1,000 classes in 1,000 rows" in done.stderr
    assert "988 more classes" in done.stdout
    assert len(done.stdout.splitlines()) < 50
    assert "TargetWarning" in said(run("fit", "ids.csv", "-t", "id", "-o", "o.suffice", "--json"))
    done = run("predict", "o.suffice", "ids.csv", "-o", "o.csv")
    assert len(done.stdout.splitlines()) < 30
    found = said(run("evaluate", "ids.csv", "-t", "id", "--bootstrap", "0", "--no-calibrate", "--json"))
    assert "TargetWarning" in found


def test_fit_does_not_calibrate_more_than_it_can_soon_and_says_so(run, folder):
    rows = "".join(f"{at % 4001},{at % 7}\n" for at in range(10_000))
    (folder / "many.csv").write_text(f"y,n\n{rows}", encoding="utf-8")
    done = run("fit", "many.csv", "-t", "y", "-o", "o.suffice")
    assert done.exit_code == 0
    assert "not calibrated: 4,001 classes are too many for the default calibration" in done.stdout
    assert sf.load("o.suffice").calibration is None


def test_data_without_any_column_of_the_model_are_refused(run, folder):
    lines = (folder / "new.csv").read_text(encoding="utf-8").splitlines()
    (folder / "upper.csv").write_text("\n".join([lines[0].upper(), *lines[1:]]) + "\n", encoding="utf-8")
    for words in (["predict", "model.suffice", "upper.csv"], ["explain", "model.suffice", "upper.csv"]):
        done = run(*words)
        assert done.exit_code == 1
        assert "none of the 8 columns of the model" in done.stderr
        assert "differ only in case" in done.stderr
        assert done.stdout == ""


def test_a_prior_for_a_pattern_of_columns(run, folder):
    (folder / "b.csv").write_text("a,b,y\n1,0,s\n1,1,s\n0,1,h\n", encoding="utf-8")
    fit = ["fit", "b.csv", "-t", "y", "--column", "*=bernoulli", "--no-calibrate", "-o", "b.suffice"]
    assert run(*fit).exit_code == 0
    assert run("set", "b.suffice", "--prior", "*=Bernoulli(BetaBinomial(30, 30))", "-o", "c.suffice").exit_code == 0
    assert sf.load("c.suffice") == sf.fit("b.csv", "y", columns=sf.Bernoulli(sf.BetaBinomial(30, 30)))
    done = run("set", "b.suffice", "--prior", "q*=Bernoulli(BetaBinomial(30, 30))", "-o", "d.suffice")
    assert done.exit_code == 1
    assert "'q*'" in done.stderr
    assert not (folder / "d.suffice").exists()


def test_a_model_is_measured_as_it_is(run, folder):
    done = run("evaluate", "new.csv", "--model", "model.suffice", "--no-calibrate")
    assert done.exit_code == 2
    assert "--no-calibrate: the model is evaluated unchanged." in " ".join(done.stderr.split())


def test_columns_that_get_another_name_are_said(run, folder):
    lines = (folder / "train.csv").read_text(encoding="utf-8").splitlines()
    (folder / "twice.csv").write_text(
        "\n".join([lines[0] + ",months,", *(f"{line},{at % 5},{at % 3}" for at, line in enumerate(lines[1:]))]) + "\n",
        encoding="utf-8",
    )
    words = (["fit", "twice.csv", "-o", "o"], ["evaluate", "twice.csv", "--bootstrap", "0"], ["screen", "twice.csv"])
    for each in words:
        message = said(run(*each, "-t", TARGET, "--json"))["RenamedColumnsWarning"]
        assert message.startswith("2 columns with a missing or duplicate name were renamed")
        assert "'months_2' (duplicate of 'months'), 'column_12' (unnamed)" in message
    done = run("predict", "model.suffice", "twice.csv", "-o", "o.csv", "--json")
    assert json.loads(done.stdout)["ignored_columns"] == ["months_2", "column_12"]
