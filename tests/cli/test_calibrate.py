"""`suffice calibrate`, and what `suffice fit` does unless told not to."""

from __future__ import annotations

import json

import numpy as np
import pytest

import suffice as sf
from suffice.cli.demo_data import TARGET


def test_fit_calibrates_a_file_that_can_be_read_again(run, folder):
    done = run("fit", "train.csv", "--target", TARGET, "-o", "m.suffice")
    assert done.exit_code == 0
    model = sf.load("m.suffice")
    assert model.calibration is not None
    assert f"calibrated: {model.calibration}; log loss" in done.stdout
    assert model.calibration.rows == 300
    assert model == sf.fit("train.csv", TARGET)


def test_fit_does_not_where_it_is_told_or_cannot(run, shell, folder):
    done = run("fit", "train.csv", "--target", TARGET, "-o", "m.suffice", "--no-calibrate")
    assert done.exit_code == 0
    assert "calibrated" not in done.stdout
    assert sf.load("m.suffice").calibration is None
    done = shell(f"cat train.csv | suffice fit - --target {TARGET} -o m.suffice")
    assert done.returncode == 0
    assert sf.load("m.suffice").calibration is None
    done = run("fit", "train.csv", "--target", TARGET, "-o", "m.suffice", "--column", "m*=gaussian:spherical", "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["calibration"].startswith("calibrated: ")
    assert sf.load("m.suffice").calibration.learnt_from == "leave one out"
    (folder / "two.csv").write_text("x,y\n1.5,a\n2.5,b\n", encoding="utf-8")  # without either its class is unknown
    done = run("fit", "two.csv", "--target", "y", "-o", "m.suffice", "--json")
    assert done.exit_code == 0
    said = json.loads(done.stdout)
    assert said["calibration"] is None
    assert said["not_calibrated"] == (
        "a calibration is learnt from rows whose class is known, and possible without them, and that "
        "say something: there is none among 2. Give more rows, or do not calibrate."
    )


def test_calibrate_is_what_python_does(run, folder):
    assert run("fit", "train.csv", "--target", TARGET, "-o", "m.suffice", "--no-calibrate").exit_code == 0
    done = run("calibrate", "m.suffice", "train.csv", "-o", "c.suffice", "--method", "temperature", "--json")
    assert done.exit_code == 0
    said = json.loads(done.stdout)
    expected = sf.calibrate(sf.load("m.suffice"), "train.csv", method="temperature").calibration
    assert said["temperature"] == expected.temperature
    assert said["log_loss"] == expected.loss < said["log_loss_before"]
    assert sf.load("m.suffice").calibration is None
    found = sf.load("c.suffice")
    assert found.calibration.temperature == expected.temperature
    assert run("calibrate", "m.suffice", "tuesday.csv", "--new").exit_code == 0
    assert sf.load("m.suffice").calibration.learnt_from == "other rows"


def test_predict_gives_calibrated_probabilities(run, folder):
    assert run("fit", "train.csv", "--target", TARGET, "-o", "m.suffice").exit_code == 0
    done = run("predict", "m.suffice", "new.csv", "--proba", "-o", "p.ndjson")
    assert done.exit_code == 0
    rows = [json.loads(line) for line in (folder / "p.ndjson").read_text(encoding="utf-8").splitlines()]
    model = sf.load("m.suffice")
    expected = model.predict_proba("new.csv")
    found = np.array([[row[f"p({label})"] for label in model.classes] for row in rows])
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_updating_drops_it_and_show_says_so(run, folder):
    done = run("fit", "train.csv", "--target", TARGET, "-o", "m.suffice", "--json")
    said = json.loads(done.stdout)
    assert said["calibration"].startswith("calibrated: ")
    assert said["not_calibrated"] is None
    assert said["calibration"] in run("show", "m.suffice").stdout.splitlines()
    assert json.loads(run("show", "m.suffice", "--json").stdout)["calibration"] == said["calibration"]
    done = run("update", "m.suffice", "tuesday.csv")
    assert done.exit_code == 0
    assert done.stderr.count("calibration") == 1
    assert "novelty" in done.stderr
    assert "suffice calibrate" in done.stderr
    assert sf.load("m.suffice").calibration is None
    assert "not calibrated" in run("show", "m.suffice").stdout.splitlines()
    assert json.loads(run("show", "m.suffice", "--json").stdout)["calibration"] is None
    assert run("update", "m.suffice", "tuesday.csv").stderr == ""  # there is nothing left to drop


@pytest.mark.parametrize(
    "words",
    [
        ["update", "m.suffice", "tuesday.csv"],
        ["forget", "m.suffice", "one_customer.csv"],
        ["merge", "m.suffice", "m.suffice", "m.suffice", "-o", "o.suffice"],
        ["read", "m.suffice", "--estimate", "map", "-o", "o.suffice"],
        ["read", "m.suffice", "--prior", "plan=categorical:alpha=2", "--estimate", "map", "-o", "o.suffice"],
    ],
    ids=lambda words: words[0],
)
def test_every_command_that_drops_it_says_so_once(run, folder, words):
    assert run("fit", "train.csv", "--target", TARGET, "-o", "m.suffice").exit_code == 0
    done = run(*words, "--json")
    said = json.loads(done.stdout)
    assert said["calibration"] is None
    assert [each["kind"] for each in said["warnings"]] == ["DroppedCalibrationWarning"]
    assert done.stderr == f"suffice: warning: {said['warnings'][0]['message']}\n"


def test_what_keeps_it_says_how_it_is(run, folder):
    assert run("fit", "train.csv", "--target", TARGET, "-o", "m.suffice").exit_code == 0
    how = json.loads(run("show", "m.suffice", "--json").stdout)["calibration"]
    for words in (
        ["read", "m.suffice", "--class-prior", "uniform", "-o", "o.suffice"],
        ["calibrate", "m.suffice", "train.csv"],
        ["predict", "m.suffice", "new.csv", "-o", "o.csv"],
        ["evaluate", "tuesday.csv", "--model", "m.suffice", "--bootstrap", "0"],
    ):
        said = json.loads(run(*words, "--json").stdout)
        assert (said["calibration"], said["warnings"]) == (how, [])


def test_refusals(run, folder):
    done = run("calibrate", "model.suffice", "train.csv", "--method", "platt")
    assert done.exit_code == 2
    assert "there is no 'platt'. Use auto, temperature, offsets, length, beta or isotonic." in " ".join(
        done.stderr.replace("│", " ").split()
    )
    done = run("calibrate", "model.suffice", "train.csv", "--method", "length")
    assert done.exit_code == 1
    assert "method='length' is for text: the model has none." in done.stderr
    done = run("calibrate", "missing.suffice", "train.csv")
    assert done.exit_code == 1
