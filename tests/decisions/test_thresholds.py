"""Thresholds: the choice is the one that counting above every threshold in exact arithmetic finds."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice import Threshold, choose_threshold
from suffice.errors import DataError, ParameterError
from tests.oracles.decisions_slow import above, thresholds

# Few distinct scores, so that there are ties; floats side by side and infinite ones too.
scores = st.one_of(
    st.integers(-3, 3).map(float),
    st.sampled_from([1.0, math.nextafter(1.0, 2), 0.0, 5e-324, 1e308, -1e308, math.inf, -math.inf]),
)
rows = st.lists(st.tuples(scores, st.booleans(), st.integers(0, 4)), min_size=0, max_size=12)
shares = st.fractions(min_value=0, max_value=1, max_denominator=20)


def split(drawn):
    score, positive, weight = (list(each) for each in zip(*drawn, strict=True)) if drawn else ([], [], [])
    return score, np.array(positive, dtype=bool), [float(w) for w in weight]


def matches(found, score, positive, weight):
    """Check that the record says what counting above its threshold says, and return that."""
    alerts, hits = above(score, positive.tolist(), weight, found.value)
    total, wanted = sum(weight), sum(w for w, p in zip(weight, positive, strict=True) if p)
    assert found.alerts == alerts
    assert found.alert_rate == (float(alerts / Fraction(total)) if total else 0.0)
    assert found.precision == (float(hits / alerts) if alerts else None)
    assert found.recall == (float(hits / Fraction(wanted)) if wanted else None)
    return alerts, hits


@given(rows, shares.filter(bool))
def test_by_precision(drawn, target):
    score, positive, weight = split(drawn)
    choices = [(a, h) for a, h in thresholds(score, positive.tolist(), weight) if a and h / a >= target]
    if not choices:
        with pytest.raises(ParameterError, match="no threshold reaches a precision of"):
            choose_threshold(score, positive, weight, precision=float(target))
        return
    alerts, hits = matches(choose_threshold(score, positive, weight, precision=float(target)), score, positive, weight)
    assert (-hits, alerts) == min((-h, a) for a, h in choices)


@given(rows, shares.filter(bool))
def test_by_recall(drawn, target):
    score, positive, weight = split(drawn)
    wanted = sum(Fraction(w) for w, p in zip(weight, positive, strict=True) if p)
    choices = [(a, h) for a, h in thresholds(score, positive.tolist(), weight) if h and h / wanted >= target]
    if not choices:
        with pytest.raises(ParameterError, match="no threshold reaches a recall of"):
            choose_threshold(score, positive, weight, recall=float(target))
        return
    alerts, hits = matches(choose_threshold(score, positive, weight, recall=float(target)), score, positive, weight)
    assert (-hits / alerts, alerts) == min((-h / a, a) for a, h in choices)


@given(rows, st.integers(0, 30))
def test_by_alerts(drawn, most):
    score, positive, weight = split(drawn)
    alerts, _ = matches(choose_threshold(score, positive, weight, alerts=most), score, positive, weight)
    assert alerts == max(a for a, _ in thresholds(score, positive.tolist(), weight) if a <= most)
    alone = choose_threshold(score, weights=weight, alerts=most)
    assert (alone.alerts, alone.precision, alone.recall) == (alerts, None, None)


@given(rows, shares)
def test_by_share(drawn, most):
    score, positive, weight = split(drawn)
    total = Fraction(sum(weight))
    alerts, _ = matches(choose_threshold(score, positive, weight, alert_rate=float(most)), score, positive, weight)
    assert alerts == max(a for a, _ in thresholds(score, positive.tolist(), weight) if a <= most * total)


@given(rows, st.lists(st.integers(0, 9), min_size=4, max_size=4), st.booleans())
def test_by_costs(drawn, cells, turned):
    matrix = np.array(cells).reshape(2, 2)
    if not (matrix[1, 0] > matrix[0, 0] and matrix[0, 1] > matrix[1, 1]):
        return
    score, positive, weight = split(drawn)
    costs = sf.Costs(matrix[::-1] if turned else matrix, actions=["b", "a"] if turned else ["a", "b"])
    alerts, hits = matches(choose_threshold(score, positive, weight, costs=costs), score, positive, weight)
    total = Fraction(sum(weight))
    wanted = sum(Fraction(w) for w, p in zip(weight, positive, strict=True) if p)

    def cost(choice):
        a, h = choice
        quiet = (total - wanted) - (a - h), wanted - h  # not alerted, of each class
        loud = a - h, h
        return sum(int(matrix[0, c]) * quiet[c] + int(matrix[1, c]) * loud[c] for c in range(2))

    choices = thresholds(score, positive.tolist(), weight)
    assert (cost((alerts, hits)), alerts) == min((cost(each), each[0]) for each in choices)


@given(rows, scores)
def test_of_a_given_threshold(drawn, value):
    score, positive, weight = split(drawn)
    found = choose_threshold(score, positive, weight, value=value)
    assert found.value == value
    matches(found, score, positive, weight)


@given(rows)
def test_a_threshold_lies_half_way_between_scores_where_there_is_room(drawn):
    score, positive, weight = split(drawn)
    for most in {0.0, *np.cumsum(weight).tolist()}:
        value = choose_threshold(score, positive, weight, alerts=most).value
        up, down = [s for s in score if s > value], [s for s in score if s <= value]
        if up and down and all(map(math.isfinite, (min(up), max(down)))):
            middle = min(up) / 2 + max(down) / 2
            assert value in (middle, max(down))


def test_a_decimal_target_that_is_reached_exactly_counts():
    # 0.07 · 100 is above 7, and 0.29 · 100 below 29: the quotients are what the target says.
    score = np.arange(100.0)[::-1]
    assert choose_threshold(score, np.arange(100) % 100 < 7, precision=0.07).recall == 1
    assert choose_threshold(score, alert_rate=0.29).alerts == 29


def test_the_numbers_of_the_page():
    score, positive = [4.0, 3.0, 3.0, 1.0, 0.0], np.array([True, True, False, True, False])
    assert choose_threshold(score, positive, precision=1) == Threshold(3.5, 1.0, 1 / 3, 1.0, 0.2)
    assert choose_threshold(score, positive, recall=1) == Threshold(0.5, 0.75, 1.0, 4.0, 0.8)
    assert choose_threshold(score, positive, alert_rate=0.5) == Threshold(3.5, 1.0, 1 / 3, 1.0, 0.2)
    assert choose_threshold(score, positive, alerts=0) == Threshold(4.0, None, 0.0, 0.0, 0.0)


def test_the_public_names():
    assert sf.Threshold is Threshold
    assert sf.choose_threshold is choose_threshold


SCORE, POSITIVE = [2.0, 1.0, 0.0], np.array([False, True, False])
WRONG = [
    (
        {},
        ParameterError,
        "a threshold is chosen by one of precision, recall, alerts, alert_rate, costs, value: got none. Give exactly one.",
    ),
    (
        {"precision": 0.9, "recall": 0.9},
        ParameterError,
        "a threshold is chosen by one of precision, recall, alerts, alert_rate, costs, value: got precision and recall. "
        "Give exactly one.",
    ),
    (
        {"precision": 0.9},
        ParameterError,
        "no threshold reaches a precision of 0.9: the best is 0.5, with 2 alerts above 0.5. "
        "Use a lower target, or improve the model.",
    ),
    ({"precision": 0}, ParameterError, "precision must be above 0 and at most 1: got 0."),
    ({"recall": 90}, ParameterError, "recall must be above 0 and at most 1: got 90."),
    ({"alert_rate": 1.5}, ParameterError, "alert_rate must be from 0 to 1: got 1.5."),
    ({"alerts": -1}, ParameterError, "alerts must be ≥ 0: got -1."),
    ({"value": math.nan}, ParameterError, "value must be a number: got nan."),
    (
        {"costs": {"a": {0: 1, 1: 1}, "b": {0: 2, 1: 2}}},
        ParameterError,
        "there is no threshold: action 'a' never costs more than 'b', so it is always taken. Check the costs.",
    ),
    (
        {"positive": None, "recall": 0.5},
        DataError,
        "choosing a threshold by recall requires the class of each row. Give positive=, True or False for each row.",
    ),
    (
        {"positive": [1, 0, 1], "recall": 0.5},
        DataError,
        "positive must be True or False for each of the 3 rows: got int64 of shape (3,). "
        "Pass a boolean array, for example y == label.",
    ),
    ({"scores": [[1.0]], "alerts": 1}, DataError, "scores must have one number per row: got shape (1, 1)."),
    ({"scores": [1.0, math.nan, 0.0], "alerts": 1}, DataError, "row 1: scores must be numbers: got nan."),
    (
        {"weights": [1.0, 2.0], "alerts": 1},
        DataError,
        "weights must have one number per row: got shape (2,) for 3 rows.",
    ),
    (
        {"weights": [1.0, -2.0, 1.0], "alerts": 1},
        DataError,
        "row 1: weights must be finite and ≥ 0: got -2.0. Drop the row.",
    ),
    (
        {"positive": np.zeros(3, dtype=bool), "recall": 0.5},
        ParameterError,
        "no threshold reaches a recall of 0.5: no positive row has a score above −inf. "
        "Choose the threshold on rows that include the positive class.",
    ),
    (
        {"scores": [2.0, 1.0, -math.inf], "positive": np.array([False, True, True]), "recall": 0.9},
        ParameterError,
        "no threshold reaches a recall of 0.9: the best is 0.5, with 2 alerts above -inf. "
        "Use a lower target, or improve the model.",
    ),
]


@pytest.mark.parametrize(("given_", "error", "message"), WRONG, ids=[message[:40] for *_, message in WRONG])
def test_what_cannot_be(given_, error, message):
    with pytest.raises(error) as said:
        choose_threshold(**{"scores": SCORE, "positive": POSITIVE, **given_})
    assert str(said.value) == message


def test_one_alert_is_one():
    with pytest.raises(ParameterError) as error:
        choose_threshold([2.0], np.array([False]), precision=0.9)
    assert str(error.value) == (
        "no threshold reaches a precision of 0.9: the best is 0, with 1 alert above -inf. "
        "Use a lower target, or improve the model."
    )
