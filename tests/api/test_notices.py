"""What a call drops, ignores or finds odd is said once, with a count, where the caller stands."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import suffice as sf

RNG = np.random.default_rng(0)
X = RNG.normal(size=(1000, 2))


def warned(call):
    """Return the kinds and texts of the warnings of a call, all of which name this file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert {each.filename for each in caught} <= {__file__}
    return [(each.category, str(each.message)) for each in caught]


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: sf.fit(X, np.arange(1000), columns=sf.Gaussian(), calibrate=False), "the target"),
        (lambda: sf.fit({"x": X[:, 0], "id": np.arange(1000)}, "id", calibrate=False), "'id'"),
        (lambda: sf.NaiveBayes(sf.Gaussian()).fit(X, np.arange(1000)), "the target"),
        (lambda: sf.evaluate({"x": X[:, 0], "id": np.arange(1000)}, "id", bootstrap=0, calibrate=False), "'id'"),
    ],
    ids=["array", "frame", "estimator", "evaluate"],
)
def test_a_target_of_ids_is_said(call, name):
    ((kind, text),) = [each for each in warned(call) if each[0] is sf.errors.TargetWarning]
    assert kind is sf.errors.TargetWarning
    assert name in text
    assert "1,000 classes in 1,000 rows" in text
    assert "bin it" in text


@pytest.mark.parametrize(
    ("classes", "rows", "said"),
    [
        (51, 5100, True),
        (50, 5000, False),
        (11, 100, True),
        (10, 90, False),
        (11, 110, False),
        (15, 15, False),
        (20, 20, True),
    ],
)
def test_how_many_classes_are_many(classes, rows, said):
    x, y = np.zeros((rows, 1)), np.arange(rows) % classes
    assert bool(warned(lambda: sf.fit(x, y, columns=sf.Bernoulli(), calibrate=False))) == said


def test_a_first_batch_may_have_as_many_classes_as_rows():
    assert warned(lambda: sf.NaiveBayes(sf.Gaussian()).partial_fit(X[:30], np.arange(30))) == []


@pytest.mark.parametrize(
    ("new", "said"),
    [("Yes", "'Yes' (2 rows), did you mean 'yes'?"), ("maybe", "'maybe' (2 rows)."), (1, "1 (2 rows).")],
)
def test_classes_that_are_new_are_said(new, said):
    model = sf.fit(X[:100], np.where(X[:100, 0] > 0, "yes", "no"), columns=sf.Gaussian(), calibrate=False)
    more = X[:3], ["yes", new, new]
    ((kind, text),) = warned(lambda: model.update(*more))
    assert kind is sf.errors.UnseenClassesWarning
    assert text.startswith("1 class is new to the model: ")
    assert said in text
    ((kind, text),) = warned(lambda: model.evaluate(*more, bootstrap=0))
    assert kind is sf.errors.UnseenClassesWarning
    assert said in text
    assert (
        warned(lambda: model + sf.fit(*more, like=model, calibrate=False)) == []
    )  # shards have the classes that they have


def test_true_and_1_are_two_classes():
    model = sf.fit(X[:100], X[:100, 0] > 0, columns=sf.Gaussian(), calibrate=False)
    ((kind, text),) = warned(lambda: model.update(X[:3], [1, 0, 0]))
    assert kind is sf.errors.UnseenClassesWarning
    assert text.startswith("2 classes are new to the model: 0 (2 rows), 1 (1 row).")


def test_a_number_is_no_typo_of_another_but_may_be_text():
    model = sf.fit(X[:4], ["1000", "1000", "2000", "2000"], columns=sf.Gaussian(), calibrate=False)
    ((_, text),) = warned(lambda: model.update(X[:2], [1000, 100]))
    assert "100 (1 row), 1000 (1 row), did you mean '1000'?" in text


def test_columns_that_an_update_ignores_are_said():
    data = {"x": [1.0, 2.0, 3.0, 4.0], "note": [None, None, None, None]}
    model = sf.fit(data, ["a", "a", "b", "b"], columns={"x": sf.Gaussian(), "note": None}, calibrate=False)
    ((kind, text),) = warned(lambda: model.update({**data, "new": [1, 2, 3, 4]}, ["a", "a", "b", "b"]))
    assert kind is sf.errors.IgnoredColumnsWarning
    assert text == "column 'new': 1 column of the data is not in the model and is ignored."
    assert warned(lambda: model.predict({**data, "new": [1, 2, 3, 4]})) == []


def test_rows_without_a_class_that_calibrate_leaves_out_are_said(tmp_path):
    y = np.where(X[:, 0] > 0, "yes", "no").astype(object)
    model = sf.fit(X, y, columns=sf.Gaussian(), calibrate=False)
    y[:7] = None
    expected = [
        (
            sf.errors.DroppedRowsWarning,
            "7 of 1,000 rows have no class and were ignored.",
        )
    ]
    assert warned(lambda: model.calibrate(X, y)) == expected
    assert warned(lambda: sf.fit(X, y, columns=sf.Gaussian(), calibrate="auto")) == expected
    lines = [f"{a},{b},{label or ''}" for (a, b), label in zip(X.tolist(), y, strict=True)]
    (tmp_path / "rows.csv").write_text("\n".join(["a,b,y", *lines]) + "\n", encoding="utf-8")
    path = str(tmp_path / "rows.csv")
    assert warned(lambda: sf.fit(path, "y", calibrate="auto")) == expected
    fitted = sf.fit(lines_of(tmp_path, lines[7:]), "y", calibrate=False)
    assert warned(lambda: fitted.calibrate(path)) == expected


def lines_of(folder, lines):
    (folder / "known.csv").write_text("\n".join(["a,b,y", *lines]) + "\n", encoding="utf-8")
    return str(folder / "known.csv")
