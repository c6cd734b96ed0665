"""What the core makes of log p(x|c) is what the definitions say, calibrated or not, however the rows came."""

from __future__ import annotations

import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice.errors import DataError
from suffice.models.score import finish_scores
from tests.oracles.scores_slow import calibrated_joint, finished

WANTED = ["joint", "log_posterior", "posterior", "density"]


@st.composite
def scored(draw):
    """Rows of which some are impossible, for one class or all, and some as likely under every class."""
    rows, classes = draw(st.integers(0, 200)), draw(st.integers(1, 11))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    likelihood = rng.normal(0, 10.0 ** draw(st.integers(-3, 300)), (rows, classes))
    likelihood[rng.random((rows, classes)) < 0.1] = -np.inf
    likelihood[rng.random(rows) < 0.1] = -np.inf
    likelihood[rng.random(rows) < 0.1] = 3.5
    log_prior = np.log(rng.dirichlet(np.ones(classes)))
    if classes > 2:
        log_prior[0] = -np.inf
    return likelihood, log_prior, SimpleNamespace(scale=float(rng.uniform(0.01, 2)), offsets=rng.normal(size=classes))


@given(scored(), st.booleans(), st.sampled_from(WANTED))
def test_the_definitions(case, calibrated, wanted):
    likelihood, log_prior, calibration = case
    how = (calibration.scale, calibration.offsets) if calibrated else ()
    joint = calibrated_joint(likelihood, log_prior, *how) if calibrated else likelihood + log_prior
    expected, impossible = finished(joint, log_prior, wanted)
    for threads in (1, 2):
        found = finish_scores(likelihood, log_prior, wanted, calibration if calibrated else None, threads)
        assert found.impossible == impossible
        np.testing.assert_allclose(found.values, expected, rtol=1e-13, atol=1e-13)
    if wanted == "joint":
        np.testing.assert_array_equal(found.values, expected)


def test_the_likelihood_has_no_prior():
    likelihood = np.array([[-1.0, -np.inf], [2.5, 1.0]])
    np.testing.assert_array_equal(finish_scores(likelihood, np.log([0.1, 0.9]), "likelihood").values, likelihood)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_score_beyond_all_numbers_names_its_row(bad):
    likelihood = np.zeros((100, 3))
    likelihood[77, 1] = bad
    for calibration in (None, SimpleNamespace(scale=0.5, offsets=np.zeros(3))):
        with pytest.raises(DataError) as error:
            finish_scores(likelihood, np.zeros(3), "posterior", calibration)
        assert (error.value.kind, error.value.row) == ("undefined", 77)


def test_a_calibration_of_other_classes_is_refused():
    with pytest.raises(ValueError, match="one offset for each class"):
        finish_scores(np.zeros((1, 2)), np.zeros(2), "posterior", SimpleNamespace(scale=1.0, offsets=np.zeros(3)))


def rows_of_every_kind():
    rng = np.random.default_rng(0)
    n = 600
    y = rng.choice(["no", "yes"], n)
    x = rng.normal(size=(n, 3)) + (y == "yes")[:, None]
    x[:, 2] = x[:, 1]
    words = np.where(rng.random((n, 4)) < np.where(y == "yes", 0.4, 0.6)[:, None], "win", "the")
    frame = pd.DataFrame(x, columns=["a", "b", "c"])
    frame["plan"] = rng.choice(["basic", "plus", "team"], n)
    frame.loc[::50] = None
    texts = [" ".join(row) for row in words]
    return {
        "matrix": (x, y, None),
        "whole numbers": (np.round(x * 2).astype(np.int64), y, sf.Categorical()),
        "frame": (frame, y, None),
        "texts": (texts, y, sf.Words()),
        "texts and columns": (frame.assign(note=texts), y, {"note": sf.Words()}),
        "sparse": (pytest.importorskip("scipy.sparse").csr_array(np.abs(np.round(x))), y, sf.Multinomial()),
    }


@pytest.mark.parametrize("kind", list(rows_of_every_kind()))
def test_a_calibrated_model_is_its_likelihood_finished(kind):
    data, y, columns = rows_of_every_kind()[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sf.SufficeWarning)
        model = sf.fit(data, y, columns=columns).calibrate(data, y, method="offsets")
    calibration = model.calibration
    assert calibration is not None
    log_prior = model.core.log_prior
    likelihood = model.log_joint(data) - log_prior
    joint = calibrated_joint(likelihood, log_prior, calibration.scale, calibration.offsets)
    np.testing.assert_allclose(model.predict_proba(data), finished(joint, log_prior, "posterior")[0], atol=1e-12)
    np.testing.assert_allclose(model.predict_log_proba(data), finished(joint, log_prior, "log_posterior")[0], atol=1e-9)
