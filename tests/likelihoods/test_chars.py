"""Chars: character n-grams within words and across them; estimates and parameters as for Words."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

import suffice as sf
from suffice.errors import ParameterError
from suffice.likelihoods.block_statistics import ESTIMATES
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
def test_every_estimate_equals_its_formula(across, model, estimate):
    found = fitted(sf.Chars((1, 2), across=across, model=model, alpha=0.5), estimate)
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
        model = sf.fit(
            rows,
            labels,
            columns=sf.Chars((1, 3), across=across, model=name, alpha=0.5),
            estimate="mean",
            calibrate=False,
        )
        np.testing.assert_allclose(model.log_joint(rows), there.predict_joint_log_proba(x), rtol=1e-9)
    there = ComplementNB(alpha=0.5).fit(x, labels)
    model = sf.fit(
        rows,
        labels,
        columns=sf.Chars((1, 3), across=across, model="complement", alpha=0.5),
        class_prior="uniform",
        calibrate=False,
    )
    np.testing.assert_allclose(model.log_joint(rows), there.predict_joint_log_proba(x) + math.log(1 / 3), rtol=1e-9)


def test_punctuation_distinguishes_c_from_python():
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


GROUPS = ["{}", "[]", "ab", " \t", "é", ";", "水火"]
code = st.text(alphabet="{}[]();ab cd\t\né É水火Aß", max_size=30)
coded_rows = st.lists(
    st.tuples(st.sampled_from("xy"), st.one_of(st.none(), code), st.just(1.0)), min_size=1, max_size=6
)
cuts = st.sampled_from([(1, 1), (1, 3), (2, 2)])


def cut_symbols(text, across, least, most):
    """Return the n-grams of symbols of a text, one character at a time."""
    symbol_of = {character: group for group in GROUPS for character in group}
    runs = [[]]
    for character in text.lower():
        if character in symbol_of and not (character.isspace() and not across):
            runs[-1].append(character)
        else:
            runs.append([])
    tokens = []
    for run in filter(None, runs):
        if across:
            symbols = [symbol_of[character] for character in re.sub(r"\s{2,}", " ", "".join(run))]
        else:
            symbols = [" ", *(symbol_of[character] for character in run), " "]
        for n in range(least, most + 1):
            tokens += ["".join(symbols[k : k + n]) for k in range(len(symbols) - n + 1)]
    return tokens


@given(coded_rows, cuts, st.booleans(), code)
def test_the_characters_of_a_group_are_one_symbol(rows, ngrams, across, asked):
    likelihood = sf.Chars(ngrams, across=across, characters=GROUPS, alpha=0.5)
    model = fitted(likelihood, "mean", rows)
    text = Text(alpha=0.5, tokens=lambda each: cut_symbols(each, across, *ngrams))
    levels = sorted({str(row.level) for row in model.parameters() if row.column is not None})
    assert levels == text.kept(rows)
    expected = [log_class_prior(rows, label) + text.score(rows, label, asked, "mean") for label in model.classes]
    np.testing.assert_allclose(model.log_joint({"t": [asked]})[0], expected, rtol=1e-10, atol=1e-11)


@given(coded_rows, cuts, st.booleans(), st.sampled_from(ESTIMATES), st.sampled_from([None, 20]), code)
def test_groups_equal_single_characters_in_translated_text(rows, ngrams, across, estimate, hashed, asked):
    first = str.maketrans({character: group[0] for group in GROUPS for character in group})
    options = {"across": across, "hashed": hashed, "lowercase": False}
    grouped = fitted(sf.Chars(ngrams, characters=GROUPS, **options), estimate, rows)
    translated = [(label, None if text is None else text.translate(first), weight) for label, text, weight in rows]
    single = fitted(sf.Chars(ngrams, characters=[group[0] for group in GROUPS], **options), estimate, translated)
    np.testing.assert_allclose(
        grouped.log_joint({"t": [asked, None]}),
        single.log_joint({"t": [asked.translate(first), None]}),
        rtol=1e-12,
        atol=1e-12,
    )
    np.testing.assert_allclose(grouped.log_evidence(), single.log_evidence(), rtol=1e-12, atol=1e-12)


def test_groups_are_merged_forgotten_stored_and_shown(tmp_path):
    likelihood = sf.Chars(ngrams=1, across=True, characters=["{}", "()", ";"])
    rows = [("c", "f(x) { y; }", 1.0), ("c", "{{}}", 1.0), ("py", "f(x)", 1.0)]
    model = fitted(likelihood, rows=rows)
    assert fitted(likelihood, rows=rows[:1]) + fitted(likelihood, rows=rows[1:]) == model
    assert model.forget({"t": ["{{}}"]}, ["c"]) == fitted(likelihood, rows=[rows[0], rows[2]])
    model.save(tmp_path / "m.suffice")
    again = sf.load(tmp_path / "m.suffice")
    assert again == model
    assert again.schema.blocks[0].likelihood == likelihood
    assert repr(likelihood) == "Chars(ngrams=(1, 1), characters=('()', ';', '{}'), across=True)"
    assert [row.level for row in again.parameters() if row.label == "c" and row.level] == ["()", ";", "{}"]
    with pytest.raises(ParameterError, match="Fit the model again"):
        model.with_options(priors={"t": sf.Chars(ngrams=1, across=True, characters="{}();")})


def test_another_estimate_needs_no_data():
    other = sf.Chars(model="bernoulli", min_df=2, alpha=0.1)
    again, fresh = fitted(sf.Chars()).with_options(priors={"t": other}), fitted(other)
    assert again == fresh
    np.testing.assert_array_equal(again.log_joint({"t": ASKED}), fresh.log_joint({"t": ASKED}))
    text = (
        "the statistics of column 't', collected for Chars(), do not suffice for Words(). Fit the model again with it."
    )
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


def test_parameters_are_normalised():
    assert sf.Chars(3) == sf.Chars(ngrams=(3, 3))
    assert repr(sf.Chars(across=True)) == "Chars(across=True)"
    assert sf.Chars(max_df=1.0) == sf.Chars()
    assert sf.Chars().ngrams == (1, 3)


@pytest.mark.parametrize(
    ("given", "text"),
    [*BAD, ({"across": 1}, "across must be True or False: got 1.")],
    ids=lambda each: ascii(each)[:60],
)
def test_invalid_parameters_of_chars(given, text):
    with pytest.raises(ParameterError) as error:
        sf.Chars(**given)
    assert str(error.value) == text
