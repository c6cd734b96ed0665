"""Costs: the decision is the one that trying every action in exact arithmetic finds."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice import Costs
from suffice.errors import ParameterError
from suffice.statistics import Axis
from tests.oracles.decisions_slow import cheapest, expected_costs

FRAUD = {"pass": {"ok": 0, "fraud": 100}, "block": {"ok": 5, "fraud": 0}, "refer": 2}
CLASSES = Axis.of(["ok", "fraud"])


@st.composite
def tables(draw, costs):
    actions, classes = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    matrix = [[draw(costs) for _ in range(classes)] for _ in range(actions)]
    return np.array(matrix, dtype=float), classes


@st.composite
def dyadic(draw):
    """Draw whole costs and posteriors in sixty-fourths: floats are exact, ties included."""
    matrix, classes = draw(tables(st.integers(-8, 8)))
    cuts = [sorted(draw(st.lists(st.integers(0, 64), min_size=classes - 1, max_size=classes - 1))) for _ in range(3)]
    rows = [np.diff([0, *each, 64]) / 64 for each in cuts]
    return matrix, np.array(rows)


@given(dyadic())
def test_decisions_are_those_of_brute_force_ties_to_the_first(problem):
    matrix, posterior = problem
    costs = Costs(matrix, actions=range(len(matrix)))
    assert costs.decide(posterior).tolist() == cheapest(matrix.tolist(), posterior.tolist())
    exact = expected_costs(matrix.tolist(), posterior.tolist())
    np.testing.assert_array_equal(costs.expected(posterior), np.array(exact, dtype=float))


@st.composite
def real(draw):
    matrix, classes = draw(tables(st.floats(-1e6, 1e6)))
    weights = st.lists(st.floats(0, 1), min_size=classes, max_size=classes).filter(any)
    rows = np.array([draw(weights) for _ in range(3)])
    return matrix, rows / rows.sum(axis=1, keepdims=True)


@given(real())
def test_no_action_costs_less_than_the_one_taken(problem):
    matrix, posterior = problem
    costs = Costs(matrix, actions=range(len(matrix)))
    exact = expected_costs(matrix.tolist(), posterior.tolist())
    # Each of at most four products and sums rounds once.
    slack = 16 * np.finfo(float).eps * np.abs(matrix).max()
    for action, each in zip(costs.decide(posterior), exact, strict=True):
        assert float(each[action] - min(each)) <= slack
    np.testing.assert_allclose(costs.expected(posterior), np.array(exact, dtype=float), rtol=0, atol=slack)


@given(real(), st.floats(-1e6, 1e6))
def test_what_every_action_costs_in_a_class_changes_nothing(problem, more):
    matrix, posterior = problem
    costs = Costs(np.round(matrix), actions=range(len(matrix)))
    dearer = Costs(np.round(matrix) + np.round(more), actions=range(len(matrix)))
    np.testing.assert_array_equal(costs.decide(posterior), dearer.decide(posterior))


def test_a_small_probability_is_not_lost_beside_a_cost_that_all_share():
    costs = Costs([[1.0, 5.0], [1.0, 0.0]], actions=["a", "b"])
    assert costs.decide(np.array([[1.0, 1e-20]])).tolist() == [1]


def test_a_mapping_and_an_array_say_the_same():
    named = Costs(FRAUD)
    assert named.actions == ("pass", "block", "refer")
    assert named.classes == ("fraud", "ok")
    np.testing.assert_array_equal(named.matrix, [[100, 0], [0, 5], [2, 2]])
    assert not named.matrix.flags.writeable
    matrix = [[0, 100], [5, 0], [2, 2]]
    assert Costs(matrix, actions=["pass", "block", "refer"], classes=["ok", "fraud"]) == named
    placed = Costs(np.array(matrix)[:, ::-1], actions=["pass", "block", "refer"])
    assert placed != named
    assert placed.on(CLASSES) == named
    assert named.on(CLASSES) == named
    assert Costs.of(FRAUD) == named
    assert Costs.of(named) is named
    assert named != "costs"


def test_errors_cost_one():
    costs = Costs.of_errors(CLASSES)
    assert costs == Costs({"fraud": {"ok": 1, "fraud": 0}, "ok": {"fraud": 1, "ok": 0}})


def test_it_shows_its_table():
    assert repr(Costs([[0, 1.5]], actions=["wait"])) == "Costs of 1 action in 2 classes\n  wait  0  1.5"


def test_it_can_be_copied():
    assert copy.deepcopy(Costs(FRAUD)) == Costs(FRAUD)


@pytest.mark.parametrize("turned", [False, True])
def test_the_threshold_of_two_actions(turned):
    # log[(L[1,0] − L[0,0])(1 − π) / ((L[0,1] − L[1,1]) π)]
    matrix, names = [[1.0, 90.0], [5.0, 3.0]], ["pass", "block"]
    costs = Costs(matrix[::-1] if turned else matrix, actions=names[::-1] if turned else names)
    assert costs.threshold() == pytest.approx(math.log((5 - 1) / (90 - 3)), rel=1e-15)
    assert costs.threshold([0.9, 0.1]) == pytest.approx(math.log((5 - 1) * 0.9 / ((90 - 3) * 0.1)), rel=1e-14)


@given(st.lists(st.integers(0, 50), min_size=4, max_size=4), st.integers(1, 63), st.floats(-8, 8))
def test_the_threshold_is_where_the_decision_turns(cells, share, ratio):
    matrix = np.array(cells, dtype=float).reshape(2, 2)
    if not (matrix[1, 0] > matrix[0, 0] and matrix[0, 1] > matrix[1, 1]):
        return
    costs = Costs(matrix, actions=["no", "yes"])
    pi = share / 64
    odds = ratio + math.log(pi / (1 - pi))
    if abs(ratio - costs.threshold([1 - pi, pi])) < 1e-9:
        return
    posterior = np.array([[1 / (1 + math.exp(odds)), 1 / (1 + math.exp(-odds))]])
    assert costs.decide(posterior)[0] == (ratio > costs.threshold([1 - pi, pi]))
    assert (odds > costs.threshold()) == (ratio > costs.threshold([1 - pi, pi]))


def test_the_public_name():
    assert sf.Costs is Costs


WRONG = [
    (
        lambda: Costs([[0, 1, 2], [1, 0, 2]], actions=["a", "b"]).on(CLASSES),
        "costs must have a column for each of the 2 classes: got 3. The classes are 'fraud', 'ok'.",
    ),
    (
        lambda: Costs([0, 1], actions=["a", "b"]),
        "costs must be actions × classes, a row for each action: got shape (2,). Give a table.",
    ),
    (
        lambda: Costs(np.empty((2, 0)), actions=["a", "b"]),
        "costs must be actions × classes, a row for each action: got shape (2, 0). Give a table.",
    ),
    (lambda: Costs([[0, 1], [1, 0]]), "an array of costs needs actions=, the names of its 2 rows."),
    (
        lambda: Costs([[0, 1], [1, 0]], actions=["a", "b", "c"]),
        "costs must have a row for each action: got 2 rows and 3 actions, 'a', 'b', 'c'.",
    ),
    (
        lambda: Costs([[0, 1], [1, 0]], actions=["a", "b"], classes=["ok"]),
        "costs must have a column for each class: got 2 columns and 1 class, 'ok'.",
    ),
    (lambda: Costs([[0], [1]], actions="ab"), "the names of actions must be a list: got 'ab'. Write ['ab', …]."),
    (lambda: Costs([[0], [1]], actions=["a", "a"]), "action 'a' is given twice. Give its costs once."),
    (
        lambda: Costs([["x"]], actions=["a"]),
        "costs must be numbers, actions × classes, or a mapping {action: {class: cost}}: got list. "
        "Give every row the same length.",
    ),
    (lambda: Costs({}), "costs must have at least one action: got none."),
    (
        lambda: Costs({"a": 1, "b": 2}),
        "costs must depend on the class, but every action has the same cost in all classes. Give at least one action a "
        "mapping {class: cost}.",
    ),
    (
        lambda: Costs(FRAUD, actions=["pass"]),
        "a mapping contains its actions and classes: omit actions= and classes=.",
    ),
    (
        lambda: Costs({"pass": {"ok": 0, "fraud": 100}, "block": {"ok": 5}}),
        "costs of action 'block' have no entry for class 'fraud', which another action has. Give its cost there, "
        "0 if there is none.",
    ),
    (
        lambda: Costs({"pass": {"ok": 0, "fraud": float("nan")}}),
        "a cost must be a finite number (at most 1e300 in absolute value): action 'pass', class 'fraud' has nan. "
        "To exclude an action, use a cost that is large compared with the others.",
    ),
    (
        lambda: Costs({"pass": {"ok": "0"}}),
        "a cost must be a finite number (at most 1e300 in absolute value): action 'pass', class 'ok' has '0'. "
        "To exclude an action, use a cost that is large compared with the others.",
    ),
    (
        lambda: Costs({"pass": {"ok": 0}, "refer": math.inf}),
        "a cost must be a finite number (at most 1e300 in absolute value): action 'refer', every class has inf. "
        "To exclude an action, use a cost that is large compared with the others.",
    ),
    (
        lambda: Costs([[0, math.nan]], actions=["a"]),
        "a cost must be a finite number (at most 1e300 in absolute value): action 'a', column 1 has nan. "
        "To exclude an action, use a cost that is large compared with the others.",
    ),
    (
        lambda: Costs({"pass": {"ok": 0, "frod": 1}}).on(CLASSES),
        "the model has no class 'frod'. Did you mean 'fraud'?",
    ),
    (
        lambda: Costs({"pass": {"ok": 0, "zzz": 1}}).on(CLASSES),
        "the model has no class 'zzz'. Its classes are 'fraud', 'ok'.",
    ),
    (
        lambda: Costs({"pass": {"ok": 0}}).on(CLASSES),
        "costs has no entry for class 'fraud'. The classes are 'fraud', 'ok': give the cost of each action in "
        "each of them.",
    ),
    (
        lambda: Costs.of([[0, 1]]),
        "costs must be Costs(...) or a mapping {action: {class: cost}}: got list. "
        "Give an array as Costs(array, actions=[...]).",
    ),
    (
        lambda: Costs(FRAUD).threshold(),
        "a threshold requires two actions and two classes: got 3 and 2. Use decide, which supports any number of "
        "actions and classes.",
    ),
    (
        lambda: Costs([[0, 1], [1, 1]], actions=["a", "b"]).threshold(),
        "there is no threshold: action 'a' never costs more than 'b', so it is always taken. Check the costs.",
    ),
    (
        lambda: Costs([[0, 1], [1, 0]], actions=["a", "b"]).threshold([1, 0]),
        "class_prior must be two probabilities above 0 that sum to 1: got [1.0, 0.0]. "
        "With a prior of 0 the decision does not depend on the data.",
    ),
    (
        lambda: Costs([[0, 1], [1, 0]], actions=["a", "b"]).decide(np.ones((2, 3))),
        "posteriors must be rows × 2 classes: got shape (2, 3). Give them in the order of the costs' classes.",
    ),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG, ids=[message[:40] for _, message in WRONG])
def test_what_cannot_be(wrong, message):
    with pytest.raises(ParameterError) as said:
        wrong()
    assert str(said.value) == message
