"""Other likelihoods over the same statistics are what a fit with them would have been."""

from __future__ import annotations

import numpy as np
import pytest

import suffice as sf
from suffice.errors import ParameterError

RNG = np.random.default_rng(3)
Y = np.array(["a", "b"])[RNG.integers(0, 2, 80)]
DATA = {
    "x": RNG.normal(size=80) + (Y == "a"),
    "z": np.where(RNG.random(80) < 0.1, np.nan, RNG.random(80) ** 3),
    "fur": RNG.choice(["black", "white", "orange"], 80),
    "tail": RNG.choice(["long", "short"], 80),
    "wet": RNG.random(80) < 0.4,
    "cold": RNG.random(80) < 0.7,
    "n": RNG.poisson(3, 80),
    "m": RNG.poisson(1, 80),
    "y": Y,
}
FIRST = {
    ("x", "z"): sf.Numeric(),
    ("fur", "tail"): sf.Categorical(),
    ("wet", "cold"): sf.Bernoulli(),
    ("n", "m"): sf.Poisson(),
}


@pytest.mark.parametrize(
    "other",
    [
        {"fur": sf.Categorical(alpha=0.5)},
        {("fur", "tail"): sf.Categorical(alpha="evidence", unseen="mass")},
        {"x": sf.Gaussian()},
        {"z": sf.Gaussian(missing="level")},
        {"z": sf.Histogram(bins=8)},
        {"z": sf.Numeric(bins=8)},
        {"x": sf.Gaussian(), "z": sf.Histogram()},
        {"cold": sf.Bernoulli(sf.BetaBinomial(2, 3))},
        {("n", "m"): sf.Poisson(sf.GammaPoisson(1, 1))},
        {("n", "m"): sf.Poisson(factorials=False)},
        {"?": sf.Poisson(factorials=False)} | {("x", "z"): sf.Gaussian()},
        {2: sf.Categorical(alpha=2)},
    ],
)
@pytest.mark.parametrize("estimate", ["predictive", "map"])
@pytest.mark.parametrize("stored", [False, True])
def test_it_is_the_fit_with_them(other, estimate, stored, tmp_path):
    model = sf.fit(DATA, "y", columns=FIRST, calibrate=False).with_options(estimate=estimate)
    if stored:
        model.save(tmp_path / "m.suffice")
        model = sf.load(tmp_path / "m.suffice")
    again = model.with_options(priors=other)
    fresh = sf.fit(
        DATA, "y", columns={block.columns: block.likelihood for block in again.schema.blocks}, calibrate=False
    ).with_options(estimate=estimate)
    assert again.schema == fresh.schema
    assert again == fresh
    np.testing.assert_array_equal(again.predict_log_proba(DATA), fresh.predict_log_proba(DATA))
    assert again.log_evidence() == pytest.approx(fresh.log_evidence(), rel=1e-12)
    assert again.provenance == model.provenance


@pytest.mark.parametrize(
    ("other", "complaint"),
    [
        (
            {"fur": sf.Gaussian()},
            "the statistics of column 'fur', collected for Categorical(), do not suffice for Gaussian(). "
            "Fit the model again with it.",
        ),
        (
            {"fur": sf.Categorical(levels=["black"])},
            "the statistics of column 'fur', collected for Categorical(), do not suffice for Categorical(levels=('black',)). "
            "Fit the model again with it.",
        ),
        (
            {"n": sf.Poisson(factorials=False)},
            "columns 'n', 'm' are modelled jointly: got only 'n'. Name all of them.",
        ),
        ({"furr": sf.Categorical()}, "column 'furr' is not in the data. Did you mean 'fur'?"),
        ({"x": "gausian"}, "priors['x'] must be a likelihood: got 'gausian'. Did you mean 'gaussian'?"),
    ],
)
def test_what_was_not_collected_cannot_be_read(other, complaint):
    with pytest.raises(ParameterError) as said:
        sf.fit(DATA, "y", columns=FIRST, calibrate=False).with_options(priors=other)
    assert str(said.value) == complaint


def test_a_likelihood_may_be_given_by_its_name_or_class():
    model = sf.fit(DATA, "y", columns=FIRST, calibrate=False)
    assert any("x" in block.columns and block.likelihood == sf.Numeric() for block in model.schema.blocks)
    expected = model.with_options(priors={"x": sf.Gaussian()})
    assert model.with_options(priors={"x": "gaussian"}) == expected != model
    assert model.with_options(priors={"x": sf.Gaussian}) == expected
    with pytest.raises(ParameterError, match=r"priors\['fur'\] must be a likelihood: got None\. Give one of Bernoulli"):
        model.with_options(priors={"fur": None})


@pytest.mark.parametrize("pattern", ["*", "?", "[ab]*"])
def test_a_pattern_is_for_the_columns_that_it_matches(pattern):
    data = {"a": [1, 1, 0, 0], "b": [0, 1, 1, 1], "gone": ["x", "y", "z", "x"]}
    model = sf.fit(data, ["s", "s", "h", "h"], columns={("a", "b"): sf.Bernoulli(), "gone": None}, calibrate=False)
    strong = sf.Bernoulli(sf.BetaBinomial(30, 30))
    again = model.with_options(priors={pattern: strong})
    assert again == sf.fit(data, ["s", "s", "h", "h"], columns={("a", "b"): strong, "gone": None}, calibrate=False)
    assert again != model
    named = model.with_options(priors={"a": sf.Bernoulli(), pattern: strong})  # a name goes before a pattern
    assert [(block.columns, block.likelihood) for block in named.schema.blocks] == [
        (("a",), sf.Bernoulli()),
        (("b",), strong),
    ]


@pytest.mark.parametrize("pattern", ["q*", "g*", "gon?"])
def test_a_pattern_that_matches_no_column_in_use_is_refused(pattern):
    data = {"a": [1, 1, 0, 0], "b": [0, 1, 1, 1], "gone": ["x", "y", "z", "x"]}
    model = sf.fit(data, ["s", "s", "h", "h"], columns={("a", "b"): sf.Bernoulli(), "gone": None}, calibrate=False)
    with pytest.raises(ParameterError, match="matches the pattern"):
        model.with_options(priors={pattern: sf.Bernoulli()})


def test_what_was_left_out_cannot_be_read():
    with pytest.raises(ParameterError) as said:
        sf.fit(DATA, "y", columns={**FIRST, ("x", "z"): None}, calibrate=False).with_options(
            priors={"x": sf.Gaussian()}
        )
    assert str(said.value) == (
        "column 'x' was left out of the model, so it has no statistics. Fit the model again with it."
    )


def test_what_was_learnt_from_other_scores_is_dropped(tmp_path):
    model = sf.fit(DATA, "y", columns=FIRST, calibrate="auto")
    with pytest.warns(sf.errors.DroppedCalibrationWarning):
        read = model.with_options(priors={"fur": sf.Categorical(alpha=0.5)})
    assert read.calibration is None
    assert read.calibration_dropped_because == "the model was changed to another estimate or prior"
    read.save(tmp_path / "read.suffice")
    assert sf.load(tmp_path / "read.suffice") == read
