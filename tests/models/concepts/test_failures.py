"""What cannot be learnt or asked, word for word."""

from __future__ import annotations

import datetime

import numpy as np
import polars as pl
import pytest

import suffice as sf

HYPOTHESES = {"even": {2, 4, 6, 8}, "powers of two": {2, 4, 8}, "odd": {1, 3, 5, 7}}
LEARNER = sf.concepts.ConceptLearner(HYPOTHESES, domain=range(1, 11))


def text_of(error, call, *arguments, **options):
    with pytest.raises(error) as caught:
        call(*arguments, **options)
    assert isinstance(caught.value, sf.SufficeError)
    return str(caught.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([2, 11], "datum 11 is not in the domain 1 … 10. Check it, or give another domain=."),
        ([np.int64(0)], "datum 0 is not in the domain 1 … 10. Check it, or give another domain=."),
        ([2.5], "datum 2.5 is not in the domain 1 … 10. Check it, or give another domain=."),
        ([float("nan")], "datum nan is not in the domain 1 … 10. Check it, or give another domain=."),
        ([None], "datum None is not in the domain 1 … 10. Check it, or give another domain=."),
        (None, "datum None is not in the domain 1 … 10. Check it, or give another domain=."),
        ([True], "datum True is not in the domain 1 … 10. Check it, or give another domain=."),
        (
            [np.array([2, 4])],
            "datum array([2, 4]) is not in the domain 1 … 10. Check it, or give another domain=.",
        ),
        ([[2, 4]], "datum [2, 4] is not in the domain 1 … 10. Check it, or give another domain=."),
        (
            ["2"],
            "datum '2' is not in the domain 1 … 10. Check it, or give another domain=.",
        ),
        ("two", "datum 'two' is not in the domain 1 … 10. Check it, or give another domain=."),
        ({2: 1}, "data must be elements of the domain: got dict. Give a list."),
        (pl.DataFrame({"a": [2]}), "data must be elements of the domain: got DataFrame. Give a list."),
        ([10, 2], "no hypothesis contains the example 10. Check the example, or add a hypothesis that contains it."),
        (
            [8, 2, 3, 7],
            "no hypothesis contains the example 3 together with 8, 2 (2 of 3 hypotheses contain the latter). "
            "Check the example, or add a hypothesis that contains them all.",
        ),
        (
            [2, 4, 4, 8, 7],
            "no hypothesis contains the example 7 together with 2, 4, 8 (2 of 3 hypotheses contain the latter). "
            "Check the example, or add a hypothesis that contains them all.",
        ),
        (
            [6, 7],
            "no hypothesis contains the example 7 together with 6 (1 of 3 hypotheses contains the latter). "
            "Check the example, or add a hypothesis that contains them all.",
        ),
    ],
)
def test_impossible_data(data, message):
    assert text_of(sf.errors.DataError, LEARNER.update, data) == message


def test_the_first_impossible_datum_of_a_later_update_is_named():
    learner = LEARNER.update([8]).update([2])
    assert text_of(sf.errors.DataError, learner.update, [4, 5, 3]) == (
        "no hypothesis contains the example 5 together with 2, 8, 4 (2 of 3 hypotheses contain the latter). "
        "Check the example, or add a hypothesis that contains them all."
    )
    assert learner.update([4]).seen == {2: 1, 4: 1, 8: 1}  # and nothing is lost


def test_data_that_only_a_hypothesis_of_prior_zero_contains():
    learner = sf.concepts.ConceptLearner(HYPOTHESES, {"even": 1, "powers of two": 1, "odd": 0})
    message = "no hypothesis with a prior above 0 contains the example 3. Check the example, or add a hypothesis that contains it."
    assert text_of(sf.errors.DataError, learner.update, [2, 3]) == message
    assert (
        text_of(sf.errors.DataError, LEARNER.update([3]).with_options, prior={"even": 1, "powers of two": 1, "odd": 0})
        == message
    )
    text = text_of(
        sf.errors.DataError, LEARNER.update([2, 6]).with_options, prior={"even": 0, "powers of two": 1, "odd": 1}
    )
    assert text == (
        "no hypothesis with a prior above 0 contains the example 6. Check the example, or add a hypothesis that contains it."
    )


@pytest.mark.parametrize(
    ("hypotheses", "options", "message"),
    [
        ({}, {}, "at least one hypothesis is required: got none. Give {name: members}."),
        (
            "even",
            {},
            "hypotheses must be a mapping {name: members} or a list of Hypothesis: got 'even'. "
            "Give for example {'even': {2, 4}, 'odd': {1, 3}}.",
        ),
        (
            7,
            {},
            "hypotheses must be a mapping {name: members} or a list of Hypothesis: got 7. "
            "Give for example {'even': {2, 4}, 'odd': {1, 3}}.",
        ),
        (["even"], {}, "a hypothesis must be a Hypothesis or a pair (name, members): got 'even'."),
        ([("even", {2}), ("even", {4})], {}, "two hypotheses have the name 'even'. Rename one of them."),
        ({7: {2}}, {}, "the name of a hypothesis must be a string: got 7."),
        ({"": {2}}, {}, "the name of a hypothesis must be a string: got ''."),
        (
            {"even": "24"},
            {},
            "hypothesis 'even' must have a set of elements or a predicate: got '24'. "
            "Give for example {2, 4, 8} or lambda x: x % 2 == 0.",
        ),
        (
            {"both": [True, 1]},
            {},
            "hypothesis 'both' must not contain both a boolean and the number equal to it in Python, such as "
            "True and 1. Give one of them as text.",
        ),
        (
            {"even": {2, 12, 14}},
            {"domain": range(1, 11)},
            "hypothesis 'even' contains 12, which is not in the domain 1 … 10. Remove it, or give another domain=.",
        ),
        (
            {"even": {2}, "none": set()},
            {},
            "hypothesis 'none' contains no element of the domain 2, so no example can come from it. "
            "Remove it, or extend the domain.",
        ),
        (
            {"large": lambda x: x > 100},
            {"domain": range(1, 11)},
            "hypothesis 'large' contains no element of the domain 1 … 10, so no example can come from it. "
            "Remove it, or extend the domain.",
        ),
        (
            {"even": lambda x: x % 2 == 0},
            {},
            "hypothesis 'even' is a predicate, which requires a domain. Give one, for example domain=range(1, 101).",
        ),
        (
            {"even": {2}},
            {"domain": []},
            "domain must not be empty.",
        ),
        ({"even": {2}}, {"domain": [2, 3, 2.0]}, "the elements of domain must be distinct: 2 appears more than once."),
        ({"even": {2}}, {"domain": "123"}, "domain must be a range, list or set of elements: got '123'."),
        ({"even": {2}}, {"domain": 10}, "domain must be a range, list or set of elements: got 10."),
        (HYPOTHESES, {"sampling": "medium"}, "sampling must be 'strong' or 'weak': got 'medium'."),
    ],
)
def test_hypotheses(hypotheses, options, message):
    assert text_of(sf.errors.ParameterError, sf.concepts.ConceptLearner, hypotheses, **options) == message


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ({"even": 1, "powers of two": 1}, "prior has no weight for hypothesis 'odd'. Give it one; 0 excludes it."),
        ({"evn": 1}, "prior has a weight for 'evn', which is not a hypothesis. Did you mean 'even'?"),
        (
            {7: 1},
            "prior has a weight for 7, which is not a hypothesis. The hypotheses are 'even', 'powers of two', 'odd'.",
        ),
        ([1, 2], "prior must have a weight for each of the 3 hypotheses: got 2."),
        ([1, -2, 1], "prior must have finite weights ≥ 0: hypothesis 'powers of two' has -2."),
        (np.array([1, 1, np.nan]), "prior must have finite weights ≥ 0: hypothesis 'odd' has nan."),
        ([1, 1, float("inf")], "prior must have finite weights ≥ 0: hypothesis 'odd' has inf."),
        ([1, True, 1], "prior must have finite weights ≥ 0: hypothesis 'powers of two' has True."),
        (["1", 1, 1], "prior must have finite weights ≥ 0: hypothesis 'even' has '1'."),
        (lambda hypothesis: None, "prior must have finite weights ≥ 0: hypothesis 'even' has None."),
        ([0, 0, 0], "prior must give at least one hypothesis a weight above 0: got 0 for all of them."),
        (
            "uniform",
            "prior must be a mapping {name: weight}, an array of weights or a function of a hypothesis: got 'uniform'.",
        ),
        (
            1,
            "prior must be a mapping {name: weight}, an array of weights or a function of a hypothesis: got 1.",
        ),
    ],
)
def test_priors(prior, message):
    assert text_of(sf.errors.ParameterError, sf.concepts.ConceptLearner, HYPOTHESES, prior) == message
    assert text_of(sf.errors.ParameterError, LEARNER.with_options, prior=prior) == message


def test_a_label_that_no_domain_can_hold():
    moment = datetime.date(2026, 1, 1)
    assert text_of(sf.errors.DataError, sf.concepts.Hypothesis, "days", {moment}) == (
        "a label must be None, a bool, a number, text, bytes or a tuple of those: got datetime.date(2026, 1, 1) (date). "
        "Convert it to text, for example with str(label)."
    )


def test_questions():
    assert text_of(sf.errors.DataError, LEARNER.predictive, 11) == (
        "thing 11 is not in the domain 1 … 10. Check it, or give another domain=."
    )
    assert (
        text_of(sf.errors.ParameterError, LEARNER.predictive, 2, "mean")
        == "plug_in must be 'map' or 'mle': got 'mean'."
    )
    for rows in ({"fur": "black"}, [{"fur": "black"}], pl.DataFrame({"fur": ["black"]})):
        assert text_of(sf.errors.DataError, LEARNER.predictive, rows) == (
            "rows of a table were passed, but the domain is 1 … 10. "
            "Give elements of the domain, or create the learner with concepts_from(table)."
        )
    assert text_of(sf.errors.ParameterError, LEARNER.posterior().__getitem__, "evn") == (
        "there is no hypothesis 'evn'. Did you mean 'even'?"
    )
    assert text_of(sf.errors.ParameterError, LEARNER.with_options, sampling="medium") == (
        "sampling must be 'strong' or 'weak': got 'medium'."
    )
    many = sf.concepts.ConceptLearner({str(at): {at} for at in range(100, 112)})
    assert text_of(sf.errors.ParameterError, many.posterior().__getitem__, "zzz") == (
        "there is no hypothesis 'zzz'. The hypotheses are '100', '101', '102', '103', '104', '105', '106', '107', …."
    )


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ([range(1, 1)], {}, "got range(1, 1)"),
        ([range(10)], {}, "got range(0, 10)"),
        ([range(1, 100, 2)], {}, "got range(1, 100, 2)"),
        ([[1, 2, 4]], {}, "got [1, 2, 4]"),
        ([[1, 2.5]], {}, "got [1, 2.5]"),
        ([[3, 2, 1]], {}, "got [3, 2, 1]"),
        (["1-100"], {}, "got '1-100'"),
        ([100], {}, "got 100"),
        ([range(10**12, 10**12 + 5)], {}, "got range(1000000000000, 1000000000005)"),
        ([list(range(90))], {}, "got [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16..."),
    ],
)
def test_domains_of_the_number_game(arguments, options, message):
    assert text_of(sf.errors.ParameterError, sf.concepts.number_game, *arguments, **options) == (
        f"domain must be consecutive positive integers: {message}. Give for example range(1, 101)."
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"domain": range(1, 10**15)},
            "domain must have at most 500 numbers, because every interval is a hypothesis: got 999,999,999,999,999. "
            "Give a shorter one, or your own hypotheses to ConceptLearner.",
        ),
        ({"rule_mass": 1.5}, "rule_mass must be a probability from 0 to 1: got 1.5."),
        ({"rule_mass": None}, "rule_mass must be a probability from 0 to 1: got None."),
        ({"typical_length": 0}, "typical_length must be a finite number > 0: got 0."),
        ({"typical_length": float("nan")}, "typical_length must be a finite number > 0: got nan."),
        ({"sampling": "medium"}, "sampling must be 'strong' or 'weak': got 'medium'."),
    ],
)
def test_settings_of_the_number_game(options, message):
    assert text_of(sf.errors.ParameterError, sf.concepts.number_game, **options) == message
    with pytest.raises(sf.errors.DataError, match="datum 101 is not in the domain 1 … 100"):
        sf.concepts.number_game().update([101])
