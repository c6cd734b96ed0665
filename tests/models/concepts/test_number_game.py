"""The number game against brute force in fractions, and what people are known to answer."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest

import suffice as sf
from tests.oracles import concepts_exact as exact

DATA = {
    "one example": [16],
    "powers of two": [16, 8, 2, 64],
    "multiples of ten": [60, 80, 10, 30],
    "close together": [60, 52, 57, 55],
}
GAME = sf.concepts.number_game()
ORACLE = exact.number_game(1, 100)


@pytest.mark.parametrize("sampling", ["strong", "weak"])
@pytest.mark.parametrize("data", DATA.values(), ids=DATA)
def test_it_equals_brute_force(data, sampling):
    learner = GAME.with_options(sampling=sampling).update(data)
    after = exact.posterior(ORACLE, data, sampling)
    belief = learner.posterior()
    assert list(belief.names) == list(after)
    np.testing.assert_allclose(belief.posterior, [float(p) for p in after.values()], rtol=1e-12, atol=0)
    wanted = exact.predictive(ORACLE, data, range(1, 101), sampling)
    np.testing.assert_allclose(learner.predictive(), [float(p) for p in wanted], rtol=1e-12, atol=0)
    log_evidence = math.log(exact.evidence(ORACLE, data, sampling))
    assert learner.log_evidence() == pytest.approx(log_evidence, rel=1e-13)
    best = max(after, key=after.get)
    assert learner.map.name == best
    np.testing.assert_array_equal(learner.predictive(plug_in="map"), [x in ORACLE[best].members for x in range(1, 101)])


@pytest.mark.parametrize(("first", "last"), [(1, 200), (30, 45), (5, 5), (95, 107)])
def test_other_domains_equal_brute_force(first, last):
    learner = sf.concepts.number_game(range(first, last + 1))
    oracle = exact.number_game(first, last)
    assert list(learner.names) == list(oracle)
    np.testing.assert_allclose(
        learner.posterior().posterior, [float(concept.weight) for concept in oracle.values()], rtol=1e-12, atol=0
    )
    for at in range(0, len(learner.names), 7):
        assert learner.hypothesis(at).members == oracle[learner.names[at]].members


def test_the_numbers_of_the_notes():
    belief = GAME.update([16]).posterior()
    likelihood = dict(zip(belief.names, np.exp(belief.log_likelihood), strict=True))
    assert likelihood["powers of two"] == pytest.approx(1 / 6, rel=1e-15)
    assert likelihood["even"] == pytest.approx(1 / 50, rel=1e-15)
    assert likelihood["odd"] == 0


def test_the_prior_keeps_the_unnatural_concept_down_although_it_is_likelier():
    belief = GAME.update([16, 8, 2, 64]).posterior()
    at = {name: place for place, name in enumerate(belief.names)}
    natural, unnatural = at["powers of two"], at["powers of two except 32"]
    assert belief.log_likelihood[unnatural] > belief.log_likelihood[natural]
    assert belief.prior[unnatural] / belief.prior[natural] == pytest.approx(1 / 1000)
    assert belief.posterior[unnatural] < belief.posterior[natural]
    assert GAME.update([16, 8, 2, 64]).map.name == "powers of two"
    assert GAME.update([16, 8, 2, 64]).mle.name == "powers of two except 32"


@pytest.mark.parametrize(("ratio", "winner"), [(0.481, "powers of two"), (0.483, "powers of two except 32")])
def test_the_prior_decides_at_five_sixths_to_the_fourth(ratio, winner):
    members = {"powers of two": {2, 4, 8, 16, 32, 64}, "powers of two except 32": {2, 4, 8, 16, 64}}
    learner = sf.concepts.ConceptLearner(members, {"powers of two": 1, "powers of two except 32": ratio})
    assert learner.update([16, 8, 2, 64]).map.name == winner


def test_map_becomes_mle_as_data_come():
    # (6/5)^N > 1000 from N = 38 on.
    data = [16, 8, 2, 64] * 20
    names = [GAME.update(data[:n]).map.name for n in range(4, 61)]
    assert names == ["powers of two"] * 34 + ["powers of two except 32"] * 23
    assert {GAME.update(data[:n]).mle.name for n in range(4, 61)} == {"powers of two except 32"}


def test_one_example_is_generalised_by_many_rules_and_by_nearness():
    p = dict(zip(range(1, 101), GAME.update([16]).predictive(), strict=True))
    assert p[16] == 1
    assert min(p[4], p[64], p[8], p[32]) > max(p[x] for x in p if x % 2)  # powers above any odd number
    assert p[17] > p[27] > p[97]  # the nearer the more probable
    assert p[36] > p[35]  # a square and even
    assert p[14] > p[66]  # even, and nearer


@pytest.mark.parametrize(
    ("data", "members"),
    [([16, 8, 2, 64], {2, 4, 8, 16, 32, 64}), ([60, 80, 10, 30], set(range(10, 101, 10)))],
)
def test_a_rule_is_all_or_none(data, members):
    p = dict(zip(range(1, 101), GAME.update(data).predictive(), strict=True))
    assert min(p[x] for x in members) > 0.99
    assert max(p[x] for x in p if x not in members) < 0.05


def test_numbers_close_together_fade_out_on_both_sides():
    p = GAME.update([60, 52, 57, 55]).predictive()
    assert (p[51:60] == 1).all()
    assert (np.diff(p[60:75]) < 0).all()
    assert (np.diff(p[36:51]) > 0).all()
    assert 0.6 < p[60] < 0.9  # 61
    assert p[60] - p[61] > 0.05


def test_descriptions_of_the_same_set_are_one_hypothesis_with_the_mass_of_both():
    assert "ends in 0" not in GAME.names
    assert "1 to 100" not in GAME.names
    assert len(GAME.names) == 3 + 10 + 10 + 9 + 1 + 2 + 5050 - 2
    belief = GAME.posterior()
    assert belief["multiples of 10"] == pytest.approx(2 * belief["multiples of 11"])
    assert len(np.unique(np.packbits(GAME.members, axis=0), axis=1).T) == len(GAME.names)


def test_rules_and_intervals_have_half_each_and_lengths_are_erlang():
    belief = sf.concepts.number_game(rule_mass=0.25, typical_length=4).posterior()
    intervals = [at for at, name in enumerate(belief.names) if " to " in name or "alone" in name]
    assert belief.posterior[intervals].sum() == pytest.approx(0.75, abs=1e-9)  # but for 1 to 100
    assert belief["3 to 6"] / belief["7 alone"] == pytest.approx(4 * math.exp(-3 / 4))
    assert belief["3 to 6"] == pytest.approx(belief["91 to 94"])
    assert belief["3 to 6"] > max(belief["3 to 5"], belief["3 to 7"])
    assert sf.concepts.number_game(rule_mass=1).posterior()["3 to 6"] == 0
    assert sf.concepts.number_game(rule_mass=0).update([16]).map.name == "16 alone"
    assert np.isfinite(sf.concepts.number_game(typical_length=1e-3).update([3, 9]).predictive()).all()


def test_five_thousand_hypotheses_take_milliseconds():
    took = []
    for _ in range(5):
        start = time.process_time()
        learner = GAME.update([60, 52, 57, 55])
        learner.posterior()
        learner.predictive()
        took.append(time.process_time() - start)
    assert min(took) < 0.02
