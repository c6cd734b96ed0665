"""Valid and invalid parameters of Words, with the whole error message. Chars shares them: test_chars.py."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import suffice as sf
from suffice.errors import ParameterError

GRAMS = "ngrams must be an integer from 1 to 64, or a pair (minimum, maximum): got {}. Give (1, 2) for words and pairs of words."
BAD = [
    ({"ngrams": 0}, GRAMS.format(0)),
    ({"ngrams": (2, 1)}, GRAMS.format("(2, 1)")),
    ({"ngrams": (1, 65)}, GRAMS.format("(1, 65)")),
    ({"ngrams": (1, 2, 3)}, GRAMS.format("(1, 2, 3)")),
    ({"ngrams": 1.5}, GRAMS.format(1.5)),
    ({"ngrams": True}, GRAMS.format(True)),
    ({"ngrams": "12"}, GRAMS.format("'12'")),
    ({"ngrams": None}, GRAMS.format(None)),
    ({"model": "poisson"}, "model must be 'multinomial' or 'bernoulli' or 'complement': got 'poisson'."),
    ({"tf": "sqrt"}, "tf must be 'count' or 'log': got 'sqrt'."),
    ({"accents": True}, "accents must be 'keep' or 'strip': got True."),
    *(
        ({"alpha": bad}, f"alpha must be a finite scalar > 0: got {bad!r}.")
        for bad in (0, -1.0, math.inf, math.nan, "1", [1.0, 2.0], True)
    ),
    (
        {"prior": "flat"},
        "prior must be None, 'evidence', 'evidence by class' or a BetaBinomial: got 'flat'. Give alpha= for a "
        "pseudo-count.",
    ),
    (
        {"prior": sf.DirichletMultinomial([1, 2])},
        "prior must be None, 'evidence', 'evidence by class' or a BetaBinomial: got DirichletMultinomial(alpha=[1.0, "
        "2.0]). Give alpha= for a pseudo-count.",
    ),
    *(
        (
            {"prior": sf.BetaBinomial(2, 5), "model": model},
            "a BetaBinomial is a prior of presence and absence, for model='bernoulli': "
            f"got model={model!r}. Give alpha= for a pseudo-count.",
        )
        for model in ("multinomial", "complement")
    ),
    (
        {"prior": sf.BetaBinomial([1, 2], 5), "model": "bernoulli"},
        "a and b of a text column must be scalars, the same for every token: got shape (2,).",
    ),
    (
        {"prior": sf.BetaBinomial(2, 5), "model": "bernoulli", "alpha": 1.0},
        "prior and alpha are mutually exclusive: got both. Omit one of them.",
    ),
    ({"prior": "evidence", "alpha": 1.0}, "prior and alpha are mutually exclusive: got both. Omit one of them."),
    *(
        ({name: bad}, f"{name} must be a finite number ≥ 0{none}: got {bad!r}.")
        for name, none in (("min_df", ""), ("max_df", " or None"), ("min_count", ""))
        for bad in (-1, math.nan, "2")
    ),
    ({"min_df": None}, "min_df must be a finite number ≥ 0: got None."),
    (
        {"min_df": 1.0},
        "min_df=1.0 is ambiguous. Give the integer 1 for one document, or a fraction below 1 of the documents.",
    ),
    ({"max_features": 0}, "max_features must be an integer ≥ 1 or None: got 0."),
    ({"max_features": 1.5}, "max_features must be an integer ≥ 1 or None: got 1.5."),
    *(
        ({name: 1}, f"{name} must be True or False: got 1.")
        for name in ("coefficients", "binary", "unit_length", "idf", "lowercase")
    ),
    *(
        (
            {"characters": bad},
            f"characters must be a string, or a list of strings each counted as one symbol: got {bad!r}. "
            "Give for example '{}[]();'.",
        )
        for bad in ("", 7, [], ["{}", ""], ["{}", 7], {"{": "{}"})
    ),
    *(
        (
            {"characters": bad},
            f"characters must contain each character once: got {bad!r}, with {twice!r} twice.",
        )
        for bad, twice in ((["{}", "[}"], "}"), (["{}", "{}"], "{"), (["aa"], "a"), (["a", "ba"], "a"))
    ),
    (
        {"characters": ["{}", "\ud800"]},
        r"characters must not contain an unpaired surrogate: got '{}\ud800'. Remove it.",
    ),
    (
        {"characters": "a\ud800"},
        r"characters must not contain an unpaired surrogate: got 'a\ud800'. Remove it.",
    ),
    (
        {"hashed": 3},
        "hashed must be an integer from 4 to 30, for 2^hashed columns: got 3. Give 20 for about a million columns.",
    ),
    (
        {"hashed": 31},
        "hashed must be an integer from 4 to 30, for 2^hashed columns: got 31. Give 20 for about a million columns.",
    ),
    (
        {"hashed": 8.0},
        "hashed must be an integer from 4 to 30, for 2^hashed columns: got 8.0. Give 20 for about a million columns.",
    ),
]
BAD_WORDS = [
    (
        {"characters": [";", "{}"]},
        "characters of Words must be a string of the characters that form words: got (';', '{}'). Groups of characters "
        "that are counted as one symbol are available in Chars.",
    ),
    ({"min_length": 0}, "min_length must be an integer ≥ 1: got 0."),
    ({"min_length": None}, "min_length must be an integer ≥ 1: got None."),
    ({"max_length": 1}, "max_length must be an integer ≥ 2 or None: got 1."),
    ({"stop_words": "the"}, "stop_words must be a list of words: got 'the'. Give for example ['the', 'of']."),
    ({"stop_words": 3}, "stop_words must be a list of words: got 3. Give for example ['the', 'of']."),
    ({"stop_words": ["the", 3]}, "stop_words must be non-empty strings: got 3."),
    ({"stop_words": [""]}, "stop_words must be non-empty strings: got ''."),
    (
        {"stop_words": ["\ud800"]},
        r"stop_words must not contain an unpaired surrogate: got '\ud800'. Remove it.",
    ),
]


@pytest.mark.parametrize("kind", [sf.Words, sf.Chars])
@pytest.mark.parametrize(
    "other", [{"model": "bernoulli"}, {"model": "complement"}, {"tf": "log"}, {"unit_length": True}, {"idf": True}]
)
def test_only_counts_have_a_coefficient(kind, other):
    with pytest.raises(ParameterError) as error:
        kind(coefficients=True, **other)
    assert str(error.value).startswith("coefficients=True needs counts of tokens: model='multinomial', tf='count', ")


@pytest.mark.parametrize(("given", "text"), [*BAD, *BAD_WORDS], ids=lambda each: ascii(each)[:60])
def test_invalid_parameters_of_words(given, text):
    with pytest.raises(ParameterError) as error:
        sf.Words(**given)
    assert str(error.value) == text


def test_parameters_are_normalised():
    assert sf.Words(ngrams=2) == sf.Words(ngrams=(2, 2)) == sf.Words(ngrams=[2, 2])
    assert sf.Words(ngrams=np.int64(2)).ngrams == (2, 2)
    assert sf.Words(stop_words=["b", "a", "b"]).stop_words == ("a", "b")
    assert sf.Words(characters="cab") == sf.Words(characters="abcc") == sf.Words(characters=["c", "a", "b"])
    assert sf.Chars(characters=["b", "ca"]) == sf.Chars(characters=("ca", "b")) != sf.Chars(characters=["b", "ac"])
    assert sf.Words(max_df=1.0) == sf.Words()
    assert sf.Words(max_df=1) != sf.Words()
    assert sf.Words(alpha=np.float64(0.5)) == sf.Words(alpha=0.5)
    assert hash(sf.Words(alpha=0.5)) == hash(sf.Words(alpha=0.5))
    assert repr(sf.Words(ngrams=(1, 2), prior="evidence")) == "Words(ngrams=(1, 2), prior='evidence')"
    assert replace(sf.Words(), alpha=2.0).alpha == 2.0
