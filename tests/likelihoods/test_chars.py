"""Chars: n-grams of characters, in words and across, read as Words are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

import suffice as sf
from suffice.errors import ParameterError
from suffice.likelihoods.reading import ESTIMATES
from tests.likelihoods.test_text_arguments import BAD
from tests.oracles.text_readings import Text, log_class_prior

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.ImpossibleRowsWarning")

ROWS = [
    ("en", "The cat", 1.0),
    ("en", "that hat", 2.0),
    ("de", "Die Katze", 1.0),
    ("de", "ß", 0.5),
    ("de", None, 1.0),
    ("en", "", 1.0),
]
ASKED = ["that Katze", "", "zzz", "ß é"]


def grams(across, least, most):
    analyzer = "char" if across else "char_wb"
    return CountVectorizer(analyzer=analyzer, ngram_range=(least, most)).build_analyzer()


def fitted(likelihood, estimate="predictive", rows=ROWS):
    labels, texts, weights = zip(*rows, strict=True)
    return sf.fit(
        {"t": list(texts)},
        list(labels),
        columns={"t": likelihood},
        estimate=estimate,
        weights=list(weights),
        calibrate=False,
    )


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("model", ["multinomial", "bernoulli", "complement"])
@pytest.mark.parametrize("across", [False, True])
def test_every_reading_is_its_formula(across, model, estimate):
    found = fitted(sf.Chars((1, 2), across, model, alpha=0.5), estimate)
    text = Text(model=model, alpha=0.5, tokens=grams(across, 1, 2))
    expected = [
        [log_class_prior(ROWS, label) + text.score(ROWS, label, each, estimate) for label in found.classes]
        for each in ASKED
    ]
    np.testing.assert_allclose(found.log_joint({"t": ASKED}), expected, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("across", [False, True])
def test_the_numbers_of_scikit_learn(across):
    random = np.random.default_rng(2)
    rows = ["".join(random.choice(list("abcé  ."), 30)) for _ in range(60)]
    labels = [k % 3 for k in range(60)]
    vectorizer = CountVectorizer(analyzer="char" if across else "char_wb", ngram_range=(1, 3))
    x = vectorizer.fit_transform(rows)
    for name, there in (("multinomial", MultinomialNB(alpha=0.5)), ("bernoulli", BernoulliNB(alpha=0.5))):
        there.fit(x, labels)
        model = sf.fit(rows, labels, columns=sf.Chars((1, 3), across, name, 0.5), estimate="mean", calibrate=False)
        np.testing.assert_allclose(model.log_joint(rows), there.predict_joint_log_proba(x), rtol=1e-9)
    there = ComplementNB(alpha=0.5).fit(x, labels)
    model = sf.fit(
        rows, labels, columns=sf.Chars((1, 3), across, "complement", 0.5), class_prior="uniform", calibrate=False
    )
    np.testing.assert_allclose(model.log_joint(rows), there.predict_joint_log_proba(x) + math.log(1 / 3), rtol=1e-9)


def test_punctuation_tells_c_from_python():
    c = ["int main() { return 0; }", "for (i = 0; i < n; ++i) { a[i] = 0; }", "if (x) { y(); }"]
    python = ["def main():\n    return 0", "for i in range(n):\n    a[i] = 0", "if x:\n    y()"]
    for likelihood in (
        sf.Chars(ngrams=(1, 2), across=True, characters="{}();:[]=+<>"),
        sf.Words(characters="{}();:[]=+<>", min_length=1),
    ):
        model = sf.fit(c + python, ["c"] * 3 + ["python"] * 3, columns=likelihood, calibrate=False)
        assert model.predict(["while (1) { z(); }", "while True:\n    z()"]).tolist() == ["c", "python"]
        levels = {str(p.level) for p in model.parameters() if p.column == 0}
        assert set("".join(levels)) <= set("{}();:[]=+<> ")


def test_another_reading_needs_no_data():
    other = sf.Chars(model="bernoulli", min_df=2, alpha=0.1)
    again, fresh = fitted(sf.Chars()).with_options(priors={"t": other}), fitted(other)
    assert again == fresh
    np.testing.assert_array_equal(again.log_joint({"t": ASKED}), fresh.log_joint({"t": ASKED}))
    text = "column 't' was collected for Chars(), which does not hold what Words() needs. Fit the model again with it."
    with pytest.raises(ParameterError) as error:
        fitted(sf.Chars()).with_options(priors={"t": sf.Words()})
    assert str(error.value) == text


def test_accents_and_case_are_kept_as_asked():
    def levels(**options):
        model = fitted(sf.Chars(1, across=True, **options), rows=[("a", "Éa", 1.0)])
        return [p.level for p in model.parameters() if p.column == "t"]

    assert levels() == ["a", "é"]
    assert levels(accents="strip") == ["a", "e"]
    assert levels(lowercase=False) == ["a", "É"]
    assert levels(lowercase=False, accents="strip") == ["E", "a"]


def test_what_is_given_has_one_form():
    assert sf.Chars(3) == sf.Chars(ngrams=(3, 3))
    assert repr(sf.Chars(across=True)) == "Chars(across=True)"
    assert sf.Chars(max_df=1.0) == sf.Chars()
    assert sf.Chars().ngrams == (1, 3)


@pytest.mark.parametrize(
    ("given", "text"),
    [*BAD, ({"across": 1}, "across must be True or False: got 1.")],
    ids=lambda each: ascii(each)[:60],
)
def test_what_chars_cannot_be(given, text):
    with pytest.raises(ParameterError) as error:
        sf.Chars(**given)
    assert str(error.value) == text
