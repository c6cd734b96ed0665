"""Categorical(prior={level: α}): α matched by level, against the same prior by position and against the formula."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice.api import Model, fit
from suffice.conjugate import DirichletMultinomial
from suffice.errors import ParameterError
from suffice.likelihoods import Categorical, Histogram, Multinomial

LEVELS = ["black", "orange", "white", "calico"]
FUR = ["black", "white", "white", "black", "calico", "black", "white", "orange", "white", "orange"]
SEX = ["f"] * 5 + ["m"] * 5
ESTIMATES = ["mle", "smoothed", "map", "mean", "predictive"]


def cats(prior: object, **options: object) -> Model:
    """Return the model of ten cats."""
    return fit({"fur": FUR}, SEX, columns=Categorical(prior, **options), calibrate=False)


@given(
    st.permutations(LEVELS),
    st.lists(st.floats(0.1, 9), min_size=4, max_size=4),
    st.sampled_from(ESTIMATES),
    st.booleans(),
)
def test_by_level_is_by_position(levels: list[str], alpha: list[float], estimate: str, by_class: bool) -> None:
    values = np.array([alpha, np.array(alpha) + 1]) if by_class else np.array(alpha)
    named = dict(zip(levels, values.T, strict=True))
    by_level = cats(named).with_options(estimate=estimate)
    by_position = cats(DirichletMultinomial(np.stack([named[level] for level in sorted(LEVELS)], axis=-1)))
    by_position = by_position.with_options(estimate=estimate)
    np.testing.assert_array_equal(by_level.log_joint({"fur": LEVELS}), by_position.log_joint({"fur": LEVELS}))
    assert by_level.log_evidence() == by_position.log_evidence()
    assert cats(DirichletMultinomial(values, outcomes=levels)) == cats(named)


def test_levels_that_are_not_named_have_one_and_named_ones_exist() -> None:
    model = cats({"black": 2, "gray": 0.5}).with_options(class_prior="uniform")
    f = {"black": 4, "calico": 2, "gray": 0.5, "orange": 1, "white": 3}  # counts 2, 1, 0, 0, 2
    m = {"black": 3, "calico": 1, "gray": 0.5, "orange": 3, "white": 3}  # counts 1, 0, 0, 2, 2
    levels = list(f)
    expected = [[np.log(each[level] / 10.5 / 2) for each in (f, m)] for level in levels]
    np.testing.assert_allclose(model.log_joint({"fur": levels}), expected, rtol=1e-14)
    table = model.parameters().to_frame()
    assert table["level"].to_list()[2:7] == levels
    (entry,) = model.explain({"fur": ["gray"]})[0].entries
    assert [(each.name, each.here, each.there) for each in entry.support] == [("times", 0, 0), ("of", 5, 5)]


@pytest.mark.filterwarnings("ignore::suffice.errors.UnseenLevelsWarning")
def test_the_unseen_level_and_the_missing_one() -> None:
    unseen = cats({"black": 2}, unseen="mass").log_joint({"fur": ["red"]})
    np.testing.assert_allclose(unseen, np.log([[0.5 / 11, 0.5 / 11]]), rtol=1e-14)  # S = 4, and one for the unseen
    gaps = {"fur": [*FUR, None]}
    model = fit(gaps, [*SEX, "m"], columns=Categorical({None: 3, "black": 1}, missing="level"), calibrate=False)
    f, m = model.log_joint({"fur": [None]})[0]
    np.testing.assert_allclose([f, m], np.log([5 / 11 * 3 / 12, 6 / 11 * 4 / 13]), rtol=1e-14)


def test_another_prior_needs_no_data() -> None:
    wanted = cats({"black": 2, "gray": 0.5})
    assert cats(None).with_options(priors={"fur": Categorical({"black": 2, "gray": 0.5})}) == wanted
    here = fit({"fur": FUR[:3]}, SEX[:3], columns=Categorical({"black": 2, "gray": 0.5}), calibrate=False)
    there = fit({"fur": FUR[3:]}, SEX[3:], columns=Categorical({"black": 2, "gray": 0.5}), calibrate=False)
    assert here + there == wanted
    assert (here + there) - there == here


def test_levels_may_be_declared_and_pruned() -> None:
    model = cats({"black": 2}, levels=["silver"])
    assert "silver" in model.parameters().to_frame()["level"].to_list()
    pruned = cats({"black": 2, "orange": 3}).prune(2)
    assert pruned.parameters().to_frame()["level"].to_list()[2:5] == ["black", "orange", "white"]


def test_levels_are_not_confused_with_others_that_look_alike() -> None:
    prior = DirichletMultinomial([5, 3, 2], outcomes=[1, "1", True])
    model = fit({"n": [1, 2, 2]}, ["a", "a", "b"], columns=Categorical(prior), calibrate=False)
    assert [repr(each.level) for each in model.parameters()][2:6] == ["True", "1", "2", "'1'"]
    np.testing.assert_allclose(model.log_joint({"n": [1]})[0], np.log([2 / 3 * 6 / 13, 1 / 3 * 5 / 12]), rtol=1e-14)


def test_the_unnamed_prior_is_stored_and_loaded(tmp_path) -> None:
    model = cats({"black": [2, 3], "größe": 0.25, 7: 1})
    model.save(tmp_path / "cats.suffice")
    again = sf.load(tmp_path / "cats.suffice")
    assert again == model
    assert again.schema.blocks[0].likelihood.prior.outcomes == ("black", "größe", 7)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: Categorical({}), "prior must name at least one level: got {}. Omit it, or give {level: α}."),
        (
            lambda: Categorical({"a": 0}),
            "prior['a'] must be > 0 (from 1e-300 to 1e300): got 0.0. Pass a positive number.",
        ),
        (
            lambda: Categorical({"a": [1, 2], "b": [1, 2, 3]}),
            "prior must have one α per level, or one per class and level: got 'a' (2,), 'b' (3,).",
        ),
        (
            lambda: cats({"black": [1, 2, 3]}).predict({"fur": ["black"]}),
            "the prior of column 'fur' must have one value for each of its 1 named levels: got shape (3, 1). "
            "Give shape (1,) or (2, 1), or use alpha=.",
        ),
        (
            lambda: Categorical({"a": 1}, 2),
            "prior and alpha of Categorical are mutually exclusive: got both. Omit one ",
        ),
        (
            lambda: Histogram(2, DirichletMultinomial([1, 1], outcomes=["low", "high"])),
            "prior of Histogram must have no outcomes, because its α are matched by position: got ",
        ),
        (
            lambda: Multinomial({"a": 1}),
            "prior of Multinomial must be a DirichletMultinomial: got {'a': 1}. ",
        ),
        (
            lambda: fit({"fur": FUR}, SEX, class_prior=DirichletMultinomial([1, 2], outcomes=["m", "x"])).predict(
                {"fur": ["black"]}
            ),
            "the class prior has no α for class 'f'. The classes are 'f', 'm'. Give one α for each.",
        ),
    ],
)
def test_failures(call, text) -> None:
    with pytest.raises(ParameterError, match=f"^{re.escape(text)}"):
        call()
