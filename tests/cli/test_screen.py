"""`suffice screen`: the same as in Python, for people and for scripts."""

from __future__ import annotations

import json

import pytest

import suffice as sf

WORDS = ["screen", "train.csv", "--target", "churned", "--drop", "customer"]


def test_json_is_what_python_says(folder, run):
    done = run(*WORDS, "--json", "-o", "m.suffice", "--folds", "4", "--seed", "3")
    assert (done.exit_code, done.stderr) == (0, "")
    record = json.loads(done.stdout)
    found = sf.screen("train.csv", "churned", columns={"customer": None}, folds=4, seed=3)
    assert record["kept"] == list(found.kept)
    assert record["columns"] == [each._asdict() for each in found.columns]
    curve = [{**each._asdict(), "threshold": min(each.threshold, 2.0)} for each in found.curve]
    assert [
        {**each, "threshold": 2.0 if each["threshold"] == "inf" else each["threshold"]} for each in record["curve"]
    ] == curve
    assert record["redundant"] == [each._asdict() for each in found.redundant]
    assert record["effective_columns"] == found.effective_columns
    assert (record["metric"], record["positive"], record["later"]) == ("average_precision", found.positive, None)
    assert (record["rows"], record["model"]) == (300, "m.suffice")
    assert sf.load("m.suffice") == found.model


def test_the_class_prior_and_the_limit_of_levels_are_those_of_python(folder, run):
    words = ["--metric", "log_loss", "--class-prior", "yes=0.3,no=0.7", "--max-levels", "3", "-o", "m.suffice"]
    assert run(*WORDS, *words).exit_code == 0
    shares = {"yes": 0.3, "no": 0.7}
    found = sf.screen(
        "train.csv", "churned", columns={"customer": None}, metric="log_loss", class_prior=shares, max_levels=3
    )
    assert sf.load("m.suffice") == found.model
    assert found.model.schema.left_out


def test_bars_the_curve_and_what_comes_later(folder, run):
    done = run(*WORDS, "--order", "months", "--threshold", "0.95", "-o", "m.suffice")
    assert (done.exit_code, done.stderr) == (0, "")
    found = sf.screen("train.csv", "churned", columns={"customer": None}, order="months", threshold=0.95)
    lines = done.stdout.splitlines()
    assert lines[0] == "similarity of the classes in each column (0 to 1; lower is more informative)"
    for line, each in zip(lines[2:], found.columns, strict=False):
        assert line.split()[:3] == [str(each.column), f"{each.similarity:.4f}", "kept" if each.kept else "dropped"]
    later = found.later
    assert (
        f"average precision of {found.positive} on the {later.rows} rows that come later: {later.screened:.4f}; "
        f"with all columns: {later.unscreened:.4f}"
    ) in lines
    assert any(line.endswith("  chosen") for line in lines)
    total = len(found.columns)
    assert f"effective number of independent columns: {found.effective_columns:.1f} of {total}" in lines
    assert lines[-2:] == ["next: suffice predict m.suffice NEW.csv", "      suffice show m.suffice"]
    assert run("predict", "m.suffice", "new.csv").exit_code == 0


def test_repeated_columns_are_shown(folder, run):
    rows = (folder / "train.csv").read_text().splitlines()
    names = rows[0].split(",")
    at = names.index("months")
    copied = [f"{line},{line.split(',')[at]}" for line in rows[1:]]
    (folder / "copied.csv").write_text("\n".join([f"{rows[0]},copy", *copied]))
    done = run("screen", "copied.csv", "-t", "churned", "--metric", "log_loss", "--positive", "yes")
    lines = done.stdout.splitlines()
    at = lines.index("redundant columns (pairs with correlated evidence)")
    assert lines[at + 1].split() == ["column", "repeats", "correlation"]
    assert lines[at + 2].split()[:3] == ["copy", "months", "1.000"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--positive", "maybe"], "the model has no class 'maybe'. Its classes are 'no', 'yes'."),
        (["--order", "month"], "order column 'month' is not in train.csv. Did you mean 'months'?"),
        (["--bins", "1"], "bins must be a whole number from 2 to 4096: got 1. Give for example 16."),
        (
            ["--folds", "5000"],
            "folds must be at most the number of rows: got 5000 folds for 300 rows. Use fewer folds, or give more rows.",
        ),
        (
            ["-o", "train.csv"],
            "-o 'train.csv' is an input file of this command. Choose another name, so that it is not overwritten.",
        ),
    ],
)
def test_what_is_wrong_is_one_message_and_exit_code_1(folder, run, words, message):
    done = run(*WORDS, *words)
    assert (done.stdout, done.stderr, done.exit_code) == ("", f"suffice: {message}\n", 1)


def test_the_target_must_be_said(folder, run):
    done = run("screen", "train.csv")
    assert done.exit_code == 2
    assert "Missing option --target: name the class column" in done.stderr
