"""Files of every released format load, with unchanged predictions."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import suffice as sf
from suffice.likelihoods import LIKELIHOODS
from tests.storage.golden.make import said
from tests.storage.hand_made import Parts
from tests.storage.models_to_store import MODELS, ROWS

GOLDEN = sorted((Path(__file__).parent / "golden").glob("v*/*.suffice"))

pytestmark = pytest.mark.filterwarnings("ignore::suffice.SufficeWarning")


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_golden_file_says_what_it_said(path):
    model = sf.load(path)
    then = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    now = said(model, ROWS[path.stem])
    for exact in ("classes", "weight", "predict", "rows", "sources", "dates"):
        assert now[exact] == then[exact]
    # Statistics are the same to the bit; what is read from them may round otherwise where a formula is written otherwise.
    np.testing.assert_allclose(now["evidence"], then["evidence"], rtol=1e-12)
    scores, before = (np.array(each["log_joint"], dtype=float) for each in (now, then))
    np.testing.assert_allclose(scores, before, rtol=1e-11, atol=1e-11)
    assert now.keys() == then.keys() - (
        {"novelty"} if model.novelty_reference is None else set()
    )  # one in groups is dropped
    for learnt in now.keys() & {"proba", "novelty"}:
        np.testing.assert_allclose(now[learnt], then[learnt], rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_golden_file_is_the_model_that_is_fitted_today(path):
    then, now = sf.load(path), MODELS[path.stem]()
    assert (then.calibration is None) == (now.calibration is None)
    assert then == replace(now, calibration=then.calibration)  # it was learnt by leaving one out, today from folds


def test_there_is_one_for_every_likelihood_and_all_are_small():
    kinds = {type(block.likelihood).__name__ for path in GOLDEN for block in sf.load(path).schema.blocks}
    assert kinds == set(LIKELIHOODS)
    assert {path.stem for path in GOLDEN if path.parent.name == "v1"} == set(ROWS)
    assert max(path.stat().st_size for path in GOLDEN) < 20_000


GAMMA = sf.NormalInverseGamma([1, 2, 3], 1, 2, 0.5)


@pytest.mark.parametrize(
    ("likelihood", "before"),
    [
        (sf.Gaussian(), {"covariance": "diagonal"}),
        (sf.Gaussian(variance="shared"), {"covariance": "shared"}),
        (sf.Gaussian(GAMMA, "shared", 0.25, "level"), {"covariance": "shared", "missing": "level"}),
        (sf.MultivariateGaussian(), {"covariance": "full", "joint": True}),
        (sf.MultivariateGaussian(None, "shared", 0.5, "total"), {"covariance": "shared", "joint": True}),
        (sf.MultivariateGaussian(GAMMA, "diagonal", var_smoothing=0.25), {"covariance": "diagonal", "joint": True}),
    ],
)
def test_a_gaussian_of_0_1_0_is_loaded_as_the_likelihood_that_it_became(tmp_path, likelihood, before):
    path = tmp_path / "model.suffice"
    model = sf.fit(ROWS["gaussian"], MODELS["gaussian"]().classes * 2, columns=likelihood, calibrate=False)
    model.save(path)
    made = Parts.of(path.read_bytes())
    schema = made.schema
    (block,) = schema["blocks"]
    stored = block["parameters"]
    block["likelihood"] = "Gaussian"
    block["parameters"] = {"prior": stored["prior"], "var_smoothing": stored["var_smoothing"], "missing": "ignore"}
    defaults = {"shrinkage": None, "toward": "diagonal"}  # 0.1.0 stored only other values
    block["parameters"] |= {
        name: stored[name] for name in defaults if stored.get(name, defaults[name]) != defaults[name]
    }
    block["parameters"] |= before
    made.schema = schema
    path.write_bytes(made.laid_out().raw())
    assert sf.load(path) == model
