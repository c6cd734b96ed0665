"""Bits of a column: against sums and integrals of the model's own scores, within their bounds, none where there are none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice.evidence import feature_importance
from suffice.likelihoods.block_statistics import ESTIMATES
from tests.oracles.information_slow import bits
from tests.oracles.telling_slow import log_likelihoods

RNG = np.random.default_rng(12)
Y = RNG.choice(["a", "b", "c"], 240, p=[0.5, 0.3, 0.2])
K = np.array([{"a": 0, "b": 1, "c": 2}[each] for each in Y])
DATA = {
    "level": RNG.choice(["x", "y", "z"], 240),
    "flag": RNG.random(240) < 0.1 + 0.4 * (K == 1),
    "count": RNG.poisson(1.0 + 2 * K),
    "real": RNG.normal(K, 1.0 + K),
    "cells": RNG.exponential(1.0 + K),
}
KINDS = {
    "level": sf.Categorical(),
    "flag": sf.Bernoulli(),
    "count": sf.Poisson(),
    "real": sf.Gaussian(),
    "cells": sf.Histogram(8),
}
WEIGHT = [float((each == Y).sum()) for each in "abc"]


def found(model):
    return {row.column: row.bits for row in feature_importance(model.core).columns()}


def points(model, name):
    if name == "level":
        return ["x", "y", "z"], [1.0] * 3
    if name == "flag":
        return [0.0, 1.0], [1.0] * 2
    if name == "count":
        return [float(x) for x in range(200)], [1.0] * 200
    if name == "cells":
        (term,) = (term for term in model.core.terms if term.columns == ("cells",))
        span = term.spans[0]
        return ((span[1:] + span[:-1]) / 2).tolist(), np.diff(span).tolist()
    fine = np.linspace(-400, 400, 800_001)
    return fine.tolist(), [0.001] * len(fine)


@pytest.mark.parametrize("estimate", ["mean", "mle", "predictive"])
@pytest.mark.parametrize("name", KINDS)
def test_bits_are_those_of_the_scores(name, estimate):
    model = sf.fit({name: DATA[name]}, Y, columns={name: KINDS[name]}, estimate=estimate, calibrate=False)
    at, width = points(model, name)
    logs = log_likelihoods(model, {name: at})
    assert found(model)[name] == pytest.approx(bits(logs, WEIGHT, width), rel=1e-5)


def test_missing_cells_that_speak_tell_too():
    x = np.where(RNG.random(240) < 0.1 + 0.3 * K, np.nan, DATA["real"])
    for kind in (sf.Gaussian(missing="level"), sf.Histogram(8, missing="level")):
        model = sf.fit({"real": x}, Y, columns={"real": kind}, estimate="mean", calibrate=False)
        fine = np.linspace(-60, 60, 120_001)
        if isinstance(kind, sf.Histogram):
            span = model.core.terms[0].spans[0]
            fine, width = (span[1:] + span[:-1]) / 2, np.diff(span).tolist()
        else:
            width = [0.001] * len(fine)
        logs = log_likelihoods(model, {"real": [*fine.tolist(), np.nan]})
        assert found(model)["real"] == pytest.approx(bits(logs, WEIGHT, [*width, 1.0]), rel=1e-5)


def test_a_joint_block_and_columns_together():
    data = {"level": DATA["level"], "more": DATA["level"][::-1].copy(), "real": DATA["real"]}
    model = sf.fit(data, Y, columns={("level", "more"): sf.Joint(), "real": sf.Gaussian()}, calibrate=False)
    pairs = [(one, other) for one in "xyz" for other in "xyz"]
    at = {"level": [one for one, _ in pairs], "more": [other for _, other in pairs], "real": [np.nan] * 9}
    logs = log_likelihoods(model, at)
    assert found(model)["level, more"] == pytest.approx(bits(logs, WEIGHT, [1.0] * 9), rel=1e-9)
    together = sf.fit(
        {"u": DATA["real"], "v": DATA["cells"]},
        Y,
        columns=sf.MultivariateGaussian(covariance="full"),
        estimate="mle",
        calibrate=False,
    )
    alone = sf.fit({"u": DATA["real"], "v": DATA["cells"]}, Y, columns=sf.Gaussian(), estimate="mle", calibrate=False)
    assert found(together) == pytest.approx(found(alone), rel=1e-6)


def test_documents_and_draws_of_a_row_have_none():
    data = {"note": ["aa bb", "cc"] * 120, "left": DATA["count"], "right": DATA["count"][::-1].copy()}
    model = sf.fit(data, Y, columns={"note": sf.Words(), ("left", "right"): sf.Multinomial()}, calibrate=False)
    assert found(model) == {"note": None, "left": None, "right": None}
    assert "bits" not in repr(model.show())


def test_show_says_them():
    model = sf.fit(
        {"level": ["x", "x", "y", "y"]},
        ["a", "a", "b", "b"],
        columns={"level": sf.Categorical()},
        estimate="mle",
        calibrate=False,
    )
    assert model.show().columns == (("level", None, np.inf, 1.0),)
    assert "  level: inf, mutual information 1 bits" in repr(model.show())


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.floats(-1e3, 1e3), st.sampled_from("rgb")), min_size=2, max_size=20),
    st.sampled_from(ESTIMATES),
)
def test_between_nothing_and_all_there_is_to_tell(rows, estimate):
    y, x, colour = (list(each) for each in zip(*rows, strict=True))
    columns = {"x": sf.Gaussian(), "colour": sf.Categorical()}
    model = sf.fit({"x": x, "colour": colour}, y, columns=columns, calibrate=False).with_options(estimate=estimate)
    share = np.array([y.count(label) for label in model.classes]) / len(y)
    entropy = -(share * np.log2(share)).sum()
    for row in feature_importance(model.core).columns():
        assert 0 <= row.bits <= entropy + 1e-6
