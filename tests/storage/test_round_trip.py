"""A loaded model is identical to the saved one in every operation."""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
from dataclasses import fields

import numpy as np
import pytest
import safetensors
import safetensors.numpy

import suffice as sf
from suffice.likelihoods import LIKELIHOODS
from suffice.likelihoods.block_statistics import Reading
from suffice.models import NaiveBayesModel, Provenance, Schema
from suffice.models.schema import Block
from suffice.statistics import Moments
from suffice.storage.likelihoods import PARAMETERS
from tests.storage.models_to_store import COUNTS, MODELS, ROWS, STRANGE, TARGET

pytestmark = pytest.mark.filterwarnings("ignore::suffice.SufficeWarning")


@pytest.fixture(params=MODELS)
def model(request):
    return MODELS[request.param]()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.suffice"


def loaded(model, path):
    model.save(path)
    return sf.load(path)


def test_a_model_reads_back_whole(model, path):
    again = loaded(model, path)
    assert again == model
    assert again.provenance == model.provenance
    assert again.schema.left_out == model.schema.left_out
    assert repr(again) == repr(model)
    assert [type(label) for label in again.classes] == [type(label) for label in model.classes]


def test_every_array_reads_back_to_the_bit(model, path):
    again = loaded(model, path)
    for mine, theirs in zip(again.core.parts, model.core.parts, strict=True):
        for left, right in zip(mine, theirs, strict=True):
            arrays, others = left.to_arrays(), right.to_arrays()
            assert arrays.keys() == others.keys()
            for name, array in arrays.items():
                assert array.dtype == others[name].dtype
                assert array.tobytes() == others[name].tobytes(), name
            kept = [getattr(left, field.name) for field in fields(left)]
            assert not any(array.flags.writeable for array in kept if isinstance(array, np.ndarray))


def test_equal_models_make_equal_bytes(model, path):
    model.save(path)
    first = path.read_bytes()
    sf.load(path).save(path)
    assert path.read_bytes() == first
    copy.deepcopy(model).save(path)
    assert path.read_bytes() == first


def test_safetensors_reads_the_same_file(model, path):
    model.save(path)
    arrays = safetensors.numpy.load_file(path)
    raw = path.read_bytes()
    assert arrays["sha256"].tobytes() == raw[-32:] == hashlib.sha256(raw[:-32]).digest()
    with safetensors.safe_open(path, "np") as file:
        schema = json.loads(file.metadata()["suffice"])
    assert schema["format"] == 1
    assert schema["suffice"] == sf.__version__
    np.testing.assert_array_equal(arrays["tally.weight"], model.core.tally.weight)


def test_no_text_of_the_user_is_in_the_header(path):
    MODELS["mixed"]().save(path)
    raw = path.read_bytes()
    header = raw[8 : 8 + int.from_bytes(raw[:8], "little")]
    for text in ("ham", "news", "fur", "legs", "black", "words_a", "mon.csv", "latin-1", "größe"):
        assert json.dumps(text).strip('"').encode() not in header
        assert text.encode() in raw


def test_a_loaded_model_copies_and_pickles(model, path):
    again = loaded(model, path)
    assert copy.deepcopy(again) == model
    assert pickle.loads(pickle.dumps(again)) == model  # noqa: S301  our own


@pytest.mark.parametrize("name", ROWS)
def test_a_loaded_model_does_all_that_the_fitted_one_does(name, path):
    model, rows = MODELS[name]().with_options(class_prior="empirical"), ROWS[name]  # of any classes
    again = loaded(model, path)

    def same(left, right):
        assert left == right
        np.testing.assert_array_equal(left.predict_proba(rows), right.predict_proba(rows))
        assert left.log_evidence() == right.log_evidence()

    same(again, model)
    same(again + model, model + model)
    same(model + again, model + model)
    same(again.update(rows, TARGET), model.update(rows, TARGET))
    same(again.update(rows, ["new"] * 6), model.update(rows, ["new"] * 6))
    if name != "uniform":  # from which no rows can be removed
        same((again + again) - again, (model + model) - model)
        same(again.update(rows, TARGET).forget(rows, TARGET), model.update(rows, TARGET).forget(rows, TARGET))
    same(again.scale(0.5), model.scale(0.5))
    for estimate in ("mle", "map", "mean", "smoothed"):
        same(
            again.with_options(estimate=estimate, class_prior="uniform"),
            model.with_options(estimate=estimate, class_prior="uniform"),
        )
    same(again.prune(2), model.prune(2))
    same(sf.fit(rows, TARGET, like=again, calibrate=False), sf.fit(rows, TARGET, like=model, calibrate=False))
    assert repr(again.parameters()) == repr(model.parameters())  # a NaN is not equal to itself
    if name not in ("words", "words_hashed", "chars", "chars_in_groups"):  # whose tokens are not single words
        np.testing.assert_equal(tuple(again.sample(5, seed=0)), tuple(model.sample(5, seed=0)))
    same(loaded(again.update(rows, TARGET), path), model.update(rows, TARGET))


def test_labels_of_every_kind_read_back(path):
    again = loaded(MODELS["strange_levels"](), path)
    levels = again.core.parts[0][0].levels
    for label in STRANGE:
        assert label in levels
        assert type(levels.labels[levels.index(label)]) is type(label)
    assert sorted(levels.labels[i] for i in np.flatnonzero(levels.declared) if isinstance(levels.labels[i], str)) == [
        "kept"
    ]


def test_how_well_squares_are_known_reads_back_too(path):
    # It does not count in ==, but what can be forgotten hangs on it.
    model = MODELS["gaussian"]()
    (mine,), (theirs,) = loaded(model, path).core.parts[0], model.core.parts[0]
    assert isinstance(theirs, Moments)
    assert theirs.dp_blur.any()
    np.testing.assert_array_equal(mine.dp_blur, theirs.dp_blur)


def test_a_class_that_a_statistic_lacks_or_declares_reads_back(path):
    # "gone" has no known cell; the tally knows it, the counts and moments do not.
    x = np.array([[1.0, 2.0], [np.nan, np.nan], [3.0, 1.0]])
    model = sf.fit(x, ["here", "gone", "here"], columns={0: sf.Gaussian(), 1: sf.Categorical()}, calibrate=False)
    assert [len(part.classes) for block in model.core.parts for part in block] == [1, 1]
    again = loaded(model, path)
    assert again == model
    assert [part.classes for block in again.core.parts for part in block] == [
        part.classes for block in model.core.parts for part in block
    ]


def test_statistics_that_no_fit_makes_today_read_back_too(path):
    classes, other = sf.statistics.Axis.of(["a", "b"], [True, False]), sf.statistics.Axis.of(["b", "z"], declared=True)
    gaussian = sf.statistics.Moments(other, ["m"], [[1], [0]], [[2], [0]], [[0], [0]])
    presence = sf.statistics.Counts(other, sf.statistics.Axis.of(["p", "q"]), [[1, 2], [0, 0]], [[3, 3], [0, 0]])
    one = sf.statistics.Counts(classes, sf.statistics.Axis.of(["r"]), [[1], [1]], [[1], [2]], per_level=True)
    bins = sf.statistics.Bins(other, ["h"], 9, [0], [0, 1], [2**63], [[1], [0]], [[0], [0]], [[0], [0]])
    levels = (
        sf.statistics.Counts(other, sf.statistics.Axis.of(["x", "y"]), [[1, 0], [0, 0]], [[1, 1], [0, 0]]),
        sf.statistics.Counts(classes, sf.statistics.Axis.of(["x"]), [[1], [2]], [[1], [2]]),
    )
    names = ("q", "p", "m", "r", "h", "l", "k", "idle")
    blocks = (
        Block(("q", "p"), sf.Bernoulli()),
        Block(("m",), sf.Gaussian()),
        Block(("r",), sf.Bernoulli()),
        Block(("h",), sf.Histogram()),
        Block(("l", "k"), sf.Categorical()),
    )
    known = NaiveBayesModel(
        Schema(names, blocks),
        sf.statistics.Tally(classes, [0, 3]),
        ((presence,), (gaussian,), (one,), (bins,), levels),
        Reading("mean"),
        sf.ClassPrior("empirical"),
    )
    again = loaded(sf.Model(known), path).core
    assert again == known
    for mine, theirs in zip(again.parts, known.parts, strict=True):
        for left, right in zip(mine, theirs, strict=True):
            assert left.classes == right.classes
            assert getattr(left, "per_level", None) == getattr(right, "per_level", None)


def test_numbered_columns_are_shared_with_other_models(path):
    model = MODELS["poisson"]()
    assert (
        loaded(model, path).schema.names is sf.fit(COUNTS, TARGET, columns=sf.Poisson(), calibrate=False).schema.names
    )


@pytest.mark.parametrize("told", [Provenance(), Provenance(2**62, ("",), target=0, weights="größe")])
def test_provenance_reads_back(told, path):
    model = sf.Model(MODELS["poisson"]().core, told)
    assert loaded(model, path).provenance == told


def test_a_path_may_be_text(tmp_path):
    MODELS["poisson"]().save(str(tmp_path / "m.suffice"))
    assert sf.load(str(tmp_path / "m.suffice")) == MODELS["poisson"]()


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_every_parameter_of_every_likelihood_has_its_place(name):
    assert {field.name for field in fields(LIKELIHOODS[name])} <= set(PARAMETERS)
