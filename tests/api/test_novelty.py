"""The reference for novelty is kept where a model is calibrated, stored with it, and dropped with the calibration."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice.decisions import NoveltyReference
from suffice.storage.container import Arrays, StoredFields
from suffice.storage.model import pack_novelty, unpack_novelty

COLUMNS = {"weight": sf.Gaussian(), "fur": sf.Categorical()}
NEW = {"weight": [4.0, 90.0, 7.5, None], "fur": ["black", "black", "white", None]}
NONE = (
    "the model has no novelty reference{why}. Run model.calibrate(...) on the training rows to store it (the "
    "distribution of their log p(x))."
)


def rows(n: int = 900, seed: int = 0) -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(seed)
    k = rng.integers(0, 2, n)
    weight = rng.normal(4 + 3 * k, 1 + k)
    weight[rng.random(n) < 0.3] = np.nan
    return {"weight": weight, "fur": rng.choice(["black", "white"], n)}, np.where(k, "dog", "cat")


def same(one: Any, other: Any) -> None:
    for name in ("values", "class_prior"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert (one.rows, one.fingerprint) == (other.rows, other.fingerprint)


def test_calibrating_keeps_the_reference_of_the_same_rows():
    data, y = rows()
    model = sf.fit(data, y, columns=COLUMNS, calibrate=False).calibrate(data, y, method="scale")
    expected = sf.novelty_reference(model, data)
    same(model.novelty_reference, expected)
    found, beside = model.novelty(NEW), model.novelty(NEW, reference=expected)
    np.testing.assert_array_equal(found.p_value, beside.p_value)
    np.testing.assert_array_equal(found.score, beside.score)
    assert found.order()[0] == 1
    assert f"\n  novelty: a reference of {len(y)} rows" in repr(model)
    assert model.novelty_reference.fingerprint == model.calibration.fingerprint


def test_it_is_stored_with_the_model_to_the_bit(tmp_path):
    data, y = rows()
    model = sf.fit(data, y, columns=COLUMNS, calibrate="auto")
    model.save(tmp_path / "model.suffice")
    again = sf.load(tmp_path / "model.suffice")
    same(again.novelty_reference, model.novelty_reference)
    np.testing.assert_array_equal(again.novelty(NEW).p_value, model.novelty(NEW).p_value)
    again.save(tmp_path / "again.suffice")
    assert (tmp_path / "again.suffice").read_bytes() == (tmp_path / "model.suffice").read_bytes()


def test_another_class_prior_changes_nothing(tmp_path):
    data, y = rows()
    model = sf.fit(data, y, columns=COLUMNS, calibrate="auto")
    other = model.with_options(class_prior={"cat": 0.999, "dog": 0.001})
    assert other.log_density(data)[0] != model.log_density(data)[0]
    np.testing.assert_array_equal(other.novelty(data).p_value, model.novelty(data).p_value)
    np.testing.assert_array_equal(
        other.novelty(data, reference=sf.novelty_reference(model, data)).p_value, model.novelty(data).p_value
    )
    other.save(tmp_path / "model.suffice")
    np.testing.assert_array_equal(sf.load(tmp_path / "model.suffice").novelty(NEW).p_value, model.novelty(NEW).p_value)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda m, x, y: m + m, "the models were merged"),
        (lambda m, x, y: m.update(x, y), "the model was updated with more rows"),
        (
            lambda m, x, y: m - sf.fit({k: v[:5] for k, v in x.items()}, y[:5], like=m, calibrate=False),
            "the model was changed by removing rows",
        ),
        (lambda m, x, y: m.scale(2), "the model was scaled"),
        (lambda m, x, y: m.prune(600), "the model was pruned"),
        (lambda m, x, y: m.with_options(estimate="mle"), "the model was changed to another estimate or prior"),
    ],
)
def test_it_is_dropped_with_the_calibration(change, what):
    data, y = rows()
    model = sf.fit(data, y, columns=COLUMNS, calibrate="auto")
    with pytest.warns(sf.errors.DroppedCalibrationWarning):
        changed = change(model, data, y)
    assert changed.novelty_reference is None
    with pytest.raises(sf.errors.ParameterError) as caught:
        changed.novelty(NEW)
    assert str(caught.value) == NONE.format(why=f" ({what})")
    assert changed.calibrate(data, y).novelty_reference is not None


def test_a_model_that_has_none():
    data, y = rows(50)
    with pytest.raises(sf.errors.ParameterError) as caught:
        sf.fit(data, y, columns=COLUMNS, calibrate=False).novelty(NEW)
    assert str(caught.value) == NONE.format(why="")


def test_text_without_a_density_is_calibrated_and_has_none():
    texts, y = ["win cash", "lunch now", "cash prize", "lunch menu"] * 5, ["spam", "ham"] * 10
    model = sf.fit(texts, y, columns=sf.Words(model="complement"), calibrate=False).calibrate(
        texts, y, folds=2, method="scale"
    )
    assert model.calibration is not None
    assert model.novelty_reference is None
    with pytest.raises(
        sf.errors.ParameterError, match=re.escape("log p(x) does not exist: the scores of column 0 are")
    ):
        model.novelty(texts)


def test_a_reference_of_another_model_is_refused():
    data, y = rows()
    model = sf.fit(data, y, columns=COLUMNS, calibrate=False)
    reference = sf.novelty_reference(model, data)
    for other in (
        model + model,
        model.with_options(estimate="mle"),
        sf.fit(data, data["fur"], columns=COLUMNS, calibrate=False),
    ):
        with pytest.raises(sf.errors.ParameterError) as caught:
            other.novelty(NEW, reference=reference)
        assert str(caught.value) == (
            "the reference was computed for a different model or estimate. "
            "Pass novelty_reference(model, data) of this model."
        )


def test_rows_without_a_class_or_a_weight_are_none_of_the_fit():
    data, y = rows(300)
    odd = {"weight": np.append(data["weight"], [4.0, -500.0, 500.0]), "fur": np.append(data["fur"], ["black"] * 3)}
    labels = np.append(y.astype(object), ["cat", None, "dog"])
    weights = np.append(np.ones(300), [2.0, 1.0, 0.0])
    with pytest.warns(sf.errors.DroppedRowsWarning):
        model = sf.fit(odd, labels, columns=COLUMNS, weights=weights, calibrate="auto")
    twice = {name: np.append(cells[:301], cells[300]) for name, cells in odd.items()}
    plain = sf.fit(twice, np.append(y, ["cat", "cat"]), columns=COLUMNS, calibrate="auto")
    assert model.novelty_reference.rows == 301
    # Where weights differ a share is rounded up to a multiple of 1/10,000.
    gap = model.novelty(NEW).p_value - plain.novelty(NEW).p_value
    assert ((gap > -1e-9) & (gap < 1e-4)).all()


def test_of_very_many_rows_a_share_is_kept():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120_000, 1))
    model = sf.fit(x, x[:, 0] + rng.normal(size=120_000) > 0, columns=sf.Gaussian(), calibrate="auto")
    assert model.novelty_reference.rows == 50_000
    every = model.novelty(x, reference=sf.novelty_reference(model, x)).p_value
    # Two empirical distributions, of 50,000 of the rows and of all: 1.95 √(1/50,000) at one in a thousand.
    assert np.abs(model.novelty(x).p_value - every).max() < 1.95 / 50_000**0.5


def test_files_keep_what_their_rows_do(tmp_path):
    import polars as pl

    data, y = rows()
    pl.DataFrame({**data, "y": y}).write_parquet(tmp_path / "rows.parquet")
    of_file = sf.fit(tmp_path / "rows.parquet", "y", columns=COLUMNS, calibrate="auto")
    of_rows = sf.fit(data, y, columns=COLUMNS, calibrate="auto")
    assert of_file.novelty_reference.rows == of_rows.novelty_reference.rows
    np.testing.assert_allclose(of_file.novelty_reference.values, of_rows.novelty_reference.values, rtol=1e-12)


@given(
    st.lists(
        st.tuples(
            st.one_of(st.floats(-1e300, 1e300), st.just(-np.inf), st.just(np.inf), st.integers(-5, 0).map(float)),
            st.floats(1e-12, 1e6),
        ),
        min_size=1,
        max_size=40,
    )
)
def test_any_reference_comes_back_as_it_was(drawn):
    score, weight = (np.array(each, dtype=float) for each in zip(*drawn, strict=True))
    reference = replace(NoveltyReference.of(score, weight), class_prior=np.array([0.25, 0.75]), fingerprint="f")
    said, arrays = pack_novelty(reference)
    same(unpack_novelty(StoredFields(said, "novelty"), Arrays(arrays), 2, "f"), reference)


def test_a_reference_of_an_older_kind_is_dropped_and_said_so():
    path = Path(__file__).parents[1] / "storage/golden/novelty_in_groups.suffice"
    with pytest.warns(sf.errors.DroppedCalibrationWarning) as caught:
        model = sf.load(path)
    assert [str(warning.message) for warning in caught] == [
        f"{str(path)!r} has a novelty reference in an older format, which was dropped. Calibrate the model again for "
        "novelty, and save it."
    ]
    assert model.calibration is not None
    assert model.novelty_reference is None
    with pytest.raises(sf.errors.ParameterError, match=re.escape(NONE.format(why=""))):
        model.novelty(model.sample(1, seed=0).data)
