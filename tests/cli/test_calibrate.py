"""`suffice calibrate`, and what `suffice fit` does unless told not to."""

from __future__ import annotations

import json

import numpy as np

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
    assert json.loads(done.stdout)["calibration"] == (
        "not calibrated: a calibration is learnt from rows whose class is known, and possible without them, and that "
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
    assert run("fit", "train.csv", "--target", TARGET, "-o", "m.suffice").exit_code == 0
    assert run("update", "m.suffice", "tuesday.csv").exit_code == 0
    assert sf.load("m.suffice").calibration is None


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
