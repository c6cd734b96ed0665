"""`suffice calibrate`, and what `suffice fit` does unless told not to."""

from __future__ import annotations

import json

import numpy as np
import pytest

import suffice as sf
from suffice.cli.demo import TARGET


def calibrated(run, *more):
    """Fit, and calibrate whatever the log loss says: columns that are independent gain nothing by it."""
    assert run("fit", "train.csv", "--target", TARGET, "-o", "m.suffice").exit_code == 0
    done = run("calibrate", "m.suffice", "train.csv", "--method", "scale", *more)
    assert done.exit_code == 0
    return done


def repeat(folder, name, out):
    """Write a file of the demo with the column minutes four times, which makes naive Bayes overconfident."""
    lines = (folder / name).read_text(encoding="utf-8").splitlines()
    at = lines[0].split(",").index("minutes")
    cells = [line.split(",") for line in lines]
    three = [
        ",".join([*row, *[f"{row[at]}{'abc'[k] if not i else ''}" for k in range(3)]]) for i, row in enumerate(cells)
    ]
    (folder / out).write_text("\n".join(three), encoding="utf-8")


def test_fit_calibrates_as_python_does(run, folder):
    repeat(folder, "train.csv", "repeated.csv")
    done = run("fit", "repeated.csv", "--target", TARGET, "-o", "m.suffice")
    assert done.exit_code == 0
    model = sf.load("m.suffice")
    assert model.calibration is not None
    assert f"calibrated: {model.calibration}; log loss" in done.stdout
    assert model.calibration.rows == 300
    said = json.loads(run("fit", "repeated.csv", "--target", TARGET, "-o", "m.suffice", "--json").stdout)
    assert said["calibration"].startswith("calibrated: weights ")
    assert said["not_calibrated"] is None
    expected = sf.fit("repeated.csv", TARGET)
    assert model == expected
    assert model.calibration == expected.calibration


def test_fit_does_not_where_it_is_told_or_cannot(run, shell, folder):
    done = run("fit", "train.csv", "--target", TARGET, "-o", "m.suffice", "--no-calibrate")
    assert done.exit_code == 0
    assert "calibrated" not in done.stdout
    assert sf.load("m.suffice").calibration is None
    done = shell(f"cat train.csv | suffice fit - --target {TARGET} -o m.suffice")
    assert done.returncode == 0
    assert sf.load("m.suffice").calibration == sf.fit("train.csv", TARGET).calibration  # nothing is read twice
    done = run("fit", "train.csv", "--target", TARGET, "-o", "m.suffice", "--estimate", "mle", "--json")
    assert done.exit_code == 0
    said = json.loads(done.stdout)
    assert said["not_calibrated"] == "calibration is not available for the estimate 'mle'"
    (folder / "two.csv").write_text("x,y\n1.5,a\n2.5,b\n", encoding="utf-8")
    done = run("fit", "two.csv", "--target", "y", "-o", "m.suffice", "--json")
    assert done.exit_code == 0
    said = json.loads(done.stdout)
    assert said["calibration"] is None
    assert said["not_calibrated"] == "fewer than 20 rows belong to classes other than the most frequent one"
    done = run("fit", "two.csv", "--target", "y", "-o", "m.suffice")
    assert "not calibrated: fewer than 20 rows belong to classes other than the most frequent one" in done.stdout
    done = run("calibrate", "m.suffice", "two.csv")
    first, last = done.stdout.splitlines()
    assert first == "not calibrated: fewer than 20 rows belong to classes other than the most frequent one"
    assert last.startswith("wrote m.suffice: 2 rows in ")


def test_calibrate_is_what_python_does(run, folder):
    assert run("fit", "train.csv", "--target", TARGET, "-o", "m.suffice", "--no-calibrate").exit_code == 0
    done = run("calibrate", "m.suffice", "train.csv", "-o", "c.suffice", "--method", "scale", "--json")
    assert done.exit_code == 0
    said = json.loads(done.stdout)
    expected = sf.load("m.suffice").calibrate("train.csv", method="scale").calibration
    assert said["scale"] == expected.scale
    assert (said["method"], said["offsets"], said["learnt_from"]) == ("scale", [0, 0], "5 folds")
    assert said["log_loss"] == expected.loss < said["log_loss_before"]
    assert sf.load("m.suffice").calibration is None
    found = sf.load("c.suffice")
    assert found.calibration == expected
    assert run("calibrate", "m.suffice", "tuesday.csv", "--new", "--method", "offsets").exit_code == 0
    assert sf.load("m.suffice").calibration.learnt_from == "other rows"


def test_predict_gives_calibrated_probabilities(run, folder):
    calibrated(run)
    done = run("predict", "m.suffice", "new.csv", "--proba", "-o", "p.ndjson")
    assert done.exit_code == 0
    rows = [json.loads(line) for line in (folder / "p.ndjson").read_text(encoding="utf-8").splitlines()]
    model = sf.load("m.suffice")
    expected = model.predict_proba("new.csv")
    found = np.array([[row[f"p({label})"] for label in model.classes] for row in rows])
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_updating_keeps_it_and_drops_the_novelty_reference(run, folder):
    repeat(folder, "train.csv", "repeated.csv")
    repeat(folder, "tuesday.csv", "more.csv")
    said = json.loads(run("fit", "repeated.csv", "--target", TARGET, "-o", "m.suffice", "--json").stdout)
    assert said["calibration"].startswith("calibrated: ")
    assert said["not_calibrated"] is None
    assert said["calibration"] in run("show", "m.suffice").stdout.splitlines()
    assert json.loads(run("show", "m.suffice", "--json").stdout)["calibration"] == said["calibration"]
    done = run("update", "m.suffice", "more.csv")
    assert done.exit_code == 0
    assert (
        "so the novelty reference was dropped. To restore it, run `suffice calibrate` on the training rows."
        in done.stderr
    )
    model = sf.load("m.suffice")
    assert model.calibration.rows == 400
    assert model.novelty_reference is None
    assert f"calibrated: {model.calibration};" in run("show", "m.suffice").stdout
    again = run("update", "m.suffice", "more.csv").stderr
    assert "was already fitted on more.csv" in again
    assert "dropped" not in again  # there is nothing left to drop
    done = run("forget", "m.suffice", "more.csv", "--drop-calibration")
    assert "so the calibration was dropped" in done.stderr
    assert "not calibrated" in run("show", "m.suffice").stdout.splitlines()
    assert json.loads(run("show", "m.suffice", "--json").stdout)["calibration"] is None


@pytest.mark.parametrize(
    "words",
    [
        ["forget", "m.suffice", "one_customer.csv", "--drop-calibration"],
        ["set", "m.suffice", "--estimate", "map", "-o", "o.suffice"],
        ["set", "m.suffice", "--prior", "plan=Categorical(alpha=2)", "--estimate", "map", "-o", "o.suffice"],
    ],
    ids=lambda words: words[0],
)
def test_every_command_that_drops_it_says_so_once(run, folder, words):
    calibrated(run)
    done = run(*words, "--json")
    said = json.loads(done.stdout)
    assert said["calibration"] is None
    dropped = [each for each in said["warnings"] if each["kind"] != "TrainingFilesWarning"]  # one model twice
    assert [each["kind"] for each in dropped] == ["DroppedCalibrationWarning"]
    assert done.stderr.endswith(f"suffice: warning: {dropped[0]['message']}\n")


def test_what_keeps_it_says_how_it_is(run, folder):
    calibrated(run)
    how = json.loads(run("show", "m.suffice", "--json").stdout)["calibration"]
    for words in (
        ["set", "m.suffice", "--class-prior", "uniform", "-o", "o.suffice"],
        ["calibrate", "m.suffice", "train.csv", "--method", "scale"],
        ["predict", "m.suffice", "new.csv", "-o", "o.csv"],
        ["evaluate", "tuesday.csv", "--model", "m.suffice", "--bootstrap", "0"],
    ):
        said = json.loads(run(*words, "--json").stdout)
        assert (said["calibration"], said["warnings"]) == (how, [])


def test_refusals(run, folder):
    done = run("calibrate", "model.suffice", "train.csv", "--method", "platt")
    assert done.exit_code == 2
    assert "unknown method 'platt'. Use auto, scale, offsets or weights." in " ".join(
        done.stderr.replace("│", " ").split()
    )
    done = run("calibrate", "model.suffice", "train.csv", "--folds", "1")
    assert done.exit_code == 1
    assert "folds must be" in done.stderr
    done = run("calibrate", "missing.suffice", "train.csv")
    assert done.exit_code == 1
