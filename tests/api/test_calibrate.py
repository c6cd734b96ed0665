"""fit and calibrate: the same statistics, better probabilities, and nothing stale."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import log_loss

import suffice as sf
from suffice.evidence.cross_fitting import CrossFitting

ROWS = 800
DATA = Path(os.environ.get("SUFFICE_DATA", "../shared/data"))


def repeated(seed: int = 0, rows: int = ROWS) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    x = np.repeat(rng.normal(y, 1.0)[:, None], 6, axis=1) + rng.normal(0, 0.2, (rows, 6))
    return x, np.array(["a", "b", "c"])[y]


def written(path: Path, x: Any, y: Any) -> Path:
    lines = [",".join([*(f"{cell:.17g}" for cell in row), label]) for row, label in zip(x, y, strict=True)]
    path.write_text("\n".join(["a,b,c,d,e,f,y", *lines]), encoding="utf-8")
    return path


def test_probabilities_are_worth_more_and_scores_are_the_same() -> None:
    x, y = repeated()
    plain = sf.fit(x, y, columns=sf.Gaussian(), calibrate=False)
    model = sf.fit(x, y, columns=sf.Gaussian())
    fresh, truth = repeated(1)
    before, after = plain.predict_proba(fresh), model.predict_proba(fresh)
    assert log_loss(truth, after) < 0.6 * log_loss(truth, before)
    np.testing.assert_allclose(after.sum(axis=1), 1)
    np.testing.assert_array_equal(model.log_joint(fresh), plain.log_joint(fresh))
    np.testing.assert_array_equal(model.log_density(fresh), plain.log_density(fresh))
    assert model.core == plain.core
    assert plain.calibration is None
    assert repr(plain).endswith("\n  calibration: none")
    assert f"\n  calibration: {model.calibration}\n" in repr(model)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(fresh)), after)


@pytest.mark.parametrize("name", ["adult.data.gz"])
def test_held_out_rows_of_a_public_set_lose_less(name: str) -> None:
    if not (DATA / name).exists():
        pytest.skip(f"{DATA / name} is not there")
    frame = pl.read_csv(DATA / name, has_header=False, null_values=["?", " ?"], infer_schema_length=None)
    frame = frame.drop_nulls(frame.columns[-1])
    train, test = frame[::2], frame[1::2]
    target = frame.columns[-1]
    plain, model = (sf.fit(train, target, calibrate=how) for how in (False, "auto"))
    truth = test[target].to_numpy()
    before, after = (log_loss(truth, each.predict_proba(test)) for each in (plain, model))
    assert after < 0.8 * before


def test_the_class_prior_is_not_cancelled() -> None:
    x, y = repeated()
    few = np.flatnonzero((y != "c") | (np.arange(ROWS) % 8 == 0))  # an eighth of one class
    x, y = x[few], y[few]
    own = sf.fit(x, y, columns=sf.Gaussian())
    uniform = sf.fit(x, y, columns=sf.Gaussian(), class_prior="uniform")
    assert uniform.calibration is not None
    assert uniform.calibration == own.calibration
    shares = np.array([np.mean(y == label) for label in own.classes])
    ratio = uniform.predict_log_proba(x) - own.predict_log_proba(x)
    expected = -np.log(shares)
    np.testing.assert_allclose(ratio - ratio[:, :1], np.broadcast_to(expected - expected[0], ratio.shape), atol=1e-9)
    np.testing.assert_allclose(uniform.predict_proba(np.full((1, 6), np.nan)), 1 / 3)
    other = uniform.with_options(class_prior=[0.7, 0.2, 0.1])
    assert other.calibration is uniform.calibration
    ratio = other.predict_log_proba(x) - uniform.predict_log_proba(x)
    expected = np.log([2.1, 0.6, 0.3])
    np.testing.assert_allclose(ratio - ratio[:, :1], np.broadcast_to(expected - expected[0], ratio.shape), atol=1e-9)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda m, x, y: m + sf.fit(*repeated(9, 2 * ROWS), like=m, calibrate=False), "the models were merged"),
        (lambda m, x, y: m.forget(x[:5], y[:5], calibration="drop"), "the model was changed by removing rows"),
        (lambda m, x, y: m.forget(x[:790], y[:790]), "the model was changed by removing rows"),
        (lambda m, x, y: m.scale(2), "the model was scaled"),
        (lambda m, x, y: m.with_options(estimate="mle"), "the model was changed to another estimate or prior"),
    ],
)
def test_a_stale_one_is_dropped_and_the_model_says_why(change: Any, what: str) -> None:
    x, y = repeated()
    model = sf.fit(x, y, columns=sf.Gaussian())
    with pytest.warns(
        sf.errors.DroppedCalibrationWarning,
        match=f"^{what}, so the calibration and the novelty reference were dropped. Calibrate the model again",
    ) as caught:
        changed = change(model, x, y)
    assert [each.filename for each in caught] == [__file__]  # once, where it was done
    assert "novelty" in str(caught[0].message)
    assert changed.calibration is None
    assert changed.calibration_dropped_because == what
    assert repr(changed).endswith(f"calibration: none: {what}")
    again = changed.calibrate(x, y)
    assert again.calibration_dropped_because == (
        "" if "mle" not in repr(changed) else "calibration is not available for the estimate 'mle'"
    )


@pytest.mark.parametrize(
    ("change", "rows"),
    [
        (lambda m, x, y: m + sf.fit(*repeated(9), like=m), 2 * ROWS),
        (lambda m, x, y: m + sf.fit(x[:5], y[:5], like=m, calibrate=False), ROWS),
        (lambda m, x, y: m.update(*repeated(9)), 2 * ROWS),
        (lambda m, x, y: m - sf.fit(x[:5], y[:5], like=m, calibrate=False), ROWS),
        (lambda m, x, y: m.forget(x[:5], y[:5]), ROWS),
    ],
)
def test_adding_and_removing_rows_keeps_it(change: Any, rows: int) -> None:
    x, y = repeated()
    model = sf.fit(x, y, columns=sf.Gaussian())
    with pytest.warns(
        sf.errors.DroppedCalibrationWarning, match="so the novelty reference was dropped. To restore it, run model"
    ):
        changed = change(model, x, y)
    assert changed.calibration.rows == rows
    assert changed.calibration.kind == model.calibration.kind
    fresh, truth = repeated(5, 2000)
    plain, kept = (
        each.evaluate(fresh, truth, bootstrap=0)["log_loss"].value
        for each in (replace(changed, calibration=None), changed)
    )
    anew = replace(changed, calibration=None).calibrate(*repeated(6, 2000), new=True)
    assert kept < 0.7 * plain
    assert kept < 1.02 * anew.evaluate(fresh, truth, bootstrap=0)["log_loss"].value


def test_merging_calibrated_models_in_any_order() -> None:
    x, y = repeated(3, 1200)
    first = sf.fit(x[:400], y[:400], columns=sf.Gaussian())
    parts = [first, *(sf.fit(x[at : at + 400], y[at : at + 400], like=first) for at in (400, 800))]
    with pytest.warns(sf.errors.DroppedCalibrationWarning):
        one, other = parts[0] + parts[1] + parts[2], parts[2] + (parts[0] + parts[1])
    assert one.core == other.core
    np.testing.assert_allclose(one.calibration.theta, other.calibration.theta, rtol=1e-9, atol=1e-9)
    with pytest.warns(sf.errors.DroppedCalibrationWarning):
        two, back = parts[0] + parts[1], sf.fit(x[:800], y[:800], like=first) + parts[2] - parts[2]
    assert back.calibration.theta.shape == two.calibration.theta.shape
    np.testing.assert_allclose(back.predict_proba(x), two.predict_proba(x), atol=0.02)


def test_pruning_drops_it_where_something_was_dropped() -> None:
    rng = np.random.default_rng(0)
    target = np.where(rng.random(300) < 0.5, "a", "b")
    fur = np.where((target == "a") == (rng.random(300) < 0.7), "red", "blue")
    fur[7] = "odd"
    model = sf.fit({"fur": fur, "again": fur, "and": fur}, target, columns=sf.Categorical())
    assert model.calibration is not None
    assert model.prune(1).calibration is model.calibration
    with pytest.warns(sf.errors.DroppedCalibrationWarning):
        pruned = model.prune(2)
    assert pruned.calibration_dropped_because == "the model was pruned"


def test_few_rows_and_mle_have_none() -> None:
    x, y = repeated()
    few = sf.fit(x[:20], y[:20], columns=sf.Gaussian())
    assert few.calibration is None
    assert "calibration: none: fewer than 20 rows belong to classes other than the most frequent one" in repr(few)
    textbook = sf.fit(x[:20], y[:20], columns=sf.Gaussian(), calibrate=False)
    np.testing.assert_array_equal(few.predict_proba(x), textbook.predict_proba(x))
    mle = sf.fit(x, y, columns=sf.Gaussian(), estimate="mle")
    assert mle.calibration is None
    assert mle.calibration_dropped_because == "calibration is not available for the estimate 'mle'"
    assert mle.novelty_reference is not None  # novelty needs no calibration
    with pytest.raises(sf.errors.ParameterError, match="not available for the estimate 'mle'"):
        mle.calibrate(x, y, method="scale")


@pytest.mark.parametrize("method", ["scale", "offsets"])
def test_it_is_stored(tmp_path: Path, method: Any) -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(["win", "now", "lunch", "meet"], rng.integers(1, 9))) for _ in range(60)]
    target = ["spam" if text.count("win") > 1 else "ham" for text in texts]
    model = sf.fit(texts, target, columns=sf.Words(), calibrate=False).calibrate(texts, target, method=method)
    model.save(tmp_path / "model.suffice")
    again = sf.load(tmp_path / "model.suffice")
    assert str(again.calibration) == str(model.calibration)
    assert again.calibration is not None
    assert again.calibration == model.calibration
    assert again.calibration.loss == model.calibration.loss  # pyright: ignore[reportOptionalMemberAccess]
    np.testing.assert_array_equal(again.calibration.frequencies, model.calibration.frequencies)  # pyright: ignore[reportOptionalMemberAccess]
    np.testing.assert_array_equal(again.predict_proba(texts), model.predict_proba(texts))
    again.save(tmp_path / "again.suffice")
    assert (tmp_path / "again.suffice").read_bytes() == (tmp_path / "model.suffice").read_bytes()


def test_one_of_other_statistics_is_refused(tmp_path: Path) -> None:
    from dataclasses import replace

    x, y = repeated()
    model = sf.fit(x, y, columns=sf.Gaussian())
    other = replace(sf.fit(x[:99], y[:99], columns=sf.Gaussian(), calibrate=False), calibration=model.calibration)
    other.save(tmp_path / "stale.suffice")
    with pytest.raises(sf.errors.ModelFileError, match="its calibration belongs to other statistics"):
        sf.load(tmp_path / "stale.suffice")


def test_rows_that_are_new_and_rows_of_the_fit() -> None:
    x, y = repeated()
    model = sf.fit(x[:400], y[:400], columns=sf.Gaussian(), calibrate=False)
    new = model.calibrate(x[400:], y[400:], new=True, method="scale")
    assert str(new.calibration).endswith("estimated from 400 rows (other rows)")
    again = model.calibrate(x[:400], y[:400])
    assert str(again.calibration).endswith("estimated from 400 rows (5 folds)")
    fitted = sf.fit(x[:400], y[:400], columns=sf.Gaussian())
    assert again.calibration == fitted.calibration
    np.testing.assert_array_equal(again.predict_proba(x), fitted.predict_proba(x))
    ten = model.calibrate(x[:400], y[:400], folds=10, seed=3)
    assert str(ten.calibration).endswith("(10 folds)")
    assert ten.calibration != again.calibration


def test_refusals() -> None:
    x, y = repeated()
    model = sf.fit(x, y, columns=sf.Gaussian(), calibrate=False)
    for folds in (1, 0, 2.5, "folds", True):
        with pytest.raises(sf.errors.ParameterError, match="folds must be"):
            model.calibrate(x, y, folds=folds)  # pyright: ignore[reportArgumentType]
    for calibrate in (None, 5, "loo", 0):
        with pytest.raises(sf.errors.ParameterError) as wrong:
            sf.fit(x, y, calibrate=calibrate)  # pyright: ignore[reportArgumentType]
        assert str(wrong.value) == f"calibrate must be 'auto' or False: got {calibrate!r}."
    with pytest.raises(sf.errors.DataError) as caught:
        model.calibrate(x[:3], ["a", "z", "b"])
    assert str(caught.value) == (
        "unknown class 'z': the classes of the model are ['a', 'b', 'c']. Fit the model on all classes, or leave these "
        "rows out."
    )
    with pytest.raises(sf.errors.DataError, match="the target is missing"):
        model.calibrate(x)
    with pytest.raises(sf.errors.DataError, match="there are no rows to calibrate on"):
        model.calibrate(x[:0], y[:0])


def test_files_are_calibrated_as_frames_are(tmp_path: Path) -> None:
    x, y = repeated()
    path = written(tmp_path / "rows.csv", x, y)
    frame = {name: x[:, j] for j, name in enumerate("abcdef")}
    model, expected = sf.fit(path, "y", columns=sf.Gaussian()), sf.fit(frame, y, columns=sf.Gaussian())
    assert model.calibration is not None
    assert model.calibration == expected.calibration
    np.testing.assert_array_equal(model.predict_proba(frame), expected.predict_proba(frame))
    np.testing.assert_array_equal(model.novelty(frame).p_value, expected.novelty(frame).p_value)
    plain = sf.fit(path, "y", columns=sf.Gaussian(), calibrate=False)
    assert plain.core == model.core
    assert plain.calibrate(path).calibration == model.calibration
    new = plain.calibrate(path, new=True).calibration
    assert new is not None
    assert new.rows == ROWS


def test_rows_beyond_what_is_kept_belong_to_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = repeated()
    parts = [written(tmp_path / f"{at}.csv", x[at::5], y[at::5]) for at in range(5)]
    order = np.concatenate([np.arange(ROWS)[at::5] for at in range(5)])
    frame = {name: x[order, j] for j, name in enumerate("abcdef")}
    plain = sf.fit(frame, y[order], columns=sf.Gaussian(), calibrate=False)
    monkeypatch.setattr(sys.modules["suffice.api.fit"], "CrossFitting", lambda: CrossFitting(limit=150))
    files, memory = sf.fit(sf.Files(parts), "y", columns=sf.Gaussian()), sf.fit(frame, y[order], columns=sf.Gaussian())
    np.testing.assert_allclose(memory.log_joint(frame), plain.log_joint(frame), rtol=1e-12)
    np.testing.assert_allclose(files.log_joint(frame), plain.log_joint(frame), rtol=1e-12)
    for model in (files, memory):
        assert model.calibration is not None
        assert model.calibration.rows == 150
    assert files.calibration.scale == pytest.approx(memory.calibration.scale, rel=1e-9)  # pyright: ignore[reportOptionalMemberAccess]


def test_an_error_in_a_kept_row_names_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["suffice.api.fit"], "CrossFitting", lambda: CrossFitting(limit=50))
    x, y = repeated()
    x[333, 2] = np.inf
    first, second = written(tmp_path / "0.csv", x[:300], y[:300]), written(tmp_path / "1.csv", x[300:], y[300:])
    errors = []
    for calibrate in ("auto", False):
        with pytest.raises(sf.errors.DataError) as caught:
            sf.fit(sf.Files([first, second]), "y", columns=sf.Gaussian(), calibrate=calibrate)
        errors.append(str(caught.value))
    assert errors[0] == errors[1]
    assert "row 33" in errors[0]


def test_the_estimator_calibrates_in_fit_and_not_in_partial_fit() -> None:
    x, y = repeated()
    fitted = sf.NaiveBayes(sf.Gaussian(), calibrate="auto").fit(x, y)
    model = sf.fit(x, y, columns=sf.Gaussian())
    np.testing.assert_array_equal(fitted.predict_proba(x), model.predict_proba(x))
    with pytest.warns(sf.errors.DroppedCalibrationWarning):
        fitted.partial_fit(x, y)
    assert fitted.model_.calibration is None
    assert sf.NaiveBayes(sf.Gaussian()).fit(x, y).model_.calibration is None


def test_classes_of_one_row_and_rows_of_nothing() -> None:
    nan = float("nan")
    rng = np.random.default_rng(0)
    target = np.array(["a", "b"] * 30 + ["lone"], dtype=object)
    number = rng.normal(target == "a", 1.0)
    number[3] = nan
    data = {f"x{j}": number for j in range(5)}
    model = sf.fit(data, target, columns=sf.Gaussian())
    assert model.calibration is not None
    assert model.calibration.rows == 59  # neither of the lone row nor of the one of which nothing is known
    assert np.isfinite(model.predict_proba(data)).all()
    nothing = {f"x{j}": [nan] for j in range(5)}
    np.testing.assert_allclose(model.predict_proba(nothing), [[30 / 61, 30 / 61, 1 / 61]])


@pytest.mark.parametrize("method", ["scale", "offsets"])
def test_weights_whose_sum_is_no_float(method: Any) -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(40, 1)), np.arange(40) % 2
    model = sf.fit(x, y, columns=sf.Gaussian(), calibrate=False)
    huge, plain = (
        model.calibrate(x, y, weights=np.full(40, weight), new=True, method=method) for weight in (1e308, 1.0)
    )
    np.testing.assert_allclose(huge.predict_proba(x), plain.predict_proba(x), rtol=1e-9)


@pytest.mark.skipif(not (DATA / "adult.data.gz").exists(), reason="SUFFICE_DATA has no adult.data.gz")
@pytest.mark.filterwarnings("ignore::suffice.errors.DroppedCalibrationWarning")
def test_merged_shards_are_as_good_as_one_calibration() -> None:
    path = DATA / "adult.data.gz"
    frame = pd.read_csv(path, header=None, na_values="?", skipinitialspace=True).rename(columns={14: "income"})
    frame = frame.rename(columns=str).sample(frac=1.0, random_state=0)
    train, test = frame[:22_000], frame[22_000:]
    whole = sf.fit(train, "income")
    best = whole.evaluate(test, "income", bootstrap=0)["log_loss"].value
    for shards, slack in ((2, 0.005), (8, 0.005), (64, 0.02)):
        first, *others = (sf.fit(train.iloc[at::shards], "income", like=whole) for at in range(shards))
        merged = sum(others, start=first)
        assert merged.calibration is not None
        assert merged.evaluate(test, "income", bootstrap=0)["log_loss"].value < (1 + slack) * best


def test_weights_are_the_same_bits_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = repeated(4, 20_000)
    x[:, 5] = np.random.default_rng(0).normal(2.0 * (y == "c"), 1.0)
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("SUFFICE_NUM_THREADS", threads)
        model = sf.fit(x, y)
        found.append((model.calibration, model.predict_proba(x[:5000])))
    (one, first), (many, second) = found
    assert one.kind == "weights"
    assert one == many
    np.testing.assert_array_equal(first, second)
