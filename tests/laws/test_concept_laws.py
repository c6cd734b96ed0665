"""Laws of concept learning, for any hypotheses, prior and data."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import suffice as sf
from tests.oracles import concepts_exact as exact

THINGS = range(8)


@st.composite
def spaces(draw):
    """Hypotheses over eight things, of which at least one contains all, with whole weights, some of them 0."""
    sets = draw(st.lists(st.sets(st.sampled_from(THINGS), min_size=1), min_size=0, max_size=7))
    weights = draw(st.lists(st.integers(0, 9), min_size=len(sets), max_size=len(sets)))
    everything = exact.Concept(draw(st.integers(1, 9)), frozenset(THINGS))
    concepts = {
        f"h{at}": exact.Concept(weight, frozenset(each))
        for at, (weight, each) in enumerate(zip(weights, sets, strict=True))
    }
    return {**concepts, "everything": everything}


def learner_of(concepts, sampling="strong"):
    members = {name: concept.members for name, concept in concepts.items()}
    return sf.concepts.ConceptLearner(
        members, [concept.weight for concept in concepts.values()], sampling, domain=THINGS
    )


DATA = st.lists(st.sampled_from(THINGS), max_size=12)
SAMPLING = st.sampled_from(["strong", "weak"])


@given(spaces(), DATA, SAMPLING)
def test_it_equals_brute_force(concepts, data, sampling):
    learner = learner_of(concepts, sampling).update(data)
    belief = learner.posterior()
    after = exact.posterior(concepts, data, sampling)
    np.testing.assert_allclose(belief.posterior, [float(p) for p in after.values()], rtol=1e-12, atol=0)
    wanted = exact.predictive(concepts, data, THINGS, sampling)
    np.testing.assert_allclose(learner.predictive(), [float(p) for p in wanted], rtol=1e-12, atol=0)
    assert math.isclose(
        learner.log_evidence(), math.log(exact.evidence(concepts, data, sampling)), rel_tol=1e-12, abs_tol=1e-15
    )
    assert after[learner.map.name] == max(after.values())  # small whole weights: no ties but true ones


@given(spaces(), DATA, st.data(), SAMPLING)
def test_sequential_is_batch_in_any_order_to_the_bit(concepts, data, draw, sampling):
    once = learner_of(concepts, sampling).update(data)
    cut = draw.draw(st.integers(0, len(data)))
    shuffled = draw.draw(st.permutations(data))
    for other in (
        learner_of(concepts, sampling).update(data[:cut]).update(data[cut:]),
        learner_of(concepts, sampling).update(shuffled),
        learner_of(concepts).update(data).with_options(sampling=sampling),
    ):
        assert other.seen == once.seen
        assert other.log_evidence() == once.log_evidence()
        np.testing.assert_array_equal(other.posterior().posterior, once.posterior().posterior)
        np.testing.assert_array_equal(other.predictive(), once.predictive())
        assert (other.map, other.mle) == (once.map, once.mle)


@given(spaces(), DATA, SAMPLING)
def test_posterior_and_predictive_are_probabilities_and_the_data_are_certain(concepts, data, sampling):
    learner = learner_of(concepts, sampling).update(data)
    posterior, predictive = learner.posterior().posterior, learner.predictive()
    assert math.isclose(posterior.sum(), 1, rel_tol=1e-12)
    assert ((posterior >= 0) & (posterior <= 1)).all()
    assert ((predictive >= 0) & (predictive <= 1)).all()
    assert all(predictive[datum] == 1 for datum in data)
    assert learner.log_evidence() <= 0


@given(spaces(), DATA)
def test_the_smaller_of_two_consistent_hypotheses_gains_with_each_example(concepts, data):
    assume(data)
    before, after = (learner_of(concepts).update(data * times).posterior() for times in (1, 2))
    alive = [at for at in range(len(before)) if before.posterior[at] > 0]
    for small in alive:
        for large in alive:
            if before.sizes[small] < before.sizes[large]:
                odds = np.log(after.posterior[[small, large]]) - np.log(before.posterior[[small, large]])
                gain = len(data) * math.log(before.sizes[large] / before.sizes[small])
                assert math.isclose(odds[0] - odds[1], gain, rel_tol=1e-9)


@given(spaces(), DATA)
def test_map_is_mle_once_there_is_enough_data(concepts, data):
    assume(data)
    living = {name: concept for name, concept in concepts.items() if concept.weight}
    learner = learner_of(living).update(data * 200)
    # Sizes differ by at least 8/7 and weights by at most 9, so two hundred examples leave the smallest alone.
    assert len(learner.map.members) == len(learner.mle.members)
    assert set(data) <= learner.map.members


@given(spaces(), DATA, st.floats(1e-6, 1e6))
def test_the_scale_of_the_weights_does_not_matter(concepts, data, factor):
    learner = learner_of(concepts).update(data)
    scaled = learner.with_options(prior=[factor * concept.weight for concept in concepts.values()])
    np.testing.assert_allclose(scaled.posterior().posterior, learner.posterior().posterior, rtol=1e-12, atol=0)


@given(spaces(), DATA, SAMPLING)
def test_evidence_is_the_product_of_the_predictive_probabilities(concepts, data, sampling):
    # p(x_n | D_n-1) = Σ_h p(h|D_n-1) p(x_n|h), by hand from the posterior before it.
    learner, total = learner_of(concepts, sampling), 0.0
    for datum in data:
        inside = learner.members[datum]
        chance = np.where(inside, 1 / learner.sizes if sampling == "strong" else 1.0, 0.0)
        total += math.log(float(learner.posterior().posterior @ chance))
        learner = learner.update(datum)
    assert math.isclose(learner.log_evidence(), total, rel_tol=1e-11, abs_tol=1e-13)


@given(spaces(), DATA, SAMPLING)
def test_splitting_a_hypothesis_in_two_names_changes_no_prediction(concepts, data, sampling):
    name, (weight, members) = next(iter(concepts.items()))
    split = {**concepts, name: exact.Concept(weight * 0.25, members), "again": exact.Concept(weight * 0.75, members)}
    np.testing.assert_allclose(
        learner_of(split, sampling).update(data).predictive(),
        learner_of(concepts, sampling).update(data).predictive(),
        rtol=1e-12,
    )
