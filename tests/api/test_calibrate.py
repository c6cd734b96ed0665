"""calibrate: the same statistics, better probabilities, and nothing stale."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import log_loss

import suffice as sf

ROWS = 800


def repeated(seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, ROWS)
    x = np.repeat(rng.normal(y, 1.0)[:, None], 6, axis=1) + rng.normal(0, 0.2, (ROWS, 6))
    return x, np.array(["a", "b", "c"])[y]


@pytest.mark.parametrize("on", ["loo", 5])
def test_probabilities_are_worth_more_and_scores_are_the_same(on: Any) -> None:
    x, y = repeated()
    plain = sf.fit(x, y, sf.Gaussian())
    model = sf.fit(x, y, sf.Gaussian(), calibrate=on)
    fresh, truth = repeated(1)
    before, after = plain.predict_proba(fresh), model.predict_proba(fresh)
    assert log_loss(truth, after) < 0.6 * log_loss(truth, before)
    np.testing.assert_allclose(after.sum(axis=1), 1)
    np.testing.assert_array_equal(model.log_joint(fresh), plain.log_joint(fresh))
    np.testing.assert_array_equal(model.log_density(fresh), plain.log_density(fresh))
    assert model == plain
    assert plain.calibration is None
    np.testing.assert_allclose(np.exp(model.predict_log_proba(fresh)), after)


def test_another_class_prior_enters_as_it_should() -> None:
    x, y = repeated()
    model = sf.fit(x, y, sf.Gaussian(), class_prior="uniform", calibrate="loo")
    other = model.read(class_prior=[0.7, 0.2, 0.1])
    assert other.calibration is model.calibration
    ratio = other.predict_log_proba(x) - model.predict_log_proba(x)
    expected = np.log([2.1, 0.6, 0.3])
    np.testing.assert_allclose(ratio - ratio[:, :1], np.broadcast_to(expected - expected[0], ratio.shape), atol=1e-9)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda m, x, y: m + m, "given more rows"),
        (lambda m, x, y: m.update(x, y), "given more rows"),
        (lambda m, x, y: m - sf.fit(x[:5], y[:5], like=m), "made to forget rows"),
        (lambda m, x, y: m.forget(x[:5], y[:5]), "made to forget rows"),
        (lambda m, x, y: m.scale(2), "scaled"),
        (lambda m, x, y: m.read("mle"), "given another estimate or prior"),
        (lambda m, x, y: (m + m).scale(2), "given more rows"),
    ],
)
def test_a_stale_one_is_dropped_and_the_model_says_why(change: Any, what: str) -> None:
    x, y = repeated()
    model = sf.fit(x, y, sf.Gaussian(), calibrate="loo")
    with pytest.warns(sf.DroppedCalibrationWarning, match=f"the model was {what}") as caught:
        changed = change(model, x, y)
    assert [each.filename for each in caught] == [__file__]  # once, where it was done
    assert "novelty" in str(caught[0].message)
    assert changed.calibration is None
    assert changed.lost == f"none: it was {what}. Calibrate it again"
    assert repr(changed).endswith(f"calibration: none: it was {what}. Calibrate it again")
    assert sf.calibrate(changed, x, y).lost == ""


def test_pruning_drops_it_where_something_was_dropped() -> None:
    data, target = {"fur": ["red", "blue"] * 20 + ["odd"]}, ["a", "b"] * 20 + ["a"]
    model = sf.fit(data, target, sf.Categorical(), calibrate="loo")
    assert model.prune(1).calibration is model.calibration
    with pytest.warns(sf.DroppedCalibrationWarning):
        pruned = model.prune(2)
    assert pruned.lost == "none: it was pruned. Calibrate it again"


@pytest.mark.parametrize("method", ["temperature", "offsets", "beta", "isotonic", "length"])
def test_it_is_stored(tmp_path: Path, method: Any) -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(["win", "now", "lunch", "meet"], rng.integers(1, 9))) for _ in range(60)]
    target = ["spam" if text.count("win") > 1 else "ham" for text in texts]
    model = sf.calibrate(sf.fit(texts, target, sf.Words()), texts, target, method=method)
    model.save(tmp_path / "model.suffice")
    again = sf.load(tmp_path / "model.suffice")
    assert str(again.calibration) == str(model.calibration)
    assert again.calibration is not None
    assert again.calibration.loss == model.calibration.loss  # pyright: ignore[reportOptionalMemberAccess]
    np.testing.assert_array_equal(again.predict_proba(texts), model.predict_proba(texts))
    again.save(tmp_path / "again.suffice")
    assert (tmp_path / "again.suffice").read_bytes() == (tmp_path / "model.suffice").read_bytes()


def test_one_of_other_statistics_is_refused(tmp_path: Path) -> None:
    from dataclasses import replace

    x, y = repeated()
    model = sf.fit(x, y, sf.Gaussian(), calibrate="loo")
    other = replace(sf.fit(x[:99], y[:99], sf.Gaussian()), calibration=model.calibration)
    other.save(tmp_path / "stale.suffice")
    with pytest.raises(sf.ModelFileError, match="its calibration is that of other statistics"):
        sf.load(tmp_path / "stale.suffice")


def test_rows_that_are_new_and_one_variance_for_all_columns() -> None:
    x, y = repeated()
    model = sf.fit(x[:400], y[:400], sf.Gaussian(covariance="full"))
    new = sf.calibrate(model, x[400:], y[400:], on="new", method="temperature")
    assert str(new.calibration).endswith("learnt from 400 rows (other rows)")
    assert sf.calibrate(model, x[:400], y[:400]).calibration is not None
    spherical = model.read(covariance="spherical")
    left_out = sf.calibrate(spherical, x[:400], y[:400]).calibration
    assert str(left_out).endswith("learnt from 400 rows (leave one out)")
    assert sf.calibrate(spherical, x[:400], y[:400], on=5).calibration is not None


def test_refusals() -> None:
    x, y = repeated()
    model = sf.fit(x, y, sf.Gaussian())
    for on in (1, 0, 2.5, "folds", True, ROWS + 1):
        with pytest.raises(sf.ParameterError) as caught:
            sf.calibrate(model, x, y, on=on)  # pyright: ignore[reportArgumentType]
        assert str(caught.value) == (
            f"on must be 'loo', 'new' or a number of folds from 2 to the number of rows, {ROWS}: got {on!r}."
        )
    with pytest.raises(sf.DataError) as caught:
        sf.calibrate(model, x[:3], ["a", "z", "b"])
    assert str(caught.value) == (
        "the model does not know the class 'z'. Its classes are ['a', 'b', 'c']. Fit it on all classes, or leave these "
        "rows out."
    )
    with pytest.raises(sf.DataError, match="the class of each row is not known"):
        sf.calibrate(model, x)


def test_files_are_read_a_second_time(tmp_path: Path) -> None:
    x, y = repeated()
    path = tmp_path / "rows.csv"
    lines = [",".join([*(f"{cell:.17g}" for cell in row), label]) for row, label in zip(x, y, strict=True)]
    path.write_text("\n".join(["a,b,c,d,e,f,y", *lines]), encoding="utf-8")
    model = sf.fit(path, "y", sf.Gaussian(), calibrate="loo")
    expected = sf.fit({name: x[:, j] for j, name in enumerate("abcdef")}, y, sf.Gaussian(), calibrate="loo")
    assert model.calibration is not None
    assert expected.calibration is not None
    assert model.calibration.temperature == pytest.approx(expected.calibration.temperature, rel=1e-9)
    assert sf.calibrate(model, path, on="new").calibration.rows == ROWS  # pyright: ignore[reportOptionalMemberAccess]
    with pytest.raises(sf.ParameterError) as caught:
        sf.fit(path, "y", sf.Gaussian(), calibrate=5)
    assert str(caught.value) == ("folds need rows in memory: got files, and on=5. Give on='loo', or a frame.")


def test_the_estimator_calibrates_in_fit_and_not_in_partial_fit() -> None:
    x, y = repeated()
    fitted = sf.NaiveBayes(sf.Gaussian(), calibrate="loo").fit(x, y)
    model = sf.fit(x, y, sf.Gaussian(), calibrate="loo")
    np.testing.assert_array_equal(fitted.predict_proba(x), model.predict_proba(x))
    with pytest.warns(sf.DroppedCalibrationWarning):
        fitted.partial_fit(x, y)
    assert fitted.model_.calibration is None


def test_classes_of_one_row_and_rows_of_nothing() -> None:
    nan = float("nan")
    data = {"x": [0.0, 1.0, nan, 5.0, 6.0, nan], "fur": ["red", None, None, "blue", "red", None]}
    target = ["a", "a", "a", "b", "b", "lone"]
    with pytest.warns(sf.ImpossibleRowsWarning, match="1 of 6 rows have probability 0 in their own class"):
        model = sf.fit(data, target, {"x": sf.Gaussian(), "fur": sf.Categorical()}, calibrate="loo")
    assert np.isfinite(model.predict_proba(data)).all()
    assert model.calibration is not None
    assert model.calibration.rows == 4  # neither of the lone row nor of the one of which nothing is known
    np.testing.assert_allclose(model.predict_proba({"x": [nan], "fur": [None]}), [[1 / 2, 1 / 3, 1 / 6]])


def test_isotonic_needs_a_row_that_is_possible_under_both_classes() -> None:
    model = sf.fit([["u"], ["v"]] * 4, [0, 1] * 4, sf.Categorical(), estimate="mle")
    with pytest.raises(sf.DataError, match=r"possible under both classes.*none among 8"):
        sf.calibrate(model, [["u"], ["v"]] * 4, [0, 1] * 4, on="new", method="isotonic")
    some = sf.calibrate(model, [["u"], ["v"]] * 4, [0, 1] * 4, on="new", method="beta")
    np.testing.assert_array_equal(some.predict_proba([["u"], ["v"]]), [[1, 0], [0, 1]])


@pytest.mark.parametrize("method", ["temperature", "offsets", "beta", "isotonic"])
def test_weights_whose_sum_is_no_float(method: Any) -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(40, 1)), np.arange(40) % 2
    model = sf.fit(x, y, sf.Gaussian())
    huge = sf.calibrate(model, x, y, np.full(40, 1e308), on="new", method=method)
    # The penalty, which keeps parameters of few rows near 1, has no part in it any more.
    large = sf.calibrate(model, x, y, np.full(40, 1e30), on="new", method=method)
    np.testing.assert_allclose(huge.predict_proba(x), large.predict_proba(x), rtol=1e-6)
