"""What a model remembers of the files that it was fitted on: header, delimiter, width, and which column is the text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import suffice as sf

SPAM = ["win a free prize now", "claim your cash prize, call now", "free entry, win cash"]
HAM = ["are you at home", "see you later, thanks", "call me when you are home"]
NEW = ["win a free prize, thanks", "free cash, are you there"]  # a comma each


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def written(text, name):
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)
    return name


@pytest.fixture
def model():
    rows = "".join(
        f"spam\t{spam} {k}\nham\t{ham} {k}\n" for k in range(20) for spam, ham in zip(SPAM, HAM, strict=True)
    )
    return sf.fit(written(rows, "messages.tsv"), 0, columns=sf.Words(), calibrate=False)


def folder(name="mail"):
    for k, text in enumerate(NEW):
        written(text, f"{name}/{k}.txt")
    return name


def test_a_text_model_reads_the_texts_of_a_folder_and_not_their_paths(model):
    np.testing.assert_array_equal(model.predict_proba(folder()), model.predict_proba(NEW))


def test_a_text_model_is_updated_and_measured_by_folders(model):
    for k, text in enumerate(NEW):
        written(text, f"classes/spam/{k}.txt")
        written(HAM[k], f"classes/ham/{k}.txt")
    more = model.update("classes")
    assert more.provenance.rows == model.provenance.rows + 4
    texts, classes = [*HAM[:2], *NEW], ["ham", "ham", "spam", "spam"]
    assert more == model.update(texts, classes)
    assert model.evaluate("classes")["log_loss"] == model.evaluate(texts, classes)["log_loss"]


def test_a_model_with_other_columns_takes_the_texts_for_its_only_one():
    table = {"length": [len(text) for text in SPAM + HAM] * 4, "message": (SPAM + HAM) * 4}
    model = sf.fit(
        table,
        (["spam"] * 3 + ["ham"] * 3) * 4,
        columns={"message": sf.Words(), "length": sf.Gaussian()},
        calibrate=False,
    )
    with pytest.warns(sf.errors.MissingColumnsWarning, match="'length'"):
        found = model.predict_proba(folder())
    missing = {"length": [np.nan] * 2, "message": NEW}
    np.testing.assert_array_equal(found, model.predict_proba(missing))


def test_a_model_without_one_column_of_text_refuses_texts():
    numbers = sf.fit([[1.0], [2.0]] * 5, ["a", "b"] * 5, calibrate=False)
    with pytest.raises(sf.errors.DataError, match="text"):
        numbers.predict(folder())
    two = {"head": SPAM + HAM, "body": HAM + SPAM}
    model = sf.fit(two, ["a"] * 3 + ["b"] * 3, columns={"head": sf.Words(), "body": sf.Words()}, calibrate=False)
    with pytest.raises(sf.errors.DataError, match="text"):
        model.predict(folder())


def test_a_column_named_path_is_not_the_path_of_a_text():
    table = {"path": ["mail/0.txt", "mail/1.txt"] * 6, "text": (SPAM + HAM) * 2}
    model = sf.fit(
        table, (["spam"] * 3 + ["ham"] * 3) * 2, columns={"text": sf.Words(), "path": sf.Categorical()}, calibrate=False
    )
    missing = {"path": [None, None], "text": NEW}
    with pytest.warns(sf.errors.MissingColumnsWarning, match="'path'"):
        found = model.predict_proba(folder())
    np.testing.assert_array_equal(found, model.predict_proba(missing))


@pytest.mark.parametrize("name", ["new.txt", "new"])
def test_messages_one_a_line_are_not_cut_at_their_commas(model, name):
    written("".join(f"{text}\n" for text in NEW), name)
    np.testing.assert_array_equal(model.predict_proba(name), model.predict_proba(NEW))
    written("".join(f"ham\t{text}\n" for text in NEW), name)
    np.testing.assert_array_equal(model.predict_proba(name), model.predict_proba(NEW))


def test_the_ending_and_the_user_go_before_what_is_remembered(model):
    comma = written("ham,win a free prize\nham,free cash\n", "new.csv")
    plain = ["win a free prize", "free cash"]
    np.testing.assert_array_equal(model.predict_proba(comma), model.predict_proba(plain))
    bars = sf.Files(written("ham|win a free prize\nham|free cash\n", "new.txt"), delimiter="|")
    np.testing.assert_array_equal(model.predict_proba(bars), model.predict_proba(plain))


def test_another_delimiter_is_found_where_the_remembered_one_does_not_fit():
    rows = "".join(f"{k / 7:.3f};{k % 3};{'ab'[k * k % 5 % 2]}\n" for k in range(60))
    model = sf.fit(written("x;z;y\n" + rows, "rows.csv"), "y", calibrate=False)
    expected = model.predict_proba("rows.csv")
    for name in ("new.csv", "new.txt"):
        written(("x;z;y\n" + rows).replace(";", ","), name)
        np.testing.assert_array_equal(model.predict_proba(name), expected)


@pytest.mark.parametrize("row", ["a\tb\tc\n", "a\tb\tc\td\n"])
def test_a_file_of_another_width_is_refused(model, row):
    for name in ("new.txt", "new.tsv"):
        written(row * 3, name)
        with pytest.raises(sf.errors.DataError, match="columns"):
            model.predict(name)


def test_values_that_come_again_are_no_header():
    rows = "red,small,yes\nblue,big,no\n" + "red,small,yes\nblue,big,no\ngreen,big,yes\n" * 10
    model = sf.fit(written(rows, "rows.csv"), -1, calibrate=False)
    assert (model.provenance.rows, model.classes, model.schema.names) == (32, ("no", "yes"), (0, 1))


@pytest.mark.parametrize("target", [0, "0", "Letter"])
def test_numbers_that_count_up_are_names(target):
    rows = "Letter,1,2,3,4,5\n" + "T,2,8,3,5,1\nI,5,12,3,7,2\n" * 10
    model = sf.fit(written(rows, "rows.csv"), target, calibrate=False)
    assert (model.provenance.rows, model.classes) == (20, ("I", "T"))
    assert model.schema.names == ("1", "2", "3", "4", "5")
