"""`suffice predict --novelty`, and what `suffice fit` and `suffice calibrate` keep for it."""

from __future__ import annotations

import json

import numpy as np

import suffice as sf
from suffice.cli.demo import TARGET


def shares(path):
    return [json.loads(line)["novelty_p_value"] for line in path.read_text(encoding="utf-8").splitlines()]


def test_predict_says_how_odd_rows_are(run, folder):
    done = run("fit", "train.csv", "--target", TARGET, "-o", "m.suffice", "--json")
    assert json.loads(done.stdout)["novelty_rows"] == 300
    assert run("predict", "m.suffice", "new.csv", "--novelty", "-o", "p.ndjson").exit_code == 0
    expected = sf.load("m.suffice").novelty("new.csv").p_value
    np.testing.assert_allclose(shares(folder / "p.ndjson"), expected, rtol=1e-12)
    # The prior of the classes is of what is predicted, not of what was seen.
    assert (
        run("predict", "m.suffice", "new.csv", "--novelty", "--class-prior", "uniform", "-o", "u.ndjson").exit_code == 0
    )
    np.testing.assert_allclose(shares(folder / "u.ndjson"), expected, rtol=1e-12)


def test_fit_and_calibrate_say_what_they_keep(run, folder):
    done = run("fit", "train.csv", "--target", TARGET, "-o", "m.suffice", "--class-prior", "uniform")
    assert "\nnovelty: a reference of 300 rows, used by suffice predict --novelty\n" in done.stdout
    assert sf.load("m.suffice").novelty_reference.rows == 300
    done = run("fit", "train.csv", "--target", TARGET, "-o", "m.suffice", "--no-calibrate")
    assert "novelty" not in done.stdout
    assert sf.load("m.suffice").novelty_reference is None
    done = run("calibrate", "m.suffice", "tuesday.csv", "--new", "--json")
    assert json.loads(done.stdout)["novelty_rows"] == 100


def test_columns_together_have_a_reference_too(run, folder):
    done = run(
        "fit",
        "train.csv",
        "--target",
        TARGET,
        "-o",
        "m.suffice",
        "--column",
        "m*=MultivariateGaussian(covariance='diagonal')",
    )
    assert "not calibrated" not in done.stdout
    model = sf.load("m.suffice")
    assert model.calibration is not None
    assert model.novelty_reference.rows == 300
    assert run("predict", "m.suffice", "new.csv", "--novelty", "-o", "p.ndjson").exit_code == 0


def test_a_model_of_one_class_knows_which_rows_are_unlike_it(run, folder):
    (folder / "one.csv").write_text("x,y\n" + "".join(f"{i % 10}.5,a\n" for i in range(200)), encoding="utf-8")
    (folder / "odd.csv").write_text("x\n4.5\n900.0\n", encoding="utf-8")
    done = run("fit", "one.csv", "--target", "y", "-o", "one.suffice")
    assert done.exit_code == 0
    assert "not calibrated: there is only one class" in done.stdout
    assert run("predict", "one.suffice", "odd.csv", "--novelty", "-o", "p.ndjson").exit_code == 0
    usual, odd = shares(folder / "p.ndjson")
    assert usual > 0.5
    assert odd == 0


def test_a_model_that_has_none(run, folder):
    done = run("predict", "model.suffice", "new.csv", "--novelty", "-o", "p.csv")
    assert done.exit_code == 1
    assert not (folder / "p.csv").exists()
    assert " ".join(done.stderr.split()) == (
        "suffice: the model has no novelty reference. Run `suffice calibrate` on the training rows to store it (the "
        "distribution of their log p(x))."
    )
