"""A learner against fractions by hand: forms of hypotheses, priors, data and questions."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pandas as pd
import pytest

import suffice as sf
from suffice.models.concepts import HypothesisMatrix

EVEN_OR_POWER = {"even": {2, 4, 6, 8}, "powers of two": {2, 4, 8}}


def test_a_hypothesis_is_a_set_a_predicate_or_a_pair():
    even, power = (
        sf.concepts.Hypothesis("even", lambda x: x % 2 == 0),
        sf.concepts.Hypothesis("powers of two", [2, 4, 8.0]),
    )
    by_set = sf.concepts.ConceptLearner(EVEN_OR_POWER)
    for hypotheses in (
        [even, power],
        {"even": lambda x: np.bool_(x % 2 == 0), "powers of two": np.array([2, 4, 8])},
        (pair for pair in [("even", range(2, 9, 2)), ("powers of two", frozenset({2, 4, 8}))]),
    ):
        learner = sf.concepts.ConceptLearner(hypotheses, domain=[2, 4, 6, 8])
        assert learner.names == by_set.names
        assert learner.domain == by_set.domain == (2, 4, 6, 8)
        np.testing.assert_array_equal(learner.members, by_set.members)
    by_matrix = sf.concepts.ConceptLearner(HypothesisMatrix(by_set.names, by_set.domain, by_set.members))
    assert by_matrix.update([4, 8]).posterior() == by_set.update([4, 8]).posterior()


def test_the_domain_keeps_its_order_and_is_the_sorted_union_otherwise():
    assert sf.concepts.ConceptLearner({"a": {"z", "y"}, "b": {"x"}}).domain == ("x", "y", "z")
    assert sf.concepts.ConceptLearner({"a": {"z", "y"}}, domain=["z", "w", "y"]).domain == ("z", "w", "y")
    mixed = sf.concepts.ConceptLearner({"a": {True, "1", 2.5}, "b": {1}})
    assert mixed.domain == (True, 1, 2.5, "1")
    assert mixed.update(True).map.name == "a"
    assert mixed.update(1.0).map.name == "b"
    assert mixed.update("1").map.name == "a"


@pytest.mark.parametrize(
    "prior",
    [
        {"powers of two": 1, "even": 3},
        [3, 1],
        np.array([0.75, 0.25]),
        (np.float32(6), 2),
        lambda hypothesis: 3 if 6 in hypothesis.members else 1,
        iter([3e307, 1e307]),
        [3e-307, 1e-307],
    ],
)
def test_a_prior_has_many_forms(prior):
    learner = sf.concepts.ConceptLearner(EVEN_OR_POWER, prior)
    np.testing.assert_allclose(learner.posterior().prior, [0.75, 0.25], rtol=1e-15)
    # 3/4 · 1/16 against 1/4 · 1/9
    assert learner.update([4, 8]).posterior()["even"] == pytest.approx(27 / 43, rel=1e-14)


def test_without_a_prior_all_are_alike():
    assert sf.concepts.ConceptLearner(EVEN_OR_POWER).posterior().posterior.tolist() == [0.5, 0.5]


def test_a_prior_of_zero_rules_out_except_for_the_likelihood():
    learner = sf.concepts.ConceptLearner(EVEN_OR_POWER, {"even": 1, "powers of two": 0}).update([4, 8])
    assert learner.posterior().posterior.tolist() == [1.0, 0.0]
    assert learner.map.name == "even"
    assert learner.mle.name == "powers of two"
    assert learner.predictive(6) == 1.0
    assert [each.name for each in learner.posterior().top()] == ["even"]


def test_posterior_evidence_and_predictive_by_hand():
    learner = sf.concepts.ConceptLearner(EVEN_OR_POWER).update([4, 8, 8])
    belief = learner.posterior()
    np.testing.assert_allclose(belief.posterior, [27 / 91, 64 / 91], rtol=1e-14)
    np.testing.assert_allclose(belief.log_likelihood, [-3 * math.log(4), -3 * math.log(3)], rtol=1e-15)
    assert belief.sizes.tolist() == [4, 3]
    assert math.exp(learner.log_evidence()) == pytest.approx((1 / 64 + 1 / 27) / 2, rel=1e-14)
    np.testing.assert_allclose(learner.predictive([6, 2]), [27 / 91, 1], rtol=1e-14)
    assert (learner.number_of_data, learner.seen) == (3, {4: 1, 8: 2})
    weak = learner.with_options(sampling="weak")
    assert weak.posterior().posterior.tolist() == [0.5, 0.5]
    assert weak.log_evidence() == 0.0
    assert (weak.map.name, weak.mle.name) == ("even", "even")  # of equals the first


def test_nothing_seen_is_the_prior():
    learner = sf.concepts.ConceptLearner(EVEN_OR_POWER, [1, 3]).update([])
    assert learner.log_evidence() == 0.0
    assert learner.mle.name == "even"  # all alike, so the first
    assert learner.predictive([6, 4]).tolist() == [0.25, 1.0]


@pytest.mark.parametrize(
    "data", [[4, 8], (4, 8), np.array([4.0, 8.0]), iter([4, 8]), pd.Series([4, 8]), {8, 4}, [np.int8(4), np.float32(8)]]
)
def test_data_come_in_any_form(data):
    assert sf.concepts.ConceptLearner(EVEN_OR_POWER).update(data).seen == {4: 1, 8: 1}


def test_one_datum_needs_no_list():
    learner = sf.concepts.ConceptLearner(EVEN_OR_POWER)
    for datum in (4, 4.0, np.int64(4), np.array(4)):
        assert learner.update(datum).seen == {4: 1}
    assert sf.concepts.ConceptLearner({"a": {"six", "two"}}).update("six").seen == {"six": 1}


def test_what_is_asked_for_comes_back_in_its_form():
    learner = sf.concepts.ConceptLearner(EVEN_OR_POWER).update(8)
    one = learner.predictive(6)
    assert isinstance(one, float)
    assert one == pytest.approx(3 / 7)
    assert learner.predictive(np.array(6)) == one
    assert learner.predictive([6]).tolist() == [one]
    assert learner.predictive(pd.Series([6, 8])).tolist() == [one, 1.0]
    assert learner.predictive([]).shape == (0,)
    assert learner.predictive([6, 4], plug_in="map").tolist() == [0.0, 1.0]
    assert learner.predictive(6, plug_in="mle") == 0.0


def test_a_learner_never_changes():
    learner = sf.concepts.ConceptLearner(EVEN_OR_POWER)
    later = learner.update([4])
    assert (learner.number_of_data, later.number_of_data) == (0, 1)
    for array in (later.counts, later.log_prior, later.members, later.sizes):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError):
        later.sampling = "weak"


def test_it_can_be_copied_and_sent():
    learner = sf.concepts.ConceptLearner(EVEN_OR_POWER).update([4])
    for again in (copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))):  # noqa: S301  our own bytes
        np.testing.assert_array_equal(again.posterior().posterior, learner.posterior().posterior)
        assert again.update([8]).seen == {4: 1, 8: 1}


def test_it_says_what_it_is():
    learner = sf.concepts.ConceptLearner(EVEN_OR_POWER).update([4, 8])
    assert repr(learner) == (
        "ConceptLearner of 2 hypotheses over 4 elements, strong sampling, 2 examples\n  0.6400  powers of two\n  0.3600  even"
    )
    assert repr(sf.concepts.ConceptLearner(EVEN_OR_POWER).update(2)).startswith(
        "ConceptLearner of 2 hypotheses over 4 elements, strong sampling, 1 example\n"
    )
    assert repr(learner.posterior()) == "Belief('powers of two' 0.64, 'even' 0.36)"
    assert repr(sf.concepts.number_game().update([16]).posterior()) == (
        "Belief('powers of 4' 0.2492, 'powers of two' 0.1246, 'even' 0.07476, … 5,083 in all)"
    )
    assert (
        repr(sf.concepts.Hypothesis("odd", range(1, 100, 2)))
        == "Hypothesis('odd', {1, 3, 5, 7, 9, 11, 13, 15, … (50 in all)})"
    )
    assert repr(sf.concepts.Hypothesis("odd", lambda x: True)) == "Hypothesis('odd', a predicate)"


def test_a_million_examples_are_finite():
    learner = sf.concepts.ConceptLearner(EVEN_OR_POWER).update([4] * 1_000_000)
    assert learner.posterior().posterior.tolist() == [0.0, 1.0]
    assert learner.log_evidence() == pytest.approx(-1_000_000 * math.log(3) - math.log(2))
    assert learner.predictive([6, 2]).tolist() == [0.0, 1.0]


def test_hypotheses_of_the_same_set_stay_in_the_ratio_of_their_priors():
    learner = sf.concepts.ConceptLearner({"ends in 0": {10, 20}, "multiples of 10": {20, 10}, "10": {10}}, [1, 2, 1])
    belief = learner.update([20]).posterior()
    np.testing.assert_allclose(belief.posterior, [1 / 3, 2 / 3, 0], rtol=1e-15)


def test_many_hypotheses_over_many_things():
    # Enough cells for several blocks of the predictive.
    rng = np.random.default_rng(0)
    members = rng.random((3000, 2000)) < 0.5
    members[0] = True
    names = [f"h{at}" for at in range(2000)]
    learner = sf.concepts.ConceptLearner(HypothesisMatrix(names, range(3000), members), rng.random(2000)).update([0, 0])
    weights = np.exp(learner.log_prior) / members.sum(axis=0) ** 2.0
    np.testing.assert_allclose(learner.predictive(), members @ (weights / weights.sum()), rtol=1e-12)


def test_the_posterior_is_a_mapping_from_names_to_probabilities():
    belief = sf.concepts.ConceptLearner(EVEN_OR_POWER).update([4, 8]).posterior()
    names = list(belief.names)
    assert list(belief) == list(belief.keys()) == names
    assert dict(belief) == dict(zip(names, belief.posterior.tolist(), strict=True))
    assert list(belief.items()) == list(zip(names, belief.values(), strict=True))
    assert len(belief) == len(names)
    assert all(name in belief for name in names)
    assert "odd" not in belief
    assert 0 not in belief
    assert belief.get("odd") is None
    assert belief.get(names[0], 0.0) == belief[names[0]]
    with pytest.raises(sf.errors.ParameterError, match="odd"):
        belief["odd"]
